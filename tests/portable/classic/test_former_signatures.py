"""Functions of `tf.compat.v1` take the parameters that TensorFlow 2.21 gives them there.

`tools/record_former_signatures.py` records those of all that are not TensorFlow 2's function.
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

import graphwright as tf
from graphwright.portable.classic.former_signatures import signatures

FILE = Path(__file__).parents[2] / "golden" / "former_signatures.json"
RECORDED: dict[str, list[str]] = json.loads(FILE.read_text(encoding="utf-8"))
#: Functions that take fewer parameters, all by name, and one whose own is named otherwise.
DEPARTURES = {
    "autograph.to_code", "autograph.to_graph", "enable_eager_execution", "get_local_variable",
    "get_variable", "logging.set_verbosity",
}  # fmt: skip


def test_parameters_are_those_of_tensorflow() -> None:
    differing = set()
    for path, parameters in RECORDED.items():
        value = tf.compat.v1
        try:
            for part in path.split("."):
                value = getattr(value, part)
        except AttributeError:
            continue
        if path in signatures():
            ours = list(signatures()[path][1])
        else:
            ours = list(inspect.signature(value).parameters)[: len(parameters)]
        if ours != parameters:
            differing.add(path)
    assert differing == DEPARTURES


def test_what_means_something_else_is_not_here() -> None:
    assert not hasattr(tf.compat.v1.image, "extract_glimpse")
    assert "extract_glimpse" not in dir(tf.compat.v1.image)


def test_wrong_arguments_are_refused() -> None:
    x = tf.ones([2])
    with pytest.raises(TypeError, match="takes at most 3 positional arguments but 4 were given"):
        tf.compat.v1.size(x, "name", tf.int64, 1)
    with pytest.raises(TypeError, match="got multiple values for argument 'input'"):
        tf.compat.v1.size(x, input=x)
    with pytest.raises(TypeError, match="wrong"):
        tf.compat.v1.size(x, wrong=1)
    with pytest.raises(ValueError, match="Cannot specify both 'axis' and 'reduction_indices'"):
        tf.compat.v1.reduce_sum(x, 0, reduction_indices=0)
    with pytest.raises(ValueError, match="Must be one of either `mod` or `div`"):
        tf.compat.v1.nn.embedding_lookup([x, x], [0], "other")


def test_classes_are_shared_by_turns() -> None:
    """The losses of sampled classes see one table in the order of classes."""
    tables = [tf.constant([[0.0], [2.0]]), tf.constant([[1.0], [3.0]])]
    whole = tf.constant([[0.0], [1.0], [2.0], [3.0]])
    sample = tf.nn.all_candidate_sampler([[1]], 1, 4, True)
    for name in ("nce_loss", "sampled_softmax_loss"):
        former, today = getattr(tf.compat.v1.nn, name), getattr(tf.nn, name)
        arguments = tf.zeros([4]), [[1]], [[0.5]], 4, 4
        loss = former(tables, *arguments, sampled_values=sample)
        assert float(loss[0]) == float(today(whole, *arguments, sampled_values=sample)[0])
        loss = former(tables, *arguments, sampled_values=sample, partition_strategy="div")
        assert float(loss[0]) == float(today(tables, *arguments, sampled_values=sample)[0])
