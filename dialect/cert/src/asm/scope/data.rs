//! Labelled data: words and descriptors.

use aiec_diag::Diag;

use super::super::codes;
use super::super::lexer::LineAt;
use super::super::operand::Value;
use super::value::{evaluate, narrow, number, wrong};
use super::{Context, ScopeBuilder, Statement};
use crate::bd::UcDmaBd;
use crate::program::{DataBlock, DataId, DataItem, Word};

/// Operands of a descriptor.
const BD_OPERANDS: usize = 6;

impl ScopeBuilder {
    /// `NAME:` in data.
    pub fn define(&mut self, line: &LineAt<'_>, name: &str, context: &mut Context<'_>) {
        self.close_block(context);
        let span = line.span(name);
        let id = self.intern(line.file.0, name, context);
        let block = DataId(self.scope.data.len() as u32);
        self.scope.data.push(DataBlock {
            name: name.to_ascii_lowercase(),
            items: Vec::new(),
            unit: line.file.0,
            source: Some(line.loc(name)),
        });
        self.label = Some(span);
        let Some(symbol) = self.symbols.get_mut(id as usize) else {
            return;
        };
        match symbol.defined {
            Some(first) => {
                let diag = codes::duplicate("label", name.to_ascii_lowercase());
                context.error_with(span, diag, first, "first here");
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
            let message = "the last descriptor of a label says that another one follows";
            let help = "make its last operand 0, or add the next descriptor";
            context.error(span, Diag::error(&codes::DATA, message).help(help));
        }
        let Some(label) = self.label.take() else {
            return;
        };
        if let Some(block) = self.scope.data.last_mut() {
            block.items.shrink_to_fit();
            if block.items.is_empty() {
                let message = format!(
                    "label '{}' is not followed by UC_DMA_BD or .long",
                    block.name
                );
                let help = "put .align before the label";
                context.error(label, Diag::error(&codes::DATA, message).help(help));
            }
        }
    }

    /// Something else in data, which is an error of its own: the label is not to blame for it.
    pub fn stray(&mut self) {
        if self.label.is_some()
            && let Some(block) = self.scope.data.last_mut()
        {
            block.items.push(DataItem::Word(Word::Value(0)));
        }
    }

    /// `.long`, `.align` or `UC_DMA_BD` in data.
    pub fn data(&mut self, statement: &Statement<'_, '_>, context: &mut Context<'_>) {
        let is_align = statement.name.eq_ignore_ascii_case(".align");
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
                let diag = Diag::error(&codes::DATA, "data before the first label")
                    .help("add a `name:` line before it");
                context.error(statement.span(), diag);
            }
            return;
        }
        if let Some(span) = self.align.take() {
            let diag = Diag::error(&codes::DATA, ".align inside the data of a label");
            context.error(span, diag.help("put .align before a label"));
        }
        self.chained = None;
        let item = if statement.name.eq_ignore_ascii_case(".long") {
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

    pub(super) fn long(
        &mut self,
        statement: &Statement<'_, '_>,
        context: &mut Context<'_>,
    ) -> Word {
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
            let diag = codes::out_of_range(words, "a descriptor moves 1 to 32767 words");
            context.error(statement.line.span(words), diag);
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

/// Operand of `.align`.
pub(super) fn align(
    scope: &ScopeBuilder,
    statement: &Statement<'_, '_>,
    context: &mut Context<'_>,
) -> Option<u32> {
    let &text = scope.operands(statement, 1, context).first()?;
    let bytes = number(statement, text, 16, context)?;
    if context.strict() && !bytes.is_power_of_two() {
        let span = statement.line.span(text);
        let diag = codes::out_of_range(text, "alignments are powers of two");
        context.error(span, diag);
    }
    Some(bytes)
}
