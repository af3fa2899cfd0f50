//! `--break`: where a run is to stop.

use aiec_cert::page::decode_page;
use aiec_cert::program::SourceLoc;
use aiec_core::{CoreIsa, SweptPiece};
use aiec_device::{ChannelId, TileLoc};
use aiec_diag::{Diag, Reported};
use aiec_sim::array::{BreakCondition, Breakpoint, MemoryWatch, WatchedAccesses};
use aiec_sim::core::{MACHINE_CODE, machine_code_of};
use aiec_sim::{SimResult, Status, StopReason};

use super::places::{PlaceLookup, Wrong, number, small, split_optional, wrong};
use crate::codes;
use crate::session::Session;

/// Syntax of places, for help texts.
const FORMS: &str = "write lock:(C,R):ID[=VALUE], core:(C,R), dma:(C,R):s2mm:N, bd:(C,R):N, \
                     mem:(C,R):ADDRESS[+BYTES][=read|=access], buffer:NAME[+BYTES][=read|=access], \
                     reg:(C,R):OFFSET[=VALUE], token:(C,R):s2mm:N, job:UC:PAGE:JOB, page:UC:PAGE, \
                     op:UC:PAGE:OFFSET, pc:(C,R):ADDRESS, pc:(C,R):FUNCTION or line:[FILE:]LINE; a \
                     lock, core or channel also by its name; #N after it for the Nth time";
/// Bytes from an address on that are watched by default.
const DEFAULT_WATCH_BYTES: u32 = 4;
/// Functions that a message names at most.
const MAX_NAMES: usize = 12;

/// The breakpoints of a command line.
#[derive(Debug, Default)]
pub struct Breakpoints {
    /// All of them.
    pub breakpoints: Vec<Breakpoint>,
    /// For each the text on the command line that it is of.
    texts: Vec<String>,
}

impl Breakpoints {
    /// Reads the texts of `--break`.
    pub fn read(
        texts: &[String],
        places: &PlaceLookup<'_>,
        session: &mut Session,
    ) -> Result<Breakpoints, Reported> {
        let mut stops = Breakpoints::default();
        for text in texts {
            match parse(text, places) {
                Ok((all, times)) => {
                    let count = all.len();
                    let breakpoints = all.into_iter().map(|on| Breakpoint { on, times });
                    stops.breakpoints.extend(breakpoints);
                    stops.texts.extend(std::iter::repeat_n(text.clone(), count));
                }
                Err(error) => session.push(wrong("--break", text, error)),
            }
        }
        session.diags.check()?;
        Ok(stops)
    }

    /// Finding for a run with breaks or `--until`: where it stopped, or that it
    /// didn't.
    pub fn say(&self, until: Option<u64>, result: &SimResult) -> Option<Diag> {
        let Status::Stopped(stop) = &result.status else {
            if self.breakpoints.is_empty() && until.is_none() {
                return None;
            }
            let mut never = self.texts.clone();
            never.dedup();
            never.extend(until.map(|cycle| format!("--until {cycle}")));
            let message = format!("the run ended before it came to {}", never.join(", "));
            let mut diag = Diag::warning(&codes::NOT_STOPPED, message);
            for (breakpoint, text) in self.breakpoints.iter().zip(&self.texts) {
                if let BreakCondition::CoreInstruction(tile, MACHINE_CODE, at) = breakpoint.on
                    && let Some(why) = why_not_reached(result, tile, at)
                {
                    diag = diag.remark(format!("{text}: {why}"));
                }
            }
            return Some(diag.help("`--trace FILE.txt` shows what happened, and when"));
        };
        let message = match stop.as_ref() {
            StopReason::Until(cycle) => format!("stopped after cycle {cycle}"),
            StopReason::Breakpoint(which, record) => format!(
                "stopped in cycle {} at {}: {}",
                record.at,
                self.texts.get(*which).map_or("a break", String::as_str),
                aiec_sim::trace::describe(&result.array, result.debug.as_ref(), record)
            ),
        };
        let mut diag = Diag::note(&codes::STOPPED, message);
        let now = aiec_sim::diagnosis::limit(&result.machine, &result.array, result.debug.as_ref());
        if !now.active.is_empty() {
            diag = diag.remark(format!("at work: {}", now.active.join(", ")));
        }
        for waiting in now.waiting.iter().take(MAX_WAITS) {
            diag = diag.remark(waiting.to_string());
        }
        let more = now.waiting.len().saturating_sub(MAX_WAITS);
        if more > 0 {
            diag = diag.remark(format!("{more} more wait"));
        }
        Some(diag.help("`--dump PLACE` shows memory, locks and registers as they are now"))
    }
}

/// Why a core can't have come to an address of its machine code, as far as that is plain.
fn why_not_reached(result: &SimResult, tile: TileLoc, at: u32) -> Option<String> {
    let Some(position) = result.array.core_position(tile) else {
        return Some(format!("the core at {tile} was not started"));
    };
    if position.checksum != MACHINE_CODE {
        return Some(format!(
            "the core at {tile} runs a program of aiec's own format; `line:` stops in it"
        ));
    }
    let isa = CoreIsa::of(machine_code_of(result.array.device().arch())?);
    let program = result.array.program_memory(tile)?.bytes();
    for (bundle, piece) in isa.sweep(program, 0) {
        let next = bundle + piece.length();
        if bundle >= at as usize || matches!(piece, SweptPiece::Unknown(_)) {
            break;
        }
        if next > at as usize {
            return Some(format!(
                "no bundle begins there: the one at {bundle:#x} has {} bytes",
                piece.length()
            ));
        }
    }
    None
}

/// Waits that a finding lists at most.
const MAX_WAITS: usize = 12;

fn forms() -> Wrong {
    ("it isn't a place to stop at".to_string(), FORMS.to_string())
}

fn parse(text: &str, places: &PlaceLookup<'_>) -> Result<(Vec<BreakCondition>, u32), Wrong> {
    let (text, times) = match text.rsplit_once('#') {
        Some((text, times)) => {
            let bad = || (format!("'{times}' isn't a count"), FORMS.to_string());
            let times = small::<u32>(times).filter(|n| *n > 0).ok_or_else(bad)?;
            (text, times)
        }
        None => (text, 1),
    };
    let (sort, rest) = text.split_once(':').ok_or_else(forms)?;
    let numbers: Option<Vec<u64>> = rest.split(':').map(number).collect();
    let numbers = numbers.unwrap_or_default();
    let on = match (sort, &numbers[..]) {
        ("lock", _) => {
            let (place, value) = split_optional(rest, '=');
            let lock = places.lock(place)?;
            let most = places.device.arch_model().max_lock_value;
            let no_value = |value: &str| {
                let message = format!("'{value}' isn't a value of a lock");
                (message, format!("a lock counts from 0 to {most}"))
            };
            let read = |value| small::<i8>(value).filter(|value| *value <= most);
            let value = value.map(|value| read(value).ok_or_else(|| no_value(value)));
            BreakCondition::Lock(lock, value.transpose()?)
        }
        ("mem" | "buffer", _) => {
            let (place, accesses) = split_optional(rest, '=');
            let (tile, start, bytes) = places.memory(place, DEFAULT_WATCH_BYTES)?;
            let accesses = match accesses {
                None | Some("write") => WatchedAccesses::Writes,
                Some("read") => WatchedAccesses::Reads,
                Some("access") => WatchedAccesses::All,
                Some(other) => {
                    let message = format!("'{other}' isn't a kind of access");
                    return Err((message, "write =write, =read or =access".to_string()));
                }
            };
            BreakCondition::Memory(MemoryWatch {
                tile,
                start,
                bytes,
                accesses,
            })
        }
        ("core", _) => BreakCondition::Core(places.core(rest)?),
        ("dma", _) => BreakCondition::Dma(places.channel(rest)?),
        ("bd", _) => {
            let (tile, number) = places.tile(rest).ok_or_else(forms)??;
            let count = places
                .device
                .tile(tile)
                .and_then(|model| model.dma.as_ref());
            let count = count.map_or(0, |dma| dma.bds);
            let bd = small::<u8>(number).filter(|bd| *bd < count);
            let none = || {
                let help = match count {
                    0 => "this tile has no DMA".to_string(),
                    count => format!("its BDs are 0 to {}", count - 1),
                };
                (format!("'{number}' is no BD of tile {tile}"), help)
            };
            BreakCondition::Bd(tile, bd.ok_or_else(none)?)
        }
        ("token", _) => {
            let ChannelId { tile, dir, index } = places.channel(rest)?;
            let kind = places.device.tile_kind(tile);
            let arch = places.device.arch();
            let actor = kind.and_then(|kind| arch.actor_id(kind, dir, index));
            let none = || {
                (
                    "this channel sends no tokens".to_string(),
                    FORMS.to_string(),
                )
            };
            BreakCondition::Token(tile, actor.ok_or_else(none)?)
        }
        ("reg", _) => {
            let (tile, offset, rest) = places.register(rest)?;
            let value = match rest.strip_prefix('=') {
                Some(value) => Some(small::<u32>(value).ok_or_else(forms)?),
                None if rest.is_empty() => None,
                None => return Err(forms()),
            };
            BreakCondition::Register(tile, offset, value)
        }
        ("job", &[uc, page, job]) => {
            let (uc, page) = page_of(uc, page, places)?;
            let job = within_page(uc, page, "job", job, places)?;
            BreakCondition::Job(uc, Some(page), job)
        }
        ("page", &[uc, page]) => {
            let (uc, page) = page_of(uc, page, places)?;
            BreakCondition::Page(uc, page)
        }
        ("op", &[uc, page, offset]) => {
            let (uc, page) = page_of(uc, page, places)?;
            let offset = within_page(uc, page, "instruction at byte", offset, places)?;
            BreakCondition::Instruction(uc, page, offset)
        }
        ("pc", _) => {
            let (tile, address) = rest.rsplit_once(':').ok_or_else(forms)?;
            let tile = places.core(tile)?;
            let address = match small::<u32>(address) {
                Some(address) => within_program_memory(address, tile, places)?,
                None => function(address, tile, places)?,
            };
            BreakCondition::CoreInstruction(tile, MACHINE_CODE, address)
        }
        ("line", _) => return Ok((lines(rest, places)?, times)),
        _ => return Err(forms()),
    };
    Ok((vec![on], times))
}

/// A page of control code that the run has, as controller and number.
fn page_of(uc: u64, page: u64, places: &PlaceLookup<'_>) -> Result<(u8, u16), Wrong> {
    let Some(code) = places.code else {
        let help = "break at a core, DMA channel, lock or register".to_string();
        return Err(("no controller takes part in this run".into(), help));
    };
    let Some(found) = code.ucs.iter().find(|code| u64::from(code.uc) == uc) else {
        let ucs: Vec<String> = code.ucs.iter().map(|code| code.uc.to_string()).collect();
        let help = format!("controllers with code: {}", ucs.join(", "));
        return Err((format!("controller {uc} has no code"), help));
    };
    let count = found.pages.len();
    let none = || {
        let help = format!("it has {count} page(s), counted from 0");
        (format!("controller {uc} has no page {page}"), help)
    };
    let known = u8::try_from(uc).ok().zip(u16::try_from(page).ok());
    known
        .filter(|(_, page)| usize::from(*page) < count)
        .ok_or_else(none)
}

/// The number of a job, or the offset of an instruction in bytes, if a page has it. A page that
/// can't be decoded may have anything: the run says what is wrong with it.
fn within_page(
    uc: u8,
    page: u16,
    what: &str,
    wanted: u64,
    places: &PlaceLookup<'_>,
) -> Result<u16, Wrong> {
    let ucs = places.code.map_or(&[][..], |code| &code.ucs);
    let code = ucs.iter().find(|code| code.uc == u32::from(uc));
    let bytes = code.and_then(|code| code.pages.get(usize::from(page)));
    let decoded = bytes.and_then(|bytes| decode_page(bytes).ok());
    let known: Option<Vec<u64>> = decoded.map(|page| match what {
        "job" => page.jobs.iter().map(|job| u64::from(job.id)).collect(),
        _ => {
            let ops = page.jobs.iter().flat_map(|job| &job.ops);
            ops.map(|placed| placed.at as u64).collect()
        }
    });
    let number = u16::try_from(wanted).ok();
    let number = number.filter(|_| known.as_ref().is_none_or(|known| known.contains(&wanted)));
    number.ok_or_else(|| {
        let message = format!("page {page} of controller {uc} has no {what} {wanted}");
        let all = known.iter().flatten().copied();
        let near = all.min_by_key(|near| (near.abs_diff(wanted), *near));
        let near = near.map_or(String::new(), |near| format!("the nearest is {near}; "));
        (
            message,
            format!("{near}`aiec dis --format=json` lists them"),
        )
    })
}

/// An address, if the program memory of a core has it.
fn within_program_memory(
    address: u32,
    tile: TileLoc,
    places: &PlaceLookup<'_>,
) -> Result<u32, Wrong> {
    let end = places
        .device
        .tile(tile)
        .map_or(0, |model| model.program_bytes);
    if address < end {
        return Ok(address);
    }
    Err((
        format!("program memory of the core at {tile} ends at {end:#x}"),
        "`aiec dis core.elf` lists the addresses of bundles".into(),
    ))
}

/// The first bundle of a function of a core's machine code.
fn function(name: &str, tile: TileLoc, places: &PlaceLookup<'_>) -> Result<u32, Wrong> {
    let program = places
        .debug
        .and_then(|debug| debug.program((tile.col, tile.row), MACHINE_CODE));
    let Some(program) = program else {
        let help = "break at an address: pc:(C,R):0x120; designs name functions of an `elf_file`";
        return Err((
            format!("no functions are known of the core at {tile}"),
            help.into(),
        ));
    };
    let found = program.functions.iter().find(|mark| mark.name == name);
    found.map(|mark| mark.at).ok_or_else(|| {
        let names: Vec<&str> = program
            .functions
            .iter()
            .take(MAX_NAMES)
            .map(|mark| mark.name.as_str())
            .collect();
        (
            format!("the core at {tile} has no function `{name}`"),
            format!("its functions are {}", names.join(", ")),
        )
    })
}

/// The instructions that come from a line, of controllers and cores: `LINE` or `FILE:LINE`.
fn lines(text: &str, places: &PlaceLookup<'_>) -> Result<Vec<BreakCondition>, Wrong> {
    let (file, line) = match text.rsplit_once(':') {
        Some((file, line)) => (Some(file), line),
        None => (None, text),
    };
    let wanted: u32 =
        small(line).ok_or_else(|| (format!("'{line}' isn't a line"), FORMS.into()))?;
    let Some(debug) = places.debug else {
        let help = "compile the design with this version, or break at op:UC:PAGE:OFFSET";
        return Err(("this file has no lines".into(), help.into()));
    };
    let is_file = |index: u32| {
        let name = debug.files.get(index as usize);
        file.is_none_or(|file| name.is_some_and(|name| name == file || name.ends_with(file)))
    };
    let mut found = Vec::new();
    let mut near: Option<u32> = None;
    let mut consider = |source: SourceLoc, on: BreakCondition| {
        if !is_file(source.file) {
            return;
        }
        if source.line == wanted {
            found.push(on);
        }
        let distance = |line: u32| (line.abs_diff(wanted), line);
        if near.is_none_or(|near| distance(source.line) < distance(near)) {
            near = Some(source.line);
        }
    };
    for (source, on) in BreakCondition::of_lines(debug) {
        consider(source, on);
    }
    match (found.is_empty(), near) {
        (false, _) => Ok(found),
        (true, Some(near)) => Err((
            format!("no instruction of a controller or core comes from line {wanted}"),
            format!("the nearest line with one is {near}"),
        )),
        (true, None) => Err((
            "no instruction of a controller or core comes from this file".into(),
            format!("the files are {}", debug.files.join(", ")),
        )),
    }
}
