//! Effects of the operations of transactions.

use aiec_device::regmap::RegisterRef;
use aiec_device::{ChannelId, DmaDir, TileLoc};
use aiec_npu::txn::{Operation, OperationRow};

use super::{
    Continuation, Done, FOLDED_FROM, Firmware, FirmwareRecord, FirmwareWait, HOST_OFFSET,
    MAX_DEPTH, MAX_RECORDS, Place,
};
use crate::array::{Array, FirmwareProgram, ThreadName};
use crate::npu::state_table::{ADDRESS_MASK, WORDS};

/// Whether there is such a channel, and it can send tokens.
fn sends_tokens(array: &Array, channel: ChannelId) -> bool {
    let kind = array.device().tile_kind(channel.tile);
    let actor = |kind| {
        let arch = array.device().arch();
        arch.actor_id(kind, channel.dir, channel.index)
    };
    kind.and_then(actor).is_some()
}

impl Firmware {
    pub(super) fn write(&mut self, array: &mut Array, address: u32, value: u32, at: Place) -> Done {
        self.time += self.timing.instruction + self.timing.bus_write;
        self.stats.words += 1;
        let written = array.bus_write(self.time, address, value);
        written.map_err(|fault| self.bus(at, fault))
    }

    fn read(&mut self, array: &mut Array, address: u32, at: Place) -> Done<u32> {
        self.time += self.timing.instruction + self.timing.bus_read;
        let read = array.bus_read(self.time, address);
        read.map_err(|fault| self.bus(at, fault))
    }

    /// A word of which the firmware changes bits and keeps the others. In the memory of a tile nothing need have
    /// written it: buffers of scratchpad parameters hold their values in the word before.
    fn read_kept(&mut self, array: &mut Array, address: u32, at: Place) -> Done<u32> {
        let (tile, offset) = array.device().split_address(address);
        let map = array.device().register_map(tile);
        let register = map.and_then(|map| map.decode(offset));
        if !matches!(register, Some(RegisterRef::DataMemory { .. })) {
            return self.read(array, address, at);
        }
        self.time += self.timing.instruction + self.timing.bus_read;
        array.advance(self.time);
        Ok(array.peek_register(tile, offset).unwrap_or_default())
    }

    pub(super) fn mask_write(
        &mut self,
        array: &mut Array,
        address: u32,
        (mask, value): (u32, u32),
        at: Place,
    ) -> Done {
        let old = self.read(array, address, at)?;
        self.write(array, address, old & !mask | value & mask, at)
    }

    /// Consecutive words, in bursts as a uC-DMA of CERT moves them.
    pub(super) fn block(
        &mut self,
        array: &mut Array,
        address: u32,
        words: &[u32],
        at: Place,
    ) -> Done {
        self.time += self.timing.instruction + self.timing.dma_start;
        let burst = self.timing.dma_burst_words.max(1) as usize;
        for (index, words) in words.chunks(burst).enumerate() {
            self.time += self.timing.burst(words.len() as u64);
            for (k, word) in words.iter().enumerate() {
                let offset = 4 * (burst * index + k);
                let address = u32::try_from(offset)
                    .ok()
                    .and_then(|o| address.checked_add(o));
                let address =
                    address.ok_or_else(|| self.refuse(at, "the block leaves the array"))?;
                let written = array.bus_write(self.time, address, *word);
                written.map_err(|fault| self.bus(at, fault))?;
            }
        }
        self.stats.words += words.len() as u64;
        Ok(())
    }

    pub(super) fn poll(
        &mut self,
        array: &mut Array,
        (address, mask, value): (u32, u32, u32),
        at: Place,
    ) -> Done {
        let read = self.read(array, address, at)?;
        if read & mask == value {
            self.wait = None;
            self.progress = self.time;
            array.poll_succeeded(ThreadName::Firmware, 0, address);
        } else {
            let retry = self.time + self.timing.poll_interval;
            let wait = FirmwareWait::Poll {
                address,
                mask,
                value,
                retry,
            };
            self.wait = Some((wait, at.0, at.1));
        }
        Ok(())
    }

    pub(super) fn operation(
        &mut self,
        array: &mut Array,
        operation: &Operation,
        offset: usize,
    ) -> Done {
        let name = OperationRow::of_operation(operation).map_or("CUSTOM_OP", |row| row.name);
        let at = (name, offset);
        self.stats.operations += 1;
        self.progress = self.time;
        self.begin_operation(array, at);
        match operation {
            Operation::Write { register, value } => self.write(array, *register, *value, at),
            Operation::BlockWrite { register, words } => self.block(array, *register, words, at),
            Operation::MaskWrite {
                register,
                value,
                mask,
            } => self.mask_write(array, *register, (*mask, *value), at),
            Operation::MaskPoll {
                register,
                value,
                mask,
            }
            | Operation::MaskPollBusy {
                register,
                value,
                mask,
            } => self.poll(array, (*register, *mask, *value), at),
            // program memory is loaded by the operations that follow
            Operation::Noop {} | Operation::LoadPmStart { .. } => {
                self.time += self.timing.instruction;
                Ok(())
            }
            Operation::Preempt { level } => self.preempt(array, *level, at),
            Operation::LoadPdi { id, .. } => self.load_pdi(array, u32::from(*id), at),
            Operation::CreateScratchpad { size, address, .. } => {
                self.create_scratchpad(array, *size, *address, at)
            }
            Operation::UpdateStateTable {
                index,
                function,
                argument,
            } => {
                self.time += self.timing.instruction;
                let updated = self.table.update(*index, *function, *argument);
                updated.map_err(|why| self.refuse(at, why))
            }
            Operation::UpdateReg {
                index,
                function,
                argument,
                register,
            } => {
                let delta = self.table.combined(*index, *function, *argument);
                let delta = delta.map_err(|why| self.refuse(at, why))?;
                self.add_to_registers(array, *register, u64::from(delta), at)
            }
            Operation::UpdateScratch {} => self.update_scratch(array, at),
            Operation::WaitTct {
                direction,
                row,
                column,
                rows,
                columns,
                channel,
            } => {
                let dir = match direction {
                    0 => DmaDir::S2mm,
                    1 => DmaDir::Mm2s,
                    _ => return Err(self.refuse(at, format!("{direction} isn't a direction"))),
                };
                let tiles = (0..*columns).flat_map(|c| (0..*rows).map(move |r| (c, r)));
                let tiles =
                    tiles.map(|(c, r)| TileLoc::new(column.wrapping_add(c), row.wrapping_add(r)));
                let mut wait = Vec::new();
                for tile in tiles {
                    let sender = ChannelId::new(tile, dir, *channel);
                    if !sends_tokens(array, sender) {
                        return Err(self.refuse(at, format!("there is no {sender} to send tokens")));
                    }
                    wait.push(sender);
                }
                self.wait_for(FirmwareWait::Tokens(wait), at)
            }
            Operation::MergeSync { tokens, columns } => {
                let (columns, tokens) = (*columns, u32::from(*tokens));
                self.wait_for(FirmwareWait::Merged { columns, tokens }, at)
            }
            Operation::DdrPatch {
                register,
                argument,
                plus,
            } => self.ddr_patch(array, *register, (*argument, *plus), at),
            Operation::ReadRegs { addresses } => {
                for address in addresses {
                    let register = self.address(*address, at)?;
                    let value = self.read(array, register, at)?;
                    self.keep(FirmwareRecord::Register(*address, value));
                }
                Ok(())
            }
            Operation::RecordTimer { id } => {
                self.time += self.timing.instruction;
                self.keep(FirmwareRecord::Timer(*id, self.time));
                Ok(())
            }
            Operation::Custom { opcode, .. } => {
                let why = format!("nothing is known of operation {opcode}");
                Err(self.refuse(at, why))
            }
        }
    }

    /// Keeps a record for the host, while there is room.
    fn keep(&mut self, record: FirmwareRecord) {
        if self.records.len() < MAX_RECORDS {
            self.records.push(record);
        }
    }

    fn wait_for(&mut self, wait: FirmwareWait, at: Place) -> Done {
        self.time += self.timing.instruction;
        if !self.take_tokens(&wait, self.time) {
            self.wait = Some((wait, at.0, at.1));
        }
        Ok(())
    }

    /// Loads a PDI, unless it is the one that is loaded; the array is reset before.
    fn load_pdi(&mut self, array: &mut Array, id: u32, at: Place) -> Done {
        self.time += self.timing.instruction;
        if self.loaded == Some(id) {
            self.stats.skipped_loads += 1;
            return Ok(());
        }
        if self.stack.len() >= MAX_DEPTH || !self.push_configuration(id) {
            return Err(self.refuse(at, format!("there is no PDI {id}")));
        }
        array.advance(self.time);
        array.reset_partition();
        self.tokens.clear();
        self.loaded = Some(id);
        Ok(())
    }

    /// Puts the address of a buffer into two registers; nothing where the host has patched the
    /// transaction.
    fn ddr_patch(
        &mut self,
        array: &mut Array,
        register: u32,
        (argument, plus): (u32, u64),
        at: Place,
    ) -> Done {
        let Some(arguments) = &self.arguments else {
            self.time += self.timing.instruction;
            return Ok(());
        };
        let Some(&base) = arguments.get(&argument) else {
            let why = format!("no buffer was given for argument {argument}");
            return Err(self.refuse(at, why));
        };
        // a writer has added the offset for further arguments, the firmware adds it for the first
        let mut address = base.wrapping_add(plus);
        if argument >= FOLDED_FROM {
            address = address.wrapping_sub(HOST_OFFSET);
        }
        self.write(array, register, address as u32, at)?;
        let high = register.wrapping_add(4);
        self.mask_write(array, high, (0xFFFF, (address >> 32) as u32), at)
    }

    /// Adds to the 48-bit address in two registers.
    fn add_to_registers(
        &mut self,
        array: &mut Array,
        register: u32,
        delta: u64,
        at: Place,
    ) -> Done {
        let high_register = register.wrapping_add(4);
        let low = self.read(array, register, at)?;
        let high = self.read_kept(array, high_register, at)?;
        let address = u64::from(low & ADDRESS_MASK) | u64::from(high & 0xFFFF) << 32;
        let sum = address.wrapping_add(delta);
        self.write(array, register, sum as u32 & ADDRESS_MASK, at)?;
        let high = high & 0xFFFF_0000 | (sum >> 32) as u32 & 0xFFFF;
        self.write(array, high_register, high, at)
    }

    fn create_scratchpad(&mut self, array: &mut Array, size: u32, address: u64, at: Place) -> Done {
        self.time += self.timing.instruction + self.timing.page_fetch(u64::from(size));
        if size as usize > 4 * WORDS {
            let why = format!("{size} bytes, the state table has {}", 4 * WORDS);
            return Err(self.refuse(at, why));
        }
        let bytes = array.host.read(address, u64::from(size));
        let bytes = bytes.map_err(|fault| self.refuse(at, fault.to_string()))?;
        self.table.fill(bytes, address);
        Ok(())
    }

    fn update_scratch(&mut self, array: &mut Array, at: Place) -> Done {
        let Some((address, length)) = self.table.pad else {
            return Err(self.refuse(at, "no scratch pad was created before"));
        };
        self.time += self.timing.instruction + self.timing.page_fetch(length as u64);
        let bytes = array.host.write(address, length as u64);
        let bytes = bytes.map_err(|fault| self.refuse(at, fault.to_string()))?;
        bytes.copy_from_slice(&self.table.bytes()[..length]);
        Ok(())
    }

    /// A point at which the context may be switched; it is if the options say so.
    fn preempt(&mut self, array: &mut Array, level: u8, at: Place) -> Done {
        self.time += self.timing.instruction;
        let point = self.points;
        self.points = self.points.saturating_add(1);
        if !self.switch_at.contains(&point) || level == 0 {
            return Ok(());
        }
        if self.save.is_empty() || self.restore.is_empty() {
            let why = "the file has no programs that save and restore the context";
            return Err(self.refuse(at, why));
        }
        self.stats.switches += 1;
        array.lend_mem_tiles();
        let save = self.save.clone();
        self.call_transaction(FirmwareProgram::Save, save, Continuation::Switch)
    }

    /// Others had the array: its memory tiles are lost. They are restored, then the array is configured again: the streams
    /// of the program that restores and those of the design lead from the same ports to different tiles.
    pub(super) fn switch_back(&mut self, array: &mut Array) -> Done {
        self.time += self.timing.context_switch;
        array.advance(self.time);
        array.poison_mem_tiles();
        if self.loaded.is_some() {
            array.reset_partition();
        }
        let restore = self.restore.clone();
        self.call_transaction(FirmwareProgram::Restore, restore, Continuation::Configure)
    }

    /// The memory tiles are restored: loads the configuration that was loaded before.
    pub(super) fn configure_again(&mut self, array: &mut Array) {
        if let Some(id) = self.loaded {
            array.advance(self.time);
            array.reset_partition();
            self.push_configuration(id);
        }
    }
}
