//! Translates the regexes of check files (POSIX extended syntax, as LLVM's engine reads it: no
//! `\d`, no look-around, `.` and negated brackets never match a line end) to the syntax of the
//! `regex` crates.

/// Kind of the previous element, to find misplaced operators.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    /// Nothing yet, or just after `(` or `|`.
    Nothing,
    /// Something that can be repeated.
    Atom,
    /// `*`, `+`, `?` or `{n,m}`.
    Repetition,
}

/// The translated regex, without capture groups.
pub(super) fn translate(posix: &str) -> Result<String, String> {
    let mut out = String::with_capacity(posix.len() + 8);
    let mut rest = posix;
    let mut last = Last::Nothing;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        last = match c {
            '\\' => {
                let escaped = rest.chars().next().ok_or("trailing backslash in regex")?;
                if escaped.is_ascii_alphanumeric() {
                    return Err(format!("'\\{escaped}' is not known in FileCheck's regexes"));
                }
                rest = &rest[escaped.len_utf8()..];
                out.push_str(&fancy_regex::escape(escaped.encode_utf8(&mut [0; 4])));
                Last::Atom
            }
            '[' => {
                rest = bracket(rest, &mut out)?;
                Last::Atom
            }
            '(' => {
                out.push_str("(?:");
                Last::Nothing
            }
            '*' | '+' | '?' => {
                operand(last, c)?;
                out.push(c);
                Last::Repetition
            }
            '{' if rest.starts_with(|c: char| c.is_ascii_digit()) => {
                operand(last, c)?;
                let (bound, after) = rest.split_once('}').ok_or("unbalanced '{' in regex")?;
                out.push_str(&format!("{{{bound}}}"));
                rest = after;
                Last::Repetition
            }
            '{' | '}' => {
                out.push_str(if c == '{' { "\\{" } else { "\\}" });
                Last::Atom
            }
            '|' if last == Last::Nothing || rest.is_empty() || rest.starts_with(['|', ')']) => {
                return Err("empty branch of '|' in regex".into());
            }
            '|' => {
                out.push('|');
                Last::Nothing
            }
            _ => {
                out.push(c);
                Last::Atom
            }
        };
    }
    Ok(out)
}

fn operand(last: Last, operator: char) -> Result<(), String> {
    match last {
        Last::Atom => Ok(()),
        _ => Err(format!("'{operator}' in regex repeats nothing")),
    }
}

/// Translates a bracket expression; `rest` starts after the `[`. Returns what follows the `]`.
fn bracket<'a>(mut rest: &'a str, out: &mut String) -> Result<&'a str, String> {
    out.push('[');
    let negated = rest.starts_with('^');
    if negated {
        rest = &rest[1..];
        out.push_str("^\\n");
    }
    let mut first = true;
    loop {
        let c = rest.chars().next().ok_or("unbalanced '[' in regex")?;
        if let Some(after) = rest.strip_prefix("[:") {
            let (class, after) = after.split_once(":]").ok_or("unbalanced '[:' in regex")?;
            out.push_str(&format!("[:{class}:]"));
            rest = after;
        } else if rest.starts_with("[.") || rest.starts_with("[=") {
            return Err("collating elements in regex brackets are not supported".into());
        } else if c == ']' && !first {
            out.push(']');
            return Ok(&rest[1..]);
        } else {
            rest = &rest[c.len_utf8()..];
            let literal_dash = first || rest.starts_with(']');
            match c {
                '-' if !literal_dash => out.push('-'),
                '[' | ']' | '\\' | '&' | '~' | '^' | '-' => {
                    out.push('\\');
                    out.push(c);
                }
                _ => out.push(c),
            }
        }
        first = false;
    }
}
