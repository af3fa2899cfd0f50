//! Designs as files of Ryzen AI give the data that their control code gives, and files that others
//! compiled run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use aiec_device::DeviceModel;
use aiec_device::regmap::RegisterRef;
use aiec_npu::cdo::Command;
use aiec_npu::pdi;
use aiec_npu::txn::{Operation, Transaction};
use aiec_test::designs::draw;
use aiec_test::driver::aiec;
use aiec_test::examples::{Ending, Example, data};
use aiec_test::seeds::{cases, entropy, first_seed, in_parallel};
use arbitrary::Unstructured;

/// Forms in which a design is run, beside control code.
const KINDS: [&str; 3] = ["xclbin", "xclbin-elf", "npu-elf"];
/// Random designs drawn when the environment does not say.
const DEFAULT_COUNT: u64 = 300;
/// Seeds tried for each, as designs are for other devices too.
const DRAWS: u64 = 4;
/// Bytes of randomness for one design; more than any design uses.
const ENTROPY_BYTES: usize = 4096;

fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.parent().expect("the repository").to_path_buf()
}

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("npu")
        .join(name);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Designs that the firmware can't run: which, in which form (any if empty), and the code.
const REFUSED: [(&str, &str, &str); 5] = [
    ("two-kernels", "xclbin", "npu::several-devices"),
    // The driver patches addresses in runtime sequences only.
    ("host-buffers", "", "npu::no-such-operation"),
    ("static-transfers", "", "npu::no-such-operation"),
    ("read-back", "", "npu::no-such-operation"),
    ("read-lengths", "", "npu::no-such-operation"),
];

/// Runs an example as files of Ryzen AI.
fn run_example(example: &Example, device: &str, kind: &str) -> Result<(), String> {
    let folder = scratch(&format!("{}-{device}-{kind}", example.name));
    let data = data(&example.name).ok_or("the table of examples doesn't know it")?;
    let mut args = vec![
        "sim".to_string(),
        example.design(device).display().to_string(),
        format!("--device={device}"),
        format!("--as={kind}"),
    ];
    for (flag, arguments) in [("arg", &data.inputs), ("expect", &data.outputs)] {
        for (index, bytes) in arguments {
            let path = folder.join(format!("{flag}{index}.bin"));
            fs::write(&path, bytes).map_err(|e| e.to_string())?;
            args.push(format!("--{flag}={index}={}", path.display()));
        }
    }
    let run = aiec(&args, &[]);
    let mut refused = REFUSED.iter();
    let refused = refused.find(|(name, k, _)| *name == example.name && kind.starts_with(k));
    let wanted = match (refused, example.ending) {
        (Some(_), _) => aiec::Exit::BadInput,
        (None, Ending::Completed) => aiec::Exit::Done,
        (None, Ending::Deadlock) => aiec::Exit::SimulationFailed,
    };
    let says_why = refused.is_none_or(|(.., code)| run.stderr.contains(code));
    if run.exit == wanted && says_why {
        Ok(())
    } else {
        Err(format!(
            "{} on {device} as {kind}: {}",
            example.name, run.stderr
        ))
    }
}

#[test]
fn examples_give_the_same_data_as_files_of_ryzen_ai() {
    let mut runs = Vec::new();
    for group in ["examples", "test/end_to_end"] {
        for example in Example::all(&root().join(group)).expect("the examples") {
            let devices = example.devices.clone();
            for device in devices.iter().filter(|d| d.starts_with("npu")) {
                for kind in KINDS {
                    let full_elf_on_npu1 = kind == "npu-elf" && device.starts_with("npu1");
                    if !full_elf_on_npu1 {
                        runs.push((example.clone(), device.clone(), kind));
                    }
                }
            }
        }
    }
    let count = runs.len() as u64;
    let failures = in_parallel(0..count, |number| {
        let (example, device, kind) = &runs[number as usize];
        run_example(example, device, kind)
    });
    assert!(
        failures.is_empty(),
        "{} of {count}: {failures:#?}",
        failures.len()
    );
}

/// The outputs of a design in text, by control code or as files of Ryzen AI.
fn outputs(
    folder: &Path,
    text: &str,
    buffers: &[(PathBuf, usize)],
    kind: Option<&str>,
) -> Result<Vec<Vec<u8>>, String> {
    let mut args = vec![
        "sim".to_string(),
        "-".to_string(),
        "--device=npu2".to_string(),
    ];
    args.extend(kind.map(|kind| format!("--as={kind}")));
    let mut paths = Vec::new();
    for (index, (input, _)) in buffers.iter().enumerate() {
        let output = folder.join(format!("out{index}-{}.bin", kind.unwrap_or("ctrl")));
        args.push(format!("--arg={index}={}", input.display()));
        args.push(format!("--out={index}={}", output.display()));
        paths.push(output);
    }
    aiec(&args, text.as_bytes()).output()?;
    let read = paths
        .iter()
        .map(|path| fs::read(path).map_err(|e| e.to_string()));
    read.collect()
}

#[test]
fn random_designs_give_the_same_data_as_files_of_ryzen_ai() {
    let run = AtomicU64::new(0);
    let (first, count) = (first_seed(), cases(DEFAULT_COUNT));
    let failures = in_parallel(first..first + DRAWS * count, |seed| {
        let bytes = entropy(seed.wrapping_mul(0x1000_0001), ENTROPY_BYTES);
        let design = draw(&mut Unstructured::new(&bytes)).map_err(|e| e.to_string())?;
        let text = design.text();
        let npu2 = text.contains("aie.device(npu2");
        if !npu2 && !text.contains("aie.device(npu1") || run.load(Ordering::Relaxed) >= count {
            return Ok(());
        }
        run.fetch_add(1, Ordering::Relaxed);
        let folder = scratch(&format!("random-{seed}"));
        let mut buffers = Vec::new();
        for (index, elements) in design.buffers.iter().enumerate() {
            let (path, size) = (
                folder.join(format!("in{index}.bin")),
                elements * design.elem.bytes(),
            );
            fs::write(&path, entropy(!seed ^ index as u64, size)).map_err(|e| e.to_string())?;
            buffers.push((path, size));
        }
        let by_control_code = outputs(&folder, &text, &buffers, None)?;
        let kinds = if npu2 { &KINDS[..] } else { &KINDS[..2] };
        let kind = kinds[(seed % kinds.len() as u64) as usize];
        let by_files = outputs(&folder, &text, &buffers, Some(kind))?;
        fs::remove_dir_all(&folder).map_err(|e| e.to_string())?;
        if by_control_code == by_files {
            Ok(())
        } else {
            Err(format!("other data as {kind}"))
        }
    });
    assert!(failures.is_empty(), "{}: {failures:#?}", failures.len());
    assert!(
        run.into_inner() >= count,
        "too few designs are for npu1 or npu2"
    );
}

#[test]
fn files_that_others_compiled_run() {
    let folder = scratch("golden");
    let numbers: Vec<u8> = (0..256u32).flat_map(|n| n.to_le_bytes()).collect();
    let input = folder.join("numbers.bin");
    fs::write(&input, numbers).expect("a file");
    let designs = root().join("test/vectors/containers/design");
    let given = format!("--arg=0={}", input.display());
    let expected = format!("--expect=1={}", input.display());
    for (design, file, instructions) in [
        ("passthrough_npu1_1col", "aie.xclbin", Some("insts.bin")),
        ("passthrough_npu1_1col", "aie.xclbin", Some("insts.elf")),
        ("passthrough_npu2_1col", "aie.xclbin", Some("insts.bin")),
        ("passthrough_npu2_1col", "aie.xclbin", Some("insts.elf")),
        ("passthrough_npu2_8col", "aie.xclbin", Some("insts.bin")),
        ("passthrough_npu2_1col_loadpdi", "aie.elf", None),
    ] {
        let path = |file: &str| designs.join(design).join(file).display().to_string();
        let mut args = vec![
            "sim".to_string(),
            path(file),
            given.clone(),
            expected.clone(),
        ];
        args.push("--arg-size=1=1024".to_string());
        args.extend(instructions.map(|file| format!("--insts={}", path(file))));
        let run = aiec(&args, &[]);
        assert_eq!(
            run.exit,
            aiec::Exit::Done,
            "{design} {file}: {}",
            run.stderr
        );
    }
}

/// The words that a configuration and a transaction leave in registers and memories.
fn state(pdi: &[u8], transaction: &[u8]) -> BTreeMap<u32, u32> {
    let mut state = BTreeMap::new();
    let mut write = |address: u32, mask: u32, value: u32| {
        let word = state.entry(address).or_insert(0);
        *word = *word & !mask | value & mask;
    };
    for command in pdi::read(pdi).expect("a PDI").commands {
        match command {
            Command::Write { register, value } => {
                write(register.address() as u32, u32::MAX, value);
            }
            Command::MaskWrite {
                register,
                mask,
                value,
            } => {
                // some writers put a value under the mask 0 for the queue's enable bit
                write(register.address() as u32, mask, value);
            }
            Command::DmaWrite { address, words } => {
                for (offset, word) in (0..).step_by(4).zip(words) {
                    write(address as u32 + offset, u32::MAX, word);
                }
            }
            Command::Nop { .. } => {}
            Command::MaskPoll { .. } => panic!("a loader takes no polls"),
        }
    }
    for encoded in Transaction::read(transaction)
        .expect("a transaction")
        .operations
    {
        match encoded.operation {
            Operation::Write { register, value } => write(register, u32::MAX, value),
            Operation::MaskWrite {
                register,
                value,
                mask,
            } => write(register, mask, value),
            Operation::BlockWrite { register, words } => {
                for (offset, word) in (0..).step_by(4).zip(words) {
                    write(register + offset, u32::MAX, word);
                }
            }
            Operation::DdrPatch { .. } | Operation::WaitTct { .. } => {}
            other => panic!("{other:?}"),
        }
    }
    state
}

/// A register of a stream switch or a shim mux: our router takes other ports than mlir-aie's, and
/// gives the packets of tokens another arbiter; `test/tests/compile/routing.rs` holds it to what
/// a routing means.
fn is_routing(device: &DeviceModel, address: u32) -> bool {
    let register = device.register_at(address).map(|(_, register)| register);
    matches!(
        register,
        Some(
            RegisterRef::MasterConfig { .. }
                | RegisterRef::SlaveConfig { .. }
                | RegisterRef::SlaveSlot { .. }
        )
    )
}

#[test]
fn compilations_leave_the_registers_that_mlir_aie_leaves() {
    let folder = root().join("test/vectors/containers/design");
    for (design, device) in [
        ("passthrough_npu1_1col", "npu1_1col"),
        ("passthrough_npu2_1col", "npu2_1col"),
        ("passthrough_npu2_8col", "npu2"),
        ("core_npu1_1col", "npu1_1col"),
    ] {
        let theirs = folder.join(design);
        let ours = scratch(&format!("registers-{design}"));
        let args = [
            theirs.join("design.mlir").display().to_string(),
            "--emit=pdi,insts".into(),
            format!("-o={}", ours.display()),
        ];
        let run = aiec(&args, &[]);
        assert_eq!(run.exit, aiec::Exit::Done, "{design}: {}", run.stderr);
        let read = |path: PathBuf| fs::read(path).expect("a file");
        let wanted = state(
            &read(theirs.join("main.pdi")),
            &read(theirs.join("insts.bin")),
        );
        let made = state(
            &read(ours.join("main.pdi")),
            &read(ours.join("design.insts.bin")),
        );
        let device = DeviceModel::by_name(device).expect("a device");
        let addresses: BTreeSet<u32> = wanted.keys().chain(made.keys()).copied().collect();
        for address in addresses {
            if is_routing(device, address) {
                continue;
            }
            // a word that was never written is 0 after a reset
            let word = |state: &BTreeMap<u32, u32>| state.get(&address).copied().unwrap_or(0);
            let place = device.describe(address).map(|place| place.to_string());
            assert_eq!(
                word(&made),
                word(&wanted),
                "{design}: 0x{address:x} ({place:?})"
            );
        }
    }
}
