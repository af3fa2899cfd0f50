//! Runs a rule on a text. Where one doesn't match, it is run once more, and the furthest token that
//! didn't fit is kept with all that was tried on it.

use std::rc::Rc;

use super::tree::Token;
use super::{Pair, Tree};
use crate::text::grammar::{First, Node, RULES, Rule, RuleKind};

/// Nesting of rules at most; the parser's own limits are below.
const MAX_DEPTH: usize = 250;

/// After this many steps the furthest place found so far has to do for a message.
const MAX_STEPS: usize = 1_000_000;

/// Why a text doesn't match a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Mismatch {
    /// The byte offset of the first token that doesn't fit, and what could be there, in the
    /// grammar's order.
    Unexpected(usize, Vec<String>),
    /// The text nests too deeply at this byte offset.
    TooDeep(usize),
}

/// Matches a rule at the start of a text. `spare` is a list of nodes that is reused unless it is
/// shared.
pub(crate) fn matched<'s>(
    rule: Rule,
    text: &'s str,
    spare: &mut Rc<Tree>,
) -> Result<Option<Pair<'s>>, Mismatch> {
    if Rc::get_mut(spare).is_none() {
        *spare = Rc::new(Tree::with_room());
    }
    if let Some(tree) = Rc::get_mut(spare) {
        tree.tokens.clear();
        let mut matcher = Matcher::<false>::new(text, &mut tree.tokens);
        let end = matcher.rule(rule, 0, Mode::OUTSIDE);
        if let Some(at) = matcher.too_deep {
            return Err(Mismatch::TooDeep(at));
        }
        #[cfg(all(debug_assertions, feature = "oracle"))]
        assert_eq!(
            end.map(|_| &*tree),
            super::oracle::matched(rule, text).as_ref(),
            "{rule:?} on {text:.80}"
        );
        if end.is_none() {
            return Err(mismatch(rule, text));
        }
    }
    Ok(Pair::outermost(spare.clone(), text))
}

/// Why a text doesn't match a rule. Keywords must end where their word ends, so that `too` isn't
/// taken for `to` and the place is that of the wrong word; unless only that makes the text match.
fn mismatch(rule: Rule, text: &str) -> Mismatch {
    let mut tokens = Vec::new();
    let mut matcher = Matcher::<true>::new(text, &mut tokens);
    matcher.whole_words = true;
    if matcher.rule(rule, 0, Mode::OUTSIDE).is_some() {
        matcher.whole_words = false;
        (matcher.furthest, matcher.steps) = (0, 0);
        matcher.expected.clear();
        matcher.rule(rule, 0, Mode::OUTSIDE);
    }
    match matcher.too_deep {
        Some(at) => Mismatch::TooDeep(at),
        None => Mismatch::Unexpected(matcher.furthest, matcher.expected),
    }
}

/// Mode of matching, inherited from the rules around.
#[derive(Clone, Copy)]
struct Mode {
    /// Blanks may be between parts.
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

/// A match in progress; `FURTHEST` if it reports how far the text fits.
struct Matcher<'a, const FURTHEST: bool> {
    text: &'a [u8],
    tokens: &'a mut Vec<Token>,
    depth: usize,
    /// Where the rules called each other too deeply: then no answer counts.
    too_deep: Option<usize>,
    /// The furthest byte offset where a token didn't fit, and what could be there.
    furthest: usize,
    expected: Vec<String>,
    /// Whether keywords must end where their word ends.
    whole_words: bool,
    /// Inside this many lookaheads and tokens; nothing is noted there.
    silent: usize,
    steps: usize,
}

impl<'a, const FURTHEST: bool> Matcher<'a, FURTHEST> {
    fn new(text: &'a str, tokens: &'a mut Vec<Token>) -> Self {
        Matcher {
            text: text.as_bytes(),
            tokens,
            depth: 0,
            too_deep: None,
            furthest: 0,
            expected: Vec::new(),
            whole_words: false,
            silent: 0,
            steps: 0,
        }
    }

    fn peek(&self, at: usize) -> Option<u8> {
        self.text.get(at).copied()
    }

    /// Whether what may start so can be at a byte offset. All is tried for a message.
    fn can_start(&self, first: &First, at: usize) -> bool {
        FURTHEST || first.is_none_or(|set| self.peek(at).is_some_and(|byte| set.has(byte)))
    }

    /// Notes that a token didn't fit at a byte offset.
    fn note(&mut self, at: usize, what: &str) {
        if !FURTHEST || self.silent > 0 || at < self.furthest {
            return;
        }
        if at > self.furthest {
            self.furthest = at;
            self.expected.clear();
        }
        if !self.expected.iter().any(|e| e == what) {
            self.expected.push(what.to_string());
        }
    }

    /// Matches a rule at a byte offset; returns where it ends.
    fn rule(&mut self, rule: Rule, at: usize, mode: Mode) -> Option<usize> {
        let def = RULES.get(rule as usize)?;
        let (blanks, nodes, node) = match def.kind {
            RuleKind::Normal => (mode.blanks, mode.nodes, mode.nodes),
            RuleKind::Silent => (mode.blanks, mode.nodes, false),
            RuleKind::Atomic => (false, false, mode.nodes),
            RuleKind::CompoundAtomic => (false, true, true),
            RuleKind::NonAtomic => (true, true, true),
        };
        let inside = Mode {
            blanks,
            nodes,
            ..mode
        };
        if self.too_deep.is_some() || self.depth >= MAX_DEPTH {
            self.too_deep.get_or_insert(at);
            return None;
        }
        let number = self.tokens.len();
        let node = node && !mode.ahead;
        if node {
            self.tokens.push(Token {
                rule: def.rule,
                start: at as u32,
                end: 0,
                next: 0,
            });
        }
        self.depth += 1;
        let end = match describe(rule).filter(|_| FURTHEST) {
            Some(name) => self.named(name, &def.node, at, inside),
            None => self.node(&def.node, at, inside),
        };
        self.depth -= 1;
        if node {
            match end {
                Some(end) => {
                    let next = self.tokens.len() as u32;
                    let token = &mut self.tokens[number];
                    (token.end, token.next) = (end as u32, next);
                }
                None => self.tokens.truncate(number),
            }
        }
        end
    }

    /// Matches what can be called by a name: it is expected by that name, and not by all it can
    /// start with.
    fn named(&mut self, name: &str, node: &Node, at: usize, mode: Mode) -> Option<usize> {
        let tried = if at == self.furthest {
            self.expected.len()
        } else {
            0
        };
        let token = usize::from(!mode.blanks);
        self.silent += token;
        let end = self.node(node, at, mode);
        self.silent -= token;
        if at == self.furthest {
            self.expected.truncate(tried);
        }
        if end.is_none() {
            self.note(at, name);
        }
        end
    }

    /// Matches a node. Those without others in them are most: the loops over parts have them inline.
    #[inline]
    fn node(&mut self, node: &Node, at: usize, mode: Mode) -> Option<usize> {
        if FURTHEST {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return None;
            }
        }
        match node {
            Node::Text(text) => self.token(text, at, mode),
            Node::One(set) => match self.peek(at) {
                Some(byte) if set.has(byte) => Some(at + character_len(byte)),
                _ => {
                    self.note_signs(set.ascii, at);
                    None
                }
            },
            Node::Rule(rule) => self.rule(*rule, at, mode),
            _ => self.composite(node, at, mode),
        }
    }

    fn composite(&mut self, node: &Node, at: usize, mode: Mode) -> Option<usize> {
        match node {
            Node::Text(_) | Node::One(_) | Node::Rule(_) => self.node(node, at, mode),
            Node::Run(set, least) if !mode.blanks => {
                let rest = self.text.get(at..)?;
                let len = rest.iter().position(|byte| !set.has(*byte));
                let len = len.unwrap_or(rest.len());
                self.note_signs(set.ascii, at + len);
                (len >= *least).then_some(at + len)
            }
            Node::Run(set, least) => self.repeat(&Node::One(*set), (*least, usize::MAX), at, mode),
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
            Node::Choice(list) => list.iter().find_map(|(first, part)| {
                self.can_start(first, at)
                    .then(|| self.node(part, at, mode))?
            }),
            Node::Repeat(first, part, least, most) => {
                if self.can_start(first, at) {
                    self.repeat(part, (*least, *most), at, mode)
                } else {
                    (*least == 0).then_some(at)
                }
            }
            Node::Ahead(part, wanted) => {
                let ahead = Mode {
                    ahead: true,
                    ..mode
                };
                self.silent += 1;
                let found = self.node(part, at, ahead).is_some();
                self.silent -= 1;
                (found == *wanted).then_some(at)
            }
            Node::Start => (at == 0).then_some(at),
            Node::End => {
                if at != self.text.len() {
                    self.note(at, "the end");
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
        }
    }

    fn token(&mut self, token: &str, at: usize, mode: Mode) -> Option<usize> {
        let end = at + token.len();
        let wordlike = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let found = self.peek(at) == token.bytes().next()
            && (token.len() == 1 || self.text.get(at..end) == Some(token.as_bytes()))
            && !(FURTHEST
                && self.whole_words
                && mode.blanks
                && token.bytes().last().is_some_and(wordlike)
                && self.peek(end).is_some_and(wordlike));
        if !found && FURTHEST {
            self.note(at, &format!("`{token}`"));
        }
        found.then_some(end)
    }

    /// Notes that none of a set of signs was found; what has letters or digits is part of a word.
    fn note_signs(&mut self, ascii: u128, at: usize) {
        if FURTHEST && self.silent == 0 {
            let signs = (0..128u8).filter(|byte| ascii >> byte & 1 == 1);
            let signs: Vec<char> = signs.map(char::from).collect();
            if !signs.iter().any(char::is_ascii_alphanumeric) {
                for sign in signs {
                    self.note(at, &format!("`{sign}`"));
                }
            }
        }
    }

    fn repeat(
        &mut self,
        part: &Node,
        (least, most): (usize, usize),
        at: usize,
        mode: Mode,
    ) -> Option<usize> {
        let mut end = at;
        let mut count = 0;
        while count < most {
            let start = if count > 0 { self.skip(end, mode) } else { end };
            match self.node(part, start, mode) {
                Some(next) if next > start => (end, count) = (next, count + 1),
                Some(_) => return Some(end),
                None => return (count >= least).then_some(end),
            }
        }
        Some(end)
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

/// Length in bytes of the character that starts with this one.
fn character_len(byte: u8) -> usize {
    match byte {
        0..0x80 => 1,
        0x80..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    }
}

/// The name of a rule in "expected …"; `None` for rules made of others.
fn describe(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::value => "a value (`%name`)",
        Rule::symbol | Rule::symbol_ref => "a symbol (`@name`)",
        Rule::block => "a block (`^name`)",
        Rule::string => "a string",
        Rule::int => "an integer",
        Rule::number => "a number",
        Rule::word | Rule::bare_id => "a word",
        Rule::mixed => "a value or an integer",
        Rule::ty | Rule::type_node => "a type",
        Rule::attr => "an attribute",
        Rule::attr_key => "an attribute's name",
        Rule::attr_alias => "an alias (`#name`)",
        Rule::attr_dict => "attributes (`{…}`)",
        Rule::op_flags => "a flag",
        Rule::map_body => "a map",
        Rule::affine_sum => "an affine expression",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(rule: Rule, text: &str) -> (usize, String) {
        match mismatch(rule, text) {
            Mismatch::Unexpected(at, list) => (at, list.join(", ")),
            Mismatch::TooDeep(at) => panic!("too deep at {at}"),
        }
    }

    #[test]
    fn the_first_wrong_token_is_found_with_what_could_stand_there() {
        assert_eq!(at(Rule::aie_tile, "aie.tile(0)"), (10, "`,`".into()));
        assert_eq!(
            at(Rule::scf_for, "scf.for %i = %a too %b step %c"),
            (16, "`to`".into())
        );
        let (place, expected) = at(Rule::attr_dict, "{a = }");
        assert_eq!((place, expected.as_str()), (5, "an attribute"));
    }

    #[test]
    fn depth_is_bounded() {
        let text = format!("{}1", "[".repeat(5000));
        let found = matched(Rule::attr_only, &text, &mut Rc::default());
        assert!(matches!(found, Err(Mismatch::TooDeep(_))), "{found:?}");
    }
}
