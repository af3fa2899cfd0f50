//! Descriptions of the word under the pointer.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{Buffer, Device, Lock, OpDef, OpKind, OpView, Tile};
use aiec_aie::text::lexer::TokenKind;
use aiec_passes::analysis::budget::TileBudget;
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind};

use crate::Analysis;
use crate::document::Document;
use crate::names::{Item, NameKind, op_kind};

/// Lines of a list; more are counted.
const MAX_LINES: usize = 12;

/// Description of the token at a byte offset.
pub fn hover(document: &Document, offset: usize) -> Option<Hover> {
    let token = document.token_at(offset)?;
    let kind = document.tokens.get(token)?.kind;
    let text = match kind {
        TokenKind::Value | TokenKind::Symbol | TokenKind::Block | TokenKind::Text => {
            named(document, token)
        }
        _ => None,
    };
    let text = text.or_else(|| operation(document, token))?;
    Some(Hover {
        contents: HoverContents::Markup(MarkupContent {
            kind: MarkupKind::Markdown,
            value: text,
        }),
        range: Some(document.token_range(token)),
    })
}

/// The definition of a name, with facts about it.
fn named(document: &Document, token: usize) -> Option<String> {
    let definition = document.names.definition(token)?;
    let item = document.names.items.get(definition.item)?;
    let mut text = format!("```mlir\n{}\n```\n", first_line(document, item));
    if definition.kind == NameKind::Value {
        let of = document.tokens.get(item.first).map(|token| token.kind);
        if definition.token > item.name.unwrap_or(definition.token) || of == Some(TokenKind::Block)
        {
            text += "\nan argument or a loop variable\n";
            return Some(text);
        }
    }
    text += &facts(document, item);
    Some(text)
}

/// The text of an operation on its first line.
fn first_line<'d>(document: &'d Document, item: &Item) -> &'d str {
    let start = document
        .tokens
        .get(item.first)
        .map_or(0, |token| token.start);
    let rest = document.text.get(start..).unwrap_or("");
    rest.lines().next().unwrap_or("").trim_end()
}

/// The operation whose name a token is.
fn operation(document: &Document, token: usize) -> Option<String> {
    let def = op_kind(document.word(token)).def()?;
    let mut text = description(def);
    let item = document.names.item_around(token);
    if let Some(item) = item.filter(|item| item.name == Some(token)) {
        text += &facts(document, item);
    }
    Some(text)
}

/// The row of an operation in the table.
pub fn description(def: &OpDef) -> String {
    let mut text = format!("**{}**\n\n{}\n", def.name, def.summary.trim());
    let operands: Vec<String> = def
        .operands
        .iter()
        .map(|operand| format!("`{operand}`"))
        .collect();
    if !operands.is_empty() {
        let _ = writeln!(text, "\noperands: {}", operands.join(", "));
    }
    if !def.attrs.is_empty() {
        text += "\n";
    }
    for attr in def.attrs {
        let optional = if attr.required { "" } else { ", optional" };
        let _ = writeln!(text, "* `{}`: {}{optional}", attr.name, attr.expected);
    }
    text
}

/// Facts that the compiler found out about an operation.
fn facts(document: &Document, item: &Item) -> String {
    let analysis = document.design();
    let Some(span) = span_start(document, analysis, item) else {
        return String::new();
    };
    let mut text = String::new();
    let Some(module) = analysis.routed.as_ref() else {
        return "\nnot compiled: see the findings\n".to_string();
    };
    let of_item = ops_of(module, analysis, span);
    let mut others: BTreeMap<&str, usize> = BTreeMap::new();
    let mut places = Vec::new();
    let name = item
        .name
        .map_or(OpKind::Unknown, |name| op_kind(document.word(name)));
    for op in of_item {
        if let Some(tile) = Tile::cast(module, op).filter(|_| name == OpKind::Tile) {
            text += &tile_facts(module, tile);
        } else if let Some(buffer) = Buffer::cast(module, op) {
            places.extend(buffer_line(module, buffer));
        } else if let Some(lock) = Lock::cast(module, op) {
            places.extend(lock_line(module, lock));
        }
        if module.kind(op) != name {
            *others.entry(module.op_name(op)).or_default() += 1;
        }
    }
    if !places.is_empty() {
        text += "\n";
        for place in places.iter().take(MAX_LINES) {
            let _ = writeln!(text, "* {place}");
        }
        if let Some(more) = places.len().checked_sub(MAX_LINES).filter(|more| *more > 0) {
            let _ = writeln!(text, "* {more} more");
        }
    }
    if !others.is_empty() {
        let made: Vec<String> = others
            .into_iter()
            .map(|(name, count)| format!("{count} × `{name}`"))
            .collect();
        let _ = writeln!(text, "\nbecomes {}", made.join(", "));
    }
    text
}

/// Where the name of an operation is in the text of an analysis, which may be an older one.
fn span_start(document: &Document, analysis: &Analysis, item: &Item) -> Option<u32> {
    let start = document.tokens.get(item.name?)?.start;
    let old = &analysis.sources.file(analysis.file)?.text;
    if *old == document.text {
        return u32::try_from(start).ok();
    }
    // The texts agree before the change and after it.
    let is_same = |at: usize| old.as_bytes().get(..at) == document.text.as_bytes().get(..at);
    if is_same(start) {
        return u32::try_from(start).ok();
    }
    let from_end = document.text.len() - start;
    let at = old.len().checked_sub(from_end)?;
    (old.as_bytes().get(at..) == document.text.as_bytes().get(start..))
        .then(|| u32::try_from(at).ok())?
}

/// The operations that go back to the one whose name is at a byte of the text.
fn ops_of(module: &Module, analysis: &Analysis, start: u32) -> Vec<Op> {
    let is_of_item = |op: &Op| {
        let span = module.span(*op);
        span.is_some_and(|span| span.file == analysis.file && span.start == start)
    };
    module.walk(module.top()).filter(is_of_item).collect()
}

/// Resources of a tile.
fn tile_facts(module: &Module, tile: Tile) -> String {
    let found = Device::around(module, tile.op()).and_then(|device| {
        let loc = tile.loc(module)?;
        Some(TileBudget::of(module, device.op(), loc))
    });
    found.map_or(String::new(), |budget| {
        format!("\n```text\n{}\n```\n", budget.full_table())
    })
}

/// The place of a buffer.
fn buffer_line(module: &Module, buffer: Buffer) -> Option<String> {
    let name = buffer.sym_name(module).unwrap_or_default();
    let mut line = format!("`{name}`");
    if let Some(bytes) = buffer.bytes(module) {
        let _ = write!(line, ": {bytes} bytes");
    }
    if let Some(loc) = buffer.tile_loc(module) {
        let _ = write!(line, " in tile {loc}");
    }
    if let Some(address) = buffer.address(module) {
        let _ = write!(line, " at {address:#x}");
    }
    if let Some(bank) = buffer.mem_bank(module) {
        let _ = write!(line, ", bank {bank}");
    }
    Some(line)
}

/// The number of a lock.
fn lock_line(module: &Module, lock: Lock) -> Option<String> {
    let id = lock.lockID(module)?;
    let name = lock.sym_name(module).unwrap_or_default();
    let loc = lock.tile_loc(module)?;
    let mut line = format!("lock {id} of tile {loc}");
    if !name.is_empty() {
        let _ = write!(line, ": `{name}`");
    }
    if let Some(init) = lock.init(module) {
        let _ = write!(line, ", at first {init}");
    }
    Some(line)
}
