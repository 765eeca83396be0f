"""The files of checkpoints: written whole or not at all, and the one that names the newest.

The file `checkpoint` in a directory names its checkpoints, as TensorFlow's does. It is written
after a checkpoint is complete and before an old one is deleted: whatever it names can be read.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from graphwright.base.files import write_whole
from graphwright.base.logs import LOGGER
from graphwright.base.named_tuples import NamedTuple
from graphwright.library.checkpoint.checkpoint_files import is_there
from graphwright.ops.io.file_system import system_errors

#: A line of the file: the name of a field, and a text or a number.
_FIELD = re.compile(
    r'\s*(?P<name>\w+)\s*:\s*(?:"(?P<text>.*)"|(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?))\s*'
)


class CheckpointState(NamedTuple):
    """The content of a directory's state file: paths from oldest to newest, and their times."""

    model_checkpoint_path: str
    all_model_checkpoint_paths: list[str]
    all_model_checkpoint_timestamps: list[float]
    last_preserved_timestamp: float  # of the last checkpoint that stays for good


def state_path(directory: str, name: str | None = None) -> Path:
    """The state file of a directory."""
    return Path(directory) / (name or "checkpoint")


def get_checkpoint_state(
    checkpoint_dir: str, latest_filename: str | None = None
) -> CheckpointState | None:
    """Reads the file in which a directory names its checkpoints.

    Args:
        checkpoint_dir: The directory.
        latest_filename: The name of that file. None means "checkpoint".

    Returns:
        A named tuple, or None where there is no such file. `model_checkpoint_path` is the newest
        path. `all_model_checkpoint_paths` and `all_model_checkpoint_timestamps` begin with the
        oldest. `last_preserved_timestamp` is the time of the last one that is kept for good. A file
        that cannot be read as such gives None, and a warning.

    Raises:
        ValueError: The file names no newest checkpoint.

    >>> import tempfile, graphwright as tf
    >>> path = tf.train.Checkpoint(v=tf.Variable(3)).save(tempfile.mkdtemp() + "/c")
    >>> state = tf.train.get_checkpoint_state(path.removesuffix("/c-1"))
    >>> state.model_checkpoint_path == path == state.all_model_checkpoint_paths[0]
    True
    """
    directory = str(checkpoint_dir)
    path = state_path(directory, latest_filename)
    if not path.exists():
        return None
    fields: dict[str, list[str]] = {name: [] for name in CheckpointState._fields}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        field = _FIELD.fullmatch(line)
        if not line.strip():
            continue
        value = None if field is None else field["text" if "path" in field["name"] else "number"]
        if field is None or value is None or field["name"] not in fields:
            LOGGER.warning("%s: line %d is damaged; its checkpoints are ignored", path, number)
            return None
        fields[field["name"]].append(value)
    if not any(fields["model_checkpoint_path"][-1:]):
        raise ValueError(
            f"Invalid checkpoint state loaded from {directory}: the file {path} names no newest "
            "checkpoint. tf.train.Checkpoint.save writes it anew."
        )

    def in_directory(path: str) -> str:
        return path if os.path.isabs(path) else os.path.join(directory, path)

    return CheckpointState(
        in_directory(fields["model_checkpoint_path"][-1]),
        [in_directory(p) for p in fields["all_model_checkpoint_paths"]],
        [float(t) for t in fields["all_model_checkpoint_timestamps"]],
        float(["0", *fields["last_preserved_timestamp"]][-1]),
    )


def write_state(directory: str, state: CheckpointState, name: str | None = None) -> None:
    """Writes the state of a directory; paths in it are relative."""
    checkpoints = (state.model_checkpoint_path, *state.all_model_checkpoint_paths)
    latest, *paths = [os.path.relpath(p, directory) for p in checkpoints]
    lines = [f'model_checkpoint_path: "{latest}"']
    lines += [f'all_model_checkpoint_paths: "{path}"' for path in paths]
    times = state.all_model_checkpoint_timestamps
    lines += [f"all_model_checkpoint_timestamps: {t!r}" for t in times]
    lines.append(f"last_preserved_timestamp: {state.last_preserved_timestamp!r}")
    path = state_path(directory, name)
    with system_errors(path):
        write_whole(path, ("\n".join(lines) + "\n").encode(), durable=True)


def record_latest(path: str) -> None:
    """Records a checkpoint as the newest one of its directory."""
    # Without times: no manager removes what it did not save.
    write_state(os.path.dirname(path) or ".", CheckpointState(path, [path], [], 0.0))


def latest_checkpoint(checkpoint_dir: str, latest_filename: str | None = None) -> str | None:
    """Returns the path of the newest checkpoint in a directory.

    Args:
        checkpoint_dir: The directory.
        latest_filename: The name of the file that names the checkpoints. None means "checkpoint".

    Returns:
        A path that `tf.train.Checkpoint.restore` takes, or None where there is no checkpoint.

    >>> import tempfile, graphwright as tf
    >>> directory = tempfile.mkdtemp()
    >>> path = tf.train.Checkpoint(v=tf.Variable(3)).save(directory + "/c")
    >>> tf.train.latest_checkpoint(directory) == path
    True
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None or not is_there(state.model_checkpoint_path):
        return None
    return state.model_checkpoint_path
