//! Writes the files of aiecc's options that no kind of `--emit` covers (mlir-aie:
//! `tools/aiecc/aiecc.cpp`).

use aiec_aie::ir::Module;
use aiec_aie::ops::{Configure, ControlPacket, Core, OpView};
use aiec_diag::{Diag, Diags, Reported};
use aiec_emit::npu::{self, NpuOptions};
use aiec_emit::{EmitKind, Stage, mlir};
use aiec_passes::analysis::core_elf;
use aiec_passes::infra::manager::PassStep;
use aiec_passes::pipelines;

use crate::args::aiecc::AieccChoice;
use crate::args::{CompileArgs, CorePrograms};
use crate::design_compiler::Compiler;
use crate::io::output::{Outputs, template};
use crate::session::Session;

/// The pass that writes a device's configuration as the sequence [`CONFIGURE`].
const TRANSACTION: &[&str] = &["convert-aie-to-transaction"];
/// The passes that make control packets of it.
const PACKETS: &[&str] = &[
    "convert-aie-to-transaction",
    "aie-txn-to-ctrl-packet",
    "aie-legalize-ctrl-packet",
];
/// The pass that makes transfers of control packets.
const PACKET_TRANSFERS: &[&str] = &["aie-ctrl-packet-to-dma"];
/// The sequence that configures a device.
const CONFIGURE: &str = "configure";

/// Replacement of `{0}` in the name of a kind's file: the device, and of a transaction its sequence
/// too.
///
/// # Errors
/// The module lacks the device or sequence of `choice`.
pub fn key(
    kind: &EmitKind,
    module: &Module,
    choice: &NpuOptions,
    diags: &mut Diags,
) -> Result<String, Reported> {
    let device = npu::device_of(module, choice, diags)?.name(module);
    if !matches!(kind.name, "insts" | "insts-elf") {
        return Ok(device);
    }
    let (_, sequence) = npu::chosen(module, choice, diags)?;
    Ok(format!("{device}_{}", sequence.name(module)))
}

impl AieccChoice {
    /// Whether a stage has something to do.
    pub fn needs(&self, stage: Stage) -> bool {
        let late = self.transaction.is_some()
            || self.control_packets.is_some()
            || self.packet_transfers.is_some();
        match stage {
            Stage::Routed => late || self.addresses.is_some(),
            Stage::MachineCode => late,
            Stage::ControlCode => false,
        }
    }

    /// Whether the compiler of `--peano` has something to do: for aiecc, where nothing has machine code yet and
    /// none is left out.
    pub fn needs_peano(&self, args: &CompileArgs, module: &Module) -> bool {
        if !self.is_aiecc {
            return true;
        }
        let cores = module.find_all::<Core>(module.top()).into_iter();
        let mut bodies = cores.filter(|core| core_elf::file_of(module, *core).is_none());
        args.core != Some(CorePrograms::Model) && bodies.next().is_some()
    }

    /// Writes the design whose buffers, locks and descriptors have their places.
    pub fn placed(&self, module: &Module, session: &mut Session, outputs: &mut Outputs) {
        if let Some(path) = &self.addresses
            && let Ok(text) = mlir::custom(module, &session.sources, &mut session.diags)
        {
            outputs.add(path.clone(), text);
        }
    }

    /// Writes the files that need the cores' programs.
    ///
    /// # Errors
    /// A pass or an emission failed.
    pub fn with_machine_code(
        &self,
        module: &Module,
        choice: &NpuOptions,
        compiler: &mut Compiler<'_, '_>,
        outputs: &mut Outputs,
    ) -> Result<(), Reported> {
        if let Some(path) = &self.transaction {
            let (made, device) = self.configuration(module, choice, TRANSACTION, compiler)?;
            let session = &mut *compiler.session;
            let text = mlir::custom(&made, &session.sources, &mut session.diags)?;
            outputs.add(template(path, &device), text);
        }
        if self.control_packets.is_some() || self.packet_transfers.is_some() {
            self.packets(module, choice, compiler, outputs)?;
        }
        Ok(())
    }

    /// A copy of the module after passes that write the configuration of the device, and the device's name.
    fn configuration(
        &self,
        module: &Module,
        choice: &NpuOptions,
        passes: &[&str],
        compiler: &mut Compiler<'_, '_>,
    ) -> Result<(Module, String), Reported> {
        let diags = &mut compiler.session.diags;
        let device = npu::device_of(module, choice, diags)?;
        npu::check_cores(module, device.op(), choice, diags)?;
        let mut made = module.clone();
        compiler.run(&mut made, &steps(passes))?;
        Ok((made, device.name(module)))
    }

    /// Control packets: those of the design's sequence, or of the device's configuration.
    fn packets(
        &self,
        module: &Module,
        choice: &NpuOptions,
        compiler: &mut Compiler<'_, '_>,
        outputs: &mut Outputs,
    ) -> Result<(), Reported> {
        let device = npu::device_of(module, choice, &mut compiler.session.diags)?;
        if !module.find_all::<ControlPacket>(device.op()).is_empty()
            && self.packet_transfers.is_none()
        {
            let bytes = npu::control_packets(module, choice, &mut compiler.session.diags)?;
            let path = self.control_packets.iter();
            path.for_each(|path| outputs.add(template(path, &device.name(module)), bytes.clone()));
            return Ok(());
        }
        if self.packet_transfers.is_some()
            && let Some(inside) = module.find_all::<Configure>(device.op()).first()
        {
            let message = "the transfers of a configuration inside a sequence aren't written here";
            let diag = Diag::error(&npu::CONTROL_PACKET, message)
                .label(module.span(inside.op()), "this configuration")
                .help(
                    "leave --ctrlpkt-dma-seq-name out, or let the sequence have no aiex.configure",
                );
            return Err(compiler.session.fail(diag));
        }
        let (mut made, name) = self.configuration(module, choice, PACKETS, compiler)?;
        let choice = NpuOptions {
            sequence: CONFIGURE.to_string(),
            ..choice.clone()
        };
        if let Some(path) = &self.control_packets {
            let bytes = npu::control_packets(&made, &choice, &mut compiler.session.diags)?;
            outputs.add(template(path, &name), bytes);
        }
        if let Some(path) = &self.packet_transfers {
            compiler.run(&mut made, &steps(PACKET_TRANSFERS))?;
            let bytes = npu::instructions(&made, &choice, &mut compiler.session.diags)?;
            outputs.add(template(path, &name), bytes);
        }
        Ok(())
    }
}

/// Passes by their names, which are those of the table.
fn steps(names: &[&str]) -> Vec<PassStep> {
    let passes = names.iter().filter_map(|name| pipelines::find_pass(name));
    passes.map(PassStep::new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_are_those_of_the_table() {
        for names in [TRANSACTION, PACKETS, PACKET_TRANSFERS] {
            assert_eq!(steps(names).len(), names.len());
        }
    }
}
