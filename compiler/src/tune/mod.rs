//! `aiec tune`: what a design leaves open ([`choices`]), so that it is as fast as it can be in the least memory, found by trying.
//!
//! First the sequence works further ahead, and objects that no core sees are cut into parts, while that makes the design faster; all fifos
//! get deeper together while that does, then each by itself. Then these objects are cut further and fifos get shallower
//! while the design stays as fast: all, halves of them, each, each end; those first whose objects are largest. A trial counts only if the host's buffers hold
//! the same at its end as for the design as it is written, and if it has no races where its sequence works ahead. A design whose bound ([`crate::throughput`]) is slower already isn't run.

mod choices;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use aiec_aie::ir::Module;
use aiec_aie::ops::{Buffer, OpView};
use aiec_aie::text;
use aiec_cert::elf;
use aiec_diag::{Diag, Diags, Reported};
use aiec_sim::core::CoreSettings;
use aiec_sim::run::Recording;
use aiec_sim::{HostBuffer, SimOptions, Status};
use clap::Args;
use serde_json::{Value, json};

use crate::args::values::{indexed_path, indexed_size, named_path};
use crate::args::{DesignArgs, OutputFormat, RunArgs};
use crate::design_compiler::Compiler;
use crate::inputs::arguments::{Arguments, KnownArguments};
use crate::inputs::kernels;
use crate::io::output::{Outputs, STANDARD_STREAM};
use crate::io::{Exit, Io};
use crate::session::{Session, run_command};
use crate::sim::{SimulatedProgram, execute, not_control_code, races};
use crate::throughput;
use choices::{Choice, Depths, DesignChoices};

aiec_diag::codes! {
    /// Codes of `aiec tune`.
    pub static CODES;
    DOES_NOT_RUN = "tune::does-not-run",
        "`aiec tune` compares designs by their cycles, so that the design as it is written must run to its end. `aiec sim` says \
         why it doesn't.";
    NO_FIFOS = "tune::no-fifos",
        "`aiec tune` tries depths of object fifos, and with `--bd` sizes of objects that no core sees and transfers that are started \
         ahead; the design leaves none of these open.";
}

/// A design with more memory counts as faster if it takes less by at least this part of the cycles: 1/200.
const LEAST_GAIN: u64 = 200;

/// A configuration of more buffers takes less than this many times as long as that of the design as it is written.
const MAX_CONFIG_GROWTH: u64 = 4;

/// Names of fifos in a line of the list.
const MAX_NAMES: usize = 4;

/// `aiec tune`
#[derive(Args, Debug)]
#[command(mut_arg("diagnostics", |arg| arg.help_heading("Diagnosis")))]
pub struct TuneArgs {
    /// The design
    #[arg(value_name = "DESIGN.mlir")]
    pub input: PathBuf,
    /// Write the design with what was found
    #[arg(short, long, value_name = "FILE.mlir")]
    pub output: Option<PathBuf>,
    /// Contents of argument N of the runtime sequence: raw little-endian bytes, or .npy [default: numbers
    /// drawn from a fixed seed]
    #[arg(help_heading = "Arguments of the sequence", long = "arg", value_name = "N=FILE", value_parser = indexed_path)]
    pub args: Vec<(u32, PathBuf)>,
    /// Size of argument N in bytes, if the design doesn't say
    #[arg(help_heading = "Arguments of the sequence", long = "arg-size", value_name = "N=BYTES", value_parser = indexed_size)]
    pub sizes: Vec<(u32, u64)>,
    /// Run calls of this external function as the function of that name in a shared library
    #[arg(help_heading = "Cores", long = "kernel", value_name = "NAME=LIB.so", value_parser = named_path)]
    pub kernels: Vec<(String, PathBuf)>,
    /// Try depths of fifos, besides what else is asked for [default if nothing is]
    #[arg(help_heading = "Search", long)]
    pub depth: bool,
    /// Try what BDs move: objects that no core sees in smaller parts, transfers that are started before the wait for earlier ones
    #[arg(help_heading = "Search", long)]
    pub bd: bool,
    /// Percent of the cycles that may be lost for less memory
    #[arg(
        help_heading = "Search",
        long,
        value_name = "PERCENT",
        default_value_t = 0
    )]
    pub slower: u64,
    /// The deepest fifo that is tried
    #[arg(help_heading = "Search", long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_depth: u32,
    /// Designs that are compiled and run at most
    #[arg(help_heading = "Search", long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..))]
    pub trials: u32,
    /// Cycles after which a run is given up
    #[arg(help_heading = "Search", long, value_name = "N")]
    pub max_cycles: Option<u64>,
    /// Form of the list of trials
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub format: OutputFormat,
    /// Options of the compilation
    #[command(flatten)]
    pub design: DesignArgs,
}

/// Tunes a design; the exit code.
pub fn run(args: &TuneArgs, io: &mut Io<'_>) -> Exit {
    let format = args.design.diagnostics.unwrap_or_default();
    run_command(format, io, |session, outputs, io| {
        tune(args, session, outputs, io)
    })
}

fn tune(
    args: &TuneArgs,
    session: &mut Session,
    outputs: &mut Outputs,
    io: &mut Io<'_>,
) -> Result<Exit, Reported> {
    session.refuse_collisions(args.output.iter().map(PathBuf::as_path))?;
    let run = RunArgs {
        args: args.args.clone(),
        sizes: args.sizes.clone(),
        kernels: args.kernels.clone(),
        ..RunArgs::default()
    };
    let mut options = SimOptions {
        recording: Recording::Nothing,
        races: false,
        ..SimOptions::default()
    };
    options.max_cycles = args.max_cycles.unwrap_or(options.max_cycles);
    options.kernels = kernels::bind(&run, session)?;
    let bytes = session.read(&args.input, io)?;
    let module = Compiler::new(&args.design, session, io).parse(&args.input, bytes)?;
    kernels::check(&module, &options.kernels, &mut session.diags)?;
    let choices = DesignChoices::of(module);
    let has_bds = args.bd && (choices.chain_count() > 0 || choices.max_ahead() > 0);
    let tries_depths = args.depth || !args.bd;
    if !(has_bds || tries_depths && !choices.fifos.is_empty()) {
        let message = if args.bd {
            "the design leaves nothing open that is tuned"
        } else {
            "the design has no object fifos"
        };
        let diag = Diag::error(&NO_FIFOS, message);
        return Err(session.fail(diag.help(
            "depths of fifos are tuned; with --bd objects that go through mem tiles only, and waits of a sequence without loops",
        )));
    }
    let mut trials = Trials {
        args,
        tries_depths,
        session,
        io,
        options,
        choices,
        buffers: BTreeMap::new(),
        expected: Vec::new(),
        config_cycles: 0,
        tried: BTreeMap::new(),
        failed: Vec::new(),
        list: Vec::new(),
    };
    let written = trials.choices.written();
    let first = trials.as_written(&written, &run)?;
    let best = trials.search(written.clone(), first);
    let result = TuningResult {
        names: trials.choices.names(),
        chains: (0..trials.choices.chain_count())
            .map(|chain| trials.choices.chain(chain).to_vec())
            .collect(),
        has_bds: args.bd,
        written,
        first,
        best,
        list: std::mem::take(&mut trials.list),
        is_complete: trials.list_is_complete(),
    };
    if let Some(path) = &args.output {
        let module = trials.choices.apply(&result.best.0);
        outputs.add(
            path.clone(),
            text::print(&module, text::PrintOptions::default()),
        );
    }
    let text = match args.format {
        OutputFormat::Text => result.table(),
        OutputFormat::Json => format!("{:#}\n", result.json()),
    };
    outputs.add(STANDARD_STREAM, text);
    Ok(Exit::Done)
}

/// A design that ran to its end with the expected data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DesignCost {
    /// Cycles of the run after the configuration.
    cycles: u64,
    /// Bytes of all buffers of tiles.
    bytes: u64,
}

/// Outcome of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TrialOutcome {
    Runs(DesignCost),
    /// It is slower than the best.
    Slower,
    /// Its bound says so: it wasn't run.
    Bounded,
    /// It hangs, or stops with a fault.
    Hangs,
    /// It runs and leaves other data.
    OtherData,
    /// Accesses of memory are ordered by their time only.
    Races,
    /// It can't be compiled: its objects need more memory than their tiles have, or its cores hold more objects at once.
    DoesNotCompile,
}

impl TrialOutcome {
    /// Its word in the list.
    fn word(self) -> &'static str {
        match self {
            TrialOutcome::Runs(_) => "runs",
            TrialOutcome::Slower => "slower",
            TrialOutcome::Bounded => "slower by its bound",
            TrialOutcome::Hangs => "hangs",
            TrialOutcome::OtherData => "other data",
            TrialOutcome::Races => "races",
            TrialOutcome::DoesNotCompile => "doesn't compile",
        }
    }
}

/// One line of the list.
struct ChoiceTrial {
    choice: Choice,
    /// The best choice until then, which this one was made of.
    base: Choice,
    ending: TrialOutcome,
    /// Whether the search went on from it.
    is_taken: bool,
}

struct Trials<'a, 'io> {
    args: &'a TuneArgs,
    session: &'a mut Session,
    io: &'a mut Io<'io>,
    tries_depths: bool,
    options: SimOptions,
    choices: DesignChoices,
    /// The host's buffers before a run.
    buffers: BTreeMap<u32, Vec<u8>>,
    /// The host's buffers after the run of the design as it is written.
    expected: Vec<HostBuffer>,
    /// Cycles that its configuration takes.
    config_cycles: u64,
    tried: BTreeMap<Choice, TrialOutcome>,
    /// Choices that were too slow, or hung, with the cycles that each was given.
    failed: Vec<(Choice, u64)>,
    list: Vec<ChoiceTrial>,
}

impl Trials<'_, '_> {
    /// Whether the search ended before the trials that it may make.
    fn list_is_complete(&self) -> bool {
        self.tried.len() < self.args.trials as usize
    }

    /// Runs the design as it is written: all others must give its outputs.
    fn as_written(&mut self, written: &Choice, run: &RunArgs) -> Result<DesignCost, Reported> {
        let CompiledChoice { code, bytes, .. } = self.compile(written)?;
        self.session.diags = Diags::default();
        let control = elf::read(&code);
        let control = control.map_err(|error| self.session.fail(not_control_code(&error)))?;
        let known = KnownArguments::of(&control);
        self.buffers = Arguments::read(run, &known, self.session, self.io)?.buffers;
        for (index, bytes) in &mut self.buffers {
            if !run.args.iter().any(|(given, _)| given == index) {
                fill(bytes, *index);
            }
        }
        let program = SimulatedProgram::ControlCode(code);
        let result = execute(&program, &self.buffers, &self.options, self.io);
        let ending = match result {
            Ok(result) if matches!(result.status, Status::Completed) => {
                self.config_cycles = result.config_cycles;
                let cycles = result.run_cycles();
                self.expected = result.outputs;
                let cost = DesignCost { cycles, bytes };
                self.tried.insert(written.clone(), TrialOutcome::Runs(cost));
                return Ok(cost);
            }
            Ok(result) => match result.status {
                Status::Deadlock(_) => "it hangs".to_string(),
                Status::Limit(_) => {
                    format!("it takes more than {} cycles", self.options.max_cycles)
                }
                _ => "it stops before its end".to_string(),
            },
            Err(error) => error.to_string(),
        };
        let message = format!("the design doesn't run as it is written: {ending}");
        let diag = Diag::error(&DOES_NOT_RUN, message);
        Err(self
            .session
            .fail(diag.help("`aiec sim` with the same arguments says why")))
    }

    /// The control code, the bytes of all buffers, and the bound.
    fn compile(&mut self, choice: &Choice) -> Result<CompiledChoice, Reported> {
        let mut module = self.choices.apply(choice);
        let mut compiler = Compiler::new(&self.args.design, self.session, self.io);
        compiler.route(&mut module)?;
        // Functions of the user's own are called in runs only.
        let are_known = self.args.kernels.is_empty();
        let cores = are_known.then(|| CoreSettings::new(self.options.kernels.clone()));
        let least_cycles = throughput::run_cycles(&module, cores, self.options.timing);
        let code = compiler.elf_of_routed(&mut module)?;
        Ok(CompiledChoice {
            code,
            bytes: buffer_bytes(&module),
            least_cycles,
        })
    }

    /// Outcome of a design, which counts if it takes at most `limit` cycles; `None`: no more
    /// trials.
    fn ending(&mut self, choice: &Choice, base: &Choice, limit: u64) -> Option<TrialOutcome> {
        if let Some(ending) = self.tried.get(choice) {
            return Some(*ending);
        }
        if !self.list_is_complete() {
            return None;
        }
        let compiled = self.compile(choice);
        self.session.diags = Diags::default();
        let ending = match compiled {
            Err(Reported) => TrialOutcome::DoesNotCompile,
            Ok(compiled) if compiled.least_cycles.is_some_and(|least| least > limit) => {
                TrialOutcome::Bounded
            }
            Ok(CompiledChoice { code, bytes, .. }) => {
                let options = SimOptions {
                    // Configuring more buffers takes longer.
                    max_cycles: (self.config_cycles.saturating_mul(MAX_CONFIG_GROWTH))
                        .saturating_add(limit)
                        .saturating_add(1)
                        .min(self.options.max_cycles),
                    // Transfers that start before others have ended may read what these write.
                    races: choice.ahead > 0,
                    ..self.options.clone()
                };
                let program = SimulatedProgram::ControlCode(code);
                let result = execute(&program, &self.buffers, &options, self.io).ok()?;
                match result.status {
                    Status::Completed if races::any(&result) => TrialOutcome::Races,
                    Status::Completed if result.outputs != self.expected => TrialOutcome::OtherData,
                    Status::Completed => TrialOutcome::Runs(DesignCost {
                        cycles: result.run_cycles(),
                        bytes,
                    }),
                    Status::Limit(_) => TrialOutcome::Slower,
                    Status::Deadlock(_) | Status::Fault(_) => TrialOutcome::Hangs,
                    Status::Stopped(_) => return None,
                }
            }
        };
        self.tried.insert(choice.clone(), ending);
        self.list.push(ChoiceTrial {
            choice: choice.clone(),
            base: base.clone(),
            ending,
            is_taken: false,
        });
        Some(ending)
    }

    /// Takes a choice if the design with it is good enough.
    fn takes(
        &mut self,
        best: &mut (Choice, DesignCost),
        choice: Choice,
        limit: u64,
        is_better: impl Fn(DesignCost, DesignCost) -> bool,
    ) -> Option<bool> {
        // Without an object a fifo can only wait longer, so that less memory than where that failed isn't tried.
        let has_failed =
            |(failed, given): &(Choice, u64)| limit <= *given && choice.is_within(failed);
        if self.failed.iter().any(has_failed) {
            return Some(false);
        }
        let cost = match self.ending(&choice, &best.0, limit)? {
            TrialOutcome::Runs(cost) if cost.cycles <= limit => cost,
            TrialOutcome::Runs(_) | TrialOutcome::Slower | TrialOutcome::Hangs => {
                self.failed.push((choice, limit));
                return Some(false);
            }
            _ => return Some(false),
        };
        if !is_better(cost, best.1) {
            return Some(false);
        }
        if let Some(trial) = self.list.iter_mut().find(|trial| trial.choice == choice) {
            trial.is_taken = true;
        }
        *best = (choice, cost);
        Some(true)
    }

    /// Takes other depths if the design with them is good enough.
    fn takes_depths(
        &mut self,
        best: &mut (Choice, DesignCost),
        depths: Depths,
        limit: u64,
        is_better: impl Fn(DesignCost, DesignCost) -> bool,
    ) -> Option<bool> {
        let choice = Choice {
            depths,
            ..best.0.clone()
        };
        self.takes(best, choice, limit, is_better)
    }

    fn search(&mut self, written: Choice, first: DesignCost) -> (Choice, DesignCost) {
        let mut best = (written, first);
        // `None` is the end of the trials: what was found until then is the result.
        let _ = self.search_from(&mut best);
        best
    }

    fn search_from(&mut self, best: &mut (Choice, DesignCost)) -> Option<()> {
        if self.args.bd {
            self.start_ahead(best)?;
            self.cut_objects(best, None, is_faster)?;
        }
        if self.tries_depths && !self.is_fastest(best) {
            self.deepen(best)?;
        }
        let may_lose = best.1.cycles.saturating_mul(self.args.slower) / 100;
        let limit = best.1.cycles.saturating_add(may_lose);
        if self.args.bd {
            self.cut_objects(best, Some(limit), is_smaller)?;
        }
        if self.tries_depths {
            self.shrink(best, limit)?;
        }
        Some(())
    }

    /// Whether the bound says that no deeper fifos make the design faster by what counts.
    fn is_fastest(&mut self, best: &(Choice, DesignCost)) -> bool {
        let max = self.args.max_depth as usize;
        let mut deepest = best.0.clone();
        for depth in deepest.depths.iter_mut().flatten() {
            *depth = max.max(*depth);
        }
        // A design that doesn't fit isn't known to be slow.
        let compiled = self.compile(&deepest);
        self.session.diags = Diags::default();
        let least = compiled.ok().and_then(|compiled| compiled.least_cycles);
        least.is_some_and(|least| !is_faster_cycles(least, best.1.cycles))
    }

    /// A sequence that starts more before it waits, for a faster run.
    fn start_ahead(&mut self, best: &mut (Choice, DesignCost)) -> Option<()> {
        let most = self.choices.max_ahead();
        let mut ahead = 1;
        while ahead <= most {
            let choice = Choice {
                ahead,
                ..best.0.clone()
            };
            self.takes(best, choice, best.1.cycles, is_faster)?;
            ahead *= 2;
        }
        Some(())
    }

    /// Objects in smaller parts, those of all chains together and then each: to begin with what comes before all of an object has, and for
    /// less memory. They may take `limit` cycles, or as many as the best so far.
    fn cut_objects(
        &mut self,
        best: &mut (Choice, DesignCost),
        limit: Option<u64>,
        is_better: fn(DesignCost, DesignCost) -> bool,
    ) -> Option<()> {
        let all: Vec<usize> = (0..self.choices.chain_count()).collect();
        let each = all.chunks(1).filter(|_| all.len() > 1);
        for chains in std::iter::once(all.as_slice()).chain(each) {
            while self.cut_chains(best, chains, limit, is_better)? {}
        }
        Some(())
    }

    fn cut_chains(
        &mut self,
        best: &mut (Choice, DesignCost),
        chains: &[usize],
        limit: Option<u64>,
        is_better: fn(DesignCost, DesignCost) -> bool,
    ) -> Option<bool> {
        let limit = limit.unwrap_or(best.1.cycles);
        let mut choice = best.0.clone();
        for chain in chains {
            choice = self.choices.cut(&choice, *chain).unwrap_or(choice);
        }
        if choice == best.0 {
            return Some(false);
        }
        if self.takes(best, choice.clone(), limit, is_better)? {
            return Some(true);
        }
        // Where these are slower, parts half as large with one more under way may not be.
        let mut deeper = choice;
        for chain in chains {
            deeper = self.choices.cut(&deeper, *chain).unwrap_or(deeper);
            for fifo in self.choices.chain(*chain) {
                for depth in &mut deeper.depths[*fifo] {
                    *depth = (*depth + 1).min((self.args.max_depth as usize).max(*depth));
                }
            }
        }
        if !self.tries_depths || deeper == best.0 {
            return Some(false);
        }
        self.takes(best, deeper, limit, is_better)
    }

    /// More memory for a faster run.
    fn deepen(&mut self, best: &mut (Choice, DesignCost)) -> Option<()> {
        let max = self.args.max_depth as usize;
        let deeper = |ends: &Vec<usize>| -> Vec<usize> {
            ends.iter()
                .map(|depth| (depth + 1).max(*depth).min(max.max(*depth)))
                .collect()
        };
        loop {
            let all: Depths = best.0.depths.iter().map(deeper).collect();
            if all == best.0.depths || !self.takes_depths(best, all, best.1.cycles, is_faster)? {
                break;
            }
        }
        loop {
            let mut has_gained = false;
            for fifo in 0..self.choices.fifos.len() {
                loop {
                    let mut one = best.0.depths.clone();
                    one[fifo] = deeper(&one[fifo]);
                    if one == best.0.depths
                        || !self.takes_depths(best, one, best.1.cycles, is_faster)?
                    {
                        break;
                    }
                    has_gained = true;
                }
            }
            if !has_gained {
                return Some(());
            }
        }
    }

    /// Less memory for the same speed.
    fn shrink(&mut self, best: &mut (Choice, DesignCost), limit: u64) -> Option<()> {
        let mut order: Vec<usize> = (0..self.choices.fifos.len()).collect();
        order.sort_by_key(|fifo| std::cmp::Reverse(self.choices.object_bytes(*fifo)));
        while self.shrink_group(best, &order, limit)? {}
        loop {
            let mut has_gained = false;
            for &fifo in &order {
                for end in 0..best.0.depths[fifo].len() {
                    let mut one = best.0.depths.clone();
                    shallower(&mut one[fifo][end]);
                    has_gained |=
                        one != best.0.depths && self.takes_depths(best, one, limit, is_smaller)?;
                }
            }
            if !has_gained {
                return Some(());
            }
        }
    }

    /// Makes all ends of the fifos shallower by an object; if that is slower, those of each half of the fifos.
    fn shrink_group(
        &mut self,
        best: &mut (Choice, DesignCost),
        group: &[usize],
        limit: u64,
    ) -> Option<bool> {
        let mut depths = best.0.depths.clone();
        for fifo in group {
            depths[*fifo].iter_mut().for_each(shallower);
        }
        if depths == best.0.depths {
            return Some(false);
        }
        if self.takes_depths(best, depths, limit, is_smaller)? {
            return Some(true);
        }
        if group.len() < 2 {
            return Some(false);
        }
        let (first, second) = group.split_at(group.len() / 2);
        let first = self.shrink_group(best, first, limit)?;
        Some(self.shrink_group(best, second, limit)? || first)
    }
}

/// A choice, compiled.
struct CompiledChoice {
    /// The control code.
    code: Vec<u8>,
    /// Bytes of all buffers of tiles.
    bytes: u64,
    /// Cycles of the run by the bound, if that is known.
    least_cycles: Option<u64>,
}

fn buffer_bytes(module: &Module) -> u64 {
    let buffers = module.find_all::<Buffer>(module.top()).into_iter();
    let sizes = buffers.filter_map(|buffer| {
        let handle = module.result(buffer.op(), 0)?;
        module.ty(handle).as_memref()?.num_bytes()
    });
    sizes.sum()
}

/// One object less, if there are several.
fn shallower(depth: &mut usize) {
    *depth = depth.saturating_sub(1).max(1);
}

/// Fewer cycles by what counts.
fn is_faster(new: DesignCost, old: DesignCost) -> bool {
    is_faster_cycles(new.cycles, old.cycles)
}

const fn is_faster_cycles(new: u64, old: u64) -> bool {
    new + old / LEAST_GAIN < old
}

fn is_smaller(new: DesignCost, old: DesignCost) -> bool {
    new.bytes < old.bytes
}

/// The result of the search.
struct TuningResult {
    names: Vec<String>,
    /// Fifos whose objects are cut together.
    chains: Vec<Vec<usize>>,
    /// Whether more than depths was tried.
    has_bds: bool,
    written: Choice,
    first: DesignCost,
    best: (Choice, DesignCost),
    list: Vec<ChoiceTrial>,
    /// Whether all was tried that the search wanted to.
    is_complete: bool,
}

impl TuningResult {
    /// `2 → 1: @in, @out; 2 → [1, 2]: @mid`: the depths that change. Fifos after the first `most` of a change are counted.
    fn changes(&self, from: &Choice, to: &Choice, most: usize) -> String {
        let mut fifos_by_change: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let depths = from.depths.iter().zip(&to.depths);
        for (name, (from, to)) in self.names.iter().zip(depths) {
            if from != to {
                let change = format!("{} → {}", shown(from), shown(to));
                let fifos = fifos_by_change.entry(change).or_default();
                fifos.push(format!("@{name}"));
            }
        }
        let parts = fifos_by_change.into_iter().map(|(change, mut fifos)| {
            let more = fifos.len().saturating_sub(most);
            fifos.truncate(most);
            let more = match more {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("{change}: {}{more}", fifos.join(", "))
        });
        let mut parts: Vec<String> = parts.collect();
        for (chain, (from, to)) in self.chains.iter().zip(from.parts.iter().zip(&to.parts)) {
            if from != to {
                let fifos = chain.iter().map(|fifo| format!("@{}", self.names[*fifo]));
                let fifos = fifos.collect::<Vec<_>>().join(", ");
                parts.push(format!("objects in {to} parts: {fifos}"));
            }
        }
        if from.ahead != to.ahead {
            parts.push(match to.ahead {
                1 => "waits a group of transfers later".to_string(),
                ahead => format!("waits {ahead} groups of transfers later"),
            });
        }
        parts.join("; ")
    }

    fn table(&self) -> String {
        let mut rows = vec![[
            String::new(),
            "cycles".to_string(),
            "bytes".to_string(),
            if self.has_bds { "change" } else { "depths" }.to_string(),
        ]];
        let number = |cost: DesignCost| [cost.cycles.to_string(), cost.bytes.to_string()];
        let [cycles, bytes] = number(self.first);
        rows.push(["written".into(), cycles, bytes, "as they are".into()]);
        for trial in &self.list {
            let (word, [cycles, bytes]) = match trial.ending {
                TrialOutcome::Runs(cost) if trial.is_taken => ("taken", number(cost)),
                TrialOutcome::Runs(cost) => ("left", number(cost)),
                other => (other.word(), [String::new(), String::new()]),
            };
            rows.push([
                word.to_string(),
                cycles,
                bytes,
                self.changes(&trial.base, &trial.choice, MAX_NAMES),
            ]);
        }
        let width = |column: usize| {
            let cells = rows.iter().map(|row| row[column].chars().count());
            cells.max().unwrap_or(0)
        };
        let [word, cycles, bytes] = [0, 1, 2].map(width);
        let mut text = String::new();
        for row in &rows {
            // A string takes any text.
            let _ = writeln!(
                text,
                "{:word$}  {:>cycles$}  {:>bytes$}  {}",
                row[0], row[1], row[2], row[3]
            );
        }
        let (choice, best) = &self.best;
        if *choice == self.written {
            let others = if self.has_bds {
                "nothing else is faster"
            } else {
                "no other depths are faster"
            };
            let _ = writeln!(text, "{others}, or as fast in less memory");
        } else {
            let changes = self.changes(&self.written, choice, usize::MAX);
            let _ = writeln!(text, "{}\n{changes}", gains(self.first, *best));
        }
        if !self.is_complete {
            text.push_str("the trials ended before the search: more with --trials N\n");
        }
        text
    }

    fn json(&self) -> Value {
        let named = |depths: &Depths| -> Value {
            let pairs = self
                .names
                .iter()
                .cloned()
                .zip(depths.iter().map(|ends| json!(ends)));
            Value::Object(pairs.collect())
        };
        let of = |choice: &Choice| {
            let mut value = json!({"depths": named(&choice.depths)});
            if self.has_bds {
                let chains = self.chains.iter().zip(&choice.parts);
                let parts = chains.map(|(chain, parts)| {
                    let fifos = chain.iter().map(|fifo| self.names[*fifo].as_str());
                    json!({"fifos": fifos.collect::<Vec<_>>(), "parts": parts})
                });
                value["objects"] = parts.collect::<Vec<_>>().into();
                value["ahead"] = choice.ahead.into();
            }
            value
        };
        let cost = |cost: DesignCost| json!({"cycles": cost.cycles, "bytes": cost.bytes});
        let trials = self.list.iter().map(|trial| {
            let mut object = of(&trial.choice);
            object["ending"] = trial.ending.word().into();
            object["taken"] = trial.is_taken.into();
            if let TrialOutcome::Runs(costs) = trial.ending {
                object["cycles"] = json!(costs.cycles);
                object["bytes"] = json!(costs.bytes);
            }
            object
        });
        let with_cost = |choice: &Choice, of_design: DesignCost| {
            let mut value = of(choice);
            value["cost"] = cost(of_design);
            value
        };
        json!({
            "written": with_cost(&self.written, self.first),
            "best": with_cost(&self.best.0, self.best.1),
            "trials": trials.collect::<Vec<_>>(),
            "complete": self.is_complete,
        })
    }
}

/// `2`, or `[1, 2]` where the ends differ.
fn shown(ends: &[usize]) -> String {
    match ends.first() {
        Some(first) if ends.iter().all(|depth| depth == first) => first.to_string(),
        _ => format!("{ends:?}"),
    }
}

/// `1,200 cycles instead of 1,300, 4,096 bytes instead of 8,192`
fn gains(first: DesignCost, best: DesignCost) -> String {
    let part = |new: u64, old: u64, unit: &str| {
        if new == old {
            format!("{new} {unit} as before")
        } else {
            format!("{new} {unit} instead of {old}")
        }
    };
    format!(
        "{}, {}",
        part(best.cycles, first.cycles, "cycles"),
        part(best.bytes, first.bytes, "bytes")
    )
}

/// Numbers for an argument that was not given: small ones, so that no data type has extremes (xorshift, from its index).
fn fill(bytes: &mut [u8], index: u32) {
    const MAX_NUMBER: u32 = 63;
    let mut state = index.wrapping_add(1).wrapping_mul(0x9e37_79b9) | 1;
    for word in bytes.chunks_mut(4) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        let number = (state & MAX_NUMBER).to_le_bytes();
        word.copy_from_slice(&number[..word.len()]);
    }
}
