"""Cases of ops that no public function is made of, or only in some cases: by their raw names."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

Case = tuple[str, tuple[Any, ...], dict[str, Any]]
X = np.array([[0.5, -1.5, 2.0], [3.25, 0.0, -0.25]], np.float32)
BROKEN = np.array([[np.inf, -np.inf, np.nan], [1.0, 0.0, -1.0]], np.float32)
N = np.array([[7, -3, 2], [0, 5, -6]], np.int32)


def raw(name: str, **operands: Any) -> Case:
    """A case of a raw op."""
    return f"raw_ops.{name}", (), operands


def elements() -> Iterator[Case]:
    """Elementwise ops and reductions."""
    for tolerance in (1e-5, 0.3):
        yield raw("ApproximateEqual", x=X, y=X + 0.25, tolerance=tolerance)
    yield raw("ApproximateEqual", x=X, y=X[:1])
    for low, high in ((-1.0, 1.0), (2.0, 1.0)):
        bounds = np.array(low, np.float32), np.array(high, np.float32)
        yield raw("ClipByValue", t=X, clip_value_min=bounds[0], clip_value_max=bounds[1])
    yield raw("ClipByValue", t=N, clip_value_min=np.array(-2, np.int32),
              clip_value_max=np.array([[1, 2, 3]], np.int32))  # fmt: skip
    yield raw("Div", x=X, y=X + 1)
    yield raw("Div", x=N, y=np.array([2, -2, 3], np.int32))
    yield raw("Div", x=N, y=N * 0)
    yield raw("InvGrad", y=X, dy=X[::-1])
    for dtype in ("int8", "int16", "int32", "int64", "uint8", "uint16"):
        yield raw("PopulationCount", x=N.astype(dtype))
    for message in ("a", ""):
        yield raw("CheckNumerics", tensor=X, message=message)
        yield raw("CheckNumerics", tensor=BROKEN, message=message)
        yield raw("CheckNumericsV2", tensor=BROKEN, message=message)
    dims = np.array([2, 1, 3], np.int32), np.array([4, 1], np.int32)
    yield raw("BroadcastGradientArgs", s0=dims[0], s1=dims[1])
    yield raw("BroadcastGradientArgs", s0=np.array([2]), s1=np.array([3]))
    yield raw("PreventGradient", input=X, message="no")


def orders() -> Iterator[Case]:
    """Sorting and finding."""
    for n, reverse in product((0, 1, 2, 3), (False, True)):
        yield raw("NthElement", input=X, n=n, reverse=reverse)
    words = np.array([3, 1, 3, 2, 1])
    yield raw("ListDiff", x=words, y=np.array([1, 9]))
    for name in ("UniqueV2", "UniqueWithCountsV2"):
        yield raw(name, x=np.array([[1, 2], [3, 4], [1, 2]]), axis=np.array([0]))
        yield raw(name, x=np.array([[1, 2, 1], [3, 4, 3]]), axis=np.array([1]))
        yield raw(name, x=words, axis=np.zeros(0, np.int64))
        yield raw(name, x=words, axis=np.array([1]))


def texts() -> Iterator[Case]:
    """Strings and their prints."""
    words = np.array([b"a", b"hello", b""], object)
    yield raw("StringToHashBucket", string_tensor=words, num_buckets=7)
    yield raw("StringToHashBucket", string_tensor=words, num_buckets=0)
    for data in (words, X, N):
        yield "fingerprint", (data,), {}
    yield "fingerprint", (X,), {"method": "other"}
    yield "fingerprint", (X[0, 0],), {}


def arrays() -> Iterator[Case]:
    """Sequences, slices, spectra, decompositions."""
    for num in (1, 4, 0):
        yield raw("LinSpace", start=np.array(1, np.float32), stop=np.array(3, np.float32), num=num)
    for name, axes in product(("fftnd", "ifftnd"), ([0], [1, 0], [2, 1])):
        cube = (np.arange(24).reshape(2, 3, 4) % 5 + 1j).astype(np.complex64)
        yield f"signal.{name}", (cube, None, axes), {}
    yield "signal.rfftnd", (np.arange(12, dtype=np.float32).reshape(3, 4), None, [0, 1]), {}
    yield raw("TensorStridedSliceUpdate", input=X, begin=[0, 1], end=[2, 3], strides=[1, 1],
              value=X[:, :2] * 10)  # fmt: skip
    yield raw("TensorStridedSliceUpdate", input=X, begin=[0], end=[1], strides=[1], value=X)
    image = (np.arange(2 * 4 * 4, dtype=np.float32).reshape(1, 4, 4, 2) * 7) % 13
    window = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
    pooled = image.reshape(1, 2, 2, 2, 2, 2).max(axis=(2, 4))
    yield raw("MaxPoolGradGrad", orig_input=image, orig_output=pooled, grad=image * 2, **window)
    eye = np.array([[2.0, 1.0], [0.0, 3.0]])
    yield "linalg.eigvals", (eye,), {}
    yield raw("EnsureShape", input=X, shape=[2, None])
    volume = (np.arange(2 * 4 * 4 * 4, dtype=np.float32) % 11).reshape(1, 4, 4, 4, 2)
    for dtype, padding in product(("float32", "int32"), ("VALID", "SAME")):
        for step in (1, 2):
            yield raw("ExtractVolumePatches", input=volume.astype(dtype), ksizes=[1, 2, 3, 2, 1],
                      strides=[1, step, step, step, 1], padding=padding)  # fmt: skip
    yield raw("ExtractVolumePatches", input=volume[0], ksizes=[1, 2, 3, 2, 1],
              strides=[1, 1, 1, 1, 1], padding="VALID")  # fmt: skip


def formers() -> Iterator[Case]:
    """Ops of earlier versions."""
    image = np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1)
    for name in ("DeepCopy", "Inv"):
        yield raw(name, x=X)
    yield raw("Snapshot", input=X)
    for x, y in ((N, np.array([2, -2, 3], np.int32)), (X, X + 1)):
        yield raw("Mod", x=x, y=y)
    yield raw("BatchMatMul", x=X, y=X, adj_y=True)
    yield raw("BiasAddV1", value=X, bias=X[0])
    for name in ("InplaceUpdate", "InplaceAdd", "InplaceSub"):
        yield raw(name, x=X, i=np.array([1], np.int32), v=X[:1] * 3)
        yield raw(name, x=X, i=np.array([1, 0], np.int32), v=X * 3)
    yield raw("ScatterNdNonAliasingAdd", input=X, indices=np.array([[1], [1]]), updates=X)
    yield raw("ParallelDynamicStitch", indices=[np.array([0], np.int32), np.array([1], np.int32)],
              data=[X[:1], X[1:]])  # fmt: skip
    yield raw("SpaceToBatch", input=image, paddings=[[0, 0], [2, 0]], block_size=2)
    yield raw("BatchToSpace", input=image.reshape(4, 2, 2, 1), crops=[[0, 0], [1, 0]],
              block_size=2)  # fmt: skip
    yield raw("Concat", concat_dim=1, values=[X, X])
    yield raw("ParallelConcat", values=[X[:1], X[1:]], shape=[2, 3])
    yield raw("Gather", params=X, indices=np.array([1, 0, 1]))
    yield raw("Gather", params=X, indices=np.array([2]))
    yield raw("InTopK", predictions=X, targets=np.array([2, 1]), k=2)
    yield raw("MatrixDiag", diagonal=X)
    yield raw("MatrixDiagPart", input=X)
    yield raw("MatrixSetDiag", input=X, diagonal=X[:, 0])
    for dims in ([True, False], [False, False]):
        yield raw("Reverse", tensor=X, dims=np.array(dims))
    yield raw("Select", condition=np.array([True, False]), x=X, y=-X)
    yield raw("Select", condition=X > 0, x=X, y=-X)
    yield raw("SparseMatMul", a=X, b=X, transpose_b=True)
    for name in ("Normal", "Uniform"):
        for dtype in (np.float32, np.float64):
            yield raw(f"StatelessRandom{name}", shape=[3], seed=np.array([5, 6]), dtype=dtype)
    yield raw("StatelessTruncatedNormal", shape=[3], seed=np.array([5, 6]))
    yield raw("StatelessRandomUniformInt", shape=[5], seed=np.array([5, 6]),
              minval=np.array(-3), maxval=np.array(9))  # fmt: skip
    yield raw("StatelessRandomUniformFullInt", shape=[5], seed=np.array([5, 6]), dtype=np.int32)


def cases() -> Iterator[Case]:
    """All cases of the area."""
    for group in (elements, orders, texts, arrays, formers):
        yield from group()
