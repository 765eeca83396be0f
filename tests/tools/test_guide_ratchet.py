"""tools/guide_ratchet.py: a case that passed once may not fail again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import guide_ratchet

# A stand-in for the guide's runner: it reports what the file beside it says.
RUNNER = """
import pathlib, sys
report = pathlib.Path(__file__).with_name("report.txt").read_text()
print(report, end="")
sys.exit(1 if "FAIL" in report else 3 if "broken" in report else 0)
"""


@pytest.fixture
def guide(tmp_path: Path) -> Path:
    (tmp_path / "run_guide.py").write_text(RUNNER, encoding="utf-8")
    return tmp_path


def ratchet(guide: Path, report: str, *options: str) -> int:
    (guide / "report.txt").write_text(report, encoding="utf-8")
    return guide_ratchet.main(["--guide", str(guide), "--list", str(guide / "list.txt"), *options])


def listed(guide: Path) -> list[str]:
    return (guide / "list.txt").read_text(encoding="utf-8").splitlines()


def test_a_new_case_is_named_and_only_update_adds_it(
    guide: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = "PASS 03 tracing\nFAIL 04 rules\n     a line of the diff\n1 passed, 1 failed\n"
    assert ratchet(guide, report) == 0
    assert "NEW  03 tracing" in capsys.readouterr().out
    assert not (guide / "list.txt").exists()
    assert ratchet(guide, report, "--update") == 0
    assert listed(guide) == ["03 tracing"]


def test_update_takes_no_case_from_the_list(guide: Path) -> None:
    ratchet(guide, "PASS 03 tracing\n", "--update")
    assert ratchet(guide, "FAIL 03 tracing\nPASS 04 rules\n", "--update") == 1
    assert listed(guide) == ["03 tracing", "04 rules"]


@pytest.mark.parametrize("report", ["FAIL 03 tracing\nPASS 04 rules\n", "PASS 04 rules\n"])
def test_a_case_that_passed_once_may_not_fail(
    guide: Path, report: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ratchet(guide, "PASS 03 tracing\nPASS 04 rules\n", "--update")
    assert ratchet(guide, report) == 1
    assert "LOST 03 tracing" in capsys.readouterr().out
    assert listed(guide) == ["03 tracing", "04 rules"]


@pytest.mark.parametrize("installed", [False, True])
def test_cases_with_keras_are_held_where_it_is_installed(
    guide: Path,
    installed: bool,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (guide / "cases").mkdir()
    (guide / "cases" / "03_layers.py").write_text("layer = tf.keras.layers.Dense(1)")
    (guide / "cases" / "04_rules.py").write_text("")
    ratchet(guide, "PASS 03 layers\nPASS 04 rules\n", "--update")
    monkeypatch.setattr(guide_ratchet, "find_spec", lambda name: object() if installed else None)
    assert ratchet(guide, "FAIL 03 layers\nPASS 04 rules\n") == int(installed)
    assert ("NOT HELD 03 layers" in capsys.readouterr().out) is not installed
    assert ratchet(guide, "PASS 03 layers\nFAIL 04 rules\n") == 1


def test_comments_are_kept_and_are_no_cases(guide: Path) -> None:
    (guide / "list.txt").write_text("# why 05 is missing\n04 rules\n", encoding="utf-8")
    assert ratchet(guide, "PASS 03 tracing\nPASS 04 rules\n", "--update") == 0
    assert listed(guide) == ["# why 05 is missing", "03 tracing", "04 rules"]


def test_a_runner_that_breaks_is_an_error(guide: Path) -> None:
    with pytest.raises(RuntimeError, match="ended with 3"):
        ratchet(guide, "broken\n")


def test_without_a_guide_nothing_is_run(tmp_path: Path) -> None:
    assert guide_ratchet.main(["--guide", str(tmp_path / "none")]) == 2
