//! Built-in convolutions of 8-bit images (mlir-aie: aie_kernels/aie2/conv2dk*.cc, their scalar code).
//!
//! Eight channels of a pixel follow one another, then the pixels of a line, then the next eight channels.
//! Weights follow as eights of output channels, eights of input channels, rows and columns of the kernel,
//! input channels, output channels.
//!
//! Beside them, one channel of floats in one dimension (mlir-aie: aie_kernels/aie2p/dwconv1d.cc).

use super::KernelArguments;
use super::number::{Buffer, Done, Failure, Number};
use super::style::Style;
use crate::core::cost::kernel_products;

/// Channels that follow one another.
const GROUP: u64 = 8;
/// Weights of a group of input channels and one of output channels.
const WEIGHTS: u64 = GROUP * GROUP;

/// Where the values of some channels of a line are.
#[derive(Clone, Copy)]
struct Line {
    buffer: Buffer,
    width: u64,
}

impl Line {
    fn at(self, group: u64, pixel: u64, channel: u64) -> u64 {
        (group * self.width + pixel) * GROUP + channel
    }
}

/// A place of an output: which group of channels, pixel and channel of the group.
#[derive(Clone, Copy)]
struct OutputElement {
    group: u64,
    pixel: u64,
    channel: u64,
}

impl KernelArguments<'_, '_> {
    fn line(&self, argument: usize, width: u64) -> Done<Line> {
        let buffer = self.buffer(argument)?;
        Ok(Line { buffer, width })
    }

    /// A shift that makes sums fit.
    fn shift(&self, argument: usize) -> Done<u32> {
        let shift = self.integer(argument)?;
        let fits = u32::try_from(shift).ok().filter(|shift| *shift < 32);
        fits.ok_or_else(|| Failure::Reason(format!("it shifts by {shift}, not by 0 to 31")))
    }

    /// The products of some groups of channels of a pixel with weights of which the first is `weight`.
    fn products(
        &mut self,
        (line, pixel): (Line, u64),
        groups: u64,
        weights: Buffer,
        (weight, step): (u64, u64),
        output_channel: u64,
    ) -> Done<i64> {
        let mut sum = 0;
        for group in 0..groups {
            for channel in 0..GROUP {
                let value = self.get(line.buffer, line.at(group, pixel, channel))?.int();
                let index = weight + group * step + channel * GROUP + output_channel;
                sum += value * self.get(weights, index)?.int();
            }
        }
        Ok(sum)
    }

    /// Computes each output of a line.
    fn outputs(
        &mut self,
        (output, channels): (Line, u64),
        mut compute: impl FnMut(&mut Self, OutputElement) -> Done<Number>,
    ) -> Done<()> {
        for group in 0..channels / GROUP {
            for pixel in 0..output.width {
                for channel in 0..GROUP {
                    let place = OutputElement {
                        group,
                        pixel,
                        channel,
                    };
                    let value = compute(self, place)?;
                    self.set(output.buffer, output.at(group, pixel, channel), value)?;
                }
            }
        }
        Ok(())
    }
}

fn cycles(products: u64, weights: Buffer, style: Style) -> u64 {
    kernel_products(style.arch, weights.element, products, style.vector)
}

/// `conv2dk1_i8(in, weights, out, width, input channels, output channels, shift)` and its kin: 1 × 1. The sign
/// of the output's type says where it saturates.
pub(super) fn conv_1x1(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    let width = call.count(3)?;
    let (input, weights) = (call.line(0, width)?, call.buffer(1)?);
    let output = call.line(2, width)?;
    let (inputs, outputs, shift) = (call.count(4)?, call.count(5)?, call.shift(6)?);
    let groups = inputs / GROUP;
    call.outputs((output, outputs), |call, place| {
        let first = place.group * groups * WEIGHTS;
        let pixel = (input, place.pixel);
        let sum = call.products(pixel, groups, weights, (first, WEIGHTS), place.channel)?;
        Ok(output.buffer.rounded(sum, shift))
    })?;
    Ok(cycles(width * inputs * outputs, weights, style))
}

/// `conv2dk3_i8(above, line, below, weights, out, width, input channels, output channels, kernel width, kernel
/// height, border, shift, first output channel)` and its kin: 3 × 3, zeros around the image.
pub(super) fn conv_3x3(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    /// The border that lies above the first line, and the one below the last.
    const TOP: i64 = 0;
    const BOTTOM: i64 = 2;
    const SIDE: u64 = 3;
    let width = call.count(5)?;
    let lines = [
        call.line(0, width)?,
        call.line(1, width)?,
        call.line(2, width)?,
    ];
    let (weights, output) = (call.buffer(3)?, call.line(4, width)?);
    let (inputs, outputs) = (call.count(6)?, call.count(7)?);
    let (border, shift) = (call.integer(10)?, call.shift(11)?);
    let skipped = call.count(12)? / GROUP;
    let groups = inputs / GROUP;
    let step = SIDE * SIDE * WEIGHTS;
    call.outputs((output, outputs), |call, place| {
        let first = (place.group + skipped) * groups * step;
        let mut sum = 0;
        for (line, row) in lines.into_iter().zip(0u64..) {
            if (border == TOP && row == 0) || (border == BOTTOM && row == SIDE - 1) {
                continue;
            }
            for column in 0..SIDE {
                let pixel = (place.pixel + column).checked_sub(1);
                let Some(pixel) = pixel.filter(|pixel| *pixel < width) else {
                    continue;
                };
                let weight = first + (row * SIDE + column) * WEIGHTS;
                let at = (weight, step);
                sum += call.products((line, pixel), groups, weights, at, place.channel)?;
            }
        }
        Ok(output.buffer.rounded(sum, shift))
    })?;
    let products = width * inputs * outputs * SIDE * SIDE;
    Ok(cycles(products, weights, style))
}

/// `conv2dk1_skip_i8(in0, in1, weights, out, skip, width, input channels, output channels, shift, skip shift)`
/// and its kin: 1 × 1 of the channels of both inputs, to which those of `skip` are added.
pub(super) fn conv_1x1_skip(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    skip(call, None, style)
}

/// `conv2dk1_skip_init_i8(…, output channels, skip channels, shift, skip shift, skip convolution's shift)` and its
/// kin: `skip` is convolved too, with the weights that follow the others.
pub(super) fn conv_1x1_skip_init(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    let channels = call.count(8)?;
    skip(call, Some(channels), style)
}

fn skip(call: &mut KernelArguments<'_, '_>, skip_channels: Option<u64>, style: Style) -> Done {
    /// Between the convolution and the sum values have 8 bits with a sign.
    const MIDDLE: std::ops::RangeInclusive<i64> = -128..=127;
    let width = call.count(5)?;
    let halves = [call.line(0, width)?, call.line(1, width)?];
    let (weights, output) = (call.buffer(2)?, call.line(3, width)?);
    let skip = call.line(4, width)?;
    let (inputs, outputs) = (call.count(6)?, call.count(7)?);
    let after = 8 + usize::from(skip_channels.is_some());
    let (shift, skip_shift) = (call.shift(after)?, call.shift(after + 1)?);
    let skip_conv = match skip_channels {
        Some(channels) => Some((channels, call.shift(after + 2)?)),
        None => None,
    };
    let groups = inputs / GROUP;
    call.outputs((output, outputs), |call, place| {
        let first = place.group * groups * WEIGHTS;
        let mut sum = 0;
        for (half, n) in halves.into_iter().zip(0u64..) {
            let weight = first + n * (groups / 2) * WEIGHTS;
            let at = (weight, WEIGHTS);
            sum += call.products((half, place.pixel), groups / 2, weights, at, place.channel)?;
        }
        let clamp = |value: i64| value.clamp(*MIDDLE.start(), *MIDDLE.end());
        let sum = clamp(super::number::rounded_shift(sum, shift));
        let added = match skip_conv {
            Some((channels, shift)) => {
                let groups = channels / GROUP;
                let at = (inputs * outputs + place.group * groups * WEIGHTS, WEIGHTS);
                let pixel = (skip, place.pixel);
                let sum = call.products(pixel, groups, weights, at, place.channel)?;
                clamp(super::number::rounded_shift(sum, shift))
            }
            None => {
                let at = skip.at(place.group, place.pixel, place.channel);
                call.get(skip.buffer, at)?.int()
            }
        };
        Ok(output.buffer.rounded(sum + added, skip_shift))
    })?;
    let products = width * outputs * (inputs + skip_channels.unwrap_or(0));
    Ok(cycles(products, weights, style))
}

/// `dwconv1d_bf16(in, weights, out, count)`: one channel in one dimension. The input has half of the taps but one
/// as zeros before its samples, and as many at least after them; the bias follows the taps.
pub(super) fn depthwise(call: &mut KernelArguments<'_, '_>, style: Style) -> Done {
    let (input, weights, output) = (call.buffer(0)?, call.buffer(1)?, call.buffer(2)?);
    let count = call.count(3)?;
    let Some(taps) = weights.elements()?.checked_sub(1) else {
        return Err(Failure::Reason("there are no weights".to_string()));
    };
    let bias = call.get(weights, taps)?;
    for i in 0..count {
        let mut sum = bias;
        for tap in 0..taps {
            let product = call.get(input, i + tap)?.mul(call.get(weights, tap)?);
            sum = sum.add(product);
        }
        call.set(output, i, sum)?;
    }
    Ok(cycles(count.saturating_mul(taps), weights, style))
}
