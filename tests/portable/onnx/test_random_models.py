"""Small random programs, exported, computed by ONNX Runtime, and loaded again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from support.onnx_cases import run_model

import graphwright as tf

#: Steps from one or two tensors of shape [n, 4] to another one.
STEPS: list[Callable[..., Any]] = [
    lambda x, y: x + y,
    lambda x, y: x * tf.tanh(y),
    lambda x, y: tf.maximum(x, y) - tf.minimum(x, 0.5),
    lambda x, y: tf.where(x > y, x, -y),
    lambda x, y: tf.nn.softmax(x) * y,
    lambda x, y: tf.concat([x[:, 2:], y[:, :2]], 1),
    lambda x, y: x - tf.reduce_mean(y, 0, keepdims=True),
    lambda x, y: tf.reverse(x, [1]) + tf.cumsum(y, 1, reverse=True),
    lambda x, y: tf.reshape(tf.transpose(tf.reshape(x, [-1, 2, 2]), [0, 2, 1]), tf.shape(y)),
    lambda x, y: tf.gather(x, [3, 0, 1, 1], axis=1) - y,
    lambda x, y: tf.matmul(x, tf.matmul(y, y, transpose_a=True)) / 50.0,
    lambda x, y: tf.pad(x[:, 1:3], [[0, 0], [1, 1]], constant_values=0.5) + y,
    lambda x, y: tf.cond(tf.reduce_sum(x) > 0.0, lambda: x + 1.0, lambda: y - x),
    lambda x, y: tf.while_loop(
        lambda i, z: i < 3, lambda i, z: (i + 1, tf.sin(z) + y), (tf.constant(0), x)
    )[1],
    lambda x, y: tf.map_fn(lambda row: row - tf.reduce_max(row), x) * tf.sigmoid(y),
    lambda x, y: tf.one_hot(tf.argmax(x, 1), 4) + tf.floor(y),
    lambda x, y: tf.math.top_k(x, 4).values + tf.math.log1p(tf.square(y)),
    lambda x, y: tf.clip_by_value(x, -1.0, 1.0) * tf.cast(tf.cast(y, tf.int32) % 3, tf.float32),
    lambda x, y: tf.unstack(x, axis=1)[0][:, None] + tf.stack(tf.split(y, 4, 1), 2)[:, 0],
    lambda x, y: tf.einsum("ni,nj->nj", x, y) / 4.0,
]


def program(seed: int) -> Callable[[Any, Any], list[Any]]:
    """A function of two tensors, of some steps chosen by a seed."""
    rng = np.random.default_rng(seed)
    plan = [(int(rng.integers(len(STEPS))), *rng.integers(0, i + 2, 2)) for i in range(6)]

    def body(x: Any, y: Any) -> list[Any]:
        values = [x, y]
        for step, first, second in plan:
            values.append(STEPS[step](values[first], values[second]))
        return values[-2:]

    return body


@pytest.mark.parametrize("seeds", [range(12), pytest.param(range(12, 400), marks=pytest.mark.slow)])
def test_random_programs_go_out_and_come_back(seeds: range, tmp_path: Path) -> None:
    signature = [tf.TensorSpec([None, 4], name="x"), tf.TensorSpec([None, 4], name="y")]
    for seed in seeds:
        function = tf.function(program(seed), input_signature=signature)
        tf.onnx.export(function, tmp_path / "a.onnx")
        model = tf.onnx.load(tmp_path / "a.onnx")
        arrays = np.random.default_rng(seed).standard_normal((2, 3, 4)).astype(np.float32)
        expected = [value.numpy() for value in function(*map(tf.constant, arrays))]
        by, values = run_model(tmp_path / "a.onnx", list(arrays))
        assert by == "onnxruntime"
        loaded = model(*map(tf.constant, arrays))
        for wanted, value, again in zip(expected, values, loaded.values()):
            for other in (value, again.numpy()):
                np.testing.assert_allclose(other, wanted, 2e-4, 2e-4, err_msg=f"seed {seed}")
