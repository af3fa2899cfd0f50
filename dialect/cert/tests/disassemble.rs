//! The disassembler: every file comes back, byte for byte.

mod common;

use aiec_cert::asm::{self, AsmOptions, Files, FoundFile};
use aiec_cert::dis::{self, DisOptions, Disassembly, embed};
use aiec_cert::elf::{self, ExtraSections};
use aiec_cert::image;
use aiec_cert::names::Target;
use aiec_cert::pager::LayoutOptions;
use aiec_cert::program::{Program, RawPage, RawPatch};
use common::{expected, manifest, target_of, text_of};

struct Sidecars<'a>(&'a [(String, Vec<u8>)]);

impl Files for Sidecars<'_> {
    fn find(&self, name: &str, _from: &str) -> Option<FoundFile> {
        let (path, bytes) = self.0.iter().find(|(file, _)| file == name)?.clone();
        Some(FoundFile { path, bytes })
    }
}

/// Assembles the text of a plain file again, without the disassembler's help.
fn assemble(found: &Disassembly) -> Result<Vec<u8>, String> {
    let options = AsmOptions {
        target: found.target,
        compat: found.compat,
    };
    let instance = &found.instances[0];
    let text = format!("{}{}", instance.text, found.embedded_text());
    let assembled = asm::parse(
        "a.asm",
        text.as_bytes(),
        &Sidecars(&instance.files),
        options,
    );
    let mut program = assembled
        .program
        .map_err(|errors| errors[0].message.clone())?;
    program
        .ctrl_packets
        .clone_from(&instance.program.ctrl_packets);
    let compat = found.compat;
    let image = image::assemble(&program, LayoutOptions { compat })
        .map_err(|errors| errors[0].to_string())?;
    let dump = embed::section(text.as_bytes(), ".dump");
    let extras = ExtraSections {
        debug: None,
        dump: dump.as_deref(),
    };
    elf::write_with(&image, extras).map_err(|error| error.message)
}

#[test]
fn golden_files_come_back() {
    let (mut plain, mut config, mut strict, mut raw) = (0, 0, 0, Vec::new());
    for vector in manifest() {
        if text_of(&vector, "kind") != "elf" {
            continue;
        }
        let name = text_of(&vector, "name");
        let file = expected(&vector);
        let (target, is_config) = target_of(&vector);
        let options = DisOptions {
            target: Some(target),
            ..DisOptions::default()
        };
        let found = dis::disassemble(&file, &options).unwrap();
        assert_eq!(found.findings, [], "{name}");
        assert_eq!(found.is_config(), is_config, "{name}");
        raw.extend(found.raw_pages().map(|(_, page)| {
            let why = page.raw.as_deref().unwrap_or_default();
            format!("{name} page {}: {why}", page.page)
        }));
        strict += usize::from(!found.compat);
        if is_config {
            config += 1
        } else {
            assert_eq!(assemble(&found), Ok(file), "{name}");
            plain += 1;
        }
    }
    // each with its reason: a descriptor's payload of another length, words that are no
    // instruction, ...
    assert_eq!(raw, Vec::<String>::new());
    assert_eq!((plain, config, strict), (26, 3, 26));
}

/// Pages of a file as words, with some bytes changed.
fn damaged(
    file: &elf::ControlElf,
    target: Target,
    changes: u64,
    random: &mut fastrand::Rng,
) -> Program {
    let mut program = Program::new(target, 4);
    for code in &file.instances[0].ucs {
        let main = program.group_mut(code.uc).main_mut();
        for (number, page) in code.pages.iter().enumerate() {
            let mut bytes = page.clone();
            let used = bytes.iter().rposition(|&b| b != 0).unwrap_or(0) + 1;
            for _ in 0..changes {
                let at = 4 + random.usize(..used.saturating_sub(4).max(1));
                bytes[at] = random.u8(..);
            }
            let patches = file.instances[0].patches.iter().filter_map(|patch| {
                let elf::PatchPlace::Page { uc, page, offset } = patch.place else {
                    return None;
                };
                let here = uc == code.uc && page as usize == number;
                here.then(|| RawPatch {
                    position: offset as u16 - 16,
                    kind: patch.kind,
                    symbol: "7".to_owned(),
                })
            });
            main.push_raw_page(RawPage {
                text_bytes: code.text_bytes[number],
                patches: patches.collect(),
                bytes,
            });
        }
    }
    program
}

/// Whatever a page holds comes back: as jobs and data if they give it, else as words.
#[test]
fn pages_of_any_bytes_come_back() {
    let mut random = fastrand::Rng::with_seed(0x1234_5678_9ABC_DEF1);
    let (mut whole, mut raw) = (0, 0);
    for vector in manifest() {
        let (target, is_config) = target_of(&vector);
        if text_of(&vector, "kind") != "elf" || is_config {
            continue;
        }
        let name = text_of(&vector, "name");
        let file = elf::read(&expected(&vector)).unwrap();
        for round in 0..12 {
            let program = damaged(&file, target, round / 2, &mut random);
            let image = image::assemble(&program, LayoutOptions::default()).unwrap();
            let bytes = elf::write(&image, None).unwrap();
            let options = DisOptions {
                target: Some(target),
                ..DisOptions::default()
            };
            let found = dis::disassemble(&bytes, &options).unwrap();
            assert_eq!(found.findings, [], "{name} round {round}");
            assert_eq!(assemble(&found), Ok(bytes), "{name} round {round}");
            match found.raw_pages().count() {
                0 => whole += 1,
                _ => raw += 1,
            }
        }
    }
    // the unchanged ones at least are jobs and data, and not all damage leaves jobs
    assert!(whole >= 50 && raw >= 50, "{whole} and {raw}");
}

/// Files of older assemblers: the code comes back, and the lost parts are reported.
#[test]
fn legacy_files_give_their_code() {
    let mut seen = 0;
    for vector in manifest() {
        let Some(legacy) = vector["legacy"].as_str() else {
            continue;
        };
        let bytes = common::read_hex(legacy);
        let found = dis::disassemble(&bytes, &DisOptions::default()).unwrap();
        assert_eq!(found.findings.len(), 1, "{legacy}: {:?}", found.findings);
        let what = &found.findings[0].message;
        assert!(what.contains("another assembler"), "{what}");
        let again = elf::read(&assemble(&found).unwrap()).unwrap();
        let pages = |file: &elf::ControlElf| -> Vec<Vec<u8>> {
            let ucs = file.instances[0].ucs.iter();
            ucs.flat_map(|uc| uc.pages.clone()).collect()
        };
        assert_eq!(pages(&again), pages(&found.file), "{legacy}");
        seen += 1;
    }
    assert!(seen >= 5);
}

#[test]
fn damaged_files_never_panic() {
    let mut random = fastrand::Rng::with_seed(0x0DDB_1A5E_5BAD_5EED);
    let (mut read, mut refused) = (0, 0);
    for vector in manifest() {
        if text_of(&vector, "kind") != "elf" {
            continue;
        }
        let whole = expected(&vector);
        // small files are as good, and quick
        let rounds = (1_500_000 / whole.len()).clamp(12, 120);
        for round in 0..rounds {
            let mut bytes = whole.clone();
            for _ in 0..1 + random.u64(..6) {
                // pages, tables at both ends, anywhere
                let span = [200, 2000, bytes.len()][round % 3].min(bytes.len());
                let near = random.usize(..span);
                let at = match random.u64(..2) {
                    0 => near,
                    _ => bytes.len() - 1 - near,
                };
                bytes[at] = random.u8(..);
            }
            if random.u64(..8) == 0 {
                bytes.truncate(random.usize(..bytes.len()));
            }
            match dis::disassemble(&bytes, &DisOptions::default()) {
                Ok(found) => {
                    // what is not the same has been said
                    if found.findings.is_empty() && !found.is_config() {
                        assert_eq!(assemble(&found), Ok(bytes));
                    }
                    read += 1;
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(read >= 800 && refused >= 300, "{read} and {refused}");
}

/// Symbols as no loader wants them, but compatible texts can hold: found by fuzzing.
#[test]
fn odd_symbols_come_back() {
    for symbol in [
        "ti00e,_l_",
        "a,,",
        ";",
        "a;b",
        "#",
        "$r99",
        "x@y",
        "'",
        ".long",
        "\rshim_s2mm_0",
        "a\tb",
    ] {
        let text = format!("START_JOB 0\n  WRITE_32 0x10, {symbol}\nEND_JOB\nEOF\n");
        let options = AsmOptions {
            target: Target::Aie2ps,
            compat: true,
        };
        let program = asm::parse("a.asm", text.as_bytes(), &asm::NoFiles, options).program;
        let program = program.unwrap_or_else(|e| panic!("{symbol}: {e:?}"));
        let image = image::assemble(&program, LayoutOptions { compat: true }).unwrap();
        let bytes = elf::write(&image, None).unwrap();
        let found = dis::disassemble(&bytes, &DisOptions::default()).unwrap();
        assert_eq!(found.findings, [], "{symbol}");
        assert_eq!(assemble(&found), Ok(bytes), "{symbol}");
    }
}
