"""Data formats, strides, dilations and paddings of ops that slide windows over data."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import Any, TypeAlias, TypeVar

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.attributes import text, text_of, whole
from graphwright.op.interpreter import is_staged
from graphwright.types.arguments import TensorValue
from graphwright.types.tensor_type import Dims, show_dims

Pairs: TypeAlias = tuple[tuple[int, int], ...]
#: Sizes or steps as callers give them: one int, one for each spatial axis, or one for each axis.
PerAxis: TypeAlias = int | Sequence[int] | TensorValue
#: A padding as callers give it: a name, or a pair (before, after) for each axis.
PaddingLike: TypeAlias = str | bytes | Sequence[Sequence[int]]
Entry = TypeVar("Entry")
FORMATS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}


_FORMATS = [name for names in FORMATS.values() for name in names]


def is_channels_first(data_format: str) -> bool:
    """Whether the channels come before the spatial axes; InvalidArgumentError where no order of
    axes is called so."""
    if text_of("data_format", data_format) not in _FORMATS:
        raise InvalidArgumentError(
            None,
            None,
            f"Value for attr 'data_format' of {data_format!r} is not in the list of allowed "
            f"values: {', '.join(_FORMATS)}",
        )
    return data_format[1] == "C"


def spatial_part(entries: Sequence[Entry], data_format: str) -> tuple[Entry, ...]:
    """The spatial ones of one entry for each axis."""
    return tuple(entries[2:] if is_channels_first(data_format) else entries[1:-1])


def channels_of(entries: Sequence[Entry], data_format: str) -> Entry:
    """The entry of the channels, of one for each axis."""
    return entries[1] if is_channels_first(data_format) else entries[-1]


def arranged(
    batch: Entry, spatial: Sequence[Entry], channels: Entry, data_format: str
) -> tuple[Entry, ...]:
    """Entries for each axis, in the order of the format."""
    if is_channels_first(data_format):
        return (batch, channels, *spatial)
    return (batch, *spatial, channels)


def check_format(op: str, data_format: str, spatial: int) -> None:
    """ValueError for a data format that the op does not know."""
    if data_format not in FORMATS[spatial]:
        allowed = ", ".join(f'"{f}"' for f in FORMATS[spatial])
        raise ValueError(
            f"Value for attr 'data_format' of \"{data_format}\" is not in the list of allowed "
            f"values: {allowed}; op {op}"
        )


def window_count(
    size: int | None,
    kernel: int | None,
    stride: int,
    dilation: int,
    padding: str,
    pair: tuple[int, int] = (0, 0),
    may_be_none: bool = False,
) -> int | None:
    """How many windows fit along an axis; None if that is not known.

    ValueError where fewer than none fit; in a graph also where none does, unless there may be none.
    """
    if size is None or (kernel is None and padding != "SAME"):
        return None
    if padding == "SAME":
        return -(-size // stride)
    extent = ((kernel or 0) - 1) * dilation + 1
    total = size + (sum(pair) if padding == "EXPLICIT" else 0)
    if total < extent and not may_be_none and is_staged():
        raise ValueError(f"Negative dimension size caused by subtracting {extent} from {total}")
    count = (total - extent + stride) // stride
    if count < 0:
        raise ValueError(
            f"Computed output size would be negative: {count} [input_size: {size}, "
            f"effective_filter_size: {extent}, stride: {stride}]"
        )
    return count


def check_padding(op: str, padding: str, allowed: Sequence[str]) -> None:
    """ValueError for a padding that the op does not know."""
    if text_of("padding", padding) not in allowed:
        names = ", ".join(f'"{p}"' for p in allowed)
        raise ValueError(
            f"Value for attr 'padding' of \"{padding}\" is not in the list of allowed values: "
            f"{names}; op {op}"
        )


def check_rank(op: str, name: str, dims: Dims | None, rank: int, advice: str = "") -> None:
    """ValueError for an operand of another rank, with a line about what would fit."""
    if dims is not None and len(dims) != rank:
        raise ValueError(f"{name} of {op} must be {rank}-dimensional: {show_dims(dims)}{advice}")


def paired(explicit: Sequence[int], data_format: str) -> Pairs:
    """The spatial (before, after) pairs of a flat list of explicit paddings."""
    pairs = [(explicit[i], explicit[i + 1]) for i in range(0, len(explicit), 2)]
    return spatial_part(pairs, data_format)


def explicit_padding(padding: PaddingLike, axes: int) -> tuple[str, tuple[int, ...]]:
    """A padding argument as the attributes `padding` and `explicit_paddings`."""
    if isinstance(padding, (str, bytes)):
        padding = text(padding)
        if padding == "EXPLICIT":
            raise ValueError(
                "'EXPLICIT' is not a valid value for `padding`. To use explicit padding, "
                "`padding` must be a list."
            )
        return padding, ()
    if not isinstance(padding, (list, tuple)):
        raise TypeError(
            f"`padding` must be a string or a list of pairs, one for each axis. Received: {padding}"
        )
    pairs = [tuple(int(p) for p in pair) for pair in padding]
    if len(pairs) != axes or any(len(pair) != 2 for pair in pairs):
        raise ValueError(
            f"When using explicit padding, `padding` must have {axes} pairs, one for each axis. "
            f"Received: {padding}"
        )
    return "EXPLICIT", tuple(p for pair in pairs for p in pair)


def per_axis(value: PerAxis | None, spatial: int, data_format: str, name: str) -> tuple[int, ...]:
    """Strides or dilations as one for each axis, from one for all or for each spatial axis."""
    if value is None:
        value = 1
    given: Any = value
    entries = list(given) if isinstance(value, Sized) else [given]
    if len(entries) not in (1, spatial, spatial + 2):
        raise ValueError(
            f"{name} should be of length 1, {spatial} or {spatial + 2}. Received: {name}={value} "
            f"of length {len(entries)}"
        )
    try:
        entries = [whole(entry) for entry in entries]
    except (TypeError, ValueError):
        raise TypeError(f"Expected ints for argument '{name}' not {value!r}.") from None
    if len(entries) == spatial + 2:
        return tuple(entries)
    if len(entries) == 1:
        entries *= spatial
    return arranged(1, entries, 1, data_format)
