//! Writes that a load of differences leaves out, and those that it must not.
//!
//! * Each write that sets state is needed: without it, data are wrong or the run hangs.
//! * Each premise of the proof that nothing needs a reset is needed: without it, resets are there.

use aiec_device::DeviceModel;
use aiec_device::regmap::RegisterRef;
use aiec_sim::{HostBuffer, SimOptions, Status};
use aiec_test::driver::aiec;

/// Device of the designs.
const DEVICE: &str = "npu2";

/// Words of an object: more than the queues between a core and the host hold.
const OBJECT: usize = 128;

/// Cycles after which a run counts as hanging: hundreds of times what a design needs.
const MAX_CYCLES: u64 = 500_000;

/// A device that takes objects through one core, and what its parts look like.
#[derive(Clone)]
struct Parts {
    /// Buffers of each fifo.
    depth: usize,
    /// Objects that come in.
    objects: usize,
    /// Whether the output begins with objects that were there from the start.
    initial: bool,
    /// Whether the core clears its next output before it waits for input.
    clears: bool,
    /// Code of the core in front of its loop.
    before: &'static str,
    /// Further operations of the device.
    beside: &'static str,
    /// Whether the sequence waits for the input before it asks for output.
    waits: bool,
    /// Operations of the sequence after its transfers.
    after: &'static str,
}

impl Parts {
    /// A device whose channels end where they began.
    fn plain() -> Parts {
        Parts {
            depth: 2,
            objects: 4,
            initial: false,
            clears: false,
            before: "",
            beside: "",
            waits: false,
            after: "",
        }
    }

    /// Objects that go out.
    fn out(&self) -> usize {
        self.objects + if self.initial { self.depth } else { 0 }
    }

    /// The text of the device: the core multiplies with `factor`, `first` is in the outputs that are
    /// there from the start.
    fn device(&self, name: &str, factor: i32, first: i32) -> String {
        let (depth, object) = (self.depth, OBJECT);
        let (words_in, words_out) = (self.objects * object, self.out() * object);
        let fifo = format!("!aie.objectfifo<memref<{object}xi32>>");
        let view = format!("!aie.objectfifosubview<memref<{object}xi32>>");
        let contents =
            (0..depth as i32).map(|n| format!("dense<{}> : memref<{object}xi32>", first + n));
        let contents = if self.initial {
            format!(" = [{}]", contents.collect::<Vec<_>>().join(", "))
        } else {
            String::new()
        };
        let output = format!(
            "%o = aie.objectfifo.acquire @out(Produce, 1) : {view}\n\
             %y = aie.objectfifo.subview.access %o[0] : {view} -> memref<{object}xi32>"
        );
        let input = format!(
            "%n = aie.objectfifo.acquire @in(Consume, 1) : {view}\n\
             %x = aie.objectfifo.subview.access %n[0] : {view} -> memref<{object}xi32>"
        );
        let acquires = if self.clears {
            format!(
                "{output}\nscf.for %i = %c0 to %size step %c1 {{\n\
             memref.store %factor, %y[%i] : memref<{object}xi32>\n}}\n{input}"
            )
        } else {
            format!("{input}\n{output}")
        };
        let (token, wait) = if self.waits {
            (", issue_token = true", "aiex.npu.dma_wait {symbol = @in}")
        } else {
            ("", "")
        };
        let Parts {
            before,
            beside,
            after,
            ..
        } = self;
        format!(
            "aie.device({DEVICE}) @{name} {{
               %shim = aie.tile(0, 0)
               %worker = aie.tile(0, 3)
               aie.objectfifo @in(%shim, {{%worker}}, {depth} : i32) : {fifo}
               aie.objectfifo @out(%worker, {{%shim}}, {depth} : i32) : {fifo}{contents}
               {beside}
               %core = aie.core(%worker) {{
                 %c0 = arith.constant 0 : index
                 %c1 = arith.constant 1 : index
                 %size = arith.constant {object} : index
                 %forever = arith.constant 9223372036854775807 : index
                 %factor = arith.constant {factor} : i32
                 {before}
                 scf.for %round = %c0 to %forever step %c1 {{
                   {acquires}
                   scf.for %i = %c0 to %size step %c1 {{
                     %value = memref.load %x[%i] : memref<{object}xi32>
                     %result = arith.muli %value, %factor : i32
                     memref.store %result, %y[%i] : memref<{object}xi32>
                   }}
                   aie.objectfifo.release @out(Produce, 1)
                   aie.objectfifo.release @in(Consume, 1)
                 }}
                 aie.end
               }}
               aie.runtime_sequence @run(%a: memref<{words_in}xi32>, %b: memref<{words_out}xi32>) {{
                 aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, {words_in}][0, 0, 0, 1]) {{id = 0 : i64, metadata = @in{token}}} : memref<{words_in}xi32>
                 {wait}
                 aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, {words_out}][0, 0, 0, 1]) {{id = 1 : i64, metadata = @out, issue_token = true}} : memref<{words_out}xi32>
                 aiex.npu.dma_wait {{symbol = @out}}
                 {after}
               }}
             }}\n"
        )
    }

    /// Outputs of the device for inputs.
    fn meaning(&self, input: &[i32], factor: i32, first: i32) -> Vec<i32> {
        let initial = (0..self.out() - self.objects).map(|n| first + n as i32);
        let initial = initial.flat_map(|value| std::iter::repeat_n(value, OBJECT));
        let results = input.iter().map(|value| value.wrapping_mul(factor));
        initial.chain(results).collect()
    }
}

/// Factor of each load of [`module`], and first value that is there from the start.
const LOADS: [(&str, i32, i32); 3] = [("a", 3, 100), ("b", 5, 200), ("a", 3, 100)];

/// A module that loads a device, another one with the same ways, and the first again.
fn module(a: &Parts, b: &Parts) -> String {
    let (mut arguments, mut body) = (Vec::new(), String::new());
    for (n, (name, _, _)) in LOADS.iter().enumerate() {
        let parts = if *name == "a" { a } else { b };
        let types = [parts.objects, parts.out()].map(|n| format!("memref<{}xi32>", n * OBJECT));
        let [from, to] = [format!("%from{n}"), format!("%to{n}")];
        body += &format!(
            "aiex.configure @{name} {{\naiex.run @run({from}, {to}) : ({}, {})\n}}\n",
            types[0], types[1]
        );
        arguments.push(format!("{from}: {}, {to}: {}", types[0], types[1]));
    }
    let [(_, fa, ia), (_, fb, ib), _] = LOADS;
    format!(
        "module {{\naie.device({DEVICE}) @main {{\naie.runtime_sequence({}) {{\n{body}}}\n}}\n{}{}}}\n",
        arguments.join(", "),
        a.device("a", fa, ia),
        b.device("b", fb, ib)
    )
}

/// Options of a load of differences, in one job.
const WAY: [&str; 2] = ["--jobs=single", "--reconfigure=diff"];

fn assembly(text: &str) -> String {
    let args = ["-", "-o", "-", WAY[0], WAY[1], "--emit=ctrl-asm"];
    let asm = aiec(args, text.as_bytes()).output();
    String::from_utf8(asm.unwrap_or_else(|e| panic!("{e}\n{text}"))).unwrap()
}

/// Kinds of the loads of a module, as the statistics name them, with the number of each.
fn ways(text: &str) -> Vec<(String, u64)> {
    let args = ["-", "-o", "-", WAY[0], WAY[1], "--timing"];
    let run = aiec(args, text.as_bytes());
    assert_eq!(run.exit, aiec::Exit::Done, "{}\n{text}", run.stderr);
    let line = run.stderr.lines().find(|line| line.contains("emit-jobs"));
    let (_, counters) = line.unwrap().rsplit_once('(').unwrap();
    let counters = counters.trim_end_matches(')').split(", ");
    let counters = counters.filter(|counter| counter.starts_with("loads "));
    let pairs = counters.map(|counter| {
        let (name, count) = counter.rsplit_once(": ").unwrap();
        (name.to_string(), count.parse().unwrap())
    });
    pairs.collect()
}

/// Runs an assembly of [`module`]: whether all outputs are right.
fn run(asm: &str, parts: [&Parts; 2], name: &str) -> Result<(), String> {
    let path = format!("{}/{name}.asm", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(&path, asm).map_err(|e| e.to_string())?;
    let elf = aiec(["asm", &path, "-o", "-"], b"").output()?;
    let bytes = |words: &[i32]| {
        words
            .iter()
            .flat_map(|w| w.to_le_bytes())
            .collect::<Vec<u8>>()
    };
    let (mut buffers, mut wanted) = (Vec::new(), Vec::new());
    for (n, (device, factor, first)) in LOADS.iter().enumerate() {
        let parts = parts[usize::from(*device != "a")];
        let count = (parts.objects * OBJECT) as i32;
        let input: Vec<i32> = (0..count).map(|at| 1000 * (n as i32 + 1) + at).collect();
        let output = parts.meaning(&input, *factor, *first);
        for bytes in [bytes(&input), vec![0; output.len() * 4]] {
            let index = buffers.len() as u32;
            buffers.push(HostBuffer { index, bytes });
        }
        wanted.push((2 * n as u32 + 1, bytes(&output)));
    }
    let options = SimOptions {
        device: Some(DEVICE.to_string()),
        max_cycles: MAX_CYCLES,
        ..SimOptions::default()
    };
    let result = aiec_sim::simulate(&elf, buffers, &options).map_err(|e| e.to_string())?;
    if result.status != Status::Completed {
        return Err(format!("ended as {}", result.status.name()));
    }
    match wanted
        .iter()
        .find(|(index, bytes)| result.output(*index) != Some(bytes))
    {
        Some((index, _)) => Err(format!("buffer {index} differs")),
        None => Ok(()),
    }
}

/// Kind of state that a descriptor of a load sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sets {
    Core,
    Channel,
    Lock,
    Memory,
    Other,
}

fn sets(model: &DeviceModel, line: &str) -> Option<Sets> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let [op, _, low, ..] = fields[..] else {
        return None;
    };
    let low = low.trim_end_matches(',').strip_prefix("0x")?;
    let address = u32::from_str_radix(low, 16).ok()?;
    let (_, what) = model.register_at(address).filter(|_| op == "UC_DMA_BD")?;
    Some(match what {
        RegisterRef::CoreControl => Sets::Core,
        RegisterRef::DmaCtrl { .. } | RegisterRef::DmaQueue { .. } => Sets::Channel,
        RegisterRef::LockValue { .. } => Sets::Lock,
        RegisterRef::ProgramMemory { .. } | RegisterRef::DataMemory { .. } => Sets::Memory,
        _ => Sets::Other,
    })
}

/// The lines of the descriptors of the second load: the second chain that holds cores and releases
/// them.
fn second_load(model: &DeviceModel, lines: &[&str]) -> Vec<(usize, Sets)> {
    let mut chains: Vec<Vec<(usize, Sets)>> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if line.starts_with("chain_") {
            chains.push(Vec::new());
        }
        if let Some(sets) = sets(model, line) {
            chains.last_mut().unwrap().push((at, sets));
        }
    }
    let loads = |chain: &Vec<(usize, Sets)>| chain.iter().any(|(_, sets)| *sets == Sets::Core);
    chains.into_iter().filter(loads).nth(1).unwrap()
}

/// The assembly without a descriptor.
fn without(lines: &[&str], at: usize) -> String {
    let mut list: Vec<String> = lines.iter().map(|line| line.to_string()).collect();
    let line = list.remove(at);
    if line.trim_end().ends_with(" 0") {
        // The last of its chain: the one before is.
        let before = list[at - 1].trim_end().to_string();
        assert!(before.contains("UC_DMA_BD"), "a chain of one descriptor");
        list[at - 1] = format!("{} 0", before.rsplit_once(' ').unwrap().0);
    }
    list.join("\n") + "\n"
}

/// Descriptors, by their text.
type Descriptors = Vec<(String, Sets)>;

/// The writes of a module's second load without which the run is still right, and how many writes
/// there are of each kind.
fn unmissed(a: &Parts, b: &Parts, name: &str) -> (Descriptors, Vec<(Sets, usize)>) {
    let model = DeviceModel::by_name(DEVICE).unwrap();
    let text = module(a, b);
    let asm = assembly(&text);
    run(&asm, [a, b], name).unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
    let lines: Vec<&str> = asm.lines().collect();
    let load = second_load(model, &lines);
    let state = load.iter().filter(|(_, sets)| *sets != Sets::Memory);
    let kept = state.clone().filter(|(at, _)| {
        let mutant = without(&lines, *at);
        run(&mutant, [a, b], &format!("{name}-mutant")).is_ok()
    });
    let kept = kept.map(|(at, sets)| (lines[*at].trim().to_string(), *sets));
    let mut counts: Vec<(Sets, usize)> = Vec::new();
    for (_, sets) in state {
        match counts.iter_mut().find(|(known, _)| known == sets) {
            Some((_, count)) => *count += 1,
            None => counts.push((*sets, 1)),
        }
    }
    counts.sort_unstable();
    (kept.collect(), counts)
}

/// All is at rest: cores are held and released, and that is all.
#[test]
fn a_device_that_ends_as_it_began_needs_new_programs_only() {
    let plain = Parts::plain();
    let (kept, counts) = unmissed(&plain, &plain, "rest-plain");
    assert_eq!(kept, []);
    assert_eq!(counts, [(Sets::Core, 2)]);
}

/// Channels are at their second buffers: so does the core that comes.
#[test]
fn channels_that_stand_elsewhere_go_on() {
    let odd = Parts {
        objects: 5,
        ..Parts::plain()
    };
    let (kept, counts) = unmissed(&odd, &odd, "rest-odd");
    assert_eq!(kept, []);
    assert_eq!(counts, [(Sets::Core, 2)]);
}

/// A channel that sends objects that are there from the start restarts, with its locks: it is put
/// into reset, let out and started, two locks are set.
#[test]
fn a_channel_that_begins_by_itself_begins_anew() {
    let initial = Parts {
        objects: 1,
        initial: true,
        // The core could overwrite what was there from the start, if its locks let it.
        waits: true,
        ..Parts::plain()
    };
    let (kept, counts) = unmissed(&initial, &initial, "rest-initial");
    assert_eq!(kept, []);
    assert_eq!(
        counts,
        [(Sets::Core, 2), (Sets::Channel, 2), (Sets::Lock, 2)]
    );
}

/// A core that still works when the host has everything is stopped at an unknown place: its lock is
/// set.
#[test]
fn what_a_core_does_late_is_undone() {
    let late = Parts {
        depth: 1,
        clears: true,
        ..Parts::plain()
    };
    let (kept, counts) = unmissed(&late, &late, "rest-late");
    assert_eq!(kept, []);
    assert_eq!(counts, [(Sets::Core, 2), (Sets::Lock, 1)]);
}

/// A device with a transfer that never ends can't be left, whatever else is at rest.
#[test]
fn a_transfer_that_never_ends_is_polled_for() {
    let hangs = Parts {
        after: "aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 2 : i64, metadata = @out} : memref<512xi32>",
        ..Parts::plain()
    };
    assert_eq!(hangs.out() * OBJECT, 512);
    let asm = assembly(&module(&hangs, &hangs));
    assert!(asm.contains("MASK_POLL_32"), "{asm}");
    let ended = run(&asm, [&hangs, &hangs], "rest-hangs");
    assert_eq!(ended, Err("ended as deadlock".to_string()));
    let plain = Parts::plain();
    assert!(!assembly(&module(&plain, &plain)).contains("MASK_POLL_32"));
}

#[test]
fn without_a_premise_resets_are_there() {
    let plain = Parts::plain;
    let at_rest = [("loads when quiescent".to_string(), 2)];
    assert_eq!(ways(&module(&plain(), &plain())), at_rest);
    let more = Parts {
        beside: "%more = aie.lock(%worker, 15) {init = 3 : i32}",
        ..plain()
    };
    let exact = Parts {
        beside: "%more = aie.lock(%worker, 15) {init = 1 : i32}",
        before: "aie.use_lock(%more, Acquire, 1)",
        ..plain()
    };
    let branch = Parts {
        beside: "%more = aie.lock(%worker, 15) {init = 1 : i32}",
        before: "%yes = arith.cmpi sgt, %factor, %factor : i32\nscf.if %yes {\naie.use_lock(%more, AcquireGreaterEqual, 1)\n}",
        ..plain()
    };
    let register = Parts {
        after: "aiex.npu.write32 {address = 212992 : ui32, column = 0 : i32, row = 3 : i32, value = 0 : ui32}",
        ..plain()
    };
    let takers = Parts {
        beside: "%more = aie.lock(%worker, 15) {init = 2 : i32}\n\
                 %other = aie.tile(0, 4)\n\
                 %second = aie.core(%other) {\naie.use_lock(%more, AcquireGreaterEqual, 1)\naie.end\n}",
        before: "aie.use_lock(%more, AcquireGreaterEqual, 1)",
        ..plain()
    };
    // An unproven part is reset alone, or it is all there is here. Each runs right all the same.
    for (parts, how) in [
        (exact, "when quiescent in part"),
        (branch, "when quiescent in part"),
        (takers, "when quiescent in part"),
        (register, "with resets: other registers"),
    ] {
        let text = module(&parts, &parts);
        assert_eq!(ways(&text), [(format!("loads {how}"), 2)], "{text}");
        let run = run(&assembly(&text), [&parts, &parts], "rest-premise");
        run.unwrap_or_else(|e| panic!("{how}: {e}\n{text}"));
    }
    let other = module(&plain(), &more);
    let wanted = [("loads with resets: other routing".to_string(), 2)];
    assert_eq!(ways(&other), wanted);
    run(&assembly(&other), [&plain(), &more], "rest-other").unwrap();
}
