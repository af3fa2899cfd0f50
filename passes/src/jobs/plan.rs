//! The plan of control code: groups of pages of jobs of instructions, and their data.

use aiec_device::TileLoc;
use aiec_dialect::ir::Loc;
use rustc_hash::FxHashMap;

use super::size;

/// Data of a plan, by place in [`Plan::data`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DataId(pub usize);

/// Words that descriptors name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataWords {
    /// The words.
    pub words: Vec<u32>,
    /// Whether the loader patches them: then no two descriptors share them.
    pub patched: bool,
    /// Where they come from.
    pub loc: Loc,
}

/// A descriptor of the uC-DMA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// The data.
    pub data: DataId,
    /// Where it goes.
    pub address: u32,
    /// How many words of it.
    pub words: usize,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// WRITE_32.
    Write {
        /// Where.
        address: u32,
        /// What.
        value: u32,
    },
    /// MASK_WRITE_32.
    Mask {
        /// Where.
        address: u32,
        /// Bits to change.
        mask: u32,
        /// Their new values.
        value: u32,
    },
    /// READ_32, ADD and WRITE_32_D: a word of the array with something added goes elsewhere.
    Copy {
        /// Where it is read.
        from: u32,
        /// What is added; without ADD if 0.
        add: u32,
        /// Where it is written.
        to: u32,
    },
    /// MASK_POLL_32.
    Poll {
        /// Where.
        address: u32,
        /// Bits to compare.
        mask: u32,
        /// What they must be.
        value: u32,
    },
    /// APPLY_OFFSET_57.
    Patch {
        /// The image.
        data: DataId,
        /// Argument of the sequence.
        argument: u32,
    },
    /// UC_DMA_WRITE_DES_SYNC of a chain.
    Chain(Vec<Descriptor>),
    /// UC_DMA_WRITE_DES of a chain; the job goes on meanwhile.
    StartChain {
        /// The register that keeps its handle.
        handle: u8,
        /// The chain.
        chain: Vec<Descriptor>,
    },
    /// WAIT_UC_DMA.
    WaitChain {
        /// The register with the handle.
        handle: u8,
    },
    /// WAIT_TCTS.
    Wait {
        /// The tile that sends.
        tile: TileLoc,
        /// The actor in it.
        actor: u8,
        /// How many tokens, at most [`size::MAX_TOKENS`].
        tokens: u32,
    },
    /// LOCAL_BARRIER.
    LocalBarrier {
        /// Its number.
        id: u8,
        /// How many jobs meet.
        jobs: u8,
    },
    /// REMOTE_BARRIER.
    RemoteBarrier {
        /// Its number.
        id: u8,
        /// Controllers that meet, a bit each.
        parties: u32,
    },
    /// LOAD_PDI.
    Load {
        /// Number of what is loaded.
        pdi: u32,
        /// Its section, by place in [`Group::sections`].
        section: usize,
    },
}

impl Instruction {
    /// Bytes of text.
    pub fn bytes(&self) -> usize {
        match self {
            Instruction::Write { .. } => size::WRITE_32,
            Instruction::Mask { .. } => size::MASK_WRITE_32,
            Instruction::Copy { add: 0, .. } => size::COPY - size::ADD,
            Instruction::Copy { .. } => size::COPY,
            Instruction::Poll { .. } => size::MASK_POLL_32,
            Instruction::Patch { .. } => size::APPLY_OFFSET_57,
            Instruction::Chain(_) => size::UC_DMA_WRITE_DES_SYNC,
            Instruction::StartChain { .. } => size::UC_DMA_WRITE_DES,
            Instruction::WaitChain { .. } => size::WAIT_UC_DMA,
            Instruction::Wait { .. } => size::WAIT_TCTS,
            Instruction::LocalBarrier { .. } => size::LOCAL_BARRIER,
            Instruction::RemoteBarrier { .. } => size::REMOTE_BARRIER,
            Instruction::Load { .. } => size::LOAD_PDI,
        }
    }

    /// The descriptors it sends off.
    pub fn chain(&self) -> &[Descriptor] {
        match self {
            Instruction::Chain(chain) | Instruction::StartChain { chain, .. } => chain,
            _ => &[],
        }
    }
}

/// A job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Job {
    /// Its instructions with their locations.
    pub code: Vec<(Instruction, Loc)>,
    /// Whether it configures the device, else it belongs to the runtime sequence.
    pub configures: bool,
}

/// Jobs that share a page.
pub type Page = Vec<Job>;

/// The pages of one controller, done one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Number of the controller.
    pub uc: u32,
    /// Its pages.
    pub pages: Vec<Page>,
    /// What it loads.
    pub sections: Vec<Section>,
}

/// Pages that an instruction runs as a part of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// What it loads.
    pub name: String,
    /// Its pages.
    pub pages: Vec<Page>,
}

impl Group {
    /// All pages, those of sections last.
    pub fn all_pages(&self) -> impl Iterator<Item = &Page> {
        let sections = self.sections.iter().flat_map(|section| &section.pages);
        self.pages.iter().chain(sections)
    }
}

/// Control code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Controllers with code, ascending.
    pub groups: Vec<Group>,
    /// Data of all.
    pub data: Vec<DataWords>,
    /// Unpatched data by content.
    known: FxHashMap<Vec<u32>, DataId>,
}

impl Plan {
    /// Data with these words: shared, unless they are patched.
    pub fn data(&mut self, words: &[u32], patched: bool, loc: Loc) -> DataId {
        if !patched && let Some(id) = self.known.get(words) {
            return *id;
        }
        let id = DataId(self.data.len());
        if !patched {
            self.known.insert(words.to_vec(), id);
        }
        let words = words.to_vec();
        self.data.push(DataWords {
            words,
            patched,
            loc,
        });
        id
    }

    /// How much data there is, for [`Plan::back_to`].
    pub fn mark(&self) -> usize {
        self.data.len()
    }

    /// Forgets the data made since a mark.
    pub fn back_to(&mut self, mark: usize) {
        for data in self.data.drain(mark..) {
            if !data.patched {
                self.known.remove(&data.words);
            }
        }
    }

    /// Bytes of a page: header, text, EOF, filler, descriptors and data.
    pub fn page_bytes(&self, page: &Page) -> usize {
        let mut text = 0;
        let mut data = 0;
        let mut seen = rustc_hash::FxHashSet::default();
        for job in page {
            text += size::START_JOB + size::END_JOB;
            for (instruction, _) in &job.code {
                text += instruction.bytes();
                for bd in instruction.chain() {
                    data += size::UC_DMA_BD;
                    if seen.insert(bd.data) {
                        data += self.data[bd.data.0].words.len() * size::WORD;
                    }
                }
            }
        }
        size::page_bytes(text, data)
    }

    /// All instructions.
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction> {
        let pages = self.groups.iter().flat_map(Group::all_pages);
        let jobs = pages.flatten();
        jobs.flat_map(|job| job.code.iter().map(|(instruction, _)| instruction))
    }
}
