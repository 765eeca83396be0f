"""Record tests/golden/optimizers.json: what Keras's optimizers do to two variables.

    python tools/record_optimizer_goldens.py

To be run where TensorFlow and Keras 3 are installed.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import keras
import tensorflow as tf
from optimizer_cases import OPTIMIZERS, SCHEDULES, STEPS, train


def main() -> None:
    trained = {
        name: train(tf, getattr(keras.optimizers, kind)(**options))
        for name, (kind, options) in OPTIMIZERS.items()
    }
    rates = {}
    for name, (kind, args, options) in SCHEDULES.items():
        schedule = getattr(keras.optimizers.schedules, kind)(*args, **options)
        rates[name] = [float(schedule(step)) for step in STEPS]
    path = ROOT / "tests" / "golden" / "optimizers.json"
    path.write_text(json.dumps({"trained": trained, "rates": rates}, indent=1) + "\n")


if __name__ == "__main__":
    main()
