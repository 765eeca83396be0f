"""Records the parameters of TensorFlow 1's functions that take others than those of TensorFlow 2.

Run `python tools/record_former_signatures.py` with TensorFlow 2.21 installed. It writes
tests/golden/former_signatures.json: by the path below `tf.compat.v1`, the names of parameters.
"""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any

import recording

tf = recording.tensorflow()

PUBLIC = "/_api/"  # in the path of every module that only publishes names
#: Namespaces whose names are those of other ones, or of Keras.
LEFT_OUT = {"compat", "keras", "estimator", "layers", "initializers", "metrics", "tpu", "lite"}


def differing(former: Any, today: Any, path: str, result: dict[str, list[str]]) -> None:
    """Adds the functions of a namespace that are not the ones of today at the same path."""
    for name in sorted(n for n in dir(former) if not n.startswith("_")):
        if name in LEFT_OUT:
            continue
        value, full = getattr(former, name), f"{path}.{name}".lstrip(".")
        if isinstance(value, ModuleType):
            if PUBLIC in str(getattr(value, "__file__", "")):
                differing(value, getattr(today, name, None), full, result)
        elif inspect.isfunction(value):
            other = getattr(today, name, None)
            if other is None or inspect.unwrap(value) is not inspect.unwrap(other):
                result[full] = list(inspect.signature(value).parameters)


def main() -> int:
    """Writes the file."""
    result: dict[str, list[str]] = {}
    differing(tf.compat.v1, tf, "", result)
    recording.write("former_signatures.json", result)
    print(len(result), "functions")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
