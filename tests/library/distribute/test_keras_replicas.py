"""Keras's `fit` under a strategy of two replicas; it needs the extra `keras`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

pytestmark = pytest.mark.skipif(find_spec("keras") is None, reason="the extra `keras`")

PROGRAM = """
import contextlib, json
import graphwright
graphwright.install_as_tensorflow()
import tensorflow as tf
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
import keras
import numpy as np
random = np.random.default_rng(0)
x = random.normal(size=(32, 8)).astype("float32")
y = random.normal(size=(32, 1)).astype("float32")
results = []
for scope in (tf.distribute.MirroredStrategy().scope(), contextlib.nullcontext()):
    keras.utils.set_random_seed(1)
    with scope:
        layers = [keras.layers.Dense(16, activation="relu"), keras.layers.Dense(1)]
        model = keras.Sequential([keras.layers.Input((8,)), *layers])
        model.compile(optimizer=keras.optimizers.Adam(0.01), loss="mse", metrics=["mae"])
    history = model.fit(x, y, batch_size=16, epochs=2, shuffle=False, verbose=0).history
    kind = type(model.trainable_variables[0].value).__name__
    values = [*history["loss"], *history["mae"], *model.evaluate(x, y, verbose=0)]
    results.append([kind, values, model.predict(x[:4], verbose=0).ravel().tolist()])
strategy = tf.distribute.MirroredStrategy()
rows = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)
for form in (
    strategy.experimental_distribute_dataset(rows),
    strategy.distribute_datasets_from_function(lambda context: rows),
):
    keras.utils.set_random_seed(1)
    with strategy.scope():
        model = keras.Sequential([keras.layers.Input((8,)), keras.layers.Dense(1)])
        model.compile(optimizer="sgd", loss="mse")
    assert form.cardinality == 4
    history = model.fit(form, epochs=2, verbose=0).history
    results.append([*history["loss"], int(model.optimizer.iterations)])
with strategy.scope():
    optimizer = keras.optimizers.SGD(0.5, momentum=0.06)  # builds itself in the first replica
    weights = tf.Variable([1.0, 2.0, 3.0, 4.0])
    slopes = lambda: tf.constant([1.0, 6.0, 7.0, 2.0])
    strategy.run(lambda: optimizer.apply_gradients([(slopes(), weights)]))
print(json.dumps([*results, weights.numpy().tolist()]))
"""


def test_fit_gives_what_one_replica_gives() -> None:
    environment = os.environ | {
        "KERAS_BACKEND": "tensorflow",
        "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
    }
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    (kind, *mirrored), (_, *plain), *fed, stepped = json.loads(done.stdout.splitlines()[-1])
    assert stepped == [0.0, -4.0, -4.0, 2.0]
    assert kind == "MirroredVariable"
    assert [steps for *_, steps in fed] == [8, 4]  # each replica takes a batch of its own
    assert all(last < first for first, last, _ in fed)
    for ours, expected in zip(mirrored, plain):
        np.testing.assert_allclose(ours, expected, rtol=2e-5)
