//! The names that a source spells outside of comments and of what only tests have: to count how many
//! files know a row of a table.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};

use super::source::{behind_attribute, is_path_separator, tokens, word};

/// Names that a source spells.
#[derive(Clone, Debug, Default)]
pub struct SpelledNames {
    /// Neighbouring segments of paths: `a::b::c` is (`a`, `b`) and (`b`, `c`).
    pub paths: BTreeSet<(String, String)>,
    /// String literals without their quotes, as they are written.
    pub strings: BTreeSet<String>,
    /// Neighbouring names of places: `a.b.c` is (`a`, `b`) and (`b`, `c`).
    pub members: BTreeSet<(String, String)>,
    /// Modules that it declares.
    pub modules: BTreeSet<String>,
}

impl SpelledNames {
    /// Reads a source.
    ///
    /// # Errors
    /// Text that isn't made of Rust's tokens.
    pub fn read(text: &str) -> Result<SpelledNames, String> {
        let mut names = SpelledNames::default();
        names.add(tokens(text)?);
        Ok(names)
    }

    /// Whether it has `first::second`.
    pub fn has_path(&self, first: &str, second: &str) -> bool {
        let pair = (first.to_string(), second.to_string());
        self.paths.contains(&pair)
    }

    fn add(&mut self, stream: TokenStream) {
        let trees: Vec<TokenTree> = stream.into_iter().collect();
        let mut at = 0;
        while at < trees.len() {
            if let Some(behind) = behind_attribute(&trees, at) {
                at = behind;
                continue;
            }
            match &trees[at] {
                TokenTree::Group(group) => self.add(group.stream()),
                TokenTree::Literal(literal) => {
                    let text = literal.to_string();
                    self.strings.insert(text.trim_matches('"').to_string());
                }
                TokenTree::Ident(ident) => self.add_word(&ident.to_string(), &trees, at),
                TokenTree::Punct(_) => {}
            }
            at += 1;
        }
    }

    fn add_word(&mut self, name: &str, trees: &[TokenTree], at: usize) {
        if name == "mod" {
            self.modules.extend(word(trees.get(at + 1)));
        }
        let is_dot =
            |tree: &TokenTree| matches!(tree, TokenTree::Punct(dot) if dot.as_char() == '.');
        if trees.get(at + 1).is_some_and(is_dot) {
            let member = word(trees.get(at + 2));
            self.members
                .extend(member.map(|member| (name.to_string(), member)));
        }
        if !is_path_separator(trees, at + 1) {
            return;
        }
        match trees.get(at + 3) {
            Some(TokenTree::Ident(next)) => {
                self.paths.insert((name.to_string(), next.to_string()));
            }
            // `use a::{b, c}`
            Some(TokenTree::Group(group)) => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                let next = inner.iter().filter_map(|tree| word(Some(tree)));
                self.paths.extend(next.map(|next| (name.to_string(), next)));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SpelledNames;

    #[test]
    fn comments_attributes_and_tests_spell_nothing() {
        let names = SpelledNames::read(
            "/// Op::Doc \"doc\"\n#[cfg(test)] mod tests { fn f() { Op::Test; } }\n\
             // Op::Comment\nuse crate::isa::{Op, Reg};\nfn f() { g(Op::Nop {}, \"NOP\") }",
        )
        .expect("tokens");
        let paths: Vec<_> = names
            .paths
            .iter()
            .map(|(a, b)| format!("{a}::{b}"))
            .collect();
        assert_eq!(paths, ["Op::Nop", "crate::isa", "isa::Op", "isa::Reg"]);
        assert_eq!(names.strings.iter().collect::<Vec<_>>(), ["NOP"]);
        assert!(names.modules.is_empty());
    }
}
