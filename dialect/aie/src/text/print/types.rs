//! Text of types.

use std::fmt;

use super::attrs::{WithoutType, dimension};
use crate::ir::{FunctionType, Signedness, Type};

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Index => f.write_str("index"),
            Type::None => f.write_str("none"),
            Type::Int { width, sign } => {
                let prefix = match sign {
                    Signedness::Signless => "i",
                    Signedness::Signed => "si",
                    Signedness::Unsigned => "ui",
                };
                write!(f, "{prefix}{width}")
            }
            Type::Float(kind) => f.write_str(kind.name()),
            Type::Complex(elem) => write!(f, "complex<{elem}>"),
            Type::MemRef(m) => {
                f.write_str("memref<")?;
                shape(f, &m.shape, &[])?;
                write!(f, "{}", m.elem)?;
                if let Some(layout) = &m.layout {
                    write!(f, ", {layout}")?;
                }
                if let Some(space) = &m.space {
                    write!(f, ", {}", WithoutType(space))?;
                }
                f.write_str(">")
            }
            Type::UnrankedMemRef(elem) => write!(f, "memref<*x{elem}>"),
            Type::Vector(v) => {
                f.write_str("vector<")?;
                shape(f, &v.shape, &v.scalable)?;
                write!(f, "{}>", v.elem)
            }
            Type::Tensor(t) => {
                f.write_str("tensor<")?;
                shape(f, &t.shape, &[])?;
                write!(f, "{}", t.elem)?;
                if let Some(encoding) = &t.encoding {
                    write!(f, ", {encoding}")?;
                }
                f.write_str(">")
            }
            Type::UnrankedTensor(elem) => write!(f, "tensor<*x{elem}>"),
            Type::Function(function) => write!(f, "{function}"),
            Type::Tuple(types) => {
                f.write_str("tuple<")?;
                list(f, types)?;
                f.write_str(">")
            }
            Type::ObjectFifo(elem) => write!(f, "!aie.objectfifo<{elem}>"),
            Type::ObjectFifoSubview(elem) => write!(f, "!aie.objectfifosubview<{elem}>"),
            Type::Opaque(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for FunctionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        list(f, &self.inputs)?;
        f.write_str(") -> ")?;
        match &self.results[..] {
            [one] if !matches!(one, Type::Function(_)) => write!(f, "{one}"),
            many => {
                f.write_str("(")?;
                list(f, many)?;
                f.write_str(")")
            }
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, types: &[Type]) -> fmt::Result {
    for (n, ty) in types.iter().enumerate() {
        let comma = if n > 0 { ", " } else { "" };
        write!(f, "{comma}{ty}")?;
    }
    Ok(())
}

fn shape(f: &mut fmt::Formatter<'_>, shape: &[i64], scalable: &[bool]) -> fmt::Result {
    for (n, size) in shape.iter().enumerate() {
        if scalable.get(n).copied().unwrap_or(false) {
            write!(f, "[{size}]x")?;
        } else {
            write!(f, "{}x", dimension(*size))?;
        }
    }
    Ok(())
}
