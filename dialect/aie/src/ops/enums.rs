//! The dialect's own enumerations: their integers (generic form) and words (custom form). Those
//! of the hardware (wire bundles, DMA directions) are in the `device` crate.
//! Source: `mlir-aie: include/aie/Dialect/AIE/IR/AIEAttrs.td`.

macro_rules! enumeration {
    ($(#[$doc:meta])* $name:ident { $($(#[$case_doc:meta])* $case:ident = $value:literal,)* }) => {
        $(#[$doc])*
        #[allow(non_camel_case_types)] // cases are named as the words are
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        pub enum $name {
            $($(#[$case_doc])* $case = $value,)*
        }

        impl $name {
            /// All cases with their words.
            pub const ALL: &'static [($name, &'static str)] =
                &[$(($name::$case, stringify!($case)),)*];

            /// The case of an integer.
            pub fn of(value: i64) -> Option<$name> {
                Self::ALL.iter().map(|(c, _)| *c).find(|c| *c as i64 == value)
            }

            /// The case of a word.
            pub fn parse(word: &str) -> Option<$name> {
                Self::ALL.iter().find(|(_, w)| *w == word).map(|(c, _)| *c)
            }

            /// The word.
            pub fn text(self) -> &'static str {
                Self::ALL.iter().find(|(c, _)| *c == self).map_or("", |(_, w)| w)
            }
        }
    };
}

enumeration! {
    /// Action of `aie.use_lock`.
    LockAction {
        /// Wait for a value and take the lock (AIE1), or wait for equality.
        #[default]
        Acquire = 0,
        /// Give back.
        Release = 1,
        /// Wait until the counter is at least the value, then subtract it.
        AcquireGreaterEqual = 2,
    }
}

enumeration! {
    /// An end of an object fifo.
    FifoPort {
        /// The producer's end.
        #[default]
        Produce = 0,
        /// A consumer's end.
        Consume = 1,
        /// The end of the endpoint that is named instead of a fifo
        /// (`aie.objectfifo.core_endpoint`).
        Endpoint = 2,
    }
}

enumeration! {
    /// Access of an endpoint to its pool.
    FifoRole {
        /// It writes objects.
        #[default]
        fills = 0,
        /// It reads objects.
        drains = 1,
    }
}

enumeration! {
    /// Kind of tile that `aie.logical_tile` asks for.
    LogicalTileType {
        /// A core tile.
        #[default]
        CoreTile = 0,
        /// A mem tile.
        MemTile = 1,
        /// A shim tile with a DMA.
        ShimNOCTile = 2,
        /// A shim tile without a DMA.
        ShimPLTile = 3,
    }
}

impl LockAction {
    /// The operand that a core's lock instruction has for a value; `None` if there is nothing to do.
    ///
    /// A negative operand of an acquire means "at least" (AM020). None says "at least 0": -0 would
    /// wait for a lock that *is* 0. Counts are at least that, so there is nothing to wait for.
    pub fn core_operand(self, value: i64) -> Option<i64> {
        match self {
            LockAction::AcquireGreaterEqual if value == 0 => None,
            LockAction::AcquireGreaterEqual => Some(value.saturating_neg()),
            LockAction::Acquire | LockAction::Release => Some(value),
        }
    }
}
