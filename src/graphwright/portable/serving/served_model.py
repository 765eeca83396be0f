"""Models that are served: versions of a saved model, with labels, and their signatures."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from graphwright.function.concrete import ConcreteFunction
from graphwright.portable.saved_model import contains_saved_model, graph_of, load, read
from graphwright.portable.saved_model_names import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from graphwright.proto.saved_model_pb2 import SignatureDef
from graphwright.types.specs import TensorSpec


class RequestError(Exception):
    """A request that is not answered: the status of HTTP, and why in words."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


class ServedSignature:
    """A signature of a model: what it takes and returns by name."""

    def __init__(self, name: str, function: ConcreteFunction) -> None:
        self.name = name
        self.function = function
        self.inputs: dict[str, TensorSpec] = dict(function.structured_input_signature[1])
        self.outputs: dict[str, Any] = dict(function.structured_outputs)

    def __str__(self) -> str:
        takes = ", ".join([f"{key}: {spec.type!r}" for key, spec in self.inputs.items()])
        gives = ", ".join([f"{key}: {value.type!r}" for key, value in self.outputs.items()])
        return f"{self.name}({takes}) -> {gives}"

    def run(self, arrays: Mapping[str, Any]) -> dict[str, Any]:
        """The results by name, as arrays."""
        results = self.function(**arrays)
        return {name: value.numpy() for name, value in results.items()}

    def takes_rows(self) -> bool:
        """Whether rows of several requests may be computed together: no size of rows is fixed."""
        parts = [*self.inputs.values(), *self.outputs.values()]
        return all(part.type.dims and part.type.dims[0] is None for part in parts)


class ServedVersion:
    """One version of a model, loaded from its folder."""

    def __init__(self, folder: str, number: int) -> None:
        self.number = number
        self.messages: dict[str, SignatureDef] = {
            name: message
            for name, message in graph_of(read(folder), None).signature_def.items()
            if not name.startswith("__")
        }
        self.model = load(folder)
        self.signatures = {
            name: ServedSignature(name, self.model.signatures[name])
            for name in self.model.signatures
        }
        if not self.signatures:
            raise ValueError(f"{folder} has no signatures, which is what requests name")

    def signature(self, name: object) -> ServedSignature:
        """A signature by its name; that for serving if there is none."""
        wanted = DEFAULT_SERVING_SIGNATURE_DEF_KEY if name in (None, "") else name
        if wanted not in self.signatures:
            known = "; ".join(map(str, self.signatures.values()))
            raise RequestError(400, f"the model has no signature {wanted!r}, but {known}")
        return self.signatures[str(wanted)]


class ServedModel:
    """A model by its name, with its versions.

    Args:
        name: What requests call it.
        folder: The folder of a saved model, or one whose folders are its versions, by numbers.
        labels: Versions by names that requests may use.
        every: Whether all versions are served, and not the newest alone.
    """

    def __init__(
        self, name: str, folder: str, labels: Mapping[str, int] | None = None, every: bool = False
    ) -> None:
        self.name = name
        folders = version_folders(folder)
        self.labels = dict(labels or {})
        newest = max(folders)
        wanted = set(folders) if every else {newest, *self.labels.values()}
        missing = sorted(wanted - set(folders))
        if missing:
            raise ValueError(f"{folder} has no version {missing[0]}, but {sorted(folders)}")
        self.versions = {
            number: ServedVersion(folders[number], number) for number in sorted(wanted)
        }

    def version(self, number: int | None, label: str | None) -> ServedVersion:
        """The version that a request names, or the newest."""
        if label is not None:
            if label not in self.labels:
                raise RequestError(404, f"Unrecognized servable version label: {label}")
            number = self.labels[label]
        if number is None:
            return self.versions[max(self.versions)]
        if number not in self.versions:
            words = f"Servable not found for request: Specific({self.name}, {number})"
            raise RequestError(404, words)
        return self.versions[number]


def version_folders(folder: str) -> dict[int, str]:
    """The folders of the versions of a model, by number."""
    if contains_saved_model(folder):
        return {1: folder}
    names = os.listdir(folder) if os.path.isdir(folder) else []
    folders = {int(name): os.path.join(folder, name) for name in names if name.isdecimal()}
    folders = {number: path for number, path in folders.items() if contains_saved_model(path)}
    if not folders:
        raise OSError(f"{folder} has no saved model, nor folders with numbers that have one")
    return folders
