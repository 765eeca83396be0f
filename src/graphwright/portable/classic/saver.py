"""`tf.compat.v1.train.Saver`: values of variables of a session in checkpoints, by their names."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence

import numpy as np

from graphwright.base.errors import InvalidArgumentError, NotFoundError
from graphwright.control.graph_variable import GraphVariable
from graphwright.library.checkpoint.bundle_checkpoint import constant_of, write_tensors
from graphwright.library.checkpoint.checkpoint_files import delete, is_there
from graphwright.library.checkpoint.checkpoint_state import (
    CheckpointState,
    write_state,
)
from graphwright.library.checkpoint.tensor_bundle import TensorBundle
from graphwright.op.refusal import complete
from graphwright.portable.classic.graph_collections import global_variables
from graphwright.portable.graphs.session import Session
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike
from graphwright.types.arrays import Array


class Saver:
    """Saves variables of a graph under their names, and restores them.

    The files are those of TensorFlow 1 and 2: an index and a shard of data, and a file `checkpoint`
    that names the newest ones.

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
        self._variables: dict[str, GraphVariable] = {}
        pairs = (
            list(var_list.items())
            if isinstance(var_list, Mapping)
            else [(v.name.partition(":")[0], v) for v in var_list]
        )
        for key, variable in pairs:
            if key in self._variables:
                raise ValueError(f"At least two variables have the same name: {key}")
            self._variables[key] = variable
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
            meta_graph_suffix: It has no effect.
            write_meta_graph: It has no effect: the graph is not written.
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
        values = sess.run(self._variables)
        tensors = {
            key: (v.dtype, constant_of(np.asarray(values[key], v.dtype.numpy_dtype)))
            for key, v in self._variables.items()
        }
        write_tensors(path, tensors)
        if write_state:
            self._note(path, latest_filename)
        return path

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
        bundle = TensorBundle(path)
        present = set(bundle.keys)
        missing = [key for key in self._variables if key not in present]
        if missing:
            raise complete(NotFoundError(
                None, None, f"Key {missing[0]} not found in checkpoint {path}: it has "
                f"{', '.join(sorted(present)) or 'none'}"
            ))  # fmt: skip
        for key, variable in self._variables.items():
            load(sess, variable, bundle.read(key), f"{path}: {key}")


def load(session: Session, variable: GraphVariable, array: Array, where: str) -> None:
    """Gives a variable a value in a session, if it fits."""
    fits, dtype = variable.shape.is_compatible_with(array.shape), dt.of_numpy(array.dtype)
    if not fits or dtype is not variable.dtype:
        raise complete(InvalidArgumentError(
            None, None, f"Shapes and dtypes must match: {where} is {dtype.name}"
            f"{list(array.shape)}, and {variable.name!r} is {variable.dtype.name}"
            f"{list(variable.shape)}"
        ))  # fmt: skip
    variable.load(array, session)
