"""Programs with a fault planted in their plans, each with what the interpreter says of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import graphwright as tf
from graphwright.compile.nests.call_statements import OutsideCall
from graphwright.compile.nests.list_statements import Deliver, Extend, Locate, Reserve
from graphwright.compile.nests.nest import (
    Choice,
    Clear,
    Copy,
    Load,
    Loop,
    Multiply,
    Nest,
    PackRight,
    Program,
    Scan,
    Statement,
    Store,
    Straight,
)
from graphwright.compile.nests.sizes import ONE, Size

VECTOR = np.arange(1, 7, dtype=np.float32)
MATRIX = np.arange(9, dtype=np.float32).reshape(3, 3)

Change = Callable[[Program], Program]


# -- programs -------------------------------------------------------------------------------


def stacked(x):
    return tf.cumsum(tf.stack([x * 2.0, x]))


def swapped(a, b, n):
    for _ in tf.range(n):
        a, b = a * 0.5 + b, a - b
    return a, b


def crossed(a, b, n):
    for _ in tf.range(n):
        a, b = b * 2.0, a + 1.0
    return a, b


def turned(a, n):
    for _ in tf.range(n):
        a = tf.reverse(a, [0]) * 2.0
    return a


def following(a, n):
    b = a
    for _ in tf.range(n):
        a, b = b, a + tf.reverse(b, [0])
    return a


def chosen(x, y):
    return tf.cond(x[0] > 1.0, lambda: tf.cumsum(x) * 2.0, lambda: tf.matmul(y, y)[0]) + 1.0


def joined(x, y):
    return tf.concat([x * 2.0, y], 0)


def scattered(x, i):
    return tf.tensor_scatter_nd_update(x, i[:, None], x[:4] * 2.0)


def softmax(x):
    return tf.nn.softmax(tf.sin(x))


def columns(x):
    return tf.reduce_sum(x * 2.0, 0)


def total(x):
    return tf.reduce_sum(x * 2.0)


def listed(x, n):
    array = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    for i in tf.range(n):
        array = array.write(i, x * tf.cast(i, tf.float32))
    return array.stack()


def products(x, w):
    for _ in tf.range(2):
        x = tf.matmul(x, w)
    return x


def chain(x):
    y = tf.cumsum(tf.cumsum(x) * 2.0)
    return tf.cumsum(y + 1.0) * 2.0, tf.reduce_sum(y)


def called(x):
    for _ in tf.range(2):
        x = tf.math.igamma(x, x * 0.7)
    return x


def picked(x, i):
    return tf.gather(x, i) + 0.5


def counted(n):
    i, s = 0, 0.0
    while i < n:
        i, s = i + 1, s * 0.5 + tf.cast(i, tf.float32)
    return s


# -- planting -------------------------------------------------------------------------------


def every(kind: type, rule: Callable[[Any], Any]) -> Change:
    """Changes all statements of a kind, at any depth: to others, a tuple of others, or None."""

    def block(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
        result: list[Any] = []
        for s in statements:
            if isinstance(s, Loop):
                s = s._replace(condition=block(s.condition), body=block(s.body))
            if isinstance(s, Choice):
                s = s._replace(then=block(s.then), otherwise=block(s.otherwise))
            new = rule(s) if isinstance(s, kind) else s
            result += new if type(new) is tuple else [] if new is None else [new]
        return tuple(result)

    return lambda program: program._replace(body=block(program.body))


def first(kind: type, rule: Callable[[Any], Any]) -> Change:
    """Changes the first statement of a kind, where statements stand."""

    def change(program: Program) -> Program:
        met: list[Any] = []

        def once(s: Any) -> Any:
            met.append(s)
            return rule(s) if len(met) == 1 else s

        return every(kind, once)(program)

    return change


def last(kind: type, rule: Callable[[Any], Any]) -> Change:
    """Changes the last one."""

    def change(program: Program) -> Program:
        met: list[Any] = []
        every(kind, lambda s: met.append(s) or s)(program)
        count = iter(range(len(met)))
        return every(kind, lambda s: rule(s) if next(count) == len(met) - 1 else s)(program)

    return change


def gone(s: Any) -> None:
    """Nothing."""


def items(rule: Callable[[Any], Any], of: type) -> Callable[[Nest], Nest]:
    """Changes the loads or stores of a nest."""

    def change(nest: Nest) -> Nest:
        stages = [
            stage._replace(
                instructions=tuple(
                    [rule(x) if isinstance(x, of) else x for x in stage.instructions]
                ),
                effects=tuple([rule(x) if isinstance(x, of) else x for x in stage.effects]),
            )
            for stage in nest.stages
        ]
        return nest._replace(stages=tuple(stages))

    return change


def with_stride(factor: int) -> Callable[[Any], Any]:
    """A load or store of other places."""

    def change(x: Any) -> Any:
        strides = tuple([Size(s.factor * factor, s.symbols) for s in x.place.strides])
        return x._replace(place=x.place._replace(strides=strides))

    return change


def exchanged(program: Program) -> Program:
    """The last two statements in the other order."""
    *before, a, b = program.body
    return program._replace(body=(*before, b, a))


def in_one_home(program: Program) -> Program:
    """All temporaries in the memory of the largest."""
    own = [i for i, b in enumerate(program.buffers) if b.role == "temporary" and b.shape]
    return program._replace(homes=tuple([(i, own[0] if i in own else h) for i, h in program.homes]))


class Fault(NamedTuple):
    """A fault, and the words for it."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    change: Change
    words: str


FAULTS: dict[str, Fault] = {
    "a load of another buffer": Fault(
        softmax, (MATRIX,),
        first(Nest, items(lambda x: x._replace(buffer=3) if x.buffer == 2 else x, Load)),
        "reads what no stage has written of a row",
    ),
    "a branch that does not write its result": Fault(
        chosen, (VECTOR[1:4], MATRIX),
        every(Choice, lambda s: s._replace(then=s.then[:-1], otherwise=s.otherwise[:-1])),
        "wrote as another's|nobody has written|differs",
    ),
    "a branch the wrong way round": Fault(
        chosen, (VECTOR[1:4], MATRIX),
        every(Choice, lambda s: s._replace(then=s.otherwise, otherwise=s.then)), "differs",
    ),
    "a loop that does not exchange": Fault(
        turned, (VECTOR, 3), every(Loop, lambda s: s._replace(buffers=())), "differs",
    ),
    "a loop that exchanges others": Fault(
        following, (VECTOR, 3),
        every(Loop, lambda s: s._replace(buffers=((s.buffers[0][0], s.buffers[1][1]),))),
        "nobody has written|differs",
    ),
    "a loop that gives one memory to two variables": Fault(
        following, (VECTOR, 3),
        every(Loop, lambda s: s._replace(
            buffers=((s.buffers[0][0], s.buffers[1][1]), (s.buffers[1][0], s.buffers[1][1])))),
        "gives one memory to two variables",
    ),
    "a nest that does not read first": Fault(
        crossed, (VECTOR, VECTOR + 1, 3),
        every(Nest, lambda s: s._replace(first=frozenset())), "depends on the order",
    ),
    "a nest in place that reads elsewhere": Fault(
        swapped, (VECTOR, VECTOR + 1, 3),
        every(Nest, items(
            lambda x: x._replace(
                place=x.place._replace(strides=(Size(-1),), offsets=(Size(5),))), Load)),
        "depends on the order",
    ),
    "a scatter in any order": Fault(
        scattered, (VECTOR, np.array([1, 4, 1, 1])),
        every(Nest, lambda s: s._replace(ordered=False)), "depends on the order",
    ),
    "a reversed pair of statements": Fault(
        scattered, (VECTOR, np.array([1, 4, 1, 1])), exchanged, "nobody has written|differs",
    ),
    "a stride of two": Fault(
        picked, (VECTOR, np.array([1, 5])), first(Nest, items(with_stride(2), Load)),
        "reads element 2 of b1, which has 2",
    ),
    "a store one further": Fault(
        joined, (VECTOR, VECTOR),
        last(Nest, items(lambda x: x._replace(
            place=x.place._replace(offsets=(*x.place.offsets, ONE))), Store)),
        "writes element 12 of b2, which has 12",
    ),
    "a part that is not written": Fault(
        joined, (VECTOR, VECTOR), last(Nest, gone),
        "reads element 6 of b2, which nobody has written",
    ),
    "two live values in one home": Fault(
        chain, (VECTOR,), in_one_home, "wrote as another's",
    ),
    "no home": Fault(chain, (VECTOR,), lambda p: p._replace(homes=()), "has no memory"),
    "a sum that begins with nothing": Fault(
        columns, (MATRIX,), every(Clear, gone), "reads element 0 of b1, which nobody has written",
    ),
    "a sum of stores": Fault(
        columns, (MATRIX,),
        every(Nest, items(lambda x: x._replace(combine=""), Store)), "depends on the order",
    ),
    "a total that is another combination": Fault(
        total, (VECTOR,),
        every(Nest, lambda s: s._replace(stages=tuple([
            t._replace(effects=tuple([e._replace(combine="max") for e in t.effects]))
            for t in s.stages]))),
        "differs",
    ),
    "stages in another order": Fault(
        softmax, (MATRIX,), every(Nest, lambda s: s._replace(stages=s.stages[::-1])),
        "read before it is there|no stage has written",
    ),
    "a row's memory for all rows": Fault(
        softmax, (MATRIX,),
        every(Nest, lambda s: s._replace(
            stages=(items(with_stride(3), Store)(s).stages[0], *s.stages[1:]))),
        "is not the memory of a row",
    ),
    "a view that is older than its list": Fault(
        listed, (VECTOR, 3),
        every(Copy, lambda s: (Extend(2, 0, 9, 99, s.elements, s.kind), s)),
        "memory that was given back",
    ),
    "an item for which there is no room": Fault(
        listed, (VECTOR, 3), every(Locate, lambda s: s._replace(place=Size(5), length=Size(9))),
        "item 5 is outside the memory of b2",
    ),
    "a list that is not longer": Fault(
        listed, (VECTOR, 3), every(Extend, gone), "nothing defines it",
    ),
    "a list that is not reserved": Fault(
        listed, (VECTOR, 3), every(Reserve, gone), "has no memory",
    ),
    "a list that is given away twice": Fault(
        listed, (VECTOR, 3), every(Deliver, lambda s: (s, s)), "has no memory",
    ),
    "a product over its operand": Fault(
        products, (MATRIX, MATRIX), every(Multiply, lambda s: s._replace(c=s.a)),
        "written over what it is made of",
    ),
    "nothing packed": Fault(
        products, (MATRIX, MATRIX), every(PackRight, gone), "nothing is packed",
    ),
    "another operand packed": Fault(
        products, (MATRIX, MATRIX + 1),
        every(PackRight, lambda s: PackRight(s.product._replace(b=0))), "no longer what was packed",
    ),
    "a scan of what is not there": Fault(
        chain, (VECTOR,), first(Scan, gone), "nobody has written",
    ),
    "a call that is not made": Fault(
        called, (VECTOR,), every(OutsideCall, gone), "nobody has written",
    ),
    "a call over its operand": Fault(
        called, (VECTOR,), every(OutsideCall, lambda s: s._replace(targets=s.sources[-1:])),
        "written over what a routine is given|which is given",
    ),
    "a call of another kernel": Fault(
        called, (VECTOR,), every(OutsideCall, lambda s: s._replace(
            sources=(s.sources[0], *reversed(s.sources[1:])))), "differs",
    ),
    "an index that nobody checks": Fault(
        picked, (VECTOR, np.array([1, 9])),
        every(Nest, lambda s: s._replace(stages=tuple([
            t._replace(instructions=tuple([
                x._replace(picks=tuple([(0, d) for _, d in x.picks])) if isinstance(x, Load) else x
                for x in t.instructions])) for t in s.stages]))),
        "reads element 9 of b0, which has 6",
    ),
    "a guard that is not there": Fault(
        swapped, (VECTOR, VECTOR[:4], 2), lambda p: p._replace(guards=()), "which has 4",
    ),
    "a variable that keeps its value": Fault(
        counted, (4,),
        every(Loop, lambda s: s._replace(
            scalars=tuple([(v, f, v if k == "f32" else n, k) for v, f, n, k in s.scalars]))),
        "differs",
    ),
    "a variable of a scalar that is not defined": Fault(
        counted, (4,),
        every(Loop, lambda s: s._replace(
            scalars=tuple([(v, 77, n, k) for v, f, n, k in s.scalars]))),
        "%77 is read where nothing defines it",
    ),
    "a scalar that is not in memory": Fault(
        stacked, (np.float32(3.0),),
        every(Straight, lambda s: s._replace(stores=())), "nobody has written",
    ),
    "a scalar that is only in memory": Fault(
        counted, (4,),
        every(Straight, lambda s: s._replace(scalars=())), "nothing defines it",
    ),
    "another kind": Fault(
        counted, (4,),
        every(Loop, lambda s: s._replace(scalars=tuple([(*x[:3], "i32") for x in s.scalars]))),
        ", as i32",
    ),
}  # fmt: skip
