//! `aie-canonicalize-device`: netlists of before `aie.device` are for the device that there was then
//! (`mlir-aie: lib/Dialect/AIE/Transforms/AIECanonicalizeDevice.cpp`).

use aiec_aie::ir::{Attr, InsertPoint, Module};
use aiec_aie::ops::{Device, OpKind};
use aiec_device::DeviceModel;
use aiec_diag::{Reported, internal};

use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static PASS: PassDef = PassDef::of_module("aie-canonicalize-device", run)
    .summary("Put a netlist without `aie.device` into one for xcvc1902")
    .postconditions(&["the module has a device"]);

/// The device that netlists without one are for.
const FIRST_DEVICE: &str = "xcvc1902";

fn run(module: &mut Module, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let top = module.top();
    if !module.children::<Device>(top).is_empty() {
        return Ok(());
    }
    let (Some(body), Some(model)) = (module.entry(top, 0), DeviceModel::by_name(FIRST_DEVICE))
    else {
        return Err(context.fail(internal!(
            "a module without a body, or no model of {FIRST_DEVICE}"
        )));
    };
    let netlist = module.ops_in(body);
    let loc = module.loc(top);
    let device = module
        .build(OpKind::Device, loc)
        .attr("device", Attr::i32(model.value().into()))
        .body()
        .insert(InsertPoint::End(body));
    if let Some(inside) = module.entry(device, 0) {
        for op in netlist {
            module.move_to(op, InsertPoint::End(inside));
        }
    }
    Ok(())
}
