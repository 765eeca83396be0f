"""`python -m everyday`: runs random programs, and shrinks those that differ.

    python -m everyday --seed 7                    one program in the usual tiers
    python -m everyday --seeds 0 1000              many; --folder F keeps what is done
    python -m everyday --seed 7 --tiers native     in these tiers; `all` are all of them
    python -m everyday --seed 7 --print            its text
    python -m everyday --file program.py           a program as it was printed
    python -m everyday --seed 7 --tensorflow PYTHON   what TensorFlow makes of it, in that Python
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("GRAPHWRIGHT_CACHE_DIR", "off")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from everyday.coding import decoded
from everyday.outcomes import compare
from everyday.programs import Program, parse
from everyday.runs import Finding, examine, run, tiers_of, verdict
from everyday.shrinking import shrink
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
    parser.add_argument("--tiers", nargs="+", default=[], choices=[*TIERS, "all"])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--print", action="store_true", dest="show")
    parser.add_argument("--seconds", type=float, default=60.0, help="for shrinking each program")
    parser.add_argument("--whole", action="store_true", help="do not shrink")
    parser.add_argument("--tensorflow", metavar="PYTHON")
    options = parser.parse_args()
    names = list(TIERS) if "all" in options.tiers else options.tiers
    wanted = [TIERS[name] for name in names]
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
    word = verdict(findings, len(chosen))
    print(word, *findings, sep="\n")
    if word == "differ":
        name = str(options.file) if options.file else f"seed {options.seed}"
        report(name, program, findings, 0.0 if options.whole else options.seconds)
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
            report(f"seed {seed}", write(seed), findings, seconds)
    parts = ", ".join(f"{n} {word}" for word, n in counted.most_common())
    print(f"{counted.total()} programs in {time.perf_counter() - start:.1f} s: {parts}")
    return int(counted["differ"] > 0)


def report(name: str, program: Program, findings: Sequence[Finding], seconds: float) -> None:
    """Prints a program that differs, shrunk, and the command that runs it."""
    first = next((f for f in findings if f.difference.kind != "refused"), findings[0])
    print(f"\n== {name}: {', '.join(f.tier for f in findings)}")
    if seconds:
        program, first = smallest(program, first, seconds)
    print(program.text())
    print(first)
    command = name.replace("seed", "--seed") if name.startswith("seed") else f"--file {name}"
    print(f"PYTHONPATH=src:tests python -m everyday {command} --tiers {first.tier}", flush=True)


def smallest(program: Program, finding: Finding, seconds: float) -> tuple[Program, Finding]:
    """The smallest program that differs in the same way, and how it does."""
    tier = TIERS[finding.tier]
    latest = [finding]

    def differs(candidate: Program) -> bool:
        found = examine(candidate, [tier], 2.0)
        if found and found[0].difference[:2] == finding.difference[:2]:
            latest[0] = found[0]
            return True
        return False

    return shrink(program, differs, seconds), latest[0]


if __name__ == "__main__":
    sys.exit(main())
