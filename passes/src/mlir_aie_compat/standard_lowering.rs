//! `aie-standard-lowering`: cores as functions of the standard dialects, for compilers of core
//! programs that read LLVM IR (`mlir-aie: lib/Dialect/AIE/Transforms/AIECoreToStandard.cpp`).
//!
//! A core becomes `@core_COL_ROW`, a buffer a `memref.global` of its name, and what only the
//! hardware has (locks, streams, cascades, events) a call of the intrinsic that `llvm-aie` has for
//! it. What else the device holds is dropped. `aiec` compiles cores itself; this pass is for users
//! who take them to other tools.

use aiec_aie::ir::{Attr, InsertPoint, Loc, Module, Op, Type, Value};
use aiec_aie::ops::enums::LockAction;
use aiec_aie::ops::{
    ArithConstant, ArithIndexCast, ArithSubI, Buffer, Core, Device, Event, FuncCall, FuncFunc,
    FuncReturn, GetStream, MemrefAssumeAlignment, MemrefGetGlobal, MemrefGlobal, OpKind, OpView,
    PutCascade, PutStream, UseLock, VectorBitcast,
};
use aiec_device::{Arch, TileLoc};
use aiec_diag::{Diag, Reported, codes};

use crate::infra::pass::{OptionDef, Options, PassContext, PassDef, pass_options};

codes! {
    /// Codes of `aie-standard-lowering`.
    pub static CODES;
    NO_INTRINSICS = "standard::no-intrinsics",
        "Cores become functions that call the intrinsics of `llvm-aie`, which there are for AIE, AIE2 \
         and AIE2P. The file must hold one device of these generations, or the option `device` name \
         one.";
    NO_FORM = "standard::no-form",
        "An operation of a core has no intrinsic of its type in `llvm-aie`: streams take i32, on AIE \
         i128 and f32 too; cascades take a whole word of the port.";
}

/// The pass.
pub static PASS: PassDef = PassDef::of_module("aie-standard-lowering", |module, context| {
    run(module, &context.options()?, context)
})
.summary("Make functions of cores that call the intrinsics of llvm-aie")
.postconditions(&[
    "no aie.device is left",
    "cores are functions `@core_COL_ROW`, buffers globals",
])
.options(<StandardOptions as Options>::DEFS);

pass_options! {
    /// Options of `aie-standard-lowering`.
    pub(crate) struct StandardOptions {
        /// Symbol of the device; empty for the only one.
        pub(crate) device: String = OptionDef::text(
            "device",
            "",
            "the symbol of the device, if the file holds several",
        ),
        /// Column of the only core to lower, -1 for all.
        pub(crate) tilecol: i64 = OptionDef::number(
            "tilecol",
            "-1",
            "the column of the only core to lower; -1 for all",
        ),
        /// Row of the only core to lower, -1 for all.
        pub(crate) tilerow: i64 = OptionDef::number(
            "tilerow",
            "-1",
            "the row of the only core to lower; -1 for all",
        ),
    }
}

/// `aiex-standard-lowering`: removes what sequences do, for compilers of cores.
pub static SEQUENCES: PassDef = PassDef::of_module("aiex-standard-lowering", remove_npu_ops)
    .summary("Remove the operations of runtime sequences, which compilers of cores don't read")
    .postconditions(&["no operation of aiex.npu is left"]);

/// Bytes at which a buffer may be taken to begin, as mlir-aie says of all of them.
const BUFFER_ALIGNMENT: i32 = 32;
/// Bits of the cascade port (AM009: 384; AM020: 512, as 16 words).
const AIE1_CASCADE: u32 = 384;
const CASCADE_WORDS: i64 = 16;

/// Registers and values of `set.ctrl.reg` (`llvm-aie`: `crSat`, `crRnd`; aie-api `rounding_mode`).
const SATURATION_REGISTER: i32 = 9;
const ROUNDING_REGISTER: i32 = 6;
const ROUNDING_REGISTER_AIE2P: i32 = 1;
const SATURATE: i32 = 1;
const FLOOR: i32 = 0;
const POSITIVE_INFINITY: i32 = 9;
const TO_EVEN: i32 = 12;

/// The intrinsics of a generation: names begin with `llvm.PREFIX`.
struct Intrinsics {
    prefix: &'static str,
    arch: Arch,
}

impl Intrinsics {
    fn of(arch: Arch) -> Option<Intrinsics> {
        let prefix = match arch {
            Arch::Aie1 => "aie",
            Arch::Aie2 => "aie2",
            Arch::Aie2p => "aie2p",
            Arch::Aie2ps => return None,
        };
        Some(Intrinsics { prefix, arch })
    }

    /// Names after the prefix with the types of arguments and results.
    fn list(&self) -> Vec<(String, Vec<Type>, Vec<Type>)> {
        let (word, wide) = (Type::I32, Type::int(128));
        let cascade = self.cascade();
        let one = || vec![word.clone()];
        let two = || vec![word.clone(), word.clone()];
        let list: Vec<(&str, Vec<Type>, Vec<Type>)> = match self.arch {
            Arch::Aie1 => vec![
                ("event0", vec![], vec![]),
                ("event1", vec![], vec![]),
                ("put.ms", two(), vec![]),
                ("put.wms", vec![word.clone(), wide.clone()], vec![]),
                ("put.fms", vec![word.clone(), Type::F32], vec![]),
                ("get.ss", one(), one()),
                ("get.wss", one(), vec![wide]),
                ("get.fss", one(), vec![Type::F32]),
                ("put.mcd", vec![cascade.clone()], vec![]),
                ("get.scd", vec![], vec![cascade]),
                ("lock.acquire.reg", two(), vec![]),
                ("lock.release.reg", two(), vec![]),
            ],
            _ => vec![
                ("event", one(), vec![]),
                ("put.ms", two(), vec![]),
                ("get.ss", vec![], two()),
                ("mcd.write.vec", vec![cascade.clone(), word.clone()], vec![]),
                ("scd.read.vec", one(), vec![cascade]),
                ("acquire", two(), vec![]),
                ("release", two(), vec![]),
                ("set.ctrl.reg", two(), vec![]),
            ],
        };
        let named = list.into_iter().map(|(name, i, o)| (self.name(name), i, o));
        std::iter::once(("debug_i32".to_string(), one(), Vec::new()))
            .chain(named)
            .collect()
    }

    fn name(&self, name: &str) -> String {
        format!("llvm.{}.{name}", self.prefix)
    }

    /// Type of one cascade transfer.
    fn cascade(&self) -> Type {
        match self.arch {
            Arch::Aie1 => Type::int(AIE1_CASCADE),
            _ => Type::vector([CASCADE_WORDS], Type::I32),
        }
    }
}

fn run(
    module: &mut Module,
    options: &StandardOptions,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let (device, intrinsics) = device(module, &options.device, context)?;
    let (col, row) = (options.tilecol, options.tilerow);
    let wanted = |loc: TileLoc| {
        (col < 0 || col == i64::from(loc.col)) && (row < 0 || row == i64::from(loc.row))
    };
    let top = module.top();
    let Some(body) = module.entry(top, 0) else {
        return Ok(());
    };
    let triple = Attr::Str(intrinsics.prefix.into());
    module.set_attr(top, "llvm.target_triple", triple);
    let loc = module.loc(device.op());
    for (name, inputs, results) in intrinsics.list().into_iter().rev() {
        let ty = Type::function(inputs, results);
        FuncFunc::build(module, loc, name.as_str(), ty)
            .sym_visibility("private")
            .region()
            .insert(InsertPoint::Start(body));
    }
    let lowering = Lowering {
        intrinsics,
        pass: context.pass,
    };
    for parent in [OpKind::Core, OpKind::FuncFunc] {
        for holder in module.find(device.op(), parent) {
            for op in module.walk(holder).collect::<Vec<_>>() {
                if let Err(diag) = lowering.intrinsic(module, op) {
                    context.report(*diag);
                }
            }
        }
    }
    context.diags.check()?;
    for buffer in module.find_all::<Buffer>(device.op()) {
        let owned = buffer.tile_loc(module).is_some_and(wanted);
        lowering.global(module, buffer, InsertPoint::Start(body), owned);
    }
    for core in module.children::<Core>(device.op()) {
        if let Some(loc) = core.tile_loc(module).filter(|loc| wanted(*loc)) {
            lowering.function(module, core, loc, InsertPoint::After(device.op()));
            context.count("cores", 1);
        }
    }
    for kind in [OpKind::MemrefGlobal, OpKind::FuncFunc] {
        for op in module.find(device.op(), kind) {
            module.move_to(op, InsertPoint::Before(device.op()));
        }
    }
    for device in module.children::<Device>(top) {
        module.erase(device.op());
    }
    Ok(())
}

/// The device to lower, and what its generation has.
fn device(
    module: &Module,
    name: &str,
    context: &mut PassContext<'_>,
) -> Result<(Device, Intrinsics), Reported> {
    let devices = module.children::<Device>(module.top());
    let mut found = devices
        .iter()
        .filter(|device| name.is_empty() || *device.name(module) == *name);
    let only = found.next().copied().filter(|_| found.next().is_none());
    let model = only.and_then(|device| Some((device, device.model(module)?)));
    let known = model.and_then(|(device, model)| Some((device, Intrinsics::of(model.arch())?)));
    known.ok_or_else(|| {
        let (message, span) = match model {
            Some((device, model)) => (
                format!("`llvm-aie` has no intrinsics for {}", model.arch().name()),
                module.span(device.op()),
            ),
            None => (
                format!("there are {} devices to choose from", devices.len()),
                module.span(module.top()),
            ),
        };
        let diag = Diag::error(&NO_INTRINSICS, message)
            .label(span, "here")
            .help("name a device of AIE, AIE2 or AIE2P by `device=SYMBOL`");
        context.fail(diag)
    })
}

struct Lowering {
    intrinsics: Intrinsics,
    pass: &'static str,
}

impl Lowering {
    /// Replaces an operation that only the hardware has by a call.
    fn intrinsic(&self, m: &mut Module, op: Op) -> Result<(), Box<Diag>> {
        let loc = m.derived_loc(self.pass, op);
        let at = InsertPoint::Before(op);
        let aie1 = self.intrinsics.arch == Arch::Aie1;
        match m.kind(op) {
            OpKind::Debug => {
                let args = m.operands(op).collect();
                self.call(m, loc, op, "debug_i32", args, &[]);
            }
            OpKind::Event => {
                let value = Event(op).val(m);
                let (name, args) = if aie1 {
                    (format!("event{value}"), Vec::new())
                } else {
                    ("event".into(), vec![ArithConstant::i32(m, loc, value, at)])
                };
                self.call(m, loc, op, &self.intrinsics.name(&name), args, &[]);
            }
            OpKind::PutStream => {
                let stream = PutStream(op);
                let (Some(channel), Some(value)) = (stream.channel(m), stream.stream_value(m))
                else {
                    return Ok(());
                };
                let name = format!("put.{}ms", self.stream_width(m, op, value)?);
                let args = if aie1 {
                    vec![channel, value]
                } else {
                    vec![value, ArithConstant::i32(m, loc, 0, at)]
                };
                self.call(m, loc, op, &self.intrinsics.name(&name), args, &[]);
            }
            OpKind::GetStream => {
                let Some(result) = m.result(op, 0) else {
                    return Ok(());
                };
                let name = format!("get.{}ss", self.stream_width(m, op, result)?);
                let ty = m.ty(result).clone();
                let (args, types) = if aie1 {
                    (GetStream(op).channel(m).into_iter().collect(), vec![ty])
                } else {
                    (Vec::new(), vec![ty.clone(), ty])
                };
                self.call(m, loc, op, &self.intrinsics.name(&name), args, &types);
            }
            OpKind::PutCascade => {
                let Some(value) = PutCascade(op).cascade_value(m) else {
                    return Ok(());
                };
                let value = self.cast(m, (loc, op), value, self.intrinsics.cascade())?;
                let (name, args) = if aie1 {
                    ("put.mcd", vec![value])
                } else {
                    (
                        "mcd.write.vec",
                        vec![value, ArithConstant::i32(m, loc, 1, at)],
                    )
                };
                self.call(m, loc, op, &self.intrinsics.name(name), args, &[]);
            }
            OpKind::GetCascade => self.get_cascade(m, loc, op)?,
            OpKind::UseLock => self.use_lock(m, loc, UseLock(op)),
            _ => {}
        }
        Ok(())
    }

    fn get_cascade(&self, m: &mut Module, loc: Loc, op: Op) -> Result<(), Box<Diag>> {
        let Some(result) = m.result(op, 0) else {
            return Ok(());
        };
        let at = InsertPoint::Before(op);
        let (name, args) = match self.intrinsics.arch {
            Arch::Aie1 => ("get.scd", Vec::new()),
            _ => ("scd.read.vec", vec![ArithConstant::i32(m, loc, 1, at)]),
        };
        let name = self.intrinsics.name(name);
        let ty = m.ty(result).clone();
        let value = FuncCall::build(m, loc, name.as_str())
            .operands(args)
            .insert_value(self.intrinsics.cascade(), at);
        let value = self.cast(m, (loc, op), value, ty)?;
        m.replace_all_uses(result, value);
        m.erase(op);
        Ok(())
    }

    fn use_lock(&self, m: &mut Module, loc: Loc, lock: UseLock) {
        let at = InsertPoint::Before(lock.op());
        let (Some(handle), Some(mut value)) = (lock.lock(m), lock.value(m)) else {
            return;
        };
        let number = ArithIndexCast::build(m, loc, handle).insert_value(Type::I32, at);
        let action = lock.action(m);
        if action == LockAction::AcquireGreaterEqual {
            // the instruction takes the amount with the other sign
            let zero = ArithConstant::i32(m, loc, 0, at);
            value = ArithSubI::build(m, loc, zero, value).insert_value(Type::I32, at);
        }
        let name = match (self.intrinsics.arch, action) {
            (Arch::Aie1, LockAction::Release) => "lock.release.reg",
            (Arch::Aie1, _) => "lock.acquire.reg",
            (_, LockAction::Release) => "release",
            (_, _) => "acquire",
        };
        let name = self.intrinsics.name(name);
        self.call(m, loc, lock.op(), &name, vec![number, value], &[]);
    }

    /// Puts a call in the place of an operation; its first result becomes the call's.
    fn call(&self, m: &mut Module, loc: Loc, op: Op, name: &str, args: Vec<Value>, types: &[Type]) {
        let call = FuncCall::build(m, loc, name)
            .operands(args)
            .results(types.iter().cloned())
            .insert(InsertPoint::Before(op));
        if let (Some(old), Some(new)) = (m.result(op, 0), m.result(call, 0)) {
            m.replace_all_uses(old, new);
        }
        m.erase(op);
    }

    /// The letter for the type that goes over a stream.
    fn stream_width(&self, m: &Module, op: Op, value: Value) -> Result<&'static str, Box<Diag>> {
        match (m.ty(value), self.intrinsics.arch) {
            (ty, _) if *ty == Type::I32 => Ok(""),
            (ty, Arch::Aie1) if *ty == Type::int(128) => Ok("w"),
            (ty, Arch::Aie1) if *ty == Type::F32 => Ok("f"),
            (ty, _) => Err(no_form(m, op, ty)),
        }
    }

    /// The bits of a value as another type.
    fn cast(
        &self,
        m: &mut Module,
        (loc, op): (Loc, Op),
        value: Value,
        to: Type,
    ) -> Result<Value, Box<Diag>> {
        let from = m.ty(value).clone();
        if from == to {
            return Ok(value);
        }
        let bits = |ty: &Type| {
            let vector = ty.as_vector()?;
            let count: i64 = vector.shape.iter().product();
            count.checked_mul(i64::from(vector.elem.bit_width()?))
        };
        if bits(&from).is_none() || bits(&from) != bits(&to) {
            let ty = if m.result(op, 0).is_some() {
                &to
            } else {
                &from
            };
            return Err(no_form(m, op, ty));
        }
        let at = InsertPoint::Before(op);
        Ok(VectorBitcast::build(m, loc, value).insert_value(to, at))
    }

    /// A buffer as a global, which cores and functions take by name.
    fn global(&self, m: &mut Module, buffer: Buffer, at: InsertPoint, owned: bool) {
        let op = buffer.op();
        let (Some(handle), Some(name)) = (m.result(op, 0), buffer.sym_name(m)) else {
            return;
        };
        let name = name.to_string();
        let ty = m.ty(handle).clone();
        let loc = m.derived_loc(self.pass, op);
        // The data are in the file of the core whose memory it is.
        let value = buffer.initial_value(m).filter(|_| owned);
        MemrefGlobal::build(m, loc, name.as_str())
            .sym_visibility("public")
            .attr("type", Attr::Type(ty.clone()))
            .attr_opt("initial_value", value)
            .insert(at);
        for (user, n) in m.uses(handle) {
            if m.ancestor(user, OpKind::Core).is_none()
                && m.ancestor(user, OpKind::FuncFunc).is_none()
            {
                continue;
            }
            let at = InsertPoint::Before(user);
            let value = MemrefGetGlobal::build(m, loc, name.as_str()).insert_value(ty.clone(), at);
            MemrefAssumeAlignment::build(m, loc, value, BUFFER_ALIGNMENT)
                .result(ty.clone())
                .insert(at);
            m.set_operand(user, n, value);
        }
    }

    /// A core as a function.
    fn function(&self, m: &mut Module, core: Core, tile: TileLoc, at: InsertPoint) {
        let loc = m.derived_loc(self.pass, core.op());
        let name = format!("core_{}_{}", tile.col, tile.row);
        let ty = Type::function(Vec::new(), Vec::new());
        let function = FuncFunc::build(m, loc, name.as_str(), ty)
            .region()
            .insert(at);
        let (Some(from), Some(to)) = (m.region(core.op(), 0), m.region(function, 0)) else {
            return;
        };
        for block in m.blocks_of(from).to_vec() {
            m.move_block_to_end(block, to);
        }
        for end in m.find(function, OpKind::End) {
            let loc = m.loc(end);
            FuncReturn::build(m, loc).insert(InsertPoint::Before(end));
            m.erase(end);
        }
        self.set_modes(m, loc, function);
    }

    /// Saturation and rounding, if the core shifts down accumulators or multiplies matrices of bf16.
    fn set_modes(&self, m: &mut Module, loc: Loc, function: Op) {
        let element = |value: Option<Value>| Some(m.ty(value?).as_vector()?.elem.clone());
        let (mut shifts, mut whole, mut bf16) = (false, false, false);
        for op in m.walk(function) {
            match m.op_name(op) {
                "aievec.srs" => {
                    shifts = true;
                    let elem = element(m.result(op, 0));
                    whole |= elem.is_some_and(|elem| matches!(elem, Type::Int { .. }));
                }
                "aievec.matmul" | "aievec.matmul_aie2p" => {
                    bf16 |= element(m.operand(op, 0)) == Some(Type::BF16);
                }
                _ => {}
            }
        }
        let rounding_register = match self.intrinsics.arch {
            Arch::Aie1 => return,
            Arch::Aie2p => ROUNDING_REGISTER_AIE2P,
            _ => ROUNDING_REGISTER,
        };
        let first = m.entry(function, 0).and_then(|entry| m.first_op(entry));
        let Some(first) = first.filter(|_| shifts || bf16) else {
            return;
        };
        let rounding = match (bf16, whole) {
            (true, _) => TO_EVEN,
            (false, true) => POSITIVE_INFINITY,
            (false, false) => FLOOR,
        };
        let name = self.intrinsics.name("set.ctrl.reg");
        let at = InsertPoint::Before(first);
        for (register, value) in [
            (SATURATION_REGISTER, SATURATE),
            (rounding_register, rounding),
        ] {
            let register = ArithConstant::i32(m, loc, register, at);
            let value = ArithConstant::i32(m, loc, value, at);
            FuncCall::build(m, loc, name.as_str())
                .operands([register, value])
                .insert(at);
        }
    }
}

fn no_form(m: &Module, op: Op, ty: &Type) -> Box<Diag> {
    let message = format!("`{}` of {ty} has no intrinsic", m.op_name(op));
    let diag = Diag::error(&NO_FORM, message)
        .label(m.span(op), "this operation")
        .help("move values of the types that the intrinsics have");
    Box::new(diag)
}

fn remove_npu_ops(module: &mut Module, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let all: Vec<Op> = module.walk(module.top()).collect();
    for op in all {
        if module.is_live(op) && module.op_name(op).starts_with("aiex.npu.") {
            module.erase(op);
            context.count("operations", 1);
        }
    }
    Ok(())
}
