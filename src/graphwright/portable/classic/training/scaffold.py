"""`tf.compat.v1.train.Scaffold`: what makes a session ready, and who makes the session."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from graphwright.control.dependencies import group
from graphwright.ir.graph import Graph
from graphwright.library.checkpoint.checkpoint_state import latest_checkpoint
from graphwright.op.refusal import complete
from graphwright.ops.core.joining import concat
from graphwright.portable.classic.graph_collections import (
    GraphKeys,
    get_collection,
    get_collection_ref,
    global_variables,
    open_graph,
)
from graphwright.portable.classic.initial_values import (
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
    tables_initializer,
)
from graphwright.portable.classic.saver import Saver
from graphwright.portable.graphs.session import Session
from graphwright.types import dtypes as dt
from graphwright.values.convert import constant


class Scaffold:
    """The operations that a monitored session needs; those that are not given have defaults.

    Args:
        init_op: The operation that initializes variables where there is no checkpoint.
        init_feed_dict: A dict from tensors to values, for `init_op`.
        init_fn: A function of the scaffold and the session, which is called after `init_op`.
        ready_op: A vector of strings: the names of variables that have no value yet.
        ready_for_local_init_op: The same, of variables that `local_init_op` needs.
        local_init_op: The operation that initializes local variables and tables.
        summary_op: A scalar of string for a `SummarySaverHook`.
        saver: A `tf.compat.v1.train.Saver`.
        copy_from_scaffold: A scaffold whose operations are taken where none are given.
        local_init_feed_dict: A dict from tensors to values, for `local_init_op`.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(2.0)
    ...     double = lambda scaffold, session: v.load(v.eval(session) * 2.0, session)
    ...     scaffold = tf.compat.v1.train.Scaffold(init_fn=double)
    ...     with tf.compat.v1.train.MonitoredTrainingSession(scaffold=scaffold) as session:
    ...         session.run(v)
    np.float32(4.0)
    """

    def __init__(
        self,
        init_op: Any = None,
        init_feed_dict: Mapping[Any, Any] | None = None,
        init_fn: Callable[[Scaffold, Session], object] | None = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        local_init_op: Any = None,
        summary_op: Any = None,
        saver: Saver | None = None,
        copy_from_scaffold: Scaffold | None = None,
        local_init_feed_dict: Mapping[Any, Any] | None = None,
    ) -> None:
        other = copy_from_scaffold

        def first(mine: Any, name: str) -> Any:
            return mine if mine is not None or other is None else getattr(other, name)

        self._init_fn: Callable[[Scaffold, Session], object] | None = first(init_fn, "_init_fn")
        self._init_op = first(init_op, "_init_op")
        self._init_feed_dict = first(init_feed_dict, "_init_feed_dict")
        self._ready_op = first(ready_op, "_ready_op")
        self._ready_for_local_init_op = first(ready_for_local_init_op, "_ready_for_local_init_op")
        self._local_init_op = first(local_init_op, "_local_init_op")
        self._local_init_feed_dict = first(local_init_feed_dict, "_local_init_feed_dict")
        self._summary_op = first(summary_op, "_summary_op")
        self._saver = first(saver, "_saver")

    def finalize(self) -> Scaffold:
        """Makes what was not given, and lets the open graph get no more operations.

        Returns:
            The scaffold.

        Raises:
            RuntimeError: A collection of the graph names several operations for one purpose.
        """
        for name, key, make in (
            ("_init_op", GraphKeys.INIT_OP, global_variables_initializer),
            ("_ready_op", GraphKeys.READY_OP, all_without_value),
            ("_ready_for_local_init_op", GraphKeys.READY_FOR_LOCAL_INIT_OP, global_without_value),
            ("_local_init_op", GraphKeys.LOCAL_INIT_OP, local_initializer),
            ("_summary_op", GraphKeys.SUMMARY_OP, merged_summaries),
            ("_saver", GraphKeys.SAVERS, default_saver),
        ):
            if getattr(self, name) is None:
                setattr(self, name, self.get_or_default(name.lstrip("_"), key, make))
        open_graph().finalize()
        return self

    @staticmethod
    def get_or_default(
        arg_name: str, collection_key: str, default_constructor: Callable[[], Any]
    ) -> Any:
        """Returns the only item of a collection; where it is empty, makes one and lists it.

        Args:
            arg_name: The name of the item in the error.
            collection_key: The name of the collection.
            default_constructor: A function that returns a new item, or None.

        Returns:
            The item, or None.

        Raises:
            RuntimeError: The collection has several.
        """
        items = get_collection(collection_key)
        if len(items) > 1:
            raise complete(RuntimeError(
                f"More than one item in the collection {collection_key!r}. Please indicate which "
                f"one to use by passing it to the tf.Scaffold constructor as: "
                f"tf.Scaffold({arg_name}=item to use)"
            ))  # fmt: skip
        if items:
            return items[0]
        made = default_constructor()
        if made is not None:
            get_collection_ref(collection_key).append(made)
        return made

    @property
    def init_fn(self) -> Callable[[Session], object] | None:
        """A function of the session that is called after `init_op`, or None."""
        call = self._init_fn
        return None if call is None else lambda session: call(self, session)

    @property
    def init_op(self) -> Any:
        """The operation that initializes variables."""
        return self._init_op

    @property
    def init_feed_dict(self) -> Mapping[Any, Any] | None:
        """What `init_op` is given."""
        return self._init_feed_dict

    @property
    def ready_op(self) -> Any:
        """The names of variables that have no value."""
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> Any:
        """The names of variables that `local_init_op` waits for."""
        return self._ready_for_local_init_op

    @property
    def local_init_op(self) -> Any:
        """The operation that initializes local variables and tables."""
        return self._local_init_op

    @property
    def local_init_feed_dict(self) -> Mapping[Any, Any] | None:
        """What `local_init_op` is given."""
        return self._local_init_feed_dict

    @property
    def summary_op(self) -> Any:
        """The message of all summaries, or None."""
        return self._summary_op

    @property
    def saver(self) -> Any:
        """What saves and restores variables, or None where there are none."""
        return self._saver


def all_without_value() -> Any:
    """The names of all variables that have no value."""
    return concat([report_uninitialized_variables(), constant([], dt.string)], 0)


def global_without_value() -> Any:
    """The names of global variables that have no value."""
    missing = report_uninitialized_variables(global_variables())
    return concat([missing, constant([], dt.string)], 0)


def local_initializer() -> Any:
    """The operation that initializes local variables and tables."""
    return group(local_variables_initializer(), tables_initializer())


def merged_summaries() -> Any:
    """The message of all summaries, or None."""
    from graphwright.portable.classic.figures.graph_summaries import merge_all

    return merge_all()


def default_saver() -> Saver | None:
    """A saver of all variables, or None where there are none."""
    return Saver() if global_variables() else None


class ChiefSessionCreator:
    """Makes sessions that are ready: from a checkpoint, or with initial values.

    Args:
        scaffold: A `Scaffold`, or None for one with defaults.
        master: It must be empty.
        config: It has no effect.
        checkpoint_dir: A folder whose newest checkpoint is restored, if it has one.
        checkpoint_filename_with_path: The path of the checkpoint that is restored.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(2.0)
    ...     creator = tf.compat.v1.train.ChiefSessionCreator()
    ...     creator.create_session().run(v)
    np.float32(2.0)
    """

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: object = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        self._scaffold = scaffold or Scaffold()
        self._target, self._folder = master, checkpoint_dir
        self._path = checkpoint_filename_with_path

    def create_session(self) -> Session:
        """Returns a session of the open graph whose variables have values.

        Returns:
            A `tf.compat.v1.Session`.

        Raises:
            RuntimeError: A variable has no value after all.
        """
        scaffold = self._scaffold.finalize()
        session = Session(self._target)
        path = self._path or (self._folder and latest_checkpoint(os.fspath(self._folder)))
        if path and scaffold.saver is not None:
            scaffold.saver.restore(session, path)
        else:
            session.run(scaffold.init_op, scaffold.init_feed_dict)
            if scaffold.init_fn is not None:
                scaffold.init_fn(session)
        self._check(session, "local_init", scaffold.ready_for_local_init_op)
        session.run(scaffold.local_init_op, scaffold.local_init_feed_dict)
        self._check(session, "", scaffold.ready_op)
        return session

    def _check(self, session: Session, step: str, ready_op: Any) -> None:
        """RuntimeError where variables have no value."""
        missing = session.run(ready_op)
        if len(missing):
            names = ", ".join([name.decode() for name in missing])
            operation = getattr(self._scaffold.init_op, "name", None)
            raise complete(RuntimeError(
                f"Init operations did not make model ready{f' for {step}' if step else ''}. Init "
                f"op: {operation}, init fn: {self._scaffold._init_fn}, error: Variables not "
                f"initialized: {names}"
            ))  # fmt: skip


def needed_step(graph: Graph, user: str) -> Any:
    """The variable that counts steps; RuntimeError where there is none."""
    steps = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if not steps:
        raise complete(RuntimeError(
            f"Global step should be created to use {user}. Call "
            "tf.compat.v1.train.get_or_create_global_step()."
        ))  # fmt: skip
    return steps[0]
