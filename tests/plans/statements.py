"""Programs that pass what each kind of statement makes to each kind that reads it, on each way.

`plans.combinations` passes values from op to op. Here a maker ends with one kind of statement, and
a reader begins with one: each program is for one row and one column of the table (`plans.table`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from plans.programs import Case, traced

import graphwright as tf

ROW = (1, 3)

#: Scatters add up elements in float64: other dtypes would come with casts.
DTYPE = tf.float64


def numbers(*shape: int) -> Any:
    """A constant without two equal elements."""
    count = int(np.prod(shape))
    return tf.constant(np.linspace(0.1, 0.9, count).reshape(shape))


def picks(x: Any) -> Any:
    """Indices that follow from the elements of a row."""
    return tf.cast(x[0] > 0.3, tf.int32)


# -- lists ----------------------------------------------------------------------------------


def array(size: int, **how: Any) -> Any:
    """A list of rows."""
    return tf.TensorArray(DTYPE, size, element_shape=ROW, clear_after_read=False, **how)


def lists() -> Any:
    """A list of no lists."""
    return tf.raw_ops.EmptyTensorList(
        element_dtype=tf.variant, element_shape=tf.constant([], tf.int32), max_num_elements=-1
    )


def listed(y: Any) -> Any:
    """A list of the rows of a tensor, which may lie where they are."""
    return tf.raw_ops.TensorListFromTensor(tensor=y, element_shape=y.shape[1:])


def push(handle: Any, x: Any) -> Any:
    """A list with one more item."""
    return tf.raw_ops.TensorListPushBack(input_handle=handle, tensor=x)


def pop(handle: Any, dtype: Any = tf.variant, shape: Any = ()) -> Any:
    """A list without its last item, and the item."""
    shape = tf.constant(shape, tf.int32)
    return tf.raw_ops.TensorListPopBack(
        input_handle=handle, element_shape=shape, element_dtype=dtype
    )


def item(handle: Any, index: Any = 1, shape: Any = ROW) -> Any:
    """An item of a list."""
    return tf.raw_ops.TensorListGetItem(
        input_handle=handle, index=index, element_shape=shape, element_dtype=DTYPE
    )


def tensors(values: Any) -> list[Any]:
    """The tensors among values, without lists."""
    flat = tf.nest.flatten(values)
    return [y for y in flat if isinstance(y, tf.Tensor) and y.dtype is not tf.variant]


# -- makers ---------------------------------------------------------------------------------


class Maker(NamedTuple):
    """How a row is made. A way hands on what `make` gives: the row, or more, or a list."""

    make: Callable[[Any], Any]
    begin: Callable[[Any], Any] = lambda x: x  # what `make` changes, of a row
    value: Callable[[Any], Any] = lambda y: y  # the row in what `make` gives
    in_lists: bool = False


def total(x: Any) -> Any:
    """A row, and its sum, for which the same loop is good."""
    y = x * 0.7
    return y, tf.reduce_sum(y)


def extra(y: Any) -> Any:
    """The sum beside a row, if there is one."""
    return y[1] if isinstance(y, tuple) else ()


def joined(x: Any) -> Any:
    """A row that is joined of single elements."""
    return tf.concat([x[:, 2:] * 0.5, x[:, :1] + 0.1, x[:, 1:2]], 1)


MAKERS: dict[str, Maker] = {
    "argument": Maker(lambda x: x),
    "constant": Maker(lambda x: numbers(*ROW)),
    "elementwise": Maker(lambda x: x * 0.5 + 0.1),
    "move": Maker(lambda x: tf.concat([x[:, 1:], x[:, :1]], 1)),
    "gather": Maker(lambda x: tf.gather(x, picks(x), axis=1) * 0.5),
    "reduction": Maker(lambda x: tf.reduce_sum(x[..., None] * numbers(3, 4), -1)),
    "total": Maker(lambda y: total(y[0]), lambda x: (x, tf.reduce_sum(x)), lambda y: y[0]),
    "accumulation": Maker(lambda x: tf.reduce_sum(x * numbers(4, 1, 3), 0)),
    "scatter": Maker(lambda x: tf.scatter_nd([[0, 0], [0, 2]], x[0, 1:], ROW)),
    "straight store": Maker(joined),
    "Multiply": Maker(lambda x: tf.matmul(x, numbers(3, 3))),
    "Scan": Maker(lambda x: tf.cumsum(x, 1)),
    "Call": Maker(lambda x: tf.math.igamma(x, numbers(*ROW))),
    "Copy": Maker(lambda x: tf.cond(x[0, 0] > 5.0, lambda: x * 2.0, lambda: x)),
    "Copy to a list": Maker(
        lambda a: a.write(1, a.read(0) * 0.5),
        lambda x: array(2).write(0, x),
        lambda a: a.read(1),
        in_lists=True,
    ),
    "list zeros": Maker(
        lambda a: a.write(a.size() + 1, a.read(0)),
        lambda x: array(2, dynamic_size=True).write(0, x),
        lambda a: a.read(a.size() - 2),
        in_lists=True,
    ),
    "list zeros of the turn before": Maker(
        lambda a: a.write(a.size() + 1, numbers(*ROW)),
        lambda x: array(4, dynamic_size=True).write(0, x),
        lambda a: a.read(a.size() - 4),
        in_lists=True,
    ),
    "Transfer": Maker(
        lambda x: pop(push(lists(), listed(tf.stack([x, x * 0.5]))))[1], value=item, in_lists=True
    ),
    "Transfer to a list of lists": Maker(
        lambda many: push(many, listed(numbers(2, *ROW))),
        lambda x: push(lists(), listed(tf.stack([x, x * 0.5]))),
        lambda many: item(pop(many)[1]),
        in_lists=True,
    ),
}


# -- readers --------------------------------------------------------------------------------


class Reader(NamedTuple):
    """What is made of a row with the help of another one, and its shape."""

    read: Callable[[Any, Any], Any]
    shape: tuple[int, ...] = ROW
    in_lists: bool = False

    def blank(self) -> Any:
        """Zeros in its shape."""
        return tf.zeros(self.shape, DTYPE)


def delivered(y: Any, z: Any) -> Any:
    """A row as a list that a loop reads, and what it reads."""
    a = tf.TensorArray(DTYPE, 1, clear_after_read=False).unstack(y)
    last = tf.while_loop(lambda i, _: i < 1, lambda i, _: (i + 1, a.read(i) * 0.5), (0, z[0]))
    return a.stack(), last[1]


READERS: dict[str, Reader] = {
    "elementwise": Reader(lambda y, z: tf.reverse(y, [1]) * z),
    "move": Reader(lambda y, z: tf.concat([y[:, 1:], z], 1), (1, 5)),
    "gather": Reader(lambda y, z: tf.gather(y, picks(z), axis=1)),
    "reduction": Reader(lambda y, z: tf.reduce_sum(y[..., None] * numbers(3, 4), -1)),
    "total": Reader(lambda y, z: tf.reduce_sum(tf.reverse(y, [1]) * z), ()),
    "accumulation": Reader(lambda y, z: tf.reduce_sum(y * numbers(4, 1, 3), 0)),
    "scatter": Reader(lambda y, z: tf.scatter_nd([[[0], [2], [1]]], y, [4]), (4,)),
    "scatter sum": Reader(
        lambda y, z: tf.tensor_scatter_nd_max(y, [[0, 1], [0, 2]], z[0, 1:])
    ),
    "straight": Reader(lambda y, z: y[0, 1] * y[0, 2], ()),
    "Multiply a": Reader(lambda y, z: tf.matmul(y, numbers(3, 3))),
    "Multiply b": Reader(lambda y, z: tf.matmul(numbers(3, 1), y), (3, 3)),
    "Multiply c": Reader(lambda y, z: y + tf.matmul(z, numbers(3, 3))),
    "Scan": Reader(lambda y, z: tf.cumsum(y, 1)),
    "Call": Reader(lambda y, z: tf.math.igamma(y, z)),
    "itself": Reader(lambda y, z: y),
    "Copy": Reader(lambda y, z: array(1).write(0, y).read(0), in_lists=True),
    "Transfer": Reader(
        lambda y, z: item(pop(push(lists(), listed(y)))[1], 0, (3,))[None], in_lists=True
    ),
    "Deliver": Reader(delivered),
}  # fmt: skip

#: What changes a row in its memory, if nobody else needs it there.
SUMS = ("scatter sum", "Multiply c")


# -- ways: what is read, and sums beside it --------------------------------------------------


def beside(m: Maker, r: Reader, x: Any, z: Any, n: Any, p: Any) -> Any:
    y = m.make(m.begin(x))
    return r.read(m.value(y), z), extra(y)


def beside_a_loop(m: Maker, r: Reader, x: Any, z: Any, n: Any, p: Any) -> Any:
    """Beside a loop over a list: without one, kernels do what is done to lists."""
    y = m.make(m.begin(x))
    step = lambda i, a: (i + 1, a.write(0, z * 0.5))  # noqa: E731
    a = tf.while_loop(lambda i, _: i < n, step, (0, array(1)))[1]
    return r.read(m.value(y), z), extra(y), a.stack()


def into_a_branch(m: Maker, r: Reader, x: Any, z: Any, n: Any, p: Any) -> Any:
    y = m.make(m.begin(x))
    return tf.cond(p, r.blank, lambda: r.read(m.value(y), z)), extra(y)


def into_a_loop(m: Maker, r: Reader, x: Any, z: Any, n: Any, p: Any) -> Any:
    y = m.make(m.begin(x))
    step = lambda i, z, _: (i + 1, z * 0.5, r.read(m.value(y), z))  # noqa: E731
    _, z, kept = tf.while_loop(lambda i, *_: i < n, step, (0, z, r.blank()))
    return kept, z, extra(y)


def as_a_first_value(m: Maker, r: Reader, x: Any, z: Any, n: Any, p: Any) -> Any:
    y = m.make(m.begin(x))
    step = lambda i, y: (i + 1, r.read(y, z))  # noqa: E731
    return tf.while_loop(lambda i, _: i < n, step, (0, m.value(y)))[1], extra(y)


def out_of_a_branch(m: Maker, r: Reader, x: Any, z: Any, n: Any, p: Any) -> Any:
    begun = m.begin(x)
    y = tf.cond(p, lambda: m.make(begun), lambda: begun)
    return r.read(m.value(y), z), extra(y)


def out_of_a_loop(m: Maker, r: Reader, x: Any, z: Any, n: Any, p: Any) -> Any:
    step = lambda i, y: (i + 1, m.make(y))  # noqa: E731
    y = tf.while_loop(lambda i, _: i < n, step, (0, m.begin(x)))[1]
    return r.read(m.value(y), z), extra(y)


def carried(m: Maker, r: Reader, x: Any, z: Any, n: Any, p: Any) -> Any:
    def step(i: Any, y: Any, _: Any) -> Any:
        kept = r.read(m.value(y), z)
        return i + 1, m.make(y), kept

    _, y, kept = tf.while_loop(lambda i, *_: i < n, step, (0, m.begin(x), r.blank()))
    return kept, y


def carried_and_made(m: Maker, r: Reader, x: Any, z: Any, n: Any, p: Any) -> Any:
    def step(i: Any, y: Any, _: Any) -> Any:
        y = m.make(y)
        return i + 1, y, r.read(m.value(y), z)

    _, y, kept = tf.while_loop(lambda i, *_: i < n, step, (0, m.begin(x), r.blank()))
    return kept, y


def carried_anew(m: Maker, r: Reader, x: Any, z: Any, n: Any, p: Any) -> Any:
    def step(i: Any, y: Any, _: Any) -> Any:
        following = m.make(m.begin(z * 0.5))
        return i + 1, following, r.read(m.value(y), z)

    _, y, kept = tf.while_loop(lambda i, *_: i < n, step, (0, m.begin(x), r.blank()))
    return kept, y


WAYS: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        beside, beside_a_loop, into_a_branch, into_a_loop, as_a_first_value, out_of_a_branch,
        out_of_a_loop, carried, carried_and_made, carried_anew,
    )
}  # fmt: skip


def inside_a_loop(go: Callable[..., Any]) -> Callable[..., Any]:
    """The same in the turns of another loop."""

    def way(m: Maker, r: Reader, x: Any, z: Any, n: Any, p: Any) -> Any:
        def step(i: Any, _: Any, x: Any) -> Any:
            kept, *others = tensors(go(m, r, x, z, n, p))
            return i + 1, kept, x * 0.5 + sum([tf.reduce_sum(y) for y in others])

        return tf.while_loop(lambda i, *_: i < 2, step, (0, r.blank(), x))[1:]

    return way


# -- programs -------------------------------------------------------------------------------


def case(maker: str, way: str, reader: str, inside: bool = False) -> Case:
    """A program for a maker, a way and a reader, called with several turns, none and one."""
    go = inside_a_loop(WAYS[way]) if inside else WAYS[way]

    def program(x: Any, z: Any, n: Any, p: Any) -> Any:
        return tensors(go(MAKERS[maker], READERS[reader], x, z, n, p))

    r = np.random.default_rng(0)
    x, z = r.uniform(0.05, 1.0, ROW), r.uniform(0.05, 1.0, ROW)
    calls = [(x, z, np.int32(n), p) for n, p in ((3, True), (0, False), (1, True))]
    name = f"statements: {maker} / {way} / {reader}{' / inside' if inside else ''}"
    return Case(name, lambda: traced(program, calls, autograph=False))


def forms(maker: str, way: str, reader: str) -> tuple[bool, ...]:
    """Whether a program is by itself, inside a loop, or both. Lists are native beside or in loops,
    and only where there are loops a sum has the memory of what it adds to."""
    if reader == "Deliver":
        return (False,) if way.startswith(("beside", "out")) else ()
    if "Call" in (maker, reader):  # a kernel is called in loops and branches alone
        return (False, True) if way.startswith("out") else (True,)
    if way == "as_a_first_value" and READERS[reader].shape != ROW:
        return ()
    in_lists = MAKERS[maker].in_lists or READERS[reader].in_lists
    alone = way in ("beside_a_loop", "into_a_branch", "into_a_loop")
    return (False, True) if reader in SUMS or (in_lists and alone) else (in_lists,)


def statements() -> Iterator[Case]:
    """Each maker with each reader on each way."""
    for cell in itertools.product(MAKERS, WAYS, READERS):
        yield from [case(*cell, inside) for inside in forms(*cell)]
    yield from itertools.starmap(index, itertools.product(INDICES, PICKED))
    yield large()
    yield factor(delivered=False)
    yield factor(delivered=True)


# -- indices --------------------------------------------------------------------------------

#: What makes three indices, and a sum beside them.
INDICES: dict[str, Callable[[Any], Any]] = {
    "elementwise": lambda x: (picks(x), ()),
    "gather": lambda x: (tf.gather(tf.constant([1, 0, 1]), picks(x)), ()),
    "reduction": lambda x: (
        tf.cast(tf.reduce_max(x[0, :, None] * numbers(3, 5), 1) > 0.4, tf.int32), ()
    ),
    "total": lambda x: (picks(x * 0.5), tf.reduce_sum(x * 0.5)),
    "accumulation": lambda x: accumulated(tf.stack([x[0], x[0] * 0.7])),
}  # fmt: skip


def accumulated(x: Any) -> Any:
    """Indices for the elements of a matrix, and the sums of its columns."""
    y = x * 0.9
    return tf.cast(y > 0.3, tf.int32), tf.reduce_sum(y, 0)


def rows(indices: Any) -> Any:
    """Rows of a matrix at indices, each element with a weight."""
    return tf.gather(numbers(2, 4), indices) * numbers(3, 4)


#: What reads rows, or writes elements, at indices.
PICKED: dict[str, Callable[[Any], Any]] = {
    "gather": lambda i: rows(i),
    "reduction": lambda i: tf.reduce_sum(rows(i), -1),
    "accumulation": lambda i: tf.reduce_sum(rows(i), 0),
    "total": lambda i: tf.reduce_sum(rows(i)),
    "scatter": lambda i: tf.math.unsorted_segment_sum(tf.ones(i.shape, DTYPE), i, 2),
}


def index(maker: str, reader: str) -> Case:
    """A program that computes indices, and where they are picks or writes something."""

    def program(x: Any) -> Any:
        indices, beside = INDICES[maker](x)
        return PICKED[reader](indices), beside

    x = np.random.default_rng(0).uniform(0.05, 1.0, ROW)
    name = f"indices: {maker} / {reader}"
    return Case(name, lambda: traced(program, [(x,)], autograph=False))


def large() -> Case:
    """A scan of a constant that is too large to be computed before."""
    program = lambda: tf.cumsum(numbers((1 << 16) + 1))  # noqa: E731
    return Case("large constant", lambda: traced(program, [()], autograph=False))


def factor(delivered: bool) -> Case:
    """A routine of LAPACK, whose result is one of the program or a list."""

    def program(x: Any) -> Any:
        y = tf.linalg.solve(x, numbers(7, 7))
        if not delivered:
            return y
        a = tf.TensorArray(DTYPE, 7, clear_after_read=False).unstack(y)
        step = lambda i, _: (i + 1, a.read(i) * 0.5)  # noqa: E731
        return a.stack(), tf.while_loop(lambda i, _: i < 3, step, (0, y[0]))[1]

    x = np.random.default_rng(0).uniform(0.05, 1.0, (7, 7)) + 3.0 * np.eye(7)
    name = f"routine{' as a list' if delivered else ''}"
    return Case(name, lambda: traced(program, [(x,)], autograph=False))
