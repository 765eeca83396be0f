"""Functions in both tiers: what machine code makes of them, and what the kernels do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np

import graphwright as tf
from graphwright.compile.run.checking import compare
from graphwright.compile.run.executable import Executable
from graphwright.compile.run.inspection import outside
from graphwright.types import tree


def normal(*shape: int) -> Any:
    return np.random.default_rng(shape).normal(size=shape).astype(np.float32)


def numbers(*shape: int, below: int = 5) -> Any:
    return np.random.default_rng(shape).integers(0, below, shape).astype(np.int32)


def staged(function: Callable[..., Any], arrays: Sequence[Any], dynamic: bool) -> Any:
    """The function compiled for the arrays' shapes, or for any of their ranks."""
    specs = [tf.TensorSpec([None] * a.ndim if dynamic else a.shape, a.dtype) for a in arrays]
    return tf.function(function, input_signature=specs, jit_compile=True)


@contextmanager
def calls_left() -> Iterator[list[Any]]:
    """The machine code that leaves a call to the kernels, once for each such call.

    It is that of functions which are traced meanwhile.
    """
    left: list[Any] = []

    def watched(own: Callable[[Executable], Any]) -> Callable[[Executable], Any]:
        def made(executable: Executable) -> Any:
            native = own(executable)

            def call(*arrays: Any) -> Any:
                results = native(*arrays)
                if results is None:
                    left.append(executable)
                return results

            return call

        return made

    forms: dict[str, Any] = {
        name: watched(getattr(Executable, name)) for name in ("function", "lending")
    }
    with mock.patch.multiple(Executable, **forms):
        yield left


def flat(result: Any) -> list[Any]:
    return [r.numpy() for r in tf.nest.flatten(result)]


def differences(
    function: Callable[..., Any], arrays: Sequence[Any], dynamic: bool, exact: bool = False
) -> list[str]:
    """How machine code differs from the kernels, and what of the function it does not cover."""
    fast = staged(function, arrays, dynamic)
    pairs = zip(flat(function(*map(tf.constant, arrays))), flat(fast(*arrays)), strict=True)
    wrong = [compare(own, other) for other, own in pairs]
    if exact:
        pairs = zip(flat(function(*map(tf.constant, arrays))), flat(fast(*arrays)))
        wrong += [f"{a!r} and {b!r}" for a, b in pairs if a.tobytes() != b.tobytes()]
    parts = outside(fast.get_concrete_function().graph)
    return [w for w in wrong if w] + [f"{node.op.type_name}: {reason}" for node, reason in parts]


def plain(value: Any) -> Any:
    """A result with tensors as the Python values in them."""
    return tree.map_structure(
        lambda leaf: leaf.numpy().tolist() if isinstance(leaf, tf.Tensor) else leaf, value
    )
