"""Cases of the array ops: (public name, positional arguments, keyword arguments).

Arrays become tensors, everything else is passed as it is. No TensorFlow here: the cases are
the same for whoever runs them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

Case = tuple[str, tuple[Any, ...], dict[str, Any]]

DTYPES = ("float32", "float64", "float16", "int32", "int64", "uint8", "bool", "complex64", "S")
FEW = ("float32", "int64", "bool", "S")
SHAPES = ((), (0,), (1,), (5,), (2, 3), (1, 4), (3, 0), (2, 3, 4), (1, 2, 1, 3))


def sample(shape: tuple[int, ...], dtype: str = "float32", seed: int = 0) -> Any:
    """An array of small distinct-looking values."""
    size = int(np.prod(shape))
    values = (np.arange(size) * 7 + 3 + seed) % 23 - 5
    if dtype == "S":
        words = np.empty(size, dtype=object)
        words[:] = [b"w%d" % v for v in values]
        return words.reshape(shape)
    if dtype == "bool":
        return (values % 3 == 0).reshape(shape)
    if dtype.startswith("complex"):
        return (values + 1j * (values % 5 - 2)).astype(dtype).reshape(shape)
    if dtype.startswith("u"):
        values = np.abs(values)
    scale = 0.5 if dtype.startswith("float") else 1
    return (values * scale).astype(dtype).reshape(shape)


def ints(*values: Any, dtype: str = "int32") -> Any:
    """An index array."""
    return np.array(values, dtype)


# -- shapes and movement --------------------------------------------------------------------


def shapes() -> Iterator[Case]:
    for shape in SHAPES:
        x = sample(shape)
        yield "shape", (x,), {}
        yield "size", (x,), {}
        yield "rank", (x,), {}
        yield "identity", (x,), {}
        yield "stop_gradient", (x,), {}
        yield "zeros_like", (x,), {}
        yield "ones_like", (x,), {}
    x = sample((2, 3), "S")
    yield "shape", (x,), {"out_type": "int64"}
    yield "size", (x,), {"out_type": "int64"}
    yield "shape_n", ([sample((2, 3)), sample((4,)), sample(())],), {}
    yield "identity_n", ([sample((2, 3)), sample((4,), "int32"), sample((1,), "S")],), {}
    yield "identity_n", ([sample((2, 3)), sample((), "S")],), {}
    for dtype in DTYPES:
        yield "identity", (sample((2, 2), dtype),), {}
        yield "zeros_like", (sample((2, 2), dtype),), {}
        yield "ones_like", (sample((2, 2), dtype),), {}
        yield "zeros_like", (sample((2,), dtype),), {"dtype": "int32"}
    for a, b in (((2, 3), (3,)), ((1,), (4, 5)), ((), (2,)), ((2, 1), (1, 3)), ((2,), (3,))):
        yield "broadcast_dynamic_shape", (ints(*a), ints(*b)), {}
    for shape, want in (((2, 3), (2, None)), ((2, 3), (None, 4)), ((2,), None), ((2,), (1, 2))):
        yield "ensure_shape", (sample(shape), want), {}


RESHAPES = (
    ((2, 3), [6]), ((2, 3), [-1]), ((2, 3), [3, -1]), ((2, 3), [1, 2, 3, 1]), ((2, 3), [4, -1]),
    ((2, 3), [5]), ((2, 3), [-1, -1]), ((2, 3), [-2, 3]), ((2, 3), [[6]]), ((2, 3), []),
    ((), []), ((), [1, 1]), ((), [-1]), ((0, 3), [-1]), ((0, 3), [3, 0]), ((0, 3), [-1, 0]),
    ((0, 3), [-1, 3]), ((0, 3), [2, 0, -1]), ((4,), [0, -1]), ((2, 3), 6), ((1,), []),
    ((2, 3, 4), [2, -1]), ((2, 3, 4), [-1, 4]), ((2, 3, 4), [2, 12, 1]),
)  # fmt: skip


def movement() -> Iterator[Case]:
    for shape, to in RESHAPES:
        yield "reshape", (sample(shape), to), {}
        if isinstance(to, list) and to and not isinstance(to[0], list):
            yield "reshape", (sample(shape, "int32"), ints(*to)), {}
            yield "reshape", (sample(shape, "S"), ints(*to, dtype="int64")), {}
    for shape in SHAPES:
        for axis in range(-len(shape) - 2, len(shape) + 2):
            yield "expand_dims", (sample(shape), axis), {}
        yield "squeeze", (sample(shape),), {}
        yield "transpose", (sample(shape, "complex64"),), {}
        yield "transpose", (sample(shape, "complex64"),), {"conjugate": True}
    yield "expand_dims", (sample((2, 3)), [1]), {}
    yield "expand_dims", (sample((2, 3)), [0, 1]), {}
    for axis in (0, 2, -2, -4, 1, [0, 2], [-2], [0, 0], 4, -5, []):
        yield "squeeze", (sample((1, 2, 1, 3)),), {"axis": axis}
    for perm in ([0, 1, 2], [2, 1, 0], [1, 0, 2], [0, -1, 1], [0, 1], [0, 1, 1], [0, 1, 3]):
        yield "transpose", (sample((2, 3, 4)), perm), {}
        yield "transpose", (sample((2, 3, 4), "S"), ints(*perm, dtype="int64")), {}
    for dtype in DTYPES:
        yield "transpose", (sample((2, 3), dtype),), {}
    targets = ([2, 3], [4, 2, 3], [2, 2], [3], [2, -1], [0, 3], [5, 2, 3, 4], [])
    for shape, to in product(((), (3,), (2, 3), (2, 1), (1, 1)), targets):
        yield "broadcast_to", (sample(shape), to), {}
    yield "broadcast_to", (sample((1, 2), "S"), ints(3, 2, dtype="int64")), {}


def joining() -> Iterator[Case]:
    for axis in (-3, -2, -1, 0, 1, 2):
        for dtype in FEW:
            parts = [sample((2, 3), dtype), sample((2, 3), dtype, 1)]
            yield "concat", (parts, axis), {}
            yield "stack", (parts,), {"axis": axis}
        yield "unstack", (sample((2, 3)),), {"axis": axis}
        yield "split", (sample((4, 6)), 2), {"axis": axis}
        yield "split", (sample((4, 6)), [1, -1]), {"axis": axis}
    yield "concat", ([sample((2, 3)), sample((0, 3)), sample((1, 3))], 0), {}
    yield "concat", ([sample((2, 3)), sample((2,))], 0), {}
    yield "concat", ([sample((2, 3)), sample((2, 2))], 0), {}
    yield "concat", ([sample(()), sample(())], 0), {}
    yield "concat", ([sample((2, 3))], 0), {}
    yield "concat", ([sample((2,)), sample((2,), "int32")], 0), {}
    yield "concat", ([sample((2,)), [1.5, 2.5]], 0), {}
    yield "concat", ([[1, 2], [3]], 0), {}
    yield "stack", ([1, 2.0],), {}
    yield "stack", ([sample(()), 2.0],), {}
    yield "stack", ([],), {}
    yield "stack", ([sample((2,)), sample((3,))],), {}
    yield "stack", (sample((2, 3)),), {}
    yield "stack", (sample((2, 3)),), {"axis": 1}
    yield "stack", ([[1, 2], [3, 4]],), {"axis": 1}
    yield "stack", ([sample(()), sample(())],), {"axis": -1}
    yield "unstack", (sample((2, 3)),), {"num": 2}
    yield "unstack", (sample((2, 3)),), {"num": 3}
    yield "unstack", (sample(()),), {}
    yield "unstack", (sample((0, 2)),), {}
    yield "unstack", (sample((2, 2), "S"),), {}
    for sizes in (
        3,
        4,
        [1, 2, 3],
        [2, 2],
        [0, 6],
        [-1, -1],
        [7, -1],
        [6],
        [-1],
        [2, 2, 3],
        [-2, 8],
    ):
        yield "split", (sample((6, 2), "int32"), sizes), {}
    yield "split", (sample((6, 2)), ints(4, 2)), {}
    yield "split", (sample((6, 2)), ints(4, 2, dtype="int64")), {"num": 2}
    yield "split", (sample(()), 1), {}


def slices() -> Iterator[Case]:
    x = sample((4, 5, 3), "int32")
    keys: tuple[Any, ...] = (
        0, -1, 4, -5, slice(None), slice(1, 3), slice(None, None, -1), slice(3, 0, -2),
        slice(-2, None), slice(10, 20), slice(3, 1), slice(None, None, 0), Ellipsis, None,
        (0, 0, 0), (0, 0, 0, 0), (Ellipsis, 1), (0, Ellipsis, -1), (slice(1, 3), None, 2),
        (None, Ellipsis, None), (Ellipsis, Ellipsis), (1, slice(None), slice(0, 2)),
        (slice(None), slice(None, None, 2), slice(None, None, -1)), (Ellipsis, slice(1, 2)),
        1.5, "a", (0, 1.0), ints(1)[0], (slice(ints(1)[0], None),), slice(1.0, 2), [0, 1],
        np.array([True, False, True, True]), np.array([True, False]), True,
    )  # fmt: skip
    for key in keys:
        yield "Tensor.__getitem__", (x, key), {}
    for dtype in DTYPES:
        yield "Tensor.__getitem__", (sample((3, 2), dtype), (slice(None), 1)), {}
    yield "Tensor.__getitem__", (sample(()), Ellipsis), {}
    yield "Tensor.__getitem__", (sample(()), 0), {}
    yield "Tensor.__getitem__", (sample(()), None), {}
    yield "Tensor.__getitem__", (sample((0, 3)), slice(0, 2)), {}
    yield "Tensor.__getitem__", (sample((0, 3)), 0), {}
    bounds = (([0, 1], [2, 4]), ([-2, -3], [10, -1]), ([1], [3]), ([0, 0, 0, 0], [1, 1, 1, 1]))
    for begin, end in bounds:
        for masks in ({}, {"begin_mask": 1}, {"end_mask": 2}, {"shrink_axis_mask": 1},
                      {"new_axis_mask": 2}, {"ellipsis_mask": 1}, {"ellipsis_mask": 3},
                      {"shrink_axis_mask": 3, "begin_mask": 1}):  # fmt: skip
            yield "strided_slice", (x, begin, end), masks
    yield "strided_slice", (x, [3, 4], [0, 0], [-1, -2]), {}
    yield "strided_slice", (x, [1, 2], [3]), {}
    yield "strided_slice", (x, [1], [3], [0]), {}
    yield "strided_slice", (x, [1], [0], [-1]), {"shrink_axis_mask": 1}
    yield "strided_slice", (x, ints(1, dtype="int64"), ints(3, dtype="int64")), {}
    begins = ([0, 0, 0], [1, 2, 0], [4, 5, 3], [0, 0], [-1, 0, 0], [5, 0, 0])
    sizes = ([-1, -1, -1], [2, 2, 2], [0, 0, 0], [3, 3, 3], [1, 1], [-2, 1, 1])
    for begin, size in product(begins, sizes):
        yield "slice", (x, begin, size), {}
    yield "slice", (sample((4,), "S"), [1], [2]), {}


def gathering() -> Iterator[Case]:
    params = sample((2, 3, 4))
    for axis in (None, 0, 1, 2, -1, -3, 3, -4):
        for indices in (
            ints(0),
            ints(1, 0, 1),
            ints([0, 1], [1, 1]),
            np.array(1, np.int32),
            ints(),
        ):
            yield "gather", (params, indices), {"axis": axis}
    for batch_dims, axis in product((0, 1, 2, -1, 3), (None, 0, 1, 2)):
        yield (
            "gather",
            (params, ints([0, 1, 0], [1, 1, 0])),
            {"axis": axis, "batch_dims": batch_dims},
        )
    yield "gather", (params, ints(5)), {}
    yield "gather", (params, ints(-1)), {}
    yield "gather", (params, ints([0, 1], [2, 0], dtype="int64")), {}
    yield "gather", (params, sample((2,))), {}
    yield "gather", (sample(()), ints(0)), {}
    yield "gather", (sample((0, 2)), ints()), {}
    for dtype in DTYPES:
        yield "gather", (sample((3, 2), dtype), ints(2, 0)), {}
        yield "gather_nd", (sample((3, 2), dtype), ints([2, 0], [1, 1])), {}
    places = (
        ints([0, 0], [1, 2]), ints([0], [1]), ints([[0, 1, 2]], [[1, 2, 3]]), ints([0, 0, 0, 0]),
        ints([2, 0]), ints([0, -1]), np.zeros((2, 0), np.int32), np.array(0, np.int32), ints(1),
        np.zeros((0, 2), np.int64), ints([1, 1, 1], dtype="int64"),
    )  # fmt: skip
    for indices in places:
        yield "gather_nd", (params, indices), {}
    yield "gather_nd", (params, ints([[1], [0]], [[2], [2]])), {"batch_dims": 1}
    yield "gather_nd", (params, ints([0, 0], [2, 0])), {"bad_indices_policy": "IGNORE"}


def scattering() -> Iterator[Case]:
    for dtype in DTYPES:
        yield "scatter_nd", (ints([1], [3], [1]), sample((3,), dtype), [5]), {}
        yield "tensor_scatter_nd_update", (
            sample((4, 2), dtype), ints([0], [2]), sample((2, 2), dtype, 5)), {}  # fmt: skip
    scatters = (
        (ints([0, 1], [1, 2]), (2, 4), [2, 3, 4]), (ints([0], [1]), (2, 3), [4, 3]),
        (ints([0], [5]), (2,), [3]), (ints([-1]), (1,), [3]), (ints([1], [1]), (3,), [3]),
        (ints([1, 2, 3]), (1,), [3]), (ints([1]), (1,), [-3]), (ints([[0], [1]]), (1, 2), [3]),
        (np.zeros((0, 1), np.int32), (0,), [3]),
        (ints([1], dtype="int64"), (1, 2), ints(3, 2, dtype="int64")),
    )  # fmt: skip
    for indices, shape, to in scatters:
        yield "scatter_nd", (indices, sample(shape), to), {}
    yield "scatter_nd", (np.zeros((2, 0), np.int32), sample((2, 3)), [3]), {}
    yield "scatter_nd", (ints([0], [5]), sample((2,)), [3]), {"bad_indices_policy": "IGNORE"}
    updates = (
        (ints([0, 1], [1, 0]), (2,)), (ints([1], [1], [3]), (3, 2)), (ints([4]), (1, 2)),
        (ints([-1]), (1, 2)), (ints([0]), (1, 3)), (ints([0], [1]), (1, 2)), (ints([0] * 3), (1,)),
        (np.zeros((0, 1), np.int32), (0, 2)), (ints([[0], [2]]), (1, 2, 2)),
    )  # fmt: skip
    for kind in ("update", "add", "sub", "min", "max"):
        for dtype in ("float32", "int32", "float64", "uint8"):
            for indices, shape in updates:
                yield f"tensor_scatter_nd_{kind}", (
                    sample((4, 2), dtype), indices, sample(shape, dtype, 4)), {}  # fmt: skip


def masks() -> Iterator[Case]:
    x = sample((2, 3, 4))
    for axis, mask in (
        (None, [True, False]), (1, [True, False, True]), (2, [True, False, True, True]),
        (None, [[True, False, True], [False, True, True]]), (1, [[True] * 4] * 3), (None, True),
        (None, [True, False, True]), (0, [False, False]), (-1, [True, False, True, True]),
    ):  # fmt: skip
        yield "boolean_mask", (x, np.array(mask)), {"axis": axis}
    yield "boolean_mask", (sample((0, 2)), np.zeros((0,), bool)), {}
    for shape in SHAPES:
        yield "where", (sample(shape, "bool"),), {}
        yield "where", (sample(shape, "int32"),), {}
    yield "where", (np.array([[1.5, 0, np.nan, np.inf, -0.0]]),), {}
    yield "where", (sample((3,), "complex64"),), {}
    yield "where", (sample((3,), "S"),), {}
    condition = np.array([True, False, True])
    for dtype in DTYPES:
        yield "where", (condition, sample((3,), dtype), sample((3,), dtype, 2)), {}
    yield "where", (condition, sample((2, 3)), sample((1,))), {}
    yield "where", (condition, sample((2,)), sample((3,))), {}
    yield "where", (condition, sample((3,)), None), {}
    yield "where", (ints(1, 0, 1), sample((3,)), sample((3,))), {}
    yield "where", (condition, 1, 2), {}
    yield "where", (condition, 1, sample((3,), "float64")), {}
    yield "where", (condition, 1.5, 2), {}
    yield "where", (condition, sample((3,)), sample((3,), "int32")), {}
    yield "where", (True, sample((2,)), 0.0), {}


def indicators() -> Iterator[Case]:
    for axis in (None, -1, 0, 1, 2, 3, -2):
        yield "one_hot", (ints([0, 2], [-1, 5]), 3), {"axis": axis}
    for dtype in ("float32", "int32", "bool", "uint8", "complex64", "float16"):
        yield "one_hot", (ints(0, 2), 3), {"dtype": dtype}
    yield "one_hot", (ints(0, 2), 3), {"on_value": 5, "off_value": -1}
    yield "one_hot", (ints(0, 2), 3), {"on_value": 5.5, "off_value": -1.0}
    yield "one_hot", (ints(0, 2), 3), {"on_value": "a", "off_value": "b"}
    yield "one_hot", (ints(0, 2), 3), {"on_value": True, "off_value": False}
    yield "one_hot", (ints(0, 2), 3), {"on_value": 5, "dtype": "float32"}
    yield "one_hot", (ints(0, 2), 3), {"on_value": 5}
    yield "one_hot", (ints(0, 2), 3), {"on_value": 5, "off_value": 1.5}
    yield "one_hot", (ints(0, 2), 3), {"on_value": np.array(5, np.int32), "dtype": "float32"}
    yield "one_hot", (ints(0, 2), 0), {}
    yield "one_hot", (ints(0, 2), -1), {}
    yield "one_hot", (ints(0, 2), [3]), {}
    yield "one_hot", (sample((2,)), 3), {}
    yield "one_hot", (np.array(1, np.int32), 3), {}
    yield "one_hot", (ints(0, 2, dtype="uint8"), 3), {}
    yield "one_hot", (ints(dtype="int64"), 3), {}
    scalars = np.array(2, np.int32), np.array(2, np.int64)
    for lengths in (ints(1, 3, 2), ints([1, 3], [0, -1]), *scalars,
                    np.array([1.5, 2.0], np.float32), ints(2, 0, dtype="int64")):  # fmt: skip
        yield "sequence_mask", (lengths,), {}
        yield "sequence_mask", (lengths, 4), {}
        yield "sequence_mask", (lengths, 2), {"dtype": "float32"}
    yield "sequence_mask", (ints(1), [3]), {}


def partitions() -> Iterator[Case]:
    for dtype in FEW:
        yield "dynamic_partition", (sample((4, 2), dtype), ints(1, 0, 1, 2), 4), {}
    yield "dynamic_partition", (sample((2, 2)), ints([1, 0], [1, 1]), 2), {}
    yield "dynamic_partition", (sample((3,)), ints(0, 1, 2), 2), {}
    yield "dynamic_partition", (sample((3,)), ints(0, -1, 1), 2), {}
    yield "dynamic_partition", (sample((3,)), ints(0, 1), 2), {}
    yield "dynamic_partition", (sample((3,)), ints(0, 1, 1), 0), {}
    yield "dynamic_partition", (sample(()), np.array(1, np.int32), 2), {}
    yield "dynamic_partition", (sample((0, 2)), ints(), 2), {}
    for dtype in FEW:
        yield (
            "dynamic_stitch",
            (
                [ints(2, 0), np.array(1, np.int32)],
                [sample((2, 2), dtype), sample((2,), dtype, 3)],
            ),
            {},
        )
    yield "dynamic_stitch", ([ints(0, 1), ints(1)], [sample((2,)), sample((1,), seed=4)]), {}
    yield "dynamic_stitch", ([ints(0, 1)], [sample((3,))]), {}
    yield "dynamic_stitch", ([ints(0, -1)], [sample((2,))]), {}
    yield "dynamic_stitch", ([ints(0), ints(1)], [sample((1,)), sample((1, 1))]), {}
    yield "dynamic_stitch", ([ints([0, 2], [1, 3])], [sample((2, 2, 3))]), {}


def grids() -> Iterator[Case]:
    for indices in (
        ints(2, 5, 7),
        np.array(5, np.int32),
        ints(9),
        ints(-1),
        ints(),
        ints([1, 2], [3, 4]),
    ):
        yield "unravel_index", (indices, ints(3, 3)), {}
    yield "unravel_index", (ints(1), ints(3, 0)), {}
    yield "unravel_index", (ints(100, 5, dtype="int64"), ints(7, 5, 4, dtype="int64")), {}
    yield "unravel_index", (ints(-5, -(2**31), 11, -13), ints(2, 3, 2)), {}
    yield "unravel_index", (ints(0, 5), ints()), {}
    yield "unravel_index", (ints(5), ints(2**20, 2**20)), {}
    for permutation in (ints(2, 0, 1), ints(), ints(0, 0, 1), ints(0, 3, 1), ints([1, 0])):
        yield "math.invert_permutation", (permutation,), {}
    for indexing in ("xy", "ij", "x"):
        yield "meshgrid", (ints(1, 2, 3), ints(4, 5)), {"indexing": indexing}
        yield "meshgrid", (sample((2,)), sample((3,)), sample((1,))), {"indexing": indexing}
    yield "meshgrid", (sample((4,)),), {}
    yield "meshgrid", (), {}
    yield "meshgrid", (sample((2, 2)), sample(())), {}


def repetition() -> Iterator[Case]:
    for multiples in ([2, 1], [1, 3], [0, 2], [2], [1, 1, 1], [-1, 1]):
        for dtype in FEW:
            yield "tile", (sample((2, 3), dtype), multiples), {}
    yield "tile", (sample(()), []), {}
    yield "tile", (sample((0, 2)), ints(3, 2, dtype="int64")), {}
    for axis in (None, 0, 1, -1, 2):
        for repeats in (2, 0, [1, 2], [2, 0, 1], -1, [[1, 2]], [3]):
            yield "repeat", (sample((2, 3)), repeats), {"axis": axis}
    yield "repeat", (sample(()), 3), {}
    yield "repeat", (sample((2,), "S"), ints(2, 1, dtype="int64")), {}


def padding() -> Iterator[Case]:
    borders = ([[1, 2], [0, 1]], [[0, 0], [0, 0]], [[1, 1], [2, 2]], [[2, 0], [0, 3]], [[1, 1]],
               [[-1, 0], [0, 0]], [[1, 2, 3], [4, 5, 6]], [[3, 3], [3, 3]])  # fmt: skip
    for pads, mode in product(borders, ("CONSTANT", "REFLECT", "SYMMETRIC", "reflect", "x")):
        yield "pad", (sample((2, 3)), pads), {"mode": mode}
        yield "pad", (sample((3, 4), "int32"), np.array(pads, np.int64)), {"mode": mode}
    for dtype in ("float32", "int32", "bool", "complex64", "uint8"):
        yield "pad", (sample((2, 3), dtype), [[1, 1], [0, 2]]), {}
    yield "pad", (sample((2, 3)), [[1, 1], [0, 2]]), {"constant_values": 7}
    yield "pad", (sample((2, 3)), [[1, 1], [0, 2]]), {"constant_values": np.array(1.5, np.float32)}
    yield "pad", (sample((2, 3)), [[1, 1], [0, 2]]), {"constant_values": np.array(1.5)}
    yield "pad", (sample((2, 3), "int32"), [[1, 1], [0, 2]]), {"constant_values": 1.5}
    yield "pad", (sample(()), np.zeros((0, 2), np.int32)), {}
    yield "pad", (sample((0, 2)), [[1, 0], [0, 0]]), {}


def reversal() -> Iterator[Case]:
    for axis in ([0], [1], [-1], [0, 1], [], [0, 0], [2], [0, -2], 0):
        for dtype in FEW:
            yield "reverse", (sample((2, 3), dtype), axis), {}
    for lengths in (ints(1, 3), ints(0, 2), ints(4, 1), ints(-1, 1), ints(1, 2, 3)):
        yield "reverse_sequence", (sample((2, 3, 2)), lengths), {"seq_axis": 1}
        yield "reverse_sequence", (sample((3, 2)), lengths), {"seq_axis": 0, "batch_axis": 1}
    yield "reverse_sequence", (sample((2, 3)), ints(1, 2)), {"seq_axis": 0}
    yield "reverse_sequence", (sample((2, 3)), ints(1, 2)), {"seq_axis": 2}
    for shift, axis in ((1, 0), (-1, 1), (5, -1), ([1, 2], [0, 1]), ([1, 2], [0, 0]), (1, 2),
                        ([1], 0), ([1, 2], [0]), (1, [0])):  # fmt: skip
        for dtype in ("float32", "S"):
            yield "roll", (sample((3, 4), dtype), shift, axis), {}
    yield "roll", (sample(()), 1, 0), {}
    yield "roll", (sample((0, 2)), 1, 0), {}


def blocks() -> Iterator[Case]:
    x = sample((2, 4, 6, 3))
    for block, border in (
        ([2, 2], [[0, 0], [0, 0]]), ([2, 3], [[0, 0], [0, 0]]), ([2, 2], [[1, 1], [0, 2]]),
        ([3, 2], [[0, 0], [0, 0]]), ([1, 1], [[0, 0], [0, 0]]), ([2], [[0, 0]]),
        ([0, 2], [[0, 0]] * 2),
        ([2, 2], [[-1, 1], [0, 0]]), ([2, 2, 3], [[0, 0]] * 3), ([2, 2, 3, 1], [[0, 0]] * 4),
    ):  # fmt: skip
        yield "space_to_batch", (x, block, border), {}
        yield "batch_to_space", (sample((8, 2, 3, 1), "int32"), block, border), {}
    yield "batch_to_space", (sample((8, 2, 3, 1)), [2, 2], [[1, 1], [0, 3]]), {}
    yield "batch_to_space", (sample((8, 2, 3, 1)), [2, 2], [[3, 3], [0, 3]]), {}
    yield "space_to_batch", (sample((1, 4)), [2], [[0, 0]]), {}
    for size in (2, 3, 1):
        yield "nn.space_to_depth", (sample((1, 4, 6, 4)), size), {}
        yield "nn.depth_to_space", (sample((1, 4, 2, 8)), size), {}
    yield "nn.space_to_depth", (sample((4, 4)), 2), {}
    yield "nn.space_to_depth", (sample((1, 4, 6, 4)), 2), {"data_format": "NCHW"}
    yield "nn.depth_to_space", (sample((1, 4, 2, 8)), 2), {"data_format": "NCHW"}


# -- creation and matrices ------------------------------------------------------------------


def creation() -> Iterator[Case]:
    for shape in ([], [0], [3], [2, 0, 1], [2, 3], 2, [-1], [[2]], [2.5], (2, 3)):
        yield "zeros", (shape,), {}
        yield "ones", (shape,), {"dtype": "int32"}
        yield "fill", (shape, 7), {}
    for dtype in ("float16", "bool", "string", "complex64", "int64", "uint8"):
        yield "zeros", ([2],), {"dtype": dtype}
        yield "ones", ([2],), {"dtype": dtype}
        yield "eye", (2, 3), {"dtype": dtype}
    yield "fill", ([2], "a"), {}
    yield "fill", ([2], sample((2,))), {}
    yield "fill", (ints(2, 3, dtype="int64"), np.array(1.5, np.float16)), {}
    for rows, columns, batch in ((3, None, None), (2, 4, None), (4, 2, [3]), (2, 2, [2, 1]),
                                 (0, None, None), (-1, None, None), (1, None, [])):  # fmt: skip
        yield "eye", (rows, columns), {"batch_shape": batch}
    bounds: tuple[tuple[Any, ...], ...] = (
        (5,), (0,), (2, 5), (5, 2), (5, 2, -1), (0, 10, 3), (0, 5, 0), (0, 5, -1), (2.5,),
        (0.0, 1.0, 0.1), (1.0, 0.0, -0.25), (0, 1, 0.25), (np.array(3, np.int64),),
        (0, np.array(3, np.int64)),
        ([1, 2],), (2**33, 2**33 + 2), (0.0, float("inf")), (np.array(0.0), 1.0, 0.3),
    )  # fmt: skip
    for args in bounds:
        yield "range", args, {}
    for dtype in ("float32", "int64", "float64", "int32"):
        yield "range", (5,), {"dtype": dtype}
        yield "range", (1, 7, 2), {"dtype": dtype}
    for num in (5, 1, 2, 0, -1, 2.5, 11):
        yield "linspace", (0.0, 1.0, num), {}
        yield "linspace", (1, 4, num), {}
        yield "linspace", (sample((2,)), sample((2,), seed=3), num), {"axis": -1}
        yield "linspace", (sample((2, 3)), sample((2, 3), seed=3), num), {"axis": 1}
    yield "linspace", (0.0, sample((2,)), 3), {}
    yield "linspace", (np.array(0.1), np.array(7.7), 13), {}


def matrices() -> Iterator[Case]:
    aligns = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")
    bands = (0, 1, -1, 2, (-1, 1), (0, 2), (-2, -1), (-2, 3), 5, -4, (1, -1))
    for k in bands:
        for align in aligns if isinstance(k, tuple) else aligns[:1]:
            for shape in ((3, 4), (4, 3), (2, 3, 3)):
                yield "linalg.diag_part", (sample(shape),), {"k": k, "align": align}
            lower, upper = k if isinstance(k, tuple) else (k, k)
            count = () if lower == upper else (max(upper - lower + 1, 1),)
            yield "linalg.diag", (sample((2, *count, 3)),), {"k": k, "align": align}
            yield "linalg.diag", (sample((*count, 3), "int32"),), {
                "k": k, "align": align, "num_rows": 4, "padding_value": 9}  # fmt: skip
            yield "linalg.diag", (sample((*count, 3)),), {"k": k, "num_cols": 5}
            yield "linalg.diag", (sample((*count, 2)),), {"k": k, "num_rows": 4, "num_cols": 4}
            for longest in (2, 3):
                yield "linalg.set_diag", (
                    sample((2, 3, 4)), sample((2, *count, longest), seed=8)), {
                    "k": k, "align": align}  # fmt: skip
    yield "linalg.diag", (sample((3,), "bool"),), {}
    yield "linalg.diag", (sample(()),), {}
    yield "linalg.diag_part", (sample((3, 3), "bool"),), {}
    yield "linalg.diag_part", (sample((3, 4)),), {"k": (-1, 1), "padding_value": 5}
    yield "linalg.diag_part", (sample((3,)),), {}
    yield "linalg.set_diag", (sample((3, 3)), sample((2,))), {}
    for lower, upper in product((-1, 0, 1, 3, 5), (-1, 0, 2, 9)):
        yield "linalg.band_part", (sample((3, 4)), lower, upper), {}
    yield "linalg.band_part", (sample((2, 3, 3), "complex64"), 1, 0), {}
    yield "linalg.band_part", (sample((3,)), 1, 0), {}
    for shape in ((3,), (2, 3), (), (2, 2, 2)):
        yield "linalg.tensor_diag", (sample(shape),), {}
    for shape in ((3, 3), (2, 3, 2, 3), (2, 3), (3,), ()):
        yield "linalg.tensor_diag_part", (sample(shape),), {}


def more() -> Iterator[Case]:
    for sizes, blocks, base in (
        ([5, 6], [2, 3], None), ([5, 6], [2, 3], [[1, 0], [0, 1]]), ([0], [4], [[1, 1]]),
        (np.array([7, 9], np.int32), np.array([4, 5], np.int32), None),
    ):  # fmt: skip
        yield "required_space_to_batch_paddings", (sizes, blocks, base), {}
    yield "guarantee_const", (np.arange(3.0),), {}
    numbers = np.array([0.0, -1.3, 3.7, 1e-3, 500.0, 1e9, np.inf, np.nan], np.float32)
    for dtype in ("float8_e5m2", "float8_e4m3fn"):
        yield "cast", (numbers, dtype), {}
        yield "bitcast", (np.arange(12, dtype=np.uint8), dtype), {}
        yield "bitcast", (np.arange(3, dtype=np.int32), dtype), {}


def cases() -> list[Case]:
    """All cases of the area."""
    groups = (
        shapes, movement, joining, slices, gathering, scattering, masks, indicators, partitions,
        grids, repetition, padding, reversal, blocks, creation, matrices, more,
    )  # fmt: skip
    return [case for group in groups for case in group()]


#: (pattern of a case's text, why it is meant to differ)
DEPARTURES = (
    (r"^size\(.*out_type='int64'", "a dtype may be given by name"),
    (r"^scatter_nd\(int32\[2, 0\]", "an empty index vector means the whole, as for gather_nd"),
    (r"NCHW", "TensorFlow has this layout on GPUs only"),
    (r"^gather\(.*batch_dims=-1", "its gradient needs the rank of the indices"),
    (r"^Tensor.__getitem__.*bool\[2\]", "a mask of another length is found only when it runs"),
)
