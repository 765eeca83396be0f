"""Products of a few rows are NumPy's, exactly, and use nothing that lies beside the matrices."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from graphwright.machine import products
from graphwright.machine.array_layout import address
from graphwright.machine.targets import Vectors
from graphwright.machine.tile_code import CodeTile

pytestmark = pytest.mark.usefixtures("native_kernels")


def framed(x: Any) -> Any:
    """The matrix in memory that has NaN before and behind it."""
    memory = np.full(x.size + 80, np.nan, x.dtype)
    inside = memory[40 : 40 + x.size].reshape(x.shape)
    inside[...] = x
    return inside


@pytest.mark.parametrize(
    "vectors",
    [
        None,
        Vectors(512, 32, True),
        Vectors(256, 16, True),
        Vectors(256, 16, False),
        Vectors(128, 16, False),
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_rows_of_products(dtype: str, vectors: Vectors | None) -> None:
    """Written and added, with rows or columns of the right operand side by side."""
    kind = np.dtype(dtype)
    if vectors is None:
        function = products.kernels(kind).multiply_rows
    else:
        function = products.load(CodeTile(vectors, kind.itemsize * 8)).multiply_rows
    random, unit = np.random.default_rng(0), kind.itemsize
    depths = (0, 1, 2, 3, 7, 8, 16, 21, 33)
    for m, k, transposed, adds in itertools.product((0, 1, 3), depths, (0, 1), (0, 1)):
        for n in (0, 1, 3, 4, 9, 17, 32, 33, 66, 100):
            a = framed(random.integers(-9, 10, (m, k)).astype(kind))
            b = random.integers(-9, 10, (k, n)).astype(kind)
            c = np.full((m + 2, n), 5, kind)
            expected = c.copy()
            expected[1:-1] = 5 * adds + a @ b
            b = framed(b.T if transposed else b)
            strides = (unit, k * unit) if transposed else (n * unit, unit)
            target = address(c) + n * unit
            function(address(a), k * unit, address(b), *strides, target, m, n, k, adds)
            np.testing.assert_array_equal(c, expected, str((m, k, n, transposed, adds)))
