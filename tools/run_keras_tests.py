"""Run the tests that the keras wheel ships on graphwright, and print a table by folder.

    python tools/run_keras_tests.py PYTHON [FOLDER ...] [--results FILE] [--seconds N] [--table]

PYTHON is the interpreter of an environment that has keras, pytest and graphwright. Each file of
tests runs in a process of its own, with a limit of time. Its outcomes go to the results at once, so
that another call goes on where this one was stopped. --again runs files anew that have failures,
and --reference FILE counts only the tests that pass in other results, as those of TensorFlow.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

SRC = Path(__file__).resolve().parent.parent / "src"

#: What happened to a test, or to a file that ended before its tests did. One is lacking where it
#: needs a package that the environment does not have.
PASSED, FAILED, SKIPPED, LOST, LACKING = "passed", "failed", "skipped", "lost", "lacking"

#: The errors that say so; what `tensorflow` lacks is ours to mend.
ABSENCE = re.compile(
    r"ModuleNotFoundError: No module named '(?!tensorflow\.|graphwright|keras)"
    r"|ImportError: .* requires the .* package"
)

#: The outcomes of a file: for each test its outcome, and the first line of the error.
Outcomes = dict[str, tuple[str, str]]

PROGRAM = """
import sys
import {package} as _
if {install}:
    _.install_as_tensorflow()
import pytest
sys.exit(pytest.main(sys.argv[1:]))
"""

#: What some tests import of the file `conftest.py` beside Keras's sources, which the wheel lacks.
CONFTEST = """
import pytest
from keras.src import backend

def skip_if_backend(given_backend, reason):
    return pytest.mark.skipif(backend.backend() == given_backend, reason=reason)
"""


def keras_folder(python: str) -> Path:
    """The folder of the installed keras, which is not imported."""
    code = "import importlib.util as u; print(u.find_spec('keras').submodule_search_locations[0])"
    result = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return Path(result.stdout.strip())


def test_files(keras: Path, folders: Sequence[str]) -> list[Path]:
    """The files of tests in some folders of `keras/src`, or in all."""
    roots = [keras / "src" / folder for folder in folders] or [keras / "src"]
    files = {file for root in roots for file in ([root] if root.is_file() else tests_in(root))}
    return sorted(files)


def tests_in(root: Path) -> Iterable[Path]:
    """The files of tests under a folder."""
    return root.rglob("*_test.py")


def run_file(python: str, file: Path, seconds: float, peer: bool) -> Outcomes:
    """Runs the tests of a file; those that were not reached in time are lost."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        (Path(folder) / "conftest.py").write_text(CONFTEST)
        program = PROGRAM.format(package="tensorflow" if peer else "graphwright", install=not peer)
        options = ["-q", "-p", "no:cacheprovider", "--tb=line", "-W", "ignore"]
        command = [python, "-c", program, str(file), *options, f"--junitxml={report}"]
        environment = os.environ | {"KERAS_BACKEND": "tensorflow", "TF_CPP_MIN_LOG_LEVEL": "3"}
        environment["PYTHONPATH"] = folder if peer else f"{SRC}{os.pathsep}{folder}"
        try:
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True,
                timeout=seconds,
            )  # fmt: skip
            trouble = f"exit code {done.returncode}: {last_line(done.stdout + done.stderr)}"
        except subprocess.TimeoutExpired:
            trouble = f"no end after {seconds:.0f} s"
        if report.exists():
            return read_report(report)
        return {"(the file)": (LOST, trouble)}


def last_line(text: str) -> str:
    """The last line of a text that has one."""
    return next((line for line in reversed(text.splitlines()) if line.strip()), "")


def read_report(report: Path) -> Outcomes:
    """The outcomes in a report of pytest."""
    outcomes: Outcomes = {}
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname', '').rpartition('.')[2]}::{case.get('name')}"
        outcome, message = PASSED, ""
        for child in case:
            if child.tag in ("failure", "error"):
                outcome, message = FAILED, root_of(child.get("message") or "")
                if message == "collection failure":
                    message = last_line(child.text or "").removeprefix("E").strip()
                if ABSENCE.match(message):
                    outcome = LACKING
            elif child.tag == "skipped":
                outcome = SKIPPED
        outcomes[name] = (outcome, message)
    return outcomes


def root_of(message: str) -> str:
    """The line of an error that says the most, without what differs from test to test."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    told = [line for line in lines if not line.startswith(("Exception encountered", "Arguments"))]
    return re.sub(r"0x[0-9a-f]+", "0x", (told or lines or [""])[0])[:200]


def table(results: Mapping[str, Outcomes], reference: Mapping[str, Outcomes] | None) -> str:
    """The counts of each folder and of all, as a table."""
    counts: dict[str, Counter[str]] = {}
    for file, outcomes in results.items():
        parts = Path(file).parts
        count = counts.setdefault(parts[0] if len(parts) > 1 else ".", Counter())
        for name, (outcome, _) in outcomes.items():
            if reference is None or reference.get(file, {}).get(name, [""])[0] == PASSED:
                count[outcome] += 1
    rows = [(folder, counts[folder]) for folder in sorted(counts)]
    rows.append(("all", sum(counts.values(), Counter())))
    head = f"| {'folder':<14} | passed | failed | lost | lacking | skipped | share |"
    lines = [head, "|---|---|---|---|---|---|---|"]
    for folder, count in rows:
        judged = count[PASSED] + count[FAILED] + count[LOST]
        share = 100 * count[PASSED] / judged if judged else 100.0
        lines.append(
            f"| {folder:<14} | {count[PASSED]:>6} | {count[FAILED]:>6} | {count[LOST]:>4} "
            f"| {count[LACKING]:>7} | {count[SKIPPED]:>7} | {share:>4.1f}% |"
        )
    return "\n".join(lines)


def roots(results: Mapping[str, Outcomes], most: int) -> str:
    """The errors that cost the most tests."""
    costs: Counter[str] = Counter()
    for outcomes in results.values():
        costs.update(message for outcome, message in outcomes.values() if outcome in (FAILED, LOST))
    return "\n".join(f"{count:>5}  {message}" for message, count in costs.most_common(most))


def main() -> int:
    """Runs what is not in the results yet, and prints them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("python", help="the interpreter of the environment")
    parser.add_argument("folders", nargs="*", help="folders or files in keras/src; default: all")
    parser.add_argument("--results", type=Path, default=Path("keras_results.json"))
    parser.add_argument("--reference", type=Path, help="results of which only the passed count")
    parser.add_argument("--seconds", type=float, default=600, help="the limit for a file")
    parser.add_argument("--roots", type=int, default=20, help="how many errors to print")
    parser.add_argument("--again", action="store_true", help="run files with failures anew")
    parser.add_argument("--tensorflow", action="store_true", help="run TensorFlow itself")
    parser.add_argument("--table", action="store_true", help="run nothing")
    options = parser.parse_args()
    results: dict[str, Outcomes] = {}
    if options.results.exists():
        results = json.loads(options.results.read_text())
    keras = keras_folder(options.python)
    for file in [] if options.table else test_files(keras, options.folders):
        name = str(file.relative_to(keras / "src"))
        before = [outcome for outcome, _ in results.get(name, {}).values()]
        if name in results and not (options.again and {FAILED, LOST} & set(before)):
            continue
        seconds, peer = options.seconds, options.tensorflow
        results[name] = run_file(options.python, file, seconds, peer)
        options.results.write_text(json.dumps(results, indent=0))
        count = Counter(outcome for outcome, _ in results[name].values())
        print(f"{name}: {dict(count)}", file=sys.stderr, flush=True)
    reference = json.loads(options.reference.read_text()) if options.reference else None
    print(table(results, reference))
    print(roots(results, options.roots))
    return 0


if __name__ == "__main__":
    sys.exit(main())
