//! The program of a core as a module of upstream's operations only: a function without arguments,
//! buffers as external globals, and calls of the intrinsics that the core compilers know for what
//! `aie` operations do (mlir-aie: lib/Dialect/AIE/Transforms/AIECoreToStandard.cpp).

use std::sync::Arc;

use aiec_aie::ir::{
    Attr, Block, DenseElements, FunctionType, InsertPoint, Loc, Module, Op, Type, Value, ValueMap,
};
use aiec_aie::ops::{Buffer, Core, Device, Lock, OpKind, OpView, UseLock, enums::LockAction};
use aiec_device::Arch;
use aiec_diag::{Diag, Diags};

use super::buffer_symbol;
use super::{Contents, NO_LLVM_FORM};

/// Layout of data in the core compilers: the one that mlir-aie's drivers write for AIE-ML and
/// after.
const DATA_LAYOUT: &str = "e-m:e-p:20:32-i1:8:32-i8:8:32-i16:16:32-i32:32:32-f32:32:32-i64:32-\
                           f64:32-a:0:32-n32";

/// The number of "greater, signed" in `arith.cmpi` (mlir: include/mlir/Dialect/Arith/IR/
/// ArithBase.td).
const SIGNED_GREATER: i64 = 4;

/// The bits that a cascade passes at once from AIE-ML on.
const CASCADE_BITS: u64 = 512;

/// One core's program.
pub struct CoreModule {
    /// The function that the core runs.
    pub function: String,
    /// The core compilers' name of the architecture.
    pub target: &'static str,
    /// Holds the function and what it uses.
    pub module: Module,
}

/// The program of a core; what it can't be made of is reported.
pub fn of_core(
    module: &Module,
    device: Device,
    core: Core,
    contents: Contents,
    diags: &mut Diags,
) -> Option<CoreModule> {
    let model = device.model(module)?;
    let here = core.tile_loc(module)?;
    let name = format!("core_{}_{}", here.col, here.row);
    let target = match model.arch() {
        Arch::Aie1 => "aie",
        Arch::Aie2 => "aie2",
        Arch::Aie2p | Arch::Aie2ps => "aie2p",
    };
    let mut out = Module::new();
    let top = out.top();
    out.set_attr(top, "llvm.target_triple", Attr::str(target));
    out.set_attr(top, "llvm.data_layout", Attr::str(DATA_LAYOUT));
    let mut maker = CoreModuleBuilder {
        from: module,
        out,
        target,
        contents,
        map: ValueMap::new(),
        declared: Vec::new(),
    };
    let body = maker.out.body();
    for op in module.ops_in(module.entry(device.op(), 0)?) {
        if matches!(module.kind(op), OpKind::FuncFunc | OpKind::MemrefGlobal) {
            let map = &mut ValueMap::new();
            maker.out.import_op(module, op, map, InsertPoint::End(body));
        }
    }
    let function = maker.function(&name, FunctionType::default(), "public");
    let region = maker.out.add_region(function);
    let prologue = maker.out.add_block(region);
    let blocks = module.blocks_of(module.region(core.op(), 0)?);
    for (n, block) in blocks.iter().enumerate() {
        let copy = if n == 0 {
            prologue
        } else {
            maker.out.add_block(region)
        };
        maker.map.map_block(*block, copy);
        for arg in module.block_args(*block) {
            let stand_in = maker.out.add_block_arg(copy, module.ty(*arg).clone());
            maker.map.map(*arg, stand_in);
        }
    }
    let outside = outside_values(module, core);
    for value in outside {
        if !maker.outside_value(value, prologue, model, here) {
            let user = module.users(value).first().copied().unwrap_or(core.op());
            refuse(
                module.span(user),
                "this value is not one that a core has",
                diags,
            );
            return None;
        }
    }
    for block in module.definition_order(blocks) {
        let copy = maker.map.get_block(block);
        for op in module.ops_in(block) {
            let map = &mut maker.map;
            maker.out.import_op(module, op, map, InsertPoint::End(copy));
        }
    }
    let done = maker.lower_all(diags);
    done.then_some(CoreModule {
        function: name,
        target,
        module: maker.out,
    })
}

/// The contents of a buffer as upstream's globals have them: objects of fifos may begin as values
/// of memref type, for which upstream has no elements.
fn as_tensor(contents: Attr) -> Attr {
    let Attr::Dense(dense) = &contents else {
        return contents;
    };
    let Type::MemRef(memref) = &dense.ty else {
        return contents;
    };
    Attr::Dense(Arc::new(DenseElements {
        ty: memref.contents(),
        ..DenseElements::clone(dense)
    }))
}

fn refuse(span: Option<aiec_diag::Span>, what: &str, diags: &mut Diags) {
    let message = format!("a core can't be written as LLVM IR: {what}");
    let diag = Diag::error(&NO_LLVM_FORM, message).label(span, "here");
    diags.push(diag.help("`aiec explain mlir::no-llvm-form` says what can"));
}

/// Values that a core uses and that are defined around it, in the order of their first use.
fn outside_values(module: &Module, core: Core) -> Vec<Value> {
    let mut list = Vec::new();
    for op in module.walk(core.op()).filter(|op| *op != core.op()) {
        for value in module.operands(op) {
            let Some(def) = module.def_op(value) else {
                continue;
            };
            let inside = module.ancestor(def, OpKind::Core) == Some(core.op());
            if !inside && !list.contains(&value) {
                list.push(value);
            }
        }
    }
    list
}

struct CoreModuleBuilder<'m> {
    from: &'m Module,
    out: Module,
    /// The core compilers' name of the architecture.
    target: &'static str,
    contents: Contents,
    map: ValueMap,
    declared: Vec<String>,
}

impl CoreModuleBuilder<'_> {
    fn function(&mut self, name: &str, ty: FunctionType, visibility: &str) -> Op {
        let at = InsertPoint::End(self.out.body());
        self.out
            .build(OpKind::FuncFunc, Loc::UNKNOWN)
            .attr("sym_name", Attr::str(name))
            .attr("function_type", Attr::Type(Type::Function(ty.into())))
            .attr("sym_visibility", Attr::str(visibility))
            .insert(at)
    }

    /// Makes the counterpart of a value from outside of the core; returns whether it has one.
    fn outside_value(
        &mut self,
        value: Value,
        at: Block,
        model: &aiec_device::DeviceModel,
        here: aiec_device::TileLoc,
    ) -> bool {
        let from = self.from;
        let Some(def) = from.def_op(value) else {
            return false;
        };
        let at = InsertPoint::End(at);
        let made = if let Some(buffer) = Buffer::cast(from, def) {
            let ty = from.ty(value).clone();
            let name = buffer_symbol(from, buffer);
            let globals = InsertPoint::Start(self.out.body());
            // The core whose tile has the buffer brings its contents.
            let own = self.contents == Contents::Own && buffer.tile_loc(from) == Some(here);
            let initial = buffer.initial_value(from).filter(|_| own);
            let initial = initial.map(as_tensor);
            self.out
                .build(OpKind::MemrefGlobal, Loc::UNKNOWN)
                .attr("sym_name", Attr::str(name.as_str()))
                .attr("sym_visibility", Attr::str("public"))
                .attr("type", Attr::Type(ty.clone()))
                .attr_opt("initial_value", initial)
                .insert(globals);
            self.out
                .build(OpKind::MemrefGetGlobal, Loc::UNKNOWN)
                .attr("name", Attr::symbol(name))
                .result(ty)
                .insert(at)
        } else if let Some(lock) = Lock::cast(from, def) {
            let there = lock.tile_loc(from);
            let window = there.and_then(|there| model.core_window_to(here, there));
            let (Some(window), Some(id)) = (window, lock.lockID(from)) else {
                return false;
            };
            let number = i64::from(window.lock_base) + i64::from(id);
            self.constant(Attr::Int(number, Type::Index), Type::Index, at)
        } else if from.kind(def) == OpKind::ArithConstant {
            self.out.import_op(from, def, &mut self.map, at)
        } else {
            return false;
        };
        match self.out.result(made, 0) {
            Some(copy) => self.map.map(value, copy),
            None => return false,
        }
        true
    }

    fn constant(&mut self, value: Attr, ty: Type, at: InsertPoint) -> Op {
        self.out
            .build(OpKind::ArithConstant, Loc::UNKNOWN)
            .attr("value", value)
            .result(ty)
            .insert(at)
    }

    fn i32(&mut self, value: i32, before: Op) -> Option<Value> {
        let op = self.constant(Attr::i32(value), Type::I32, InsertPoint::Before(before));
        self.out.result(op, 0)
    }

    /// A region before an operation that is run if a value is greater than another; its end.
    fn if_greater(&mut self, value: Value, than: Value, before: Op) -> Option<Op> {
        let compare = self
            .out
            .build(OpKind::ArithCmpI, Loc::UNKNOWN)
            .operands([value, than])
            .attr("predicate", Attr::i64(SIGNED_GREATER))
            .result(Type::I1)
            .insert(InsertPoint::Before(before));
        let greater = self.out.result(compare, 0)?;
        let choice = self
            .out
            .build(OpKind::ScfIf, Loc::UNKNOWN)
            .operand(greater)
            .insert(InsertPoint::Before(before));
        let [then, _] = [(); 2].map(|()| self.out.add_region(choice));
        let block = self.out.add_block(then);
        let end = self.out.build(OpKind::ScfYield, Loc::UNKNOWN);
        Some(end.insert(InsertPoint::End(block)))
    }

    /// A value as another type of the same bits.
    fn bits(&mut self, value: Value, ty: Type, before: Op) -> Option<Value> {
        if *self.out.ty(value) == ty {
            return Some(value);
        }
        let kind = match ty {
            Type::Vector(_) => OpKind::VectorBitcast,
            _ => OpKind::ArithBitcast,
        };
        let op = self
            .out
            .build(kind, Loc::UNKNOWN)
            .operand(value)
            .result(ty)
            .insert(InsertPoint::Before(before));
        self.out.result(op, 0)
    }

    /// Calls an intrinsic of the architecture before an operation.
    fn call(&mut self, name: &str, args: &[Value], results: &[Type], before: Op) -> Op {
        if !self.declared.iter().any(|known| known == name) {
            let inputs = args.iter().map(|arg| self.out.ty(*arg).clone()).collect();
            let ty = FunctionType {
                inputs,
                results: results.to_vec(),
            };
            let function = self.function(name, ty, "private");
            self.out.add_region(function);
            self.declared.push(name.to_string());
        }
        let loc = self.out.loc(before);
        self.out
            .build(OpKind::FuncCall, loc)
            .operands(args.iter().copied())
            .attr("callee", Attr::symbol(name))
            .results(results.iter().cloned())
            .insert(InsertPoint::Before(before))
    }

    fn intrinsic(&self, name: &str) -> String {
        format!("llvm.{}.{name}", self.target)
    }

    /// Replaces all operations of our dialects; whether it was possible.
    fn lower_all(&mut self, diags: &mut Diags) -> bool {
        let ops: Vec<Op> = self.out.walk(self.out.top()).collect();
        let mut done = true;
        for op in ops {
            if !self.out.op_name(op).starts_with("aie") {
                continue;
            }
            if self.lower(op).is_some() {
                self.out.erase(op);
            } else {
                let what = format!("`{}` has no intrinsic", self.out.op_name(op));
                refuse(self.out.span(op), &what, diags);
                done = false;
            }
        }
        done
    }

    fn lower(&mut self, op: Op) -> Option<()> {
        let aie1 = self.target == "aie";
        let operand = |maker: &Self, n| maker.out.operand(op, n);
        match self.out.kind(op) {
            OpKind::End => {
                let loc = self.out.loc(op);
                self.out
                    .build(OpKind::FuncReturn, loc)
                    .insert(InsertPoint::Before(op));
            }
            OpKind::UseLock => {
                let action = UseLock(op).action(&self.out);
                let number = operand(self, 0)?;
                let lock = self
                    .out
                    .build(OpKind::ArithIndexCast, Loc::UNKNOWN)
                    .operand(number)
                    .result(Type::I32)
                    .insert(InsertPoint::Before(op));
                let lock = self.out.result(lock, 0)?;
                let mut value = operand(self, 1)?;
                let mut at = op;
                // "At least" is a negative value; of nothing there is always enough, while
                // a 0 would mean "exactly 0".
                if action == LockAction::AcquireGreaterEqual {
                    let zero = self.i32(0, op)?;
                    at = self.if_greater(value, zero, op)?;
                    let less = self
                        .out
                        .build(OpKind::ArithSubI, Loc::UNKNOWN)
                        .operands([zero, value])
                        .result(Type::I32)
                        .insert(InsertPoint::Before(at));
                    value = self.out.result(less, 0)?;
                }
                let what = match (action, aie1) {
                    (LockAction::Release, true) => "lock.release.reg",
                    (_, true) => "lock.acquire.reg",
                    (LockAction::Release, false) => "release",
                    (_, false) => "acquire",
                };
                self.call(&self.intrinsic(what), &[lock, value], &[], at);
            }
            OpKind::Event => {
                let event = self.out.int_attr(op, "val")? as i32;
                if aie1 {
                    self.call(&self.intrinsic(&format!("event{event}")), &[], &[], op);
                } else {
                    let event = self.i32(event, op)?;
                    self.call(&self.intrinsic("event"), &[event], &[], op);
                }
            }
            OpKind::PutStream if !aie1 => {
                let value = self.word(operand(self, 1)?, op)?;
                let last = self.i32(0, op)?;
                self.call(&self.intrinsic("put.ms"), &[value, last], &[], op);
            }
            OpKind::GetStream if !aie1 => {
                let results = [Type::I32, Type::I32];
                let call = self.call(&self.intrinsic("get.ss"), &[], &results, op);
                self.answer(op, call)?;
            }
            OpKind::PutCascade if !aie1 => {
                let value = operand(self, 0)?;
                is_cascade(self.out.ty(value)).then_some(())?;
                let value = self.bits(value, Type::vector([16], Type::I32), op)?;
                let enable = self.i32(1, op)?;
                self.call(&self.intrinsic("mcd.write.vec"), &[value, enable], &[], op);
            }
            OpKind::GetCascade if !aie1 => {
                is_cascade(self.out.ty(self.out.result(op, 0)?)).then_some(())?;
                let enable = self.i32(1, op)?;
                let results = [Type::vector([16], Type::I32)];
                let call = self.call(&self.intrinsic("scd.read.vec"), &[enable], &results, op);
                self.answer(op, call)?;
            }
            OpKind::Debug => {
                let value = self.word(operand(self, 0)?, op)?;
                self.call("debug_i32", &[value], &[], op);
            }
            _ => return None,
        }
        Some(())
    }

    /// A 32-bit value as `i32`.
    fn word(&mut self, value: Value, before: Op) -> Option<Value> {
        (self.out.ty(value).bit_width() == Some(32)).then_some(())?;
        self.bits(value, Type::I32, before)
    }

    /// Lets the first result of a call stand for an operation's.
    fn answer(&mut self, op: Op, call: Op) -> Option<()> {
        let old = self.out.result(op, 0)?;
        let ty = self.out.ty(old).clone();
        let new = self.out.result(call, 0)?;
        let new = self.bits(new, ty, op)?;
        self.out.replace_all_uses(old, new);
        Some(())
    }
}

fn is_cascade(ty: &Type) -> bool {
    ty.as_vector().is_some() && ty.elem_bytes() == Some(CASCADE_BITS / 8)
}
