"""Pipelines give what TensorFlow gave for them: eagerly, in functions, with parallel stages."""

from __future__ import annotations

import logging

import pytest
from corpora.pipelines.table import PIPELINES
from support import pipelines

MISSING = pipelines.missing()
CASES = list(pipelines.cases())
#: The modes of each pipeline that are right.
MODES: dict[str, list[str]] = {}
for _mode, _name in CASES:
    if (_mode, _name) not in MISSING:
        MODES.setdefault(_name, []).append(_mode)

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    """Keeps no record of errors, whose frames would hold iterators and their threads."""
    caplog.set_level(logging.CRITICAL, "tensorflow")


@pytest.mark.parametrize("name", MODES)
def test_a_pipeline_gives_what_was_recorded(name: str) -> None:
    differences = {mode: pipelines.difference(mode, name) for mode in MODES[name]}
    assert differences == dict.fromkeys(MODES[name], "")


@pytest.mark.parametrize(("mode", "name"), MISSING)
def test_the_list_of_differences_shrinks(mode: str, name: str) -> None:
    assert pipelines.difference(mode, name), "it is right now: take it from the list"


def test_every_pipeline_is_recorded() -> None:
    assert pipelines.GOLDEN.keys() == PIPELINES.keys()
    assert len(PIPELINES) >= 600


def test_the_list_names_pipelines() -> None:
    assert MISSING.keys() <= set(CASES)
