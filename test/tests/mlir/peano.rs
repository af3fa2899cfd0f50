//! `--peano DIR`: cores' programs go to the core compiler of DIR, and its objects into the control
//! code. A script takes the place of the compiler: it keeps its inputs, and outputs the objects
//! that the test has prepared.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use aiec::Exit;
use aiec_core::CoreArch;
use aiec_device::TileLoc;
use aiec_diag::FileId;
use aiec_sim::{SimOptions, simulate};
use aiec_test::driver::Run;

use super::{root, with_upstream};

/// Called as a compiler (`-c`): keeps its arguments and the program of the core, prints
/// `compile.says`, fails if there is `compile.fails`, and outputs the object beside it that has the
/// core's name. Has no libraries.
const STAND_IN: &str = r#"#!/bin/sh
here=$(dirname "$0")/..
kept=$here/kept
previous=
for word in "$@"; do
  case $word in -print-*) exit ;; esac
  [ "$previous" = -o ] && out=$word
  previous=$word
done
name=${out%.*}
mkdir -p "$kept"
printf '%s\n' "$@" > "$kept/$name.compile"
[ -f "$here/compile.says" ] && cat "$here/compile.says" >&2
[ -f "$here/compile.fails" ] && exit 1
cp "$name.ll" "$kept/" && cp "$here/$name.o" "$out"
"#;

/// Two cores, one of which calls functions of object files.
const DESIGN: &str = r#"module {
  aie.device(npu1) {
    func.func private @kernel(memref<16xi32>) attributes {link_with = "kernel.o"}
    func.func private @unused(memref<16xi32>) attributes {link_with = "unused.o"}
    %t = aie.tile(1, 3)
    %n = aie.tile(1, 4)
    %far = aie.tile(3, 3)
    %own = aie.buffer(%t) {address = 8192 : i32, sym_name = "own"} : memref<16xi32> = dense<7>
    %north = aie.buffer(%n) {address = 4096 : i32, sym_name = "north"} : memref<8xi32>
    %elsewhere = aie.buffer(%far) {address = 4096 : i32, sym_name = "elsewhere"} : memref<8xi32>
    aie.core(%t) {
      %c0 = arith.constant 0 : index
      %v = memref.load %own[%c0] : memref<16xi32>
      memref.store %v, %north[%c0] : memref<8xi32>
      func.call @kernel(%own) : (memref<16xi32>) -> ()
      aie.end
    } {stack_size = 2048 : i32, link_with = "other.o"}
    aie.core(%n) {
      aie.end
    }
  }
}
"#;

/// The compiler's output for the first core of [`DESIGN`]: it stores the address of a buffer of its
/// neighbour's, then calls the kernel.
const BODY: &str = "
    .globl core_1_3
    .type core_1_3, @function
core_1_3:
    movxm r0, #north
    movxm p0, #own
    jl #kernel
    nop
    nop
    nop
    nop
    st r0, [p0, #0]
    done
";

/// The compiler's output for the second core.
const EMPTY_BODY: &str = "
    .globl core_1_4
    .type core_1_4, @function
core_1_4:
    done
";

/// A function that stores a number of its own after the core's, and one that is never called.
const KERNEL: &str = "
    .globl kernel
    .type kernel, @function
kernel:
    movxm p1, #number
    lda r1, [p1, #0]
    nop
    nop
    nop
    nop
    nop
    nop
    st r1, [p0, #4]
    ret lr
    nop
    nop
    nop
    nop
    nop
    .section .text.unused
    .globl unused
unused:
    jl #nowhere
    nop
    nop
    nop
    nop
    nop
    .section .rodata
number: .word 1234567
";

/// The AIE2 object of a text.
fn object(text: &str) -> Vec<u8> {
    object_for(CoreArch::Aie2, text)
}

/// The object of a text.
fn object_for(arch: CoreArch, text: &str) -> Vec<u8> {
    let object = aiec_core::asm::assemble(arch, "", FileId(0), text);
    aiec_core::elf::write_object(&object.expect("assembled"))
}

/// Where [`DESIGN`] calls a function.
const CALL: &str = "design.mlir:15:7";
/// Its first core.
const CORE: &str = "design.mlir:11:5";

/// A folder with a design, its object files and a stand-in for a core compiler.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
            .join("peano")
            .join(name);
        // Remove the files of an earlier run.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("peano/bin")).expect("a folder");
        let scratch = Scratch(folder);
        scratch.write("peano/bin/clang", STAND_IN);
        let clang = scratch.0.join("peano/bin/clang");
        fs::set_permissions(clang, fs::Permissions::from_mode(0o755)).expect("a program");
        scratch.write("peano/core_1_3.o", object(BODY));
        scratch.write("peano/core_1_4.o", object(EMPTY_BODY));
        scratch.write("design.mlir", DESIGN);
        scratch.write("kernel.o", object(KERNEL));
        scratch.write("other.o", object(".data\n.word 1\n"));
        scratch
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.0.join(name), content).expect("written");
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// Input that the stand-in has kept.
    fn kept(&self, name: &str) -> String {
        fs::read_to_string(self.0.join("peano/kept").join(name)).expect(name)
    }

    /// Compiles the design with the stand-in.
    fn compile(&self, more: &[&str]) -> Run {
        let (design, peano) = (self.path("design.mlir"), self.path("peano"));
        let out = self.path("out.elf");
        let mut args = vec![&*design, "--peano", &peano, "-o", &out];
        args.extend(more);
        with_upstream(&args, "")
    }

    /// Messages of a compilation that must fail.
    fn refused(&self) -> String {
        let run = self.compile(&["--diagnostics=mlir"]);
        assert_eq!(run.exit, Exit::BadInput);
        assert!(!self.0.join("out.elf").exists(), "nothing is written");
        run.stderr
    }
}

#[test]
fn machine_code_takes_the_place_of_bodies() {
    let scratch = Scratch::new("machine-code");
    let run = scratch.compile(&[]);
    assert_eq!(run.exit, Exit::Done, "{}", run.stderr);
    let elf = fs::read(scratch.path("out.elf")).expect("control code");
    let result = simulate(&elf, Vec::new(), &SimOptions::default()).expect("it starts");
    let tile = TileLoc::new(1, 3);
    let data = result.array.data_memory(tile).expect("a core").bytes();
    // Stored by the body and the kernel into the buffer; the third word is its initial value.
    let words: Vec<u32> = data[8192..8204]
        .chunks(4)
        .map(|word| u32::from_le_bytes(word.try_into().expect("4 bytes")))
        .collect();
    assert_eq!(words, [0x6_1000, 1_234_567, 7]);
    // Twice the same.
    let again = scratch.compile(&[]);
    assert_eq!(again.exit, Exit::Done);
    assert!(fs::read(scratch.path("out.elf")).expect("control code") == elf);
}

#[test]
fn the_compiler_gets_the_program_and_the_memory_map() {
    let scratch = Scratch::new("what-it-gets");
    assert_eq!(scratch.compile(&[]).exit, Exit::Done);
    let compile = scratch.kept("core_1_3.compile");
    for word in ["--target=aie2-none-unknown-elf", "-c", "core_1_3.ll"] {
        assert!(compile.lines().any(|line| line == word), "{compile}");
    }
    let ir = scratch.kept("core_1_3.ll");
    let head = "define void @core_1_3() nounwind \"warn-stack-size\"=\"2048\" {";
    assert!(ir.contains(head), "{ir}");
    // The configuration loads what buffers start with.
    assert!(ir.contains("@own = external"), "{ir}");
}

#[test]
fn programs_lie_in_the_cores_memories() {
    let scratch = Scratch::new("memories");
    let (design, peano) = (scratch.path("design.mlir"), scratch.path("peano"));
    let out = scratch.path("cores");
    let args = [&*design, "--emit=core-elf", "-o", &out];
    let run = with_upstream(&[&args[..], &["--peano", &peano]].concat(), "");
    assert_eq!(run.exit, Exit::Done, "{}", run.stderr);
    let program = |name: &str| {
        let elf = fs::read(scratch.0.join("cores").join(name)).expect(name);
        aiec_core::elf::read_program(&elf).expect("an executable")
    };
    let first = program("core_1_3.elf");
    let places = [
        "_sp_start_value_DM_stack",
        "own",
        "north",
        "elsewhere",
        "unused",
    ];
    let places = places.map(|name| first.address_of(name));
    // Its neighbour is to the north; functions that are never called are left out.
    assert_eq!(
        places,
        [Some(0x7_0000), Some(0x7_2000), Some(0x6_1000), None, None]
    );
    // The stack is 2 KiB, the buffer at 8 KiB takes 64 bytes: what follows is most.
    let constants = first
        .sections
        .iter()
        .find(|section| section.name == ".rodata");
    assert_eq!(constants.expect("constants").address, 0x7_2040);
    // The neighbour below is to the south.
    assert_eq!(program("core_1_4.elf").address_of("own"), Some(0x4_2000));
}

#[test]
fn bodies_are_simulated() {
    let scratch = Scratch::new("simulated");
    let body = EMPTY_BODY.replace("core_1_4", "core_0_3");
    let body = body.replace("done", "movxm r0, #0x12345678\nmovxm r1, #0x76543210\ndone");
    scratch.write("peano/core_0_3.o", object_for(CoreArch::Aie2p, &body));
    let example = root().join("examples/scale");
    let path = |name: &str| example.join(name).display().to_string();
    let peano = scratch.path("peano");
    let (elf, got) = (scratch.path("out.elf"), scratch.path("got.bin"));
    let (arg, out) = (format!("0={}", path("arg0.bin")), format!("1={got}"));
    let design = path("design.mlir");
    let mut args = vec![&*design, "--peano", &peano, "-o", &elf, "--simulate"];
    args.extend(["--arg", &arg, "--out", &out]);
    let run = with_upstream(&args, "");
    assert_eq!(run.exit, Exit::Done, "{}", run.stderr);
    assert!(
        run.stderr.contains("core-compiler::bodies-simulated"),
        "{}",
        run.stderr
    );
    let expected = fs::read(path("expected1.bin")).expect("the output");
    assert!(fs::read(got).expect("an output") == expected);
    let written = fs::read(elf).expect("control code");
    let program = aiec_core::elf::read_object("", &object_for(CoreArch::Aie2p, &body));
    let code = program.expect("an object").sections.swap_remove(0).bytes;
    assert!(
        !code.is_empty() && written.windows(code.len()).any(|bytes| bytes == code),
        "the ELF has the machine code"
    );
}

#[test]
fn what_the_linker_finds_is_told_at_the_call() {
    let scratch = Scratch::new("undefined");
    scratch.write("kernel.o", object(&KERNEL.replace("kernel", "colonel")));
    scratch.write(
        "peano/core_1_4.o",
        object(&EMPTY_BODY.replace("done", "jl #away")),
    );
    let said = scratch.refused();
    let first = format!(
        "{CALL}: error: 'func.call' op the core at (1, 3): `kernel` is not defined; core_1_3.o uses it"
    );
    assert!(said.contains(&first), "{said}");
    assert!(said.contains("core-link::undefined"), "{said}");
    assert!(said.contains("(`link_with`)"), "{said}");
    // All cores are tried.
    assert!(
        said.contains("the core at (1, 4): `away` is not defined"),
        "{said}"
    );
}

#[test]
fn what_the_compiler_says_is_told_at_the_core() {
    let scratch = Scratch::new("failing");
    scratch.write("peano/compile.fails", "");
    scratch.write(
        "peano/compile.says",
        "fatal error: error in backend: unable to legalize\n",
    );
    let said = scratch.refused();
    let first = format!(
        "{CORE}: error: 'aie.core' op the core compiler refuses the core at (1, 3): error in"
    );
    assert!(said.contains(&first), "{said}");
    // A compiler that fails without an error: its whole text, and how it ended.
    scratch.write("peano/compile.says", "Stack dump:\n0. Program arguments\n");
    let said = scratch.refused();
    assert!(said.contains("clang ended with exit status: 1"), "{said}");
    assert!(said.contains("Stack dump:"), "{said}");
}

#[test]
fn warnings_are_passed_on() {
    let scratch = Scratch::new("warnings");
    scratch.write(
        "peano/compile.says",
        "core_1_3.ll:1:1: warning: slow loop\n",
    );
    let run = scratch.compile(&["--diagnostics=mlir"]);
    assert_eq!(run.exit, Exit::Done, "{}", run.stderr);
    let first = format!(
        "{CORE}: warning: 'aie.core' op the core compiler about the core at (1, 3): slow loop"
    );
    assert!(run.stderr.contains(&first), "{}", run.stderr);
    let large = "warning: <unknown>:0:0: stack frame size (4104) exceeds limit (2048) in function 'core_1_3'\n";
    scratch.write("peano/compile.says", large);
    let run = scratch.compile(&[]);
    assert!(run.stderr.contains("stack_size"), "{}", run.stderr);
}

#[test]
fn what_is_not_there_is_named() {
    let scratch = Scratch::new("missing");
    fs::remove_file(scratch.path("kernel.o")).expect("it is there");
    let said = scratch.refused();
    assert!(
        said.contains("design.mlir:3:5: error: 'func.func' op cannot read "),
        "{said}"
    );
    assert!(said.contains("kernel.o"), "{said}");
    assert!(said.contains("core-compiler::no-object"), "{said}");

    let scratch = Scratch::new("no-elf");
    scratch.write("peano/core_1_3.o", "no ELF");
    let said = scratch.refused();
    assert!(said.contains("core_1_3.o: no ELF file"), "{said}");
}

#[test]
fn a_wrong_folder_is_explained() {
    let scratch = Scratch::new("folder");
    let design = scratch.path("design.mlir");
    let said = |folder: &str| {
        let run = with_upstream(&[&design, "--peano", &scratch.path(folder)], "");
        assert_eq!(run.exit, Exit::BadInput);
        assert!(
            run.stderr.contains("core-compiler::not-found"),
            "{}",
            run.stderr
        );
        run.stderr.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(said("nowhere").contains("it does not exist"));
    assert!(said("design.mlir").contains("it isn't a folder"));
    assert!(said("peano/kept/..").contains("it does not exist"));
    let bin = said("peano/bin");
    assert!(bin.contains("it has no bin/clang"), "{bin}");
    assert!(bin.contains("name the folder above"), "{bin}");
}
