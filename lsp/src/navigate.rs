//! From names to their definitions, and back.

use lsp_types::{Location, Range, TextEdit, WorkspaceEdit};

use aiec_aie::text::lexer::TokenKind;

use crate::document::{Document, Language};

/// The name at a byte offset: where it is defined, and everywhere that it is, itself among them.
pub struct FoundName {
    /// The name, without its sign.
    pub name: String,
    /// Where it is defined.
    pub definition: Range,
    /// Where it is used, its definition first.
    pub uses: Vec<Range>,
    /// Where it is under the pointer.
    pub here: Range,
}

/// Finds the name at a byte offset.
pub fn name_at(document: &Document, offset: usize) -> Option<FoundName> {
    match document.language {
        Language::Mlir => {
            let token = document.token_at(offset)?;
            let (token, definition) = match document.names.definition(token) {
                Some(definition) => (token, definition),
                // Between a name and a bracket the pointer is at both.
                None => {
                    let before = token.checked_sub(1)?;
                    let touches = document.tokens.get(before)?.end == offset;
                    (
                        before,
                        document.names.definition(before).filter(|_| touches)?,
                    )
                }
            };
            let uses = document.names.references(definition);
            Some(FoundName {
                name: definition.name.clone(),
                definition: bare_range(document, definition.token),
                uses: uses.iter().map(|at| bare_range(document, *at)).collect(),
                here: bare_range(document, token),
            })
        }
        Language::Assembly => {
            let found = document.labels.at(&document.text, offset)?;
            let range =
                |(start, end): &(usize, usize)| document.lines.range(&document.text, *start, *end);
            Some(FoundName {
                name: found.name.to_string(),
                definition: range(&found.definition),
                uses: found.places.iter().map(range).collect(),
                here: range(&found.here),
            })
        }
    }
}

/// The part of a token that is its name: without sign, quotes and number of a result.
fn bare_range(document: &Document, token: usize) -> Range {
    let word = document.word(token);
    let bare = crate::names::bare(word);
    let skipped = word.find(bare).unwrap_or(0);
    let start = document.tokens.get(token).map_or(0, |token| token.start) + skipped;
    document
        .lines
        .range(&document.text, start, start + bare.len())
}

/// Where the name at a byte offset is defined.
pub fn definition(document: &Document, offset: usize) -> Option<Location> {
    let found = name_at(document, offset)?;
    Some(Location {
        uri: document.uri.clone(),
        range: found.definition,
    })
}

/// Where the name at a byte offset is used.
pub fn references(document: &Document, offset: usize, with_definition: bool) -> Vec<Location> {
    let Some(found) = name_at(document, offset) else {
        return Vec::new();
    };
    let uses = found.uses.into_iter();
    let uses = uses.filter(|range| with_definition || *range != found.definition);
    let location = |range| Location {
        uri: document.uri.clone(),
        range,
    };
    uses.map(location).collect()
}

/// The edits that give the name at a byte offset another one.
///
/// # Errors
/// Nothing is to be renamed there, or the new name can't be one; the message says which.
#[allow(clippy::mutable_key_type)] // the protocol's own type; its hash leaves out the part that may change
pub fn rename(document: &Document, offset: usize, new: &str) -> Result<WorkspaceEdit, String> {
    let Some(found) = name_at(document, offset) else {
        return Err("no name that this text defines is here".to_string());
    };
    let new = new.trim_start_matches(['%', '@', '^', '#', '!']);
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_$.-".contains(c);
    let is_digits = new.starts_with(|c: char| c.is_ascii_digit());
    let mixed = is_digits && !new.bytes().all(|b| b.is_ascii_digit());
    if new.is_empty() || !new.chars().all(is_name) || mixed {
        return Err(format!(
            "`{new}` can't be a name: names are letters, digits, `_`, `$`, `.` and `-`, and begin with no digit"
        ));
    }
    let edits: Vec<TextEdit> = found
        .uses
        .into_iter()
        .map(|range| TextEdit {
            range,
            new_text: new.to_string(),
        })
        .collect();
    Ok(WorkspaceEdit {
        changes: Some([(document.uri.clone(), edits)].into()),
        ..WorkspaceEdit::default()
    })
}

/// Whether a token is within a comment or a text, where nothing is completed.
pub fn is_inert(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Comment | TokenKind::Metadata)
}
