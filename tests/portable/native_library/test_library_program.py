"""Ops as functions of libraries give what TensorFlow gave.

The default run has a case of some functions. All cases that have a native form:
`python -m pytest -m slow tests/portable/native_library/test_library_program.py`, one area after the
other, with all and with few shapes known.
"""

from __future__ import annotations

import itertools
import logging
import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("ziglang")

from support.c_programs import outcomes
from support.golden_libraries import cases_of, wrong
from support.goldens import AREAS, unequal

#: The functions of one library.
_TOGETHER = 100


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "tensorflow")


@pytest.mark.filterwarnings("ignore")
def test_some_ops_in_a_library_give_what_tensorflow_gave(tmp_path: Path) -> None:
    some = itertools.chain(*[cases_of(area, "full", 25) for area in ("nn", "array", "linalg")])
    cases = list(itertools.islice(some, 0, None, 3))
    assert len(cases) >= 40
    assert wrong(cases, tmp_path / "ops.so", may_refuse_sizes=False) == []


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
@pytest.mark.parametrize("area", ["array", "convolution", "image", "linalg", "math", "nn"])
def test_the_sanitizer_sees_no_fault_of_ops_in_c(area: str, tmp_path: Path) -> None:
    cases = list(itertools.islice(cases_of(area, "full", 5), _TOGETHER))
    assert wrong(cases, tmp_path / "ops.so", may_refuse_sizes=False) == []
    calls = [(f"f{i}", [np.asarray(x) for x in case.arrays]) for i, case in enumerate(cases)]
    compiler = ["gcc", "-g", "-fsanitize=address,undefined"]
    made = outcomes(tmp_path, "ops", calls, compiler)
    for results, case in zip(made, cases, strict=True):
        assert list(unequal("in C", results, case.expected, case.tolerance)) == []


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("level", ["full", "partial"])
@pytest.mark.parametrize("area", AREAS)
def test_all_ops_in_libraries_give_what_tensorflow_gave(
    area: str, level: str, tmp_path: Path
) -> None:
    cases, lines = cases_of(area, level), []
    for number in itertools.count():
        some = list(itertools.islice(cases, _TOGETHER))
        if not some:
            break
        lines += wrong(some, tmp_path / f"ops{number}.so", may_refuse_sizes=level != "full")
    assert lines == []
