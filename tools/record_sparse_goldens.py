"""Records what TensorFlow makes of sparse tensors: `python tools/record_sparse_goldens.py`.

Run it with TensorFlow 2.21; it writes tests/golden/sparse.json, an entry for each program of
tests/corpora/sparse.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import recording

tf = recording.tensorflow()

from corpora import sparse as corpus


def packed(array: Any) -> Any:
    """An array as dtype, shape and values."""
    if array is None:
        return None
    array = np.asarray(array)
    if array.dtype == object or array.dtype.kind in "SU":
        words = [v.decode("latin-1") for v in array.reshape(-1).tolist()]
        return ["string", list(array.shape), words]
    flat = array.reshape(-1)
    plain = flat.view(flat.real.dtype).tolist() if array.dtype.kind == "c" else flat.tolist()
    return [array.dtype.name, list(array.shape), plain]


def record(program: corpus.Function, inputs: tuple[Any, ...]) -> dict[str, Any]:
    """The outcome of one program."""
    try:
        outcome: dict[str, Any] = {"values": [packed(v) for v in corpus.run(tf, program, inputs)]}
    except RecursionError:
        return {"error": "RecursionError"}
    except Exception as error:  # noqa: BLE001 - which error is what is recorded
        return {"error": type(error).__name__}
    try:
        outcome["gradient"] = [packed(g) for g in corpus.run_gradient(tf, program, inputs)]
    except Exception:  # noqa: BLE001 - TensorFlow cannot: nothing to compare with
        outcome["gradient"] = None
    return outcome


def main() -> None:
    """Write the file."""
    outcomes = [record(program, inputs) for program, inputs in corpus.PROGRAMS]
    recording.write("sparse.json", outcomes)
    print(len(outcomes), "programs,", sum("error" in o for o in outcomes), "of them refused")


if __name__ == "__main__":
    main()
