//! Random programs, checked against the plain model of `reference`.

use std::fmt::Write as _;

use aiec_core::CoreArch;
use aiec_sim::core::{CoreStop, RunningCore};
use fastrand::Rng;

use crate::reference::{Effect, Reference};
use crate::support::{OWN, Tile, core};

/// Bytes of memory that programs use: offsets from [`OWN`], which p0 to p5 point into.
pub const AREA: u32 = 0x2000;
/// Programs of each architecture; `AIEC_TEST_SIZE=N` draws N times as many, `AIEC_TEST_SEED=S` others.
const PROGRAMS: u64 = 400;

/// Whether an architecture has registers of 512 bits as operands of loads and stores, signs in the names
/// of vector operations, and r16 for their masks.
fn is_wide(arch: CoreArch) -> bool {
    arch != CoreArch::Aie2
}

/// The register of masks.
fn mask_register(arch: CoreArch) -> &'static str {
    if is_wide(arch) { "r16" } else { "r17" }
}

/// Effects of an instruction, from the state in which its bundle is issued.
type Model = Box<dyn Fn(&Reference) -> Vec<Effect>>;

/// An instruction: its slots (`lng` takes two), its text, and what it does.
struct Instruction {
    slots: &'static [&'static str],
    text: String,
    model: Model,
}

/// A line of a program.
#[derive(Default)]
struct Line {
    instructions: Vec<Instruction>,
    /// The line that its branch goes to.
    target: Option<usize>,
    has_label: bool,
}

fn write(register: &str, value: u32, latency: u64) -> Effect {
    Effect::Write(
        register.to_string(),
        value.to_le_bytes().to_vec(),
        latency,
        false,
    )
}

fn r(rng: &mut Rng) -> String {
    format!("r{}", rng.u32(0..27))
}

/// Two operands, the result and srCarry, if it is written, of the scalar unit.
fn alu(name: &str, a: u32, b: u32, carry: u32) -> (u32, Option<u32>) {
    let (sa, sb) = (a as i32, b as i32);
    let wide = |value: i64| {
        (
            value as u32,
            Some(u32::from(!(0..=0xFFFF_FFFF).contains(&value))),
        )
    };
    let (ua, ub) = (i64::from(a), i64::from(b));
    match name {
        "add" => wide(ua + ub),
        "sub" => wide(ua - ub),
        "adc" => wide(ua + ub + i64::from(carry)),
        "sbc" => wide(ua - ub - i64::from(carry)),
        "and" => (a & b, None),
        "or" => (a | b, None),
        "xor" => (a ^ b, None),
        "mul" => (ua.wrapping_mul(ub) as u32, None),
        "eq" => (u32::from(a == b), None),
        "ne" => (u32::from(a != b), None),
        "lt" => (u32::from(sa < sb), None),
        "ltu" => (u32::from(a < b), None),
        "ge" => (u32::from(sa >= sb), None),
        "geu" => (u32::from(a >= b), None),
        "lshl" if sb < 0 => (a >> (sb.unsigned_abs() % 32), None),
        "ashl" if sb < 0 => ((sa >> (sb.unsigned_abs() % 32)) as u32, None),
        "lshl" | "ashl" => (a << (b % 32), None),
        _ => panic!("{name}"),
    }
}

fn scalar_unit(rng: &mut Rng) -> Instruction {
    const NAMES: [&str; 17] = [
        "add", "sub", "adc", "sbc", "and", "or", "xor", "mul", "eq", "ne", "lt", "ltu", "ge",
        "geu", "lshl", "ashl", "add",
    ];
    let name = *rng.choice(&NAMES).unwrap();
    let (d, a, b) = (r(rng), r(rng), r(rng));
    let latency = if name == "mul" { 2 } else { 1 };
    Instruction {
        slots: &["alu"],
        text: format!("{name} {d}, {a}, {b}"),
        model: Box::new(move |state| {
            let carry = state.scalar("srCarry");
            let (value, carried) = alu(name, state.scalar(&a), state.scalar(&b), carry);
            let mut effects = vec![write(&d, value, latency)];
            effects.extend(carried.map(|carried| write("srCarry", carried, 1)));
            effects
        }),
    }
}

/// An instruction with one operand, and what it computes.
type OneOperand = (&'static str, fn(u32) -> u32);

fn one_operand(rng: &mut Rng) -> Instruction {
    let functions: [OneOperand; 9] = [
        ("clz", |a| a.leading_zeros()),
        ("clb", |a| {
            (0..32)
                .rev()
                .take_while(|bit| a >> bit & 1 == a >> 31)
                .count() as u32
        }),
        ("eqz", |a| u32::from(a == 0)),
        ("nez", |a| u32::from(a != 0)),
        ("extend.s8", |a| i32::from(a as i8) as u32),
        ("extend.u8", |a| a & 0xFF),
        ("extend.s16", |a| i32::from(a as i16) as u32),
        ("extend.u16", |a| a & 0xFFFF),
        ("clz", |a| a.leading_zeros()),
    ];
    let (name, function) = *rng.choice(&functions).unwrap();
    let (d, a) = (r(rng), r(rng));
    Instruction {
        slots: &["alu"],
        text: format!("{name} {d}, {a}"),
        model: Box::new(move |state| vec![write(&d, function(state.scalar(&a)), 1)]),
    }
}

fn select(rng: &mut Rng) -> Instruction {
    let (d, a, b, zero) = (r(rng), r(rng), r(rng), rng.bool());
    let name = if zero { "sel.eqz" } else { "sel.nez" };
    Instruction {
        slots: &["alu"],
        text: format!("{name} {d}, {a}, {b}, r27"),
        model: Box::new(move |state| {
            let takes_first = (state.scalar("r27") == 0) == zero;
            vec![write(
                &d,
                state.scalar(if takes_first { &a } else { &b }),
                1,
            )]
        }),
    }
}

fn immediate(rng: &mut Rng) -> Instruction {
    let d = if rng.u8(0..6) == 0 {
        "r27".to_string()
    } else {
        r(rng)
    };
    let (slots, name, value): (&[_], _, i32) = match rng.u8(0..3) {
        0 => (&["lda"], "mova", rng.i32(-1024..1024)),
        1 => (&["alu"], "movx", rng.i32(-1024..1024)),
        _ => (&["alu", "mv"], "movxm", rng.i32(..)),
    };
    Instruction {
        slots,
        text: format!("{name} {d}, #{value}"),
        model: Box::new(move |_| vec![write(&d, value as u32, 1)]),
    }
}

fn delayed_move(rng: &mut Rng) -> Instruction {
    let (d, a, delay) = (r(rng), r(rng), rng.u64(0..7));
    let text = match delay {
        0 => format!("mov {d}, {a}"),
        delay => format!("mov.d{delay} {d}, {a}"),
    };
    Instruction {
        slots: &["mv"],
        text,
        model: Box::new(move |state| vec![write(&d, state.scalar(&a), 1 + delay)]),
    }
}

/// A load or store of a scalar at p0 to p3.
fn scalar_access(rng: &mut Rng, arch: CoreArch) -> Instruction {
    let farthest = if is_wide(arch) { 8 } else { 32 };
    let (p, offset) = (rng.u32(0..4), rng.i32(-farthest..farthest) * 4);
    let data = r(rng);
    let pointer = format!("p{p}");
    let at = move |state: &Reference| state.scalar(&pointer).wrapping_add(offset as u32);
    if rng.bool() {
        return Instruction {
            slots: &["lda"],
            text: format!("lda {data}, [p{p}, #{offset}]"),
            model: Box::new(move |state| {
                let bytes = state.load(at(state), 4);
                vec![Effect::Write(data.clone(), bytes, 7, false)]
            }),
        };
    }
    Instruction {
        slots: &["st"],
        text: format!("st {data}, [p{p}, #{offset}]"),
        model: Box::new(move |state| {
            let bytes = state.scalar(&data).to_le_bytes().to_vec();
            vec![Effect::Store(at(state), bytes)]
        }),
    }
}

/// A walk in two dimensions: p4 with d0, p5 with d1. Their registers keep it in the area.
fn walk(rng: &mut Rng) -> Instruction {
    let n = rng.u32(0..2);
    let data = r(rng);
    Instruction {
        slots: &["lda"],
        text: format!("lda.2d {data}, [p{}], d{n}", 4 + n),
        model: Box::new(move |state| {
            let of = |name: &str| state.scalar(&format!("{name}{n}"));
            let p = format!("p{}", 4 + n);
            let at = state.scalar(&p);
            let (step, count) = if of("dc") == of("dn") {
                (of("m"), 0)
            } else {
                (of("dj"), of("dc") + 1)
            };
            vec![
                Effect::Write(data.clone(), state.load(at, 4), 7, false),
                write(&p, at.wrapping_add(step), 1),
                write(&format!("dc{n}"), count, 1),
            ]
        }),
    }
}

/// The register that a vector access names, and the halves of vectors that it is.
fn accessed(x: usize, part: usize) -> (String, Vec<String>) {
    let (low, high) = (format!("wl{x}"), format!("wh{x}"));
    match part {
        0 => (low.clone(), vec![low]),
        1 => (high.clone(), vec![high]),
        _ => (format!("x{x}"), vec![low, high]),
    }
}

fn vector_access(rng: &mut Rng, arch: CoreArch) -> Instruction {
    let part = rng.usize(0..if is_wide(arch) { 3 } else { 2 });
    let bytes: usize = if part == 2 { 64 } else { 32 };
    let (p, x) = (rng.u32(0..4), rng.usize(0..12));
    let offset = rng.i32(-4..4) * bytes as i32;
    let (register, halves) = accessed(x, part);
    let pointer = format!("p{p}");
    let at = move |state: &Reference| state.scalar(&pointer).wrapping_add(offset as u32);
    match rng.u8(0..3) {
        0 => Instruction {
            slots: &["st"],
            text: format!("vst {register}, [p{p}, #{offset}]"),
            model: Box::new(move |state| {
                let vector = state.vector(x, false);
                let start = if part == 1 { 32 } else { 0 };
                vec![Effect::Store(
                    at(state),
                    vector[start..start + bytes].to_vec(),
                )]
            }),
        },
        side => Instruction {
            slots: if side == 1 { &["lda"] } else { &["ldb"] },
            text: format!(
                "vld{} {register}, [p{p}, #{offset}]",
                if side == 1 { "a" } else { "b" }
            ),
            model: Box::new(move |state| {
                let loaded = state.load(at(state), bytes);
                let writes = halves.iter().zip(loaded.chunks(32));
                writes
                    .map(|(half, bytes)| Effect::Write(half.clone(), bytes.to_vec(), 7, false))
                    .collect()
            }),
        },
    }
}

/// The integers in lanes of `size` bytes.
fn lanes(bytes: &[u8], size: usize, signed: bool) -> Vec<i64> {
    let lane = |chunk: &[u8]| {
        let value = chunk
            .iter()
            .rev()
            .fold(0i64, |value, byte| value << 8 | i64::from(*byte));
        if signed && value >> (8 * size - 1) != 0 {
            value - (1 << (8 * size))
        } else {
            value
        }
    };
    bytes.chunks(size).map(lane).collect()
}

fn bytes_of(lanes: &[i64], size: usize) -> Vec<u8> {
    lanes
        .iter()
        .flat_map(|lane| lane.to_le_bytes()[..size].to_vec())
        .collect()
}

fn vector_results(d: usize, bytes: &[u8]) -> Vec<Effect> {
    let half = |name: &str, range: std::ops::Range<usize>| {
        Effect::Write(format!("{name}{d}"), bytes[range].to_vec(), 2, true)
    };
    vec![half("wl", 0..32), half("wh", 32..64)]
}

fn vector_operation(rng: &mut Rng, arch: CoreArch) -> Instruction {
    let (d, a, b) = (rng.usize(0..12), rng.usize(0..12), rng.usize(0..12));
    let size = 1 << rng.u32(0..3);
    let bits = 8 * size;
    let of = move |state: &Reference, signed| {
        let a = lanes(&state.vector(a, true), size, signed);
        let b = lanes(&state.vector(b, true), size, signed);
        a.into_iter().zip(b)
    };
    let slots = &["mv"];
    match rng.u8(0..5) {
        0 | 1 => {
            let add = rng.bool();
            Instruction {
                slots,
                text: format!(
                    "v{}.{bits} x{d}, x{a}, x{b}",
                    if add { "add" } else { "sub" }
                ),
                model: Box::new(move |state| {
                    let sum = of(state, true).map(|(a, b)| if add { a + b } else { a - b });
                    vector_results(d, &bytes_of(&sum.collect::<Vec<_>>(), size))
                }),
            }
        }
        2 if size > 1 => {
            let signed = rng.bool();
            let mask = mask_register(arch);
            let text = match (is_wide(arch), signed) {
                (false, true) => format!("vmax_lt.s{bits} x{d}, {mask}, x{a}, x{b}"),
                (false, false) => format!("vmax_lt.d{bits} x{d}, {mask}, x{a}, x{b}"),
                (true, signed) => {
                    let sign = u8::from(signed);
                    format!("vmax_lt.{bits} x{d}, {mask}, x{a}, x{b}, vaddsign{sign}")
                }
            };
            Instruction {
                slots,
                text,
                model: Box::new(move |state| {
                    let greater = of(state, signed).map(|(a, b)| a.max(b));
                    let greater = bytes_of(&greater.collect::<Vec<_>>(), size);
                    let less = of(state, signed).enumerate();
                    let bits = less.fold(0, |bits, (i, (a, b))| bits | u32::from(a < b) << i);
                    let mut effects = vector_results(d, &greater);
                    effects.push(write(mask, bits, 2));
                    effects
                }),
            }
        }
        3 => Instruction {
            slots,
            text: format!("vshift x{d}, x{a}, x{b}, r26"),
            model: Box::new(move |state| {
                let mut both = state.vector(a, true);
                both.extend(state.vector(b, true));
                both.resize(256, 0);
                let by = state.scalar("r26") as usize;
                let result = match by {
                    0..=128 => both[by..by + 64].to_vec(),
                    _ => vec![0; 64],
                };
                vector_results(d, &result)
            }),
        },
        _ => {
            let scalar = r(rng);
            Instruction {
                slots,
                text: format!("vbcst.{bits} x{d}, {scalar}"),
                model: Box::new(move |state| {
                    let value = state.scalar(&scalar).to_le_bytes()[..size].to_vec();
                    vector_results(d, &value.repeat(64 / size))
                }),
            }
        }
    }
}

/// Between x0 to x11 and the first accumulator, with the shift in s0.
fn conversion(rng: &mut Rng, arch: CoreArch) -> Instruction {
    let x = rng.usize(0..12);
    let (widen, narrow) = if !is_wide(arch) {
        (
            format!("vups.s32.s16 bml0, wl{x}, s0"),
            format!("vsrs.s16.s32 wl{x}, bml0, s0"),
        )
    } else {
        (
            format!("vups.2x bmll0, wl{x}, s0, upssign1"),
            format!("vsrs.2x wl{x}, bmll0, s0, srssign1"),
        )
    };
    if rng.bool() {
        return Instruction {
            slots: &["mv"],
            text: widen,
            model: Box::new(move |state| {
                let shift = state.scalar("s0");
                let low = state.vector(x, false)[..32].to_vec();
                let wide: Vec<i64> = lanes(&low, 2, true)
                    .iter()
                    .map(|lane| lane << shift)
                    .collect();
                let bytes = bytes_of(&wide, 4);
                vec![
                    Effect::Write("amll0".into(), bytes[..32].to_vec(), 3, false),
                    Effect::Write("amlh0".into(), bytes[32..].to_vec(), 3, false),
                ]
            }),
        };
    }
    Instruction {
        slots: &["st"],
        text: narrow,
        model: Box::new(move |state| {
            let shift = state.scalar("s0");
            let wide = lanes(&state.accumulator("amll0", "amlh0"), 4, true);
            let narrow: Vec<i64> = wide.iter().map(|lane| lane >> shift).collect();
            vec![Effect::Write(
                format!("wl{x}"),
                bytes_of(&narrow, 2),
                4,
                false,
            )]
        }),
    }
}

fn any(rng: &mut Rng, arch: CoreArch) -> Instruction {
    match rng.u8(0..16) {
        0..=3 => scalar_unit(rng),
        4 => one_operand(rng),
        5 => select(rng),
        6 => immediate(rng),
        7 => delayed_move(rng),
        8 | 9 => scalar_access(rng, arch),
        10 => walk(rng),
        11 | 12 => vector_access(rng, arch),
        13 | 14 => vector_operation(rng, arch),
        _ => conversion(rng, arch),
    }
}

/// Which registers a bundle writes must differ: silicon has rules for that.
fn writes_apart(line: &Line, other: &Instruction) -> bool {
    let target = |text: &str| text.split([' ', ',']).nth(1).unwrap_or("").to_string();
    let d = target(&other.text);
    let whole = |name: &str| name.trim_start_matches(['w', 'l', 'h', 'x']).to_string();
    line.instructions.iter().all(|known| {
        let k = target(&known.text);
        k != d
            && (!k.starts_with(['w', 'x']) || !d.starts_with(['w', 'x']) || whole(&k) != whole(&d))
    })
}

/// Formats of bundles that have all slots exist; carry and masks are written once.
fn fits(line: &Line, other: &Instruction, mask: &str) -> bool {
    let used: Vec<&str> = line
        .instructions
        .iter()
        .flat_map(|i| i.slots)
        .copied()
        .collect();
    let has = |part: &str| line.instructions.iter().any(|i| i.text.contains(part));
    other.slots.iter().all(|slot| !used.contains(slot))
        && writes_apart(line, other)
        && !(other.text.contains(mask) || has(mask))
        && !(other.text.contains(".2d") && has("[p"))
        && !(has(".2d") && other.text.contains("[p"))
}

/// The text of a bundle without a branch.
pub fn line(rng: &mut Rng, arch: CoreArch) -> String {
    let line = random_line(rng, arch);
    let all: Vec<&str> = line.instructions.iter().map(|i| i.text.as_str()).collect();
    all.join("; ")
}

fn random_line(rng: &mut Rng, arch: CoreArch) -> Line {
    let mut line = Line::default();
    let first = any(rng, arch);
    line.instructions.push(first);
    for _ in 0..rng.u8(0..3) {
        let other = any(rng, arch);
        if fits(&line, &other, mask_register(arch)) {
            line.instructions.push(other);
        }
    }
    line
}

fn program(rng: &mut Rng, arch: CoreArch) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let length = rng.usize(12..40);
    let mut in_slots = 0;
    for at in 0..length {
        let mut line = random_line(rng, arch);
        if in_slots == 0 && at + 8 < length && rng.u8(0..8) == 0 {
            let (tested, zero) = (r(rng), rng.bool());
            let name = if zero { "jz" } else { "jnz" };
            line = Line {
                instructions: vec![Instruction {
                    slots: &["alu", "mv"],
                    text: format!("{name} {tested}, #L{}", at + 7),
                    model: Box::new(move |state| {
                        if (state.scalar(&tested) == 0) == zero {
                            vec![Effect::Branch]
                        } else {
                            Vec::new()
                        }
                    }),
                }],
                target: Some(at + 7),
                has_label: false,
            };
            in_slots = 6;
        }
        in_slots = usize::max(in_slots, 1) - 1;
        lines.push(line);
    }
    for target in lines
        .iter()
        .filter_map(|line| line.target)
        .collect::<Vec<_>>()
    {
        lines[target].has_label = true;
    }
    lines
}

fn run_reference(lines: &[Line], state: &mut Reference) {
    let mut at = 0;
    let mut branch: Option<(usize, u8)> = None;
    while at < lines.len() {
        let line = &lines[at];
        let effects = line
            .instructions
            .iter()
            .flat_map(|i| (i.model)(state))
            .collect();
        let taken = state.apply(effects);
        state.step();
        at += 1;
        if let Some((target, left)) = &mut branch {
            *left -= 1;
            if *left == 0 {
                at = *target;
                branch = None;
            }
        } else if taken {
            branch = line.target.map(|target| (target, 5));
        }
    }
    for _ in 0..16 {
        state.step();
    }
}

/// The number in a variable of the environment.
pub fn number(variable: &str) -> Option<u64> {
    let given = std::env::var(variable).ok()?;
    Some(given.parse().expect(variable))
}

fn random_programs_of(arch: CoreArch) {
    let mut rng = Rng::with_seed(17 + number("AIEC_TEST_SEED").unwrap_or(0));
    for number in 0..PROGRAMS * number("AIEC_TEST_SIZE").unwrap_or(1) {
        let lines = program(&mut rng, arch);
        let mut text = String::new();
        for (at, line) in lines.iter().enumerate() {
            if line.has_label {
                writeln!(text, "L{at}:").unwrap();
            }
            let all: Vec<&str> = line.instructions.iter().map(|i| i.text.as_str()).collect();
            writeln!(text, "{}", all.join("; ")).unwrap();
        }
        text += &"nop\n".repeat(16);
        text += "done\n";
        let mut machine = core(arch, &text, false);
        let mut tile = Tile::default();
        let mut state = Reference::default();
        for byte in &mut tile.memory[..AREA as usize] {
            *byte = rng.u8(..);
        }
        state.memory = tile.memory.clone();
        let mut set = |register: &str, value: u32| {
            machine.set_register(register, value).unwrap();
            state.apply(vec![write(register, value, 0)]);
        };
        for r in 0..28 {
            set(&format!("r{r}"), rng.u32(..));
        }
        set("r26", rng.u32(0..140));
        set("s0", rng.u32(0..12));
        for p in 0..6 {
            set(&format!("p{p}"), OWN + 0x400 + 64 * rng.u32(0..32));
        }
        for n in 0..2 {
            set(&format!("m{n}"), 4 * rng.u32(0..4));
            set(&format!("dn{n}"), rng.u32(0..4));
            set(&format!("dj{n}"), 4 * rng.u32(0..8));
            set(&format!("dc{n}"), 0);
        }
        state.step();
        run_reference(&lines, &mut state);
        // Where they are observed, bundles of the scalar unit are executed as all others.
        let mut watched = machine.clone();
        watched.watch(&[], None);
        let mut other = Tile {
            memory: tile.memory.clone(),
            ..Tile::default()
        };
        let plain_run = watched.run(&mut other, 100_000);
        let run = machine.run(&mut tile, 100_000);
        assert_eq!(run, plain_run, "program {number}\n{text}");
        assert_eq!(machine.registers(), watched.registers(), "{text}");
        assert_eq!(run.stop, CoreStop::Done, "program {number}\n{text}");
        for r in 0..28 {
            let expected = state.scalar(&format!("r{r}"));
            assert_eq!(machine.r(r), expected, "r{r} of program {number}\n{text}");
        }
        assert!(
            tile.memory == state.memory,
            "memory of program {number}\n{text}"
        );
        for x in 0..12 {
            let name = format!("x{x}");
            let got = machine.vector_bytes(&name).unwrap();
            assert_eq!(
                got,
                state.vector(x, false),
                "{name} of program {number}\n{text}"
            );
        }
    }
}

#[test]
fn random_programs_of_aie2_do_what_the_plain_model_does() {
    random_programs_of(CoreArch::Aie2);
}

#[test]
fn random_programs_of_aie2p_do_what_the_plain_model_does() {
    random_programs_of(CoreArch::Aie2p);
}

#[test]
fn random_programs_of_aie2ps_do_what_the_plain_model_does() {
    random_programs_of(CoreArch::Aie2ps);
}
