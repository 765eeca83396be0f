"""Fingerprints of datasets: numbers that depend on what a pipeline does, and on nothing else."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from graphwright.data.blocks import ElementBlock
from graphwright.data.element_type import ElementType
from graphwright.data.stage import DatasetStage
from graphwright.ir.graph import Graph
from graphwright.ops.core.creation import Literal
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType


class Digest:
    """A hash of what is added: each part with its kind, so that no two lists of parts look alike.

    What has no value of its own, such as a Python function, counts as the object that it is.
    """

    def __init__(self) -> None:
        self.hash = hashlib.blake2b(digest_size=8)

    def number(self) -> int:
        """The hash, as 64 bits."""
        return int.from_bytes(self.hash.digest(), "little")

    def text(self, kind: str, data: bytes | str) -> None:
        """Adds bytes or a text of a kind."""
        data = data.encode() if isinstance(data, str) else data
        self.hash.update(f"{kind}:{len(data)}:".encode() + data)

    def add(self, part: Any) -> None:
        """Adds a value."""
        if isinstance(part, (np.ndarray, np.generic)):
            self.array(np.asarray(part))
        elif isinstance(part, DatasetStage):
            self.stage(part)
        elif isinstance(part, Graph):
            self.graph(part)
        elif isinstance(part, Literal):
            self.array(part.array)
        elif isinstance(part, ElementBlock):
            self.add([part.count, *part.columns])
        elif isinstance(part, (list, tuple)):
            self.text("list", str(len(part)))
            for item in part:
                self.add(item)
        elif part is None or type(part) in (bool, int, float, complex, str, bytes):
            self.text(type(part).__name__, repr(part))
        elif isinstance(part, (DType, ElementType, TensorType)):
            self.text("type", repr(part))
        elif isinstance(part, type):
            self.text("class", f"{part.__module__}.{part.__qualname__}")
        else:
            self.text("object", str(id(part)))

    def array(self, array: Any) -> None:
        """Adds an array."""
        self.text("array", f"{array.dtype} {array.shape}")
        if array.dtype == object:
            self.add(array.ravel().tolist())
        else:
            self.text("bytes", np.ascontiguousarray(array).tobytes())

    def stage(self, stage: DatasetStage) -> None:
        """Adds a stage, with those before it."""
        if stage.recipe is None:
            self.add([type(stage), stage.element, vars(stage).get("block", id(stage))])
            return
        recipe, operands = stage.recipe
        self.add([recipe.kind, recipe.element, recipe.options, operands])
        for function in recipe.functions:
            self.graph(function.graph)

    def graph(self, graph: Graph) -> None:
        """Adds what a graph computes, whatever its names are."""
        numbers = {value: number for number, value in enumerate(graph.arguments)}
        self.add([value.type for value in graph.arguments])
        for node in graph.nodes:
            for output in node.outputs:
                numbers.setdefault(output, len(numbers))
            self.add([type(node.op), *node.op.values(), [numbers[value] for value in node.inputs]])
        self.add([numbers[value] for value in graph.results])


def fingerprint_of(stage: DatasetStage) -> int:
    """The fingerprint of a pipeline, as 64 bits."""
    digest = Digest()
    digest.stage(stage)
    return digest.number()
