"""Values in the place of what an op fails to give: whether anything depends on it.

A graph leaves out an op that nobody needs, even one that fails. To see that nobody does, plain
Python runs with numbers in the place of its results, once with zeros and once with ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

import graphwright as tf
from graphwright.op.interpreter import Layer, activate
from graphwright.op.op import Op, host_value
from graphwright.types.tensor_type import TensorType


class Filled(Layer):
    """Runs ops, and gives a number in each place of what one fails to give."""

    def __init__(self, number: int) -> None:
        self.number = number

    def apply(self, op: Op, operands: tuple[Any, ...], name: str | None) -> Any:
        try:
            return self.hand_on(op, operands, name)
        except (tf.errors.InvalidArgumentError, ValueError):
            with activate(None):
                results = tuple([self.filler(t) for t in self.types(op, operands)])
            return results[0] if len(results) == 1 and not op.returns_tuple else results

    def types(self, op: Op, operands: tuple[Any, ...]) -> Sequence[TensorType]:
        """The types of what an op would give; its places are unknown where it refuses them."""
        mask = op.host_mask(len(operands))
        try:
            return op.infer([host_value(x) if host else x.type for x, host in zip(operands, mask)])
        except ValueError:
            return op.infer([unknown(x) if host else x.type for x, host in zip(operands, mask)])

    def filler(self, type_: TensorType) -> Any:
        """A tensor of the number; a ValueError where the rank is not known.

        An unknown size is 0: in a graph a loop over `tf.range(1, 0)` has no turns.
        """
        if type_.dims is None:
            raise ValueError(f"{type_} has no known rank")
        return tf.constant(np.full([n or 0 for n in type_.dims], self.number), type_.dtype)


def unknown(host: Any) -> Any:
    """A host operand of which nothing is known but how long it is."""
    value = host_value(host)
    return (None,) * len(value) if isinstance(value, tuple) else None


@contextmanager
def filled(number: int) -> Iterator[None]:
    """Lets the ops inside that fail give a number."""
    with activate(Filled(number)):
        yield
