//! Registers that share bits: units and parts.
//!
//! A unit is the smallest piece of register state that an instruction can write on its own: a
//! scalar register, 256 bits of a vector, 256 (AIE2) or 512 bits (AIE2P, AIE2PS) of an accumulator.
//! Two registers alias if and only if they have a unit in common, so that everything after
//! selection counts in units and never in names (`llvm-aie: AIE2RegisterInfo.td`,
//! `AIE2PRegisterInfo.td`, `AIE2PSRegisterInfo.td`).

use aiec_core::{CONTROL_NAMES, CoreArch, CoreIsa, OperandKind, Register, RegisterFile};
use smallvec::{SmallVec, smallvec};

/// A unit of register state, below [`UNITS`].
pub type Unit = u16;
/// The units of a register, those of its low end first.
pub(super) type Units = SmallVec<[Unit; 8]>;
/// The registers that make up a wider one, those of its low end first.
pub(super) type Parts = SmallVec<[Register; 8]>;

/// Places in each file of addresses, and of pairs of files' numbers in general.
const GENERAL: Unit = 32;
const ADDRESSES: Unit = 8;
const SHIFTS: Unit = 4;
/// Registers x; block exponents, f and g go with them.
const VECTORS: Unit = 12;
/// Accumulators of AIE2, the most of all architectures.
const ACCUMULATORS: Unit = 9;
/// Accumulators of AIE2P (`llvm-aie: AIE2PRegisterInfo.td`, `dm0` to `dm4`).
pub const AIE2P_ACCUMULATORS: usize = 5;
/// Quarters of an accumulator.
const QUARTERS: Unit = 4;
const MASKS: Unit = 4;
const FIFOS: Unit = 2;

const R: Unit = 0;
const P: Unit = R + GENERAL;
const M: Unit = P + ADDRESSES;
const DN: Unit = M + ADDRESSES;
const DJ: Unit = DN + ADDRESSES;
const DC: Unit = DJ + ADDRESSES;
const S: Unit = DC + ADDRESSES;
const SINGLE: Unit = S + SHIFTS;
const CONTROL: Unit = SINGLE + 7;
const E: Unit = CONTROL + CONTROL_NAMES.len() as Unit;
const G: Unit = E + 2 * VECTORS;
const F: Unit = G + 2 * VECTORS;
const W: Unit = F + 2 * VECTORS;
const ACCUMULATOR: Unit = W + 2 * VECTORS;
const MASK: Unit = ACCUMULATOR + QUARTERS * ACCUMULATORS;
const FIFO: Unit = MASK + MASKS;
const STORE_FIFO: Unit = FIFO + 2 * FIFOS;
/// Number of units of all architectures.
pub(super) const UNITS: usize = (STORE_FIFO + 3) as usize;

/// The unit of a register that has no parts.
fn leaf(register: Register) -> Option<Unit> {
    use RegisterFile as File;
    let number = Unit::from(register.number);
    Some(match register.file {
        File::R => R + number,
        File::P => P + number,
        File::M => M + number,
        File::Dn => DN + number,
        File::Dj => DJ + number,
        File::Dc => DC + number,
        File::S => S + number,
        File::Sp => SINGLE,
        File::Lr => SINGLE + 1,
        File::Ls => SINGLE + 2,
        File::Le => SINGLE + 3,
        File::Lc => SINGLE + 4,
        File::Dp => SINGLE + 5,
        File::CoreId => SINGLE + 6,
        File::Control => CONTROL + number,
        File::El => E + 2 * number,
        File::Eh => E + 2 * number + 1,
        File::Gl => G + 2 * number,
        File::Gh => G + 2 * number + 1,
        File::Fl => F + 2 * number,
        File::Fh => F + 2 * number + 1,
        File::Wl => W + 2 * number,
        File::Wh => W + 2 * number + 1,
        File::Amll | File::Bmll => ACCUMULATOR + QUARTERS * number,
        File::Amlh | File::Bmlh => ACCUMULATOR + QUARTERS * number + 1,
        File::Amhl | File::Bmhl => ACCUMULATOR + QUARTERS * number + 2,
        File::Amhh | File::Bmhh => ACCUMULATOR + QUARTERS * number + 3,
        File::Q => MASK + number,
        File::Lfl => FIFO + 2 * number,
        File::Lfh => FIFO + 2 * number + 1,
        File::Lfe => STORE_FIFO,
        File::Sfl => STORE_FIFO + 1,
        File::Sfh => STORE_FIFO + 2,
        _ => return None,
    })
}

/// The registers that a wider one consists of, one level down; none of registers that have no parts.
pub(super) fn parts(arch: CoreArch, register: Register) -> Parts {
    use RegisterFile as File;
    let number = register.number;
    let of = |file| Register::new(file, number);
    let pair = |file| -> Parts {
        smallvec![
            Register::new(file, 2 * number),
            Register::new(file, 2 * number + 1)
        ]
    };
    match register.file {
        // AIE2 pairs only the upper sixteen.
        File::L if arch == CoreArch::Aie2 => smallvec![
            Register::new(File::R, 16 + 2 * number),
            Register::new(File::R, 17 + 2 * number)
        ],
        File::L => pair(File::R),
        File::Dim2 => smallvec![of(File::M), of(File::Dn), of(File::Dj), of(File::Dc)],
        File::Dim3 => {
            let upper = |file| Register::new(file, number + 4);
            smallvec![
                of(File::M),
                of(File::Dn),
                of(File::Dj),
                of(File::Dc),
                upper(File::Dn),
                upper(File::Dj),
                upper(File::Dc)
            ]
        }
        File::X => smallvec![of(File::Wl), of(File::Wh)],
        File::Y => pair(File::X),
        File::Bml => smallvec![of(File::Amll), of(File::Amlh)],
        File::Bmh => smallvec![of(File::Amhl), of(File::Amhh)],
        File::Cm => smallvec![of(File::Bml), of(File::Bmh)],
        File::Cml => smallvec![of(File::Bmll), of(File::Bmlh)],
        File::Cmh => smallvec![of(File::Bmhl), of(File::Bmhh)],
        File::Dm => smallvec![of(File::Cml), of(File::Cmh)],
        File::E => smallvec![of(File::El), of(File::Eh)],
        File::G => smallvec![of(File::Gl), of(File::Gh)],
        File::F => smallvec![of(File::Fl), of(File::Fh)],
        File::Ex if arch == CoreArch::Aie2ps => smallvec![of(File::X), of(File::Eg)],
        File::Ex => smallvec![of(File::X), of(File::E)],
        File::Ey => pair(File::Ex),
        File::Ewl => smallvec![of(File::Wl), of(File::Egl)],
        File::Ewh => smallvec![of(File::Wh), of(File::Egh)],
        File::Eg => smallvec![of(File::G), of(File::E)],
        File::Egl => smallvec![of(File::Gl), of(File::El)],
        File::Egh => smallvec![of(File::Gh), of(File::Eh)],
        File::Feg => smallvec![of(File::Eg), of(File::F)],
        File::Fegl => smallvec![of(File::Egl), of(File::Fl)],
        File::Fegh => smallvec![of(File::Egh), of(File::Fh)],
        File::Fewl => smallvec![of(File::Wl), of(File::Fegl)],
        File::Fewh => smallvec![of(File::Wh), of(File::Fegh)],
        File::Fex => smallvec![of(File::X), of(File::Feg)],
        File::Fey => pair(File::Fex),
        File::Qx => smallvec![of(File::X), of(File::Q)],
        File::Qy => pair(File::Qx),
        File::Qex => smallvec![of(File::Ex), of(File::Q)],
        File::Qey => pair(File::Qex),
        File::Qwl => smallvec![of(File::Wl), of(File::Q)],
        File::Qwh => smallvec![of(File::Wh), of(File::Q)],
        File::Plfr => smallvec![
            of(File::P),
            of(File::Lfl),
            of(File::Lfh),
            Register::new(File::R, aiec_core::FIRST_FIFO_POSITION + number)
        ],
        _ => Parts::new(),
    }
}

/// The units of a register.
pub(super) fn units(arch: CoreArch, register: Register) -> Units {
    fn collect(arch: CoreArch, register: Register, found: &mut Units) {
        match leaf(register) {
            Some(unit) => found.push(unit),
            None => {
                for part in parts(arch, register) {
                    collect(arch, part, found);
                }
            }
        }
    }
    let mut found = Units::new();
    collect(arch, register, &mut found);
    found
}

/// The register of this file that is part of another one; of several the one with this index, the
/// lowest being 0.
pub(super) fn part(
    arch: CoreArch,
    register: Register,
    file: RegisterFile,
    index: u8,
) -> Option<Register> {
    fn collect(arch: CoreArch, register: Register, file: RegisterFile, found: &mut Parts) {
        if register.file == file {
            found.push(register);
            return;
        }
        for part in parts(arch, register) {
            collect(arch, part, file, found);
        }
    }
    let mut found = Parts::new();
    collect(arch, register, file, &mut found);
    found.get(usize::from(index)).copied()
}

/// The places of a part's units among those of the wider register, as a bit set.
pub(super) fn lanes_of_part(
    arch: CoreArch,
    whole: RegisterFile,
    file: RegisterFile,
    index: u8,
) -> u16 {
    // The layout is the same for all numbers of a file.
    let whole = Register::new(whole, 0);
    let of_whole = units(arch, whole);
    let of_part = part(arch, whole, file, index).map(|part| units(arch, part));
    let mut lanes = 0;
    for (lane, unit) in of_whole.iter().enumerate() {
        if of_part.as_ref().is_some_and(|part| part.contains(unit)) {
            lanes |= 1 << lane;
        }
    }
    lanes
}

/// Whether a register gathers flags: each instruction adds its own, so that the order of
/// instructions that write it means nothing.
pub(super) fn gathers(register: Register) -> bool {
    let name = CONTROL_NAMES.get(usize::from(register.number));
    register.file == RegisterFile::Control
        && name.is_some_and(|name| {
            name.starts_with("sr") && !matches!(*name, "srCarry" | "srSS0" | "srMS0")
        })
}

/// The numbers that registers of a file have, as a bit set: those that any field can name.
pub(super) fn numbers(isa: &CoreIsa, file: RegisterFile) -> u64 {
    let registers = isa.classes.iter().flat_map(|class| class.registers());
    registers
        .filter(|register| register.file == file)
        .fold(0, |numbers, register| numbers | 1 << register.number)
}

/// The numbers of a file whose registers, or whose parts, a field can name, as a bit set.
pub(super) fn allowed(
    isa: &CoreIsa,
    row: u16,
    operand: usize,
    file: RegisterFile,
    part_of: Option<(RegisterFile, u8)>,
) -> u64 {
    let field = isa
        .instructions
        .get(usize::from(row))
        .and_then(|row| row.operands.get(operand));
    let Some(OperandKind::Register { class }) = field.map(|field| field.kind) else {
        return 0;
    };
    let class = isa.class(class);
    let all = numbers(isa, file);
    (0..64)
        .filter(|number| all >> number & 1 != 0)
        .filter(|number| {
            let whole = Register::new(file, *number);
            let named = match part_of {
                None => Some(whole),
                Some((part_file, index)) => part(isa.arch, whole, part_file, index),
            };
            named.is_some_and(|named| class.code(named).is_some())
        })
        .fold(0, |numbers, number| numbers | 1 << number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(arch: CoreArch, name: &str) -> Units {
        units(arch, Register::of_name(name).unwrap())
    }

    #[test]
    fn names_share_units() {
        let (aie2, aie2p, aie2ps) = (CoreArch::Aie2, CoreArch::Aie2p, CoreArch::Aie2ps);
        assert_eq!(
            of(aie2, "x5")[..],
            [of(aie2, "wl5"), of(aie2, "wh5")].concat()
        );
        assert_eq!(
            of(aie2, "y2")[..],
            [of(aie2, "x4"), of(aie2, "x5")].concat()
        );
        assert_eq!(
            of(aie2, "l0")[..],
            [of(aie2, "r16"), of(aie2, "r17")].concat()
        );
        assert_eq!(
            of(aie2p, "l0")[..],
            [of(aie2p, "r0"), of(aie2p, "r1")].concat()
        );
        assert_eq!(of(aie2, "cm8")[2..], of(aie2, "bmh8")[..]);
        assert_eq!(of(aie2p, "dm4")[2..], of(aie2p, "cmh4")[..]);
        assert_eq!(
            of(aie2, "d3_3d")[4..],
            [of(aie2, "dn7"), of(aie2, "dj7"), of(aie2, "dc7")].concat()
        );
        assert_eq!(of(aie2p, "ex3").len(), 4);
        assert_eq!(of(aie2ps, "fex3").len(), 8);
    }

    #[test]
    fn every_named_register_has_units() {
        for arch in CoreArch::ALL {
            for class in &CoreIsa::of(arch).classes {
                for register in class.registers() {
                    let units = units(arch, register);
                    assert!(!units.is_empty(), "{arch} {register}");
                    assert!(units.iter().all(|unit| usize::from(*unit) < UNITS));
                }
            }
        }
    }

    #[test]
    fn parts_by_index() {
        let y = Register::of_name("y1").unwrap();
        let x = part(CoreArch::Aie2p, y, RegisterFile::X, 1);
        assert_eq!(x, Register::of_name("x3"));
        assert_eq!(
            lanes_of_part(CoreArch::Aie2, RegisterFile::Cm, RegisterFile::Bmh, 0),
            0b1100
        );
    }
}
