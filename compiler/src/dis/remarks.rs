//! Remarks on the effect of instructions and data on the registers of the array.

use std::collections::BTreeMap;

use aiec_cert::debug::DebugInfo;
use aiec_cert::dis::Remarks;
use aiec_cert::isa::{Op, SymOp};
use aiec_cert::names::Target;
use aiec_cert::program::SourceLoc;
use aiec_device::regmap::{AddressInfo, RegisterMap};
use aiec_device::{Arch, DeviceModel, TileKind};

/// Remarks from a device's register map and a file's own source lines.
pub struct ArrayRemarks {
    device: Option<&'static DeviceModel>,
    target: Option<Target>,
    debug: Option<DebugInfo>,
    /// Sources by controller, page and byte offset.
    sources: BTreeMap<(u32, u32, usize), SourceLoc>,
}

impl ArrayRemarks {
    /// For a device that was named, or the one that a file was compiled for, or one of its family.
    pub fn new(
        device: Option<&'static DeviceModel>,
        target: Option<Target>,
        debug: Option<&DebugInfo>,
    ) -> Self {
        let compiled = || DeviceModel::by_name(debug?.device.as_deref()?);
        let family = || match target {
            Some(Target::Aie4) => None,
            _ => DeviceModel::all().find(|device| device.arch() == Arch::Aie2ps),
        };
        let mut sources = BTreeMap::new();
        for page in debug.map_or(&[][..], |debug| &debug.pages) {
            let jobs = page
                .jobs
                .iter()
                .filter_map(|job| Some((job.at, job.source?)));
            let lines = page.lines.iter().map(|line| (line.at, line.source));
            sources.extend(jobs.chain(lines).map(|(at, source)| {
                let place = (page.uc, u32::from(page.page), usize::from(at));
                (place, source)
            }));
        }
        Self {
            device: device.or_else(compiled).or_else(family),
            target,
            debug: debug.cloned(),
            sources,
        }
    }

    /// True if the device's registers are known.
    pub fn knows_registers(&self) -> bool {
        let mut kinds = TileKind::ALL.into_iter();
        self.device
            .is_some_and(|device| kinds.any(|kind| RegisterMap::of(device.arch(), kind).is_some()))
    }

    /// Why registers are not known.
    pub fn why_not(&self) -> String {
        match (self.device, self.target) {
            (Some(device), _) => format!("the registers of {} are not known", device.name()),
            (None, Some(target)) => format!("the registers of {target} are not known"),
            (None, None) => "the device is not known".to_owned(),
        }
    }

    fn place(&self, address: u32) -> Option<AddressInfo> {
        self.device?.describe(address)
    }

    fn place_or_nothing(&self, address: u32) -> Option<String> {
        let device = self.device?;
        Some(match device.describe(address) {
            Some(place) => place.to_string(),
            None if self.knows_registers() => {
                let (loc, offset) = device.split_address(address);
                format!("tile ({},{}) nothing at 0x{offset:x}", loc.col, loc.row)
            }
            None => return None,
        })
    }
}

/// An array address, if it is one of the 32 bits that present devices use.
fn array_address(address: u64) -> Option<u32> {
    u32::try_from(address).ok()
}

impl Remarks for ArrayRemarks {
    fn inst(&self, _uc: u32, op: &SymOp) -> Option<String> {
        let at = |address| self.place_or_nothing(address);
        let setting = |address, says: &dyn Fn(&AddressInfo) -> String| {
            let place = self.place(address).filter(|place| !place.is_memory())?;
            Some(format!("{place}: {}", says(&place)))
        };
        let until = |what: Option<String>| Some(format!("until {}", what?));
        match *op {
            Op::Write32 { address, value } => {
                setting(address, &|place| place.says(value)).or_else(|| at(address))
            }
            Op::MaskWrite32 {
                address,
                mask,
                value,
            } => setting(address, &|place| place.says_masked(mask, value)).or_else(|| at(address)),
            Op::Poll32 { address, value } => {
                let memory = || Some(format!("{} is 0x{value:x}", at(address)?));
                until(setting(address, &|place| place.says(value)).or_else(memory))
            }
            Op::MaskPoll32 {
                address,
                mask,
                value,
            } => {
                let memory = || Some(format!("{} & 0x{mask:x} is 0x{value:x}", at(address)?));
                until(setting(address, &|place| place.says_masked(mask, value)).or_else(memory))
            }
            // bit 0: the address is a number
            Op::Write32D { flags, address, .. } if flags & 1 != 0 => at(address),
            Op::Read32 { address, .. } | Op::SaveRegister { address, .. } => at(address),
            Op::RelAcqSync { release, acquire } => {
                Some(format!("{}; {}", at(release)?, at(acquire)?))
            }
            _ => None,
        }
    }

    fn transfer(&self, _uc: u32, address: u64, words: u32) -> Option<String> {
        let begin = array_address(address)?;
        let place = self.place_or_nothing(begin)?;
        let plural = if words == 1 { "" } else { "s" };
        Some(format!("{words} word{plural} to {place}"))
    }

    fn written(&self, _uc: u32, address: u64, value: u32, first: bool) -> Option<String> {
        let address = array_address(address)?;
        let place = self.place(address)?;
        if place.is_memory() {
            first.then(|| place.to_string())
        } else {
            Some(format!("{place}: {}", place.says(value)))
        }
    }

    fn source(&self, uc: u32, page: u32, at: usize) -> Option<String> {
        let source = self.sources.get(&(uc, page, at))?;
        self.debug.as_ref()?.show(*source)
    }
}
