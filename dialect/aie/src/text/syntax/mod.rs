//! The grammar as data: [`matcher`] runs its rules on texts, and where one doesn't match
//! [`expect`] says where and what could stand there, and [`form`] how the operation is written.
//!
//! The rules are read from the grammar's files when they are first used, so that starting costs
//! nothing and a small design only what it contains.

mod compiled;
mod expect;
mod form;
mod matcher;
mod reader;
mod tree;

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::grammar::{Rule, TEXTS};
use compiled::{First, Node};
use reader::Reader;

pub(super) use expect::{Expectation, expectation};
pub(super) use form::form;
pub(crate) use matcher::matched;
pub(crate) use tree::{Pair, Pairs, Tree};

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

/// What the sign in front of a rule's brace says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Nothing: blanks between its parts as its user allows, and a node of its own.
    Normal,
    /// `_`: as its user, without a node.
    Silent,
    /// `@`: no blanks, a node without inner ones.
    Atomic,
    /// `$`: no blanks, a node with inner ones.
    Compound,
    /// `!`: blanks, whatever its user allows.
    Spaced,
}

/// A rule of the grammar. What it says is read and prepared on first use.
#[derive(Debug)]
struct RuleText {
    name: &'static str,
    rule: Rule,
    kind: Kind,
    text: &'static str,
    expr: OnceLock<Option<Expr>>,
    first: OnceLock<First>,
    node: OnceLock<Node>,
}

impl RuleText {
    /// What it says; `None` if it can't be read, which a test excludes.
    fn expr(&self) -> Option<&Expr> {
        let read = || Reader { rest: self.text }.choice();
        self.expr.get_or_init(read).as_ref()
    }
}

/// All rules.
#[derive(Debug)]
struct Rules {
    /// In the order of the files.
    list: Vec<RuleText>,
    by_name: FxHashMap<&'static str, usize>,
}

impl Rules {
    fn get(&self, name: &str) -> Option<&RuleText> {
        self.list.get(*self.by_name.get(name)?)
    }

    fn of(&self, rule: Rule) -> Option<&RuleText> {
        self.list.get(position(rule)?)
    }
}

/// The position of a rule in the list: the generated enumeration has them in the order of the
/// files too, after [`Rule::EOI`].
fn position(rule: Rule) -> Option<usize> {
    (rule as usize).checked_sub(Rule::EOI as usize + 1)
}

/// The rules of the grammar.
fn rules() -> &'static Rules {
    static RULES: OnceLock<Rules> = OnceLock::new();
    RULES.get_or_init(|| {
        let mut rules = Rules {
            list: Vec::with_capacity(Rule::all_rules().len()),
            by_name: FxHashMap::default(),
        };
        rules.by_name.reserve(Rule::all_rules().len());
        let mut ids = Rule::all_rules().iter();
        for text in TEXTS {
            for (name, kind, text) in reader::heads(text) {
                let Some(rule) = ids.next() else { break };
                rules.by_name.insert(name, rules.list.len());
                rules.list.push(RuleText {
                    name,
                    rule: *rule,
                    kind,
                    text,
                    expr: OnceLock::new(),
                    first: OnceLock::new(),
                    node: OnceLock::new(),
                });
            }
        }
        rules
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_are_those_of_the_generated_matcher_in_its_order() {
        assert_eq!(rules().list.len(), Rule::all_rules().len());
        for (n, text) in rules().list.iter().enumerate() {
            assert_eq!(text.name, format!("{:?}", text.rule));
            assert_eq!(position(text.rule), Some(n));
            assert!(text.expr().is_some(), "{} can't be read", text.name);
        }
    }
}
