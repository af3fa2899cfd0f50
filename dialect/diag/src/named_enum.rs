/// Declares an enumeration whose cases have names: in texts, reports and on command lines. A row is
/// the case with its documentation, `=>`, its name, and after `|` older names that are still read.
#[macro_export]
macro_rules! named_enum {
    ($(#[$meta:meta])* $visibility:vis enum $Enum:ident {
        $($(#[$case_meta:meta])* $Case:ident $(= $value:literal)? => $name:literal $(| $older:literal)*),*
        $(,)?
    }) => {
        $(#[$meta])*
        $visibility enum $Enum {
            $($(#[$case_meta])* $Case $(= $value)?),*
        }

        impl $Enum {
            /// All cases, in order.
            pub const ALL: [$Enum; [$($name),*].len()] = [$($Enum::$Case),*];

            /// The names of the cases, in order.
            pub const NAMES: &[&str] = &[$($name),*];

            /// The name of the case.
            pub const fn name(self) -> &'static str {
                match self {
                    $($Enum::$Case => $name),*
                }
            }

            /// The case of a name.
            pub fn by_name(name: &str) -> Option<$Enum> {
                match name {
                    $($name $(| $older)* => Some($Enum::$Case),)*
                    _ => None,
                }
            }
        }

        impl std::fmt::Display for $Enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
