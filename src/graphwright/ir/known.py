"""Values that are known while tracing: constants, and computed shapes.

A known value is a plain Python number, or a nested tuple in which None marks an unknown entry. None
alone means that nothing is known. `tf.reshape(x, [tf.shape(x)[0], -1])` keeps its static shape
because Shape, StridedSlice and Pack pass on the entries that they know. Any other op is computed
where its operands are known in full, so `tf.shape(x)[0] > 1` is known too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.ir.evaluation import evaluated
from graphwright.ir.graph import Node, Value, subgraphs_of
from graphwright.op.op import Effect, Op, host_value, is_whole
from graphwright.op.op_families import Elementwise
from graphwright.types.arguments import HostValue
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims

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
            missing = _missing(current.node)
            pending.extend(missing)
            if not missing:
                current.known = (_evaluate(current),)
    return value.known[0]


def _may_be_known(value: Value) -> bool:
    """Whether it is not large, and its op has a rule for known values or computes from them."""
    size = value.type.size
    if size is not None and size > _SMALL:
        return False
    return _has_rule(value.node.op) or _is_computable(value)


def _has_rule(op: Op) -> bool:
    """Whether an op states what is known of its results where operands are known in part."""
    return type(op).known is not Op.known


def _is_computable(value: Value) -> bool:
    """Whether a value is small, and a function of its node's inputs that NumPy computes."""
    node = value.node
    if value.type.size is None or not node.inputs or subgraphs_of(node.op):
        return False
    if not node.op.pure or node.op.effect is not Effect.NONE or node.op.is_of_lowering:
        return False
    return all(v.type.dtype.is_numpy_compatible for v in (*node.inputs, *node.outputs))


def _missing(node: Node) -> list[Value]:
    """The inputs that must be known before the node. Without a rule, none after an unknown one."""
    if node.op.known_from_types:
        return []
    if _has_rule(node.op):
        return [v for v in node.inputs if not v.known]
    for value in node.inputs:
        if not value.known:
            return [value]
        if not is_whole(value.known[0]):
            break
    return []


def _evaluate(value: Value) -> Any:
    """What the op's rule says of a value, or else what the op computes of its known inputs."""
    node, op = value.node, value.node.op
    result = None
    if op.known_from_types:
        result = op.known(*[v.type for v in node.inputs])
    elif _has_rule(op):
        result = op.known(*[v.known[0] for v in node.inputs])
    if op.returns_tuple or len(node.outputs) > 1:
        result = result[value.index] if isinstance(result, tuple) else None
    if not _fits(result, value.type.dtype) or not _agrees(result, value.type.dims):
        result = None
    if isinstance(op, Elementwise) and not value.type.is_static and _may_be_longer(node):
        result = None
    if not is_whole(result) and not op.known_from_types and _is_computable(value):
        computed = _computed(value)
        result = result if computed is None else computed
    return _unknown(value) if result is None else result


def _fits(result: HostValue, dtype: DType) -> bool:
    """Whether whole numbers are of the dtype: rules do not let them wrap around."""
    if isinstance(result, tuple):
        return all(_fits(entry, dtype) for entry in result)
    return type(result) is not int or not dtype.is_integer or dtype.min <= result <= dtype.max


def _agrees(result: HostValue, dims: Dims | None) -> bool:
    """Whether a known value has these sizes, as far as these are known.

    Rules do not see shapes. An operand of which nothing is known is a number to them, though it may
    be a vector: what comes of it counts where it has as many axes as the value.
    """
    if result is None or dims is None:
        return result is None or is_whole(result)
    if not isinstance(result, tuple) or not dims:
        return not isinstance(result, tuple) and not dims
    if dims[0] not in (None, len(result)):
        return False
    if len(dims) > 1 and (None in result or (not result and None in dims)):
        return False
    return all(_agrees(entry, dims[1:]) for entry in result)


def _may_be_longer(node: Node) -> bool:
    """Whether an operand of which nothing is known may be longer than all that is known."""
    return any(v.known[0] is None and v.type.dims != () for v in node.inputs)


def _computed(value: Value) -> Any:
    """What the op computes, if all its inputs are known in full; else None."""
    arrays, types = [], [v.type for v in value.node.inputs]
    for operand, type_ in zip(value.node.inputs, types):
        if not is_whole(operand.known[0]):
            return None
        array = np.array(operand.known[0], type_.dtype.numpy_dtype)
        arrays.append(array.reshape(type_.dims) if type_.is_static else array)
    results = evaluated(value.node.op, arrays, [type_.dtype for type_ in types])
    return None if results is None else host_value(results[value.index])


def _unknown(value: Value) -> Any:
    """The known value by the shape alone: a tuple of unknown entries for a vector, else None."""
    dims = value.type.dims
    if dims is None or len(dims) != 1 or dims[0] is None or dims[0] > _SMALL:
        return None
    return (None,) * dims[0]
