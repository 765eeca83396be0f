"""Hooks of sessions that many programs use: ends, checkpoints, logs, summaries."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from graphwright.base.files import write_whole
from graphwright.base.logs import LOGGER
from graphwright.op.refusal import complete
from graphwright.ops.io.file_system import system_errors
from graphwright.portable.classic.figures.graph_summaries import (
    SummaryFileWriter,
    SummaryWriters,
)
from graphwright.portable.classic.graph_collections import GraphKeys, get_collection, open_graph
from graphwright.portable.classic.training.scaffold import Scaffold, needed_step
from graphwright.portable.classic.training.session_hooks import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from graphwright.portable.classic.training.thread_coordinator import Coordinator
from graphwright.portable.graphs.session import Session
from graphwright.proto.event_pb2 import SessionLog, Summary


class SecondOrStepTimer:
    """Says when something is due again: after so many seconds, or after so many steps.

    Args:
        every_secs: A number of seconds, or None.
        every_steps: A number of steps, or None.

    Raises:
        ValueError: Both are given, or neither.

    >>> import graphwright as tf
    >>> timer = tf.compat.v1.train.SecondOrStepTimer(every_steps=10)
    >>> timer.should_trigger_for_step(1)
    True
    >>> _ = timer.update_last_triggered_step(1)
    >>> timer.should_trigger_for_step(10), timer.should_trigger_for_step(11)
    (False, True)
    """

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        if (every_secs is None) == (every_steps is None):
            raise complete(ValueError(
                "exactly one of every_secs and every_steps should be provided: "
                f"{every_secs}, {every_steps}"
            ))  # fmt: skip
        self._seconds, self._steps = every_secs, every_steps
        self.reset()

    def reset(self) -> None:
        """Forgets when it was due last."""
        self._last_step: int | None = None
        self._last_time = 0.0

    def should_trigger_for_step(self, step: int) -> bool:
        """Returns whether it is due at a step.

        Args:
            step: The step, an int.

        Returns:
            A bool: True where it never was due, and False at the step when it was due last.
        """
        if self._last_step is None:
            return True
        if step == self._last_step:
            return False
        if self._seconds is not None:
            return time.time() >= self._last_time + self._seconds
        return step >= self._last_step + (self._steps or 0)

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        """Notes that what was due is done.

        Args:
            step: The step, an int.

        Returns:
            The seconds and the steps since the last time; (None, None) at the first one.
        """
        now, last = time.time(), self._last_step
        passed = (None, None) if last is None else (now - self._last_time, step - last)
        self._last_time, self._last_step = now, step
        return passed

    def last_triggered_step(self) -> int | None:
        """Returns the step when it was due last, or None."""
        return self._last_step


class StepHook(SessionRunHook):
    """A hook that asks for the step in each call of `run`."""

    def begin(self) -> None:
        """Looks for the variable that counts steps."""
        self._step = needed_step(open_graph(), type(self).__name__)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the step.

        Args:
            run_context: It has no effect.

        Returns:
            What is computed besides.
        """
        return SessionRunArgs(self._step)

    def _due_step(
        self, timer: SecondOrStepTimer, context: SessionRunContext, values: SessionRunValues
    ) -> int | None:
        """The step after a call, if something is due at it: the value may be from before."""
        if timer.should_trigger_for_step(int(values.results) + 1):
            step = int(context.session.run(self._step))
            if timer.should_trigger_for_step(step):
                return step
        return None


class StopAtStepHook(StepHook):
    """Ends a loop at a step.

    Args:
        num_steps: So many steps are made, counted from the beginning of the session; or None.
        last_step: The step after which it ends, or None.

    Raises:
        ValueError: Both are given, or neither.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     step = tf.compat.v1.train.create_global_step()
    ...     more = tf.compat.v1.assign_add(step, 1)
    ...     stop = tf.compat.v1.train.StopAtStepHook(num_steps=2)
    ...     with tf.compat.v1.train.MonitoredSession(hooks=[stop]) as session:
    ...         while not session.should_stop():
    ...             last = session.run(more)
    >>> last
    np.int64(2)
    """

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        if (num_steps is None) == (last_step is None):
            raise complete(ValueError(
                f"One of num_steps or last_step must be specified: {num_steps}, {last_step}"
            ))  # fmt: skip
        self._count, self._last = num_steps, last_step

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        """Works out the last step.

        Args:
            session: The session.
            coord: It has no effect.
        """
        if self._last is None:
            self._last = int(session.run(self._step)) + (self._count or 0)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Ends the loop at the last step.

        Args:
            run_context: What is asked to stop.
            run_values: The step before the call, or after it.
        """
        last = self._last or 0
        if run_values.results + 1 >= last and run_context.session.run(self._step) >= last:
            run_context.request_stop()


class NanLossDuringTrainingError(RuntimeError):
    """A loss is no number.

    >>> import graphwright as tf
    >>> str(tf.compat.v1.train.NanLossDuringTrainingError())
    'NaN loss during training.'
    """

    def __str__(self) -> str:
        return "NaN loss during training."


class NanTensorHook(SessionRunHook):
    """Ends a loop where a loss is no number.

    Args:
        loss_tensor: The loss: a scalar tensor, or its name.
        fail_on_nan_loss: A bool: whether it raises a `NanLossDuringTrainingError`.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     loss = tf.constant(float("nan"))
    ...     watch = tf.compat.v1.train.NanTensorHook(loss, fail_on_nan_loss=False)
    ...     with tf.compat.v1.train.MonitoredSession(hooks=[watch]) as session:
    ...         _ = session.run(loss)
    ...         session.should_stop()
    True
    """

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss, self._fails = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the loss.

        Args:
            run_context: It has no effect.

        Returns:
            What is computed besides.
        """
        return SessionRunArgs(self._loss)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Ends the loop where the loss is no number.

        Args:
            run_context: What is asked to stop.
            run_values: The loss.

        Raises:
            RuntimeError: It is no number: a `NanLossDuringTrainingError`, if the hook shall raise.
        """
        if not np.isnan(run_values.results):
            return
        if self._fails:
            LOGGER.error("Model diverged with loss = NaN.")
            raise NanLossDuringTrainingError
        LOGGER.warning("Model diverged with loss = NaN.")
        run_context.request_stop()


class LoggingTensorHook(SessionRunHook):
    """Logs values of tensors, at the level INFO of the logger "tensorflow".

    Args:
        tensors: A dict from titles to tensors or their names, or a list of these.
        every_n_iter: So many calls of `run` are between two lines; or None.
        every_n_secs: So many seconds are between two lines; or None.
        at_end: A bool: whether it logs when the session ends.
        formatter: A function of a dict from titles to values that returns the line, or None.

    Raises:
        ValueError: Not one of the ways is given, or `every_n_iter` is not positive.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     loss = tf.constant(0.5)
    ...     log = tf.compat.v1.train.LoggingTensorHook({"loss": loss}, every_n_iter=10)
    ...     with tf.compat.v1.train.MonitoredSession(hooks=[log]) as session:
    ...         _ = session.run(loss)
    """

    def __init__(
        self,
        tensors: Mapping[str, Any] | Sequence[Any],
        every_n_iter: int | None = None,
        every_n_secs: float | None = None,
        at_end: bool = False,
        formatter: Callable[[dict[str, Any]], str] | None = None,
    ) -> None:
        self._only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not self._only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise complete(ValueError(
                "either at_end and/or exactly one of every_n_iter and every_n_secs must be "
                f"provided: {every_n_iter}, {every_n_secs}"
            ))  # fmt: skip
        if every_n_iter is not None and every_n_iter <= 0:
            raise complete(ValueError(f"invalid every_n_iter={every_n_iter}."))
        if not isinstance(tensors, Mapping):
            tensors = {t if isinstance(t, str) else t.name: t for t in tensors}
        self._tensors, self._at_end, self._formatter = dict(tensors), at_end, formatter
        self._timer = None if self._only_at_end else SecondOrStepTimer(every_n_secs, every_n_iter)

    def begin(self) -> None:
        """Looks for the tensors."""
        graph = open_graph()
        self._fetches = {
            title: graph.as_graph_element(t) if isinstance(t, str) else t
            for title, t in self._tensors.items()
        }
        self._calls = 0
        if self._timer is not None:
            self._timer.reset()

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Asks for the tensors, where a line is due.

        Args:
            run_context: It has no effect.

        Returns:
            What is computed besides, or None.
        """
        timer = self._timer
        self._is_due = timer is not None and timer.should_trigger_for_step(self._calls)
        return SessionRunArgs(self._fetches) if self._is_due else None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Logs what was asked for.

        Args:
            run_context: It has no effect.
            run_values: The values.
        """
        if self._is_due:
            self._log(run_values.results)
        self._calls += 1

    def end(self, session: Session) -> None:
        """Logs the last values, if that is wanted.

        Args:
            session: The session.
        """
        if self._at_end:
            self._log(session.run(self._fetches))

    def _log(self, values: dict[str, Any]) -> None:
        """Writes a line."""
        timer = self._timer
        seconds = timer.update_last_triggered_step(self._calls)[0] if timer else None
        if self._formatter is not None:
            LOGGER.info("%s", self._formatter(values))
            return
        with np.printoptions(suppress=True):
            line = ", ".join([f"{title} = {values[title]}" for title in self._fetches])
        LOGGER.info("%s%s", line, "" if seconds is None else f" ({seconds:.3f} sec)")


class CheckpointSaverListener:
    """The base of what is called around checkpoints; each method may be left as it is.

    >>> import graphwright as tf
    >>> class Listener(tf.compat.v1.train.CheckpointSaverListener):
    ...     def after_save(self, session, global_step_value):
    ...         print("saved", global_step_value)
    """

    def begin(self) -> None:
        """Is called once, before there is a session."""

    def before_save(self, session: Session, global_step_value: int) -> None:
        """Is called before a checkpoint.

        Args:
            session: The session.
            global_step_value: The step.
        """

    def after_save(self, session: Session, global_step_value: int) -> bool | None:
        """Is called after a checkpoint.

        Args:
            session: The session.
            global_step_value: The step.

        Returns:
            Whether the loop ends; None does not end it.
        """

    def end(self, session: Session, global_step_value: int) -> None:
        """Is called once, when the session ends.

        Args:
            session: The session.
            global_step_value: The step.
        """


class CheckpointSaverHook(StepHook):
    """Saves checkpoints: when the session begins, every so often, and when it ends.

    Args:
        checkpoint_dir: The folder.
        save_secs: So many seconds are between two checkpoints; or None.
        save_steps: So many steps are between two checkpoints; or None.
        saver: A `tf.compat.v1.train.Saver`; None takes that of `scaffold`, or the only one that the
            graph lists.
        checkpoint_basename: What names of files begin with.
        scaffold: A `Scaffold`, or None.
        listeners: A list of `CheckpointSaverListener`.
        save_graph_def: A bool: whether the graph is written too.

    Raises:
        ValueError: `saver` and `scaffold` are given, or not one of seconds and steps.

    >>> import tempfile, graphwright as tf
    >>> folder = tempfile.mkdtemp()
    >>> with tf.Graph().as_default():
    ...     step = tf.compat.v1.train.create_global_step()
    ...     save = tf.compat.v1.train.CheckpointSaverHook(folder, save_steps=10)
    ...     with tf.compat.v1.train.MonitoredSession(hooks=[save]) as session:
    ...         _ = session.run(step)
    >>> tf.compat.v1.summary.FileWriterCache.clear()
    >>> tf.train.latest_checkpoint(folder).endswith("/model.ckpt-0")
    True
    """

    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Scaffold | None = None,
        listeners: Sequence[CheckpointSaverListener] | None = None,
        save_graph_def: bool = True,
    ) -> None:
        if saver is not None and scaffold is not None:
            raise complete(ValueError("You cannot provide both saver and scaffold."))
        self._saver, self._scaffold, self._writes_graph = saver, scaffold, save_graph_def
        self._folder = os.fspath(checkpoint_dir)
        self._path = os.path.join(self._folder, checkpoint_basename)
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._listeners = list(listeners or [])

    def begin(self) -> None:
        """Looks for the variable that counts steps, and tells the listeners."""
        self._writer = SummaryWriters.get(self._folder)
        super().begin()
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        """Writes the graph, and the first checkpoint.

        Args:
            session: The session.
            coord: It has no effect.
        """
        step = int(session.run(self._step))
        if self._writes_graph:
            text = str(session.graph.as_graph_def(add_shapes=True))
            path = os.path.join(self._folder, "graph.pbtxt")
            with system_errors(path):
                write_whole(path, text.encode())
        self._writer.add_graph(session.graph)
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Saves a checkpoint, where one is due.

        Args:
            run_context: What listeners may stop.
            run_values: The step before the call, or after it.
        """
        step = self._due_step(self._timer, run_context, run_values)
        if step is not None:
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session: Session) -> None:
        """Saves the last checkpoint.

        Args:
            session: The session.
        """
        step = int(session.run(self._step))
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session: Session, step: int) -> bool:
        """Saves a checkpoint; whether a listener ends the loop."""
        for listener in self._listeners:
            listener.before_save(session, step)
        LOGGER.info("Saving checkpoints for %d into %s.", step, self._path)
        saver = self._saver_of()
        saver.save(session, self._path, global_step=step, write_meta_graph=self._writes_graph)
        log = SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=self._path)
        self._writer.add_session_log(log, step)
        answers = [listener.after_save(session, step) for listener in self._listeners]
        return any(answers)

    def _saver_of(self) -> Any:
        """The saver that is given, or the only one of the graph."""
        if self._saver is None:
            savers = (
                get_collection(GraphKeys.SAVERS)
                if self._scaffold is None
                else [self._scaffold.saver]
            )
            if len(savers) != 1 or savers[0] is None:
                raise complete(RuntimeError(
                    f"a CheckpointSaverHook needs one saver, and the graph lists {len(savers)}: "
                    "pass `saver=tf.compat.v1.train.Saver()`, or a scaffold that has one"
                ))  # fmt: skip
            self._saver = savers[0]
        return self._saver


class SummarySaverHook(StepHook):
    """Writes summaries for TensorBoard every so often.

    Args:
        save_steps: So many steps are between two summaries; or None.
        save_secs: So many seconds are between two summaries; or None.
        output_dir: The folder, or None where `summary_writer` is given.
        summary_writer: A `tf.compat.v1.summary.FileWriter`, or None.
        scaffold: A `Scaffold`, whose `summary_op` is written; or None.
        summary_op: A scalar of string, or a list of them; or None.

    Raises:
        ValueError: Not one of `scaffold` and `summary_op` is given, or of steps and seconds.

    >>> import tempfile, graphwright as tf
    >>> with tf.Graph().as_default():
    ...     step = tf.compat.v1.train.create_global_step()
    ...     loss = tf.compat.v1.summary.scalar("loss", 0.5)
    ...     save = tf.compat.v1.train.SummarySaverHook(
    ...         10, output_dir=tempfile.mkdtemp(), summary_op=loss)
    ...     with tf.compat.v1.train.MonitoredSession(hooks=[save]) as session:
    ...         _ = session.run(step)
    >>> tf.compat.v1.summary.FileWriterCache.clear()
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: SummaryFileWriter | None = None,
        scaffold: Scaffold | None = None,
        summary_op: Any = None,
    ) -> None:
        if (scaffold is None) == (summary_op is None):
            raise complete(ValueError(
                "Exactly one of scaffold or summary_op must be provided: "
                f"{scaffold}, {summary_op}"
            ))  # fmt: skip
        self._scaffold, self._summary, self._writer = scaffold, summary_op, summary_writer
        self._folder = output_dir
        self._timer = SecondOrStepTimer(save_secs, save_steps)

    def begin(self) -> None:
        """Looks for the variable that counts steps, and opens the file."""
        if self._writer is None and self._folder:
            self._writer = SummaryWriters.get(self._folder)
        super().begin()
        self._next: int | None = None

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the step, and for summaries where they are due.

        Args:
            run_context: It has no effect.

        Returns:
            What is computed besides.
        """
        self._is_due = self._next is None or self._timer.should_trigger_for_step(self._next)
        fetches: dict[str, Any] = {"step": self._step}
        if self._is_due:
            made = self._summary if self._scaffold is None else self._scaffold.summary_op
            several = isinstance(made, (list, tuple))
            fetches["summaries"] = [] if made is None else list(made) if several else [made]
        return SessionRunArgs(fetches)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Writes what was asked for.

        Args:
            run_context: The call.
            run_values: The step, and summaries.
        """
        if self._writer is None:
            return
        step = int(run_values.results["step"]) + 1
        if self._is_due:
            step = int(run_context.session.run(self._step))
            if self._next is None:
                self._writer.add_session_log(SessionLog(status=SessionLog.START), step)
            self._timer.update_last_triggered_step(step)
            for message in run_values.results["summaries"]:
                self._writer.add_summary(message, step)
        self._next = step + 1

    def end(self, session: Session) -> None:
        """Hands all to the file.

        Args:
            session: It has no effect.
        """
        if self._writer is not None:
            self._writer.flush()


class StepCounterHook(StepHook):
    """Measures how many steps there are in a second: in the log, and for TensorBoard.

    Args:
        every_n_steps: So many steps are between two measures; or None.
        every_n_secs: So many seconds are between two measures; or None.
        output_dir: The folder for TensorBoard, or None.
        summary_writer: A `tf.compat.v1.summary.FileWriter`, or None.

    Raises:
        ValueError: Both intervals are given, or neither.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     step = tf.compat.v1.train.create_global_step()
    ...     count = tf.compat.v1.train.StepCounterHook(every_n_steps=100)
    ...     with tf.compat.v1.train.MonitoredSession(hooks=[count]) as session:
    ...         _ = session.run(step)
    """

    def __init__(
        self,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: SummaryFileWriter | None = None,
    ) -> None:
        self._timer = SecondOrStepTimer(every_n_secs, every_n_steps)
        self._folder, self._writer = output_dir, summary_writer

    def begin(self) -> None:
        """Looks for the variable that counts steps, and opens the file."""
        if self._writer is None and self._folder:
            self._writer = SummaryWriters.get(self._folder)
        super().begin()
        self._tag = f"{self._step.op.name}/sec"

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Writes a measure, where one is due.

        Args:
            run_context: The call.
            run_values: The step before the call, or after it.
        """
        step = self._due_step(self._timer, run_context, run_values)
        if step is None:
            return
        seconds, steps = self._timer.update_last_triggered_step(step)
        if not seconds or steps is None:
            return
        speed = steps / seconds
        LOGGER.info("%s: %g", self._tag, speed)
        if self._writer is not None:
            value = Summary.Value(tag=self._tag, simple_value=speed)
            self._writer.add_summary(Summary(value=[value]), step)


class FinalOpsHook(SessionRunHook):
    """Computes something when the session ends.

    Args:
        final_ops: A structure of tensors, operations and names.
        final_ops_feed_dict: A dict from tensors to values, or None.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     last = tf.compat.v1.train.FinalOpsHook(tf.constant(3) + 4)
    ...     with tf.compat.v1.train.MonitoredSession(hooks=[last]):
    ...         pass
    >>> last.final_ops_values
    np.int32(7)
    """

    def __init__(
        self, final_ops: Any, final_ops_feed_dict: Mapping[Any, Any] | None = None
    ) -> None:
        self._fetches, self._feeds, self._values = final_ops, final_ops_feed_dict, None

    @property
    def final_ops_values(self) -> Any:
        """What it has computed, or None before the end."""
        return self._values

    def end(self, session: Session) -> None:
        """Computes it.

        Args:
            session: The session.
        """
        if self._fetches is not None:
            self._values = session.run(self._fetches, self._feeds)


class FeedFnHook(SessionRunHook):
    """Feeds tensors in each call of `run`.

    Args:
        feed_fn: A function of no arguments that returns a dict from tensors to values.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder(tf.float32, [])
    ...     feed = tf.compat.v1.train.FeedFnHook(lambda: {x: 2.0})
    ...     with tf.compat.v1.train.MonitoredSession(hooks=[feed]) as session:
    ...         session.run(x)
    np.float32(2.0)
    """

    def __init__(self, feed_fn: Callable[[], Mapping[Any, Any]]) -> None:
        self._feed = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Calls the function.

        Args:
            run_context: It has no effect.

        Returns:
            What is fed besides.
        """
        return SessionRunArgs(None, self._feed())
