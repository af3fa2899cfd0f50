//! Control code in assembly: hover and completion of instructions, symbols.

use aiec_cert::asm::{DIRECTIVES, OPERATIONS};
use aiec_cert::isa::{OPS, OpInfo};
use lsp_types::{
    CompletionItem, CompletionItemKind, DocumentSymbol, Hover, HoverContents, MarkupContent,
    MarkupKind, SymbolKind,
};

use crate::document::Document;
use crate::labels::{is_name, word_at};

/// Description of the instruction or directive at a byte offset.
pub fn hover(document: &Document, offset: usize) -> Option<Hover> {
    let (start, end) = word_at(&document.text, offset)?;
    let word = document.text.get(start..end)?;
    let value = match OPS.iter().find(|op| op.mnemonic.eq_ignore_ascii_case(word)) {
        Some(op) => instruction(op),
        None => other(word)?,
    };
    Some(Hover {
        contents: HoverContents::Markup(MarkupContent {
            kind: MarkupKind::Markdown,
            value,
        }),
        range: Some(document.lines.range(&document.text, start, end)),
    })
}

/// A row of the table of instructions.
fn instruction(op: &OpInfo) -> String {
    let fields = op.fields.iter().filter(|field| field.in_text());
    let operands: Vec<&str> = fields.clone().map(|field| field.name).collect();
    let mut text = format!(
        "```asm\n{} {}\n```\n\n{}\n\nopcode {:#04x}, {} bytes\n",
        op.mnemonic,
        operands.join(", "),
        op.doc,
        op.opcode,
        op.size
    );
    let lines: Vec<String> = fields
        .map(|field| format!("* `{}`: {}", field.name, field.doc))
        .collect();
    if !lines.is_empty() {
        text += &format!("\n{}\n", lines.join("\n"));
    }
    text
}

/// A directive, or an operation besides instructions.
fn other(word: &str) -> Option<String> {
    if let Some(row) = DIRECTIVES.iter().find(|row| row.name == word) {
        return Some(format!(
            "```asm\n{} {}\n```\n\n{}\n",
            row.name, row.operand, row.doc
        ));
    }
    let of_name = |syntax: &str| syntax.split(' ').next() == Some(word);
    let row = OPERATIONS.iter().find(|row| of_name(row.syntax))?;
    Some(format!("```asm\n{}\n```\n\n{}\n", row.syntax, row.doc))
}

/// Completions: instructions and directives, or labels after `@`.
pub fn complete(document: &Document, offset: usize) -> Vec<CompletionItem> {
    let before = document.text.get(..offset).unwrap_or("");
    let line = before.rsplit('\n').next().unwrap_or("");
    let typed = line.len() - line.trim_end_matches(is_name).len();
    let rest = line.get(..line.len() - typed).unwrap_or("");
    if line.contains(';') {
        return Vec::new();
    }
    if rest.ends_with('@') {
        let labels = document.labels.defined();
        return labels
            .map(|name| CompletionItem {
                label: name.clone(),
                kind: Some(CompletionItemKind::REFERENCE),
                ..CompletionItem::default()
            })
            .collect();
    }
    if !rest.trim().is_empty() {
        return Vec::new();
    }
    let instructions = OPS.iter().map(|op| CompletionItem {
        label: op.mnemonic.to_string(),
        kind: Some(CompletionItemKind::FUNCTION),
        detail: Some(op.doc.to_string()),
        ..CompletionItem::default()
    });
    let directives = DIRECTIVES.iter().map(|row| CompletionItem {
        label: row.name.to_string(),
        kind: Some(CompletionItemKind::KEYWORD),
        detail: Some(row.doc.to_string()),
        ..CompletionItem::default()
    });
    instructions.chain(directives).collect()
}

/// The labels of a text.
pub fn symbols(document: &Document) -> Vec<DocumentSymbol> {
    let symbol = |name: &String| {
        let (start, end) = document.labels.definition(name)?;
        let range = document.lines.range(&document.text, start, end);
        #[allow(deprecated)] // the type has a deprecated field without a default
        Some(DocumentSymbol {
            name: name.clone(),
            detail: None,
            kind: SymbolKind::FIELD,
            tags: None,
            deprecated: None,
            range,
            selection_range: range,
            children: None,
        })
    };
    document.labels.defined().filter_map(symbol).collect()
}
