//! The command line of FileCheck.

use std::borrow::Cow;

/// A command line that cannot be used; the text says why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageError(pub String);

/// Options of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The file with the directives.
    pub check_file: String,
    /// The file to check; `None` or `-` is standard input.
    pub input_file: Option<String>,
    /// Prefixes of directives; each must occur, unless `allow_unused_prefixes`.
    pub prefixes: Vec<String>,
    /// Prefixes that comment a line out.
    pub comment_prefixes: Vec<String>,
    /// Whether a prefix without any directive is fine.
    pub allow_unused_prefixes: bool,
    /// Whether an empty input is fine.
    pub allow_empty: bool,
    /// Whether runs of blanks are significant.
    pub strict_whitespace: bool,
    /// Whether a match must fill its line (except for blanks at its ends).
    pub match_full_lines: bool,
    /// Whether letters match regardless of case.
    pub ignore_case: bool,
    /// Whether variables without `$` are forgotten at each `LABEL`.
    pub enable_var_scope: bool,
    /// Patterns that may not occur between the matches of directives.
    pub implicit_check_not: Vec<String>,
    /// Variables given on the command line, as written after `-D`.
    pub defines: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            check_file: String::new(),
            input_file: None,
            prefixes: vec!["CHECK".into()],
            comment_prefixes: vec!["COM".into(), "RUN".into()],
            allow_unused_prefixes: false,
            allow_empty: false,
            strict_whitespace: false,
            match_full_lines: false,
            ignore_case: false,
            enable_var_scope: false,
            implicit_check_not: Vec::new(),
            defines: Vec::new(),
        }
    }
}

impl Options {
    /// Reads a command line (without the program's name).
    pub fn parse(args: &[String]) -> Result<Options, UsageError> {
        let mut options = Options::default();
        let mut prefixes = Vec::new();
        let mut files = Vec::new();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let Some(flag) = arg.strip_prefix('-').filter(|rest| !rest.is_empty()) else {
                files.push(arg.clone());
                continue;
            };
            let flag = flag.strip_prefix('-').unwrap_or(flag);
            if let Some(define) = flag.strip_prefix('D') {
                options.defines.push(define.to_string());
                continue;
            }
            let (name, attached) = match flag.split_once('=') {
                Some((name, value)) => (name, Some(value.to_string())),
                None => (flag, None),
            };
            let mut value = || {
                let given = attached.clone().or_else(|| args.next().cloned());
                given.ok_or_else(|| UsageError(format!("FileCheck: --{name} needs a value")))
            };
            match name {
                "check-prefix" | "check-prefixes" => prefixes.extend(list(&value()?)),
                "comment-prefixes" => options.comment_prefixes = list(&value()?).collect(),
                "input-file" => options.input_file = Some(value()?),
                "implicit-check-not" => options.implicit_check_not.push(value()?),
                "dump-input" | "dump-input-context" | "dump-input-filter" => drop(value()?),
                "allow-unused-prefixes" => {
                    options.allow_unused_prefixes = attached.as_deref() != Some("false");
                }
                "allow-empty" => options.allow_empty = true,
                "strict-whitespace" => options.strict_whitespace = true,
                "match-full-lines" => options.match_full_lines = true,
                "ignore-case" => options.ignore_case = true,
                "enable-var-scope" => options.enable_var_scope = true,
                "v" | "vv" | "color" => {}
                _ => return Err(UsageError(format!("FileCheck: unknown option '{arg}'"))),
            }
        }
        if !prefixes.is_empty() {
            options.prefixes = prefixes;
        }
        options.validate_prefixes()?;
        match files.as_slice() {
            [file] => options.check_file = file.clone(),
            [] => return Err(UsageError("FileCheck: no check file given".into())),
            _ => {
                return Err(UsageError(
                    "FileCheck: more than one check file given".into(),
                ));
            }
        }
        Ok(options)
    }

    fn validate_prefixes(&self) -> Result<(), UsageError> {
        let mut seen = Vec::new();
        for prefix in self.prefixes.iter().chain(&self.comment_prefixes) {
            let legal = prefix.starts_with(|c: char| c.is_ascii_alphabetic())
                && prefix.chars().all(is_prefix_char);
            if !legal {
                return Err(UsageError(format!(
                    "FileCheck: prefix '{prefix}' must start with a letter and hold only \
                     letters, digits, '-' and '_'"
                )));
            }
            if seen.contains(&prefix) {
                return Err(UsageError(format!(
                    "FileCheck: prefix '{prefix}' is given twice"
                )));
            }
            seen.push(prefix);
        }
        Ok(())
    }

    /// The text as it is matched: carriage returns before line ends dropped and, unless
    /// `strict_whitespace`, each run of blanks and tabs made one blank.
    pub(super) fn canonicalise<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let untouched = !text.contains('\r')
            && (self.strict_whitespace || !(text.contains("  ") || text.contains('\t')));
        if untouched {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\r' if chars.peek() == Some(&'\n') => {}
                ' ' | '\t' if !self.strict_whitespace => {
                    while chars.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
                    out.push(' ');
                }
                _ => out.push(c),
            }
        }
        Cow::Owned(out)
    }
}

/// Whether a character can be part of a prefix.
pub(super) fn is_prefix_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}

fn list(value: &str) -> impl Iterator<Item = String> {
    value
        .split(',')
        .map(|item| item.trim().to_string())
        .collect::<Vec<_>>()
        .into_iter()
}
