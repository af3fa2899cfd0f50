//! Uses of fifos in cores: acquire, access and release become lock operations and buffers.
//!
//! Of each fifo end a core knows two numbers: the index of the oldest object it may hold (it
//! rotates through the pool) and how many it holds. [`unroll`] unrolls loops by the fifos' depths
//! so that both numbers are constants nearly everywhere; [`walk`] follows them through the body,
//! carries them as values where they aren't constants, and rewrites the operations.
//!
//! Semantics (`mlir-aie: lib/Dialect/AIE/Transforms/AIEObjectFifoStatefulTransform.cpp`): acquiring
//! n objects waits for as many as are missing to n; releasing n gives back the n oldest. Both
//! count objects; locks count `repeat_count` for each on the producer's side.

mod constants;
mod flow;
mod number;
mod state;
mod unroll;
mod walk;

use std::sync::Arc;

use aiec_aie::ir::{Module, Op, Value};
use aiec_aie::ops::enums::FifoPort;
use aiec_aie::ops::{Core, ObjectFifoAcquire, ObjectFifoRelease, OpKind, OpView};
use aiec_device::TileLoc;
use aiec_diag::Diag;
use rustc_hash::FxHashMap;

use super::ends::{EndTable, FifoEnds};
use super::fifo::{Fifo, Netlist};
use super::pools::{PoolLocks, Pools};
use super::{BAD_USE, NEVER_RELEASED, WINDOW};
use super::{FifoOptions, Peel};
use crate::infra::pass::PassContext;
use crate::simplify::canonicalize::control;

/// Facts about one side of a fifo that a core needs.
#[derive(Clone, Debug)]
pub(super) struct Window {
    /// The operation that declares it: the fifo, or its endpoint.
    pub declared: Op,
    pub produces: bool,
    pub buffers: Vec<Value>,
    pub locks: WindowLocks,
}

#[derive(Clone, Debug)]
pub(super) enum WindowLocks {
    None,
    /// The lock to take from, the lock to give to, and the tokens of an object.
    Counting {
        take: Value,
        give: Value,
        tokens: i64,
    },
    /// One lock per object, with the values to wait for and to leave.
    PerObject {
        locks: Vec<Value>,
        take: i64,
        give: i64,
    },
}

impl WindowLocks {
    /// The locks of a core's end of a pool: those of a part of its objects, or of each object.
    pub fn of(locks: &PoolLocks, part: usize, produces: bool, repeat: i64) -> WindowLocks {
        if let PoolLocks::PerObject(locks) = locks {
            return WindowLocks::PerObject {
                locks: locks.clone(),
                take: i64::from(!produces),
                give: i64::from(produces),
            };
        }
        match locks.of_bd(part, 0, produces, 1) {
            None => WindowLocks::None,
            Some([(take, _), (give, _)]) => WindowLocks::Counting {
                take,
                give,
                tokens: if produces { repeat.max(1) } else { 1 },
            },
        }
    }
}

impl Window {
    fn depth(&self) -> i64 {
        self.buffers.len() as i64
    }
}

/// The windows of one core, and that of each acquire and release.
#[derive(Default)]
pub(super) struct CoreWindows {
    pub windows: Vec<Window>,
    pub of_op: FxHashMap<Op, WindowUse>,
}

/// An acquire or release: of which window and how many objects.
#[derive(Clone, Copy, Debug)]
pub(super) struct WindowUse {
    pub window: usize,
    pub count: i64,
}

impl CoreWindows {
    /// Enters an acquire or release of a window; one of more objects than there are is reported.
    pub fn enter(
        &mut self,
        module: &Module,
        op: Op,
        used: WindowUse,
        name: &str,
        context: &mut PassContext<'_>,
    ) {
        let (window, count) = (&self.windows[used.window], used.count);
        let depth = window.depth();
        if (1..=depth).contains(&count) {
            self.of_op.insert(op, used);
            return;
        }
        let verb = match module.kind(op) {
            OpKind::ObjectFifoAcquire => "acquires",
            _ => "releases",
        };
        let message = format!(
            "this core {verb} {count} objects of `@{name}` at once, but this end holds {depth}"
        );
        context.report(
            Diag::error(&WINDOW, message)
                .label(module.span(op), "here")
                .label(module.span(window.declared), "this object fifo")
                .help("write a larger depth, or take fewer objects at once (at least one)"),
        );
    }
}

/// The fifo or endpoint that an acquire or release names, its side, and how many objects.
pub(super) fn use_of_fifo(module: &Module, op: Op) -> Option<(Arc<str>, FifoPort, i64)> {
    let (name, port, size) = match module.kind(op) {
        OpKind::ObjectFifoAcquire => {
            let op = ObjectFifoAcquire(op);
            (op.objFifo_name(module), op.port(module), op.size(module))
        }
        OpKind::ObjectFifoRelease => {
            let op = ObjectFifoRelease(op);
            (op.objFifo_name(module), op.port(module), op.size(module))
        }
        _ => return None,
    };
    Some((name, port, size.into()))
}

/// Lowers the uses of fifos in all cores of the device.
pub(super) fn lower(
    module: &mut Module,
    device: Op,
    netlist: &Netlist,
    ends: &EndTable,
    pools: &Pools,
    (options, context): (&FifoOptions, &mut PassContext<'_>),
) {
    for core in module.children::<Core>(device) {
        let Some(tile) = core.tile_loc(module) else {
            continue;
        };
        let before = context.diags.len();
        let resolver = Resolver {
            netlist,
            ends,
            pools,
            tile,
        };
        // Uses in a branch that is never taken must not be followed.
        control::decide_ifs(module, core.op());
        let windows = resolver.resolve(module, core, context);
        if !windows.of_op.is_empty() && context.diags.len() == before {
            never_released(module, core, &windows, context);
            lower_core(module, core, windows, options, context);
        }
    }
}

/// Lowers the uses in one core.
pub(super) fn lower_core(
    module: &mut Module,
    core: Core,
    mut windows: CoreWindows,
    options: &FifoOptions,
    context: &mut PassContext<'_>,
) {
    let dynamic = core
        .dynamic_objfifo_lowering(module)
        .unwrap_or(options.dynamic || options.default_dynamic);
    let written = constants::WrittenConstants::read(module, core.op());
    let bounds = if dynamic {
        Vec::new()
    } else {
        unroll::unroll(module, core.op(), &mut windows, context.pass)
    };
    let constants = written.with_bounds(module, bounds);
    let peel = match options.peel {
        Peel::Auto => !dynamic,
        Peel::Always => true,
        Peel::Never => false,
    };
    let rules = (peel, options.whole_design);
    let mentioned = walk::rewrite(module, core.op(), windows, rules, context);
    constants::unite_constants(module, core.op(), &constants, &mentioned);
}

struct Resolver<'a> {
    netlist: &'a Netlist,
    ends: &'a EndTable,
    pools: &'a Pools,
    tile: TileLoc,
}

impl Resolver<'_> {
    fn resolve(&self, module: &Module, core: Core, context: &mut PassContext<'_>) -> CoreWindows {
        let mut found = CoreWindows::default();
        for op in module.walk(core.op()) {
            let Some((name, port, count)) = use_of_fifo(module, op) else {
                continue;
            };
            let produces = port == FifoPort::Produce;
            // Endpoints of pools come later.
            if port == FifoPort::Endpoint && self.netlist.fifos.get(&*name).is_none() {
                continue;
            }
            let Some(fifo) = self.netlist.known(module, op, &name, context.diags) else {
                continue;
            };
            let side = (self.netlist.fifos[fifo].op.op(), produces);
            let mut windows = found.windows.iter();
            let window = match windows.position(|w| (w.declared, w.produces) == side) {
                Some(window) => window,
                None => match self.window(module, op, fifo, produces) {
                    Ok(window) => {
                        found.windows.push(window);
                        found.windows.len() - 1
                    }
                    Err(diag) => {
                        context.report(diag);
                        continue;
                    }
                },
            };
            found.enter(module, op, WindowUse { window, count }, &name, context);
        }
        found
    }

    fn window(
        &self,
        module: &Module,
        op: Op,
        fifo_at: usize,
        produces: bool,
    ) -> Result<Window, Diag> {
        let fifo = &self.netlist.fifos[fifo_at];
        let end = self
            .end_of(fifo, &self.ends.of_fifo[fifo_at], produces)
            .map_err(|(problem, help)| bad_use(module, op, fifo, problem, help))?;
        let Some(pool) = self.pools.of(end) else {
            let verb = match module.kind(op) {
                OpKind::ObjectFifoAcquire => "acquire",
                _ => "release",
            };
            let problem = format!(
                "has no objects here, its data are the core's stream: cannot {verb} from \
                 objectfifo stream port"
            );
            let help = "use aie.get_stream and aie.put_stream";
            return Err(bad_use(module, op, fifo, &problem, help));
        };
        Ok(Window {
            declared: fifo.op.op(),
            produces,
            buffers: pool.buffers.clone(),
            locks: WindowLocks::of(&pool.locks, 0, produces, pool.repeat),
        })
    }

    /// The end that this core's side of a fifo is, or why it has none.
    fn end_of(
        &self,
        fifo: &Fifo,
        ends: &FifoEnds,
        produces: bool,
    ) -> Result<usize, (&'static str, &'static str)> {
        let linked = (
            "is handled by a link on this tile: a core currently cannot access objectFifo used \
             in ObjectFifoLinkOp",
            "end the fifo in the core and send on with a second one, without a link",
        );
        if produces {
            if fifo.producer.loc != self.tile {
                let help = "produce in the core of the fifo's first tile, or use Consume";
                return Err(("isn't produced on this core's tile", help));
            }
            return fifo.output_of.map_or(Ok(ends.producer), |_| Err(linked));
        }
        let here = fifo.consumers.iter().position(|c| c.loc == self.tile);
        let Some(consumer) = here else {
            let help = "consume in the core of one of the fifo's consumer tiles, or use Produce";
            return Err(("isn't consumed on this core's tile", help));
        };
        let end = ends.consumer(consumer).unwrap_or(ends.producer);
        let of_link = if ends.shared {
            fifo.input_of.is_some()
        } else {
            self.ends.ends[end].link.is_some()
        };
        if of_link { Err(linked) } else { Ok(end) }
    }
}

/// Reports ends whose objects are acquired in a loop and released nowhere in the core.
fn never_released(module: &Module, core: Core, found: &CoreWindows, context: &mut PassContext<'_>) {
    let mut acquired: Vec<Option<Op>> = vec![None; found.windows.len()];
    let mut released = vec![false; found.windows.len()];
    for op in module.walk(core.op()) {
        let Some(WindowUse { window, .. }) = found.of_op.get(&op) else {
            continue;
        };
        match module.kind(op) {
            OpKind::ObjectFifoAcquire if is_in_loop(module, core, op) => {
                acquired[*window].get_or_insert(op);
            }
            OpKind::ObjectFifoRelease => released[*window] = true,
            _ => {}
        }
    }
    for ((acquire, released), window) in acquired.into_iter().zip(released).zip(&found.windows) {
        let Some(acquire) = acquire.filter(|_| !released) else {
            continue;
        };
        let name = module.str_attr(window.declared, "sym_name").unwrap_or("?");
        let port = if window.produces {
            "Produce"
        } else {
            "Consume"
        };
        let message = format!("this core never releases the objects of `@{name}` that it acquires");
        let diag = Diag::warning(&NEVER_RELEASED, message)
            .label(module.span(acquire), "acquired here, in a loop")
            .label(module.span(window.declared), "this object fifo");
        context.report(diag.help(format!(
            "add `aie.objectfifo.release @{name}({port}, 1)` after the last use in the loop"
        )));
    }
}

/// Whether an operation of a core is in a loop.
fn is_in_loop(module: &Module, core: Core, op: Op) -> bool {
    let around = std::iter::successors(module.parent_op(op), |op| module.parent_op(*op));
    let mut inside = around.take_while(|op| *op != core.op());
    inside.any(|op| matches!(module.kind(op), OpKind::ScfFor | OpKind::ScfWhile))
}

fn bad_use(module: &Module, op: Op, fifo: &Fifo, problem: &str, help: &str) -> Diag {
    Diag::error(&BAD_USE, format!("object fifo `@{}` {problem}", fifo.name))
        .label(module.span(op), "used here")
        .label(module.span(fifo.op.op()), "this object fifo")
        .help(help)
}
