//! Prints `docs/src/silicon.md` anew, for `cargo xtask silicon`.

fn main() {
    print!("{}", aiec_test::silicon::page());
}
