"""What the scripts that record from TensorFlow share: the path, a quiet TensorFlow, golden files.

From its import on, `tools` and the modules of tests/ can be imported.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests" / "golden"

sys.path[:0] = [str(ROOT), str(ROOT / "tests")]


def tensorflow() -> Any:
    """TensorFlow, which computes on processors alone and says little."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
    import tensorflow as tf

    tf.get_logger().setLevel("ERROR")
    return tf


def write(name: str, content: Any, sort_keys: bool = False) -> None:
    """Writes a golden file, as JSON with a line for each value, and says how large it is."""
    text = json.dumps(content, indent=0, ensure_ascii=False, sort_keys=sort_keys) + "\n"
    data = text.encode()
    (GOLDEN / name).write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)
    print(f"{name}: {len(content)} entries, {(GOLDEN / name).stat().st_size} bytes")
