"""Variables that are written into: where nobody else has their array, and only there."""

from __future__ import annotations

import os
import signal
import threading

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.graph.simplify import simplify
from graphwright.compile.select.native_op import NativeUpdate
from graphwright.compile.select.segments import partition
from graphwright.ops.state import variable_ops

SIZE = 1 << 14


def address(variable):
    """Where a variable's elements are, without a reference to them."""
    return variable._storage.read().ctypes.data


def ones(value=1.0):
    return tf.Variable(np.full(SIZE, value, np.float32))


def added(jit):
    """A variable, and what adds 1 to it."""
    v = ones(0.0)
    return v, tf.function(lambda: v.assign_add(tf.ones([SIZE]), read_value=False), jit_compile=jit)


def eager():
    v, one = ones(0.0), tf.ones([SIZE])
    return v, lambda: v.assign_add(one, read_value=False)


KINDS = {"native": lambda: added(True), "kernels": lambda: added(False), "eager": eager}


@pytest.mark.parametrize("kind", KINDS)
def test_a_variable_keeps_its_memory(kind):
    v, add = KINDS[kind]()
    add()
    before = address(v)
    for _ in range(5):
        add()
    assert address(v) == before
    assert set(v.numpy()) == {6.0}


PARTS = {
    "rows": lambda v: v.scatter_add(tf.IndexedSlices(tf.ones([2]), [1, 3])),
    "update": lambda v: v.scatter_nd_update([[1], [3]], [7.0, 8.0]),
    "add": lambda v: v.scatter_nd_add([[1], [3], [1]], [7.0, 8.0, 9.0]),
    "sub": lambda v: v.scatter_nd_sub([[1], [3], [1]], [7.0, 8.0, 9.0]),
    "slice": lambda v: v[1:4:2].assign([7.0, 8.0]),
}


@pytest.mark.parametrize("part", PARTS)
def test_parts_are_written_where_nobody_else_looks(part):
    v = ones()
    tf.function(lambda: PARTS[part](v), jit_compile=False)()
    before, seen = address(v), v.read_value()
    PARTS[part](v)
    assert address(v) != before
    kept, before = seen.numpy(), address(v)
    del seen
    PARTS[part](v)
    assert address(v) == before
    np.testing.assert_array_equal(v.numpy()[::2], kept[::2])


@pytest.mark.parametrize("part", ["update", "slice"])
def test_what_does_not_fit_changes_nothing(part):
    v = ones()
    refused = {
        "update": lambda: v.scatter_nd_update([[1], [SIZE]], [7.0, 8.0]),
        "slice": lambda: v[1:4].assign([7.0, 8.0]),
    }
    with pytest.raises(tf.errors.InvalidArgumentError):
        refused[part]()
    assert set(v.numpy()) == {1.0}


HOLDERS = {
    "tensor": lambda v: v.read_value(),
    "value": lambda v: v.value(),
    "slice of the array": lambda v: np.asarray(v.read_value())[::2],
    "buffer": lambda v: memoryview(np.asarray(v.read_value())),
    "another variable": lambda v: (lambda w: (w.assign(v.read_value()), w)[1])(ones()),
    "flat iterator": lambda v: np.asarray(v.read_value()).flat,
    "list": lambda v: [v.read_value()],
    "reshaped tensor": lambda v: tf.reshape(v, [2, -1]),
}


def content(held):
    held = held[0] if isinstance(held, list) else held
    return np.array(held).reshape(-1).astype(np.float32)


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("kind", KINDS)
def test_what_was_read_stays_as_it_was(kind, holder):
    v, add = KINDS[kind]()
    add()
    held = HOLDERS[holder](v)
    expected = content(held).copy()
    for _ in range(3):
        add()
    np.testing.assert_array_equal(content(held), expected)
    assert set(v.numpy()) == {4.0}


def test_an_array_that_the_user_has_is_not_written_into():
    array = np.zeros(SIZE, np.float32)
    v = tf.Variable(array)
    fixed = np.zeros(SIZE, np.float32)
    fixed.flags.writeable = False
    w = tf.Variable(fixed)
    for variable in (v, w):
        for _ in range(3):
            variable.assign_add(tf.ones([SIZE]), read_value=False)
        assert set(variable.numpy()) == {3.0}
    assert not array.any()
    assert not fixed.any()


def test_a_tape_keeps_what_it_recorded():
    v, x = ones(3.0), tf.ones([SIZE])
    with tf.GradientTape() as tape:
        y = v * v * x
        v.assign_add(x)
    assert set(tape.gradient(y, v).numpy()) == {6.0}


def test_results_of_a_step_stay_as_they_were():
    v = ones(0.0)

    @tf.function(jit_compile=True)
    def step():
        before = v.read_value()
        v.assign_add(tf.ones([SIZE]))
        return before, v.read_value(), v * 2.0

    result = [step() for _ in range(4)]
    for i, (before, after, twice) in enumerate(result):
        assert set(before.numpy()) == {float(i)}
        assert set(after.numpy()) == {i + 1.0}
        assert set(twice.numpy()) == {2.0 * (i + 1)}


def lent(function):
    """Which results of a function's updates may have the memory of what was there."""
    graph = partition(simplify(function.get_concrete_function().graph))
    ops = [n.op for n in graph.nodes if isinstance(n.op, NativeUpdate)]
    return [pair for op in ops for pair in op.lowered[0].reuses]


def test_what_is_read_elsewhere_is_not_written_into():
    v, w = ones(), tf.Variable(np.arange(SIZE, dtype=np.int32))
    cases = {
        lambda: v.assign_add(v[::-1]): 0,
        lambda: v.assign_add(tf.roll(v, 1, 0)): 1,
        lambda: v.assign_add(v / tf.reduce_sum(v)): 1,
        lambda: v.assign_add(tf.cumsum(v)): 1,
        lambda: v.assign(tf.gather(v, tf.range(SIZE)[::-1])): 0,
        lambda: v.assign_sub(v * v - 1.0): 1,
        lambda: w.assign_add(w // 3): 0,  # it may divide by zero, and leave the call
    }
    for change, expected in cases.items():
        for _ in range(2):
            v.assign(np.linspace(0.5, 1.5, SIZE, dtype=np.float32))
            w.assign(np.arange(SIZE, dtype=np.int32))
            fast = tf.function(lambda change=change: [change(), None][1], jit_compile=True)
            fast()
            fast()
            result = v.numpy(), w.numpy()
            v.assign(np.linspace(0.5, 1.5, SIZE, dtype=np.float32))
            w.assign(np.arange(SIZE, dtype=np.int32))
            change()
            change()
            np.testing.assert_allclose(result[0], v.numpy(), rtol=1e-5)
            np.testing.assert_array_equal(result[1], w.numpy())
        assert len(lent(fast)) == expected


def test_optimizers_write_into_their_variables():
    def trained(jit):
        w = tf.Variable(np.linspace(0.0, 1.0, SIZE, dtype=np.float32))
        optimizer = tf.optimizers.Adam(0.1)

        @tf.function(jit_compile=jit)
        def step(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(w * x - 1.0))
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])

        x = tf.constant(np.linspace(-1.0, 1.0, SIZE, dtype=np.float32))
        step(x)
        before = [address(v) for v in optimizer.variables if v.shape.rank]
        for _ in range(5):
            step(x)
        after = [address(v) for v in optimizer.variables if v.shape.rank]
        return w.numpy(), before == after

    (slow, _), (fast, same) = trained(False), trained(True)
    np.testing.assert_allclose(fast, slow, rtol=2e-5, atol=1e-6)
    assert same


def test_rows_are_changed_where_they_lie():
    table = tf.Variable(np.zeros((4096, 8), np.float32))
    raw = tf.raw_ops

    def add(rows, updates):
        raw.ResourceScatterAdd(resource=table.handle, indices=rows, updates=updates)

    add([1, 1, 3], np.ones((3, 8), np.float32))
    before, held = address(table), None
    add([1], np.ones((1, 8), np.float32))
    assert address(table) == before
    assert table.numpy()[:4, 0].tolist() == [0.0, 3.0, 0.0, 1.0]
    held = table.read_value()
    add([0], np.ones((1, 8), np.float32))
    assert held.numpy()[0, 0] == 0.0
    for rows, updates in [([9999], np.ones((1, 8))), ([2], np.ones((3, 8)))]:
        with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
            add(rows, updates.astype(np.float32))
    assert table.numpy().sum() == 8 * 5.0


def test_threads_see_whole_values(unchecked):
    """Every value that is read is one that was there between two updates."""
    v, add = added(True)
    add()
    torn = []
    done = threading.Event()

    def look():
        while not done.is_set():
            seen = v.read_value().numpy()
            if seen[0] != seen[-1] or len(set(seen)) != 1:
                torn.append(seen)

    threads = [threading.Thread(target=look) for _ in range(3)]
    writers = [threading.Thread(target=lambda: [add() for _ in range(100)]) for _ in range(2)]
    for thread in (*threads, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    for thread in threads:
        thread.join()
    assert not torn
    assert set(v.numpy()) == {201.0}


def test_who_reads_waits_for_who_writes():
    v = ones(1.0)
    storage = v._storage
    v.assign_add(tf.ones([SIZE]), read_value=False)
    result = []
    with storage.lock, variable_ops.Loan(storage) as loan:
        assert loan.array is not None
        assert v.is_initialized()
        assert set(v.numpy()) == {2.0}  # in the same thread, as in a signal's handler
        thread = threading.Thread(target=lambda: result.append(v.numpy()[0]))
        thread.start()
        loan.array += 5.0
        assert not result
    thread.join()
    assert result == [7.0]
    assert not variable_ops.LENT


def test_an_array_that_was_not_brought_back_is_found():
    v = ones(1.0)
    v.assign_add(tf.ones([SIZE]), read_value=False)
    loan = variable_ops.Loan(v._storage)
    loan.thread = -1
    with v._storage.lock:
        loan.__enter__()
    assert set(v.numpy()) == {2.0}
    assert not variable_ops.LENT


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a fork is needed")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_children_of_forks_have_whole_values():
    v, add = added(True)
    add()
    done = threading.Event()

    def write():
        while not done.is_set():
            add()

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for _ in range(10):
            child = os.fork()
            if not child:
                seen = v.numpy()
                os._exit(0 if len(set(seen)) == 1 else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        done.set()
        thread.join()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="signals are needed")
def test_a_handler_of_a_signal_reads_variables():
    v, add = added(True)
    add()
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(len(set(v.numpy()))))
    try:
        for count in range(1, 21):
            signal.setitimer(signal.ITIMER_REAL, 0.001)  # once: the handler may take longer
            while len(seen) < count:
                add()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert set(seen) == {1}
