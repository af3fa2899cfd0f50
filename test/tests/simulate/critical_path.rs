//! `aiec sim --critical-path`: the links are the run, and say what makes its time.

use std::fs;
use std::path::{Path, PathBuf};

use aiec_test::designs::runs::{drawn, netlist};
use aiec_test::driver::aiec;
use aiec_test::examples::Example;
use aiec_test::seeds;
use serde_json::Value;

/// Random designs of a usual run.
const DESIGNS: u64 = 40;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
}

/// The report of a run with its critical path.
fn report(input: &Path, name: &str, options: &[&str]) -> Result<Value, String> {
    let report = folder().join(format!("path-{name}.json"));
    let mut args = vec!["sim".to_string(), input.display().to_string()];
    args.push("--critical-path".to_string());
    args.push(format!("--report={}", report.display()));
    args.extend(options.iter().map(ToString::to_string));
    aiec(&args, &[]).output()?;
    let text = fs::read_to_string(&report).map_err(|error| error.to_string())?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

fn report_of(text: &str, name: &str, options: &[&str]) -> Result<Value, String> {
    let design = folder().join(format!("path-{name}.mlir"));
    fs::write(&design, text).map_err(|error| error.to_string())?;
    report(&design, name, options)
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Whether the links join from the first cycle of the run to its last, and the shares are their sums.
fn joins(report: &Value) -> Result<(), String> {
    let path = &report["critical_path"];
    let mut at = 0;
    for link in list(&path["links"]) {
        if number(&link["begin"]) != at || number(&link["cycles"]) == 0 {
            return Err(format!("{link} doesn't begin in cycle {at}"));
        }
        at += number(&link["cycles"]);
    }
    let shares = list(&path["shares"]).iter();
    let sum: u64 = shares.map(|share| number(&share["cycles"])).sum();
    let cycles = number(&report["cycles"]);
    if (at, sum) == (cycles, cycles) {
        Ok(())
    } else {
        Err(format!(
            "links of {at} cycles, shares of {sum}: the run has {cycles}"
        ))
    }
}

/// Cycles of the path that a part spent with an activity.
fn share(report: &Value, who: &str, activity: &str) -> u64 {
    let shares = list(&report["critical_path"]["shares"]).iter();
    let mine = shares.filter(|share| share["who"] == who && share["activity"] == activity);
    mine.map(|share| number(&share["cycles"])).sum()
}

#[test]
fn links_are_the_whole_run() {
    let failures = seeds::failures(seeds::cases(DESIGNS), |seed| {
        let text = netlist(&drawn(seed)?)?;
        let name = format!("random-{seed}");
        let device_has_uc = text.contains("aie.device(xcve");
        joins(&report_of(&text, &name, &[])?)?;
        if device_has_uc {
            return Ok(());
        }
        joins(&report_of(&text, &name, &["--as=xclbin"])?)
    });
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn links_of_examples_are_the_whole_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut tried = 0;
    for example in Example::all(&root.join("examples")).expect("the examples") {
        let design = example.folder.join("design.mlir");
        if !design.exists() || example.name == "deadlock" {
            continue;
        }
        tried += 1;
        for exact in [&[][..], &["--sim-exact"]] {
            let found = report(&design, &format!("example-{}", example.name), exact);
            let found = found.and_then(|report| joins(&report));
            assert_eq!(found, Ok(()), "{} {exact:?}", example.name);
        }
    }
    assert!(tried > 8, "{tried}");
}

/// Two cores that work side by side, each on OBJECTS objects, with a number of passes of a loop for each.
fn two_cores(first: u32, second: u32) -> String {
    let core = |column: u32, passes: u32| {
        format!(
            "
  %shim{column} = aie.tile({column}, 0)
  %tile{column} = aie.tile({column}, 3)
  aie.objectfifo @in{column}(%shim{column}, {{%tile{column}}}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  aie.objectfifo @out{column}(%tile{column}, {{%shim{column}}}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  %core{column} = aie.core(%tile{column}) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %objects = arith.constant {OBJECTS} : index
    %passes = arith.constant {passes} : index
    scf.for %round = %c0 to %objects step %c1 {{
      %si = aie.objectfifo.acquire @in{column}(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
      %x = aie.objectfifo.subview.access %si[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      %so = aie.objectfifo.acquire @out{column}(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      %y = aie.objectfifo.subview.access %so[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      scf.for %i = %c0 to %passes step %c1 {{
        %v = memref.load %x[%c0] : memref<16xi32>
        memref.store %v, %y[%c0] : memref<16xi32>
      }}
      aie.objectfifo.release @in{column}(Consume, 1)
      aie.objectfifo.release @out{column}(Produce, 1)
    }}
    aie.end
  }}"
        )
    };
    format!(
        "aie.device(xcve3858) {{{}{}
  aie.runtime_sequence(%a: memref<{WORDS}xi32>, %b: memref<{WORDS}xi32>, %c: memref<{WORDS}xi32>, %d: memref<{WORDS}xi32>) {{
    aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, {WORDS}][0, 0, 0, 1]) {{metadata = @in0, id = 0 : i64}} : memref<{WORDS}xi32>
    aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, {WORDS}][0, 0, 0, 1]) {{metadata = @out0, id = 1 : i64, issue_token = true}} : memref<{WORDS}xi32>
    aiex.npu.dma_memcpy_nd(%c[0, 0, 0, 0][1, 1, 1, {WORDS}][0, 0, 0, 1]) {{metadata = @in1, id = 0 : i64}} : memref<{WORDS}xi32>
    aiex.npu.dma_memcpy_nd(%d[0, 0, 0, 0][1, 1, 1, {WORDS}][0, 0, 0, 1]) {{metadata = @out1, id = 1 : i64, issue_token = true}} : memref<{WORDS}xi32>
    aiex.npu.dma_wait {{symbol = @out0}}
    aiex.npu.dma_wait {{symbol = @out1}}
  }}
}}",
        core(0, first),
        core(1, second)
    )
}

const OBJECTS: u32 = 8;
const WORDS: u32 = 16 * OBJECTS;

#[test]
fn what_is_on_the_path_makes_the_time_and_nothing_else_does() {
    let run = |first, second| {
        let name = format!("two-{first}-{second}");
        report_of(&two_cores(first, second), &name, &[]).expect("a run")
    };
    let cycles = |report: &Value| number(&report["cycles"]);
    let slow_first = run(1000, 100);
    joins(&slow_first).expect("a path");
    let (first, second) = ("core (0, 3)", "core (1, 3)");
    let on_path = share(&slow_first, first, "work");
    assert!(on_path * 100 > 60 * cycles(&slow_first), "{slow_first:#}");
    assert_eq!(share(&slow_first, second, "work"), 0);
    // The other core may take twice its time, this one can't.
    assert_eq!(cycles(&run(1000, 200)), cycles(&slow_first));
    let slower = run(1200, 100);
    let more = share(&slower, first, "work") - on_path;
    assert_eq!(cycles(&slower) - cycles(&slow_first), more);
    // The path goes where the time goes.
    let slow_second = run(100, 1000);
    assert_eq!(share(&slow_second, first, "work"), 0);
    assert!(share(&slow_second, second, "work") * 100 > 60 * cycles(&slow_second));
}

#[test]
fn a_run_that_hangs_has_no_path() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let design = root.join("examples/deadlock/design.mlir");
    let report = folder().join("path-deadlock.json");
    let run = aiec(
        [
            "sim".to_string(),
            design.display().to_string(),
            "--critical-path".to_string(),
            format!("--report={}", report.display()),
        ],
        &[],
    );
    assert!(run.output().is_err());
    let report: Value =
        serde_json::from_str(&fs::read_to_string(report).expect("a report")).expect("JSON");
    assert_eq!(report["status"], "deadlock");
    assert!(report["critical_path"].is_null());
}
