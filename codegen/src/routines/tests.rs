//! Each routine against the model's own operation, on operands at the corners and random ones.

use aiec_device::Arch;
use aiec_sim::core::{CoreMachine, CoreSettings, CoreStop, MemoryTile};
use aiec_vcode::{
    CoreProgram, FloatFormat, Function, Instruction, MathFunction, MathFunction2, MemoryImmediate,
    MemoryType, Opcode, Operand,
};
use fastrand::Rng;

use super::table::rows;
use super::{RoutineWidths, lower_routines, narrow_routine_for, routine_for, routine_widths};
use crate::model::function_code;

/// Bytes of a case in memory: three operands and the result.
const CASE_BYTES: usize = 32;
/// Cases of one run of a core.
const CASES: usize = 1024;
/// Where the data memory is for the core.
const MEMORY: i32 = 0x7_0000;
/// Registers of the driver before the window of what it calls.
const FRAME: u8 = 8;
/// Bytes that no program of these tests exceeds.
const PROGRAM_BYTES: u32 = 0x1_0000;

fn load(register: u8, word: i32) -> Instruction {
    let offset = MEMORY + 8 * word;
    let kind = MemoryType::I64;
    let imm = MemoryImmediate { kind, offset }.pack();
    Instruction::with(Opcode::LdBase, register, 0, 0, imm)
}

/// A core that computes something of all cases: `compute` finds the operands from register [`FRAME`] on and
/// leaves the result there.
fn driver(compute: &[Instruction]) -> Vec<Instruction> {
    let li = |register, value: usize| Instruction::with(Opcode::Li, register, 0, 0, value as u32);
    let mut code = vec![li(0, 0), li(1, CASES * CASE_BYTES)];
    code.extend((0..3).map(|n| load(FRAME + n, n.into())));
    code.extend(compute);
    let offset = MEMORY + 24;
    let kind = MemoryType::I64;
    let imm = MemoryImmediate { kind, offset }.pack();
    code.push(Instruction::with(Opcode::StBase, FRAME, 0, 0, imm));
    code.push(Instruction::with(Opcode::Loopi, 0, CASE_BYTES as u8, 1, 2));
    code.push(Instruction::new(Opcode::End, 0, 0, 0));
    code
}

/// Results of a program for some cases, and its cycles.
fn run(program: &CoreProgram, cases: &[[u64; 3]]) -> (Vec<u64>, u64) {
    let words = program.encode(PROGRAM_BYTES).unwrap();
    let settings = CoreSettings::default();
    let mut core = CoreMachine::load(&words, Arch::Aie2, &settings).unwrap();
    let mut tile = MemoryTile(vec![0; 0x1_0000]);
    for (bytes, case) in tile.0.chunks_exact_mut(CASE_BYTES).zip(cases) {
        for (word, operand) in bytes.chunks_exact_mut(8).zip(case) {
            word.copy_from_slice(&operand.to_le_bytes());
        }
    }
    let run = core.run(&mut tile, u64::MAX);
    assert_eq!(run.stop, CoreStop::Done);
    let results = tile.0.chunks_exact(CASE_BYTES).take(cases.len());
    let results = results.map(|bytes| u64::from_le_bytes(bytes[24..].try_into().unwrap()));
    (results.collect(), run.cycles)
}

/// The operation itself.
fn direct(op: Opcode, small: u8, cases: &[[u64; 3]]) -> (Vec<u64>, u64) {
    let (b, c, d) = (FRAME, FRAME + 1, FRAME + 2);
    let shape = op.shape();
    let c = if shape.operands[2] == Operand::Number {
        small
    } else {
        c
    };
    let imm = match shape.immediate {
        aiec_vcode::Immediate::Source => d.into(),
        aiec_vcode::Immediate::Small => small.into(),
        _ => 0,
    };
    let function = Function {
        entry: 0,
        registers: 16,
        granules: 0,
    };
    let program = CoreProgram {
        functions: vec![function],
        kernels: Vec::new(),
        code: driver(&[Instruction::with(op, FRAME, b, c, imm)]),
    };
    run(&program, cases)
}

/// A routine and those that it calls, as functions from 1 on.
fn program_of(name: &str) -> (CoreProgram, Vec<u8>, u8) {
    let routines = lower_routines(&[name]).unwrap();
    let RoutineWidths { arguments, results } = routine_widths(name).unwrap();
    let mut code = driver(&[Instruction::with(Opcode::Call, FRAME, 0, 0, 1)]);
    let mut functions = vec![Function {
        entry: 0,
        registers: FRAME.into(),
        granules: 0,
    }];
    for routine in routines {
        let (function, instructions) = function_code(&routine.code, code.len() as u32);
        functions.push(function);
        code.extend(instructions.into_iter().map(|mut instruction| {
            if instruction.op == Opcode::Call {
                instruction.imm += 1;
            }
            instruction
        }));
    }
    let program = CoreProgram {
        functions,
        kernels: Vec::new(),
        code,
    };
    (program, arguments, results[0])
}

/// Kind of an operation's operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Int,
    Shift,
    Divisor,
    Float,
    Double,
    Half,
    HalfBits,
    Brain,
    None,
}

fn kinds(op: Opcode, small: u8) -> [Kind; 3] {
    use Opcode::*;
    let format = FloatFormat::from_code(small);
    match op {
        Shl64 | Shrs | Shru => [Kind::Int, Kind::Shift, Kind::None],
        Divs | Rems | Divu | Remu | DivFloor | DivCeil | DivuCeil => {
            [Kind::Int, Kind::Divisor, Kind::None]
        }
        Mul64 | Mulhs | Mulhu => [Kind::Int, Kind::Int, Kind::None],
        // A negative power of 0 is a division by 0.
        Pows => [Kind::Divisor, Kind::Int, Kind::None],
        Ctlz | Cttz | Ctpop | SToF | UToF => [Kind::Int, Kind::None, Kind::None],
        FromBits => [Kind::HalfBits, Kind::None, Kind::None],
        ToBits if format == Some(FloatFormat::Bf16) => [Kind::Brain, Kind::None, Kind::None],
        ToBits => [Kind::Half, Kind::None, Kind::None],
        FToS | FToU if format == Some(FloatFormat::F64) => [Kind::Double, Kind::None, Kind::None],
        FmaF | FmaD | FmaBf16 | FmaF16 => match op {
            FmaF => [Kind::Float; 3],
            FmaD => [Kind::Double; 3],
            FmaBf16 => [Kind::Brain; 3],
            _ => [Kind::Half; 3],
        },
        Math2F if MathFunction2::from_code(small) == Some(MathFunction2::Fpowi) => {
            [Kind::Float, Kind::Int, Kind::None]
        }
        _ if op.mnemonic().ends_with("f64") => [Kind::Double, Kind::Double, Kind::None],
        _ => [Kind::Float, Kind::Float, Kind::None],
    }
}

fn single(rng: &mut Rng, near: u32) -> u32 {
    const CORNERS: [u32; 14] = [
        0,
        1,
        0x007F_FFFF,
        0x0080_0000,
        0x7F7F_FFFF,
        0x7F80_0000,
        0x7F80_0001,
        0x7FC0_1234,
        0x3F80_0000,
        0x3F00_0000,
        0x3FC0_0000,
        0x4B00_0000,
        0x5F00_0000,
        0x5F80_0000,
    ];
    let sign = rng.u32(..) & 1 << 31;
    sign | match rng.u8(..8) {
        0 => CORNERS[rng.usize(..CORNERS.len())],
        1 => near.wrapping_add(rng.u32(..5)).wrapping_sub(2) & 0x7FFF_FFFF,
        // of few bits, with exponents around one
        2 => (rng.u32(100..160) << 23) | (rng.u32(..16) << 19),
        3 => rng.u32(..0x0100_0000),
        4 => near.wrapping_add(rng.u32(..) >> 6) & 0x7FFF_FFFF,
        5 => rng.u32(0x3E00_0000..0x4B80_0000),
        _ => rng.u32(..) & 0x7FFF_FFFF,
    }
}

fn double(rng: &mut Rng, near: u64) -> u64 {
    const MAGNITUDE: u64 = u64::MAX >> 1;
    let sign = rng.u64(..) & 1 << 63;
    sign | match rng.u8(..8) {
        0 => f64::from(f32::from_bits(single(rng, 0))).to_bits() & MAGNITUDE,
        1 => near.wrapping_add(rng.u64(..5)).wrapping_sub(2) & MAGNITUDE,
        2 => (rng.u64(1000..1060) << 52) | (rng.u64(..16) << 48),
        3 => rng.u64(..1 << 53) >> rng.u8(..53),
        4 => near.wrapping_add(rng.u64(..) >> 6) & MAGNITUDE,
        5 => f64::from(rng.i32(..)).to_bits() & MAGNITUDE,
        6 => {
            let exponents = [
                0u64, 1, 2046, 2047, 1023, 1022, 1085, 1086, 1087, 896, 1150, 872,
            ];
            let fractions = [0, 1, (1 << 52) - 1, 1 << 51, 1 << 28, (1 << 28) | 1];
            (exponents[rng.usize(..exponents.len())] << 52) | fractions[rng.usize(..6)]
        }
        _ => rng.u64(..) & MAGNITUDE,
    }
}

fn int(rng: &mut Rng) -> u64 {
    match rng.u8(..6) {
        0 => [
            0,
            1,
            u64::MAX,
            1 << 63,
            u64::MAX >> 1,
            1 << 31,
            1 << 32,
            3,
            10,
        ][rng.usize(..9)],
        1 => rng.i32(-9..10) as i64 as u64,
        2 => rng.i32(..) as i64 as u64,
        3 => rng.u32(..).into(),
        4 => (rng.u64(..) as i64 >> rng.u8(..64)) as u64,
        _ => rng.u64(..),
    }
}

fn operand(rng: &mut Rng, kind: Kind, near: u64) -> u64 {
    match kind {
        Kind::None => 0,
        Kind::Int => int(rng),
        Kind::Shift => [rng.u64(..70), int(rng)][usize::from(rng.u8(..8) == 0)],
        Kind::Divisor => int(rng).max(1),
        Kind::Float => single(rng, near as u32).into(),
        Kind::Double => double(rng, near),
        Kind::HalfBits => rng.u16(..).into(),
        Kind::Half => FloatFormat::F16.to_register(rng.u16(..).into()),
        Kind::Brain => u64::from(single(rng, near as u32)) & 0xFFFF_0000,
    }
}

fn sign_extended(value: u64, bits: u8) -> u64 {
    let unused = 64 - u32::from(bits);
    ((value << unused) as i64 >> unused) as u64
}

/// Whether a narrow routine reads its operands as unsigned.
fn unsigned(op: Opcode) -> bool {
    use Opcode::*;
    matches!(
        op,
        Divu | Remu | DivuCeil | UToF | Ctlz | Cttz | Ctpop | FromBits
    )
}

/// Compares a routine with its operation; returns the cycles of a call.
fn compare(
    name: &str,
    op: Opcode,
    small: u8,
    narrow: bool,
    rounds: usize,
    rng: &mut Rng,
) -> Result<u64, String> {
    let (program, arguments, result) = program_of(name);
    let op = match op {
        Opcode::Muli64 => Opcode::Mul64,
        op => op,
    };
    let mut cycles = 0;
    for round in 0..rounds {
        let counts = matches!(op, Opcode::Ctlz | Opcode::Cttz | Opcode::Ctpop);
        // The count of bits is one number in the instruction.
        let small = match (counts, narrow) {
            (true, true) => [32, 8, 1, 16, 31][round % 5],
            (true, false) => [64, 48, 33][round % 3],
            _ => small,
        };
        let cases: Vec<[u64; 3]> = (0..CASES)
            .map(|_| {
                let mut near = 0x3F80_0000_3F80_0000;
                kinds(op, small).map(|kind| {
                    let mut value = operand(rng, kind, near);
                    if narrow && matches!(kind, Kind::Int | Kind::Divisor) {
                        value = if unsigned(op) {
                            value & 0xFFFF_FFFF
                        } else {
                            sign_extended(value, 32)
                        };
                        value = value.max(u64::from(kind == Kind::Divisor));
                    }
                    near = value;
                    value
                })
            })
            .collect();
        let passed: Vec<[u64; 3]> = cases
            .iter()
            .map(|case| {
                let mut case = *case;
                if counts {
                    case[1] = small.into();
                }
                for (value, bits) in case.iter_mut().zip(&arguments) {
                    *value = sign_extended(*value, *bits);
                }
                case
            })
            .collect();
        let (wanted, fixed) = direct(op, small, &cases);
        let (found, taken) = run(&program, &passed);
        cycles = cycles.max(taken.saturating_sub(fixed) / CASES as u64);
        for ((case, wanted), found) in cases.iter().zip(wanted).zip(found) {
            if sign_extended(found, result) != sign_extended(wanted, result) {
                return Err(format!("{name} of {case:#x?}: {found:#x}, not {wanted:#x}"));
            }
        }
    }
    Ok(cycles)
}

#[test]
fn routines_compute_what_the_model_computes() {
    let rounds = std::env::var("AIEC_TEST_SIZE").map_or(2, |size| size.parse().unwrap());
    let only = std::env::var("AIEC_TEST_ONLY").unwrap_or_default();
    let mut rng = Rng::with_seed(39);
    let mut wrong = Vec::new();
    for (op, small, name, narrow) in rows().filter(|row| row.2.contains(&only)) {
        match compare(name, op, small, narrow, rounds, &mut rng) {
            Ok(cycles) => println!("{name}: {cycles} cycles of the model"),
            Err(message) => wrong.push(message),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Compares a routine of f32 with its operation on some cases.
fn assert_same(name: &str, op: Opcode, small: u8, cases: &[[f32; 2]]) {
    let (program, ..) = program_of(name);
    let word = |x: f32| u64::from(x.to_bits());
    let cases: Vec<[u64; 3]> = cases.iter().map(|[x, y]| [word(*x), word(*y), 0]).collect();
    for cases in cases.chunks(CASES) {
        let (wanted, found) = (direct(op, small, cases).0, run(&program, cases).0);
        for ((case, wanted), found) in cases.iter().zip(wanted).zip(found) {
            assert_eq!(found as u32, wanted as u32, "{name} of {case:#x?}");
        }
    }
}

/// Powers that are exact with 25 bits are in the middle of two f32; roots of numbers next to a power of two are almost there.
#[test]
fn powers_between_two_numbers() {
    let scale = |n: usize| 2.0f32.powi(n as i32 % 40 - 20);
    let squares = (4097..5793).step_by(2).map(|x| (x as f32, 2.0));
    let cubes = (257..323).step_by(2).map(|x| (x as f32, 3.0));
    let powers = squares.chain(cubes).enumerate();
    let mut cases: Vec<[f32; 2]> = powers.map(|(n, (x, y))| [x * scale(n), y]).collect();
    cases.extend((257..323).step_by(2).map(|x| [(x * x) as f32, 1.5]));
    for exponent in 2..255 {
        let power = f32::from_bits(exponent << 23);
        for y in [0.5, 1.5, 0.25] {
            cases.extend([[power.next_down(), y], [power.next_up(), y]]);
        }
    }
    let powf = MathFunction2::Powf.code();
    assert_same("aiec_rt_math2_f32_powf", Opcode::Math2F, powf, &cases);
}

/// Numbers near multiples of a quarter turn, among them those of all f32 that are nearest to one.
#[test]
fn turns_next_to_a_quarter() {
    const NEAREST: [(f32, i32); 3] = [(16_367_173.0, 72), (10_741_887.0, 11), (16_573_937.0, -16)];
    let nearest = NEAREST.map(|(x, exponent)| x * 2.0f32.powi(exponent));
    let multiples = (1..2000).map(|n| (f64::from(n) * std::f64::consts::FRAC_PI_2) as f32);
    let numbers = multiples.chain(nearest);
    let near = numbers.flat_map(|x| [x.next_down(), x, -x, x.next_up()]);
    let cases: Vec<[f32; 2]> = near.map(|x| [x, 0.0]).collect();
    for function in [MathFunction::Sin, MathFunction::Cos, MathFunction::Tan] {
        let name = format!("aiec_rt_math_f32_{}", function.name());
        assert_same(&name, Opcode::MathF, function.code(), &cases);
    }
}

#[test]
fn each_row_is_found() {
    for (op, small, name, narrow) in rows() {
        let found = if narrow {
            narrow_routine_for(op, small)
        } else {
            routine_for(op, small)
        };
        assert_eq!(found, Some(name));
        assert_eq!(name.ends_with("_i32"), narrow, "{name}");
    }
    assert_eq!(routine_for(Opcode::Add32, 0), None);
    for function in MathFunction::ALL {
        assert!(
            routine_for(Opcode::MathF, function.code()).is_some(),
            "{function}"
        );
    }
    for function in MathFunction2::ALL {
        assert!(
            routine_for(Opcode::Math2F, function.code()).is_some(),
            "{function}"
        );
    }
}
