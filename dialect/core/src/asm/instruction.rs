//! One instruction of a bundle: its words matched with the texts of the instructions of its mnemonic.

use aiec_diag::{Code, did_you_mean};
use smallvec::SmallVec;

use super::codes;
use super::lexer::{Token, Word};
use super::value::{self, Value};
use crate::bundle::{Operand, SlotInstruction, immediate_range};
use crate::isa::{CoreIsa, ImmediateSign, OperandField, OperandKind, RegisterClass, TextPart};
use crate::register::{Register, RegisterFile};

/// Registers that a message lists by name; of more it says where they begin and end.
const LISTED_REGISTERS: usize = 8;

/// An instruction whose symbols are not resolved yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Parsed<'a> {
    /// The instruction, with 0 for operands that are symbols.
    pub instruction: SlotInstruction,
    /// Operands that are symbols.
    pub symbols: SmallVec<[(usize, Value<'a>); 1]>,
}

/// Why words don't match an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Mismatch {
    /// The kind of finding.
    pub code: &'static Code,
    /// First byte in the file.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// The problem.
    pub message: String,
    /// The way out.
    pub help: String,
    /// Number of words that fit.
    progress: usize,
}

/// The instructions that the words can be: each of another slot, or of one and the same only where
/// the table has two with the same text.
pub(super) fn parse<'a>(
    isa: &CoreIsa,
    words: &[Word<'a>],
    constant: &dyn Fn(&str) -> Option<i64>,
) -> Result<Vec<Parsed<'a>>, Mismatch> {
    let (Some(first), Some(last)) = (words.first(), words.last()) else {
        return Err(mismatch(&codes::SYNTAX, 0, 0, "an instruction is missing"));
    };
    let Token::Name(mnemonic) = first.token else {
        let message = "an instruction begins with its mnemonic";
        return Err(mismatch(&codes::SYNTAX, first.start, first.end, message));
    };
    let lower = mnemonic.to_ascii_lowercase();
    let mut found = Vec::new();
    let mut best: Option<Mismatch> = None;
    for (index, row) in isa.instructions.iter().enumerate() {
        if row.mnemonic != lower {
            continue;
        }
        let mut attempt = MatchAttempt {
            isa,
            words,
            at: 1,
            end: last.end,
            constant,
            operands: SmallVec::from_elem(None, row.operands.len()),
            symbols: SmallVec::new(),
        };
        match attempt.read_text(row.operands.as_slice(), &row.text, row.name) {
            Ok(()) => {
                let operands = attempt.operands.into_iter().map(|operand| {
                    // A text names each operand: `tests::texts_name_every_operand`.
                    operand.unwrap_or(Operand::Immediate(0))
                });
                found.push(Parsed {
                    instruction: SlotInstruction {
                        instruction: index as u16,
                        operands: operands.collect(),
                        ignored: 0,
                    },
                    symbols: attempt.symbols,
                });
            }
            Err(problem) => {
                if best
                    .as_ref()
                    .is_none_or(|known| known.progress < problem.progress)
                {
                    best = Some(problem);
                }
            }
        }
    }
    if !found.is_empty() {
        return Ok(found);
    }
    Err(best.unwrap_or_else(|| {
        let message = format!("{} has no instruction `{mnemonic}`", isa.arch);
        let mut problem = mismatch(
            &codes::UNKNOWN_INSTRUCTION,
            first.start,
            first.end,
            &message,
        );
        let known = isa.instructions.iter().map(|row| row.mnemonic);
        problem.help = match did_you_mean(&lower, known) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "mnemonics are those of llvm-aie's assembler".to_owned(),
        };
        problem
    }))
}

fn mismatch(code: &'static Code, start: usize, end: usize, message: &str) -> Mismatch {
    Mismatch {
        code,
        start,
        end,
        message: message.to_owned(),
        help: "a bundle is `MNEMONIC OPERANDS; MNEMONIC OPERANDS`".to_owned(),
        progress: 0,
    }
}

/// The words matched with one instruction's text.
struct MatchAttempt<'a, 'b> {
    isa: &'b CoreIsa,
    words: &'b [Word<'a>],
    /// The next word.
    at: usize,
    /// Where the instruction ends in the file.
    end: usize,
    constant: &'b dyn Fn(&str) -> Option<i64>,
    operands: SmallVec<[Option<Operand>; 5]>,
    symbols: SmallVec<[(usize, Value<'a>); 1]>,
}

impl MatchAttempt<'_, '_> {
    fn read_text(
        &mut self,
        fields: &[OperandField],
        text: &[TextPart],
        name: &'static str,
    ) -> Result<(), Mismatch> {
        let mut is_mnemonic = true;
        let mut suffix = "";
        for (at, part) in text.iter().enumerate() {
            match part {
                TextPart::Literal(literal) => {
                    let mut literal = *literal;
                    if is_mnemonic {
                        // the mnemonic has been read
                        literal = literal.split_once(' ').map_or("", |(_, rest)| rest);
                        is_mnemonic = false;
                    }
                    self.read_literal(&literal[suffix.len()..])?;
                    suffix = "";
                }
                TextPart::Operand(index) => {
                    suffix = suffix_before(text.get(at + 1));
                    self.read_operand(fields, usize::from(*index), name, suffix)?;
                }
            }
        }
        match self.words.get(self.at) {
            None => Ok(()),
            Some(_) => Err(self.problem(
                &codes::WRONG_OPERANDS,
                "the instruction has no further operand".to_owned(),
                "end the bundle, or separate instructions with `;`".to_owned(),
            )),
        }
    }

    /// A finding at the next word.
    fn problem(&self, code: &'static Code, message: String, help: String) -> Mismatch {
        let (start, end) = match self.words.get(self.at) {
            Some(word) => (word.start, word.end),
            None => (self.end, self.end),
        };
        Mismatch {
            code,
            start,
            end,
            message,
            help,
            progress: self.at,
        }
    }

    fn read_literal(&mut self, literal: &str) -> Result<(), Mismatch> {
        let Ok(expected) = super::lexer::words(literal, 0) else {
            return Ok(());
        };
        for word in expected {
            let given = self.words.get(self.at);
            if !given.is_some_and(|given| is_same_token(&given.token, &word.token)) {
                let text = &literal[word.start..word.end];
                return Err(self.problem(
                    &codes::WRONG_OPERANDS,
                    format!("`{text}` is missing here"),
                    "operands are written as the compiler does".to_owned(),
                ));
            }
            self.at += 1;
        }
        Ok(())
    }

    fn read_operand(
        &mut self,
        fields: &[OperandField],
        index: usize,
        name: &'static str,
        suffix: &str,
    ) -> Result<(), Mismatch> {
        let field = &fields[index];
        let operand = match field.kind {
            OperandKind::Register { class } => self.read_register(self.isa.class(class), suffix)?,
            OperandKind::Immediate { sign, scale, .. } => {
                self.read_immediate(field, index, sign, scale)?
            }
            OperandKind::Unconfirmed { class } => {
                let operand = field.name;
                return Err(self.problem(
                    &codes::UNCONFIRMED,
                    format!(
                        "`{name}` can't be encoded: the register codes of its operand `{operand}` (class `{class}`) are unconfirmed"
                    ),
                    "use another instruction".to_owned(),
                ));
            }
        };
        match self.operands[index] {
            Some(known) if known != operand => {
                self.at -= 1;
                Err(self.problem(
                    &codes::WRONG_OPERANDS,
                    "this operand must be the same register as the one before it that is tied to it"
                        .to_owned(),
                    "write the same register twice".to_owned(),
                ))
            }
            _ => {
                self.operands[index] = Some(operand);
                Ok(())
            }
        }
    }

    /// Reads a register of a class; `suffix` follows its name in the same word.
    fn read_register(&mut self, class: &RegisterClass, suffix: &str) -> Result<Operand, Mismatch> {
        let given = self.words.get(self.at).map(|word| &word.token);
        let single = match given {
            Some(Token::Name(name)) => name
                .strip_suffix(suffix)
                .and_then(|name| self.register_in(class, name)),
            _ => None,
        };
        let found = self
            .register_of_several_words(class)
            .or(single.map(|register| (register, 1)));
        if let Some((register, length)) = found {
            self.at += length;
            return Ok(Operand::Register(register));
        }
        let known: Vec<String> = class
            .registers()
            .map(|register| self.isa.register_text(register))
            .collect();
        let list = match &known[..] {
            [first, .., last] if known.len() > LISTED_REGISTERS => {
                format!("one of {} registers, {first} to {last}", known.len())
            }
            known => format!("one of {}", known.join(", ")),
        };
        let message = match given {
            Some(Token::Name(name)) => format!("`{name}` can't be this operand"),
            _ => "a register is missing here".to_owned(),
        };
        Err(self.problem(&codes::WRONG_OPERANDS, message, format!("it is {list}")))
    }

    /// The register of this name that the class has.
    fn register_in(&self, class: &RegisterClass, name: &str) -> Option<Register> {
        let register = Register::of_name(name).or_else(|| {
            let mut all = class.registers();
            all.find(|register| register.to_string().eq_ignore_ascii_case(name))
        })?;
        let is_in_class = |register: &Register| class.code(*register).is_some();
        if register.file == RegisterFile::Dim2 && !is_in_class(&register) {
            let three = Register::new(RegisterFile::Dim3, register.number);
            return Some(three).filter(is_in_class);
        }
        Some(register).filter(is_in_class)
    }

    /// The register of the class whose text is several words, `r17:r16` or `p0, lf0, r24`, and how
    /// many they are.
    fn register_of_several_words(&self, class: &RegisterClass) -> Option<(Register, usize)> {
        let is_long =
            |register: &Register| matches!(register.file, RegisterFile::L | RegisterFile::Plfr);
        class.registers().filter(is_long).find_map(|register| {
            let text = self.isa.register_text(register);
            let expected = super::lexer::words(&text, 0).ok()?;
            let given = self.words.get(self.at..self.at + expected.len())?;
            let mut pairs = given.iter().zip(&expected);
            let is_same = pairs.all(|(given, known)| is_same_token(&given.token, &known.token));
            is_same.then_some((register, expected.len()))
        })
    }

    fn read_immediate(
        &mut self,
        field: &OperandField,
        index: usize,
        sign: ImmediateSign,
        scale: u8,
    ) -> Result<Operand, Mismatch> {
        let begin = self.at;
        let is_marked = self.words.get(self.at).map(|word| &word.token) == Some(&Token::Mark('#'));
        if is_marked {
            self.at += 1;
        }
        let is_register = |token: &Token<'_>| match token {
            Token::Name(name) => Register::is_name(name),
            _ => false,
        };
        let next = self.words.get(self.at).map(|word| &word.token);
        let value = match next {
            Some(token) if is_marked || !is_register(token) => {
                value::read(self.words, &mut self.at, self.constant)
            }
            _ => None,
        };
        let Some(value) = value else {
            self.at = begin;
            let message = "a number or the name of a symbol is missing here".to_owned();
            let help = "immediates are written `#12`, `#-4`, `#0x40`, `#name`".to_owned();
            return Err(self.problem(&codes::WRONG_OPERANDS, message, help));
        };
        if value.symbol.is_some() {
            self.symbols.push((index, value));
            return Ok(Operand::Immediate(0));
        }
        let (least, greatest, step) = immediate_range(sign, scale, field.width());
        let mut number = value.number;
        if field.width() == u32::BITS && number > greatest && number <= i64::from(u32::MAX) {
            number -= 1 << u32::BITS;
        }
        if number < least || number > greatest || number % step != 0 {
            let steps = match step {
                1 => String::new(),
                step => format!(" in steps of {step}"),
            };
            return Err(Mismatch {
                code: &codes::OUT_OF_RANGE,
                start: value.start,
                end: value.end,
                message: format!("{} does not fit the field `{}`", value.number, field.name),
                help: format!("it takes {least} to {greatest}{steps}"),
                progress: self.at,
            });
        }
        Ok(Operand::Immediate(number as i32))
    }
}

/// Whether two words are the same; names may differ in case.
fn is_same_token(given: &Token<'_>, known: &Token<'_>) -> bool {
    match (given, known) {
        (Token::Name(given), Token::Name(known)) => given.eq_ignore_ascii_case(known),
        (given, known) => given == known,
    }
}

/// Part of the text after an operand that belongs to the operand's word: `.flt2fx` of `r5.flt2fx,
/// s3`.
fn suffix_before(next: Option<&TextPart>) -> &'static str {
    match next {
        Some(TextPart::Literal(literal)) if literal.starts_with('.') => {
            let end = literal.find([',', ' ']).unwrap_or(literal.len());
            &literal[..end]
        }
        _ => "",
    }
}
