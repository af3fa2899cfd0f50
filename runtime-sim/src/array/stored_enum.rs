//! Enumerations that scratch files hold.

/// Defines an enumeration and makes it a field of scratch files: the number of the case, then what
/// the case holds. What is in parentheses is named only for this: `Released(lock: u8)`.
macro_rules! stored_enum {
    ($(#[$meta:meta])* $visibility:vis enum $Enum:ident {
        $($(#[$case_meta:meta])* $Case:ident
            $(($($item:ident: $Item:ty),*))?
            $({ $($(#[$field_meta:meta])* $field:ident: $Field:ty),* $(,)? })?),*
        $(,)?
    }) => {
        $(#[$meta])*
        $visibility enum $Enum {
            $($(#[$case_meta])* $Case
                $(($($Item),*))?
                $({ $($(#[$field_meta])* $field: $Field),* })?),*
        }

        const _: () = {
            use $crate::external_sort::{Decoder, Encoder, Field};

            // the names are the enumeration's, which is looked at where it is defined
            #[allow(clippy::enum_variant_names)]
            enum Number {
                $($Case),*
            }

            impl Field for $Enum {
                fn put(&self, out: &mut Encoder<'_>) {
                    match self {
                        $($Enum::$Case $(($($item),*))? $({ $($field),* })? => {
                            out.number(Number::$Case as u64);
                            $($($item.put(out);)*)?
                            $($($field.put(out);)*)?
                        })*
                    }
                }

                fn get(input: &mut Decoder<'_>) -> Option<Self> {
                    let number = input.number()?;
                    $(if number == Number::$Case as u64 {
                        return Some($Enum::$Case
                            $(($(<$Item>::get(input)?),*))?
                            $({ $($field: <$Field>::get(input)?),* })?);
                    })*
                    None
                }
            }
        };
    };
}

pub(crate) use stored_enum;
