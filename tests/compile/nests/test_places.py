"""Indices from data, inside and far outside: machine code does what the kernels do."""

from __future__ import annotations

import numpy as np
import pytest
from plans.test_interpreter import plan_of
from support.tiers import normal, staged

import graphwright as tf
from graphwright.base.errors import InternalError
from graphwright.compile.nests import nesting
from graphwright.compile.nests.list_statements import Deliver
from graphwright.compile.nests.nest import Straight
from graphwright.compile.nests.places import require_places
from graphwright.compile.nests.sizes import ONE
from graphwright.ops.core.own_ops import AxisPlace

SIZE = 6
X = normal(SIZE, 40)
INDICES = [0, SIZE - 1, -1, SIZE, SIZE + 1, -SIZE, -(2**31), 2**31 - 1]


def written(x, i):
    array = tf.TensorArray(tf.float32, SIZE, element_shape=[40], clear_after_read=False)
    for _ in tf.range(2):
        array = array.write(i, x[0] * 2.0)
    return array.stack()


def read(x, i):
    array, total = tf.TensorArray(tf.float32, SIZE, clear_after_read=False).unstack(x), x[0]
    for _ in tf.range(2):
        total += array.read(i)
    return total


def picked_in_a_loop(x, i):
    total = x[0]
    for _ in tf.range(2):
        total += x[i]
    return total


def chosen(x, i):
    return tf.cond(x[0, 0] < 1e9, lambda: x[i] * 2.0, lambda: x[0])


#: What takes an index, and where it goes: a scalar (), a vector of so many.
OPS = {
    "gather": ((3,), lambda x, i: tf.gather(x, i) * 2.0),
    "gather of columns": ((3,), lambda x, i: tf.gather(x[:, :SIZE], i, axis=1) * 2.0),
    "gather by batches": (
        (SIZE,),
        lambda x, i: tf.gather(x[:, :SIZE], i[:, None], batch_dims=1) * 2.0,
    ),
    "gather of a slice": ((3,), lambda x, i: tf.gather(tf.reverse(x, [0]) + 1.0, i) * 2.0),
    "gather by rows": ((3,), lambda x, i: tf.gather_nd(x, i[:, None]) * 2.0),
    "gather of elements": (
        (3,),
        lambda x, i: tf.gather_nd(x[:, :SIZE], tf.stack([i, i], 1)) * 2.0,
    ),
    "gathers of two lengths": (
        (37,),
        lambda x, i: tf.gather(x[:, 0], i) + tf.gather(x[:-1, 1], i),
    ),
    "gathers by two indices": (
        (37,),
        lambda x, i: tf.gather(x[:, 0], i) + tf.gather(x[:, 1], tf.minimum(i, 0)),
    ),
    "row": ((), lambda x, i: x[i] * 2.0),
    "element": ((), lambda x, i: x[:, :SIZE][i, i] * 2.0),
    "from": ((), lambda x, i: x[i:] * 2.0),
    "up to": ((), lambda x, i: x[:i] * 2.0),
    "part": ((), lambda x, i: tf.slice(x, [i, 0], [2, 3]) * 2.0),
    "part of a size": ((), lambda x, i: tf.slice(x, [1, 0], [i, 3]) * 2.0),
    "row in a loop": ((), picked_in_a_loop),
    "row in a branch": ((), chosen),
    "scatter": ((3,), lambda x, i: tf.scatter_nd(i[:, None], x[:3], [SIZE, 40]) * 2.0),
    "update": ((3,), lambda x, i: tf.tensor_scatter_nd_update(x, i[:, None], x[:3]) * 2.0),
    "add": ((3,), lambda x, i: tf.tensor_scatter_nd_add(x, i[:, None], x[:3]) * 2.0),
    "subtract": ((3,), lambda x, i: tf.tensor_scatter_nd_sub(x, i[:, None], x[:3]) * 2.0),
    "maximum": ((3,), lambda x, i: tf.tensor_scatter_nd_max(x, i[:, None], x[:3]) * 2.0),
    "minimum": ((3,), lambda x, i: tf.tensor_scatter_nd_min(x, i[:, None], x[:3]) * 2.0),
    "segments": ((SIZE,), lambda x, i: tf.math.unsorted_segment_sum(x, i, SIZE) * 2.0),
    "products": ((SIZE,), lambda x, i: tf.math.unsorted_segment_prod(x, i, SIZE) * 2.0),
    "peaks": ((SIZE,), lambda x, i: tf.math.unsorted_segment_max(x, i, SIZE) * 2.0),
    "sorted segments": ((SIZE,), lambda x, i: tf.math.segment_sum(x, i % 64) * 2.0),
    "sequences": ((SIZE,), lambda x, i: tf.reverse_sequence(x, i, seq_axis=1) * 2.0),
    "columns of sequences": (
        (40,),
        lambda x, i: tf.reverse_sequence(x, i, seq_axis=0, batch_axis=1) * 2.0,
    ),
    "read": ((), read),
    "written": ((), written),
    "classes": ((3,), lambda x, i: tf.one_hot(i, SIZE) * x[0, 0]),
    "labels": (
        (40,),
        lambda x, i: tf.nn.sparse_softmax_cross_entropy_with_logits(i, tf.transpose(x)) * 2.0,
    ),
    "coordinates": ((3,), lambda x, i: tf.unravel_index(i, [2, 3]) * 2),
    "embedding": ((3,), lambda x, i: tf.nn.embedding_lookup(x, i) * 2.0),
    "dense": (
        (),
        lambda x, i: tf.sparse.to_dense(
            tf.SparseTensor(tf.cast([[i]], tf.int64), [2.0], [SIZE]), validate_indices=False
        ),
    ),
    "parts": ((SIZE,), lambda x, i: tf.dynamic_partition(x, i, SIZE)[1] * 2.0),
    "stitched": ((SIZE,), lambda x, i: tf.dynamic_stitch([tf.minimum(i, 64)], [x]) * 2.0),
    "rolled": ((), lambda x, i: tf.roll(x, i, 0) * 2.0),
    "diagonal": ((), lambda x, i: tf.linalg.diag_part(x, k=tf.stack([0, i])) * 2.0),
}


def outcome(function, *arguments):
    """What a call gives: arrays, or an error."""
    try:
        return [r.numpy() for r in tf.nest.flatten(function(*arguments))]
    except (tf.errors.OpError, ValueError) as error:
        return type(error), str(error).split("\n")[0]


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("name", OPS)
def test_every_index_is_checked_before_it_is_used(name, dynamic):
    dims, function = OPS[name]
    fast = staged(function, [X, np.zeros(dims, np.int32)], dynamic)
    for index in INDICES:
        i = np.zeros(dims, np.int32)
        i[...] = min(index, 0)
        i[(-1,) * len(dims)] = index
        slow = tf.function(function, input_signature=fast.input_signature, jit_compile=False)
        own, other = outcome(fast, X, i), outcome(slow, X, i)
        if isinstance(other, tuple):
            assert own == other, index
        else:
            for a, b in zip(own, other, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-5, err_msg=str(index))


def carried(x):
    one = x[0, :1]
    for _ in tf.range(3):
        one = one * 0.5 + x[1, :1]
    return one


#: Vectors whose elements are in a register, or all the same: they are read without an address.
ALIKE = {
    "computed": lambda x: x[0, :1] + 1.0,
    "sum": lambda x: tf.reshape(tf.reduce_sum(x), [1]),
    "chosen": lambda x: tf.cond(x[0, 0] < 1e9, lambda: x[0, :1], lambda: x[1, :1]),
    "carried": carried,
    "broadcast": lambda x: tf.broadcast_to(x[0, 0] * 2.0, [SIZE]),
    "filled": lambda x: tf.fill([SIZE], x[0, 0] * 2.0),
    "zeros": lambda x: tf.zeros_like(x[0]),
    "constant": lambda x: tf.constant([5.0]) + x[0, 0] * 0.0,
}
PICKS = {
    "gather": lambda v, i: tf.gather(v, tf.stack([0, i])) * 2.0,
    "element": lambda v, i: v[i] * 2.0,
    "rows": lambda v, i: tf.gather_nd(v, [[i], [0]]) * 2.0,
}


@pytest.mark.parametrize("pick", PICKS)
@pytest.mark.parametrize("source", ALIKE)
def test_an_index_is_checked_where_no_address_is_made_of_it(source, pick):
    def function(x, i):
        return PICKS[pick](ALIKE[source](x), i)

    fast = staged(function, [X, np.int32(0)], False)
    slow = tf.function(function, jit_compile=False)
    for index in INDICES:
        own, other = outcome(fast, X, np.int32(index)), outcome(slow, X, tf.constant(index))
        if isinstance(other, tuple):
            assert own == other, index
        else:
            np.testing.assert_allclose(own[0], other[0], rtol=1e-5, err_msg=str(index))


#: Ops on axes that may have no elements, where no index is right.
EMPTY = {
    "segments": lambda x, i, n: tf.math.unsorted_segment_sum(x, i, n) * 2.0,
    "peaks": lambda x, i, n: tf.math.unsorted_segment_max(x, i, n) * 2.0,
    "scatter": lambda x, i, n: tf.scatter_nd(i[:, None], x, tf.stack([n, 3000])) * 2.0,
    "update": lambda x, i, n: tf.tensor_scatter_nd_update(x[:n], i[:, None], x) * 2.0,
    "gather": lambda x, i, n: tf.gather(x[:n], i) * 2.0,
    "row": lambda x, i, n: x[:n][i[0]] * 2.0,
}


@pytest.mark.parametrize("name", EMPTY)
def test_nothing_is_read_or_written_where_there_are_no_elements(name):
    x, i = normal(4, 3000), np.zeros(4, np.int32)
    fast = staged(EMPTY[name], [x, i, np.int32(0)], True)
    slow = tf.function(EMPTY[name], input_signature=fast.input_signature, jit_compile=False)
    for n in (np.int32(2), np.int32(0)):
        own, other = outcome(fast, x, i, n), outcome(slow, x, i, n)
        assert isinstance(other, tuple) == (n == 0)
        if n == 0:
            assert own == other
        else:
            np.testing.assert_allclose(own, other, rtol=1e-6)


def test_a_list_that_is_given_away_takes_no_place():
    """Its result has a number, which may be that of the place's scalar."""
    program, _ = plan_of(lambda x, i: x[i] * 2.0, X, np.int32(1))
    places = [s.scalars[0][1] for s in program.body if isinstance(s, Straight)]
    gifts = [Deliver(0, 0, place, ONE, ONE, "f32", False) for place in places]
    assert gifts
    assert require_places(program._replace(body=(*program.body, *gifts)))


@pytest.mark.parametrize(
    "function",
    [
        lambda x, i: tf.gather(x, i) * 2.0,
        lambda x, i: tf.cumsum(tf.gather(x, i))[0] + tf.gather(x[1:], i),
        lambda x, i: x[i[0]] * 2.0,
        lambda x, i: tf.tensor_scatter_nd_update(x, i[:, None], x[:3]) * 2.0,
        picked_in_a_loop,
    ],
    ids=["gather", "two gathers", "row", "scatter", "loop"],
)
def test_a_plan_that_uses_an_index_unchecked_is_refused(function, monkeypatch):
    """The check of an index is planted to be none: an element as any other."""
    dims = () if function is picked_in_a_loop else (3,)
    emit = nesting.StageLowering.emit

    def unchecked(stage, instruction):
        op = getattr(instruction, "op", None)
        return instruction.operands[0] if isinstance(op, AxisPlace) else emit(stage, instruction)

    monkeypatch.setattr(nesting.StageLowering, "emit", unchecked)
    with pytest.raises(InternalError, match="nobody has checked where this is"):
        staged(function, [X, np.zeros(dims, np.int32)], True)(X, np.zeros(dims, np.int32))
