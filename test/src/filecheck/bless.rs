//! Rewrites directives from a run's output, as LLVM's `update_*_test_checks.py` do: only in files
//! that ask for it by [`NOTE`], since directives written by hand would be lost.

use super::options::{Options, is_prefix_char};

/// Mark of check files whose directives are the whole output, line by line.
pub const NOTE: &str = "NOTE: CHECK lines are written by AIEC_BLESS=1";

/// The check file with its directives in the place of the first one made of `input`: each line
/// as it is. `None` if the file doesn't ask for it, has no directive of the prefix, or is checked
/// for several prefixes at once.
pub fn bless(options: &Options, check: &str, input: &str) -> Option<String> {
    let [prefix] = &options.prefixes[..] else {
        return None;
    };
    if !check.lines().any(|line| line.trim_end().ends_with(NOTE)) {
        return None;
    }
    let first = check.lines().find_map(|line| before(prefix, line))?;
    let mut out = String::new();
    let mut written = false;
    for line in check.lines() {
        if before(prefix, line).is_none() {
            out += line;
            out.push('\n');
        } else if !std::mem::replace(&mut written, true) {
            for (n, line) in input.lines().enumerate() {
                let name = match (n, line.trim().is_empty()) {
                    (0, _) => "",
                    (_, true) => "-EMPTY",
                    (_, false) => "-NEXT",
                };
                let name = format!("{prefix}{name}:");
                let width = prefix.len() + "-NEXT:".len();
                let text = format!("{first}{name:width$} {}", escaped(line));
                out += text.trim_end();
                out.push('\n');
            }
        }
    }
    Some(out)
}

/// Text before a directive of a prefix in a line; `None` if it has none.
fn before<'l>(prefix: &str, line: &'l str) -> Option<&'l str> {
    let mut from = 0;
    while let Some(at) = line[from..].find(prefix) {
        let (start, end) = (from + at, from + at + prefix.len());
        let starts = !line[..start].ends_with(is_prefix_char);
        let name = line[end..].split_once(':').map(|(name, _)| name);
        let known = |name: &str| {
            let kinds = ["", "-NEXT", "-SAME", "-EMPTY", "-NOT", "-DAG", "-LABEL"];
            kinds.contains(&name) || name.starts_with("-COUNT-")
        };
        if starts && name.is_some_and(known) {
            return Some(&line[..start]);
        }
        from = end;
    }
    None
}

/// A line as a pattern that matches just it.
fn escaped(line: &str) -> String {
    line.replace("{{", "{{[{][{]}}").replace("[[", "{{\\[\\[}}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filecheck::{Verdict, check};

    #[test]
    fn what_was_written_passes_and_the_rest_stays() {
        let options = Options::default();
        let old = format!("// {NOTE}\n// RUN: x\n  // CHECK: old\n  // CHECK-NEXT: older\nbody\n");
        let input = "a {{b}}\n\n  c [[d]]\n";
        let new = bless(&options, &old, input).expect("blessed");
        assert_eq!(check(&options, &new, "c", input, "i"), Verdict::Pass);
        assert!(new.starts_with(&format!("// {NOTE}\n// RUN: x\n  // CHECK:      a ")));
        assert!(new.ends_with("\nbody\n") && !new.contains("old"));
        assert_eq!(bless(&options, &new, input), Some(new.clone()));
        assert!(check(&options, &new, "c", "a\n", "i") != Verdict::Pass);
    }

    #[test]
    fn files_that_do_not_ask_stay_as_they_are() {
        let options = Options::default();
        assert_eq!(bless(&options, "// CHECK: old\n", "new\n"), None);
        assert_eq!(bless(&options, &format!("// {NOTE}\n"), "new\n"), None);
    }
}
