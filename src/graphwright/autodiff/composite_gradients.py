"""Gradients of and with respect to composites: those of the part that can be differentiated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from graphwright.types import tree
from graphwright.types.composite import Composite
from graphwright.values.indexed_slices import IndexedSlices
from graphwright.values.tensor import Tensor
from graphwright.values.variable import Variable

#: What gradients are taken with respect to.
Source: TypeAlias = Tensor | Variable


def differentiable_parts(structure: object) -> list[Any]:
    """The tensors and variables of a structure that gradients are taken of, one for each leaf.

    ValueError for a composite that has none, TypeError for what is neither.
    """
    if isinstance(structure, (Tensor, Variable)):
        return [structure]
    parts = [differentiable_part(leaf) for leaf in tree.flatten(structure)]
    for part in parts:
        if not isinstance(part, (Tensor, Variable)):
            raise TypeError(
                "Gradients are taken with respect to tensors and variables, a module's are its "
                f"trainable_variables: got {part!r} of type {type(part).__name__!r}."
            )
    return parts


def differentiable_part(leaf: object) -> Any:
    """The part of a leaf of a structure that gradients are taken of.

    A library's class that acts as a variable (`_should_act_as_resource_variable`) has the handle
    of one.
    """
    while isinstance(leaf, Composite):
        leaf = leaf._differentiable_part
    if isinstance(leaf, (Tensor, Variable)):
        return leaf
    is_variable = hasattr(leaf, "_should_act_as_resource_variable")
    return getattr(leaf, "handle").variable if is_variable else leaf  # noqa: B009 - any class


def pack_gradients(structure: object, gradients: Sequence[object]) -> Any:
    """Gradients, one for each leaf, in a structure like `structure`; None for a composite
    that nothing flows to.
    """
    if isinstance(structure, (Tensor, Variable)):
        return gradients[0]
    leaves = tree.flatten(structure)
    packed = [None if g is None else like_leaf(leaf, g) for leaf, g in zip(leaves, gradients)]
    return tree.pack_sequence_as(structure, packed)


def like_leaf(leaf: object, gradient: object) -> Any:
    """A gradient of a leaf's part as one of the leaf: rows become a dense tensor in a composite."""
    if not isinstance(leaf, Composite):
        return gradient
    if isinstance(gradient, IndexedSlices):
        gradient = gradient.to_tensor()
    inner = like_leaf(leaf._differentiable_part, gradient)
    return leaf._with_differentiable_part(inner)
