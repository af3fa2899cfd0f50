//! `aie-trace-pack-reg-writes`: the fields of a register become one value with its mask.

use aiec_aie::ir::{Attr, Module, Op};
use aiec_aie::ops::{Device, NoAttr, OpView, TraceConfig, TraceReg};
use aiec_diag::{Diag, MlirAieReport, Reported, did_you_mean};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::registers::TraceUnit;
use super::{EVENT, REGISTER, event_text, unit_of};
use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-trace-pack-reg-writes", run)
    .summary("Join the fields of each register that a trace configuration writes")
    .postconditions(&[
        "each aie.trace.reg has a mask and no field",
        "none writes the same register twice",
    ]);

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let Some(model) = Device(device).model(module) else {
        return Ok(());
    };
    for config in module.children::<TraceConfig>(device) {
        if let Some(unit) = unit_of(module, model, config) {
            pack(module, config, unit, context);
        }
    }
    context.diags.check()
}

/// Writes to one register so far.
struct Word {
    first: Op,
    value: u32,
    mask: u32,
    comments: Vec<String>,
}

fn pack(module: &mut Module, config: TraceConfig, unit: TraceUnit, context: &mut PassContext<'_>) {
    let registers = module.children::<TraceReg>(config.op());
    let mut words: IndexMap<String, Word, FxBuildHasher> = IndexMap::default();
    for reg in &registers {
        let (op, name) = (reg.op(), reg.reg_name(module).to_string());
        let part = match (reg.field(module), reg.mask(module)) {
            (Some(field), None) => field_bits(module, &registers, *reg, &field, unit),
            // Without a mask a whole register.
            (_, mask) => reg
                .value(module)
                .and_then(|value| value.as_int())
                .map(|value| (value as u32, mask.map_or(u32::MAX, |mask| mask as u32)))
                .ok_or_else(|| bad_value(module, *reg)),
        };
        let (value, mask) = match part {
            Ok(part) => part,
            Err(diag) => {
                context.report(*diag);
                continue;
            }
        };
        let comment = reg.comment(module).map(|text| text.to_string());
        let word = words.entry(name.clone()).or_insert_with(|| Word {
            first: op,
            value: 0,
            mask: 0,
            comments: Vec::new(),
        });
        if word.mask & mask != 0 {
            let message = format!("bits {:#x} of {name} are written twice", word.mask & mask);
            let text = format!(
                "Overlapping masks for register {name}: mask1={} mask2={mask}",
                word.mask
            );
            let diag = Diag::error(&REGISTER, message)
                .label(module.span(op), "here")
                .label(module.span(word.first), "and here")
                .help("write each field of a register once")
                .mlir_aie(MlirAieReport::plain(text).at(module.span(word.first)));
            context.report(diag);
            continue;
        }
        word.value |= value & mask;
        word.mask |= mask;
        word.comments.extend(comment);
    }
    for reg in registers {
        if !words.values().any(|word| word.first == reg.op()) {
            module.erase(reg.op());
        }
    }
    for word in words.into_values() {
        let reg = TraceReg(word.first).edit(module).field(NoAttr);
        let reg = reg
            .value(Attr::i32(word.value as i32))
            .mask(word.mask as i32);
        if !word.comments.is_empty() {
            reg.comment(word.comments.join(" + "));
        }
    }
}

fn bad_value(module: &Module, reg: TraceReg) -> Box<Diag> {
    let diag = Diag::error(
        &REGISTER,
        "this value is neither a number, an event nor a port",
    )
    .label(module.span(reg.op()), "here")
    .help("write a number, the name of an event in quotes, or a port as \"South:1\"");
    Box::new(diag)
}

/// The value of a field, at its place, and its mask.
fn field_bits(
    module: &Module,
    all: &[TraceReg],
    reg: TraceReg,
    field: &str,
    unit: TraceUnit,
) -> Result<(u32, u32), Box<Diag>> {
    let op = reg.op();
    let name = reg.reg_name(module);
    let refuse = |message: String, help: String, mlir_aie: String| {
        let diag = Diag::error(&REGISTER, message)
            .label(module.span(op), format!("on {}", unit.loc))
            .help(help)
            .mlir_aie(MlirAieReport::plain(mlir_aie));
        Box::new(diag)
    };
    let Some((_, register)) = unit.register(&name) else {
        return Err(refuse(
            format!("a {} module has no register `{name}`", unit.part),
            match unit.part {
                aiec_device::regmap::Module::Memory if name.starts_with("Stream_Switch") => {
                    "the core module has the stream switch: name ports in a trace of it".to_string()
                }
                _ => "write its name as the register manual does".to_string(),
            },
            format!("Register not found in database: {name}"),
        ));
    };
    let Some(bits) = register.field(field) else {
        let names = register.fields().iter().map(|field| field.name);
        let help = match did_you_mean(field, names.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it has {}", names.collect::<Vec<_>>().join(", ")),
        };
        return Err(refuse(
            format!("{name} has no field `{field}`"),
            help,
            format!("Field not found in register: {field} in {name}"),
        ));
    };
    let value = reg.value(module);
    let number = match &value {
        None => return Err(bad_value(module, reg)),
        Some(Attr::Int(n, _)) => u32::try_from(*n).ok(),
        Some(value) => {
            let text = event_text(value).ok_or_else(|| bad_value(module, reg))?;
            let is_port = text.contains(':') && !text.contains("::");
            let number = if is_port {
                unit.port(&text, is_master(module, all, &name, field))
            } else {
                unit.event(&text)
            };
            if number.is_none() && is_port {
                return Err(refuse(
                    format!("{} has no port {text} of that direction", unit.loc),
                    "S2MM watches an output of the stream switch, MM2S an input".to_string(),
                    format!("Failed to resolve port value: {text}"),
                ));
            }
            if number.is_none() {
                let diag = Diag::error(&EVENT, format!("there is no event `{text}`"))
                    .label(module.span(op), format!("on {}", unit.loc))
                    .help(unit.event_help(&text))
                    .mlir_aie(MlirAieReport::plain(format!(
                        "unknown trace event '{text}'"
                    )));
                return Err(Box::new(diag));
            }
            number.map(u32::from)
        }
    };
    match number.filter(|n| *n <= bits.max()) {
        Some(number) => Ok((bits.set(0, number), bits.mask())),
        None => Err(refuse(
            format!("{name}.{field} can't hold this value"),
            format!("it has {} bits: 0..={}", bits.width(), bits.max()),
            format!("Invalid field bit range for register write: {name}.{field}"),
        )),
    }
}

/// Whether a `Port_N_ID` counts among the masters: its `Port_N_Master_Slave` says so.
fn is_master(module: &Module, all: &[TraceReg], register: &str, field: &str) -> bool {
    let Some(slot) = field.strip_suffix("_ID") else {
        return false;
    };
    let wanted = format!("{slot}_Master_Slave");
    all.iter()
        .filter(|reg| *reg.reg_name(module) == *register)
        .find(|reg| reg.field(module).is_some_and(|field| *field == *wanted))
        .and_then(|reg| reg.value(module)?.as_int())
        .is_some_and(|value| value != 0)
}
