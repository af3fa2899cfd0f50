//! Arithmetic: constants, operations of one type, comparisons, conversions.

use super::part::{NameHint, Part::*, Syntax, T};
use super::words::{CMP_F, CMP_I, INDEX_CMP};
use crate::ir::{Attr, Module, Op, Type};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{OpParser, Stop, codes};
use crate::text::print::Printer;

/// Rows of one shape.
macro_rules! rows {
    ($($shape:ident: $($kind:ident)*;)*) => {
        &[$($($shape(OpKind::$kind),)*)*]
    };
}

pub(super) static SYNTAX: &[Syntax] = rows! {
    constant: ArithConstant;
    same_type: ArithAddI ArithSubI ArithMulI ArithDivSI ArithDivUI ArithCeilDivSI ArithCeilDivUI
        ArithFloorDivSI ArithRemSI ArithRemUI ArithAndI ArithOrI ArithXOrI ArithShLI ArithShRSI
        ArithShRUI ArithMinSI ArithMinUI ArithMaxSI ArithMaxUI ArithAddF ArithSubF ArithMulF
        ArithDivF ArithRemF ArithNegF ArithMinimumF ArithMaximumF ArithMinNumF ArithMaxNumF
        MathAbsF MathAbsI MathAcos MathAcosh MathAsin MathAsinh MathAtan MathAtanh MathCbrt MathCeil
        MathCos MathCosh MathCtLz MathCtTz MathCtPop MathErf MathErfc MathExp MathExp2 MathExpM1
        MathFloor MathLog MathLog10 MathLog1p MathLog2 MathRound MathRoundEven MathRsqrt MathSin
        MathSinh MathSqrt MathTan MathTanh MathTrunc MathAtan2 MathCopySign MathIPowI MathPowF
        MathFma;
    power: MathFPowI;
    index_constant: IndexConstant;
    index_bool: IndexBoolConstant;
    index_binary: IndexAdd IndexSub IndexMul IndexDivS IndexDivU IndexCeilDivS IndexCeilDivU
        IndexFloorDivS IndexRemS IndexRemU IndexMaxS IndexMaxU IndexMinS IndexMinU IndexShl
        IndexShrS IndexShrU IndexAnd IndexOr IndexXor;
    index_compare: IndexCmp;
    poison: UbPoison LlvmUndef;
    compare: ArithCmpI ArithCmpF;
    select: ArithSelect;
    cast: ArithExtSI ArithExtUI ArithExtF ArithTruncI ArithTruncF ArithSIToFP ArithUIToFP
        ArithFPToSI ArithFPToUI ArithIndexCast ArithIndexCastUI ArithBitcast IndexCastS IndexCastU;
};

const fn constant(kind: OpKind) -> Syntax {
    Syntax::own(kind, Rule::arith_constant, parse_constant, print_constant)
        .hint(NameHint::Of(constant_hint))
}

pub(super) const fn same_type(kind: OpKind) -> Syntax {
    Syntax::own(kind, Rule::same_type_op, parse_same_type, print_same_type)
}

const fn compare(kind: OpKind) -> Syntax {
    Syntax::own(kind, Rule::compare_op, parse_compare, print_compare)
}

const fn select(kind: OpKind) -> Syntax {
    Syntax::own(kind, Rule::arith_select, parse_select, print_select)
}

pub(super) const fn cast(kind: OpKind) -> Syntax {
    Syntax::own(kind, Rule::cast_op, parse_cast, print_cast)
}

const fn power(kind: OpKind) -> Syntax {
    Syntax::parts(
        kind,
        Rule::math_fpowi,
        &[
            Lit(" "),
            Typed,
            Lit(", "),
            Typed,
            Dict,
            Lit(" : "),
            Ty(0),
            SameAs(0),
            Lit(", "),
            Ty(1),
        ],
    )
}

const fn index_constant(kind: OpKind) -> Syntax {
    let parts = &[Lit(" "), Int("value", T::Index), Dict, Gives(T::Index)];
    Syntax::parts(kind, Rule::index_constant, parts).hint(NameHint::Of(index_hint))
}

const fn index_bool(kind: OpKind) -> Syntax {
    let parts = &[Lit(" "), Bool("value"), Dict, Gives(T::I1)];
    Syntax::parts(kind, Rule::index_bool_constant, parts).hint(NameHint::Of(constant_hint))
}

const fn index_binary(kind: OpKind) -> Syntax {
    Syntax::own(
        kind,
        Rule::index_binary,
        parse_index_binary,
        print_index_binary,
    )
}

/// `slt(%a, %b)`
const INDEX_COMPARISON: &[super::part::Part] = &[
    Lit(" "),
    Enum("pred", &INDEX_CMP),
    Lit("("),
    Val(T::Index),
    Lit(", "),
    Val(T::Index),
    Lit(")"),
    Dict,
    Gives(T::I1),
];

const fn index_compare(kind: OpKind) -> Syntax {
    Syntax::parts(kind, Rule::index_cmp, INDEX_COMPARISON)
}

const fn poison(kind: OpKind) -> Syntax {
    Syntax::parts(kind, Rule::ub_poison, &[Dict, Lit(" : "), ResultTy])
}

fn index_hint(m: &Module, op: Op) -> Option<String> {
    m.int_attr(op, "value").map(|n| format!("idx{n}"))
}

fn parse_index_binary(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.next()?;
    for _ in 0..2 {
        p.operand(Type::Index)?;
    }
    p.dict()?;
    p.build.results.push(Type::Index);
    p.create()
}

fn print_index_binary(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    let values: Vec<_> = printer.m.operands(op).collect();
    printer.values(&values);
    printer.dict(op, &[]);
}

// ---- constants ----

fn parse_constant(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.dict()?;
    let value = p.next()?;
    let at = value.as_str();
    let value = p.parser.attr(value)?;
    let ty = match &value {
        Attr::Int(_, ty) | Attr::WideInt(_, ty) | Attr::Float(_, ty) => ty.clone(),
        Attr::Bool(_) => Type::I1,
        Attr::Dense(dense) => dense.ty.clone(),
        Attr::DenseResource(_, ty) => ty.clone(),
        _ => {
            let message = "a constant is a number, a boolean or a dense literal".to_string();
            return Err(p.parser.error(&codes::BAD_ATTRIBUTE, at, message));
        }
    };
    p.build.attr("value", value);
    p.build.results.push(ty);
    p.create()
}

fn print_constant(printer: &mut Printer<'_>, op: Op) {
    printer.dict(op, &["value"]);
    printer.text(" ");
    if let Some(value) = printer.m.attr(op, "value") {
        printer.attr(value);
    }
}

/// `c5`, `c5_i32`, `true`, `cst`.
fn constant_hint(m: &Module, op: Op) -> Option<String> {
    Some(match m.attr(op, "value")? {
        Attr::Bool(true) => "true".to_string(),
        Attr::Bool(false) => "false".to_string(),
        Attr::Int(value, Type::Index) => format!("c{value}"),
        Attr::Int(value, ty) => format!("c{value}_{ty}"),
        _ => "cst".to_string(),
    })
}

// ---- operations whose operands and result have one type ----

/// Keeps `fastmath<…>`, `overflow<…>`, `exact` and a rounding mode as attributes.
pub(super) fn flags(p: &mut OpParser<'_, '_>) -> Result<(), Stop> {
    while let Some(flag) = p.fields.take(Rule::op_flags) {
        let text = flag.as_str();
        let (key, value) = match text.split_once('<') {
            Some(("fastmath", v)) => ("fastmath", format!("#arith.fastmath<{v}")),
            Some(("overflow", v)) => ("overflowFlags", format!("#arith.overflow<{v}")),
            _ if text == "exact" => {
                p.build.attr("isExact", Attr::Unit);
                continue;
            }
            _ => {
                let message = "expected `<` and flags".to_string();
                return Err(p.parser.error(&codes::SYNTAX, text, message));
            }
        };
        p.build.attr(key, Attr::Opaque(value.as_str().into()));
    }
    Ok(())
}

pub(super) const FLAG_KEYS: [&str; 4] = ["fastmath", "overflowFlags", "isExact", "roundingmode"];

pub(super) fn print_flags(printer: &mut Printer<'_>, op: Op) {
    for (key, word, quiet) in [
        ("fastmath", " fastmath", "#arith.fastmath<none>"),
        ("overflowFlags", " overflow", "#arith.overflow<none>"),
    ] {
        if let Some(Attr::Opaque(text)) = printer.m.attr(op, key)
            && **text != *quiet
            && let Some((_, list)) = text.split_once('<')
        {
            printer.text(word);
            printer.text("<");
            printer.text(list);
        }
    }
    if printer.m.flag(op, "isExact") && printer.m.attr(op, "isExact").is_some() {
        printer.text(" exact");
    }
}

fn parse_same_type(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.next()?;
    let values = p.next()?;
    flags(&mut p)?;
    p.dict()?;
    let ty = p.next_type()?;
    let at = values.as_str();
    let written = values.clone().into_inner().count();
    let wanted = p.build.kind.def().map_or(written, |def| def.operands.len());
    if written != wanted {
        let message = format!("expected {wanted} operands, found {written}");
        return Err(p.parser.error(&codes::SYNTAX, at, message));
    }
    for value in values.into_inner() {
        p.build.operand(&value, ty.clone());
    }
    p.build.results.push(ty);
    p.create()
}

fn print_same_type(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    let values: Vec<_> = printer.m.operands(op).collect();
    printer.values(&values);
    print_flags(printer, op);
    printer.dict(op, &FLAG_KEYS);
    printer.text(" : ");
    printer.result_type(op, 0);
}

// ---- comparisons ----

fn parse_compare(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.next()?;
    let words = if p.build.kind == OpKind::ArithCmpI {
        &CMP_I
    } else {
        &CMP_F
    };
    let predicate = p.next()?;
    let predicate = p.parser.enum_attr(predicate, words)?;
    p.build
        .attr("predicate", Attr::i64(predicate.as_int().unwrap_or(0)));
    let left = p.next()?;
    let right = p.next()?;
    flags(&mut p)?;
    p.dict()?;
    let ty = p.next_type()?;
    p.build.operand(&left, ty.clone());
    p.build.operand(&right, ty.clone());
    p.build.results.push(boolean_like(&ty));
    p.create()
}

/// `i1`, in the shape of a type.
fn boolean_like(ty: &Type) -> Type {
    match ty {
        Type::Vector(v) => {
            let mut v = (**v).clone();
            v.elem = Type::I1;
            Type::Vector(v.into())
        }
        Type::Tensor(t) => {
            let mut t = (**t).clone();
            t.elem = Type::I1;
            Type::Tensor(t.into())
        }
        _ => Type::I1,
    }
}

fn print_compare(printer: &mut Printer<'_>, op: Op) {
    let words = if printer.m.kind(op) == OpKind::ArithCmpI {
        &CMP_I
    } else {
        &CMP_F
    };
    let predicate = printer.m.int_attr(op, "predicate").unwrap_or(0);
    printer.text(" ");
    printer.text(&words.print(predicate));
    printer.text(", ");
    let values: Vec<_> = printer.m.operands(op).collect();
    printer.values(&values);
    print_flags(printer, op);
    let hidden = ["predicate", "fastmath", "overflowFlags", "isExact"];
    printer.dict(op, &hidden);
    printer.text(" : ");
    if let Some(left) = values.first() {
        printer.types_of(&[*left]);
    }
}

// ---- select ----

fn parse_select(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    let condition = p.next()?;
    let values = [p.next()?, p.next()?];
    p.dict()?;
    let first = p.next_type()?;
    let (condition_type, ty) = match p.fields.take(Rule::ty) {
        Some(second) => (first, p.parser.ty(second.as_str())?),
        None => (Type::I1, first),
    };
    p.build.operand(&condition, condition_type);
    for value in &values {
        p.build.operand(value, ty.clone());
    }
    p.build.results.push(ty);
    p.create()
}

fn print_select(printer: &mut Printer<'_>, op: Op) {
    let values: Vec<_> = printer.m.operands(op).collect();
    printer.text(" ");
    printer.values(&values);
    printer.dict(op, &[]);
    printer.text(" : ");
    if let Some(condition) = values.first()
        && *printer.m.ty(*condition) != Type::I1
    {
        printer.types_of(&[*condition]);
        printer.text(", ");
    }
    printer.result_type(op, 0);
}

// ---- conversions ----

pub(super) fn parse_cast(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.next()?;
    let value = p.next()?;
    if let Some(mode) = p.fields.take(Rule::rounding) {
        p.build.attr("roundingmode", Attr::str(mode.as_str()));
    }
    flags(&mut p)?;
    p.dict()?;
    let from = p.next_type()?;
    let to = p.next_type()?;
    p.build.operand(&value, from);
    p.build.results.push(to);
    p.create()
}

pub(super) fn print_cast(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    printer.operand(op, 0);
    if let Some(mode) = printer.m.str_attr(op, "roundingmode") {
        printer.text(" ");
        printer.text(mode);
    }
    print_flags(printer, op);
    printer.dict(op, &FLAG_KEYS);
    printer.text(" : ");
    if let Some(value) = printer.m.operand(op, 0) {
        printer.types_of(&[value]);
    }
    printer.text(" to ");
    printer.result_type(op, 0);
}
