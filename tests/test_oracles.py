"""Ops give what NumPy, SciPy and mpmath give: eagerly, traced, as machine code, differentiated."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from corpora.oracles import Oracle, oracles
from support.numeric import differences, slopes

import graphwright as tf

ORACLES = list(oracles())


def cases(oracle: Oracle) -> list[tuple[list[Any], list[Any], Any]]:
    """The tensors of each case, its plain arguments, and the reference's result."""
    result = []
    for dtype in oracle.dtypes:
        for arguments in oracle.arguments:
            arrays = [a.astype(dtype) for a in arguments if isinstance(a, np.ndarray)]
            plain = [a for a in arguments if not isinstance(a, np.ndarray)]
            wide = [a.astype("float64") if a.dtype.kind == "f" else a for a in arrays]
            with np.errstate(all="ignore"):
                expected = np.asarray(oracle.reference(*wide, *plain))
            result.append(([tf.constant(a) for a in arrays], plain, expected))
    return result


def assert_near(result: Any, expected: Any, ulps: float) -> None:
    """A result is as near to the reference as its dtype allows."""
    assert result.shape == expected.shape
    if result.dtype.is_floating:
        epsilon = np.finfo(result.dtype.as_numpy_dtype).eps
        scale = np.spacing(0.0) + np.abs(expected)
        near = np.abs(result.numpy().astype("float64") - expected) <= ulps * epsilon * scale
        assert np.all(near | (np.isnan(expected) & np.isnan(result.numpy())))
    else:
        np.testing.assert_array_equal(result.numpy(), expected)


@pytest.mark.parametrize("oracle", ORACLES, ids=lambda o: o.op)
@pytest.mark.parametrize("form", ["eager", "known", "partial", "unknown", "native"])
def test_values(oracle: Oracle, form: str) -> None:
    for tensors, plain, expected in cases(oracle):
        function = functools.partial(lambda f, p, *t: f(*t, *p), oracle.function, plain)
        if form != "eager":
            shapes: list[Any] = [x.shape for x in tensors]
            if form == "partial":
                shapes = [[None] * shape.rank for shape in shapes]
            elif form == "unknown":
                shapes = [None] * len(shapes)
            specs = [tf.TensorSpec(s, x.dtype) for s, x in zip(shapes, tensors)]
            compiled = True if form == "native" else None
            function = tf.function(function, input_signature=specs, jit_compile=compiled)
        assert_near(function(*tensors), expected, oracle.ulps)


@pytest.mark.parametrize("oracle", ORACLES, ids=lambda o: o.op)
def test_derivatives(oracle: Oracle) -> None:
    for tensors, plain, _ in cases(oracle._replace(dtypes=["float64"])):
        moving = [i for i, x in enumerate(tensors) if x.dtype.is_floating]
        function = functools.partial(lambda f, p, *t: f(*t, *p), oracle.function, plain)
        arrays = [x.numpy() for x in tensors]
        for which, result in zip(moving, slopes(function, tensors, moving)):
            expected = differences(function, arrays, which, 1e-6)
            np.testing.assert_allclose(result.numpy(), expected, 1e-4, 1e-6)


@pytest.mark.parametrize("oracle", ORACLES, ids=lambda o: o.op)
def test_the_function_runs_the_op(oracle: Oracle) -> None:
    [tensors, plain, _] = cases(oracle)[0]
    graph = (
        tf.function(lambda *t: oracle.function(*t, *plain)).get_concrete_function(*tensors).graph
    )
    assert oracle.op in [operation.type for operation in graph.get_operations()]


def test_a_wrong_op_is_noticed() -> None:
    [tensors, plain, expected] = cases(ORACLES[0])[0]
    with pytest.raises(AssertionError):
        assert_near(tf.tanh(*tensors, *plain), expected, ORACLES[0].ulps)
