"""What the tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def examples() -> Path:
    """The folder of the examples."""
    return ROOT / "examples"


@pytest.fixture(scope="session")
def scale(examples: Path):
    """The compiled design of examples/scale: 256 numbers of 32 bits times 3."""
    import aiec

    return aiec.compile(examples / "scale/design.mlir")
