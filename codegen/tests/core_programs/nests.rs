//! Nests of loops that are contractions: convolutions of many shapes by a plain definition, those that become products of matrices
//! and those that must not.

use aiec_aie::ops::OpKind;
use aiec_aie::text::parse_text;
use aiec_codegen::machine_code;
use aiec_core::{CoreArch, CoreProgram, listing};
use aiec_diag::{Diags, FileId};

use super::machine::compare_on_device;
use super::tile::Tile;

const DEVICES: [&str; 3] = ["npu1", "npu2", "xcve3858"];

/// Addresses of the input, of the weights and of the output.
const X: usize = 0x4000;
const W: usize = 0x8000;
const Y: usize = 0xa000;

/// A convolution of channels in blocks: `x[from block][row][column][from]`, `w[to block][from block][v][h][from][to]` and
/// `y[to block][row][column][to]`.
#[derive(Clone, Copy, Debug)]
struct Convolution {
    of_x: &'static str,
    of_w: &'static str,
    /// Whether factors are extended with their sign.
    is_signed: [bool; 2],
    rows: usize,
    columns: usize,
    /// Taps down and along.
    taps: [usize; 2],
    /// Pixels of the input from one of the output to the next.
    strides: [usize; 2],
    /// Blocks of channels, and channels in them.
    from: [usize; 2],
    to: [usize; 2],
    /// Whether sums begin with what the output holds.
    adds: bool,
    /// Bytes that the input is moved by.
    shift: usize,
    /// Elements between two rows of the input.
    pad: usize,
    /// Whether taps go up and back.
    flips: bool,
}

const PLAIN: Convolution = Convolution {
    of_x: "i8",
    of_w: "i8",
    is_signed: [true; 2],
    rows: 4,
    columns: 8,
    taps: [3, 3],
    strides: [1, 1],
    from: [1, 8],
    to: [1, 8],
    adds: false,
    shift: 0,
    pad: 0,
    flips: false,
};

fn bytes_of(element: &str) -> usize {
    if element == "i8" { 1 } else { 2 }
}

fn number(n: usize, at: usize, element: &str) -> i64 {
    let raw = (at * 37 + n * 11 + at / 251 * 5) % 65_521;
    if element == "i8" {
        i64::from(raw as u8 as i8)
    } else {
        i64::from((raw * 3) as u16 as i16)
    }
}

impl Convolution {
    /// Rows and elements of a row of the input.
    fn input(&self) -> [usize; 2] {
        [
            (self.rows - 1) * self.strides[0] + self.taps[0],
            (self.columns - 1) * self.strides[1] + self.taps[1],
        ]
    }

    fn row(&self) -> usize {
        self.input()[1] * self.from[1] + self.pad
    }

    fn sizes(&self) -> [usize; 3] {
        let [from_blocks, from] = self.from;
        let [to_blocks, to] = self.to;
        [
            from_blocks * self.input()[0] * self.row(),
            to_blocks * from_blocks * self.taps[0] * self.taps[1] * from * to,
            to_blocks * self.rows * self.columns * to,
        ]
    }

    fn text(&self, device: &str) -> String {
        let Convolution {
            of_x,
            of_w,
            rows,
            columns,
            taps: [down, along],
            strides: [sv, sh],
            from: [from_blocks, from],
            to: [to_blocks, to],
            ..
        } = *self;
        let [x_size, w_size, y_size] = self.sizes();
        let [input_rows, _] = self.input();
        let row = self.row();
        let extend = |signed: bool| if signed { "arith.extsi" } else { "arith.extui" };
        let [x_extend, w_extend] = self.is_signed.map(extend);
        let x_at = X + self.shift;
        let start = if self.adds {
            format!("%start = memref.load %y[%y_at] : memref<{y_size}xi32>")
        } else {
            "%start = arith.constant 0 : i32".into()
        };
        let tap = |tap: &str, last: usize| {
            let (op, first) = if self.flips {
                ("subi", last)
            } else {
                ("addi", 0)
            };
            format!(
                "%{tap}0 = arith.constant {first} : index
                 %{tap}x = arith.{op} %{tap}0, %{tap} : index"
            )
        };
        let (down_at, along_at) = (tap("v", down - 1), tap("h", along - 1));
        let numbers = [
            ("rows", rows),
            ("columns", columns),
            ("down", down),
            ("along", along),
            ("sv", sv),
            ("sh", sh),
            ("from_blocks", from_blocks),
            ("from", from),
            ("to_blocks", to_blocks),
            ("to", to),
            ("input_rows", input_rows),
            ("row", row),
            ("c0", 0),
            ("c1", 1),
        ];
        let numbers =
            numbers.map(|(name, number)| format!("%{name} = arith.constant {number} : index\n"));
        let numbers = numbers.concat();
        format!(
            "aie.device({device}) {{
               %tile = aie.tile(1, 3)
               %x = aie.buffer(%tile) {{address = {x_at} : i32, sym_name = \"x\"}} : memref<{x_size}x{of_x}>
               %w = aie.buffer(%tile) {{address = {W} : i32, sym_name = \"w\"}} : memref<{w_size}x{of_w}>
               %y = aie.buffer(%tile) {{address = {Y} : i32, sym_name = \"y\"}} : memref<{y_size}xi32>
               %core = aie.core(%tile) {{
                 {numbers}
                 scf.for %ob = %c0 to %to_blocks step %c1 {{
                 scf.for %r = %c0 to %rows step %c1 {{
                 scf.for %c = %c0 to %columns step %c1 {{
                 scf.for %o = %c0 to %to step %c1 {{
                   %y0 = arith.muli %ob, %rows : index
                   %y1 = arith.addi %y0, %r : index
                   %y2 = arith.muli %y1, %columns : index
                   %y3 = arith.addi %y2, %c : index
                   %y4 = arith.muli %y3, %to : index
                   %y_at = arith.addi %y4, %o : index
                   {start}
                   %s0 = scf.for %ib = %c0 to %from_blocks step %c1 iter_args(%a0 = %start) -> (i32) {{
                   %s1 = scf.for %v = %c0 to %down step %c1 iter_args(%a1 = %a0) -> (i32) {{
                   %s2 = scf.for %h = %c0 to %along step %c1 iter_args(%a2 = %a1) -> (i32) {{
                   %s3 = scf.for %i = %c0 to %from step %c1 iter_args(%a3 = %a2) -> (i32) {{
                     %x0 = arith.muli %ib, %input_rows : index
                     %x1 = arith.muli %r, %sv : index
                     {down_at}
                     %x2 = arith.addi %x1, %vx : index
                     %x3 = arith.addi %x0, %x2 : index
                     %x4 = arith.muli %x3, %row : index
                     %x5 = arith.muli %c, %sh : index
                     {along_at}
                     %x6 = arith.addi %x5, %hx : index
                     %x7 = arith.muli %x6, %from : index
                     %x8 = arith.addi %x4, %x7 : index
                     %x_at = arith.addi %x8, %i : index
                     %w0 = arith.muli %ob, %from_blocks : index
                     %w1 = arith.addi %w0, %ib : index
                     %w2 = arith.muli %w1, %down : index
                     %w3 = arith.addi %w2, %v : index
                     %w4 = arith.muli %w3, %along : index
                     %w5 = arith.addi %w4, %h : index
                     %w6 = arith.muli %w5, %from : index
                     %w7 = arith.addi %w6, %i : index
                     %w8 = arith.muli %w7, %to : index
                     %w_at = arith.addi %w8, %o : index
                     %xn = memref.load %x[%x_at] : memref<{x_size}x{of_x}>
                     %wn = memref.load %w[%w_at] : memref<{w_size}x{of_w}>
                     %xe = {x_extend} %xn : {of_x} to i32
                     %we = {w_extend} %wn : {of_w} to i32
                     %p = arith.muli %xe, %we : i32
                     %n = arith.addi %p, %a3 : i32
                     scf.yield %n : i32
                   }}
                   scf.yield %s3 : i32
                   }}
                   scf.yield %s2 : i32
                   }}
                   scf.yield %s1 : i32
                   }}
                   memref.store %s0, %y[%y_at] : memref<{y_size}xi32>
                 }} }} }} }}
                 aie.end
               }}
             }}"
        )
    }

    fn factors(&self) -> [Vec<i64>; 2] {
        let [x_size, w_size, _] = self.sizes();
        [
            (0..x_size).map(|at| number(0, at, self.of_x)).collect(),
            (0..w_size).map(|at| number(1, at, self.of_w)).collect(),
        ]
    }

    fn start(&self, at: usize) -> i32 {
        at as i32 * 1_000_003
    }

    fn before(&self) -> Tile {
        let mut tile = Tile::default();
        let [x, w] = self.factors();
        let encoded = |numbers: &[i64], element: &str| -> Vec<u8> {
            let bytes = bytes_of(element);
            let raw = numbers.iter().map(|number| number.to_le_bytes());
            raw.flat_map(|raw| raw[..bytes].to_vec()).collect()
        };
        tile.set(X + self.shift, &encoded(&x, self.of_x));
        tile.set(W, &encoded(&w, self.of_w));
        let y: Vec<i32> = (0..self.sizes()[2]).map(|at| self.start(at)).collect();
        tile.set_i32(Y, &y);
        tile
    }

    fn after(&self) -> Tile {
        let [x, w] = self.factors();
        let [from_blocks, from] = self.from;
        let [to_blocks, to] = self.to;
        let [down, along] = self.taps;
        let value = |number: i64, element: &str, is_signed: bool| {
            if is_signed {
                number
            } else {
                number & ((1 << (8 * bytes_of(element))) - 1)
            }
        };
        let mut y = Vec::new();
        for ob in 0..to_blocks {
            for r in 0..self.rows {
                for c in 0..self.columns {
                    for o in 0..to {
                        let start = if self.adds { self.start(y.len()) } else { 0 };
                        let mut sum = start;
                        for ib in 0..from_blocks {
                            for v in 0..down {
                                for h in 0..along {
                                    for i in 0..from {
                                        let [v_at, h_at] = if self.flips {
                                            [down - 1 - v, along - 1 - h]
                                        } else {
                                            [v, h]
                                        };
                                        let row = ib * self.input()[0] + r * self.strides[0] + v_at;
                                        let pixel = c * self.strides[1] + h_at;
                                        let x = x[row * self.row() + pixel * from + i];
                                        let tap = ((ob * from_blocks + ib) * down + v) * along + h;
                                        let w = w[(tap * from + i) * to + o];
                                        let x = value(x, self.of_x, self.is_signed[0]);
                                        let w = value(w, self.of_w, self.is_signed[1]);
                                        sum = sum.wrapping_add((x as i32).wrapping_mul(w as i32));
                                    }
                                }
                            }
                        }
                        y.push(sum);
                    }
                }
            }
        }
        let mut tile = self.before();
        tile.set_i32(Y, &y);
        tile
    }

    /// Runs it on a device; whether it became products of matrices.
    fn run(&self, device: &str) -> bool {
        let text = self.text(device);
        let has_code = compare_on_device(device, &text, &self.before(), &self.after());
        assert!(has_code, "{device}: {self:?}");
        products_of(device, &text) > 0
    }
}

/// Products of the machine code of a text's core.
fn products_of(device: &str, text: &str) -> usize {
    let mut diags = Diags::new();
    let module = parse_text(FileId(0), text, &mut diags);
    let core = module.find(module.top(), OpKind::Core)[0];
    let arch = match device {
        "npu1" => CoreArch::Aie2,
        "npu2" => CoreArch::Aie2p,
        _ => CoreArch::Aie2ps,
    };
    let code = machine_code(&module, core, arch, &mut diags).expect("machine code");
    let listing = listing(&CoreProgram::of_code(arch, &code.bytes));
    listing.matches("vmac").count() + listing.matches("vmul").count()
}

/// Shapes that fill products on all architectures, with 8 rows at most.
fn shapes() -> Vec<Convolution> {
    let sized = |rows, columns| Convolution {
        rows,
        columns,
        ..PLAIN
    };
    vec![
        PLAIN,
        sized(8, 32),
        sized(1, 16),
        // The last block has pixels in common with the one before; bodies with a rest.
        sized(3, 13),
        sized(2, 75),
        sized(5, 9),
        // One pixel of the input, and taps in one direction.
        Convolution {
            taps: [1, 1],
            ..PLAIN
        },
        Convolution {
            taps: [1, 5],
            ..sized(3, 16)
        },
        Convolution {
            taps: [5, 1],
            ..sized(3, 16)
        },
        Convolution {
            taps: [7, 7],
            ..sized(4, 16)
        },
        Convolution {
            strides: [2, 1],
            ..PLAIN
        },
        // Blocks of channels.
        Convolution {
            from: [3, 8],
            ..PLAIN
        },
        Convolution {
            to: [3, 8],
            ..PLAIN
        },
        Convolution {
            from: [4, 8],
            to: [2, 8],
            taps: [3, 3],
            ..sized(4, 24)
        },
        // Sums that go on.
        Convolution {
            adds: true,
            ..PLAIN
        },
        Convolution {
            adds: true,
            from: [9, 8],
            ..sized(2, 16)
        },
        // Signs.
        Convolution {
            is_signed: [false, true],
            ..PLAIN
        },
        Convolution {
            is_signed: [true, false],
            ..PLAIN
        },
        Convolution {
            is_signed: [false, false],
            ..sized(3, 11)
        },
        // Addresses of all kinds.
        Convolution { shift: 8, ..PLAIN },
        Convolution {
            shift: 24,
            pad: 8,
            ..sized(3, 16)
        },
        Convolution {
            flips: true,
            ..sized(4, 32)
        },
        Convolution {
            flips: true,
            shift: 16,
            ..sized(3, 13)
        },
        Convolution { pad: 16, ..PLAIN },
        Convolution { pad: 24, ..PLAIN },
    ]
}

#[test]
fn convolutions_are_products_of_matrices() {
    for device in DEVICES {
        for convolution in shapes() {
            assert!(convolution.run(device), "{device}: {convolution:?}");
        }
    }
}

#[test]
fn elements_of_16_bits_are_products_of_matrices() {
    for (device, [from, to]) in [
        ("npu1", [4, 4]),
        ("npu2", [2, 8]),
        ("npu2", [4, 8]),
        ("xcve3858", [2, 8]),
    ] {
        let narrow = Convolution {
            of_x: "i16",
            of_w: "i16",
            columns: 16,
            from: [1, from],
            to: [1, to],
            ..PLAIN
        };
        for convolution in [
            narrow,
            Convolution {
                columns: 22,
                from: [2, from],
                ..narrow
            },
            Convolution {
                is_signed: [false, true],
                adds: true,
                ..narrow
            },
            Convolution {
                shift: 4,
                rows: 3,
                ..narrow
            },
        ] {
            assert!(convolution.run(device), "{device}: {convolution:?}");
        }
    }
    for (device, from) in [("npu1", 4), ("npu2", 4)] {
        let mixed = Convolution {
            of_x: "i16",
            columns: 16,
            from: [1, from],
            ..PLAIN
        };
        assert!(mixed.run(device), "{device}: {mixed:?}");
    }
}

/// Nests without products of matrices stay as they are, and right.
#[test]
fn other_nests_are_left_alone() {
    for device in DEVICES {
        for convolution in [
            Convolution {
                strides: [1, 2],
                ..PLAIN
            },
            Convolution {
                columns: 3,
                ..PLAIN
            },
            Convolution {
                columns: 5,
                adds: true,
                ..PLAIN
            },
            Convolution {
                from: [1, 7],
                ..PLAIN
            },
            Convolution {
                to: [1, 5],
                ..PLAIN
            },
            // Rows of less than an access.
            Convolution {
                of_x: "i16",
                of_w: "i16",
                columns: 2,
                from: [1, 2],
                ..PLAIN
            },
        ] {
            assert!(!convolution.run(device), "{device}: {convolution:?}");
        }
    }
}

/// Products that are too many for program memory stay loops.
#[test]
fn many_nests_of_one_core_fit_its_memory() {
    let convolution = Convolution {
        rows: 2,
        columns: 75,
        ..PLAIN
    };
    for device in DEVICES {
        let text = convolution.text(device);
        let (before, nest) = text.split_once("scf.for %ob").expect("a nest");
        let (nest, after) = nest.split_once("aie.end").expect("its end");
        let nests = format!("scf.for %ob{nest}").repeat(16);
        let text = format!("{before}{nests}aie.end{after}");
        let tiles = [convolution.before(), convolution.after()];
        assert!(compare_on_device(device, &text, &tiles[0], &tiles[1]));
    }
}

/// Products of matrices whose factor is what they are stored to: each sum reads earlier ones.
#[test]
fn results_that_are_factors_are_computed_in_order() {
    let text = |device: &str| {
        PLAIN.text(device).replace(
            &format!("address = {Y} : i32"),
            &format!("address = {} : i32", X + 64),
        )
    };
    for device in DEVICES {
        assert_eq!(products_of(device, &text(device)), 0);
    }
}
