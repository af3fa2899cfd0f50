//! `aie-trace-to-config`: each `aie.trace` becomes an `aie.trace.config` with one
//! `aie.trace.reg` for each register field; what starts the trace names the configuration.
//!
//! Order: derived events first (combinations and edges), then start, stop, mode and packets in
//! the order of the trace, ports, and the eight events.

use aiec_aie::ir::{Attr, InsertPoint, Loc, Module, Op};
use aiec_aie::ops::netlist::tile_loc;
use aiec_aie::ops::{
    Device, End, OpKind, OpView, Trace, TraceComboEvent, TraceConfig, TraceEdgeEvent, TraceEvent,
    TraceMode, TracePacket, TracePort, TraceReg, TraceStartConfig,
};
use aiec_device::DmaDir;
use aiec_device::regmap::Module as Part;
use aiec_diag::{Diag, MlirAieReport, Reported};

use super::registers::{TraceUnit, last_part, no_registers};
use super::{EVENT, ORDER, PacketType, event_attr, event_text, stated_type};
use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-trace-to-config", run)
    .summary("Say each trace as register fields of the traced module")
    .postconditions(&["no aie.trace is left", "each has an aie.trace.config"]);

/// Events that a trace unit records (AM020, trace units: eight event slots).
const EVENT_SLOTS: usize = 8;
/// Slots of a port selection register (AM025, `Stream_Switch_Event_Port_Selection_0..1`), and
/// events of a trace event register (`Trace_Event0..1`).
const SLOTS_PER_REGISTER: usize = 4;

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let Some(model) = Device(device).model(module) else {
        return Ok(());
    };
    let mut renamed = Vec::new();
    for trace in module.children::<Trace>(device) {
        let loc = trace.tile(module).and_then(|tile| tile_loc(module, tile));
        let Some(loc) = loc else {
            super::flows::unplaced(module, trace.tile(module), PASS.name, context);
            continue;
        };
        let packets = stated_type(module, trace);
        let Some(unit) = TraceUnit::of(model, loc, packets) else {
            context.report(no_registers(model).label(module.span(trace.op()), "this trace"));
            continue;
        };
        let fields = Fields::of(module, trace, unit, context);
        let name = format!("{}_config", trace.sym_name(module));
        write(module, trace, &name, packets, fields, context.pass);
        renamed.push((trace.sym_name(module).to_string(), name));
        module.erase(trace.op());
        context.count("traces", 1);
    }
    for start in module.find_all::<TraceStartConfig>(device) {
        let named = start.trace_config(module);
        if let Some((_, config)) = renamed.iter().find(|(trace, _)| **trace == *named) {
            start.edit(module).trace_config(config.as_str());
        }
    }
    context.diags.check()
}

/// A register field to be.
struct Field {
    register: String,
    field: String,
    value: Attr,
    comment: String,
    from: Op,
}

fn write(
    module: &mut Module,
    trace: Trace,
    name: &str,
    packets: Option<PacketType>,
    fields: Vec<Field>,
    pass: &'static str,
) {
    let loc = module.derived_loc(pass, trace.op());
    let Some(tile) = trace.tile(module) else {
        return;
    };
    let packets = packets.unwrap_or(PacketType::Core);
    let config = TraceConfig::build(module, loc, tile, name)
        .packet_type(packets as i32)
        .body()
        .insert(InsertPoint::After(trace.op()));
    let Some(body) = module.entry(config, 0) else {
        return;
    };
    for field in fields {
        let loc: Loc = module.derived_loc(pass, field.from);
        TraceReg::build(module, loc, field.register, field.value)
            .field(field.field)
            .comment(field.comment)
            .insert(InsertPoint::End(body));
    }
    End::build(module, loc).insert(InsertPoint::End(body));
}

/// Collects the fields of a trace.
struct Fields<'a, 'c> {
    module: &'a Module,
    unit: TraceUnit,
    context: &'a mut PassContext<'c>,
    fields: Vec<Field>,
}

impl Fields<'_, '_> {
    fn of(
        module: &Module,
        trace: Trace,
        unit: TraceUnit,
        context: &mut PassContext<'_>,
    ) -> Vec<Field> {
        let mut this = Fields {
            module,
            unit,
            context,
            fields: Vec::new(),
        };
        for combo in module.children::<TraceComboEvent>(trace.op()) {
            this.combination(combo);
        }
        for edge in module.children::<TraceEdgeEvent>(trace.op()) {
            this.edge(edge);
        }
        this.control(trace);
        for port in module.children::<TracePort>(trace.op()) {
            this.port(port);
        }
        let events = module.children::<TraceEvent>(trace.op());
        for (n, event) in events.into_iter().take(EVENT_SLOTS).enumerate() {
            this.slot(n, event);
        }
        this.fields
    }

    fn add(
        &mut self,
        from: Op,
        register: &str,
        field: impl Into<String>,
        value: Attr,
        comment: impl Into<String>,
    ) {
        self.fields.push(Field {
            register: register.to_string(),
            field: field.into(),
            value,
            comment: comment.into(),
            from,
        });
    }

    /// The name of an event as a value, if the module has it.
    fn event(&mut self, op: Op, key: &str) -> Option<Attr> {
        let text = event_text(self.module.attr(op, key)?)?;
        self.number(op, &text)?;
        Some(Attr::str(text))
    }

    /// The number of an event.
    fn number(&mut self, op: Op, text: &str) -> Option<u8> {
        let number = self.unit.event(text);
        if number.is_none() {
            let part = self.unit.part;
            let message = format!("a {part} module has no event `{text}`");
            let diag = Diag::error(&EVENT, message)
                .label(self.module.span(op), format!("traced on {}", self.unit.loc))
                .help(self.unit.event_help(text))
                .mlir_aie(MlirAieReport::plain(format!(
                    "unknown trace event '{text}'"
                )));
            self.context.report(diag);
        }
        number
    }

    fn combination(&mut self, combo: TraceComboEvent) {
        let (op, slot) = (combo.op(), combo.slot(self.module));
        // The last one combines the other two and has no inputs of its own; mlir-aie writes
        // theirs once more.
        let inputs = match slot {
            1 => ["eventC", "eventD"],
            _ => ["eventA", "eventB"],
        };
        for (key, field) in ["eventA", "eventB"].into_iter().zip(inputs) {
            if let Some(event) = self.event(op, key).filter(|_| slot != 2) {
                let comment = format!("combo{slot} {key}");
                self.add(op, "Combo_event_inputs", field, event, comment);
            }
        }
        let logic = Attr::i32(combo.logic(self.module));
        let (field, comment) = (format!("combo{slot}"), format!("combo{slot} logic"));
        self.add(op, "Combo_event_control", field, logic, comment);
    }

    fn edge(&mut self, edge: TraceEdgeEvent) {
        let (op, slot) = (edge.op(), edge.slot(self.module));
        let register = "Edge_Detection_event_control";
        if let Some(event) = self.event(op, "event") {
            let field = format!("Edge_Detection_Event_{slot}");
            self.add(op, register, field, event, format!("edge{slot} source"));
        }
        // RISING is 1, FALLING 2, BOTH 3.
        let trigger = edge.trigger(self.module);
        for (bit, way) in [(1, "Rising"), (2, "Falling")] {
            let on = Attr::i32(i32::from(trigger & bit != 0));
            let field = format!("Edge_Detection_{slot}_Trigger_{way}");
            let comment = format!("edge{slot} {}", way.to_lowercase());
            self.add(op, register, field, on, comment);
        }
    }

    /// Start, stop, mode and packets.
    fn control(&mut self, trace: Trace) {
        let module = self.module;
        let body = module.entry(trace.op(), 0);
        for op in body.map(|block| module.ops_in(block)).unwrap_or_default() {
            match module.kind(op) {
                OpKind::TraceStart => self.when(op, "Trace_Start_Event", "start event"),
                OpKind::TraceStop => self.when(op, "Trace_Stop_Event", "stop event"),
                // Only the trace units of cores have modes.
                OpKind::TraceMode if self.unit.part == Part::Core => {
                    let mode = Attr::i32(TraceMode(op).mode(module));
                    self.add(op, "Trace_Control0", "Mode", mode, "trace mode");
                }
                OpKind::TracePacket => self.packet(trace, TracePacket(op)),
                _ => {}
            }
        }
    }

    fn when(&mut self, op: Op, field: &str, comment: &str) {
        let broadcast = self.module.int_attr(op, "broadcast");
        let event = match broadcast {
            Some(channel) => Some(self.unit.broadcast_event(channel)),
            None => event_attr(self.module, op, "event"),
        };
        let number = event.and_then(|event| self.number(op, &event));
        if let Some(number) = number {
            let value = Attr::i32(number.into());
            self.add(op, "Trace_Control0", field, value, comment);
        }
    }

    fn packet(&mut self, trace: Trace, packet: TracePacket) {
        let op = packet.op();
        let Some(id) = packet.id(self.module) else {
            let message = format!("trace `@{}` has no packet id", trace.sym_name(self.module));
            let diag = Diag::error(&ORDER, message)
                .label(self.module.span(op), "here")
                .help("write `id = N`, or run aie-insert-trace-flows before, which gives ids");
            self.context.report(diag);
            return;
        };
        let kind = self.module.int_attr(op, "type").unwrap_or(0) as i32;
        for (field, value, comment) in [
            ("ID", id, "packet ID"),
            ("Packet_Type", kind, "packet type"),
        ] {
            self.add(op, "Trace_Control1", field, Attr::i32(value), comment);
        }
    }

    fn port(&mut self, port: TracePort) {
        let module = self.module;
        let (op, slot) = (port.op(), port.slot(module));
        let (Some(bundle), Some(dir)) = (port.port(module), port.direction(module)) else {
            return;
        };
        let register = format!(
            "Stream_Switch_Event_Port_Selection_{}",
            slot.max(0) as usize / SLOTS_PER_REGISTER
        );
        let value = Attr::str(format!("{bundle}:{}", port.channel(module)));
        let comment = format!("port {slot} ID");
        self.add(op, &register, format!("Port_{slot}_ID"), value, comment);
        // Traffic to S2MM channels leaves the switch through master ports.
        let master = Attr::i32(i32::from(dir == DmaDir::S2mm));
        let field = format!("Port_{slot}_Master_Slave");
        let comment = format!("port {slot} master/slave");
        self.add(op, &register, field, master, comment);
    }

    fn slot(&mut self, n: usize, event: TraceEvent) {
        let op = event.op();
        let Some(value) = self.event(op, "event") else {
            return;
        };
        let register = format!("Trace_Event{}", n / SLOTS_PER_REGISTER);
        let name = event_attr(self.module, op, "event").unwrap_or_default();
        self.add(
            op,
            &register,
            format!("Trace_Event{n}"),
            value,
            last_part(&name),
        );
    }
}
