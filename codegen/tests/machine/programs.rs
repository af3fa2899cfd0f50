//! Programs of each kind of step.

use aiec_codegen::machine::{
    AssembleError, BlockId, MachineOp, MachineOperand, MachineProgram, assemble,
};
use aiec_core::{CoreArch, RegisterFile};

use crate::support::{Builder, DATA, Tile, call, imm, physical, program, run, v};

const ENTRY: BlockId = BlockId(0);

fn finish(builder: &mut Builder, block: BlockId) {
    builder.inst(block, "done", &[]);
}

/// Sum of an array by a counted loop.
fn sum_of(arch: CoreArch, count: u32) -> MachineProgram {
    use RegisterFile::{P, R};
    let mut main = Builder::new(arch, "core");
    let body = main.block();
    let exit = main.block();
    let p = main.constant(ENTRY, P, DATA);
    let counter = main.constant(ENTRY, R, count);
    let sum = main.constant(ENTRY, R, 0);
    main.successors(ENTRY, &[body]);
    let element = main.register(R);
    main.inst(body, "lda+", &[v(element), v(p), imm(4)]);
    main.access(body, 0, None, 4);
    main.inst(body, "add", &[v(sum), v(sum), v(element)]);
    main.step(
        body,
        MachineOp::CountedBranch,
        &[v(counter), MachineOperand::Block(body)],
    );
    main.successors(body, &[body, exit]);
    let out = main.constant(exit, P, DATA - 64);
    main.inst(exit, "st", &[v(sum), v(out), imm(0)]);
    finish(&mut main, exit);
    program(arch, vec![main])
}

#[test]
fn counted_loops() {
    for arch in CoreArch::ALL {
        for count in [1, 2, 9] {
            let mut tile = Tile::new();
            let mut expected = 0;
            for at in 0..count {
                tile.set_word(DATA + 4 * at, 7 * at + 3);
                expected += 7 * at + 3;
            }
            run(&sum_of(arch, count), &mut tile);
            assert_eq!(tile.word(DATA - 64), expected, "{arch}");
        }
    }
}

/// More values live at one time than there are registers, over a loop.
#[test]
fn spilled_scalars() {
    use RegisterFile::{M, P, R};
    for arch in CoreArch::ALL {
        for file in [R, M, P] {
            let mut main = Builder::new(arch, "core");
            let body = main.block();
            let exit = main.block();
            let p = main.constant(ENTRY, P, DATA);
            let values: Vec<_> = (0..50)
                .map(|n| {
                    // Loaded, so that they aren't constants.
                    let value = main.register(R);
                    main.inst(ENTRY, "lda+", &[v(value), v(p), imm(4)]);
                    main.access(ENTRY, 0, Some(4 * n), 4);
                    let kept = main.register(file);
                    main.copy(ENTRY, v(kept), v(value));
                    kept
                })
                .collect();
            let counter = main.constant(ENTRY, R, 3);
            let sum = main.constant(ENTRY, R, 0);
            main.successors(ENTRY, &[body]);
            for value in &values {
                let value_r = main.register(R);
                main.copy(body, v(value_r), v(*value));
                main.inst(body, "add", &[v(sum), v(sum), v(value_r)]);
            }
            main.step(
                body,
                MachineOp::CountedBranch,
                &[v(counter), MachineOperand::Block(body)],
            );
            main.successors(body, &[body, exit]);
            let out = main.constant(exit, P, DATA - 64);
            main.inst(exit, "st", &[v(sum), v(out), imm(0)]);
            finish(&mut main, exit);
            let mut tile = Tile::new();
            for n in 0..50 {
                tile.set_word(DATA + 4 * n, 100 + n * n);
            }
            let (assembled, _) = run(&program(arch, vec![main]), &mut tile);
            let expected: u32 = (0..50).map(|n| 3 * (100 + n * n)).sum();
            assert_eq!(tile.word(DATA - 64), expected, "{arch} {file:?}");
            assert!(assembled.stack_bytes > 0);
        }
    }
}

#[test]
fn spilled_vectors() {
    use RegisterFile::{P, X};
    for arch in CoreArch::ALL {
        let mut main = Builder::new(arch, "core");
        let p = main.constant(ENTRY, P, DATA);
        let load = |main: &mut Builder, x, n: i32| {
            if arch == CoreArch::Aie2 {
                for (half, file) in [RegisterFile::Wl, RegisterFile::Wh].into_iter().enumerate() {
                    let part = MachineOperand::Part(x, file);
                    main.inst(ENTRY, "vlda+", &[part, v(p), imm(32)]);
                    main.access(ENTRY, 0, Some(i64::from(64 * n + 32 * half as i32)), 32);
                }
            } else {
                main.inst(ENTRY, "vlda+", &[v(x), v(p), imm(64)]);
                main.access(ENTRY, 0, Some(i64::from(64 * n)), 64);
            }
        };
        let values: Vec<_> = (0..20)
            .map(|n| {
                let x = main.register(X);
                load(&mut main, x, n);
                x
            })
            .collect();
        let sum = main.register(X);
        main.copy(ENTRY, v(sum), v(values[0]));
        for value in &values[1..] {
            main.inst(ENTRY, "vadd.32", &[v(sum), v(sum), v(*value)]);
        }
        for value in values.iter().rev() {
            main.inst(ENTRY, "vadd.32", &[v(sum), v(sum), v(*value)]);
        }
        let out = main.constant(ENTRY, P, DATA - 64);
        if arch == CoreArch::Aie2 {
            for (half, file) in [RegisterFile::Wl, RegisterFile::Wh].into_iter().enumerate() {
                let part = MachineOperand::Part(sum, file);
                main.inst(ENTRY, "vst", &[part, v(out), imm(32 * half as i32)]);
            }
        } else {
            main.inst(ENTRY, "vst", &[v(sum), v(out), imm(0)]);
        }
        finish(&mut main, ENTRY);
        let mut tile = Tile::new();
        for n in 0..20 * 16 {
            tile.set_word(DATA + 4 * n, n * n);
        }
        run(&program(arch, vec![main]), &mut tile);
        for lane in 0..16 {
            let expected: u32 = (0..20).map(|n| 2 * (16 * n + lane) * (16 * n + lane)).sum();
            assert_eq!(
                tile.word(DATA - 64 + 4 * lane),
                expected,
                "{arch} lane {lane}"
            );
        }
    }
}

/// A function that calls another twice and keeps values meanwhile.
#[test]
fn calls() {
    use RegisterFile::{P, R};
    for arch in CoreArch::ALL {
        // square(x) = x * x
        let mut square = Builder::new(arch, "square");
        let (x, y) = (square.register(R), square.register(R));
        square.copy(ENTRY, v(x), physical("r0"));
        square.inst(ENTRY, "mul", &[v(y), v(x), v(x)]);
        square.copy(ENTRY, physical("r0"), v(y));
        let ret = square.inst(ENTRY, "ret", &[]);
        ret.reads.push(aiec_core::Register::new(R, 0));
        // f(a, b) = square(a) + b + square(b)
        let mut f = Builder::new(arch, "f");
        let (a, b, first, sum) = (f.register(R), f.register(R), f.register(R), f.register(R));
        f.copy(ENTRY, v(a), physical("r0"));
        f.copy(ENTRY, v(b), physical("r1"));
        f.copy(ENTRY, physical("r0"), v(a));
        call(&mut f, ENTRY, 2, &["r0"], &["r0"]);
        f.copy(ENTRY, v(first), physical("r0"));
        f.inst(ENTRY, "add", &[v(first), v(first), v(b)]);
        f.copy(ENTRY, physical("r0"), v(b));
        call(&mut f, ENTRY, 2, &["r0"], &["r0"]);
        f.copy(ENTRY, v(sum), physical("r0"));
        f.inst(ENTRY, "add", &[v(sum), v(sum), v(first)]);
        f.copy(ENTRY, physical("r0"), v(sum));
        let ret = f.inst(ENTRY, "ret", &[]);
        ret.reads.push(aiec_core::Register::new(R, 0));
        let mut main = Builder::new(arch, "core");
        let slot = main.function.slot(16, 16);
        let kept = main.constant(ENTRY, R, 1000);
        let (one, two) = (main.constant(ENTRY, R, 7), main.constant(ENTRY, R, 11));
        main.copy(ENTRY, physical("r0"), v(one));
        main.copy(ENTRY, physical("r1"), v(two));
        call(&mut main, ENTRY, 1, &["r0", "r1"], &["r0"]);
        let (result, p, again) = (main.register(R), main.register(P), main.register(R));
        main.copy(ENTRY, v(result), physical("r0"));
        main.inst(ENTRY, "add", &[v(result), v(result), v(kept)]);
        main.step(ENTRY, MachineOp::FrameAddress(slot), &[v(p), imm(8)]);
        main.inst(ENTRY, "st", &[v(result), v(p), imm(0)]);
        main.inst(ENTRY, "lda", &[v(again), v(p), imm(0)]);
        let out = main.constant(ENTRY, P, DATA);
        main.inst(ENTRY, "st", &[v(again), v(out), imm(0)]);
        finish(&mut main, ENTRY);
        let mut tile = Tile::new();
        let (assembled, _) = run(&program(arch, vec![main, f, square]), &mut tile);
        assert_eq!(tile.word(DATA), 49 + 11 + 121 + 1000, "{arch}");
        assert_eq!(assembled.functions.len(), 3);
        assert_eq!(assembled.functions[1].name, "f");
    }
}

#[test]
fn branches() {
    use RegisterFile::{P, R};
    for arch in CoreArch::ALL {
        // The Collatz sequence of 27 has 111 steps.
        let mut main = Builder::new(arch, "core");
        let (head, odd, even, exit) = (main.block(), main.block(), main.block(), main.block());
        let n = main.constant(ENTRY, R, 27);
        let steps = main.constant(ENTRY, R, 0);
        let (one, three, minus_one) = (
            main.constant(ENTRY, R, 1),
            main.constant(ENTRY, R, 3),
            main.constant(ENTRY, R, u32::MAX),
        );
        main.successors(ENTRY, &[head]);
        let (low, is_one) = (main.register(R), main.register(R));
        main.inst(head, "eq", &[v(is_one), v(n), v(one)]);
        main.inst(head, "jnz", &[v(is_one), MachineOperand::Block(exit)]);
        main.successors(head, &[exit, odd]);
        main.inst(odd, "and", &[v(low), v(n), v(one)]);
        main.inst(odd, "add", &[v(steps), v(steps), imm(1)]);
        main.inst(odd, "jz", &[v(low), MachineOperand::Block(even)]);
        main.successors(odd, &[even, BlockId(5)]);
        let tail = main.block();
        assert_eq!(tail, BlockId(5));
        main.function.blocks.swap(3, 5);
        let (even, tail, exit) = (BlockId(5), BlockId(3), exit);
        main.function.blocks[2]
            .insts
            .last_mut()
            .unwrap()
            .operands
            .iter_mut()
            .for_each(|operand| {
                if let MachineOperand::Block(block) = operand {
                    *block = even;
                }
            });
        main.successors(odd, &[even, tail]);
        main.inst(tail, "mul", &[v(n), v(n), v(three)]);
        main.inst(tail, "add", &[v(n), v(n), imm(1)]);
        main.inst(tail, "j", &[MachineOperand::Block(head)]);
        main.successors(tail, &[head]);
        let out = main.constant(exit, P, DATA);
        main.inst(exit, "st", &[v(steps), v(out), imm(0)]);
        finish(&mut main, exit);
        main.inst(even, "lshl", &[v(n), v(n), v(minus_one)]);
        main.inst(even, "j", &[MachineOperand::Block(head)]);
        main.successors(even, &[head]);
        let mut tile = Tile::new();
        run(&program(arch, vec![main]), &mut tile);
        assert_eq!(tile.word(DATA), 111, "{arch}");
    }
}

#[test]
fn locks_keep_away_from_memory() {
    use RegisterFile::{P, R};
    for arch in CoreArch::ALL {
        let mut main = Builder::new(arch, "core");
        let one = main.constant(ENTRY, R, 1);
        let p = main.constant(ENTRY, P, DATA);
        let value = main.register(R);
        for n in 0..3 {
            main.inst(ENTRY, "acq", &[imm(48), v(one)]);
            main.inst(ENTRY, "lda", &[v(value), v(p), imm(0)]);
            main.inst(ENTRY, "add", &[v(value), v(value), imm(n)]);
            main.inst(ENTRY, "st", &[v(value), v(p), imm(0)]);
            main.inst(ENTRY, "rel", &[imm(49), v(one)]);
        }
        finish(&mut main, ENTRY);
        let mut tile = Tile::new();
        tile.set_word(DATA, 40);
        run(&program(arch, vec![main]), &mut tile);
        assert_eq!(tile.word(DATA), 43, "{arch}");
        assert_eq!(tile.released, [(49, 1); 3]);
    }
}

#[test]
fn what_does_not_fit_is_refused_with_sizes() {
    use RegisterFile::R;
    let arch = CoreArch::Aie2;
    let mut main = Builder::new(arch, "core");
    let value = main.constant(ENTRY, R, 1);
    for _ in 0..9000 {
        main.inst(ENTRY, "mul", &[v(value), v(value), v(value)]);
    }
    finish(&mut main, ENTRY);
    let error = assemble(&program(arch, vec![main])).unwrap_err();
    assert!(
        matches!(&error, AssembleError::ProgramTooLarge { functions, .. } if functions[0].size > 0x4000),
        "{error}"
    );
    let mut main = Builder::new(arch, "core");
    main.function.slot(0x2000, 32);
    finish(&mut main, ENTRY);
    let error = assemble(&program(arch, vec![main])).unwrap_err();
    assert!(
        matches!(error, AssembleError::StackTooSmall { .. }),
        "{error}"
    );
}
