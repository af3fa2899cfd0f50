//! Shapes of products, and configurations that are refused.

use aiec_core::CoreArch;

use super::lanes::lane;
use super::products::{Configuration, Inputs, Signs};

/// A product of dense sources without accumulators.
fn dense<'a>(sources: (&'a [u8], &'a [u8]), configuration: u32) -> Inputs<'a> {
    Inputs {
        sources: Some(sources),
        exponents: None,
        sparse: false,
        first: None,
        second: None,
        signs: Signs::default(),
        configuration: Configuration(configuration),
    }
}

fn integers(configuration: u32, a: &[u8], b: &[u8], first: Option<&[u8]>) -> Vec<i64> {
    let mut d = [0; 128];
    let inputs = Inputs {
        first,
        ..dense((a, b), configuration)
    };
    let product = inputs.product(CoreArch::Aie2, false).unwrap();
    inputs.integers(product, &mut d);
    (0..32).map(|i| lane(&d, i, 32, true)).collect()
}

#[test]
fn bytes_4x8_by_8x8() {
    let a: Vec<u8> = (0..64).map(|i| (i * 7) as u8).collect();
    let b: Vec<u8> = (0..64).map(|i| (200 - i) as u8).collect();
    // Both signed.
    let c = integers(0x308, &a, &b, None);
    for (i, c) in c.iter().enumerate() {
        let (row, column) = (i / 8, i % 8);
        let expected: i64 = (0..8)
            .map(|k| i64::from(a[row * 8 + k] as i8) * i64::from(b[k * 8 + column] as i8))
            .sum();
        assert_eq!(*c, expected);
    }
    let first = [1; 128];
    let c = integers(0x808, &a, &b, Some(&first));
    let expected: i64 = (0..8).map(|k| i64::from(a[k]) * i64::from(b[k * 8])).sum();
    assert_eq!(c[0], 0x0101_0101 - expected);
    assert_eq!(integers(0x809, &a, &b, Some(&first))[0], -expected);
}

#[test]
fn refused_configurations() {
    let refused = |configuration| {
        let inputs = dense((&[0; 64], &[0; 64]), configuration);
        inputs.product(CoreArch::Aie2, false).is_err()
    };
    // i8 by i4 with a mask, a code without a name, the sparse 4x16 by 16x8.
    assert!(refused(0x1_0000) && refused(0x68) && refused(0xA8) && !refused(8));
}

#[test]
fn bf16_4x8_by_8x4() {
    let of = |x: f32| ((x.to_bits() >> 16) as u16).to_le_bytes();
    let a: Vec<u8> = (0..32).flat_map(|i| of(i as f32 - 9.5)).collect();
    let b: Vec<u8> = (0..32).flat_map(|i| of(0.25 * i as f32)).collect();
    let mut d = [0; 64];
    let inputs = dense((&a, &b), 0x1C);
    let product = inputs.product(CoreArch::Aie2, true).unwrap();
    inputs.floats(CoreArch::Aie2, product, &mut d);
    for i in 0..16 {
        let (row, column) = (i / 4, i % 4);
        let expected: f32 = (0..8)
            .map(|k| ((row * 8 + k) as f32 - 9.5) * 0.25 * (k * 4 + column) as f32)
            .sum();
        assert_eq!(f32::from_bits(lane(&d, i, 32, false) as u32), expected);
    }
}

#[test]
fn bf16_lanes_of_aie2p_are_those_of_the_sources() {
    let of = |x: f32| ((x.to_bits() >> 16) as u16).to_le_bytes();
    let a: Vec<u8> = (0..64).flat_map(|i| of(i as f32 - 9.5)).collect();
    let ones: Vec<u8> = (0..64).flat_map(|_| of(1.0)).collect();
    for lanes in [32, 64] {
        let mut d = [0; 256];
        let inputs = dense((&a[..2 * lanes], &ones[..2 * lanes]), 0x3C);
        let product = inputs.product(CoreArch::Aie2p, true).unwrap();
        inputs.floats(CoreArch::Aie2p, product, &mut d);
        for i in 0..64 {
            let expected = if i < lanes { i as f32 - 9.5 } else { 0.0 };
            let found = f32::from_bits(lane(&d, i, 32, false) as u32);
            assert_eq!(found, expected, "lane {i} of {lanes}");
        }
    }
}

/// Random operands of a product, and accumulators.
struct Operands {
    sources: (Vec<u8>, Vec<u8>),
    accumulators: (Vec<u8>, Vec<u8>),
}

impl Operands {
    fn new(
        rng: &mut fastrand::Rng,
        mut element: impl FnMut(&mut fastrand::Rng) -> u32,
    ) -> Operands {
        let mut bytes = |count: usize| -> Vec<u8> {
            let words = (0..count / 4).flat_map(|_| element(rng).to_le_bytes());
            words.collect()
        };
        Operands {
            sources: (bytes(128), bytes(128)),
            accumulators: (bytes(256), bytes(256)),
        }
    }

    fn inputs(&self, configuration: u32, signs: Signs, accumulators: u32) -> Inputs<'_> {
        Inputs {
            first: (accumulators > 0).then_some(&self.accumulators.0),
            second: (accumulators > 1).then_some(&self.accumulators.1),
            signs,
            ..dense((&self.sources.0, &self.sources.1), configuration)
        }
    }
}

/// Configurations of all shapes with random signs, without sub_mask.
fn configurations(rng: &mut fastrand::Rng) -> Vec<(CoreArch, u32, Signs)> {
    let mut all = Vec::new();
    for arch in CoreArch::ALL {
        for shape in 0..128 {
            let signs = Signs {
                product: rng.bool(),
                first: rng.bool(),
                second: rng.bool(),
            };
            all.push((arch, shape << 1 | (rng.u32(..) & 0x3F01), signs));
        }
    }
    all
}

#[test]
fn sums_of_integers_are_those_of_single_products() {
    let mut rng = fastrand::Rng::with_seed(40);
    let mut compared = 0;
    for _ in 0..8 {
        for (arch, configuration, signs) in configurations(&mut rng) {
            let operands = Operands::new(&mut rng, |rng| rng.u32(..));
            let inputs = operands.inputs(configuration, signs, rng.u32(..3));
            let Ok(product) = inputs.product(arch, false) else {
                continue;
            };
            let (mut quick, mut plain) = ([0; 256], [0; 256]);
            inputs.integers(product, &mut quick);
            inputs.integers_by_mask(product, &mut plain);
            assert_eq!(quick, plain, "{arch} {configuration:#x} {signs:?}");
            compared += 1;
        }
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn sums_of_floats_are_those_of_single_terms() {
    let mut rng = fastrand::Rng::with_seed(41);
    let mut compared = [0, 0];
    for round in 0..60 {
        for (arch, configuration, signs) in configurations(&mut rng) {
            // Exponents of a range, in which terms cancel or are cut; zeros, subnormal and greatest numbers; now and
            // then infinities and NaNs.
            let (low, range) = match round % 4 {
                0 => (120, 8),
                1 => (110, 40),
                2 => (0, 4),
                _ => (0, 255 + u32::from(round % 8 == 7)),
            };
            let operands = Operands::new(&mut rng, |rng| {
                let mut half = || {
                    let zero = rng.u8(..8) == 0;
                    let exponent = low + rng.u32(..range);
                    let bits = rng.u32(..) & 0x807F | exponent << 7;
                    if zero { bits & 0x8000 } else { bits }
                };
                half() | half() << 16
            });
            let inputs = operands.inputs(configuration, signs, rng.u32(..3));
            if inputs.check(arch, true, 256, false).is_err() {
                continue;
            }
            let product = inputs.product(arch, true).unwrap();
            let formats = inputs.formats(arch);
            let addends = inputs.addends();
            let (mut quick, mut plain) = ([0; 256], [0; 256]);
            let done = inputs.quick_floats(product, formats, &addends, &mut quick);
            if done.is_some() {
                inputs.floats_by_term(product, formats, &addends, &mut plain);
                assert_eq!(quick, plain, "{arch} {configuration:#x} {signs:?}");
            }
            compared[usize::from(done.is_some())] += 1;
        }
    }
    assert!(compared.iter().all(|count| *count > 20), "{compared:?}");
}
