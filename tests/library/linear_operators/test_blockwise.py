"""Operators of blocks take lists of blocks and give lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphwright as tf

L = tf.linalg
FULL = L.LinearOperatorFullMatrix


def operators() -> list[Any]:
    a, b = FULL([[2.0, 1.0], [0.0, 3.0]]), FULL([[4.0]])
    triangular = L.LinearOperatorBlockLowerTriangular([[a], [FULL([[1.0, 1.0]]), b]])
    return [triangular, L.LinearOperatorBlockDiag([a, b])]


@pytest.mark.parametrize("operator", operators(), ids=lambda o: type(o).__name__)
@pytest.mark.parametrize("method", ["matmul", "solve", "matvec", "solvevec"])
@pytest.mark.parametrize("adjoint", [False, True])
def test_a_list_of_blocks_gives_the_blocks_of_the_result(
    operator: Any, method: str, adjoint: bool
) -> None:
    x = tf.constant([[1.0, -1.0], [2.0, 0.5], [3.0, 2.0]])
    if "vec" in method:
        x = x[:, 0]
    whole = getattr(operator, method)(x, adjoint=adjoint)
    blocks = getattr(operator, method)([x[:2], x[2:]], adjoint=adjoint)
    assert [block.shape[0] for block in blocks] == [2, 1]
    np.testing.assert_allclose(np.concatenate(blocks), whole)
