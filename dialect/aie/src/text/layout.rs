//! The layout of a text: indentation, blanks between tokens, empty lines. Tokens, names, comments and the lines
//! that their author made stay as they are; printing a module ([`super::print()`]) makes a text of its own.
//!
//! The plain checker is [`check_same`]: before and after have the same tokens and read as the same module.

use super::lexer::{Token, TokenKind, tokens};
use super::{PrintOptions, parse_text, print};
use aiec_diag::{Diags, FileId, InternalError};

/// Columns of a region or a dictionary.
const REGION: usize = 2;

/// Columns of other brackets, and of the further lines of an operation.
const CONTINUED: usize = 4;

/// The text in its layout. Laying it out again changes nothing.
pub fn layout(text: &str) -> String {
    let list = tokens(text);
    let mut writer = Writer {
        text,
        tokens: &list,
        lines: Vec::new(),
        open: Vec::new(),
        item_indent: 0,
        is_label: false,
        last: None,
    };
    writer.all();
    joined(writer.lines)
}

/// Compares a text with its layout: the tokens are the same, and so is the module that is read.
///
/// # Errors
/// They differ: a mistake of the formatter.
pub fn check_same(before: &str, after: &str) -> Result<(), InternalError> {
    let words = |text: &str| -> Vec<(TokenKind, String)> {
        let list = tokens(text).into_iter();
        list.map(|token| (token.kind, token.text(text).to_string()))
            .collect()
    };
    if words(before) != words(after) {
        return Err(aiec_diag::internal!("the formatted text has other words"));
    }
    let module = |text: &str| {
        let generic = true;
        let module = parse_text(FileId::default(), text, &mut Diags::new());
        print(&module, PrintOptions { generic })
    };
    if module(before) != module(after) {
        return Err(aiec_diag::internal!(
            "the formatted text has another meaning"
        ));
    }
    Ok(())
}

/// A bracket that is open.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// `{`, `(`, `[` or `<`.
    sign: u8,
    /// Whether operations are in it.
    is_region: bool,
    /// Indentation of the line that opens it, or of the operation that a region belongs to.
    indent: usize,
    /// Whether its contents stay as they are: text whose blanks the parser keeps.
    verbatim: bool,
}

/// A line of the result.
#[derive(Debug, Default)]
struct Line {
    text: String,
    /// A comment after the text, and the column that it had.
    comment: Option<(String, usize)>,
    /// Whether an empty line is before it.
    after_empty: bool,
}

struct Writer<'a> {
    text: &'a str,
    tokens: &'a [Token],
    lines: Vec<Line>,
    open: Vec<Open>,
    /// Indentation of the operation that is being written.
    item_indent: usize,
    /// Whether that is the label of a block.
    is_label: bool,
    /// The last token that isn't a comment.
    last: Option<Token>,
}

/// Words without a dot that are names of operations.
const SHORT_NAMES: [&str; 6] = ["module", "return", "func", "call", "br", "cond_br"];

/// Words in front of further regions of an operation.
const FURTHER_REGIONS: [&str; 4] = ["case", "default", "do", "else"];

/// Words after which blanks within brackets are part of what is read.
const VERBATIM: [&str; 6] = [
    "dense",
    "dense_resource",
    "sparse",
    "affine_set",
    "affine_map",
    "loc",
];

impl<'a> Writer<'a> {
    fn str(&self, at: usize) -> &'a str {
        self.tokens
            .get(at)
            .map_or("", |token| token.text(self.text))
    }

    fn kind(&self, at: usize) -> Option<TokenKind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    fn all(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            at = self.line(at);
        }
    }

    /// Blanks before a token.
    fn before(&self, at: usize) -> &'a str {
        let from = match at.checked_sub(1).and_then(|n| self.tokens.get(n)) {
            Some(token) => token.end,
            None => 0,
        };
        let to = self.tokens.get(at).map_or(from, |token| token.start);
        self.text.get(from..to).unwrap_or("")
    }

    /// Writes the line that starts with a token; the first token of the next one.
    fn line(&mut self, first: usize) -> usize {
        let breaks = self.before(first).matches('\n').count();
        let after_empty = first > 0 && breaks > 1;
        let indent = self.indent(first);
        let mut line = Line {
            after_empty,
            ..Line::default()
        };
        if self.open.last().is_some_and(|open| open.verbatim) {
            let blanks = self.before(first);
            line.text = blanks.rsplit('\n').next().unwrap_or("").to_string();
        } else {
            line.text = " ".repeat(indent);
        }
        let mut at = first;
        loop {
            let text = self.str(at);
            if self.kind(at) == Some(TokenKind::Comment) {
                if at == first {
                    line.text += text;
                } else {
                    line.comment = Some((text.to_string(), self.column(at)));
                }
                at += 1;
                break;
            }
            line.text += text;
            self.bracket(at, indent);
            self.last = self.tokens.get(at).copied();
            at += 1;
            if at >= self.tokens.len() || self.before(at).contains('\n') {
                break;
            }
            if self.kind(at) != Some(TokenKind::Comment) {
                let gap = self.gap(at);
                line.text += gap;
            }
        }
        self.lines.push(line);
        at
    }

    /// The column of a token in its line, in characters.
    fn column(&self, at: usize) -> usize {
        let start = self.tokens.get(at).map_or(0, |token| token.start);
        let before = self.text.get(..start).unwrap_or("");
        let line = before.rsplit('\n').next().unwrap_or("");
        line.chars().count()
    }

    /// The indentation of the line that starts with a token; that an operation starts is remembered.
    fn indent(&mut self, first: usize) -> usize {
        let in_line = |at: &usize| *at == first || !self.before(*at).contains('\n');
        let closers =
            (first..self.tokens.len()).take_while(|at| in_line(at) && is_closer(self.str(*at)));
        let closed = closers.count();
        if closed > 0 {
            let outermost = self.open.len().saturating_sub(closed);
            return self.open.get(outermost).map_or(0, |open| open.indent);
        }
        let inner = match self.open.last() {
            Some(open) if open.sign == b'{' => open.indent + REGION,
            Some(open) => return open.indent + CONTINUED,
            None => 0,
        };
        let in_region = self.open.last().is_none_or(|open| open.is_region);
        if !in_region || self.kind(first) == Some(TokenKind::Comment) {
            return inner;
        }
        if self.kind(first) == Some(TokenKind::Word) && FURTHER_REGIONS.contains(&self.str(first)) {
            return self.item_indent;
        }
        if !self.starts_item(first) {
            return inner + CONTINUED;
        }
        self.is_label = self.kind(first) == Some(TokenKind::Block);
        // Labels stand out of the operations of their blocks.
        self.item_indent = if self.is_label && !self.open.is_empty() {
            inner - REGION
        } else {
            inner
        };
        self.item_indent
    }

    /// Whether a line of a region that starts with a token starts an operation, a block or an alias.
    fn starts_item(&self, first: usize) -> bool {
        let last = self.last.map_or("", |token| token.text(self.text));
        let is_label_end = last == ":" && self.is_label;
        if matches!(last, "," | "=" | "->" | ":" | "::") && !is_label_end {
            return false;
        }
        let word = self.str(first);
        let next = self.str(first + 1);
        match self.kind(first) {
            Some(TokenKind::Value) => {
                let pack = next == ":" && self.kind(first + 2) == Some(TokenKind::Number);
                next == "=" || next == "," || (pack && matches!(self.str(first + 3), "=" | ","))
            }
            Some(TokenKind::Text) => next == "(",
            Some(TokenKind::Block | TokenKind::Metadata) => true,
            Some(TokenKind::Attribute | TokenKind::Type) => next == "=",
            Some(TokenKind::Word) => is_op_name(word) && next != "=",
            _ => false,
        }
    }

    /// Opens or closes brackets by a token that was written.
    fn bracket(&mut self, at: usize, line_indent: usize) {
        let text = self.str(at);
        if is_closer(text) {
            if let Some(open) = self.open.pop()
                && open.is_region
            {
                self.item_indent = open.indent;
                self.is_label = false;
            }
            return;
        }
        if !matches!(text, "{" | "(" | "[" | "<") || self.kind(at) != Some(TokenKind::Sign) {
            return;
        }
        let is_region = text == "{" && self.opens_region(at);
        let around = self.open.last();
        let in_item = around.is_none_or(|open| open.is_region || open.sign == b'(');
        let before = at.checked_sub(1).map_or("", |before| self.str(before));
        let is_foreign = before.starts_with(['#', '!'])
            && before.contains('.')
            && !before.starts_with("#aie")
            && !before.starts_with("!aie");
        let verbatim = around.is_some_and(|open| open.verbatim)
            || (text != "{" && (is_foreign || VERBATIM.contains(&before)));
        self.open.push(Open {
            sign: text.as_bytes().first().copied().unwrap_or(0),
            is_region,
            indent: if is_region && in_item {
                self.item_indent
            } else {
                line_indent
            },
            verbatim,
        });
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
                is_op_name(self.str(first)) && !matches!(next, "=" | "," | "}")
                    || self.str(first).contains('.') && next == "}"
            }
            Some(TokenKind::Sign) if self.str(first) == "}" => self.before(first).contains('\n'),
            _ => false,
        }
    }

    /// The blanks between a token and the one before it on the same line.
    fn gap(&self, at: usize) -> &'a str {
        let blanks = self.before(at);
        if self.open.last().is_some_and(|open| open.verbatim) && !is_closer(self.str(at)) {
            return blanks;
        }
        let (left, right) = (self.str(at - 1), self.str(at));
        let keep = if blanks.is_empty() { "" } else { " " };
        match (left, right) {
            (_, "," | ")" | "]") | ("(" | "[" | "<", _) | ("{", "}") => "",
            (_, ">") if self.open.last().is_some_and(|open| open.sign == b'<') => "",
            (",", _) => " ",
            (_, "::") | ("::", _) => "",
            (_, "->") | ("->", _) => " ",
            (_, "=") if self.is_definition(at) => " ",
            ("=", _) if self.is_definition(at - 1) => " ",
            (_, "}") | ("{", _) => match self.open.last() {
                Some(open) if !open.is_region => "",
                _ => " ",
            },
            (_, "{") => " ",
            (":", _) if self.kind(at) != Some(TokenKind::Number) => " ",
            _ => keep,
        }
    }
}

impl Writer<'_> {
    /// Whether `=` is between what is defined and its definition: after a value or an alias, and in brackets. Some operations
    /// are written `key=value`.
    fn is_definition(&self, sign: usize) -> bool {
        let before = sign.checked_sub(1).and_then(|before| self.kind(before));
        let is_name = matches!(
            before,
            Some(TokenKind::Value | TokenKind::Attribute | TokenKind::Type | TokenKind::Number)
        );
        is_name || self.open.last().is_some_and(|open| !open.is_region)
    }
}

fn is_closer(text: &str) -> bool {
    matches!(text, "}" | ")" | "]" | ">")
}

/// Whether a word may be the name of an operation.
fn is_op_name(word: &str) -> bool {
    word.contains('.') || SHORT_NAMES.contains(&word)
}

/// The text of lines: comments that were below one another stay so.
fn joined(lines: Vec<Line>) -> String {
    let mut out = String::new();
    let width = |line: &Line| line.text.chars().count();
    let mut at = 0;
    while at < lines.len() {
        let column = |n: usize| lines.get(n)?.comment.as_ref().map(|(_, column)| *column);
        // Lines without a comment are by themselves.
        let mut end = at + 1;
        while column(at).is_some() && column(end) == column(at) && !lines[end].after_empty {
            end += 1;
        }
        let block = &lines[at..end];
        let widest = block.iter().map(width).max().unwrap_or(0);
        for line in block {
            if line.after_empty {
                out.push('\n');
            }
            out += line.text.trim_end();
            if let Some((comment, _)) = &line.comment {
                out += &" ".repeat(widest + 1 - width(line));
                out += comment;
            }
            out.push('\n');
        }
        at = end;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid_out(text: &str) -> String {
        let once = layout(text);
        check_same(text, &once).expect("the same");
        assert_eq!(layout(&once), once, "laying out again changes nothing");
        once
    }

    #[test]
    fn designs_get_indentation_and_blanks() {
        let text = "\n\n// Head.\nmodule{\n aie.device( npu2 ){ // two\n\n\n\
                    %tile_0_2   =   aie.tile(0,2)\n\
                    %l=aie.lock(%tile_0_2 , 3 ) {init=1 : i32,sym_name = \"l\"}\n\
                    \n// Of the core.\n\
                    %core = aie.core(%tile_0_2){\n%c = arith.constant 4:index\naie.end\n}\n}\n }";
        let expected = "\
// Head.
module {
  aie.device(npu2) { // two

    %tile_0_2 = aie.tile(0, 2)
    %l = aie.lock(%tile_0_2, 3) {init = 1 : i32, sym_name = \"l\"}

    // Of the core.
    %core = aie.core(%tile_0_2) {
      %c = arith.constant 4: index
      aie.end
    }
  }
}
";
        assert_eq!(laid_out(text), expected);
    }

    #[test]
    fn further_lines_of_an_operation_are_indented_more() {
        let text = "aie.device(npu2) {\n%a = aie.tile(0, 2)\n%s = aie.tile(0, 0)\n\
                    aie.objectfifo @in(%s,\n{%a},\n2 : i32)\n: !aie.objectfifo<memref<16xi32>>\n}\n";
        let expected = "\
aie.device(npu2) {
  %a = aie.tile(0, 2)
  %s = aie.tile(0, 0)
  aie.objectfifo @in(%s,
      {%a},
      2 : i32)
      : !aie.objectfifo<memref<16xi32>>
}
";
        assert_eq!(laid_out(text), expected);
    }

    #[test]
    fn blocks_stand_out_and_comments_stay_below_one_another() {
        let text = "aie.device(npu2) {\n%t = aie.tile(0, 2)\n%m = aie.mem(%t) {\n\
                    %d = aie.dma_start(S2MM, 0, ^bb1, ^bb2)  // first\n\
                    ^bb1:\n aie.next_bd ^bb1    // one\n^bb2:\n aie.end             // two\n}\n}";
        let expected = "\
aie.device(npu2) {
  %t = aie.tile(0, 2)
  %m = aie.mem(%t) {
    %d = aie.dma_start(S2MM, 0, ^bb1, ^bb2) // first
  ^bb1:
    aie.next_bd ^bb1 // one
  ^bb2:
    aie.end // two
  }
}
";
        assert_eq!(laid_out(text), expected);
    }

    #[test]
    fn further_regions_and_keys_of_operations_stay() {
        let text = "\
func.func @f(%x: index) {
  scf.index_switch %x
  case 0 {
    scf.yield
  }
  default {
  }
  return
}
aie.device(npu2) {
  %t = aie.tile(0, 2)
  aie.trace @t(%t) {
    aie.trace.packet id=1 type=\"core\"
  }
}
";
        assert_eq!(laid_out(text), text);
    }

    #[test]
    fn text_that_the_parser_keeps_stays() {
        let text = "#loc = loc(\"a b\":1:2)\nmodule attributes {a = #x.y<1,2 ,  3>, b = dense<[1,2]> : tensor<2xi32>} {\n}\n";
        let laid = laid_out(text);
        assert!(laid.contains("#x.y<1,2 ,  3>"), "{laid}");
        assert!(laid.contains("\"a b\":1:2"), "{laid}");
    }

    #[test]
    fn the_checker_sees_other_words_and_other_meanings() {
        assert!(check_same("module { }", "module {}").is_ok());
        assert!(check_same("aie.tile(0, 1)", "aie.tile(0, 2)").is_err());
        assert!(check_same("// a\n", "// b\n").is_err());
    }
}
