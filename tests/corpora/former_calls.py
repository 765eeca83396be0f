"""Calls of TensorFlow 1's functions that TensorFlow 2 has under other names, or no longer."""

from __future__ import annotations

from typing import Any

import numpy as np
from corpora.classic_training import PROGRAMS, program

__all__ = ["PROGRAMS"]


def numbers(*shape: int) -> Any:
    """Small floats of a shape, which differ."""
    count = int(np.prod(shape))
    return (((np.arange(count) * 7) % 11 - 5) / 4).astype(np.float32).reshape(shape)


def run(tf: Any, *tensors: Any) -> list[Any]:
    """What a session computes of tensors of the open graph; parts of composite ones."""
    flat = []
    for tensor in tensors:
        flat += list(tensor) if isinstance(tensor, (list, tuple)) else [tensor]
    with tf.Session() as session:
        values = session.run(flat)
    return [part for value in values for part in parts(value)]


def parts(value: Any) -> list[Any]:
    """The tensors of a value."""
    if hasattr(value, "dense_shape"):
        return [value.indices, value.values, value.dense_shape]
    return [value]


@program
def former_layers(tf: Any, folder: str) -> list[Any]:
    """Convolutions, pooling and moments."""
    nn = tf.nn
    with tf.Graph().as_default():
        line, image, volume = numbers(1, 6, 2), numbers(1, 4, 4, 2), numbers(1, 2, 2, 2, 1)
        w1, w2, w3 = numbers(3, 2, 2), numbers(2, 2, 2, 3), numbers(2, 2, 2, 1, 1)
        g = numbers(1, 3, 3, 3)
        y, mean, variance = nn.fused_batch_norm(image, [1.0, 2.0], [0.5, 0.0])
        z, *_ = nn.fused_batch_norm(
            image, [1.0, 2.0], [0.5, 0.0], [0.1, 0.2], [1.0, 2.0], 0.01, is_training=False
        )
        return run(
            tf,
            nn.conv1d(line, w1, 1, "SAME"),
            nn.conv1d(value=line, filters=w1, stride=2, padding="VALID", data_format="NWC"),
            nn.conv3d_transpose(volume, w3, [1, 3, 3, 3, 1], [1, 1, 1, 1, 1], "VALID"),
            nn.avg_pool2d(image, 2, 2, "VALID"),
            nn.avg_pool_v2(image, 2, 1, "SAME"),
            nn.max_pool_v2(image, 2, 2, "VALID"),
            nn.conv2d_backprop_filter(image, [2, 2, 2, 3], g, [1, 1, 1, 1], "VALID"),
            nn.conv2d_backprop_input([1, 4, 4, 2], w2, g, [1, 1, 1, 1], "VALID"),
            nn.depthwise_conv2d_native(image, numbers(2, 2, 2, 1), [1, 1, 1, 1], "VALID"),
            nn.convolution(image, w2, "VALID", dilation_rate=[2, 2]),
            nn.pool(image, [2, 2], "MAX", "VALID", strides=[2, 2]),
            nn.dilation2d(image, numbers(2, 2, 2), [1, 1, 1, 1], [1, 1, 1, 1], "VALID"),
            nn.erosion2d(image, numbers(2, 2, 2), [1, 1, 1, 1], [1, 1, 1, 1], "VALID"),
            *nn.max_pool_with_argmax(image, [1, 2, 2, 1], [1, 2, 2, 1], "VALID"),
            nn.sufficient_statistics(image, [0, 1], keep_dims=True)[:3],
            nn.weighted_moments(image, [1], np.abs(numbers(1, 4, 4, 2)), keep_dims=True),
            nn.batch_norm_with_global_normalization(
                *map(tf.constant, (image, [0.5, 0.0], [1.0, 2.0], [0.0, 1.0], [1.0, 1.0])),
                0.01, True,
            ),
            y, mean, variance, z,
            nn.relu_layer(numbers(2, 3), numbers(3, 2), [0.5, -0.5]),
            tf.space_to_batch(image, [[0, 0], [0, 0]], 2),
            nn.space_to_batch(image, [[0, 0], [0, 0]], block_shape=2),
            tf.batch_to_space(numbers(4, 1, 1, 1), [[0, 0], [0, 0]], 2),
            tf.batch_to_space_nd(numbers(4, 1, 1, 1), [2, 2], [[0, 0], [0, 0]]),
            tf.extract_image_patches(image, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID"),
            tf.image.resize_images(image, [3, 5]),
            tf.image.resize_images(image, [3, 5], 1, align_corners=True),
            tf.image.resize_bilinear(image, [3, 5]),
            tf.image.resize_bilinear(image, [3, 5], half_pixel_centers=True),
            tf.image.resize_nearest_neighbor(image, [3, 5], align_corners=True),
            tf.image.resize_bicubic(image, [3, 5]),
            tf.image.resize_area(image, [3, 5]),
            tf.image.resize_image_with_crop_or_pad(image, 2, 6),
            tf.image.transpose_image(image),
        )  # fmt: skip


@program
def former_losses(tf: Any, folder: str) -> list[Any]:
    """Losses with weights, and what a graph lists."""
    losses = tf.losses
    with tf.Graph().as_default():
        labels, scores = numbers(2, 3), numbers(3, 2).T + 0.5
        bits, shares = (labels > 0).astype(np.float32), 1 / (1 + np.exp(-scores))
        made = [
            losses.huber_loss(labels, scores),
            losses.huber_loss(labels, scores, [[1.0], [0.5]], 0.3),
            losses.log_loss(bits, shares, epsilon=1e-3),
            losses.hinge_loss(bits, scores, [[0.0], [1.0]]),
            losses.cosine_distance(labels, scores, axis=1),
            losses.cosine_distance(labels, scores, axis=0, reduction=losses.Reduction.NONE),
            losses.mean_pairwise_squared_error(labels, scores),
            losses.mean_pairwise_squared_error(labels, scores, [[2.0], [0.0]]),
            losses.get_regularization_loss(),
        ]
        sparse = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 0, 2], [2, 2])
        made.append(tf.nn.ctc_loss(sparse, numbers(4, 2, 4), [4, 3]))
        made.append(tf.nn.ctc_loss_v2([[1, 2], [3, 1]], numbers(4, 2, 4), [2, 1], [4, 3]))
        return [*run(tf, *made), len(losses.get_losses())]


@program
def former_functions(tf: Any, folder: str) -> list[Any]:
    """Functions by their earlier names, and with their earlier arguments."""
    with tf.Graph().as_default():
        x, sparse = numbers(2, 3), tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 3])
        ids = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [3, 0, 1], [3, 2])
        tables = [tf.constant([[0.0], [2.0]]), tf.constant([[1.0], [3.0]])]
        return run(
            tf,
            tf.arg_max(x, 1),
            tf.arg_min(x, dimension=0, output_type=tf.int32),
            tf.batch_gather(x, [[2, 0], [1, 1]]),
            tf.clip_by_average_norm(x, 0.1),
            tf.convert_to_tensor_or_sparse_tensor([1, 2]),
            tf.convert_to_tensor_or_indexed_slices([1.5]),
            tf.multinomial([[-50.0, 50.0], [50.0, -50.0]], 3),
            tf.random.multinomial([[-50.0, 50.0]], 2, output_dtype=tf.int32),
            tf.setdiff1d([1, 2, 3, 4], [2, 4]),
            tf.sparse_to_dense([[0, 1], [2, 0]], [3, 2], [5, 6]),
            tf.sparse_to_dense([1, 3], [4], 7, default_value=-1),
            tf.sparse_matmul(x, x, transpose_b=True, a_is_sparse=True),
            tf.sparse_add(sparse, sparse),
            tf.sparse_concat(1, [sparse, sparse]),
            tf.sparse_reduce_sum(sparse, 1),
            tf.sparse_reduce_max(sparse, reduction_axes=0, keep_dims=True),
            tf.sparse_reduce_sum_sparse(sparse, 1),
            tf.sparse_segment_mean(x, [0, 1], [0, 0]),
            tf.sparse_split(sp_input=sparse, num_split=3, axis=1)[1],
            tf.sparse.matmul(sparse, numbers(3, 2)),
            tf.reduce_join([["a", "b"], ["c", "d"]], 1, separator="-"),
            tf.reduce_join(["a", "b"], reduction_indices=[0], keep_dims=True),
            tf.string_to_hash_bucket(["a", "b"], 7),
            tf.substr("words", 1, 3),
            tf.verify_tensor_all_finite(x, "is not finite"),
            tf.sets.set_size(ids),
            tf.debugging.is_nan([np.nan, 1.0]),
            tf.linalg.transpose(x),
            tf.Print(x, [x, 1], "printed: "),
            tf.nn.embedding_lookup_sparse(tables, ids, None),
            tf.nn.embedding_lookup_sparse(tables, ids, None, "div", combiner="sum"),
            tf.nn.safe_embedding_lookup_sparse(tables, ids, partition_strategy="mod"),
            tf.nn.safe_embedding_lookup_sparse(tables, ids, default_id=1),
        )


@program
def former_changes(tf: Any, folder: str) -> list[Any]:
    """Changes of rows and of elements of variables, and blocks that change no value."""
    results: list[Any] = []
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", initializer=numbers(3, 2) + 2.0)
        session.run(tf.global_variables_initializer())
        for name in ("scatter_mul", "scatter_div", "scatter_max", "scatter_min"):
            session.run(getattr(tf, name)(v, [0, 2], [[2.0, 3.0], [0.5, 4.0]]))
            results.append(session.run(v))
        for name in ("scatter_nd_add", "scatter_nd_sub", "scatter_nd_update"):
            session.run(getattr(tf, name)(v, [[0, 1], [2, 0]], [1.5, -2.0]))
            results.append(session.run(v))
        session.run(tf.batch_scatter_update(v, [[0], [1], [1]], [[7.0], [8.0], [9.0]]))
        results.append(session.run(v))
        with tf.container("models"), tf.colocate_with(v), tf.op_scope([v], None, "block") as scope:
            results.append([scope, tf.constant(1.0, name="one").name])
        with tf.variable_op_scope([], "layer"):
            results.append(tf.get_variable("w", [2]).op.name)
        results.append(len(tf.model_variables()) + len(tf.moving_average_variables()))
    return results
