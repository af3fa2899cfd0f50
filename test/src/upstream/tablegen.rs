//! As much of TableGen's language as declarations of dialects are written in: records with the
//! arguments of their classes, and the values that a body sets. Nothing is evaluated but the
//! parameters of classes.

use std::collections::BTreeMap;

/// A word of a TableGen file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// An identifier or a number.
    Word(String),
    /// A string without its quotes.
    Text(String),
    /// `$name`, without the dollar sign.
    Name(String),
    /// A sign, one character.
    Sign(char),
}

/// A class with its arguments.
#[derive(Clone, Debug, Default)]
pub struct Parent {
    /// Name of the class.
    pub class: String,
    /// Words of each argument.
    pub arguments: Vec<Vec<Token>>,
}

/// A `def` or `class`.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Names of the parameters, of classes.
    pub parameters: Vec<String>,
    /// The classes that it derives from.
    pub parents: Vec<Parent>,
    /// Values that `let` sets in its body.
    pub fields: BTreeMap<String, Vec<Token>>,
}

/// The records of some files.
#[derive(Debug, Default)]
pub struct Records {
    /// By name.
    pub defs: BTreeMap<String, Record>,
    /// By name.
    pub classes: BTreeMap<String, Record>,
}

/// Splits a text into words; comments are left out, and code in `[{ }]` is an empty text.
fn words(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let skip = |text: &str, end: &str| match text.find(end) {
            Some(at) => at + end.len(),
            None => text.len(),
        };
        let taken = if rest.starts_with("//") || is_directive(rest) {
            skip(rest, "\n")
        } else if rest.starts_with("/*") {
            skip(rest, "*/")
        } else if rest.starts_with("[{") {
            tokens.push(Token::Text(String::new()));
            skip(rest, "}]")
        } else if first == '"' {
            let mut end = 1;
            let bytes = rest.as_bytes();
            while end < bytes.len() && bytes[end] != b'"' {
                end += if bytes[end] == b'\\' { 2 } else { 1 };
            }
            let end = end.min(bytes.len());
            tokens.push(Token::Text(
                rest.get(1..end).unwrap_or_default().to_string(),
            ));
            (end + 1).min(bytes.len())
        } else if first == '$' {
            let name = rest[1..]
                .find(|c| !is_name(c))
                .map_or(rest.len(), |n| n + 1);
            tokens.push(Token::Name(rest[1..name].to_string()));
            name
        } else if is_name(first) {
            let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            tokens.push(Token::Word(rest[..end].to_string()));
            end
        } else {
            if !first.is_whitespace() {
                tokens.push(Token::Sign(first));
            }
            first.len_utf8()
        };
        rest = rest.get(taken..).unwrap_or_default();
    }
    tokens
}

/// Whether a line of the preprocessor comes next: elsewhere `#` joins texts.
fn is_directive(rest: &str) -> bool {
    let directives = ["#ifdef", "#ifndef", "#define", "#endif", "#else"];
    directives.iter().any(|word| rest.starts_with(word))
}

struct Cursor<'t> {
    tokens: &'t [Token],
    at: usize,
}

impl Cursor<'_> {
    fn word(&self) -> Option<&str> {
        match self.tokens.get(self.at) {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    fn is(&self, sign: char) -> bool {
        self.tokens.get(self.at) == Some(&Token::Sign(sign))
    }

    fn take(&mut self, sign: char) -> bool {
        let found = self.is(sign);
        self.at += usize::from(found);
        found
    }

    /// Words up to a sign of `ends` outside all brackets.
    fn until(&mut self, ends: &[char]) -> Vec<Token> {
        let mut depth = 0usize;
        let start = self.at;
        while let Some(token) = self.tokens.get(self.at) {
            if let Token::Sign(sign) = token {
                if depth == 0 && ends.contains(sign) {
                    break;
                }
                match sign {
                    '<' | '(' | '[' | '{' => depth += 1,
                    '>' | ')' | ']' | '}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
            self.at += 1;
        }
        self.tokens[start..self.at].to_vec()
    }

    /// Arguments in angle brackets; none without brackets.
    fn angles(&mut self) -> Vec<Vec<Token>> {
        let mut all = Vec::new();
        if !self.take('<') {
            return all;
        }
        while self.at < self.tokens.len() {
            all.push(self.until(&[',', '>']));
            if !self.take(',') {
                self.take('>');
                break;
            }
        }
        all
    }

    fn record(&mut self, is_class: bool) -> Option<(String, Record)> {
        let name = self.word()?.to_string();
        self.at += 1;
        let mut record = Record::default();
        if is_class {
            let parameters = self.angles().into_iter();
            // `type name = default`
            let name = |words: Vec<Token>| {
                let end = words.iter().position(|token| *token == Token::Sign('='));
                match words[..end.unwrap_or(words.len())].last() {
                    Some(Token::Word(name)) => name.clone(),
                    _ => String::new(),
                }
            };
            record.parameters = parameters.map(name).collect();
        }
        if self.take(':') {
            while let Some(class) = self.word().map(str::to_string) {
                self.at += 1;
                let arguments = self.angles();
                record.parents.push(Parent { class, arguments });
                if !self.take(',') {
                    break;
                }
            }
        }
        if self.take('{') {
            while self.at < self.tokens.len() && !self.take('}') {
                if self.word() == Some("let") {
                    self.at += 1;
                    let field = self.word().unwrap_or_default().to_string();
                    self.at += 1;
                    if self.take('=') {
                        let value = self.until(&[';', '}']);
                        record.fields.insert(field, value);
                    }
                } else {
                    self.until(&[';', '}']);
                }
                self.take(';');
            }
        }
        Some((name, record))
    }
}

impl Records {
    /// Adds the records of a file.
    pub fn read(&mut self, text: &str) {
        let tokens = words(text);
        let mut cursor = Cursor {
            tokens: &tokens,
            at: 0,
        };
        while cursor.at < tokens.len() {
            let kind = cursor.word().map(str::to_string);
            cursor.at += 1;
            match kind.as_deref() {
                Some("def") => self.defs.extend(cursor.record(false)),
                Some("class") => self.classes.extend(cursor.record(true)),
                _ => {}
            }
        }
    }

    /// The arguments that a record gives to a class, through the classes between them.
    pub fn arguments(&self, record: &Record, class: &str) -> Option<Vec<Vec<Token>>> {
        // As deep as classes derive from one another; a circle ends here too.
        const MAX_DEPTH: usize = 16;
        let mut parents = record.parents.clone();
        for _ in 0..MAX_DEPTH {
            if let Some(found) = parents.iter().find(|parent| parent.class == class) {
                return Some(found.arguments.clone());
            }
            let derived = parents.iter().flat_map(|parent| {
                let class = self.classes.get(&parent.class);
                let filled = |of: &Parent| {
                    let class = class.map_or(&[][..], |class| &class.parameters);
                    let put = |words: &Vec<Token>| put_arguments(words, class, &parent.arguments);
                    Parent {
                        class: of.class.clone(),
                        arguments: of.arguments.iter().map(put).collect(),
                    }
                };
                let parents = class.map_or(&[][..], |class| &class.parents);
                parents.iter().map(filled).collect::<Vec<_>>()
            });
            parents = derived.collect();
        }
        None
    }
}

/// Words with the names of parameters replaced by what is given for them.
fn put_arguments(words: &[Token], parameters: &[String], given: &[Vec<Token>]) -> Vec<Token> {
    let mut all = Vec::with_capacity(words.len());
    for token in words {
        let named = match token {
            Token::Word(word) => parameters.iter().position(|name| name == word),
            _ => None,
        };
        match named.and_then(|at| given.get(at)) {
            Some(argument) => all.extend(argument.iter().cloned()),
            None => all.push(token.clone()),
        }
    }
    all
}

/// The text that words are: texts side by side, or joined by `#`, are one.
pub fn text(words: &[Token]) -> Option<String> {
    let mut all = String::new();
    for token in words {
        match token {
            Token::Text(text) => all += text,
            Token::Sign('#') => {}
            _ => return None,
        }
    }
    (!all.is_empty()).then_some(all)
}
