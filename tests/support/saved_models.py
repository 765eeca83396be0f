"""The models that TensorFlow saved, as `tools/record_saved_models.py` has recorded them."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from support.saved_values import called, decoded, gradients_of, unlike

import graphwright as tf

FOLDER = Path(__file__).parent.parent / "golden" / "saved_models"
NAMES = sorted(path.stem for path in FOLDER.glob("*.zip"))


#: The models of TensorFlow 1's builders, which `tools/record_classic_models.py` has recorded.
CLASSIC = FOLDER.parent / "classic_models"
CLASSIC_NAMES = sorted(path.stem for path in CLASSIC.glob("*.zip"))


class RecordedCall(NamedTuple):
    """A call of a loaded model, its result and its gradients in TensorFlow."""

    path: str
    args: list[Any]
    kwargs: dict[str, Any]
    expected: Any


def unpacked(name: str, folder: Path, kind: Path = FOLDER) -> Path:
    """The folder of a recorded model, written into another one."""
    target = folder / name
    with zipfile.ZipFile(kind / f"{name}.zip") as archive:
        archive.extractall(target)
    return target


def classic_calls(folder: Path) -> Iterator[RecordedCall]:
    """The recorded calls of a model of TensorFlow 1: of signatures by name, and of what `prune`
    makes."""
    for call in json.loads((folder / "calls.json").read_text()):
        arguments, result = [decoded(tf, call[key]) for key in ("arguments", "result")]
        named = isinstance(arguments, dict)
        yield RecordedCall(
            call["path"], [] if named else arguments, arguments if named else {}, result
        )


def classic_result(model: Any, call: RecordedCall) -> Any:
    """The result of a call of a signature, or of a function that `prune` makes."""
    if not call.path.startswith("prune "):
        return model.signatures[call.path](**call.kwargs)
    _, feeds, fetches = call.path.split(" ")
    return model.prune(feeds.split(","), fetches.split(","))(*call.args)


def session_result(session: Any, signature: Any, call: RecordedCall) -> dict[str, Any]:
    """The result of a call of a signature in a session, whose graph has its tensors."""
    find = tf.compat.v1.saved_model.get_tensor_from_tensor_info
    fetches = {name: find(info) for name, info in signature.outputs.items()}
    feeds = {}
    for name, info in signature.inputs.items():
        tensor = find(info)
        if isinstance(tensor, tf.SparseTensor):  # its parts are arguments of the function
            for part in ("indices", "values", "dense_shape"):
                feeds[getattr(tensor, part)] = call.kwargs[f"{name}_{part}"].numpy()
        else:
            feeds[tensor] = call.kwargs[name].numpy()
    made: dict[str, Any] = session.run(fetches, feeds)
    return made


def built_again(source: Path, target: Path) -> None:
    """Writes a model again by the builder, from the graph of a session that has loaded it."""
    saved_model = tf.compat.v1.saved_model
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        message = saved_model.load(session, ["serve"], source)
        names = [name for name in message.signature_def if not name.startswith("__")]
        builder = saved_model.Builder(target)
        builder.add_meta_graph_and_variables(
            session, ["serve"], {name: message.signature_def[name] for name in names}
        )
        builder.save()


def calls(folder: Path) -> Iterator[RecordedCall]:
    """The recorded calls of a model, in the order in which TensorFlow made them."""
    for call in json.loads((folder / "calls.json").read_text()):
        args, kwargs, result, gradients = [
            decoded(tf, call[key]) for key in ("args", "kwargs", "result", "gradients")
        ]
        yield RecordedCall(call["path"], args, kwargs, (result, gradients))


def outcome(model: Any, call: RecordedCall) -> Any:
    """The result and the gradients of a call."""
    return gradients_of(tf, called(model, call.path), call.args, call.kwargs)


def assert_alike(ours: Any, theirs: Any) -> None:
    """Both are of one structure, and their tensors of one dtype and shape, and nearly equal."""
    assert not list(unlike(tf, ours, theirs))
