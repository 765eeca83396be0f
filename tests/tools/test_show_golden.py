"""tools/show_golden.py: every recorded case can be read as text."""

from __future__ import annotations

import pytest
from support import goldens

from tools import golden_format as gf
from tools import show_golden

#: Files without cases of their own, and what shows them.
NO_CASES = {"accepted_values.npz": "refusals"}


def printed(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    """What the command prints."""
    assert show_golden.main(arguments) == code
    return capsys.readouterr().out


def test_a_case_is_a_call_with_its_operands_and_what_was_recorded(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, store, groups = goldens.area_of("math")
    number, case = next(
        (number, case) for number, case in enumerate(groups["reduce_sum"], 1)
        if gf.split(case)[0][0].shape == (2, 3) and "gradient" in store.index[gf.digest(case)]
    )  # fmt: skip
    lines = printed(capsys, "math", f"reduce_sum:{number}").splitlines()
    assert lines[0].startswith("tf.reduce_sum(x0, axis=")
    assert lines[1].startswith("  x0 = ")
    assert lines[1].endswith("[2, 3]")
    [value] = store.index[gf.digest(case)]["values"]
    expected = show_golden.value_text(store.unpack(value)).splitlines()[0]
    assert lines[lines.index("returns") + 1] == f"  {expected}"
    assert "gradient" in lines
    assert lines[-1] == "graphwright does the same"


def test_a_case_that_is_refused_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    _, store, groups = goldens.area_of("math")
    number, error = next(
        (number, store.index[gf.digest(case)]["error"])
        for number, case in enumerate(groups["add"], 1)
        if "error" in store.index[gf.digest(case)]
    )
    assert f"\nraises {error}\n" in printed(capsys, "math", f"add:{number}")


def test_what_differs_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, store, groups = goldens.area_of("math")
    digest = gf.digest(groups["square"][0])
    monkeypatch.setitem(store.index, digest, {"error": "InvalidArgumentError", "shapes": []})
    text = printed(capsys, "math", "square:1")
    assert "graphwright differs\n  eager: InvalidArgumentError was expected" in text
    monkeypatch.delitem(store.index, digest)
    assert "not recorded" in printed(capsys, "math", "square:1")


def test_a_part_of_a_name_lists_cases(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, "linalg", "cholesky").splitlines()
    assert all(line.split()[0].partition(":")[0].startswith("linalg.chol") for line in lines)
    assert "linalg.cholesky:1  tf.linalg.cholesky(float32[3, 3])" in lines


def test_other_names_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert "there is no area maths" in printed(capsys, "maths", code=1)
    assert "no case with 'no_such'" in printed(capsys, "math", "no_such", code=1)


def test_every_recorded_file_is_an_area(capsys: pytest.CaptureFixture[str]) -> None:
    areas = printed(capsys).splitlines()
    files = {*gf.GOLDEN.glob("*.npz"), *gf.GOLDEN.glob("*.json*")}
    for path in sorted(files):
        name = path.name.partition(".")[0].removeprefix("ops_")
        assert name in areas or path.name in NO_CASES, path.name


@pytest.mark.parametrize("area", show_golden.areas())
def test_cases_of_all_areas_are_shown(area: str) -> None:
    cases = show_golden.areas()[area]()
    assert cases
    for name in [*cases][:: max(1, len(cases) // 3)]:
        assert cases[name].show().strip()
