//! Makes grammar rules and the items of `src/text/custom/format.rs` from the formats of the table
//! of operations. What a format means is described in `src/op_table/rows.rs`.

use std::collections::HashMap;

/// Placeholder for the name of a rule until it is known which operations share it.
const RULE: &str = "RULE";

/// A row as the generator needs it.
pub struct Row {
    pub kind: &'static str,
    pub name: &'static str,
    /// Names of operands and groups, with their marks.
    pub operands: &'static [(&'static str, &'static str)],
    /// Names of attributes with their kinds.
    pub attrs: &'static [(&'static str, &'static str)],
    pub results: &'static str,
    /// None or one.
    pub format: &'static [&'static str],
}

/// The rules of all formats as grammar text, and the formats as a constant.
pub fn generate(rows: &[Row], other_names: &[(&str, &str)]) -> (String, String) {
    let mut bodies: Vec<(String, Vec<&Row>)> = Vec::new();
    let mut by_body: HashMap<String, usize> = HashMap::new();
    let mut table = String::new();
    let mut formats = Vec::new();
    for row in rows {
        let Some(format) = row.format.first() else {
            continue;
        };
        let mut writer = Writer::new(row, format);
        let (grammar, items) = writer.sequence(false);
        let body = grammar.concat() + " }\n" + &writer.groups;
        let at = *by_body.entry(body).or_insert_with_key(|body| {
            bodies.push((body.clone(), Vec::new()));
            bodies.len() - 1
        });
        bodies[at].1.push(row);
        formats.push((at, row, items.concat(), writer.result()));
    }
    let rule_of = |at: usize| bodies[at].1[0].name.replace('.', "_");
    for (at, row, items, result) in formats {
        let (kind, rule, shared) = (row.kind, rule_of(at), bodies[at].1.len() > 1);
        let items = items.replace(RULE, &rule);
        table += &format!(
            "(OpKind::{kind}, Format {{ rule: Rule::{rule}, shared: {shared}, result: {result}, items: &[{items}] }}),\n"
        );
    }
    let grammar = bodies.iter().enumerate().map(|(at, (body, rows))| {
        let rule = rule_of(at);
        let head = match rows[..] {
            [row] => {
                let names = other_names.iter().filter(|(_, full)| *full == row.name);
                let names = names.fold(format!("{:?}", row.name), |all, (other, _)| {
                    format!("{all} | {other:?}")
                });
                format!("({names})")
            }
            _ => "bare_id".into(),
        };
        format!("{rule} = {{ {head}{}", body.replace(RULE, &rule))
    });
    let grammar = grammar.collect();
    let table = format!("static FORMATS: &[(OpKind, Format)] = &[{table}];");
    (grammar, table)
}

struct Writer<'r> {
    row: &'r Row,
    format: &'r str,
    /// The part of the format that is still to be read.
    rest: &'r str,
    /// The rules of optional parts.
    groups: String,
    group_count: usize,
    /// Whether the region has come.
    region: bool,
    /// Contents of `$gives`.
    gives: Option<String>,
}

impl<'r> Writer<'r> {
    fn new(row: &'r Row, format: &'r str) -> Self {
        Writer {
            row,
            format,
            rest: format,
            groups: String::new(),
            group_count: 0,
            region: false,
            gives: None,
        }
    }

    /// The type of the only result where the text has none.
    fn result(&self) -> String {
        let implied = self.row.results == "1" && !self.format.contains("(result)");
        match &self.gives {
            Some(ty) => format!("Some({ty})"),
            None if implied => "Some(TypeSource::Known(ScalarType::Index))".into(),
            None => "None".into(),
        }
    }

    fn fail(&self, why: &str) -> ! {
        let Row { name, .. } = self.row;
        panic!("format of {name}, at `{}`: {why}", self.rest)
    }

    /// Grammar and items up to the end, or to the end of an optional part.
    fn sequence(&mut self, optional: bool) -> (Vec<String>, Vec<String>) {
        let (mut grammar, mut items) = (Vec::new(), Vec::new());
        // The part that decides whether an optional group is printed can't be optional itself.
        let mut anchor = optional;
        while !(self.rest.is_empty() || optional && self.at_end_of_group()) {
            let (rule, item) = match self.eat("$") {
                true if self.eat("(") => self.group(),
                true => self.variable(std::mem::take(&mut anchor)),
                false => self.literal(optional),
            };
            // Rules end at the region, which the parser reads operation by operation.
            if !self.region {
                grammar.extend(rule.iter().map(|rule| format!(" ~ {rule}")));
            }
            if !item.is_empty() {
                items.push(item + ", ");
            }
        }
        (grammar, items)
    }

    fn at_end_of_group(&self) -> bool {
        self.rest.starts_with(")?") || self.rest.starts_with(")!")
    }

    fn eat(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn word(&mut self) -> &'r str {
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        word
    }

    fn expect(&mut self, text: &str) {
        if !self.eat(text) {
            self.fail(&format!("expected `{text}`"));
        }
    }

    /// `(name)`
    fn argument(&mut self) -> &'r str {
        self.expect("(");
        let word = self.word();
        self.expect(")");
        word
    }

    fn literal(&mut self, optional: bool) -> (Vec<String>, String) {
        let mut end = self.rest.find('$').unwrap_or(self.rest.len());
        if optional {
            let ends = [")?", ")!"].iter().filter_map(|e| self.rest.find(e));
            end = ends.fold(end, usize::min);
        }
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        let mut tokens = Vec::new();
        let mut left = text.trim_start();
        while let Some(first) = left.chars().next() {
            let wordlike = |c: char| c.is_alphanumeric() || c == '_';
            let length = match first {
                '-' if left.starts_with("->") => 2,
                c if wordlike(c) => left.find(|c| !wordlike(c)).unwrap_or(left.len()),
                _ => 1,
            };
            tokens.push(format!("{:?}", &left[..length]));
            left = left[length..].trim_start();
        }
        (tokens, format!("Item::Text({text:?})"))
    }

    /// An optional part; the rule of its own tells whether it is there.
    fn group(&mut self) -> (Vec<String>, String) {
        self.group_count += 1;
        let rule = format!("{RULE}_{}", self.group_count);
        let (grammar, items) = self.sequence(true);
        let printed = self.eat(")?");
        if !printed && !self.eat(")!") {
            self.fail("expected `)?` or `)!`");
        }
        let body = grammar.concat();
        self.groups += &format!("{rule} = {{ {} }}\n", body.trim_start_matches(" ~ "));
        let items = items.concat();
        let item = format!(
            "Item::Optional {{ rule: Rule::{rule}, printed: {printed}, items: &[{items}] }}"
        );
        (vec![format!("{rule}?")], item)
    }

    fn variable(&mut self, anchor: bool) -> (Vec<String>, String) {
        let name = self.word();
        let one = |rule: &str, item: &str| (vec![rule.to_string()], format!("Item::{item}"));
        match name {
            name if self.row.operands.iter().any(|(n, _)| *n == name) => {
                let (group, list) = self.operand(name);
                let source = match self.eat(":") {
                    true => {
                        let how = self.word();
                        self.type_source(how)
                    }
                    false if self.written(name) => "TypeSource::Written".into(),
                    false => "TypeSource::Known(ScalarType::Index)".into(),
                };
                match list {
                    true if anchor => one("values", &format!("Operands({group}, {source})")),
                    true => one("values?", &format!("Operands({group}, {source})")),
                    false => one("value", &format!("Operand({group}, {source})")),
                }
            }
            "attrs" => one("attr_dict?", "Dict"),
            "attributes" => one("(\"attributes\" ~ attr_dict)?", "Attributes"),
            "args" => one("block_args", "Arguments"),
            "region" => {
                self.region = true;
                (Vec::new(), "Item::Region".into())
            }
            "successor" => one("block", "Successor"),
            "flags" => one("op_flags*", "Flags"),
            "types" => {
                self.argument();
                one("types", "ResultTypes")
            }
            "each" => {
                let name = self.argument();
                one("ty", &format!("TypeOf({})", self.operand(name).0))
            }
            "gives" => {
                self.expect("(");
                let how = self.word();
                self.gives = Some(self.type_source(how));
                self.expect(")");
                (Vec::new(), String::new())
            }
            "type" if self.rest.starts_with('(') => match self.argument() {
                "result" => one("ty", "ResultType"),
                name => match self.operand(name) {
                    (group, true) => one("types?", &format!("TypesOf({group})")),
                    (group, false) => one("ty", &format!("TypeOf({group})")),
                },
            },
            name => {
                let (rule, form) = self.attribute(name);
                let item = format!("Item::Attr({name:?}, AttrForm::{form})");
                (vec![rule.to_string()], item)
            }
        }
    }

    /// The number of a group of operands, and whether it is a list.
    fn operand(&self, name: &str) -> (usize, bool) {
        let at = self.row.operands.iter().position(|(n, _)| *n == name);
        match at {
            Some(at) => (at, self.row.operands[at].1 == "*"),
            None => self.fail("no such operand"),
        }
    }

    /// Whether the type of an operand is in the text.
    fn written(&self, name: &str) -> bool {
        let directives = [format!("$type({name})"), format!("$each({name})")];
        directives.iter().any(|d| self.format.contains(d))
    }

    fn type_source(&mut self, how: &str) -> String {
        if let Some(ty) = scalar_type(how) {
            return format!("TypeSource::Known({ty})");
        }
        match how {
            "result" => "TypeSource::Result".into(),
            "element" => match self.argument() {
                "result" => "TypeSource::ElementOfResult".into(),
                name => format!("TypeSource::Element({})", self.operand(name).0),
            },
            "metadata" => match self.argument() {
                "result" => "TypeSource::MetadataOfResult".into(),
                name => format!("TypeSource::Metadata({})", self.operand(name).0),
            },
            name => format!("TypeSource::Same({})", self.operand(name).0),
        }
    }

    /// The rule and the form of an attribute.
    fn attribute(&mut self, name: &str) -> (&'static str, String) {
        let kind = self.row.attrs.iter().find(|(n, _)| *n == name);
        let kind = kind.map_or("", |(_, kind)| *kind);
        let int = match kind {
            "I8" | "I16" | "I32" | "I64" | "Index" => format!("ScalarType::{kind}"),
            "U32" => "ScalarType::UI32".into(),
            _ => "ScalarType::I32".into(),
        };
        if self.eat(":") {
            let how = self.word();
            return match how {
                "rounding" => ("rounding", "Bare".into()),
                "ignored" => ("int", "Ignored".into()),
                "number_or_name" => ("(int | string | trace_event_path)", "NumberOrName".into()),
                "event" => ("trace_event", "Event".into()),
                "type" => ("ty", "Type".into()),
                "path" => ("symbol_ref", "Symbol".into()),
                "elements" => ("attr", "Elements".into()),
                "coordinate" => ("coordinate", "Coordinate".into()),
                "combining" => ("combining_kind", "CombiningKind".into()),
                "or" => {
                    let other = self.argument();
                    ("(int | symbol)", format!("IntOrSymbol({int}, {other:?})"))
                }
                "i64" => ("mixed_list", self.mixed(name, "ScalarType::I64")),
                words => ("word", format!("Word(&words::{words})")),
            };
        }
        match kind {
            "Bool" => ("boolean", "Bool".into()),
            "Str" if name == "sym_name" => ("symbol", "SymName".into()),
            "Str" => ("string", "Str".into()),
            "Symbol" => ("symbol", "Symbol".into()),
            "TypeAttr" => ("ty", "Type".into()),
            "Packet" => ("inline_struct", "Packet".into()),
            "Bundle" => ("word", "Word(&words::BUNDLE)".into()),
            "Dir" => ("word", "Word(&words::DIRECTION)".into()),
            "LockAction" => ("word", "Word(&words::LOCK_ACTION)".into()),
            "FifoPort" => ("word", "Word(&words::FIFO_PORT)".into()),
            "FifoRole" => ("word", "Word(&words::FIFO_ROLE)".into()),
            "Ints" => ("mixed_list", self.mixed(name, "ScalarType::Index")),
            "I8" | "I16" | "I32" | "I64" | "Index" | "U32" | "Word" => {
                ("int", format!("Int({int})"))
            }
            _ => self.fail("no such operand or attribute"),
        }
    }

    /// A list of numbers, with the group of operands for those that are values.
    fn mixed(&self, name: &str, ty: &str) -> String {
        let dynamic = match name.strip_prefix("static_") {
            Some("position") => Some("dynamic_position"),
            other => other,
        };
        let group = dynamic.map(|name| self.operand(name).0);
        format!("Mixed({group:?}, {ty})")
    }
}

/// The simple type of a name in lower case.
fn scalar_type(name: &str) -> Option<String> {
    let known = ["i1", "i8", "i16", "i32", "i64", "index"];
    let name = known.iter().find(|known| **known == name)?;
    let name = name.replacen('i', "I", 1);
    Some(format!("ScalarType::{name}"))
}
