//! Prints what a checkout of mlir-aie declares and we don't know, for `cargo xtask upstream DIR`.

use std::path::Path;
use std::process::ExitCode;

use aiec_test::upstream::Declarations;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("cargo xtask upstream DIR: the folder of a checkout of mlir-aie");
        return ExitCode::from(2);
    };
    match Declarations::of_checkout(Path::new(&folder)) {
        Ok(theirs) => {
            print!("{}", theirs.differences(&Declarations::ours()));
            ExitCode::SUCCESS
        }
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}
