//! Numbers and buffers as the built-in kernels see them.

use aiec_vcode::{ArgumentType, ElementType};

use super::KernelArguments;
use crate::core::bus::CoreFault;
use crate::core::memory::no_memory;

/// A number on its way. Integers wrap where they are stored; floats are computed as f32.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(super) enum Number {
    Int(i64),
    Float(f32),
}

impl Number {
    pub fn add(self, other: Self) -> Self {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => Self::Int(a.wrapping_add(b)),
            _ => Self::Float(self.float() + other.float()),
        }
    }

    pub fn mul(self, other: Self) -> Self {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => Self::Int(a.wrapping_mul(b)),
            _ => Self::Float(self.float() * other.float()),
        }
    }

    pub fn min(self, other: Self) -> Self {
        if other < self { other } else { self }
    }

    pub fn max(self, other: Self) -> Self {
        if other > self { other } else { self }
    }

    pub fn or(self, other: Self) -> Self {
        Self::Int(self.int() | other.int())
    }

    pub fn and(self, other: Self) -> Self {
        Self::Int(self.int() & other.int())
    }

    pub fn float(self) -> f32 {
        match self {
            Self::Int(value) => value as f32,
            Self::Float(value) => value,
        }
    }

    pub fn int(self) -> i64 {
        match self {
            Self::Int(value) => value,
            Self::Float(value) => value as i64,
        }
    }
}

/// A buffer that is passed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Buffer {
    address: u64,
    pub element: ElementType,
    /// Elements of its type; `None` where a size is open.
    pub len: Option<u64>,
}

/// Why a kernel did not work.
pub(super) enum Failure {
    /// No memory at an address.
    Memory(u64),
    /// Something else, in words.
    Reason(String),
}

/// Cycles of a call, or why it failed.
pub(super) type Done<T = u64> = Result<T, Failure>;

impl KernelArguments<'_, '_> {
    /// The n-th argument, a buffer; the types are checked when the kernel is found.
    pub(super) fn buffer(&self, n: usize) -> Result<Buffer, Failure> {
        let (ty, value) = (self.signature.arguments.get(n), self.values.get(n));
        match (ty, value) {
            (Some(ArgumentType::Buffer { shape, element }), Some(&address)) => Ok(Buffer {
                address,
                element: *element,
                len: shape
                    .iter()
                    .try_fold(1u64, |len, size| len.checked_mul((*size)?)),
            }),
            _ => Err(Failure::Reason(format!("argument {n} isn't a buffer"))),
        }
    }

    /// The n-th argument, an integer.
    pub(super) fn integer(&self, n: usize) -> Result<i64, Failure> {
        let value = self.values.get(n);
        let value = value.ok_or_else(|| Failure::Reason(format!("there is no argument {n}")))?;
        Ok(match self.signature.arguments.get(n) {
            Some(ArgumentType::Scalar(ElementType::Int { width, .. }))
                if self.is_unsigned(n) && *width < 64 =>
            {
                (*value & ((1 << *width) - 1)) as i64
            }
            _ => *value as i64,
        })
    }

    fn is_unsigned(&self, n: usize) -> bool {
        let ty = self.signature.arguments.get(n);
        matches!(ty, Some(ArgumentType::Scalar(element)) if element.is_unsigned())
    }

    /// The n-th argument, a number of elements; below 0 it counts as 0, as in a loop of C that
    /// counts up to it.
    pub(super) fn count(&self, n: usize) -> Result<u64, Failure> {
        Ok(self.integer(n)?.max(0) as u64)
    }

    /// An element of a buffer.
    pub(super) fn get(&mut self, buffer: Buffer, index: u64) -> Result<Number, Failure> {
        let (address, kind) = buffer.place(index)?;
        let raw = self.memory.load(kind, address);
        let raw = raw.ok_or(Failure::Memory(address))?;
        Ok(match buffer.element {
            element if element.is_float() => Number::Float(f32::from_bits(raw as u32)),
            element if element.is_unsigned() => {
                let unused = 64 - 8 * kind.bytes();
                Number::Int((raw << unused >> unused) as i64)
            }
            _ => Number::Int(raw as i64),
        })
    }

    /// Stores an element of a buffer: integers wrap, floats are rounded.
    pub(super) fn set(&mut self, buffer: Buffer, index: u64, value: Number) -> Result<(), Failure> {
        let (address, kind) = buffer.place(index)?;
        let raw = if buffer.element.is_float() {
            value.float().to_bits().into()
        } else {
            value.int() as u64
        };
        let done = self.memory.store(kind, address, raw);
        done.ok_or(Failure::Memory(address))
    }
}

impl Buffer {
    fn place(self, index: u64) -> Result<(u64, aiec_vcode::MemoryType), Failure> {
        if let Some(len) = self.len
            && index >= len
        {
            let reason = format!("it goes past the end of a buffer of {len} elements");
            return Err(Failure::Reason(reason));
        }
        let kind = self.element.memory();
        let kind = kind.ok_or_else(|| Failure::Reason("elements of an odd width".to_string()))?;
        let offset = index.wrapping_mul(kind.bytes().into());
        Ok((self.address.wrapping_add(offset), kind))
    }

    /// A sum as an integer element: shifted down with the half rounded up, at most and at least what the
    /// element holds.
    pub fn rounded(self, sum: i64, shift: u32) -> Number {
        self.saturated(rounded_shift(sum, shift))
    }

    /// Same without rounding, as the vector unit shifts unless its mode says otherwise.
    pub fn cut(self, sum: i64, shift: u32) -> Number {
        self.saturated(sum >> shift)
    }

    fn saturated(self, value: i64) -> Number {
        let (least, most) = match self.element {
            ElementType::Int { width, .. } if width < 64 && self.element.is_unsigned() => {
                (0, (1 << width) - 1)
            }
            ElementType::Int { width, .. } if width < 64 => {
                (-1 << (width - 1), (1 << (width - 1)) - 1)
            }
            _ => return Number::Int(value),
        };
        Number::Int(value.clamp(least, most))
    }

    /// Its elements.
    pub fn elements(self) -> Result<u64, Failure> {
        let reason = || Failure::Reason("the size of a buffer is open".to_string());
        self.len.ok_or_else(reason)
    }
}

/// A sum shifted down, the half rounded up.
pub(super) fn rounded_shift(sum: i64, shift: u32) -> i64 {
    match shift {
        0 => sum,
        _ => sum.wrapping_add(1 << (shift - 1)) >> shift,
    }
}

impl Failure {
    /// The fault of a core that called `name`.
    pub fn fault(self, name: &str) -> CoreFault {
        match self {
            Self::Memory(address) => no_memory(address),
            Self::Reason(reason) => CoreFault::Kernel {
                name: name.to_string(),
                reason,
            },
        }
    }
}
