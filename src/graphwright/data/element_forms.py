"""The elements of a block as programs get them: tensors, or NumPy's arrays, in their structure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from graphwright.data.blocks import Column, ElementBlock, values_of
from graphwright.data.element_type import ElementType
from graphwright.op.late_imports import late_module
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.dtypes import plain
from graphwright.types.specs import TensorSpec
from graphwright.values.sparse.sparse_tensor import SparseTensor
from graphwright.values.tensor import EagerTensor, wrap

#: What gives all elements of a block.
Form: TypeAlias = Callable[[ElementBlock], Iterable[Any]]


def as_tensors(element: ElementType) -> Form:
    """What packs tensors and composites in the structure of elements."""
    if is_flat(element):
        return lambda block: packed(element, [tensors_in(values) for values in block.columns])
    return lambda block: [element.pack([wrap(array) for array in row]) for row in block.rows()]


def as_arrays(element: ElementType) -> Form:
    """What packs arrays, which are views that cannot be written, and scalars."""
    if is_flat(element) and not any(type_.dtype is dt.variant for type_ in element.types):
        return lambda block: packed(element, [readable(values) for values in block.columns])
    tensors = as_tensors(element)
    return lambda block: [tree.map_structure(as_numpy, item) for item in tensors(block)]


def are_arrays(element: ElementType) -> bool:
    """Whether `as_arrays` gives rows of an array: elements are one tensor, and no datasets."""
    return type(element.specs) is TensorSpec and element.types[0].dtype is not dt.variant


def is_flat(element: ElementType) -> bool:
    """Whether elements are tensors, or tuples of tensors."""
    specs = element.specs
    leaves = specs if type(specs) is tuple else (specs,)
    return len(leaves) > 0 and all(type(leaf) is TensorSpec for leaf in leaves)


def packed(element: ElementType, columns: Sequence[Iterable[Any]]) -> Iterable[Any]:
    """The elements whose parts stand in columns."""
    return columns[0] if type(element.specs) is TensorSpec else list(zip(*columns))


def tensors_in(values: Column) -> list[Any]:
    """The values of a column as tensors."""
    if not isinstance(values, np.ndarray):
        return list(map(wrap, values_of(values)))
    tensors = []
    for array in values_of(values):  # what `wrap` does, whose call would be a fifth of it
        tensor = EagerTensor()
        tensor._array = array
        tensor._type = None
        tensors.append(tensor)
    return tensors


def readable(values: Column) -> Iterable[Any]:
    """The values of a column as NumPy's scalars, and as arrays that cannot be written."""
    if isinstance(values, np.ndarray):
        array: Iterable[Any] = read_only(values)
        return array
    return [read_only(value) for value in values]


def read_only(array: Any) -> Any:
    """A view that cannot be written, in a dtype of NumPy's own where there is one."""
    view = plain(array if array.dtype.names is None else array.view(array.dtype[0])).view()
    view.flags.writeable = False
    return view if view.ndim else view[()]


def as_numpy(leaf: Any) -> Any:
    """A part of an element in NumPy's form; a composite that has none stays as it is.

    Arrays are views that cannot be written: elements may share their memory.
    """
    if isinstance(leaf, SparseTensor):
        leaf = late_module("graphwright.values.sparse.sparse_functions").to_dense(leaf)
    if isinstance(leaf, EagerTensor) and leaf.shape.rank:
        return leaf.__array__()
    return leaf.numpy() if hasattr(leaf, "numpy") else leaf
