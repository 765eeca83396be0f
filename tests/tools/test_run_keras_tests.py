"""What the runner of Keras's tests reads of a report, and the table that it prints."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tools import keras_test_recorder as recorder
from tools import run_keras_tests as runner

TESTS = """
import os, time, unittest
class ATest(unittest.TestCase):
    def test_a_passes(self): pass
    @unittest.skip("no jax")
    def test_b_is_left_out(self): pass
    def test_c_fails(self): raise ValueError("Exception encountered in A\\n\\nbad <A at 0x7f12>")
    def test_d_dies(self): os._exit(5)
    def test_e_hangs(self): time.sleep(60)
    def test_f_passes(self): print("once", file=open(os.environ["COUNT"], "a"))
"""

TABLE = """\
| folder               | passed | failed | lost | lacking | skipped | share |
|---|---|---|---|---|---|---|
| layers/core          |      2 |      1 |    2 |       0 |       1 | 40.0% |
| ops                  |      0 |      0 |    0 |       1 |       0 | 100.0% |
| all                  |      2 |      1 |    2 |       1 |       1 | 40.0% |"""


def test_each_test_runs_once_whatever_ends_its_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = tmp_path / "count"
    monkeypatch.setenv("COUNT", str(count))
    source, lines = tmp_path / "src", tmp_path / "results.jsonl"
    for name, text in (("layers/core/a_test.py", TESTS), ("ops/b_test.py", "import nothing_such")):
        file = source / name
        file.parent.mkdir(parents=True)
        file.write_text(text)
    lines.touch()
    files = runner.test_files(source, [])
    for _ in range(2):
        runner.run_folder(sys.executable, source, files, lines, (5.0, 1e6), "json")
    results = runner.read_lines(lines)
    outcomes = {name: outcome for name, (outcome, _) in results["layers/core/a_test.py"].items()}
    assert outcomes == {
        "ATest::test_a_passes": "passed",
        "ATest::test_b_is_left_out": "skipped",
        "ATest::test_c_fails": "failed",
        "ATest::test_d_dies": "lost",
        "ATest::test_e_hangs": "lost",
        "ATest::test_f_passes": "passed",
    }
    assert count.read_text() == "once\n"
    assert runner.table(results, None) == TABLE
    assert "    1  bad <A at 0x>" in runner.roots(results, 9).splitlines()
    runner.forget_failures(lines, {"layers/core/a_test.py"})
    assert len(lines.read_text().splitlines()) == 4


@pytest.mark.parametrize(
    ("message", "lacks"),
    [
        ("ModuleNotFoundError: No module named 'torch'", True),
        ("ImportError: OrbaxCheckpoint requires the 'orbax-checkpoint' package.", True),
        ("ImportError: This requires the grain module. `pip install grain` installs it", True),
        ("ModuleNotFoundError: No module named 'tensorflow.compiler.xla'", False),
        ("AttributeError: module 'tensorflow' has no attribute 'x'", False),
    ],
)
def test_a_test_may_lack_a_package(message: str, lacks: bool) -> None:
    assert bool(recorder.ABSENCE.match(message)) == lacks


def test_only_what_passes_elsewhere_counts() -> None:
    results = {"ops/a_test.py": {"a": ("failed", ""), "b": ("passed", ""), "c": ("failed", "")}}
    reference = {"ops/a_test.py": {"a": ("passed", ""), "b": ("passed", ""), "c": ("failed", "")}}
    last = runner.table(results, reference).splitlines()[-1]
    assert [cell.strip() for cell in last.split("|")[2:4]] == ["1", "1"]


def test_tests_import_graphwright_as_tensorflow(tmp_path: Path) -> None:
    file, lines = tmp_path / "some_test.py", tmp_path / "results.jsonl"
    file.write_text(
        "import tensorflow as tf\n\ndef test_sum():\n    assert int(tf.add(1, 2)) == 3\n"
    )
    lines.touch()
    runner.run_folder(sys.executable, tmp_path, [file], lines, (100.0, 1e6), "graphwright")
    assert runner.read_lines(lines) == {"some_test.py": {"test_sum": ("passed", "")}}
