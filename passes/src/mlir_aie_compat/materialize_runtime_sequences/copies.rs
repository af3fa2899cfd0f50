//! Parts of its own device that a run uses, copied into the caller's.

use aiec_aie::ir::{Attr, InsertPoint, Module, Op, SymbolRef, SymbolTable, ValueMap};
use aiec_aie::ops::{OpKind, OpView, Tile};
use aiec_diag::{Diag, MlirAieReport, Reported};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use crate::infra::pass::PassContext;
use crate::sequence::codes::UNSUPPORTED;

/// Definitions of its device that one run needs, copied into the caller's.
pub(super) struct Copies {
    /// The caller's device.
    to: Op,
    /// Names of the device that the run belongs to.
    from: SymbolTable,
    /// Names of the caller's device.
    symbols: SymbolTable,
    /// Tiles of the caller's device.
    tiles: FxHashMap<aiec_device::TileLoc, Op>,
    /// The copy that was made last: the next one follows it.
    pub(super) last: Option<Op>,
    /// The new names of copied symbols.
    names: IndexMap<String, String>,
    copied: FxHashMap<Op, Op>,
}

impl Copies {
    pub(super) fn new(module: &Module, to: Op, from: Op) -> Copies {
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

    /// Definitions of their device that operations and those in them use: of values, then of
    /// symbols.
    pub(super) fn needed(&self, module: &Module, body: &[Op], callee: Op) -> Vec<Op> {
        let all: Vec<Op> = body.iter().flat_map(|op| module.walk(*op)).collect();
        let operands = all.iter().flat_map(|op| module.operands(*op));
        let defs = operands.filter_map(|value| module.def_op(value));
        let is_outside = |def: &Op| module.ancestor(*def, OpKind::RuntimeSequence) != Some(callee);
        let named = all.iter().flat_map(|op| symbols_of(module, *op));
        let named = named.filter_map(|name| self.from.get(&name));
        defs.filter(is_outside).chain(named).collect()
    }

    /// Copies a definition with what it needs itself.
    pub(super) fn copy(
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
            let mlir_aie =
                format!("Referenced SSA value defined by unsupported operation type: {name}");
            let diag = Diag::error(&UNSUPPORTED, message)
                .label(module.span(run), "this run needs it")
                .label(module.span(def), "it is declared here")
                .help("lower fifos and flows to buffers, locks and channels first")
                .mlir_aie(MlirAieReport::plain(mlir_aie));
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
                let attrs = |op| -> FxHashMap<String, Attr> {
                    let all = module.attrs(op).map(|(k, v)| (k.to_string(), v.clone()));
                    all.filter(|(key, _)| key != "sym_name").collect()
                };
                if attrs(same) != attrs(op) {
                    let (col, row) = (tile.col(module), tile.row(module));
                    let message =
                        format!("tile ({col}, {row}) says different things in the two devices");
                    let mlir_aie = format!(
                        "aie.tile({col}, {row}) already exists in the device with different attributes"
                    );
                    let diag = Diag::error(&UNSUPPORTED, message)
                        .label(module.span(same), "this one")
                        .label(module.span(op), "and this one")
                        .label(module.span(run), "this run needs both")
                        .help("let both have the same attributes")
                        .mlir_aie(MlirAieReport::plain(mlir_aie).at(module.span(run)));
                    return Err(context.fail(diag));
                }
                // It must be in front of the copies that use it.
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

    /// After the last copy; at first after the tiles at the start of the device.
    fn place(&self, module: &Module) -> InsertPoint {
        let first = || self.behind_tiles(module);
        self.last.map_or_else(first, InsertPoint::After)
    }

    /// After the tiles at the start of the device.
    fn behind_tiles(&self, module: &Module) -> InsertPoint {
        let Some(body) = module.entry(self.to, 0) else {
            return InsertPoint::Detached;
        };
        let ops = module.ops_in(body);
        let tiles = ops.into_iter();
        let tiles = tiles.take_while(|op| module.kind(*op) == OpKind::Tile);
        let last = tiles.last();
        last.map_or(InsertPoint::Start(body), InsertPoint::After)
    }

    /// Lets a copy and what is in it name the copies of what it named.
    pub(super) fn rename(&self, module: &mut Module, copy: Op) {
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
