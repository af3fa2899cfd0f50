//! Files of the vendors' tools: read, written again, and made from the same inputs.
//! Their origin is in `test/vectors/README.md`.

use std::fs;
use std::path::{Path, PathBuf};

use aiec_npu::cdo::Cdo;
use aiec_npu::xclbin::{NpuXclbin, Partition, PartitionPdi, Xclbin, XclbinIdentity, XclbinKernel};
use aiec_npu::{elf, pdi, txn};
use aiec_xrt_elf::KernelArgument;
use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test/vectors/containers")
}

/// All files below the vectors' folder whose name a filter takes, in order of their paths.
fn files(take: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path)
            } else {
                found.push(path)
            }
        }
    }
    found.retain(|path| take(&path.file_name().expect("a name").to_string_lossy()));
    found.sort();
    found
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// `made` is the content of a file.
fn assert_content(path: &Path, made: &[u8]) {
    let wanted = read(path);
    let at = made.iter().zip(&wanted).position(|(a, b)| a != b);
    let at = at.or((made.len() != wanted.len()).then(|| made.len().min(wanted.len())));
    assert!(
        at.is_none(),
        "{}: differs from 0x{:X} on ({} of {} bytes)",
        path.display(),
        at.unwrap_or(0),
        made.len(),
        wanted.len()
    );
}

#[test]
fn transactions_are_written_as_they_were_read() {
    let paths = files(|name| name.contains("insts") && name.ends_with(".bin") || name == "ops.bin");
    assert!(paths.len() >= 12, "{paths:?}");
    for path in paths {
        let read = txn::Transaction::read(&read(&path)).expect("a transaction");
        assert_content(&path, &read.write());
        let text = txn::print(&read);
        let again = txn::parse(&text, Default::default()).expect("its text");
        let operations = |t: &txn::Transaction| -> Vec<_> {
            t.operations.iter().map(|o| o.operation.clone()).collect()
        };
        assert_eq!(operations(&again), operations(&read));
        assert_eq!(again.header, read.header);
        let hex = txn::print_hex_words(&read.write());
        assert_eq!(txn::parse_hex_words(&hex), Some(read.write()));
    }
}

#[test]
fn listings_are_those_of_the_vendor() {
    for path in files(|name| name == "insts.asm.txt") {
        let wanted = fs::read_to_string(&path).expect("the listing");
        let wanted: Vec<_> = wanted.lines().filter(|l| !l.starts_with(';')).collect();
        let read = read(&path.with_file_name("insts.bin"));
        let made = txn::print(&txn::Transaction::read(&read).expect("a transaction"));
        // the vendor's text has no place for the generation
        let made = made.replace("    .generation 3\n", "");
        let trim = |lines: Vec<&str>| lines.join("\n").trim().to_owned();
        let (made, wanted) = (trim(made.lines().collect()), trim(wanted));
        for (number, (made, wanted)) in made.lines().zip(wanted.lines()).enumerate() {
            assert_eq!(made, wanted, "{}:{number}", path.display());
        }
        assert_eq!(made.len(), wanted.len());
    }
}

#[test]
fn configurations_are_written_as_they_were_read() {
    let paths =
        files(|name| name.contains("_cdo_") && name.ends_with(".bin") || name.ends_with(".cdo"));
    assert!(paths.len() >= 20, "{paths:?}");
    for path in paths {
        let read = Cdo::read(&read(&path)).expect("a configuration");
        assert_content(&path, &read.write());
    }
}

#[test]
fn pdis_are_made_of_the_configurations_that_bootgen_got() {
    let mut made = 0;
    for path in files(|name| name.ends_with(".pdi")) {
        let stem = path
            .file_stem()
            .expect("a stem")
            .to_string_lossy()
            .into_owned();
        let part = |kind: &str| path.with_file_name(format!("{stem}_aie_cdo_{kind}.bin"));
        if part("elfs").exists() {
            let parts = ["elfs", "init", "enable"]
                .map(|kind| Cdo::read(&read(&part(kind))).expect("a configuration"));
            assert_content(&path, &pdi::write(&Cdo::join(parts)));
            made += 1;
        }
        if !stem.ends_with("_transformed") {
            assert_content(&path, &pdi::write(&pdi::read(&read(&path)).expect("a PDI")));
        }
    }
    assert!(made >= 8, "{made}");
    let all = Cdo::read(&read(&folder().join("cdo/all_commands.cdo"))).expect("a configuration");
    assert_content(
        &folder().join("cdo/all.pdi"),
        &pdi::write(&Cdo::join([all.clone()])),
    );
    assert!(all.check_loadable().is_err(), "it polls");
}

#[test]
fn a_transformed_pdi_is_read_and_made() {
    let plain = read(&folder().join("pdi-transform/sample.pdi"));
    let path = folder().join("pdi-transform/sample_transformed.pdi");
    assert_content(
        &path,
        &pdi::transform(&plain).expect("its transformed form"),
    );
    let mut cdo = pdi::read(&plain).expect("a PDI");
    cdo.commands
        .retain(|c| !matches!(c, aiec_npu::cdo::Command::Nop { .. }));
    // the vendor's tool leaves the last bytes of the data out
    let data = cdo
        .commands
        .iter_mut()
        .rev()
        .find_map(|command| match command {
            aiec_npu::cdo::Command::DmaWrite { words, .. } => Some(words),
            _ => None,
        });
    let data = data.expect("a block");
    let kept = data.len() - 5;
    data[kept..].fill(0);
    assert!(pdi::read(&read(&path)).expect("a PDI") == cdo);
}

#[test]
fn partial_files_are_made_of_transactions() {
    let mut made = 0;
    for path in files(|name| name == "insts.elf") {
        let unfolded = path.with_file_name("npu_insts_full_elf_main_sequence.bin");
        let transaction = if unfolded.exists() {
            read(&unfolded)
        } else {
            read(&path.with_file_name("insts.bin"))
        };
        let program = elf::NpuProgram {
            transaction,
            ..Default::default()
        };
        assert_content(&path, &elf::write_partial(&program).expect("a file"));
        made += 1;
    }
    assert!(made >= 4, "{made}");
    let text = fs::read_to_string(folder().join("txn/ops.asm")).expect("the text");
    let made = txn::parse(&text, Default::default()).expect("a transaction");
    let transaction = made.write();
    let program = elf::NpuProgram {
        transaction,
        ..Default::default()
    };
    let file = elf::write_partial(&program).expect("a file");
    assert_content(&folder().join("txn/ops.elf"), &file);
    let read = elf::read(&file).expect("a program");
    assert_content(&folder().join("txn/ops.bin"), &read.instances[0].text);
}

/// The kernels of a description as the vendor's assembler takes it.
fn kernels(path: &Path) -> Vec<elf::NpuKernel> {
    let description: Value = serde_json::from_slice(&read(path)).expect("JSON");
    let array = |value: &Value| value.as_array().expect("a list").clone();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let kernel = |kernel: &Value| elf::NpuKernel {
        name: text(&kernel["name"]),
        arguments: array(&kernel["arguments"])
            .iter()
            .map(|argument| KernelArgument::from_name(&text(&argument["type"])))
            .collect(),
        pdis: array(&kernel["PDIs"])
            .iter()
            .map(|pdi| {
                let id = pdi["id"].as_u64().expect("a number") as u32;
                (id, read(&path.with_file_name(text(&pdi["PDI_file"]))))
            })
            .collect(),
        instances: array(&kernel["instance"])
            .iter()
            .map(|instance| {
                let file = path.with_file_name(text(&instance["TXN_ctrl_code_file"]));
                let transaction = read(&file);
                let program = elf::NpuProgram {
                    transaction,
                    ..Default::default()
                };
                (text(&instance["id"]), program)
            })
            .collect(),
    };
    array(&description["xrt-kernels"])
        .iter()
        .map(kernel)
        .collect()
}

#[test]
fn full_files_are_made_of_pdis_and_transactions() {
    let mut made = 0;
    for path in files(|name| name == "aie.elf") {
        let kernels = kernels(&path.with_file_name("full_elf_config.json"));
        let instances: usize = kernels.iter().map(|k| k.instances.len()).sum();
        let full = elf::FullElf {
            kernels,
            ..Default::default()
        };
        let file = elf::write_full(&full).expect("a file");
        assert_content(&path, &file);
        let read = elf::read(&file).expect("a program");
        assert_eq!(read.instances.len(), instances);
        assert!(read.kernels.iter().all(|k| !k.instances.is_empty()));
        made += 1;
    }
    assert!(made >= 5, "{made}");
}

#[test]
fn xclbin_files_are_made_of_pdis_and_signatures() {
    let mut made = 0;
    for path in files(|name| name.ends_with(".xclbin")) {
        let bytes = read(&path);
        let file = Xclbin::read(&bytes).expect("a file");
        assert_content(&path, &file.write());
        let npu = NpuXclbin::from_sections(&file).expect("a file of an NPU");
        let time = u64::from_le_bytes(*bytes[312..].first_chunk().expect("a time"));
        let identity = XclbinIdentity {
            uuid: file.uuid(),
            time,
        };
        // the same from what it was made of
        let own = &npu.partition.pdis[0];
        let by_hand = path.parent().expect("a folder").ends_with("xclbin");
        let pdi = path.with_file_name(if by_hand { "t.pdi" } else { "main.pdi" });
        let mut kernel = XclbinKernel::with_buffers(3);
        if by_hand {
            kernel.attribute_order = ["subtype", "functional", "dpu_kernel_id"];
        }
        let width = npu.partition.columns;
        let array = if path.to_string_lossy().contains("npu1") {
            4
        } else {
            8
        };
        let again = NpuXclbin {
            partition: Partition {
                columns: width,
                start_columns: Partition::possible_starts(width, array),
                pdis: vec![PartitionPdi {
                    uuid: own.uuid,
                    bytes: read(&pdi),
                    kernel_ids: vec![0x901],
                }],
            },
            kernels: vec![kernel],
            section_names: npu.section_names.clone(),
        };
        assert_eq!(again.kernels[0].arguments, npu.kernels[0].arguments);
        assert_content(&path, &again.to_sections(identity).write());
        assert_eq!(again.content_uuid(), again.clone().content_uuid());
        made += 1;
    }
    assert!(made >= 7, "{made}");
}
