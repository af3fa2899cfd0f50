//! All cells and SRAMs, cycle by cycle.

mod transfers;

use crate::fabric::{CellId, FabricShape, REGISTER_FILE_WORDS, SRAM_ROWS, SWITCH_REACH};
use crate::{
    CellCode, DrraOperation, IssuedOperation, RefiSetup, RouteSetup, SramSetup, SwitchSetup,
    WalkProgress,
};

use super::dpu::{DPU_INPUTS, Signal};
use super::fault::{DrraFault, DrraFaultKind as Kind};
use super::route::MemoryRoute;
use crate::sim::cell::{FabricCell, MemoryWalk, PortWalk, Row, SignalSource};
use aiec_run_loop::Cycle;
use aiec_run_loop::{Drive, Halt, Recorder, UnitId, UnitRecord, UnitTrace};

/// Reading and writing, as positions of routes and walks of SRAMs.
const READ: usize = 0;
/// See [`READ`].
const WRITE: usize = 1;
/// Widths that BW can name: 4, 8 and 16 bits.
const WIDTHS: u8 = 3;

/// Units of a cell in records, by their numbers in it: the sequencer, the ports of the register
/// file, the DPU, and what its SRAM instructions do.
const UNITS: [&str; 8] = [
    "sequencer",
    "w0",
    "w1",
    "r0",
    "r1",
    "dpu",
    "sram read",
    "sram write",
];
/// The first port among [`UNITS`].
const PORT_UNIT: usize = 1;
/// The DPU among [`UNITS`].
const DPU_UNIT: usize = 5;
/// SRAM accesses among [`UNITS`]: reading, then writing.
const SRAM_UNIT: usize = 6;
/// Cycles that are run before the loop that drives the fabric looks again.
const BATCH: u32 = 1 << 12;

/// A fabric with its programs and data.
#[derive(Debug)]
pub struct Fabric {
    shape: FabricShape,
    cells: Vec<FabricCell>,
    srams: Vec<Vec<Row>>,
    /// For each cell the one whose route takes blocks of its register file to an SRAM.
    senders: Vec<Option<usize>>,
    now: u64,
    cell_cycles: u64,
    /// Inputs of DPUs that compute in this cycle.
    computing: Vec<(usize, [Signal; DPU_INPUTS])>,
    recorder: Recorder,
}

impl Fabric {
    /// A fabric of which some cells have code. Code of cells outside the fabric is left out.
    pub fn new(shape: FabricShape, code: impl IntoIterator<Item = (CellId, CellCode)>) -> Fabric {
        let mut codes = vec![CellCode::default(); shape.cells()];
        for (cell, code) in code {
            if let Some(index) = shape.cell_index(cell) {
                codes[index] = code;
            }
        }
        let srams = usize::from(shape.sram_rows) * usize::from(shape.columns);
        Fabric {
            shape,
            senders: vec![None; codes.len()],
            cells: codes.into_iter().map(FabricCell::new).collect(),
            srams: vec![vec![Row::default(); SRAM_ROWS]; srams],
            now: 0,
            cell_cycles: 0,
            computing: Vec::new(),
            recorder: Recorder::new(units(shape)),
        }
    }

    /// Its size.
    pub fn shape(&self) -> FabricShape {
        self.shape
    }

    /// The cycle that is next.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Cycles that were simulated, counted for each cell that the fabric has.
    pub fn cell_cycles(&self) -> u64 {
        self.cell_cycles
    }

    /// All cells, row by row.
    pub fn cells(&self) -> &[FabricCell] {
        &self.cells
    }

    /// A register file.
    pub fn register_file(&self, cell: CellId) -> Option<&[i16; REGISTER_FILE_WORDS]> {
        Some(&self.cells[self.shape.cell_index(cell)?].words)
    }

    /// A register file, to change it.
    pub fn register_file_mut(&mut self, cell: CellId) -> Option<&mut [i16; REGISTER_FILE_WORDS]> {
        let index = self.shape.cell_index(cell)?;
        Some(&mut self.cells[index].words)
    }

    /// The rows of an SRAM.
    pub fn sram(&self, sram: CellId) -> Option<&[Row]> {
        Some(&self.srams[self.shape.sram_index(sram)?])
    }

    /// The rows of an SRAM, to change them.
    pub fn sram_mut(&mut self, sram: CellId) -> Option<&mut [Row]> {
        let index = self.shape.sram_index(sram)?;
        Some(&mut self.srams[index])
    }

    /// Recorder of its events.
    pub fn recorder(&mut self) -> &mut Recorder {
        &mut self.recorder
    }

    /// Ends the recording.
    pub fn take_trace(&mut self) -> UnitTrace {
        std::mem::take(&mut self.recorder).into_trace()
    }

    /// Number of a cell's unit in records; `unit` as in the names of units, which begin with the
    /// sequencer.
    pub fn unit(&self, cell: CellId, unit: &str) -> Option<UnitId> {
        let cell = self.shape.cell_index(cell)?;
        let unit = UNITS.iter().position(|name| *name == unit)?;
        Some(UnitId((cell * UNITS.len() + unit) as u32))
    }

    /// The cycle in which something acts again; `None` when all is done.
    pub fn next_cycle(&self) -> Option<u64> {
        let due = self.cells.iter().filter_map(FabricCell::due).min()?;
        Some(due.max(self.now))
    }

    /// Runs a cycle, and goes on to the next one in which something can act; whether anything
    /// acted.
    pub fn tick(&mut self) -> Result<bool, DrraFault> {
        let mut acted = self.issue_all()?;
        acted |= self.read_srams()?;
        acted |= self.read_register_files()?;
        self.gather_inputs();
        acted |= self.write_register_files()?;
        acted |= self.write_srams()?;
        self.check_rows()?;
        acted |= self.compute()?;
        let next = if acted {
            self.now + 1
        } else {
            self.next_cycle().unwrap_or(self.now)
        };
        self.cell_cycles += (next - self.now) * self.cells.len() as u64;
        self.now = next;
        Ok(acted)
    }

    fn record(&mut self, cell: usize, unit: usize, event: &'static str, key: u64, text: String) {
        self.recorder.add(UnitRecord {
            at: self.now,
            until: self.now,
            unit: UnitId((cell * UNITS.len() + unit) as u32),
            event,
            key,
            text,
        });
    }

    fn record_word(&mut self, cell: usize, port: usize, address: i32, word: i16) {
        if self.recorder.is_on() {
            let text = format!("address={address},word={word}");
            self.record(cell, PORT_UNIT + port, "WORD", address as u64, text);
        }
    }

    fn record_block(&mut self, cell: usize, port: usize, block: i32) {
        if self.recorder.is_on() {
            let text = format!("block={block}");
            self.record(cell, PORT_UNIT + port, "BLOCK", block as u64, text);
        }
    }

    fn record_row(&mut self, cell: usize, direction: usize, row: usize) {
        if self.recorder.is_on() {
            let text = format!("row={row}");
            self.record(cell, SRAM_UNIT + direction, "ROW", row as u64, text);
        }
    }

    fn fault(&self, cell: usize, address: u8, kind: Kind) -> DrraFault {
        DrraFault {
            cell: self.shape.cell_at(cell),
            cycle: self.now,
            address,
            kind,
        }
    }

    fn issue_all(&mut self) -> Result<bool, DrraFault> {
        let mut acted = false;
        for at in 0..self.cells.len() {
            if self.cells[at].sequencer.due() != Some(self.now) {
                continue;
            }
            acted = true;
            let cell = &mut self.cells[at];
            let address = cell.sequencer.pc();
            let status = cell.dpu.status();
            let issued = cell.sequencer.step(&cell.code, status);
            let issued = issued.map_err(|fault| self.fault(at, address, Kind::Sequencer(fault)))?;
            if self.recorder.is_on() {
                let text = format!("pc={address},op={}", issued.operation.name());
                self.record(at, 0, "ISSUE", u64::from(address), text);
            }
            let done = self.issue(at, address, issued);
            done.map_err(|kind| self.fault(at, address, kind))?;
        }
        Ok(acted)
    }

    fn issue(&mut self, at: usize, address: u8, issued: IssuedOperation) -> Result<(), Kind> {
        match issued.operation {
            DrraOperation::Refi(refi) => self.start_port(at, address, refi, issued),
            DrraOperation::Sram(sram) => self.start_sram(at, address, sram, issued),
            DrraOperation::Dpu(setup) => self.cells[at].dpu.configure(setup).map_err(Kind::Dpu),
            DrraOperation::Bw(config) if config >= WIDTHS => Err(Kind::BadWidth(config)),
            DrraOperation::Bw(config) => {
                self.cells[at].dpu.set_width(config);
                Ok(())
            }
            DrraOperation::Swb(setup) => self.connect(at, setup),
            DrraOperation::Route(setup) => self.reserve(at, setup),
            DrraOperation::Halt
            | DrraOperation::Jump(_)
            | DrraOperation::Wait(_)
            | DrraOperation::Loop(_)
            | DrraOperation::Raccu(_)
            | DrraOperation::Branch { .. } => Ok(()),
        }
    }

    fn start_port(
        &mut self,
        at: usize,
        address: u8,
        refi: RefiSetup,
        issued: IssuedOperation,
    ) -> Result<(), Kind> {
        let Some((slot, walk)) = self.cells[at]
            .ports
            .get_mut(usize::from(refi.port))
            .zip(issued.walk)
        else {
            return Err(Kind::Switch("the port doesn't exist"));
        };
        if refi.compress {
            return Err(Kind::Compressed);
        }
        if slot.is_some() {
            return Err(Kind::PortBusy(refi.port));
        }
        *slot = Some(PortWalk {
            progress: WalkProgress::new(walk, self.now),
            blocks: refi.dimarch,
            address,
        });
        Ok(())
    }

    fn start_sram(
        &mut self,
        at: usize,
        address: u8,
        sram: SramSetup,
        issued: IssuedOperation,
    ) -> Result<(), Kind> {
        let direction = usize::from(sram.write);
        let cell = &mut self.cells[at];
        let Some(route) = &cell.routes[direction] else {
            return Err(Kind::NoRoute { write: sram.write });
        };
        let hops = sram.hops.saturating_add(1);
        if route.hops != hops {
            return Err(Kind::Hops {
                route: route.hops,
                sram: hops,
            });
        }
        if cell.memory_walks[direction].is_some() {
            return Err(Kind::SramBusy { write: sram.write });
        }
        let arrival = self.now + u64::from(hops);
        cell.memory_walks[direction] = issued.walk.map(|walk| MemoryWalk {
            progress: WalkProgress::new(walk, arrival),
            latency: u64::from(sram.hops),
            address,
        });
        Ok(())
    }

    fn connect(&mut self, at: usize, setup: SwitchSetup) -> Result<(), Kind> {
        let own = self.shape.cell_at(at);
        let distance = i32::from(setup.hb_index) - SWITCH_REACH;
        if distance > SWITCH_REACH {
            return Err(Kind::Switch("hb_index reaches two columns to either side"));
        }
        let column = i32::from(own.column) + distance;
        let source = u8::try_from(column).ok().and_then(|column| {
            let row = setup.source_row;
            self.shape.cell_index(CellId { row, column })
        });
        let Some(cell) = source else {
            return Err(Kind::Switch("the source is outside the fabric"));
        };
        if setup.to_other_row != (setup.source_row != own.row) {
            let what = "send_to_other_row doesn't fit the rows of source and destination";
            return Err(Kind::Switch(what));
        }
        let input = self.cells[at].sources.get_mut(usize::from(setup.v_index));
        let Some(input) = input else {
            return Err(Kind::Switch("v_index names no input"));
        };
        *input = Some(SignalSource {
            cell,
            from_dpu: setup.from_dpu,
            port: usize::from(setup.source_port & 1),
        });
        Ok(())
    }

    fn reserve(&mut self, at: usize, setup: RouteSetup) -> Result<(), Kind> {
        let from = self.shape.cell_at(at);
        let route = MemoryRoute::new(from, setup, self.shape).ok_or(Kind::RouteOutside)?;
        let direction = usize::from(setup.write);
        for (other, cell) in self.cells.iter().enumerate() {
            let taken = cell.routes[direction].as_ref();
            if other != at && taken.is_some_and(|taken| taken.shares_link(&route)) {
                return Err(Kind::LinkTaken(self.shape.cell_at(other)));
            }
        }
        if setup.write {
            let own = self.senders.iter_mut().filter(|own| **own == Some(at));
            own.for_each(|sender| *sender = None);
            self.senders[route.cell] = Some(at);
        }
        self.cells[at].routes[direction] = Some(route);
        Ok(())
    }

    fn compute(&mut self) -> Result<bool, DrraFault> {
        for cell in &mut self.cells {
            cell.dpu.age();
        }
        let computing = std::mem::take(&mut self.computing);
        let acted = !computing.is_empty();
        for &(at, inputs) in &computing {
            let done = self.cells[at].dpu.compute(&inputs);
            let address = self.cells[at].sequencer.pc();
            done.map_err(|fault| self.fault(at, address, Kind::Dpu(fault)))?;
            if self.recorder.is_on() {
                let [first, second] = self.cells[at].dpu.outputs().map(|output| output.word);
                let text = format!("out0={first},out1={second}");
                self.record(at, DPU_UNIT, "COMPUTE", u64::from(first as u16), text);
            }
        }
        self.computing = computing;
        Ok(acted)
    }
}

/// Names of the units of all cells.
fn units(shape: FabricShape) -> Vec<(String, String)> {
    let cells = (0..shape.cells()).map(|cell| format!("cell {}", shape.cell_at(cell)));
    let named = |cell: String| UNITS.map(|unit| (cell.clone(), unit.to_owned()));
    cells.flat_map(named).collect()
}

impl Drive for Fabric {
    type Fault = DrraFault;
    type Hit = UnitRecord;

    fn now(&self) -> Cycle {
        self.now
    }

    fn next(&mut self) -> Option<Cycle> {
        self.next_cycle()
    }

    fn step(&mut self, last: Cycle) -> Result<(), Halt<DrraFault>> {
        self.now = self.next_cycle().unwrap_or(self.now);
        for _ in 0..BATCH {
            if self.now > last || !self.tick().map_err(Halt::Fault)? || self.recorder.is_hit() {
                break;
            }
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.cells.iter().all(|cell| cell.due().is_none())
    }

    fn hit(&self) -> Option<(usize, UnitRecord)> {
        self.recorder.hit()
    }

    fn advance(&mut self, to: Cycle) {
        self.now = to;
    }
}
