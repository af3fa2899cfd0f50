//! The words of a shim BD whose sizes, strides or length are known at run time only.
//!
//! The hardware's form of a pattern (`mlir-aie: lib/Dialect/AIEX/Utils/BdLowering.cpp`, AM025
//! DMA_BD*): the innermost size and all steps count 32-bit words, steps and iterations are stored
//! less 1, and a step has no meaning where its size is 1. A pattern without gaps is a plain run of
//! its length, as far as that is known now.

use aiec_device::regmap::{BdLayout, Field, RegisterMap, RegisterRef};
use aiec_device::{AccessDim, AccessPattern, Arch, Count, TileKind};

use super::arith::{Arith, Num};
use crate::analysis::transfer::{BdError, WORD_BYTES};

/// Dimensions of a pattern, with the outermost one, which is iterated.
pub(crate) const DIMS: usize = 4;
/// The dimension that is iterated.
const ITERATION: usize = DIMS - 1;
/// Largest number of further runs of a task: its field in the queue has 8 bits (AM025).
const MAX_REPEAT: u32 = 255;

/// A transfer of a shim BD.
pub(crate) struct RunTimePattern {
    /// The pattern, with [`DIMS`] dimensions.
    pub(crate) access: AccessPattern<Num>,
    /// Elements of a run, where they are written beside the pattern.
    pub(crate) length: Option<Num>,
}

/// A pattern as registers hold it.
pub(crate) struct Encoded {
    /// All words of the BD.
    pub(crate) words: Vec<Num>,
    /// Which of them hold the pattern, or what else is known at run time only.
    pub(crate) of_pattern: Vec<usize>,
    /// Further runs that the outermost size asks for.
    pub(crate) repeat: Num,
}

/// A field of a BD.
#[derive(Clone, Copy)]
struct BdFieldPosition {
    word: usize,
    max: u32,
    low: u8,
}

impl BdFieldPosition {
    fn of(name: &str, word: u8, field: &Field) -> Option<BdFieldPosition> {
        (field.name == name).then_some(BdFieldPosition {
            word: usize::from(word),
            max: field.max(),
            low: field.low,
        })
    }

    /// Whether a stored number doesn't fit.
    fn bd_error(self, stored: i64) -> Option<BdError> {
        let fits = u32::try_from(stored).is_ok_and(|n| n <= self.max);
        let message = format!(
            "a register field would have to hold {stored}, of at most {}",
            self.max
        );
        let help = "use smaller sizes and strides, or split the transfer into several";
        (!fits).then(|| BdError::new(message, help))
    }
}

/// Lets a BD name one that follows whose number is known at run time only, beside the template's bit that one does.
pub(crate) fn set_next(arith: &mut Arith<'_>, arch: Arch, encoded: &mut Encoded, next: Num) {
    let Some(place) = PatternFields::of(arch).map(|fields| fields.next) else {
        return;
    };
    let field = arith.field(next, place.max, place.low);
    if let Some(word) = encoded.words.get_mut(place.word) {
        *word = arith.or(field, *word);
        encoded.of_pattern.push(place.word);
    }
}

/// Where the shim BDs of an architecture hold a pattern, and which BD follows.
struct PatternFields {
    next: BdFieldPosition,
    length: BdFieldPosition,
    wraps: [BdFieldPosition; 2],
    steps: [BdFieldPosition; 3],
    iteration: [BdFieldPosition; 2],
}

impl PatternFields {
    fn of(arch: Arch) -> Option<PatternFields> {
        let map = RegisterMap::of(arch, TileKind::ShimNoc)?;
        let words = BdLayout::of(arch, TileKind::ShimNoc)?.words();
        let register = |word| Some(map.register(RegisterRef::BdWord { bd: 0, word })?.0);
        let find = |name: &str| {
            (0..words).find_map(|word| {
                let fields = register(word)?.fields();
                fields
                    .iter()
                    .find_map(|field| BdFieldPosition::of(name, word, field))
            })
        };
        // The length is a register without fields: a word of its own.
        let whole = (0..words).find(|word| register(*word).is_some_and(|r| r.fields().is_empty()));
        let length = find("Buffer_Length").or_else(|| {
            Some(BdFieldPosition {
                word: usize::from(whole?),
                max: u32::MAX,
                low: 0,
            })
        })?;
        Some(PatternFields {
            next: find("Next_BD")?,
            length,
            wraps: [find("D0_Wrap")?, find("D1_Wrap")?],
            steps: [
                find("D0_Stepsize")?,
                find("D1_Stepsize")?,
                find("D2_Stepsize")?,
            ],
            iteration: [find("Iteration_Wrap")?, find("Iteration_Stepsize")?],
        })
    }
}

impl RunTimePattern {
    /// Whether every number is known now.
    pub(crate) fn is_known(&self) -> bool {
        self.access.is_known() && self.length.is_none_or(|length| length.known().is_some())
    }

    /// Errors of the reference about known numbers, while others are unknown.
    pub(crate) fn bd_error(&self, arch: Arch) -> Option<BdError> {
        let places = PatternFields::of(arch)?;
        let bytes = |n: i64| i128::from(n) * i128::from(self.access.elem_bytes);
        let whole = |n: i64| bytes(n) % i128::from(WORD_BYTES) == 0;
        let elem = self.access.elem_bytes;
        let help = "DMAs move 32-bit words: use sizes and strides of whole words";
        let size = self.size(0).known();
        if let Some(size) = size.filter(|size| !whole(*size)) {
            let message = format!(
                "an innermost run of {size} elements of {elem} bytes isn't a whole number of words"
            );
            return Some(BdError::new(message, help).in_mlir_aie(format!(
                "d0 size {size} elements at {elem} bytes each is not a multiple of the \
                 {WORD_BYTES}-byte address-gen granule."
            )));
        }
        for (dim, AccessDim { stride, .. }) in self.access.dims.iter().enumerate() {
            let Some(stride) = stride.known() else {
                continue;
            };
            let unit = dim == 0 && stride == 1;
            let moves = self.size(dim).known() != Some(1);
            if !unit && moves && !whole(stride) {
                let message = format!(
                    "stride {dim} of {stride} elements of {elem} bytes isn't a whole number of words"
                );
                return Some(BdError::new(message, help).in_mlir_aie(format!(
                    "stride {dim} is {stride} elements at {elem} bytes each, not a multiple of \
                     the {WORD_BYTES}-byte address-gen granule."
                )));
            }
            let repeats = dim == ITERATION && stride == 0;
            if stride < 1 && moves && !repeats && !self.is_linear() {
                let message = format!("stride {dim} is {stride}");
                let help = "strides are at least 1; only the outermost may be 0, to repeat";
                return Some(
                    BdError::new(message, help)
                        .in_mlir_aie(format!("Stride {dim} must be a positive integer.")),
                );
            }
        }
        if self.is_linear() {
            return None;
        }
        for dim in 0..2 {
            let Some(size) = self.size(dim).known() else {
                continue;
            };
            let hardware = match dim {
                0 => bytes(size) / i128::from(WORD_BYTES),
                _ => size.into(),
            };
            let max = places.wraps[dim].max;
            if hardware > max.into() {
                let message = format!("a size of {hardware} in dimension {dim} exceeds {max}");
                let help = "use smaller sizes, or more dimensions";
                return Some(BdError::new(message, help).in_mlir_aie(format!(
                    "d{dim} size hardware value {hardware} exceeds hardware range [0:{max}]"
                )));
            }
        }
        None
    }

    /// Whether a run surely has no gaps, so that its length alone describes it.
    fn is_linear(&self) -> bool {
        self.access.inner(ITERATION).is_contiguous()
    }

    fn size(&self, dim: usize) -> Num {
        self.access.dim(dim).size
    }

    fn stride(&self, dim: usize) -> Num {
        self.access.dim(dim).stride
    }

    /// The words of a BD with this pattern and, apart from it, the words of `template`. Numbers
    /// that are known at run time only get assertions that they fit; `None` for architectures
    /// without such BDs.
    ///
    /// # Errors
    /// A number that is known and doesn't fit.
    pub(crate) fn encode(
        &self,
        arith: &mut Arith<'_>,
        arch: Arch,
        template: &[u32],
    ) -> Option<Result<Encoded, BdError>> {
        let places = PatternFields::of(arch)?;
        let linear = self.is_linear();
        self.assert_whole_words(arith);
        let mut fields: Vec<(BdFieldPosition, Num)> = Vec::new();
        let run = arith.words(self.size(0), self.access.elem_bytes, WORD_BYTES);
        let length = match self.length {
            Some(length) => arith.words(length, self.access.elem_bytes, WORD_BYTES),
            None => {
                let plane = arith.mul(run, self.size(1));
                arith.mul(plane, self.size(2))
            }
        };
        fields.push((places.length, length));
        if !linear {
            fields.push((places.wraps[0], run));
            fields.push((places.wraps[1], self.size(1)));
            for dim in 0..places.steps.len() {
                let step = self.step(arith, dim);
                fields.push((places.steps[dim], step));
            }
        }
        let (repeat, iterations, step) = self.iteration(arith);
        fields.push((places.iteration[0], iterations));
        fields.push((places.iteration[1], step));
        for (place, value) in &fields {
            if let Some(bd_error) = value.known().and_then(|n| place.bd_error(n)) {
                return Some(Err(bd_error));
            }
            arith.assert_fits(*value, place.max);
        }
        if iterations != repeat {
            arith.assert_fits(repeat, MAX_REPEAT);
        }
        let mut words: Vec<Num> = template
            .iter()
            .map(|word| Num::Known((*word).into()))
            .collect();
        for (place, value) in &fields {
            let bits = arith.field(*value, place.max, place.low);
            if let Some(word) = words.get_mut(place.word) {
                *word = match *word {
                    Num::Known(0) => bits,
                    before => arith.or(before, bits),
                };
            }
        }
        let mut of_pattern: Vec<usize> = fields.iter().map(|(place, _)| place.word).collect();
        of_pattern.sort_unstable();
        of_pattern.dedup();
        Some(Ok(Encoded {
            words,
            of_pattern,
            repeat,
        }))
    }

    /// Sizes and strides whose bytes must be whole words.
    fn assert_whole_words(&self, arith: &mut Arith<'_>) {
        let divisor = WORD_BYTES / self.access.elem_bytes.clamp(1, WORD_BYTES);
        if divisor <= 1 {
            return;
        }
        arith.assert_divides(self.size(0), divisor, false);
        for (dim, AccessDim { stride, .. }) in self.access.dims.iter().enumerate() {
            arith.assert_divides(*stride, divisor, dim == 0);
        }
        if let Some(length) = self.length {
            arith.assert_divides(length, divisor, false);
        }
    }

    /// The step of an inner dimension, less 1; 0 where it is never taken.
    fn step(&self, arith: &mut Arith<'_>, dim: usize) -> Num {
        let none = Num::Known(0);
        let less_one = |arith: &mut Arith<'_>| {
            let words = arith.words(self.stride(dim), self.access.elem_bytes, WORD_BYTES);
            arith.less_one(words)
        };
        match dim {
            // Elements smaller than a word must be contiguous.
            0 if self.access.elem_bytes < WORD_BYTES => {
                let step = less_one(arith);
                arith.if_above(self.stride(0), 1, step, none)
            }
            0 if self.access.elem_bytes > WORD_BYTES => none,
            0 => less_one(arith),
            _ if self.size(dim).known().is_some_and(|size| size <= 1) => none,
            _ => {
                let step = less_one(arith);
                arith.if_above(self.size(dim), 1, step, none)
            }
        }
    }

    /// Of the outermost dimension: further runs, and iterations and step as registers hold them.
    fn iteration(&self, arith: &mut Arith<'_>) -> (Num, Num, Num) {
        let AccessDim { size, stride } = self.access.dim(ITERATION);
        let none = Num::Known(0);
        if size.known().is_some_and(|size| size <= 1) {
            return (none, none, none);
        }
        let more = arith.less_one(size);
        let repeat = arith.if_above(size, 1, more, none);
        if stride.known().is_some_and(|stride| stride <= 0) {
            return (repeat, none, none);
        }
        let iterations = arith.if_above(stride, 0, repeat, none);
        let words = arith.words(stride, self.access.elem_bytes, WORD_BYTES);
        let step = arith.less_one(words);
        let step = arith.if_above(stride, 0, step, none);
        let step = arith.if_above(size, 1, step, none);
        (repeat, iterations, step)
    }
}
