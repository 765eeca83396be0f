"""Functions whose loops are machine code, compared with the kernels."""

from __future__ import annotations

import numpy as np
from plans.programs import Case, check
from support.tiers import calls_left, flat, staged

import graphwright as tf
from graphwright.compile.run.checking import compare
from graphwright.compile.run.kernel_loops import kernel_loops


def number(value, dtype="int32"):
    return np.asarray(value, dtype)


def compared(function, *arrays, dynamic=(False, True), refused=False):
    """Asserts that a function's loops are machine code that does what the kernels do, and that its
    plan does nothing that none may. It does the call itself, unless it must refuse it."""
    slow = flat(tf.function(function, jit_compile=False)(*map(tf.constant, arrays)))
    for unknown in dynamic:
        fast = staged(function, arrays, unknown)
        with calls_left() as left:
            pairs = zip(flat(fast(*arrays)), slow, strict=True)
        assert bool(left) == refused
        assert [compare(own, other) for own, other in pairs] == [""] * len(slow)
        assert kernel_loops(fast.get_concrete_function().graph) == []
    check(Case("cliff", lambda: [tf.function(function)(*map(tf.constant, arrays))]))


def definite(*shape, dtype="float32"):
    x = np.random.default_rng(shape).normal(size=shape)
    return (x @ np.swapaxes(x, -1, -2) + np.eye(shape[-1])).astype(dtype)
