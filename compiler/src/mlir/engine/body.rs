//! The program of a core in operations of upstream's only.
//!
//! The core becomes a function without arguments, functions that it calls are copied beside it. Where
//! the core does something that isn't computing, it calls a function of the host ([`super::host`]
//! has them all): locks, streams, the cascade, events, external functions. Buffers and the core's own
//! arrays are globals without contents whose names say where they are, in core-local bytes;
//! [`super::sandbox`] puts the addresses there.

use aiec_aie::ir::{
    Attr, Block, FunctionType, InsertPoint, Loc, Module, Op, SymbolTable, Type, Value, ValueMap,
};
use aiec_aie::ops::netlist::const_int;
use aiec_aie::ops::{Buffer, Core, Device, Lock, OpKind, OpView};
use aiec_codegen::CoreCode;
use aiec_device::{DeviceModel, TileLoc};
use aiec_diag::{Diag, Diags};
use indexmap::{IndexMap, IndexSet};

use super::super::NO_LLVM_FORM;

/// The function that is the core.
pub const ENTRY: &str = "aiec.core";
/// Names of globals that are places in the memory that the core sees: address, then a number.
pub const PLACE: &str = "aiec.at.";
/// The words of a transfer of the cascade.
pub const WORDS: &str = "aiec.words";
/// Words of the longest transfer of a cascade (512 bits, AM020).
pub const CASCADE_WORDS: u64 = 16;

/// A core and what is known of it.
#[derive(Clone, Copy)]
pub struct Source<'m> {
    /// The design, with a place for everything.
    pub module: &'m Module,
    /// The device around the core.
    pub device: Device,
    /// The core.
    pub core: Core,
    /// What it is on.
    pub model: &'static DeviceModel,
    /// What the built-in engine executes.
    pub code: &'m CoreCode,
}

/// A module with one core's program; `None` if something has no form there, which is reported.
pub fn of_core(source: Source<'_>, diags: &mut Diags) -> Option<Module> {
    let here = source.core.tile_loc(source.module)?;
    let mut maker = BodyBuilder {
        from: source.module,
        source,
        here,
        symbols: [source.device.op(), source.module.top()]
            .map(|table| SymbolTable::of(source.module, table)),
        out: Module::new(),
        map: ValueMap::new(),
        places: 0,
        functions: IndexMap::new(),
        hosts: IndexSet::new(),
        refused: Vec::new(),
    };
    maker.program();
    let BodyBuilder { out, refused, .. } = maker;
    for (op, what) in &refused {
        let message = format!("a core can't be compiled by upstream MLIR: {what}");
        let diag = Diag::error(&NO_LLVM_FORM, message).label(source.module.span(*op), "here");
        diags.push(diag.help("write it with other operations, or use `--core-engine=builtin`"));
    }
    refused.is_empty().then_some(out)
}

/// The program in the making.
pub struct BodyBuilder<'m> {
    pub from: &'m Module,
    pub source: Source<'m>,
    pub here: TileLoc,
    /// Symbols from the inside out: the device, then the module.
    pub symbols: [SymbolTable; 2],
    /// The new module.
    pub out: Module,
    map: ValueMap,
    places: usize,
    /// Functions that are called, with their new names.
    pub functions: IndexMap<Op, String>,
    /// Functions of the host that are declared.
    hosts: IndexSet<String>,
    /// Operations of the design without a form, and why.
    refused: Vec<(Op, String)>,
}

impl BodyBuilder<'_> {
    fn program(&mut self) {
        self.places_of_transfers();
        let core = self.source.core.op();
        self.function(ENTRY, core, FunctionType::default());
        let mut number = 0;
        while let Some((&callee, name)) = self.functions.get_index(number) {
            let name = name.clone();
            match self.from.attr(callee, "function_type") {
                Some(Attr::Type(Type::Function(ty))) => {
                    let ty = FunctionType::clone(ty);
                    self.function(&name, callee, ty);
                }
                _ => self.refuse(callee, "this function has no type"),
            }
            number += 1;
        }
    }

    /// The buffer through which transfers of the cascade go.
    fn places_of_transfers(&mut self) {
        let at = InsertPoint::End(self.out.body());
        self.out
            .build(OpKind::MemrefGlobal, Loc::UNKNOWN)
            .attr("sym_name", Attr::str(WORDS))
            .attr("sym_visibility", Attr::str("public"))
            .attr("type", Attr::Type(transfer_buffer()))
            .insert(at);
    }

    fn declare(&mut self, name: &str, ty: FunctionType, visibility: &str) -> Op {
        let at = InsertPoint::End(self.out.body());
        self.out
            .build(OpKind::FuncFunc, Loc::UNKNOWN)
            .attr("sym_name", Attr::str(name))
            .attr("function_type", Attr::Type(Type::Function(ty.into())))
            .attr("sym_visibility", Attr::str(visibility))
            .insert(at)
    }

    /// Copies the body of a core or a function and lowers it.
    fn function(&mut self, name: &str, original: Op, ty: FunctionType) {
        let from = self.from;
        let function = self.declare(name, ty, "public");
        let region = self.out.add_region(function);
        let Some(body) = from.region(original, 0) else {
            return;
        };
        let blocks = from.blocks_of(body).to_vec();
        for block in &blocks {
            let copy = self.out.add_block(region);
            for arg in from.block_args(*block) {
                let new = self.out.add_block_arg(copy, from.ty(*arg).clone());
                self.map.map(*arg, new);
            }
            self.map.map_block(*block, copy);
        }
        let Some(entry) = blocks.first().map(|block| self.map.get_block(*block)) else {
            return;
        };
        for value in outside_values(from, original) {
            if self.outside_value(value, entry).is_none() {
                let user = from.users(value).first().copied().unwrap_or(original);
                self.refuse(user, "it uses a value that isn't one of a core");
                // Copies of its users would name a value of the other module.
                return;
            }
        }
        let mut copies = Vec::new();
        for block in blocks {
            let copy = self.map.get_block(block);
            for op in from.ops_in(block) {
                let at = InsertPoint::End(copy);
                let new = self.out.import_op(from, op, &mut self.map, at);
                copies.extend(from.walk(op).zip(self.out.walk(new)));
            }
        }
        for (old, new) in copies {
            if self.lower(old, new).is_none() {
                let name = from.op_name(old).to_string();
                self.refuse(old, &format!("`{name}` has no form there"));
            }
        }
    }

    fn refuse(&mut self, op: Op, what: &str) {
        self.refused.push((op, what.to_string()));
    }

    /// Makes what stands for a value from outside of the function.
    fn outside_value(&mut self, value: Value, entry: Block) -> Option<()> {
        let from = self.from;
        let def = from.def_op(value)?;
        let at = InsertPoint::Start(entry);
        if let Some(buffer) = Buffer::cast(from, def) {
            let owner = buffer.tile_loc(from)?;
            let window = self.source.model.core_window_to(self.here, owner)?;
            let address = i64::from(window.base) + i64::from(buffer.address(from)?);
            let place = self.place(address, from.ty(value).clone(), at)?;
            self.map.map(value, place);
        } else if let Some(lock) = Lock::cast(from, def) {
            let owner = lock.tile_loc(from)?;
            let window = self.source.model.core_window_to(self.here, owner)?;
            let number = i64::from(window.lock_base) + i64::from(lock.lockID(from)?);
            let number = self.constant(number, Type::Index, at)?;
            self.map.map(value, number);
        } else if let Some(number) = const_int(from, value) {
            let number = self.constant(number, from.ty(value).clone(), at)?;
            self.map.map(value, number);
        } else if from.kind(def) == OpKind::ArithConstant {
            self.out.import_op(from, def, &mut self.map, at);
        } else {
            return None;
        }
        Some(())
    }

    /// A memref at a core-local address.
    pub fn place(&mut self, address: i64, ty: Type, at: InsertPoint) -> Option<Value> {
        let name = format!("{PLACE}{address}.{}", self.places);
        self.places += 1;
        let globals = InsertPoint::Start(self.out.body());
        self.out
            .build(OpKind::MemrefGlobal, Loc::UNKNOWN)
            .attr("sym_name", Attr::str(name.as_str()))
            .attr("sym_visibility", Attr::str("public"))
            .attr("type", Attr::Type(ty.clone()))
            .insert(globals);
        let made = self
            .out
            .build(OpKind::MemrefGetGlobal, Loc::UNKNOWN)
            .attr("name", Attr::symbol(name))
            .result(ty)
            .insert(at);
        self.out.result(made, 0)
    }

    /// An integer of a type.
    pub fn constant(&mut self, value: i64, ty: Type, at: InsertPoint) -> Option<Value> {
        let made = self
            .out
            .build(OpKind::ArithConstant, Loc::UNKNOWN)
            .attr("value", Attr::Int(value, ty.clone()))
            .result(ty)
            .insert(at);
        self.out.result(made, 0)
    }

    pub fn i32(&mut self, value: i64, before: Op) -> Option<Value> {
        self.constant(value, Type::I32, InsertPoint::Before(before))
    }

    /// An operation of one result before another.
    pub fn make(&mut self, name: &str, args: &[Value], ty: Type, before: Op) -> Option<Value> {
        self.make_with(name, args, ty, &[], before)
    }

    /// [`BodyBuilder::make`] with attributes.
    pub fn make_with(
        &mut self,
        name: &str,
        args: &[Value],
        ty: Type,
        attrs: &[(&str, Attr)],
        before: Op,
    ) -> Option<Value> {
        one_result(&mut self.out, name, args, ty, attrs, before)
    }

    /// Calls a function of the host before an operation.
    pub fn host(&mut self, name: &str, args: &[Value], result: Option<Type>, before: Op) -> Op {
        let name = format!("aiec.{name}");
        if self.hosts.insert(name.clone()) {
            let ty = FunctionType {
                inputs: args.iter().map(|arg| self.out.ty(*arg).clone()).collect(),
                results: result.iter().cloned().collect(),
            };
            let function = self.declare(&name, ty, "private");
            self.out.add_region(function);
        }
        let loc = self.out.loc(before);
        self.out
            .build(OpKind::FuncCall, loc)
            .operands(args.iter().copied())
            .attr("callee", Attr::symbol(name))
            .results(result)
            .insert(InsertPoint::Before(before))
    }

    /// [`BodyBuilder::host`] of a function with a result.
    pub fn host_value(&mut self, name: &str, args: &[Value], ty: Type, op: Op) -> Option<Value> {
        let call = self.host(name, args, Some(ty), op);
        self.out.result(call, 0)
    }

    /// Lets a value stand for the only result of an operation, which goes.
    pub fn replace(&mut self, op: Op, with: Value) -> Option<()> {
        let old = self.out.result(op, 0)?;
        self.out.replace_all_uses(old, with);
        self.out.erase(op);
        Some(())
    }
}

/// The memref of [`WORDS`].
pub fn transfer_buffer() -> Type {
    Type::memref([CASCADE_WORDS as i64], Type::I32)
}

/// Values that a function uses and that are defined around it, in the order of their first use.
fn outside_values(module: &Module, function: Op) -> IndexSet<Value> {
    let inside = module.walk(function).filter(|op| *op != function);
    let inside: IndexSet<Op> = inside.collect();
    let used = inside.iter().flat_map(|op| module.operands(*op));
    used.filter(|value| {
        let def = module.def_op(*value);
        def.is_some_and(|def| !inside.contains(&def))
    })
    .collect()
}

/// Makes an operation of one result before another.
pub fn one_result(
    module: &mut Module,
    name: &str,
    args: &[Value],
    ty: Type,
    attrs: &[(&str, Attr)],
    before: Op,
) -> Option<Value> {
    let loc = module.loc(before);
    let mut made = module.build_named(name, loc);
    for (key, value) in attrs {
        made = made.attr(key, value.clone());
    }
    let made = made
        .operands(args.iter().copied())
        .result(ty)
        .insert(InsertPoint::Before(before));
    module.result(made, 0)
}
