"""Sizes, axes and counts that a graph computes, alone or among numbers, do what numbers do."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as tf

MATRIX = np.arange(12, dtype=np.float32).reshape(3, 4)
IMAGES = np.arange(60, dtype=np.float32).reshape(1, 4, 5, 3)

# Of a matrix [3, 4] (h, w = 3, 4) or of images [1, 4, 5, 3] (h, w = 4, 5).
OF_MATRICES = {
    "slice": lambda x, h, w: tf.slice(x, [h - 2, 0], [1, w]),
    "pad": lambda x, h, w: tf.pad(x, [[h - 2, 0], [0, 1]]),
    "tile": lambda x, h, w: tf.tile(x, [1, h]),
    "roll": lambda x, h, w: tf.roll(x, [h - 1, 1], [0, 1]),
    "repeat": lambda x, h, w: tf.repeat(x, [1, 2, h], axis=0),
    "split": lambda x, h, w: tf.concat(tf.split(x, [1, w - 1], axis=1)[::-1], 1),
    "gather": lambda x, h, w: tf.gather(x, [1], axis=h - 2),
    "sum": lambda x, h, w: tf.reduce_sum(x, axis=h - 2),
    "cumsum": lambda x, h, w: tf.cumsum(x, axis=h - 2),
    "expand_dims": lambda x, h, w: tf.expand_dims(x, h - 2),
    "concat": lambda x, h, w: tf.concat([x, x], h - 2),
    "top_k": lambda x, h, w: tf.math.top_k(x, h)[0],
    "transpose": lambda x, h, w: tf.transpose(x, [h - 2, 0]),
    "reverse": lambda x, h, w: tf.reverse(x, [h - 2]),
    "band_part": lambda x, h, w: tf.linalg.band_part(x, h - 2, 0),
    "diag": lambda x, h, w: tf.linalg.diag(x[0], k=h - 2),
    "index": lambda x, h, w: x[h - 2 :, :: h - 1],
    "linspace": lambda x, h, w: tf.linspace(0.0, 1.0, h),
    "one_hot": lambda x, h, w: tf.one_hot([0, 2], h),
    "eye": lambda x, h, w: tf.eye(h, w, batch_shape=[h]),
    "zeros": lambda x, h, w: tf.zeros([2, h]),
    "fill": lambda x, h, w: tf.fill([h, 2], 7),
    "scatter": lambda x, h, w: tf.scatter_nd([[0]], [1.0], [h]),
    "sequence_mask": lambda x, h, w: tf.sequence_mask([1, 2], h),
    "bincount": lambda x, h, w: tf.math.bincount([1, 2], minlength=h),
    "histogram": lambda x, h, w: tf.histogram_fixed_width(x, [0.0, 12.0], h),
    "segments": lambda x, h, w: tf.math.unsorted_segment_sum(x, [0, 1, 0], h),
    "random": lambda x, h, w: tf.random.stateless_normal([h, 2], [1, w]),
    "frame": lambda x, h, w: tf.signal.frame(x[0], h - 1, 1),
    "rfft": lambda x, h, w: tf.signal.rfft(x, [w]),
    "sparse": lambda x, h, w: tf.sparse.to_dense(
        tf.sparse.reshape(tf.sparse.from_dense(x), [w, h])
    ),
    "sparse and -1": lambda x, h, w: tf.sparse.reshape(tf.sparse.from_dense(x), [-1, h]).indices,
    "list": lambda x, h, w: tf.TensorArray(tf.float32, h).unstack(x).stack(),
}
OF_IMAGES = {
    "resize": lambda x, h, w: tf.image.resize(x, [2, w]),
    "resize by a tuple": lambda x, h, w: tf.image.resize(x, (h * 2, w * 2), method="bicubic"),
    "resize_with_pad": lambda x, h, w: tf.image.resize_with_pad(x, h + 1, 6),
    "resize_with_crop_or_pad": lambda x, h, w: tf.image.resize_with_crop_or_pad(x, h - 1, w + 1),
    "crop": lambda x, h, w: tf.image.crop_to_bounding_box(x, 1, 0, h - 2, 2),
    "pad": lambda x, h, w: tf.image.pad_to_bounding_box(x, 1, 0, h + 2, 7),
    "crop_and_resize": lambda x, h, w: tf.image.crop_and_resize(
        x, [[0.0, 0.0, 0.5, 0.5]], [0], [2, w]
    ),
    "rot90": lambda x, h, w: tf.image.rot90(x, h - 3),
    "rot90 of one": lambda x, h, w: tf.image.rot90(x[0], w),
    "transposed": lambda x, h, w: tf.nn.conv2d_transpose(
        x, tf.ones([2, 2, 1, 3]), [1, h * 2, 10, 1], 2
    ),
    "blocks": lambda x, h, w: tf.space_to_batch(x, [2, w - 4], [[0, 0], [0, 0]]),
}
CASES = [(MATRIX, name, f) for name, f in OF_MATRICES.items()]
CASES += [(IMAGES, name, f) for name, f in OF_IMAGES.items()]


@pytest.mark.parametrize(
    ("x", "name", "function"), CASES, ids=[f"{c[0].ndim}: {c[1]}" for c in CASES]
)
def test_a_computed_size_does_what_a_number_does(x, name, function):
    axis = 1 if x.ndim == 4 else 0
    wanted = function(tf.constant(x), *x.shape[axis : axis + 2])

    def sized(x):
        return function(x, tf.shape(x)[axis], tf.shape(x)[axis + 1])

    for result in (
        sized(tf.constant(x)),
        tf.function(sized, input_signature=[tf.TensorSpec([None] * x.ndim)])(x),
    ):
        np.testing.assert_allclose(result, wanted, rtol=1e-6)


@pytest.mark.parametrize("turns", range(-1, 6))
@pytest.mark.parametrize("dims", [[1, 4, 5, 3], [None] * 4, None], ids=str)
def test_images_turn_as_often_as_a_run_says(turns, dims):
    @tf.function(input_signature=[tf.TensorSpec(dims), tf.TensorSpec([], tf.int32)])
    def turn(x, k):
        return tf.image.rot90(x, k)

    np.testing.assert_array_equal(turn(IMAGES, turns), np.rot90(IMAGES, turns, (1, 2)))
