"""The examples of pages run from top to bottom, each page in one namespace, at the root of the project."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
PAGES = ["python/README.md", "docs/src/python.md", "docs/src/sweeps.md", "docs/src/iron.md"]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_examples_of_a_page_run(page, tmp_path, monkeypatch, capsys):
    # Results of sweeps are written where they run.
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall((ROOT / page).read_text())
    assert blocks
    # What the page of IRON makes with a package that may not be here.
    names: dict[str, object] = {
        "__name__": "page",
        "np": np,
        "program": (ROOT / "examples/scale/design.mlir").read_text(),
    }
    for block in blocks:
        if "from aie." in block and importlib.util.find_spec("aie") is None:
            continue
        exec(compile(block, page, "exec"), names)  # noqa: S102
    if page == "docs/src/iron.md":
        np.testing.assert_array_equal(names["b"], 3 * names["a"])
    else:
        assert capsys.readouterr().out
