"""Transforms are those of NumPy in double precision, and as exact as pocketfft's."""

from __future__ import annotations

import functools
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphwright as tf
from graphwright.machine import threads
from graphwright.machine.targets import Vectors
from graphwright.ops.signal import line_transforms as lines
from graphwright.ops.signal.transform_code import ROOTS, FourierCode

pytestmark = pytest.mark.usefixtures("every_size")

#: 2^a 3^b 5^c: single factors, all factors, lengths of both kinds of lines.
LENGTHS = [2, 3, 4, 5, 6, 8, 9, 10, 15, 16, 20, 27, 30, 32, 48, 60, 64, 75, 80, 96, 100, 125, 128]
LENGTHS += [144, 160, 192, 240, 256, 320, 500, 512, 625, 640, 729, 1000, 1024, 2048, 4096]
#: The root of the mean of squared errors: so much for each doubling of the length.
ERRORS = {"F": 3e-8, "D": 1.2e-16}
DTYPES = ["F", "D"]


@pytest.fixture
def every_size(monkeypatch: pytest.MonkeyPatch, native_kernels: None) -> None:
    """However little work there is, native code does it."""
    monkeypatch.setattr(lines, "WORTH_CALLING", 1)
    monkeypatch.setattr(lines, "WORTH_MAKING", 1)


def numbers(dtype: str, *dims: int, seed: int = 0) -> Any:
    random = np.random.default_rng(seed)
    x = random.normal(size=dims)
    return (x + 1j * random.normal(size=dims) if dtype in "FD" else x).astype(dtype)


def check(actual: Any, wanted: Any, n: int) -> None:
    """The error is that of a transform of n numbers, in the precision of the result."""
    assert actual is not None
    assert actual.shape == wanted.shape
    kind = "F" if actual.dtype.itemsize == 4 * (1 + (actual.dtype.kind == "c")) else "D"
    size = np.sqrt(np.mean(np.abs(wanted) ** 2))
    error = np.sqrt(np.mean(np.abs(actual - wanted) ** 2)) / size
    assert error <= ERRORS[kind] * (2 + np.log2(n)), (n, error)
    assert np.abs(actual - wanted).max() / size <= 8 * ERRORS[kind] * (2 + np.log2(n))


def transforms(dtype: str, n: int, batch: int) -> None:
    """Every kind of transform of a length is NumPy's."""
    real = dtype.lower()
    z, r = numbers(dtype, batch, n), numbers(real, batch, n)
    wide = z.astype("D")
    if batch > 1 or lines.is_split(n, lines.kernel(32 if dtype == "F" else 64).code.lanes):
        check(lines.complex_transform(z, -1, False), np.fft.fft(wide), n)
        check(lines.complex_transform(z, 1, True), np.fft.ifft(wide), n)
    if batch > 1 and n > 1:
        columns = np.ascontiguousarray(z.T)
        check(lines.complex_transform(columns, 0, False), np.fft.fft(wide).T, n)
    if n % 2 == 0 and n > 2 and batch > 1:
        half = np.fft.rfft(r.astype("d"))
        check(lines.half_spectrum(r, n), half, n)
        half = half.astype(dtype)
        check(lines.signal(half, n), np.fft.irfft(half.astype("D"), n), n)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", LENGTHS)
def test_lengths_and_batches(n: int, dtype: str) -> None:
    for batch in (1, 2, 7, 8, 9, 17):
        transforms(dtype, n, batch)


@pytest.mark.parametrize(
    "vectors",
    [
        Vectors(512, 32, True),
        Vectors(256, 16, True),
        Vectors(256, 16, False),
        Vectors(128, 16, False),
    ],
    ids=str,
)
def test_vectors_of_other_processors(vectors: Vectors, monkeypatch: pytest.MonkeyPatch) -> None:
    load = functools.cache(lambda bits: lines.load(FourierCode(vectors, bits)))
    monkeypatch.setattr(lines, "kernel", load)
    lines.preset.cache_clear()
    try:
        for dtype in DTYPES:
            for n in (4, 9, 16, 30, 64, 80, 240, 1024):
                for batch in (1, 3, 9):
                    transforms(dtype, n, batch)
    finally:
        lines.preset.cache_clear()


@settings(max_examples=150)
@given(
    factors=st.tuples(st.integers(0, 8), st.integers(0, 3), st.integers(0, 2)),
    before=st.integers(1, 5),
    behind=st.integers(1, 19),
    axis=st.integers(0, 2),
    step=st.sampled_from([1, 2, -1]),
    dtype=st.sampled_from(DTYPES),
    is_inverse=st.booleans(),
    seed=st.integers(0, 9),
)
def test_axes_strides_and_batches(
    factors: tuple[int, int, int],
    before: int,
    behind: int,
    axis: int,
    step: int,
    dtype: str,
    is_inverse: bool,
    seed: int,
) -> None:
    n = 2 ** factors[0] * 3 ** factors[1] * 5 ** factors[2]
    dims = [before, behind]
    dims.insert(axis, n)
    x = numbers(dtype, *dims[:-1], 2 * dims[-1], seed=seed)[..., ::step][..., : dims[-1]]
    actual = lines.complex_transform(x, axis, is_inverse)
    if actual is None:
        assert n == 1 or x.size < 2 * n
        return
    transform = np.fft.ifft if is_inverse else np.fft.fft
    check(actual, transform(x.astype("D"), axis=axis), n)


@settings(max_examples=60)
@given(
    half=st.sampled_from([n for n in LENGTHS if n < 700]),
    more=st.integers(0, 3),
    count=st.integers(2, 11),
    dtype=st.sampled_from("fd"),
)
def test_reals_are_cropped(half: int, more: int, count: int, dtype: str) -> None:
    n = 2 * half
    x = numbers(dtype, count, n + more)
    check(lines.half_spectrum(x, n), np.fft.rfft(x.astype("d"), n), n)
    z = numbers(dtype.upper(), count, half + 1 + more)
    check(lines.signal(z, n), np.fft.irfft(z.astype("D"), n), n)


def test_roots_are_rounded_once() -> None:
    with mpmath.workdps(40):
        for n in (1, 2, 3, 5, 7, 12, 24, 60, 81, 1000, 1024):
            for k, root in enumerate(lines.roots(n).tolist()):
                angle = 2 * mpmath.pi * k / n
                assert abs(root.real - mpmath.cos(angle)) <= 2**-53 * 1.01, (n, k)
                assert abs(root.imag + mpmath.sin(angle)) <= 2**-53 * 1.01, (n, k)
        for n, pairs in ROOTS.items():
            for k, (cosine, sine) in enumerate(pairs):
                angle = 2 * mpmath.pi * k / n
                assert abs(cosine - mpmath.cos(angle)) < 2**-52, (n, k)
                assert abs(sine - mpmath.sin(angle)) < 2**-52, (n, k)


@pytest.mark.parametrize("n", [60, 64, 256])
def test_sums_in_forty_digits(n: int) -> None:
    z = numbers("D", 2, n)
    with mpmath.workdps(40):
        roots = [mpmath.expjpi(mpmath.mpf(-2 * k) / n) for k in range(n)]
        line = [mpmath.mpc(value) for value in z[1].tolist()]
        wanted = [
            complex(mpmath.fsum(x * roots[j * k % n] for j, x in enumerate(line)))
            for k in range(n)
        ]
    actual: Any = lines.complex_transform(z, -1, False)
    check(actual[1], np.array(wanted), n)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [30, 64, 1000, 4096])
def test_errors_are_at_most_those_of_pocketfft(n: int, dtype: str) -> None:
    pocketfft = pytest.importorskip("scipy.fft")
    z = numbers(dtype, 40, n)
    wide = np.clongdouble if np.finfo(np.longdouble).eps < 1e-18 else np.complex128
    wanted = pocketfft.fft(z.astype(wide))

    def error(y: Any) -> float:
        return float(np.sqrt(np.mean(np.abs(y - wanted) ** 2)))

    ours = error(lines.complex_transform(z, -1, False))
    assert ours <= 1.1 * error(pocketfft.fft(z))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("n", [16, 60, 256])
def test_what_is_not_finite_stays_in_its_line(n: int, value: float) -> None:
    for dtype in "Ff":
        x = numbers(dtype, 11, n)
        broken = x.copy()
        broken[4, 5] = value
        function: Any = lines.half_spectrum if dtype == "f" else lines.complex_transform
        arguments = (n,) if dtype == "f" else (-1, False)
        with np.errstate(invalid="ignore"):
            actual, whole = function(broken, *arguments), function(x, *arguments)
        assert not np.isfinite(actual[4]).any()
        others = np.arange(11) != 4
        np.testing.assert_array_equal(actual[others], whole[others])


def test_zeros_and_units_are_exact() -> None:
    for n in (16, 60, 1024):
        zeros: Any = np.zeros((3, n), "F")
        np.testing.assert_array_equal(lines.complex_transform(zeros, -1, False), 0)
        zeros[:, 0] = 1
        np.testing.assert_array_equal(lines.complex_transform(zeros, -1, False), 1)
        np.testing.assert_array_equal(lines.half_spectrum(np.zeros((3, n), "f"), n), 0)


@pytest.mark.parametrize("n", [9, 16, 256, 1000])
def test_nothing_is_written_beside_the_result(n: int) -> None:
    x = numbers("F", 13, n)
    for axis in (0, 1):
        source = np.ascontiguousarray(x.T) if axis == 0 else x
        memory = np.full(source.size + 80, 7, "F")
        result = memory[40:-40].reshape(source.shape)
        unit, inner = 8, 13 if axis == 0 else 1
        steps = (0, unit if axis == 0 else n * unit, inner * unit)
        place = lines.TransformLines(1, 13, steps, steps)
        lines._run(source, result, place, n, 0, False, 1.0)
        check(result, np.fft.fft(source.astype("D"), axis=axis), n)
        assert (memory[:40] == 7).all()
        assert (memory[-40:] == 7).all()


def test_threads_compute_the_same() -> None:
    x = numbers("F", 75, 1024)
    before = threads.Limit.threads
    results = []
    for count in (1, 2, 5):
        threads.bound(count)
        some: list[Any] = [lines.complex_transform(x, axis, False) for axis in (0, 1)]
        some.append(lines.half_spectrum(x.real, 1024))
        results.append([y.tobytes() for y in some])
    threads.bound(before)
    assert results[0] == results[1] == results[2]


def test_other_lengths_are_numpys() -> None:
    for n in (7, 14, 121, 1 << 19):
        assert lines.complex_transform(np.zeros((4, n), "F"), -1, False) is None
    assert lines.half_spectrum(np.zeros((4, 15), "f"), 15) is None
    x = numbers("D", 5, 14)
    np.testing.assert_allclose(tf.signal.fft(tf.constant(x)), np.fft.fft(x), rtol=1e-12)


@pytest.mark.parametrize("name", ["fft2d", "ifft2d", "fft3d", "rfft2d", "rfft3d", "irfft2d"])
def test_several_axes(name: str) -> None:
    real = name.startswith("rfft")
    x = numbers("f" if real else "F", 3, 8, 20, 33 if name.startswith("i") else 32)
    rank = int(name[-2])
    function = getattr(np.fft, name.replace("2d", "n").replace("3d", "n"))
    axes = tuple(range(-rank, 0))
    wanted = function(x.astype("d" if real else "D"), axes=axes)
    check(getattr(tf.signal, name)(x).numpy(), wanted, x.size)
