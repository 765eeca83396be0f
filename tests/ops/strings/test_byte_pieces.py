"""Machine code cuts bytes into the strings that Python cuts."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphwright.ops.strings import byte_pieces


@given(
    st.binary(max_size=60),
    st.lists(st.integers(0, 60), min_size=1, max_size=30),
    st.booleans(),
)
def test_pieces(octets: bytes, places: list[int], is_ready: bool) -> None:
    ends = np.array(sorted(min(place, len(octets)) for place in places))
    byte_pieces.PREPARATION.work()
    data = np.frombuffer(octets + b"\0", np.uint8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(byte_pieces.PREPARATION, "is_ready_for", lambda *_: is_ready)
        results = byte_pieces.pieces_of(data, ends)
    assert results.tolist() == [octets[a:b] for a, b in zip(ends.tolist(), ends[1:].tolist())]


def test_each_is_counted_once_and_none_is_kept() -> None:
    byte_pieces.PREPARATION.work()
    before = sys.getrefcount(None)
    for _ in range(50):
        results = byte_pieces.pieces_of(np.arange(200, dtype=np.uint8), np.arange(0, 200, 5))
    assert sys.getrefcount(results[0]) <= 3
    assert abs(sys.getrefcount(None) - before) < 100


def test_python_does_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(byte_pieces.PREPARATION, "is_ready_for", lambda *_: False)
    results = byte_pieces.pieces_of(np.arange(9, dtype=np.uint8), np.array([0, 2, 2, 9]))
    assert results.tolist() == [b"\0\1", b"", bytes(range(2, 9))]
