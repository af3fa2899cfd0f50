//! Remarks on the effect of a transaction's operation or a configuration's command on the array's
//! registers.

use aiec_device::DeviceModel;
use aiec_npu::cdo::Command;
use aiec_npu::txn::Operation;

/// Remarks from a device's register map; none without a device.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegisterRemarks {
    pub(super) device: Option<&'static DeviceModel>,
}

impl RegisterRemarks {
    fn value(&self, address: u32, value: u32) -> Option<String> {
        let place = self.device?.describe(address)?;
        Some(if place.is_memory() {
            place.to_string()
        } else {
            format!("{place}: {}", place.says(value))
        })
    }

    fn masked(&self, address: u32, mask: u32, value: u32) -> Option<String> {
        let place = self.device?.describe(address)?;
        Some(format!("{place}: {}", place.says_masked(mask, value)))
    }

    fn place(&self, address: u32) -> Option<String> {
        Some(self.device?.describe(address)?.to_string())
    }

    /// Effect of a word of a block, unless it is one of many in a memory.
    pub(super) fn word(&self, address: u32, value: u32) -> Option<String> {
        let place = self.device?.describe(address)?;
        (!place.is_memory()).then(|| format!("{place}: {}", place.says(value)))
    }

    pub(super) fn operation(&self, operation: &Operation) -> Option<String> {
        match operation {
            Operation::Write { register, value } => self.value(*register, *value),
            Operation::MaskWrite {
                register,
                value,
                mask,
            } => self.masked(*register, *mask, *value),
            Operation::MaskPoll {
                register,
                value,
                mask,
            }
            | Operation::MaskPollBusy {
                register,
                value,
                mask,
            } => Some(format!("until {}", self.masked(*register, *mask, *value)?)),
            Operation::BlockWrite { register, .. } => self.place(*register),
            Operation::DdrPatch {
                register,
                argument,
                plus,
            } => {
                let place = self.place(*register)?;
                Some(format!("{place}: argument {argument} + {plus} bytes"))
            }
            Operation::CreateScratchpad { size, .. } => Some(format!(
                "{size} bytes of the host, the words that updates add"
            )),
            Operation::UpdateReg {
                index,
                function,
                argument,
                register,
            } => {
                let place = self.place(*register)?;
                let sign = ["×", "+", "-"].get(usize::from(*function))?;
                Some(format!(
                    "{place}: adds word {index} of the scratchpad {sign} {argument}"
                ))
            }
            Operation::WaitTct {
                direction,
                row,
                column,
                rows,
                columns,
                channel,
            } => {
                let dir = if *direction == 0 { "S2MM" } else { "MM2S" };
                let tiles = match (rows, columns) {
                    (1, 1) => format!("tile ({column},{row})"),
                    _ => format!("{columns} × {rows} tiles from ({column},{row}) on"),
                };
                Some(format!("a token of {dir} {channel} of {tiles}"))
            }
            _ => None,
        }
    }

    pub(super) fn command(&self, command: &Command) -> Option<String> {
        let short = |address: u64| u32::try_from(address).ok();
        match command {
            Command::Write { register, value } => self.value(short(register.address())?, *value),
            Command::MaskWrite {
                register,
                mask,
                value,
            } => self.masked(short(register.address())?, *mask, *value),
            Command::MaskPoll {
                register,
                mask,
                value,
                ..
            } => {
                let masked = self.masked(short(register.address())?, *mask, *value)?;
                Some(format!("until {masked}"))
            }
            Command::DmaWrite { address, .. } => self.place(short(*address)?),
            Command::Nop { .. } => None,
        }
    }
}
