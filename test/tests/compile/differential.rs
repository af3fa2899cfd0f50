//! The data of a design don't depend on time: random designs run with the model of time, without
//! it, and with random latencies, and the host buffers are the same.
//!
//! How many designs are drawn, and which, is as `aiec_test::seeds` says.

use aiec_sim::{HostBuffer, SimOptions, Status, simulate};
use aiec_test::designs::draw;
use aiec_test::driver::aiec;
use aiec_test::outcome::outcome;
use aiec_test::seeds::{cases, entropy, first_seed};
use arbitrary::Unstructured;

/// Designs drawn when the environment does not say.
const DEFAULT_COUNT: u64 = 100;
/// Bytes of randomness for one design; more than any design uses.
const ENTROPY_BYTES: usize = 4096;
/// Cycles after which a run counts as hanging.
const MAX_CYCLES: u64 = 40_000_000;
/// Seeds of random latencies that each design runs with.
const JITTERS: u64 = 2;

fn compile(text: &str) -> Result<Vec<u8>, String> {
    aiec(["-", "-o", "-"], text.as_bytes()).output()
}

/// The outputs of a run, which words and instructions one by one must leave as it is.
fn outputs(
    elf: &[u8],
    buffers: &[HostBuffer],
    timing: bool,
    jitter: Option<u64>,
) -> Result<Vec<HostBuffer>, String> {
    let options = SimOptions {
        timing,
        jitter,
        max_cycles: MAX_CYCLES,
        ..SimOptions::default()
    };
    let result = simulate(elf, buffers.to_vec(), &options).map_err(|e| e.to_string())?;
    let exact = SimOptions {
        exact: true,
        ..options
    };
    let exact = simulate(elf, buffers.to_vec(), &exact).map_err(|e| e.to_string())?;
    if outcome(&result) != outcome(&exact) {
        return Err(format!(
            "timing {timing}, jitter {jitter:?}: word by word it is otherwise"
        ));
    }
    match result.status {
        Status::Completed => Ok(result.outputs),
        other => Err(format!("ended as {other:?}")),
    }
}

fn check(seed: u64) -> Result<(), String> {
    let bytes = entropy(seed.wrapping_mul(0x2000_0003), ENTROPY_BYTES);
    let design = draw(&mut Unstructured::new(&bytes)).map_err(|e| e.to_string())?;
    let elf = compile(&design.text())?;
    let buffers: Vec<HostBuffer> = (0u32..)
        .zip(&design.buffers)
        .map(|(index, elements)| HostBuffer {
            index,
            bytes: entropy(!seed ^ u64::from(index), elements * design.elem.bytes()),
        })
        .collect();
    let timed = outputs(&elf, &buffers, true, None)?;
    let fast = outputs(&elf, &buffers, false, None)?;
    if fast != timed {
        return Err("without time the data differ".into());
    }
    for jitter in 0..JITTERS {
        let jitter = seed.wrapping_mul(JITTERS).wrapping_add(jitter);
        let shaken = outputs(&elf, &buffers, true, Some(jitter));
        if shaken.map_err(|e| format!("jitter {jitter}: {e}"))? != timed {
            return Err(format!("with jitter {jitter} the data differ"));
        }
    }
    Ok(())
}

#[test]
fn data_do_not_depend_on_time() {
    let count = cases(DEFAULT_COUNT);
    let first = first_seed();
    let wrong: Vec<String> = (first..first + count)
        .filter_map(|seed| Some(format!("seed {seed}: {}", check(seed).err()?)))
        .collect();
    let shown = wrong.iter().take(8).cloned().collect::<Vec<_>>();
    assert!(
        wrong.is_empty(),
        "{} of {count}\n{}",
        wrong.len(),
        shown.join("\n")
    );
}
