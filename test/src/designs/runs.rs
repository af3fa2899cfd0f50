//! Common parts of the tests that compile and simulate drawn designs.

use aiec_sim::{HostBuffer, SimResult, Status};
use arbitrary::Unstructured;

use super::{Design, draw};
use crate::driver::aiec;
use crate::seeds::entropy;

/// Bytes of randomness for one design; more than any design uses.
const ENTROPY_BYTES: usize = 4096;

/// The design of a number.
pub fn drawn(number: u64) -> Result<Design, String> {
    let bytes = entropy(number, ENTROPY_BYTES);
    draw(&mut Unstructured::new(&bytes)).map_err(|e| e.to_string())
}

/// A design as text; its fifos are lowered to packet flows if it asks for that.
pub fn netlist(design: &Design) -> Result<String, String> {
    let text = design.text();
    if !design.packets {
        return Ok(text);
    }
    let option = "--aie-objectFifo-stateful-transform=packet-sw-objFifos=true";
    let before = ["--lower-affine", "--aie-register-objectFifos"];
    let lowered = aiec(["opt", before[0], before[1], option, "-"], text.as_bytes()).output()?;
    String::from_utf8(lowered).map_err(|e| e.to_string())
}

/// The host buffers of a design with data of a seed, numbered from `first` on, and what they hold
/// after a run.
pub fn buffers(design: &Design, seed: u64, first: usize) -> (Vec<HostBuffer>, Vec<Vec<u8>>) {
    let data = entropy(seed, design.buffers.iter().sum::<usize>());
    let mut rest = data.as_slice();
    let mut before: Vec<Vec<i64>> = Vec::new();
    for count in &design.buffers {
        let (head, tail) = rest.split_at(*count);
        rest = tail;
        before.push(head.iter().map(|b| i64::from(*b as i8)).collect());
    }
    let to_bytes = |values: &Vec<i64>| {
        let bytes = values.iter().flat_map(|v| {
            let bytes = v.to_le_bytes().into_iter();
            bytes.take(design.elem.bytes())
        });
        bytes.collect::<Vec<u8>>()
    };
    let given = before.iter().enumerate().map(|(n, values)| HostBuffer {
        index: (first + n) as u32,
        bytes: to_bytes(values),
    });
    let after = design.meaning(&before);
    (given.collect(), after.iter().map(to_bytes).collect())
}

/// Holds a run to what the buffers must contain after it, numbered from 0.
pub fn hold(result: &SimResult, wanted: &[Vec<u8>]) -> Result<(), String> {
    if result.status != Status::Completed {
        let text = format!("{:?}", result.status);
        let start: String = text.chars().take(400).collect();
        return Err(format!("ended as {start}"));
    }
    for (index, want) in wanted.iter().enumerate() {
        let got = result.output(index as u32).ok_or("a buffer is missing")?;
        if let Some(at) = (0..want.len()).find(|at| got.get(*at) != want.get(*at)) {
            let (got, want) = (got.get(at), want[at]);
            return Err(format!(
                "buffer {index} of {} differs at byte {at}: {got:?} instead of {want}",
                wanted.len()
            ));
        }
    }
    Ok(())
}
