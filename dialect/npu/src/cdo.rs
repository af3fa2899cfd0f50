//! Configurations of the array: CDO version 2, a header and a list of commands (bootgen:
//! `cdo-driver`, `cdo-command.c`).
//!
//! A command's first word holds its number and the words that follow; [`LONG_LENGTH`] there means
//! that the length is in the next word.

use std::fmt::Write;

use aiec_diag::Diag;

use crate::bytes::{Bytes, word_bytes};
use crate::codes::{CDO_MALFORMED, CDO_NOT_LOADABLE};

/// Bytes of the header.
pub const HEADER_BYTES: usize = 20;
/// Words of the header after the first, without the checksum.
const HEADER_REMAINING: u32 = 4;
/// Second word of the header: the bytes `CDO` and 0.
const MAGIC: u32 = 0x004F_4443;
/// Third word of the header: version 2.0.
const VERSION: u32 = 0x0000_0200;
/// Length of a command from which it is in the following word.
pub const LONG_LENGTH: usize = 255;
/// Number of the handler of all commands that configure the array.
const HANDLER: u32 = 1;

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Waits until the bits under a mask have a value.
    MaskPoll {
        /// The register.
        register: CdoAddress,
        /// The bits to compare.
        mask: u32,
        /// The value to wait for.
        value: u32,
        /// Time limit, in milliseconds.
        timeout: u32,
    },
    /// Changes the bits under a mask.
    MaskWrite {
        /// The register.
        register: CdoAddress,
        /// The bits to change.
        mask: u32,
        /// Their new values.
        value: u32,
    },
    /// Writes a register.
    Write {
        /// The register.
        register: CdoAddress,
        /// The word.
        value: u32,
    },
    /// Writes consecutive words.
    DmaWrite {
        /// Byte address of the first.
        address: u64,
        /// The words.
        words: Vec<u32>,
    },
    /// Does nothing; its words are padding.
    Nop {
        /// The padding.
        words: Vec<u32>,
    },
}

pub(crate) fn long(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// Byte address of a register, in the form of 32 or of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CdoAddress {
    /// One word.
    Short(u32),
    /// Two words, the high one first.
    Long(u64),
}

impl CdoAddress {
    /// The byte address.
    pub fn address(self) -> u64 {
        match self {
            Self::Short(address) => u64::from(address),
            Self::Long(address) => address,
        }
    }

    pub(crate) fn push(self, out: &mut Vec<u32>) {
        match self {
            Self::Short(address) => out.push(address),
            Self::Long(address) => out.extend([(address >> 32) as u32, address as u32]),
        }
    }

    /// Takes the address in front of a payload.
    fn split_first(payload: &[u32], is_long: bool) -> Option<(Self, &[u32])> {
        match *payload {
            [high, low, ref rest @ ..] if is_long => Some((Self::Long(long(high, low)), rest)),
            [address, ref rest @ ..] if !is_long => Some((Self::Short(address), rest)),
            _ => None,
        }
    }

    /// The form of 32 bits where it is enough.
    fn shorten(&mut self) {
        if let Ok(short) = u32::try_from(self.address()) {
            *self = Self::Short(short);
        }
    }
}

/// Numbers of the commands in the generic handler.
mod number {
    pub(super) const MASK_POLL: u8 = 0x01;
    pub(super) const MASK_WRITE: u8 = 0x02;
    pub(super) const WRITE: u8 = 0x03;
    pub(super) const DMA_WRITE: u8 = 0x05;
    pub(super) const MASK_POLL_64: u8 = 0x06;
    pub(super) const MASK_WRITE_64: u8 = 0x07;
    pub(super) const WRITE_64: u8 = 0x08;
    pub(super) const NOP: u8 = 0x11;
}

impl Command {
    /// Its name in listings.
    pub fn name(&self) -> &'static str {
        match self {
            Self::MaskPoll { .. } => "MASK_POLL",
            Self::MaskWrite { .. } => "MASK_WRITE",
            Self::Write { .. } => "WRITE",
            Self::DmaWrite { .. } => "DMA_WRITE",
            Self::Nop { .. } => "NOP",
        }
    }

    /// The register that it writes or polls, if it is one.
    fn register_mut(&mut self) -> Option<&mut CdoAddress> {
        match self {
            Self::MaskPoll { register, .. }
            | Self::MaskWrite { register, .. }
            | Self::Write { register, .. } => Some(register),
            Self::DmaWrite { .. } | Self::Nop { .. } => None,
        }
    }

    /// Its number in the generic handler.
    pub fn number(&self) -> u8 {
        let (register, short, long) = match self {
            Self::MaskPoll { register, .. } => (register, number::MASK_POLL, number::MASK_POLL_64),
            Self::MaskWrite { register, .. } => {
                (register, number::MASK_WRITE, number::MASK_WRITE_64)
            }
            Self::Write { register, .. } => (register, number::WRITE, number::WRITE_64),
            Self::DmaWrite { .. } => return number::DMA_WRITE,
            Self::Nop { .. } => return number::NOP,
        };
        match register {
            CdoAddress::Short(_) => short,
            CdoAddress::Long(_) => long,
        }
    }

    pub(crate) fn payload(&self) -> Vec<u32> {
        let mut out = Vec::new();
        match self {
            Self::MaskPoll {
                register,
                mask,
                value,
                timeout,
            } => {
                register.push(&mut out);
                out.extend([mask, value, timeout]);
            }
            Self::MaskWrite {
                register,
                mask,
                value,
            } => {
                register.push(&mut out);
                out.extend([mask, value]);
            }
            Self::Write { register, value } => {
                register.push(&mut out);
                out.push(*value);
            }
            Self::DmaWrite { address, words } => {
                CdoAddress::Long(*address).push(&mut out);
                out.extend(words);
            }
            Self::Nop { words } => out.extend(words),
        }
        out
    }

    pub(crate) fn from_payload(number: u8, payload: &[u32]) -> Option<Self> {
        match (number, payload) {
            (number::DMA_WRITE, &[high, low, ref words @ ..]) => {
                let (address, words) = (long(high, low), words.to_vec());
                return Some(Self::DmaWrite { address, words });
            }
            (number::NOP, words) => {
                let words = words.to_vec();
                return Some(Self::Nop { words });
            }
            _ => {}
        }
        let is_long = number >= number::MASK_POLL_64;
        let (register, values) = CdoAddress::split_first(payload, is_long)?;
        Some(match (number, values) {
            (number::MASK_POLL | number::MASK_POLL_64, &[mask, value, timeout]) => Self::MaskPoll {
                register,
                mask,
                value,
                timeout,
            },
            (number::MASK_WRITE | number::MASK_WRITE_64, &[mask, value]) => Self::MaskWrite {
                register,
                mask,
                value,
            },
            (number::WRITE | number::WRITE_64, &[value]) => Self::Write { register, value },
            _ => return None,
        })
    }

    /// Words of the encoding.
    pub fn words(&self) -> usize {
        let payload = match self {
            Self::DmaWrite { words, .. } => words.len() + 2,
            Self::Nop { words } => words.len(),
            other => other.payload().len(),
        };
        payload + 1 + usize::from(payload >= LONG_LENGTH)
    }

    fn push(&self, out: &mut Vec<u32>) {
        let payload = self.payload();
        let id = HANDLER << 8 | u32::from(self.number());
        let short = payload.len().min(LONG_LENGTH) as u32;
        out.push(short << 16 | id);
        if payload.len() >= LONG_LENGTH {
            out.push(payload.len() as u32);
        }
        out.extend(payload);
    }

    /// The command as bootgen writes it again: addresses of 32 bits where they are enough, and
    /// WRITE for one word.
    fn normalized(mut self) -> Self {
        if let Self::DmaWrite { address, words } = &self
            && let [value] = words[..]
        {
            let register = CdoAddress::Long(*address);
            self = Self::Write { register, value };
        }
        if let Some(register) = self.register_mut() {
            register.shorten();
        }
        self
    }
}

/// A configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cdo {
    /// The commands in order.
    pub commands: Vec<Command>,
}

impl Cdo {
    /// Reads a configuration that fills the bytes except for zeros after it.
    ///
    /// # Errors
    /// The first place at which the bytes aren't a configuration.
    pub fn read(all: &[u8]) -> Result<Self, Diag> {
        let bytes = Bytes::new(all, &CDO_MALFORMED);
        let end = HEADER_BYTES + 4 * body_words(&bytes)?;
        let mut at = HEADER_BYTES;
        let mut commands = Vec::new();
        while at < end {
            let head = bytes.u32(at)?;
            let (id, mut count) = (head & 0xFFFF, (head >> 16) as usize);
            let start = at;
            at += 4;
            if count == LONG_LENGTH {
                count = bytes.u32(at)? as usize;
                at += 4;
            }
            if count > end.saturating_sub(at) / 4 {
                let why = format!("a command of {count} words goes past the configuration's end");
                return Err(bytes.malformed(start, why));
            }
            let payload = bytes.words(at, 4 * count)?;
            at += 4 * count;
            let number = u8::try_from(id ^ HANDLER << 8).ok();
            let command = number.and_then(|n| Command::from_payload(n, &payload));
            commands.push(command.ok_or_else(|| {
                let why = format!("0x{id:X} with {count} words isn't a command of a configuration");
                bytes.malformed(start, why)
            })?);
        }
        Ok(Self { commands })
    }

    /// The bytes.
    pub fn write(&self) -> Vec<u8> {
        let mut body = Vec::new();
        self.commands
            .iter()
            .for_each(|command| command.push(&mut body));
        let mut all = vec![HEADER_REMAINING, MAGIC, VERSION, body.len() as u32];
        all.push(checksum(&all));
        all.extend(body);
        word_bytes(&all)
    }

    /// The commands that the loader of the NPU refuses, with their places in the list
    /// (aie-pdi-transform: `lib/cdo_cmd.c`).
    pub fn check_loadable(&self) -> Result<(), Diag> {
        let polls = |c: &&Command| matches!(c, Command::MaskPoll { .. });
        match self.commands.iter().find(polls) {
            None => Ok(()),
            Some(poll) => {
                let mut text = String::new();
                print_command(poll, &mut text);
                let why = format!("the loader of the NPU refuses '{}'", text.trim_end());
                let help = "wait for the register in the runtime sequence instead";
                Err(Diag::error(&CDO_NOT_LOADABLE, why).help(help))
            }
        }
    }

    /// Joins configurations as bootgen does: commands in their shortest form, and a NOP before each
    /// block so that its data have the alignment of their address, counted from the input's header.
    pub fn join(parts: impl IntoIterator<Item = Cdo>) -> Cdo {
        let mut commands = Vec::new();
        for part in parts {
            let mut position = HEADER_BYTES / 4;
            for command in part.commands {
                let command = command.normalized();
                if let Command::DmaWrite { address, words } = &command {
                    let head = 3 + usize::from(words.len() + 2 >= LONG_LENGTH);
                    let target = (address >> 2) as usize;
                    // a NOP of `padding` words takes one more itself
                    if let padding @ 1.. = target.wrapping_sub(position + head) % 4 {
                        let words = vec![0; padding - 1];
                        position += padding;
                        commands.push(Command::Nop { words });
                    }
                }
                position += command.words();
                commands.push(command);
            }
        }
        Cdo { commands }
    }
}

/// Words after the header.
fn body_words(bytes: &Bytes<'_>) -> Result<usize, Diag> {
    let mut head = [0; HEADER_BYTES / 4];
    for (i, word) in head.iter_mut().enumerate() {
        *word = bytes.u32(4 * i)?;
    }
    if head[..2] != [HEADER_REMAINING, MAGIC] {
        return Err(bytes.malformed(0, "no header of a configuration is here"));
    }
    if head[2] != VERSION {
        let why = format!("version 0x{:X} is not 2.0 (0x{VERSION:X})", head[2]);
        return Err(bytes.malformed(8, why));
    }
    if head[4] != checksum(&head[..4]) {
        let why = format!(
            "the checksum is 0x{:08X}, not 0x{:08X}",
            head[4],
            checksum(&head[..4])
        );
        return Err(bytes.malformed(16, why));
    }
    let words = head[3] as usize;
    if words > (bytes.all.len() - HEADER_BYTES) / 4 {
        let why = format!("{words} words are said to follow, the data end before");
        return Err(bytes.malformed(12, why));
    }
    Ok(words)
}

/// Checksum of headers of the bootgen family: the complement of the sum.
pub(crate) fn checksum(words: &[u32]) -> u32 {
    !words
        .iter()
        .fold(0, |sum: u32, word| sum.wrapping_add(*word))
}

/// The listing of a configuration, a command a line.
pub fn print(cdo: &Cdo) -> String {
    let mut out = String::new();
    cdo.commands
        .iter()
        .for_each(|command| print_command(command, &mut out));
    out
}

/// The line of a command.
pub fn print_command(command: &Command, out: &mut String) {
    let place = |register: &CdoAddress| match register {
        CdoAddress::Short(address) => format!("{address:08x}"),
        CdoAddress::Long(address) => long_address(*address),
    };
    let _ = match command {
        Command::MaskPoll {
            register,
            mask,
            value,
            timeout,
        } => writeln!(
            out,
            "MASK_POLL   {} & {mask:08x} = {value:08x} for {timeout} ms",
            place(register)
        ),
        Command::MaskWrite {
            register,
            mask,
            value,
        } => {
            writeln!(
                out,
                "MASK_WRITE  {} & {mask:08x} = {value:08x}",
                place(register)
            )
        }
        Command::Write { register, value } => {
            writeln!(out, "WRITE       {} = {value:08x}", place(register))
        }
        Command::DmaWrite { address, words } => {
            let _ = write!(
                out,
                "DMA_WRITE   {} [{}]",
                long_address(*address),
                words.len()
            );
            for word in words {
                let _ = write!(out, " {word:08x}");
            }
            writeln!(out)
        }
        Command::Nop { words } => writeln!(out, "NOP [{}]", words.len()),
    };
}

fn long_address(address: u64) -> String {
    format!("{:x}_{:08x}", address >> 32, address as u32)
}
