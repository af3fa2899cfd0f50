//! Single-word registers whose fields have names in the program.

/// Declares a register word: a struct whose members are fields of a register, found by name.
///
/// `pack` takes the register's table row, so that one table decides where fields sit.
macro_rules! register_word {
    (
        $(#[$doc:meta])*
        $name:ident {
            $($(#[$member_doc:meta])* $member:ident : $kind:ty = $($field:literal)|+ ;)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
        pub struct $name {
            $($(#[$member_doc])* pub $member: $kind),*
        }

        impl $name {
            pub(in crate::regmap) fn pack_into(
                &self,
                register: &$crate::regmap::Register,
            ) -> Result<u32, $crate::regmap::FieldOverflow> {
                let mut word = 0;
                $({
                    let field = None$(.or_else(|| register.field($field)))+;
                    let names = concat!($($field, " "),+).trim_ascii_end();
                    word = $crate::regmap::word::insert(
                        word, field, names, self.$member.into(),
                    )?;
                })*
                Ok(word)
            }

            pub(in crate::regmap) fn unpack_from(
                register: &$crate::regmap::Register,
                word: u32,
            ) -> Self {
                let mut value = Self::default();
                $({
                    let field = None$(.or_else(|| register.field($field)))+;
                    if let Some(field) = field {
                        value.$member = $crate::regmap::word::FromBits::from_bits(
                            field.get(word).into(),
                        );
                    }
                })*
                value
            }
        }
    };
}
pub(super) use register_word;

use super::field::{Field, FieldLimit, FieldOverflow};

/// Puts a value into a field that may be absent.
pub(super) fn insert(
    word: u32,
    field: Option<Field>,
    what: &'static str,
    value: u32,
) -> Result<u32, FieldOverflow> {
    let limit = match field {
        Some(field) if value <= field.max() => return Ok(field.set(word, value)),
        None if value == 0 => return Ok(word),
        Some(field) => FieldLimit::Range(0, field.max().into(), 1),
        None => FieldLimit::Absent(0),
    };
    Err(FieldOverflow {
        what,
        value: value.into(),
        limit,
    })
}

/// A member's value out of the bits of a field, which are as wide as the member at most.
pub(super) trait FromBits {
    fn from_bits(bits: i64) -> Self;
}

impl FromBits for bool {
    fn from_bits(bits: i64) -> Self {
        bits != 0
    }
}

macro_rules! number_from_bits {
    ($($kind:ty),*) => {$(
        impl FromBits for $kind {
            fn from_bits(bits: i64) -> Self {
                bits as $kind
            }
        }
    )*};
}
number_from_bits!(u8, i8, u32, u64);

/// Core_Control (AM025): reset wins over enable. Starting a core is a write of `enable` alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub struct CoreControl {
    /// Let the core run.
    pub enable: bool,
    /// Hold the core in reset.
    pub reset: bool,
}

impl CoreControl {
    /// The core is in reset.
    pub const IN_RESET: CoreControl = CoreControl {
        enable: false,
        reset: true,
    };
    const ENABLE: Field = Field::new("Enable", 0, 0);
    const RESET: Field = Field::new("Reset", 1, 1);

    /// The register word.
    pub const fn pack(self) -> u32 {
        Self::RESET.set(Self::ENABLE.set(0, self.enable as u32), self.reset as u32)
    }

    /// The meaning of a register word.
    pub const fn unpack(word: u32) -> Self {
        CoreControl {
            enable: Self::ENABLE.get(word) != 0,
            reset: Self::RESET.get(word) != 0,
        }
    }
}

/// Accumulator_Control (AM025): which sides a core's cascade uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub struct CascadeControl {
    /// Input from the west, else from the north.
    pub from_west: bool,
    /// Output to the east, else to the south.
    pub to_east: bool,
}

impl CascadeControl {
    const INPUT: Field = Field::new("Input", 0, 0);
    const OUTPUT: Field = Field::new("Output", 1, 1);

    /// The register word.
    pub const fn pack(self) -> u32 {
        Self::OUTPUT.set(
            Self::INPUT.set(0, self.from_west as u32),
            self.to_east as u32,
        )
    }

    /// The meaning of a register word.
    pub const fn unpack(word: u32) -> Self {
        CascadeControl {
            from_west: Self::INPUT.get(word) != 0,
            to_east: Self::OUTPUT.get(word) != 0,
        }
    }
}
