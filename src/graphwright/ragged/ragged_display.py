"""The text of ragged tensors, for `repr` and `str`."""

from __future__ import annotations

from typing import Any

import numpy as np


def shown(ragged: Any) -> str:
    """The rows, as `repr` and `str` print them; while tracing the tensors they are made of."""
    if not hasattr(ragged.flat_values, "numpy"):
        return f"tf.RaggedTensor(values={ragged.values}, row_splits={ragged.row_splits})"
    with np.printoptions(formatter={"all": nested}):
        return f"<tf.RaggedTensor {nested(ragged.numpy())}>"


def nested(value: object) -> str:
    """An array or an element of one, with commas between elements."""
    if not isinstance(value, np.ndarray):
        return str(value)
    if value.size == 0:
        return repr(value.tolist())
    return np.array2string(value, separator=", ")
