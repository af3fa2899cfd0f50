//! Affine maps.

use crate::text::syntax::Pair;

use super::{Fields, Literals, ParseFailed, codes};
use crate::ir::{AffineExpr, AffineMap};
use crate::text::grammar::Rule;

/// Nesting of expressions at most.
const MAX_EXPR_DEPTH: usize = 64;

/// The names of a map's dimensions and symbols, or the operands of a subscript.
#[derive(Default)]
pub(crate) struct AffineNames<'s> {
    pub(crate) dims: Vec<&'s str>,
    pub(crate) symbols: Vec<&'s str>,
    /// In subscripts, values become dimensions and symbols as they appear.
    pub(crate) values: bool,
}

impl AffineNames<'_> {
    /// Names that are values, collected as they appear.
    pub(crate) fn of_values() -> Self {
        AffineNames {
            values: true,
            ..AffineNames::default()
        }
    }
}

impl<'s> Literals<'_, 's> {
    /// The map of a [`Rule::map_body`].
    pub(super) fn affine_map(&mut self, pair: Pair<'s>) -> Result<AffineMap, ParseFailed> {
        let mut fields = Fields::of(pair);
        let mut names = AffineNames::default();
        if let Some(list) = fields.group(Rule::dim_list) {
            names.dims = list.rest().map(|p| p.as_str()).collect();
        }
        if let Some(list) = fields.group(Rule::symbol_list) {
            names.symbols = list.rest().map(|p| p.as_str()).collect();
        }
        let mut results = Vec::new();
        for sum in fields.rest() {
            results.push(self.affine_expr(sum, &mut names, 0)?);
        }
        Ok(AffineMap {
            dims: u32::try_from(names.dims.len()).unwrap_or(u32::MAX),
            symbols: u32::try_from(names.symbols.len()).unwrap_or(u32::MAX),
            results,
        })
    }

    /// An expression of sums, terms and factors.
    pub(crate) fn affine_expr(
        &mut self,
        pair: Pair<'s>,
        names: &mut AffineNames<'s>,
        depth: usize,
    ) -> Result<AffineExpr, ParseFailed> {
        let text = pair.as_str();
        if depth > MAX_EXPR_DEPTH {
            let message = "the expression nests too deeply".to_string();
            return Err(self.cursor.error(&codes::NESTING, text, message));
        }
        let rule = pair.as_rule();
        match rule {
            Rule::affine_sum | Rule::affine_term => {
                let mut parts = pair.into_inner();
                let first = parts.next().ok_or(ParseFailed)?;
                let mut left = self.affine_expr(first, names, depth + 1)?;
                while let (Some(op), Some(right)) = (parts.next(), parts.next()) {
                    let right = self.affine_expr(right, names, depth + 1)?;
                    left = combine(op.as_str(), left, right);
                }
                Ok(left)
            }
            Rule::negated => {
                let inner = Fields::of(pair).next(self.cursor)?;
                let inner = self.affine_expr(inner, names, depth + 1)?;
                Ok(combine("*", inner, AffineExpr::Const(-1)))
            }
            Rule::int => Ok(AffineExpr::Const(self.int(pair)?)),
            Rule::affine_value if names.values => {
                let symbol = text.starts_with("symbol");
                let value = Fields::of(pair).next(self.cursor)?.as_str();
                let list = if symbol {
                    &mut names.symbols
                } else {
                    &mut names.dims
                };
                let at = list.iter().position(|n| *n == value).unwrap_or_else(|| {
                    list.push(value);
                    list.len() - 1
                });
                let at = u32::try_from(at).unwrap_or(u32::MAX);
                Ok(if symbol {
                    AffineExpr::Symbol(at)
                } else {
                    AffineExpr::Dim(at)
                })
            }
            _ => {
                let find = |list: &[&str]| {
                    let at = list.iter().position(|n| *n == text)?;
                    u32::try_from(at).ok()
                };
                match (find(&names.dims), find(&names.symbols)) {
                    (Some(at), _) => Ok(AffineExpr::Dim(at)),
                    (None, Some(at)) => Ok(AffineExpr::Symbol(at)),
                    (None, None) => {
                        let message = format!("`{text}` is not a dimension or symbol of the map");
                        Err(self.cursor.error(&codes::BAD_ATTRIBUTE, text, message))
                    }
                }
            }
        }
    }
}

/// Both sides under an operator, folded when they are constants.
fn combine(op: &str, left: AffineExpr, right: AffineExpr) -> AffineExpr {
    if let (AffineExpr::Const(a), AffineExpr::Const(b)) = (&left, &right) {
        let folded = match op {
            "+" => a.checked_add(*b),
            "-" => a.checked_sub(*b),
            "*" => a.checked_mul(*b),
            "mod" if *b > 0 => a.checked_rem_euclid(*b),
            "floordiv" if *b > 0 => a.checked_div_euclid(*b),
            "ceildiv" if *b > 0 => a
                .checked_neg()
                .and_then(|n| n.checked_div_euclid(*b))
                .map(|q| -q),
            _ => None,
        };
        if let Some(value) = folded {
            return AffineExpr::Const(value);
        }
    }
    let (left, right) = (Box::new(left), Box::new(right));
    match op {
        "+" => AffineExpr::Add(left, right),
        "-" => {
            let negated = match *right {
                AffineExpr::Const(c) if c != i64::MIN => AffineExpr::Const(-c),
                other => AffineExpr::Mul(Box::new(other), Box::new(AffineExpr::Const(-1))),
            };
            AffineExpr::Add(left, Box::new(negated))
        }
        "*" => AffineExpr::Mul(left, right),
        "mod" => AffineExpr::Mod(left, right),
        "floordiv" => AffineExpr::FloorDiv(left, right),
        _ => AffineExpr::CeilDiv(left, right),
    }
}
