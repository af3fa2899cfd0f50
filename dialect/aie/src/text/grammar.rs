//! The grammar: `grammar/*.pest`, one file for the structure of MLIR text and one per dialect, and the
//! rules of operations with a format, as tables that `build.rs` makes.

include!(concat!(env!("OUT_DIR"), "/grammar.rs"));

/// A rule of the grammar.
#[derive(Debug)]
pub struct RuleDef {
    /// Which one it is.
    pub rule: Rule,
    /// Treatment of blanks and nodes, by the sign in front of its brace.
    pub kind: RuleKind,
    /// The text that it matches.
    pub node: Node,
}

/// Treatment of blanks by a rule, and its contribution to a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RuleKind {
    /// Blanks between its parts as its user allows, and a node of its own.
    Normal,
    /// `_`: as its user, without a node.
    Silent,
    /// `@`: no blanks, a node without inner ones.
    Atomic,
    /// `$`: no blanks, a node with inner ones.
    CompoundAtomic,
    /// `!`: blanks, whatever its user allows.
    NonAtomic,
}

/// An expression of the grammar.
#[derive(Debug)]
pub enum Node {
    /// `"text"`
    Text(&'static str),
    /// A character of a set.
    One(CharSet),
    /// As many characters of a set as there are, at least this many.
    Run(CharSet, usize),
    /// The name of a rule.
    Rule(Rule),
    /// `a ~ b`
    Seq(&'static [Node]),
    /// `a | b`, the first that matches, each with what it starts with.
    Choice(&'static [(First, Node)]),
    /// `a?`, `a*` or `a+`: how often at least and at most.
    Repeat(First, &'static Node, usize, usize),
    /// `&a` and `!a`, with whether it must match.
    Ahead(&'static Node, bool),
    /// The start of the text.
    Start,
    /// The end of the text.
    End,
}

/// A set of characters: single ASCII ones, and either all others or none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CharSet {
    /// A bit for each ASCII character.
    pub ascii: u128,
    /// Whether all others are in it.
    pub others: bool,
}

impl CharSet {
    /// Whether the character that starts with this byte is in it.
    #[inline]
    pub fn has(&self, byte: u8) -> bool {
        // Halves: a shift of 128 bits takes several instructions.
        let half = match byte {
            0..0x40 => self.ascii as u64,
            0x40..0x80 => (self.ascii >> 64) as u64,
            _ => return self.others,
        };
        half >> (byte % 64) & 1 == 1
    }
}

/// Characters that can start a match; `None` if it may be empty.
pub type First = Option<CharSet>;
