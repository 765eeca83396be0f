"""Models of TensorFlow 1: one graph, in which signatures name tensors.

Variables, tables and files are objects here, and take the places of the nodes that make them. A
function is made of the nodes that its results need, and of no others.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from google.protobuf.message import DecodeError

from graphwright.base.errors import OpError
from graphwright.function.concrete import ConcreteFunction
from graphwright.function.polymorphic import TRACING
from graphwright.function.structure import Outputs
from graphwright.ir.graph import Graph
from graphwright.library.checkpoint.tensor_bundle import TensorBundle
from graphwright.op.interpreter import activate
from graphwright.op.refusal import complete, own_words
from graphwright.portable.function_import import AssetFile
from graphwright.portable.graphs.classic_variables import MAKERS, ClassicVariables
from graphwright.portable.graphs.dereference import REFERRING, dereference, shared_name
from graphwright.portable.graphs.graph_body import TensorName, tensor_name
from graphwright.portable.graphs.graph_import import PLACEHOLDERS, GraphImport, nodes_of_graphs
from graphwright.portable.graphs.older_ops import Outputs as NodeOutputs
from graphwright.portable.graphs.shared_tables import SharedTables
from graphwright.portable.model_arrays import SMALL
from graphwright.portable.model_error import malformed
from graphwright.portable.node_ops import is_known, reach, refuse_running
from graphwright.portable.restored_functions import RestoredConcrete
from graphwright.portable.restored_objects import (
    Asset,
    RestoredObject,
    Signatures,
)
from graphwright.portable.saved_model_names import (
    ASSETS_KEY,
    INIT_OP_SIGNATURE_KEY,
    LEGACY_INIT_OP_KEY,
    MAIN_OP_KEY,
)
from graphwright.portable.saved_objects import asset_path
from graphwright.portable.structured_values import dims_of, dtype_of
from graphwright.proto.graph_pb2 import GraphDef, NodeDef
from graphwright.proto.saved_model_pb2 import AssetFileDef, MetaGraphDef, TensorInfo
from graphwright.trace.argument_types import from_value
from graphwright.trace.signature import KEYWORD_ONLY, POSITIONAL_ONLY, FunctionType, Parameter
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import tracing
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.shape import TensorShape
from graphwright.types.specs import TensorSpec
from graphwright.values.sparse.sparse_tensor import SparseTensor
from graphwright.values.tensor import Tensor

#: Ops that also may run on load, if what they make is known to be small.
_SIZED = frozenset({"Cast", "Pack", "Range", "Reshape", "Shape", "Size", "Sub"})


class Given(NamedTuple):
    """An argument: its spec, with its name, and the tensor of the graph that it stands for."""

    spec: TensorSpec
    tensor: TensorName


class Fetch:
    """A result: the tensor of the graph, or those of a sparse tensor, that it is made of."""

    def __init__(self, tensors: list[TensorName]) -> None:
        self.tensors = tensors


class ClassicObject(RestoredObject):
    """A loaded model of TensorFlow 1.

    It has `signatures`, `variables`, `graph`, `prune`, `asset_paths` and `initializer`.
    """

    _GRAPHWRIGHT_IGNORED = RestoredObject._GRAPHWRIGHT_IGNORED | {"_model", "graph"}

    def __init__(self, model: ClassicModel) -> None:
        super().__init__()
        self._model = model
        self._held = {
            "signatures": model.signatures(),
            "variables": list(model.variables.by_name.values()),
            "asset_paths": list(model.assets.values()),
        }
        tables = list(model.tables.by_name.values())
        if tables:
            self._held["tables"] = tables

    @property
    def graph(self) -> Graph:
        """The graph: all nodes that can be imported."""
        return self._model.graph()

    def initializer(self) -> None:
        """Fills the tables; it has happened on load."""
        self._model.initialize()

    def prune(
        self, feeds: Any, fetches: Any, name: str | None = None, input_signature: object = None
    ) -> ConcreteFunction:
        """Returns a function between tensors of the graph.

        Args:
            feeds: The tensors that are given, a structure of tensors or names such as "x:0".
            fetches: What is computed: a structure of tensors, operations and names. Operations run
                for their effects, and give None.
            name: A string that names the function, or None.
            input_signature: It must be None.

        Returns:
            A concrete function.

        Raises:
            KeyError: The graph has no tensor of a name.
            ValueError: A feed is no tensor, or a fetch needs a placeholder that is not fed.
            NotImplementedError: `input_signature` is given.
        """
        if input_signature is not None:
            raise NotImplementedError("`input_signature` is not there yet for loaded models")
        return self._model.pruned(feeds, fetches, name or "pruned")


class ClassicModel:
    """The parts of a model as they are loaded."""

    def __init__(
        self, folder: str, graph: MetaGraphDef, allowed_ops: Sequence[str], partial_values: bool
    ) -> None:
        self._graph = graph
        self._allowed = list(allowed_ops)
        self.tables = SharedTables()
        special = {**self.tables.readers(self._is_asset), "VarHandleOp": self._variable}
        self.importer = GraphImport(graph.graph_def, special)
        self.assets = dict(self._assets(folder))
        self._arguments = {name: f"{i}:asset" for i, name in enumerate(self.assets)}
        prefix = os.path.join(folder, "variables", "variables")
        bundle = TensorBundle(prefix) if os.path.exists(f"{prefix}.index") else None
        self._refuse()
        nodes = self.importer.nodes
        self.variables = ClassicVariables(
            nodes, graph.saver_def.restore_op_name, bundle, partial_values
        )
        self.tables.reader = self.variables.reader
        self.tables.places = self.variables.restored.tables
        self._whole: Graph | None = None
        self.initialize()

    # -- what there is --------------------------------------------------------------------------

    def _signature_keys(self) -> list[str]:
        return [key for key in sorted(self._graph.signature_def) if not key.startswith("__saved")]

    def _refuse(self) -> None:
        """Refuses nodes of signatures that cannot be loaded, and such of what runs on load."""
        names = []
        for key in self._signature_keys():
            signature = self._graph.signature_def[key]
            for info in (*signature.inputs.values(), *signature.outputs.values()):
                names += [name.node for name in self._names(info, key)]
        nodes, main = self.importer.nodes, main_op(self._graph)
        if main is not None and main not in nodes.nodes:
            raise malformed("what runs on load", f"there is no node {main!r}")
        filling = nodes.needed([main] if main else [], self._arguments)
        present = {node.name: node for node in (*nodes.needed(names, self._arguments), *filling)}
        self.importer.refuse(
            [n for n in present.values() if n.op not in MAKERS | PLACEHOLDERS], self._allowed
        )
        uses = self.importer.uses([], [(f"the node {n.name!r}", n) for n in filling])
        refuse_running(
            [(where, node) for where, node in uses if node.op not in _SIZED], self._allowed
        )

    def _names(self, info: TensorInfo, key: str) -> list[TensorName]:
        """The tensors of a description, in the order of its spec."""
        kind = info.WhichOneof("encoding")
        if kind == "coo_sparse":
            sparse = info.coo_sparse
            texts = [
                sparse.indices_tensor_name,
                sparse.values_tensor_name,
                sparse.dense_shape_tensor_name,
            ]
        elif kind == "name":
            texts = [info.name]
        else:
            words = f"it has a tensor that is described by {kind or 'nothing'}"
            raise malformed(f"the signature {key!r}", words)
        return [self._tensor(text, f"the signature {key!r}") for text in texts]

    def _tensor(self, text: str, where: str) -> TensorName:
        name = tensor_name(text)
        if name is None or name.node not in self.importer.nodes.nodes:
            raise malformed(where, f"there is no tensor {text!r}")
        return name

    def _assets(self, folder: str) -> list[tuple[TensorName, Asset]]:
        """The files, each with the tensor that names it."""
        files = []
        for message in asset_files(self._graph):
            name = self._tensor(message.tensor_info.name, "its files")
            path = asset_path(folder, message.filename)
            asset = Asset(path)
            self.importer.note(asset.outside, AssetFile(path))
            files.append((name, asset))
        return files

    def _is_asset(self, tensor: Tensor) -> bool:
        return isinstance(self.importer.behind(tensor), AssetFile)

    def _variable(self, node: NodeDef, operands: Sequence[Tensor]) -> NodeOutputs:
        """The handle of a variable."""
        return {"resource": [self.variables.by_name[shared_name(node)].handle]}

    # -- functions ------------------------------------------------------------------------------

    def signatures(self) -> Signatures:
        """The functions of the signatures, which are made when they are first needed."""
        made: dict[str, ConcreteFunction] = {}

        def signature(key: str) -> ConcreteFunction:
            if key not in made:
                made[key] = self._signature(key)
            return made[key]

        return Signatures({key: partial(signature, key) for key in self._signature_keys()})

    def _signature(self, key: str) -> ConcreteFunction:
        message = self._graph.signature_def[key]
        arguments = [
            Given(spec, tensor)
            for name in sorted(message.inputs)
            for spec, tensor in zip(
                specs_of(message.inputs[name], name), self._names(message.inputs[name], key)
            )
        ]
        results = {
            name: Fetch(self._names(message.outputs[name], key)) for name in sorted(message.outputs)
        }
        try:
            return self.function(f"signature_wrapper_{key}", arguments, results, [])
        except ValueError as error:
            if isinstance(error, OpError):
                raise
            raise malformed(f"the signature {key!r}", own_words(error)) from None

    def pruned(self, feeds: Any, fetches: Any, name: str) -> ConcreteFunction:
        """A function of feeds, which computes fetches."""
        arguments = []
        for feed in tree.flatten(feeds, expand_composites=True):
            tensor = self._named(feed)
            if not isinstance(tensor, TensorName):
                words = "All members of argument `feeds` must be tensors. Got "
                raise complete(ValueError(f"{words}{feed!r} with type {type(feed)}."))
            value: Any = self.graph().get_tensor_by_name(str(tensor))
            spec = TensorSpec(value.shape, value.dtype, tensor.node)
            arguments.append(Given(spec, tensor))
        flat = [self._named(fetch) for fetch in tree.flatten(fetches, expand_composites=True)]
        structure = tree.pack_sequence_as(
            fetches, [Fetch([f]) if isinstance(f, TensorName) else None for f in flat], True
        )
        return self.function(name, arguments, structure, [f for f in flat if isinstance(f, str)])

    def _named(self, what: Any) -> TensorName | str | None:
        """The name of a tensor, or that of an operation, which a fetch or a feed gives."""
        if what is None:
            return None
        text = what if isinstance(what, str) else getattr(what, "name", None)
        if not isinstance(text, str):
            raise TypeError(f"Can not convert a {type(what).__name__} into a Tensor or Operation.")
        name = tensor_name(text)
        nodes = self.importer.nodes.nodes
        if name is None or name.node not in nodes:
            kind = "a Tensor which" if ":" in text else "an Operation which"
            raise complete(KeyError(
                f"The name {text!r} refers to {kind} does not exist. The operation, "
                f"{text.partition(':')[0]!r}, does not exist in the graph."
            ))  # fmt: skip
        if ":" in text or isinstance(what, Tensor):
            return name
        return name.node

    def function(
        self, name: str, arguments: Sequence[Given], results: Any, targets: Sequence[str]
    ) -> ConcreteFunction:
        """A function of arguments, which returns the tensors that results name."""
        with TRACING, activate(None):
            given = {argument.tensor: f"{i}:given" for i, argument in enumerate(arguments)}
            assets = {t: a for t, a in self._arguments.items() if t not in given}
            fetches = [
                tensor
                for leaf in tree.flatten(results)
                if isinstance(leaf, Fetch)
                for tensor in leaf.tensors
            ]
            given |= assets
            self._check_given([*[f.node for f in fetches if f not in given], *targets], given)
            body = self.importer.nodes.body(name, given, fetches, targets)
            function = self.importer.add(dereference(body))
            graph = Graph(name)
            with tracing(graph) as tracer:
                for spec, _ in arguments:
                    graph.parameters.append(graph.placeholder(spec.type, spec.name or "x"))
                inputs: list[Any] = [SymbolicTensor(value, graph) for value in graph.parameters]
                inputs += [self.assets[t].outside for t in assets]
                tensors = iter(self.importer.inline(function, inputs))
                outputs = Outputs(packed(results, tensors), self.function)
                graph.results = outputs.results(tracer)
            specs = tree.map_structure(
                lambda t: t if t is None else TensorSpec(t.shape, t.dtype), outputs.structure
            )
            return RestoredConcrete(
                name, type_of([spec for spec, _ in arguments]), graph, outputs, specs
            )

    def _check_given(self, names: Sequence[str], given: Any) -> None:
        """Refuses a function that needs a placeholder which is not given."""
        for node in self.importer.nodes.needed(names, given):
            if node.op in PLACEHOLDERS:
                raise complete(ValueError(
                    f"Unable to lift the fetches because they depend on the placeholder "
                    f"{node.name!r}, which is not among the feeds"
                ))  # fmt: skip

    def initialize(self) -> None:
        """Fills the tables, with what the model says; see `node_ops.RUN_ON_LOAD`."""
        main = main_op(self._graph)
        if main is None:
            return
        try:
            function = self.function("initialize", [], None, [main])
        except ValueError as error:
            if isinstance(error, OpError):
                raise
            raise malformed("what runs on load", own_words(error)) from None
        check_sizes(function.graph)
        with activate(None):
            function()

    def graph(self) -> Graph:
        """The graph of all nodes that can be imported, which tells the types of tensors."""
        if self._whole is None:
            nodes = self.importer.nodes
            rest = nodes.without([n.name for n in nodes.nodes.values() if self._is_blocked(n)])
            graph = self._whole = Graph("graph")
            importer = GraphImport(
                GraphDef(node=rest, library=self._graph.graph_def.library),
                {**self.importer.special, **nodes_of_graphs(graph)},
            )
            names = {node.name for node in rest}
            given = {t: asset.outside for t, asset in self.assets.items() if t.node in names}
            for asset in given.values():
                importer.note(asset, self.importer.behind(asset))
            with TRACING, activate(None), tracing(graph):
                importer.add_all(given)
        return self._whole

    def _is_blocked(self, node: NodeDef) -> bool:
        """Whether a node cannot be imported."""
        if node.op in MAKERS:
            return False
        special = {*self.importer.special, *REFERRING, *PLACEHOLDERS}
        return not (node.op in special or is_known(node.op)) or reach(node) is not None


def main_op(graph: MetaGraphDef) -> str | None:
    """The node that runs when a model is loaded."""
    key = INIT_OP_SIGNATURE_KEY
    if key in graph.signature_def:
        return graph.signature_def[key].outputs[key].name.partition(":")[0]
    for key in (MAIN_OP_KEY, LEGACY_INIT_OP_KEY):
        if key in graph.collection_def and len(graph.collection_def[key].node_list.value) == 1:
            return str(graph.collection_def[key].node_list.value[0]).partition(":")[0]
    return None


def asset_files(graph: MetaGraphDef) -> list[AssetFileDef]:
    """The files of a model, with the tensors that name them."""
    if graph.asset_file_def:
        return list(graph.asset_file_def)
    if ASSETS_KEY not in graph.collection_def:
        return []
    collected = graph.collection_def[ASSETS_KEY].any_list.value
    try:
        return [AssetFileDef.FromString(packed.value) for packed in collected]
    except DecodeError as error:
        raise malformed("its files", str(error)) from None


def specs_of(info: TensorInfo, name: str) -> list[TensorSpec]:
    """The specs of an argument; a sparse one is given by its parts."""
    shape, dtype = TensorShape.from_dims(dims_of(info.tensor_shape)), dtype_of(info.dtype)
    if not info.HasField("coo_sparse"):
        return [TensorSpec(shape, dtype, name)]
    return [
        TensorSpec([None, shape.rank], dt.int64, f"{name}_indices"),
        TensorSpec([None], dtype, f"{name}_values"),
        TensorSpec([shape.rank], dt.int64, f"{name}_dense_shape"),
    ]


def packed(results: Any, tensors: Iterator[Tensor]) -> Any:
    """The structure of results, with tensors in their places."""

    def filled(leaf: Any) -> Any:
        if not isinstance(leaf, Fetch):
            return leaf
        parts = [next(tensors) for _ in leaf.tensors]
        return parts[0] if len(parts) == 1 else SparseTensor(*parts)

    return tree.map_structure(filled, results)


def type_of(specs: Sequence[TensorSpec]) -> FunctionType:
    """The type of a function of arguments by name, or by place if they cannot be named so."""
    named = all((spec.name or "").isidentifier() for spec in specs)
    kind = KEYWORD_ONLY if named else POSITIONAL_ONLY
    return FunctionType(
        [
            Parameter(str(spec.name) if named else f"arg_{i}", kind, False, from_value(spec))
            for i, spec in enumerate(specs)
        ]
    )


def check_sizes(graph: Graph) -> None:
    """Refuses what would run on load and might take much memory."""
    for node in graph.nodes:
        for value in node.outputs:
            if node.op.type_name in _SIZED and (value.type.size is None or value.type.size > SMALL):
                words = f"it would make a tensor of {value.type!r} on load"
                raise malformed(f"the node {node.name!r} ({node.op.type_name})", words)
