"""The graph-building interpreter: while a tracer is active, every op becomes a node."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from graphwright.base.bounded_tables import remember
from graphwright.base.errors import InvalidArgumentError, user_location
from graphwright.ir.graph import Graph, Node, Value
from graphwright.ir.known import known
from graphwright.ir.operation import Operation
from graphwright.op.interpreter import STATE, Interpreter, activate, holds_tensor, makes_tensor
from graphwright.op.op import DTypeMismatch, LateRefusal, Op, freeze, host_value
from graphwright.op.refusal import before_advice
from graphwright.ops.core.creation import Const, Literal
from graphwright.trace.symbolic import SymbolicTensor, leaked
from graphwright.types import dtypes as dt
from graphwright.types.arguments import HostValue, TensorLike
from graphwright.types.arrays import Array, ArrayDType
from graphwright.types.dtypes import DType, of_numpy
from graphwright.types.tensor_type import TensorType
from graphwright.values.convert import convert, make_array
from graphwright.values.eager import AXES, is_float_array
from graphwright.values.tensor import EagerTensor, Tensor
from graphwright.values.variable import Variable

#: What a function does about a variable that was created in it, given its initial value.
OnVariable: TypeAlias = Callable[[Variable, Tensor], None]

#: Eager tensors up to this many elements become constants of the graph, larger ones captures.
_CONSTANT_SIZE = 128

#: An op remembers its result types for so many combinations of operand types.
_REMEMBERED = 16
#: So many axes, shapes and the like are remembered with their constants, of at most this length.
_PLACES, _AXES = 4096, 16
#: So many numbers are remembered with their constants.
_NUMBERS = 4096


class Tracer:
    """Builds a graph from the ops that run while it is active."""

    stages = True

    def __init__(self, graph: Graph, below: Interpreter | None) -> None:
        self.graph = graph
        self.below = below
        self.outer = tracer_of(below)
        #: Whether blocks of a program add to the graph, or to that of which it is a branch or loop.
        self.is_for_sessions: bool = graph.is_plain or (
            graph.is_body and self.outer is not None and self.outer.is_for_sessions
        )
        #: What the graph has of outside, by `id`; all blocks that add to a plain graph share it.
        self._captured: dict[int, tuple[Any, Value]] = (
            graph.outside
            if graph.is_plain
            else {id(tensor): (tensor, value) for tensor, value in graph.captures}
        )
        #: The arguments that stand for tensors of outside, by the `id` of these.
        self.standing: dict[int, SymbolicTensor] = {}
        #: What functions of the trace share: see `autograph.shared_variables`.
        self.shared: dict[Any, Any] = {}
        self._nameless: dict[Value, None] = {}  # constants made of operands, in their order

    # -- the interpreter ----------------------------------------------------------------

    def apply(self, op: Op, operands: tuple[object, ...], name: str | None) -> Any:
        """Adds a node for the op; returns symbolic tensors."""
        graph, value_of = self.graph, self.value_of
        if op.has_host:
            inputs, described = self._with_hosts(op, operands)
            types = infer(op, described, inputs)
        else:
            # Most are tensors of this graph, and a call for each would be a tenth of the time.
            inputs = tuple(
                [
                    o._value if type(o) is SymbolicTensor and o._graph is graph else value_of(o)
                    for o in operands
                ]
            )
            types = inferred(op, inputs)
        node = graph.add(op, inputs, types, name, user_location(2))
        if self._nameless:
            self._name_operands(node)
        if len(graph.nodes) >= self.look_at:
            self.look_at = self.grown(self)
        return self.results(node)

    def _name_operands(self, node: Node) -> None:
        """Names the constants that were made for an op after it: `add/y`."""
        for value, operand in zip(node.inputs, node.op.operand_names(len(node.inputs))):
            if value in self._nameless:
                del self._nameless[value]
                name = operand.replace("[", "_").rstrip("]")
                value.node.name = self.graph.names.claim(f"{node.name}/{name}")

    def close(self) -> None:
        """Ends the trace: names the constants that no op has taken."""
        for value in self._nameless:
            value.node.name = self.graph.names.claim("Const")

    def results(self, node: Node) -> Any:
        """A node's outputs as an op returns them; its operation where it has none, and sessions
        run it."""
        outputs = node.outputs
        if len(outputs) == 1 and not node.op.returns_tuple:
            return SymbolicTensor(outputs[0], self.graph)
        if not outputs:
            gives_operation = self.is_for_sessions and not node.op.returns_tuple
            return Operation(node, self.graph) if gives_operation else None
        return tuple([SymbolicTensor(v, self.graph) for v in outputs])

    def constant(self, value: TensorLike, dtype: DType | None, name: str | None) -> Any:
        """A constant node; without a name, it is named after the op that takes it."""
        return SymbolicTensor(self._const(np.asarray(value), name), self.graph)

    def _const(self, array: Array, name: str | None) -> Value:
        op = constant_of(array)
        if name is not None:
            return self.graph.add(op, (), (op.value.type,), name, None).outputs[0]
        return self._nameless_constant(op)

    def _nameless_constant(self, op: Const) -> Value:
        node = Node(op, (), (op.value.type,), "", None)
        self.graph.nodes.append(node)
        value = node.outputs[0]
        self._nameless[value] = None
        return value

    def _with_hosts(
        self, op: Op, operands: tuple[object, ...]
    ) -> tuple[tuple[Value, ...], list[TensorType | HostValue]]:
        """Inputs and what the type rule sees, where some operands are host values."""
        inputs: list[Value] = []
        described: list[TensorType | HostValue] = []
        for position, is_host in enumerate(op.host_mask(len(operands))):
            operand = operands[position]
            if not is_host:
                value = self.value_of(operand)
                described.append(value.type)
            else:
                value, plain = self._host(op, position, operands)
                check_host(op, position, len(operands), value.type.dtype)
                described.append(plain)
            inputs.append(value)
        return tuple(inputs), described

    def _host(self, op: Op, position: int, operands: tuple[object, ...]) -> tuple[Value, HostValue]:
        """A host operand given as a Python value (in which tensors may be nested)."""
        operand: Any = operands[position]
        declared = op.operands[min(position, len(op.operands) - 1)]
        dtype = host_dtype(op, declared.dtype, operands)
        if is_places(operand):
            constant, plain = places(tuple(operand) if type(operand) is list else operand, dtype)
            return self._nameless_constant(constant), plain
        if makes_tensor(operand) or holds_tensor(operand):
            casts = op.host_casts(len(operands))[position]
            value = self.value_of(convert(operand, None, dtype if casts else None))
            return value, known(value)
        if is_float_array(operand) and op.host_casts(len(operands))[position]:
            operand = operand.astype(dtype.numpy_dtype)
        casts_bools = op.host_casts(len(operands))[position]
        if is_bools_of_numpy(operand) or (is_bool(operand) and not casts_bools):
            check_host(op, position, len(operands), dt.bool_)  # others are numbers in a graph
        array = make_host(operand, dtype)
        return self._nameless_constant(constant_of(array)), host_value(array)

    # -- captures -----------------------------------------------------------------------

    def value_of(self, tensor: object) -> Value:
        """The value in this graph that stands for a tensor from anywhere."""
        if type(tensor) is SymbolicTensor and tensor._graph is self.graph:
            return tensor._value
        capture = self._captured.get(id(tensor))
        if capture is not None:
            return capture[1]
        value = self._import(tensor)
        self._captured[id(tensor)] = (tensor, value)
        return value

    def _import(self, tensor: object) -> Value:
        if isinstance(tensor, EagerTensor):
            type_ = tensor.type
            small = type_.dtype.is_numpy_compatible and (type_.size or 0) <= _CONSTANT_SIZE
            small = small and tensor._is_constant
            if small and not is_watched(tensor, self.below):
                if type_.dtype in dt.INEXACT:
                    if self.graph.is_body and self.outer is not None:
                        # A constant of the graph around: `tf.gradients` asks there for its slope.
                        around = SymbolicTensor(self.outer.value_of(tensor), self.outer.graph)
                        return self.capture(around, type_)
                    self.note_folded({id(tensor): weakref.ref(tensor)})
                    constant = self._const(tensor._array, "Const")
                    self.graph.constants[id(tensor)] = constant
                    return constant
                return self._const(tensor._array, "Const")
            argument = self.standing_for(tensor)
            return self.capture(tensor, type_) if argument is None else self.value_of(argument)
        if isinstance(tensor, SymbolicTensor):
            if not self.encloses(tensor.graph):
                raise leaked(tensor, self.graph)
            return self.capture(tensor, tensor.type)
        raise TypeError(f"Expected a tensor, got {tensor!r} of type {type(tensor).__name__}")

    def note_folded(self, tensors: Mapping[int, weakref.ref[EagerTensor]]) -> None:
        """Records eager tensors that have become constants, here and in the graphs around."""
        tracer: Tracer | None = self
        while tracer is not None:
            tracer.graph.folded.update(tensors)
            tracer = tracer.outer

    def capture(self, tensor: Tensor, type_: TensorType, name: str | None = None) -> Value:
        """A placeholder whose value is an outside tensor's, whenever the graph runs."""
        value = self.graph.placeholder(type_, name or capture_name(tensor))
        self.graph.captures.append((tensor, value))
        self._captured[id(tensor)] = (tensor, value)
        return value

    def stand_for(self, tensor: Tensor, argument: SymbolicTensor) -> None:
        """Lets an argument of this graph stand for an outside tensor, here and in graphs inside."""
        self._captured[id(tensor)] = (tensor, argument._value)
        self.standing[id(tensor)] = argument

    def standing_for(self, tensor: Tensor) -> SymbolicTensor | None:
        """The argument of a graph around that stands for a tensor. Another call may have another
        tensor there, so a graph inside must not know this one."""
        tracer = self.outer if self.graph.is_body else None
        while tracer is not None:
            argument = tracer.standing.get(id(tensor))
            if argument is not None:
                return argument
            tracer = tracer.outer if tracer.graph.is_body else None
        return None

    def is_argument(self, tensor: Tensor) -> bool:
        """Whether an argument of the trace stands for an outside tensor."""
        return id(tensor) in self.standing or self.standing_for(tensor) is not None

    def as_capture(self, tensor: Tensor) -> SymbolicTensor:
        """An outside tensor as a capture, though it may be small."""
        if id(tensor) not in self._captured:
            self.capture(tensor, tensor.type)
        return SymbolicTensor(self._captured[id(tensor)][1], self.graph)

    def encloses(self, graph: Graph) -> bool:
        """Whether `graph` is being traced around this one."""
        outer = self.outer
        while outer is not None:
            if outer.graph is graph:
                return True
            outer = outer.outer
        return False

    # -- variables created while tracing ------------------------------------------------

    def initial_value(self, value: TensorLike, dtype: DType | None) -> Any:
        """The initial value of a variable that is being created: eager where it can be."""
        if isinstance(value, SymbolicTensor):
            return convert(value, dtype)
        with activate(None):
            return convert(value, dtype)

    def created(self, variable: Variable, value: Tensor) -> None:
        """Lets the function's policy decide about a variable that the traced code has created."""
        tracer: Tracer | None = self
        while tracer is not None:
            if tracer.on_variable is not None:
                tracer.on_variable(variable, value)
                return
            tracer = tracer.outer

    on_variable: OnVariable | None = None

    # -- graphs that grow ---------------------------------------------------------------

    #: The number of nodes from which AutoGraph looks for loops that it did not stage. `grown`
    #: looks, and returns the number for the next look; `watch` is its state for this graph.
    #: `hooks` provides both.
    look_at: float = math.inf
    grown: Callable[[Tracer], int]
    watch: Any = None


def is_watched(tensor: Tensor, interpreter: Interpreter | None) -> bool:
    """Whether an interpreter, or one below it, follows a tensor, as tapes do."""
    while interpreter is not None:
        if tensor.key in getattr(interpreter, "watched", ()):
            return True
        interpreter = interpreter.below
    return False


def folds_watched(graph: Graph) -> bool:
    """Whether a constant of a graph comes of a tensor that is watched now."""
    tensors = [reference() for reference in graph.folded.values()]
    return any(t is not None and is_watched(t, STATE.active) for t in tensors)


def tracer_of(interpreter: Interpreter | None) -> Tracer | None:
    """The innermost tracer at or below an interpreter."""
    while interpreter is not None:
        if isinstance(interpreter, Tracer):
            return interpreter
        interpreter = interpreter.below
    return None


def current_tracer() -> Tracer | None:
    """The innermost active tracer of this thread, or None when ops run eagerly."""
    return tracer_of(STATE.active)


class tracing(activate):
    """Traces the ops of the block into a graph: `with tracing(graph) as tracer: ...`."""

    __slots__ = ("tracer",)

    def __init__(self, graph: Graph) -> None:
        self.tracer = Tracer(graph, STATE.active)
        super().__init__(followed(STATE.active, self.tracer))

    def __enter__(self) -> Tracer:
        super().__enter__()
        return self.tracer

    def __exit__(self, *error: object) -> None:
        super().__exit__()
        if error[0] is None:
            self.tracer.close()


def followed(outside: Interpreter | None, tracer: Interpreter) -> Interpreter:
    """A trace's interpreter: the tracer, or outer ones' forms over it where those go along."""
    while outside is not None:
        over = getattr(outside, "over", None)
        if over is not None:
            interpreter: Interpreter = over(followed(outside.below, tracer))
            return interpreter
        outside = outside.below
    return tracer


def inferred(op: Op, inputs: tuple[Value, ...]) -> tuple[TensorType, ...]:
    """The result types of an op without host operands; those of its latest operand types are
    remembered."""
    described = tuple([v.type for v in inputs])
    known: dict[Any, tuple[TensorType, ...]] = op.__dict__["_inferred"]
    types = known.get(described)
    if types is None:
        types = remember(known, described, infer(op, described, inputs), _REMEMBERED)
    return types


def infer(
    op: Op, described: Sequence[TensorType | HostValue], inputs: tuple[Value, ...]
) -> tuple[TensorType, ...]:
    """The result types; dtype errors as TypeError, shape errors as ValueError."""
    try:
        return op.infer(described)
    except DTypeMismatch as mismatch:
        raise TypeError(mismatch.graph_message()) from None
    except LateRefusal as error:
        raise InvalidArgumentError(None, None, at_node(str(error), op, inputs)) from None
    except (ValueError, IndexError) as error:
        raise ValueError(at_node(str(error), op, inputs)) from None
    except TypeError as error:
        if not op.has_host:
            raise
        # A number stands where a list of numbers is meant, or the other way round.
        raise ValueError(at_node(f"{AXES}: {error}", op, inputs)) from error


def at_node(words: str, op: Op, inputs: tuple[Value, ...]) -> str:
    """What an error says, with the op and the types of its operands."""
    shapes = ", ".join(repr(v.type) for v in inputs)
    place = f" for '{{{{node {op.type_name}}}}} = {op}' with input types: {shapes}."
    return before_advice(words, place)


def check_host(op: Op, position: int, count: int, got: DType) -> None:
    """Refuses a host operand of a wrong dtype."""
    try:
        op.check_host(position, count, got)
    except DTypeMismatch as mismatch:
        raise TypeError(mismatch.graph_message()) from None


def host_dtype(op: Op, declared: str, operands: tuple[object, ...]) -> DType:
    """The dtype of the constant that a Python host value becomes."""
    attribute = getattr(op, declared, None)
    if isinstance(attribute, DType):
        return attribute
    if declared in op.dtypes:
        for other, operand in zip(op.operands, operands):
            if other.variadic or other.mixed:
                break  # what follows stands at no fixed position
            if other.dtype == declared and isinstance(operand, Tensor):
                return operand.dtype
        return dt.int32 if dt.int32 in op.dtypes[declared] else next(iter(op.dtypes[declared]))
    return dt.as_dtype(declared)


def make_host(operand: TensorLike | HostValue, dtype: DType) -> Array:
    """A host value as the array of its constant; int64 where int32 is too narrow."""
    array: Any = operand
    plain = host_value(array) if hasattr(operand, "dtype") else freeze(operand)
    if plain == ():
        return np.zeros((0,), dtype.numpy_dtype)
    if dtype is dt.int32 and np.asarray(plain).dtype == np.int64:
        return make_array(plain, None)
    return make_array(plain, dtype)


def constant_of(array: Array) -> Const:
    """The op that gives an array; for equal numbers the same one: unrolled loops have many."""
    if not array.shape and array.dtype.kind in "biufc":
        return number(array.dtype, array.tobytes())
    return Const(Literal(array, TensorType(of_numpy(array.dtype), array.shape)))


@lru_cache(_NUMBERS)
def number(dtype: ArrayDType, data: bytes) -> Const:
    """The op that gives a number, from its bytes: 0.0 and -0.0 are two numbers."""
    array = np.frombuffer(data, dtype).reshape(()).copy()
    return Const(Literal(array, TensorType(of_numpy(dtype), ())))


def is_places(operand: object) -> bool:
    """Whether a host operand is an int, or a short list of them: an axis, a shape or the like."""
    kind = type(operand)
    if kind is tuple or kind is list:
        entries: Any = operand
        return len(entries) <= _AXES and _INTS.issuperset(map(type, entries))
    return kind is int


def is_bools_of_numpy(operand: object) -> bool:
    """Whether a host operand is a list of NumPy's bools and of nothing else."""
    return (
        isinstance(operand, (list, tuple))
        and len(operand) > 0
        and all(isinstance(item, np.bool_) for item in operand)
    )


def is_bool(operand: object) -> bool:
    """Whether a host operand is a bool, Python's or NumPy's."""
    return isinstance(operand, (bool, np.bool_))


_INTS = frozenset({int})


@lru_cache(_PLACES)
def places(operand: int | tuple[int, ...], dtype: DType) -> tuple[Const, HostValue]:
    """The constant that ints become, and what the type rule sees of it."""
    array = make_host(operand, dtype)
    return constant_of(array), host_value(array)


def capture_name(tensor: Tensor) -> str:
    """The name of the placeholder of a capture."""
    if isinstance(tensor, SymbolicTensor):
        return tensor._value.node.name.rpartition("/")[2]
    return "captured"
