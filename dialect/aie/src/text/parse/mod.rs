//! From text to IR, item by item.
//!
//! The parser walks the file by hand from operation to operation and runs one grammar rule on
//! each header (from the mnemonic up to the brace of the first region), so that memory stays
//! bounded by one operation. A mistake is reported once; parsing goes on at the next line that
//! starts an operation, and what depended on the bad one is skipped silently.
//!
//! Older spellings are normalised here: literal lock values become constants, positional BD
//! operands become named attributes, and so on (see `custom`).

mod affine;
mod attrs;
mod blank;
mod build;
pub mod codes;
mod cursor;
mod dense;
mod errors;
mod fields;
mod generic;
mod literals;
pub(crate) mod old_forms;
mod old_names;
mod recover;
mod region;
mod scope;
mod types;
mod unregistered;
mod values;

pub use codes::CODES;

use errors::GENERIC_FORM;
use literals::KnownLiterals;

pub(crate) use crate::text::syntax::Pair;
pub(crate) use affine::AffineNames;
pub(crate) use attrs::{symbol_name, symbol_ref, unescape};
pub(crate) use build::{Build, OpParser};
pub(crate) use cursor::Cursor;
pub(crate) use fields::Fields;
pub(crate) use literals::Literals;
pub(crate) use region::RegionStyle;
pub use unregistered::{UnregisteredOp, UnregisteredOpExtent, UnregisteredOpReader, parse_with};

use rustc_hash::FxHashMap;

use crate::ir::{Attr, Block, InsertPoint, Module, Op, Value};
use crate::ops::{OPS, OpKind, kind_of};
use crate::text::custom;
use crate::text::grammar::Rule;
use aiec_diag::{Diag, Diags, FileId, SourceMap, Span, did_you_mean};
use scope::{BlockScope, Entry, Scopes};

/// Nesting of regions at most. The deepest published design has about ten levels.
const MAX_REGION_DEPTH: usize = 128;

/// The operation can't be made; the reason was reported (or depends on something that was).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ParseFailed;

/// Parses a file of the map. Always returns a module: what could be read, empty at worst.
/// The findings come sorted by position.
pub fn parse(file: FileId, sources: &SourceMap, diags: &mut Diags) -> Module {
    match sources.file(file) {
        Some(source) => parse_text(file, &source.text, diags),
        None => Module::new(),
    }
}

/// Parses a text whose positions are those of `file`.
pub fn parse_text(file: FileId, text: &str, diags: &mut Diags) -> Module {
    read(file, text, None, diags)
}

/// Parses a text; `reader`, if given, reads the operations of other dialects.
fn read(
    file: FileId,
    text: &str,
    reader: Option<&mut dyn UnregisteredOpReader>,
    diags: &mut Diags,
) -> Module {
    let text = blank::blank_comments(text);
    let (text, old_name) = old_names::todays_names(&text);
    let mut parser = Parser::new(file, &text);
    if let Some(reader) = reader {
        parser.reader = Some(reader);
    }
    parser.file_level();
    let old_form = old_forms::todays_forms(&mut parser.m);
    let old_name = old_name.map(|at| Span::new(file, at, at + 1));
    if let Some(span) = old_name.or_else(|| parser.m.span(old_form?)) {
        let message = "this text has spellings of early 2024 or before, which are read as today's";
        parser.cursor.diags.push(
            Diag::note(&codes::OLDER_SPELLING, message)
                .label(Some(span), "the first one")
                .help("`aiec opt` prints today's form"),
        );
    }
    parser.cursor.diags.sort_by_position();
    diags.append(parser.cursor.diags);
    parser.m
}

/// Operations whose blocks are programs of a DMA.
const DMA_PROGRAMS: [OpKind; 3] = [OpKind::Mem, OpKind::MemTileDma, OpKind::ShimDma];

/// The state of parsing one file.
pub(crate) struct Parser<'s> {
    /// The place in the text.
    pub(crate) cursor: Cursor<'s>,
    known: KnownLiterals<'s>,
    /// The module under construction.
    pub(crate) m: Module,
    scopes: Scopes<'s>,
    blocks: Vec<BlockScope<'s>>,
    /// Where operations go.
    block: Block,
    /// Constants made for literals, by block and value, and the last one of each block.
    constants: FxHashMap<(Block, i64), Value>,
    last_constant: FxHashMap<Block, Op>,
    /// Entry blocks of the enclosing operations that constants for literals go to.
    constant_blocks: Vec<Block>,
    /// Who reads operations whose custom syntax is not known.
    reader: Option<&'s mut dyn UnregisteredOpReader>,
}

impl<'s> Parser<'s> {
    fn new(file: FileId, text: &'s str) -> Parser<'s> {
        let mut m = Module::new();
        m.reserve_for_text(text.len());
        let block = m.body();
        Parser {
            cursor: Cursor::new(file, text),
            known: KnownLiterals::default(),
            m,
            scopes: Scopes::new(),
            blocks: vec![BlockScope::default()],
            block,
            constants: FxHashMap::default(),
            last_constant: FxHashMap::default(),
            constant_blocks: Vec::new(),
            reader: None,
        }
    }

    /// Reads attributes and types.
    pub(crate) fn literals(&mut self) -> Literals<'_, 's> {
        Literals {
            cursor: &mut self.cursor,
            known: &mut self.known,
        }
    }

    fn file_level(&mut self) {
        self.scopes.enter(false);
        loop {
            self.cursor.skip_blanks();
            match self.cursor.peek() {
                None => break,
                Some(b'#') => self.alias(Rule::attr_alias_def),
                Some(b'!') => self.alias(Rule::type_alias_def),
                Some(b'{') if self.cursor.rest().starts_with("{-#") => {
                    match self.cursor.run(Rule::file_metadata) {
                        Ok(pair) => self.m.metadata = Some(pair.as_str().trim_end().into()),
                        Err(ParseFailed) => break,
                    }
                }
                Some(b'}') => {
                    self.cursor.unexpected_item("an operation");
                    self.cursor.pos += 1;
                }
                Some(_) => self.op(),
            }
        }
        let undefined = self.scopes.finish();
        self.report_undefined(undefined);
        self.hoist_module();
    }

    /// A file that is one `module { … }` is that module; others have an implied one.
    fn hoist_module(&mut self) {
        let ops = self.m.ops_in(self.m.body());
        if ops.is_empty() {
            // So that findings about an empty file name it.
            let loc = self.m.locs.span(Span::new(self.cursor.file, 0, 0));
            self.m.set_loc(self.m.top(), loc);
        }
        let [only] = ops[..] else {
            return;
        };
        if self.m.kind(only) != OpKind::BuiltinModule {
            return;
        }
        let attrs: Vec<_> = self
            .m
            .attrs(only)
            .map(|(k, v)| (k.to_string(), v.clone()))
            .collect();
        let top = self.m.top();
        for (key, value) in attrs {
            self.m.set_attr(top, &key, value);
        }
        let loc = self.m.loc(only);
        self.m.set_loc(top, loc);
        let body = self.m.body();
        if let Some(inner) = self.m.entry(only, 0) {
            for op in self.m.ops_in(inner) {
                self.m.move_to(op, InsertPoint::End(body));
            }
        }
        self.m.erase(only);
    }

    fn alias(&mut self, rule: Rule) {
        let start = self.cursor.pos;
        self.cursor.operation = None;
        if self.try_alias(rule).is_ok() {
            return;
        }
        let word = self.cursor.word_at(start + 1);
        let name = self
            .cursor
            .text
            .get(start..start + 1 + word.len())
            .unwrap_or("");
        if rule == Rule::attr_alias_def {
            self.known.attr_aliases.entry(name).or_insert(None);
        } else {
            self.known.type_aliases.entry(name).or_insert(None);
        }
        self.skip_line(start);
    }

    fn try_alias(&mut self, rule: Rule) -> Result<(), ParseFailed> {
        let pair = self.cursor.run(rule)?;
        let mut fields = Fields::of(pair);
        let name = fields.next(&mut self.cursor)?.as_str();
        let value = fields.next(&mut self.cursor)?;
        let twice = if rule == Rule::attr_alias_def {
            let attr = self.literals().attr(value)?;
            if let Attr::Opaque(text) = &attr
                && let Some(text) = location_text(text)
            {
                self.m.locs.define_alias(name, text);
            }
            self.known.attr_aliases.insert(name, Some(attr)).is_some()
        } else {
            let ty = self.literals().ty(value.as_str())?;
            self.known.type_aliases.insert(name, Some(ty)).is_some()
        };
        if twice {
            let message = format!("the alias `{name}` is defined twice");
            self.cursor.error_help(
                &codes::REDEFINED_VALUE,
                name,
                message,
                "rename one of the two",
            );
        }
        Ok(())
    }

    /// The entry block of the innermost operation of a kind around the current place.
    pub(crate) fn enclosing_entry(&self, kind: OpKind) -> Option<Block> {
        let mut block = self.block;
        loop {
            let op = self.m.block_parent(block)?;
            if self.m.kind(op) == kind {
                return self.m.entry(op, 0);
            }
            block = self.m.parent_block(op)?;
        }
    }

    // ---- operations ----

    /// Parses one operation, or reports and skips it.
    fn op(&mut self) {
        let start = self.cursor.pos;
        self.cursor.skip_from = start;
        let around = self.cursor.operation.take();
        let mut names = Vec::new();
        let made = self.results_and_op(&mut names);
        self.cursor.operation = around;
        match made {
            Ok(op) => self.bind(&names, op),
            Err(ParseFailed) => {
                for (name, _) in &names {
                    self.scopes.define(name, Entry::Poisoned);
                }
                self.recover();
            }
        }
    }

    fn results_and_op(&mut self, names: &mut Vec<(&'s str, usize)>) -> Result<Op, ParseFailed> {
        let start = self.cursor.pos;
        let mut results = "";
        if self.cursor.peek() == Some(b'%') {
            loop {
                self.cursor.skip_blanks();
                names.push(self.op_result()?);
                if !self.cursor.eat(",") {
                    break;
                }
            }
            results = self
                .cursor
                .text
                .get(start..self.cursor.pos)
                .unwrap_or("")
                .trim();
            if !self.cursor.eat("=") {
                let first = names.first().map_or("%name", |(name, _)| *name);
                let help = format!("what an operation results in is named `{first} = …`");
                return Err(self.cursor.unexpected_help(self.cursor.pos, "`=`", help));
            }
            self.cursor.skip_blanks();
        }
        let op = if self.cursor.peek() == Some(b'"') {
            self.generic_op()?
        } else {
            self.custom_op(results)?
        };
        self.cursor.skip_blanks();
        if self.cursor.rest().starts_with("loc(") {
            let pair = self.cursor.run(Rule::trailing_loc)?;
            if let (Some(text), Some(span)) = (location_text(pair.as_str()), self.m.span(op)) {
                let loc = self.m.locs.written(text, span);
                self.m.set_loc(op, loc);
            }
        }
        self.expect_end(op);
        Ok(op)
    }

    /// Reads attributes after an operation whose grammar has none there, and reports what can't
    /// start another operation. What was read of the operation is kept.
    fn expect_end(&mut self, op: Op) {
        match self.cursor.peek() {
            Some(b'{') => {
                if !self.cursor.at_brace() || self.late_attributes(op).is_ok() {
                    return;
                }
            }
            Some(b'(' | b'[' | b'<' | b'=' | b':' | b',') => {
                let before = self.cursor.text.get(..self.cursor.pos).unwrap_or("");
                let same_line = !before
                    .get(before.trim_end().len()..)
                    .unwrap_or("")
                    .contains('\n');
                if same_line {
                    self.cursor.unexpected_after();
                } else {
                    self.cursor.operation = None;
                    self.cursor.unexpected_item("an operation");
                }
            }
            _ => return,
        }
        self.skip_line(self.cursor.pos);
    }

    /// Reads the attribute dictionary after a region, if there is one.
    pub(crate) fn trailing_dict(&mut self, op: Op) -> Result<(), ParseFailed> {
        if self.cursor.at_brace() {
            self.late_attributes(op)
        } else {
            Ok(())
        }
    }

    fn late_attributes(&mut self, op: Op) -> Result<(), ParseFailed> {
        for entry in self.cursor.run(Rule::attr_dict)?.into_inner() {
            let (key, at, value) = self.literals().entry(entry)?;
            if self.m.attr(op, key).is_some() {
                let message = format!("attribute `{key}` is given twice");
                return Err(self.cursor.error(&codes::DUPLICATE_ATTRIBUTE, at, message));
            }
            self.m.set_attr(op, key, value);
        }
        Ok(())
    }

    /// `%name` or `%name:count` left of an equals sign.
    fn op_result(&mut self) -> Result<(&'s str, usize), ParseFailed> {
        let start = self.cursor.pos;
        let wordlike = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.' | b'-');
        let rest = self.cursor.rest().as_bytes();
        let len = match rest.first() {
            Some(b'%') => rest.iter().skip(1).take_while(|b| wordlike(b)).count(),
            _ => 0,
        };
        if len == 0 {
            let help = "a value's name is `%` and letters, digits or `_ $ . -`";
            return Err(self.cursor.unexpected_item_help("a value (`%name`)", help));
        }
        self.cursor.pos += 1 + len;
        let name = self.cursor.text.get(start..self.cursor.pos).unwrap_or("");
        if !self.cursor.eat(":") {
            return Ok((name, 1));
        }
        self.cursor.skip_blanks();
        let digits = self.cursor.word_at(self.cursor.pos);
        match digits.parse() {
            Ok(count) => {
                self.cursor.pos += digits.len();
                Ok((name, count))
            }
            Err(_) => {
                let help = format!("a pack of results is named `{name}:2 = …`");
                Err(self
                    .cursor
                    .unexpected_help(self.cursor.pos, "a number of results", help))
            }
        }
    }

    /// An operation in custom syntax; its results are named by a text already read.
    fn custom_op(&mut self, results: &'s str) -> Result<Op, ParseFailed> {
        let name = self.cursor.word_at(self.cursor.pos);
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return Err(self.cursor.unexpected_item("an operation"));
        }
        let kind = kind_of(custom::full_name(name));
        let Some(syntax) = custom::syntax(kind) else {
            return self.unregistered_op(name, results);
        };
        self.cursor.operation = Some((syntax.rule(), name));
        let pair = self.cursor.run(syntax.rule())?;
        if self.cursor.at_brace() && kind.def().is_some_and(|def| def.regions == Some(0)) {
            // Attributes that didn't match: matching them alone says why.
            let start = self.cursor.pos;
            self.cursor.run(Rule::attr_dict)?;
            self.cursor.pos = start;
        }
        // Before 2024 a BD was ended by a branch to the next one.
        let ends_bd = name == "br"
            && DMA_PROGRAMS
                .iter()
                .any(|k| self.enclosing_entry(*k).is_some());
        let kind = if ends_bd { OpKind::NextBd } else { kind };
        let build = Build::new(self, kind, &pair);
        let p = OpParser {
            parser: self,
            fields: Fields::of(pair),
            build,
        };
        syntax.parse(p)
    }

    fn unknown_op(&mut self, name: &'s str, kind: OpKind) -> ParseFailed {
        let span = self.cursor.span(name);
        let generic = format!(
            "write it in generic form: \"{name}\"(%operand, …) {{key = value, …}} : (TYPE, …) -> TYPE"
        );
        let dialect = name.split_once('.').map(|(dialect, _)| dialect);
        let (message, help) = match (kind, dialect) {
            (OpKind::Unknown, None) => {
                let help = match self.near_op(name) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("an operation is `dialect.op …`, or {GENERIC_FORM}"),
                };
                (format!("expected an operation, found `{name}`"), help)
            }
            (OpKind::Unknown, Some(dialect)) => {
                let known = OPS
                    .iter()
                    .any(|def| def.name.split_once('.').is_some_and(|(d, _)| d == dialect));
                let message = if known {
                    format!("unknown operation `{name}`")
                } else {
                    format!("the custom syntax of `{name}` is not known here")
                };
                let help = match self.near_op(name) {
                    Some(near) => format!("did you mean `{near}`? If not, {generic}"),
                    None => generic,
                };
                (message, help)
            }
            _ => (
                format!("the custom syntax of `{name}` is not known here"),
                generic,
            ),
        };
        self.cursor.report(
            Diag::error(&codes::UNKNOWN_OP, message)
                .label(span, "no operation with a custom syntax")
                .help(help),
        )
    }

    /// The operation whose name is nearest to a misspelt one; the dialect may be missing.
    fn near_op(&self, name: &str) -> Option<&'static str> {
        let names = || OPS.iter().map(|def| def.name);
        let without = |full: &str| full.split_once('.').map(|(_, op)| op == name);
        names()
            .find(|full| without(full) == Some(true))
            .or_else(|| did_you_mean(name, names()))
    }
}

/// The part between the parentheses of `loc(…)`.
fn location_text(text: &str) -> Option<&str> {
    let text = text.trim_end().strip_prefix("loc")?.trim_start();
    Some(text.strip_prefix('(')?.strip_suffix(')')?.trim())
}
