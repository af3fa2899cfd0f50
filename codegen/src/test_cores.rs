//! Small cores of the tests.

use aiec_aie::ops::OpKind;
use aiec_aie::text::parse_text;
use aiec_core::CoreArch;
use aiec_diag::{Diags, FileId, Reported};

use crate::MachineCore;
use crate::select::{NestForm, machine_program};

/// The machine form of a core in tile (0, 3), `%tile`, of an architecture's device, with some
/// declarations beside it and some bytes of stack; and the findings about it.
pub(crate) fn test_core(
    arch: CoreArch,
    declared: &str,
    body: &str,
    stack_bytes: u32,
) -> (Result<MachineCore, Reported>, Diags) {
    let device = match arch {
        CoreArch::Aie2 => "npu1",
        CoreArch::Aie2p => "npu2",
        CoreArch::Aie2ps => "xcve3858",
    };
    let text = format!(
        "module {{ aie.device({device}) {{
           %tile = aie.tile(0, 3)
           {declared}
           %core = aie.core(%tile) {{ {body} aie.end }} {{stack_size = {stack_bytes} : i32}}
         }} }}"
    );
    let mut diags = Diags::new();
    let module = parse_text(FileId(0), &text, &mut diags);
    let core = module.find(module.top(), OpKind::Core)[0];
    let made = machine_program(&module, core, arch, NestForm::Products, &mut diags);
    (made, diags)
}
