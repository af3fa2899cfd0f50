//! The table of parameters that a host gives for a run: its size, and values that the firmware would cut.

use aiec_diag::{Diag, codes};
use aiec_npu::elf::PatchSymbol;
use aiec_npu::txn::{Operation, TransactionReader};

use super::load::{NpuInput, NpuProgramFile};
use super::state_table::{ADDRESS_MASK, StateTable};

codes! {
    /// Codes of tables of parameters.
    pub static CODES;
    WRONG_SCRATCHPAD = "sim::wrong-scratchpad",
        "The host gives the firmware a table of as many words as the program creates \
         (`aiex.npu.create_scratchpad`): 4 bytes each, the lowest first; zeros may follow. Only ELF files say where its address \
         belongs.";
    ZERO_SCRATCHPAD = "sim::scratchpad-not-given",
        "The program reads a table of parameters of the run, and none was given: as a driver's new \
         buffer, it is zeros.";
    CUT_PARAMETER = "sim::parameter-cut",
        "The firmware adds words of the table to addresses of 48 bits and clears bits 0 and 1. Cores shift their \
         parameters right by 2, so the host multiplies these by 4; offsets of transfers are multiples of 4 bytes.";
}

/// Words of help that say the order of values.
const ORDER: &str = "32-bit words, the lowest byte first, in the order of \
     `aiec DESIGN.mlir --emit=scratchpad-parameters`; a value of kind `core` times 4";

impl NpuInput {
    /// Bytes of the table of parameters that the host gives, if the program reads one.
    pub fn scratchpad_bytes(&self) -> Option<u32> {
        let NpuProgramFile::Elf(file) = &self.program else {
            return None;
        };
        let patches = &self.instance(file).ok()?.patches;
        let tables = patches
            .iter()
            .filter(|patch| patch.symbol == PatchSymbol::ScratchControl);
        tables.map(|patch| patch.size).max()
    }

    /// Checks the table that was given: a host's buffer may be larger than what the program reads, as XRT's is.
    ///
    /// # Errors
    /// It is smaller than what the program reads, or holds words that it doesn't read.
    pub fn check_scratchpad(&self) -> Result<(), Diag> {
        let Some(given) = &self.scratchpad else {
            return Ok(());
        };
        match self.scratchpad_bytes() {
            Some(size)
                if given
                    .split_at_checked(size as usize)
                    .is_some_and(|(_, unread)| unread.iter().all(|byte| *byte == 0)) =>
            {
                Ok(())
            }
            Some(size) => {
                let given = given.len();
                let message =
                    format!("a scratchpad of {given} bytes, and the program reads {size}");
                let words = size / 4;
                let help = format!("give {words} {ORDER}");
                Err(Diag::error(&WRONG_SCRATCHPAD, message).help(help))
            }
            None => {
                let why = "a scratchpad was given, and the program reads none";
                Err(Diag::error(&WRONG_SCRATCHPAD, why).help(
                    "leave `--scratchpad` out; a design that declares an `aiex.scratchpad_parameter` reads one, \
                     as does an ELF made of it",
                ))
            }
        }
    }

    /// Remarks about the table: that it was left out, or words that the firmware cuts.
    pub fn scratchpad_remarks(&self) -> Vec<Diag> {
        match (&self.scratchpad, self.scratchpad_bytes()) {
            (Some(given), _) => self.cut_words(given),
            (None, None) => Vec::new(),
            (None, Some(size)) => {
                let message = format!(
                    "the program reads a scratchpad that wasn't given: {size} bytes of zeros"
                );
                let note = Diag::note(&ZERO_SCRATCHPAD, message);
                let help = format!("give its values with `--scratchpad FILE`: {ORDER}");
                vec![note.help(help)]
            }
        }
    }

    /// Words of a table that lose bits 0 and 1 where the program adds them, each once.
    fn cut_words(&self, given: &[u8]) -> Vec<Diag> {
        let NpuProgramFile::Elf(file) = &self.program else {
            return Vec::new();
        };
        let Ok(instance) = self.instance(file) else {
            return Vec::new();
        };
        let reader = TransactionReader::new(&instance.text);
        let mut table = StateTable::default();
        table.fill(given, 0);
        let (mut found, mut reported) = (Vec::new(), 0u64);
        for (_, encoded) in reader.into_iter().flatten().flatten() {
            match encoded.operation {
                // The run refuses what isn't in the table.
                Operation::UpdateStateTable {
                    index,
                    function,
                    argument,
                } => {
                    let _ = table.update(index, function, argument);
                }
                Operation::UpdateReg {
                    index,
                    function,
                    argument,
                    register,
                } => {
                    let Ok(delta) = table.combined(index, function, argument) else {
                        continue;
                    };
                    let bit = 1u64 << index;
                    if delta & !ADDRESS_MASK == 0 || reported & bit != 0 {
                        continue;
                    }
                    reported |= bit;
                    let message = format!(
                        "word {index} of the scratchpad adds {delta} to register 0x{register:X}, of which the \
                         firmware clears bits 0 and 1"
                    );
                    found.push(Diag::warning(&CUT_PARAMETER, message).help(
                        "write a value of a core times 4; the offset of a transfer, a number of elements, \
                         must be a multiple of 4 bytes",
                    ));
                }
                _ => {}
            }
        }
        found
    }
}
