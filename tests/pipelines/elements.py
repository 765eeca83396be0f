"""Elements of datasets as plain values: how two differ, and numbers that are made of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from pipelines.plain import Ragged
from pipelines.streams import Failure

#: What a checksum is the remainder of.
_PRIME = 1_000_003


def plain(element: Any) -> Any:
    """An element with arrays, and with lists for what is ragged."""
    if isinstance(element, Failure):
        return element
    if type(element) is tuple:
        return tuple(map(plain, element))
    if isinstance(element, dict):
        return {k: plain(v) for k, v in element.items()}
    if isinstance(element, Ragged):
        return ["ragged", [np.asarray(row).tolist() for row in element.rows]]
    if hasattr(element, "to_list"):
        return ["ragged", element.to_list()]
    if hasattr(element, "numpy"):
        element = element.numpy()
    return np.asarray(element, object) if isinstance(element, bytes) else np.asarray(element)


def difference(expected: Any, element: Any) -> str:
    """How a plain element differs from another, in words that begin with the kind; or nothing."""
    if isinstance(expected, Failure) or isinstance(element, Failure):
        names = [e.name if isinstance(e, Failure) else "" for e in (expected, element)]
        return "" if names[0] == names[1] else f"error: {element}, not {expected}"
    if isinstance(expected, list) and isinstance(element, np.ndarray):  # by `as_numpy_iterator`
        element = ["ragged", [np.asarray(row).tolist() for row in element]]
    if type(expected) is not type(element):
        return f"structure: {element}, not {expected}"
    if isinstance(expected, tuple):
        if len(expected) != len(element):
            return f"structure: {element}, not {expected}"
        parts = list(zip(expected, element))
    elif isinstance(expected, dict):
        if expected.keys() != element.keys():
            return f"structure: {element}, not {expected}"
        parts = [(expected[k], element[k]) for k in expected]
    elif isinstance(expected, list):
        return "" if expected == element else f"value: {element}, not {expected}"
    else:
        return array_difference(expected, element)
    return next(filter(None, (difference(*part) for part in parts)), "")


def array_difference(expected: Any, element: Any) -> str:
    """How an array differs from another."""
    if expected.dtype != element.dtype:
        return f"dtype: {element.dtype}, not {expected.dtype}"
    if expected.shape != element.shape:
        return f"shape: {element.shape}, not {expected.shape}"
    if expected.dtype.kind == "f":
        same = np.allclose(expected, element, rtol=1e-5, atol=1e-5, equal_nan=True)
    else:
        same = np.array_equal(expected, element)
    return "" if same else f"value: {element.tolist()}, not {expected.tolist()}"


def checksum(total: int, element: Any) -> int:
    """A number that also depends on an element."""
    return (total * 31 + number(element)) % _PRIME


def number(element: Any) -> int:
    """A number made of a plain element."""
    if isinstance(element, tuple):
        return sum((i + 1) * number(part) for i, part in enumerate(element))
    if isinstance(element, dict):
        return number(tuple(element[k] for k in sorted(element)))
    if isinstance(element, list):
        return sum(number(np.asarray(row)) for row in element[1])
    if element.dtype.kind in "OS":
        return sum(map(len, element.reshape(-1).tolist()))
    if element.dtype.kind == "f":
        element = np.round(element * np.float32(8))
    return int(np.sum(element.astype(np.int64)))


def traced_number(tf: Any, element: Any) -> Any:
    """The same of an element in a graph."""
    if isinstance(element, tuple):
        return sum((i + 1) * traced_number(tf, part) for i, part in enumerate(element))
    if isinstance(element, dict):
        return traced_number(tf, tuple(element[k] for k in sorted(element)))
    if hasattr(element, "flat_values"):
        return traced_number(tf, element.flat_values)
    if element.dtype == tf.string:
        element = tf.strings.length(element)
    elif element.dtype == tf.float32:
        element = tf.round(element * 8.0)
    return tf.reduce_sum(tf.cast(element, tf.int64))


def traced_checksum(tf: Any, total: Any, element: Any) -> Any:
    """A checksum in a graph."""
    return (total * 31 + traced_number(tf, element)) % _PRIME
