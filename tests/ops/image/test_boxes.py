"""Boxes in batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphwright as tf


def test_batches_are_padded_each_as_on_its_own() -> None:
    rng = np.random.default_rng(4)
    corners = rng.random((2, 3, 6, 2)).astype(np.float32)
    boxes, scores = np.concatenate([corners, corners + 0.4], -1), rng.random((2, 3, 6))
    scores = scores.astype(np.float32)
    chosen, counts = tf.image.non_max_suppression_padded(
        boxes, scores, 4, pad_to_max_output_size=True
    )
    assert chosen.shape == (2, 3, 4)
    for place in np.ndindex(2, 3):
        alone = tf.image.non_max_suppression(boxes[place], scores[place], 4).numpy()
        assert chosen.numpy()[place].tolist() == [*alone, *[0] * (4 - len(alone))]
        assert counts.numpy()[place] == len(alone)


def greedy(boxes: Any, scores: Any, count: int, limit: float, least: float) -> list[int]:
    """What is selected, one box after the other."""
    y1, x1, y2, x2 = boxes.T
    areas = (y2 - y1) * (x2 - x1)
    chosen: list[int] = []
    for i in np.argsort(-scores, kind="stable"):
        down = np.minimum(y2[i], y2[chosen]) - np.maximum(y1[i], y1[chosen])
        right = np.minimum(x2[i], x2[chosen]) - np.maximum(x1[i], x1[chosen])
        shared = np.maximum(down, 0) * np.maximum(right, 0)
        fits = (shared / (areas[i] + areas[chosen] - shared) <= limit).all()
        if fits and scores[i] > least and len(chosen) < count:
            chosen.append(int(i))
    return chosen


@given(
    st.integers(1, 400),
    st.integers(1, 3),
    st.integers(1, 400),
    st.sampled_from([0.0, 0.2, 0.5, 1.0]),
    st.sampled_from([3, 30, 300]),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=25, deadline=None)
def test_the_best_boxes_of_classes_are_those_taken_one_by_one(
    size: int, classes: int, count: int, limit: float, spread: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    corners = rng.random((2, size, 2)) * spread
    boxes = np.concatenate([corners, corners + rng.random((2, size, 2)) * 9 + 0.1], -1)
    boxes = boxes.astype(np.float32)
    scores = rng.permutation(2 * size * classes).reshape(2, size, classes).astype(np.float32)
    least = float(np.median(scores))
    single = tf.image.non_max_suppression(boxes[0], scores[0, :, 0], count, limit, least)
    assert single.numpy().tolist() == greedy(boxes[0], scores[0, :, 0], count, limit, least)
    found = tf.image.combined_non_max_suppression(
        boxes[:, :, None], scores, count, 50, limit, least, clip_boxes=False
    )
    for image in range(2):
        wanted = [
            (scores[image, i, label], label, *boxes[image, i])
            for label in range(classes)
            for i in greedy(boxes[image], scores[image, :, label], count, limit, least)
        ]
        wanted = sorted(wanted, reverse=True)[:50]
        rows = [x.numpy()[image] for x in found[:3]]
        got = [(s, label, *box) for box, s, label in zip(*rows)]
        assert got[: found.valid_detections[image]] == wanted


def test_batches_of_unknown_size_are_refused() -> None:
    specs = [tf.TensorSpec([None, 6, 4]), tf.TensorSpec([None, 6])]

    @tf.function(input_signature=specs)
    def suppress(boxes: tf.Tensor, scores: tf.Tensor) -> tf.Tensor:
        return tf.image.non_max_suppression_padded(boxes, scores, 4)[0]

    with pytest.raises(ValueError, match="batch dimensions of boxes must be known"):
        suppress.get_concrete_function()


def test_random_changes_draw_from_their_seeds() -> None:
    image = np.random.default_rng(1).random((8, 8, 3)).astype(np.float32)
    changes = [
        lambda: tf.image.random_brightness(image, 0.4, seed=5),
        lambda: tf.image.random_contrast(image, 0.2, 0.9, seed=5),
        lambda: tf.image.random_hue(image, 0.4, seed=5),
        lambda: tf.image.random_saturation(image, 0.2, 0.9, seed=5),
        lambda: tf.image.random_crop(image, [3, 3, 3], seed=5),
        lambda: tf.image.sample_distorted_bounding_box([50, 40, 3], [[[0.1, 0.2, 0.6, 0.7]]], 5)[1],
    ]
    for change in changes:
        tf.random.set_seed(3)
        first, second = change().numpy(), change().numpy()
        tf.random.set_seed(3)
        np.testing.assert_array_equal(change().numpy(), first)
        assert (first != second).any()
    tf.random.set_seed(None)


def test_noise_around_a_glimpse_is_new_each_time() -> None:
    images = tf.zeros([1, 4, 4, 1])
    glimpses = [
        tf.image.extract_glimpse(images, [4, 4], [[1.0, 1.0]], noise=noise).numpy()[0, ..., 0]
        for noise in ("uniform", "uniform", "gaussian")
    ]
    for glimpse in glimpses:
        assert not glimpse[:2, :2].any()
        assert (glimpse[2:, 2:] != 0).all()
    assert (glimpses[0] != glimpses[1]).any()
