//! Which instructions of the tables have a model: the figures of `docs/src/machine-code.md`.

use std::collections::BTreeSet;

use aiec_core::{CoreArch, CoreIsa, Slot, SweptPiece};

use super::coverage::is_modelled;
use super::{InstructionPlace, resolve};

const HERE: InstructionPlace = InstructionPlace {
    pc: 0,
    return_to: Some(0),
};

/// Instructions of an architecture that have a model: scalar instructions and all of them, vector instructions
/// and all of them; the mnemonics of those without one.
fn coverage(arch: CoreArch) -> ([[usize; 2]; 2], BTreeSet<&'static str>) {
    let isa = CoreIsa::of(arch);
    let mut counts = [[0; 2]; 2];
    let mut refused = BTreeSet::new();
    for (index, row) in isa.instructions.iter().enumerate() {
        let is_vector = row.slot == Slot::Vector || row.mnemonic.starts_with('v');
        let [modelled, all] = &mut counts[usize::from(is_vector)];
        *all += 1;
        if is_modelled(isa, index, row) {
            *modelled += 1;
        } else {
            refused.insert(row.mnemonic);
        }
    }
    (counts, refused)
}

#[test]
fn instructions_with_a_model() {
    let figures = CoreArch::ALL.map(|arch| coverage(arch).0);
    let expected = [
        [[169, 169], [423, 439]],
        [[209, 209], [580, 671]],
        [[303, 303], [684, 858]],
    ];
    assert_eq!(figures, expected);
}

#[test]
fn aie2_instructions_without_a_model() {
    let (_, refused) = coverage(CoreArch::Aie2);
    let compressed =
        |name: &&str| name.starts_with("vldb.compr") || name.starts_with("vldb.sparse");
    let rest: Vec<&str> = refused
        .into_iter()
        .filter(|name| !compressed(name))
        .collect();
    assert_eq!(rest, [""; 0]);
}

/// Bundles of published compiled code of AIE2 (`test/vectors/core/README.md`).
const COMPILED: &[u8] = include_bytes!("../../../../../test/vectors/core/aie2-bundles.bin");

#[test]
fn every_bundle_of_compiled_code_has_a_model() {
    let isa = CoreIsa::of(CoreArch::Aie2);
    let (mut at, mut bundles) = (0, 0);
    while at < COMPILED.len() {
        let bundle = isa.decode(&COMPILED[at..]).unwrap();
        for (_, instruction) in &bundle.slots {
            resolve(isa, instruction, HERE).unwrap();
        }
        at += usize::from(bundle.length);
        bundles += 1;
    }
    assert_eq!(bundles, 6857);
}

/// Counts what has no model in the program memories (files `*.bin`) of the folder that `AIEC_PROGRAMS`
/// names; `AIEC_PROGRAMS_ARCH` is their architecture. For figures of published programs, which the
/// project doesn't hold.
#[test]
fn programs_of_a_folder() {
    let Ok(folder) = std::env::var("AIEC_PROGRAMS") else {
        return;
    };
    let arch = std::env::var("AIEC_PROGRAMS_ARCH").unwrap_or_else(|_| "aie2p".to_owned());
    let isa = CoreIsa::of(CoreArch::of_name(&arch).expect("an architecture"));
    let (mut programs, mut bundles, mut fill, mut unknown, mut refused_bundles) = (0, 0, 0, 0, 0);
    let mut refused: std::collections::BTreeMap<String, usize> = Default::default();
    for entry in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        programs += 1;
        for (_, piece) in isa.sweep(&bytes, 0) {
            let bundle = match piece {
                SweptPiece::Bundle(bundle) => bundle,
                SweptPiece::Fill(_) => {
                    fill += 1;
                    continue;
                }
                SweptPiece::Unknown(_) => {
                    unknown += 1;
                    continue;
                }
            };
            bundles += 1;
            let reasons: Vec<String> = bundle
                .slots
                .iter()
                .filter_map(|(_, instruction)| resolve(isa, instruction, HERE).err())
                .collect();
            refused_bundles += usize::from(!reasons.is_empty());
            for reason in reasons {
                *refused.entry(reason).or_default() += 1;
            }
        }
    }
    println!(
        "{programs} programs of {arch}: {bundles} bundles, {fill} pieces of fill, {unknown} places \
         without a bundle, {refused_bundles} bundles without a model"
    );
    for (reason, count) in refused {
        println!("{count:8} {reason}");
    }
}
