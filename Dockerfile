ARG BUILDER=rust:1.95-bookworm@sha256:6258907abe69656e41cd992e0b705cdcfabcbbe3db374f92ed2d47121282d4a1
# A static binary and nothing else: no shell, no certificates (Mozilla's are embedded), no /tmp.
# scripts/image.sh builds this very file with a BUILDER of its own and says what came out.

FROM ${BUILDER} AS build
# ring has C code, and musl-gcc compiles it. What the base has already is not fetched again.
RUN command -v musl-gcc > /dev/null \
    || { apt-get update && apt-get install --yes --no-install-recommends musl-tools; }
RUN target=$(uname -m)-unknown-linux-musl \
    && { test -d "$(rustc --print sysroot)/lib/rustlib/$target" || rustup target add "$target"; }
WORKDIR /build
COPY . .
# Built by Cargo.toml's release profile. What a position-independent program corrects when it starts is packed, where the
# linker can: 0.4 MB less.
RUN target=$(uname -m)-unknown-linux-musl \
    && export "CC_$(echo "$target" | tr - _)=musl-gcc" RUSTFLAGS='-C link-arg=-Wl,-z,pack-relative-relocs' \
    && cargo build --locked --release --bin rankhold --target "$target" \
    && mv "target/$target/release/rankhold" /rankhold

FROM scratch
LABEL org.opencontainers.image.title="rankhold" \
      org.opencontainers.image.description="A gate for retrieval quality on pull requests" \
      org.opencontainers.image.source="https://github.com/rankhold/rankhold" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0"
COPY --from=build /rankhold /rankhold
# No USER: the runner's workspace and files belong to others, and only root may write into them.
ENTRYPOINT ["/rankhold"]
