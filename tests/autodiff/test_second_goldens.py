"""Second derivatives at the golden cases are TensorFlow's."""

from __future__ import annotations

import logging
import re
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from support.goldens import area_of

import graphwright as tf
from tools import golden_format as gf

STORE = gf.Store.read(gf.GOLDEN / "second_gradients.npz")
#: Functions whose second derivatives are meant to be others.
DEPARTURES = {
    r"nn\.moments": "TensorFlow holds the mean fast there",
    r"nn\.softmax_cross_entropy": "TensorFlow leaves out how the slope depends on the labels",
    r"nn\.ctc_loss": "refused: no rule for the slope's own derivative",
    r"experimental\.numpy\.(abs|absolute|cbrt|fabs)": "NaN where the operand is not finite",
    r"experimental\.numpy\.prod": "TensorFlow loses the products that one zero leaves",
    r"experimental\.numpy\.sinc": "NaN there at 0",
}


def recorded() -> dict[tuple[str, str], list[gf.Case]]:
    """The cases by their area and function."""
    result: dict[tuple[str, str], list[gf.Case]] = defaultdict(list)
    for area in sorted({key.split()[0] for key in STORE.index}):
        for name, cases in area_of(area)[2].items():
            kept = [c for c in cases if f"{area} {gf.digest(c)}" in STORE.index]
            if kept and not any(re.match(pattern, name) for pattern in DEPARTURES):
                result[area, name] = kept
    return result


CASES = recorded()


@pytest.mark.parametrize(("area", "name"), list(CASES))
@pytest.mark.filterwarnings("ignore")
def test_second_derivatives_are_tensorflows(
    area: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("tensorflow"), "disabled", True)
    for case in CASES[area, name]:
        result = gf.run_second(tf, case)
        for ours, entry in zip(result, STORE.index[f"{area} {gf.digest(case)}"], strict=True):
            wanted: Any = STORE.unpack(entry)
            assert (ours is None) == (wanted is None), gf.describe(case)
            if wanted is not None:
                scale = max(1.0, np.abs(wanted[np.isfinite(wanted)]).max(initial=0.0))
                text = gf.describe(case)
                np.testing.assert_allclose(ours, wanted, 1e-3, 1e-3 * scale, err_msg=text)


def test_at_least_1500_are_compared() -> None:
    assert sum(map(len, CASES.values())) >= 1500
