//! The table of NPU firmware in runtime sequences: its creation, updates of registers from it, and offsets
//! of transfers.

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{OpView, ScratchpadParameter};
use aiec_device::ChannelId;
use aiec_device::regmap::BdLayout;
use aiec_diag::Diag;

use super::codes::*;
use super::scratchpad_parameters::{STATE_TABLE_WORDS, parameter_at};
use super::{Lowering, LoweringResult};
use crate::analysis::transfer::{BdError, OFFSET_INDEX, OFFSET_PARAMETER, scratchpad_offset};
use crate::regops::RegAction;

/// Functions of an update (`mlir-aie: include/aie/Dialect/AIEX/IR/AIEXAttrs.td`, StateTableFunc).
const MULTIPLY: u8 = 0;
const INCREMENT: i64 = 1;

/// Way out of designs for controllers.
const FIRMWARE_HELP: &str = "let the host pass parameters in a buffer and move it into an `aie.buffer` of the \
    tile, where cores and the sequence read it with `memref.load`; numbers that are known \
    when the design is compiled are written by `aiex.npu.rtp_write`. Transactions of npu2 have \
    scratchpads: `--emit=npu-elf`, `aiec sim --as=npu-elf`";

/// A word of the scratchpad that is added to the address of a transfer, times an element's bytes.
#[derive(Clone, Copy)]
pub(super) struct ScratchpadOffset {
    index: u8,
    element_bytes: u32,
}

/// The attribute by which a transfer asks for an offset, for a message: with its parameter's name where it has one.
pub(crate) fn offset_as_written(module: &Module, op: Op) -> String {
    let word = module.int_attr(op, OFFSET_INDEX);
    match word.and_then(|word| parameter_at(module, word)) {
        Some(name) => format!("{OFFSET_PARAMETER} = @{name}"),
        None => scratchpad_offset(module, op)
            .unwrap_or_default()
            .to_string(),
    }
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

    /// The word that a transfer of a channel asks for, to be added to its address.
    pub(super) fn transfer_offset(
        &mut self,
        op: Op,
        channel: ChannelId,
        element_bytes: Option<u64>,
    ) -> LoweringResult<Option<ScratchpadOffset>> {
        let module = self.module;
        if scratchpad_offset(module, op).is_none() {
            return Ok(None);
        }
        if !self.by_firmware && !self.by_name {
            let written = offset_as_written(module, op);
            let message = format!(
                "`{written}` is an offset from the scratchpad, which only NPU firmware has"
            );
            let diag = Diag::error(&BAD_TRANSFER, message).help(
                "write the offset into the transfer, or compile for one value of a scalar argument \
                 (`--scalar N=VALUE`). Transactions of npu2 have such offsets: `--emit=npu-elf`, \
                 `aiec sim --as=npu-elf`",
            );
            return self.refuse(op, diag);
        }
        let Some(index) = module.int_attr(op, OFFSET_INDEX) else {
            let bd_error = BdError::new(
                format!("`{OFFSET_PARAMETER}` names a parameter that has no word yet"),
                "run --aie-lower-scratchpad-parameters first",
            );
            return self.bd_error(op, bd_error);
        };
        let is_shim = self
            .model
            .tile_kind(channel.tile)
            .is_some_and(|kind| kind.is_shim());
        if !is_shim {
            let bd_error = BdError::new(
                format!(
                    "the address of a descriptor of tile {} can't be changed so",
                    channel.tile
                ),
                "the firmware adds bytes to an address of 48 bits, which only descriptors of shim \
                 tiles have: offset the transfer from host memory",
            );
            return self.bd_error(op, bd_error);
        }
        let index = self.scratchpad_word(op, index, OFFSET_INDEX)?;
        // A type without whole bytes is refused with its transfer.
        let element_bytes = element_bytes.unwrap_or(1) as u32;
        Ok(Some(ScratchpadOffset {
            index,
            element_bytes,
        }))
    }

    /// Adds a word to the address of a descriptor of a shim tile that begins at `address`.
    pub(super) fn add_offset(&mut self, op: Op, address: u32, offset: Option<ScratchpadOffset>) {
        let kind = self.model.tile_kind(self.model.split_address(address).0);
        let layout = kind.and_then(|kind| BdLayout::of(self.model.arch(), kind));
        if let (Some(offset), Some(layout)) = (offset, layout) {
            let action = RegAction::UpdateFromScratchpad {
                address: address + layout.address_offset(),
                index: offset.index,
                function: MULTIPLY,
                argument: offset.element_bytes,
            };
            self.emit_action(op, action);
        }
    }

    /// Refuses an offset where a pass leaves numbers of the transfer to run time.
    pub(super) fn no_transfer_offset(&mut self, op: Op) -> LoweringResult {
        match scratchpad_offset(self.module, op) {
            None => Ok(()),
            Some(_) => {
                let written = offset_as_written(self.module, op);
                let bd_error = BdError::new(
                    format!("`{written}` of a transfer whose numbers are known at run time only"),
                    "use constants for its sizes and strides, or add the offset as an operand",
                );
                self.bd_error(op, bd_error)
            }
        }
    }
}
