"""Extension types, and functions dispatched on them, behave as TensorFlow's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import pytest
from corpora import composites as corpus

import graphwright as tf
from graphwright.op import dispatch

GOLDEN = json.loads(
    (Path(__file__).parent.parent.parent / "golden" / "composites.json").read_text(encoding="utf-8")
)
SCOPE = corpus.extension_scope(tf)


def test_the_record_covers_the_corpus() -> None:
    assert set(GOLDEN["extensions"]) == set(corpus.EXTENSIONS)
    assert set(GOLDEN["dispatched"]) == set(corpus.DISPATCHED)


@pytest.mark.parametrize("expression", corpus.EXTENSIONS)
def test_an_outcome_is_tensorflow_s(expression: str) -> None:
    assert corpus.outcome(expression, tf, SCOPE) == GOLDEN["extensions"][expression]


@pytest.fixture(scope="module")
def handled():
    """The corpus's names with its handlers, which are taken back: they are everybody's."""
    meanings = {function: list(found) for function, found in dispatch._MEANINGS.items()}
    handlers = {family: list(family.handlers) for family in dispatch.FAMILIES}
    yield corpus.dispatched_scope(tf)
    for function, found in dispatch._MEANINGS.items():
        found[:] = meanings.get(function, [])
    for family, found in handlers.items():
        family.handlers[:] = found


@pytest.mark.parametrize("expression", corpus.DISPATCHED)
def test_a_dispatched_outcome_is_tensorflow_s(expression: str, handled) -> None:
    assert corpus.outcome(expression, tf, handled) == GOLDEN["dispatched"][expression]


def test_handlers_can_be_taken_back() -> None:
    class Pair(tf.experimental.ExtensionType):
        left: tf.Tensor

    @tf.experimental.dispatch_for_unary_elementwise_apis(Pair)
    def each(api, x):
        return Pair(api(x.left))

    @tf.experimental.dispatch_for_api(tf.rank, {"input": Pair})
    def rank(input):
        return "rank"

    assert tf.negative(Pair([1])).left.numpy() == [-1]
    assert tf.rank(Pair([1])) == "rank"
    tf.experimental.unregister_dispatch_for(each)
    tf.experimental.unregister_dispatch_for(rank)
    for function in (tf.negative, tf.rank):
        with pytest.raises(ValueError, match="unsupported type"):
            function(Pair([1]))
    with pytest.raises(ValueError, match="was not registered"):
        tf.experimental.unregister_dispatch_for(rank)


def test_what_a_name_stands_for_may_come_later() -> None:
    class Chain(tf.experimental.ExtensionType):
        value: int
        next: Chain | None = None

    assert Chain(1, Chain(2)).next.value == 2
    with pytest.raises(TypeError, match="next: expected"):
        Chain(1, 3)


def test_handlers_take_what_converts_to_a_tensor() -> None:
    class Scaled(tf.experimental.ExtensionType):
        value: tf.Tensor

    either = Scaled | tf.types.experimental.TensorLike

    @tf.experimental.dispatch_for_binary_elementwise_apis(either, either)
    def both(api, x, y):
        x, y = (v.value if isinstance(v, Scaled) else v for v in (x, y))
        return Scaled(api(x, y))

    assert tf.add(Scaled([1, 2]), 1).value.numpy().tolist() == [2, 3]
    assert tf.maximum([5, 1], Scaled([1, 2])).value.numpy().tolist() == [5, 2]
    assert tf.add(1, 2).numpy() == 3
    tf.experimental.unregister_dispatch_for(both)


def test_an_annotation_that_declares_no_field_is_named() -> None:
    with pytest.raises(TypeError, match=r"In field 'mode': .* annotation typing\.Literal\['max'\]"):

        class Pooling(tf.experimental.ExtensionType):
            mode: Literal["max"]
