"""The variables of a model of TensorFlow 1, and where their values are in its files.

The model says so by nodes that restore them. They do not run: which tensor each of them assigns to
which variable is read from the nodes.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Mapping
from typing import NamedTuple

from graphwright.base.errors import DataLossError
from graphwright.library.checkpoint.tensor_bundle import TensorBundle
from graphwright.ops.state.variable_ops import HANDLE, Storage
from graphwright.portable.function_body import Source, called_by, function_body
from graphwright.portable.graphs.dereference import VARIABLES, shared_name
from graphwright.portable.graphs.graph_body import GraphNodes
from graphwright.portable.model_arrays import SMALL, checked_array
from graphwright.portable.model_error import malformed
from graphwright.portable.node_ops import attribute, place
from graphwright.portable.table_import import MAKERS as TABLE_MAKERS
from graphwright.proto.graph_pb2 import FunctionDef, NodeDef
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.shape import TensorShape
from graphwright.types.tensor_type import Dims, is_compatible
from graphwright.values.convert import constant
from graphwright.values.tensor import box
from graphwright.values.variable import Variable

#: All ops that make variables.
MAKERS = VARIABLES | {"VarHandleOp"}
#: Ops that assign what is restored, and those through which it comes.
_ASSIGNING = frozenset({"Assign", "AssignVariableOp"})
_PASSING = frozenset({"Identity", "Reshape", "Cast"})
#: A part of a tensor in words, and its range in one dimension: `-` is all of it.
_PART = re.compile(r"(?P<dims>([0-9]{1,18} )*)(?P<ranges>[-0-9,:]*)")
_RANGE = re.compile(r"-|(?P<start>[0-9]{1,18}),(?P<length>[0-9]{1,18})")


class TensorPart(NamedTuple):
    """A part of a tensor of a checkpoint: the shape of the whole, and a range of each axis."""

    dims: tuple[int, ...]
    ranges: tuple[slice, ...]

    @classmethod
    def of(cls, text: str) -> TensorPart | None:
        """The part that TensorFlow calls `4 3 0,2:-`, or None where the words name none."""
        match = _PART.fullmatch(text)
        ranges = [_RANGE.fullmatch(r) for r in match["ranges"].split(":")] if match else [None]
        lengths = [(int(r["start"] or 0), r["length"]) for r in ranges if r]
        if match is None or len(lengths) != len(ranges):
            return None
        return cls(
            tuple([int(size) for size in match["dims"].split()]),
            tuple([slice(start, start + int(n)) if n else slice(None) for start, n in lengths]),
        )


class TensorReader:
    """Reads tensors of a checkpoint, and parts of them; what has parts is read once."""

    def __init__(self, bundle: TensorBundle) -> None:
        self.bundle = bundle
        self._wholes: dict[str, Array] = {}

    def read(self, key: str, text: str) -> Array:
        """A tensor, or the part of it that a text names.

        Raises:
            DataLossError: The files are damaged, or the text names no part.
        """
        if not text:
            return self.bundle.read(key)
        if key not in self._wholes:
            self._wholes[key] = self.bundle.read(key)
        whole, part = self._wholes[key], TensorPart.of(text)
        if part is None or len(part.ranges) != whole.ndim:
            words = f"{self.bundle.index}: {text!r} is no part of the tensor {key!r}"
            raise DataLossError(None, None, words)
        return whole[part.ranges]


class RestoredPlaces:
    """The tensors of the files by the names of variables: each a key, and a part of the tensor.

    Args:
        nodes: The nodes of the graph.
        restore: The name of the node that restores the variables. It may call a function.
        functions: The functions by their names.
    """

    def __init__(
        self, nodes: GraphNodes, restore: str, functions: Mapping[str, FunctionDef] | None = None
    ) -> None:
        self._nodes, self._inputs = nodes.nodes, nodes.inputs
        self._makers = dict(nodes.nodes)
        self.places: dict[str, tuple[str, str]] = {}
        #: The keys of the tensors that are the keys and the values of tables.
        self.tables: dict[str, tuple[str, str]] = {}
        if restore not in nodes.nodes:
            return
        needed = nodes.needed([restore], {})
        for name in called_by(nodes.nodes[restore]):
            if name not in (functions or {}):
                continue
            body = function_body((functions or {})[name])
            given = zip(body.arguments, nodes.inputs[restore])
            self._makers = {argument: nodes.nodes[source.node] for argument, source in given}
            self._nodes, self._inputs, needed = body.by_name, body.inputs, body.nodes
        for node in needed:
            if node.op in _ASSIGNING:
                target, value = self._operands(node, 2)
                variable, read = self._makers.get(target.node), self._read(value)
                if variable is not None and variable.op in MAKERS and read is not None:
                    self.places[shared_name(variable)] = read
            elif node.op == "LookupTableImportV2":
                target, *columns = self._operands(node, 3)
                table, reads = self._makers.get(target.node), [self._read(c) for c in columns]
                keys, values = [read and read[0] for read in reads]
                if table is not None and table.op in TABLE_MAKERS and keys and values:
                    self.tables[shared_name(table)] = keys, values

    def _read(self, value: Source) -> tuple[str, str] | None:
        """The key and the part of what is read from the files; None for what is not."""
        reader, number = self._origin(value)
        if reader is None or reader.op != "RestoreV2":
            return None
        _, *read = self._operands(reader, 3)
        names, slices = [strings_of(self._nodes.get(s.node), reader) for s in read]
        if number >= min(len(names), len(slices)):
            raise malformed(place(reader), f"it has no output {number}")
        return names[number], slices[number]

    def _operands(self, node: NodeDef, count: int) -> list[Source]:
        operands = self._inputs[node.name]
        if len(operands) != count:
            raise malformed(place(node), f"it has {len(operands)} operands, not {count}")
        return operands

    def _origin(self, source: Source) -> tuple[NodeDef | None, int]:
        """The node that reads what comes through others, and which output; None for an argument."""
        seen = set()
        while (node := self._nodes.get(source.node)) is not None and node.op in _PASSING:
            operands = self._inputs[node.name]
            if node.name in seen or not operands:
                raise malformed(place(node), "it restores nothing")
            seen.add(node.name)
            source = operands[0]
        return node, source.place


def strings_of(node: NodeDef | None, user: NodeDef) -> list[str]:
    """The strings of a constant, which another node takes."""
    if node is None or node.op != "Const" or not node.attr["value"].HasField("tensor"):
        raise malformed(place(user), "what it restores is not known before it runs")
    array = checked_array(node.attr["value"].tensor, dt.string, SMALL)
    return [text.decode(errors="replace") for text in array.reshape(-1).tolist()]


class ClassicVariables:
    """The variables by their shared names, with the values of the files."""

    def __init__(
        self, nodes: GraphNodes, restore: str, bundle: TensorBundle | None, partial_values: bool
    ) -> None:
        self.reader = None if bundle is None else TensorReader(bundle)
        self.restored = RestoredPlaces(nodes, restore)
        self.by_name: dict[str, Variable] = {}
        makers = [node for node in nodes.nodes.values() if node.op in MAKERS]
        for node in makers:
            name = shared_name(node)
            if name not in self.by_name:
                self.by_name[name] = self._variable(name, node, partial_values)

    def _variable(self, name: str, node: NodeDef, partial_values: bool) -> Variable:
        dtype = attribute(node, "dtype", "DType")
        dims = attribute(node, "shape", "Dims | None")
        if dtype is dt.variant:  # an iterator, which no file has
            return unset(name, dtype, dims)
        if dtype is None or not dtype.is_numpy_compatible:
            raise malformed(place(node), "it does not say what it holds")
        array = self._value(name)
        if array is None:
            return unset(name, dtype, dims)
        if not is_compatible(array.shape, dims):
            raise malformed(place(node), f"the files have a value of shape {array.shape} for it")
        if dt.of_numpy(array.dtype) is not dtype:
            words = f"the files have a value of {array.dtype} for it, not of {dtype.name}"
            raise malformed(place(node), words)
        return Variable(constant(array, dtype), name=name, shape=TensorShape.from_dims(dims))

    def _value(self, name: str) -> Array | None:
        """The value in the files, or None where nothing restores a variable."""
        if name not in self.restored.places or self.reader is None:
            return None
        return self.reader.read(*self.restored.places[name])


def unset(name: str, dtype: DType, dims: Dims | None) -> Variable:
    """A variable without a value, which an assignment gives."""
    variable = Variable.__new__(Variable)
    variable._storage = Storage(None, dtype, dims, name)
    variable._storage.owner = weakref.ref(variable)
    variable._handle = box(variable._storage, HANDLE)
    variable._name = name
    variable._trainable = True
    return variable
