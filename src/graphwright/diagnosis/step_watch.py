"""A program's training step: how long its calls take, and each node of its graph."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from graphwright.compile.run.steps import lives
from graphwright.control.call import PartitionedCall
from graphwright.function.concrete import ConcreteFunction
from graphwright.function.polymorphic import PolymorphicFunction
from graphwright.ir.graph import Graph, Node, Value
from graphwright.library.summary.profiler import Timer
from graphwright.op.interpreter import STATE
from graphwright.op.op import Effect
from graphwright.values.tensor import EagerTensor
from graphwright.values.variable import Variable

#: The calls of a function that run node by node, from 0; those before it trace and compile.
_DETAILED = range(2, 5)


class TrainingGraph(NamedTuple):
    """A graph that changes trainable variables, with what is known of a call of it.

    Args:
        nodes: Its nodes, but for those that nothing needs.
        variables: The variables by their handles in the graph.
        seconds: The time of each node, the least of several calls.
        nbytes: The bytes of each value.
    """

    nodes: Sequence[Node]
    variables: Mapping[Value, Variable]
    seconds: Mapping[Node, float]
    nbytes: Mapping[Value, int]

    def written(self, node: Node) -> Variable | None:
        """The variable that a node changes, if it changes one."""
        return self.variables.get(node.inputs[0]) if is_write(node) else None


def is_write(node: Node) -> bool:
    """Whether a node may be an assignment."""
    is_call = isinstance(node.op, PartitionedCall)
    return bool(node.inputs) and node.op.effect is Effect.WRITE and not is_call


class NodeTimer(Timer):
    """The interpreter that runs calls node by node, calls inside of them too, and times nodes."""

    def __init__(self) -> None:
        super().__init__("", 0)
        self.seconds: dict[Node, float] = {}
        self.nbytes: dict[Value, int] = {}
        self.training: TrainingGraph | None = None

    def watch_call(self, concrete: ConcreteFunction, tensors: Sequence[EagerTensor]) -> Any:
        """The results of a call of a trace, node by node."""
        return concrete._outputs.pack(self.each(concrete.graph, tensors))

    def each(self, graph: Graph, tensors: Sequence[EagerTensor]) -> list[Any]:
        """The results of a graph, its nodes timed one by one."""
        values: dict[Value, Any] = dict(zip(graph.arguments, [*tensors, *graph.captured]))
        nodes = [node for node, _ in lives(graph)]
        self.look_at(nodes, values)
        for node in nodes:
            if node.outputs and all(v in values for v in node.outputs):
                continue
            operands = tuple([values[v] for v in node.inputs])
            began = time.perf_counter()
            result: Any
            if isinstance(node.op, PartitionedCall):
                result = self.each(node.op.f, operands)
            else:
                result = self.hand_on(node.op, operands, node.name)
            taken = time.perf_counter() - began
            self.seconds[node] = min(taken, self.seconds.get(node, taken))
            single = len(node.outputs) == 1 and not node.op.returns_tuple
            results = [result] if single else result or ()
            values.update(zip(node.outputs, results))
            for value, tensor in zip(node.outputs, results):
                if isinstance(tensor, EagerTensor) and tensor.dtype.is_numpy_compatible:
                    self.nbytes[value] = tensor._array.nbytes
        return [values[v] for v in graph.results]

    def look_at(self, nodes: Sequence[Node], values: Mapping[Value, object]) -> None:
        """Notes the nodes of a graph that change trainable variables themselves."""
        owners = {
            value: getattr(tensor, "variable", None)
            for value, tensor in values.items()
            if value.type.dtype.name == "resource"
        }
        variables = {v: owner for v, owner in owners.items() if isinstance(owner, Variable)}
        training = TrainingGraph(nodes, variables, self.seconds, self.nbytes)
        changed = [training.written(node) for node in nodes]
        if any(each is not None and each.trainable for each in changed):
            self.training = training


class CallTimes:
    """The calls of one function: how long they took, and what its graph takes."""

    def __init__(self, function: PolymorphicFunction) -> None:
        self.name: str = function._name
        self.count = 0
        self.seconds: list[float] = []  # of calls as they are, once all is compiled
        self.timer = NodeTimer()

    @property
    def fastest(self) -> float:
        """The seconds of the fastest call."""
        return min(self.seconds)

    def call(self, function: Callable[[], object]) -> object:
        """The results of a call."""
        number, self.count = self.count, self.count + 1
        if number in _DETAILED:
            self.timer.enter()
            try:
                return function()
            finally:
                self.timer.leave()
        began = time.perf_counter()
        result = function()
        if number > _DETAILED.stop:
            self.seconds.append(time.perf_counter() - began)
        return result


class StepWatch:
    """The calls of all functions of a program that are under way in no other call."""

    def __init__(self) -> None:
        self.calls: dict[int, CallTimes] = {}
        self.functions: list[PolymorphicFunction] = []  # alive, so that no two have one id

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Opens a block whose calls are timed."""
        plain: Callable[..., Any] = PolymorphicFunction.__call__

        def timed(function: PolymorphicFunction, *args: object, **kwargs: object) -> Any:
            if STATE.active is not None:
                return plain(function, *args, **kwargs)
            if id(function) not in self.calls:
                self.functions.append(function)
                self.calls[id(function)] = CallTimes(function)
            return self.calls[id(function)].call(lambda: plain(function, *args, **kwargs))

        setattr(PolymorphicFunction, "__call__", timed)  # noqa: B010 - a method, for all instances
        try:
            yield
        finally:
            setattr(PolymorphicFunction, "__call__", plain)  # noqa: B010

    def step(self) -> tuple[CallTimes, TrainingGraph] | None:
        """The function that trains for most of the time, and the graph in it that does."""
        training = [
            (calls, calls.timer.training)
            for calls in self.calls.values()
            if calls.seconds and calls.timer.training is not None
        ]
        return max(training, key=lambda pair: sum(pair[0].seconds), default=None)
