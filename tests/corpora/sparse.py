"""Programs over sparse tensors, run with either package (`tf`): what they return is recorded."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Function = Callable[..., Any]


class Sparse(NamedTuple):
    """The parts of a sparse tensor."""

    indices: Any
    values: Any
    shape: tuple[int, ...]


def sparse(dense: Any, dtype: str = "float32") -> Sparse:
    """The parts of the sparse form of an array."""
    array = np.array(dense, dtype)
    places = np.argwhere(array)
    return Sparse(places.reshape(-1, array.ndim), array[tuple(places.T)], array.shape)


def words(values: list[bytes]) -> Any:
    """A string array."""
    return np.array(values, object)


GRID = sparse([[1, 0, 2], [0, 0, 0], [0, -3, 4]])
OTHER = sparse([[0, 5, 2], [0, 0, 1], [-1, 0, -4]])
NUMBERS = sparse([[1, 0, 2, 0], [0, 0, 0, 0], [2, 2, 0, 3]], "int32")
IDS = sparse([[3, 0, 2, 0], [0, 1, 0, 0], [2, 2, 0, 1]], "int64")
CUBE = sparse(np.arange(24).reshape(2, 3, 4) % 5 * (np.arange(24).reshape(2, 3, 4) % 3 != 1))
EMPTY = sparse(np.zeros((2, 3)))
VECTOR = sparse([0, 1, 0, 2])
COMPLEX = sparse([[1 + 2j, 0], [0, 3 - 1j]], "complex64")
SHUFFLED = Sparse(np.array([[2, 1], [0, 2], [0, 0]]), np.array([1.0, 2.0, 3.0], np.float32), (3, 3))
WORDS = Sparse(np.array([[0, 1], [1, 0]]), words([b"a", b"b"]), (2, 2))
SETS = Sparse(np.array([[0, 0], [0, 1], [0, 2], [1, 0], [2, 0]]), np.array([3, 1, 3, 2, 9]), (3, 4))
DENSE = np.arange(9, dtype=np.float32).reshape(3, 3) - 4
WIDE = np.arange(6, dtype=np.float32).reshape(3, 2)

#: (program, inputs); a program is shown by its text.
PROGRAMS: list[tuple[Function, tuple[Any, ...]]] = []


def case(*inputs: Any) -> Callable[[Function], Function]:
    """Adds a program for these inputs."""

    def register(function: Function) -> Function:
        PROGRAMS.append((function, inputs))
        return function

    return register


def each(function: Function, *rows: tuple[Any, ...]) -> None:
    """Adds a program for each row of inputs."""
    PROGRAMS.extend((function, row) for row in rows)


def name_of(function: Function) -> str:
    """The text of a program."""
    text = inspect.getsource(function).strip()
    return text


# -- making and moving --------------------------------------------------------------------------

each(lambda tf, x: tf.sparse.from_dense(x), (DENSE,), (np.zeros((2, 0), np.int32),),
     (np.array(3.0),), (words([b"", b"x"]),), (np.array([[True, False]]),))  # fmt: skip
each(lambda tf, x: tf.sparse.to_dense(x), (GRID,), (CUBE,), (EMPTY,), (VECTOR,), (WORDS,),
     (SHUFFLED,), (COMPLEX,), (Sparse(np.array([[0, 5]]), np.array([1]), (2, 2)),),
     (Sparse(np.array([[0, 1], [0, 1]]), np.array([1, 2]), (2, 2)),))  # fmt: skip
each(lambda tf, x: tf.sparse.to_dense(x, default_value=-1), (GRID,), (NUMBERS,))
each(lambda tf, x, d: tf.sparse.to_dense(x, d), (GRID, np.float32(7)), (GRID, np.ones(2, "f")))
each(lambda tf, x: tf.sparse.to_dense(x, validate_indices=False), (SHUFFLED,))
each(lambda tf, x: tf.sparse.reorder(x), (SHUFFLED,), (GRID,), (EMPTY,))
each(lambda tf, x: tf.sparse.transpose(x), (GRID,), (CUBE,), (VECTOR,), (WORDS,))
each(lambda tf, x: tf.sparse.transpose(x, [1, 2, 0]), (CUBE,), (GRID,))
each(lambda tf, x: tf.sparse.reshape(x, [6, -1]), (CUBE,), (EMPTY,), (GRID,))
each(lambda tf, x: tf.sparse.reshape(x, [9]), (GRID,), (CUBE,))
each(lambda tf, x: tf.sparse.reshape(x, [-1, -1]), (GRID,))
each(lambda tf, x: tf.sparse.reset_shape(x), (GRID,), (NUMBERS,), (CUBE,))
each(lambda tf, x: tf.sparse.reset_shape(x, [5, 5]), (GRID,), (CUBE,), (NUMBERS,))
each(lambda tf, x: tf.sparse.reset_shape(x, [2, 2]), (GRID,))
for _axis in (0, 1, -1, 2):
    each(lambda tf, x, y, a=_axis: tf.sparse.concat(a, [x, y]), (GRID, OTHER), (CUBE, CUBE),
         (GRID, EMPTY), (WORDS, WORDS))  # fmt: skip
each(lambda tf, x, y: tf.sparse.concat(0, [x, y], expand_nonconcat_dims=True),
     (sparse([[1, 2]]), sparse([[3], [4]])), (GRID, NUMBERS))  # fmt: skip
each(lambda tf, x: tf.sparse.concat(0, [x, 3]), (GRID,))
for _count, _axis in ((1, 0), (2, 0), (3, 1), (2, -1), (4, 0), (2, 5)):
    each(lambda tf, x, n=_count, a=_axis: tf.sparse.split(x, n, a), (GRID,), (CUBE,), (WORDS,))
each(lambda tf, x: tf.sparse.slice(x, [0, 1], [2, 2]), (GRID,), (OTHER,), (EMPTY,))
each(lambda tf, x: tf.sparse.slice(x, [1, 1], [9, 9]), (GRID,), (CUBE,))
for _axis in (None, 0, 1, -1, 2, -3, 5):
    each(lambda tf, x, a=_axis: tf.sparse.expand_dims(x, a), (GRID,), (EMPTY,))
each(lambda tf, x, keep: tf.sparse.retain(x, keep), (GRID, np.array([True, False, False, True])),
     (GRID, np.array([True])), (EMPTY, np.zeros(0, bool)))  # fmt: skip
each(lambda tf, x, d: tf.sparse.fill_empty_rows(x, d), (GRID, np.float32(9)),
     (OTHER, np.float32(9)), (EMPTY, np.float32(1)), (GRID, np.ones(1, "f")))  # fmt: skip
each(lambda tf, x: tf.sparse.fill_empty_rows(x, "none"), (WORDS,))
each(lambda tf, x: tf.sparse.to_indicator(x, 5), (NUMBERS,), (EMPTY,))
each(lambda tf, x: tf.sparse.to_indicator(x, 3), (NUMBERS,))
each(lambda tf: tf.sparse.eye(2, 4, dtype=tf.int32), ())
each(lambda tf: tf.sparse.eye(3), ())
each(lambda tf, x: tf.sparse.mask(tf.IndexedSlices(x, tf.constant([1, 5, 7])), [5]), (DENSE,))

# -- distances and strings ----------------------------------------------------------------------

SAID = sparse([[1, 2, 3, 0], [4, 0, 0, 0], [5, 6, 0, 0]], "int32")
MEANT = sparse([[1, 3, 3, 7], [0, 0, 0, 0], [5, 6, 0, 0]], "int32")
each(lambda tf, x, y: tf.edit_distance(x, y), (SAID, MEANT), (MEANT, SAID), (GRID, OTHER),
     (SAID, CUBE), (VECTOR, VECTOR), (CUBE, CUBE), (EMPTY, EMPTY), (WORDS, WORDS),
     (SAID, GRID), (SAID, NUMBERS), (SAID, sparse([[1, 1]], "int32")))  # fmt: skip
each(lambda tf, x, y: tf.edit_distance(x, y, normalize=False), (SAID, MEANT), (MEANT, SAID),
     (CUBE, CUBE), (EMPTY, EMPTY))  # fmt: skip
each(lambda tf, x: tf.edit_distance(x, x), (DENSE,))
LABELS = Sparse(np.array([[0, 0], [0, 1], [1, 0]]), np.array([1, 2, 1], np.int32), (2, 2))
SCORES = np.random.default_rng(0).normal(size=(4, 2, 3)).astype(np.float32)
TIMES = np.array([4, 3], np.int32)
for _blank in (None, 0, 1, 2, -1, -3):
    each(lambda tf, x, y, n, b=_blank: tf.nn.ctc_loss(x, y, None, n, blank_index=b),
         (LABELS, SCORES, TIMES))  # fmt: skip
for _blank in (0, -1):
    each(lambda tf, x, y, n, b=_blank: tf.nn.ctc_loss(x, y, None, n, blank_index=b),
         *[(LABELS._replace(values=np.array(values, np.int32)), SCORES, TIMES)
           for values in ([1, 2, 0], [1, 5, 1], [5, 1, 1], [-1, 1, 1], [1, 1, 2])],
         (LABELS._replace(values=LABELS.values.astype(np.int64)), SCORES, TIMES),
         (LABELS, SCORES, TIMES.astype(np.int64)), (LABELS, SCORES.astype(np.float64), TIMES),
         (LABELS, SCORES.astype(np.float16), TIMES),
         *[(LABELS, SCORES, np.array(times, np.int32))
           for times in ([1, 3], [2, 1], [5, 3], [-1, 3], [4], [0, 0])],
         *[(LABELS._replace(indices=np.array(places)), SCORES, TIMES)
           for places in ([[0, 1], [1, 0], [1, 1]], [[0, 0], [0, 3], [1, 2]],
                          [[0, 0], [0, 1], [0, 2]], [[1, 0], [0, 0], [0, 1]],
                          [[0, 0], [0, 0], [1, 0]], [[0, 0], [0, 1], [2, 0]])],
         (Sparse(np.array([[0, 0], [0, 1], [0, 2], [1, 0]]), np.array([1, 1, 1, 2], np.int32),
                 (2, 3)), SCORES, TIMES))  # fmt: skip
each(lambda tf, x, y, n: tf.nn.ctc_loss(x, tf.transpose(y, [1, 0, 2]), [7], n, False, 3, -1),
     (LABELS, SCORES, TIMES))  # fmt: skip
each(lambda tf, x: tf.io.serialize_sparse(x), (GRID,), (WORDS,), (EMPTY,), (VECTOR,), (CUBE,))
each(lambda tf, x: tf.io.serialize_many_sparse(x), (GRID,), (WORDS,), (EMPTY,), (VECTOR,), (CUBE,))
each(lambda tf, x: tf.io.deserialize_many_sparse(tf.io.serialize_many_sparse(x), x.dtype),
     (GRID,), (WORDS,), (CUBE,))  # fmt: skip
each(lambda tf, x: tf.io.deserialize_many_sparse(tf.io.serialize_many_sparse(x), tf.int64, 3),
     (GRID,), (SETS,))  # fmt: skip
each(lambda tf, x: tf.io.deserialize_many_sparse(
    tf.stack([tf.io.serialize_sparse(x), tf.io.serialize_sparse(x)]), tf.float32),
     (GRID,), (EMPTY,))  # fmt: skip
each(lambda tf, x: tf.io.deserialize_many_sparse(x, tf.float32), (words([b"a", b"b", b"c"]),),
     (np.array([[b"a", b"b", b"c"]], object),))  # fmt: skip

# -- arithmetic ---------------------------------------------------------------------------------

_PAIRS = ((GRID, OTHER), (GRID, GRID), (EMPTY, EMPTY), (GRID, EMPTY), (NUMBERS, NUMBERS))
each(lambda tf, x, y: tf.sparse.add(x, y), *_PAIRS, (GRID, DENSE), (DENSE, GRID), (GRID, WIDE),
     (DENSE, DENSE), (COMPLEX, COMPLEX), (SHUFFLED, DENSE))  # fmt: skip
each(lambda tf, x, y: tf.sparse.add(x, y, threshold=3.5), (GRID, OTHER), (GRID, DENSE))
each(lambda tf, x, y: tf.sparse.maximum(x, y), *_PAIRS)
each(lambda tf, x, y: tf.sparse.minimum(x, y), *_PAIRS)
each(lambda tf, x, y: x * y, (GRID, DENSE), (GRID, np.float32(2)), (GRID, DENSE[0]),
     (CUBE, np.ones((3, 1), "f")), (GRID, WIDE), (GRID, np.ones((2, 3, 3), "f")),
     (NUMBERS, np.int32(3)))  # fmt: skip
each(lambda tf, x, y: x / y, (GRID, DENSE + 0.5), (GRID, np.float32(2)), (NUMBERS, np.int32(2)))
each(lambda tf, x: x * 2, (GRID,), (NUMBERS,), (COMPLEX,))
each(lambda tf, x: tf.divide(x, 2), (GRID,), (NUMBERS,))
each(lambda tf, x: x + x, (GRID,))
each(lambda tf, x: -x, (GRID,))
for _name in ("abs", "negative", "sign", "sin", "sqrt", "square", "tan", "tanh", "asin", "asinh",
              "atan", "atanh", "erf", "bessel_i0e", "exp", "cos", "log1p"):  # fmt: skip
    each(lambda tf, x, n=_name: getattr(tf.math, n)(x), (VECTOR,), (EMPTY,))
each(lambda tf, x: tf.cast(x, tf.int64), (GRID,), (NUMBERS,))
each(lambda tf, x: (tf.shape(x), tf.size(x), tf.rank(x), tf.identity(x)), (GRID,), (CUBE,))
each(lambda tf, x: tf.shape(x, out_type=tf.int64), (GRID,))
each(lambda tf, x: tf.convert_to_tensor(x), (GRID,))
each(lambda tf, x: tf.reduce_sum(x), (GRID,))
each(lambda tf, x: tf.sparse.map_values(tf.math.exp, x), (GRID,))
each(lambda tf, x, y: tf.sparse.map_values(tf.multiply, x, y), (GRID, GRID), (GRID, OTHER))
each(lambda tf, x: tf.sparse.map_values(tf.add, x, y=10.0), (GRID,))
each(lambda tf, x: tf.sparse.map_values(tf.add, x, x), (DENSE,))
for _adjoint in ((False, False), (True, False), (False, True), (True, True)):
    each(lambda tf, x, y, a=_adjoint: tf.sparse.sparse_dense_matmul(x, y, *a), (GRID, DENSE),
         (GRID, WIDE), (COMPLEX, np.array([[1, 2j], [3, 4]], np.complex64)), (DENSE, GRID),
         (EMPTY, WIDE), (sparse(GRID.values[None], "float64"), np.ones((4, 4))))  # fmt: skip
each(lambda tf, x: tf.sparse.softmax(x), (GRID,), (CUBE,), (EMPTY,), (VECTOR,))
for _axis in (None, 0, 1, -1, [0, 1], [0], [], 5, [1, 2]):
    for _keep in (False, True):
        for _kind in ("reduce_sum", "reduce_max"):
            each(lambda tf, x, k=_kind, a=_axis, d=_keep: getattr(tf.sparse, k)(x, a, d),
                 (GRID,), (CUBE,), (NUMBERS,))  # fmt: skip
each(lambda tf, x: tf.sparse.reduce_sum(x, 0, output_is_sparse=True), (GRID,), (CUBE,), (EMPTY,))
each(lambda tf, x: tf.sparse.reduce_max(x, 1, True, output_is_sparse=True), (GRID,), (CUBE,))
each(lambda tf, x: tf.sparse.reduce_sum(x, output_is_sparse=True), (GRID,))

# -- counts, sets, embeddings -------------------------------------------------------------------

_MATRIX = np.array([[1, 2, 2], [2, 0, 5]], np.int32)
for _options in ({}, {"axis": -1}, {"minlength": 7}, {"maxlength": 2, "axis": -1},
                 {"minlength": 1, "maxlength": 6}, {"binary_output": True, "axis": -1}, {"axis": 1},
                 {"axis": None}):  # fmt: skip
    each(lambda tf, x, o=_options: tf.sparse.bincount(x, **o), (_MATRIX,), (NUMBERS,), (IDS,),
         (_MATRIX[0].astype(np.int64),), (np.zeros(0, np.int32),), (np.array([-1]),))  # fmt: skip
each(lambda tf, x, w: tf.sparse.bincount(x, w, axis=-1), (_MATRIX, _MATRIX / 4),
     (NUMBERS, sparse(np.array(NUMBERS.values)[None])), (NUMBERS, _MATRIX), (_MATRIX, DENSE),
     (GRID, GRID), (NUMBERS, Sparse(NUMBERS.indices, NUMBERS.values / 8, NUMBERS.shape)))  # fmt: skip
each(lambda tf, x: tf.math.bincount(x), (NUMBERS,), (IDS,))
each(lambda tf, x: tf.math.bincount(x, axis=-1), (NUMBERS,), (IDS,))
_DENSE_SETS = np.array([[3, 7, 3], [2, 2, 4], [9, 1, 1]])
_WORDS = words([b"b", b"a", b"c", b"a"]).reshape(2, 2)
for _name in ("intersection", "union", "difference"):
    each(lambda tf, x, y, n=_name: getattr(tf.sets, n)(x, y), (_DENSE_SETS, _DENSE_SETS[::-1]),
         (_DENSE_SETS, SETS), (SETS, _DENSE_SETS), (SETS, SETS), (_DENSE_SETS, _MATRIX),
         (_WORDS, _WORDS[::-1]), (WORDS, _WORDS), (DENSE, DENSE), (_MATRIX[0], _MATRIX[0]),
         (np.zeros((3, 0), np.int64), SETS))  # fmt: skip
each(lambda tf, x, y: tf.sets.difference(x, y, aminusb=False), (SETS, _DENSE_SETS),
     (_DENSE_SETS, SETS))  # fmt: skip
each(lambda tf, x: tf.sets.size(x), (SETS,), (WORDS,), (GRID,), (_MATRIX,))
_TABLE = np.arange(8, dtype=np.float32).reshape(4, 2) / 4
_SIDE = Sparse(
    IDS.indices, np.array([1, 0.5, 2, -1, 0, 3], np.float32)[: len(IDS.values)], IDS.shape
)
_HOLES = Sparse(np.array([[0, 0], [0, 1], [2, 0], [3, 1]]), np.array([1, -1, 3, 0]), (5, 2))
_DEEP = Sparse(np.array([[0, 0, 0], [0, 1, 0], [1, 1, 1]]), np.array([1, -1, 3]), (2, 2, 2))
_HEAVY = Sparse(_HOLES.indices, np.array([1, 1, 0.5, -2], np.float32), _HOLES.shape)
for _combiner in ("sum", "mean", "sqrtn", None, "max"):
    each(lambda tf, t, i, c=_combiner: tf.nn.embedding_lookup_sparse(t, i, None, combiner=c),
         (_TABLE, IDS))  # fmt: skip
    each(lambda tf, t, i, w, c=_combiner: tf.nn.embedding_lookup_sparse(t, i, w, combiner=c),
         (_TABLE, IDS, _SIDE))  # fmt: skip
for _combiner in ("sum", "mean", "sqrtn"):
    for _default in (None, 2):
        each(lambda tf, t, i, c=_combiner, d=_default: tf.nn.safe_embedding_lookup_sparse(
            t, i, combiner=c, default_id=d), (_TABLE, _HOLES), (_TABLE, _DEEP))  # fmt: skip
        each(lambda tf, t, i, w, c=_combiner, d=_default: tf.nn.safe_embedding_lookup_sparse(
            t, i, w, combiner=c, default_id=d), (_TABLE, _HOLES, _HEAVY))  # fmt: skip
each(lambda tf, t, i: tf.nn.safe_embedding_lookup_sparse(t, i, max_norm=0.7), (_TABLE, _HOLES))

_COLUMN = words([b"a", b"b", b"c"]).reshape(3, 1)
for _inputs in ((IDS, IDS), (IDS, _DENSE_SETS), (_COLUMN, IDS), (IDS, _COLUMN), (WORDS, WORDS),
                (IDS, WORDS), (IDS, np.arange(3)), (IDS, NUMBERS), (_COLUMN, _DENSE_SETS)):  # fmt: skip
    each(lambda tf, x, y: tf.sparse.cross([x, y]), _inputs)
    each(lambda tf, x, y: tf.sparse.cross([x, y], separator="-"), _inputs)
    each(lambda tf, x, y: tf.sparse.cross_hashed([x, y]), _inputs)
    each(lambda tf, x, y: tf.sparse.cross_hashed([x, y, x], num_buckets=7, hash_key=5), _inputs)
each(lambda tf, x: tf.sparse.cross([x, [["a"]]]), (IDS,))

# -- control flow, functions, structures --------------------------------------------------------


@case(GRID)
def loops(tf: Any, x: Any) -> Any:
    return tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, y * 2.0), (0, x))[1]


@case(GRID, OTHER)
def branches(tf: Any, x: Any, y: Any) -> Any:
    return tf.cond(tf.sparse.reduce_sum(x) > 0, lambda: x * 2.0, lambda: y)


@case(GRID)
def inner_function(tf: Any, x: Any) -> Any:
    return tf.function(lambda v: {"sum": tf.sparse.reduce_sum(v), "same": v})(x)


@case(GRID, DENSE)
def chained(tf: Any, x: Any, y: Any) -> Any:
    z = tf.sparse.add(tf.sparse.transpose(x), x * 0.5)
    return tf.sparse.sparse_dense_matmul(tf.sparse.softmax(z), y)


@case(GRID)
def nests(tf: Any, x: Any) -> Any:
    parts = tf.nest.flatten({"a": x, "b": 1.0}, expand_composites=True)
    return [*parts[:3], tf.nest.map_structure(lambda t: t, [x], expand_composites=True)[0].values]


# -- running ------------------------------------------------------------------------------------


def tensors_of(tf: Any, inputs: tuple[Any, ...]) -> list[Any]:
    """Inputs as tensors, dense and sparse."""
    return [
        tf.SparseTensor(x.indices, x.values, x.shape) if isinstance(x, Sparse) else tf.constant(x)
        for x in inputs
    ]


def specs_of(tf: Any, tensors: list[Any], known: bool) -> list[Any]:
    """The specs of tensors, with or without their sizes."""
    specs = []
    for x in tensors:
        shape = x.shape if known else [None] * x.shape.rank
        kind = tf.SparseTensorSpec if isinstance(x, tf.SparseTensor) else tf.TensorSpec
        specs.append(kind(shape, x.dtype))
    return specs


def leaves(tf: Any, result: Any) -> list[Any]:
    """The tensors of a result."""
    flat = tf.nest.flatten(result, expand_composites=True)
    return [tf.convert_to_tensor(leaf) for leaf in flat]


def run(tf: Any, program: Function, inputs: tuple[Any, ...]) -> list[Any]:
    """The results of a program, as arrays."""
    return [t.numpy() for t in leaves(tf, program(tf, *tensors_of(tf, inputs)))]


def run_traced(tf: Any, program: Function, inputs: tuple[Any, ...], known: bool) -> list[Any]:
    """The same, traced with or without known sizes."""
    tensors = tensors_of(tf, inputs)

    def body(*args: Any) -> Any:
        return leaves(tf, program(tf, *args))

    function = tf.function(body, input_signature=specs_of(tf, tensors, known), autograph=False)
    return [t.numpy() for t in function(*tensors)]


def is_float(dtype: Any) -> bool:
    """Whether gradients flow to tensors of a dtype."""
    return bool(dtype.is_floating or dtype.is_complex)


def run_gradient(tf: Any, program: Function, inputs: tuple[Any, ...]) -> list[Any]:
    """Cotangents of the values of floating inputs, of weighted results; None where none flows."""
    sources = []
    with tf.GradientTape() as tape:
        args = []
        for x in inputs:
            values = tf.constant(x.values if isinstance(x, Sparse) else x)
            if is_float(values.dtype):
                tape.watch(values)
                sources.append(values)
            sparse_one = isinstance(x, Sparse)
            args.append(tf.SparseTensor(x.indices, values, x.shape) if sparse_one else values)
        results = [t for t in leaves(tf, program(tf, *args)) if is_float(t.dtype)]
        weights = [tf.cast(tf.cos(tf.range(tf.size(t), dtype=tf.float32)), t.dtype)
                   for t in results]  # fmt: skip
        total = tf.add_n([tf.reduce_sum(tf.reshape(t, [-1]) * w)
                          for t, w in zip(results, weights)] or [tf.zeros([])])  # fmt: skip
    found = tape.gradient(total, sources)
    return [None if g is None else tf.convert_to_tensor(g).numpy() for g in found]
