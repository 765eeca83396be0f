"""Cases of the ops on the parts of sparse tensors, of sets and of texts in pieces, by raw names.

What `tf.sparse` makes of them is in tests/corpora/sparse.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tools.golden.raw import raw

Case = tuple[str, tuple[Any, ...], dict[str, Any]]
#: [[1, 0, 2], [0, 0, 0], [0, -3, 4]] and another.
PLACES = np.array([[0, 0], [0, 2], [2, 1], [2, 2]])
VALUES = np.array([1, 2, -3, 4], np.float32)
OTHERS = np.array([[0, 1], [0, 2], [1, 0]])
FURTHER = np.array([5, -2, 7], np.float32)
SHAPE = np.array([3, 3])
DENSE = np.arange(9, dtype=np.float32).reshape(3, 3) - 4
#: Linear functions, whose gradients are the functions that they are the adjoints of.
FURTHER_GRADIENTS = "SparseConcat|SparseAddGrad"
TOLERANCES = [("Softmax|MatMul|Reduce", 8.0, 1e-6)]


def words(*values: bytes) -> Any:
    """A vector of strings."""
    return np.array([*values, None], object)[:-1]


def layouts() -> Iterator[Case]:
    """Parts put together and taken apart."""
    grid = {"indices": PLACES, "values": VALUES}
    for axis, second in ((0, SHAPE), (1, SHAPE), (-1, SHAPE), (0, np.array([3, 4])), (2, SHAPE)):
        yield raw("SparseConcat", indices=[PLACES, OTHERS], values=[VALUES, FURTHER],
                  shapes=[SHAPE, second], concat_dim=axis)  # fmt: skip
    for default in (np.float32(9), np.zeros(1, np.float32)):
        yield raw("SparseFillEmptyRows", **grid, dense_shape=SHAPE,
                  default_value=np.asarray(default))  # fmt: skip
    yield raw("SparseFillEmptyRows", indices=PLACES, values=VALUES, dense_shape=np.array([2, 3]),
              default_value=np.array(9, np.float32))  # fmt: skip
    order = np.array([3, 0, 2, 1])
    for shape in (SHAPE, np.array([3, 3, 3])):
        yield raw("SparseReorder", input_indices=PLACES[order], input_values=VALUES[order],
                  input_shape=shape)  # fmt: skip
    for wanted in ([9], [-1, 1], [1, 3, 3], [4, -1], [-1, -1]):
        yield raw("SparseReshape", input_indices=PLACES, input_shape=SHAPE,
                  new_shape=np.array(wanted))  # fmt: skip
    for start, size in (([0, 1], [2, 2]), ([1, 1], [9, 9]), ([0, 0], [0, 0]), ([0], [1])):
        yield raw("SparseSlice", **grid, shape=SHAPE, start=np.array(start),
                  size=np.array(size))  # fmt: skip
    inside = PLACES[2:] - [0, 1]
    yield raw("SparseSliceGrad", backprop_val_grad=FURTHER[:2], input_indices=PLACES,
              input_start=np.array([0, 1]), output_indices=inside)  # fmt: skip
    for validate, places in ((True, PLACES), (False, PLACES[order]), (True, PLACES[order])):
        yield raw("SparseToDense", sparse_indices=places, output_shape=SHAPE, sparse_values=VALUES,
                  default_value=np.array(-1, np.float32), validate_indices=validate)  # fmt: skip
    yield raw("SparseToDense", sparse_indices=np.array([1, 3]), output_shape=np.array([5]),
              sparse_values=np.array(2, np.int32), default_value=np.array(7, np.int32),
              validate_indices=True)  # fmt: skip
    yield raw("SparseToDense", sparse_indices=np.array([[9, 9]]), output_shape=SHAPE,
              sparse_values=VALUES[:1], default_value=np.array(0, np.float32))  # fmt: skip


def arithmetic() -> Iterator[Case]:
    """Sums, products, extremes."""
    pair = {"a_indices": PLACES, "a_values": VALUES, "a_shape": SHAPE,
            "b_indices": OTHERS, "b_values": FURTHER, "b_shape": SHAPE}  # fmt: skip
    for threshold in (0, 3.5):
        yield raw("SparseAdd", **pair, thresh=np.array(threshold, np.float32))
    yield raw("SparseAdd", **pair | {"b_shape": np.array([3, 4])}, thresh=np.array(0, np.float32))
    sums = np.array([[0, 0], [0, 1], [0, 2], [1, 0], [2, 1], [2, 2]])
    yield raw("SparseAddGrad", backprop_val_grad=np.arange(6, dtype=np.float32),
              a_indices=PLACES, b_indices=OTHERS, sum_indices=sums)  # fmt: skip
    for name in ("SparseSparseMaximum", "SparseSparseMinimum"):
        yield raw(name, **pair)
        yield raw(name, **pair | {"b_shape": np.array([3, 4])})
    rows = {"input_indices": PLACES, "input_values": VALUES, "input_shape": SHAPE}
    for axes in ([0], [1], [-1], [0, 1], [], [2]):
        for keep in (False, True):
            for kind in ("Sum", "Max"):
                which = np.array(axes, np.int32)
                yield raw(f"SparseReduce{kind}", **rows, reduction_axes=which, keep_dims=keep)
                yield raw(f"SparseReduce{kind}Sparse", **rows, reduction_axes=which,
                          keep_dims=keep)  # fmt: skip
    for dtype in ("float32", "float64", "float16", "int32"):
        yield raw("SparseSoftmax", sp_indices=PLACES, sp_values=VALUES.astype(dtype),
                  sp_shape=SHAPE)  # fmt: skip
    parts = {"a_indices": PLACES, "a_values": VALUES, "a_shape": SHAPE}
    yield raw("SparseTensorDenseAdd", **parts, b=DENSE)
    yield raw("SparseTensorDenseAdd", **parts, b=DENSE[:2])
    for left, right in ((False, False), (True, False), (False, True), (True, True)):
        yield raw("SparseTensorDenseMatMul", **parts, b=DENSE, adjoint_a=left, adjoint_b=right)
    yield raw("SparseTensorDenseMatMul", **parts, b=DENSE[:2])


def counts() -> Iterator[Case]:
    """Counted values, sets, distances."""
    ids, none = np.array([[1, 3, 1], [0, 1, 7]]), np.zeros(0, np.float32)
    for binary, least, most in ((False, -1, -1), (True, -1, -1), (False, 10, -1), (False, -1, 4)):
        how = {"binary_output": binary, "minlength": least, "maxlength": most}
        yield raw("DenseCountSparseOutput", values=ids, weights=none, **how)
        yield raw("SparseCountSparseOutput", indices=PLACES, values=np.array([1, 3, 3, 0]),
                  dense_shape=SHAPE, weights=none, **how)  # fmt: skip
    weights = np.array([[0.5, 1, 2], [3, 4, 5]], np.float32)
    yield raw("DenseCountSparseOutput", values=ids, weights=weights, binary_output=False)
    yield raw("DenseCountSparseOutput", values=ids[0] - 2, weights=none, binary_output=False)
    first, second = np.array([[1, 2, 2], [4, 5, 6]]), np.array([[2, 9], [5, 4]])
    sparse = {"set2_indices": np.array([[0, 0], [0, 1], [1, 0]]), "set2_values":
              np.array([2, 9, 5]), "set2_shape": np.array([2, 2])}  # fmt: skip
    left = {"set1_indices": np.array([[0, 0], [0, 1], [1, 0]]), "set1_values":
            np.array([1, 2, 5]), "set1_shape": np.array([2, 3])}  # fmt: skip
    for kind in ("a-b", "b-a", "intersection", "union", "other"):
        yield raw("DenseToDenseSetOperation", set1=first, set2=second, set_operation=kind)
        yield raw("DenseToSparseSetOperation", set1=first, **sparse, set_operation=kind)
        yield raw("SparseToSparseSetOperation", **left, **sparse, set_operation=kind)
    yield raw("DenseToDenseSetOperation", set1=first, set2=second[:1], set_operation="union")
    yield raw("SetSize", set_indices=np.array([[0, 0], [0, 1], [2, 0], [2, 1]]),
              set_values=np.array([3, 4, 5, 5]), set_shape=np.array([3, 4]))  # fmt: skip
    said = {"hypothesis_indices": np.array([[0, 0], [0, 1], [1, 0]]), "hypothesis_values":
            np.array([1, 2, 3]), "hypothesis_shape": np.array([2, 2])}  # fmt: skip
    meant = {"truth_indices": np.array([[0, 0], [1, 0], [1, 1]]), "truth_values":
             np.array([1, 3, 4]), "truth_shape": np.array([2, 2])}  # fmt: skip
    for normalize in (True, False):
        yield raw("EditDistance", **said, **meant, normalize=normalize)
    yield raw("EditDistance", **said, **meant | {"truth_shape": np.array([3, 2])})
    yield raw("SerializeSparse", sparse_indices=PLACES, sparse_values=VALUES, sparse_shape=SHAPE)
    yield raw("SerializeManySparse", sparse_indices=PLACES, sparse_values=VALUES,
              sparse_shape=SHAPE)  # fmt: skip
    yield "tools.golden.sparse.round_trip", (PLACES, VALUES, SHAPE), {}


def round_trip(tf: Any, places: Any, values: Any, shape: Any) -> Any:
    """The rows of a sparse matrix as texts, and what is read from them."""
    rows = tf.raw_ops.SerializeManySparse(
        sparse_indices=places, sparse_values=values, sparse_shape=shape
    )
    return tuple(tf.raw_ops.DeserializeManySparse(serialized_sparse=rows, dtype=tf.float32))


def pieces() -> Iterator[Case]:
    """Texts split, joined and coded, as values and splits of rows."""
    text = words(b"a b c", b" d", b"", b"e,f")
    for sep, most in ((b" ", -1), (b"", -1), (b",", 1), (b" ", 1)):
        yield raw("StringSplitV2", input=text, sep=np.array(sep, object), maxsplit=most)
    tokens, splits = words(b"a", b"b", b"c", b"d"), np.array([0, 3, 3, 4])
    for widths, pad, short in (([2], 0, False), ([1, 2], -1, False), ([3], 1, True)):
        yield raw("StringNGrams", data=tokens, data_splits=splits, separator="|",
                  ngram_widths=widths, left_pad="<", right_pad=">", pad_width=pad,
                  preserve_short_sequences=short)  # fmt: skip
    yield raw("StringNGrams", data=tokens, data_splits=splits + 1, separator="|",
              ngram_widths=[2], left_pad="", right_pad="", pad_width=0,
              preserve_short_sequences=False)  # fmt: skip
    coded = words("aé".encode(), b"", "日本".encode(), b"\xff!")
    for errors in ("replace", "ignore", "strict"):
        for name in ("UnicodeDecode", "UnicodeDecodeWithOffsets"):
            yield raw(name, input=coded, input_encoding="UTF-8", errors=errors)
    yield raw("UnicodeDecode", input=coded, input_encoding="KLINGON")
    points = np.array([97, 233, 0x65E5, 0x672C], np.int32)
    for encoding in ("UTF-8", "UTF-16-BE", "UTF-32-BE"):
        yield raw("UnicodeEncode", input_values=points, input_splits=np.array([0, 2, 2, 4]),
                  output_encoding=encoding)  # fmt: skip
    yield raw("UnicodeEncode", input_values=points * 0 - 1, input_splits=np.array([0, 2, 2, 4]),
              output_encoding="UTF-8", errors="strict")  # fmt: skip


def cases() -> Iterator[Case]:
    """All cases of the area."""
    for group in (layouts, arithmetic, counts, pieces):
        yield from group()
