//! FileCheck as a command, with the options of LLVM's: `FileCheck CHECKS --input-file=INPUT`.

use std::io::Read;
use std::process::ExitCode;

use aiec_test::filecheck::{Options, check};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(code) => ExitCode::from(code),
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &[String]) -> Result<u8, String> {
    let options = Options::parse(args).map_err(|error| error.0)?;
    let checks = read(&options.check_file)?;
    let name = options.input_file.clone().unwrap_or_else(|| "-".into());
    let input = read(&name)?;
    let shown = if name == "-" { "<stdin>" } else { &name };
    let verdict = check(&options, &checks, &options.check_file, &input, shown);
    eprint!("{}", verdict.message());
    Ok(verdict.code())
}

fn read(path: &str) -> Result<String, String> {
    let mut bytes = Vec::new();
    let result = match path {
        "-" => std::io::stdin().read_to_end(&mut bytes).map(drop),
        path => std::fs::read(path).map(|content| bytes = content),
    };
    result.map_err(|error| format!("FileCheck: {path}: {error}"))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
