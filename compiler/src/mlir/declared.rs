//! A module as text for upstream, with our dialects as [`super::irdl`] declares them.
//!
//! It differs from the generic form that users see where IRDL must have it so:
//! * all attributes are in the plain dictionary, optional ones of ours that are missing as `unit`;
//! * terminators and operations that can't be declared are of the dialect [`irdl::PLAIN`];
//! * a device is in a module of its own with its functions and globals beside it: IRDL has no
//!   symbol tables, and calls look for them there;
//! * block floats are the vectors of bytes that they take in memory: elements of memrefs must be
//!   types that upstream knows.
//!
//! Each operation has the location `loc("op":N:1)`, N being its index plus one.

use std::fmt::Write as _;

use aiec_aie::ir::{Attr, BdDim, BdPad, Block, Module, Op, Region, Value};
use aiec_aie::ops::{OpKind, Traits};
use aiec_aie::text::stored_attributes;

use super::irdl;

/// The file in the location of operations.
pub const OPERATIONS: &str = "op";

/// Block floats and what they take (mlir-aie: include/aie/Dialect/AIEX/IR/AIEXTypes.td): the bytes
/// of 8 or 16 lanes and one of the common exponent.
const BLOCK_FLOATS: [(&str, &str); 2] = [
    ("!aiex.bfp<\"v8bfp16ebs8\">", "vector<9xi8>"),
    ("!aiex.bfp<\"v16bfp16ebs16\">", "vector<17xi8>"),
];

/// Name of an operation's segment sizes in IRDL.
const SEGMENTS: &str = "operand_segment_sizes";
/// The same in generic form.
const WRITTEN_SEGMENTS: &str = "operandSegmentSizes";

/// The text of a module.
pub fn write(module: &Module) -> String {
    let mut writer = Writer {
        m: module,
        out: String::new(),
    };
    writer.op(module.top());
    writer.out
}

/// Types of block floats replaced in any text of ours; in strings quotes are escaped, so that none
/// is taken for a type.
pub fn without_block_floats(text: &str) -> String {
    let mut text = text.to_string();
    for (block_float, bytes) in BLOCK_FLOATS {
        if text.contains(block_float) {
            text = text.replace(block_float, bytes);
        }
    }
    text
}

/// Types in a text of ours as they are declared.
fn declared_types(text: &str) -> String {
    let text = without_block_floats(text);
    match text.contains('!') {
        true => text.replace("!aie.objectfifo<", &format!("!aie.{}<", irdl::FIFO_TYPE)),
        false => text,
    }
}

struct Writer<'m> {
    m: &'m Module,
    out: String,
}

impl Writer<'_> {
    fn op(&mut self, op: Op) {
        let m = self.m;
        let kind = m.kind(op);
        match kind {
            OpKind::Device => self.device(op),
            OpKind::End => self.line(op, &format!("{}.end", irdl::PLAIN), true),
            // The attributes of a terminator are checked without its successors, which only the
            // plain one has.
            OpKind::DmaStart | OpKind::NextBd => {
                self.line(op, &irdl::op_name(m.op_name(op)), false);
                let _ = write!(
                    self.out,
                    "\"{}.{}\"()",
                    irdl::PLAIN,
                    irdl::name(m.op_name(op))
                );
                self.successors(op);
                self.out.push_str(" : () -> ()");
                self.location(op);
            }
            _ => {
                let name = match kind.def() {
                    Some(def) if is_ours(def.name) && !self.is_declared(op) => plain(def.name),
                    Some(def) if is_ours(def.name) => irdl::op_name(def.name),
                    _ => stand_in(m, op).unwrap_or_else(|| m.op_name(op).to_string()),
                };
                self.line(op, &name, true);
            }
        }
    }

    /// Whether an operation is of those that are declared, and such that the declaration can mean
    /// it: all values of a group have one type there.
    fn is_declared(&self, op: Op) -> bool {
        let Some(def) = self.m.kind(op).def().filter(|def| irdl::declared(def)) else {
            return false;
        };
        let operands: Vec<Value> = self.m.operands(op).collect();
        let groups = self.m.operand_groups(op);
        groups.iter().zip(def.operands).all(|(group, name)| {
            let group = operands.get(group.clone()).unwrap_or(&[]);
            let mut types = group.iter().map(|value| self.m.ty(*value));
            let first = types.next();
            !name.ends_with('*') || types.all(|ty| Some(ty) == first)
        })
    }

    /// A device with what upstream looks for in a symbol table beside it.
    fn device(&mut self, op: Op) {
        self.out.push_str("\"builtin.module\"() ({\n");
        for inner in self.children(op) {
            if is_hoisted(self.m.kind(inner)) {
                self.op(inner);
            }
        }
        self.line(op, "aie.device", true);
        self.out.push_str("}) : () -> ()\n");
    }

    fn children(&self, op: Op) -> Vec<Op> {
        let entry = self.m.entry(op, 0);
        entry.map_or(Vec::new(), |block| self.m.ops_in(block))
    }

    fn line(&mut self, op: Op, name: &str, successors: bool) {
        let m = self.m;
        let results: Vec<Value> = m.results(op).collect();
        if !results.is_empty() {
            self.values(&results, ", ");
            self.out.push_str(" = ");
        }
        let _ = write!(self.out, "\"{name}\"(");
        let operands: Vec<Value> = m.operands(op).collect();
        self.values(&operands, ", ");
        self.out.push(')');
        if successors {
            self.successors(op);
        }
        if !m.regions_of(op).is_empty() {
            self.out.push_str(" (");
            for (n, region) in m.regions_of(op).iter().enumerate() {
                self.out.push_str(if n > 0 { ", " } else { "" });
                self.region(op, *region);
            }
            self.out.push(')');
        }
        self.attributes(op);
        self.out.push_str(" : (");
        self.types(&operands);
        self.out.push_str(") -> (");
        self.types(&results);
        self.out.push(')');
        self.location(op);
    }

    fn location(&mut self, op: Op) {
        let _ = writeln!(self.out, " loc(\"{OPERATIONS}\":{}:1)", op.index() + 1);
    }

    fn values(&mut self, values: &[Value], between: &str) {
        for (n, value) in values.iter().enumerate() {
            let comma = if n > 0 { between } else { "" };
            let _ = write!(self.out, "{comma}%v{}", value.index());
        }
    }

    fn types(&mut self, values: &[Value]) {
        for (n, value) in values.iter().enumerate() {
            let comma = if n > 0 { ", " } else { "" };
            let ty = declared_types(&self.m.ty(*value).to_string());
            let _ = write!(self.out, "{comma}{ty}");
        }
    }

    fn successors(&mut self, op: Op) {
        let list: Vec<String> = self.m.successors(op).iter().map(|b| label(*b)).collect();
        if !list.is_empty() {
            let _ = write!(self.out, "[{}]", list.join(", "));
        }
    }

    fn attributes(&mut self, op: Op) {
        let m = self.m;
        let stored = stored_attributes(m, op);
        let given: Vec<&str> = stored.iter().map(|(key, _)| *key).collect();
        let list = stored.iter();
        let mut list: Vec<(String, String)> = list
            .map(|(key, value)| (key.to_string(), attr(value)))
            .collect();
        if let Some(def) = m.kind(op).def().filter(|_| self.is_declared(op)) {
            // Generic form leaves out what others imply, which declarations can't say.
            let implied = def.attrs.iter().filter(|a| a.required);
            for own in implied.filter(|a| !given.contains(&a.name)) {
                if let Some(value) = m.attr(op, own.name) {
                    list.push((own.name.to_string(), attr(value)));
                }
            }
            let missing = def.attrs.iter().filter(|a| !a.required);
            for attr in missing.filter(|a| !given.contains(&a.name)) {
                list.push((attr.name.to_string(), "unit".to_string()));
            }
            let varying = def.operands.iter().filter(|o| o.ends_with(['*', '?']));
            if varying.count() > 1 {
                let sizes = m.operand_groups(op);
                let sizes: Vec<String> = sizes.iter().map(|r| r.len().to_string()).collect();
                let sizes = format!("array<i32: {}>", sizes.join(", "));
                // Texts may have none of the last groups.
                let written = list.iter_mut().find(|(key, _)| key == WRITTEN_SEGMENTS);
                if let Some((_, written)) = written {
                    written.clone_from(&sizes);
                }
                list.push((SEGMENTS.to_string(), sizes));
            }
        }
        list.sort();
        if !list.is_empty() {
            let list: Vec<String> = list.iter().map(|(k, v)| format!("\"{k}\" = {v}")).collect();
            let _ = write!(self.out, " {{{}}}", list.join(", "));
        }
    }

    fn region(&mut self, op: Op, region: Region) {
        let m = self.m;
        let ours = m.kind(op).def().is_some_and(|def| is_ours(def.name));
        let hoisting = m.kind(op) == OpKind::Device;
        self.out.push_str("{\n");
        for block in m.blocks_of(region) {
            self.out.push_str(&label(*block));
            let args = m.block_args(*block);
            if !args.is_empty() {
                let args = args.iter().map(|arg| {
                    let ty = declared_types(&m.ty(*arg).to_string());
                    format!("%v{}: {ty}", arg.index())
                });
                let args: Vec<String> = args.collect();
                let _ = write!(self.out, "({})", args.join(", "));
            }
            self.out.push_str(":\n");
            for inner in m.ops_in(*block) {
                if !(hoisting && is_hoisted(m.kind(inner))) {
                    self.op(inner);
                }
            }
            if ours && !self.ends(*block) {
                let _ = write!(self.out, "\"{}.end\"() : () -> ()", irdl::PLAIN);
                self.location(op);
            }
        }
        self.out.push('}');
    }

    /// Whether a block's last operation can be a terminator.
    fn ends(&self, block: Block) -> bool {
        self.m.last_op(block).is_some_and(|op| {
            let kind = self.m.kind(op);
            kind == OpKind::Unknown || kind.has(Traits::TERMINATOR)
        })
    }
}

/// The name of an operation in the dialect without declarations.
pub fn plain(name: &str) -> String {
    format!("{}.{}", irdl::PLAIN, irdl::name(name))
}

/// Substitute for an operation of upstream's own that it would refuse in a core, since traits can't
/// be declared: a core is where allocations on the stack end, and where the operands of affine
/// operations may come from.
pub fn stand_in(module: &Module, op: Op) -> Option<String> {
    let name = module.op_name(op);
    let affine = name.starts_with("affine.");
    let inside = affine || module.kind(op) == OpKind::MemrefAlloca;
    if !inside || module.ancestor(op, OpKind::FuncFunc).is_some() {
        return None;
    }
    Some(match affine {
        true => plain(name),
        false => OpKind::MemrefAlloc.name().to_string(),
    })
}

fn is_ours(name: &str) -> bool {
    name.starts_with("aie")
}

/// Whether an operation of a device must be in a symbol table that upstream knows.
fn is_hoisted(kind: OpKind) -> bool {
    matches!(kind, OpKind::FuncFunc | OpKind::MemrefGlobal)
}

fn label(block: Block) -> String {
    format!("^bb{}", block.index())
}

/// An attribute as the declarations have it.
fn attr(value: &Attr) -> String {
    match value {
        Attr::Array(list) => brackets(list.iter().map(attr)),
        Attr::Dict(entries) => {
            let entries = entries.iter().map(|(key, value)| {
                let key = Attr::str(key.clone());
                format!("{key} = {}", attr(value))
            });
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        Attr::Packet(p) => {
            format!("#aie.packet_info<{} : i64, {} : i64>", p.pkt_type, p.pkt_id)
        }
        Attr::BdDims(list) => format!("#aie.bd_dim_layout_array<{}>", dims(list)),
        Attr::BdDimsArray(lists) => format!(
            "#aie.bd_dim_layout_array_array<{}>",
            brackets(lists.iter().map(|list| dims(list)))
        ),
        Attr::BdPads(list) => format!("#aie.bd_pad_layout_array<{}>", pads(list)),
        Attr::BdPadsArray(lists) => format!(
            "#aie.bd_pad_layout_array_array<{}>",
            brackets(lists.iter().map(|list| pads(list)))
        ),
        Attr::BdIteration(i) => format!(
            "#aie.bd_iteration<{} : i64, {} : i64, {} : i64>",
            i.size, i.stride, i.current
        ),
        // An attribute of ours without a known structure is kept as its text.
        Attr::Opaque(text) if text.starts_with("#aie") => Attr::str(text.clone()).to_string(),
        other => declared_types(&other.to_string()),
    }
}

fn dims(list: &[BdDim]) -> String {
    brackets(list.iter().map(|dim| {
        format!(
            "#aie.bd_dim_layout<{} : i64, {} : i64>",
            dim.size, dim.stride
        )
    }))
}

fn pads(list: &[BdPad]) -> String {
    brackets(list.iter().map(|pad| {
        format!(
            "#aie.bd_pad_layout<{} : i64, {} : i64>",
            pad.before, pad.after
        )
    }))
}

fn brackets(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}
