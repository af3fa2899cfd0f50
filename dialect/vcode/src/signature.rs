//! Signatures of the functions that a core program calls but doesn't contain.
//!
//! A program names them with their types, in the spelling of MLIR:
//! `scale(1024xi32,1024xi32,1xi32,i32)`, `dot(64xbf16,64xbf16)->f32`. The parentheses hold what is
//! passed: a buffer by its sizes (`?` where one is open) and the type of its elements, anything
//! else by its type. After the arrow is the result.

use std::fmt;

use super::MemoryType;

/// Type of a number that is passed, or of the elements of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementType {
    /// An integer of 1 to 64 bits.
    Int {
        /// Its bits.
        width: u8,
        /// Prefix of its text: `i`, `si` or `ui`.
        sign: Sign,
    },
    /// `index`: 64 bits in this machine.
    Index,
    /// `bf16`
    Bf16,
    /// `f16`
    F16,
    /// `f32`
    F32,
    /// `f64`
    F64,
}

/// Whether an integer type says how its highest bit is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sign {
    /// `i8`: it doesn't say.
    Signless,
    /// `si8`
    Signed,
    /// `ui8`
    Unsigned,
}

impl ElementType {
    /// The type of a text such as `i32`, `ui8` or `bf16`.
    pub fn parse(text: &str) -> Option<ElementType> {
        Some(match text {
            "index" => Self::Index,
            "bf16" => Self::Bf16,
            "f16" => Self::F16,
            "f32" => Self::F32,
            "f64" => Self::F64,
            _ => {
                let (sign, digits) = if let Some(digits) = text.strip_prefix("si") {
                    (Sign::Signed, digits)
                } else if let Some(digits) = text.strip_prefix("ui") {
                    (Sign::Unsigned, digits)
                } else {
                    (Sign::Signless, text.strip_prefix('i')?)
                };
                let width = digits.parse().ok()?;
                (1..=64)
                    .contains(&width)
                    .then_some(Self::Int { width, sign })?
            }
        })
    }

    /// Whether it is a floating-point format.
    pub fn is_float(self) -> bool {
        matches!(self, Self::Bf16 | Self::F16 | Self::F32 | Self::F64)
    }

    /// Whether it is an integer that is read without a sign.
    pub fn is_unsigned(self) -> bool {
        matches!(
            self,
            Self::Int {
                sign: Sign::Unsigned,
                ..
            }
        )
    }

    /// Representation in memory; `None` for integers of odd widths.
    pub fn memory(self) -> Option<MemoryType> {
        Some(match self {
            Self::Int { width: 1, .. } => MemoryType::I1,
            Self::Int { width: 8, .. } => MemoryType::I8,
            Self::Int { width: 16, .. } => MemoryType::I16,
            Self::Int { width: 32, .. } => MemoryType::I32,
            Self::Int { width: 64, .. } | Self::Index => MemoryType::I64,
            Self::Int { .. } => return None,
            Self::Bf16 => MemoryType::Bf16,
            Self::F16 => MemoryType::F16,
            Self::F32 => MemoryType::F32,
            Self::F64 => MemoryType::F64,
        })
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int { width, sign } => {
                let sign = match sign {
                    Sign::Signless => "i",
                    Sign::Signed => "si",
                    Sign::Unsigned => "ui",
                };
                write!(f, "{sign}{width}")
            }
            Self::Index => f.write_str("index"),
            Self::Bf16 => f.write_str("bf16"),
            Self::F16 => f.write_str("f16"),
            Self::F32 => f.write_str("f32"),
            Self::F64 => f.write_str("f64"),
        }
    }
}

/// Type of an argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ArgumentType {
    /// A number.
    Scalar(ElementType),
    /// A buffer, passed as the address of its first element.
    Buffer {
        /// Elements along each dimension, the slowest first; `None` where the size is open.
        shape: Vec<Option<u64>>,
        /// Type of the elements.
        element: ElementType,
    },
}

impl ArgumentType {
    fn parse(text: &str) -> Option<ArgumentType> {
        // No type of an element has the letter in it but `index`, which ends with it.
        let (shape, element) = match text {
            "index" => ("", text),
            _ => match text.strip_suffix("xindex") {
                Some(shape) => (shape, "index"),
                None => text.rsplit_once('x').unwrap_or(("", text)),
            },
        };
        let element = ElementType::parse(element)?;
        if shape.is_empty() {
            return Some(Self::Scalar(element));
        }
        let size = |size: &str| match size {
            "?" => Some(None),
            _ => size.parse().ok().map(Some),
        };
        let shape = shape.split('x').map(size).collect::<Option<_>>()?;
        Some(Self::Buffer { shape, element })
    }
}

impl fmt::Display for ArgumentType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(element) => write!(f, "{element}"),
            Self::Buffer { shape, element } => {
                for size in shape {
                    match size {
                        Some(size) => write!(f, "{size}x")?,
                        None => f.write_str("?x")?,
                    }
                }
                write!(f, "{element}")
            }
        }
    }
}

/// A function by its name and types.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Signature {
    /// Its name.
    pub name: String,
    /// Types of its arguments.
    pub arguments: Vec<ArgumentType>,
    /// Type of its result.
    pub result: Option<ElementType>,
}

impl Signature {
    /// Parses a signature; `None` for other texts.
    pub fn parse(text: &str) -> Option<Signature> {
        let (name, rest) = text.split_once('(')?;
        let (arguments, result) = rest.split_once(')')?;
        let result = match result {
            "" => None,
            _ => Some(ElementType::parse(result.strip_prefix("->")?)?),
        };
        let arguments = match arguments {
            "" => Vec::new(),
            _ => arguments
                .split(',')
                .map(ArgumentType::parse)
                .collect::<Option<_>>()?,
        };
        Some(Signature {
            name: name.to_string(),
            arguments,
            result,
        })
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.name)?;
        for (i, argument) in self.arguments.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            write!(f, "{comma}{argument}")?;
        }
        f.write_str(")")?;
        match self.result {
            Some(result) => write!(f, "->{result}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_come_back_as_they_were() {
        for text in [
            "f()",
            "scale(1024xi32,4x?xui8,1xi32,i32)",
            "dot(64xbf16,64xf16,f64,i1)->f32",
            "at(16xindex,index)->index",
            "with.dots(2x3x4xsi16)",
        ] {
            let signature = Signature::parse(text).unwrap();
            assert_eq!(signature.to_string(), text);
        }
        let scalar = Signature::parse("f(index,4xindex)").unwrap().arguments;
        let index = ElementType::Index;
        assert_eq!(scalar[0], ArgumentType::Scalar(index));
        let shape = vec![Some(4)];
        let element = index;
        assert_eq!(scalar[1], ArgumentType::Buffer { shape, element });
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "f",
            "f(",
            "f(x)",
            "f(i65)",
            "f(i0)",
            "f(4x)",
            "f(i32)->",
            "f(i32)i32",
            "f(i32,)",
            "f(-1xi32)",
            "f(memref)",
        ] {
            assert_eq!(Signature::parse(text), None, "{text}");
        }
    }
}
