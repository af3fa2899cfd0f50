//! Lines about commands, as the reference driver prints them with `REFSI_DEBUG=cmp`.

use crate::command::Command;
use crate::dma;
use crate::memory_map::PERF_COUNTERS;
use crate::register::Name;
use crate::table::opcode;
use crate::unit::Unit;

/// The line of a command; `loaded` is the value that a register took or gave.
pub fn line(command: &Command, loaded: u64) -> String {
    let v = &command.values;
    let register = Name(v[0]);
    let text = match command.opcode() {
        opcode::NOP => "CMP_NOP".to_owned(),
        opcode::FINISH => "CMP_FINISH".to_owned(),
        opcode::WRITE_REG64 => format!("CMP_WRITE_REG64({register}, 0x{:x})", v[1]),
        opcode::LOAD_REG64 | opcode::STORE_REG64 => {
            let (name, place) = (command.name(), place(v[1]));
            format!("CMP_{name}({register}, {place}) -> 0x{loaded:x}")
        }
        opcode::STORE_IMM64 => format!("CMP_STORE_IMM64(0x{:x}, {})", v[1], place(v[0])),
        opcode::COPY_MEM64 => {
            let unit = Unit::of(v[3]).map_or_else(|| format!("0x{:x}", v[3]), |u| u.to_string());
            let (from, to) = (place(v[1]), place(v[2]));
            format!("CMP_COPY_MEM64({from}@{unit}, {to}, {})", v[0])
        }
        opcode::RUN_KERNEL_SLICE => {
            format!(
                "CMP_RUN_KERNEL_SLICE(n={}, slice_id={}, max_harts={})",
                v[1], v[2], v[0]
            )
        }
        opcode::RUN_INSTANCES => {
            let arguments = command.arguments().iter();
            let arguments: String = arguments.map(|a| format!(", 0x{a:x}")).collect();
            format!(
                "CMP_RUN_INSTANCES(n={}, max_harts={}{arguments})",
                v[2], v[0]
            )
        }
        _ => format!("CMP_SYNC_CACHE(flags=0x{:x})", v[0]),
    };
    format!("[CMP] {text}")
}

/// An address as the driver writes it.
fn place(address: u64) -> String {
    match dma::name_at(address) {
        Some(name) => name.to_owned(),
        None if address == PERF_COUNTERS.base => PERF_COUNTERS.name.to_owned(),
        None => format!("0x{address:x}"),
    }
}
