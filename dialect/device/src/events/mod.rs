//! Hardware events: names and numbers, by module and generation.
//!
//! A trace unit, a performance counter or a broadcast selects an event by its number; programs
//! and traces name it as the vendor's driver does. Numbers without a name are reserved.

mod core;
mod mem_tile;
mod memory;
mod shim;

use crate::arch::Arch;
use crate::regmap::Module;

/// Events with consecutive numbers: the first number, and the names.
type Events = &'static [(u8, &'static [&'static str])];

/// Prefixes that AIE2ps adds to the names of shim events of other generations: the first of two
/// connections to the network on chip, and the stream switch.
const SHIM_PS_PREFIXES: [&str; 2] = ["NOC0_", "STREAM_SWITCH_"];

fn tables(arch: Arch, module: Module) -> &'static [Events] {
    match (module, arch) {
        (_, Arch::Aie1) | (Module::Controller, _) => &[],
        (Module::Core, Arch::Aie2) => &[core::CORE, core::CORE_AIE2],
        (Module::Core, _) => &[core::CORE, core::CORE_WIDE],
        (Module::Memory, _) => &[memory::MEMORY],
        (Module::MemTile, _) => &[mem_tile::MEM_TILE],
        (Module::Shim, Arch::Aie2ps) => &[shim::SHIM_PS],
        (Module::Shim, _) => &[shim::SHIM],
    }
}

/// The events of a module with their numbers; none for AIE1 and for micro-controllers.
pub fn events(arch: Arch, module: Module) -> impl Iterator<Item = (&'static str, u8)> {
    let runs = tables(arch, module).iter().copied().flatten();
    runs.flat_map(|(first, names)| names.iter().copied().zip(*first..))
}

/// The number of an event. On AIE2ps shim tiles the names of other generations are taken too:
/// `DMA_S2MM_0_START_TASK` is `NOC0_DMA_S2MM_0_START_TASK`, `PORT_RUNNING_0` is
/// `STREAM_SWITCH_PORT_RUNNING_0`.
pub fn event(arch: Arch, module: Module, name: &str) -> Option<u8> {
    let exact = |name: &str| {
        let mut all = events(arch, module);
        all.find(|(known, _)| *known == name).map(|(_, n)| n)
    };
    exact(name).or_else(|| {
        let mut longer = SHIM_PS_PREFIXES.iter();
        let prefixed = arch == Arch::Aie2ps && module == Module::Shim;
        longer.find_map(|prefix| exact(&format!("{prefix}{name}")).filter(|_| prefixed))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_by_module_and_generation() {
        let core = |arch, name| event(arch, Module::Core, name);
        assert_eq!(core(Arch::Aie2, "INSTR_VECTOR"), Some(37));
        assert_eq!(core(Arch::Aie2, "DECOMPRESSION_UNDERFLOW"), Some(70));
        assert_eq!(core(Arch::Aie2p, "DECOMPRESSION_UNDERFLOW"), None);
        assert_eq!(core(Arch::Aie2ps, "SPARSITY_OVERFLOW"), Some(70));
        assert_eq!(core(Arch::Aie1, "TRUE"), None);
        let shim = |arch, name| event(arch, Module::Shim, name);
        assert_eq!(shim(Arch::Aie2p, "USER_EVENT_1"), Some(127));
        assert_eq!(shim(Arch::Aie2ps, "USER_EVENT_1"), Some(183));
        assert_eq!(shim(Arch::Aie2ps, "PORT_RUNNING_0"), Some(134));
        assert_eq!(shim(Arch::Aie2p, "NOC0_LOCK_ERROR"), None);
        assert_eq!(
            event(Arch::Aie2, Module::MemTile, "BROADCAST_15"),
            Some(157)
        );
    }

    #[test]
    fn numbers_fit_and_are_unique() {
        for arch in [Arch::Aie2, Arch::Aie2p, Arch::Aie2ps] {
            for module in [Module::Core, Module::Memory, Module::MemTile, Module::Shim] {
                let mut numbers: Vec<u8> = events(arch, module).map(|(_, n)| n).collect();
                let count = numbers.len();
                assert!(count > 100, "{arch:?} {module} has {count} events");
                numbers.sort();
                numbers.dedup();
                assert_eq!(numbers.len(), count, "{arch:?} {module}");
            }
        }
    }
}
