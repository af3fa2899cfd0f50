//! The lines of one scope of one controller, made into jobs and data.
//!
//! Labels may be used before they are defined, so instructions first hold numbers of
//! [`Symbol`]s; [`super::resolve`] replaces them by block numbers.

use rustc_hash::FxHashMap;

use super::lexer::{LineAt, MAX_OPERANDS, Operands};
use super::operand::{self, Value};
use super::{AsmError, AsmErrorKind, AsmOptions, Span};
use crate::bd::UcDmaBd;
use crate::isa::{
    BarrierKind, FieldInfo, FieldKind, FlowClass, OpInfo, Operand, Reg, SymOp, TargetSet,
};
use crate::names::{Target, TileId};
use crate::program::{
    BodyItem, DataBlock, DataId, DataItem, Fixup, FixupValue, Inst, Job, JobKind, PadId, Region,
    Scope, ScopeId, Word,
};

/// Operands of a descriptor.
const BD_OPERANDS: usize = 6;
/// Operand count of APPLY_OFFSET_57 with a pad.
const APPLY_WITH_PAD: usize = 4;
/// Marks the controller's own code in APPLY_OFFSET_57.
const ARGUMENT_CODE: u64 = 0xFFFF;
/// Highest argument index of APPLY_OFFSET_57, which doubles it.
const ARGUMENT_MAX: u64 = 0x7FFE;

/// An operation of a line.
#[derive(Clone, Copy)]
pub(super) struct Statement<'a, 's> {
    pub line: &'a LineAt<'s>,
    pub word: &'s str,
    pub operands: Operands<'s>,
}

impl Statement<'_, '_> {
    fn span(&self) -> Span {
        self.line.span(self.word)
    }
}

/// What lines are read with.
pub(super) struct Context<'a> {
    pub options: AsmOptions,
    pub errors: &'a mut Vec<AsmError>,
    /// Names of scopes that the controller's code refers to.
    pub scope_refs: &'a mut Vec<NameRef>,
    /// Names of pads that the controller's code refers to.
    pub pad_refs: &'a mut Vec<NameRef>,
    /// Room to fold names in.
    pub folded: &'a mut String,
}

impl Context<'_> {
    fn error(&mut self, span: Span, kind: AsmErrorKind) {
        self.errors.push(AsmError::new(span, kind));
    }

    fn related(&mut self, span: Span, kind: AsmErrorKind, other: Span, what: &'static str) {
        self.errors.push(AsmError {
            related: Some((other, what)),
            ..AsmError::new(span, kind)
        });
    }

    fn strict(&self) -> bool {
        !self.options.compat
    }
}

/// A name that is looked up when all is read.
#[derive(Debug)]
pub(super) struct NameRef {
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

/// What a field holds, and what layout puts there.
enum Field {
    Value(Operand<DataId, ScopeId>),
    Fixup(u32, FixupValue),
}

impl ScopeBuilder {
    pub fn new(path: String, index: usize) -> Self {
        let name = path.rsplit(':').next().unwrap_or_default().to_owned();
        Self {
            path,
            index,
            scope: Scope::new(name),
            first: None,
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
        match info.map(|i| i.flow) {
            None if statement.word.eq_ignore_ascii_case(".eop") => {
                self.end_page(statement, context)
            }
            Some(FlowClass::JobStart) => self.start_job(statement, info, context),
            Some(FlowClass::JobEnd) => self.end_job(statement, context),
            _ if self.open.is_none() => self.outside(statement, info, context),
            _ => {
                let item = self.body_item(statement, info, context);
                if let Some(open) = &mut self.open {
                    open.job.body.extend(item);
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

    fn body_item(
        &mut self,
        statement: &Statement<'_, '_>,
        info: Option<&'static OpInfo>,
        context: &mut Context<'_>,
    ) -> Option<BodyItem> {
        if let Some(info) = info {
            return self.inst(statement, info, context).map(BodyItem::Inst);
        }
        if statement.word.eq_ignore_ascii_case(".long") {
            return Some(BodyItem::Word(self.long(statement, context)));
        }
        if statement.word.eq_ignore_ascii_case(".align") {
            return align(self, statement, context).map(BodyItem::Align);
        }
        if statement.word.eq_ignore_ascii_case("uc_dma_bd") {
            context.error(statement.span(), AsmErrorKind::DataInText);
        } else {
            unknown(statement, context);
        }
        None
    }

    fn inst(
        &mut self,
        statement: &Statement<'_, '_>,
        info: &'static OpInfo,
        context: &mut Context<'_>,
    ) -> Option<Inst> {
        let target = context.options.target;
        if info.targets == TargetSet::Aie4 && target != Target::Aie4 {
            let mnemonic = info.mnemonic;
            context.error(
                statement.span(),
                AsmErrorKind::NotOnTarget { mnemonic, target },
            );
            return None;
        }
        let wanted = info.operands().count();
        let with_pad =
            info.mnemonic == "APPLY_OFFSET_57" && statement.operands.count == APPLY_WITH_PAD;
        let texts = self.operands(statement, wanted + usize::from(with_pad), context);
        if texts.len() < wanted {
            return None;
        }
        let mut fixups = Vec::new();
        let mut values = [Operand::Number(0); MAX_OPERANDS];
        let mut next = texts.iter();
        let mut previous = 0;
        let mut failed = false;
        for (index, field) in info.fields.iter().enumerate() {
            if !field.in_text() {
                continue;
            }
            let text = next.next()?;
            match self.field(statement, info, field, text, previous, context) {
                Some(Field::Value(value)) => {
                    if let Operand::Number(n) = value {
                        previous = n;
                    }
                    *values.get_mut(index)? = value;
                }
                Some(Field::Fixup(stored, value)) => {
                    fixups.push(Fixup {
                        field: index,
                        value,
                    });
                    *values.get_mut(index)? = Operand::Number(stored);
                }
                None => failed = true,
            }
        }
        let pad = match next.next().filter(|_| with_pad) {
            Some(text) => Some(self.pad_ref(statement, text, context)?),
            None => None,
        };
        if failed || (context.strict() && !sound(statement, info, &values, texts, context)) {
            return None;
        }
        let op = SymOp::from_fields(info, values)?;
        Some(Inst {
            op,
            pad,
            fixups,
            source: Some(statement.span().loc()),
        })
    }

    /// The operands of an operation. Too many are only an error when strict.
    fn operands<'a>(
        &self,
        statement: &'a Statement<'_, '_>,
        wanted: usize,
        context: &mut Context<'_>,
    ) -> &'a [&'a str] {
        let operands = &statement.operands;
        if let Some(comma) = operands.stray {
            context.error(statement.line.span(comma), AsmErrorKind::StrayComma);
        }
        let found = operands.count;
        if found < wanted || (found > wanted && context.strict()) {
            let mnemonic = statement.word.to_ascii_uppercase();
            let kind = AsmErrorKind::OperandCount {
                mnemonic,
                wanted,
                found,
            };
            // too many: from the first that is one too much
            let at = match found > wanted {
                true => operands.kept().get(wanted).copied(),
                false => None,
            };
            context.error(statement.line.span(at.unwrap_or(statement.word)), kind);
        }
        match operands.kept().get(..wanted) {
            Some(kept) => kept,
            None => &[],
        }
    }

    fn field(
        &mut self,
        statement: &Statement<'_, '_>,
        info: &OpInfo,
        field: &FieldInfo,
        text: &str,
        previous: u32,
        context: &mut Context<'_>,
    ) -> Option<Field> {
        let value = |n: u32| Some(Field::Value(Operand::Number(n)));
        let span = || statement.line.span(text);
        match field.kind {
            FieldKind::Register => {
                let reg = checked(operand::register(text), span, context)?;
                return value(u32::from(reg.0));
            }
            FieldKind::LocalBarrier | FieldKind::RemoteBarrier => {
                if let Some(n) = barrier(field.kind, text, span, context)? {
                    return value(n);
                }
            }
            FieldKind::Number | FieldKind::Address
                if text.starts_with('$') && info.mnemonic == "WRITE_32_D" && context.strict() =>
            {
                let reg = checked(operand::register(text), span, context)?;
                return value(u32::from(reg.0));
            }
            _ => {}
        }
        match (evaluate(statement, text, context)?, field.kind) {
            (Value::Reference(name), FieldKind::Label) => {
                let id = self.symbol(statement.line, name, true, context);
                Some(Field::Value(Operand::Label(id)))
            }
            (Value::Reference(name), FieldKind::Scope) => {
                let id = ScopeId(context.scope_refs.len() as u32);
                let name = name_ref(self.index, name, span());
                context.scope_refs.push(name);
                Some(Field::Value(Operand::Scope(id)))
            }
            (_, FieldKind::Label | FieldKind::Scope) => {
                wrong(span(), text, operand::wanted(field), context)
            }
            (Value::Number(n), FieldKind::Argument) => value(argument(n, text, span, context)),
            (Value::Number(n), _) => value(narrow(n, field.bits, text, span, context)),
            (Value::Reference(name), _) if !context.strict() || field.bits >= 16 => {
                let id = self.symbol(statement.line, name, false, context);
                Some(Field::Fixup(0, FixupValue::Label(id)))
            }
            (Value::Symbol, _) if context.options.compat => {
                let symbol = FixupValue::Symbol(text.to_ascii_lowercase());
                Some(Field::Fixup(previous, symbol))
            }
            _ => wrong(span(), text, operand::wanted(field), context),
        }
    }

    /// The symbol of a label that is used.
    fn symbol(
        &mut self,
        line: &LineAt<'_>,
        name: &str,
        label_only: bool,
        context: &mut Context<'_>,
    ) -> DataId {
        let id = self.intern(line.file, name, context);
        if let Some(symbol) = self.symbols.get_mut(id as usize) {
            if symbol.used.is_none() {
                symbol.used = Some(line.span(name));
            }
            symbol.label_only |= label_only;
        }
        DataId(id)
    }

    fn intern(&mut self, unit: u32, name: &str, context: &mut Context<'_>) -> u32 {
        context.folded.clear();
        context.folded.push_str(name);
        context.folded.make_ascii_lowercase();
        let names = self.units.entry(unit).or_default();
        if let Some(&id) = names.get(context.folded.as_str()) {
            return id;
        }
        let id = self.symbols.len() as u32;
        names.insert(context.folded.as_str().into(), id);
        self.symbols.push(Symbol::default());
        id
    }

    fn pad_ref(
        &mut self,
        statement: &Statement<'_, '_>,
        text: &str,
        context: &mut Context<'_>,
    ) -> Option<PadId> {
        let name = text.strip_prefix('@').unwrap_or(text);
        let span = statement.line.span(text);
        context.pad_refs.push(name_ref(self.index, name, span));
        Some(PadId(context.pad_refs.len() as u32 - 1))
    }

    /// `NAME:` in data.
    pub fn define(&mut self, line: &LineAt<'_>, name: &str, context: &mut Context<'_>) {
        self.close_block(context);
        let span = line.span(name);
        let id = self.intern(line.file, name, context);
        let block = DataId(self.scope.data.len() as u32);
        self.scope.data.push(DataBlock {
            name: name.to_ascii_lowercase(),
            items: Vec::new(),
            unit: line.file,
            source: Some(span.loc()),
        });
        self.label = Some(span);
        let Some(symbol) = self.symbols.get_mut(id as usize) else {
            return;
        };
        match symbol.defined {
            Some(first) => {
                let (what, name) = ("label", name.to_ascii_lowercase());
                let kind = AsmErrorKind::Duplicate { what, name };
                context.related(span, kind, first, "first here");
            }
            None => {
                symbol.defined = Some(span);
                symbol.block = Some(block);
            }
        }
    }

    /// Ends the block that items are added to.
    pub fn close_block(&mut self, context: &mut Context<'_>) {
        self.align = None;
        if let Some(span) = self.chained.take().filter(|_| context.strict()) {
            context.error(span, AsmErrorKind::ChainEnd);
        }
        let Some(label) = self.label.take() else {
            return;
        };
        if let Some(block) = self.scope.data.last_mut() {
            block.items.shrink_to_fit();
            if block.items.is_empty() {
                let kind = AsmErrorKind::EmptyLabel(block.name.clone());
                context.error(label, kind);
            }
        }
    }

    /// `.long`, `.align` or `UC_DMA_BD` in data.
    pub fn data(&mut self, statement: &Statement<'_, '_>, context: &mut Context<'_>) {
        let is_align = statement.word.eq_ignore_ascii_case(".align");
        let in_block = self.label.is_some();
        if is_align {
            align(self, statement, context);
            let empty = self.scope.data.last().is_none_or(|b| b.items.is_empty());
            if in_block && empty {
                // an empty block ends here: what follows has no label
                return self.close_block(context);
            }
            self.align.get_or_insert(statement.span());
            return;
        }
        if !in_block {
            if context.strict() {
                context.error(statement.span(), AsmErrorKind::DataWithoutLabel);
            }
            return;
        }
        if let Some(span) = self.align.take() {
            context.error(span, AsmErrorKind::AlignInData);
        }
        self.chained = None;
        let item = if statement.word.eq_ignore_ascii_case(".long") {
            Some(DataItem::Word(self.long(statement, context)))
        } else {
            self.descriptor(statement, context).map(DataItem::Bd)
        };
        let item = item.unwrap_or(DataItem::Word(Word::Value(0)));
        if matches!(item, DataItem::Bd(bd) if bd.next) {
            self.chained = Some(statement.span());
        }
        if let Some(block) = self.scope.data.last_mut() {
            block.items.push(item);
        }
    }

    fn long(&mut self, statement: &Statement<'_, '_>, context: &mut Context<'_>) -> Word {
        let Some(&text) = self.operands(statement, 1, context).first() else {
            return Word::Value(0);
        };
        let span = || statement.line.span(text);
        match evaluate(statement, text, context) {
            Some(Value::Number(n)) => Word::Value(narrow(n, 32, text, span, context)),
            Some(Value::Reference(name)) => {
                Word::Label(self.symbol(statement.line, name, false, context))
            }
            Some(Value::Symbol) => {
                let wanted = "a number, @label, tile or actor";
                let _: Option<()> = wrong(span(), text, wanted, context);
                Word::Value(0)
            }
            None => Word::Value(0),
        }
    }

    fn descriptor(
        &mut self,
        statement: &Statement<'_, '_>,
        context: &mut Context<'_>,
    ) -> Option<UcDmaBd<DataId>> {
        let operands = self.operands(statement, BD_OPERANDS, context);
        let &[high, low, local, words, external, next] = operands.first_chunk()?;
        let high = number(statement, high, 29, context);
        let low = number(statement, low, 32, context);
        let local = match evaluate(statement, local, context) {
            Some(Value::Reference(name)) => Some(self.symbol(statement.line, name, true, context)),
            Some(_) => wrong(
                statement.line.span(local),
                local,
                "a label (@name)",
                context,
            ),
            None => None,
        };
        let length = number(statement, words, 15, context);
        if length == Some(0) && context.strict() {
            let (text, range) = (words.to_owned(), "a descriptor moves 1 to 32767 words");
            let kind = AsmErrorKind::OutOfRange { text, range };
            context.error(statement.line.span(words), kind);
        }
        let external = number(statement, external, 1, context);
        let next = number(statement, next, 1, context);
        Some(UcDmaBd {
            remote: u64::from(high?) << 32 | u64::from(low?),
            local: local?,
            words: length?,
            external: external? & 1 != 0,
            next: next? & 1 != 0,
        })
    }
}

fn name_ref(from: usize, name: &str, span: Span) -> NameRef {
    NameRef {
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

/// Operand of `.align`.
fn align(
    scope: &ScopeBuilder,
    statement: &Statement<'_, '_>,
    context: &mut Context<'_>,
) -> Option<u32> {
    let &text = scope.operands(statement, 1, context).first()?;
    let bytes = number(statement, text, 16, context)?;
    if context.strict() && !bytes.is_power_of_two() {
        let span = statement.line.span(text);
        let (text, range) = (text.to_owned(), "alignments are powers of two");
        context.error(span, AsmErrorKind::OutOfRange { text, range });
    }
    Some(bytes)
}

fn checked<T>(
    result: Result<T, AsmErrorKind>,
    span: impl Fn() -> Span,
    context: &mut Context<'_>,
) -> Option<T> {
    result.map_err(|kind| context.error(span(), kind)).ok()
}

/// `None`: wrong; `Some(None)`: a number in place of a name.
fn barrier(
    kind: FieldKind,
    text: &str,
    span: impl Fn() -> Span,
    context: &mut Context<'_>,
) -> Option<Option<u32>> {
    let found = checked(operand::barrier(text), &span, context)?;
    let wanted = match kind {
        FieldKind::LocalBarrier => BarrierKind::Local,
        _ => BarrierKind::Remote,
    };
    let named = match text.as_bytes().get(1) {
        Some(b'l' | b'L') => BarrierKind::Local,
        _ => BarrierKind::Remote,
    };
    if found.is_some() && named != wanted && context.strict() {
        let wanted = match wanted {
            BarrierKind::Local => "a local barrier ($lbN)",
            BarrierKind::Remote => "a remote barrier ($rbN)",
        };
        return wrong(span(), text, wanted, context);
    }
    Some(found.map(|b| u32::from(b.0)))
}

fn evaluate<'t>(
    statement: &Statement<'_, '_>,
    text: &'t str,
    context: &mut Context<'_>,
) -> Option<Value<'t>> {
    let AsmOptions { target, compat } = context.options;
    let value = operand::value(text, target, compat);
    checked(value, || statement.line.span(text), context)
}

/// Reports an operand of the wrong sort.
fn wrong<T>(span: Span, text: &str, wanted: &'static str, context: &mut Context<'_>) -> Option<T> {
    let text = text.to_owned();
    context.error(span, AsmErrorKind::Operand { text, wanted });
    None
}

/// A number that must be one.
fn number(
    statement: &Statement<'_, '_>,
    text: &str,
    bits: u8,
    context: &mut Context<'_>,
) -> Option<u32> {
    let span = || statement.line.span(text);
    match evaluate(statement, text, context)? {
        Value::Number(n) => Some(narrow(n, bits, text, span, context)),
        _ => wrong(span(), text, "a number (decimal or 0x…)", context),
    }
}

/// Cuts to 32 bits; strict: reports what does not fit.
fn narrow(n: u64, bits: u8, text: &str, span: impl Fn() -> Span, context: &mut Context<'_>) -> u32 {
    if n >> bits != 0 && context.strict() {
        let value = text.to_owned();
        context.error(span(), AsmErrorKind::TooWide { value, bits });
    }
    n as u32
}

/// Encoded argument: doubled, but for the mark of the code itself.
fn argument(n: u64, text: &str, span: impl Fn() -> Span, context: &mut Context<'_>) -> u32 {
    if n == ARGUMENT_CODE {
        return ARGUMENT_CODE as u32;
    }
    if n > ARGUMENT_MAX && context.strict() {
        let (text, range) = (text.to_owned(), "arguments are 0 to 32766, or 0xFFFF");
        context.error(span(), AsmErrorKind::OutOfRange { text, range });
    }
    (n as u32).wrapping_mul(2) & 0xFFFF
}

/// Bounds that go across operands or are narrower than the field.
fn sound(
    statement: &Statement<'_, '_>,
    info: &OpInfo,
    values: &[Operand<DataId, ScopeId>; MAX_OPERANDS],
    texts: &[&str],
    context: &mut Context<'_>,
) -> bool {
    let number = |i: usize| match values.get(i) {
        Some(Operand::Number(n)) => *n,
        _ => 0,
    };
    let mut fine = true;
    let mut check = |i: usize, holds: bool, range: &'static str| {
        if !holds && let Some(&text) = texts.get(i) {
            let kind = AsmErrorKind::OutOfRange {
                text: text.to_owned(),
                range,
            };
            context.error(statement.line.span(text), kind);
            fine = false;
        }
    };
    let is_register = |n: u32| n < u32::from(Reg::COUNT);
    match info.mnemonic {
        "WRITE_32_D" => {
            let flags = number(0);
            check(0, flags < 4, "flags are 0 to 3");
            let immediate = |bit: u32| flags >> bit & 1 != 0;
            let range = "without the flag this is a register, 0 to 23";
            check(1, immediate(0) || is_register(number(1)), range);
            check(2, immediate(1) || is_register(number(2)), range);
        }
        "WAIT_TCTS" => {
            let bits = TileId::COLUMN_BITS + TileId::ROW_BITS;
            check(0, number(0) >> bits == 0, "a tile is column * 32 + row");
            check(2, number(2) > 0, "at least one token");
            fine &= actor_in_row(statement, number(0), texts, context);
        }
        "APPLY_OFFSET_57" => check(1, number(1) > 0, "a table has at least one entry"),
        "LOCAL_BARRIER" => {
            check(0, number(0) < 16, "local barriers are 0 to 15");
            check(1, number(1) > 0, "at least one job");
        }
        "REMOTE_BARRIER" => {
            check(
                0,
                (1..=65).contains(&number(0)),
                "remote barriers are 1 to 65 as numbers",
            );
            check(1, number(1) > 0, "at least one controller");
        }
        _ => {}
    }
    fine
}

/// Actors of the shim are in row 0, all others above.
fn actor_in_row(
    statement: &Statement<'_, '_>,
    tile: u32,
    texts: &[&str],
    context: &mut Context<'_>,
) -> bool {
    let &[tile_text, actor, ..] = texts else {
        return true;
    };
    let named = crate::names::is_actor_like(actor);
    let shim = actor
        .get(..5)
        .is_some_and(|head| head.eq_ignore_ascii_case("shim_"));
    if !named || shim == (TileId(tile as u16).row() == 0) {
        return true;
    }
    let (actor, tile) = (actor.to_owned(), tile_text.to_owned());
    let span = statement.line.span(texts[1]);
    context.error(span, AsmErrorKind::ActorRow { actor, tile });
    false
}
