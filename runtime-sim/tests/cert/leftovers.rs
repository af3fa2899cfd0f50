//! Work that completed runs left unfinished, and reports of runs that are aborted.

use aiec_device::DmaDir::{Mm2s, S2mm};
use aiec_device::TileLoc;
use aiec_sim::run::Ending;
use aiec_sim::{SimOptions, SimResult, Status, simulate};

use super::support::*;

const A: TileLoc = TileLoc::new(0, 3);

fn reported(result: &SimResult) -> Vec<String> {
    assert_eq!(result.status, Status::Completed);
    result.leftovers.iter().map(ToString::to_string).collect()
}

/// Writes a BD of `words` words of A and pushes it to a channel.
fn task(dir: aiec_device::DmaDir, words: u32, token: bool) -> String {
    let mut lines = Lines::default();
    lines.bd(A, 0, &bd(0, words));
    lines.push(A, dir, 0, token);
    lines.0
}

#[test]
fn a_clean_run_says_nothing() {
    let result = run("START_JOB 0\n  NOP\nEND_JOB\nEOF\n");
    assert!(reported(&result).is_empty());
    let report = aiec_sim::report(&result);
    assert!(report.near_misses.is_empty());
}

#[test]
fn tokens_that_nobody_awaits_are_reported() {
    // Four words fit into the stream: the task ends and sends its token.
    let text = format!(
        "START_JOB 0\n{}  SLEEP 1\nEND_JOB\nEOF\n",
        task(Mm2s, 4, true)
    );
    let result = run(&text);
    let text = "1 token(s) of DMA MM2S 0 of tile (0, 3) were never awaited";
    assert!(
        reported(&result).contains(&text.to_string()),
        "{:?}",
        reported(&result)
    );
    let report = aiec_sim::report(&result);
    assert_eq!(report.near_misses[0].what, text);
}

#[test]
fn tasks_that_are_unfinished_are_reported() {
    let text = format!(
        "START_JOB 0\n{}  SLEEP 1\nEND_JOB\nEOF\n",
        task(S2mm, 4, false)
    );
    let result = run(&text);
    assert_eq!(
        reported(&result),
        ["DMA S2MM 0 of tile (0, 3): a task has not ended: 0 of 4 words moved"]
    );
}

#[test]
fn deferred_jobs_that_nobody_launched_are_reported() {
    let result = run("START_JOB 0\n  NOP\nEND_JOB\nSTART_JOB_DEFERRED 7\n  NOP\nEND_JOB\nEOF\n");
    let text = "deferred job 7 of controller 0 (page 0) was never launched";
    assert_eq!(reported(&result), [text]);
}

#[test]
fn an_aborted_run_says_what_was_at_work() {
    let elf = assemble("START_JOB 0\n  SLEEP 1000\n  NOP\nEND_JOB\nEOF\n");
    let options = SimOptions {
        max_cycles: 5000,
        ..SimOptions::default()
    };
    let result = simulate(&elf, Vec::new(), &options).unwrap();
    let Status::Limit(limit) = &result.status else {
        panic!("{:?}", result.status)
    };
    assert!(limit.to_string().contains("since cycle"), "{limit}");
    let report = aiec_sim::report(&result);
    assert_eq!(report.status, Ending::Limit);
    assert!(report.limit.is_some());
}
