//! The macro that turns the instruction table into types, codec and rows.

use super::field::{FieldInfo, OpInfo};

/// Width of a field in bits: labels and scopes are positions and page numbers once encoded.
macro_rules! field_bits {
    (Label, $ty:ty) => {
        u16::BITS as u8
    };
    (Scope, $ty:ty) => {
        u16::BITS as u8
    };
    ($kind:ident, $ty:ty) => {
        <$ty as FieldValue>::BITS
    };
}

/// `BusAccess` of a row.
macro_rules! bus_access {
    () => {
        crate::isa::field::BusAccess::None
    };
    ($bus:ident) => {
        crate::isa::field::BusAccess::$bus
    };
}

/// Translates a field's value: labels and scopes through the closures, the rest unchanged.
macro_rules! field_map {
    (Label, $v:expr, $label:expr, $scope:expr) => {
        $label($v)?
    };
    (Scope, $v:expr, $label:expr, $scope:expr) => {
        $scope($v)?
    };
    ($kind:ident, $v:expr, $label:expr, $scope:expr) => {
        $v
    };
}

/// A field's value as an `Operand`.
macro_rules! field_operand {
    (Label, $v:expr) => {
        crate::isa::field::Operand::Label($v)
    };
    (Scope, $v:expr) => {
        crate::isa::field::Operand::Scope($v)
    };
    ($kind:ident, $v:expr) => {
        crate::isa::field::Operand::Number(crate::isa::field::FieldValue::to_bits($v))
    };
}

/// A field's value out of an `Operand`; `None` if the operand is of the wrong sort.
macro_rules! field_take {
    (Label, $op:expr) => {
        match $op {
            crate::isa::field::Operand::Label(v) => v,
            _ => return None,
        }
    };
    (Scope, $op:expr) => {
        match $op {
            crate::isa::field::Operand::Scope(v) => v,
            _ => return None,
        }
    };
    ($kind:ident, $op:expr) => {
        match $op {
            crate::isa::field::Operand::Number(v) => crate::isa::field::FieldValue::from_bits(v),
            _ => return None,
        }
    };
}

macro_rules! define_isa {
    ($(
        $(#[doc = $doc:literal])+
        $var:ident = $opcode:literal $mnemonic:literal $size:literal $flow:ident $targets:ident $(bus $bus:ident)? {
            $( #[doc = $fdoc:literal] $field:ident : $ty:ty as $kind:ident @ $offset:literal ),* $(,)?
        }
        $( or $optional:ident $odoc:literal )?
    )*) => {
        /// An instruction. `L` names a data label, `S` a scope.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Op<L, S> {
            $(
                $(#[doc = $doc])+
                $var { $( #[doc = $fdoc] $field: $ty, )* },
            )*
        }

        /// All instructions, by opcode.
        pub static OPS: &[OpInfo] = &TABLE;

        const TABLE: [OpInfo; [$($opcode),*].len()] = [$(
            OpInfo {
                mnemonic: $mnemonic,
                opcode: $opcode,
                size: $size,
                flow: FlowClass::$flow,
                targets: TargetSet::$targets,
                bus: bus_access!($($bus)?),
                fields: &[$( FieldInfo {
                    name: stringify!($field),
                    kind: FieldKind::$kind,
                    offset: $offset,
                    bits: field_bits!($kind, $ty),
                    doc: $fdoc.trim_ascii(),
                } ),*],
                optional: &[$( OptionalOperand {
                    name: stringify!($optional),
                    doc: $odoc,
                } )?],
                doc: concat!($($doc),+).trim_ascii(),
            }
        ),*];

        const _: () = crate::isa::define::check_table(&TABLE);

        impl<L, S> Op<L, S> {
            /// The row of this instruction.
            pub fn info(&self) -> &'static OpInfo {
                match self { $( Self::$var { .. } => {
                    const INDEX: usize = crate::isa::define::index_of(&TABLE, $opcode);
                    &OPS[INDEX]
                } )* }
            }

            /// Size in bytes.
            pub const fn size(&self) -> usize {
                match self { $( Self::$var { .. } => $size ),* }
            }

            /// Maps the labels and scopes of an instruction.
            pub fn try_map<L2, S2, E>(
                self,
                mut label: impl FnMut(L) -> Result<L2, E>,
                mut scope: impl FnMut(S) -> Result<S2, E>,
            ) -> Result<Op<L2, S2>, E> {
                let _ = (&mut label, &mut scope);
                Ok(match self { $(
                    Self::$var { $($field),* } => Op::$var {
                        $( $field: field_map!($kind, $field, label, scope) ),*
                    },
                )* })
            }

            /// Calls `visit` for each field in text order.
            pub fn for_each_field(self, mut visit: impl FnMut(&'static FieldInfo, Operand<L, S>)) {
                let fields = self.info().fields.iter();
                match self { $(
                    Self::$var { $($field),* } => {
                        #[allow(unused_mut, unused_variables)]
                        let mut fields = fields;
                        $( if let Some(info) = fields.next() {
                            visit(info, field_operand!($kind, $field));
                        } )*
                        let _ = &mut visit;
                    }
                )* }
            }

            /// Builds an instruction from the values of all its fields, in text order.
            /// `None` if there are too few or one is of the wrong sort; numbers are cut to the
            /// width of their field.
            pub fn from_fields(
                info: &OpInfo,
                values: impl IntoIterator<Item = Operand<L, S>>,
            ) -> Option<Self> {
                #[allow(unused_mut, unused_variables)]
                let mut values = values.into_iter();
                match info.opcode {
                    $( $opcode => Some(Self::$var {
                        $( $field: field_take!($kind, values.next()?) ),*
                    }), )*
                    _ => None,
                }
            }
        }

        impl Op<u16, u16> {
            /// Appends the bytes of this instruction.
            pub fn encode(&self, out: &mut Vec<u8>) {
                match *self { $(
                    Self::$var { $($field),* } => {
                        #[allow(unused_mut)]
                        let mut bytes = [0u8; $size];
                        bytes[0] = $opcode;
                        $( {
                            let word = FieldValue::to_bits($field).to_le_bytes();
                            const WIDTH: usize =
                                field_bits!($kind, $ty) as usize / 8;
                            bytes[$offset..$offset + WIDTH].copy_from_slice(&word[..WIDTH]);
                        } )*
                        out.extend_from_slice(&bytes);
                    }
                )* }
            }

            /// Reads the instruction at byte `at`; also gives its size in bytes. Bits outside
            /// the fields are ignored.
            pub fn decode(text: &[u8], at: usize) -> Result<(Self, usize), Diag> {
                let opcode = *text.get(at).ok_or_else(|| crate::isa::text_ends(at))?;
                match opcode {
                    $( $opcode => {
                        let bytes: &[u8; $size] = text
                            .get(at..)
                            .and_then(|rest| rest.first_chunk())
                            .ok_or_else(|| crate::isa::truncated($mnemonic, at, $size))?;
                        let _ = bytes;
                        let op = Self::$var { $( $field: {
                            const WIDTH: usize =
                                field_bits!($kind, $ty) as usize / 8;
                            let mut word = [0u8; 4];
                            word[..WIDTH].copy_from_slice(&bytes[$offset..$offset + WIDTH]);
                            FieldValue::from_bits(u32::from_le_bytes(word))
                        } ),* };
                        Ok((op, $size))
                    } )*
                    opcode => Err(crate::isa::unknown_opcode(opcode, at)),
                }
            }
        }
    };
}

pub(super) use {bus_access, define_isa, field_bits, field_map, field_operand, field_take};

/// Position of an opcode in the table (build time).
pub(super) const fn index_of(table: &[OpInfo], opcode: u8) -> usize {
    let mut i = 0;
    while i < table.len() {
        if table[i].opcode == opcode {
            return i;
        }
        i += 1;
    }
    panic!("opcode is not in the table")
}

/// Fails the build if fields overlap, leave the instruction, are misaligned or cover byte 0 or 1,
/// if a size isn't a multiple of 4, or if an opcode is twice.
pub(super) const fn check_table(table: &[OpInfo]) {
    let mut i = 0;
    while i < table.len() {
        let row = &table[i];
        assert!(
            row.size.is_multiple_of(4) && row.size >= 4,
            "size must be a multiple of 4"
        );
        assert!(index_of(table, row.opcode) == i, "opcode given twice");
        check_fields(row.size, row.fields);
        i += 1;
    }
}

const fn check_fields(size: u8, fields: &[FieldInfo]) {
    let mut used = 0b11u32;
    let mut i = 0;
    while i < fields.len() {
        let (offset, width) = (fields[i].offset, fields[i].bits / 8);
        assert!(offset % width == 0, "field is not naturally aligned");
        assert!(offset + width <= size, "field leaves the instruction");
        let mask = ((1u32 << width) - 1) << offset;
        assert!(used & mask == 0, "fields overlap");
        used |= mask;
        i += 1;
    }
}
