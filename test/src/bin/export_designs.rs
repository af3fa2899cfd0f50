//! `export-designs FOLDER COUNT`: writes random designs with their buffers before and after a run, for
//! tests that run them by other ways than this workspace's: `N.mlir`, `N.argI.bin`, `N.expectedI.bin`.

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use aiec_test::designs::runs::{buffers, drawn, netlist};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [folder, count] = arguments.as_slice() else {
        eprintln!("export-designs FOLDER COUNT");
        return ExitCode::from(2);
    };
    let Ok(count) = count.parse::<u64>() else {
        eprintln!("'{count}' isn't a number of designs");
        return ExitCode::from(2);
    };
    match export(Path::new(folder), count) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn export(folder: &Path, count: u64) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    for number in 0..count {
        let design = drawn(number)?;
        let (before, after) = buffers(&design, number, 0);
        write(
            folder,
            &format!("{number}.mlir"),
            netlist(&design)?.as_bytes(),
        )?;
        for buffer in before {
            let name = format!("{number}.arg{}.bin", buffer.index);
            write(folder, &name, &buffer.bytes)?;
        }
        for (index, bytes) in after.iter().enumerate() {
            write(folder, &format!("{number}.expected{index}.bin"), bytes)?;
        }
    }
    Ok(())
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), String> {
    fs::write(folder.join(name), bytes).map_err(|error| format!("{name}: {error}"))
}
