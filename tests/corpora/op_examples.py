"""Programs that run the ops of which no golden case gives a sample, and their operands.

What an op's derivative with regard to an operand does not show alone stands here too: of vectors
up to a phase, of matrices of which one triangle is read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from support.numeric import slopes

import graphwright as tf
from graphwright.op.interpreter import apply
from graphwright.ops.core.movement import SumTo

RANDOM = np.random.default_rng(3)


class Example(NamedTuple):
    """A program whose ops have the derivatives that differences have."""

    program: Callable[..., Any]
    operands: Sequence[Any]
    #: Whether its first derivatives have derivatives; without them it has no forward ones.
    twice: bool = True


def normal(*shape: int) -> Any:
    return RANDOM.normal(size=shape)


def complexes(*shape: int) -> Any:
    return normal(*shape) + 1j * normal(*shape)


def single(*shape: int) -> Any:
    return RANDOM.uniform(0.2, 0.8, shape).astype(np.float32)


def sign_free(x: Any) -> Any:
    """What of vectors does not depend on the sign or phase that a decomposition chooses."""
    return tf.math.real(x * tf.math.conj(x))


def positive(x: Any) -> Any:
    """A positive definite matrix made of any."""
    return tf.matmul(x, x, adjoint_b=True) + tf.eye(x.shape[-1], dtype=x.dtype)


def sparse(values: Any, shift: int = 0) -> Any:
    """A sparse matrix of four values, some of them elsewhere for another shift."""
    places = [[0, 0], [0, 2 + shift], [2, 1 - shift], [2, 3]]
    return tf.SparseTensor(places, values, [3, 4])


def listed(x: Any) -> Any:
    """A list of the rows of a matrix."""
    return tf.raw_ops.TensorListFromTensor(tensor=x, element_shape=x.shape[1:])


def stacked(rows: Any, width: int = 2) -> Any:
    return tf.raw_ops.TensorListStack(
        input_handle=rows, element_shape=[width], element_dtype=tf.float64
    )


def staged(program: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """The program as one traced call."""
    return tf.function(program, reduce_retracing=False, **options)


@tf.custom_gradient
def doubled(x: Any) -> Any:
    return 2.0 * x, lambda g: 2.0 * g


SQUARE = normal(3, 3) + 2 * np.eye(3)
COMPLEX = complexes(3, 3) + 2 * np.eye(3)
SPECTRUM = complexes(2, 2, 3)
VOLUME, IMAGE = normal(1, 2, 3, 2, 1), normal(1, 3, 4, 2)
PICTURE = single(1, 2, 2, 3)
VALUES = np.array([0.5, -1.0, 2.0, 0.25])
ROWS = normal(3, 2)
#: In steps so large that a difference changes no order.
SPREAD = RANDOM.permutation(12).reshape(1, 2, 3, 2, 1).astype(np.float32) / 4
BOXES = np.array([[0.1, 0.2, 0.75, 0.9], [0.3, 0.7, 0.55, 0.4]], np.float32)
PICTURES = tf.constant(single(1, 4, 5, 1))
FIRST = np.array([0.1, 0.7, -0.4])


def batch_normalized(x: Any, scale: Any, offset: Any, is_training: bool) -> Any:
    mean, variance = (tf.constant([], tf.float32),) * 2
    if not is_training:
        mean, variance = tf.constant([0.5, 0.4]), tf.constant([1.0, 2.0])
    return tf.raw_ops.FusedBatchNormV3(
        x=x, scale=scale, offset=offset, mean=mean, variance=variance, is_training=is_training
    )[0]


def branched(x: Any) -> Any:
    return tf.cond(tf.reduce_sum(x) > -99.0, lambda: tf.sin(x), lambda: x)


def cased(x: Any) -> Any:
    i = tf.cast(tf.reduce_sum(x * 0.0), tf.int32) + 1
    return tf.switch_case(i, [lambda: x, lambda: tf.sin(x) * x])


def looped(x: Any) -> Any:
    return tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, tf.sin(y) * x), (0, x))[1]


def written(x: Any) -> Any:
    """What is written in a loop, one after the other, and taken back."""
    array = tf.TensorArray(tf.float64, 3, element_shape=[2])
    for i in tf.range(3):
        array = array.write(i, x[i] * x[0])
    return array.stack()


def noted(x: Any) -> Any:
    tf.print("noted", output_stream="file:///dev/null")
    return x * x


EXAMPLES: dict[str, Example] = {
    "adjust_contrast": Example(lambda x: tf.image.adjust_contrast(x, 1.5), [PICTURE]),
    "avg_pool3d": Example(lambda x: tf.nn.avg_pool3d(x, 2, 1, "SAME"), [VOLUME]),
    "matmul of two dtypes": Example(
        lambda x, y: tf.raw_ops.BatchMatMulV3(x=x, y=y, Tout=tf.float64), [SQUARE, normal(2, 3, 1)]
    ),
    "sum to a shape": Example(lambda x: apply(SumTo.of(), x, (1, x.shape[-1])), [normal(3, 2, 4)]),
    "switch_case": Example(cased, [FIRST]),
    "switch_case traced": Example(staged(cased), [FIRST]),
    "py_function": Example(
        lambda x, y: tf.py_function(lambda a, b: a**3 * b, [x, y], tf.float64), [FIRST, FIRST**2]
    ),
    "cond traced": Example(staged(branched), [FIRST]),
    "while_loop traced": Example(staged(looped), [FIRST]),
    "effects in a branch traced": Example(
        staged(lambda x: tf.cond(x[0] > -9.0, lambda: noted(x), lambda: x)), [FIRST]
    ),
    "effects in a case traced": Example(
        staged(lambda x: tf.switch_case(tf.cast(x[0] * 0.0, tf.int32), [lambda: noted(x)])),
        [FIRST],
    ),
    "effects in a loop traced": Example(
        staged(
            lambda x: tf.while_loop(
                lambda i, _: i < 2, lambda i, y: (i + 1, noted(y) * x), (0, x)
            )[1]
        ),
        [FIRST],
    ),
    "effects in a call": Example(staged(lambda x: staged(noted)(x) * x), [FIRST]),
    "map_fn": Example(lambda x: tf.map_fn(tf.sin, x), [ROWS]),
    "TensorArray traced": Example(staged(written), [ROWS]),
    "conv3d": Example(
        lambda x, f: tf.nn.conv3d(x, f, [1] * 5, "SAME"), [VOLUME, normal(2, 2, 1, 1, 2)]
    ),
    "custom_gradient": Example(doubled, [FIRST]),
    "depthwise_conv2d": Example(
        lambda x, f: tf.nn.depthwise_conv2d(x, f, [1] * 4, "SAME"), [IMAGE, normal(2, 2, 2, 2)]
    ),
    "dilation2d": Example(
        lambda x, f: tf.nn.dilation2d(x, f, [1, 1, 2, 1], "SAME", "NHWC", [1, 1, 2, 1]),
        [IMAGE, normal(2, 2, 2)],
    ),
    "erosion2d": Example(
        lambda x, f: tf.nn.erosion2d(x, f, [1] * 4, "VALID", "NHWC", [1] * 4),
        [IMAGE, normal(2, 2, 2)],
    ),
    "lrn": Example(lambda x: tf.nn.lrn(x, 1, 1.5, 0.3, 0.75), [single(1, 1, 2, 4)]),
    "extract_volume_patches": Example(
        lambda x: tf.extract_volume_patches(x, [1, 2, 2, 1, 1], [1, 1, 1, 1, 1], "SAME"), [VOLUME]
    ),
    "fftnd": Example(lambda x: tf.signal.fftnd(x, [3, 2], axes=[0, 2]), [SPECTRUM]),
    "ifftnd": Example(lambda x: tf.signal.ifftnd(x, axes=[1]), [SPECTRUM]),
    "rfftnd": Example(lambda x: tf.signal.rfftnd(x, [3, 3], axes=[2, 0]), [normal(2, 2, 3)]),
    "irfftnd": Example(lambda x: tf.signal.irfftnd(x, axes=[1, 0]), [SPECTRUM]),
    "rfft3d": Example(tf.signal.rfft3d, [normal(2, 2, 3)]),
    "irfft3d": Example(tf.signal.irfft3d, [SPECTRUM]),
    "check_numerics": Example(lambda x: tf.debugging.check_numerics(x, "x"), [FIRST]),
    "CheckNumericsV2": Example(
        lambda x: tf.raw_ops.CheckNumericsV2(tensor=x, message="x"), [FIRST]
    ),
    "NthElement": Example(
        lambda x: tf.raw_ops.NthElement(input=x, n=1, reverse=True), [normal(2, 3)]
    ),
    "max_pool3d": Example(lambda x: tf.nn.max_pool3d(x, 2, 1, "SAME"), [SPREAD]),
    "max_pool_with_argmax": Example(
        lambda x: tf.nn.max_pool_with_argmax(x, 2, 2, "SAME")[0], [IMAGE]
    ),
    "batch norm in training": Example(
        lambda x, s, o: batch_normalized(x, s, o, True), [single(2, 2, 2, 2), single(2), single(2)]
    ),
    "batch norm": Example(
        lambda x, s, o: batch_normalized(x, s, o, False), [single(2, 2, 2, 2), single(2), single(2)]
    ),
    "crop_and_resize": Example(
        lambda x: tf.image.crop_and_resize(x, BOXES, [0, 0], [2, 3]), [single(1, 4, 5, 1)]
    ),
    "boxes of crop_and_resize": Example(
        lambda b, x: tf.image.crop_and_resize(x, b, [0, 0], [2, 3]), [BOXES, PICTURES.numpy()]
    ),
    "middles of boxes": Example(
        lambda b: tf.image.crop_and_resize(PICTURES, b, [0, 0], [1, 1]), [BOXES]
    ),
    "boxes of the cotangents of images": Example(
        lambda b: slopes(lambda x: tf.image.crop_and_resize(x, b, [0, 0], [2, 3]), [PICTURES], [0]),
        [BOXES],
    ),
    "some of the log-sums so far": Example(  # the cotangent of the others is zero
        lambda x: tf.math.cumulative_logsumexp(x)[1::2], [normal(5)]
    ),
    "log-sums from the end": Example(
        lambda x: tf.math.cumulative_logsumexp(x, 1, exclusive=True, reverse=True)[:, :2],
        [normal(2, 4)],
    ),
    "bicubic": Example(lambda x: tf.image.resize(x, [3, 2], "bicubic"), [single(1, 2, 3, 1)]),
    "bilinear": Example(lambda x: tf.image.resize(x, [3, 2]), [single(1, 2, 3, 1)]),
    "ctc_loss": Example(
        lambda x: tf.nn.ctc_loss([[1, 2, 1]], x, [3], [5]), [normal(5, 1, 3)], twice=False
    ),
    "cross entropy": Example(
        tf.nn.softmax_cross_entropy_with_logits,
        [np.array([[0.2, 0.3, 0.5], [0.6, 0.1, 0.3]]), normal(2, 3)],
    ),
    "sparse cross entropy": Example(
        lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits([0, 2], x), [normal(2, 3)]
    ),
    "cholesky": Example(lambda x: tf.linalg.cholesky(positive(x)), [COMPLEX]),
    "eig": Example(lambda x: [sign_free(v) for v in tf.linalg.eig(x)], [SQUARE]),
    "eigh": Example(
        lambda x: [sign_free(v) for v in tf.linalg.eigh(x + tf.linalg.adjoint(x))], [COMPLEX]
    ),
    "lu": Example(lambda x: tf.linalg.lu(x)[0], [COMPLEX]),
    "logm": Example(tf.linalg.logm, [0.2 * complexes(2, 2) + 2 * np.eye(2)]),
    "expm": Example(tf.linalg.expm, [0.3 * complexes(2, 2)]),
    "sqrtm": Example(lambda x: tf.linalg.sqrtm(positive(x)), [complexes(2, 2)]),
    "q of qr": Example(lambda x: sign_free(tf.linalg.qr(x)[0]), [complexes(4, 3)]),
    "r of wide qr": Example(lambda x: sign_free(tf.linalg.qr(x)[1]), [normal(2, 4)]),
    "vectors of svd": Example(
        lambda x: [sign_free(v) for v in tf.linalg.svd(x)[1:]], [complexes(4, 3)]
    ),
    "sparse add": Example(
        lambda x, y: tf.sparse.add(sparse(x), sparse(y, 1)).values, [VALUES, VALUES[::-1].copy()]
    ),
    "sparse concat": Example(
        lambda x, y: tf.sparse.concat(1, [sparse(x), sparse(y, 1)]).values, [VALUES, VALUES**2]
    ),
    "fill_empty_rows": Example(
        lambda x, y: tf.raw_ops.SparseFillEmptyRows(
            indices=sparse(x).indices, values=x, dense_shape=[3, 4], default_value=y
        ).output_values,
        [VALUES, np.array(0.5)],
    ),
    "sparse reduce_sum": Example(lambda x: tf.sparse.reduce_sum(sparse(x), 1), [VALUES]),
    "sparse reorder": Example(
        lambda x: tf.sparse.reorder(tf.SparseTensor([[1, 0], [0, 1]], x, [2, 2])).values,
        [VALUES[:2]],
    ),
    "sparse slice": Example(lambda x: tf.sparse.slice(sparse(x), [0, 1], [3, 2]).values, [VALUES]),
    "sparse softmax": Example(lambda x: tf.sparse.softmax(sparse(x)).values, [VALUES]),
    "sparse maximum": Example(
        lambda x, y: tf.sparse.maximum(sparse(x), sparse(y, 1)).values, [VALUES, VALUES + 0.3]
    ),
    "sparse minimum": Example(
        lambda x, y: tf.sparse.minimum(sparse(x), sparse(y, 1)).values, [VALUES, VALUES + 0.3]
    ),
    "sparse and dense": Example(
        lambda x, y: tf.sparse.add(sparse(x), y), [VALUES, normal(3, 4)]
    ),
    "sparse matmul": Example(
        lambda x, y: tf.sparse.sparse_dense_matmul(sparse(x), y), [VALUES, normal(4, 2)]
    ),
    "sparse to_dense": Example(lambda x: tf.sparse.to_dense(sparse(x)), [VALUES]),
    "list stack": Example(lambda x: stacked(listed(x)), [ROWS]),
    "list concat": Example(
        lambda x: tf.raw_ops.TensorListConcatV2(
            input_handle=listed(tf.reshape(x, [3, 1, 2])), element_shape=[1, 2],
            leading_dims=[1, 1, 1], element_dtype=tf.float64,
        ).tensor,
        [ROWS],
    ),
    "list gather": Example(
        lambda x: tf.raw_ops.TensorListGather(
            input_handle=listed(x), indices=[2, 0, 2], element_shape=[2], element_dtype=tf.float64
        ),
        [ROWS],
    ),
    "list get and set": Example(
        lambda x, y: stacked(
            tf.raw_ops.TensorListSetItem(
                input_handle=listed(x), index=1,
                item=y * tf.raw_ops.TensorListGetItem(
                    input_handle=listed(x), index=2, element_shape=[2], element_dtype=tf.float64
                ),
            )
        ),
        [ROWS, normal(2)],
    ),
    "list push and pop": Example(
        lambda x, y: [
            stacked(z) if z.dtype is tf.variant else z
            for z in tf.raw_ops.TensorListPopBack(
                input_handle=tf.raw_ops.TensorListPushBack(
                    input_handle=tf.raw_ops.TensorListPushBack(input_handle=listed(x), tensor=y),
                    tensor=y * y,
                ),
                element_shape=[2], element_dtype=tf.float64,
            )
        ],
        [ROWS, normal(2)],
    ),
    "list resize": Example(
        lambda x: stacked(tf.raw_ops.TensorListResize(input_handle=listed(x), size=2)), [ROWS]
    ),
    "list scatter": Example(
        lambda x: stacked(
            tf.raw_ops.TensorListScatterV2(
                tensor=x, indices=[2, 0, 1], element_shape=[2], num_elements=3
            )
        ),
        [ROWS],
    ),
    "list scatter into another": Example(
        lambda x, y: stacked(
            tf.raw_ops.TensorListScatterIntoExistingList(
                input_handle=listed(x), tensor=y, indices=[2, 0]
            )
        ),
        [ROWS, normal(2, 2)],
    ),
    "list split": Example(
        lambda x: tf.raw_ops.TensorListConcatV2(
            input_handle=tf.raw_ops.TensorListSplit(
                tensor=x, element_shape=[-1, 2], lengths=[1, 2]
            ),
            element_shape=[-1, 2], leading_dims=[1, 2], element_dtype=tf.float64,
        ).tensor,
        [ROWS],
    ),
    "strided slice update": Example(
        lambda x, y: tf.raw_ops.TensorStridedSliceUpdate(
            input=x, begin=[1, 0], end=[3, 1], strides=[1, 1], value=y
        ),
        [ROWS, normal(2, 1)],
    ),
}  # fmt: skip
