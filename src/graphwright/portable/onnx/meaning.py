"""The table of ONNX's ops that are read, which the modules beside it fill."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeVar

import numpy as np

from graphwright.base.errors import NotFoundError
from graphwright.ops.core.static import static_value
from graphwright.types.arguments import TensorValue
from graphwright.types.tensor_type import Dims

Rule = TypeVar("Rule", bound=Callable[..., Any])


def rank_of(tensor: TensorValue) -> int:
    """The rank of a tensor; an error where it is not known before the model runs."""
    return len(dims_of(tensor))


def dims_of(tensor: TensorValue) -> Dims:
    """The shape of a tensor of known rank; an error for others."""
    if tensor.type.dims is None:
        raise NotFoundError(None, None, "the rank of a tensor must be known before it runs")
    return tensor.type.dims


class NodeMeaning(NamedTuple):
    """How nodes of a type are read."""

    kind: str  # the group, for the list of ops
    read: Callable[..., Any]  # from a node and the tensors that it takes to those that it gives
    note: str  # what is not read


#: The meanings by the names of ONNX's ops.
MEANINGS: dict[str, NodeMeaning] = {}

#: The modules that state meanings.
_KINDS = (
    "element_meanings", "reduction_meanings", "movement_meanings", "indexing_meanings",
    "window_meanings", "network_meanings", "recurrent_meanings", "number_meanings",
    "control_meanings", "sequence_meanings",
)  # fmt: skip


def meaning(*names: str, note: str = "") -> Callable[[Rule], Rule]:
    """A decorator: the function reads nodes of these types."""

    def enter(read: Rule) -> Rule:
        kind = read.__module__.rpartition(".")[2].removesuffix("_meanings")
        for name in names:
            assert name not in MEANINGS, name
            MEANINGS[name] = NodeMeaning(kind, read, note)
        return read

    return enter


@cache
def meanings() -> dict[str, NodeMeaning]:
    """The whole table."""
    for module in _KINDS:
        importlib.import_module(f"graphwright.portable.onnx.meanings.{module}")
    return MEANINGS


class OnnxNode:
    """A node as rules see it.

    Attributes:
        kind: The name of its op.
        name: What errors call it.
        opset: The opset of the model.
        count: How many results it has.
        wanted: Whether each result has a name.
        attributes: Its attributes, as Python values; graphs as messages.
        reader: What reads the graph that it stands in.
    """

    def __init__(
        self,
        kind: str,
        name: str,
        opset: int,
        wanted: Sequence[bool],
        attributes: dict[str, Any],
        reader: Any,
    ) -> None:
        self.kind = kind
        self.name = name
        self.opset = opset
        self.count = len(wanted)
        self.wanted = wanted
        self.attributes = attributes
        self.reader = reader

    def get(self, name: str, default: Any = None) -> Any:
        """An attribute, or its default."""
        return self.attributes.get(name, default)

    def text(self, name: str, default: str = "") -> str:
        """An attribute of text."""
        value = self.attributes.get(name, default)
        return value.decode() if isinstance(value, bytes) else str(value)

    def axes(self, given: TensorValue | None) -> Any:
        """The axes of an operand that must be known, or of the attribute that older opsets have."""
        if given is not None:
            return [int(axis) for axis in np.reshape(self.static(given, "the axes"), -1)]
        axes = self.get("axes")
        return None if axes is None else [int(axis) for axis in axes]

    def static(self, tensor: TensorValue, what: str) -> Any:
        """The value of a tensor; an error where it is known only when the model runs."""
        value = static_value(tensor)
        if value is None:
            raise self.unread(f"{what} must be known before it runs")
        return value

    def unread(self, why: str) -> NotFoundError:
        """The error about a node that is not read as it stands."""
        return NotFoundError(None, None, f"{self.kind} of the node {self.name!r}: {why}")
