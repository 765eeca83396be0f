"""Results of calls have the structure that the function returned."""

from __future__ import annotations

import collections
from typing import Any

import pytest

import graphwright as tf
from graphwright.function.structure import PackWriter, packer
from graphwright.types import tree

A, B, C = [tf.constant(float(i)) for i in range(3)]
Pair = collections.namedtuple("Pair", "left right")

#: Structures, and whether text packs them.
STRUCTURES: list[tuple[Any, bool]] = [
    ({"b": A, "a": (B, [C])}, True),
    ({"b": {2: A, 1: B}, "a": {2: C, 1: A}}, True),
    ([A, None, (B,), {}], True),
    ((None, None), True),
    ([[], ()], True),
    ({"k0": A, "t0": B}, True),
    ([A, A], True),
    (Pair(A, [B]), False),
    ([collections.OrderedDict(b=A, a=B)], False),
]


@pytest.mark.parametrize(("structure", "is_text"), STRUCTURES)
def test_tensors_fill_a_structure_in_the_order_of_its_leaves(structure: Any, is_text: bool) -> None:
    leaves = tree.flatten(structure, expand_composites=True)
    tensors = [tf.constant(10.0 + i) for i, leaf in enumerate(leaves) if leaf is not None]
    remaining = iter(tensors)
    filled = [None if leaf is None else next(remaining) for leaf in leaves]
    expected = tree.pack_sequence_as(structure, filled, expand_composites=True)
    assert repr(packer(structure, leaves)(tensors)) == repr(expected)
    assert PackWriter().writes(structure) is is_text


def test_no_text_packs_composites() -> None:
    assert not PackWriter().writes({"a": tf.RaggedTensor.from_row_lengths([1.0], [1])})


def test_every_call_returns_containers_of_its_own() -> None:
    function = tf.function(lambda x: {"b": [x, x + 1], "a": (x * 2, None)})
    one, other = function(tf.constant(1)), function(tf.constant(1))
    assert list(one) == ["b", "a"]
    assert [int(x) for x in one["b"]] == [1, 2]
    one["b"].append(3)
    assert len(other["b"]) == 2


def test_a_tuple_keeps_empty_items_after_its_tensors() -> None:
    @tf.function
    def f(x: tf.Tensor) -> tuple[tf.Tensor, list[tf.Tensor], tuple[()]]:
        return x, [], ()

    assert [type(item) for item in f(tf.constant(1.0))[1:]] == [list, tuple]
