//! The verifier: properties that a netlist must have before any pass works on it.
//!
//! All findings of a module are made in one run and sorted by position. The checklist:
//!
//! * **structure** ([`structure`]): operands, attributes, results, regions and successors are as
//!   the operation's declaration says; blocks end with a terminator and nothing follows it;
//!   operations are inside the operations they belong to.
//! * **upstream** ([`upstream`]): operations of upstream MLIR keep the rules of its verifiers: types
//!   of operands and results, branches, calls, loops, memrefs and vectors.
//! * **values** ([`dominance`]): each use is dominated by the definition and sees it.
//! * **symbols** ([`symbols`]): names are unique in their table; references name something of the
//!   right kind.
//! * **places** ([`enclosing`]): operations are where something reads them.
//! * **array** ([`mod@array`]): tiles lie in the device; at most one core, switchbox and DMA program
//!   per tile, on the right kind of tile.
//! * **switches** ([`switch`]): ports exist, connections are legal, outputs are driven once;
//!   arbiters, selects and rules are in range.
//! * **flows** ([`flows`]): their ends exist, packet ids are in range, cascades connect neighbours.
//! * **memory** ([`memory`]): buffers on tiles with memory, inside it, with initial values of their
//!   size; a core's stack and files; **locks** ([`locks`]): ids, values; users reach what they use.
//! * **DMA** ([`dma`]): programs consist of channels and BD chains; the fields of BDs ([`bd`]) fit
//!   the hardware.
//! * **object fifos** ([`fifo`], [`link`], [`fifo_use`], [`fifo_release`]): ends, depths,
//!   options, links, acquires and releases.
//! * **extents** ([`reach`]): transfers stay inside their buffers; BDs aren't rewritten too early.
//! * **sequences** ([`sequence`], [`tasks`], [`control`]): transfers, tasks, waits, register
//!   operations, resets and configurations.
//! * **traces** ([`trace`]): events, ports, packets, when they start and stop.
//! * **cores** ([`core_ops`]): types of streams, numbers of events; indices of accesses.
//!
//! Each check is total: it must accept anything that the parser lets through.

mod array;
mod bd;
pub mod codes;
mod control;
mod core_ops;
mod dma;
mod dominance;
mod enclosing;
mod fifo;
mod fifo_release;
mod fifo_use;
mod flows;
mod link;
mod locks;
mod memory;
mod reach;
mod sequence;
mod shared_channel;
mod structure;
mod switch;
mod symbols;
mod tasks;
mod trace;
mod upstream;
mod views;

pub use codes::CODES;

use aiec_device::{DeviceModel, TileKind, TileLoc};

use crate::ir::{Module, Op, SymbolTable, Value};
use crate::ops::enums::LogicalTileType;
use crate::ops::netlist::DEFAULT_DEVICE;
use crate::ops::{self, Device, LogicalTile, OpKind, OpView};
use aiec_diag::{Code, Diag, Diags, MlirAieReport, Severity};

/// Required completeness of the verified design.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum VerifyMode {
    /// A design that is going to be compiled: every rule is an error.
    #[default]
    Design,
    /// Input of `aiec opt`, which may be a fragment of a design or one that a pass has yet to
    /// complete: rules that only a whole design must keep give warnings, and operations may be
    /// outside a device.
    Fragment,
    /// As [`VerifyMode::Fragment`], but without those warnings.
    FragmentQuiet,
}

impl VerifyMode {
    /// A finding about a rule that only a whole design must keep.
    fn of_whole(self, mut diag: Diag) -> Option<Diag> {
        match self {
            VerifyMode::Design => Some(diag),
            VerifyMode::Fragment => {
                diag.severity = Severity::Warning;
                Some(diag)
            }
            VerifyMode::FragmentQuiet => None,
        }
    }
}

/// Verifies a design; findings are added to `diags`, sorted by position.
pub fn verify(module: &Module, diags: &mut Diags) {
    verify_as(module, VerifyMode::Design, diags);
}

/// Verifies a module in a given mode.
pub fn verify_as(module: &Module, mode: VerifyMode, diags: &mut Diags) {
    let mut found = Diags::new();
    let bad = structure::check(module, mode, &mut found);
    dominance::check(module, &mut found);
    symbols::check(module, mode, &mut found);
    let devices = module.find(module.top(), OpKind::Device);
    let mut parts: Vec<(Op, &'static DeviceModel)> = Vec::new();
    for op in &devices {
        let Some(device) = Device::cast(module, *op) else {
            continue;
        };
        match device.model(module) {
            Some(model) => parts.push((*op, model)),
            None => {
                let diag = Diag::error(&codes::DEVICE, "this device is unknown");
                found.push(
                    diag.label(module.span(*op), "here")
                        .help("`aiec devices` lists the known devices"),
                );
            }
        }
    }
    if devices.is_empty() && mode != VerifyMode::Design {
        parts.extend(DeviceModel::by_name(DEFAULT_DEVICE).map(|model| (module.top(), model)));
    }
    for (device, model) in parts {
        let mut cx = Context {
            module,
            device,
            model,
            symbols: SymbolTable::of(module, device),
            by_kind: by_kind(module, device, &bad),
            bad: &bad,
            mode,
            diags: &mut found,
        };
        enclosing::check(&mut cx);
        array::check(&mut cx);
        switch::check(&mut cx);
        flows::check(&mut cx);
        memory::check(&mut cx);
        locks::check(&mut cx);
        dma::check(&mut cx);
        fifo::check(&mut cx);
        link::check(&mut cx);
        fifo_use::check(&mut cx);
        fifo_release::check(&mut cx);
        sequence::check(&mut cx);
        tasks::check(&mut cx);
        reach::check(&mut cx);
        control::check(&mut cx);
        trace::check(&mut cx);
        core_ops::check(&mut cx);
        views::check(&mut cx);
    }
    if mode != VerifyMode::FragmentQuiet || !found.has_errors() {
        // MLIR's verifier looks at a table when all in it is right.
        symbols::unique_names(module, &mut found);
    }
    found.sort_by_position();
    diags.append(found);
}

/// State that the checks of one device share.
struct Context<'a> {
    module: &'a Module,
    device: Op,
    model: &'static DeviceModel,
    symbols: SymbolTable,
    /// Operations whose structure is wrong, by [`Op::index`]: further checks pass over them.
    bad: &'a [bool],
    /// The other operations in the device in textual order, by kind: each check looks for a few
    /// kinds, and none needs a walk of its own.
    by_kind: Vec<Vec<Op>>,
    mode: VerifyMode,
    diags: &'a mut Diags,
}

impl<'a> Context<'a> {
    /// All operations of a kind in the device whose structure is right.
    fn all<V: OpView>(&self) -> Vec<V> {
        let ops = self.by_kind.get(V::KIND as usize);
        let ops = ops.into_iter().flatten();
        ops.filter_map(|op| V::cast(self.module, *op)).collect()
    }

    /// Runs a check on each of [`Context::all`].
    fn each<V: OpView>(&mut self, check: fn(&mut Context<'_>, V)) {
        for view in self.all() {
            check(self, view);
        }
    }

    /// As [`Context::all`], without a view.
    fn of_kind(&self, kind: OpKind) -> Vec<Op> {
        self.by_kind.get(kind as usize).cloned().unwrap_or_default()
    }

    /// All operations of some kinds, kind by kind.
    fn of_kinds<const N: usize>(&self, kinds: [OpKind; N]) -> Vec<Op> {
        let lists = kinds.into_iter().map(|kind| self.of_kind(kind));
        lists.flatten().collect()
    }

    /// The operation of the device with this name, if it is of that kind.
    fn named<V: OpView>(&self, name: &str) -> Option<V> {
        V::cast(self.module, self.symbols.get(name)?)
    }

    fn is_bad(&self, op: Op) -> bool {
        self.bad.get(op.index()).copied().unwrap_or(false)
    }

    /// An error at an operation; finish it with labels and help, then [`Report::push`].
    fn error(&self, op: Op, code: &'static Code, message: impl Into<String>) -> Diag {
        let name = self.module.op_name(op).to_string();
        Diag::error(code, message).label(self.module.span(op), name)
    }

    /// Reports an error of an operation of a whole design: the problem, and advice.
    fn problem(
        &mut self,
        op: Op,
        code: &'static Code,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let diag = self.error(op, code, message).help(help);
        diag.push_of_whole(self);
    }

    /// Reports an error of an operation of any design: the problem, and advice.
    fn refuse(
        &mut self,
        op: Op,
        code: &'static Code,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.error(op, code, message).help(help).push(self);
    }

    /// Reports an error that mlir-aie's tools find too: the problem, advice, and their words.
    fn shared(
        &mut self,
        op: Op,
        code: &'static Code,
        said: (impl Into<String>, impl Into<String>),
        in_mlir_aie: impl std::fmt::Display,
    ) {
        let mlir_aie = self.mlir_aie(op, in_mlir_aie);
        self.shared_as(op, code, said, mlir_aie);
    }

    /// As [`Context::shared`], where they use another form or place.
    fn shared_as(
        &mut self,
        op: Op,
        code: &'static Code,
        (message, help): (impl Into<String>, impl Into<String>),
        mlir_aie: MlirAieReport,
    ) {
        let span = mlir_aie.span.or(self.module.span(op));
        let diag = self.error(op, code, message).help(help);
        diag.mlir_aie(mlir_aie.at(span)).push(self);
    }

    /// As [`Context::shared`], where their words don't name the operation.
    fn shared_plain(
        &mut self,
        op: Op,
        code: &'static Code,
        said: (impl Into<String>, impl Into<String>),
        in_mlir_aie: impl Into<String>,
    ) {
        self.shared_as(op, code, said, MlirAieReport::plain(in_mlir_aie));
    }

    /// The message of mlir-aie's tools about an operation.
    fn mlir_aie(&self, op: Op, text: impl std::fmt::Display) -> MlirAieReport {
        MlirAieReport::op(self.module.op_name(op), text).at(self.module.span(op))
    }

    /// The tile of a handle, if it lies in the device.
    fn tile(&self, handle: Option<Value>) -> Option<TileLoc> {
        let loc = ops::netlist::tile_loc(self.module, handle?)?;
        self.model.contains(loc).then_some(loc)
    }

    /// The kind of tile of a handle, placed or not.
    fn kind_of(&self, handle: Option<Value>) -> Option<TileKind> {
        if let Some(loc) = self.tile(handle) {
            return self.kind_at(loc);
        }
        let logical = LogicalTile::cast(self.module, self.module.def_op(handle?)?)?;
        let kind = LogicalTileType::of(logical.tile_type(self.module).into())?;
        Some(match kind {
            LogicalTileType::CoreTile => TileKind::Core,
            LogicalTileType::MemTile => TileKind::Mem,
            LogicalTileType::ShimNOCTile => TileKind::ShimNoc,
            LogicalTileType::ShimPLTile => TileKind::ShimPl,
        })
    }

    /// Whether a handle is known to be a shim tile's.
    fn on_shim(&self, handle: Option<Value>) -> bool {
        self.kind_of(handle).is_some_and(TileKind::is_shim)
    }

    /// "(0, 2)", or "a core tile" if it isn't placed.
    fn place_text(&self, handle: Option<Value>) -> String {
        match self.tile(handle) {
            Some(loc) => loc.to_string(),
            None => format!("a {}", self.kind_of(handle).map_or("tile", kind_text)),
        }
    }

    fn kind_at(&self, loc: TileLoc) -> Option<TileKind> {
        self.model.tile_kind(loc)
    }
}

/// Ways to end a check with a finding.
trait Report {
    /// Adds the finding.
    fn push(self, cx: &mut Context<'_>);

    /// Adds a finding about a rule that only a whole design must keep.
    fn push_of_whole(self, cx: &mut Context<'_>);
}

impl Report for Diag {
    fn push(self, cx: &mut Context<'_>) {
        cx.diags.push(self);
    }

    fn push_of_whole(self, cx: &mut Context<'_>) {
        cx.diags.extend(cx.mode.of_whole(self));
    }
}

/// The operations in a device whose structure is right, in textual order, by kind.
fn by_kind(module: &Module, device: Op, bad: &[bool]) -> Vec<Vec<Op>> {
    let mut lists = vec![Vec::new(); ops::OPS.len() + 1];
    for op in module.walk(device) {
        if bad.get(op.index()).copied().unwrap_or(false) {
            continue;
        }
        if let Some(list) = lists.get_mut(module.kind(op) as usize) {
            list.push(op);
        }
    }
    lists
}

/// "core tile", "mem tile"…
fn kind_text(kind: TileKind) -> &'static str {
    match kind {
        TileKind::Core => "core tile",
        TileKind::Mem => "mem tile",
        TileKind::ShimNoc => "shim tile with a DMA",
        TileKind::ShimPl => "shim tile without a DMA",
    }
}
