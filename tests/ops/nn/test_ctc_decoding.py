"""The beam search against all ways that sequences of classes can be read."""

from __future__ import annotations

import itertools
from collections import defaultdict

import numpy as np
import pytest

import graphwright as tf


@pytest.mark.parametrize("seed", range(6))
def test_probabilities_are_sums_over_all_ways_to_say_a_labelling(seed: int) -> None:
    rng = np.random.default_rng(seed)
    time, batch, classes = 5, 3, 3
    logits = rng.normal(size=(time, batch, classes)) * 2
    lengths = rng.integers(1, time + 1, batch).astype(np.int32)
    paths, scores = tf.nn.ctc_beam_search_decoder(logits, lengths, beam_width=100, top_paths=2)
    chances = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    for row, length in enumerate(lengths):
        said: dict[tuple[int, ...], float] = defaultdict(float)
        for way in itertools.product(range(classes), repeat=int(length)):
            labels = tuple(label for label, _ in itertools.groupby(way) if label < classes - 1)
            said[labels] += np.prod(chances[np.arange(length), row, way])
        best = sorted(said.items(), key=lambda item: -item[1])[:2]
        for place, (labels, chance) in enumerate(best):
            dense = tf.sparse.to_dense(paths[place], -1).numpy()[row]
            assert tuple(dense[dense >= 0]) == labels
            np.testing.assert_allclose(scores.numpy()[row, place], np.log(chance))


def test_fewer_labellings_than_asked_for_are_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Less leaves"):
        tf.nn.ctc_beam_search_decoder(tf.zeros([1, 1, 2]), [1], beam_width=9, top_paths=3)
