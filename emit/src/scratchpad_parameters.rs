//! `params.txt`: the parameters of the scratchpad, which hosts read to write them by their names
//! (`mlir-aie: runtime_lib/test_lib/parameter_scratchpad.h`).

use std::fmt::Write as _;

use aiec_aie::ir::Module;
use aiec_aie::ops::ScratchpadParameter;
use aiec_diag::{Diags, Reported, SourceMap};
use aiec_passes::sequence::scratchpad_parameters::{ParameterKind, declared_type};

/// The number of parameters, and a line for each: name, number of the word, type, `core` or `addr`
/// (`mlir-aie: lib/Dialect/AIEX/Utils/AIEUtils.cpp`, emitScratchpadParamsFile).
pub(crate) fn emit(module: &Module, _: &SourceMap, _: &mut Diags) -> Result<Vec<u8>, Reported> {
    let parameters = module.find_all::<ScratchpadParameter>(module.top());
    let mut text = format!("{}\n", parameters.len());
    for parameter in parameters {
        let name = parameter.sym_name(module);
        let index = parameter.state_table_idx(module).unwrap_or(0);
        let ty = declared_type(module, parameter);
        let ty = ty.map_or_else(String::new, |ty| ty.to_string());
        let kind = match ParameterKind::of(module, parameter) {
            ParameterKind::Core => "core",
            ParameterKind::Address => "addr",
        };
        let _ = writeln!(text, "{name} {index} {ty} {kind}");
    }
    Ok(text.into_bytes())
}
