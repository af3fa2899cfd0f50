//! Completion at a place: operations, attributes, cases of enumerations, symbols, values.

use aiec_aie::ops::enums::LogicalTileType;
use aiec_aie::ops::{AttrDef, OPS, OpDef, OpKind};
use aiec_aie::text::lexer::TokenKind;
use aiec_device::{Bundle, DeviceModel};
use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionTextEdit, Documentation, MarkupContent,
    MarkupKind, TextEdit,
};

use crate::document::Document;
use crate::hover::description;
use crate::names::{NameKind, op_kind};
use crate::navigate::is_inert;

/// Completions at a byte offset.
pub fn complete(document: &Document, offset: usize) -> Vec<CompletionItem> {
    let mut items = match TypedWord::of(document, offset) {
        None => Vec::new(),
        Some(word) => word.items(document),
    };
    items.dedup_by(|a, b| a.label == b.label);
    items
}

/// A word that is being typed.
struct TypedWord {
    /// The first byte of the word that is being typed, and the pointer.
    start: usize,
    end: usize,
    /// The part of the word that is there.
    typed: String,
    /// Tokens before it.
    before: usize,
}

impl TypedWord {
    fn of(document: &Document, offset: usize) -> Option<TypedWord> {
        let before = document.tokens.partition_point(|token| token.end < offset);
        let token = document.tokens.get(before);
        let touched = token.filter(|token| token.start < offset && token.end >= offset);
        if let Some(token) = touched {
            if is_inert(token.kind) {
                return None;
            }
            if token.kind != TokenKind::Sign || "%@^#!".contains(token.text(&document.text)) {
                let typed = document.text.get(token.start..offset)?;
                return Some(TypedWord {
                    start: token.start,
                    end: offset,
                    typed: typed.to_string(),
                    before,
                });
            }
        }
        let before = document.tokens.partition_point(|token| token.end <= offset);
        let on_line = before.checked_sub(1).and_then(|at| document.tokens.get(at));
        if let Some(last) = on_line.filter(|token| token.kind == TokenKind::Comment)
            && !document.text.get(last.end..offset)?.contains('\n')
        {
            return None;
        }
        Some(TypedWord {
            start: offset,
            end: offset,
            typed: String::new(),
            before,
        })
    }

    fn items(&self, document: &Document) -> Vec<CompletionItem> {
        let names = |kind, sign: &str, icon| self.names(document, kind, sign, icon);
        match self.typed.bytes().next() {
            Some(b'%') => return names(NameKind::Value, "%", CompletionItemKind::VARIABLE),
            Some(b'@') => return names(NameKind::Symbol, "@", CompletionItemKind::CLASS),
            Some(b'^') => return names(NameKind::Block, "^", CompletionItemKind::REFERENCE),
            Some(b'#') => return names(NameKind::Alias, "#", CompletionItemKind::CONSTANT),
            Some(b'!') => return names(NameKind::Alias, "!", CompletionItemKind::CONSTANT),
            Some(b'"') => return Vec::new(),
            _ => {}
        }
        if self.starts_operation(document) {
            return self.operations();
        }
        let Some((def, brackets)) = self.operation(document) else {
            return Vec::new();
        };
        let last = self
            .before
            .checked_sub(1)
            .map_or("", |at| document.word(at));
        let inner = brackets.last().copied();
        match (inner, last) {
            (Some('{'), "=") => {
                let key = self
                    .before
                    .checked_sub(2)
                    .map_or("", |at| document.word(at));
                let attr = def.attrs.iter().find(|attr| attr.name == key);
                self.cases(attr.into_iter(), def)
            }
            (Some('{'), "{" | ",") => self.attributes(def),
            (Some('{'), _) => Vec::new(),
            _ => self.cases(def.attrs.iter(), def),
        }
    }

    fn item(&self, document: &Document, label: &str, icon: CompletionItemKind) -> CompletionItem {
        CompletionItem {
            label: label.to_string(),
            kind: Some(icon),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit {
                range: document.lines.range(&document.text, self.start, self.end),
                new_text: label.to_string(),
            })),
            ..CompletionItem::default()
        }
    }

    /// Names that can be used here.
    fn names(
        &self,
        document: &Document,
        kind: NameKind,
        sign: &str,
        icon: CompletionItemKind,
    ) -> Vec<CompletionItem> {
        let at = self.before.saturating_sub(1);
        let visible = document.names.visible(kind, at).into_iter();
        let mut seen = std::collections::BTreeSet::new();
        visible
            .filter(|definition| definition.token != self.before)
            .filter(|definition| {
                kind != NameKind::Alias || document.word(definition.token).starts_with(sign)
            })
            .filter(|definition| seen.insert(definition.name.clone()))
            .map(|definition| {
                let item = document.names.items.get(definition.item);
                let op = item.and_then(|item| item.name);
                CompletionItem {
                    detail: op.map(|op| document.word(op).to_string()),
                    ..self.item(document, &format!("{sign}{}", definition.name), icon)
                }
            })
            .collect()
    }

    /// Whether an operation may start here: at the start of a line, or after `=` of results.
    fn starts_operation(&self, document: &Document) -> bool {
        let Some(last) = self.before.checked_sub(1) else {
            return true;
        };
        let end = document.tokens.get(last).map_or(0, |token| token.end);
        let starts_line = document
            .text
            .get(end..self.start)
            .is_some_and(|gap| gap.contains('\n'));
        let after_results = document.word(last) == "="
            && last
                .checked_sub(1)
                .and_then(|at| document.tokens.get(at))
                .is_some_and(|token| token.kind == TokenKind::Value);
        let in_brackets = self
            .operation(document)
            .is_some_and(|(_, open)| !open.is_empty());
        after_results || (starts_line && (!in_brackets || document.word(last) == "{"))
    }

    /// All operations with a name.
    fn operations(&self) -> Vec<CompletionItem> {
        let dialect = self.typed.split_once('.').map(|(dialect, _)| dialect);
        OPS.iter()
            .filter(|def| dialect.is_none_or(|dialect| def.name.starts_with(dialect)))
            .map(|def| CompletionItem {
                label: def.name.to_string(),
                kind: Some(CompletionItemKind::FUNCTION),
                detail: Some(def.summary.trim().to_string()),
                documentation: Some(Documentation::MarkupContent(MarkupContent {
                    kind: MarkupKind::Markdown,
                    value: description(def),
                })),
                ..CompletionItem::default()
            })
            .collect()
    }

    /// The operation whose text this is in, and the brackets that are open in it.
    fn operation(&self, document: &Document) -> Option<(&'static OpDef, Vec<char>)> {
        let last = self.before.checked_sub(1)?;
        let item = document.names.item_around(last)?;
        let name = item.name?;
        let def = op_kind(document.word(name)).def()?;
        let mut open = Vec::new();
        for at in name + 1..self.before {
            match document.word(at) {
                "(" => open.push('('),
                "[" => open.push('['),
                "<" => open.push('<'),
                "{" => open.push('{'),
                ")" | "]" | ">" | "}" => {
                    open.pop();
                }
                _ => {}
            }
        }
        Some((def, open))
    }

    fn attributes(&self, def: &OpDef) -> Vec<CompletionItem> {
        let attrs = def.attrs.iter();
        attrs
            .map(|attr| CompletionItem {
                label: attr.name.to_string(),
                kind: Some(CompletionItemKind::PROPERTY),
                detail: Some(attr.expected.to_string()),
                insert_text: Some(format!("{} = ", attr.name)),
                ..CompletionItem::default()
            })
            .collect()
    }

    fn cases<'a>(
        &self,
        attrs: impl Iterator<Item = &'a AttrDef>,
        def: &OpDef,
    ) -> Vec<CompletionItem> {
        let mut items: Vec<CompletionItem> = Vec::new();
        for attr in attrs {
            for case in cases_of(attr, def.kind) {
                if items.iter().all(|item| item.label != case) {
                    items.push(CompletionItem {
                        label: case.to_string(),
                        kind: Some(CompletionItemKind::ENUM_MEMBER),
                        detail: Some(attr.name.to_string()),
                        ..CompletionItem::default()
                    });
                }
            }
        }
        items
    }
}

/// The cases of an attribute that is one of a few words.
fn cases_of(attr: &AttrDef, kind: OpKind) -> Vec<&'static str> {
    match (kind, attr.name) {
        (OpKind::Device, "device") => DeviceModel::all().map(DeviceModel::name).collect(),
        (OpKind::LogicalTile, "tile_type") => {
            LogicalTileType::ALL.iter().map(|(_, word)| *word).collect()
        }
        _ if attr.expected == "a wire bundle" => {
            Bundle::ALL.iter().map(|bundle| bundle.name()).collect()
        }
        _ => words_of(attr.expected),
    }
}

/// The words of an expectation that lists them, such as `Produce or Consume`.
fn words_of(expected: &'static str) -> Vec<&'static str> {
    let Some((first, last)) = expected.rsplit_once(" or ") else {
        return Vec::new();
    };
    let words: Vec<&str> = first.split(", ").chain([last]).collect();
    let is_word = |word: &&str| word.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if words.iter().all(is_word) {
        words
    } else {
        Vec::new()
    }
}
