//! From IR to text: today's custom form with the reference's SSA names, or generic form.
//!
//! An operation whose custom syntax can't say what it holds (a missing attribute, an unusual
//! operand count) is printed in generic form, so that nothing is lost.

mod aliases;
mod attrs;
mod floats;
mod generic;
mod names;
mod types;

use std::fmt::Write as _;
use std::mem::Discriminant;

use rustc_hash::FxHashMap;

use crate::ir::{Attr, Block, Module, Op, Region, Type, Value};
use crate::ops::Traits;
use crate::text::custom;
use aiec_diag::SourceMap;
use aliases::{Aliases, Locations};
use attrs::write_int;
use names::Names;

pub use generic::stored_attributes;

pub(crate) use attrs::{
    escape, is_bare_id, write_affine, write_dense, write_dims, write_key, write_pads, write_symbol,
};

/// Options of printing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PrintOptions {
    /// Generic form for every operation.
    pub generic: bool,
}

/// A module as text, ending with a newline.
pub fn print(module: &Module, options: PrintOptions) -> String {
    whole(Printer::new(module, module.top(), options))
}

/// As [`print()`], with the location of each operation after it: what the text gave, else where
/// it stood.
pub fn print_with_locations(module: &Module, options: PrintOptions, sources: &SourceMap) -> String {
    let mut printer = Printer::new(module, module.top(), options);
    printer.locations = Some(Locations::new(sources));
    whole(printer)
}

fn whole(mut printer: Printer<'_>) -> String {
    printer.aliases = Some(Aliases::default());
    printer.op(printer.m.top());
    printer.out.push('\n');
    printer.trailer();
    match printer.aliases {
        Some(aliases) => {
            let definitions = aliases.definitions();
            if definitions.is_empty() {
                printer.out
            } else {
                definitions + &printer.out
            }
        }
        None => printer.out,
    }
}

/// One operation with all it contains, without a newline at the end.
pub fn print_op(module: &Module, op: Op, options: PrintOptions) -> String {
    let mut printer = Printer::new(module, op, options);
    printer.op(op);
    printer.out
}

/// The text under construction.
pub(crate) struct Printer<'m> {
    /// The module that is printed.
    pub(crate) m: &'m Module,
    /// The text so far.
    pub(crate) out: String,
    options: PrintOptions,
    names: Names,
    indent: usize,
    /// Texts of types by kind and address; the type is held, so that its address keeps its meaning.
    type_texts: FxHashMap<(Discriminant<Type>, usize), (Type, Box<str>)>,
    /// Names of maps and sets; without, they are printed in place.
    aliases: Option<Aliases>,
    /// Locations, if they are printed.
    locations: Option<Locations<'m>>,
}

impl<'m> Printer<'m> {
    fn new(m: &'m Module, root: Op, options: PrintOptions) -> Printer<'m> {
        Printer {
            m,
            out: String::new(),
            options,
            names: Names::of(m, root, options.generic),
            indent: 0,
            type_texts: FxHashMap::default(),
            aliases: None,
            locations: None,
        }
    }

    /// An operation with its results.
    pub(crate) fn op(&mut self, op: Op) {
        let location = self.location(op);
        self.results(op);
        let syntax = custom::syntax(self.m.kind(op));
        match syntax {
            Some(syntax) if !self.options.generic && custom::printable(self.m, syntax, op) => {
                self.out.push_str(custom::printed_name(self.m, op));
                syntax.print(self, op);
            }
            _ => self.generic_op(op),
        }
        self.trailing_location(location);
    }

    fn results(&mut self, op: Op) {
        let count = self.m.num_results(op);
        if count == 0 {
            return;
        }
        if let (1, Some(result)) = (count, self.m.result(op, 0)) {
            self.names.write(result, &mut self.out);
            self.out.push_str(" = ");
            return;
        }
        for (n, group) in self.names.groups(self.m, op).into_iter().enumerate() {
            if n > 0 {
                self.out.push_str(", ");
            }
            let (first, size) = group;
            self.names.write(first, &mut self.out);
            if size > 1 {
                let _ = write!(self.out, ":{size}");
            }
        }
        self.out.push_str(" = ");
    }

    // ---- pieces ----

    /// Any text.
    pub(crate) fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Writes a use of a value to another text.
    pub(crate) fn write_value(&self, value: Value, out: &mut String) {
        self.names.write_use(self.m, value, out);
    }

    /// A use of a value.
    pub(crate) fn value(&mut self, value: Value) {
        self.names.write_use(self.m, value, &mut self.out);
    }

    /// The n-th operand.
    pub(crate) fn operand(&mut self, op: Op, n: usize) {
        if let Some(value) = self.m.operand(op, n) {
            self.value(value);
        }
    }

    /// Uses with commas between.
    pub(crate) fn values(&mut self, values: &[Value]) {
        for (n, value) in values.iter().enumerate() {
            if n > 0 {
                self.out.push_str(", ");
            }
            self.value(*value);
        }
    }

    /// Types with commas between.
    pub(crate) fn types<'t>(&mut self, types: impl IntoIterator<Item = &'t Type>) {
        for (n, ty) in types.into_iter().enumerate() {
            if n > 0 {
                self.out.push_str(", ");
            }
            self.ty(ty);
        }
    }

    /// The types of values with commas between.
    pub(crate) fn types_of(&mut self, values: &[Value]) {
        let m = self.m;
        self.types(values.iter().map(|v| m.ty(*v)));
    }

    /// The type of the n-th result.
    pub(crate) fn result_type(&mut self, op: Op, n: usize) {
        if let Some(result) = self.m.result(op, n) {
            let ty = self.m.ty(result).clone();
            self.ty(&ty);
        }
    }

    /// The types of an arrow's right side: one bare, others in parentheses.
    pub(crate) fn arrow_types(&mut self, types: &[Type]) {
        match types {
            [one] if !matches!(one, Type::Function(_)) => self.ty(one),
            _ => {
                self.out.push('(');
                self.types(types);
                self.out.push(')');
            }
        }
    }

    /// An integer attribute's bare number.
    pub(crate) fn int(&mut self, op: Op, key: &str) {
        write_int(&mut self.out, self.m.int_attr(op, key).unwrap_or(0));
    }

    /// ` {…}` with all attributes but these and those at their default, sorted; nothing if empty.
    pub(crate) fn dict(&mut self, op: Op, hidden: &[&str]) {
        self.dict_with(op, hidden, " ");
    }

    /// As [`Printer::dict`], with this text before the brace.
    pub(crate) fn dict_with(&mut self, op: Op, hidden: &[&str], before: &str) {
        let m = self.m;
        let defaults = custom::printed::defaults(m.kind(op));
        let mut shown: Vec<(&str, &Attr)> = m
            .attrs(op)
            .filter(|(key, _)| *key != "operandSegmentSizes" && !hidden.contains(key))
            .filter(|(key, value)| !custom::printed::is_default(defaults, key, value))
            .collect();
        if shown.is_empty() {
            return;
        }
        shown.sort_by_key(|(key, _)| *key);
        self.out.push_str(before);
        self.entries(&shown);
    }

    fn entries(&mut self, shown: &[(&str, &Attr)]) {
        self.out.push('{');
        for (n, (key, value)) in shown.iter().enumerate() {
            if n > 0 {
                self.out.push_str(", ");
            }
            write_key(&mut self.out, key);
            if **value != Attr::Unit {
                self.out.push_str(" = ");
                self.attr(value);
            }
        }
        self.out.push('}');
    }

    /// `@name`
    pub(crate) fn symbol(&mut self, name: &str) {
        write_symbol(&mut self.out, name);
    }

    /// A new line at the current indentation.
    pub(crate) fn newline(&mut self) {
        self.out.push('\n');
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
    }

    // ---- regions ----

    /// The n-th region of an operation: `{`, its blocks, `}`. The terminator of implicit-end
    /// operations is left out.
    pub(crate) fn region(&mut self, op: Op, n: usize) {
        let kind = self.m.kind(op);
        self.region_with(op, n, true, kind.has(Traits::IMPLICIT_END));
    }

    /// As [`Printer::region`], saying whether the entry's arguments are printed as a label and
    /// whether a plain terminator at the end is left out.
    pub(crate) fn region_with(&mut self, op: Op, n: usize, entry_label: bool, implied_end: bool) {
        let Some(region) = self.m.region(op, n) else {
            self.out.push_str("{\n");
            self.close();
            return;
        };
        self.region_body(region, entry_label, implied_end, false);
    }

    pub(super) fn region_body(
        &mut self,
        region: Region,
        entry_label: bool,
        implied_end: bool,
        label_empty: bool,
    ) {
        self.out.push('{');
        let predecessors = self.names.predecessors(self.m, region);
        for (n, block) in self.m.blocks_of(region).iter().enumerate() {
            let args = !self.m.block_args(*block).is_empty();
            let empty = self.m.first_op(*block).is_none();
            if n > 0 || (entry_label && args) || (label_empty && empty) {
                self.newline();
                self.label(*block, n, predecessors.get(n).map_or(&[][..], |p| p));
            }
            self.indent += 1;
            let mut next = self.m.first_op(*block);
            while let Some(op) = next {
                next = self.m.next_op(op);
                if implied_end && next.is_none() && self.is_plain_terminator(op) {
                    break;
                }
                self.newline();
                self.op(op);
            }
            self.indent -= 1;
        }
        self.newline();
        self.out.push('}');
    }

    fn close(&mut self) {
        self.out.pop();
        self.newline();
        self.out.push('}');
    }

    /// Whether an operation is a terminator without information.
    fn is_plain_terminator(&self, op: Op) -> bool {
        self.m.kind(op).has(Traits::TERMINATOR)
            && self.m.num_operands(op) == 0
            && self.m.attrs(op).len() == 0
            && self.m.successors(op).is_empty()
    }

    fn label(&mut self, block: Block, n: usize, predecessors: &[usize]) {
        let _ = write!(self.out, "^bb{n}");
        let args = self.m.block_args(block);
        if !args.is_empty() {
            self.out.push('(');
            self.arguments(args);
            self.out.push(')');
        }
        self.out.push(':');
        match predecessors {
            [] if n > 0 => self.out.push_str("  // no predecessors"),
            [] => {}
            [one] => {
                let _ = write!(self.out, "  // pred: ^bb{one}");
            }
            many => {
                let _ = write!(self.out, "  // {} preds: ", many.len());
                for (n, block) in many.iter().enumerate() {
                    let comma = if n > 0 { ", " } else { "" };
                    let _ = write!(self.out, "{comma}^bb{block}");
                }
            }
        }
    }

    /// `%arg0: i32, %arg1: f32`
    pub(crate) fn arguments(&mut self, args: &[Value]) {
        for (n, arg) in args.iter().enumerate() {
            if n > 0 {
                self.out.push_str(", ");
            }
            self.value(*arg);
            self.out.push_str(": ");
            let ty = self.m.ty(*arg).clone();
            self.ty(&ty);
        }
    }

    /// The arguments of the entry block of the n-th region.
    pub(crate) fn entry_arguments(&mut self, op: Op, n: usize) {
        if let Some(entry) = self.m.entry(op, n) {
            self.arguments(self.m.block_args(entry));
        }
    }

    /// `^bb1`
    pub(crate) fn block_name(&mut self, block: Block) {
        let n = self.names.block(block);
        let _ = write!(self.out, "^bb{n}");
    }

    /// `^bb1(%a, %b : i32, f32)`
    pub(crate) fn successor(&mut self, block: Block, args: &[Value]) {
        self.block_name(block);
        if !args.is_empty() {
            self.out.push('(');
            self.values(args);
            self.out.push_str(" : ");
            self.types_of(args);
            self.out.push(')');
        }
    }
}
