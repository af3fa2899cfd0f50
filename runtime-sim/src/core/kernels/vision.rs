//! Built-in kernels on lines of pixels (mlir-aie: aie_kernels/vision). They compute in integers what the
//! library does; where its vector code has a table of reciprocals (`rgba2hue`) they compute as its scalar
//! code.

use super::KernelArguments;
use super::number::{Buffer, Done, Number};
use super::style::Style;
use crate::core::cost::kernel_elements;

/// Bytes of a pixel with alpha.
const RGBA: u64 = 4;
/// Alpha of an opaque pixel.
const OPAQUE: i64 = 255;

impl KernelArguments<'_, '_> {
    /// The red, green and blue of a pixel.
    fn rgb(&mut self, input: Buffer, pixel: u64) -> Done<[i64; 3]> {
        let at = pixel.saturating_mul(RGBA);
        let mut rgb = [0; 3];
        for (color, value) in (at..).zip(&mut rgb) {
            *value = self.get(input, color)?.int();
        }
        Ok(rgb)
    }
}

/// `rgba2grayLine(in, out, width)` and its kin.
pub(super) fn rgba_to_gray(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    /// Weights of red, green and blue (BT.470), in parts of 1 << SHIFT.
    const WEIGHTS: [i64; 3] = [9798, 19235, 3736];
    const SHIFT: u32 = 15;
    let (input, output) = (call.buffer(0)?, call.buffer(1)?);
    let pixels = call.area(2, style.tile)?;
    for i in 0..pixels {
        let rgb = call.rgb(input, i)?;
        let sum: i64 = rgb.iter().zip(WEIGHTS).map(|(color, w)| color * w).sum();
        call.set(output, i, output.rounded(sum, SHIFT))?;
    }
    Ok(kernel_elements(pixels.saturating_mul(RGBA), true))
}

/// `gray2rgbaLine(in, out, width)` and its kin.
pub(super) fn gray_to_rgba(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    let (input, output) = (call.buffer(0)?, call.buffer(1)?);
    let pixels = call.area(2, style.tile)?;
    for i in 0..pixels {
        let gray = call.get(input, i)?;
        let at = i.saturating_mul(RGBA);
        for color in at..at + 3 {
            call.set(output, color, gray)?;
        }
        call.set(output, at + 3, Number::Int(OPAQUE))?;
    }
    Ok(kernel_elements(pixels.saturating_mul(RGBA), true))
}

/// `rgba2hueLine(in, out, width)` and its kin: the hue in parts of 256 of a circle.
pub(super) fn rgba_to_hue(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    /// Half a sixth of the circle, in half parts.
    const SIXTH: i64 = 85;
    let (input, output) = (call.buffer(0)?, call.buffer(1)?);
    let pixels = call.area(2, style.tile)?;
    for i in 0..pixels {
        let [r, g, b] = call.rgb(input, i)?;
        let most = r.max(g).max(b);
        let range = most - r.min(g).min(b);
        let halves = if range == 0 {
            0
        } else if most == r {
            SIXTH * (g - b) / range
        } else if most == g {
            2 * SIXTH + SIXTH * (b - r) / range
        } else {
            4 * SIXTH + SIXTH * (r - g) / range
        };
        call.set(output, i, Number::Int((halves + 1) >> 1))?;
    }
    Ok(kernel_elements(pixels.saturating_mul(RGBA), true))
}

/// `filter2dLine(above, line, below, out, width, kernel)`: 3 × 3 weights, the pixels at the ends repeated.
pub(super) fn filter(call: &mut KernelArguments<'_, '_>, _: Style) -> Done {
    /// Bits of a weight that the vector code leaves out, and those of the sum that are fraction then.
    const UNUSED: u32 = 8;
    const SHIFT: u32 = 4;
    const SIDE: u64 = 3;
    let lines = [call.buffer(0)?, call.buffer(1)?, call.buffer(2)?];
    let (output, width, weights) = (call.buffer(3)?, call.count(4)?, call.buffer(5)?);
    for i in 0..width {
        let mut sum = 0;
        for (line, row) in lines.iter().zip(0..) {
            for column in 0..SIDE {
                let at = (i + column).saturating_sub(1).min(width - 1);
                let weight = call.get(weights, row * SIDE + column)?.int() >> UNUSED;
                sum += call.get(*line, at)?.int() * weight;
            }
        }
        call.set(output, i, output.cut(sum, SHIFT))?;
    }
    Ok(kernel_elements(width.saturating_mul(SIDE), true))
}

/// `addWeightedLine(a, b, out, width, alpha, beta, gamma)` and its kin. As in the library's vector code gamma
/// is added before the shift.
pub(super) fn add_weighted(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    const SHIFT: u32 = 14;
    let (a, b, output) = (call.buffer(0)?, call.buffer(1)?, call.buffer(2)?);
    let count = call.area(3, style.tile)?;
    let after = 4 + usize::from(style.tile);
    let (alpha, beta) = (call.integer(after)?, call.integer(after + 1)?);
    let gamma = call.integer(after + 2)?;
    for i in 0..count {
        let (x, y) = (call.get(a, i)?.int(), call.get(b, i)?.int());
        let sum = gamma
            .wrapping_add(x.wrapping_mul(alpha))
            .wrapping_add(y.wrapping_mul(beta));
        call.set(output, i, output.cut(sum, SHIFT))?;
    }
    Ok(kernel_elements(count, true))
}
