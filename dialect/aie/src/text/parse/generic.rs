//! Generic form: `%r = "dialect.op"(%a)[^bb] <{…}> ({…}) {…} : (T) -> T`.

use super::{Build, Fields, ParseFailed, Parser, RegionStyle, codes};
use crate::ir::{InsertPoint, Op};
use crate::ops::kind_of;
use crate::text::grammar::Rule;
use crate::text::{PROPERTIES, custom};
use aiec_diag::Diag;

impl<'s> Parser<'s> {
    pub(super) fn generic_op(&mut self) -> Result<Op, ParseFailed> {
        let pair = self.cursor.run(Rule::generic_head)?;
        let mut fields = Fields::of(pair.clone());
        let quoted = fields.next(&mut self.cursor)?.as_str();
        let name = custom::full_name(quoted.trim_matches('"'));
        let kind = kind_of(name);
        let mut build = Build::new(self, kind, &pair);
        let known = kind.def().is_some();
        let values = fields.group(Rule::values);
        if let Some(list) = fields.group(Rule::generic_successors) {
            for successor in list.rest() {
                let mut parts = Fields::of(successor);
                let label = parts.next(&mut self.cursor)?.as_str();
                let block = self.successor(label);
                build.successors.push(block);
            }
        }
        if let Some(mut properties) = fields.group(Rule::properties) {
            let dict = properties.next(&mut self.cursor)?;
            if known {
                self.literals().dict_into(&mut build, dict)?;
            } else {
                let attr = self.literals().attr(dict)?;
                build.attr(PROPERTIES, attr);
            }
        }
        // The operation comes before its regions, its operands and results after them.
        let op = self
            .m
            .build_named(name, build.loc)
            .insert(InsertPoint::Detached);
        let made = self.generic_rest(op, build, values);
        if made.is_err() {
            self.m.erase(op);
        }
        made
    }

    fn generic_rest(
        &mut self,
        op: Op,
        mut build: Build<'s>,
        values: Option<Fields<'s>>,
    ) -> Result<Op, ParseFailed> {
        let block = self.block;
        self.cursor.skip_blanks();
        if self.cursor.peek() == Some(b'(') {
            self.cursor.pos += 1;
            loop {
                self.region(op, &[], RegionStyle::default())?;
                if !self.cursor.eat(",") {
                    break;
                }
            }
            self.cursor.expect(")")?;
        }
        let mut tail = self.cursor.fields(Rule::generic_tail)?;
        if let Some(dict) = tail.take(Rule::attr_dict) {
            self.literals().dict_into(&mut build, dict)?;
        }
        let types = tail.next(&mut self.cursor)?;
        let at = types.as_str();
        let (inputs, results) = self.literals().fn_type(types)?;
        let uses: Vec<&'s str> = match values {
            Some(list) => list.rest().map(|p| p.as_str()).collect(),
            None => Vec::new(),
        };
        if uses.len() != inputs.len() {
            let message = format!(
                "{} operands, but {} operand types",
                uses.len(),
                inputs.len()
            );
            let diag = Diag::error(&codes::TYPE_MISMATCH, message)
                .label(self.cursor.span(at), "types given here")
                .label(self.m.span(op), "operands given here");
            return Err(self.cursor.report(diag));
        }
        let mut failed = false;
        for (text, ty) in uses.into_iter().zip(&inputs) {
            match self.operand(text, ty) {
                Ok(value) => self.m.add_operand(op, value),
                Err(ParseFailed) => failed = true,
            }
        }
        if failed {
            return Err(ParseFailed);
        }
        self.m.set_results(op, results);
        for (key, value) in build.attrs.drain(..) {
            self.m.set_attr(op, key, value);
        }
        for successor in build.successors.drain(..) {
            self.m.add_successor(op, successor);
        }
        self.m.move_to(op, InsertPoint::End(block));
        custom::normalise(self, op, build.text)?;
        Ok(op)
    }
}
