//! Reads the `aiex.npu.*` operations of a runtime sequence as register operations, for
//! `aie-npu-to-cert` and the transaction binary. Operands must be constants and addresses absolute,
//! because neither form computes at run time.

use aiec_aie::ir::{Module, Op, SymbolTable};
use aiec_aie::ops::netlist::{const_int, tile_loc};
use aiec_aie::ops::{
    Configure, Device, MemrefGetGlobal, NpuAddressPatch, NpuBlockWrite, NpuPreempt, NpuReadReg,
    OpKind, OpView, Run,
};
use aiec_device::{ChannelId, DeviceModel, DmaDir, TileLoc};
use aiec_diag::{Diag, Diags, MlirAieReport, Reported, codes};

use super::body_ops;
use crate::infra::word_globals::words_of;
use crate::regops::RegAction;

codes! {
    /// Codes of the reference's way to control code.
    pub static CODES;
    NOT_LOWERED = "npu::not-register-writes",
        "Only register writes, address patches and waits, all of constants, have a form in control \
         code and in transactions. Lower transfers and tasks first: --aie-dma-tasks-to-npu, \
         --aie-dma-to-npu. A compilation (`aiec DESIGN.mlir`) does all of it, and more.";
}

/// A register operation, located by the operation that it was read from.
pub type ReadOp = aiec_regprog::RegOp<Op>;

/// Reads the operations of a sequence, in order.
///
/// # Errors
/// Some operation isn't a register operation, or has operands that aren't constants.
pub fn read(
    module: &Module,
    device: Op,
    sequence: Op,
    diags: &mut Diags,
) -> Result<Vec<ReadOp>, Reported> {
    // The verifier reports unknown devices.
    let Some(mut reader) = RegisterOpReader::new(module, device, diags) else {
        return Ok(Vec::new());
    };
    let mut ops = Vec::new();
    let mut result = Ok(());
    for op in body_ops(module, sequence) {
        match reader.action(op) {
            Ok(action) => ops.extend(action.map(|action| ReadOp { action, loc: op })),
            Err(Reported) => result = Err(Reported),
        }
    }
    result.map(|()| ops)
}

/// Reads single operations of a device's sequences.
pub struct RegisterOpReader<'a> {
    module: &'a Module,
    model: &'static DeviceModel,
    symbols: SymbolTable,
    diags: &'a mut Diags,
}

impl<'a> RegisterOpReader<'a> {
    /// A reader for the sequences of a device; `None` if the device isn't known.
    pub fn new(module: &'a Module, device: Op, diags: &'a mut Diags) -> Option<Self> {
        Some(RegisterOpReader {
            module,
            model: Device(device).model(module)?,
            symbols: SymbolTable::of(module, device),
            diags,
        })
    }

    /// Where it reports findings.
    pub fn diags(&mut self) -> &mut Diags {
        self.diags
    }

    fn fail<T>(&mut self, op: Op, message: String, help: &str) -> Result<T, Reported> {
        let diag = Diag::error(&NOT_LOWERED, message)
            .label(self.module.span(op), "here")
            .help(help);
        Err(self.diags.fail(diag))
    }

    /// The register operation of an operation; `None` for one that only makes values.
    ///
    /// # Errors
    /// It isn't a register operation, or has operands that aren't constants.
    pub fn action(&mut self, op: Op) -> Result<Option<RegAction>, Reported> {
        let module = self.module;
        Ok(Some(match module.kind(op) {
            OpKind::NpuWrite32 => RegAction::Write {
                address: self.address(op)?,
                value: self.word(op, 1)?,
            },
            OpKind::NpuMaskWrite32 => RegAction::Mask {
                address: self.address(op)?,
                value: self.word(op, 1)?,
                mask: self.word(op, 2)?,
            },
            OpKind::NpuMaskPoll => RegAction::Poll {
                address: self.address(op)?,
                value: self.word(op, 1)?,
                mask: self.word(op, 2)?,
            },
            OpKind::NpuReadReg => self.register_read(op)?,
            OpKind::NpuBlockWrite => self.block(op)?,
            OpKind::NpuAddressPatch => self.patch(op)?,
            OpKind::NpuSync => self.sync(op)?,
            OpKind::NpuPreempt => RegAction::Preempt {
                level: NpuPreempt(op).level(module) as u8,
            },
            kind if is_data(kind) => return Ok(None),
            OpKind::Configure | OpKind::Run => return self.other_device(op),
            OpKind::NpuLoadPdi | OpKind::NpuWriteConfig => {
                let message = format!("`{}` isn't a register write", module.op_name(op));
                let help = "a compilation (`aiec DESIGN.mlir`) loads devices and writes their \
                            configuration by itself; --aie-expand-load-pdi writes out the latter";
                return self.fail(op, message, help);
            }
            OpKind::NpuCreateScratchpad | OpKind::NpuUpdateFromScratchpad => {
                let name = module.op_name(op);
                let message =
                    format!("`{name}` is done by NPU firmware: control code has no scratchpad");
                let help = "write a transaction: --emit=npu-elf, --emit=insts-elf";
                return self.fail(op, message, help);
            }
            _ => {
                let message = format!("`{}` isn't a register write", module.op_name(op));
                let help =
                    "lower tasks and transfers first: --aie-dma-tasks-to-npu --aie-dma-to-npu";
                return self.fail(op, message, help);
            }
        }))
    }

    /// A configure or run, which another pass puts in its place.
    fn other_device(&mut self, op: Op) -> Result<Option<RegAction>, Reported> {
        let module = self.module;
        for run in module.find_all::<Run>(op) {
            let (given, wanted) = (module.num_operands(run.op()), self.parameters(run));
            let Some(wanted) = wanted.filter(|wanted| *wanted != given) else {
                continue;
            };
            let message = format!("the sequence takes {wanted} arguments, not {given}");
            let mlir_aie = format!(
                "number of run op arguments ({given}) does not match number of callee runtime \
                 sequence arguments ({wanted})"
            );
            let diag = Diag::error(&NOT_LOWERED, message)
                .label(module.span(run.op()), "this run")
                .help("give one value for each argument of the sequence")
                .mlir_aie(MlirAieReport::plain(mlir_aie));
            return Err(self.diags.fail(diag));
        }
        let message = format!("`{}` isn't a register write", module.op_name(op));
        let help = "put what it runs in its place: --aie-materialize-runtime-sequences, and \
                    --aie-expand-load-pdi for hosts whose firmware resets the array; a \
                    compilation (`aiec DESIGN.mlir`) loads devices by itself";
        self.fail(op, message, help)
    }

    /// The number of arguments of the sequence that a run names.
    fn parameters(&self, run: Run) -> Option<usize> {
        let module = self.module;
        let configure = module.ancestor(run.op(), OpKind::Configure)?;
        let device = Configure(configure).symbol(module);
        let devices = module.children::<Device>(module.top());
        let device = devices.iter().find(|d| d.name(module) == *device)?;
        let name = run.runtime_sequence_symbol(module);
        let sequence = SymbolTable::of(module, device.op()).get(&name)?;
        let entry = module.entry(sequence, 0);
        Some(entry.map_or(0, |entry| module.block_args(entry).len()))
    }

    /// Operand `n`, which must be a constant.
    fn word(&mut self, op: Op, n: usize) -> Result<u32, Reported> {
        let operand = self.module.operand(op, n);
        if let Some(value) = operand.and_then(|value| const_int(self.module, value)) {
            return Ok(value as u32);
        }
        let diag = Diag::error(
            &NOT_LOWERED,
            format!("operand {n} is known at run time only"),
        )
        .label(self.module.span(op), "here")
        .help("use constants; --canonicalize folds arithmetic on them");
        let operands = match self.module.kind(op) {
            OpKind::NpuWrite32 => Some(("write32", "address or value")),
            OpKind::NpuMaskWrite32 => Some(("maskwrite32", "address, value, or mask")),
            OpKind::NpuMaskPoll => Some(("maskpoll", "address, value, or mask")),
            _ => None,
        };
        let Some((name, operands)) = operands else {
            return Err(self.diags.fail(diag));
        };
        let text =
            format!("Cannot translate {name} with non-constant {operands} to a static TXN binary");
        let report = MlirAieReport::op(&format!("aiex.npu.{name}"), text);
        Err(self.diags.fail(diag.mlir_aie(report)))
    }

    /// Operand `n`, a constant, as an offset in bytes: all 64 bits where it has them, else a word.
    fn offset(&mut self, op: Op, n: usize) -> Result<u64, Reported> {
        let operand = self.module.operand(op, n);
        let is_wide = operand.is_some_and(|value| {
            let bits = self.module.ty(value).bit_width();
            bits.is_some_and(|bits| bits > u32::BITS)
        });
        let known = operand.and_then(|value| const_int(self.module, value));
        match known.filter(|_| is_wide) {
            Some(value) => Ok(value as u64),
            None => self.word(op, n).map(u64::from),
        }
    }

    /// The first operand as an address: an offset in a tile, or absolute.
    fn address(&mut self, op: Op) -> Result<u32, Reported> {
        let address = self.word(op, 0)?;
        self.whole(op, address)
    }

    /// The whole address of an operation for `address`: the tile of the operation has it if it names one.
    ///
    /// # Errors
    /// It is relative to a buffer.
    pub fn whole(&mut self, op: Op, address: u32) -> Result<u32, Reported> {
        if self.module.attr(op, "buffer").is_some() {
            let message = "this write is relative to a buffer".to_string();
            return self.fail(op, message, "run --aie-dma-to-npu first");
        }
        let number = |key: &str| u8::try_from(self.module.int_attr(op, key)?).ok();
        Ok(match number("column").zip(number("row")) {
            // Addresses that name the tile already stay as they are; bits of another are dropped.
            Some((col, row)) => self.model.tile_address(TileLoc::new(col, row), address),
            None => address,
        })
    }

    fn register_read(&mut self, op: Op) -> Result<RegAction, Reported> {
        let read = NpuReadReg(op);
        let tile = read
            .tile(self.module)
            .and_then(|tile| tile_loc(self.module, tile));
        let Some(tile) = tile else {
            let message = "the tile of this read has no place".to_string();
            return self.fail(op, message, "place tiles first: --aie-place-tiles");
        };
        let offset = read.offset(self.module) as u32;
        Ok(RegAction::Read {
            address: self.model.tile_address(tile, offset),
        })
    }

    fn block(&mut self, op: Op) -> Result<RegAction, Reported> {
        let module = self.module;
        let address = self.whole(op, NpuBlockWrite(op).address(module))?;
        let name = block_data(module, op);
        let global = name.and_then(|name| self.symbols.get(&name));
        let Some(words) = global.and_then(|global| words_of(module, global)) else {
            let help = "use `memref.get_global` of a `memref.global` of the device with a dense \
                        initial value of 32-bit words";
            return self.fail(op, "the words of this write aren't known".to_string(), help);
        };
        Ok(RegAction::Block { address, words })
    }

    /// A wait: column, row, direction, channel, columns, rows.
    fn sync(&mut self, op: Op) -> Result<RegAction, Reported> {
        let mut numbers = [0; 6];
        for (n, number) in numbers.iter_mut().enumerate() {
            // The lower bytes, same as mlir-aie's encoder (`AIETargetNPU.cpp`, `appendSync`).
            *number = self.word(op, n)? as u8;
        }
        let [col, row, dir, index, columns, rows] = numbers;
        let Some(dir) = DmaDir::by_value(dir.into()) else {
            let message = format!("a DMA has no direction {dir}");
            return self.fail(op, message, "0 is S2MM, 1 is MM2S");
        };
        Ok(RegAction::Sync {
            first: ChannelId::new(TileLoc::new(col, row), dir, index),
            columns,
            rows,
        })
    }

    fn patch(&mut self, op: Op) -> Result<RegAction, Reported> {
        let patch = NpuAddressPatch(op);
        let address = if self.module.operand_group(op, "addr_val").is_empty() {
            patch.addr(self.module)
        } else {
            self.word(op, 0)?
        };
        let plus = match self.module.num_operands(op).checked_sub(1) {
            Some(n) => self.offset(op, n)?,
            None => 0,
        };
        Ok(RegAction::Patch {
            address,
            argument: patch.arg_idx(self.module) as u32,
            plus,
        })
    }
}

/// The name of the global that holds the words of an `aiex.npu.blockwrite`.
pub(super) fn block_data(module: &Module, op: Op) -> Option<String> {
    let definition = module.operand(op, 0).and_then(|data| module.def_op(data))?;
    let get = MemrefGetGlobal::cast(module, definition)?;
    Some(get.name(module).to_string())
}

/// Operations that only make values.
fn is_data(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::ArithConstant | OpKind::MemrefGetGlobal | OpKind::End | OpKind::ArithIndexCast
    )
}
