//! The macro behind [`super::table`]: from one row for each operation it makes the kinds, the
//! declarations and the typed views.

/// `(1)` is exactly one, `(_)` any number.
macro_rules! count {
    (_) => {
        None
    };
    ($n:literal) => {
        Some($n)
    };
}

macro_rules! operand_accessor {
    ($name:ident, $n:expr) => {
        /// The operand.
        pub fn $name(self, module: &Module) -> Option<Value> {
            module.operand(self.0, $n)
        }
    };
}

/// Fixed operands get an accessor each, named and numbered by position.
macro_rules! operand_accessors {
    () => {};
    ($a:ident) => { operand_accessor!($a, 0); };
    ($a:ident $b:ident) => { operand_accessor!($a, 0); operand_accessor!($b, 1); };
    ($a:ident $b:ident $c:ident) => {
        operand_accessors!($a $b);
        operand_accessor!($c, 2);
    };
    ($a:ident $b:ident $c:ident $($rest:ident)+) => { operand_accessors!($a $b $c); };
}

macro_rules! ops {
    ($(
        $(#[doc = $doc:literal])+
        $kind:ident = $name:literal ($($operand:ident)* $(; $($group:literal)*)?)
            -> $results:tt, $regions:tt, $successors:tt [$($t:ident)*]
            { $($req:ident: $req_kind:ident),* $(; $($opt:ident: $opt_kind:ident),*)? }
    )*) => {
        /// The kind of an operation: a row of [`OPS`], or unknown.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u16)]
        pub enum OpKind {
            /// Not in the table; kept as it is.
            Unknown,
            $($(#[doc = $doc])+ $kind,)*
        }

        /// All known operations.
        pub static OPS: &[OpDef] = &[$(OpDef {
            kind: OpKind::$kind,
            name: $name,
            summary: concat!($($doc),+),
            operands: &[$(stringify!($operand),)* $($($group,)*)?],
            results: count!($results),
            regions: count!($regions),
            successors: count!($successors),
            traits: Traits::NONE$(.and(Traits::$t))*,
            attrs: &[
                $(AttrDef {
                    name: stringify!($req),
                    required: true,
                    expected: <kind::$req_kind as AttrKind>::EXPECTED,
                    accepts: |a| <kind::$req_kind as AttrKind>::get(a).is_some(),
                },)*
                $($(AttrDef {
                    name: stringify!($opt),
                    required: false,
                    expected: <kind::$opt_kind as AttrKind>::EXPECTED,
                    accepts: |a| <kind::$opt_kind as AttrKind>::get(a).is_some(),
                },)*)?
            ],
        }),*];

        $(
            $(#[doc = $doc])+
            #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
            pub struct $kind(pub Op);

            impl OpView for $kind {
                const KIND: OpKind = OpKind::$kind;

                fn cast(module: &Module, op: Op) -> Option<Self> {
                    (module.kind(op) == OpKind::$kind).then_some($kind(op))
                }

                fn op(self) -> Op {
                    self.0
                }
            }

            impl $kind {
                operand_accessors!($($operand)*);

                $(
                    /// The attribute; zero or empty if it is missing.
                    pub fn $req(self, module: &Module) -> <kind::$req_kind as AttrKind>::Out {
                        module
                            .attr(self.0, stringify!($req))
                            .and_then(<kind::$req_kind as AttrKind>::get)
                            .unwrap_or_default()
                    }
                )*
                $($(
                    /// The attribute, if it is there.
                    pub fn $opt(
                        self,
                        module: &Module,
                    ) -> Option<<kind::$opt_kind as AttrKind>::Out> {
                        <kind::$opt_kind as AttrKind>::get(module.attr(self.0, stringify!($opt))?)
                    }
                )*)?
            }
        )*
    };
}

pub(super) use {count, operand_accessor, operand_accessors, ops};
