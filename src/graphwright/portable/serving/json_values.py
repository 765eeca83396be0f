"""Values of requests and answers: JSON as tensors of a signature, and back.

Bytes are `{"b64": "..."}`. A row is one element along the first axis of all inputs; columns are
whole tensors. NaN and infinities are written as Python and TensorFlow Serving do: NaN, Infinity.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from graphwright.portable.serving.served_model import RequestError, ServedSignature
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.specs import TensorSpec
from graphwright.types.tensor_type import is_compatible, show_dims

#: The key of an object that stands for bytes, and the end of names whose strings are bytes.
_BYTES, _SUFFIX = "b64", "_bytes"


def refuse(signature: ServedSignature, words: str) -> RequestError:
    """The error about a request that a signature does not take."""
    return RequestError(400, f"{words}; expected {signature}")


def rows_of(signature: ServedSignature, instances: object) -> dict[str, Array]:
    """The inputs that a list of rows means."""
    if not isinstance(instances, list) or not instances:
        raise refuse(signature, '"instances" must be a list of rows')
    names = list(signature.inputs)
    if all(isinstance(row, dict) and not is_bytes(row) for row in instances):
        for place, row in enumerate(instances):
            if set(row) != set(names):
                words = f"row {place} has {', '.join(sorted(row)) or 'nothing'}"
                raise refuse(signature, f"{words}, not {', '.join(names)}")
        return {name: tensor(signature, name, [row[name] for row in instances]) for name in names}
    if len(names) != 1:
        raise refuse(signature, "a row must be an object with all inputs by name")
    return {names[0]: tensor(signature, names[0], instances)}


def columns_of(signature: ServedSignature, inputs: object) -> dict[str, Array]:
    """The inputs that columns mean: an object of tensors by name, or the only tensor."""
    names = list(signature.inputs)
    if isinstance(inputs, dict) and not is_bytes(inputs):
        if set(inputs) != set(names):
            given = ", ".join(sorted(inputs)) or "nothing"
            raise refuse(signature, f'"inputs" has {given}, not {", ".join(names)}')
        return {name: tensor(signature, name, inputs[name]) for name in names}
    if len(names) != 1:
        raise refuse(signature, '"inputs" must be an object with all inputs by name')
    return {names[0]: tensor(signature, names[0], inputs)}


def is_bytes(value: object) -> bool:
    """Whether a value of JSON stands for bytes."""
    return isinstance(value, dict) and set(value) == {_BYTES}


def tensor(signature: ServedSignature, name: str, value: object) -> Array:
    """A value of JSON as an array of the dtype and shape that an input has."""
    spec: TensorSpec = signature.inputs[name]
    leaves: list[Any] = []
    try:
        shape = gather(value, leaves)
        flat = array_of(leaves, spec.type.dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise refuse(signature, f"the input {name!r}: {error}") from None
    array = flat.reshape(shape)
    if not is_compatible(spec.type.dims, array.shape):
        words = f"the input {name!r} has shape {show_dims(array.shape)}"
        raise refuse(signature, words)
    return array


def gather(value: object, leaves: list[Any]) -> tuple[int, ...]:
    """The shape of nested lists, whose leaves it appends; ValueError where rows are not alike."""
    if not isinstance(value, list):
        leaves.append(value)
        return ()
    shapes = [gather(part, leaves) for part in value]
    if any(shape != shapes[0] for shape in shapes):
        raise ValueError("its lists are not of one length")
    return (len(value), *(shapes[0] if shapes else ()))


def array_of(leaves: Sequence[object], dtype: DType) -> Array:
    """Leaves of JSON as a vector of a dtype."""
    if dtype is dt.string:
        words = np.empty(len(leaves), object)
        words[:] = [bytes_of(leaf) for leaf in leaves]
        return words
    allowed: tuple[type, ...] = (bool,) if dtype.is_bool else (int,)
    if dtype.is_floating or dtype.is_complex:
        allowed = (int, float)
    for leaf in leaves:
        if not isinstance(leaf, allowed) or (isinstance(leaf, bool) and not dtype.is_bool):
            raise TypeError(f"{shown(leaf)} is no {dtype.name}")
    if dtype.is_integer:
        wide = [leaf for leaf in leaves if not dtype.min <= leaf <= dtype.max]
        if wide:
            raise OverflowError(f"{shown(wide[0])} does not fit {dtype.name}")
    return np.array(leaves, np.float64 if dtype.is_floating else None).astype(dtype.numpy_dtype)


def bytes_of(leaf: object) -> bytes:
    """A string, or what stands for bytes, as bytes."""
    if isinstance(leaf, str):
        return leaf.encode()
    if isinstance(leaf, dict) and is_bytes(leaf) and isinstance(leaf[_BYTES], str):
        try:
            return base64.b64decode(leaf[_BYTES], validate=True)
        except binascii.Error:
            raise ValueError("what stands for bytes is no base64") from None
    raise TypeError(f'{shown(leaf)} is no string, nor {{"b64": "..."}}')


def shown(leaf: object) -> str:
    """A leaf for an error, cut where it is long."""
    text = repr(leaf)
    return text if len(text) <= 40 else text[:37] + "..."


# -- answers ------------------------------------------------------------------------------------


def row_answer(signature: ServedSignature, results: Mapping[str, Array], count: int) -> list[Any]:
    """The rows of results: values of the only one, else objects of all by name."""
    for name, array in results.items():
        if not array.ndim or len(array) != count:
            words = f"the output {name!r} has shape {show_dims(array.shape)} for {count} rows"
            raise RequestError(400, f'{words}: ask with "inputs" and not "instances"')
    columns = {name: plain(name, array) for name, array in results.items()}
    if len(columns) == 1:
        (only,) = columns.values()
        return list(only)
    return [{name: column[i] for name, column in columns.items()} for i in range(count)]


def column_answer(results: Mapping[str, Array]) -> Any:
    """The results as whole tensors: the only one, or all by name."""
    columns = {name: plain(name, array) for name, array in results.items()}
    if len(columns) == 1:
        (only,) = columns.values()
        return only
    return columns


def plain(name: str, array: Array) -> Any:
    """An array as lists of what JSON has."""
    if array.dtype == object:
        words = [text_of(word, name.endswith(_SUFFIX)) for word in array.reshape(-1)]
        return np.array([*words, None], object)[:-1].reshape(array.shape).tolist()
    if array.dtype.kind in "biu":
        return array.tolist()
    if array.dtype.kind == "c":
        raise RequestError(400, f"the output {name!r} is of complex numbers, which JSON has not")
    if array.dtype == np.float32:
        return shortest(array)
    return array.astype(np.float64).tolist()


def shortest(array: Array) -> Any:
    """Floats of 32 bits by the fewest digits that give them back."""
    words = [float(text) for text in array.reshape(-1).astype(str)]
    return np.array(words, np.float64).reshape(array.shape).tolist()


def text_of(word: bytes, is_binary: bool) -> Any:
    """A string of an answer; bytes that are no text, or are named so, in base64."""
    if not is_binary:
        try:
            return word.decode()
        except UnicodeDecodeError:
            pass
    return {_BYTES: base64.b64encode(word).decode()}
