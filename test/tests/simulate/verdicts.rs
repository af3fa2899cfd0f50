//! Designs with a routing written by hand end as published ones did on silicon ([`aiec_test::verdicts`]).

use aiec::Exit;
use aiec_test::driver::aiec;
use aiec_test::verdicts::{Design, Ending, FORMS, designs};

/// Least files of either verdict.
const MIN_OF_EACH: usize = 18;

#[test]
fn each_design_ends_as_it_did_on_silicon() {
    let designs = designs();
    let mut wrong = Vec::new();
    for (design, form) in designs
        .iter()
        .flat_map(|d| d.forms().iter().map(move |form| (d, form)))
    {
        let found = design.disagreement(form);
        wrong.extend(found.map(|found| format!("{} {form:?}: {found}", design.name)));
    }
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    let hanging = designs.iter().filter(|design| design.hangs()).count();
    assert!(hanging >= MIN_OF_EACH && designs.len() - hanging >= MIN_OF_EACH);
}

/// Routings that pass by timing only, and those that hang since packets wait for each other, are
/// named before they run, with a schedule, and so are packets that are too long; the others get no warning.
#[test]
fn latent_hangs_are_named_by_the_compiler() {
    const LONG: &str = "route::surplus-words";
    const CODES: [&str; 3] = ["route::memory-wait", "route::circular-wait", LONG];
    let mut wrong = Vec::new();
    for design in designs() {
        let run = aiec(["-", "-o", "-"], design.text.as_bytes());
        for code in CODES {
            let said = run.stderr.contains(code);
            let wanted = design.header("WARNING: ").any(|wanted| wanted == code);
            let explained = code == LONG || run.stderr.contains("a schedule that stops: ");
            if said != wanted || said && !explained {
                wrong.push(format!("{}: {}", design.name, run.stderr));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Random latencies don't find what a slower core would.
#[test]
fn routings_that_pass_by_timing_pass_with_jitter() {
    let named = ["pipe_by_timing", "jwc_by_timing", "bch_by_timing"];
    for design in designs()
        .iter()
        .filter(|d| named.contains(&d.name.as_str()))
    {
        assert!(!design.hangs() && design.header("WARNING: ").count() == 1);
        for seed in 1..=4 {
            let seed = format!("--jitter={seed}");
            let ending = design.run(&design.text, &["--as=npu-elf", &seed]);
            assert_eq!(ending.run.exit, Exit::Done, "{} {seed}", design.name);
        }
    }
}

/// The flows of the design without the routing.
fn unrouted(design: &Design) -> String {
    let found = aiec(["opt", "--aie-find-flows", "-"], design.text.as_bytes());
    let found = String::from_utf8(found.output().expect("flows")).expect("text");
    let mut text = String::new();
    let mut end = None;
    for line in found.lines() {
        let indent = line.len() - line.trim_start().len();
        if line.contains("= aie.switchbox(") || line.contains("= aie.shim_mux(") {
            end = Some(indent);
        }
        if end.is_none() && !line.contains("aie.wire(") {
            text.push_str(line);
            text.push('\n');
        } else if end == Some(indent) && line.trim_start().starts_with('}') {
            end = None;
        }
    }
    text
}

/// With routes of our own none hangs.
#[test]
fn routings_of_our_own_pass() {
    let mut wrong = Vec::new();
    for design in designs() {
        let Ending { run, output } = design.run(&unrouted(&design), FORMS[1]);
        let found = match run.exit {
            Exit::Done => design.wrong_word(&output),
            // copies of two multicasts to the same places: no routing is sound
            Exit::BadInput if run.stderr.contains("route::circular-wait") => None,
            _ => Some(run.stderr),
        };
        wrong.extend(found.map(|found| format!("{}: {found}", design.name)));
    }
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
