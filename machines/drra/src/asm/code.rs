//! .CODE: `CELL <row, column>` and `"LABEL" NAME FIELD=VALUE, …`.

use std::collections::HashMap;

use aiec_diag::{Diag, Diags, Span};
use aiec_isa::text::TokenKind;
use aiec_isa::{Field, Instruction, Set, finding, number};

use super::AssembleOptions;
use super::cursor::{LineCursor, whole_number};
use super::data::{checked_cell, no_cell};
use super::names;
use crate::codes;
use crate::fabric::CellId;
use crate::layout::{EXTENSION, is_address_field, is_signed_field};

/// Syntax of fields.
const FIELDS: &str = "fields are written `FIELD=VALUE`, with commas between them";

/// A chunk as it is.
pub const RAW_CHUNK: &str = ".word";

/// The code of a cell before labels are resolved.
pub struct PendingCell {
    /// The cell.
    pub cell: CellId,
    /// Its lines.
    pub items: Vec<PendingItem>,
}

/// A line of code.
pub struct PendingItem {
    /// Its label.
    pub label: Option<String>,
    /// The instruction or the raw chunk.
    pub content: PendingContent,
    /// The whole line.
    pub span: Span,
}

/// Contents of a [`PendingItem`].
pub enum PendingContent {
    /// An instruction.
    Instruction(PendingInstruction),
    /// A chunk as it is.
    Raw(u64),
}

/// An instruction with the settings of the text.
pub struct PendingInstruction {
    /// Its position in the description.
    pub instruction: usize,
    /// The setting of each field, if the text has one.
    pub settings: Vec<Option<FieldSetting>>,
}

/// `FIELD = VALUE`.
#[derive(Clone)]
pub struct FieldSetting {
    /// The value.
    pub value: SettingValue,
    /// Its place.
    pub span: Span,
}

/// The value of a [`FieldSetting`].
#[derive(Clone)]
pub enum SettingValue {
    /// The bits of the field.
    Bits(u64),
    /// The address of a label.
    Label(String),
}

/// Reads lines of .CODE.
pub struct CodeReader<'a> {
    set: &'a Set,
    options: AssembleOptions,
    by_name: HashMap<String, usize>,
    cells: Vec<PendingCell>,
    by_cell: HashMap<CellId, usize>,
    current: Option<usize>,
    /// Whether the cell is one that was refused, so that its code is read for its findings only.
    refused: bool,
    labels: HashMap<String, Span>,
}

impl<'a> CodeReader<'a> {
    /// A reader before the first line.
    pub fn new(set: &'a Set, options: AssembleOptions) -> CodeReader<'a> {
        let names = set.instructions.iter().enumerate();
        CodeReader {
            set,
            options,
            by_name: names
                .map(|(at, i)| (i.name.to_ascii_uppercase(), at))
                .collect(),
            cells: Vec::new(),
            by_cell: HashMap::new(),
            current: None,
            refused: false,
            labels: HashMap::new(),
        }
    }

    /// The code of all cells, in order of cells.
    pub fn finish(mut self) -> Vec<PendingCell> {
        self.cells.sort_by_key(|cell| cell.cell);
        self.cells
    }

    /// Reads a line.
    pub fn line(&mut self, cursor: &mut LineCursor<'_, '_>, diags: &mut Diags) -> Result<(), Diag> {
        let span = cursor.line_span();
        let label = cursor.take_kind(TokenKind::Quoted).map(|label| {
            self.define(label.text, label.span, diags);
            label.text.to_owned()
        });
        let Some(word) = cursor.take_kind(TokenKind::Word) else {
            let help = "a line is `CELL <row, column>` or `\"LABEL\" NAME FIELD=VALUE, …`";
            return Err(cursor.expected("an instruction").help(help));
        };
        let name = word.text;
        if name.eq_ignore_ascii_case("CELL") && label.is_none() {
            return self.cell(cursor);
        }
        if self.current.is_none() && !self.refused {
            self.refused = true;
            diags.push(
                Diag::error(&codes::CELL, "the instruction is in no cell")
                    .label(span, "in front of the first CELL")
                    .help("put `CELL <0, 0>` in front of it"),
            );
        }
        let content = if name.eq_ignore_ascii_case(RAW_CHUNK) {
            self.raw_chunk(cursor)?
        } else {
            PendingContent::Instruction(self.instruction(name, word.span, cursor, diags)?)
        };
        let item = PendingItem {
            label,
            content,
            span,
        };
        if let Some(cell) = self.current.and_then(|current| self.cells.get_mut(current)) {
            cell.items.push(item);
        }
        Ok(())
    }

    fn define(&mut self, label: &str, span: Span, diags: &mut Diags) {
        if label.is_empty() {
            let diag = Diag::error(&codes::LABEL, "a label has no name").label(span, "empty");
            diags.push(diag.help("leave the quotes out, or write a name between them"));
        }
        if let Some(first) = self.labels.insert(label.to_owned(), span) {
            let message = format!("label \"{label}\" is defined twice");
            let diag = Diag::error(&codes::LABEL, message)
                .label(span, "the second time")
                .label(first, "the first time")
                .help("give each instruction a label of its own");
            diags.push(diag);
        }
    }

    fn cell(&mut self, cursor: &mut LineCursor<'_, '_>) -> Result<(), Diag> {
        const FORM: &str = "a cell is written `CELL <row, column>`";
        (self.current, self.refused) = (None, true);
        cursor.expect('<', FORM)?;
        let start = cursor.place();
        let (row, _) = cursor.number("the row")?;
        cursor.expect(',', FORM)?;
        let (column, end) = cursor.number("the column")?;
        cursor.expect('>', FORM)?;
        cursor.end()?;
        let (rows, columns) = (self.options.shape.rows, self.options.shape.columns);
        let Some(cell) = checked_cell(row, column, rows, columns) else {
            return Err(no_cell(
                "cell",
                (row, column),
                start.to(end),
                (rows, columns),
            ));
        };
        let known = self.by_cell.get(&cell).copied();
        let index = known.unwrap_or_else(|| {
            self.cells.push(PendingCell {
                cell,
                items: Vec::new(),
            });
            self.by_cell.insert(cell, self.cells.len() - 1);
            self.cells.len() - 1
        });
        self.current = Some(index);
        Ok(())
    }

    fn raw_chunk(&mut self, cursor: &mut LineCursor<'_, '_>) -> Result<PendingContent, Diag> {
        let (value, span) = cursor.number("the bits of a chunk")?;
        cursor.end()?;
        let highest = largest(self.set.chunk_bits);
        match u64::try_from(value).ok().filter(|v| *v <= highest) {
            Some(value) => Ok(PendingContent::Raw(value)),
            None => Err(finding::too_large(
                &value.to_string(),
                span,
                "a chunk",
                0,
                highest,
            )),
        }
    }

    fn instruction(
        &mut self,
        name: &str,
        span: Span,
        cursor: &mut LineCursor<'_, '_>,
        diags: &mut Diags,
    ) -> Result<PendingInstruction, Diag> {
        let Some(&index) = self.by_name.get(&name.to_ascii_uppercase()) else {
            return Err(self.unknown_instruction(name, span));
        };
        let instruction = &self.set.instructions[index];
        let mut settings: Vec<Option<FieldSetting>> = vec![None; instruction.fields().len()];
        let mut first = true;
        while cursor.peek().is_some() {
            if !first {
                cursor.expect(',', FIELDS)?;
            }
            first = false;
            let (at, setting) = match self.field(instruction, &settings, cursor) {
                Ok(setting) => setting,
                // the others of the line can be read all the same
                Err(FieldError::Known(diag)) => {
                    diags.push(diag);
                    continue;
                }
                Err(FieldError::Syntax(diag)) => return Err(diag),
            };
            settings[at] = Some(setting);
        }
        Ok(PendingInstruction {
            instruction: index,
            settings,
        })
    }

    fn unknown_instruction(&self, name: &str, span: Span) -> Diag {
        if let Some(today) = names::today(name) {
            let message = format!("there is no instruction {name} in this version");
            return Diag::error(&codes::OLD_NAME, message)
                .label(span, "a name of version 1")
                .help(format!("today it is {today}"));
        }
        let known = self.set.instructions.iter().map(|i| i.name.as_str());
        let help = "`aiec isa --target drra-v2` lists the instructions";
        finding::unknown_name("instruction", name, span, known, help)
    }

    /// Reads `FIELD = VALUE`: the position of the field and its value.
    fn field(
        &self,
        instruction: &Instruction,
        settings: &[Option<FieldSetting>],
        cursor: &mut LineCursor<'_, '_>,
    ) -> Result<(usize, FieldSetting), FieldError> {
        let Some(word) = cursor.take_kind(TokenKind::Word) else {
            let names: Vec<&str> = settable(instruction).collect();
            let help = if names.is_empty() {
                format!("{} has no fields", instruction.name)
            } else {
                format!("operands have names: {}", names.join(", "))
            };
            return Err(FieldError::Syntax(cursor.expected("a field").help(help)));
        };
        let (name, span) = (word.text, word.span);
        cursor.expect('=', FIELDS).map_err(FieldError::Syntax)?;
        let value = read_value(cursor)?;
        let Some((at, field)) = instruction.field(name) else {
            return Err(FieldError::Known(unknown_field(instruction, name, span)));
        };
        if !field.is_settable() && !self.options.compat {
            return Err(FieldError::Known(not_settable(instruction, field, span)));
        }
        if settings[at].is_some() {
            let message = format!("{} is set twice", field.name);
            return Err(FieldError::Known(
                Diag::error(&codes::FIELD, message)
                    .label(span, "the second time")
                    .help("leave one of them out"),
            ));
        }
        let (value, span) = value;
        let value = bits(instruction, field, value, span).map_err(FieldError::Known)?;
        Ok((at, FieldSetting { value, span }))
    }
}

/// Why a field isn't read.
enum FieldError {
    /// The rest of the line can be read.
    Known(Diag),
    /// The rest of the line can't be read.
    Syntax(Diag),
}

/// A value as it is written.
enum WrittenValue<'a> {
    Number(i64),
    Word(&'a str),
    Label(&'a str),
}

/// Reads a value: a number, a word or a label.
fn read_value<'t>(cursor: &mut LineCursor<'t, '_>) -> Result<(WrittenValue<'t>, Span), FieldError> {
    const FORMS: &str = "a value is a number, a word of the field or @LABEL";
    let start = cursor.place();
    let token = cursor.next();
    let Some(token) = token else {
        return Err(FieldError::Syntax(cursor.expected("a value").help(FORMS)));
    };
    match token.kind {
        TokenKind::Number => {
            let value = whole_number(token.text, token.span).map_err(FieldError::Known)?;
            Ok((WrittenValue::Number(value), token.span))
        }
        TokenKind::Word => Ok((WrittenValue::Word(token.text), token.span)),
        TokenKind::Sign if token.is_sign('@') => match cursor.peek() {
            Some(label) if matches!(label.kind, TokenKind::Word | TokenKind::Quoted) => {
                cursor.next();
                Ok((WrittenValue::Label(label.text), start.to(label.span)))
            }
            _ => Err(FieldError::Syntax(
                cursor
                    .expected("a label")
                    .help("write @LABEL or @\"LABEL\""),
            )),
        },
        TokenKind::Sign if token.is_sign('+') || token.is_sign('-') => {
            // + and - are words of the sign of a step
            let Some(digits) = cursor.take_kind(TokenKind::Number) else {
                return Ok((WrittenValue::Word(token.text), token.span));
            };
            let span = start.to(digits.span);
            let value = whole_number(digits.text, span).map_err(FieldError::Known)?;
            let negative = token.is_sign('-');
            Ok((
                WrittenValue::Number(if negative { -value } else { value }),
                span,
            ))
        }
        _ => {
            let message = format!("expected a value, found '{}'", token.text);
            let diag = Diag::error(&codes::SYNTAX, message).label(token.span, "");
            Err(FieldError::Syntax(diag.help(FORMS)))
        }
    }
}

/// The bits of a value in a field.
fn bits(
    instruction: &Instruction,
    field: &Field,
    value: WrittenValue<'_>,
    span: Span,
) -> Result<SettingValue, Diag> {
    match value {
        WrittenValue::Label(label) if is_address_field(&field.name) => {
            Ok(SettingValue::Label(label.to_owned()))
        }
        WrittenValue::Label(label) => Err(Diag::error(
            &codes::LABEL,
            format!("{} isn't an address, so that it takes no label", field.name),
        )
        .label(span, format!("label {label}"))
        .help("pc, endpc and false_pc take labels")),
        WrittenValue::Word(word) => match field.value_of(word) {
            Some(value) => Ok(SettingValue::Bits(value)),
            None => {
                let words = || field.words().iter().map(|(_, word)| word.as_str());
                let help = match field.words() {
                    [] => format!("{} takes numbers", field.name),
                    _ => format!("it takes {}", words().collect::<Vec<_>>().join(", ")),
                };
                let what = format!("word of {}", field.name);
                Err(finding::unknown_name(&what, word, span, words(), &help))
            }
        },
        WrittenValue::Number(value) => {
            let width = logical_width(instruction, field);
            let highest = largest(width);
            let is_signed = is_signed_field(&instruction.name, &field.name);
            let bits = match u64::try_from(value) {
                Ok(value) => Some(value).filter(|value| *value <= highest),
                Err(_) if is_signed => number::negative(value.unsigned_abs(), width),
                Err(_) => None,
            };
            let lowest = if is_signed { -(1 << (width - 1)) } else { 0 };
            bits.map(SettingValue::Bits).ok_or_else(|| {
                finding::too_large(&value.to_string(), span, &field.name, lowest, highest)
            })
        }
    }
}

/// Bits of a field together with those of the field that extends it.
fn logical_width(instruction: &Instruction, field: &Field) -> u32 {
    let extension = instruction.field(&format!("{}{EXTENSION}", field.name));
    (field.bits + extension.map_or(0, |(_, field)| field.bits)).min(63)
}

/// The largest number of `bits` bits.
fn largest(bits: u32) -> u64 {
    1u64.checked_shl(bits).map_or(u64::MAX, |power| power - 1)
}

fn settable(instruction: &Instruction) -> impl Iterator<Item = &str> {
    let fields = instruction
        .fields()
        .iter()
        .filter(|field| field.is_settable());
    fields.map(|field| field.name.as_str())
}

fn unknown_field(instruction: &Instruction, name: &str, span: Span) -> Diag {
    let names: Vec<&str> = settable(instruction).collect();
    let help = if names.is_empty() {
        "it has no fields".to_owned()
    } else {
        format!("it has {}", names.join(", "))
    };
    let what = format!("field of {}", instruction.name);
    finding::unknown_name(&what, name, span, names, &help)
}

fn not_settable(instruction: &Instruction, field: &Field, span: Span) -> Diag {
    let message = format!("{} of {} can't be set", field.name, instruction.name);
    let help = if field.is_decoded() {
        "the assembler computes it: leave it out"
    } else {
        "nothing reads it: leave it out, or use --compat to keep its bits"
    };
    Diag::error(&codes::FIELD, message)
        .label(span, "set here")
        .help(help)
}
