"""The example notebooks run from top to bottom."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "notebooks"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_run(path):
    book = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") for cell in book.cells), "commit notebooks without outputs"
    client = NotebookClient(book, timeout=120, resources={"metadata": {"path": str(FOLDER)}})
    try:
        client.execute()
    finally:
        for left in FOLDER.glob("*.db*"):
            left.unlink()
    shown = [output for cell in book.cells for output in cell.get("outputs", [])]
    assert not [output for output in shown if output.output_type == "error"]
    html = [output.data["text/html"] for output in shown if "text/html" in output.get("data", {})]
    assert html and not any('src="http' in page for page in html)
