ARG BUILDER=rust:1.95-bookworm@sha256:6258907abe69656e41cd992e0b705cdcfabcbbe3db374f92ed2d47121282d4a1
ARG DEBIAN=debian:bookworm-slim
# What is built where nobody names a target is a static binary and nothing else: no shell, no certificates (Mozilla's are
# embedded), no /tmp. The target `full` has the tools of the field beside it.
# scripts/image.sh and scripts/full.sh build this very file with bases of their own and say what came out.

FROM ${BUILDER} AS build
# ring has C code, and musl-gcc compiles it. What the base has already is not fetched again.
RUN command -v musl-gcc > /dev/null \
    || { apt-get update && apt-get install --yes --no-install-recommends musl-tools; }
RUN target=$(uname -m)-unknown-linux-musl \
    && { test -d "$(rustc --print sysroot)/lib/rustlib/$target" || rustup target add "$target"; }
WORKDIR /build
COPY . .
# Built by Cargo.toml's release profile and linked by the linker that comes with Rust: functions whose code is the same become
# one (icf), and what a position-independent program corrects when it starts is packed, 0.5 MB less together.
RUN target=$(uname -m)-unknown-linux-musl \
    && export "CC_$(echo "$target" | tr - _)=musl-gcc" RUSTFLAGS='-C linker=rust-lld -C link-arg=--icf=all -C link-arg=-zpack-relative-relocs' \
    && cargo build --locked --release --bin rankhold --target "$target" \
    && mv "target/$target/release/rankhold" /rankhold

FROM scratch AS rankhold
LABEL org.opencontainers.image.title="rankhold" \
      org.opencontainers.image.description="A gate for retrieval quality on pull requests" \
      org.opencontainers.image.source="https://github.com/rankhold/rankhold" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0"
COPY --from=build /rankhold /rankhold
# No USER: the runner's workspace and files belong to others, and only root may write into them.
ENTRYPOINT ["/rankhold"]

# ripgrep and colgrep from crates.io, with the dependencies that their authors locked.
FROM ${BUILDER} AS crates
RUN cargo install --locked --root /tools ripgrep@15.2.0
# colgrep is linked with the system's OpenSSL, which Debian's python3 brings into the image too.
RUN pkg-config --exists openssl \
    || { apt-get update && apt-get install --yes --no-install-recommends g++ libssl-dev pkg-config; }
RUN cargo install --locked --root /tools colgrep@1.8.5
RUN strip /tools/bin/rg /tools/bin/colgrep

# probe from npm, whose package holds a program for each processor and starts it through Node: the program alone is kept.
FROM ${DEBIAN} AS probe
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates npm
WORKDIR /tools
RUN npm pack --silent @probelabs/probe@0.6.0-rc325 \
    && echo '0c905ec0679fd3371367f5abb41b249b08f19b1877cfb77e24f4ceff1a8a4e9c  probelabs-probe-0.6.0-rc325.tgz' | sha256sum --check \
    && tar -xzf probelabs-probe-0.6.0-rc325.tgz --wildcards "*/probe-*-$(uname -m)-unknown-linux-musl.tar.gz" \
    && tar -xzf "$(find . -name "probe-*-$(uname -m)-*.tar.gz")" --strip-components 1 --wildcards '*/probe' \
    && ./probe --version

FROM ${DEBIAN} AS full
LABEL org.opencontainers.image.title="rankhold-full" \
      org.opencontainers.image.description="Rankhold with ripgrep, probe, colgrep and semble beside it" \
      org.opencontainers.image.source="https://github.com/rankhold/rankhold"
RUN apt-get update \
    && apt-get install --yes --no-install-recommends python3 python3-venv \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
COPY full/requirements.txt /opt/python/requirements.txt
# colgrep loads the library alone, so that it is found by a name without a version.
RUN python3 -m venv /opt/python \
    && /opt/python/bin/pip install --no-cache-dir --disable-pip-version-check -r /opt/python/requirements.txt \
    && ln -s "$(find /opt/python -name 'libonnxruntime.so.*' | head -n 1)" /opt/libonnxruntime.so
COPY --from=crates /tools/bin/rg /tools/bin/colgrep /usr/local/bin/
COPY --from=probe /tools/probe /usr/local/bin/
COPY --from=build /rankhold /usr/local/bin/rankhold
# No model is inside: whoever has some mounts a hub's cache here.
RUN mkdir /models
ENV PATH=/opt/python/bin:/usr/local/bin:/usr/bin:/bin \
    HF_HUB_CACHE=/models \
    ORT_DYLIB_PATH=/opt/libonnxruntime.so
ENTRYPOINT ["rankhold"]

FROM rankhold
