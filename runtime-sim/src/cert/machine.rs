//! All controllers on one clock.

use super::fault::{CertFault, InstructionFault, InstructionSite};
use super::sync::{JobKey, SharedState};
use super::vm::{LoadedUc, Vm};
use crate::array::{Array, ControlOrder, ThreadName, TraceEvent};
use crate::npu::Firmware;
use crate::race::Site;
use crate::time::Cycle;
use aiec_cert::timing::CertTiming;

/// The controllers of a partition: those of CERT, or the firmware of an NPU.
#[derive(Clone, Debug)]
pub struct Machine {
    vms: Vec<Vm>,
    /// The firmware of an NPU, which has no controllers.
    pub firmware: Option<Firmware>,
    /// Their shared state.
    pub shared: SharedState,
    timing: CertTiming,
}

/// Who acts next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NextStep {
    Dma(usize),
    Vm(usize),
    Firmware,
}

impl Machine {
    /// Controllers that begin to fetch their first pages in a cycle.
    pub fn new(code: &[LoadedUc], timing: CertTiming, start: Cycle) -> Self {
        let vms: Vec<Vm> = code
            .iter()
            .enumerate()
            .map(|(i, uc)| Vm::new(i, uc, &timing, start))
            .collect();
        Self {
            shared: SharedState::new(vms.len()),
            vms,
            firmware: None,
            timing,
        }
    }

    /// A firmware in the place of controllers.
    pub fn with_firmware(firmware: Firmware, timing: CertTiming) -> Self {
        Self {
            shared: SharedState::new(0),
            vms: Vec::new(),
            firmware: Some(firmware),
            timing,
        }
    }

    /// The controllers, in the order of their code.
    pub fn controllers(&self) -> &[Vm] {
        &self.vms
    }

    /// True when all controllers are done.
    pub fn is_done(&self) -> bool {
        self.vms.iter().all(Vm::is_done) && self.firmware.as_ref().is_none_or(Firmware::is_done)
    }

    /// When the last controller was done, or has acted last.
    pub fn time(&self) -> Cycle {
        let times = self.vms.iter().map(|vm| vm.time);
        times
            .chain(self.firmware.as_ref().map(Firmware::time))
            .max()
            .unwrap_or(0)
    }

    /// When a controller last did anything but look at a register.
    pub fn last_progress(&self) -> Cycle {
        let times = self.vms.iter().map(|vm| vm.progress);
        let firmware = self.firmware.as_ref().map(Firmware::last_progress);
        times.chain(firmware).max().unwrap_or(0)
    }

    fn next_step(&self) -> Option<(Cycle, NextStep)> {
        let mut next: Option<(Cycle, NextStep)> = None;
        let mut offer = |at: Option<Cycle>, who| {
            if let Some(at) = at
                && next.is_none_or(|(first, _)| at < first)
            {
                next = Some((at, who));
            }
        };
        for (i, vm) in self.vms.iter().enumerate() {
            offer(vm.dma.next(), NextStep::Dma(i));
            offer(vm.next(), NextStep::Vm(i));
        }
        offer(
            self.firmware.as_ref().and_then(Firmware::next),
            NextStep::Firmware,
        );
        next
    }

    /// The next cycle in which a controller or a uC-DMA acts by itself.
    pub fn next(&self) -> Option<Cycle> {
        self.next_step().map(|(at, _)| at)
    }

    /// True if all that controllers can do by themselves is look at registers.
    pub fn only_polls(&self) -> bool {
        self.vms.iter().all(Vm::only_polls)
            && self.firmware.as_ref().is_none_or(Firmware::only_polls)
    }

    /// Lets the controller or uC-DMA that is next act once.
    pub fn step(&mut self, array: &mut Array) -> Result<(), CertFault> {
        match self.next_step() {
            Some((_, NextStep::Vm(i))) => {
                self.vms[i].step(array, &mut self.shared, &self.timing)?;
            }
            Some((_, NextStep::Dma(i))) => self.step_dma(i, array)?,
            Some((_, NextStep::Firmware)) => self.step_firmware(array)?,
            None => {}
        }
        self.deliver(array);
        Ok(())
    }

    fn step_firmware(&mut self, array: &mut Array) -> Result<(), CertFault> {
        match &mut self.firmware {
            Some(firmware) => {
                array.act_as(Some((ThreadName::Firmware, Site(0))));
                firmware.step(array).map_err(CertFault::Firmware)
            }
            None => Ok(()),
        }
    }

    fn step_dma(&mut self, i: usize, array: &mut Array) -> Result<(), CertFault> {
        let vm = &mut self.vms[i];
        let (at, before) = (vm.dma.next(), vm.dma.words);
        let chain = vm.dma.current();
        let done = vm.dma.step(array, &self.timing).map_err(|fault| {
            let site = InstructionSite {
                uc: vm.uc,
                page: vm.running().last().map_or(0, |run| run.number),
                offset: 0,
                mnemonic: "UC_DMA_BD",
            };
            InstructionFault::Bus(fault).at(site)
        })?;
        if let (Some(at), uc) = (at, vm.uc as u8) {
            let words = (vm.dma.words - before) as u32;
            let until = done.map(|(_, end)| end).or(vm.dma.next()).unwrap_or(at);
            vm.trace(array, at, || TraceEvent::UcDma {
                uc,
                chain,
                words,
                until,
            });
        }
        if let Some((handle, end)) = done {
            let chain = vm.dma.thread_of(handle);
            let waiting = vm.jobs_behind(handle);
            let after = |job: JobKey| Some(ControlOrder::After(job.thread(), chain?));
            array.control_orders(waiting.into_iter().filter_map(after));
            vm.dma_done(handle, end + self.timing.dma_end);
        }
        Ok(())
    }

    /// Lets all polling jobs look once more; `false` if none saw what it waits for.
    pub fn look_again(&mut self, array: &mut Array) -> Result<bool, CertFault> {
        for vm in &mut self.vms {
            vm.look_all(array, &mut self.shared, &self.timing)?;
        }
        self.step_firmware(array)?;
        self.deliver(array);
        Ok(!self.only_polls() || array.next_event().is_some())
    }

    /// Hands tokens and releases to the jobs that wait for them.
    pub fn deliver(&mut self, array: &mut Array) {
        if array.has_tokens() {
            for column in 0..array.device().columns() {
                for token in array.take_tokens(column) {
                    match &mut self.firmware {
                        Some(firmware) => firmware.add_token(array, &token),
                        None => self.shared.add_token(token),
                    }
                }
            }
        }
        array.control_orders(self.shared.orders.drain(..));
        if let Some(firmware) = &mut self.firmware {
            array.control_orders(firmware.take_orders());
        }
        for (key, at) in std::mem::take(&mut self.shared.wake) {
            let JobKey { vm, .. } = key;
            if let Some(vm) = self.vms.get_mut(vm) {
                vm.wake(key, at);
            }
        }
    }
}
