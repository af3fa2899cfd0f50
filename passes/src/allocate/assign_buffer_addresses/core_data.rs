//! Memory for what a core's program keeps beside the netlist's buffers.
//!
//! A core whose local data (arrays, globals, vector constants) don't fit its stack gets a buffer of
//! its own for them, which is placed like all others; mlir-aie leaves them to the linker, which
//! reports late that no memory is left.

use aiec_aie::ir::{Attr, InsertPoint, Module, Op, Type};
use aiec_aie::ops::{Buffer, Core, OpView};
use aiec_device::DeviceModel;

use super::TakenNames;
use crate::infra::pass::PassContext;
use aiec_codegen::{DATA_BUFFER, LocalData};

/// Makes the buffers.
pub(super) fn reserve(
    module: &mut Module,
    device: Op,
    model: &DeviceModel,
    names: &mut TakenNames,
    context: &mut PassContext<'_>,
) {
    let mut wanted = Vec::new();
    let mut measured = LocalData::of(module, device);
    for core in module.children::<Core>(device) {
        let bytes = measured.bytes(core.op());
        let stack = core.stack_bytes(module, model);
        if bytes > stack && module.attr(core.op(), DATA_BUFFER).is_none() {
            wanted.push((core, bytes));
        }
    }
    for (core, bytes) in wanted {
        let (Some(tile), Some(loc)) = (core.tile(module), core.tile_loc(module)) else {
            continue;
        };
        let name = format!("core_{}_{}_data", loc.col, loc.row);
        let name = names.free(module, device, name);
        let at = module.derived_loc(context.pass, core.op());
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        Buffer::build(module, at, tile)
            .sym_name(name.clone())
            .result(Type::memref(vec![bytes], Type::int(8)))
            .insert(InsertPoint::Before(core.op()));
        module.set_attr(core.op(), DATA_BUFFER, Attr::symbol(name));
        context.count("buffers for data of cores", 1);
    }
}
