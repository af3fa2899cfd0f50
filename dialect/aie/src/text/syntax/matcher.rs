//! Runs a rule on a text: the same nodes as the generated matcher's, in about a tenth of the time.
//!
//! The generated matcher is the authority: what doesn't match here goes through it, which says
//! the error, and builds with debug assertions hold every match against its own.

use std::rc::Rc;

use pest::Parser as _;
use pest::error::Error;

use super::compiled::{Node, can_start};
use super::tree::Token;
use super::{Kind, Pair, Rules, Tree, rules};
use crate::text::grammar::{Grammar, Rule};

/// How deep rules may call each other; what nests deeper goes through the generated matcher, which
/// bounds it by the stack.
const MAX_DEPTH: usize = 200;

/// Matches a rule at the start of a text. `spare` is a list of nodes that is used again if nobody
/// else holds it.
pub(crate) fn matched<'s>(
    rule: Rule,
    text: &'s str,
    spare: &mut Rc<Tree>,
) -> Result<Option<Pair<'s>>, Box<Error<Rule>>> {
    if Rc::get_mut(spare).is_none() {
        *spare = Rc::new(Tree::with_room());
    }
    if let Some(tree) = Rc::get_mut(spare) {
        tree.tokens.clear();
        let mut matcher = Matcher {
            rules: rules(),
            text: text.as_bytes(),
            tokens: &mut tree.tokens,
            depth: 0,
            too_deep: false,
        };
        let end = super::position(rule).and_then(|at| matcher.rule(at, 0, Mode::OUTSIDE));
        if end.is_none() || matcher.too_deep {
            *tree = Tree::of(Grammar::parse(rule, text).map_err(Box::new)?);
        } else {
            debug_assert!(agrees(rule, text, tree), "{rule:?} on {text:.80}");
        }
    }
    Ok(Pair::outermost(spare.clone(), text))
}

/// Whether the generated matcher finds the same.
fn agrees(rule: Rule, text: &str, tree: &Tree) -> bool {
    Grammar::parse(rule, text).is_ok_and(|pairs| Tree::of(pairs) == *tree)
}

/// What surrounds a place in the grammar.
#[derive(Clone, Copy)]
struct Mode {
    /// Blanks may stand between parts.
    blanks: bool,
    /// Rules make nodes.
    nodes: bool,
    /// Nothing makes nodes: only a look ahead.
    ahead: bool,
}

impl Mode {
    const OUTSIDE: Mode = Mode {
        blanks: true,
        nodes: true,
        ahead: false,
    };
}

struct Matcher<'a> {
    rules: &'static Rules,
    text: &'a [u8],
    tokens: &'a mut Vec<Token>,
    depth: usize,
    /// Whether anything was given up for its depth: then no answer counts.
    too_deep: bool,
}

impl Matcher<'_> {
    fn peek(&self, at: usize) -> Option<u8> {
        self.text.get(at).copied()
    }

    /// Matches a rule at a byte offset; answers where it ends.
    fn rule(&mut self, id: usize, at: usize, mode: Mode) -> Option<usize> {
        let rules = self.rules;
        let rule = rules.list.get(id)?;
        let (inside, node) = match rule.kind {
            Kind::Normal => (mode, mode.nodes),
            Kind::Silent => (mode, false),
            Kind::Atomic => {
                let inside = Mode {
                    blanks: false,
                    nodes: false,
                    ..mode
                };
                (inside, mode.nodes)
            }
            Kind::Compound | Kind::Spaced => {
                let inside = Mode {
                    blanks: rule.kind == Kind::Spaced,
                    nodes: true,
                    ..mode
                };
                (inside, true)
            }
        };
        if self.too_deep || self.depth >= MAX_DEPTH {
            self.too_deep = true;
            return None;
        }
        self.depth += 1;
        let expr = rule.node(rules);
        let end = if node && !mode.ahead {
            let number = self.tokens.len();
            self.tokens.push(Token {
                rule: rule.rule,
                start: at as u32,
                end: 0,
                next: 0,
            });
            let end = self.node(expr, at, inside);
            match end {
                Some(end) => {
                    let next = self.tokens.len() as u32;
                    let token = &mut self.tokens[number];
                    token.end = end as u32;
                    token.next = next;
                }
                None => self.tokens.truncate(number),
            }
            end
        } else {
            self.node(expr, at, inside)
        };
        self.depth -= 1;
        end
    }

    fn node(&mut self, node: &Node, at: usize, mode: Mode) -> Option<usize> {
        match node {
            Node::Byte(byte) => (self.peek(at)? == *byte).then_some(at + 1),
            Node::Text(text) => {
                let end = at + text.len();
                (self.text.get(at..end)? == &**text).then_some(end)
            }
            Node::One(set) => {
                let byte = self.peek(at)?;
                set.has(byte).then(|| at + character_len(byte))
            }
            Node::Run(set, least) if !mode.blanks => {
                let rest = self.text.get(at..)?;
                let len = rest.iter().position(|byte| !set.has(*byte));
                let len = len.unwrap_or(rest.len());
                (len >= *least).then_some(at + len)
            }
            Node::Run(set, least) => {
                let one = Node::One(*set);
                self.repeat(&one, *least, at, mode)
            }
            Node::Rule(id) => self.rule(*id, at, mode),
            Node::Seq(parts) => {
                let before = self.tokens.len();
                let mut end = at;
                for (n, part) in parts.iter().enumerate() {
                    let start = if n > 0 { self.skip(end, mode) } else { end };
                    match self.node(part, start, mode) {
                        Some(next) => end = next,
                        None => {
                            self.tokens.truncate(before);
                            return None;
                        }
                    }
                }
                Some(end)
            }
            Node::Choice(list) => {
                let byte = self.peek(at);
                list.iter()
                    .filter(|(first, _)| can_start(first, byte))
                    .find_map(|(_, part)| self.node(part, at, mode))
            }
            Node::Optional(first, part) => match can_start(first, self.peek(at)) {
                true => Some(self.node(part, at, mode).unwrap_or(at)),
                false => Some(at),
            },
            Node::Repeat(first, part, least) => match can_start(first, self.peek(at)) {
                true => self.repeat(part, *least, at, mode),
                false => (*least == 0).then_some(at),
            },
            Node::Ahead(part, wanted) => {
                let ahead = Mode {
                    ahead: true,
                    ..mode
                };
                let found = self.node(part, at, ahead).is_some();
                (found == *wanted).then_some(at)
            }
            Node::Start => (at == 0).then_some(at),
            Node::End => {
                if at != self.text.len() {
                    return None;
                }
                if mode.nodes && !mode.ahead {
                    self.tokens.push(Token {
                        rule: Rule::EOI,
                        start: at as u32,
                        end: at as u32,
                        next: self.tokens.len() as u32 + 1,
                    });
                }
                Some(at)
            }
            Node::Never => None,
        }
    }

    fn repeat(&mut self, part: &Node, least: usize, at: usize, mode: Mode) -> Option<usize> {
        let mut end = at;
        let mut count = 0;
        loop {
            let start = if count > 0 { self.skip(end, mode) } else { end };
            match self.node(part, start, mode) {
                Some(next) if next > start => (end, count) = (next, count + 1),
                Some(_) => return Some(end),
                None => return (count >= least).then_some(end),
            }
        }
    }

    fn skip(&self, at: usize, mode: Mode) -> usize {
        if !mode.blanks {
            return at;
        }
        let rest = self.text.get(at..).unwrap_or(&[]);
        let blanks = rest.iter().take_while(|b| matches!(b, b' ' | b'\n'));
        at + blanks.count()
    }
}

/// How many bytes the character has that starts with this one.
fn character_len(byte: u8) -> usize {
    match byte {
        0..0x80 => 1,
        0x80..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    }
}
