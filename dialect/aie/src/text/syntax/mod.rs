//! The grammar as data, for messages: the generated matcher says that a text doesn't match, this
//! says where, what could stand there ([`expect`]) and how the operation is written ([`form`]).
//!
//! It is only used once something is wrong, so it is read from the grammar's text then.

mod expect;
mod form;

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::grammar::{Rule, TEXTS};

pub(super) use expect::{Expectation, expectation};
pub(super) use form::form;

/// An expression of the grammar.
#[derive(Debug)]
enum Expr {
    /// `"text"`
    Text(String),
    /// `'a'..'z'`
    Range(char, char),
    /// The name of a rule.
    Rule(String),
    /// `a ~ b`
    Seq(Vec<Expr>),
    /// `a | b`
    Choice(Vec<Expr>),
    /// `a?`
    Optional(Box<Expr>),
    /// `a*` from 0, `a+` from 1.
    Repeat(Box<Expr>, usize),
    /// `!a` and `&a`, with whether it must match.
    Ahead(Box<Expr>, bool),
}

/// What stands between the parts of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Blanks {
    /// What its user allows.
    Inherited,
    /// Nothing (`@`, `$`).
    No,
    /// Blanks (`!`).
    Yes,
}

#[derive(Debug)]
struct RuleText {
    blanks: Blanks,
    expr: Expr,
}

type Rules = FxHashMap<String, RuleText>;

/// The rules of the grammar by name.
fn rules() -> &'static Rules {
    static RULES: OnceLock<Rules> = OnceLock::new();
    RULES.get_or_init(|| {
        let mut rules = Rules::default();
        for text in TEXTS {
            let mut reader = Reader { rest: text };
            while let Some((name, rule)) = reader.rule() {
                rules.insert(name, rule);
            }
        }
        rules
    })
}

/// The name that a rule has in the grammar.
fn name_of(rule: Rule) -> String {
    format!("{rule:?}")
}

/// Reads the language of the grammar files.
struct Reader<'g> {
    rest: &'g str,
}

impl Reader<'_> {
    fn skip(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            match self.rest.strip_prefix("//") {
                Some(comment) => {
                    let end = comment.find('\n').unwrap_or(comment.len());
                    self.rest = comment.get(end..).unwrap_or("");
                }
                None => return,
            }
        }
    }

    fn eat(&mut self, sign: &str) -> bool {
        self.skip();
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn word(&mut self) -> Option<String> {
        self.skip();
        let end = self
            .rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then(|| word.to_string())
    }

    fn rule(&mut self) -> Option<(String, RuleText)> {
        let name = self.word()?;
        if !self.eat("=") {
            return None;
        }
        let mut blanks = Blanks::Inherited;
        for (sign, meaning) in [
            ("_", Blanks::Inherited),
            ("@", Blanks::No),
            ("$", Blanks::No),
            ("!", Blanks::Yes),
        ] {
            if self.eat(sign) {
                blanks = meaning;
            }
        }
        if !self.eat("{") {
            return None;
        }
        let expr = self.choice()?;
        self.eat("}").then_some((name, RuleText { blanks, expr }))
    }

    fn choice(&mut self) -> Option<Expr> {
        let mut list = vec![self.sequence()?];
        while self.eat("|") {
            list.push(self.sequence()?);
        }
        one_or(list, Expr::Choice)
    }

    fn sequence(&mut self) -> Option<Expr> {
        let mut list = vec![self.item()?];
        while self.eat("~") {
            list.push(self.item()?);
        }
        one_or(list, Expr::Seq)
    }

    fn item(&mut self) -> Option<Expr> {
        if self.eat("!") {
            return Some(Expr::Ahead(Box::new(self.item()?), false));
        }
        if self.eat("&") {
            return Some(Expr::Ahead(Box::new(self.item()?), true));
        }
        let mut expr = self.primary()?;
        loop {
            expr = if self.eat("?") {
                Expr::Optional(Box::new(expr))
            } else if self.eat("*") {
                Expr::Repeat(Box::new(expr), 0)
            } else if self.eat("+") {
                Expr::Repeat(Box::new(expr), 1)
            } else {
                return Some(expr);
            };
        }
    }

    fn primary(&mut self) -> Option<Expr> {
        if self.eat("(") {
            let expr = self.choice()?;
            return self.eat(")").then_some(expr);
        }
        if self.eat("\"") {
            let mut text = String::new();
            let mut chars = self.rest.char_indices();
            while let Some((at, c)) = chars.next() {
                match c {
                    '"' => {
                        self.rest = self.rest.get(at + 1..).unwrap_or("");
                        return Some(Expr::Text(text));
                    }
                    '\\' => match chars.next()?.1 {
                        'n' => text.push('\n'),
                        other => text.push(other),
                    },
                    other => text.push(other),
                }
            }
            return None;
        }
        if self.eat("'") {
            let low = self.rest.chars().next()?;
            self.rest = self.rest.get(low.len_utf8()..)?;
            let high = (self.eat("'") && self.eat("..") && self.eat("'"))
                .then(|| self.rest.chars().next())??;
            self.rest = self.rest.get(high.len_utf8()..)?;
            return self.eat("'").then_some(Expr::Range(low, high));
        }
        self.word().map(Expr::Rule)
    }
}

/// The only one, or all of them in one.
fn one_or(mut list: Vec<Expr>, all: fn(Vec<Expr>) -> Expr) -> Option<Expr> {
    match list.len() {
        1 => list.pop(),
        _ => Some(all(list)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_of_the_matcher_is_read_from_the_texts() {
        for rule in Rule::all_rules() {
            let name = name_of(*rule);
            assert!(
                name == "EOI" || rules().contains_key(&name),
                "{name} is missing: is its file in `TEXTS`?"
            );
        }
    }
}
