"""What is said of padded shapes that are too small."""

from __future__ import annotations

from collections.abc import Sequence

from graphwright.data.element_type import ElementType
from graphwright.types import tree
from graphwright.types.tensor_type import Dims


def larger_shapes(
    element: ElementType, shapes: Sequence[Dims], component: int, dims: Dims, batch: int | None
) -> str:
    """What a component of `dims` is beside its padded shape, and a call that has room for it."""
    fitting = [[None if size in (-1, None) else size for size in shape] for shape in shapes]
    given = fitting[component]
    fitting[component] = [
        None if len(given) != len(dims) or most is None or (size or 0) > most else most
        for size, most in zip(dims, given if len(given) == len(dims) else dims)
    ]
    count = "batch_size" if batch is None else batch
    structure = tree.pack_sequence_as(element.specs, fitting)
    return (
        f"Component {component} of an element has the shape {list(dims)} and the padded shape "
        f"{given}. padded_batch({count}, padded_shapes={structure}) has room: a size of None is "
        "the largest in a batch."
    )
