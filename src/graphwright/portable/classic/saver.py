"""`tf.compat.v1.train.Saver`: values of variables of a session in checkpoints, by their names."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from graphwright.base.errors import NotFoundError
from graphwright.control.graph_variable import GraphVariable
from graphwright.ir.graph import Graph
from graphwright.library.checkpoint.bundle_checkpoint import constant_of, write_tensors
from graphwright.library.checkpoint.checkpoint_files import delete, is_there
from graphwright.library.checkpoint.checkpoint_state import (
    CheckpointState,
    write_state,
)
from graphwright.library.checkpoint.tensor_bundle import TensorBundle
from graphwright.op.refusal import complete
from graphwright.portable.classic.graph_collections import global_variables, open_graph
from graphwright.portable.classic.meta_graph_export import add_saver, exported, meta_graph, write
from graphwright.portable.classic.saved_parts import SavedPart, load, whole_tensors
from graphwright.portable.graphs.classic_variables import TensorReader
from graphwright.portable.graphs.session import Session
from graphwright.proto.saved_model_pb2 import MetaGraphDef
from graphwright.types.arguments import TensorLike


class Saver:
    """Saves variables of a graph under their names, and restores them.

    The files are those of TensorFlow 1 and 2: an index and a shard of data, a file `.meta` with the
    graph, and a file `checkpoint` that names the newest ones.

    Args:
        var_list: A list of variables, or a dict from names to variables. None takes all global
            ones.
        reshape: It has no effect: shapes must fit.
        sharded: It has no effect: there is one shard.
        max_to_keep: So many checkpoints are kept, and older ones deleted; 0 or None keeps all.
        keep_checkpoint_every_n_hours: It has no effect.
        name: It has no effect.
        save_relative_paths: It has no effect: paths in `checkpoint` are relative.
        **options: Further arguments of TensorFlow's, which have no effect here.

    Raises:
        ValueError: There are no variables, or two have one name.

    >>> import tempfile, graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.Variable(3.0, name="v")
    ...     saver = tf.compat.v1.train.Saver()
    ...     session.run(v.initializer)
    ...     path = saver.save(session, tempfile.mkdtemp() + "/model", global_step=5)
    ...     v.load(0.0, session)
    ...     saver.restore(session, path)
    ...     path.endswith("/model-5"), session.run(v)
    (True, np.float32(3.0))
    """

    def __init__(
        self,
        var_list: Sequence[GraphVariable] | Mapping[str, GraphVariable] | None = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        save_relative_paths: bool = False,
        **options: object,
    ) -> None:
        if var_list is None:
            var_list = global_variables()
        if not var_list:
            raise ValueError("No variables to save")
        self._parts: list[SavedPart] = []
        pairs = (
            list(var_list.items())
            if isinstance(var_list, Mapping)
            else [(v.name.partition(":")[0], v) for v in var_list]
        )
        for key, variable in pairs:
            if any(part.key == key for part in self._parts):
                raise ValueError(f"At least two variables have the same name: {key}")
            self._parts.append(SavedPart(key, "", variable))
        self._limit = max_to_keep
        self._paths: list[tuple[str, float]] = []

    @property
    def last_checkpoints(self) -> list[str]:
        """The paths of the checkpoints that it keeps, the oldest first."""
        return [path for path, _ in self._paths]

    def set_last_checkpoints(self, last_checkpoints: Sequence[str]) -> None:
        """Says which checkpoints there are, as another saver has written them.

        Args:
            last_checkpoints: Paths, the oldest first.
        """
        self._paths = [(path, time.time()) for path in last_checkpoints]

    def save(
        self,
        sess: Session,
        save_path: str,
        global_step: TensorLike | None = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str:
        """Writes the values that a session has.

        Args:
            sess: A `tf.compat.v1.Session`.
            save_path: What names of files begin with.
            global_step: A number, or a tensor or variable of the graph, that comes after it; None
                for nothing.
            latest_filename: The name of the file that names the newest checkpoint.
            meta_graph_suffix: What the name of the file of the graph ends with, after a dot.
            write_meta_graph: A bool: whether the graph is written too, for `import_meta_graph`.
            write_state: A bool: whether the file `checkpoint` names this one.
            strip_default_attrs: It has no effect.
            save_debug_info: It has no effect.

        Returns:
            The path for `restore`.

        Raises:
            FailedPreconditionError: A variable has no value.
        """
        step = global_step
        if step is not None and not isinstance(step, (int, np.integer)):
            step = sess.run(step)
        path = save_path if step is None else f"{save_path}-{int(step)}"
        values = sess.run([part.variable for part in self._parts])
        tensors = whole_tensors(self._parts, values)
        write_tensors(path, {k: (dtype, constant_of(x)) for k, (dtype, x) in tensors.items()})
        if write_state:
            self._note(path, latest_filename)
        if write_meta_graph:
            write(self._meta_graph(sess.graph), f"{path}.{meta_graph_suffix}")
        return path

    def _meta_graph(self, graph: Graph, keys: Iterable[str] | None = None) -> MetaGraphDef:
        message = meta_graph(graph, keys)
        if self._parts:
            add_saver(message, self._parts, self._limit or 0)
        return message

    def export_meta_graph(
        self,
        filename: str | None = None,
        collection_list: Iterable[str] | None = None,
        as_text: bool = False,
        export_scope: str | None = None,
        clear_devices: bool = False,
        clear_extraneous_savers: bool = False,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> MetaGraphDef:
        """Returns the graph as a message, with what saves and restores, and writes it to a file.

        Args:
            filename: The path of the file; None writes none.
            collection_list: The names of the collections; None takes all.
            as_text: A bool: whether the file has the text form of messages.
            export_scope: It has no effect.
            clear_devices: A bool: whether the devices that the program stated are left out.
            clear_extraneous_savers: It has no effect.
            strip_default_attrs: It has no effect.
            save_debug_info: It has no effect.

        Returns:
            A message of the type MetaGraphDef.
        """
        message = self._meta_graph(open_graph(), collection_list)
        return exported(message, filename, as_text, clear_devices)

    def _note(self, path: str, latest_filename: str | None) -> None:
        """Records a checkpoint as the newest, and deletes the oldest beyond the limit."""
        self._paths = [(old, t) for old, t in self._paths if old != path] + [(path, time.time())]
        limit = self._limit or len(self._paths)
        old, self._paths = self._paths[:-limit], self._paths[-limit:]
        paths, times = self.last_checkpoints, [t for _, t in self._paths]
        state = CheckpointState(path, paths, times, self._paths[0][1])
        write_state(os.path.dirname(path) or ".", state, latest_filename)
        for gone, _ in old:
            delete(gone)
            if os.path.exists(f"{gone}.meta"):
                os.unlink(f"{gone}.meta")

    def restore(self, sess: Session, save_path: str) -> None:
        """Gives a session's variables the values of a checkpoint.

        Args:
            sess: A `tf.compat.v1.Session`.
            save_path: A path that `save` returned, or that of another checkpoint of TensorFlow.

        Raises:
            ValueError: There is no checkpoint.
            InvalidArgumentError: A value does not fit its variable.
            NotFoundError: It has no value for a variable.
            DataLossError: It is damaged.
        """
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        path = str(save_path)
        if not is_there(path):
            raise complete(ValueError(f"The passed save_path is not a valid checkpoint: {path}"))
        reader = TensorReader(TensorBundle(path))
        present = set(reader.bundle.keys)
        missing = [part.key for part in self._parts if part.key not in present]
        if missing:
            raise complete(NotFoundError(
                None, None, f"Key {missing[0]} not found in checkpoint {path}: it has "
                f"{', '.join(sorted(present)) or 'none'}"
            ))  # fmt: skip
        for key, part, variable in self._parts:
            load(sess, variable, reader.read(key, part), f"{path}: {key}")


def saver_of(parts: list[SavedPart], limit: int | None) -> Saver:
    """A saver of parts of tensors, as the file of a graph describes them."""
    made = Saver.__new__(Saver)
    made._parts, made._limit, made._paths = parts, limit, []
    return made
