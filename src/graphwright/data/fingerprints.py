"""What made the elements of a stage, as one text: equal for pipelines that compute the same.

It covers the kinds of stages, their numbers, options and tensors. It covers the graphs of functions
with what they capture, also the present values of variables and tables. Of Python functions it has
code, constants, defaults and what they close over, and of objects in these what `pickle` keeps.
Files count by their names, and modules and globals by theirs.
"""

from __future__ import annotations

import copyreg
import enum
import functools
import types
from _blake2 import blake2b  # as hashlib has it, which takes 3 ms to load OpenSSL
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from graphwright.control.python_call import Token
from graphwright.data.blocks import ElementBlock
from graphwright.data.element_function import ElementFunction
from graphwright.data.element_type import ElementType
from graphwright.data.generators import ElementGenerator
from graphwright.data.stage import DatasetStage, StageOrigin
from graphwright.function.concrete import ConcreteFunction
from graphwright.function.polymorphic import PolymorphicFunction
from graphwright.ir.graph import Graph, Value
from graphwright.op.op import Op
from graphwright.ops.core.creation import Literal
from graphwright.ops.state.tables import Table
from graphwright.ops.state.variable_ops import Storage
from graphwright.types.arrays import Array
from graphwright.types.composite import Composite
from graphwright.types.dtypes import DType
from graphwright.types.shape import TensorShape
from graphwright.types.tensor_type import TensorType
from graphwright.types.type_spec import TypeSpec
from graphwright.values.tensor import EagerTensor
from graphwright.values.variable import Variable

_PLAIN = (type(None), bool, int, float, complex, str, bytes, range, slice, type(Ellipsis))
_DESCRIBED = (TypeSpec, TensorType, TensorShape, DType, enum.Enum, np.dtype)


def fingerprint(stage: DatasetStage) -> str:
    """The text for what makes the elements of a stage."""
    return Fingerprints().of(stage)


def fingerprint_number(stage: DatasetStage) -> int:
    """The same as 64 bits."""
    return int(fingerprint(stage)[:16], 16)


class Fingerprints:
    """The fingerprints of values that are made of others."""

    def __init__(self) -> None:
        #: Those that are known, with the values, so that no address comes twice.
        self.texts: dict[int, tuple[str, object]] = {}

    def of(self, value: object) -> str:
        """The fingerprint of a value; one that is within itself counts as such there."""
        known = self.texts.get(id(value))
        if known is None:
            self.texts[id(value)] = ("itself", value)
            digest = Digest(self)
            digest.add_object(value)
            known = self.texts[id(value)] = (digest.hash.hexdigest(), value)
        return known[0]


class Digest:
    """A hash of values, of which each is added with its kind."""

    def __init__(self, prints: Fingerprints) -> None:
        self.hash = blake2b(digest_size=16)
        self.prints = prints

    def say(self, *words: object) -> None:
        """Adds texts."""
        for word in words:
            data = str(word).encode()
            self.hash.update(len(data).to_bytes(8, "little") + data)

    def add(self, value: object) -> None:
        """Adds a value."""
        kind = type(value)
        if isinstance(value, _PLAIN) and not isinstance(value, Token):
            self.say(kind.__name__, repr(value))
        elif isinstance(value, np.ndarray):
            self.add_array(value)
        elif isinstance(value, _DESCRIBED):
            self.say(kind.__name__, repr(value))
        elif isinstance(value, type):
            self.say("class", value.__module__, value.__qualname__)
        else:
            self.say(self.prints.of(value))

    def add_array(self, array: Array) -> None:
        """Adds an array: its elements, whatever they are."""
        self.say("array", array.dtype.str, array.shape)
        if array.dtype.kind == "O":
            for item in array.ravel().tolist():
                self.add(item)
        else:
            self.hash.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)

    def add_object(self, value: object) -> None:
        """Adds what is made of other values."""
        kind = type(value)
        self.say(kind.__module__, kind.__qualname__)
        if isinstance(value, Mapping):
            self.add_all([part for item in value.items() for part in item])
        elif isinstance(value, (list, tuple)):
            self.add_all(value)
        elif isinstance(value, (set, frozenset)):
            self.add_all(sorted(value, key=repr))
        elif isinstance(value, Graph):
            self.add_graph(value)
        elif isinstance(value, (types.FunctionType, types.MethodType, functools.partial, Token)):
            self.add_function(value)
        elif isinstance(value, types.CodeType):
            self.add_all([value.co_code, value.co_consts, value.co_names, value.co_varnames])
        else:
            self.add_all(parts_of(value))

    def add_all(self, values: Sequence[object]) -> None:
        """Adds values, and how many there are."""
        self.say(len(values))
        for value in values:
            self.add(value)

    def add_function(self, function: object) -> None:
        """Adds a Python function: its code, and the values that it brings."""
        if isinstance(function, Token):
            self.add(function.function)
        elif isinstance(function, types.MethodType):
            self.add_all([function.__func__, function.__self__])
        elif isinstance(function, functools.partial):
            self.add_all([function.func, function.args, function.keywords])
        elif isinstance(function, types.FunctionType):
            cells = [cell.cell_contents for cell in function.__closure__ or () if holds(cell)]
            brought = [function.__defaults__, function.__kwdefaults__, cells]
            self.add_all([function.__code__, *brought])

    def add_graph(self, graph: Graph) -> None:
        """Adds a graph: its ops in their order, their attributes and operands."""
        numbers: dict[Value, int] = {}
        inputs = [*graph.parameters, *[value for _, value in graph.captures]]
        for value in inputs:
            numbers[value] = len(numbers)
            self.add(value.type)
        for node in graph.nodes:
            if node.outputs and node.outputs[0] in numbers:
                continue
            self.add_op(node.op)
            self.add_all([numbers[value] for value in node.inputs])
            for value in node.outputs:
                numbers[value] = len(numbers)
                self.add(value.type)
        self.add_all([numbers[value] for value in graph.results])

    def add_op(self, op: Op) -> None:
        """Adds an op with its attributes."""
        self.say("op", op.type_name)
        for name, attribute in op.describe().items():
            self.say(name)
            self.add(attribute)


def parts_of(value: object) -> list[object]:
    """The values that say what an object does."""
    if isinstance(value, DatasetStage):
        if value.recipe is None:  # its elements are there already
            return [value.type_name, value.element, vars(value)["block"]]
        recipe, operands = value.recipe
        return [value.type_name, recipe, list(operands)]
    if isinstance(value, ElementBlock):
        return [value.count, *value.columns]
    if isinstance(value, ElementType):
        return [value.specs]
    if isinstance(value, ElementFunction):
        return [value.graph]
    if isinstance(value, ElementGenerator):
        return [value.function, value.element]
    if isinstance(value, Literal):
        return [value.type, value.array]
    if isinstance(value, EagerTensor):
        return [value._array]
    if isinstance(value, Composite):
        spec = value.__graphwright_spec__
        return [spec, spec._to_components(value)]
    if isinstance(value, Variable):
        return [value._storage]
    if isinstance(value, Storage):
        return [value.value_type, value.read() if value.is_set else None]
    if isinstance(value, Table):
        return list(value.export())
    if isinstance(value, PolymorphicFunction):
        return [value._python_function]
    if isinstance(value, ConcreteFunction):
        return [value.graph]
    if isinstance(value, types.ModuleType):
        return [value.__name__]
    if isinstance(value, StageOrigin):  # where a pipeline is written changes none of its elements
        return []
    return state_of(value)


def state_of(value: object) -> list[object]:
    """What `pickle` would keep of an object; nothing of one that it refuses."""
    reduce = copyreg.dispatch_table.get(type(value))
    try:
        reduced = value.__reduce_ex__(2) if reduce is None else reduce(value)
    except TypeError:
        return []
    if isinstance(reduced, str):
        return [reduced]
    return [list(part) if isinstance(part, Iterator) else part for part in reduced]


def holds(cell: types.CellType) -> bool:
    """Whether a variable of a closure has a value."""
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False
