"""Python generators as sources of elements: what they give becomes arrays of the promised types."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from graphwright.control.python_call import status_of
from graphwright.data.blocks import Row
from graphwright.data.element_type import ElementType, parts_in
from graphwright.op.interpreter import activate, host_array
from graphwright.types import tree
from graphwright.types.dtypes import as_dtype
from graphwright.types.shape import TensorShape
from graphwright.types.specs import TensorSpec
from graphwright.types.tensor_type import is_compatible
from graphwright.types.type_spec import TypeSpec


class ElementGenerator:
    """A program's generator, which gives the arrays of elements of a type."""

    def __init__(self, function: Callable[..., Any], element: ElementType) -> None:
        self.function = function
        self.element = element

    def __call__(self, *operands: Any) -> Iterator[Row]:
        """The arrays of each element."""
        try:
            with activate(None):
                values = iter(self.function(*[np.asarray(a)[()] for a in operands]))
        except Exception as error:
            raise status_of(error) from error
        return GeneratedRows(values, self.element)


class GeneratedRows(Iterator[Row]):
    """What a Python iterator gives, as arrays; an error does not end it."""

    def __init__(self, values: Iterator[Any], element: ElementType) -> None:
        self.values = values
        self.element = element

    def __next__(self) -> Row:
        try:
            with activate(None):
                return self.row(next(self.values))
        except StopIteration:
            raise
        except Exception as error:
            raise status_of(error) from error

    def row(self, value: object) -> Row:
        """The arrays of an element; TypeError or ValueError where it is of another type."""
        element = self.element
        try:
            parts = parts_in(element.specs, tuple(value) if isinstance(value, list) else value)
        except ValueError as error:
            raise TypeError(
                "`generator` yielded an element that did not match the expected structure. The "
                f"expected structure was {element.specs}, but the yielded element was {value}."
            ) from error
        row: Row = []
        for leaf, part in zip(element.leaves, parts):
            if isinstance(leaf, TensorSpec):
                row.append(self.array(leaf, part, value))
            else:
                row += [tensor._array for tensor in leaf.to_tensors(part)]
        return row

    def array(self, spec: TensorSpec, part: Any, value: object) -> Any:
        """A part of an element as an array of its type."""
        try:
            array = host_array(part, spec.dtype)
        except (TypeError, ValueError) as error:
            raise TypeError(
                "`generator` yielded an element that could not be converted to the expected type. "
                f"The expected type was {spec.dtype.name}, but the yielded element was {value}."
            ) from error
        if not is_compatible(array.shape, spec.type.dims):
            raise TypeError(
                f"`generator` yielded an element of shape {array.shape} where an element of shape "
                f"{spec.shape} was expected."
            )
        return array


def signature(generator: object, types: object, shapes: object, specs: object) -> ElementType:
    """The type of elements that the arguments of `from_generator` state."""
    if not callable(generator):
        raise TypeError("`generator` must be a Python callable.")
    if specs is not None:
        if types is not None or shapes is not None:
            raise TypeError(
                "The `output_types` and `output_shapes` arguments can not be used together with "
                "the `output_signature` argument."
            )
        for leaf in tree.flatten(specs):
            if not isinstance(leaf, TypeSpec):
                raise TypeError(
                    "The `output_signature` argument must contain objects that are subclass of "
                    f"`tf.TypeSpec` but found {type(leaf)} which is not."
                )
        return ElementType(specs)
    if types is None:
        raise TypeError(
            "To specify the output signature you need to provide either the `output_signature` "
            "argument or the `output_types` argument."
        )
    dtypes = tree.map_structure(as_dtype, types)
    leaves = tree.flatten(dtypes)
    dims = [None] * len(leaves) if shapes is None else parts_in(dtypes, shapes)
    pairs = zip(leaves, dims)
    flat = [TensorSpec(TensorShape(d), dtype) for dtype, d in pairs]
    return ElementType(tree.pack_sequence_as(dtypes, flat))
