//! Second step: names resolved, operations made into instructions.

use std::collections::HashMap;

use indexmap::IndexMap;

use super::lexer::Piece;
use super::operand::{self, Value};
use super::read::{DataLine, GroupParts, Parts, ScopeParts, Statement};
use super::{AsmError, AsmErrorKind, AsmOptions, Source, Span};
use crate::bd::UcDmaBd;
use crate::isa::{FieldInfo, FieldKind, FlowClass, OpInfo, Operand, TargetSet, find_mnemonic};
use crate::program::{
    BodyItem, DataBlock, DataId, DataItem, Fixup, FixupValue, Group, Inst, Job, JobKind,
    MAIN_SCOPE, Pad, PadId, Program, Region, Scope, ScopeId, SourceLoc, Word,
};

/// Operands of a descriptor.
const BD_OPERANDS: usize = 6;
/// Operand count of APPLY_OFFSET_57 with a pad.
const APPLY_WITH_PAD: usize = 4;

pub(super) fn build(
    parts: &Parts,
    sources: &[Source],
    options: AsmOptions,
    errors: &mut Vec<AsmError>,
) -> Program {
    let mut program = Program::new(options.target, parts.columns);
    program.files = sources.iter().map(|s| s.name.clone()).collect();
    for (&uc, group) in &parts.groups {
        let built = GroupBuilder::new(uc, group, options, errors).build();
        if built.scopes.iter().any(|s| s.jobs().next().is_some()) || !built.pads.is_empty() {
            program.groups.push(built);
        }
    }
    program
}

fn loc(span: Span) -> Option<SourceLoc> {
    Some(SourceLoc {
        file: span.file,
        line: span.line,
        column: span.column,
    })
}

struct GroupBuilder<'a> {
    uc: u32,
    parts: &'a GroupParts,
    options: AsmOptions,
    errors: &'a mut Vec<AsmError>,
    /// Id by full name.
    scope_ids: IndexMap<&'a str, ScopeId>,
    pad_ids: HashMap<&'a str, PadId>,
}

/// Names of the scope being built.
struct ScopeNames<'a> {
    full_name: &'a str,
    /// Block by file and label.
    blocks: HashMap<(u32, String), DataId>,
}

impl<'a> GroupBuilder<'a> {
    fn new(
        uc: u32,
        parts: &'a GroupParts,
        options: AsmOptions,
        errors: &'a mut Vec<AsmError>,
    ) -> Self {
        let mut scope_ids = IndexMap::new();
        scope_ids.insert(MAIN_SCOPE, ScopeId::MAIN);
        for name in parts.scopes.keys().filter(|n| *n != MAIN_SCOPE) {
            scope_ids.insert(name.as_str(), ScopeId(scope_ids.len() as u32));
        }
        let pad_ids = parts
            .pads
            .keys()
            .enumerate()
            .map(|(i, n)| (n.as_str(), PadId(i as u32)))
            .collect();
        Self {
            uc,
            parts,
            options,
            errors,
            scope_ids,
            pad_ids,
        }
    }

    fn error(&mut self, span: Span, kind: AsmErrorKind) {
        self.errors.push(AsmError { kind, span });
    }

    fn build(mut self) -> Group {
        let mut group = Group::new(self.uc);
        let empty = ScopeParts::default();
        for (name, id) in self.scope_ids.clone() {
            let parts = self.parts.scopes.get(name).unwrap_or(&empty);
            let scope = self.scope(name, parts);
            match id {
                ScopeId::MAIN => group.scopes[0] = scope,
                _ => group.scopes.push(scope),
            }
        }
        let used = self.parts.scopes.iter().filter(|(_, s)| !s.text.is_empty());
        group.scope_order = used
            .filter_map(|(name, _)| self.scope_ids.get(name.as_str()).copied())
            .collect();
        group.pads = self
            .parts
            .pads
            .iter()
            .map(|(name, bytes)| Pad {
                name: name.clone(),
                bytes: bytes.clone(),
            })
            .collect();
        group
    }

    fn scope(&mut self, full_name: &str, parts: &ScopeParts) -> Scope {
        let name = full_name.rsplit(':').next().unwrap_or(full_name);
        let mut scope = Scope::new(name);
        if !parts.text.is_empty()
            && !parts.has_eof
            && let Some(span) = parts.span
        {
            let (uc, scope) = (self.uc, name.to_owned());
            self.error(span, AsmErrorKind::NoEof { uc, scope });
        }
        let blocks = self.blocks(&parts.data);
        let mut names = ScopeNames {
            full_name,
            blocks: HashMap::new(),
        };
        for (i, (label, _)) in blocks.iter().enumerate() {
            let key = (label.span.file, label.text.to_ascii_lowercase());
            if names.blocks.insert(key, DataId(i as u32)).is_some() {
                let (what, name) = ("label", label.text.clone());
                self.error(label.span, AsmErrorKind::Duplicate { what, name });
            }
        }
        for (label, items) in blocks {
            let block = self.block(&names, label, &items);
            scope.data.push(block);
        }
        scope.regions = self.regions(&names, &parts.text);
        scope
    }

    /// Labels with their items. A trailing `.align` belongs to what follows.
    fn blocks<'b>(&mut self, lines: &'b [DataLine]) -> Vec<(&'b Piece, Vec<&'b Statement>)> {
        let mut blocks: Vec<(&Piece, Vec<&Statement>)> = Vec::new();
        for line in lines {
            match (line, blocks.last_mut()) {
                (DataLine::Label(name), _) => blocks.push((name, Vec::new())),
                (DataLine::Item(item), Some((_, items))) => items.push(item),
                (DataLine::Item(item), None) => {
                    if item.word.text != ".align" && !self.options.compat {
                        self.error(item.word.span, AsmErrorKind::DataWithoutLabel);
                    }
                }
            }
        }
        for (label, items) in &mut blocks {
            if items.first().is_none_or(|i| i.word.text == ".align") {
                self.error(label.span, AsmErrorKind::EmptyLabel(label.text.clone()));
            }
            while items.last().is_some_and(|i| i.word.text == ".align") {
                items.pop();
            }
        }
        blocks
    }

    fn block(&mut self, names: &ScopeNames<'_>, label: &Piece, items: &[&Statement]) -> DataBlock {
        let mut block = DataBlock {
            name: label.text.to_ascii_lowercase(),
            items: Vec::new(),
            unit: label.span.file,
            source: loc(label.span),
        };
        for item in items {
            match item.word.text.as_str() {
                ".align" => {
                    let kind = AsmErrorKind::AlignInData(label.text.clone());
                    self.error(item.word.span, kind);
                }
                ".long" => {
                    let word = self.long(names, item);
                    block.items.push(DataItem::Word(word));
                }
                _ => block
                    .items
                    .extend(self.descriptor(names, item).map(DataItem::Bd)),
            }
        }
        block
    }

    fn long(&mut self, names: &ScopeNames<'_>, item: &Statement) -> Word {
        let Some(operand) = self.operands(item, 1).first() else {
            return Word::Value(0);
        };
        match self.value(operand) {
            Some(Value::Number(n)) => Word::Value(self.narrow(operand, n, 32)),
            Some(Value::Reference(name)) => match self.pad_ids.get(name.as_str()) {
                Some(&pad) => Word::Pad(pad),
                None => self
                    .label(names, operand, &name)
                    .map_or(Word::Value(0), Word::Label),
            },
            Some(Value::Symbol) => {
                self.wrong(operand, "a number, @label, tile or actor");
                Word::Value(0)
            }
            None => Word::Value(0),
        }
    }

    fn descriptor(&mut self, names: &ScopeNames<'_>, item: &Statement) -> Option<UcDmaBd<DataId>> {
        let operands = self.operands(item, BD_OPERANDS);
        let [high, low, local, words, external, next] = operands.first_chunk()?;
        let high = self.number(high, 29)?;
        let low = self.number(low, 32)?;
        let local = match self.value(local)? {
            Value::Reference(name) => self.label(names, local, &name)?,
            _ => {
                self.wrong(local, "a label (@name)");
                return None;
            }
        };
        Some(UcDmaBd {
            remote: u64::from(high) << 32 | u64::from(low),
            local,
            words: self.number(words, 15)?,
            external: self.number(external, 1)? & 1 != 0,
            next: self.number(next, 1)? & 1 != 0,
        })
    }

    fn regions(&mut self, names: &ScopeNames<'_>, text: &[Statement]) -> Vec<Region> {
        let mut regions = vec![Region::default()];
        let mut open: Option<(Job, &Statement)> = None;
        let mut seen: HashMap<(u32, usize, String), ()> = HashMap::new();
        for statement in text {
            let word = &statement.word;
            let info = find_mnemonic(&word.text);
            match info.map(|i| i.flow) {
                _ if word.text == ".eop" => regions.push(Region::default()),
                Some(FlowClass::PageEnd) => {}
                Some(FlowClass::JobStart) => {
                    self.close_open(&mut open);
                    let Some(job) = self.start_job(statement) else {
                        continue;
                    };
                    let spelling = match self.options.compat {
                        true => statement.operands[0].text.clone(),
                        false => job.id.to_string(),
                    };
                    let key = (word.span.file, regions.len(), spelling);
                    if seen.insert(key, ()).is_some() {
                        let (what, name) = ("job", job.id.to_string());
                        self.error(word.span, AsmErrorKind::Duplicate { what, name });
                    }
                    open = Some((job, statement));
                }
                Some(FlowClass::JobEnd) => match open.take() {
                    Some((job, _)) => regions.last_mut().map_or((), |r| r.jobs.push(job)),
                    None => self.outside(statement),
                },
                _ => match &mut open {
                    Some((job, _)) => {
                        let item = self.body_item(names, statement, info);
                        job.body.extend(item);
                    }
                    None => self.outside(statement),
                },
            }
        }
        self.close_open(&mut open);
        regions
    }

    fn close_open(&mut self, open: &mut Option<(Job, &Statement)>) {
        if let Some((job, start)) = open.take() {
            self.error(start.word.span, AsmErrorKind::OpenJob(job.id.to_string()));
        }
    }

    /// mlir-aie prints `.align` before each page, so that is allowed anywhere.
    fn outside(&mut self, statement: &Statement) {
        let word = &statement.word;
        let known = find_mnemonic(&word.text).is_some()
            || matches!(word.text.as_str(), ".long" | "uc_dma_bd");
        if word.text == ".align" || (known && self.options.compat) {
            return;
        }
        let name = word.text.clone();
        self.error(
            word.span,
            if known {
                AsmErrorKind::OutsideJob(name)
            } else {
                AsmErrorKind::UnknownOperation(name)
            },
        );
    }

    fn start_job(&mut self, statement: &Statement) -> Option<Job> {
        let kind = match statement.word.text.as_str() {
            "start_job" => JobKind::Immediate,
            "start_job_deferred" => JobKind::Deferred,
            _ => JobKind::AfterPreemption,
        };
        let operand = self.operands(statement, 1).first()?;
        let id = self.number(operand, 16)?;
        let (unit, source) = (statement.word.span.file, loc(statement.word.span));
        Some(Job {
            unit,
            source,
            ..Job::with_kind(kind, id as u16)
        })
    }

    fn body_item(
        &mut self,
        names: &ScopeNames<'_>,
        statement: &Statement,
        info: Option<&'static OpInfo>,
    ) -> Option<BodyItem> {
        let word = &statement.word;
        match (info, word.text.as_str()) {
            (Some(info), _) => self.inst(names, statement, info).map(BodyItem::Inst),
            (None, ".long") => Some(BodyItem::Word(self.long(names, statement))),
            (None, ".align") => {
                let operand = self.operands(statement, 1).first()?;
                self.number(operand, 16).map(BodyItem::Align)
            }
            (None, name) => {
                self.error(word.span, AsmErrorKind::UnknownOperation(name.to_owned()));
                None
            }
        }
    }

    fn inst(
        &mut self,
        names: &ScopeNames<'_>,
        statement: &Statement,
        info: &'static OpInfo,
    ) -> Option<Inst> {
        let span = statement.word.span;
        let target = self.options.target;
        if info.targets == TargetSet::Aie4 && target != crate::names::Target::Aie4 {
            let mnemonic = info.mnemonic;
            self.error(span, AsmErrorKind::NotOnTarget { mnemonic, target });
            return None;
        }
        let wanted = info.operands().count();
        let with_pad =
            info.mnemonic == "APPLY_OFFSET_57" && statement.operands.len() == APPLY_WITH_PAD;
        let operands = self.operands(statement, wanted + usize::from(with_pad));
        if operands.len() < wanted {
            return None;
        }
        let mut fixups = Vec::new();
        let mut values = Vec::new();
        let mut next = operands.iter();
        let mut previous = 0;
        let mut failed = false;
        for (index, field) in info.fields.iter().enumerate() {
            let value = if field.in_text() {
                let operand = next.next()?;
                self.field(names, info, field, operand, previous)
            } else {
                Some(Field::Value(Operand::Number(0)))
            };
            match value {
                Some(Field::Value(value)) => {
                    if let Operand::Number(n) = value {
                        previous = n;
                    }
                    values.push(value);
                }
                Some(Field::Fixup(stored, value)) => {
                    fixups.push(Fixup {
                        field: index,
                        value,
                    });
                    values.push(Operand::Number(stored));
                }
                None => failed = true,
            }
        }
        let pad = match next.next().filter(|_| with_pad) {
            Some(operand) => Some(self.pad(operand)?),
            None => None,
        };
        if failed {
            return None;
        }
        let op = crate::isa::SymOp::from_fields(info, values)?;
        Some(Inst {
            op,
            pad,
            fixups,
            source: loc(span),
        })
    }

    /// The operands of an operation. Too many are only an error when strict.
    fn operands<'s>(&mut self, statement: &'s Statement, wanted: usize) -> &'s [Piece] {
        let found = statement.operands.len();
        if found < wanted || (found > wanted && !self.options.compat) {
            let mnemonic = statement.word.text.to_ascii_uppercase();
            let kind = AsmErrorKind::OperandCount {
                mnemonic,
                wanted,
                found,
            };
            self.error(statement.word.span, kind);
            if found < wanted {
                return &[];
            }
        }
        &statement.operands[..wanted]
    }

    fn field(
        &mut self,
        names: &ScopeNames<'_>,
        info: &OpInfo,
        field: &FieldInfo,
        operand: &Piece,
        previous: u32,
    ) -> Option<Field> {
        let number = |n: u32| Some(Field::Value(Operand::Number(n)));
        match field.kind {
            FieldKind::Register => {
                let reg = operand::register(&operand.text);
                return number(u32::from(self.check(operand, reg)?.0));
            }
            FieldKind::LocalBarrier | FieldKind::RemoteBarrier => {
                let barrier = operand::barrier(&operand.text);
                if let Some(barrier) = self.check(operand, barrier)? {
                    return number(u32::from(barrier.0));
                }
            }
            FieldKind::Number | FieldKind::Address
                if info.mnemonic == "WRITE_32_D"
                    && operand.text.starts_with('$')
                    && !self.options.compat =>
            {
                let reg = operand::register(&operand.text);
                return number(u32::from(self.check(operand, reg)?.0));
            }
            _ => {}
        }
        match (self.value(operand)?, field.kind) {
            (Value::Reference(name), FieldKind::Label) => {
                let id = self.label(names, operand, &name)?;
                Some(Field::Value(Operand::Label(id)))
            }
            (Value::Reference(name), FieldKind::Scope) => {
                let id = self.scope_ref(names, operand, &name)?;
                Some(Field::Value(Operand::Scope(id)))
            }
            (_, FieldKind::Label | FieldKind::Scope) => {
                self.wrong(operand, operand::wanted(field));
                None
            }
            (Value::Number(n), FieldKind::Argument) => number(argument(n)),
            (Value::Number(n), _) => number(self.narrow(operand, n, field.bits)),
            (Value::Reference(name), _) => {
                let value = match self.pad_ids.get(name.as_str()) {
                    Some(&pad) => FixupValue::Pad(pad),
                    None => FixupValue::Label(self.label(names, operand, &name)?),
                };
                Some(Field::Fixup(0, value))
            }
            (Value::Symbol, _) if self.options.compat => Some(Field::Fixup(
                previous,
                FixupValue::Symbol(operand.text.clone()),
            )),
            (Value::Symbol, _) => {
                self.wrong(operand, operand::wanted(field));
                None
            }
        }
    }

    fn check<T>(&mut self, operand: &Piece, result: Result<T, AsmErrorKind>) -> Option<T> {
        result.map_err(|kind| self.error(operand.span, kind)).ok()
    }

    fn value(&mut self, operand: &Piece) -> Option<Value> {
        let value = operand::value(&operand.text, self.options.target);
        self.check(operand, value)
    }

    fn wrong(&mut self, operand: &Piece, wanted: &'static str) {
        let text = operand.text.clone();
        self.error(operand.span, AsmErrorKind::Operand { text, wanted });
    }

    /// A number that must be one.
    fn number(&mut self, operand: &Piece, bits: u8) -> Option<u32> {
        match self.value(operand)? {
            Value::Number(n) => Some(self.narrow(operand, n, bits)),
            _ => {
                self.wrong(operand, "a number (decimal or 0x…)");
                None
            }
        }
    }

    /// Cuts to 32 bits; strict: reports what does not fit.
    fn narrow(&mut self, operand: &Piece, n: u64, bits: u8) -> u32 {
        if n >> bits != 0 && !self.options.compat {
            let value = operand.text.clone();
            self.error(operand.span, AsmErrorKind::TooWide { value, bits });
        }
        n as u32
    }

    fn label(&mut self, names: &ScopeNames<'_>, operand: &Piece, name: &str) -> Option<DataId> {
        let found = names
            .blocks
            .get(&(operand.span.file, name.to_owned()))
            .copied();
        if found.is_none() {
            let (what, name) = ("label", name.to_owned());
            self.error(operand.span, AsmErrorKind::Undefined { what, name });
        }
        found
    }

    /// Scopes are looked up inside the current one, then in the main one.
    fn scope_ref(
        &mut self,
        names: &ScopeNames<'_>,
        operand: &Piece,
        name: &str,
    ) -> Option<ScopeId> {
        let inner = format!("{}:{name}", names.full_name);
        let outer = format!("{MAIN_SCOPE}:{name}");
        let found = self
            .scope_ids
            .get(inner.as_str())
            .or(self.scope_ids.get(outer.as_str()));
        let found = found.copied();
        if found.is_none() {
            let (what, name) = ("scope", name.to_owned());
            self.error(operand.span, AsmErrorKind::Undefined { what, name });
        }
        found
    }

    fn pad(&mut self, operand: &Piece) -> Option<PadId> {
        let name = operand.text.strip_prefix('@').unwrap_or(&operand.text);
        let found = self.pad_ids.get(name).copied();
        if found.is_none() {
            let (what, name) = ("pad", name.to_owned());
            self.error(operand.span, AsmErrorKind::Undefined { what, name });
        }
        found
    }
}

/// A field's value, or what layout puts there with the number stored until then.
enum Field {
    Value(Operand<DataId, ScopeId>),
    Fixup(u32, FixupValue),
}

/// Encoded argument: doubled, but for the mark of the code itself.
fn argument(n: u64) -> u32 {
    const CODE: u64 = 0xFFFF;
    if n == CODE {
        CODE as u32
    } else {
        (n as u32).wrapping_mul(2) & 0xFFFF
    }
}
