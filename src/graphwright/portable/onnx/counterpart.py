"""The table of ops that have a counterpart in ONNX, which the modules beside it fill."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, TypeVar

from graphwright.portable.onnx.onnx_types import OLDEST_OPSET


class Counterpart(NamedTuple):
    """How ops of a type are written."""

    kind: str  # the group, for the list of ops
    names: str  # the ops of ONNX that stand for it
    since: int  # the opset from which there is such a counterpart
    write: Callable[..., Any]  # from a writer, the op and its operands to the results
    note: str  # what differs, or what must be known


#: The counterparts by the names of our ops.
COUNTERPARTS: dict[str, Counterpart] = {}

#: The modules that state counterparts.
_KINDS = (
    "onnx_elements", "onnx_reductions", "onnx_movement", "onnx_indexing", "onnx_products",
    "onnx_windows", "onnx_networks", "onnx_control", "onnx_lists", "onnx_state", "onnx_strings",
)  # fmt: skip

Rule = TypeVar("Rule", bound=Callable[..., Any])


def counterpart(
    *ours: str, onnx: str, since: int = OLDEST_OPSET, note: str = ""
) -> Callable[[Rule], Rule]:
    """A decorator: the function writes ops of these types with those ops of ONNX."""

    def enter(write: Rule) -> Rule:
        kind = write.__module__.rpartition(".")[2].removeprefix("onnx_")
        for name in ours:
            assert name not in COUNTERPARTS, name
            COUNTERPARTS[name] = Counterpart(kind, onnx, since, write, note)
        return write

    return enter


@cache
def counterparts() -> dict[str, Counterpart]:
    """The whole table."""
    for module in _KINDS:
        importlib.import_module(f"graphwright.portable.onnx.counterparts.{module}")
    return COUNTERPARTS
