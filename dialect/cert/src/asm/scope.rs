//! The lines of one scope of one controller, made into jobs and data.
//!
//! Labels may be used before they are defined, so instructions first hold numbers of
//! [`Symbol`]s; [`super::resolve`] replaces them by block numbers.

mod data;
mod inst;
mod value;

use rustc_hash::FxHashMap;

use super::lexer::{LineAt, Operands};
use super::{AsmError, AsmErrorKind, AsmOptions, Span};
use crate::check::Lost;
use crate::isa::{FlowClass, OpInfo};
use crate::program::{DataId, Job, JobKind, Region, Scope};
use value::number;

/// An operation of a line.
#[derive(Clone, Copy)]
pub(super) struct Statement<'a, 's> {
    pub line: &'a LineAt<'s>,
    pub word: &'s str,
    pub operands: Operands<'s>,
}

impl Statement<'_, '_> {
    pub fn span(&self) -> Span {
        self.line.span(self.word)
    }
}

/// What lines are read with.
pub(super) struct Context<'a> {
    pub options: AsmOptions,
    pub errors: &'a mut Vec<AsmError>,
    /// What lines with errors cost.
    pub lost: &'a mut Lost,
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
    pub fn error(&mut self, span: Span, kind: AsmErrorKind) {
        self.errors.push(AsmError::new(span, kind));
    }

    pub fn related(&mut self, span: Span, kind: AsmErrorKind, other: Span, what: &'static str) {
        self.errors.push(AsmError {
            related: Some((other, what)),
            ..AsmError::new(span, kind)
        });
    }

    pub fn strict(&self) -> bool {
        !self.options.compat
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
    /// What it names.
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
    /// `.align` behind an item of the open block.
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
        self.scope.eof = Some(statement.span().loc());
        if context.strict() {
            self.close_open(context);
        }
    }

    /// Reports a job that is not ended.
    pub fn close_open(&mut self, context: &mut Context<'_>) {
        if let Some(open) = self.open.take() {
            context.error(open.span, AsmErrorKind::OpenJob(open.job.id));
        }
    }

    /// An operation in text.
    pub fn text(
        &mut self,
        statement: &Statement<'_, '_>,
        info: Option<&'static OpInfo>,
        context: &mut Context<'_>,
    ) {
        if self.first.is_none() {
            self.first = Some(statement.span());
        }
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
                    _ => lose(info, context.lost),
                }
            }
        }
    }

    fn end_page(&mut self, statement: &Statement<'_, '_>, context: &mut Context<'_>) {
        self.operands(statement, 0, context);
        if let Some(job) = self.open_job().filter(|_| context.strict()) {
            let what = ".eop";
            context.error(statement.span(), AsmErrorKind::InsideJob { what, job });
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
            *context.lost = Lost::ALL;
        }
        let id = number.unwrap_or(0) as u16;
        let span = statement.span();
        if let Some(open) = self.open.take() {
            let (outer, inner) = (open.job.id, id);
            let kind = AsmErrorKind::NestedJob { outer, inner };
            context.related(span, kind, open.span, "this job is open");
        }
        let region = self.scope.regions.len() as u32;
        let spelling = operand
            .filter(|_| context.options.compat)
            .map(|text| text.to_ascii_lowercase().into());
        if number.is_some()
            && let Some(first) = self.jobs.insert((span.file, region, id, spelling), span)
        {
            let (what, name) = ("job", id.to_string());
            let kind = AsmErrorKind::Duplicate { what, name };
            context.related(span, kind, first, "first here");
        }
        let job = Job {
            unit: span.file,
            source: Some(span.loc()),
            ..Job::with_kind(kind, id)
        };
        self.open = Some(OpenJob { job, span });
    }

    fn end_job(&mut self, statement: &Statement<'_, '_>, context: &mut Context<'_>) {
        self.operands(statement, 0, context);
        match self.open.take() {
            Some(mut open) => {
                open.job.end = Some(statement.span().loc());
                open.job.body.shrink_to_fit();
                self.scope.push_job(open.job);
            }
            None if context.strict() => {
                context.error(statement.span(), AsmErrorKind::EndWithoutStart);
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
        let is = |name: &str| statement.word.eq_ignore_ascii_case(name);
        if is(".align") {
            return;
        }
        let descriptor = is("uc_dma_bd");
        if info.is_none() && !descriptor && !is(".long") {
            return unknown(statement, context);
        }
        if context.strict() {
            let kind = match descriptor {
                true => AsmErrorKind::DataInText,
                false => AsmErrorKind::OutsideJob(statement.word.to_ascii_uppercase()),
            };
            context.error(statement.span(), kind);
        }
    }
}

/// Notes that an instruction of a job was refused.
fn lose(info: Option<&OpInfo>, lost: &mut Lost) {
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

fn unknown(statement: &Statement<'_, '_>, context: &mut Context<'_>) {
    let name = statement.word.to_owned();
    let near = crate::isa::similar_mnemonic(&name);
    context.error(
        statement.span(),
        AsmErrorKind::UnknownOperation { name, near },
    );
}
