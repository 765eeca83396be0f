"""Records tests/golden/ops_AREA.npz from TensorFlow: `python tools/record_goldens.py [AREA ...]`.

Run it with TensorFlow 2.21 installed; what it writes is what tests/test_goldens.py compares.
Cases that are recorded already are kept as they are, unless `--all` is given.
For the cases of each area (`tools/golden/AREA.py`) it stores what they return or which error
they raise, the static shapes of their results when traced with full, partial and no shape
information, and the gradients of weighted sums of the results.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from typing import Any

import recording

tf = recording.tensorflow()

from tools import golden_format as gf


def record(case: gf.Case, store: gf.Store) -> dict[str, Any]:
    """The outcome of one case."""
    outcome: dict[str, Any] = {"shapes": []}
    try:
        outcome["values"] = [store.pack(v) for v in gf.run_eager(tf, case)]
    except Exception as error:  # noqa: BLE001 - which error is what is recorded
        outcome["error"] = type(error).__name__
    for level in gf.LEVELS:
        try:
            shapes, _ = gf.run_traced(tf, case, level)
            outcome["shapes"].append(shapes)
        except Exception as error:  # noqa: BLE001 - likewise
            outcome["shapes"].append(type(error).__name__)
    if "error" in outcome:
        return outcome
    try:
        gradient = gf.run_gradient(tf, case)
        if gradient:
            outcome["gradient"] = [store.pack(g) for g in gradient]
            outcome["unshaped"] = True
            gf.run_gradient(tf, case, traced=True)
    except Exception:  # noqa: BLE001 - TensorFlow cannot: nothing to compare with
        outcome.pop("unshaped", None)
    return outcome


def kept(outcome: dict[str, Any], before: gf.Store, store: gf.Store) -> dict[str, Any]:
    """An outcome recorded before, its values moved to another store."""
    moved = dict(outcome)
    for part in ("values", "gradient"):
        if part in outcome:
            moved[part] = [store.pack(before.unpack(entry)) for entry in outcome[part]]
    return moved


def main(areas: list[str], again: bool) -> None:
    """Records the areas named, or all."""
    warnings.simplefilter("ignore")
    for area in areas or sorted(
        p.stem for p in (recording.ROOT / "tools" / "golden").glob("[a-z]*.py")
    ):
        module = importlib.import_module(f"tools.golden.{area}")
        getattr(module, "setup", lambda tf: None)(tf)
        cases = gf.distinct(module.cases())
        store, before = gf.Store(), gf.Store()
        if not again and gf.path_of(area).exists():
            before = gf.Store.load(area)
        for number, case in enumerate(cases):
            key = gf.digest(case)
            known = before.index.get(key)
            store.index[key] = record(case, store) if known is None else kept(known, before, store)
            if number % 100 == 0:
                print(f"\r{area}: {number}/{len(cases)}", end="", file=sys.stderr, flush=True)
        path = store.save(area)
        print(f"\r{area}: {len(cases)} cases, {path.stat().st_size >> 10} KiB")


if __name__ == "__main__":
    main([a for a in sys.argv[1:] if a != "--all"], "--all" in sys.argv)
