"""Keras's `fit` in two processes; it needs the extras `keras` and `mpi`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from support import ranks

pytest.importorskip("mpi4py")
pytestmark = [
    pytest.mark.skipif(find_spec("keras") is None, reason="the extra `keras`"),
    pytest.mark.skipif(not ranks.ARE_POSSIBLE, reason="there is no mpiexec"),
]

PROGRAM = """
import contextlib, json, os, pathlib
os.environ["KERAS_BACKEND"] = "tensorflow"
import graphwright
graphwright.install_as_tensorflow()
import tensorflow as tf
import keras
import numpy as np
random = np.random.default_rng(0)
x = random.normal(size=(28, 8)).astype("float32")
y = random.normal(size=(28, 1)).astype("float32")
strategy = tf.distribute.MultiWorkerMirroredStrategy()
results = []
for scope in (strategy.scope(), contextlib.nullcontext()):
    keras.utils.set_random_seed(1)
    with scope:
        layers = [keras.layers.Dense(16, activation="relu"), keras.layers.Dense(1)]
        model = keras.Sequential([keras.layers.Input((8,)), *layers])
        model.compile(optimizer=keras.optimizers.Adam(0.01), loss="mse", metrics=["mae"])
    history = model.fit(x, y, batch_size=16, epochs=2, shuffle=False, verbose=0).history
    values = [*history["loss"], *history["mae"], *model.evaluate(x, y, verbose=0)]
    results.append([*values, *model.predict(x[:5], verbose=0).ravel().tolist()])
file = pathlib.Path(__file__).with_name(f"{strategy.cluster_resolver.task_id}.json")
file.write_text(json.dumps(np.array(results).tolist()))
"""


def test_fit_gives_what_one_process_gives(tmp_path: Path) -> None:
    left = ranks.run(PROGRAM, 2, tmp_path)
    assert sorted(left) == [0, 1]
    for divided, plain in left.values():
        np.testing.assert_allclose(divided, plain, rtol=2e-5)
