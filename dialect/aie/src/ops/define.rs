//! The macro that expands [`super::OPS`]: from the rows of the table it makes the declarations, the
//! typed views and their builders.

/// `1` is exactly one, `_` any number.
macro_rules! count {
    (_) => {
        None
    };
    ($n:literal) => {
        Some($n)
    };
}

/// The name of a group of operands with its mark.
macro_rules! group_name {
    ($name:ident !) => {
        stringify!($name)
    };
    ($name:ident $mark:tt) => {
        concat!(stringify!($name), stringify!($mark))
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

/// The accessor of a group of operands.
macro_rules! group_accessor {
    ($name:ident *) => {
        /// The operands of the group.
        pub fn $name(self, module: &Module) -> Vec<Value> {
            module.operand_group(self.0, stringify!($name))
        }
    };
    ($name:ident $mark:tt) => {
        /// The operand, if it is there.
        pub fn $name(self, module: &Module) -> Option<Value> {
            let group = module.operand_group(self.0, stringify!($name));
            group.first().copied()
        }
    };
}

/// `build` takes the operands and required attributes, in the order of the row, if they are at most
/// five. Larger operations start empty: arguments by position would be mistaken for one another.
macro_rules! build_fn {
    ([$a:tt $b:tt $c:tt $d:tt $e:tt $f:tt $($more:tt)*] $($rest:tt)*) => {
        /// Starts an operation of this kind; operands and attributes follow.
        pub fn build(module: &mut Module, loc: Loc) -> OpBuilder<'_, Self> {
            OpBuilder::<Self>::new(module, Self::KIND, loc)
        }
    };
    ([$($all:tt)*] ($($operand:ident)*) ($($attr:ident: $kind:ident)*)) => {
        /// Starts an operation of this kind with its fixed operands and required attributes.
        pub fn build(
            module: &mut Module,
            loc: Loc,
            $($operand: Value,)*
            $($attr: impl IntoAttr<kind::$kind>,)*
        ) -> OpBuilder<'_, Self> {
            OpBuilder::<Self>::new(module, Self::KIND, loc)
                $(.operand($operand))*
                $(.$attr($attr))*
        }
    };
}

macro_rules! ops {
    ($(
        $(#[doc = $doc:literal])+
        $kind:ident = $name:literal ($($operand:ident)* $(; $($group:ident $mark:tt)*)?)
            -> $results:tt, $regions:tt, $successors:tt [$($t:ident)*]
            { $($req:ident: $req_kind:ident),* $(; $($opt:ident: $opt_kind:ident),*)? } $($format:literal)?
    )*) => {
        /// All known operations.
        pub static OPS: &[OpDef] = &[$(OpDef {
            kind: OpKind::$kind,
            name: $name,
            summary: concat!($($doc),+),
            operands: &[$(stringify!($operand),)* $($(group_name!($group $mark),)*)?],
            results: count!($results),
            regions: count!($regions),
            successors: count!($successors),
            traits: Traits::empty()$(.union(Traits::$t))*,
            attrs: &[
                $(attr_def::<kind::$req_kind>(AttrName::$req, stringify!($req), true),)*
                $($(attr_def::<kind::$opt_kind>(AttrName::$opt, stringify!($opt), false),)*)?
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
                build_fn!([$($operand)* $($req)*] ($($operand)*) ($($req: $req_kind)*));

                operand_accessors!($($operand)*);

                $($(group_accessor!($group $mark);)*)?

                $(
                    /// The attribute; zero or empty if it is missing.
                    pub fn $req(self, module: &Module) -> <kind::$req_kind as AttrKind>::Required {
                        kind::$req_kind::required(read::<kind::$req_kind>(module, self.0, AttrName::$req))
                    }
                )*
                $($(
                    /// The attribute, if it is there.
                    pub fn $opt(self, module: &Module) -> Option<<kind::$opt_kind as AttrKind>::Value> {
                        read::<kind::$opt_kind>(module, self.0, AttrName::$opt)
                    }
                )*)?
            }

            impl OpBuilder<'_, $kind> {
                $(
                    /// Sets the attribute.
                    pub fn $req(self, value: impl IntoAttr<kind::$req_kind>) -> Self {
                        self.declared_attr(AttrName::$req, value.into_attr())
                    }
                )*
                $($(
                    /// Sets or removes the attribute.
                    pub fn $opt(self, value: impl IntoAttr<kind::$opt_kind>) -> Self {
                        self.declared_attr(AttrName::$opt, value.into_attr())
                    }
                )*)?
            }
        )*
    };
}

pub(super) use {
    build_fn, count, group_accessor, group_name, operand_accessor, operand_accessors, ops,
};
