//! `--emit=throughput`: no run is faster than the bound, and runs that one thing limits come close to it.

use std::fs;
use std::path::{Path, PathBuf};

use aiec_test::designs::runs::{drawn, netlist};
use aiec_test::driver::aiec;
use aiec_test::examples::{Ending, Example, data};
use aiec_test::schema::violations;
use aiec_test::seeds;
use serde_json::Value;

/// Random designs of a usual run.
const DESIGNS: u64 = 120;

/// Percent of a run that its bound has to be where one thing limits it.
const CLOSE: u64 = 90;

/// Words of the error that says that a bound is wrong.
const FASTER: &str = "which is faster than the bound of";

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

/// The least cycles of a run, if they are known, and those that it took.
fn bound_and_run(
    input: &Path,
    name: &str,
    options: &[String],
) -> Result<(Option<u64>, u64), String> {
    let report = folder().join(format!("throughput-{name}.json"));
    let mut args = vec!["sim".to_string(), input.display().to_string()];
    args.push("--races=off".to_string());
    args.push(format!("--report={}", report.display()));
    args.extend_from_slice(options);
    aiec(&args, &[]).output()?;
    let text = fs::read_to_string(&report).map_err(|error| error.to_string())?;
    let report: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    Ok((
        report["bound_cycles"].as_u64(),
        number(&report["run_cycles"]),
    ))
}

/// Whether a design has a bound, which its run must keep to.
fn keeps_to_its_bound(input: &Path, name: &str, options: &[String]) -> Result<bool, String> {
    let (bound, run) = bound_and_run(input, name, options)?;
    match bound {
        Some(bound) if bound > run => Err(format!("{run} cycles, {FASTER} {bound}")),
        bound => Ok(bound.is_some()),
    }
}

#[test]
fn no_random_design_is_faster_than_its_bound() {
    let failures = seeds::failures(seeds::cases(DESIGNS), |seed| {
        let text = netlist(&drawn(seed)?)?;
        let name = format!("random-{seed}");
        let design = folder().join(format!("throughput-{name}.mlir"));
        fs::write(&design, text).map_err(|error| error.to_string())?;
        keeps_to_its_bound(&design, &name, &[])?;
        keeps_to_its_bound(&design, &name, &["--timing=off".to_string()])?;
        // Some operations have no machine code.
        match keeps_to_its_bound(&design, &name, &["--core=machine".to_string()]) {
            Err(error) if error.contains(FASTER) => Err(error),
            _ => Ok(()),
        }
    });
    assert!(failures.is_empty(), "{failures:#?}");
}

/// The examples that complete, and the designs for other tests.
fn examples() -> Vec<Example> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let groups = ["examples", "test/end_to_end"];
    let all = groups.map(|group| Example::all(&root.join(group)).expect("the designs"));
    let all = all.into_iter().flatten();
    all.filter(|example| example.ending == Ending::Completed)
        .collect()
}

#[test]
fn no_example_is_faster_than_its_bound() {
    let mut bounded = 0;
    for example in examples() {
        let Some(data) = data(&example.name) else {
            continue;
        };
        let arguments = data.inputs.iter().map(|(index, bytes)| {
            let path = folder().join(format!("throughput-{}-{index}.bin", example.name));
            fs::write(&path, bytes).expect("a file");
            format!("--arg={index}={}", path.display())
        });
        let arguments: Vec<String> = arguments.collect();
        for device in &example.devices {
            let mut options = arguments.clone();
            options.push(format!("--device={device}"));
            let name = format!("{}-{device}", example.name);
            // Some need more options, which their own tests have.
            match keeps_to_its_bound(&example.design(device), &name, &options) {
                Ok(is_bounded) => bounded += u32::from(is_bounded),
                Err(error) => assert!(!error.contains(FASTER), "{name}: {error}"),
            }
        }
    }
    assert!(bounded > 60, "{bounded}");
}

fn emitted(design: &Path, kind: &str) -> Value {
    let args = [
        design.display().to_string(),
        format!("--emit={kind}"),
        "-o".to_string(),
        "-".to_string(),
    ];
    let output = aiec(&args, &[]).output().expect("it succeeds");
    serde_json::from_slice(&output).expect("JSON")
}

#[test]
fn bounds_keep_to_their_schema() {
    let examples = examples();
    let designs = examples
        .iter()
        .map(|example| example.folder.join("design.mlir"));
    let designs: Vec<PathBuf> = designs.filter(|design| design.exists()).collect();
    let schema = emitted(&designs[0], "throughput-json-schema");
    for design in &designs {
        let bound = emitted(design, "throughput-json");
        let found = violations(&schema, &bound);
        assert!(
            found.is_empty(),
            "{}: {}",
            design.display(),
            found.join("\n")
        );
    }
    let mut wrong = emitted(&designs[0], "throughput-json");
    wrong["devices"][0]["bound"]["parts"] = 1.into();
    assert!(!violations(&schema, &wrong).is_empty());
}

/// A sequence that sends `transfers` transfers of `words` words each way and waits for all.
fn sequence(transfers: u32, words: u32) -> String {
    let all = transfers * words;
    let mut text =
        format!("  aie.runtime_sequence(%a: memref<{all}xi32>, %b: memref<{all}xi32>) {{\n");
    for transfer in 0..transfers {
        let from = transfer * words;
        for (argument, fifo, id, token) in
            [("a", "in", 0, ""), ("b", "out", 1, ", issue_token = true")]
        {
            let id = (2 * transfer + id) % 16;
            text += &format!(
                "    aiex.npu.dma_memcpy_nd(%{argument}[0, 0, 0, {from}][1, 1, 1, {words}][0, 0, 0, 1]) \
                 {{metadata = @{fifo}, id = {id} : i64{token}}} : memref<{all}xi32>\n"
            );
        }
    }
    text += &"    aiex.npu.dma_wait {symbol = @out}\n".repeat(transfers as usize);
    text + "  }\n"
}

/// Words that a mem tile passes on, in objects of `object` words of which it has `depth`.
fn passthrough(device: &str, (object, depth): (u32, u32), sequence: &str) -> String {
    let ty = format!("!aie.objectfifo<memref<{object}xi32>>");
    format!(
        "aie.device({device}) {{
  %shim = aie.tile(0, 0)
  %mem = aie.tile(0, 1)
  aie.objectfifo @in(%shim, {{%mem}}, {depth} : i32) : {ty}
  aie.objectfifo @out(%mem, {{%shim}}, {depth} : i32) : {ty}
  aie.objectfifo.link [@in] -> [@out]([] [0])
{sequence}}}
"
    )
}

/// A core that works on objects of 64 words, with `passes` passes of a loop for each.
fn kernel(device: &str, passes: u32, sequence: &str) -> String {
    let ty = "!aie.objectfifo<memref<64xi32>>";
    let view = "!aie.objectfifosubview<memref<64xi32>>";
    format!(
        "aie.device({device}) {{
  %shim = aie.tile(0, 0)
  %tile = aie.tile(0, 3)
  aie.objectfifo @in(%shim, {{%tile}}, 2 : i32) : {ty}
  aie.objectfifo @out(%tile, {{%shim}}, 2 : i32) : {ty}
  aie.core(%tile) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %forever = arith.constant 9223372036854775807 : index
    %passes = arith.constant {passes} : index
    scf.for %round = %c0 to %forever step %c1 {{
      %si = aie.objectfifo.acquire @in(Consume, 1) : {view}
      %x = aie.objectfifo.subview.access %si[0] : {view} -> memref<64xi32>
      %so = aie.objectfifo.acquire @out(Produce, 1) : {view}
      %y = aie.objectfifo.subview.access %so[0] : {view} -> memref<64xi32>
      scf.for %i = %c0 to %passes step %c1 {{
        %v = memref.load %x[%c0] : memref<64xi32>
        memref.store %v, %y[%c0] : memref<64xi32>
      }}
      aie.objectfifo.release @in(Consume, 1)
      aie.objectfifo.release @out(Produce, 1)
    }}
    aie.end
  }}
{sequence}}}
"
    )
}

fn written(name: &str, text: &str) -> PathBuf {
    let design = folder().join(format!("throughput-{name}.mlir"));
    fs::write(&design, text).expect("a file");
    design
}

/// A kind of designs that one thing limits: its name, the design of a number of rounds, and who limits it.
type Limited = (&'static str, fn(&str, u32) -> String, &'static str);

/// Words of a round of a design that one thing limits.
const fn round_words(name: &str) -> u32 {
    match name.as_bytes() {
        b"memory" => 512,
        b"shim" => 1024,
        _ => 64,
    }
}

const LIMITED: [Limited; 4] = [
    (
        "memory",
        |device, rounds| passthrough(device, (512, 1), &sequence(1, 512 * rounds)),
        "DMA",
    ),
    (
        "core",
        |device, rounds| kernel(device, 300, &sequence(1, 64 * rounds)),
        "core (0, 3)",
    ),
    (
        "shim",
        |device, rounds| passthrough(device, (1024, 2), &sequence(1, 1024 * rounds)),
        "DMA",
    ),
    (
        "core after transfers",
        |device, rounds| kernel(device, 300, &sequence(rounds / 8, 512)),
        "core (0, 3)",
    ),
];

#[test]
fn runs_that_one_thing_limits_come_close_to_their_bounds() {
    for (name, design, limit) in LIMITED {
        for device in ["npu1", "npu2", "xcve3858"] {
            let name = format!("{name}-{device}");
            let design = written(&name, &design(device, 32));
            let (bound, run) = bound_and_run(&design, &name, &[]).expect("a run");
            let bound = bound.expect("a bound");
            assert!(bound <= run, "{name}: {bound} of {run}");
            assert!(bound * 100 >= run * CLOSE, "{name}: {bound} of {run}");
            let json = emitted(&design, "throughput-json");
            let bound = &json["devices"][0]["bound"];
            assert_eq!(
                bound["left_out"].as_array().map(Vec::len),
                Some(0),
                "{bound:#}"
            );
            let part = &bound["parts"][0];
            let who = part["critical"][0]["who"].as_str().expect("a name");
            assert!(who.starts_with(limit), "{name}: {who}");
        }
    }
}

#[test]
fn transfers_that_begin_one_after_the_other_are_part_of_the_bound() {
    for device in ["npu1", "npu2"] {
        let name = format!("short-{device}");
        let design = written(&name, &passthrough(device, (32, 2), &sequence(4, 32)));
        let (bound, run) = bound_and_run(&design, &name, &[]).expect("a run");
        let bound = bound.expect("a bound");
        assert!(
            bound <= run && bound * 100 >= run * CLOSE,
            "{name}: {bound} of {run}"
        );
    }
}

#[test]
fn a_round_in_the_long_run_takes_what_the_steady_state_says() {
    const ROUNDS: (u32, u32) = (32, 96);
    for (name, design, _) in LIMITED {
        let words = f64::from(round_words(name));
        let name = format!("steady-{name}");
        let runs = [ROUNDS.0, ROUNDS.1].map(|rounds| {
            let design = written(&name, &design("npu2", rounds));
            let (_, run) = bound_and_run(&design, &name, &[]).expect("a run");
            run
        });
        let round = (runs[1] - runs[0]) as f64 / f64::from(ROUNDS.1 - ROUNDS.0);
        let json = emitted(
            &written(&name, &design("npu2", ROUNDS.0)),
            "throughput-json",
        );
        let part = &json["devices"][0]["bound"]["parts"][0];
        let cycles = part["cycles"].as_f64().expect("a number");
        // A round of the rings may be several objects.
        let mut resources = part["resources"].as_array().expect("a list").iter();
        let shim = resources.find(|resource| {
            let who = resource["who"].as_str();
            who.is_some_and(|who| who.contains("in_shim_alloc"))
        });
        let bytes = shim.map_or(0, |shim| number(&shim["bytes"]));
        let least = cycles * 4.0 * words / bytes as f64;
        assert!(least <= round + 0.5, "{name}: {least} of {round}");
        assert!(
            least * 100.0 >= round * CLOSE as f64,
            "{name}: {least} of {round}"
        );
        let links = part["critical"].as_array().expect("a list").iter();
        let sum: f64 = links
            .map(|link| link["cycles"].as_f64().expect("a number"))
            .sum();
        assert!((sum - cycles).abs() < 0.1, "{name}: {sum} of {cycles}");
    }
}

#[test]
fn one_transfer_of_many_objects_is_bounded_in_time_linear_in_them() {
    // 65,536 objects: minutes if each looks at all before it again.
    const WORDS: u32 = 1 << 20;
    let design = written("many", &passthrough("npu2", (16, 2), &sequence(1, WORDS)));
    let bound = emitted(&design, "throughput-json");
    let run = &bound["devices"][0]["bound"]["run"];
    assert_eq!(run["whole"], true);
    assert!(number(&run["cycles"]) > u64::from(WORDS), "{run}");
}

#[test]
fn what_nothing_is_known_of_is_left_out() {
    let design = kernel("npu2", 300, &sequence(1, 64 * 32));
    let depends = design.replace(
        "scf.for %i = %c0 to %passes",
        "%word = memref.load %x[%c1] : memref<64xi32>
      %count = arith.index_cast %word : i32 to index
      scf.for %i = %c0 to %count",
    );
    let design = written("depends", &depends);
    let bound = emitted(&design, "throughput-json");
    let bound = &bound["devices"][0]["bound"];
    let left_out = bound["left_out"].as_array().expect("a list");
    let reasons = left_out.iter().filter_map(|left| left["reason"].as_str());
    let reasons: Vec<&str> = reasons.collect();
    assert_eq!(reasons, ["the cycles of core (0, 3) depend on data"]);
    // All words are 0: the loop has no pass, and the run is far below what another one would take.
    assert_eq!(keeps_to_its_bound(&design, "depends", &[]), Ok(true));
}

/// The bound of a design's run, as `--emit=throughput-json` has it; `None` if there is none.
fn run_bound(design: &Path) -> Option<Value> {
    let bound = emitted(design, "throughput-json");
    let devices = bound["devices"].as_array().expect("devices");
    let runs = devices.iter().map(|device| device["bound"]["run"].clone());
    runs.into_iter().find(|run| !run.is_null())
}

/// Passes of mlir-aie that make register writes of transfers and tasks.
const TO_REGISTERS: [&str; 5] = [
    "--aie-objectFifo-stateful-transform",
    "--aie-assign-lock-ids",
    "--aie-assign-runtime-sequence-bd-ids",
    "--aie-dma-tasks-to-npu",
    "--aie-dma-to-npu",
];

#[test]
fn sequences_of_register_writes_have_the_bound_of_their_transfers() {
    let mut same = 0;
    for example in examples() {
        let design = example.folder.join("design.mlir");
        if !design.exists() {
            continue;
        }
        let written = folder().join(format!("throughput-{}-registers.mlir", example.name));
        let mut args = vec!["opt".to_string(), design.display().to_string()];
        args.extend(TO_REGISTERS.map(str::to_string));
        args.extend(["-o".to_string(), written.display().to_string()]);
        // Some need passes before these.
        if aiec(&args, &[]).output().is_err() {
            continue;
        }
        let text = fs::read_to_string(&written).expect("a file");
        let Some(run) = run_bound(&design).filter(|_| text.contains("aiex.npu.write")) else {
            continue;
        };
        // A descriptor that is written again once another channel is done: that its own is done too isn't followed there.
        if let Some(of_registers) = run_bound(&written) {
            assert_eq!(of_registers, run, "{}", example.name);
            same += 1;
        }
    }
    assert!(same > 25, "{same}");
}
