//! The arenas: operations, blocks, regions, values and uses.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use smallvec::SmallVec;

use super::{Attr, Loc, LocTable, Name, Names, Type};
use crate::op_table::{AttrName, KINDS, OpKind, kind_of};
use aiec_diag::Span;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(NonZeroU32);

        impl $name {
            /// Position in its arena; dense, so that it can index side tables.
            #[inline]
            pub fn index(self) -> usize {
                self.0.get() as usize - 1
            }

            #[inline]
            pub(super) fn new(index: usize) -> $name {
                // An arena past 2^32 entries would need more than 100 GiB of source text.
                $name(NonZeroU32::MIN.saturating_add(index as u32))
            }
        }
    )*};
}

ids! {
    /// An operation.
    Op;
    /// A block.
    Block;
    /// A region.
    Region;
    /// A value: an operation's result or a block's argument.
    Value;
    /// One operand of one operation.
    Use;
    /// Regions and successors of one operation.
    Nested;
}

/// Where a value is defined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueDef {
    /// The n-th result of an operation.
    Result(Op, u32),
    /// The n-th argument of a block.
    Argument(Block, u32),
}

#[derive(Clone, Debug)]
pub(super) struct OpData {
    pub(super) name: Name,
    pub(super) kind: OpKind,
    pub(super) live: bool,
    pub(super) loc: Loc,
    pub(super) parent: Option<Block>,
    pub(super) prev: Option<Op>,
    pub(super) next: Option<Op>,
    pub(super) operands: SmallVec<[Use; 3]>,
    pub(super) first_result: u32,
    pub(super) num_results: u32,
    pub(super) attrs: Vec<(Name, Attr)>,
    /// Most operations have no regions and no successors.
    pub(super) nested: Option<Nested>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct NestedData {
    pub(super) regions: SmallVec<[Region; 2]>,
    pub(super) successors: SmallVec<[Block; 2]>,
}

#[derive(Clone, Debug)]
pub(super) struct BlockData {
    pub(super) parent: Option<Region>,
    pub(super) args: Vec<Value>,
    pub(super) first: Option<Op>,
    pub(super) last: Option<Op>,
}

#[derive(Clone, Debug)]
pub(super) struct RegionData {
    pub(super) parent: Option<Op>,
    pub(super) blocks: Vec<Block>,
}

#[derive(Clone, Debug)]
pub(super) struct ValueData {
    pub(super) ty: Type,
    pub(super) def: ValueDef,
    pub(super) first_use: Option<Use>,
    pub(super) last_use: Option<Use>,
}

#[derive(Clone, Debug)]
pub(super) struct UseData {
    pub(super) owner: Op,
    pub(super) value: Value,
    pub(super) prev: Option<Use>,
    pub(super) next: Option<Use>,
}

/// A file that an operation names, as the caller found it: its contents, or why it can't be read.
pub type NamedFile = Result<Arc<[u8]>, Arc<str>>;

/// A whole program: the arenas and the top-level `builtin.module` operation.
///
/// Ids are not checked: one of another module gives a wrong result or a panic.
#[derive(Clone, Debug)]
pub struct Module {
    /// Interned operation names and attribute keys.
    pub names: Names,
    /// Locations.
    pub locs: LocTable,
    /// The metadata sections of the file (`{-# … #-}`: blobs of resources), as written.
    pub metadata: Option<Box<str>>,
    /// Files that operations name (machine code of cores), by the name as written.
    pub files: BTreeMap<String, NamedFile>,
    pub(super) ops: Vec<OpData>,
    pub(super) blocks: Vec<BlockData>,
    pub(super) regions: Vec<RegionData>,
    pub(super) values: Vec<ValueData>,
    pub(super) uses: Vec<UseData>,
    pub(super) nested: Vec<NestedData>,
    /// Number of operations of each kind, erased ones not counted.
    counts: Vec<u32>,
    top: Op,
}

impl Default for Module {
    fn default() -> Self {
        Module::new()
    }
}

impl Module {
    /// An empty `builtin.module` with one empty block.
    pub fn new() -> Module {
        let mut module = Module {
            names: Names::default(),
            locs: LocTable::default(),
            metadata: None,
            files: BTreeMap::new(),
            ops: Vec::new(),
            blocks: Vec::new(),
            regions: Vec::new(),
            values: Vec::new(),
            uses: Vec::new(),
            nested: Vec::new(),
            counts: vec![0; KINDS.len() + 1],
            top: Op::new(0),
        };
        module.top = module.new_op("builtin.module", Loc::UNKNOWN);
        let region = module.add_region(module.top);
        module.add_block(region);
        module
    }

    /// Reserves room for the operations of a text of `bytes` bytes, because arenas that grow are copied.
    pub(crate) fn reserve_for_text(&mut self, bytes: usize) {
        // An operation of the compiled design for each 9 bytes of `examples/whole-array/design.mlir`.
        let count = bytes / 8;
        self.ops.reserve(count);
        self.values.reserve(count / 2);
        self.uses.reserve(count);
        self.nested.reserve(count / 4);
        self.blocks.reserve(count / 8);
    }

    /// The `builtin.module` operation.
    #[inline]
    pub fn top(&self) -> Op {
        self.top
    }

    /// The block of the top-level operation.
    pub fn body(&self) -> Block {
        self.blocks_of(self.regions_of(self.top)[0])[0]
    }

    // ---- operations ----

    /// A detached operation without operands, results, attributes or regions; see
    /// [`Module::build`](Module::build) for the usual way.
    pub(crate) fn new_op(&mut self, name: &str, loc: Loc) -> Op {
        self.new_op_of(kind_of(name), name, loc)
    }

    /// As [`Module::new_op`], for a name whose kind is known.
    pub(super) fn new_op_of(&mut self, kind: OpKind, name: &str, loc: Loc) -> Op {
        let name = Name::of_kind(kind).unwrap_or_else(|| self.names.intern(name));
        self.add_op(kind, name, loc, Vec::new())
    }

    /// A detached operation of the name and location of another one, with its attributes.
    pub(super) fn new_op_like(&mut self, op: Op) -> Op {
        let data = &self.ops[op.index()];
        let (kind, name, loc, attrs) = (data.kind, data.name, data.loc, data.attrs.clone());
        self.add_op(kind, name, loc, attrs)
    }

    fn add_op(&mut self, kind: OpKind, name: Name, loc: Loc, attrs: Vec<(Name, Attr)>) -> Op {
        let op = Op::new(self.ops.len());
        self.counts[kind as usize] += 1;
        self.ops.push(OpData {
            name,
            kind,
            live: true,
            loc,
            parent: None,
            prev: None,
            next: None,
            operands: SmallVec::new(),
            first_result: 0,
            num_results: 0,
            attrs,
            nested: None,
        });
        op
    }

    /// Regions and successors of an operation, to be changed.
    pub(super) fn nested_mut(&mut self, op: Op) -> &mut NestedData {
        let data = &mut self.ops[op.index()];
        let nested = *data.nested.get_or_insert_with(|| {
            self.nested.push(NestedData::default());
            Nested::new(self.nested.len() - 1)
        });
        &mut self.nested[nested.index()]
    }

    /// The operation's kind; [`OpKind::Unknown`] for operations outside the table.
    #[inline]
    pub fn kind(&self, op: Op) -> OpKind {
        self.ops[op.index()].kind
    }

    /// Number of operations of a kind, detached ones included.
    #[inline]
    pub fn count(&self, kind: OpKind) -> usize {
        self.counts[kind as usize] as usize
    }

    /// The operation's full name, `dialect.op`.
    #[inline]
    pub fn op_name(&self, op: Op) -> &str {
        self.names.text(self.ops[op.index()].name)
    }

    /// Whether the operation was not erased.
    #[inline]
    pub fn is_live(&self, op: Op) -> bool {
        self.ops[op.index()].live
    }

    /// Number of operations ever made (for side tables indexed by [`Op::index`]).
    pub fn op_count(&self) -> usize {
        self.ops.len()
    }

    /// Number of values ever made (for side tables indexed by [`Value::index`]).
    pub fn value_count(&self) -> usize {
        self.values.len()
    }

    /// The operation's location.
    #[inline]
    pub fn loc(&self, op: Op) -> Loc {
        self.ops[op.index()].loc
    }

    /// Replaces the operation's location.
    pub fn set_loc(&mut self, op: Op, loc: Loc) {
        self.ops[op.index()].loc = loc;
    }

    /// A location for something that `pass` makes from `op`.
    pub fn derived_loc(&mut self, pass: &'static str, op: Op) -> Loc {
        let from = self.loc(op);
        self.locs.derived(pass, from)
    }

    /// The span in the user's text that the operation goes back to.
    pub fn span(&self, op: Op) -> Option<Span> {
        self.locs.source_span(self.loc(op))
    }

    /// The span of the operation or block that defines a value.
    pub fn value_span(&self, value: Value) -> Option<Span> {
        match self.def(value) {
            ValueDef::Result(op, _) => self.span(op),
            ValueDef::Argument(block, _) => self.block_parent(block).and_then(|op| self.span(op)),
        }
    }

    // ---- attributes ----

    /// The attribute of a key.
    #[inline]
    pub fn attr(&self, op: Op, key: &str) -> Option<&Attr> {
        let attrs = &self.ops[op.index()].attrs;
        attrs
            .iter()
            .find(|(k, _)| self.names.text(*k) == key)
            .map(|(_, v)| v)
    }

    /// The attribute of a name that the table of operations declares.
    #[inline]
    pub fn declared_attr(&self, op: Op, attr_name: AttrName) -> Option<&Attr> {
        let name = Name::of_attr(attr_name);
        let attrs = &self.ops[op.index()].attrs;
        attrs.iter().find(|(k, _)| *k == name).map(|(_, v)| v)
    }

    /// All attributes in the order in which they were set.
    pub fn attrs(&self, op: Op) -> impl ExactSizeIterator<Item = (&str, &Attr)> {
        self.ops[op.index()]
            .attrs
            .iter()
            .map(|(k, v)| (self.names.text(*k), v))
    }

    /// Sets or replaces an attribute.
    pub fn set_attr(&mut self, op: Op, key: &str, value: Attr) {
        let key = self.names.intern(key);
        self.set_attr_of(op, key, value);
    }

    /// Sets or replaces an attribute of a name that the table of operations declares.
    pub fn set_declared_attr(&mut self, op: Op, attr_name: AttrName, value: Attr) {
        self.set_attr_of(op, Name::of_attr(attr_name), value);
    }

    fn set_attr_of(&mut self, op: Op, key: Name, value: Attr) {
        let attrs = &mut self.ops[op.index()].attrs;
        match attrs.iter_mut().find(|(k, _)| *k == key) {
            Some(slot) => slot.1 = value,
            None => {
                // Most operations have one or two: `push` would make room for four.
                if attrs.len() == attrs.capacity() {
                    attrs.reserve_exact(2.max(attrs.len()));
                }
                attrs.push((key, value));
            }
        }
    }

    /// Removes an attribute and returns it.
    pub fn remove_attr(&mut self, op: Op, key: &str) -> Option<Attr> {
        let key = self.names.find(key)?;
        self.remove_attr_of(op, key)
    }

    /// Removes an attribute of a name that the table of operations declares, and returns it.
    pub fn remove_declared_attr(&mut self, op: Op, attr_name: AttrName) -> Option<Attr> {
        self.remove_attr_of(op, Name::of_attr(attr_name))
    }

    fn remove_attr_of(&mut self, op: Op, key: Name) -> Option<Attr> {
        let attrs = &mut self.ops[op.index()].attrs;
        let index = attrs.iter().position(|(k, _)| *k == key)?;
        Some(attrs.remove(index).1)
    }

    /// The integer value of an attribute.
    #[inline]
    pub fn int_attr(&self, op: Op, key: &str) -> Option<i64> {
        self.attr(op, key)?.as_int()
    }

    /// The string value of an attribute.
    pub fn str_attr(&self, op: Op, key: &str) -> Option<&str> {
        self.attr(op, key)?.as_str().map(|s| &**s)
    }

    /// The innermost name of a symbol reference attribute.
    pub fn symbol_attr(&self, op: Op, key: &str) -> Option<&str> {
        match self.attr(op, key)? {
            Attr::Symbol(s) => Some(s.leaf()),
            _ => None,
        }
    }

    /// The outermost name of a nested symbol reference, `dev` of `@dev::@name`, among the attributes
    /// of an operation.
    pub fn nested_root(&self, op: Op) -> Option<&str> {
        self.attrs(op).find_map(|(_, attr)| match attr {
            Attr::Symbol(symbol) if symbol.path.len() > 1 => Some(symbol.root()),
            _ => None,
        })
    }

    /// Whether an attribute is there and is not `false`.
    pub fn flag(&self, op: Op, key: &str) -> bool {
        self.attr(op, key)
            .is_some_and(|a| a.as_bool().unwrap_or(true))
    }

    // ---- operands, results, successors ----

    /// Number of the operation's operands.
    #[inline]
    pub fn num_operands(&self, op: Op) -> usize {
        self.ops[op.index()].operands.len()
    }

    /// The n-th operand.
    #[inline]
    pub fn operand(&self, op: Op, n: usize) -> Option<Value> {
        self.ops[op.index()]
            .operands
            .get(n)
            .map(|u| self.uses[u.index()].value)
    }

    /// All operands.
    pub fn operands(&self, op: Op) -> impl ExactSizeIterator<Item = Value> + '_ {
        self.ops[op.index()]
            .operands
            .iter()
            .map(|u| self.uses[u.index()].value)
    }

    /// Appends an operand.
    pub fn add_operand(&mut self, op: Op, value: Value) {
        let index = self.new_use(op, value);
        self.ops[op.index()].operands.push(index);
    }

    /// Replaces the n-th operand.
    pub fn set_operand(&mut self, op: Op, n: usize, value: Value) {
        let index = self.ops[op.index()].operands[n];
        self.unlink_use(index);
        self.link_use(index, value);
    }

    /// Replaces all operands.
    pub fn set_operands(&mut self, op: Op, values: &[Value]) {
        for index in std::mem::take(&mut self.ops[op.index()].operands) {
            self.unlink_use(index);
        }
        for value in values {
            self.add_operand(op, *value);
        }
    }

    /// Number of the operation's results.
    #[inline]
    pub fn num_results(&self, op: Op) -> usize {
        self.ops[op.index()].num_results as usize
    }

    /// The n-th result.
    #[inline]
    pub fn result(&self, op: Op, n: usize) -> Option<Value> {
        let data = &self.ops[op.index()];
        (n < data.num_results as usize).then(|| Value::new(data.first_result as usize + n))
    }

    /// All results.
    pub fn results(&self, op: Op) -> impl ExactSizeIterator<Item = Value> + use<> {
        let data = &self.ops[op.index()];
        let first = data.first_result as usize;
        (first..first + data.num_results as usize).map(Value::new)
    }

    /// Makes the results of an operation that has none yet.
    pub(crate) fn set_results(&mut self, op: Op, types: impl IntoIterator<Item = Type>) {
        let first = self.values.len();
        for (i, ty) in types.into_iter().enumerate() {
            self.new_value(ty, ValueDef::Result(op, i as u32));
        }
        let data = &mut self.ops[op.index()];
        data.first_result = first as u32;
        data.num_results = (self.values.len() - first) as u32;
    }

    /// The blocks a terminator can jump to.
    #[inline]
    pub fn successors(&self, op: Op) -> &[Block] {
        match self.ops[op.index()].nested {
            Some(nested) => &self.nested[nested.index()].successors,
            None => &[],
        }
    }

    /// Replaces the n-th successor.
    pub fn set_successor(&mut self, op: Op, n: usize, block: Block) {
        self.nested_mut(op).successors[n] = block;
    }

    /// Appends a successor.
    pub fn add_successor(&mut self, op: Op, block: Block) {
        self.nested_mut(op).successors.push(block);
    }

    // ---- linking and erasing ----

    pub(super) fn link(&mut self, op: Op, block: Block, before: Option<Op>) {
        let prev = match before {
            Some(next) => self.ops[next.index()].prev,
            None => self.blocks[block.index()].last,
        };
        let data = &mut self.ops[op.index()];
        data.parent = Some(block);
        data.prev = prev;
        data.next = before;
        match prev {
            Some(prev) => self.ops[prev.index()].next = Some(op),
            None => self.blocks[block.index()].first = Some(op),
        }
        match before {
            Some(next) => self.ops[next.index()].prev = Some(op),
            None => self.blocks[block.index()].last = Some(op),
        }
    }

    /// Takes an operation out of its block without erasing it.
    pub fn detach(&mut self, op: Op) {
        let data = &mut self.ops[op.index()];
        let (prev, next) = (data.prev.take(), data.next.take());
        let Some(block) = data.parent.take() else {
            return;
        };
        match prev {
            Some(prev) => self.ops[prev.index()].next = next,
            None => self.blocks[block.index()].first = next,
        }
        match next {
            Some(next) => self.ops[next.index()].prev = prev,
            None => self.blocks[block.index()].last = prev,
        }
    }

    /// Erases an operation and all it contains. Uses of its results by operations outside must
    /// be gone or about to be erased as well.
    pub fn erase(&mut self, op: Op) {
        self.detach(op);
        let mut stack = vec![op];
        while let Some(op) = stack.pop() {
            for index in std::mem::take(&mut self.ops[op.index()].operands) {
                self.unlink_use(index);
            }
            if std::mem::take(&mut self.ops[op.index()].live) {
                let kind = self.kind(op);
                self.counts[kind as usize] -= 1;
            }
            for region in self.regions_of(op) {
                for block in self.blocks_of(*region) {
                    stack.extend(self.block_ops(*block));
                }
            }
        }
    }
}
