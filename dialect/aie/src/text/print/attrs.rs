//! Text of attributes.

use std::fmt::{self, Write as _};

use super::floats::write_float;
use crate::ir::{
    AffineExpr, AffineMap, Attr, BdDim, BdPad, DYNAMIC, DenseElements, FloatKind, SymbolRef, Type,
};

/// Lists longer than this are printed as one hex string, as MLIR does.
const MAX_LISTED_ELEMENTS: usize = 100;

/// An attribute without the type that MLIR leaves out in lists: `i64` and `f64`.
pub(super) struct WithoutType<'a>(pub(super) &'a Attr);

impl fmt::Display for WithoutType<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Attr::Int(value, Type::I64) => write!(f, "{value}"),
            Attr::Float(bits, ty @ Type::Float(FloatKind::F64)) => write_float(f, *bits, ty),
            other => write!(f, "{other}"),
        }
    }
}

impl fmt::Display for Attr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Attr::Unit => f.write_str("unit"),
            Attr::Bool(value) => write!(f, "{value}"),
            Attr::Int(value, ty) => write!(f, "{} : {ty}", unsigned(*value, ty)),
            Attr::WideInt(value, ty) => write!(f, "{} : {ty}", wide(**value, ty)),
            Attr::Float(bits, ty) => {
                write_float(f, *bits, ty)?;
                write!(f, " : {ty}")
            }
            Attr::Str(text) => write!(f, "\"{}\"", escape(text)),
            Attr::Symbol(symbol) => write!(f, "{symbol}"),
            Attr::Type(ty) => write!(f, "{ty}"),
            Attr::Array(list) => {
                f.write_str("[")?;
                separated(f, list.iter().map(WithoutType))?;
                f.write_str("]")
            }
            Attr::Dict(entries) => {
                f.write_str("{")?;
                for (n, (key, value)) in entries.iter().enumerate() {
                    let mut text = String::new();
                    write_key(&mut text, key);
                    write!(f, "{}{text}", if n > 0 { ", " } else { "" })?;
                    if *value != Attr::Unit {
                        write!(f, " = {value}")?;
                    }
                }
                f.write_str("}")
            }
            Attr::DenseArray(array) => {
                write!(f, "array<{}", array.elem)?;
                for (n, value) in array.values.iter().enumerate() {
                    f.write_str(if n > 0 { ", " } else { ": " })?;
                    match &array.elem {
                        Type::Int { width: 1, .. } => write!(f, "{}", *value != 0)?,
                        ty if ty.is_float() => write_float(f, *value as u64, ty)?,
                        ty => write!(f, "{}", unsigned(*value, ty))?,
                    }
                }
                f.write_str(">")
            }
            Attr::Dense(dense) => {
                write_dense(f, dense)?;
                write!(f, " : {}", dense.ty)
            }
            Attr::DenseResource(key, ty) => write!(f, "dense_resource<{key}> : {ty}"),
            Attr::AffineMap(map) => write!(f, "affine_map<{map}>"),
            Attr::AffineSet(text) => write!(f, "affine_set<{text}>"),
            Attr::Strided { strides, offset } => {
                f.write_str("strided<[")?;
                separated(f, strides.iter().map(|s| dimension(*s)))?;
                f.write_str("]")?;
                if *offset != 0 {
                    write!(f, ", offset: {}", dimension(*offset))?;
                }
                f.write_str(">")
            }
            Attr::Packet(p) => write!(
                f,
                "#aie.packet_info<pkt_type = {}, pkt_id = {}>",
                p.pkt_type, p.pkt_id
            ),
            Attr::BdDims(dims) => {
                f.write_str("#aie<bd_dim_layout_array")?;
                write_dims(f, dims)?;
                f.write_str(">")
            }
            Attr::BdDimsArray(lists) => {
                f.write_str("#aie<bd_dim_layout_array_array[")?;
                for (n, dims) in lists.iter().enumerate() {
                    f.write_str(if n > 0 { ", " } else { "" })?;
                    write_dims(f, dims)?;
                }
                f.write_str("]>")
            }
            Attr::BdPads(pads) => {
                f.write_str("#aie<bd_pad_layout_array")?;
                write_pads(f, pads)?;
                f.write_str(">")
            }
            Attr::BdPadsArray(lists) => {
                f.write_str("#aie<bd_pad_layout_array_array[")?;
                for (n, pads) in lists.iter().enumerate() {
                    f.write_str(if n > 0 { ", " } else { "" })?;
                    write_pads(f, pads)?;
                }
                f.write_str("]>")
            }
            Attr::BdIteration(i) => write!(
                f,
                "#aie.bd_iteration<size = {}, stride = {}, current = {}>",
                i.size, i.stride, i.current
            ),
            Attr::Opaque(text) => f.write_str(text),
        }
    }
}

/// An integer as its type reads it.
fn unsigned(value: i64, ty: &Type) -> String {
    match ty.bit_width() {
        Some(64) if ty.is_unsigned() => (value as u64).to_string(),
        _ => wide(value.into(), ty),
    }
}

/// An integer extended to 128 bits, with the sign that its type gives it.
fn wide(value: i128, ty: &Type) -> String {
    if ty.is_unsigned() {
        (value as u128).to_string()
    } else {
        value.to_string()
    }
}

/// `[<size = 8, stride = 4>]`
pub(crate) fn write_dims(f: &mut impl fmt::Write, dims: &[BdDim]) -> fmt::Result {
    f.write_char('[')?;
    for (n, dim) in dims.iter().enumerate() {
        let comma = if n > 0 { ", " } else { "" };
        write!(f, "{comma}<size = {}, stride = {}>", dim.size, dim.stride)?;
    }
    f.write_char(']')
}

/// `[<const_pad_before = 2, const_pad_after = 1>]`
pub(crate) fn write_pads(f: &mut impl fmt::Write, pads: &[BdPad]) -> fmt::Result {
    f.write_char('[')?;
    for (n, pad) in pads.iter().enumerate() {
        let comma = if n > 0 { ", " } else { "" };
        let (before, after) = (pad.before, pad.after);
        write!(
            f,
            "{comma}<const_pad_before = {before}, const_pad_after = {after}>"
        )?;
    }
    f.write_char(']')
}

fn separated<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    items: impl Iterator<Item = T>,
) -> fmt::Result {
    for (n, item) in items.enumerate() {
        write!(f, "{}{item}", if n > 0 { ", " } else { "" })?;
    }
    Ok(())
}

/// A size, stride or offset; `?` for a dynamic one.
pub(super) fn dimension(value: i64) -> String {
    if value == DYNAMIC {
        "?".to_string()
    } else {
        value.to_string()
    }
}

impl fmt::Display for SymbolRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, name) in self.path.iter().enumerate() {
            let mut text = String::new();
            write_symbol(&mut text, name);
            write!(f, "{}{text}", if n > 0 { "::" } else { "" })?;
        }
        Ok(())
    }
}

/// `@name` or `@"strange name"`.
pub(crate) fn write_symbol(out: &mut String, name: &str) {
    out.push('@');
    if is_bare_id(name) {
        out.push_str(name);
    } else {
        let _ = write!(out, "\"{}\"", escape(name));
    }
}

/// An attribute's key, quoted if it must be.
pub(crate) fn write_key(out: &mut String, key: &str) {
    if is_bare_id(key) {
        out.push_str(key);
    } else {
        let _ = write!(out, "\"{}\"", escape(key));
    }
}

/// Whether a text can be without quotes.
pub(crate) fn is_bare_id(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_$.".contains(&b))
}

/// A string as it is between quotes.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b'"' => out.push_str("\\22"),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\{byte:02X}");
            }
        }
    }
    out
}

/// Whether a string is between quotes as it is.
pub(super) fn is_plain(text: &str) -> bool {
    text.bytes()
        .all(|b| matches!(b, b' '..=b'~') && b != b'\\' && b != b'"')
}

/// An integer in decimal, without the detour through a formatter.
pub(super) fn write_int(out: &mut String, value: i64) {
    if value < 0 {
        out.push('-');
    }
    let mut left = value.unsigned_abs();
    let mut power = 1;
    while left / power >= 10 {
        power *= 10;
    }
    while power > 0 {
        out.push(char::from(b'0' + (left / power) as u8));
        left %= power;
        power /= 10;
    }
}

/// `dense<…>` without its type.
pub(crate) fn write_dense(f: &mut impl fmt::Write, dense: &DenseElements) -> fmt::Result {
    let (shape, elem) = match &dense.ty {
        Type::MemRef(m) => (&m.shape, &m.elem),
        Type::Tensor(t) => (&t.shape, &t.elem),
        Type::Vector(v) => (&v.shape, &v.elem),
        _ => return f.write_str("dense<>"),
    };
    let size = elem.elem_bytes().unwrap_or(1) as usize;
    let count = dense.bytes.len() / size.max(1);
    f.write_str("dense<")?;
    if !dense.splat && count > MAX_LISTED_ELEMENTS {
        f.write_str("\"0x")?;
        for byte in &dense.bytes {
            write!(f, "{byte:02X}")?;
        }
        f.write_char('"')?;
    } else if dense.splat || count == 1 {
        write_element(f, &dense.bytes, elem)?;
    } else if count > 0 {
        let mut at = 0;
        write_level(f, dense, shape, elem, size, &mut at)?;
    }
    f.write_char('>')
}

fn write_level(
    f: &mut impl fmt::Write,
    dense: &DenseElements,
    shape: &[i64],
    elem: &Type,
    size: usize,
    at: &mut usize,
) -> fmt::Result {
    let Some((first, inner)) = shape.split_first() else {
        let bytes = dense.bytes.get(*at..*at + size).unwrap_or(&[]);
        *at += size;
        return write_element(f, bytes, elem);
    };
    f.write_char('[')?;
    for n in 0..*first {
        if n > 0 {
            f.write_str(", ")?;
        }
        write_level(f, dense, inner, elem, size, at)?;
    }
    f.write_char(']')
}

fn write_element(f: &mut impl fmt::Write, bytes: &[u8], elem: &Type) -> fmt::Result {
    match elem {
        Type::Complex(part) => {
            let (re, im) = bytes.split_at(bytes.len() / 2);
            f.write_char('(')?;
            write_element(f, re, part)?;
            f.write_char(',')?;
            write_element(f, im, part)?;
            f.write_char(')')
        }
        Type::Float(kind) => {
            let bits = super::floats::double_of_bytes(bytes, *kind);
            write_float(f, bits, elem)
        }
        Type::Int { width: 1, .. } => write!(f, "{}", bytes.first().is_some_and(|b| *b != 0)),
        _ => {
            let negative = !elem.is_unsigned() && bytes.last().is_some_and(|b| *b >= 0x80);
            let mut all = [if negative { 0xff } else { 0 }; 16];
            for (to, from) in all.iter_mut().zip(bytes) {
                *to = *from;
            }
            f.write_str(&wide(i128::from_le_bytes(all), elem))
        }
    }
}

impl fmt::Display for AffineMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        separated(f, (0..self.dims).map(|n| format!("d{n}")))?;
        f.write_str(")")?;
        if self.symbols > 0 {
            f.write_str("[")?;
            separated(f, (0..self.symbols).map(|n| format!("s{n}")))?;
            f.write_str("]")?;
        }
        f.write_str(" -> (")?;
        separated(f, self.results.iter())?;
        f.write_str(")")
    }
}

impl fmt::Display for AffineExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_affine(f, self, false, &|n| format!("d{n}"), &|n| format!("s{n}"))
    }
}

/// An expression, with these texts for dimensions and symbols; sums inside products get
/// parentheses, differences are written as such.
pub(crate) fn write_affine(
    f: &mut impl fmt::Write,
    expr: &AffineExpr,
    inside: bool,
    dim: &dyn Fn(u32) -> String,
    symbol: &dyn Fn(u32) -> String,
) -> fmt::Result {
    use AffineExpr as E;
    let binary = match expr {
        E::Dim(n) => return f.write_str(&dim(*n)),
        E::Symbol(n) => return f.write_str(&symbol(*n)),
        E::Const(c) => return write!(f, "{c}"),
        E::Mul(a, b) if **b == E::Const(-1) && !matches!(**a, E::Const(_)) => {
            f.write_str("-")?;
            return write_affine(f, a, true, dim, symbol);
        }
        E::Add(a, b) => return write_sum(f, a, b, inside, dim, symbol),
        E::Mul(a, b) => (a, " * ", b),
        E::Mod(a, b) => (a, " mod ", b),
        E::FloorDiv(a, b) => (a, " floordiv ", b),
        E::CeilDiv(a, b) => (a, " ceildiv ", b),
    };
    if inside {
        f.write_char('(')?;
    }
    write_affine(f, binary.0, true, dim, symbol)?;
    f.write_str(binary.1)?;
    write_affine(f, binary.2, true, dim, symbol)?;
    if inside {
        f.write_char(')')?;
    }
    Ok(())
}

fn write_sum(
    f: &mut impl fmt::Write,
    a: &AffineExpr,
    b: &AffineExpr,
    inside: bool,
    dim: &dyn Fn(u32) -> String,
    symbol: &dyn Fn(u32) -> String,
) -> fmt::Result {
    use AffineExpr as E;
    if inside {
        f.write_char('(')?;
    }
    write_affine(f, a, false, dim, symbol)?;
    match b {
        E::Const(c) if *c < 0 && *c != i64::MIN => write!(f, " - {}", -c)?,
        E::Mul(x, factor) => match **factor {
            E::Const(-1) => {
                f.write_str(" - ")?;
                write_affine(f, x, matches!(**x, E::Add(..)), dim, symbol)?;
            }
            E::Const(c) if c < -1 && c != i64::MIN => {
                f.write_str(" - ")?;
                write_affine(f, x, true, dim, symbol)?;
                write!(f, " * {}", -c)?;
            }
            _ => {
                f.write_str(" + ")?;
                write_affine(f, b, false, dim, symbol)?;
            }
        },
        _ => {
            f.write_str(" + ")?;
            write_affine(f, b, false, dim, symbol)?;
        }
    }
    if inside {
        f.write_char(')')?;
    }
    Ok(())
}
