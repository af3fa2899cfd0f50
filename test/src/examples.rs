//! Meaning of the designs in `examples/` and `test/end_to_end/`: their inputs, and the outputs
//! computed directly from them, without any netlist. The data files next to the designs are made
//! from this table.

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

/// Expected outcome of the simulation of an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All outputs are there.
    Completed,
    /// Nothing can move any more.
    Deadlock,
}

/// A folder with a design and its data.
#[derive(Clone, Debug)]
pub struct Example {
    /// The folder's name.
    pub name: String,
    /// The folder.
    pub folder: PathBuf,
    /// The devices it is for, from the header of its design.
    pub devices: Vec<String>,
    /// Expected outcome, from the header of its design.
    pub ending: Ending,
}

/// Whether a folder has a design.
fn has_design(folder: &Path) -> io::Result<bool> {
    let mut entries = fs::read_dir(folder)?.flatten();
    Ok(entries.any(|entry| {
        entry
            .path()
            .extension()
            .is_some_and(|ending| ending == "mlir")
    }))
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

    /// All examples below a folder, sorted by name.
    pub fn all(folder: &Path) -> io::Result<Vec<Example>> {
        let mut examples = Vec::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            // command buffers and programs of other machines have tests of their own
            if path.is_dir() && has_design(&path)? {
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
        "local-barrier" => {
            let x = numbers(256);
            Data {
                inputs: vec![(0, bytes(&x))],
                outputs: vec![(1, bytes(&x)), (2, bytes(&[&x[..], &x[..]].concat()))],
            }
        }
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
        "two-kernels" => {
            let x = numbers(256);
            let scaled: Vec<i32> = x.iter().map(|x| 3 * x).collect();
            let mirrored: Vec<i32> = scaled.iter().map(|x| 1000 - x).collect();
            Data {
                inputs: vec![(0, bytes(&x))],
                outputs: vec![(1, bytes(&scaled)), (2, bytes(&mirrored))],
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
        "external-kernel" => map(256, |x| 7 * x),
        "library-kernels" => library_kernels(),
        "nested-locks" => nested_locks(),
        "core-data" => indexed(32, |i, x| x + (100 * (i as i32 % 16).pow(2)) % 1000),
        "core-task" => map(1024, |x| x),
        "tokens" => map(64, |x| x),
        "single-steps" => map(32, |x| x),
        "channel-tasks" => {
            let tasks: [&[i32]; 3] = [&[5, 6], &[1, 2, 3, 4], &[7, 8]];
            let words: Vec<i32> = tasks.iter().flat_map(|task| task.repeat(256)).collect();
            Data {
                inputs: Vec::new(),
                outputs: vec![(0, bytes(&words))],
            }
        }
        "read-back" => {
            let x = numbers(16);
            let y = [x[3], x[3] + 7, x[3] + 21, 0, 0, 0, x[15] - 100, x[9]];
            pair(&x, &y)
        }
        "read-lengths" => {
            // Length less 1, start, stride and BD.
            let mut x = numbers(16);
            x[..4].copy_from_slice(&[4, 6, 3, 2]);
            let mut y = vec![0; 16];
            y[..5].copy_from_slice(&x[6..11]);
            y[8..12].copy_from_slice(&[x[0], x[3], x[6], x[9]]);
            y[14..].copy_from_slice(&x[12..14]);
            pair(&x, &y)
        }
        "implied-free" => map(384, |x| x + 1),
        "task-chain" => {
            let x = numbers(64);
            let mut y = [&x[32..], &x[..32]].concat();
            for _ in 0..4 {
                y.extend(x.iter().step_by(4));
            }
            pair(&x, &y)
        }
        "offsets" => offsets(),
        "static-transfers" => map(1024, |x| 3 * x),
        "feed-after-wait" => {
            let x = numbers(2048);
            let (a, b) = x.split_at(1024);
            Data {
                inputs: vec![(0, bytes(&a)), (1, bytes(&b))],
                outputs: vec![(1, bytes(&[7; 1024])), (2, bytes(&[b, b, a, a].concat()))],
            }
        }
        "mem-tile-neighbour" => Data {
            inputs: vec![],
            outputs: vec![(0, bytes(&[3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3]))],
        },
        "stride-one-windows" => stride_one_windows(),
        "rtp" => map(32, |x| 11 * x - 5),
        "pieces" => map(64, |x| 2 * x),
        "pieces-of-all-sorts" => padded_pieces(),
        "rings" => {
            let x = numbers(104);
            let parts = |object: &[i32]| {
                let both = [3, -1].map(|k| object.iter().map(|x| k * x).collect::<Vec<i32>>());
                both.concat()
            };
            pair(&x, &x.chunks(8).flat_map(parts).collect::<Vec<i32>>())
        }
        "window" => {
            let x = numbers(80);
            let row = |r: i32, j: usize| {
                if (0..10).contains(&r) {
                    x[r as usize * 8 + j]
                } else {
                    0
                }
            };
            let sum = |i: usize| (-1..=1).map(|d| row(i as i32 / 8 + d, i % 8)).sum();
            pair(&x, &(0..80).map(sum).collect::<Vec<i32>>())
        }
        "run-time-window" => {
            let x = numbers(48);
            let sum = |i: usize| x[i] + x[i + 8];
            pair(&x, &(0..40).map(sum).collect::<Vec<i32>>())
        }
        "registers" => {
            let x = numbers(64);
            pair(&x, &x[16..48])
        }
        "changed-bd" => {
            let x = numbers(64);
            pair(&x, &[&x[16..], &x[..16]].concat())
        }
        "bytes" => small_types(),
        "dynamic-fifo" => indexed(40, |i, x| x + i as i32 / 8),
        "depths" => depths(),
        "compressed-link" => map(512, |x| x * x),
        "compressed-words" => compressed_words(8),
        "compressed-words-npu2" => compressed_words(16),
        "initial-values" => indexed(16, |i, x| x * [1, 10, 100, 1000][i % 4] + 5 + i as i32 % 4),
        "host-buffers" => {
            let x = numbers(16);
            pair(&x, &[&[0; 4], &x[..12]].concat())
        }
        "fifo-channel" => map(16, |x| 3 * x),
        "outer-dimensions" => outer_dimensions(),
        "shared-channel" => shared_channel(),
        "wide-integers" => Data {
            inputs: vec![],
            outputs: vec![(0, bytes(&[-5, 0xFFFF, 3, i32::MAX, 8, 2, i32::MAX - 3, 0]))],
        },
        "deadlock" => Data {
            inputs: vec![(0, bytes(&numbers(16)))],
            outputs: vec![],
        },
        _ => return None,
    })
}

/// The first 64 words as they are, the others compressed in units.
fn compressed_words(unit: usize) -> Data {
    let x: Vec<i32> = (0..256).collect();
    let (plain, rest) = x.split_at(64);
    let mut y = bytes(&plain);
    for unit in rest.chunks(unit).map(|words| bytes(&words)) {
        let mask = |bytes: &[u8]| {
            let bits = bytes.iter().map(|byte| u8::from(*byte != 0));
            bits.rev().fold(0, |mask, bit| mask << 1 | bit)
        };
        let masks: Vec<u8> = unit.chunks(8).map(mask).collect();
        let mut data: Vec<u8> = unit.iter().copied().filter(|byte| *byte != 0).collect();
        data.resize(data.len().next_multiple_of(masks.len()), 0);
        y.extend([masks, data].concat());
    }
    Data {
        inputs: vec![(0, bytes(&x))],
        outputs: vec![(1, y)],
    }
}

/// Sixteen words of the first half and four of the second in turn.
fn shared_channel() -> Data {
    let words = numbers(1024);
    let mut joined = Vec::new();
    for n in 0..8 {
        joined.extend(&words[16 * n..][..16]);
        joined.extend(&words[512 + 4 * n..][..4]);
    }
    Data {
        inputs: vec![(0, bytes(&words))],
        outputs: vec![(1, bytes(&joined))],
    }
}

/// The words from 100 on in the orders of four BDs with outer dimensions, each walked again until its host buffer is full.
fn outer_dimensions() -> Data {
    let walks: [(usize, &[usize], &[usize], usize); 4] = [
        (0, &[3, 2, 2, 4], &[32, 12, 8, 1], 96),
        (4, &[5, 3, 2, 2], &[0, 24, 8, 2], 72),
        (2, &[4, 3, 2, 2], &[20, 10, 4, 1], 96),
        (0, &[3, 2, 2, 2, 2], &[30, 12, 6, 4, 1], 96),
    ];
    let walked = walks.map(|(offset, sizes, strides, words)| {
        let mut places = vec![offset];
        for (size, stride) in sizes.iter().zip(strides) {
            let inner = |at: &usize| (0..*size).map(|n| at + n * stride).collect::<Vec<_>>();
            places = places.iter().flat_map(inner).collect();
        }
        let places = places.into_iter().cycle().take(words);
        bytes(&places.map(|at| 100 + at as i32).collect::<Vec<i32>>())
    });
    Data {
        inputs: vec![],
        outputs: walked.into_iter().enumerate().collect(),
    }
}

/// Objects of 4 and 8 numbers from two sources, as 3 x 4 with nines above, left and right.
fn padded_pieces() -> Data {
    const NINE: i32 = 9;
    let (left, right) = (numbers(24), numbers(48));
    let mut padded = Vec::new();
    for (left, right) in left.chunks(4).zip(right.chunks(8)) {
        padded.extend([NINE; 6]);
        for row in [left, right].concat().chunks(4) {
            padded.extend([&[NINE], row, &[NINE]].concat());
        }
    }
    Data {
        inputs: vec![(0, bytes(&left)), (1, bytes(&right))],
        outputs: vec![(2, bytes(&padded))],
    }
}

/// The product of two 16 x 16 matrices in blocks of 4 x 4, times -3, without what is negative; its
/// greatest element is in the first place.
fn library_kernels() -> Data {
    let at = |row: usize, column: usize| (row / 4 * 4 + column / 4) * 16 + row % 4 * 4 + column % 4;
    let elements = |scale: i32, start: i32| -> Vec<i16> {
        (0..256)
            .map(|i| ((i * scale + start) % 23 - 11) as i16)
            .collect()
    };
    let (a, b) = (elements(7, 1), elements(5, 3));
    let mut c = vec![0i16; 256];
    for (row, column) in (0..256).map(|i| (i / 16, i % 16)) {
        let products = (0..16).map(|l| i32::from(a[at(row, l)]) * i32::from(b[at(l, column)]));
        c[at(row, column)] = (-3 * products.sum::<i32>()).max(0) as i16;
    }
    c[0] = c.iter().copied().max().unwrap_or(0);
    let raw = |values: &[i16]| values.iter().flat_map(|v| v.to_le_bytes()).collect();
    Data {
        inputs: vec![(0, raw(&a)), (1, raw(&b))],
        outputs: vec![(2, raw(&c))],
    }
}

/// Two blocks of 16 numbers from number 32 on go to number 16 on, the first one transposed as 4 x 4.
fn nested_locks() -> Data {
    let x = numbers(64);
    let mut y = vec![0; 64];
    for i in 0..32 {
        let from = if i < 16 { i % 4 * 4 + i / 4 } else { i };
        y[16 + i] = x[32 + from];
    }
    let inputs = vec![(0, bytes(&x))];
    Data {
        inputs,
        outputs: vec![(2, bytes(&y))],
    }
}

/// Rows, a block and repeats of an 8 x 16 matrix, in the order of the transfers.
fn offsets() -> Data {
    let x = numbers(128);
    let row = |r: usize| &x[16 * r..16 * r + 16];
    let mut y = [row(2), row(5)].concat();
    for r in 1..5 {
        y.extend(&row(r)[4..12]);
    }
    for r in [7, 7, 0, 2, 4, 6, 3, 0] {
        y.extend(row(r));
    }
    pair(&x, &y)
}

/// Words of windows that move by one; halves of words as they are.
fn stride_one_windows() -> Data {
    let x = numbers(128);
    let mut y: Vec<i32> = Vec::new();
    for first in 3..7 {
        y.extend(&x[first..][..16]);
    }
    // each index counts the ones among four bits
    y.extend((0..16u32).map(|bits| x[20 + bits.count_ones() as usize]));
    for (block, window) in (0..8).map(|n| (n / 2, n % 2)) {
        y.extend(&x[40 + 2 * block + window..][..8]);
    }
    let halves = bytes(&numbers(512));
    Data {
        inputs: vec![(0, bytes(&x)), (2, halves.clone())],
        outputs: vec![(1, bytes(&y)), (3, halves)],
    }
}

/// `i8` plus one, `i16` squares plus the integer part of halved `bf16` numbers.
fn small_types() -> Data {
    let x: Vec<i8> = numbers(32).iter().map(|x| *x as i8).collect();
    let f: Vec<f32> = (0..16).map(|i| i as f32 * 3.0 - 20.0).collect();
    let y: Vec<u8> = x.iter().map(|x| x.wrapping_add(1) as u8).collect();
    let z = x.iter().enumerate().map(|(i, x)| {
        let square = i16::from(*x) * i16::from(*x);
        // small integers are exact in bf16, and so are their halves
        square + f.get(i).map_or(0, |f| (f / 2.0) as i16)
    });
    let half_words = |numbers: &mut dyn Iterator<Item = u16>| {
        numbers.flat_map(u16::to_le_bytes).collect::<Vec<u8>>()
    };
    // a bf16 is the upper half of a float
    let f = half_words(&mut f.iter().map(|f| (f.to_bits() >> 16) as u16));
    let z = half_words(&mut z.map(|z| z as u16));
    let x = x.iter().map(|x| *x as u8).collect();
    Data {
        inputs: vec![(0, x), (1, f)],
        outputs: vec![(2, y), (3, z)],
    }
}

/// Matrices of 8 x 8: the left core gets the blocks of 4 x 4 one after the other, the right one
/// also, written in rows of four.
fn depths() -> Data {
    let x = numbers(192);
    let blocked = |i: usize| {
        let (matrix, i) = (i / 64, i % 64);
        let (block, within) = (i / 16, i % 16);
        let (row, column) = (block / 2 * 4 + within / 4, block % 2 * 4 + within % 4);
        x[64 * matrix + 8 * row + column]
    };
    let left: Vec<i32> = (0..192).map(blocked).collect();
    let right: Vec<i32> = left.iter().map(|x| 2 * x).collect();
    let outputs = vec![(1, bytes(&left)), (2, bytes(&right))];
    Data {
        inputs: vec![(0, bytes(&x))],
        outputs,
    }
}

/// One input and one output.
fn pair(input: &[i32], output: &[i32]) -> Data {
    Data {
        inputs: vec![(0, bytes(&input))],
        outputs: vec![(1, bytes(&output))],
    }
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
