//! Accesses of cores to registers of their own tile.

use super::Array;
use super::fault::FaultKind;
use crate::core::RegisterAccess;

impl Array {
    /// Performs a core's access to a register of its tile. How long the processor bus takes is
    /// unconfirmed: here the access takes place at once.
    pub(super) fn access_register(&mut self, tile: usize, access: RegisterAccess) {
        let RegisterAccess { offset, write } = access;
        let word = match (self.decode_local(tile, offset), write) {
            (Some(register), Some(value)) => {
                self.write_register(tile, register, offset, value);
                value
            }
            (Some(register), None) => self.read_register(tile, register, offset),
            (None, _) => {
                let kind = FaultKind::Core {
                    tile: self.grid.loc(tile),
                    message: format!("it accesses {offset:#x}, where its tile has no register"),
                };
                self.log.fault(self.now, kind);
                if let Some(core) = &mut self.cores[tile] {
                    core.fail();
                }
                return;
            }
        };
        if let Some(core) = &mut self.cores[tile] {
            core.register_word = Some(word);
        }
    }
}
