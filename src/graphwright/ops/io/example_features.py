"""The features of serialized messages as columns: the values of all messages, one after another.

Machine code reads those of `Example` messages, once it is there. protobuf reads what that refuses,
and all messages before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from graphwright.base.errors import InvalidArgumentError
from graphwright.base.named_tuples import NamedTuple
from graphwright.ops.io import example_code
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType

if TYPE_CHECKING:
    from graphwright.proto.example_pb2 import Feature

#: The dtype of the values of each kind of list in a message.
KINDS = {"bytes_list": dt.string, "float_list": dt.float32, "int64_list": dt.int64}
#: The same by the numbers that machine code has for kinds.
_NUMBERED = dict(enumerate(KINDS.values(), 1))


class FeatureColumn(NamedTuple):
    """A feature in each of several messages."""

    #: The values of all messages, one after another.
    values: Array
    #: How many values each message has.
    lengths: npt.NDArray[np.int64]
    #: Which messages have the feature, even with no value.
    is_present: npt.NDArray[np.bool_]


class FeatureColumns(Protocol):
    """The features of several messages."""

    def column(self, key: str, dtype: DType) -> FeatureColumn:
        """A feature; InvalidArgumentError where a message has one of another dtype."""
        ...


def features_of(messages: Array, keys: Sequence[str]) -> FeatureColumns:
    """The features of these names in a vector of serialized `Example` messages."""
    if example_code.are_ready_for(len(messages)):
        located = located_columns(messages, list(dict.fromkeys(keys)))
        if located is not None:
            return located
    return DecodedColumns(
        [decoded("Example", message, i).features.feature for i, message in enumerate(messages)]
    )


# -- with machine code -----------------------------------------------------------------------


def located_columns(messages: Array, keys: list[str]) -> LocatedColumns | None:
    """Features that machine code has read; None where it does not take the messages."""
    copies = np.array(messages, object)  # nobody else can put other strings there
    located = example_code.LocatedFeatures(copies, [key.encode() for key in keys])
    place = located.locate(0)
    while place < len(copies):
        if type(copies[place]) is not bytes:
            return None
        copies[place] = plain(decoded("Example", copies[place], place), keys)
        located.table[place] = 0
        here, place = place, located.locate(place)
        if place == here:
            return None
    return LocatedColumns(located, keys)


def plain(message: Any, keys: Sequence[str]) -> bytes:
    """A message with these features alone, as writers of protobuf make it."""
    message.DiscardUnknownFields()
    features = message.features.feature
    for key in set(features) - set(keys):
        del features[key]
    text: bytes = message.SerializeToString(deterministic=True)
    return text


class LocatedColumns:
    """The features that machine code has read."""

    def __init__(self, located: example_code.LocatedFeatures, keys: Sequence[str]) -> None:
        self._located = located
        self._slots = {key: slot for slot, key in enumerate(keys)}

    def column(self, key: str, dtype: DType) -> FeatureColumn:
        """A feature; InvalidArgumentError where a message has one of another dtype."""
        located, slot = self._located, self._slots[key]
        kinds = located.kinds(slot)
        is_present = kinds != 0
        (kind,) = [number for number, stored in _NUMBERED.items() if stored is dtype]
        is_other = is_present & (kinds != kind)
        if is_other.any():
            raise other_kind(key, _NUMBERED[int(kinds[is_other.argmax()])], dtype)
        return FeatureColumn(located.values(slot, kind), located.sizes(slot), is_present)


# -- with protobuf ---------------------------------------------------------------------------


def decoded(kind: str, message: bytes, place: int) -> Any:
    """The message of a kind in serialized bytes; an error says its place among several."""
    from google.protobuf.message import DecodeError

    from graphwright.proto import example_pb2  # protobuf is large

    try:
        return getattr(example_pb2, kind).FromString(message)
    except DecodeError as error:
        raise InvalidArgumentError(
            None, None, f"Could not parse {kind} input, value {place}: {message[:40]!r}"
        ) from error


class DecodedColumns:
    """The features of messages that protobuf has read.

    Args:
        features: The features of each message, by their names.
    """

    def __init__(self, features: Sequence[Mapping[str, Feature]]) -> None:
        self._features = features

    def column(self, key: str, dtype: DType) -> FeatureColumn:
        """A feature; InvalidArgumentError where a message has one of another dtype."""
        values = [values_of(each.get(key), key, dtype) for each in self._features]
        empty = np.empty(0, dtype.numpy_dtype)
        present = [empty if each is None else each for each in values]
        lengths = np.array([len(each) for each in present], np.int64)
        is_present = np.array([each is not None for each in values], bool)
        return FeatureColumn(np.concatenate([empty, *present]), lengths, is_present)


def values_of(feature: Feature | None, key: str, dtype: DType) -> Any:
    """The values of a feature; None where it is missing, an error where its kind is another."""
    kind = None if feature is None else feature.WhichOneof("kind")
    if kind is None:
        return None
    stored = KINDS[kind]
    if stored is not dtype:
        raise other_kind(key, stored, dtype)
    values = getattr(feature, kind).value
    array = np.empty(len(values), dtype.numpy_dtype)
    array[:] = list(values)
    return array


def other_kind(key: str, stored: DType, dtype: DType) -> InvalidArgumentError:
    """The error for a feature that is there, and of another dtype."""
    return InvalidArgumentError(
        None,
        None,
        f"Key: {key}.  Data types don't match. Data type: {stored.name} but expected type: "
        f"{dtype.name}",
    )
