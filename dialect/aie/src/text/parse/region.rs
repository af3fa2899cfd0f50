//! Regions and blocks.

use super::{BlockScope, Fields, ParseFailed, Parser, codes};
use crate::ir::{Block, InsertPoint, Op, Region, Type};
use crate::ops::{OpKind, Traits};
use crate::text::grammar::Rule;
use aiec_diag::{Diag, did_you_mean};

/// Parts that the text of a region may leave out.
#[derive(Clone, Copy, Default)]
pub(crate) struct RegionStyle {
    /// The terminator that is added when the last block has none.
    pub(crate) implied_terminator: Option<OpKind>,
}

impl<'s> Parser<'s> {
    /// The region `{ … }` of an operation, with named entry arguments.
    pub(crate) fn region(
        &mut self,
        op: Op,
        args: &[(&'s str, Type)],
        style: RegionStyle,
    ) -> Result<Region, ParseFailed> {
        self.cursor.skip_blanks();
        if self.cursor.peek() != Some(b'{') {
            return Err(self.cursor.unexpected(self.cursor.pos, "`{` and a region"));
        }
        let open = self.cursor.pos;
        if self.cursor.depth >= super::MAX_REGION_DEPTH {
            let at = self.cursor.text.get(open..open + 1).unwrap_or("");
            let message = format!(
                "regions nest deeper than {} levels",
                super::MAX_REGION_DEPTH
            );
            let stop = self.cursor.error(&codes::NESTING, at, message);
            self.cursor.pos = self.cursor.text.len();
            self.cursor.gave_up = true;
            return Err(stop);
        }
        self.cursor.pos += 1;
        let kind = self.m.kind(op);
        let isolated = kind.has(Traits::ISOLATED);
        let outer = self.block;
        let region = self.m.add_region(op);
        self.scopes.enter(isolated);
        self.blocks.push(BlockScope::default());
        self.cursor.depth += 1;
        let takes_constants = takes_constants(kind);
        let result = self.region_body(region, args, open, takes_constants);
        self.cursor.depth -= 1;
        if takes_constants && result.is_ok_and(|has_entry| has_entry) {
            self.constant_blocks.pop();
        }
        if result.is_ok() {
            self.terminate(region, style);
        }
        self.finish_blocks();
        let undefined = self.scopes.leave(isolated);
        self.report_undefined(undefined);
        self.block = outer;
        self.cursor.skip_from = self.cursor.pos;
        result.map(|_| region)
    }

    /// The blocks up to the closing brace; returns whether there is an entry block.
    fn region_body(
        &mut self,
        region: Region,
        args: &[(&'s str, Type)],
        open: usize,
        takes_constants: bool,
    ) -> Result<bool, ParseFailed> {
        self.cursor.skip_blanks();
        let mut current = None;
        if !args.is_empty() || !matches!(self.cursor.peek(), Some(b'^' | b'}')) {
            let entry = self.m.add_block(region);
            for (name, ty) in args {
                let value = self.m.add_block_arg(entry, ty.clone());
                self.define_value(name, value);
            }
            current = Some(entry);
            if takes_constants {
                self.constant_blocks.push(entry);
            }
        }
        loop {
            self.cursor.skip_blanks();
            match self.cursor.peek() {
                Some(b'}') => {
                    self.cursor.pos += 1;
                    return Ok(takes_constants && current.is_some());
                }
                Some(b'^') => {
                    let start = self.cursor.pos;
                    match self.block_label(region) {
                        Ok(block) => {
                            if current.is_none() && takes_constants {
                                self.constant_blocks.push(block);
                            }
                            current = Some(block);
                        }
                        Err(ParseFailed) => {
                            let block = self.lost_label(start, region);
                            if current.is_none() && takes_constants {
                                self.constant_blocks.push(block);
                            }
                            current = Some(block);
                            self.skip_line(start);
                        }
                    }
                }
                Some(_) => {
                    if let Some(block) = current {
                        self.block = block;
                        self.op();
                    }
                }
                None => return Err(self.unclosed(open, takes_constants && current.is_some())),
            }
        }
    }

    fn unclosed(&mut self, open: usize, has_entry: bool) -> ParseFailed {
        if has_entry {
            self.constant_blocks.pop();
        }
        let at = self.cursor.text.get(open..open + 1).unwrap_or("");
        let end = self.cursor.text.trim_end().len();
        let end = self.cursor.text.get(end..end).unwrap_or("");
        let diag = Diag::error(&codes::SYNTAX, "expected `}`, found the end of the file")
            .label(self.cursor.span(at), "this brace is never closed")
            .label(self.cursor.span(end), "the file ends here")
            .help("add `}` where its region ends");
        self.cursor.report(diag)
    }

    /// The block of a label that couldn't be read, so that jumps to it and uses of its arguments
    /// are not reported.
    fn lost_label(&mut self, start: usize, region: Region) -> Block {
        let word = self.cursor.word_at(start + 1);
        let label = self
            .cursor
            .text
            .get(start..start + 1 + word.len())
            .unwrap_or("");
        let line = self.cursor.text.get(start..).unwrap_or("").lines().next();
        self.poison_names(line.unwrap_or(""));
        let known = self.blocks.last().and_then(|scope| scope.names.get(label));
        let block = match known.copied() {
            Some((block, _, _)) => block,
            None => self.m.new_block(),
        };
        if self.m.block_region(block).is_none() {
            self.m.attach_block(block, region);
        }
        if let Some(scope) = self.blocks.last_mut() {
            scope.names.insert(label, (block, label, true));
        }
        block
    }

    fn block_label(&mut self, region: Region) -> Result<Block, ParseFailed> {
        let mut fields = Fields::of(self.cursor.run(Rule::block_label)?);
        let label = fields.next(&mut self.cursor)?.as_str();
        let scope = self.blocks.last_mut().ok_or(ParseFailed)?;
        let block = match scope.names.get(label).copied() {
            Some((_, before, true)) => {
                let diag = Diag::error(
                    &codes::REDEFINED_BLOCK,
                    format!("block `{label}` is defined twice"),
                )
                .label(self.cursor.span(label), "second definition")
                .label(self.cursor.span(before), "first definition");
                return Err(self.cursor.report(diag));
            }
            Some((block, _, false)) => block,
            None => self.m.new_block(),
        };
        if let Some(scope) = self.blocks.last_mut() {
            scope.names.insert(label, (block, label, true));
        }
        self.m.attach_block(block, region);
        for arg in fields.rest() {
            let (name, ty) = self.block_arg(Fields::of(arg))?;
            let value = self.m.add_block_arg(block, ty);
            self.define_value(name, value);
        }
        Ok(block)
    }

    /// Name and type of a [`Rule::block_arg`].
    pub(crate) fn block_arg(
        &mut self,
        mut fields: Fields<'s>,
    ) -> Result<(&'s str, Type), ParseFailed> {
        let name = fields.next(&mut self.cursor)?.as_str();
        let ty = fields.next(&mut self.cursor)?;
        Ok((name, self.literals().ty(ty.as_str())?))
    }

    /// Names and types of [`Rule::block_args`].
    pub(crate) fn block_args(
        &mut self,
        fields: Fields<'s>,
    ) -> Result<Vec<(&'s str, Type)>, ParseFailed> {
        let mut list = Vec::new();
        for arg in fields.rest() {
            list.push(self.block_arg(Fields::of(arg))?);
        }
        Ok(list)
    }

    /// Adds the implied terminator.
    fn terminate(&mut self, region: Region, style: RegionStyle) {
        let Some(kind) = style.implied_terminator else {
            return;
        };
        let block = match self.m.blocks_of(region).last() {
            Some(block) => *block,
            None => self.m.add_block(region),
        };
        let last = self.m.last_op(block);
        if last.is_some_and(|op| self.m.kind(op).has(Traits::TERMINATOR)) {
            return;
        }
        let loc = match (last, self.m.region_parent(region)) {
            (Some(op), _) | (None, Some(op)) => self.m.loc(op),
            (None, None) => return,
        };
        let end = self.m.build(kind, loc).insert(InsertPoint::End(block));
        for _ in 0..kind.def().and_then(|def| def.regions).unwrap_or(0) {
            let region = self.m.add_region(end);
            self.m.add_block(region);
        }
    }

    /// Reports labels that were used but never defined.
    fn finish_blocks(&mut self) {
        let Some(scope) = self.blocks.pop() else {
            return;
        };
        let mut defined: Vec<&str> = scope
            .names
            .iter()
            .filter(|(_, (_, _, defined))| *defined)
            .map(|(label, _)| *label)
            .collect();
        defined.sort_unstable();
        let mut missing: Vec<_> = scope
            .names
            .into_iter()
            .filter(|(_, (_, _, defined))| !defined)
            .map(|(label, (_, at, _))| (label, at))
            .collect();
        missing.sort_by_key(|(_, at)| at.as_ptr() as usize);
        for (label, at) in missing {
            let message = format!("block `{label}` is not defined in this region");
            let help = match did_you_mean(label, defined.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("add a line `{label}:` in this region, or name another block"),
            };
            let span = self.cursor.span(at);
            self.cursor.report(
                Diag::error(&codes::UNKNOWN_BLOCK, message)
                    .label(span, "named here")
                    .help(help),
            );
        }
    }
}

/// Whether constants for literals of older spellings go to this operation's entry block.
fn takes_constants(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::Core
            | OpKind::Mem
            | OpKind::MemTileDma
            | OpKind::ShimDma
            | OpKind::BdChain
            | OpKind::RuntimeSequence
            | OpKind::FuncFunc
    )
}
