//! Runtime sequences as functions of the host, which write the transaction for the values of scalar arguments: `aiec translate
//! --aie-npu-to-cpp` and `--aie-npu-to-python`, and `--emit=sequence-cpp` and `sequence-python` of designs.
//!
//! A sequence of register writes, with arithmetic, loops and branches between them, is read into statements ([`reader`]); [`text`] writes
//! these in a language. The words of an operation come from the same table as those of a transaction that is known now, so that the function's
//! result for constants is that transaction, byte for byte.
//!
//! A function is called `generate_txn_DEVICE_SEQUENCE`, takes the scalar arguments, and returns nothing for values that some field can't
//! hold (`mlir-aie: lib/Conversion/AIEXToEmitC`, whose functions are called so). The functions of numbers that it calls come before it: no header, no package.

mod reader;
mod text;
mod unused;

use aiec_aie::ir::Module;
use aiec_aie::ops::{Device, OpKind, OpView, RuntimeSequence};
use aiec_device::TileLoc;
use aiec_diag::{Diag, Diags, Reported, codes, internal};
use aiec_npu::txn::Header;
use aiec_passes::infra::manager::{PassStep, run};
use aiec_passes::pipelines::{TO_REGISTER_WRITES, find_pass};
use rustc_hash::FxHashSet;

use crate::npu::{NpuOptions, firmware_model};
use reader::SequenceReader;
pub use text::Language;

codes! {
    /// Codes of sequences as functions.
    pub static CODES;
    NOT_A_FUNCTION = "sequence-program::unsupported",
        "A function of the host writes a transaction: register writes, waits and address patches, with arithmetic on integers, \
         `scf.for`, `scf.if` and `cf.assert` between them. Transfers and tasks are lowered to register writes first (`aiec opt \
         --aie-dma-tasks-to-npu --aie-dma-to-npu`); what devices or memories hold isn't known to the host.";
    NO_SEQUENCE = "sequence-program::no-sequence",
        "A function is made of each runtime sequence of the chosen device. There is none.";
}

/// A value of a function: a number of some bits, held in 64 whose others are 0.
type ValueId = usize;

/// A number that is known now or when the function runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    /// The bits of a constant.
    Known(u64),
    /// A value of the function.
    Value(ValueId),
}

/// A field of a word whose value is known when the function runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WordField {
    value: ValueId,
    /// The number is shifted to the right first, for the upper word of one of 64 bits.
    right: u32,
    /// These bits of it.
    mask: u32,
    /// Their place in the word.
    left: u32,
}

/// A word of a transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ProgramWord {
    /// Bits that are known now.
    known: u32,
    fields: Vec<WordField>,
}

/// How a binary operation is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notation {
    /// As a sign between its operands, which keeps to their bits.
    Sign(&'static str),
    /// As a call of a function of numbers, with the bits.
    Function(&'static str),
}

macro_rules! binary_operations {
    ($($kind:ident $notation:ident $text:literal;)*) => {
        /// Binary operations of `arith` on integers, with their notation in functions.
        fn notation(kind: OpKind) -> Option<Notation> {
            Some(match kind {
                $(OpKind::$kind => Notation::$notation($text),)*
                _ => return None,
            })
        }
    };
}

binary_operations! {
    ArithAddI Function "add";
    ArithSubI Function "sub";
    ArithMulI Function "mul";
    ArithDivSI Function "divs";
    ArithDivUI Function "divu";
    ArithCeilDivSI Function "ceildivs";
    ArithCeilDivUI Function "ceildivu";
    ArithFloorDivSI Function "floordivs";
    ArithRemSI Function "rems";
    ArithRemUI Function "remu";
    ArithAndI Sign "&";
    ArithOrI Sign "|";
    ArithXOrI Sign "^";
    ArithShLI Function "shl";
    ArithShRSI Function "shrs";
    ArithShRUI Function "shru";
    ArithMinSI Function "mins";
    ArithMinUI Function "minu";
    ArithMaxSI Function "maxs";
    ArithMaxUI Function "maxu";
}

const ADD: Notation = Notation::Function("add");
const REMAINDER: Notation = Notation::Function("remu");
const OR: Notation = Notation::Sign("|");

/// Whether an operation has no result for a second operand of 0.
fn divides(kind: OpKind) -> bool {
    use OpKind as K;
    matches!(
        kind,
        K::ArithDivSI
            | K::ArithDivUI
            | K::ArithCeilDivSI
            | K::ArithCeilDivUI
            | K::ArithFloorDivSI
            | K::ArithRemSI
            | K::ArithRemUI
    )
}

/// How a value comes about. Operands and results have `bits` bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Computation {
    /// A binary operation on integers.
    Binary(Notation, Number, Number, u32),
    /// `arith.cmpi` with a predicate of its enumeration.
    Compare(i64, Number, Number, u32),
    /// The second number if the first is 1, else the third.
    Select(Number, Number, Number),
    /// A number of `from` bits with its sign, in `to` bits.
    Signed(Number, u32, u32),
    /// The lowest bits of a number.
    Low(Number, u32),
}

/// A part of a function that ends with some values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Branch {
    statements: Vec<Statement>,
    values: Vec<Number>,
}

/// A statement of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Statement {
    /// Computes a value.
    Set(ValueId, Computation),
    /// Appends an operation.
    Append(Vec<ProgramWord>),
    /// Refuses to go on unless a number is 1.
    Require(Number, String),
    /// Takes a number of a buffer descriptor from a pool.
    Pop(usize, ValueId),
    /// Gives it back.
    Push(usize, Number),
    /// Runs the body while `index` goes from `from` to `until` in steps. Carried values start as the second, and become what the body ends with.
    For {
        index: ValueId,
        bits: u32,
        is_signed: bool,
        from: Number,
        until: Number,
        step: Number,
        carried: Vec<(ValueId, Number)>,
        body: Branch,
    },
    /// Runs one of two branches, whose values become the results.
    If {
        condition: Number,
        then: Branch,
        otherwise: Branch,
        results: Vec<ValueId>,
    },
}

/// A scalar argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Parameter {
    /// Its number among all arguments of the sequence.
    argument: usize,
    /// Bits of an integer; `None` for other scalars, which nothing may use.
    bits: Option<u32>,
    /// Its value; `None` where it isn't an integer.
    value: Option<ValueId>,
}

/// A pool of descriptors of a tile.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pool {
    tile: TileLoc,
    /// The numbers that it is for; those that others have aren't free.
    part: std::ops::Range<u8>,
    /// Numbers that it gives out, the lowest first.
    free: Vec<u8>,
}

/// A sequence as a function.
struct SequenceProgram {
    name: String,
    /// The header of its transaction, without count and size.
    header: Header,
    parameters: Vec<Parameter>,
    pools: Vec<Pool>,
    statements: Vec<Statement>,
    /// Values that something uses.
    used: FxHashSet<ValueId>,
}

/// Options of functions.
#[derive(Clone, Copy, Debug)]
pub struct SequenceProgramOptions<'a> {
    /// The device; all without it.
    pub device: Option<&'a str>,
    /// The runtime sequence; all without it.
    pub sequence: Option<&'a str>,
    /// Whether patches of arguments that the firmware doesn't translate get the offset of host memory.
    pub fold_host_offset: bool,
}

/// Name of the function of a sequence: only letters, digits and underscores, which names of functions may have.
pub fn function_name(module: &Module, device: Device, sequence: RuntimeSequence) -> String {
    let name = format!(
        "generate_txn_{}_{}",
        device.name(module),
        sequence.name(module)
    );
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    name.chars().map(letter).collect()
}

/// Writes functions for the sequences of register writes of a module.
///
/// # Errors
/// No sequence is as the options say, or an operation of one can't be in a function.
pub fn emit(
    module: &Module,
    language: Language,
    options: &SequenceProgramOptions<'_>,
    diags: &mut Diags,
) -> Result<Vec<u8>, Reported> {
    let mut programs = Vec::new();
    for device in module.children::<Device>(module.top()) {
        let name = device.name(module);
        if options.device.is_some_and(|wanted| wanted != name) {
            continue;
        }
        for sequence in module.children::<RuntimeSequence>(device.op()) {
            let symbol = sequence.name(module);
            if options.sequence.is_some_and(|wanted| wanted != symbol) {
                continue;
            }
            programs.extend(program(module, device, sequence, options, diags));
        }
    }
    diags.check()?;
    if programs.is_empty() {
        let diag = Diag::error(&NO_SEQUENCE, "there is no such runtime sequence")
            .label(module.span(module.top()), "in this design")
            .help("write one, or name another with --device-name and --sequence");
        return Err(diags.fail(diag));
    }
    Ok(text::write(&programs, language).into_bytes())
}

/// The function of a sequence; findings are in `diags`.
fn program(
    module: &Module,
    device: Device,
    sequence: RuntimeSequence,
    options: &SequenceProgramOptions<'_>,
    diags: &mut Diags,
) -> Option<SequenceProgram> {
    let (model, generation) = firmware_model(module, device, diags).ok()?;
    let header = Header::new(generation, model.columns());
    let mut reader = SequenceReader::new(module, device, header, options.fold_host_offset, diags)?;
    reader.read(sequence).ok()
}

/// The same for a design after the passes of a compilation: its transfers and tasks become register writes first.
///
/// # Errors
/// As [`emit`], and those of these passes.
fn of_design(
    module: &Module,
    language: Language,
    options: &NpuOptions,
    diags: &mut Diags,
) -> Result<Vec<u8>, Reported> {
    let mut lowered = module.clone();
    let steps = TO_REGISTER_WRITES.iter().map(|name| {
        let pass = find_pass(name).ok_or_else(|| internal!("there is no pass {name}"));
        Ok(PassStep::new(pass.map_err(|error| diags.fail(error))?))
    });
    let steps = steps.collect::<Result<Vec<PassStep>, Reported>>()?;
    run(
        &mut lowered,
        &steps,
        diags,
        &mut |_: &_, _: &_, _: &mut _| {},
    )?;
    let options = SequenceProgramOptions {
        device: Some(options.device.as_str()).filter(|name| !name.is_empty()),
        sequence: Some(options.sequence.as_str()).filter(|name| !name.is_empty()),
        fold_host_offset: !options.unfolded,
    };
    emit(&lowered, language, &options, diags)
}

/// `--emit=sequence-cpp`.
pub fn cpp(module: &Module, options: &NpuOptions, diags: &mut Diags) -> Result<Vec<u8>, Reported> {
    of_design(module, Language::Cpp, options, diags)
}

/// `--emit=sequence-python`.
pub fn python(
    module: &Module,
    options: &NpuOptions,
    diags: &mut Diags,
) -> Result<Vec<u8>, Reported> {
    of_design(module, Language::Python, options, diags)
}
