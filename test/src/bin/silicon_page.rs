//! Prints `docs/src/silicon.md`, for `cargo xtask silicon`.

fn main() {
    print!("{}", aiec_test::silicon::page());
}
