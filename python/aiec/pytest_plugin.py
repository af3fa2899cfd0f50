"""pytest's plugin: the fixture ``aie_run`` runs designs on the simulator.

Options: ``--aie-device=NAME`` compiles for another device, ``--aie-jitter=SEED`` adds random latencies,
``--aie-races=on|off|error`` says what races do (by default they fail the test).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .runs import Run

RACES: dict[str, bool | str] = {"on": True, "off": False, "error": "error"}
"""Values of ``--aie-races``, as :meth:`aiec.Design.run` takes them."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options."""
    group = parser.getgroup("aiec", "AI Engine designs on the simulator")
    group.addoption("--aie-device", metavar="NAME", help="compile for this device")
    group.addoption("--aie-jitter", metavar="SEED", type=int, help="add random latencies")
    group.addoption(
        "--aie-races", choices=tuple(RACES), default="error", help="what races do"
    )


@pytest.fixture
def aie_run(request: pytest.FixtureRequest) -> Callable[..., Run]:
    """Runs a design, an IRON program or text, on arrays, which get the results in place.

    ``expected`` holds results by name or number, compared with ``rtol`` and ``atol``. Other options
    are those of :func:`aiec.iron.run`.
    """
    from numpy.testing import assert_allclose, assert_array_equal

    from . import iron

    config = request.config
    races = RACES[str(config.getoption("--aie-races"))]

    def run(
        design: Any,
        *arrays: Any,
        expected: Mapping[str | int, Any] | None = None,
        rtol: float = 0,
        atol: float = 0,
        **options: Any,
    ) -> Run:
        options = {
            "device": config.getoption("--aie-device"),
            "jitter": config.getoption("--aie-jitter"),
            "races": races,
            **options,
        }
        result = iron.run(design, *arrays, **options)
        for key, wanted in (expected or {}).items():
            name = f"argument {key!r}"
            if rtol or atol:
                assert_allclose(result.outputs[key], wanted, rtol, atol, err_msg=name)
            else:
                assert_array_equal(result.outputs[key], wanted, name)
        return result

    return run
