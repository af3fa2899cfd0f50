//! Device configuration: everything that a netlist fixes about the array, as ordered register
//! operations.
//!
//! The order is safe whatever the array did before: cores are put into reset; their programs, the
//! locks and the initial contents of buffers are written; streams are connected; buffer
//! descriptors are written and the queues of core and mem tiles pushed; cores are released; the
//! channels of shim tiles come last. Inside a step, addresses ascend, so that neighbours can be written
//! together.
//!
//! A [`DeviceConfiguration`], which firmware of NPUs executes after a reset, has the order of `mlir-aie:
//! lib/Targets/AIERT.cpp` instead: queues before switches, and switches in the order of their ops. Which
//! packet comes first to an arbiter depends on it: with streams first, routings that hung on a Strix
//! (mlir-aie: `hw_verdicts/stress_s155_old`) complete.
//!
//! The netlist must be lowered: locks, buffers and BDs numbered, flows routed, cascades resolved.

mod cores;
mod dma;
mod memory;
mod switches;

use aiec_aie::ir::{Loc, Module, Op};
use aiec_aie::ops::{Device, OpKind, OpView, RuntimeSequence, Switchbox};
use aiec_device::regmap::RegisterRef;
use aiec_device::{Arch, DeviceModel, TileLoc};
use aiec_diag::{Code, Diag, Diags, Reported, codes};

use crate::regops::{RegAction, RegOp};
use aiec_codegen::CorePrograms;
use cores::PlacedCore;
use dma::StartedChannel;

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

/// The register operations that configure a device after a reset, in the three parts and in the order
/// that a boot image of mlir-aie has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceConfiguration {
    /// Puts the cores into reset and loads their programs.
    pub programs: Vec<RegOp>,
    /// Locks, buffers, buffer descriptors, the channels of core and mem tiles, and streams.
    pub setup: Vec<RegOp>,
    /// Releases the cores and starts the channels of shim tiles.
    pub start: Vec<RegOp>,
}

impl DeviceConfiguration {
    /// All operations in order.
    pub fn join(mut self) -> Vec<RegOp> {
        self.programs.append(&mut self.setup);
        self.programs.append(&mut self.start);
        self.programs
    }
}

/// All register operations that configure a device whatever the array did before. The programs of its
/// cores are taken from `programs`, or added there.
pub fn device_writes(
    module: &Module,
    device: Op,
    programs: &mut CorePrograms,
    diags: &mut Diags,
) -> Result<Vec<RegOp>, Reported> {
    let Some(model) = configured_model(module, device, diags)? else {
        return Ok(Vec::new());
    };
    let mut writer = Writer::new(module, device, model, programs, diags);
    let cores = cores::find(&mut writer);
    writer.load_programs(&cores);
    writer.fill_memories();
    let switches = module.children::<Switchbox>(device);
    writer.step(|w| {
        switches
            .iter()
            .for_each(|switch| switches::connect(w, *switch))
    });
    writer.connect_ends();
    let channels = writer.start_channels();
    writer.release(&cores, &channels);
    writer.done()
}

/// The register operations that configure a device after a reset.
pub fn device_configuration(
    module: &Module,
    device: Op,
    programs: &mut CorePrograms,
    diags: &mut Diags,
) -> Result<DeviceConfiguration, Reported> {
    let Some(model) = configured_model(module, device, diags)? else {
        return Ok(DeviceConfiguration::default());
    };
    let mut writer = Writer::new(module, device, model, programs, diags);
    let cores = cores::find(&mut writer);
    writer.load_programs(&cores);
    let programs = writer.ops.len();
    writer.fill_memories();
    let channels = writer.start_channels();
    for switch in module.children::<Switchbox>(device) {
        writer.step(|w| switches::connect(w, switch));
    }
    writer.connect_ends();
    let setup = writer.ops.len();
    writer.release(&cores, &channels);
    let mut programs_first = writer.done()?;
    let start = programs_first.split_off(setup);
    let setup = programs_first.split_off(programs);
    Ok(DeviceConfiguration {
        programs: programs_first,
        setup,
        start,
    })
}

/// The model of a device, unless it isn't known; a device without described registers is refused.
fn configured_model(
    module: &Module,
    device: Op,
    diags: &mut Diags,
) -> Result<Option<&'static DeviceModel>, Reported> {
    let model = Device(device).model(module);
    if model.is_some_and(|model| model.arch() == Arch::Aie1) {
        let name = model.map_or("this device", DeviceModel::name);
        let message = format!("{name} is of the first generation (AIE)");
        let diag = Diag::error(&NOT_YET, message)
            .label(module.span(device), "this device")
            .help(
                "its registers aren't described here: passes, routing and pictures know it, but neither files for \
                 hardware nor the simulator; those are for AIE-ML and later: npu1, npu2, xcve3858 and others",
            );
        return Err(diags.fail(diag));
    }
    Ok(model)
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

    /// Puts the cores into reset and loads their programs.
    fn load_programs(&mut self, cores: &[PlacedCore]) {
        self.step(|w| cores::assert_reset(w, cores));
        self.step(|w| cores::programs(w, cores));
    }

    /// Sets locks and the initial contents of buffers.
    fn fill_memories(&mut self) {
        self.step(memory::locks);
        self.step(memory::contents);
    }

    /// Connects shim multiplexers and cascades.
    fn connect_ends(&mut self) {
        self.step(switches::muxes);
        self.step(switches::cascades);
    }

    /// Writes all descriptors and starts the channels of core and mem tiles; returns those of all tiles.
    fn start_channels(&mut self) -> Vec<StartedChannel> {
        let channels = dma::channels(self);
        self.step(|w| dma::descriptors(w, &channels));
        self.step(|w| dma::pad_values(w, &channels));
        self.step(|w| dma::modes(w, &channels));
        self.step(|w| dma::pushes(w, &channels, false));
        channels
    }

    /// Releases the cores and starts the channels of shim tiles.
    fn release(&mut self, cores: &[PlacedCore], channels: &[StartedChannel]) {
        self.step(|w| cores::release(w, cores));
        self.step(|w| dma::pushes(w, channels, true));
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
            | RegAction::Read { .. }
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
