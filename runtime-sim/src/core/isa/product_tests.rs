//! Shapes of products, and configurations that are refused.

use aiec_core::CoreArch;

use super::lanes::lane;
use super::products::{Configuration, Inputs, Signs};

fn integers(configuration: u32, a: &[u8], b: &[u8], first: Option<&[u8]>) -> Vec<i64> {
    let mut d = [0; 128];
    let inputs = Inputs {
        sources: Some((a, b)),
        exponents: None,
        sparse: false,
        first,
        second: None,
        signs: Signs::default(),
        configuration: Configuration(configuration),
    };
    inputs.integers(CoreArch::Aie2, &mut d).unwrap();
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
    let inputs = |configuration| Inputs {
        sources: Some((&[0; 64], &[0; 64])),
        exponents: None,
        sparse: false,
        first: None,
        second: None,
        signs: Signs::default(),
        configuration: Configuration(configuration),
    };
    let refused = |configuration| {
        inputs(configuration)
            .integers(CoreArch::Aie2, &mut [0; 128])
            .is_err()
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
    let inputs = Inputs {
        sources: Some((&a, &b)),
        exponents: None,
        sparse: false,
        first: None,
        second: None,
        signs: Signs::default(),
        configuration: Configuration(0x1C),
    };
    inputs.floats(CoreArch::Aie2, &mut d).unwrap();
    for i in 0..16 {
        let (row, column) = (i / 4, i % 4);
        let expected: f32 = (0..8)
            .map(|k| ((row * 8 + k) as f32 - 9.5) * 0.25 * (k * 4 + column) as f32)
            .sum();
        assert_eq!(f32::from_bits(lane(&d, i, 32, false) as u32), expected);
    }
}
