"""NumPy's indexing of tensors by arrays and masks: every key means what it means to NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphwright as tf
from graphwright.library.numpy.array_indexing import get_item

SHAPE = (2, 3, 4)
VALUES = np.arange(24).reshape(SHAPE)


@st.composite
def keys(draw):
    """Keys of an array of `SHAPE`, at least one item of which is an array or a mask."""
    items: list[object] = []
    common = draw(st.sampled_from(((2,), (3, 2), (1,), (0,))))
    axis = 0
    while axis < len(SHAPE):
        size = SHAPE[axis]
        kind = draw(st.sampled_from(("int", "slice", "array", "array", "mask", "block", "new")))
        if kind == "int":
            items.append(draw(st.integers(-size, size - 1)))
        elif kind == "slice":
            bounds = st.none() | st.integers(-size - 1, size + 1)
            items.append(slice(draw(bounds), draw(bounds), draw(st.sampled_from((None, 1, 2, -1)))))
        elif kind == "array":
            shape = draw(st.sampled_from((common, common[-1:], (*common[:-1], 1), (1,))))
            numbers = st.integers(-size, size - 1)
            count = int(np.prod(shape))
            drawn = np.array(draw(st.lists(numbers, min_size=count, max_size=count)), np.int64)
            array = drawn.reshape(shape)
            items.append(array if draw(st.booleans()) else array.tolist())
        elif kind == "mask":  # of one place, which broadcasts against all others
            items.append((np.arange(size) == draw(st.integers(0, size - 1))).tolist())
        elif kind == "block" and axis + 1 < len(SHAPE):
            mask = np.zeros(SHAPE[axis : axis + 2], np.bool_)
            mask[draw(st.integers(0, size - 1)), draw(st.integers(0, SHAPE[axis + 1] - 1))] = True
            items.append(mask)
            axis += 1
        else:
            items.append(None)
            axis -= 1
        axis += 1
        if draw(st.sampled_from((False, False, False, True))):
            break
    if Ellipsis not in [i for i in items if not isinstance(i, np.ndarray)] and draw(st.booleans()):
        items.insert(draw(st.integers(0, len(items))), Ellipsis)
    if not any(isinstance(item, (list, np.ndarray)) for item in items):
        items.append([0] * 2) if axis < len(SHAPE) else items.__setitem__(-1, [0])
    return tuple(items)


def numpys(key):
    """What NumPy makes of a key; IndexError for one that it refuses."""
    return VALUES[key]


@given(keys())
def test_every_key_means_what_it_means_to_numpy(key):
    try:
        wanted = numpys(key)
    except IndexError:
        with pytest.raises((IndexError, ValueError, tf.errors.InvalidArgumentError)):
            get_item(tf.constant(VALUES), key)
        return
    np.testing.assert_array_equal(get_item(tf.constant(VALUES), key), wanted)


@pytest.mark.parametrize(
    "key",
    [
        ([1, 0],),
        (slice(None), [0, 2], slice(1, None)),
        ([0, 1], slice(None), [2, 3]),
        (1, (0, 0, 1), np.array([0, 1, 1])),
        (slice(None), (True, False, True), slice(2)),
        (Ellipsis, None, [-1]),
        (slice(None), 0, Ellipsis, [0, 0]),
        (slice(None), np.eye(3, 4) > 0),
    ],
    ids=str,
)
def test_keys_in_graphs_of_unknown_sizes(key):
    @tf.function(input_signature=[tf.TensorSpec([None, None, None], tf.int64)])
    def f(x):
        return get_item(x, key)

    np.testing.assert_array_equal(f(VALUES), VALUES[key])


def test_symbolic_indices_and_masks():
    @tf.function(input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([None], tf.int32)])
    def f(x, i):
        return get_item(x, (i,)), get_item(x, (i, i)), get_item(x, x > 3.0), get_item(x, (0, i))

    x, i = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32), np.array([1, 0, -1], np.int32)
    for got, wanted in zip(f(x, i), (x[i], x[i, i], x[x > 3], x[0, i])):
        np.testing.assert_array_equal(got, wanted)


def test_gradients_add_up_where_an_element_is_taken_twice():
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = get_item(x.read_value(), ([0, 0, 1], [1, 1, 0])) * [1.0, 10.0, 100.0]
    np.testing.assert_array_equal(
        tf.convert_to_tensor(tape.gradient(y, x)), [[0.0, 11.0], [100.0, 0.0]]
    )


@pytest.mark.parametrize(
    ("key", "words"),
    [
        (([1.5],), "must be of integer"),
        (([0], 0, 0, 0), "too many indices: the tensor has 3 axes, but 4"),
        ((slice(None), [True, False]), "the mask has shape"),
    ],
    ids=str,
)
def test_what_is_no_index(key, words):
    with pytest.raises(IndexError, match=words):
        get_item(tf.constant(VALUES), key)


def test_places_out_of_range():
    with pytest.raises(tf.errors.InvalidArgumentError):
        get_item(tf.constant(VALUES), ([0, 5],))
    with pytest.raises(tf.errors.InvalidArgumentError):
        get_item(tf.constant(VALUES), ([0, 1], [-4, 0]))
