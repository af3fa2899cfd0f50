//! A mistake of each kind that the parser and the verifier find, and the same without it.

/// Wrong text and right text of a code. Both stand inside a device, if they don't say one.
pub struct Example {
    /// The code.
    pub code: &'static str,
    /// Text that gives the code.
    pub wrong: &'static str,
    /// The same without the mistake.
    pub right: &'static str,
}

macro_rules! examples {
    ($($code:literal: $wrong:literal => $right:literal;)*) => {
        &[$(Example { code: $code, wrong: $wrong, right: $right }),*]
    };
}

/// In the order of the tables of codes.
#[rustfmt::skip]
pub static EXAMPLES: &[Example] = examples! {
    "parse::syntax":
        "%t = aie.tile(0 2)" =>
        "%t = aie.tile(0, 2)";
    "parse::unknown-op":
        "%t = aie.tyle(0, 2)" =>
        "%t = aie.tile(0, 2)";
    "parse::unknown-value":
        "%t = aie.tile(0, 2)\n%l = aie.lock(%tile)" =>
        "%t = aie.tile(0, 2)\n%l = aie.lock(%t)";
    "parse::redefined-value":
        "%t = aie.tile(0, 2)\n%t = aie.tile(0, 3)" =>
        "%t = aie.tile(0, 2)\n%u = aie.tile(0, 3)";
    "parse::type-mismatch":
        "%t = aie.tile(0, 2)\n%b = aie.buffer(%t) : memref<4xi32>\n%c = aie.core(%t) {\n  %i = arith.constant 0 : index\n  %v = memref.load %b[%i] : memref<8xi32>\n  aie.end\n}" =>
        "%t = aie.tile(0, 2)\n%b = aie.buffer(%t) : memref<4xi32>\n%c = aie.core(%t) {\n  %i = arith.constant 0 : index\n  %v = memref.load %b[%i] : memref<4xi32>\n  aie.end\n}";
    "parse::result-count":
        "%t:2 = aie.tile(0, 2)" =>
        "%t = aie.tile(0, 2)";
    "parse::older-spelling":
        "%t = AIE.tile(0, 2)" =>
        "%t = aie.tile(0, 2)";
    "parse::bad-number":
        "%t = aie.tile(0, 99999999999)" =>
        "%t = aie.tile(0, 2)";
    "parse::unknown-word":
        "%s = aie.tile(0, 0)\n%t = aie.tile(0, 2)\naie.flow(%s, DAM : 0, %t, DMA : 0)" =>
        "%s = aie.tile(0, 0)\n%t = aie.tile(0, 2)\naie.flow(%s, DMA : 0, %t, DMA : 0)";
    "parse::bad-type":
        "%t = aie.tile(0, 2)\n%b = aie.buffer(%t) : memref<4xint>" =>
        "%t = aie.tile(0, 2)\n%b = aie.buffer(%t) : memref<4xi32>";
    "parse::bad-attribute":
        "%s = aie.tile(0, 0)\naie.shim_dma_allocation @in(%s, MM2S, 0, <pkt_type = 0, id = 3>)" =>
        "%s = aie.tile(0, 0)\naie.shim_dma_allocation @in(%s, MM2S, 0, <pkt_type = 0, pkt_id = 3>)";
    "parse::unknown-alias":
        "aie.device(npu1) {\n  %t = aie.tile(0, 2)\n  %b = aie.buffer(%t) : !line\n}" =>
        "!line = memref<64xi32>\naie.device(npu1) {\n  %t = aie.tile(0, 2)\n  %b = aie.buffer(%t) : !line\n}";
    "parse::duplicate-attribute":
        "%t = aie.tile(0, 2)\n%l = aie.lock(%t) {init = 0 : i32, init = 1 : i32}" =>
        "%t = aie.tile(0, 2)\n%l = aie.lock(%t) {init = 1 : i32}";
    "parse::redefined-block":
        "%t = aie.tile(0, 2)\n%m = aie.mem(%t) {\n  aie.next_bd ^a\n^a:\n  aie.next_bd ^a\n^a:\n  aie.end\n}" =>
        "%t = aie.tile(0, 2)\n%m = aie.mem(%t) {\n  aie.end\n}";
    "parse::unknown-block":
        "%t = aie.tile(0, 2)\n%b = aie.buffer(%t) : memref<4xi32>\n%m = aie.mem(%t) {\n  %0 = aie.dma_start(S2MM, 0, ^bd, ^edn)\n^bd:\n  aie.dma_bd(%b : memref<4xi32>)\n  aie.next_bd ^bd\n^end:\n  aie.end\n}" =>
        "%t = aie.tile(0, 2)\n%b = aie.buffer(%t) : memref<4xi32>\n%m = aie.mem(%t) {\n  %0 = aie.dma_start(S2MM, 0, ^bd, ^end)\n^bd:\n  aie.dma_bd(%b : memref<4xi32>)\n  aie.next_bd ^bd\n^end:\n  aie.end\n}";
    "parse::old-form":
        "module {\n  aie.shim_dma_allocation @in(MM2S, 0, 2)\n}" =>
        "aie.device(npu1) {\n  %s = aie.tile(2, 0)\n  aie.shim_dma_allocation @in(%s, MM2S, 0)\n}";
    "verify::operands":
        "%t = aie.tile(0, 2)\n\"aie.core\"() ({\n  aie.end\n}) : () -> index" =>
        "%t = aie.tile(0, 2)\n\"aie.core\"(%t) ({\n  aie.end\n}) : (index) -> index";
    "verify::attribute":
        "aie.runtime_sequence @run() {\n  aiex.npu.dma_wait {symbl = @out}\n}" =>
        "%s = aie.tile(0, 0)\naie.shim_dma_allocation @out(%s, S2MM, 0)\naie.runtime_sequence @run() {\n  aiex.npu.dma_wait {symbol = @out}\n}";
    "verify::shape":
        "%t = aie.tile(0, 2)\n\"aie.lock\"(%t) : (index) -> ()" =>
        "%t = aie.tile(0, 2)\n%l = \"aie.lock\"(%t) : (index) -> index";
    "verify::dominance":
        "%l = aie.lock(%t)\n%t = aie.tile(0, 2)" =>
        "%t = aie.tile(0, 2)\n%l = aie.lock(%t)";
    "verify::parent":
        "%t = aie.tile(0, 2)\naie.connect<DMA : 0, North : 0>" =>
        "%t = aie.tile(0, 2)\n%s = aie.switchbox(%t) {\n  aie.connect<DMA : 0, North : 0>\n}";
    "verify::symbol":
        "%t = aie.tile(0, 2)\n%u = aie.tile(0, 3)\naie.objectfifo @of(%t, {%u}, 2 : i32) : !aie.objectfifo<memref<4xi32>>\n%c = aie.core(%t) {\n  aie.objectfifo.release @off(Produce, 1)\n  aie.end\n}" =>
        "%t = aie.tile(0, 2)\n%u = aie.tile(0, 3)\naie.objectfifo @of(%t, {%u}, 2 : i32) : !aie.objectfifo<memref<4xi32>>\n%c = aie.core(%t) {\n  %v = aie.objectfifo.acquire @of(Produce, 1) : !aie.objectfifosubview<memref<4xi32>>\n  aie.objectfifo.release @of(Produce, 1)\n  aie.end\n}";
    "verify::duplicate-symbol":
        "%s = aie.tile(0, 0)\naie.shim_dma_allocation @in(%s, MM2S, 0)\naie.shim_dma_allocation @in(%s, MM2S, 1)" =>
        "%s = aie.tile(0, 0)\naie.shim_dma_allocation @in(%s, MM2S, 0)\naie.shim_dma_allocation @in2(%s, MM2S, 1)";
    "verify::device":
        "\"aie.device\"() ({\n  aie.end\n}) {device = 99 : i32, sym_name = \"main\"} : () -> ()" =>
        "aie.device(npu1) {\n}";
    "verify::tile-outside-device":
        "%t = aie.tile(9, 2)" =>
        "%t = aie.tile(3, 2)";
    "verify::tile-kind":
        "%t = aie.tile(0, 1)\n%c = aie.core(%t) {\n  aie.end\n}" =>
        "%t = aie.tile(0, 2)\n%c = aie.core(%t) {\n  aie.end\n}";
    "verify::duplicate-on-tile":
        "%t = aie.tile(0, 2)\n%a = aie.core(%t) {\n  aie.end\n}\n%b = aie.core(%t) {\n  aie.end\n}" =>
        "%t = aie.tile(0, 2)\n%u = aie.tile(0, 3)\n%a = aie.core(%t) {\n  aie.end\n}\n%b = aie.core(%u) {\n  aie.end\n}";
    "verify::port":
        "%s = aie.tile(0, 0)\n%t = aie.tile(0, 2)\naie.flow(%s, DMA : 0, %t, DMA : 7)" =>
        "%s = aie.tile(0, 0)\n%t = aie.tile(0, 2)\naie.flow(%s, DMA : 0, %t, DMA : 1)";
    "verify::port-taken":
        "%t = aie.tile(0, 2)\n%s = aie.switchbox(%t) {\n  aie.connect<DMA : 0, North : 0>\n  aie.connect<DMA : 1, North : 0>\n}" =>
        "%t = aie.tile(0, 2)\n%s = aie.switchbox(%t) {\n  aie.connect<DMA : 0, North : 0>\n  aie.connect<DMA : 1, North : 1>\n}";
    "verify::packet":
        "%s = aie.tile(0, 0)\n%t = aie.tile(0, 2)\naie.packet_flow(40) {\n  aie.packet_source<%t, DMA : 0>\n  aie.packet_dest<%s, DMA : 0>\n}" =>
        "%s = aie.tile(0, 0)\n%t = aie.tile(0, 2)\naie.packet_flow(4) {\n  aie.packet_source<%t, DMA : 0>\n  aie.packet_dest<%s, DMA : 0>\n}";
    "verify::cascade":
        "%t = aie.tile(0, 2)\n%u = aie.tile(3, 5)\naie.cascade_flow(%t, %u)" =>
        "%t = aie.tile(0, 3)\n%u = aie.tile(0, 2)\naie.cascade_flow(%t, %u)";
    "verify::lock":
        "%t = aie.tile(0, 2)\n%l = aie.lock(%t, 99)" =>
        "%t = aie.tile(0, 2)\n%l = aie.lock(%t, 3)";
    "verify::bd":
        "%t = aie.tile(0, 2)\n%b = aie.buffer(%t) : memref<4xi32>\n%m = aie.mem(%t) {\n  %0 = aie.dma_start(S2MM, 0, ^bd, ^end)\n^bd:\n  aie.dma_bd(%b : memref<4xi32> offset = 0 len = 9)\n  aie.next_bd ^bd\n^end:\n  aie.end\n}" =>
        "%t = aie.tile(0, 2)\n%b = aie.buffer(%t) : memref<4xi32>\n%m = aie.mem(%t) {\n  %0 = aie.dma_start(S2MM, 0, ^bd, ^end)\n^bd:\n  aie.dma_bd(%b : memref<4xi32> offset = 0 len = 4)\n  aie.next_bd ^bd\n^end:\n  aie.end\n}";
    "verify::dma-channel":
        "%t = aie.tile(0, 2)\n%b = aie.buffer(%t) : memref<4xi32>\n%m = aie.mem(%t) {\n  %0 = aie.dma_start(S2MM, 5, ^bd, ^end)\n^bd:\n  aie.dma_bd(%b : memref<4xi32>)\n  aie.next_bd ^bd\n^end:\n  aie.end\n}" =>
        "%t = aie.tile(0, 2)\n%b = aie.buffer(%t) : memref<4xi32>\n%m = aie.mem(%t) {\n  %0 = aie.dma_start(S2MM, 1, ^bd, ^end)\n^bd:\n  aie.dma_bd(%b : memref<4xi32>)\n  aie.next_bd ^bd\n^end:\n  aie.end\n}";
    "verify::objectfifo":
        "%t = aie.tile(0, 2)\n%u = aie.tile(0, 3)\naie.objectfifo @of(%t, {%u}, 0 : i32) : !aie.objectfifo<memref<4xi32>>" =>
        "%t = aie.tile(0, 2)\n%u = aie.tile(0, 3)\naie.objectfifo @of(%t, {%u}, 2 : i32) : !aie.objectfifo<memref<4xi32>>";
    "verify::objectfifo-link":
        "%s = aie.tile(0, 0)\n%m = aie.tile(0, 1)\n%t = aie.tile(0, 2)\naie.objectfifo @a(%s, {%m}, 2 : i32) : !aie.objectfifo<memref<4xi32>>\naie.objectfifo @b(%m, {%t}, 2 : i32) : !aie.objectfifo<memref<4xi32>>\naie.objectfifo.link [@b] -> [@a]([] [])" =>
        "%s = aie.tile(0, 0)\n%m = aie.tile(0, 1)\n%t = aie.tile(0, 2)\naie.objectfifo @a(%s, {%m}, 2 : i32) : !aie.objectfifo<memref<4xi32>>\naie.objectfifo @b(%m, {%t}, 2 : i32) : !aie.objectfifo<memref<4xi32>>\naie.objectfifo.link [@a] -> [@b]([] [])";
    "verify::objectfifo-use":
        "%t = aie.tile(0, 2)\n%u = aie.tile(0, 3)\naie.objectfifo @of(%t, {%u}, 2 : i32) : !aie.objectfifo<memref<4xi32>>\n%c = aie.core(%t) {\n  %v = aie.objectfifo.acquire @of(Consume, 1) : !aie.objectfifosubview<memref<4xi32>>\n  aie.end\n}" =>
        "%t = aie.tile(0, 2)\n%u = aie.tile(0, 3)\naie.objectfifo @of(%t, {%u}, 2 : i32) : !aie.objectfifo<memref<4xi32>>\n%c = aie.core(%t) {\n  %v = aie.objectfifo.acquire @of(Produce, 1) : !aie.objectfifosubview<memref<4xi32>>\n  aie.end\n}";
    "verify::type":
        "%t = aie.tile(0, 2)\n%u = aie.tile(0, 3)\naie.objectfifo @of(%t, {%u}, 2 : i32) : !aie.objectfifo<memref<4xi32>>\n%c = aie.core(%t) {\n  %v = aie.objectfifo.acquire @of(Produce, 1) : !aie.objectfifosubview<memref<8xi32>>\n  aie.end\n}" =>
        "%t = aie.tile(0, 2)\n%u = aie.tile(0, 3)\naie.objectfifo @of(%t, {%u}, 2 : i32) : !aie.objectfifo<memref<4xi32>>\n%c = aie.core(%t) {\n  %v = aie.objectfifo.acquire @of(Produce, 1) : !aie.objectfifosubview<memref<4xi32>>\n  aie.end\n}";
    "verify::sequence":
        "%s = aie.tile(0, 0)\naie.shim_dma_allocation @in(%s, MM2S, 0)\naie.runtime_sequence @run(%a: memref<64xi32>) {\n  aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 16 : i64, metadata = @in} : memref<64xi32>\n}" =>
        "%s = aie.tile(0, 0)\naie.shim_dma_allocation @in(%s, MM2S, 0)\naie.runtime_sequence @run(%a: memref<64xi32>) {\n  aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 1 : i64, metadata = @in} : memref<64xi32>\n}";
};

#[cfg(test)]
mod tests {
    use super::*;
    use aiec_aie::{text, verify};
    use aiec_diag::{Diags, Severity};
    use aiec_diag::{SourceFile, SourceMap};

    /// The findings on a text as code and whether it is an error.
    fn findings(example: &str) -> Vec<(&'static str, bool)> {
        let whole = ["aie.device", "module", "!", "\"aie.device"];
        let text = match whole.iter().any(|start| example.starts_with(start)) {
            true => example.to_string(),
            false => format!("aie.device(npu1) {{\n{example}\n}}\n"),
        };
        let mut sources = SourceMap::new();
        let file = sources.add(SourceFile::new("example.mlir", text));
        let mut diags = Diags::new();
        let module = text::parse(file, &sources, &mut diags);
        if !diags.has_errors() {
            verify::verify(&module, &mut diags);
        }
        let list = diags.iter();
        list.map(|d| (d.code.id, d.severity == Severity::Error))
            .collect()
    }

    #[test]
    fn wrong_ones_give_their_code_and_right_ones_nothing() {
        let mut problems = Vec::new();
        for example in EXAMPLES {
            let code = example.code;
            let found = findings(example.wrong);
            if found.iter().all(|(id, _)| *id != code) {
                problems.push(format!("{code}: the wrong text gives {found:?}"));
            }
            let found = findings(example.right);
            if !found.is_empty() {
                problems.push(format!("{code}: the right text gives {found:?}"));
            }
        }
        assert!(problems.is_empty(), "{}", problems.join("\n"));
    }

    #[test]
    fn codes_of_the_front_end_have_examples() {
        /// Findings that a few lines can't show.
        const WITHOUT: [&str; 8] = [
            "parse::nesting",
            "verify::terminator",
            "verify::connection",
            "verify::core",
            "verify::buffer",
            "verify::dma-program",
            "verify::trace",
            "verify::unreachable",
        ];
        let has = |id: &str| EXAMPLES.iter().any(|example| example.code == id);
        let missing: Vec<&str> = crate::code_tables::all()
            .map(|code| code.id)
            .filter(|id| id.starts_with("parse::") || id.starts_with("verify::"))
            .filter(|id| !has(id) && !WITHOUT.contains(id))
            .collect();
        assert!(missing.is_empty(), "without an example: {missing:?}");
    }
}
