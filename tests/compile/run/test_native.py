"""Machine code: the same results as the kernels, whatever the program."""

from __future__ import annotations

import gc
import os
import signal
import threading
import weakref

import numpy as np
import pytest
from support.interruptions import is_interrupted

import graphwright as tf
from graphwright.compile.graph.simplify import simplify
from graphwright.compile.nests.lowering import lower
from graphwright.compile.nests.sizes import NotNative
from graphwright.compile.run.checking import compare
from graphwright.compile.run.executable import executables
from graphwright.compile.run.inspection import outside
from graphwright.compile.run.lowered_segment import LoweredSegment
from graphwright.compile.run.options import OPTIONS
from graphwright.machine.preparation import Waiting


def both(function, *arrays, dynamic=False):
    """The results of a function in the slow tier and in native code."""
    specs = [tf.TensorSpec([None] * a.ndim if dynamic else a.shape, a.dtype) for a in arrays]
    outcomes = []
    for compiled in (False, True):
        staged = tf.function(function, input_signature=specs, jit_compile=compiled)
        results = staged(*arrays)
        flat = results if isinstance(results, (list, tuple)) else [results]
        outcomes.append([r.numpy() for r in flat])
        tiers = [c.tier for c in staged.get_concrete_function().compilations]
        assert ("native" in tiers) is compiled
    return outcomes


def normal(*shape):
    return np.random.default_rng(len(shape)).normal(size=shape).astype(np.float32)


def layer_norm(x, gamma, beta):
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-5) * gamma + beta


def strange():
    """Rows with NaN, of NaN alone, with infinities, of minus infinity alone, and one of numbers."""
    x = normal(6, 37)
    x[0, 3], x[1], x[2, 5], x[3], x[4, 0] = np.nan, np.nan, np.inf, -np.inf, -np.inf
    return x


def fibonacci(a, b):
    for _ in tf.range(7):
        a, b = b, a * 0.5 + b
    return a, b


def collatz(n):
    steps = tf.constant(0)
    for i in tf.range(1, n + 1):
        x = tf.cast(i, tf.int64)
        while x != 1:
            x = x // 2 if x % 2 == 0 else 3 * x + 1
            steps += 1
    return steps


def branch(x):
    return 1.0 + (x * 2.0 if tf.reduce_sum(x) > 0 else tf.nn.softmax(x))


def nested(x):
    total = tf.zeros([3])
    for i in tf.range(4):
        row = x * tf.cast(i, tf.float32)
        while tf.reduce_max(row) > 1.0:
            row = row * 0.5
        total += row
    return total


PROGRAMS = {
    "broadcast": (lambda x, y: (x * 2.0 + y) - y, [normal(5, 4), normal(4)]),
    "two axes of broadcast": (lambda x, y: x * y + x, [normal(3, 1, 5), normal(4, 1)]),
    "long sum": (tf.reduce_sum, [normal(100_003)]),
    "rows": (lambda x: tf.reduce_max(x, -1), [normal(10, 77)]),
    "columns and total": (
        lambda x: tf.reduce_sum(tf.nn.relu(x), 0) + tf.reduce_sum(x),
        [normal(32, 17)],
    ),
    "middle axis": (lambda x: tf.reduce_mean(tf.exp(x), 1), [normal(3, 7, 5)]),
    "outer and inner axes": (lambda x: tf.reduce_sum(x, [0, 2]), [normal(3, 7, 5)]),
    "moves": (lambda x: tf.reshape(tf.transpose(x[1:, ::-1]) * 2.0, [-1]), [normal(32, 16)]),
    "softmax": (tf.nn.softmax, [normal(5, 8)]),
    "layer norm": (layer_norm, [normal(32, 70), normal(70), normal(70)]),
    "dense": (
        lambda x, w, b: tf.nn.softmax(tf.nn.relu(x @ w + b)),
        [normal(32, 16), normal(16, 8), normal(8)],
    ),
    "softmax of strange rows": (tf.nn.softmax, [strange()]),
    "log softmax of strange rows": (tf.nn.log_softmax, [strange()]),
    "two results": (lambda x: (tf.nn.log_softmax(x), tf.reduce_mean(x)), [normal(6, 9)]),
    "integers": (lambda x: (x * 3) // 2 + x % 5, [np.arange(-40, 41, dtype=np.int32)]),
    "bools": (lambda x: tf.where(x > 0.0, x, -x), [normal(37)]),
    "any and all": (
        lambda x: (tf.reduce_any(x > 2.0, 1), tf.reduce_all(x < 2.0)),
        [normal(11, 40)],
    ),
    "any and all of one loop": (
        lambda x: (tf.reduce_any(x), tf.reduce_all(x)),
        [np.array([True, False])],
    ),
    "cross entropy of classes": (
        lambda x, y: tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits(features=x, labels=y),
        [normal(7, 5), np.arange(7, dtype=np.int32) % 5],
    ),
    "joined": (
        lambda x, y: (tf.concat([x, y * 2.0, x], 1), tf.stack([x, -x], 2), tf.concat([x, x], 0)),
        [normal(4, 3), normal(4, 5)],
    ),
    "joined numbers": (lambda x: tf.stack([tf.reduce_sum(x), 2.0, x[1]]), [normal(9)]),
    "split": (
        lambda x: tf.concat([tf.nn.sigmoid(g) for g in tf.split(x, 4, 1)][::-1], 1) + 1.0,
        [normal(3, 8)],
    ),
    "unstacked": (lambda x: tf.add_n(tf.unstack(x * 2.0, 4, 1)), [normal(3, 4, 5)]),
    "swapped": (fibonacci, [normal(3), normal(3)]),
    "collatz": (collatz, [np.int32(50)]),
    "branch": (branch, [normal(3)]),
    "other branch": (branch, [-np.abs(normal(3))]),
    "nested loops": (nested, [np.abs(normal(3))]),
}


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_machine_code_computes_what_the_kernels_compute(name, dynamic):
    function, arrays = PROGRAMS[name]
    slow, fast = both(function, *map(np.asarray, arrays), dynamic=dynamic)
    for a, b in zip(slow, fast):
        assert not compare(b, a)


def test_one_compilation_serves_all_lengths():
    function = tf.function(lambda x: tf.nn.softmax(x * 2.0))
    libraries = set()
    for n in range(16, 40):  # shorter rows have code for their length
        concrete = function.get_concrete_function(tf.TensorSpec([n, n + 1]))
        (executable,) = executables([LoweredSegment(simplify(concrete.graph), ())])
        libraries.add(executable.code.library)
    assert len(libraries) == 1


def test_a_guard_that_fails_leaves_the_call_to_the_kernels():
    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None])], jit_compile=True)
    def f(x, y):
        return x * y + 1.0

    assert f(normal(5), normal(5)).shape == (5,)
    assert f(normal(5), normal(1)).shape == (5,)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        f(normal(5), normal(3))


def test_a_shape_that_is_ensured_is_checked():
    spec = [tf.TensorSpec([None, None])]
    f = tf.function(lambda x: tf.ensure_shape(x, [3, None]) * 2.0, spec, jit_compile=True)
    assert f(tf.ones([3, 2])).shape == (3, 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="not compatible"):
        f(tf.ones([4, 2]))


def test_integer_division_by_zero_is_the_kernels_error():
    @tf.function(jit_compile=True)
    def f(x, y):
        return x // y + 1

    assert f(tf.constant([7, 8]), tf.constant([2, 3])).numpy().tolist() == [4, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="ivision by zero"):
        f(tf.constant([7, 8]), tf.constant([2, 0]))


def test_arrays_that_are_not_contiguous_are_taken():
    f = tf.function(lambda x: tf.exp(x) + 1.0, jit_compile=True)
    x = normal(6, 4)
    np.testing.assert_allclose(f(tf.constant(x).numpy().T), np.exp(x.T) + 1, rtol=1e-6)
    np.testing.assert_allclose(f(tf.transpose(tf.constant(x))), np.exp(x.T) + 1, rtol=1e-6)


def test_what_is_not_native_says_so():
    graph = tf.function(lambda x: tf.strings.length(x)).get_concrete_function(
        tf.TensorSpec([3], tf.string)
    )
    with pytest.raises(NotNative, match="string has no native form"):
        lower(simplify(graph.graph))


def test_the_loop_nest_form_reads_well():
    graph = tf.function(tf.nn.softmax).get_concrete_function(tf.TensorSpec([None, 8]))
    program, constants = lower(simplify(graph.graph))
    assert not constants
    lines = str(program).splitlines()
    assert "nest [s0, s1] outer 1" in lines
    assert sum(line.strip() == "each" for line in lines) == 3


def dot(x, y):
    total = tf.constant(0.0)
    for i in tf.range(tf.shape(x)[0]):
        total += x[i] * y[i]
    return total


def test_an_index_that_is_computed_is_checked():
    f = tf.function(dot, jit_compile=True)
    x, y = normal(5), normal(7)
    np.testing.assert_allclose(f(x, y[:5]), x @ y[:5], rtol=1e-5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
        f(y, x)


@pytest.mark.parametrize("label", [-1, 5])
def test_the_number_of_a_class_is_checked(label):
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits
    f = tf.function(lambda x, y: loss(y, x), jit_compile=True)
    assert not outside(f.get_concrete_function(tf.TensorSpec([3, 5]), [1, 2, 3]).graph)
    with pytest.raises(tf.errors.InvalidArgumentError, match="outside the valid range"):
        f(tf.constant(normal(3, 5)), [0, label, 1])


def test_a_slice_whose_bound_is_computed_is_right():
    f = tf.function(lambda x, i: tf.exp(x)[:i] + tf.exp(x)[1 : i + 1], jit_compile=True)
    x = normal(7)
    np.testing.assert_allclose(f(x, tf.constant(3)), np.exp(x)[:3] + np.exp(x)[1:4], rtol=1e-6)


def test_a_slice_up_to_the_size_of_another_is_right():
    @tf.function(input_signature=[tf.TensorSpec([None, None])] * 2, jit_compile=True)
    def f(x, y):
        return tf.exp(x)[:, : tf.shape(y)[0]] + 1.0

    x, y = normal(3, 7), normal(4, 2)
    np.testing.assert_allclose(f(x, y), np.exp(x)[:, :4] + 1.0, rtol=1e-6)


def count(n):
    i = tf.constant(0, tf.int64)
    while i < n:
        i += 1
    return i


def count_in_a_branch(n):
    i = tf.constant(0, tf.int64)
    while i < n:
        if i % 3 == 1:
            j = tf.constant(0, tf.int64)
            while j < n:
                j += 1
        i += 1
    return i


def count_unless_negative(n):
    """The loop is in a branch."""
    i = tf.constant(0, tf.int64)
    if n >= 0:
        while i < n:
            i += 1
    return i


def count_rows(n):
    """Each step is many operations."""
    i, x = tf.constant(0, tf.int64), tf.ones([100])
    while i < n:
        i, x = i + 1, tf.tanh(x)
    return i


@pytest.mark.parametrize("loop", [count, count_in_a_branch, count_unless_negative, count_rows])
def test_a_loop_that_does_not_end_can_be_interrupted(loop):
    f = tf.function(loop, input_signature=[tf.TensorSpec([], tf.int64)], jit_compile=True)
    assert f(1000) == 1000
    assert is_interrupted(lambda: f(1 << 60))
    assert f(1000) == 1000


def test_scalars_of_loops_stay_in_registers():
    f = tf.function(collatz, input_signature=[tf.TensorSpec([], tf.int32)])
    show = f.experimental_get_compiler_ir()
    stores = [line for line in show(stage="nests").splitlines() if "] = " in line]
    assert len(stores) == 1  # of the result
    assert "alloca" not in show(stage="llvm")


def test_every_stage_of_compilation_can_be_read():
    f = tf.function(lambda x: tf.exp(x) + 1.0)
    show = f.experimental_get_compiler_ir(tf.TensorSpec([None]))
    assert "Exp(%x)" in show(stage="graph")
    assert "_Native" in show(stage="segments")
    assert "nest [s0]" in show(stage="nests")
    assert "define i64 @run(ptr %frame)" in show(stage="llvm")
    assert "run:" in show(stage="assembly")
    with pytest.raises(ValueError, match="Unknown stage: 'hlo'"):
        show(stage="hlo")


def test_what_stays_outside_machine_code_has_a_reason():
    @tf.function
    def f(x, i):
        y = tf.exp(x) * 2.0
        return tf.linalg.expm(y) + y[:i:2]

    graph = f.get_concrete_function(tf.TensorSpec([3, 3]), tf.TensorSpec([], tf.int32)).graph
    reasons = {node.op.type_name: reason for node, reason in outside(graph)}
    assert reasons["MatrixExponential"] == "MatrixExponential has no native form here"
    assert reasons["StridedSlice"].endswith("goes in steps")


def test_what_keeps_a_loop_outside_machine_code_is_named():
    @tf.function
    def f(x):
        while tf.reduce_sum(x) < 100.0:
            x = tf.abs(tf.signal.fft(tf.cast(x, tf.complex64))) + 1.0
        return x

    graph = f.get_concrete_function(tf.TensorSpec([3])).graph
    ((node, reason),) = [(n, why) for n, why in outside(graph) if n.op.type_name != "Const"]
    assert node.op.type_name == "StatelessWhile"
    assert reason.startswith("in it, Cast (")
    assert reason.endswith("): Cast has no native form here")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_of_a_fork_compiles_for_itself():
    f = tf.function(lambda x: tf.exp(x) + 2.0, jit_compile=True)
    x = normal(100_000)
    expected = f(x).numpy()
    child = os.fork()
    if not child:
        signal.alarm(60)
        g = tf.function(lambda x: tf.exp(x) * 3.0, jit_compile=True)
        same = np.array_equal(f(x), expected) and np.allclose(g(x), np.exp(x) * 3.0, rtol=1e-5)
        os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_threads_share_one_executable_and_compile_at_once():
    functions = [tf.function(lambda x, k=k: tf.tanh(x * k), jit_compile=True) for k in range(1, 5)]
    x = normal(3000)
    wrong = []

    def work(k):
        for _ in range(20):
            result = functions[k](x).numpy()
            if not np.allclose(result, np.tanh(x * (k + 1)), rtol=1e-5, atol=1e-6):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(i % 4,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_what_is_written_to_memory_later_is_not_read_there_before():
    def function(x):
        row = x[1]
        table = row[:, None] * row[None, :]
        return tf.matmul(table, tf.exp(row)[:, None]), tf.matmul(table, row[:, None]), row

    for slow, fast in zip(*both(function, normal(3, 2))):
        np.testing.assert_allclose(fast, slow, rtol=1e-5)


def test_a_side_that_is_not_taken_does_not_fail():
    def function(n, divisor):
        total = tf.constant(0)
        for i in tf.range(6):
            if divisor != 0:
                total += n // divisor
            else:
                total = 3 * total + i
        return total

    for divisor in (2, -1, 0):
        slow, fast = both(function, np.int32(7), np.int32(divisor))
        assert slow == fast


@pytest.mark.skipif(OPTIONS.get("native") is not None, reason="there is one tier")
def test_who_wants_the_same_in_every_run_waits_for_machine_code(monkeypatch):
    monkeypatch.setattr(Waiting, "always", False)
    tf.config.experimental.enable_op_determinism()
    f = tf.function(lambda x: tf.exp(x) * 2.0)
    x = tf.constant(normal(3))
    tiers = [f(x) is not None and f.get_concrete_function(x).tier for _ in range(4)]
    assert tiers == ["python", "python", "native", "native"]


@pytest.mark.parametrize("constants", [False, True])
def test_code_stays_as_long_as_its_function(constants):
    weights = np.arange(2.0, dtype=np.float32)
    function = tf.function(lambda x: x * (weights if constants else 3.5) + 0.8125)
    concrete = function.get_concrete_function(tf.TensorSpec([2]))
    (made,) = executables([LoweredSegment(simplify(concrete.graph), ())])
    native, library = made.function(), weakref.ref(made.code.library)
    del made
    gc.collect()
    x = np.ones(2, np.float32)
    expected = x * (weights if constants else np.float32(3.5)) + np.float32(0.8125)
    assert library() is not None
    assert (native(x)[0] == expected).all()
    del native
    gc.collect()
    assert library() is None
