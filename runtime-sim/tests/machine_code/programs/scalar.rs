//! Arithmetic, branches, loops and calls.

use aiec_core::CoreArch;

use super::{A, ALL, B, bytes, bytes_of, check, words};

#[test]
fn sum_of_words() {
    let input = words(1, 16);
    let sum = input.iter().fold(0u32, |sum, word| sum.wrapping_add(*word));
    let program = "
        mova r0, #0
        mova r1, #16
    loop:
        lda r2, [p0], #4
        wait 9
        add r0, r0, r2
        add r1, r1, #-1
        jnz r1, #loop
        wait 5
        st r0, [p2, #0]
        exit";
    check(ALL, program, &[(A, bytes_of(&input))], &sum.to_le_bytes());
}

#[test]
fn dot_product() {
    let (a, b) = (words(2, 12), words(3, 12));
    let sum = a
        .iter()
        .zip(&b)
        .fold(0u32, |sum, (a, b)| sum.wrapping_add(a.wrapping_mul(*b)));
    let program = "
        mova r0, #0
        mova r1, #12
    loop:
        lda r2, [p0], #4
        lda r3, [p1], #4
        wait 9
        mul r4, r2, r3
        wait 3
        add r0, r0, r4
        add r1, r1, #-1
        jnz r1, #loop
        wait 5
        st r0, [p2, #0]
        exit";
    check(
        ALL,
        program,
        &[(A, bytes_of(&a)), (B, bytes_of(&b))],
        &sum.to_le_bytes(),
    );
}

#[test]
fn fibonacci_numbers() {
    let mut numbers = vec![0u32, 1];
    for at in 2..24 {
        numbers.push(numbers[at - 1] + numbers[at - 2]);
    }
    let program = "
        mova r0, #0
        mova r1, #1
        mova r2, #24
    loop:
        st r0, [p2], #4
        add r3, r0, r1
        or r0, r1, r1
        or r1, r3, r3
        add r2, r2, #-1
        jnz r2, #loop
        wait 5
        exit";
    check(ALL, program, &[], &bytes_of(&numbers));
}

#[test]
fn greatest_common_divisor() {
    let program = "
        movxm r0, #270270
        movxm r1, #85085
    loop:
        eq r2, r0, r1
        jnz r2, #end
        wait 5
        ltu r2, r0, r1
        jnz r2, #less
        wait 5
        sub r0, r0, r1
        j #loop
        wait 5
    less:
        sub r1, r1, r0
        j #loop
        wait 5
    end:
        st r0, [p2, #0]
        exit";
    check(ALL, program, &[], &5005u32.to_le_bytes());
}

#[test]
fn collatz_steps() {
    let (mut n, mut steps) = (27u32, 0u32);
    while n != 1 {
        n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    let program = "
        mova r0, #27
        mova r1, #0
        mova r2, #1
        mova r3, #3
        mova r5, #-1
    loop:
        eq r4, r0, r2
        jnz r4, #end
        wait 5
        add r1, r1, #1
        and r4, r0, r2
        jz r4, #even
        wait 5
        mul r0, r0, r3
        wait 3
        add r0, r0, #1
        j #loop
        wait 5
    even:
        lshl r0, r0, r5
        j #loop
        wait 5
    end:
        st r1, [p2, #0]
        exit";
    check(ALL, program, &[], &steps.to_le_bytes());
}

#[test]
fn xorshift_generator() {
    let mut state = 2_463_534_242u32;
    let expected: Vec<u32> = (0..8)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state
        })
        .collect();
    let program = "
        movxm r0, #2463534242
        mova r10, #13
        mova r11, #-17
        mova r12, #5
        mova r1, #8
    loop:
        lshl r2, r0, r10
        xor r0, r0, r2
        lshl r2, r0, r11
        xor r0, r0, r2
        lshl r2, r0, r12
        xor r0, r0, r2
        st r0, [p2], #4
        add r1, r1, #-1
        jnz r1, #loop
        wait 5
        exit";
    check(ALL, program, &[], &bytes_of(&expected));
}

#[test]
fn bits_that_are_set() {
    let input = words(4, 8);
    let expected: Vec<u32> = input.iter().map(|word| word.count_ones()).collect();
    let program = "
        mova r1, #8
    next:
        lda r0, [p0], #4
        mova r2, #0
        wait 9
    loop:
        jz r0, #end
        wait 5
        add r3, r0, #-1
        and r0, r0, r3
        add r2, r2, #1
        j #loop
        wait 5
    end:
        st r2, [p2], #4
        add r1, r1, #-1
        jnz r1, #next
        wait 5
        exit";
    check(ALL, program, &[(A, bytes_of(&input))], &bytes_of(&expected));
}

#[test]
fn bits_in_reverse() {
    let input = words(5, 4);
    let expected: Vec<u32> = input.iter().map(|word| word.reverse_bits()).collect();
    let program = "
        mova r10, #1
        mova r11, #-1
        mova r1, #4
    next:
        lda r0, [p0], #4
        mova r2, #0
        mova r3, #32
        wait 9
    loop:
        lshl r2, r2, r10
        and r4, r0, r10
        or r2, r2, r4
        lshl r0, r0, r11
        add r3, r3, #-1
        jnz r3, #loop
        wait 5
        st r2, [p2], #4
        add r1, r1, #-1
        jnz r1, #next
        wait 5
        exit";
    check(ALL, program, &[(A, bytes_of(&input))], &bytes_of(&expected));
}

/// A number of 128 bits as words.
fn wide(words: &[u32]) -> u128 {
    words
        .iter()
        .rev()
        .fold(0, |sum, word| sum << 32 | u128::from(*word))
}

/// Four steps of a chain over the carry: each word of A with that of B.
fn chain(first: &str, rest: &str) -> String {
    let mut program = String::new();
    for at in 0..4 {
        program += &format!(
            "lda r{at}, [p0, #{}]\nlda r{}, [p1, #{}]\n",
            4 * at,
            at + 8,
            4 * at
        );
    }
    program += "wait 9\n";
    for at in 0..4 {
        let name = if at == 0 { first } else { rest };
        program += &format!("{name} r{}, r{at}, r{}\n", at + 16, at + 8);
    }
    for at in 0..4 {
        program += &format!("st r{}, [p2, #{}]\n", at + 16, 4 * at);
    }
    program + "exit"
}

#[test]
fn addition_of_128_bits() {
    let (a, b) = (vec![u32::MAX, u32::MAX, 7, 1], words(6, 4));
    let sum = wide(&a).wrapping_add(wide(&b));
    let inputs = [(A, bytes_of(&a)), (B, bytes_of(&b))];
    check(ALL, &chain("add", "adc"), &inputs, &sum.to_le_bytes());
}

#[test]
fn subtraction_of_128_bits() {
    let (a, b) = (vec![0, 0, 7, 1], words(7, 4));
    let difference = wide(&a).wrapping_sub(wide(&b));
    let inputs = [(A, bytes_of(&a)), (B, bytes_of(&b))];
    check(
        ALL,
        &chain("sub", "sbc"),
        &inputs,
        &difference.to_le_bytes(),
    );
}

#[test]
fn division_step_by_step() {
    let (a, b) = (3_000_000_019u32, 70_001u32);
    let program = "
        lda r31, [p0, #0]
        lda r1, [p0, #4]
        mova r0, #0
        mova r2, #32
        wait 9
    loop:
        divs r0, r31, r0, r1
        add r2, r2, #-1
        jnz r2, #loop
        wait 5
        st r31, [p2, #0]
        st r0, [p2, #4]
        exit";
    let archs = [CoreArch::Aie2, CoreArch::Aie2p];
    check(
        &archs,
        program,
        &[(A, bytes_of(&[a, b]))],
        &bytes_of(&[a / b, a % b]),
    );
}

#[test]
fn checksum_of_bytes() {
    let input = bytes(8, 20);
    let mut checksum = u32::MAX;
    for byte in &input {
        checksum ^= u32::from(*byte);
        for _ in 0..8 {
            let mask = (checksum & 1).wrapping_neg();
            checksum = checksum >> 1 ^ 0xEDB8_8320 & mask;
        }
    }
    let program = "
        mova r0, #-1
        mova r1, #20
        mova r10, #1
        mova r11, #-1
        mova r12, #0
        movxm r13, #0xEDB88320
    next:
        lda.u8 r2, [p0], #1
        mova r3, #8
        wait 9
        xor r0, r0, r2
    loop:
        and r4, r0, r10
        sub r4, r12, r4
        lshl r0, r0, r11
        and r4, r4, r13
        xor r0, r0, r4
        add r3, r3, #-1
        jnz r3, #loop
        wait 5
        add r1, r1, #-1
        jnz r1, #next
        wait 5
        st r0, [p2, #0]
        exit";
    check(ALL, program, &[(A, input)], &checksum.to_le_bytes());
}

#[test]
fn operations_of_one_operand() {
    let input = [0u32, 1, 0x8000_0000, u32::MAX, 0x0000_80FF, 0x1234_5678];
    let mut expected = Vec::new();
    for word in input {
        let sign_bits = (word ^ ((word as i32 >> 31) as u32)).leading_zeros();
        expected.extend([
            word.leading_zeros(),
            sign_bits,
            (word as i32).wrapping_abs() as u32,
            word as i8 as i32 as u32,
            word & 0xFF,
            word as i16 as i32 as u32,
            word & 0xFFFF,
        ]);
    }
    let names = [
        "clz",
        "clb",
        "abs",
        "extend.s8",
        "extend.u8",
        "extend.s16",
        "extend.u16",
    ];
    let mut program = "mova r1, #6\nloop:\nlda r0, [p0], #4\nwait 9\n".to_owned();
    for name in names {
        program += &format!("{name} r2, r0\nst r2, [p2], #4\n");
    }
    program += "add r1, r1, #-1\njnz r1, #loop\nwait 5\nexit";
    check(
        ALL,
        &program,
        &[(A, bytes_of(&input))],
        &bytes_of(&expected),
    );
}

#[test]
fn greatest_and_least_by_selection() {
    let input = words(9, 14);
    let signed = || input.iter().map(|word| *word as i32);
    let expected = [
        signed().max().unwrap() as u32,
        signed().min().unwrap() as u32,
    ];
    let program = "
        lda r2, [p0, #0]
        mova r1, #14
        wait 9
        or r3, r2, r2
    loop:
        lda r4, [p0], #4
        wait 9
        lt r27, r2, r4
        sel.nez r2, r4, r2, r27
        lt r27, r4, r3
        sel.eqz r3, r3, r4, r27
        add r1, r1, #-1
        jnz r1, #loop
        wait 5
        st r2, [p2, #0]
        st r3, [p2, #4]
        exit";
    check(ALL, program, &[(A, bytes_of(&input))], &bytes_of(&expected));
}

#[test]
fn sorting_in_place() {
    let input = words(10, 10);
    let mut sorted: Vec<i32> = input.iter().map(|word| *word as i32).collect();
    sorted.sort_unstable();
    let expected: Vec<u32> = sorted.iter().map(|word| *word as u32).collect();
    let program = "
        mova r1, #10
    copy:
        lda r0, [p0], #4
        wait 9
        st r0, [p2], #4
        add r1, r1, #-1
        jnz r1, #copy
        wait 5
        mova r1, #9
    pass:
        movxm p3, #0x73000
        mova r2, #9
    pair:
        lda r3, [p3, #0]
        lda r4, [p3, #4]
        wait 9
        lt r27, r4, r3
        sel.nez r5, r4, r3, r27
        sel.nez r6, r3, r4, r27
        st r5, [p3], #4
        st r6, [p3, #0]
        add r2, r2, #-1
        jnz r2, #pair
        wait 5
        add r1, r1, #-1
        jnz r1, #pass
        wait 5
        exit";
    check(ALL, program, &[(A, bytes_of(&input))], &bytes_of(&expected));
}

#[test]
fn function_with_arguments() {
    let input = words(11, 6);
    let expected: Vec<u32> = input
        .chunks(3)
        .map(|args| args[0].wrapping_mul(args[1]).wrapping_add(args[2]))
        .collect();
    let program = "
        mova r5, #2
    loop:
        lda r0, [p0], #4
        lda r1, [p0], #4
        lda r2, [p0], #4
        wait 9
        jl #multiply_add
        wait 5
        st r0, [p2], #4
        add r5, r5, #-1
        jnz r5, #loop
        wait 5
        exit
    multiply_add:
        mul r3, r0, r1
        wait 3
        add r0, r3, r2
        ret lr
        wait 5";
    check(ALL, program, &[(A, bytes_of(&input))], &bytes_of(&expected));
}

#[test]
fn recursion_with_a_stack() {
    let expected: u32 = (1..=10).product();
    let program = "
        mova r0, #10
        jl #factorial
        wait 5
        st r0, [p2, #0]
        exit
    factorial:
        enter 64
        wait 1
        st lr, [sp, #-64]
        st r0, [sp, #-60]
        jz r0, #one
        wait 5
        add r0, r0, #-1
        jl #factorial
        wait 5
        lda r1, [sp, #-60]
        wait 9
        mul r0, r0, r1
        wait 3
        j #leave
        wait 5
    one:
        mova r0, #1
    leave:
        lda lr, [sp, #-64]
        wait 9
        leave 64
        ret lr
        wait 5";
    check(ALL, program, &[], &expected.to_le_bytes());
}

#[test]
fn calls_through_pointers() {
    let input = words(12, 1)[0];
    let expected = [input.wrapping_add(1), !input, input >> 4];
    let program = "
        lda r0, [p0, #0]
        wait 9
        mova r10, #-1
        mova r11, #-4
        movxm p3, #increment
        jl p3
        wait 5
        movxm p3, #invert
        jl p3
        wait 5
        movxm p3, #shift
        jl p3
        wait 5
        exit
    increment:
        add r1, r0, #1
        ret lr
        st r1, [p2], #4
        wait 4
    invert:
        xor r1, r0, r10
        ret lr
        st r1, [p2], #4
        wait 4
    shift:
        lshl r1, r0, r11
        ret lr
        st r1, [p2], #4
        wait 4";
    check(
        ALL,
        program,
        &[(A, input.to_le_bytes().to_vec())],
        &bytes_of(&expected),
    );
}

/// A hardware loop: its body is long enough for the loop registers to be known at its end.
const HARDWARE_LOOP: &str = "
        movxm ls, #first
        movxm le, #last
        movxm lc, #COUNT
        wait 56
        .p2align 4
    first:
        lda r2, [p0], #4
        wait 9
        add r0, r0, r2
        .p2align 4
    last:
        nopa; nopb; nops; nopxm; nopv";

#[test]
fn hardware_loop() {
    let input = words(13, 20);
    let sum = input.iter().fold(0u32, |sum, word| sum.wrapping_add(*word));
    let body = HARDWARE_LOOP.replace("COUNT", "20");
    let program = format!("mova r0, #0\n{body}\nst r0, [p2, #0]\nexit");
    check(ALL, &program, &[(A, bytes_of(&input))], &sum.to_le_bytes());
}

#[test]
fn hardware_loop_inside_a_loop() {
    let input = words(14, 12);
    let expected: Vec<u32> = input
        .chunks(4)
        .map(|row| row.iter().fold(0u32, |sum, word| sum.wrapping_add(*word)))
        .collect();
    let body = HARDWARE_LOOP.replace("COUNT", "4");
    let program = format!(
        "mova r5, #3\nrow:\nmova r0, #0\n{body}\nst r0, [p2], #4\nadd r5, r5, #-1\njnz r5, #row\nwait 5\nexit"
    );
    check(
        ALL,
        &program,
        &[(A, bytes_of(&input))],
        &bytes_of(&expected),
    );
}

#[test]
fn countdown_by_pointer() {
    let expected: Vec<u32> = (0..=7).rev().collect();
    let program = "
        mova r1, #7
        movxm p3, #loop
    loop:
        st r1, [p2], #4
        wait 2
        jnzd r1, r1, p3
        wait 5
        exit";
    check(ALL, program, &[], &bytes_of(&expected));
}

#[test]
fn delay_slots_execute_whether_the_branch_is_taken_or_not() {
    let expected = [5u32, 15];
    let program = "
        mova r0, #0
        mova r1, #0
        jz r0, #taken
        add r1, r1, #1
        add r1, r1, #1
        add r1, r1, #1
        add r1, r1, #1
        add r1, r1, #1
        add r1, r1, #50
    taken:
        st r1, [p2, #0]
        jnz r0, #nowhere
        add r1, r1, #1
        add r1, r1, #1
        add r1, r1, #1
        add r1, r1, #1
        add r1, r1, #1
        add r1, r1, #5
    nowhere:
        st r1, [p2, #4]
        exit";
    check(ALL, program, &[], &bytes_of(&expected));
}

#[test]
fn instructions_of_a_bundle_read_what_was_before_it() {
    let program = "
        mova r0, #1
        movx r1, #2
        mova r2, #0
        add r0, r1, #10; mov r1, r0
        st r0, [p2, #0]
        st r1, [p2, #4]
        exit";
    check(ALL, program, &[], &bytes_of(&[12, 1]));
}

#[test]
fn halves_of_block_exponents() {
    let program = "
        movxm r17, #0x12345678
        movxm r18, #0x7ABCDEF0
        mov el0, r17
        mov eh0, r18
        mov el3, eh0
        mov eh3, el0
        mov r1, el3
        mov r2, eh3
        mov r3, el0
        st r1, [p2, #0]
        st r2, [p2, #4]
        st r3, [p2, #8]
        exit";
    let expected = [0x7ABC_DEF0, 0x1234_5678, 0x1234_5678];
    check(super::AIE2P, program, &[], &bytes_of(&expected));
}

#[test]
fn halves_of_block_exponents_in_memory() {
    let program = "
        lda el2, [p0, #0]
        lda eh2, [p0, #4]
        mova r1, #1
        mov eh5, r1
        wait 9
        mov r2, el2
        st eh2, [p2, #0]
        st r2, [p2, #4]
        st eh5, [p2, #8]
        exit";
    let inputs = [(super::A, bytes_of(&[0x1234_5678, 0x9ABC_DEF0]))];
    let expected = bytes_of(&[0x9ABC_DEF0, 0x1234_5678, 1]);
    check(super::AIE2P, program, &inputs, &expected);
    check(&[CoreArch::Aie2ps], program, &inputs, &expected);
}
