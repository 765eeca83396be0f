"""Snappy's blocks, by its description."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphwright.library.checkpoint.snappy import decompressed, varint, written_varint


@given(st.integers(0, 2**63))
def test_numbers_are_read_as_they_are_written(number: int) -> None:
    data = written_varint(number)
    assert varint(data + b"\7", 0) == (number, len(data))


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        (b"\0", b""),
        (b"\5\x10hello", b"hello"),
        (b"\x0a\4ab\x1e\2\0", b"ab" * 5),  # a copy of 8 bytes from 2 back, which it makes itself
        (b"\x0a\4ab\x11\2", b"ab" * 5),  # the short form, of 4 to 11 bytes
        (b"\6\x08abc\x0b\3\0\0\0", b"abcabc"),  # four bytes of offset
        (b"\x46\xf0\x45" + b"y" * 70, b"y" * 70),  # a long literal
    ],
)
def test_blocks_stand_for_bytes(block: bytes, expected: bytes) -> None:
    assert decompressed(block, 1000) == expected


@pytest.mark.parametrize(
    ("block", "words"),
    [
        (b"", "does not end"),
        (b"\xff" * 12, "does not end"),
        (b"\xff\xff\x7f", "claims 2097151 bytes, more than 1000"),
        (b"\5\x10hell", "ends in a literal"),
        (b"\5\x08hel", "holds 3 bytes of 5"),
        (b"\2\x08abc", "more than the 2 bytes"),
        (b"\5\4ab\x0e\3\0", "begins 3 bytes back, of 2"),
        (b"\5\4ab\x0e\0\0", "begins 0 bytes back"),
        (b"\5\4ab\x0e\1", "ends in a copy"),
    ],
)
def test_damaged_blocks_are_refused(block: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        decompressed(block, 1000)


@given(st.binary(max_size=200))
def test_no_bytes_do_harm(block: bytes) -> None:
    try:
        result = decompressed(block, 5000)
    except ValueError:
        return
    assert len(result) <= 5000
