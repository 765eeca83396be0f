"""The staging of graphwright's tensors: see the protocol in `staging`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.autograph import iterations, refusals, tensor_builtins
from graphwright.autograph.settings import Feature, is_on
from graphwright.autograph.staging import Fold, Iteration, Leaves
from graphwright.control import graph_list
from graphwright.control.assertions import assert_true
from graphwright.control.branch import traced_cond
from graphwright.control.graph_list import GraphList
from graphwright.control.loop import while_loop
from graphwright.ir.graph import Graph
from graphwright.op.interpreter import STATE, convert
from graphwright.ops.core.creation import zeros
from graphwright.ops.core.identity import identity
from graphwright.ops.math.comparison import equal, logical_and, logical_not, logical_or
from graphwright.ops.math.reduction import reduce_all, reduce_any
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import current_tracer, tracing
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.shape import TensorShape
from graphwright.types.tensor_type import is_subshape
from graphwright.values.tensor import Tensor
from graphwright.values.variable import Variable

_PYTHON_VALUES = (bool, int, float, complex, str, bytes, np.ndarray, np.generic)


class TensorStaging:
    """While a function is traced its tensors are staged; eagerly nothing is."""

    def is_staged(self, value: Any) -> bool:
        if STATE.active is None or not isinstance(value, (Tensor, Variable, GraphList)):
            return False
        return current_tracer() is not None

    def carries(self, value: Any) -> bool:
        if isinstance(value, GraphList):  # it stays the object that it is: see `lists`
            return False
        return isinstance(value, Tensor) or _is_composite(value)

    def is_variable(self, value: Any) -> bool:
        return isinstance(value, Variable)

    def read(self, variable: Any) -> Any:
        return convert(variable)

    def convert(self, value: Any) -> Any:
        if isinstance(value, _PYTHON_VALUES):
            return convert(value)
        raise TypeError(f"{value!r} is no tensor")

    def is_traced(self, value: Any) -> bool:
        return isinstance(value, SymbolicTensor) and not self.leaks(value)

    def leaks(self, value: Any) -> bool:
        if not isinstance(value, SymbolicTensor):
            return False
        tracer, graph = current_tracer(), value.graph
        return tracer is None or not (graph is tracer.graph or tracer.encloses(graph))

    def type_of(self, value: Any) -> tuple[str, Any]:
        if isinstance(value, (Tensor, Variable)):
            return value.dtype.name, value.shape
        return type(value).__name__, None

    def fits(self, shape: Any, into: Any) -> bool:
        if shape is None or into is None:
            return True
        return is_subshape(TensorShape(shape)._dims, TensorShape(into)._dims)

    def common_shape(self, one: Any, two: Any) -> Any:
        shape = TensorShape(one).most_specific_compatible_shape(two)
        return None if shape.rank is None else shape.as_list()

    def zeros(self, value: Any) -> Any:
        if not isinstance(value, Tensor):
            raise ValueError(f"a {type(value).__name__} has to be made before the loop")
        dims = value.type.dims or ()
        return zeros([size or 0 for size in dims], value.dtype)

    def condition(self, value: Any, what: str) -> Any:
        tensor = tensor_builtins.truth(value) if isinstance(value, GraphList) else convert(value)
        if tensor.dtype is not dt.bool_ or tensor.type.rank not in (0, None):
            raise refusals.condition(tensor, what, tensor.dtype is dt.bool_)
        return tensor

    def cond(
        self,
        pred: Any,
        then: Callable[[], Leaves],
        other: Callable[[], Leaves],
        late: Sequence[tuple[int, Callable[[], Any]]] = (),
    ) -> Leaves:
        return list(traced_cond(pred, then, other, "cond", late))

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
        return (
            STATE.active is not None
            and current_tracer() is not None
            and iterations.is_looped(items)
        )

    def iteration(self, items: Any) -> Iteration | Fold | None:
        return iterations.of(items) if self.loops(items) else None

    def all_of(self, first: Any, second: Any) -> Any:
        return logical_and(first, second)

    def none_of(self, value: Any) -> Any:
        tensor = tensor_builtins.truth(value) if isinstance(value, GraphList) else convert(value)
        if tensor.dtype is not dt.bool_:
            raise TypeError(
                f"`not` of a tensor needs a bool, got {tensor}: compare it, as in `x == 0`"
            )
        return logical_not(tensor)

    def contains(self, item: Any, items: Any) -> Any:
        if isinstance(items, (Tensor, Variable, GraphList)):
            return reduce_any(equal(items, item))
        found = convert(False)
        for candidate in items:
            found = logical_or(found, reduce_all(equal(item, candidate)))
        return found

    def assert_true(self, condition: Any, message: str) -> None:
        assert_true(condition, [message])

    def list_of(self, items: list[Any], name: str, shape: Any) -> GraphList | None:
        if not items:
            return GraphList(None, (), name, shape) if is_on(Feature.LISTS) else None
        if any(map(self.leaks, tree.flatten(items))):
            return None
        return graph_list.list_of(items, name, shape)

    def lost(self, items: Any) -> Any:
        if not items.width:
            return self.probe(lambda: identity(convert(0)))
        return self.probe(lambda: tree.flatten(items[0])[0])

    def lists(self) -> list[Any]:
        return graph_list.living()

    def builtin(self, name: str) -> Callable[..., Any]:
        return tensor_builtins.TABLE[name]


def _is_composite(value: Any) -> bool:
    return getattr(value, "__graphwright_spec__", None) is not None


def _shape_of(value: Any) -> Any:
    return value.shape if isinstance(value, Tensor) else None
