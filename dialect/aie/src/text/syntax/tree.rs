//! Match of a rule: its nodes in one list, each before those inside it.

use std::rc::Rc;

use crate::text::grammar::Rule;

/// One node of a match; offsets are bytes from the start of the text that was matched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub(super) rule: Rule,
    pub(super) start: u32,
    pub(super) end: u32,
    /// The number of the node after this one and all inside it.
    pub(super) next: u32,
}

/// The nodes of a match.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Tree {
    pub(super) tokens: Vec<Token>,
}

impl Tree {
    /// An empty tree with room for most operations' nodes.
    pub(super) fn with_room() -> Tree {
        /// Nodes of an operation's header.
        const NODES: usize = 32;
        Tree {
            tokens: Vec::with_capacity(NODES),
        }
    }
}

/// A node of a match.
#[derive(Clone, Debug)]
pub(crate) struct Pair<'s> {
    tree: Rc<Tree>,
    text: &'s str,
    token: Token,
    at: u32,
}

impl<'s> Pair<'s> {
    /// The outermost node of a match in a text.
    pub(super) fn outermost(tree: Rc<Tree>, text: &'s str) -> Option<Pair<'s>> {
        let token = *tree.tokens.first()?;
        Some(Pair {
            tree,
            text,
            token,
            at: 0,
        })
    }

    /// Its rule.
    pub(crate) fn as_rule(&self) -> Rule {
        self.token.rule
    }

    /// The text it covers.
    pub(crate) fn as_str(&self) -> &'s str {
        let range = self.token.start as usize..self.token.end as usize;
        self.text.get(range).unwrap_or("")
    }

    /// Where it ends, in bytes from the start of the text that was matched.
    pub(crate) fn end(&self) -> usize {
        self.token.end as usize
    }

    /// The nodes directly inside.
    pub(crate) fn into_inner(self) -> Pairs<'s> {
        Pairs {
            tree: self.tree,
            text: self.text,
            at: self.at + 1,
            end: self.token.next,
        }
    }
}

/// Neighbouring nodes of a match.
#[derive(Clone, Debug)]
pub(crate) struct Pairs<'s> {
    tree: Rc<Tree>,
    text: &'s str,
    at: u32,
    end: u32,
}

impl<'s> Pairs<'s> {
    /// The rule of the next node.
    pub(crate) fn peek_rule(&self) -> Option<Rule> {
        let token = self.tree.tokens.get(self.at as usize);
        token.filter(|_| self.at < self.end).map(|token| token.rule)
    }
}

impl<'s> Iterator for Pairs<'s> {
    type Item = Pair<'s>;

    fn next(&mut self) -> Option<Pair<'s>> {
        if self.at >= self.end {
            return None;
        }
        let at = self.at;
        let token = *self.tree.tokens.get(at as usize)?;
        self.at = token.next;
        Some(Pair {
            tree: self.tree.clone(),
            text: self.text,
            token,
            at,
        })
    }
}
