//! The regular expressions of `expected-error-re`: literals, `.`, classes `[a-z]`, `\d \w \s`,
//! groups with alternatives, `* + ?` and the anchors `^ $`. The few that tests use do not warrant a
//! dependency of the compiler. Matching explores alternatives in order, on sets of positions, so
//! that it takes time in proportion to expression and text.

use std::collections::BTreeSet;

/// A compiled expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Regex(Vec<Vec<Piece>>);

/// One atom with how often it may come.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    atom: Atom,
    /// At least this often: 0 or 1.
    min: usize,
    /// Whether more than once.
    many: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Atom {
    Char(char),
    Any,
    Class(bool, Vec<(char, char)>),
    Group(Vec<Vec<Piece>>),
    Start,
    End,
}

/// How deep groups may nest.
const MAX_DEPTH: usize = 50;

/// A text as an expression that matches just it.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if "\\.+*?()[]{}|^$".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

impl Regex {
    /// Compiles an expression; what is wrong with it if it isn't one.
    pub(super) fn new(text: &str) -> Result<Regex, String> {
        let chars: Vec<char> = text.chars().collect();
        let mut reader = Reader {
            chars: &chars,
            at: 0,
            depth: 0,
        };
        let alternatives = reader.alternatives()?;
        match reader.at == chars.len() {
            true => Ok(Regex(alternatives)),
            false => Err("an unbalanced ')'".to_string()),
        }
    }

    /// Whether some part of the text matches.
    pub(super) fn is_in(&self, text: &str) -> bool {
        let chars: Vec<char> = text.chars().collect();
        let starts: BTreeSet<usize> = (0..=chars.len()).collect();
        !alternatives(&self.0, &chars, &starts).is_empty()
    }
}

struct Reader<'a> {
    chars: &'a [char],
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    fn alternatives(&mut self) -> Result<Vec<Vec<Piece>>, String> {
        let mut list = vec![Vec::new()];
        while let Some(c) = self.peek().filter(|c| *c != ')') {
            if c == '|' {
                self.at += 1;
                list.push(Vec::new());
                continue;
            }
            let atom = self.atom()?;
            let (min, many) = match self.peek() {
                Some('*') => (0, true),
                Some('+') => (1, true),
                Some('?') => (0, false),
                _ => (1, false),
            };
            self.at += usize::from(many || min == 0);
            if let Some(last) = list.last_mut() {
                last.push(Piece { atom, min, many });
            }
        }
        Ok(list)
    }

    fn atom(&mut self) -> Result<Atom, String> {
        match self.next() {
            Some('.') => Ok(Atom::Any),
            Some('^') => Ok(Atom::Start),
            Some('$') => Ok(Atom::End),
            Some('[') => self.class(),
            Some('\\') => self.escaped(),
            Some('(') => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err("groups nested too deep".to_string());
                }
                let group = self.alternatives()?;
                self.depth -= 1;
                match self.next() {
                    Some(')') => Ok(Atom::Group(group)),
                    _ => Err("an unbalanced '('".to_string()),
                }
            }
            Some(c @ ('*' | '+' | '?')) => Err(format!("nothing before '{c}'")),
            Some(c) => Ok(Atom::Char(c)),
            None => Err("an expression that breaks off".to_string()),
        }
    }

    fn escaped(&mut self) -> Result<Atom, String> {
        let digits = vec![('0', '9')];
        let words = vec![('0', '9'), ('A', 'Z'), ('a', 'z'), ('_', '_')];
        let blanks = vec![(' ', ' '), ('\t', '\r')];
        match self.next() {
            Some('d') => Ok(Atom::Class(true, digits)),
            Some('D') => Ok(Atom::Class(false, digits)),
            Some('w') => Ok(Atom::Class(true, words)),
            Some('W') => Ok(Atom::Class(false, words)),
            Some('s') => Ok(Atom::Class(true, blanks)),
            Some('S') => Ok(Atom::Class(false, blanks)),
            Some(c) => Ok(Atom::Char(c)),
            None => Err("an expression that ends with '\\'".to_string()),
        }
    }

    fn class(&mut self) -> Result<Atom, String> {
        let inside = self.peek() != Some('^');
        self.at += usize::from(!inside);
        let mut ranges = Vec::new();
        loop {
            let first = match self.next() {
                Some(']') if !ranges.is_empty() => return Ok(Atom::Class(inside, ranges)),
                Some('\\') => self.next(),
                c => c,
            };
            let first = first.ok_or("an unbalanced '['")?;
            let range =
                self.peek() == Some('-') && self.chars.get(self.at + 1).is_some_and(|c| *c != ']');
            let last = match range {
                true => {
                    self.at += 2;
                    self.chars.get(self.at - 1).copied().unwrap_or(first)
                }
                false => first,
            };
            ranges.push((first, last));
        }
    }
}

/// Where matches of any alternative that begin at one of the starts can end.
fn alternatives(list: &[Vec<Piece>], text: &[char], starts: &BTreeSet<usize>) -> BTreeSet<usize> {
    let ends = list.iter().map(|pieces| {
        let all = pieces.iter();
        all.fold(starts.clone(), |at, piece| one_piece(piece, text, &at))
    });
    ends.flatten().collect()
}

fn one_piece(piece: &Piece, text: &[char], starts: &BTreeSet<usize>) -> BTreeSet<usize> {
    let mut ends = match piece.min {
        0 => starts.clone(),
        _ => BTreeSet::new(),
    };
    let mut front = starts.clone();
    while !front.is_empty() {
        let next = one_atom(&piece.atom, text, &front);
        front = next.difference(&ends).copied().collect();
        ends.extend(&front);
        if !piece.many {
            break;
        }
    }
    ends
}

fn one_atom(atom: &Atom, text: &[char], starts: &BTreeSet<usize>) -> BTreeSet<usize> {
    let step = |fits: &dyn Fn(char) -> bool| {
        let at = starts.iter().copied();
        at.filter(|at| text.get(*at).is_some_and(|c| fits(*c)))
            .map(|at| at + 1)
            .collect()
    };
    match atom {
        Atom::Char(wanted) => step(&|c| c == *wanted),
        Atom::Any => step(&|_| true),
        Atom::Class(inside, ranges) => {
            step(&|c| ranges.iter().any(|(a, b)| (*a..=*b).contains(&c)) == *inside)
        }
        Atom::Group(list) => alternatives(list, text, starts),
        Atom::Start => starts.iter().copied().filter(|at| *at == 0).collect(),
        Atom::End => starts
            .iter()
            .copied()
            .filter(|at| *at == text.len())
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_in(expression: &str, text: &str) -> bool {
        Regex::new(expression).expect("an expression").is_in(text)
    }

    #[test]
    fn finds_what_is_there() {
        assert!(is_in("b+c", "aabbbcc"));
        assert!(is_in(r"lock \d+ of \(1, [0-9]\)", "the lock 17 of (1, 2)"));
        assert!(is_in("a(x|yz)*d", "ayzxd"));
        assert!(is_in("^a.*z$", "a to z"));
        assert!(is_in("[^a-c]", "abcd"));
        assert!(is_in(&escape("a.b(c)*"), "x a.b(c)* y"));
    }

    #[test]
    fn does_not_find_what_is_not() {
        assert!(!is_in("b+c", "aab"));
        assert!(!is_in(r"\d", "none"));
        assert!(!is_in("^b", "ab"));
        assert!(!is_in(&escape("a.b"), "axb"));
        assert!(!is_in("(a*)*b", &"a".repeat(2000)));
    }

    #[test]
    fn says_what_is_wrong() {
        for wrong in ["(", ")", "[a", "*", "a\\"] {
            assert!(Regex::new(wrong).is_err(), "{wrong}");
        }
        assert!(Regex::new(&"(".repeat(10_000)).is_err());
    }
}
