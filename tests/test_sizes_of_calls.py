"""Sizes and places that are no integers, as operands of all ops that take some.

TensorFlow refuses most of them, and here they are refused too.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

from corpora import size_places

import graphwright as tf

GOLDEN = Path(__file__).parent / "golden" / "sizes.json.gz"

#: Beginnings of calls that cut such a size where TensorFlow refuses it in graphs alone, and why.
CUT = {
    "tf.sparse.reshape(": "a tensor in a list is cast, as it is eagerly",
    "tf.foldl(": "the number of parallel iterations has no effect here",
    "tf.map_fn(": "the number of parallel iterations has no effect here",
    "tf.quantization.": "an axis is cut, as it is eagerly",
    "tf.experimental.numpy.": "a tensor is cut, as it is eagerly",
}


def test_sizes_that_are_no_integers() -> None:
    kinds: Counter[str] = Counter()
    cut = set()
    for form, value, *theirs in json.loads(gzip.decompress(GOLDEN.read_bytes())):
        ours = size_places.outcomes(tf, form, value)
        for one, other in zip(theirs, ours):
            kind = "same" if one == other else "class" if one and other else "value"
            kinds[kind if other or kind == "same" else "cut"] += 1
            if one and not other:
                cut.add(form)
    assert sorted(form for form in cut if not form.startswith(tuple(CUT))) == []
    assert kinds["same"] > 2440, kinds
    assert kinds["cut"] < 12, kinds
