"""Records tests/golden/promotion.json: `python tools/record_promotion_goldens.py`.

Run it with TensorFlow 2.21 installed. A row has a dtype and its common dtypes with all of `KINDS`,
in their order. `*` marks weak dtypes, and `-` pairs that TensorFlow refuses with a TypeError. Each
promotion mode has a process of its own, since no process can leave a mode.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import recording

MODES = ("all", "safe")
KINDS = """bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 bfloat16 float16 float32 float64
complex64 complex128 int32* int64* float32* float64* complex128*""".split()  # noqa: SIM905


def record(mode: str) -> dict[str, str]:
    """The table of a mode, which this process has from now on."""
    tf = recording.tensorflow()
    from tensorflow.python.framework import flexible_dtypes, weak_tensor

    tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode=mode)

    def operand(kind: str) -> Any:
        tensor = tf.cast([[1]], kind.removesuffix("*"))
        return weak_tensor.convert_to_weak_tensor_or_tensor(tensor, kind.endswith("*"))

    def cell(x: Any, y: Any) -> str:
        try:
            dtype, weak = flexible_dtypes.result_type(x, y)
        except TypeError:
            return "-"
        return f"{dtype.name}*" if weak else str(dtype.name)

    values = {kind: operand(kind) for kind in KINDS}
    return {kind: " ".join(cell(x, y) for y in values.values()) for kind, x in values.items()}


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(record(sys.argv[1])))
    else:
        commands = [[sys.executable, __file__, mode] for mode in MODES]
        runs = [subprocess.Popen(c, stdout=subprocess.PIPE, text=True) for c in commands]
        texts = [run.communicate()[0] for run in runs]
        tables = {m: json.loads(text.splitlines()[-1]) for m, text in zip(MODES, texts)}
        recording.write("promotion.json", tables)
