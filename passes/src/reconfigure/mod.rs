//! Several devices, one after the other, on one array.
//!
//! A sequence that loads devices ([`crate::sequence::sequence_spans`]) is a list of spans: a device
//! and what is done while it is loaded. [`phases`] turns them into phases of control code: how the
//! array gets from what the span before left behind to where the device's configuration begins
//! ([`leave`]), and what of the configuration must be written ([`held`]).
//!
//! Two things make up what an array holds. *Configuration* stays as it was written: switches,
//! descriptors, program memory, multiplexers, buffers that nothing writes. *State* moves while a
//! device runs: locks, task queues and channels, cores, words in streams, all other memory. A full
//! load writes everything. A load of differences leaves configuration alone that is there already,
//! and sets state anew. The book's page "Several configurations" tells the rules.

mod held;
mod leave;
mod memory;
mod rest;

use std::collections::BTreeMap;

use aiec_device::{DeviceModel, TileLoc};
use aiec_dialect::codes;
use aiec_dialect::diag::{Diag, Diags, Reported};
use aiec_dialect::ir::{Loc, Module, Op};
use aiec_dialect::ops::netlist::dma_channels;
use aiec_dialect::ops::{Device, ShimDma};

use crate::configure::device_writes;
use crate::register_ops::RegOp;
use crate::sequence::Span;
use held::Held;
use leave::Touched;

codes! {
    /// Codes of reconfiguration.
    pub static CODES;
    WHICH_WAY = "reconfigure::which-way",
        "A device is loaded in one of two ways: `full` writes all of its configuration, `diff` only \
         what differs from what the array holds.";
    ENDLESS = "reconfigure::never-idle",
        "A device is left when its transfers from and to host memory are over. This one has a shim \
         DMA program that goes round for ever, so that it never could be left.";
}

/// How a device is loaded when another one was loaded before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reconfigure {
    /// All of its configuration is written.
    Full,
    /// What differs from what the array holds is written.
    Diff,
}

/// What a compilation does unless told otherwise.
pub const DEFAULT_RECONFIGURE: Reconfigure = Reconfigure::Full;

impl Reconfigure {
    /// All ways.
    pub const ALL: [Reconfigure; 2] = [Reconfigure::Full, Reconfigure::Diff];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Reconfigure::Full => "full",
            Reconfigure::Diff => "diff",
        }
    }

    /// The way of a name.
    pub fn by_name(name: &str) -> Option<Reconfigure> {
        Reconfigure::ALL.into_iter().find(|way| way.name() == name)
    }
}

/// A device that is loaded, and what is done then.
#[derive(Clone, Debug)]
pub struct Phase {
    /// The device.
    pub device: Op,
    /// Its name.
    pub name: String,
    /// What brings the array to where the configuration begins. A stage is over everywhere before
    /// the next begins anywhere.
    pub leave: Vec<Vec<RegOp>>,
    /// The whole configuration.
    pub config: Vec<RegOp>,
    /// What of it is written, if not all.
    pub written: Option<Vec<RegOp>>,
    /// What is done then.
    pub ops: Vec<RegOp>,
    /// Number of the LOAD_PDI that does the loading, if one does.
    pub pdi: Option<u32>,
}

/// The phases of a sequence's spans.
///
/// # Errors
/// A device can't be configured, or never could be left.
pub fn phases(
    module: &Module,
    spans: Vec<Span>,
    way: Reconfigure,
    diags: &mut Diags,
) -> Result<Vec<Phase>, Reported> {
    let Some(model) = spans.first().and_then(|s| Device(s.device).model(module)) else {
        return Ok(Vec::new());
    };
    let mut configs: BTreeMap<Op, Vec<RegOp>> = BTreeMap::new();
    let mut result = Ok(());
    for span in &spans {
        if configs.contains_key(&span.device) {
            continue;
        }
        match device_writes(module, span.device, diags) {
            Ok(writes) => {
                configs.insert(span.device, writes);
            }
            Err(Reported) => result = Err(Reported),
        }
    }
    result?;
    let empty = |span: &Span| span.ops.is_empty() && configs[&span.device].is_empty();
    let nothing = spans.len() > 1 && spans.first().is_some_and(empty);
    let spans: Vec<Span> = spans.into_iter().skip(usize::from(nothing)).collect();
    for span in spans.iter().rev().skip(1) {
        can_be_left(module, span.device, diags);
    }
    diags.check()?;
    let sections = way == Reconfigure::Full && model.has_cert();
    let mut lowering = Lowering {
        module,
        model,
        way,
        touched: Touched::default(),
        held: Held::default(),
        resting: None,
        sections,
    };
    if sections {
        // A section is the same whatever was loaded before.
        for span in &spans {
            lowering.touched.add(model, &configs[&span.device]);
            lowering.touched.add(model, &span.ops);
        }
        lowering.touched.settle_all();
    }
    let mut list = Vec::with_capacity(spans.len());
    let mut numbers: BTreeMap<Op, u32> = BTreeMap::new();
    let mut last = None;
    for span in spans {
        let config = configs[&span.device].clone();
        let next = numbers.len() as u32 + 1;
        let number = *numbers.entry(span.device).or_insert(next);
        // LOAD_PDI does nothing if the number was loaded last.
        let again = configs.len() as u32 + number;
        let pdi = if last == Some(number) { again } else { number };
        let first = list.is_empty();
        let in_section = sections && (span.load.is_some() || !first);
        let mut phase = lowering.phase(span, config, first && !in_section);
        phase.pdi = in_section.then_some(pdi);
        last = phase.pdi;
        list.push(phase);
    }
    Ok(list)
}

/// Reports shim DMA programs that never end.
fn can_be_left(module: &Module, device: Op, diags: &mut Diags) {
    for shim in module.find_all::<ShimDma>(device) {
        use aiec_dialect::ops::OpView;
        for channel in dma_channels(module, shim.op()) {
            if channel.next_of_last.is_none() {
                continue;
            }
            let name = Device(device).name(module);
            let message = format!("`@{name}` can't be left for another device");
            let diag = Diag::error(&ENDLESS, message)
                .label(module.span(channel.op), "this program goes round for ever")
                .help("let the runtime sequence start the transfers, or let the chain end");
            diags.push(diag);
        }
    }
}

/// A device that stands as it was loaded, but for the values of some locks.
struct Resting {
    /// Its configuration.
    config: Vec<RegOp>,
    /// Address and value of each lock to set.
    locks: Vec<(u32, u32)>,
}

struct Lowering<'a> {
    module: &'a Module,
    model: &'static DeviceModel,
    way: Reconfigure,
    touched: Touched,
    held: Held,
    /// What the span before left, if it needs no reset.
    resting: Option<Resting>,
    /// Whether loads are the same whatever was loaded before.
    sections: bool,
}

impl Lowering<'_> {
    fn phase(&mut self, span: Span, config: Vec<RegOp>, first: bool) -> Phase {
        let (module, model) = (self.module, self.model);
        let loc = span.load.map_or(Loc::UNKNOWN, |op| module.loc(op));
        let diff = self.way == Reconfigure::Diff;
        let (mut leave, mut written) = (Vec::new(), None);
        let resting = self.resting.take();
        let resting =
            resting.filter(|before| diff && rest::same_ways(model, &before.config, &config));
        if let Some(resting) = resting {
            let fixes = resting
                .locks
                .iter()
                .map(|(lock, value)| RegOp::write(*lock, *value, loc));
            leave = self.touched.swap_stages(model, loc);
            leave.push(fixes.collect());
            written = Some(self.held.programs(model, &config));
        } else if !first {
            leave = self.touched.stages(model, loc);
            for op in leave.iter().flatten() {
                self.held.note(model, op);
            }
            let flushed = self.touched.switches().collect::<Vec<TileLoc>>();
            self.held.forget_switches(model, &flushed);
            let left = self.touched.left_over(model, &config);
            let off = left.filter(|address| !diff || self.held.word(*address) != Some(0));
            let off: Vec<RegOp> = off.map(|address| RegOp::write(address, 0, loc)).collect();
            for op in &off {
                self.held.note(model, op);
            }
            if let Some(stage) = leave.last_mut() {
                stage.extend(off);
            }
            if diff {
                written = Some(self.held.missing(model, &config));
            }
        }
        if !first && !self.sections {
            self.touched.waited();
        }
        if diff {
            let locks = rest::at_rest(module, span.device, model, &config, &span.ops);
            let config = config.clone();
            self.resting = locks.map(|locks| Resting { config, locks });
        }
        self.touched.add(model, &config);
        self.touched.add(model, &span.ops);
        self.held.load(model, &config);
        for op in &span.ops {
            self.held.note(model, op);
        }
        self.held.run(module, span.device, model, &config);
        Phase {
            device: span.device,
            name: Device(span.device).name(module),
            leave,
            config,
            written,
            ops: span.ops,
            pdi: None,
        }
    }
}
