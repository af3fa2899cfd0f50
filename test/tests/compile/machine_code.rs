//! `elf_file` cores: the segments of a core's executable arrive in program and data memory, and
//! buffers keep clear of its data.

use std::fs;
use std::path::PathBuf;

use aiec_device::TileLoc;
use aiec_sim::{SimOptions, SimResult, simulate};
use aiec_test::driver::aiec;
use aiec_test::machine_code::{READ_EXECUTE, READ_WRITE, executable};

/// A folder of its own for a test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("aiec-elf-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        Scratch(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// Writes a design whose core at (1, 3) runs `core.elf`, and that file.
    fn design(&self, file: &[u8], more: &str) -> String {
        let text = format!(
            "module {{
  aie.device(xcve3858) {{
    %t = aie.tile(1, 3)
    %n = aie.tile(1, 4)
    {more}
    aie.core(%t) {{
      aie.end
    }} {{elf_file = \"core.elf\"}}
  }}
}}
"
        );
        fs::write(self.path("core.elf"), file).expect("the executable");
        fs::write(self.path("design.mlir"), text).expect("the design");
        self.path("design.mlir")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // a test that fails may have removed it
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Compiles the design and runs it until the core is released, which nothing here can execute.
fn load(scratch: &Scratch, design: &str) -> SimResult {
    let elf = scratch.path("out.elf");
    let run = aiec([design, "-o", &elf], b"");
    run.output().expect("it compiles");
    let elf = fs::read(elf).expect("the control code");
    simulate(&elf, Vec::new(), &SimOptions::default()).expect("it starts")
}

enum Of {
    Program,
    Data,
}

fn bytes(result: &SimResult, of: Of, tile: TileLoc, start: usize, count: usize) -> Vec<u8> {
    let memory = match of {
        Of::Program => result.array.program_memory(tile),
        Of::Data => result.array.data_memory(tile),
    };
    memory.expect("a memory").bytes()[start..][..count].to_vec()
}

#[test]
fn segments_arrive_where_the_core_sees_them() {
    let scratch = Scratch::new("segments");
    let program: Vec<u8> = (1..=64).collect();
    let file = executable(&[
        (READ_EXECUTE, 0, &program, 64),
        // Its own memory (the window to the east): data, then zeros.
        (READ_WRITE, 0x7_0400, &[11, 12, 13, 14, 15], 12),
        // The last bytes of the window to the north and the first of its own.
        (READ_WRITE, 0x6_FFFC, &[21, 22, 23, 24, 25, 26, 27, 28], 8),
        // Program further up.
        (READ_EXECUTE, 0x200, &[31, 32], 2),
    ]);
    let result = load(&scratch, &scratch.design(&file, ""));
    let (core, north) = (TileLoc::new(1, 3), TileLoc::new(1, 4));
    assert_eq!(bytes(&result, Of::Program, core, 0, 64), program);
    assert_eq!(bytes(&result, Of::Program, core, 0x200, 2), [31, 32]);
    let own = [11, 12, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(bytes(&result, Of::Data, core, 0x400, 12), own);
    assert_eq!(bytes(&result, Of::Data, core, 0, 4), [25, 26, 27, 28]);
    assert_eq!(bytes(&result, Of::Data, north, 0xFFFC, 4), [21, 22, 23, 24]);
    // Nothing here can execute it, and the run ends with that.
    assert_eq!(result.status.name(), "fault");
}

#[test]
fn buffers_keep_clear_of_its_data() {
    let scratch = Scratch::new("reserved");
    let data = [1u8; 4];
    let file = executable(&[
        (READ_EXECUTE, 0, &[0; 16], 16),
        (READ_WRITE, 0x7_0400, &data, 0x800),
    ]);
    let buffer = "%b = aie.buffer(%t) {sym_name = \"b\"} : memref<64xi32>";
    let design = scratch.design(&file, buffer);
    let run = aiec(["opt", "--aie-assign-buffer-addresses", &design], b"");
    let text = String::from_utf8(run.output().expect("it succeeds")).expect("text");
    assert!(
        text.contains("address = 3072 : i32, mem_bank = 0"),
        "{text}"
    );
    let run = aiec([design.as_str(), "--emit=report", "-o", "-"], b"");
    let text = String::from_utf8(run.output().expect("it succeeds")).expect("text");
    let line = "0x00400 to 0x00bff  bank 0    2048 bytes  (data of core.elf)";
    assert!(text.contains(line), "{text}");
}

/// Message about a file.
fn said(file: &[u8]) -> String {
    let scratch = Scratch::new("refused");
    let design = scratch.design(file, "");
    let out = scratch.path("out.elf");
    let run = aiec([design.as_str(), "-o", &out, "--diagnostics=json"], b"");
    assert_eq!(run.exit, aiec::Exit::BadInput);
    assert!(!PathBuf::from(out).exists());
    run.stderr
}

#[test]
fn files_that_are_no_executables_of_cores_are_refused() {
    let good = executable(&[(READ_EXECUTE, 0, &[0; 16], 16)]);
    let changed = |at: usize, value: u8| {
        let mut file = good.clone();
        file[at] = value;
        file
    };
    let mut cases: Vec<(Vec<u8>, &str)> = vec![
        (b"no ELF".to_vec(), "core.elf isn't an ELF file"),
        (good[..40].to_vec(), "ends within its ELF header"),
        (good[..60].to_vec(), "ends before program header 0"),
        (good[..90].to_vec(), "ends within segment 0"),
        (changed(4, 2), "not of 32 bits and little-endian"),
        (changed(18, 62), "is for machine 318, an AIE core is 264"),
        (changed(16, 1), "isn't linked: it isn't an executable"),
        (changed(42, 56), "has program headers of 56 bytes"),
        (changed(52, 6), "has nothing to load"),
        (
            changed(24, 0x20),
            "is to begin at 0x20, where it has no program",
        ),
    ];
    for length in [5, 17, 51, 75] {
        let expected = match length {
            ..52 => "ends within its ELF header",
            _ => "ends before program header 0",
        };
        cases.push((good[..length].to_vec(), expected));
    }
    cases.push((
        executable(&[(READ_EXECUTE, 0x3FF8, &[0; 16], 16)]),
        "16 bytes of program at 0x3ff8, past the end of program memory",
    ));
    cases.push((
        executable(&[(READ_WRITE, 0x1000, &[0; 16], 16)]),
        "16 bytes of data at 0x1000, where the core sees no data memory",
    ));
    for (file, expected) in cases {
        let said = said(&file);
        assert!(said.contains(expected), "{expected}: {said}");
    }
}

#[test]
fn a_missing_file_is_named() {
    let scratch = Scratch::new("missing");
    let design = scratch.design(b"", "");
    fs::remove_file(scratch.path("core.elf")).expect("it is there");
    let run = aiec(
        [
            design.as_str(),
            "-o",
            &scratch.path("out.elf"),
            "--diagnostics=json",
        ],
        b"",
    );
    assert_eq!(run.exit, aiec::Exit::BadInput);
    assert!(
        run.stderr.contains("core::cannot-read-elf"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("cannot read core.elf"),
        "{}",
        run.stderr
    );
}
