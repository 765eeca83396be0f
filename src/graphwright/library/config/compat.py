"""`tf.compat`: text and bytes, and what programs for several versions of TensorFlow ask."""

from __future__ import annotations

import datetime
import numbers
import os
from typing import Any

import numpy as np

bytes_or_text_types = (bytes, str)
complex_types = (numbers.Complex, np.number)
integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)

#: The day of the release whose behaviour this is: TensorFlow 2.21's.
_HORIZON = [datetime.date(2026, 3, 6)]


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """Text as bytes; TypeError if it is neither.

    >>> tf.compat.as_bytes("é")
    b'\\xc3\\xa9'
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, (bytes, bytearray)):
        return bytes(bytes_or_text)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Bytes as text; TypeError if it is neither.

    >>> tf.compat.as_text(b"a")
    'a'
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_str(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Bytes as text, as `as_text`."""
    return as_text(bytes_or_text, encoding)


def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Bytes as text; of anything else `str` of it."""
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """A path object as text; anything else as it is."""
    return os.fspath(path) if hasattr(path, "__fspath__") else path


def dimension_value(dimension: Any) -> Any:
    """The size of a dimension: a number or None."""
    return getattr(dimension, "value", dimension)


def dimension_at_index(shape: Any, index: int) -> Any:
    """The size of a shape's dimension: a number, or None where it is not known."""
    return None if shape.rank is None else shape[index]


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Whether what readers were to understand from that day on may be written."""
    return _HORIZON[0] > datetime.date(year, month, day)


def forward_compatibility_horizon(year: int, month: int, day: int) -> Horizon:
    """Inside the block, takes that day for the one that readers date from."""
    return Horizon(datetime.date(year, month, day))


class Horizon:
    """A block in which another day counts."""

    def __init__(self, day: datetime.date) -> None:
        self._day = day

    def __enter__(self) -> None:
        self._before, _HORIZON[0] = _HORIZON[0], self._day

    def __exit__(self, *exception: object) -> None:
        _HORIZON[0] = self._before


# -- TensorFlow 1 -------------------------------------------------------------------------------


def enable_eager_execution(*args: Any, **kwargs: Any) -> None:
    """Does nothing: ops run at once anyway."""


def enable_v2_behavior() -> None:
    """Does nothing: there is no other behaviour."""


def executing_eagerly_outside_functions() -> bool:
    """True: outside functions ops run at once."""
    return True


def reset_default_graph() -> None:
    """Does nothing: there is no default graph outside functions."""


def sparse_placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Any:
    """Refuses: RuntimeError. Sparse arguments of a `tf.function` are what placeholders were."""
    raise RuntimeError(
        "`sparse_placeholder` is not compatible with eager execution. Make what is computed from "
        "it a `tf.function` of an argument: its spec is `tf.SparseTensorSpec(shape, dtype)`."
    )


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Any:
    """Refuses: RuntimeError. The arguments of a `tf.function` are what placeholders were."""
    raise RuntimeError(
        "tf.placeholder() is not compatible with eager execution. Make what is computed from it a "
        "`tf.function` of an argument."
    )
