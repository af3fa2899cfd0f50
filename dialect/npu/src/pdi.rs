//! PDIs: one image with one partition, a configuration (bootgen; aie-pdi-transform).
//!
//! The headers hold constants except for two lengths and a checksum. Nothing is signed. The loader takes
//! the configuration at its fixed offset, so a reader does.

use aiec_diag::Diag;

use crate::bytes::{Bytes, word_bytes};
use crate::cdo::{self, Cdo, CdoAddress, Command, checksum};
use crate::codes::PDI_MALFORMED;

/// Byte offset of the configuration.
pub const CDO_OFFSET: usize = 0x150;
/// Byte offset of the image header table.
const TABLE_OFFSET: usize = 0x10;
/// Byte offset of the partition header.
const PARTITION_OFFSET: usize = 0xD0;
/// Byte offset of the commands after the configuration's header.
const BODY_OFFSET: usize = CDO_OFFSET + cdo::HEADER_BYTES;

/// The first four words: how wide the bus is that reads them.
const BUS_WIDTH: [u32; 4] = [0x0000_00DD, 0x1122_3344, 0x5566_7788, 0x99AA_BBCC];
/// `IDPP`: a partial PDI.
const PARTIAL: u32 = 0x5050_4449;
/// Id code of the boot image format that aiecc asks for, the same for npu1 and npu2.
const ID_CODE: u32 = 0x14CA_8093;
/// Id of the image.
const IMAGE_ID: u32 = 0x1C00_0000;
/// Name of the image, 16 bytes.
const IMAGE_NAME: &[u8; 16] = b"aie_image\0\0\0\0\0\0\0";
/// Partition type 2 (CDO) in bits 31:24, exception level 3 in bits 2:1.
const PARTITION_ATTRIBUTES: u32 = 0x0200_0006;
/// Words of the partition header that say whether the commands are transformed.
const TRANSFORM_WORDS: [usize; 3] = [28, 29, 30];
/// Seed of their check word.
const TRANSFORM_SEED: u32 = 0x8866;
/// Marks of blocks in a transformed PDI whose data are zeros and which lie in a tile.
const ZERO_BLOCK: u32 = 1 << 16;
/// Bytes at the end of the file that the transforming tool leaves out, as it forgets the
/// configuration's header.
const FORGOTTEN_BYTES: usize = cdo::HEADER_BYTES;

fn image_header_table() -> Vec<u32> {
    let mut words = vec![0; 31];
    // version 4.0, images, word offset of the image header, partitions, that of the partition header
    words[..5].copy_from_slice(&[0x0004_0000, 1, 0x24, 1, 0x34]);
    words[6] = ID_CODE;
    words[10] = PARTIAL;
    // words of the table, of an image header << 8, of a partition header << 16; words after the table
    words[11..13].copy_from_slice(&[0x0020_1020, 0x30]);
    words[17] = 1;
    with_checksum(words)
}

fn image_header() -> Vec<u32> {
    let mut words = vec![0; 15];
    words[..2].copy_from_slice(&[0x34, 1]);
    words[4..8].copy_from_slice(&crate::words(IMAGE_NAME));
    words[8] = IMAGE_ID;
    with_checksum(words)
}

fn partition_header(cdo_words: u32, partition_words: u32) -> Vec<u32> {
    let mut words = vec![0; 31];
    words[..3].copy_from_slice(&[partition_words, cdo_words, partition_words]);
    // no load address; the word offset of the partition
    words[6..9].copy_from_slice(&[u32::MAX, u32::MAX, (CDO_OFFSET / 4) as u32]);
    words[9..11].copy_from_slice(&[PARTITION_ATTRIBUTES, 1]);
    with_checksum(words)
}

fn with_checksum(mut words: Vec<u32>) -> Vec<u32> {
    words.push(checksum(&words));
    words
}

/// Writes the PDI of a configuration.
pub fn write(cdo: &Cdo) -> Vec<u8> {
    let mut partition = cdo.write();
    let words = (partition.len() / 4) as u32;
    partition.resize(partition.len().next_multiple_of(16), 0);
    let mut all = BUS_WIDTH.to_vec();
    all.extend(image_header_table());
    all.extend(image_header());
    all.extend(partition_header(words, (partition.len() / 4) as u32));
    let mut bytes = word_bytes(&all);
    bytes.extend(partition);
    bytes
}

/// The configuration of a PDI, plain or transformed.
///
/// # Errors
/// The first place at which the bytes aren't a PDI.
pub fn read(all: &[u8]) -> Result<Cdo, Diag> {
    let bytes = Bytes::new(all, &PDI_MALFORMED);
    if bytes.words(0, 16)? != BUS_WIDTH {
        return Err(bytes.malformed(0, "no bus width words of a PDI are here"));
    }
    let table = bytes.words(TABLE_OFFSET, 128)?;
    if table[1] != 1 || table[3] != 1 {
        let why = format!(
            "{} images and {} partitions, not one of each",
            table[1], table[3]
        );
        return Err(bytes.malformed(TABLE_OFFSET + 4, why));
    }
    if table[31] != checksum(&table[..31]) {
        let why = "the checksum of the image header table is wrong";
        return Err(bytes.malformed(TABLE_OFFSET + 4 * 31, why));
    }
    let partition = bytes.words(PARTITION_OFFSET, 128)?;
    let [marked, zone, check] = TRANSFORM_WORDS.map(|word| partition[word]);
    if marked == 1 && check == transform_check(zone) {
        return read_transformed(&bytes, zone as usize);
    }
    let from = |at: usize, diag: Diag| bytes.malformed(at, diag.message);
    Cdo::read(bytes.slice(CDO_OFFSET, all.len().saturating_sub(CDO_OFFSET))?)
        .map_err(|diag| from(CDO_OFFSET, diag))
}

fn transform_check(zone: u32) -> u32 {
    TRANSFORM_SEED | (1 << 8) | zone.rotate_left(16)
}

/// The runs of equal commands of a transformed PDI: number, count, payload of each.
fn read_transformed(bytes: &Bytes<'_>, zone: usize) -> Result<Cdo, Diag> {
    let end = BODY_OFFSET.saturating_add(zone);
    let mut at = BODY_OFFSET;
    let mut commands = Vec::new();
    let next = |at: &mut usize| {
        let word = bytes.u32(*at)?;
        *at += 4;
        Ok::<u32, Diag>(word)
    };
    while at < end {
        let start = at;
        let (number, count) = (next(&mut at)?, next(&mut at)?);
        for _ in 0..count {
            if at >= end {
                let why = format!("{count} commands of number {number} go past the command zone");
                return Err(bytes.malformed(start, why));
            }
            commands.push(match number {
                5 => {
                    let (high, low) = (next(&mut at)?, next(&mut at)?);
                    let (offset, count) = (next(&mut at)? as usize, next(&mut at)? & !ZERO_BLOCK);
                    let (from, len) = (end.saturating_add(offset), 4 * count as usize);
                    Command::DmaWrite {
                        address: cdo::long(high, low),
                        words: transformed_data(bytes, from, len)?,
                    }
                }
                _ => {
                    let words = match number {
                        3 => 2,
                        2 | 8 => 3,
                        7 => 4,
                        _ => 0,
                    };
                    let payload = (0..words).map(|_| next(&mut at));
                    let payload = payload.collect::<Result<Vec<_>, Diag>>()?;
                    let command = Command::from_payload(number as u8, &payload);
                    command.filter(|_| words > 0).ok_or_else(|| {
                        let why = format!("{number} isn't a command of a transformed PDI");
                        bytes.malformed(start, why)
                    })?
                }
            });
        }
    }
    Ok(Cdo { commands })
}

/// Data of a block; the tool that transforms leaves the file's last bytes out, which are then zero.
fn transformed_data(bytes: &Bytes<'_>, from: usize, len: usize) -> Result<Vec<u32>, Diag> {
    let missing = from.saturating_add(len).saturating_sub(bytes.all.len());
    if missing > FORGOTTEN_BYTES {
        bytes.slice(from, len)?;
    }
    let mut words = bytes.words(from, len - missing.min(len))?;
    words.resize(len / 4, 0);
    Ok(words)
}

/// The transformed form of a PDI, as `xclbinutil --transform-pdi` writes it.
///
/// # Errors
/// The bytes aren't a PDI, or the loader doesn't take its commands.
pub fn transform(all: &[u8]) -> Result<Vec<u8>, Diag> {
    let cdo = read(all)?;
    cdo.check_loadable()?;
    let (mut zone, mut data) = (Vec::new(), Vec::new());
    let mut run: Option<(u8, usize)> = None;
    for command in &cdo.commands {
        let number = command.number();
        if let Command::Nop { .. } = command {
            continue;
        }
        match run {
            Some((same, count_at)) if same == number => zone[count_at] += 1,
            _ => {
                run = Some((number, zone.len() + 1));
                zone.extend([u32::from(number), 1]);
            }
        }
        push_transformed(command, &mut zone, &mut data);
    }
    let mut out = all[..BODY_OFFSET].to_vec();
    let zone_bytes = (4 * zone.len()) as u32;
    let values = [1, zone_bytes, transform_check(zone_bytes)];
    for (word, value) in TRANSFORM_WORDS.iter().zip(values) {
        crate::bytes::put(&mut out, PARTITION_OFFSET + 4 * word, 4, u64::from(value));
    }
    out.extend(word_bytes(&zone));
    out.extend(word_bytes(&data));
    out.truncate(out.len().saturating_sub(FORGOTTEN_BYTES).max(BODY_OFFSET));
    Ok(out)
}

fn push_transformed(command: &Command, zone: &mut Vec<u32>, data: &mut Vec<u32>) {
    match command {
        Command::DmaWrite { address, words } => {
            CdoAddress::Long(*address).push(zone);
            let in_tile = (1..=0xFFFF).contains(&(address & 0xF_FFFF));
            let zeros = in_tile && words.iter().all(|word| *word == 0);
            let mark = if zeros { ZERO_BLOCK } else { 0 };
            zone.extend([(4 * data.len()) as u32, words.len() as u32 | mark]);
            data.extend(words);
        }
        Command::MaskWrite { .. } | Command::Write { .. } => zone.extend(command.payload()),
        Command::Nop { .. } | Command::MaskPoll { .. } => {}
    }
}
