"""The op that makes datasets, of others and of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.base.named_tuples import NamedTuple
from graphwright.data.element_type import ElementType
from graphwright.data.stage import DatasetStage, StageOrigin
from graphwright.op.op import Effect, Op, Shapes, not_differentiable
from graphwright.types.tensor_type import TensorType

if TYPE_CHECKING:
    from graphwright.data.element_function import ElementFunction


class Recipe(NamedTuple):
    """How a stage is made: all of it that does not depend on tensors."""

    kind: type[DatasetStage]
    element: ElementType
    #: How many stages come before it, and how many tensors say its numbers.
    inputs: int
    numbers: int
    functions: tuple[ElementFunction, ...]
    options: tuple[tuple[str, Any], ...]
    origin: StageOrigin

    def stage(self, operands: Sequence[Any]) -> DatasetStage:
        """The stage for stages before it, numbers, and what functions captured, in this order."""
        inputs = operands[: self.inputs]
        start = self.inputs + self.numbers
        numbers = operands[self.inputs : start]
        for name, number in zip(self.kind.scalars, numbers):
            if number.ndim:
                raise InvalidArgumentError(None, None, f"{name} must be a scalar")
        functions = []
        for function in self.functions:
            stop = start + len(function.captured)
            functions.append(function.bound(operands[start:stop]))
            start = stop
        kind: Any = self.kind
        stage: DatasetStage = kind(
            self.element, *inputs, *numbers, *functions, **dict(self.options)
        )
        stage.recipe = (self, operands)
        stage.origin = self.origin
        return stage

    def __str__(self) -> str:
        functions = ", ".join([function.graph.name for function in self.functions])
        return f"{self.kind.type_name}({functions})"


class MakeDataset(Op):
    """A dataset: a stage behind others."""

    type_name = "_MakeDataset"
    inputs = ("operands: Tin...",)
    outputs = ("handle: variant",)
    gradient = not_differentiable
    differs = True
    pure = False

    recipe: Recipe

    def shapes(self, *operands: TensorType) -> Shapes:
        return ((),)

    def kernel(self, *operands: Any) -> DatasetStage:
        # A kernel before it may have given a NumPy scalar; in a block each value is an array.
        return self.recipe.stage(
            [np.asarray(o) if isinstance(o, np.generic) else o for o in operands]
        )

    @property
    def makes_effects(self) -> bool:
        """Whether going through the dataset is seen from outside."""
        recipe = self.recipe
        return recipe.kind.has_effects or any(f.has_effects for f in recipe.functions)

    def __hash__(self) -> int:
        return id(self.recipe)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MakeDataset) and self.recipe is other.recipe


class ReadDataset(MakeDataset):
    """A dataset that is made of what files say at that moment."""

    type_name = "_ReadDataset"
    effect = Effect.READ
