//! The 40 registers of the CMP, by field (oneAPI Construction Kit: RefSi command processor).

use std::fmt;

use crate::memory_map::WINDOWS;

/// Encoding of a field, and how it is written in text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldForm {
    /// A number as it is.
    Number,
    /// Bytes, encoded in units of 256.
    Bytes256,
    /// A number of at least 1, encoded less 1.
    LessOne,
    /// A factor, encoded as 0 for 0, else 1 more than the exponent of a power of two: command
    /// buffers mean that of `refsidrv`, not 2^code.
    Power,
    /// A window's mode by name.
    Mode,
    /// Permissions: letters of `rwx`.
    Perms,
}

/// A field of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterField {
    /// Name.
    pub name: &'static str,
    /// Lowest bit.
    pub low: u32,
    /// Width in bits.
    pub bits: u32,
    /// Form of the value.
    pub form: FieldForm,
    /// Description.
    pub doc: &'static str,
}

/// A register, or a row of eight, one for each window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterInfo {
    /// Number of the (first) register.
    pub id: u32,
    /// Name, without the window's number.
    pub name: &'static str,
    /// Whether there are eight, one for each window.
    pub per_window: bool,
    /// Fields from bit 0 up; bits between them are reserved.
    pub fields: &'static [RegisterField],
}

/// The table: the number of each register by its name, and its fields: lowest bit, width, name, form,
/// what it is. From the windows' registers on there are eight of each.
macro_rules! registers {
    ($($register:ident { $($low:literal $bits:literal $field:literal $form:ident $doc:literal;)* })*) => {
        [$(RegisterInfo {
            id: $register,
            name: stringify!($register),
            per_window: $register >= WINDOW_BASE,
            fields: &[$(RegisterField {
                name: $field,
                low: $low,
                bits: $bits,
                form: $form,
                doc: $doc,
            }),*],
        }),*]
    };
}

use FieldForm::{Bytes256, LessOne, Mode, Number, Perms, Power};

/// Free for programs.
pub const SCRATCH: u32 = 0;
/// Entry point of kernels.
pub const ENTRY_PT_FN: u32 = 1;
/// The Kernel Uniform Block.
pub const KUB_DESC: u32 = 2;
/// The packed arguments in it.
pub const KARGS_INFO: u32 = 3;
/// The thread-specific data in it.
pub const TSD_INFO: u32 = 4;
/// Stack pointer of harts.
pub const STACK_TOP: u32 = 5;
/// Return address of kernels.
pub const RETURN_ADDR: u32 = 6;
/// Not defined.
pub const UNDEFINED: u32 = 7;
/// First addresses of windows.
pub const WINDOW_BASE: u32 = 8;
/// Where windows lead to.
pub const WINDOW_TARGET: u32 = 16;
/// Modes of windows.
pub const WINDOW_MODE: u32 = 24;
/// Scales of windows.
pub const WINDOW_SCALE: u32 = 32;
/// One more than the highest number of a register.
pub const COUNT: u32 = 40;

/// The registers.
pub const REGISTERS: [RegisterInfo; 11] = registers! {
    SCRATCH { 0 64 "SCRATCH" Number "free use"; }
    ENTRY_PT_FN { 0 32 "ENTRY_POINT_ADDR" Number "entry point of the kernel"; }
    KUB_DESC {
        0 48 "KUB_ADDR" Number "address of the Kernel Uniform Block";
        48 16 "KUB_SIZE" Bytes256 "its bytes, a multiple of 256; 0: no KUB";
    }
    KARGS_INFO {
        16 24 "KARGS_OFFSET" Number "bytes from KUB_ADDR to the packed arguments";
        40 24 "KARGS_SIZE" Number "their bytes; 0: none";
    }
    TSD_INFO {
        16 24 "TSD_OFFSET" Number "bytes from KUB_ADDR to the thread-specific data";
        40 24 "TSD_SIZE" Number "its bytes; 0: none, and no Kernel Thread Blocks";
    }
    STACK_TOP { 0 64 "STACK_TOP" Number "sp of every hart at the entry"; }
    RETURN_ADDR { 0 64 "RETURN_ADDR" Number "ra at the entry; coming there ends the instance"; }
    WINDOW_BASE { 0 64 "BASE_ADDR" Number "first address of the window"; }
    WINDOW_TARGET { 0 64 "TARGET_ADDR" Number "physical address it leads to"; }
    WINDOW_MODE {
        0 1 "ACTIVE" Number "the window can be accessed";
        1 2 "MODE" Mode "SHARED, PER_HART or PER_CORE";
        3 1 "INTERLEAVE" Number "the target is interleaved";
        4 3 "PERMS" Perms "permissions, letters of rwx; 0: unrestricted";
        8 5 "STRIDE" Number "granularity of an interleaved target";
        32 32 "SIZE" LessOne "its bytes, 1 to 2^32";
    }
    WINDOW_SCALE {
        0 5 "SCALE_A" Power "first factor, 0 or a power of two";
        32 32 "SCALE_B" LessOne "second factor, 1 to 2^32";
    }
};

/// Modes of windows, by number; 3 is reserved.
pub const MODES: [&str; 3] = ["SHARED", "PER_HART", "PER_CORE"];
/// Number of [`MODES`]' first: the target is the same for all.
pub const MODE_SHARED: u64 = 0;
/// Each hart has its own target.
pub const MODE_PER_HART: u64 = 1;
/// Each core has its own target.
pub const MODE_PER_CORE: u64 = 2;
/// Letters of permissions, from bit 0.
pub const PERM_LETTERS: [char; 3] = ['r', 'w', 'x'];

impl RegisterField {
    /// Highest value that it holds, encoded.
    pub fn mask(&self) -> u64 {
        u64::MAX >> (u64::BITS - self.bits)
    }

    /// Its encoded value in a register's.
    pub fn of(&self, value: u64) -> u64 {
        (value >> self.low) & self.mask()
    }

    /// The encoding of a value as text has it; `None` unless it is in [`range`](Self::range).
    pub fn encode(&self, value: u64) -> Option<u64> {
        let mask = self.mask();
        let (encoded, fits) = match self.form {
            Number | Mode | Perms => (value, value <= mask),
            Bytes256 => (
                value / 256,
                value.is_multiple_of(256) && value / 256 <= mask,
            ),
            LessOne => (value.wrapping_sub(1), value >= 1 && value - 1 <= mask),
            Power => match value {
                0 => (0, true),
                _ => {
                    let code = u64::from(value.trailing_zeros()) + 1;
                    (code, value.is_power_of_two() && code <= mask)
                }
            },
        };
        fits.then_some(encoded)
    }

    /// The value as text has it.
    pub fn decode(&self, encoded: u64) -> u64 {
        match self.form {
            Number | Mode | Perms => encoded,
            Bytes256 => encoded * 256,
            LessOne => encoded + 1,
            Power => match encoded {
                0 => 0,
                code => 1 << (code - 1),
            },
        }
    }

    /// Which values there are.
    pub fn range(&self) -> String {
        let mask = self.mask();
        match self.form {
            Number | Mode | Perms => format!("0 to 0x{mask:x}"),
            Bytes256 => format!("multiples of 256 up to 0x{:x}", mask * 256),
            LessOne => format!("1 to 0x{:x}", mask + 1),
            Power => format!("0 and powers of two up to 2^{}", mask - 1),
        }
    }
}

/// The row of a register; `None` for numbers of none.
pub fn info(id: u64) -> Option<&'static RegisterInfo> {
    let windows = WINDOWS as u64;
    REGISTERS.iter().find(|row| {
        let first = u64::from(row.id);
        id == first || row.per_window && (first..first + windows).contains(&id)
    })
}

/// The bits of a register that no field has.
pub fn reserved_bits(row: &RegisterInfo) -> u64 {
    let named = row.fields.iter().map(|f| f.mask() << f.low);
    !named.fold(0, |all, bits| all | bits)
}

/// A register by name, in any letter case.
pub fn by_name(name: &str) -> Option<u64> {
    let (stem, digit) = match name.as_bytes().last() {
        Some(digit @ b'0'..=b'7') => (&name[..name.len() - 1], Some(u64::from(digit - b'0'))),
        _ => (name, None),
    };
    let same = |row: &&RegisterInfo| {
        row.per_window == digit.is_some() && row.name.eq_ignore_ascii_case(stem)
    };
    let row = REGISTERS.iter().find(same)?;
    Some(u64::from(row.id) + digit.unwrap_or(0))
}

/// Names of all registers.
pub fn names() -> impl Iterator<Item = String> {
    (0..u64::from(COUNT))
        .filter(|id| info(*id).is_some())
        .map(|id| Name(id).to_string())
}

/// Writes the name of a register: that of the table, or `UNKNOWN_<id>` as the driver has it.
#[derive(Clone, Copy, Debug)]
pub struct Name(pub u64);

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match info(self.0) {
            Some(row) if row.per_window => {
                write!(f, "{}{}", row.name, self.0 - u64::from(row.id))
            }
            Some(row) => f.write_str(row.name),
            None => write!(f, "UNKNOWN_{}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_register_has_its_name() {
        assert_eq!(names().count(), 39);
        for id in 0..u64::from(COUNT) {
            let name = Name(id).to_string();
            let wanted = (id != u64::from(UNDEFINED)).then_some(id);
            assert_eq!(by_name(&name.to_lowercase()), wanted, "{name}");
        }
        assert_eq!(Name(7).to_string(), "UNKNOWN_7");
        assert_eq!(Name(41).to_string(), "UNKNOWN_41");
        assert_eq!(by_name("WINDOW_BASE8"), None);
        assert_eq!(by_name("WINDOW_BASE"), None);
        assert_eq!(by_name("SCRATCH0"), None);
    }

    #[test]
    fn values_of_fields_come_back() {
        for row in REGISTERS {
            for field in row.fields {
                for encoded in [0, 1, field.mask() / 2, field.mask()] {
                    let value = field.decode(encoded);
                    assert_eq!(field.encode(value), Some(encoded), "{} {value}", field.name);
                }
            }
        }
        let scale = info(32).expect("a register").fields;
        assert_eq!(scale[0].decode(1), 1);
        assert!(scale[0].encode(3).is_none() && scale[1].encode(0).is_none());
        let kub = info(2).expect("a register").fields;
        assert_eq!(kub[1].encode(512), Some(2));
        assert!(kub[1].encode(300).is_none());
    }
}
