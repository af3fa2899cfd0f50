//! Random register writes: whatever the control code writes, the array neither panics nor hangs
//! still in time, and two runs agree.

use aiec_device::regmap::{BdFields, BdLayout, RegisterRef, SwitchMaster, SwitchSlave, SwitchSlot};
use aiec_device::switch::PortSide;
use aiec_device::{DeviceModel, DmaDir, Port, TileKind, TileLoc};
use aiec_sim::array::{Array, Fault, Stats, Timing};

/// Draws what is written.
struct Draw(fastrand::Rng);

impl Draw {
    fn new(seed: u64) -> Draw {
        Draw(fastrand::Rng::with_seed(seed))
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0.usize(..limit)
    }

    /// A word; small fields are likely, so that many are valid.
    fn word(&mut self) -> u32 {
        let word = self.0.u32(..);
        match self.below(4) {
            0 => word,
            1 => word & 0x8000_000F,
            2 => word & 0xC000_00FF | 0x8000_0000,
            _ => word & 0x0F0F_0F0F,
        }
    }
}

/// Every register of every tile takes any value at any time; event units may keep each other busy,
/// but the clock goes on.
#[test]
fn any_value_in_any_register() {
    for name in ["npu1", "npu2_2col", "xcve3858"] {
        let device = DeviceModel::by_name(name).unwrap();
        let mut draw = Draw::new(0x5EED_0000 + name.len() as u64);
        let mut array = Array::new(device, Timing::of(device.arch()));
        let tiles = [
            (0, 0),
            (0, 1),
            (0, device.rows() - 1),
            (1, device.rows() - 2),
        ];
        let mut now = 0;
        for (col, row) in tiles {
            let tile = TileLoc::new(col, row);
            let registers = device.register_map(tile).unwrap().registers();
            for (offset, _) in registers {
                let address = device.tile_address(tile, offset);
                let value = draw.word();
                array.bus_write(now, address, value).unwrap();
                array.bus_read(now, address).unwrap();
                now += u64::from(draw.below(8) == 0);
            }
        }
        array.advance(now + 200);
        assert_eq!(array.now(), now + 200);
        let _ = (
            array.view().stats(),
            array.view().waits(),
            array.view().leftovers(),
            array.view().active(),
        );
    }
}

/// Registers that make things move; the others are drawn less often.
fn is_lively(register: &RegisterRef) -> bool {
    !matches!(
        register,
        RegisterRef::Known { .. } | RegisterRef::ControllerMemory { .. }
    )
}

/// A descriptor that may well work.
fn descriptor(draw: &mut Draw, host: u64, kind: TileKind) -> BdFields {
    let small = |draw: &mut Draw| draw.below(8) as u32;
    let offset = 4 * draw.below(0x400) as u64;
    BdFields {
        valid: true,
        base_address: if kind.is_shim() {
            host + offset
        } else {
            offset
        },
        length: 1 + draw.below(40) as u32,
        steps: [1 + small(draw), 1 + small(draw), 1 + small(draw), 1],
        wraps: [small(draw), small(draw), 0],
        iteration_step: 1 + small(draw),
        iteration_count: 1 + small(draw),
        packet_enable: draw.below(3) == 0,
        packet_id: small(draw) as u8,
        use_next: draw.below(2) == 0,
        next_bd: small(draw) as u8,
        lock_acq_enable: draw.below(4) == 0,
        lock_acq_id: small(draw) as u8,
        lock_acq_value: -(small(draw) as i8),
        lock_rel_value: draw.below(3) as i8 - 1,
        ..BdFields::default()
    }
}

struct Storm {
    draw: Draw,
    array: Array,
    now: u64,
    host: u64,
}

impl Storm {
    fn write(&mut self, tile: TileLoc, register: RegisterRef, value: u32) {
        let device = self.array.device();
        if let Some(address) = device.register_address(tile, register) {
            self.array.bus_write(self.now, address, value).unwrap();
        }
    }

    fn write_descriptor(&mut self, tile: TileLoc) {
        let kind = self.array.device().tile_kind(tile).unwrap();
        let Some(layout) = BdLayout::of(self.array.device().arch(), kind) else {
            return;
        };
        let fields = descriptor(&mut self.draw, self.host, kind);
        let bd = self.draw.below(8) as u8;
        for (word, value) in layout.pack(&fields).unwrap().into_iter().enumerate() {
            self.write(
                tile,
                RegisterRef::BdWord {
                    bd,
                    word: word as u8,
                },
                value,
            );
        }
    }

    fn push(&mut self, tile: TileLoc) {
        let dir = DmaDir::ALL[self.draw.below(2)];
        let channel = self.draw.below(2) as u8;
        let value = self.draw.0.u32(..) & 0x8003_0007;
        self.write(tile, RegisterRef::DmaQueue { dir, channel }, value);
    }

    /// A connection between two ports, by circuit or by packet.
    fn connect(&mut self, tile: TileLoc) {
        let device = self.array.device();
        let slaves: Vec<Port> = device.ports(tile, PortSide::Slave).collect();
        let masters: Vec<Port> = device.ports(tile, PortSide::Master).collect();
        let from = slaves[self.draw.below(slaves.len())];
        let to = masters[self.draw.below(masters.len())];
        let slave = device.port_index(tile, PortSide::Slave, from).unwrap();
        let (arbiter, msel) = (self.draw.below(8) as u8, self.draw.below(4) as u8);
        let circuit = self.draw.below(3) > 0;
        let (slave_mode, master) = if circuit {
            (SwitchSlave::Circuit, SwitchMaster::Circuit { slave })
        } else {
            let drop_header = self.draw.below(2) == 0;
            let msels = 1 << msel;
            (
                SwitchSlave::Packet,
                SwitchMaster::Packet {
                    arbiter,
                    msels,
                    drop_header,
                },
            )
        };
        self.write(
            tile,
            RegisterRef::SlaveConfig { port: from },
            slave_mode.pack(),
        );
        self.write(tile, RegisterRef::MasterConfig { port: to }, master.pack());
        let mask = self.draw.below(32) as u8;
        let rule = SwitchSlot {
            enable: true,
            id: 0,
            mask,
            msel,
            arbiter,
        };
        self.write(
            tile,
            RegisterRef::SlaveSlot {
                port: from,
                slot: 0,
            },
            rule.pack(),
        );
        if device.tile_kind(tile).is_some_and(TileKind::is_shim) {
            self.write(tile, RegisterRef::ShimMux, 0x4400);
            self.write(tile, RegisterRef::ShimDemux, 0x54);
        }
    }

    fn anything(&mut self, tile: TileLoc) {
        let device = self.array.device();
        let lively = self.draw.below(8) > 0;
        let registers = device.register_map(tile).unwrap().registers();
        let registers = registers.filter(|(_, register)| !lively || is_lively(register));
        let offsets: Vec<u32> = registers.map(|(offset, _)| offset).collect();
        let address = device.tile_address(tile, offsets[self.draw.below(offsets.len())]);
        if self.draw.below(10) == 0 {
            self.array.bus_read(self.now, address).unwrap();
        } else {
            let value = self.draw.word();
            self.array.bus_write(self.now, address, value).unwrap();
        }
    }
}

fn storm(device: &'static DeviceModel, seed: u64, writes: u32) -> (Vec<Fault>, Stats) {
    let mut array = Array::new(device, Timing::of(device.arch()));
    let host = array.host.map("host", vec![7; 0x1000]).base;
    let mut storm = Storm {
        draw: Draw::new(seed),
        array,
        now: 0,
        host,
    };
    // A few tiles only, so that they meet.
    let tiles: Vec<TileLoc> = device.tiles().filter(|tile| tile.col < 2).collect();
    for _ in 0..writes {
        let tile = tiles[storm.draw.below(tiles.len())];
        storm.now += storm.draw.below(40) as u64;
        match storm.draw.below(6) {
            0 => storm.write_descriptor(tile),
            1 => storm.push(tile),
            2 | 3 => storm.connect(tile),
            _ => storm.anything(tile),
        }
    }
    let mut array = storm.array;
    array.advance(storm.now + 2000);
    for wait in array.view().waits() {
        assert!(!wait.to_string().is_empty());
    }
    (array.faults().to_vec(), array.view().stats())
}

#[test]
fn random_writes_do_no_harm() {
    let mut moved = 0;
    let mut ports = 0;
    for name in ["npu1", "npu2", "xcve3858", "xcve2302"] {
        let device = DeviceModel::by_name(name).unwrap();
        for seed in 1..=6 {
            let result = storm(device, seed * 0x9E37_79B9, 1500);
            assert_eq!(result, storm(device, seed * 0x9E37_79B9, 1500));
            let stats = result.1;
            moved += stats
                .channels
                .iter()
                .map(|channel| channel.counts.words)
                .sum::<u64>();
            ports += stats.ports.len();
        }
    }
    assert!(
        moved > 1000 && ports > 100,
        "{moved} words, {ports} ports: too tame"
    );
}
