from os import PathLike
from typing import Any, Callable, TypedDict

import numpy as np
import numpy.typing as npt

__version__: str

class NativeFailure(Exception):
    args: tuple[str | None, list[tuple[str, str]]]

class RunResult(TypedDict):
    status: str
    cycles: int
    config_cycles: int
    outputs: list[tuple[int, npt.NDArray[np.uint8]]]
    read_arguments: list[int]
    findings: list[tuple[str, str]]
    prints: str
    report: str | None
    traces: list[bytes]
    raised: BaseException | None

class NativeDesign:
    def elf(self) -> bytes: ...
    def arguments(self) -> list[tuple[int, str, int, tuple[str, list[int]] | None]]: ...
    def findings(self) -> list[tuple[str, str]]: ...
    def emit(self, kind: str) -> bytes | dict[str, bytes]: ...
    def run(
        self,
        buffers: list[tuple[int, npt.NDArray[np.uint8]]],
        kernels: list[Any],
        options: list[str],
        traces: list[str],
        report: bool,
    ) -> RunResult: ...

class NativeFiles:
    def __init__(self, xclbin: bytes | None, program: bytes, kernel: str | None) -> None: ...
    def arguments(self) -> list[int]: ...
    def scratchpad_bytes(self) -> int | None: ...
    def give_scratchpad(self, words: bytes) -> None: ...
    def run(
        self,
        buffers: list[tuple[int, npt.NDArray[np.uint8]]],
        kernels: list[Any],
        options: list[str],
        report: bool,
    ) -> RunResult: ...

def xclbin_contents(bytes: bytes) -> tuple[str, list[tuple[str, int]]]: ...
def compile(name: str | PathLike[str], text: bytes, options: list[str]) -> NativeDesign: ...
def first_worker(device: str) -> tuple[int, int] | None: ...
def emit_kinds() -> list[tuple[str, str]]: ...
def command(arguments: list[str], input: bytes) -> tuple[int, bytes, bytes]: ...
