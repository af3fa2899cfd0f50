//! Configuration files: several kernels with several instances.

use aiec_diag::Diag;
use object::elf;

use super::super::{
    ABI_GROUPED, ABI_MERGED, LOAD_ALIGN, NOTE_CONFIGURATION, SECTION_CONFIGURATION, SECTION_DUMP,
    SHT_CUSTOM,
};
use super::OS_ABI;
use super::sections::{FLAGS_DATA, File, Section};
use super::tables::{Dynamic, Symbols};
use crate::image::Image;
use crate::names::TargetVariant;

/// A configuration file: several kernels with several instances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Selects OS/ABI and the merged layout: `.target` of the sources with its sub-architecture
    /// (`aie4-a`), if they had one.
    pub target: Option<String>,
    /// Columns of the partition.
    pub columns: u32,
    /// Kernels in any order.
    pub kernels: Vec<Kernel>,
    /// Extra sections: name and contents.
    pub custom: Vec<(String, Vec<u8>)>,
}

/// A kernel of a configuration file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// Name.
    pub name: String,
    /// Types of its arguments.
    pub arguments: Vec<KernelArgument>,
    /// Instances in any order.
    pub instances: Vec<KernelInstance>,
}

/// An instance of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelInstance {
    /// Id, unique in the kernel.
    pub id: String,
    /// Code.
    pub image: Image,
    /// The vendor's debug record, see [`crate::dump`].
    pub dump: Option<Vec<u8>>,
}

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

impl Kernel {
    /// Name and arguments out of a linker's name; `None` if it is none of ours.
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

    fn mangled(&self) -> String {
        let arguments: String = self.arguments.iter().map(|a| a.mangled()).collect();
        format!("_Z{}{}{arguments}", self.name.len(), self.name)
    }
}

/// Writes a configuration file.
pub fn write_config(config: &Config) -> Result<Vec<u8>, Diag> {
    let (os_abi, abi_version) = match &config.target {
        None => (OS_ABI, ABI_GROUPED),
        Some(name) => {
            // unknown sub-architectures only come from compatible texts
            let variant = TargetVariant::from_name(name).unwrap_or(TargetVariant::ALL[0]);
            (variant.config_os_abi, ABI_MERGED)
        }
    };
    let merged = abi_version == ABI_MERGED;
    let mut file = File::new();
    let strtab = file.add(Section::plain(".strtab", elf::SHT_STRTAB, 0, Vec::new()));
    let symtab = file.add(Section {
        entsize: 16,
        link: strtab as u32,
        info: 1,
        ..Section::plain(".symtab", elf::SHT_SYMTAB, 4, Vec::new())
    });
    for (name, bytes) in &config.custom {
        file.add(Section {
            flags: FLAGS_DATA,
            ..Section::plain(
                name,
                elf::SectionType(SHT_CUSTOM),
                LOAD_ALIGN,
                bytes.clone(),
            )
        });
    }
    let mut kernels: Vec<(String, &Kernel)> =
        config.kernels.iter().map(|k| (k.mangled(), k)).collect();
    kernels.sort_by(|a, b| a.0.cmp(&b.0));
    let mut symbols = Symbols::new();
    let mut dynamic = Dynamic::default();
    let mut number = 0;
    for (mangled, kernel) in kernels {
        let kernel_symbol = symbols.add(&mangled, elf::STT_FUNC, elf::STB_WEAK, 0);
        let mut instances: Vec<&KernelInstance> = kernel.instances.iter().collect();
        instances.sort_by(|a, b| a.id.cmp(&b.id));
        for instance in instances {
            let symbol = symbols.add(&instance.id, elf::STT_OBJECT, elf::STB_WEAK, kernel_symbol);
            let suffix = format!(".{number}");
            let first = file.sections.len();
            file.add_image(&instance.image, &suffix, merged, &mut dynamic);
            if let Some(record) = &instance.dump {
                let name = format!("{SECTION_DUMP}{suffix}");
                file.add_loaded(name, FLAGS_DATA, record.clone());
            }
            let members: Vec<u32> = (first..file.sections.len()).map(|i| i as u32).collect();
            file.add_dynamic(&mut dynamic);
            file.add_group(&suffix, symtab as u32, symbol, &members);
            number += 1;
        }
    }
    dynamic.fill(&mut file);
    file.sections[strtab].data = symbols.strings.bytes;
    file.sections[symtab].data = symbols.table;
    let columns = config.columns.to_le_bytes();
    file.add_note(SECTION_CONFIGURATION, NOTE_CONFIGURATION, &columns);
    file.add_uid();
    file.finish(os_abi, abi_version)
}
