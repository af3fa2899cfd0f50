//! Changed files are refused with an offset or read; nothing panics.

use std::fs;
use std::path::Path;

use aiec_diag::Diag;
use aiec_npu::cdo::Cdo;
use aiec_npu::txn::Transaction;
use aiec_npu::xclbin::{NpuXclbin, Xclbin};
use aiec_npu::{control_packet, elf, pdi};

/// Mutants of each file; `AIEC_TEST_SIZE=N` draws N times as many.
fn count() -> usize {
    let size = std::env::var("AIEC_TEST_SIZE").ok();
    2000 * size.and_then(|n| n.parse::<usize>().ok()).unwrap_or(1)
}

/// Changes, removes or adds a few bytes.
fn mutate(random: &mut fastrand::Rng, bytes: &mut Vec<u8>) {
    for _ in 0..random.usize(1..4) {
        let at = random.usize(..bytes.len());
        match random.u8(..8) {
            0 => bytes.truncate(at.max(1)),
            1 => bytes.extend((0..random.usize(..16)).map(|_| random.u8(..))),
            2 => bytes[at] = 0xFF,
            3..=4 => bytes[at] ^= 1 << random.u8(..8),
            _ => bytes[at] = random.u8(..),
        }
    }
}

/// The result of a read; a refusal must name a place in the file: an offset, or a section of an ELF
/// file.
fn refused_with_offset<T>(read: Result<T, Diag>) -> Option<T> {
    if let Err(diag) = &read {
        let place = [
            "0x",
            "section",
            ".ctrl",
            "metadata",
            "ELF",
            "symbol",
            "relocation",
        ];
        let message = &diag.message;
        assert!(
            place.iter().any(|place| message.contains(place)),
            "{message}"
        );
    }
    read.ok()
}

fn mutants_of(path: &str, read: impl Fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test/vectors/containers");
    let whole = fs::read(folder.join(path)).expect("a vector");
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..count() {
        let mut bytes = whole.clone();
        mutate(&mut random, &mut bytes);
        read(&bytes);
    }
}

#[test]
fn mutants_of_transactions() {
    for path in ["txn/ops.bin", "design/core_npu1_1col/insts.bin"] {
        mutants_of(path, |bytes| {
            if let Some(read) = refused_with_offset(Transaction::read(bytes)) {
                assert_eq!(Transaction::read(&read.write()), Ok(read));
            }
        });
    }
}

#[test]
fn mutants_of_configurations() {
    mutants_of("cdo/all_commands.cdo", |bytes| {
        if let Some(read) = refused_with_offset(Cdo::read(bytes)) {
            assert_eq!(Cdo::read(&read.write()), Ok(read));
        }
    });
}

#[test]
fn mutants_of_pdis() {
    for path in ["cdo/all.pdi", "pdi-transform/sample_transformed.pdi"] {
        mutants_of(path, |bytes| {
            if let Some(read) = refused_with_offset(pdi::read(bytes)) {
                assert_eq!(pdi::read(&pdi::write(&read)), Ok(read));
            }
        });
    }
}

#[test]
fn mutants_of_xclbins() {
    mutants_of("xclbin/npu2_4col.xclbin", |bytes| {
        if let Some(read) = refused_with_offset(Xclbin::read(bytes)) {
            refused_with_offset(NpuXclbin::from_sections(&read));
        }
    });
}

#[test]
fn mutants_of_elf_files() {
    for path in ["design/two_kernels_npu2/aie.elf", "txn/ops.elf"] {
        mutants_of(path, |bytes| {
            let Some(mut read) = refused_with_offset(elf::read(bytes)) else {
                return;
            };
            for instance in &mut read.instances {
                for patch in instance.patches.clone() {
                    let section = instance.section_mut(patch.place);
                    let _ = patch
                        .kind
                        .apply(section, patch.offset as usize, 0x1000, patch.size);
                }
                let _ = Transaction::read(&instance.text);
            }
        });
    }
}

#[test]
fn any_bytes_are_control_packets_or_none() {
    let mut random = fastrand::Rng::with_seed(2);
    for _ in 0..count() {
        let mut bytes = vec![0; random.usize(..64)];
        random.fill(&mut bytes);
        refused_with_offset(control_packet::read(&bytes));
    }
    let packet = control_packet::ControlPacket {
        packet_type: 0,
        packet_id: 0x17,
        offset: 0x1_D000,
        beats: 4,
        operation: control_packet::PacketOperation::Write,
        response_id: 0,
        data: vec![0x100, 0x30, 0, 0x40_0000],
    };
    let mut bytes = aiec_npu::word_bytes(&packet.words());
    bytes.extend([0; 8]);
    assert_eq!(control_packet::read(&bytes), Ok(vec![packet.clone()]));
    let whole = aiec_npu::word_bytes(&packet.words()).repeat(20);
    for _ in 0..count() {
        let mut bytes = whole.clone();
        mutate(&mut random, &mut bytes);
        refused_with_offset(control_packet::read(&bytes));
    }
}
