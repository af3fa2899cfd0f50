// RUN: aiec opt --aie-generate-column-control-overlay %s | FileCheck %s
// RUN: aiec opt --aie-generate-column-control-overlay=route-shim-to-tile-ctrl=true %s | FileCheck %s --check-prefix=CONTROL
// RUN: aiec opt --aie-generate-column-control-overlay --aie-create-pathfinder-flows %s | FileCheck %s --check-prefix=ROUTED

// CHECK: aie.packet_flow(15) {
// CHECK-NEXT: aie.packet_source<%shim_noc_tile_1_0, TileControl : 0>
// CHECK-NEXT: aie.packet_dest<%shim_noc_tile_1_0, South : 0>
// CHECK-NEXT: } {keep_pkt_header = true, priority_route = true}

// The lower rows get their control packets from channel 0, the upper rows from channel 1.
// CONTROL: aie.packet_source<%shim_noc_tile_1_0, DMA : 0>
// CONTROL-NEXT: aie.packet_dest<%shim_noc_tile_1_0, TileControl : 0>
// CONTROL: aie.shim_dma_allocation @ctrlpkt_col1_mm2s_chan0(%shim_noc_tile_1_0, MM2S, 0)
// CONTROL: aie.packet_source<%shim_noc_tile_1_0, DMA : 1>
// CONTROL-NEXT: aie.packet_dest<%tile_1_3, TileControl : 0>
// CONTROL: aie.shim_dma_allocation @ctrlpkt_col1_mm2s_chan1(%shim_noc_tile_1_0, MM2S, 1)

// ROUTED: aie.packet_rules(TileControl : 0)
module {
  aie.device(npu2) {
    %a = aie.tile(1, 3)
  }
}
