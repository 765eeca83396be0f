"""Strings."""

from __future__ import annotations

from graphwright.ops.strings.encoding import AsString, StringToNumber
from graphwright.ops.strings.strings import StaticRegexFullMatch, StringJoin
from graphwright.portable.onnx.counterpart import counterpart
from graphwright.portable.onnx.node_writer import NodeWriter
from graphwright.portable.onnx.wire import Wire
from graphwright.portable.refused_op import NoCounterpart
from graphwright.types import dtypes as dt


@counterpart("StringJoin", onnx="StringConcat", since=20)
def string_join(w: NodeWriter, op: StringJoin, parts: list[Wire]) -> Wire:
    """Strings one after the other."""
    separator = w.constant(op.separator.encode(), dt.string) if op.separator else None
    total = parts[0]
    for part in parts[1:]:
        if separator is not None:
            total = w.emit("StringConcat", total, separator)
        total = w.emit("StringConcat", total, part)
    return total if len(parts) > 1 else w.emit("Identity", total)


@counterpart("StaticRegexFullMatch", onnx="RegexFullMatch", since=20)
def regex_full_match(w: NodeWriter, op: StaticRegexFullMatch, x: Wire) -> Wire:
    """Whether a pattern matches whole strings."""
    return w.emit("RegexFullMatch", x, pattern=op.pattern)


@counterpart("AsString", onnx="Cast", note="of integers without width")
def as_string(w: NodeWriter, op: AsString, x: Wire) -> Wire:
    """Numbers as strings."""
    if not x.dtype.is_integer or op.width != -1 or op.fill:
        raise NoCounterpart("Cast of ONNX writes floats in another way")
    return w.cast(x, dt.string)


@counterpart("StringToNumber", onnx="Cast")
def string_to_number(w: NodeWriter, op: StringToNumber, x: Wire) -> Wire:
    """Strings as numbers."""
    return w.cast(x, op.out_type)
