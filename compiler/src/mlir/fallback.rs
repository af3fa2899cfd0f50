//! Operations of upstream's whose custom syntax we don't know: upstream reads them, and they go on
//! in generic form.
//!
//! The parser asks for each one ([`UnregisteredOpReader`]). The operation alone, in a function whose arguments
//! are the values that it uses, goes through upstream's parser; where it ends shows by trying the
//! ends of lines. What upstream prints in generic form takes the operation's place in the text,
//! which is parsed once more; positions are those of the user's text.

use std::collections::BTreeMap;

use aiec_aie::ir::{Module, Type};
use aiec_aie::text::{self, UnregisteredOp, UnregisteredOpExtent, UnregisteredOpReader};
use aiec_diag::Diags;
use aiec_diag::{FileId, Span};
use melior::ir::operation::{OperationLike, OperationPrintingFlags};
use melior::ir::{BlockLike, OperationRef, RegionLike, ValueLike};

use super::context::Upstream;
use super::declared::without_block_floats;
use super::irdl::PLAIN;

/// An operation doesn't go on for more lines than this outside of brackets.
const MAX_LINES: usize = 16;

/// Parses a text whose positions are those of `file`; what is unknown, upstream reads.
pub fn parse(file: FileId, whole: &str, diags: &mut Diags) -> Module {
    let mut reader = Reader {
        whole,
        upstream: None,
        pieces: Vec::new(),
        refused: BTreeMap::new(),
    };
    let mut first = Diags::new();
    let module = text::parse_with(file, whole, &mut reader, &mut first);
    if reader.pieces.is_empty() {
        diags.append(first);
        return module;
    }
    let Reader {
        mut pieces,
        refused,
        ..
    } = reader;
    let mut replaced = String::new();
    let mut end = 0;
    for piece in &mut pieces {
        replaced += whole.get(end..piece.start).unwrap_or("");
        piece.place = replaced.len();
        replaced += &piece.generic;
        end = piece.end;
    }
    replaced += whole.get(end..).unwrap_or("");
    let map = |span: Span| original(&pieces, span);
    let mut found = Diags::new();
    let mut again = KnownRefusals {
        refused: &refused,
        place: &|at| map(Span::new(file, at, at)).start as usize,
    };
    let mut module = text::parse_with(file, &replaced, &mut again, &mut found);
    module.locs.map_spans(map);
    for diag in found.into_vec() {
        diags.push(diag.map_spans(&map));
    }
    module
}

/// A part of the text with what takes its place; they are in order.
struct Replacement {
    start: usize,
    end: usize,
    generic: String,
    /// Where it starts in the text with pieces replaced.
    place: usize,
}

/// A span of the text with pieces replaced as one of the text before.
fn original(pieces: &[Replacement], span: Span) -> Span {
    let place = |offset: u32, at_end: bool| {
        let offset = offset as usize;
        // An end that touches a piece's start is the end of what is before it.
        let before = pieces.partition_point(|piece| match at_end {
            true => piece.place < offset,
            false => piece.place <= offset,
        });
        let Some(piece) = before.checked_sub(1).and_then(|n| pieces.get(n)) else {
            return offset;
        };
        let past = offset - piece.place;
        if past < piece.generic.len() || (at_end && past == piece.generic.len()) {
            return if at_end { piece.end } else { piece.start };
        }
        piece.end + past - piece.generic.len()
    };
    Span::new(span.file, place(span.start, false), place(span.end, true))
}

struct Reader<'t> {
    whole: &'t str,
    /// Made for the first operation: upstream, and what the file defines for all of them.
    upstream: Option<(Upstream, String)>,
    pieces: Vec<Replacement>,
    /// Where operations are that upstream doesn't read either, and why.
    refused: BTreeMap<usize, String>,
}

/// The second time, what upstream refused is refused for the same reason.
struct KnownRefusals<'t> {
    refused: &'t BTreeMap<usize, String>,
    /// The place in the user's text.
    place: &'t dyn Fn(usize) -> usize,
}

impl UnregisteredOpReader for KnownRefusals<'_> {
    fn read(&mut self, op: &UnregisteredOp<'_>) -> Result<UnregisteredOpExtent, String> {
        let at = (self.place)(op.at);
        Err(self.refused.get(&at).cloned().unwrap_or_default())
    }
}

impl UnregisteredOpReader for Reader<'_> {
    fn read(&mut self, op: &UnregisteredOp<'_>) -> Result<UnregisteredOpExtent, String> {
        let made = self.upstream.take();
        let made = made.unwrap_or_else(|| (Upstream::new(), aliases(self.whole)));
        let (upstream, aliases) = self.upstream.insert(made);
        let mut why = None;
        for length in ends(op.text) {
            let host = Host::new(op, length);
            match host.read(upstream, aliases) {
                Ok((generic, results)) => {
                    self.pieces.push(Replacement {
                        start: op.at,
                        end: op.at + length,
                        generic,
                        place: 0,
                    });
                    return Ok(UnregisteredOpExtent { length, results });
                }
                // The first reason is about the operation as it is on its line.
                Err(reason) => why = why.or(Some(reason)),
            }
        }
        let why = why.unwrap_or_else(|| "it doesn't end".to_string());
        // The finding names the operation already.
        let name = why.strip_prefix("custom op '");
        let why = name
            .and_then(|rest| rest.split_once("' "))
            .map_or(&*why, |(_, why)| why);
        let why = format!("upstream MLIR: {why}");
        self.refused.insert(op.at, why.clone());
        Err(why)
    }
}

/// Lines of the file that define names for attributes and types.
fn aliases(whole: &str) -> String {
    let lines = whole.lines().filter(|line| {
        line.starts_with(['#', '!']) && line.contains('=') && !line.contains("loc(")
    });
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Where an operation may end: the ends of lines outside of brackets and strings, and where the
/// region around it closes.
fn ends(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut depth = 0usize;
    let mut quoted = false;
    let mut before = b' ';
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            // The arrow isn't a bracket.
            b'>' if before == b'-' => {}
            b')' | b']' | b'}' | b'>' => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => {
                    ends.push(text[..at].trim_end().len());
                    return ends;
                }
            },
            b'\n' if depth == 0 => {
                ends.push(text[..at].trim_end().len());
                if ends.len() == MAX_LINES {
                    return ends;
                }
            }
            _ => {}
        }
        before = byte;
    }
    ends.push(text.trim_end().len());
    ends
}

/// The function that an operation is in while upstream reads it.
struct Host<'t> {
    op: &'t str,
    results: &'t str,
    /// The values that it uses, with their types.
    values: Vec<(&'t str, Type)>,
    /// The blocks that it can go on with.
    labels: Vec<&'t str>,
}

impl<'t> Host<'t> {
    fn new(op: &UnregisteredOp<'t>, length: usize) -> Host<'t> {
        let text = op.text.get(..length).unwrap_or("");
        let mut values: Vec<(&str, Type)> = Vec::new();
        let mut labels = Vec::new();
        for word in words(text) {
            if word.starts_with('^') {
                let defined =
                    text.contains(&format!("{word}:")) || text.contains(&format!("{word}("));
                if !defined && !labels.contains(&word) {
                    labels.push(word);
                }
            } else if values.iter().all(|(name, _)| *name != word)
                && let Some(ty) = (op.type_of)(word)
            {
                values.push((word, ty));
            }
        }
        Host {
            op: text,
            results: op.results,
            values,
            labels,
        }
    }

    /// The generic form of the operation without its results, and the types of those.
    fn read(&self, upstream: &Upstream, aliases: &str) -> Result<(String, Vec<String>), String> {
        let mut reasons = Vec::new();
        for in_function in [true, false] {
            // Operations outside of functions use no values.
            if !(in_function || self.values.is_empty() && self.labels.is_empty()) {
                continue;
            }
            match upstream.parse(&(aliases.to_string() + &self.text(in_function))) {
                Ok(module) => {
                    let flags = OperationPrintingFlags::new()
                        .print_generic_operation_form()
                        .use_local_scope();
                    let printed = module.as_operation().to_string_with_flags(flags);
                    let printed = printed.map_err(|error| error.to_string())?;
                    let results = result_types(module.body().first_operation(), in_function);
                    let generic = self.extract(&printed).ok_or("it is not one operation")?;
                    return Ok((generic, results));
                }
                Err(said) => reasons.extend(said.into_iter().map(|said| said.message)),
            }
        }
        Err(reasons.into_iter().next().unwrap_or_default())
    }

    fn text(&self, in_function: bool) -> String {
        let equals = if self.results.is_empty() { "" } else { " = " };
        let op = format!(
            "\"{PLAIN}.begin\"() : () -> ()\n{}{equals}{}\n",
            self.results,
            with_plain_names(self.op)
        );
        if !in_function {
            return format!("{op}\"{PLAIN}.end\"() : () -> ()\n");
        }
        let arguments: Vec<String> = self
            .values
            .iter()
            .map(|(name, ty)| {
                let ty = without_block_floats(&ty.to_string());
                format!("{}: {ty}", plain_name(name))
            })
            .collect();
        let mut text = format!(
            "func.func private @{PLAIN}({}) {{\n{op}",
            arguments.join(", ")
        );
        if self.labels.is_empty() {
            text += &format!("\"{PLAIN}.end\"() : () -> ()\n");
        }
        for label in &self.labels {
            text += &format!("{label}:\n\"{PLAIN}.end\"() : () -> ()\n");
        }
        text + "}\n"
    }

    /// The operation in what upstream printed, on one line for each line that it had, with our
    /// names of values and blocks.
    fn extract(&self, printed: &str) -> Option<String> {
        let is = |line: &str, what: &str| {
            line.trim_start()
                .starts_with(&format!("\"{PLAIN}.{what}\""))
        };
        let lines = printed
            .lines()
            .skip_while(|line| !is(line, "begin"))
            .skip(1);
        let own = lines.take_while(|line| !is(line, "end") && !self.is_label(line));
        let own: Vec<&str> = own.map(str::trim).collect();
        let mut op = own.join(" ");
        if op.starts_with('%') {
            op = op.split_once(" = ")?.1.to_string();
        }
        // Another operation after it would start with its name or results.
        let renamed = self.rename(&op);
        let lines = self.op.matches('\n').count();
        Some(renamed + &"\n".repeat(lines))
    }

    fn is_label(&self, line: &str) -> bool {
        !self.labels.is_empty() && line.trim_start().starts_with("^bb1:")
    }

    /// Replaces upstream's numbers of values and blocks: arguments get our names in order, the rest
    /// names that are unused in the text.
    fn rename(&self, op: &str) -> String {
        let mut out = String::new();
        let mut end = 0;
        for word in words(op) {
            let at = word.as_ptr() as usize - op.as_ptr() as usize;
            out += op.get(end..at).unwrap_or("");
            end = at + word.len();
            let argument = word
                .strip_prefix("%arg")
                .and_then(|n| n.parse::<usize>().ok());
            let block = word
                .strip_prefix("^bb")
                .and_then(|n| n.parse::<usize>().ok());
            match (argument, block) {
                (Some(n), _) if n < self.values.len() => out += self.values[n].0,
                (_, Some(n)) if (1..=self.labels.len()).contains(&n) => out += self.labels[n - 1],
                (_, Some(_)) => out += word,
                _ => {
                    out += &word.replacen('%', &format!("%{PLAIN}_"), 1);
                }
            }
        }
        out + op.get(end..).unwrap_or("")
    }
}

/// Names of results of packs have no `#` where they are arguments.
fn plain_name(name: &str) -> String {
    name.replace('#', "__")
}

fn with_plain_names(op: &str) -> String {
    let mut out = String::new();
    let mut end = 0;
    for word in words(op) {
        let at = word.as_ptr() as usize - op.as_ptr() as usize;
        out += op.get(end..at).unwrap_or("");
        out += &plain_name(word);
        end = at + word.len();
    }
    out + op.get(end..).unwrap_or("")
}

/// Names of values (`%a`, `%b#1`) and blocks (`^bb1`) outside of strings, in order.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut quoted = false;
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'\\' if quoted => at += 1,
            b'"' => quoted = !quoted,
            b'%' | b'^' if !quoted => {
                let rest = text.get(at + 1..).unwrap_or("");
                let wordlike = |c: char| c.is_ascii_alphanumeric() || "_$.-#".contains(c);
                let mut len = rest.find(|c| !wordlike(c)).unwrap_or(rest.len());
                // `%a->` is a name and an arrow.
                if rest.get(..len).is_some_and(|word| word.ends_with('-')) {
                    len -= 1;
                }
                words.extend(text.get(at..at + 1 + len));
                at += len;
            }
            _ => {}
        }
        at += 1;
    }
    words
}

/// The types of the operation after the one that marks its beginning.
fn result_types(first: Option<OperationRef<'_, '_>>, in_function: bool) -> Vec<String> {
    let begin = match in_function {
        true => first
            .and_then(|function| function.region(0).ok())
            .and_then(|region| region.first_block())
            .and_then(|block| block.first_operation()),
        false => first,
    };
    let op = begin.and_then(|begin| begin.next_in_block());
    op.map_or(Vec::new(), |op| {
        op.results()
            .map(|value| value.r#type().to_string())
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `ab<XX>cd<YYYY>ef` for `ab<1>cd<>ef`, without the brackets.
    fn pieces() -> [Replacement; 2] {
        let piece = |start, end, generic: &str, place| Replacement {
            start,
            end,
            generic: generic.to_string(),
            place,
        };
        [piece(2, 3, "XX", 2), piece(5, 5, "YYYY", 6)]
    }

    #[test]
    fn positions_are_those_before_pieces_were_replaced() {
        let map = |start, end| {
            let span = original(&pieces(), Span::new(FileId(0), start, end));
            (span.start, span.end)
        };
        assert_eq!(map(0, 2), (0, 2));
        // In a piece: all of it.
        assert_eq!(map(3, 4), (2, 3));
        assert_eq!(map(2, 3), (2, 3));
        // Between pieces, up to the next.
        assert_eq!(map(4, 6), (3, 5));
        assert_eq!(map(7, 9), (5, 5));
        // After the last, and across all.
        assert_eq!(map(10, 12), (5, 7));
        assert_eq!(map(1, 11), (1, 6));
    }
}
