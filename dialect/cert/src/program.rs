//! The program model that the compiler builds and the assembler parses.
//!
//! A [`Program`] has one [`Group`] for each controller that runs code. A group has scopes; scope
//! 0 is the main program, the others are run by LOAD_PDI, LOAD_CORES and PREEMPT. A scope has
//! regions of jobs (a region ends where a page must end) and data blocks. Instructions name data
//! by [`DataId`] and scopes by [`ScopeId`], both indices within their owner.
//!
//! [`crate::pager`] lays a program out in pages, [`crate::image`] encodes it.

use aiec_diag::named_enum;

use crate::bd::UcDmaBd;
pub use crate::isa::{DataId, ScopeId};
use crate::isa::{FlowClass, Op, SymOp};
use crate::names::Target;
use crate::patch::PatchKind;

/// A scratch pad of a group, by index in [`Group::pads`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PadId(pub u32);

/// Name of the main scope, as the assembler calls it.
pub const MAIN_SCOPE: &str = "default";

/// A place in a source file, for the debug section and for errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceLoc {
    /// Index in [`Program::files`].
    pub file: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 if unknown.
    pub column: u32,
}

/// Control code of one partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Family of controllers.
    pub target: Target,
    /// Columns of the partition, for `.partition` in text and for configuration files.
    pub columns: u32,
    /// Controllers with code, ascending by number.
    pub groups: Vec<Group>,
    /// Control packet buffers that the program brings along.
    pub ctrl_packets: Vec<CtrlPacketBuffer>,
    /// Names of source files that locations refer to.
    pub files: Vec<String>,
}

impl Program {
    /// An empty program.
    pub fn new(target: Target, columns: u32) -> Self {
        Self {
            target,
            columns,
            groups: Vec::new(),
            ctrl_packets: Vec::new(),
            files: Vec::new(),
        }
    }

    /// Leaves out the bytes of all APPLY_OFFSET_57: for hosts that patch every address
    /// themselves. The relocations stay (`opt_level_1` of the vendor's assembler, aiebu:
    /// src/cpp/common/assembler_state.h).
    pub fn leave_offsets_to_host(&mut self) {
        let scopes = self.groups.iter_mut().flat_map(|group| &mut group.scopes);
        let regions = scopes.flat_map(|scope| &mut scope.regions);
        let jobs = regions.flat_map(|region| &mut region.jobs);
        for item in jobs.flat_map(|job| &mut job.body) {
            if let BodyItem::Inst(inst) = item {
                inst.relocs_only |= matches!(inst.op, Op::ApplyOffset57 { .. });
            }
        }
    }

    /// The group of a controller; made, in its place, if there is none yet.
    pub fn group_mut(&mut self, uc: u32) -> &mut Group {
        let at = match self.groups.binary_search_by_key(&uc, |g| g.uc) {
            Ok(at) => at,
            Err(at) => {
                self.groups.insert(at, Group::new(uc));
                at
            }
        };
        &mut self.groups[at]
    }
}

/// The code of one controller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Number of the controller: the column on aie2ps, twice the column (plus one) on aie4.
    pub uc: u32,
    /// Scopes; [`ScopeId::MAIN`] is always there. Pages are numbered in [`Group::scope_order`].
    pub scopes: Vec<Scope>,
    /// Scopes in the order in which their first operation appears.
    pub scope_order: Vec<ScopeId>,
    /// Scratch pads.
    pub pads: Vec<Pad>,
}

impl Group {
    /// A controller without code.
    pub fn new(uc: u32) -> Self {
        Self {
            uc,
            scopes: vec![Scope::new(MAIN_SCOPE)],
            scope_order: vec![ScopeId::MAIN],
            pads: Vec::new(),
        }
    }

    /// The main program.
    pub fn main_mut(&mut self) -> &mut Scope {
        &mut self.scopes[0]
    }

    /// Adds a scope after all others.
    pub fn add_scope(&mut self, name: impl Into<String>) -> ScopeId {
        let id = ScopeId(self.scopes.len() as u32);
        self.scopes.push(Scope::new(name));
        self.scope_order.push(id);
        id
    }

    /// A scope, if the id belongs to this group.
    pub fn scope(&self, id: ScopeId) -> Option<&Scope> {
        self.scopes.get(id.0 as usize)
    }

    /// A scope to change, if the id belongs to this group.
    pub fn scope_mut(&mut self, id: ScopeId) -> Option<&mut Scope> {
        self.scopes.get_mut(id.0 as usize)
    }
}

/// A run of pages: jobs and the data they name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// Name in text.
    pub name: String,
    /// Jobs in text order; a page ends at the end of each region.
    pub regions: Vec<Region>,
    /// Data blocks in text order.
    pub data: Vec<DataBlock>,
    /// Where its EOF comes from.
    pub eof: Option<SourceLoc>,
}

/// Jobs between two page ends, or one page that is given by its bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Region {
    /// Jobs in text order; none if there is a raw page.
    pub jobs: Vec<Job>,
    /// A page that isn't jobs.
    pub raw: Option<RawPage>,
}

/// A page that is given by its bytes, because no jobs and data make the same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RawPage {
    /// The page from its header on, at most 8192 bytes; the rest is zero.
    pub bytes: Vec<u8>,
    /// Number of them that are its text section; the rest of the page is data.
    pub text_bytes: usize,
    /// Places the host patches, in file order.
    pub patches: Vec<RawPatch>,
}

/// A place of a [`RawPage`] that the host patches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawPatch {
    /// Byte offset from the end of the page header.
    pub position: u16,
    /// Sort of address field.
    pub kind: PatchKind,
    /// The addend.
    pub symbol: String,
}

impl Scope {
    /// A scope without jobs.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            regions: vec![Region::default()],
            data: Vec::new(),
            eof: None,
        }
    }

    /// Adds a job to the last region.
    pub fn push_job(&mut self, job: Job) {
        if self.regions.last().is_none_or(|last| last.raw.is_some()) {
            self.regions.push(Region::default());
        }
        if let Some(region) = self.regions.last_mut() {
            region.jobs.push(job);
        }
    }

    /// Ends the page: later jobs go to a new one.
    pub fn end_page(&mut self) {
        self.regions.push(Region::default());
    }

    /// Adds a page that is given by its bytes.
    pub fn push_raw_page(&mut self, page: RawPage) {
        let empty = |region: &Region| region.jobs.is_empty() && region.raw.is_none();
        if !self.regions.last().is_some_and(empty) {
            self.regions.push(Region::default());
        }
        if let Some(region) = self.regions.last_mut() {
            region.raw = Some(page);
        }
    }

    /// True if it takes no page.
    pub fn is_empty(&self) -> bool {
        self.regions
            .iter()
            .all(|region| region.jobs.is_empty() && region.raw.is_none())
    }

    /// Adds a data block.
    pub fn add_data(&mut self, block: DataBlock) -> DataId {
        let id = DataId(self.data.len() as u32);
        self.data.push(block);
        id
    }

    /// Adds a block of 32-bit words.
    pub fn add_words(
        &mut self,
        name: impl Into<String>,
        words: impl IntoIterator<Item = u32>,
    ) -> DataId {
        let items = words
            .into_iter()
            .map(|w| DataItem::Word(Word::Value(w)))
            .collect();
        self.add_data(DataBlock {
            name: name.into(),
            items,
            unit: 0,
            source: None,
        })
    }

    /// Adds a chain of uC-DMA descriptors; sets their `next` flags.
    pub fn add_chain(
        &mut self,
        name: impl Into<String>,
        descriptors: impl IntoIterator<Item = UcDmaBd<DataId>>,
    ) -> DataId {
        let mut items: Vec<DataItem> = descriptors
            .into_iter()
            .map(|bd| DataItem::Bd(UcDmaBd { next: true, ..bd }))
            .collect();
        if let Some(DataItem::Bd(last)) = items.last_mut() {
            last.next = false;
        }
        self.add_data(DataBlock {
            name: name.into(),
            items,
            unit: 0,
            source: None,
        })
    }

    /// A data block, if the id belongs to this scope.
    pub fn block(&self, id: DataId) -> Option<&DataBlock> {
        self.data.get(id.0 as usize)
    }

    /// All jobs in text order with their region.
    pub fn jobs(&self) -> impl Iterator<Item = (usize, &Job)> {
        self.regions
            .iter()
            .enumerate()
            .flat_map(|(r, region)| region.jobs.iter().map(move |job| (r, job)))
    }
}

named_enum! {
    /// Start condition of a job.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum JobKind {
        /// START_JOB: scheduled at once.
        Immediate => "immediate",
        /// START_JOB_DEFERRED: when launched.
        Deferred => "deferred",
        /// START_COND_JOB_PREEMPT: after a preemption.
        AfterPreemption => "after-preemption",
    }
}

impl<L, S> Op<L, S> {
    /// Kind and number of the job that the operation begins, and its bytes from the start on.
    pub fn job_start(&self) -> Option<(JobKind, u16, u16)> {
        match *self {
            Self::StartJob { job_id, job_size } => Some((JobKind::Immediate, job_id, job_size)),
            Self::StartJobDeferred { job_id, job_size } => {
                Some((JobKind::Deferred, job_id, job_size))
            }
            Self::StartCondJobPreempt { job_id, job_size } => {
                Some((JobKind::AfterPreemption, job_id, job_size))
            }
            _ => None,
        }
    }
}

named_enum! {
    /// Purpose of a job; only for the debug section.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Phase {
        /// Configures the device.
        Configure => "configure",
        /// Runs the runtime sequence.
        #[default]
        Run => "run",
    }
}

/// A job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its start condition.
    pub kind: JobKind,
    /// Number, unique in its region.
    pub id: u16,
    /// Its purpose.
    pub phase: Phase,
    /// Operations between start and end.
    pub body: Vec<BodyItem>,
    /// Translation unit: job numbers of one unit don't clash with those of another until they
    /// meet on a page. 0 for compiled programs, the file for assembled ones.
    pub unit: u32,
    /// Where it comes from.
    pub source: Option<SourceLoc>,
    /// Where its END_JOB comes from.
    pub end: Option<SourceLoc>,
}

impl Job {
    /// An empty job that is scheduled at once.
    pub fn new(id: u16) -> Self {
        Self::with_kind(JobKind::Immediate, id)
    }

    /// An empty job.
    pub fn with_kind(kind: JobKind, id: u16) -> Self {
        Self {
            kind,
            id,
            phase: Phase::default(),
            body: Vec::new(),
            unit: 0,
            source: None,
            end: None,
        }
    }

    /// Appends an instruction.
    pub fn push(&mut self, op: SymOp, source: Option<SourceLoc>) {
        debug_assert!(
            op.info().flow == FlowClass::Body,
            "{} in a job body",
            op.info().mnemonic
        );
        self.body.push(BodyItem::Inst(Inst {
            source,
            ..Inst::new(op)
        }));
    }

    /// The instructions of the body.
    pub fn insts(&self) -> impl Iterator<Item = &Inst> {
        self.body.iter().filter_map(|item| match item {
            BodyItem::Inst(inst) => Some(inst),
            BodyItem::Word(_) | BodyItem::Align(_) => None,
        })
    }
}

/// Something in a job's body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BodyItem {
    /// An instruction.
    Inst(Inst),
    /// A bare word in the text; only tests do this.
    Word(Word),
    /// Filler up to a multiple of that many bytes, counted from the end of the page header.
    Align(u32),
}

/// An instruction of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inst {
    /// The instruction.
    pub op: SymOp,
    /// Pad whose address APPLY_OFFSET_57 adds to the image when the program is assembled.
    pub pad: Option<PadId>,
    /// Fields whose value is not a plain number.
    pub fixups: Vec<Fixup>,
    /// Makes relocations but takes no bytes; see [`Program::leave_offsets_to_host`].
    pub relocs_only: bool,
    /// Where it comes from.
    pub source: Option<SourceLoc>,
}

impl Inst {
    /// An instruction with plain operands.
    pub fn new(op: SymOp) -> Self {
        Self {
            op,
            pad: None,
            fixups: Vec::new(),
            relocs_only: false,
            source: None,
        }
    }

    /// Blocks of data that it has the host patch.
    pub fn patched_blocks(&self) -> impl Iterator<Item = DataId> + use<> {
        let range = match self.op {
            Op::ApplyOffset57 {
                table, num_entries, ..
            } => table.0..table.0.saturating_add(u32::from(num_entries.max(1))),
            Op::ApplyOffsetPl { table, .. } => table.0..table.0.saturating_add(1),
            _ => 0..0,
        };
        range.map(DataId)
    }

    /// Bytes it takes in the text.
    pub fn size(&self) -> usize {
        if self.relocs_only { 0 } else { self.op.size() }
    }
}

/// A number field of an instruction that layout or the host fills in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixup {
    /// Index of the field in the instruction's row.
    pub field: usize,
    /// The contents.
    pub value: FixupValue,
}

/// Value that a [`Fixup`] puts into its field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FixupValue {
    /// A 32-bit symbol that the host is to resolve; the field keeps the value it has.
    Symbol(String),
    /// Position of a label in the page.
    Label(DataId),
    /// Offset of a pad from the first page.
    Pad(PadId),
}

/// Labelled data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataBlock {
    /// Label in text.
    pub name: String,
    /// Its contents. Blocks that begin with a descriptor come first in a page.
    pub items: Vec<DataItem>,
    /// Translation unit, see [`Job::unit`].
    pub unit: u32,
    /// Where it comes from.
    pub source: Option<SourceLoc>,
}

impl DataBlock {
    /// Size in bytes.
    pub fn size(&self) -> usize {
        self.items.iter().map(DataItem::size).sum()
    }

    /// True if the block begins with a descriptor and so must be 16-byte aligned.
    pub fn is_chain(&self) -> bool {
        matches!(self.items.first(), Some(DataItem::Bd(_)))
    }
}

/// An item of a data block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DataItem {
    /// A uC-DMA descriptor.
    Bd(UcDmaBd<DataId>),
    /// A word.
    Word(Word),
}

impl DataItem {
    /// Size in bytes.
    pub fn size(&self) -> usize {
        match self {
            Self::Bd(_) => crate::bd::UC_BD_BYTES,
            Self::Word(_) => 4,
        }
    }
}

/// A 32-bit word of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// A number.
    Value(u32),
    /// Position of a label in the page.
    Label(DataId),
    /// Offset of a pad from the first page.
    Pad(PadId),
}

/// A scratch pad: memory after the pages of a controller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pad {
    /// Name in text.
    pub name: String,
    /// Initial contents; its length is the pad's size in bytes.
    pub bytes: Vec<u8>,
}

/// A buffer of control packets that travels in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CtrlPacketBuffer {
    /// Index by which APPLY_OFFSET_57 names it.
    pub id: u32,
    /// Contents.
    pub bytes: Vec<u8>,
    /// Places that receive buffer addresses.
    pub patches: Vec<CtrlPacketPatch>,
}

/// A place in a control packet buffer that receives the address of a host argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CtrlPacketPatch {
    /// Byte offset of the relocation in the buffer.
    pub offset: u32,
    /// Host argument.
    pub argument: u32,
}
