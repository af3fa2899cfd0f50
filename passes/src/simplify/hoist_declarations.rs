//! `aie-hoist-declarations`: moves buffers and locks that are declared inside a program out of it.
//!
//! The dialect lets a core or a DMA program declare the buffers and locks of its tile in its own
//! region. All other passes look for them in the device, so they are moved in front of the program
//! that holds them; the textual order, which decides numbers and addresses, stays as it is.

use aiec_aie::ir::{InsertPoint, Module, Op};
use aiec_aie::ops::OpKind;
use aiec_diag::Reported;

use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-hoist-declarations", run)
    .summary("Move buffers and locks declared inside programs to the device")
    .postconditions(&[
        "every aie.buffer, aie.external_buffer and aie.lock is directly in the device",
    ]);

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let declarations: Vec<Op> = module
        .walk(device)
        .filter(|op| is_declaration(module.kind(*op)))
        .filter(|op| module.parent_op(*op) != Some(device))
        .collect();
    for op in declarations {
        if let Some(program) = child_of(module, device, op) {
            module.move_to(op, InsertPoint::Before(program));
            context.count("declarations moved", 1);
        }
    }
    Ok(())
}

fn is_declaration(kind: OpKind) -> bool {
    matches!(kind, OpKind::Buffer | OpKind::ExternalBuffer | OpKind::Lock)
}

/// The operation directly in the device that holds `op`.
fn child_of(module: &Module, device: Op, op: Op) -> Option<Op> {
    let mut at = op;
    loop {
        let parent = module.parent_op(at)?;
        if parent == device {
            return Some(at);
        }
        at = parent;
    }
}
