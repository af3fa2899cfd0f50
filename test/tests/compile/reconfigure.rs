//! Holds devices that are loaded one after the other to what each means alone.
//!
//! Pairs of random designs become one module whose main device loads the first, the second, and the
//! first again, each with host buffers of its own. Whatever the way of loading, all buffers must hold
//! what the designs' descriptions imply. How many pairs are drawn, and which, is as
//! `aiec_test::seeds` says. A module that goes wrong is written to the target folder.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use aiec_sim::{HostBuffer, SimOptions, Status};
use aiec_test::designs::{Design, Elem, draw};
use aiec_test::driver::aiec;
use aiec_test::seeds::{cases, entropy, first_seed};
use arbitrary::Unstructured;

/// Pairs drawn when the environment does not say.
const DEFAULT_COUNT: u64 = 40;

/// The ways to divide work.
const JOBS: [&str; 3] = ["single", "per-column", "parallel"];

/// The ways to load a device.
const WAYS: [&str; 2] = ["full", "diff"];

/// Bytes of randomness for one design; more than any design uses.
const ENTROPY_BYTES: usize = 4096;

/// Designs drawn until one is for the device of the first.
const MOST_DRAWS: u64 = 200;

/// Cycles after which a run counts as hanging: thousands of times what a design needs.
const MAX_CYCLES: u64 = 20_000_000;

#[test]
fn devices_loaded_one_after_the_other_do_what_each_means() {
    every_pair(|seed| run(seed, &Loads::default()));
}

/// Loading a device that has the same ways as the one before may leave channels where they are, and
/// mostly does.
#[test]
fn a_device_and_its_copy_do_the_same() {
    let loads = Loads::default();
    every_pair(|seed| {
        let a = design(seed)?;
        pair(&a, &a, seed, &loads)
    });
    let ways = loads.0.into_inner().unwrap_or_else(PoisonError::into_inner);
    println!("{ways:#?}");
    let all: u64 = ways.values().sum();
    let at_rest = ways.get("loads when quiescent").copied().unwrap_or(0);
    // Most of the others have cores whose rounds depend on data: they are when quiescent in part.
    assert!(
        all < DEFAULT_COUNT || at_rest * 3 >= all,
        "{at_rest} of {all} at rest"
    );
}

/// How often devices were loaded in which way, as statistics call it.
#[derive(Default)]
struct Loads(Mutex<BTreeMap<String, u64>>);

impl Loads {
    /// Reads the statistics of a compilation.
    fn add(&self, statistics: &str) {
        let mut ways = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for counter in statistics.split(['(', ')', ',']).map(str::trim) {
            if let Some((way, count)) = counter.rsplit_once(": ")
                && way.starts_with("loads ")
            {
                *ways.entry(way.to_string()).or_default() += count.parse().unwrap_or(0);
            }
        }
    }
}

fn every_pair(run: impl Fn(u64) -> Result<(), String> + Sync) {
    let count = cases(DEFAULT_COUNT);
    let first = first_seed();
    let next = AtomicU64::new(first);
    let failures = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + count {
                        break;
                    }
                    if let Err(message) = run(seed) {
                        let mut list = failures.lock().unwrap_or_else(PoisonError::into_inner);
                        list.push(format!("seed {seed}: {message}"));
                    }
                }
            });
        }
    });
    let failures = failures
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    assert!(
        failures.is_empty(),
        "{} of {count} pairs went wrong\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// A design that was drawn from a number, with fifos that are circuits.
fn design(number: u64) -> Result<Design, String> {
    let bytes = entropy(number.wrapping_mul(0x1000_0001), ENTROPY_BYTES);
    draw(&mut Unstructured::new(&bytes)).map_err(|e| e.to_string())
}

fn run(seed: u64, loads: &Loads) -> Result<(), String> {
    let start = seed.wrapping_mul(MOST_DRAWS * 2);
    let a = design(start)?;
    let mut b = design(start + 1)?;
    let mut at = start + 1;
    while b.device != a.device && at < start + MOST_DRAWS {
        at += 1;
        b = design(at)?;
    }
    if b.device != a.device {
        return Ok(());
    }
    pair(&a, &b, seed, loads)
}

fn pair(a: &Design, b: &Design, seed: u64, loads: &Loads) -> Result<(), String> {
    let text = module([a, b])?;
    let jobs = JOBS[(seed % JOBS.len() as u64) as usize];
    for way in WAYS {
        let statistics = check(&text, [a, b, a], seed, jobs, way).map_err(|message| {
            let path = format!("{}/random_pair_{seed}.mlir", env!("CARGO_TARGET_TMPDIR"));
            let kept = std::fs::write(&path, &text).map_or_else(|e| e.to_string(), |()| path);
            let start: Vec<&str> = message.lines().take(4).collect();
            format!(
                "--jobs={jobs} --reconfigure={way}: {} ({kept})",
                start.join("\n")
            )
        })?;
        if way == "diff" {
            loads.add(&statistics);
        }
    }
    Ok(())
}

/// The text of a design's device, with a name, and of a sequence called `@run`.
fn device(design: &Design, name: &str) -> Result<String, String> {
    let text = match design.packets {
        true => with_packets(&design.text())?,
        false => design.text(),
    };
    let inner = text
        .strip_prefix("module {\n")
        .and_then(|text| text.trim_end().strip_suffix('}'))
        .ok_or("no module without aliases")?;
    let plain = format!("aie.device({}) {{", design.device);
    let named = format!("aie.device({}) @{name} {{", design.device);
    Ok(inner
        .replacen(&plain, &named, 1)
        .replacen("runtime_sequence(", "runtime_sequence @run(", 1))
}

/// A design whose fifos are lowered to packet flows.
fn with_packets(text: &str) -> Result<String, String> {
    let option = "--aie-objectFifo-stateful-transform=packet-sw-objFifos=true";
    let before = ["--lower-affine", "--aie-register-objectFifos"];
    let lowered = aiec(["opt", before[0], before[1], option, "-"], text.as_bytes()).output()?;
    String::from_utf8(lowered).map_err(|e| e.to_string())
}

/// A module that loads the first design, the second and the first again.
fn module([a, b]: [&Design; 2]) -> Result<String, String> {
    let (mut arguments, mut body) = (Vec::new(), String::new());
    for (n, (design, name)) in [(a, "a"), (b, "b"), (a, "a")].into_iter().enumerate() {
        let elem = design.elem.text();
        let types: Vec<String> = design
            .buffers
            .iter()
            .map(|n| format!("memref<{n}x{elem}>"))
            .collect();
        let names: Vec<String> = (0..types.len()).map(|at| format!("%x{n}_{at}")).collect();
        arguments.extend(
            names
                .iter()
                .zip(&types)
                .map(|(name, ty)| format!("{name}: {ty}")),
        );
        body += &format!(
            "      aiex.configure @{name} {{\n        aiex.run @run({}) : ({})\n      }}\n",
            names.join(", "),
            types.join(", ")
        );
    }
    Ok(format!(
        "module {{\n  aie.device({}) @main {{\n    aie.runtime_sequence({}) {{\n{body}    }}\n  }}\n{}{}}}\n",
        a.device,
        arguments.join(", "),
        device(a, "a")?,
        device(b, "b")?
    ))
}

/// Compiles and runs a module; the statistics of its compilation.
fn check(
    text: &str,
    designs: [&Design; 3],
    seed: u64,
    jobs: &str,
    way: &str,
) -> Result<String, String> {
    let (jobs, way) = (format!("--jobs={jobs}"), format!("--reconfigure={way}"));
    let compiled = aiec(["-", "-o", "-", "--timing", &jobs, &way], text.as_bytes());
    let statistics = compiled.stderr.clone();
    let elf = compiled.output()?;
    let mut buffers = Vec::new();
    let mut wanted = Vec::new();
    for (n, design) in designs.iter().enumerate() {
        let data = entropy(!seed ^ n as u64, design.buffers.iter().sum::<usize>());
        let mut rest = data.as_slice();
        let before: Vec<Vec<i64>> = design
            .buffers
            .iter()
            .map(|n| {
                let (head, tail) = rest.split_at(*n);
                rest = tail;
                head.iter().map(|b| i64::from(*b as i8)).collect()
            })
            .collect();
        for values in &before {
            buffers.push(HostBuffer {
                index: buffers.len() as u32,
                bytes: to_bytes(design.elem, values),
            });
        }
        let after = design.meaning(&before);
        wanted.extend(after.iter().map(|values| to_bytes(design.elem, values)));
    }
    let options = SimOptions {
        max_cycles: MAX_CYCLES,
        ..SimOptions::default()
    };
    let result = aiec_sim::simulate(&elf, buffers, &options).map_err(|e| e.to_string())?;
    if result.status != Status::Completed {
        return Err(format!("ended as {:?}", result.status));
    }
    for (index, want) in wanted.iter().enumerate() {
        let got = result.output(index as u32).ok_or("a buffer is missing")?;
        if let Some(at) = (0..want.len()).find(|i| got.get(*i) != want.get(*i)) {
            let got = got.get(at);
            return Err(format!(
                "buffer {index} differs at byte {at}: {got:?} instead of {}",
                want[at]
            ));
        }
    }
    Ok(statistics)
}

fn to_bytes(elem: Elem, values: &[i64]) -> Vec<u8> {
    let size = elem.bytes();
    let bytes = values
        .iter()
        .flat_map(|v| v.to_le_bytes().into_iter().take(size));
    bytes.collect()
}
