"""`tf.saved_model`: models as TensorFlow and Keras write them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from graphwright.machine.process_settings import uncollected
from graphwright.op.interpreter import activate
from graphwright.portable.restored_functions import RestoredFunction
from graphwright.portable.restored_objects import Asset, RestoredObject
from graphwright.portable.saved_model_names import (
    SAVED_MODEL_FILENAME_PB,
    SAVED_MODEL_FILENAME_PBTXT,
)
from graphwright.portable.saved_objects import SavedObjects
from graphwright.proto.saved_model_pb2 import MetaGraphDef, SavedModel

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from graphwright.base.files import TextPath

__all__ = ["Asset", "LoadOptions", "contains_saved_model", "load"]

_BYTES, _TEXT = SAVED_MODEL_FILENAME_PB, SAVED_MODEL_FILENAME_PBTXT


class LoadOptions:
    """How `tf.saved_model.load` reads a model.

    Args:
        allow_partial_checkpoint: A bool: whether variables may be without a value. Those are left
            out of what is loaded.
        experimental_io_device: It has no effect.
        experimental_skip_checkpoint: It must be False.
        experimental_variable_policy: It has no effect.
        experimental_load_function_aliases: A bool: whether the loaded object gets an attribute
            `function_aliases`, a dict from the names that `SaveOptions` gave to the functions.
        allowed_ops: The names of ops that are loaded though they read or write files or run Python.

    Raises:
        NotImplementedError: An option is True that is not there yet.

    >>> import graphwright as tf
    >>> tf.saved_model.LoadOptions(allowed_ops=["ReadFile"]).allowed_ops
    ('ReadFile',)
    """

    def __init__(
        self,
        allow_partial_checkpoint: bool = False,
        experimental_io_device: str | None = None,
        experimental_skip_checkpoint: bool = False,
        experimental_variable_policy: object = None,
        experimental_load_function_aliases: bool = False,
        *,
        allowed_ops: Sequence[str] = (),
    ) -> None:
        if experimental_skip_checkpoint:
            raise NotImplementedError(
                "`experimental_skip_checkpoint` is not there yet: load the model with its values"
            )
        self.allow_partial_checkpoint = allow_partial_checkpoint
        self.experimental_io_device = experimental_io_device
        self.experimental_skip_checkpoint = experimental_skip_checkpoint
        self.experimental_variable_policy = experimental_variable_policy
        self.experimental_load_function_aliases = experimental_load_function_aliases
        self.allowed_ops = tuple(allowed_ops)


def contains_saved_model(export_dir: TextPath) -> bool:
    """Returns whether a folder has a saved model.

    Args:
        export_dir: The folder, as text or a path object.

    Returns:
        A bool.

    >>> import tempfile, graphwright as tf
    >>> tf.saved_model.contains_saved_model(tempfile.mkdtemp())
    False
    """
    folder = os.fspath(export_dir)
    return any(os.path.isfile(os.path.join(folder, name)) for name in (_BYTES, _TEXT))


def load(
    export_dir: TextPath,
    tags: str | Sequence[str] | None = None,
    options: LoadOptions | None = None,
) -> Any:
    """Loads a model that TensorFlow or Keras has saved; the process need not know its classes.

    Models of TensorFlow 1 have `signatures`, `variables`, `graph` and `prune`.

    Functions are called as before, by the first of their traces that fits. Variables have the
    saved values, and gradients flow to them. Nothing of the model runs but its graphs and what
    fills its tables. Its ops may read no files but its assets.

    Args:
        export_dir: The folder, as text or a path object.
        tags: The tags of the graph that is wanted, a string or several. None takes the only one.
        options: A `tf.saved_model.LoadOptions`.

    Returns:
        An object with what the saved one held as attributes, and `signatures`.

    Raises:
        OSError: There is no model in the folder, or it is no message.
        ValueError: The model has no graph of these tags, or holds something by the name
            `function_aliases` where these are asked for.
        NotFoundError: The model has ops that graphwright has not, all of which are named.
        PermissionDeniedError: It has ops that read or write files or run Python, or files outside.
        InvalidArgumentError: The model contradicts itself.
        DataLossError: The file of a variable is damaged.
        NotImplementedError: The model has objects of an unknown kind.

    >>> import tempfile, graphwright as tf
    >>> tf.saved_model.load(tempfile.mkdtemp())  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    OSError: SavedModel file does not exist
    """
    folder = os.fspath(export_dir)
    graph = graph_of(read(folder), tags)
    options = options or LoadOptions()
    settings = options.allowed_ops, options.allow_partial_checkpoint
    with activate(None), uncollected():
        if graph.object_graph_def.nodes:
            objects = SavedObjects(folder, graph, *settings)
            root = objects.root()
            if options.experimental_load_function_aliases:
                give_aliases(root, objects.aliases())
        else:
            from graphwright.portable.graphs.classic_model import (  # few models are so old
                ClassicModel,
                ClassicObject,
            )

            root = ClassicObject(ClassicModel(folder, graph, *settings))
    if isinstance(root, RestoredObject):
        info = graph.meta_info_def
        root.tensorflow_version = info.tensorflow_version
        root.tensorflow_git_version = info.tensorflow_git_version
    return root


def give_aliases(root: Any, aliases: Mapping[str, RestoredFunction]) -> None:
    """Gives a loaded object its functions by their aliases; ValueError where the name is taken."""
    if hasattr(root, "function_aliases"):
        raise ValueError(
            "Could not load with experimental_load_function_aliases option because the top-level "
            "object already has an attributed with name 'function_aliases'"
        )
    root.function_aliases = aliases


def read(folder: str) -> SavedModel:
    """The message of a model, from its bytes or from its text."""
    from google.protobuf.message import DecodeError

    path = os.path.join(folder, _BYTES)
    if not os.path.isfile(path):
        path = os.path.join(folder, _TEXT)
    if not os.path.isfile(path):
        raise OSError(f"SavedModel file does not exist at: {folder}{os.sep}{{{_TEXT}|{_BYTES}}}")
    with open(path, "rb") as file:
        content = file.read()
    try:
        return SavedModel.FromString(
            bytes_of(content, SavedModel()) if path.endswith(_TEXT) else content
        )
    except (DecodeError, ValueError) as error:
        raise OSError(f"Cannot parse file {path}: {error}.") from None


def bytes_of(text: bytes, message: Message) -> bytes:
    """The bytes of a message in text, which is read into an empty one.

    Raises:
        ValueError: It is no such message, or deeper than messages may be.
    """
    from google.protobuf import text_format  # few models are in text
    from google.protobuf.message import EncodeError

    try:
        made: bytes = text_format.Parse(text.decode(), message).SerializeToString()
    except (EncodeError, RecursionError, text_format.ParseError) as error:
        raise ValueError(str(error)) from error
    return made


def graph_of(model: SavedModel, tags: str | Sequence[str] | None) -> MetaGraphDef:
    """The graph of a model that has these tags."""
    graphs = list(model.meta_graphs)
    available = [sorted(graph.meta_info_def.tags) for graph in graphs]
    if tags is not None:
        wanted = sorted([tags] if isinstance(tags, str) else set(tags))
        graphs = [graph for graph, has in zip(graphs, available) if has == wanted]
        if not graphs:
            raise ValueError(
                f"Got an incompatible argument to `tags`: {tags}. The graphs of this SavedModel "
                f"have the tags {available}, and one loads it with all of one graph's tags, or by "
                "passing tags=None."
            )
    if len(graphs) != 1:
        raise ValueError(f"Importing a SavedModel with {len(graphs)} graphs needs their `tags`")
    return graphs[0]
