"""The demo's data set."""

from __future__ import annotations

import numpy as np

from graphwright.demo import digits


def test_the_copy_equals_scikit_learns() -> None:
    from sklearn.datasets import load_digits  # which takes a second

    images, labels = digits.read()
    source = load_digits()
    np.testing.assert_array_equal(images, source.images)
    np.testing.assert_array_equal(labels, source.target)


def test_the_split_holds_out_a_fifth_and_is_the_same_for_a_seed() -> None:
    learned, judged = digits.split()
    assert (len(learned), len(judged)) == (1438, 359)
    again, _ = digits.split()
    np.testing.assert_array_equal(learned.images, again.images)
    other, _ = digits.split(seed=1)
    assert not np.array_equal(learned.images, other.images)


def test_the_parts_together_are_the_whole() -> None:
    learned, judged = digits.split()
    together = np.concatenate([learned.digits, judged.digits])
    _, labels = digits.read()
    np.testing.assert_array_equal(np.bincount(together), np.bincount(labels))


def test_images_are_floats_from_0_to_1_and_labels_one_hot() -> None:
    learned, _ = digits.split()
    assert learned.images.dtype == learned.one_hot.dtype == np.float32
    assert (learned.images.min(), learned.images.max()) == (0.0, 1.0)
    np.testing.assert_array_equal(learned.one_hot.argmax(axis=1), learned.digits)
    np.testing.assert_array_equal(learned.one_hot.sum(axis=1), 1.0)
