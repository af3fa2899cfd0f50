//! Traces.
//! Source of the forms: `mlir-aie: include/aie/Dialect/AIE/IR/AIETraceOps.td`.

use super::part::{DefaultAttr, Part::*, Syntax, T};
use super::region_style;
use super::words::{BUNDLE, COMBO_LOGIC, DIRECTION, EDGE_TRIGGER, TRACE_MODE, TRACE_PACKET};
use crate::ir::{Attr, Op, Type};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{OpParser, Stop, unescape};
use crate::text::print::{Printer, escape};

#[rustfmt::skip]
pub(super) static SYNTAX: &[Syntax] = &[
    Syntax::parts(OpKind::Trace, Rule::aie_trace, &[
        Lit(" "), SymName, Lit("("), Val(T::Index), Lit(")"), Region, Dict,
    ]),
    Syntax::own(OpKind::TraceConfig, Rule::aie_trace_config, parse_config, print_config),
    Syntax::parts(OpKind::TraceMode, Rule::aie_trace_mode, &[
        Lit(" "), Enum("mode", &TRACE_MODE), Dict,
    ]),
    Syntax::parts(OpKind::TraceEvent, Rule::aie_trace_event, &[
        Lit(" "), Event("event"), OptStr(" label = ", "label"), Dict,
    ]),
    Syntax::own(OpKind::TracePacket, Rule::aie_trace_packet, parse_packet, print_packet),
    Syntax::parts(OpKind::TracePort, Rule::aie_trace_port, &[
        Lit("<"), Int("slot", T::I32), Lit("> port = "), Enum("port", &BUNDLE),
        Lit(" channel = "), Int("channel", T::I32), Lit(" direction = "),
        Enum("direction", &DIRECTION), Dict,
    ]),
    Syntax::parts(OpKind::TraceComboEvent, Rule::aie_trace_combo_event, &[
        Lit("<"), Int("slot", T::I32), Lit("> "), Event("eventA"), Lit(" "),
        Enum("logic", &COMBO_LOGIC), Lit(" "), Event("eventB"), Dict,
    ]),
    Syntax::parts(OpKind::TraceEdgeEvent, Rule::aie_trace_edge_event, &[
        Lit("<"), Int("slot", T::I32), Lit("> event = "), Event("event"), Lit(" trigger = "),
        Enum("trigger", &EDGE_TRIGGER), Dict,
    ]),
    Syntax::parts(OpKind::TraceStart, Rule::aie_trace_start, WHEN),
    Syntax::parts(OpKind::TraceStop, Rule::aie_trace_stop, WHEN),
    Syntax::own(OpKind::TraceReg, Rule::aie_trace_reg, parse_reg, print_reg),
    Syntax::parts(OpKind::TraceHostConfig, Rule::aie_trace_host_config, &[Dict]).defaults(&[
        ("reuse_output_buffer", DefaultAttr::Bool(false)),
        ("routing", DefaultAttr::Int(0)),
        ("egress_shim_col", DefaultAttr::Int(0)),
    ]),
    Syntax::parts(OpKind::TraceStartConfig, Rule::aie_trace_start_config, &[
        Lit(" "), Sym("trace_config"), Dict,
    ]),
];

/// `broadcast = 15` or `event = <"X">`
const WHEN: &[super::part::Part] = &[
    OptInt(" broadcast = ", "broadcast", T::I32),
    OptEvent(" event = ", "event"),
    Dict,
];

fn parse_config(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.sym_name()?;
    p.operand(Type::Index)?;
    if let Some(packet) = p.fields.take(Rule::word) {
        let packet = p.parser.enum_attr(packet, &TRACE_PACKET)?;
        p.build.attr("packet_type", packet);
    }
    let op = p.create()?;
    p.parser
        .region(op, &[], region_style(OpKind::TraceConfig))?;
    p.parser.trailing_dict(op)?;
    Ok(op)
}

fn print_config(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    printer.symbol(printer.m.str_attr(op, "sym_name").unwrap_or(""));
    printer.text("(");
    printer.operand(op, 0);
    printer.text(")");
    if let Some(packet) = printer.m.int_attr(op, "packet_type") {
        printer.text(" packet_type = ");
        printer.text(&TRACE_PACKET.print(packet));
    }
    printer.text(" ");
    printer.region(op, 0);
    printer.dict(op, &["sym_name", "packet_type"]);
}

fn parse_packet(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    if let Some(id) = p.fields.take(Rule::int) {
        let id = p.parser.int_attr(id, T::I32)?;
        p.build.attr("id", id);
    }
    p.word("type", &TRACE_PACKET)?;
    p.dict()?;
    p.create()
}

fn print_packet(printer: &mut Printer<'_>, op: Op) {
    if printer.m.attr(op, "id").is_some() {
        printer.text(" id = ");
        printer.int(op, "id");
    }
    printer.text(" type = ");
    let kind = printer.m.int_attr(op, "type").unwrap_or(0);
    printer.text(&TRACE_PACKET.print(kind));
    printer.dict(op, &["id", "type"]);
}

/// The value is a number, or the name of an event.
fn parse_reg(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    let register = p.next()?;
    p.build
        .attr("reg_name", Attr::str(unescape(register.as_str())));
    if let Some(mut field) = p.fields.group(Rule::trace_field) {
        let field = field.next(p.parser)?;
        p.build.attr("field", Attr::str(unescape(field.as_str())));
    }
    let value = p.next()?;
    let value = match value.as_rule() {
        Rule::int => p.parser.int_attr(value, T::I32)?,
        Rule::string => Attr::str(unescape(value.as_str())),
        _ => Attr::str(value.as_str()),
    };
    p.build.attr("value", value);
    if let Some(mask) = p.fields.take(Rule::int) {
        let mask = p.parser.int_attr(mask, T::I32)?;
        p.build.attr("mask", mask);
    }
    if let Some(comment) = p.fields.take(Rule::string) {
        p.build
            .attr("comment", Attr::str(unescape(comment.as_str())));
    }
    p.dict()?;
    p.create()
}

fn print_reg(printer: &mut Printer<'_>, op: Op) {
    let m = printer.m;
    for (word, key) in [(" register = ", "reg_name"), (" field = ", "field")] {
        print_string(printer, op, word, key);
    }
    printer.text(" value = ");
    match m.attr(op, "value") {
        Some(Attr::Int(n, _)) => printer.text(&n.to_string()),
        Some(Attr::Str(name)) if name.contains("::") => printer.text(name),
        Some(value) => printer.attr(value),
        None => {}
    }
    if m.attr(op, "mask").is_some() {
        printer.text(" mask = ");
        printer.int(op, "mask");
    }
    print_string(printer, op, " comment = ", "comment");
    printer.dict(op, &["reg_name", "field", "value", "mask", "comment"]);
}

fn print_string(printer: &mut Printer<'_>, op: Op, word: &str, key: &str) {
    if let Some(text) = printer.m.str_attr(op, key) {
        let text = escape(text);
        printer.text(word);
        printer.text(&format!("\"{text}\""));
    }
}
