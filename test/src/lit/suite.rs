//! Finds the test files of a suite and runs one.

use std::fs;
use std::path::{Path, PathBuf};

use super::script::{Script, ScriptError, Substitutions, holds};
use super::shell;

/// Suffixes of test files.
pub const SUFFIXES: [&str; 3] = ["mlir", "asm", "test"];

/// Folders that hold the inputs of tests, not tests.
pub const INPUT_FOLDER: &str = "Inputs";

/// Where a suite lives and what it may rely on.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The repository.
    pub root: PathBuf,
    /// The folder that test names are relative to.
    pub folder: PathBuf,
    /// Where tests may write; each gets its own folder in it.
    pub temporary: PathBuf,
    /// Features that `REQUIRES:` and its like can ask for.
    pub features: Vec<&'static str>,
    /// Changes each line before it runs; substitutions are made after.
    pub rewrite: fn(&str) -> String,
}

/// Outcome of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As expected.
    Pass,
    /// Not run; the text says which condition does not hold.
    Skipped(String),
    /// Not as expected; the text says how.
    Fail(String),
}

impl Suite {
    /// The test files below a folder of the suite, sorted.
    pub fn files(&self, below: &str) -> std::io::Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        let mut folders = vec![self.folder.join(below)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder)? {
                let path = entry?.path();
                if path.is_dir() {
                    if path.file_name().is_none_or(|name| name != INPUT_FOLDER) {
                        folders.push(path);
                    }
                } else if path
                    .extension()
                    .is_some_and(|e| SUFFIXES.iter().any(|s| e == *s))
                {
                    files.push(path);
                }
            }
        }
        files.sort();
        Ok(files)
    }

    /// The name of a test: its path in the suite.
    pub fn name(&self, file: &Path) -> String {
        let relative = file.strip_prefix(&self.folder).unwrap_or(file);
        relative.display().to_string().replace('\\', "/")
    }

    /// Runs one test file.
    pub fn run(&self, file: &Path) -> Verdict {
        match self.try_run(file) {
            Ok(verdict) => verdict,
            Err(error) => Verdict::Fail(error.0),
        }
    }

    fn try_run(&self, file: &Path) -> Result<Verdict, ScriptError> {
        let unusable = |error: std::io::Error| ScriptError(format!("{}: {error}", file.display()));
        let text = String::from_utf8_lossy(&fs::read(file).map_err(unusable)?).into_owned();
        let script = Script::parse(&text)?;
        if script.runs.is_empty() {
            return Err(ScriptError("the file has no RUN line".into()));
        }
        for condition in &script.requires {
            if !holds(condition, &self.features)? {
                return Ok(Verdict::Skipped(format!("requires {condition}")));
            }
        }
        for condition in &script.unsupported {
            if holds(condition, &self.features)? {
                return Ok(Verdict::Skipped(format!("unsupported with {condition}")));
            }
        }
        let mut expected_to_fail = false;
        for condition in &script.xfail {
            expected_to_fail |= holds(condition, &self.features)?;
        }
        let temporary = self.temporary.join(self.name(file) + ".dir");
        if temporary.exists() {
            fs::remove_dir_all(&temporary).map_err(unusable)?;
        }
        fs::create_dir_all(&temporary).map_err(unusable)?;
        let substitutions = Substitutions::new(file, &temporary, &self.root);
        let failure = script.runs.iter().find_map(|(line, command)| {
            let command = substitutions.apply(&(self.rewrite)(command));
            run_line(*line, &command).err()
        });
        Ok(match (failure, expected_to_fail) {
            (None, false) | (Some(_), true) => Verdict::Pass,
            (None, true) => Verdict::Fail("passes, but is marked XFAIL".into()),
            (Some(text), false) => Verdict::Fail(text),
        })
    }
}

/// Runs a line; the error is the report of a failure.
fn run_line(number: usize, command: &str) -> Result<(), String> {
    let head = format!("RUN line {number}: {command}\n");
    let outcome = shell::run(command).map_err(|error| format!("{head}{}\n", error.0))?;
    if outcome.code == 0 {
        return Ok(());
    }
    let mut text = format!("{head}exit code {}\n", outcome.code);
    for (name, bytes) in [("stderr", &outcome.stderr), ("stdout", &outcome.stdout)] {
        if !bytes.is_empty() {
            text += &format!(
                "--- {name}\n{}\n",
                String::from_utf8_lossy(bytes).trim_end()
            );
        }
    }
    Err(text)
}
