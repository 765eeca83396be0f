"""`tf.compat.v1.train.import_meta_graph` and `export_meta_graph`: the files of graphs (`.meta`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from graphwright.ir.graph import Graph
from graphwright.op.refusal import complete
from graphwright.portable.classic.graph_collections import global_variables
from graphwright.portable.classic.meta_graph_export import exported, meta_graph
from graphwright.portable.classic.meta_graph_import import MetaGraphImport, as_meta_graph
from graphwright.portable.classic.saver import Saver, saver_of
from graphwright.portable.graphs.graph_import import tensors_of
from graphwright.proto.saved_model_pb2 import MetaGraphDef
from graphwright.trace.tracer import Tracer, current_tracer


def import_meta_graph(
    meta_graph_or_file: object,
    clear_devices: bool = False,
    import_scope: str | None = None,
    **kwargs: Any,
) -> Any:
    """Adds the graph of a file to the graph that is open, with its variables and collections.

    Branches, loops and variables of TensorFlow 1 become those of TensorFlow 2. Operations that save
    and restore are left out: the saver that is returned does what they do. So are operations that
    read or write files, run Python, or are not there in graphwright, and all that need them.

    Args:
        meta_graph_or_file: The path of a file, whose name ends with `.meta` by custom, or its
            message.
        clear_devices: It has no effect: all devices are parts of one.
        import_scope: What names in the graph begin with; None for nothing.
        **kwargs: `input_map`, a dict from names of tensors in the file, such as "x:0", to tensors
            that take their places.

    Returns:
        A `Saver` of the variables that the file's own saver saves; of all variables where it has no
        saver; None where it has no variables either.

    Raises:
        OSError: There is no such file, or it is not one of a graph.
        NotFoundError: Functions that it calls have ops that graphwright has not, which are named.
        PermissionDeniedError: Functions that it calls read or write files or run Python.
        InvalidArgumentError: It contradicts itself.
        RuntimeError: No graph is open.
        TypeError: There is another keyword argument.

    >>> import tempfile, graphwright as tf
    >>> path = tempfile.mkdtemp() + "/model"
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.compat.v1.placeholder(tf.float32, [], name="x")
    ...     y = tf.multiply(x, tf.Variable(2.0, name="slope"), name="y")
    ...     session.run(tf.compat.v1.global_variables_initializer())
    ...     path = tf.compat.v1.train.Saver().save(session, path)
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     tf.compat.v1.train.import_meta_graph(path + ".meta").restore(session, path)
    ...     session.run("y:0", {"x:0": 3.0})
    np.float32(6.0)
    """
    tracer = open_tracer()
    given = tensors_of(kwargs.pop("input_map", None))
    if kwargs:
        raise TypeError(f"import_meta_graph() takes no argument {next(iter(kwargs))!r}")
    message = as_meta_graph(meta_graph_or_file)
    made = MetaGraphImport(message, tracer, import_scope or "", given)
    made.add_collections()
    if message.HasField("saver_def"):
        return saver_of(made.saved(), message.saver_def.max_to_keep)
    variables = global_variables(import_scope)
    return Saver(variables) if variables else None


def export_meta_graph(
    filename: str | None = None,
    meta_info_def: object = None,
    graph_def: object = None,
    saver_def: object = None,
    collection_list: Iterable[str] | None = None,
    as_text: bool = False,
    graph: Graph | None = None,
    export_scope: str | None = None,
    clear_devices: bool = False,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    **kwargs: object,
) -> MetaGraphDef:
    """Returns a graph as a message, with its variables and collections, and writes it to a file.

    Args:
        filename: The path of the file; None writes none.
        meta_info_def: It has no effect.
        graph_def: It must be None: the graph is `graph`.
        saver_def: It must be None: `Saver.export_meta_graph` adds what a saver does.
        collection_list: The names of the collections; None takes all.
        as_text: A bool: whether the file has the text form of messages.
        graph: A `tf.Graph`; None takes the one that is open.
        export_scope: It must be None.
        clear_devices: A bool: whether the devices that the program stated are left out.
        clear_extraneous_savers: It has no effect: savers are no nodes here.
        strip_default_attrs: It has no effect.
        save_debug_info: It has no effect.
        **kwargs: Further arguments, which have no effect.

    Returns:
        A message of the type MetaGraphDef.

    Raises:
        RuntimeError: `graph` is None, and no graph is open.
        NotImplementedError: An argument that must be None is not.
        OpError: The system refuses to write the file.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     slope = tf.Variable(2.0, name="slope")
    ...     message = tf.compat.v1.train.export_meta_graph()
    >>> sorted(message.collection_def)
    ['trainable_variables', 'variables']
    """
    if graph_def is not None or saver_def is not None or export_scope is not None:
        raise complete(NotImplementedError(
            "`graph_def`, `saver_def` and `export_scope` must be None: pass a whole graph as "
            "`graph`, or call the `export_meta_graph` of a saver"
        ))  # fmt: skip
    message = meta_graph(open_tracer().graph if graph is None else graph, collection_list)
    return exported(message, filename, as_text, clear_devices)


def open_tracer() -> Tracer:
    """What adds to the graph that is open; RuntimeError if none is."""
    tracer = current_tracer()
    if tracer is None or not tracer.graph.is_plain:
        raise RuntimeError(
            "Exporting/importing meta graphs is not supported when eager execution is enabled. No "
            "graph exists when eager execution is enabled."
        )
    return tracer
