//! Makes the tables that the parser runs from the grammar, `src/text/grammar/*.pest` and the formats
//! of the table of operations: the rules as an enumeration and what each of them matches as
//! constants of `src/text/grammar.rs`, the formats as constants of `src/text/custom/format.rs`, and
//! the names of attributes as an enumeration of `src/op_table`.

mod formats;
#[path = "../src/op_table/rows.rs"]
mod rows;

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;

use pest_meta::ast::{Expr, RuleType};
use pest_meta::{parser, unwrap_or_report, validator};

use formats::Row;
use rows::{OTHER_NAMES, for_each_op};

/// Where the grammar is, below `src`.
const GRAMMAR: &str = "text/grammar";

/// Class of all characters that aren't ASCII.
const OTHERS: u8 = 128;

/// ASCII characters, and [`OTHERS`].
type CharSet = BTreeSet<u8>;

macro_rules! format_rows {
    ($(
        $(#[doc = $doc:literal])+
        $kind:ident = $name:literal ($($operand:ident)* $(; $($group:ident $mark:tt)*)?)
            -> $results:tt, $regions:tt, $successors:tt $traits:tt
            { $($req:ident: $req_kind:ident),* $(; $($opt:ident: $opt_kind:ident),*)? } $($format:literal)?
    )*) => {
        const ROWS: &[Row] = &[$(Row {
            kind: stringify!($kind),
            name: $name,
            operands: &[
                $((stringify!($operand), ""),)*
                $($((stringify!($group), stringify!($mark)),)*)?
            ],
            attrs: &[
                $((stringify!($req), stringify!($req_kind)),)*
                $($((stringify!($opt), stringify!($opt_kind)),)*)?
            ],
            results: stringify!($results),
            format: &[$($format)?],
        }),*];
    };
}

for_each_op!(format_rows);

fn main() {
    let directory = Path::new("src").join(GRAMMAR);
    println!("cargo::rerun-if-changed={}", directory.display());
    let mut files: Vec<_> = fs::read_dir(directory)
        .expect("the grammar's directory")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|e| e == "pest"))
        .collect();
    files.sort();
    let texts = files
        .iter()
        .map(|path| fs::read_to_string(path).expect("a grammar file"));
    let (rules_of_formats, formats) = formats::generate(ROWS, OTHER_NAMES);
    let text = texts.collect::<Vec<_>>().join("\n") + &rules_of_formats;
    let pairs = parser::parse(parser::Rule::grammar_rules, &text).map_err(|error| vec![error]);
    let pairs = unwrap_or_report(pairs);
    unwrap_or_report(validator::validate_pairs(pairs.clone()));
    let rules = unwrap_or_report(parser::consume_rules(pairs));

    let by_name = rules.iter().map(|r| (r.name.as_str(), &r.expr)).collect();
    let tables = Tables { by_name };
    let names: Vec<_> = rules.iter().map(|rule| rule.name.as_str()).collect();
    let rows = rules.iter().map(|rule| {
        let (name, kind) = (&rule.name, rule.ty);
        let atomic = matches!(kind, RuleType::Atomic | RuleType::CompoundAtomic);
        let node = tables.node(&rule.expr, atomic);
        format!("RuleDef {{ rule: Rule::{name}, kind: RuleKind::{kind:?}, node: {node} }},\n")
    });
    let out = format!(
        "/// The rules of the grammar, and the end of a text.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Rule {{ {}, EOI }}
        /// Definitions of the rules, in the order of [`Rule`].
        pub static RULES: [RuleDef; {}] = [{}];
        /// The parser that pest generates from the same grammar.
        #[cfg(all(debug_assertions, feature = \"oracle\"))]
        pub mod generated {{
            #[derive(pest_derive::Parser)]
            #[grammar_inline = {text:?}]
            pub struct Generated;
        }}",
        names.join(", "),
        names.len(),
        rows.collect::<String>(),
    );
    let to = std::env::var_os("OUT_DIR").expect("cargo sets it");
    let attrs: BTreeSet<&str> = ROWS
        .iter()
        .flat_map(|row| row.attrs)
        .map(|(name, _)| *name)
        .collect();
    let attrs = Vec::from_iter(attrs);
    let attr_names = format!(
        "/// The names of the attributes that the table declares.
        #[allow(non_camel_case_types, missing_docs)]
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u16)]
        pub enum AttrName {{ {} }}
        /// The texts of [`AttrName`].
        pub(crate) const ATTR_NAMES: [&str; {}] = {attrs:?};",
        attrs.join(", "),
        attrs.len(),
    );
    for (name, text) in [
        ("grammar.rs", out),
        ("formats.rs", formats),
        ("attr_names.rs", attr_names),
    ] {
        fs::write(Path::new(&to).join(name), text).expect("can be written");
    }
}

struct Tables<'g> {
    by_name: HashMap<&'g str, &'g Expr>,
}

impl Tables<'_> {
    /// An expression as a constant; `atomic` if no blanks may be between its parts.
    fn node(&self, expr: &Expr, atomic: bool) -> String {
        if let Expr::Str(text) = expr {
            return format!("Node::Text({text:?})");
        }
        if let Some(set) = set(expr, atomic) {
            return format!("Node::One({})", written(&set));
        }
        match expr {
            Expr::Ident(name) if name == "SOI" => "Node::Start".into(),
            Expr::Ident(name) if name == "EOI" => "Node::End".into(),
            Expr::Ident(name) => format!("Node::Rule(Rule::{name})"),
            Expr::Seq(..) => {
                let parts = sequence(expr);
                let nodes = parts.iter().map(|part| self.node(part, atomic) + ", ");
                format!("Node::Seq(&[{}])", nodes.collect::<String>())
            }
            Expr::Choice(..) => {
                let alternatives = alternatives(expr);
                let nodes = alternatives.iter().map(|part| {
                    let (first, node) = (self.first(part), self.node(part, atomic));
                    format!("({}, {node}), ", written_first(first))
                });
                format!("Node::Choice(&[{}])", nodes.collect::<String>())
            }
            Expr::Opt(part) => self.repeat(part, 0, "1", atomic),
            Expr::Rep(part) => self.repeat(part, 0, "usize::MAX", atomic),
            Expr::RepOnce(part) => self.repeat(part, 1, "usize::MAX", atomic),
            Expr::PosPred(part) => format!("Node::Ahead(&{}, true)", self.node(part, atomic)),
            Expr::NegPred(part) => format!("Node::Ahead(&{}, false)", self.node(part, atomic)),
            other => panic!("the parser has no node for {other:?}"),
        }
    }

    fn repeat(&self, part: &Expr, least: usize, most: &str, atomic: bool) -> String {
        match set(part, atomic) {
            Some(set) if most != "1" => format!("Node::Run({}, {least})", written(&set)),
            _ => {
                let (first, node) = (written_first(self.first(part)), self.node(part, atomic));
                format!("Node::Repeat({first}, &{node}, {least}, {most})")
            }
        }
    }

    /// Characters that can start a match of an expression; `None` if it may be empty. A rule never
    /// starts with itself, so this ends.
    fn first(&self, expr: &Expr) -> Option<CharSet> {
        match expr {
            Expr::Str(text) => text.bytes().next().map(|byte| [byte].into()),
            Expr::Ident(name) if self.by_name.contains_key(name.as_str()) => {
                self.first(self.by_name[name.as_str()])
            }
            Expr::Choice(one, other) => Some(&self.first(one)? | &self.first(other)?),
            Expr::Seq(..) => {
                let mut all = CharSet::new();
                for part in sequence(expr) {
                    // An optional part can start the match, and so can the blanks after it.
                    match part {
                        Expr::Opt(part) | Expr::Rep(part) => all.extend(self.first(part)?),
                        Expr::PosPred(_) | Expr::NegPred(_) => {}
                        part => {
                            all.extend(self.first(part)?);
                            return Some(all);
                        }
                    }
                    all.extend([b' ', b'\n']);
                }
                None
            }
            Expr::RepOnce(part) => self.first(part),
            _ => set(expr, false),
        }
    }
}

/// The set of an expression that matches one character.
fn set(expr: &Expr, atomic: bool) -> Option<CharSet> {
    let byte = |text: &String| match text.as_bytes() {
        [byte] => Some(*byte),
        _ => None,
    };
    match expr {
        Expr::Str(text) => Some([byte(text)?].into()),
        Expr::Range(low, high) => Some((byte(low)?..=byte(high)?).collect()),
        Expr::Choice(one, other) => Some(&set(one, atomic)? | &set(other, atomic)?),
        Expr::Seq(first, second) => match &**first {
            Expr::NegPred(not) if atomic => Some(&set(second, atomic)? - &set(not, atomic)?),
            _ => None,
        },
        Expr::Ident(name) => {
            let of = |wanted: fn(&u8) -> bool| Some((0..OTHERS).filter(wanted).collect());
            match name.as_str() {
                "ANY" => Some((0..=OTHERS).collect()),
                "ASCII_DIGIT" => of(u8::is_ascii_digit),
                "ASCII_ALPHA" => of(u8::is_ascii_alphabetic),
                "ASCII_ALPHANUMERIC" => of(u8::is_ascii_alphanumeric),
                "ASCII_HEX_DIGIT" => of(u8::is_ascii_hexdigit),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The parts of a sequence, however it is nested.
fn sequence(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Seq(one, other) => [sequence(one), sequence(other)].concat(),
        other => vec![other],
    }
}

/// The alternatives of a choice, however it is nested.
fn alternatives(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Choice(one, other) => [alternatives(one), alternatives(other)].concat(),
        other => vec![other],
    }
}

fn written(set: &CharSet) -> String {
    let ascii = set.iter().filter(|c| **c < OTHERS);
    let ascii = ascii.fold(0, |all, c| all | 1u128 << c);
    let others = set.contains(&OTHERS);
    format!("CharSet {{ ascii: {ascii:#x}, others: {others} }}")
}

fn written_first(set: Option<CharSet>) -> String {
    set.map_or("None".into(), |set| format!("Some({})", written(&set)))
}
