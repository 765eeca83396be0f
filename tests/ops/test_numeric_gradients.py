"""Gradients of linear algebra, convolutions, pooling, losses and transforms against differences.

First derivatives by central differences of the function, second ones by central differences
of the first; complex arguments by differences in both directions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import graphwright as tf

RANDOM = np.random.default_rng(3)


def normal(*shape: int) -> Any:
    return RANDOM.normal(size=shape)


def complexes(*shape: int) -> Any:
    return normal(*shape) + 1j * normal(*shape)


def sign_free(x: Any) -> Any:
    """What of vectors does not depend on the sign or phase that a decomposition chooses."""
    return tf.math.real(x * tf.math.conj(x))


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
    "cholesky": (
        lambda x: tf.linalg.cholesky(tf.matmul(x, x, adjoint_b=True) + tf.eye(3, dtype=x.dtype)),
        (COMPLEX,),
    ),
    "q of qr": (lambda x: sign_free(tf.linalg.qr(x)[0]), (complexes(4, 3),)),
    "r of wide qr": (lambda x: sign_free(tf.linalg.qr(x)[1]), (normal(2, 4),)),
    "values of svd": (lambda x: tf.linalg.svd(x, compute_uv=False), (complexes(4, 3),)),
    "vectors of svd": (
        lambda x: [sign_free(v) for v in tf.linalg.svd(x)[1:]],
        (complexes(4, 3),),
    ),
    "rank one of svd": (
        lambda x: (lambda s, u, v: tf.matmul(u[:, :1], v[:, :1], adjoint_b=True))(
            *tf.linalg.svd(x)
        ),
        (complexes(3, 3),),
    ),
    "eigh": (
        lambda x: [sign_free(v) for v in tf.linalg.eigh(x + tf.linalg.adjoint(x))],
        (COMPLEX,),
    ),
    "eig": (lambda x: [sign_free(v) for v in tf.linalg.eig(x)], (SQUARE,)),
    "lu": (lambda x: tf.linalg.lu(x)[0], (COMPLEX,)),
    "expm": (tf.linalg.expm, (0.3 * COMPLEX,)),
    "sqrtm": (
        lambda x: tf.linalg.sqrtm(tf.matmul(x, x, adjoint_b=True) + tf.eye(3, dtype=x.dtype)),
        (COMPLEX,),
    ),
    "logm": (lambda x: tf.linalg.logm(x), (0.2 * complexes(3, 3) + 2 * np.eye(3),)),
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
    "conv3d": (
        lambda x, f: tf.nn.conv3d(x, f, 1, "SAME"),
        (normal(1, 3, 2, 3, 2), normal(2, 1, 2, 2, 2)),
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
    "max_pool_with_argmax": (
        lambda x: tf.nn.max_pool_with_argmax(x, 2, 2, "SAME")[0],
        (IMAGE,),
    ),
    "avg_pool": (lambda x: tf.nn.avg_pool(x, 2, 1, "SAME"), (IMAGE,)),
    "avg_pool3d": (lambda x: tf.nn.avg_pool3d(x, 2, 1, "SAME"), (normal(1, 3, 2, 3, 2),)),
    "bias_add": (lambda x, b: tf.nn.bias_add(x, b, "NCHW"), (IMAGE, normal(4))),
    "softmax": (lambda x: tf.nn.softmax(x, axis=0), (normal(3, 2),)),
    "log_softmax": (tf.nn.log_softmax, (normal(2, 3),)),
    "cross entropy": (tf.nn.softmax_cross_entropy_with_logits, (PROBABILITIES, normal(2, 3))),
    "sparse cross entropy": (
        lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits([0, 2], x),
        (normal(2, 3),),
    ),
    "elu": (tf.nn.elu, (normal(5),)),
    "selu": (tf.nn.selu, (normal(5),)),
    "softplus": (tf.nn.softplus, (normal(5),)),
    "softsign": (tf.nn.softsign, (normal(5),)),
    "gelu": (tf.nn.gelu, (normal(5),)),
    "l2_loss": (tf.nn.l2_loss, (normal(5),)),
    "ctc_loss": (
        lambda x: tf.nn.ctc_loss([[1, 2, 1]], x, [3], [5]),
        (normal(5, 1, 3),),
    ),
    "fft2d": (tf.signal.fft2d, (complexes(2, 3),)),
    "ifft": (tf.signal.ifft, (complexes(2, 3),)),
    "rfft": (lambda x: tf.signal.rfft(x, [5]), (normal(2, 4),)),
    "rfft2d": (lambda x: tf.signal.rfft2d(x, [4, 3]), (normal(3, 5),)),
    "irfft": (lambda x: tf.signal.irfft(x, [5]), (SPECTRUM,)),
    "irfft2d": (lambda x: tf.signal.irfft2d(x, [2, 6]), (SPECTRUM,)),
    "fftnd": (
        lambda x: tf.signal.fftnd(x, [4, 2], axes=[0, 2], norm="ortho"),
        (complexes(3, 2, 3),),
    ),
    "ifftnd": (lambda x: tf.signal.ifftnd(x, axes=[1]), (complexes(2, 3),)),
    "rfftnd": (lambda x: tf.signal.rfftnd(x, [3, 5], axes=[2, 0]), (normal(4, 2, 4),)),
    "irfftnd": (lambda x: tf.signal.irfftnd(x, axes=[1, 0]), (complexes(3, 4),)),
    "stft": (lambda x: tf.signal.stft(x, 4, 2), (normal(9),)),
    "dct": (lambda x: tf.signal.dct(x, 3, norm="ortho"), (normal(2, 4),)),
    "overlap_and_add": (lambda x: tf.signal.overlap_and_add(x, 2), (normal(3, 4),)),
}

#: The first derivatives of these are right, but not themselves differentiable.
ONCE = {"ctc_loss"}
#: Each needs a few more digits than differences of differences have.
LOOSE = {"pinv", "lu", "eig", "vectors of svd", "q of qr", "rank one of svd", "eigh"}


def weighted(results: Any) -> Any:
    """A real number that depends on every part of the results."""
    total: Any = 0.0
    for result in results if isinstance(results, (list, tuple)) else [results]:
        places = np.arange(result.numpy().size).reshape(result.shape)
        factors = 1 + 0.5 * np.cos(places)
        parts = (
            [tf.math.real(result), tf.math.imag(result)] if result.dtype.is_complex else [result]
        )
        for turn, part in enumerate(parts):
            total += tf.reduce_sum(part * tf.constant(factors - 0.3 * turn, part.dtype))
    return total


def gradients(function: Callable[..., Any], arrays: Sequence[Any]) -> list[Any]:
    """The derivatives of the weighted results."""
    tensors = [tf.constant(a) for a in arrays]
    with tf.GradientTape() as tape:
        for x in tensors:
            tape.watch(x)
        total = weighted(function(*tensors))
    return tape.gradient(total, tensors)


def second(function: Callable[..., Any]) -> Callable[..., Any]:
    """The gradient as a function."""

    def gradient(*tensors: Any) -> Any:
        with tf.GradientTape() as tape:
            for x in tensors:
                tape.watch(x)
            total = weighted(function(*tensors))
        return [tf.convert_to_tensor(g) for g in tape.gradient(total, list(tensors))]

    return gradient


def differences(function: Callable[..., Any], arrays: Sequence[Any], which: int) -> Any:
    """The derivative with regard to one array by central differences."""
    step = 1e-5
    x = arrays[which]
    result = np.zeros_like(x)
    for direction in (1.0, 1j) if np.iscomplexobj(x) else (1.0,):
        for place in np.ndindex(x.shape):
            ends = []
            for sign in (1, -1):
                moved = x.copy()
                moved[place] += sign * step * direction
                inputs = [moved if i == which else a for i, a in enumerate(arrays)]
                ends.append(float(weighted(function(*[tf.constant(a) for a in inputs]))))
            result[place] += direction * (ends[0] - ends[1]) / (2 * step)
    return result


def check(function: Callable[..., Any], arrays: Sequence[Any], tolerance: float) -> None:
    found = gradients(function, arrays)
    for which, gradient in enumerate(found):
        wanted = differences(function, arrays, which)
        got = np.zeros_like(wanted) if gradient is None else tf.convert_to_tensor(gradient).numpy()
        scale = max(np.abs(wanted).max(), 1.0)
        np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance * scale)


@pytest.mark.parametrize("name", CASES)
def test_first_derivatives(name: str) -> None:
    check(*CASES[name], 1e-5 if name in LOOSE else 1e-6)


@pytest.mark.parametrize("name", [n for n in CASES if n not in ONCE])
def test_second_derivatives(name: str) -> None:
    function, arrays = CASES[name]
    check(second(function), arrays, 1e-4 if name in LOOSE else 1e-5)


@pytest.mark.parametrize("training", [True, False])
def test_fused_batch_norm_has_the_gradient_of_its_parts(training: bool) -> None:
    x, g = (RANDOM.normal(size=(2, 3, 4, 2)).astype(np.float32) for _ in range(2))
    scale, offset, mean = (RANDOM.uniform(0.5, 2, 2).astype(np.float32) for _ in range(3))
    variance = mean + 1

    def fused(x: Any, scale: Any, offset: Any) -> Any:
        from graphwright.ops.batch_norm import fused_batch_norm

        given = (None, None) if training else (mean, variance)
        return fused_batch_norm(x, scale, offset, *given, 1e-3, is_training=training)[0]

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


def test_local_response_normalization_has_the_gradient_of_differences() -> None:
    x = RANDOM.normal(size=(1, 1, 2, 6)).astype(np.float32)
    function = lambda v: tf.nn.lrn(v, 2, 1.5, 0.3, 0.75)  # noqa: E731
    (found,) = gradients(function, [x])
    step = 1e-2
    for place in np.ndindex(x.shape):
        ends = []
        for sign in (1, -1):
            moved = x.copy()
            moved[place] += sign * step
            ends.append(float(weighted(function(tf.constant(moved)))))
        assert abs((ends[0] - ends[1]) / (2 * step) - found.numpy()[place]) < 5e-3


@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("axes", [None, [0], [2, 0], [-1, 1]])
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft"])
def test_transforms_along_axes_are_those_of_numpy(name: str, axes: Any, norm: Any) -> None:
    x = normal(3, 4, 5) if name == "rfft" else complexes(3, 4, 5)
    lengths = None if axes is None else [4, 6][: len(axes)]
    theirs = getattr(np.fft, f"{name}n")(x, s=lengths, axes=axes, norm=norm)
    ours = getattr(tf.signal, f"{name}nd")(tf.constant(x), lengths, axes, norm)
    np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-12, atol=1e-12)
