//! Loading: code and arguments go to host memory, addresses are patched into the code.
//!
//! This is the host's part (XRT: src/runtime_src/core/common/api/xrt_elf.cpp, xrt_module.cpp):
//! the pages of a controller lie one after the other, 8192 bytes each, its pads after them;
//! each patch adds the address of an argument, of code or of a control packet buffer to the field
//! that the relocation names.

use std::collections::BTreeMap;

use aiec_cert::elf::{Instance, Patch, PatchPlace, PatchSymbol};
use aiec_cert::page::PAGE_BYTES;
use aiec_cert::patch::{self, PatchKind};

use crate::cert::LoadedUc;
use crate::host::{BufferId, HostMemory};

pub use crate::host::HostBuffer;

/// Name of the memory that saves contexts; a symbol of the file if the code wants it.
const SCRATCH_SYMBOL: &str = "scratch-pad-mem";
/// Its size in bytes.
const SCRATCH_BYTES: usize = 3 << 20;

/// Why code cannot be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The code uses an argument that was not given.
    #[error("the code uses argument {index}, but no buffer was given for it")]
    MissingArgument {
        /// Index of the argument.
        index: u32,
    },
    /// Two buffers for one argument.
    #[error("argument {index} was given twice")]
    DuplicateArgument {
        /// Index of the argument.
        index: u32,
    },
    /// A relocation names an address that doesn't exist.
    #[error("the code wants the address of '{symbol}', which does not exist")]
    UnknownSymbol {
        /// The symbol.
        symbol: String,
    },
    /// A relocation's place is outside the code.
    #[error("a relocation for '{symbol}': {why}")]
    Patch {
        /// The symbol.
        symbol: String,
        /// The defect.
        why: String,
    },
}

/// Code and arguments in host memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Loaded {
    /// Controllers with code.
    pub ucs: Vec<LoadedUc>,
    /// Arguments by index: buffer and address.
    pub arguments: BTreeMap<u32, (BufferId, u64)>,
}

impl Loaded {
    /// Addresses of arguments as the controllers' argument list has them; 0 where none was given.
    pub fn argument_list(&self) -> Vec<u64> {
        let count = self.arguments.keys().last().map_or(0, |last| last + 1);
        (0..count)
            .map(|i| self.arguments.get(&i).map_or(0, |(_, address)| *address))
            .collect()
    }
}

/// Who adds argument addresses to BD images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Patching {
    /// The host, when it loads the code; present stacks do this.
    #[default]
    Host,
    /// The controllers, in APPLY_OFFSET_57; relocations of shim BDs are left alone.
    Controllers,
}

/// Maps arguments and code into host memory and patches the code.
pub fn load(
    instance: &Instance,
    arguments: Vec<HostBuffer>,
    patching: Patching,
    host: &mut HostMemory,
) -> Result<Loaded, LoadError> {
    let mut loaded = Loaded::default();
    for HostBuffer { index, bytes } in arguments {
        let mapping = host.map(format!("argument {index}"), bytes);
        if loaded
            .arguments
            .insert(index, (mapping.id, mapping.base))
            .is_some()
        {
            return Err(LoadError::DuplicateArgument { index });
        }
    }
    let mut places = MappedSections::default();
    for uc in &instance.ucs {
        let mut bytes = Vec::with_capacity(uc.pages.len() * PAGE_BYTES + uc.pad.len());
        for page in &uc.pages {
            bytes.extend_from_slice(page);
            bytes.resize(bytes.len().next_multiple_of(PAGE_BYTES), 0);
        }
        let pad = bytes.len();
        bytes.extend_from_slice(&uc.pad);
        let mapping = host.map(format!("control code {}", uc.uc), bytes);
        places.code.insert(uc.uc, (mapping.base, pad as u64));
        let pages = uc.pages.len() as u32;
        loaded.ucs.push(LoadedUc {
            uc: uc.uc,
            base: mapping.base,
            pages,
        });
    }
    for (&id, bytes) in &instance.ctrl_packets {
        let mapping = host.map(format!("control packets {id}"), bytes.clone());
        places.packets.insert(id, mapping.base);
    }
    let scratch = PatchSymbol::Other(SCRATCH_SYMBOL.into());
    if instance.patches.iter().any(|patch| patch.symbol == scratch) {
        places.scratch = Some(host.map(SCRATCH_SYMBOL, vec![0; SCRATCH_BYTES]).base);
    }
    for patch in &instance.patches {
        let by_controller = matches!(patch.kind, PatchKind::ShimBd57 | PatchKind::ShimBd57Aie4);
        if patching == Patching::Host || !by_controller {
            apply(patch, &places, &loaded, host)?;
        }
    }
    Ok(loaded)
}

/// Where things were mapped.
#[derive(Default)]
struct MappedSections {
    /// By controller: address, byte offset of the pads.
    code: BTreeMap<u32, (u64, u64)>,
    /// Address by id.
    packets: BTreeMap<u32, u64>,
    scratch: Option<u64>,
}

fn name(symbol: &PatchSymbol) -> String {
    match symbol {
        PatchSymbol::Argument(index) => index.to_string(),
        PatchSymbol::Code(uc) => format!("control-code-{uc}"),
        PatchSymbol::CtrlPacket(id) => format!(".ctrlpkt-{id}"),
        PatchSymbol::Other(name) => name.clone(),
    }
}

fn apply(
    patch: &Patch,
    places: &MappedSections,
    loaded: &Loaded,
    host: &mut HostMemory,
) -> Result<(), LoadError> {
    let symbol = || name(&patch.symbol);
    let unknown = || LoadError::UnknownSymbol { symbol: symbol() };
    let address = match &patch.symbol {
        PatchSymbol::Argument(index) => match loaded.arguments.get(index) {
            Some((_, address)) => *address,
            None => return Err(LoadError::MissingArgument { index: *index }),
        },
        PatchSymbol::Code(uc) => places.code.get(uc).ok_or_else(unknown)?.0,
        PatchSymbol::CtrlPacket(id) => *places.packets.get(id).ok_or_else(unknown)?,
        PatchSymbol::Other(name) if name == SCRATCH_SYMBOL => places.scratch.ok_or_else(unknown)?,
        PatchSymbol::Other(_) => return Err(unknown()),
    };
    let address = address.wrapping_add_signed(patch.addend);
    let place = match patch.place {
        PatchPlace::Page { uc, page, offset } => {
            let (base, _) = places.code.get(&uc).ok_or_else(unknown)?;
            base + u64::from(page) * PAGE_BYTES as u64 + u64::from(offset)
        }
        PatchPlace::Pad { uc, offset } => {
            let (base, pad) = places.code.get(&uc).ok_or_else(unknown)?;
            base + pad + u64::from(offset)
        }
        PatchPlace::CtrlPacket { id, offset } => {
            places.packets.get(&id).ok_or_else(unknown)? + u64::from(offset)
        }
    };
    let result = match host.write(place, patch.kind.words() as u64 * 4) {
        Ok(field) => patch.kind.add(field, 0, address),
        Err(_) => Err(patch::outside(place as usize)),
    };
    result.map_err(|error| LoadError::Patch {
        symbol: symbol(),
        why: error.message,
    })
}
