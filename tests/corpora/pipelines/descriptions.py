"""What a pipeline gives, as JSON can hold it, the same of both packages."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

#: Elements of a dataset that are looked at, and errors in the middle of them.
MOST_ELEMENTS = 24
MOST_ERRORS = 3


def described(value: Any, tf: Any) -> Any:
    """A value: datasets by what they say and their elements, tensors by dtype, shape and values."""
    if isinstance(value, tf.data.Dataset):
        return {
            "repr": text(value),
            "spec": text(value.element_spec),
            "cardinality": int(value.cardinality()),
            "elements": elements(value, tf),
        }
    if isinstance(value, tf.experimental.Optional):
        return {"Optional": described(value.get_value(), tf) if value.has_value() else None}
    if isinstance(value, tf.data.Iterator):
        return {"Iterator": text(value.element_spec)}
    if isinstance(value, (tf.RaggedTensor, tf.SparseTensor)):
        parts = tf.nest.flatten(value, expand_composites=True)
        return {type(value).__name__: [described(part, tf) for part in parts]}
    if isinstance(value, tf.Variable):
        return {"Variable": described(value.read_value(), tf)}
    if tf.is_tensor(value):
        return array(np.asarray(value.numpy()), value.dtype.name)
    if isinstance(value, np.ndarray):
        return {"numpy": array(value, value.dtype.name)}
    return structure(value, tf)


def structure(value: Any, tf: Any) -> Any:
    """A Python value, and what is in it."""
    if isinstance(value, dict):
        return {"dict": [[str(key), described(item, tf)] for key, item in value.items()]}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {type(value).__name__: [described(item, tf) for item in value]}
    if isinstance(value, tuple):
        return {"tuple": [described(item, tf) for item in value]}
    if isinstance(value, list):
        return [described(item, tf) for item in value]
    if isinstance(value, np.generic):
        return {"numpy": array(np.asarray(value), value.dtype.name)}
    if isinstance(value, bytes):
        return {"bytes": value.decode("latin-1")}
    return value if isinstance(value, (bool, int, float, str, type(None))) else text(value)


def array(values: np.ndarray[Any, Any], dtype: str) -> dict[str, Any]:
    """Numbers and texts under their dtype and shape."""
    name = f"{dtype}{list(values.shape)}"
    if values.dtype.kind in "OSU":
        return {name: [v.decode("latin-1") for v in values.reshape(-1).tolist()]}
    if values.dtype.kind == "c":
        return {name: [[v.real, v.imag] for v in values.reshape(-1).tolist()]}
    if values.dtype.kind not in "biu":
        return {name: [float(f"{v:.7g}") for v in values.astype(np.float64).reshape(-1)]}
    return {name: values.reshape(-1).tolist()}


def elements(dataset: Any, tf: Any) -> list[Any]:
    """The first elements of a dataset; errors stand where they come, and more may follow."""
    seen: list[Any] = []
    errors = 0
    try:
        iterator = iter(dataset)
    except Exception as error:  # noqa: BLE001 - any error is an outcome
        return [refusal(error)]
    while len(seen) < MOST_ELEMENTS and errors < MOST_ERRORS:
        try:
            seen.append(described(next(iterator), tf))
        except StopIteration:
            break
        except Exception as error:  # noqa: BLE001 - any error is an outcome
            seen.append(refusal(error))
            errors += 1
    return seen


def refusal(error: Exception) -> dict[str, str]:
    """The class of an error and the line that says most."""
    message = str(getattr(error, "message", error))
    lines = [line.strip() for line in message.splitlines() if line.strip()] or [""]
    line = lines[-1] if lines[0].startswith("in user code") else lines[0]
    line = re.sub(r"\{\{\w+ [^}]*\}\} ?| \[Op:\w+\].*", "", line)
    return {"error": type(error).__name__, "message": line[:240].strip()}


def text(value: Any) -> str:
    """The `repr` of a value, without addresses."""
    return re.sub(r" at 0x\w+", "", repr(value))
