# The recipes that CI runs, one each. `just` alone lists them.

_default:
    @just --list

# The main job: this repository's own suite against its approved baseline.
hold:
    cargo run --locked -- run

# All tests.
test:
    cargo test --locked

# Everything that CI runs, with the time of each part.
ci:
    .ci/run

# Formatting, lints, licences.
lint: fmt clippy deny

# Formatting.
fmt:
    cargo fmt --check

# Lints.
clippy:
    cargo clippy --locked --all-targets -- -D warnings

# Licences, duplicates and sources of dependencies; `advisories` needs a Git host and runs in the hosted workflow.
deny:
    cargo deny check bans licenses sources

# Rewrite the snapshots that tests compare with; read the diff afterwards.
bless:
    RANKHOLD_BLESS=1 cargo test --locked

# The figures of docs/benchmarks.md, or only some parts of them: whole, embedded, growth, external, flood.
bench *parts:
    cargo bench --locked --bench figures -- {{parts}}

# The committed digests, from static binaries: `just determinism aarch64-unknown-linux-musl`.
determinism *targets:
    scripts/determinism.sh {{ targets }}

# The image that the action runs in, built and tried; starts a Docker engine if none runs.
image:
    scripts/image.sh

# The image with the tools of the field, built and tried; compiling the tools takes a quarter of an hour.
full:
    scripts/full.sh

# The documented workflows under act, with that image, against an emulator of GitHub.
act:
    scripts/act.sh

# Workflows and actions, by three linters.
workflows:
    scripts/lint-workflows.sh

# The binary for ARM, built and run under qemu.
arm64:
    scripts/determinism.sh aarch64-unknown-linux-musl

# NDCG@10 over public suites that lie outside this repository.
quality data corpora:
    scripts/quality.py --data {{ data }} --corpora {{ corpora }}
