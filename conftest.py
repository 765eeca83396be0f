"""What every test and every doctest finds: `tf` and `np` in docstrings, steady hypothesis runs."""

from __future__ import annotations

import gc
import itertools
import os
from collections.abc import Generator
from typing import Any

# Each of two processes has a core: threads of BLAS that wait for each other would take turns with
# those of the other process, which costs small products tens of times what they take.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Machine code is made anew: what an earlier run left on the disk proves nothing.
os.environ.setdefault("GRAPHWRIGHT_CACHE_DIR", "off")

# Processes that tests start find the package compiled by one of them, as users' do.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

import numpy as np
import pytest
from hypothesis import settings

import graphwright
from graphwright.lower.mishaps import Mishaps
from graphwright.lower.options import OPTIONS
from graphwright.ops.seeds import Seeding, Source

# They run where TensorFlow is.
collect_ignore_glob = ["tools/record_*", "tools/run_exported.py", "tools/golden/*"]

# A busy machine must not fail a property; the default run tries the same examples each time.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Tests stay to the end: the collector of cycles need not look at a million objects of them,
    neither while there are more and more nor whenever it runs from then on."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


@pytest.fixture(autouse=True)
def _mishaps(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the engine stumbles over is an error here: kernels would hide it."""
    monkeypatch.setattr(Mishaps, "are_raised", True)


@pytest.fixture(autouse=True)
def _seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test has the seeds of a fresh process: another's `set_seed` does not reach it."""
    monkeypatch.setattr(Seeding, "outside", Source(None, itertools.count()))
    monkeypatch.setattr(Seeding, "epoch", object())


@pytest.fixture
def usual_tiers(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of what a certain tier does: traces run as they do by default, also where the
    whole suite runs with GRAPHWRIGHT_NATIVE=check or =always."""
    monkeypatch.delitem(OPTIONS, "native", raising=False)


@pytest.fixture(autouse=True)
def _doctest_names(doctest_namespace: dict[str, Any]) -> None:
    doctest_namespace["tf"] = graphwright
    doctest_namespace["np"] = np
