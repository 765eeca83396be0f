"""The objects of a saved model: modules, variables, tables, functions, and who holds whom."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from google.protobuf.message import DecodeError

from graphwright.base.errors import DataLossError, NotFoundError, PermissionDeniedError
from graphwright.function.concrete import ConcreteFunction
from graphwright.function.polymorphic import TRACING
from graphwright.library.checkpoint.tensor_bundle import OBJECTS, TensorBundle
from graphwright.op.interpreter import activate
from graphwright.op.refusal import own_words
from graphwright.ops.state.tables import Table
from graphwright.portable.allowance import Allowance
from graphwright.portable.function_import import AssetFile, FunctionImport
from graphwright.portable.model_arrays import SMALL, checked_array
from graphwright.portable.model_error import malformed
from graphwright.portable.node_ops import refuse_ops, refuse_running
from graphwright.portable.restored_functions import (
    RestoredFunction,
    RestoredTrace,
    plain_name,
    restored_function,
)
from graphwright.portable.restored_objects import (
    Asset,
    RestoredCallable,
    RestoredObject,
    RestoredResource,
    Signatures,
)
from graphwright.portable.structured_values import dims_of, dtype_of
from graphwright.portable.table_import import restore_table, table_nodes
from graphwright.proto.checkpoint_pb2 import TrackableObjectGraph
from graphwright.proto.saved_model_pb2 import MetaGraphDef, SavedObject, SavedVariable
from graphwright.types import dtypes as dt
from graphwright.types.shape import TensorShape
from graphwright.types.tensor_type import is_compatible
from graphwright.values.convert import constant
from graphwright.values.tensor import EagerTensor, Tensor
from graphwright.values.variable import Variable, VariableAggregation, VariableSynchronization

#: What a child of a resource is called that would end it.
_END = "_destroy_resource"


class SavedObjects:
    """The objects of one graph of a saved model, made anew."""

    def __init__(
        self, folder: str, graph: MetaGraphDef, allowed_ops: Sequence[str], partial_values: bool
    ) -> None:
        self._folder = folder
        self._graph = graph
        self._nodes = list(graph.object_graph_def.nodes)
        self._constants = {node.name: node for node in graph.graph_def.node if node.op == "Const"}
        self._traces: dict[str, RestoredTrace] = {}
        self._made: dict[int, Any] = {}
        self._making: set[int] = set()
        #: Where the contents are of tables that were changed before they were saved.
        self._contents: dict[int, tuple[TensorBundle, str]] = {}
        library = graph.graph_def.library
        count = sum(len(f.node_def) for f in library.function) + len(graph.graph_def.node)
        self._functions = FunctionImport(library, Allowance(count), table_nodes(self._is_asset))
        self._reached = self._reachable()
        self._refuse(allowed_ops)
        self._values = self._matched_values(partial_values)
        self._add_gradients()

    def root(self) -> Any:
        """The object that was saved, with all that it holds."""
        late = {"bare_concrete_function"}  # the signatures make them
        early = [n for n in self._reached if self._nodes[n].WhichOneof("kind") not in late]
        for number in early:
            self._object(number)
        for number in early:
            self._fill(number)
        for number in self._reached:
            if self._nodes[number].WhichOneof("kind") == "resource":
                self._initialize(self._made[number])
                self._restore_content(number, self._made[number])
        return self._object(0)

    def aliases(self) -> dict[str, RestoredFunction]:
        """The functions by the names that they were given when the model was saved."""
        names = self._graph.meta_info_def.function_aliases
        return {
            names[trace]: self._object(number)
            for number in self._reached
            if self._nodes[number].WhichOneof("kind") == "function"
            for trace in self._traces_of(number)
            if trace in names
        }

    # -- what there is --------------------------------------------------------------------------

    def _children(self, number: int) -> Iterator[tuple[str, int]]:
        """The objects that another holds, by name, as far as they are made."""
        node = self._nodes[number]
        kind = node.WhichOneof("kind")
        if kind in ("function", "bare_concrete_function"):
            return  # what it captures is found by the traces
        for child in node.children:
            self._checked(child.node_id, f"the object {number}")
            if kind != "resource" or child.local_name != _END:
                yield child.local_name, child.node_id

    def _checked(self, number: int, where: str) -> int:
        if not 0 <= number < len(self._nodes):
            raise malformed(where, f"there is no object {number}")
        return number

    def _reachable(self) -> list[int]:
        """The objects that the first one reaches by the names of children."""
        self._checked(0, "the model")
        order = [0]
        seen = {0}
        for number in order:
            children = [child for _, child in self._children(number)]
            for child in [*children, *self._captured_by(number)]:
                if child not in seen:
                    seen.add(child)
                    order.append(child)
        return order

    def _captured_by(self, number: int) -> Iterator[int]:
        """The objects that the traces of a function capture."""
        messages = self._graph.object_graph_def.concrete_functions
        for name in self._traces_of(number):
            if name not in messages:
                raise malformed("the model", f"there is no trace {name!r}")
            for captured in messages[name].bound_inputs:
                yield self._checked(captured, name)

    def _traces_of(self, number: int) -> list[str]:
        """The names of the traces of a function."""
        node = self._nodes[number]
        if node.WhichOneof("kind") == "function":
            return list(node.function.concrete_functions)
        if node.WhichOneof("kind") == "bare_concrete_function":
            return [node.bare_concrete_function.concrete_function_name]
        return []

    def _refuse(self, allowed_ops: Sequence[str]) -> None:
        """Refuses the ops of all functions that are reached, if some cannot be loaded."""
        uses, special = self._functions.uses, self._functions.special
        names = [name for number in self._reached for name in self._traces_of(number)]
        for gradient in self._graph.graph_def.library.registered_gradients:
            names.append(gradient.gradient_func)
        refuse_ops(uses(names), special, allowed_ops)
        resources = [n for n in self._reached if self._nodes[n].WhichOneof("kind") == "resource"]
        filling = [child for number in resources for _, child in self._children(number)]
        refuse_running(
            uses([name for number in filling for name in self._traces_of(number)]), allowed_ops
        )

    # -- values ---------------------------------------------------------------------------------

    def _matched_values(self, partial_values: bool) -> dict[int, tuple[TensorBundle, str]]:
        """Where the values of variables are: both graphs of objects are walked side by side."""
        variables = [n for n in self._reached if self._nodes[n].WhichOneof("kind") == "variable"]
        prefix = os.path.join(self._folder, "variables", "variables")
        if not variables and not os.path.exists(f"{prefix}.index"):
            return {}
        bundle = TensorBundle(prefix)
        if OBJECTS not in bundle.keys:
            raise DataLossError(None, None, f"{bundle.index} has no graph of objects")
        content = bundle.read(OBJECTS)
        try:
            saved = TrackableObjectGraph.FromString(content.item()).nodes
        except (DecodeError, ValueError, TypeError) as error:
            words = f"{bundle.index}: the graph of objects is damaged: {error}"
            raise DataLossError(None, None, words) from None
        places: dict[int, tuple[TensorBundle, str]] = {}
        pairs = [(0, 0)] if saved else []
        seen = {0}  # each object has one place: cycles of many lengths would make pairs without end
        for number, place in pairs:
            for attribute in saved[place].attributes:
                if attribute.name == "VARIABLE_VALUE":
                    places.setdefault(number, (bundle, attribute.checkpoint_key))
                elif self._nodes[number].WhichOneof("kind") == "resource":
                    self._contents.setdefault(number, (bundle, attribute.checkpoint_key))
            alike = {child.local_name: child.node_id for child in saved[place].children}
            for name, child in self._children(number):
                place_of_child = alike.get(name, -1)
                if 0 <= place_of_child < len(saved) and child not in seen:
                    seen.add(child)
                    pairs.append((child, place_of_child))
        missing = [self._nodes[n].variable.name for n in variables if n not in places]
        if missing and not partial_values:
            words = f"{bundle.index} has no values for the variables {', '.join(missing)}"
            raise DataLossError(None, None, words)
        return places

    # -- objects --------------------------------------------------------------------------------

    def _object(self, number: int) -> Any:
        """The object of a number, without its children."""
        self._checked(number, "the model")
        if number not in self._made:
            node = self._nodes[number]
            kind = node.WhichOneof("kind")
            maker = _MAKERS.get(kind or "")
            if maker is None:
                words = f"the model has an object of the kind {kind}, which is not read"
                raise NotImplementedError(words)
            if number in self._making:
                raise malformed(f"the object {number}", "it contains itself")
            self._making.add(number)
            with activate(None):
                self._made[number] = maker(self, number, node)
            self._making.discard(number)
        return self._made[number]

    def _user_object(self, number: int, node: SavedObject) -> Any:
        """A module, a list, a dict, or what else a program may have made."""
        identifier = node.user_object.identifier
        children = dict(self._children(number))
        if identifier == "trackable_tuple_wrapper":
            return tuple([self._object(children[name]) for name in self._places(number)])
        if identifier == "trackable_list_wrapper":
            return []
        if identifier == "trackable_dict_wrapper":
            return {}
        if identifier == "signature_map":
            return Signatures(
                {name: partial(self._signature, child) for name, child in children.items()}
            )
        return RestoredCallable() if "__call__" in children else RestoredObject()

    def _places(self, number: int) -> list[str]:
        """The names of a list's children, in order; other children are no items of it."""
        names = [name for name, _ in self._children(number) if name.isdecimal()]
        if len({int(name) for name in names}) < len(names):
            raise malformed(f"the object {number}", f"it is a list with the places {names}")
        return sorted(names, key=int)

    def _fill(self, number: int) -> None:
        """Gives an object its children."""
        holder, children = self._made[number], dict(self._children(number))
        if isinstance(holder, RestoredObject):
            holder._held = {name: self._object(child) for name, child in children.items()}
        elif type(holder) is list:
            holder[:] = [self._object(children[name]) for name in self._places(number)]
        elif type(holder) is dict:
            holder.update({name: self._object(child) for name, child in children.items()})

    def _variable(self, number: int, node: SavedObject) -> Variable:
        """A variable with its value."""
        message: SavedVariable = node.variable
        dtype, dims = dtype_of(message.dtype), dims_of(message.shape)
        if number not in self._values:
            raise NotFoundError(None, None, f"the variable {message.name!r} has no value")
        bundle, key = self._values[number]
        if bundle.dtype(key) is not dtype or not is_compatible(bundle.shape(key), dims):
            words = (
                f"{bundle.index}: the tensor {key!r} is no value of the variable "
                f"{message.name!r}, of {dtype.name} and shape {dims}"
            )
            raise DataLossError(None, None, words)
        array = bundle.read(key)
        return Variable(
            constant(array, dtype),
            trainable=message.trainable,
            name=message.name or None,
            shape=TensorShape.from_dims(dims),
            synchronization=member(VariableSynchronization, message.synchronization),
            aggregation=member(VariableAggregation, message.aggregation),
        )

    def _constant(self, number: int, node: SavedObject) -> Tensor:
        """A constant of the graph."""
        name = node.constant.operation
        if name not in self._constants:
            raise malformed(f"the object {number}", f"there is no constant {name!r}")
        proto = self._constants[name].attr["value"].tensor
        dtype = dtype_of(proto.dtype)
        most = max(SMALL, self._functions.allowance.bytes)
        array = checked_array(proto, dtype, most)
        self._functions.allowance.hold(max(0, array.nbytes - proto.ByteSize()))
        made: Tensor = constant(array, dtype)
        return made

    def _asset(self, number: int, node: SavedObject) -> Asset:
        """A file of the model."""
        files = self._graph.asset_file_def
        if not 0 <= node.asset.asset_file_def_index < len(files):
            raise malformed(f"the object {number}", "there is no such asset")
        path = asset_path(self._folder, files[node.asset.asset_file_def_index].filename)
        asset = Asset(path)
        self._functions.note(asset.outside, AssetFile(path))
        return asset

    def _is_asset(self, tensor: Tensor) -> bool:
        return isinstance(self._functions.behind(tensor), AssetFile)

    def _resource(self, number: int, node: SavedObject) -> RestoredResource:
        return RestoredResource()

    def _initialize(self, resource: RestoredResource) -> None:
        """Fills a resource."""
        handle_of(resource)
        if isinstance(resource.initializer, RestoredFunction):
            run_on_load(resource.initializer)

    def _restore_content(self, number: int, resource: RestoredResource) -> None:
        """Gives a table the keys and values that it had when it was saved."""
        bundle, prefix = self._contents.get(number, (None, ""))
        keys, values = f"{prefix}-keys", f"{prefix}-values"
        if bundle is None or not {keys, values} <= set(bundle.keys):
            return
        table: object = handle_of(resource)._array
        if not isinstance(table, Table):
            raise malformed(f"the object {number}", "it is no table, and has keys and values")
        restore_table(table, bundle.read(keys), bundle.read(values), prefix)

    # -- functions ------------------------------------------------------------------------------

    def _trace(self, name: str) -> RestoredTrace:
        trace = self._traces.get(name)
        if trace is None:
            messages = self._graph.object_graph_def.concrete_functions
            if name not in messages:
                raise malformed("the model", f"there is no trace {name!r}")
            trace = RestoredTrace(name, messages[name], self._functions, self._captured)
            self._traces[name] = trace
        return trace

    def _captured(self, number: int) -> Tensor:
        """The tensor that a trace captures of an object."""
        captured = self._object(number)
        if isinstance(captured, Variable):
            return captured.handle
        if isinstance(captured, RestoredResource):
            if not captured._held:
                self._fill(number)
            return handle_of(captured)
        if isinstance(captured, Asset):
            return captured.outside
        if isinstance(captured, Tensor):
            return captured
        raise malformed(f"the object {number}", f"a function captures {captured!r}")

    def _function(self, number: int, node: SavedObject) -> RestoredFunction:
        """A function with all its traces."""
        traces = [self._trace(name) for name in node.function.concrete_functions]
        name = traces[0].name if traces else "restored_function"
        return restored_function(plain_name(name), node.function.function_spec, traces)

    def _bare_function(self, number: int, node: SavedObject) -> ConcreteFunction:
        """One trace."""
        return self._trace(node.bare_concrete_function.concrete_function_name).concrete()

    def _signature(self, number: int) -> ConcreteFunction:
        """The function of a signature."""
        function = self._object(number)
        if isinstance(function, RestoredFunction) and len(function.concrete_functions) == 1:
            return function.concrete_functions[0]
        if not isinstance(function, ConcreteFunction):
            raise malformed("the signatures", f"{function!r} is none")
        return function

    def _add_gradients(self) -> None:
        """Makes the rules of functions that state their own gradients."""
        messages = self._graph.object_graph_def.concrete_functions
        for gradient in self._graph.graph_def.library.registered_gradients:
            name = gradient.gradient_func
            if name in messages:
                self._functions.gradients[gradient.registered_op_type] = partial(self._rule, name)

    def _rule(
        self, name: str, incoming: Sequence[Any], of_name: Callable[[str], Any]
    ) -> Sequence[Any]:
        """The cotangents that a saved gradient function gives."""
        message = self._graph.object_graph_def.concrete_functions[name]
        captured: list[Any] = []
        for number in message.bound_inputs:
            node = self._nodes[self._checked(number, name)]
            if node.WhichOneof("kind") == "captured_tensor":
                captured.append(of_name(node.captured_tensor.name))
            else:
                captured.append(self._captured(number))
        with TRACING:
            results = self._functions.inline(name, [*incoming, *captured])
        cotangents: Sequence[Any] = self._trace(name).structured(results)
        return cotangents


_MAKERS: dict[str, Callable[[SavedObjects, int, SavedObject], Any]] = {
    "user_object": SavedObjects._user_object,
    "asset": SavedObjects._asset,
    "function": SavedObjects._function,
    "variable": SavedObjects._variable,
    "bare_concrete_function": SavedObjects._bare_function,
    "constant": SavedObjects._constant,
    "resource": SavedObjects._resource,
}


def handle_of(resource: RestoredResource) -> EagerTensor:
    """The handle of a resource, which its function makes when it is first needed."""
    if resource.resource_handle is None:
        create = resource._held.get("_create_resource")
        if not isinstance(create, RestoredFunction):
            raise malformed("a resource", "nothing makes it")
        handle = run_on_load(create)
        if not isinstance(handle, EagerTensor) or handle.dtype is not dt.resource:
            raise malformed("a resource", f"{handle!r} is no handle of it")
        resource.resource_handle = handle
    return resource.resource_handle


def run_on_load(function: RestoredFunction) -> Any:
    """The result of a function of no arguments, which makes or fills a resource."""
    try:
        with activate(None):
            return function()
    except (TypeError, ValueError) as error:
        raise malformed("a resource", own_words(error)) from error


def asset_path(folder: str, name: str) -> str:
    """The path of an asset; PermissionDeniedError for a name that leaves the folder of assets."""
    assets = os.path.realpath(os.path.join(folder, "assets"))
    path = os.path.realpath(os.path.join(assets, name))
    if not name or os.path.commonpath([assets, path]) != assets or path == assets:
        words = f"the model names the asset {name!r}, which is no file in {assets}"
        raise PermissionDeniedError(None, None, words)
    if not os.path.isfile(path):
        raise NotFoundError(None, None, f"the model has no asset {path}")
    return path


def member(kind: Any, number: int) -> Any:
    """The member of an enumeration."""
    try:
        return kind(number)
    except ValueError:
        raise malformed("a variable", f"{number} is no {kind.__name__}") from None
