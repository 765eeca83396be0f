"""The staging of graphwright's tensors: see the protocol in `staging`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar

import numpy as np

from graphwright.autograph import refusals
from graphwright.autograph.settings import Feature, is_on
from graphwright.control.assertions import assert_true
from graphwright.control.branch import may_be_one, one_element, traced_cond
from graphwright.control.loop import while_loop
from graphwright.ir.graph import Graph
from graphwright.op.interpreter import STATE, convert
from graphwright.op.late_imports import late_module
from graphwright.ops.core.creation import zeros
from graphwright.ops.core.identity import identity
from graphwright.ops.math.comparison import equal, logical_and, logical_not, logical_or
from graphwright.ops.math.reduction import reduce_all, reduce_any
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import current_tracer, tracing
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.arguments import ShapeLike, TensorLike, TensorValue
from graphwright.types.composite import Composite
from graphwright.types.shape import TensorShape
from graphwright.types.tensor_type import is_subshape
from graphwright.values.in_place_statements import refused_variable
from graphwright.values.tensor import Tensor
from graphwright.values.variable import Variable

if TYPE_CHECKING:
    from graphwright.autograph.operator_arguments import Thunk, WhileOptions
    from graphwright.autograph.staging import Fold, GrowingList, Iteration, Leaves
    from graphwright.control.graph_list import GraphList

T = TypeVar("T")

_PYTHON_VALUES = (bool, int, float, complex, str, bytes, np.ndarray, np.generic)


class TensorStaging:
    """The staging of tensors: while a function is traced they are staged, eagerly they are not."""

    def is_staged(self, value: object) -> TypeGuard[TensorLike]:
        if STATE.active is None or not (isinstance(value, (Tensor, Variable)) or _is_list(value)):
            return False
        return current_tracer() is not None

    def carries(self, value: object) -> bool:
        if _is_list(value):  # the list stays one object, and its values cross
            return False
        return isinstance(value, Tensor) or _is_composite(value)

    def is_variable(self, value: object) -> TypeGuard[TensorLike]:
        if isinstance(value, Variable):
            return True
        return hasattr(type(value), "__tf_tensor__") and not (
            _is_list(value) or self.carries(value)
        )

    def read(self, variable: TensorLike) -> TensorValue:
        return convert(variable)

    def refuses_in_place(self, variable: object, error: Exception) -> bool:
        return variable is not None and refused_variable(error) is variable

    def convert(self, value: object) -> TensorValue:
        if isinstance(value, (*_PYTHON_VALUES, TensorShape)):
            return convert(value)
        raise TypeError(f"{value!r} is no tensor")

    def is_traced(self, value: object) -> bool:
        return isinstance(value, SymbolicTensor) and not self.leaks(value)

    def leaks(self, value: object) -> bool:
        if not isinstance(value, SymbolicTensor):
            return False
        tracer, graph = current_tracer(), value.graph
        return tracer is None or not (graph is tracer.graph or tracer.encloses(graph))

    def type_of(self, value: object) -> tuple[str, TensorShape | None]:
        if self.is_variable(value) and not isinstance(value, Variable):
            value = self.read(value)
        if isinstance(value, (Tensor, Variable)):
            return value.dtype.name, value.shape
        return type(value).__name__, None

    def fits(self, shape: ShapeLike, into: ShapeLike) -> bool:
        if shape is None or into is None:
            return True
        return is_subshape(TensorShape(shape)._dims, TensorShape(into)._dims)

    def common_shape(self, one: ShapeLike, two: TensorShape | None) -> list[int | None] | None:
        shape = TensorShape(one).most_specific_compatible_shape(two)
        return None if shape.rank is None else shape.as_list()

    def zeros(self, value: object) -> Any:
        if not isinstance(value, Tensor):
            raise ValueError(f"a {type(value).__name__} has to be made before the loop")
        dims = value.type.dims or ()
        return zeros([size or 0 for size in dims], value.dtype)

    def condition(self, value: TensorLike, what: str) -> TensorValue:
        tensor = _truth_of_list(value) if _is_list(value) else convert(value)
        if tensor.dtype is not dt.bool_ or not may_be_one(tensor):
            raise refusals.condition(tensor, what, tensor.dtype is dt.bool_)
        return one_element(tensor)

    def cond(
        self,
        pred: TensorValue,
        then: Callable[[], Leaves],
        other: Callable[[], Leaves],
        late: Sequence[tuple[int, Thunk]] = (),
    ) -> Leaves:
        return list(traced_cond(pred, then, other, "cond", late))

    def while_loop(
        self,
        test: Callable[..., TensorLike],
        body: Callable[..., Leaves],
        start: Leaves,
        shapes: Sequence[ShapeLike] | None,
        options: WhileOptions,
    ) -> Leaves:
        invariants = None
        if shapes is not None:
            invariants = [
                _shape_of(leaf) if shape is None else shape for leaf, shape in zip(start, shapes)
            ]
        return list(while_loop(test, body, start, invariants, **options))

    def probe(self, function: Callable[[], T]) -> T:
        with tracing(Graph("probe", is_body=True)):
            return function()

    def loops(self, items: object) -> bool:
        return (
            STATE.active is not None
            and current_tracer() is not None
            and bool(_iterations().is_looped(items))
        )

    def folds(self, items: object) -> bool:
        return bool(_iterations().folds(items))

    def iteration(self, items: object) -> Iteration | Fold | None:
        iteration: Iteration | Fold | None
        iteration = _iterations().of(items) if self.loops(items) else None
        return iteration

    def all_of(self, first: TensorValue, second: TensorValue) -> Any:
        return logical_and(first, second)

    def none_of(self, value: TensorLike) -> Any:
        tensor = _truth_of_list(value) if _is_list(value) else convert(value)
        if tensor.dtype is not dt.bool_:
            raise TypeError(
                f"`not` of a tensor needs a bool, got {tensor}: compare it, as in `x == 0`"
            )
        return logical_not(tensor)

    def contains(self, item: TensorLike, items: Iterable[TensorLike]) -> Any:
        if isinstance(items, (Tensor, Variable)) or _is_list(items):
            return reduce_any(equal(items, item))
        result = convert(False)
        for candidate in items:
            result = logical_or(result, reduce_all(equal(item, candidate)))
        return result

    def assert_true(self, condition: TensorLike, message: str) -> None:
        assert_true(condition, [message])

    def list_of(self, items: list[object], name: str, shape: ShapeLike) -> GraphList | None:
        if not items and not is_on(Feature.LISTS):
            return None
        if any(map(self.leaks, tree.flatten(items))):
            return None
        made: GraphList | None
        if items:
            made = _lists().list_of(items, name, shape)
        else:
            made = _lists().GraphList(None, (), name, shape)
        return made

    def lost(self, items: GrowingList) -> Any:
        if not items.width:
            return self.probe(lambda: identity(convert(0)))
        return self.probe(lambda: tree.flatten(items[0])[0])

    def lost_variable(self, reason: str) -> Any:
        graph = Graph("lost", is_body=True)
        graph.reason = reason
        with tracing(graph):
            return identity(convert(0))

    def shared(self) -> dict[Any, Any] | None:
        tracer = current_tracer()
        if tracer is None:
            return None
        while tracer.graph.is_body and tracer.outer is not None:
            tracer = tracer.outer
        return tracer.shared

    def lists(self) -> list[GraphList]:
        living: list[GraphList] = _lists().living()
        return living

    def builtin(self, name: str) -> Callable[..., Any]:
        form: Callable[..., Any] = _builtins().TABLE[name]
        return form


# Modules that few functions need.


def _iterations() -> Any:
    return late_module("graphwright.autograph.iterations")


def _builtins() -> Any:
    return late_module("graphwright.autograph.tensor_builtins")


def _lists() -> Any:
    return late_module("graphwright.control.graph_list")


def _is_list(value: object) -> TypeGuard[GraphList]:
    return isinstance(value, Composite) and value._is_list


def _truth_of_list(value: GraphList) -> Any:
    return _builtins().truth(value)


def _is_composite(value: object) -> bool:
    return getattr(value, "__graphwright_spec__", None) is not None


def _shape_of(value: object) -> TensorShape | None:
    return value.shape if isinstance(value, Tensor) else None
