"""Gradients of linear algebra, convolutions, pooling, losses and transforms against differences.

First derivatives by central differences of the function, second ones by central differences
of the first; complex arguments by differences in both directions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from support.numeric import as_tensors, differences, slopes, weighted

import graphwright as tf

RANDOM = np.random.default_rng(3)


def normal(*shape: int) -> Any:
    return RANDOM.normal(size=shape)


def complexes(*shape: int) -> Any:
    return normal(*shape) + 1j * normal(*shape)


SQUARE = normal(3, 3) + 2 * np.eye(3)
COMPLEX = complexes(3, 3) + 2 * np.eye(3)
IMAGE, FILTER = normal(1, 4, 5, 4), normal(2, 3, 2, 4)
PROBABILITIES = np.array([[0.2, 0.3, 0.5], [0.6, 0.1, 0.3]])
SPECTRUM = complexes(2, 4)

CASES: dict[str, tuple[Callable[..., Any], Sequence[Any]]] = {
    "matmul": (lambda a, b: tf.matmul(a, b, adjoint_b=True), (complexes(2, 3), complexes(4, 3))),
    "matmul batched": (tf.matmul, (normal(2, 1, 2, 3), normal(4, 3, 2))),
    "einsum": (lambda a, b: tf.einsum("iij,jk->k", a, b), (normal(3, 3, 2), normal(2, 4))),
    "einsum stretched": (
        lambda a, b: tf.einsum("i...j,...jk->...ik", a, b),
        (normal(2, 1, 3), normal(4, 3, 2)),
    ),
    "tensordot": (lambda a, b: tf.tensordot(a, b, [[0], [1]]), (normal(3, 2), normal(4, 3))),
    "inv": (tf.linalg.inv, (COMPLEX,)),
    "inv adjoint": (lambda x: tf.linalg.inv(x, adjoint=True), (COMPLEX,)),
    "det": (tf.linalg.det, (COMPLEX,)),
    "slogdet": (lambda x: tf.linalg.slogdet(x)[1], (SQUARE,)),
    "solve": (lambda a, b: tf.linalg.solve(a, b, adjoint=True), (COMPLEX, complexes(3, 2))),
    "triangular_solve": (
        lambda a, b: tf.linalg.triangular_solve(a, b, lower=False, adjoint=True),
        (COMPLEX, complexes(2, 3, 2)),
    ),
    "lstsq tall": (lambda a, b: tf.linalg.lstsq(a, b, 0.1), (normal(4, 2), normal(4, 2))),
    "lstsq wide": (lambda a, b: tf.linalg.lstsq(a, b, 0.1), (normal(2, 4), normal(2, 2))),
    "values of svd": (lambda x: tf.linalg.svd(x, compute_uv=False), (complexes(4, 3),)),
    "rank one of svd": (
        lambda x: (lambda s, u, v: tf.matmul(u[:, :1], v[:, :1], adjoint_b=True))(
            *tf.linalg.svd(x)
        ),
        (complexes(3, 3),),
    ),
    "pinv": (tf.linalg.pinv, (normal(4, 3),)),
    "norm": (lambda x: tf.norm(x, 3, axis=-1), (normal(2, 3),)),
    "spectral norm": (lambda x: tf.norm(x, 2, axis=[0, 1]), (normal(2, 3),)),
    "tridiagonal_solve": (
        tf.linalg.tridiagonal_solve,
        (normal(3, 4) + np.array([[0], [4], [0]]), normal(4, 2)),
    ),
    "tridiagonal_matmul": (tf.linalg.tridiagonal_matmul, (complexes(3, 4), complexes(4, 2))),
    "cross": (tf.linalg.cross, (normal(2, 3), normal(2, 3))),
    "conv2d": (
        lambda x, f: tf.nn.conv2d(x, f, (2, 1), [[0, 0], [1, 0], [0, 2], [0, 0]]),
        (IMAGE, FILTER),
    ),
    "dilated conv2d": (
        lambda x, f: tf.nn.conv2d(x, f, 1, "SAME", dilations=2),
        (IMAGE, FILTER),
    ),
    "depthwise_conv2d": (
        lambda x, f: tf.nn.depthwise_conv2d(x, f, [1, 2, 2, 1], "SAME"),
        (IMAGE, normal(2, 2, 4, 2)),
    ),
    "conv2d_transpose": (
        lambda x, f: tf.nn.conv2d_transpose(x, f, [1, 4, 6, 2], 2),
        (normal(1, 2, 3, 2), normal(3, 3, 2, 2)),
    ),
    "max_pool": (lambda x: tf.nn.max_pool(x, 2, 1, "SAME"), (IMAGE,)),
    "avg_pool": (lambda x: tf.nn.avg_pool(x, 2, 1, "SAME"), (IMAGE,)),
    "avg_pool3d": (lambda x: tf.nn.avg_pool3d(x, 2, 1, "SAME"), (normal(1, 3, 2, 3, 2),)),
    "bias_add": (lambda x, b: tf.nn.bias_add(x, b, "NCHW"), (IMAGE, normal(4))),
    "softmax": (lambda x: tf.nn.softmax(x, axis=0), (normal(3, 2),)),
    "log_softmax": (tf.nn.log_softmax, (normal(2, 3),)),
    "elu": (tf.nn.elu, (normal(5),)),
    "selu": (tf.nn.selu, (normal(5),)),
    "softplus": (tf.nn.softplus, (normal(5),)),
    "softsign": (tf.nn.softsign, (normal(5),)),
    "gelu": (tf.nn.gelu, (normal(5),)),
    "l2_loss": (tf.nn.l2_loss, (normal(5),)),
    "fft2d": (tf.signal.fft2d, (complexes(2, 3),)),
    "ifft": (tf.signal.ifft, (complexes(2, 3),)),
    "rfft": (lambda x: tf.signal.rfft(x, [5]), (normal(2, 4),)),
    "rfft2d": (lambda x: tf.signal.rfft2d(x, [4, 3]), (normal(3, 5),)),
    "irfft": (lambda x: tf.signal.irfft(x, [5]), (SPECTRUM,)),
    "irfft2d": (lambda x: tf.signal.irfft2d(x, [2, 6]), (SPECTRUM,)),
    "stft": (lambda x: tf.signal.stft(x, 4, 2), (normal(9),)),
    "dct": (lambda x: tf.signal.dct(x, 3, norm="ortho"), (normal(2, 4),)),
    "overlap_and_add": (lambda x: tf.signal.overlap_and_add(x, 2), (normal(3, 4),)),
}

#: Each needs a few more digits than differences of differences have.
LOOSE = {"pinv", "rank one of svd"}


def gradients(function: Callable[..., Any], arrays: Sequence[Any]) -> list[Any]:
    """The derivatives of the weighted results."""
    return slopes(function, as_tensors(arrays), range(len(arrays)))


def second(function: Callable[..., Any]) -> Callable[..., Any]:
    """The gradient as a function."""
    return lambda *tensors: slopes(function, tensors, range(len(tensors)))


def check(function: Callable[..., Any], arrays: Sequence[Any], tolerance: float) -> None:
    found = gradients(function, arrays)
    for which, gradient in enumerate(found):
        wanted = differences(function, arrays, which, 1e-5)
        scale = max(np.abs(wanted).max(), 1.0)
        np.testing.assert_allclose(gradient.numpy(), wanted, rtol=tolerance, atol=tolerance * scale)


@pytest.mark.parametrize("name", CASES)
def test_first_derivatives(name: str) -> None:
    check(*CASES[name], 1e-5 if name in LOOSE else 1e-6)


@pytest.mark.parametrize("name", CASES)
def test_second_derivatives(name: str) -> None:
    function, arrays = CASES[name]
    check(second(function), arrays, 1e-4 if name in LOOSE else 1e-5)


@pytest.mark.parametrize("training", [True, False])
def test_fused_batch_norm_has_the_gradient_of_its_parts(training: bool) -> None:
    x, g = (RANDOM.normal(size=(2, 3, 4, 2)).astype(np.float32) for _ in range(2))
    scale, offset, mean = (RANDOM.uniform(0.5, 2, 2).astype(np.float32) for _ in range(3))
    variance = mean + 1

    def fused(x: Any, scale: Any, offset: Any) -> Any:
        given = ([], []) if training else (mean, variance)
        return tf.raw_ops.FusedBatchNormV3(
            x=x, scale=scale, offset=offset, mean=given[0], variance=given[1],
            epsilon=1e-3, is_training=training,
        )[0]  # fmt: skip

    def parts(x: Any, scale: Any, offset: Any) -> Any:
        center, spread = tf.nn.moments(x, [0, 1, 2]) if training else (mean, variance)
        return tf.nn.batch_normalization(x, center, spread, offset, scale, 1e-3)

    found = []
    for function in (fused, parts):
        tensors = [tf.constant(a) for a in (x, scale, offset)]
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(tensors)
            with tf.GradientTape() as tape:
                tape.watch(tensors)
                y = function(*tensors)
            first = tape.gradient(y, tensors, output_gradients=tf.constant(g))
            total = sum(weighted(v) for v in first)
        again = outer.gradient(total, tensors, unconnected_gradients="zero")
        found.append([y, *first, *again])
    for a, b in zip(*found):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("axes", [None, [0], [2, 0], [-1, 1]])
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft"])
def test_transforms_along_axes_are_those_of_numpy(name: str, axes: Any, norm: Any) -> None:
    x = normal(3, 4, 5) if name == "rfft" else complexes(3, 4, 5)
    lengths = None if axes is None else [4, 6][: len(axes)]
    theirs = getattr(np.fft, f"{name}n")(x, s=lengths, axes=axes, norm=norm)
    ours = getattr(tf.signal, f"{name}nd")(tf.constant(x), lengths, axes, norm)
    np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-12, atol=1e-12)
