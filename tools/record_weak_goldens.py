"""Records tests/golden/weak_results.json.gz: `python tools/record_weak_goldens.py`.

Run it with TensorFlow 2.21 installed. It has the dtypes and the weakness of results in the
promotion modes. Each mode has a process of its own, since no process can leave a mode.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import recording

MODES = ("all", "safe")


def record(mode: str) -> dict[str, Any]:
    """The tables of a mode, which this process has from now on."""
    tf = recording.tensorflow()
    from corpora import weak_operands

    tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode=mode)
    expressions = [
        *weak_operands.EXPRESSIONS,
        *weak_operands.MORE_EXPRESSIONS,
        *weak_operands.ALL_NUMPY_EXPRESSIONS,
    ]
    return {
        "operators": weak_operands.operator_table(tf),
        "expressions": weak_operands.expression_table(tf, expressions),
        "programs": weak_operands.program_table(tf),
    }


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(record(sys.argv[1])))
    else:
        commands = [[sys.executable, __file__, mode] for mode in MODES]
        runs = [subprocess.Popen(c, stdout=subprocess.PIPE, text=True) for c in commands]
        texts = [run.communicate()[0] for run in runs]
        tables = {m: json.loads(text.splitlines()[-1]) for m, text in zip(MODES, texts)}
        recording.write("weak_results.json.gz", tables)
