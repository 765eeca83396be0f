"""What is known of a tensor's value before it is computed."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.op.interpreter import is_tensor


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value of a tensor as a NumPy array if it is known while tracing, else None.

    With `partial`, an array of objects in which None marks what is not known. What is no
    tensor is returned as it is.

    >>> import graphwright as tf
    >>> tf.get_static_value(tf.constant([1, 2]))
    array([1, 2], dtype=int32)
    """
    if not is_tensor(tensor):
        return tensor
    known = getattr(tensor, "known", None)  # a variable has none
    if known is None:
        return None
    array = np.array(known, dtype=object)
    if any(entry is None for entry in array.flat):
        return array if partial else None
    return array.astype(tensor.dtype.numpy_dtype)[()]


def known_int(value: Any) -> Any:
    """A whole number as an int where it is known: NumPy's, or a tensor's; else what was given."""
    found = value if isinstance(value, np.generic) else get_static_value(value)
    if isinstance(found, np.ndarray) and found.ndim == 0:
        found = found[()]
    return int(found) if isinstance(found, np.integer) else value
