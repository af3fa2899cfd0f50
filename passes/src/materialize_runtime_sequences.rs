//! `aie-materialize-runtime-sequences`: what a sequence runs of other devices stands in it
//! (`mlir-aie: lib/Dialect/AIEX/Transforms/AIEMaterializeRuntimeSequences.cpp`):
//!
//! | operation | becomes |
//! | --- | --- |
//! | `aiex.configure @device { … }` | `aiex.npu.load_pdi {device_ref = @device}` and what was in it |
//! | `aiex.run @sequence(…)` | the operations of that sequence |
//!
//! What these operations name of their device (tiles, locks, buffers, channels) is copied into the
//! caller's: tiles that it has already are shared, other names get a number if they are taken.
//! Constants stand at the start of the sequence, each once.
//!
//! A compilation executes configures and runs as they are ([`crate::sequence`]), each on its own
//! device; this pass is for those who go step by step.

use std::collections::BTreeMap;

use aiec_dialect::diag::{Diag, Peer, Reported};
use aiec_dialect::ir::{
    Attr, InsertPoint, Module, Op, SymbolRef, SymbolTable, Type, Value, ValueMap,
};
use aiec_dialect::ops::{
    ArithConstant, Configure, Device, NpuLoadPdi, OpKind, OpView, Run as RunOp, RuntimeSequence,
    Tile,
};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::pass::{PassContext, PassDef, Run};
use crate::sequence::codes::{BAD_ARGUMENT, NO_DEVICE, NO_SEQUENCE, RECURSION, UNSUPPORTED};

/// The pass.
pub static PASS: PassDef = PassDef {
    name: "aie-materialize-runtime-sequences",
    summary: "Put what runtime sequences run of other devices in their place",
    leaves: &["no aiex.configure and no aiex.run remains"],
    options: &[],
    run: Run::Module(run),
};

fn run(module: &mut Module, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let devices = module.children::<Device>(module.top());
    let mut calls = Calls::default();
    let mut result = Ok(());
    let mut sequences = Vec::new();
    for device in &devices {
        for sequence in module.children::<RuntimeSequence>(device.op()) {
            sequences.push(sequence.op());
            result = result.and(calls.find(module, sequence.op(), context));
        }
    }
    result?;
    for sequence in &sequences {
        calls.acyclic(module, *sequence, context)?;
    }
    let mut work = Work {
        calls,
        done: FxHashSet::default(),
        last_copy: FxHashMap::default(),
    };
    for sequence in sequences {
        materialize(module, &mut work, sequence, context)?;
    }
    Ok(())
}

/// What is done so far.
struct Work {
    calls: Calls,
    /// Sequences that run nothing any more.
    done: FxHashSet<Op>,
    /// The operation that was copied last into each device: the next one follows it.
    last_copy: FxHashMap<Op, Op>,
}

/// The sequences that sequences run, by the `aiex.run`.
#[derive(Default)]
struct Calls {
    callee: FxHashMap<Op, Op>,
}

impl Calls {
    /// Finds what a sequence runs.
    fn find(
        &mut self,
        module: &Module,
        sequence: Op,
        context: &mut PassContext<'_>,
    ) -> Result<(), Reported> {
        let mut result = Ok(());
        for configure in module.find_all::<Configure>(sequence) {
            if let Err(diag) = device_named(module, &configure.symbol(module), configure.op()) {
                result = Err(context.fail(diag));
            }
        }
        for run in module.find_all::<RunOp>(sequence) {
            match callee(module, run) {
                Ok(callee) => {
                    self.callee.insert(run.op(), callee);
                }
                // A configure that names no device is reported already.
                Err(None) => result = Err(Reported),
                Err(Some(diag)) => result = Err(context.fail(diag)),
            }
        }
        result
    }

    /// Refuses a sequence that would run one that it runs already.
    fn acyclic(
        &self,
        module: &Module,
        sequence: Op,
        context: &mut PassContext<'_>,
    ) -> Result<(), Reported> {
        // Sequences that are done hold no cycle; the stack is the way to the one at hand.
        let mut done: FxHashSet<Op> = FxHashSet::default();
        let mut way = vec![(sequence, self.callees(module, sequence))];
        while let Some((at, left)) = way.last_mut() {
            let at = *at;
            let Some(next) = left.pop() else {
                done.insert(at);
                way.pop();
                continue;
            };
            if way.iter().any(|(on_way, _)| *on_way == next) {
                let message = "this sequence runs one that is run already, so it would never end";
                let peer = Peer::plain("Runtime sequence call graph contains a cycle");
                let diag = Diag::error(&RECURSION, message)
                    .label(module.span(sequence), "begins here")
                    .label(module.span(next), "is run again")
                    .help("remove one of the `aiex.run`")
                    .peer(peer);
                return Err(context.fail(diag));
            }
            if !done.contains(&next) {
                way.push((next, self.callees(module, next)));
            }
        }
        Ok(())
    }

    fn callees(&self, module: &Module, sequence: Op) -> Vec<Op> {
        let runs = module.find(sequence, OpKind::Run).into_iter();
        runs.filter_map(|run| self.callee.get(&run).copied())
            .collect()
    }
}

fn device_named(module: &Module, name: &str, op: Op) -> Result<Device, Diag> {
    let devices = module.children::<Device>(module.top());
    let found = devices.iter().find(|d| d.name(module) == name).copied();
    found.ok_or_else(|| {
        let names = devices.iter().map(|d| format!("`@{}`", d.name(module)));
        let names: Vec<String> = names.collect();
        Diag::error(&NO_DEVICE, format!("there is no device `@{name}`"))
            .label(module.span(op), "named here")
            .help(format!("devices of this module: {}", names.join(", ")))
            .peer(Peer::plain(format!("No such device: '{name}'")))
    })
}

/// The sequence that a run names, if its arguments fit.
fn callee(module: &Module, run: RunOp) -> Result<Op, Option<Diag>> {
    let op = run.op();
    let around = module.ancestor(op, OpKind::Configure).map(Configure);
    let Some(around) = around else {
        let diag = Diag::error(&UNSUPPORTED, "this run stands in no `aiex.configure`")
            .label(module.span(op), "here")
            .help("write `aiex.configure @device { aiex.run … }`");
        return Err(Some(diag));
    };
    let device = device_named(module, &around.symbol(module), op).map_err(|_| None)?;
    let wanted = run.runtime_sequence_symbol(module).to_string();
    let sequences = module.children::<RuntimeSequence>(device.op());
    let name = |sequence: &RuntimeSequence| {
        let name = sequence.sym_name(module).map(|name| name.to_string());
        name.unwrap_or_else(|| "sequence".to_string())
    };
    let Some(found) = sequences.iter().find(|s| name(s) == wanted) else {
        return Err(Some(no_sequence(module, op, device, &wanted, &sequences)));
    };
    let parameters = parameters(module, found.op());
    let given: Vec<Value> = module.operands(op).collect();
    let misfit = |message: String, peer: String| {
        let diag = Diag::error(&BAD_ARGUMENT, message)
            .label(module.span(op), "this run")
            .label(module.span(found.op()), "this sequence")
            .help("give one value of the declared type for each argument of the sequence")
            .peer(Peer::op(module.op_name(op), peer));
        Err(Some(diag))
    };
    if parameters.len() != given.len() {
        let (given, wanted) = (given.len(), parameters.len());
        let message = format!("the sequence takes {wanted} arguments, not {given}");
        let peer = format!("argument count mismatch: expected {wanted} but got {given}");
        return misfit(message, peer);
    }
    let mut pairs = parameters.iter().zip(&given);
    let differ = pairs.position(|(p, g)| module.ty(*p) != module.ty(*g));
    if let Some(at) = differ {
        let (wanted, given) = (module.ty(parameters[at]), module.ty(given[at]));
        let message = format!("argument {at} is {given}, the sequence takes {wanted}");
        let peer = format!("argument {at} type mismatch: expected {wanted} but got {given}");
        return misfit(message, peer);
    }
    Ok(found.op())
}

fn no_sequence(
    module: &Module,
    op: Op,
    device: Device,
    wanted: &str,
    sequences: &[RuntimeSequence],
) -> Diag {
    let name = device.name(module);
    let message = format!("device `@{name}` has no runtime sequence `@{wanted}`");
    let names = sequences.iter().filter_map(|s| s.sym_name(module));
    let names: Vec<String> = names.map(|name| format!("`@{name}`")).collect();
    let help = match names.is_empty() {
        true => "write an `aie.runtime_sequence` into it".to_string(),
        false => format!("it has {}", names.join(", ")),
    };
    let other = SymbolTable::of(module, device.op()).get(wanted);
    let peer = match other {
        Some(_) => Peer::plain(format!("'{wanted}' is not a runtime sequence")),
        None => Peer::plain(format!(
            "No such runtime sequence for device '{name}': '{wanted}'"
        ))
        .note(
            module.span(device.op()),
            format!("This device does not have a '{wanted}' runtime sequence"),
        ),
    };
    Diag::error(&NO_SEQUENCE, message)
        .label(module.span(op), "this run")
        .help(help)
        .peer(peer)
}

fn parameters(module: &Module, sequence: Op) -> Vec<Value> {
    let entry = module.entry(sequence, 0);
    entry.map_or(&[][..], |e| module.block_args(e)).to_vec()
}

/// Replaces what a sequence runs, the sequences that it runs first.
fn materialize(
    module: &mut Module,
    work: &mut Work,
    sequence: Op,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    if !work.done.insert(sequence) {
        return Ok(());
    }
    let runs = module.find(sequence, OpKind::Run);
    let configures = module.find(sequence, OpKind::Configure);
    if runs.is_empty() && configures.is_empty() {
        return Ok(());
    }
    // The call graph has no cycle: this ends.
    for run in &runs {
        if let Some(callee) = work.calls.callee.get(run).copied() {
            materialize(module, work, callee, context)?;
        }
    }
    // The reference takes the last run first, and names show it.
    for run in runs.into_iter().rev() {
        if let Some(callee) = work.calls.callee.get(&run).copied() {
            inline(module, work, sequence, (run, callee), context)?;
        }
    }
    for configure in configures {
        load(module, configure, context.pass);
    }
    hoist_constants(module, sequence);
    Ok(())
}

/// Puts a load of the device in front of what a configure holds, unless that begins with one.
fn load(module: &mut Module, configure: Op, pass: &'static str) {
    let name = Configure(configure).symbol(module).to_string();
    let ops = module.entry(configure, 0).map(|body| module.ops_in(body));
    let ops = ops.unwrap_or_default();
    let first = ops
        .iter()
        .find(|op| ArithConstant::cast(module, **op).is_none());
    let loads = first.and_then(|op| NpuLoadPdi::cast(module, *op)?.device_ref(module));
    if loads.is_none_or(|loaded| *loaded != *name) {
        let loc = module.derived_loc(pass, configure);
        let mode = module.attr(configure, "expand_mode").cloned();
        module
            .build(OpKind::NpuLoadPdi, loc)
            .attr("device_ref", Attr::symbol(name))
            .attr_opt("expand_mode", mode)
            .insert(InsertPoint::Before(configure));
    }
    for op in ops {
        if module.kind(op) == OpKind::End {
            continue;
        }
        module.move_to(op, InsertPoint::Before(configure));
    }
    module.erase(configure);
}

/// Puts the operations of a sequence in the place of a run of it.
fn inline(
    module: &mut Module,
    work: &mut Work,
    caller: Op,
    (run, callee): (Op, Op),
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let around = |op| Device::around(module, op).map(|device| device.op());
    let (Some(to), Some(from)) = (around(caller), around(callee)) else {
        return Ok(());
    };
    let mut map = ValueMap::new();
    let given: Vec<Value> = module.operands(run).collect();
    for (parameter, value) in parameters(module, callee).into_iter().zip(given) {
        map.map(parameter, value);
    }
    let body = module.entry(callee, 0);
    let body = body.map(|block| module.ops_in(block)).unwrap_or_default();
    let body: Vec<Op> = body
        .into_iter()
        .filter(|op| module.kind(*op) != OpKind::End)
        .collect();
    if to != from {
        let mut copies = Copies::new(module, to, from);
        copies.last = work.last_copy.get(&to).copied();
        // Values first, then names, as the reference has it.
        for def in copies.needed(module, &body, callee) {
            copies.copy(module, def, &mut map, (run, context))?;
        }
        for op in body {
            let copy = module.clone_op(op, &mut map, InsertPoint::Before(run));
            copies.rename(module, copy);
        }
        if let Some(last) = copies.last {
            work.last_copy.insert(to, last);
        }
    } else {
        for op in body {
            module.clone_op(op, &mut map, InsertPoint::Before(run));
        }
    }
    module.erase(run);
    context.count("runs", 1);
    Ok(())
}

/// What one run needs of its device, copied into the caller's.
struct Copies {
    /// The caller's device.
    to: Op,
    /// Names of the device that the run belongs to.
    from: SymbolTable,
    /// Names of the caller's device.
    symbols: SymbolTable,
    /// Tiles of the caller's device.
    tiles: BTreeMap<aiec_device::TileLoc, Op>,
    /// The copy that was made last: the next one follows it.
    last: Option<Op>,
    /// The new names of copied symbols.
    names: IndexMap<String, String>,
    copied: FxHashMap<Op, Op>,
}

impl Copies {
    fn new(module: &Module, to: Op, from: Op) -> Copies {
        let tiles = module.children::<Tile>(to).into_iter();
        let tiles = tiles.filter_map(|tile| Some((tile.loc(module)?, tile.op())));
        Copies {
            to,
            from: SymbolTable::of(module, from),
            symbols: SymbolTable::of(module, to),
            tiles: tiles.collect(),
            last: None,
            names: IndexMap::new(),
            copied: FxHashMap::default(),
        }
    }

    /// What operations and those in them use of their device: values, then what they name.
    fn needed(&self, module: &Module, body: &[Op], callee: Op) -> Vec<Op> {
        let all: Vec<Op> = body.iter().flat_map(|op| module.walk(*op)).collect();
        let operands = all.iter().flat_map(|op| module.operands(*op));
        let defs = operands.filter_map(|value| module.def_op(value));
        let is_outside = |def: &Op| module.ancestor(*def, OpKind::RuntimeSequence) != Some(callee);
        let named = all.iter().flat_map(|op| symbols_of(module, *op));
        let named = named.filter_map(|name| self.from.get(&name));
        defs.filter(is_outside).chain(named).collect()
    }

    /// Copies a definition with what it needs itself.
    fn copy(
        &mut self,
        module: &mut Module,
        def: Op,
        map: &mut ValueMap,
        (run, context): (Op, &mut PassContext<'_>),
    ) -> Result<(), Reported> {
        if self.copied.contains_key(&def) {
            return Ok(());
        }
        if let Some(tile) = Tile::cast(module, def) {
            return self.tile(module, tile, map, (run, context));
        }
        let copies = matches!(
            module.kind(def),
            OpKind::Lock
                | OpKind::Buffer
                | OpKind::ExternalBuffer
                | OpKind::ShimDmaAllocation
                | OpKind::MemrefGlobal
                | OpKind::BdChain
                | OpKind::ArithConstant
        );
        if !copies {
            let name = module.op_name(def).to_string();
            let message = format!("an `{name}` of another device can't be used here");
            let peer =
                format!("Referenced SSA value defined by unsupported operation type: {name}");
            let diag = Diag::error(&UNSUPPORTED, message)
                .label(module.span(run), "this run needs it")
                .label(module.span(def), "it is declared here")
                .help("lower fifos and flows to buffers, locks and channels first")
                .peer(Peer::plain(peer));
            return Err(context.fail(diag));
        }
        let mut needs: Vec<Op> = Vec::new();
        for op in module.walk(def) {
            needs.extend(module.operands(op).filter_map(|value| module.def_op(value)));
            let named = symbols_of(module, op);
            needs.extend(named.iter().filter_map(|name| self.from.get(name)));
        }
        needs.retain(|need| *need != def && module.ancestor(*need, module.kind(def)) != Some(def));
        for need in needs {
            self.copy(module, need, map, (run, context))?;
        }
        let copy = module.clone_op(def, map, self.place(module));
        self.last = Some(copy);
        self.copied.insert(def, copy);
        self.rename(module, copy);
        if let Some(name) = module.str_attr(def, "sym_name").map(str::to_string) {
            let unique = self.symbols.unique_name(&name);
            module.set_attr(copy, "sym_name", Attr::str(unique.as_str()));
            self.symbols.insert(unique.as_str(), copy);
            self.names.insert(name, unique);
        }
        Ok(())
    }

    /// Shares a tile of the caller's device, or copies it.
    fn tile(
        &mut self,
        module: &mut Module,
        tile: Tile,
        map: &mut ValueMap,
        (run, context): (Op, &mut PassContext<'_>),
    ) -> Result<(), Reported> {
        let op = tile.op();
        let same = tile
            .loc(module)
            .and_then(|loc| self.tiles.get(&loc))
            .copied();
        let copy = match same {
            Some(same) => {
                let attrs = |op| -> BTreeMap<String, Attr> {
                    let all = module.attrs(op).map(|(k, v)| (k.to_string(), v.clone()));
                    all.filter(|(key, _)| key != "sym_name").collect()
                };
                if attrs(same) != attrs(op) {
                    let (col, row) = (tile.col(module), tile.row(module));
                    let message =
                        format!("tile ({col}, {row}) says different things in the two devices");
                    let peer = format!(
                        "aie.tile({col}, {row}) already exists in the device with different attributes"
                    );
                    let diag = Diag::error(&UNSUPPORTED, message)
                        .label(module.span(same), "this one")
                        .label(module.span(op), "and this one")
                        .label(module.span(run), "this run needs both")
                        .help("let both have the same attributes")
                        .peer(Peer::plain(peer).at(module.span(run)));
                    return Err(context.fail(diag));
                }
                // It must stand in front of the copies that use it.
                let copied = self.copied.values().any(|copy| *copy == same);
                if let Some(body) = module.entry(self.to, 0).filter(|_| !copied) {
                    let ops = module.ops_in(body);
                    let is_tile = |op: &&Op| module.kind(**op) == OpKind::Tile;
                    if !ops.iter().take_while(is_tile).any(|op| *op == same) {
                        module.move_to(same, InsertPoint::Start(body));
                    }
                }
                same
            }
            None => {
                let copy = module.clone_op(op, map, self.behind_tiles(module));
                if let Some(loc) = tile.loc(module) {
                    self.tiles.insert(loc, copy);
                }
                copy
            }
        };
        if let (Some(from), Some(to)) = (module.result(op, 0), module.result(copy, 0)) {
            map.map(from, to);
        }
        self.copied.insert(op, copy);
        Ok(())
    }

    /// Behind the last copy; at first behind the tiles at the start of the device.
    fn place(&self, module: &Module) -> InsertPoint {
        match self.last {
            Some(last) => InsertPoint::After(last),
            None => self.behind_tiles(module),
        }
    }

    /// Behind the tiles at the start of the device.
    fn behind_tiles(&self, module: &Module) -> InsertPoint {
        let Some(body) = module.entry(self.to, 0) else {
            return InsertPoint::Detached;
        };
        let ops = module.ops_in(body);
        let tiles = ops
            .iter()
            .take_while(|op| module.kind(**op) == OpKind::Tile);
        match tiles.last() {
            Some(tile) => InsertPoint::After(*tile),
            None => InsertPoint::Start(body),
        }
    }

    /// Lets a copy and what is in it name the copies of what it named.
    fn rename(&self, module: &mut Module, copy: Op) {
        for op in module.walk(copy).collect::<Vec<_>>() {
            let attrs: Vec<(String, Attr)> = module
                .attrs(op)
                .filter_map(|(key, value)| Some((key.to_string(), self.renamed(value)?)))
                .collect();
            for (key, value) in attrs {
                module.set_attr(op, &key, value);
            }
        }
    }

    /// An attribute with the new names, if it names something that has one.
    fn renamed(&self, attr: &Attr) -> Option<Attr> {
        match attr {
            Attr::Symbol(symbol) => {
                let new = self.names.get(symbol.root())?;
                let path = symbol.path.iter().skip(1).cloned();
                let path = std::iter::once(new.as_str().into()).chain(path).collect();
                Some(Attr::Symbol(SymbolRef { path }))
            }
            Attr::Array(list) if list.iter().any(|item| self.renamed(item).is_some()) => {
                let items = list.iter();
                let items = items.map(|item| self.renamed(item).unwrap_or_else(|| item.clone()));
                Some(Attr::Array(items.collect()))
            }
            _ => None,
        }
    }
}

/// The names that an operation uses.
fn symbols_of(module: &Module, op: Op) -> Vec<String> {
    fn collect(attr: &Attr, names: &mut Vec<String>) {
        match attr {
            Attr::Symbol(symbol) => names.push(symbol.root().to_string()),
            Attr::Array(list) => list.iter().for_each(|item| collect(item, names)),
            _ => {}
        }
    }
    let mut names = Vec::new();
    for (_, attr) in module.attrs(op) {
        collect(attr, &mut names);
    }
    names
}

/// Puts the constants of a sequence at its start, each value once.
fn hoist_constants(module: &mut Module, sequence: Op) {
    let Some(body) = module.entry(sequence, 0) else {
        return;
    };
    let mut known: IndexMap<(Attr, Type), Value> = IndexMap::new();
    let mut last: Option<Op> = None;
    for constant in module.find_all::<ArithConstant>(sequence) {
        let op = constant.op();
        let pair = constant.value(module).zip(module.result(op, 0));
        let Some((value, result)) = pair else {
            continue;
        };
        let key = (value, module.ty(result).clone());
        if let Some(first) = known.get(&key) {
            module.replace_all_uses(result, *first);
            module.erase(op);
            continue;
        }
        let at = match last {
            Some(last) => InsertPoint::After(last),
            None => InsertPoint::Start(body),
        };
        module.move_to(op, at);
        last = Some(op);
        known.insert(key, result);
    }
}
