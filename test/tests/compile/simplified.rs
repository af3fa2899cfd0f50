//! `aiec opt --canonicalize --cse` changes the text of designs, not what they do: the simplified
//! examples are simulated and give the outputs that the examples' own description computes.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use aiec_test::driver::aiec;
use aiec_test::examples::{Ending, Example, data};

fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.parent().expect("the repository").to_path_buf()
}

/// Designs that `opt` refuses, as mlir-aie does: BDs with a dimension that the DMA has not.
const REFUSED_BY_OPT: [&str; 1] = ["outer-dimensions"];

#[test]
fn simplified_examples_do_the_same() {
    let mut tried = 0;
    for group in ["examples", "test/end_to_end"] {
        for example in Example::all(&root().join(group)).expect("the examples") {
            let refused = REFUSED_BY_OPT.contains(&example.name.as_str());
            if example.ending == Ending::Completed && !refused {
                simplified(&example);
                tried += 1;
            }
        }
    }
    assert!(tried > 15, "only {tried} examples were found");
}

fn simplified(example: &Example) {
    let name = &example.name;
    let device = example.devices.first().expect("a device");
    let data = data(name).expect("a description of its data");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("simplified")
        .join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let design = folder.join("design.mlir");
    let opt: Vec<OsString> = vec![
        "opt".into(),
        "--canonicalize".into(),
        "--cse".into(),
        example.design(device).into(),
        "-o".into(),
        design.clone().into(),
    ];
    let run = aiec(&opt, b"");
    assert_eq!(run.exit, aiec::Exit::Done, "{name}: {}", run.stderr);
    let mut sim: Vec<OsString> = vec!["sim".into(), design.into(), "--device".into()];
    sim.push(device.into());
    let mut file = |option: &str, kind: &str, n: usize| {
        let path = folder.join(format!("{kind}{n}.bin"));
        let mut value = OsString::from(format!("{n}="));
        value.push(&path);
        sim.extend([option.into(), value]);
        path
    };
    for (n, bytes) in &data.inputs {
        fs::write(file("--arg", "arg", *n), bytes).expect("an input");
    }
    let outputs: Vec<(PathBuf, &Vec<u8>)> = data
        .outputs
        .iter()
        .map(|(n, bytes)| (file("--out", "out", *n), bytes))
        .collect();
    let run = aiec(&sim, b"");
    assert_eq!(run.exit, aiec::Exit::Done, "{name}: {}", run.stderr);
    for (path, expected) in outputs {
        let found = fs::read(&path).expect("an output");
        assert!(found == *expected, "{name}: {} differs", path.display());
    }
}
