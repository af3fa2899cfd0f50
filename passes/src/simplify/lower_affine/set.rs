//! The text of an integer set: `(d0, d1)[s0] : (d0 - 1 >= 0, d1 - s0 == 0)`.

use aiec_aie::ir::AffineExpr;

/// Nesting of expressions at most.
const MAX_DEPTH: usize = 64;

/// A set: where all constraints hold.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Set {
    pub dims: usize,
    pub symbols: usize,
    /// An expression that is at least 0, or with the flag exactly 0.
    pub constraints: Vec<(AffineExpr, bool)>,
}

/// Reads a set; `None` if it isn't one.
pub(super) fn parse(text: &str) -> Option<Set> {
    let (head, body) = text.split_once(':')?;
    let (dims, rest) = names(head.trim(), '(', ')')?;
    let (symbols, rest) = match rest.trim() {
        "" => (Vec::new(), ""),
        rest => names(rest, '[', ']')?,
    };
    if !rest.trim().is_empty() {
        return None;
    }
    let body = body.trim().strip_prefix('(')?.strip_suffix(')')?;
    let mut reader = Reader {
        rest: body,
        names: [&dims, &symbols],
        depth: 0,
    };
    let mut constraints = Vec::new();
    while !reader.rest.trim().is_empty() {
        let left = reader.sum()?;
        let relation = ["==", ">=", "<="].into_iter().find(|r| reader.take(r))?;
        let right = reader.sum()?;
        let (left, right) = match relation {
            "<=" => (right, left),
            _ => (left, right),
        };
        let difference = match right {
            AffineExpr::Const(0) => left,
            right => add(left, negate(right)),
        };
        constraints.push((difference, relation == "=="));
        reader.take(",");
    }
    (!constraints.is_empty()).then_some(Set {
        dims: dims.len(),
        symbols: symbols.len(),
        constraints,
    })
}

fn names(text: &str, open: char, close: char) -> Option<(Vec<&str>, &str)> {
    let (list, rest) = text.strip_prefix(open)?.split_once(close)?;
    let names = list.split(',').map(str::trim).filter(|n| !n.is_empty());
    Some((names.collect(), rest))
}

fn add(a: AffineExpr, b: AffineExpr) -> AffineExpr {
    AffineExpr::Add(Box::new(a), Box::new(b))
}

fn negate(a: AffineExpr) -> AffineExpr {
    AffineExpr::Mul(Box::new(a), Box::new(AffineExpr::Const(-1)))
}

struct Reader<'t> {
    rest: &'t str,
    names: [&'t [&'t str]; 2],
    depth: usize,
}

impl<'t> Reader<'t> {
    fn take(&mut self, what: &str) -> bool {
        match self.rest.trim_start().strip_prefix(what) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn word(&mut self) -> &'t str {
        let rest = self.rest.trim_start();
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let (word, rest) = rest.split_at(end.unwrap_or(rest.len()));
        self.rest = rest;
        word
    }

    fn sum(&mut self) -> Option<AffineExpr> {
        let mut left = self.product()?;
        loop {
            if self.take("+") {
                left = add(left, self.product()?);
            } else if self.take("-") {
                left = add(left, negate(self.product()?));
            } else {
                return Some(left);
            }
        }
    }

    fn product(&mut self) -> Option<AffineExpr> {
        let mut left = self.factor()?;
        loop {
            let make: fn(Box<AffineExpr>, Box<AffineExpr>) -> AffineExpr = if self.take("*") {
                AffineExpr::Mul
            } else if self.take("floordiv") {
                AffineExpr::FloorDiv
            } else if self.take("ceildiv") {
                AffineExpr::CeilDiv
            } else if self.take("mod") {
                AffineExpr::Mod
            } else {
                return Some(left);
            };
            left = make(Box::new(left), Box::new(self.factor()?));
        }
    }

    fn factor(&mut self) -> Option<AffineExpr> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let factor = if self.take("-") {
            negate(self.factor()?)
        } else if self.take("(") {
            let inner = self.sum()?;
            self.take(")").then_some(inner)?
        } else {
            let word = self.word();
            let at = |list: &[&str]| {
                let at = list.iter().position(|name| *name == word)?;
                u32::try_from(at).ok()
            };
            match (at(self.names[0]), at(self.names[1])) {
                (Some(n), _) => AffineExpr::Dim(n),
                (None, Some(n)) => AffineExpr::Symbol(n),
                (None, None) => AffineExpr::Const(word.parse().ok()?),
            }
        };
        self.depth -= 1;
        Some(factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_all_forms() {
        let set = parse("(d0, d1)[s0] : (d0 - 1 >= 0, -d1 + s0 * 2 == 0, d0 mod 3 <= 4)");
        let set = set.expect("a set");
        assert_eq!((set.dims, set.symbols, set.constraints.len()), (2, 1, 3));
        assert_eq!(set.constraints.iter().filter(|c| c.1).count(), 1);
        assert_eq!(parse("(d0) : (d0 > 1)"), None);
        assert_eq!(parse("(d0) : (d1 >= 0)"), None);
        assert_eq!(parse("(d0) : ()"), None);
    }
}
