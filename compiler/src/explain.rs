//! `aiec explain`: what a diagnostic code means.

use aiec_dialect::diag::did_you_mean;

use crate::args::ExplainArgs;
use crate::codes;

/// The text to print, or the message for an unknown code.
pub fn run(args: &ExplainArgs) -> Result<String, String> {
    let Some(wanted) = &args.code else {
        let mut ids: Vec<&str> = codes::all().map(|code| code.id).collect();
        ids.sort_unstable();
        return Ok(ids.join("\n") + "\n");
    };
    match codes::all().find(|code| code.id == wanted) {
        Some(code) => Ok(format!("{}\n\n{}\n", code.id, wrap(code.explanation))),
        None => {
            let ids = codes::all().map(|code| code.id);
            let hint = match did_you_mean(wanted, ids) {
                Some(near) => format!("did you mean '{near}'?"),
                None => "`aiec explain` lists all codes".to_string(),
            };
            Err(format!("there is no diagnostic code '{wanted}'; {hint}"))
        }
    }
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
