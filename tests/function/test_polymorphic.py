"""Calls choose the right trace, trace when there is none, and say what does not fit."""

from __future__ import annotations

import functools
import gc
import inspect
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.function.fast_path import FastPath
from graphwright.op.refusal import help_of


def counting(**options):
    """A function `f(*args, **kwargs)` that sums its tensors, and the list of its traces."""
    traces = []

    @tf.function(**options)
    def f(*args, **kwargs):
        traces.append((args, kwargs))
        leaves = [x for x in tf.nest.flatten((args, kwargs)) if tf.is_tensor(x)]
        return functools.reduce(lambda a, b: a + b, leaves) if leaves else tf.constant(0)

    return f, traces


def test_one_trace_a_type():
    f, traces = counting()
    for x in (1.0, 2.0):
        assert f(tf.constant(x)) == x
    assert len(traces) == 1
    f(tf.constant(1))
    f(tf.constant([1.0]))
    f(tf.constant(1.0), tf.constant(1.0))
    assert len(traces) == 4
    assert f.experimental_get_tracing_count() == 4


def test_keyword_and_positional_arguments_share_a_trace():
    count = []

    @tf.function
    def f(a, b=1, *, c=2):
        count.append(1)
        return a * b + c

    x = tf.constant(3)
    assert [int(v) for v in (f(x), f(a=x), f(x, 1), f(b=1, a=x), f(x, c=2))] == [5] * 5
    assert len(count) == 1
    assert int(f(x, 2, c=1)) == 7


def test_keywords_in_any_order_reach_their_parameters():
    @tf.function
    def f(a, b):
        return a - b

    one, two = tf.constant(1), tf.constant(2)
    for _ in range(3):
        assert int(f(b=one, a=two)) == 1
        assert int(f(a=two, b=one)) == 1
        assert int(f(b=two, a=one)) == -1


def test_nested_arguments_in_any_order_of_keys():
    f, traces = counting()
    a, b = tf.constant(1.0), tf.constant(2.0)
    assert f({"x": a, "y": [b, (a, b)]}) == 6
    assert f({"y": [b, (a, b)], "x": a}) == 6
    assert len(traces) == 1


def test_structures_are_results_too():
    @tf.function
    def f(x):
        return {"a": (x, None), "b": [x + 1, {"c": 3}]}

    for _ in range(2):
        result = f(tf.constant(1))
        assert result["a"][1] is None
        assert int(result["b"][1]["c"]) == 3
        assert int(result["b"][0]) == 2


def test_a_result_that_is_no_tensor_is_refused():
    with pytest.raises(TypeError, match="found return value of type object"):
        tf.function(lambda: object())()


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((), {}, "missing a required argument: 'a'"),
        ((1, 2, 3), {}, "too many positional arguments"),
        ((1,), {"c": 2}, "got an unexpected keyword argument 'c'"),
    ],
)
def test_arguments_that_do_not_bind(args, kwargs, message):
    @tf.function
    def f(a, b=0):
        return a + b

    with pytest.raises(TypeError, match=message):
        f(*args, **kwargs)
    assert f.experimental_get_tracing_count() == 0


def test_an_input_signature_converts_and_refuses():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def f(x):
        return x * 2

    for value in ([1.0, 2.0], (3, 4), np.array([5.0, 6.0]), tf.constant([7.0])):
        np.testing.assert_array_equal(f(value), 2 * np.asarray(value, np.float32))
        np.testing.assert_array_equal(f(value), 2 * np.asarray(value, np.float32))
    assert f.experimental_get_tracing_count() == 1
    with pytest.raises(TypeError, match="Can not cast TensorSpec"):
        f(tf.constant(1.0))
    with pytest.raises(TypeError, match="must cover every parameter"):
        tf.function(lambda a, b: a, input_signature=[tf.TensorSpec([], tf.int32)])(1, 2)


def test_reduce_retracing_generalises():
    f, traces = counting(reduce_retracing=True)
    for n in range(1, 8):
        f(tf.ones([n, 2]))
    assert [t[0][0].shape.as_list() for t in traces] == [[1, 2], [None, 2]]


def test_methods_have_traces_for_each_instance_and_hold_it_weakly():
    class Scale:
        def __init__(self, by):
            self.by = by

        @tf.function
        def __call__(self, x):
            return x * self.by

        @tf.function
        def twice(self, x):
            return self(self(x))

    two, three = Scale(2), Scale(3)
    x = tf.constant(5)
    assert [int(two(x)), int(three(x)), int(two.twice(x))] == [10, 15, 20]
    assert two.twice is two.twice
    gone = weakref.ref(two)
    del two
    gc.collect()
    assert gone() is None


def test_lambdas_partials_and_callables():
    class Adder:
        def __call__(self, x):
            return x + 1

    x = tf.constant(1)
    assert int(tf.function(lambda v: v + 2)(x)) == 3
    assert int(tf.function(functools.partial(lambda a, b: a - b, b=5))(x)) == -4
    assert int(tf.function(Adder())(x)) == 2


def test_nested_functions_are_calls_of_one_trace():
    inner_traces = []

    @tf.function
    def inner(x):
        inner_traces.append(x)
        return x * 2

    @tf.function
    def outer(x):
        return inner(x) + inner(x)

    assert int(outer(tf.constant(3))) == 12
    assert len(inner_traces) == 1
    types = [n.op.type_name for n in outer.get_concrete_function(tf.constant(3)).graph.nodes]
    assert types.count("PartitionedCall") == 2


def test_an_inner_function_captures_the_outer_one_s_tensors():
    @tf.function
    def outer(x):
        y = x + 1

        @tf.function
        def inner(z):
            return z * y

        return inner(x) + inner(y)

    for value in (2, 3):
        assert int(outer(tf.constant(value))) == value * (value + 1) + (value + 1) ** 2


def test_captured_tensors_and_variables():
    big, v = tf.ones([200]), tf.Variable(2.0)

    @tf.function
    def f():
        return tf.reduce_sum(big) * v

    assert float(f()) == 400
    v.assign(3.0)
    assert float(f()) == 600
    assert len(f.get_concrete_function().captured_inputs) == 2


def test_effects_keep_their_order():
    v = tf.Variable(1.0)

    @tf.function
    def f():
        a = v + 0.0
        v.assign_add(10.0)
        b = v + 0.0
        v.assign(v * 2.0)
        return a, b, v

    assert [float(x) for x in f()] == [1.0, 11.0, 22.0]
    assert [float(x) for x in f()] == [22.0, 32.0, 64.0]


def test_a_variable_is_created_once_from_the_arguments():
    class Layer:
        w = None

        @tf.function
        def __call__(self, x):
            if self.w is None:
                self.w = tf.Variable(x * 2.0)
            return self.w + x

    layer = Layer()
    assert float(layer(tf.constant(1.0))) == 3.0
    assert float(layer(tf.constant(5.0))) == 7.0


def test_run_eagerly():
    calls = []

    @tf.function
    def f(x):
        calls.append(x)
        return x + 1

    tf.config.run_functions_eagerly(True)
    try:
        assert int(f(tf.constant(1))) == 2
        assert int(f(tf.constant(1))) == 2
    finally:
        tf.config.run_functions_eagerly(False)
    assert len(calls) == 2
    assert f.experimental_get_tracing_count() == 0


def test_an_error_while_tracing_leaves_nothing_behind():
    fail = [True]

    @tf.function
    def f(x):
        y = x + 1
        if fail[0]:
            raise KeyError("mine")
        return y

    with pytest.raises(KeyError, match="mine"):
        f(tf.constant(1))
    assert tf.executing_eagerly()
    assert f.experimental_get_tracing_count() == 0
    fail[0] = False
    assert int(f(tf.constant(1))) == 2


def test_an_error_while_running_names_the_op_and_the_user_s_line():
    @tf.function
    def f(x, i):
        return tf.gather(x, i)

    f(tf.constant([1, 2]), tf.constant(0))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"test_polymorphic\.py") as caught:
        f(tf.constant([1, 2]), tf.constant(7))
    assert "Gather" in caught.value.message


def test_first_calls_from_eight_threads_trace_once():
    f, traces = counting()
    g, _ = counting()

    @tf.function
    def calls_f(x):
        return f(x) + g(x)

    @tf.function
    def calls_g(x):
        return g(x) + f(x)

    barrier = threading.Barrier(8)
    results = []

    def work(i):
        barrier.wait()
        for n in range(20):
            chosen = (calls_f, calls_g)[(i + n) % 2]
            results.append(float(chosen(tf.constant(float(n)))) == 2 * n)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(timeout=60)
    assert len(results) == 160
    assert all(results)
    assert len(traces) == 1


def test_dropped_functions_are_freed():
    def make():
        @tf.function
        def f(x):
            return x + 1

        f(tf.constant(1))
        return weakref.ref(f), weakref.ref(f.get_concrete_function(tf.constant(1)).graph)

    references = [make() for _ in range(3)]
    gc.collect()
    assert all(r() is None for pair in references for r in pair)


def test_values_that_do_not_fit_a_concrete_function_are_refused():
    f = tf.function(lambda x: x + 1.0).get_concrete_function(tf.TensorSpec([2]))
    assert f([1.0, 2.0]).numpy().tolist() == [2.0, 3.0]
    with pytest.raises(TypeError, match=r"Can not cast TensorSpec\(shape=\(3,\).*shape=\(2,\)"):
        f([1.0, 2.0, 3.0])


@pytest.mark.parametrize("value", [None, [[1.0], [1.0, 2.0]], [3.0]])
def test_values_that_no_signature_takes_fail_as_other_misfits_do(value: Any) -> None:
    f = tf.function(lambda x: x, input_signature=[tf.TensorSpec([2])])
    with pytest.raises(TypeError, match=r"Binding inputs to tf\.function") as raised:
        f(value)
    assert help_of(raised.value).startswith("\n    argument 'x' ")


def test_a_method_of_an_object_that_nothing_else_holds_can_be_called() -> None:
    class Scaled(tf.Module):
        def __init__(self, factor: float) -> None:
            super().__init__()
            self.factor = tf.Variable(factor)

        @tf.function
        def apply(self, x: Any) -> Any:
            return x * self.factor

    assert float(Scaled(2.0).apply(tf.constant(3.0))) == 6.0
    assert float(Scaled(4.0).apply(3.0)) == 12.0
    module = Scaled(5.0)
    first = module.apply
    assert module.apply is module.apply
    assert first(3.0) == module.apply(3.0) == 15.0
    assert first.experimental_get_tracing_count() == 1
    gone = weakref.ref(module)
    del module, first
    gc.collect()
    assert gone() is None


class Scale:
    def __init__(self, by):
        self.by = by

    def __eq__(self, other):
        return isinstance(other, Scale)

    def __hash__(self):
        return 1

    @tf.function
    def __call__(self, x):
        return x * self.by


def test_a_method_may_take_its_instance_in_a_variable_number_of_arguments() -> None:
    class Scale:
        factor = 2.0

        @tf.function
        def apply(*args: Any, offset: float = 0.0) -> Any:
            return tf.abs(args[1]) * args[0].factor + offset

    scale = Scale()
    assert scale.apply(tf.constant(-3.0)) == 6.0
    assert scale.apply(tf.constant(-3.0), offset=1.0) == 7.0
    assert Scale.apply(scale, tf.constant(-3.0)) == 6.0


def test_equal_objects_have_methods_of_their_own():
    x = tf.constant(2.0)
    one, two = Scale(3.0), Scale(5.0)
    assert (one(x), two(x), one(x)) == (6.0, 10.0, 6.0)
    assert len(Scale.__call__._methods) == 2
    del one, two
    gc.collect()
    assert len(Scale.__call__._methods) == 0


def test_a_method_of_an_object_that_cannot_be_referred_to_weakly_is_refused():
    class Slotted:
        __slots__ = ()

        @tf.function
        def step(self, x):
            return x

    with pytest.raises(TypeError, match="give the class a slot `__weakref__`"):
        Slotted().step(tf.constant(1.0))


def test_recursion_that_a_tensor_would_end_is_refused_with_words():
    @tf.function
    def factorial(n):
        if n <= 1:
            return tf.constant(1)
        return n * factorial(n - 1)

    with pytest.raises(RecursionError, match="`factorial` calls itself with arguments of the same"):
        factorial(tf.constant(5))
    assert factorial(5) == 120
    assert not factorial._pending


FUNCTIONS = [np.dot, np.sin, np.concatenate, np.add]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_functions_of_numpy_are_traced_where_they_say_what_they_take(function):
    x = tf.constant([1.0, 2.0])
    args = {np.sin: (x,), np.concatenate: ([x, x],)}.get(function, (x, x))
    try:
        inspect.signature(function)
    except ValueError:  # before NumPy 2.4
        with pytest.raises(ValueError, match="signature"):
            tf.function(function)(*args)
        return
    expected = function(*[[a.numpy() for a in arg] if isinstance(arg, list) else arg.numpy()
                          for arg in args])  # fmt: skip
    np.testing.assert_allclose(tf.function(function)(*args), expected)


def test_signatures_of_all_traces_long_or_short():
    f = tf.function(lambda x: x)
    assert f.pretty_printed_concrete_signatures() == ""
    f(1)
    f(tf.constant(2))
    concretes = f._list_all_concrete_functions()
    long = "\n\n".join(repr(c.function_type) for c in concretes)
    short = "\n\n".join(str(c.function_type) for c in concretes)
    assert f.pretty_printed_concrete_signatures() == long
    assert f.pretty_printed_concrete_signatures(verbose=False) == short
    assert long.startswith("Input Parameters:")
    assert short.startswith("(x: ")


@pytest.mark.skipif(sys.version_info < (3, 11), reason="a bare `raise` keeps all frames there")
@pytest.mark.parametrize("traced", [False, True])
def test_an_error_of_a_call_shows_the_user_s_lines_alone(traced):
    @tf.function
    def f(x):
        return tf.debugging.assert_positive(x) if traced else tf.reshape(x, [2])

    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)) as caught:
        f(tf.constant([-1.0, -2.0, -3.0]))
    files = {entry.path.name for entry in caught.traceback}
    assert files == {Path(__file__).name}


def test_control_flow_is_staged_unless_autograph_is_off():
    def sign(x):
        return 1.0 if x > 0.0 else -1.0

    assert [tf.function(sign)(tf.constant(v)) for v in (2.0, -2.0)] == [1.0, -1.0]
    statuses = []

    def status(x):
        statuses.append(tf.__internal__.autograph.control_status_ctx().status.name)
        return x

    tf.function(status)(1)
    tf.function(status, autograph=False)(1)
    assert statuses == ["ENABLED", "DISABLED"]
    with pytest.raises(TypeError, match="as a Python `bool` is not allowed"):
        tf.function(sign, autograph=False)(tf.constant(1.0))


def test_a_call_that_comes_often_is_known_by_code(monkeypatch):
    """The guard sees positional arguments, and those by name."""
    f = tf.function(lambda x, y=2: x * y)
    x = tf.constant(3)
    for _ in range(20):
        assert f(x) == 6
    guard, target = f._fast.latest
    assert target is f.get_concrete_function(x)
    (array,) = guard((x,), {})
    assert array is x._array
    assert guard((), {"x": x}) is None
    for _ in range(20):
        assert f(y=4, x=x) == 12
        assert f(x) == 6

    def refuse(*call):
        raise AssertionError("it was looked for")

    monkeypatch.setattr(FastPath, "find", refuse)
    assert f(x) == 6


def test_libraries_read_the_parameters_of_what_wraps_a_function():
    """`inspect.getfullargspec` follows no wrapper; objects with `__get__` are routines to it."""

    def f(x, *, y=2):
        return x * y

    class Model:
        @tf.function
        def call(self, x, y=2):
            return x * y

    for wrapped in (tf.function(f), tf.recompute_grad(f), tf.grad_pass_through(f)):
        assert inspect.getfullargspec(wrapped) == inspect.getfullargspec(f)
        assert inspect.signature(wrapped) == inspect.signature(f)
    assert inspect.getfullargspec(Model().call).args == ["x", "y"]
    assert inspect.signature(type(tf.function(f))).parameters
