//! A mistake for each diagnostic code, and the same without it: texts and commands that a test runs.
//!
//! The files `examples/*.txt` hold them, one after the other:
//!
//! ```text
//! === code
//! $ aiec COMMAND          %s is the text's file, %t a file to write; `&& aiec COMMAND` may follow
//! --- wrong
//! text that gives the code; after a line `//--- NAME` another file of that name
//! --- right               or `--- right: aiec COMMAND`, if another command makes it right
//! the same without the mistake; nothing, if only the command differs
//! ```
//!
//! With `$ none: REASON` instead of a command it can't be tried, and both are in words.

use std::sync::LazyLock;

/// A text and the command that is run on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The arguments of `aiec`; `%s` is the file of the text, `%t` one to write.
    pub command: &'static str,
    /// The text.
    pub text: &'static str,
}

/// A case with the finding of a code, and the same without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The code.
    pub code: &'static str,
    /// Why the example can't be run, if it can't.
    pub not_run: Option<&'static str>,
    /// It gives the code.
    pub wrong: Case,
    /// The text without the mistake.
    pub right: Case,
}

/// Where examples are written.
const FILES: [&str; 4] = [
    include_str!("examples/netlist.txt"),
    include_str!("examples/compile.txt"),
    include_str!("examples/assembly.txt"),
    include_str!("examples/run.txt"),
];

/// All examples.
pub fn all() -> &'static [Example] {
    static EXAMPLES: LazyLock<Vec<Example>> = LazyLock::new(|| {
        let parts = FILES.iter().flat_map(|file| file.split("=== ").skip(1));
        parts.filter_map(read).collect()
    });
    &EXAMPLES
}

/// The example of a code.
pub fn of(code: &str) -> Option<&'static Example> {
    all().iter().find(|example| example.code == code)
}

/// Reads an example after its `=== `.
fn read(part: &'static str) -> Option<Example> {
    let (code, rest) = part.split_once('\n')?;
    let (command, rest) = rest.strip_prefix("$ ")?.split_once('\n')?;
    let not_run = command.strip_prefix("none: ");
    let command = command.strip_prefix("aiec ").unwrap_or_default();
    let (wrong, rest) = rest.strip_prefix("--- wrong\n")?.split_once("--- right")?;
    let (other, right) = rest.split_once('\n')?;
    let right = right.trim_end();
    let wrong = wrong.trim_end();
    Some(Example {
        code,
        not_run,
        wrong: Case {
            command,
            text: wrong,
        },
        right: Case {
            command: other.strip_prefix(": aiec ").unwrap_or(command),
            text: if right.is_empty() { wrong } else { right },
        },
    })
}

impl Case {
    /// The ending of a file with the text.
    pub fn ending(&self) -> &'static str {
        match self.command.split_whitespace().next() {
            _ if self.command.contains("-t drra") => "drra",
            _ if self.command.contains("-t refsi") => "asm",
            Some("asm") if self.command.contains("-core ") => "s",
            Some("asm") => "asm",
            _ => "mlir",
        }
    }
}
