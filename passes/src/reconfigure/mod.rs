//! Several devices, one after the other, on one array.
//!
//! A sequence that loads devices ([`crate::sequence::sequence_regions`]) is a list of spans: a
//! device and what is done while it is loaded. [`phases`] turns them into phases of control code:
//! how the array gets from the state that the previous span left to where the device's
//! configuration begins ([`teardown`]), and which part of the configuration must be written
//! ([`register_state`]).
//!
//! The contents of an array are of two kinds. *Configuration* stays as it was written: switches,
//! descriptors, program memory, multiplexers, buffers that nothing writes. *State* moves while a
//! device runs: locks, task queues and channels, cores, words in streams, all other memory. A full
//! load writes everything. A load of differences skips configuration that is there already, and
//! sets the state again. The book's page "Several configurations" has the rules.

mod memory_use;
pub mod prologue;
mod quiescence;
mod register_state;
mod teardown;

use aiec_aie::ir::{Loc, Module, Op};
use aiec_aie::ops::netlist::dma_channels;
use aiec_aie::ops::{Buffer, Device, OpView, ShimDma};
use aiec_device::regmap::RegisterRef;
use aiec_device::{DeviceModel, TileLoc};
use aiec_diag::{Diag, Diags, Reported, codes, internal, named_enum};
use rustc_hash::FxHashMap;

use crate::configure::{core_programs, device_writes};
use crate::regops::RegOp;
use crate::sequence::DeviceRegion;
use aiec_codegen::CorePrograms;
use aiec_regprog::known_values::{KnownRegisters, resolve_masked_writes, words_of};
use quiescence::{PhaseOffsets, QuiescentState, ResumePlan, Unproven};
use register_state::RegisterState;
use teardown::DirtySet;

codes! {
    /// Codes of reconfiguration.
    pub static CODES;
    ENDLESS = "reconfigure::never-idle",
        "A device is left when its transfers from and to host memory are over. This one has a shim \
         DMA program that never ends, so that the device could never be left.";
}

/// Statistics name of loads that write the whole configuration.
const LOADS_IN_FULL: &str = "loads in full";

/// Statistics name of loads after a quiescent device.
const LOADS_WHEN_QUIESCENT: &str = "loads when quiescent";

/// Statistics name of loads that find parts of the device before quiescent, and reset the others.
const LOADS_IN_PART: &str = "loads when quiescent in part";

named_enum! {
    /// Loading of a device when another one was loaded before.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Reconfigure {
        /// All of its configuration is written.
        Full => "full",
        /// Only differences from the contents of the array are written.
        Diff => "diff",
    }
}

/// The default of a compilation.
pub const DEFAULT_RECONFIGURE: Reconfigure = Reconfigure::Full;

/// A device that is loaded, and what is done then.
#[derive(Clone, Debug)]
pub struct LoadStep {
    /// The device.
    pub device: Op,
    /// Its name.
    pub name: String,
    /// Writes that bring the array to where the configuration begins. A stage is over everywhere
    /// before the next begins anywhere.
    pub leave: Vec<Vec<RegOp>>,
    /// The whole configuration.
    pub config: Vec<RegOp>,
    /// Part of it that is written, if not all.
    pub written: Option<Vec<RegOp>>,
    /// Operations in that state.
    pub ops: Vec<RegOp>,
    /// Number of the LOAD_PDI that does the loading, if one does.
    pub pdi: Option<u32>,
    /// Name in statistics of the way it is loaded, if something was loaded before.
    pub how: Option<&'static str>,
}

impl LoadStep {
    /// A device that is loaded at the start, and nothing else.
    pub fn alone(module: &Module, device: Op, config: Vec<RegOp>, ops: Vec<RegOp>) -> LoadStep {
        LoadStep {
            device,
            name: Device(device).name(module),
            leave: Vec::new(),
            config,
            written: None,
            ops,
            pdi: None,
            how: None,
        }
    }
}

/// The phases of a sequence's spans.
///
/// # Errors
/// A device can't be configured, or never could be left.
pub fn phases(
    module: &Module,
    spans: Vec<DeviceRegion>,
    way: Reconfigure,
    programs: &mut CorePrograms,
    diags: &mut Diags,
) -> Result<Vec<LoadStep>, Reported> {
    let Some(model) = spans.first().and_then(|s| Device(s.device).model(module)) else {
        return Ok(Vec::new());
    };
    let mut configs: FxHashMap<Op, Vec<RegOp>> = FxHashMap::default();
    let mut result = Ok(());
    for span in &spans {
        if configs.contains_key(&span.device) {
            continue;
        }
        match device_writes(module, span.device, programs, diags) {
            Ok(mut writes) => {
                // Bits that nothing sets are as after a reset, whatever was loaded before.
                resolve_masked_writes(model, &mut writes, &mut KnownRegisters::default(), &|_| {
                    false
                });
                configs.insert(span.device, writes);
            }
            Err(Reported) => result = Err(Reported),
        }
    }
    result?;
    let empty = |span: &DeviceRegion| span.ops.is_empty() && configs[&span.device].is_empty();
    let nothing = spans.len() > 1 && spans.first().is_some_and(empty);
    let spans: Vec<DeviceRegion> = spans.into_iter().skip(usize::from(nothing)).collect();
    for span in spans.iter().rev().skip(1) {
        can_be_left(module, span.device, diags);
    }
    diags.check()?;
    let sections = way == Reconfigure::Full && model.has_cert();
    let mut lowering = Lowering {
        module,
        model,
        way,
        touched: DirtySet::default(),
        held: RegisterState::default(),
        previous: None,
        offset: PhaseOffsets::default(),
        sections,
    };
    if sections {
        // A section is the same whatever was loaded before.
        for span in &spans {
            lowering.touched.add(model, &configs[&span.device]);
            lowering.touched.add(model, &span.ops);
        }
        lowering.touched.forget_completions();
    }
    let mut list = Vec::with_capacity(spans.len());
    let mut numbers: FxHashMap<Op, u32> = FxHashMap::default();
    let mut last = None;
    for span in spans {
        let config = configs[&span.device].clone();
        let next = numbers.len() as u32 + 1;
        let number = *numbers.entry(span.device).or_insert(next);
        // LOAD_PDI does nothing if the number was loaded last.
        let restart = configs.len() as u32 + number;
        let pdi = if last == Some(number) {
            restart
        } else {
            number
        };
        let first = list.is_empty();
        let in_section = sections && (span.load.is_some() || !first);
        let mut phase = lowering.phase(span, config, first && !in_section, diags)?;
        phase.pdi = in_section.then_some(pdi);
        last = phase.pdi;
        list.push(phase);
    }
    Ok(list)
}

/// Reports shim DMA programs that never end.
fn can_be_left(module: &Module, device: Op, diags: &mut Diags) {
    for shim in module.find_all::<ShimDma>(device) {
        for channel in dma_channels(module, shim.op()) {
            if channel.next_of_last.is_none() {
                continue;
            }
            let name = Device(device).name(module);
            let message = format!("`@{name}` can't be left for another device");
            let diag = Diag::error(&ENDLESS, message)
                .label(module.span(channel.op), "this program never ends")
                .help("let the runtime sequence start the transfers, or let the chain end");
            diags.push(diag);
        }
    }
}

/// A device that was left, and how.
struct ArrayState {
    /// Its configuration.
    config: Vec<RegOp>,
    /// Values that must be set, if they are known to be all.
    rest: Result<QuiescentState, Unproven>,
}

/// Writes of a load: those that bring the array to where the configuration begins, in stages, and
/// the part of the configuration that is written, if not all.
type Writes = (Vec<Vec<RegOp>>, Option<Vec<RegOp>>);

struct Lowering<'a> {
    module: &'a Module,
    model: &'static DeviceModel,
    way: Reconfigure,
    touched: DirtySet,
    held: RegisterState,
    /// State that the region before left, for a load of differences.
    previous: Option<ArrayState>,
    /// At which descriptor channels are.
    offset: PhaseOffsets,
    /// Whether loads are the same whatever was loaded before.
    sections: bool,
}

impl Lowering<'_> {
    fn phase(
        &mut self,
        span: DeviceRegion,
        mut config: Vec<RegOp>,
        first: bool,
        diags: &mut Diags,
    ) -> Result<LoadStep, Reported> {
        let (module, model) = (self.module, self.model);
        let loc = span.load.map_or(Loc::UNKNOWN, |op| module.loc(op));
        let diff = self.way == Reconfigure::Diff;
        let rest = self.previous.take().map(|left| {
            if !quiescence::same_routing(model, &left.config, &config) {
                return Err(Unproven::OtherRouting);
            }
            left.rest?.before(module, span.device, &span.ops)
        });
        let how = match &rest {
            _ if first => None,
            None => Some(LOADS_IN_FULL),
            Some(Ok(rest)) if rest.flush.is_empty() => Some(LOADS_WHEN_QUIESCENT),
            Some(Ok(_)) => Some(LOADS_IN_PART),
            Some(Err(unsure)) => Some(unsure.name()),
        };
        let means = config.clone();
        self.offset.clear();
        let (leave, written) = match rest {
            _ if first => (Vec::new(), None),
            Some(Ok(rest)) => self.resume_after(span.device, rest, &mut config, loc, diags)?,
            _ => self.load_after_resets(&mut config, loc),
        };
        if !first && !self.sections {
            self.touched.waited();
        }
        self.touched.add(model, &config);
        self.touched.add(model, &span.ops);
        if diff {
            let (device, work) = (span.device, (&config[..], &span.ops[..]));
            let waited = |channel| self.touched.is_waited_for(channel);
            let rest =
                quiescence::quiescent_state(module, device, model, work, &waited, &self.offset);
            self.previous = Some(ArrayState {
                config: means,
                rest,
            });
        }
        self.held.load(model, &config);
        for op in &span.ops {
            self.held.note(model, op);
        }
        self.held.run(module, span.device, model, &config);
        Ok(LoadStep {
            device: span.device,
            name: Device(span.device).name(module),
            leave,
            config,
            written,
            ops: span.ops,
            pdi: None,
            how,
        })
    }

    /// A load after a quiescent device.
    fn resume_after(
        &mut self,
        device: Op,
        rest: ResumePlan,
        config: &mut Vec<RegOp>,
        loc: Loc,
        diags: &mut Diags,
    ) -> Result<Writes, Reported> {
        let model = self.model;
        if !rest.moved.is_empty() {
            self.move_buffers(device, &rest, config, diags)?;
        }
        let leave = self.touched.resume_stages(model, &rest, loc);
        for op in leave.iter().flatten() {
            self.held.note(model, op);
        }
        let flushed: Vec<TileLoc> = rest.flush.iter().copied().collect();
        self.held.forget_switches(model, &flushed);
        let off = self.switched_off(config, loc);
        let mut written = self.held.changes(model, config, &rest, loc);
        written.extend(off);
        self.offset = rest.offset;
        Ok((leave, Some(written)))
    }

    /// A load that resets whatever was touched.
    fn load_after_resets(&mut self, config: &mut Vec<RegOp>, loc: Loc) -> Writes {
        let model = self.model;
        let mut leave = self.touched.teardown_stages(model, config, loc);
        self.touched.adapt(model, config, loc);
        for op in leave.iter().flatten() {
            self.held.note(model, op);
        }
        let flushed: Vec<TileLoc> = self.touched.switches().collect();
        self.held.forget_switches(model, &flushed);
        let off = self.switched_off(config, loc);
        if let Some(stage) = leave.last_mut() {
            stage.extend(off);
        }
        let diff = self.way == Reconfigure::Diff;
        (leave, diff.then(|| self.held.missing(model, config)))
    }

    /// Compiles the cores for buffers that lie elsewhere.
    fn move_buffers(
        &self,
        device: Op,
        rest: &ResumePlan,
        config: &mut Vec<RegOp>,
        diags: &mut Diags,
    ) -> Result<(), Reported> {
        let mut module = self.module.clone();
        for (buffer, address) in &rest.moved {
            let address = i32::try_from(*address)
                .map_err(|_| diags.fail(internal!("a buffer moves to address {address}")))?;
            Buffer(*buffer).edit(&mut module).address(address);
        }
        let is_program = |op: &RegOp| {
            let first = words_of(op).next();
            let what = first.and_then(|(address, _)| self.model.register_at(address));
            matches!(what, Some((_, RegisterRef::ProgramMemory { .. })))
        };
        let mut programs = core_programs(&module, device, diags)?;
        programs.retain(is_program);
        config.retain(|op| !is_program(op));
        config.extend(programs);
        Ok(())
    }

    /// Switches off what has an effect, isn't switched off already, and isn't written by a
    /// configuration.
    fn switched_off(&mut self, config: &[RegOp], loc: Loc) -> Vec<RegOp> {
        let diff = self.way == Reconfigure::Diff;
        let left = self.touched.stale_registers(self.model, config);
        let left = left.filter(|address| !diff || self.held.has_effect(self.model, *address));
        let off: Vec<RegOp> = left.map(|address| RegOp::write(address, 0, loc)).collect();
        for op in &off {
            self.held.note(self.model, op);
        }
        off
    }
}
