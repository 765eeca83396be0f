"""`python -m pipelines`: runs random pipelines, and shrinks those that differ from the model.

python -m pipelines --seed 7                     one pipeline in all ways
python -m pipelines --seeds 0 1000               many
python -m pipelines --seed 7 --ways eagerly      in these ways
python -m pipelines --seed 7 --print             its text
python -m pipelines --seeds 0 99 --package tensorflow   whether the model is TensorFlow's
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from collections import Counter

os.environ.setdefault("GRAPHWRIGHT_CACHE_DIR", "off")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from pipelines.composer import compose
from pipelines.trials import explain, run
from pipelines.ways import WAYS


def main() -> int:
    """Runs what the command line asks for; 1 if a pipeline differs."""
    parser = argparse.ArgumentParser("pipelines", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--seed", type=int)
    what.add_argument("--seeds", type=int, nargs=2, metavar=("FIRST", "END"))
    parser.add_argument("--ways", nargs="+", default=list(WAYS), choices=WAYS)
    parser.add_argument("--print", action="store_true", dest="show")
    parser.add_argument("--seconds", type=float, default=20.0, help="for shrinking each pipeline")
    parser.add_argument("--package", default="graphwright")
    options = parser.parse_args()
    seeds = range(*options.seeds) if options.seeds else range(options.seed, options.seed + 1)
    if options.show:
        for seed in seeds:
            print(compose(seed).text())
        return 0
    tf = importlib.import_module(options.package)
    counted: Counter[str] = Counter()
    start = time.perf_counter()
    for seed, findings in run(seeds, tf, options.ways):
        counted["differ" if findings else "agree"] += 1
        if findings:
            print(explain(seed, tf, findings[0], options.seconds), flush=True)
            print("also:", *findings[1:], sep="\n  ", flush=True)
    parts = ", ".join(f"{n} {word}" for word, n in counted.most_common())
    print(f"{counted.total()} pipelines in {time.perf_counter() - start:.1f} s: {parts}")
    return int(counted["differ"] > 0)


if __name__ == "__main__":
    sys.exit(main())
