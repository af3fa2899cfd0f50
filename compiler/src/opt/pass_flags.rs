//! The passes named on the command line of `aiec opt`, in the order in which they were given:
//! `--PASS`, `--PASS=options`, `--pass-pipeline=builtin.module(…)`.
//!
//! Options of a pass are written as in MLIR's tools: `--PASS="name=value other-name=value"`; a
//! name without a value is true. In a pipeline they are in braces after the name.

use aiec_diag::did_you_mean;
use aiec_passes::infra::manager::PassStep;
use aiec_passes::infra::pass::PassDef;
use aiec_passes::pipelines::{all_passes, find_pass};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

/// Name of the flag that takes a whole pipeline.
const PIPELINE: &str = "pass-pipeline";

/// The steps to run, in order.
#[derive(Clone, Default)]
pub struct PassFlags {
    /// The passes with their options.
    pub steps: Vec<PassStep>,
    /// The problem with the flags of passes; nothing, if they can run.
    pub problems: Vec<String>,
}

impl std::fmt::Debug for PassFlags {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self
            .steps
            .iter()
            .map(|step| (step.pass.name, &step.options));
        f.debug_list().entries(names).finish()
    }
}

impl Args for PassFlags {
    fn augment_args(command: Command) -> Command {
        let pipeline = Arg::new(PIPELINE)
            .long(PIPELINE)
            .value_name("PIPELINE")
            .help("Passes in MLIR's textual form, e.g. builtin.module(aie.device(a,b{x=1}))")
            .help_heading("Passes")
            .action(ArgAction::Append);
        let passes = all_passes().map(|pass| {
            Arg::new(pass.name)
                .long(pass.name)
                .value_name("OPTIONS")
                .help(pass.summary)
                .long_help(long_help(pass))
                .help_heading("Passes")
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("")
                .action(ArgAction::Append)
        });
        command.arg(pipeline).args(passes)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// Summary of a pass, and its options with their defaults.
fn long_help(pass: &PassDef) -> String {
    let mut text = pass.summary.to_string();
    for option in pass.options {
        let (name, default, summary) = (option.name, option.default, option.summary);
        let default = match default {
            "" => String::new(),
            default => format!(" [default: {default}]"),
        };
        text += &format!("\n- {name}: {summary}{default}");
    }
    text
}

impl FromArgMatches for PassFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = PassFlags::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let mut found: Vec<(usize, Result<Vec<PassStep>, String>)> = Vec::new();
        for (index, text) in given(matches, PIPELINE) {
            found.push((index, parse_pipeline(text)));
        }
        for pass in all_passes() {
            for (index, text) in given(matches, pass.name) {
                found.push((index, step(pass, text).map(|step| vec![step])));
            }
        }
        found.sort_by_key(|(index, _)| *index);
        for (_, steps) in found {
            match steps {
                Ok(steps) => self.steps.extend(steps),
                // clap would show the usage of another command with it
                Err(problem) => self.problems.push(problem),
            }
        }
        Ok(())
    }
}

/// The values given to a flag with their positions on the command line.
fn given<'a>(matches: &'a ArgMatches, name: &str) -> Vec<(usize, &'a str)> {
    let indices = matches.indices_of(name).into_iter().flatten();
    let values = matches.get_many::<String>(name).into_iter().flatten();
    indices.zip(values.map(String::as_str)).collect()
}

/// Reads the options of a pass; what is wrong with all of them is one error.
fn step(pass: &'static PassDef, options: &str) -> Result<PassStep, String> {
    let mut step = PassStep::new(pass);
    let mut problems = Vec::new();
    for option in split_options(options)? {
        let (name, value) = option.split_once('=').unwrap_or((option, "true"));
        let value = value.trim_matches(['"', '\'']);
        match check(pass, name, value) {
            Ok(()) => step = step.with(name, value),
            Err(problem) => problems.push(format!("pass '{}': {problem}", pass.name)),
        }
    }
    if problems.is_empty() {
        Ok(step)
    } else {
        Err(problems.join("\n"))
    }
}

/// Checks an option of a pass and its value.
fn check(pass: &PassDef, name: &str, value: &str) -> Result<(), String> {
    if let Some(def) = pass.options.iter().find(|def| def.name == name) {
        return def.check(value);
    }
    let names: Vec<&str> = pass.options.iter().map(|def| def.name).collect();
    let hint = match (did_you_mean(name, names.iter().copied()), names.is_empty()) {
        (Some(near), _) => format!("; did you mean '{near}'?"),
        (None, true) => "; it has none".to_string(),
        (None, false) => format!("; it has {}", names.join(", ")),
    };
    Err(format!("there is no option '{name}'{hint}"))
}

/// Splits at blanks outside of brackets and quotes.
fn split_options(text: &str) -> Result<Vec<&str>, String> {
    let mut parts = Vec::new();
    let mut depth = 0usize;
    let mut quote = None;
    let mut start = 0;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '{' | '[' | '(') => depth += 1,
            (None, '}' | ']' | ')') => depth = depth.saturating_sub(1),
            (None, ' ') if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if depth > 0 || quote.is_some() {
        return Err(format!(
            "unbalanced bracket or quote in the options '{text}'"
        ));
    }
    parts.push(&text[start..]);
    Ok(parts.into_iter().filter(|part| !part.is_empty()).collect())
}

/// Reads a pipeline. The names of the ops that MLIR anchors its nested pipelines on are read over:
/// each of our passes knows what it works on.
fn parse_pipeline(text: &str) -> Result<Vec<PassStep>, String> {
    let mut steps = Vec::new();
    let mut depth = 0usize;
    let mut rest = text.trim();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(')') {
            depth = depth
                .checked_sub(1)
                .ok_or_else(|| format!("unbalanced ')' in the pipeline '{text}'"))?;
            rest = after.trim_start();
            continue;
        }
        rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
        let end = rest.find([',', '(', ')', '{']).unwrap_or(rest.len());
        let name = rest[..end].trim();
        rest = &rest[end..];
        if let Some(after) = rest.strip_prefix('(') {
            depth += 1;
            rest = after.trim_start();
            continue;
        }
        let mut options = "";
        if rest.starts_with('{') {
            let close = closing_brace(rest)
                .ok_or_else(|| format!("unbalanced '{{' in the pipeline '{text}'"))?;
            options = &rest[1..close];
            rest = rest[close + 1..].trim_start();
        }
        if !name.is_empty() {
            steps.push(step(known(name)?, options)?);
        }
    }
    match depth {
        0 => Ok(steps),
        _ => Err(format!("unbalanced '(' in the pipeline '{text}'")),
    }
}

fn closing_brace(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn known(name: &str) -> Result<&'static PassDef, String> {
    find_pass(name).ok_or_else(|| {
        let near = did_you_mean(name, all_passes().map(|pass| pass.name));
        let hint = match near {
            Some(near) => format!("did you mean '{near}'?"),
            None => "`aiec opt --help` lists them".to_string(),
        };
        format!("there is no pass '{name}'; {hint}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_split_at_blanks_outside_of_brackets() {
        assert_eq!(
            split_options("a=1  b c=[1 2]"),
            Ok(vec!["a=1", "b", "c=[1 2]"])
        );
        assert!(split_options("a=[1").is_err());
    }

    #[test]
    fn pipelines_nest() {
        assert!(parse_pipeline("builtin.module(aie.device())").is_ok_and(|s| s.is_empty()));
        assert!(parse_pipeline("builtin.module(aie.device()").is_err());
        assert!(parse_pipeline("any(no-such-pass)").is_err());
        let Some(pass) = all_passes().next() else {
            return;
        };
        let text = format!("builtin.module({0},aie.device({0}))", pass.name);
        let steps = parse_pipeline(&text).expect("a good pipeline");
        assert_eq!(steps.len(), 2);
    }
}
