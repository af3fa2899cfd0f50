//! `aie-objectfifo-liveness`: finds broadcasts that are too shallow for the rounds they are asked
//! to run, before anything is lowered (`mlir-aie: lib/Dialect/AIE/Transforms/
//! AIEObjectFifoLiveness.cpp`).
//!
//! Where the consumers of a broadcast hold back its producer through other fifos, and objects are
//! sent several times (`repeat_count`), objects of an earlier round are still on their way when the
//! next one begins. The rule counts consumers times rounds against twice the depth. It is a rule of
//! thumb and asks for nothing else; the simulator knows what really waits for what.
//!
//! Halves of a broadcast that start at different tiles are recognised by their names (`w_0`, `w_1`),
//! if type, depth and repetitions agree and no consumer has both.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use aiec_aie::ir::{Module, Op, Type, Value};
use aiec_aie::ops::{ObjectFifo, OpView};
use aiec_diag::{Diag, MlirAieReport, Reported};
use petgraph::unionfind::UnionFind;

use super::UNDER_BUFFERED;
use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static LIVENESS: PassDef = PassDef::of_device("aie-objectfifo-liveness", run)
    .summary("Check that broadcasts in cycles are deep enough for their repetitions")
    .postconditions(&["the module as it was"]);

/// Properties of a fifo that the rule depends on.
struct Fifo {
    op: ObjectFifo,
    depth: i64,
    repeat: i64,
    producer: Option<Value>,
    consumers: Vec<Value>,
    ty: Option<Type>,
}

/// A broadcast, or its halves.
#[derive(Default)]
struct FifoGroup {
    /// Members; the first one represents all.
    fifos: Vec<usize>,
    consumers: FxHashSet<Value>,
    /// The components that its members are in.
    components: FxHashSet<usize>,
}

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let fifos = read(module, device);
    let components = components(&fifos);
    let mut sizes: FxHashMap<usize, usize> = FxHashMap::default();
    let mut rounds: FxHashMap<usize, i64> = FxHashMap::default();
    for (fifo, component) in fifos.iter().zip(&components) {
        *sizes.entry(*component).or_default() += 1;
        let most = rounds.entry(*component).or_insert(1);
        *most = (*most).max(fifo.repeat);
    }
    // A fifo that shares no tile with another is held back by nothing.
    let in_cycle = |n: &usize| sizes.get(&components[*n]).is_some_and(|size| *size > 1);
    let broadcasts = (0..fifos.len())
        .filter(in_cycle)
        .filter(|n| fifos[*n].consumers.len() > 1);
    for group in groups(module, &fifos, broadcasts.collect(), &components) {
        let times = group.components.iter().filter_map(|c| rounds.get(c)).max();
        check(module, &fifos, &group, times.copied().unwrap_or(1), context);
    }
    context.diags.check()
}

fn read(module: &Module, device: Op) -> Vec<Fifo> {
    let all = module.children::<ObjectFifo>(device).into_iter();
    all.filter_map(|op| {
        Some(Fifo {
            // Depths for each end are the designer's own reckoning.
            depth: op.elemNumber(module)?.as_int()?,
            repeat: op.repeat_count(module).map_or(1, i64::from),
            producer: op.producerTile(module),
            consumers: op.consumers(module),
            ty: op.elemType(module),
            op,
        })
    })
    .collect()
}

/// The component of each fifo: fifos that a tile takes from and gives to hold each other back.
fn components(fifos: &[Fifo]) -> Vec<usize> {
    let mut at_tile: IndexMap<Value, (Vec<usize>, Vec<usize>), FxBuildHasher> = IndexMap::default();
    for (n, fifo) in fifos.iter().enumerate() {
        for consumer in &fifo.consumers {
            at_tile.entry(*consumer).or_default().0.push(n);
        }
        if let Some(producer) = fifo.producer {
            at_tile.entry(producer).or_default().1.push(n);
        }
    }
    let mut sets = UnionFind::<usize>::new(fifos.len());
    for (taken, given) in at_tile.values() {
        if let (Some(first), Some(_)) = (taken.first(), given.first()) {
            for other in taken.iter().chain(given) {
                sets.union(*first, *other);
            }
        }
    }
    (0..fifos.len()).map(|n| sets.find(n)).collect()
}

/// A name without a number after its last underscore.
fn name_base(name: &str) -> &str {
    match name.rsplit_once('_') {
        Some((base, n)) if !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()) => base,
        _ => name,
    }
}

fn groups(
    module: &Module,
    fifos: &[Fifo],
    broadcasts: Vec<usize>,
    components: &[usize],
) -> Vec<FifoGroup> {
    let mut groups: Vec<FifoGroup> = Vec::new();
    // The first group of each name; what doesn't agree with it is a group by itself.
    let mut by_name: FxHashMap<String, usize> = FxHashMap::default();
    for n in broadcasts {
        let fifo = &fifos[n];
        let name = fifo.op.sym_name(module);
        let first = by_name.entry(name_base(&name).to_string());
        let next = groups.len();
        let at = *first.or_insert(next);
        let agrees = groups.get(at).is_some_and(|group| {
            let other = &fifos[group.fifos[0]];
            other.ty == fifo.ty
                && other.depth == fifo.depth
                && other.repeat == fifo.repeat
                && fifo.consumers.iter().all(|c| !group.consumers.contains(c))
        });
        if !agrees {
            groups.push(FifoGroup::default());
        }
        if let Some(group) = groups.get_mut(if agrees { at } else { next }) {
            group.fifos.push(n);
            group.consumers.extend(fifo.consumers.iter().copied());
            group.components.insert(components[n]);
        }
    }
    groups
}

fn check(
    module: &Module,
    fifos: &[Fifo],
    group: &FifoGroup,
    rounds: i64,
    context: &mut PassContext<'_>,
) {
    let Some(first) = group.fifos.first().map(|n| &fifos[*n]) else {
        return;
    };
    let fan: usize = group.fifos.iter().map(|n| fifos[*n].consumers.len()).sum();
    let demand = i64::try_from(fan).map_or(i64::MAX, |fan| fan.saturating_mul(rounds));
    let slack = first.depth.saturating_mul(2);
    if rounds < 2 || first.depth < 1 || demand <= slack {
        return;
    }
    let needed = demand / 2 + demand % 2;
    let name = first.op.sym_name(module);
    let base = match group.fifos.len() {
        1 => &*name,
        _ => name_base(&name),
    };
    let message = format!(
        "broadcast `@{base}` is too shallow for a cycle: {fan} consumers in {rounds} rounds leave \
         {demand} objects on their way, but only {slack} have a place (twice the depth of {})",
        first.depth
    );
    let mlir_aie = format!(
        "objectFIFO @{} in a cyclic dependency requires depth >= {needed} for deadlock-free \
         execution; allocated depth = {}",
        name_base(&name),
        first.depth
    );
    let help = format!(
        "make it {needed} deep, give it fewer consumers, or send less often (repeat_count)"
    );
    let mut diag = Diag::error(&UNDER_BUFFERED, message)
        .label(module.span(first.op.op()), "this object fifo")
        .help(help)
        .mlir_aie(MlirAieReport::op("aie.objectfifo", mlir_aie));
    for other in group.fifos.iter().skip(1) {
        diag = diag.label(module.span(fifos[*other].op.op()), "the same broadcast");
    }
    context.report(diag);
}
