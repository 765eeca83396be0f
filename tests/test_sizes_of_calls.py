"""Sizes and places that are no integers, as operands of all ops that take some.

TensorFlow refuses most of them, and here they are refused too: what is cut, is cut in silence.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

from corpora import size_places

import graphwright as tf

GOLDEN = Path(__file__).parent / "golden" / "sizes.json.gz"

#: Beginnings of calls that cut such a size, where TensorFlow refuses it.
CUT = (
    "tf.norm(", "tf.linalg.norm", "tf.argmax(",  # TensorFlow refuses NumPy's integers there, too
    "tf.squeeze(", "tf.image.", "tf.signal.linear_to_mel", "tf.sparse.", "tf.data.", "tf.foldl(",
    "tf.map_fn(", "tf.experimental.numpy.", "tf.quantization.", "tf.constant(",
    "tf.nn.softmax_cross_entropy", "tf.random.s", "tf.RaggedTensor.", "tf.ragged.constant(",
    "tf.reduce_sum(tf.ragged", "tf.gather(tf.ragged", "tf.concat([tf.ragged",
    "tf.reverse(tf.ragged",
)  # fmt: skip


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
    assert sorted(form for form in cut if not form.startswith(CUT)) == []
    assert kinds["same"] > 2440, kinds
    assert kinds["cut"] < 145, kinds
