"""Values that are known while tracing: constants, and computed shapes.

A known value is a plain Python number, or a nested tuple in which None marks an unknown entry. None
alone means that nothing is known. `tf.reshape(x, [tf.shape(x)[0], -1])` keeps its static shape
because Shape, StridedSlice and Pack pass on the entries that they know.
"""

from __future__ import annotations

from typing import Any

from graphwright.ir.graph import Value
from graphwright.op.op import Op

_SMALL = 1024


def known(value: Value) -> Any:
    """The known value of `value`, computed once from the nodes that make it."""
    pending = [value]
    while pending:
        current = pending[-1]
        if current.known:
            pending.pop()
        elif not _may_be_known(current):
            current.known = (_unknown(current),)
        else:
            inputs = () if current.node.op.known_from_types else current.node.inputs
            missing = [v for v in inputs if not v.known]
            pending.extend(missing)
            if not missing:
                current.known = (_evaluate(current),)
    return value.known[0]


def _may_be_known(value: Value) -> bool:
    """Whether its op has a rule for known values, and it is not large."""
    if type(value.node.op).known is Op.known:
        return False
    size = value.type.size
    return size is None or size <= _SMALL


def _evaluate(value: Value) -> Any:
    node = value.node
    op = node.op
    if op.known_from_types:
        result = op.known(*[v.type for v in node.inputs])
    else:
        result = op.known(*[v.known[0] for v in node.inputs])
    if op.returns_tuple or len(node.outputs) > 1:
        result = result[value.index] if isinstance(result, tuple) else None
    return _unknown(value) if result is None else result


def _unknown(value: Value) -> Any:
    """The known value by the shape alone: a tuple of unknown entries for a vector, else None."""
    dims = value.type.dims
    if dims is None or len(dims) != 1 or dims[0] is None or dims[0] > _SMALL:
        return None
    return (None,) * dims[0]
