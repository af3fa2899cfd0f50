//! Runs every test file of the suites.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use aiec_test::lit::suite::{Suite, Verdict};
use libtest_mimic::{Arguments, Failed, Trial};

/// The folders of the suites; every `.mlir`, `.asm` and `.test` file in them is a test.
const SUITES: [&str; 5] = ["dialect", "passes", "emit", "sim", "driver"];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let suite = Arc::new(Suite {
        root: folder.parent().map(Path::to_path_buf).unwrap_or_default(),
        temporary: PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lit"),
        features: Vec::new(),
        rewrite: str::to_string,
        folder,
    });
    let mut trials = Vec::new();
    for below in SUITES
        .into_iter()
        .filter(|below| suite.folder.join(below).is_dir())
    {
        let files = match suite.files(below) {
            Ok(files) => files,
            Err(error) => {
                eprintln!("{below}: {error}");
                return ExitCode::FAILURE;
            }
        };
        for file in files {
            let suite = suite.clone();
            trials.push(Trial::test(suite.name(&file), move || {
                match suite.run(&file) {
                    Verdict::Pass => Ok(()),
                    Verdict::Skipped(why) => {
                        eprintln!("{}: skipped, {why}", suite.name(&file));
                        Ok(())
                    }
                    Verdict::Fail(text) => Err(Failed::from(text)),
                }
            }));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}
