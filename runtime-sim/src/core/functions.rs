//! Functions of numbers that no instruction of a core computes by itself.

use aiec_vcode::{MathFunction, MathFunction2};

/// A function of one float, by the code of the [`MathFunction`].
pub fn math(code: u8, x: f64) -> f64 {
    use MathFunction::*;
    match MathFunction::from_code(code) {
        Some(Absf) => x.abs(),
        Some(Sqrt) => x.sqrt(),
        Some(Rsqrt) => 1.0 / x.sqrt(),
        Some(Cbrt) => x.cbrt(),
        Some(Exp) => x.exp(),
        Some(Exp2) => x.exp2(),
        Some(ExpM1) => x.exp_m1(),
        Some(Log) => x.ln(),
        Some(Log2) => x.log2(),
        Some(Log10) => x.log10(),
        Some(Log1p) => x.ln_1p(),
        Some(Sin) => x.sin(),
        Some(Cos) => x.cos(),
        Some(Tan) => x.tan(),
        Some(Asin) => x.asin(),
        Some(Acos) => x.acos(),
        Some(Atan) => x.atan(),
        Some(Sinh) => x.sinh(),
        Some(Cosh) => x.cosh(),
        Some(Tanh) => x.tanh(),
        Some(Floor) => x.floor(),
        Some(Ceil) => x.ceil(),
        Some(Round) => x.round(),
        Some(RoundEven) => x.round_ties_even(),
        Some(Trunc) => x.trunc(),
        Some(Asinh) => x.asinh(),
        Some(Acosh) => x.acosh(),
        Some(Atanh) => x.atanh(),
        Some(Erf) => error_function(x),
        Some(Erfc) => complementary(x),
        None => x,
    }
}

/// A whole power; a negative one of 0 divides by zero (`None`), others are cut to a whole number.
pub fn power(base: i64, exponent: i64) -> Option<i64> {
    match (base, exponent) {
        (0, ..0) => None,
        (1, ..0) => Some(1),
        (-1, ..0) => Some(if exponent % 2 == 0 { 1 } else { -1 }),
        (_, ..0) => Some(0),
        (_, 0..) => {
            let (mut square, mut rest, mut result) = (base, exponent as u64, 1i64);
            while rest > 0 {
                if rest & 1 == 1 {
                    result = result.wrapping_mul(square);
                }
                square = square.wrapping_mul(square);
                rest >>= 1;
            }
            Some(result)
        }
    }
}

/// A float to the power of a whole number, whose sign counts even where an f64 doesn't tell odd from even.
pub(super) fn whole_power_of_float(base: f64, exponent: i64) -> f64 {
    let power = base.abs().powf(exponent as f64);
    if base.is_sign_negative() && exponent % 2 != 0 {
        -power
    } else {
        power
    }
}

/// Up to here the series of the error function is used, from here on a continued fraction of its
/// complement.
const SERIES_ENDS: f64 = 3.0;
/// 2 / sqrt(pi)
const TWO_BY_ROOT_PI: f64 = std::f64::consts::FRAC_2_SQRT_PI;

/// erf(x) = 2x/sqrt(pi) e^(-x²) (1 + 2x²/3 + (2x²)²/(3·5) + …)
fn error_function(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x.abs() > SERIES_ENDS {
        return 1.0f64.copysign(x) - complementary(x.abs()).copysign(x);
    }
    let (mut term, mut sum, mut odd) = (1.0, 1.0, 1.0);
    while term > sum * f64::EPSILON / 2.0 {
        odd += 2.0;
        term *= 2.0 * x * x / odd;
        sum += term;
    }
    TWO_BY_ROOT_PI * x * (-x * x).exp() * sum
}

/// erfc(x) = e^(-x²)/sqrt(pi) / (x + (1/2) / (x + 1 / (x + (3/2) / …)))
fn complementary(x: f64) -> f64 {
    /// Steps after which the fraction doesn't change any more from [`SERIES_ENDS`] on.
    const STEPS: u32 = 60;
    if x.is_nan() {
        return x;
    }
    if x <= SERIES_ENDS {
        return if x < -SERIES_ENDS {
            2.0 - complementary(-x)
        } else {
            1.0 - error_function(x.max(-SERIES_ENDS))
        };
    }
    let fraction = (1..=STEPS)
        .rev()
        .fold(x, |below, n| x + f64::from(n) / 2.0 / below);
    TWO_BY_ROOT_PI / 2.0 * (-x * x).exp() / fraction
}

/// A function of two floats, by the code of the [`MathFunction2`].
pub fn math2(code: u8, b: f64, c: f64) -> f64 {
    match MathFunction2::from_code(code) {
        Some(MathFunction2::Powf) => b.powf(c),
        Some(MathFunction2::Atan2) => b.atan2(c),
        Some(MathFunction2::Copysign) => b.copysign(c),
        // The exponent is a whole number as an f64: compute it as a host does.
        Some(MathFunction2::Fpowi) => whole_power_of_float(b, c as i64),
        None => b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_and_error_functions() {
        assert_eq!(power(3, 5), Some(243));
        assert_eq!(power(-2, 63), Some(i64::MIN));
        assert_eq!(power(2, -1), Some(0));
        assert_eq!(power(-1, -3), Some(-1));
        assert_eq!(power(-1, -4), Some(1));
        assert_eq!(
            (power(7, 0), power(0, 0), power(0, -1)),
            (Some(1), Some(1), None)
        );
        // Values of tables of the error function.
        for (x, erf) in [
            (0.0, 0.0),
            (0.5, 0.520_499_877_813_046_5),
            (1.0, 0.842_700_792_949_714_9),
            (2.5, 0.999_593_047_982_555),
            (4.0, 0.999_999_984_582_742_1),
        ] {
            assert!((error_function(x) - erf).abs() < 1e-15, "{x}");
            assert!((error_function(-x) + erf).abs() < 1e-15, "{x}");
            assert!((complementary(-x) - 1.0 - erf).abs() < 1e-15, "{x}");
        }
        let far = complementary(5.0) / 1.537_459_794_428_035e-12;
        assert!((far - 1.0).abs() < 1e-13);
        assert!(error_function(f64::NAN).is_nan() && complementary(f64::NAN).is_nan());
        assert_eq!(error_function(f64::INFINITY), 1.0);
    }
}
