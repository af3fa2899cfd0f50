"""Functions that write transactions, against the transactions of designs that are compiled for the same numbers."""

from __future__ import annotations

import random
import shutil
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import aiec
import pytest

WRITE, BLOCK, MASK, POLL, TOKENS, PATCH = 0, 1, 3, 4, 128, 129
QUEUES = {0x1D204, 0x1D20C, 0x1D214, 0x1D21C}
"""Task queues of shim tiles (AM025)."""
BD_BYTES = 0x20

COPY = """
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %mem = aie.tile(0, 1)
  aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
  aie.objectfifo @out(%mem, {%shim}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
  aie.objectfifo.link [@in] -> [@out] ([] [])
"""
"""The array of two designs, which copies through a mem tile."""

LENGTHS = COPY + """
  aie.runtime_sequence @copy(%a: memref<4096xi32>, %b: memref<4096xi32>, %n: i64, %at: i64) {
    aiex.npu.dma_memcpy_nd(%a[0, 0, 0, %at][1, 1, 1, %n][0, 0, 0, 1])
      {id = 0 : i64, metadata = @in} : memref<4096xi32>
    aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, %n][0, 0, 0, 1])
      {id = 1 : i64, metadata = @out, issue_token = true} : memref<4096xi32>
    aiex.npu.dma_wait {symbol = @out}
  }
}
"""

ROUNDS = COPY + """
  aie.runtime_sequence @rounds(%a: memref<4096xi32>, %b: memref<4096xi32>, %n: i64, %deep: i32) {
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c64 = arith.constant 64 : i64
    %two = arith.constant 2 : i32
    %is_deep = arith.cmpi sge, %deep, %two : i32
    scf.for %round = %c0 to %n step %c1 : i64 {
      %at = arith.muli %round, %c64 : i64
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, %at][1, 1, 1, 64][0, 0, 0, 1])
        {id = 0 : i64, metadata = @in} : memref<4096xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, %at][1, 1, 1, 64][0, 0, 0, 1])
        {id = 1 : i64, metadata = @out, issue_token = true} : memref<4096xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
    scf.if %is_deep {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 128][0, 0, 0, 1])
        {id = 0 : i64, metadata = @in} : memref<4096xi32>
    } else {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1])
        {id = 0 : i64, metadata = @in} : memref<4096xi32>
    }
  }
}
"""

TASKS = """
aie.device(npu1) {
  %shim = aie.tile(0, 0)
  %core = aie.tile(0, 2)
  aie.shim_dma_allocation @in(%shim, MM2S, 0)
  aie.flow(%shim, DMA : 0, %core, DMA : 0)
  aie.runtime_sequence @tasks(%a: memref<4096xi32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %t = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<4096xi32> offset = 0 len = 64)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%t)
      aiex.dma_await_task(%t)
      aiex.dma_free_task(%t)
    }
  }
}
"""


CHAINS = """
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %core = aie.tile(0, 2)
  aie.shim_dma_allocation @in(%shim, MM2S, 0)
  aie.flow(%shim, DMA : 0, %core, DMA : 0)
  aie.runtime_sequence @chains(%a: memref<4096xi32>, %n: index) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %first = aiex.dma_configure_task_for @in {
      aie.dma_bd(%a : memref<4096xi32> offset = 32 len = 32)
      aie.next_bd ^second
    ^second:
      aie.dma_bd(%a : memref<4096xi32> offset = 0 len = 32)
      aie.end
    } {issue_token = true}
    aiex.dma_start_task(%first)
    %last = scf.for %i = %c1 to %n step %c1 iter_args(%before = %first) -> (index) {
      %round = arith.index_cast %i : index to i32
      %low = arith.muli %round, %c64 : i32
      %high = arith.addi %low, %c32 : i32
      %t = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<4096xi32> offset = %high len = 32)
        aie.next_bd ^second
      ^second:
        aie.dma_bd(%a : memref<4096xi32> offset = %low len = 32)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%t)
      aiex.dma_free_task(%before)
      scf.yield %t : index
    }
    aiex.dma_await_task(%last)
    aiex.dma_free_task(%last)
  }
}
"""


def operations(transaction: bytes) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Opcode and words of each operation of a transaction of version 0.1."""
    words = struct.unpack(f"<{len(transaction) // 4}I", transaction)
    count, size = words[2], words[3]
    assert size == len(transaction)
    at = 4
    for _ in range(count):
        opcode = words[at] & 0xFF
        places = {WRITE: 5, BLOCK: 3, MASK: 6, POLL: 6, TOKENS: 1, PATCH: 1}
        length = words[at + places[opcode]] // 4
        yield opcode, words[at : at + length]
        at += length
    assert at == len(words)


def effects(transaction: bytes) -> list[object]:
    """Tasks with the descriptors that they find, patches of these, and waits, in order."""
    registers: dict[int, int] = {}
    found: list[object] = []
    for opcode, words in operations(transaction):
        if opcode == WRITE:
            registers[words[2]] = words[4]
            if words[2] & 0xFFFFF in QUEUES:
                bd = (words[2] & ~0xFFFFF) + 0x1D000 + BD_BYTES * (words[4] & 0xF)
                fields = [registers.get(bd + 4 * n) for n in range(BD_BYTES // 4)]
                found.append(("task", words[2], words[4], fields))
        elif opcode == BLOCK:
            registers.update({words[2] + 4 * n: word for n, word in enumerate(words[4:])})
        elif opcode == PATCH:
            found.append(("patch", words[6], words[8], words[10], words[11]))
        elif opcode == TOKENS:
            found.append(("wait", words[2:]))
    return found


def walks(transaction: bytes) -> list[list[tuple[int, int]]]:
    """Bytes from the start of the argument and words of each descriptor of a task, along its chain, in the order of tasks."""
    registers: dict[int, int] = {}
    offsets: dict[int, int] = {}
    found = []
    for opcode, words in operations(transaction):
        if opcode == WRITE:
            registers[words[2]] = words[4]
            if words[2] & 0xFFFFF in QUEUES:
                number, walk = words[4] & 0xF, []
                while True:
                    bd = (words[2] & ~0xFFFFF) + 0x1D000 + BD_BYTES * number
                    walk.append((offsets[bd], registers[bd]))
                    last = registers[bd + 28]
                    assert last >> 25 & 1, "the descriptor is valid"
                    if not last >> 26 & 1:
                        break
                    number = last >> 27 & 0xF
                found.append(walk)
        elif opcode == BLOCK:
            registers.update({words[2] + 4 * n: word for n, word in enumerate(words[4:])})
        elif opcode == PATCH:
            offsets[words[6] - 4] = words[10]
    return found


def compiled(text: str, scalars: dict[int, int]) -> bytes:
    data = aiec.compile(text, scalars=scalars).emit("insts")
    assert isinstance(data, bytes)
    return data


@pytest.mark.parametrize("n", [64, 128, 1024, 4096])
def test_lengths_and_offsets_are_those_of_a_compilation(n: int) -> None:
    function = aiec.sequence_functions(LENGTHS)["main_copy"]
    for at in (0, 64, 777):
        assert effects(function(n, at)) == effects(compiled(LENGTHS, {2: n, 3: at}))


@pytest.mark.parametrize("n", [1, 2, 9, 40])
def test_chains_in_loops_follow_their_descriptors(n: int) -> None:
    function = aiec.sequence_functions(CHAINS)["main_chains"]
    rounds = [[(256 * i + 128, 32), (256 * i, 32)] for i in range(n)]
    assert walks(function(n)) == rounds
    assert walks(compiled(CHAINS, {1: n})) == rounds


def test_loops_and_branches_are_those_of_a_compilation() -> None:
    function = aiec.sequence_functions(ROUNDS)["main_rounds"]
    for n in (0, 1, 5):
        for deep in (0, 2):
            assert effects(function(n, deep)) == effects(compiled(ROUNDS, {2: n, 3: deep}))


def test_descriptors_of_loops_come_from_a_pool() -> None:
    function = aiec.sequence_functions(TASKS)["main_tasks"]

    def waits(transaction: bytes) -> list[object]:
        return [words[2:] for opcode, words in operations(transaction) if opcode == TOKENS]

    by_host, fixed = function(3), compiled(TASKS, {1: 3})
    assert walks(by_host) == walks(fixed) == [[(0, 64)]] * 3
    assert waits(by_host) == waits(fixed)
    # The one that was free for longest comes first.
    queued = [words[4] & 0xF for _, words in operations(by_host) if words[2] & 0xFFFFF in QUEUES]
    assert queued == [0, 1, 2]
    assert not effects(function(0))
    assert not effects(function(-1))


def test_numbers_that_no_descriptor_holds_are_refused() -> None:
    function = aiec.sequence_functions(LENGTHS)["main_copy"]
    with pytest.raises(ValueError):
        function(1 << 40, 0)


def test_a_function_is_the_transaction_that_was_compiled_where_nothing_is_left_open() -> None:
    text = aiec.opt(
        LENGTHS.replace("%n: i64, %at: i64", "").replace("%n", "64").replace("%at", "0")
        .replace("memref<4096xi32>, ) {", "memref<4096xi32>) {"),
        ["aie-objectFifo-stateful-transform", "aie-assign-lock-ids", "aie-dma-to-npu"],
    )
    function = aiec.sequence_functions(text)["main_copy"]
    lowered = aiec.commands._command(["translate", "--aie-npu-to-binary", "-"], text.encode())
    assert function() == lowered


ARITHMETIC = [
    "addi", "subi", "muli", "divsi", "divui", "ceildivsi", "ceildivui", "floordivsi", "remsi", "remui",
    "andi", "ori", "xori", "minsi", "minui", "maxsi", "maxui", "shli", "shrsi", "shrui",
]  # fmt: skip
PREDICATES = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]
NUMBERS = [0, 1, 2, 7, 31, 100, -1, -2, -7, -100, 0x7FFFFFFF, -0x80000000, 0x12345678]


def arithmetic(numbers: tuple[str, str]) -> str:
    """A sequence that writes the result of each operation on two numbers of 32 bits."""
    lines = []
    for name in ARITHMETIC:
        lines += [f"%{name} = arith.{name} %a, %b : i32", f"%w_{name} = arith.addi %{name}, %zero : i32"]
    for name in PREDICATES:
        lines += [f"%{name} = arith.cmpi {name}, %a, %b : i32", f"%w_{name} = arith.extui %{name} : i1 to i32"]
    lines += [
        "%wide = arith.extsi %a : i32 to i64",
        "%c9 = arith.constant 9 : i64",
        "%shifted = arith.shrsi %wide, %c9 : i64",
        "%w_wide = arith.trunci %shifted : i64 to i32",
        "%w_choice = arith.select %slt, %a, %b : i32",
    ]
    written = [*ARITHMETIC, *PREDICATES, "wide", "choice"]
    for at, name in enumerate(written):
        lines += [
            f"%at{at} = arith.constant {0x200000 + 4 * at} : i32",
            f"aiex.npu.write32(%at{at}, %w_{name}) : i32, i32",
        ]
    body = "\n".join(lines)
    given = "\n".join(line for line in numbers if line.startswith("%"))
    arguments = ", ".join(line for line in numbers if not line.startswith("%"))
    return f"""aie.device(npu2) {{ aie.runtime_sequence @math({arguments.replace("$", "%")}) {{
%zero = arith.constant 0 : i32
{given}
{body}
}} }}"""


def values(transaction: bytes) -> list[int]:
    return [words[4] for opcode, words in operations(transaction) if opcode == WRITE]


def test_arithmetic_is_that_of_constants() -> None:
    text = arithmetic(("$a: i32", "$b: i32"))
    source = aiec.commands._command(["translate", "--aie-npu-to-python", "-"], text.encode())
    names: dict[str, object] = {}
    exec(source, names)
    function = names["generate_txn_main_math"]
    assert callable(function)
    for a in NUMBERS:
        for b in NUMBERS:
            if b == 0:
                with pytest.raises(ValueError):
                    function(a, b)
                continue
            if not 0 <= b < 32 or (a == -0x80000000 and b == -1):
                # MLIR defines no result of some of them.
                continue
            fixed = (f"%a = arith.constant {a} : i32", f"%b = arith.constant {b} : i32")
            folded = aiec.opt(arithmetic(fixed), "canonicalize")
            lowered = aiec.commands._command(["translate", "--aie-npu-to-binary", "-"], folded.encode())
            assert values(function(a, b)) == values(lowered), (a, b)


class RandomSequence:
    """A sequence of writes with loops, branches and values that they carry, on two numbers of the host."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0
        self.places = 0

    def name(self) -> str:
        self.count += 1
        return f"%x{self.count}"

    def expression(self, lines: list[str], values: list[str]) -> str:
        name = self.name()
        a, b = self.random.choice(values), self.random.choice(values)
        kind = self.random.choice(["addi", "subi", "muli", "andi", "ori", "xori", "minsi", "maxui", "select", "divui"])
        if kind == "select":
            holds = self.name()
            lines.append(f"{holds} = arith.cmpi {self.random.choice(PREDICATES)}, {a}, {b} : i32")
            lines.append(f"{name} = arith.select {holds}, {b}, {a} : i32")
        elif kind == "divui":
            lines.append(f"{name} = arith.divui {a}, %three : i32")
        else:
            lines.append(f"{name} = arith.{kind} {a}, {b} : i32")
        return name

    def write(self, lines: list[str], value: str) -> None:
        place = self.name()
        self.places += 1
        lines.append(f"{place} = arith.constant {0x200000 + 4 * self.places} : i32")
        lines.append(f"aiex.npu.write32({place}, {value}) : i32, i32")

    def block(self, values: list[str], depth: int) -> list[str]:
        lines: list[str] = []
        values = list(values)
        for _ in range(self.random.randint(1, 4)):
            kind = self.random.choice(["write", "expression", "for", "if"] if depth else ["write", "expression"])
            if kind == "expression":
                values.append(self.expression(lines, values))
            elif kind == "write":
                self.write(lines, self.random.choice(values))
            elif kind == "for":
                values.append(self.loop(lines, values, depth))
            else:
                values.append(self.branch(lines, values, depth))
        self.write(lines, values[-1])
        lines.append(f"//last {values[-1]}")
        return lines

    def body(self, values: list[str], depth: int) -> tuple[list[str], str]:
        *lines, last = self.block(values, depth)
        return lines, last.removeprefix("//last ")

    def loop(self, lines: list[str], values: list[str], depth: int) -> str:
        rounds, index, sum_, result = (self.name() for _ in range(4))
        lines.append(f"{rounds} = arith.remui {self.random.choice(values)}, %three : i32")
        lines.append(
            f"{result} = scf.for {index} = %zero to {rounds} step %one "
            f"iter_args({sum_} = {self.random.choice(values)}) -> (i32) : i32 {{"
        )
        inner, last = self.body([*values, index, sum_], depth - 1)
        lines += [*inner, f"scf.yield {last} : i32", "}"]
        return result

    def branch(self, lines: list[str], values: list[str], depth: int) -> str:
        holds, result = self.name(), self.name()
        a, b = self.random.choice(values), self.random.choice(values)
        lines.append(f"{holds} = arith.cmpi {self.random.choice(PREDICATES)}, {a}, {b} : i32")
        lines.append(f"{result} = scf.if {holds} -> (i32) {{")
        inner, last = self.body(values, depth - 1)
        lines += [*inner, f"scf.yield {last} : i32", "} else {"]
        inner, last = self.body(values, depth - 1)
        lines += [*inner, f"scf.yield {last} : i32", "}"]
        return result

    def text(self) -> str:
        lines, _ = self.body(["%a", "%b", "%three"], 3)
        body = "\n".join(lines)
        return f"""aie.device(npu2) {{ aie.runtime_sequence @math(%a: i32, %b: i32) {{
%zero = arith.constant 0 : i32
%one = arith.constant 1 : i32
%three = arith.constant 3 : i32
{body}
}} }}"""


@pytest.mark.parametrize("seed", range(40))
def test_random_sequences_are_those_of_a_compilation(seed: int) -> None:
    sequence = RandomSequence(seed)
    text = sequence.text()
    function = aiec.sequence_functions(text)["main_math"]
    for _ in range(3):
        a, b = (sequence.random.choice(NUMBERS) for _ in range(2))
        assert values(function(a, b)) == values(compiled(text, {0: a, 1: b})), (a, b)


MAIN = """
#include "sequence.hpp"
#include <cstdlib>
int main() {
  auto words = CALL;
  if (!words) return 3;
  std::fwrite(words->data(), 4, words->size(), stdout);
}
"""


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        (LENGTHS, "main_copy", [512, 64]),
        (LENGTHS, "main_copy", [1 << 40, 0]),
        (ROUNDS, "main_rounds", [5, 2]),
        (ROUNDS, "main_rounds", [0, 0]),
        (TASKS, "main_tasks", [3]),
        (arithmetic(("$a: i32", "$b: i32")), "main_math", [-7, 3]),
        (arithmetic(("$a: i32", "$b: i32")), "main_math", [-0x80000000, 31]),
        (arithmetic(("$a: i32", "$b: i32")), "main_math", [100, -7]),
        *((RandomSequence(seed).text(), "main_math", [seed, -5]) for seed in range(100, 104)),
    ],
)
def test_functions_in_cpp_write_the_same(
    tmp_path: Path, text: str, name: str, arguments: list[int]
) -> None:
    header = aiec.commands._command(["-", "--emit=sequence-cpp", "--output=-"], text.encode())
    (tmp_path / "sequence.hpp").write_bytes(header)
    call = f"generate_txn_{name}(" + ", ".join(f"{n}ll" for n in arguments) + ")"
    (tmp_path / "main.cpp").write_text(MAIN.replace("CALL", call))
    program = tmp_path / "main"
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-Wno-tautological-compare", "-fsanitize=undefined", "-fno-sanitize-recover"]
    subprocess.run(["g++", *flags, "-o", program, tmp_path / "main.cpp"], check=True)
    ran = subprocess.run([program], capture_output=True, check=False)
    function = aiec.sequence_functions(text)[name]
    try:
        expected = function(*arguments)
    except ValueError:
        assert ran.returncode == 3
        return
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == expected
