//! Custom syntax of a kind of operation: the format of its row, or two functions.

use crate::ir::{Module, Op};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{OpParser, ParseFailed};
use crate::text::print::Printer;

use super::format::Format;

/// Reads an operation that a format can't describe.
pub(super) type ParseFn = fn(OpParser<'_, '_>) -> Result<Op, ParseFailed>;

/// Prints an operation that a format can't describe; it writes the text after the name.
pub(super) type PrintFn = fn(&mut Printer<'_>, Op);

/// Custom syntax of a kind of operation.
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

    /// Writes the text after an operation's name.
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
