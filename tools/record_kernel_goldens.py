"""Records what TensorFlow 2.21 gives for the calls that the kernels must reproduce.

Run it with a Python that has tensorflow-cpu 2.21.0: `python tools/record_kernel_goldens.py [family
...]` writes tests/golden/kernels_<family>.npz, by default all of them. Each case holds a kernel's
name, the arguments it is to be called with and TensorFlow's result; they are read by
tests/support/kernel_goldens.py.
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

import numpy as np
import recording

FAMILIES = (
    "convolution",
    "ctc",
    "pooling",
    "random",
    "resize",
    "scatter",
    "segment",
    "strings",
)


class Recorder:
    """Collects the cases of one family."""

    def __init__(self) -> None:
        self._cases: list[dict[str, Any]] = []
        self._arrays: dict[str, Any] = {}

    def case(
        self,
        name: str,
        kernel: str,
        result: Any,
        *args: Any,
        ulps: float = 0,
        of_largest: bool = False,
        **kwargs: Any,
    ) -> None:
        """Record that `kernel`, "module.function", called so gives TensorFlow's `result` within
        `ulps`.
        """
        self._cases.append(
            {
                "name": name,
                "kernel": kernel,
                "args": [self._encode(arg) for arg in args],
                "kwargs": {key: self._encode(arg) for key, arg in kwargs.items()},
                "result": self._encode(result),
                "ulps": ulps,
                "of_largest": of_largest,
            }
        )

    def save(self, family: str) -> None:
        """Write the family's file."""
        header = np.frombuffer(json.dumps(self._cases).encode(), np.uint8)
        path = recording.GOLDEN / f"kernels_{family}.npz"
        np.savez_compressed(path, cases=header, **self._arrays)
        print(f"{path.name}: {len(self._cases)} cases, {path.stat().st_size / 1024:.0f} KiB")

    def _encode(self, value: Any) -> Any:
        if hasattr(value, "numpy"):
            value = value.numpy()
        if isinstance(value, np.ndarray) and value.dtype == object:
            return {"strings": [item.hex() for item in value.ravel()], "shape": list(value.shape)}
        if isinstance(value, np.ndarray | np.generic):
            name = f"a{len(self._arrays)}"
            bfloat16 = value.dtype.name == "bfloat16"
            self._arrays[name] = np.asarray(value).view(np.uint16) if bfloat16 else value
            return {"array": name, "dtype": value.dtype.name}
        if isinstance(value, bytes):
            return {"bytes": value.hex()}
        if isinstance(value, np.dtype):
            return {"dtype": value.name}
        if isinstance(value, tuple):
            return {"tuple": [self._encode(item) for item in value]}
        if isinstance(value, list):
            return [self._encode(item) for item in value]
        return value


def main(families: list[str]) -> None:
    """Record the named families, or all."""
    recording.tensorflow()
    for family in families or FAMILIES:
        recorder = Recorder()
        importlib.import_module(f"record_kernels.{family}").record(recorder)
        recorder.save(family)


if __name__ == "__main__":
    main(sys.argv[1:])
