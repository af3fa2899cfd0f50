//! Our dialects as IRDL, upstream's language for dialects that are declared while a program runs:
//! made from the table of operations, so that upstream checks operands, attributes, results and
//! regions of what we print.
//!
//! What IRDL of LLVM 22 can't say shapes both the declarations and the text that [`super::declared`]
//! writes for them:
//! * Names are lower-case letters, digits and underscores: [`name`] maps ours.
//! * Every declared attribute is mandatory: an optional one is declared as "the kind, or `unit`"
//!   and written as `unit` where it is missing.
//! * There are no traits: terminators are in a dialect that is not declared, [`PLAIN`], and
//!   what they say in an operation before them.
//! * Regions can't vary in number: such operations are in [`PLAIN`] altogether.
//! * Operations, types and attributes share their names: the type of fifos is [`FIFO_TYPE`].
//! * Parameters of attributes and types have no names, only places.

use std::fmt::Write as _;

use aiec_aie::ir::{Attr, BdIteration, PacketInfo, SymbolRef, Type};
use aiec_aie::ops::{AttrDef, OPS, OpDef, OpKind};

/// The dialects that upstream doesn't know.
const OURS: [&str; 4] = ["aie", "aiex", "aievec", "aievec_aie1"];

/// The dialect of operations that can't be declared. It has no declarations itself.
pub const PLAIN: &str = "aiec_plain";

/// The type `!aie.objectfifo`, whose name is the operation's too.
pub const FIFO_TYPE: &str = "objectfifo_type";

/// Integers are enumerations if these bounds are not among their values.
const ENUMERATION_BOUNDS: [i32; 2] = [-1, 255];

/// A type or an attribute of the dialect `aie`.
struct Parametrised {
    sort: &'static str,
    name: &'static str,
    /// Each with the base of its values; none for any.
    parameters: &'static [(&'static str, &'static str)],
}

const fn attribute(
    name: &'static str,
    parameters: &'static [(&'static str, &'static str)],
) -> Parametrised {
    Parametrised {
        sort: "attribute",
        name,
        parameters,
    }
}

const fn type_of_fifo(name: &'static str) -> Parametrised {
    Parametrised {
        sort: "type",
        name,
        parameters: &[("elem", "")],
    }
}

/// Types and attributes that [`super::declared`] writes; the other dialects have none.
#[rustfmt::skip]
const TYPES_AND_ATTRIBUTES: &[Parametrised] = &[
    type_of_fifo(FIFO_TYPE),
    type_of_fifo("objectfifosubview"),
    attribute("packet_info", &[("pkt_type", INTEGER), ("pkt_id", INTEGER)]),
    attribute("bd_dim_layout", &[("size", INTEGER), ("stride", INTEGER)]),
    attribute("bd_pad_layout", &[("before", INTEGER), ("after", INTEGER)]),
    attribute("bd_iteration", &[("size", INTEGER), ("stride", INTEGER), ("current", INTEGER)]),
    attribute("bd_dim_layout_array", &[("dims", ARRAY)]),
    attribute("bd_dim_layout_array_array", &[("lists", ARRAY)]),
    attribute("bd_pad_layout_array", &[("dims", ARRAY)]),
    attribute("bd_pad_layout_array_array", &[("lists", ARRAY)]),
];

const INTEGER: &str = "#builtin.integer";
const ARRAY: &str = "#builtin.array";

/// Whether an operation is declared, and so checked by upstream.
pub fn declared(def: &OpDef) -> bool {
    let dialect = def.name.split_once('.').map_or("", |(dialect, _)| dialect);
    OURS.contains(&dialect) && def.regions.is_some() && def.kind != OpKind::End
}

/// The declarations of all our dialects.
pub fn dialects() -> String {
    let mut out = String::new();
    for dialect in OURS {
        let _ = writeln!(out, "irdl.dialect @{dialect} {{");
        if dialect == OURS[0] {
            for each in TYPES_AND_ATTRIBUTES {
                parametrised(&mut out, each);
            }
        }
        for def in OPS {
            if declared(def) && def.name.split_once('.').is_some_and(|(d, _)| d == dialect) {
                operation(&mut out, def);
            }
        }
        out.push_str("}\n");
    }
    out
}

/// A name as IRDL takes it, within its dialect: `useToken` is `use_token`, dots are underscores.
pub fn name(ours: &str) -> String {
    let mut out = String::new();
    for c in ours.chars() {
        match c {
            '.' => out.push('_'),
            'A'..='Z' => {
                if !out.is_empty() && !out.ends_with('_') {
                    out.push('_');
                }
                out.push(c.to_ascii_lowercase());
            }
            _ => out.push(c),
        }
    }
    out
}

/// An operation's name as IRDL takes it: dialect, dot, name.
pub fn op_name(ours: &str) -> String {
    match ours.split_once('.') {
        Some((dialect, op)) => format!("{dialect}.{}", name(op)),
        None => name(ours),
    }
}

fn parametrised(out: &mut String, it: &Parametrised) {
    let Parametrised {
        sort,
        name,
        parameters,
    } = it;
    let _ = writeln!(out, "  irdl.{sort} @{name} {{");
    let mut list = Vec::new();
    for (parameter, base) in *parameters {
        let _ = match base.is_empty() {
            true => writeln!(out, "    %{parameter} = irdl.any"),
            false => writeln!(out, "    %{parameter} = irdl.base \"{base}\""),
        };
        list.push(format!("{parameter}: %{parameter}"));
    }
    let _ = writeln!(out, "    irdl.parameters({})\n  }}", list.join(", "));
}

fn operation(out: &mut String, def: &OpDef) {
    let op = def.name.split_once('.').map_or(def.name, |(_, op)| op);
    let _ = writeln!(out, "  irdl.operation @{} {{", name(op));
    let mut body = Body::default();
    body.attributes(def);
    body.values(def);
    if let Some(count @ 1..) = def.regions {
        let regions: Vec<String> = (0..count)
            .map(|n| format!("region{n}: {}", body.make("irdl.region")))
            .collect();
        body.last(format!("irdl.regions({})", regions.join(", ")));
    }
    out.push_str(&body.text);
    out.push_str("  }\n");
}

/// The inside of a declaration.
#[derive(Default)]
struct Body {
    text: String,
    count: usize,
}

impl Body {
    /// A constraint; its name.
    fn make(&mut self, what: &str) -> String {
        let name = format!("%{}", self.count);
        self.count += 1;
        let _ = writeln!(self.text, "    {name} = {what}");
        name
    }

    /// A line that makes nothing.
    fn last(&mut self, line: String) {
        let _ = writeln!(self.text, "    {line}");
    }

    /// One of several constraints.
    fn any_of(&mut self, options: &[String]) -> String {
        let options: Vec<String> = options.iter().map(|what| self.make(what)).collect();
        match &options[..] {
            [one] => one.clone(),
            _ => self.make(&format!("irdl.any_of({})", options.join(", "))),
        }
    }

    fn attributes(&mut self, def: &OpDef) {
        let mut list = Vec::new();
        for attr in def.attrs {
            let mut kinds = kinds(attr);
            if kinds.is_empty() {
                if attr.required {
                    kinds.push("irdl.any".to_string());
                } else {
                    continue;
                }
            } else if !attr.required {
                kinds.push("irdl.is unit".to_string());
            }
            let constraint = self.any_of(&kinds);
            list.push(format!("\"{}\" = {constraint}", attr.name));
        }
        if !list.is_empty() {
            self.last(format!("irdl.attributes {{{}}}", list.join(", ")));
        }
    }

    /// Operands and results; a constraint that is used twice would mean "the same".
    fn values(&mut self, def: &OpDef) {
        let mut operands = Vec::new();
        for (n, operand) in def.operands.iter().enumerate() {
            let (own, variadicity) = match operand.strip_suffix('*') {
                Some(own) => (own, "variadic"),
                None => match operand.strip_suffix('?') {
                    Some(own) => (own, "optional"),
                    None => (*operand, "single"),
                },
            };
            let constraint = self.make(operand_type(own));
            operands.push(format!("o{n}_{}: {variadicity} {constraint}", name(own)));
        }
        if !operands.is_empty() {
            self.last(format!("irdl.operands({})", operands.join(", ")));
        }
        let results: Vec<String> = match def.results {
            None => {
                let any = self.make("irdl.any");
                vec![format!("results: variadic {any}")]
            }
            Some(count) => (0..count)
                .map(|n| format!("result{n}: {}", self.make(result_type(def.kind))))
                .collect(),
        };
        if !results.is_empty() {
            self.last(format!("irdl.results({})", results.join(", ")));
        }
    }
}

/// The type of an operand by its name: parts of the array become an `index`.
fn operand_type(name: &str) -> &'static str {
    let part = name.to_ascii_lowercase();
    let part = part.strip_suffix('s').unwrap_or(&part);
    match part {
        "lock" | "amsel" => "irdl.is index",
        _ if part.ends_with("tile") => "irdl.is index",
        "externalbuffer" => "irdl.base \"!builtin.memref\"",
        _ => "irdl.any",
    }
}

fn result_type(kind: OpKind) -> &'static str {
    use OpKind as K;
    match kind {
        K::Tile
        | K::LogicalTile
        | K::Lock
        | K::Switchbox
        | K::ShimMux
        | K::Core
        | K::Mem
        | K::MemTileDma
        | K::ShimDma
        | K::Amsel
        | K::MasterSet
        | K::ShimSwitchbox => "irdl.is index",
        K::Buffer | K::ExternalBuffer => "irdl.base \"!builtin.memref\"",
        K::DmaStart | K::Dma => "irdl.is i1",
        _ => "irdl.any",
    }
}

/// The constraints that a declared attribute's kind comes to, found by asking the declaration
/// about one attribute of each sort; none for any attribute.
fn kinds(attr: &AttrDef) -> Vec<String> {
    let base = |name: &str| format!("irdl.base \"{name}\"");
    let ours = |name: &str| format!("irdl.base @aie::@{name}");
    let integers: Vec<i32> = (0..=255)
        .filter(|value| (attr.accepts)(&Attr::i32(*value)))
        .collect();
    let enumeration = ENUMERATION_BOUNDS
        .iter()
        .all(|bound| !(attr.accepts)(&Attr::i32(*bound)));
    let mut kinds = Vec::new();
    match integers.is_empty() {
        false if enumeration => kinds.extend(integers.iter().map(|n| format!("irdl.is {n} : i32"))),
        false => kinds.push(base(INTEGER)),
        true if (attr.accepts)(&Attr::Bool(true)) => kinds.push(base(INTEGER)),
        true => {}
    }
    let symbol = SymbolRef::flat("s");
    let packet = PacketInfo {
        pkt_type: 0,
        pkt_id: 0,
    };
    let iteration = BdIteration {
        size: 1,
        stride: 0,
        current: 0,
    };
    let samples = [
        (Attr::Unit, "irdl.is unit".to_string()),
        (Attr::str("s"), base("#builtin.string")),
        (Attr::Symbol(symbol), base("#builtin.symbol_ref")),
        (Attr::Type(Type::I32), base("#builtin.type")),
        (Attr::Array([].into()), base(ARRAY)),
        (Attr::i32_array([]), base("#builtin.dense_array")),
        (Attr::Packet(packet), ours("packet_info")),
        (Attr::BdIteration(iteration), ours("bd_iteration")),
        (Attr::BdDims([].into()), ours("bd_dim_layout_array")),
        (
            Attr::BdDimsArray([].into()),
            ours("bd_dim_layout_array_array"),
        ),
        (Attr::BdPads([].into()), ours("bd_pad_layout_array")),
        (
            Attr::BdPadsArray([].into()),
            ours("bd_pad_layout_array_array"),
        ),
    ];
    let accepted = samples.iter().filter(|(sample, _)| (attr.accepts)(sample));
    let accepted: Vec<&(Attr, String)> = accepted.collect();
    if accepted.len() == samples.len() {
        return Vec::new();
    }
    kinds.extend(accepted.iter().map(|(_, kind)| kind.clone()));
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mlir::context::Upstream;
    use std::collections::BTreeMap;

    #[test]
    fn names_stay_distinct() {
        let mut seen = BTreeMap::new();
        for def in OPS.iter().filter(|def| declared(def)) {
            let other = seen.insert(op_name(def.name), def.name);
            assert_eq!(other, None, "both are {}", op_name(def.name));
        }
        assert_eq!(op_name("aiex.useToken"), "aiex.use_token");
        assert_eq!(op_name("aie.objectfifo.link"), "aie.objectfifo_link");
    }

    #[test]
    fn every_attribute_has_a_kind_unless_it_is_any() {
        for def in OPS.iter().filter(|def| declared(def)) {
            for attr in def.attrs {
                let any = attr.expected == "an attribute";
                assert_eq!(kinds(attr).is_empty(), any, "{} {}", def.name, attr.name);
            }
        }
    }

    #[test]
    fn upstream_takes_the_declarations_and_checks_by_them() {
        let upstream = Upstream::new();
        let declarations = upstream.parse(&dialects()).expect("they parse");
        assert!(melior::utility::load_irdl_dialects(&declarations));
        let good = "%0 = \"aie.tile\"() {col = 1 : i32, row = 2 : i32, allocation_scheme = unit} \
                    : () -> index";
        upstream.parse(good).expect("a tile");
        for (bad, why) in [
            (
                good.replace("col = 1 : i32", "col = \"x\""),
                "builtin.integer",
            ),
            (good.replace("row = 2 : i32, ", ""), "row"),
            (good.replace("-> index", "-> i32"), "expected 'index'"),
            (good.replace("aie.tile", "aie.tyle"), "unregistered"),
        ] {
            let said = upstream.parse(&bad).expect_err("refused");
            assert!(
                said.iter().any(|s| s.message.contains(why)),
                "{bad}: {said:?}"
            );
        }
    }
}
