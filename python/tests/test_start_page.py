"""The page for users of mlir-aie: its files and commands, in order, in a shell."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/src/mlir-aie.md"
FILE = re.compile(r"^```(?:mlir|python|cpp)[^\n]*\n(?://|#) (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMANDS = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# The command of the driver, which this package has as a function.
AIEC = f"""#!{sys.executable}
import sys
from aiec import _aiec
code, out, said = _aiec.command(sys.argv[1:], b"")
sys.stdout.buffer.write(out)
sys.stderr.buffer.write(said)
sys.exit(code)
"""


def test_commands_of_the_page_run(tmp_path):
    page = PAGE.read_text()
    files = FILE.findall(page)
    assert [name for name, _ in files] == ["add.mlir", "host.py", "host.cpp"]
    for name, text in files:
        (tmp_path / name).write_text(text)
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "aiec").write_text(AIEC)
    (tools / "aiec").chmod(0o755)
    (tools / "python").symlink_to(sys.executable)
    environment = {
        **os.environ,
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    commands = COMMANDS.findall(page)
    assert len(commands) == 4
    said = ""
    compiler = shutil.which("c++")
    for command in commands:
        if "c++ " in command and compiler is None:
            continue
        done = subprocess.run(
            ["sh", "-ec", command], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        said += done.stdout + done.stderr
    assert "PASS!" in said
    assert "PASS in C++!" in said or compiler is None
    assert re.search(r"run 0: \d+ cycles", said)
    values = (tmp_path / "b.bin").read_bytes()
    assert values == b"\5\0\0\0" * 64
