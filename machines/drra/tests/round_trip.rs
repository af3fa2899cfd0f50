//! Random programs and changed bits: text to bits to text to bits.

mod support;

use aiec_diag::{Diags, FileId};
use aiec_drra::encode::decode;
use aiec_drra::print::{PrintOptions, print};
use aiec_drra::{AssembleOptions, DrraProgram, assemble, elf, listing, published};
use fastrand::Rng;
use support::{assembled, text_of};

/// A random value of a field, as text: a word where there is one, a number elsewhere.
fn value(random: &mut Rng, field: &aiec_isa::Field) -> String {
    let value = if random.bool() {
        random.u64(..) & field.mask()
    } else {
        random.u64(0..=3) & field.mask()
    };
    match field.word_of(value) {
        Some(word) if random.bool() => word.to_owned(),
        _ if random.bool() => format!("{value:#x}"),
        _ => value.to_string(),
    }
}

/// A random instruction: some of its fields that may be set, each once.
fn instruction(random: &mut Rng) -> String {
    let all = &published().instructions;
    let chosen = &all[random.usize(..all.len())];
    let mut operands = Vec::new();
    for field in chosen.fields() {
        let is_dynamic = field.name.ends_with("_sd");
        if !field.is_settable() || field.name == "extra" || random.u8(..4) < 2 {
            continue;
        }
        // the upper bits of a value that has some are written with it
        if field.name.ends_with("_ext") || (is_dynamic && random.bool()) {
            continue;
        }
        operands.push(format!("{}={}", field.name, value(random, field)));
    }
    random.shuffle(&mut operands);
    format!("{} {}", chosen.name, operands.join(", "))
}

#[test]
fn ten_thousand_random_programs_come_back() {
    let mut random = Rng::with_seed(0xD22A);
    let mut instructions = 0;
    for _ in 0..10_000 {
        let count = random.usize(1..12);
        let lines: Vec<String> = (0..count).map(|_| instruction(&mut random)).collect();
        let text = lines.join("\n");
        let (chunks, errors) = assembled(&text, false);
        assert!(errors.is_empty(), "{text}: {errors:?}");
        let printed = text_of(&chunks);
        let (again, errors) = assembled(&printed, false);
        assert!(errors.is_empty(), "{printed}: {errors:?}");
        assert_eq!(again, chunks, "{text}\n{printed}");
        assert_eq!(text_of(&again), printed);
        instructions += count;
    }
    assert!(instructions > 50_000);
}

/// A program with all that a text can say.
const PROGRAM: &str = r#"
.DATA
$A 1 0 0 3 ONES(32)
$B 0 1 1 7 [0.5, -1.0, 0.25]   # fixed point
$C 0 0 0 0 [1, -2, 32767]
$D 1 0 0 3 ZEROS(16)
.CODE
CELL <1, 7>
"first" REFI port_no=w0, init_addr=5, l1_iter=3, l1_delay=20, l2_iter=40
LOOP loopid=0, endpc=@last, iter=2, step=4
LOOP loopid=1, endpc=@last, iter=3
RACCU mode=add, operand1=-3, operand2_sd=d, operand2=14, result=2
"last" WAIT cycle=9
SRAM rw=w, init_addr=85, l1_step=-1, l2_step=2, hops=2
BRANCH mode=1, false_pc=@"the end"
JUMP pc=@first
"the end" HALT
CELL <0, 0>
.word 0x7ffffff
HALT
.RELATION
"ROOT" 1 0 ["LOOP0", "Op_0_0_1_1"] [] 0
"LOOP0" 1 1 ["first_.*"] ["last_2"] 1
.DEPENDENCY
"first_1" "Op_1_7_1_1" 1 +INF
"last_1" "last_2" -2 10
"#;

fn read(text: &str) -> DrraProgram {
    let mut diags = Diags::new();
    let options = AssembleOptions::default();
    let mut program = assemble(text, FileId(0), published(), options, &mut diags);
    let errors: Vec<&str> = diags.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(errors, [""; 0]);
    for item in program.cells.iter_mut().flat_map(|cell| &mut cell.items) {
        item.span = None;
    }
    program
}

#[test]
fn programs_come_back_from_text_and_files() {
    let program = read(PROGRAM);
    let printed = print(&program, published(), PrintOptions::default());
    assert_eq!(read(&printed), program, "{printed}");
    let annotated = print(&program, published(), PrintOptions { annotate: true });
    assert_eq!(read(&annotated), program, "{annotated}");

    let bytes = elf::write(&program, published()).expect("a file");
    let mut diags = Diags::new();
    let again = elf::read(&bytes, published(), &mut diags).expect("a program");
    assert_eq!(again, program);
    assert_eq!(
        diags.iter().map(|d| d.code.id).collect::<Vec<_>>(),
        ["drra::raw-chunk"]
    );

    let text = listing::write(&program, published());
    let listed = listing::read(&text, FileId(0), published(), &mut Diags::new());
    let listed = listed.expect("a program");
    assert_eq!(listing::write(&listed, published()), text);
    assert!(text.starts_with("# CELL <0, 0>\n111111111111111111111111111\n"));
}

#[test]
fn each_changed_bit_is_another_program_or_kept_with_its_place() {
    let text = "ROUTE vertical_dir=n, vertical_hops=1\n\
        LOOP loopid=0, endpc=14, iter=2, step=4\n\
        LOOP loopid=1, endpc=14, iter=3, step=2\n\
        RACCU mode=add, operand1_sd=d, operand1=14, operand2_sd=d, operand2=15\n\
        SRAM l1_iter=3, init_addr_sd=d\n\
        REFI port_no=w0, l1_iter=3, dimarch=y\n\
        REFI port_no=r0, l1_iter=3, l2_delay=2, l2_iter=28, l2_step=1\n\
        SWB src_block=dpu, hb_index=1, v_index=3\nDPU mode=mac\nBW config=2\n\
        BRANCH mode=1, false_pc=7\nJUMP pc=5\nWAIT cycle=9\nHALT";
    let (chunks, errors) = assembled(text, false);
    assert!(errors.is_empty(), "{errors:?}");
    let (mut valid, mut kept) = (0, 0);
    for at in 0..chunks.len() {
        for bit in 0..27 {
            let mut changed = chunks.clone();
            changed[at] ^= 1 << bit;
            let (_, raw) = decode(&changed, published());
            // what isn't an instruction any more begins at the change or is cut off by it
            let from = at.saturating_sub(2);
            assert!(raw.iter().all(|(place, _)| *place >= from), "{raw:?}");
            if raw.is_empty() {
                valid += 1
            } else {
                kept += 1
            }
            let printed = text_of(&changed);
            let (again, errors) = assembled(&printed, true);
            assert!(errors.is_empty(), "{printed}: {errors:?}");
            assert_eq!(again, changed, "chunk {at}, bit {bit}: {printed}");
        }
    }
    assert_eq!(valid + kept, chunks.len() * 27);
    assert!(valid > 300 && kept > 100, "{valid} {kept}");
}

#[test]
fn no_change_of_a_text_or_file_makes_a_reader_panic() {
    let mut random = Rng::with_seed(0xF022);
    let program = read(PROGRAM);
    let file = elf::write(&program, published()).expect("a file");
    let listed = listing::write(&program, published());
    let pieces = [
        "\"",
        "@",
        "=",
        "[",
        "]",
        "<",
        ">",
        "-",
        "+INF",
        "/*",
        "99999999999",
        "0x",
        "\n",
        ".word",
        "CELL",
        "é",
        "extra=",
        "LOOP",
        "$",
        "ZEROS(",
    ];
    for _ in 0..4000 {
        let mut text = PROGRAM.to_owned();
        for _ in 0..random.usize(1..4) {
            let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let at = boundaries[random.usize(..boundaries.len())];
            let to = (at + random.usize(0..4)).min(text.len());
            let to = (to..=text.len())
                .find(|to| text.is_char_boundary(*to))
                .unwrap_or(at);
            text.replace_range(at..to, pieces[random.usize(..pieces.len())]);
        }
        let options = AssembleOptions {
            compat: random.bool(),
            ..AssembleOptions::default()
        };
        let mut diags = Diags::new();
        let program = assemble(&text, FileId(0), published(), options, &mut diags);
        let shape = options.shape;
        if !diags.has_errors() {
            aiec_drra::check::check(&program, published(), shape, false, &mut diags);
        }
        let mut bytes = file.clone();
        let at = random.usize(..bytes.len());
        bytes[at] = random.u8(..);
        let _ = elf::read(&bytes, published(), &mut Diags::new());
        let mut lines = listed.clone().into_bytes();
        let at = random.usize(..lines.len());
        lines[at] = b"01#\n<>, "[random.usize(..8)];
        let lines = String::from_utf8_lossy(&lines);
        let _ = listing::read(&lines, FileId(0), published(), &mut Diags::new());
    }
}
