// RUN: aiec %s --emit=routing-json -o - | FileCheck %s --check-prefix=JSON
// RUN: aiec %s --emit=routing-dot -o - | FileCheck %s --check-prefix=DOT
// RUN: aiec %s --emit=routing-svg -o - | FileCheck %s --check-prefix=SVG
// RUN: aiec %s --emit=routing-html -o - | FileCheck %s --check-prefix=HTML
// RUN: aiec %s --emit=routing-json-schema -o - | FileCheck %s --check-prefix=SCHEMA

// HTML: <!DOCTYPE html>
// HTML: "text":"(0, 0) DMA 0: (0, 0) DMA 0 → (0, 2) DMA 1"
// HTML: </html>

// SCHEMA: "title": "aiec --emit=routing-json"

// JSON:      "device": "npu2"
// JSON:      "flows": [
// JSON:      "kind": "circuit"
// JSON:      "kind": "packet"
// JSON:      "ids": [
// JSON-NEXT: 7
// JSON:      "switches": [
// JSON:      "use": {
// JSON:      "totals": {
// JSON-NEXT: "flows": 2

// DOT: digraph routing {
// DOT: label="shim NOC tile (0, 0)"
// DOT: // flow 0: (0, 0) DMA 0: (0, 0) DMA 0 → (0, 2) DMA 1
// DOT: // flow 1: packet 7: id 7: (0, 2) DMA 0 → (0, 0) DMA 0
// DOT: style=dashed

// SVG: <svg
// SVG: on npu2: 2 flows
// SVG: <title>(0, 0) DMA 0: (0, 0) DMA 0 → (0, 2) DMA 1</title>
// SVG: stroke-dasharray
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %a = aie.tile(0, 2)
  aie.flow(%shim, DMA : 0, %a, DMA : 1)
  aie.packet_flow(7) {
    aie.packet_source<%a, DMA : 0>
    aie.packet_dest<%shim, DMA : 0>
  }
}
