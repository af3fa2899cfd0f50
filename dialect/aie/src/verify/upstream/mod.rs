//! Rules of upstream MLIR's operations in core bodies, functions and sequences: types of values,
//! branches, calls and results, memory, vectors.
//!
//! Each rule is one that upstream's own verifiers hold (`mlir: lib/Dialect/*/IR/*.cpp`, `*.td`):
//! a valid program stays valid. Lowering relies on them; without them an invalid program would
//! compute something.

mod affine;
mod control;
mod memory;
mod parallel;
mod scalar;
mod vector;

use rustc_hash::{FxHashMap, FxHashSet};

use super::codes;
use crate::ir::{Module, Op, SymbolTable, Type, Value};
use crate::ops::{OpDef, OpKind, Traits};
use aiec_diag::{Code, Diag, Diags};

/// The checks of one module, with the symbol tables that calls and globals are looked up in.
pub(super) struct UpstreamRules<'a> {
    module: &'a Module,
    /// Filled when the first reference into a table is met.
    tables: FxHashMap<usize, SymbolTable>,
    /// Whether functions write into the memory of their arguments, as far as it was asked.
    writes: FxHashMap<(Op, usize), bool>,
}

impl<'a> UpstreamRules<'a> {
    pub(super) fn new(module: &'a Module) -> UpstreamRules<'a> {
        UpstreamRules {
            module,
            tables: FxHashMap::default(),
            writes: FxHashMap::default(),
        }
    }

    /// Checks an operation whose operands, attributes and regions have the declared counts.
    pub(super) fn check(&mut self, op: Op, def: &OpDef, diags: &mut Diags) {
        let traits = def.traits;
        let mut finding = Findings {
            module: self.module,
            op,
            diags,
        };
        if traits.intersects(
            Traits::INT_LIKE
                .union(Traits::FLOAT_LIKE)
                .union(Traits::INDEX_LIKE),
        ) {
            scalar::element_class(&mut finding, traits);
        }
        if traits.contains(Traits::CAST) {
            scalar::cast(&mut finding, def.kind);
        }
        if traits.contains(Traits::BRANCH) {
            control::branch(&mut finding, def.kind);
        }
        if traits.contains(Traits::RETURN_LIKE) {
            control::results_of_region(&mut finding, def.kind);
        }
        match def.kind {
            OpKind::ArithCmpI | OpKind::ArithCmpF | OpKind::IndexCmp => {
                scalar::comparison(&mut finding, def.kind);
            }
            OpKind::ArithAddUIExtended
            | OpKind::ArithMulSIExtended
            | OpKind::ArithMulUIExtended => scalar::extended(&mut finding, def.kind),
            OpKind::ArithSelect => scalar::select(&mut finding),
            OpKind::ArithConstant => scalar::constant(&mut finding),
            OpKind::MathFPowI => scalar::integer_exponent(&mut finding),
            OpKind::FuncFunc => control::function(&mut finding),
            OpKind::FuncCall => self.call(&mut finding),
            OpKind::MemrefGetGlobal => self.get_global(&mut finding),
            kind if memory::handles(kind) => memory::check(&mut finding, kind),
            kind if control::handles(kind) => control::check(&mut finding, kind),
            kind if parallel::handles(kind) => parallel::check(&mut finding, kind),
            kind if vector::handles(kind) => vector::check(&mut finding, kind),
            _ => {}
        }
        if affine::handles(def.kind) {
            affine::check(&mut finding, def.kind);
        }
        for memref in memory::written(self.module, op) {
            self.not_constant(&mut finding, memref, "this writes into");
        }
    }

    /// The function that a call goes to.
    fn callee(&mut self, call: Op) -> Option<Op> {
        let name = self.module.symbol_attr(call, "callee")?.to_string();
        let callee = self.look_up(call, &name);
        callee.filter(|callee| self.module.kind(*callee) == OpKind::FuncFunc)
    }

    /// Whether a function, or one that it calls, writes into the memory of an argument.
    fn writes(&mut self, function: Op, argument: usize) -> bool {
        let asked = (function, argument);
        if let Some(known) = self.writes.get(&asked) {
            return *known;
        }
        let m = self.module;
        let (mut open, mut met) = (vec![asked], FxHashSet::default());
        let mut found = false;
        while let Some((function, argument)) = open.pop().filter(|_| !found) {
            let known = self.writes.get(&(function, argument)).copied();
            found |= known == Some(true);
            let entry = m.entry(function, 0);
            let memref = entry.and_then(|entry| m.block_args(entry).get(argument).copied());
            let Some(memref) =
                memref.filter(|_| known.is_none() && met.insert((function, argument)))
            else {
                continue;
            };
            for op in m.walk(function) {
                let is_it = |value: &Value| memory::root(m, *value) == memref;
                found |= memory::written(m, op).iter().any(is_it);
                if m.kind(op) == OpKind::FuncCall
                    && let Some(callee) = self.callee(op)
                {
                    let given = m.operands(op).enumerate();
                    let given = given.filter(|(_, value)| is_it(value));
                    open.extend(given.map(|(n, _)| (callee, n)));
                }
            }
        }
        if !found {
            self.writes
                .extend(met.into_iter().map(|asked| (asked, false)));
        }
        self.writes.insert(asked, found);
        found
    }

    /// The function or global that a flat symbol names: in the device around, or in the module.
    fn look_up(&mut self, from: Op, name: &str) -> Option<Op> {
        let m = self.module;
        let mut at = Some(from);
        while let Some(op) = at {
            if m.kind(op).has(Traits::SYMBOL_TABLE) {
                let table = self.tables.entry(op.index());
                let table = table.or_insert_with(|| SymbolTable::of(m, op));
                if let Some(found) = table.get(name) {
                    return Some(found);
                }
            }
            at = m.parent_op(op);
        }
        None
    }

    /// A call hands over what the function takes, and takes what it returns.
    fn call(&mut self, finding: &mut Findings<'_>) {
        let m = self.module;
        let Some(name) = m.symbol_attr(finding.op, "callee") else {
            return;
        };
        // A name that nothing has is found by the check of symbols.
        let Some(callee) = self.callee(finding.op) else {
            return;
        };
        let Some(ty) = control::function_type(m, callee) else {
            return;
        };
        let given = types(m, m.operands(finding.op));
        let taken = types(m, m.results(finding.op));
        for (what, have, want) in [
            ("argument", given, &ty.inputs),
            ("result", taken, &ty.results),
        ] {
            if let Some(difference) = difference(&have, want, what) {
                let message = format!("this call of `@{name}` doesn't fit it: {difference}");
                let diag = finding.error(&codes::TYPE, message);
                let diag = diag.label(m.span(callee), "the function");
                finding
                    .diags
                    .push(diag.help(format!("`@{name}` is {}", Type::Function(ty.clone()))));
            }
        }
        let constants: Vec<(usize, Value)> = m.operands(finding.op).enumerate().collect();
        for (n, memref) in constants {
            if self.constant(finding.op, memref).is_some() && self.writes(callee, n) {
                self.not_constant(finding, memref, "the function called here writes into");
            }
        }
    }

    fn get_global(&mut self, finding: &mut Findings<'_>) {
        let m = self.module;
        let Some(name) = m.symbol_attr(finding.op, "name").map(str::to_string) else {
            return;
        };
        let global = self.look_up(finding.op, &name);
        let Some(global) = global.filter(|op| m.kind(*op) == OpKind::MemrefGlobal) else {
            return;
        };
        let Some(crate::ir::Attr::Type(declared)) = m.attr(global, "type") else {
            return;
        };
        if let Some(ty) = m.result(finding.op, 0).map(|value| m.ty(value))
            && ty != declared
        {
            let message = format!("`@{name}` is read as {ty} where it is {declared}");
            let diag = finding.error(&codes::TYPE, message);
            let diag = diag.label(m.span(global), "declared here");
            finding
                .diags
                .push(diag.help(format!("write `: {declared}` here, and cast its result")));
        }
    }

    /// The constant global whose memory a value views, with its name.
    fn constant(&mut self, from: Op, memref: Value) -> Option<(String, Op)> {
        let m = self.module;
        if !matches!(m.ty(memref), Type::MemRef(_)) {
            return None;
        }
        let get = m.def_op(memory::root(m, memref))?;
        let get = (m.kind(get) == OpKind::MemrefGetGlobal).then_some(get)?;
        let name = m.symbol_attr(get, "name")?.to_string();
        let global = self.look_up(from, &name)?;
        m.flag(global, "constant").then_some((name, global))
    }

    /// Nothing is written into a global that is `constant`.
    fn not_constant(&mut self, finding: &mut Findings<'_>, memref: Value, act: &str) {
        let m = self.module;
        let Some((name, global)) = self.constant(finding.op, memref) else {
            return;
        };
        let message = format!("{act} `@{name}`, which is constant");
        let diag = finding.error(&codes::CORE, message);
        let diag = diag.label(m.span(global), "declared `constant` here");
        finding.diags.push(diag.help(
            "leave out `constant` there, or copy the global into a memref.alloca and write that",
        ));
    }
}

/// Reports errors of one operation.
struct Findings<'a> {
    module: &'a Module,
    op: Op,
    diags: &'a mut Diags,
}

impl<'a> Findings<'a> {
    fn error(&self, code: &'static Code, message: String) -> Diag {
        let name = self.module.op_name(self.op).to_string();
        Diag::error(code, message).label(self.module.span(self.op), name)
    }

    /// Reports a fault of the operation and the way out.
    fn refuse(&mut self, code: &'static Code, message: String, help: impl Into<String>) {
        let diag = self.error(code, message).help(help);
        self.diags.push(diag);
    }

    /// Reports types that don't agree.
    fn of_type(&mut self, message: String, help: impl Into<String>) {
        self.refuse(&codes::TYPE, message, help);
    }

    fn name(&self) -> &'a str {
        self.module.op_name(self.op)
    }

    /// The type of operand `n`.
    fn operand(&self, n: usize) -> Option<&'a Type> {
        let value = self.module.operand(self.op, n)?;
        Some(self.module.ty(value))
    }

    /// The type of result `n`.
    fn result(&self, n: usize) -> Option<&'a Type> {
        let value = self.module.result(self.op, n)?;
        Some(self.module.ty(value))
    }

    /// Reports a result that isn't of the type of operand `n`, which it is a changed form of.
    fn same_as_operand(&mut self, n: usize) {
        if let (Some(operand), Some(result)) = (self.operand(n), self.result(0))
            && operand != result
        {
            let message = format!("`{}` makes {result} of {operand}", self.name());
            self.of_type(message, format!("its result is of type {operand}"));
        }
    }

    /// The types of the operands of a group.
    fn group(&self, name: &str) -> Vec<&'a Type> {
        types(self.module, self.module.operand_group(self.op, name))
    }

    /// Reports the first difference of two lists of types, if there is one.
    fn same_types(&mut self, have: &[&Type], want: &[Type], what: &str, help: &str) {
        if let Some(difference) = difference(have, want, what) {
            let message = format!("`{}` doesn't fit: {difference}", self.name());
            self.of_type(message, help);
        }
    }

    /// Reports operands of a group that aren't of type `index`.
    fn indices(&mut self, group: &str) {
        let other = self.group(group).into_iter().find(|ty| **ty != Type::Index);
        if let Some(ty) = other {
            let message = format!("`{}` has an index of type {ty}", self.name());
            self.of_type(message, "convert it to index: arith.index_cast");
        }
    }
}

/// The types of some values, to compare others with.
fn expected(m: &Module, values: impl IntoIterator<Item = Value>) -> Vec<Type> {
    values
        .into_iter()
        .map(|value| m.ty(value).clone())
        .collect()
}

/// The types of some values.
fn types(m: &Module, values: impl IntoIterator<Item = Value>) -> Vec<&Type> {
    values.into_iter().map(|value| m.ty(value)).collect()
}

/// The first difference of two lists of types, in words; `None` if they are the same.
fn difference(have: &[&Type], want: &[Type], what: &str) -> Option<String> {
    if have.len() != want.len() {
        let plural = if have.len() == 1 { "" } else { "s" };
        return Some(format!(
            "{} {what}{plural} instead of {}",
            have.len(),
            want.len()
        ));
    }
    let at = have.iter().zip(want).position(|(a, b)| **a != *b)?;
    Some(format!(
        "{what} {at} is {} instead of {}",
        have[at], want[at]
    ))
}
