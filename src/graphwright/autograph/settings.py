"""What users set: features, the options of loops, and how much conversion reports."""

from __future__ import annotations

import contextvars
import enum
from typing import Any


class Feature(enum.Enum):
    """The optional parts of TensorFlow's AutoGraph.

    With LISTS (or ALL) an empty list too may grow in a loop of the graph: the first item that
    the loop's body appends says what type all have. The others are accepted wherever TensorFlow
    takes them and change nothing: what there is of them here is always on.
    """

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls) -> tuple[Feature, ...]:
        """Every feature."""
        return tuple(cls)

    @classmethod
    def all_but(cls, exclude: Any) -> tuple[Feature, ...]:
        """Every feature except one, or several."""
        left_out = exclude if isinstance(exclude, (list, tuple, set)) else (exclude,)
        return tuple(set(cls.all()) - set(left_out) - {cls.ALL})


_features: contextvars.ContextVar[frozenset[Feature]] = contextvars.ContextVar(
    "features", default=frozenset()
)


def is_on(feature: Feature) -> bool:
    """Whether what is being traced asked for a feature."""
    return not _features.get().isdisjoint((feature, Feature.ALL))


class features:
    """The block traces what asked for these features: None, one, or several."""

    __slots__ = ("before", "wanted")

    def __init__(self, wanted: Any) -> None:
        several = wanted if isinstance(wanted, (tuple, list, set, frozenset)) else (wanted,)
        self.wanted = frozenset(several) - {None}

    def __enter__(self) -> None:
        self.before = _features.set(self.wanted)

    def __exit__(self, *error: object) -> None:
        _features.reset(self.before)


def set_loop_options(
    parallel_iterations: Any = None,
    swap_memory: Any = None,
    maximum_iterations: Any = None,
    shape_invariants: Any = None,
) -> None:
    """Options of the loop in whose body this call stands, where that becomes a `while_loop`.

    `shape_invariants` is a list of pairs: a loop variable, and the shape that it keeps in
    every iteration. AutoGraph reads the call where it is written; run as Python, it does
    nothing.

    >>> import graphwright as tf
    >>> @tf.function
    ... def double(n):
    ...     x = tf.constant([1])
    ...     for _ in tf.range(n):
    ...         tf.autograph.experimental.set_loop_options(
    ...             shape_invariants=[(x, tf.TensorShape([None]))])
    ...         x = tf.concat([x, x], 0)
    ...     return x
    >>> double(tf.constant(2))
    <tf.Tensor: shape=(4,), dtype=int32, numpy=array([1, 1, 1, 1], dtype=int32)>
    """


class Verbosity:
    """How much conversion reports."""

    level = 0
    to_stdout = False


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """How much AutoGraph logs: from 1 on each conversion, from 10 on the converted source.

    With `alsologtostdout` it is printed too, which suits notebooks.

    >>> import graphwright as tf
    >>> tf.autograph.set_verbosity(0)
    """
    Verbosity.level = level
    Verbosity.to_stdout = alsologtostdout


def trace(*args: Any) -> None:
    """Prints its arguments while the function is traced.

    >>> import graphwright as tf
    >>> tf.autograph.trace("tracing", 3)
    tracing 3
    """
    print(*args)
