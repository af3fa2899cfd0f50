//! Holds the ways to divide work (`--jobs`) against one another, and each barrier to its purpose.
//!
//! * Every example gives the same outputs in all ways, and dividing never makes it slower.
//! * The assembly of each is the same program as its ELF.
//! * A barrier that is taken out of a design of `test/passes/emit-jobs` is missed.
//! * The figures of the book's page "Jobs and barriers" hold.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use aiec_cert::elf;
use aiec_cert::page::{PAGE_BYTES, PageHeader};
use aiec_sim::{HostBuffer, SimOptions, SimResult, Status};
use aiec_test::driver::aiec;
use aiec_test::examples::{Data, Ending, Example, data};

/// The ways; the first is the yardstick.
const WAYS: [&str; 3] = ["single", "per-column", "parallel"];

/// Cycles after which a run counts as hanging.
const MAX_CYCLES: u64 = 5_000_000;

fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.parent().map(Path::to_path_buf).unwrap_or_default()
}

fn compile(text: &[u8], way: &str, kind: &str, more: &[&str]) -> Result<Vec<u8>, String> {
    let (way, kind) = (format!("--jobs={way}"), format!("--emit={kind}"));
    let mut args = vec!["-", "-o", "-", &way, &kind];
    args.extend(more);
    aiec(&args, text).output()
}

fn simulate(elf: &[u8], arguments: Vec<HostBuffer>) -> Result<SimResult, String> {
    let options = SimOptions {
        max_cycles: MAX_CYCLES,
        ..SimOptions::default()
    };
    aiec_sim::simulate(elf, arguments, &options).map_err(|e| e.to_string())
}

fn inputs(data: &Data) -> Vec<HostBuffer> {
    let given = data.inputs.iter().map(|(index, bytes)| HostBuffer {
        index: *index as u32,
        bytes: bytes.clone(),
    });
    given.collect()
}

fn examples() -> Vec<Example> {
    let mut list = Example::all(&root().join("examples")).unwrap();
    list.extend(Example::all(&root().join("test/end_to_end")).unwrap());
    list.retain(|example| example.ending == Ending::Completed);
    list
}

#[test]
fn every_example_gives_the_same_in_all_ways_and_none_is_slower() {
    for example in examples() {
        let data = data(&example.name).unwrap();
        for device in &example.devices {
            let text = fs::read(example.design(device)).unwrap();
            let mut yardstick = None;
            for way in WAYS {
                let what = format!("{} on {device}, {way}", example.name);
                let elf = compile(&text, way, "ctrl-elf", &["--device", device]).unwrap();
                let result = simulate(&elf, inputs(&data)).unwrap();
                assert_eq!(result.status, Status::Completed, "{what}");
                for (index, bytes) in &data.outputs {
                    assert_eq!(result.output(*index as u32), Some(&bytes[..]), "{what}");
                }
                let single = *yardstick.get_or_insert(result.cycles);
                let cycles = result.cycles;
                assert!(
                    cycles * 100 <= single * 101,
                    "{what}: {cycles} cycles, {single} in one job"
                );
            }
        }
    }
}

/// Reads a file through the assembler.
fn assemble(asm: &[u8], name: &str) -> Result<Vec<u8>, String> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.asm"));
    fs::write(&path, asm).map_err(|e| e.to_string())?;
    aiec(["asm", &path.to_string_lossy(), "-o", "-"], b"").output()
}

#[test]
fn the_assembly_is_the_same_program() {
    for example in examples() {
        let device = example.devices.first().unwrap();
        let text = fs::read(example.design(device)).unwrap();
        for way in WAYS {
            let what = format!("{} on {device}, {way}", example.name);
            let more = ["--device", device];
            let ours = compile(&text, way, "ctrl-elf", &more).unwrap();
            let asm = compile(&text, way, "ctrl-asm", &more).unwrap();
            let again = assemble(&asm, &format!("{}-{way}", example.name));
            let again = again.unwrap_or_else(|e| panic!("{what}: {e}"));
            let [ours, again] = [ours, again].map(|bytes| elf::read(&bytes).unwrap().instances);
            assert_eq!(ours, again, "{what}");
        }
    }
}

/// Edits that remove one meeting from a program: its lines that change, and to what.
type Edits = BTreeMap<usize, String>;

/// The meetings of a program, and the programs without: remote barriers by number, parties and
/// turn, local ones by controller and number, and launched jobs, which then begin at once.
fn barriers(lines: &[&str]) -> BTreeMap<(String, usize), Edits> {
    let mut found: BTreeMap<(String, usize), Edits> = BTreeMap::new();
    let mut turns: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut group = String::new();
    for (at, line) in lines.iter().enumerate() {
        let line = line.trim();
        if let Some(number) = line.strip_prefix(".attach_to_group ") {
            group = number.to_string();
        }
        let mut edit = |key: (String, usize), text: String| {
            found.entry(key).or_default().insert(at, text);
        };
        if let Some(operands) = line.strip_prefix("REMOTE_BARRIER") {
            let operands = operands.trim().to_string();
            let turn = turns.entry((group.clone(), operands.clone())).or_default();
            edit((operands, *turn), String::new());
            *turn += 1;
        }
        if let Some(operands) = line.strip_prefix("LOCAL_BARRIER") {
            let key = format!("{} of controller {group}", operands.trim());
            edit((key, 0), String::new());
        }
        for (mnemonic, text) in [("LAUNCH_JOB", ""), ("START_JOB_DEFERRED", "START_JOB ")] {
            if let Some(job) = line.strip_prefix(mnemonic) {
                let key = format!("launch of job {} of controller {group}", job.trim());
                let text = if text.is_empty() {
                    String::new()
                } else {
                    format!("{text}{job}")
                };
                edit((key, 0), text);
            }
        }
    }
    found
}

/// A program with some lines changed.
fn edited(lines: &[&str], edits: &Edits) -> String {
    let lines = lines.iter().enumerate();
    let lines = lines.map(|(at, line)| edits.get(&at).map_or(*line, String::as_str));
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// Outputs of a program for buffers that count up; an error if the run is at risk.
fn meaning(elf: &[u8]) -> Result<Vec<HostBuffer>, String> {
    let arguments = (0..3u32).map(|index| HostBuffer {
        index,
        bytes: (0..512u32)
            .map(|n| if index == 0 { n + 5 } else { 0 })
            .flat_map(u32::to_le_bytes)
            .collect(),
    });
    let result = simulate(elf, arguments.collect())?;
    match result.status {
        Status::Completed => match result.array.hazards().next() {
            Some(hazard) => Err(hazard.kind.to_string()),
            None => Ok(result.outputs),
        },
        other => Err(format!("{other:?}")),
    }
}

/// The simulator holds words that arrive before their packet rule, or before the far end of their
/// cascade, is set up; whether hardware does is not known. It reports both as hazards, which count
/// as missed.
///
/// `way-of-a-token` isn't here: a token comes after its data, when the switches on its way are set
/// up even without the barrier.
#[test]
fn a_barrier_that_is_left_out_is_missed() {
    let folder = root().join("test/passes/emit-jobs");
    let designs = [
        ("memory-of-a-neighbour", 1),
        ("mem-tile-neighbour", 1),
        ("host-range", 1),
        ("jobs-of-a-page", 1),
        ("parameter", 3),
        ("wait-for-something-unseen", 1),
        ("cascade", 1),
        ("stream-of-packets", 1),
        ("stream-of-a-core", 1),
        ("control-packet", 1),
        ("launch", 1),
        ("words-of-two-columns", 3),
    ];
    for (name, count) in designs {
        let text = fs::read_to_string(folder.join(name).with_extension("mlir")).unwrap();
        let mut missed: Option<BTreeSet<(String, usize)>> = None;
        for text in paces(&text) {
            let unnoticed = unnoticed_barriers(name, text.as_bytes(), count);
            missed = Some(match missed {
                Some(missed) => missed.intersection(&unnoticed).cloned().collect(),
                None => unnoticed,
            });
        }
        let missed = missed.unwrap();
        assert!(missed.is_empty(), "{name} without one of {missed:?}");
    }
}

/// A job that is never launched doesn't run: its data are missing, and the simulator names it.
#[test]
fn a_launch_that_is_left_out_is_named() {
    let design = root().join("test/passes/emit-jobs/launch.mlir");
    let text = fs::read(design).unwrap();
    let asm = compile(&text, "parallel", "ctrl-asm", &[]).unwrap();
    let asm = String::from_utf8(asm).unwrap();
    let kept = |line: &&str| !line.trim().starts_with("LAUNCH_JOB");
    let without: Vec<&str> = asm.lines().filter(kept).collect();
    let run = |asm: &str| meaning(&assemble(asm.as_bytes(), "launch-never").unwrap());
    assert_ne!(run(&(without.join("\n") + "\n")), run(&asm));
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("launch-never.elf");
    fs::write(
        &path,
        assemble((without.join("\n") + "\n").as_bytes(), "launch-never").unwrap(),
    )
    .unwrap();
    let path = path.to_string_lossy();
    let sizes = ["0=2048", "1=2048", "2=2048"].map(|size| ["--arg-size", size]);
    let args = [&["sim", &*path][..], sizes.as_flattened()].concat();
    let run = aiec(args, b"");
    assert!(run.stderr.contains("deferred job 3"), "{}", run.stderr);
}

/// The design, and where it has work that takes long more than once, the same with the last of it
/// done at once: which access comes too early without a barrier depends on which side is slow.
fn paces(text: &str) -> Vec<String> {
    let work = "%first to %last step";
    let mut list = vec![text.to_string()];
    if text.matches(work).count() > 1 {
        let (before, after) = text.rsplit_once(work).unwrap();
        list.push(format!("{before}%first to %step step{after}"));
    }
    list
}

/// The barriers without which the data are the same.
fn unnoticed_barriers(name: &str, text: &[u8], count: usize) -> BTreeSet<(String, usize)> {
    let asm = |way| {
        let asm = compile(text, way, "ctrl-asm", &[]).unwrap();
        String::from_utf8(asm).unwrap()
    };
    let run = |asm: &str, which: &str| {
        let elf = assemble(asm.as_bytes(), &format!("{name}-{which}"));
        meaning(&elf.unwrap_or_else(|e| panic!("{name}: {e}")))
    };
    let wanted = run(&asm("single"), "single");
    assert!(wanted.is_ok(), "{name} fails as one job");
    let parallel = asm("parallel");
    assert!(
        run(&parallel, "parallel") == wanted,
        "{name} is divided wrong"
    );
    let lines: Vec<&str> = parallel.lines().collect();
    let found = barriers(&lines);
    assert_eq!(found.len(), count, "{name}: {found:?}");
    let unnoticed = found
        .into_iter()
        .filter(|(_, edits)| run(&edited(&lines, edits), "without") == wanted);
    unnoticed.map(|(barrier, _)| barrier).collect()
}

/// The split/join design: in each column a shim, a mem tile and four cores.
fn split_join(device: &str, columns: usize, cores: bool) -> String {
    let first = if device == "xcve3858" { 3 } else { 2 };
    let mut text = format!("module {{\n  aie.device({device}) {{\n");
    let mut line = |line: String| text.push_str(&(line + "\n"));
    let fifo = |name: String, from: String, to: String, n: usize| {
        format!(
            "aie.objectfifo @{name}({from}, {{{to}}}, 2 : i32) : !aie.objectfifo<memref<{n}xi32>>"
        )
    };
    let list = |f: &dyn Fn(usize) -> String| (0..4).map(f).collect::<Vec<_>>().join(", ");
    for c in 0..columns {
        line(format!("%shim{c} = aie.tile({c}, 0)"));
        line(format!("%mem{c} = aie.tile({c}, 1)"));
        for k in 0..4 {
            line(format!("%w{c}_{k} = aie.tile({c}, {})", first + k));
        }
    }
    for c in 0..columns {
        let (shim, mem) = (format!("%shim{c}"), format!("%mem{c}"));
        line(fifo(format!("in{c}"), shim.clone(), mem.clone(), 128));
        line(fifo(format!("out{c}"), mem.clone(), shim, 128));
        for k in 0..4 {
            let core = format!("%w{c}_{k}");
            line(fifo(format!("in{c}_{k}"), mem.clone(), core.clone(), 32));
            line(fifo(format!("out{c}_{k}"), core, mem.clone(), 32));
        }
        let ins = list(&|k| format!("@in{c}_{k}"));
        let outs = list(&|k| format!("@out{c}_{k}"));
        line(format!(
            "aie.objectfifo.link [@in{c}] -> [{ins}] ([] [0, 32, 64, 96])"
        ));
        line(format!(
            "aie.objectfifo.link [{outs}] -> [@out{c}] ([0, 32, 64, 96] [])"
        ));
    }
    for (c, k) in (0..columns).flat_map(|c| (0..4).map(move |k| (c, k))) {
        if !cores {
            break;
        }
        line(format!(
            "aie.core(%w{c}_{k}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 32 : index
  %b = arith.constant {} : i32
  %forever = arith.constant 9223372036854775807 : index
  scf.for %r = %c0 to %forever step %c1 {{
    %i = aie.objectfifo.acquire @in{c}_{k}(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
    %x = aie.objectfifo.subview.access %i[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
    %o = aie.objectfifo.acquire @out{c}_{k}(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
    %y = aie.objectfifo.subview.access %o[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
    scf.for %j = %c0 to %n step %c1 {{
      %v = memref.load %x[%j] : memref<32xi32>
      %v2 = arith.addi %v, %v : i32
      %v3 = arith.addi %v2, %b : i32
      memref.store %v3, %y[%j] : memref<32xi32>
    }}
    aie.objectfifo.release @in{c}_{k}(Consume, 1)
    aie.objectfifo.release @out{c}_{k}(Produce, 1)
  }}
  aie.end
}}",
            4 * c + k
        ));
    }
    let all = format!("memref<{}xi32>", 256 * columns);
    line(format!("aie.runtime_sequence(%a: {all}, %b: {all}) {{"));
    for c in 0..columns {
        for (id, (arg, fifo)) in [("%a", "in"), ("%b", "out")].into_iter().enumerate() {
            line(format!(
                "aiex.npu.dma_memcpy_nd({arg}[0, 0, 0, {}][1, 1, 1, 256][0, 0, 0, 1]) \
                 {{id = {id} : i64, metadata = @{fifo}{c}}} : {all}",
                256 * c
            ));
        }
    }
    for c in 0..columns {
        line(format!("aiex.npu.dma_wait {{symbol = @out{c}}}"));
    }
    line("}\n}\n}".to_string());
    text
}

/// Bytes in use on all pages (header, instructions, filler, descriptors, data).
fn used_bytes(elf: &[u8]) -> u64 {
    let file = elf::read(elf).unwrap();
    let ucs = file.instances.iter().flat_map(|instance| &instance.ucs);
    let pages = ucs.flat_map(|uc| &uc.pages);
    // The length field of the page's header.
    pages
        .map(|page| u64::from(u16::from_le_bytes([page[8], page[9]])))
        .sum()
}

fn instructions(result: &SimResult) -> u64 {
    let controllers = result.machine.controllers().iter();
    controllers.map(|uc| uc.stats().counts.instructions).sum()
}

/// Used bytes, executed operations of the reference's control code for the design on npu2 with
/// eight columns, and what ours may take of them in one job.
const REFERENCE_BYTES: u64 = 38_156;
const REFERENCE_OPERATIONS: u64 = 1_850;

#[test]
fn the_split_join_design_is_small() {
    let text = split_join("npu2", 8, false);
    for way in WAYS {
        let elf = compile(text.as_bytes(), way, "ctrl-elf", &[]).unwrap();
        // Nothing comes out of a design without cores: the instructions until it hangs are those of
        // a run that ends, except for the waits.
        let result = simulate(&elf, Vec::new()).unwrap();
        let (bytes, operations) = (used_bytes(&elf), instructions(&result));
        println!("8 x 4 on npu2, {way}: {bytes} bytes, {operations} operations");
        if way == "single" {
            assert!(bytes * 100 <= REFERENCE_BYTES * 60, "{bytes}");
            assert!(
                operations * 100 <= REFERENCE_OPERATIONS * 25,
                "{operations}"
            );
        }
    }
}

#[test]
fn columns_are_configured_at_the_same_time() {
    for columns in [1, 2, 4, 8, 36] {
        let text = split_join("xcve3858", columns, true);
        let run = |way| {
            let elf = compile(text.as_bytes(), way, "ctrl-elf", &[]).unwrap();
            let result = simulate(&elf, Vec::new()).unwrap();
            assert_eq!(result.status, Status::Completed);
            let (config, all) = (result.config_cycles, result.cycles);
            println!("{columns} x 4 on xcve3858, {way}: {config} to configure, {all} in all");
            (config, all)
        };
        let [single, _, parallel] = WAYS.map(run);
        if columns == 8 {
            assert!(parallel.0 * 6 <= single.0);
            assert!(parallel.1 * 10 <= single.1 * 6);
        }
    }
}

/// Bytes of a page that may be left: what comes next didn't fit in its dearest form.
const LEFT_OF_A_PAGE: usize = PAGE_BYTES / 4;

/// Holds the pages of an ELF to the bound that the book states: none is longer than a page, each
/// but the last of the configuration and of the sequence is filled at three quarters on average.
/// Returns how many pages there are.
fn pages_within_bound(elf: &[u8], what: &str) -> usize {
    let file = elf::read(elf).unwrap();
    let mut all = 0;
    for uc in file.instances.iter().flat_map(|instance| &instance.ucs) {
        let mut bytes = 0;
        for page in &uc.pages {
            let header = PageHeader::parse(page).unwrap();
            let used = usize::from(header.length);
            assert!(used <= PAGE_BYTES, "{what}: {used} bytes on a page");
            bytes += used;
        }
        let least = bytes.div_ceil(PAGE_BYTES - LEFT_OF_A_PAGE);
        let (uc, count) = (uc.uc, uc.pages.len());
        assert!(
            count <= least + 2,
            "{what}: {count} pages of controller {uc} for {bytes} bytes"
        );
        all += count;
    }
    all
}

/// Thousands of transfers, one after the other through one column: in, out, wait.
fn many_transfers(count: usize) -> String {
    let mut copies = String::new();
    for n in 0..count {
        let at = n % 64 * 16;
        copies.push_str(&format!(
            "aiex.npu.dma_memcpy_nd(%a[0, 0, 0, {at}][1, 1, 1, 16][0, 0, 0, 1]) \
             {{id = {} : i64, metadata = @in}} : memref<1024xi32>\n\
             aiex.npu.dma_memcpy_nd(%b[0, 0, 0, {at}][1, 1, 1, 16][0, 0, 0, 1]) \
             {{id = {} : i64, metadata = @out}} : memref<1024xi32>\n\
             aiex.npu.dma_wait {{symbol = @out}}\n",
            n % 4,
            4 + n % 4
        ));
    }
    format!(
        "module {{ aie.device(xcve3858) {{
    %s = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    aie.objectfifo @in(%s, {{%m}}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%m, {{%s}}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo.link [@in] -> [@out] ([] [0])
    aie.runtime_sequence(%a: memref<1024xi32>, %b: memref<1024xi32>) {{
{copies}
    }} }} }}"
    )
}

/// Cores in eight rows of `columns` columns, each with a program and data of its own.
fn many_cores(columns: usize) -> String {
    // A device with eight rows of cores, above two of mem tiles.
    let mut text = String::from("module {\n  aie.device(xcve2802) {\n");
    for core in 0..8 * columns {
        let (col, row) = (core / 8, core % 8 + 3);
        let words: Vec<String> = (0..256)
            .map(|n| (core * 1000 + n * 7).to_string())
            .collect();
        text.push_str(&format!(
            "%t{core} = aie.tile({col}, {row})
%x{core} = aie.buffer(%t{core}) {{sym_name = \"x{core}\"}} : memref<256xi32> = dense<[{}]>
aie.core(%t{core}) {{
  %at = arith.constant {} : index
  %v = memref.load %x{core}[%at] : memref<256xi32>
  %c = arith.constant {} : i32
  %s = arith.addi %v, %c : i32
  memref.store %s, %x{core}[%at] : memref<256xi32>
  aie.end
}}\n",
            words.join(", "),
            core % 256,
            core + 100_000
        ));
    }
    text + "} }"
}

#[test]
fn pages_never_overflow_and_are_few() {
    const TRANSFERS: usize = 1500;
    let transfers = many_transfers(TRANSFERS);
    let input = HostBuffer {
        index: 0,
        bytes: (0..1024u32).flat_map(u32::to_le_bytes).collect(),
    };
    for way in WAYS {
        let elf = compile(transfers.as_bytes(), way, "ctrl-elf", &[]).unwrap();
        let pages = pages_within_bound(&elf, way);
        println!("{TRANSFERS} transfers each way, {way}: {pages} pages");
        let result = simulate(&elf, vec![input.clone()]).unwrap();
        assert_eq!(result.status, Status::Completed, "{way}");
        assert_eq!(result.output(1), Some(&input.bytes[..]), "{way}");
    }
    // 200 cores.
    let cores = many_cores(25);
    for way in WAYS {
        let elf = compile(cores.as_bytes(), way, "ctrl-elf", &[]).unwrap();
        let pages = pages_within_bound(&elf, way);
        println!("200 cores, {way}: {pages} pages");
        // Less would not hold the data.
        assert!(pages > 200 * 256 * 4 / PAGE_BYTES, "{way}: {pages} pages");
        let result = simulate(&elf, Vec::new()).unwrap();
        assert_eq!(result.status, Status::Completed, "{way}");
    }
}
