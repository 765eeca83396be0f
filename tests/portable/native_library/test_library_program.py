"""Ops as functions of libraries give what TensorFlow gave.

The default run has a case of some functions. All cases that have a native form:
`python -m pytest -m slow tests/portable/native_library/test_library_program.py`, one area after the
other, with all and with few shapes known.
"""

from __future__ import annotations

import itertools
import logging
from pathlib import Path

import pytest

pytest.importorskip("ziglang")

from support.golden_libraries import cases_of, wrong
from support.goldens import AREAS

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
@pytest.mark.parametrize("level", ["full", "partial"])
@pytest.mark.parametrize("area", AREAS)
def test_all_ops_in_libraries_give_what_tensorflow_gave(
    area: str, level: str, tmp_path: Path
) -> None:
    cases = cases_of(area, level)
    for number in itertools.count():
        some = list(itertools.islice(cases, _TOGETHER))
        if not some:
            break
        assert wrong(some, tmp_path / f"ops{number}.so", may_refuse_sizes=level != "full") == []
