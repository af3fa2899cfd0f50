//! `aiec explain`: what a diagnostic code means.

pub mod code_tables;
pub mod examples;

use aiec_diag::{Code, did_you_mean};
use serde_json::{Value, json};

use crate::args::{ExplainArgs, OutputFormat};
use examples::Case;

/// The text to print, or the message for an unknown code.
pub fn run(args: &ExplainArgs) -> Result<String, String> {
    let mut codes: Vec<&Code> = match &args.code {
        None => code_tables::all().collect(),
        Some(wanted) => {
            let found = code_tables::all().find(|code| code.id == wanted);
            vec![found.ok_or_else(|| unknown(wanted))?]
        }
    };
    codes.sort_unstable_by_key(|code| code.id);
    let one = args.code.as_ref().and(codes.first());
    Ok(match (args.format, one) {
        (OutputFormat::Json, _) => {
            let codes: Vec<Value> = codes.into_iter().map(code_json).collect();
            format!("{:#}\n", json!({ "codes": codes }))
        }
        (OutputFormat::Text, Some(code)) => {
            format!("{}\n\n{}\n", code.id, wrap(code.explanation)) + &example(code.id)
        }
        (OutputFormat::Text, None) => codes.iter().map(|code| format!("{}\n", code.id)).collect(),
    })
}

/// The message for a code that doesn't exist.
fn unknown(wanted: &str) -> String {
    let hint = match nearest(wanted) {
        Some(near) => format!("did you mean '{near}'?"),
        None => "`aiec explain` lists all codes".to_string(),
    };
    format!("there is no diagnostic code '{wanted}'; {hint}")
}

fn code_json(code: &Code) -> Value {
    let case = |case: &Case| json!({ "command": case.command, "text": case.text });
    let example = examples::of(code.id).map(|example| {
        json!({
            "not_run": example.not_run,
            "wrong": case(&example.wrong),
            "right": case(&example.right),
        })
    });
    json!({ "code": code.id, "explanation": code.explanation, "example": example })
}

/// The code that a wrong one probably means; where it names the group or the kind alone, the first one of these.
fn nearest(wanted: &str) -> Option<&'static str> {
    let ids = || code_tables::all().map(|code| code.id);
    let lower = wanted.to_lowercase();
    let of_part = |id: &&str| id.split("::").any(|part| part == lower);
    did_you_mean(wanted, ids()).or_else(|| ids().find(of_part))
}

/// Text of a code's example, if there is one.
fn example(code: &str) -> String {
    let found = examples::of(code);
    found.map_or(String::new(), |example| {
        if let Some(reason) = example.not_run {
            let (wrong, right) = (example.wrong.text, example.right.text);
            let (wrong, right) = (indented(wrong), indented(right));
            return format!("\nIn words, as {reason}.\n\nWrong:\n\n{wrong}\nRight:\n\n{right}");
        }
        let wrong = shown(&example.wrong);
        if example.wrong.text == example.right.text {
            let command = command(&example.right);
            return format!("\nWrong, {wrong}\nRight, with `aiec {command}` and the same text.\n");
        }
        format!("\nWrong, {wrong}\nRight, {}", shown(&example.right))
    })
}

fn shown(case: &Case) -> String {
    let command = command(case);
    format!("with `aiec {command}`:\n\n{}", indented(case.text))
}

fn command(case: &Case) -> String {
    let file = format!("code.{}", case.ending());
    case.command.replace("%s", &file).replace("%t", "out")
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}

/// Columns at which explanations wrap.
const WIDTH: usize = 80;

fn wrap(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines.join("\n")
}
