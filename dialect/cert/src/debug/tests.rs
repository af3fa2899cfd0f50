use super::*;

fn sample() -> DebugInfo {
    let at = SourceLoc {
        file: 0,
        line: 12,
        column: 5,
    };
    let source = Some(at);
    let resource = |kind, name: &str, source| Resource {
        column: 3,
        row: 1,
        kind,
        name: name.into(),
        source,
        fifo: None,
        element_bytes: None,
        ty: None,
    };
    DebugInfo {
        device: Some("xcve3858".into()),
        files: vec!["a b\\c.mlir".into()],
        arguments: vec![Argument {
            index: 2,
            bytes: 1 << 33,
            name: "out".into(),
            ty: Some(ArgumentType {
                element: "bf16".into(),
                shape: vec![4, 1 << 30],
            }),
        }],
        programs: vec![CoreMarks {
            column: 3,
            row: 2,
            checksum: 0xFEDC_BA98,
            functions: vec![FunctionMark {
                at: 0,
                name: "core".into(),
            }],
            loops: vec![LoopMark {
                first: 2,
                end: 9,
                source: at,
            }],
            operations: vec![OperationMark {
                at: 3,
                source: at,
                name: "aie.use_lock".into(),
            }],
            fifo_uses: vec![FifoUseMark {
                at: 3,
                acquires: false,
                produces: true,
                count: 2,
                fifo: "out".into(),
            }],
            old_reads: vec![OldReadMark {
                at: 0x40,
                register: "r3".into(),
            }],
        }],
        resources: vec![
            Resource {
                element_bytes: Some(2),
                ty: Some(ArgumentType {
                    element: "bf16".to_string(),
                    shape: vec![4, 16],
                }),
                ..resource(
                    ResourceKind::Buffer {
                        address: 0x400,
                        bytes: 64,
                    },
                    "b",
                    source,
                )
            },
            Resource {
                fifo: Some(FifoPart {
                    fifo: "in".into(),
                    produces: true,
                    depth: 2,
                }),
                ..resource(ResourceKind::Lock { id: 5 }, "two words", None)
            },
            resource(
                ResourceKind::Channel {
                    direction: Direction::Mm2s,
                    channel: 1,
                },
                "line\nbreak",
                source,
            ),
            resource(ResourceKind::Core, "", None),
        ],
        pages: vec![PageMarks {
            uc: 1,
            page: 2,
            jobs: vec![JobMark {
                at: 16,
                id: 9,
                phase: Phase::Configure,
                source: None,
                end: None,
            }],
            lines: vec![LineMark {
                at: 24,
                source: SourceLoc {
                    file: 0,
                    line: 1,
                    column: 0,
                },
            }],
        }],
    }
}

#[test]
fn survives_a_round_trip() {
    let info = sample();
    assert_eq!(DebugInfo::parse(&info.to_bytes()), Ok(info));
}

#[test]
fn shows_locations() {
    let info = sample();
    let loc = info.resources[0].source.unwrap();
    assert_eq!(info.show(loc).as_deref(), Some("a b\\c.mlir:12:5"));
    assert_eq!(info.show(SourceLoc { file: 7, ..loc }), None);
}

#[test]
fn refuses_malformed_lines() {
    let why = |bytes: &[u8]| DebugInfo::parse(bytes).unwrap_err().message;
    assert_eq!(why(&[0xFF]), "the debug section is not text at offset 0x0");
    assert!(why(b"").contains("does not begin with"));
    for bad in [
        "lock 1 2 900 - x",
        "job 1 2 run -",
        "op 1 -",
        "page 1",
        "nonsense",
    ] {
        let text = format!("{FIRST_LINE}\n{bad}\n");
        let wanted = "line 2 of the debug section is malformed";
        assert_eq!(why(text.as_bytes()), wanted, "{bad}");
    }
    let newer = format!("{FIRST_LINE}\nfuture 1 2 3\n");
    assert_eq!(DebugInfo::parse(newer.as_bytes()), Ok(DebugInfo::default()));
}
