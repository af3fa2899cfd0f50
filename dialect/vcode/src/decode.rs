//! Words to programs. Any words are decoded or refused; a decoded program refers to nothing that
//! is not there.

use super::encode::{CHECKED_FROM, HEADER_WORDS};
use super::instruction::{
    FloatFormat, FloatPredicate, Instruction, MapImmediate, MathFunction, MathFunction2,
    MemoryImmediate, MemoryType, Narrowing,
};
use super::ops::{Immediate, Opcode, Operand};
use super::{
    CoreProgram, Function, GRANULE_LANES, MAGIC, VERSION, WINDOW_LANES, WINDOW_REGISTERS, checksum,
};

/// Why words are not a core program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// There is no program: all words are 0.
    #[error("the program memory is empty")]
    Empty,
    /// The words are something else.
    #[error(
        "this is not a core program of aiec (first word {word:#010x}); machine code of a real core cannot be simulated"
    )]
    Foreign {
        /// The first word.
        word: u32,
    },
    /// Another version of the format.
    #[error("core program of format version {version}, this simulator reads version {VERSION}")]
    Version {
        /// Its version.
        version: u16,
    },
    /// The checksum is wrong, so some words are missing or overwritten.
    #[error("the core program is damaged: checksum {found:#010x} instead of {expected:#010x}")]
    Checksum {
        /// Of the words.
        found: u32,
        /// In the header.
        expected: u32,
    },
    /// The program ends too early.
    #[error("the core program is cut off after word {word}")]
    Short {
        /// Words that are there.
        word: usize,
    },
    /// Something in the program is meaningless.
    #[error("the core program is malformed at instruction {at}: {what}")]
    Malformed {
        /// The instruction, or the count of them.
        at: usize,
        /// The defect.
        what: &'static str,
    },
}

struct Words<'a> {
    words: &'a [u32],
    at: usize,
}

impl Words<'_> {
    fn next(&mut self) -> Result<u32, DecodeError> {
        let word = self.words.get(self.at).ok_or(DecodeError::Short {
            word: self.words.len(),
        })?;
        self.at += 1;
        Ok(*word)
    }
}

impl CoreProgram {
    /// Decodes a program from the start of program memory; words after it are ignored.
    ///
    /// # Errors
    /// The words are not a core program.
    pub fn decode(words: &[u32]) -> Result<CoreProgram, DecodeError> {
        let first = words.first().copied().unwrap_or(0);
        if first != MAGIC {
            let empty = words.iter().all(|&word| word == 0);
            return Err(if empty {
                DecodeError::Empty
            } else {
                DecodeError::Foreign { word: first }
            });
        }
        let short = DecodeError::Short { word: words.len() };
        let [_, length, expected, counts, instructions] =
            *words.first_chunk::<HEADER_WORDS>().ok_or(short.clone())?;
        let version = length as u16;
        if version != VERSION {
            return Err(DecodeError::Version { version });
        }
        let checked = words
            .get(CHECKED_FROM..(length >> 16) as usize)
            .ok_or(short)?;
        let found = checksum(checked);
        if found != expected {
            return Err(DecodeError::Checksum { found, expected });
        }
        let words = words.get(..(length >> 16) as usize).unwrap_or_default();
        let mut reader = Words {
            words,
            at: HEADER_WORDS,
        };
        let mut program = CoreProgram::default();
        for _ in 0..counts & 0xFFFF {
            let entry = reader.next()?;
            let sizes = reader.next()?;
            let (registers, granules) = (sizes as u16, (sizes >> 16) as u16);
            program.functions.push(Function {
                entry,
                registers,
                granules,
            });
        }
        for _ in 0..counts >> 16 {
            program.kernels.push(kernel_name(&mut reader)?);
        }
        for _ in 0..instructions {
            program
                .code
                .push(instruction(&mut reader, program.code.len())?);
        }
        program.check()?;
        Ok(program)
    }

    /// Checks that every reference inside the program leads somewhere.
    fn check(&self) -> Result<(), DecodeError> {
        let malformed = |at, what| Err(DecodeError::Malformed { at, what });
        if self.functions.is_empty() {
            return malformed(0, "no function");
        }
        let count = self.code.len();
        if self
            .functions
            .iter()
            .any(|function| function.entry as usize >= count)
        {
            return malformed(count, "function without code");
        }
        if !self.code.last().is_some_and(|last| last.op.ends_block()) {
            return malformed(count, "the code runs out of the program");
        }
        for (at, instruction) in self.code.iter().enumerate() {
            let imm = instruction.imm as usize;
            match instruction.op.shape().immediate {
                Immediate::Target if imm >= count => return malformed(at, "branch target"),
                Immediate::Function if imm >= self.functions.len() => {
                    return malformed(at, "function");
                }
                Immediate::Kernel if imm >= self.kernels.len() => return malformed(at, "kernel"),
                _ => {}
            }
            check_instruction(at, instruction)?;
        }
        Ok(())
    }
}

fn kernel_name(reader: &mut Words<'_>) -> Result<String, DecodeError> {
    let length = reader.next()? as usize;
    let mut bytes = Vec::new();
    while bytes.len() < length {
        bytes.extend(reader.next()?.to_le_bytes());
    }
    bytes.truncate(length);
    let bad = DecodeError::Malformed {
        at: 0,
        what: "kernel name",
    };
    String::from_utf8(bytes).map_err(|_| bad)
}

fn instruction(reader: &mut Words<'_>, at: usize) -> Result<Instruction, DecodeError> {
    let [code, a, b, c] = reader.next()?.to_le_bytes();
    let unknown = DecodeError::Malformed {
        at,
        what: "unknown operation",
    };
    let op = Opcode::from_code(code).ok_or(unknown)?;
    let imm = match op.shape().immediate {
        Immediate::No => 0,
        _ => reader.next()?,
    };
    Ok(Instruction { op, a, b, c, imm })
}

/// Lanes that a lanes operand means.
pub(super) const fn lanes_of(operand: u8) -> usize {
    if operand == 0 { 256 } else { operand as usize }
}

fn lanes_fit(first: u8, lanes: usize) -> bool {
    usize::from(first) * GRANULE_LANES + lanes <= WINDOW_LANES
}

/// Checks the operands of one instruction that have a meaning of their own.
fn check_instruction(at: usize, instruction: &Instruction) -> Result<(), DecodeError> {
    let malformed = |what| Err(DecodeError::Malformed { at, what });
    let Instruction { op, a, b, c, imm } = *instruction;
    let shape = op.shape();
    if shape.operands[2] == Operand::Lanes {
        let vectors = [(shape.operands[0], a), (shape.operands[1], b)];
        let is_vector = |kind| matches!(kind, Operand::VDest | Operand::VSource);
        let (to, from) = match shape.immediate {
            Immediate::LanePair => ((imm >> 16) as usize, (imm & 0xFFFF) as usize),
            _ => (0, 0),
        };
        let fits = vectors
            .into_iter()
            .zip([to, from])
            .all(|((kind, register), first)| {
                !is_vector(kind) || lanes_fit(register, first + lanes_of(c))
            });
        if !fits {
            return malformed("vector out of the file");
        }
    }
    let vector_fits = match op {
        Opcode::VExtract => lanes_fit(b, imm as usize + 1),
        Opcode::VInsert => lanes_fit(a, imm as usize + 1),
        Opcode::VExtractAt => imm > 0 && lanes_fit(b, imm as usize),
        Opcode::VInsertAt => imm > 0 && lanes_fit(a, imm as usize),
        _ => true,
    };
    if !vector_fits {
        return malformed("vector out of the file");
    }
    match shape.immediate {
        Immediate::Kernel if usize::from(a) + usize::from(b) > WINDOW_REGISTERS => {
            malformed("arguments out of the registers")
        }
        Immediate::Memory if MemoryImmediate::unpack(imm).is_none() => malformed("memory type"),
        Immediate::Source if imm > 0xFF => malformed("fourth operand"),
        Immediate::Map => check_map(at, instruction),
        _ if !numbers_have_meaning(op, c, imm, b) => malformed("operand"),
        _ => Ok(()),
    }
}

/// Validates enum-coded operands.
fn numbers_have_meaning(op: Opcode, c: u8, imm: u32, b: u8) -> bool {
    let small = u8::try_from(imm).ok();
    match op {
        Opcode::MathF | Opcode::MathD => MathFunction::from_code(c).is_some(),
        Opcode::Math2F | Opcode::Math2D => small.and_then(MathFunction2::from_code).is_some(),
        Opcode::CmpF | Opcode::CmpD => small.and_then(FloatPredicate::from_code).is_some(),
        Opcode::NarrowF | Opcode::NarrowD => Narrowing::unpack(c).is_some(),
        Opcode::SToF
        | Opcode::UToF
        | Opcode::FToS
        | Opcode::FToU
        | Opcode::FromBits
        | Opcode::ToBits => FloatFormat::from_code(c).is_some(),
        Opcode::Sext | Opcode::Zext | Opcode::Ctlz | Opcode::Cttz | Opcode::Ctpop => {
            (1..=64).contains(&c)
        }
        Opcode::Shli32 => c < 32,
        Opcode::Shli64 | Opcode::Shrsi | Opcode::Shrui => c < 64,
        Opcode::CascadeGet | Opcode::CascadePut => MemoryType::from_code(b)
            .is_some_and(|kind| kind.bytes() as usize * lanes_of(c) <= CASCADE_BYTES),
        Opcode::Print | Opcode::VPrint => MemoryType::from_code(b).is_some(),
        _ => true,
    }
}

/// Bytes of a cascade transfer (512 bits, AM020).
const CASCADE_BYTES: usize = 64;

fn check_map(at: usize, instruction: &Instruction) -> Result<(), DecodeError> {
    let malformed = |what| Err(DecodeError::Malformed { at, what });
    let Some(map) = MapImmediate::unpack(instruction.imm) else {
        return malformed("unknown operation over lanes");
    };
    let shape = map.op.shape();
    let lanes = usize::from(map.lanes);
    if !shape.pure_scalar || lanes == 0 {
        return malformed("operation over lanes");
    }
    let reduce = instruction.op == Opcode::VReduce;
    let binary = shape.operands[2] == Operand::Source && shape.immediate == Immediate::No;
    if reduce && !binary {
        return malformed("reduction");
    }
    let mut registers = vec![instruction.b];
    if !reduce {
        registers.push(instruction.a);
        if shape.operands[2] == Operand::Source {
            registers.push(instruction.c);
        }
        if shape.immediate == Immediate::Source {
            registers.push(map.fourth);
        }
    }
    if registers
        .into_iter()
        .any(|register| !lanes_fit(register, lanes))
    {
        return malformed("vector out of the file");
    }
    if numbers_have_meaning(map.op, instruction.c, map.fourth.into(), instruction.b) {
        Ok(())
    } else {
        malformed("operand")
    }
}
