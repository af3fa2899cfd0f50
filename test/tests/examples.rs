//! Compiles, runs and compares every example, and every design of `test/end_to_end/`, on each of its
//! devices.
//!
//! Each is done twice: the ELF and the cycle counts must be the same. The two ways from a design to
//! control code, `--emit=ctrl-asm` and `--emit=mlir` with `aiec translate`, must assemble to the
//! same bytes. `AIEC_BLESS=1` rewrites the data files of the examples.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use aiec_test::driver::aiec;
use aiec_test::examples::{Data, Ending, Example, data};
use aiec_test::pages;
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let root = folder.parent().map(Path::to_path_buf).unwrap_or_default();
    let mut trials = Vec::new();
    for (group, readme) in [("examples", true), ("test/end_to_end", false)] {
        let examples = match Example::all(&root.join(group)) {
            Ok(examples) => examples,
            Err(error) => {
                eprintln!("{group}: {error}");
                return ExitCode::FAILURE;
            }
        };
        for example in examples {
            let this = example.clone();
            let name = format!("{}/data", example.name);
            trials.push(Trial::test(name, move || files(&this, readme)));
            let this = example.clone();
            let name = format!("{}/translated", example.name);
            trials.push(Trial::test(name, move || translated(&this)));
            if group == "examples" && !example.devices.is_empty() {
                let (this, root) = (example.clone(), root.clone());
                let name = format!("{}/step by step", example.name);
                trials.push(Trial::test(name, move || steps(&this, &root)));
            }
            for device in example.devices.clone() {
                let this = example.clone();
                let name = format!("{}/{device}", example.name);
                let of_device = device.clone();
                trials.push(Trial::test(name, move || run(&this, &of_device)));
                let this = example.clone();
                let name = format!("{}/{device}/machine code", example.name);
                trials.push(Trial::test(name, move || run_machine_code(&this, &device)));
            }
        }
    }
    let scale = root.join("examples/scale");
    trials.push(Trial::test("folder with .npy", move || npy_folder(&scale)));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn the_data(example: &Example) -> Result<Data, Failed> {
    data(&example.name).ok_or_else(|| Failed::from("the table of examples doesn't know it"))
}

/// The files of an example are those of the table.
fn files(example: &Example, readme: bool) -> Result<(), Failed> {
    let data = the_data(example)?;
    let mut expected = vec!["design.mlir".to_string()];
    if readme {
        expected.push("README.md".to_string());
    }
    for (kind, arguments) in [("arg", &data.inputs), ("expected", &data.outputs)] {
        for (index, bytes) in arguments {
            let name = format!("{kind}{index}.bin");
            let path = example.folder.join(&name);
            if std::env::var_os("AIEC_BLESS").is_some() {
                fs::write(&path, bytes)?;
            }
            if fs::read(&path)? != *bytes {
                return Err(format!("{name} is not what the table says; AIEC_BLESS=1?").into());
            }
            expected.push(name);
        }
    }
    for name in &expected {
        if !example.folder.join(name).exists() {
            return Err(format!("{name} is missing").into());
        }
    }
    for entry in fs::read_dir(&example.folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let source = [".mlir", ".c"].iter().any(|ending| name.ends_with(ending));
        if !expected.contains(&name) && !source {
            return Err(format!("{name} belongs to nothing").into());
        }
    }
    if example.devices.is_empty() {
        return Err("no design has a line '// Devices: …'".into());
    }
    Ok(())
}

/// The control code that a compilation holds is that of its operations.
fn translated(example: &Example) -> Result<(), Failed> {
    let Some(device) = example.devices.first() else {
        // Programs of other fabrics aren't netlists.
        return Ok(());
    };
    let design = example.design(device).into_os_string();
    let emit = |kind: &str| {
        let args = ["--device", device, kind, "-o", "-"].map(OsString::from);
        aiec([design.clone()].into_iter().chain(args), b"").output()
    };
    let assembled = |text: &[u8]| aiec(["asm", "-", "-o", "-"], text).output();
    let operations = emit("--emit=mlir")?;
    let translated = aiec(["translate", "--aie-cert-to-asm", "-"], &operations).output()?;
    if assembled(&translated)? == assembled(&emit("--emit=ctrl-asm")?)? {
        Ok(())
    } else {
        Err("the operations translate to other control code".into())
    }
}

/// `aiec example` on a folder with `.npy` files, of which the expected one has two other numbers: it says
/// which, by index and value, and how many.
fn npy_folder(scale: &Path) -> Result<(), Failed> {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("npy_folder");
    fs::create_dir_all(&scratch)?;
    fs::copy(scale.join("design.mlir"), scratch.join("design.mlir"))?;
    fs::write(
        scratch.join("arg0.npy"),
        npy(&fs::read(scale.join("arg0.bin"))?),
    )?;
    let right = fs::read(scale.join("expected1.bin"))?;
    let args = [
        "example".into(),
        scratch.clone().into_os_string(),
        "-o".into(),
        scratch.join("out").into_os_string(),
    ];
    fs::write(scratch.join("expected1.npy"), npy(&right))?;
    expect(args.to_vec(), 0)?;
    let mut wrong = right.clone();
    for at in [3, 200] {
        wrong[4 * at..4 * at + 4].copy_from_slice(&123_456i32.to_le_bytes());
    }
    fs::write(scratch.join("expected1.npy"), npy(&wrong))?;
    let run = aiec(&args, b"");
    for said in [
        "2 of 256 elements are not as expected",
        "[3] is ",
        "[200] is ",
        "expected 123456",
    ] {
        if !run.stderr.contains(said) {
            return Err(format!("'{said}' is not in:\n{}", run.stderr).into());
        }
    }
    match run.exit.code() {
        1 => Ok(()),
        code => Err(format!("exit code {code}").into()),
    }
}

/// Numbers of 32 bits as a file of NumPy.
fn npy(words: &[u8]) -> Vec<u8> {
    let header = format!(
        "{{'descr': '<i4', 'fortran_order': False, 'shape': ({},), }}",
        words.len() / 4
    );
    let header = format!("{header:<117}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.bytes());
    file.extend(words);
    file
}

/// A runtime sequence of its own in an example: the device that has it, and by its argument numbers
/// those of the example.
type SequenceOf = (&'static str, &'static [usize]);

/// The devices of examples that load several, in the order in which the main one loads them.
const LOADED: &[(&str, &[SequenceOf])] =
    &[("two-kernels", &[("scale", &[0, 1]), ("mirror", &[1, 2])])];

/// The commands of the page "Step by step" make control code that does the same as a compilation.
fn steps(example: &Example, root: &Path) -> Result<(), Failed> {
    let page = fs::read_to_string(root.join("docs/src/step-by-step.md"))?;
    let blocks = pages::blocks(&page);
    let recipe = blocks.iter().find(|block| block.language == "sh");
    let recipe = recipe.ok_or("the page has no commands")?;
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("steps");
    let scratch = scratch.join(&example.name);
    fs::create_dir_all(&scratch)?;
    let design = fs::read_to_string(example.folder.join("design.mlir"))?;
    let device = design.split("aie.device(").nth(1);
    let device = device.and_then(|rest| rest.split(')').next());
    let device = device.ok_or("the design names no device")?;
    fs::write(scratch.join("design.mlir"), &design)?;
    let data = the_data(example)?;
    for (index, bytes) in &data.inputs {
        fs::write(scratch.join(format!("arg{index}.bin")), bytes)?;
    }
    let loaded = LOADED.iter().find(|(name, _)| *name == example.name);
    let all: Vec<usize> = (0..data.inputs.len() + data.outputs.len()).collect();
    let whole = [("", &all[..])];
    let runs: Vec<(&str, &[usize])> = match loaded {
        Some((_, devices)) => devices.to_vec(),
        None => whole.to_vec(),
    };
    for (name, numbers) in runs {
        for command in pages::commands(&recipe.text) {
            let mut args = command.within(&scratch, root);
            let simulates = args[0] == "sim";
            if simulates {
                args.truncate(2);
                args.extend(["--device", device].map(str::to_string));
                args.extend(buffers(numbers, &data, &scratch));
                // It has an output, which nothing is written to.
                if example.ending == Ending::Deadlock {
                    args.push("--arg-size=1=4096".to_string());
                }
            }
            for arg in args.iter_mut().filter(|_| !name.is_empty()) {
                if arg == "--aie-npu-to-cert" {
                    *arg = format!("{arg}=device-name={name}");
                }
            }
            let code = match (simulates, example.ending) {
                (true, Ending::Deadlock) => 3,
                _ => 0,
            };
            expect(args.into_iter().map(OsString::from), code)?;
        }
    }
    if example.ending == Ending::Completed {
        for (index, expected) in &data.outputs {
            let actual = fs::read(scratch.join(format!("arg{index}.bin")))?;
            compare(*index, expected, &actual)?;
        }
    }
    Ok(())
}

/// The options that give a run its arguments: `numbers` are those of the example. What a run writes is
/// where another would read it.
fn buffers(numbers: &[usize], data: &Data, scratch: &Path) -> Vec<String> {
    let mut args = Vec::new();
    for (own, number) in numbers.iter().enumerate() {
        let file = scratch.join(format!("arg{number}.bin"));
        let file = file.display();
        match data.outputs.iter().find(|(index, _)| index == number) {
            Some((_, bytes)) if numbers.first() != Some(number) => {
                args.push(format!("--arg-size={own}={}", bytes.len()));
                args.push(format!("--out={own}={file}"));
            }
            _ => args.push(format!("--arg={own}={file}")),
        }
    }
    args
}

/// The first generation's instruction set isn't known.
const WITHOUT_MACHINE_CODE: &[&str] = &["xcvc1902"];

/// With machine code in its cores a design leaves the same data, and no bundle depends on what isn't promised.
fn run_machine_code(example: &Example, device: &str) -> Result<(), Failed> {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("examples");
    let scratch = scratch.join(format!("{}-{device}-machine", example.name));
    fs::create_dir_all(&scratch)?;
    if WITHOUT_MACHINE_CODE.contains(&device) {
        let design = example.design(device).into_os_string();
        let device = format!("--device={device}");
        let args = [device.as_str(), "--core=machine", "-o", "-"].map(OsString::from);
        return expect([design].into_iter().chain(args), 1);
    }
    once(
        example,
        device,
        &scratch,
        &["--core=machine"],
        &["--core-strict"],
    )
    .map(drop)
}

fn run(example: &Example, device: &str) -> Result<(), Failed> {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("examples");
    let scratch = scratch.join(format!("{}-{device}", example.name));
    if scratch.exists() {
        fs::remove_dir_all(&scratch)?;
    }
    fs::create_dir_all(&scratch)?;
    let first = once(example, device, &scratch, &[], &[])?;
    let second = once(example, device, &scratch, &[], &[])?;
    if first.elf != second.elf {
        return Err("the second compilation gives another ELF".into());
    }
    if first.report != second.report {
        return Err("the second simulation gives another report".into());
    }
    Ok(())
}

/// Outputs of a compilation and simulation.
struct Artifacts {
    elf: Vec<u8>,
    report: String,
}

/// Compiles and simulates a design, with more options for either.
fn once(
    example: &Example,
    device: &str,
    scratch: &Path,
    compile: &[&str],
    simulate: &[&str],
) -> Result<Artifacts, Failed> {
    let data = the_data(example)?;
    let elf = scratch.join("design.elf");
    let report = scratch.join("report.json");
    let design = example.design(device);
    let args = [
        "--device".into(),
        device.into(),
        "-o".into(),
        elf.clone().into(),
    ];
    let more = compile.iter().map(OsString::from);
    expect(
        [design.into_os_string()]
            .into_iter()
            .chain(args)
            .chain(more),
        0,
    )?;
    let mut args: Vec<OsString> = vec!["sim".into(), elf.clone().into()];
    args.extend(simulate.iter().map(OsString::from));
    args.extend(["--report".into(), report.clone().into()]);
    for (index, bytes) in &data.inputs {
        let path = scratch.join(format!("arg{index}.bin"));
        fs::write(&path, bytes)?;
        args.extend(["--arg".into(), indexed(*index, &path)]);
    }
    for (index, _) in &data.outputs {
        let path = scratch.join(format!("out{index}.bin"));
        args.extend(["--out".into(), indexed(*index, &path)]);
    }
    let (code, status) = match example.ending {
        Ending::Completed => (0, "completed"),
        Ending::Deadlock => (3, "deadlock"),
    };
    expect(args, code)?;
    for (index, expected) in &data.outputs {
        let actual = fs::read(scratch.join(format!("out{index}.bin")))?;
        compare(*index, expected, &actual)?;
    }
    let text = fs::read_to_string(&report)?;
    let value: serde_json::Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    if value["status"] != status {
        return Err(format!("status {} instead of {status}", value["status"]).into());
    }
    Ok(Artifacts {
        elf: fs::read(elf)?,
        report: text,
    })
}

fn indexed(index: usize, path: &Path) -> OsString {
    let mut text = OsString::from(format!("{index}="));
    text.push(path);
    text
}

/// Runs `aiec` and expects an exit code.
fn expect(args: impl IntoIterator<Item = OsString>, code: u8) -> Result<(), Failed> {
    let args: Vec<OsString> = args.into_iter().collect();
    let run = aiec(&args, b"");
    let (exit, stderr) = (run.exit.code(), run.stderr);
    if exit == code {
        return Ok(());
    }
    Err(format!("aiec {args:?}\nexit code {exit}, expected {code}\n{stderr}").into())
}

fn compare(index: usize, expected: &[u8], actual: &[u8]) -> Result<(), Failed> {
    if expected == actual {
        return Ok(());
    }
    let (e, a) = (expected.chunks(4), actual.chunks(4));
    let wrong = e.clone().zip(a.clone()).filter(|(e, a)| e != a).count();
    let first = e.zip(a).position(|(e, a)| e != a);
    let at = |bytes: &[u8]| {
        let word = first
            .and_then(|first| bytes.get(4 * first..4 * first + 4))
            .map(<[u8]>::to_vec);
        word.map(|word| i32::from_le_bytes([word[0], word[1], word[2], word[3]]))
    };
    Err(format!(
        "argument {index}: {wrong} words differ, the first is {first:?} ({:?} expected, got {:?}); \
         {} bytes expected, got {}",
        at(expected),
        at(actual),
        expected.len(),
        actual.len()
    )
    .into())
}
