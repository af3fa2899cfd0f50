//! The table of operations: a row for each with its fields in both encodings. Reader, writer and
//! sizes derive from it.
//!
//! Sources: mlir-aie `include/aie/Runtime/TxnEncoding.h` and `lib/Targets/AIETargetNPU.cpp`; aie-rt
//! `driver/src/common/xaie_txn.h`; aiebu `src/cpp/analyzer/transaction.cpp`. Operations 9 to 13 and
//! 130 were read in sources only; all others were compared with files of those tools.

/// Where a field lies in an operation: byte offset and width in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldPosition {
    /// Byte offset from the operation's start.
    pub at: usize,
    /// Width in bytes.
    pub width: usize,
}

/// One encoding of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationLayout {
    /// Smallest size in bytes, without what [`Tail`] adds.
    pub least: usize,
    /// Size in bytes as written by us, without what [`Tail`] adds.
    pub usual: usize,
    /// Byte offset of the 32-bit field with the size of the operation in bytes, if it has one.
    pub size_at: Option<usize>,
    /// The fields, in the order of [`OperationRow::fields`].
    pub fields: &'static [FieldPosition],
}

/// Contents after the fields, up to the operation's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// Nothing.
    None,
    /// 32-bit words.
    Words,
    /// 64-bit register addresses, counted by the 32-bit field at this byte offset.
    Addresses(usize),
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationRow {
    /// First byte of the operation.
    pub opcode: u8,
    /// Name in the vendor's text, without `XAIE_IO_`.
    pub name: &'static str,
    /// Its operands in the vendor's text: characters as they are, and fields as `{name:style}`,
    /// see [`super::text`].
    pub text: &'static str,
    /// Effect, one line.
    pub summary: &'static str,
    /// Names of its fields.
    pub fields: &'static [&'static str],
    /// The encoding of version 0.1 (and all but 1.0).
    pub long: OperationLayout,
    /// The encoding of version 1.0.
    pub short: OperationLayout,
    /// Data after the fields.
    pub tail: Tail,
}

/// A field's type: how it is held in memory.
trait FieldValue: Copy {
    fn to_number(self) -> u64;
    fn from_number(number: u64) -> Option<Self>;
}

macro_rules! field_values {
    ($($ty:ty),*) => {$(
        impl FieldValue for $ty {
            fn to_number(self) -> u64 {
                u64::from(self)
            }
            fn from_number(number: u64) -> Option<Self> {
                Self::try_from(number).ok()
            }
        }
    )*};
}
field_values!(u8, u16, u32, u64);

macro_rules! layout {
    ($least:literal .. $usual:literal, $(size $size_at:literal,)? [$($at:literal : $width:literal),*]) => {
        OperationLayout {
            least: $least,
            usual: $usual,
            size_at: [$(Some($size_at),)? None][0],
            fields: &[$(FieldPosition { at: $at, width: $width }),*],
        }
    };
}

macro_rules! operations {
    ($($(#[doc = $doc:literal])+
       $opcode:literal $name:literal $text:literal $variant:ident {
           $($(#[doc = $field_doc:literal])+ $field:ident : $ty:ty),* }
       $(tail $tail_field:ident : $tail_ty:ty = $tail:expr;)?
       long ($($long:tt)*) short ($($short:tt)*);)*) => {
        /// An operation of a transaction.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Operation {
            $($(#[doc = $doc])+
              #[allow(missing_docs)]
              $variant {
                  $($(#[doc = $field_doc])+ $field: $ty,)*
                  $(#[doc = "What follows the fields."] $tail_field: $tail_ty,)?
              },)*
            /// An operation of the firmware's own range (opcodes from 133) of unknown meaning.
            Custom {
                /// First byte.
                opcode: u8,
                /// Bytes from offset 8 on.
                payload: Vec<u8>,
            },
        }

        /// All operations of known meaning, by ascending opcode.
        pub static OPERATIONS: &[OperationRow] = &[$(OperationRow {
            opcode: $opcode,
            name: $name,
            text: $text,
            summary: concat!($($doc),+),
            fields: &[$(stringify!($field)),*],
            long: layout!($($long)*),
            short: layout!($($short)*),
            tail: [$($tail,)? Tail::None][0],
        }),*];

        impl Operation {
            /// First byte of the encoding.
            pub fn opcode(&self) -> u8 {
                match self {
                    $(Self::$variant { .. } => $opcode,)*
                    Self::Custom { opcode, .. } => *opcode,
                }
            }

            /// The values of the fields, in the order of the row.
            pub(super) fn numbers(&self) -> Vec<u64> {
                match self {
                    $(Self::$variant { $($field,)* .. } => vec![$(FieldValue::to_number(*$field)),*],)*
                    Self::Custom { .. } => Vec::new(),
                }
            }

            /// The operation of a row with these values of its fields and without tail; the index
            /// of the field whose value is too large.
            pub(super) fn from_numbers(opcode: u8, numbers: &[u64]) -> Result<Self, usize> {
                let mut index = 0;
                let mut next = || {
                    let number = numbers.get(index).copied().unwrap_or(0);
                    index += 1;
                    (number, index - 1)
                };
                Ok(match opcode {
                    $($opcode => Self::$variant {
                        $($field: {
                            let (number, at) = next();
                            <$ty as FieldValue>::from_number(number).ok_or(at)?
                        },)*
                        $($tail_field: <$tail_ty>::default(),)?
                    },)*
                    _ => {
                        let _ = next();
                        Self::Custom { opcode, payload: Vec::new() }
                    }
                })
            }
        }
    };
}

operations! {
    /// writes a register
    0 "WRITE" "@{register:x}, {value:x}" Write {
        /// Byte address of the register.
        register: u32,
        /// The word.
        value: u32 }
    long (24..24, size 20, [8:8, 16:4]) short (12..12, [4:4, 8:4]);
    /// writes consecutive registers
    1 "BLOCKWRITE" "@{register:x}" BlockWrite {
        /// Byte address of the first register.
        register: u32 }
    tail words: Vec<u32> = Tail::Words;
    long (16..16, size 12, [8:4]) short (12..12, size 8, [4:4]);
    /// changes the bits under a mask
    3 "MASKWRITE" "@{register:x}, {mask:x}(), {value:x}" MaskWrite {
        /// Byte address of the register.
        register: u32,
        /// The bits' new values.
        value: u32,
        /// The bits to change.
        mask: u32 }
    long (28..28, size 24, [8:8, 16:4, 20:4]) short (16..16, [4:4, 8:4, 12:4]);
    /// waits until the bits under a mask have a value
    4 "MASKPOLL" "@{register:x}, {mask:x}()=={value:x}" MaskPoll {
        /// Byte address of the register.
        register: u32,
        /// The value to wait for.
        value: u32,
        /// The bits to compare.
        mask: u32 }
    long (28..32, size 24, [8:8, 16:4, 20:4]) short (16..16, [4:4, 8:4, 12:4]);
    /// does nothing
    5 "NOOP" "" Noop {}
    long (4..4, []) short (4..4, []);
    /// may switch to another context here
    6 "PREEMPT" "#{level:level}" Preempt {
        /// Saved state: 0 nothing, 1 memory tiles, 2 core tiles, 3 registers.
        level: u8 }
    long (4..4, [1:1]) short (4..4, [1:1]);
    /// waits until the bits under a mask have a value, without yielding
    7 "MASKPOLL_BUSY" "@{register:x}, {mask:x}()=={value:x}" MaskPollBusy {
        /// Byte address of the register.
        register: u32,
        /// The value to wait for.
        value: u32,
        /// The bits to compare.
        mask: u32 }
    long (28..32, size 24, [8:8, 16:4, 20:4]) short (16..16, [4:4, 8:4, 12:4]);
    /// configures the array by a PDI
    8 "LOADPDI" "#{id:d}, {size:x}, {address:x}" LoadPdi {
        /// Number of the PDI.
        id: u16,
        /// Its size in bytes, if it is known (mlir-aie writes 0).
        size: u32,
        /// Its device address; the host patches it.
        address: u64 }
    long (16..16, [2:2, 4:4, 8:8]) short (16..16, [2:2, 4:4, 8:8]);
    /// loads program memory by control packets in the operations that follow
    9 "LOAD_PM_START" "{count:x}, #{id:d}" LoadPmStart {
        /// Number of operations that belong to it (24 bits).
        count: u32,
        /// Number of the control packet buffer.
        id: u32 }
    long (8..8, [1:3, 4:4]) short (8..8, [1:3, 4:4]);
    /// copies the host's scratch pad into the state table
    10 "CREATE_SCRATCHPAD" "#{usage:d}, {size:x}, {address:x}" CreateScratchpad {
        /// Purpose: 0 for the state table.
        usage: u8,
        /// Its size in bytes, at most 128.
        size: u32,
        /// Its device address; the host patches it.
        address: u64 }
    long (16..16, [1:1, 4:4, 8:8]) short (16..16, [1:1, 4:4, 8:8]);
    /// changes an entry of the state table
    11 "UPDATE_STATE_TABLE" "#{index:d}, #{function:function}, {argument:x}" UpdateStateTable {
        /// Entry.
        index: u8,
        /// 0 multiply, 1 increment, 2 decrement.
        function: u8,
        /// Second operand.
        argument: u32 }
    long (8..8, [1:1, 2:1, 4:4]) short (8..8, [1:1, 2:1, 4:4]);
    /// adds an entry of the state table to an address in two registers
    12 "UPDATE_REG" "#{index:d}, #{function:function}, {argument:x}, @{register:x}" UpdateReg {
        /// Entry.
        index: u8,
        /// 0 multiply, 1 increment, 2 decrement.
        function: u8,
        /// Second operand.
        argument: u32,
        /// Byte address of the register with the low word.
        register: u32 }
    long (12..12, [1:1, 2:1, 4:4, 8:4]) short (12..12, [1:1, 2:1, 4:4, 8:4]);
    /// copies the state table back to the host
    13 "UPDATE_SCRATCH" "" UpdateScratch {}
    long (4..4, []) short (4..4, []);
    /// waits for a token of a channel of each of some tiles
    128 "CUSTOM_OP_TCT" "R[{row:d}]+{rows:d}, C[{column:d}]+{columns:d}, #DMA_{direction:direction}, {channel:d}" WaitTct {
        /// 0 S2MM, 1 MM2S.
        direction: u8,
        /// First row.
        row: u8,
        /// First column.
        column: u8,
        /// Number of rows.
        rows: u8,
        /// Number of columns.
        columns: u8,
        /// Number of the channel.
        channel: u8 }
    long (16..16, size 4, [8:1, 9:1, 10:1, 13:1, 14:1, 15:1])
    short (16..16, size 4, [8:1, 9:1, 10:1, 13:1, 14:1, 15:1]);
    /// puts the address of a host buffer into two registers
    129 "CUSTOM_OP_DDR_PATCH" "@{register:x}, #{argument:d}, +{plus:x}" DdrPatch {
        /// Byte address of the register with the low word.
        register: u32,
        /// Which of the run's buffers.
        argument: u32,
        /// Bytes to add.
        plus: u64 }
    long (48..48, size 4, [24:8, 32:8, 40:8]) short (24..24, size 4, [8:4, 12:1, 16:8]);
    /// reads registers for the host
    130 "CUSTOM_OP_READ_REGS" "" ReadRegs {}
    tail addresses: Vec<u64> = Tail::Addresses(8);
    long (16..16, size 4, []) short (16..16, size 4, []);
    /// records the time for the host
    131 "CUSTOM_OP_RECORD_TIMER" "#{id:d}" RecordTimer {
        /// Number of the record.
        id: u32 }
    long (12..12, size 4, [8:4]) short (12..12, size 4, [8:4]);
    /// waits for tokens from some columns
    132 "CUSTOM_OP_MERGE_SYNC" "C[{columns:d}]=={tokens:d}" MergeSync {
        /// Number of tokens.
        tokens: u8,
        /// Number of columns.
        columns: u8 }
    long (12..16, size 4, [8:1, 9:1]) short (12..12, size 4, [8:1, 9:1]);
}

/// First opcode of the firmware's own range.
const CUSTOM_FIRST: u8 = 128;
/// aie-rt's mark of the end of a program memory load, never in a file.
const LOAD_PM_END: u8 = 200;

impl OperationRow {
    /// The row of an opcode.
    pub fn of(opcode: u8) -> Option<&'static OperationRow> {
        let at = OPERATIONS.binary_search_by_key(&opcode, |row| row.opcode);
        at.ok().map(|at| &OPERATIONS[at])
    }

    /// The row of an operation; `None` for one of unknown meaning.
    pub fn of_operation(operation: &Operation) -> Option<&'static OperationRow> {
        OperationRow::of(operation.opcode())
    }

    /// Why operations with an opcode that has no row can't be read; `None` if they can be skipped.
    pub(super) fn unknown(opcode: u8) -> Option<String> {
        let why = match opcode {
            2 => "BLOCKSET, which writers replace by BLOCKWRITE",
            14 | 15 => "a shim DMA configuration, which is never written to files",
            LOAD_PM_END => "the end of a program memory load, which is never written to files",
            CUSTOM_FIRST.. => return None,
            _ => "unknown",
        };
        Some(format!("the operation with opcode {opcode} is {why}"))
    }

    /// The encoding in a version.
    pub(super) fn layout(&self, short: bool) -> &OperationLayout {
        if short { &self.short } else { &self.long }
    }
}
