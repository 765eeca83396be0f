"""NumPy's names: what the golden cases (tools/golden/numpy.py) leave out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import graphwright as tf
from tools import golden_format as gf

tnp = tf.experimental.numpy
SRC = Path(__file__).resolve().parents[3] / "src"

ENABLED = """
import numpy as np, graphwright as tf
tf.experimental.numpy.experimental_enable_numpy_behavior(prefer_float32={prefer})
x, f = tf.constant([[1, 2], [3, 4]]), tf.constant([1.0, 2.0])
v = tf.Variable([1, 2])
rows = [x + 2.5, x + f, 2.5 - x, x / 2, x // 2, x @ x, f + True, x == f, v * 1.5, [1, 2] + f,
        x.T, x.reshape(4, 1), x.reshape([1, -1]), x.astype(np.float32), x.clip(2, 3), x.max(),
        x.min(0), f.mean(), x.ravel(), x.transpose(), x.flatten(), x & 1, x[[0], [1]], x[x > 9]]
print([r.dtype.name for r in rows])
print(x.tolist(), x.size, x.T.numpy().tolist(), x.reshape(4, 1).shape, f.mean().numpy())
g = tf.function(lambda a: (a + 2.5).T)
print(g(x).dtype.name, g(x).numpy().tolist())
"""


def enabled(prefer: bool) -> list[str]:
    """What a process prints that enables NumPy's behaviour."""
    done = subprocess.run(
        [sys.executable, "-c", ENABLED.format(prefer=prefer)],
        env=os.environ | {"PYTHONPATH": str(SRC)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def test_tensors_take_numpys_methods_and_promotion() -> None:
    dtypes, values, traced = enabled(False)
    wide = ["float64"] * 4 + ["int32"] * 2 + ["float32", "bool", "float64", "float32"]
    rest = ["int32"] * 3 + ["float32"] + ["int32"] * 3 + ["float32"] + ["int32"] * 6
    assert dtypes == str(wide + rest)
    assert values == "[[1, 2], [3, 4]] 4 [[1, 3], [2, 4]] (4, 1) 1.5"
    assert traced == "float64 [[3.5, 5.5], [4.5, 6.5]]"


def test_a_tensor_of_int32_and_a_float_are_float64_even_if_floats_count_as_float32() -> None:
    assert enabled(True) == enabled(False)


def test_all_names_are_there() -> None:
    import json

    recorded = json.loads((gf.GOLDEN / "public_names.json").read_text(encoding="utf-8"))
    assert set(recorded["experimental.numpy"].split()) <= set(tnp.__all__) | {"random"}
    assert set(recorded["experimental.numpy.random"].split()) == set(tnp.random.__all__)
    assert tnp.ndarray is tf.Tensor
    assert (tnp.int_, tnp.newaxis, tnp.pi) == (np.int64, None, np.pi)


def test_dtypes_are_promoted_as_numpy_does() -> None:
    x = tf.constant([1], tf.int32)
    assert tnp.result_type(x, 2.5) is tf.float64
    assert tnp.result_type(tf.float32, 2) is tf.float32
    assert tnp.result_type(True, 1) is tf.int64
    assert tnp.promote_types(tf.int32, tf.float32) == np.float64
    assert tnp.finfo(tf.bfloat16).bits == 16
    assert tnp.issubdtype(tf.int32, np.integer)
    assert tnp.size(tf.zeros([2, 3])) == 6
    assert tnp.ndim([[1]]) == 2
    assert tnp.shape([[1]]) == (1, 1)
    assert tnp.isscalar(3)
    assert tnp.iscomplexobj(1j)
    assert tnp.isrealobj(1.0)


def test_random_numbers_repeat_with_their_seed() -> None:
    def draw() -> list[np.ndarray]:
        tnp.random.seed(7)
        return [
            tnp.random.rand(2, 3).numpy(),
            tnp.random.randn(4).numpy(),
            tnp.random.randint(3, 9, size=[50]).numpy(),
            tnp.random.uniform(-1, 1, 5).numpy(),
            tnp.random.poisson(3.0, [4]).numpy(),
            tnp.random.standard_normal(3).numpy(),
            tnp.random.random([2]).numpy(),
            tnp.random.randint(200, dtype=np.uint8, size=3).numpy(),
        ]

    first, second = draw(), draw()
    for a, b in zip(first, second):
        assert np.array_equal(a, b)
    assert [a.dtype.name for a in first[:5]] == ["float64", "float64", "int64", "float64", "int64"]
    assert first[2].min() >= 3
    assert first[2].max() < 9
    assert first[7].dtype == np.uint8


def test_what_numpy_has_and_tensors_have_not_is_refused() -> None:
    with pytest.raises(ValueError, match="out"):
        tnp.mean([1.0], out=[0.0])
    with pytest.raises(ValueError, match="kind"):
        tnp.sort([1.0], kind="heapsort")
    with pytest.raises(ValueError, match="The provided promotion mode narrow does not exist"):
        tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="narrow")
    with pytest.raises(ValueError, match="sparse"):
        tnp.meshgrid([1], [2], sparse=True)
    with pytest.raises(ValueError, match="needs to know the rank"):
        tf.function(tnp.tile, autograph=False).get_concrete_function(tf.TensorSpec(None), 2)


@pytest.mark.parametrize("name", ["tril", "triu"])
def test_a_triangle_of_a_vector_is_refused_by_its_name(name):
    with pytest.raises(ValueError, match=f"Argument to {name} must have rank at least 2"):
        getattr(tf.experimental.numpy, name)([1.0, 2.0])
