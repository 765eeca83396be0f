"""The default graph of a program, and what may clear it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import graphwright as tf

v1 = tf.compat.v1

REFUSAL = "Do not use tf.reset_default_graph"


@pytest.fixture
def staged() -> Iterator[None]:
    v1.disable_eager_execution()
    try:
        yield
    finally:
        v1.reset_default_graph()
        v1.enable_eager_execution()


def test_a_graph_whose_block_is_open_is_not_cleared() -> None:
    with tf.Graph().as_default() as graph:
        tf.constant(1)
        with pytest.raises(AssertionError, match=REFUSAL):
            v1.reset_default_graph()
        assert v1.get_default_graph() is graph
    with pytest.raises(AssertionError, match=REFUSAL):
        tf.function(v1.reset_default_graph)()
    v1.reset_default_graph()


@pytest.mark.usefixtures("staged")
def test_the_default_graph_is_not_cleared_in_a_block_of_its_own() -> None:
    graph = v1.get_default_graph()
    with v1.Session(), pytest.raises(AssertionError, match=REFUSAL):
        v1.reset_default_graph()
    assert v1.get_default_graph() is graph
    v1.reset_default_graph()
    assert v1.get_default_graph() is not graph


def test_collections_are_empty_after_it() -> None:
    v1.add_to_collection("numbers", 1)
    v1.reset_default_graph()
    assert v1.get_collection("numbers") == []
