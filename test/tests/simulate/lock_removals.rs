//! Lock operations taken out of good designs, one at a time: each is found, by a warning of the compiler, a race, a
//! deadlock, wrong data or a near-miss, at a line of what uses the lock.
//!
//! Operations after an endless loop of a core are left alone: nothing executes them.
//!
//! The designs are the examples and random ones, with their object fifos lowered. `AIEC_TEST_SIZE=N` takes out N times
//! as many operations; `--nocapture` shows how many were found in which way.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use aiec_sim::{HostBuffer, SimOptions, SimResult, Status, simulate};
use aiec_test::designs::runs::{buffers, drawn};
use aiec_test::driver::{Run, aiec};
use aiec_test::examples::{Ending, Example, data};
use aiec_test::seeds::{cases, failures, first_seed};

/// Operations that are taken out of the examples when the environment does not say.
const FROM_EXAMPLES: u64 = 24;
/// Operations that are taken out of random designs when the environment does not say.
const FROM_RANDOM: u64 = 24;
/// Random designs when the environment does not say; 100 at most.
const RANDOM_DESIGNS: u64 = 8;
const MAX_RANDOM_DESIGNS: u64 = 100;
/// No design needs more.
const MAX_CYCLES: u64 = 2_000_000;
/// Bounds of endless loops begin with these digits of the largest `i64`.
const ENDLESS: &str = " to %c92233720368547758";
/// A lock operation begins with this.
const USE_LOCK: &str = "aie.use_lock(";

/// A sound design with its fifos lowered.
struct SoundDesign {
    name: String,
    text: String,
    inputs: Vec<HostBuffer>,
    outputs: Vec<Vec<u8>>,
    /// Transfers that its run leaves unfinished: random designs may send more than the host takes.
    leftovers: Vec<String>,
    /// Lines of lock operations, from 0.
    operations: Vec<usize>,
}

impl SoundDesign {
    fn new(name: String, source: &[u8], inputs: Vec<HostBuffer>, packets: bool) -> SoundDesign {
        let lower = "--aie-objectFifo-stateful-transform";
        let lower = if packets {
            format!("{lower}=packet-sw-objFifos=true")
        } else {
            lower.to_string()
        };
        let before = [
            "--lower-affine",
            "--aie-inline-functions",
            "--aie-register-objectFifos",
        ];
        let args = ["opt", before[0], before[1], before[2], &lower, "-"];
        let lowered = aiec(args, source).output();
        let lowered = lowered.unwrap_or_else(|error| panic!("{name}: {error}"));
        let text = String::from_utf8(lowered).expect("text");
        let operations = executed_operations(&text);
        let mut design = SoundDesign {
            name,
            text,
            inputs,
            outputs: Vec::new(),
            leftovers: Vec::new(),
            operations,
        };
        let compiled = compile(&design.text);
        assert!(
            !compiled.stderr.contains("locks::unbalanced"),
            "{}: {}",
            design.name,
            compiled.stderr
        );
        let elf = compiled
            .output()
            .unwrap_or_else(|error| panic!("{}: {error}", design.name));
        let result = design.run(&elf);
        assert_eq!(result.status, Status::Completed, "{}", design.name);
        design.leftovers = result.leftovers.iter().map(ToString::to_string).collect();
        let locks = design.leftovers.iter().any(|left| left.contains("units"));
        assert!(!locks, "{}: {:?}", design.name, design.leftovers);
        design.outputs = outputs(&result);
        design
    }

    fn run(&self, elf: &[u8]) -> SimResult {
        let options = SimOptions {
            max_cycles: MAX_CYCLES,
            ..SimOptions::default()
        };
        simulate(elf, self.inputs.clone(), &options)
            .unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    fn has_new_leftovers(&self, result: &SimResult) -> bool {
        let mut leftovers = result.leftovers.iter().map(ToString::to_string);
        leftovers.any(|left| !self.leftovers.contains(&left))
    }

    /// Takes out the operation of a line; how that is found, or that it isn't.
    fn without(&self, operation: usize) -> Result<&'static str, String> {
        let lines: Vec<&str> = self.text.lines().collect();
        let rest = [&lines[..operation], &[""], &lines[operation + 1..]].concat();
        let compiled = compile(&rest.join("\n"));
        let mut said = compiled.stderr.clone();
        let warned = said.contains("locks::unbalanced");
        let result = compiled.output().map(|elf| self.run(&elf));
        let found = match &result {
            Err(_) => Some("refused"),
            Ok(result) => {
                said += &report(result);
                let races = result.races.as_ref();
                match &result.status {
                    _ if races.is_some_and(|found| !found.races.is_empty()) => Some("race"),
                    Status::Completed if outputs(result) != self.outputs => Some("wrong data"),
                    Status::Completed if self.has_new_leftovers(result) => Some("near-miss"),
                    Status::Completed => None,
                    status => Some(status.name()),
                }
            }
        };
        let at = format!(
            "{}, line {}: {}",
            self.name,
            operation + 1,
            lines[operation].trim()
        );
        let found = found
            .or(warned.then_some("warning"))
            .ok_or_else(|| format!("{at}: nothing is found"))?;
        if lines_in(&said).is_disjoint(&concerned(&lines, operation)) {
            Err(format!("{at}: {found}, at other lines:\n{said}"))
        } else {
            Ok(found)
        }
    }
}

/// The lines of lock operations, from 0, except for those after an endless loop of a core.
fn executed_operations(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    // Depth of the endless loop around the line, and whether the line is after it.
    let (mut endless, mut behind) = (None, false);
    for (at, line) in text.lines().enumerate() {
        let code = line.trim_start();
        let depth = line.len() - code.len();
        if code.contains("aie.core(") || code.starts_with("aie.end") {
            (endless, behind) = (None, false);
        } else if endless.is_none() && code.contains(ENDLESS) {
            endless = Some(depth);
        } else if endless == Some(depth) && code.starts_with('}') {
            behind = true;
        }
        if code.starts_with(USE_LOCK) && !behind {
            found.push(at);
        }
    }
    found
}

fn compile(text: &str) -> Run {
    aiec(["-", "-o", "-"], text.as_bytes())
}

fn outputs(result: &SimResult) -> Vec<Vec<u8>> {
    result
        .outputs
        .iter()
        .map(|buffer| buffer.bytes.clone())
        .collect()
}

/// Places that a run's report names.
fn report(result: &SimResult) -> String {
    let mut text = String::new();
    if let Status::Deadlock(deadlock) = &result.status {
        text += &deadlock.story.join("\n");
        let sources = deadlock
            .chain
            .iter()
            .filter_map(|wait| wait.source.as_deref());
        text += &sources.collect::<Vec<_>>().join("\n");
    }
    let races = result.races.iter().flat_map(|found| &found.races);
    let accesses = races.flat_map(|race| &race.accesses);
    for source in accesses.filter_map(|access| access.source.as_ref()) {
        text += &format!("\n{source}");
    }
    for left in &result.leftovers {
        text += &format!("\n{left}");
    }
    text
}

/// The lines that places of the form `file:line:column` name.
fn lines_in(text: &str) -> BTreeSet<usize> {
    let mut lines = BTreeSet::new();
    for word in text.split(|c: char| c.is_whitespace() || "[](),".contains(c)) {
        let parts: Vec<&str> = word.split(':').collect();
        if let [.., line, column] = parts.as_slice()
            && column.parse::<usize>().is_ok()
        {
            lines.extend(line.parse::<usize>());
        }
    }
    lines
}

/// The lines of what uses the lock of an operation (whole cores and DMA programs), and of its declaration.
fn concerned(lines: &[&str], operation: usize) -> BTreeSet<usize> {
    let named = lines[operation]
        .trim_start()
        .strip_prefix(USE_LOCK)
        .unwrap_or_default();
    let lock = named.split([',', ')']).next().unwrap_or_default();
    let depth = |line: &str| line.len() - line.trim_start().len();
    let mut concerned = BTreeSet::new();
    let uses = lines.iter().enumerate().filter(|(_, line)| {
        let mut words = line.split(|c: char| !(c.is_alphanumeric() || "%_".contains(c)));
        words.any(|word| word == lock)
    });
    for (at, _) in uses {
        // the operation of the device that it is in
        let begins = |line: &&str| {
            depth(line) <= 4 && !line.trim_start().starts_with(['}', '^']) && !line.is_empty()
        };
        let first = lines[..=at].iter().rposition(&begins).unwrap_or(at);
        let more = lines[first + 1..].iter().position(begins);
        let last = more.map_or(first, |more| first + more);
        concerned.extend(first + 1..=last.max(at) + 1);
    }
    concerned
}

/// Takes out `count` operations, spread over those of all designs; they must be found.
fn take_out(designs: &[SoundDesign], count: u64) {
    let all = designs
        .iter()
        .flat_map(|design| design.operations.iter().map(move |at| (design, *at)));
    let all: Vec<(&SoundDesign, usize)> = all.collect();
    let total = all.len() as u64;
    let count = count.min(total);
    let outcomes: Mutex<BTreeMap<&str, usize>> = Mutex::new(BTreeMap::new());
    let wrong = failures(count, |seed| {
        let at = (seed - first_seed()) * total / count + first_seed() % (total / count).max(1);
        let (design, operation) = all[at.min(total - 1) as usize];
        let found = design.without(operation)?;
        *outcomes.lock().expect("no panic").entry(found).or_default() += 1;
        Ok(())
    });
    println!(
        "{count} of {total} operations of {} designs: {:?}",
        designs.len(),
        outcomes
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    );
    let wrong: Vec<String> = wrong.into_iter().map(|(_, why)| why).collect();
    if let (false, Some(folder)) = (wrong.is_empty(), option_env!("CARGO_TARGET_TMPDIR")) {
        for design in designs {
            let path = format!("{folder}/{}.lowered.mlir", design.name.replace(' ', "_"));
            fs::write(path, &design.text).expect("the target folder");
        }
    }
    println!("{}", wrong.join("\n"));
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn a_lock_operation_that_is_taken_out_of_an_example_is_found() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut designs = Vec::new();
    for example in Example::all(&folder).expect("the examples") {
        let device = example.devices.first().map_or("", String::as_str);
        let text = fs::read(example.design(device)).expect("a design");
        if example.ending != Ending::Completed {
            continue;
        }
        let inputs = data(&example.name).expect("data").inputs;
        let input = |(index, bytes): (usize, Vec<u8>)| HostBuffer {
            index: index as u32,
            bytes,
        };
        let inputs = inputs.into_iter().map(input).collect();
        designs.push(SoundDesign::new(example.name, &text, inputs, false));
    }
    take_out(&designs, cases(FROM_EXAMPLES));
}

#[test]
fn a_lock_operation_that_is_taken_out_of_a_random_design_is_found() {
    let count = cases(RANDOM_DESIGNS).min(MAX_RANDOM_DESIGNS);
    let mut designs = Vec::new();
    for seed in first_seed()..first_seed() + count {
        let design =
            drawn(seed.wrapping_mul(0x1000_0001)).unwrap_or_else(|error| panic!("{error}"));
        let (inputs, _) = buffers(&design, !seed, 0);
        let name = format!("random design {seed}");
        let text = design.text();
        designs.push(SoundDesign::new(
            name,
            text.as_bytes(),
            inputs,
            design.packets,
        ));
    }
    take_out(&designs, cases(FROM_RANDOM));
}
