"""`tf.stablehlo.export`: functions as text of StableHLO."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graphwright.function.concrete import ConcreteFunction
from graphwright.function.polymorphic import PolymorphicFunction, function
from graphwright.portable.only_trace import only_trace


def export(f: object, *args: object, **kwargs: object) -> str:
    """Returns a function as text of StableHLO, which XLA and its users read.

    The text is a module whose function `main` takes the function's tensors in order and returns
    its results as a tuple. All sizes must be known. Variables and tensors of outside have the
    values that they have now, as constants. Checks such as `tf.debugging.assert_equal` are left
    out, and indices outside of an axis take the nearest element.

    Args:
        f: A `tf.function`, any other function of tensors, or a concrete function.
        *args: The arguments to trace for, as values or as `tf.TensorSpec`, of shapes that are
            known. None for a concrete function, or a `tf.function` with one trace.
        **kwargs: Arguments by name, in the same way.

    Returns:
        A string.

    Raises:
        UnimplementedError: Ops have no counterpart in StableHLO; all are named, with their lines.
        ValueError: The size of an argument is not known, or it is not plain which trace is meant.

    >>> import graphwright as tf
    >>> print(tf.stablehlo.export(lambda x: 2.0 * x + 1.0, tf.TensorSpec([3], name="x")), end="")
    module @__lambda_ {
      func.func public @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
        %0 = stablehlo.constant dense<2.0> : tensor<3xf32>
        %1 = stablehlo.constant dense<1.0> : tensor<3xf32>
        %2 = stablehlo.multiply %0, %x : tensor<3xf32>
        %3 = stablehlo.add %2, %1 : tensor<3xf32>
        return %3 : tensor<3xf32>
      }
    }
    """
    from graphwright.portable.stablehlo.stablehlo_text import stablehlo_text  # few need it

    return stablehlo_text(exported_trace(f, args, kwargs).graph)


def exported_trace(
    f: object, args: Sequence[object], kwargs: Mapping[str, object]
) -> ConcreteFunction:
    """The one trace that is meant."""
    if isinstance(f, ConcreteFunction):
        if args or kwargs:
            raise ValueError(f"{f!r} is one trace, so it takes no arguments to trace for")
        return f
    if isinstance(f, PolymorphicFunction) and not args and not kwargs:
        only = only_trace(f)
        if only is not None:
            return only
        count = len(f._list_all_concrete_functions())
        if count:
            raise ValueError(
                f"{f!r} has {count} traces; name the types of its arguments: "
                "tf.stablehlo.export(f, tf.TensorSpec([8, 4], tf.float32))"
            )
    if not callable(f):
        raise ValueError(f"{f!r} is no function of tensors")
    traced = f if isinstance(f, PolymorphicFunction) else function(f)
    concrete: ConcreteFunction = traced.get_concrete_function(*args, **kwargs)
    return concrete
