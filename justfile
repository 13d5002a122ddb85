# The recipes that CI runs, one each. `just` alone lists them.

_default:
    @just --list

# The main job: this repository's own suite against its approved baseline.
hold:
    cargo run --release --locked -- run

# All tests.
test:
    cargo test --locked

# Formatting, lints, licences.
lint:
    cargo fmt --check
    cargo clippy --locked --all-targets -- -D warnings
    cargo deny check bans licenses sources

# Rewrite the snapshots that tests compare with; read the diff afterwards.
bless:
    RANKHOLD_BLESS=1 cargo test --locked

# The figures of docs/benchmarks.md.
bench:
    cargo bench --locked
