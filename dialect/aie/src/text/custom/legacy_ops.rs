//! Older aiex operations that today's tools still read.

use super::array::PACKET_END;
use super::part::{Part::*, Syntax, T};
use super::words::{BUNDLE, LOCK_ACTION};
use crate::ir::{Op, Type};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{Fields, OpParser, Stop};
use crate::text::print::Printer;

#[rustfmt::skip]
pub(super) static SYNTAX: &[Syntax] = &[
    Syntax::parts(OpKind::Multicast, Rule::aiex_multicast, FROM_PORT),
    Syntax::parts(OpKind::MultiDest, Rule::aiex_multi_dest, PACKET_END),
    Syntax::parts(OpKind::BroadcastPacket, Rule::aiex_broadcast_packet, FROM_PORT),
    Syntax::parts(OpKind::BroadcastPacketId, Rule::aiex_bp_id, &[
        Lit("("), Int("ID", T::I8), Lit(")"), Region, Dict,
    ]),
    Syntax::parts(OpKind::BroadcastPacketDest, Rule::aiex_bp_dest, PACKET_END),
    Syntax::parts(OpKind::Token, Rule::aiex_token, &[
        Lit("("), Int("value", T::I32), Lit(")"), Dict,
    ]),
    Syntax::parts(OpKind::UseToken, Rule::aiex_use_token, &[
        Lit(" "), Sym("tokenName"), Lit("("), Enum("action", &LOCK_ACTION), Lit(", "),
        Int("value", T::I32), Lit(")"), Dict,
    ]),
    Syntax::own(OpKind::Memcpy, Rule::aiex_memcpy, parse_memcpy, print_memcpy),
];

/// `(%tile, DMA : 0) { … }`
const FROM_PORT: &[super::part::Part] = &[
    Lit("("),
    Val(T::Index),
    Lit(", "),
    Enum("bundle", &BUNDLE),
    Lit(" : "),
    Int("channel", T::I32),
    Lit(")"),
    Region,
    Dict,
];

const ENDS: [[&str; 2]; 2] = [["srcOffset", "srcLen"], ["dstOffset", "dstLen"]];

fn parse_memcpy(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.symbol("tokenName")?;
    for key in ["acqValue", "relValue"] {
        p.int(key, T::I32)?;
    }
    for keys in ENDS {
        let end = p.next()?;
        let mut end = Fields::of(end);
        let tile = end.next(p.parser)?;
        p.build.operand(&tile, Type::Index);
        let buffer = end.next(p.parser)?;
        p.build.operand(&buffer, Type::None);
        for key in keys {
            let value = end.next(p.parser)?;
            let value = p.parser.int_attr(value, T::I32)?;
            p.build.attr(key, value);
        }
    }
    p.dict()?;
    let types = p.next()?;
    let types = p.parser.types(Fields::of(types))?;
    let at = p.build.text;
    p.parser.same_count(at, 2, types.len())?;
    for (slot, ty) in [1, 3].into_iter().zip(types) {
        if let Some(operand) = p.build.operands.get_mut(slot) {
            operand.1 = ty;
        }
    }
    p.create()
}

fn print_memcpy(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    if let Some(token) = printer.m.attr(op, "tokenName") {
        printer.attr(token);
    }
    printer.text("(");
    printer.int(op, "acqValue");
    printer.text(", ");
    printer.int(op, "relValue");
    printer.text(") (");
    let mut buffers = Vec::new();
    for (n, keys) in ENDS.into_iter().enumerate() {
        if n > 0 {
            printer.text(", ");
        }
        printer.operand(op, 2 * n);
        printer.text(" : <");
        printer.operand(op, 2 * n + 1);
        buffers.extend(printer.m.operand(op, 2 * n + 1));
        for key in keys {
            printer.text(", ");
            printer.int(op, key);
        }
        printer.text(">");
    }
    printer.text(")");
    let hidden = [
        "tokenName",
        "acqValue",
        "relValue",
        "srcOffset",
        "srcLen",
        "dstOffset",
        "dstLen",
    ];
    printer.dict(op, &hidden);
    printer.text(" : (");
    printer.types_of(&buffers);
    printer.text(")");
}
