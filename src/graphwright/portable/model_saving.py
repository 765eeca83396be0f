"""`tf.saved_model.save`: a model in TensorFlow's format, written as a whole folder."""

from __future__ import annotations

import inspect
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from graphwright.base.files import TextPath
from graphwright.function.concrete import ConcreteFunction
from graphwright.function.polymorphic import PolymorphicFunction
from graphwright.ir.tensor_proto import data_type, shape_proto
from graphwright.library.checkpoint.checkpoint_files import INDEX, SHARD
from graphwright.library.checkpoint.tensor_bundle import OBJECTS, write_bundle
from graphwright.op.interpreter import activate
from graphwright.op.refusal import complete
from graphwright.ops.io.file_system import system_errors
from graphwright.ops.state.tables import Table
from graphwright.ops.state.variable_ops import Storage
from graphwright.ops.strings.fingerprint import fingerprint64
from graphwright.portable.model_folder import new_folder
from graphwright.portable.model_functions import (
    ModelFunctions,
    function_spec,
    parameters_of,
    result_specs,
)
from graphwright.portable.model_graph import ModelGraph, as_array
from graphwright.portable.model_objects import ModelObjects, SignatureMap
from graphwright.portable.model_signatures import named_results, signature_map
from graphwright.portable.model_tables import TABLES, TableFunctions, cell_of
from graphwright.portable.restored_objects import Asset
from graphwright.portable.saved_model_names import (
    ASSETS_DIRECTORY,
    SAVED_MODEL_FILENAME_PB,
    SAVED_MODEL_SCHEMA_VERSION,
    SERVING,
    VARIABLES_DIRECTORY,
    VARIABLES_FILENAME,
)
from graphwright.portable.structured_values import encode
from graphwright.proto.saved_model_pb2 import (
    FingerprintDef,
    SavedBareConcreteFunction,
    SavedModel,
    SavedObject,
)
from graphwright.trace.signature import KEYWORD_ONLY, POSITIONAL_OR_KEYWORD
from graphwright.types import dtypes as dt
from graphwright.values.trackable import Trackable
from graphwright.values.variable import Variable

if TYPE_CHECKING:
    from graphwright.proto.saved_model_pb2 import VariableAggregation, VariableSynchronization

#: The versions of TensorFlow's format that is written.
TENSORFLOW, _FINGERPRINT = "2.21.0", 4


class SaveOptions:
    """How `tf.saved_model.save` writes a model.

    Args:
        namespace_whitelist: It has no effect.
        save_debug_info: It has no effect.
        function_aliases: A dict from names to functions of the model, whose traces get the names.
        experimental_debug_stripper: It has no effect.
        experimental_io_device: It has no effect.
        experimental_variable_policy: It has no effect.
        experimental_custom_gradients: A bool: whether gradients that functions state themselves are
            saved.
        experimental_image_format: It must be False.
        experimental_skip_saver: It has no effect.
        experimental_sharding_callback: It must be None: there is one shard.
        extra_tags: Tags of the graph besides "serve".

    Raises:
        NotImplementedError: An option is set that is not there yet.

    >>> import graphwright as tf
    >>> tf.saved_model.SaveOptions(extra_tags=["small"]).extra_tags
    ('small',)
    """

    def __init__(
        self,
        namespace_whitelist: Sequence[str] | None = None,
        save_debug_info: bool = False,
        function_aliases: Mapping[str, PolymorphicFunction] | None = None,
        experimental_debug_stripper: bool = False,
        experimental_io_device: str | None = None,
        experimental_variable_policy: object = None,
        experimental_custom_gradients: bool = True,
        experimental_image_format: bool = False,
        experimental_skip_saver: bool = False,
        experimental_sharding_callback: object = None,
        extra_tags: Sequence[str] | None = None,
    ) -> None:
        if experimental_image_format or experimental_sharding_callback is not None:
            raise NotImplementedError(
                "`experimental_image_format` and `experimental_sharding_callback` are not there yet"
            )
        self.namespace_whitelist = list(namespace_whitelist or [])
        self.save_debug_info = save_debug_info
        self.function_aliases = dict(function_aliases or {})
        self.experimental_debug_stripper = experimental_debug_stripper
        self.experimental_io_device = experimental_io_device
        self.experimental_variable_policy = experimental_variable_policy
        self.experimental_custom_gradients = experimental_custom_gradients
        self.experimental_skip_saver = experimental_skip_saver
        self.extra_tags = tuple(extra_tags or ())


def save(
    obj: Trackable,
    export_dir: TextPath,
    signatures: Any = None,
    options: SaveOptions | None = None,
) -> None:
    """Saves an object as a model in TensorFlow's format, which TensorFlow loads too.

    The folder has all that the object reaches by attributes, items and functions: variables with
    their values, tables, files, and the traces that functions have. Python code is not saved. The
    folder is written beside its place first, so that it is never there in part.

    Args:
        obj: A `tf.Module` or another object that checkpoints follow.
        export_dir: The folder, as text or a path object. A model that is there is replaced.
        signatures: A function with an input signature, a concrete function, or a dict of these by
            name. None takes the only function of the object, if it has an input signature.
        options: A `tf.saved_model.SaveOptions`.

    Raises:
        ValueError: The object is none that checkpoints follow, or a signature is no function of
            tensors.
        AssertionError: A function uses a variable or a table that the object does not hold.
        UnimplementedError: A function has ops that no model may have.
        OpError: The system refuses the folder, as a NotFoundError or PermissionDeniedError.

    >>> import tempfile, graphwright as tf
    >>> class Scaled(tf.Module):
    ...     def __init__(self):
    ...         self.factor = tf.Variable(3.0)
    ...     @tf.function(input_signature=[tf.TensorSpec([None])])
    ...     def __call__(self, x):
    ...         return x * self.factor
    >>> folder = tempfile.mkdtemp() + "/scaled"
    >>> tf.saved_model.save(Scaled(), folder)
    >>> tf.saved_model.load(folder)(tf.constant([1.0, 2.0])).numpy()
    array([3., 6.], dtype=float32)
    """
    if not isinstance(obj, Trackable):
        raise complete(ValueError(f"Expected a Trackable object for export, got {obj!r}."))
    options = options or SaveOptions()
    with activate(None):
        model = SavedFolder(obj, signature_map(obj, signatures), options)
        with system_errors(export_dir), new_folder(os.fspath(export_dir)) as folder:
            model.write(folder)


class SavedFolder:
    """The messages of a model that is saved."""

    def __init__(self, root: Trackable, signatures: SignatureMap, options: SaveOptions) -> None:
        self._objects = ModelObjects(root, signatures)
        self._functions = ModelFunctions(self._captured)
        self._constants: dict[int, int] = {}
        self._signatures = signatures
        self._storages = {
            id(cell): n for n, v in self._objects.of_kind(Variable) for cell in v._cells
        }
        self._tables = {id(cell_of(table)): n for n, table in self._objects.of_kind(TABLES)}
        self._paths = {id(asset.outside): n for n, asset in self._objects.of_kind(Asset)}
        self._outside = ModelGraph()
        self._files: dict[str, str] = {}
        self._messages: dict[int, SavedObject] = {}
        self.model = SavedModel(saved_model_schema_version=SAVED_MODEL_SCHEMA_VERSION)
        self._graph = self.model.meta_graphs.add()
        info = self._graph.meta_info_def
        info.tags.extend(sorted({SERVING, *options.extra_tags}))
        info.tensorflow_version = TENSORFLOW
        info.stripped_default_attrs = True
        self._write_objects(options)
        self._write_aliases(options)

    # -- objects --------------------------------------------------------------------------------

    def _write_objects(self, options: SaveOptions) -> None:
        objects, functions = self._objects, self._functions
        for number, variable in objects.of_kind(Variable):
            self._outside.variable(number, variable)
        for number, asset in objects.of_kind(Asset):
            self._write_asset(number, asset)
        tables = list(objects.of_kind(TABLES))
        written = [TableFunctions(t, n, functions.library, self._constant, self._file_asset)
                   for n, t in tables]  # fmt: skip
        for number, function in objects.of_kind((PolymorphicFunction, ConcreteFunction)):
            self._write_function(number, function)
        definitions = []
        for (number, _), table in zip(tables, written):
            definitions += table.definitions
            functions.messages.update(table.messages())
            names = table.by_name
            bound = functions.messages[names["_initialize"]].bound_inputs
            self._outside.table(number, names["_create_resource"], names["_initialize"], bound)
            for name, called in names.items():
                child = objects.add(called)
                objects.children[number].append((name, child))
                self._messages[child] = table_function(called)
        for key, concrete in self._signatures.items():
            self._write_signature(key, concrete)
        variables = {n: (objects.value_key(n), v) for n, v in objects.of_kind(Variable)}
        self._places = objects.checkpoint_graph().SerializeToString()
        definitions += self._outside.finish(self._graph, variables, self._places)
        library = self._graph.graph_def.library
        inside = self._inside if options.experimental_custom_gradients else None
        library.function.extend([*functions.definitions(inside), *definitions])
        for kind, name in functions.gradients.items():
            library.registered_gradients.add(gradient_func=name, registered_op_type=kind)
        saved = self._graph.object_graph_def
        for name, trace in functions.messages.items():
            saved.concrete_functions[name].CopyFrom(trace)
        for number, value in enumerate(objects.all):
            node = saved.nodes.add()
            node.CopyFrom(self._messages.get(number) or described(value))
            for name, child in objects.children[number]:
                node.children.add(node_id=child, local_name=name)

    def _write_function(self, number: int, function: Any) -> None:
        message = self._messages[number] = SavedObject()
        if isinstance(function, ConcreteFunction):
            name = self._functions.trace(function)
            if name is None:
                raise TypeError(f"the arguments of {function!r} have no form in a model")
            message.bare_concrete_function.CopyFrom(bare(name, function))
            return
        message.function.concrete_functions.extend(self._functions.traces(function))
        message.function.function_spec.CopyFrom(function_spec(function))

    def _write_signature(self, key: str, concrete: ConcreteFunction) -> None:
        name = self._functions.trace(concrete)
        assert name is not None
        types = {v.node.name: v.type for v in concrete.graph.parameters}
        ordered = {name: types[name] for name in sorted(types)}
        results = named_results(concrete.structured_outputs, key)
        specs = {name: result_specs(results[name]) for name in sorted(results)}
        bound = self._functions.messages[name].bound_inputs
        self._outside.signature(self._graph, key, name, bound, ordered, specs)

    # -- what functions capture -----------------------------------------------------------------

    def _captured(self, tensor: Any, function: str) -> int:
        """The number of the object behind a captured tensor."""
        held = tensor._array
        if isinstance(held, (Storage, Table)):
            places = self._storages if isinstance(held, Storage) else self._tables
            if id(held) not in places:
                what = f"the variable {held.name!r}" if isinstance(held, Storage) else "a table"
                raise complete(AssertionError(
                    f"Tried to export the function {function}, which uses {what}, but the object "
                    "that is saved does not hold it. Assign it to an attribute of that object, or "
                    "of one that it holds."
                ))  # fmt: skip
            return places[id(held)]
        if id(tensor) in self._paths:
            return self._paths[id(tensor)]
        if not tensor.dtype.is_numpy_compatible:
            raise complete(NotImplementedError(
                f"the function {function} uses {tensor!r}, which has no form in a model"
            ))  # fmt: skip
        if id(tensor) not in self._constants:
            self._constants[id(tensor)] = self._constant(tensor.numpy(), tensor.dtype, tensor)
        return self._constants[id(tensor)]

    def _inside(self, function: str, name: str) -> int:
        """The number of a tensor inside a function."""
        number = self._objects.add(object())
        message = self._messages[number] = SavedObject()
        message.captured_tensor.name = name
        message.captured_tensor.concrete_function = function
        return number

    def _constant(self, array: Any, dtype: dt.DType, tensor: object = None) -> int:
        """The number of a new constant."""
        number = self._objects.add(tensor if tensor is not None else object())
        message = self._messages[number] = SavedObject()
        message.constant.operation = self._outside.constant(number, np.asarray(array), dtype)
        return number

    # -- files ----------------------------------------------------------------------------------

    def _write_asset(self, number: int, asset: Asset) -> None:
        """Notes a file that is copied, under a name of its own."""
        stored: Any = asset.outside.numpy()
        path = os.fsdecode(stored)
        if not os.path.isfile(path):
            raise complete(FileNotFoundError(f"the file {path} of an asset is missing"))
        base, ending = os.path.splitext(os.path.basename(path))
        name, count = base + ending, 0
        while self._files.get(name, path) != path:
            count += 1
            name = f"{base}_{count}{ending}"
        self._files[name] = path
        places = [definition.filename for definition in self._graph.asset_file_def]
        message = self._messages[number] = SavedObject()
        message.asset.asset_file_def_index = len(places)
        definition = self._graph.asset_file_def.add(filename=name)
        definition.tensor_info.name = f"{self._outside.asset(number, path)}:0"

    def _file_asset(self, path: str) -> int:
        """The number of the asset of a table's file."""
        asset = Asset(path)
        number = self._objects.add(asset)
        self._write_asset(number, asset)
        return number

    # -- the folder -----------------------------------------------------------------------------

    def _write_aliases(self, options: SaveOptions) -> None:
        for alias, function in options.function_aliases.items():
            for name in self._functions.traces(function):
                self._graph.meta_info_def.function_aliases[name] = alias

    def write(self, folder: str) -> None:
        """Writes the files of the model."""
        variables = os.path.join(folder, VARIABLES_DIRECTORY)
        os.makedirs(variables)
        tensors: dict[str, Any] = {OBJECTS: (dt.string, lambda: as_array(self._places))}
        for number, variable in self._objects.of_kind(Variable):
            tensors[self._objects.value_key(number)] = (variable.dtype, variable._storage.read)
        prefix = os.path.join(variables, VARIABLES_FILENAME)
        write_bundle(f"{prefix}{SHARD}", f"{prefix}{INDEX}", tensors)
        assets = os.path.join(folder, ASSETS_DIRECTORY)
        os.makedirs(assets)  # also of none: programs list them
        for name, path in self._files.items():
            shutil.copyfile(path, os.path.join(assets, name))
        content = self.model.SerializeToString(deterministic=True)
        Path(folder, SAVED_MODEL_FILENAME_PB).write_bytes(content)
        print_ = self._fingerprint(content, Path(f"{prefix}{INDEX}").read_bytes())
        Path(folder, "fingerprint.pb").write_bytes(print_.SerializeToString())

    def _fingerprint(self, content: bytes, index: bytes) -> FingerprintDef:
        """The hashes of the parts of the model."""
        graph = self._graph
        signatures = b"".join(
            [key.encode() + graph.signature_def[key].SerializeToString(deterministic=True)
             for key in sorted(graph.signature_def)]
        )  # fmt: skip
        made = FingerprintDef(
            saved_model_checksum=fingerprint64(content),
            graph_def_program_hash=fingerprint64(
                graph.graph_def.SerializeToString(deterministic=True)
            ),
            signature_def_hash=fingerprint64(signatures),
            saved_object_graph_hash=fingerprint64(
                graph.object_graph_def.SerializeToString(deterministic=True)
            ),
            checkpoint_hash=fingerprint64(index),
            uuid=str(int.from_bytes(os.urandom(16), "little")),
        )
        made.version.producer = _FINGERPRINT
        return made


def described(value: Any) -> SavedObject:
    """What is saved of an object besides its children."""
    message = SavedObject()
    if isinstance(value, Variable):
        variable = message.variable
        variable.dtype = data_type(value.dtype)
        variable.shape.CopyFrom(shape_proto(value.type.dims))
        variable.trainable = value.trainable
        variable.name = value.name.partition(":")[0]
        variable.synchronization = cast("VariableSynchronization", value.synchronization.value)
        variable.aggregation = cast("VariableAggregation", value.aggregation.value)
    elif isinstance(value, TABLES):
        message.resource.SetInParent()
    else:
        identifier = "_generic_user_object"
        if isinstance(value, SignatureMap):
            identifier = "signature_map"
        elif isinstance(value, list):
            identifier = "trackable_list_wrapper"
        elif isinstance(value, tuple):
            identifier = "trackable_tuple_wrapper"
        elif isinstance(value, Mapping) and not isinstance(value, Trackable):
            identifier = "trackable_dict_wrapper"
        message.user_object.identifier = identifier
        message.user_object.version.producer = 1
        message.user_object.version.min_consumer = 1
    return message


def table_function(trace: str) -> SavedObject:
    """What is saved of a function of a table, which takes no arguments."""
    message = SavedObject()
    message.function.concrete_functions.append(trace)
    spec = message.function.function_spec
    spec.fullargspec.CopyFrom(parameters_of(inspect.Signature()))
    spec.input_signature.CopyFrom(encode(()))
    return message


def bare(name: str, concrete: ConcreteFunction) -> SavedBareConcreteFunction:
    """What is saved of a trace that is no function's."""
    parameters, keywords, positional = [], [], 0
    places = iter(concrete.graph.parameters)
    named: dict[str, list[str]] = {}
    for parameter, kind, type_ in concrete.function_type.typed():
        kind = KEYWORD_ONLY if kind is KEYWORD_ONLY else POSITIONAL_OR_KEYWORD
        parameters.append(inspect.Parameter(parameter, kind))
        names = [next(places).node.name for _ in type_.flatten()]
        if kind is KEYWORD_ONLY:
            named[parameter] = names
        else:
            keywords += names
            positional += len(names)
    message = SavedBareConcreteFunction(concrete_function_name=name)
    message.argument_keywords.extend(
        [*keywords, *[word for parameter in sorted(named) for word in named[parameter]]]
    )
    message.allowed_positional_arguments = positional
    spec = message.function_spec
    spec.fullargspec.CopyFrom(parameters_of(inspect.Signature(parameters)))
    spec.input_signature.CopyFrom(encode(None))
    return message
