//! Settings for a runtime reset of a fifo: its channels and the first values of its locks.
//!
//! For each fifo that `aiex.dma_channel_reset_for` names, a binding `<fifo>_rearm` lists the
//! channels of its ends on the array (not at shim tiles, where the sequence starts transfers
//! itself) and all locks of their pools; `aie-assign-bd-ids` adds the first BDs.

use aiec_aie::ir::{Module, Op, SymbolTable, Value};
use aiec_aie::ops::{DmaChannelResetFor, Lock, ObjectFifoRearmBinding, OpView};
use aiec_diag::Diag;
use rustc_hash::{FxHashMap, FxHashSet};

use super::BAD_USE;
use super::ends::{EndTable, FifoEnds, Role};
use super::fifo::{Fifo, Netlist};
use super::pools::{PoolLocks, Pools};
use crate::infra::packet_flow::device_end;
use crate::infra::pass::PassContext;

/// Makes the bindings and lets the resets name them.
pub(super) fn bind(
    module: &mut Module,
    device: Op,
    netlist: &Netlist,
    (ends, pools, channels): (&EndTable, &Pools, &[Option<u8>]),
    context: &mut PassContext<'_>,
) {
    let resets = module.find_all::<DmaChannelResetFor>(device);
    if resets.is_empty() {
        return;
    }
    let mut bound: FxHashMap<usize, String> = FxHashMap::default();
    let mut symbols = SymbolTable::of(module, device);
    for reset in resets {
        let name = reset.objfifo(module).to_string();
        let Some(fifo) = netlist.fifos.get_index_of(&name) else {
            continue;
        };
        let known = bound.get(&fifo).cloned();
        let free = || symbols.unique_name(&format!("{name}_rearm"));
        let symbol = known.clone().unwrap_or_else(free);
        if known.is_none() {
            let binding = Binding::of(module, ends, pools, channels, &ends.of_fifo[fifo]);
            if binding.tiles.is_empty() && binding.locks.is_empty() {
                context.report(nothing_to_rearm(module, reset, &netlist.fifos[fifo]));
                continue;
            }
            bound.insert(fifo, symbol.clone());
            let loc = module.derived_loc(context.pass, netlist.fifos[fifo].op.op());
            let (tiles, locks) = (&binding.tiles, &binding.locks);
            let at = device_end(module, device);
            let op = ObjectFifoRearmBinding::build(
                module,
                loc,
                symbol.as_str(),
                binding.dirs,
                binding.indices,
                binding.inits,
            )
            .operand_groups([tiles, locks])
            .insert(at);
            symbols.insert(symbol.as_str(), op);
        }
        reset.edit(module).objfifo(symbol);
    }
}

fn nothing_to_rearm(module: &Module, reset: DmaChannelResetFor, fifo: &Fifo) -> Diag {
    let message = format!(
        "objectFIFO '{}' has no resident core/mem DMA channels or locks to re-arm",
        fifo.name
    );
    Diag::error(&BAD_USE, message)
        .label(module.span(reset.op()), "this reset")
        .label(module.span(fifo.op.op()), "this object fifo")
        .help("leave the reset out: nothing of the fifo keeps a state between runs")
}

#[derive(Default)]
struct Binding {
    tiles: Vec<Value>,
    dirs: Vec<i32>,
    indices: Vec<i32>,
    locks: Vec<Value>,
    inits: Vec<i32>,
}

impl Binding {
    fn of(
        module: &Module,
        ends: &EndTable,
        pools: &Pools,
        channels: &[Option<u8>],
        of_fifo: &FifoEnds,
    ) -> Binding {
        let mut binding = Binding::default();
        let mut seen = FxHashSet::default();
        for id in [of_fifo.producer].iter().chain(&of_fifo.consumers) {
            let end = &ends.ends[*id];
            if end.tile.kind.is_shim() {
                continue;
            }
            let channel = channels.get(*id).copied().flatten();
            if let Some(channel) = channel.filter(|_| end.role != Role::Shared) {
                binding.tiles.push(end.tile.handle);
                binding.dirs.push(end.role.dir() as i32);
                binding.indices.push(channel.into());
            }
            let locks = match pools.of(*id).map(|pool| &pool.locks) {
                Some(PoolLocks::Counting(pairs)) => {
                    pairs.iter().flat_map(|(a, b)| [*a, *b]).collect()
                }
                Some(PoolLocks::PerObject(locks)) => locks.clone(),
                _ => Vec::new(),
            };
            for lock in locks.into_iter().filter(|lock| seen.insert(*lock)) {
                let op = module.def_op(lock).and_then(|op| Lock::cast(module, op));
                let init = op.and_then(|op| op.init(module));
                binding.inits.push(init.unwrap_or(0));
                binding.locks.push(lock);
            }
        }
        binding
    }
}
