//! The operations of a text, and the names in it with what they name, found on its tokens: nothing of it needs a
//! text that can be read.

use aiec_aie::ops::{OpKind, Traits, kind_of};
use aiec_aie::text::lexer::{Token, TokenKind};
use rustc_hash::FxHashMap;

/// The kind of thing that has a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NameKind {
    /// An SSA value: `%name`.
    Value,
    /// A symbol: `@name`, or the text of `sym_name`.
    Symbol,
    /// A block: `^name`.
    Block,
    /// An alias of an attribute or a type: `#name`, `!name`.
    Alias,
}

/// A definition of a name.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The kind of thing.
    pub kind: NameKind,
    /// The name without its sign.
    pub name: String,
    /// The token that defines it.
    pub token: usize,
    /// The region that it can be used in.
    pub region: usize,
    /// The operation that defines it.
    pub item: usize,
}

/// An operation, a block's label or an alias.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its first token.
    pub first: usize,
    /// The token of its name, if it is an operation.
    pub name: Option<usize>,
    /// One past its last token, with its regions.
    pub end: usize,
    /// The region that it is in.
    pub region: usize,
}

/// A region: tokens between braces; the first one is the file.
#[derive(Clone, Debug)]
struct Region {
    parent: Option<usize>,
    /// The operation that it belongs to.
    item: Option<usize>,
    first: usize,
    end: usize,
    /// Whether symbols are defined in it.
    is_table: bool,
}

/// The operations and names of a text.
#[derive(Debug, Default)]
pub struct Names {
    /// The operations, in textual order.
    pub items: Vec<Item>,
    /// The definitions, in textual order.
    pub definitions: Vec<Definition>,
    /// The definition that a token names, or is, by the token.
    of_token: FxHashMap<usize, usize>,
    regions: Vec<Region>,
    by_name: FxHashMap<(NameKind, usize, String), usize>,
}

impl Names {
    /// Of the tokens of a text.
    pub fn of(text: &str, tokens: &[Token]) -> Names {
        let mut reader = Reader {
            text,
            tokens,
            names: Names::default(),
            open: Vec::new(),
            region: 0,
            item: None,
            pending: Vec::new(),
            uses: Vec::new(),
        };
        reader.read();
        reader.finish()
    }

    /// The definition that a token names, or is.
    pub fn definition(&self, token: usize) -> Option<&Definition> {
        self.definitions.get(*self.of_token.get(&token)?)
    }

    /// The tokens that name what a definition defines, itself among them, in textual order.
    pub fn references(&self, definition: &Definition) -> Vec<usize> {
        let Some(wanted) = self.of_token.get(&definition.token) else {
            return Vec::new();
        };
        let named = self.of_token.iter();
        let mut tokens: Vec<usize> = named
            .filter(|(_, found)| *found == wanted)
            .map(|(token, _)| *token)
            .collect();
        tokens.sort_unstable();
        tokens
    }

    /// The innermost operation around a token.
    pub fn item_around(&self, token: usize) -> Option<&Item> {
        // Operations begin in textual order, so that the last one that encloses the token is the innermost.
        let after = self.items.partition_point(|item| item.first <= token);
        let mut at = after.checked_sub(1)?;
        loop {
            let item = self.items.get(at)?;
            if token < item.end {
                return Some(item);
            }
            // The operation before is over: what is around it may not be.
            at = self.regions.get(item.region)?.item?;
        }
    }

    /// The region that a token is in.
    fn region_of(&self, token: usize) -> usize {
        let after = self.regions.partition_point(|region| region.first <= token);
        let mut at = after.saturating_sub(1);
        while let Some(region) = self.regions.get(at) {
            if token < region.end {
                break;
            }
            at = region.parent.unwrap_or(0);
            if at == 0 {
                break;
            }
        }
        at
    }

    /// Definitions that can be named at a token, the innermost first.
    pub fn visible(&self, kind: NameKind, token: usize) -> Vec<&Definition> {
        let mut regions = Vec::new();
        let mut region = Some(self.region_of(token));
        while let Some(at) = region {
            regions.push(at);
            region = self.regions.get(at).and_then(|region| region.parent);
        }
        let mut found: Vec<(usize, &Definition)> = self
            .definitions
            .iter()
            .filter(|definition| definition.kind == kind)
            .filter_map(|definition| {
                let depth = regions.iter().position(|at| *at == definition.region)?;
                Some((depth, definition))
            })
            .collect();
        found.sort_by_key(|(depth, _)| *depth);
        found
            .into_iter()
            .map(|(_, definition)| definition)
            .collect()
    }

    /// Looks a name up from a region outwards.
    fn lookup(&self, kind: NameKind, region: usize, name: &str) -> Option<usize> {
        let mut at = Some(region);
        while let Some(region) = at {
            let found = self.by_name.get(&(kind, region, name.to_string()));
            if found.is_some() {
                return found.copied();
            }
            at = self.regions.get(region)?.parent;
        }
        None
    }
}

/// The name of a token without its sign, quotes and result number.
pub fn bare(word: &str) -> &str {
    let word = word.trim_start_matches(['%', '@', '^', '#', '!']);
    let word = word.trim_matches('"');
    word.split('#').next().unwrap_or(word)
}

/// Words without a dot that are names of operations, with these.
const SHORT_NAMES: [(&str, &str); 6] = [
    ("module", "builtin.module"),
    ("func", "func.func"),
    ("return", "func.return"),
    ("call", "func.call"),
    ("br", "cf.br"),
    ("cond_br", "cf.cond_br"),
];

/// The kind of an operation by its name as it is written, quoted or short.
pub fn op_kind(word: &str) -> OpKind {
    let word = word.trim_matches('"');
    let short = SHORT_NAMES.iter().find(|(short, _)| *short == word);
    kind_of(short.map_or(word, |(_, full)| full))
}

fn is_op_name(word: &str) -> bool {
    word.contains('.') || SHORT_NAMES.iter().any(|(short, _)| *short == word)
}

/// A name that is used.
struct Use {
    kind: NameKind,
    token: usize,
    region: usize,
    /// The token of the name before `::`.
    within: Option<usize>,
}

/// A bracket that is open.
enum Open {
    /// A region, with the one around it and the operation that it belongs to.
    Region(usize, Option<usize>),
    /// Any other bracket.
    Bracket(u8),
}

struct Reader<'a> {
    text: &'a str,
    tokens: &'a [Token],
    names: Names,
    open: Vec<Open>,
    region: usize,
    item: Option<usize>,
    /// Values that the next region of the operation has as arguments.
    pending: Vec<usize>,
    uses: Vec<Use>,
}

impl<'a> Reader<'a> {
    fn str(&self, at: usize) -> &'a str {
        self.tokens
            .get(at)
            .map_or("", |token| token.text(self.text))
    }

    fn kind(&self, at: usize) -> Option<TokenKind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    fn in_region(&self) -> bool {
        matches!(self.open.last(), None | Some(Open::Region(..)))
    }

    fn read(&mut self) {
        self.names.regions.push(Region {
            parent: None,
            item: None,
            first: 0,
            end: usize::MAX,
            is_table: true,
        });
        let mut at = 0;
        while at < self.tokens.len() {
            if self.in_region() && self.starts_item(at) {
                at = self.begin(at);
            } else {
                self.token(at);
                at += 1;
            }
        }
        let end = self.tokens.len();
        self.end_item(end);
        while let Some(open) = self.open.pop() {
            if let Open::Region(outer, item) = open {
                self.close(outer, item, end);
                self.end_item(end);
            }
        }
    }

    /// Whether an operation, a block or an alias starts at a token of a region.
    fn starts_item(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map_or("", |before| self.str(before));
        let next = self.str(at + 1);
        match self.kind(at) {
            Some(TokenKind::Value) => {
                // `%i = …` within a line is a loop's variable.
                (self.starts_line(at) || before == "{") && self.results_end(at).is_some()
            }
            Some(TokenKind::Block) => {
                let starts_line = self.starts_line(at);
                starts_line && (next == ":" || next == "(")
            }
            Some(TokenKind::Attribute | TokenKind::Type) => next == "=" && self.starts_line(at),
            Some(TokenKind::Text) => next == "(" && before != "=",
            Some(TokenKind::Word) => {
                is_op_name(self.str(at))
                    && !matches!(next, "=" | "<")
                    && !matches!(before, "=" | ":" | "->" | ",")
                    && (self.starts_line(at) || before == "{" || before == "}")
                    || self.starts_line(at)
                        && self.str(at).contains('.')
                        && !matches!(before, ":" | "->" | ",")
                        && next == "<"
            }
            _ => false,
        }
    }

    fn starts_line(&self, at: usize) -> bool {
        let from = at.checked_sub(1).and_then(|before| self.tokens.get(before));
        let Some(from) = from else {
            return true;
        };
        let to = self.tokens.get(at).map_or(from.end, |token| token.start);
        let between = self.text.get(from.end..to).unwrap_or("");
        between.contains('\n')
    }

    /// The token after `%a, %b:2 =`, if that is what starts at a token.
    fn results_end(&self, first: usize) -> Option<usize> {
        let mut at = first;
        loop {
            if self.kind(at) != Some(TokenKind::Value) {
                return None;
            }
            at += 1;
            if self.str(at) == ":" && self.kind(at + 1) == Some(TokenKind::Number) {
                at += 2;
            }
            match self.str(at) {
                "," => at += 1,
                "=" => return Some(at + 1),
                _ => return None,
            }
        }
    }

    /// Begins the item that starts at a token; the token to go on with.
    fn begin(&mut self, first: usize) -> usize {
        self.end_item(first);
        let number = self.names.items.len();
        let mut item = Item {
            first,
            name: None,
            end: self.tokens.len(),
            region: self.region,
        };
        let mut at = first;
        match self.kind(first) {
            Some(TokenKind::Value) => {
                at = self.results_end(first).unwrap_or(first + 1);
                for token in first..at {
                    if self.kind(token) == Some(TokenKind::Value) {
                        self.define(NameKind::Value, token, self.region, number);
                    }
                }
                item.name = self.operation(at);
            }
            Some(TokenKind::Block) => {
                self.define(NameKind::Block, first, self.region, number);
                at += 1;
            }
            Some(TokenKind::Attribute | TokenKind::Type) => {
                self.define(NameKind::Alias, first, 0, number);
                at += 1;
            }
            _ => item.name = self.operation(first),
        }
        let name = item.name;
        self.names.items.push(item);
        self.item = Some(number);
        match name {
            Some(name) => {
                self.symbol(name, number);
                name + 1
            }
            None => at.max(first + 1),
        }
    }

    /// The token itself, if it is the name of an operation.
    fn operation(&self, at: usize) -> Option<usize> {
        matches!(self.kind(at), Some(TokenKind::Word | TokenKind::Text)).then_some(at)
    }

    /// Defines the symbol that an operation's text begins with: after visibility, or what is in parentheses.
    fn symbol(&mut self, name: usize, item: usize) {
        let def = op_kind(self.str(name)).def();
        let defines = def.is_some_and(|def| def.attrs.iter().any(|attr| attr.name == "sym_name"));
        if !defines {
            return;
        }
        let mut at = name + 1;
        if self.str(at) == "(" && self.str(name).starts_with("aie.device") {
            while at < self.tokens.len() && self.str(at) != ")" {
                at += 1;
            }
            at += 1;
        }
        while matches!(self.kind(at), Some(TokenKind::Word | TokenKind::Text))
            && !self.starts_line(at)
        {
            at += 1;
        }
        if self.kind(at) == Some(TokenKind::Symbol) {
            let table = self.table(self.region);
            self.define(NameKind::Symbol, at, table, item);
        }
    }

    /// The region from here outwards in which symbols are defined.
    fn table(&self, region: usize) -> usize {
        let mut at = region;
        while let Some(region) = self.names.regions.get(at) {
            match region.parent {
                Some(parent) if !region.is_table => at = parent,
                _ => break,
            }
        }
        at
    }

    fn define(&mut self, kind: NameKind, token: usize, region: usize, item: usize) {
        let number = self.names.definitions.len();
        let name = bare(self.str(token)).to_string();
        // The first one counts; what is there twice is a finding of the parser.
        let key = (kind, region, name.clone());
        self.names.by_name.entry(key).or_insert(number);
        self.names.of_token.insert(token, number);
        self.names.definitions.push(Definition {
            kind,
            name,
            token,
            region,
            item,
        });
    }

    /// Takes a token within an item.
    fn token(&mut self, at: usize) {
        let text = self.str(at);
        match self.kind(at) {
            Some(TokenKind::Value) => self.value(at),
            Some(TokenKind::Symbol) if !self.names.of_token.contains_key(&at) => {
                let within = (at >= 2 && self.str(at - 1) == "::").then(|| at - 2);
                self.use_name(NameKind::Symbol, at, within);
            }
            Some(TokenKind::Block) => self.use_name(NameKind::Block, at, None),
            Some(TokenKind::Attribute | TokenKind::Type) if !text.contains('.') => {
                self.use_name(NameKind::Alias, at, None);
            }
            Some(TokenKind::Text) => {
                let is_name =
                    at >= 2 && self.str(at - 1) == "=" && bare(self.str(at - 2)) == "sym_name";
                if let (true, Some(item)) = (is_name, self.item) {
                    let region = self.names.items.get(item).map_or(0, |item| item.region);
                    let table = self.table(region);
                    self.define(NameKind::Symbol, at, table, item);
                }
            }
            Some(TokenKind::Sign) => self.sign(at, text),
            _ => {}
        }
    }

    fn value(&mut self, at: usize) {
        let next = self.str(at + 1);
        let before = at.checked_sub(1).map_or("", |before| self.str(before));
        let in_parentheses = matches!(self.open.last(), Some(Open::Bracket(b'(')));
        let is_loop = next == "=" || self.is_parallel(at);
        let is_typed = next == ":" && in_parentheses && (before == "(" || before == ",");
        let is_argument = is_typed && self.takes_arguments(at);
        if !is_loop && !is_argument {
            self.use_name(NameKind::Value, at, None);
            return;
        }
        let Some(item) = self.item else {
            return;
        };
        let first = self.names.items.get(item).map_or(0, |item| item.first);
        if self.kind(first) == Some(TokenKind::Block) {
            self.define(NameKind::Value, at, self.region, item);
        } else {
            self.pending.push(at);
        }
    }

    /// Whether a value is one of `(%i, %j) = …`.
    fn is_parallel(&self, at: usize) -> bool {
        if !matches!(self.open.last(), Some(Open::Bracket(b'('))) {
            return false;
        }
        let mut at = at + 1;
        while self.str(at) == "," && self.kind(at + 1) == Some(TokenKind::Value) {
            at += 2;
        }
        self.str(at) == ")" && self.str(at + 1) == "="
    }

    /// Whether a value with a type is an argument: of a block, or of an operation with regions where nothing of
    /// that name is visible.
    fn takes_arguments(&self, at: usize) -> bool {
        let Some(item) = self.item.and_then(|item| self.names.items.get(item)) else {
            return false;
        };
        if self.kind(item.first) == Some(TokenKind::Block) {
            return true;
        }
        let kind = item
            .name
            .map_or(OpKind::Unknown, |name| op_kind(self.str(name)));
        let has_regions = kind.def().is_some_and(|def| def.regions != Some(0));
        let name = bare(self.str(at));
        let is_isolated = matches!(kind, OpKind::FuncFunc | OpKind::RuntimeSequence);
        has_regions
            && (is_isolated
                || self
                    .names
                    .lookup(NameKind::Value, self.region, name)
                    .is_none())
    }

    fn use_name(&mut self, kind: NameKind, token: usize, within: Option<usize>) {
        self.uses.push(Use {
            kind,
            token,
            region: self.region,
            within,
        });
    }

    fn sign(&mut self, at: usize, text: &str) {
        match text {
            "{" if self.opens_region(at) => self.open_region(at),
            "{" | "(" | "[" | "<" => {
                let sign = text.as_bytes().first().copied().unwrap_or(0);
                self.open.push(Open::Bracket(sign));
            }
            "}" => {
                // Brackets that are still open within the braces were never closed.
                while let Some(open) = self.open.pop() {
                    match open {
                        Open::Region(outer, item) => {
                            self.close(outer, item, at);
                            break;
                        }
                        Open::Bracket(b'{') => break,
                        Open::Bracket(_) => {}
                    }
                }
            }
            ")" | "]" | ">" => {
                if matches!(self.open.last(), Some(Open::Bracket(sign)) if *sign != b'{') {
                    self.open.pop();
                }
            }
            _ => {}
        }
    }

    /// Whether a brace opens a region, not a dictionary or a list.
    fn opens_region(&self, brace: usize) -> bool {
        let mut first = brace + 1;
        while self.kind(first) == Some(TokenKind::Comment) {
            first += 1;
        }
        let next = self.str(first + 1);
        match self.kind(first) {
            Some(TokenKind::Value) => next == "=" || next == ":",
            Some(TokenKind::Block) => true,
            Some(TokenKind::Text) => next == "(",
            Some(TokenKind::Word) => {
                // A line of a region that is being typed begins with anything.
                next != "=" && (is_op_name(self.str(first)) || self.starts_line(first))
            }
            Some(TokenKind::Sign) => {
                self.str(first) == "}" && (self.starts_line(first) || !self.pending.is_empty())
            }
            None => true,
            _ => false,
        }
    }

    fn open_region(&mut self, brace: usize) {
        let owner = self.item.and_then(|item| self.names.items.get(item));
        let kind = owner
            .and_then(|item| item.name)
            .map_or(OpKind::Unknown, |name| op_kind(self.str(name)));
        let number = self.names.regions.len();
        self.names.regions.push(Region {
            parent: Some(self.region),
            item: self.item,
            first: brace + 1,
            end: usize::MAX,
            is_table: kind.has(Traits::SYMBOL_TABLE),
        });
        self.open.push(Open::Region(self.region, self.item));
        self.region = number;
        let item = self.item.unwrap_or(0);
        for token in std::mem::take(&mut self.pending) {
            self.define(NameKind::Value, token, number, item);
        }
        self.item = None;
    }

    /// Ends the region at its brace; the operation that it belongs to goes on.
    fn close(&mut self, outer: usize, item: Option<usize>, brace: usize) {
        self.end_item(brace);
        if let Some(region) = self.names.regions.get_mut(self.region) {
            region.end = brace;
        }
        self.region = outer;
        self.item = item;
    }

    fn end_item(&mut self, end: usize) {
        self.pending.clear();
        if let Some(item) = self
            .item
            .take()
            .and_then(|item| self.names.items.get_mut(item))
        {
            item.end = end;
        }
    }

    /// Resolves the uses, which may come before their definitions.
    fn finish(mut self) -> Names {
        let mut first_regions: FxHashMap<usize, usize> = FxHashMap::default();
        for (number, region) in self.names.regions.iter().enumerate() {
            if let Some(item) = region.item {
                first_regions.entry(item).or_insert(number);
            }
        }
        for used in &self.uses {
            let name = bare(self.str(used.token));
            let region = match used.within {
                None => Some(used.region),
                Some(outer) => {
                    let named = self.names.definition(outer);
                    named.and_then(|named| first_regions.get(&named.item).copied())
                }
            };
            let found = region.and_then(|region| match used.within {
                None => self.names.lookup(used.kind, region, name),
                Some(_) => {
                    let key = (used.kind, region, name.to_string());
                    self.names.by_name.get(&key).copied()
                }
            });
            if let Some(found) = found {
                self.names.of_token.insert(used.token, found);
            }
        }
        self.names
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aiec_aie::text::lexer::tokens;

    const DESIGN: &str = "\
module {
  aie.device(npu2) @main {
    %tile_0_0 = aie.tile(0, 0)
    %tile_0_2 = aie.tile(0, 2)
    %buf = aie.buffer(%tile_0_2) {sym_name = \"buf\"} : memref<16xi32>
    aie.objectfifo @in(%tile_0_0, {%tile_0_2}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    func.func private @f(memref<16xi32>)
    %core = aie.core(%tile_0_2) {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      scf.for %i = %c0 to %c4 step %c4 {
        %v = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
        memref.store %c0, %buf[%i] : memref<16xi32>
      }
      cf.br ^bb1(%c0 : index)
    ^bb1(%x: index):
      aie.end
    }
    aie.runtime_sequence @seq(%a : memref<16xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<16xi32>
    }
  }
}
";

    /// Which definition (its line from 1) the n-th token of a text names.
    fn line_of(text: &str, word: &str, n: usize) -> Option<usize> {
        let list = tokens(text);
        let names = Names::of(text, &list);
        let of_word = |(_, token): &(usize, &Token)| token.text(text) == word;
        let (at, _) = list.iter().enumerate().filter(of_word).nth(n)?;
        let definition = names.definition(at)?;
        let start = list.get(definition.token)?.start;
        Some(text[..start].matches('\n').count() + 1)
    }

    #[test]
    fn names_lead_to_their_definitions() {
        for (word, n, line) in [
            ("%tile_0_2", 1, 4),
            ("%tile_0_2", 3, 4),
            ("@in", 1, 6),
            ("@in", 2, 6),
            ("%i", 1, 11),
            ("%c0", 1, 9),
            ("%buf", 1, 5),
            ("^bb1", 0, 16),
            ("%a", 1, 19),
            ("%x", 0, 16),
            ("@main", 0, 2),
            ("@seq", 0, 19),
            ("@f", 0, 7),
        ] {
            assert_eq!(line_of(DESIGN, word, n), Some(line), "{word} {n}");
        }
    }

    #[test]
    fn equal_names_of_other_regions_are_others() {
        let text = "\
aie.device(npu2) @a {
  %t = aie.tile(0, 2)
  aie.core(%t) {
    %c = arith.constant 1 : i32
    aie.end
  }
  aie.core(%t) {
    %c = arith.constant 2 : i32
    %d = arith.addi %c, %c : i32
    aie.end
  }
}
aie.device(npu2) @b {
  %t = aie.tile(0, 2)
  aie.core(%t) {
    aie.end
  }
}
";
        assert_eq!(line_of(text, "%c", 2), Some(8));
        assert_eq!(line_of(text, "%t", 1), Some(2));
        assert_eq!(line_of(text, "%t", 4), Some(14));
        let list = tokens(text);
        let names = Names::of(text, &list);
        let first = names.definitions.iter().find(|d| d.name == "c");
        assert_eq!(names.references(first.expect("c")).len(), 1);
    }

    #[test]
    fn what_is_around_a_token_is_found() {
        let list = tokens(DESIGN);
        let names = Names::of(DESIGN, &list);
        let at = |word: &str| {
            let found = list.iter().position(|token| token.text(DESIGN) == word);
            found.expect("the word")
        };
        let name_of = |item: &Item| list[item.name.expect("an operation")].text(DESIGN);
        let store = names.item_around(at("%buf") + 1).expect("an item");
        assert_eq!(name_of(store), "aie.buffer");
        let acquire = names.item_around(at("Consume")).expect("an item");
        assert_eq!(name_of(acquire), "aie.objectfifo.acquire");
        let visible = names.visible(NameKind::Value, at("Consume"));
        let visible: Vec<&str> = visible.iter().map(|d| d.name.as_str()).collect();
        assert_eq!(
            visible,
            [
                "i", "v", "c0", "c4", "x", "tile_0_0", "tile_0_2", "buf", "core"
            ]
        );
    }

    #[test]
    fn texts_that_end_anywhere_have_names() {
        let mut seen = 0;
        for end in 0..DESIGN.len() {
            let text = &DESIGN[..end];
            let list = tokens(text);
            let names = Names::of(text, &list);
            for at in 0..list.len() {
                seen += usize::from(names.item_around(at).is_some());
                names.visible(NameKind::Value, at);
            }
        }
        assert!(seen > 0);
    }
}
