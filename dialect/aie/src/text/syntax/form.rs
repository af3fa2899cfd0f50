//! Written form of an operation, in the words of its grammar rule.

use crate::text::grammar::{First, Node, RULES, Rule};

/// Longer forms don't help.
const MAX_LENGTH: usize = 300;

/// Depth to which parts are written out.
const MAX_DEPTH: usize = 8;

/// The form of a rule: tokens as they are, names for what changes (`%value`, `N`, `TYPE`…),
/// optional parts with `?`, lists with `…`. `mnemonic` is the first word of rules that several
/// operations share. Where the whole would be too long, only the last of several spellings is
/// shown, which is today's; `None` if that is too long as well.
pub(in crate::text) fn form(rule: Rule, mnemonic: &str) -> Option<String> {
    let def = RULES.get(rule as usize)?;
    [false, true].into_iter().find_map(|brief| {
        let mut writer = Writer {
            out: String::new(),
            mnemonic,
            depth: 0,
            brief,
        };
        writer.node(&def.node);
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
    fn node(&mut self, node: &Node) {
        match node {
            Node::Text(text) => self.token(text),
            Node::Rule(rule) => self.rule(*rule),
            Node::Seq(list) => list.iter().for_each(|part| self.node(part)),
            Node::Choice(list) => self.choice(list),
            Node::Repeat(_, part, 0, 1) => self.optional(part, ""),
            Node::Repeat(_, part, 0, _) => self.optional(part, "…"),
            Node::Repeat(_, part, ..) => {
                self.node(part);
                self.out.push('…');
            }
            Node::One(_) | Node::Run(..) | Node::Ahead(..) | Node::Start | Node::End => {}
        }
    }

    fn optional(&mut self, part: &Node, more: &str) {
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

    /// The text of a part, with the blank that would are before it.
    fn separate(&mut self, part: &Node) -> String {
        let before = self.out.len();
        self.node(part);
        self.out.split_off(before)
    }

    fn choice(&mut self, list: &[(First, Node)]) {
        // Spellings of the mnemonic: the one that the user wrote.
        let spelt =
            |(_, part): &(First, Node)| matches!(part, Node::Text(t) if *t == self.mnemonic);
        if list.iter().any(spelt) {
            self.token(self.mnemonic);
            return;
        }
        let mut texts: Vec<String> = Vec::new();
        for (_, part) in list {
            let text = self.separate(part);
            if !text.trim().is_empty() && !texts.contains(&text) {
                texts.push(text);
            }
        }
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

    fn rule(&mut self, rule: Rule) {
        let placeholder = match rule {
            Rule::bare_id if !self.mnemonic.is_empty() => self.mnemonic,
            Rule::value => "%value",
            Rule::symbol | Rule::symbol_ref => "@name",
            Rule::block => "^block",
            Rule::string => "\"text\"",
            Rule::int => "N",
            Rule::number => "NUMBER",
            Rule::word | Rule::bare_id => "WORD",
            Rule::mixed => "(%value | N)",
            Rule::mixed_list => "[N, …]",
            Rule::struct_body | Rule::inline_struct => "<KEY = N, …>",
            Rule::inline_list => "[<KEY = N, …>, …]",
            Rule::coordinate => "N",
            Rule::boolean => "true|false",
            Rule::ty => "TYPE",
            Rule::types => "TYPE, …",
            Rule::values => "%value, …",
            Rule::attr => "ATTRIBUTE",
            Rule::attr_dict => "{…}",
            Rule::array_attr => "[…]",
            Rule::attr_alias => "#alias",
            Rule::op_flags => "FLAG",
            Rule::fn_ty => "(TYPE, …) -> TYPE",
            Rule::result_types => "TYPE",
            Rule::affine_sum => "EXPRESSION",
            Rule::trailing_loc | Rule::angles | Rule::squares | Rule::parens => "",
            _ => {
                if let Some(def) = RULES.get(rule as usize).filter(|_| self.depth < MAX_DEPTH) {
                    self.depth += 1;
                    self.node(&def.node);
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

    /// Whether a bracket is right after the written text.
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
            of(Rule::arith_addi, "arith.addi"),
            "arith.addi %value, %value FLAG… {…}? : TYPE"
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
