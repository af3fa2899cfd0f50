//! The allocators on random tiles, checked against their plain checkers and to what must always succeed.

use std::fmt::Write;

use aiec_aie::ir::Module;
use aiec_aie::ops::{Device, OpKind, OpView};
use aiec_aie::text::parse;
use aiec_diag::{Diags, SourceFile, SourceMap};
use aiec_passes::allocate::{assign_bd_ids, assign_buffer_addresses, assign_lock_ids};
use aiec_passes::infra::manager::{PassStep, run};
use aiec_passes::pipelines::find_pass;
use arbtest::arbitrary::{self, Unstructured};

/// Bytes of a core tile's memory, and what its addresses are multiples of.
const MEMORY: u64 = 65536;
const ALIGNMENT: u64 = 32;

/// A buffer of a drawn tile.
struct Buffer {
    bytes: u64,
    pin: Pin,
}

enum Pin {
    None,
    Address(u64),
    Bank(u64),
}

fn buffers(u: &mut Unstructured<'_>) -> arbitrary::Result<Vec<Buffer>> {
    let largest = *u.choose(&[300, 3000, 17000])?;
    let count = u.int_in_range(1..=40)?;
    let pins = u.ratio(1, 2)?;
    let mut list = Vec::new();
    for _ in 0..count {
        let pin = match pins && u.ratio(1, 4)? {
            false => Pin::None,
            true if u.arbitrary()? => Pin::Bank(u.int_in_range(0..=3)?),
            true => Pin::Address(ALIGNMENT * u.int_in_range(0..=MEMORY / ALIGNMENT - 1)?),
        };
        let bytes = u.int_in_range(1..=largest)?;
        list.push(Buffer { bytes, pin });
    }
    Ok(list)
}

fn module(text: String) -> Module {
    let mut sources = SourceMap::new();
    let file = sources.add(SourceFile::new("drawn.mlir", text));
    let mut diags = Diags::new();
    let module = parse(file, &sources, &mut diags);
    assert!(!diags.has_errors(), "{:#?}", diags.into_vec());
    module
}

fn pass(module: &mut Module, step: PassStep) -> Result<(), String> {
    let mut diags = Diags::new();
    let result = run(module, &[step], &mut diags, &mut |_, _, _| {});
    result
        .map(|_| ())
        .map_err(|_| format!("{:#?}", diags.into_vec()))
}

fn step(name: &str) -> PassStep {
    PassStep::new(find_pass(name).expect("a pass"))
}

fn with_buffers(list: &[Buffer], stack: u64) -> Module {
    let mut text = "module {\n  aie.device(npu2) {\n    %t = aie.tile(0, 2)\n".to_string();
    for (n, buffer) in list.iter().enumerate() {
        let pin = match buffer.pin {
            Pin::None => String::new(),
            Pin::Address(address) => format!(", address = {address} : i32"),
            Pin::Bank(bank) => format!(", mem_bank = {bank} : i32"),
        };
        let bytes = buffer.bytes;
        let _ = writeln!(
            text,
            "    %b{n} = aie.buffer(%t) {{sym_name = \"b{n}\"{pin}}} : memref<{bytes}xi8>"
        );
    }
    let _ = write!(
        text,
        "    aie.core(%t) {{\n      aie.end\n    }} {{stack_size = {stack} : i32}}\n  }}\n}}\n"
    );
    module(text)
}

#[test]
fn buffers_that_fit_are_placed_and_never_overlap() {
    let mut placed = 0;
    let property = |u: &mut Unstructured<'_>| {
        let list = buffers(u)?;
        let stack = ALIGNMENT * u.int_in_range(1..=200)?;
        let mut design = with_buffers(&list, stack);
        let result = pass(&mut design, step("aie-assign-buffer-addresses"));
        let aligned = list.iter().map(|b| b.bytes.next_multiple_of(ALIGNMENT));
        let needed = stack + aligned.sum::<u64>();
        let free = list.iter().all(|b| matches!(b.pin, Pin::None));
        match result {
            Ok(()) => {
                placed += 1;
                let device = design.find(design.top(), OpKind::Device)[0];
                assert_eq!(assign_buffer_addresses::check(&design, device), Ok(()));
                for (buffer, op) in list.iter().zip(design.find(device, OpKind::Buffer)) {
                    let address = design.int_attr(op, "address").expect("an address") as u64;
                    match buffer.pin {
                        Pin::None => {}
                        Pin::Address(written) => assert_eq!(address, written),
                        Pin::Bank(bank) => {
                            assert_eq!(address / 16384, bank);
                            assert_eq!((address + buffer.bytes - 1) / 16384, bank);
                        }
                    }
                }
            }
            // Without written places only their sum can be too much.
            Err(said) => assert!(!free || needed > MEMORY, "{said}"),
        }
        Ok(())
    };
    arbtest::arbtest(property).budget_ms(2_000);
    assert!(placed > 50, "only {placed} designs were placed");
}

#[test]
fn the_bank_aware_scheme_keeps_buffers_in_banks() {
    arbtest::arbtest(|u| {
        let list = buffers(u)?;
        let mut design = with_buffers(&list, 1024);
        let scheme = step("aie-assign-buffer-addresses").with("alloc-scheme", "bank-aware");
        if pass(&mut design, scheme).is_ok() {
            for (buffer, op) in list.iter().zip(design.find(design.top(), OpKind::Buffer)) {
                let address = design.int_attr(op, "address").expect("an address") as u64;
                let last = address + buffer.bytes - 1;
                let written = matches!(buffer.pin, Pin::Address(_));
                assert!(written || address / 16384 == last / 16384);
            }
        }
        Ok(())
    })
    .budget_ms(1_000);
}

#[test]
fn locks_and_descriptors_keep_what_is_written() {
    arbtest::arbtest(|u| {
        // Chains on channels of a mem tile; some BDs have a number that their channel may use.
        let channels = u.int_in_range(1..=6)?;
        let mut text = "module {\n  aie.device(npu2) {\n    %t = aie.tile(0, 1)\n".to_string();
        text += "    %b = aie.buffer(%t) {sym_name = \"b\"} : memref<64xi32>\n";
        let mut written = vec![None::<u8>; 64];
        for (n, slot) in written.iter_mut().enumerate().take(u.int_in_range(1..=40)?) {
            *slot = u.ratio(1, 4)?.then_some(20 + n as u8);
            let id = slot.map_or(String::new(), |id| format!(", {id}"));
            let _ = writeln!(text, "    %l{n} = aie.lock(%t{id}) {{sym_name = \"l{n}\"}}");
        }
        text += "    %m = aie.memtile_dma(%t) {\n";
        let mut bds = 0;
        for channel in 0..channels {
            let next = if channel + 1 < channels {
                format!("^start{}", channel + 1)
            } else {
                "^end".to_string()
            };
            if channel > 0 {
                let _ = writeln!(text, "    ^start{channel}:");
            }
            let _ = writeln!(
                text,
                "      %{channel} = aie.dma_start(MM2S, {channel}, ^b{channel}_0, {next})"
            );
            let length = u.int_in_range(1..=8)?;
            for k in 0..length {
                // Numbers from the top of the half, so that no two are equal.
                let top = if channel % 2 == 0 { 23 } else { 47 };
                let id = if u.ratio(1, 5)? {
                    format!(" {{bd_id = {} : i32}}", top - channel / 2 * 8 - k)
                } else {
                    String::new()
                };
                let to = (k + 1) % length;
                let _ = writeln!(
                    text,
                    "    ^b{channel}_{k}:\n      aie.dma_bd(%b : memref<64xi32>, 0, 64){id}\n      \
                     aie.next_bd ^b{channel}_{to}"
                );
                bds += 1;
            }
        }
        text += "    ^end:\n      aie.end\n    }\n  }\n}\n";
        let mut design = module(text);
        let device = design.find_all::<Device>(design.top())[0].op();
        assert_eq!(pass(&mut design, step("aie-assign-lock-ids")), Ok(()));
        assert_eq!(assign_lock_ids::check(&design, device), Ok(()));
        let locks = design.find(device, OpKind::Lock);
        for (lock, id) in locks.iter().zip(&written) {
            let given = design.int_attr(*lock, "lockID");
            assert!(id.is_none_or(|id| given == Some(id.into())));
        }
        // At most 24 in each half: three channels of eight.
        assert_eq!(pass(&mut design, step("aie-assign-bd-ids")), Ok(()));
        assert_eq!(assign_bd_ids::check(&design, device), Ok(()));
        assert_eq!(design.find(device, OpKind::DmaBd).len(), bds);
        Ok(())
    })
    .budget_ms(1_000);
}
