//! Values of options: the meaning of their texts, and errors in them.

use std::path::PathBuf;

use aiec_device::DeviceModel;
use aiec_diag::did_you_mean;
use aiec_emit::EmitKind;
use aiec_passes::jobs::Jobs;
use aiec_passes::pipelines::{all_passes, find_pass};
use aiec_passes::reconfigure::Reconfigure;
use aiec_passes::reconfigure::prologue::Prologue;
use aiec_sim::cert::Probe;
use aiec_sim::trace::Format as TraceFormat;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::emit_kinds::{all_kinds, find_kind};

/// Reads the name of a kind of the table.
pub fn emit_kind() -> impl TypedValueParser<Value = &'static EmitKind> {
    let values = all_kinds().map(|kind| PossibleValue::new(kind.name).help(kind.summary));
    PossibleValuesParser::new(values).try_map(|name| find_kind(&name).ok_or("unknown kind"))
}

/// Reads a format of traces.
pub fn trace_format() -> impl TypedValueParser<Value = TraceFormat> {
    let values = TraceFormat::ALL.map(|(_, name, what)| PossibleValue::new(name).help(what));
    PossibleValuesParser::new(values)
        .try_map(|name| TraceFormat::of_ending(&name).ok_or("unknown format"))
}

/// Reads a way to divide jobs.
pub fn jobs() -> impl TypedValueParser<Value = Jobs> {
    let values = Jobs::ALL.map(|jobs| PossibleValue::new(jobs.name()));
    PossibleValuesParser::new(values).try_map(|name| Jobs::by_name(&name).ok_or("unknown way"))
}

/// Reads a way to load devices.
pub fn reconfigure() -> impl TypedValueParser<Value = Reconfigure> {
    let values = Reconfigure::ALL.map(|way| PossibleValue::new(way.name()));
    PossibleValuesParser::new(values)
        .try_map(|name| Reconfigure::by_name(&name).ok_or("unknown way"))
}

/// Parses the prologue.
pub fn prologue() -> impl TypedValueParser<Value = Prologue> {
    let values = Prologue::ALL.map(|what| PossibleValue::new(what.name()));
    PossibleValuesParser::new(values)
        .try_map(|name| Prologue::by_name(&name).ok_or("unknown prologue"))
}

/// The device of a name, or a message with the names that exist.
pub fn device(name: &str) -> Result<&'static DeviceModel, String> {
    DeviceModel::by_name(name).ok_or_else(|| {
        let names = DeviceModel::all().map(DeviceModel::name);
        match did_you_mean(name, names) {
            Some(near) => format!("no such device; did you mean '{near}'?"),
            None => "no such device; `aiec devices` lists them".to_string(),
        }
    })
}

fn indexed(text: &str) -> Result<(u32, &str), String> {
    let (index, value) = text
        .split_once('=')
        .ok_or("expected N=…, N being the number of an argument of the runtime sequence")?;
    let index = index
        .parse()
        .map_err(|_| format!("'{index}' is not the number of an argument"))?;
    Ok((index, value))
}

/// `N=FILE`
pub fn indexed_path(text: &str) -> Result<(u32, PathBuf), String> {
    match indexed(text)? {
        (_, "") => Err("the file's name is missing after '='".to_string()),
        (index, path) => Ok((index, PathBuf::from(path))),
    }
}

/// A finite number from 0 on.
pub fn tolerance(text: &str) -> Result<f64, String> {
    let number = text.parse().ok();
    let number = number.filter(|number: &f64| *number >= 0.0 && number.is_finite());
    number.ok_or_else(|| "it isn't a finite number from 0 on".to_string())
}

/// `NAME=…`
fn named<'t>(text: &'t str, what: &str) -> Result<(String, &'t str), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok((name.to_string(), value))
        }
        _ => Err(format!("expected NAME={what}")),
    }
}

/// `NAME=LIB.so`
pub fn named_path(text: &str) -> Result<(String, PathBuf), String> {
    let (name, path) = named(text, "LIB.so, NAME being that of a function of the design")?;
    Ok((name, PathBuf::from(path)))
}

/// A number of cycles.
pub fn cycles(text: &str) -> Result<u64, String> {
    let number = text.parse();
    number.map_err(|_| format!("it isn't a number of cycles from 0 to {}", u64::MAX))
}

/// Parses the seed of random numbers.
pub fn seed(text: &str) -> Result<u64, String> {
    let number = text.parse();
    number.map_err(|_| format!("a seed is a number from 0 to {}", u64::MAX))
}

/// `NAME=N`
pub fn named_cycles(text: &str) -> Result<(String, u64), String> {
    let (name, cycles) = named(text, "N, N being a number of cycles")?;
    let number = cycles
        .parse()
        .map_err(|_| format!("'{cycles}' is not a number of cycles"))?;
    Ok((name, number))
}

/// `N=BYTES`
pub fn indexed_size(text: &str) -> Result<(u32, u64), String> {
    let (index, size) = indexed(text)?;
    let size = size
        .parse()
        .map_err(|_| format!("'{size}' is not a number of bytes"))?;
    Ok((index, size))
}

/// `N=VALUE`, VALUE being an integer, also with a sign or as 0x…, or `true` or `false`.
pub fn indexed_number(text: &str) -> Result<(u32, i128), String> {
    let (index, value) = indexed(text)?;
    let (negative, digits) = match value.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, value),
    };
    let number = match digits {
        "true" if !negative => Some(1),
        "false" if !negative => Some(0),
        digits => match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => digits.parse().ok(),
        },
    };
    let number = number.ok_or_else(|| format!("'{value}' isn't an integer of 64 bits"))?;
    let number = i128::from(number);
    Ok((index, if negative { -number } else { number }))
}

/// `NAME=ADDRESS`
pub fn symbol_address(text: &str) -> Result<(String, u32), String> {
    let (name, address) = text.split_once('=').ok_or("write NAME=ADDRESS")?;
    let number = match address.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => address.parse(),
    };
    let number = number.map_err(|_| format!("`{address}` isn't an address"))?;
    Ok((name.to_owned(), number))
}

/// The name of a pass, or nothing.
pub fn pass_name(text: &str) -> Result<String, String> {
    if text.is_empty() || find_pass(text).is_some() {
        return Ok(text.to_string());
    }
    Err(
        match did_you_mean(text, all_passes().map(|pass| pass.name)) {
            Some(near) => format!("there is no pass of this name; did you mean '{near}'?"),
            None => "there is no pass of this name; `aiec opt --help` lists them".to_string(),
        },
    )
}

/// `UC:PAGE:OFFSET`; numbers may be hexadecimal.
pub fn probe(text: &str) -> Result<Probe, String> {
    let number = |part: &str| match part.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => part.parse().ok(),
    };
    let parts: Vec<u32> = text.split(':').map_while(number).collect();
    let bad = || format!("'{text}' is not UC:PAGE:OFFSET, three numbers");
    match parts[..] {
        [uc, page, offset] if text.split(':').count() == 3 => Ok(Probe {
            uc,
            page: page.try_into().map_err(|_| bad())?,
            offset: offset.try_into().map_err(|_| bad())?,
        }),
        _ => Err(bad()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_are_integers() {
        assert_eq!(indexed_number("2=16"), Ok((2, 16)));
        assert_eq!(indexed_number("0=-0x10"), Ok((0, -16)));
        assert_eq!(indexed_number("1=true"), Ok((1, 1)));
        assert_eq!(
            indexed_number("0=18446744073709551615"),
            Ok((0, i128::from(u64::MAX)))
        );
        for bad in ["0=", "0=x", "x=1", "0=--1", "0=18446744073709551616", "1"] {
            assert!(indexed_number(bad).is_err(), "{bad}");
        }
    }
}
