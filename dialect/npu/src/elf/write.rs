//! Writing partial and full files, byte for byte as the vendor's assembler does.

use std::collections::BTreeMap;

use aiec_diag::Diag;
use aiec_xrt_elf::{
    DynamicTables, ElfBuilder, FLAGS_DATA, FLAGS_TEXT, HostPatch, KernelArgument, SymbolTable,
    mangle,
};

use super::patch::PatchKind;
use super::preempt::{restore_program, save_program};
use super::relocate::{SectionPatch, SymbolStyle, relocate};
use super::{
    ABI_FULL, ABI_PARTIAL, ARGUMENTS_BEFORE_BUFFERS, OS_ABI, SCRATCH_MEMORY, SECTION_DATA,
    SECTION_PDI, SECTION_PM, SECTION_RESTORE, SECTION_SAVE, SECTION_TEXT,
};
use crate::codes::{LIMIT, PREEMPT_COLUMNS};
use crate::txn::{Operation, TransactionReader};

/// A transaction with its control packets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NpuProgram {
    /// The transaction's bytes, addresses unfolded.
    pub transaction: Vec<u8>,
    /// Control packets that a shim DMA streams.
    pub control_packets: Option<ControlPackets>,
    /// Control packets that load program memory, by number.
    pub program_memory: BTreeMap<u32, Vec<u8>>,
}

/// Control packets with the addresses in them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ControlPackets {
    /// The packets.
    pub bytes: Vec<u8>,
    /// The argument whose buffer they are, if it is given a name.
    pub argument: Option<u32>,
    /// The addresses.
    pub patches: Vec<PacketPatch>,
}

/// An address in a control packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PacketPatch {
    /// Byte offset of the packet's first data word.
    pub offset: u32,
    /// The run's buffer, from 0.
    pub argument: u32,
    /// Bytes to add.
    pub addend: u32,
}

/// A kernel of a full file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NpuKernel {
    /// Name.
    pub name: String,
    /// Types of its arguments.
    pub arguments: Vec<KernelArgument>,
    /// PDIs by number.
    pub pdis: BTreeMap<u32, Vec<u8>>,
    /// Instances by id.
    pub instances: BTreeMap<String, NpuProgram>,
}

/// A full file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FullElf {
    /// Kernels in any order.
    pub kernels: Vec<NpuKernel>,
    /// Extra sections: name and contents.
    pub custom: Vec<(String, Vec<u8>)>,
}

/// Writes a partial file: a transaction beside an xclbin.
///
/// # Errors
/// The bytes aren't a transaction, or one that such a file can't carry.
pub fn write_partial(program: &NpuProgram) -> Result<Vec<u8>, Diag> {
    let mut file = ElfBuilder::new();
    let mut dynamic = DynamicTables::default();
    let control_packets = program.control_packets.as_ref().and_then(|p| p.argument);
    let style = SymbolStyle::Partial { control_packets };
    add_program(&mut file, &mut dynamic, program, style, "", true)?;
    dynamic.add_sections(&mut file);
    dynamic.fill(&mut file);
    file.add_uid();
    file.finish(OS_ABI, ABI_PARTIAL)
}

/// Writes a full file.
///
/// # Errors
/// Such a file can't carry a transaction, or the transactions are for different numbers of columns.
pub fn write_full(full: &FullElf) -> Result<Vec<u8>, Diag> {
    let mut file = ElfBuilder::new();
    let symtab = file.add_symbol_table();
    for (name, bytes) in &full.custom {
        file.add_custom(name, bytes.clone());
    }
    let mut symbols = SymbolTable::new();
    let mut dynamic = DynamicTables::default();
    let mut number = 0;
    let mut columns = None;
    let mut kernels: Vec<(String, &NpuKernel)> = full
        .kernels
        .iter()
        .map(|kernel| (mangle(&kernel.name, &kernel.arguments), kernel))
        .collect();
    kernels.sort_by(|a, b| a.0.cmp(&b.0));
    for (mangled, kernel) in kernels {
        let kernel_symbol = symbols.add_kernel(&mangled);
        add_common_sections(&mut file, kernel);
        let pdis: Vec<u32> = kernel.pdis.keys().copied().collect();
        for (id, program) in &kernel.instances {
            let own = TransactionReader::new(&program.transaction)?.header.columns;
            if *columns.get_or_insert(own) != own {
                let why = format!(
                    "instance '{id}' of kernel '{}' is for {own} columns, others are for {}",
                    kernel.name,
                    columns.unwrap_or(own)
                );
                return Err(Diag::error(&LIMIT, why));
            }
            let symbol = symbols.add_instance(id, kernel_symbol);
            let suffix = format!(".{number}");
            let first = file.next_index();
            let style = SymbolStyle::Full {
                pdis: &pdis,
                control_packets: program.control_packets.as_ref().and_then(|p| p.argument),
            };
            add_program(&mut file, &mut dynamic, program, style, &suffix, false)?;
            let members: Vec<u32> = (first..file.next_index()).collect();
            dynamic.add_sections(&mut file);
            file.add_group(&suffix, symtab, symbol, &members);
            number += 1;
        }
    }
    dynamic.fill(&mut file);
    symbols.fill(&mut file, symtab);
    file.add_configuration(u32::from(columns.unwrap_or(0)));
    file.add_uid();
    file.finish(OS_ABI, ABI_FULL)
}

/// The sections that all instances of a kernel share, in byte order of their names.
fn add_common_sections(file: &mut ElfBuilder, kernel: &NpuKernel) {
    let programs = kernel.instances.values();
    let memories = programs.flat_map(|program| &program.program_memory);
    let memories = memories.map(|(id, bytes)| (format!("{SECTION_PM}{id}"), bytes));
    let pdis = kernel
        .pdis
        .iter()
        .map(|(id, bytes)| (format!("{SECTION_PDI}{id}"), bytes));
    let sections: BTreeMap<String, &Vec<u8>> = memories.chain(pdis).collect();
    for (name, bytes) in sections {
        file.add_loaded(name, FLAGS_TEXT, bytes.clone());
    }
}

/// Adds the sections of a program, in byte order of their names, then their patches.
fn add_program(
    file: &mut ElfBuilder,
    dynamic: &mut DynamicTables,
    program: &NpuProgram,
    style: SymbolStyle<'_>,
    suffix: &str,
    with_program_memory: bool,
) -> Result<(), Diag> {
    let memories: Vec<u32> = program.program_memory.keys().copied().collect();
    let mut text = program.transaction.clone();
    let text_patches = relocate(&mut text, style, &memories)?;
    let preempt = preempt_programs(&text)?;
    let mut data = None;
    if let Some(packets) = &program.control_packets {
        let name = format!("{SECTION_DATA}{suffix}");
        let section = file.add_loaded(name, FLAGS_DATA, packets.bytes.clone());
        data = Some((section, packet_patches(packets, style)));
    }
    if with_program_memory {
        let mut named: Vec<_> = program.program_memory.iter().collect();
        named.sort_by_key(|(id, _)| id.to_string());
        for (id, bytes) in named {
            file.add_loaded(format!("{SECTION_PM}{id}"), FLAGS_DATA, bytes.clone());
        }
    }
    let text = file.add_loaded(format!("{SECTION_TEXT}{suffix}"), FLAGS_TEXT, text);
    let mut sections = Vec::from_iter(data);
    sections.push((text, text_patches));
    if let Some([save, restore]) = preempt {
        let restore_section =
            file.add_loaded(format!("{SECTION_RESTORE}{suffix}"), FLAGS_DATA, restore.0);
        let save_section = file.add_loaded(format!("{SECTION_SAVE}{suffix}"), FLAGS_DATA, save.0);
        sections.extend([(save_section, save.1), (restore_section, restore.1)]);
    }
    for (section, patches) in sections {
        for patch in patches {
            dynamic.relocate(HostPatch {
                section,
                symbol: &patch.symbol,
                symbol_size: patch.symbol_size,
                kind: patch.kind.number(),
                offset: patch.offset,
                addend: patch.addend,
            });
        }
    }
    Ok(())
}

fn packet_patches(packets: &ControlPackets, style: SymbolStyle<'_>) -> Vec<SectionPatch> {
    let first = match style {
        SymbolStyle::Partial { .. } => ARGUMENTS_BEFORE_BUFFERS,
        _ => 0,
    };
    let patch = |patch: &PacketPatch| SectionPatch {
        symbol: (patch.argument + first).to_string(),
        symbol_size: 0,
        kind: PatchKind::ControlPacket48,
        // counted from the stream header, two words before the data
        offset: patch.offset.wrapping_sub(8),
        addend: patch.addend,
    };
    packets.patches.iter().map(patch).collect()
}

/// The programs that save and restore, with their patches, if the transaction has a PREEMPT.
type PreemptSections = [(Vec<u8>, Vec<SectionPatch>); 2];

fn preempt_programs(text: &[u8]) -> Result<Option<PreemptSections>, Diag> {
    let reader = TransactionReader::new(text)?;
    let columns = reader.header.columns;
    let mut preempts = false;
    for found in reader {
        preempts |= matches!(found?.1.operation, Operation::Preempt { .. });
    }
    if !preempts {
        return Ok(None);
    }
    let (Some(save), Some(restore)) = (save_program(columns), restore_program(columns)) else {
        let why = format!("the transaction has a PREEMPT and is for {columns} columns");
        return Err(Diag::error(&PREEMPT_COLUMNS, why));
    };
    let section = |program: crate::txn::Transaction| {
        let mut bytes = program.write();
        let patches = relocate(&mut bytes, SymbolStyle::Scratch(SCRATCH_MEMORY), &[])?;
        Ok::<_, Diag>((bytes, patches))
    };
    Ok(Some([section(save)?, section(restore)?]))
}
