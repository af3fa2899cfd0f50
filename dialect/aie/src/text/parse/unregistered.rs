//! Operations whose custom syntax is not known here; the caller may bring a reader of them.

use super::codes;
use super::{Entry, ParseFailed, Parser};
use crate::ir::{Module, Op, Type};
use crate::ops::kind_of;
use crate::text::custom;
use aiec_diag::{Diag, Diags, FileId, Span};

/// Prefix of our own dialects' names; no other reader has their operations.
const OUR_DIALECTS: &str = "aie";

/// Reads operations whose custom syntax the parser doesn't know.
pub trait UnregisteredOpReader {
    /// An operation, or why it can't be read.
    fn read(&mut self, op: &UnregisteredOp<'_>) -> Result<UnregisteredOpExtent, String>;
}

/// An operation for the caller's reader.
pub struct UnregisteredOp<'t> {
    /// The byte of the file where its name starts.
    pub at: usize,
    /// Text from there to the end of the file, comments blanked.
    pub text: &'t str,
    /// The names of its results as they are, `%a, %b:2`; empty without.
    pub results: &'t str,
    /// The type of a visible value, by its name with `%` and number.
    pub type_of: &'t dyn Fn(&str) -> Option<Type>,
}

/// The parts that were read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnregisteredOpExtent {
    /// Length of the operation's text in bytes.
    pub length: usize,
    /// The types of its results, as text.
    pub results: Vec<String>,
}

/// Parses a text as [`super::parse_text`] does, asking `reader` for operations whose custom syntax
/// is not known. Operations read this way are in the module without operands, attributes and
/// regions: the caller puts their generic form into the text and parses that.
pub fn parse_with(
    file: FileId,
    text: &str,
    reader: &mut dyn UnregisteredOpReader,
    diags: &mut Diags,
) -> Module {
    super::read(file, text, Some(reader), diags)
}

impl<'s> Parser<'s> {
    /// Lets the caller's reader read an operation that starts here; without one, it is unknown.
    pub(super) fn unregistered_op(
        &mut self,
        name: &'s str,
        results: &'s str,
    ) -> Result<Op, ParseFailed> {
        let kind = kind_of(custom::full_name(name));
        let upstream = name.contains('.') && !name.starts_with(OUR_DIALECTS);
        let reader = if upstream { self.reader.take() } else { None };
        let Some(reader) = reader else {
            return Err(self.unknown_op(name, kind));
        };
        let scopes = &self.scopes;
        let m = &self.m;
        let type_of = |text: &str| {
            let (name, number) = match text.split_once('#') {
                Some((name, number)) => (name, number.parse::<usize>().ok()?),
                None => (text, 0),
            };
            match scopes.get(name)? {
                Entry::Values(values, _) => values.get(number).map(|value| m.ty(*value).clone()),
                Entry::Forward(list) => list
                    .iter()
                    .find(|(n, ..)| *n as usize == number)
                    .map(|(_, value, _)| m.ty(*value).clone()),
                Entry::Poisoned => None,
            }
        };
        let read = reader.read(&UnregisteredOp {
            at: self.cursor.pos,
            text: self.cursor.text.get(self.cursor.pos..).unwrap_or(""),
            results,
            type_of: &type_of,
        });
        self.reader = Some(reader);
        let read = match read {
            Ok(read) => read,
            Err(why) => {
                let message = format!("the custom syntax of `{name}` is not known here");
                let diag = Diag::error(&codes::UNKNOWN_OP, message)
                    .label(self.cursor.span(name), why)
                    .help("write it in generic form: \"NAME\"(%operand, …) {key = value, …} : (TYPE, …) -> TYPE");
                return Err(self.cursor.report(diag));
            }
        };
        let start = self.cursor.pos;
        self.cursor.pos += read.length;
        let span = Span::new(self.cursor.file, start, self.cursor.pos);
        let types = read.results.iter().map(|text| {
            let mut parser = Parser::new(self.cursor.file, text);
            parser
                .literals()
                .ty(text)
                .unwrap_or(Type::Opaque(text.as_str().into()))
        });
        let types: Vec<Type> = types.collect();
        let loc = self.m.locs.span(span);
        let build = self.m.build_named(name, loc).results(types);
        Ok(build.insert(crate::ir::InsertPoint::End(self.block)))
    }
}
