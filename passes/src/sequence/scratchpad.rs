//! The table of NPU firmware in runtime sequences: its creation, updates of registers from it, and offsets
//! of transfers.

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{OpView, ScratchpadParameter};
use aiec_device::ChannelId;
use aiec_device::regmap::BdLayout;
use aiec_diag::Diag;

use super::codes::*;
use super::scratchpad_parameters::{CLEARED_BITS, CORE_ENCODED, STATE_TABLE_WORDS, parameter_at};
use super::{Lowering, LoweringResult};
use crate::analysis::transfer::{
    BdError, LENGTH_UNIT, ScratchpadTerm, WORD_BYTES, scratchpad_term,
};
use crate::regops::RegAction;

/// Functions of an update (`mlir-aie: include/aie/Dialect/AIEX/IR/AIEXAttrs.td`, StateTableFunc).
const MULTIPLY: u8 = 0;
const INCREMENT: i64 = 1;

/// Way out of designs for controllers.
const FIRMWARE_HELP: &str = "let the host pass parameters in a buffer and move it into an `aie.buffer` of the \
    tile, where cores and the sequence read it with `memref.load`; numbers that are known \
    when the design is compiled are written by `aiex.npu.rtp_write`. Transactions of npu2 have \
    scratchpads: `--emit=npu-elf`, `aiec sim --as=npu-elf`";

/// A word of the scratchpad that is added to a register of a descriptor, times `argument`.
#[derive(Clone, Copy)]
pub(super) struct DescriptorUpdate {
    term: ScratchpadTerm,
    index: u8,
    argument: u32,
}

/// Bytes of which lengths before and after an update are multiples: the firmware clears bits 0 and 1 of their number of words.
const LENGTH_GRANULE: i64 = (WORD_BYTES as i64) << CLEARED_BITS;
/// Values of parameters that cores read are in the table times this.
const CORE_SCALE: i64 = 1 << CLEARED_BITS;

/// The attribute by which a transfer asks for a word, for a message: with its parameter's name where it has one.
pub(crate) fn term_as_written(module: &Module, op: Op, term: ScratchpadTerm) -> String {
    let word = module.int_attr(op, term.index());
    match word.and_then(|word| parameter_at(module, word)) {
        Some(name) => format!("{} = @{name}", term.parameter()),
        None => term.asked(module, op).unwrap_or_default().to_string(),
    }
}

/// Elements by which a transfer's length grows for each 1 of its parameter; `None` for lengths that don't.
pub(super) fn length_unit(module: &Module, op: Op) -> Option<i64> {
    ScratchpadTerm::Length.asked(module, op)?;
    module.int_attr(op, LENGTH_UNIT)
}

impl Lowering<'_> {
    /// Refuses the table where a controller does the operations; what parameters became is refused once.
    pub(super) fn only_by_firmware<T>(&mut self, op: Op) -> LoweringResult<T> {
        let module = self.module;
        let parameters = module.children::<ScratchpadParameter>(module.top());
        let Some(parameter) = parameters.first() else {
            let name = module.op_name(op);
            let message = format!(
                "`{name}` is done by NPU firmware: the controllers (CERT) have no scratchpad, and no \
                 instruction like it"
            );
            return self.refuse(op, Diag::error(&UNSUPPORTED, message).help(FIRMWARE_HELP));
        };
        let message = "scratchpad parameters are words of a table that NPU firmware keeps: the controllers \
                       (CERT) have none";
        let diag = Diag::error(&UNSUPPORTED, message)
            .label(module.span(op), "given here")
            .label(module.span(parameter.op()), "declared here")
            .help(FIRMWARE_HELP);
        self.refuse(parameter.op(), diag)
    }

    /// `aiex.npu.create_scratchpad`. A run has one table, which all sequences of it share: the first creation
    /// counts (`mlir-aie: lib/Dialect/AIEX/Transforms/AIEMaterializeRuntimeSequences.cpp`).
    pub(super) fn create_scratchpad(&mut self, op: Op) -> LoweringResult {
        let module = self.module;
        let int = |key| module.int_attr(op, key).unwrap_or(0);
        let (size, usage) = (int("size"), int("usage_type"));
        let (words, rest) = (size / 4, size % 4);
        if !(1..=STATE_TABLE_WORDS).contains(&words) || rest != 0 {
            let message = format!("a scratchpad of {size} bytes");
            let diag = Diag::error(&UNSUPPORTED, message)
                .help("it has 1 to 32 words of 4 bytes: `size` is a multiple of 4, up to 128");
            return self.refuse(op, diag);
        }
        if usage != 0 {
            let message = format!("a scratchpad with usage {usage}");
            let diag = Diag::error(&UNSUPPORTED, message)
                .help("the firmware knows one use, its state table: leave `usage_type` out");
            return self.refuse(op, diag);
        }
        if let Some((first, before)) = self.scratchpad {
            if before == words {
                return Ok(());
            }
            let message = format!("a scratchpad of {words} words, and one of {before} before");
            let diag = Diag::error(&UNSUPPORTED, message)
                .label(module.span(op), "this one")
                .label(module.span(first), "the first")
                .help(
                    "a run has one table: create it as large as all that use it need; parameters create \
                     theirs with a word for each",
                );
            return self.refuse(op, diag);
        }
        self.scratchpad = Some((op, words));
        let (usage, bytes) = (usage as u8, size as u32);
        self.emit_action(op, RegAction::CreateScratchpad { usage, bytes });
        Ok(())
    }

    /// `aiex.npu.update_from_scratchpad`, which increments unless a function is given.
    pub(super) fn update_from_scratchpad(&mut self, op: Op) -> LoweringResult {
        let module = self.module;
        let int = |key| module.int_attr(op, key);
        let index =
            self.scratchpad_word(op, int("state_table_idx").unwrap_or(0), "state_table_idx")?;
        let address = self.absolute(op, int("address").unwrap_or(0), 2)?;
        let action = RegAction::UpdateFromScratchpad {
            address,
            index,
            function: int("func").unwrap_or(INCREMENT) as u8,
            argument: int("func_arg").unwrap_or(0) as u32,
        };
        self.emit_action(op, action);
        Ok(())
    }

    /// A word of the table, which must have been created with it. Passes by name see no creation.
    fn scratchpad_word(&mut self, op: Op, index: i64, key: &str) -> LoweringResult<u8> {
        if !(0..STATE_TABLE_WORDS).contains(&index) {
            let message = format!("word {index} of a scratchpad");
            let diag = Diag::error(&UNSUPPORTED, message)
                .help(format!("it has up to 32 words: `{key}` is 0 to 31"));
            return self.refuse(op, diag);
        }
        let created = match self.scratchpad {
            Some((_, words)) if index < words => return Ok(index as u8),
            _ if self.by_name => return Ok(index as u8),
            created => created,
        };
        let (message, help) = match created {
            Some((_, words)) => (
                format!("word {index} of a scratchpad of {words} words"),
                "create a larger one: `size` counts bytes, 4 for each word",
            ),
            None => (
                format!("word {index} of a scratchpad that isn't created before"),
                "put aiex.sync_scratchpad_parameters_from_host in front of it, or \
                 `aiex.npu.create_scratchpad` where words are written without parameters",
            ),
        };
        let module = self.module;
        let diag = Diag::error(&UNSUPPORTED, message).label(module.span(op), "used here");
        let created = created.and_then(|(created, _)| module.span(created));
        self.refuse(op, diag.label(created, "created here").help(help))
    }

    /// The words that a transfer of a channel asks for, to be added to its address and its length.
    pub(super) fn descriptor_updates(
        &mut self,
        op: Op,
        channel: ChannelId,
        element_bytes: Option<u64>,
    ) -> LoweringResult<Vec<DescriptorUpdate>> {
        let module = self.module;
        let mut updates = Vec::new();
        for term in ScratchpadTerm::ALL {
            if term.asked(module, op).is_none() {
                continue;
            }
            let index = self.term_word(op, channel, term)?;
            // A type without whole bytes is refused with its transfer.
            let element_bytes = element_bytes.unwrap_or(1) as i64;
            let argument = match term {
                ScratchpadTerm::Offset => element_bytes as u32,
                ScratchpadTerm::Length => self.length_argument(op, element_bytes)?,
            };
            updates.push(DescriptorUpdate {
                term,
                index,
                argument,
            });
        }
        Ok(updates)
    }

    /// The word of a transfer's term, where firmware can add it.
    fn term_word(
        &mut self,
        op: Op,
        channel: ChannelId,
        term: ScratchpadTerm,
    ) -> LoweringResult<u8> {
        let module = self.module;
        if !self.by_firmware && !self.by_name {
            let written = term_as_written(module, op, term);
            let message =
                format!("`{written}` is from the scratchpad, which only NPU firmware has");
            let diag = Diag::error(&BAD_TRANSFER, message).help(
                "write the number into the transfer, or compile for one value of a scalar argument \
                 (`--scalar N=VALUE`). Transactions of npu2 have scratchpads: `--emit=npu-elf`, \
                 `aiec sim --as=npu-elf`",
            );
            return self.refuse(op, diag);
        }
        let Some(index) = module.int_attr(op, term.index()) else {
            let bd_error = BdError::new(
                format!(
                    "`{}` names a parameter that has no word yet",
                    term.parameter()
                ),
                "run --aie-lower-scratchpad-parameters first",
            );
            return self.bd_error(op, bd_error);
        };
        let is_shim = self
            .model
            .tile_kind(channel.tile)
            .is_some_and(|kind| kind.is_shim());
        if !is_shim {
            let tile = channel.tile;
            let (number, help) = match term {
                ScratchpadTerm::Offset => (
                    "address",
                    "the firmware adds bytes to an address of 48 bits, which only descriptors of shim \
                     tiles have: offset the transfer from host memory",
                ),
                ScratchpadTerm::Length => (
                    "length",
                    "only descriptors of shim tiles have their length in a word of its own: change the \
                     length of the transfer from host memory",
                ),
            };
            let message =
                format!("the {number} of a descriptor of tile {tile} can't be changed so");
            return self.bd_error(op, BdError::new(message, help));
        }
        self.scratchpad_word(op, index, term.index())
    }

    /// By how many words a length grows for each 1 that is in the table.
    fn length_argument(&mut self, op: Op, element_bytes: i64) -> LoweringResult<u32> {
        let module = self.module;
        let refused = |message: String, help: &str| BdError::new(message, help);
        let Some(unit) = module.int_attr(op, LENGTH_UNIT) else {
            let message = format!("a length parameter without `{LENGTH_UNIT}`");
            let help =
                "write how many elements each 1 of the parameter adds: `length_unit = 16 : i32`";
            return self.bd_error(op, refused(message, help));
        };
        let bytes = unit.checked_mul(element_bytes).filter(|bytes| *bytes > 0);
        let Some(bytes) = bytes.filter(|bytes| bytes % LENGTH_GRANULE == 0) else {
            let message = format!(
                "a unit of {unit} elements of {element_bytes} bytes isn't a multiple of {LENGTH_GRANULE} bytes"
            );
            let help = "the firmware clears the lowest two bits of a length in words: use units of whole 16 bytes";
            return self.bd_error(op, refused(message, help));
        };
        let scale = if module.flag(op, CORE_ENCODED) {
            CORE_SCALE
        } else {
            1
        };
        u32::try_from(bytes / (WORD_BYTES as i64 * scale)).or_else(|_| {
            let message = format!("a unit of {unit} elements exceeds the length of a descriptor");
            self.bd_error(op, refused(message, "use a smaller unit"))
        })
    }

    /// The length of a transfer that grows is whole granules before it does.
    pub(super) fn growing_length(
        &mut self,
        op: Op,
        length: i64,
        element_bytes: u64,
    ) -> LoweringResult {
        let bytes = length.saturating_mul(element_bytes as i64);
        if bytes >= 0 && bytes % LENGTH_GRANULE == 0 {
            return Ok(());
        }
        let message = format!(
            "{bytes} bytes that a length parameter adds to aren't a multiple of {LENGTH_GRANULE}"
        );
        let help = "the firmware clears the lowest two bits of a length in words: begin with whole 16 bytes, or with 0";
        self.bd_error(op, BdError::new(message, help))
    }

    /// Adds words to registers of a descriptor of a shim tile that begins at `address`.
    pub(super) fn update_descriptor(&mut self, op: Op, address: u32, updates: &[DescriptorUpdate]) {
        let kind = self.model.tile_kind(self.model.split_address(address).0);
        let Some(layout) = kind.and_then(|kind| BdLayout::of(self.model.arch(), kind)) else {
            return;
        };
        for update in updates {
            let offset = match update.term {
                ScratchpadTerm::Offset => layout.address_offset(),
                ScratchpadTerm::Length => layout.length_offset(),
            };
            let action = RegAction::UpdateFromScratchpad {
                address: address + offset,
                index: update.index,
                function: MULTIPLY,
                argument: update.argument,
            };
            self.emit_action(op, action);
        }
    }

    /// Refuses the scratchpad where a pass leaves numbers of the transfer to run time.
    pub(super) fn no_scratchpad_term(&mut self, op: Op) -> LoweringResult {
        match scratchpad_term(self.module, op) {
            None => Ok(()),
            Some(term) => {
                let written = term_as_written(self.module, op, term);
                let bd_error = BdError::new(
                    format!("`{written}` of a transfer whose numbers are known at run time only"),
                    "use constants for its sizes, strides and descriptors, or give the number as an operand",
                );
                self.bd_error(op, bd_error)
            }
        }
    }
}
