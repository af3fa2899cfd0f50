//! The smallest depth of a fifo with which a design runs that hangs because the fifo has too few objects, found by trying.
//!
//! The fifos that are full when the run hangs are tried one at a time, then all together: the depth is doubled until the design
//! runs or its objects don't fit their tiles, and then bisected.

use std::collections::BTreeMap;
use std::path::Path;

use aiec_aie::ir::{Attr, Module};
use aiec_aie::ops::{ObjectFifo, OpView};
use aiec_diag::{Diags, Reported, SourceFile};
use aiec_sim::run::Recording;
use aiec_sim::{Deadlock, SimOptions, Status};

use super::{SimulatedProgram, execute};
use crate::args::DesignArgs;
use crate::design_compiler::Compiler;
use crate::io::Io;
use crate::session::Session;

/// Designs that are compiled and run at most.
const MAX_TRIALS: usize = 40;
/// Fifos that are tried by themselves.
const MAX_FIFOS: usize = 4;
/// Cycles of all trials together.
const MAX_CYCLES: u64 = 50_000_000;
/// Bytes of a design's text from which on it would take too long to compile it many times.
const MAX_TEXT: usize = 1 << 20;

/// Message for files that are compiled already.
const WITHOUT_TEXT: &str =
    "`aiec sim` tries depths, and says the smallest that runs, when it is given the design's text";

/// Outcome of a design with other depths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TrialEnding {
    Runs,
    Hangs,
    /// It can't be compiled: its objects need more memory than their tiles have.
    DoesNotFit,
}

/// No more trials, or one that shows nothing.
struct TrialsOver;

/// Fifos, and the depth of each of their ends with which the design runs.
struct SmallestDepth {
    fifos: Vec<String>,
    depth: usize,
    /// One number is enough; else one must be written for each end.
    is_uniform: bool,
}

/// A design that hung, and what it was run with.
pub struct HangingRun<'a> {
    /// Options of the design.
    pub design: &'a DesignArgs,
    /// Settings of the run.
    pub options: &'a SimOptions,
    /// The buffers of the host.
    pub buffers: &'a BTreeMap<u32, Vec<u8>>,
}

impl HangingRun<'_> {
    /// Adds to a deadlock for which fifos are too shallow with which depth the design runs.
    pub fn explain(&self, deadlock: &mut Deadlock, text: Option<&SourceFile>, io: &mut Io<'_>) {
        let fifos = &deadlock.full_fifos;
        let found = match text {
            None if !fifos.is_empty() => Some(WITHOUT_TEXT.to_string()),
            None => None,
            Some(text) => self.sentence(fifos, text, io),
        };
        if let Some(sentence) = found {
            let help = &mut deadlock.mistake.help;
            help.push_str("; ");
            help.push_str(&sentence);
            if let Some(last) = deadlock.story.last_mut() {
                last.push_str("; ");
                last.push_str(&sentence);
            }
        }
    }

    fn sentence(&self, fifos: &[String], text: &SourceFile, io: &mut Io<'_>) -> Option<String> {
        if fifos.is_empty() || text.text.len() > MAX_TEXT {
            return None;
        }
        let design = DesignArgs {
            print_ir_after: None,
            verify_with_mlir: false,
            ..self.design.clone()
        };
        let mut session = Session::default();
        let bytes = text.text.clone().into_bytes();
        let file = session.add_text(Path::new(&text.name), bytes).ok()?;
        let module = session.design(file, &design).ok()?;
        let mut trials = Trials {
            hanging: self,
            design,
            session,
            module,
            tried: BTreeMap::new(),
            cycles_left: MAX_CYCLES,
            io,
        };
        let names = |fifos: &[String], and: &str| {
            let names: Vec<String> = fifos.iter().map(|name| format!("@{name}")).collect();
            names.join(and)
        };
        let found = trials.search(fifos).ok()?;
        let Some(found) = found else {
            let names = names(fifos, " or ");
            return Some(format!(
                "no larger depth of {names} that fits the tiles runs"
            ));
        };
        let SmallestDepth {
            fifos,
            depth,
            is_uniform,
        } = found;
        let tried = trials.tried.keys().filter(|(key, _)| *key == fifos);
        let tried: Vec<String> = tried.map(|(_, depth)| depth.to_string()).collect();
        let ends = if is_uniform { "" } else { " at each end" };
        Some(format!(
            "depth {depth}{ends} of {} is the smallest that runs (tried: {})",
            names(&fifos, " and "),
            tried.join(", ")
        ))
    }
}

struct Trials<'a, 'io> {
    hanging: &'a HangingRun<'a>,
    design: DesignArgs,
    session: Session,
    /// The design as it is written.
    module: Module,
    /// Depths tried for fifos, one for each of their ends.
    tried: BTreeMap<(Vec<String>, usize), TrialEnding>,
    cycles_left: u64,
    io: &'a mut Io<'io>,
}

impl Trials<'_, '_> {
    /// The smallest depth of one fifo, or else of all; `None`: none that fits runs.
    fn search(&mut self, fifos: &[String]) -> Result<Option<SmallestDepth>, TrialsOver> {
        let alone = fifos.iter().take(MAX_FIFOS).map(std::slice::from_ref);
        let together = (fifos.len() > 1).then_some(fifos);
        for fifos in alone.chain(together) {
            if let Some(depth) = self.smallest(fifos)? {
                return Ok(Some(SmallestDepth {
                    fifos: fifos.to_vec(),
                    depth,
                    is_uniform: self.is_enough_as_one_number(fifos, depth)?,
                }));
            }
        }
        Ok(None)
    }

    /// Doubles and bisects.
    fn smallest(&mut self, fifos: &[String]) -> Result<Option<usize>, TrialsOver> {
        let depths = fifos.iter().map(|name| self.written_depth(name));
        let mut hangs = depths.min().ok_or(TrialsOver)?.max(1);
        let (mut runs, mut does_not_fit) = (None, None);
        loop {
            let depth = match runs.or(does_not_fit) {
                None => hangs.checked_mul(2).ok_or(TrialsOver)?,
                Some(top) if top - hangs > 1 => hangs + (top - hangs) / 2,
                Some(_) => return Ok(runs),
            };
            let ending = self.ending(fifos, depth, false)?;
            self.tried.insert((fifos.to_vec(), depth), ending);
            match ending {
                TrialEnding::Runs => runs = Some(depth),
                TrialEnding::Hangs => hangs = depth,
                TrialEnding::DoesNotFit => does_not_fit = Some(depth),
            }
        }
    }

    /// The fifos of a name, in all devices.
    fn fifos_named(module: &Module, name: &str) -> Vec<ObjectFifo> {
        let all = module.find_all::<ObjectFifo>(module.top());
        let mut named = all;
        named.retain(|fifo| &*fifo.sym_name(module) == name);
        named
    }

    /// The largest depth that is written for an end of a fifo.
    fn written_depth(&self, name: &str) -> usize {
        let fifos = Self::fifos_named(&self.module, name);
        let written = fifos.into_iter().map(|fifo| depths(&self.module, fifo));
        written.flatten().max().unwrap_or(1)
    }

    /// Whether the design also runs with one number for all ends, as it is written now.
    fn is_enough_as_one_number(
        &mut self,
        fifos: &[String],
        depth: usize,
    ) -> Result<bool, TrialsOver> {
        let module = &self.module;
        let is_list = |fifo: ObjectFifo| {
            let written = fifo.elemNumber(module);
            written.is_some_and(|depth| depth.as_int().is_none())
        };
        let named = fifos
            .iter()
            .flat_map(|name| Self::fifos_named(module, name));
        if named.into_iter().any(is_list) {
            return Ok(false);
        }
        Ok(self.ending(fifos, depth, true)? == TrialEnding::Runs)
    }

    /// Outcome of the design when fifos have at least that depth, at each end or as one number.
    fn ending(
        &mut self,
        fifos: &[String],
        depth: usize,
        as_one_number: bool,
    ) -> Result<TrialEnding, TrialsOver> {
        if self.tried.len() >= MAX_TRIALS {
            return Err(TrialsOver);
        }
        let mut module = self.module.clone();
        for fifo in fifos
            .iter()
            .flat_map(|name| Self::fifos_named(&self.module, name))
        {
            let number = |depth: usize| i32::try_from(depth).map(Attr::i32).ok();
            let attr = if as_one_number {
                number(depth)
            } else {
                let ends = depths(&module, fifo).into_iter();
                let ends = ends.map(|written| number(written.max(depth)));
                ends.collect::<Option<Vec<Attr>>>()
                    .map(|ends| Attr::Array(ends.into()))
            };
            module.set_attr(fifo.op(), "elemNumber", attr.ok_or(TrialsOver)?);
        }
        let options = SimOptions {
            max_cycles: self.hanging.options.max_cycles.min(self.cycles_left),
            recording: Recording::Nothing,
            scratch: None,
            breakpoints: Vec::new(),
            until: None,
            probes: Vec::new(),
            probe_bodies: BTreeMap::new(),
            races: false,
            ..self.hanging.options.clone()
        };
        let compiled = self.compile(&mut module);
        self.session.diags = Diags::default();
        let Ok(elf) = compiled else {
            return Ok(TrialEnding::DoesNotFit);
        };
        let program = SimulatedProgram::ControlCode(elf);
        let result = execute(&program, self.hanging.buffers, &options, self.io);
        let result = result.map_err(|_| TrialsOver)?;
        self.cycles_left = self.cycles_left.saturating_sub(result.cycles);
        match result.status {
            Status::Completed => Ok(TrialEnding::Runs),
            Status::Deadlock(_) => Ok(TrialEnding::Hangs),
            Status::Fault(_) | Status::Limit(_) | Status::Stopped(_) => Err(TrialsOver),
        }
    }

    fn compile(&mut self, module: &mut Module) -> Result<Vec<u8>, Reported> {
        let mut compiler = Compiler::new(&self.design, &mut self.session, self.io);
        compiler.route(module)?;
        compiler.elf_of_routed(module)
    }
}

/// The depth of each end of a fifo, as it is written: first the producer's, then those of the consumers.
pub fn depths(module: &Module, fifo: ObjectFifo) -> Vec<usize> {
    let number = |attr: &Attr| attr.as_int().and_then(|n| usize::try_from(n).ok());
    match fifo.elemNumber(module) {
        Some(Attr::Array(list)) => list.iter().filter_map(number).collect(),
        Some(Attr::DenseArray(list)) => {
            let list = list.values.iter();
            list.filter_map(|n| usize::try_from(*n).ok()).collect()
        }
        Some(only) => vec![number(&only).unwrap_or(1); module.num_operands(fifo.op())],
        None => Vec::new(),
    }
}
