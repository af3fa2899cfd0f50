//! bf16 arithmetic compared with what an NPU1 computed.

use super::float::{floor_to_int, narrow};
use super::lanes::lane;
use super::products::{Configuration, Inputs, Signs};
use super::rounding::Rounding;
use aiec_core::CoreArch;

fn lines(text: &str) -> impl Iterator<Item = Vec<u32>> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let words = line.split(' ');
        words
            .map(|word| u32::from_str_radix(word, 16).unwrap())
            .collect()
    })
}

#[test]
fn matrix_products_of_bf16() {
    let text = include_str!("../../../../test/vectors/core/npu1-bf16-products.txt");
    let lines: Vec<Vec<u32>> = lines(text).collect();
    let bytes = |words: &[u32]| -> Vec<u8> {
        words
            .iter()
            .flat_map(|word| (*word as u16).to_le_bytes())
            .collect()
    };
    assert_eq!(lines.len(), 3 * 54);
    for case in lines.chunks(3) {
        let (a, b) = (bytes(&case[0]), bytes(&case[1]));
        let inputs = Inputs {
            sources: Some((&a, &b)),
            exponents: None,
            sparse: false,
            first: None,
            second: None,
            signs: Signs::default(),
            configuration: Configuration(0x1C),
        };
        let mut d = [0; 64];
        let product = inputs.product(CoreArch::Aie2, true).unwrap();
        inputs.floats(CoreArch::Aie2, product, &mut d);
        for (i, expected) in case[2].iter().enumerate() {
            assert_eq!(
                lane(&d, i, 32, false) as u32,
                *expected,
                "{case:x?} lane {i}"
            );
        }
    }
}

#[test]
fn roundings_to_bf16() {
    let text = include_str!("../../../../test/vectors/core/npu1-bf16-rounding.txt");
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let inputs: Vec<u32> = lines
        .next()
        .unwrap()
        .split(' ')
        .map(|word| u32::from_str_radix(word, 16).unwrap())
        .collect();
    let mut modes = 0;
    for line in lines {
        let (mode, outputs) = line.split_once(' ').unwrap();
        let rounding = Rounding::from_register(mode.parse().unwrap());
        for (input, output) in inputs.iter().zip(outputs.split(' ')) {
            let expected = u16::from_str_radix(output, 16).unwrap();
            assert_eq!(
                narrow(*input, rounding),
                expected,
                "{input:#x}, crRnd {mode}"
            );
        }
        modes += 1;
    }
    assert_eq!(modes, 10);
}

#[test]
fn floors_of_bf16() {
    let text = include_str!("../../../../test/vectors/core/npu1-bf16-floor.txt");
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let inputs = lines.next().unwrap().split(' ');
    let outputs = lines.next().unwrap().split(' ');
    for (input, output) in inputs.zip(outputs) {
        let input = u16::from_str_radix(input, 16).unwrap();
        let expected = output.parse::<u32>().unwrap() as i32;
        assert_eq!(floor_to_int(input, 0), expected, "{input:#x}");
    }
}
