"""`python -m everyday`: runs random programs, and shrinks those that differ.

python -m everyday --seed 7                    one program in the usual tiers
python -m everyday --seeds 0 1000              many; --folder F keeps what is done
python -m everyday --seed 7 --tiers native     in these tiers; `all` are all of them
python -m everyday --seed 7 --print            its text
python -m everyday --day                       a thousand of today's
python -m everyday --file program.py           a program as it was printed
python -m everyday --seed 7 --tensorflow PYTHON   what TensorFlow makes of it, in that Python
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("GRAPHWRIGHT_CACHE_DIR", "off")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from everyday.coding import decoded
from everyday.days import first_seed
from everyday.outcomes import compare
from everyday.programs import Program, parse
from everyday.runs import examine, explain, run, tiers_of, verdict
from everyday.tiers import EAGER, TIERS, Tier, outcomes
from everyday.writer import write


def main() -> int:
    """Runs what the command line asks for; 1 if a program differs."""
    parser = argparse.ArgumentParser("everyday", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--seed", type=int)
    what.add_argument("--seeds", type=int, nargs=2, metavar=("FIRST", "END"))
    what.add_argument("--file", type=Path)
    what.add_argument("--day", action="store_true")
    parser.add_argument("--tiers", nargs="+", default=[], choices=[*TIERS, "all"])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--print", action="store_true", dest="show")
    parser.add_argument("--seconds", type=float, default=60.0, help="for shrinking each program")
    parser.add_argument("--whole", action="store_true", help="do not shrink")
    parser.add_argument("--refused", action="store_true", help="shrink what cannot be staged too")
    parser.add_argument("--tensorflow", metavar="PYTHON")
    options = parser.parse_args()
    names = list(TIERS) if "all" in options.tiers else options.tiers
    wanted = [TIERS[name] for name in names]
    if options.day:
        return day()
    if options.seeds:
        return many(options, wanted)
    program = parse(options.file.read_text()) if options.file else write(options.seed)
    if options.show:
        print(program.text())
        return 0
    if options.tensorflow:
        return beside_tensorflow(program, options.tensorflow)
    chosen = wanted or (list(TIERS.values()) if options.file else tiers_of(options.seed))
    findings = examine(program, chosen)
    word = verdict(findings, chosen)
    print(word, *findings, sep="\n")
    if word == "differ" or (findings and options.refused):
        name = f"--file {options.file}" if options.file else f"--seed {options.seed}"
        print(explain(name, program, findings, 0.0 if options.whole else options.seconds))
    return int(word == "differ")


def beside_tensorflow(program: Program, python: str) -> int:
    """Prints what TensorFlow gives eagerly and traced, and how our kernels differ from it."""
    text = json.dumps(program)
    run = subprocess.run(
        [python, "-m", "everyday.peer"], input=text, stdout=subprocess.PIPE, text=True, check=True
    )
    eager, traced, messages = json.loads(run.stdout.splitlines()[-1])
    differ = False
    for tier, records in (EAGER, eager), (TIERS["steps"], traced):
        own = outcomes(program, tier)
        for i, (record, outcome) in enumerate(zip(records, own)):
            theirs = decoded(record)
            difference = compare(theirs, outcome)
            note = f" ({messages[i]})" if tier is not EAGER and theirs.error else ""
            print(f"{tier.name}, call {i}: {theirs}{note}", f"  here {outcome}", sep="\n")
            if difference:
                print("  ", *difference)
                differ = True
    return int(differ)


def many(options: argparse.Namespace, wanted: Sequence[Tier]) -> int:
    """Programs of many numbers."""
    counted: Counter[str] = Counter()
    start = time.perf_counter()
    for seed, word, findings in run(range(*options.seeds), wanted, options.folder):
        counted[word] += 1
        if word == "differ":
            seconds = 0.0 if options.whole else options.seconds
            print(explain(f"--seed {seed}", write(seed), findings, seconds), flush=True)
    parts = ", ".join(f"{n} {word}" for word, n in counted.most_common())
    print(f"{counted.total()} programs in {time.perf_counter() - start:.1f} s: {parts}")
    return int(counted["differ"] > 0)


def day() -> int:
    """A thousand programs of today, in two processes that share machine code on the disk; then
    some of them once more, with code that is there; `check` holds that against new code."""
    first = first_seed()
    command = [sys.executable, "-m", "everyday", "--seconds", "20"]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "GRAPHWRIGHT_CACHE_DIR": str(Path(folder) / "code")}
        halves = [
            subprocess.Popen([*command, "--seeds", str(a), str(a + 500)], env=environment)
            for a in (first, first + 500)
        ]
        codes = [half.wait() for half in halves]
        again = ["--seeds", str(first), str(first + 50), "--tiers", "native", "check"]
        codes.append(subprocess.run([*command, *again], env=environment).returncode)
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
