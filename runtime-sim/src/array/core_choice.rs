//! Execution of the cores that start: kernels, functions that they are bound to.

use std::collections::BTreeMap;

use aiec_core::OldRead;
use aiec_device::TileLoc;

use super::Array;
use crate::core::{BoundCore, CoreSettings, Kernels, has_name};

impl Array {
    /// Sets the kernels that cores can call that start from now on, and the costs of their operations.
    pub fn set_kernels(&mut self, kernels: Kernels) {
        let before = std::mem::take(&mut self.core_settings);
        self.core_settings = CoreSettings {
            no_loop_fusion: before.no_loop_fusion,
            bound: before.bound,
            strict: before.strict,
            old_reads: before.old_reads,
            ..CoreSettings::new(kernels)
        };
    }

    /// Makes it a fault of machine code that starts from now on if it depends on latencies,
    /// alignment or missing memory.
    pub fn set_core_strict(&mut self, strict: bool) {
        self.core_settings.strict = strict;
    }

    /// Takes reads of old values of machine code that starts from now on as meant.
    pub fn allow_old_reads(&mut self, reads: BTreeMap<TileLoc, Vec<OldRead>>) {
        self.core_settings.old_reads = reads;
    }

    /// Binds cores that start from now on to targets other than the contents of their program
    /// memory.
    pub fn bind_cores(&mut self, bound: BTreeMap<TileLoc, BoundCore>) {
        self.core_settings.bound = bound;
    }

    /// The bound cores, and whether each was enabled since the start of the run.
    pub fn bound_cores(&self) -> impl Iterator<Item = (TileLoc, &BoundCore, bool)> {
        let bound = self.core_settings.bound.iter();
        bound.map(|(tile, bound)| {
            let started = self
                .grid
                .index(*tile)
                .is_some_and(|i| self.view().core_stats(i).is_some());
            (*tile, bound, started)
        })
    }

    /// Names whose cycles the user set, but which are neither operations nor kernels that a core
    /// that started calls.
    pub fn unknown_kernel_names(&self) -> Vec<String> {
        self.core_settings
            .kernels
            .unknown_names(&self.kernels_called)
    }

    /// Whether the program of a core that started calls a kernel.
    pub fn called_kernel(&self, name: &str) -> bool {
        has_name(&self.kernels_called, name)
    }
}
