//! What the designs in `examples/` mean: their inputs, and the outputs computed directly from
//! them, without any netlist. The data files next to the designs are made from this table.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Arguments of a runtime sequence by number, raw little-endian bytes.
pub type Arguments = Vec<(usize, Vec<u8>)>;

/// The data of an example.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Data {
    /// Given before the run.
    pub inputs: Arguments,
    /// Expected after it.
    pub outputs: Arguments,
}

/// How the simulation of an example is meant to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All outputs are there.
    Completed,
    /// Nothing can move any more.
    Deadlock,
}

/// A folder of `examples/`.
#[derive(Clone, Debug)]
pub struct Example {
    /// The folder's name.
    pub name: String,
    /// The folder.
    pub folder: PathBuf,
    /// The devices it is for, from the header of its design.
    pub devices: Vec<String>,
    /// How it ends, from the header of its design.
    pub ending: Ending,
}

impl Example {
    /// Reads the header of a folder's designs: comment lines `// Devices: …` and `// Ends: …`.
    pub fn read(folder: &Path) -> io::Result<Example> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let mut example = Example {
            name: name.into_owned(),
            folder: folder.to_path_buf(),
            devices: Vec::new(),
            ending: Ending::Completed,
        };
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_none_or(|extension| extension != "mlir") {
                continue;
            }
            for line in fs::read_to_string(&path)?.lines() {
                if let Some(devices) = line.strip_prefix("// Devices: ") {
                    let devices = devices.split(',').map(|device| device.trim().to_string());
                    example.devices.extend(devices);
                } else if line == "// Ends: deadlock" {
                    example.ending = Ending::Deadlock;
                }
            }
        }
        Ok(example)
    }

    /// All examples of the repository, sorted by name.
    pub fn all(root: &Path) -> io::Result<Vec<Example>> {
        let mut examples = Vec::new();
        for entry in fs::read_dir(root.join("examples"))? {
            let path = entry?.path();
            if path.is_dir() {
                examples.push(Example::read(&path)?);
            }
        }
        examples.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(examples)
    }

    /// The design for a device: `design.DEVICE.mlir` if there is one, else `design.mlir`.
    pub fn design(&self, device: &str) -> PathBuf {
        let own = self.folder.join(format!("design.{device}.mlir"));
        if own.exists() {
            own
        } else {
            self.folder.join("design.mlir")
        }
    }
}

/// The data of an example by name.
pub fn data(name: &str) -> Option<Data> {
    Some(match name {
        "passthrough" => map(512, |x| x),
        "scale" => map(256, |x| 3 * x),
        "hand-written" => map(256, |x| -x),
        "pipeline" => map(256, |x| (1000 - (x + 7) * 5) ^ 255),
        "split-join" => indexed(512, |i, x| x + 100 * (i as i32 % 128 / 32 + 1)),
        "packet-flows" => indexed(128, |i, x| if i < 64 { x + 1000 } else { 2 * x }),
        "whole-array" => indexed(2048, |i, x| 2 * x + (i / 256 * 4 + i % 128 / 32) as i32),
        "broadcast" => {
            let x = numbers(128);
            let products = (1..=4).flat_map(|k| x.iter().map(move |x| k * x)).collect();
            Data {
                inputs: vec![(0, bytes(&x))],
                outputs: vec![(1, bytes::<Vec<i32>>(&products))],
            }
        }
        "transpose" => {
            let x = numbers(256);
            let transposed: Vec<i32> = (0..256).map(|i| x[i % 16 * 16 + i / 16]).collect();
            Data {
                inputs: vec![(0, bytes(&x))],
                outputs: vec![(1, bytes(&transposed))],
            }
        }
        "cascade" => {
            let x = numbers(256);
            let y: Vec<i32> = x.iter().map(|x| 7 - x / 3).collect();
            let z: Vec<i32> = x.iter().zip(&y).map(|(x, y)| 2 * x + y).collect();
            Data {
                inputs: vec![(0, bytes(&x)), (1, bytes(&y))],
                outputs: vec![(2, bytes(&z))],
            }
        }
        "vector-add" => {
            let a: Vec<f32> = numbers(128).iter().map(|x| *x as f32 / 8.0).collect();
            let b: Vec<f32> = (0..128).map(|i| 100.0 - i as f32 * 0.5).collect();
            let sum: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
            let inputs = vec![(0, float_bytes(&a)), (1, float_bytes(&b))];
            Data {
                inputs,
                outputs: vec![(2, float_bytes(&sum))],
            }
        }
        "matmul" => {
            let (a, b) = (numbers(64 * 16), numbers(16 * 16));
            let dot = |i: usize, j: usize| (0..16).map(|l| a[i * 16 + l] * b[l * 16 + j]).sum();
            let c: Vec<i32> = (0..64 * 16).map(|at| dot(at / 16, at % 16)).collect();
            Data {
                inputs: vec![(0, bytes(&a)), (1, bytes(&b))],
                outputs: vec![(2, bytes(&c))],
            }
        }
        "deadlock" => Data {
            inputs: vec![(0, bytes(&numbers(16)))],
            outputs: vec![],
        },
        _ => return None,
    })
}

/// One input and one output of as many numbers.
fn map(count: usize, meaning: impl Fn(i32) -> i32) -> Data {
    indexed(count, |_, x| meaning(x))
}

fn indexed(count: usize, meaning: impl Fn(usize, i32) -> i32) -> Data {
    let x = numbers(count);
    let y: Vec<i32> = x.iter().enumerate().map(|(i, x)| meaning(i, *x)).collect();
    Data {
        inputs: vec![(0, bytes(&x))],
        outputs: vec![(1, bytes(&y))],
    }
}

/// Small numbers of both signs without a short period.
fn numbers(count: usize) -> Vec<i32> {
    (0..count as i32)
        .map(|i| (i * i + 17 * i) % 1009 - 400)
        .collect()
}

fn bytes<T: AsRef<[i32]>>(numbers: &T) -> Vec<u8> {
    numbers
        .as_ref()
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

fn float_bytes(numbers: &[f32]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}
