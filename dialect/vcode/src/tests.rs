use super::*;

fn sample() -> CoreProgram {
    let ld = MemoryImmediate {
        kind: MemoryType::Bf16,
        offset: 0x7_0400,
    };
    let back = MemoryImmediate {
        kind: MemoryType::F64,
        offset: -8,
    };
    let map = MapImmediate {
        op: Opcode::FmaF,
        fourth: 4,
        lanes: 16,
    };
    CoreProgram {
        functions: vec![
            Function {
                entry: 0,
                registers: 4,
                granules: 5,
            },
            Function {
                entry: 9,
                registers: 2,
                granules: 0,
            },
        ],
        kernels: vec!["scale".to_string(), "k".to_string()],
        code: vec![
            Instruction::with(Opcode::Li, 0, 0, 0, -5i32 as u32),
            Instruction::with(Opcode::LdAbs, 1, 0, 0, ld.pack()),
            Instruction::with(Opcode::StBaseIdx, 1, 2, 3, back.pack()),
            Instruction::with(Opcode::VMap, 0, 1, 2, map.pack()),
            Instruction::new(Opcode::Acquire, 49, -1i8 as u8, 0),
            Instruction::with(Opcode::Call, 4, 5, 0, 1),
            Instruction::with(Opcode::CallKernel, 4, 2, 0, 1),
            Instruction::with(Opcode::Loopi, 0, 1, 2, 1),
            Instruction::new(Opcode::End, 0, 0, 0),
            Instruction::new(Opcode::Ret, 0, 0, 0),
        ],
    }
}

#[test]
fn operations_have_distinct_codes_and_names() {
    let mut names: Vec<_> = Opcode::ALL.iter().map(|op| op.mnemonic()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Opcode::ALL.len());
    for &op in Opcode::ALL {
        assert_eq!(Opcode::from_code(op.code()), Some(op));
        let shape = op.shape();
        assert!(!shape.pure_scalar || shape.operands[0] == Operand::Dest);
    }
}

#[test]
fn programs_round_trip() {
    let program = sample();
    let mut words = program.encode(0x4000).unwrap();
    assert_eq!(CoreProgram::decode(&words), Ok(program.clone()));
    words.resize(4096, 0);
    assert_eq!(CoreProgram::decode(&words), Ok(program));
}

#[test]
fn a_program_that_does_not_fit_is_refused() {
    let error = sample().encode(64).unwrap_err();
    assert!(
        matches!(error, EncodeError::TooLarge { limit: 64, .. }),
        "{error}"
    );
}

#[test]
fn other_words_are_refused() {
    assert_eq!(CoreProgram::decode(&[]), Err(DecodeError::Empty));
    assert_eq!(CoreProgram::decode(&[0; 4096]), Err(DecodeError::Empty));
    let foreign = CoreProgram::decode(&[0, 0x0001_0001]);
    assert_eq!(foreign, Err(DecodeError::Foreign { word: 0 }));
    let words = sample().encode(0x4000).unwrap();
    for (at, _) in words.iter().enumerate() {
        for bit in 0..32 {
            let mut damaged = words.clone();
            damaged[at] ^= 1 << bit;
            assert!(
                CoreProgram::decode(&damaged).is_err(),
                "word {at} bit {bit}"
            );
        }
        assert!(CoreProgram::decode(&words[..at]).is_err(), "cut at {at}");
    }
}

/// Decoding must refuse or accept any instruction, whatever its operands.
#[test]
fn any_instruction_is_decoded_or_refused() {
    let mut state = 1u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.rotate_left(13)
    };
    let mut accepted = 0;
    for _ in 0..20_000 {
        let op = Opcode::ALL[random() as usize % Opcode::ALL.len()];
        let imm = match op.shape().immediate {
            Immediate::No => 0,
            _ if random() % 2 == 0 => random(),
            _ => random() % 16,
        };
        let [a, b, c, _] = random().to_le_bytes();
        let code = vec![
            Instruction::with(op, a, b, c, imm),
            Instruction::new(Opcode::End, 0, 0, 0),
        ];
        let functions = vec![Function {
            entry: 0,
            registers: 256,
            granules: 256,
        }];
        let program = CoreProgram {
            functions,
            kernels: Vec::new(),
            code,
        };
        let words = program.encode(0x4000).unwrap();
        if let Ok(decoded) = CoreProgram::decode(&words) {
            assert_eq!(decoded, program);
            accepted += 1;
        }
    }
    assert!(accepted > 5_000, "{accepted}");
}

#[test]
fn references_are_checked() {
    let refused = |change: fn(&mut CoreProgram)| {
        let mut program = sample();
        change(&mut program);
        let words = program.encode(0x4000).unwrap();
        assert!(CoreProgram::decode(&words).is_err());
    };
    refused(|program| program.code[7].imm = 10);
    refused(|program| program.code[5].imm = 2);
    refused(|program| program.code[6].imm = 2);
    refused(|program| program.functions[1].entry = 10);
    refused(|program| program.functions.clear());
    refused(|program| program.code[9].op = Opcode::Mov);
    refused(|program| program.code[1].imm = 0xF << 28);
    refused(|program| {
        program.code[3].imm = MapImmediate {
            op: Opcode::StreamGet,
            fourth: 0,
            lanes: 16,
        }
        .pack();
    });
    refused(|program| {
        let map = MapImmediate {
            op: Opcode::AddF,
            fourth: 0,
            lanes: 17,
        };
        program.code[3] = Instruction::with(Opcode::VMap, 255, 0, 0, map.pack());
    });
}

#[test]
fn listings_name_operands() {
    let text = sample().to_string();
    let lines: Vec<_> = text.lines().map(str::trim).collect();
    assert_eq!(lines[0], "kernel0: scale");
    assert_eq!(lines[2], "fn0: 4 registers, 5 granules");
    assert_eq!(lines[3], "0  li         r0, -5");
    assert_eq!(lines[4], "1  ld.abs     r1, bf16 +0x70400");
    assert_eq!(lines[6], "3  vmap       v0, v1, v2, fma.f32 x16 4");
    assert_eq!(lines[7], "4  acq        49, -1");
    assert_eq!(lines[10], "7  loopi      r0, 1, r2, @1");
}
