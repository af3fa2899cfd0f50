//! The DMA controller: a set of registers for each unit, transfers of 1, 2 and 3 dimensions.
//!
//! A transfer is complete when the write that starts it returns, as the reference driver has it;
//! that write takes the cycles of the transfer.

use crate::Reading;
use crate::dma::{
    COUNT, CTRL, DIMENSION_SHIFT, DONE_SEQ, DST_ADDR, DST_STRIDE0, SIZE0, SRC_ADDR, SRC_STRIDE0,
    START, START_SEQ, STRIDE_DST, STRIDE_SHIFT, STRIDE_SRC,
};
use crate::unit::Unit;

use super::{Access, AccessFault, Bus, Done};

/// Bytes that a transfer moves in a cycle [assumed: a port of 128 bits].
const BYTES_PER_CYCLE: u64 = 16;
/// Bytes of a transfer at most: more than memory has, in all its rows.
const MAX_BYTES: u64 = 1 << 34;
/// Bytes that are copied at once.
const BLOCK: usize = 1 << 16;

/// The registers of a unit.
#[derive(Clone, Debug)]
pub struct DmaSet {
    registers: [u64; COUNT],
}

impl Default for DmaSet {
    fn default() -> Self {
        DmaSet {
            registers: [0; COUNT],
        }
    }
}

/// A transfer that was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    source: u64,
    destination: u64,
    /// Bytes, rows, slices.
    sizes: [u64; 3],
    /// Bytes from row to row and from slice to slice.
    source_strides: [u64; 2],
    destination_strides: [u64; 2],
}

impl DmaSet {
    /// The value of a register.
    pub fn read(&self, index: usize) -> u64 {
        let value = self.registers.get(index).copied().unwrap_or(0);
        match index {
            CTRL => value & !START,
            _ => value,
        }
    }

    /// Writes a register; the transfer that this starts, if it moves anything.
    pub fn write(&mut self, index: usize, value: u64) -> Result<Option<Transfer>, String> {
        match index {
            // read-only; waits end at once, as transfers are complete when they were started
            START_SEQ | DONE_SEQ => return Ok(None),
            _ => {}
        }
        if let Some(register) = self.registers.get_mut(index) {
            *register = value;
        }
        if index != CTRL || value & START == 0 {
            return Ok(None);
        }
        let transfer = self.transfer(value)?;
        if transfer.is_some() {
            let before = self.registers[START_SEQ] as u32;
            let id = u64::from(before.wrapping_add(1).max(1));
            self.registers[START_SEQ] = id;
            self.registers[DONE_SEQ] = id;
        }
        Ok(transfer)
    }

    fn transfer(&self, control: u64) -> Result<Option<Transfer>, String> {
        let dimension = (control >> DIMENSION_SHIFT & 3) as usize;
        let mode = control >> STRIDE_SHIFT & 3;
        if dimension == 0 {
            return Err("the transfer has dimension 0; it is 1, 2 or 3".to_owned());
        }
        if dimension == 1 && mode != 0 {
            return Err("a transfer of one dimension has no strides".to_owned());
        }
        let r = &self.registers;
        let mut sizes = [r[SIZE0], r[SIZE0 + 1], r[SIZE0 + 2]];
        if sizes.iter().take(dimension).any(|size| *size == 0) {
            return Ok(None);
        }
        sizes.iter_mut().skip(dimension).for_each(|size| *size = 1);
        let bytes = sizes
            .iter()
            .try_fold(1u64, |all, size| all.checked_mul(*size));
        if bytes.is_none_or(|bytes| bytes > MAX_BYTES) {
            return Err(format!("the transfer of {sizes:?} is larger than memory"));
        }
        let sequential = [sizes[0], sizes[0] * sizes[1]];
        let strides = |bit: u64, first: usize| {
            if mode & bit != 0 {
                [r[first], r[first + 1]]
            } else {
                sequential
            }
        };
        let transfer = Transfer {
            source: r[SRC_ADDR],
            destination: r[DST_ADDR],
            sizes,
            source_strides: strides(STRIDE_SRC, SRC_STRIDE0),
            destination_strides: strides(STRIDE_DST, DST_STRIDE0),
        };
        let sides = [
            ("source", STRIDE_SRC, transfer.source_strides),
            ("destination", STRIDE_DST, transfer.destination_strides),
        ];
        for (side, bit, stride) in sides.iter().filter(|(_, bit, _)| mode & bit != 0) {
            let repeats = *bit == STRIDE_SRC && dimension == 2 && stride[0] == 0;
            if stride[0] < sizes[0] && !repeats {
                return Err(format!(
                    "the {side}'s stride {} is smaller than a row of {} bytes",
                    stride[0], sizes[0]
                ));
            }
            if dimension == 3 && stride[1] < sizes[1] {
                return Err(format!(
                    "the {side}'s stride {} from slice to slice is smaller than its {} rows",
                    stride[1], sizes[1]
                ));
            }
        }
        Ok(Some(transfer))
    }
}

/// Moves the bytes of a transfer; the cycles that it takes.
pub fn run(bus: &mut Bus, unit: Unit, transfer: &Transfer, reading: Reading) -> Done<u64> {
    let [bytes, rows, slices] = transfer.sizes;
    let mut transfer = *transfer;
    if reading.is_driver() && slices > 1 {
        // without strides the driver's slices overlap: its step is the number of rows
        let sequential = bytes * rows;
        for strides in [
            &mut transfer.source_strides,
            &mut transfer.destination_strides,
        ] {
            if strides[1] == sequential {
                strides[1] = rows;
            }
        }
    }
    let mut block = vec![0; BLOCK.min(bytes as usize)];
    for slice in 0..slices {
        for row in 0..rows {
            let at = |start: u64, strides: [u64; 2]| {
                let offset = row
                    .wrapping_mul(strides[0])
                    .wrapping_add(slice.wrapping_mul(strides[1]));
                start.wrapping_add(offset)
            };
            let from = at(transfer.source, transfer.source_strides);
            let to = at(transfer.destination, transfer.destination_strides);
            move_row(bus, unit, (from, to, bytes), &mut block)?;
        }
    }
    Ok((bytes * rows * slices).div_ceil(BYTES_PER_CYCLE))
}

fn move_row(
    bus: &mut Bus,
    unit: Unit,
    (from, to, bytes): (u64, u64, u64),
    block: &mut [u8],
) -> Done {
    let mut done = 0;
    while done < bytes {
        let count = (bytes - done).min(block.len() as u64);
        let part = block.get_mut(..count as usize).unwrap_or(&mut []);
        let (source, _) = bus.locate(unit, Access::Read, from + done, count)?;
        let (destination, _) = bus.locate(unit, Access::Write, to + done, count)?;
        let reason = "a DMA transfer moves memory only";
        let fault = |access, address| AccessFault::new(unit, access, address, reason);
        let read = bus.memory.read(source, part);
        read.ok_or_else(|| fault(Access::Read, from + done))?;
        let written = bus.memory.write(destination, part);
        written.ok_or_else(|| fault(Access::Write, to + done))?;
        done += count;
    }
    Ok(())
}
