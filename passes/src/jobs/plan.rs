//! The plan of control code: jobs of CERT instructions on the pages of each controller, and the data that they name.
//!
//! Instructions are those of [`aiec_cert::isa`]: their sizes, costs and operands are defined there
//! only. Unlike a [`Program`], a plan knows places in the design, and its data are those of all
//! controllers. [`Plan::to_program`] gives each controller its own.

use aiec_aie::ir::Loc;
use aiec_cert::bd::{UC_BD_BYTES, UcDmaBd};
use aiec_cert::isa::{Op, SymOp};
use aiec_cert::names::Target;
use aiec_cert::page::{self, DATA_ALIGN, END_JOB_BYTES, START_JOB_BYTES};
use aiec_cert::program::{self, DataId, JobKind, Phase, Program, Scope, ScopeId, SourceLoc};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::transfer::WORD_BYTES;

/// Data that instructions name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanData {
    /// Its label; chains of a plan that is being made have none yet.
    pub name: String,
    /// Contents.
    pub content: DataContent,
    /// Where it comes from.
    pub loc: Loc,
}

/// Contents of [`PlanData`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataContent {
    /// Words that descriptors name.
    Words {
        /// The words.
        words: Vec<u32>,
        /// Whether the loader patches them: then no two descriptors share them.
        patched: bool,
    },
    /// A chain of descriptors of the uC-DMA.
    Chain(Vec<UcDmaBd<DataId>>),
}

/// A job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanJob {
    /// Its number.
    pub id: u16,
    /// Its start condition.
    pub kind: JobKind,
    /// Whether it configures the device or belongs to the runtime sequence.
    pub phase: Phase,
    /// Its instructions with their locations.
    pub code: Vec<(SymOp, Loc)>,
    /// Where it comes from.
    pub loc: Loc,
}

/// Jobs that share a page.
pub type Page = Vec<PlanJob>;

/// The pages of one controller, done one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ControllerPlan {
    /// Number of the controller.
    pub uc: u32,
    /// Its pages.
    pub pages: Vec<Page>,
    /// Sections that it loads; the first one is scope 1.
    pub sections: Vec<Section>,
}

/// Pages that an instruction runs as a part of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Its label.
    pub name: String,
    /// Its pages.
    pub pages: Vec<Page>,
}

impl ControllerPlan {
    /// All pages, those of sections last.
    pub fn all_pages(&self) -> impl Iterator<Item = &Page> {
        let sections = self.sections.iter().flat_map(|section| &section.pages);
        self.pages.iter().chain(sections)
    }

    /// The scope of a section by its index in [`ControllerPlan::sections`]; the main program is scope 0.
    pub fn section_scope(index: usize) -> ScopeId {
        ScopeId(ScopeId::MAIN.0 + 1 + index as u32)
    }
}

/// Where jobs of a page wait for one another, as nodes of the dependence graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalSync {
    /// Number of the barrier, unless a job is launched.
    pub barrier: Option<u8>,
    /// The last node before it of each job that others wait for.
    pub from: Vec<usize>,
    /// The first node after it of each job that waits.
    pub to: Vec<usize>,
}

/// A rollback point in a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanMark {
    data: usize,
    words: usize,
    syncs: usize,
}

/// Control code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Controllers with code, ascending.
    pub controllers: Vec<ControllerPlan>,
    /// Data of all.
    pub data: Vec<PlanData>,
    /// Sync points between jobs, for visualisation.
    pub local_syncs: Vec<LocalSync>,
    /// Unpatched words by content.
    known: FxHashMap<Vec<u32>, DataId>,
    /// Number of the data that are words.
    words: usize,
}

impl Plan {
    /// Words: shared, unless they are patched.
    pub fn add_words(&mut self, words: &[u32], patched: bool, loc: Loc) -> DataId {
        if !patched && let Some(id) = self.known.get(words) {
            return *id;
        }
        let base = if patched { "bd_image" } else { "data" };
        let content = DataContent::Words {
            words: words.to_vec(),
            patched,
        };
        let id = self.add(PlanData {
            name: format!("{base}_{}", self.words),
            content,
            loc,
        });
        self.words += 1;
        if !patched {
            self.known.insert(words.to_vec(), id);
        }
        id
    }

    /// Adds data.
    pub fn add(&mut self, data: PlanData) -> DataId {
        let id = DataId(self.data.len() as u32);
        self.data.push(data);
        id
    }

    /// The words of some data; none if they are a chain.
    pub fn words(&self, id: DataId) -> &[u32] {
        match self.data.get(id.0 as usize).map(|data| &data.content) {
            Some(DataContent::Words { words, .. }) => words,
            _ => &[],
        }
    }

    /// The descriptors that an instruction sends off.
    pub fn chain_of(&self, op: &SymOp) -> &[UcDmaBd<DataId>] {
        let (Op::UcDmaWriteDes { descriptor, .. } | Op::UcDmaWriteDesSync { descriptor }) = op
        else {
            return &[];
        };
        match self.data.get(descriptor.0 as usize).map(|d| &d.content) {
            Some(DataContent::Chain(chain)) => chain,
            _ => &[],
        }
    }

    /// The controller of a number, which gets code.
    pub fn controller_mut(&mut self, uc: u32) -> &mut ControllerPlan {
        let found = self.controllers.binary_search_by_key(&uc, |c| c.uc);
        let at = found.unwrap_or_else(|at| {
            let controller = ControllerPlan {
                uc,
                ..ControllerPlan::default()
            };
            self.controllers.insert(at, controller);
            at
        });
        &mut self.controllers[at]
    }

    /// Marks the current size, for [`Plan::back_to`].
    pub fn mark(&self) -> PlanMark {
        PlanMark {
            data: self.data.len(),
            words: self.words,
            syncs: self.local_syncs.len(),
        }
    }

    /// Forgets the data and meetings of jobs made since a mark.
    pub fn back_to(&mut self, mark: PlanMark) {
        for data in self.data.drain(mark.data..) {
            if let DataContent::Words {
                words,
                patched: false,
            } = data.content
            {
                self.known.remove(&words);
            }
        }
        self.words = mark.words;
        self.local_syncs.truncate(mark.syncs);
    }

    /// Whether jobs wait for one another since a mark.
    pub fn syncs_since(&self, mark: PlanMark) -> bool {
        self.local_syncs.len() > mark.syncs
    }

    /// Bytes of a page: header, text, EOF, filler, descriptors and data.
    pub fn page_bytes(&self, page: &[PlanJob]) -> usize {
        let mut seen = FxHashSet::default();
        let (mut text, mut data) = (0, 0);
        for job in page {
            let (more_text, more_data) = self.job_bytes(job, &mut seen);
            text += more_text;
            data += more_data;
        }
        page::page_bytes(text, data)
    }

    /// Bytes of a page if no two jobs shared data, and a filler followed each.
    pub fn unshared_bytes(&self, page: &[PlanJob]) -> usize {
        let bytes = page.iter().map(|job| {
            let (text, data) = self.job_bytes(job, &mut FxHashSet::default());
            text.next_multiple_of(DATA_ALIGN) + data
        });
        page::page_bytes(bytes.sum(), 0)
    }

    /// Bytes of a job's text, and of its descriptors and the words that weren't `seen` yet.
    fn job_bytes(&self, job: &PlanJob, seen: &mut FxHashSet<DataId>) -> (usize, usize) {
        let mut text = START_JOB_BYTES + END_JOB_BYTES;
        let mut data = 0;
        for (op, _) in &job.code {
            text += op.size();
            for bd in self.chain_of(op) {
                data += UC_BD_BYTES;
                if seen.insert(bd.local) {
                    data += self.words(bd.local).len() * WORD_BYTES as usize;
                }
            }
        }
        (text, data)
    }

    /// All instructions.
    pub fn instructions(&self) -> impl Iterator<Item = &SymOp> {
        let pages = self.controllers.iter().flat_map(ControllerPlan::all_pages);
        pages
            .flatten()
            .flat_map(|job| job.code.iter().map(|(op, _)| op))
    }

    /// Names the chains in the order of their use.
    pub(super) fn name_chains(&mut self) {
        let chains = self.instructions().filter_map(|op| match op {
            Op::UcDmaWriteDes { descriptor, .. } | Op::UcDmaWriteDesSync { descriptor } => {
                Some(*descriptor)
            }
            _ => None,
        });
        for (n, id) in chains.collect::<Vec<_>>().into_iter().enumerate() {
            self.data[id.0 as usize].name = format!("chain_{n}");
        }
    }

    /// Adds the pages of another plan after those of this one.
    pub fn append(&mut self, other: Plan) {
        let base = self.data.len() as u32;
        let shifted = |id: DataId| DataId(base + id.0);
        for mut data in other.data {
            if let DataContent::Chain(chain) = &mut data.content {
                for bd in chain {
                    bd.local = shifted(bd.local);
                }
            }
            self.data.push(data);
        }
        for mut more in other.controllers {
            let controller = self.controller_mut(more.uc);
            let sections = controller.sections.len() as u32;
            let main = more.pages.iter_mut();
            let pages = main.chain(more.sections.iter_mut().flat_map(|s| &mut s.pages));
            for (op, _) in pages.flatten().flat_map(|job| &mut job.code) {
                let scope =
                    |ScopeId(scope)| Ok::<_, std::convert::Infallible>(ScopeId(scope + sections));
                let Ok(moved) = op.try_map(|id| Ok(shifted(id)), scope);
                *op = moved;
            }
            controller.pages.extend(more.pages);
            controller.sections.extend(more.sections);
        }
    }

    /// The program for the assembler's back end: each scope gets the data that it uses, in the
    /// order of their use. `source` returns the source position of a location.
    pub fn to_program(&self, columns: u32, source: &dyn Fn(Loc) -> Option<SourceLoc>) -> Program {
        let mut program = Program::new(Target::Aie2ps, columns);
        for controller in self.controllers.iter().filter(|c| !c.pages.is_empty()) {
            let group = program.group_mut(controller.uc);
            let main = (ScopeId::MAIN, &controller.pages);
            let mut scopes = vec![main];
            for section in &controller.sections {
                scopes.push((group.add_scope(section.name.as_str()), &section.pages));
            }
            for (id, pages) in scopes {
                if let Some(scope) = group.scope_mut(id) {
                    let ids = FxHashMap::default();
                    ScopeWriter {
                        plan: self,
                        scope,
                        ids,
                        source,
                    }
                    .pages(pages);
                }
            }
        }
        program
    }
}

/// Writes pages to a scope of a program.
struct ScopeWriter<'a> {
    plan: &'a Plan,
    scope: &'a mut Scope,
    /// Data of the scope by their number in the plan.
    ids: FxHashMap<DataId, DataId>,
    source: &'a dyn Fn(Loc) -> Option<SourceLoc>,
}

impl ScopeWriter<'_> {
    fn pages(&mut self, pages: &[Page]) {
        for page in pages {
            for job in page {
                let mut made = program::Job::with_kind(job.kind, job.id);
                made.phase = job.phase;
                made.source = (self.source)(job.loc);
                for (op, loc) in &job.code {
                    let label = |id| Ok::<_, std::convert::Infallible>(self.data(id));
                    let Ok(op) = op.try_map(label, Ok);
                    made.push(op, (self.source)(*loc));
                }
                self.scope.push_job(made);
            }
            self.scope.end_page();
        }
    }

    /// Data of the plan as data of the scope, with what they name.
    fn data(&mut self, id: DataId) -> DataId {
        if let Some(known) = self.ids.get(&id) {
            return *known;
        }
        let data = &self.plan.data[id.0 as usize];
        let made = match &data.content {
            DataContent::Words { words, .. } => self
                .scope
                .add_words(data.name.as_str(), words.iter().copied()),
            DataContent::Chain(chain) => {
                let chain = chain.iter().map(|bd| bd.with_local(self.data(bd.local)));
                let chain: Vec<_> = chain.collect();
                self.scope.add_chain(data.name.as_str(), chain)
            }
        };
        self.ids.insert(id, made);
        made
    }
}
