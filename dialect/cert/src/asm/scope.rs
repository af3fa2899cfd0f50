//! The lines of one scope of one controller, made into jobs and data.
//!
//! Labels may be used before they are defined, so instructions first hold numbers of
//! [`Symbol`]s; [`super::resolve`] replaces them by block numbers.

mod bounds;
mod data;
mod inst;
mod value;

use aiec_diag::{Diag, Span};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use super::lexer::{LineAt, Operands};
use super::{AsmOptions, Files, codes};
use crate::finding::UnreadCounts;
use crate::isa::{FlowClass, OpInfo};
use crate::program::{DataId, Job, JobKind, Region, Scope, SourceLoc};
use value::number;

/// An operation of a line.
#[derive(Clone, Copy)]
pub(super) struct Statement<'a, 's> {
    pub line: &'a LineAt<'s>,
    /// The name as written.
    pub word: &'s str,
    /// Today's name.
    pub name: &'s str,
    pub operands: Operands<'s>,
}

impl Statement<'_, '_> {
    pub fn span(&self) -> Span {
        self.line.span(self.word)
    }

    pub fn loc(&self) -> SourceLoc {
        self.line.loc(self.word)
    }
}

/// A constant of `.equ`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Constant {
    pub value: u64,
    /// Where it is defined.
    pub span: Span,
}

/// Constants by folded name. They are seen from their line on, in all files.
pub(super) type Constants = FxHashMap<String, Constant>;

/// Meaning of names, and options of the reading.
#[derive(Clone, Copy)]
pub(super) struct Names<'a> {
    pub options: AsmOptions,
    pub files: &'a dyn Files,
    pub constants: &'a Constants,
}

/// The context in which lines are read.
pub(super) struct Context<'a> {
    pub names: Names<'a>,
    pub errors: &'a mut Vec<Diag>,
    /// The cost of lines with errors.
    pub unread: &'a mut UnreadCounts,
    /// Names of scopes that the controller's code refers to.
    pub scope_refs: &'a mut Vec<NameRef>,
    /// Names of pads that the controller's code refers to.
    pub pad_refs: &'a mut Vec<NameRef>,
    /// PREEMPTs of the controller, if their programs are added.
    pub points: Option<&'a mut Vec<PreemptPoint>>,
    /// Room to fold names in.
    pub folded: &'a mut String,
}

impl Context<'_> {
    pub fn error(&mut self, span: Span, diag: Diag) {
        self.errors.push(diag.label(span, ""));
    }

    pub fn error_with(&mut self, span: Span, diag: Diag, other: Span, what: &str) {
        self.errors.push(diag.label(span, "").label(other, what));
    }

    pub fn strict(&self) -> bool {
        !self.names.options.compat
    }
}

/// A PREEMPT whose programs are added when all is read.
#[derive(Debug)]
pub(super) struct PreemptPoint {
    /// Index of the scope in the controller's list.
    pub scope: usize,
    /// Index of the first of its two names of scopes.
    pub first_ref: usize,
    /// Folded label of the map of memory to save, and where it is named.
    pub hint: Option<(String, Span)>,
    /// Where it is.
    pub span: Span,
}

/// A name that is looked up when all is read.
#[derive(Debug)]
pub(super) struct NameRef {
    /// Kind of the named thing, for messages.
    pub what: &'static str,
    /// Folded name.
    pub name: String,
    /// Index of the scope in the controller's list.
    pub from: usize,
    pub span: Span,
}

/// A label of a scope.
#[derive(Debug, Default)]
pub(super) struct Symbol {
    pub block: Option<DataId>,
    /// Where it is defined.
    pub defined: Option<Span>,
    /// Where it is first used.
    pub used: Option<Span>,
    /// Used where only a label can be, not a pad.
    pub label_only: bool,
}

struct OpenJob {
    job: Job,
    span: Span,
}

/// A job's identity for the check of duplicates; compatible texts go by spelling.
type JobKey = (u32, u32, u16, Option<Box<str>>);

/// Contents of a controller, collected while the text is read.
#[derive(Default)]
pub(super) struct GroupBuilder {
    pub uc: u32,
    /// In order of first use.
    pub scopes: Vec<ScopeBuilder>,
    by_path: FxHashMap<String, usize>,
    /// Contents by name, and where each is declared.
    pub pads: IndexMap<String, (Vec<u8>, Span)>,
    pub scope_refs: Vec<NameRef>,
    pub pad_refs: Vec<NameRef>,
    /// PREEMPTs whose programs are added when all is read.
    pub points: Vec<PreemptPoint>,
}

impl GroupBuilder {
    /// A controller that has nothing yet.
    pub fn new(uc: u32) -> GroupBuilder {
        GroupBuilder {
            uc,
            ..GroupBuilder::default()
        }
    }

    /// The number of the scope with this path.
    pub fn find(&self, path: &str) -> Option<usize> {
        self.by_path.get(path).copied()
    }

    /// Same as [`GroupBuilder::find`], for a scope that is made if there is none.
    pub fn scope_at(&mut self, path: String) -> usize {
        self.find(&path).unwrap_or_else(|| {
            let at = self.scopes.len();
            self.by_path.insert(path.clone(), at);
            self.scopes.push(ScopeBuilder::new(path, at));
            at
        })
    }
}

/// A scope while its lines come in.
pub(super) struct ScopeBuilder {
    /// `default`, or `default:NAME…`.
    pub path: String,
    /// Index in the controller's list.
    index: usize,
    pub scope: Scope,
    /// Where its first text is.
    pub first: Option<Span>,
    /// There is text other than page ends.
    pub has_code: bool,
    pub has_eof: bool,
    open: Option<OpenJob>,
    jobs: FxHashMap<JobKey, Span>,
    /// Symbols by file and folded name.
    pub units: FxHashMap<u32, FxHashMap<Box<str>, u32>>,
    pub symbols: Vec<Symbol>,
    /// `.align` after an item of the open block.
    align: Option<Span>,
    /// The last descriptor of the open block, if it says that one follows.
    chained: Option<Span>,
    /// Where the open block's label is.
    label: Option<Span>,
}

impl ScopeBuilder {
    pub fn new(path: String, index: usize) -> Self {
        let name = path.rsplit(':').next().unwrap_or_default().to_owned();
        Self {
            path,
            index,
            scope: Scope::new(name),
            first: None,
            has_code: false,
            has_eof: false,
            open: None,
            jobs: FxHashMap::default(),
            units: FxHashMap::default(),
            symbols: Vec::new(),
            align: None,
            chained: None,
            label: None,
        }
    }

    /// Number of the job that is open.
    pub fn open_job(&self) -> Option<u16> {
        self.open.as_ref().map(|open| open.job.id)
    }

    /// EOF.
    pub fn eof(&mut self, statement: &Statement<'_, '_>, context: &mut Context<'_>) {
        self.operands(statement, 0, context);
        self.first.get_or_insert(statement.span());
        self.has_eof = true;
        self.scope.eof = Some(statement.loc());
        if context.strict() {
            self.close_open(context);
        }
    }

    /// Reports a job that is not ended.
    pub fn close_open(&mut self, context: &mut Context<'_>) {
        if let Some(open) = self.open.take() {
            let diag = Diag::error(&codes::JOB, format!("job {} has no END_JOB", open.job.id));
            context.error(open.span, diag.help("add END_JOB"));
        }
    }

    /// An operation in text.
    pub fn text(
        &mut self,
        statement: &Statement<'_, '_>,
        info: Option<&'static OpInfo>,
        context: &mut Context<'_>,
    ) {
        self.first.get_or_insert_with(|| statement.span());
        let ends_page = info.is_none() && statement.word.eq_ignore_ascii_case(".eop");
        self.has_code |= !ends_page;
        match info.map(|i| i.flow) {
            None if ends_page => self.end_page(statement, context),
            Some(FlowClass::JobStart) => self.start_job(statement, info, context),
            Some(FlowClass::JobEnd) => self.end_job(statement, context),
            _ if self.open.is_none() => self.outside(statement, info, context),
            _ => {
                let item = self.body_item(statement, info, context);
                match (&mut self.open, item) {
                    (Some(open), Some(item)) => open.job.body.push(item),
                    _ => lose(info, context.unread),
                }
            }
        }
    }

    fn end_page(&mut self, statement: &Statement<'_, '_>, context: &mut Context<'_>) {
        self.operands(statement, 0, context);
        if let Some(job) = self.open_job().filter(|_| context.strict()) {
            context.error(statement.span(), codes::inside_job(".eop", job));
        }
        self.scope.regions.push(Region::default());
    }

    fn start_job(
        &mut self,
        statement: &Statement<'_, '_>,
        info: Option<&'static OpInfo>,
        context: &mut Context<'_>,
    ) {
        let kind = match info.map(|i| i.mnemonic) {
            Some("START_JOB") => JobKind::Immediate,
            Some("START_JOB_DEFERRED") => JobKind::Deferred,
            _ => JobKind::AfterPreemption,
        };
        let operand = self.operands(statement, 1, context).first().copied();
        let number = operand.and_then(|text| number(statement, text, 16, context));
        if number.is_none() {
            *context.unread = UnreadCounts::ALL;
        }
        let id = number.unwrap_or(0) as u16;
        let span = statement.span();
        if let Some(open) = self.open.take() {
            let message = format!("job {id} begins inside job {}", open.job.id);
            let diag = Diag::error(&codes::JOB, message).help("add END_JOB");
            context.error_with(span, diag, open.span, "this job is open");
        }
        let region = self.scope.regions.len() as u32;
        let spelling = operand
            .filter(|_| context.names.options.compat)
            .map(|text| text.to_ascii_lowercase().into());
        if number.is_some()
            && let Some(first) = self.jobs.insert((span.file.0, region, id, spelling), span)
        {
            *context.unread = UnreadCounts::ALL;
            context.error_with(span, codes::duplicate("job", id), first, "first here");
        }
        let job = Job {
            unit: span.file.0,
            source: Some(statement.loc()),
            ..Job::with_kind(kind, id)
        };
        self.open = Some(OpenJob { job, span });
    }

    fn end_job(&mut self, statement: &Statement<'_, '_>, context: &mut Context<'_>) {
        self.operands(statement, 0, context);
        match self.open.take() {
            Some(mut open) => {
                open.job.end = Some(statement.loc());
                open.job.body.shrink_to_fit();
                self.scope.push_job(open.job);
            }
            None if context.strict() => {
                let diag = Diag::error(&codes::JOB, "END_JOB without START_JOB");
                context.error(statement.span(), diag);
            }
            None => {}
        }
    }

    /// mlir-aie prints `.align` before each page, so that is allowed anywhere.
    fn outside(
        &mut self,
        statement: &Statement<'_, '_>,
        info: Option<&'static OpInfo>,
        context: &mut Context<'_>,
    ) {
        let is = |name: &str| statement.name.eq_ignore_ascii_case(name);
        if is(".align") {
            return;
        }
        let descriptor = is("uc_dma_bd");
        if info.is_none() && !descriptor && !is(".long") {
            let diag = codes::unknown_operation(statement.word);
            return context.error(statement.span(), diag);
        }
        if context.strict() {
            let outside = || {
                let word = statement.word.to_ascii_uppercase();
                Diag::error(&codes::JOB, format!("{word} is outside a job"))
                    .help("put it between START_JOB and END_JOB")
            };
            let diag = if descriptor {
                codes::data_in_text()
            } else {
                outside()
            };
            context.error(statement.span(), diag);
        }
    }
}

/// Notes that an instruction of a job was refused.
fn lose(info: Option<&OpInfo>, lost: &mut UnreadCounts) {
    match info.map(|info| info.mnemonic) {
        Some("LOCAL_BARRIER" | "REMOTE_BARRIER") => lost.barriers = true,
        Some("UC_DMA_WRITE_DES") => (lost.registers, lost.data) = (true, true),
        Some("WAIT_UC_DMA" | "MOV" | "ADD" | "READ_32" | "READ_32_D") => lost.registers = true,
        Some("LAUNCH_JOB") => lost.launches = true,
        Some("LOAD_PDI" | "LOAD_CORES" | "PREEMPT") => lost.loads = true,
        Some("APPLY_OFFSET_57" | "UC_DMA_WRITE_DES_SYNC") => lost.data = true,
        _ => {}
    }
}

fn name_ref(what: &'static str, from: usize, name: &str, span: Span) -> NameRef {
    NameRef {
        what,
        name: name.to_ascii_lowercase(),
        from,
        span,
    }
}
