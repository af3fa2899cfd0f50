//! The calling convention of functions of one program.
//!
//! It isn't llvm-aie's: all functions of a program are compiled together and none calls itself, so
//! that
//! * arguments and results are in registers, each list from the first registers of its files
//!   ([`registers`]);
//! * no register is kept by a callee. A call destroys just the registers that the callee and the
//!   functions it calls write, which allocation knows, because callees are allocated first: the
//!   `clobbers` of a call need to name its results only;
//! * frames have fixed addresses, because the functions that are active at one time are known: `sp`
//!   is set once, at the start of the first function, and never moves;
//! * `lr` holds the return address; a function that calls others saves and restores it. The front
//!   half writes only `jl` and `ret`;
//! * control registers are like others: code that needs a mode sets it. They are 0 at the start of
//!   the first function.
//!
//! The first function ends with `done` (a `ret` in it is taken as that), the others with `ret`.

use aiec_core::{CoreArch, CoreIsa, Register, RegisterFile};

use super::register::{numbers, units};

/// General registers beyond these have uses of their own in instructions (masks, conditions,
/// positions, lock conditions).
const MAX_GENERAL_ARGUMENTS: u8 = 16;

/// The registers of a list of arguments or results, given the file of each. None where they don't
/// fit in registers; such values go through memory.
pub fn registers(arch: CoreArch, files: &[RegisterFile]) -> Option<Vec<Register>> {
    let isa = CoreIsa::of(arch);
    let mut taken = Vec::new();
    let mut found = Vec::with_capacity(files.len());
    for file in files {
        let limit = match file {
            RegisterFile::R => MAX_GENERAL_ARGUMENTS,
            _ => u8::MAX,
        };
        let known = numbers(isa, *file);
        let mut free = (0..64)
            .filter(|number| known >> number & 1 != 0 && *number < limit)
            .map(|number| Register::new(*file, number));
        let register = free.find(|register| {
            let units = units(arch, *register);
            units.iter().all(|unit| !taken.contains(unit))
        })?;
        taken.extend(units(arch, register));
        found.push(register);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_take_the_first_free_registers() {
        use RegisterFile::{L, P, R, X, Y};
        let of = |arch, files: &[RegisterFile]| {
            let registers = registers(arch, files).unwrap();
            let names: Vec<String> = registers.iter().map(Register::to_string).collect();
            names.join(" ")
        };
        assert_eq!(of(CoreArch::Aie2, &[R, P, R, X]), "r0 p0 r1 x0");
        assert_eq!(of(CoreArch::Aie2p, &[R, L, R]), "r0 l1 r1");
        assert_eq!(of(CoreArch::Aie2p, &[X, Y]), "x0 y1");
        assert_eq!(registers(CoreArch::Aie2, &[R; 17]), None);
    }
}
