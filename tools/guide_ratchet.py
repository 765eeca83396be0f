"""Run the guide's conformance cases and hold what has been reached.

    python tools/guide_ratchet.py [--update] [--guide DIR] [--jobs N]

tests/guide_ratchet.txt lists the cases that pass, as `NN name`. A listed case that fails now, or
that is gone from the guide, is a failure (exit code 1); a case that passes and is not listed is
printed, and --update adds it. Where Keras is not installed, cases with it are not held. Nothing but
a hand takes a case from the list, and leaves a comment there (a line that begins with #) why. The
guide (DIR, default ../shared/guide) stands outside this repository; where it is missing there is
nothing to run and the exit code is 2.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "tests" / "guide_ratchet.txt"
GUIDE = ROOT.parent / "shared" / "guide"


def passing(report: str) -> set[str]:
    """The cases that a report of run_guide.py calls passed.

    >>> passing("PASS 03 tracing_double\\nFAIL 05 containers\\n     diff\\n1 passed, 1 failed")
    {'03 tracing_double'}
    """
    lines = report.splitlines()
    return {line[len("PASS ") :].strip() for line in lines if line.startswith("PASS ")}


def run_guide(guide: Path, jobs: int) -> str:
    """The report of run_guide.py on this interpreter's graphwright, printed while it comes."""
    command = [sys.executable, str(guide / "run_guide.py"), "--module", "graphwright"]
    command += ["--python", sys.executable, "--jobs", str(jobs)]
    report = []
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            report.append(line)
    if process.returncode not in (0, 1):  # 1: some case failed
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return "".join(report)


def read(file: Path) -> tuple[list[str], set[str]]:
    """The comments of a ratchet file and the cases that it lists."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    comments = [line for line in lines if line.startswith("#")]
    return comments, set(lines) - set(comments)


def write(file: Path, comments: list[str], cases: set[str]) -> None:
    file.write_text("".join(f"{line}\n" for line in comments + sorted(cases)), encoding="utf-8")


def cannot_run(guide: Path, case: str) -> bool:
    """Whether a case needs Keras, and there is none."""
    text = guide / "cases" / f"{case.replace(' ', '_')}.py"
    return find_spec("keras") is None and text.exists() and "keras" in text.read_text()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--update", action="store_true", help="add the cases that pass")
    parser.add_argument("--guide", type=Path, default=GUIDE, metavar="DIR")
    parser.add_argument("--jobs", "-j", type=int, default=2, metavar="N")
    parser.add_argument("--list", type=Path, default=LIST, metavar="FILE", dest="file")
    options = parser.parse_args(arguments)
    if not (options.guide / "run_guide.py").exists():
        print(f"no guide at {options.guide}")
        return 2
    now = passing(run_guide(options.guide, options.jobs))
    comments, before = read(options.file)
    absent = {case for case in before - now if cannot_run(options.guide, case)}
    lost = before - now - absent
    for case in sorted(absent):
        print(f"NOT HELD {case}: it needs Keras, which is not installed")
    for case in sorted(lost):
        print(f"LOST {case}: it passed once")
    for case in sorted(now - before):
        print(f"NEW  {case}: {'added' if options.update else 'add it with --update'}")
    if options.update:
        write(options.file, comments, before | now)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
