//! Random core bodies with regions that yield and forward values, whether their own or those from
//! outside, checked against an interpreter of MLIR's definition of their operations.

mod draw;
mod float;
mod meaning;
mod text;

use std::sync::atomic::{AtomicU64, Ordering};

use aiec_vcode::FloatFormat;

use super::tile::{Tile, run_both};

/// Words of buffer `%a`, which a body loads and stores.
const MEMORY: usize = 16;
/// Words of buffer `%b`, which takes the values of the body at its end.
const RESULTS: usize = 512;
/// Bytes of the core's stack: bodies with many vectors that live at once must run as machine code too.
const STACK: usize = 0x8000;
/// Address of buffer `%a`.
const MEMORY_AT: usize = STACK;
/// Address of buffer `%b`.
const RESULTS_AT: usize = STACK + 0x400;

/// Type of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Element {
    /// An integer of 1 to 64 bits.
    Int(u32),
    /// `index`, 64 bits.
    Index,
    Float(FloatFormat),
}

impl Element {
    fn bits(self) -> u32 {
        match self {
            Element::Int(bits) => bits,
            Element::Index | Element::Float(FloatFormat::F64) => 64,
            Element::Float(FloatFormat::F32) => 32,
            Element::Float(_) => 16,
        }
    }
}

/// Type of a value: one lane, or a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Type {
    element: Element,
    lanes: Option<usize>,
}

/// A value, by its position in [`Program::types`].
type Id = usize;

/// An operation that computes one value of others.
#[derive(Clone, Debug)]
enum Operation {
    /// The bits of every lane in memory.
    Constant(u64),
    /// An operation of two operands of one type, by its name.
    Integer(&'static str),
    /// `arith.cmpi` with a predicate.
    CompareIntegers(&'static str),
    /// An operation of one or two operands of one type, by its name.
    Float(&'static str),
    /// `arith.cmpf` with a predicate.
    CompareFloats(&'static str),
    /// `arith.select`
    Select,
    /// A conversion, by its name.
    Convert(&'static str),
    /// `vector.broadcast`
    Broadcast,
    /// `vector.extract` of a lane.
    Extract(usize),
    /// `memref.load` of a word of the memory, by an index.
    Load,
    /// `vector.transfer_read` of words of the memory from an index on, which may reach beyond it, with padding.
    Read,
    /// A call of a function that takes a view of the memory from an offset on, and gives the word at an offset
    /// from the start of the memory.
    OfView { from: u64, at: u64 },
}

/// A step of a body.
#[derive(Clone, Debug)]
enum Step {
    Compute {
        result: Id,
        operation: Operation,
        operands: Vec<Id>,
    },
    /// `memref.store` of an i32 by an index.
    Store {
        value: Id,
        at: Id,
    },
    /// `vector.transfer_write` to the memory from an index on, which may reach beyond it.
    Write {
        value: Id,
        at: Id,
    },
    If {
        results: Vec<Id>,
        condition: Id,
        then: Block,
        /// Only one without results may be left out.
        otherwise: Option<Block>,
    },
    For {
        results: Vec<Id>,
        /// Lower and upper bound, step.
        range: [Id; 3],
        /// Whether it compares without sign.
        unsigned: bool,
        counter: Id,
        arguments: Vec<Id>,
        initial: Vec<Id>,
        body: Block,
    },
    While {
        results: Vec<Id>,
        arguments: Vec<Id>,
        initial: Vec<Id>,
        /// Yields the condition and what it forwards.
        before: Block,
        forwarded: Vec<Id>,
        after: Block,
    },
    Switch {
        results: Vec<Id>,
        on: Id,
        cases: Vec<(u64, Block)>,
        default: Block,
    },
    ExecuteRegion {
        results: Vec<Id>,
        body: Block,
    },
    Call {
        results: Vec<Id>,
        function: usize,
        operands: Vec<Id>,
    },
}

/// Steps, and the values that their terminator passes on.
#[derive(Clone, Debug, Default)]
struct Block {
    steps: Vec<Step>,
    yields: Vec<Id>,
}

/// A function that the body calls.
#[derive(Clone, Debug)]
struct Function {
    parameters: Vec<Id>,
    body: Block,
}

/// A core's body and its functions.
#[derive(Clone, Debug, Default)]
struct Program {
    types: Vec<Type>,
    functions: Vec<Function>,
    body: Block,
}

#[test]
fn random_programs_do_what_mlir_says() {
    let first = crate::seeds::first_seed();
    let count = crate::seeds::cases(600);
    let (forwarded, as_machine_code) = (AtomicU64::new(0), AtomicU64::new(0));
    let failures = crate::seeds::in_parallel(first..first + count, |seed| {
        let program = draw::program(seed);
        let memory = draw::memory(seed);
        let text = text::text(&program);
        let mut tile = Tile::default();
        tile.set_i32(MEMORY_AT, &memory);
        // Which NaN an operation gives is open in MLIR, so upstream's may differ.
        let (tile, has_all) = run_both(&text, tile);
        as_machine_code.fetch_add(u64::from(has_all), Ordering::Relaxed);
        let (memory, results) = meaning::run(&program, &memory);
        assert_eq!(
            tile.i32s(RESULTS_AT, results.len()),
            results,
            "seed {seed}\n{text}"
        );
        assert_eq!(tile.i32s(MEMORY_AT, MEMORY), memory, "seed {seed}\n{text}");
        let forwards = text.contains("scf.condition");
        forwarded.fetch_add(u64::from(forwards), Ordering::Relaxed);
        Ok(())
    });
    assert!(failures.is_empty(), "{failures:?}");
    assert!(forwarded.into_inner() > count / 4);
    // Few are too large for program memory.
    assert!(as_machine_code.into_inner() > count * 9 / 10);
}
