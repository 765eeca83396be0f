"""Every op behaves as TensorFlow's: eagerly, traced with any shape information, differentiated.

What is compared was recorded by tools/record_goldens.py. Eager values, dtypes and error
classes must be TensorFlow's. Traced, the values must be the same again, and the static shapes
at least as specific as TensorFlow's and true. Where TensorFlow itself fails only when traced,
anything right is allowed.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest
from numpy._core import _multiarray_umath as processor
from support.goldens import AREAS, area_of, departs, differences, digests, functions

from tools import golden_format as gf


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "tensorflow")


@pytest.mark.parametrize(("area", "function"), list(functions()))
@pytest.mark.filterwarnings("ignore")
def test_a_function_behaves_as_tensorflows(area: str, function: str) -> None:
    module, store, groups = area_of(area)
    wrong = []
    for case in groups[function]:
        if departs(module, case):
            continue
        text = gf.describe(case)
        outcome = store.index.get(gf.digest(case))
        if outcome is None:
            wrong.append(f"{text}: not recorded")
            continue
        wrong += [f"{text}:\n    {line}" for line in differences(module, case, outcome, store)]
    shown = "\n".join(line[:600] for line in wrong[:12])
    assert not wrong, f"{len(wrong)} differences in {len(groups[function])} cases\n{shown}"


def test_cases_are_the_same_on_older_processors() -> None:
    """Operands that vector instructions make differ among processors, and so do their digests."""
    newer = [f for f in processor.__cpu_dispatch__ if processor.__cpu_features__.get(f)]
    if not newer:
        pytest.skip("NumPy uses no instructions here beyond those of its baseline")
    program = "import json, support.goldens; print(json.dumps(support.goldens.digests()))"
    older = {"NPY_DISABLE_CPU_FEATURES": " ".join(newer), "OPENBLAS_CORETYPE": "Nehalem"}
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **older},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    there, here = json.loads(run.stdout), digests()
    assert here.keys() == there.keys()
    assert not [name for name in here if here[name] != there[name]]


def test_every_case_is_recorded() -> None:
    """Those too that are meant to differ: other tests take them for samples."""
    for area in AREAS:
        _, store, groups = area_of(area)
        cases = [case for group in groups.values() for case in group]
        assert not [gf.describe(c)[:200] for c in cases if gf.digest(c) not in store.index]


def test_the_goldens_stay_small() -> None:
    size = sum(path.stat().st_size for path in Path(gf.GOLDEN).glob("ops_*.npz"))
    assert size < 10 << 20


def test_at_least_1500_gradients_are_compared_with_recorded_ones() -> None:
    """Cases in which a cotangent flows, those that are meant to differ apart."""
    count = 0
    for area in AREAS:
        module, store, groups = area_of(area)
        for case in (case for group in groups.values() for case in group):
            recorded = store.index.get(gf.digest(case), {}).get("gradient", ())
            if any(g is not None for g in recorded):
                count += not departs(module, case)
    assert count >= 4500
