//! Compiled cores stay in the memory that a core sees, and do nothing undefined.
//!
//! Upstream's passes leave a core as operations of the `llvm` dialect. There is no other operation
//! between here and machine code, so that this is the place where each is looked at:
//!
//! * Pointers are core-local addresses. Each access first asks `aiec.at` where that is on the
//!   host, which stops the core if there is no memory ([`prelude`]). Only what upstream put onto the
//!   stack itself is used as it is.
//! * What LLVM leaves undefined gets the meaning that it has in the built-in engine: shifts by more
//!   than there are bits, integers that are too small for a float, lanes that a vector doesn't have,
//!   division by zero. Promises of the program (`nsw`, `inbounds` and their like), from which LLVM
//!   could conclude that a check isn't needed, are dropped.
//! * Time passes: a block counts its cycles when it begins, and before each call of the host. That
//!   also brings a core that never waits to where it can be stopped.
//! * An operation that isn't known to be harmless ([`super::allowed`]) is refused.

use std::sync::Arc;

use aiec_aie::ir::{Attr, Block, DenseElements, InsertPoint, Module, Op, Type, Value};
use aiec_aie::text::parse::PROPERTIES;
use aiec_sim::core::{Costs, FIRST_WINDOW};

use super::allowed::{NotAllowed, OURS, bytes, constant, cost, elem, lanes, with_elem};
use super::body::{ENTRY, PLACE, one_result};
use super::host::host_function;

/// What compiled cores share, for windows of a size.
pub fn prelude(window_bits: u32) -> String {
    let numbers = [
        ("FIRST_ADDRESS", FIRST_WINDOW << window_bits),
        ("WINDOW_BITS", window_bits.into()),
        ("WINDOW_MASK", (1 << window_bits) - 1),
    ];
    numbers.iter().fold(
        include_str!("prelude.mlir").to_string(),
        |text, (name, n)| text.replace(name, &n.to_string()),
    )
}

/// Functions of the prelude that have bodies.
const PRELUDE: [&str; 4] = ["aiec.at", "aiec.tick", "aiec.divisor", "aiec.lane"];

/// Attributes by which an operation promises something.
const PROMISES: [&str; 5] = [
    "fastmathFlags",
    "isExact",
    "isDisjoint",
    "nonNeg",
    "dereferenceable",
];

/// Rewrites the functions of a module of the `llvm` dialect.
///
/// # Errors
/// An operation that can't be allowed.
pub fn confine(module: &mut Module, costs: &Costs) -> Result<(), NotAllowed> {
    unfold(module);
    let top = module.ops_in(module.body());
    let functions: Vec<Op> = top
        .into_iter()
        .filter(|op| module.op_name(*op) == "llvm.func" && module.entry(*op, 0).is_some())
        .filter(|op| {
            !PRELUDE
                .iter()
                .any(|name| module.str_attr(*op, "sym_name") == Some(name))
        })
        .collect();
    let own: Vec<String> = functions
        .iter()
        .filter_map(|op| Some(module.str_attr(*op, "sym_name")?.to_string()))
        .collect();
    if !own.iter().any(|name| name == ENTRY) {
        return Err(NotAllowed::NoEntry);
    }
    // The places are addresses from here on, and the prelude has the others.
    for op in module.ops_in(module.body()) {
        let name = module.str_attr(op, "sym_name").unwrap_or_default();
        if module.op_name(op) == "llvm.mlir.global" && name.starts_with(OURS) {
            module.erase(op);
        }
    }
    let mut sandbox = Sandbox { m: module, costs };
    for function in functions {
        let Some(region) = sandbox.m.region(function, 0) else {
            continue;
        };
        for block in sandbox.m.blocks_of(region).to_vec() {
            sandbox.block(block)?;
        }
    }
    fold(module);
    Ok(())
}

/// Makes properties attributes. What upstream noted besides is dropped: hints for passes that have
/// run, or for LLVM.
fn unfold(module: &mut Module) {
    for op in module.walk(module.top()).collect::<Vec<_>>() {
        let keys: Vec<String> = module.attrs(op).map(|(key, _)| key.to_string()).collect();
        for key in keys {
            match module.remove_attr(op, &key) {
                Some(Attr::Dict(entries)) if key == PROPERTIES => {
                    for (key, value) in entries.iter() {
                        module.set_attr(op, key, value.clone());
                    }
                }
                // Operations of our own table have no others.
                Some(value) if module.kind(op).def().is_some() => {
                    module.set_attr(op, &key, value);
                }
                _ => {}
            }
        }
    }
}

/// Makes attributes properties again.
fn fold(module: &mut Module) {
    for op in module.walk(module.top()).collect::<Vec<_>>() {
        if module.kind(op).def().is_some() {
            continue;
        }
        let attrs = module.attrs(op);
        let entries: Vec<(Arc<str>, Attr)> = attrs.map(|(k, v)| (k.into(), v.clone())).collect();
        for (key, _) in &entries {
            module.remove_attr(op, key);
        }
        if !entries.is_empty() {
            module.set_attr(op, PROPERTIES, Attr::Dict(entries.into()));
        }
    }
}

struct Sandbox<'m> {
    m: &'m mut Module,
    costs: &'m Costs,
}

impl Sandbox<'_> {
    fn block(&mut self, block: Block) -> Result<(), NotAllowed> {
        let ops = self.m.ops_in(block);
        // Cycles that have not been counted yet.
        let mut cycles = 0;
        let last = ops.last().copied();
        for op in ops {
            let name = self.m.op_name(op).to_string();
            let cost = cost(self.m, self.costs, op)?;
            let waits = self.synchronises(op);
            if Some(op) == last {
                cycles += cost;
            }
            if waits || Some(op) == last {
                self.tick(std::mem::take(&mut cycles), op);
            }
            if Some(op) != last {
                cycles += cost;
            }
            let done = self.op(op, &name);
            done.ok_or(NotAllowed::Form(name))?;
        }
        Ok(())
    }

    /// Whether others can see when an operation takes place.
    fn synchronises(&self, op: Op) -> bool {
        let callee = self.m.symbol_attr(op, "callee").unwrap_or_default();
        let host = callee.strip_prefix(OURS).and_then(host_function);
        self.m.op_name(op) == "llvm.call" && host.is_some_and(|host| host.synchronises)
    }

    fn tick(&mut self, cycles: u64, before: Op) {
        if cycles > 0
            && let Some(cycles) = self.number(cycles as i64, &Type::I64, before)
        {
            self.call("aiec.tick", &[cycles], None, before);
        }
    }

    fn op(&mut self, op: Op, name: &str) -> Option<()> {
        for promise in PROMISES {
            self.m.remove_attr(op, promise);
        }
        for flags in ["overflowFlags", "noWrapFlags"] {
            if self.m.attr(op, flags).is_some() {
                self.m.set_attr(op, flags, Attr::i32(0));
            }
        }
        match name {
            "llvm.mlir.addressof" => self.place(op),
            "llvm.mlir.undef" | "llvm.mlir.poison" => {
                let ty = self.m.ty(self.m.result(op, 0)?).clone();
                let zero = self.make("llvm.mlir.zero", &[], ty, &[], op)?;
                self.replace(op, zero)
            }
            "llvm.load" | "llvm.intr.masked.load" => self.access(op, 0, self.m.result(op, 0)?),
            "llvm.store" | "llvm.intr.masked.store" => self.access(op, 1, self.m.operand(op, 0)?),
            "llvm.intr.memcpy" | "llvm.intr.memmove" => {
                let length = self.m.operand(op, 2)?;
                self.m.remove_attr(op, "arg_attrs");
                self.confined(op, 0, length)?;
                self.confined(op, 1, length)
            }
            "llvm.intr.memset" => {
                let length = self.m.operand(op, 2)?;
                self.m.remove_attr(op, "arg_attrs");
                self.confined(op, 0, length)
            }
            "llvm.sdiv" | "llvm.srem" | "llvm.udiv" | "llvm.urem" => self.division(op, name),
            "llvm.shl" | "llvm.lshr" | "llvm.ashr" => self.shift(op, name),
            "llvm.fptosi" | "llvm.fptoui" => self.make_integer(op, name),
            "llvm.extractelement" => self.lane(op, 1),
            // Vector, value, number.
            "llvm.insertelement" => self.lane(op, 2),
            // Whether that is one operation or two is up to the machine.
            "llvm.intr.fmuladd" => {
                let ty = self.m.ty(self.m.result(op, 0)?).clone();
                let operands: Vec<Value> = self.m.operands(op).collect();
                let fused = self.make("llvm.intr.fma", &operands, ty, &[], op)?;
                self.replace(op, fused)
            }
            "llvm.intr.assume" => {
                self.m.erase(op);
                Some(())
            }
            _ => Some(()),
        }
    }

    // ---- making operations ----

    fn make(
        &mut self,
        name: &str,
        args: &[Value],
        ty: Type,
        attrs: &[(&str, Attr)],
        before: Op,
    ) -> Option<Value> {
        one_result(self.m, name, args, ty, attrs, before)
    }

    fn call(&mut self, name: &str, args: &[Value], ty: Option<Type>, before: Op) -> Op {
        let loc = self.m.loc(before);
        let count = i32::try_from(args.len()).unwrap_or(i32::MAX);
        self.m
            .build_named("llvm.call", loc)
            .operands(args.iter().copied())
            .attr("callee", Attr::symbol(name))
            .attr("operandSegmentSizes", Attr::i32_array([count, 0]))
            .attr("op_bundle_sizes", Attr::i32_array([]))
            .results(ty)
            .insert(InsertPoint::Before(before))
    }

    /// An integer, in all lanes of a vector.
    fn number(&mut self, value: i64, ty: &Type, before: Op) -> Option<Value> {
        let attr = match ty {
            Type::Vector(vector) => {
                let size = usize::try_from(vector.elem.bit_width()?.div_ceil(8)).ok()?;
                Attr::Dense(
                    DenseElements {
                        ty: ty.clone(),
                        splat: true,
                        bytes: value.to_le_bytes().get(..size)?.to_vec(),
                    }
                    .into(),
                )
            }
            _ => Attr::Int(value, ty.clone()),
        };
        let attr = [("value", attr)];
        self.make("llvm.mlir.constant", &[], ty.clone(), &attr, before)
    }

    fn replace(&mut self, op: Op, with: Value) -> Option<()> {
        let old = self.m.result(op, 0)?;
        self.m.replace_all_uses(old, with);
        self.m.erase(op);
        Some(())
    }

    fn compare(&mut self, predicate: i64, args: [Value; 2], before: Op) -> Option<Value> {
        let ty = with_elem(self.m.ty(args[0]), Type::I1);
        let predicate = [("predicate", Attr::i64(predicate))];
        self.make("llvm.icmp", &args, ty, &predicate, before)
    }

    fn select(&mut self, condition: Value, yes: Value, no: Value, before: Op) -> Option<Value> {
        let ty = self.m.ty(yes).clone();
        self.make("llvm.select", &[condition, yes, no], ty, &[], before)
    }

    fn frozen(&mut self, value: Value, before: Op) -> Option<Value> {
        let ty = self.m.ty(value).clone();
        self.make("llvm.freeze", &[value], ty, &[], before)
    }

    // ---- memory ----

    /// The address that the name of a global says.
    fn place(&mut self, op: Op) -> Option<()> {
        let name = self.m.symbol_attr(op, "global_name")?;
        let Some(rest) = name.strip_prefix(PLACE) else {
            return name.starts_with(OURS).then_some(());
        };
        let address = rest.split('.').next()?.parse().ok()?;
        let ty = self.m.ty(self.m.result(op, 0)?).clone();
        let address = self.number(address, &Type::I64, op)?;
        let pointer = self.make("llvm.inttoptr", &[address], ty, &[], op)?;
        self.replace(op, pointer)
    }

    /// Whether a pointer is to what upstream put onto the stack, or to a global of ours.
    fn is_on_host(&self, mut pointer: Value) -> bool {
        while let Some(def) = self.m.def_op(pointer) {
            match self.m.op_name(def) {
                "llvm.alloca" => return true,
                "llvm.mlir.addressof" => {
                    let name = self.m.symbol_attr(def, "global_name");
                    return name.is_some_and(|name| !name.starts_with(PLACE));
                }
                "llvm.getelementptr" => match self.m.operand(def, 0) {
                    Some(base) => pointer = base,
                    None => return false,
                },
                _ => return false,
            }
        }
        false
    }

    /// Confines the load or store of a value.
    fn access(&mut self, op: Op, pointer: usize, value: Value) -> Option<()> {
        if self.is_on_host(self.m.operand(op, pointer)?) {
            return Some(());
        }
        let bytes = bytes(self.m.ty(value))?;
        // What is aligned for the core need not be so on the host.
        let alignment = match self.m.attr(op, "alignment") {
            Some(Attr::Int(_, ty)) => ty.clone(),
            _ => Type::I64,
        };
        self.m.set_attr(op, "alignment", Attr::Int(1, alignment));
        let bytes = self.number(i64::try_from(bytes).ok()?, &Type::I64, op)?;
        self.confined(op, pointer, bytes)
    }

    /// Puts the host address behind which there are so many bytes in the place of a pointer.
    fn confined(&mut self, op: Op, pointer: usize, bytes: Value) -> Option<()> {
        let local = self.m.operand(op, pointer)?;
        if self.is_on_host(local) {
            return Some(());
        }
        let ty = self.m.ty(local).clone();
        let address = self.make("llvm.ptrtoint", &[local], Type::I64, &[], op)?;
        // Nothing can be concluded of it any more but by the check.
        let address = self.frozen(address, op)?;
        let bytes = match self.m.ty(bytes).bit_width() {
            Some(64) => bytes,
            _ => self.make("llvm.zext", &[bytes], Type::I64, &[], op)?,
        };
        let bytes = self.frozen(bytes, op)?;
        let host = self.call("aiec.at", &[address, bytes], Some(Type::I64), op);
        let host = self.m.result(host, 0)?;
        let host = self.make("llvm.inttoptr", &[host], ty, &[], op)?;
        self.m.set_operand(op, pointer, host);
        Some(())
    }

    // ---- what would be undefined ----

    fn division(&mut self, op: Op, name: &str) -> Option<()> {
        let signed = matches!(name, "llvm.sdiv" | "llvm.srem");
        let (dividend, divisor) = (self.m.operand(op, 0)?, self.m.operand(op, 1)?);
        match constant(self.m, divisor) {
            Some(0) => {}
            Some(-1) if signed => {}
            Some(_) => return Some(()),
            None => {}
        }
        let ty = self.m.ty(divisor).clone();
        let divisor = self.frozen(divisor, op)?;
        let zero = self.number(0, &ty, op)?;
        let mut is_zero = self.compare(EQ, [divisor, zero], op)?;
        if lanes(&ty).is_some() {
            is_zero = self.make("llvm.intr.vector.reduce.or", &[is_zero], Type::I1, &[], op)?;
        }
        self.call("aiec.divisor", &[is_zero], None, op);
        if !signed {
            self.m.set_operand(op, 1, divisor);
            return Some(());
        }
        // The least number divided by -1 is itself, as one more.
        let (one, minus_one) = (self.number(1, &ty, op)?, self.number(-1, &ty, op)?);
        let negates = self.compare(EQ, [divisor, minus_one], op)?;
        let harmless = self.select(negates, one, divisor, op)?;
        let usual = self.make(name, &[dividend, harmless], ty.clone(), &[], op)?;
        let negated = match name {
            "llvm.sdiv" => self.make("llvm.sub", &[zero, dividend], ty, &[], op)?,
            _ => zero,
        };
        let result = self.select(negates, negated, usual, op)?;
        self.replace(op, result)
    }

    /// Shifts by all bits and more leave zeros, or signs.
    fn shift(&mut self, op: Op, name: &str) -> Option<()> {
        let (value, amount) = (self.m.operand(op, 0)?, self.m.operand(op, 1)?);
        let ty = self.m.ty(value).clone();
        let width = i64::from(elem(&ty).bit_width()?);
        if constant(self.m, amount).is_some_and(|n| (0..width).contains(&n)) {
            return Some(());
        }
        let amount = self.frozen(amount, op)?;
        let bits = self.number(width, &ty, op)?;
        // A vector of i1 can't hold its width; shifts of single bits are none.
        let fits = self.compare(ULT, [amount, bits], op)?;
        let most = match name {
            "llvm.ashr" => self.number(width - 1, &ty, op)?,
            _ => self.number(0, &ty, op)?,
        };
        let amount = self.select(fits, amount, most, op)?;
        let shifted = self.make(name, &[value, amount], ty.clone(), &[], op)?;
        let result = match name {
            "llvm.ashr" => shifted,
            _ => {
                let zero = self.number(0, &ty, op)?;
                self.select(fits, shifted, zero, op)?
            }
        };
        self.replace(op, result)
    }

    /// Floats become the nearest integer of 64 bits, of which the lower bits are the result; what is
    /// no number becomes 0. (LLVM has an intrinsic for it, which MLIR 22 can't translate.)
    fn make_integer(&mut self, op: Op, name: &str) -> Option<()> {
        let value = self.m.operand(op, 0)?;
        let from = self.m.ty(value).clone();
        let ty = self.m.ty(self.m.result(op, 0)?).clone();
        let wide = with_elem(&ty, Type::I64);
        let (least, end) = match name {
            "llvm.fptosi" => (-I64_END, I64_END),
            _ => (0.0, 2.0 * I64_END),
        };
        let (low, high) = match name {
            "llvm.fptosi" => (i64::MIN, i64::MAX),
            // All ones.
            _ => (0, -1),
        };
        let zero = self.float(0.0, &from, op)?;
        let (least, end) = (self.float(least, &from, op)?, self.float(end, &from, op)?);
        let enough = self.compare_floats(OGE, [value, least], op)?;
        let below = self.compare_floats(OLT, [value, end], op)?;
        // No lane is out of the instruction's range.
        let safe = self.select(enough, value, zero, op)?;
        let safe = self.select(below, safe, zero, op)?;
        let usual = self.make(name, &[safe], wide.clone(), &[], op)?;
        let too_small = self.compare_floats(OLT, [value, least], op)?;
        let too_large = self.compare_floats(OGE, [value, end], op)?;
        let (low, high) = (self.number(low, &wide, op)?, self.number(high, &wide, op)?);
        let result = self.select(too_small, low, usual, op)?;
        let mut result = self.select(too_large, high, result, op)?;
        if elem(&ty).bit_width() != Some(64) {
            result = self.make("llvm.trunc", &[result], ty, &[], op)?;
        }
        self.replace(op, result)
    }

    fn compare_floats(&mut self, predicate: i64, args: [Value; 2], before: Op) -> Option<Value> {
        let ty = with_elem(self.m.ty(args[0]), Type::I1);
        let predicate = [("predicate", Attr::i64(predicate))];
        self.make("llvm.fcmp", &args, ty, &predicate, before)
    }

    /// A number of f32 or f64, in all lanes of a vector.
    fn float(&mut self, value: f64, ty: &Type, before: Op) -> Option<Value> {
        let bytes = match elem(ty).bit_width()? {
            32 => (value as f32).to_le_bytes().to_vec(),
            64 => value.to_le_bytes().to_vec(),
            _ => return None,
        };
        let attr = match ty {
            Type::Vector(_) => Attr::Dense(
                DenseElements {
                    ty: ty.clone(),
                    splat: true,
                    bytes,
                }
                .into(),
            ),
            _ => Attr::Float(value.to_bits(), ty.clone()),
        };
        self.make(
            "llvm.mlir.constant",
            &[],
            ty.clone(),
            &[("value", attr)],
            before,
        )
    }

    /// Checks that a lane whose number is known at run time exists.
    fn lane(&mut self, op: Op, number: usize) -> Option<()> {
        let vector = self.m.operand(op, 0)?;
        let lanes = i64::try_from(lanes(self.m.ty(vector))?).ok()?;
        let lane = self.m.operand(op, number)?;
        if constant(self.m, lane).is_some_and(|n| (0..lanes).contains(&n)) {
            return Some(());
        }
        let lane = self.frozen(lane, op)?;
        self.m.set_operand(op, number, lane);
        let wide = match self.m.ty(lane).bit_width() {
            Some(64) => lane,
            _ => self.make("llvm.zext", &[lane], Type::I64, &[], op)?,
        };
        let lanes = self.number(lanes, &Type::I64, op)?;
        self.call("aiec.lane", &[wide, lanes], None, op);
        Some(())
    }
}

/// Predicates of `llvm.icmp`.
const EQ: i64 = 0;
const ULT: i64 = 6;
/// Predicates of `llvm.fcmp`: ordered, and greater or equal, or less.
const OGE: i64 = 3;
const OLT: i64 = 4;

/// The first float that a signed integer of 64 bits can't be.
const I64_END: f64 = 9_223_372_036_854_775_808.0;
