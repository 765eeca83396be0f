"""An op's element expression means what its kernel computes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.op.op import REGISTRY
from graphwright.op.op_families import Elementwise, no_element
from graphwright.op.scalars import NumpyScalars
from graphwright.types.dtypes import DType

#: Where an op is defined on less than the sample, or computes with the dtype's own rules.
DOMAINS = {"Acosh": (1.0, 4.0), "Acos": (-1.0, 1.0), "Asin": (-1.0, 1.0), "Atanh": (-0.9, 0.9),
           "Log": (0.1, 4.0), "Sqrt": (0.1, 4.0), "Rsqrt": (0.1, 4.0), "Log1p": (-0.9, 4.0),
           "Pow": (0.1, 3.0), "Xlogy": (0.1, 4.0), "Xlog1py": (0.1, 4.0),
           "Lgamma": (0.1, 4.0)}  # fmt: skip


def elementwise() -> Iterator[type[Elementwise]]:
    """The ops that state an element expression and have no attributes without defaults."""
    for _, op in sorted(REGISTRY.items()):
        ours = op.__module__.startswith("graphwright.")  # tests define ops of their own
        if ours and issubclass(op, Elementwise) and op.element is not no_element:
            with contextlib.suppress(TypeError):
                op()
                yield op


def operand(op: type[Elementwise], position: int, dtype: DType) -> Any:
    """A sample array for one operand."""
    random = np.random.default_rng(position)
    if dtype is tf.bool:
        return random.uniform(size=40) > 0.5
    if dtype.is_integer:
        return random.integers(1, 7, 40).astype(dtype.numpy_dtype)
    values = random.uniform(*DOMAINS.get(op.type_name, (-4.0, 4.0)), 40)
    return (values + 1j * values if dtype.is_complex else values).astype(dtype.numpy_dtype)


def dtypes(op: type[Elementwise]) -> list[DType]:
    """What the op's first type variable may be, of a few."""
    few = (tf.float32, tf.float64, tf.int32, tf.int8, tf.bool, tf.complex64)
    variables = list(op.dtypes.values())
    return [t for t in few if not variables or t in variables[0]]


@pytest.mark.parametrize("op", list(elementwise()), ids=lambda op: op.type_name)
def test_an_element_is_what_the_kernel_computes(op: type[Elementwise]) -> None:
    tested = 0
    for dtype in dtypes(op):
        types = [dtype if o.dtype in op.dtypes else tf.as_dtype(o.dtype) for o in op.operands]
        arrays = [operand(op, i, t) for i, t in enumerate(types)]
        with np.errstate(all="ignore"):
            expected = np.asarray(op().bind(types)(*arrays))
            found = np.asarray(op().element(NumpyScalars(), *arrays))
        wide = np.complex128
        np.testing.assert_allclose(found.astype(wide), expected.astype(wide), 1e-5, 1e-6)
        tested += 1
    assert tested
