//! Prints `docs/src/core-performance.md` again, for `cargo xtask core-bench`.

fn main() {
    print!("{}", aiec_test::core_bench::page(""));
}
