//! `aie-scf-to-control-flow`: structured control flow of cores and functions becomes branches between
//! blocks, as upstream's `convert-scf-to-cf` does; that of runtime sequences stays
//! (`mlir-aie: lib/Dialect/AIE/Transforms/AIEScfToControlFlow.cpp`).

use aiec_aie::ir::{Block, InsertPoint, Loc, Module, Op, Region, Type, Value};
use aiec_aie::ops::{ArithAddI, ArithCmpI, ArithConstant, CfBr, OpKind, ScfIndexSwitch};
use aiec_diag::Reported;

use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-scf-to-control-flow", run)
    .summary("Turn scf operations of cores and functions into branches")
    .postconditions(&["no scf operation is left in a core or function"]);

/// Predicates of `arith.cmpi`.
const EQUAL: i64 = 0;
const SIGNED_LESS: i64 = 2;
const UNSIGNED_LESS: i64 = 6;

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let programs = [OpKind::Core, OpKind::FuncFunc];
    let programs: Vec<Op> = programs
        .into_iter()
        .flat_map(|kind| module.find(device, kind))
        .collect();
    for program in programs {
        // From outside to inside: what is inside of one that is lowered gets blocks of its own.
        while let Some(op) = first_structured(module, program) {
            if Lowering::of(module, op)
                .and_then(|mut lowering| lowering.lower())
                .is_none()
            {
                break;
            }
            context.count("operations", 1);
        }
    }
    Ok(())
}

fn first_structured(m: &Module, program: Op) -> Option<Op> {
    m.walk(program).find(|op| {
        matches!(
            m.kind(*op),
            OpKind::ScfFor | OpKind::ScfIf | OpKind::ScfWhile | OpKind::ScfIndexSwitch
        ) || (m.kind(*op) == OpKind::ScfExecuteRegion
            && m.region(*op, 0)
                .is_some_and(|region| m.blocks_of(region).len() == 1))
    })
}

/// An operation on its way: what comes after it is in a block of its own.
struct Lowering<'m> {
    m: &'m mut Module,
    op: Op,
    loc: Loc,
    /// The block before and the region that gets the new blocks.
    block: Block,
    region: Region,
    /// The code after the operation, with the results as arguments.
    rest: Block,
}

impl<'m> Lowering<'m> {
    fn of(m: &'m mut Module, op: Op) -> Option<Lowering<'m>> {
        let block = m.parent_block(op)?;
        let region = m.block_region(block)?;
        let at = m.blocks_of(region).iter().position(|one| *one == block)?;
        let rest = m.insert_block(region, at + 1);
        let mut next = m.next_op(op);
        while let Some(one) = next {
            next = m.next_op(one);
            m.move_to(one, InsertPoint::End(rest));
        }
        for result in m.results(op) {
            let ty = m.ty(result).clone();
            let argument = m.add_block_arg(rest, ty);
            m.replace_all_uses(result, argument);
        }
        let loc = m.loc(op);
        Some(Lowering {
            m,
            op,
            loc,
            block,
            region,
            rest,
        })
    }

    fn lower(&mut self) -> Option<()> {
        match self.m.kind(self.op) {
            OpKind::ScfFor => self.counted_loop()?,
            OpKind::ScfIf => self.condition()?,
            OpKind::ScfWhile => self.while_loop()?,
            OpKind::ScfIndexSwitch => self.switch()?,
            _ => {
                let inside = self.branch_block(0)?;
                self.jump(self.block, inside, &[]);
            }
        }
        self.m.erase(self.op);
        Some(())
    }

    /// A block in front of what follows.
    fn new_block(&mut self) -> Option<Block> {
        let at = self
            .m
            .blocks_of(self.region)
            .iter()
            .position(|one| *one == self.rest)?;
        Some(self.m.insert_block(self.region, at))
    }

    fn jump(&mut self, from: Block, to: Block, values: &[Value]) {
        CfBr::build(self.m, self.loc)
            .operands(values.iter().copied())
            .successor(to)
            .insert(InsertPoint::End(from));
    }

    fn jump_if(
        &mut self,
        from: Block,
        condition: Value,
        yes: (Block, &[Value]),
        no: (Block, &[Value]),
    ) {
        self.m
            .build(OpKind::CfCondBr, self.loc)
            .operand_groups([&[condition], yes.1, no.1])
            .successor(yes.0)
            .successor(no.0)
            .insert(InsertPoint::End(from));
    }

    fn compare(&mut self, block: Block, predicate: i64, left: Value, right: Value) -> Value {
        ArithCmpI::build(self.m, self.loc, left, right, predicate)
            .insert_value(Type::I1, InsertPoint::End(block))
    }

    /// Goes on to a block that gets values as its arguments; the arguments.
    fn enter(&mut self, head: Block, values: &[Value]) -> Vec<Value> {
        self.jump(self.block, head, values);
        let arguments = values.iter().map(|value| {
            let ty = self.m.ty(*value).clone();
            self.m.add_block_arg(head, ty)
        });
        arguments.collect()
    }

    /// Moves the operations of a region's block to the end of another, its arguments being `values`;
    /// what its terminator passes on.
    fn take_body(&mut self, region: usize, to: Block, values: &[Value]) -> Option<Vec<Value>> {
        let body = self.m.entry(self.op, region)?;
        let arguments = self.m.block_args(body).to_vec();
        for (argument, value) in arguments.into_iter().zip(values) {
            self.m.replace_all_uses(argument, *value);
        }
        let mut passed = Vec::new();
        for op in self.m.ops_in(body) {
            match self.m.kind(op) {
                OpKind::ScfYield | OpKind::ScfCondition => {
                    passed = self.m.operands(op).collect();
                    self.m.erase(op);
                }
                _ => self.m.move_to(op, InsertPoint::End(to)),
            }
        }
        Some(passed)
    }

    /// A block with the body of a region that goes on after the operation.
    fn branch_block(&mut self, region: usize) -> Option<Block> {
        let block = self.new_block()?;
        let values = self.take_body(region, block, &[])?;
        let rest = self.rest;
        self.jump(block, rest, &values);
        Some(block)
    }

    fn counted_loop(&mut self) -> Option<()> {
        let operands: Vec<Value> = self.m.operands(self.op).collect();
        let [lower, upper, step, initial @ ..] = &operands[..] else {
            return None;
        };
        let predicate = if self.m.flag(self.op, "unsignedCmp") {
            UNSIGNED_LESS
        } else {
            SIGNED_LESS
        };
        let (head, body) = (self.new_block()?, self.new_block()?);
        let start = [&[*lower], initial].concat();
        let arguments = self.enter(head, &start);
        let (counter, carried) = arguments.split_first()?;
        let goes_on = self.compare(head, predicate, *counter, *upper);
        let rest = self.rest;
        self.jump_if(head, goes_on, (body, &[]), (rest, carried));
        let values = self.take_body(0, body, &arguments)?;
        let ty = self.m.ty(*counter).clone();
        let next = ArithAddI::build(self.m, self.loc, *counter, *step)
            .insert_value(ty, InsertPoint::End(body));
        let next = [&[next], &values[..]].concat();
        self.jump(body, head, &next);
        Some(())
    }

    fn condition(&mut self) -> Option<()> {
        let condition = self.m.operand(self.op, 0)?;
        let then = self.branch_block(0)?;
        let otherwise = match self.m.entry(self.op, 1) {
            Some(_) => self.branch_block(1)?,
            None => self.rest,
        };
        self.jump_if(self.block, condition, (then, &[]), (otherwise, &[]));
        Some(())
    }

    fn while_loop(&mut self) -> Option<()> {
        let initial: Vec<Value> = self.m.operands(self.op).collect();
        let (head, body) = (self.new_block()?, self.new_block()?);
        let arguments = self.enter(head, &initial);
        let passed = self.take_body(0, head, &arguments)?;
        let (condition, values) = passed.split_first()?;
        let rest = self.rest;
        self.jump_if(head, *condition, (body, &[]), (rest, values));
        let next = self.take_body(1, body, values)?;
        self.jump(body, head, &next);
        Some(())
    }

    /// One comparison after the other.
    fn switch(&mut self) -> Option<()> {
        let on = self.m.operand(self.op, 0)?;
        let mut at = self.block;
        let cases = ScfIndexSwitch(self.op).cases(self.m).into_iter();
        for (n, case) in cases.enumerate() {
            let end = InsertPoint::End(at);
            let constant = ArithConstant::int(self.m, self.loc, case, Type::Index, end);
            let same = self.compare(at, EQUAL, on, constant);
            let inside = self.branch_block(n + 1)?;
            let next = self.new_block()?;
            self.jump_if(at, same, (inside, &[]), (next, &[]));
            at = next;
        }
        let default = self.branch_block(0)?;
        self.jump(at, default, &[]);
        Some(())
    }
}
