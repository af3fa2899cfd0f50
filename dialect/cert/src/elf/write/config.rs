//! Configuration files: several kernels with several instances.

use aiec_diag::Diag;
use aiec_xrt_elf::{DynamicTables, ElfBuilder, FLAGS_DATA, KernelArgument, SymbolTable, mangle};

use super::super::{ABI_GROUPED, ABI_MERGED, SECTION_DUMP};
use super::OS_ABI;
use super::sections::add_image;
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

impl Kernel {
    fn mangled(&self) -> String {
        mangle(&self.name, &self.arguments)
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
    let mut file = ElfBuilder::new();
    let symtab = file.add_symbol_table();
    for (name, bytes) in &config.custom {
        file.add_custom(name, bytes.clone());
    }
    let mut kernels: Vec<(String, &Kernel)> =
        config.kernels.iter().map(|k| (k.mangled(), k)).collect();
    kernels.sort_by(|a, b| a.0.cmp(&b.0));
    let mut symbols = SymbolTable::new();
    let mut dynamic = DynamicTables::default();
    let mut number = 0;
    for (mangled, kernel) in kernels {
        let kernel_symbol = symbols.add_kernel(&mangled);
        let mut instances: Vec<&KernelInstance> = kernel.instances.iter().collect();
        instances.sort_by(|a, b| a.id.cmp(&b.id));
        for instance in instances {
            let symbol = symbols.add_instance(&instance.id, kernel_symbol);
            let suffix = format!(".{number}");
            let first = file.next_index();
            add_image(&mut file, &instance.image, &suffix, merged, &mut dynamic);
            if let Some(record) = &instance.dump {
                let name = format!("{SECTION_DUMP}{suffix}");
                file.add_loaded(name, FLAGS_DATA, record.clone());
            }
            let members: Vec<u32> = (first..file.next_index()).collect();
            dynamic.add_sections(&mut file);
            file.add_group(&suffix, symtab, symbol, &members);
            number += 1;
        }
    }
    dynamic.fill(&mut file);
    symbols.fill(&mut file, symtab);
    file.add_configuration(config.columns);
    file.add_uid();
    file.finish(os_abi, abi_version)
}
