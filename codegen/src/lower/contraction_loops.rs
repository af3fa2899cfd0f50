//! Contractions in loops: the operands go to memory, where a loop for each dimension of the iteration goes through their elements.
//! Machine code takes them where all products at once would take much of its memory.

use aiec_aie::ir::Op;
use aiec_diag::Reported;
use aiec_vcode::{MemoryType, Opcode};

use super::contraction::{Operand, Products};
use super::function::Function;
use super::pure::load_constant;
use super::value::{Address, Elem, MemRef, Num, Val};
use super::vector::row_major;
use super::{Lowered, STACK_ALIGNMENT};
use crate::mir::{Arg, Imm, Label, MoveOperand, Node, Scalar, Vector};

/// An operand in memory.
struct Stored {
    memref: MemRef,
    kind: MemoryType,
    map: Vec<usize>,
}

impl Stored {
    /// Its indices at a place of the iteration.
    fn indices(&self, at: &[Num]) -> Vec<Num> {
        self.map.iter().map(|dim| at[*dim]).collect()
    }
}

/// A loop that is open: its counter, the bound and where it begins.
struct Open {
    counter: Scalar,
    bound: Scalar,
    head: Label,
}

/// Memory that holds a number as it is in a register: integers of odd widths take the next larger one.
fn container(elem: Elem) -> Option<MemoryType> {
    let bytes = |bits: u8| bits.next_power_of_two().max(8);
    match elem {
        Elem::Int(bits) => Elem::Int(bytes(bits)).memory(),
        Elem::Float(_) => elem.memory(),
    }
}

impl Function<'_, '_, '_> {
    /// The nodes that set `to` by loops; none if the stack has no room for the operands.
    pub(super) fn products_in_loops(
        &mut self,
        op: Op,
        products: &Products,
        to: Vector,
    ) -> Lowered<Vec<Node>> {
        let first = self.code.nodes.len();
        let module = self.low.module;
        let mut elems = Vec::new();
        for n in 0..2 {
            let value = module.operand(op, n).ok_or(Reported)?;
            elems.push(self.shape(op, value)?.elem);
        }
        elems.push(products.elem);
        let kinds: Option<Vec<MemoryType>> = elems.into_iter().map(container).collect();
        let Some([left, right, sum]) = kinds.and_then(|kinds| <[_; 3]>::try_from(kinds).ok())
        else {
            return Ok(Vec::new());
        };
        let shape: Vec<i64> = products
            .kept
            .iter()
            .map(|dim| products.sizes[*dim] as i64)
            .collect();
        let result = Operand {
            vector: products.sums,
            map: products.kept.clone(),
            strides: row_major(&shape),
        };
        let operands = [
            (&products.left, left),
            (&products.right, right),
            (&result, sum),
        ];
        let mut bytes = 0;
        let offsets = operands.map(|(operand, kind)| {
            let start = bytes;
            let lanes = u64::from(self.code.lanes(operand.vector));
            bytes += (lanes * u64::from(kind.bytes())).next_multiple_of(STACK_ALIGNMENT.into());
            start
        });
        let Some(scratch) = self.low.scratch_bytes(bytes) else {
            return Ok(Vec::new());
        };
        let scratch = self.low.own_address(scratch) as u64;
        let mut stored = Vec::new();
        for ((operand, kind), offset) in operands.into_iter().zip(offsets) {
            // Not one of the function's constants: the model's program has no loops and would load it for nothing.
            let address = self.number(scratch + offset);
            let lanes = self.code.lanes(operand.vector);
            self.store_vector(kind, address, 0, operand.vector, lanes);
            let start = Address {
                offset: 0,
                scalar: Some(address),
            };
            let strides = operand.strides.iter();
            stored.push(Stored {
                memref: MemRef {
                    origin: Some(start),
                    start,
                    sizes: Vec::new(),
                    strides: strides.map(|stride| Num::Const(*stride as i64)).collect(),
                    elem_bytes: kind.bytes(),
                },
                kind,
                map: operand.map.clone(),
            });
        }
        if let [left, right, result] = &stored[..] {
            self.loops(op, products, [left, right, result])?;
            let address = result.memref.start.scalar;
            let address = address.ok_or(Reported)?;
            let loaded = self.load_vector(result.kind, address, 0, self.code.lanes(to));
            let loaded = self.vector(&loaded)?;
            let (to, from) = (MoveOperand::Vector(to), MoveOperand::Vector(loaded));
            self.code.moves(vec![(to, from)]);
        }
        Ok(self.code.nodes.split_off(first))
    }

    /// The loops over operands in memory, those of reduced dimensions innermost, with the sum in a register.
    fn loops(
        &mut self,
        op: Op,
        products: &Products,
        [left, right, result]: [&Stored; 3],
    ) -> Lowered<()> {
        let mut at = vec![Num::Const(0); products.sizes.len()];
        let mut open = Vec::new();
        for dim in &products.kept {
            self.open_loop(products.sizes[*dim], *dim, &mut at, &mut open);
        }
        let outer = open.len();
        let start = self.load_scalar(result.kind, &result.memref, &result.indices(&at))?;
        let sum = self.code.scalar();
        self.set_scalar(sum, start);
        for dim in &products.reduced {
            self.open_loop(products.sizes[*dim], *dim, &mut at, &mut open);
        }
        let l = self.load_scalar(left.kind, &left.memref, &left.indices(&at))?;
        let r = self.load_scalar(right.kind, &right.memref, &right.indices(&at))?;
        let [l, r, before] = [l, r, sum].map(Val::Scalar);
        let after = self.combined(op, products, None, [&l, &r, &before])?;
        let after = self.scalar(&after)?;
        self.set_scalar(sum, after);
        self.close_loops(open.split_off(outer));
        self.store_scalar(result.kind, &result.memref, &result.indices(&at), sum)?;
        self.close_loops(open);
        Ok(())
    }

    /// A number in a register of its own.
    fn number(&mut self, bits: u64) -> Scalar {
        let scalar = self.code.scalar();
        self.code.nodes.extend(load_constant(scalar, bits));
        scalar
    }

    fn set_scalar(&mut self, to: Scalar, from: Scalar) {
        let args = [Arg::Scalar(to), Arg::Scalar(from), Arg::None];
        self.code.op(Opcode::Mov, args, Imm::None);
    }

    /// Begins a loop over a dimension of some places; one of a single place needs none.
    fn open_loop(&mut self, size: u64, dim: usize, at: &mut [Num], open: &mut Vec<Open>) {
        if size == 1 {
            return;
        }
        let (counter, bound) = (self.number(0), self.number(size));
        let head = self.code.label();
        self.code.place(head);
        at[dim] = Num::Scalar(counter);
        open.push(Open {
            counter,
            bound,
            head,
        });
    }

    /// Ends loops, the last one first.
    fn close_loops(&mut self, open: Vec<Open>) {
        for of in open.into_iter().rev() {
            let args = [
                Arg::Scalar(of.counter),
                Arg::Number(1),
                Arg::Scalar(of.bound),
            ];
            self.code.branch(Opcode::Loopi, args, of.head);
        }
    }
}
