//! Items as bytes of a scratch file, which the same process reads back.

use std::borrow::Cow;

use aiec_device::regmap::Module;
use aiec_device::{ChannelId, DmaDir, LockId, TileLoc};
use rustc_hash::FxHashMap;

/// Names of the program, which scratch files have by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    list: Vec<&'static str>,
    /// By address and length.
    numbers: FxHashMap<(usize, usize), u32>,
}

/// Writes fields.
pub(crate) struct Encoder<'a> {
    pub bytes: &'a mut Vec<u8>,
    pub names: &'a mut Names,
}

/// Reads fields.
pub(crate) struct Decoder<'a> {
    pub bytes: &'a [u8],
    pub names: &'a Names,
}

impl Encoder<'_> {
    /// Seven bits a byte, the lowest first (LEB128).
    #[inline]
    pub fn number(&mut self, number: u64) {
        if number < 0x80 {
            self.bytes.push(number as u8);
        } else {
            self.wide_number(number);
        }
    }

    fn wide_number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }
}

impl<'a> Decoder<'a> {
    #[inline]
    pub fn number(&mut self) -> Option<u64> {
        let (&byte, rest) = self.bytes.split_first()?;
        if byte & 0x80 == 0 {
            self.bytes = rest;
            return Some(byte.into());
        }
        self.wide_number()
    }

    fn wide_number(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0, 0);
        for (at, &byte) in self.bytes.iter().enumerate() {
            let bits = u64::from(byte & 0x7F);
            if shift >= u64::BITS || bits << shift >> shift != bits {
                return None;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                self.bytes = &self.bytes[at + 1..];
                return Some(number);
            }
            shift += 7;
        }
        None
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(taken)
    }
}

/// Fields of an item.
pub(crate) trait Field: Sized {
    fn put(&self, out: &mut Encoder<'_>);
    /// `None` if the bytes are none of its.
    fn get(input: &mut Decoder<'_>) -> Option<Self>;
}

macro_rules! field_numbers {
    ($($Number:ty)*) => {$(
        impl Field for $Number {
            fn put(&self, out: &mut Encoder<'_>) {
                out.number(u64::from(*self));
            }

            fn get(input: &mut Decoder<'_>) -> Option<Self> {
                input.number()?.try_into().ok()
            }
        }
    )*};
}

field_numbers!(u8 u16 u32 u64);

impl Field for bool {
    fn put(&self, out: &mut Encoder<'_>) {
        out.number((*self).into());
    }

    fn get(input: &mut Decoder<'_>) -> Option<Self> {
        Some(input.number()? != 0)
    }
}

impl Field for i32 {
    fn put(&self, out: &mut Encoder<'_>) {
        self.cast_unsigned().put(out);
    }

    fn get(input: &mut Decoder<'_>) -> Option<Self> {
        u32::get(input).map(u32::cast_signed)
    }
}

impl Field for i8 {
    fn put(&self, out: &mut Encoder<'_>) {
        self.cast_unsigned().put(out);
    }

    fn get(input: &mut Decoder<'_>) -> Option<Self> {
        u8::get(input).map(u8::cast_signed)
    }
}

impl Field for String {
    fn put(&self, out: &mut Encoder<'_>) {
        out.number(self.len() as u64);
        out.bytes.extend(self.as_bytes());
    }

    fn get(input: &mut Decoder<'_>) -> Option<Self> {
        let length = input.number()?.try_into().ok()?;
        String::from_utf8(input.take(length)?.to_vec()).ok()
    }
}

impl Field for Cow<'static, str> {
    fn put(&self, out: &mut Encoder<'_>) {
        out.number(self.len() as u64);
        out.bytes.extend(self.as_bytes());
    }

    fn get(input: &mut Decoder<'_>) -> Option<Self> {
        String::get(input).map(Cow::Owned)
    }
}

impl Field for &'static str {
    fn put(&self, out: &mut Encoder<'_>) {
        let Names { list, numbers } = &mut *out.names;
        let place = (self.as_ptr() as usize, self.len());
        let number = *numbers.entry(place).or_insert_with(|| {
            list.push(self);
            (list.len() - 1) as u32
        });
        number.put(out);
    }

    fn get(input: &mut Decoder<'_>) -> Option<Self> {
        let number = u32::get(input)?;
        input.names.list.get(number as usize).copied()
    }
}

impl<T: Field> Field for Option<T> {
    fn put(&self, out: &mut Encoder<'_>) {
        self.is_some().put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }

    fn get(input: &mut Decoder<'_>) -> Option<Self> {
        if bool::get(input)? {
            T::get(input).map(Some)
        } else {
            Some(None)
        }
    }
}

impl<T: Field> Field for Vec<T> {
    fn put(&self, out: &mut Encoder<'_>) {
        out.number(self.len() as u64);
        self.iter().for_each(|value| value.put(out));
    }

    fn get(input: &mut Decoder<'_>) -> Option<Self> {
        let length = u64::get(input)?;
        (0..length).map(|_| T::get(input)).collect()
    }
}

impl<A: Field, B: Field> Field for (A, B) {
    fn put(&self, out: &mut Encoder<'_>) {
        self.0.put(out);
        self.1.put(out);
    }

    fn get(input: &mut Decoder<'_>) -> Option<Self> {
        Some((A::get(input)?, B::get(input)?))
    }
}

/// Makes a structure a field: its fields one after the other.
macro_rules! field_struct {
    ($Type:ident { $($field:ident),* $(,)? }) => {
        impl $crate::external_sort::Field for $Type {
            fn put(&self, out: &mut $crate::external_sort::Encoder<'_>) {
                let $Type { $($field),* } = self;
                $($crate::external_sort::Field::put($field, out);)*
            }

            fn get(input: &mut $crate::external_sort::Decoder<'_>) -> Option<Self> {
                $(let $field = $crate::external_sort::Field::get(input)?;)*
                Some($Type { $($field),* })
            }
        }
    };
}

/// Makes an enumeration a field: the number of the case, then its fields.
macro_rules! field_enum {
    ($Type:ident { $($number:literal: $Case:ident
        $(($($item:ident),*))? $({ $($field:ident),* $(,)? })?),* $(,)? }) => {
        impl $crate::external_sort::Field for $Type {
            fn put(&self, out: &mut $crate::external_sort::Encoder<'_>) {
                match self {
                    $($Type::$Case $(($($item),*))? $({ $($field),* })? => {
                        out.number($number);
                        $($($crate::external_sort::Field::put($item, out);)*)?
                        $($($crate::external_sort::Field::put($field, out);)*)?
                    })*
                }
            }

            fn get(input: &mut $crate::external_sort::Decoder<'_>) -> Option<Self> {
                Some(match input.number()? {
                    $($number => {
                        $($(let $item = $crate::external_sort::Field::get(input)?;)*)?
                        $($(let $field = $crate::external_sort::Field::get(input)?;)*)?
                        $Type::$Case $(($($item),*))? $({ $($field),* })?
                    })*
                    _ => return None,
                })
            }
        }
    };
}

pub(crate) use {field_enum, field_struct};

field_struct!(TileLoc { col, row });
field_struct!(ChannelId { tile, dir, index });
field_struct!(LockId { tile, index });
field_enum!(DmaDir { 0: S2mm, 1: Mm2s });
field_enum!(Module {
    0: Core,
    1: Memory,
    2: MemTile,
    3: Shim,
    4: Controller
});
