//! Holds devices that are loaded one after the other to what each means alone.
//!
//! Pairs of random designs become one module whose main device loads the first, the second, and the
//! first again, each with host buffers of its own. Whatever the way of loading, all buffers must hold
//! what the designs' descriptions imply. How many pairs are drawn, and which, is as
//! `aiec_test::seeds` says. A module that goes wrong is written to the target folder.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use aiec_sim::SimOptions;
use aiec_test::designs::Design;
use aiec_test::designs::runs::{buffers, drawn, hold, netlist};
use aiec_test::driver::aiec;
use aiec_test::seeds::{cases, failures};

/// Pairs drawn when the environment does not say.
const DEFAULT_COUNT: u64 = 40;

/// The ways to divide work.
const JOBS: [&str; 3] = ["single", "per-column", "parallel"];

/// The ways to load a device.
const WAYS: [&str; 2] = ["full", "diff"];

/// Designs drawn until one is for the device of the first.
const MAX_DRAWS: u64 = 200;

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

/// Number of loads of each kind, as statistics name it.
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
    let failures = failures(count, run);
    let failures: Vec<String> = failures
        .iter()
        .map(|(seed, message)| format!("seed {seed}: {message}"))
        .collect();
    assert!(
        failures.is_empty(),
        "{} of {count} pairs went wrong\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// A design that was drawn from a number, with fifos that are circuits.
fn design(number: u64) -> Result<Design, String> {
    drawn(number.wrapping_mul(0x1000_0001))
}

fn run(seed: u64, loads: &Loads) -> Result<(), String> {
    let start = seed.wrapping_mul(MAX_DRAWS * 2);
    let a = design(start)?;
    let mut b = design(start + 1)?;
    let mut at = start + 1;
    while b.device != a.device && at < start + MAX_DRAWS {
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
    let text = netlist(design)?;
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
    let mut all = Vec::new();
    let mut wanted = Vec::new();
    for (n, design) in designs.iter().enumerate() {
        let (given, after) = buffers(design, !seed ^ n as u64, all.len());
        all.extend(given);
        wanted.extend(after);
    }
    let options = SimOptions {
        max_cycles: MAX_CYCLES,
        ..SimOptions::default()
    };
    let result = aiec_sim::simulate(&elf, all, &options).map_err(|e| e.to_string())?;
    hold(&result, &wanted)?;
    Ok(statistics)
}
