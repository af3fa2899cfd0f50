//! How a kind of operation is read and written: by the format of its row, or by two functions.

use crate::ir::{Module, Op, Type};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{OpParser, ParseFailed};
use crate::text::print::Printer;

use super::format::Format;

/// A simple type that custom syntax implies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ScalarType {
    I1,
    I8,
    I16,
    I32,
    I64,
    UI32,
    Index,
}

impl ScalarType {
    /// The type.
    pub(crate) fn ty(self) -> Type {
        match self {
            ScalarType::I1 => Type::I1,
            ScalarType::I8 => Type::I8,
            ScalarType::I16 => Type::I16,
            ScalarType::I32 => Type::I32,
            ScalarType::I64 => Type::I64,
            ScalarType::UI32 => Type::UI32,
            ScalarType::Index => Type::Index,
        }
    }
}

/// The words of an enumeration, kept as `i32` attributes.
#[derive(Clone, Copy)]
pub(crate) struct Words {
    /// What they are, for diagnostics.
    pub(crate) what: &'static str,
    /// The value of a word.
    pub(crate) value: fn(&str) -> Option<i64>,
    /// The word of a value.
    pub(crate) text: fn(i64) -> Option<&'static str>,
    /// All words.
    pub(crate) all: fn() -> Vec<&'static str>,
}

/// Reads an operation that a format can't describe.
pub(super) type ParseFn = fn(OpParser<'_, '_>) -> Result<Op, ParseFailed>;

/// Prints an operation that a format can't describe; it writes what follows the name.
pub(super) type PrintFn = fn(&mut Printer<'_>, Op);

/// How a kind of operation is read and written.
#[derive(Clone, Copy)]
pub(crate) enum Syntax {
    /// By the format of its row.
    Format(&'static Format),
    /// By functions of its own.
    Own(Rule, ParseFn, PrintFn),
}

/// Kinds with functions of their own: rule, reader, printer.
pub(super) type OwnSyntax = (OpKind, Rule, ParseFn, PrintFn);

impl Syntax {
    /// Its grammar rule.
    pub(crate) fn rule(self) -> Rule {
        match self {
            Syntax::Format(format) => format.rule,
            Syntax::Own(rule, ..) => rule,
        }
    }

    /// Reads an operation whose header was matched.
    pub(crate) fn parse(self, p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
        match self {
            Syntax::Format(format) => format.parse(p),
            Syntax::Own(_, parse, _) => parse(p),
        }
    }

    /// Writes what follows an operation's name.
    pub(crate) fn print(self, printer: &mut Printer<'_>, op: Op) {
        match self {
            Syntax::Format(format) => format.print(printer, op),
            Syntax::Own(_, _, print) => print(printer, op),
        }
    }

    /// Whether the custom form can say all attributes of an operation.
    pub(super) fn fits(self, m: &Module, op: Op) -> bool {
        match self {
            Syntax::Format(format) => format.fits(m, op),
            Syntax::Own(..) => true,
        }
    }
}
