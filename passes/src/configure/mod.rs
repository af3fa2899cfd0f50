//! Device configuration: everything that a netlist fixes about the array, as ordered register
//! operations.
//!
//! The order is safe whatever the array did before: cores are put into reset; their programs, the
//! locks and the initial contents of buffers are written; streams are connected; buffer
//! descriptors are written and the queues of core and mem tiles pushed; cores are released; the
//! channels of shim tiles come last (`mlir-aie: lib/Targets/AIERT.cpp` does the same things, with
//! queues before switches). Inside a step, addresses ascend, so that neighbours can be written
//! together.
//!
//! The netlist must be lowered: locks, buffers and BDs numbered, flows routed, cascades resolved.

mod cores;
mod dma;
mod memory;
mod switches;

use aiec_aie::ir::{Loc, Module, Op};
use aiec_aie::ops::{Device, OpKind, OpView, RuntimeSequence};
use aiec_device::regmap::RegisterRef;
use aiec_device::{Arch, DeviceModel, TileLoc};
use aiec_diag::{Code, Diag, Diags, Reported, codes};

use crate::regops::{RegAction, RegOp};
use aiec_codegen::CorePrograms;

codes! {
    /// Codes of device configuration.
    pub static CODES;
    NOT_YET = "configure::not-supported-yet",
        "This part of the netlist can be parsed and routed, but aiec can't make control code of it \
         yet.";
    NO_REGISTER = "configure::no-such-resource",
        "The tile has no such resource: the number of a lock, channel, port or buffer descriptor \
         is outside what the hardware has, or it is the wrong kind of tile.";
    UNASSIGNED = "configure::unassigned",
        "A lock, buffer or buffer descriptor has no number or address. In a full compilation the \
         allocation passes give them; alone, this step needs them to be written.";
    BAD_TRANSFER = "configure::transfer-does-not-fit",
        "A buffer descriptor can't hold this transfer: lengths, strides and sizes are counted in \
         32-bit words and each has a limited number of bits.";
    BAD_LOCK = "configure::bad-lock",
        "A buffer descriptor can use the locks of its own tile (mem tiles: also those of the mem \
         tiles to the left and right on channels 0 to 3), with constant values from -64 to 63.";
    BAD_MEMORY = "configure::bad-memory",
        "A DMA can reach the memory of its own tile; mem tiles also that of the mem tiles to the \
         left and right on channels 0 to 3; shim tiles only host buffers.";
    BAD_SWITCH = "configure::bad-switch",
        "A switch input can carry a circuit or packets, not both; packets have four rules for each \
         input, and a switch output listens to one arbiter only.";
    BAD_CONTENTS = "configure::bad-contents",
        "The initial contents of a buffer must be a dense attribute with at most as many bytes as the \
         buffer has; what a shorter one leaves stays as it is.";
}

/// The register operations that configure a device, in the three parts that a boot image of mlir-aie
/// has too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceConfiguration {
    /// Puts the cores into reset and loads their programs.
    pub programs: Vec<RegOp>,
    /// Locks, buffers, streams, buffer descriptors, and the channels of core and mem tiles.
    pub setup: Vec<RegOp>,
    /// Releases the cores and starts the channels of shim tiles.
    pub start: Vec<RegOp>,
}

/// All register operations that configure a device. The programs of its cores are taken from
/// `programs`, or added there.
pub fn device_writes(
    module: &Module,
    device: Op,
    programs: &mut CorePrograms,
    diags: &mut Diags,
) -> Result<Vec<RegOp>, Reported> {
    let mut parts = device_configuration(module, device, programs, diags)?;
    parts.programs.append(&mut parts.setup);
    parts.programs.append(&mut parts.start);
    Ok(parts.programs)
}

/// [`device_writes`] in parts.
pub fn device_configuration(
    module: &Module,
    device: Op,
    programs: &mut CorePrograms,
    diags: &mut Diags,
) -> Result<DeviceConfiguration, Reported> {
    let Some(model) = Device(device).model(module) else {
        return Ok(DeviceConfiguration::default());
    };
    if model.arch() == Arch::Aie1 {
        let message = format!("{} is of the first generation (AIE)", model.name());
        let diag = Diag::error(&NOT_YET, message)
            .label(module.span(device), "this device")
            .help(
                "its registers aren't described here: passes, routing and pictures know it, but neither files for \
                 hardware nor the simulator; those are for AIE-ML and later: npu1, npu2, xcve3858 and others",
            );
        return Err(diags.fail(diag));
    }
    let mut writer = Writer::new(module, device, model, programs, diags);
    let cores = cores::find(&mut writer);
    writer.step(|w| cores::assert_reset(w, &cores));
    writer.step(|w| cores::programs(w, &cores));
    let programs = writer.ops.len();
    writer.step(memory::locks);
    writer.step(memory::contents);
    writer.step(switches::switches);
    writer.step(switches::muxes);
    writer.step(switches::cascades);
    let channels = dma::channels(&mut writer);
    writer.step(|w| dma::descriptors(w, &channels));
    writer.step(|w| dma::pad_values(w, &channels));
    writer.step(|w| dma::pushes(w, &channels, false));
    let setup = writer.ops.len();
    writer.step(|w| cores::release(w, &cores));
    writer.step(|w| dma::pushes(w, &channels, true));
    let mut programs_first = writer.done()?;
    let start = programs_first.split_off(setup);
    let setup = programs_first.split_off(programs);
    Ok(DeviceConfiguration {
        programs: programs_first,
        setup,
        start,
    })
}

/// The part of [`device_writes`] that loads programs, and the data that they expect.
pub fn core_programs(
    module: &Module,
    device: Op,
    diags: &mut Diags,
) -> Result<Vec<RegOp>, Reported> {
    let Some(model) = Device(device).model(module) else {
        return Ok(Vec::new());
    };
    let mut programs = CorePrograms::default();
    let mut writer = Writer::new(module, device, model, &mut programs, diags);
    let cores = cores::find(&mut writer);
    writer.step(|w| cores::programs(w, &cores));
    writer.done()
}

/// A byte of one of a tile's memories.
type MemoryByte = fn(u32) -> RegisterRef;

/// Collects the operations of a device.
struct Writer<'a> {
    module: &'a Module,
    device: Op,
    model: &'static DeviceModel,
    programs: &'a mut CorePrograms,
    diags: &'a mut Diags,
    ops: Vec<RegOp>,
}

impl<'a> Writer<'a> {
    fn new(
        module: &'a Module,
        device: Op,
        model: &'static DeviceModel,
        programs: &'a mut CorePrograms,
        diags: &'a mut Diags,
    ) -> Writer<'a> {
        Writer {
            module,
            device,
            model,
            programs,
            diags,
            ops: Vec::new(),
        }
    }

    /// Whether a sequence of the device waits for tokens.
    fn tokens_awaited(&self) -> bool {
        let sequences = self.module.children::<RuntimeSequence>(self.device);
        let mut ops = sequences
            .iter()
            .flat_map(|sequence| self.module.walk(sequence.op()));
        ops.any(|op| self.module.kind(op) == OpKind::NpuSync)
    }

    /// The operations written, unless errors were found.
    fn done(self) -> Result<Vec<RegOp>, Reported> {
        self.diags.check()?;
        Ok(self.ops)
    }

    /// Runs one step and sorts its writes by address; equal addresses keep their order.
    fn step(&mut self, run: impl FnOnce(&mut Self)) {
        let start = self.ops.len();
        run(self);
        self.ops[start..].sort_by_key(|op| match op.action {
            RegAction::Write { address, .. }
            | RegAction::Mask { address, .. }
            | RegAction::Block { address, .. }
            | RegAction::PatchedBd { address, .. } => address,
            RegAction::Copy { .. }
            | RegAction::Poll { .. }
            | RegAction::Wait { .. }
            | RegAction::Sync { .. }
            | RegAction::Patch { .. }
            | RegAction::CreateScratchpad { .. }
            | RegAction::UpdateFromScratchpad { .. }
            | RegAction::Preempt { .. } => u32::MAX,
        });
    }

    /// The address of a register; if there is none, a finding about `op`.
    fn address(&mut self, loc: TileLoc, what: RegisterRef, op: Op) -> Option<u32> {
        let address = self.model.register_address(loc, what);
        if address.is_none() {
            let kind = self.model.tile_kind(loc).map_or("no tile", |k| k.name());
            let message = format!("tile {loc} ({kind}) has no {}", resource(what));
            let help = "`aiec devices NAME` lists what each kind of tile has";
            self.refuse(&NO_REGISTER, message, (op, "needed here"), help);
        }
        address
    }

    /// Adds a finding about an operation, which is called so.
    fn refuse(
        &mut self,
        code: &'static Code,
        message: impl Into<String>,
        (op, what): (Op, &str),
        help: &str,
    ) {
        let diag = Diag::error(code, message).label(self.module.span(op), what);
        self.diags.push(diag.help(help));
    }

    fn write(&mut self, loc: TileLoc, what: RegisterRef, value: u32, op: Op) {
        if let Some(address) = self.address(loc, what, op) {
            let at = self.loc(op);
            self.ops.push(RegOp::write(address, value, at));
        }
    }

    fn loc(&self, op: Op) -> Loc {
        self.module.loc(op)
    }
}

/// Name of a missing register in messages.
fn resource(what: RegisterRef) -> String {
    match what {
        RegisterRef::LockValue { id } => format!("lock {id}"),
        RegisterRef::BdWord { bd, .. } => format!("buffer descriptor {bd}"),
        RegisterRef::DmaCtrl { dir, channel } | RegisterRef::DmaQueue { dir, channel } => {
            format!("{dir} channel {channel}")
        }
        RegisterRef::PadValue { channel } => format!("pad value for MM2S channel {channel}"),
        RegisterRef::MasterConfig { port } => format!("stream output {port}"),
        RegisterRef::SlaveConfig { port } => format!("stream input {port}"),
        RegisterRef::SlaveSlot { port, slot } => {
            format!("packet rule {slot} at stream input {port}")
        }
        RegisterRef::DataMemory { byte } => format!("data memory at byte {byte}"),
        RegisterRef::ProgramMemory { byte } => format!("program memory at byte {byte}"),
        RegisterRef::CoreControl | RegisterRef::CascadeControl => "core".to_string(),
        _ => "such register".to_string(),
    }
}
