//! The plan of control code: groups of pages of jobs of instructions, and their data.

use aiec_aie::ir::Loc;
use aiec_device::TileLoc;
use rustc_hash::{FxHashMap, FxHashSet};

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
    /// LAUNCH_JOB.
    Launch {
        /// A deferred job behind this one, by place on the page.
        job: usize,
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
            Instruction::Launch { .. } => size::LAUNCH_JOB,
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
    /// Whether it begins when another job of the page launches it.
    pub deferred: bool,
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

/// Where jobs of a page wait for one another, as nodes of the dependence graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Join {
    /// Number of the barrier, unless a job is launched.
    pub barrier: Option<u8>,
    /// The last node before it of each job that others wait for.
    pub from: Vec<usize>,
    /// The first node behind it of each job that waits.
    pub to: Vec<usize>,
}

/// How much of a plan there was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Data.
    pub data: usize,
    /// Joins.
    pub joins: usize,
}

/// Control code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Controllers with code, ascending.
    pub groups: Vec<Group>,
    /// Data of all.
    pub data: Vec<DataWords>,
    /// Where jobs wait for one another, for who shows it.
    pub joins: Vec<Join>,
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

    /// How much there is, for [`Plan::back_to`].
    pub fn mark(&self) -> Mark {
        Mark {
            data: self.data.len(),
            joins: self.joins.len(),
        }
    }

    /// Forgets the data and joins made since a mark.
    pub fn back_to(&mut self, mark: Mark) {
        for data in self.data.drain(mark.data..) {
            if !data.patched {
                self.known.remove(&data.words);
            }
        }
        self.joins.truncate(mark.joins);
    }

    /// Bytes of a page: header, text, EOF, filler, descriptors and data.
    pub fn page_bytes(&self, page: &Page) -> usize {
        let mut seen = FxHashSet::default();
        let (mut text, mut data) = (0, 0);
        for job in page {
            let (more_text, more_data) = self.job_bytes(job, &mut seen);
            text += more_text;
            data += more_data;
        }
        size::page_bytes(text, data)
    }

    /// Bytes of a page if no two jobs shared data, and a filler stood behind each.
    pub fn unshared_bytes(&self, page: &Page) -> usize {
        let bytes = page.iter().map(|job| {
            let (text, data) = self.job_bytes(job, &mut FxHashSet::default());
            text.next_multiple_of(size::DATA_ALIGN) + data
        });
        size::page_bytes(bytes.sum(), 0)
    }

    /// Bytes of a job's text, and of its descriptors and the data that weren't `seen` yet.
    fn job_bytes(&self, job: &Job, seen: &mut FxHashSet<DataId>) -> (usize, usize) {
        let mut text = size::START_JOB + size::END_JOB;
        let mut data = 0;
        for (instruction, _) in &job.code {
            text += instruction.bytes();
            for bd in instruction.chain() {
                data += size::UC_DMA_BD;
                if seen.insert(bd.data) {
                    data += self.data[bd.data.0].words.len() * size::WORD;
                }
            }
        }
        (text, data)
    }

    /// All instructions.
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction> {
        let pages = self.groups.iter().flat_map(Group::all_pages);
        let jobs = pages.flatten();
        jobs.flat_map(|job| job.code.iter().map(|(instruction, _)| instruction))
    }
}
