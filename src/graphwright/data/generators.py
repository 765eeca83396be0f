"""Python generators as sources of elements: values become arrays of the types in a signature."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

import numpy as np

from graphwright.control.python_call import status_of
from graphwright.data.blocks import ElementBlock, Row, of_rows, one_array
from graphwright.data.element_type import ElementType, parts_in
from graphwright.data.stage import Postponed
from graphwright.op.interpreter import activate
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.arguments import TensorLike
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.shape import TensorShape
from graphwright.types.specs import TensorSpec
from graphwright.types.tensor_type import is_compatible
from graphwright.types.type_spec import TypeSpec
from graphwright.values.convert import convert
from graphwright.values.tensor import Tensor

_INTEGERS = frozenset(
    {dt.int8, dt.int16, dt.int32, dt.int64, dt.uint8, dt.uint16, dt.uint32, dt.uint64}
)
_FLOATS = frozenset({dt.float32, dt.float64})


class ElementGenerator:
    """A generator of the program, as a source of elements of a type."""

    def __init__(self, function: Callable[..., Iterable[object]], element: ElementType) -> None:
        self.function = function
        self.element = element

    def __call__(self, *operands: Any) -> GeneratedElements:
        """The elements of one call of the generator."""
        try:
            with activate(None):
                values = iter(self.function(*[np.asarray(a)[()] for a in operands]))
        except Exception as error:
            raise status_of(error) from error
        return GeneratedElements(values, self.element)


class GeneratedElements:
    """The values of a Python iterator, as arrays. An error does not end them."""

    def __init__(self, values: Iterator[object], element: ElementType) -> None:
        self.values = values
        self.element = element
        #: Values that wait, because one before them has another type.
        self.waiting: list[object] = []
        self.postponed = Postponed()

    def block(self, limit: int) -> ElementBlock | None:
        """The next elements, at most `limit`; None at the end."""
        with activate(None):
            values, self.waiting = self.waiting[:limit], self.waiting[limit:]
            if not values:
                self.postponed.raise_it()
                values = self.take(limit)
            if not values:
                self.postponed.raise_it()
                return None
            block = self.at_once(values)
            return self.one_by_one(values) if block is None else block

    def take(self, limit: int) -> list[object]:
        """The next values; an error after them is postponed."""
        values = []
        try:
            for value in islice(self.values, limit):  # values before an error stay
                values.append(value)
        except Exception as error:  # noqa: BLE001 - it is raised where its element would come
            self.postponed.error = status_of(error)
            self.postponed.error.__cause__ = error
        return values

    def at_once(self, values: list[object]) -> ElementBlock | None:
        """Values as one block; None unless all are plain numbers or arrays of the right types."""
        element = self.element
        if type(element.specs) is tuple:
            width = len(element.specs)
            if any(type(value) is not tuple or len(value) != width for value in values):
                return None
            tuples: Any = values
            columns = [of_one_kind(leaf, parts) for leaf, parts in zip(element.specs, zip(*tuples))]
        else:
            columns = [of_one_kind(element.specs, values)]
        if any(column is None for column in columns):
            return None
        return ElementBlock(len(values), tuple(columns))

    def one_by_one(self, values: list[object]) -> ElementBlock:
        """The values before the first one of another type; an error if there are none."""
        rows: list[Row] = []
        for place, value in enumerate(values):
            try:
                rows.append(self.row(value))
            except Exception as error:
                if not rows:
                    self.waiting = [*values[1:], *self.waiting]
                    raise status_of(error) from error
                self.waiting = [*values[place:], *self.waiting]
                break
        return of_rows(rows)

    def row(self, value: object) -> Row:
        """The arrays of an element; TypeError or ValueError if it has another type."""
        element = self.element
        try:
            parts = parts_in(element.specs, tuple(value) if isinstance(value, list) else value)
        except ValueError as error:
            kinds = [x.dtype if isinstance(x, TensorSpec) else x for x in element.leaves]
            structure = tree.pack_sequence_as(element.specs, kinds)
            raise TypeError(
                "`generator` yielded an element that did not match the expected structure. The "
                f"expected structure was {structure}, but the yielded element was {value}."
            ) from error
        row: Row = []
        for leaf, part in zip(element.leaves, parts):
            if isinstance(leaf, TensorSpec):
                row.append(self.array(leaf, part, value))
            else:
                row += [tensor._array for tensor in leaf.to_tensors(part)]
        return row

    def array(self, spec: TensorSpec, part: TensorLike, value: object) -> Any:
        """A part of an element as an array of its type."""
        try:
            array = array_of(part, spec.dtype)
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


def array_of(part: TensorLike, dtype: DType) -> Any:
    """A value as an array of a dtype, cast as NumPy does; strings as bytes."""
    if dtype is not dt.string and not isinstance(part, Tensor):
        return np.asarray(part, dtype.as_numpy_dtype)
    tensor: Any = convert(part, dtype)
    return tensor._array


def of_one_kind(spec: object, values: Sequence[object]) -> Any:
    """Plain numbers or arrays of one type, as a column; None if one is something else."""
    if type(spec) is not TensorSpec:
        return None
    dtype = spec.dtype.as_numpy_dtype
    kinds = set(map(type, values))
    of_kind: Any = values
    if kinds == {np.ndarray}:
        shape = of_kind[0].shape
        if not is_compatible(shape, spec.type.dims) or dtype is np.object_:
            return None
        if any(value.dtype != dtype or value.shape != shape for value in of_kind):
            return None
        return one_array(of_kind)
    if not is_compatible((), spec.type.dims):
        return None
    if kinds == {int} and spec.dtype in _INTEGERS:
        with suppress(OverflowError):
            return np.array(values, dtype)
    if kinds == {float} and spec.dtype in _FLOATS:
        return np.array(values, dtype)
    return None


def signature(generator: object, types: object, shapes: object, specs: object) -> ElementType:
    """The type of elements, by the arguments of `from_generator`."""
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
    return element_of(types, shapes)


def element_of(types: object, shapes: object) -> ElementType:
    """The type of elements that are tensors of some dtypes, and of shapes if these are given."""
    dtypes = tree.map_structure(as_dtype, types)
    leaves = tree.flatten(dtypes)
    dims = [None] * len(leaves) if shapes is None else parts_in(dtypes, shapes)
    pairs = zip(leaves, dims)
    flat = [TensorSpec(TensorShape(d), dtype) for dtype, d in pairs]
    return ElementType(tree.pack_sequence_as(dtypes, flat))
