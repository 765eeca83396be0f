"""What a user reads when something is wrong: the lines of the program, and no others."""

from __future__ import annotations

import sys
import traceback
import weakref

import numpy as np
import pytest

import graphwright as tf

pytestmark = pytest.mark.skipif(
    sys.version_info < (3, 11), reason="a bare raise remembers the whole traceback"
)


@tf.function
def reshape(x, n):
    return tf.reshape(x, [n, n])


@tf.function
def refuse(x):
    if x > 0.0:
        raise KeyError("own")
    return x


@tf.function
def misuse(x):
    return tf.matmul(x, x)


@tf.function
def call_back(x):
    return tf.py_function(lambda a: 1 / 0, [x], tf.float32)


@tf.function(input_signature=[tf.TensorSpec([2])])
def signed(x):
    return x


def gradient():
    with tf.GradientTape() as tape:
        y = tf.Variable(1.0) * 2.0
    tape.gradient(y, tf.constant(1.0))
    tape.gradient(y, tf.constant(1.0))


ERRORS = {
    "an op": lambda: tf.matmul(tf.ones([2, 3]), tf.ones([2, 3])),
    "an operator": lambda: tf.ones([2, 3]) + tf.ones([4]),
    "an operator and a number": lambda: tf.ones([2]) + "a",
    "an operator and None": lambda: tf.Variable(1.0) * None,
    "a misspelt name": lambda: tf.reduce_summ,
    "a misspelt name of a namespace": lambda: tf.nn.sofmax,
    "a misspelt name of a late namespace": lambda: tf.audio.decode,
    "a number of pieces": lambda: tf.split(tf.ones([5]), 2),
    "an order of axes": lambda: tf.transpose(tf.ones([2, 2]), [0, 1, 2]),
    "an index": lambda: tf.ones([2])[5],
    "a call that fails as it runs": lambda: reshape(tf.ones([5]), tf.constant(2)),
    "a call that fails as it is traced": lambda: misuse(tf.ones([2, 3])),
    "a call that fits no signature": lambda: signed(tf.ones([5])),
    "a concrete function": lambda: signed.get_concrete_function()([1.0, 2.0, 3.0]),
    "no concrete function": lambda: signed.get_concrete_function(tf.TensorSpec([5])),
    "a function in a graph": lambda: call_back(tf.constant(1.0)),
    "an element of a dataset": lambda: list(tf.data.Dataset.range(3).map(lambda i: 3 // i)),
    "the next element": lambda: next(iter(tf.data.Dataset.range(3).map(lambda i: 3 // i))),
    "a tape": gradient,
    "a branch": lambda: tf.cond(tf.constant([True, False]), lambda: 1, lambda: 2),
    "a loop": lambda: tf.while_loop(lambda i: i < 3, lambda i: (i, i), [tf.constant(1)]),
    "a constant": lambda: tf.constant([[1], [2, 3]]),
    "a dtype": lambda: tf.as_dtype("foo"),
    "a shape": lambda: tf.TensorShape([2]).merge_with([3]),
    "a spec": lambda: tf.TensorSpec([-2]),
    "a structure": lambda: tf.nest.map_structure(lambda a, b: a, [1], [1, 2]),
    "a tensor's truth": lambda: bool(tf.ones([2])),
    "a tensor's length": lambda: len(tf.ones([])),
    "a tensor's static shape": lambda: tf.ones([2]).set_shape([3]),
    "a new variable": lambda: tf.Variable("a", dtype=tf.float32),
    "a variable": lambda: tf.Variable([1.0]).assign([1.0, 2.0]),
    "a TensorArray": lambda: tf.TensorArray(tf.float32, 2).write(5, 1.0),
    "a generator": lambda: tf.random.Generator.from_seed(1).normal([-1]),
    "a function with a gradient of its own": lambda: tf.custom_gradient(lambda x: x)(tf.ones([])),
    "a ragged tensor": lambda: tf.ragged.constant([[1], 2]),
    "an index of a ragged tensor": lambda: tf.ragged.constant([[1], [2]])[5],
    "a sparse tensor": lambda: tf.SparseTensor([[0]], [1, 2], [3]),
    "a NumPy name": lambda: tf.experimental.numpy.reshape(tf.ones([6]), [4, 2]),
    "a raw op": lambda: tf.raw_ops.MatMul(a=tf.ones([2, 3]), b=tf.ones([2, 3])),
    "a checkpoint": lambda: tf.train.Checkpoint(a=1),
    "a file": lambda: tf.io.gfile.GFile("no such file").read(),
    "an operator of linear algebra": lambda: tf.linalg.LinearOperatorDiag(1.0),
    "a module's name": lambda: tf.Module(name="1a"),
    "a setting": lambda: tf.config.set_visible_devices("x"),
}


def leaked():
    kept = []

    @tf.function
    def leak(x):
        kept.append(x * 2.0)
        return x

    leak(tf.constant([1.0]))
    return kept[0]


#: What is wrong with a tensor of a function, used outside of it.
OPERATORS = {
    "t + 1.0": lambda t: t + 1.0,
    "1.0 + t": lambda t: 1.0 + t,
    "t @ t": lambda t: t @ t,
    "t & t": lambda t: t & t,
    "-t": lambda t: -t,
    "abs(t)": abs,
    "~t": lambda t: ~t,
    "t == t": lambda t: t == t,
    "t != 2.0": lambda t: t != 2.0,
    "t < 2.0": lambda t: t < 2.0,
    "t[0]": lambda t: t[0],
    "bool": bool,
    "int": int,
    "float": float,
    "complex": complex,
    "len": len,
    "iter": iter,
    "hash": hash,
    "an index": lambda t: [1, 2][t],
    "a format": lambda t: f"{t:.2f}",
    "np.sin": np.sin,
    "np.asarray": np.asarray,
    "tf.exp": tf.exp,
    "a shape": lambda t: t.set_shape([3]),
    "a variable": lambda t: tf.Variable([1.0]).assign(t),
}


def frames(error: BaseException) -> list[traceback.FrameSummary]:
    return traceback.extract_tb(error.__traceback__)


@pytest.mark.parametrize("name", ERRORS)
def test_a_traceback_ends_in_the_users_lines(name):
    with pytest.raises(Exception) as caught:  # noqa: PT011 - of any class
        ERRORS[name]()
    result = frames(caught.value)
    assert {frame.filename for frame in result} == {__file__}
    shown = "".join(traceback.format_exception(caught.value))
    assert "graphwright/" not in shown.replace("\\", "/")
    assert "numpy/" not in shown.replace("\\", "/")


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_end_in_the_users_lines(name):
    tensor = leaked()
    with pytest.raises((TypeError, ValueError, NotImplementedError)) as caught:
        OPERATORS[name](tensor)
    assert {frame.filename for frame in frames(caught.value)} == {__file__}


EAGERLY = {
    "-t": lambda: -tf.constant([True]),
    "~t": lambda: ~tf.constant([1.0]),
    "t @ t": lambda: tf.ones([2]) @ tf.ones([2]),
    "bool": lambda: bool(tf.ones([2])),
    "int": lambda: int(tf.ones([2])),
    "len": lambda: len(tf.constant(1.0)),
    "iter": lambda: list(tf.constant(1.0)),
    "a format": lambda: f"{tf.ones([2]):.2f}",
    "an index": lambda: [1, 2][tf.ones([2])],
    "a variable's index": lambda: tf.Variable([1.0])[3],
    "a variable's value": lambda: tf.Variable([1.0]).assign([1.0, 2.0]),
    "+= of a variable": lambda: tf.Variable([1.0]).__iadd__("a"),
    "bool of a variable": lambda: bool(tf.Variable([1.0, 2.0])),
}


@pytest.mark.parametrize("name", EAGERLY)
def test_eager_operators_end_in_the_users_lines(name):
    with pytest.raises(Exception) as caught:  # noqa: PT011 - of any class
        EAGERLY[name]()
    assert {frame.filename for frame in frames(caught.value)} == {__file__}


def test_a_users_error_keeps_its_own_frames():
    with pytest.raises(KeyError, match="own") as caught:
        refuse.python_function(tf.constant(1.0))
    plain = frames(caught.value)[1:]
    eager = tf.config.functions_run_eagerly()
    tf.config.run_functions_eagerly(True)
    try:
        with pytest.raises(KeyError, match="own") as caught:
            refuse(tf.constant(1.0))
    finally:
        tf.config.run_functions_eagerly(eager)
    assert frames(caught.value)[1:] == plain


def test_a_cause_that_is_the_users_stays():
    def inner():
        try:
            raise KeyError("first")
        except KeyError as error:
            raise ValueError("second") from error

    with pytest.raises(ValueError, match="second") as caught:
        tf.function(inner)()
    assert isinstance(caught.value.__cause__, KeyError)


def test_filtering_can_be_switched_off():
    assert tf.debugging.is_traceback_filtering_enabled()
    tf.debugging.disable_traceback_filtering()
    try:
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))
        result = frames(caught.value)
        assert any("contraction" in frame.filename for frame in result)
        opened = next(f for f in result if f.name == "matmul")
        assert opened.line.startswith("def matmul(")
    finally:
        tf.debugging.enable_traceback_filtering()


def test_nothing_else_than_the_error_keeps_the_frames_alive():
    class Mark:
        pass

    mark = Mark()
    reference = weakref.ref(mark)

    def call(_=mark):
        return tf.matmul(np.ones([2, 3]), np.ones([2, 3]))

    with pytest.raises(tf.errors.InvalidArgumentError):
        call()
    del call, mark
    assert reference() is None


def test_an_error_in_a_function_names_its_line_whoever_looks_on() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def pairs(x):
        return tf.reshape(x, [2, -1])

    def told(function):
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            function(tf.constant([1.0, 2.0, 3.0]))
        return str(caught.value)

    alone = told(pairs)
    assert "Defined at node 'Reshape'" in alone
    concrete = pairs.get_concrete_function()
    with tf.GradientTape():
        assert told(pairs) == told(concrete) == alone
