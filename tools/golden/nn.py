"""Cases of neural network ops: (public function, positional arguments, keyword arguments)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

Case = tuple[str, tuple[Any, ...], dict[str, Any]]
FLOATS = ("float16", "bfloat16", "float32", "float64")
SHAPES: tuple[tuple[int, ...], ...] = ((), (5,), (0,), (2, 3), (3, 0), (2, 3, 4), (1, 2, 2, 3))
EDGES = np.array([0.0, -0.0, 1.0, -1.0, 1e-6, -1e-6, 20.0, -20.0, 80.0, -80.0, 5.9, 6.1, 300.0])
NON_FINITE = np.array([np.inf, -np.inf, np.nan, 1.0])

#: Units in the last place, of the greatest element too: sums may cancel.
TOLERANCES = [
    (r"softmax|entropy|loss|moment|statistic|normaliz|lrn|bias", 8, 0.0, 8),
    (r"gelu|silu|swish", 8, 0.0, 4),
    (r"nn\.s?elu$", 4, 0.0, 2),  # exp(x) - 1, in TensorFlow with a cancellation
    (r"isotonic|ctc|embedding", 8, 0.0, 8),
]
#: What is meant to differ.
DEPARTURES = [
    (r"(lrn|local_response_normalization)\(bfloat16", "TensorFlow has no such kernel on a CPU"),
    (r"isotonic_regression\(float32\[(4|3, 4, 5)\]", "its gradient has the wrong shape there"),
    (r"(silu|swish)\(list", "an error of another class: strings have no sigmoid"),
    (
        r"sparse_softmax_cross_entropy_with_logits\(list\(list\(1, 0\)\)",
        "labels of another shape are only refused where both ranks are known",
    ),
    (r"selu\(b?float16\[13\]", "its float16 exponential cancels for tiny arguments"),
]


def normal(shape: tuple[int, ...], dtype: str = "float32", seed: int = 0) -> Any:
    """Numbers around 0 that no two cases of other shapes share."""
    random = np.random.default_rng([seed, *shape])
    return np.asarray(random.normal(size=shape)).astype(as_numpy(dtype))


def positive(shape: tuple[int, ...], dtype: str = "float32", seed: int = 0) -> Any:
    """Numbers between 0.1 and 2."""
    random = np.random.default_rng([seed, 7, *shape])
    return np.asarray(random.uniform(0.1, 2.0, size=shape)).astype(as_numpy(dtype))


def as_numpy(dtype: str) -> Any:
    """The NumPy dtype of a name."""
    return np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


def activations() -> Iterator[Case]:
    names = ("relu", "relu6", "elu", "selu", "softplus", "softsign", "leaky_relu", "gelu", "silu")
    for name in (*names, "sigmoid", "tanh"):
        for dtype in FLOATS:
            for shape in SHAPES:
                yield f"nn.{name}", (normal(shape, dtype),), {}
            yield f"nn.{name}", (EDGES.astype(as_numpy(dtype)),), {}
        yield f"nn.{name}", (NON_FINITE.astype(np.float32),), {}
        yield f"nn.{name}", (["a"],), {}
    for dtype in ("int32", "int8", "uint8", "int64"):
        for name in ("relu", "relu6"):
            yield f"nn.{name}", (np.arange(-4, 9).astype(dtype),), {}
    for name in ("elu", "selu", "softplus", "gelu"):
        yield f"nn.{name}", (np.arange(-4, 9),), {}
    yield "nn.leaky_relu", (np.arange(-4, 9),), {}
    yield "nn.leaky_relu", (normal((3, 4)),), {"alpha": None}
    yield "nn.silu", (normal((3, 4), "float64"), np.array(2.0, np.float32)), {}
    for alpha in (0.0, 0.01, 0.5, 1.0, 2.0):
        yield "nn.leaky_relu", (normal((3, 4)),), {"alpha": alpha}
    for approximate in (True, False):
        for dtype in FLOATS:
            yield "nn.gelu", (normal((3, 4), dtype),), {"approximate": approximate}
    for beta in (0.5, 2.0):
        yield "nn.silu", (normal((3, 4)),), {"beta": beta}
        yield "nn.swish", (normal((3, 4)), beta), {}
    for axis in (-1, 0, 1, 2):
        yield "nn.crelu", (normal((2, 3, 4)), axis), {}
    yield "nn.crelu", (normal((2, 3)),), {"axis": 5}


def softmaxes() -> Iterator[Case]:
    for name, dtype in itertools.product(("softmax", "log_softmax"), FLOATS):
        for shape in SHAPES[1:]:
            yield f"nn.{name}", (normal(shape, dtype),), {}
        for axis in (-3, -2, -1, 0, 1, 2):
            yield f"nn.{name}", (normal((2, 3, 4), dtype),), {"axis": axis}
        yield f"nn.{name}", (normal((2, 3), dtype),), {"axis": 2}
    for name in ("softmax", "log_softmax"):
        yield f"nn.{name}", (np.array([[1e4, -1e4, 0.0], [1.0, 1.0, 1.0]], np.float32),), {}
        yield f"nn.{name}", (np.array([[1.0, -np.inf], [2.0, 1.0]], np.float32),), {}
        yield f"nn.{name}", (np.arange(4),), {}
    entropy = "nn.softmax_cross_entropy_with_logits"
    for dtype in FLOATS:
        for shape in ((3, 4), (2, 3, 4), (5,), (0, 4), (1, 1)):
            yield entropy, (positive(shape, dtype), normal(shape, dtype)), {}
    for axis in (0, 1, -1):
        yield entropy, (positive((2, 3, 4)), normal((2, 3, 4))), {"axis": axis}
    yield entropy, (np.eye(3, dtype=np.int32), normal((3, 3))), {}
    yield entropy, (positive((3, 3)), normal((3, 4))), {}
    sparse = "nn.sparse_softmax_cross_entropy_with_logits"
    for dtype, kind in itertools.product(FLOATS, ("int32", "int64")):
        yield sparse, (np.array([0, 3, 1], kind), normal((3, 4), dtype)), {}
        yield sparse, (np.array([[0, 3], [1, 2]], kind), normal((2, 2, 4), dtype)), {}
    yield sparse, (2, normal((4,))), {}
    yield sparse, (np.zeros(0, np.int64), normal((0, 4))), {}
    yield sparse, ([4, 0], normal((2, 4))), {}
    yield sparse, ([-1, 0], normal((2, 4))), {}
    yield sparse, ([1, 0, 1], normal((2, 4))), {}
    yield sparse, ([[1, 0]], normal((2, 4))), {}
    yield sparse, (0, 1.0), {}


def losses() -> Iterator[Case]:
    for dtype in FLOATS:
        for shape in SHAPES:
            labels, logits = positive(shape, dtype), normal(shape, dtype)
            yield "nn.sigmoid_cross_entropy_with_logits", (labels, logits), {}
            yield "nn.weighted_cross_entropy_with_logits", (labels, logits, 1.5), {}
            yield "nn.log_poisson_loss", (labels, logits), {}
            yield "nn.log_poisson_loss", (labels, logits, True), {}
            yield "nn.l2_loss", (logits,), {}
    for name in ("sigmoid_cross_entropy_with_logits", "log_poisson_loss"):
        yield f"nn.{name}", (normal((3,)), normal((4,))), {}
        yield f"nn.{name}", (normal((3, 1)), normal((3,))), {}
    yield "nn.sigmoid_cross_entropy_with_logits", (np.ones(13), EDGES), {}
    yield "nn.l2_loss", (np.arange(3),), {}
    yield "nn.compute_average_loss", (normal((4,)),), {}
    yield "nn.compute_average_loss", (normal((4,)),), {"global_batch_size": 8}
    yield "nn.compute_average_loss", (normal((4,)), positive((4,))), {}
    for losses, weights in (((4,), (4, 1)), ((4, 1), (4,)), ((0,), (0,)), ((4, 2), ()), ((), ())):
        yield "nn.compute_average_loss", (normal(losses), positive(weights)), {}
    for size in (0, -1, 2.0, [1]):
        yield "nn.compute_average_loss", (normal((4,)),), {"global_batch_size": size}
    yield "nn.scale_regularization_loss", (normal((4,)),), {}
    yield "nn.scale_regularization_loss", (np.array([1, 2], np.int32),), {}


def normalizations() -> Iterator[Case]:
    axes: tuple[Any, ...] = ([0], [1], [0, 1], [-1], [0, 2])
    for dtype, axis, keep in itertools.product(FLOATS, axes, (False, True)):
        yield "nn.moments", (normal((2, 3, 4), dtype), axis), {"keepdims": keep}
    for axis, keep in itertools.product(axes, (False, True)):
        x = normal((2, 3, 4))
        yield "nn.sufficient_statistics", (x, axis), {"keepdims": keep}
        yield "nn.sufficient_statistics", (x, axis), {"shift": 0.5, "keepdims": keep}
        yield "nn.weighted_moments", (x, axis, positive((2, 3, 4))), {"keepdims": keep}
    yield "nn.weighted_moments", (normal((2, 3)), [0], 2.0), {}
    yield "nn.weighted_moments", (normal((2, 3)), [0], 0.0), {}
    yield "nn.weighted_moments", (normal((0, 3)), [0], 2.0), {}
    yield "nn.normalize_moments", (4.0, normal((3,)), positive((3,)), None), {}
    yield "nn.normalize_moments", (4.0, normal((3,)), positive((3,)), 0.5), {}
    for dtype in FLOATS:
        x, vector = normal((2, 3, 4), dtype), positive((4,), dtype)
        for offset, scale in itertools.product((None, vector), (None, vector * 2)):
            yield "nn.batch_normalization", (x, vector, vector, offset, scale, 1e-3), {}
        yield "nn.l2_normalize", (x,), {}
        for axis in (0, 1, [0, 2], -1):
            yield "nn.l2_normalize", (x, axis), {}
    yield "nn.l2_normalize", (np.zeros((2, 3), np.float32), 0), {}
    yield "nn.l2_normalize", (normal((2, 3)), 0), {"dim": 0}
    yield "nn.l2_normalize", (normal((2, 3)),), {"dim": 0}
    yield "nn.l2_normalize", (normal((2, 3)) + 1j * normal((2, 3), seed=1), 0), {}
    for scaled in (True, False):
        vector = positive((3,))
        args = (normal((1, 2, 2, 3)), vector, vector, vector, vector, 1e-3, scaled)
        yield "nn.batch_norm_with_global_normalization", args, {}
    for dtype in ("float16", "bfloat16", "float32"):
        image = normal((2, 2, 3, 7), dtype)
        yield "nn.local_response_normalization", (image,), {}
        yield "nn.lrn", (image, 2, 1.5, 0.3, 0.75), {}
    yield "nn.lrn", (normal((2, 3)),), {}
    yield "nn.lrn", (image, None, None, None, None), {}
    yield "nn.lrn", (image, -1), {}


def biases() -> Iterator[Case]:
    for shape in ((2, 3), (2, 4, 3), (1, 2, 2, 3), (1, 2, 2, 2, 3)):
        for dtype in (*FLOATS, "int32", "complex64"):
            yield "nn.bias_add", (normal(shape, dtype), normal((3,), dtype)), {}
        yield "nn.bias_add", (normal(shape), normal((shape[1],))), {"data_format": "NCHW"}
        yield "nn.bias_add", (normal(shape), normal((3,))), {"data_format": "NWC"}
    yield "nn.bias_add", (normal((3,)), normal((3,))), {}
    yield "nn.bias_add", (normal((2, 3)), normal((2,))), {}
    yield "nn.bias_add", (normal((2, 3)), normal((1, 3))), {}
    yield "nn.bias_add", (normal((2, 3)), normal((3,))), {"data_format": "XY"}


def embeddings() -> Iterator[Case]:
    table = normal((5, 3))
    for ids in (2, [0, 4, 2], [[1, 1], [0, 3]], np.array([2, 2], np.int64), np.zeros(0, np.int32)):
        yield "nn.embedding_lookup", (table, ids), {}
        yield "nn.embedding_lookup", (table, ids), {"max_norm": 1.0}
    yield "nn.embedding_lookup", (table, [5]), {}
    yield "nn.embedding_lookup", (((1.0, 2.0), (3.0, 4.0)), [1, 0]), {}
    yield "nn.embedding_lookup", (table, [-1]), {}
    yield "nn.embedding_lookup", (table, [0.5]), {}
    yield "nn.embedding_lookup", (None, [0]), {}
    yield "nn.embedding_lookup", ([], [0]), {}


def sequences() -> Iterator[Case]:
    """Isotonic regression and the loss of labels without alignment."""
    for dtype in (*FLOATS, "int32", "int8"):
        x = (normal((3, 6), "float64") * 4).astype(as_numpy(dtype))
        yield "nn.isotonic_regression", (x,), {}
        yield "nn.isotonic_regression", (x,), {"decreasing": False}
    for axis in (0, 1, -1):
        yield "nn.isotonic_regression", (normal((3, 4, 5)),), {"axis": axis}
    yield "nn.isotonic_regression", (normal((4,)),), {}
    labels = np.array([[1, 2, 1], [3, 3, 0], [2, 0, 0]], np.int32)
    sizes, frames = np.array([3, 2, 1], np.int32), np.array([6, 5, 6], np.int32)
    for dtype in FLOATS[:3]:
        yield "nn.ctc_loss", (labels, normal((6, 3, 5), dtype), sizes, frames), {}
    yield "nn.ctc_loss", (labels, normal((3, 6, 5)), sizes, frames), {"logits_time_major": False}
    for blank in (0, 4, -1, 2):
        kept = np.where(labels == blank % 5, 1, labels).astype(np.int32)
        yield "nn.ctc_loss", (kept, normal((6, 3, 5)), sizes, frames), {"blank_index": blank}


def fractional() -> Iterator[Case]:
    """Pooling over windows of random sizes, which a seed fixes."""
    x = np.arange(2 * 13 * 11 * 3, dtype=np.float32).reshape(2, 13, 11, 3)
    x = (x * 7919) % 101 - 50
    ratios = [1.0, 1.44, 1.7, 1.0]
    for name, pseudo_random, overlapping in itertools.product(
        ("fractional_max_pool", "fractional_avg_pool"), (False, True), (False, True)
    ):
        options = {"pseudo_random": pseudo_random, "overlapping": overlapping}
        for seed in (1, 5):
            yield f"nn.{name}", (x, ratios), {**options, "seed": seed}
        yield f"nn.{name}", (x.astype(np.int32), ratios), {**options, "seed": 3}
        yield f"nn.{name}", (x.astype(np.float64), [1.0, 1.0, 2.5, 1.0]), {**options, "seed": 3}
        yield f"nn.{name}", (np.round(x / 40), [1.0, 3.2, 2.0, 1.0]), {**options, "seed": 9}
        small = np.linspace(-1, 1, 20, dtype=np.float32).reshape(1, 5, 4, 1)
        yield f"nn.{name}", (small * small * small, [1.0, 1.4, 1.9, 1.0]), {**options, "seed": 4}
    for ratio in (1.5, 0.5, [1.5, 1.5], [2.0, 1.0, 1.0, 1.0], [1.0, 20.0, 1.0, 1.0], "2"):
        yield "nn.fractional_max_pool", (x, ratio), {"seed": 1}
        yield "nn.fractional_avg_pool", (x, ratio), {"seed": 1}
    yield "nn.fractional_max_pool", (x[0], ratios), {"seed": 1}
    yield "nn.fractional_max_pool", (x.astype(np.float16), ratios), {"seed": 1}


def label_rows() -> Iterator[Case]:
    """Labels prepared for CTC."""
    rows = np.array([[1, 1, 2, 2, 1], [1, 1, 1, 1, 1], [2, 3, 3, 4, 0]], np.int32)
    for labels in (rows, rows.astype(np.int64), rows[:1], rows * 0):
        yield "nn.ctc_unique_labels", (labels,), {}
        for length in (5, 3, 0):
            lengths = np.full(len(labels), length, np.int32)
            yield "nn.collapse_repeated", (labels, lengths), {}
    yield "nn.collapse_repeated", (rows, np.array([5, 3, 4], np.int64)), {}
    yield "nn.collapse_repeated", (rows[0], np.array([5], np.int32)), {}
    yield "nn.collapse_repeated", (rows, 4), {}
    yield "nn.collapse_repeated", (np.array([[b"a", b"a", b"b"]], object), [3]), {}


def cases() -> Iterator[Case]:
    """All of them."""
    for group in (
        activations, softmaxes, losses, normalizations, biases, embeddings, sequences, fractional,
        label_rows,
    ):  # fmt: skip
        yield from group()
