"""Cases of Fourier transforms, frames and windows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from tools.golden.linalg import matrix
from tools.golden.nn import Case, normal

SHAPES: tuple[tuple[int, ...], ...] = (
    (8,),
    (5,),
    (1,),
    (0,),
    (2, 0),
    (2, 6),
    (2, 3, 4),
    (2, 3, 4, 5),
)
NORMS = (None, "ortho")

#: Units in the last place, of the greatest element too: sums may cancel.
TOLERANCES = [(r"signal", 16, 0.0, 16)]


def transforms() -> Iterator[Case]:
    for dtype, shape in itertools.product(("complex64", "complex128"), SHAPES):
        for rank, suffix in ((1, ""), (2, "2d"), (3, "3d")):
            if rank <= len(shape):
                x = matrix(shape, dtype)
                yield f"signal.fft{suffix}", (x,), {}
                yield f"signal.ifft{suffix}", (x,), {}
                if shape[-1] > 1:
                    yield f"signal.irfft{suffix}", (x,), {}
                yield f"signal.rfft{suffix}", (np.ascontiguousarray(x.real),), {}
    for length in (3, 4, 6, 9):
        yield "signal.rfft", (normal((2, 6)), [length]), {}
        yield "signal.irfft", (matrix((2, 4), "complex64"), [length]), {}
        yield "signal.rfft2d", (normal((2, 4, 6)), [3, length]), {}
        yield "signal.irfft2d", (matrix((2, 3, 4), "complex64"), [3, length]), {}
    yield "signal.fft", (np.complex64(1),), {}
    yield "signal.fft2d", (matrix((3,), "complex64"),), {}
    yield "signal.rfft", (normal((3,)), [3, 4]), {}
    for name, axes in itertools.product(("fftshift", "ifftshift"), (None, 0, [1], [0, 1])):
        yield f"signal.{name}", (normal((3, 4)), axes), {}


def frames() -> Iterator[Case]:
    for length, step, padded in itertools.product((1, 3, 4), (1, 2, 5), (False, True)):
        yield "signal.frame", (normal((2, 9)), length, step, padded), {}
    yield "signal.frame", (normal((2, 9, 3)), 4, 2), {"axis": 1}
    yield "signal.frame", (np.arange(10), 4, 3, True, 7), {}
    yield "signal.frame", (np.arange(3), 4, 3), {}
    yield "signal.frame", (np.arange(0), 4, 3, True), {}
    for step in (1, 2, 3, 5):
        yield "signal.overlap_and_add", (normal((2, 4, 3)), step), {}
    yield "signal.overlap_and_add", (normal((4,)), 1), {}
    for length, step, size in ((8, 4, None), (6, 2, 8), (8, 3, 16)):
        for padded in (False, True):
            yield "signal.stft", (normal((2, 20)), length, step, size), {"pad_end": padded}
        spectra = matrix((2, 4, (size or 8) // 2 + 1), "complex64")
        yield "signal.inverse_stft", (spectra, length, step, size), {}
    for norm, size in itertools.product((None, "ortho"), (4, 8)):
        yield "signal.mdct", (normal((2, 24)), size), {"norm": norm}
        yield "signal.inverse_mdct", (normal((2, 3, size)),), {"norm": norm}
    yield "signal.mdct", (normal((2, 24)), 6), {}


def cosines() -> Iterator[Case]:
    for dtype, kind, norm in itertools.product(
        ("float32", "float64"), (1, 2, 3, 4), (None, "ortho")
    ):
        for name in ("dct", "idct"):
            x = normal((2, 6), dtype)
            yield f"signal.{name}", (x, kind), {"norm": norm}
            if kind > 1:
                yield f"signal.{name}", (x, kind, 4), {"norm": norm}
                yield f"signal.{name}", (x, kind, 9), {"norm": norm}
    yield "signal.dct", (normal((2, 6)), 5), {}
    yield "signal.dct", (normal((2, 6)),), {"axis": 1}
    yield "signal.dct", (normal((2, 6)), 2), {"norm": "x"}
    yield "signal.dct", (normal((2, 6)), 2, 0), {}
    yield "signal.mfccs_from_log_mel_spectrograms", (normal((2, 3, 8)),), {}


def windows() -> Iterator[Case]:
    for name in ("hann", "hamming", "kaiser", "vorbis", "kaiser_bessel_derived"):
        for size in (1, 2, 5, 8):
            if name != "kaiser_bessel_derived" or size % 2 == 0:
                yield f"signal.{name}_window", (size,), {}
    for size, periodic in itertools.product((1, 4, 5), (True, False)):
        yield "signal.hann_window", (size, periodic), {}
        yield "signal.hamming_window", (size, periodic), {}
    for beta in (2.0, 8.0):
        yield "signal.kaiser_window", (6, beta), {}
        yield "signal.kaiser_bessel_derived_window", (6, beta), {}
    mel = "signal.linear_to_mel_weight_matrix"
    yield mel, (), {}
    yield mel, (8, 33, 16000, 50.0, 7000.0), {}
    yield mel, (0,), {}
    yield mel, (), {"lower_edge_hertz": -1.0}
    yield mel, (), {"upper_edge_hertz": 5000.0}


def cases() -> Iterator[Case]:
    """All of them."""
    for group in (transforms, frames, cosines, windows):
        yield from group()
