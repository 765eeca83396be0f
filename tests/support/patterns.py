"""Regular expressions and texts for which tests compare automata with RE2."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from graphwright.types.arrays import Array

ATOMS = [b"a", b"b", b".", b"[ab]", b"[^a]", rb"\d", rb"\.", b"[[:alpha:]]", b"]", rb"\n"]
COUNTS = [b"*", b"+", b"?", b"*?", b"{2}", b"{0}", b"{0,0}", b"{1,3}", b"{,}", b"{2,}", b"{0,}"]
PATTERN = st.recursive(
    st.sampled_from(ATOMS),
    lambda part: st.one_of(
        st.tuples(part, part).map(b"".join),
        st.tuples(part, part).map(b"|".join).map(lambda p: b"(" + p + b")"),
        st.tuples(part, st.sampled_from(COUNTS)).map(lambda p: b"(?:%b)%b" % p),
    ),
    max_leaves=8,
)
TEXTS = st.lists(st.text("ab1.]\n\u00e9", max_size=7).map(str.encode), max_size=12)


def objects(texts: list[bytes]) -> Array:
    """The texts as an array of objects."""
    array = np.empty(len(texts), object)
    array[:] = texts
    return array
