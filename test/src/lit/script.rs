//! Reads the script of a test file: its `RUN:` lines and conditions.

use std::path::Path;

/// The script of a test file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// Commands with their 1-based line numbers, continuation lines joined.
    pub runs: Vec<(usize, String)>,
    /// Conditions that must all hold for the test to run.
    pub requires: Vec<String>,
    /// Conditions none of which may hold.
    pub unsupported: Vec<String>,
    /// Conditions under which the test is expected to fail.
    pub xfail: Vec<String>,
}

/// A script that cannot be used; the text says why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptError(pub String);

const KEYWORDS: [&str; 4] = ["RUN:", "REQUIRES:", "UNSUPPORTED:", "XFAIL:"];

impl Script {
    /// Reads the script of a file's text.
    pub fn parse(text: &str) -> Result<Script, ScriptError> {
        let mut script = Script::default();
        let mut continued: Option<(usize, String)> = None;
        for (index, line) in text.lines().enumerate() {
            let found = KEYWORDS
                .iter()
                .filter_map(|key| line.find(key).map(|at| (at, *key)))
                .min();
            let Some((at, key)) = found else { continue };
            let value = line[at + key.len()..].trim();
            if key != "RUN:" {
                let conditions = value.split(',').map(|c| c.trim().to_string());
                match key {
                    "REQUIRES:" => script.requires.extend(conditions),
                    "UNSUPPORTED:" => script.unsupported.extend(conditions),
                    _ => script.xfail.extend(conditions),
                }
                continue;
            }
            let (number, mut command) = continued
                .take()
                .unwrap_or_else(|| (index + 1, String::new()));
            match value.strip_suffix('\\') {
                Some(part) => {
                    command.push_str(part);
                    continued = Some((number, command));
                }
                None => {
                    command.push_str(value);
                    script.runs.push((number, command));
                }
            }
        }
        match continued {
            Some((number, _)) => Err(ScriptError(format!(
                "line {number}: the last RUN line ends with '\\'"
            ))),
            None => Ok(script),
        }
    }
}

/// The values of the substitutions of one test.
#[derive(Clone, Debug)]
pub struct Substitutions {
    pairs: Vec<(&'static str, String)>,
}

impl Substitutions {
    /// The substitutions for a test file; `temporary` is its own folder for temporary files.
    pub fn new(file: &Path, temporary: &Path, root: &Path) -> Substitutions {
        let folder = file.parent().unwrap_or(Path::new("."));
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let text = |path: &Path| path.display().to_string();
        let pairs = vec![
            ("%%", "%".to_string()),
            ("%{root}", text(root)),
            ("%s", text(file)),
            ("%S", text(folder)),
            ("%p", text(folder)),
            ("%t", text(&temporary.join(format!("{name}.tmp")))),
            ("%T", text(temporary)),
        ];
        Substitutions { pairs }
    }

    /// The text with each `%…` replaced, from left to right, once.
    pub fn apply(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('%') {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            match self.pairs.iter().find(|(key, _)| rest.starts_with(key)) {
                Some((key, value)) => {
                    out.push_str(value);
                    rest = &rest[key.len()..];
                }
                None => {
                    out.push('%');
                    rest = &rest[1..];
                }
            }
        }
        out + rest
    }
}

/// Evaluates a condition: feature names with `!`, `&&`, `||` and parentheses; `*` and `true`
/// always hold.
pub fn holds(condition: &str, features: &[&str]) -> Result<bool, ScriptError> {
    let mut parser = Condition {
        rest: condition.trim(),
        features,
    };
    let value = parser.any()?;
    match parser.rest {
        "" => Ok(value),
        rest => Err(ScriptError(format!(
            "unexpected '{rest}' in the condition '{condition}'"
        ))),
    }
}

struct Condition<'a> {
    rest: &'a str,
    features: &'a [&'a str],
}

impl Condition<'_> {
    fn eat(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token).map(str::trim_start);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn any(&mut self) -> Result<bool, ScriptError> {
        let mut value = self.all()?;
        while self.eat("||") {
            value |= self.all()?;
        }
        Ok(value)
    }

    fn all(&mut self) -> Result<bool, ScriptError> {
        let mut value = self.one()?;
        while self.eat("&&") {
            value &= self.one()?;
        }
        Ok(value)
    }

    fn one(&mut self) -> Result<bool, ScriptError> {
        if self.eat("!") {
            return self.one().map(|value| !value);
        }
        if self.eat("(") {
            let value = self.any()?;
            return if self.eat(")") {
                Ok(value)
            } else {
                Err(ScriptError("missing ')' in a condition".into()))
            };
        }
        if self.eat("*") {
            return Ok(true);
        }
        let end = self
            .rest
            .find(|c: char| !(c.is_alphanumeric() || "-_=.+".contains(c)));
        let (name, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        if name.is_empty() {
            return Err(ScriptError(
                "a feature name is missing in a condition".into(),
            ));
        }
        self.rest = rest.trim_start();
        Ok(name == "true" || self.features.contains(&name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_continue_and_keep_their_number() {
        let script = Script::parse("x\n// RUN: a \\\n// RUN:   b\n# RUN: c\n").expect("a script");
        assert_eq!(script.runs, [(2, "a b".to_string()), (4, "c".to_string())]);
        assert!(Script::parse("RUN: a \\").is_err());
    }

    #[test]
    fn substitutions_are_made_once_from_left_to_right() {
        let substitutions = Substitutions::new(
            Path::new("/r/test/x/a.mlir"),
            Path::new("/tmp/x/a.mlir.dir"),
            Path::new("/r"),
        );
        assert_eq!(
            substitutions.apply("%s %S %p %t %t.2 %T %{root}/e %%s 5% %x"),
            "/r/test/x/a.mlir /r/test/x /r/test/x /tmp/x/a.mlir.dir/a.mlir.tmp \
             /tmp/x/a.mlir.dir/a.mlir.tmp.2 /tmp/x/a.mlir.dir /r/e %s 5% %x"
        );
    }

    #[test]
    fn conditions() {
        let features = ["mlir", "release"];
        for (condition, expected) in [
            ("mlir", true),
            ("other", false),
            ("!other", true),
            ("*", true),
            ("mlir && other", false),
            ("mlir && (other || release)", true),
            ("other || !mlir", false),
        ] {
            assert_eq!(holds(condition, &features), Ok(expected), "{condition}");
        }
        assert!(holds("mlir &&", &features).is_err());
        assert!(holds("(mlir", &features).is_err());
    }
}
