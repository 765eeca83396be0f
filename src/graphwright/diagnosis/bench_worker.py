"""Times a call of a program on one library; this file imports nothing of graphwright itself.

    python bench_worker.py LIBRARY PROGRAM CALL SECONDS

The program may import `graphwright` or `tensorflow`: either name stands for the library. What is
measured goes to standard output as JSON.
"""

from __future__ import annotations

import importlib
import json
import runpy
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

#: The results of a series of calls whose times are reported.
RESULTS = (1, 2, 10)


def loaded(library: str) -> Any:
    """The library, which answers to both names from now on."""
    module = importlib.import_module(library.partition("-")[0])
    if module.__name__ == "graphwright":
        module.install_as_tensorflow()
    else:
        sys.modules["graphwright"] = module
    if library.endswith("-eager"):
        module.config.run_functions_eagerly(True)
    return module


def numbers(value: object) -> list[float]:
    """The numbers of a result, as far as it has some, in a list."""
    if isinstance(value, dict):
        return [number for key in sorted(value, key=str) for number in numbers(value[key])]
    if isinstance(value, (list, tuple)):
        return [number for each in value for number in numbers(each)]
    array: Any = getattr(value, "numpy", lambda: value)()
    try:
        return [float(number) for number in array.ravel()[:1000]]
    except (AttributeError, TypeError, ValueError):
        return []


def measure(call: Callable[[], object], seconds: float) -> dict[str, Any]:
    """Times of the first results, and of a call when calls no longer get faster."""
    began = time.perf_counter()
    results: dict[str, float] = {}
    value: object = None
    for count in range(1, max(RESULTS) + 1):
        value = call()
        numbers(value)  # waits until all of it is computed
        if count in RESULTS:
            results[str(count)] = time.perf_counter() - began
    took = results[str(RESULTS[-1])] / RESULTS[-1]
    end = time.perf_counter() + seconds
    samples: list[float] = []
    while time.perf_counter() < end or len(samples) < 3:
        count = max(1, int(0.01 / max(took, 1e-9)))
        start = time.perf_counter()
        for _ in range(count):
            value = call()
        numbers(value)
        took = (time.perf_counter() - start) / count
        samples.append(took)
    later = samples[len(samples) // 2 :]
    return {"results": results, "call": statistics.median(later), "numbers": numbers(value)}


def main() -> None:
    """Measures what the command line asks for."""
    library, program, call, seconds = sys.argv[1:]
    began = time.perf_counter()
    module = loaded(library)
    imported = time.perf_counter() - began
    sys.argv[:] = [program]
    names = runpy.run_path(program, run_name="bench")
    code = compile(call, "the call", "eval")
    record = measure(lambda: eval(code, names), float(seconds))
    record |= {"import": imported, "version": module.__version__}
    print(json.dumps(record))


if __name__ == "__main__":
    main()
