"""Python functions in programs, where TensorFlow 2.21 calls them at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as tf

CASES: list[tuple[Callable[..., object], list[Any], object]] = [
    (lambda a, b: (a + b, a), [tf.constant([1.0]), 2.0], [("float64", [3.0]), ("float32", [1.0])]),
    (lambda a: {"x": a, "y": [a, a]}, [1], [("int64", 1)] * 3),
    (lambda a: (a,), [1], ("int64", 1)),
    (lambda a: (None, a), [tf.Variable(2.0)], [None, ("float32", 2.0)]),
    (lambda a: a * 2, [[tf.constant(1.0), tf.constant(2.0)]], ("float32", [2.0, 4.0])),
    (lambda a: [], [1], []),
    (lambda a: [1, 2], [1], [("int32", 1), ("int32", 2)]),
    (lambda a: a, [np.float16(2)], ("float16", 2.0)),
    (lambda a: None, [1], None),
]


@pytest.mark.parametrize(("function", "given", "expected"), CASES)
def test_numpy_functions_at_once(
    function: Callable[..., object], given: list[Any], expected: object
) -> None:
    """Results are a list, or one alone; their dtypes are those that NumPy gives."""

    def shown(result: Any) -> object:
        if isinstance(result, list):
            return [shown(each) for each in result]
        return None if result is None else (result.dtype.name, result.numpy().tolist())

    assert shown(tf.numpy_function(function, given, tf.float32)) == expected
