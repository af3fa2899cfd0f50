//! How an operation is written, in the words of its grammar rule.

use super::{Expr, rules};
use crate::text::grammar::Rule;

/// Longer forms don't help.
const MAX_LENGTH: usize = 220;

/// How deep parts are written out.
const MAX_DEPTH: usize = 8;

/// The form of a rule: tokens as they stand, names for what changes (`%value`, `N`, `TYPE`…),
/// optional parts with `?`, lists with `…`. `mnemonic` stands for the first word of rules that
/// several operations share. Where the whole would be too long, only the last of several
/// spellings is shown, which is today's; `None` if that is too long as well.
pub(in crate::text) fn form(rule: Rule, mnemonic: &str) -> Option<String> {
    let expr = rules().of(rule)?.expr()?;
    [false, true].into_iter().find_map(|brief| {
        let mut writer = Writer {
            out: String::new(),
            mnemonic,
            depth: 0,
            brief,
        };
        writer.expr(expr);
        let out = writer.out;
        (out.chars().count() <= MAX_LENGTH).then_some(out)
    })
}

struct Writer<'a> {
    out: String,
    /// Empty once it was written.
    mnemonic: &'a str,
    depth: usize,
    /// Whether only the last of several spellings is shown.
    brief: bool,
}

impl Writer<'_> {
    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Text(text) => self.token(text),
            Expr::Rule(name) => self.rule(name),
            Expr::Seq(list) => list.iter().for_each(|part| self.expr(part)),
            Expr::Choice(list) => self.choice(list),
            Expr::Optional(part) => self.optional(part, ""),
            Expr::Repeat(part, 0) => self.optional(part, "…"),
            Expr::Repeat(part, _) => {
                self.expr(part);
                self.out.push('…');
            }
            Expr::Range(..) | Expr::Ahead(..) => {}
        }
    }

    fn optional(&mut self, part: &Expr, more: &str) {
        let before = self.out.len();
        let inner = self.separate(part);
        if inner.trim().is_empty() {
            self.out.truncate(before);
            return;
        }
        // `a (, a)*` is `a, …`
        if more == "…" && inner.trim_start().starts_with(',') {
            self.out.push_str(", …");
            return;
        }
        // `a, …` may be empty anyway.
        if more.is_empty() && inner.ends_with('…') {
            self.out += &inner;
            return;
        }
        let blank = if inner.starts_with(' ') { " " } else { "" };
        let text = inner.trim_start();
        self.out += &match (text.contains([' ', ',']) && !is_group(text), more) {
            (true, "") => format!("{blank}({text})?"),
            (false, "") => format!("{blank}{text}?"),
            (true, _) => format!("{blank}({text})…"),
            (false, _) => format!("{blank}{text}…"),
        };
    }

    /// The text of a part, with the blank that would stand before it.
    fn separate(&mut self, part: &Expr) -> String {
        let before = self.out.len();
        self.expr(part);
        self.out.split_off(before)
    }

    fn choice(&mut self, list: &[Expr]) {
        let before = std::mem::take(&mut self.mnemonic);
        let (whole, mnemonic) = (self.out.clone(), before);
        self.mnemonic = mnemonic;
        if !mnemonic.is_empty() {
            // Spellings of the mnemonic: the one that the user wrote.
            let spelt = list
                .iter()
                .any(|e| matches!(e, Expr::Text(t) if t == mnemonic));
            if spelt {
                self.token(mnemonic);
                return;
            }
        }
        let mut texts: Vec<String> = Vec::new();
        for part in list {
            let text = self.separate(part);
            if !text.trim().is_empty() && !texts.contains(&text) {
                texts.push(text);
            }
        }
        self.out = whole;
        if self.brief && texts.len() > 1 {
            texts.drain(..texts.len() - 1);
        }
        match &texts[..] {
            [] => {}
            [one] => self.out += one,
            many => {
                let blank = if many.iter().any(|t| t.starts_with(' ')) {
                    " "
                } else {
                    ""
                };
                let trimmed: Vec<&str> = many.iter().map(|t| t.trim_start()).collect();
                self.out += &format!("{blank}({})", trimmed.join(" | "));
            }
        }
    }

    fn rule(&mut self, name: &str) {
        let placeholder = match name {
            "bare_id" if !self.mnemonic.is_empty() => self.mnemonic,
            "value" => "%value",
            "symbol" | "symbol_ref" => "@name",
            "block" => "^block",
            "string" => "\"text\"",
            "int" => "N",
            "number" => "NUMBER",
            "word" | "bare_id" => "WORD",
            "mixed" => "(%value | N)",
            "mixed_list" => "[N, …]",
            "struct_body" | "inline_struct" => "<KEY = N, …>",
            "inline_list" => "[<KEY = N, …>, …]",
            "coordinate" => "N",
            "boolean" => "true|false",
            "ty" => "TYPE",
            "types" => "TYPE, …",
            "values" => "%value, …",
            "attr" => "ATTRIBUTE",
            "attr_dict" => "{…}",
            "array_attr" => "[…]",
            "attr_alias" => "#alias",
            "op_flags" => "FLAG",
            "fn_ty" => "(TYPE, …) -> TYPE",
            "result_types" => "TYPE",
            "affine_sum" => "EXPRESSION",
            "trailing_loc" | "angles" | "squares" | "parens" => "",
            _ => {
                let Some(expr) = rules().get(name).and_then(|rule| rule.expr()) else {
                    return;
                };
                if self.depth < MAX_DEPTH {
                    self.depth += 1;
                    self.expr(expr);
                    self.depth -= 1;
                }
                return;
            }
        };
        if !placeholder.is_empty() {
            self.token(placeholder);
        }
    }

    fn token(&mut self, text: &str) {
        self.mnemonic = "";
        let tight = text.starts_with([')', ']', '>', ','])
            || self.out.is_empty()
            || self.out.ends_with(['(', '<', '['])
            || (text.starts_with(['(', '<', '[']) && self.glued());
        if !tight {
            self.out.push(' ');
        }
        self.out += text;
    }

    /// Whether a bracket stands right behind what was written.
    fn glued(&self) -> bool {
        let last = self.out.trim_end_matches(' ');
        last.ends_with(|c: char| c.is_alphanumeric() || c == ']')
    }
}

/// Whether a text is one group already.
fn is_group(text: &str) -> bool {
    text.starts_with(['{', '[']) && text.find(['}', ']']) == Some(text.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_read_like_the_operation() {
        let of = |rule, name: &str| form(rule, name).unwrap_or_default();
        assert_eq!(of(Rule::aie_tile, "aie.tile"), "aie.tile(N, N) {…}?");
        assert_eq!(
            of(Rule::aie_lock, "aie.lock"),
            "aie.lock(%value(, N)?) {…}?"
        );
        assert_eq!(
            of(Rule::aie_flow, "aie.flow"),
            "aie.flow(%value, WORD : N, %value, WORD : N) {…}?"
        );
        assert_eq!(
            of(Rule::func_call, "call"),
            "call @name(%value, …) {…}? : (TYPE, …) -> TYPE"
        );
        assert_eq!(
            of(Rule::memref_load, "memref.load"),
            "memref.load %value[%value, …] {…}? : TYPE"
        );
        assert_eq!(
            of(Rule::same_type_op, "arith.addi"),
            "arith.addi %value, … FLAG… {…}? : TYPE"
        );
        for rule in [
            Rule::aie_objectfifo,
            Rule::aie_dma_bd,
            Rule::aiex_npu_dma_memcpy_nd,
        ] {
            let form = form(rule, "").expect("a form");
            assert!(form.contains("TYPE"), "{form}");
        }
    }
}
