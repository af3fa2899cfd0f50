//! `aie-inline-trace-config`: the writes of a trace configuration are where the runtime
//! sequence starts the trace.

use aiec_aie::ir::{InsertPoint, Module, Op, SymbolTable};
use aiec_aie::ops::{Device, OpKind, OpView, TraceConfig, TraceReg, TraceStartConfig};
use aiec_diag::{Diag, MlirAieReport, Reported, did_you_mean};

use super::host::write32;
use super::registers::TraceUnit;
use super::{INCOMPLETE, ORDER, REGISTER, unit_of};
use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-inline-trace-config", run)
    .summary("Write the registers of a trace where a runtime sequence starts it")
    .postconditions(&["no aie.trace.start_config is left"]);

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let Some(model) = Device(device).model(module) else {
        return Ok(());
    };
    let symbols = SymbolTable::of(module, device);
    for start in module.find_all::<TraceStartConfig>(device) {
        let name = start.trace_config(module);
        let found = symbols.get(&name);
        let Some(config) = found.and_then(|op| TraceConfig::cast(module, op)) else {
            context.report(missing(module, device, start, found));
            continue;
        };
        let Some(unit) = unit_of(module, model, config) else {
            super::flows::unplaced(module, config.tile(module), PASS.name, context);
            continue;
        };
        for reg in module.children::<TraceReg>(config.op()) {
            if let Err(diag) = write(module, start, (config, reg), unit, context.pass) {
                context.report(*diag);
                // The others have the same cause.
                break;
            }
        }
        module.erase(start.op());
        context.count("traces started", 1);
    }
    context.diags.check()
}

fn missing(module: &Module, device: Op, start: TraceStartConfig, found: Option<Op>) -> Diag {
    let name = start.trace_config(module);
    let configs = module.children::<TraceConfig>(device);
    let names = configs.iter().map(|config| config.sym_name(module));
    let names: Vec<_> = names.collect();
    let help = match (found, did_you_mean(&name, names.iter().map(|name| &**name))) {
        (Some(op), _) if module.kind(op) == OpKind::Trace => {
            "run aie-trace-to-config and aie-trace-pack-reg-writes before".to_string()
        }
        (_, Some(near)) => format!("did you mean `@{near}`?"),
        _ => "name an aie.trace or aie.trace.config of this device".to_string(),
    };
    let code = match found {
        Some(_) => &ORDER,
        None => &INCOMPLETE,
    };
    Diag::error(code, format!("there is no trace configuration `@{name}`"))
        .label(module.span(start.op()), "started here")
        .help(help)
        .mlir_aie(MlirAieReport::plain(format!(
            "trace config symbol '{name}' not found"
        )))
}

/// Writes one register in front of the start.
fn write(
    module: &mut Module,
    start: TraceStartConfig,
    (config, reg): (TraceConfig, TraceReg),
    unit: TraceUnit,
    pass: &'static str,
) -> Result<(), Box<Diag>> {
    let op = reg.op();
    let name = reg.reg_name(module);
    if reg.field(module).is_some() {
        let diag = Diag::error(&ORDER, format!("the fields of {name} aren't packed"))
            .label(module.span(config.op()), "this trace")
            .help("run aie-trace-pack-reg-writes before")
            .mlir_aie(MlirAieReport::plain(
                "aie.trace.reg still has field attribute - run -aie-trace-pack-reg-writes pass \
                 first",
            ));
        return Err(Box::new(diag));
    }
    let Some((offset, _)) = unit.register(&name) else {
        let message = format!("a {} module has no register `{name}`", unit.part);
        let diag = Diag::error(&REGISTER, message)
            .label(module.span(op), format!("on {}", unit.loc))
            .help("write its name as the register manual does");
        return Err(Box::new(diag));
    };
    let value = reg.value(module).and_then(|value| value.as_int());
    let value = value.unwrap_or(0) as u32;
    let loc = module.derived_loc(pass, op);
    let mut at = InsertPoint::Before(start.op());
    write32(module, loc, &mut at, unit.loc, offset, value);
    Ok(())
}
