//! A bench: an array with short names for register writes.

use aiec_device::regmap::{
    BdFields, BdLayout, DmaCtrl, DmaStatus, QueueEntry, RegisterMap, RegisterRef, SwitchMaster,
    SwitchSlave, SwitchSlot, mux_word,
};
use aiec_device::switch::{MuxDir, MuxInput, PortSide};
use aiec_device::{Arch, Bundle, DeviceModel, DmaDir, Port, TileKind, TileLoc};
use aiec_sim::array::{Array, HwEvent, Timing, Token, TraceEvent, Wait};
use aiec_sim::time::Cycle;
use aiec_vcode::{CoreProgram, Function, Instruction};

/// No scenario here lasts longer.
const LIMIT: Cycle = 1_000_000;

pub struct Bench {
    pub array: Array,
    /// Cycle of the writes.
    pub at: Cycle,
}

pub fn tile(col: u8, row: u8) -> TileLoc {
    TileLoc::new(col, row)
}

pub fn port(bundle: Bundle, channel: u8) -> Port {
    Port::new(bundle, channel)
}

/// A hardware event with its place and time.
#[derive(Debug)]
pub struct Observed {
    pub at: Cycle,
    pub tile: TileLoc,
    pub event: HwEvent,
}

/// A BD that is valid and moves `length` words from byte address `address`.
pub fn bd(address: u64, length: u32) -> BdFields {
    BdFields {
        valid: true,
        base_address: address,
        length,
        ..BdFields::default()
    }
}

/// A task that runs once.
pub fn once(bd: u8) -> QueueEntry {
    QueueEntry {
        bd,
        repeat: 0,
        token: false,
    }
}

/// Writes a core program of one function into program memory.
pub fn load(bench: &mut Bench, tile: TileLoc, code: Vec<Instruction>) {
    let functions = vec![Function {
        entry: 0,
        registers: 16,
        granules: 8,
    }];
    let program = CoreProgram {
        functions,
        kernels: Vec::new(),
        code,
    };
    for (i, word) in program.encode(0x4000).unwrap().into_iter().enumerate() {
        bench.write(
            tile,
            RegisterRef::ProgramMemory { byte: 4 * i as u32 },
            word,
        );
    }
}

impl Bench {
    pub fn new(device: &str) -> Bench {
        let device = DeviceModel::by_name(device).unwrap();
        Bench::with(device, Timing::of(device.arch()))
    }

    pub fn with(device: &'static DeviceModel, timing: Timing) -> Bench {
        Bench {
            array: Array::new(device, timing),
            at: 0,
        }
    }

    /// Keeps all hardware events from now on, for [`Bench::take_observed`].
    pub fn observe(&mut self) {
        self.array.keep_trace(0, usize::MAX);
    }

    /// The hardware events since the last call, in the order of simulation.
    pub fn take_observed(&mut self) -> Vec<Observed> {
        let records = self.array.take_trace().into_iter();
        let hardware = records.filter_map(|record| match record.event {
            TraceEvent::Hw(event) => Some(Observed {
                at: record.at,
                tile: record.tile,
                event,
            }),
            _ => None,
        });
        hardware.collect()
    }

    pub fn arch(&self) -> Arch {
        self.array.device().arch()
    }

    fn kind(&self, tile: TileLoc) -> TileKind {
        self.array.device().tile_kind(tile).unwrap()
    }

    pub fn write(&mut self, tile: TileLoc, register: RegisterRef, value: u32) {
        let address = self
            .array
            .device()
            .register_address(tile, register)
            .unwrap();
        self.array.bus_write(self.at, address, value).unwrap();
    }

    pub fn read(&mut self, tile: TileLoc, register: RegisterRef) -> u32 {
        let address = self
            .array
            .device()
            .register_address(tile, register)
            .unwrap();
        self.array.bus_read(self.array.now(), address).unwrap()
    }

    pub fn bd(&mut self, tile: TileLoc, id: u8, fields: &BdFields) {
        let layout = BdLayout::of(self.arch(), self.kind(tile)).unwrap();
        for (word, value) in layout.pack(fields).unwrap().into_iter().enumerate() {
            self.write(
                tile,
                RegisterRef::BdWord {
                    bd: id,
                    word: word as u8,
                },
                value,
            );
        }
    }

    pub fn push(&mut self, tile: TileLoc, dir: DmaDir, channel: u8, entry: QueueEntry) {
        let word = entry
            .pack(self.arch(), self.kind(tile), dir)
            .unwrap()
            .unwrap();
        self.write(tile, RegisterRef::DmaQueue { dir, channel }, word);
    }

    pub fn control(&mut self, tile: TileLoc, dir: DmaDir, channel: u8, ctrl: DmaCtrl) {
        let word = ctrl
            .pack(self.arch(), self.kind(tile), dir)
            .unwrap()
            .unwrap();
        self.write(tile, RegisterRef::DmaCtrl { dir, channel }, word);
    }

    pub fn status(&mut self, tile: TileLoc, dir: DmaDir, channel: u8) -> DmaStatus {
        let word = self.read(tile, RegisterRef::DmaStatus { dir, channel });
        DmaStatus::unpack(self.arch(), self.kind(tile), dir, word).unwrap()
    }

    pub fn lock(&mut self, tile: TileLoc, id: u8, value: u32) {
        self.write(tile, RegisterRef::LockValue { id }, value);
    }

    /// A circuit connection inside a switch.
    pub fn connect(&mut self, tile: TileLoc, from: Port, to: Port) {
        assert!(
            self.array.device().legal_connection(tile, from, to),
            "{from} -> {to}"
        );
        let slave = self
            .array
            .device()
            .port_index(tile, PortSide::Slave, from)
            .unwrap();
        let master = SwitchMaster::Circuit { slave };
        self.write(
            tile,
            RegisterRef::SlaveConfig { port: from },
            SwitchSlave::Circuit.pack(),
        );
        self.write(tile, RegisterRef::MasterConfig { port: to }, master.pack());
    }

    /// Puts a slave port into packet mode with one rule in a slot.
    pub fn rule(&mut self, tile: TileLoc, from: Port, slot: u8, rule: SwitchSlot) {
        self.write(
            tile,
            RegisterRef::SlaveConfig { port: from },
            SwitchSlave::Packet.pack(),
        );
        self.write(
            tile,
            RegisterRef::SlaveSlot { port: from, slot },
            rule.pack(),
        );
    }

    /// Makes a master port take packets of one arbiter and a set of msels.
    pub fn amsel(&mut self, tile: TileLoc, to: Port, arbiter: u8, msels: u8, drop_header: bool) {
        let master = SwitchMaster::Packet {
            arbiter,
            msels,
            drop_header,
        };
        self.write(tile, RegisterRef::MasterConfig { port: to }, master.pack());
    }

    /// Connects a shim DMA channel to its South port.
    pub fn shim(&mut self, col: u8, dir: DmaDir, channel: u8) -> Port {
        let south = self.arch().shim_dma_south(dir, channel).unwrap();
        let mux = if dir == DmaDir::Mm2s {
            MuxDir::In
        } else {
            MuxDir::Out
        };
        let (register, value, mask) = mux_word(self.arch(), mux, south, MuxInput::Dma).unwrap();
        let old = self.read(tile(col, 0), register);
        self.write(tile(col, 0), register, old & !mask | value);
        port(Bundle::South, south)
    }

    pub fn fill(&mut self, tile: TileLoc, byte: u32, words: impl IntoIterator<Item = u32>) {
        for (i, word) in words.into_iter().enumerate() {
            self.write(
                tile,
                RegisterRef::DataMemory {
                    byte: byte + 4 * i as u32,
                },
                word,
            );
        }
    }

    pub fn words(&self, tile: TileLoc, byte: u32, count: u32) -> Vec<u32> {
        let memory = self.array.data_memory(tile).unwrap();
        (0..count)
            .map(|i| memory.word(byte + 4 * i).unwrap())
            .collect()
    }

    /// Runs until nothing moves any more; the cycle of the last event.
    pub fn run(&mut self) -> Cycle {
        let mut last = self.array.now();
        while let Some(next) = self.array.next_event() {
            assert!(next < LIMIT, "still running in cycle {next}");
            self.array.advance(next);
            last = next;
        }
        self.at = last;
        last
    }

    /// Runs, and expects no fault.
    pub fn run_clean(&mut self) -> Cycle {
        let end = self.run();
        assert_eq!(self.array.faults(), []);
        end
    }

    pub fn tokens(&mut self, col: u8) -> Vec<Token> {
        self.array.take_tokens(col)
    }

    /// The waits as text, one line each.
    pub fn waits(&self) -> Vec<String> {
        self.array
            .view()
            .waits()
            .iter()
            .map(Wait::to_string)
            .collect()
    }

    /// Offset of the TileControl packet handler's view of a register.
    pub fn offset(&self, tile: TileLoc, register: RegisterRef) -> u32 {
        RegisterMap::of(self.arch(), self.kind(tile))
            .unwrap()
            .offset_of(register)
            .unwrap()
    }
}
