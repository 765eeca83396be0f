"""Cases recorded from TensorFlow 2.21 by tools/record_kernel_goldens.py: a kernel's arguments and
its result.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

FOLDER = Path(__file__).parent.parent / "golden"


@dataclass(frozen=True)
class Case:
    """One call: `kernel` is "family.function"; `test_kernel_goldens` knows where families are."""

    name: str
    kernel: str
    args: list[Any]
    kwargs: dict[str, Any]
    result: Any
    ulps: float  # allowed distance, in units of the last place ...
    of_largest: bool  # ... of the result's largest magnitude, else of each element's own

    def __str__(self) -> str:
        return self.name


def load(family: str) -> list[Case]:
    """The cases of tests/golden/kernels_<family>.npz."""
    with np.load(FOLDER / f"kernels_{family}.npz") as file:
        arrays = {name: file[name] for name in file.files}
    records = json.loads(arrays.pop("cases").tobytes().decode())
    return [Case(**_decode(record, arrays)) for record in records]


def families() -> list[str]:
    """The recorded families, from the files present."""
    return sorted(path.stem.removeprefix("kernels_") for path in FOLDER.glob("kernels_*.npz"))


def _decode(value: Any, arrays: dict[str, Any]) -> Any:
    match value:
        case {"array": name, "dtype": "bfloat16"}:
            return arrays[name].view(ml_dtypes.bfloat16)
        case {"array": name}:
            return arrays[name]
        case {"dtype": name}:
            return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)
        case {"tuple": items}:
            return tuple(_decode(item, arrays) for item in items)
        case {"strings": items, "shape": shape}:
            flat = np.empty(len(items), object)
            flat[:] = [bytes.fromhex(item) for item in items]
            return flat.reshape(shape)
        case {"bytes": text}:
            return bytes.fromhex(text)
        case dict():
            return {key: _decode(item, arrays) for key, item in value.items()}
        case list():
            return [_decode(item, arrays) for item in value]
    return value
