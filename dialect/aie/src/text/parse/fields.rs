//! Access to the parts of a match.

use super::{Cursor, ParseFailed, codes};
use crate::text::grammar::Rule;
use crate::text::syntax::{Pair, Pairs};

/// The parts of a match, in order.
#[derive(Clone)]
pub(crate) struct Fields<'s> {
    pairs: Pairs<'s>,
    text: &'s str,
}

impl<'s> Fields<'s> {
    /// The parts of a pair.
    pub(crate) fn of(pair: Pair<'s>) -> Fields<'s> {
        Fields {
            text: pair.as_str(),
            pairs: pair.into_inner(),
        }
    }

    /// The next part, whatever it is.
    pub(crate) fn next(&mut self, cursor: &mut Cursor<'s>) -> Result<Pair<'s>, ParseFailed> {
        match self.pairs.next() {
            Some(pair) => Ok(pair),
            None => Err(cursor.error(
                &codes::SYNTAX,
                self.text,
                "something is missing here".to_string(),
            )),
        }
    }

    /// The rule of the next part.
    pub(crate) fn peek_rule(&self) -> Option<Rule> {
        self.pairs.peek_rule()
    }

    /// The next part if it is of this rule.
    pub(crate) fn take(&mut self, rule: Rule) -> Option<Pair<'s>> {
        if self.peek_rule()? == rule {
            self.pairs.next()
        } else {
            None
        }
    }

    /// The parts of the next part if it is of this rule.
    pub(crate) fn group(&mut self, rule: Rule) -> Option<Fields<'s>> {
        self.take(rule).map(Fields::of)
    }

    /// The remaining parts.
    pub(crate) fn rest(self) -> Pairs<'s> {
        self.pairs
    }

    /// The whole text of the match.
    pub(crate) fn text(&self) -> &'s str {
        self.text
    }
}

impl<'s> Cursor<'s> {
    /// The fields of a rule matched here.
    pub(crate) fn fields(&mut self, rule: Rule) -> Result<Fields<'s>, ParseFailed> {
        self.skip_blanks();
        Ok(Fields::of(self.run(rule)?))
    }
}
