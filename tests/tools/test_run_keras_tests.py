"""What the runner of Keras's tests reads of a report, and the table that it prints."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tools import run_keras_tests as runner

REPORT = """<testsuites><testsuite>
<testcase classname="ATest" name="passes"/>
<testcase classname="ATest" name="is_left_out"><skipped message="no jax"/></testcase>
<testcase classname="src.a_test.ATest" name="fails">
<failure message="Exception encountered when calling A.call().&#10;&#10;bad &lt;A at 0x7f12&gt;"/>
</testcase></testsuite></testsuites>"""

TABLE = """\
| folder         | passed | failed | lost | lacking | skipped | share |
|---|---|---|---|---|---|---|
| layers         |      1 |      1 |    0 |       0 |       1 | 50.0% |
| ops            |      0 |      0 |    1 |       1 |       0 |  0.0% |
| all            |      1 |      1 |    1 |       1 |       1 | 33.3% |"""


def test_a_report_becomes_a_table(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(REPORT)
    outcomes = runner.read_report(report)
    assert outcomes == {
        "ATest::passes": ("passed", ""),
        "ATest::is_left_out": ("skipped", ""),
        "ATest::fails": ("failed", "bad <A at 0x>"),
    }
    lost = {"(the file)": (runner.LOST, "no end after 9 s"), "b": (runner.LACKING, "")}
    results = {"layers/core/a_test.py": outcomes, "ops/b_test.py": lost}
    assert runner.table(results, None) == TABLE
    assert runner.roots(results, 1) == "    1  bad <A at 0x>"


@pytest.mark.parametrize(
    ("message", "lacks"),
    [
        ("ModuleNotFoundError: No module named 'torch'", True),
        ("ImportError: OrbaxCheckpoint requires the 'orbax-checkpoint' package.", True),
        ("ModuleNotFoundError: No module named 'tensorflow.compiler.xla'", False),
        ("AttributeError: module 'tensorflow' has no attribute 'x'", False),
    ],
)
def test_a_test_may_lack_a_package(message: str, lacks: bool) -> None:
    assert bool(runner.ABSENCE.match(message)) == lacks


def test_only_what_passes_elsewhere_counts() -> None:
    results = {"ops/a_test.py": {"a": ("failed", ""), "b": ("passed", ""), "c": ("failed", "")}}
    reference = {"ops/a_test.py": {"a": ("passed", ""), "b": ("passed", ""), "c": ("failed", "")}}
    last = runner.table(results, reference).splitlines()[-1]
    assert [cell.strip() for cell in last.split("|")[2:4]] == ["1", "1"]


def test_a_file_runs_in_a_process_and_ends_in_time(tmp_path: Path) -> None:
    file = tmp_path / "some_test.py"
    file.write_text(
        "import tensorflow as tf\n\ndef test_sum():\n    assert int(tf.add(1, 2)) == 3\n"
    )
    outcomes = runner.run_file(sys.executable, file, 100, peer=False)
    assert list(outcomes.values()) == [("passed", "")]
    file.write_text("def test_conftest():\n    import conftest\n")
    (outcome,) = runner.run_file(sys.executable, file, 100, peer=False).values()
    assert outcome[0] == "passed" or "No module named 'keras'" in outcome[1]
    file.write_text("import no_such_module\n")
    (outcome,) = runner.run_file(sys.executable, file, 100, peer=False).values()
    assert outcome == ("lacking", "ModuleNotFoundError: No module named 'no_such_module'")
    file.write_text("import time\ntime.sleep(1000)\n")
    assert runner.run_file(sys.executable, file, 1, peer=False) == {
        "(the file)": ("lost", "no end after 1 s")
    }
