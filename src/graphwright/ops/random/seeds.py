"""Where stateful random ops get their seeds, and the streams that these start.

Two numbers seed an op: the global seed in force and its own. Under a global seed, an op that has
no seed takes the next number of a *source*. Outside of functions `set_seed` starts it; each graph
that is traced has 0, 1, 2, ... Without any seed an op starts anywhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, ClassVar, TypeVar
from weakref import WeakKeyDictionary

from graphwright.base.forks import own_lock
from graphwright.op.interpreter import STATE, Interpreter
from graphwright.op.op import REGISTRY, Op
from graphwright.ops.random import philox_draws
from graphwright.types.arguments import TensorLike

OpT = TypeVar("OpT", bound=Op)


class SeedSource:
    """A global seed, and the numbers that ops without a seed take in turn."""

    __slots__ = ("numbers", "seed")

    def __init__(self, seed: int | None, numbers: Iterator[int]) -> None:
        self.seed = seed
        self.numbers = numbers


class Seeding:
    """The process's own source, and those of the graphs that are being traced."""

    outside: ClassVar[SeedSource] = SeedSource(None, itertools.count())
    graphs: ClassVar[WeakKeyDictionary[Any, SeedSource]] = WeakKeyDictionary()
    #: Replaced by each `set_seed`: streams that began under another begin again.
    epoch: ClassVar[object] = object()


def set_seed(seed: TensorLike | None) -> None:
    """Sets the global seed, from which random ops with and without a seed of their own start over.

    A function keeps the global seed under which it was traced, and its ops start over too. In a
    function that is being traced, the seed is for the ops that come after.

    Args:
        seed: An int, or None for no global seed.

    >>> import graphwright as tf
    >>> tf.random.set_seed(42)
    >>> x = tf.random.uniform([2])
    >>> tf.random.set_seed(42)
    >>> bool(tf.reduce_all(x == tf.random.uniform([2])))
    True
    """
    number = whole(seed)
    current = source(STATE.active)
    if current is not Seeding.outside:
        current.seed = number
    numbers = itertools.count() if number is None else philox_draws.operation_seeds(number)
    Seeding.outside = SeedSource(number, numbers)
    Seeding.epoch = object()
    for kind in list(REGISTRY.values()):
        if kind.has_stream:  # its streams would begin again anyway
            kind.forget()


def whole(seed: TensorLike | None) -> int | None:
    """A seed as Python's int, or None for none."""
    number: Any = seed
    return None if number is None else int(number)


def source(interpreter: Interpreter | None) -> SeedSource:
    """The source of the graph that an interpreter builds, or else that outside of graphs."""
    while interpreter is not None:
        graph = getattr(interpreter, "graph", None)
        if graph is not None:
            numbered = Seeding.graphs.get(graph)
            if numbered is None:
                numbered = SeedSource(source(interpreter.below).seed, itertools.count())
                Seeding.graphs[graph] = numbered
            return numbered
        interpreter = interpreter.below
    return Seeding.outside


def seeded(kind: type[OpT], op_seed: TensorLike | None, *attributes: Any) -> OpT:
    """A stateful op with its two seeds: the same object for the same seed."""
    current = source(STATE.active)
    if op_seed is None and current.seed is not None:
        pair = philox_draws.seed_pair(current.seed, next(current.numbers))
        return kind(*(pair or ()), *attributes)
    pair = philox_draws.seed_pair(current.seed, whole(op_seed))
    return kind.of(*(pair or (0, 0)), *attributes)


class Stream:
    """The position of a stateful op in the Philox stream that its seeds start."""

    __slots__ = ("__weakref__", "_counter", "_epoch", "_key", "_seeds", "lock")

    def __init__(self, seed: int, seed2: int) -> None:
        self._seeds = (seed, seed2)
        self.lock = own_lock(self)
        self._epoch: object = None
        self._key = self._counter = 0

    def take(self, counters: int) -> tuple[int, int]:
        """The key and counter to draw from; the next draw is so many counters further."""
        with self.lock:
            if self._epoch is not Seeding.epoch:
                self._epoch = Seeding.epoch
                start = self._seeds if any(self._seeds) else anywhere()
                self._key, self._counter = philox_draws.key_counter(*start)
            position = self._key, self._counter
            self._counter += counters
        return position

    def place(self) -> tuple[object, int, int]:
        """Where it is, for `go_to`."""
        with self.lock:
            return self._epoch, self._key, self._counter

    def go_to(self, place: tuple[object, int, int] | None) -> None:
        """Goes back to a place; None is the start."""
        with self.lock:
            self._epoch, self._key, self._counter = place or (None, 0, 0)


def anywhere() -> tuple[int, int]:
    """Seeds that nobody chose."""
    return philox_draws.unforeseen(), philox_draws.unforeseen()


def seeds_for(op_seed: TensorLike | None) -> tuple[int, int]:
    """The two seeds of something stateful that is no op: (0, 0) where nothing seeds it."""
    first, second = get_seed(op_seed)
    return (0, 0) if first is None or second is None else (first, second)


def get_seed(op_seed: TensorLike | None) -> tuple[int | None, int | None]:
    """Returns the two seeds that a random op has now.

    Args:
        op_seed: The seed of its own, an int, or None.

    Returns:
        A pair of the global seed and that of the op; of None and None where nothing seeds it.

    >>> import graphwright as tf
    >>> tf.random.set_seed(7)
    >>> tf.compat.v1.get_seed(3)
    (7, 3)
    >>> tf.random.set_seed(None)
    >>> tf.compat.v1.get_seed(None)
    (None, None)
    """
    current = source(STATE.active)
    if op_seed is None and current.seed is not None:
        op_seed = next(current.numbers)
    return philox_draws.seed_pair(current.seed, whole(op_seed)) or (None, None)
