//! `aiec dap` as an editor uses it: the real process, with a scripted client.

mod debug_client;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use debug_client::{DebugClient, Stopped, folder, named};
use serde_json::{Value, json};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The design of the page about a hang.
fn hang(name: &str) -> (PathBuf, String) {
    let page = fs::read_to_string(root().join("docs/src/tutorial-hang.md")).expect("the page");
    let (_, rest) = page.split_once("```mlir hang.mlir\n").expect("the design");
    let (design, _) = rest.split_once("```").expect("its end");
    let path = folder(name).join("hang.mlir");
    fs::write(&path, design).expect("a file");
    (path, design.to_string())
}

/// The number of the n-th line that holds a text.
fn line(text: &str, part: &str, n: usize) -> u64 {
    let mut lines = (1..)
        .zip(text.lines())
        .filter(|(_, line)| line.contains(part));
    lines.nth(n).map(|(number, _)| number).expect("the line")
}

fn input() -> String {
    format!("0={}", root().join("examples/scale/arg0.bin").display())
}

/// The session of the page about a hang: break, look at the lock, step back, find the acquire.
fn session_of_hang(core: &str, name: &str) {
    let (design, text) = hang(name);
    let args = ["--arg", &input(), "--core", core];
    let mut client = DebugClient::launch(&design, &args, json!({}));
    let acquire = line(&text, "aie.objectfifo.acquire @between(Consume, 1)", 0);
    let release = line(&text, "aie.objectfifo.release @out(Produce, 1)", 0);
    assert_eq!(client.break_at(&design, &[acquire]), [Some(acquire)]);
    client.ask(
        "setExceptionBreakpoints",
        json!({ "filters": ["deadlock"] }),
    );

    let first = client.begin();
    let (core, _) = client.thread("core (0, 3)");
    assert_eq!((first.reason.as_str(), first.thread), ("breakpoint", core));
    assert_eq!(first.lines.first(), Some(&acquire));
    assert!(
        client
            .value("@between")
            .ends_with("of 2 filled in tile (0, 2)")
    );
    if name == "hang-model" {
        // Nothing is there to be acquired, and both objects of the output are free.
        assert!(client.value("@between").starts_with("0 "));
        assert!(client.value("out_prod_lock_0").starts_with("2, "));
    }

    let second = client.go("continue", core);
    assert_eq!(
        (second.thread, second.lines.first()),
        (core, Some(&acquire))
    );
    let end = client.go("continue", core);
    assert_eq!(
        (end.reason.as_str(), &end.body["description"]),
        (
            "exception",
            &json!(format!("deadlock in cycle {}", client.value("cycle")))
        )
    );
    let text = end.body["text"].as_str().unwrap_or_default();
    assert!(
        text.contains("core (0, 3)") && text.contains("has ended"),
        "{text}"
    );
    let waits = ["1. job 2 of controller 0", "3. DMA MM2S 0 of tile (0, 3)"];
    for wait in waits {
        assert!(client.output.contains(wait), "{}", client.output);
    }
    let (_, ended) = client.thread("core (0, 3)");
    assert!(ended.ends_with("has ended"), "{ended}");
    let (_, waits) = client.thread("DMA MM2S 0 of tile (0, 3)");
    assert!(waits.contains("waits for"), "{waits}");
    let about = client.ask("exceptionInfo", json!({ "threadId": core }));
    assert_eq!(about["exceptionId"], "deadlock");

    // Back from the end of the core: its last release, and the acquire of its last round.
    let mut seen = Vec::new();
    while seen.last() != Some(&acquire) {
        let back = client.go("stepBack", core);
        assert_eq!((back.reason.as_str(), back.thread), ("step", core));
        seen.extend(back.lines.first());
        assert!(seen.len() < 1000, "{seen:?}");
    }
    assert!(seen.contains(&release), "{seen:?}");
    let there = client.value("cycle");
    // The breakpoint there is the one that the run came to before.
    let back = client.go("reverseContinue", core);
    assert_eq!(back.reason, "breakpoint");
    assert_eq!(back.lines.first(), Some(&acquire));
    let before: u64 = client.value("cycle").parse().expect("a number");
    assert!(before < there.parse().expect("a number"));
    // In front of the first one is the begin.
    let begin = client.go("reverseContinue", core);
    assert_eq!(begin.reason, "entry");
    assert_eq!(client.value("cycle"), "0");
    // All comes as before.
    let again = client.go("continue", core);
    assert_eq!((again.lines, again.thread), (first.lines, core));
    assert!(client.end());
}

#[test]
fn the_hang_is_found_with_the_models_programs() {
    session_of_hang("model", "hang-model");
}

#[test]
fn the_hang_is_found_with_machine_code() {
    session_of_hang("machine", "hang-machine");
}

#[test]
fn steps_follow_the_lines_of_a_core() {
    let (design, text) = hang("steps");
    let mut client = DebugClient::launch(&design, &["--arg", &input()], json!({}));
    let first = line(&text, "aie.objectfifo.acquire @in(Consume, 1)", 0);
    let second = line(&text, "aie.objectfifo.acquire @between(Produce, 1)", 0);
    client.break_at(&design, &[first]);
    let at = client.begin();
    assert_eq!(at.lines, [first]);
    let core = at.thread;
    let mut lines = Vec::new();
    while lines.last() != Some(&second) {
        let step = client.go("next", core);
        assert_eq!((step.reason.as_str(), step.thread), ("step", core));
        lines.extend(step.lines.first());
        assert!(lines.len() < 10, "{lines:?}");
    }
    // The object that was acquired is there, as an array of its type.
    let buffers = client.scope(core, "Buffers");
    let buffer = named(&buffers, "in_cons_buff_0").clone();
    assert_eq!(
        (&buffer["type"], &buffer["indexedVariables"]),
        (&json!("memref<64xi32>"), &json!(64))
    );
    let parts = client.parts(&buffer);
    assert_eq!((parts.len(), &parts[63]["name"]), (64, &json!("[63]")));
    let bytes = fs::read(root().join("examples/scale/arg0.bin")).expect("the input");
    let element = i32::from_le_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]);
    assert_eq!(client.value("in_cons_buff_0[3]"), element.to_string());
    assert_eq!(parts[3]["value"], element.to_string());
    assert_eq!(client.value("a[3]"), element.to_string());
    // A part of an array is asked for by itself.
    let reference = &buffer["variablesReference"];
    let some = json!({ "variablesReference": reference, "start": 2, "count": 2 });
    let some = client.ask("variables", some)["variables"].clone();
    assert_eq!(
        (&some[0]["name"], &some[1]["name"], &some[2]),
        (&json!("[2]"), &json!("[3]"), &Value::Null)
    );

    // The clock steps by cycles, in both directions.
    let cycle: u64 = client.value("cycle").parse().expect("a number");
    client.go("next", 1);
    client.go("next", 1);
    assert_eq!(client.value("cycle"), (cycle + 2).to_string());
    client.go("stepBack", 1);
    assert_eq!(client.value("cycle"), (cycle + 1).to_string());
    // A channel goes from event to event.
    let (channel, _) = client.thread("DMA S2MM 0 of tile (0, 2)");
    assert_eq!(client.go("next", channel).thread, channel);
    assert!(!client.scope(channel, "BDs").is_empty());
    // Tiles without cores are among the rest.
    let tiles = client.scope(1, "Tiles");
    assert!(tiles.len() >= 3, "{tiles:?}");
    assert!(client.end());
}

/// Steps into a thread's instructions or lines and back again come to the same places.
fn there_and_back(client: &mut DebugClient, thread: u64, steps: usize) {
    let place = |client: &mut DebugClient| {
        let lines = client.lines(thread);
        (lines, client.value("cycle"))
    };
    let mut there = vec![place(client)];
    for _ in 0..steps {
        client.go("stepIn", thread);
        there.push(place(client));
    }
    for wanted in there.iter().rev().skip(1) {
        let stop = client.go("stepBack", thread);
        assert_eq!((stop.reason.as_str(), stop.thread), ("step", thread));
        assert_eq!(place(client), *wanted, "{there:?}");
    }
}

#[test]
fn steps_back_come_to_where_steps_came_from() {
    for core in ["model", "machine"] {
        let (design, text) = hang(&format!("back-{core}"));
        let args = ["--arg", &input(), "--core", core];
        let mut client = DebugClient::launch(&design, &args, json!({}));
        let acquire = line(&text, "aie.objectfifo.acquire @between(Produce, 1)", 0);
        client.break_at(&design, &[acquire]);
        let thread = client.begin().thread;
        client.break_at(&design, &[]);
        there_and_back(&mut client, thread, 12);
        assert!(client.end());
    }
    let (design, text) = hang("back-controller");
    let mut client = DebugClient::launch(&design, &["--arg", &input()], json!({}));
    client.break_at(&design, &[line(&text, "metadata = @in}", 0)]);
    let controller = client.begin().thread;
    client.break_at(&design, &[]);
    there_and_back(&mut client, controller, 3);
    assert!(client.end());
}

#[test]
fn runs_stop_at_accesses_to_elements() {
    let (design, _) = hang("memory");
    let options = json!({ "stopOnEntry": true });
    let mut client = DebugClient::launch(&design, &["--arg", &input()], options);
    assert_eq!(client.begin().reason, "entry");
    // The run stops when the channel has written it, and when the core reads it.
    let buffer = "in_cons_buff_1[2]";
    let info = client.ask("dataBreakpointInfo", json!({ "name": buffer }));
    assert_eq!(info["accessTypes"], json!(["write", "read", "readWrite"]));
    for (access, who) in [
        ("write", "DMA S2MM 0 of tile (0, 2)"),
        ("read", "core (0, 2)"),
    ] {
        let data = json!({ "dataId": info["dataId"], "accessType": access });
        let set = client.ask("setDataBreakpoints", json!({ "breakpoints": [data] }));
        assert_eq!(set["breakpoints"][0]["verified"], true, "{set}");
        let stop = client.go("continue", 1);
        assert_eq!(stop.reason, "data breakpoint");
        let text = stop.body["text"].as_str().unwrap_or_default();
        assert!(text.contains(who), "{text}");
        let element = client.value(buffer);
        assert_ne!(element, "0", "{access}");
    }
    assert!(client.end());
}

#[test]
fn runs_stop_at_locks_bds_and_functions() {
    let (design, text) = hang("places");
    let mut client = DebugClient::launch(
        &design,
        &["--arg", &input()],
        json!({ "stopOnEntry": true }),
    );
    assert_eq!(client.begin().reason, "entry");
    let places = [
        "lock:between_cons_lock_0=1",
        "bd:(0,2):0",
        "core",
        "lock:(0,99):1",
        "noise",
    ];
    let places: Vec<Value> = places.iter().map(|name| json!({ "name": name })).collect();
    let set = client.ask("setFunctionBreakpoints", json!({ "breakpoints": places }));
    let verified: Vec<&Value> = (0..5).map(|n| &set["breakpoints"][n]["verified"]).collect();
    assert_eq!(verified, [true, true, true, false, false]);
    assert!(
        set["breakpoints"][3]["message"]
            .as_str()
            .is_some_and(|m| m.contains("no tile (0, 99)"))
    );
    let mut reached = std::collections::BTreeSet::new();
    let wanted = [0, 1, 2].map(|n| set["breakpoints"][n]["id"].as_u64());
    while reached.len() < wanted.len() {
        let stop = client.go("continue", 1);
        assert_eq!(stop.reason, "function breakpoint");
        reached.insert(stop.body["hitBreakpointIds"][0].as_u64());
    }
    assert_eq!(reached.into_iter().collect::<Vec<_>>(), wanted);

    // A lock among the variables has a place at which the run stops.
    client.ask("setFunctionBreakpoints", json!({ "breakpoints": [] }));
    let (core, _) = client.thread("core (0, 3)");
    let locks = client.scope(core, "Locks");
    let lock = named(&locks, "out_prod_lock_0")["name"].clone();
    let info = client.ask("dataBreakpointInfo", json!({ "name": lock }));
    assert_eq!(info["dataId"], "lock:(0,3):0");
    let data = json!({ "breakpoints": [{ "dataId": info["dataId"], "hitCondition": "2" }] });
    client.ask("setDataBreakpoints", data);
    let stop = client.go("continue", 1);
    assert_eq!(stop.reason, "data breakpoint");
    let changed = format!("in cycle {}", client.value("cycle"));
    let lock = client.value("out_prod_lock_0");
    assert!(lock.contains(&changed), "{lock}, {changed}");
    let none = client.ask("dataBreakpointInfo", json!({ "name": "cycle" }));
    assert_eq!(none["dataId"], Value::Null);

    // A line without instructions takes the next one that has some; a count is of times.
    client.ask("setDataBreakpoints", json!({ "breakpoints": [] }));
    let comes = line(&text, "aie.objectfifo.release @in(Consume, 1)", 0);
    assert_eq!(client.break_at(&design, &[comes - 1]), [Some(comes)]);
    let last = text.lines().count() as u64;
    assert_eq!(client.break_at(&design, &[last]), [None]);
    let source = json!({ "path": design });
    let places = json!({ "source": source, "line": 1, "endLine": last });
    let places = client.ask("breakpointLocations", places)["breakpoints"].clone();
    assert!(
        places
            .as_array()
            .is_some_and(|all| all.iter().any(|place| place["line"] == comes))
    );
    let counted =
        json!({ "source": source, "breakpoints": [{ "line": comes, "hitCondition": "x" }] });
    let set = client.ask("setBreakpoints", counted);
    assert!(
        set["breakpoints"][0]["message"]
            .as_str()
            .is_some_and(|m| m.contains("'x' is no count"))
    );
    assert!(client.end());
}

const ASSEMBLY: &str = "\
START_JOB 0
  MOV $r0, 7
  ADD $r0, 5
  WRITE_32 0x0021D000, 1
END_JOB
EOF
";

#[test]
fn assembly_is_stepped_by_its_lines() {
    let path = folder("assembly").join("program.asm");
    fs::write(&path, ASSEMBLY).expect("a file");
    let mut client = DebugClient::launch(&path, &[], json!({ "stopAtEnd": true }));
    assert_eq!(client.break_at(&path, &[2]), [Some(2)]);
    let stop = client.begin();
    let (controller, _) = client.thread("controller 0");
    assert_eq!((stop.thread, stop.lines), (controller, vec![2]));
    let register = |client: &mut DebugClient| {
        let registers = client.scope(controller, "Registers");
        named(&registers, "$r0")["value"]
            .as_str()
            .map(str::to_string)
    };
    // The run is in front of the instruction.
    assert_eq!(register(&mut client).as_deref(), Some("0x00000000 (0)"));
    assert_eq!(client.go("next", controller).lines, [3]);
    assert_eq!(register(&mut client).as_deref(), Some("0x00000007 (7)"));
    assert_eq!(client.go("stepIn", controller).lines, [4]);
    assert_eq!(register(&mut client).as_deref(), Some("0x0000000c (12)"));
    assert_eq!(client.go("stepBack", controller).lines, [3]);
    assert_eq!(register(&mut client).as_deref(), Some("0x00000007 (7)"));
    let end = client.go("continue", controller);
    assert_eq!(end.reason, "pause");
    assert!(
        client.output.contains("completed after"),
        "{}",
        client.output
    );
    client.ask("continue", json!({ "threadId": controller }));
    assert_eq!(client.event("exited")["exitCode"], 0);
    client.event("terminated");
    assert!(client.end());
}

#[test]
fn machine_code_is_stepped_by_bundles_with_its_registers() {
    let (design, text) = hang("bundles");
    let args = ["--arg", &input(), "--core", "machine"];
    let mut client = DebugClient::launch(&design, &args, json!({}));
    client.break_at(
        &design,
        &[line(&text, "aie.objectfifo.acquire @in(Consume, 1)", 0)],
    );
    let core = client.begin().thread;
    let pc = |client: &mut DebugClient| {
        let registers = client.scope(core, "Registers");
        assert!(registers.len() > 60, "{registers:?}");
        named(&registers, "pc")["value"]
            .as_str()
            .unwrap_or_default()
            .to_string()
    };
    let before = pc(&mut client);
    let step = json!({ "threadId": core, "granularity": "instruction" });
    client.ask("next", step.clone());
    client.stopped();
    let after = pc(&mut client);
    assert_ne!(before, after);
    client.ask("stepBack", step);
    client.stopped();
    assert_eq!(pc(&mut client), before);
    assert!(client.value("core:(0,2)").contains("sp"));
    assert!(client.value("reg:(0,2):0x32000").contains("0x32000"));
    assert!(client.end());
}

/// The last number of a text that follows a word.
fn number_after(text: &str, word: &str) -> Option<u64> {
    let (_, rest) = text.rsplit_once(word)?;
    let digits: String = rest
        .trim_start()
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().ok()
}

#[test]
fn a_run_under_the_debugger_is_the_run() {
    for (name, more) in [
        ("scale", &["--core", "model"][..]),
        ("scale", &["--core", "machine"]),
        ("pipeline", &[]),
        ("cascade", &[]),
        ("packet-flows", &[]),
        ("hand-written", &[]),
    ] {
        let folder = root().join("examples").join(name);
        let design = folder.join("design.mlir");
        let mut args = Vec::new();
        for index in 0..3 {
            let file = folder.join(format!("arg{index}.bin"));
            if file.exists() {
                args.extend(["--arg".to_string(), format!("{index}={}", file.display())]);
            }
        }
        args.extend(more.iter().map(|arg| arg.to_string()));
        let sim = Command::new(env!("CARGO_BIN_EXE_aiec"))
            .arg("sim")
            .arg(&design)
            .args(&args)
            .args(["--report", "-"])
            .output()
            .expect("a run");
        let report: Value = serde_json::from_slice(&sim.stdout).expect("a report");
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let mut client = DebugClient::launch(&design, &args, json!({ "stopAtEnd": true }));
        client.begin();
        let ended = number_after(&client.output, "completed after");
        assert_eq!(ended, report["cycles"].as_u64(), "{name} {more:?}");
        let expected = (0..4).find_map(|index| {
            let file = folder.join(format!("expected{index}.bin"));
            Some((index, fs::read(file).ok()?))
        });
        if let Some((index, expected)) = expected {
            let dump = client.value(&format!("arg:{index}:0+4"));
            let first = u32::from_le_bytes([expected[0], expected[1], expected[2], expected[3]]);
            assert!(dump.contains(&format!("{first:08x}")), "{name}: {dump}");
        }
        assert!(client.end());
    }
}

#[test]
fn what_is_wrong_is_said_in_the_response() {
    let (design, text) = hang("wrong");
    let mut client = DebugClient::start();
    let said = client.refused("configurationDone", json!({}));
    assert_eq!(said, "no program is launched");
    let said = client.refused("threads", json!({}));
    assert_eq!(said, "no program is launched");
    let launch = |program: &Path, args: &[&str]| json!({ "program": program, "args": args });
    let missing = design.with_file_name("hung.mlir");
    let said = client.refused("launch", launch(&missing, &[]));
    assert!(
        said.contains("cannot read") && said.contains("did you mean"),
        "{said}"
    );
    let broken = design.with_file_name("broken.mlir");
    fs::write(
        &broken,
        text.replace("aie.core(%double)", "aie.cor(%double)"),
    )
    .expect("a file");
    let said = client.refused("launch", launch(&broken, &[]));
    assert!(said.contains("broken.mlir:9:"), "{said}");
    let said = client.refused("launch", launch(&design, &["--arg", "9=x.bin"]));
    assert!(said.contains("argument 9"), "{said}");
    let said = client.refused("launch", launch(&design, &["--bogus"]));
    assert!(said.contains("--bogus"), "{said}");
    let said = client.refused("launch", launch(&design, &["--trace", "x.txt"]));
    assert_eq!(said, "--trace has no use in a debugger: leave it out");
    let said = client.refused("launch", launch(Path::new("-"), &[]));
    assert!(said.contains("standard input is the client"), "{said}");
    let said = client.refused("launch", json!({}));
    assert!(said.contains("missing field `program`"), "{said}");
    assert!(client.refused("attach", json!({})).contains("launched"));

    // After all that a good one begins.
    client.ask("launch", launch(&design, &["--arg", &input()]));
    client.event("initialized");
    assert!(
        client
            .refused("launch", launch(&design, &[]))
            .contains("already")
    );
    client.break_at(
        &design,
        &[line(&text, "aie.objectfifo.acquire @in(Consume, 1)", 0)],
    );
    let thread = client.begin().thread;
    let said = client.refused("stackTrace", json!({ "threadId": 999_999 }));
    assert_eq!(said, "there is no thread 999999");
    assert_eq!(
        client.refused("scopes", json!({ "frameId": 99 })),
        "there is no frame 99"
    );
    let none = json!({ "variablesReference": 0 });
    assert_eq!(
        client.refused("variables", none),
        "there are no variables 0"
    );
    assert!(
        client
            .refused("pause", json!({ "threadId": 1 }))
            .contains("stopped already")
    );
    assert_eq!(
        client.refused("disassemble", json!({})),
        "disassemble is not offered"
    );
    for (expression, part) in [
        ("in_cons_buf_0", "did you mean 'in_cons_buff_0'?"),
        ("in_cons_buff_0[64]", "the last one is [63]"),
        ("in_cons_buff_0[0][0]", "1 dimension"),
        ("in_cons_prod_lock_0[0]", "is no array"),
        ("in_cons_buff_0[x]", "is no index"),
        ("mem:(99,7):0", "no tile"),
    ] {
        let said = client.refused("evaluate", json!({ "expression": expression }));
        assert!(said.contains(part), "{expression}: {said}");
    }
    // Variables are of one stop.
    client.scope(thread, "Buffers");
    client.ask("next", json!({ "threadId": thread }));
    client.event("stopped");
    let said = client.refused("variables", json!({ "variablesReference": 1 }));
    assert!(said.contains("no variables"), "{said}");
    client.ask("restart", json!({}));
    assert_eq!(client.stopped().thread, thread);
    client.ask("terminate", json!({}));
    client.event("terminated");
    assert!(client.end());
}

/// A core that computes for hours.
const ENDLESS: &str = "\
aie.device(npu1) {
  %shim = aie.tile(0, 0)
  %tile = aie.tile(0, 2)
  aie.objectfifo @out(%tile, {%shim}, 1 : i32) : !aie.objectfifo<memref<8xi32>>
  aie.core(%tile) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 1000000000000 : index
    scf.for %i = %c0 to %n step %c1 {
      %x = arith.addi %i, %i : index
    }
    %o = aie.objectfifo.acquire @out(Produce, 1) : memref<8xi32>
    aie.objectfifo.release @out(Produce, 1)
    aie.end
  }
  aie.runtime_sequence(%a: memref<8xi32>) {
    aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 8][0, 0, 0, 1]) {id = 0 : i64, metadata = @out, issue_token = true} : memref<8xi32>
    aiex.npu.dma_wait {symbol = @out}
  }
}
";

#[test]
fn a_run_that_goes_on_can_be_asked_and_paused() {
    let design = folder("endless").join("endless.mlir");
    fs::write(&design, ENDLESS).expect("a file");
    let mut client = DebugClient::launch(&design, &[], json!({}));
    client.ask("configurationDone", json!({}));
    // Requests are answered while it goes on; those that need a stop are refused.
    client.thread("core (0, 2)");
    let said = client.refused("next", json!({ "threadId": 1 }));
    assert!(said.contains("the run goes on"), "{said}");
    // The core has begun as soon as the controller has configured the array.
    let core = loop {
        let (core, name) = client.thread("core (0, 2)");
        if !name.ends_with("not started") {
            break core;
        }
    };
    client.ask("pause", json!({ "threadId": core }));
    let stop = client.stopped();
    assert_eq!((stop.reason.as_str(), stop.thread), ("pause", core));
    assert!(
        stop.lines
            .first()
            .is_some_and(|line| (5..=11).contains(line)),
        "{stop:?}"
    );
    // A step out of the body doesn't end; it is left, too.
    client.ask("stepOut", json!({ "threadId": core }));
    client.ask("pause", json!({ "threadId": core }));
    assert_eq!(client.stopped().reason, "pause");
    assert!(client.end());
}

#[test]
fn hazards_stop_the_run_where_that_is_asked_for() {
    let design = root().join("test/sim/hazard_line.mlir");
    let mut client = DebugClient::launch(&design, &[], json!({ "stopAtEnd": true }));
    client.ask("setExceptionBreakpoints", json!({ "filters": ["hazard"] }));
    let stop = client.begin();
    assert_eq!(
        (stop.reason.as_str(), &stop.body["description"]),
        ("exception", &json!("hazard"))
    );
    assert_eq!(
        client.ask("exceptionInfo", json!({ "threadId": 1 }))["exceptionId"],
        "hazard"
    );
    assert!(client.end());
}

/// Breakpoints come again in reverse order, from copies of the run on its way and from its begin: the
/// same lines in the same cycles, of all cores.
#[test]
fn breakpoints_come_again_in_reverse_order() {
    const STOPS: usize = 12;
    for core in ["model", "machine"] {
        let example = root().join("examples/matmul");
        let design = example.join("design.mlir");
        let text = fs::read_to_string(&design).expect("the design");
        let argument = |n| format!("{n}={}", example.join(format!("arg{n}.bin")).display());
        let (a, b) = (argument(0), argument(1));
        let args = ["--arg", &a, "--arg", &b, "--core", core];
        let mut client = DebugClient::launch(&design, &args, json!({}));
        let acquires = (0..4).flat_map(|core| {
            [
                format!("@a{core}(Consume, 1)"),
                format!("@c{core}(Produce, 1)"),
            ]
        });
        let acquires: Vec<u64> = acquires.map(|acquire| line(&text, &acquire, 0)).collect();
        client.break_at(&design, &acquires);
        let place = |client: &mut DebugClient, stop: &Stopped| {
            (stop.thread, stop.lines.clone(), client.value("cycle"))
        };
        let mut there = Vec::new();
        let mut stop = client.begin();
        for _ in 0..STOPS {
            assert_eq!(stop.reason, "breakpoint");
            there.push(place(&mut client, &stop));
            stop = client.go("continue", stop.thread);
        }
        there.push(place(&mut client, &stop));
        let cycle_of = |place: &(u64, Vec<u64>, String)| place.2.parse::<u64>().expect("a number");
        let (first, last) = (there.first().map(cycle_of), there.last().map(cycle_of));
        // Far enough apart that several copies lie between.
        assert!(
            there.len() > 10 && last >= first.map(|first| first + 2048),
            "{there:?}"
        );
        for wanted in there.iter().rev().skip(1) {
            let stop = client.go("reverseContinue", 1);
            assert_eq!(place(&mut client, &stop), *wanted, "{there:?}");
        }
        assert_eq!(client.go("reverseContinue", 1).reason, "entry");
        // And forwards once more, from the begin.
        for wanted in &there {
            let stop = client.go("continue", 1);
            assert_eq!(place(&mut client, &stop), *wanted, "{there:?}");
        }
        assert!(client.end());
    }
}
