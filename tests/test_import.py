"""What `import graphwright` brings in: what is large is imported when it is used."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import mpmath
import pytest

from graphwright.op import special_functions

SRC = Path(__file__).resolve().parent.parent / "src"
LATE = {"google", "rich", "scipy"}

BROUGHT = """
import sys, numpy
before = set(sys.modules)
import graphwright
print(*(set(sys.modules) - before))
"""


def test_the_import_leaves_out_what_is_large() -> None:
    done = subprocess.run(
        [sys.executable, "-c", BROUGHT],
        env=os.environ | {"PYTHONPATH": str(SRC)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    brought = set(done.stdout.split())
    assert "graphwright.op" in brought
    assert brought & LATE == set()


@pytest.mark.parametrize(
    ("late", "reference"),
    [
        (special_functions.erf, mpmath.erf),
        (special_functions.erfc, mpmath.erfc),
        (special_functions.erfinv, mpmath.erfinv),
        (special_functions.gammaln, mpmath.loggamma),
    ],
)
def test_late_special_functions_are_scipys(
    late: Callable[[float], float], reference: Callable[[float], float]
) -> None:
    assert late(0.75) == pytest.approx(float(reference(0.75)), rel=1e-14)
