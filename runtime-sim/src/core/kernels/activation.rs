//! Built-in activations and norms on floats (mlir-aie: aie_kernels/activations, norm). The library has tables
//! and approximations of the vector unit; these compute in f32 and round where they store.

use super::KernelArguments;
use super::number::{Done, Failure, Number};
use super::style::Style;
use crate::core::cost::kernel_elements;

/// Added to a variance by norms (mlir-aie: layer_norm.cc, rms_norm.cc).
const EPSILON: f32 = 1e-5;

impl KernelArguments<'_, '_> {
    /// `f(in, out)` over all elements of `out`.
    fn map(&mut self, compute: fn(f32) -> f32, style: Style) -> Done {
        let (input, output) = (self.buffer(0)?, self.buffer(1)?);
        let count = output.elements()?;
        for i in 0..count {
            let value = compute(self.get(input, i)?.float());
            self.set(output, i, Number::Float(value))?;
        }
        Ok(kernel_elements(count, style.vector))
    }

    /// The first elements of argument 0, of which there must be some.
    fn row(&mut self, count: u64) -> Done<Vec<f32>> {
        let input = self.buffer(0)?;
        if count == 0 {
            return Err(Failure::Reason("there are no elements".to_string()));
        }
        let values = (0..count).map(|i| Ok(self.get(input, i)?.float()));
        values.collect()
    }

    /// Stores a row in argument 1.
    fn set_row(&mut self, values: impl Iterator<Item = f32>) -> Done<()> {
        let output = self.buffer(1)?;
        for (value, i) in values.zip(0..) {
            self.set(output, i, Number::Float(value))?;
        }
        Ok(())
    }
}

fn silu_of(x: f32) -> f32 {
    x / (1.0 + (-x).exp())
}

/// By the hyperbolic tangent, as in the library.
fn gelu_of(x: f32) -> f32 {
    const CUBIC: f32 = 0.044_715;
    let inner = (2.0 / std::f32::consts::PI).sqrt() * (x + CUBIC * x * x * x);
    0.5 * x * (1.0 + inner.tanh())
}

pub(super) fn exp(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    call.map(f32::exp, style)
}

/// `exp2f_vec_f32(in, out, count)`: 2 to the power of each element of a row.
pub(super) fn exp2(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    let count = call.count(2)?;
    let row = call.row(count)?;
    call.set_row(row.into_iter().map(f32::exp2))?;
    Ok(kernel_elements(count, style.vector))
}

pub(super) fn silu(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    call.map(silu_of, style)
}

pub(super) fn gelu(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    call.map(gelu_of, style)
}

/// `mm_activation_epilogue_row(in, out, count, mode)`: nothing, silu (1) or gelu (2) of a row.
pub(super) fn epilogue(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    const SILU: i64 = 1;
    const GELU: i64 = 2;
    let count = call.count(2)?;
    let compute = match call.integer(3)? {
        SILU => silu_of,
        GELU => gelu_of,
        _ => |x| x,
    };
    let row = call.row(count)?;
    call.set_row(row.into_iter().map(compute))?;
    Ok(kernel_elements(count, style.vector))
}

/// `swiglu_bf16(in, w1, w2, out)`: in · w1 · silu(in · w2)
pub(super) fn swiglu(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    let (input, output) = (call.buffer(0)?, call.buffer(3)?);
    let (first, second) = (call.buffer(1)?, call.buffer(2)?);
    let count = output.elements()?;
    for i in 0..count {
        let x = call.get(input, i)?.float();
        let (a, b) = (call.get(first, i)?.float(), call.get(second, i)?.float());
        call.set(output, i, Number::Float(x * a * silu_of(x * b)))?;
    }
    Ok(kernel_elements(count, style.vector))
}

/// `softmax_bf16(in, out, count)`
pub(super) fn softmax(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    let count = call.count(2)?;
    let row = call.row(count)?;
    let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let powers: Vec<f32> = row.iter().map(|x| (x - most).exp()).collect();
    let sum: f32 = powers.iter().sum();
    call.set_row(powers.iter().map(|power| power / sum))?;
    Ok(kernel_elements(count, style.vector))
}

/// `rms_norm(in, out, columns)` of a row.
pub(super) fn rms_norm(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    let count = call.count(2)?;
    let row = call.row(count)?;
    let squares: f32 = row.iter().map(|x| x * x).sum();
    let scale = 1.0 / (squares / count as f32 + EPSILON).sqrt();
    call.set_row(row.iter().map(|x| x * scale))?;
    Ok(kernel_elements(count, style.vector))
}

/// `layer_norm(in, out, columns)` of a row.
pub(super) fn layer_norm(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    let count = call.count(2)?;
    let row = call.row(count)?;
    let mean = row.iter().sum::<f32>() / count as f32;
    let variance = row.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / count as f32;
    let scale = 1.0 / (variance + EPSILON).sqrt();
    call.set_row(row.iter().map(|x| (x - mean) * scale))?;
    Ok(kernel_elements(count, style.vector))
}

/// `rope(in, angles, out, count)`: pairs of elements are turned by the angles whose cosines and sines follow
/// one another.
pub(super) fn rope(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    let (input, angles, output) = (call.buffer(0)?, call.buffer(1)?, call.buffer(2)?);
    let count = call.count(3)?;
    for even in (0..count).step_by(2) {
        let (x, y) = (
            call.get(input, even)?.float(),
            call.get(input, even + 1)?.float(),
        );
        let (cos, sin) = (
            call.get(angles, even)?.float(),
            call.get(angles, even + 1)?.float(),
        );
        call.set(output, even, Number::Float(x * cos - y * sin))?;
        call.set(output, even + 1, Number::Float(x * sin + y * cos))?;
    }
    Ok(kernel_elements(count, style.vector))
}
