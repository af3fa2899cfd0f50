//! The examples of `aiec explain`: the wrong text gives the code, the right one doesn't.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use aiec::explain::examples::{self, Case};
use aiec_test::driver::aiec;

/// Files that commands of examples name, and what they hold.
const GIVEN: [(&str, &[u8]); 6] = [
    ("zeros.bin", &[0; 64]),
    ("short.bin", &[0; 60]),
    ("long.bin", &[0; 128]),
    ("ones.bin", &[255; 64]),
    ("zeros.npy", &[0; 64]),
    ("damaged.elf", b"\x7fELF damaged"),
];

/// Files that commands of examples name and that aren't there.
const NOT_GIVEN: [&str; 2] = ["missing.bin", "run.trace"];

/// What a case leads to: codes with whether they are errors, and what was written.
fn findings(case: &Case, folder: &Path) -> (Vec<(String, bool)>, String) {
    let file = folder.join(format!("code.{}", case.ending()));
    fs::write(&file, format!("{}\n", case.text)).expect("a file");
    let place = |word: &str| -> String {
        let (before, name) = match word.rfind('=') {
            Some(at) => word.split_at(at + 1),
            None => ("", word),
        };
        let known = GIVEN.iter().map(|(name, _)| *name).chain(NOT_GIVEN);
        match known.into_iter().any(|known| name.starts_with(known)) {
            true => format!("{before}{}", folder.join(name).display()),
            false => word
                .replace("%s", &file.display().to_string())
                .replace("%t", &folder.join("out").display().to_string()),
        }
    };
    let mut args: Vec<String> = case.command.split_whitespace().map(place).collect();
    args.push("--diagnostics=json".to_string());
    let run = aiec(&args, b"");
    let objects = run.stderr.lines().filter(|line| line.starts_with('{'));
    let objects = objects.filter_map(|line| serde_json::from_str(line).ok());
    let codes = objects.map(|value: serde_json::Value| {
        let code = value["code"].as_str().unwrap_or_default().to_string();
        (code, value["severity"] == "error")
    });
    (codes.collect(), run.stderr)
}

#[test]
fn wrong_examples_give_their_code_and_right_ones_no_error() {
    let scratch = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("explain");
    let problems = Mutex::new(Vec::new());
    let check = |part: usize| {
        let folder = scratch.join(part.to_string());
        fs::create_dir_all(&folder).expect("a folder");
        for (name, bytes) in GIVEN {
            fs::write(folder.join(name), bytes).expect("a file");
        }
        for example in examples::all().iter().skip(part).step_by(2) {
            let code = example.code;
            let say = |what: &str, said: String| {
                let mut problems = problems.lock().expect("no panic");
                problems.push(format!("{code}: the {what} example gives {said}"));
            };
            let (found, said) = findings(&example.wrong, &folder);
            if found.iter().all(|(found, _)| found != code) {
                say("wrong", said);
            }
            let (found, said) = findings(&example.right, &folder);
            let bad = found.iter().any(|(found, error)| *error || found == code);
            if bad || said.starts_with("error:") {
                say("right", said);
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| check(0));
        check(1);
    });
    let problems = problems.into_inner().expect("no panic");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Codes without an example yet; the table only gets shorter.
const WITHOUT: [&str; 143] = [
    "affine::not-understood",
    "asm::description",
    "asm::file-limit",
    "asm::npu-description",
    "asm::one-transaction",
    "asm::preempt",
    "asm::stale-record",
    "asm::unknown-line",
    "buffers::unknown-scheme",
    "cascade::taken",
    "cert::actor-shared",
    "cert::dangling",
    "cert::descriptor-length",
    "cert::duplicate-job",
    "cert::far-address",
    "cert::job-on-two-pages",
    "cert::job-too-big",
    "cert::later-page",
    "cert::load-id",
    "cert::not-on-target",
    "cert::outside-partition",
    "cert::overflow",
    "cert::page-split",
    "cert::page-too-large",
    "cert::trace",
    "cert::unpatched-copy",
    "configure::bad-contents",
    "configure::bad-lock",
    "configure::bad-memory",
    "configure::bad-switch",
    "configure::not-supported-yet",
    "control::bad-option",
    "control::channel-taken",
    "core-asm::no-relocation",
    "core-asm::unconfirmed",
    "core-compiler::bodies-simulated",
    "core-compiler::failed",
    "core-compiler::no-folder",
    "core-compiler::no-machine-code",
    "core-compiler::no-object",
    "core-compiler::not-found",
    "core-compiler::warning",
    "core-elf::not-a-core-file",
    "core-elf::not-an-archive",
    "core-elf::wrong-kind",
    "core-link::duplicate",
    "core-link::mixed-architectures",
    "core-link::no-room",
    "core-link::relocation",
    "core::bad-elf",
    "core::elf-out-of-memory",
    "core::not-constant",
    "core::out-of-registers",
    "core::out-of-stack",
    "core::too-large",
    "dis::family-assumed",
    "dis::needs-files",
    "dis::no-registers",
    "dis::not-the-same",
    "dis::raw-page",
    "driver::argument-missing",
    "drra::elf",
    "drra::extension",
    "drra::raw-chunk",
    "emit::not-control-code",
    "internal::broken-invariant",
    "internal::check-failed",
    "isa::description",
    "isa::unterminated",
    "jobs::which-device",
    "link::defined-twice",
    "link::name-taken",
    "link::not-a-function",
    "link::shadowed",
    "link::types-differ",
    "link::unused",
    "mlir::declarations",
    "mlir::needs-design",
    "mlir::no-llvm-form",
    "mlir::refused",
    "npu::cdo-not-loadable",
    "npu::kernel-twice",
    "npu::limit",
    "npu::malformed-cdo",
    "npu::malformed-control-packet",
    "npu::malformed-elf",
    "npu::malformed-pdi",
    "npu::malformed-transaction",
    "npu::malformed-xclbin",
    "npu::no-firmware",
    "npu::no-full-elf",
    "npu::no-machine-code",
    "npu::no-such-operation",
    "npu::not-in-elf",
    "npu::patch-without-write",
    "npu::preempt-columns",
    "npu::several-devices",
    "npu::transaction-syntax",
    "objectfifo::bad-tile",
    "objectfifo::no-packet-id",
    "objectfifo::out-of-bounds",
    "objectfifo::window-too-large",
    "objectfifo::written-program",
    "refsi::length",
    "refsi::num-args",
    "refsi::reserved",
    "route::check",
    "route::congested",
    "route::extra-arbiters",
    "route::fixed-in-the-way",
    "route::gave-up",
    "route::memory-wait",
    "route::rule-slots",
    "route::shared-port",
    "route::shim-mux",
    "route::unreachable",
    "sequence::bad-lock",
    "sequence::bad-memory",
    "sequence::bad-read",
    "sequence::host-address",
    "sequence::no-token",
    "sequence::not-loaded",
    "sequence::runs-itself",
    "sequence::too-long",
    "sequence::unsupported",
    "sim::hazard",
    "sim::interrupted",
    "sim::memory",
    "sim::no-configuration",
    "sim::no-instructions",
    "sim::no-kernel",
    "sim::no-such-partition",
    "sim::other-family",
    "sim::other-generation",
    "sim::remark",
    "sim::trace-full",
    "sim::unknown-address",
    "sim::unmodelled",
    "sim::which-kernel",
    "sim::wrong-npu-file",
    "switch::not-understood",
    "trace::order",
    "transaction::lowered",
];

#[test]
fn every_code_has_an_example_or_is_listed() {
    let ids: Vec<&str> = aiec::code_tables::all().map(|code| code.id).collect();
    let has = |id: &str| examples::of(id).is_some();
    let missing: Vec<&&str> = ids
        .iter()
        .filter(|id| !has(id) && !WITHOUT.contains(id))
        .collect();
    assert!(missing.is_empty(), "without an example: {missing:?}");
    let needless: Vec<&&str> = WITHOUT.iter().filter(|id| has(id)).collect();
    assert!(needless.is_empty(), "have an example: {needless:?}");
    let unknown = examples::all().iter().map(|example| example.code);
    let unknown = unknown.chain(WITHOUT).filter(|id| !ids.contains(id));
    let unknown: Vec<&str> = unknown.collect();
    assert!(unknown.is_empty(), "no codes: {unknown:?}");
}
