//! The outline of a design: devices with tiles, fifos, buffers, cores, sequences.

use lsp_types::{DocumentSymbol, SymbolKind};

use aiec_aie::ops::{OpKind, Traits};
use rustc_hash::FxHashMap;

use crate::document::Document;
use crate::names::{Definition, Item, NameKind, op_kind};

/// The symbols of a design, each with those in its regions.
pub fn symbols(document: &Document) -> Vec<DocumentSymbol> {
    let mut defined: FxHashMap<usize, Vec<&Definition>> = FxHashMap::default();
    for definition in &document.names.definitions {
        defined.entry(definition.item).or_default().push(definition);
    }
    let mut open: Vec<(usize, DocumentSymbol)> = Vec::new();
    let mut roots = Vec::new();
    for (number, item) in document.names.items.iter().enumerate() {
        // Operations that have ended get no more parts.
        while let Some((end, _)) = open.last()
            && *end <= item.first
        {
            close(&mut open, &mut roots);
        }
        let of_item = defined.get(&number).map_or(&[][..], Vec::as_slice);
        if let Some(symbol) = symbol(document, of_item, item) {
            open.push((item.end, symbol));
        }
    }
    while !open.is_empty() {
        close(&mut open, &mut roots);
    }
    roots
}

fn close(open: &mut Vec<(usize, DocumentSymbol)>, roots: &mut Vec<DocumentSymbol>) {
    let Some((_, symbol)) = open.pop() else {
        return;
    };
    match open.last_mut() {
        Some((_, outer)) => outer.children.get_or_insert_default().push(symbol),
        None => roots.push(symbol),
    }
}

/// An operation in the outline; `None` where it isn't worth a line.
fn symbol(document: &Document, defined: &[&Definition], item: &Item) -> Option<DocumentSymbol> {
    let name_token = item.name?;
    let kind = op_kind(document.word(name_token));
    let icon = match kind {
        OpKind::BuiltinModule => SymbolKind::MODULE,
        OpKind::Device => SymbolKind::NAMESPACE,
        OpKind::Tile | OpKind::LogicalTile => SymbolKind::OBJECT,
        OpKind::Core | OpKind::FuncFunc | OpKind::RuntimeSequence => SymbolKind::FUNCTION,
        OpKind::Buffer | OpKind::ExternalBuffer | OpKind::MemrefGlobal => SymbolKind::VARIABLE,
        OpKind::Lock => SymbolKind::KEY,
        OpKind::Mem | OpKind::MemTileDma | OpKind::ShimDma => SymbolKind::EVENT,
        OpKind::ObjectFifo => SymbolKind::INTERFACE,
        _ if kind.has(Traits::SYMBOL) => SymbolKind::VARIABLE,
        _ => return None,
    };
    let symbol = defined.iter().find(|d| d.kind == NameKind::Symbol);
    let named = symbol.or_else(|| defined.iter().find(|d| d.token < name_token));
    let token = named.map_or(name_token, |definition| definition.token);
    let op = document.word(name_token).trim_matches('"');
    let start = document.tokens.get(item.first)?.start;
    let end = document.tokens.get(item.end.checked_sub(1)?)?.end;
    #[allow(deprecated)] // the type has a deprecated field without a default
    Some(DocumentSymbol {
        name: named.map_or(op, |_| document.word(token)).to_string(),
        detail: Some(op.to_string()),
        kind: icon,
        tags: None,
        deprecated: None,
        range: document.lines.range(&document.text, start, end.max(start)),
        selection_range: document.token_range(token),
        children: None,
    })
}
