"""Run the tests that the keras wheel ships on graphwright, and print a table by folder.

    python tools/run_keras_tests.py PYTHON [FOLDER ...] [--results FILE] [--table]

PYTHON is the interpreter of an environment that has keras, pytest and graphwright. The files of a
folder run in one process, and each outcome goes to the results at once. A process that hangs in a
test, that dies or that grows too large is followed by another one, which goes on with what is left;
so does another call of this program. --again runs failed tests anew, and --reference FILE counts
only the tests that pass in other results, as those of TensorFlow. What pytest printed is in a file
beside the results.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path

TOOLS = Path(__file__).resolve().parent
SRC = TOOLS.parent / "src"

#: What happened to a test: see `keras_test_recorder.py`, which other environments run.
PASSED, FAILED, SKIPPED, LOST, LACKING = "passed", "failed", "skipped", "lost", "lacking"

#: The outcomes of a file: for each test its outcome, and the first line of the error.
Outcomes = dict[str, tuple[str, str]]

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


def test_files(source: Path, folders: Sequence[str]) -> list[Path]:
    """The files of tests in some folders of `keras/src`, or in all; those of a folder in a row."""
    roots = [source / folder for folder in folders] or [source]
    files = {file for root in roots for file in ([root] if root.is_file() else tests_in(root))}
    return sorted(files, key=lambda file: (file.parent, file))


def tests_in(root: Path) -> Iterable[Path]:
    """The files of tests under a folder."""
    return root.rglob("*_test.py")


def run_folder(
    python: str, source: Path, files: Sequence[Path], lines: Path, limits: tuple[float, float],
    package: str,
) -> None:  # fmt: skip
    """Runs what is left of the files of a folder, one process after another, and adds the lines."""
    with tempfile.TemporaryDirectory() as folder, lines.with_suffix(".log").open("a") as log:
        (Path(folder) / "conftest.py").write_text(CONFTEST)
        environment = os.environ | {"KERAS_BACKEND": "tensorflow", "TF_CPP_MIN_LOG_LEVEL": "3"}
        paths = [str(SRC), folder] if package == "graphwright" else [folder]
        environment["PYTHONPATH"] = os.pathsep.join(paths)
        command = [python, str(TOOLS / "keras_test_recorder.py"), package, str(source), str(lines)]
        command += [*map(str, limits), *map(str, files)]
        code, before = -1, -1
        while code and before < (before := lines.stat().st_size):
            run = subprocess.run(command, cwd=folder, env=environment, stdout=log, stderr=log)
            code = run.returncode
        if code:
            print(f"no test of {files[0].parent} began: exit code {code}", file=sys.stderr)


def read_lines(lines: Path) -> dict[str, Outcomes]:
    """The outcomes by file that processes noted; a test that began and did not end is lost."""
    results: dict[str, Outcomes] = {}
    for line in lines.read_text().splitlines():
        test, outcome, message = json.loads(line)
        file, _, name = test.partition("::")
        results.setdefault(file, {})[name] = (outcome, message)
    return results


def room(file: str) -> str:
    """The folder that a file counts for: that of `layers` one level deeper than others."""
    parts = Path(file).parts[:-1]
    return "/".join(parts[: 2 if parts[:1] == ("layers",) else 1]) or "."


def table(results: Mapping[str, Outcomes], reference: Mapping[str, Outcomes] | None) -> str:
    """The counts of each folder and of all, as a table."""
    counts: dict[str, Counter[str]] = {}
    for file, outcomes in results.items():
        count = counts.setdefault(room(file), Counter())
        for name, (outcome, _) in outcomes.items():
            if reference is None or reference.get(file, {}).get(name, [""])[0] == PASSED:
                count[outcome] += 1
    rows = [(folder, counts[folder]) for folder in sorted(counts)]
    rows.append(("all", sum(counts.values(), Counter())))
    head = f"| {'folder':<20} | passed | failed | lost | lacking | skipped | share |"
    lines = [head, "|---|---|---|---|---|---|---|"]
    for folder, count in rows:
        judged = count[PASSED] + count[FAILED] + count[LOST]
        share = 100 * count[PASSED] / judged if judged else 100.0
        lines.append(
            f"| {folder:<20} | {count[PASSED]:>6} | {count[FAILED]:>6} | {count[LOST]:>4} "
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
    parser.add_argument("--results", type=Path, default=Path("keras_results.jsonl"))
    parser.add_argument("--reference", type=Path, help="results of which only the passed count")
    parser.add_argument("--seconds", type=float, default=300, help="the limit for a test")
    parser.add_argument("--megabytes", type=float, default=3000, help="the limit for a process")
    parser.add_argument("--roots", type=int, default=20, help="how many errors to print")
    parser.add_argument("--again", action="store_true", help="run failed tests anew")
    parser.add_argument("--tensorflow", action="store_true", help="run TensorFlow itself")
    parser.add_argument("--table", action="store_true", help="run nothing")
    options = parser.parse_args()
    options.results.touch()
    lines, limits = options.results.resolve(), (options.seconds, options.megabytes)
    package = "tensorflow" if options.tensorflow else "graphwright"
    source = keras_folder(options.python) / "src"
    files = [] if options.table else test_files(source, options.folders)
    if options.again:
        forget_failures(lines, {str(file.relative_to(source)) for file in files})
    for folder, some in itertools.groupby(files, key=lambda file: file.parent):
        run_folder(options.python, source, list(some), lines, limits, package)
        count = Counter(
            outcome
            for file, outcomes in read_lines(lines).items()
            if (source / file).parent == folder
            for outcome, _ in outcomes.values()
        )
        print(f"{folder.relative_to(source)}: {dict(count)}", file=sys.stderr, flush=True)
    reference = read_lines(options.reference) if options.reference else None
    print(table(read_lines(lines), reference))
    print(roots(read_lines(lines), options.roots))
    return 0


def forget_failures(lines: Path, files: Container[str]) -> None:
    """Takes the tests of files that failed or were lost out of the results."""
    rest = [
        json.dumps([f"{file}::{test}", *outcome]) + "\n"
        for file, outcomes in read_lines(lines).items()
        for test, outcome in outcomes.items()
        if file not in files or outcome[0] not in (FAILED, LOST)
    ]
    part = lines.with_suffix(".part")
    part.write_text("".join(rest))
    part.replace(lines)


if __name__ == "__main__":
    sys.exit(main())
