//! `.npy` files (NumPy's array format, versions 1 to 3): the data of a host buffer with a type
//! and a shape. Only little-endian, C-ordered arrays of plain numbers.
//!
//! Source: `numpy: numpy/lib/format.py`.

use std::fmt::Write;

const MAGIC: &[u8] = b"\x93NUMPY";
/// The data start at a multiple of this, in bytes.
const ALIGNMENT: usize = 64;

/// Types of elements: NumPy's description and the size in bytes.
const TYPES: [(&str, usize); 13] = [
    ("|b1", 1),
    ("|i1", 1),
    ("|u1", 1),
    ("<i2", 2),
    ("<u2", 2),
    ("<f2", 2),
    ("<i4", 4),
    ("<u4", 4),
    ("<f4", 4),
    ("<i8", 8),
    ("<u8", 8),
    ("<f8", 8),
    // bf16 has no description of its own; libraries save it as two raw bytes
    ("|V2", 2),
];

/// An array: its bytes, little-endian, the last index fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// NumPy's description of the element type, for example `<i4`.
    pub descr: String,
    /// Extents, the outermost first; empty for a single number.
    pub shape: Vec<usize>,
    /// The elements.
    pub data: Vec<u8>,
}

/// Why a file is not usable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NpyError {
    /// It is something else.
    #[error("it does not start with the magic of a .npy file")]
    Magic,
    /// A header that this reader doesn't understand.
    #[error("its header is damaged or of an unknown version: {0}")]
    Header(String),
    /// A type that is not supported.
    #[error("its element type '{0}' is not a plain little-endian number")]
    Type(String),
    /// Fortran order.
    #[error("it is stored in Fortran order")]
    Order,
    /// Fewer or more bytes than the shape says.
    #[error("it holds {actual} bytes of data, and its shape needs {expected}")]
    Length {
        /// Bytes that the shape needs.
        expected: usize,
        /// Bytes in the file.
        actual: usize,
    },
}

impl Array {
    /// Reads a file's content.
    pub fn parse(bytes: &[u8]) -> Result<Array, NpyError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(NpyError::Magic)?;
        let damaged = || NpyError::Header("it ends early".into());
        let (version, rest) = rest.split_first_chunk::<2>().ok_or_else(damaged)?;
        let (length, rest) = match version[0] {
            1 => {
                let (length, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
                (usize::from(u16::from_le_bytes(*length)), rest)
            }
            2 | 3 => {
                let (length, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
                (u32::from_le_bytes(*length) as usize, rest)
            }
            major => return Err(NpyError::Header(format!("version {major}"))),
        };
        let (header, data) = rest.split_at_checked(length).ok_or_else(damaged)?;
        let header = String::from_utf8_lossy(header);
        let descr = field(&header, "descr")?;
        let descr = descr.trim_matches(['\'', '"']);
        let size = TYPES.iter().find(|(name, _)| *name == descr);
        let (_, size) = size.ok_or_else(|| NpyError::Type(descr.into()))?;
        if field(&header, "fortran_order")? != "False" {
            return Err(NpyError::Order);
        }
        let shape = parse_shape(field(&header, "shape")?)?;
        let elements = shape
            .iter()
            .try_fold(1usize, |product, extent| product.checked_mul(*extent));
        let expected = elements
            .and_then(|elements| elements.checked_mul(*size))
            .ok_or_else(|| NpyError::Header("the shape is too large".into()))?;
        if expected != data.len() {
            let actual = data.len();
            return Err(NpyError::Length { expected, actual });
        }
        let (descr, data) = (descr.to_string(), data.to_vec());
        Ok(Array { descr, shape, data })
    }

    /// The content of a file with this array.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut shape = String::new();
        for extent in &self.shape {
            let _ = write!(shape, "{extent}, ");
        }
        let shape = match self.shape.len() {
            1 => shape.trim_end().to_string(),
            _ => shape.trim_end_matches(", ").to_string(),
        };
        let descr = &self.descr;
        let mut header =
            format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}");
        let before = MAGIC.len() + 4;
        let unpadded = before + header.len() + 1;
        header += &" ".repeat(unpadded.next_multiple_of(ALIGNMENT) - unpadded);
        header.push('\n');
        let mut bytes = MAGIC.to_vec();
        // The header of a shape of up to a few thousand extents fits version 1's 16-bit length.
        match u16::try_from(header.len()) {
            Ok(length) => {
                bytes.extend([1, 0]);
                bytes.extend(length.to_le_bytes());
            }
            Err(_) => {
                bytes.extend([2, 0]);
                bytes.extend((header.len() as u32).to_le_bytes());
            }
        }
        bytes.extend(header.as_bytes());
        bytes.extend(&self.data);
        bytes
    }
}

/// The text of a value in the header, a Python dictionary literal.
fn field<'a>(header: &'a str, name: &str) -> Result<&'a str, NpyError> {
    let missing = || NpyError::Header(format!("no '{name}'"));
    let after = header
        .split_once(&format!("'{name}':"))
        .ok_or_else(missing)?;
    let value = after.1.trim_start();
    let end = if value.starts_with('(') {
        value.find(')').map(|at| at + 1)
    } else {
        value.find([',', '}'])
    };
    Ok(value[..end.ok_or_else(missing)?].trim())
}

fn parse_shape(text: &str) -> Result<Vec<usize>, NpyError> {
    let inner = text.trim_start_matches('(').trim_end_matches(')');
    let extents = inner
        .split(',')
        .map(str::trim)
        .filter(|extent| !extent.is_empty());
    extents
        .map(|extent| extent.parse())
        .collect::<Result<_, _>>()
        .map_err(|_| NpyError::Header(format!("shape '{text}'")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(descr: &str, shape: &[usize], bytes: usize) -> Array {
        Array {
            descr: descr.into(),
            shape: shape.to_vec(),
            data: (0..bytes).map(|b| b as u8).collect(),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for array in [
            array("<i4", &[16], 64),
            array("<f2", &[2, 3], 12),
            array("|u1", &[], 1),
            array("<i8", &[0, 4], 0),
        ] {
            let bytes = array.to_bytes();
            assert_eq!((bytes.len() - array.data.len()) % ALIGNMENT, 0);
            assert_eq!(Array::parse(&bytes), Ok(array));
        }
    }

    #[test]
    fn the_header_is_numpys() {
        let header = &array("<i4", &[16], 64).to_bytes()[10..];
        assert!(header.starts_with(b"{'descr': '<i4', 'fortran_order': False, 'shape': (16,), }"));
    }

    #[test]
    fn unusable_files_say_why() {
        let text = |bytes: &[u8]| Array::parse(bytes).map_err(|error| error.to_string());
        assert!(text(b"abc").unwrap_err().contains("magic"));
        let mut short = array("<i4", &[16], 64).to_bytes();
        short.pop();
        assert!(text(&short).unwrap_err().contains("63 bytes"));
        assert!(text(&short[..20]).unwrap_err().contains("ends early"));
        let big = array(">i4", &[16], 64).to_bytes();
        assert!(text(&big).unwrap_err().contains("'>i4'"));
    }
}
