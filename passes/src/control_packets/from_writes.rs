//! `aie-txn-to-ctrl-packet`: the writes of runtime sequences become control packets. Those under a
//! mask stay: a control packet writes whole words.

use aiec_aie::ir::{InsertPoint, Module, Op, SymbolTable};
use aiec_aie::ops::netlist::const_int;
use aiec_aie::ops::{ControlPacket, Device, MemrefGetGlobal, NpuBlockWrite, NpuWrite32, OpView};
use aiec_device::TileLoc;
use aiec_diag::{Diag, Reported};

use super::WORDS;
use crate::infra::pass::{PassContext, PassDef};
use crate::infra::word_globals::words_of;

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-txn-to-ctrl-packet", run)
    .summary("Turn the register writes of runtime sequences into control packets")
    .postconditions(&["no aiex.npu.blockwrite is left, nor an aiex.npu.write32 of constants"]);

/// The operation code of a control packet that writes (AM020, control packets).
const WRITE: i32 = 0;

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let symbols = SymbolTable::of(module, device);
    for write in module.find_all::<NpuBlockWrite>(device) {
        let op = write.op();
        let Some(words) = words(module, &symbols, op) else {
            let diag = Diag::error(&WORDS, "the words of this write aren't known")
                .label(module.span(op), "this write")
                .help("give it a memref.get_global of a memref.global of i32 with values");
            context.report(diag);
            continue;
        };
        let address = absolute(module, device, op, write.address(module));
        replace(module, op, address, words, context);
    }
    for write in module.find_all::<NpuWrite32>(device) {
        let op = write.op();
        let constant = |n| module.operand(op, n).and_then(|v| const_int(module, v));
        // An index of a buffer isn't an address.
        let buffer = module.attr(op, "buffer").is_some();
        if let (Some(address), Some(value), false) = (constant(0), constant(1), buffer) {
            let address = absolute(module, device, op, address as u32);
            replace(module, op, address, vec![value as i32], context);
        }
    }
    context.diags.check()
}

/// The address with column and row, if the operation gives them apart.
fn absolute(module: &Module, device: Op, op: Op, address: u32) -> u32 {
    let part = |key| u8::try_from(module.int_attr(op, key)?).ok();
    match (part("column"), part("row"), Device(device).model(module)) {
        (Some(col), Some(row), Some(model)) => model.tile_address(TileLoc::new(col, row), address),
        _ => address,
    }
}

/// The words of the global that an operation reads.
fn words(module: &Module, symbols: &SymbolTable, op: Op) -> Option<Vec<i32>> {
    let definition = module.def_op(module.operand(op, 0)?)?;
    let name = MemrefGetGlobal::cast(module, definition)?.name(module);
    let words = words_of(module, symbols.get(&name)?)?;
    Some(words.into_iter().map(|word| word as i32).collect())
}

fn replace(
    module: &mut Module,
    op: Op,
    address: u32,
    words: Vec<i32>,
    context: &mut PassContext<'_>,
) {
    let loc = module.derived_loc(context.pass, op);
    ControlPacket::build(module, loc, address, WRITE, 0)
        .data(words)
        .insert(InsertPoint::Before(op));
    module.erase(op);
    context.count("packets", 1);
}
