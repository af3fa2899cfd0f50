//! Where a text leaves the grammar, and what could stand there.
//!
//! The rule is matched once more, token by token, and the furthest token that didn't fit is kept
//! with all that was tried on it. Keywords must end where their word ends, so that `too` isn't
//! taken for `to` and the place is that of the wrong word.

use super::{Expr, Kind, Rules, rules};
use crate::text::grammar::Rule;

/// How deep rules may call each other.
const MAX_DEPTH: usize = 250;

/// After this many steps the place that the matcher found has to do.
const MAX_STEPS: usize = 1_000_000;

/// What was found out about a text that doesn't match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::text) enum Expectation {
    /// The byte offset of the first token that doesn't fit, and what could stand there, in the
    /// grammar's order.
    At(usize, Vec<String>),
    /// The text nests too deeply at this byte offset.
    TooDeep(usize),
}

/// What a text that doesn't match a rule should have had; `None` if that can't be told.
pub(in crate::text) fn expectation(rule: Rule, text: &str) -> Option<Expectation> {
    let mut matcher = Matcher {
        rules: rules(),
        text,
        furthest: 0,
        expected: Vec::new(),
        silent: 0,
        depth: 0,
        steps: 0,
        too_deep: None,
    };
    let name = matcher.rules.of(rule)?.name;
    let end = matcher.rule(name, 0, true);
    if let Some(at) = matcher.too_deep {
        return Some(Expectation::TooDeep(at));
    }
    if end.is_some() || matcher.steps > MAX_STEPS {
        return None;
    }
    Some(Expectation::At(matcher.furthest, matcher.expected))
}

struct Matcher<'a> {
    rules: &'static Rules,
    text: &'a str,
    furthest: usize,
    expected: Vec<String>,
    /// Inside this many lookaheads and tokens; nothing is noted there.
    silent: usize,
    depth: usize,
    steps: usize,
    too_deep: Option<usize>,
}

impl Matcher<'_> {
    fn note(&mut self, at: usize, what: &str) {
        if self.silent > 0 || at < self.furthest {
            return;
        }
        if at > self.furthest {
            self.furthest = at;
            self.expected.clear();
        }
        if !self.expected.iter().any(|e| e == what) {
            self.expected.push(what.to_string());
        }
    }

    fn rest(&self, at: usize) -> &str {
        self.text.get(at..).unwrap_or("")
    }

    /// Matches at a byte offset, with or without blanks between parts; answers where it ends.
    fn expr(&mut self, expr: &Expr, at: usize, blanks: bool) -> Option<usize> {
        self.steps += 1;
        if self.steps > MAX_STEPS || self.too_deep.is_some() {
            return None;
        }
        match expr {
            Expr::Text(text) => {
                let end = at + text.len();
                let rest = self.rest(at);
                let wordlike = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let joined = blanks
                    && text.ends_with(wordlike)
                    && rest
                        .get(text.len()..)
                        .is_some_and(|r| r.starts_with(wordlike));
                if rest.starts_with(text.as_str()) && !joined {
                    return Some(end);
                }
                self.note(at, &format!("`{text}`"));
                None
            }
            Expr::Range(low, high) => {
                let c = self.rest(at).chars().next()?;
                (*low..=*high).contains(&c).then_some(at + c.len_utf8())
            }
            Expr::Rule(name) => self.rule(name, at, blanks),
            Expr::Seq(list) => {
                let mut end = at;
                for (n, part) in list.iter().enumerate() {
                    let start = if n > 0 { self.skip(end, blanks) } else { end };
                    end = self.expr(part, start, blanks)?;
                }
                Some(end)
            }
            Expr::Choice(list) => list.iter().find_map(|part| self.expr(part, at, blanks)),
            Expr::Optional(part) => Some(self.expr(part, at, blanks).unwrap_or(at)),
            Expr::Repeat(part, least) => self.repeat(part, *least, at, blanks),
            Expr::Ahead(part, wanted) => {
                self.silent += 1;
                let matched = self.expr(part, at, blanks).is_some();
                self.silent -= 1;
                (matched == *wanted).then_some(at)
            }
        }
    }

    fn repeat(&mut self, part: &Expr, least: usize, at: usize, blanks: bool) -> Option<usize> {
        let mut end = at;
        let mut count = 0;
        loop {
            let start = if count > 0 {
                self.skip(end, blanks)
            } else {
                end
            };
            match self.expr(part, start, blanks) {
                Some(next) if next > start => (end, count) = (next, count + 1),
                Some(_) => return Some(end),
                None => return (count >= least).then_some(end),
            }
        }
    }

    fn skip(&self, at: usize, blanks: bool) -> usize {
        if !blanks {
            return at;
        }
        let rest = self.rest(at);
        let blank = rest.find(|c| c != ' ' && c != '\n').unwrap_or(rest.len());
        at + blank
    }

    fn rule(&mut self, name: &str, at: usize, blanks: bool) -> Option<usize> {
        let one = |wanted: fn(char) -> bool| {
            let c = self.rest(at).chars().next()?;
            wanted(c).then_some(at + c.len_utf8())
        };
        match name {
            "ANY" => return one(|_| true),
            "ASCII_DIGIT" => return one(|c| c.is_ascii_digit()),
            "ASCII_ALPHA" => return one(|c| c.is_ascii_alphabetic()),
            "ASCII_ALPHANUMERIC" => return one(|c| c.is_ascii_alphanumeric()),
            "ASCII_HEX_DIGIT" => return one(|c| c.is_ascii_hexdigit()),
            "SOI" => return (at == 0).then_some(at),
            "EOI" => {
                let ended = at == self.text.len();
                if !ended {
                    self.note(at, "the end");
                }
                return ended.then_some(at);
            }
            _ => {}
        }
        let rules = self.rules;
        let rule = rules.get(name)?;
        if self.depth >= MAX_DEPTH {
            self.too_deep = Some(at);
            return None;
        }
        let expr = rule.expr()?;
        let blanks = match rule.kind {
            Kind::Normal | Kind::Silent => blanks,
            Kind::Atomic | Kind::Compound => false,
            Kind::Spaced => true,
        };
        // What can be called by a name is expected by that name, and not by all it can start with.
        let description = describe(name);
        let tried = match description {
            Some(_) if at == self.furthest => self.expected.clone(),
            _ => Vec::new(),
        };
        let token = description.is_some() && !blanks;
        self.depth += 1;
        self.silent += usize::from(token);
        let end = self.expr(expr, at, blanks);
        self.silent -= usize::from(token);
        self.depth -= 1;
        if let Some(description) = description {
            if at == self.furthest {
                self.expected = tried;
            }
            if end.is_none() {
                self.note(at, description);
            }
        }
        end
    }
}

/// What to call a rule in "expected …"; `None` for rules made of others.
fn describe(name: &str) -> Option<&'static str> {
    Some(match name {
        "value" => "a value (`%name`)",
        "symbol" | "symbol_ref" => "a symbol (`@name`)",
        "block" => "a block (`^name`)",
        "string" => "a string",
        "int" => "an integer",
        "number" => "a number",
        "word" | "bare_id" => "a word",
        "mixed" => "a value or an integer",
        "ty" | "type_node" => "a type",
        "attr" => "an attribute",
        "attr_key" => "an attribute's name",
        "attr_dict" => "attributes (`{…}`)",
        "op_flags" => "a flag",
        "map_body" => "a map",
        "affine_sum" => "an affine expression",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(rule: Rule, text: &str) -> (usize, String) {
        match expectation(rule, text) {
            Some(Expectation::At(at, list)) => (at, list.join(", ")),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_first_wrong_token_is_found_with_what_could_stand_there() {
        assert_eq!(at(Rule::aie_tile, "aie.tile(0)"), (10, "`,`".into()));
        assert_eq!(
            at(Rule::scf_for, "scf.for %i = %a too %b step %c"),
            (16, "`to`".into())
        );
        let (place, expected) = at(Rule::attr_dict, "{a = }");
        assert_eq!((place, expected.as_str()), (5, "an attribute"));
    }

    #[test]
    fn depth_is_bounded() {
        let text = format!("{}1", "[".repeat(5000));
        let found = expectation(Rule::attr_only, &text);
        assert!(matches!(found, Some(Expectation::TooDeep(_))), "{found:?}");
    }
}
