"""Assembler, disassembler, passes, devices."""

from __future__ import annotations

import pytest

import aiec


def test_what_is_disassembled_assembles_to_the_same(scale):
    text = scale.asm()
    elf = aiec.asm(text)
    assert elf.startswith(b"\x7fELF")
    assert aiec.dis(elf).strip()


def test_findings_of_the_assembler_are_exceptions():
    with pytest.raises(aiec.CompileError) as caught:
        aiec.asm("START_JOB 0\nNONSENSE 5\nEND_JOB\nEOF\n")
    assert caught.value.code and caught.value.span.line == 2
    assert "NONSENSE" in caught.value.rendered


def test_passes_run_by_name(examples):
    text = (examples / "scale/design.mlir").read_text()
    lowered = aiec.opt(text, ["aie-objectFifo-stateful-transform", "canonicalize"])
    assert "aie.lock" in lowered and "objectfifo" not in lowered.lower().replace("!aie", "")
    with pytest.raises(aiec.OptionError, match="did you mean"):
        aiec.opt(text, "aie-objectFifo-statefull-transform")


def test_devices_have_tiles():
    devices = aiec.devices()
    assert devices["npu2"]["columns"] == 8
    assert devices["npu2"]["tiles"]["core"]["memory_bytes"] == 65536
