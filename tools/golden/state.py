"""Programs with state, lists, branches and loops, and cases of ops that read and write formats.

Functions here get the package first; what state they need they make outside of graphs.
"""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tools.golden.raw import raw

Case = tuple[str, tuple[Any, ...], dict[str, Any]]
ROWS = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], np.float32)
#: What a graph refers to must outlive it.
KEPT: list[Any] = []
#: Lists that were joined: TensorFlow lets nothing flow, ours says what is missing to cut them.
FURTHER_GRADIENTS = "state.joined"
DEPARTURES = [
    (r"state.assigned\(''.*float32\[1, 2\]", "a variable keeps the shape that it was made with"),
    (r"gathered_list.*int32\[3\]\[0, 0, 1\]",
     "TensorFlow keeps one of the cotangents of an item that is gathered twice"),
    (r"generated\('binomial', 'threefry'", "the error says which algorithm works"),
]  # fmt: skip
TOLERANCES = [("CTC|normal", 16.0, 1e-5), ("factored", 64.0, 1e-6)]


def program(name: str, *args: Any, **kwargs: Any) -> Case:
    """A case of a function of this module."""
    return f"tools.golden.state.{name}", args, kwargs


def text(*values: bytes) -> Any:
    """A vector of strings."""
    return np.array([*values, None], object)[:-1]


def kept(tf: Any, make: Any) -> Any:
    """What `make` gives, made outside of any graph."""
    with tf.init_scope():
        KEPT.append(make())
    return KEPT[-1]


# -- variables ------------------------------------------------------------------------------


def variables() -> Iterator[Case]:
    start = ROWS.tolist()
    one, two = np.array([0, 2], np.int32), np.array([0, 0])
    for kind in ("Add", "Sub", "Mul", "Div", "Max", "Min", "Update"):
        for at in (one, two, np.array(1)):
            shape = (*at.shape, 2)
            yield program("scattered", kind, start, at, np.arange(2.0, 2 + np.prod(shape),
                          dtype=np.float32).reshape(shape))  # fmt: skip
        yield program("scattered", kind, start, np.array([3]), ROWS[:1])
        yield program("scattered", kind, start, one, ROWS)
    for kind in ("", "Add", "Sub"):
        yield program("assigned", kind, start, ROWS * 2)
        yield program("assigned", kind, start, ROWS[:1])
    for at in (one, np.array([[1], [0]]), np.array([3])):
        yield program("gathered", start, at)
    for kind in ("Add", "Sub", "Update", "Max", "Min"):
        for at in ([[0, 1], [2, 0]], [[1, 1], [1, 1]], [[3, 0]]):
            yield program("scattered_slices", kind, start, np.array(at), ROWS[: len(at), 1])
        yield program("scattered_slices", kind, start, np.array([[2], [0]]), -ROWS[:2])
        yield program("scattered_slices", kind, start, np.array([[2], [0]]), ROWS)
    for at in ([[0, 1], [2, 0]], [[1]], [[3]]):
        yield program("gathered_slices", start, np.array(at, np.int32))
    yield program("batch_updated", start, np.array([[1], [0], [1]], np.int32), -ROWS[:, :1])
    yield program("handled", ROWS)
    yield program("shared", ROWS)
    yield program("guarded", ROWS)
    for known in (True, False):
        yield program("created", known)
    yield program("sliced", start, ROWS[:2, 0])
    yield program("sliced", start, ROWS)
    for dtype in ("int32", "int64"):
        yield program("counted", 1, 3, np.array(10, dtype))
        yield program("counted", 2, 3, np.array(10, dtype))
    yield program("counted", [1], 3, np.array(10, np.int32))
    yield program("counted", 1.0, 3, np.array(10, np.float32))


def scattered(tf: Any, kind: str, start: Any, indices: Any, updates: Any) -> Any:
    """A variable of which rows are updated."""
    v = kept(tf, lambda: tf.Variable(start))
    update = getattr(tf.raw_ops, f"ResourceScatter{kind}")
    update(resource=v.handle, indices=indices, updates=updates)
    return tf.raw_ops.ReadVariableOp(resource=v.handle, dtype=tf.float32)


def assigned(tf: Any, kind: str, start: Any, value: Any) -> Any:
    """A variable that is assigned to."""
    v = kept(tf, lambda: tf.Variable(start))
    getattr(tf.raw_ops, f"Assign{kind}VariableOp")(resource=v.handle, value=value)
    return tf.raw_ops.ReadVariableOp(resource=v.handle, dtype=tf.float32)


def gathered(tf: Any, start: Any, indices: Any) -> Any:
    """Rows of a variable."""
    v = kept(tf, lambda: tf.Variable(start))
    return tf.raw_ops.ResourceGather(resource=v.handle, indices=indices, dtype=tf.float32)


def scattered_slices(tf: Any, kind: str, start: Any, indices: Any, updates: Any) -> Any:
    """A variable of which slices at index vectors are updated."""
    v = kept(tf, lambda: tf.Variable(start))
    update = getattr(tf.raw_ops, f"ResourceScatterNd{kind}")
    update(ref=v.handle, indices=indices, updates=updates)
    getattr(v, f"scatter_nd_{kind.lower()}")(indices, updates * 2.0)
    return v.read_value()


def gathered_slices(tf: Any, start: Any, indices: Any) -> Any:
    """Slices of a variable."""
    v = kept(tf, lambda: tf.Variable(start))
    found = tf.raw_ops.ResourceGatherNd(resource=v.handle, indices=indices, dtype=tf.float32)
    return found, v.gather_nd(indices)


def batch_updated(tf: Any, start: Any, indices: Any, values: Any) -> Any:
    """A variable of which an element of each row is replaced."""
    v = kept(tf, lambda: tf.Variable(start))
    v.batch_scatter_update(tf.IndexedSlices(values, tf.ensure_shape(indices, [3, 1])))
    return v.read_value()


def handled(tf: Any, value: Any) -> Any:
    """What a handle without a value becomes."""
    ops = tf.raw_ops
    handle = kept(tf, lambda: ops.VarHandleOp(dtype=tf.float32, shape=[3, 2]))
    with tf.init_scope():
        before = ops.VarIsInitializedOp(resource=handle).numpy()
    ops.AssignVariableOp(resource=handle, value=value)
    found = ops.ReadVariableOp(resource=handle, dtype=tf.float32)
    is_set = ops.VarIsInitializedOp(resource=handle)
    return str(before), is_set, tf.reduce_sum(ops.VariableShape(input=handle)), found


def shared(tf: Any, value: Any) -> Any:
    """What one handle of a name was assigned, read by another."""
    ops, kind = tf.raw_ops, {"dtype": tf.float32, "shape": [3, 2], "shared_name": "golden"}
    ops.AssignVariableOp(resource=ops.VarHandleOp(**kind), value=value * 0.0)
    first = ops.VarHandleOp(**kind)
    ops.AssignVariableOp(resource=first, value=value)
    with tf.control_dependencies([ops.ReadVariableOp(resource=first, dtype=tf.float32)]):
        found = ops.ReadVariableOp(resource=ops.VarHandleOp(**kind), dtype=tf.float32)
        return tf.ensure_shape(found, [3, 2])


def guarded(tf: Any, value: Any) -> Any:
    """A variable that is changed in a section of its own."""
    v = kept(tf, lambda: tf.Variable(value.numpy() if hasattr(value, "numpy") else ROWS))
    section = kept(tf, lambda: tf.CriticalSection())
    return section.execute(lambda: v.assign_add(value) * 2.0)


def created(tf: Any, known: bool) -> Any:
    """What scopes make of variables: the inner one is asked first."""
    asked = []

    def outer(create: Any, **kwargs: Any) -> Any:
        asked.append("outer")
        return create(**(kwargs | {"trainable": known}))

    def inner(create: Any, **kwargs: Any) -> Any:
        asked.append("inner")
        return create(**(kwargs | {"initial_value": kwargs["initial_value"] + 1}))

    with tf.init_scope(), tf.variable_creator_scope(outer), tf.variable_creator_scope(inner):
        v = tf.Variable(1, name="made")
    return str((asked, v.trainable, v.name, int(v.numpy())))


def sliced(tf: Any, start: Any, value: Any) -> Any:
    """A variable of which a part is assigned to."""
    v = kept(tf, lambda: tf.Variable(start))
    tf.raw_ops.ResourceStridedSliceAssign(
        ref=v.handle, begin=[0, 1], end=[2, 2], strides=[1, 1], value=value, shrink_axis_mask=2
    )
    return v.read_value()


def counted(tf: Any, start: Any, limit: int, more: Any) -> Any:
    """What a variable counts before a limit, twice, and what it holds then, all with `more`."""
    v = kept(tf, lambda: tf.Variable(start, dtype=more.dtype))
    count = tf.raw_ops.ResourceCountUpTo
    first = count(resource=v.handle, limit=limit, T=v.dtype)
    second = count(resource=v.handle, limit=limit, T=v.dtype)
    return first + more, second + more, v.read_value() + more


# -- lists ----------------------------------------------------------------------------------


def lists() -> Iterator[Case]:
    for shape in ([2], [-1], -1):
        yield program("pushed", ROWS, shape)
        yield program("stacked", ROWS, shape)
        yield program("told", shape)
        yield program("set_and_got", ROWS, shape)
        yield program("joined", ROWS, shape)
    yield program("pushed", ROWS, [3])
    for at in ([2, 0], [0, 0, 1], [3]):
        yield program("scattered_list", ROWS, np.array(at, np.int32))
        yield program("gathered_list", ROWS, np.array(at, np.int32))
    for lengths in ([1, 2], [0, 3], [1, 1]):
        yield program("split_list", ROWS, np.array(lengths))
    for size in (1, 3, 5, -1):
        yield program("resized", ROWS, size)


def pushed(tf: Any, rows: Any, shape: Any) -> Any:
    """Items pushed and popped."""
    ops, kind = tf.raw_ops, {"element_shape": shape, "element_dtype": tf.float32}
    items = ops.EmptyTensorList(element_shape=shape, max_num_elements=-1, element_dtype=tf.float32)
    for i in range(3):
        items = ops.TensorListPushBack(input_handle=items, tensor=rows[i])
    rest, last = ops.TensorListPopBack(input_handle=items, **kind)
    return ops.TensorListLength(input_handle=rest), last


def stacked(tf: Any, rows: Any, shape: Any) -> Any:
    """A list made of a tensor, as one tensor again."""
    ops = tf.raw_ops
    items = ops.TensorListFromTensor(tensor=rows, element_shape=shape)
    return ops.TensorListStack(input_handle=items, element_shape=shape, element_dtype=tf.float32)


def told(tf: Any, shape: Any) -> Any:
    """What a list knows of its items."""
    items = tf.raw_ops.EmptyTensorList(
        element_shape=shape, max_num_elements=-1, element_dtype=tf.float32
    )
    found = tf.raw_ops.TensorListElementShape(input_handle=items, shape_type=tf.int64)
    return tf.rank(found), tf.size(found), tf.reduce_sum(found)


def set_and_got(tf: Any, rows: Any, shape: Any) -> Any:
    """Items set in a list of room for three."""
    ops = tf.raw_ops
    items = ops.TensorListReserve(element_shape=shape, num_elements=3, element_dtype=tf.float32)
    items = ops.TensorListSetItem(input_handle=items, index=1, item=rows[0] * 2.0)
    kind = {"element_shape": [2], "element_dtype": tf.float32}
    return [ops.TensorListGetItem(input_handle=items, index=i, **kind) for i in (1, 0)]


def joined(tf: Any, rows: Any, shape: Any) -> Any:
    """Lists one after the other, and their items along the first axis."""
    ops = tf.raw_ops
    a = ops.TensorListFromTensor(tensor=rows, element_shape=shape)
    both = ops.TensorListConcatLists(input_a=a, input_b=a, element_dtype=tf.float32)
    none = tf.constant([], tf.int64)
    return ops.TensorListConcatV2(
        input_handle=both, element_shape=[-1], leading_dims=none, element_dtype=tf.float32
    )


def scattered_list(tf: Any, rows: Any, indices: Any) -> Any:
    """Rows at places of a new list, and of one that is there."""
    ops, count = tf.raw_ops, indices.shape[0]
    kind = {"element_shape": [2], "element_dtype": tf.float32}
    some = rows[:count]
    items = ops.TensorListScatterV2(
        tensor=some, indices=indices, element_shape=[2], num_elements=-1
    )
    items = ops.TensorListScatterIntoExistingList(
        input_handle=items, tensor=some * 3.0, indices=indices[:1]
    )
    return ops.TensorListStack(input_handle=items, **kind)


def gathered_list(tf: Any, rows: Any, indices: Any) -> Any:
    """Items by their places."""
    items = tf.raw_ops.TensorListFromTensor(tensor=rows, element_shape=[2])
    return tf.raw_ops.TensorListGather(
        input_handle=items, indices=indices, element_shape=[2], element_dtype=tf.float32
    )


def split_list(tf: Any, rows: Any, lengths: Any) -> Any:
    """A tensor cut into items of some lengths."""
    items = tf.raw_ops.TensorListSplit(tensor=rows, element_shape=[-1, 2], lengths=lengths)
    kind = {"element_shape": [-1, 2], "element_dtype": tf.float32}
    return [tf.raw_ops.TensorListGetItem(input_handle=items, index=i, **kind) for i in (0, 1)]


def resized(tf: Any, rows: Any, size: int) -> Any:
    """A list cut short or made longer."""
    items = tf.raw_ops.TensorListFromTensor(tensor=rows, element_shape=[2])
    items = tf.raw_ops.TensorListResize(input_handle=items, size=size)
    return tf.raw_ops.TensorListLength(input_handle=items)


# -- tables ---------------------------------------------------------------------------------


def tables() -> Iterator[Case]:
    keys, values = np.array([1, 5, 3]), np.array([0.5, 2.5, 1.5], np.float32)
    yield program("looked_up", keys, values, np.array([3, 4, 5]))
    yield program("looked_up", keys, values[:2], np.array([3]))
    yield program("looked_up", np.array([1, 1, 2]), values, np.array([1, 2]))
    yield program("imported", keys, values)


def looked_up(tf: Any, keys: Any, values: Any, wanted: Any) -> Any:
    """What a table holds after an insertion and a removal."""
    ops = tf.raw_ops
    table = kept(tf, lambda: tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, -1.0))
    handle = table.resource_handle
    ops.LookupTableInsertV2(table_handle=handle, keys=keys, values=values)
    default = tf.constant(-1.0)
    before = ops.LookupTableFindV2(table_handle=handle, keys=wanted, default_value=default)
    ops.LookupTableRemoveV2(table_handle=handle, keys=wanted[:1])
    size = ops.LookupTableSizeV2(table_handle=handle)
    after = ops.LookupTableFindV2(table_handle=handle, keys=wanted, default_value=default)
    return before, size, after


def imported(tf: Any, keys: Any, values: Any) -> Any:
    """What replaces a table's entries, given out again in order."""
    ops = tf.raw_ops
    table = kept(tf, lambda: tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, -1.0))
    handle = table.resource_handle
    ops.LookupTableInsertV2(table_handle=handle, keys=keys + 10, values=values)
    ops.LookupTableImportV2(table_handle=handle, keys=keys, values=values)
    found = ops.LookupTableExportV2(table_handle=handle, Tkeys=tf.int64, Tvalues=tf.float32)
    order = tf.argsort(found[0])
    return tf.gather(found[0], order), tf.gather(found[1], order)


# -- branches, loops, calls -----------------------------------------------------------------


def control() -> Iterator[Case]:
    x = np.array([1.0, -2.0], np.float32)
    for stateful in (False, True):
        for which in (True, False):
            yield program("branched", x, np.array(which), stateful)
        for index in (0, 1, 7):
            yield program("chosen", x, np.array(index, np.int32), stateful)
        yield program("looped", x, stateful)
        yield program("called", x, stateful)
    for kind in ("py_function", "numpy_function", "stateless"):
        yield program("in_python", x, kind)
    yield program("with_own_gradient", x)


def effect(tf: Any, stateful: bool) -> Any:
    """Something that a graph may do besides."""
    v = kept(tf, lambda: tf.Variable(0.0))
    return lambda: v.assign_add(1.0) if stateful else tf.constant(1.0)


def branched(tf: Any, x: Any, which: Any, stateful: bool) -> Any:
    """One of two branches."""
    do = effect(tf, stateful)
    function = tf.function(
        lambda x, p: tf.cond(p, lambda: x * do(), lambda: tf.exp(x)), autograph=False
    )
    return function(x, which)


def chosen(tf: Any, x: Any, index: Any, stateful: bool) -> Any:
    """One of three branches, the last for all other numbers."""
    do = effect(tf, stateful)

    def body(x: Any, i: Any) -> Any:
        branches = [lambda n=n: x * n + do() for n in (0.0, 1.0, 2.0)]
        return tf.switch_case(i, branches)

    return tf.function(body, autograph=False)(x, index)


def looped(tf: Any, x: Any, stateful: bool) -> Any:
    """A loop of as many turns as a tensor says."""
    do = effect(tf, stateful)

    def body(x: Any) -> Any:
        turns = tf.shape(x)[0] + 1
        return tf.while_loop(
            lambda i, y: i < turns, lambda i, y: (i + 1, y * 1.5 + do()), (tf.constant(0), x)
        )

    return tf.function(body, autograph=False)(x)


def called(tf: Any, x: Any, stateful: bool) -> Any:
    """A function that calls another."""
    do = effect(tf, stateful)
    inner = tf.function(lambda x: tf.sin(x) * do(), autograph=False)
    return tf.function(lambda x: inner(x) + inner(x * 2.0), autograph=False)(x)


def in_python(tf: Any, x: Any, kind: str) -> Any:
    """A Python function in a graph."""
    if kind == "py_function":
        call = tf.function(lambda x: tf.py_function(lambda t: t * t, [x], tf.float32))
    else:
        stateful = kind != "stateless"
        call = tf.function(
            lambda x: tf.numpy_function(lambda a: a * a, [x], tf.float32, stateful=stateful)
        )
    return call(x)


def with_own_gradient(tf: Any, x: Any) -> Any:
    """A function whose gradient is another's."""
    return tf.custom_gradient(lambda t: (t * 2.0, lambda g: g * 100.0))(x)


# -- random numbers of a state --------------------------------------------------------------


def draws() -> Iterator[Case]:
    for alg in ("philox", "threefry"):
        for kind in ("normal", "uniform", "truncated_normal"):
            yield program("generated", kind, alg, [5])
        yield program("generated", "binomial", alg, [4], [10.0, 3.0, 7.0, 5.0], [0.5, 0.2, 0.9, 1])
    yield program("skipped", 3)


def seeded() -> Iterator[Case]:
    """Ops that go on in a stream of their own, which their seeds begin."""
    seed = 100
    for dtype in ("float32", "float64", "float16"):
        for name in ("RandomStandardNormal", "RandomUniform", "TruncatedNormal"):
            seed += 1
            yield program("drawn", name, seed, shape=[2, 3], dtype=dtype)
    shape, rate = [5], np.array([0.5, 3.0], np.float32)
    yield program("drawn", "RandomUniformInt", 201, shape=shape, minval=-3, maxval=9)
    yield program("drawn", "RandomUniformInt", 202, shape=shape, minval=9, maxval=9)
    yield program("drawn", "RandomShuffle", 203, value=np.arange(9))
    yield program("drawn", "RandomGamma", 204, shape=shape, alpha=rate)
    yield program("drawn", "RandomPoissonV2", 205, shape=shape, rate=rate)
    yield program("drawn", "RandomPoissonV2", 206, shape=shape, rate=rate * 10)
    yield program("drawn", "Multinomial", 207, logits=np.array([[0.0, 1.0, 2.0]]), num_samples=6)
    classes = {"true_classes": np.array([[0, 2], [3, 1]]), "num_true": 2, "num_sampled": 4}
    for unique in (False, True):
        for kind in ("LogUniform", "Uniform", "LearnedUnigram"):
            seed += 1
            yield program("drawn", f"{kind}CandidateSampler", seed, **classes, unique=unique,
                          range_max=9)  # fmt: skip
        yield program("drawn", "FixedUnigramCandidateSampler", 300 + unique, **classes,
                      unique=unique, range_max=5, unigrams=[1.0, 2.0, 3.0, 2.0, 1.0])  # fmt: skip
    boxes = np.array([[[0.1, 0.2, 0.8, 0.9]]], np.float32)
    yield program("drawn", "SampleDistortedBoundingBoxV2", 400, bounding_boxes=boxes,
                  image_size=np.array([50, 60, 3], np.int32),
                  min_object_covered=np.array(0.3, np.float32))  # fmt: skip


def drawn(tf: Any, name: str, seed: int, **operands: Any) -> Any:
    """The first numbers of a stream: each graph has its own, and eagerly each seed."""
    body = tf.function(
        lambda: getattr(tf.raw_ops, name)(**operands, seed=seed, seed2=seed * 3), autograph=False
    )
    found = body()
    return tuple(found) if isinstance(found, (tuple, list)) else found


def generated(tf: Any, kind: str, alg: str, shape: Any, *args: Any) -> Any:
    """Numbers of a generator, twice."""
    generator = kept(tf, lambda: tf.random.Generator.from_seed(7, alg=alg))
    return [getattr(generator, kind)(shape, *args) for _ in range(2)]


def skipped(tf: Any, delta: int) -> Any:
    """The states before and after some numbers are left out."""
    generator = kept(tf, lambda: tf.random.Generator.from_seed(7))
    before = tf.raw_ops.RngReadAndSkip(
        resource=generator.state.handle, alg=1, delta=tf.constant(delta, tf.uint64)
    )
    return before, generator.state.read_value()


# -- effects and files ----------------------------------------------------------------------


def effects() -> Iterator[Case]:
    yield program("asserted", np.array(True), ROWS)
    yield program("asserted", np.array(False), ROWS)
    yield program("printed", ROWS)
    yield program("timed")
    yield program("nothing")
    yield program("written", text(b"hello")[0:1].reshape(()))
    yield raw("CheckNumericsV2", tensor=ROWS, message="a")
    yield raw("ReadFile", filename=text(b"/no/such/file").reshape(()))
    yield raw("MatchingFiles", pattern=text(b"/no/such/*").reshape(()))


def asserted(tf: Any, condition: Any, data: Any) -> Any:
    """The data if the condition holds."""
    tf.raw_ops.Assert(condition=condition, data=[data])
    return data


def printed(tf: Any, data: Any) -> Any:
    """The data, printed to nowhere."""
    folder = tempfile.mkdtemp()
    tf.print(data, output_stream=f"file://{folder}/out.txt")
    return data


def timed(tf: Any) -> Any:
    """Whether time goes on."""
    return tf.raw_ops.Timestamp() > 1e9


def nothing(tf: Any) -> Any:
    """What doing nothing gives."""
    tf.raw_ops.NoOp()
    return ()


def written(tf: Any, contents: Any) -> Any:
    """What is read of what was written, and how many files there are then."""
    folder = tempfile.mkdtemp()
    path = str(Path(folder) / "a.txt")
    with tf.init_scope():
        tf.raw_ops.WriteFile(filename=path, contents="x")
    tf.raw_ops.WriteFile(filename=path, contents=contents)
    found = tf.raw_ops.MatchingFiles(pattern=str(Path(folder) / "*.txt"))
    with tf.control_dependencies([found]):
        return tf.raw_ops.ReadFile(filename=path), tf.size(found)


# -- formats --------------------------------------------------------------------------------


def formats() -> Iterator[Case]:
    rows = text(b"1,a,2.5", b'2,"b,c",', b",d,1e3")
    defaults = [np.array([7], np.int32), text(b"z"), np.array([0.5], np.float32)]
    yield raw("DecodeCSV", records=rows, record_defaults=defaults)
    yield raw("DecodeCSV", records=rows, record_defaults=defaults[:2])
    yield raw("DecodeCSV", records=rows, record_defaults=[defaults[2]], select_cols=[2])
    yield raw("DecodeCSV", records=text(b"x,a,1"), record_defaults=defaults)
    for kind, data in (("ZLIB", zlib.compress(b"hello")), ("", b"hello"), ("ZLIB", b"broken")):
        yield raw("DecodeCompressed", bytes=text(data), compression_type=kind)
    told = b'{"features": {"feature": {"a": {"int64List": {"value": ["3", "4"]}}}}}'
    yield program("from_json", text(told))
    yield program("from_json", text(b"{broken"))
    example = b"\x0a\x0d\x0a\x0b\x0a\x01a\x12\x06\x1a\x04\x0a\x02\x03\x04"
    for dense in ([2], [3]):
        yield raw("ParseExampleV2", serialized=text(example), names=text(), sparse_keys=text(),
                  dense_keys=text(b"a"), ragged_keys=text(), dense_defaults=[np.zeros(0, np.int64)],
                  num_sparse=0, sparse_types=[], ragged_value_types=[], ragged_split_types=[],
                  dense_shapes=[dense])  # fmt: skip
    yield program("examples", text(example, b""))
    yield program("sequences", text(b""))
    sound = np.round(np.sin(np.arange(40.0)), 4).astype(np.float32).reshape(20, 2)
    yield raw("EncodeWav", audio=sound, sample_rate=np.array(8000, np.int32))
    for channels, samples in ((-1, -1), (1, 10), (2, 30)):
        yield program("heard", sound, channels, samples)
    yield program("painted", (np.arange(48) * 5 % 256).astype(np.uint8).reshape(4, 4, 3))
    sizes, names = np.array([[2], [1]], np.int32), [text(b"a", b"b"), text(b"c", b"")]
    yield program("messages", sizes, np.array([[3, -4], [5, 0]]), np.stack(names)[:, :1])
    scores = (np.arange(30) * 7 % 11 / 5).astype(np.float32).reshape(5, 2, 3)
    for merge in (True, False):
        yield raw("CTCGreedyDecoder", inputs=scores, sequence_length=np.array([5, 3], np.int32),
                  merge_repeated=merge)  # fmt: skip
        yield raw("CTCBeamSearchDecoder", inputs=scores, beam_width=4, top_paths=2,
                  sequence_length=np.array([5, 3], np.int32), merge_repeated=merge)  # fmt: skip
    yield raw("CTCGreedyDecoder", inputs=scores, sequence_length=np.array([6, 3], np.int32))
    for full in (False, True):
        yield program("factored", ROWS, full)
    yield program("by_candidates", np.array([[0, 2], [3, 1]]), np.array([3, 4, 0]))


def from_json(tf: Any, told: Any) -> Any:
    """Messages from their JSON form, read for one feature."""
    made = tf.raw_ops.DecodeJSONExample(json_examples=told)
    return tf.io.parse_example(made, {"a": tf.io.FixedLenFeature([2], tf.int64)})


def examples(tf: Any, serialized: Any) -> Any:
    """Messages read for what may be missing."""
    features = {"a": tf.io.VarLenFeature(tf.int64)}
    found = tf.io.parse_example(serialized, features)["a"]
    return found.indices, found.values, found.dense_shape


def sequences(tf: Any, serialized: Any) -> Any:
    """Sequences of which nothing is there."""
    features = {"a": tf.io.FixedLenFeature([], tf.int64, 5)}
    frames = {"b": tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True)}
    return tf.io.parse_sequence_example(serialized, features, frames)


def messages(tf: Any, sizes: Any, numbers: Any, names: Any) -> Any:
    """Messages written and read: the dimension of a shape has a size and a name."""
    kind = "tensorflow.TensorShapeProto.Dim"
    file = tf.raw_ops.EncodeProto(
        sizes=tf.concat([sizes[:, :1] * 0 + 1, sizes[:, :1] * 0 + 1], 1),
        values=[numbers[:, :1], names], field_names=["size", "name"], message_type=kind,
    )  # fmt: skip
    found = tf.raw_ops.DecodeProtoV2(
        bytes=file, message_type=kind, field_names=["size", "name"],
        output_types=[tf.int64, tf.string],
    )  # fmt: skip
    return file, found.sizes, found.values


def heard(tf: Any, sound: Any, channels: int, samples: int) -> Any:
    """What a file of sound gives back."""
    file = tf.raw_ops.EncodeWav(audio=sound, sample_rate=8000)
    return tuple(
        tf.raw_ops.DecodeWav(contents=file, desired_channels=channels, desired_samples=samples)
    )


def painted(tf: Any, image: Any) -> Any:
    """What a file of an image gives back: compressors differ."""
    return tf.io.decode_png(tf.raw_ops.EncodePng(image=image))


def factored(tf: Any, rows: Any, full: bool) -> Any:
    """A QR decomposition, up to signs."""
    q, r = tf.raw_ops.Qr(input=rows, full_matrices=full)
    return tf.abs(q), tf.abs(r), q @ r


def by_candidates(tf: Any, classes: Any, sampled: Any) -> Any:
    """Where sampled classes are true ones."""
    return tuple(
        tf.raw_ops.ComputeAccidentalHits(
            true_classes=classes, sampled_candidates=sampled, num_true=2
        )
    )


def cases() -> Iterator[Case]:
    """All cases of the area."""
    for group in (variables, lists, tables, control, draws, seeded, effects, formats):
        yield from group()
