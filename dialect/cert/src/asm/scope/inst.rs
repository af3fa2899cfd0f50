//! Instructions: operands to fields.

use aiec_diag::{Diag, Span};

use super::super::lexer::{LineAt, MAX_OPERANDS};
use super::super::operand::{self, Value};
use super::super::{SAVE_RESTORE_SCOPE, codes};
use super::bounds::sound;
use super::data::align;
use super::value::{argument, barrier, checked, evaluate, narrow, wrong};
use super::{Context, PreemptPoint, ScopeBuilder, Statement, Symbol, name_ref};
use crate::isa::{FieldInfo, FieldKind, OpInfo, Operand, SymOp, TargetSet};
use crate::names::Target;
use crate::program::{BodyItem, DataId, Fixup, FixupValue, Inst, PadId, ScopeId};

/// Contents of a field, given or filled in by layout.
enum Field {
    Value(Operand<DataId, ScopeId>),
    Fixup(u32, FixupValue),
}

impl ScopeBuilder {
    pub(super) fn body_item(
        &mut self,
        statement: &Statement<'_, '_>,
        info: Option<&'static OpInfo>,
        context: &mut Context<'_>,
    ) -> Option<BodyItem> {
        if let Some(info) = info {
            return self.inst(statement, info, context).map(BodyItem::Inst);
        }
        if statement.name.eq_ignore_ascii_case(".long") {
            return Some(BodyItem::Word(self.long(statement, context)));
        }
        if statement.name.eq_ignore_ascii_case(".align") {
            return align(self, statement, context).map(BodyItem::Align);
        }
        if statement.word.eq_ignore_ascii_case("uc_dma_bd") {
            context.error(statement.span(), codes::data_in_text());
        } else {
            let diag = codes::unknown_operation(statement.word);
            context.error(statement.span(), diag);
        }
        None
    }

    fn inst(
        &mut self,
        statement: &Statement<'_, '_>,
        info: &'static OpInfo,
        context: &mut Context<'_>,
    ) -> Option<Inst> {
        let target = context.names.options.target;
        if info.targets == TargetSet::Aie4 && target != Target::Aie4 {
            let message = format!("{} does not exist on {target}", info.mnemonic);
            context.error(statement.span(), Diag::error(&codes::TARGET, message));
            return None;
        }
        let wanted = info.operands().count();
        // the vendor's assembler takes optional operands only if there are exactly as many
        let whole = statement.operands.count == wanted + info.optional.len();
        let more = info.optional.first().filter(|_| whole);
        let texts = self.operands(statement, wanted + usize::from(more.is_some()), context);
        if texts.len() < wanted {
            return None;
        }
        let first_ref = context.scope_refs.len();
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
        let (mut pad, mut hint) = (None, None);
        match (info.mnemonic, next.next()) {
            (_, None) => {}
            ("PREEMPT", Some(text)) => hint = Some(self.hint(statement, text, context)?),
            (_, Some(text)) => pad = Some(self.pad_ref(statement, text, context)?),
        }
        if failed || (context.strict() && !sound(statement, info, &values, texts, context)) {
            return None;
        }
        let op = SymOp::from_fields(info, values)?;
        if info.mnemonic == "PREEMPT"
            && let Some(points) = &mut context.points
        {
            points.push(PreemptPoint {
                scope: self.index,
                first_ref,
                hint,
                span: statement.span(),
            });
        }
        Some(Inst {
            op,
            pad,
            fixups,
            relocs_only: false,
            source: Some(statement.loc()),
        })
    }

    /// The map of a PREEMPT says which memory the vendor's own save and restore programs keep. It
    /// takes no bytes. The programs of the text know what they save, so for them it only has to
    /// be there.
    fn hint(
        &mut self,
        statement: &Statement<'_, '_>,
        text: &str,
        context: &mut Context<'_>,
    ) -> Option<(String, Span)> {
        match evaluate(statement, text, context)? {
            Value::Reference(name) => {
                if context.strict() {
                    self.symbol(statement.line, name, true, context);
                }
                Some((name.to_ascii_lowercase(), statement.line.span(name)))
            }
            _ => wrong(statement.line.span(text), text, "a label (@name)", context),
        }
    }

    /// The operands of an operation. Too many are only an error when strict.
    pub(super) fn operands<'a>(
        &self,
        statement: &'a Statement<'_, '_>,
        wanted: usize,
        context: &mut Context<'_>,
    ) -> &'a [&'a str] {
        let operands = &statement.operands;
        if let Some(comma) = operands.stray {
            let message = "an operand is missing beside this comma";
            let diag = Diag::error(&codes::OPERAND_COUNT, message);
            context.error(statement.line.span(comma), diag);
        }
        let found = operands.count;
        if found < wanted || (found > wanted && context.strict()) {
            let mnemonic = statement.word.to_ascii_uppercase();
            let message = format!("{mnemonic} takes {wanted} operands, found {found}");
            let diag = Diag::error(&codes::OPERAND_COUNT, message);
            // too many: from the first that is one too much
            let at = if found > wanted {
                operands.kept().get(wanted).copied()
            } else {
                None
            };
            context.error(statement.line.span(at.unwrap_or(statement.word)), diag);
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
                let what = match info.mnemonic {
                    "PREEMPT" => SAVE_RESTORE_SCOPE,
                    _ => "scope",
                };
                let name = name_ref(what, self.index, name, span());
                context.scope_refs.push(name);
                Some(Field::Value(Operand::Scope(id)))
            }
            (_, FieldKind::Label | FieldKind::Scope) => {
                wrong(span(), text, operand::wanted(field), context)
            }
            (Value::Number(n), FieldKind::Argument) => value(argument(n, text, span, context)),
            (Value::Number(n), _) => {
                let errors = context.errors.len();
                let fits = value(narrow(n, field.bits, text, span, context));
                // a truncated number is dropped, so that no later check reports on a value that
                // isn't in the text
                fits.filter(|_| context.errors.len() == errors)
            }
            (Value::Reference(name), _) if !context.strict() || field.bits >= 16 => {
                let id = self.symbol(statement.line, name, false, context);
                Some(Field::Fixup(0, FixupValue::Label(id)))
            }
            (Value::Symbol, _) if context.names.options.compat => {
                let symbol = FixupValue::Symbol(text.to_ascii_lowercase());
                Some(Field::Fixup(previous, symbol))
            }
            _ => wrong(span(), text, operand::wanted(field), context),
        }
    }

    /// The symbol of a label that is used.
    pub(super) fn symbol(
        &mut self,
        line: &LineAt<'_>,
        name: &str,
        label_only: bool,
        context: &mut Context<'_>,
    ) -> DataId {
        let id = self.intern(line.file.0, name, context);
        if let Some(symbol) = self.symbols.get_mut(id as usize) {
            symbol.used.get_or_insert_with(|| line.span(name));
            symbol.label_only |= label_only;
        }
        DataId(id)
    }

    pub(super) fn intern(&mut self, unit: u32, name: &str, context: &mut Context<'_>) -> u32 {
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
        context
            .pad_refs
            .push(name_ref("pad", self.index, name, span));
        Some(PadId(context.pad_refs.len() as u32 - 1))
    }
}
