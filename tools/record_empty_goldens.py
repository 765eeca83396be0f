"""Records TensorFlow's gradients at tests/corpora/empty_axes.py: tests/golden/empty_gradients.npz.

    python tools/record_empty_goldens.py

For each case it keeps the gradients, and the second ones where there are any; else the class of
the error. TensorFlow ends the process at some of these cases, so another one computes.
"""

from __future__ import annotations

import contextlib
import multiprocessing
from multiprocessing.connection import Connection
from typing import Any

import recording

tf = recording.tensorflow()

from corpora import empty_axes as corpus

from tools import golden_format as gf

#: Seconds for one case.
PATIENCE = 60


def outcome(case: gf.Case) -> dict[str, Any]:
    """What TensorFlow makes of a case."""
    try:
        gf.run_eager(tf, case)
    except Exception as error:  # noqa: BLE001 - which error is what is recorded
        return {"refused": type(error).__name__}
    try:
        result = {"gradient": gf.run_gradient(tf, case)}
    except Exception as error:  # noqa: BLE001 - likewise
        return {"error": type(error).__name__}
    with contextlib.suppress(Exception):  # there is none, or it fails
        result["second"] = gf.run_second(tf, case)
    return result


def work(cases: list[gf.Case], results: Connection) -> None:
    """Sends the outcome of one case after the other."""
    for case in cases:
        results.send(outcome(case))
    results.close()


def outcomes(cases: list[gf.Case]) -> list[dict[str, Any]]:
    """The outcomes of all cases, by as many processes as it takes."""
    result: list[dict[str, Any]] = []
    while len(result) < len(cases):
        results, sender = multiprocessing.Pipe(duplex=False)
        process = multiprocessing.Process(target=work, args=(cases[len(result) :], sender))
        process.start()
        sender.close()
        try:
            while len(result) < len(cases) and results.poll(PATIENCE):
                result.append(results.recv())
        except EOFError:
            pass
        if len(result) < len(cases):
            print("ends the process:", gf.describe(cases[len(result)])[:200], flush=True)
            result.append({"refused": "crash"})
            process.kill()
        process.join()
    return result


def main() -> None:
    """Writes the file."""
    cases = list(corpus.cases())
    store = gf.Store()
    for (area, case), result in zip(cases, outcomes([case for _, case in cases])):
        for part in ("gradient", "second"):
            if part in result:
                result[part] = [store.pack(g) for g in result[part]]
        store.index[f"{area} {gf.digest(case)}"] = result
    kept = sum("gradient" in result for result in store.index.values())
    print(len(store.index), kept, store.write(gf.GOLDEN / "empty_gradients.npz"))


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    main()
