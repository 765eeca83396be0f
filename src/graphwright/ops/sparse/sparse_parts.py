"""What the parts of a sparse tensor (indices, values, dense shape) must have in common."""

from __future__ import annotations

from graphwright.types.tensor_type import Dims, TensorType


def all_known(sizes: Dims | None) -> tuple[int, ...] | None:
    """The sizes of which none is unknown; None for others."""
    known = tuple([size for size in sizes or () if size is not None])
    return known if sizes is not None and len(known) == len(sizes) else None


def count_of(tensor: TensorType) -> int | None:
    """What is known of the number of rows."""
    return None if not tensor.dims else tensor.dims[0]


def width_of(indices: TensorType) -> int | None:
    """What is known of the rank that rows of indices are for."""
    return None if indices.dims is None or len(indices.dims) < 2 else indices.dims[1]


def check_counts(indices: TensorType, values: TensorType) -> None:
    """ValueError unless there is a row of indices for each value."""
    rows, count = count_of(indices), count_of(values)
    if None not in (rows, count) and rows != count:
        raise ValueError(
            "indices and values rows (indexing dimension) must match. "
            f"(indices = {rows}, values = {count})"
        )


def check_width(indices: TensorType, rank: int | None) -> None:
    """ValueError unless rows of indices are for a shape of this rank."""
    width = width_of(indices)
    if None not in (width, rank) and width != rank:
        raise ValueError(
            f"The length of the dense shape ({rank}) must match the second dimension of indices "
            f"({width})"
        )
