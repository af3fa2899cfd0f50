"""Replacements of the tools that IRON starts; see :mod:`aiec.iron.toolchain`.

Functions of cores in C++ are compiled for this machine where its compiler can do that; those of mlir-aie's
library, whose code is for the vector unit, are built into the simulator. The cores' own programs become those of
the simulator.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from .. import _aiec
from ..pyxrt import SIDECAR
from .toolchain import OWN_KERNELS

NO_CODE = "// aiec: this machine's compiler can't compile it; the simulator's own function of its name is used\n"
"""How an object begins that holds no code."""

LLVM_SUFFIX = ".host.o"
"""What follows the name of LLVM code in that of the object for this machine."""

CORE = Path(__file__).parent / "core"
"""Headers that make scalar code of cores compile here."""

LAYOUTS = ("B_COL_MAJ", "C_COL_MAJ")
"""Macros with which the library's products have other layouts than the simulator's."""

DROPPED = ("--target", "-target", "-Wno-", "-fno-", "-O")
"""How options of Peano begin that mean nothing to this machine's compiler."""


def _compiler() -> str | None:
    return shutil.which("c++") or shutil.which("g++")


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _defined(path: Path) -> set[str]:
    """The functions that an object for this machine defines."""
    nm = shutil.which("nm")
    if nm is None or not path.exists() or path.read_bytes()[:4] != b"\x7fELF":
        return set()
    lines = _run([nm, "--defined-only", str(path)]).stdout.splitlines()
    return {line.split()[-1] for line in lines if len(line.split()) == 3 and line.split()[1] in "TW"}


def clang(arguments: list[str]) -> int:
    """Compiles a function of cores for this machine, if that works."""
    if "-o" not in arguments:
        print("clang++ of aiec.iron compiles functions of cores: name the output with -o", file=sys.stderr)
        return 1
    at = arguments.index("-o")
    output = Path(arguments[at + 1])
    llvm = "-emit-llvm" in arguments
    if "ir" in arguments and "-x" in arguments:
        # Text to bitcode, which holds what the text holds.
        output.write_text(sys.stdin.read())
        return 0
    rest = arguments[:at] + arguments[at + 2 :]
    rest = [part for part in rest if part not in ("-S", "-c", "-emit-llvm") and not part.startswith(DROPPED)]
    target = output.with_name(output.name + LLVM_SUFFIX) if llvm else output
    compiler = _compiler()
    done = None
    if compiler is not None:
        flags = ["-c", "-fPIC", "-O2", "-w", f"-I{CORE}", "-include", str(CORE / "core.h")]
        done = _run([compiler, *flags, *rest, "-o", str(target)])
    if done is None or done.returncode != 0:
        said = done.stderr if done is not None else "there is no compiler c++\n"
        defined = [f"// {part}\n" for part in rest if part.startswith("-D")]
        target.write_text(NO_CODE + "".join(defined) + "".join(f"// {line}\n" for line in said.splitlines()))
        sources = [Path(part) for part in rest if part.endswith((".cc", ".cpp", ".cxx", ".c"))]
        names = {name for source in sources for name in re.findall(r"\b(\w+)\s*\(", source.read_text())}
    else:
        names = _defined(target)
    if llvm:
        # IRON looks for the definition of the function that it inlines.
        output.write_text("".join(f"define dso_local void @{name}() {{\nret void\n}}\n" for name in sorted(names)))
    return 0


def objcopy(arguments: list[str]) -> int:
    """Renames a symbol, where there is code."""
    path = Path(arguments[-1])
    if path.read_bytes()[:4] != b"\x7fELF":
        return 0
    tool = shutil.which("objcopy")
    if tool is None:
        print("objcopy of binutils is needed to rename functions of cores", file=sys.stderr)
        return 1
    done = _run([tool, *arguments])
    print(done.stderr, end="", file=sys.stderr)
    return done.returncode


def _value(arguments: list[str], name: str) -> str | None:
    for index, argument in enumerate(arguments):
        if argument == f"--{name}" and index + 1 < len(arguments):
            return arguments[index + 1]
        if argument.startswith(f"--{name}="):
            return argument.split("=", 1)[1]
    return None


NAME = re.compile(r'@"?(?P<custom>[\w.$]+)|sym_name = "(?P<generic>[^"]+)"')
LINKED = re.compile(r'link_with = "([^"]+)"')


def linked(design: str) -> dict[str, str]:
    """The functions of a design that objects hold, each with the name of its object."""
    found: dict[str, str] = {}
    lines = design.splitlines()
    for number, line in enumerate(lines):
        if "func.func" not in line:
            continue
        if line.rstrip().endswith("({"):
            # Attributes of the generic form follow the empty region.
            line += "".join(lines[number + 1 : number + 2])
        name, file = NAME.search(line[line.index("func.func") :]), LINKED.search(line)
        if name and file:
            found[name["custom"] or name["generic"]] = file[1]
    return found


def _object(folder: Path, file: str) -> Path:
    """Where an object is that a design names: beside the design, else in the working folder."""
    beside = folder / file
    return beside if beside.exists() else Path(file)


def unlike_built_in(design: str, folder: Path) -> list[str]:
    """What is wrong with the simulator's own functions for those that were compiled with macros."""
    own = os.environ.get(OWN_KERNELS, "").split(",")
    found = []
    for name, file in linked(design).items():
        path = _object(folder, file)
        plain = re.sub(r"^(op\d+_)?([0-9a-f]{8}_)?", "", name)
        text = path.read_text(errors="replace") if path.exists() else ""
        for layout in LAYOUTS if text.startswith(NO_CODE) and plain not in own else ():
            if f"// -D{layout}" in text:
                found.append(f"{plain} is compiled with {layout}, and the simulator's has rows: give a "
                             f"function of Python, --kernels FILE.py")
    return found


def libraries(design: str, folder: Path) -> dict[str, str]:
    """The functions of a design that objects for this machine hold, each with a shared library."""
    found: dict[str, str] = {}
    compiler = _compiler()
    for name, file in linked(design).items():
        path = _object(folder, file)
        if path.suffix in (".ll", ".bc"):
            path = path.with_name(path.name + LLVM_SUFFIX)
        if compiler is None or name not in _defined(path):
            continue
        library = path.with_name(path.name + ".so").resolve()
        if _run([compiler, "-shared", "-o", str(library), str(path)]).returncode == 0:
            found[name] = str(library)
    return found


FILTERS = {"aie-opt": "opt", "aie-translate": "translate"}
"""The commands of the driver that take the command lines of mlir-aie's tools."""


def _aiec_command(arguments: list[str], given: bytes = b"") -> int:
    """Runs a command of the driver on some standard input."""
    code, stdout, stderr = _aiec.command(arguments, given)
    sys.stdout.buffer.write(stdout)
    sys.stderr.buffer.write(stderr)
    return code


def aiecc(arguments: list[str]) -> int:
    """Compiles a design for the simulator, and tells which functions were compiled for this machine."""
    code = _aiec_command(["aiecc", "--core=model", *arguments])
    designs = [Path(part) for part in arguments if part.endswith(".mlir") and not part.startswith("-")]
    if code != 0 or not designs:
        return code
    design, folder = designs[0].read_text(), designs[0].parent
    for wrong in unlike_built_in(design, folder):
        print(f"error: {wrong}", file=sys.stderr)
        code = 1
    found = libraries(design, folder)
    output = Path(_value(arguments, "output-dir") or ".")
    for selector, name, default in [
        ("--get-xclbin", "xclbin-name", "aie.xclbin"),
        ("--get-full-elf", "full-elf-name", "aie.elf"),
    ]:
        if selector in arguments:
            path = output / (_value(arguments, name) or default)
            sidecar = path.with_name(path.name + SIDECAR)
            if found:
                sidecar.write_text(json.dumps(found, indent=1))
            else:
                sidecar.unlink(missing_ok=True)
    return code


def main() -> int:
    """The tool that the first argument names."""
    tool, arguments = sys.argv[1], sys.argv[2:]
    if tool == "aiec":
        return _aiec_command(arguments)
    if tool in FILTERS:
        names_file = any(not part.startswith("-") for part in arguments)
        given = b"" if names_file else sys.stdin.buffer.read()
        return _aiec_command([FILTERS[tool], *arguments], given)
    if tool == "aiecc":
        return aiecc(arguments)
    if tool in ("clang", "clang++"):
        return clang(arguments)
    if tool == "llvm-objcopy":
        return objcopy(arguments)
    print(f"{tool} has nothing to do: the simulator runs its own programs of cores", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
