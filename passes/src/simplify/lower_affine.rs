//! `lower-affine`: affine loops, conditions and accesses become `scf`, `arith` and `memref`
//! operations (MLIR's pass of that name, `mlir: lib/Conversion/AffineToStandard`), so that every
//! later pass and the core programs know one kind of loop only.

mod reduction;
mod set;

use aiec_aie::ir::{
    AffineExpr, AffineMap, Attr, InsertPoint, Loc, Module, Op, OpBuilder, Type, Value,
};
use aiec_aie::ops::{AffineFor, ArithCmpI, ArithConstant, OpKind};
use aiec_diag::{Diag, Reported, codes};

use super::loop_nest::LoopNest;
use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static PASS: PassDef = PassDef::of_module("lower-affine", run)
    .summary("Turn affine loops, conditions and accesses into scf, arith and memref operations")
    .postconditions(&["no operation of the affine dialect is left"]);

codes! {
    /// Codes of `lower-affine`.
    pub static CODES;
    BAD_AFFINE = "affine::not-understood",
        "An affine operation needs a map or set of known form with as many operands as it has \
         dimensions and symbols.";
    NO_OUTCOME = "affine::no-outcome",
        "The passes of an `affine.parallel` come in no order. What they yield is combined by an operation \
         of the type of the result; `assign` would keep one of them, which could be any.";
}

/// Predicates of `arith.cmpi`.
const EQUAL: i64 = 0;
const SIGNED_LESS: i64 = 2;
const SIGNED_AT_LEAST: i64 = 5;

fn run(module: &mut Module, context: &mut PassContext<'_>) -> Result<(), Reported> {
    if AFFINE.iter().all(|kind| module.count(*kind) == 0) {
        return Ok(());
    }
    // Inner operations first: when a loop is rebuilt, its body is done.
    let all: Vec<Op> = module
        .walk(module.top())
        .filter(|op| AFFINE.contains(&module.kind(*op)))
        .collect();
    for op in all.into_iter().rev() {
        let loc = module.loc(op);
        if let Some(diag) = reduction::undefined(module, op) {
            context.report(diag);
            continue;
        }
        let mut lowering = Lowering { module, op, loc };
        if lowering.lower().is_none() {
            let name = module.op_name(op);
            let message = format!("`{name}` can't be lowered: its map doesn't fit its operands");
            context.report(
                Diag::error(&BAD_AFFINE, message)
                    .label(module.span(op), "this operation")
                    .help("give it as many operands as its map has dimensions and symbols"),
            );
        }
        context.count("operations", 1);
    }
    context.diags.check()
}

/// The operations that are lowered.
const AFFINE: [OpKind; 11] = [
    OpKind::AffineFor,
    OpKind::AffineParallel,
    OpKind::AffineIf,
    OpKind::AffineYield,
    OpKind::AffineLoad,
    OpKind::AffineStore,
    OpKind::AffineVectorLoad,
    OpKind::AffineVectorStore,
    OpKind::AffineApply,
    OpKind::AffineMin,
    OpKind::AffineMax,
];

struct Lowering<'m> {
    module: &'m mut Module,
    op: Op,
    loc: Loc,
}

impl Lowering<'_> {
    /// Replaces the operation; `None` if it doesn't fit together.
    fn lower(&mut self) -> Option<()> {
        match self.module.kind(self.op) {
            OpKind::AffineFor => self.for_loop(),
            OpKind::AffineParallel => self.parallel(),
            OpKind::AffineIf => self.condition(),
            OpKind::AffineYield => {
                let values: Vec<Value> = self.module.operands(self.op).collect();
                let at = InsertPoint::Before(self.op);
                self.build(OpKind::ScfYield, &values).insert(at);
                self.module.erase(self.op);
                Some(())
            }
            OpKind::AffineLoad => self.access(OpKind::MemrefLoad),
            OpKind::AffineStore => self.access(OpKind::MemrefStore),
            OpKind::AffineVectorLoad => self.access(OpKind::VectorLoad),
            OpKind::AffineVectorStore => self.access(OpKind::VectorStore),
            OpKind::AffineApply => self.apply(None),
            OpKind::AffineMin => self.apply(Some(OpKind::ArithMinSI)),
            _ => self.apply(Some(OpKind::ArithMaxSI)),
        }
    }

    fn build(&mut self, kind: OpKind, operands: &[Value]) -> OpBuilder<'_> {
        let build = self.module.build(kind, self.loc);
        build.operands(operands.iter().copied())
    }

    fn value(&mut self, kind: OpKind, operands: &[Value]) -> Value {
        let at = InsertPoint::Before(self.op);
        self.build(kind, operands).insert_value(Type::Index, at)
    }

    fn constant(&mut self, value: i64) -> Value {
        let at = InsertPoint::Before(self.op);
        ArithConstant::int(self.module, self.loc, value, Type::Index, at)
    }

    fn compare(&mut self, predicate: i64, a: Value, b: Value) -> Value {
        let at = InsertPoint::Before(self.op);
        ArithCmpI::build(self.module, self.loc, a, b, predicate).insert_value(Type::I1, at)
    }

    /// The value of an expression, its dimensions and symbols being `operands`.
    fn expr(&mut self, expr: &AffineExpr, dims: usize, operands: &[Value]) -> Option<Value> {
        let (kind, a, b) = match expr {
            AffineExpr::Dim(n) => return operands.get(..dims)?.get(*n as usize).copied(),
            AffineExpr::Symbol(n) => return operands.get(dims + *n as usize).copied(),
            AffineExpr::Const(n) => return Some(self.constant(*n)),
            AffineExpr::Add(a, b) => (OpKind::ArithAddI, a, b),
            AffineExpr::Mul(a, b) => (OpKind::ArithMulI, a, b),
            AffineExpr::FloorDiv(a, b) => (OpKind::ArithFloorDivSI, a, b),
            AffineExpr::CeilDiv(a, b) => (OpKind::ArithCeilDivSI, a, b),
            AffineExpr::Mod(a, b) => (OpKind::ArithRemSI, a, b),
        };
        let (a, b) = (self.expr(a, dims, operands)?, self.expr(b, dims, operands)?);
        let value = self.value(kind, &[a, b]);
        if kind != OpKind::ArithRemSI {
            return Some(value);
        }
        // The affine modulus is never negative, the machine's follows the dividend.
        let zero = self.constant(0);
        let negative = self.compare(SIGNED_LESS, value, zero);
        let up = self.value(OpKind::ArithAddI, &[value, b]);
        Some(self.value(OpKind::ArithSelect, &[negative, up, value]))
    }

    /// The values of a map's results.
    fn map(&mut self, map: &AffineMap, operands: &[Value]) -> Option<Vec<Value>> {
        let (dims, symbols) = (map.dims as usize, map.symbols as usize);
        if operands.len() != dims + symbols {
            return None;
        }
        let results = map.results.iter();
        results
            .map(|expr| self.expr(expr, dims, operands))
            .collect()
    }

    fn map_attr(&self, key: &str) -> Option<AffineMap> {
        match self.module.attr(self.op, key)? {
            Attr::AffineMap(map) => Some((**map).clone()),
            _ => None,
        }
    }

    /// The smallest or largest of some values.
    fn fold(&mut self, values: &[Value], kind: OpKind) -> Option<Value> {
        let values = values.iter().copied();
        values.reduce(|so_far, value| self.value(kind, &[so_far, value]))
    }

    fn replace(&mut self, values: impl IntoIterator<Item = Value>) {
        for (old, new) in self.module.results(self.op).zip(values) {
            self.module.replace_all_uses(old, new);
        }
        self.module.erase(self.op);
    }

    fn types(&self) -> Vec<Type> {
        let results = self.module.results(self.op);
        results.map(|r| self.module.ty(r).clone()).collect()
    }

    fn apply(&mut self, fold: Option<OpKind>) -> Option<()> {
        let map = self.map_attr("map")?;
        let operands: Vec<Value> = self.module.operands(self.op).collect();
        let values = self.map(&map, &operands)?;
        let value = match fold {
            Some(kind) => self.fold(&values, kind)?,
            None => *values.first()?,
        };
        self.replace([value]);
        Some(())
    }

    fn access(&mut self, kind: OpKind) -> Option<()> {
        let map = self.map_attr("map")?;
        let indices = self.module.operand_group(self.op, "indices");
        let all: Vec<Value> = self.module.operands(self.op).collect();
        let fixed = &all[..all.len() - indices.len()];
        let indices = self.map(&map, &indices)?;
        let operands: Vec<Value> = fixed.iter().chain(&indices).copied().collect();
        let (types, at) = (self.types(), InsertPoint::Before(self.op));
        let new = self.build(kind, &operands).results(types).insert(at);
        self.replace(self.module.results(new));
        Some(())
    }

    fn for_loop(&mut self) -> Option<()> {
        let (lower, upper) = (
            self.map_attr("lowerBoundMap")?,
            self.map_attr("upperBoundMap")?,
        );
        let from = self.module.operand_group(self.op, "lowerBoundOperands");
        let to = self.module.operand_group(self.op, "upperBoundOperands");
        let inits = self.module.operand_group(self.op, "inits");
        let from = self.map(&lower, &from)?;
        let from = self.fold(&from, OpKind::ArithMaxSI)?;
        let to = self.map(&upper, &to)?;
        let to = self.fold(&to, OpKind::ArithMinSI)?;
        let step = self.constant(AffineFor(self.op).step(self.module));
        let operands: Vec<Value> = [from, to, step].into_iter().chain(inits).collect();
        self.structured(OpKind::ScfFor, &operands)
    }

    /// The bounds of each dimension: the largest or smallest of the results that its group has.
    fn bounds(
        &mut self,
        map: &AffineMap,
        groups: &str,
        values: &[Value],
        fold: OpKind,
    ) -> Option<Vec<Value>> {
        let Attr::Dense(groups) = self.module.attr(self.op, groups)?.clone() else {
            return None;
        };
        let mut results = self.map(map, values)?.into_iter();
        let mut bounds = Vec::new();
        for count in groups.int_values()? {
            let group: Vec<Value> = results
                .by_ref()
                .take(usize::try_from(count).ok()?)
                .collect();
            bounds.push(self.fold(&group, fold)?);
        }
        Some(bounds)
    }

    fn parallel(&mut self) -> Option<()> {
        let (lower, upper) = (
            self.map_attr("lowerBoundsMap")?,
            self.map_attr("upperBoundsMap")?,
        );
        let operands: Vec<Value> = self.module.operands(self.op).collect();
        let count = lower.dims as usize + lower.symbols as usize;
        let (of_lower, of_upper) = operands.split_at_checked(count)?;
        let from = self.bounds(&lower, "lowerBoundsGroups", of_lower, OpKind::ArithMaxSI)?;
        let to = self.bounds(&upper, "upperBoundsGroups", of_upper, OpKind::ArithMinSI)?;
        let steps = self.integers("steps")?;
        let mut bounds = Vec::new();
        for ((from, to), step) in from.into_iter().zip(to).zip(steps) {
            bounds.push([from, to, self.constant(step)]);
        }
        let kinds = self.integers("reductions")?;
        let (mut inits, mut combine) = (Vec::new(), Vec::new());
        for (ty, kind) in self.types().into_iter().zip(kinds) {
            let reduction = reduction::of_number(kind)?;
            let neutral = reduction.neutral(&ty)?;
            let at = InsertPoint::Before(self.op);
            inits.push(ArithConstant::build(self.module, self.loc, neutral).insert_value(ty, at));
            combine.push(reduction.operation());
        }
        let body = self.module.entry(self.op, 0)?;
        let nest = LoopNest::build(self.module, self.op, &bounds, &inits)?;
        let end = nest.fill(self.module, body)?;
        let terms: Vec<Value> = self.module.operands(end).collect();
        let mut combined = Vec::new();
        for ((term, so_far), kind) in terms.into_iter().zip(&nest.carried).zip(combine) {
            let ty = self.module.ty(term).clone();
            let both = self.build(kind, &[*so_far, term]);
            combined.push(both.insert_value(ty, nest.end()));
        }
        nest.replace(self.module, self.op, &combined);
        Some(())
    }

    /// The integers of an array.
    fn integers(&self, key: &str) -> Option<Vec<i64>> {
        match self.module.attr(self.op, key)? {
            Attr::Array(list) => list.iter().map(Attr::as_int).collect(),
            _ => None,
        }
    }

    fn condition(&mut self) -> Option<()> {
        let Attr::AffineSet(text) = self.module.attr(self.op, "condition")?.clone() else {
            return None;
        };
        let set = set::parse(&text)?;
        let operands = self.module.operand_group(self.op, "operands");
        if operands.len() != set.dims + set.symbols {
            return None;
        }
        let zero = self.constant(0);
        let mut all: Option<Value> = None;
        for (expr, equal) in &set.constraints {
            let value = self.expr(expr, set.dims, &operands)?;
            let predicate = if *equal { EQUAL } else { SIGNED_AT_LEAST };
            let holds = self.compare(predicate, value, zero);
            all = Some(match all {
                None => holds,
                Some(so_far) => {
                    let at = InsertPoint::Before(self.op);
                    let both = self.build(OpKind::ArithAndI, &[so_far, holds]);
                    both.insert_value(Type::I1, at)
                }
            });
        }
        self.structured(OpKind::ScfIf, &[all?])
    }

    /// The `scf` operation with the regions of this one.
    fn structured(&mut self, kind: OpKind, operands: &[Value]) -> Option<()> {
        let (types, at) = (self.types(), InsertPoint::Before(self.op));
        let new = self.build(kind, operands).results(types).insert(at);
        for region in self.module.regions_of(self.op).to_vec() {
            let target = self.module.add_region(new);
            for block in self.module.blocks_of(region).to_vec() {
                self.module.move_block_to_end(block, target);
            }
        }
        self.replace(self.module.results(new));
        Some(())
    }
}
