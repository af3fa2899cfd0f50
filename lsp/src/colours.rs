//! The kinds of tokens, for editors that colour by them.

use aiec_aie::ops::OpKind;
use aiec_aie::text::lexer::TokenKind;
use lsp_types::{SemanticToken, SemanticTokenType};

use crate::document::{Document, Language, number};
use crate::names::op_kind;

/// The kinds that tokens have here; their numbers are their places.
pub const LEGEND: [SemanticTokenType; 9] = [
    SemanticTokenType::COMMENT,
    SemanticTokenType::STRING,
    SemanticTokenType::NUMBER,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::CLASS,
    SemanticTokenType::TYPE,
    SemanticTokenType::PROPERTY,
    SemanticTokenType::KEYWORD,
];

const COMMENT: u32 = 0;
const TEXT: u32 = 1;
const NUMBER: u32 = 2;
const OPERATION: u32 = 3;
const VALUE: u32 = 4;
const SYMBOL: u32 = 5;
const TYPE: u32 = 6;
const KEY: u32 = 7;
const WORD: u32 = 8;

/// The tokens of a document with their kinds.
pub fn tokens(document: &Document) -> Vec<SemanticToken> {
    let kinds: Vec<(usize, usize, u32)> = match document.language {
        Language::Mlir => (0..document.tokens.len())
            .filter_map(|at| {
                let token = document.tokens.get(at)?;
                Some((token.start, token.end, kind(document, at)?))
            })
            .collect(),
        Language::Assembly => Vec::new(),
    };
    let mut list = Vec::with_capacity(kinds.len());
    let (mut line, mut character) = (0, 0);
    for (start, end, token_type) in kinds {
        let from = document.lines.position(&document.text, start);
        let to = document.lines.position(&document.text, end);
        // A token of several lines, as only the file's metadata is, has no place in the list.
        if from.line != to.line {
            continue;
        }
        let delta_line = from.line - line;
        list.push(SemanticToken {
            delta_line,
            delta_start: if delta_line == 0 {
                from.character - character
            } else {
                from.character
            },
            length: to.character - from.character,
            token_type,
            token_modifiers_bitset: 0,
        });
        (line, character) = (from.line, from.character);
    }
    debug_assert!(number(list.len()) < u32::MAX);
    list
}

fn kind(document: &Document, at: usize) -> Option<u32> {
    let word = document.word(at);
    Some(match document.tokens.get(at)?.kind {
        TokenKind::Comment | TokenKind::Metadata => COMMENT,
        TokenKind::Text if op_kind(word) != OpKind::Unknown => OPERATION,
        TokenKind::Text => TEXT,
        TokenKind::Value => VALUE,
        TokenKind::Symbol => SYMBOL,
        TokenKind::Block | TokenKind::Attribute => WORD,
        TokenKind::Type => TYPE,
        TokenKind::Number => NUMBER,
        TokenKind::Word if is_type(word) => TYPE,
        TokenKind::Word if op_kind(word) != OpKind::Unknown => OPERATION,
        TokenKind::Word if document.word(at + 1) == "=" => KEY,
        TokenKind::Word => WORD,
        TokenKind::Sign => return None,
    })
}

/// Whether a word is a type of MLIR.
fn is_type(word: &str) -> bool {
    let bits = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    let builtin = [
        "index", "memref", "tensor", "vector", "none", "bf16", "complex", "tuple",
    ];
    let number = word.strip_prefix("si").or_else(|| word.strip_prefix("ui"));
    let number = number.or_else(|| word.strip_prefix(['i', 'f']));
    builtin.contains(&word) || number.is_some_and(bits) || word.starts_with('x') && is_shape(word)
}

/// Whether a word is the end of a shape, such as `xi32`.
fn is_shape(word: &str) -> bool {
    word.strip_prefix('x').is_some_and(is_type)
}
