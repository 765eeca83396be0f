"""Record tests/golden/optimizers.json: what Keras's optimizers do to two variables.

    python tools/record_optimizer_goldens.py

To be run where TensorFlow and Keras 3 are installed.
"""

from __future__ import annotations

import recording

tf = recording.tensorflow()

import keras
from corpora.optimizers import OPTIMIZERS, SCHEDULES, STEPS, train


def main() -> None:
    trained = {
        name: train(tf, getattr(keras.optimizers, kind)(**options))
        for name, (kind, options) in OPTIMIZERS.items()
    }
    rates = {}
    for name, (kind, args, options) in SCHEDULES.items():
        schedule = getattr(keras.optimizers.schedules, kind)(*args, **options)
        rates[name] = [float(schedule(step)) for step in STEPS]
    recording.write("optimizers.json", {"trained": trained, "rates": rates})


if __name__ == "__main__":
    main()
