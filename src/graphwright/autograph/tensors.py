"""The staging of graphwright's tensors: see the protocol in `staging`."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.autograph import iterations
from graphwright.autograph.staging import Fold, Iteration, Leaves
from graphwright.control.assertions import assert_true
from graphwright.control.branch import cond
from graphwright.control.loop import while_loop
from graphwright.control.tensor_array import TensorArray
from graphwright.ir.graph import Graph
from graphwright.op.interpreter import STATE, convert
from graphwright.ops.arithmetic import maximum, minimum
from graphwright.ops.comparison import equal, logical_and, logical_not, logical_or, not_equal
from graphwright.ops.conversion import cast
from graphwright.ops.creation import zeros
from graphwright.ops.reduction import reduce_all, reduce_any, reduce_max, reduce_min, reduce_sum
from graphwright.ops.sequences import range as tensor_range
from graphwright.ops.shape import shape
from graphwright.ops.sorting import sort
from graphwright.trace.tracer import current_tracer, tracing
from graphwright.types import dtypes as dt
from graphwright.types.shape import TensorShape
from graphwright.types.tensor_type import is_subshape
from graphwright.values.tensor import Tensor
from graphwright.values.variable import Variable

_PYTHON_VALUES = (bool, int, float, complex, str, bytes, np.ndarray, np.generic)


class TensorStaging:
    """While a function is traced its tensors are staged; eagerly nothing is."""

    def is_staged(self, value: Any) -> bool:
        if STATE.active is None or not isinstance(value, (Tensor, Variable)):
            return False
        return current_tracer() is not None

    def carries(self, value: Any) -> bool:
        return isinstance(value, Tensor) or _is_composite(value)

    def convert(self, value: Any) -> Any:
        if isinstance(value, _PYTHON_VALUES):
            return convert(value)
        raise TypeError(f"{value!r} is no tensor")

    def type_of(self, value: Any) -> tuple[str, Any]:
        if isinstance(value, Tensor):
            return value.dtype.name, value.shape
        return type(value).__name__, None

    def fits(self, shape: Any, into: Any) -> bool:
        if shape is None or into is None:
            return True
        return is_subshape(TensorShape(shape)._dims, TensorShape(into)._dims)

    def zeros(self, value: Any) -> Any:
        if not isinstance(value, Tensor):
            raise ValueError(f"a {type(value).__name__} has to be made before the loop")
        dims = value.type.dims or ()
        return zeros([size or 0 for size in dims], value.dtype)

    def condition(self, value: Any, what: str) -> Any:
        tensor = convert(value)
        if tensor.dtype is not dt.bool_ or tensor.type.rank not in (0, None):
            advice = "to check for None, use `is not None`"
            if tensor.dtype is not dt.bool_:
                advice = f"to use as boolean Tensor, use `tf.cast`; {advice}"
            raise ValueError(
                f"condition of {what} expected to be `tf.bool` scalar, got {tensor}; {advice}"
            )
        return tensor

    def cond(self, pred: Any, then: Callable[[], Leaves], other: Callable[[], Leaves]) -> Leaves:
        return list(cond(pred, then, other))

    def while_loop(
        self,
        test: Callable[..., Any],
        body: Callable[..., Leaves],
        start: Leaves,
        shapes: Sequence[Any] | None,
        options: dict[str, Any],
    ) -> Leaves:
        invariants = None
        if shapes is not None:
            invariants = [
                _shape_of(leaf) if wanted is None else wanted for leaf, wanted in zip(start, shapes)
            ]
        return list(while_loop(test, body, start, invariants, **options))

    def probe(self, function: Callable[[], Any]) -> Any:
        with tracing(Graph("probe", is_body=True)):
            return function()

    def loops(self, items: Any) -> bool:
        if STATE.active is None or current_tracer() is None:
            return False
        known = isinstance(items, (Tensor, Variable, TensorArray))
        return known or hasattr(type(items), "__graph_iteration__")

    def iteration(self, items: Any) -> Iteration | Fold | None:
        if not self.loops(items):
            return None
        if isinstance(items, (Tensor, Variable)):
            return iterations.of_tensor(convert(items))
        if isinstance(items, TensorArray):
            return iterations.ArrayItems(items)
        made: Iteration | Fold = items.__graph_iteration__()
        return made

    def all_of(self, first: Any, second: Any) -> Any:
        return logical_and(first, second)

    def none_of(self, value: Any) -> Any:
        tensor = convert(value)
        if tensor.dtype is not dt.bool_:
            raise TypeError(
                f"`not` of a tensor needs a bool, got {tensor}: compare it, as in `x == 0`"
            )
        return logical_not(tensor)

    def contains(self, item: Any, items: Any) -> Any:
        if isinstance(items, (Tensor, Variable)):
            return reduce_any(equal(items, item))
        found = convert(False)
        for candidate in items:
            found = logical_or(found, reduce_all(equal(item, candidate)))
        return found

    def assert_true(self, condition: Any, message: str) -> None:
        assert_true(condition, [message])

    def builtin(self, name: str) -> Callable[..., Any]:
        return _BUILTINS[name]

    def size(self) -> int:
        tracer = current_tracer()
        return 0 if tracer is None else len(tracer.graph.nodes)


def _is_composite(value: Any) -> bool:
    return getattr(value, "__graphwright_spec__", None) is not None


def _shape_of(value: Any) -> Any:
    return value.shape if isinstance(value, Tensor) else None


# Builtins. Their arguments are Python's; some are staged.


def _length(tensor: Any) -> Any:
    tensor = convert(tensor)
    dims = tensor.type.dims
    if dims == ():
        raise ValueError(f"len requires a non-scalar tensor, got {tensor}")
    if dims and dims[0] is not None:
        return dims[0]
    return shape(tensor)[0]


def _sum(items: Any, start: Any = 0) -> Any:
    total = reduce_sum(items, axis=0)
    return total if type(start) is int and start == 0 else total + start


def _extreme(
    reduce: Callable[..., Any], choose: Callable[..., Any], builtin: Callable[..., Any]
) -> Callable[..., Any]:
    name: str = builtin.__name__

    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            raise NotImplementedError(
                f"{name} of tensors takes no {', '.join(kwargs)}: use tf.reduce_{name}, tf.argsort"
            )
        if len(args) > 1 or isinstance(args[0], (list, tuple)):
            items = args if len(args) > 1 else args[0]
            return functools.reduce(choose, items)
        return reduce(args[0], axis=0)

    return call


def _quantifier(reduce: Callable[..., Any], join: Callable[..., Any]) -> Callable[[Any], Any]:
    def call(items: Any) -> Any:
        if isinstance(items, (list, tuple)):
            return functools.reduce(join, [_truth(item) for item in items])
        return reduce(_truth(items))

    return call


def _truth(value: Any) -> Any:
    tensor = convert(value)
    return tensor if tensor.dtype is dt.bool_ else not_equal(tensor, convert(0, tensor.dtype))


def _sorted(items: Any, *, key: Any = None, reverse: bool = False) -> Any:
    if key is not None or isinstance(items, (list, tuple)):
        raise NotImplementedError("sorted of tensors by a key: use tf.argsort and tf.gather")
    return sort(items, direction="DESCENDING" if reverse else "ASCENDING")


def _parts(items: Sequence[Any]) -> list[Iteration]:
    staging = TensorStaging()
    parts: list[Iteration] = []
    for item in items:
        part = staging.iteration(item)
        if part is None or isinstance(part, Fold):
            raise TypeError(
                f"a tensor and {type(item).__name__} cannot be looped over together: make the "
                "other one a tensor too"
            )
        parts.append(part)
    return parts


def _enumerate(items: Any, start: Any = 0) -> Any:
    parts = [iterations.Counter(start), *_parts([items])]
    return iterations.Combined(parts, lambda index, item: (index, item))


def _zip(*items: Any, strict: bool = False) -> Any:
    return iterations.Combined(_parts(items), lambda *each: each)


def _map(function: Callable[..., Any], *items: Any) -> Any:
    return iterations.Combined(_parts(items), function)


def _filter(function: Callable[..., Any], items: Any) -> Any:
    raise NotImplementedError("filter of a tensor: use tf.boolean_mask, or `if` in the loop")


_BUILTINS: dict[str, Callable[..., Any]] = {
    "abs": operator.abs,
    "all": _quantifier(reduce_all, logical_and),
    "any": _quantifier(reduce_any, logical_or),
    "bool": _truth,
    "enumerate": _enumerate,
    "filter": _filter,
    "float": lambda value: cast(value, dt.float32),
    "int": lambda value: cast(value, dt.int32),
    "len": _length,
    "map": _map,
    "max": _extreme(reduce_max, maximum, max),
    "min": _extreme(reduce_min, minimum, min),
    "range": tensor_range,
    "sorted": _sorted,
    "sum": _sum,
    "zip": _zip,
}
