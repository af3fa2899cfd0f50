//! Reads and prints operations by the formats of the table of operations. `build/formats.rs` makes
//! a grammar rule and a list of items of each; what a format means is described in
//! `op_table/rows.rs`.

use std::ops::Range;

use smallvec::SmallVec;

use super::fragments::{FLAG_KEYS, combining_kind, flags, opaque, print_flags};
use super::printed::{defaults, is_default};
use super::words::{self, ScalarType, Words};
use crate::ir::{Attr, Module, Op, Type, Value};
use crate::ops::{OpKind, Traits};
use crate::text::grammar::Rule;
use crate::text::parse::{Fields, OpParser, ParseFailed, codes, unescape};
use crate::text::print::{Printer, escape};

include!(concat!(env!("OUT_DIR"), "/formats.rs"));

/// The custom form of an operation, as its row has it.
pub(crate) struct Format {
    /// Its grammar rule.
    pub(crate) rule: Rule,
    /// Whether several operations share the rule, which then starts with the operation's name.
    shared: bool,
    /// The type of the only result, where the text has none.
    result: Option<TypeSource>,
    /// Items after the name, in order.
    items: &'static [Item],
}

/// Where the type of an operand or result comes from.
#[derive(Clone, Copy)]
enum TypeSource {
    /// It is always this one.
    Known(ScalarType),
    /// It is written elsewhere in the text.
    Written,
    /// It is that of a group of operands.
    Same(usize),
    /// It is that of the elements of a group of operands.
    Element(usize),
    /// It is that of the result.
    Result,
    /// It is that of the elements of the result.
    ElementOfResult,
    /// It is that of what `ptr.get_metadata` gives of a group of operands.
    Metadata(usize),
    /// It is that of what `ptr.get_metadata` gives of the result.
    MetadataOfResult,
}

/// An item of a format; groups of operands have the numbers of their declaration.
enum Item {
    /// Text as printed; the grammar matches it.
    Text(&'static str),
    /// The only operand of a group.
    Operand(usize, TypeSource),
    /// The operands of a group with commas between.
    Operands(usize, TypeSource),
    /// The type of the only operand of a group, or of each of them.
    TypeOf(usize),
    /// The types of the operands of a group.
    TypesOf(usize),
    /// The type of the only result.
    ResultType,
    /// The types of all results.
    ResultTypes,
    /// An attribute.
    Attr(&'static str, AttrForm),
    /// Items that may be missing all together, a match of a rule of their own; those of older
    /// forms are not printed.
    Optional {
        rule: Rule,
        printed: bool,
        items: &'static [Item],
    },
    /// A successor without arguments.
    Successor,
    /// `(%a: T, %b: U)`, the arguments of the region.
    Arguments,
    /// The region, printed with a blank before it.
    Region,
    /// The attribute dictionary.
    Dict,
    /// The attribute dictionary after the word `attributes`.
    Attributes,
    /// Flags of arithmetic: `fastmath<…>` and the like.
    Flags,
}

/// Written form of an attribute.
enum AttrForm {
    Int(ScalarType),
    /// `?` where it is missing.
    Coordinate,
    /// A number, or a symbol in its place under another key.
    IntOrSymbol(ScalarType, &'static str),
    /// A number that older forms have and nothing needs.
    Ignored,
    /// A number, a string, or the path of an event.
    NumberOrName,
    Bool,
    Word(&'static Words),
    /// A quoted string.
    Str,
    /// A string as a bare word.
    Bare,
    /// The symbol that the operation defines.
    SymName,
    /// A reference to a symbol.
    Symbol,
    /// The name of a trace event.
    Event,
    /// `<add>`
    CombiningKind,
    /// `<pkt_type = 0, pkt_id = 3>`
    Packet,
    Type,
    /// A literal of the result's type.
    Elements,
    /// `[1, %a, 4]`, with the group of the values among the numbers.
    Mixed(Option<usize>, ScalarType),
}

/// The format of a kind, with its kind.
pub(crate) fn formats() -> impl Iterator<Item = (OpKind, &'static Format)> {
    FORMATS.iter().map(|(kind, format)| (*kind, format))
}

// ---- reading ----

/// Parts of an operation that were read, beside those that its [`Build`](crate::text::parse::Build)
/// keeps.
#[derive(Default)]
struct Reader<'s> {
    /// Of each operand its group, and where its type comes from.
    operands: SmallVec<[(usize, TypeSource); 4]>,
    /// Names and types of the region's arguments.
    arguments: Vec<(&'s str, Type)>,
}

impl Format {
    /// Reads an operation.
    pub(crate) fn parse(&'static self, mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
        if self.shared {
            p.next()?;
        }
        let mut reader = Reader::default();
        let has_region = |item: &Item| matches!(item, Item::Region);
        let end = self.items.iter().position(has_region);
        let (header, tail) = self.items.split_at(end.unwrap_or(self.items.len()));
        reader.items(&mut p, header)?;
        let op = reader.create(&mut p, self.result)?;
        if !tail.is_empty() {
            let style = super::region_style(p.build.kind);
            p.parser.region(op, &reader.arguments, style)?;
            if tail.iter().any(|item| matches!(item, Item::Dict)) {
                p.parser.trailing_dict(op)?;
            }
        }
        Ok(op)
    }
}

impl<'s> Reader<'s> {
    fn items(
        &mut self,
        p: &mut OpParser<'_, 's>,
        items: &'static [Item],
    ) -> Result<(), ParseFailed> {
        items.iter().try_for_each(|item| self.item(p, item))
    }

    fn item(&mut self, p: &mut OpParser<'_, 's>, item: &'static Item) -> Result<(), ParseFailed> {
        match item {
            Item::Text(_) | Item::Region => {}
            Item::Operand(group, source) => {
                p.operand(source.known())?;
                self.operands.push((*group, *source));
            }
            Item::Operands(group, source) => {
                if let Some(list) = p.fields.group(Rule::values) {
                    for value in list.rest() {
                        p.build.operand(&value, source.known());
                        self.operands.push((*group, *source));
                    }
                }
            }
            Item::TypeOf(group) => {
                let pair = p.next()?;
                let ty = p.parser.literals().ty(pair.as_str())?;
                let values = self.values_of(*group);
                p.parser
                    .literals()
                    .same_count(pair.as_str(), values.min(1), 1)?;
                self.set_types(p, *group, &vec![ty; values]);
            }
            Item::TypesOf(group) => {
                let (at, types) = match p.fields.group(Rule::types) {
                    Some(types) => (types.text(), p.parser.literals().types(types)?),
                    None => (p.build.text, Vec::new()),
                };
                let values = self.values_of(*group);
                p.parser.literals().same_count(at, values, types.len())?;
                self.set_types(p, *group, &types);
            }
            Item::ResultType => {
                let ty = p.next_type()?;
                p.build.results.push(ty);
            }
            Item::ResultTypes => {
                if let Some(types) = p.fields.group(Rule::types) {
                    p.build.results = p.parser.literals().types(types)?.into();
                }
            }
            Item::Attr(key, form) => self.attr(p, key, form)?,
            Item::Optional { rule, items, .. } => {
                if let Some(part) = p.fields.group(*rule) {
                    p.within(part, |p| self.items(p, items))?;
                }
            }
            Item::Successor => {
                let label = p.next()?;
                let block = p.parser.successor(label.as_str());
                p.build.successors.push(block);
            }
            Item::Arguments => {
                if let Some(arguments) = p.fields.group(Rule::block_args) {
                    self.arguments = p.parser.block_args(arguments)?;
                }
            }
            Item::Dict | Item::Attributes => p.dict()?,
            Item::Flags => flags(p)?,
        }
        Ok(())
    }

    fn attr(
        &mut self,
        p: &mut OpParser<'_, 's>,
        key: &'static str,
        form: &'static AttrForm,
    ) -> Result<(), ParseFailed> {
        let symbol_next = p.fields.peek_rule() == Some(Rule::symbol);
        let value = match form {
            AttrForm::Int(ty) => return p.int(key, *ty),
            AttrForm::IntOrSymbol(_, symbol) if symbol_next => return p.symbol(symbol),
            AttrForm::IntOrSymbol(ty, _) => return p.int(key, *ty),
            AttrForm::Word(words) => return p.word(key, words),
            AttrForm::SymName => return p.sym_name(),
            AttrForm::Symbol => return p.symbol(key),
            AttrForm::Mixed(group, ty) => {
                let list = p.next()?;
                let before = p.build.operands.len();
                let list = super::fragments::mixed(p, Fields::of(list), &ty.ty())?;
                let operand = (group.unwrap_or(0), TypeSource::Known(*ty));
                let values = p.build.operands.len() - before;
                self.operands.extend(std::iter::repeat_n(operand, values));
                list
            }
            form => {
                let pair = p.next()?;
                let text = pair.as_str();
                match form {
                    AttrForm::Coordinate if text == "?" => return Ok(()),
                    AttrForm::Coordinate => p.parser.literals().int_attr(pair, ScalarType::I32)?,
                    AttrForm::NumberOrName => match pair.as_rule() {
                        Rule::int => p.parser.literals().int_attr(pair, ScalarType::I32)?,
                        Rule::string => Attr::str(unescape(text)),
                        _ => Attr::str(text),
                    },
                    AttrForm::Bool => Attr::Bool(text == "true"),
                    AttrForm::Str => Attr::str(unescape(text)),
                    AttrForm::Bare => Attr::str(text),
                    AttrForm::Event => {
                        let inner = text.trim_start_matches('<').trim_end_matches('>').trim();
                        opaque(&format!("#aie.trace_event<{inner}>"))
                    }
                    AttrForm::CombiningKind => combining_kind(p, pair)?,
                    AttrForm::Packet => p.parser.literals().packet(Fields::of(pair))?,
                    AttrForm::Type => Attr::Type(p.parser.literals().ty(text)?),
                    AttrForm::Elements => {
                        let ty = p.build.results.first().cloned().unwrap_or(Type::None);
                        p.parser.literals().elements(pair, &ty)?
                    }
                    _ => return Ok(()),
                }
            }
        };
        p.build.attr(key, value);
        Ok(())
    }

    /// Number of a group's operands.
    fn values_of(&self, group: usize) -> usize {
        self.operands.iter().filter(|(g, _)| *g == group).count()
    }

    /// Gives the operands of a group their types.
    fn set_types(&self, p: &mut OpParser<'_, 's>, group: usize, types: &[Type]) {
        let operands = self.operands.iter().zip(&mut p.build.operands);
        let of_group = operands.filter(|((g, _), _)| *g == group);
        for ((_, (_, slot)), ty) in of_group.zip(types) {
            *slot = ty.clone();
        }
    }

    /// The type that a source says, as far as it was read.
    fn type_from(&self, p: &OpParser<'_, 's>, source: TypeSource) -> Type {
        let of_group = |group: usize| {
            let at = self.operands.iter().position(|(g, _)| *g == group);
            let operand = at.and_then(|at| p.build.operands.get(at));
            operand.map_or(Type::None, |(_, ty)| ty.clone())
        };
        let result = || p.build.results.first().cloned().unwrap_or(Type::None);
        match source {
            TypeSource::Known(ty) => ty.ty(),
            TypeSource::Written => Type::None,
            TypeSource::Same(group) => of_group(group),
            TypeSource::Element(group) => super::fragments::element(&of_group(group)),
            TypeSource::Result => result(),
            TypeSource::ElementOfResult => super::fragments::element(&result()),
            TypeSource::Metadata(group) => of_group(group).ptr_metadata(),
            TypeSource::MetadataOfResult => result().ptr_metadata(),
        }
    }

    /// Finishes the types, puts the operands in the order of their declaration, and makes the
    /// operation.
    fn create(
        &mut self,
        p: &mut OpParser<'_, 's>,
        result: Option<TypeSource>,
    ) -> Result<Op, ParseFailed> {
        for n in 0..self.operands.len() {
            let (at, ty) = &p.build.operands[n];
            match self.operands[n].1 {
                _ if *ty != Type::None => {}
                TypeSource::Written => {
                    let message = "the type of this operand is missing".to_string();
                    return Err(p.parser.cursor.error(&codes::TYPE_MISMATCH, at, message));
                }
                source => p.build.operands[n].1 = self.type_from(p, source),
            }
        }
        if let Some(source) = result {
            let ty = self.type_from(p, source);
            p.build.results.push(ty);
        }
        if !self.operands.is_sorted_by_key(|(group, _)| *group) {
            let groups = self.operands.iter().map(|(group, _)| *group);
            let mut sorted: Vec<_> = groups.zip(std::mem::take(&mut p.build.operands)).collect();
            sorted.sort_by_key(|(group, _)| *group);
            p.build.operands = sorted.into_iter().map(|(_, operand)| operand).collect();
        }
        let declared = p.build.kind.def().map_or(&[][..], |def| def.operands);
        if declared.iter().filter(|o| o.ends_with(['?', '*'])).count() > 1 {
            let mut sizes = vec![0; declared.len()];
            for (group, _) in &self.operands {
                sizes[*group] += 1;
            }
            p.build.segments(&sizes);
        }
        p.create()
    }
}

impl TypeSource {
    /// The type, if it is always the same.
    fn known(self) -> Type {
        match self {
            TypeSource::Known(ty) => ty.ty(),
            _ => Type::None,
        }
    }
}

// ---- printing ----

/// An operation as it is printed by its format.
struct Writer<'p, 'm> {
    printer: &'p mut Printer<'m>,
    op: Op,
    /// The operands.
    values: SmallVec<[Value; 4]>,
    /// The operands of each group.
    groups: Vec<Range<usize>>,
    successors: usize,
    /// Whether the region's arguments are printed before it.
    arguments: bool,
}

impl Format {
    /// Writes the text after an operation's name.
    pub(crate) fn print(&'static self, printer: &mut Printer<'_>, op: Op) {
        let mut writer = Writer {
            op,
            values: printer.m.operands(op).collect(),
            groups: printer.m.operand_groups(op),
            successors: 0,
            arguments: false,
            printer,
        };
        let mut keys = SmallVec::<[&str; 8]>::new();
        bound_keys(self.items, &mut keys);
        writer.items(self.items, &keys);
    }

    /// Whether the format can say the attributes of an operation.
    pub(crate) fn fits(&self, m: &Module, op: Op) -> bool {
        let defaults = defaults(m.kind(op));
        self.items.iter().all(|item| match item {
            Item::Attr(_, AttrForm::IntOrSymbol(..) | AttrForm::Coordinate) => true,
            Item::Attr(key, AttrForm::Word(words)) => {
                let value = m.int_attr(op, key);
                value.is_some_and(|v| (words.text)(v).is_some())
            }
            Item::Attr(key, _) => {
                m.attr(op, key).is_some() || defaults.iter().any(|(k, _)| k == key)
            }
            _ => true,
        })
    }
}

/// The attributes that a format prints.
fn bound_keys(items: &'static [Item], keys: &mut SmallVec<[&'static str; 8]>) {
    for item in items {
        match item {
            Item::Attr(key, form) => {
                keys.push(key);
                if let AttrForm::IntOrSymbol(_, symbol) = form {
                    keys.push(symbol);
                }
            }
            Item::Flags => keys.extend(FLAG_KEYS),
            Item::Optional {
                printed: true,
                items,
                ..
            } => bound_keys(items, keys),
            _ => {}
        }
    }
}

impl Writer<'_, '_> {
    fn items(&mut self, items: &'static [Item], bound: &[&str]) {
        for item in items {
            self.item(item, bound);
        }
    }

    fn item(&mut self, item: &'static Item, bound: &[&str]) {
        let op = self.op;
        match item {
            Item::Text(text) => self.printer.text(text),
            Item::Operand(group, _) | Item::Operands(group, _) => {
                let range = self.group(*group);
                self.printer.values(&self.values[range]);
            }
            Item::TypeOf(group) => {
                let Range { start, end } = self.group(*group);
                self.printer
                    .types_of(&self.values[start..end.min(start + 1)]);
            }
            Item::TypesOf(group) => {
                let range = self.group(*group);
                self.printer.types_of(&self.values[range]);
            }
            Item::ResultType => self.printer.result_type(op, 0),
            Item::ResultTypes => {
                let results: Vec<_> = self.printer.m.results(op).collect();
                self.printer.types_of(&results);
            }
            Item::Attr(key, form) => self.attr(key, form),
            Item::Optional { printed, items, .. } => {
                if *printed && self.is_there(items) {
                    self.items(items, bound);
                }
            }
            Item::Successor => {
                if let Some(block) = self.printer.m.successors(op).get(self.successors) {
                    self.printer.block_name(*block);
                }
                self.successors += 1;
            }
            Item::Arguments => {
                self.arguments = true;
                self.printer.text("(");
                self.printer.entry_arguments(op, 0);
                self.printer.text(")");
            }
            Item::Region => {
                let implied = self.printer.m.kind(op).has(Traits::IMPLICIT_END);
                self.printer.text(" ");
                self.printer.region_with(op, 0, !self.arguments, implied);
            }
            Item::Dict => self.printer.dict(op, bound),
            Item::Attributes => self.printer.dict_with(op, bound, " attributes "),
            Item::Flags => print_flags(self.printer, op),
        }
    }

    /// The operands of a group.
    fn group(&self, group: usize) -> Range<usize> {
        self.groups.get(group).cloned().unwrap_or(0..0)
    }

    /// Whether the anchor of an optional part is present.
    fn is_there(&self, items: &'static [Item]) -> bool {
        let m = self.printer.m;
        items.iter().any(|item| match item {
            Item::Operand(group, _) | Item::Operands(group, _) | Item::TypeOf(group) => {
                !self.group(*group).is_empty()
            }
            Item::Attr(key, _) => {
                let defaults = defaults(m.kind(self.op));
                let value = m.attr(self.op, key);
                value.is_some_and(|value| !is_default(defaults, key, value))
            }
            _ => false,
        })
    }

    fn attr(&mut self, key: &'static str, form: &'static AttrForm) {
        let (op, printer) = (self.op, &mut *self.printer);
        let Some(attr) = printer.m.attr(op, key) else {
            return match form {
                AttrForm::Coordinate => printer.text("?"),
                AttrForm::IntOrSymbol(_, symbol) => {
                    if let Some(symbol) = printer.m.attr(op, symbol) {
                        printer.attr(symbol);
                    }
                }
                // One that is required, or has a default.
                AttrForm::Int(_) => printer.int(op, key),
                AttrForm::Bool => printer.text("false"),
                _ => {}
            };
        };
        match (form, attr) {
            (AttrForm::Int(_) | AttrForm::Coordinate | AttrForm::IntOrSymbol(..), _) => {
                printer.int(op, key);
            }
            (AttrForm::Word(words), _) => {
                printer.text(&words.print(attr.as_int().unwrap_or(0)));
            }
            (AttrForm::Bool, _) => printer.text(&printer.m.flag(op, key).to_string()),
            (AttrForm::NumberOrName, Attr::Int(n, _)) => printer.text(&n.to_string()),
            (AttrForm::NumberOrName, Attr::Str(name)) if name.contains("::") => printer.text(name),
            (AttrForm::Str, Attr::Str(text)) => printer.text(&format!("\"{}\"", escape(text))),
            (AttrForm::Bare, Attr::Str(text)) => printer.text(text),
            (AttrForm::SymName, Attr::Str(name)) => printer.symbol(name),
            (AttrForm::Event, Attr::Opaque(text)) => {
                printer.text(text.trim_start_matches("#aie.trace_event"));
            }
            (AttrForm::CombiningKind, Attr::Opaque(text)) => {
                printer.text(text.trim_start_matches("#vector.kind"));
            }
            (AttrForm::Packet, Attr::Packet(p)) => {
                let text = format!("<pkt_type = {}, pkt_id = {}>", p.pkt_type, p.pkt_id);
                printer.text(&text);
            }
            (AttrForm::Elements, value) => super::fragments::print_elements(printer, value),
            (AttrForm::Mixed(group, _), _) => {
                let first = group.map_or(0, |group| self.group(group).start);
                super::fragments::print_mixed(self.printer, op, key, first);
            }
            (_, value) => printer.attr(value),
        }
    }
}
