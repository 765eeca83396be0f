"""Bundles of tensors: what is written is read, and what an index says is never believed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphwright as tf
from graphwright.library.checkpoint.sorted_table import entries_of, table_of
from graphwright.library.checkpoint.tensor_bundle import (
    TensorBundle,
    slice_name,
    write_bundle,
    written_number,
)
from graphwright.proto.checkpoint_pb2 import BundleEntryProto, BundleHeaderProto
from graphwright.types.dtypes import of_numpy

ARRAYS: dict[str, Any] = {
    "floats": np.arange(6, dtype=np.float32).reshape(2, 3),
    "a/scalar": np.float64(2.5),
    "none": np.zeros([0, 4], np.int32),
    "bfloat": np.array([1.5, -2.0], ml_dtypes.bfloat16),
    "large": np.arange(3_000_000, dtype=np.int32)[::-1],
    "words": np.array([[b"", b"\x00" * 300], [b"a", "é".encode()]], object),
}


def written(folder: Path, arrays: dict[str, Any]) -> str:
    """The prefix of a bundle of arrays."""
    prefix = str(folder / "b")
    tensors = {k: (of_numpy(np.asarray(v).dtype), lambda v=v: v) for k, v in arrays.items()}
    write_bundle(f"{prefix}.data-00000-of-00001", f"{prefix}.index", tensors)
    return prefix


def test_arrays_come_back(tmp_path: Path) -> None:
    bundle = TensorBundle(written(tmp_path, ARRAYS))
    assert bundle.keys == sorted(ARRAYS)
    for key, array in ARRAYS.items():
        again = bundle.read(key)
        assert again.dtype == np.asarray(array).dtype
        assert again.tolist() == np.asarray(array).tolist()


@settings(max_examples=30)
@given(words=st.lists(st.binary(max_size=300), max_size=9))
def test_strings_come_back(words: list[bytes], tmp_path_factory: pytest.TempPathFactory) -> None:
    array = np.empty(len(words), object)
    array[:] = words
    bundle = TensorBundle(written(tmp_path_factory.mktemp("bundle"), {"words": array}))
    assert bundle.read("words").tolist() == words


@pytest.mark.parametrize(
    ("key", "change", "words"),
    [
        ("floats", lambda e: setattr(e, "offset", 10**9), "is too short: the tensor 'floats' ends"),
        ("floats", lambda e: setattr(e, "offset", -5), "is too short"),
        ("floats", lambda e: setattr(e, "size", 2**40), "bytes are no float32 of shape"),
        ("floats", lambda e: setattr(e, "shard_id", 3), "it is in shard 3 of 1"),
        ("floats", lambda e: setattr(e, "shard_id", -1), "it is in shard -1 of 1"),
        ("floats", lambda e: setattr(e, "crc32c", 1), "its checksum is wrong"),
        ("floats", lambda e: setattr(e, "dtype", 77), "77"),
        ("floats", lambda e: e.shape.dim.add(size=2**62), "bytes are no float32 of shape"),
        ("floats", lambda e: e.shape.dim.add(size=-1), "its shape is not known"),
        ("none", lambda e: [e.shape.dim.add(size=2**62) for _ in range(3)], "is damaged"),
        ("none", lambda e: [e.shape.dim.add(size=1) for _ in range(99)], "is damaged"),
        ("words", lambda e: e.shape.dim.add(size=2**50), "do not hold"),
        ("words", lambda e: setattr(e, "size", e.size - 1), "its strings take"),
    ],
)
def test_what_the_index_says_is_checked(
    key: str, change: Callable[[Any], object], words: str, tmp_path: Path
) -> None:
    prefix = written(tmp_path, {k: v for k, v in ARRAYS.items() if k != "large"})
    path = Path(f"{prefix}.index")
    entries = dict(entries_of(path.read_bytes()))
    entry = BundleEntryProto.FromString(entries[key.encode()])
    change(entry)
    entries[key.encode()] = entry.SerializeToString()
    path.write_bytes(table_of(sorted(entries.items())))
    with pytest.raises(tf.errors.DataLossError, match=words):
        TensorBundle(prefix).read(key)


def sliced(folder: Path, ranges: list[tuple[int, int]]) -> TensorBundle:
    """A bundle with a tensor v of 5 rows, in slices of its rows."""
    rows = np.arange(10.0).reshape(5, 2)
    parts = {slice_name("v", [(a, n), (0, -1)]): rows[a : a + n] for a, n in ranges}
    prefix = written(
        folder, {"v": rows, **{f"p{i}": part for i, part in enumerate(parts.values())}}
    )
    path = Path(f"{prefix}.index")
    (_, header), *rest = entries_of(path.read_bytes())
    values = {key: BundleEntryProto.FromString(value) for key, value in rest}
    whole = values.pop(b"v")
    for start, length in ranges:
        extent = whole.slices.add().extent
        extent.add(start=start).length = length
        extent.add()
    entries = [(b"", header), (b"v", whole.SerializeToString())]
    for name, entry in zip(parts, values.values()):
        entries.append((name.encode(errors="surrogateescape"), entry.SerializeToString()))
    path.write_bytes(table_of(sorted(entries)))
    return TensorBundle(prefix)


def test_slices_make_a_tensor(tmp_path: Path) -> None:
    bundle = sliced(tmp_path, [(0, 2), (2, 3)])
    assert bundle.keys == ["v"]
    assert np.array_equal(bundle.read("v"), np.arange(10.0).reshape(5, 2))


@pytest.mark.parametrize("ranges", [[(0, 2)], [(0, 2), (1, 4)], [(0, 2), (4, 3)]])
def test_slices_are_the_whole_tensor(ranges: list[tuple[int, int]], tmp_path: Path) -> None:
    with pytest.raises(tf.errors.DataLossError, match="'v' is damaged"):
        sliced(tmp_path, ranges).read("v")


@pytest.mark.parametrize(
    ("number", "expected"),
    [(0, "80"), (1, "81"), (63, "bf"), (64, "c040"), (100, "c064"), (8191, "dfff"),
     (8192, "e02000"), (-1, "7f"), (-64, "40"), (-65, "3fbf")],
)  # fmt: skip
def test_numbers_of_slices_have_tensorflows_form(number: int, expected: str) -> None:
    assert written_number(number).hex() == expected


def test_big_endian_is_refused(tmp_path: Path) -> None:
    prefix = written(tmp_path, {"v": np.zeros(3)})
    path = Path(f"{prefix}.index")
    _, (key, value) = entries_of(path.read_bytes())
    big = BundleHeaderProto(num_shards=1, endianness=BundleHeaderProto.BIG)
    path.write_bytes(table_of([(b"", big.SerializeToString()), (key, value)]))
    with pytest.raises(tf.errors.UnimplementedError, match="big endianness"):
        TensorBundle(prefix)


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match="there is no file"):
        TensorBundle(str(tmp_path / "b"))
    bundle = TensorBundle(written(tmp_path, {"v": np.zeros(3)}))
    with pytest.raises(tf.errors.NotFoundError, match="has no tensor 'w'"):
        bundle.read("w")
