"""What is parsed out of examples, records of values and compressed bytes is TensorFlow's."""

from __future__ import annotations

import json
from pathlib import Path

from corpora import parsing

import graphwright as tf

GOLDEN = Path(__file__).parents[2] / "golden" / "parsing.json"


def test_each_expression_gives_what_tensorflows_gives() -> None:
    expected = json.loads(GOLDEN.read_text())
    found = parsing.outcomes(tf)
    assert list(found) == list(expected)
    wrong = {k: (v, expected[k]) for k, v in found.items() if v != expected[k]}
    assert not wrong


def test_parsed_tensors_know_their_shapes_in_a_graph() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def parse(text: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        features = {
            "a": tf.io.FixedLenFeature([2], tf.int64),
            "b": tf.io.FixedLenSequenceFeature([3], tf.float32, allow_missing=True),
        }
        parsed = tf.io.parse_example(text, features)
        return parsed["a"], parsed["b"]

    a, b = parse.get_concrete_function().outputs
    assert (a.shape.as_list(), b.shape.as_list()) == ([None, 2], [None, None, 3])
