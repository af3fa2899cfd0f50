//! Data movement of a cycle: SRAM rows, register files and the words and blocks between cells.

use crate::fabric::SRAM_ROWS;

use super::{Fabric, READ, WRITE};
use crate::sim::cell::{
    FIRST_READ_PORT, FabricCell, MemoryWalk, PORTS, PortWalk, Row, RowUnderWay, SWITCH_INPUTS,
    SignalSource,
};
use crate::sim::dpu::{DPU_INPUTS, Signal};
use crate::sim::fault::{DrraFault, DrraFaultKind as Kind};

/// Result of moving data in a cycle.
type Moved<T> = Result<T, DrraFault>;

/// The access of a port of a cell's register file in a cycle.
#[derive(Clone, Copy)]
struct PortAccess {
    at: usize,
    port: usize,
    address: i32,
    walk: PortWalk,
}

impl Fabric {
    /// The row of a walk of this cycle, with the walk's instruction; goes on with the walk.
    fn memory_access(&mut self, at: usize, direction: usize) -> Moved<Option<(usize, MemoryWalk)>> {
        let now = self.now;
        let slot = &mut self.cells[at].memory_walks[direction];
        let Some(mut walk) = slot.filter(|walk| walk.progress.due() == now) else {
            return Ok(None);
        };
        let accessed = walk;
        *slot = walk.progress.advance().then_some(walk);
        let row = accessed.progress.address();
        match usize::try_from(row).ok().filter(|row| *row < SRAM_ROWS) {
            Some(row) => Ok(Some((row, accessed))),
            None => Err(self.fault(at, accessed.address, Kind::RowAddress(row))),
        }
    }

    pub(super) fn read_srams(&mut self) -> Moved<bool> {
        let mut acted = false;
        for at in 0..self.cells.len() {
            let Some((row, walk)) = self.memory_access(at, READ)? else {
                continue;
            };
            acted = true;
            let Some(route) = &self.cells[at].routes[READ] else {
                return Err(self.fault(at, walk.address, Kind::NoRoute { write: false }));
            };
            let (words, cell) = (self.srams[route.sram][row], route.cell);
            let row_under_way = RowUnderWay {
                due: self.now + walk.latency,
                row: words,
                cell: at,
                address: walk.address,
            };
            self.cells[cell].arriving.push_back(row_under_way);
            self.cells[at].totals.rows_read += 1;
            self.record_row(at, READ, row);
        }
        Ok(acted)
    }

    /// The access of a port's walk in this cycle; goes on with the walk.
    fn port_access(&mut self, at: usize, port: usize) -> Option<PortAccess> {
        let now = self.now;
        let slot = &mut self.cells[at].ports[port];
        let mut walk = slot.filter(|walk| walk.progress.due() == now)?;
        let access = PortAccess {
            at,
            port,
            address: walk.progress.address(),
            walk,
        };
        *slot = walk.progress.advance().then_some(walk);
        self.cells[at].totals.port_accesses[port] += 1;
        Some(access)
    }

    fn bad_address(&self, access: PortAccess) -> DrraFault {
        let kind = Kind::WordAddress {
            port: access.port as u8,
            address: access.address,
            blocks: access.walk.blocks,
        };
        self.fault(access.at, access.walk.address, kind)
    }

    pub(super) fn read_register_files(&mut self) -> Moved<bool> {
        let mut acted = false;
        for at in 0..self.cells.len() {
            for port in FIRST_READ_PORT..PORTS {
                let access = self.port_access(at, port);
                let mut signal = Signal::default();
                if let Some(access) = access {
                    acted = true;
                    if access.walk.blocks {
                        self.send_block(access)?;
                    } else {
                        let word = *self.word_mut(access)?;
                        signal = Signal { word, valid: true };
                        self.record_word(at, port, access.address, word);
                    }
                }
                self.cells[at].read_words[port - FIRST_READ_PORT] = signal;
            }
        }
        Ok(acted)
    }

    /// The word of a register file at the address of an access.
    fn word_mut(&mut self, access: PortAccess) -> Moved<&mut i16> {
        let index = usize::try_from(access.address).ok();
        let index = index.filter(|index| *index < self.cells[access.at].words.len());
        let index = index.ok_or_else(|| self.bad_address(access))?;
        Ok(&mut self.cells[access.at].words[index])
    }

    /// The words of a block of a register file at the address of an access.
    fn block(&self, access: PortAccess) -> Moved<std::ops::Range<usize>> {
        FabricCell::block(access.address).ok_or_else(|| self.bad_address(access))
    }

    fn send_block(&mut self, access: PortAccess) -> Moved<()> {
        let PortAccess { at, port, walk, .. } = access;
        let block = self.block(access)?;
        let mut row = Row::default();
        row.copy_from_slice(&self.cells[at].words[block]);
        let owner = self.senders[at];
        let route =
            owner.and_then(|owner| Some((owner, self.cells[owner].routes[WRITE].as_ref()?)));
        let Some((owner, route)) = route else {
            return Err(self.fault(at, walk.address, Kind::NoRoute { write: true }));
        };
        let row_under_way = RowUnderWay {
            due: self.now + u64::from(route.hops.saturating_sub(1)),
            row,
            cell: at,
            address: walk.address,
        };
        self.cells[owner].leaving.push_back(row_under_way);
        self.record_block(at, port, access.address);
        Ok(())
    }

    /// Signal at an input in this cycle; 0 where nothing is connected or nothing is read.
    fn signal(&self, source: Option<SignalSource>) -> Signal {
        match source {
            None => Signal::default(),
            Some(SignalSource {
                cell,
                from_dpu: true,
                port,
            }) => self.cells[cell].dpu.outputs()[port],
            Some(SignalSource { cell, port, .. }) => self.cells[cell].read_words[port],
        }
    }

    pub(super) fn gather_inputs(&mut self) {
        let mut computing = std::mem::take(&mut self.computing);
        computing.clear();
        for (at, cell) in self.cells.iter().enumerate() {
            if cell.dpu.is_idle() {
                continue;
            }
            let mut inputs = [Signal::default(); DPU_INPUTS];
            let sources = &cell.sources[SWITCH_INPUTS - DPU_INPUTS..];
            for (input, source) in inputs.iter_mut().zip(sources) {
                *input = self.signal(*source);
            }
            if inputs.iter().any(|input| input.valid) {
                computing.push((at, inputs));
            }
        }
        self.computing = computing;
    }

    pub(super) fn write_register_files(&mut self) -> Moved<bool> {
        let mut acted = false;
        for at in 0..self.cells.len() {
            let mut written = 0..0;
            for port in 0..FIRST_READ_PORT {
                let Some(access) = self.port_access(at, port) else {
                    continue;
                };
                acted = true;
                let range = if access.walk.blocks {
                    self.take_block(access)?
                } else {
                    self.take_word(access)?
                };
                if range.start < written.end && written.start < range.end {
                    let kind = Kind::TwoWrites(range.start.max(written.start) as u8);
                    return Err(self.fault(at, access.walk.address, kind));
                }
                written = range;
            }
        }
        Ok(acted)
    }

    fn take_block(&mut self, access: PortAccess) -> Moved<std::ops::Range<usize>> {
        let PortAccess { at, port, walk, .. } = access;
        let block = self.block(access)?;
        let now = self.now;
        let arrived = self.cells[at].arriving.front();
        let Some(&RowUnderWay { row, .. }) = arrived.filter(|row| row.due == now) else {
            return Err(self.fault(at, walk.address, Kind::NoRow(port as u8)));
        };
        self.cells[at].arriving.pop_front();
        self.cells[at].words[block.clone()].copy_from_slice(&row);
        self.record_block(at, port, access.address);
        Ok(block)
    }

    fn take_word(&mut self, access: PortAccess) -> Moved<std::ops::Range<usize>> {
        let PortAccess { at, port, walk, .. } = access;
        let Some(source) = self.cells[at].sources[port] else {
            return Err(self.fault(at, walk.address, Kind::NoSource(port as u8)));
        };
        let signal = self.signal(Some(source));
        // the outputs of a DPU are registers: they keep their words
        if !signal.valid && !source.from_dpu {
            return Err(self.fault(at, walk.address, Kind::NoWord(port as u8)));
        }
        *self.word_mut(access)? = signal.word;
        self.record_word(at, port, access.address, signal.word);
        let index = access.address as usize;
        Ok(index..index + 1)
    }

    pub(super) fn write_srams(&mut self) -> Moved<bool> {
        let mut acted = false;
        for at in 0..self.cells.len() {
            let Some((row, walk)) = self.memory_access(at, WRITE)? else {
                continue;
            };
            acted = true;
            let now = self.now;
            let arrived = self.cells[at].leaving.front();
            let Some(&RowUnderWay { row: words, .. }) = arrived.filter(|row| row.due == now) else {
                return Err(self.fault(at, walk.address, Kind::NoRowToWrite));
            };
            self.cells[at].leaving.pop_front();
            let Some(route) = &self.cells[at].routes[WRITE] else {
                return Err(self.fault(at, walk.address, Kind::NoRoute { write: true }));
            };
            self.srams[route.sram][row] = words;
            self.cells[at].totals.rows_written += 1;
            self.record_row(at, WRITE, row);
        }
        Ok(acted)
    }

    /// Reports rows whose cycle has passed: a row that isn't taken when it is due is lost.
    pub(super) fn check_rows(&self) -> Moved<()> {
        let now = self.now;
        let is_late = |row: &&RowUnderWay| row.due <= now;
        for cell in &self.cells {
            if let Some(row) = cell.arriving.front().filter(is_late) {
                return Err(self.fault(row.cell, row.address, Kind::RowLost));
            }
            if let Some(row) = cell.leaving.front().filter(is_late) {
                return Err(self.fault(row.cell, row.address, Kind::RowUnwritten));
            }
        }
        Ok(())
    }
}
