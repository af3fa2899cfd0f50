//! Commands as values: chunks to them and back.

use crate::codes;
use crate::table::{
    self, COUNT_BITS, COUNT_POSITION, CommandInfo, HEADER, HEADER_FIELDS, HEADER_MASK,
    MAX_ARGUMENTS, SET, opcode,
};
use aiec_diag::Code;

use crate::Reading;

/// Most operands of a command.
pub const MAX_OPERANDS: usize = MAX_ARGUMENTS + 3;

/// A command.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// Its row.
    pub info: &'static CommandInfo,
    /// Values of its operands in the order of the row; those that aren't there are 0.
    pub values: [u64; MAX_OPERANDS],
    /// Payload chunks after the header.
    pub payload: u64,
}

/// Why chunks don't decode as a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The kind of finding.
    pub code: &'static Code,
    /// The problem.
    pub message: String,
    /// The way out.
    pub help: String,
    /// Chunks that the command would have, if the header can be believed.
    pub chunks: Option<u64>,
}

impl Refusal {
    fn new(code: &'static Code, message: String, help: &str, chunks: Option<u64>) -> Refusal {
        Refusal {
            code,
            message,
            help: help.to_owned(),
            chunks,
        }
    }
}

impl Command {
    /// The opcode.
    pub fn opcode(&self) -> u64 {
        self.info.instruction.code
    }

    /// The mnemonic.
    pub fn name(&self) -> &'static str {
        &self.info.instruction.name
    }

    /// Number of chunks, header and payload.
    pub fn chunks(&self) -> u64 {
        1 + self.payload
    }

    /// The further arguments of RUN_INSTANCES.
    pub fn arguments(&self) -> &[u64] {
        match self.opcode() {
            opcode::RUN_INSTANCES => {
                let count = usize::try_from(self.values[1])
                    .unwrap_or(0)
                    .min(MAX_ARGUMENTS);
                self.values.get(3..3 + count).unwrap_or(&[])
            }
            _ => &[],
        }
    }

    /// The command that begins with the first of these chunks.
    ///
    /// # Errors
    /// They don't decode, in this reading.
    pub fn decode(chunks: &[u64], reading: Reading) -> Result<Command, Refusal> {
        let Some(&header) = chunks.first() else {
            let message = "the buffer ends here".to_owned();
            return Err(Refusal::new(&codes::PAST_END, message, "add FINISH", None));
        };
        if header & HEADER_MASK != HEADER {
            let message = match header & 0xFF {
                0 => format!(
                    "0x{header:016x} isn't a header: bits 31:30 are {}, not 3",
                    (header >> 30) & 3
                ),
                low => format!("0x{header:016x} isn't a header: bits 7:0 are 0x{low:x}, not 0"),
            };
            let help = "a header is 0xc0000000 | opcode << 8 | chunks << 17 | inline << 32";
            return Err(Refusal::new(&codes::HEADER, message, help, None));
        }
        let count = (header >> COUNT_POSITION) & ((1 << COUNT_BITS) - 1);
        let payload = count / 2;
        let length = Some(1 + payload);
        if !count.is_multiple_of(2) && !reading.is_driver() {
            let message = format!("the count {count} is odd: it is twice the payload chunks");
            let help = "count chunks, not 32-bit words; --compat rounds down as the driver does";
            return Err(Refusal::new(&codes::COUNT, message, help, length));
        }
        let code = SET.code_of(header);
        let known = table::command(code).filter(|_| code != opcode::NOP || reading.is_driver());
        let Some(info) = known else {
            let message = format!("no command has opcode {code}");
            let help = match code {
                opcode::NOP => "leave it out; --compat takes it as NOP, as the driver does",
                _ => "opcodes are 1 to 9",
            };
            return Err(Refusal::new(&codes::OPCODE, message, help, length));
        };
        let name = &info.instruction.name;
        let (least, most) = info.payload;
        if !(least..=most).contains(&payload) {
            let wanted = if least == most {
                least.to_string()
            } else {
                format!("{least} to {most}")
            };
            let message = format!("{name} has {wanted} payload chunks, the header says {payload}");
            let help = "let the header's count be twice the payload chunks";
            return Err(Refusal::new(&codes::COUNT, message, help, length));
        }
        let Some(whole) = usize::try_from(1 + payload)
            .ok()
            .and_then(|n| chunks.get(..n))
        else {
            let message = format!(
                "{name} has {payload} payload chunks, the buffer ends after {}",
                chunks.len() - 1
            );
            let help = "the rest of the buffer is missing, or the header's count is wrong";
            return Err(Refusal::new(&codes::PAST_END, message, help, length));
        };
        let mut command = Command {
            info,
            values: [0; MAX_OPERANDS],
            payload,
        };
        command.read_operands(whole);
        if code == opcode::RUN_INSTANCES && command.values[1] + 1 != payload {
            let message = format!(
                "RUN_INSTANCES says NUM_ARGS {} and has {} payload chunks, not {}",
                command.values[1],
                payload,
                command.values[1] + 1
            );
            let help = "let the count agree with NUM_ARGS: one chunk more than arguments";
            return Err(Refusal::new(&codes::COUNT, message, help, length));
        }
        Ok(command)
    }

    /// Reads the operands out of header and payload.
    fn read_operands(&mut self, chunks: &[u64]) {
        for (value, field) in self.values.iter_mut().zip(self.info.operands()) {
            let chunk = chunks.get((field.position / 64) as usize).copied();
            *value = (chunk.unwrap_or(0) >> (field.position % 64)) & field.mask();
        }
    }

    /// Appends the chunks of a command with these operands, in the order of its row. Arguments of
    /// RUN_INSTANCES may be fewer; values lie in their bits.
    pub fn encode(info: &CommandInfo, values: &[u64], out: &mut Vec<u64>) {
        let payload = match info.instruction.code {
            opcode::RUN_INSTANCES => values.len() as u64 - 2,
            _ => info.payload.0,
        };
        let first = out.len();
        out.push(HEADER | info.instruction.code << 8 | payload << (COUNT_POSITION + 1));
        out.resize(first + 1 + payload as usize, 0);
        for (field, value) in info.operands().iter().zip(values) {
            let at = first + (field.position / 64) as usize;
            if let Some(chunk) = out.get_mut(at) {
                *chunk |= (value & field.mask()) << (field.position % 64);
            }
        }
    }

    /// Appends the chunks of this command.
    pub fn append_to(&self, out: &mut Vec<u64>) {
        let count = match self.opcode() {
            opcode::RUN_INSTANCES => 3 + self.arguments().len(),
            _ => self.info.operands().len(),
        };
        Command::encode(self.info, self.values.get(..count).unwrap_or(&[]), out);
    }

    /// Bits of the header that no field names and that are not 0.
    pub fn unnamed_bits(&self, header: u64) -> u64 {
        let operands = self.info.operands().iter().filter(|f| f.position < 64);
        let named = operands.map(|f| f.mask() << f.position);
        let inline = u64::MAX << 32;
        header & inline & !named.fold(0, |all, bits| all | bits)
    }
}

const _: () = assert!(HEADER_FIELDS == 3 && MAX_OPERANDS == 10);
