"""The common dtypes of the promotion modes, as TensorFlow 2.21 has them."""

from __future__ import annotations

import json

import pytest

from graphwright.library.numpy import dtype_lattice
from graphwright.library.numpy.dtype_lattice import Promoted, above, is_safe, name_of, promoted_pair
from graphwright.types.dtypes import as_dtype
from tools import golden_format as gf

RECORDED = json.loads((gf.GOLDEN / "promotion.json").read_text(encoding="utf-8"))


def kind(name: str) -> Promoted:
    return Promoted(as_dtype(name.removesuffix("*")), name.endswith("*"))


@pytest.mark.parametrize("first", RECORDED["all"])
def test_all_promotes_as_tensorflow_does(first):
    mine = [name_of(promoted_pair(kind(first), kind(second))) for second in RECORDED["all"]]
    assert " ".join(mine) == RECORDED["all"][first]


@pytest.mark.parametrize("first", RECORDED["safe"])
def test_safe_promotes_and_refuses_as_tensorflow_does(first):
    pairs = [(kind(first), kind(second)) for second in RECORDED["safe"]]
    mine = [name_of(promoted_pair(*pair)) if is_safe(*pair) else "-" for pair in pairs]
    assert " ".join(mine) == RECORDED["safe"][first]


def test_two_dtypes_have_one_least_dtype_above_both():
    names = list(RECORDED["all"])
    for first in names:
        for second in names:
            least = dtype_lattice.joined(first, second)
            assert above(least) == above(first) & above(second)
