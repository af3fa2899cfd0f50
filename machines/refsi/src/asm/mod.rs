//! Text to chunks.
//!
//! A command a line: mnemonic, then operands in the order of the encoding, separated by commas.
//! `LABEL:` is in front; `.equ NAME, N` names a number, `.base ADDRESS` says where the buffer
//! will lie, `.quad N, …` are chunks as they are. Errors of a text are found together; the
//! checker ([`crate::check`]) runs on what was assembled.

mod expression;
mod operand;

use std::collections::HashMap;

use aiec_diag::{Diag, Diags, FileId, Reported, Severity, Span};
use aiec_isa::finding::unknown_name;
use aiec_isa::text::{Comments, LineReader, Token, TokenKind};

use crate::command::{Command, MAX_OPERANDS};
use crate::table::{self, COMMANDS, CommandInfo, HEADER, MAX_ARGUMENTS, MAX_PAYLOAD, opcode};
use crate::{CHUNK_BYTES, Reading, check, codes};
use expression::Pending;

/// Comments of the text.
const COMMENTS: Comments = Comments {
    line: &[";", "#"],
    block: false,
};

/// A text that has been assembled.
#[derive(Clone, Debug, Default)]
pub struct Assembly {
    /// The chunks.
    pub chunks: Vec<u64>,
    /// First chunk and span of each line that gave chunks.
    pub lines: Vec<(usize, Span)>,
    /// Where the buffer will lie.
    pub base: u64,
}

impl Assembly {
    /// The line that gave a chunk.
    pub fn line_of(&self, chunk: usize) -> Option<Span> {
        let after = self.lines.partition_point(|(first, _)| *first <= chunk);
        let line = after.checked_sub(1).and_then(|at| self.lines.get(at));
        line.map(|(_, span)| *span)
    }
}

/// Assembles a text and checks the result.
///
/// # Errors
/// Something is wrong with it: `diags` has what.
pub fn assemble(
    text: &str,
    file: FileId,
    reading: Reading,
    diags: &mut Diags,
) -> Result<Assembly, Reported> {
    let (assembly, bad) = translate(text, file, reading, diags);
    if bad {
        return Err(Reported);
    }
    let mut failed = false;
    for finding in check::check(&assembly.chunks, reading) {
        failed |= finding.severity == Severity::Error;
        let span = assembly.line_of(finding.chunk);
        diags.push(finding.at_line(span));
    }
    if failed { Err(Reported) } else { Ok(assembly) }
}

/// Assembles a text without checking the result; returns whether it has errors.
pub fn translate(
    text: &str,
    file: FileId,
    reading: Reading,
    diags: &mut Diags,
) -> (Assembly, bool) {
    let before = diags.len();
    let mut assembler = Assembler {
        reading,
        assembly: Assembly::default(),
        symbols: HashMap::new(),
        pending: Vec::new(),
        diags,
        failed: false,
    };
    let mut reader = LineReader::new(file, text, COMMENTS);
    let mut tokens = Vec::new();
    while reader.next_line(&mut tokens, assembler.diags) {
        assembler.line(&tokens);
    }
    assembler.resolve_pending();
    let Assembler {
        assembly, failed, ..
    } = assembler;
    let lexical = diags
        .iter()
        .skip(before)
        .any(|d| d.severity == Severity::Error);
    (assembly, failed || lexical)
}

/// The meaning of a name.
#[derive(Clone, Copy, Debug)]
struct Symbol {
    value: u64,
    span: Span,
    /// A label's value counts from the base, which may be stated later.
    is_label: bool,
}

struct Assembler<'t, 'd> {
    reading: Reading,
    assembly: Assembly,
    /// Labels and constants.
    symbols: HashMap<&'t str, Symbol>,
    /// Expressions with names that are defined later.
    pending: Vec<Pending<'t>>,
    diags: &'d mut Diags,
    failed: bool,
}

impl<'t> Assembler<'t, '_> {
    fn fail(&mut self, diag: Diag) {
        self.failed = true;
        self.diags.push(diag);
    }

    /// A line of at least one token.
    fn line(&mut self, tokens: &[Token<'t>]) {
        let mut rest = tokens;
        while let [name, colon, more @ ..] = rest
            && name.kind == TokenKind::Word
            && colon.is_sign(':')
        {
            let at = self.assembly.chunks.len() as u64 * CHUNK_BYTES;
            self.define(name, at, true);
            rest = more;
        }
        let Some((first, operands)) = rest.split_first() else {
            return;
        };
        if first.kind != TokenKind::Word {
            let message = format!("a line begins with a mnemonic, not with '{}'", first.text);
            let diag = Diag::error(&codes::SYNTAX, message).label(first.span, "");
            return self.fail(diag.help("chunks as they are are written `.quad N`"));
        }
        let chunk = self.assembly.chunks.len();
        match first.text.strip_prefix('.') {
            Some(directive) => self.directive(first, directive, operands),
            None => self.command(first, operands),
        }
        if self.assembly.chunks.len() > chunk {
            let last = operands.last().unwrap_or(first);
            let span = first.span.to(last.span);
            self.assembly.lines.push((chunk, span));
        }
    }

    fn define(&mut self, name: &Token<'t>, value: u64, is_label: bool) {
        if let Some(what) = expression::is_taken(name.text) {
            let message = format!("'{}' is the name of {what}", name.text);
            let diag = Diag::error(&codes::SYMBOL, message).label(name.span, "");
            return self.fail(diag.help("take another name"));
        }
        let span = name.span;
        let symbol = Symbol {
            value,
            span,
            is_label,
        };
        if let Some(other) = self.symbols.insert(name.text, symbol) {
            let message = format!("'{}' is defined twice", name.text);
            let diag = Diag::error(&codes::SYMBOL, message).label(span, "");
            let diag = diag.label(other.span, "the first is here");
            self.fail(diag.help("take another name"));
        }
    }

    fn directive(&mut self, first: &Token<'t>, name: &str, operands: &[Token<'t>]) {
        let parts: Vec<&[Token<'t>]> = operands.split(|t| t.is_sign(',')).collect();
        match (name.to_ascii_lowercase().as_str(), &parts[..]) {
            ("quad", [_, ..]) if !operands.is_empty() => {
                for part in &parts {
                    let at = self.assembly.chunks.len();
                    self.assembly.chunks.push(0);
                    self.number(first, part, at, "a chunk");
                }
            }
            ("equ", [[name], value]) if name.kind == TokenKind::Word => {
                if let Some(value) = self.known(first, value) {
                    self.define(name, value, false);
                }
            }
            ("base", [value]) if !value.is_empty() => {
                if let Some(value) = self.known(first, value) {
                    self.assembly.base = value;
                }
            }
            (known @ ("quad" | "equ" | "base"), _) => {
                let form = match known {
                    "quad" => ".quad N, …",
                    "equ" => ".equ NAME, N",
                    _ => ".base ADDRESS",
                };
                let message = format!("this is written {form}");
                let diag = Diag::error(&codes::SYNTAX, message).label(first.span, "");
                self.fail(diag.help("numbers are decimal or 0x…"));
            }
            _ => {
                let all = [".quad", ".equ", ".base"];
                let help = "directives are .quad, .equ and .base";
                let diag = unknown_name("directive", first.text, first.span, all, help);
                self.fail(diag);
            }
        }
    }

    fn command(&mut self, first: &Token<'t>, operands: &[Token<'t>]) {
        let Some(info) = table::by_mnemonic(first.text) else {
            let names = COMMANDS.iter().map(|c| c.instruction.name.as_str());
            let help = "`aiec isa --target refsi-m1` lists the commands";
            let diag = unknown_name("command", first.text, first.span, names, help);
            return self.fail(diag);
        };
        let mut parts: [&[Token<'t>]; MAX_OPERANDS] = [&[]; MAX_OPERANDS];
        let mut count = 0;
        if !operands.is_empty() {
            for part in operands.split(|t| t.is_sign(',')) {
                if let Some(place) = parts.get_mut(count) {
                    *place = part;
                }
                count += 1;
            }
        }
        let parts = parts.get(..count.min(MAX_OPERANDS)).unwrap_or(&[]);
        match info.instruction.code {
            opcode::NOP => self.nop(first, operands),
            opcode::RUN_INSTANCES => self.run_instances(info, first, parts, count),
            opcode::FINISH if count == 0 => Command::encode(info, &[0], &mut self.assembly.chunks),
            _ if count != info.kinds.len() => self.wrong_count(info, first, count),
            _ => self.encode(info, first, parts),
        }
    }

    fn wrong_count(&mut self, info: &CommandInfo, first: &Token<'t>, count: usize) {
        let name = &info.instruction.name;
        let wanted = info.kinds.len();
        let message = format!("{name} has {wanted} operands, here are {count}");
        let syntax = info.instruction.syntax.as_deref().unwrap_or_default();
        let diag = Diag::error(&codes::OPERANDS, message).label(first.span, "");
        self.fail(diag.help(format!("write {syntax}")));
    }

    /// NOP with its payload, which only the driver has.
    fn nop(&mut self, first: &Token<'t>, operands: &[Token<'t>]) {
        if !self.reading.is_driver() {
            let message = "NOP is a command of the reference driver only";
            let diag = Diag::error(&codes::OPCODE, message).label(first.span, "");
            return self.fail(diag.help("leave it out, or assemble with --compat"));
        }
        let parts: Vec<&[Token<'t>]> = match operands {
            [] => Vec::new(),
            operands => operands.split(|t| t.is_sign(',')).collect(),
        };
        if parts.len() as u64 > MAX_PAYLOAD {
            let message = format!("NOP has at most {MAX_PAYLOAD} payload chunks");
            let diag = Diag::error(&codes::OPERANDS, message).label(first.span, "");
            return self.fail(diag.help("write several"));
        }
        let count = parts.len() as u64;
        self.assembly
            .chunks
            .push(HEADER | count << (table::COUNT_POSITION + 1));
        for part in parts {
            let at = self.assembly.chunks.len();
            self.assembly.chunks.push(0);
            self.number(first, part, at, "a chunk");
        }
    }

    /// RUN_INSTANCES with NUM_ARGS or without, where it is counted.
    fn run_instances(
        &mut self,
        info: &'static CommandInfo,
        first: &Token<'t>,
        parts: &[&[Token<'t>]],
        count: usize,
    ) {
        let stated = parts.get(1).and_then(|part| self.literal(part));
        let has = |stated: u64| 3 + stated as usize == count && stated as usize <= MAX_ARGUMENTS;
        if let Some(stated) = stated {
            if has(stated) {
                return self.encode(info, first, parts);
            }
            let span = parts.get(1).and_then(|part| part.first()).map(|t| t.span);
            if stated as usize <= MAX_ARGUMENTS && (2..=2 + MAX_ARGUMENTS).contains(&count) {
                let (read, others) = (stated, count - 2);
                let message = format!(
                    "NUM_ARGS {stated} would need {} operands, here are {count}: read as NUM_INSTANCES {read} \
                     with {others} arguments",
                    3 + stated
                );
                let diag = Diag::warning(&codes::NUM_ARGS, message).label(span, "");
                let help = format!("write NUM_ARGS in front of it: {others}, {stated}, …");
                self.diags.push(diag.help(help));
            }
        }
        if !(2..=2 + MAX_ARGUMENTS).contains(&count) {
            let message = format!(
                "RUN_INSTANCES has MAX_HARTS, NUM_ARGS, NUM_INSTANCES and up to {MAX_ARGUMENTS} arguments, here are \
                 {count} operands"
            );
            let diag = Diag::error(&codes::OPERANDS, message).label(first.span, "");
            return self.fail(diag.help("give at least MAX_HARTS and NUM_INSTANCES"));
        }
        // NUM_ARGS is counted, so that its operand has no tokens
        let arguments = count - 2;
        let mut with: [&[Token<'t>]; MAX_OPERANDS] = [&[]; MAX_OPERANDS];
        if let Some((harts, rest)) = parts.split_first() {
            with[0] = harts;
            for (to, from) in with.iter_mut().skip(2).zip(rest) {
                *to = from;
            }
        }
        let with = with.get(..count + 1).unwrap_or(&[]);
        self.encode_counted(info, first, with, Some(arguments as u64));
    }

    fn encode(&mut self, info: &'static CommandInfo, first: &Token<'t>, parts: &[&[Token<'t>]]) {
        self.encode_counted(info, first, parts, None);
    }

    /// Encodes a command; `counted` is the value of an operand 1 that isn't written.
    fn encode_counted(
        &mut self,
        info: &'static CommandInfo,
        first: &Token<'t>,
        parts: &[&[Token<'t>]],
        counted: Option<u64>,
    ) {
        let header = self.assembly.chunks.len();
        let mut values = [0; MAX_OPERANDS];
        for (index, part) in parts.iter().enumerate() {
            let value = match (index, counted) {
                (1, Some(count)) => count,
                _ => self.operand(info, first, index, part, &values, header),
            };
            if let Some(to) = values.get_mut(index) {
                *to = value;
            }
        }
        let values = values.get(..parts.len()).unwrap_or(&[]);
        Command::encode(info, values, &mut self.assembly.chunks);
    }
}
