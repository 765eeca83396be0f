"""Keras foretells a series: an LSTM reads two days of a signal and says what the next hour has.

The signal has a daily and a weekly rhythm, a trend and noise. `timeseries_dataset_from_array` makes
windows of it. What the network is worth shows beside two simple guesses: the last value again, and
the value of a day before.

Needs Keras 3 (`pip install keras`).

    python examples/keras_waves.py            # some seconds
"""

from __future__ import annotations

import argparse

import numpy as np

import graphwright as tf

keras = tf.keras
layers = keras.layers

DAY, WEEK = 24, 168
PAST = 2 * DAY


def signal(hours):
    """A series of hours, float32."""
    time, noise = np.arange(hours), np.random.default_rng(0).normal(size=hours)
    daily, weekly = np.sin(2 * np.pi * time / DAY), np.sin(2 * np.pi * time / WEEK)
    return (2 * daily + (1 + 0.5 * daily) * weekly + 0.001 * time + 0.15 * noise).astype("float32")


def windows(series, **options):
    """Batches of `PAST` values and the value after them."""
    return keras.utils.timeseries_dataset_from_array(
        series[:-1, None], series[PAST:], PAST, batch_size=64, **options
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--epochs", type=int, default=6)
    options = parser.parse_args()
    keras.utils.set_random_seed(0)
    series = signal(12 * WEEK)
    past, future = series[: 10 * WEEK], series[10 * WEEK - PAST :]

    normalize = layers.Normalization(axis=None)
    normalize.adapt(past)
    model = keras.Sequential([keras.Input((PAST, 1)), normalize, layers.LSTM(24), layers.Dense(1)])
    model.compile(keras.optimizers.Adam(0.01), "mse", metrics=["mae"])
    training = windows(past, shuffle=True, seed=1)
    later = windows(future)
    slower = keras.callbacks.ReduceLROnPlateau("loss", patience=1)
    history = model.fit(
        training, epochs=options.epochs, callbacks=[slower], shuffle=False, verbose=0
    ).history
    for epoch, error in enumerate(history["mae"], 1):
        print(f"epoch {epoch}: mean error {error:.3f}")

    error = model.evaluate(later, verbose=0, return_dict=True)["mae"]
    again = np.abs(future[PAST:] - future[PAST - 1 : -1]).mean()
    day_before = np.abs(future[PAST:] - future[PAST - DAY : -DAY]).mean()
    print(f"weeks to come: mean error {error:.3f}; the last value {again:.3f}, "
          f"that of a day before {day_before:.3f}")  # fmt: skip


if __name__ == "__main__":
    main()
