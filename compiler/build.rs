//! Links the binary at a fixed address where that is the GNU/Linux linker's choice: its tables of
//! instructions, registers and operations hold some 32,000 pointers, which the loader would have to
//! relocate in front of each run, in 200 pages that are copied for it. A compilation takes a few
//! milliseconds; this is half of one.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |key: &str| env::var(format!("CARGO_CFG_TARGET_{key}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
