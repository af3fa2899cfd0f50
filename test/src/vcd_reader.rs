//! A reader of value change dumps that takes nothing but what IEEE 1364-2005 (clause 18) allows,
//! written apart from what writes them here. The one thing beyond the standard is what wave
//! viewers agreed on: variables of type `string`, with values `sTEXT`.

use std::collections::{BTreeMap, BTreeSet};

/// A variable as it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Scopes around it and its name, joined by dots.
    pub path: String,
    /// `wire`, `reg`, `string` …
    pub kind: String,
    /// Its bits; 1 for strings.
    pub bits: usize,
}

/// A value of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wave {
    /// Digits `0`, `1`, `x`, `z`, the highest first, as many as the variable has bits.
    Bits(String),
    /// The value of a string.
    Text(String),
}

/// Contents of a dump.
#[derive(Debug, Default)]
pub struct Dump {
    /// Number and unit of a time step, such as `1 ps`.
    pub timescale: String,
    /// The variables.
    pub variables: Vec<Variable>,
    /// Time, index of the variable, value, in order.
    pub changes: Vec<(u64, usize, Wave)>,
    /// The last time that is named.
    pub end: u64,
}

impl Dump {
    /// The index of the variable of a path.
    pub fn find(&self, path: &str) -> Option<usize> {
        self.variables.iter().position(|v| v.path == path)
    }

    /// Times and values of a variable.
    pub fn of(&self, path: &str) -> impl Iterator<Item = (u64, &Wave)> {
        let index = self.find(path);
        let changes = self.changes.iter();
        changes
            .filter(move |change| Some(change.1) == index)
            .map(|(at, _, wave)| (*at, wave))
    }
}

/// Types of variables of the standard, and the viewers' `string`.
const KINDS: [&str; 17] = [
    "event",
    "integer",
    "parameter",
    "real",
    "realtime",
    "reg",
    "supply0",
    "supply1",
    "time",
    "tri",
    "triand",
    "trior",
    "tri0",
    "tri1",
    "wand",
    "wire",
    "wor",
];
const SCOPES: [&str; 5] = ["begin", "fork", "function", "module", "task"];

/// Reads a dump.
///
/// # Errors
/// What is not as the standard says, with the number of the word.
pub fn read(text: &str) -> Result<Dump, String> {
    if !text.is_ascii() {
        return Err("characters beyond ASCII".into());
    }
    let mut reader = Reader {
        words: text.split_ascii_whitespace().enumerate(),
        at: 0,
        dump: Dump::default(),
        codes: BTreeMap::new(),
        scopes: Vec::new(),
        names: BTreeSet::new(),
    };
    reader
        .all()
        .map_err(|reason| format!("word {}: {reason}", reader.at))?;
    Ok(reader.dump)
}

struct Reader<'t> {
    words: std::iter::Enumerate<std::str::SplitAsciiWhitespace<'t>>,
    at: usize,
    dump: Dump,
    codes: BTreeMap<&'t str, usize>,
    scopes: Vec<&'t str>,
    /// Names that are taken: of scopes and variables, with those around them.
    names: BTreeSet<String>,
}

impl<'t> Reader<'t> {
    fn word(&mut self) -> Option<&'t str> {
        let (at, word) = self.words.next()?;
        self.at = at;
        Some(word)
    }

    fn all(&mut self) -> Result<(), String> {
        self.declarations()?;
        self.values()
    }

    /// The words up to `$end`.
    fn section(&mut self) -> Result<Vec<&'t str>, String> {
        let mut words = Vec::new();
        loop {
            match self.word() {
                Some("$end") => return Ok(words),
                Some(word) => words.push(word),
                None => return Err("a section without $end".into()),
            }
        }
    }

    fn declarations(&mut self) -> Result<(), String> {
        loop {
            let keyword = self.word().ok_or("no $enddefinitions")?;
            let section = self.section()?;
            match (keyword, &section[..]) {
                ("$comment" | "$date" | "$version", _) => {}
                ("$timescale", words) => self.timescale(&words.join(" "))?,
                ("$scope", [kind, name]) => self.scope(kind, name)?,
                ("$upscope", []) => {
                    self.scopes.pop().ok_or("$upscope outside of all scopes")?;
                }
                ("$var", [kind, bits, code, name]) => self.variable(kind, bits, code, name)?,
                ("$enddefinitions", []) => break,
                _ => return Err(format!("{keyword} with {section:?}")),
            }
        }
        if self.scopes.is_empty() {
            Ok(())
        } else {
            Err("a scope is open at $enddefinitions".into())
        }
    }

    fn timescale(&mut self, text: &str) -> Result<(), String> {
        let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
        let unit = text[digits.len()..].trim();
        let good = ["1", "10", "100"].contains(&digits)
            && ["s", "ms", "us", "ns", "ps", "fs"].contains(&unit);
        if !good || !self.dump.timescale.is_empty() {
            return Err(format!("timescale {text}"));
        }
        self.dump.timescale = format!("{digits} {unit}");
        Ok(())
    }

    fn scope(&mut self, kind: &str, name: &'t str) -> Result<(), String> {
        if !SCOPES.contains(&kind) {
            return Err(format!("a scope of type {kind}"));
        }
        self.take_name(name)?;
        self.scopes.push(name);
        Ok(())
    }

    /// A simple identifier that nothing else in its scope has.
    fn take_name(&mut self, name: &str) -> Result<String, String> {
        let first = name.chars().next().unwrap_or('0');
        let simple = name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$');
        if !simple || !(first.is_ascii_alphabetic() || first == '_') {
            return Err(format!("`{name}` isn't an identifier"));
        }
        let path = self
            .scopes
            .iter()
            .map(|scope| format!("{scope}."))
            .collect::<String>()
            + name;
        if self.names.insert(path.clone()) {
            Ok(path)
        } else {
            Err(format!("`{path}` is declared twice"))
        }
    }

    fn variable(
        &mut self,
        kind: &str,
        bits: &str,
        code: &'t str,
        name: &str,
    ) -> Result<(), String> {
        if !KINDS.contains(&kind) && kind != "string" {
            return Err(format!("a variable of type {kind}"));
        }
        let bits = bits.parse().ok().filter(|bits| *bits > 0);
        let bits: usize = bits.ok_or("a variable without bits")?;
        if !code.bytes().all(|c| (b'!'..=b'~').contains(&c)) {
            return Err(format!("the identifier code {code}"));
        }
        if self.scopes.is_empty() {
            return Err(format!("`{name}` is outside of all scopes"));
        }
        let path = self.take_name(name)?;
        let index = self.dump.variables.len();
        if self.codes.insert(code, index).is_some() {
            return Err(format!("the identifier code {code} is used twice"));
        }
        self.dump.variables.push(Variable {
            path,
            kind: kind.to_string(),
            bits,
        });
        Ok(())
    }

    fn values(&mut self) -> Result<(), String> {
        let mut now: Option<u64> = None;
        let mut initial = BTreeSet::new();
        let mut dumping = false;
        while let Some(word) = self.word() {
            if let Some(time) = word.strip_prefix('#') {
                let time: u64 = time.parse().map_err(|_| format!("the time {word}"))?;
                if now.is_some_and(|now| now >= time) {
                    return Err(format!("time {time} comes after {now:?}"));
                }
                now = Some(time);
                continue;
            }
            match word {
                "$comment" => drop(self.section()?),
                "$dumpvars" if !dumping => dumping = true,
                "$end" if dumping => dumping = false,
                _ => {
                    let at = now.ok_or("a value before the first time")?;
                    let (index, wave) = self.value(word)?;
                    if dumping {
                        initial.insert(index);
                    }
                    self.dump.changes.push((at, index, wave));
                }
            }
        }
        if dumping {
            return Err("$dumpvars without $end".into());
        }
        if let Some(missing) = (0..self.dump.variables.len()).find(|i| !initial.contains(i)) {
            let path = &self.dump.variables[missing].path;
            return Err(format!("$dumpvars leaves out `{path}`"));
        }
        self.dump.end = now.unwrap_or(0);
        Ok(())
    }

    /// A change: its variable and its value, filled up as the standard says.
    fn value(&mut self, word: &'t str) -> Result<(usize, Wave), String> {
        let (sort, rest) = word.split_at(1);
        let (digits, code) = match sort {
            "0" | "1" | "x" | "X" | "z" | "Z" => (sort, rest),
            "b" | "B" | "s" => (rest, self.word().ok_or("a vector without its variable")?),
            _ => return Err(format!("`{word}` isn't a value")),
        };
        let index = *self.codes.get(code).ok_or(format!("unknown code {code}"))?;
        let Variable { path, kind, bits } = &self.dump.variables[index];
        if (sort == "s") != (kind == "string") {
            return Err(format!("`{word}` for `{path}` of type {kind}"));
        }
        if sort == "s" {
            return Ok((index, Wave::Text(digits.to_string())));
        }
        let digits = digits.to_ascii_lowercase();
        let known = !digits.is_empty() && digits.chars().all(|c| "01xz".contains(c));
        let fits = match sort {
            "b" | "B" => digits.len() <= *bits,
            _ => *bits == 1,
        };
        if !known || !fits {
            return Err(format!("`{word}` for `{path}` of {bits} bits"));
        }
        let fill = match digits.chars().next() {
            Some('1') | None => '0',
            Some(first) => first,
        };
        let left = (digits.len()..*bits).map(|_| fill);
        Ok((index, Wave::Bits(left.chain(digits.chars()).collect())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "$timescale 1ps $end $scope module m $end $var wire 1 ! a $end \
                        $var reg 4 \" b $end $upscope $end $enddefinitions $end ";

    #[test]
    fn vectors_are_filled_up() {
        let dump = read(&format!("{HEAD} #0 $dumpvars 0! bx \" $end #5 b10 \" 1!")).unwrap();
        assert_eq!(dump.timescale, "1 ps");
        let values: Vec<_> = dump.of("m.b").collect();
        let bits = |text: &str| Wave::Bits(text.into());
        assert_eq!(values, [(0, &bits("xxxx")), (5, &bits("0010"))]);
        assert_eq!(dump.end, 5);
    }

    #[test]
    fn what_the_standard_forbids_is_found() {
        for (body, reason) in [
            ("#0 $dumpvars 0! $end", "leaves out `m.b`"),
            ("#0 $dumpvars 0! b0 \" $end #0 1!", "comes after"),
            ("#0 $dumpvars 0! b0 \" $end #1 b00000 \"", "of 4 bits"),
            ("#0 $dumpvars 0! 1\" $end", "of 4 bits"),
            ("#0 $dumpvars 0! b0 \" $end #1 1?", "unknown code"),
            ("0!", "before the first time"),
            ("#0 $dumpvars 0! b0 \" $end #1 2!", "isn't a value"),
        ] {
            let found = read(&format!("{HEAD}{body}")).unwrap_err();
            assert!(found.contains(reason), "{body}: {found}");
        }
        for (head, reason) in [
            ("$scope module 0m $end", "isn't an identifier"),
            ("$timescale 3 ps $end", "timescale"),
            ("$scope module m $end $enddefinitions $end", "is open"),
            ("$var wire 1 ! a $end", "outside of all scopes"),
            (
                "$scope module m $end $var wire 1 ! a $end $var wire 1 # a $end",
                "twice",
            ),
        ] {
            let found = read(head).unwrap_err();
            assert!(found.contains(reason), "{head}: {found}");
        }
    }
}
