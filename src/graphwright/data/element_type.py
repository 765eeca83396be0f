"""The type of a dataset's elements: a structure of specs, and the flat list of its tensors."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterator, Mapping, MappingView, Sequence
from typing import Any, TypeVar

import numpy as np

from graphwright.trace.tracer import current_tracer
from graphwright.types import tree
from graphwright.types.arrays import Array
from graphwright.types.composite import Composite
from graphwright.types.containers import PLAIN
from graphwright.types.specs import NoneTensorSpec, type_spec_from_value
from graphwright.types.tensor_type import TensorType
from graphwright.types.type_spec import TypeSpec, hashable
from graphwright.values.convert import convert
from graphwright.values.tensor import Tensor, wrap

Kind = TypeVar("Kind")


class ElementType:
    """The type of the elements of a dataset.

    An element is a structure (of tuples, mappings, ...) of tensors and composites. Stages see it as
    the flat list of its tensors.
    """

    __slots__ = ("_key", "_ops", "leaves", "specs", "types")
    _key: Hashable

    def __init__(self, specs: object) -> None:
        self.specs = specs
        self.leaves: list[Any] = tree.flatten(specs)
        for leaf in self.leaves:
            if not isinstance(leaf, TypeSpec):
                raise TypeError(
                    f"an element is described by `tf.TypeSpec`s, such as tf.TensorSpec([2], "
                    f"tf.float32), not by {leaf!r} ({type(leaf).__name__})"
                )
        self.types: list[TensorType] = [
            tensor.type for leaf in self.leaves for tensor in leaf.flatten()
        ]
        self._ops: dict[Callable[[ElementType], Any], Any] = {}

    @classmethod
    def of(cls, element: object) -> ElementType:
        """The type of an element, after `normalized`."""
        specs = [
            NoneTensorSpec() if leaf is None else type_spec_from_value(leaf)
            for leaf in tree.flatten(element)
        ]
        return cls(tree.pack_sequence_as(element, specs))

    @property
    def key(self) -> Hashable:
        """What is equal for types with equal specs in one structure, and for no others."""
        try:
            return self._key
        except AttributeError:
            self._key = hashable(self.specs)
            return self._key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ElementType) and self.specs == other.specs

    def __hash__(self) -> int:
        return hash(tuple(self.leaves))

    def __repr__(self) -> str:
        return f"ElementType({self.specs!r})"

    def op(self, kind: Callable[[ElementType], Kind]) -> Kind:
        """The op of a class about elements of this type, the same each time."""
        op: Kind | None = self._ops.get(kind)
        if op is None:
            op = self._ops[kind] = kind(self)
        return op

    def pack(self, tensors: Sequence[object]) -> Any:
        """An element made of its tensors."""
        remaining: Iterator[object] = iter(tensors)
        leaves = [leaf.from_tensors(remaining) for leaf in self.leaves]
        return tree.pack_sequence_as(self.specs, leaves)

    def flatten(self, element: object) -> list[Any]:
        """The tensors of an element of this type."""
        pairs = zip(self.leaves, tree.flatten(element))
        return [tensor for leaf, value in pairs for tensor in leaf.to_tensors(value)]

    def batched(self, count: int | None) -> ElementType:
        """The type of batches of `count` elements; None if their number is unknown."""
        return self.mapped(lambda leaf: leaf._batch(count))

    def unbatched(self) -> ElementType:
        """The type of one row of an element."""
        return self.mapped(lambda leaf: leaf._unbatch())

    def mapped(self, change: Any) -> ElementType:
        """The type that has `change(spec)` for each spec of this one."""
        return ElementType(tree.pack_sequence_as(self.specs, [change(x) for x in self.leaves]))

    def joined(self, other: ElementType) -> ElementType | None:
        """The most specific type that elements of both have; None if there is none."""
        try:
            tree.assert_same_structure(self.specs, other.specs)
        except (TypeError, ValueError):
            return None
        joined = [
            mine.most_specific_common_supertype([theirs])
            for mine, theirs in zip(self.leaves, other.leaves)
        ]
        if any(leaf is None for leaf in joined):
            return None
        return ElementType(tree.pack_sequence_as(self.specs, joined))


def with_rows(type_: TensorType, is_ragged: bool = False) -> TensorType:
    """The type of a column of such tensors; of the values of a ragged one."""
    if type_.dims is None:
        return type_
    return type_.with_dims((None, *type_.dims[1:]) if is_ragged else (None, *type_.dims))


def parts_in(structure: object, value: object) -> list[Any]:
    """The parts of a value at the leaves of a structure; ValueError if the structures differ."""
    container, theirs = PLAIN[type(structure)], PLAIN[type(value)]
    if container is None:
        return [value]
    children: list[object] = list(container.children(structure))
    others: list[object] = [] if theirs is None else list(theirs.children(value))
    if len(children) != len(others) or (
        isinstance(structure, Mapping)
        and isinstance(value, Mapping)
        and set(structure) != set(value)
    ):
        raise ValueError(f"{value!r} has not the structure of {structure!r}")
    return [part for child, other in zip(children, others) for part in parts_in(child, other)]


def normalized(element: Any) -> Any:
    """An element of tensors and composites. Sequences but tuples become tensors, and so does what
    else converts."""
    container = PLAIN[type(element)]
    if container is None:
        if element is None or isinstance(element, (Tensor, Composite)):
            return element
        return tensor_of(element)
    if isinstance(element, (Sequence, MappingView)) and not isinstance(element, tuple):
        return convert(container.children(element))
    return container.rebuild(element, [normalized(c) for c in container.children(element)])


def refuse_row_counts(element: object, types: Sequence[TensorType]) -> None:
    """ValueError with a call that works where components are known to differ in their rows."""
    counts = [type_.dims[0] if type_.dims else None for type_ in types]
    known = list(dict.fromkeys(count for count in counts if count is not None))
    if len(known) < 2:
        return
    words = f"Dimensions {' and '.join(map(str, known))} are not compatible"
    slices = "tf.data.Dataset.from_tensor_slices"
    names, zipped = [], ""
    if type(element) is dict and len(element) == len(counts):
        names = [f"tensors[{key!r}]" for key in sorted(element)]
        zipped = f"{{k: {slices}(v) for k, v in tensors.items()}}"
    elif type(element) is tuple and len(element) == len(counts):
        names = [f"tensors[{place}]" for place in range(len(counts))]
        zipped = f"*map({slices}, tensors)"
    if names:
        rows = ", ".join([f"{n} has {c} rows" for n, c in zip(names, counts) if c is not None])
        words = f"{words}: {rows}. Datasets that are zipped end with the shortest."
        words = f"{words}\n    tf.data.Dataset.zip({zipped}) takes them"
    raise ValueError(words)


def tensor_of(value: Any) -> Any:
    """A tensor of a value that is no structure; its memory is copied unless it is constant."""
    if isinstance(value, np.ndarray) and is_constant(value) and current_tracer() is None:
        return wrap(np.asarray(value))
    try:
        return convert(value)
    except (TypeError, ValueError) as error:
        if not hasattr(value, "__dataframe__"):
            raise
        names = "column_names" if hasattr(value, "column_names") else "columns"
        raise type(error)(
            f"a table of columns of several types is no tensor ({error}). Its columns by name are "
            f"a structure of tensors: {{name: table[name] for name in table.{names}}}"
        ) from None


def is_constant(array: Array) -> bool:
    """Whether no program can write into the memory of an array, which is that of a tensor.

    So it is with `bytes`, and with files mapped to be read. A view that cannot be written is not
    enough: whoever has the array behind it may.
    """
    flags = array.flags
    is_native = array.dtype.kind in "biufc" and array.dtype.isnative
    if not is_native or not (flags.c_contiguous and flags.aligned):
        return False
    owner: Any = array
    while isinstance(owner, np.ndarray):
        if owner.flags.writeable:
            return False
        owner = owner.base
    mapping: Any = sys.modules.get("mmap")  # who has not imported it has mapped no file
    if mapping is not None and isinstance(owner, mapping.mmap):
        with memoryview(owner) as view:
            return view.readonly
    return isinstance(owner, bytes)
