"""The short way of an operator gives what the long way gives."""

from __future__ import annotations

import math

import numpy as np
import pytest

import graphwright as tf
from graphwright.values.tensor_operators import Operators

NUMBERS = [0, 1, -1, 300, 1 << 40, 1 << 70, 0.0, -0.0, 2.0, 2.5, 1e300, math.inf, math.nan, True]
DTYPES = ["int8", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64"]
DTYPES += ["complex64", "bool", "string"]


def outcome(operator: object, x: tf.Tensor, number: object) -> object:
    """The dtype and the value, or the class and the words of the error."""
    assert callable(operator)
    try:
        result = operator(x, number)
    except (TypeError, ValueError, tf.errors.OpError) as error:
        return type(error), str(error)
    return NotImplemented if result is NotImplemented else (result.dtype, repr(result.numpy()))


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "lt", "le", "gt", "ge"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_number_beside_a_tensor(name: str, dtype: str) -> None:
    values = ["3", "-7"] if dtype == "string" else np.array([3, 7])
    x = tf.constant(values) if dtype == "string" else tf.cast(values, dtype)
    long, short = (getattr(kind, f"__{name}__") for kind in (Operators, type(x)))
    assert short is not long
    for number in NUMBERS:
        assert len({str(outcome(way, x, number)) for way in (long, short, short)}) == 1, number
