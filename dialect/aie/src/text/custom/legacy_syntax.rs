//! Early-2025 spellings that arrive in generic form or in attribute dictionaries, and what generic
//! form may leave out.

use crate::ir::{Attr, BdDim, Op};
use crate::ops::OpKind;
use crate::text::parse::{ParseFailed, Parser, codes};
use aiec_device::DeviceModel;
use aiec_diag::Diag;

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
        OpKind::Device => ambiguous_device(parser, op, text),
        OpKind::DmaBd => bd(parser, op)?,
        OpKind::ObjectFifoAcquire | OpKind::ObjectFifoRelease => {
            stored::set_implied(&mut parser.m, op);
        }
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

/// The number of npu1_4col in early 2025, and so the first one that is another device's today
/// (`mlir-aie: include/aie/Dialect/AIE/IR/AIEAttrs.td`).
const FIRST_RENUMBERED_DEVICE: i64 = 8;

/// Generic form names devices by numbers, which changed when npu1_4col went.
fn ambiguous_device(parser: &mut Parser<'_>, op: Op, text: &str) {
    let number = parser.m.int_attr(op, "device");
    let Some(number) = number.filter(|n| *n >= FIRST_RENUMBERED_DEVICE) else {
        return;
    };
    let name = |n: i64| DeviceModel::by_value(n).map(|model| model.name());
    let (Some(today), before) = (name(number), name(number - 1)) else {
        return;
    };
    let before = match number {
        FIRST_RENUMBERED_DEVICE => "npu1_4col",
        _ => before.unwrap_or("another device"),
    };
    let message = format!("device {number} is read as {today}; before mid-2025 it was {before}");
    let span = parser.cursor.span(text);
    parser.cursor.remark(
        Diag::note(&codes::DEVICE_NUMBER, message)
            .label(span, "a device by number")
            .help(format!(
                "write `aie.device({today})`, or the other one's name"
            )),
    );
}

/// Attributes of a BD that have other names today.
pub(super) fn bd(parser: &mut Parser<'_>, op: Op) -> Result<(), ParseFailed> {
    for (old, new) in [("offset", "static_offset"), ("len", "static_len")] {
        if parser.m.attr(op, new).is_none()
            && let Some(value) = parser.m.remove_attr(op, old)
        {
            parser.m.set_attr(op, new, value);
        }
    }
    if let Some(written) = parser.m.remove_attr(op, "dimensions") {
        let Some(dims) = dimensions(&written) else {
            return Err(refused_dimensions(parser, op, "isn't a list of dimensions"));
        };
        if parser.m.attr(op, "static_sizes").is_some() {
            return Err(refused_dimensions(
                parser,
                op,
                "comes beside `sizes` and `strides`",
            ));
        }
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
    Ok(())
}

/// A list of dimensions, or one of lists of them.
fn dimensions(attr: &Attr) -> Option<Vec<BdDim>> {
    match attr {
        Attr::BdDims(dims) => Some(dims.to_vec()),
        Attr::Array(list) => {
            let parts: Option<Vec<Vec<BdDim>>> = list.iter().map(dimensions).collect();
            Some(parts?.concat())
        }
        _ => None,
    }
}

fn refused_dimensions(parser: &mut Parser<'_>, op: Op, why: &str) -> ParseFailed {
    let message = format!("the attribute `dimensions` of `aie.dma_bd` {why}");
    let span = parser.m.span(op);
    parser.cursor.report(
        Diag::error(&codes::BAD_ATTRIBUTE, message)
            .label(span, "this BD")
            .help("write `sizes = [2, 4] strides = [8, 1]` after the buffer, outermost first"),
    )
}
