"""Records the public names of TensorFlow: `python tools/record_public_names.py`, where 2.21 is.

Writes tests/golden/public_names.json: the names of every namespace but those of earlier versions
(`compat`) and of Keras. docs/api.md says which of them are not here.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import ModuleType
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import tensorflow as tf

FILE = Path(__file__).resolve().parent.parent / "tests" / "golden" / "public_names.json"
#: Namespaces whose names are not listed: they are names of their parent, or not public.
WHOLE = {"compat.v1", "compat.v2", "keras", "initializers", "losses", "metrics", "optimizers"}
PUBLIC = "/_api/v2/"  # in the path of every module that only publishes names


def walk(module: Any, path: str, found: dict[str, list[str]]) -> None:
    """Lists a namespace and those in it."""
    names = found[path] = []
    for name in sorted(n for n in dir(module) if not n.startswith("_")):
        full = f"{path}.{name}".lstrip(".")
        value = getattr(module, name)
        if isinstance(value, ModuleType) and full not in WHOLE:
            if PUBLIC in str(value.__file__):
                walk(value, full, found)
        else:
            names.append(name)


def main() -> None:
    """Write the file."""
    found: dict[str, list[str]] = {}
    walk(tf, "", found)
    lines = [f"{json.dumps(path)}: {json.dumps(' '.join(found[path]))}" for path in sorted(found)]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{sum(map(len, found.values()))} names in {len(found)} namespaces")


if __name__ == "__main__":
    main()
