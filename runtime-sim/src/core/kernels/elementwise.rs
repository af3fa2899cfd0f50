//! Built-in kernels that take elements one by one: copies, sums, products, scaling, reductions.

use super::KernelArguments;
use super::number::{Done, Failure, Number};
use super::style::Style;
use crate::core::cost::kernel_elements;

/// An operation on two numbers.
type Binary = fn(Number, Number) -> Number;

impl KernelArguments<'_, '_> {
    /// One result for each of the first elements of two buffers.
    fn pairs(&mut self, compute: Binary, count: u64, style: Style) -> Done {
        let (a, b, c) = (self.buffer(0)?, self.buffer(1)?, self.buffer(2)?);
        for i in 0..count {
            let value = compute(self.get(a, i)?, self.get(b, i)?);
            self.set(c, i, value)?;
        }
        Ok(kernel_elements(count, style.vector))
    }

    /// `f(a, b, out)` over all elements of `out`, or `f(a, b, out, count)`.
    fn whole_pairs(&mut self, compute: Binary, style: Style) -> Done {
        let count = match self.values.len() {
            4 => self.count(3)?,
            _ => self.buffer(2)?.elements()?,
        };
        self.pairs(compute, count, style)
    }

    /// Elements of a line (`width`) or a tile (`height, width`) whose size begins at argument `n`.
    pub(super) fn area(&self, n: usize, tile: bool) -> Result<u64, Failure> {
        if tile {
            Ok(self.count(n)?.saturating_mul(self.count(n + 1)?))
        } else {
            self.count(n)
        }
    }

    /// `f(in, out, count)`: one result of a number of elements.
    fn reduce(&mut self, compute: Binary, style: Style) -> Done {
        let (input, output, count) = (self.buffer(0)?, self.buffer(1)?, self.count(2)?);
        if count == 0 {
            return Err(Failure::Reason("there are no elements".to_string()));
        }
        let mut result = self.get(input, 0)?;
        for i in 1..count {
            result = compute(result, self.get(input, i)?);
        }
        self.set(output, 0, result)?;
        Ok(kernel_elements(count, style.vector))
    }
}

pub(super) fn add(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    call.whole_pairs(Number::add, style)
}

pub(super) fn mul(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    call.whole_pairs(Number::mul, style)
}

/// `eltwise_mul_add(a, b, out, is_mul)`: one of the two.
pub(super) fn mul_add(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    let compute = match call.integer(3)? {
        0 => Number::add,
        _ => Number::mul,
    };
    let count = call.buffer(2)?.elements()?;
    call.pairs(compute, count, style)
}

/// `compute_max(a, b, out)` of the first elements.
pub(super) fn compute_max(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    call.pairs(Number::max, 1, style)
}

/// `compute_min(a, b, out)` of the first elements.
pub(super) fn compute_min(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    call.pairs(Number::min, 1, style)
}

pub(super) fn reduce_add(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    call.reduce(Number::add, style)
}

pub(super) fn reduce_min(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    call.reduce(Number::min, style)
}

pub(super) fn reduce_max(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    call.reduce(Number::max, style)
}

/// `passThroughLine(in, out, width)`, `passThroughTile(in, out, height, width)`; `cast_f32_bf16_row(in, out, columns)`,
/// where the store rounds.
pub(super) fn pass_through(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    let (input, output) = (call.buffer(0)?, call.buffer(1)?);
    let count = call.area(2, style.tile)?;
    for i in 0..count {
        let value = call.get(input, i)?;
        call.set(output, i, value)?;
    }
    Ok(kernel_elements(count, true))
}

/// `row_wise_bias_add(in, bias, out)`: the bias is added to each row.
pub(super) fn add_row(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    let (input, bias, output) = (call.buffer(0)?, call.buffer(1)?, call.buffer(2)?);
    let (count, columns) = (output.elements()?, bias.elements()?);
    if columns == 0 {
        return Err(Failure::Reason("the bias has no elements".to_string()));
    }
    for i in 0..count {
        let value = call.get(input, i)?.add(call.get(bias, i % columns)?);
        call.set(output, i, value)?;
    }
    Ok(kernel_elements(count, style.vector))
}

/// `vector_scalar_mul(in, out, factor, count)`, the factor in a buffer.
pub(super) fn scale(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    let (input, output, factor) = (call.buffer(0)?, call.buffer(1)?, call.buffer(2)?);
    let count = call.count(3)?;
    let factor = call.get(factor, 0)?;
    for i in 0..count {
        let value = call.get(input, i)?.mul(factor);
        call.set(output, i, value)?;
    }
    Ok(kernel_elements(count, style.vector))
}

/// `bf16_relu(in, out)`, `relu_bf16_size(in, out, count)`.
pub(super) fn relu(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    let (input, output) = (call.buffer(0)?, call.buffer(1)?);
    let count = match call.values.len() {
        3 => call.count(2)?,
        _ => output.elements()?,
    };
    let zero = if input.element.is_float() {
        Number::Float(0.0)
    } else {
        Number::Int(0)
    };
    for i in 0..count {
        let value = call.get(input, i)?.max(zero);
        call.set(output, i, value)?;
    }
    Ok(kernel_elements(count, style.vector))
}

/// `zero(out)`
pub(super) fn zero(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    let output = call.buffer(0)?;
    let count = output.elements()?;
    for i in 0..count {
        call.set(output, i, Number::Int(0))?;
    }
    Ok(kernel_elements(count, style.vector))
}

/// `bitwiseORLine(a, b, out, width)` and its kin.
pub(super) fn bitwise_or(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    let count = call.area(3, style.tile)?;
    call.pairs(Number::or, count, style)
}

/// `bitwiseANDLine(a, b, out, width)` and its kin.
pub(super) fn bitwise_and(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    let count = call.area(3, style.tile)?;
    call.pairs(Number::and, count, style)
}

/// `thresholdLine(in, out, width, threshold, most, sort)` and its kin.
pub(super) fn threshold(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    /// Numbers of the sorts (mlir-aie: aie_kernels/vision/threshold.cc).
    const BINARY: i64 = 0;
    const BINARY_INVERTED: i64 = 1;
    const TO_ZERO: i64 = 3;
    const TO_ZERO_INVERTED: i64 = 4;
    let (input, output) = (call.buffer(0)?, call.buffer(1)?);
    let behind = 3 + usize::from(style.tile);
    let count = call.area(2, style.tile)?;
    let threshold = Number::Int(call.integer(behind)?);
    let most = Number::Int(call.integer(behind + 1)?);
    let sort = call.integer(behind + 2)?;
    let zero = Number::Int(0);
    for i in 0..count {
        let value = call.get(input, i)?;
        let above = value > threshold;
        let value = match (sort, above) {
            (BINARY, true) | (BINARY_INVERTED, false) => most,
            (BINARY, false) | (BINARY_INVERTED, true) => zero,
            (TO_ZERO, true) | (TO_ZERO_INVERTED, false) => value,
            (TO_ZERO, false) | (TO_ZERO_INVERTED, true) => zero,
            // All others truncate.
            _ => value.min(threshold),
        };
        call.set(output, i, value)?;
    }
    Ok(kernel_elements(count, true))
}
