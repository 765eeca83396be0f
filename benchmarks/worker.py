"""One peer at one workload, in a process of its own: `python -m benchmarks.worker PEER WORKLOAD`.

It prepares, then answers every line on the standard input with a sample: one line of JSON. A peer
that is not installed is the one answer `{"absent": true}`, one that cannot do this says why:
`{"refused": "..."}`.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from typing import Any

from benchmarks.peers import OURS, library_of
from benchmarks.programs import WORKLOADS


def main(peer: str, name: str) -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # a library that prints must not answer

    def answer(**fields: Any) -> None:
        print(json.dumps(fields), file=answers, flush=True)

    library = library_of(peer)
    if importlib.util.find_spec(library) is None:
        answer(absent=True)
        return
    workload = WORKLOADS[name]
    try:
        sample = workload.prepare(peer)
    except Exception as error:
        if library == OURS:
            raise
        answer(refused=f"{type(error).__name__}: {error}".splitlines()[0][:120])
        return
    answer(ready=True, contents=getattr(sample, "contents", None))
    for _ in sys.stdin:
        value = sample()
        answer(value=value, version=sys.modules[library].__version__)


if __name__ == "__main__":
    main(*sys.argv[1:])
