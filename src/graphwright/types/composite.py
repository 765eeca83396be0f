"""`Composite`: a value that is made of tensors, as ragged tensors and sparse ones are.

Its type spec takes it apart and puts it together (`TypeSpec._to_components`, `_from_components`).
Structures with `expand_composites` follow from that, and so do arguments and results of functions,
branches and loops. What a public function means for it is registered with `op.dispatch`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphwright.types import tree
from graphwright.types.arguments import TensorValue


class Composite:
    """The base of values made of tensors.

    >>> import graphwright as tf
    >>> isinstance(tf.ragged.constant([[1], []]), tf.__internal__.CompositeTensor)
    True
    """

    __slots__ = ()

    #: Whether it counts as a kind of tensor, as rows and sparse and ragged ones do: `tf.is_tensor`.
    _is_native = False

    #: Whether it stands for a Python list of tensors.
    _is_list = False

    @property
    def __graphwright_spec__(self) -> Any:
        """The type spec of this value: what a class states, by this name or by `_type_spec`."""
        if type(self)._type_spec is Composite._type_spec:
            raise NotImplementedError(f"{type(self).__name__} does not say its type spec")
        return self._type_spec

    @property
    def _type_spec(self) -> Any:
        """The type spec, by the name that programs for TensorFlow use."""
        return self.__graphwright_spec__

    def _sign(self) -> tuple[Any, list[Any]] | None:
        """A key of this value's type, unique in its class, and its eager tensors in the order of
        the spec; None where only the spec tells types apart. Repeated calls of a function are
        looked up by it.
        """
        return None

    @property
    def _differentiable_part(self) -> Any:
        """The tensor or composite that gradients of this value, or with respect to it, are about.

        ValueError for a type without one.
        """
        raise ValueError(
            f"Type {type(self).__name__} is not supported as a gradient source or gradient target."
        )

    def _with_differentiable_part(self, part: Any) -> Any:
        """A value like this one with another such part."""
        raise NotImplementedError

    # What `tf.map_fn` needs of a composite that has rows. `_of_rows` of its spec says what they
    # are, and `_items` how results of its kind are collected.

    def _row(self, index: TensorValue) -> Any:
        """The row at an index."""
        raise ValueError(f"a {type(self).__name__} is not made of rows")

    def _row_count(self) -> Any:
        """The number of rows."""
        raise ValueError(f"a {type(self).__name__} is not made of rows")

    @property
    def _static_row_count(self) -> int | None:
        """The number of rows, where it is known."""
        raise ValueError(f"a {type(self).__name__} is not made of rows")


def map_components(function: Callable[[Any], object], value: object) -> Any:
    """A value like this one, its tensors replaced by `function` of them."""
    return tree.map_structure(function, value, expand_composites=True)
