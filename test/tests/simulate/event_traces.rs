//! Designs with `aie.trace` are compiled and simulated, and what the host gets is read as
//! mlir-aie's tools read it (`mlir-aie: python/utils/trace/parse.py`): which events came how often.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use aiec_test::driver::aiec;

/// A core that copies OBJECTS objects of 16 words, and marks the begin and the end of each.
const DESIGN: &str = r#"
aie.device(DEVICE) {
  %shim = aie.tile(0, 0)
  %worker = aie.tile(0, 3)
  aie.objectfifo @in(%shim, {%worker}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  aie.objectfifo @out(%worker, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  %core = aie.core(%worker) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %objects = arith.constant OBJECTS : index
    %c16 = arith.constant 16 : index
    scf.for %round = %c0 to %objects step %c1 {
      %si = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
      %x = aie.objectfifo.subview.access %si[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      %so = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      %y = aie.objectfifo.subview.access %so[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      aie.event(0)
      scf.for %i = %c0 to %c16 step %c1 {
        %v = memref.load %x[%i] : memref<16xi32>
        memref.store %v, %y[%i] : memref<16xi32>
      }
      aie.event(1)
      aie.objectfifo.release @in(Consume, 1)
      aie.objectfifo.release @out(Produce, 1)
    }
    aie.end
  }
  aie.trace @core(%worker) {
    aie.trace.mode "Event-Time"
    aie.trace.event<"INSTR_EVENT_0">
    aie.trace.event<"INSTR_EVENT_1">
    aie.trace.start broadcast=15
    aie.trace.stop broadcast=14
  }
  aie.trace @memory(%worker) {
    aie.trace.packet type=mem
    aie.trace.event<"DMA_S2MM_0_FINISHED_BD">
    aie.trace.event<"DMA_MM2S_0_FINISHED_BD">
    aie.trace.start broadcast=15
    aie.trace.stop broadcast=14
  }
  aie.runtime_sequence(%a: memref<WORDSxi32>, %b: memref<WORDSxi32>) {
    aie.trace.host_config {buffer_size = 1024 : i32}
    aie.trace.start_config @core
    aie.trace.start_config @memory
    aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, WORDS][0, 0, 0, 1]) {metadata = @in, id = 0 : i64} : memref<WORDSxi32>
    aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, WORDS][0, 0, 0, 1]) {metadata = @out, id = 1 : i64, issue_token = true} : memref<WORDSxi32>
    aiex.npu.dma_wait {symbol = @out}
  }
}
"#;

/// Words of a packet after its header.
const PAYLOAD: usize = 7;

/// Number of each slot's events, by packet id and type.
type Counts = BTreeMap<(u32, u32), [usize; 8]>;

fn counts(words: &[u32]) -> Counts {
    let mut counts = Counts::new();
    for packet in words.chunks(1 + PAYLOAD) {
        let header = packet[0];
        // The id is in bits 4:0, the type in bits 14:12 (AM020, packet headers).
        let key = (header & 0x1F, header >> 12 & 7);
        if header == 0 {
            break;
        }
        let bytes: Vec<u8> = packet[1..].iter().flat_map(|w| w.to_be_bytes()).collect();
        frames(&bytes, counts.entry(key).or_default());
    }
    counts
}

/// Reads the frames of a packet; events that last are repeated.
fn frames(bytes: &[u8], slots: &mut [usize; 8]) {
    let mut at = 0;
    while let Some(&first) = bytes.get(at) {
        let second = bytes.get(at + 1).copied().unwrap_or(0);
        let (length, mask) = match first {
            0xF0 => (8, 0),
            0xFE | 0xFF => (1, 0),
            _ if first >> 7 == 0 => (1, 1 << (first >> 4)),
            _ if first >> 5 == 0b100 => (2, 1 << (first >> 2 & 7)),
            _ if first >> 5 == 0b101 => (3, 1 << (first >> 2 & 7)),
            _ if first >> 4 == 0b1100 => (2, first << 4 | second >> 4),
            _ if first >> 2 == 0b11_0100 => (3, first << 6 | second >> 2),
            _ if first >> 2 == 0b11_0101 => (4, first << 6 | second >> 2),
            _ if first >> 4 == 0b1110 => (1, 0),
            _ => (2, 0),
        };
        for (slot, count) in slots.iter_mut().enumerate() {
            *count += usize::from(mask >> slot & 1);
        }
        at += length;
    }
}

#[test]
fn traces_arrive_at_the_host() {
    // A run of an NPU ends with the write that stops the traces, when the memory module's last packet is still under way:
    // two objects in and four out are in it.
    for (device, objects, moved) in [("npu2", 64, [62, 60]), ("xcve3858", 4, [4, 4])] {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("traces")
            .join(device);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        let file = |name: &str| folder.join(name);
        let design = DESIGN
            .replace("DEVICE", device)
            .replace("OBJECTS", &objects.to_string())
            .replace("WORDS", &(16 * objects).to_string());
        fs::write(file("design.mlir"), design).expect("the design");
        let input: Vec<u8> = (0..16 * objects as u32)
            .flat_map(|n| (n * 3 + 1).to_le_bytes())
            .collect();
        fs::write(file("in.bin"), &input).expect("the input");
        let named = |option: &str, n: usize, name: &str| -> [OsString; 2] {
            let mut value = OsString::from(format!("{n}="));
            value.push(file(name));
            [option.into(), value]
        };
        let mut args: Vec<OsString> = vec!["sim".into(), file("design.mlir").into()];
        args.extend(named("--arg", 0, "in.bin"));
        args.extend(named("--out", 1, "out.bin"));
        args.extend(named("--out", 2, "trace.bin"));
        let run = aiec(&args, b"");
        assert_eq!(run.exit, aiec::Exit::Done, "{device}: {}", run.stderr);
        assert_eq!(
            fs::read(file("out.bin")).expect("the output"),
            input,
            "{device}"
        );
        let trace = fs::read(file("trace.bin")).expect("the trace");
        assert_eq!(trace.len(), 1024);
        let (words, _) = trace.as_chunks::<4>();
        let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let counts = counts(&words);
        let ways: Vec<_> = counts.keys().copied().collect();
        // The core's packets have type 0, those of its memory module type 1.
        assert_eq!(ways, [(1, 0), (2, 1)], "{device}");
        assert_eq!(
            counts[&(1, 0)][..2],
            [objects; 2],
            "{device}: begin and end of each object"
        );
        assert_eq!(counts[&(2, 1)][..2], moved, "{device}: objects in and out");
    }
}
