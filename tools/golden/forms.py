"""Forms of arguments that the cases of other areas do not have: NumPy's numbers for Python's,
tensors for axes and sizes, None for dtypes, arrays beside lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

Case = tuple[str, tuple[Any, ...], dict[str, Any]]

HERE = "tools.golden.forms"
TOLERANCES: list[tuple[str, float, float, float]] = [("", 16, 0, 8)]
FIVE = np.array([3.0, -1.0, 2.5, 0.0, 7.0], np.float32)
GRID = np.arange(12, dtype=np.float32).reshape(3, 4)
IMAGES = np.arange(60, dtype=np.float32).reshape(1, 4, 5, 3) / 60
ZERO, ONE, TWO = (np.array(n, np.int32) for n in range(3))


def axes() -> Iterator[Case]:
    """Axes that are NumPy's numbers or tensors."""
    for axis in (np.int64(0), np.int32(-1), ONE):
        yield "sort", (GRID,), {"axis": axis}
        yield "argsort", (GRID,), {"axis": axis}
    yield "repeat", (FIVE[0], 2), {"axis": -1}
    for axis in (ZERO, ONE):
        yield "linspace", (FIVE[:2], 5.0, 3), {"axis": axis}
    yield "tensordot", (GRID, GRID.T.copy(), np.int64(1)), {}
    for name in ("signal.fftshift", "signal.ifftshift"):
        for chosen in (ONE, np.array([0, -1], np.int32), np.int64(0)):
            yield name, (GRID, chosen), {}


def sizes() -> Iterator[Case]:
    """Sizes that are NumPy's numbers or tensors."""
    for rows in (np.int64(2), TWO):
        yield "eye", (rows,), {"batch_shape": [TWO]}
        yield "eye", (rows, 3), {}
    for height, width in ((np.int64(3), 6), (np.int64(6), TWO), (TWO, TWO)):
        yield "image.resize_with_crop_or_pad", (IMAGES, height, width), {}
        yield "image.pad_to_bounding_box", (IMAGES[:, :2, :2], 0, np.int64(0), height, width), {}
    yield "image.crop_to_bounding_box", (IMAGES, np.int64(1), 0, ONE, np.int64(2)), {}
    for height, width in ((6, 6), (5, 7), (np.int64(9), 6), (TWO, 3)):
        yield "image.resize_with_pad", (IMAGES, height, width), {}
        yield "image.resize_with_pad", (IMAGES.transpose(0, 2, 1, 3).copy(), height, width), {}
    yield "image.central_crop", (IMAGES, np.array(0.5, np.float32)), {}
    yield "image.rot90", (IMAGES, np.int64(3)), {}
    for length in (8, np.array(8, np.int32)):
        yield "signal.stft", (GRID.reshape(-1), length, 2), {"window_fn": None}
        yield "signal.inverse_stft", (GRID[:2].astype(np.complex64), length, 2), {"fft_length": 6}
    yield "signal.stft", (GRID.reshape(-1), np.array(5, np.int32), 2), {"window_fn": None}
    for norm in (None, "ortho"):
        yield "signal.mdct", (GRID.reshape(-1), 4), {"window_fn": None, "norm": norm}
        yield "signal.inverse_mdct", (GRID,), {"window_fn": None, "norm": norm}
    yield "signal.linear_to_mel_weight_matrix", (np.int64(4), 9), {}


def dtypes() -> Iterator[Case]:
    """None for a dtype that has a default, and dtypes that an op cannot have."""
    ints = np.array([2, 0, 2], np.int32)
    for name, args, key in (
        ("argmax", (GRID,), "output_type"), ("argmin", (GRID,), "output_type"),
        ("unique", (ints,), "out_idx"), ("unique_with_counts", (ints,), "out_idx"),
        ("math.bincount", (ints,), "dtype"), ("math.confusion_matrix", (ints, ints), "dtype"),
        ("histogram_fixed_width", (FIVE, [0.0, 5.0], 5), "dtype"),
        ("sequence_mask", (ints,), "dtype"), ("searchsorted", (ints[1:], ints), "out_type"),
        ("shape", (GRID,), "out_type"), ("size", (GRID,), "out_type"),
        ("shape_n", ([GRID, FIVE],), "out_type"), ("math.sobol_sample", (2, 3), "dtype"),
        ("strings.to_number", (["1", "2.5"],), "out_type"),
    ):  # fmt: skip
        yield name, args, {key: None}
    for name, args, key in (
        ("unique", (ints,), "out_idx"), ("searchsorted", (ints[1:], ints), "out_type"),
        ("shape", (GRID,), "out_type"), ("math.sobol_sample", (2, 3), "dtype"),
    ):  # fmt: skip
        yield name, args, {key: "bool"}
    yield "math.bincount", (ints,), {"weights": FIVE[:3], "binary_output": True}
    for name in ("sum", "prod", "cumsum", "cumprod", "mean"):
        for kind in (float, int):
            if (name, kind) != ("mean", int):
                yield f"{HERE}.numpy_reduced", (name, kind, FIVE), {}


def operands() -> Iterator[Case]:
    """Operands of several dtypes, or of none."""
    bfloat16 = GRID.astype(ml_dtypes.bfloat16)
    yield "matmul", (GRID, bfloat16), {"transpose_b": True}
    yield "matmul", (bfloat16, GRID), {"transpose_b": True}
    yield f"{HERE}.beside_arrays", (FIVE,), {}
    yield "linalg.matrix_rank", ([[1, 2], [2, 4]],), {}
    yield "clip_by_norm", (FIVE, TWO), {}
    strings = np.array([b"a", b"b"], object)
    yield "gather_nd", (strings, [[1], [5]]), {"bad_indices_policy": "IGNORE"}
    yield "math.in_top_k", (np.array([1, 3], np.int32), GRID[:2].tolist(), 2), {}
    yield "linalg.cross", (GRID[:2, :3], GRID[1:, :3].tolist()), {}
    yield "linalg.set_diag", (GRID, [7.0, 8.0, 9.0]), {}
    yield "unravel_index", ([3, 5], np.array([3, 4], np.int32)), {}
    yield "zeros", (TWO,), {}
    yield "ones", (TWO,), {"dtype": "int32"}
    lu, perm = [[4.0, 2.0], [0.5, 3.0]], [1, 0]
    packed = np.array(lu, np.float32), np.array(perm, np.int32)
    yield "linalg.lu_reconstruct", packed, {}
    yield "linalg.lu_matrix_inverse", packed, {}
    yield "linalg.lu_solve", (*packed, np.ones((2, 1), np.float32)), {}
    halves = np.arange(-24, 40, dtype=np.float32) / 4
    for low, high in ((-1.25, 7.5), (-2.0, 3.0), (-6.0, 1.0), (0.0, 1.0)):
        for bits in (4, 8):
            for kind in ("args", "vars"):
                name = f"quantization.fake_quant_with_min_max_{kind}"
                yield name, (halves, low, high), {"num_bits": bits}
    channels = np.stack([halves, halves, halves], 1)
    lows, highs = np.array([[-2.0, -1.0, -0.5], [3.0, 1.0, 2.0]], np.float32)
    yield "quantization.fake_quant_with_min_max_vars_per_channel", (channels, lows, highs), {}
    yield f"{HERE}.quantized", (FIVE,), {}


def numpy_reduced(tf: Any, name: str, kind: Any, x: Any) -> Any:
    """A reduction of `tf.experimental.numpy` in a dtype of Python's."""
    return getattr(tf.experimental.numpy, name)(x, dtype=kind)


def beside_arrays(tf: Any, x: Any) -> list[Any]:
    """Tensors beside arrays of other dtypes, and arrays beside lists."""
    places, half = np.array([0, 1]), np.ones(5, np.float16)
    return [
        tf.einsum("i,i->", half, x),
        tf.unravel_index(places, [6]),
        tf.broadcast_dynamic_shape(np.array([1, 3]), [2, 1]),
    ]


def quantized(tf: Any, x: Any) -> Any:
    """The text of quantized numbers, which are whole numbers to NumPy."""
    found = tf.quantization.quantize(x, -3.0, 5.0, tf.qint8)[0]
    return str(found.numpy()) if hasattr(found, "numpy") else tf.bitcast(found, tf.int8)


def cases() -> Iterator[Case]:
    """All of them."""
    for group in (axes, sizes, dtypes, operands):
        yield from group()
