"""Small products in compiled programs are NumPy's, whichever routine computes them."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.llvm.product_code import can_be_rows
from graphwright.compile.nests.nest import Multiply
from graphwright.compile.nests.sizes import Size

SIZES = [
    (1, 5, 7), (1, 40, 33), (5, 40, 1), (40, 5, 1), (3, 9, 11), (7, 33, 50), (8, 9, 10),
    (1, 9, 1), (1, 1, 9), (4, 1, 1), (2, 300, 300), (1, 0, 4), (3, 0, 1), (600, 600, 1),
]  # fmt: skip


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize(("ta", "tb"), [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_products_of_few_rows_or_columns(dtype: str, ta: bool, tb: bool, is_known: bool) -> None:
    """In a loop, with sizes of the trace or of the call; exact in small integers."""

    def total(a: tf.Tensor, b: tf.Tensor, start: tf.Tensor) -> tf.Tensor:
        for i in tf.range(3):
            factor = tf.cast(i + 1, a.dtype)
            start = start + tf.matmul(a * factor, b, transpose_a=ta, transpose_b=tb)
        return start

    random = np.random.default_rng(1)
    spec = tf.TensorSpec([None, None], dtype)
    signature = None if is_known else [spec, spec, spec]
    function = tf.function(total, jit_compile=True, input_signature=signature)
    for m, k, n in SIZES:
        x = random.integers(-4, 5, (m, k)).astype(dtype)
        y = random.integers(-4, 5, (k, n)).astype(dtype)
        start = random.integers(-4, 5, (m, n)).astype(dtype)
        result = function(x.T if ta else x, y.T if tb else y, start)
        np.testing.assert_array_equal(result, start + 6 * (x @ y), str((m, k, n)))


def test_batches_of_rows() -> None:
    """Each product of a batch is one of a row."""
    random = np.random.default_rng(2)
    x = random.integers(-4, 5, (6, 1, 20)).astype("f4")
    y = random.integers(-4, 5, (6, 13, 20)).astype("f4")
    function = tf.function(lambda x, y: tf.matmul(x, y, transpose_b=True), jit_compile=True)
    np.testing.assert_array_equal(function(x, y), x @ y.transpose(0, 2, 1))


def test_sizes_decide() -> None:
    """Known sizes of many rows and columns leave no choice in the code."""
    some = Multiply(0, 1, 2, Size(8), Size(2), Size(4), False, False, "f32")
    assert not can_be_rows(some)
    assert can_be_rows(some._replace(m=Size(7)))
    assert can_be_rows(some._replace(n=Size(1)))
    assert can_be_rows(some._replace(m=Size(1, (3,))))
