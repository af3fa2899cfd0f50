"""A stand-in for ``pyxrt``, XRT's Python module, on the simulator: host programs of an NPU run without one.

:func:`install` lets ``import pyxrt`` mean this module; ``python -m aiec.iron HOST.py`` does so for a program.
Names, arguments and results are those of XRT (``src/python/pybind11/src/pyxrt.cpp``); what has no meaning here
is refused when it is used. A run is simulated when it is started, each on an array that was just configured.
"""

from __future__ import annotations

import enum
import json
import sys
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from . import _aiec
from .findings import converted, findings_of
from .kernels import KernelLike, kernel_rows

MODEL_KERNEL = "AIEC_MODEL_ONLY"
"""How the names of kernels begin that hold the simulator's programs (``emit/src/npu/mod.rs``)."""

USUAL_KERNEL = "MLIR_AIE"
"""The name that aiecc gives kernels (mlir-aie: ``tools/aiecc/CommandLineOptions.h``)."""

SIDECAR = ".kernels.json"
"""What follows an xclbin's name in that of the file with the libraries of its functions."""

TRANSACTION_OPCODE = 3
"""The opcode of a kernel's call that executes a transaction."""

HOST_ARGUMENTS = 3
"""Arguments before the buffers: opcode, instructions, their size."""

DEVICE_NAMES = {"npu1": "Phoenix", "npu2": "Strix"}
"""What drivers call the devices."""

UNSET_BYTES = 1 << 20
"""Size of the placeholder for a buffer that a program wants and its host doesn't give."""

kernels: dict[str, KernelLike] = {}
"""Functions of cores by name: in Python, or paths of shared libraries."""

options: list[str] = []
"""Options of ``aiec sim`` for all runs, such as ``--races=off``."""

npu = "npu2"
"""The NPU that this machine seems to have, unless the program says which it wants."""

cycles: list[int] = []
"""Cycles of each run so far."""

XCL_BO_FLAGS_NONE = 0


class xclBOSyncDirection(enum.IntEnum):
    XCL_BO_SYNC_BO_TO_DEVICE = 0
    XCL_BO_SYNC_BO_FROM_DEVICE = 1
    XCL_BO_SYNC_BO_GMIO_TO_AIE = 2
    XCL_BO_SYNC_BO_AIE_TO_GMIO = 3


class ert_cmd_state(enum.IntEnum):
    ERT_CMD_STATE_NEW = 1
    ERT_CMD_STATE_QUEUED = 2
    ERT_CMD_STATE_RUNNING = 3
    ERT_CMD_STATE_COMPLETED = 4
    ERT_CMD_STATE_ERROR = 5
    ERT_CMD_STATE_ABORT = 6
    ERT_CMD_STATE_SUBMITTED = 7
    ERT_CMD_STATE_TIMEOUT = 8
    ERT_CMD_STATE_NORESPONSE = 9
    ERT_CMD_STATE_SKERROR = 10
    ERT_CMD_STATE_SKCRASHED = 11


xrt_info_device = enum.Enum(
    "xrt_info_device",
    "bdf interface_uuid kdma max_clock_frequency_mhz m2m name nodma offline electrical thermal mechanical"
    " memory platform pcie_info host dynamic_regions vmr",
)

xrt_msg_level = enum.IntEnum(
    "xrt_msg_level", "emergency alert critical error warning notice info debug", start=0
)

STATES = {
    "completed": ert_cmd_state.ERT_CMD_STATE_COMPLETED,
    "fault": ert_cmd_state.ERT_CMD_STATE_ERROR,
}
"""How runs end; all others would hang until the driver's time is up."""


def enumerate_devices() -> int:
    """How many devices there are: the simulated one."""
    return 1


def log_message(level: xrt_msg_level, tag: str, message: str) -> None:
    """Writes a message to standard error."""
    print(f"[{tag}] {level.name}: {message}", file=sys.stderr)


class uuid:
    """Tells xclbins apart."""

    def __init__(self, text: str) -> None:
        self._text = text

    def to_string(self) -> str:
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, uuid) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)


def _model_name(name: str) -> str:
    """The name that a kernel with the simulator's programs replaces."""
    if not name.startswith(MODEL_KERNEL):
        return name
    return name.removeprefix(MODEL_KERNEL).removeprefix("_") or USUAL_KERNEL


class xclbinkernel:
    """A kernel of an xclbin."""

    def __init__(self, name: str = "", arguments: int = 0) -> None:
        self._name = name
        self._arguments = arguments

    def get_name(self) -> str:
        return _model_name(self._name)

    def get_num_args(self) -> int:
        return self._arguments


class xclbin:
    """A file with configurations and the signatures of kernels."""

    kernel = xclbinkernel
    xclbinkernel = xclbinkernel

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._bytes = self._path.read_bytes()
        try:
            self._uuid, self._kernels = _aiec.xclbin_contents(self._bytes)
        except _aiec.NativeFailure as failure:
            raise RuntimeError(f"{path}: {converted(failure)}") from None

    def get_uuid(self) -> uuid:
        return uuid(self._uuid)

    def get_kernels(self) -> list[Any]:
        return [xclbinkernel(name, count) for name, count in self._kernels]

    def get_xsa_name(self) -> str:
        return ""

    def get_mems(self) -> list[Any]:
        return []

    def _kernel(self, name: str) -> str:
        """The name in the file of what a host calls so."""
        base = name.split(":")[0]
        for found, _ in self._kernels:
            if base in (found, _model_name(found)):
                return found
        names = ", ".join(_model_name(found) for found, _ in self._kernels)
        raise RuntimeError(f"No such kernel '{name}' in {self._path}: it has {names}")


class elf:
    """A file with a program: a transaction, or all configurations and transactions of a design."""

    def __init__(self, source: str | bytes, size: int | None = None) -> None:
        self._path = None if isinstance(source, bytes) else Path(source)
        data = source if isinstance(source, bytes) else Path(source).read_bytes()
        self._bytes = data[:size]


class module:
    """The program of an ELF."""

    def __init__(self, file: elf | module, context: hw_context | None = None) -> None:
        self._file: elf = file if isinstance(file, elf) else file._file
        self._context = context

    def get_hw_context(self) -> hw_context | None:
        return self._context


class device:
    """The simulated device."""

    _registered: dict[uuid, xclbin] = {}

    def __init__(self, which: int | str = 0) -> None:
        self._loaded: uuid | None = None

    def register_xclbin(self, file: xclbin) -> uuid:
        self._registered[file.get_uuid()] = file
        return file.get_uuid()

    def load_xclbin(self, file: xclbin | str) -> uuid:
        file = xclbin(file) if isinstance(file, str) else file
        self._loaded = self.register_xclbin(file)
        return self._loaded

    def get_xclbin_uuid(self) -> uuid | None:
        return self._loaded

    def get_info(self, key: Any) -> str:
        if key is xrt_info_device.name:
            return f"{DEVICE_NAMES[_wanted_npu()]} (simulated by aiec)"
        if key is xrt_info_device.bdf:
            return "0000:00:00.0"
        return "NA"


def _wanted_npu() -> str:
    """The NPU that a program of IRON wants, or the one that this machine seems to have."""
    runtime = sys.modules.get("aie.utils.hostruntime")
    wanted = getattr(runtime, "_CURRENT_DEVICE", None)
    name = str(getattr(wanted, "_device", wanted) or "")
    found = [kind for kind in DEVICE_NAMES if kind in name.lower()]
    return found[0] if found else npu


class hw_context:
    """What runs belong to: an xclbin, or an ELF of a whole design."""

    def __init__(self, owner: device | None = None, what: uuid | elf | None = None) -> None:
        self._xclbin: xclbin | None = None
        self._elf: elf | None = None
        if isinstance(what, elf):
            self._elf = what
        elif isinstance(what, uuid):
            try:
                self._xclbin = device._registered[what]
            except KeyError:
                message = f"no xclbin {what.to_string()} is registered"
                raise RuntimeError(message) from None


class bo:
    """A buffer of the host, or a part of one."""

    class flags(enum.IntEnum):
        normal = 0
        cacheable = 1 << 24
        device_only = 1 << 28
        host_only = 1 << 29
        p2p = 1 << 30
        svm = 1 << 27

    normal = flags.normal
    cacheable = flags.cacheable
    device_only = flags.device_only
    host_only = flags.host_only
    p2p = flags.p2p
    svm = flags.svm

    def __init__(self, owner: Any, size: int, flags: int = 0, group: int = 0) -> None:
        self._bytes: npt.NDArray[np.uint8]
        if isinstance(owner, bo):
            offset = int(flags)
            if offset + size > owner.size():
                raise RuntimeError("the sub-buffer goes past the end of its buffer")
            self._bytes = owner._bytes[offset : offset + size]
        else:
            self._bytes = np.zeros(int(size), np.uint8)

    def _part(self, size: int, offset: int) -> npt.NDArray[np.uint8]:
        if size + offset > self.size():
            raise RuntimeError("attempting to access past buffer size")
        return self._bytes[offset : offset + size]

    def write(self, data: Any, seek: int = 0) -> None:
        source = np.frombuffer(np.ascontiguousarray(data), np.uint8)
        self._part(source.size, seek)[:] = source

    def read(self, size: int, skip: int = 0) -> npt.NDArray[np.int8]:
        return self._part(size, skip).copy().view(np.int8)

    def sync(self, direction: xclBOSyncDirection, size: int = 0, offset: int = 0) -> None:
        """Nothing: host and device see the same bytes."""

    def map(self) -> memoryview:
        return self._bytes.data

    def size(self) -> int:
        return self._bytes.size

    def address(self) -> int:
        return int(self._bytes.ctypes.data)


class kernel:
    """A function of the device."""

    class cu_access_mode(enum.IntEnum):
        exclusive = 0
        shared = 1
        none = 2

    exclusive = cu_access_mode.exclusive
    shared = cu_access_mode.shared
    none = cu_access_mode.none

    def __init__(self, context: hw_context | device, *names: Any) -> None:
        if isinstance(context, device):
            context, names = hw_context(context, names[0]), names[1:]
        self._context = context
        self._module: module | None = None
        if isinstance(names[0], module):
            self._module, names = names[0], names[1:]
        self._name: str = names[0]
        if context._xclbin is not None:
            context._xclbin._kernel(self._name)

    def group_id(self, argument: int) -> int:
        return argument

    def __call__(self, *arguments: Any) -> run:
        started = run(self)
        for index, argument in enumerate(arguments):
            started.set_arg(index, argument)
        started.start()
        return started

    @property
    def _buffers_from(self) -> int:
        return HOST_ARGUMENTS if self._context._xclbin is not None else 0


def _instructions(arguments: dict[int, Any]) -> bytes:
    """The transaction of a call: the size that its header names of its buffer."""
    buffer = arguments.get(1)
    if not isinstance(buffer, bo):
        raise RuntimeError("argument 1 of the kernel isn't a buffer of instructions")
    data = buffer._bytes.tobytes()
    size = int.from_bytes(data[12:16], "little")
    return data[:size] if 16 <= size <= len(data) else data


def _sidecar(file: xclbin | elf) -> dict[str, KernelLike]:
    """Libraries of functions that were compiled with the file."""
    path = file._path
    sidecar = path.with_name(path.name + SIDECAR) if path is not None else None
    if sidecar is None or not sidecar.exists():
        return {}
    libraries: dict[str, KernelLike] = json.loads(sidecar.read_text())
    return libraries


class run:
    """One execution of a kernel."""

    _said: set[str] = set()

    def __init__(self, of: kernel | None = None) -> None:
        self._kernel = of
        self._arguments: dict[int, Any] = {}
        self._state = ert_cmd_state.ERT_CMD_STATE_NEW
        self._callbacks: list[Callable[[], None]] = []
        self._scratchpad: bo | None = None
        self.cycles = 0

    def set_arg(self, index: int, value: Any) -> None:
        self._arguments[index] = value

    def start(self) -> None:
        """Simulates it to its end."""
        if self._kernel is None:
            raise RuntimeError("this run has no kernel")
        files, libraries = self._files(self._kernel)
        if self._scratchpad is not None:
            files.give_scratchpad(self._scratchpad._bytes.tobytes())
        first = self._kernel._buffers_from
        given = {
            index - first: argument
            for index, argument in self._arguments.items()
            if index >= first and isinstance(argument, bo)
        }
        rows, bound = kernel_rows({**libraries, **kernels})
        flags = options + [f"--kernel={name}={path}" for name, path in bound.items()]
        before = {index: argument._bytes.copy() for index, argument in given.items()}
        for index in set(files.arguments()) - set(before):
            # Hosts leave out buffers that they don't read, such as those of traces.
            self._tell(f"warning: buffer {index} of the kernel was not given: what is written to it is lost")
            before[index] = np.zeros(UNSET_BYTES, np.uint8)
        try:
            result = files.run(sorted(before.items(), key=lambda pair: pair[0]), rows, flags, False)
        except _aiec.NativeFailure as failure:
            raise RuntimeError(str(converted(failure))) from None
        if result["raised"] is not None:
            raise result["raised"]
        for index, data in result["outputs"]:
            if index in given:
                # Buffers that overlap get only what the run wrote.
                changed = data != before[index]
                given[index]._bytes[changed] = data[changed]
        self.cycles = result["cycles"]
        cycles.append(self.cycles)
        self._say(result)
        self._state = STATES.get(result["status"], ert_cmd_state.ERT_CMD_STATE_TIMEOUT)
        for callback in self._callbacks:
            callback()

    def _files(self, of: kernel) -> tuple[_aiec.NativeFiles, dict[str, KernelLike]]:
        context = of._context
        try:
            if context._xclbin is not None:
                if of._module is not None:
                    program = of._module._file._bytes
                else:
                    program = _instructions(self._arguments)
                opcode = self._arguments.get(0, TRANSACTION_OPCODE)
                if opcode != TRANSACTION_OPCODE:
                    raise RuntimeError(f"opcode {opcode} is not simulated, only {TRANSACTION_OPCODE}")
                file = context._xclbin
                return _aiec.NativeFiles(file._bytes, program, file._kernel(of._name)), _sidecar(file)
            if context._elf is None:
                raise RuntimeError("the context has neither an xclbin nor an ELF")
            data = context._elf._bytes
            return _whole_design(data, of._name), _sidecar(context._elf)
        except _aiec.NativeFailure as failure:
            raise RuntimeError(str(converted(failure))) from None

    def _say(self, result: _aiec.RunResult) -> None:
        """Tells once what the simulator found."""
        if result["prints"]:
            print(result["prints"], end="")
        for finding in findings_of(result["findings"]):
            self._tell(finding.rendered)

    def _tell(self, text: str) -> None:
        """Tells something once."""
        if text not in self._said:
            self._said.add(text)
            print(text, file=sys.stderr)

    def wait(self, timeout_ms: int = 0) -> ert_cmd_state:
        return self._state

    def wait2(self, timeout_ms: Any = None) -> None:
        if self._state is not ert_cmd_state.ERT_CMD_STATE_COMPLETED:
            raise RuntimeError(f"the run ended with {self._state.name}")

    def state(self) -> ert_cmd_state:
        return self._state

    def add_callback(self, state: ert_cmd_state, function: Callable[..., None], data: Any) -> None:
        self._callbacks.append(lambda: function(self, self._state, data))

    def get_ctrl_scratchpad_bo(self) -> bo:
        """The table of parameters that the kernel's program reads."""
        if self._kernel is None:
            raise RuntimeError("this run has no kernel")
        if self._scratchpad is None:
            size = self._files(self._kernel)[0].scratchpad_bytes()
            if size is None:
                raise RuntimeError("the program of this run has no scratchpad")
            self._scratchpad = bo(None, size)
        return self._scratchpad


def _whole_design(data: bytes, name: str) -> _aiec.NativeFiles:
    """An ELF of a whole design and one of its kernels, which may hold the simulator's programs."""
    try:
        return _aiec.NativeFiles(None, data, name)
    except _aiec.NativeFailure:
        return _aiec.NativeFiles(None, data, f"{MODEL_KERNEL}_{name}")


class runlist:
    """Runs one after the other."""

    def __init__(self, context: hw_context | None = None) -> None:
        self._runs: list[run] = []

    def add(self, item: run) -> None:
        self._runs.append(item)

    def execute(self) -> None:
        for item in self._runs:
            item.start()

    def wait(self, timeout: Any = None) -> None:
        for item in self._runs:
            item.wait2()

    def reset(self) -> None:
        self._runs.clear()


class _ext_bo(bo):
    """A buffer by its size alone."""

    class access_mode(enum.IntFlag):
        none = 0
        read = 1
        write = 2
        read_write = 3
        local = 0
        shared = 4
        process = 8
        hybrid = 16

    def __init__(self, owner: Any, size: int, access: int = 0) -> None:
        super().__init__(owner, size)


class _ext_kernel(kernel):
    """A kernel of a module, or of an ELF."""


ext = types.ModuleType("pyxrt.ext", "Kernels of ELF files, and buffers by size.")
ext.bo = _ext_bo  # type: ignore[attr-defined]
ext.kernel = _ext_kernel  # type: ignore[attr-defined]

Kernels = Union[dict[str, KernelLike], None]


def install(
    *, device: str | None = None, functions: Kernels = None, sim_options: Sequence[str] = ()
) -> types.ModuleType:
    """Lets ``import pyxrt`` mean this module in this process.

    ``device`` is ``npu1`` or ``npu2``; ``functions`` are functions of cores as for
    :meth:`aiec.Design.run`, ``sim_options`` options of ``aiec sim``.
    """
    global npu
    if device is not None:
        if device not in DEVICE_NAMES:
            raise ValueError(f"the NPUs are {' and '.join(DEVICE_NAMES)}, not {device!r}")
        npu = device
    kernels.update(functions or {})
    options.extend(sim_options)
    this = sys.modules[__name__]
    sys.modules["pyxrt"] = this
    sys.modules["pyxrt.ext"] = ext
    return this
