//! Reads the language of the grammar files.

use super::{Expr, Kind};

/// Name, kind and text behind the brace of each rule of a file. A rule starts at the beginning of
/// a line.
pub(super) fn heads(
    text: &'static str,
) -> impl Iterator<Item = (&'static str, Kind, &'static str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            if rest.is_empty() {
                return None;
            }
            let line = rest;
            let end = line.find('\n').map_or(line.len(), |end| end + 1);
            rest = line.get(end..).unwrap_or("");
            if let Some(head) = head(line) {
                return Some(head);
            }
        }
    })
}

/// `name = @{ …`
fn head(line: &'static str) -> Option<(&'static str, Kind, &'static str)> {
    let wordlike = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let end = line.bytes().position(|b| !wordlike(b)).filter(|n| *n > 0)?;
    let (name, rest) = line.split_at(end);
    let rest = rest.trim_start_matches(' ').strip_prefix('=')?;
    let rest = rest.trim_start_matches(' ');
    let kind = match rest.bytes().next()? {
        b'_' => Kind::Silent,
        b'@' => Kind::Atomic,
        b'$' => Kind::Compound,
        b'!' => Kind::Spaced,
        _ => Kind::Normal,
    };
    let text = rest.trim_start_matches(['_', '@', '$', '!']);
    Some((name, kind, text.strip_prefix('{')?))
}

/// A text of the grammar's language that is being read.
pub(super) struct Reader<'g> {
    pub(super) rest: &'g str,
}

impl Reader<'_> {
    fn skip(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            match self.rest.strip_prefix("//") {
                Some(comment) => {
                    let end = comment.find('\n').unwrap_or(comment.len());
                    self.rest = comment.get(end..).unwrap_or("");
                }
                None => return,
            }
        }
    }

    fn eat(&mut self, sign: &str) -> bool {
        self.skip();
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn word(&mut self) -> Option<String> {
        self.skip();
        let end = self
            .rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then(|| word.to_string())
    }

    /// Alternatives up to what can't go on.
    pub(super) fn choice(&mut self) -> Option<Expr> {
        let mut list = vec![self.sequence()?];
        while self.eat("|") {
            list.push(self.sequence()?);
        }
        one_or(list, Expr::Choice)
    }

    fn sequence(&mut self) -> Option<Expr> {
        let mut list = vec![self.item()?];
        while self.eat("~") {
            list.push(self.item()?);
        }
        one_or(list, Expr::Seq)
    }

    fn item(&mut self) -> Option<Expr> {
        if self.eat("!") {
            return Some(Expr::Ahead(Box::new(self.item()?), false));
        }
        if self.eat("&") {
            return Some(Expr::Ahead(Box::new(self.item()?), true));
        }
        let mut expr = self.primary()?;
        loop {
            expr = if self.eat("?") {
                Expr::Optional(Box::new(expr))
            } else if self.eat("*") {
                Expr::Repeat(Box::new(expr), 0)
            } else if self.eat("+") {
                Expr::Repeat(Box::new(expr), 1)
            } else {
                return Some(expr);
            };
        }
    }

    fn primary(&mut self) -> Option<Expr> {
        if self.eat("(") {
            let expr = self.choice()?;
            return self.eat(")").then_some(expr);
        }
        if self.eat("\"") {
            let mut text = String::new();
            let mut chars = self.rest.char_indices();
            while let Some((at, c)) = chars.next() {
                match c {
                    '"' => {
                        self.rest = self.rest.get(at + 1..).unwrap_or("");
                        return Some(Expr::Text(text));
                    }
                    '\\' => match chars.next()?.1 {
                        'n' => text.push('\n'),
                        other => text.push(other),
                    },
                    other => text.push(other),
                }
            }
            return None;
        }
        if self.eat("'") {
            let low = self.rest.chars().next()?;
            self.rest = self.rest.get(low.len_utf8()..)?;
            let high = (self.eat("'") && self.eat("..") && self.eat("'"))
                .then(|| self.rest.chars().next())??;
            self.rest = self.rest.get(high.len_utf8()..)?;
            return self.eat("'").then_some(Expr::Range(low, high));
        }
        self.word().map(Expr::Rule)
    }
}

/// The only one, or all of them in one.
fn one_or(mut list: Vec<Expr>, all: fn(Vec<Expr>) -> Expr) -> Option<Expr> {
    match list.len() {
        1 => list.pop(),
        _ => Some(all(list)),
    }
}
