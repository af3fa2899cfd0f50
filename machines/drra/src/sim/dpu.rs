//! The data processing unit of a cell: two units side by side, the first on inputs 0 and 1, the
//! second on inputs 2 and 3, each with an accumulator and an output register.
//!
//! What a mode does follows from its name in the description; where the name doesn't say all, the
//! meaning is assumed, and that the second unit does the same on its inputs is what the published
//! hardware does. Modes that need tables of the hardware are [`DpuFault::NotModelled`].

use crate::DpuSetup;
use crate::fabric::WORD_BITS;

/// Inputs of a DPU.
pub const DPU_INPUTS: usize = 4;
/// The `config` of BW for words of 16 bits, the only width that is modelled.
const WIDTH_16: u8 = 2;
/// Fraction bits of a fixed point number (Q15).
const FRACTION_BITS: u32 = 15;

/// Fraction bits of the slope of a leaky rectifier, which is the immediate.
const SLOPE_BITS: u32 = 8;
/// Bits of the narrower word that words are scaled down to and up from.
const NARROW_BITS: u32 = 8;

/// Status of a comparison for BRANCH: the first is greater.
const STATUS_GREATER: u8 = 1;
/// Status of a comparison for BRANCH: both are equal.
const STATUS_EQUAL: u8 = 2;

/// Operations that the DPU can't compute.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DpuFault {
    /// A mode that isn't modelled.
    #[error("mode {0} of the DPU, {name}, is not modelled", name = mode_name(*.0))]
    NotModelled(u8),
    /// A division by zero.
    #[error("the DPU divides {0} by zero")]
    DivisionByZero(i16),
    /// A width other than 16 bits.
    #[error("the DPU computes with BW config={0}; only words of 16 bits are modelled")]
    Width(u8),
}

fn mode_name(mode: u8) -> &'static str {
    crate::published_word("DPU", "mode", u64::from(mode)).unwrap_or_default()
}

/// A word at an input or output, and whether it came in this cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Signal {
    /// The word.
    pub word: i16,
    /// Whether it is new in this cycle.
    pub valid: bool,
}

/// The state of a DPU.
#[derive(Clone, Debug)]
pub struct Dpu {
    mode: u8,
    saturate: bool,
    fixed_point: bool,
    immediate: u8,
    io_change: u8,
    width: u8,
    accumulators: [i64; 2],
    /// Running maximum and minimum.
    extremes: Option<[i16; 2]>,
    accumulations: u32,
    internal: [i16; 2],
    outputs: [Signal; 2],
    status: u8,
    operations: u64,
}

/// Modes by their numbers in the description.
mod mode {
    macro_rules! modes {
        ($($NAME:ident = $number:literal)*) => {
            $(pub const $NAME: u8 = $number;)*
            /// Those that the model computes; the others need tables of the hardware, or are reserved.
            pub const MODELLED: &[u8] = &[0, $($NAME),*];
        };
    }

    modes! {
        ADD = 1 SUM_ACC = 2 ADD_CONST = 3 SUBT = 4 SUBT_ABS = 5
        MULT = 7 MULT_ADD = 8 MULT_CONST = 9 MAC = 10
        LD_IR = 11 AXPY = 12
        MAX_MIN_ACC = 13 MAX_MIN_CONST = 14 MAX_MIN = 16
        SHIFT_L = 17 SHIFT_R = 18
        LK_RELU = 22 RELU = 23 DIV = 24 LD_ACC = 27
        SCALE_DW = 28 SCALE_UP = 29 MAC_INTER = 30
    }
}

impl Default for Dpu {
    fn default() -> Dpu {
        Dpu {
            mode: 0,
            saturate: true,
            fixed_point: false,
            immediate: 0,
            io_change: 0,
            width: WIDTH_16,
            accumulators: [0; 2],
            extremes: None,
            accumulations: 0,
            internal: [0; 2],
            outputs: [Signal::default(); 2],
            status: 0,
            operations: 0,
        }
    }
}

impl Dpu {
    /// Takes a mode. Accumulations begin again, except for accumulators that the previous mode
    /// loaded: the published convolution issues DPU once for each sum that it makes.
    pub fn configure(&mut self, setup: DpuSetup) -> Result<(), DpuFault> {
        if !mode::MODELLED.contains(&setup.mode) {
            return Err(DpuFault::NotModelled(setup.mode));
        }
        if self.mode != mode::LD_ACC {
            self.accumulators = [0; 2];
        }
        self.extremes = None;
        self.accumulations = 0;
        self.mode = setup.mode;
        self.saturate = setup.saturate;
        self.fixed_point = setup.fixed_point;
        self.immediate = setup.acc_clear;
        self.io_change = setup.io_change;
        Ok(())
    }

    /// Takes the width of BW.
    pub fn set_width(&mut self, config: u8) {
        self.width = config;
    }

    /// Whether inputs are of no interest.
    pub fn is_idle(&self) -> bool {
        self.mode == 0
    }

    /// Contents of the output registers.
    pub fn outputs(&self) -> [Signal; 2] {
        self.outputs
    }

    /// The words of the outputs are not new any more.
    pub fn age(&mut self) {
        for output in &mut self.outputs {
            output.valid = false;
        }
    }

    /// Result of the last comparison.
    pub fn status(&self) -> u8 {
        self.status
    }

    /// Cycles in which it computed.
    pub fn operations(&self) -> u64 {
        self.operations
    }

    /// Accumulators of both units.
    pub fn accumulators(&self) -> [i64; 2] {
        self.accumulators
    }

    /// Computes in a cycle in which an input has a new word. Results are in the output registers
    /// from the next cycle on.
    pub fn compute(&mut self, inputs: &[Signal; DPU_INPUTS]) -> Result<(), DpuFault> {
        if self.width != WIDTH_16 {
            return Err(DpuFault::Width(self.width));
        }
        let words = self.changed(inputs);
        let [a, b, c, d] = words.map(i64::from);
        let valid = [
            inputs[0].valid || inputs[1].valid,
            inputs[2].valid || inputs[3].valid,
        ];
        let immediate = i64::from(self.immediate);
        self.operations += 1;
        let results = match self.mode {
            mode::ADD => [Some(a + b), Some(c + d)],
            mode::SUM_ACC => self.accumulate([a + b, c + d], valid).map(Some),
            mode::ADD_CONST => [Some(a + immediate), Some(c + immediate)],
            mode::SUBT => [Some(a - b), Some(c - d)],
            mode::SUBT_ABS => [Some((a - b).abs()), Some((c - d).abs())],
            mode::MULT => [Some(self.product(a, b)), Some(self.product(c, d))],
            mode::MULT_ADD => [Some(self.product(a, b) + c), None],
            mode::MULT_CONST => [
                Some(self.product(a, immediate)),
                Some(self.product(c, immediate)),
            ],
            mode::MAC | mode::MAC_INTER => {
                let products = [self.product(a, b), self.product(c, d)];
                self.accumulate(products, valid).map(Some)
            }
            mode::LD_IR => {
                for (bit, word) in [words[0], words[1]].into_iter().enumerate() {
                    if self.immediate & (1 << bit) != 0 {
                        self.internal[bit] = word;
                    }
                }
                [None, None]
            }
            mode::AXPY => {
                let [x, y] = self.internal.map(i64::from);
                [Some(self.product(x, a) + b), Some(self.product(y, c) + d)]
            }
            mode::MAX_MIN_ACC => self.running_extremes(words[0]),
            mode::MAX_MIN_CONST => self.compared(a, immediate),
            mode::MAX_MIN => self.compared(a, b),
            mode::SHIFT_L => [Some(a << shift_amount(b)), Some(c << shift_amount(d))],
            mode::SHIFT_R => [Some(a >> shift_amount(b)), Some(c >> shift_amount(d))],
            mode::RELU => [Some(a.max(0)), Some(c.max(0))],
            mode::LK_RELU => [a, c].map(|word| {
                let leaks = (word * immediate) >> SLOPE_BITS;
                Some(if word < 0 { leaks } else { word })
            }),
            mode::DIV => self.quotient(words[0], words[1])?,
            mode::SCALE_DW => [a, c].map(|word| Some(narrowed(word >> shift_amount(immediate)))),
            mode::SCALE_UP => [a, c].map(|word| {
                let narrow = word << (64 - NARROW_BITS) >> (64 - NARROW_BITS);
                Some(narrow << shift_amount(immediate))
            }),
            mode::LD_ACC => {
                self.accumulators = [a, c];
                [None, None]
            }
            _ => [None, None],
        };
        for (unit, result) in results.into_iter().enumerate() {
            if let Some(result) = result.filter(|_| valid[unit] || unit_follows_first(self.mode)) {
                self.outputs[unit] = Signal {
                    word: self.output_word(result),
                    valid: true,
                };
            }
        }
        Ok(())
    }

    /// The inputs with what `io_change` negates.
    fn changed(&self, inputs: &[Signal; DPU_INPUTS]) -> [i16; DPU_INPUTS] {
        let mut words = inputs.map(|input| input.word);
        let first = match self.io_change {
            1 => 0,
            2 => 1,
            _ => return words,
        };
        for at in [first, first + 2] {
            words[at] = if self.saturate {
                words[at].saturating_neg()
            } else {
                words[at].wrapping_neg()
            };
        }
        words
    }

    fn product(&self, a: i64, b: i64) -> i64 {
        if self.fixed_point {
            (a * b) >> FRACTION_BITS
        } else {
            a * b
        }
    }

    /// Quotient and remainder, rounded to zero; the quotient of fixed point numbers is one.
    fn quotient(&self, a: i16, b: i16) -> Result<[Option<i64>; 2], DpuFault> {
        if b == 0 {
            return Err(DpuFault::DivisionByZero(a));
        }
        let fraction = if self.fixed_point { FRACTION_BITS } else { 0 };
        let (a, b) = (i64::from(a) << fraction, i64::from(b));
        Ok([Some(a / b), Some(a % b)])
    }

    /// Adds to the accumulators of units with new words; each clears after the number of words that it was set to.
    fn accumulate(&mut self, terms: [i64; 2], valid: [bool; 2]) -> [i64; 2] {
        let limit = u32::from(self.immediate);
        if limit > 0 && self.accumulations == limit {
            self.accumulators = [0; 2];
            self.accumulations = 0;
        }
        self.accumulations += 1;
        for unit in 0..2 {
            if valid[unit] {
                self.accumulators[unit] = self.accumulators[unit].wrapping_add(terms[unit]);
            }
        }
        self.accumulators
    }

    fn running_extremes(&mut self, word: i16) -> [Option<i64>; 2] {
        let limit = u32::from(self.immediate);
        if limit > 0 && self.accumulations == limit {
            self.extremes = None;
            self.accumulations = 0;
        }
        self.accumulations += 1;
        let [high, low] = self.extremes.unwrap_or([word; 2]);
        self.compare(i64::from(word), i64::from(high));
        let now = [high.max(word), low.min(word)];
        self.extremes = Some(now);
        now.map(|extreme| Some(i64::from(extreme)))
    }

    fn compared(&mut self, a: i64, b: i64) -> [Option<i64>; 2] {
        self.compare(a, b);
        [Some(a.max(b)), Some(a.min(b))]
    }

    fn compare(&mut self, a: i64, b: i64) {
        self.status = match a.cmp(&b) {
            std::cmp::Ordering::Greater => STATUS_GREATER,
            std::cmp::Ordering::Equal => STATUS_EQUAL,
            std::cmp::Ordering::Less => 0,
        };
    }

    /// A result as a word: absolute if that is wanted, then saturated or wrapped.
    fn output_word(&self, result: i64) -> i16 {
        let result = match self.io_change {
            3 => result.wrapping_abs(),
            _ => result,
        };
        if self.saturate {
            result.clamp(i64::from(i16::MIN), i64::from(i16::MAX)) as i16
        } else {
            result as i16
        }
    }
}

/// Whether the second output comes from the inputs of the first unit.
fn unit_follows_first(mode: u8) -> bool {
    matches!(
        mode,
        mode::MAX_MIN_ACC | mode::MAX_MIN_CONST | mode::MAX_MIN | mode::DIV
    )
}

/// The nearest narrower word.
fn narrowed(word: i64) -> i64 {
    let limit = 1 << (NARROW_BITS - 1);
    word.clamp(-limit, limit - 1)
}

/// Shifts go by the low bits of the other word.
fn shift_amount(word: i64) -> u32 {
    (word as u32) & (WORD_BITS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup(mode: u8) -> DpuSetup {
        DpuSetup {
            mode,
            saturate: true,
            fixed_point: false,
            acc_clear: 0,
            io_change: 0,
        }
    }

    fn words(words: [i16; 4]) -> [Signal; 4] {
        words.map(|word| Signal { word, valid: true })
    }

    fn result(setup: DpuSetup, inputs: [i16; 4]) -> [i16; 2] {
        let mut dpu = Dpu::default();
        dpu.configure(setup).expect("a mode that is modelled");
        dpu.compute(&words(inputs)).expect("16 bits");
        dpu.outputs().map(|output| output.word)
    }

    #[test]
    fn each_mode_is_its_formula() {
        let cases = [
            (mode::ADD, [7, -3, 100, 5], [4, 105]),
            (mode::SUM_ACC, [7, -3, 100, 5], [4, 105]),
            (mode::SUBT, [7, 9, 1, -1], [-2, 2]),
            (mode::SUBT_ABS, [7, 9, 1, -1], [2, 2]),
            (mode::MULT, [7, -9, 300, 300], [-63, 32_767]),
            (mode::MULT_ADD, [7, -9, 70, 1], [7, 0]),
            (mode::MAC, [7, -9, 2, 3], [-63, 6]),
            (mode::MAX_MIN, [7, -9, 0, 0], [7, -9]),
            (mode::MAX_MIN_ACC, [7, -9, 0, 0], [7, 7]),
            (mode::SHIFT_L, [3, 4, -1, 15], [48, -32_768]),
            (mode::SHIFT_R, [-3, 1, 64, 2], [-2, 16]),
            (mode::RELU, [-3, 0, 3, 0], [0, 3]),
        ];
        for (mode, inputs, outputs) in cases {
            assert_eq!(result(setup(mode), inputs), outputs, "mode {mode}");
        }
        let with = |mode, acc_clear| DpuSetup {
            acc_clear,
            ..setup(mode)
        };
        assert_eq!(result(setup(mode::DIV), [-7, 2, 0, 0]), [-3, -1]);
        assert_eq!(
            result(with(mode::LK_RELU, 64), [-100, 0, 100, 0]),
            [-25, 100]
        );
        assert_eq!(
            result(with(mode::SCALE_DW, 4), [4000, 0, -160, 0]),
            [127, -10]
        );
        assert_eq!(result(with(mode::SCALE_UP, 4), [0x1FF, 0, 3, 0]), [-16, 48]);
        assert_eq!(result(setup(mode::MAC_INTER), [7, -9, 2, 3]), [-63, 6]);
        assert_eq!(result(with(mode::ADD_CONST, 255), [1, 0, 2, 0]), [256, 257]);
        assert_eq!(result(with(mode::MULT_CONST, 5), [-3, 0, 2, 0]), [-15, 10]);
        assert_eq!(result(with(mode::MAX_MIN_CONST, 5), [-3, 0, 0, 0]), [5, -3]);
    }

    #[test]
    fn results_saturate_wrap_and_are_fixed_point() {
        let wraps = DpuSetup {
            saturate: false,
            ..setup(mode::ADD)
        };
        assert_eq!(result(wraps, [32_767, 1, 0, 0]), [-32_768, 0]);
        assert_eq!(result(setup(mode::ADD), [32_767, 1, 0, 0]), [32_767, 0]);
        let half = DpuSetup {
            fixed_point: true,
            ..setup(mode::MULT)
        };
        assert_eq!(result(half, [16_384, -16_384, 0, 0]), [-8192, 0]);
        let negated = DpuSetup {
            io_change: 1,
            ..setup(mode::ADD)
        };
        assert_eq!(result(negated, [5, 1, 7, 1]), [-4, -6]);
        let absolute = DpuSetup {
            io_change: 3,
            ..setup(mode::ADD)
        };
        assert_eq!(result(absolute, [-5, 1, 7, 1]), [4, 8]);
    }

    #[test]
    fn accumulators_clear_behind_their_number_and_at_a_new_mode() {
        let mut dpu = Dpu::default();
        let two = DpuSetup {
            acc_clear: 2,
            ..setup(mode::MAC)
        };
        dpu.configure(two).expect("modelled");
        let mut sums = Vec::new();
        for word in [1, 2, 3, 4] {
            dpu.compute(&words([word, 10, 0, 0])).expect("16 bits");
            sums.push(dpu.outputs()[0].word);
        }
        assert_eq!(sums, [10, 30, 30, 70]);
        dpu.configure(setup(mode::LD_ACC)).expect("modelled");
        dpu.compute(&words([500, 0, 0, 0])).expect("16 bits");
        dpu.configure(two).expect("modelled");
        dpu.compute(&words([1, 1, 0, 0])).expect("16 bits");
        assert_eq!(dpu.outputs()[0].word, 501);
        dpu.configure(two).expect("modelled");
        dpu.compute(&words([1, 1, 0, 0])).expect("16 bits");
        assert_eq!(dpu.outputs()[0].word, 1);
    }

    #[test]
    fn internal_registers_serve_axpy() {
        let mut dpu = Dpu::default();
        let load = DpuSetup {
            acc_clear: 3,
            ..setup(mode::LD_IR)
        };
        dpu.configure(load).expect("modelled");
        dpu.compute(&words([3, 5, 0, 0])).expect("16 bits");
        dpu.configure(setup(mode::AXPY)).expect("modelled");
        dpu.compute(&words([10, 1, 20, 2])).expect("16 bits");
        assert_eq!(dpu.outputs().map(|o| o.word), [31, 102]);
    }

    #[test]
    fn comparisons_leave_a_status() {
        for (inputs, status) in [([2, 1], 1), ([1, 1], 2), ([0, 1], 0)] {
            let mut dpu = Dpu::default();
            dpu.configure(setup(mode::MAX_MIN)).expect("modelled");
            let [a, b] = inputs;
            dpu.compute(&words([a, b, 0, 0])).expect("16 bits");
            assert_eq!(dpu.status(), status);
        }
    }

    #[test]
    fn divisions_are_fixed_point_and_by_zero_a_fault() {
        let half = DpuSetup {
            fixed_point: true,
            ..setup(mode::DIV)
        };
        assert_eq!(result(half, [8192, 16_384, 0, 0])[0], 16_384);
        let mut dpu = Dpu::default();
        dpu.configure(setup(mode::DIV)).expect("modelled");
        let fault = dpu.compute(&words([5, 0, 0, 0]));
        assert_eq!(fault, Err(DpuFault::DivisionByZero(5)));
    }

    #[test]
    fn what_is_not_modelled_is_named() {
        let refused: Vec<u8> = (0..32)
            .filter(|mode| Dpu::default().configure(setup(*mode)).is_err())
            .collect();
        assert_eq!(refused, [6, 15, 19, 20, 21, 25, 26, 31]);
        let fault = DpuFault::NotModelled(19).to_string();
        assert_eq!(fault, "mode 19 of the DPU, sigm, is not modelled");
        let mut dpu = Dpu::default();
        dpu.set_width(1);
        dpu.configure(setup(mode::ADD)).expect("modelled");
        let fault = dpu.compute(&words([0; 4]));
        assert_eq!(fault, Err(DpuFault::Width(1)));
    }
}
