//! Elements of host buffers: their types' names in MLIR and NumPy, and their values.

use std::fmt;

use half::{bf16, f16};

/// A type of elements.
#[derive(Clone, Copy, Debug)]
pub struct ElementType {
    /// Name in MLIR.
    pub name: &'static str,
    /// Size in bytes.
    pub bytes: usize,
    /// NumPy's descriptions of it, the one that is written first.
    pub npy: &'static [&'static str],
    /// Reads one; the slice has [`ElementType::bytes`] bytes.
    read: fn(&[u8]) -> Element,
}

/// The value of an element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Element {
    /// An integer.
    Int(i128),
    /// A float.
    Float(f64),
}

/// Little-endian bytes as an integer, sign-extended.
fn signed(bytes: &[u8]) -> Element {
    let negative = bytes.last().is_some_and(|last| last >> 7 == 1);
    let start = if negative { -1 } else { 0 };
    let bytes = bytes.iter().rev();
    Element::Int(bytes.fold(start, |value: i128, byte| value << 8 | i128::from(*byte)))
}

fn unsigned(bytes: &[u8]) -> Element {
    let bytes = bytes.iter().rev();
    Element::Int(bytes.fold(0, |value: i128, byte| value << 8 | i128::from(*byte)))
}

/// The bits of an element of at most 64 bits.
fn bits(bytes: &[u8]) -> u64 {
    let bytes = bytes.iter().rev();
    bytes.fold(0, |value, byte| value << 8 | u64::from(*byte))
}

macro_rules! types {
    ($($name:literal $bytes:literal [$($npy:literal),*] $read:expr;)*) => {
        &[$(ElementType {
            name: $name,
            bytes: $bytes,
            npy: &[$($npy),*],
            read: $read,
        }),*]
    };
}

// NumPy has no bf16; libraries save it as two raw bytes. Integers without sign may be either.
const TYPES: &[ElementType] = types! {
    "i1" 1 ["|b1", "|i1", "|u1"] unsigned;
    "i8" 1 ["|i1", "|u1"] signed;
    "si8" 1 ["|i1"] signed;
    "ui8" 1 ["|u1"] unsigned;
    "i16" 2 ["<i2", "<u2"] signed;
    "si16" 2 ["<i2"] signed;
    "ui16" 2 ["<u2"] unsigned;
    "i32" 4 ["<i4", "<u4"] signed;
    "si32" 4 ["<i4"] signed;
    "ui32" 4 ["<u4"] unsigned;
    "i64" 8 ["<i8", "<u8"] signed;
    "si64" 8 ["<i8"] signed;
    "ui64" 8 ["<u8"] unsigned;
    "bf16" 2 ["|V2", "<u2"] |bytes| Element::Float(bf16::from_bits(bits(bytes) as u16).to_f64());
    "f16" 2 ["<f2"] |bytes| Element::Float(f16::from_bits(bits(bytes) as u16).to_f64());
    "f32" 4 ["<f4"] |bytes| Element::Float(f32::from_bits(bits(bytes) as u32).into());
    "f64" 8 ["<f8"] |bytes| Element::Float(f64::from_bits(bits(bytes)));
};

impl ElementType {
    /// Bytes, where nothing is known of the type.
    pub const BYTE: &ElementType = &TYPES[3];

    /// The type with a name in MLIR.
    pub fn by_name(name: &str) -> Option<&'static ElementType> {
        TYPES.iter().find(|ty| ty.name == name)
    }

    /// The elements of a buffer; bytes after the last whole one are left out.
    pub fn elements(&'static self, bytes: &[u8]) -> impl Iterator<Item = Element> {
        bytes
            .chunks_exact(self.bytes)
            .map(|bytes| (self.read)(bytes))
    }
}

impl Element {
    /// Whether it is as expected: |it - expected| ≤ absolute + relative · |expected|, as
    /// `numpy.isclose` has it. NaN is expected where NaN is.
    pub fn is_close(self, expected: Element, tolerance: Tolerance) -> bool {
        let (actual, wanted) = match (self, expected) {
            (Element::Int(a), Element::Int(b)) if a == b => return true,
            (a, b) => (a.as_f64(), b.as_f64()),
        };
        if actual == wanted || (actual.is_nan() && wanted.is_nan()) {
            return true;
        }
        let Tolerance { relative, absolute } = tolerance;
        wanted.is_finite()
            && (actual - wanted).abs() <= absolute + relative * wanted.abs()
            && (relative > 0.0 || absolute > 0.0)
    }

    fn as_f64(self) -> f64 {
        match self {
            Element::Int(value) => value as f64,
            Element::Float(value) => value,
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Element::Int(value) => write!(f, "{value}"),
            Element::Float(value) => write!(f, "{value:?}"),
        }
    }
}

/// Tolerated difference of elements from the expected ones.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    /// In parts of the expected value.
    pub relative: f64,
    /// In units of the value.
    pub absolute: f64,
}

/// The elements that are not as expected.
#[derive(Debug, PartialEq)]
pub struct Difference {
    /// Number of expected elements that differ or are missing.
    pub count: usize,
    /// Number of expected elements.
    pub of: usize,
    /// The first ones: flat index, element if there is one, expected element.
    pub first: Vec<(usize, Option<Element>, Element)>,
}

/// Differences that are listed.
const MAX_LISTED: usize = 8;

/// Compares a buffer with an expected one; elements beyond those that are expected don't count.
pub fn compare(
    ty: &'static ElementType,
    actual: &[u8],
    expected: &[u8],
    tolerance: Tolerance,
) -> Option<Difference> {
    let mut found = Difference {
        count: 0,
        of: 0,
        first: Vec::new(),
    };
    let mut actual = ty.elements(actual);
    for (index, wanted) in ty.elements(expected).enumerate() {
        found.of += 1;
        let element = actual.next();
        if element.is_some_and(|element| element.is_close(wanted, tolerance)) {
            continue;
        }
        found.count += 1;
        if found.first.len() < MAX_LISTED {
            found.first.push((index, element, wanted));
        }
    }
    (found.count > 0).then_some(found)
}

/// `[1, 2]`: the index of an element in an array of a shape.
pub fn index_in(shape: &[u64], flat: usize) -> String {
    let mut rest = flat as u64;
    let mut parts: Vec<String> = Vec::new();
    for (place, extent) in shape.iter().enumerate().rev() {
        // An index past the end stays in the outermost extent.
        let part = match place {
            0 => rest,
            _ => rest % extent.max(&1),
        };
        parts.push(part.to_string());
        rest /= extent.max(&1);
    }
    parts.reverse();
    if parts.is_empty() {
        format!("[{flat}]")
    } else {
        format!("[{}]", parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(name: &str, bytes: &[u8]) -> Vec<Element> {
        let ty = ElementType::by_name(name).expect("a type");
        ty.elements(bytes).collect()
    }

    #[test]
    fn elements_have_their_values() {
        assert_eq!(
            values("i8", &[0xFF, 1]),
            [Element::Int(-1), Element::Int(1)]
        );
        assert_eq!(values("ui16", &[0xFF, 0xFF]), [Element::Int(0xFFFF)]);
        assert_eq!(
            values("i64", &[0xFE; 8]),
            [Element::Int(-0x0101_0101_0101_0102)]
        );
        assert_eq!(values("bf16", &[0xC0, 0x3F]), [Element::Float(1.5)]);
        assert_eq!(values("f16", &[0x00, 0xBC]), [Element::Float(-1.0)]);
        assert_eq!(
            values("f32", &1.25f32.to_le_bytes()),
            [Element::Float(1.25)]
        );
    }

    #[test]
    fn differences_are_counted_and_listed() {
        let ty = ElementType::by_name("f32").expect("a type");
        let bytes = |values: &[f32]| -> Vec<u8> {
            values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect()
        };
        let expected = bytes(&[1.0, 2.0, f32::NAN, 4.0]);
        let actual = bytes(&[1.0, 2.001, f32::NAN]);
        let exact = compare(ty, &actual, &expected, Tolerance::default()).expect("differences");
        assert_eq!((exact.count, exact.of), (2, 4));
        assert_eq!(exact.first[0].0, 1);
        assert_eq!(exact.first[1], (3, None, Element::Float(4.0)));
        let close = Tolerance {
            relative: 1e-3,
            absolute: 0.0,
        };
        let close = compare(ty, &actual, &expected, close).expect("one is missing");
        assert_eq!(close.count, 1);
    }

    #[test]
    fn indices_follow_the_shape() {
        assert_eq!(index_in(&[2, 3], 5), "[1, 2]");
        assert_eq!(index_in(&[4], 9), "[9]");
        assert_eq!(index_in(&[], 0), "[0]");
    }
}
