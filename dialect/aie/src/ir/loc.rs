//! Locations: where an operation came from.

use rustc_hash::FxHashMap;

use aiec_diag::Span;

/// A location of a [`LocTable`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Loc(u32);

impl Loc {
    /// Unknown.
    pub const UNKNOWN: Loc = Loc(0);
}

/// The content of a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocInfo {
    /// Unknown.
    Unknown,
    /// These bytes of a source file.
    Span(Span),
    /// The text gives a location, `loc(…)`: what to print for the operation at these bytes. Findings
    /// are still shown at the bytes.
    Written {
        /// Which of the table's texts; see [`LocTable::text`].
        text: u32,
        /// The operation in the source file.
        span: Span,
    },
    /// Made by a pass from an operation at another location.
    Derived {
        /// The pass's command-line name.
        pass: &'static str,
        /// The location of the operation it was made from.
        from: Loc,
    },
}

/// Use of an object fifo by an operation, recorded before the fifo was lowered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FifoUse {
    /// Symbol of the fifo.
    pub fifo: Box<str>,
    /// It belongs to the producer's side.
    pub produces: bool,
    /// Its effect.
    pub action: FifoAction,
}

/// Kind of use of an object fifo.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FifoAction {
    /// It acquires this number of objects, those that are acquired already included.
    Acquire(u32),
    /// It releases this number of objects.
    Release(u32),
    /// It is a part of a fifo with this number of objects on this side.
    Part {
        /// Objects.
        depth: u32,
    },
}

/// All locations of a module; entry 0 is [`Loc::UNKNOWN`].
#[derive(Clone, Debug)]
pub struct LocTable {
    entries: Vec<LocInfo>,
    /// Uses of object fifos by the operations at some locations.
    fifo_uses: FxHashMap<Loc, FifoUse>,
    /// The part between the parentheses of locations in the text.
    texts: Vec<Box<str>>,
    /// Location aliases (`#loc1`) with the text between their parentheses.
    aliases: FxHashMap<Box<str>, Box<str>>,
}

impl Default for LocTable {
    fn default() -> Self {
        LocTable {
            entries: vec![LocInfo::Unknown],
            fifo_uses: FxHashMap::default(),
            texts: Vec::new(),
            aliases: FxHashMap::default(),
        }
    }
}

impl LocTable {
    /// The location of a span; equal consecutive spans share one entry.
    pub fn span(&mut self, span: Span) -> Loc {
        self.add(LocInfo::Span(span))
    }

    /// The location `loc(text)` of an operation at a span.
    pub(crate) fn written(&mut self, text: &str, span: Span) -> Loc {
        if self.texts.last().is_none_or(|last| **last != *text) {
            self.texts.push(text.into());
        }
        let text = (self.texts.len() - 1) as u32;
        self.add(LocInfo::Written { text, span })
    }

    /// Gives a location alias (`#loc1`) its meaning. It may be used before.
    pub(crate) fn define_alias(&mut self, name: &str, text: &str) {
        self.aliases.insert(name.into(), text.into());
    }

    /// The location as written in the source text, through all passes and with aliases replaced;
    /// `None` for a location without text.
    pub fn text(&self, loc: Loc) -> Option<String> {
        /// Aliases of aliases are followed so far, and texts grow no larger.
        const MAX_ROUNDS: usize = 16;
        const MAX_LENGTH: usize = 1 << 16;
        let mut info = self.info(loc);
        while let LocInfo::Derived { from, .. } = info {
            info = self.info(from);
        }
        let LocInfo::Written { text, .. } = info else {
            return None;
        };
        let mut text = self.texts.get(text as usize)?.to_string();
        for _ in 0..MAX_ROUNDS {
            let next = self.without_aliases(&text);
            if next == text || next.len() > MAX_LENGTH {
                break;
            }
            text = next;
        }
        Some(text)
    }

    fn without_aliases(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('#') {
            let (before, from) = rest.split_at(at);
            let wordlike = |c: char| c.is_ascii_alphanumeric() || "_$.".contains(c);
            let len = from[1..].find(|c| !wordlike(c)).unwrap_or(from.len() - 1);
            let (name, after) = from.split_at(1 + len);
            out += before;
            out += self.aliases.get(name).map_or(name, |text| text);
            rest = after;
        }
        out + rest
    }

    /// "Made by `pass` from `from`"; equal consecutive ones share one entry.
    pub fn derived(&mut self, pass: &'static str, from: Loc) -> Loc {
        self.add(LocInfo::Derived { pass, from })
    }

    /// A location of its own: "made by `pass` from `from`, for this use of an object fifo".
    pub fn derived_for_fifo(&mut self, pass: &'static str, from: Loc, of: FifoUse) -> Loc {
        if let Some(known) = self.entries.len().checked_sub(1) {
            let known = Loc(known as u32);
            let same = self.info(known) == LocInfo::Derived { pass, from };
            if same && self.fifo_uses.get(&known) == Some(&of) {
                return known;
            }
        }
        self.entries.push(LocInfo::Derived { pass, from });
        let loc = Loc((self.entries.len() - 1) as u32);
        self.fifo_uses.insert(loc, of);
        loc
    }

    /// The use of an object fifo that an operation at a location was made for, by whatever pass.
    pub fn fifo_use(&self, mut loc: Loc) -> Option<&FifoUse> {
        loop {
            if let Some(found) = self.fifo_uses.get(&loc) {
                return Some(found);
            }
            match self.info(loc) {
                LocInfo::Derived { from, .. } => loc = from,
                _ => return None,
            }
        }
    }

    /// Gives all locations other spans, for a text that stood for another.
    pub fn map_spans(&mut self, map: impl Fn(Span) -> Span) {
        for entry in &mut self.entries {
            match entry {
                LocInfo::Span(span) | LocInfo::Written { span, .. } => *span = map(*span),
                LocInfo::Unknown | LocInfo::Derived { .. } => {}
            }
        }
    }

    fn add(&mut self, info: LocInfo) -> Loc {
        if self.entries.last() != Some(&info) {
            self.entries.push(info);
        }
        Loc((self.entries.len() - 1) as u32)
    }

    /// The content of a location.
    pub fn info(&self, loc: Loc) -> LocInfo {
        self.entries
            .get(loc.0 as usize)
            .copied()
            .unwrap_or(LocInfo::Unknown)
    }

    /// The span in the user's text, through all passes.
    pub fn source_span(&self, loc: Loc) -> Option<Span> {
        let mut info = self.info(loc);
        loop {
            match info {
                LocInfo::Unknown => return None,
                LocInfo::Span(span) | LocInfo::Written { span, .. } => return Some(span),
                LocInfo::Derived { from, .. } => info = self.info(from),
            }
        }
    }
}
