//! Options that every command has: the amount of messages, and their colours.

use std::ffi::OsString;

use clap::{Args, ColorChoice};

use crate::io::{Io, Verbosity};

/// Options of every command.
#[derive(Args, Clone, Copy, Debug)]
pub struct GeneralArgs {
    /// Whether messages have colours; `auto`: on a terminal, if NO_COLOR isn't set
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t,
          hide_default_value = true, help_heading = HEADING)]
    pub color: ColorChoice,
    /// Say errors only: no warnings, notes, summaries
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = HEADING)]
    pub quiet: bool,
    /// Say more: how long each pass took, which files were written
    #[arg(short, long, global = true, help_heading = HEADING)]
    pub verbose: bool,
}

/// Heading of these options in help texts.
pub const HEADING: &str = "Messages";

impl GeneralArgs {
    /// Lets messages be as these options say.
    pub fn apply(self, io: &mut Io<'_>) {
        match self.color {
            ColorChoice::Auto => {}
            ColorChoice::Always => io.terminal.colour = true,
            ColorChoice::Never => io.terminal.colour = false,
        }
        io.terminal.verbosity = match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        };
    }
}

/// A command line with the general options in front of the command moved after it, where clap takes
/// them: `aiec -q sim design.mlir`.
pub fn command_first(args: &[OsString], is_command: impl Fn(&str) -> bool) -> Vec<OsString> {
    let mut before = 0;
    while let Some(word) = args.get(before).and_then(|arg| arg.to_str()) {
        before += match word {
            "-q" | "-v" | "--quiet" | "--verbose" => 1,
            "--color" => 2,
            _ if word.starts_with("--color=") => 1,
            _ => break,
        };
    }
    let mut args = args.to_vec();
    let command = args.get(before).and_then(|arg| arg.to_str());
    if before > 0 && command.is_some_and(is_command) {
        args[..=before].rotate_right(1);
    }
    args
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn general_options_go_behind_the_command() {
        let reordered = |line: &str| {
            let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let args = command_first(&args, |word| word == "sim");
            let words: Vec<&str> = args.iter().filter_map(|arg| arg.to_str()).collect();
            words.join(" ")
        };
        assert_eq!(reordered("-q sim d.mlir"), "sim -q d.mlir");
        assert_eq!(
            reordered("--color always -v sim d.mlir"),
            "sim --color always -v d.mlir"
        );
        assert_eq!(reordered("-q d.mlir"), "-q d.mlir");
        assert_eq!(reordered("sim -q d.mlir"), "sim -q d.mlir");
        assert_eq!(reordered("-q"), "-q");
    }
}
