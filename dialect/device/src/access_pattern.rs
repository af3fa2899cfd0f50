//! Access patterns: the order in which a DMA walks memory, as sizes and strides of nested loops.
//!
//! A pattern counts elements where a program writes it, and 32-bit words where a buffer descriptor
//! holds it ([`AccessPattern::in_words`]). Numbers may be unknown when a design is compiled:
//! [`Count`] is what a pattern needs to know of them.

use std::fmt::Debug;

use crate::constants::DmaModel;

/// Bytes of the DMAs' unit (AM025: lengths and steps of descriptors count 32-bit words).
pub const WORD_BYTES: u64 = size_of::<u32>() as u64;

/// Folds dimensions, innermost first: those of one step are dropped, those that continue the one
/// inside them are merged with it.
macro_rules! fold_dims {
    ($number:ty, $dims:expr) => {{
        let mut folded: Vec<AccessDim<$number>> = Vec::new();
        for dim in $dims.copied().filter(|dim| dim.size != 1) {
            match folded.last_mut() {
                Some(last) if last.size.checked_mul(last.stride) == Some(dim.stride) => {
                    last.size = last.size.saturating_mul(dim.size);
                }
                _ => folded.push(dim),
            }
        }
        folded
    }};
}

/// A number of a pattern.
pub trait Count: Copy + Debug {
    /// The number 1.
    const ONE: Self;

    /// The value, if it is known when the design is compiled.
    fn known(self) -> Option<i64>;
}

impl Count for i64 {
    const ONE: i64 = 1;

    fn known(self) -> Option<i64> {
        Some(self)
    }
}

impl Count for u64 {
    const ONE: u64 = 1;

    fn known(self) -> Option<i64> {
        i64::try_from(self).ok()
    }
}

/// One dimension of a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AccessDim<N> {
    /// Number of steps.
    pub size: N,
    /// Distance of two steps.
    pub stride: N,
}

impl<N> AccessDim<N> {
    /// A dimension of `size` steps.
    pub const fn new(size: N, stride: N) -> AccessDim<N> {
        AccessDim { size, stride }
    }
}

impl AccessDim<i64> {
    /// Same as [`AccessPattern::fold`], for dimensions as texts list them: outermost first.
    pub fn merged(outermost_first: &[AccessDim<i64>]) -> Vec<AccessDim<i64>> {
        let mut folded = fold_dims!(i64, outermost_first.iter().rev());
        folded.reverse();
        folded
    }
}

/// Nested loops over memory, which move an element at each step of the innermost one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AccessPattern<N> {
    /// Bytes of an element.
    pub elem_bytes: u64,
    /// Dimensions, innermost first as the hardware numbers them; sizes and strides count elements.
    pub dims: Vec<AccessDim<N>>,
}

/// Reason why a pattern doesn't fit a buffer descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PatternError {
    /// A dimension has no step.
    Size {
        /// Number of steps.
        size: i64,
    },
    /// A stride is negative, or no number of bytes.
    Stride {
        /// Stride in elements.
        stride: i64,
    },
    /// A stride isn't a whole number of words.
    PartialStride {
        /// Stride in bytes.
        bytes: u64,
    },
    /// Elements that aren't words are strided innermost, where the hardware counts words.
    InnermostStride {
        /// Stride in elements.
        stride: i64,
        /// Bytes of an element.
        elem_bytes: u64,
    },
    /// An innermost run isn't a whole number of words.
    PartialRun {
        /// Bytes of the run.
        bytes: u64,
    },
    /// A size exceeds the wrap field.
    SizeLimit {
        /// Number of steps.
        size: u64,
        /// Largest number of steps.
        limit: u64,
    },
    /// A size exceeds the wrap field and has no divisor by which two dimensions could share it.
    Indivisible {
        /// Number of steps.
        size: u64,
        /// Largest number of steps.
        limit: u64,
    },
    /// The pattern has more dimensions than a descriptor.
    TooManyDims {
        /// Dimensions of the pattern.
        dims: usize,
        /// Dimensions of a descriptor.
        hardware: usize,
    },
    /// The pattern has more dimensions than a descriptor once its sizes are split.
    TooManySplitDims {
        /// Dimensions with sizes that fit.
        dims: usize,
        /// Dimensions of a descriptor.
        hardware: usize,
        /// Largest number of steps.
        limit: u64,
    },
}

impl<N: Count> AccessPattern<N> {
    /// A pattern by sizes and strides, innermost first.
    pub fn new(elem_bytes: u64, dims: impl IntoIterator<Item = (N, N)>) -> AccessPattern<N> {
        let dims = dims.into_iter();
        AccessPattern {
            elem_bytes,
            dims: dims
                .map(|(size, stride)| AccessDim { size, stride })
                .collect(),
        }
    }

    /// The dimension `at`, counted from the innermost; a single step beyond the outermost one.
    pub fn dim(&self, at: usize) -> AccessDim<N> {
        let beyond = AccessDim::new(N::ONE, N::ONE);
        self.dims.get(at).copied().unwrap_or(beyond)
    }

    /// Whether every number is known.
    pub fn is_known(&self) -> bool {
        let mut numbers = self.dims.iter().flat_map(|dim| [dim.size, dim.stride]);
        numbers.all(|number| number.known().is_some())
    }

    /// Whether the elements surely follow one another in memory, each once, with the dimensions as
    /// they are.
    ///
    /// The stride of a dimension with one step is never taken and may be any, except for the innermost
    /// one, which must be 1 as in mlir-aie (`AIEXDialect.cpp`, `isLinearTransferWithoutTransformation`).
    pub fn is_contiguous(&self) -> bool {
        let mut run = Some(1i64);
        self.dims.iter().enumerate().all(|(at, dim)| {
            let size = dim.size.known();
            let follows = run.is_some() && dim.stride.known() == run;
            let may_be_any = at > 0 && size == Some(1);
            run = run.zip(size).and_then(|(run, size)| run.checked_mul(size));
            follows || may_be_any
        })
    }

    /// The number of elements, if it is known.
    pub fn elements(&self) -> Option<i64> {
        let mut sizes = self.dims.iter().map(|dim| dim.size.known());
        sizes.try_fold(1i64, |count, size| count.checked_mul(size?))
    }

    /// The `count` innermost dimensions.
    pub fn inner(&self, count: usize) -> AccessPattern<N> {
        AccessPattern {
            elem_bytes: self.elem_bytes,
            dims: self.dims.iter().take(count).copied().collect(),
        }
    }
}

impl AccessPattern<i64> {
    /// A pattern of the same elements in the same order with as few dimensions as possible.
    pub fn fold(&self) -> AccessPattern<i64> {
        AccessPattern {
            elem_bytes: self.elem_bytes,
            dims: fold_dims!(i64, self.dims.iter()),
        }
    }

    /// Bytes of a number of elements; `None` if it is negative or too large.
    pub fn bytes(&self, elements: i64) -> Option<u64> {
        u64::try_from(elements).ok()?.checked_mul(self.elem_bytes)
    }

    /// The pattern in words, as descriptors hold it.
    ///
    /// # Errors
    /// The first size or stride, from the innermost dimension on, that words can't express.
    pub fn in_words(&self) -> Result<AccessPattern<u64>, PatternError> {
        let mut dims = Vec::with_capacity(self.dims.len());
        for (at, dim) in self.dims.iter().enumerate() {
            let size = u64::try_from(dim.size).ok().filter(|size| *size > 0);
            let size = size.ok_or(PatternError::Size { size: dim.size })?;
            dims.push(match at {
                0 if self.elem_bytes != WORD_BYTES => self.innermost_run(size, dim.stride)?,
                // The stride of a single step is never taken: 1 is what any field can hold.
                _ if size == 1 => AccessDim::new(1, 1),
                _ => AccessDim::new(size, self.stride_in_words(dim.stride)?),
            });
        }
        let elem_bytes = WORD_BYTES;
        Ok(AccessPattern { elem_bytes, dims })
    }

    /// A stride in words.
    ///
    /// # Errors
    /// It is negative, or not a whole number of words.
    pub fn stride_in_words(&self, stride: i64) -> Result<u64, PatternError> {
        match self.bytes(stride) {
            Some(bytes) if bytes.is_multiple_of(WORD_BYTES) => Ok(bytes / WORD_BYTES),
            Some(bytes) => Err(PatternError::PartialStride { bytes }),
            None => Err(PatternError::Stride { stride }),
        }
    }

    /// The innermost dimension of elements that aren't words: a run of words.
    fn innermost_run(&self, size: u64, stride: i64) -> Result<AccessDim<u64>, PatternError> {
        let elem_bytes = self.elem_bytes;
        if stride != 1 && size > 1 {
            return Err(PatternError::InnermostStride { stride, elem_bytes });
        }
        let bytes = size.saturating_mul(elem_bytes);
        if bytes.is_multiple_of(WORD_BYTES) {
            Ok(AccessDim::new(bytes / WORD_BYTES, 1))
        } else {
            Err(PatternError::PartialRun { bytes })
        }
    }
}

impl AccessPattern<u64> {
    /// A pattern of the same words in the same order with as few dimensions as possible.
    pub fn fold(&self) -> AccessPattern<u64> {
        AccessPattern {
            elem_bytes: self.elem_bytes,
            dims: fold_dims!(u64, self.dims.iter()),
        }
    }

    /// Whether the words follow one another, each once. Two dimensions of stride 1 are a window that
    /// moves by one word, which sends words again.
    pub fn is_linear(&self) -> bool {
        matches!(self.fold().dims[..], [] | [AccessDim { stride: 1, .. }])
    }

    /// Checks dimensions and sizes against the descriptors of a DMA. The outermost dimension of those
    /// that have no wrap field for it ends with the length and may have any size.
    ///
    /// # Errors
    /// The number of dimensions, or the first size that no wrap field holds.
    pub fn fits(&self, dma: &DmaModel) -> Result<(), PatternError> {
        let (dims, hardware) = (self.dims.len(), usize::from(dma.bd.dims));
        if dims > hardware {
            return Err(PatternError::TooManyDims { dims, hardware });
        }
        let limit = u64::from(dma.bd.max_wrap());
        let unbounded = dims == hardware && dma.bd.outermost_unbounded;
        let bounded = dims - usize::from(unbounded);
        let too_large = self.dims[..bounded].iter().find(|dim| dim.size > limit);
        match too_large {
            Some(dim) => Err(PatternError::SizeLimit {
                size: dim.size,
                limit,
            }),
            None => Ok(()),
        }
    }

    /// A pattern of the same words in the same order that fits a DMA: this one if it does, else
    /// folded, with sizes beyond the wrap field split in two. A pattern without dimensions is a
    /// linear run.
    ///
    /// # Errors
    /// A size can't be split, or there are too few dimensions for the parts.
    pub fn split(&self, dma: &DmaModel) -> Result<AccessPattern<u64>, PatternError> {
        if self.fits(dma).is_ok() {
            return Ok(self.clone());
        }
        let limit = u64::from(dma.bd.max_wrap());
        let folded = self.fold();
        let mut dims = Vec::new();
        if !folded.is_linear() {
            for (at, AccessDim { size, stride }) in folded.dims.iter().copied().enumerate() {
                if size <= limit {
                    dims.push(AccessDim::new(size, stride));
                } else if at + 1 == folded.dims.len() {
                    // A wrap of 0 never ends, but the length does.
                    dims.push(AccessDim::new(0, stride));
                } else {
                    let inner = (2..=limit).rev().find(|n| size.is_multiple_of(*n));
                    let inner = inner.ok_or(PatternError::Indivisible { size, limit })?;
                    dims.push(AccessDim::new(inner, stride));
                    let outer = stride.saturating_mul(inner);
                    dims.push(AccessDim::new(size / inner, outer));
                }
            }
        }
        let elem_bytes = self.elem_bytes;
        let split = AccessPattern { elem_bytes, dims };
        match split.fits(dma) {
            Ok(()) => Ok(split),
            Err(_) => Err(PatternError::TooManySplitDims {
                dims: split.dims.len(),
                hardware: usize::from(dma.bd.dims),
                limit,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DeviceModel, TileLoc};

    fn shim() -> &'static DmaModel {
        let model = DeviceModel::by_name("npu1").unwrap();
        let tile = model.tile(TileLoc::new(0, 0)).unwrap();
        tile.dma.as_ref().unwrap()
    }

    fn words<const D: usize>(dims: [(u64, u64); D]) -> AccessPattern<u64> {
        AccessPattern::new(WORD_BYTES, dims)
    }

    #[test]
    fn contiguous_dimensions_fold() {
        let rows = words([(4, 1), (1, 77), (3, 4), (2, 100)]);
        assert_eq!(rows.fold(), words([(12, 1), (2, 100)]));
        assert!(!rows.is_linear());
        assert!(words([(4, 1), (3, 4), (2, 12)]).is_linear());
        assert!(!words([(4, 1), (3, 1)]).is_linear(), "a moving window");
    }

    #[test]
    fn bytes_become_words() {
        let bytes = AccessPattern::new(1, [(8i64, 1), (3, 16)]);
        assert_eq!(bytes.in_words(), Ok(words([(2, 1), (3, 4)])));
        let odd = AccessPattern::new(1, [(8i64, 1), (3, 18)]);
        assert_eq!(
            odd.in_words(),
            Err(PatternError::PartialStride { bytes: 18 })
        );
        let run = AccessPattern::new(1, [(6i64, 1)]);
        assert_eq!(run.in_words(), Err(PatternError::PartialRun { bytes: 6 }));
    }

    #[test]
    fn large_sizes_split_or_are_refused() {
        let limit = u64::from(shim().bd.max_wrap());
        let even = words([(2, 1), (2 * limit, 3), (2, 100_000)]);
        let fits = even.split(shim());
        // Four dimensions are one more than a shim descriptor has.
        assert!(matches!(fits, Err(PatternError::TooManySplitDims { .. })));
        let two = words([(2 * limit, 3), (2, 100_000)]);
        let split = two.split(shim()).unwrap();
        assert_eq!(split, words([(limit, 3), (2, 3 * limit), (2, 100_000)]));
        let prime = words([(1031, 3), (2, 100_000)]);
        let refused = PatternError::Indivisible { size: 1031, limit };
        assert_eq!(prime.split(shim()), Err(refused));
    }

    #[test]
    fn unknown_numbers_are_never_linear() {
        #[derive(Clone, Copy, Debug)]
        struct Unknown;
        impl Count for Unknown {
            const ONE: Unknown = Unknown;
            fn known(self) -> Option<i64> {
                None
            }
        }
        let pattern = AccessPattern::new(4, [(Unknown, Unknown)]);
        assert_eq!(
            (pattern.is_known(), pattern.is_contiguous()),
            (false, false)
        );
        let known = AccessPattern::new(4, [(8i64, 1), (1, 5), (2, 8)]);
        assert!(known.is_contiguous());
        assert_eq!(known.elements(), Some(16));
    }
}
