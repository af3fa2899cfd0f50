//! Rules made ready for matching: characters as sets, repeated characters as runs, and with each
//! alternative the characters that it can start with.

use super::{Expr, Kind, RuleText, Rules};

/// A set of characters: single ASCII ones, and either all others or none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Set {
    ascii: u128,
    others: bool,
}

impl Set {
    const NONE: Set = Set {
        ascii: 0,
        others: false,
    };
    const ALL: Set = Set {
        ascii: u128::MAX,
        others: true,
    };

    fn range(low: char, high: char) -> Set {
        let ascii = (low..=high)
            .filter(char::is_ascii)
            .fold(0, |set, c| set | 1 << (c as u32));
        let others = !high.is_ascii();
        Set { ascii, others }
    }

    fn one(byte: u8) -> Set {
        Set::range(char::from(byte), char::from(byte))
    }

    fn or(self, other: Set) -> Set {
        Set {
            ascii: self.ascii | other.ascii,
            others: self.others || other.others,
        }
    }

    fn without(self, other: Set) -> Set {
        Set {
            ascii: self.ascii & !other.ascii,
            others: self.others && !other.others,
        }
    }

    /// Whether the character that starts with this byte is in it.
    pub(super) fn has(&self, byte: u8) -> bool {
        match byte < 0x80 {
            true => self.ascii >> byte & 1 == 1,
            false => self.others,
        }
    }
}

/// What a text can start with to match: `None` if nothing is needed.
pub(super) type First = Option<Set>;

/// Whether a text that starts with this byte (`None` at its end) can match.
pub(super) fn can_start(first: &First, byte: Option<u8>) -> bool {
    match (first, byte) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(set), Some(byte)) => set.has(byte),
    }
}

/// An expression made ready.
#[derive(Debug)]
pub(super) enum Node {
    /// One character.
    Byte(u8),
    /// A text.
    Text(Box<[u8]>),
    /// A character of a set.
    One(Set),
    /// As many characters of a set as there are, at least this many.
    Run(Set, usize),
    /// The rule at this position of the list.
    Rule(usize),
    /// One after the other.
    Seq(Box<[Node]>),
    /// The first that matches.
    Choice(Box<[(First, Node)]>),
    /// It or nothing.
    Optional(First, Box<Node>),
    /// As often as it matches, at least this often.
    Repeat(First, Box<Node>, usize),
    /// Matches, or doesn't, without going on.
    Ahead(Box<Node>, bool),
    /// The start of the text.
    Start,
    /// The end of the text, with a node.
    End,
    /// Nothing matches.
    Never,
}

impl RuleText {
    /// The rule made ready.
    pub(super) fn node(&self, rules: &Rules) -> &Node {
        self.node.get_or_init(|| match self.expr() {
            Some(expr) => node(expr, rules, self.kind),
            None => Node::Never,
        })
    }
}

fn node(expr: &Expr, rules: &Rules, kind: Kind) -> Node {
    if let Some(set) = set(expr, kind) {
        return Node::One(set);
    }
    let boxed = |expr: &Expr| Box::new(node(expr, rules, kind));
    match expr {
        Expr::Text(text) => match text.as_bytes() {
            [byte] => Node::Byte(*byte),
            bytes => Node::Text(bytes.into()),
        },
        Expr::Rule(name) => match (name.as_str(), rules.by_name.get(name.as_str())) {
            (_, Some(at)) => Node::Rule(*at),
            ("SOI", _) => Node::Start,
            ("EOI", _) => Node::End,
            _ => Node::Never,
        },
        Expr::Seq(list) => Node::Seq(list.iter().map(|e| node(e, rules, kind)).collect()),
        Expr::Choice(list) => Node::Choice(
            list.iter()
                .map(|e| (first(e, rules), node(e, rules, kind)))
                .collect(),
        ),
        Expr::Optional(inner) => Node::Optional(first(inner, rules), boxed(inner)),
        Expr::Repeat(inner, least) => match set(inner, kind) {
            Some(set) => Node::Run(set, *least),
            None => Node::Repeat(first(inner, rules), boxed(inner), *least),
        },
        Expr::Ahead(inner, wanted) => Node::Ahead(boxed(inner), *wanted),
        // Taken as a set above.
        Expr::Range(..) => Node::Never,
    }
}

/// The set of an expression that matches one character; blanks may not stand inside one that is
/// made of two.
fn set(expr: &Expr, kind: Kind) -> Option<Set> {
    match expr {
        Expr::Range(low, high) => Some(Set::range(*low, *high)),
        Expr::Text(text) => match text.as_bytes() {
            [byte] if byte.is_ascii() => Some(Set::one(*byte)),
            _ => None,
        },
        Expr::Rule(name) => builtin(name),
        Expr::Choice(list) => list
            .iter()
            .try_fold(Set::NONE, |all, e| Some(all.or(set(e, kind)?))),
        Expr::Seq(list) => match (&list[..], kind) {
            ([Expr::Ahead(not, false), then], Kind::Atomic | Kind::Compound) => {
                Some(set(then, kind)?.without(set(not, kind)?))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The sets that the grammar's language has names for.
fn builtin(name: &str) -> Option<Set> {
    let digits = Set::range('0', '9');
    let letters = Set::range('a', 'z').or(Set::range('A', 'Z'));
    Some(match name {
        "ANY" => Set::ALL,
        "ASCII_DIGIT" => digits,
        "ASCII_ALPHA" => letters,
        "ASCII_ALPHANUMERIC" => letters.or(digits),
        "ASCII_HEX_DIGIT" => digits.or(Set::range('a', 'f')).or(Set::range('A', 'F')),
        _ => return None,
    })
}

/// What an expression can start with. A rule never starts with itself, so this ends.
fn first(expr: &Expr, rules: &Rules) -> First {
    match expr {
        Expr::Text(text) => text.bytes().next().map(Set::one),
        Expr::Range(low, high) => Some(Set::range(*low, *high)),
        Expr::Rule(name) => match rules.get(name) {
            Some(rule) => *rule.first.get_or_init(|| first(rule.expr()?, rules)),
            None => builtin(name),
        },
        Expr::Choice(list) => list
            .iter()
            .try_fold(Set::NONE, |all, e| Some(all.or(first(e, rules)?))),
        Expr::Seq(list) => {
            let mut all = Set::NONE;
            for part in list {
                match part {
                    // What may be missing can start it, and so can the blanks behind it.
                    Expr::Optional(inner) | Expr::Repeat(inner, 0) => {
                        let blanks = Set::one(b' ').or(Set::one(b'\n'));
                        all = all.or(first(inner, rules)?).or(blanks);
                    }
                    Expr::Ahead(..) => {
                        all = all.or(Set::one(b' ')).or(Set::one(b'\n'));
                    }
                    other => return Some(all.or(first(other, rules)?)),
                }
            }
            None
        }
        Expr::Repeat(inner, least) if *least > 0 => first(inner, rules),
        Expr::Optional(_) | Expr::Repeat(..) | Expr::Ahead(..) => None,
    }
}
