//! Arrays in which one core runs machine code and another a program of aiec's own: results, races,
//! deadlocks and traces, the same in each run.

use std::fs;
use std::path::PathBuf;

use aiec_test::driver::{Run, aiec};

/// The core at (0, 2) runs machine code; the core at (0, 3) gives it numbers and sends what it makes of
/// them.
const DESIGN: &str = r#"module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %machine = aie.tile(0, 2)
    %own = aie.tile(0, 3)
    %x = aie.buffer(%machine) {address = 4096 : i32, sym_name = "x"} : memref<16xi32>
    %y = aie.buffer(%machine) {address = 4352 : i32, sym_name = "y"} : memref<16xi32>
    %full = aie.lock(%machine, 1) {init = 0 : i32, sym_name = "full"}
    %done = aie.lock(%machine, 2) {init = 0 : i32, sym_name = "done"}
    %never = aie.lock(%machine, 5) {init = 0 : i32, sym_name = "never"}
    aie.objectfifo @out(%own, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    %machine_core = aie.core(%machine) {
      aie.end
    } {elf_file = "core.elf"}
    %own_core = aie.core(%own) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c16 = arith.constant 16 : index
      %c100 = arith.constant 100 : i32
      scf.for %round = %c0 to %c4 step %c1 {
        %r = arith.index_cast %round : index to i32
        %base = arith.muli %r, %c100 : i32
        scf.for %i = %c0 to %c16 step %c1 {
          %k = arith.index_cast %i : index to i32
          %v = arith.addi %base, %k : i32
          memref.store %v, %x[%i] : memref<16xi32>
        }
        aie.use_lock(%full, Release, 1)
        aie.use_lock(%done, AcquireGreaterEqual, 1)
        %sub = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
        %o = aie.objectfifo.subview.access %sub[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
        scf.for %i = %c0 to %c16 step %c1 {
          %v = memref.load %y[%i] : memref<16xi32>
          memref.store %v, %o[%i] : memref<16xi32>
        }
        aie.objectfifo.release @out(Produce, 1)
      }
      aie.end
    }
    aie.runtime_sequence(%out: memref<64xi32>) {
      aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, issue_token = true, metadata = @out} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
"#;

/// Doubles 16 numbers four times: lock `full` (1) says that they are there, `done` (2) that it has.
const DOUBLE: &str =
    "// doubles 16 numbers as often as they come: `full` (lock 1) says so, `done` (lock 2) answers
    .globl main
    .type main, @function
main:
    mova r0, #4
next:
    jl #take
    nop
    nop
    nop
    nop
    nop
    movxm p0, #0x71000
    movxm p1, #0x71100
    mova r1, #16
element:
    lda r2, [p0], #4
    nop
    nop
    nop
    nop
    nop
    nop
    add r3, r2, r2
    st r3, [p1], #4
    add r1, r1, #-1
    jnz r1, #element
    nop
    nop
    nop
    nop
    nop
    mova r11, #1
    rel #50, r11
    add r0, r0, #-1
    jnz r0, #next
    nop
    nop
    nop
    nop
    nop
    done
    .size main, .-main

    .globl take
    .type take, @function
take:
    mova r10, #-1
    acq #49, r10
    ret lr
    nop
    nop
    nop
    nop
    nop
    .size take, .-take
";

/// Seeds of the order in which what is ready in one cycle is done.
const SEEDS: [&str; 4] = ["1", "2", "3", "99"];

/// A folder of its own for a test.
struct Scratch(PathBuf);

impl Scratch {
    /// With [`DESIGN`] and the executable of a text.
    fn new(name: &str, text: &str) -> Scratch {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
            .join("machine-code")
            .join(name);
        fs::create_dir_all(&folder).expect("a folder");
        let scratch = Scratch(folder);
        fs::write(scratch.path("design.mlir"), DESIGN).expect("written");
        fs::write(scratch.path("core.s"), text).expect("written");
        let (source, elf) = (scratch.path("core.s"), scratch.path("core.elf"));
        let run = aiec(["asm", "-t", "aie2-core", &source, "-o", &elf], b"");
        run.output().expect("it assembles");
        scratch
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// Takes sections, symbols and lines out of the executable.
    fn strip(&self) {
        let mut elf = fs::read(self.path("core.elf")).expect("the executable");
        // e_shoff; e_shnum and e_shstrndx
        elf[32..36].fill(0);
        elf[48..52].fill(0);
        fs::write(self.path("core.elf"), elf).expect("written");
    }

    /// A simulation's results, and its trace.
    fn simulate(&self, more: &[&str]) -> (Run, String) {
        let (design, trace) = (self.path("design.mlir"), self.path("trace.txt"));
        let mut args = vec!["sim", &*design, "--trace", &trace];
        args.extend(more);
        let run = aiec(&args, b"");
        (run, fs::read_to_string(&trace).expect("a trace"))
    }

    /// Simulates with each seed, twice: equal texts and traces for equal seeds.
    fn simulate_with_seeds(&self, check: impl Fn(&str, &str)) {
        for seed in SEEDS {
            let (first, trace) = self.simulate(&["--jitter", seed]);
            let (again, trace_again) = self.simulate(&["--jitter", seed]);
            assert!(
                first.stderr == again.stderr && trace == trace_again,
                "{seed}"
            );
            check(&words(&first), &trace);
        }
        let (run, trace) = self.simulate(&[]);
        check(&words(&run), &trace);
    }
}

/// Messages of a run, on one line.
fn words(run: &Run) -> String {
    let text = run.stderr.replace('\u{2502}', " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn cores_of_both_sorts_work_together() {
    let scratch = Scratch::new("good", DOUBLE);
    let out = scratch.path("out.bin");
    let expected: Vec<u8> = (0..4)
        .flat_map(|round| (0..16).map(move |i| 2 * (100 * round + i)))
        .flat_map(i32::to_le_bytes)
        .collect();
    for seed in SEEDS {
        let given = format!("0={out}");
        let (run, _) = scratch.simulate(&["--jitter", seed, "--out", &given]);
        assert!(!run.stderr.contains("sim::race"), "{}", run.stderr);
        assert!(fs::read(&out).expect("a result") == expected, "seed {seed}");
    }
    scratch.simulate_with_seeds(|said, trace| {
        assert!(said.contains("completed after"), "{said}");
        assert!(trace.contains("event=ACQ_READ_LOCK_REQ,col=0,row=2,lockid=1"));
        assert!(trace.contains("event=REL_LOCK_REQ,col=0,row=2,lockid=2"));
    });
}

#[test]
fn races_between_both_sorts_name_function_and_lines() {
    let text = DOUBLE.replace("acq #49, r10", "nop");
    let load = 1 + line_of(&text, "element:");
    let store = line_of(&text, "st r3, [p1]");
    let scratch = Scratch::new("race", &text);
    scratch.simulate_with_seeds(|said, _| {
        for expected in [
            "race on elements 0 to 15 of buffer 'x' in tile (0, 2): core (0, 3) writes and core (0, 2) reads",
            "core (0, 3) writes (`memref.store`) in cycle",
            &format!("core.s:{load}"),
            &format!("core.s:{store}"),
            "core (0, 2) reads (`main`) in cycle",
            "core (0, 2) writes (`main`) in cycle",
        ] {
            assert!(said.contains(expected), "{expected}\n{said}");
        }
    });
    scratch.strip();
    let (run, _) = scratch.simulate(&[]);
    let said = words(&run);
    assert!(
        said.contains("core (0, 2) reads (machine code at 0x64) in cycle"),
        "{said}"
    );
}

#[test]
fn deadlocks_name_function_and_line_or_the_address() {
    let text = DOUBLE.replace("acq #49", "acq #53");
    let line = line_of(&text, "acq #53");
    let scratch = Scratch::new("deadlock", &text);
    let story = "5. core (0, 2) waits for lock 'never' \u{2265} 1, which is 0 [`take`, ";
    let story_line = format!("core.s:{line}]");
    let cause = format!("core.s:{line}), which no program that runs releases");
    scratch.simulate_with_seeds(|said, trace| {
        assert!(
            said.contains("core (0, 2) waits for lock 'never' (`take`, "),
            "{said}"
        );
        assert!(
            said.contains("4. core (0, 3) waits for lock 'done'"),
            "{said}"
        );
        assert!(said.contains(story) && said.contains(&story_line), "{said}");
        assert!(said.contains(&cause), "{said}");
        let of_core = |line: &&str| line.contains("event=CORE_") && line.contains("col=0,row=2");
        let last = trace.lines().rfind(of_core);
        assert!(
            last.is_some_and(|line| line.contains("event=CORE_WAIT")),
            "{last:?}"
        );
    });
    scratch.strip();
    scratch.simulate_with_seeds(|said, _| {
        assert!(
            said.contains("waits for lock 'never' (machine code at 0x"),
            "{said}"
        );
        assert!(said.contains("which is 0 [machine code at 0x"), "{said}");
    });
}

/// The number of the first line that has a text.
fn line_of(text: &str, part: &str) -> usize {
    let line = text.lines().position(|line| line.contains(part));
    1 + line.expect("the line is there")
}
