//! Views of memory: the type that a view has is the one that its sizes and strides make.

use super::{Context, codes};
use crate::ir::{Attr, DYNAMIC, MemRefType, Op, Type};
use crate::ops::OpKind;

pub(super) fn check(cx: &mut Context<'_>) {
    for op in cx.of_kind(OpKind::MemrefReinterpretCast) {
        reinterpret_cast(cx, op);
    }
    for op in cx.of_kind(OpKind::MemrefSubview) {
        subview(cx, op);
    }
}

/// Each number of the type is the operation's (`mlir: lib/Dialect/MemRef/IR/MemRefOps.cpp`, ReinterpretCastOp::verify).
fn reinterpret_cast(cx: &mut Context<'_>, op: Op) {
    let Some(ty) = result_type(cx, op) else {
        return;
    };
    let layout = ty.strides_and_offset();
    let (strides, offset) = layout.unzip();
    let parts = [
        ("size", "static_sizes", Some(ty.shape.to_vec())),
        ("stride", "static_strides", strides),
        (
            "offset",
            "static_offsets",
            offset.map(|offset| vec![offset]),
        ),
    ];
    for (what, attr, typed) in parts {
        let (Some(given), Some(typed)) = (static_list(cx, op, attr), typed) else {
            continue;
        };
        let differs = given.iter().zip(&typed).position(|(a, b)| a != b);
        let rank = typed.len();
        let upstream = match differs {
            Some(_) => None,
            None => Some(format!(
                "expected {rank} {what} values, got {}",
                given.len()
            )),
        };
        let message = match differs {
            Some(at) => {
                let (given, typed) = (number(given[at]), number(typed[at]));
                let dim = match what {
                    "offset" => String::new(),
                    _ => format!(" in dim = {at}"),
                };
                format!("expected result type with {what} = {given} instead of {typed}{dim}")
            }
            None if given.len() != typed.len() => format!(
                "{} {what}s for a result of {} dimensions",
                given.len(),
                typed.len()
            ),
            None => continue,
        };
        let help = "let the type say what the operation does";
        let text = upstream.unwrap_or_else(|| message.clone());
        cx.shared(op, &codes::TYPE, (message, help), text);
        return;
    }
}

/// The type has the sizes of the operation, except for some that are 1 (`mlir:
/// lib/Dialect/MemRef/IR/MemRefOps.cpp`, SubViewOp::verify).
fn subview(cx: &mut Context<'_>, op: Op) {
    let (Some(ty), Some(sizes)) = (result_type(cx, op), static_list(cx, op, "static_sizes")) else {
        return;
    };
    let mut left = ty.shape.iter().peekable();
    let all_used = sizes.iter().all(|size| {
        if left.peek() == Some(&size) {
            left.next().is_some()
        } else {
            *size == 1
        }
    });
    if !all_used || left.next().is_some() {
        let list = |sizes: &[i64]| {
            sizes
                .iter()
                .map(|n| number(*n))
                .collect::<Vec<_>>()
                .join("x")
        };
        let message = format!(
            "a view of {} elements has a result of {}",
            list(&sizes),
            list(&ty.shape)
        );
        let help = "give the result the sizes of the view; those that are 1 may be left out";
        let text = "expected result type to be a rank-reduced version of the view's (mismatch of result sizes)";
        cx.shared(op, &codes::TYPE, (message, help), text);
        return;
    }
    if !inside(cx, op, &sizes) {
        return;
    }
    layout(cx, op, &sizes);
}

/// No element that a view is known to have lies outside of its source, dimension by dimension.
fn inside(cx: &mut Context<'_>, op: Op, sizes: &[i64]) -> bool {
    let (Some(source), Some(offsets), Some(strides)) = (
        source_type(cx, op),
        static_list(cx, op, "static_offsets"),
        static_list(cx, op, "static_strides"),
    ) else {
        return false;
    };
    let dims = offsets.iter().zip(sizes).zip(&strides).zip(&source.shape);
    for (dim, (((offset, size), stride), of)) in dims.enumerate() {
        if [offset, size, stride, of].contains(&&DYNAMIC) || *size == 0 {
            continue;
        }
        let last = size
            .checked_sub(1)
            .and_then(|steps| steps.checked_mul(*stride))
            .and_then(|reach| reach.checked_add(*offset));
        if *offset < 0 || last.is_none_or(|last| !(0..*of).contains(&last)) {
            let message = format!(
                "a view of {size} elements from {offset} on, {stride} apart, leaves the {of} of dimension {dim}"
            );
            let help = format!("offset + (size - 1) * stride is 0 to {}", of - 1);
            let text = if (0..*of).contains(offset) {
                let last = last.map_or("too much".to_string(), |last| last.to_string());
                format!("slice along dimension {dim} runs out-of-bounds: {last} >= {of}")
            } else {
                format!("offset {dim} is out-of-bounds: {offset} >= {of}")
            };
            cx.shared(op, &codes::TYPE, (message, help), text);
            return false;
        }
    }
    true
}

/// The offset and strides of the type are what those of the source become
/// (`mlir: lib/Dialect/MemRef/IR/MemRefOps.cpp`, SubViewOp::inferResultType).
fn layout(cx: &mut Context<'_>, op: Op, sizes: &[i64]) {
    let (Some(source), Some(ty), Some(offsets), Some(steps)) = (
        source_type(cx, op),
        result_type(cx, op),
        static_list(cx, op, "static_offsets"),
        static_list(cx, op, "static_strides"),
    ) else {
        return;
    };
    let (Some((from, start)), Some((strides, offset))) =
        (source.strides_and_offset(), ty.strides_and_offset())
    else {
        return;
    };
    let times = |a: i64, b: i64| match (a, b) {
        (0, _) | (_, 0) => 0,
        (DYNAMIC, _) | (_, DYNAMIC) => DYNAMIC,
        (a, b) => a.checked_mul(b).unwrap_or(DYNAMIC),
    };
    let plus = |a: i64, b: i64| match (a, b) {
        (DYNAMIC, _) | (_, DYNAMIC) => DYNAMIC,
        (a, b) => a.checked_add(b).unwrap_or(DYNAMIC),
    };
    let moved = offsets.iter().zip(&from);
    let begins = moved.fold(start, |sum, (n, stride)| plus(sum, times(*n, *stride)));
    let made: Vec<i64> = steps
        .iter()
        .zip(&from)
        .map(|(a, b)| times(*a, *b))
        .collect();
    let mut left = ty.shape.iter().zip(&strides).peekable();
    let all_used = sizes.iter().zip(&made).all(|dim| {
        if left.peek() == Some(&dim) {
            left.next().is_some()
        } else {
            *dim.0 == 1
        }
    });
    if begins != offset || !all_used || left.next().is_some() {
        let list = made
            .iter()
            .map(|n| number(*n))
            .collect::<Vec<_>>()
            .join(", ");
        let message = format!(
            "the layout of the result isn't the view's, which begins at {} and has strides of {list}",
            number(begins)
        );
        let help = format!(
            "write its layout: strided<[{list}], offset: {}>",
            number(begins)
        );
        let text = "expected result type to be a rank-reduced version of the view's (mismatch of result layout)";
        cx.shared(op, &codes::TYPE, (message, help), text);
    }
}

fn source_type<'a>(cx: &Context<'a>, op: Op) -> Option<&'a MemRefType> {
    cx.module.ty(cx.module.operand(op, 0)?).as_memref()
}

fn result_type<'a>(cx: &Context<'a>, op: Op) -> Option<&'a MemRefType> {
    match cx.module.ty(cx.module.result(op, 0)?) {
        Type::MemRef(ty) => Some(ty),
        _ => None,
    }
}

/// The numbers of an attribute, [`DYNAMIC`] for those that operands give.
fn static_list(cx: &Context<'_>, op: Op, name: &str) -> Option<Vec<i64>> {
    match cx.module.attr(op, name)? {
        Attr::DenseArray(list) => Some(list.values.to_vec()),
        _ => None,
    }
}

fn number(n: i64) -> String {
    match n {
        DYNAMIC => "?".to_string(),
        n => n.to_string(),
    }
}
