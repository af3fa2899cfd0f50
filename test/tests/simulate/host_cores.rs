//! Cores bound to functions of a host library, built by `cc` where the machine has one, and to stubs.

use std::fs;
use std::path::{Path, PathBuf};

use aiec::Exit;
use aiec_test::driver::aiec;

use crate::host_kernels::{library, scratch};

/// Declarations that `docs/src/kernels.md` gives for functions, and functions for the designs
/// below.
const SOURCE: &str = r"
#include <stdbool.h>
#include <stdint.h>
struct aiec_core {
  uint32_t column, row;
  void (*load)(uint32_t address, void *to, uint32_t bytes);
  void (*store)(uint32_t address, const void *from, uint32_t bytes);
  void (*acquire)(uint8_t lock, int8_t value);
  void (*release)(uint8_t lock, int8_t change);
  uint32_t (*get_stream)(uint8_t stream);
  void (*put_stream)(uint8_t stream, uint32_t word, bool last);
  void (*get_cascade)(uint32_t words[16]);
  void (*put_cascade)(const uint32_t words[16]);
  void (*event)(uint8_t number);
  void (*spend)(uint64_t cycles);
};
void twice(const struct aiec_core *core) {
  for (int round = 0; round < 2; round++) {
    int32_t data[16];
    core->acquire(49, -1);
    core->acquire(50, -1);
    core->load(0x70400, data, sizeof data);
    for (int i = 0; i < 16; i++) data[i] *= 2;
    core->spend(10000);
    core->store(0x70800, data, sizeof data);
    core->release(48, 1);
    core->release(51, 1);
  }
}
void once(const struct aiec_core *core) {
  core->acquire(49, -1);
  core->release(51, 1);
  core->acquire(49, -1);
  core->acquire(49, -1);
}
void outside(const struct aiec_core *core) {
  char byte;
  core->load(0x10, &byte, 1);
}
void first(const struct aiec_core *core) {
  uint32_t words[16];
  for (int i = 0; i < 16; i++) words[i] = core->get_stream(0);
  core->event(0);
  core->put_cascade(words);
}
void second(const struct aiec_core *core) {
  uint32_t words[16];
  core->get_cascade(words);
  for (int i = 0; i < 16; i++) core->put_stream(0, words[i] + 100 * core->row + core->column, i == 15);
}
";

/// Two rounds of 16 words go through buffers of a core.
const BUFFERS: &str = r#"
module {
  aie.device(npu2_1col) @main {
    %shim = aie.tile(0, 0)
    %tile = aie.tile(0, 2)
    aie.flow(%shim, DMA : 0, %tile, DMA : 0)
    aie.flow(%tile, DMA : 0, %shim, DMA : 0)
    %a = aie.buffer(%tile) {address = 1024 : i32, sym_name = "a"} : memref<16xi32>
    %b = aie.buffer(%tile) {address = 2048 : i32, sym_name = "b"} : memref<16xi32>
    %a_free = aie.lock(%tile, 0) {init = 1 : i32}
    %a_full = aie.lock(%tile, 1) {init = 0 : i32}
    %b_free = aie.lock(%tile, 2) {init = 1 : i32}
    %b_full = aie.lock(%tile, 3) {init = 0 : i32}
    aie.core(%tile) {
      aie.end
    }
    aie.mem(%tile) {
      %in = aie.dma_start(S2MM, 0, ^in, ^second)
    ^in:
      aie.use_lock(%a_free, AcquireGreaterEqual, 1)
      aie.dma_bd(%a : memref<16xi32>, 0, 16)
      aie.use_lock(%a_full, Release, 1)
      aie.next_bd ^in
    ^second:
      %out = aie.dma_start(MM2S, 0, ^out, ^end)
    ^out:
      aie.use_lock(%b_full, AcquireGreaterEqual, 1)
      aie.dma_bd(%b : memref<16xi32>, 0, 16)
      aie.use_lock(%b_free, Release, 1)
      aie.next_bd ^out
    ^end:
      aie.end
    }
    aie.shim_dma_allocation @in(%shim, MM2S, 0)
    aie.shim_dma_allocation @out(%shim, S2MM, 0)
    aie.runtime_sequence @sequence(%x: memref<32xi32>, %y: memref<32xi32>) {
      aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 32][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<32xi32>
      aiex.npu.dma_memcpy_nd(%y[0, 0, 0, 0][1, 1, 1, 32][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<32xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
"#;

/// A stream of 16 words goes through a core, the cascade, and another core.
const STREAMS: &str = r#"
module {
  aie.device(npu2_1col) @main {
    %shim = aie.tile(0, 0)
    %lower = aie.tile(0, 2)
    %upper = aie.tile(0, 3)
    aie.flow(%shim, DMA : 0, %upper, Core : 0)
    aie.flow(%lower, Core : 0, %shim, DMA : 0)
    aie.cascade_flow(%upper, %lower)
    aie.core(%upper) {
      aie.end
    }
    aie.core(%lower) {
      aie.end
    }
    aie.shim_dma_allocation @in(%shim, MM2S, 0)
    aie.shim_dma_allocation @out(%shim, S2MM, 0)
    aie.runtime_sequence @sequence(%x: memref<16xi32>, %y: memref<16xi32>) {
      aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<16xi32>
      aiex.npu.dma_memcpy_nd(%y[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<16xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
"#;

/// A library and a design in a folder; nothing without a compiler.
fn files(name: &str, design: &str) -> Option<(PathBuf, String)> {
    let folder = scratch(name);
    let source = folder.join("cores.c");
    fs::write(&source, SOURCE).unwrap();
    fs::write(folder.join("design.mlir"), design).unwrap();
    let library = library(&source, &folder)?;
    let library = library.display().to_string();
    Some((folder, library))
}

/// Runs the design of a folder with words in its first buffer; what the second holds then.
fn run(folder: &Path, words: &[i32], options: &[String]) -> (Exit, String, Vec<i32>) {
    let (design, input, output) = (
        folder.join("design.mlir"),
        folder.join("in.bin"),
        folder.join("out.bin"),
    );
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    fs::write(&input, bytes).unwrap();
    fs::write(&output, "").unwrap();
    let mut args = vec![
        "sim".to_string(),
        design.display().to_string(),
        format!("--arg=0={}", input.display()),
        format!("--out=1={}", output.display()),
    ];
    args.extend_from_slice(options);
    let run = aiec(&args, b"");
    let bytes = fs::read(&output).unwrap();
    let words = bytes.as_chunks().0.iter().map(|b| i32::from_le_bytes(*b));
    (run.exit, run.stderr, words.collect())
}

#[test]
fn a_function_is_the_program_of_a_core_in_every_file() {
    let Some((folder, library)) = files("core-buffers", BUFFERS) else {
        return;
    };
    let words: Vec<i32> = (0..32).collect();
    let doubled: Vec<i32> = words.iter().map(|word| 2 * word).collect();
    let core = format!("--core=(0,2)={library}:twice");
    for kind in [None, Some("xclbin"), Some("xclbin-elf"), Some("npu-elf")] {
        let mut options = vec![core.clone()];
        options.extend(kind.map(|kind| format!("--as={kind}")));
        let (exit, said, out) = run(&folder, &words, &options);
        assert_eq!((exit, out), (Exit::Done, doubled.clone()), "{said}");
        // what it spends counts, and nothing it does is a race
        assert!(said.contains("completed after 2"), "{said}");
        assert!(!said.contains("sim::race"), "{said}");
    }
    let options = [core, "--timing=off".to_string(), "--jitter=7".to_string()];
    let (exit, said, out) = run(&folder, &words, &options);
    assert_eq!((exit, out), (Exit::Done, doubled), "{said}");
}

#[test]
fn functions_use_streams_and_the_cascade() {
    let Some((folder, library)) = files("core-streams", STREAMS) else {
        return;
    };
    let words: Vec<i32> = (0..16).map(|word| word * word).collect();
    let expected: Vec<i32> = words.iter().map(|word| word + 200).collect();
    let options = [
        format!("--core=(0,3)={library}:first"),
        format!("--core=(0,2)={library}:second"),
        "--as=npu-elf".to_string(),
    ];
    let (exit, said, out) = run(&folder, &words, &options);
    assert_eq!((exit, out), (Exit::Done, expected), "{said}");
}

#[test]
fn what_functions_and_stubs_do_wrong_is_told() {
    let Some((folder, library)) = files("core-wrong", BUFFERS) else {
        return;
    };
    let words = [0; 32];
    for (target, says) in [
        (
            "stub".to_string(),
            "bound to stubs, which do nothing: core (0, 2)",
        ),
        (format!("{library}:once"), "deadlock"),
        (format!("{library}:outside"), "core stopped: access to 0x10"),
    ] {
        let options = [format!("--core=(0,2)={target}")];
        let (exit, said, _) = run(&folder, &words, &options);
        assert_eq!(exit, Exit::SimulationFailed, "{said}");
        assert!(said.contains(says), "{target}: {said}");
    }
    let options = [format!("--core=(0,2)={library}:none")];
    let (exit, said, _) = run(&folder, &words, &options);
    assert_eq!(exit, Exit::BadInput, "{said}");
    assert!(said.contains("define `none` in it"), "{said}");
}
