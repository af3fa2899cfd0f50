//! Golden vectors of the vendor's assembler: same text, same ELF, byte for byte; refused texts
//! are refused with a diagnosis.

mod common;

use aiec_cert::asm::{self, AsmOptions, Files, FoundFile};
use aiec_cert::elf::{PatchPlace, PatchSymbol};
use aiec_cert::names::Target;
use aiec_cert::pager::LayoutOptions;
use aiec_cert::program::{CtrlPacketBuffer, CtrlPacketPatch, Program};
use aiec_cert::{elf, image, page, print};
use common::{expected, folder, manifest, target_of, text_of, unhex};
use serde_json::Value;

struct Folder;

impl Folder {
    fn read(&self, name: &str) -> Option<Vec<u8>> {
        std::fs::read(folder().join(name)).ok()
    }
}

impl Files for Folder {
    fn find(&self, name: &str, _from: &str) -> Option<FoundFile> {
        let path = name.to_owned();
        self.read(name).map(|bytes| FoundFile { path, bytes })
    }
}

fn parse(input: &str, target: Target, compat: bool) -> Result<Program, String> {
    let text = Folder.read(input).unwrap();
    parse_text(input, &text, target, compat)
}

fn parse_text(name: &str, text: &[u8], target: Target, compat: bool) -> Result<Program, String> {
    let options = AsmOptions { target, compat };
    let assembled = asm::parse(name, text, &Folder, options);
    let sources = assembled.sources;
    assembled.program.map_err(|errors| {
        let lines = errors.iter().map(|error| error.one_line(&sources));
        lines.collect::<Vec<_>>().join("\n")
    })
}

fn layout(program: &Program, compat: bool) -> Result<image::Image, String> {
    image::assemble(program, LayoutOptions { compat }).map_err(|errors| {
        errors
            .iter()
            .map(|e| e.to_string())
            .collect::<Vec<_>>()
            .join("\n")
    })
}

/// Vectors that are whole ELF files, except for the one with the vendor's debug record.
fn elf_vectors() -> Vec<Value> {
    let mut all = manifest();
    all.retain(|v| text_of(v, "kind") == "elf" && text_of(v, "name") != DUMP_RECORD);
    all
}

fn compare(name: &str, ours: &[u8], expected: &[u8]) -> Result<(), String> {
    if ours == expected {
        return Ok(());
    }
    let at = ours.iter().zip(expected).position(|(a, b)| a != b);
    Err(format!(
        "{name}: {} bytes against {}, first difference {at:x?}",
        ours.len(),
        expected.len()
    ))
}

/// The vendor's debug record is not written.
const DUMP_RECORD: &str = "25_dump";

fn json(name: &str) -> Value {
    serde_json::from_slice(&Folder.read(name).unwrap()).unwrap()
}

/// Control packet buffers of a patch description. Relocations and offsets sit where the
/// target's packets hold the address.
fn add_ctrl_packets(program: &mut Program, description: &Value) {
    let (back, low, high, bits) = match program.target {
        Target::Aie2ps => (8, 2, 3, 16),
        Target::Aie4 => (4, 2, 1, 25),
    };
    let buffers = description["external_buffers"].as_object().unwrap();
    for buffer in buffers.values().filter(|b| b["ctrl_pkt_buffer"] == true) {
        program.ctrl_packets.push(CtrlPacketBuffer {
            id: buffer["xrt_id"].as_u64().unwrap() as u32,
            bytes: Folder.read(text_of(buffer, "path")).unwrap(),
            patches: Vec::new(),
        });
    }
    let packets = &mut program.ctrl_packets[0];
    for buffer in buffers.values() {
        let argument = buffer["xrt_id"].as_u64().unwrap() as u32;
        let whole = vec![buffer.clone()];
        let parts = buffer["coalesed_buffers"].as_array().unwrap_or(&whole);
        for part in parts {
            let delta = part["offset_in_bytes"].as_u64().unwrap_or(0);
            for place in part["control_packet_patch_locations"]
                .as_array()
                .into_iter()
                .flatten()
            {
                let offset = place["offset"].as_u64().unwrap() as u32 - back;
                let at = |word: u32| (offset + 4 * word) as usize;
                let word = |bytes: &[u8], at: usize| {
                    u64::from(u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()))
                };
                let mask = (1u64 << bits) - 1;
                let old = word(&packets.bytes, at(high));
                let sum = (word(&packets.bytes, at(low)) | (old & mask) << 32) + delta;
                let new = old & !mask | sum >> 32 & mask;
                packets.bytes[at(low)..][..4].copy_from_slice(&(sum as u32).to_le_bytes());
                packets.bytes[at(high)..][..4].copy_from_slice(&(new as u32).to_le_bytes());
                packets.patches.push(CtrlPacketPatch { offset, argument });
            }
        }
    }
}

fn plain_elf(vector: &Value, target: Target, compat: bool) -> Result<Vec<u8>, String> {
    let mut program = parse(text_of(vector, "input"), target, compat)?;
    if let Some(patch) = vector["patch"].as_str().or(vector["json"].as_str()) {
        add_ctrl_packets(&mut program, &json(patch));
    }
    let image = layout(&program, compat)?;
    elf::write(&image, None).map_err(|e| e.message)
}

fn config_elf(vector: &Value, target: Target) -> Result<Vec<u8>, String> {
    let description = json(text_of(vector, "input"));
    let mut config = elf::Config {
        target: None,
        columns: 0,
        kernels: Vec::new(),
        custom: Vec::new(),
    };
    for kernel in description["xrt-kernels"].as_array().unwrap() {
        let argument = |a: &Value| elf::KernelArgument::from_name(text_of(a, "type"));
        let mut instances = Vec::new();
        for instance in kernel["instance"].as_array().unwrap() {
            let file = text_of(instance, "ctrl_code_file");
            let text = String::from_utf8(Folder.read(file).unwrap()).unwrap();
            let named = text.lines().find_map(|l| l.strip_prefix(".target "));
            config.target = named.map(str::to_owned);
            let program = parse(file, target, true)?;
            config.columns = program.columns;
            instances.push(elf::KernelInstance {
                id: text_of(instance, "id").to_owned(),
                image: layout(&program, true)?,
                dump: None,
            });
        }
        config.kernels.push(elf::Kernel {
            name: text_of(kernel, "name").to_owned(),
            arguments: kernel["arguments"]
                .as_array()
                .unwrap()
                .iter()
                .map(argument)
                .collect(),
            instances,
        });
    }
    for section in description["custom_section"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let bytes = Folder.read(text_of(section, "path")).unwrap();
        config
            .custom
            .push((text_of(section, "section_name").to_owned(), bytes));
    }
    elf::write_config(&config).map_err(|e| e.message)
}

fn report(failures: &[String], passed: usize, wanted: usize) {
    assert!(
        failures.is_empty(),
        "{passed} passed\n{}",
        failures.join("\n")
    );
    assert_eq!(passed, wanted);
}

#[test]
fn same_text_same_elf() {
    let mut failures = Vec::new();
    let mut passed = 0;
    for vector in elf_vectors() {
        let name = text_of(&vector, "name");
        let (target, config) = target_of(&vector);
        let ours = if config {
            config_elf(&vector, target)
        } else {
            plain_elf(&vector, target, true)
        };
        match ours.and_then(|bytes| compare(name, &bytes, &expected(&vector))) {
            Ok(()) => passed += 1,
            Err(error) => failures.push(format!("{name}: {error}")),
        }
    }
    report(&failures, passed, 28);
}

#[test]
fn strict_takes_sound_texts_alike() {
    let mut failures = Vec::new();
    let mut passed = 0;
    for vector in elf_vectors() {
        let name = text_of(&vector, "name");
        let (target, config) = target_of(&vector);
        if config || vector["quirks"] == true {
            continue;
        }
        let ours = plain_elf(&vector, target, false);
        if name == "06_ucdma_chain" {
            // its last descriptor has a length of more than 15 bits
            assert!(ours.is_err());
            continue;
        }
        match ours.and_then(|bytes| compare(name, &bytes, &expected(&vector))) {
            Ok(()) => passed += 1,
            Err(error) => failures.push(format!("{name}: {error}")),
        }
    }
    report(&failures, passed, 16);
}

#[test]
fn printed_text_gives_the_same_elf() {
    let mut failures = Vec::new();
    let mut passed = 0;
    for vector in elf_vectors() {
        let name = text_of(&vector, "name");
        let (target, config) = target_of(&vector);
        if config || vector["quirks"] == true {
            continue;
        }
        let Ok(program) = parse(text_of(&vector, "input"), target, false) else {
            continue;
        };
        for compat in [false, true] {
            let text = print::print(&program);
            let again = parse_text(name, text.as_bytes(), target, compat)
                .and_then(|again| layout(&again, compat));
            let first = layout(&program, compat);
            match (first, again) {
                (Ok(first), Ok(again)) => {
                    let write = |image| elf::write(image, None).unwrap();
                    match compare(name, &write(&again), &write(&first)) {
                        Ok(()) => passed += 1,
                        Err(error) => failures.push(error),
                    }
                }
                (Err(e), _) | (_, Err(e)) => failures.push(format!("{name} {compat}: {e}\n{text}")),
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{passed} passed\n{}",
        failures.join("\n")
    );
    assert!(passed >= 30, "{passed}");
}

#[test]
fn files_are_read_back() {
    for vector in elf_vectors() {
        let name = text_of(&vector, "name");
        let (target, config) = target_of(&vector);
        let file = elf::read(&expected(&vector)).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        assert_eq!(file.uid.as_ref().map(Vec::len), Some(16), "{name}");
        if config {
            assert!(file.columns.is_some(), "{name}");
            continue;
        }
        let program = parse(text_of(&vector, "input"), target, true).unwrap();
        let image = layout(&program, true).unwrap();
        let instance = &file.instances[0];
        assert_eq!(instance.ucs.len(), image.ucs.len(), "{name}");
        for (read, made) in instance.ucs.iter().zip(&image.ucs) {
            let pages: Vec<Vec<u8>> = made.pages.iter().map(|p| p.bytes()).collect();
            assert_eq!(
                (read.uc, &read.pages, &read.pad),
                (made.uc, &pages, &made.pad),
                "{name}"
            );
        }
    }
}

#[test]
fn legacy_files_are_read() {
    let mut read = 0;
    for vector in manifest() {
        let Some(legacy) = vector["legacy"].as_str() else {
            continue;
        };
        let bytes = unhex(&std::fs::read_to_string(folder().join(legacy)).unwrap());
        let file = elf::read(&bytes).unwrap();
        assert_eq!((file.os_abi, file.abi_version), (0x40, 2));
        let page = &file.instances[0].ucs[0].pages[0];
        assert!(!page::decode_page(page).unwrap().jobs.is_empty());
        read += 1;
    }
    assert!(read >= 5);
}

#[test]
fn patches_name_place_and_argument() {
    let vector = manifest()
        .into_iter()
        .find(|v| v["name"] == "14_apply_offset")
        .unwrap();
    let file = elf::read(&expected(&vector)).unwrap();
    let found: Vec<_> = file.instances[0]
        .patches
        .iter()
        .map(|p| (p.place, &p.symbol))
        .collect();
    let page = |page, offset| PatchPlace::Page {
        uc: 0,
        page,
        offset,
    };
    assert_eq!(found[0], (page(0, 0x90), &PatchSymbol::Argument(0)));
    assert_eq!(found[2], (page(0, 0xD8), &PatchSymbol::Code(0)));
    assert_eq!(found[4], (page(1, 0x80), &PatchSymbol::Argument(0)));
}

#[test]
fn damaged_files_never_panic() {
    let mut random = fastrand::Rng::with_seed(0x9E37_79B9_7F4A_7C15);
    for vector in elf_vectors() {
        let whole = expected(&vector);
        for _ in 0..60 {
            let mut bytes = whole.clone();
            for _ in 0..1 + random.u64(..8) {
                // headers and tables are at both ends
                let span = 400.min(bytes.len() as u64);
                let near = random.u64(..span) as usize;
                let end = bytes.len();
                let at = if random.u64(..2) == 0 {
                    near
                } else {
                    end - 1 - near
                };
                bytes[at] = random.u8(..);
            }
            if random.u64(..4) == 0 {
                bytes.truncate(random.usize(..bytes.len()));
            }
            if let Ok(file) = elf::read(&bytes) {
                for uc in file.instances.iter().flat_map(|i| &i.ucs) {
                    uc.pages.iter().for_each(|p| drop(page::decode_page(p)));
                }
            }
        }
    }
}

#[test]
fn damaged_texts_never_panic() {
    let mut random = fastrand::Rng::with_seed(0x2545_F491_4F6C_DD1D);
    for vector in elf_vectors() {
        let (target, config) = target_of(&vector);
        if config {
            continue;
        }
        let text = Folder.read(text_of(&vector, "input")).unwrap();
        for round in 0..40 {
            let mut bytes = text.clone();
            for _ in 0..1 + random.u64(..6) {
                let at = random.usize(..bytes.len());
                match random.u64(..3) {
                    0 => bytes[at] = random.u8(..),
                    1 => drop(bytes.remove(at)),
                    _ => bytes.insert(at, b" ,@;0$\n:."[random.usize(..9)]),
                }
            }
            let compat = round % 2 == 0;
            if let Ok(program) = parse_text("noise.asm", &bytes, target, compat) {
                drop(layout(&program, compat));
            }
        }
    }
}

#[test]
fn refused_texts_are_refused() {
    let mut failures = Vec::new();
    let mut refused = 0;
    for vector in manifest() {
        if text_of(&vector, "kind") != "refused" {
            continue;
        }
        let name = text_of(&vector, "name");
        let target = Target::by_name(text_of(&vector, "target")).unwrap_or(Target::Aie2ps);
        let may_accept = vector["may_accept"].as_bool().unwrap_or(false);
        let result =
            parse(text_of(&vector, "input"), target, false).and_then(|p| layout(&p, false));
        match result {
            Ok(_) if may_accept => {}
            Ok(_) => failures.push(name.to_owned()),
            Err(_) => refused += 1,
        }
    }
    assert!(failures.is_empty(), "accepted: {failures:?}");
    assert!(refused >= 33, "only {refused} refused");
}
