"""`tf.train.CheckpointManager`: which checkpoints of a directory to keep."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any, SupportsInt

from graphwright.library.checkpoint.checkpoint import (
    Checkpoint,
    CheckpointOptions,
    RestoreStatus,
)
from graphwright.library.checkpoint.checkpoint_files import delete, is_there
from graphwright.library.checkpoint.checkpoint_state import (
    CheckpointState,
    get_checkpoint_state,
    write_state,
)


class CheckpointManager:
    """Saves numbered checkpoints to a directory and deletes old ones.

    Args:
        checkpoint: A `tf.train.Checkpoint`.
        directory: The path of the directory.
        max_to_keep: An int: how many of the newest stay. None means all.
        keep_checkpoint_every_n_hours: A number: one checkpoint in so many hours stays too.
        checkpoint_name: A string: what names of files begin with.
        step_counter: A variable that counts the steps, for `checkpoint_interval`.
        checkpoint_interval: An int: a save is left out until `step_counter` has grown by it.
        init_fn: A function of no arguments, which runs where there is nothing to restore.

    Raises:
        ValueError: `max_to_keep` is not positive, or an interval has no counter.

    >>> import graphwright as tf
    >>> import tempfile, graphwright as tf
    >>> checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    >>> manager = tf.train.CheckpointManager(checkpoint, tempfile.mkdtemp(), max_to_keep=2)
    >>> for _ in range(3):
    ...     path = manager.save()
    >>> [path.rpartition("/")[2] for path in manager.checkpoints]
    ['ckpt-2', 'ckpt-3']
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: str,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: SupportsInt | None = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], object] | None = None,
    ) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(
                f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}."
            )
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError(
                "`step_counter` should be passed if `checkpoint_interval` is not None."
            )
        self._checkpoint = checkpoint
        self._directory = str(directory)
        self._max_to_keep = max_to_keep
        self._hours = keep_checkpoint_every_n_hours
        self._prefix = os.path.join(self._directory, checkpoint_name)
        self._step_counter: Any = step_counter
        self._interval = checkpoint_interval
        self._last_step: int | None = None
        self._init_fn = init_fn
        state = get_checkpoint_state(self._directory)
        self._preserved = time.time() if state is None else state.last_preserved_timestamp
        self._times: dict[str, float] = {}
        self._latest: str | None = None
        if state is not None:
            latest = state.model_checkpoint_path
            self._latest = latest if is_there(latest) else None
            times = zip(state.all_model_checkpoint_paths, state.all_model_checkpoint_timestamps)
            self._times = {path: t for path, t in times if is_there(path)}

    @property
    def directory(self) -> str:
        """The directory of the checkpoints."""
        return self._directory

    @property
    def checkpoint(self) -> Checkpoint:
        """The checkpoint that saves."""
        return self._checkpoint

    @property
    def checkpoint_interval(self) -> int | None:
        """The least growth of the step counter between saves."""
        return self._interval

    @property
    def checkpoints(self) -> list[str]:
        """The checkpoints that managers saved, from the oldest to the newest."""
        return list(self._times)

    @property
    def latest_checkpoint(self) -> str | None:
        """The newest checkpoint of the directory, or None."""
        return self._latest or next(reversed(self._times), None)

    def save(
        self,
        checkpoint_number: SupportsInt | None = None,
        check_interval: bool = True,
        options: CheckpointOptions | None = None,
    ) -> str | None:
        """Saves a checkpoint, and deletes those that are too many.

        Args:
            checkpoint_number: An integer for the name; None means that of the save.
            check_interval: A bool: whether the interval must have passed.
            options: A `tf.train.CheckpointOptions`.

        Returns:
            The path, or None where the interval has not passed.

        >>> import graphwright as tf
        >>> import tempfile, graphwright as tf
        >>> step = tf.Variable(0)
        >>> manager = tf.train.CheckpointManager(
        ...     tf.train.Checkpoint(step=step),
        ...     tempfile.mkdtemp(),
        ...     max_to_keep=2,
        ...     step_counter=step,
        ...     checkpoint_interval=2,
        ... )
        >>> saved = []
        >>> for _ in range(4):
        ...     saved.append(manager.save() is not None)
        ...     _ = step.assign_add(1)
        >>> saved
        [True, False, True, False]
        """
        step = None if self._interval is None else int(self._step_counter)
        if check_interval and self._is_early(step):
            return None
        with self._checkpoint._counted():
            counter = self._checkpoint.save_counter
            number = int(counter) if checkpoint_number is None else int(checkpoint_number)
            path = self._checkpoint.write(f"{self._prefix}-{number}", options)
            times = {p: saved for p, saved in self._times.items() if p != path}
            times[path] = time.time()
            preserved, old = self._outdated(times)
            state = CheckpointState(path, list(times), list(times.values()), preserved)
            write_state(self._directory, state)
        self._times, self._preserved, self._last_step = times, preserved, step
        self._latest = path
        for stale in old:
            delete(stale)
        return path

    def _is_early(self, step: int | None) -> bool:
        """Whether the interval since the last save has not passed."""
        if step is None or self._interval is None or self._last_step is None:
            return False
        return step < self._last_step + self._interval

    def _outdated(self, times: dict[str, float]) -> tuple[float, list[str]]:
        """Removes surplus checkpoints from a table of times.

        Returns the time of the last one that is preserved for its hours, and those to delete.
        """
        preserved = self._preserved
        deleted: list[str] = []
        while self._max_to_keep is not None and len(times) > self._max_to_keep:
            path = next(iter(times))
            saved = times.pop(path)
            if self._hours is not None and saved - preserved >= self._hours * 3600:
                preserved = saved
            else:
                deleted.append(path)
        return preserved, deleted

    def restore_or_initialize(self) -> str | None:
        """Restores the newest checkpoint and returns its path; else runs `init_fn`.

        >>> import graphwright as tf
        >>> import tempfile, graphwright as tf
        >>> v = tf.Variable(1.0)
        >>> checkpoint, folder = tf.train.Checkpoint(v=v), tempfile.mkdtemp()
        >>> path = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2).save()
        >>> v = v.assign(5.0)
        >>> manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
        >>> manager.restore_or_initialize() == path, v.numpy()
        (True, np.float32(1.0))
        """
        latest = self.latest_checkpoint
        if latest is not None:
            status: RestoreStatus = self._checkpoint.restore(latest)
            status.assert_nontrivial_match()
            if self._interval is not None:
                self._last_step = int(self._step_counter)
            return latest
        if self._init_fn is not None:
            self._init_fn()
        return None
