//! AIE_PARTITION: columns and PDIs. Offsets count from the section's first byte, all parts lie at
//! multiples of 8 bytes (XRT: `xclbin.h`, `aie_partition`).

use aiec_diag::Diag;

use crate::bytes::{Bytes, put};
use crate::codes::XCLBIN_MALFORMED;

/// Bytes of the section's header.
const HEADER_BYTES: usize = 184;
/// Bytes of a PDI's record and of a group's.
const RECORD_BYTES: usize = 96;
const ALIGN: usize = 8;
/// Values without meaning for an NPU that aiecc writes.
const OPERATIONS_PER_CYCLE: u64 = 2048;
const INFERENCE_FINGERPRINT: u64 = 23423;
const PRE_POST_FINGERPRINT: u64 = 12345;
/// Name of the group of commands, its type (primary), the PDI's number in it, and the group before.
const GROUP_NAME: &str = "DPU";
const GROUP_PRIMARY: u64 = 1;
const GROUP_PDI: u64 = 1;
const GROUP_BEFORE: u32 = 0xC1;
/// Most bytes of a PDI (XRT).
const MAX_PDI_BYTES: usize = 128 << 20;

/// Byte offsets of the header's fields.
mod at {
    pub(super) const NAME: usize = 4;
    pub(super) const OPERATIONS_PER_CYCLE: usize = 8;
    pub(super) const INFERENCE_FINGERPRINT: usize = 16;
    pub(super) const PRE_POST_FINGERPRINT: usize = 24;
    pub(super) const COLUMNS: usize = 32;
    pub(super) const START_COLUMNS: usize = 40;
    pub(super) const PDIS: usize = 120;
    pub(super) const COMMIT_ID: usize = 128;
}

/// Columns and PDIs of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Partition {
    /// Number of columns that the design takes.
    pub columns: u16,
    /// Columns at which it may begin.
    pub start_columns: Vec<u16>,
    /// The PDIs.
    pub pdis: Vec<PartitionPdi>,
}

/// A PDI and the kernels that run on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartitionPdi {
    /// Its UUID.
    pub uuid: [u8; 16],
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Ids of the kernels.
    pub kernel_ids: Vec<u64>,
}

impl Partition {
    /// The columns at which a design of some width may begin in an array of `array_columns`.
    pub fn possible_starts(columns: u16, array_columns: u16) -> Vec<u16> {
        (0..=array_columns.saturating_sub(columns)).collect()
    }

    pub(super) fn read(all: &[u8]) -> Result<Self, Diag> {
        let bytes = Bytes::new(all, &XCLBIN_MALFORMED);
        bytes.slice(0, HEADER_BYTES)?;
        let mut partition = Partition {
            columns: bytes.u16(at::COLUMNS)?,
            start_columns: list(&bytes, at::START_COLUMNS, 2)?
                .map(|at| bytes.u16(at))
                .collect::<Result<_, _>>()?,
            pdis: Vec::new(),
        };
        let mut total = 0usize;
        for record in list(&bytes, at::PDIS, RECORD_BYTES)? {
            let (size, image) = (
                bytes.u32(record + 16)? as usize,
                bytes.u32(record + 20)? as usize,
            );
            total = total.saturating_add(size);
            if size > MAX_PDI_BYTES || total > all.len() {
                let why =
                    format!("a PDI of {size} bytes, more than the section or XRT has room for");
                return Err(bytes.malformed(record + 16, why));
            }
            let uuid = bytes.slice(record, 16)?;
            let mut pdi = PartitionPdi {
                uuid: uuid.first_chunk().copied().unwrap_or_default(),
                bytes: bytes.slice(image, size)?.to_vec(),
                kernel_ids: Vec::new(),
            };
            for group in list(&bytes, record + 24, RECORD_BYTES)? {
                for id in list(&bytes, group + 16, 8)? {
                    pdi.kernel_ids.push(bytes.number(id, 8)?);
                }
            }
            partition.pdis.push(pdi);
        }
        Ok(partition)
    }

    pub(super) fn write(&self) -> Vec<u8> {
        let mut out = vec![0; HEADER_BYTES];
        let empty = push(&mut out, &[0]);
        let commit_id = push(&mut out, &[0]);
        let starts: Vec<u8> = self
            .start_columns
            .iter()
            .flat_map(|c| c.to_le_bytes())
            .collect();
        let starts_at = push(&mut out, &starts);
        let records: Vec<u8> = self
            .pdis
            .iter()
            .flat_map(|pdi| pdi.push(&mut out))
            .collect();
        let records_at = push(&mut out, &records);
        for (at, width, value) in [
            (at::NAME, 4, empty),
            (at::OPERATIONS_PER_CYCLE, 4, OPERATIONS_PER_CYCLE),
            (at::INFERENCE_FINGERPRINT, 8, INFERENCE_FINGERPRINT),
            (at::PRE_POST_FINGERPRINT, 8, PRE_POST_FINGERPRINT),
            (at::COLUMNS, 2, u64::from(self.columns)),
            (at::START_COLUMNS, 4, self.start_columns.len() as u64),
            (at::START_COLUMNS + 4, 4, starts_at),
            (at::PDIS, 4, self.pdis.len() as u64),
            (at::PDIS + 4, 4, records_at),
            (at::COMMIT_ID, 4, commit_id),
        ] {
            put(&mut out, at, width, value);
        }
        out
    }
}

impl PartitionPdi {
    /// Adds image and group; the record.
    fn push(&self, out: &mut Vec<u8>) -> Vec<u8> {
        let image = push(out, &self.bytes);
        let name = push(out, &[GROUP_NAME.as_bytes(), &[0]].concat());
        let ids: Vec<u8> = self
            .kernel_ids
            .iter()
            .flat_map(|id| id.to_le_bytes())
            .collect();
        let ids_at = push(out, &ids);
        let before = push(out, &GROUP_BEFORE.to_le_bytes());
        let mut group = vec![0; RECORD_BYTES];
        put(&mut group, 0, 4, name);
        put(&mut group, 4, 1, GROUP_PRIMARY);
        put(&mut group, 8, 8, GROUP_PDI);
        put(&mut group, 16, 4, self.kernel_ids.len() as u64);
        put(&mut group, 20, 4, ids_at);
        put(&mut group, 24, 4, 1);
        put(&mut group, 28, 4, before);
        let group_at = push(out, &group);
        let mut record = vec![0; RECORD_BYTES];
        record[..16].copy_from_slice(&self.uuid);
        put(&mut record, 16, 4, self.bytes.len() as u64);
        put(&mut record, 20, 4, image);
        put(&mut record, 24, 4, 1);
        put(&mut record, 28, 4, group_at);
        record
    }
}

/// Adds bytes and zeros up to a multiple of 8; their offset.
fn push(out: &mut Vec<u8>, bytes: &[u8]) -> u64 {
    let at = out.len();
    out.extend(bytes);
    out.resize(out.len().next_multiple_of(ALIGN), 0);
    at as u64
}

/// The byte offsets of a list's entries; count and offset are two words at `at`.
fn list(
    bytes: &Bytes<'_>,
    at: usize,
    entry: usize,
) -> Result<impl Iterator<Item = usize> + use<>, Diag> {
    let (count, start) = (bytes.u32(at)? as usize, bytes.u32(at + 4)? as usize);
    bytes.slice(start, count.saturating_mul(entry))?;
    Ok((0..count).map(move |index| start + entry * index))
}
