//! The families of generated problems.

use aiec_device::DeviceModel;

use super::generate::{Deal, circuits, fan_in, packets, vecmul, whole_array};
use super::{Flow, Problem};

/// Construction of a family's problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Circuits between distinct random ports.
    Circuit,
    /// Circuits to two to four random ports each.
    Broadcast,
    /// Two packet ids from each source, each to a random port of its own.
    Packet,
    /// Packet flows of one id into one mem tile channel.
    FanIn,
    /// A vector multiply on 4 × 4 cores.
    Vecmul,
    /// A column pattern over the whole array.
    WholeArray,
}

/// Problems that differ in their seed only.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// The device.
    pub device: &'static str,
    /// Their construction.
    pub shape: Shape,
    /// Sources, at most.
    pub size: usize,
    /// Columns between a source and its sinks, at most.
    pub reach: u8,
    /// Seeds 1 to this number.
    pub seeds: u64,
    /// Number of the seeds that `cargo test` runs.
    pub tested: u64,
}

/// No limit of the distance.
const ANYWHERE: u8 = u8::MAX;
/// The columns that a flow of a large array crosses, at most, in the families that are local.
const NEAR: u8 = 8;

const fn family(device: &'static str, shape: Shape, size: usize, seeds: u64) -> Family {
    Family {
        device,
        shape,
        size,
        reach: ANYWHERE,
        seeds,
        tested: 2,
    }
}

const fn near(device: &'static str, shape: Shape, size: usize, seeds: u64) -> Family {
    Family {
        reach: NEAR,
        tested: 1,
        ..family(device, shape, size, seeds)
    }
}

const fn all_tested(device: &'static str, shape: Shape, size: usize, seeds: u64) -> Family {
    Family {
        tested: seeds,
        ..family(device, shape, size, seeds)
    }
}

/// All families.
pub const FAMILIES: &[Family] = &[
    family("npu1", Shape::Circuit, 24, 10),
    family("npu1", Shape::Circuit, 32, 10),
    family("npu1", Shape::Circuit, 48, 10),
    family("npu1", Shape::Broadcast, 24, 10),
    family("npu1", Shape::Broadcast, 32, 10),
    all_tested("npu1", Shape::Packet, 4, 10),
    all_tested("npu1", Shape::Packet, 8, 10),
    all_tested("npu1", Shape::Packet, 12, 10),
    all_tested("npu1", Shape::Packet, 16, 10),
    family("npu1", Shape::Packet, 24, 10),
    family("npu1", Shape::Packet, 32, 10),
    family("npu2", Shape::Circuit, 48, 5),
    family("npu2", Shape::Circuit, 64, 5),
    family("npu2", Shape::Broadcast, 32, 5),
    family("npu2", Shape::Broadcast, 48, 5),
    all_tested("npu2", Shape::Packet, 4, 10),
    all_tested("npu2", Shape::Packet, 8, 10),
    all_tested("npu2", Shape::Packet, 12, 10),
    all_tested("npu2", Shape::Packet, 16, 10),
    family("npu2", Shape::Packet, 32, 5),
    family("npu2", Shape::Packet, 48, 5),
    family("npu1", Shape::FanIn, 8, 8),
    family("npu1", Shape::FanIn, 16, 4),
    family("npu2", Shape::FanIn, 8, 8),
    family("npu2", Shape::FanIn, 16, 4),
    family("npu2", Shape::FanIn, 32, 4),
    near("xcve2802", Shape::Circuit, 100, 5),
    near("xcve2802", Shape::Circuit, 200, 5),
    near("xcve2802", Shape::Broadcast, 48, 5),
    near("xcve2802", Shape::Broadcast, 96, 5),
    near("xcve2802", Shape::Packet, 48, 5),
    near("xcve2802", Shape::Packet, 96, 5),
    near("xcvc1902", Shape::Circuit, 50, 5),
    near("xcvc1902", Shape::Circuit, 200, 5),
    near("xcvc1902", Shape::Circuit, 400, 5),
    near("xcvc1902", Shape::Broadcast, 100, 5),
    near("xcvc1902", Shape::Packet, 100, 5),
    Family {
        tested: 1,
        ..family("xcvc1902", Shape::Circuit, 50, 5)
    },
    Family {
        tested: 1,
        ..family("xcvc1902", Shape::Circuit, 200, 5)
    },
    Family {
        tested: 1,
        ..family("xcvc1902", Shape::Circuit, 400, 5)
    },
    family("xcvc1902", Shape::Vecmul, 48, 1),
    family("npu2", Shape::WholeArray, 0, 1),
    family("xcve3858", Shape::WholeArray, 0, 1),
    family("xcve2802", Shape::WholeArray, 0, 1),
];

impl Family {
    /// The family's name: `npu1/broadcast-24`, `xcvc1902/circuit-200-near`.
    pub fn name(&self) -> String {
        let shape = match self.shape {
            Shape::Circuit => "circuit",
            Shape::Broadcast => "broadcast",
            Shape::Packet => "packet",
            Shape::FanIn => "fan-in",
            Shape::Vecmul => "vecmul",
            Shape::WholeArray => return format!("{}/whole-array", self.device),
        };
        let near = if self.reach == ANYWHERE { "" } else { "-near" };
        format!("{}/{shape}-{}{near}", self.device, self.size)
    }

    /// The problem of a seed; `None` if there is no such device.
    pub fn problem(&self, seed: u64) -> Option<Problem> {
        let device = DeviceModel::by_name(self.device)?;
        Some(Problem {
            name: format!("{}/{seed}", self.name()),
            device: self.device.to_string(),
            flows: self.flows(device, seed),
        })
    }

    fn flows(&self, device: &DeviceModel, seed: u64) -> Vec<Flow> {
        let how = |fan_out| Deal {
            sources: self.size,
            fan_out,
            reach: self.reach,
            height: ANYWHERE,
        };
        match self.shape {
            Shape::Circuit => circuits(device, how((1, 1)), seed),
            Shape::Broadcast => circuits(device, how((2, 4)), seed),
            Shape::Packet => packets(device, self.size, self.reach, seed),
            Shape::FanIn => fan_in(device, self.size, seed),
            Shape::Vecmul => vecmul(device),
            Shape::WholeArray => whole_array(device),
        }
    }

    /// All its problems.
    pub fn problems(&self) -> impl Iterator<Item = Problem> + '_ {
        (1..=self.seeds).filter_map(|seed| self.problem(seed))
    }
}
