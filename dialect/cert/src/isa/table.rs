//! THE instruction table (aiebu: specification/aie2ps/isa-spec.yaml).
//!
//! A row: opcode, mnemonic, size in bytes, where it may be, which targets have it, `bus` and its
//! access to the register bus if it makes one, and its fields in text order: type, kind, byte
//! offset. `L` is a label, `S` a scope; both are 16 bits wide. Bytes that no field names are zero.
//! An operand after `or` may be left out.

use aiec_diag::Diag;

use super::define::{bus_access, define_isa, field_bits, field_map, field_operand, field_take};
use super::field::{
    ArgOffset, Barrier, FieldInfo, FieldKind, FieldValue, FlowClass, OpInfo, Operand,
    OptionalOperand, Reg, TargetSet,
};
use crate::names::{ActorId, TileId};

define_isa! {
    /// Begins a job that is scheduled at once.
    StartJob = 0x00 "START_JOB" 8 JobStart All {
        /// Number of the job.
        job_id: u16 as Job @ 2,
        /// Bytes from START_JOB through END_JOB.
        job_size: u16 as JobSize @ 4,
    }
    /// Queues a chain of uC-DMA descriptors; goes on before it is done.
    UcDmaWriteDes = 0x01 "UC_DMA_WRITE_DES" 8 Body All {
        /// Register that receives the handle to wait for.
        wait_handle: Reg as Register @ 2,
        /// First descriptor of the chain.
        descriptor: L as Label @ 4,
    }
    /// Blocks until the chain of a handle is done.
    WaitUcDma = 0x02 "WAIT_UC_DMA" 4 Body All {
        /// Register that holds the handle.
        wait_handle: Reg as Register @ 2,
    }
    /// Reads a register of the array, changes the bits under the mask, writes it.
    MaskWrite32 = 0x03 "MASK_WRITE_32" 16 Body All bus ReadWrite {
        /// Address in the array.
        address: u32 as Address @ 4,
        /// Bits to change.
        mask: u32 as Number @ 8,
        /// Their new values.
        value: u32 as Number @ 12,
    }
    /// Runs the pages of a scope that load core programs, unless these were loaded last.
    LoadCores = 0x04 "LOAD_CORES" 12 Body All {
        /// Identifier of the set of core programs, unique in the file.
        core_elf_id: u32 as Number @ 4,
        /// Scope to run.
        scope: S as Scope @ 8,
    }
    /// Writes a register of the array; complete when the instruction ends.
    Write32 = 0x05 "WRITE_32" 12 Body All bus Write {
        /// Address in the array.
        address: u32 as Address @ 4,
        /// The word.
        value: u32 as Number @ 8,
    }
    /// Blocks until a number of task-complete tokens has come from an actor of a tile.
    WaitTcts = 0x06 "WAIT_TCTS" 8 Body All {
        /// Tile that sends.
        tile: TileId as Tile @ 2,
        /// Actor in that tile.
        actor: ActorId as Actor @ 4,
        /// Number of tokens.
        target_tcts: u8 as Number @ 6,
    }
    /// Ends a job.
    EndJob = 0x07 "END_JOB" 4 JobEnd All {}
    /// Lets other jobs run.
    Yield = 0x08 "YIELD" 4 Body All {}
    /// Runs a chain of uC-DMA descriptors; blocks until it is done.
    UcDmaWriteDesSync = 0x09 "UC_DMA_WRITE_DES_SYNC" 4 Body All {
        /// First descriptor of the chain.
        descriptor: L as Label @ 2,
    }
    /// Writes a register of the array; address and value may come from registers.
    Write32D = 0x0B "WRITE_32_D" 12 Body All bus Write {
        /// Bit 0: the address is immediate; bit 1: the value is. Else they are register numbers.
        flags: u8 as Number @ 2,
        /// Address, or number of the register that holds it.
        address: u32 as Address @ 4,
        /// Value, or number of the register that holds it.
        value: u32 as Number @ 8,
    }
    /// Reads a register of the array.
    Read32 = 0x0C "READ_32" 8 Body All bus Read {
        /// Register that receives the value.
        value: Reg as Register @ 2,
        /// Address in the array.
        address: u32 as Address @ 4,
    }
    /// Reads a register of the array whose address is in a register.
    Read32D = 0x0D "READ_32_D" 4 Body All bus Read {
        /// Register that holds the address.
        address: Reg as Register @ 2,
        /// Register that receives the value.
        value: Reg as Register @ 3,
    }
    /// Adds the address of a host argument to the shim BD images of a table.
    ApplyOffset57 = 0x0E "APPLY_OFFSET_57" 8 Body All {
        /// First image.
        table: L as Label @ 2,
        /// Number of images: this label and those defined after it.
        num_entries: u16 as Number @ 4,
        /// Host argument.
        offset: ArgOffset as Argument @ 6,
    }
    or pad "Scratch pad (@name) whose address the assembler adds to the images itself."
    /// Adds an immediate to a register; wraps at 32 bits.
    Add = 0x0F "ADD" 8 Body All {
        /// Register to change.
        dest: Reg as Register @ 2,
        /// Summand.
        value: u32 as Number @ 4,
    }
    /// Sets a register.
    Mov = 0x10 "MOV" 8 Body All {
        /// Register to set.
        dest: Reg as Register @ 2,
        /// Its new value.
        value: u32 as Number @ 4,
    }
    /// Blocks until a number of jobs of this controller have come here.
    LocalBarrier = 0x11 "LOCAL_BARRIER" 4 Body All {
        /// Which barrier.
        barrier: Barrier as LocalBarrier @ 2,
        /// Number of jobs that meet.
        num_participants: u8 as Number @ 3,
    }
    /// Blocks until one job of each controller of a set has come here.
    RemoteBarrier = 0x12 "REMOTE_BARRIER" 8 Body All {
        /// Which barrier.
        barrier: Barrier as RemoteBarrier @ 2,
        /// Bit i is controller i.
        party_mask: u32 as Number @ 4,
    }
    /// Waits until a register of the array has a value; other jobs go on meanwhile.
    Poll32 = 0x13 "POLL_32" 12 Body All bus Read {
        /// Address in the array.
        address: u32 as Address @ 4,
        /// The value to wait for.
        value: u32 as Number @ 8,
    }
    /// Waits until the bits of a register under a mask have a value; other jobs go on meanwhile.
    MaskPoll32 = 0x14 "MASK_POLL_32" 16 Body All bus Read {
        /// Address in the array.
        address: u32 as Address @ 4,
        /// Bits to compare.
        mask: u32 as Number @ 8,
        /// The value to wait for.
        value: u32 as Number @ 12,
    }
    /// Replaces an instruction that a dynamic probe replaced; never in a program.
    Trace = 0x15 "TRACE" 4 Body All {
        /// Number of the probe.
        info: u16 as Number @ 2,
    }
    /// Does nothing.
    Nop = 0x16 "NOP" 4 Body All {}
    /// Begins a job that runs only when another one launches it.
    StartJobDeferred = 0x17 "START_JOB_DEFERRED" 8 JobStart All {
        /// Number of the job.
        job_id: u16 as Job @ 2,
        /// Bytes from START_JOB_DEFERRED through END_JOB.
        job_size: u16 as JobSize @ 4,
    }
    /// Schedules a deferred job, before all others.
    LaunchJob = 0x18 "LAUNCH_JOB" 4 Body All {
        /// Number of the job.
        job_id: u16 as Job @ 2,
    }
    /// A point where the context may be switched.
    Preempt = 0x19 "PREEMPT" 8 Body Aie4 {
        /// Identifier of the point, the same on all controllers.
        id: u16 as Number @ 2,
        /// Scope that saves the context.
        save: S as Scope @ 4,
        /// Scope that restores it.
        restore: S as Scope @ 6,
    }
    or map "Label of words (@name) that say which memory is worth saving: a bit for each 64 KiB."
    /// Runs the pages of a scope that configure the array, unless that was loaded last.
    LoadPdi = 0x1A "LOAD_PDI" 12 Body All {
        /// Identifier of the configuration, unique in the file.
        pdi_id: u32 as Number @ 4,
        /// Scope to run.
        scope: S as Scope @ 8,
    }
    /// Loads again what was loaded last.
    LoadLastPdi = 0x1B "LOAD_LAST_PDI" 4 Body All {}
    /// Records the time.
    SaveTimestamps = 0x1C "SAVE_TIMESTAMPS" 8 Body All {
        /// Identifier of the record.
        unq_id: u32 as Number @ 4,
    }
    /// Waits without letting other jobs run.
    Sleep = 0x1D "SLEEP" 8 Body All {
        /// Microseconds.
        target: u32 as Number @ 4,
    }
    /// Records the value of a register of the array.
    SaveRegister = 0x1E "SAVE_REGISTER" 12 Body All bus Read {
        /// Address in the array.
        address: u32 as Address @ 4,
        /// Identifier of the record.
        unq_id: u32 as Number @ 8,
    }
    /// Begins a job that runs only if the last preemption point preempted.
    StartCondJobPreempt = 0x1F "START_COND_JOB_PREEMPT" 8 JobStart All {
        /// Number of the job.
        job_id: u16 as Job @ 2,
        /// Bytes from START_COND_JOB_PREEMPT through END_JOB.
        job_size: u16 as JobSize @ 4,
    }
    /// The code after it loads core programs by control packets; skipped if they were loaded.
    LoadCoresCp = 0x20 "LOAD_CORES_CP" 8 Body All {
        /// Identifier of the set of core programs, unique in the file.
        core_elf_id: u32 as Number @ 4,
    }
    /// Releases one lock and waits for another by their request addresses; lets no job run.
    RelAcqSync = 0x21 "REL_ACQ_SYNC" 12 Body All bus Read {
        /// Request address that releases.
        release: u32 as Address @ 4,
        /// Request address that acquires.
        acquire: u32 as Address @ 8,
    }
    /// Reads a word of an external address, of the host's memory or of programmable logic, through
    /// the uC-DMA until its bits under a mask have a value; lets no job run.
    UcDmaMaskPollExt = 0x22 "UC_DMA_MASK_POLL_EXT" 20 Body All {
        /// Bits 63:32 of the address.
        address_high: u32 as Number @ 4,
        /// Bits 31:0 of the address.
        address_low: u32 as Number @ 8,
        /// Bits to compare.
        mask: u32 as Number @ 12,
        /// The value to wait for.
        value: u32 as Number @ 16,
    }
    /// Marks a block of 10 words that starts a kernel of programmable logic: the host adds the
    /// address of an argument to its words 8 and 9.
    ApplyOffsetPl = 0x23 "APPLY_OFFSET_PL" 8 Body All {
        /// The block.
        table: L as Label @ 2,
        /// Host argument.
        buffer_id: u16 as Number @ 4,
    }
    /// Ends the text of a page.
    Eof = 0xFF "EOF" 4 PageEnd All {}
}
