"""Ops whose values come from NumPy, SciPy or mpmath: those that nobody recorded from TensorFlow.

An oracle is a reference function of arrays, and arguments for it. It shares no code with the op.
`test_oracles.py` holds the op to it in every form; `tools/new_op.py` adds one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.special

import graphwright as tf


class Oracle(NamedTuple):
    """What an op is compared with."""

    op: str  # its type name
    function: Callable[..., Any]  # the public function
    reference: Callable[..., Any]  # of arrays of float64 or integers
    arguments: Sequence[Sequence[Any]]  # tensors first; arrays of float64, or plain values
    dtypes: Sequence[str] = ("float32", "float64")
    ulps: float = 4.0


def oracles() -> Iterator[Oracle]:
    """All oracles, in the order of their ops' families."""
    x = np.linspace(-3.0, 3.0, 13)
    yield Oracle("Sigmoid", tf.sigmoid, scipy.special.expit, [[x], [x.reshape(13, 1)], [x[:0]]])
