//! The parser that pest generates judges the matcher: with debug assertions and the feature
//! `oracle`, which tests and fuzz targets have, every match is compared with its.

use pest::{Parser as _, Token as Edge};

use super::tree::{Token, Tree};
use crate::text::grammar::generated::{self, Generated};
use crate::text::grammar::{RULES, Rule};

/// The generated parser's result; `None` if the text doesn't match.
pub(super) fn matched(rule: Rule, text: &str) -> Option<Tree> {
    // Its rules are numbered in the same order, after the end of the text.
    let generated = *generated::Rule::all_rules().get(rule as usize)?;
    let pairs = Generated::parse(generated, text).ok()?;
    let mut tokens: Vec<Token> = Vec::new();
    let mut open = Vec::new();
    for edge in pairs.tokens() {
        match edge {
            Edge::Start { rule, pos } => {
                open.push(tokens.len());
                let def = (rule as usize).checked_sub(1).and_then(|n| RULES.get(n));
                tokens.push(Token {
                    rule: def.map_or(Rule::EOI, |def| def.rule),
                    start: pos.pos() as u32,
                    end: 0,
                    next: 0,
                });
            }
            Edge::End { pos, .. } => {
                let next = tokens.len() as u32;
                let token = open.pop().and_then(|at| tokens.get_mut(at))?;
                (token.end, token.next) = (pos.pos() as u32, next);
            }
        }
    }
    Some(Tree { tokens })
}
