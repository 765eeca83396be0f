"""Programs that fail: what must be said, and the form that works.

A program makes a tf.function and returns it with the call that fails (or, when `fixed`, works).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import graphwright as tf


@dataclass(frozen=True)
class Scenario:
    name: str
    error: type[BaseException]
    sentence: str
    code: str
    program: Callable[[bool], Any]


SCENARIOS: list[Scenario] = []


def scenario(error: type[BaseException], sentence: str, code: str) -> Callable[[Any], Any]:
    def add(program: Callable[[bool], Any]) -> Callable[[bool], Any]:
        SCENARIOS.append(Scenario(program.__name__, error, sentence, code, program))
        return program

    return add


@scenario(ValueError, "A variable is created while", "v = tf.Variable(1.0)  # once, outside")
def guide_new_variable_at_every_call(fixed):
    outside = tf.Variable(1.0)

    @tf.function
    def f(x):
        v = outside
        if not fixed:
            v = tf.Variable(1.0)
        return v * x

    return f, lambda: f(tf.constant(1.0))


@scenario(TypeError, "Python asks for the truth of a tensor", "without autograph=False")
def guide_condition_without_autograph(fixed):
    @tf.function(autograph=fixed)
    def f(x):
        if x > 0:
            return x
        return -x

    return f, lambda: f(tf.constant(1))


@scenario(TypeError, "A comprehension asks for the truth", "tf.boolean_mask(items, mask)")
def condition_in_a_comprehension(fixed):
    @tf.function
    def f(x):
        if fixed:
            return tf.boolean_mask([1, 2], x > [1, 2])
        return tf.stack([i for i in (1, 2) if x > i])

    return f, lambda: f(tf.constant(2))


@scenario(TypeError, "Code that AutoGraph does not convert asks", "lambda: ..., lambda: ...)")
def condition_in_code_that_is_not_converted(fixed):
    @tf.autograph.experimental.do_not_convert
    def size(x):
        return tf.cond(x > 0, lambda: x, lambda: -x) if fixed else x if x > 0 else -x

    @tf.function
    def f(x):
        return size(x)

    return f, lambda: f(tf.constant(-2))


@scenario(TypeError, "Code that AutoGraph does not convert iterates", "tf.range(n))")
def comprehension_over_a_tensor(fixed):
    @tf.function
    def f(n):
        if fixed:
            return tf.map_fn(lambda i: i * 2, tf.range(n))
        return [i * 2 for i in range(n)]

    return f, lambda: f(tf.constant(3))


@scenario(TypeError, "Python iterates over a tensor", "@tf.function  # without autograph=False")
def loop_without_autograph(fixed):
    @tf.function(autograph=fixed)
    def f(x):
        total = 0
        for item in x:
            total += item
        return total

    return f, lambda: f(tf.constant([1, 2]))


@scenario(TypeError, "Code that AutoGraph does not convert iterates", "tf.map_fn(lambda item")
def comprehension_without_autograph(fixed):
    @tf.function(autograph=False)
    def f(x):
        if fixed:
            return tf.map_fn(lambda item: item * 2, x)
        return tf.stack([item * 2 for item in x])

    return f, lambda: f(tf.constant([1, 2]))


@scenario(ValueError, "made in the body of a loop", "tf.TensorArray(dtype, size=0")
def article_list_in_a_loop(fixed):
    @tf.function
    def process_data(data):
        if fixed:
            array = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
            for i in tf.range(tf.shape(data)[0]):
                array = array.write(i, tf.square(data[i]))
            return array.stack()
        result = []
        for item in data:
            result.append(tf.square(item))
        return tf.stack(result)

    return process_data, lambda: process_data(tf.constant([1, 2, 3]))


@scenario(TypeError, "stored by `kept.append(...)` (", "where `kept.append(a + 1)` makes it")
def guide_leaked_tensor(fixed):
    kept = []

    @tf.function
    def leaky(a):
        kept.append(a + 1)
        return a + 2, a + 1

    @tf.function
    def captures(b):
        return b + kept[0]

    _, right = leaky(tf.constant(1))
    if fixed:
        kept[0] = right
    return captures, lambda: (leaky, captures(tf.constant(2)))


class Unhashable:
    __slots__ = ("value",)
    __hash__ = None

    def __init__(self):
        self.value = 3


class Hashable(Unhashable):
    __slots__ = ()

    def __hash__(self):
        return hash(self.value)


@scenario(TypeError, "neither hashed nor referred to weakly", "def __hash__(self):")
def article_unhashable_argument(fixed):
    use = tf.function(lambda data: tf.constant(data.value))
    return use, lambda: use(Hashable() if fixed else Unhashable())


@scenario(
    TypeError,
    "input_signature has int32[?] for the argument `x`",
    "tf.TensorSpec(None, tf.int32)",
)
def guide_signature_of_another_rank(fixed):
    spec = tf.TensorSpec(None if fixed else [None], tf.int32)

    @tf.function(input_signature=[spec])
    def next_collatz(x):
        return tf.where(x % 2 == 0, x // 2, 3 * x + 1)

    return next_collatz, lambda: next_collatz(tf.constant([[1, 2], [3, 4]]))


@scenario(
    TypeError, "does not have the type that input_signature fixes", "tf.TensorSpec(None, ...)"
)
def signature_of_another_structure(fixed):
    @tf.function(input_signature=[{"x": tf.TensorSpec([], tf.int32)}])
    def double(numbers):
        return numbers["x"] * 2

    return double, lambda: double({"x": 1} if fixed else {"y": 1})


@scenario(TypeError, "An operand is None, which has no arithmetic", "tape.watch(x)")
def gradient_of_what_is_not_watched(fixed):
    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            if fixed:
                tape.watch(x)
            y = x * x
        return x - 0.1 * tape.gradient(y, x)

    return step, lambda: step(tf.constant(2.0))


@scenario(TypeError, "does not fit the function's parameters", "def add(a, b): ...")
def missing_argument(fixed):
    @tf.function
    def add(a, b):
        return a + b

    return add, lambda: add(1, 2) if fixed else add(1)


@scenario(RecursionError, "tracing never ends", "while n > 0:")
def guide_recursion_on_a_tensor(fixed):
    @tf.function
    def recursive(n):
        if fixed:
            while n > 0:
                n = n - 1
            return n
        return recursive(n - 1) if n > 0 else n

    return recursive, lambda: recursive(tf.constant(5))


@scenario(ValueError, "`y` gets its value in one branch only", "y = ...  # before the `if`")
def guide_undefined_in_a_branch(fixed):
    @tf.function
    def f(x):
        if fixed:
            y = x
        if x > 0:
            y = x * 2
        return y

    return f, lambda: f(tf.constant(1))


@scenario(TypeError, "tf.cond has a Python bool", "conditional(tf.constant(...))")
def article_cond_of_a_python_number(fixed):
    @tf.function
    def conditional(x):
        return tf.cond(x > 2, lambda: x * 2, lambda: x + 1)

    return conditional, lambda: conditional(tf.constant(3) if fixed else 3)


@scenario(TypeError, "Two operands differ in dtype", "tf.cast(x, tf.")
def article_mixed_dtypes(fixed):
    @tf.function
    def mixed(x, y):
        return (tf.cast(x, tf.float32) if fixed else x) + y

    return mixed, lambda: mixed(tf.constant(1), tf.constant(2.0))


@scenario(NotImplementedError, "NumPy asks for the value", "tf.numpy_function(")
def article_numpy_without_a_graph_form(fixed):
    @tf.function
    def f(x):
        if fixed:
            return tf.numpy_function(np.median, [x], tf.float64)
        return np.asarray(x)

    return f, lambda: f(tf.constant([1.0, 2.0], tf.float64))


@scenario(TypeError, "Python asks for the int of a tensor", "tf.cast(x, tf.int32)")
def int_of_a_tensor(fixed):
    @tf.function(autograph=False)
    def f(x):
        return tf.cast(x, tf.int32) if fixed else int(x)

    return f, lambda: f(tf.constant(1.5))


@scenario(TypeError, "`len` needs a number", "tf.shape(x)[0]")
def length_without_autograph(fixed):
    @tf.function(autograph=False)
    def f(x):
        return tf.shape(x)[0] if fixed else len(x)

    return f, lambda: f(tf.constant([1.5]))


@scenario(TypeError, "which no graph can give back", "tf.convert_to_tensor")
def returned_object(fixed):
    @tf.function
    def f(x):
        return x if fixed else object()

    return f, lambda: f(tf.constant(1))


@scenario(ReferenceError, "The instance whose method `step`", "model = Model()  # kept")
def instance_that_is_gone(fixed):
    class Model:
        @tf.function
        def step(self, x):
            return x + 1

    model = Model()
    model.step(tf.constant(1.0))
    step = model.step
    if not fixed:
        del model
    else:
        step.kept = model
    return step, lambda: step(tf.constant(1))


@scenario(ValueError, "A container holds itself", "items.remove(items)")
def list_in_itself(fixed):
    f = tf.function(lambda items: items[0])
    items = [tf.constant(1)]
    if not fixed:
        items.append(items)
    return f, lambda: f(items=items)


@scenario(ValueError, "A tensor decides whether the function returns", "at the end of the function")
def return_on_one_way(fixed):
    @tf.function
    def f(x):
        if x > 0:
            return x
        if fixed:
            return -x

    return f, lambda: f(tf.constant(1))


@scenario(AttributeError, "The program reads the value of `x`", "tf.py_function(lambda value:")
def value_read_while_tracing(fixed):
    @tf.function
    def f(x):
        if fixed:
            return tf.py_function(lambda value: value.numpy(), [x], x.dtype) + 1
        return x.numpy() + 1

    return f, lambda: f(tf.constant(1))


@scenario(AttributeError, "Tensors have no `astype`", "tf.cast(x, dtype)")
def method_of_arrays(fixed):
    dtype = tf.float32

    @tf.function
    def f(x):
        return tf.cast(x, dtype) if fixed else x.astype(dtype)

    return f, lambda: f(tf.constant(1))


@scenario(TypeError, "was stored outside the function that made it", "return ..., tensor")
def tensor_of_another_function(fixed):
    shelf = []

    @tf.function
    def first(x):
        if not fixed:
            shelf.append(x * 2)
        return x * 2

    result = first(tf.constant(1))
    if fixed:
        shelf.append(result)
    f = tf.function(lambda x: x + shelf[0])
    return f, lambda: f(tf.constant(1))


@scenario(TypeError, "A loop variable changes its dtype", "x = tf.cast(x, tf.float64)")
def dtype_of_a_while_loop(fixed):
    @tf.function
    def f(x):
        if fixed:
            x = tf.cast(x, tf.float64)
        return tf.while_loop(lambda x: x < 3, lambda x: [tf.cast(x, tf.float64) + 1], [x])

    return f, lambda: f(tf.constant(0.0))
