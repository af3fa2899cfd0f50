//! The description of control packets (`--patch`): which buffers travel in the file, and where
//! addresses of host buffers go in them (aiebu: src/cpp/elf, XRT external_buffer_id.json).
//!
//! `external_buffers` is an object of buffers. One with `ctrl_pkt_buffer: true` has a `path` to
//! its contents; any other lists `control_packet_patch_locations`, or has them in the parts of
//! `coalesed_buffers` (the spelling is the format's) with an `offset_in_bytes`.

use std::path::Path;

use aiec_cert::names::Target;
use aiec_cert::program::{CtrlPacketBuffer, CtrlPacketPatch, Program};
use aiec_diag::Diag;
use serde_json::Value;

use super::codes::{DESCRIPTION, DESCRIPTION_HELP};
use super::files::Folders;
use crate::session::without_mark;

/// Where an address lies in a control packet of a target.
struct AddressField {
    /// Bytes from a location of the description back to the place of its relocation.
    back: u32,
    /// Word of the low 32 bits, counted from that place.
    low: u32,
    /// Word of the high bits.
    high: u32,
    /// Number of high bits.
    high_bits: u32,
}

fn field(target: Target) -> AddressField {
    match target {
        Target::Aie2ps => AddressField {
            back: 8,
            low: 2,
            high: 3,
            high_bits: 16,
        },
        Target::Aie4 => AddressField {
            back: 4,
            low: 2,
            high: 1,
            high_bits: 25,
        },
    }
}

/// Adds the buffers of a description to a program.
///
/// # Errors
/// The description is malformed, or names a file that can't be read or places outside of buffers.
pub fn add_ctrl_packets(
    program: &mut Program,
    path: &Path,
    json: &[u8],
    folders: &Folders,
    compat: bool,
) -> Result<(), Diag> {
    let wrong = |what: String| {
        let message = format!("{}: {what}", path.display());
        Diag::error(&DESCRIPTION, message).help(DESCRIPTION_HELP)
    };
    let description: Value =
        serde_json::from_slice(without_mark(json)).map_err(|error| wrong(error.to_string()))?;
    let buffers = description
        .get("external_buffers")
        .and_then(Value::as_object)
        .ok_or_else(|| wrong("there is no object 'external_buffers'".to_owned()))?;
    for (name, buffer) in buffers {
        let missing = |key| wrong(format!("{name} has no '{key}'"));
        if is_packets(buffer) {
            let file = text(buffer, "path").ok_or_else(|| missing("path"))?;
            let (_, bytes) = folders
                .read(file, path)
                .ok_or_else(|| wrong(format!("cannot read '{file}' of {name}")))?;
            program.ctrl_packets.push(CtrlPacketBuffer {
                id: number(buffer, "xrt_id").ok_or_else(|| missing("xrt_id"))?,
                bytes,
                patches: Vec::new(),
            });
        }
    }
    // as the vendor's assembler lists their sections
    program.ctrl_packets.sort_by_key(|packets| packets.id);
    for (name, buffer) in buffers {
        if !is_packets(buffer) {
            let argument = number(buffer, "xrt_id");
            let argument = argument.ok_or_else(|| wrong(format!("{name} has no 'xrt_id'")))?;
            let whole = std::slice::from_ref(buffer);
            let parts = buffer.get("coalesed_buffers").and_then(Value::as_array);
            for part in parts.map_or(whole, |parts| parts) {
                add_part(program, part, argument, compat, &|what| {
                    wrong(format!("{name}: {what}"))
                })?;
            }
        }
    }
    Ok(())
}

fn is_packets(buffer: &Value) -> bool {
    match buffer.get("ctrl_pkt_buffer") {
        Some(Value::Bool(yes)) => *yes,
        Some(Value::String(text)) => text == "true",
        _ => false,
    }
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}

/// A number; the vendor's reader takes it in quotes too.
fn number(value: &Value, key: &str) -> Option<u32> {
    match value.get(key)? {
        Value::String(text) => text.parse().ok(),
        number => number.as_u64()?.try_into().ok(),
    }
}

fn add_part(
    program: &mut Program,
    part: &Value,
    argument: u32,
    compat: bool,
    wrong: &dyn Fn(String) -> Diag,
) -> Result<(), Diag> {
    let delta = match part.get("offset_in_bytes") {
        None => 0,
        Some(_) => number(part, "offset_in_bytes")
            .ok_or_else(|| wrong("'offset_in_bytes' has no 32 bits".to_owned()))?,
    };
    let locations = part
        .get("control_packet_patch_locations")
        .and_then(Value::as_array);
    for location in locations.into_iter().flatten() {
        let offset = number(location, "offset");
        let offset = offset.ok_or_else(|| wrong("a location has no 'offset'".to_owned()))?;
        let id = number(location, "xrt_id");
        let target = program.target;
        let mut found = false;
        for packets in &mut program.ctrl_packets {
            // the vendor's assembler applies every location to every buffer
            if compat || id.is_none() || id == Some(packets.id) {
                add_address(packets, field(target), offset, argument, delta.into()).ok_or_else(
                    || wrong(format!("the location {offset} lies outside the buffer")),
                )?;
                found = true;
            }
        }
        if !found {
            let what = format!("a location at {offset} names no control packet buffer");
            return Err(wrong(what));
        }
    }
    Ok(())
}

/// Adds an address to a buffer; `None` if it lies outside.
fn add_address(
    packets: &mut CtrlPacketBuffer,
    field: AddressField,
    location: u32,
    argument: u32,
    delta: u64,
) -> Option<()> {
    let offset = location.checked_sub(field.back)?;
    let mut words = [0u32; 2];
    let places = [field.low, field.high].map(|word| offset as usize + 4 * word as usize);
    for (word, at) in words.iter_mut().zip(places) {
        let bytes = packets.bytes.get(at..).and_then(|b| b.first_chunk());
        *word = u32::from_le_bytes(*bytes?);
    }
    let mask = (1u32 << field.high_bits) - 1;
    let sum = (u64::from(words[1] & mask) << 32 | u64::from(words[0])).wrapping_add(delta);
    let values = [sum as u32, words[1] & !mask | (sum >> 32) as u32 & mask];
    for (value, at) in values.iter().zip(places) {
        packets.bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    packets.patches.push(CtrlPacketPatch { offset, argument });
    Some(())
}
