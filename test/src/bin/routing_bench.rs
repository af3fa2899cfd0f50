//! `routing-bench`: runs the routing benchmark and prints figures.
//!
//! ```text
//! routing-bench [FILTER]… [--runs N] [--bless] [--verbose]        figures by family
//! routing-bench [FILTER]… --shuffle N                             and in N other orders of the flows
//! routing-bench [FILTER]… --files FOLDER                          the problems as files
//! routing-bench --scale [--runs N]                                time against flows and size
//! routing-bench FILE.json|FILE.mlir…                              single problems
//! ```

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use aiec_test::routing_bench::best::{self, Known, Table};
use aiec_test::routing_bench::families::{FAMILIES, Family, Shape};
use aiec_test::routing_bench::generate::{Deal, circuits};
use aiec_test::routing_bench::netlist::netlist;
use aiec_test::routing_bench::run::{Outcome, run, run_text};
use aiec_test::routing_bench::{Problem, by_hand, json};
use aiec_test::routing_check::verify;
use aiec_test::seeds::Random;

struct Options {
    filters: Vec<String>,
    runs: usize,
    bless: bool,
    verbose: bool,
    scale: bool,
    shuffles: u64,
    folder: Option<String>,
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        filters: Vec::new(),
        runs: 3,
        bless: false,
        verbose: false,
        scale: false,
        shuffles: 0,
        folder: None,
    };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--bless" => options.bless = true,
            "--verbose" | "-v" => options.verbose = true,
            "--scale" => options.scale = true,
            "--runs" => {
                let number = args.next().and_then(|n| n.parse().ok());
                options.runs = number.filter(|n| *n > 0).ok_or("--runs takes a number")?;
            }
            "--shuffle" => {
                let number = args.next().and_then(|n| n.parse().ok());
                options.shuffles = number.ok_or("--shuffle takes a number")?;
            }
            "--files" => options.folder = Some(args.next().ok_or("--files takes a folder")?),
            flag if flag.starts_with('-') => return Err(format!("{flag} is unknown")),
            filter => options.filters.push(filter.to_string()),
        }
    }
    Ok(options)
}

fn main() -> ExitCode {
    let result = options().and_then(|options| match &options.folder {
        _ if options.scale => {
            scale(&options);
            Ok(())
        }
        Some(folder) => write_files(Path::new(folder), &options),
        None => tables(&options),
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("routing-bench: {what}");
            ExitCode::FAILURE
        }
    }
}

fn wanted(name: &str, options: &Options) -> bool {
    options.filters.is_empty() || options.filters.iter().any(|f| name.contains(f.as_str()))
}

/// Writes the problems of the families as JSON and MLIR.
fn write_files(folder: &Path, options: &Options) -> Result<(), String> {
    let families = FAMILIES.iter().filter(|f| wanted(&f.name(), options));
    for problem in families.flat_map(Family::problems) {
        let stem = problem.name.replace('/', "_");
        for (ending, text) in [("json", json::write(&problem)), ("mlir", netlist(&problem))] {
            let path = folder.join(format!("{stem}.{ending}"));
            std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
        }
    }
    Ok(())
}

/// The median and the worst of some times.
fn median_and_worst(times: &mut [Duration]) -> (Duration, Duration) {
    times.sort_unstable();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    (median, times.last().copied().unwrap_or_default())
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1e3)
}

/// The outcome of one problem, with the median time of several runs.
fn measure(text: &str, runs: usize) -> Outcome {
    let mut outcome = run_text(text);
    let mut times = vec![outcome.time];
    times.extend((1..runs).map(|_| run_text(text).time));
    outcome.time = median_and_worst(&mut times).0;
    outcome
}

/// Sums over the problems of a row.
#[derive(Default)]
struct Row {
    problems: usize,
    routed: usize,
    proved: usize,
    wrong: usize,
    connections: usize,
    best: usize,
    times: Vec<Duration>,
}

fn tables(options: &Options) -> Result<(), String> {
    let mut best = best::read().unwrap_or_default();
    let mut rows: Vec<(String, Row)> = Vec::new();
    let files: Vec<&String> = options
        .filters
        .iter()
        .filter(|f| f.ends_with(".json") || f.ends_with(".mlir"))
        .collect();
    println!(
        "{:<32} {:>8} {:>6} {:>10} {:>9} {:>10} {:>10}",
        "problems", "routed", "proved", "connects", "best", "median ms", "worst ms"
    );
    if files.is_empty() {
        for family in FAMILIES.iter().filter(|f| wanted(&f.name(), options)) {
            let mut row = Row::default();
            for problem in family.problems() {
                enter(&mut row, &problem, &netlist(&problem), options, &mut best);
            }
            print_row(&family.name(), &mut row);
            rows.push((family.name(), row));
        }
        let mut row = Row::default();
        let problems = by_hand().map_err(|e| e.to_string())?.into_iter();
        for problem in problems.filter(|problem| wanted(&problem.name, options)) {
            enter(&mut row, &problem, &netlist(&problem), options, &mut best);
        }
        if row.problems > 0 {
            print_row("by-hand", &mut row);
            rows.push(("by-hand".to_string(), row));
        }
    }
    for file in files {
        let text = std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?;
        let (name, text) = if file.ends_with(".json") {
            let problem = json::read(&text).map_err(|e| format!("{file}: {e}"))?;
            (problem.name.clone(), netlist(&problem))
        } else {
            (file.clone(), text)
        };
        let problem = Problem {
            name,
            device: String::new(),
            flows: Vec::new(),
        };
        let mut row = Row::default();
        enter(&mut row, &problem, &text, options, &mut best);
        print_row(&problem.name, &mut row);
        rows.push((problem.name, row));
    }
    if options.bless {
        best::write(&best).map_err(|e| e.to_string())?;
    }
    let wrong: usize = rows.iter().map(|(_, row)| row.wrong).sum();
    match wrong {
        0 => Ok(()),
        _ => Err(format!("{wrong} routings are wrong")),
    }
}

fn enter(row: &mut Row, problem: &Problem, text: &str, options: &Options, best: &mut Table) {
    let outcome = measure(text, options.runs);
    row.problems += 1;
    row.times.push(outcome.time);
    let mut state = String::new();
    if let Some(routed) = &outcome.routed {
        row.routed += 1;
        row.connections += outcome.connections;
        let findings = verify(text, routed);
        row.wrong += usize::from(!findings.is_empty());
        for finding in &findings {
            eprintln!("{}: {finding}", problem.name);
        }
        best::improve(best, &problem.name, Known::Connections(outcome.connections));
        state += &format!("{} connections", outcome.connections);
    } else {
        if outcome.proved() {
            row.proved += 1;
            best::improve(best, &problem.name, Known::Impossible);
        }
        for diag in &outcome.diags {
            state += &format!("{}: {}; ", diag.code.id, diag.message);
        }
    }
    if let Some(Known::Connections(count)) = best.get(&problem.name) {
        row.best += count;
    }
    row.wrong += shuffled(problem, &outcome, options.shuffles);
    if options.verbose {
        let counters = outcome.statistics.iter();
        let counters: Vec<String> = counters.map(|(what, n)| format!("{what} {n}")).collect();
        let time = milliseconds(outcome.time);
        println!(
            "  {} {time} ms: {state} [{}]",
            problem.name,
            counters.join(", ")
        );
    }
}

/// In how many other orders of its flows a problem ends in another way.
fn shuffled(problem: &Problem, before: &Outcome, count: u64) -> usize {
    let mut wrong = 0;
    // A netlist that was read from a file has no list of flows here.
    let count = if problem.flows.is_empty() { 0 } else { count };
    for seed in 0..count {
        let mut problem = problem.clone();
        Random::new(seed).shuffle(&mut problem.flows);
        let outcome = run(&problem);
        let same = outcome.routed.is_some() == before.routed.is_some()
            && outcome.proved() == before.proved();
        let routed = outcome.routed.iter();
        let findings = routed.flat_map(|text| verify(&netlist(&problem), text));
        if !same || findings.count() > 0 {
            eprintln!("{}: depends on the order of its flows", problem.name);
            wrong += 1;
        }
    }
    wrong
}

fn print_row(name: &str, row: &mut Row) {
    let (median, worst) = median_and_worst(&mut row.times);
    println!(
        "{name:<32} {:>8} {:>6} {:>10} {:>9} {:>10} {:>10}",
        format!("{}/{}", row.routed, row.problems),
        row.proved,
        row.connections,
        row.best,
        milliseconds(median),
        milliseconds(worst)
    );
}

/// Flow numbers of the first table of `--scale`.
const FLOWS: [usize; 7] = [10, 30, 100, 200, 300, 600, 1000];
/// Seeds for each of them.
const SCALE_SEEDS: u64 = 5;
/// Devices with the columns and rows that flows go at most: further ones would not find enough
/// wires when there are a thousand of them. All ports of xcvc1902 have less than a thousand.
const SCALES: [(&str, u8); 3] = [("xcve2802", 2), ("xcve2802", 1), ("xcvc1902", 2)];
/// Devices of the second one, by growing size.
const DEVICES: [&str; 9] = [
    "npu2_1col",
    "npu2_2col",
    "npu2_4col",
    "npu2",
    "xcve2302",
    "xcve3858",
    "xcve2802",
    "xcvc1902",
    "npu1",
];

/// Time against the number of flows, and of whole-array designs against the size of the array;
/// the exponents are slopes of the least-squares line through the logarithms.
fn scale(options: &Options) {
    for (name, reach) in SCALES {
        scale_flows(options, name, reach);
    }
    scale_array(options);
}

/// Time against the number of flows that reach at most `reach` columns and rows.
fn scale_flows(options: &Options, name: &str, reach: u8) {
    println!("random circuits within {reach} columns and rows on {name}");
    println!("flows  median ms  routed  median ms  proved impossible");
    let mut points = Vec::new();
    let device = aiec_device::DeviceModel::by_name(name);
    for (device, sources) in device.into_iter().flat_map(|d| FLOWS.map(|size| (d, size))) {
        let (mut routed, mut proved, mut flows) = (Vec::new(), Vec::new(), 0);
        for seed in 1..=SCALE_SEEDS {
            let how = Deal {
                sources,
                fan_out: (1, 1),
                reach,
                height: reach,
            };
            let problem = Problem {
                name: String::new(),
                device: name.to_string(),
                flows: circuits(device, how, seed),
            };
            flows = problem.flows.len();
            let text = netlist(&problem);
            // once more, as the first run finds cold caches
            run_text(&text);
            let outcome = measure(&text, options.runs);
            if outcome.routed.is_some() {
                routed.push(outcome.time);
            } else if outcome.proved() {
                proved.push(outcome.time);
            }
            if options.verbose {
                let diags = outcome.diags.iter().map(|diag| diag.message.as_str());
                let text = diags.collect::<Vec<_>>().join("; ");
                println!("  seed {seed}: {} {text}", milliseconds(outcome.time));
            }
        }
        let time = |times: &mut Vec<Duration>| {
            if times.is_empty() {
                String::new()
            } else {
                milliseconds(median_and_worst(times).0)
            }
        };
        println!(
            "{flows:>5} {:>10} {:>5}/{SCALE_SEEDS} {:>10} {:>16}/{SCALE_SEEDS}",
            time(&mut routed),
            routed.len(),
            time(&mut proved),
            proved.len()
        );
        if !routed.is_empty() {
            let median = median_and_worst(&mut routed).0;
            points.push((flows as f64, median.as_secs_f64()));
        }
    }
    println!("exponent of those routed {:.2}\n", exponent(&points));
}

/// Time against the size of the array.
fn scale_array(options: &Options) {
    println!("whole-array designs\ndevice      tiles  flows  median ms");
    let mut by_tiles: BTreeMap<usize, (String, usize, Duration)> = BTreeMap::new();
    for name in DEVICES {
        let family = Family {
            device: name,
            shape: Shape::WholeArray,
            size: 0,
            reach: 0,
            seeds: 1,
            tested: 0,
        };
        let Some(device) = aiec_device::DeviceModel::by_name(name) else {
            continue;
        };
        if device.mem_rows().is_empty() {
            continue;
        }
        for problem in family.problems() {
            let outcome = run(&problem);
            let mut times = vec![outcome.time];
            times.extend((1..options.runs.max(5)).map(|_| run(&problem).time));
            let tiles = usize::from(device.columns()) * usize::from(device.rows());
            let median = median_and_worst(&mut times).0;
            by_tiles.insert(tiles, (name.to_string(), problem.flows.len(), median));
        }
    }
    let mut points = Vec::new();
    for (tiles, (name, flows, time)) in &by_tiles {
        println!(
            "{name:<10} {tiles:>6} {flows:>6} {:>10}",
            milliseconds(*time)
        );
        points.push((*tiles as f64, time.as_secs_f64()));
    }
    println!("exponent {:.2}", exponent(&points));
}

fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let mean_x = logs.iter().map(|p| p.0).sum::<f64>() / count;
    let mean_y = logs.iter().map(|p| p.1).sum::<f64>() / count;
    let over: f64 = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let under: f64 = logs.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    over / under
}
