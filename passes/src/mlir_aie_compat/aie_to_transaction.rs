//! `convert-aie-to-transaction`: the configuration of a device as a runtime sequence `@configure` of
//! register writes (`mlir-aie: lib/Conversion/AIEToConfiguration`).
//!
//! The writes are those of a compilation ([`crate::configure`]), in its order: what acts on other
//! tiles comes after what is acted upon, where the reference writes part by part of the netlist.
//! The netlist must be lowered: locks, buffers and BDs numbered, flows routed.

use aiec_aie::ir::{InsertPoint, Module, Op, SymbolTable};
use aiec_aie::ops::{Device, RuntimeSequence};
use aiec_device::DeviceModel;
use aiec_diag::{Diag, Diags, Reported};

use crate::configure::{BAD_MEMORY, device_configuration};
use crate::infra::packet_flow::device_end;
use crate::infra::pass::{OptionDef, Options, PassContext, PassDef, pass_options};
use crate::infra::word_globals;
use crate::mlir_aie_compat::npu_ops::NpuOps;
use crate::regops::{RegAction, RegOp};
use aiec_codegen::CorePrograms;

/// The pass.
pub static PASS: PassDef =
    PassDef::of_device("convert-aie-to-transaction", |module, device, context| {
        run(module, device, &context.options()?, context)
    })
    .summary("Write the configuration of a device as a runtime sequence of register writes")
    .postconditions(&["a runtime sequence `@configure` that configures the device"])
    .options(<TransactionOptions as Options>::DEFS);

pass_options! {
    /// Options of `convert-aie-to-transaction`.
    pub(crate) struct TransactionOptions {
        /// Name of the sequence.
        pub(crate) sequence_name: String = OptionDef::text(
        "sequence-name",
        "configure",
        "the name of the sequence",
    ),
    }
}

fn run(
    module: &mut Module,
    device: Op,
    options: &TransactionOptions,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let writes =
        device_configuration(module, device, &mut CorePrograms::default(), context.diags)?.join();
    let Some(model) = Device(device).model(module) else {
        // The verifier reports unknown devices.
        return Ok(());
    };
    let mut symbols = SymbolTable::of(module, device);
    let loc = module.derived_loc(context.pass, device);
    let at = device_end(module, device);
    let sequence = RuntimeSequence::build(module, loc)
        .sym_name(symbols.unique_name(&options.sequence_name))
        .body()
        .insert(at);
    let Some(body) = module.entry(sequence, 0) else {
        return Ok(());
    };
    let (data, end) = ("config_blockwrite_data", InsertPoint::End(body));
    let place = (model, end);
    let count = write_here(
        module,
        &mut symbols,
        writes,
        (sequence, data),
        place,
        context.diags,
    )?;
    context.count("operations", count);
    Ok(())
}

/// Writes configuration as operations of a sequence; the words of blocks become globals in front of
/// it, whose names begin with `data`. Returns the number of writes.
///
/// # Errors
/// A BD of a host buffer that is an argument has no form here.
pub(crate) fn write_here(
    module: &mut Module,
    symbols: &mut SymbolTable,
    writes: Vec<RegOp>,
    (sequence, data): (Op, &str),
    (model, at): (&DeviceModel, InsertPoint),
    diags: &mut Diags,
) -> Result<u64, Reported> {
    let count = writes.len() as u64;
    for (n, write) in writes.into_iter().enumerate() {
        let loc = write.loc;
        let data = match &write.action {
            RegAction::Block { words, .. } => {
                let base = format!("{data}_{n}");
                let at = InsertPoint::Before(sequence);

                Some(word_globals::build(module, symbols, &base, words, at, loc))
            }
            _ => None,
        };
        let mut out = NpuOps { module, at, loc };
        // The arguments of the sequence aren't those that the BD's buffer is one of.
        let host_buffer = matches!(write.action, RegAction::PatchedBd { .. });
        if host_buffer || out.action(model, &write.action, data.as_deref()).is_err() {
            let diag = Diag::error(&BAD_MEMORY, "this host buffer has no address");
            let diag = diag.label(module.locs.source_span(loc), "this transfer");
            diags.push(
                diag.help("write its `address`, or move the transfer into the runtime sequence"),
            );
        }
    }
    diags.check()?;
    Ok(count)
}
