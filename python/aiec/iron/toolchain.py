"""The tools that IRON starts, and where it looks for them.

IRON compiles functions of cores with Peano's clang++, renames their symbols with llvm-objcopy and the design
with aiecc (mlir-aie: ``python/utils/config.py``). The programs that stand in for them are small scripts in
:func:`folder`, which call :mod:`aiec.iron.tools`.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .._aiec import __version__

TOOLS = ("aiec", "aiecc", "aie-opt", "aie-translate", "clang++", "clang", "ld.lld", "llvm-objcopy")
"""What IRON, the Makefiles of mlir-aie and C++ hosts start."""

INCLUDE = Path(__file__).parent / "include"
"""XRT's headers for hosts in C++."""

LIBRARY = "libxrt_coreutil.a"
"""What such hosts are linked with: all that they need is in the headers."""

EMPTY_ARCHIVE = "!<arch>\n"

CACHE = "NPU_CACHE_HOME"
"""Where IRON keeps what it compiled; files of the simulator stay away from those of hardware."""

OWN_KERNELS = "AIEC_IRON_KERNELS"
"""The variable with the names of the functions that the program gives the simulator."""

PYXRT = '"""XRT\'s module, on the simulator."""\n\nimport aiec.pyxrt\n\naiec.pyxrt.install()\n'


def home() -> Path:
    """What the stand-ins keep."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "aiec"


def _write(path: Path, text: str, executable: bool = False) -> None:
    """Writes a file unless it is there: IRON's cache depends on when its tools were made."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Several programs may start at once: a tool is there as a whole or not at all.
        part = path.with_name(f"{path.name}.{os.getpid()}")
        part.write_text(text)
        if executable:
            part.chmod(part.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
        part.replace(path)


def folder() -> Path:
    """A folder like Peano's, with the tools in ``bin``."""
    root = home() / f"tools-{__version__}"
    for tool in TOOLS:
        script = f'#!/bin/sh\nexec "{sys.executable}" -m aiec.iron.tools {tool} "$@"\n'
        _write(root / "bin" / tool, script, executable=True)
    _write(root / "python" / "pyxrt.py", PYXRT)
    _write(root / "lib" / LIBRARY, EMPTY_ARCHIVE)
    return root


def environment(given: Mapping[str, str]) -> dict[str, str]:
    """The variables that let other programs find the tools and the stand-in for XRT's module."""
    root = folder()

    def first(name: str, path: Path) -> str:
        rest = [part for part in given.get(name, "").split(os.pathsep) if part and part != str(path)]
        return os.pathsep.join([str(path), *rest])

    return {
        "PATH": first("PATH", root / "bin"),
        "PYTHONPATH": first("PYTHONPATH", root / "python"),
        "CPATH": first("CPATH", INCLUDE),
        "LIBRARY_PATH": first("LIBRARY_PATH", root / "lib"),
        "PEANO_INSTALL_DIR": str(root),
        "NPU_RUNTIME": "xrt",
        CACHE: given.get(CACHE) or str(home() / "iron"),
    }


def use() -> None:
    """Lets IRON in this process, if it is installed, and the programs that it starts use the tools."""
    os.environ.update(environment(os.environ))
    if importlib.util.find_spec("aie") is None:
        return
    root = folder()
    try:
        config: Any = importlib.import_module("aie.utils.config")
    except ModuleNotFoundError:
        # A release in which aie.utils has none finds the tools by the environment.
        return
    paths = {
        "aiecc_path": root / "bin" / "aiecc",
        "objcopy_path": root / "bin" / "llvm-objcopy",
        "peano_cxx_path": root / "bin" / "clang++",
        "peano_linker_path": root / "bin" / "ld.lld",
        "peano_install_dir": root,
    }
    for name, path in paths.items():
        if hasattr(config, name):
            setattr(config, name, lambda path=path: str(path))
