//! Reads a sequence of register writes into statements.

use std::ops::RangeInclusive;

use aiec_aie::ir::{Block, Module, Op, Type, Value};
use aiec_aie::ops::netlist::{const_int, message_of_requirement};
use aiec_aie::ops::{
    ArithCmpI, Device, DmaBd, DmaBdPoolPop, NpuAddressPatch, NpuAssertBdDivisible,
    NpuAssertBdField, OpKind, OpView, RuntimeSequence, ScfFor,
};
use aiec_device::regmap::RegisterRef;
use aiec_device::{DeviceModel, TileLoc};
use aiec_diag::{Diag, Diags, Reported, internal};
use aiec_npu::txn::{HEADER_BYTES, Header, Operation, OperationRow, Transaction};
use aiec_npu::words;
use aiec_passes::analysis::budget::{dma_containers, tile_of_op};
use aiec_passes::mlir_aie_compat::npu_read::RegisterOpReader;
use rustc_hash::FxHashMap;

use super::{
    ADD, Branch, Computation, NOT_A_FUNCTION, Number, OR, Parameter, Pool, ProgramWord, REMAINDER,
    SequenceProgram, Statement, ValueId, WordField, divides, function_name, notation,
    unused::remove_unused,
};
use crate::npu::operations;

/// Bits of an index, and of the numbers of a function.
const INDEX_BITS: u32 = 64;
/// Bytes of a word, and bits.
const WORD_BYTES: usize = 4;
const WORD_BITS: u32 = 32;
/// Predicates of `arith.cmpi`.
const PREDICATES: RangeInclusive<i64> = 0..=9;
/// `arith.cmpi`: equal, not equal, less or equal without sign, above with sign
/// (`mlir: include/mlir/Dialect/Arith/IR/ArithBase.td`).
const EQUAL: i64 = 0;
const NOT_EQUAL: i64 = 1;
const SIGNED_ABOVE: i64 = 4;
const UNSIGNED_AT_MOST: i64 = 7;
const UNSIGNED_ABOVE: i64 = 8;

/// A field of an operation that is known when the function runs.
struct RunTimeField {
    name: &'static str,
    number: Number,
    /// These bits of it.
    mask: u64,
}

pub(super) struct SequenceReader<'a> {
    module: &'a Module,
    device: Device,
    model: &'static DeviceModel,
    registers: RegisterOpReader<'a>,
    header: Header,
    folds: bool,
    values: FxHashMap<Value, Number>,
    count: usize,
    pools: Vec<Pool>,
    /// Descriptors that the sequence writes by their numbers.
    written: Vec<(TileLoc, u8)>,
    statements: Vec<Statement>,
}

impl<'a> SequenceReader<'a> {
    /// A reader of the sequences of a device; `None` if the device isn't known.
    pub fn new(
        module: &'a Module,
        device: Device,
        header: Header,
        folds: bool,
        diags: &'a mut Diags,
    ) -> Option<SequenceReader<'a>> {
        let registers = RegisterOpReader::new(module, device.op(), diags)?;
        Some(SequenceReader {
            module,
            device,
            model: device.model(module)?,
            registers,
            header,
            folds,
            values: FxHashMap::default(),
            count: 0,
            pools: Vec::new(),
            written: Vec::new(),
            statements: Vec::new(),
        })
    }

    /// The function of a sequence.
    ///
    /// # Errors
    /// Operations without a form in it, all reported.
    pub fn read(&mut self, sequence: RuntimeSequence) -> Result<SequenceProgram, Reported> {
        let module = self.module;
        let entry = module.entry(sequence.op(), 0);
        let mut parameters = Vec::new();
        let arguments = entry.map_or(&[][..], |entry| module.block_args(entry));
        for (argument, value) in arguments.iter().enumerate() {
            let ty = module.ty(*value);
            if ty.as_memref().is_some() {
                continue;
            }
            let bits = integer_bits(ty);
            let value = bits.map(|_| self.define(*value));
            parameters.push(Parameter {
                argument,
                bits,
                value,
            });
        }
        if let Some(entry) = entry {
            self.block(entry)?;
        }
        let mut statements = std::mem::take(&mut self.statements);
        let used = remove_unused(&mut statements);
        let written = std::mem::take(&mut self.written);
        let mut pools = std::mem::take(&mut self.pools);
        for pool in &mut pools {
            let is_written = |bd: &u8| written.contains(&(pool.tile, *bd));
            pool.free.retain(|bd| !is_written(bd));
        }
        Ok(SequenceProgram {
            name: function_name(module, self.device, sequence),
            header: self.header,
            parameters,
            pools,
            statements,
            used,
        })
    }

    fn fail<T>(&mut self, op: Op, message: String, help: &str) -> Result<T, Reported> {
        let diag = Diag::error(&NOT_A_FUNCTION, message)
            .label(self.module.span(op), "here")
            .help(help.to_string());
        Err(self.registers.diags().fail(diag))
    }

    fn fresh(&mut self) -> ValueId {
        self.count += 1;
        self.count - 1
    }

    fn define(&mut self, value: Value) -> ValueId {
        let id = self.fresh();
        self.values.insert(value, Number::Value(id));
        id
    }

    fn set(&mut self, computation: Computation) -> Number {
        let id = self.fresh();
        self.statements.push(Statement::Set(id, computation));
        Number::Value(id)
    }

    /// The operations of a block, each of which is tried; returns what its terminator gives.
    fn block(&mut self, block: Block) -> Result<Vec<Number>, Reported> {
        let mut result = Ok(Vec::new());
        for op in self.module.ops_in(block) {
            match self.op(op) {
                Ok(Some(values)) => result = result.map(|_| values),
                Ok(None) => {}
                Err(Reported) => result = Err(Reported),
            }
        }
        result
    }

    /// A block as a branch of its own.
    fn branch(&mut self, block: Option<Block>) -> Result<Branch, Reported> {
        let outer = std::mem::take(&mut self.statements);
        let values = block.map_or(Ok(Vec::new()), |block| self.block(block));
        let statements = std::mem::replace(&mut self.statements, outer);
        Ok(Branch {
            values: values?,
            statements,
        })
    }

    /// An integer that an operation uses.
    fn number(&mut self, op: Op, value: Value) -> Result<Number, Reported> {
        if let Some(number) = self.values.get(&value) {
            return Ok(*number);
        }
        let bits = integer_bits(self.module.ty(value));
        match const_int(self.module, value).zip(bits) {
            Some((n, bits)) => Ok(Number::Known(low(n as u64, bits))),
            None => {
                let message = "this uses a number that the host can't compute".to_string();
                self.fail(op, message, "use integers of at most 64 bits")
            }
        }
    }

    fn operand(&mut self, op: Op, n: usize) -> Result<Number, Reported> {
        match self.module.operand(op, n) {
            Some(value) => self.number(op, value),
            None => self.fail(
                op,
                format!("operand {n} is missing"),
                "give it all operands",
            ),
        }
    }

    /// Reads an operation; a terminator gives its values.
    fn op(&mut self, op: Op) -> Result<Option<Vec<Number>>, Reported> {
        use OpKind as K;
        let module = self.module;
        match module.kind(op) {
            K::ArithConstant | K::IndexConstant | K::MemrefGetGlobal | K::End => {}
            K::ScfYield => {
                let values: Vec<Value> = module.operands(op).collect();
                let numbers = values.into_iter().map(|value| self.number(op, value));
                return numbers.collect::<Result<_, _>>().map(Some);
            }
            K::ScfFor => self.scf_for(op)?,
            K::ScfIf => self.scf_if(op)?,
            K::CfAssert | K::NpuRequire => {
                let condition = self.operand(op, 0)?;
                let message = message_of_requirement(module, op).to_string();
                self.statements.push(Statement::Require(condition, message));
            }
            K::NpuAssertBdField => {
                let (n, max) = (self.operand(op, 0)?, NpuAssertBdField(op).max(module));
                let max = Number::Known(low(i64::from(max) as u64, WORD_BITS));
                let fits = self.set(Computation::Compare(UNSIGNED_AT_MOST, n, max, INDEX_BITS));
                let message = "a number doesn't fit its field of a buffer descriptor".to_string();
                self.statements.push(Statement::Require(fits, message));
            }
            K::NpuAssertBdDivisible => self.assert_divides(op)?,
            K::DmaBdPoolPop => {
                let pool = self.pool(op)?;
                let result = module.result(op, 0).map(|value| self.define(value));
                let id = result.unwrap_or_else(|| self.fresh());
                self.statements.push(Statement::Pop(pool, id));
            }
            K::DmaBdPoolPush => {
                let pool = self.pool(op)?;
                let id = self.operand(op, 0)?;
                self.statements.push(Statement::Push(pool, id));
            }
            kind if module.num_results(op) == 1 => self.compute(op, kind)?,
            _ => self.append(op)?,
        }
        Ok(None)
    }

    fn assert_divides(&mut self, op: Op) -> Result<(), Reported> {
        let view = NpuAssertBdDivisible(op);
        let n = self.operand(op, 0)?;
        let divisor = view.divisor(self.module).max(1) as u64;
        let binary = |notation, a, b| Computation::Binary(notation, a, b, INDEX_BITS);
        let rest = self.set(binary(REMAINDER, n, Number::Known(divisor)));
        let zero = Number::Known(0);
        let mut holds = self.set(Computation::Compare(EQUAL, rest, zero, INDEX_BITS));
        if view.allow_unit(self.module) == Some(true) {
            let one = Number::Known(1);
            let is_unit = self.set(Computation::Compare(EQUAL, n, one, INDEX_BITS));
            holds = self.set(binary(OR, holds, is_unit));
        }
        let message = format!("a size or stride isn't a multiple of {divisor}");
        self.statements.push(Statement::Require(holds, message));
        Ok(())
    }

    /// The pool of a part of a tile's descriptors, of all without one.
    fn pool(&mut self, op: Op) -> Result<usize, Reported> {
        let (module, named) = (self.module, DmaBdPoolPop(op));
        let (column, row) = (named.column(module), named.row(module));
        let (begin, end) = (named.partition_begin(module), named.partition_end(module));
        let place = u8::try_from(column).ok().zip(u8::try_from(row).ok());
        let tile = place.map(|(column, row)| TileLoc::new(column, row));
        let bds = tile.and_then(|tile| Some((tile, self.model.tile(tile)?.dma.as_ref()?.bds)));
        let Some((tile, bds)) = bds else {
            let message = format!("tile ({column}, {row}) has no buffer descriptors");
            return self.fail(op, message, "name a tile with a DMA");
        };
        let bound = |n: Option<i32>, default| n.map_or(Some(default), |n| u8::try_from(n).ok());
        let part = bound(begin, 0).zip(bound(end, bds));
        let Some((begin, end)) = part.filter(|(begin, end)| begin < end && *end <= bds) else {
            let message =
                format!("this isn't a part of the {bds} buffer descriptors of tile {tile}");
            return self.fail(
                op,
                message,
                "write the first number and the one after the last",
            );
        };
        let part = begin..end;
        let mut here = self
            .pools
            .iter()
            .enumerate()
            .filter(|(_, pool)| pool.tile == tile);
        if let Some((known, _)) = here.clone().find(|(_, pool)| pool.part == part) {
            return Ok(known);
        }
        let overlaps = |pool: &Pool| pool.part.start < part.end && part.start < pool.part.end;
        if let Some((_, other)) = here.find(|(_, pool)| overlaps(pool)) {
            let message = format!(
                "two pools of tile {tile} have numbers in common: {} to {} and {begin} to {}",
                other.part.start,
                other.part.end - 1,
                end - 1
            );
            let help = "draw from one pool, or from parts without numbers in common";
            return self.fail(op, message, help);
        }
        let taken = self.programmed_bds(tile);
        let free = part.clone().filter(|bd| !taken.contains(bd)).collect();
        self.pools.push(Pool { tile, part, free });
        Ok(self.pools.len() - 1)
    }

    /// Descriptors of a tile that the netlist's programs have.
    fn programmed_bds(&self, tile: TileLoc) -> Vec<u8> {
        let module = self.module;
        let programs = dma_containers(module, self.device.op()).into_iter();
        let here = programs.filter(|program| tile_of_op(module, *program) == Some(tile));
        let bds = here.flat_map(|program| module.find_all::<DmaBd>(program));
        let numbers = bds.filter_map(|bd| u8::try_from(bd.bd_id(module)?).ok());
        numbers.collect()
    }

    /// A descriptor that the sequence writes by its number isn't one of a pool.
    fn note_written(&mut self, operation: &Operation) {
        let register = match operation {
            Operation::Write { register, .. }
            | Operation::MaskWrite { register, .. }
            | Operation::BlockWrite { register, .. } => *register,
            _ => return,
        };
        if let Some((tile, RegisterRef::BdWord { bd, .. })) = self.model.register_at(register) {
            self.written.push((tile, bd));
        }
    }

    fn scf_for(&mut self, op: Op) -> Result<(), Reported> {
        let module = self.module;
        let (from, until, step) = (
            self.operand(op, 0)?,
            self.operand(op, 1)?,
            self.operand(op, 2)?,
        );
        let bits = module.operand(op, 0);
        let bits = bits.and_then(|value| integer_bits(module.ty(value)));
        let bits = bits.unwrap_or(INDEX_BITS);
        let is_signed = ScfFor(op).unsignedCmp(module) != Some(true);
        if !matches!(step, Number::Known(_)) {
            let predicate = if is_signed {
                SIGNED_ABOVE
            } else {
                UNSIGNED_ABOVE
            };
            let is_above = Computation::Compare(predicate, step, Number::Known(0), bits);
            let is_above = self.set(is_above);
            let message = "the step of a loop isn't above 0".to_string();
            self.statements.push(Statement::Require(is_above, message));
        }
        let entry = module.entry(op, 0);
        let arguments = entry.map_or(&[][..], |entry| module.block_args(entry));
        let Some((index, others)) = arguments.split_first() else {
            return self.fail(op, "this loop has no variable".to_string(), "give it one");
        };
        let index = self.define(*index);
        let mut carried = Vec::new();
        for (n, value) in others.iter().enumerate() {
            let start = self.operand(op, 3 + n)?;
            let id = self.define(*value);
            carried.push((id, start));
            // After the loop the same variable holds the last value.
            if let Some(result) = module.result(op, n) {
                self.values.insert(result, Number::Value(id));
            }
        }
        let body = self.branch(entry)?;
        self.statements.push(Statement::For {
            index,
            bits,
            is_signed,
            from,
            until,
            step,
            carried,
            body,
        });
        Ok(())
    }

    fn scf_if(&mut self, op: Op) -> Result<(), Reported> {
        let condition = self.operand(op, 0)?;
        let then = self.branch(self.module.entry(op, 0))?;
        let otherwise = self.branch(self.module.entry(op, 1))?;
        let results = self.module.results(op);
        let results = results.map(|value| self.define(value)).collect();
        self.statements.push(Statement::If {
            condition,
            then,
            otherwise,
            results,
        });
        Ok(())
    }

    /// Arithmetic on integers.
    fn compute(&mut self, op: Op, kind: OpKind) -> Result<(), Reported> {
        use OpKind as K;
        let module = self.module;
        let result = module.result(op, 0);
        let to = result.and_then(|value| integer_bits(module.ty(value)));
        let from = module.operand(op, 0);
        let from = from.and_then(|value| integer_bits(module.ty(value)));
        let (Some(result), Some(to), Some(from)) = (result, to, from) else {
            let message = format!("the host can't compute `{}`", module.op_name(op));
            return self.fail(op, message, "use integers of at most 64 bits");
        };
        if let Some(notation) = notation(kind) {
            let (a, b) = (self.operand(op, 0)?, self.operand(op, 1)?);
            let is_safe = matches!(b, Number::Known(n) if n != 0) || !divides(kind);
            if !is_safe {
                let is_other = Computation::Compare(NOT_EQUAL, b, Number::Known(0), to);
                let is_other = self.set(is_other);
                let message = "a division by 0".to_string();
                self.statements.push(Statement::Require(is_other, message));
            }
            let number = self.set(Computation::Binary(notation, a, b, to));
            self.values.insert(result, number);
            return Ok(());
        }
        let number = match kind {
            K::ArithCmpI => {
                let (a, b) = (self.operand(op, 0)?, self.operand(op, 1)?);
                let predicate = ArithCmpI(op).predicate(module);
                if !PREDICATES.contains(&predicate) {
                    let message = format!("`arith.cmpi` has no predicate {predicate}");
                    return self.fail(op, message, "use one of 0 to 9");
                }
                self.set(Computation::Compare(predicate, a, b, from))
            }
            K::ArithSelect => {
                let condition = self.operand(op, 0)?;
                let (yes, no) = (self.operand(op, 1)?, self.operand(op, 2)?);
                self.set(Computation::Select(condition, yes, no))
            }
            K::ArithExtSI | K::ArithIndexCast if from < to => {
                let n = self.operand(op, 0)?;
                self.set(Computation::Signed(n, from, to))
            }
            K::ArithExtUI | K::ArithIndexCastUI if from <= to => self.operand(op, 0)?,
            K::ArithTruncI | K::ArithIndexCast | K::ArithIndexCastUI => {
                let n = self.operand(op, 0)?;
                if from <= to {
                    n
                } else {
                    self.require_fits(n, from, to);
                    self.set(Computation::Low(n, to))
                }
            }
            _ => {
                let message = format!("the host can't compute `{}`", module.op_name(op));
                return self.fail(op, message, "use arithmetic of `arith` on integers");
            }
        };
        self.values.insert(result, number);
        Ok(())
    }

    /// Refuses a number of the host that loses bits on its way into a word of the array: MLIR drops them, but no transaction for
    /// such a number does what it says.
    fn require_fits(&mut self, n: Number, from: u32, to: u32) {
        if to != WORD_BITS || matches!(n, Number::Known(_)) {
            return;
        }
        let low = self.set(Computation::Low(n, to));
        let extended = self.set(Computation::Signed(low, to, from));
        let is_unsigned = self.set(Computation::Compare(EQUAL, low, n, from));
        let is_signed = self.set(Computation::Compare(EQUAL, extended, n, from));
        let both = Computation::Binary(OR, is_unsigned, is_signed, INDEX_BITS);
        let fits = self.set(both);
        let message = format!("a number doesn't fit {to} bits");
        self.statements.push(Statement::Require(fits, message));
    }

    /// An operation of the transaction.
    fn append(&mut self, op: Op) -> Result<(), Reported> {
        let module = self.module;
        let numbers = matches!(
            module.kind(op),
            OpKind::NpuWrite32
                | OpKind::NpuMaskWrite32
                | OpKind::NpuMaskPoll
                | OpKind::NpuSync
                | OpKind::NpuAddressPatch
        );
        let is_known = |value: Value| const_int(module, value).is_some();
        if numbers && !module.operands(op).all(is_known) {
            return self.append_computed(op);
        }
        let Some(action) = self.registers.action(op)? else {
            return Ok(());
        };
        match operations(self.model, &action) {
            Ok(list) => list.into_iter().for_each(|operation| {
                self.note_written(&operation);
                let words = self.words(operation);
                self.statements.push(Statement::Append(words));
            }),
            Err(reason) => {
                let diag = internal!("{reason:?} was read from an operation");
                return Err(self.registers.diags().fail(diag));
            }
        }
        Ok(())
    }

    /// An operation with numbers that are known when the function runs.
    fn append_computed(&mut self, op: Op) -> Result<(), Reported> {
        let module = self.module;
        let all = u64::from(u32::MAX);
        let field = |name, number| RunTimeField {
            name,
            number,
            mask: all,
        };
        let (operation, fields) = match module.kind(op) {
            OpKind::NpuWrite32 => {
                let (register, address) = self.address(op)?;
                let operation = Operation::Write { register, value: 0 };
                (
                    operation,
                    vec![address, field("value", self.operand(op, 1)?)],
                )
            }
            kind @ (OpKind::NpuMaskWrite32 | OpKind::NpuMaskPoll) => {
                let (register, address) = self.address(op)?;
                let (value, mask) = (0, 0);
                let operation = if kind == OpKind::NpuMaskPoll {
                    Operation::MaskPoll {
                        register,
                        value,
                        mask,
                    }
                } else {
                    Operation::MaskWrite {
                        register,
                        value,
                        mask,
                    }
                };
                let value = field("value", self.operand(op, 1)?);
                (
                    operation,
                    vec![address, value, field("mask", self.operand(op, 2)?)],
                )
            }
            OpKind::NpuSync => {
                let names = ["column", "row", "direction", "channel", "columns", "rows"];
                let mut fields = Vec::new();
                for (n, name) in names.into_iter().enumerate() {
                    fields.push(RunTimeField {
                        name,
                        number: self.operand(op, n)?,
                        mask: u64::from(u8::MAX),
                    });
                }
                let operation = Operation::WaitTct {
                    direction: 0,
                    row: 0,
                    column: 0,
                    rows: 0,
                    columns: 0,
                    channel: 0,
                };
                (operation, fields)
            }
            _ => self.address_patch(op)?,
        };
        let mut words = self.words(operation.clone());
        for field in fields {
            if self.put(&mut words, &operation, &field).is_none() {
                let diag = internal!("an operation has no field `{}`", field.name);
                return Err(self.registers.diags().fail(diag));
            }
        }
        self.statements.push(Statement::Append(words));
        Ok(())
    }

    /// The address of a register: bits that are known, and the field of the others.
    fn address(&mut self, op: Op) -> Result<(u32, RunTimeField), Reported> {
        let known = self.registers.whole(op, 0)?;
        // Where a tile is named, the address is an offset in it.
        let others = self.registers.whole(op, u32::MAX)? ^ known;
        let number = self.operand(op, 0)?;
        if let Number::Known(n) = number {
            let register = known | n as u32 & others;
            self.note_written(&Operation::Write { register, value: 0 });
        }
        let address = RunTimeField {
            name: "register",
            number,
            mask: others.into(),
        };
        Ok((known, address))
    }

    fn address_patch(&mut self, op: Op) -> Result<(Operation, Vec<RunTimeField>), Reported> {
        let module = self.module;
        let view = NpuAddressPatch(op);
        let has_address = !module.operand_group(op, "addr_val").is_empty();
        let argument = view.arg_idx(module) as u32;
        let mut fields = Vec::new();
        let mut register = 0;
        if has_address {
            fields.push(RunTimeField {
                name: "register",
                number: self.operand(op, 0)?,
                mask: u32::MAX.into(),
            });
        } else {
            register = view.addr(module);
        }
        let empty = Operation::DdrPatch {
            register,
            argument,
            plus: 0,
        };
        // The offset of host memory, where the firmware doesn't add it.
        let mut offset = 0;
        if self.folds {
            let folded = Transaction::new(self.header, [empty.clone()]).folded();
            if let Some(Operation::DdrPatch { plus, .. }) =
                folded.operations.first().map(|first| &first.operation)
            {
                offset = *plus;
            }
        }
        let plus = match module.num_operands(op).checked_sub(1) {
            Some(n) if n > 0 || !has_address => self.operand(op, n)?,
            _ => Number::Known(0),
        };
        let plus = match plus {
            plus if offset == 0 => plus,
            plus => self.set(Computation::Binary(
                ADD,
                plus,
                Number::Known(offset),
                INDEX_BITS,
            )),
        };
        fields.push(RunTimeField {
            name: "plus",
            number: plus,
            mask: u64::MAX,
        });
        Ok((empty, fields))
    }

    /// The words of an operation.
    fn words(&self, operation: Operation) -> Vec<ProgramWord> {
        let mut transaction = Transaction::new(self.header, [operation]);
        if self.folds {
            transaction = transaction.folded();
        }
        let known = words(&transaction.write()[HEADER_BYTES..]);
        let word = |known| ProgramWord {
            known,
            fields: Vec::new(),
        };
        known.into_iter().map(word).collect()
    }

    /// Puts a number into a field of an operation's words; `None` if it has no such field.
    fn put(
        &self,
        words: &mut [ProgramWord],
        operation: &Operation,
        field: &RunTimeField,
    ) -> Option<()> {
        let row = OperationRow::of_operation(operation)?;
        let at = row.fields.iter().position(|name| *name == field.name)?;
        let layout = if self.header.is_short() {
            &row.short
        } else {
            &row.long
        };
        let place = layout.fields.get(at)?;
        let bits = 8 * place.width as u32;
        // A field of 64 bits lies in two words.
        for half in 0..bits.div_ceil(WORD_BITS) {
            let word = words.get_mut(place.at / WORD_BYTES + half as usize)?;
            let right = half * WORD_BITS;
            let width = (bits - right).min(WORD_BITS);
            let mask = low(field.mask >> right, width) as u32;
            if mask == 0 {
                continue;
            }
            let left = 8 * (place.at % WORD_BYTES) as u32;
            match field.number {
                Number::Known(n) => {
                    let kept = !(mask << left);
                    word.known = word.known & kept | ((n >> right) as u32 & mask) << left;
                }
                Number::Value(value) => {
                    word.known &= !(mask << left);
                    word.fields.push(WordField {
                        value,
                        right,
                        mask,
                        left,
                    });
                }
            }
        }
        Some(())
    }
}

/// The lowest bits of a number.
fn low(n: u64, bits: u32) -> u64 {
    match bits {
        64.. => n,
        bits => n & ((1 << bits) - 1),
    }
}

/// Bits of an integer or index of at most 64.
fn integer_bits(ty: &Type) -> Option<u32> {
    let is_integer = *ty == Type::Index || ty.is_int();
    ty.bit_width()
        .filter(|bits| is_integer && *bits <= INDEX_BITS)
}
