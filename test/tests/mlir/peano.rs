//! `--peano DIR`: cores' programs go to the core compiler of DIR, and what it makes into the
//! control code. A script stands for the compiler: it keeps what it is given, and answers with what
//! the test has laid down.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use aiec::Exit;
use aiec_device::TileLoc;
use aiec_sim::{SimOptions, simulate};
use aiec_test::driver::Run;
use aiec_test::machine_code::{READ_EXECUTE, READ_WRITE, executable};

use super::{root, with_upstream};

/// Called as a compiler (`-c`) or a linker: keeps its arguments and the files of the core, says
/// what `compile.says` or `link.says` hold and fails if there is `compile.fails` or `link.fails`.
const STAND_IN: &str = r#"#!/bin/sh
here=$(dirname "$0")/..
kept=$here/kept
step=link
previous=
for word in "$@"; do
  [ "$previous" = -o ] && out=$word
  [ "$word" = -c ] && step=compile
  previous=$word
done
name=${out%.*}
mkdir -p "$kept"
printf '%s\n' "$@" > "$kept/$name.$step"
[ -f "$here/$step.says" ] && cat "$here/$step.says" >&2
[ -f "$here/$step.fails" ] && exit 1
case $step in
  compile) cp "$name.ll" "$kept/" && echo object > "$out" ;;
  link) cp "$name.ld" "$kept/" && [ -f "$name.o" ] && cp "$here/answer.elf" "$out" ;;
esac
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
        // What an earlier run left.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("peano/bin")).expect("a folder");
        let scratch = Scratch(folder);
        scratch.write("peano/bin/clang", STAND_IN);
        let clang = scratch.0.join("peano/bin/clang");
        fs::set_permissions(clang, fs::Permissions::from_mode(0o755)).expect("a program");
        let elf = executable(&[
            (READ_EXECUTE, 0, &[1, 2, 3, 4, 5, 6, 7, 8], 8),
            (READ_WRITE, 0x7_1000, &[9, 10, 11, 12], 8),
        ]);
        scratch.write("peano/answer.elf", &elf);
        scratch.write("design.mlir", DESIGN);
        for object in ["kernel.o", "other.o"] {
            scratch.write(object, "an object");
        }
        scratch
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.0.join(name), content).expect("written");
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// What the stand-in has kept.
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

    /// What is said when that fails.
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
    for row in [3, 4] {
        let tile = TileLoc::new(1, row);
        let program = result.array.program_memory(tile).expect("a core").bytes();
        assert_eq!(program[..8], [1, 2, 3, 4, 5, 6, 7, 8]);
        let data = result.array.data_memory(tile).expect("a core").bytes();
        assert_eq!(data[0x1000..0x1008], [9, 10, 11, 12, 0, 0, 0, 0]);
    }
    // What the buffer starts with comes from the design.
    let tile = TileLoc::new(1, 3);
    let data = result.array.data_memory(tile).expect("a core").bytes();
    assert_eq!(data[8192..8196], [7, 0, 0, 0]);
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
    let link = scratch.kept("core_1_3.link");
    let words: Vec<&str> = link.lines().collect();
    let objects = [
        "core_1_3.o",
        &scratch.path("other.o"),
        &scratch.path("kernel.o"),
    ];
    let at = words
        .iter()
        .position(|word| *word == objects[0])
        .expect("its object");
    assert_eq!(words[at..at + 3], objects, "{link}");
    assert!(words.contains(&"-Wl,-T,core_1_3.ld"), "{link}");
    assert!(!scratch.kept("core_1_4.link").contains("kernel.o"));

    let ir = scratch.kept("core_1_3.ll");
    let head = "define void @core_1_3() nounwind \"warn-stack-size\"=\"2048\" {";
    assert!(ir.contains(head), "{ir}");
    // The configuration loads what buffers start with.
    assert!(ir.contains("@own = external"), "{ir}");
    let script = scratch.kept("core_1_3.ld");
    for line in [
        "   program (RX) : ORIGIN = 0x0, LENGTH = 0x4000",
        // The stack is 2 KiB, the buffer at 8 KiB takes 64 bytes: what follows is most.
        "   data (!RX) : ORIGIN = 0x72040, LENGTH = 0xdfc0",
        "_sp_start_value_DM_stack = 0x70000; /* 2048 bytes */",
        "own = 0x72000; /* 64 bytes of (1, 3) */",
        "north = 0x61000; /* 32 bytes of (1, 4) */",
        "PROVIDE(main = core_1_3);",
    ] {
        assert!(script.lines().any(|l| l == line), "{line}\n{script}");
    }
    assert!(!script.contains("elsewhere"), "{script}");
    let script = scratch.kept("core_1_4.ld");
    // Without a size the stack is 1 KiB; its neighbour below is to the south.
    assert!(script.contains("own = 0x42000;"), "{script}");
    assert!(script.contains("PROVIDE(main = core_1_4);"), "{script}");
}

#[test]
fn machine_code_can_be_looked_at() {
    let scratch = Scratch::new("core-elf");
    let (design, peano) = (scratch.path("design.mlir"), scratch.path("peano"));
    let out = scratch.path("cores");
    let args = [&*design, "--emit=core-elf", "-o", &out];
    let run = with_upstream(&[&args[..], &["--peano", &peano]].concat(), "");
    assert_eq!(run.exit, Exit::Done, "{}", run.stderr);
    let answer = fs::read(scratch.path("peano/answer.elf")).expect("the answer");
    for name in ["core_1_3.elf", "core_1_4.elf"] {
        assert!(fs::read(scratch.0.join("cores").join(name)).expect(name) == answer);
    }
}

#[test]
fn bodies_are_simulated() {
    let scratch = Scratch::new("simulated");
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
    let code: &[u8] = &[1, 2, 3, 4, 5, 6, 7, 8];
    assert!(
        written.windows(8).any(|bytes| bytes == code),
        "the ELF has the machine code"
    );
}

#[test]
fn what_the_linker_says_is_told_at_the_call() {
    let scratch = Scratch::new("undefined");
    scratch.write("peano/link.fails", "");
    scratch.write(
        "peano/link.says",
        "ld.lld: error: undefined symbol: kernel\n>>> referenced by core_1_3.o\n\
         clang: error: ld.lld command failed with exit code 1 (use -v to see invocation)\n",
    );
    let said = scratch.refused();
    let first = format!(
        "{CALL}: error: 'func.call' op the core compiler refuses the core at (1, 3): undefined symbol: kernel"
    );
    assert!(said.contains(&first), "{said}");
    assert!(said.contains(">>> referenced by core_1_3.o"), "{said}");
    assert!(said.contains("link_with = \"FILE.o\""), "{said}");
    assert!(!said.contains("command failed"), "{said}");
    // All cores are tried.
    assert!(said.contains("the core at (1, 4)"), "{said}");
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
    scratch.write("peano/answer.elf", "no ELF");
    let said = scratch.refused();
    assert!(said.contains("core_1_3.elf is no ELF file"), "{said}");
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
    assert!(said("design.mlir").contains("it is no folder"));
    assert!(said("peano/kept/..").contains("it does not exist"));
    let bin = said("peano/bin");
    assert!(bin.contains("it has no bin/clang"), "{bin}");
    assert!(bin.contains("name the folder above"), "{bin}");
}
