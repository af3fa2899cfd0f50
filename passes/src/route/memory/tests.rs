use aiec_aie::ops::OpKind;
use aiec_aie::text::parse_text;
use aiec_diag::{Diags, FileId};

use super::super::requests::{self, FlowKinds};
use super::*;
use crate::analysis::switches::Switches;

/// Packets 1 and 3 into a mem tile, which sends what they bring as packets 2 and 4.
fn text(more: &str, core: &str) -> String {
    let flow = |id: u8, from: &str, to: &str| {
        format!(
            "aie.packet_flow({id}) {{
               aie.packet_source<{from}>
               aie.packet_dest<{to}>
             }}
             "
        )
    };
    let pass = |channel: u8, id: u8, next: u8| {
        let (a, b) = (next, next + 1);
        format!(
            "%in{channel} = aie.dma_start(S2MM, {channel}, ^bb{a}, ^bb{b})
             ^bb{a}:
               aie.use_lock(%free{channel}, AcquireGreaterEqual, %one)
               aie.dma_bd(%b{channel} : memref<16xi32> offset = 0 len = 16)
               aie.use_lock(%full{channel}, Release, %one)
               aie.next_bd ^bb{a}
             ^bb{b}:
               %out{channel} = aie.dma_start(MM2S, {channel}, ^bb{c}, ^bb{d})
             ^bb{c}:
               aie.use_lock(%full{channel}, AcquireGreaterEqual, %one)
               aie.dma_bd(%b{channel} : memref<16xi32> offset = 0 len = 16) {{packet = #aie.packet_info<pkt_type = 0, pkt_id = {id}>}}
               aie.use_lock(%free{channel}, Release, %one)
               aie.next_bd ^bb{c}
             ^bb{d}:
             ",
            c = next + 2,
            d = next + 3
        )
    };
    format!(
        "aie.device(npu1) {{
           %one = arith.constant 1 : i32
           %shim = aie.tile(0, 0)
           %mem = aie.tile(0, 1)
           %tile = aie.tile(0, 2)
           {}{}{}{}
           %b0 = aie.buffer(%mem) : memref<16xi32>
           %b1 = aie.buffer(%mem) : memref<16xi32>
           %free0 = aie.lock(%mem, 0) {{init = 1 : i32}}
           %full0 = aie.lock(%mem, 1) {{init = 0 : i32}}
           %free1 = aie.lock(%mem, 2) {{init = 1 : i32}}
           %full1 = aie.lock(%mem, 3) {{init = 0 : i32}}
           {more}
           %core = aie.core(%tile) {{
             {core}
             aie.end
           }}
           %dma = aie.memtile_dma(%mem) {{
             {}{}
             aie.end
           }}
         }}",
        flow(1, "%shim, DMA : 0", "%mem, DMA : 0"),
        flow(2, "%mem, DMA : 0", "%tile, DMA : 0"),
        flow(3, "%shim, DMA : 1", "%mem, DMA : 1"),
        flow(4, "%mem, DMA : 1", "%tile, DMA : 1"),
        pass(0, 2, 1),
        pass(1, 4, 5),
    )
}

/// Who waits for whom, by packet ids.
fn waits(text: &str) -> Vec<(u8, u8)> {
    let mut diags = Diags::new();
    let module = parse_text(FileId(0), text, &mut diags);
    assert!(!diags.has_errors(), "{:#?}\n{text}", diags.into_vec());
    let device = module.find(module.top(), OpKind::Device)[0];
    let model = Switches::read(&module, device).unwrap().device;
    let kinds = FlowKinds {
        circuit: true,
        packet: true,
    };
    let requests = requests::read(&module, device, model, kinds, &mut diags);
    let nets = requests::nets(&requests);
    let memory = Memory::read(&module, device, model, &requests, &nets, None);
    let id = |net: usize| match nets[net].kind {
        NetKind::Packet(id) => id,
        NetKind::Circuit => u8::MAX,
    };
    let pairs = (0..nets.len()).flat_map(|a| (0..nets.len()).map(move |b| (a, b)));
    let mut list: Vec<(u8, u8)> = pairs
        .filter(|(a, b)| memory.waits(*a, *b))
        .map(|(a, b)| (id(a), id(b)))
        .collect();
    list.sort_unstable();
    list
}

#[test]
fn what_comes_in_waits_for_what_goes_out_of_the_same_buffer() {
    assert_eq!(waits(&text("", "")), [(1, 2), (3, 4)]);
}

/// Streams to the core's tile are taken by a DMA whose buffers a core gives free: first that of one
/// channel, then that of the other.
const TILE: &str = "
  %c0 = aie.buffer(%tile) : memref<16xi32>
  %c1 = aie.buffer(%tile) : memref<16xi32>
  %room0 = aie.lock(%tile, 0) {init = 1 : i32}
  %data0 = aie.lock(%tile, 1) {init = 0 : i32}
  %room1 = aie.lock(%tile, 2) {init = 1 : i32}
  %data1 = aie.lock(%tile, 3) {init = 0 : i32}
  %taking = aie.mem(%tile) {
    %in0 = aie.dma_start(S2MM, 0, ^bb1, ^bb2)
  ^bb1:
    aie.use_lock(%room0, AcquireGreaterEqual, %one)
    aie.dma_bd(%c0 : memref<16xi32> offset = 0 len = 16)
    aie.use_lock(%data0, Release, %one)
    aie.next_bd ^bb1
  ^bb2:
    %in1 = aie.dma_start(S2MM, 1, ^bb3, ^bb4)
  ^bb3:
    aie.use_lock(%room1, AcquireGreaterEqual, %one)
    aie.dma_bd(%c1 : memref<16xi32> offset = 0 len = 16)
    aie.use_lock(%data1, Release, %one)
    aie.next_bd ^bb3
  ^bb4:
    aie.end
  }";

const TAKE_TURNS: &str = "
  aie.use_lock(%data0, AcquireGreaterEqual, %one)
  aie.use_lock(%data1, AcquireGreaterEqual, %one)
  aie.use_lock(%room0, Release, %one)
  aie.use_lock(%room1, Release, %one)";

/// A loop that doesn't end soon.
fn in_turns(body: &str) -> String {
    format!(
        "%from = arith.constant 0 : index
         %to = arith.constant 1000000 : index
         %by = arith.constant 1 : index
         scf.for %i = %from to %to step %by {{ {body} }}"
    )
}

#[test]
fn a_core_that_needs_both_makes_them_wait_for_each_other() {
    let turns = in_turns(TAKE_TURNS);
    let all = waits(&text(TILE, &turns));
    // Each waits for the other side of the core, and what comes in for what goes out.
    let expected = [
        (1, 2),
        (1, 3),
        (1, 4),
        (2, 3),
        (2, 4),
        (3, 1),
        (3, 2),
        (3, 4),
        (4, 1),
        (4, 2),
    ];
    assert_eq!(all, expected);
    // Nor does it count how often the core takes a lock of its own to pass the time.
    let spin = "%spins = arith.constant 100000 : index
         scf.for %s = %from to %spins step %by {
           aie.use_lock(%busy, AcquireGreaterEqual, %one)
           aie.use_lock(%busy, Release, %one)
         }
         aie.use_lock(%room0, Release";
    let slow = turns.replace("aie.use_lock(%room0, Release", spin);
    let busy = format!("{TILE} %busy = aie.lock(%tile, 4) {{init = 1 : i32}}");
    assert_eq!(waits(&text(&busy, &slow)), expected);
    // A core that only needs one of them doesn't.
    let apart = turns.replace("aie.use_lock(%data1", "aie.use_lock(%data0");
    assert!(!waits(&text(TILE, &apart)).contains(&(3, 1)));
}

#[test]
fn what_depends_on_data_is_taken_not_to_wait() {
    let unknown = in_turns(&format!(
        "%data = memref.load %c0[%i] : memref<16xi32>
         %some = arith.cmpi eq, %data, %one : i32
         scf.if %some {{ {TAKE_TURNS} }}"
    ));
    assert_eq!(waits(&text(TILE, &unknown)), [(1, 2), (3, 4)]);
}

#[test]
fn loops_whose_passes_are_computed_make_them_wait() {
    let all = waits(&text(TILE, &in_turns(TAKE_TURNS)));
    // No turn of the inner loop, then one: the number comes from the outer one's variable.
    let computed = "
      %two = arith.constant 2 : index
      %turns = arith.remui %i, %two : index
      scf.for %j = %from to %turns step %by { TURNS }";
    let computed = computed.replace("TURNS", TAKE_TURNS);
    assert_eq!(waits(&text(TILE, &in_turns(&computed))), all);
    // The number is carried from pass to pass.
    let carried = format!(
        "%from = arith.constant 0 : index
         %to = arith.constant 1000000 : index
         %by = arith.constant 1 : index
         %last = scf.for %i = %from to %to step %by iter_args(%turns = %from) -> (index) {{
           scf.for %j = %from to %turns step %by {{ {TAKE_TURNS} }}
           %next = arith.subi %by, %turns : index
           scf.yield %next : index
         }}"
    );
    assert_eq!(waits(&text(TILE, &carried)), all);
}

#[test]
fn branches_that_are_known_make_them_wait() {
    let all = waits(&text(TILE, &in_turns(TAKE_TURNS)));
    let odd = format!(
        "%two = arith.constant 2 : index
         %odd = arith.remui %i, %two : index
         %some = arith.cmpi eq, %odd, %by : index
         scf.if %some {{ {TAKE_TURNS} }}"
    );
    assert_eq!(waits(&text(TILE, &in_turns(&odd))), all);
}
