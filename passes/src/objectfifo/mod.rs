//! `aie-objectFifo-stateful-transform`: object fifos become buffers, locks, DMA programs and
//! flows, and their uses in cores become lock operations and buffer accesses.
//!
//! Steps, each in its file:
//!
//! 1. [`fifo`] reads the fifos, [`links`] the links;
//! 2. [`ends`] decides which fifos share memory, and names and sizes the ends;
//! 3. [`pools`] makes buffers and locks, [`channels`] chooses DMA channels;
//! 4. [`program`] plans the buffer descriptors, [`dma`] writes them with flows and allocations;
//! 5. [`core`] unrolls loops so that buffers are known, and lowers the uses in cores;
//! 6. [`rearm`] notes what runtime resets need, [`symbols`] renames what the runtime sequence
//!    refers to, and the fifos go;
//! 7. [`split`] does the same for fifos that are written as pools, endpoints and routes.
//!
//! Names, orders and numbers are those of mlir-aie (`mlir-aie: lib/Dialect/AIE/Transforms/
//! AIEObjectFifoStatefulTransform.cpp`), because users meet them again in debuggers and traces.
//! Where that is wrong, this is right: repeated joins, windows with repeat_count, channels of
//! written flows, packet ids that are taken.

mod channels;
mod check;
mod core;
mod dma;
mod ends;
mod fifo;
mod links;
mod liveness;
mod pools;
mod program;
mod rearm;
pub mod register_objectfifos;
mod split;
mod symbols;

pub use check::check;
pub use liveness::LIVENESS;

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{OpKind, OpView, ShimDmaAllocation};
use aiec_diag::{Diag, MlirAieReport, Reported, codes, named_enum};

use crate::infra::pass::{
    OptionDef, OptionValue, Options, PassContext, PassDef, PassScope, pass_options,
};
use crate::infra::self_check;
use crate::simplify::canonicalize::transfers;

/// The pass.
pub static PASS: PassDef = PassDef::of_device(
    "aie-objectFifo-stateful-transform",
    |module, device, context| run(module, device, &context.options()?, context),
)
.summary("Lower object fifos to buffers, locks, DMA programs, flows and core code")
.postconditions(&[
    "no aie.objectfifo operation is left",
    "what a channel acquires from a pool's locks it releases to them",
    "every BD lies inside its buffer",
])
.options(<FifoOptions as Options>::DEFS);

pass_options! {
    /// Options of `aie-objectFifo-stateful-transform`.
    pub(crate) struct FifoOptions {
        /// Whether cores index buffers at run time.
        pub(crate) dynamic: bool = OptionDef::flag(
            "dynamic-objFifos",
            false,
            "index buffers at run time instead of unrolling the loops of cores",
        ),
        /// Later name of `dynamic`.
        pub(crate) default_dynamic: bool = DEFAULT_DYNAMIC,
        /// Whether loops lose their first pass where that makes amounts constant.
        pub(crate) peel: Peel = PEEL,
        /// Whether all fifos are connected by packet flows.
        pub(crate) all_packets: bool = OptionDef::flag(
            "packet-sw-objFifos",
            false,
            "connect the fifos by packet flows instead of circuits",
        ),
        /// Whether findings of a compilation are errors.
        pub(crate) whole_design: bool = OptionDef::flag(
            WHOLE_DESIGN,
            false,
            "refuse what is lowered with a warning else and no run can do: parts and \
                      transfers outside of their objects, releases before the first acquire",
        ),
    }
}

/// The option that a compilation sets: rules that mlir-aie's transform doesn't have are errors.
pub(crate) const WHOLE_DESIGN: &str = "whole-design";

/// Later name of `dynamic-objFifos`.
const DEFAULT_DYNAMIC: OptionDef = OptionDef::flag(
    "default-dynamic",
    false,
    "index buffers at run time in cores that don't say (dynamic_objfifo_lowering)",
);

const PEEL: OptionDef = OptionDef::one_of(
    "peel-first-iteration",
    Peel::Auto.name(),
    Peel::NAMES,
    "take out the first pass of a loop where that makes lock amounts constant: true, \
              false, or auto (where loops are unrolled)",
);

named_enum! {
    /// Whether loops lose their first pass where that makes lock amounts constant.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Peel {
        /// Where loops are unrolled.
        Auto => "auto",
        /// Everywhere.
        Always => "true",
        /// Nowhere.
        Never => "false",
    }
}

impl OptionValue for Peel {
    fn parse(text: &str) -> Option<Peel> {
        Peel::by_name(text)
    }
}

/// mlir-aie folds the code of cores in a pass of its own. Here the transform knows the buffers
/// when it writes that code, so that transfers of sequences are what is left to fold.
pub static UNROLL: PassDef = PassDef {
    name: "aie-objectFifo-unroll",
    summary: "Unroll the loops of cores by the fifos' depths (done by the transform already)",
    postconditions: &[
        "loops that access fifos are unrolled, in cores that aren't dynamic",
        "transfers of contiguous elements have one dimension",
    ],
    options: &[DEFAULT_DYNAMIC, PEEL],
    run: PassScope::PartOf(&PASS, fold_transfers),
};

fn fold_transfers(module: &mut Module, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let changes = transfers::run(module);
    context.count("transfers folded", changes);
    Ok(())
}

codes! {
    /// Codes of `aie-objectFifo-stateful-transform`.
    pub static CODES;
    UNKNOWN_FIFO = "objectfifo::unknown",
        "An operation names an object fifo that the device doesn't declare.";
    BAD_TILE = "objectfifo::bad-tile",
        "The ends of an object fifo are tiles of the device (aie.tile). Logical tiles must be \
         placed first.";
    BAD_ATTRIBUTE = "objectfifo::bad-attribute",
        "What an object fifo is given contradicts itself or the hardware.";
    BAD_LINK = "objectfifo::bad-link",
        "A link connects one fifo to one, several to one (join) or one to several (distribute). \
         They meet on one tile, which for join and distribute must be a mem tile.";
    LINK_OFFSETS = "objectfifo::link-offsets",
        "Each part of a joined or distributed object starts at its offset and ends at the next \
         one. Its length must be that of the part's own objects, or a multiple.";
    BAD_DELEGATE = "objectfifo::bad-allocate",
        "objectfifo.allocate puts a shared fifo's objects on a tile whose memory both ends reach. \
         A fifo that moves its data by DMA has objects at both ends instead.";
    BAD_PIN = "objectfifo::bad-channel",
        "The DMA channel that is asked for doesn't exist on that tile or is in use.";
    NO_CHANNEL = "objectfifo::no-channel",
        "The tile has no DMA channel left: two for each direction on core and shim tiles, six on \
         mem tiles. A broadcast takes one at its source however many consumers it has.";
    NO_PACKET_ID = "objectfifo::no-packet-id",
        "A packet-switched fifo takes one of the 32 packet ids.";
    OUT_OF_BOUNDS = "objectfifo::out-of-bounds",
        "A DMA would read or write past the end of its buffer.";
    TOO_MANY_BDS = "objectfifo::too-many-bds",
        "Each object is a buffer descriptor of its own for each time that it is sent and each part \
         of it. A core tile has 16 of them, a mem tile 48, 24 for each channel.";
    LOCK_RANGE = "objectfifo::lock-range",
        "A lock counts each object as often as it is sent, and holds no more than 63.";
    REGION_FORM = "objectfifo::written-program",
        "A tile's DMA program that is written with aie.dma regions can't take further channels.";
    BAD_USE = "objectfifo::bad-use",
        "acquire and release belong into the core of a tile where the fifo ends, on the matching \
         side; ends that a link uses are the DMA's.";
    WINDOW = "objectfifo::window-too-large",
        "A core asks for more objects at once than this end of the fifo ever holds, so that it \
         would wait forever.";
    OVER_RELEASE = "objectfifo::over-release",
        "A core releases more objects than it holds; the counters of the fifo would run away.";
    NEVER_RELEASED = "objectfifo::never-released",
        "A core acquires objects of a fifo in a loop and releases none of that end anywhere. Acquiring \
         asks for as many objects as are missing to the number, so that every pass after the first gets \
         the same object again: the data are those of the first pass, or the other end of the fifo \
         waits forever. Release the object after its last use in the loop.";
    BAD_POOL = "objectfifo::bad-pool",
        "Pools, endpoints and routes, the pieces of a split fifo, must fit each other: each segment \
         of a pool is filled by one endpoint and drained by one, and each DMA is in one route.";
    UNDER_BUFFERED = "objectfifo::under-buffered",
        "A broadcast whose consumers hold back its producer needs places for what is on its way: \
         twice its depth must hold its consumers times the repetitions in the cycle.";
    UNSUPPORTED = "objectfifo::unsupported",
        "The lowering doesn't know how to follow a fifo through this operation.";
}

fn run(
    module: &mut Module,
    device: Op,
    options: &FifoOptions,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let Some(mut netlist) = fifo::Netlist::read(module, device, context.diags) else {
        return context.diags.check();
    };
    netlist.whole_design = options.whole_design;
    if !netlist.fifos.is_empty() {
        lower_whole(module, device, &mut netlist, options, context)?;
    }
    split::lower(module, device, options, context)?;
    refuse_left_over(module, device, context)?;
    self_check::verify_in_debug(context, module, || {
        check(module, device, netlist.whole_design)
    })
}

/// Lowers the fifos that are written as such.
fn lower_whole(
    module: &mut Module,
    device: Op,
    netlist: &mut fifo::Netlist,
    options: &FifoOptions,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let links = links::read(module, device, netlist, context.diags);
    let all_packets = options.all_packets;
    for link in links.iter().filter(|link| link.ring) {
        let headers = |fifo: &usize| all_packets || netlist.fifos[*fifo].packet;
        if link.outputs.iter().any(headers) {
            let message = "packet header cannot be combined with a pool using iterate_bds";
            let diag = Diag::error(&BAD_ATTRIBUTE, message)
                .label(module.span(link.op), "the objects of this link")
                .help("leave out iterate_bds, or packet and packet-sw-objFifos");
            context.report(diag);
        }
    }
    context.diags.check()?;
    let ends = ends::split(module, netlist, &links, context.diags);
    context.diags.check()?;
    pools::check_depths(module, netlist, &ends, context);
    context.diags.check()?;
    let pools = pools::create(module, device, netlist, &links, &ends, context);
    // From here on findings are collected, so that one run reports all of them.
    let channels = channels::assign(module, device, netlist, &ends, &pools, context);
    let planner = program::Planner {
        netlist,
        links: &links,
        ends: &ends,
        pools: &pools,
    };
    let mut writer = dma::Writer::new(module, device, planner, &channels, (options, &mut *context));
    writer.write(module);
    let allocations = std::mem::take(&mut writer.allocations);
    core::lower(
        module,
        device,
        netlist,
        &ends,
        &pools,
        (options, &mut *context),
    );
    context.diags.check()?;
    let resources = (&ends, &pools, channels.as_slice());
    rearm::bind(module, device, netlist, resources, context);
    context.diags.check()?;
    let renamed = allocations.iter().filter_map(|(fifo, to)| {
        let name = netlist.fifos.get_index(*fifo)?.0;
        Some((name.clone(), to.clone()))
    });
    symbols::rename(module, device, &renamed.collect());
    for op in module.children::<ShimDmaAllocation>(device) {
        if netlist.fifos.contains_key(&*op.sym_name(module)) {
            module.erase(op.op());
        }
    }
    let kinds = [
        OpKind::ObjectFifo,
        OpKind::ObjectFifoLink,
        OpKind::ObjectFifoAllocate,
        OpKind::ObjectFifoRegisterExternalBuffers,
    ];
    for op in module.find_each(device, kinds).concat() {
        module.erase(op);
    }
    Ok(())
}

/// Operations on fifos that no step knows (functions, later forms of the dialect) can't stay.
fn refuse_left_over(
    module: &Module,
    device: Op,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    for op in module.walk(device) {
        let name = module.op_name(op);
        let binding = module.kind(op) == OpKind::ObjectFifoRearmBinding;
        let route = matches!(module.kind(op), OpKind::Route | OpKind::RouteEndpoint);
        if let Some(endpoint) = module.symbol_attr(op, "endpoint") {
            let message = format!("there is no `aie.route_endpoint @{endpoint}`");
            let diag = Diag::error(&BAD_POOL, message).label(module.span(op), "this channel");
            context.report(diag.help("name an endpoint of the device, or the number of a channel"));
        }
        if (name.starts_with("aie.objectfifo") && !binding) || route {
            let message = format!("`{name}` can't be lowered here");
            let text = "must be called from inside a CoreOp";
            let help = "use fifos in aie.core bodies, in blocks that are reached, or in functions \
                        that cores call, after aie-inline-functions";
            let span = module.span(op);
            context.report(
                Diag::error(&UNSUPPORTED, message)
                    .label(span, "this operation")
                    .mlir_aie(MlirAieReport::op(name, text).at(span))
                    .help(help),
            );
        }
    }
    context.diags.check()
}
