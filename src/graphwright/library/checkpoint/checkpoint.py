"""`tf.train.Checkpoint`: the variables of a graph of objects, in one file or as TensorFlow does.

A checkpoint is a safetensors file: the values, and in its metadata the graph of objects that
held them. Restoring walks that graph and the live objects side by side, so values are matched
by how they are reached. A file appears under its name only when it is complete.
`bundle_checkpoint` has the other format.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from graphwright.base.annotations import signature_of
from graphwright.base.errors import NotFoundError
from graphwright.base.logs import LOGGER
from graphwright.library.checkpoint.checkpoint_content import (
    read_content,
    storable,
    write_content,
)
from graphwright.library.checkpoint.checkpoint_files import (
    INDEX,
    SUFFIX,
    Saved,
    SavedObject,
    delete,
    tensors_of,
)
from graphwright.library.checkpoint.checkpoint_state import record_latest
from graphwright.library.checkpoint.object_graph import (
    Followed,
    Serializable,
    Tracked,
    children,
    edges,
    is_followed,
    is_serializable,
    leaves_of,
)
from graphwright.op.refusal import complete
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import is_compatible
from graphwright.values.convert import constant, convert
from graphwright.values.trackable import Trackable
from graphwright.values.variable import RESTORING, Variable


class CheckpointOptions:
    """How `tf.train.Checkpoint` writes.

    Args:
        experimental_io_device: It has no effect.
        experimental_enable_async_checkpoint: It has no effect: a checkpoint is written when `save`
            returns.
        experimental_write_callbacks: Functions that are called with the path, or with nothing,
            once a checkpoint is written.
        enable_async: It has no effect.
        experimental_skip_slot_variables: It must be False.
        experimental_sharding_callback: It must be None: there is one shard.
        file_format: "safetensors", or "tensorflow" for the files that TensorFlow reads.

    Raises:
        ValueError: The format is another.
        NotImplementedError: An option is set that is not there yet.

    >>> import os, tempfile, graphwright as tf
    >>> options = tf.train.CheckpointOptions(file_format="tensorflow")
    >>> path = tf.train.Checkpoint(v=tf.Variable(1.0)).write(tempfile.mkdtemp() + "/c", options)
    >>> sorted(os.listdir(os.path.dirname(path)))
    ['c.data-00000-of-00001', 'c.index']
    """

    def __init__(
        self,
        experimental_io_device: str | None = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Sequence[Callable[..., object]] | None = None,
        enable_async: bool = False,
        experimental_skip_slot_variables: bool = False,
        experimental_sharding_callback: object = None,
        *,
        file_format: str = "safetensors",
    ) -> None:
        if experimental_skip_slot_variables or experimental_sharding_callback is not None:
            raise NotImplementedError(
                "`experimental_skip_slot_variables` and `experimental_sharding_callback` are not "
                "there yet"
            )
        if file_format not in ("safetensors", "tensorflow"):
            raise ValueError(
                f"`file_format` is 'safetensors' or 'tensorflow', received: {file_format!r}."
            )
        self.experimental_io_device = experimental_io_device
        self.enable_async = enable_async or experimental_enable_async_checkpoint
        self.experimental_write_callbacks = list(experimental_write_callbacks or ())
        self.file_format = file_format


class Checkpoint(Tracked):
    """Saves and restores the variables that objects hold.

    A value belongs to a variable by the way to it: the names of attributes and keys.

    Args:
        root: An object whose children are saved: a module, an optimizer, a list, a tuple or a
            mapping of objects, another checkpoint.
        **kwargs: Objects by name, variables among them.

    Raises:
        ValueError: Checkpoints do not follow an object.

    >>> import graphwright as tf
    >>> import tempfile, graphwright as tf
    >>> v = tf.Variable(1.0)
    >>> checkpoint = tf.train.Checkpoint(v=v)
    >>> path = checkpoint.save(tempfile.mkdtemp() + "/ckpt")
    >>> v = v.assign(5.0)
    >>> status = checkpoint.restore(path).assert_consumed()
    >>> v.numpy()
    np.float32(1.0)
    """

    _GRAPHWRIGHT_IGNORED = Tracked._GRAPHWRIGHT_IGNORED | {"_root", "_counts"}

    def __init__(self, root: Followed | None = None, **kwargs: Followed) -> None:
        for name, value in {"root": root, **kwargs}.items():
            if not is_followed(value) and not (name == "root" and root is None):
                raise ValueError(
                    f"`Checkpoint` was expecting {name} to be a trackable object: a variable, a "
                    f"tf.Module, or a list, tuple or dict of them, got {value!r}."
                )
        self._root = root
        for name in sorted(kwargs):  # as TensorFlow does, whose keys are the first paths
            setattr(self, name, kwargs[name])
        self._counts = False  # the counter is saved from the first save or restored count on
        self.save_counter = Variable(0, dtype=dt.int64, trainable=False, name="save_counter")

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        members = super()._trackable_children(save_type, **kwargs)
        if not self._counts:
            members.pop("save_counter", None)
        return members if self._root is None else {**members, **children(self._root)}

    def save(self, file_prefix: str, options: CheckpointOptions | None = None) -> str:
        """Writes a numbered checkpoint, and records it as the latest of its folder.

        Args:
            file_prefix: The path, to which "-" and the number of the save are added.
            options: A `tf.train.CheckpointOptions`.

        Returns:
            The path.

        Raises:
            OpError: The system refuses the path, as a NotFoundError or PermissionDeniedError.

        >>> import tempfile, graphwright as tf
        >>> folder = tempfile.mkdtemp()
        >>> path = tf.train.Checkpoint(v=tf.Variable(1.0)).save(folder + "/ckpt")
        >>> tf.train.latest_checkpoint(folder) == path == folder + "/ckpt-1"
        True
        """
        with self._counted():
            path = self.write(f"{file_prefix}-{int(self.save_counter)}", options)
            record_latest(path)
        return path

    @contextmanager
    def _counted(self) -> Iterator[None]:
        """Counts the save that the block makes, before it is written, unless it fails."""
        counted, self._counts = self._counts, True
        self.save_counter.assign_add(1)
        try:
            yield
        except BaseException:
            self.save_counter.assign_sub(1)
            self._counts = counted
            raise

    def write(self, file_prefix: str, options: CheckpointOptions | None = None) -> str:
        """Writes the values, without counting.

        Args:
            file_prefix: The path, to which ".safetensors" is added, or the endings of TensorFlow's
                files.
            options: A `tf.train.CheckpointOptions`.

        Returns:
            The path as it is given.
        """
        path = str(file_prefix)
        warn_of_nothing(self, path)
        if options is not None and options.file_format == "tensorflow":
            from graphwright.library.checkpoint.bundle_checkpoint import write_bundle_checkpoint

            write_bundle_checkpoint(self, path)
            delete(path, but=INDEX)
        else:
            write_content(path, *snapshot(self))
            delete(path, but=SUFFIX)
        for callback in [] if options is None else options.experimental_write_callbacks:
            callback(*[path][: len(signature_of(callback).parameters)])
        return path

    def restore(self, save_path: str | None, options: object = None) -> RestoreStatus:
        """Gives the variables the saved values, now or when they are made.

        Args:
            save_path: The path that `save` or `write` returned, here or in TensorFlow. It may be
                that of any safetensors file without its ending, whose keys are paths with / or
                dots. None restores nothing.
            options: It has no effect.

        Returns:
            A status, whose `assert_consumed` and the like check what was restored.

        Raises:
            NotFoundError: There is no such checkpoint.
            DataLossError: The file is damaged. Nothing is changed then.
            ValueError: A value does not fit its variable. Nothing is changed then.
            NotImplementedError: TensorFlow 1 wrote it.

        >>> import tempfile, graphwright as tf
        >>> path = tf.train.Checkpoint(v=tf.Variable(1.0)).save(tempfile.mkdtemp() + "/ckpt")
        >>> model = tf.train.Checkpoint()
        >>> status = model.restore(path)
        >>> model.v = tf.Variable(0.0)  # takes its value now
        >>> model.v.numpy()
        np.float32(1.0)
        """
        if save_path is None:
            return RestoreStatus(self, Saved({}, [{"children": {}}], ""))
        saved = load(str(save_path))
        if not saved.nodes:
            raise complete(
                NotImplementedError(
                    f"{save_path} names its variables and has no graph of objects, as TensorFlow 1 "
                    "wrote checkpoints: tf.train.load_checkpoint reads them"
                )
            )
        self._counts = self._counts or "save_counter" in saved.nodes[0]["children"]
        status = RestoreStatus(self, saved)
        status.match()
        status.stay()
        return status

    def read(self, save_path: str, options: object = None) -> RestoreStatus:
        """Gives the variables the saved values, as `restore` does.

        Args:
            save_path: The path that `save` or `write` returned.
            options: It has no effect.

        Returns:
            A status.
        """
        return self.restore(save_path, options)


def warn_of_nothing(checkpoint: Checkpoint, path: str) -> None:
    """Warns of each object of a checkpoint in which there is nothing to save."""
    for name, child in children(checkpoint).items():
        if isinstance(child, Trackable) and not leaves_of(child):
            LOGGER.warning(
                "The checkpoint %s saves nothing of `%s`, a %s: it holds no variables and no other "
                "object that is saved. Save it once its variables are made; an object of your own "
                "states what it holds by `_trackable_children` or `_serialize_to_tensors`.",
                path,
                name,
                type(child).__name__,
            )


# -- files --------------------------------------------------------------------------------------


def snapshot(root: Followed) -> tuple[dict[str, Array], list[SavedObject]]:
    """The values by their paths, and the graph of objects that are reached from the root."""
    values: dict[str, Array] = {}
    paths = {id(leaf): path for path, leaf in leaves_of(root).items()}
    numbers = {id(root): 0}
    objects = [root]
    nodes: list[SavedObject] = []
    for holder in objects:
        node: SavedObject = {"children": {}}
        nodes.append(node)
        if isinstance(holder, Variable):
            path = paths[id(holder)]
            array = holder._storage.read()
            node["value"] = path
            node["dtype"] = holder.dtype.name
            node["shape"] = list(array.shape)
            values[path] = storable(array)
        elif is_serializable(holder):
            path = paths[id(holder)]
            node["tensors"] = {}
            for name, tensor in holder._serialize_to_tensors().items():
                array = convert(tensor).numpy()
                key = f"{path}/{name}"
                node["tensors"][name] = {
                    "value": key, "dtype": dt.of_numpy(array.dtype).name, "shape": list(array.shape)
                }  # fmt: skip
                values[key] = storable(array)
        for name, child in edges(holder):
            if id(child) not in numbers:
                numbers[id(child)] = len(objects)
                objects.append(child)
            node["children"][name] = numbers[id(child)]
    return values, nodes


def load(path: str) -> Saved:
    """Reads a checkpoint: NotFoundError if there is none, DataLossError if it is damaged."""
    name = path + SUFFIX
    if not os.path.exists(name) and os.path.exists(path + INDEX):
        from graphwright.library.checkpoint.bundle_checkpoint import load_bundle  # it is protobuf's

        return load_bundle(path)
    if not os.path.exists(name):
        raise NotFoundError(None, None, f"Unsuccessful restore: there is no checkpoint {name}")
    return read_content(path)


# -- restoring ----------------------------------------------------------------------------------


class RestoreStatus:
    """What became of the values of a checkpoint; its assertions return the status itself."""

    def __init__(self, root: Followed, saved: Saved) -> None:
        self._root = root
        self._saved = saved
        self._used: set[str] = set()
        self._restored: dict[int, Followed] = {}

    def match(self, variable: Variable | None = None) -> None:
        """Matches the objects that are there now; ValueError where one does not fit. For the sake
        of one variable, misfits of others are left for later."""
        self._assign(self._root, 0, variable)

    def stay(self) -> None:
        """Lets variables that are made from now on get their saved values.

        It replaces what the same object was restored from before.
        """
        for other in list(RESTORING):
            if isinstance(other, RestoreStatus) and other._root is self._root:
                del RESTORING[other]
        if self._unused():
            RESTORING[self] = None

    def _assign(self, root: Followed, number: int, variable: Variable | None = None) -> None:
        """Matches an object with a saved one: first all is checked, then all is written."""
        pairs = self._pairs(root, number)
        matches = [(v, self._saved.nodes[n]) for v, n in pairs if isinstance(v, Variable)]
        matches = [(v, n) for v, n in matches if "value" in n and id(v) not in self._restored]
        if variable is not None:
            matches = [(v, n) for v, n in matches if v is variable or fits(v, n)]
        refuse_misfits(matches, self._saved)
        arrays = [self._saved.array(node) for _, node in matches]  # DataLossError changes nothing
        tensors = self._tensors_of_objects(pairs)
        for (match, node), array in zip(matches, arrays):
            match._storage.assign(array)
            self._used.add(node["value"])
            self._restored[id(match)] = match
        self._restore_objects(tensors)
        if not self._unused():
            RESTORING.pop(self, None)
        for holder, place in pairs:
            for target in (holder, getattr(holder, "_root", None)):
                if isinstance(target, Tracked):
                    self._await(target, self._saved.nodes[place]["children"])

    def _tensors_of_objects(
        self, pairs: list[tuple[Followed, int]]
    ) -> list[tuple[Serializable, int, dict[str, Array]]]:
        """The objects that take tensors again, each with the number of the saved one and arrays."""
        taken = []
        for holder, number in pairs:
            node = self._saved.nodes[number]
            if not node.keys() > {"children"} or (isinstance(holder, Variable) and "value" in node):
                continue
            if id(holder) not in self._restored and is_serializable(holder):
                tensors = tensors_of(node)
                arrays = {name: self._saved.array(saved) for name, saved in tensors.items()}
                taken.append((holder, number, arrays))
        return taken

    def _restore_objects(self, taken: list[tuple[Serializable, int, dict[str, Array]]]) -> None:
        """Gives objects the tensors that they made of themselves."""
        for holder, number, arrays in taken:
            if id(holder) in self._restored:
                continue
            holder._restore_from_tensors({n: constant(array) for n, array in arrays.items()})
            tensors = tensors_of(self._saved.nodes[number])
            self._used.update([saved["value"] for saved in tensors.values()])
            self._restored[id(holder)] = holder

    def _pairs(self, root: Followed, number: int) -> list[tuple[Followed, int]]:
        """Live objects, each with the number of the saved one that is reached alike."""
        pairs = [(root, number)]
        seen = {(id(root), number)}
        for holder, place in pairs:
            saved = self._saved.nodes[place]["children"]
            for name, child in edges(holder):
                alike = saved.get(name)
                if alike is not None and (id(child), alike) not in seen:
                    seen.add((id(child), alike))
                    pairs.append((child, alike))
        return pairs

    def _await(self, holder: Tracked, saved: dict[str, int]) -> None:
        """Lets an object restore attributes that are set later; a list or dict may come again with
        more items."""
        present = {name for name, child in edges(holder) if isinstance(child, Trackable)}
        missing = {name: number for name, number in saved.items() if name not in present}

        def arrive(name: str, value: object) -> None:
            if name in missing and is_followed(value):
                self._assign(value, missing[name])

        holder._expecting = arrive if missing else None

    def _unused(self) -> list[str]:
        return [path for path in self._saved.values() if path not in self._used]

    def _unmatched(self) -> list[str]:
        live = leaves_of(self._root)
        return [path for path, v in live.items() if id(v) not in self._restored]

    def assert_consumed(self) -> RestoreStatus:
        """AssertionError unless every saved value has a variable, and every variable a value."""
        self.match()
        self._report(self._unused())
        return self

    def assert_existing_objects_matched(self) -> RestoreStatus:
        """AssertionError unless every variable that there is now got a value."""
        self.match()
        self._report([])
        return self

    def _report(self, unused: list[str]) -> None:
        """AssertionError if there are unused values, or variables that got none: it names all."""
        unmatched = [path for path in self._unmatched() if path != "save_counter"]
        lines = []
        if unused:
            lines.append(
                f"Unresolved values in the checkpoint {self._saved.path}, for which there is no "
                f"variable (yet): {', '.join(unused)}"
            )
        if unmatched:
            lines.append(
                f"No value in the checkpoint {self._saved.path} for the variables "
                f"{', '.join(unmatched)}"
            )
        if lines:
            raise AssertionError("\n".join(lines))

    def assert_nontrivial_match(self) -> RestoreStatus:
        """AssertionError if nothing was restored."""
        self.match()
        if not self._used - {"save_counter"}:
            raise AssertionError(
                f"Nothing to load: the checkpoint {self._saved.path} and the objects have no "
                "path in common."
            )
        return self

    def expect_partial(self) -> RestoreStatus:
        """Accepts that some values are not used."""
        return self

    def run_restore_ops(self, session: object = None) -> None:
        """Values are restored at once: there is nothing to run."""

    def initialize_or_restore(self, session: object = None) -> None:
        """Values are restored at once, and variables have values when they are made."""


def fits(variable: Variable, node: SavedObject) -> bool:
    """Whether a variable can have a saved value."""
    same = node["dtype"] == variable.dtype.name
    return same and is_compatible(tuple(node["shape"]), variable.type.dims)


def refuse_misfits(matches: list[tuple[Variable, SavedObject]], saved: Saved) -> None:
    """ValueError that names every variable that its saved value does not fit."""
    misfits = []
    for variable, node in matches:
        if not fits(variable, node):
            misfits.append(
                f"{node['value']}: saved with shape {tuple(node['shape'])} and dtype "
                f"{node['dtype']}, the variable "
                f"{variable.name!r} has shape {variable.shape} and dtype {variable.dtype.name}"
            )
    if misfits:
        raise ValueError(
            f"Values in the checkpoint {saved.path} do not fit; nothing was restored.\n"
            + "\n".join(misfits)
        )
