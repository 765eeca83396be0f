"""Tables are read as they are written, and no damage goes unnoticed."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.saved_models import NAMES, unpacked

from graphwright.library.checkpoint.snappy import written_varint
from graphwright.library.checkpoint.sorted_table import entries_of, table_of
from graphwright.library.io.records import masked

ENTRIES = [(f"key/{i:04}".encode(), bytes([i % 256]) * (i % 50)) for i in range(500)]


@given(st.dictionaries(st.binary(max_size=20), st.binary(max_size=50), max_size=60))
def test_what_is_written_is_read(entries: dict[bytes, bytes]) -> None:
    ordered = sorted(entries.items())
    assert list(entries_of(table_of(ordered))) == ordered


def test_many_entries_make_several_blocks() -> None:
    entries = [(f"{i:06}".encode(), b"x" * 1000) for i in range(1000)]
    assert list(entries_of(table_of(entries))) == entries


@pytest.mark.parametrize("name", NAMES)
def test_tensorflows_tables_are_written_again(name: str, tmp_path_factory: object) -> None:
    factory: pytest.TempPathFactory = tmp_path_factory  # type: ignore[assignment]
    data = unpacked(name, factory.mktemp("models")) / "variables" / "variables.index"
    if data.exists():
        entries = list(entries_of(data.read_bytes()))
        assert list(entries_of(table_of(entries))) == entries


def test_every_damaged_byte_is_noticed() -> None:
    data = table_of(ENTRIES[:40])
    for place in range(len(data) - 48):
        damaged = bytearray(data)
        damaged[place] ^= 0x10
        try:
            entries = list(entries_of(bytes(damaged)))
        except ValueError:
            continue
        assert entries == ENTRIES[:40]  # nothing refers to an empty block


@pytest.mark.parametrize("size", [0, 10, 47, 60])
def test_what_is_no_table_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match=r"too few for a table|it is no table"):
        list(entries_of(bytes(size)))


def test_keys_out_of_order_are_refused() -> None:
    with pytest.raises(ValueError, match="out of order"):
        list(entries_of(table_of([(b"b", b""), (b"a", b"")])))


def test_a_compressed_block_may_not_claim_too_much() -> None:
    """A bomb: a block of a few bytes that says it stands for gigabytes."""
    block = written_varint(1 << 32) + b"\\0a" + b"\1"
    handle = written_varint(0) + written_varint(len(block) - 1)
    data = block + struct.pack("<I", masked(block))
    footer = (handle + handle).ljust(40, b"\0") + table_of([])[-8:]
    with pytest.raises(ValueError, match="claims 4294967296 bytes"):
        list(entries_of(data + footer))


def test_keys_may_not_share_too_much() -> None:
    """A bomb: thousands of long keys that differ in their last byte alone."""
    whole = written_varint(0) + written_varint(9000) + b"\0" + b"k" * 9000
    more = [written_varint(8999 + i) + b"\1\0z" for i in range(1, 2000)]
    block = whole + b"".join(more) + struct.pack("<II", 0, 1) + b"\0"
    data = block + struct.pack("<I", masked(block))
    handle = written_varint(0) + written_varint(len(block) - 1)
    index = b"\0\1" + written_varint(len(handle)) + b"k" + handle + struct.pack("<II", 0, 1) + b"\0"
    place = written_varint(len(data)) + written_varint(len(index) - 1)
    data += index + struct.pack("<I", masked(index))
    footer = (place + place).ljust(40, b"\0") + table_of([])[-8:]
    with pytest.raises(ValueError, match="its keys take more than 64 times its bytes"):
        list(entries_of(data + footer))
