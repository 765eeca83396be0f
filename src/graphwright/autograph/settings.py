"""Settings of AutoGraph: optional features, the options of loops, and verbosity."""

from __future__ import annotations

import contextvars
import enum
from collections.abc import Collection, Sequence
from typing import TypeAlias

from graphwright.types.arguments import ShapeLike, TensorLike


class Feature(enum.Enum):
    """The optional parts of TensorFlow's AutoGraph.

    With LISTS (or ALL), an empty list too may grow in a loop of the graph. The first item that the
    body appends determines the type of all. The others change nothing, since they are always on.

    >>> import graphwright as tf
    >>> lists = tf.autograph.experimental.Feature.LISTS
    >>> @tf.function(experimental_autograph_options=lists)
    ... def squares(n):
    ...     items = []
    ...     for i in tf.range(n):
    ...         items.append(i * i)
    ...     return tf.stack(items)
    >>> squares(tf.constant(3)).numpy()
    array([0, 1, 4], dtype=int32)
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
    def all_but(cls, exclude: Feature | Collection[Feature]) -> tuple[Feature, ...]:
        """Returns every feature except some.

        Args:
            exclude: A feature, or several in a list, a tuple or a set.

        Returns:
            A tuple of features.
        """
        left_out = exclude if isinstance(exclude, (list, tuple, set)) else (exclude,)
        return tuple(set(cls.all()) - set(left_out) - {cls.ALL})


#: Optional features: none, one or several.
Features: TypeAlias = Feature | Collection[Feature] | None

_features: contextvars.ContextVar[frozenset[Feature]] = contextvars.ContextVar(
    "features", default=frozenset()
)


def is_on(feature: Feature) -> bool:
    """Whether a feature is on for the function being traced."""
    return not _features.get().isdisjoint((feature, Feature.ALL))


class features:
    """A context with these features on: None, one, or several."""

    __slots__ = ("features", "token")

    def __init__(self, features: Features) -> None:
        several = features if isinstance(features, (tuple, list, set, frozenset)) else (features,)
        self.features = frozenset(several) - {None}

    def __enter__(self) -> None:
        self.token = _features.set(self.features)

    def __exit__(self, *error: object) -> None:
        _features.reset(self.token)


def set_loop_options(
    parallel_iterations: int | None = None,
    swap_memory: bool | None = None,
    maximum_iterations: TensorLike | None = None,
    shape_invariants: Sequence[tuple[object, ShapeLike]] | None = None,
) -> None:
    """Sets options of the loop in whose body the call stands, where that becomes a `tf.while_loop`.

    AutoGraph reads the call from the source. Run as Python, it does nothing.

    Args:
        parallel_iterations: As in `tf.while_loop`: a positive int, and not used.
        swap_memory: As in `tf.while_loop`: not used.
        maximum_iterations: The greatest number of iterations: a scalar of integers.
        shape_invariants: A list of pairs: a loop variable, and the shape that it has in every
            iteration.

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
    """Sets how much AutoGraph logs.

    Args:
        level: 0 logs warnings only, 1 each conversion, 10 the converted source too.
        alsologtostdout: Whether the log is printed too, as notebooks need it.

    >>> import graphwright as tf
    >>> tf.autograph.set_verbosity(0)
    """
    Verbosity.level = level
    Verbosity.to_stdout = alsologtostdout


def trace(*args: object) -> None:
    """Prints values while a function is traced.

    Args:
        *args: Any values.

    >>> import graphwright as tf
    >>> tf.autograph.trace("tracing", 3)
    tracing 3
    """
    print(*args)
