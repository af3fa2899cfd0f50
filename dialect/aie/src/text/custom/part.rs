//! The vocabulary of custom syntax: what the parts of an operation's text are.

use crate::ir::{Op, Type};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{OpParser, Stop};
use crate::text::print::Printer;

/// The parser of an operation that the parts can't describe.
pub(crate) type ParseFn = fn(OpParser<'_, '_>) -> Result<Op, Stop>;

/// The printer of an operation that the parts can't describe; it writes what follows the name.
pub(crate) type PrintFn = fn(&mut Printer<'_>, Op);

/// A simple type that a part implies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum T {
    I1,
    I8,
    I16,
    I32,
    I64,
    UI32,
    Index,
}

impl T {
    /// The type.
    pub(crate) fn ty(self) -> Type {
        match self {
            T::I1 => Type::I1,
            T::I8 => Type::I8,
            T::I16 => Type::I16,
            T::I32 => Type::I32,
            T::I64 => Type::I64,
            T::UI32 => Type::UI32,
            T::Index => Type::Index,
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

/// One part of an operation's text after its name, in order.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    /// Text as printed; the grammar matches it.
    Lit(&'static str),
    /// An operand of a known type.
    Val(T),
    /// An operand whose type is given by a later [`Part::Ty`] of the same number.
    Typed,
    /// Further operands of a known type, each printed with a comma before it.
    MoreVals(T),
    /// The type of the n-th operand.
    Ty(usize),
    /// The next result has this type; no text.
    Gives(T),
    /// The type of the next result.
    ResultTy,
    /// The next result has the type of the n-th operand; no text.
    SameAs(usize),
    /// An integer attribute.
    Int(&'static str, T),
    /// An integer attribute, or a symbol in its place under another key.
    IntOrSym(&'static str, &'static str, T),
    /// An integer attribute that may be left out, with the text before it.
    OptInt(&'static str, &'static str, T),
    /// A boolean attribute.
    Bool(&'static str),
    /// A case of an enumeration.
    Enum(&'static str, &'static Words),
    /// Text, then a string attribute that may be left out.
    OptStr(&'static str, &'static str),
    /// The name of a trace event.
    Event(&'static str),
    /// Text, then the name of a trace event, that may be left out.
    OptEvent(&'static str, &'static str),
    /// The symbol that the operation defines.
    SymName,
    /// A reference to a symbol.
    Sym(&'static str),
    /// A successor without arguments.
    Block,
    /// A region, printed with a blank before it.
    Region,
    /// The attribute dictionary.
    Dict,
}

/// A default that is dropped in print.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DefaultAttr {
    /// `false` or `true`.
    Bool(bool),
    /// An integer of any width.
    Int(i64),
    /// A string.
    Str(&'static str),
}

/// Which name an operation suggests for its results.
#[derive(Clone, Copy)]
pub(crate) enum NameHint {
    /// None: a number.
    None,
    /// This name.
    Fixed(&'static str),
    /// This name, an underscore, and the tile's coordinates.
    OnTile(&'static str),
    /// The symbol name, else as [`NameHint::OnTile`].
    SymbolOnTile(&'static str),
    /// The symbol name, else a number.
    Symbol,
    /// Computed.
    Of(fn(&crate::ir::Module, Op) -> Option<String>),
}

/// How a kind of operation is read and written.
#[derive(Clone, Copy)]
pub(crate) struct Syntax {
    /// The operation.
    pub(crate) kind: OpKind,
    /// Its grammar rule.
    pub(crate) rule: Rule,
    /// Its parts.
    pub(crate) parts: &'static [Part],
    /// Reads it instead of the parts.
    pub(crate) parse: Option<ParseFn>,
    /// Writes it instead of the parts.
    pub(crate) print: Option<PrintFn>,
    /// Attributes that are not printed when they have this value.
    pub(crate) defaults: &'static [(&'static str, DefaultAttr)],
    /// The names of its results.
    pub(crate) hint: NameHint,
}

impl Syntax {
    /// An operation described by its parts.
    pub(crate) const fn parts(kind: OpKind, rule: Rule, parts: &'static [Part]) -> Syntax {
        Syntax {
            kind,
            rule,
            parts,
            parse: None,
            print: None,
            defaults: &[],
            hint: NameHint::None,
        }
    }

    /// An operation with its own functions.
    pub(crate) const fn own(kind: OpKind, rule: Rule, parse: ParseFn, print: PrintFn) -> Syntax {
        Syntax {
            kind,
            rule,
            parts: &[],
            parse: Some(parse),
            print: Some(print),
            defaults: &[],
            hint: NameHint::None,
        }
    }

    /// With defaults.
    pub(crate) const fn defaults(
        mut self,
        defaults: &'static [(&'static str, DefaultAttr)],
    ) -> Syntax {
        self.defaults = defaults;
        self
    }

    /// With a name for the results.
    pub(crate) const fn hint(mut self, hint: NameHint) -> Syntax {
        self.hint = hint;
        self
    }
}
