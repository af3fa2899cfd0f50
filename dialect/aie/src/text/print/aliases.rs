//! Aliases for long and repeated text: affine maps and sets (`#map`, `#set1`) in front of the
//! module, locations (`#loc2`) after it, as MLIR's printer does it. They are numbered in the order
//! of their first use.

use std::fmt::Write as _;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use super::Printer;
use super::attrs::{WithoutType, escape, is_plain, write_int, write_key, write_symbol};
use crate::ir::{Attr, Module, Op, Type};
use aiec_diag::SourceMap;

/// The names given so far.
#[derive(Default)]
pub(super) struct Aliases {
    /// Maps and sets with their names.
    attrs: IndexMap<Attr, String, FxBuildHasher>,
    maps: usize,
    sets: usize,
}

/// The locations met so far, and where line numbers come from.
pub(super) struct Locations<'m> {
    sources: &'m SourceMap,
    texts: IndexSet<String, FxBuildHasher>,
}

impl<'m> Locations<'m> {
    pub(super) fn new(sources: &'m SourceMap) -> Locations<'m> {
        Locations {
            sources,
            texts: IndexSet::default(),
        }
    }

    /// The number of an operation's location.
    fn number(&mut self, m: &Module, op: Op) -> usize {
        let written = m.locs.text(m.loc(op));
        let text = written.unwrap_or_else(|| {
            let place = m.span(op).and_then(|span| {
                let file = self.sources.file(span.file)?;
                let (line, column) = file.line_col(span.start);
                Some(format!("\"{}\":{line}:{column}", escape(&file.name)))
            });
            place.unwrap_or_else(|| "unknown".to_string())
        });
        self.texts.insert_full(text).0
    }
}

impl Aliases {
    fn name(&mut self, attr: &Attr) -> String {
        if let Some(name) = self.attrs.get(attr) {
            return name.clone();
        }
        let (prefix, count) = match attr {
            Attr::AffineSet(_) => ("set", &mut self.sets),
            _ => ("map", &mut self.maps),
        };
        let name = numbered(prefix, *count);
        *count += 1;
        self.attrs.insert(attr.clone(), name.clone());
        name
    }

    /// The lines that define them: maps, then sets.
    pub(super) fn definitions(&self) -> String {
        let mut out = String::new();
        for sets in [false, true] {
            for (attr, name) in &self.attrs {
                if matches!(attr, Attr::AffineSet(_)) == sets {
                    let _ = writeln!(out, "{name} = {attr}");
                }
            }
        }
        out
    }
}

/// `#map`, `#map1`, `#map2`…
fn numbered(prefix: &str, n: usize) -> String {
    match n {
        0 => format!("#{prefix}"),
        n => format!("#{prefix}{n}"),
    }
}

/// Whether an attribute holds something that gets a name.
fn has_aliases(attr: &Attr) -> bool {
    match attr {
        Attr::AffineMap(_) | Attr::AffineSet(_) => true,
        Attr::Array(list) => list.iter().any(has_aliases),
        Attr::Dict(entries) => entries.iter().any(|(_, value)| has_aliases(value)),
        Attr::Type(ty) => type_has_aliases(ty),
        _ => false,
    }
}

fn type_has_aliases(ty: &Type) -> bool {
    match ty {
        Type::MemRef(m) => {
            let parts = [&m.layout, &m.space];
            parts.into_iter().flatten().any(has_aliases) || type_has_aliases(&m.elem)
        }
        Type::Tensor(t) => t.encoding.as_ref().is_some_and(has_aliases),
        Type::ObjectFifo(inner) | Type::ObjectFifoSubview(inner) => type_has_aliases(inner),
        Type::Tuple(types) => types.iter().any(type_has_aliases),
        Type::Function(f) => f.inputs.iter().chain(&f.results).any(type_has_aliases),
        _ => false,
    }
}

impl Printer<'_> {
    /// An attribute with its type; attributes with an alias by that.
    pub(crate) fn attr(&mut self, attr: &Attr) {
        if !has_aliases(attr) {
            self.plain_attr(attr);
            return;
        }
        match attr {
            Attr::Array(list) => {
                self.out.push('[');
                for (n, item) in list.iter().enumerate() {
                    self.out.push_str(if n > 0 { ", " } else { "" });
                    if has_aliases(item) {
                        self.attr(item)
                    } else {
                        let _ = write!(self.out, "{}", WithoutType(item));
                    }
                }
                self.out.push(']');
            }
            Attr::Dict(entries) => {
                self.out.push('{');
                for (n, (key, value)) in entries.iter().enumerate() {
                    self.out.push_str(if n > 0 { ", " } else { "" });
                    write_key(&mut self.out, key);
                    if *value != Attr::Unit {
                        self.out.push_str(" = ");
                        self.attr(value);
                    }
                }
                self.out.push('}');
            }
            Attr::Type(ty) => self.ty(ty),
            _ => match &mut self.aliases {
                Some(aliases) => {
                    let name = aliases.name(attr);
                    self.out += &name;
                }
                None => {
                    let _ = write!(self.out, "{attr}");
                }
            },
        }
    }

    /// An attribute without anything that has a name; the commonest ones without the detour
    /// through a formatter.
    fn plain_attr(&mut self, attr: &Attr) {
        match attr {
            Attr::Int(value, ty) if [Type::I32, Type::I64, Type::I8, Type::Index].contains(ty) => {
                write_int(&mut self.out, *value);
                self.out.push_str(" : ");
                self.ty(ty);
            }
            Attr::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Attr::Str(text) if is_plain(text) => {
                self.out.push('"');
                self.out.push_str(text);
                self.out.push('"');
            }
            Attr::Symbol(symbol) => {
                for (n, name) in symbol.path.iter().enumerate() {
                    self.out.push_str(if n > 0 { "::" } else { "" });
                    write_symbol(&mut self.out, name);
                }
            }
            _ => {
                let _ = write!(self.out, "{attr}");
            }
        }
    }

    /// A type; the maps in it are named.
    pub(crate) fn ty(&mut self, ty: &Type) {
        if !type_has_aliases(ty) || self.aliases.is_none() {
            self.plain_ty(ty);
            return;
        }
        let mut maps = Vec::new();
        maps_of(ty, &mut maps);
        let mut text = ty.to_string();
        for map in maps {
            if let Some(aliases) = &mut self.aliases {
                // Types hold no strings but in attributes of other dialects, so a map's text is it.
                text = text.replace(&map.to_string(), &aliases.name(map));
            }
        }
        self.out += &text;
    }

    /// A type in which nothing has a name. Types that were read from the same text are one value,
    /// whose text is made once.
    fn plain_ty(&mut self, ty: &Type) {
        let address = match ty {
            ty if *ty == Type::I32 => return self.out.push_str("i32"),
            Type::Index => return self.out.push_str("index"),
            Type::MemRef(shared) => Arc::as_ptr(shared).addr(),
            Type::Vector(shared) => Arc::as_ptr(shared).addr(),
            Type::ObjectFifo(shared) | Type::ObjectFifoSubview(shared) => {
                Arc::as_ptr(shared).addr()
            }
            _ => {
                let _ = write!(self.out, "{ty}");
                return;
            }
        };
        // An object fifo and its view hold the same type.
        let key = (std::mem::discriminant(ty), address);
        match self.type_texts.get(&key) {
            Some((_, text)) => self.out.push_str(text),
            None => {
                let text = ty.to_string();
                self.out.push_str(&text);
                self.type_texts.insert(key, (ty.clone(), text.into()));
            }
        }
    }

    /// The number of an operation's location, if locations are printed.
    pub(super) fn location(&mut self, op: Op) -> Option<usize> {
        let m = self.m;
        Some(self.locations.as_mut()?.number(m, op))
    }

    /// ` loc(#loc1)`
    pub(super) fn trailing_location(&mut self, number: Option<usize>) {
        if let Some(n) = number {
            let _ = write!(self.out, " loc({})", numbered("loc", n));
        }
    }

    /// Prints the lines after the module: locations and the file's metadata.
    pub(super) fn trailer(&mut self) {
        if let Some(locations) = &self.locations {
            for (n, text) in locations.texts.iter().enumerate() {
                let _ = writeln!(self.out, "{} = loc({text})", numbered("loc", n));
            }
        }
        if let Some(metadata) = &self.m.metadata {
            let _ = writeln!(self.out, "\n{metadata}");
        }
    }
}

/// The maps and sets in a type, outermost first.
fn maps_of<'t>(ty: &'t Type, list: &mut Vec<&'t Attr>) {
    let mut of_attr = |attr: &'t Option<Attr>| {
        if let Some(map @ (Attr::AffineMap(_) | Attr::AffineSet(_))) = attr {
            list.push(map);
        }
    };
    match ty {
        Type::MemRef(m) => {
            of_attr(&m.layout);
            of_attr(&m.space);
            maps_of(&m.elem, list);
        }
        Type::Tensor(t) => of_attr(&t.encoding),
        Type::ObjectFifo(inner) | Type::ObjectFifoSubview(inner) => maps_of(inner, list),
        Type::Tuple(types) => types.iter().for_each(|ty| maps_of(ty, list)),
        Type::Function(f) => {
            let types = f.inputs.iter().chain(&f.results);
            types.for_each(|ty| maps_of(ty, list));
        }
        _ => {}
    }
}
