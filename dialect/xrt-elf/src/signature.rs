//! Kernels by their symbols: name and types of arguments in one mangled name.

/// Type of a kernel argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KernelArgument {
    /// `char *`
    CharPointer,
    /// `void *`
    VoidPointer,
    /// `int *`
    IntPointer,
    /// `scalar`
    Scalar,
    /// Any other type; it leaves no trace in the name.
    Other,
}

impl KernelArgument {
    /// The type of that spelling.
    pub fn from_name(name: &str) -> Self {
        let found = Self::SPELLINGS
            .iter()
            .find(|(spelling, _)| *spelling == name);
        found.map_or(Self::Other, |(_, kind)| *kind)
    }

    /// All types, by the spelling of the description.
    const SPELLINGS: [(&'static str, Self); 4] = [
        ("char *", Self::CharPointer),
        ("void *", Self::VoidPointer),
        ("int *", Self::IntPointer),
        ("scalar", Self::Scalar),
    ];

    /// The spelling of the description; empty for other types.
    pub fn spelling(self) -> &'static str {
        let found = Self::SPELLINGS.iter().find(|(_, kind)| *kind == self);
        found.map_or("", |(name, _)| name)
    }

    fn mangled(self) -> &'static str {
        match self {
            Self::CharPointer => "Pc",
            Self::VoidPointer => "Pv",
            Self::IntPointer => "Pi",
            Self::Scalar => "i",
            Self::Other => "",
        }
    }
}

/// Name and arguments out of a kernel's symbol; `None` for other symbols.
pub fn demangle(mangled: &str) -> Option<(String, Vec<KernelArgument>)> {
    let rest = mangled.strip_prefix("_Z")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (length, rest) = rest.split_at_checked(digits)?;
    let (name, mut rest) = rest.split_at_checked(length.parse().ok()?)?;
    let mut arguments = Vec::new();
    while !rest.is_empty() {
        let spellings = KernelArgument::SPELLINGS.iter();
        let (kind, tail) = spellings
            .filter_map(|(_, kind)| Some((*kind, rest.strip_prefix(kind.mangled())?)))
            .next()?;
        arguments.push(kind);
        rest = tail;
    }
    Some((name.to_owned(), arguments))
}

/// The symbol of a kernel: `_Z`, the length of the name, the name, the types of the arguments.
pub fn mangle(name: &str, arguments: &[KernelArgument]) -> String {
    let arguments: String = arguments.iter().map(|a| a.mangled()).collect();
    format!("_Z{}{name}{arguments}", name.len())
}
