"""`tf.compat.v1.saved_model.load`: a saved model in the graph of a session."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from graphwright.base.files import TextPath
from graphwright.control.graph_variable import as_default
from graphwright.ir.graph import Graph
from graphwright.ir.operation import Operation
from graphwright.library.checkpoint.tensor_bundle import TensorBundle
from graphwright.op.refusal import complete
from graphwright.portable.classic.meta_graph_import import MetaGraphImport
from graphwright.portable.classic.meta_graphs import open_tracer
from graphwright.portable.classic.saver import saver_of
from graphwright.portable.graphs.classic_model import asset_files, main_op
from graphwright.portable.graphs.classic_variables import TensorReader
from graphwright.portable.graphs.graph_body import TensorName, tensor_name
from graphwright.portable.graphs.graph_import import tensors_of
from graphwright.portable.graphs.session import Session
from graphwright.portable.graphs.wrapped_function import pruned_function
from graphwright.portable.model_error import malformed
from graphwright.portable.node_ops import RUN_ON_LOAD
from graphwright.portable.restored_objects import Asset
from graphwright.portable.saved_model import read
from graphwright.portable.saved_model_names import VARIABLES_DIRECTORY, VARIABLES_FILENAME
from graphwright.portable.saved_objects import asset_path
from graphwright.proto.saved_model_pb2 import MetaGraphDef

#: What runs on load makes no tensor of more elements.
_LARGEST = 1 << 24


def load(
    sess: Session,
    tags: str | Sequence[str],
    export_dir: TextPath,
    import_scope: str | None = None,
    **saver_kwargs: Any,
) -> MetaGraphDef:
    """Adds a saved model to the graph of a session, which gets the values of its variables.

    Operations that read or write files, run Python, or are not there in graphwright are left out,
    with all that need them. Tables are filled, and may read the files of the model.

    Args:
        sess: A `tf.compat.v1.Session`.
        tags: The tags of the graph that is wanted.
        export_dir: The folder, as text or a path object.
        import_scope: What names in the graph begin with; None for nothing.
        **saver_kwargs: `input_map`, a dict from names of tensors in the model, such as "x:0", to
            tensors that take their places; `clear_devices` has no effect.

    Returns:
        The message of the graph, of the type MetaGraphDef, with `signature_def`.

    Raises:
        OSError: There is no model in the folder, or it is no message.
        RuntimeError: The model has no graph of these tags.
        NotFoundError: Functions that it calls have ops that graphwright has not, which are named.
        PermissionDeniedError: Functions that it calls read or write files or run Python.
        InvalidArgumentError: The model contradicts itself.
        TypeError: There is another keyword argument.

    >>> import tempfile, graphwright as tf
    >>> folder = tempfile.mkdtemp() + "/model"
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.compat.v1.placeholder(tf.float32, [None], name="x")
    ...     y = tf.multiply(x, tf.Variable(3.0), name="y")
    ...     session.run(tf.compat.v1.global_variables_initializer())
    ...     tf.compat.v1.saved_model.simple_save(session, folder, {"x": x}, {"y": y})
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     message = tf.compat.v1.saved_model.load(session, ["serve"], folder)
    ...     session.run(message.signature_def["serving_default"].outputs["y"].name, {"x:0": [2.0]})
    array([6.], dtype=float32)
    """
    folder, scope = os.fspath(export_dir), import_scope or ""
    message = tagged(list(read(folder).meta_graphs), tags)
    given = tensors_of(saver_kwargs.pop("input_map", None))
    saver_kwargs.pop("clear_devices", None)
    if saver_kwargs:
        raise TypeError(f"load() takes no argument {next(iter(saver_kwargs))!r}")
    prefix = os.path.join(folder, VARIABLES_DIRECTORY, VARIABLES_FILENAME)
    reader = TensorReader(TensorBundle(prefix)) if os.path.exists(f"{prefix}.index") else None
    with as_default(sess.graph):
        assets = assets_of(folder, message)
        made = MetaGraphImport(message, open_tracer(), scope, given, assets, reader)
        made.add_collections()
        parts = made.saved()
        if parts:
            saver_of(parts, None).restore(sess, prefix)
    name = main_op(message)
    if name is not None:
        operation = made.operation(name)
        check_running(sess.graph, operation)
        sess.run(operation)
    return message


def tagged(graphs: Sequence[MetaGraphDef], tags: str | Sequence[str]) -> MetaGraphDef:
    """The graph with all of these tags, and no others."""
    for graph in graphs:
        if set(graph.meta_info_def.tags) == set(tags):
            return graph
    available = [set(graph.meta_info_def.tags) for graph in graphs]
    raise complete(RuntimeError(
        f"MetaGraphDef associated with tags {str(tags).strip('[]')} could not be found in "
        f"SavedModel, with available tags '{available}'. `graphwright show` prints what it has."
    ))  # fmt: skip


def assets_of(folder: str, message: MetaGraphDef) -> dict[TensorName, Asset]:
    """The files of a model by the tensors that name them."""
    files = {}
    for described in asset_files(message):
        name = tensor_name(described.tensor_info.name)
        if name is None:
            raise malformed("its files", f"there is no tensor {described.tensor_info.name!r}")
        files[name] = Asset(asset_path(folder, described.filename))
    return files


def check_running(graph: Graph, operation: Operation) -> None:
    """Refuses what would run on load and might take much memory, or does not end."""
    needed = pruned_function(graph, [], operation, "initialize", None, []).graph
    for node in needed.nodes:
        for value in node.outputs:
            size = value.type.size
            if node.op.type_name not in RUN_ON_LOAD and (size is None or size > _LARGEST):
                words = f"it would make a tensor of {value.type!r} on load"
                raise malformed(f"the node {node.name!r} ({node.op.type_name})", words)
