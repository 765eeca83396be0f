"""Run files of tests with pytest, and note each outcome on a line as soon as it is known.

    python tools/keras_test_recorder.py PACKAGE SOURCE LINES SECONDS MEGABYTES FILE ...

`tools/run_keras_tests.py` starts it in the environment of the tests. There it needs pytest and
PACKAGE alone: graphwright, which is installed as tensorflow, or tensorflow. SOURCE is the folder of
which the files are parts. LINES has one for each test, and tests that have one do not run. A test
counts as lost from its start to its end. One that takes longer than SECONDS ends the process, and
so does one after which it has had more than MEGABYTES. The caller starts it again for what is left.
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import re
import resource
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

#: What happened to a test, or to a file that ended before its tests did. One is lacking where it
#: needs a package that the environment does not have.
PASSED, FAILED, SKIPPED, LOST, LACKING = "passed", "failed", "skipped", "lost", "lacking"

#: The errors that say so; what `tensorflow` lacks is ours to mend.
ABSENCE = re.compile(
    r"ModuleNotFoundError: No module named '(?!tensorflow\.|graphwright|keras)"
    r"|ImportError: .*requires the .* (package|module)"
)


class Recorder:
    """A plugin of pytest that writes the lines, and leaves out what they have already."""

    def __init__(self, lines: Path, seconds: float, megabytes: float) -> None:
        self.done = {json.loads(line)[0] for line in lines.read_text().splitlines()}
        self.lines = lines.open("a", buffering=1)
        self.seconds, self.megabytes = seconds, megabytes
        self.outcome: tuple[str, str] | None = None

    def note(self, test: str, outcome: str, message: str = "") -> None:
        """Writes a line at once."""
        self.lines.write(json.dumps([test, outcome, message]) + "\n")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Notes that a file cannot be imported."""
        if report.failed:
            self.note(report.nodeid.partition("::")[0] + "::(the file)", *judge(report))

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leaves out the tests that ran before."""
        items[:] = [item for item in items if item.nodeid not in self.done]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Takes the outcome of a part of a test; a failure of any part counts."""
        if report.failed and (self.outcome is None or self.outcome[0] not in (FAILED, LACKING)):
            self.outcome = judge(report)
        elif self.outcome is None and (report.skipped or report.when == "call"):
            self.outcome = (SKIPPED if report.skipped else PASSED, "")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Notes the start and the end of a test, and ends a process that has become too large."""
        self.outcome = None
        self.note(item.nodeid, LOST, f"ended the process, or took more than {self.seconds:.0f} s")
        faulthandler.dump_traceback_later(self.seconds, exit=True)
        result = yield
        faulthandler.cancel_dump_traceback_later()
        self.note(item.nodeid, *(self.outcome or (LOST, "no report")))
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 > self.megabytes:
            item.session.shouldstop = "the process has become too large"
        return result


def judge(report: pytest.CollectReport | pytest.TestReport) -> tuple[str, str]:
    """The outcome of a failure, with the line of its error that says the most."""
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        message = telling_line(crash.message)
    else:
        lines = [line for line in str(report.longrepr).splitlines() if line.strip()]
        message = telling_line(lines[-1].removeprefix("E")) if lines else ""
    return (LACKING if ABSENCE.match(message) else FAILED), message


def telling_line(message: str) -> str:
    """The line of an error that says the most, without what differs from test to test."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    vague = re.compile(r"(\w+: )?Exception encountered|Arguments")
    best = [line for line in lines if not vague.match(line)]
    return re.sub(r"0x[0-9a-f]+", "0x", (best or lines or [""])[0])[:200]


def main() -> int:
    """Runs the tests that are left; 0 says that they all ran, however they ended."""
    package, source, lines, seconds, megabytes, *files = sys.argv[1:]
    module = importlib.import_module(package)
    if package == "graphwright":
        module.install_as_tensorflow()
    recorder = Recorder(Path(lines), float(seconds), float(megabytes))
    options = ["-q", "-p", "no:cacheprovider", "--tb=short", "--show-capture=no", "-W", "ignore"]
    options += ["--continue-on-collection-errors", f"--rootdir={source}"]
    code = pytest.main([*files, *options], plugins=[recorder])
    all_ran = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)
    return 0 if code in all_ran else 3


if __name__ == "__main__":
    sys.exit(main())
