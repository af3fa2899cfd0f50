//! Built-in kernels on matrices. The library fixes the sizes when it is compiled; here they follow
//! from the sizes of the three buffers.

use aiec_device::Arch;
use aiec_vcode::{ElementType, product_sides};

use super::KernelArguments;
use super::number::{Buffer, Done, Failure, Number};
use super::style::Style;
use crate::core::cost::{kernel_elements, kernel_products};

/// The blocks for elements of A and B: rows of A, columns of A, columns of B.
fn blocks(arch: Arch, element: ElementType) -> Option<[u64; 3]> {
    match element {
        ElementType::Int { width, .. } => arch.product_blocks(width.into(), false),
        ElementType::Bf16 => arch.product_blocks(16, true),
        _ => None,
    }
}

/// Sides of a product: A has m rows and k columns, B k rows and n columns.
#[derive(Clone, Copy, Debug)]
struct Sides {
    m: u64,
    k: u64,
    n: u64,
}

/// The sides from the elements of A (m·k), B (k·n) and C (m·n).
fn sides(a: u64, b: u64, c: u64) -> Option<Sides> {
    product_sides(a, b, c).map(|[m, k, n]| Sides { m, k, n })
}

fn matrices(call: &KernelArguments<'_, '_>) -> Result<(Buffer, Buffer, Buffer, Sides), Failure> {
    let (a, b, c) = (call.buffer(0)?, call.buffer(1)?, call.buffer(2)?);
    let found = sides(a.elements()?, b.elements()?, c.elements()?);
    let reason = || Failure::Reason("the buffers have no sizes of three matrices".to_string());
    Ok((a, b, c, found.ok_or_else(reason)?))
}

/// A product of matrices that lie in rows, c += a · b; sums have the type of C.
#[derive(Clone, Copy, Debug)]
pub(super) struct MatrixProduct {
    a: Buffer,
    b: Buffer,
    c: Buffer,
    sides: Sides,
}

/// The product of the three buffers of a call.
pub(super) fn product(call: &KernelArguments<'_, '_>) -> Result<MatrixProduct, Failure> {
    let (a, b, c, sides) = matrices(call)?;
    Ok(MatrixProduct { a, b, c, sides })
}

impl MatrixProduct {
    /// Products in the sum of an element.
    pub fn terms(&self) -> u64 {
        self.sides.k
    }

    /// The sum for an element of C, in rows; `None` after the last.
    pub fn sum(&self, call: &mut KernelArguments<'_, '_>, element: u64) -> Done<Option<Number>> {
        let Sides { m, k, n } = self.sides;
        let (i, j) = (element / n, element % n);
        if i >= m {
            return Ok(None);
        }
        let mut sum = self.held(Number::Int(0));
        for l in 0..k {
            let (x, y) = (call.get(self.a, i * k + l)?, call.get(self.b, l * n + j)?);
            sum = self.held(sum.add(x.mul(y)));
        }
        Ok(Some(sum))
    }

    /// A number as a variable of C's type holds it: the library keeps its sums in such variables.
    pub fn held(&self, value: Number) -> Number {
        held(self.c, value)
    }

    /// Adds a sum to an element of C.
    pub fn add_to_c(
        &self,
        call: &mut KernelArguments<'_, '_>,
        element: u64,
        sum: Number,
    ) -> Done<()> {
        let before = call.get(self.c, element)?;
        call.set(self.c, element, before.add(sum))
    }
}

/// `matmul_scalar_IN_OUT(a, b, c)`: c += a · b, all in rows.
pub(super) fn matmul_scalar(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    let product = product(call)?;
    let mut element = 0;
    while let Some(sum) = product.sum(call, element)? {
        product.add_to_c(call, element, sum)?;
        element += 1;
    }
    let products = element * product.terms();
    Ok(kernel_products(
        style.arch,
        product.a.element,
        products,
        false,
    ))
}

/// A number as a variable of the buffer's element type holds it.
fn held(buffer: Buffer, value: Number) -> Number {
    match (buffer.element, value) {
        (ElementType::Int { width, .. }, Number::Int(value)) if width < 64 => {
            let unused = 64 - u32::from(width);
            Number::Int(if buffer.element.is_unsigned() {
                ((value as u64) << unused >> unused) as i64
            } else {
                value << unused >> unused
            })
        }
        (ElementType::Bf16, Number::Float(value)) => {
            Number::Float(half::bf16::from_f32(value).to_f32())
        }
        (ElementType::F16, Number::Float(value)) => {
            Number::Float(half::f16::from_f32(value).to_f32())
        }
        (element, Number::Int(value)) if element.is_float() => Number::Float(value as f32),
        _ => value,
    }
}

/// `matmul_IN_OUT(a, b, c)`: c += a · b. Each matrix is cut into blocks (r × s, s × t, r × t);
/// blocks follow one another in rows, and so do the elements of a block.
pub(super) fn matmul(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    let (a, b, c, Sides { m, k, n }) = matrices(call)?;
    let no_blocks = || {
        let (arch, element) = (style.arch.name(), a.element);
        Failure::Reason(format!(
            "the library has no product of {element} for {arch}"
        ))
    };
    let [r, s, t] = blocks(style.arch, a.element).ok_or_else(no_blocks)?;
    if !m.is_multiple_of(r) || !k.is_multiple_of(s) || !n.is_multiple_of(t) {
        let reason = format!(
            "matrices of {m}x{k} and {k}x{n} don't divide into blocks of {r}x{s} and {s}x{t}, \
             which this kernel works on"
        );
        return Err(Failure::Reason(reason));
    }
    // Where the element of a row and a column is, in blocks of some rows and columns.
    let at = |row: u64, column: u64, columns: u64, (rows, wide): (u64, u64)| {
        let block = (row / rows) * (columns / wide) + column / wide;
        block * rows * wide + (row % rows) * wide + column % wide
    };
    for i in 0..m {
        for j in 0..n {
            let place = at(i, j, n, (r, t));
            let mut sum = call.get(c, place)?;
            for l in 0..k {
                let product = call
                    .get(a, at(i, l, k, (r, s)))?
                    .mul(call.get(b, at(l, j, n, (s, t)))?);
                sum = sum.add(product);
            }
            call.set(c, place, sum)?;
        }
    }
    Ok(kernel_products(style.arch, a.element, m * k * n, true))
}

/// `matvec_scalar_IN_OUT(a, b, c)`: c += a · b, the matrix in rows; with `vectorized` the matrix is
/// transposed in words of 32 bits, that is two elements.
pub(super) fn matvec(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    /// Elements of a 32-bit word.
    const PAIR: u64 = 2;
    let (a, b, c) = (call.buffer(0)?, call.buffer(1)?, call.buffer(2)?);
    let (m, k) = (c.elements()?, b.elements()?);
    if a.elements()? != m.saturating_mul(k) {
        let reason = "the sizes of the matrix and the two vectors don't agree".to_string();
        return Err(Failure::Reason(reason));
    }
    for i in 0..m {
        let mut sum = call.get(c, i)?;
        for l in 0..k {
            let place = if style.vector {
                (l / PAIR) * PAIR * m + i * PAIR + l % PAIR
            } else {
                i * k + l
            };
            sum = sum.add(call.get(a, place)?.mul(call.get(b, l)?));
        }
        call.set(c, i, sum)?;
    }
    Ok(kernel_elements(m * k, style.vector))
}
