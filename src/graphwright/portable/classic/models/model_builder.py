"""`tf.compat.v1.saved_model.Builder` and `simple_save`: the graph of a session as a saved model."""

from __future__ import annotations

import filecmp
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from graphwright.base.files import TextPath, make_folders, write_whole
from graphwright.control.dependencies import control_dependencies, group
from graphwright.ir.graph import Graph
from graphwright.ir.operation import Operation
from graphwright.op.refusal import complete
from graphwright.ops.io.file_system import system_errors
from graphwright.portable import saved_model_names as names
from graphwright.portable.classic.graph_collections import (
    GraphKeys,
    add_to_collection,
    get_collection,
    global_variables,
    open_graph,
)
from graphwright.portable.classic.initial_values import (
    global_variables_initializer,
    local_variables_initializer,
    tables_initializer,
)
from graphwright.portable.classic.meta_graph_export import exported
from graphwright.portable.classic.models.signature_messages import predict_signature_def
from graphwright.portable.classic.saver import Saver, saver_of
from graphwright.portable.graphs.session import Session
from graphwright.portable.node_ops import is_known
from graphwright.portable.table_import import FROM_FILE
from graphwright.proto.graph_pb2 import GraphDef, NodeDef
from graphwright.proto.saved_model_pb2 import (
    AssetFileDef,
    MetaGraphDef,
    SavedModel,
    SignatureDef,
    TensorInfo,
)
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.values.tensor import Tensor

#: The name that TensorFlow has for the message of a file.
_ASSET_TYPE = "type.googleapis.com/tensorflow.AssetFileDef"
#: The collection of tensors that name files.
_ASSET_FILEPATHS = "asset_filepaths"


class SavedModelBuilder:
    """Writes graphs, and the variables of a session, as a model that TensorFlow loads too.

    The variables and files are written at once, and the message by `save`, which makes it a model.

    Args:
        export_dir: The folder, which may be there if it is empty.

    Raises:
        AssertionError: The folder has files.
        OpError: The system refuses to make the folder.

    >>> import tempfile, graphwright as tf
    >>> folder = tempfile.mkdtemp() + "/model"
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.compat.v1.placeholder(tf.float32, [None], name="x")
    ...     y = x * tf.Variable(3.0)
    ...     session.run(tf.compat.v1.global_variables_initializer())
    ...     signature = tf.compat.v1.saved_model.predict_signature_def({"x": x}, {"y": y})
    ...     builder = tf.compat.v1.saved_model.Builder(folder)
    ...     builder.add_meta_graph_and_variables(session, ["serve"], {"serving_default": signature})
    ...     path = builder.save()
    >>> model = tf.saved_model.load(folder)
    >>> model.signatures["serving_default"](x=tf.constant([1.0, 2.0]))["y"].numpy()
    array([3., 6.], dtype=float32)
    """

    def __init__(self, export_dir: TextPath) -> None:
        self._folder = os.fspath(export_dir)
        self._model = SavedModel(saved_model_schema_version=names.SAVED_MODEL_SCHEMA_VERSION)
        self._has_variables = False
        if os.path.exists(self._folder) and os.listdir(self._folder):
            raise AssertionError(
                f"Export directory {self._folder} already exists, and isn't empty. Please choose a "
                "different export directory, or delete all the contents of the specified directory."
            )
        with system_errors(self._folder):
            make_folders(self._folder)

    def add_meta_graph_and_variables(
        self,
        sess: Session,
        tags: Sequence[str],
        signature_def_map: Mapping[str, SignatureDef] | None = None,
        assets_collection: Sequence[Tensor] | None = None,
        legacy_init_op: Operation | None = None,
        clear_devices: bool = False,
        main_op: Operation | None = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
    ) -> None:
        """Adds the graph that is open, and the values of its variables: the first of the model.

        Args:
            sess: A `tf.compat.v1.Session` of that graph.
            tags: The tags of the graph, such as ["serve"].
            signature_def_map: A dict from names to messages of signatures.
            assets_collection: Constants of string in the graph: paths of files that are copied.
            legacy_init_op: An earlier name of `main_op`.
            clear_devices: A bool: whether the devices that the program stated are left out.
            main_op: An operation that runs when the model is loaded. Tables are filled in any case.
            strip_default_attrs: It has no effect.
            saver: What saves the variables; None saves all global ones.

        Raises:
            AssertionError: The model has variables already, or a message of a signature is empty.
            KeyError: A signature has a name that is reserved.
            TypeError: `main_op` is no operation, or an asset is no constant of string.
            ValueError: The graph has such an operation already.

        >>> import tempfile, graphwright as tf
        >>> builder = tf.compat.v1.saved_model.Builder(tempfile.mkdtemp())
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        ...     builder.add_meta_graph_and_variables(session, ["serve"])
        """
        if self._has_variables:
            raise AssertionError(
                "Graph state including variables and assets has already been saved. Please invoke "
                "`add_meta_graph()` instead."
            )
        message = self._message(
            tags, signature_def_map, assets_collection, main_op, legacy_init_op, clear_devices,
            saver, sess,
        )  # fmt: skip
        self._model.meta_graphs.append(message)
        self._has_variables = True

    def add_meta_graph(
        self,
        tags: Sequence[str],
        signature_def_map: Mapping[str, SignatureDef] | None = None,
        assets_collection: Sequence[Tensor] | None = None,
        legacy_init_op: Operation | None = None,
        clear_devices: bool = False,
        main_op: Operation | None = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
    ) -> None:
        """Adds the graph that is open, whose variables have the values that the model has.

        Args:
            tags: The tags of the graph.
            signature_def_map: A dict from names to messages of signatures.
            assets_collection: Constants of string in the graph: paths of files that are copied.
            legacy_init_op: An earlier name of `main_op`.
            clear_devices: A bool: whether the devices that the program stated are left out.
            main_op: An operation that runs when the model is loaded. Tables are filled in any case.
            strip_default_attrs: It has no effect.
            saver: What restores the variables; None restores all global ones.

        Raises:
            AssertionError: The model has no variables yet, or a message of a signature is empty.
            KeyError: A signature has a name that is reserved.
            TypeError: `main_op` is no operation, or an asset is no constant of string.
            ValueError: The graph has such an operation already.

        >>> import tempfile, graphwright as tf
        >>> builder = tf.compat.v1.saved_model.Builder(tempfile.mkdtemp())
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        ...     builder.add_meta_graph_and_variables(session, ["train"])
        ...     builder.add_meta_graph(["serve"])
        """
        if not self._has_variables:
            raise AssertionError(
                "Graph state including variables and assets has not been saved yet. Please invoke "
                "`add_meta_graph_and_variables()` first."
            )
        message = self._message(
            tags, signature_def_map, assets_collection, main_op, legacy_init_op, clear_devices,
            saver,
        )  # fmt: skip
        self._model.meta_graphs.append(message)

    def save(self, as_text: bool = False) -> bytes:
        """Writes the message of the model.

        Args:
            as_text: A bool: whether it has the text form of messages.

        Returns:
            The path of the file as bytes.

        >>> import tempfile, graphwright as tf
        >>> tf.compat.v1.saved_model.Builder(tempfile.mkdtemp()).save()[-15:]
        b'/saved_model.pb'
        """
        if as_text:
            from google.protobuf import text_format  # few models are in text

            name = names.SAVED_MODEL_FILENAME_PBTXT
            content = text_format.MessageToString(self._model).encode()
        else:
            name = names.SAVED_MODEL_FILENAME_PB
            content = self._model.SerializeToString(deterministic=True)
        path = os.path.join(self._folder, name)
        with system_errors(path):
            write_whole(path, content)
        return os.fsencode(path)

    # -- the message of a graph -----------------------------------------------------------------

    def _message(
        self,
        tags: Sequence[str],
        signatures: Mapping[str, SignatureDef] | None,
        assets: Sequence[Tensor] | None,
        main_op: Operation | None,
        legacy_init_op: Operation | None,
        clear_devices: bool,
        saver: Saver | None,
        session: Session | None = None,
    ) -> MetaGraphDef:
        """The message of the graph that is open, after the values of its variables are written."""
        check_signatures(signatures or {})
        check_operations(signatures or {}, open_graph())
        add_main(legacy_init_op if main_op is None else main_op)
        paths = dict([asset_node(tensor) for tensor in assets or ()])
        saver = saver or default_saver()
        folder = os.path.join(self._folder, names.VARIABLES_DIRECTORY)
        if session is not None:
            with system_errors(folder):
                make_folders(folder)
        if session is not None and saver._parts:
            path = os.path.join(folder, names.VARIABLES_FILENAME)
            saver.save(session, path, write_meta_graph=False, write_state=False)
        message = exported(saver.export_meta_graph(), None, False, clear_devices)
        self._fill_on_load(message)
        self._add_assets(message, {**paths, **files_of(message.graph_def)})
        message.meta_info_def.tags.extend(tags)
        for key, signature in (signatures or {}).items():
            message.signature_def[key].CopyFrom(signature)
        return message

    def _fill_on_load(self, message: MetaGraphDef) -> None:
        """Makes the node that runs on load fill the tables as well."""
        fills = message.collection_def[GraphKeys.TABLE_INITIALIZERS].node_list.value
        if not fills:
            del message.collection_def[GraphKeys.TABLE_INITIALIZERS]
            return
        main = message.collection_def[names.MAIN_OP_KEY].node_list.value
        node = NodeDef(name="saved_model_init", op="NoOp")
        node.input.extend([f"^{name}" for name in (*fills, *main)])
        message.graph_def.node.append(node)
        main[:] = [node.name]

    def _add_assets(self, message: MetaGraphDef, paths: Mapping[str, str]) -> None:
        """Copies files, each under a name of its own, and notes the nodes that name them."""
        folder = Path(self._folder, names.ASSETS_DIRECTORY)
        for node, path in paths.items():
            make_folders(folder)
            base, target, count = os.path.basename(path), folder / os.path.basename(path), 0
            while target.exists() and not filecmp.cmp(path, target, shallow=False):
                count += 1
                target = folder / f"{base}_{count}"
            shutil.copyfile(path, target)
            described = AssetFileDef(filename=target.name, tensor_info=TensorInfo(name=f"{node}:0"))
            message.collection_def[names.ASSETS_KEY].any_list.value.add(
                type_url=_ASSET_TYPE, value=described.SerializeToString()
            )


def files_of(graph: GraphDef) -> dict[str, str]:
    """The files that tables are filled from, by the nodes that name them."""
    nodes = {node.name: node for node in graph.node}
    naming = [nodes[node.input[1]] for node in graph.node if node.op == FROM_FILE]
    return {
        node.name: os.fsdecode(node.attr["value"].tensor.string_val[0])
        for node in naming
        if node.op == "Const"
    }


def default_saver() -> Saver:
    """What saves all global variables of the open graph, of which there may be none."""
    return Saver() if global_variables() else saver_of([], None)


def check_signatures(signatures: Mapping[str, SignatureDef]) -> None:
    """Refuses signatures with reserved names, and tensors without a name or a dtype."""
    for key, signature in signatures.items():
        for info in (*signature.inputs.values(), *signature.outputs.values()):
            parts = (
                info.composite_tensor.components if info.HasField("composite_tensor") else [info]
            )
            if info.WhichOneof("encoding") is None or not all(part.dtype for part in parts):
                raise AssertionError(
                    f"Invalid `tensor_info`: {info}. All TensorInfo protos used in the "
                    "SignatureDefs must have one of the 'encoding' fields (e.g., name or "
                    "coo_sparse) and the dtype field set."
                )
        if key in (names.INIT_OP_SIGNATURE_KEY, names.TRAIN_OP_SIGNATURE_KEY):
            raise KeyError(f'SignatureDef map key "{key}" is reserved. Please use a different key.')


def check_operations(signatures: Mapping[str, SignatureDef], graph: Graph) -> None:
    """Refuses signatures that need datasets or iterators, whose functions no model holds."""
    nodes = {node.name: node for node in graph.nodes}
    for key, signature in signatures.items():
        infos = (*signature.inputs.values(), *signature.outputs.values())
        waiting = [info.name for info in infos if info.name]
        seen = set(waiting)
        for text in waiting:
            node = nodes.get(text.partition(":")[0])
            if node is None:
                continue
            if node.op.type_name.startswith("_") and not is_known(node.op.type_name):
                raise complete(TypeError(
                    f"the signature {key!r} needs {node.name!r}, which is part of a dataset or an "
                    "iterator: no model holds its functions. Compute the outputs from a "
                    "`tf.compat.v1.placeholder`, an input of the signature"
                ))  # fmt: skip
            new = [value.name for value in node.inputs if value.name not in seen]
            seen.update(new)
            waiting += new


def add_main(main: Any) -> None:
    """Lists what runs on load in the open graph."""
    if main is None:
        return
    if not isinstance(main, Operation):
        raise TypeError(f"Expected {main} to be an Operation but got type {type(main)} instead.")
    for key in (names.MAIN_OP_KEY, names.LEGACY_INIT_OP_KEY):
        if get_collection(key):
            raise complete(ValueError(
                f"Graph already contains one or more main ops under the collection {key}."
            ))  # fmt: skip
    add_to_collection(names.MAIN_OP_KEY, main)


def asset_node(tensor: Any) -> tuple[str, str]:
    """The name of a constant of the graph, and the path that it names.

    Raises:
        TypeError: It is none.
        FileNotFoundError: There is no such file.
    """
    if not isinstance(tensor, SymbolicTensor) or tensor.op.type != "Const":
        raise TypeError(f"Asset path tensor {tensor} must be a constant Tensor.")
    values = tensor.op.get_attr("value").string_val
    if len(values) != 1:
        raise TypeError(f"Asset path tensor {tensor} must be a scalar of dtype string.")
    path = os.fsdecode(values[0])
    if not os.path.isfile(path):
        raise complete(FileNotFoundError(f"the file {path} of an asset is missing"))
    return tensor.op.name, path


def simple_save(
    session: Session,
    export_dir: TextPath,
    inputs: Mapping[str, Tensor],
    outputs: Mapping[str, Tensor],
    legacy_init_op: Operation | None = None,
) -> None:
    """Saves the graph of a session as a model with one signature, "serving_default".

    Args:
        session: A `tf.compat.v1.Session`, whose graph is open.
        export_dir: The folder, which may be there if it is empty.
        inputs: A dict from names to tensors of the graph.
        outputs: A dict from names to tensors of the graph.
        legacy_init_op: An operation that runs when the model is loaded, or None.

    Raises:
        AssertionError: The folder has files.
        OpError: The system refuses to make the folder.
        ValueError: `inputs` or `outputs` is empty.

    >>> import tempfile, graphwright as tf
    >>> folder = tempfile.mkdtemp() + "/model"
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.compat.v1.placeholder(tf.float32, [None], name="x")
    ...     tf.compat.v1.saved_model.simple_save(session, folder, {"x": x}, {"y": x + 1.0})
    >>> tf.saved_model.load(folder).signatures["serving_default"](x=tf.constant([1.0]))["y"].numpy()
    array([2.], dtype=float32)
    """
    signature = predict_signature_def(inputs, outputs)
    builder = SavedModelBuilder(export_dir)
    builder.add_meta_graph_and_variables(
        session, [names.SERVING], {names.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature},
        get_collection(_ASSET_FILEPATHS), main_op=legacy_init_op, clear_devices=True,
    )  # fmt: skip
    builder.save()


def main_op() -> Any:
    """Returns an operation that initializes all variables and tables of the open graph.

    Returns:
        A `tf.Operation`.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.saved_model.main_op.main_op()
    <tf.Operation 'group_deps' type=NoOp>
    """
    return group(
        global_variables_initializer(), local_variables_initializer(), tables_initializer()
    )


def main_op_with_restore(restore_op_name: Operation) -> Any:
    """Returns an operation that initializes all variables and tables, and then runs another one.

    Args:
        restore_op_name: A `tf.Operation`.

    Returns:
        A `tf.Operation`.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.saved_model.main_op_with_restore(tf.no_op("restore")).type
    'NoOp'
    """
    with control_dependencies([main_op()]):
        return group(restore_op_name)
