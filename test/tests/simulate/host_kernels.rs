//! Kernels in C: functions of host libraries, built by `cc` where the machine has one.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use aiec::Exit;
use aiec_test::driver::aiec;

/// A folder of this test for files.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("host-kernels")
        .join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Builds a library; `None`, with a message, if this machine has no C compiler.
pub(crate) fn library(source: &Path, folder: &Path) -> Option<PathBuf> {
    let target = folder.join("libkernels.so");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .args([target.as_os_str(), source.as_os_str()])
        .output();
    match built {
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{errors}");
            Some(target)
        }
        Err(error) => {
            eprintln!("skipped: no C compiler `cc` on this machine ({error})");
            None
        }
    }
}

fn with(prefix: &str, path: &Path) -> OsString {
    let mut text = OsString::from(prefix);
    text.push(path);
    text
}

#[test]
fn the_example_gives_the_same_with_its_kernel_in_c() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let example = root.join("examples/external-kernel");
    let folder = scratch("example");
    let Some(library) = library(&example.join("kernels.c"), &folder) else {
        return;
    };
    let out = folder.join("out1.bin");
    let args = [
        "sim".into(),
        example.join("design.mlir").into_os_string(),
        "--kernel".into(),
        with("vector_scalar_mul_scalar=", &library),
        "--core-cycles".into(),
        "vector_scalar_mul_scalar=50000".into(),
        "--arg".into(),
        with("0=", &example.join("arg0.bin")),
        "--out".into(),
        with("1=", &out),
        // elements that come out as what was there before are written too
        "--strict".into(),
    ];
    let run = aiec(args, b"");
    let said = run.stderr;
    assert_eq!(run.exit, Exit::Done, "{said}");
    assert!(!said.contains("sim::"), "{said}");
    // four calls
    assert!(said.contains("completed after 20"), "{said}");
    let expected = fs::read(example.join("expected1.bin")).unwrap();
    assert_eq!(fs::read(out).unwrap(), expected);
    let missing = aiec(
        [
            "sim".into(),
            example.join("design.mlir").into_os_string(),
            "--kernel".into(),
            with("other=", &library),
        ],
        b"",
    );
    let said = missing.stderr;
    assert_eq!(missing.exit, Exit::BadInput, "{said}");
    assert!(said.contains("sim::kernel-library"), "{said}");
    assert!(said.contains("define `other` in it"), "{said}");
}

/// Every type that can be passed, more of them than there are registers, and results of all sorts.
#[test]
fn all_types_arrive_and_come_back() {
    const SOURCE: &str = r"
#include <stdbool.h>
#include <stdint.h>
// Integers and pointers beyond six are on the stack, floats among them in registers of their own.
void all(int32_t *out, bool b, int8_t i8, uint8_t u8, float f, int16_t i16, uint16_t u16,
         double d, int32_t i32, uint32_t u32, int64_t i64, int64_t index, const float *in) {
  out[0] = b;
  out[1] = i8;
  out[2] = u8;
  out[3] = (int32_t)(f * 4);
  out[4] = i16;
  out[5] = u16;
  out[6] = (int32_t)(d * 8);
  out[7] = i32;
  out[8] = (int32_t)(u32 >> 1);
  out[9] = (int32_t)(i64 >> 32);
  out[10] = (int32_t)index;
  out[11] = (int32_t)in[3];
}
int16_t negative(int16_t x) { return -x; }
float half(float x) { return x / 2; }
double third(double x) { return x / 3; }
bool even(int32_t x) { return x % 2 == 0; }
";
    const DESIGN: &str = r#"
module {
  aie.device(xcve3858) {
    func.func private @all(memref<16xi32>, i1, i8, ui8, f32, i16, ui16, f64, i32, ui32, i64, index, memref<2x2xf32>)
    func.func private @negative(i16) -> i16
    func.func private @half(f32) -> f32
    func.func private @third(f64) -> f64
    func.func private @even(i32) -> i1
    %shim = aie.tile(0, 0)
    %tile = aie.tile(0, 3)
    %in = aie.buffer(%tile) {sym_name = "in"} : memref<2x2xf32> = dense<[[1.0, 2.0], [3.0, 44.0]]>
    aie.objectfifo @out(%tile, {%shim}, 1 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.core(%tile) {
      %true = arith.constant true
      %i8 = arith.constant -8 : i8
      %u8s = arith.constant -56 : i8
      %u8 = builtin.unrealized_conversion_cast %u8s : i8 to ui8
      %f = arith.constant 1.25 : f32
      %i16 = arith.constant -1600 : i16
      %u16s = arith.constant -1 : i16
      %u16 = builtin.unrealized_conversion_cast %u16s : i16 to ui16
      %d = arith.constant 2.5 : f64
      %i32 = arith.constant -320000 : i32
      %u32s = arith.constant -2 : i32
      %u32 = builtin.unrealized_conversion_cast %u32s : i32 to ui32
      %i64 = arith.constant -4294967296 : i64
      %index = arith.constant 77 : index
      %c12 = arith.constant 12 : index
      %c13 = arith.constant 13 : index
      %c14 = arith.constant 14 : index
      %c15 = arith.constant 15 : index
      %sub = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      %out = aie.objectfifo.subview.access %sub[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      func.call @all(%out, %true, %i8, %u8, %f, %i16, %u16, %d, %i32, %u32, %i64, %index, %in) : (memref<16xi32>, i1, i8, ui8, f32, i16, ui16, f64, i32, ui32, i64, index, memref<2x2xf32>) -> ()
      %negative = func.call @negative(%i16) : (i16) -> i16
      %n = arith.extsi %negative : i16 to i32
      memref.store %n, %out[%c12] : memref<16xi32>
      %half = func.call @half(%f) : (f32) -> f32
      %h = arith.bitcast %half : f32 to i32
      memref.store %h, %out[%c13] : memref<16xi32>
      %third = func.call @third(%d) : (f64) -> f64
      %t32 = arith.truncf %third : f64 to f32
      %t = arith.bitcast %t32 : f32 to i32
      memref.store %t, %out[%c14] : memref<16xi32>
      %even = func.call @even(%i32) : (i32) -> i1
      %e = arith.extui %even : i1 to i32
      memref.store %e, %out[%c15] : memref<16xi32>
      aie.objectfifo.release @out(Produce, 1)
      aie.end
    }
    aie.runtime_sequence(%a: memref<16xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @out, issue_token = true} : memref<16xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
"#;
    let folder = scratch("types");
    let source = folder.join("kernels.c");
    fs::write(&source, SOURCE).unwrap();
    let Some(library) = library(&source, &folder) else {
        return;
    };
    let (design, out) = (folder.join("design.mlir"), folder.join("out.bin"));
    fs::write(&design, DESIGN).unwrap();
    let mut args = vec!["sim".into(), design.into_os_string()];
    for name in ["all", "negative", "half", "third", "even"] {
        args.extend(["--kernel".into(), with(&format!("{name}="), &library)]);
    }
    args.extend(["--out".into(), with("0=", &out)]);
    let run = aiec(args, b"");
    assert_eq!(run.exit, Exit::Done, "{}", run.stderr);
    let bytes = fs::read(out).unwrap();
    let words: Vec<i32> = bytes
        .as_chunks()
        .0
        .iter()
        .map(|b| i32::from_le_bytes(*b))
        .collect();
    let bits = |value: f32| value.to_bits() as i32;
    let mut expected = vec![
        1,
        -8,
        200,
        5,
        -1600,
        65535,
        20,
        -320_000,
        i32::MAX,
        -1,
        77,
        44,
    ];
    expected.extend([1600, bits(0.625), bits((2.5f64 / 3.0) as f32), 1]);
    assert_eq!(words, expected);
}

/// The design of `test/sim/cascade_kernels.test` with its functions in C: each has to pause
/// in its middle until its neighbour has come so far.
#[test]
fn functions_use_the_cascade() {
    const SOURCE: &str = r"
#include <stdint.h>
struct { void (*get)(int32_t[16]); void (*put)(const int32_t[16]); } aiec_cascade;
void west(const int32_t *x) {
  int32_t words[16];
  aiec_cascade.put(x);
  for (int i = 0; i < 16; i++) words[i] = 2 * x[i];
  aiec_cascade.put(words);
}
void east(const int32_t *y, int32_t *z) {
  int32_t a[16], b[16];
  aiec_cascade.get(a);
  aiec_cascade.get(b);
  for (int i = 0; i < 16; i++) z[i] = y[i] + a[i] + 3 * b[i];
}
// Takes one transfer more than there is.
void thirsty(const int32_t *y, int32_t *z) {
  for (int i = 0; i < 3; i++) aiec_cascade.get(z);
}
";
    let folder = scratch("cascade");
    let source = folder.join("kernels.c");
    fs::write(&source, SOURCE).unwrap();
    let Some(library) = library(&source, &folder) else {
        return;
    };
    let text = include_str!("../../sim/cascade_kernels.test");
    let (_, parts) = text.split_once("//--- design.mlir\n").unwrap();
    let (design, _) = parts.split_once("//---").unwrap();
    let path = folder.join("design.mlir");
    let run = |design: &str, eastern: &str, out: &Path| {
        fs::write(&path, design).unwrap();
        let args: Vec<OsString> = vec![
            "sim".into(),
            path.clone().into_os_string(),
            "--kernel".into(),
            with("west=", &library),
            "--kernel".into(),
            with(&format!("{eastern}="), &library),
            "--out".into(),
            with("0=", out),
        ];
        aiec(args, b"")
    };
    let out = folder.join("out.bin");
    for _ in 0..3 {
        let done = run(design, "east", &out);
        assert_eq!(done.exit, Exit::Done, "{}", done.stderr);
        assert!(!done.stderr.contains("sim::"), "{}", done.stderr);
        let expected: Vec<u8> = (0..16i32)
            .flat_map(|i| (100 + 7 * i).to_le_bytes())
            .collect();
        assert_eq!(fs::read(&out).unwrap(), expected);
    }
    let stuck = run(&design.replace("@east(", "@thirsty("), "thirsty", &out);
    assert_eq!(stuck.exit, Exit::SimulationFailed, "{}", stuck.stderr);
    assert!(
        stuck
            .stderr
            .contains("waits for cascade data from core (0, 3)"),
        "{}",
        stuck.stderr
    );
}

#[test]
fn every_built_in_kernel_stands_in_the_book() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src/kernels.md");
    let book = fs::read_to_string(book).unwrap();
    for (stem, _) in aiec_sim::core::builtin_names() {
        assert!(book.contains(&format!("`{stem}`")), "{stem}");
    }
}

/// The book's page on RefSi M1 shows a kernel of the host: it does what the example's kernel does.
#[test]
fn a_kernel_of_refsi_m1_is_a_function_of_the_host() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(root.join("docs/src/refsi.md")).unwrap();
    let (_, after) = page.split_once("```c\n").expect("a kernel in C");
    let (source, _) = after.split_once("```").expect("its end");
    let folder = scratch("refsi");
    let file = folder.join("kernel.c");
    fs::write(&file, source).unwrap();
    let Some(library) = library(&file, &folder) else {
        return;
    };
    let example = root.join("examples/refsi-vector-add");
    let (buffer, out) = (folder.join("run.cb"), folder.join("c.bin"));
    let assembled = aiec(
        [
            "asm".into(),
            "-t".into(),
            "refsi-m1".into(),
            example.join("run.asm").into_os_string(),
            "-o".into(),
            buffer.clone().into_os_string(),
        ],
        b"",
    );
    assert_eq!(assembled.exit, Exit::Done, "{}", assembled.stderr);
    let kernel = |function: &str| {
        let mut kernel = with("0x10000=", &library);
        kernel.push(":");
        kernel.push(function);
        aiec(
            [
                "sim".into(),
                "-t".into(),
                "refsi-m1".into(),
                buffer.clone().into_os_string(),
                "--kernel".into(),
                kernel,
                "--arg".into(),
                with("0x40000000=", &example.join("a.bin")),
                "--arg".into(),
                with("0x40010000=", &example.join("b.bin")),
                "--out".into(),
                with("0x40020000+2048=", &out),
            ],
            b"",
        )
    };
    let run = kernel("vector_add");
    assert_eq!(run.exit, Exit::Done, "{}", run.stderr);
    let expected = fs::read(example.join("expected.bin")).unwrap();
    assert_eq!(fs::read(&out).unwrap(), expected);
    let missing = kernel("no_such_function");
    assert_eq!(missing.exit, Exit::BadInput, "{}", missing.stderr);
    assert!(
        missing.stderr.contains("no_such_function"),
        "{}",
        missing.stderr
    );
}
