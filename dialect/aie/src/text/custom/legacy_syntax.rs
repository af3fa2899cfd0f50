//! Early-2025 spellings that arrive in generic form or in attribute dictionaries, and what generic
//! form may leave out.

use crate::ir::{Attr, Op};
use crate::ops::OpKind;
use crate::text::parse::{ParseFailed, Parser};

use super::{linalg, stored};

/// Operands that used to be attributes, in today's order.
fn operands_of(kind: OpKind) -> &'static [&'static str] {
    match kind {
        OpKind::NpuWrite32 => &["address", "value"],
        OpKind::NpuMaskWrite32 => &["address", "value", "mask"],
        OpKind::NpuSync => &[
            "column",
            "row",
            "direction",
            "channel",
            "column_num",
            "row_num",
        ],
        OpKind::NpuAddressPatch => &["arg_plus"],
        OpKind::NpuPushQueue => &["repeat_count", "bd_id"],
        OpKind::NpuRtpWrite | OpKind::UseLock => &["value"],
        _ => &[],
    }
}

/// Brings an operation of generic form into today's form.
pub(crate) fn normalise(parser: &mut Parser<'_>, op: Op, text: &str) -> Result<(), ParseFailed> {
    let kind = parser.m.kind(op);
    for key in operands_of(kind) {
        let Some(number) = parser.m.int_attr(op, key) else {
            continue;
        };
        parser.m.remove_attr(op, key);
        let constant = parser.i32_constant(i64::from(number as i32), text)?;
        parser.m.add_operand(op, constant);
    }
    for key in ["pred", "iterator_types"] {
        let stored = parser.m.attr(op, key);
        if let Some(value) = stored.and_then(|value| stored::unform(kind, key, value)) {
            parser.m.set_attr(op, key, value);
        }
    }
    match kind {
        OpKind::DmaBd => bd(parser, op),
        OpKind::NpuRtpWrite => {
            if let Some(name) = parser.m.str_attr(op, "buffer").map(str::to_string) {
                parser.m.set_attr(op, "buffer", Attr::symbol(name));
            }
        }
        OpKind::LinalgFill | OpKind::LinalgCopy | OpKind::LinalgMatmul => {
            linalg::complete(&mut parser.m, op);
        }
        _ => {}
    }
    Ok(())
}

/// Attributes of a BD that have other names today.
pub(super) fn bd(parser: &mut Parser<'_>, op: Op) {
    for (old, new) in [("offset", "static_offset"), ("len", "static_len")] {
        if parser.m.attr(op, new).is_none()
            && let Some(value) = parser.m.remove_attr(op, old)
        {
            parser.m.set_attr(op, new, value);
        }
    }
    if parser.m.attr(op, "static_sizes").is_none()
        && let Some(Attr::BdDims(dims)) = parser.m.remove_attr(op, "dimensions")
    {
        let sizes = Attr::i64_array(dims.iter().map(|d| d.size));
        let strides = Attr::i64_array(dims.iter().map(|d| d.stride));
        parser.m.set_attr(op, "static_sizes", sizes);
        parser.m.set_attr(op, "static_strides", strides);
    }
    if parser.m.attr(op, "operandSegmentSizes").is_none() && parser.m.num_operands(op) == 1 {
        parser
            .m
            .set_attr(op, "operandSegmentSizes", Attr::i32_array([1, 0, 0, 0, 0]));
    }
}
