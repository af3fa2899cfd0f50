//! Attributes and types from matched text: what they need besides the text.

use rustc_hash::FxHashMap;

use super::{Cursor, ParseFailed};
use crate::ir::{Attr, Type};
use crate::text::syntax::Pair;

/// Types and aliases that were read.
#[derive(Default)]
pub(super) struct KnownLiterals<'s> {
    /// Types by their texts, as a design repeats few types often.
    pub(super) type_cache: FxHashMap<&'s str, Type>,
    /// The type of a dense literal that is written without one.
    pub(super) implied_type: Option<Type>,
    /// Aliases; `None` for those whose definition was wrong, whose uses are not reported.
    pub(super) attr_aliases: FxHashMap<&'s str, Option<Attr>>,
    pub(super) type_aliases: FxHashMap<&'s str, Option<Type>>,
}

/// A reader of attributes and types, which know nothing of operations and values.
pub(crate) struct Literals<'p, 's> {
    pub(super) cursor: &'p mut Cursor<'s>,
    pub(super) known: &'p mut KnownLiterals<'s>,
}

impl<'s> Literals<'_, 's> {
    /// An initial value of a memref: a literal without type has the memref's shape.
    pub(crate) fn elements(&mut self, pair: Pair<'s>, ty: &Type) -> Result<Attr, ParseFailed> {
        let ty = match ty {
            Type::MemRef(memref) => memref.contents(),
            other => other.clone(),
        };
        self.of_type(pair, ty)
    }

    /// An attribute in which a dense literal that is written without a type has this one.
    pub(crate) fn of_type(&mut self, pair: Pair<'s>, ty: Type) -> Result<Attr, ParseFailed> {
        self.known.implied_type = Some(ty);
        let value = self.attr(pair);
        self.known.implied_type = None;
        value
    }
}
