"""Programs that pass single numbers and the lengths of lists to what reads them, on each way.

They are for the rows of scalars and sizes in the table (`plans.table`). All integers are 3, so that
a list which is as long may be read and made longer everywhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from plans.programs import Case, traced
from plans.statements import (
    DTYPE,
    ROW,
    array,
    item,
    lists,
    numbers,
    picks,
    pop,
    push,
    tensors,
)

import graphwright as tf
from graphwright.op.interpreter import apply
from graphwright.ops.state.list_ops import ZEROS_LIKE


class Given(NamedTuple):
    """What a program is called with."""

    x: Any  # a row
    z: Any  # another one
    k: Any  # 2, 1, 3
    v: Any  # three elements, of which no trace knows the number
    n: Any  # the turns of a loop
    p: Any  # a condition


SPECS = Given(
    tf.TensorSpec(ROW, DTYPE),
    tf.TensorSpec(ROW, DTYPE),
    tf.TensorSpec((3,), tf.int32),
    tf.TensorSpec((None,), DTYPE),
    tf.TensorSpec((), tf.int32),
    tf.TensorSpec((), tf.bool),
)

Make = Callable[[Given], Any]
Read = Callable[[Given, Any], Any]


def loop(count: Any, step: Callable[[Any], Any], first: Any) -> Any:
    """What so many turns make of a value."""
    return tf.while_loop(lambda i, _: i < count, lambda i, y: (i + 1, step(y)), (0, first))[1]


# -- lists ----------------------------------------------------------------------------------


def reserved(count: Any, shape: Any = ROW) -> Any:
    """A list of so many rows."""
    return tf.raw_ops.TensorListReserve(
        element_shape=tf.constant(shape, tf.int32), num_elements=count, element_dtype=DTYPE
    )


def written(handle: Any, index: Any, x: Any, grows: bool = False) -> Any:
    """A list with another item, for which it may get room."""
    return tf.raw_ops.TensorListSetItem(
        input_handle=handle, index=index, item=x, resize_if_index_out_of_bounds=grows
    )


def begun(g: Given, count: Any, shape: Any = ROW) -> Any:
    """A list of so many rows, of which the first one is written."""
    return written(reserved(count, shape), 0, g.x)


def resized(handle: Any, count: Any) -> Any:
    """A list of so many items."""
    return tf.raw_ops.TensorListResize(input_handle=handle, size=count)


def length(handle: Any) -> Any:
    """How many items a list has."""
    return tf.raw_ops.TensorListLength(input_handle=handle)


def zeros(handle: Any) -> Any:
    """A list of as many zeros, as gradients begin with."""
    return apply(ZEROS_LIKE, handle)


def popped(handle: Any) -> Any:
    """A list without its last row, and the row."""
    return pop(handle, DTYPE, ROW)


def one_sided(g: Given, handle: Any, more: Any) -> Any:
    """A list that one side of a branch makes longer."""
    return tf.cond(g.p, lambda: push(handle, more), lambda: handle)


def stacked(handle: Any, count: int = -1) -> Any:
    """All items of a list."""
    return tf.raw_ops.TensorListStack(
        input_handle=handle, element_shape=ROW, element_dtype=DTYPE, num_elements=count
    )


def undeclared(handle: Any) -> Any:
    """The first row of a list, by a reader that does not say its shape."""
    first = tf.raw_ops.TensorListGetItem(
        input_handle=handle, index=0, element_shape=-1, element_dtype=DTYPE
    )
    return tf.ensure_shape(first, ROW)


def last_list(many: Any) -> Any:
    """The first row of the last list on a list."""
    return item(pop(many)[1], 0)


# -- numbers --------------------------------------------------------------------------------

#: kind -> dtype -> a number of this kind.
NUMBERS: dict[str, dict[str, Make]] = {
    "straight scalar": {
        "float": lambda g: g.x[0, 0] * 0.7,
        "int": lambda g: g.k[0] + 1,
        "bool": lambda g: g.x[0, 1] > 0.3,
    },
    "total scalar": {
        "float": lambda g: tf.reduce_sum(g.x * 0.5),
        "int": lambda g: tf.reduce_max(g.k),
        "bool": lambda g: tf.reduce_any(g.x > 0.3),
    },
    "loop variable": {
        "float": lambda g: loop(g.n, lambda s: s * 0.5, g.x[0, 0]),
        "int": lambda g: loop(g.n, lambda s: 6 - s, g.k[2]),
        "bool": lambda g: loop(g.n, lambda s: g.x[0, 1] > 0.4, g.x[0, 1] > 0.3),
    },
    "choice scalar": {
        "float": lambda g: tf.cond(g.p, lambda: g.x[0, 0] * 0.7, lambda: g.x[0, 1] + 0.1),
        "int": lambda g: tf.cond(g.p, lambda: g.k[0] + 1, lambda: g.k[1] * 3),
        "bool": lambda g: tf.cond(g.p, lambda: g.x[0, 0] > 0.3, lambda: g.x[0, 1] > 0.5),
    },
    "list length": {"int": lambda g: length(push(begun(g, 2), g.z))},
    "size": {"int": lambda g: tf.shape(g.v)[0]},
}


def both(read: Callable[[Any, Any], Any]) -> dict[str, Read]:
    """A reader of a number beside a row, or beside integers."""
    return {"float": lambda g, s: read(g.z, s), "int": lambda g, s: read(g.k[None], s)}


def table(y: Any) -> Any:
    """A constant of a dtype, four rows of three numbers."""
    return tf.cast(numbers(4, 1, 3) * 9.0, y.dtype)


#: reader -> dtype -> what it makes of a number.
READERS: dict[str, dict[str, Read]] = {
    "elementwise": both(lambda y, s: y * s),
    "gather": {
        "float": lambda g, s: tf.gather(g.z, picks(g.z), axis=1) * s,
        "int": lambda g, s: tf.gather(g.k, picks(g.z)) * s,
    },
    "reduction": both(lambda y, s: tf.reduce_sum(y * table(y) * s, 2)),
    "total": both(lambda y, s: tf.reduce_sum(y * s)),
    "accumulation": both(lambda y, s: tf.reduce_sum(y * table(y) * s, 0)),
    "straight": both(lambda y, s: y[0, 0] * s),
    "place": {"int": lambda g, s: tf.gather(tf.stack([g.z, g.x, g.z, g.x])[s], picks(g.z), axis=1)},
    "condition": {"bool": lambda g, s: tf.cond(s, lambda: g.z * 2.0, lambda: g.z)},
    "again": {
        "bool": lambda g, s: tf.while_loop(
            lambda i, t, _: t, lambda i, t, y: (i + 1, i < 2, y * 0.5), (0, s, g.z)
        )[2]
    },
    "first": {
        "float": lambda g, s: loop(g.n, lambda t: t * 0.5, s),
        "int": lambda g, s: loop(g.n, lambda t: t + 1, s),
    },
    "result": {
        "float": lambda g, s: tf.cond(g.p, lambda: s, lambda: g.z[0, 0]),
        "int": lambda g, s: tf.cond(g.p, lambda: s, lambda: g.k[0]),
    },
}

#: The same of numbers for lists.
FOR_LISTS: dict[str, dict[str, Read]] = {
    "index": {"int": lambda g, s: item(begun(g, 5), s)},
    "index beyond": {"int": lambda g, s: item(written(reserved(1), s, g.x, True), 0)},
    "number of items": {"int": lambda g, s: item(resized(begun(g, 5), s), 0)},
    "room": {"int": lambda g, s: item(written(reserved(s), 0, g.x, True), 0)},
}


def beside(make: Make, read: Read, g: Given) -> Any:
    return read(g, make(g))


def into_a_branch(make: Make, read: Read, g: Given) -> Any:
    s = make(g)
    other = g._replace(z=g.x, k=g.k + 1)
    return tf.cond(g.p, lambda: read(g, s), lambda: read(other, s))


def into_a_loop(make: Make, read: Read, g: Given) -> Any:
    s = make(g)
    step = lambda i, z, _: (i + 1, z * 0.5, read(g._replace(z=z), s))  # noqa: E731
    return tf.while_loop(lambda i, *_: i < g.n, step, (0, g.z, read(g, s)))[1:]


def in_a_branch(make: Make, read: Read, g: Given) -> Any:
    other = g._replace(x=g.z)
    return tf.cond(g.p, lambda: read(g, make(g)), lambda: read(other, make(other)))


def in_a_loop(make: Make, read: Read, g: Given) -> Any:
    def step(i: Any, x: Any, _: Any) -> Any:
        inner = g._replace(x=x)
        return i + 1, x * 0.9, read(inner, make(inner))

    return tf.while_loop(lambda i, *_: i < g.n, step, (0, g.x, read(g, make(g))))[1:]


def carried(make: Make, read: Read, g: Given) -> Any:
    s = make(g)
    step = lambda i, x, s, _: (i + 1, x * 0.9, make(g._replace(x=x)), read(g, s))  # noqa: E731
    return tf.while_loop(lambda i, *_: i < g.n, step, (0, g.x, s, read(g, s)))[1:]


def carried_into_a_branch(make: Make, read: Read, g: Given) -> Any:
    inner = lambda g, s: tf.cond(g.p, lambda: read(g, s), lambda: read(g, s) * 2)  # noqa: E731
    return carried(make, inner, g)


def in_a_condition(make: Make, read: Read, g: Given) -> Any:
    test = lambda i, x: make(g._replace(x=x))  # noqa: E731
    return tf.while_loop(test, lambda i, x: (i + 1, x * 0.5), (0, g.x))


WAYS: dict[str, Callable[[Make, Read, Given], Any]] = {
    f.__name__: f
    for f in (
        beside, into_a_branch, into_a_loop, in_a_branch, in_a_loop, carried, carried_into_a_branch,
    )
}  # fmt: skip


# -- lengths --------------------------------------------------------------------------------

#: kind of its length -> a list.
LISTS: dict[str, Make] = {
    **{
        kind: lambda g, make=made["int"]: begun(g, make(g))
        for kind, made in NUMBERS.items()
        if kind != "list length"
    },
    "list length": lambda g: push(begun(g, 2), g.z),
    "choice scalar of a push": lambda g: one_sided(g, begun(g, 3), g.z),
    "loop variable of pushes": lambda g: loop(g.n, lambda h: push(h, g.x), begun(g, 3)),
}


def loop_of_pops(g: Given, h: Any) -> Any:
    """The last row of a list, by a loop of one turn that shortens the list."""
    step = lambda i, h, _: (i + 1, *popped(h))  # noqa: E731
    return tf.while_loop(lambda i, *_: i < 1, step, (0, h, g.z))[2]


def begun_again(g: Given, h: Any) -> Any:
    """A row of a list which each turn takes as it was before the loop."""
    return loop_of_pops(g, loop(2, lambda _: h, popped(h)[0]))


OF_LISTS: dict[str, Read] = {
    "zeros": lambda g, h: item(zeros(h), 0),
    "push": lambda g, h: item(push(h, g.x), 0),
    "write": lambda g, h: item(written(h, 5, g.x, True), 0),
    "resize": lambda g, h: item(resized(h, g.k[0]), 0),
    "pop": lambda g, h: popped(h)[1],
    "pop of a push": lambda g, h: popped(push(h, g.x))[1],
    "item": lambda g, h: item(h, 0),
    "last": lambda g, h: item(h, length(h) - 1),
    "item behind": lambda g, h: item(push(h, g.x), length(h)),
    "index beyond": lambda g, h: item(written(reserved(1), length(h), g.x, True), 0),
    "number of items": lambda g, h: item(resized(begun(g, 5), length(h)), 0),
    "list of lists": lambda g, h: last_list(push(push(lists(), h), h)),
    "stack": lambda g, h: stacked(h, 3)[1],
    "loop": lambda g, h: item(loop(g.n, lambda h: push(h, g.x), h), 0),
    "loop of pops": loop_of_pops,
    "begun again": begun_again,
    "branch": lambda g, h: item(one_sided(g, h, g.x), 0),
    "pop of a branch": lambda g, h: popped(one_sided(g, h, g.x))[1],
    "branch of a pop": lambda g, h: popped(
        tf.cond(g.p, lambda: h, lambda: popped(push(h, g.x))[0])
    )[1],
    "one-sided pop": lambda g, h: popped(tf.cond(g.p, lambda: h, lambda: popped(h)[0]))[1],
    "number": lambda g, h: tf.cast(length(h) * g.k, DTYPE)[None],
    "list as long": lambda g, h: item(reserved(length(h)), 0),
}


def list_beside(make: Make, read: Read, g: Given) -> Any:
    return read(g, make(g))


def list_into_a_branch(make: Make, read: Read, g: Given) -> Any:
    h = make(g)
    return tf.cond(g.p, lambda: read(g, h), lambda: g.z * 2.0)


def list_into_a_loop(make: Make, read: Read, g: Given) -> Any:
    h = make(g)
    return loop(g.n, lambda z: read(g._replace(z=z), h) * 0.5, g.z)


def list_carried(make: Make, read: Read, g: Given) -> Any:
    def step(i: Any, h: Any, _: Any) -> Any:
        y = read(g, h)
        return i + 1, push(h, g.x), y

    return tf.while_loop(lambda i, *_: i < g.n, step, (0, make(g), g.z))[2]


LIST_WAYS: dict[str, Callable[[Make, Read, Given], Any]] = {
    f.__name__: f for f in (list_beside, list_into_a_branch, list_into_a_loop, list_carried)
}

#: The same of lists without items, which each block makes where it uses them.
UNWRITTEN: dict[str, Make] = {
    "unwritten list length": lambda g: zeros(push(begun(g, 2), g.z)),
    **{
        f"unwritten {kind}": lambda g, make=made["int"]: reserved(make(g))
        for kind, made in NUMBERS.items()
        if kind != "list length"
    },
}

OF_UNWRITTEN = {name: OF_LISTS[name] for name in ("push", "write", "resize", "pop", "branch")}

#: Lists of lists whose parts are as long as something said.
LISTS_OF_LISTS: dict[str, Make] = {
    "pushed": lambda g: push(lists(), begun(g, 3)),
    "pushed in a branch": lambda g: one_sided(g, push(lists(), begun(g, 3)), begun(g, 2)),
    "pushed in a loop": lambda g: loop(
        g.n, lambda many: push(many, begun(g, 2)), push(lists(), begun(g, 3))
    ),
    "zeros of pushed": lambda g: zeros(LISTS_OF_LISTS["pushed"](g)),
    "zeros of pushed in a branch": lambda g: zeros(LISTS_OF_LISTS["pushed in a branch"](g)),
}

OF_LISTS_OF_LISTS: dict[str, Read] = {
    "push": lambda g, many: last_list(push(many, begun(g, 2))),
    "loop": lambda g, many: last_list(loop(g.n, lambda m: push(m, begun(g, 2)), many)),
    "zeros": lambda g, many: last_list(push(zeros(many), begun(g, 2))),
}


def delivered(make: Make, read: Read, g: Given) -> Any:
    """All rows of a list, beside a loop over another one."""
    h = make(g)
    a = tf.while_loop(
        lambda i, _: i < g.n, lambda i, a: (i + 1, a.write(0, g.z * 0.5)), (0, array(1))
    )[1]
    return stacked(h), a.stack()


# -- programs -------------------------------------------------------------------------------


def inside_a_loop(go: Callable[[Given], Any]) -> Callable[[Given], Any]:
    """The same in the turns of a loop, without which kernels do what is done to lists."""

    def whole(g: Given) -> Any:
        def step(i: Any, x: Any, _: Any) -> Any:
            sums = [tf.reduce_sum(tf.cast(y, DTYPE)) for y in tensors(go(g._replace(x=x)))]
            return i + 1, x * 0.5, sum(sums)

        return tf.while_loop(lambda i, *_: i < 2, step, (0, g.x, tf.constant(0.0, DTYPE)))[1:]

    return whole


def program(name: str, go: Callable[[Given], Any]) -> Case:
    """A program, called with several turns, none and one."""
    r = np.random.default_rng(0)
    x, z = r.uniform(0.05, 1.0, ROW), r.uniform(0.05, 1.0, ROW)
    k, v = np.array([2, 1, 3], np.int32), np.array([0.5, 0.25, 0.75])
    calls = [Given(x, z, k, v, np.int32(n), p) for n, p in ((3, True), (0, False), (1, True))]

    def function(*given: Any) -> Any:
        return tensors(go(Given(*given)))

    return Case(name, lambda: traced(function, calls, autograph=False, input_signature=SPECS))


def passed(make: Make, way: Callable[[Make, Read, Given], Any], read: Read, inside: bool) -> Any:
    """What a way passes to a reader."""
    go = lambda g: way(make, read, g)  # noqa: E731
    return inside_a_loop(go) if inside else go


def scalars() -> Iterator[Case]:
    """Each number on each way to each reader."""
    for (kind, made), (way, go) in itertools.product(NUMBERS.items(), WAYS.items()):
        for reader, reads in (READERS | FOR_LISTS).items():
            for dtype in [d for d in made if d in reads]:
                inside = kind == "list length" or reader in FOR_LISTS
                name = f"numbers: {kind} / {way} / {reader} / {dtype}"
                yield program(name, passed(made[dtype], go, reads[dtype], inside))
    for kind, made in NUMBERS.items():
        if "bool" in made:
            go = passed(made["bool"], in_a_condition, READERS["condition"]["bool"], False)
            yield program(f"numbers: {kind} / in a condition", go)


#: Lists, their readers, and the ways between.
OF_KINDS = (
    (LISTS, OF_LISTS, LIST_WAYS),
    (UNWRITTEN, OF_UNWRITTEN, LIST_WAYS),
    (
        LISTS_OF_LISTS,
        OF_LISTS_OF_LISTS,
        {k: f for k, f in LIST_WAYS.items() if k != "list_carried"},
    ),
)


def lengths() -> Iterator[Case]:
    """Each list on each way to each reader of lists."""
    for makers, readers, ways in OF_KINDS:
        for kind, way, reader in itertools.product(makers, ways, readers):
            go = passed(makers[kind], ways[way], readers[reader], True)
            yield program(f"lengths: {kind} / {way} / {reader}", go)
    for (kind, made), way in itertools.product(NUMBERS.items(), LIST_WAYS):
        make = lambda g, count=made["int"]: begun(g, count(g), -1)  # noqa: E731
        go = passed(make, LIST_WAYS[way], lambda g, h: undeclared(h), True)
        yield program(f"lengths: {kind} / {way} / undeclared", go)
    for kind, make in LISTS.items():
        go = passed(make, delivered, OF_LISTS["item"], False)
        yield program(f"lengths: {kind} / delivered", go)
