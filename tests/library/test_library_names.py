"""Names that libraries ask for, compared with what TensorFlow recorded of them."""

from __future__ import annotations

import json
import re
import tempfile
from typing import Any

import numpy as np
import pytest
from corpora import names

import graphwright as tf
from graphwright.library.dispatch import gradient_registry
from graphwright.op.op import REGISTRY
from tools import golden_format as gf

RECORDED = json.loads((gf.GOLDEN / "library_names.json").read_text(encoding="utf-8"))
UNDEFINED = REGISTRY["Bitcast"].gradient
#: What is told otherwise here, by the expression.
DEPARTURES = {
    "distributed(lambda c: tf.constant(c.replica_id_in_sync_group + c.num_replicas_in_sync))": (
        "the value of the one replica is that value, and no `PerReplica` of it"
    ),
}


@pytest.fixture(scope="module")
def outcomes() -> dict[str, dict[str, Any]]:
    try:
        return names.outcomes(tf)
    finally:  # what it has registered is not for other tests
        REGISTRY["Bitcast"].gradient = UNDEFINED
        gradient_registry._NAMES.clear()


@pytest.mark.parametrize("area", RECORDED)
def test_outcomes_are_tensorflows(area: str, outcomes: dict[str, dict[str, Any]]) -> None:
    ours = outcomes[area]
    assert list(ours) == list(RECORDED[area])
    told = error_class if area == "forms" else without_place
    differing = {
        line: (found, RECORDED[area][line])
        for line, found in ours.items()
        if told(found) != told(RECORDED[area][line]) and line not in DEPARTURES
    }
    assert differing == {}


def without_place(recorded: Any) -> Any:
    """What was recorded, without the line of TensorFlow's that registered a name before."""
    return recorded if isinstance(recorded, list) else re.sub(r" \(Previous .*\)", "", recorded)


def error_class(outcome: Any) -> Any:
    """An outcome, of an error its class alone."""
    error = isinstance(outcome, str) and re.match(r"\w+Error(?=: )", outcome)
    return error.group() if error else outcome


def test_placeholders_refuse() -> None:
    with pytest.raises(RuntimeError, match=r"tf.SparseTensorSpec\(shape, dtype\)"):
        tf.compat.v1.sparse_placeholder(tf.float32, [None, 3])


def test_graphs_are_written_as_they_are() -> None:
    with tempfile.TemporaryDirectory() as folder:
        graph = tf.function(lambda x: x + 1.0).get_concrete_function(tf.TensorSpec([])).graph
        path = tf.io.write_graph(graph, folder, "deep/graph.pb", as_text=False)
        with open(path, "rb") as file:
            assert type(graph.as_graph_def()).FromString(file.read()) == graph.as_graph_def()
        with pytest.raises(TypeError, match=r"Expected a tf.Graph or a GraphDef, got 3"):
            tf.io.write_graph(3, folder, "graph.pb")
        with pytest.raises(tf.errors.OpError):
            tf.io.write_graph(graph, path, "graph.pb")


def test_a_class_may_state_its_spec_by_either_name() -> None:
    class Pair(tf.__internal__.CompositeTensor):
        def __init__(self, a: Any, b: Any) -> None:
            self.a, self.b = a, b

        @property
        def _type_spec(self) -> Any:
            return PairSpec(tf.TensorSpec(self.a.shape), tf.TensorSpec(self.b.shape))

    class PairSpec(tf.TypeSpec):  # type: ignore[misc]
        value_type = Pair

        def __init__(self, a: Any, b: Any) -> None:
            self.specs = a, b

        def _serialize(self) -> Any:
            return self.specs

        @property
        def _component_specs(self) -> Any:
            return self.specs

        def _to_components(self, value: Any) -> Any:
            return value.a, value.b

        def _from_components(self, components: Any) -> Any:
            return Pair(*components)

    double = tf.function(lambda pair: Pair(pair.a * 2.0, pair.b))
    assert double(Pair(tf.constant(3.0), tf.constant([1.0]))).a.numpy() == 6.0
    with pytest.raises(NotImplementedError, match="does not say its type spec"):
        tf.nest.flatten(tf.__internal__.CompositeTensor(), expand_composites=True)


def test_keys_of_tables_may_be_arrays() -> None:
    words = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
    table = tf.lookup.StaticHashTable(words, -1)
    for keys in (np.array(["b", "z"]), np.array([b"b", b"z"], object), ["b", "z"]):
        assert table.lookup(keys).numpy().tolist() == [2, -1]
    with pytest.raises((TypeError, ValueError)):
        table.lookup(np.array([1, 2]))
