"""Programs that retrace: what must be named, what the fix must say, and the fix applied.

A scenario is a function of `fixed`: it makes a tf.function, calls it, and returns it (with the
others, where there are several). `cause` is the rule and the argument that must be found, `code`
what the code of the fix must contain.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import graphwright as tf


@dataclass(frozen=True)
class Scenario:
    name: str
    rule: str
    path: str
    code: str
    program: Callable[[bool], Any]


SCENARIOS: list[Scenario] = []


def scenario(rule: str, path: str, code: str) -> Callable[[Any], Any]:
    def add(program: Callable[[bool], Any]) -> Callable[[bool], Any]:
        SCENARIOS.append(Scenario(program.__name__, rule, path, code, program))
        return program

    return add


def total(x: Any) -> Any:
    return tf.reduce_sum(x)


# -- shapes ---------------------------------------------------------------------------------


@scenario("shape", "data", "input_signature=[tf.TensorSpec([None], tf.int32)]")
def article_variable_sized_input(fixed):
    signature = [tf.TensorSpec([None], tf.int32)] if fixed else None

    @tf.function(input_signature=signature)
    def process_data(data):
        return tf.reduce_sum(data)

    for data in ([1, 2, 3], [1, 2, 3, 4, 5], [1, 2]):
        process_data(tf.constant(data))
    return process_data


@scenario("shape", "data", "input_signature=[tf.TensorSpec([None], tf.float32)]")
def article_eleven_calls(fixed):
    signature = [tf.TensorSpec([None], tf.float32)] if fixed else None
    process_data = tf.function(lambda data: tf.reduce_sum(data), input_signature=signature)
    for n in range(1, 12):
        process_data(tf.ones([n]))
    return process_data


@scenario("shape", "x", "@tf.function(reduce_retracing=True)")
def guide_reduce_retracing(fixed):
    @tf.function(reduce_retracing=fixed)
    def g(x):
        return x

    for n in (3, 5, 7, 9):
        g(tf.range(n))
    return g


@scenario("shape", "image", "size = 1 << max(0, (length - 1).bit_length())")
def article_padding(fixed):
    @tf.function
    def mean(image):
        return tf.reduce_mean(image)

    for n in (3, 5, 6, 7, 9, 12, 15):
        image = tf.ones([2, n])
        if fixed:
            size = 1 << max(0, (n - 1).bit_length())
            image = tf.pad(image, [[0, 0], [0, size - n]])
        mean(image)
    return mean


@scenario("shape", "x", "input_signature=[tf.TensorSpec([None, None], tf.float32)]")
def two_axes(fixed):
    signature = [tf.TensorSpec([None, None], tf.float32)] if fixed else None
    f = tf.function(lambda x: tf.transpose(x), input_signature=signature)
    for shape in ([1, 2], [2, 3], [3, 3]):
        f(tf.ones(shape))
    return f


@scenario("shape", "x", "tf.TensorSpec(None, tf.float32)")
def other_ranks(fixed):
    signature = [tf.TensorSpec(None, tf.float32)] if fixed else None
    f = tf.function(total, input_signature=signature)
    for shape in ([], [2], [2, 3]):
        f(tf.ones(shape))
    return f


@scenario("shape", "batch['image']", "reduce_retracing=True")
def in_a_dictionary(fixed):
    @tf.function(reduce_retracing=fixed)
    def step(batch, training=True):
        return tf.reduce_sum(batch["image"]) + tf.cast(batch["label"][0], tf.float32)

    for n in (1, 2, 3, 4):
        step({"image": tf.ones([n, 2]), "label": tf.zeros([4], tf.int32)})
    return step


@scenario("shape", "pair[1][0]", "tf.TensorSpec([None], tf.float32)")
def in_nested_tuples(fixed):
    spec = tf.TensorSpec([], tf.float32), (tf.TensorSpec([None], tf.float32),)
    f = tf.function(lambda pair: pair[0] + pair[1][0], input_signature=[spec] if fixed else None)
    for n in (1, 2, 3):
        f((tf.constant(1.0), (tf.ones([n]),)))
    return f


@scenario("shape", "x", "tf.TensorSpec([None], tf.float32), tf.TensorSpec([None], tf.float32)")
def two_arguments_at_once(fixed):
    spec = tf.TensorSpec([None], tf.float32)
    f = tf.function(lambda x, y: x * y, input_signature=[spec, spec] if fixed else None)
    for n in (1, 2, 3):
        f(tf.ones([n]), tf.ones([n]))
    return f


@scenario("shape", "args_0", "reduce_retracing=True")
def of_positional_arguments(fixed):
    @tf.function(reduce_retracing=fixed)
    def f(*args):
        return tf.reduce_sum(args[0])

    for n in (1, 2, 3):
        f(tf.ones([n]))
    return f


@scenario("shape", "x", "reduce_retracing=True")
def of_keyword_only_arguments(fixed):
    @tf.function(reduce_retracing=fixed)
    def f(*, x):
        return tf.reduce_sum(x)

    for n in (1, 2, 3, 4):
        f(x=tf.ones([n]))
    return f


@scenario("shape", "x", "tf.TensorSpec([None], tf.float64)")
def of_numpy_arrays(fixed):
    f = tf.function(total, input_signature=[tf.TensorSpec([None], tf.float64)] if fixed else None)
    for n in (1, 2, 3):
        f(np.ones(n))
    return f


@scenario("shape", "x", "reduce_retracing=True")
def last_batch_is_smaller(fixed):
    @tf.function(reduce_retracing=fixed)
    def train(x, training):
        return tf.reduce_sum(x)

    for n in (32, 32, 32, 7, 5):
        train(tf.ones([n, 2]), True)
    return train


# -- dtypes ---------------------------------------------------------------------------------


@scenario("dtype", "x", "tf.cast(x, tf.float64)")
def widths_of_floats(fixed):
    f = tf.function(total)
    for x in (tf.ones([2]), tf.ones([2], tf.float64), tf.ones([2], tf.float16)):
        f(tf.cast(x, tf.float64) if fixed else x)
    return f


@scenario("dtype", "a", "tf.cast(a, tf.float32)")
def integers_and_floats(fixed):
    double = tf.function(lambda a: a + a)
    for a in (tf.constant(1), tf.constant(1.1)):
        double(tf.cast(a, tf.float32) if fixed else a)
    return double


@scenario("dtype", "x", "tf.cast(x, tf.float64)")
def numpy_defaults_to_float64(fixed):
    f = tf.function(total)
    for x in (np.ones(2, np.float32), np.ones(2)):
        f(tf.cast(x, tf.float64) if fixed else x)
    return f


@scenario("dtype", "x", "tf.TensorSpec([None], tf.int64)")
def dtype_and_shape(fixed):
    f = tf.function(total, input_signature=[tf.TensorSpec([None], tf.int64)] if fixed else None)
    for x in (tf.range(2), tf.range(3), tf.range(4, dtype=tf.int64)):
        f(tf.cast(x, tf.int64) if fixed else x)
    return f


# -- Python values --------------------------------------------------------------------------


@scenario("literal value", "num_steps", "train(tf.constant(num_steps))")
def guide_python_arguments(fixed):
    @tf.function
    def train(num_steps):
        for _ in tf.range(num_steps):
            pass

    for n in (10, 20):
        train(num_steps=tf.constant(n) if fixed else n)
    return train


@scenario("literal value", "lr", "tf.constant(lr)")
def learning_rate(fixed):
    @tf.function
    def step(x, lr):
        return x - lr

    for i in range(6):
        lr = 0.1 / (i + 1)
        step(tf.constant(1.0), tf.constant(lr) if fixed else lr)
    return step


@scenario("literal value", "n", "input_signature=[tf.TensorSpec([], tf.int32)]")
def integer_by_signature(fixed):
    f = tf.function(
        lambda n: n * 2, input_signature=[tf.TensorSpec([], tf.int32)] if fixed else None
    )
    for n in range(4):
        f(n)
    return f


@scenario("literal value", "x", "tf.constant(x, tf.float32)")
def int_and_float(fixed):
    f = tf.function(lambda x: x * 2)
    for x in (1, 2.5, 3):
        f(tf.constant(x, tf.float32) if fixed else x)
    return f


@scenario("literal value", "training", "tf.constant(training)")
def flag(fixed):
    @tf.function
    def f(x, training):
        if training:
            return x * 2
        return x

    for training in (True, False, True):
        f(tf.constant(1), tf.constant(training) if fixed else training)
    return f


@scenario("literal value", "text", "tf.constant(text)")
def text_argument(fixed):
    f = tf.function(lambda text: tf.strings.length(text))
    for text in ("a", "bb", "ccc"):
        f(tf.constant(text) if fixed else text)
    return f


@scenario("literal value", "big", "tf.constant(big, tf.int64)")
def large_integers(fixed):
    f = tf.function(lambda big: big + 1)
    for big in (2**40, 2**41):
        f(tf.constant(big, tf.int64) if fixed else big)
    return f


@scenario("literal value", "config['rate']", "config['rate'] = tf.constant(config['rate'])")
def number_in_a_dictionary(fixed):
    f = tf.function(lambda config, x: x * config["rate"])
    for rate in (0.1, 0.2, 0.3):
        config = {"rate": rate}
        if fixed:
            config["rate"] = tf.constant(config["rate"])
        f(config, tf.constant(1.0))
    return f


@scenario("literal value", "items[0]", "items[0] = tf.constant(items[0])")
def guide_order_of_a_list(fixed):
    f = tf.function(lambda items: items[0] - items[1])
    for items in ([1, 2], [2, 1]):
        f([tf.constant(i) for i in items] if fixed else items)
    return f


@scenario("literal value", "n", "n=tf.constant(n)")
def keyword_only_number(fixed):
    @tf.function
    def f(*, n):
        return n + 1

    for n in (1, 2, 3):
        f(n=tf.constant(n) if fixed else n)
    return f


# -- a tensor here, a Python value there ----------------------------------------------------


@scenario("input_signature absent", "n", "tf.constant(n, tf.int32)")
def number_or_tensor(fixed):
    f = tf.function(lambda n: n * 2)
    for n in (tf.constant(1), 2, 2):
        f(tf.constant(n, tf.int32) if fixed and isinstance(n, int) else n)
    return f


@scenario("input_signature absent", "n", "input_signature=[tf.TensorSpec([], tf.int32)]")
def number_or_tensor_by_signature(fixed):
    signature = [tf.TensorSpec([], tf.int32)] if fixed else None
    f = tf.function(lambda n: n * 2, input_signature=signature)
    for n in (tf.constant(1), 2, 3):
        f(n)
    return f


# -- objects --------------------------------------------------------------------------------


class MyData:
    def __init__(self, value):
        self.value = value


class EqualData(MyData):
    def __eq__(self, other):
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self):
        return hash((type(self), *vars(self).values()))


class DataTraceType(tf.types.experimental.TraceType):
    def __init__(self, value):
        self.value = value
        self.key = (type(value), *vars(value).values())

    def is_subtype_of(self, other):
        return self == other

    def most_specific_common_supertype(self, others):
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context=None):
        return self.value

    def __eq__(self, other):
        return isinstance(other, DataTraceType) and self.key == other.key

    def __hash__(self):
        return hash(self.key)


class TypedData(MyData):
    def __tf_tracing_type__(self, context):
        return DataTraceType(self)


@scenario("object identity", "data", "def __eq__(self, other):")
def article_objects_without_equality(fixed):
    kind = EqualData if fixed else MyData
    use = tf.function(lambda data: tf.constant(data.value * 2))
    kept = [kind(10), kind(10), kind(10)]
    for data in kept:
        use(data)
    return use


@scenario("object identity", "data", "def __tf_tracing_type__(self, context):")
def objects_with_a_trace_type(fixed):
    kind = TypedData if fixed else MyData
    use = tf.function(lambda data: tf.constant(data.value * 2))
    kept = [kind(10), kind(20), kind(10)]
    for data in kept:
        use(data)
    return use


@scenario("object identity", "data", "f(tf.constant(data.value))")
def objects_of_numbers(fixed):
    use = tf.function(lambda data: (data if fixed else data.value) * 2)
    kept = [MyData(1.0), MyData(2.0), MyData(3.0)]
    for data in kept:
        use(tf.constant(data.value) if fixed else data)
    return use


class Fruit:
    flavor = tf.constant([0, 0])


class Apple(Fruit):
    flavor = tf.constant([1, 2])


class Mango(Fruit):
    flavor = tf.constant([3, 4])


class TypedApple(TypedData):
    flavor = tf.constant([1, 2])

    def __init__(self):
        pass


class TypedMango(TypedApple):
    flavor = tf.constant([3, 4])


@scenario("dead weak reference", "fruit_a", "def __tf_tracing_type__(self, context):")
def guide_fruits_with_a_trace_type(fixed):
    get_mixed_flavor = tf.function(lambda fruit_a, fruit_b: fruit_a.flavor + fruit_b.flavor)
    for _ in range(3):
        if fixed:
            get_mixed_flavor(TypedApple(), TypedMango())
        else:
            get_mixed_flavor(Apple(), Mango())
    return get_mixed_flavor


@scenario("dead weak reference", "fruit", "fruit = Apple(...)  # once")
def objects_kept_alive(fixed):
    flavor = tf.function(lambda fruit: fruit.flavor * 2)
    apple = Apple()
    for _ in range(3):
        flavor(apple if fixed else Apple())
    return flavor


@scenario("dead weak reference", "fruit", "kept outside the calls")
def known_issue_reused_id(fixed):
    flavor = tf.function(lambda fruit: fruit.flavor * 2)
    seen = set()
    apple = Apple()
    for _ in range(5):
        fruit = apple if fixed else Apple()
        seen.add(id(fruit))
        flavor(fruit)
        del fruit
    return flavor


class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(2.0)

    @tf.function
    def __call__(self, x):
        return x * self.w


@scenario("another instance", "__call__", "shared = Model(...)  # once")
def method_of_new_instances(fixed):
    shared = Model()
    models = [shared if fixed else Model() for _ in range(4)]
    for model in models:
        model(tf.constant(1.0))
    functions = list({id(m): m.__call__ for m in models}.values())
    return functions


class Normalizer:
    def __init__(self, mean):
        self.mean = mean

    @tf.function
    def __call__(self, x):
        return x - self.mean


@tf.function
def normalizer_call(mean, x):
    return x - mean


@scenario(
    "another instance", "__call__", "return normalizer_call(tf.convert_to_tensor(self.mean), x)"
)
def method_of_temporary_instances(fixed):
    x = tf.constant([1.0, 2.0])
    if fixed:
        function = tf.function(normalizer_call.python_function)
        for mean in (1.0, 2.0, 3.0):
            function(tf.convert_to_tensor(mean), x)
        return function
    kept = [Normalizer(mean) for mean in (1.0, 2.0, 3.0)]
    for each in kept:
        each(x)
    return [each.__call__ for each in kept]


@scenario("dead weak reference", "f", "f = ...  # what stands at")
def a_lambda_for_each_call(fixed):
    total_of = tf.function(lambda f, x: tf.reduce_sum(f(x)))
    twice = lambda v: v * 2.0  # noqa: E731
    for _ in range(4):
        total_of(twice if fixed else lambda v: v * 2.0, tf.constant([1.0, 2.0]))
    return total_of


@scenario("object identity", "f", "f = ...  # what stands at")
def lambdas_that_are_kept(fixed):
    total_of = tf.function(lambda f, x: tf.reduce_sum(f(x)))
    kept = [lambda v: v * 2.0 for _ in range(4)]
    for f in kept:
        total_of(kept[0] if fixed else f, tf.constant([1.0, 2.0]))
    return total_of


@scenario("dead weak reference", "f", "f = ...  # what stands at")
def lambdas_that_capture_other_values(fixed):
    total_of = tf.function(lambda f, x: tf.reduce_sum(f(x)))
    kept = {}

    def scaled(k):
        return lambda v: v * k

    for k in (1.0, 2.0, 1.0, 2.0):
        f = kept.setdefault(k, scaled(k)) if fixed else scaled(k)
        total_of(f, tf.constant([1.0, 2.0]))
        del f
    return total_of


class Config:
    """Equal by what decides the graph."""

    def __init__(self, units, rate):
        self.units = units
        self.rate = rate

    def __eq__(self, other):
        return isinstance(other, Config) and self.units == other.units

    def __hash__(self):
        return hash(self.units)


@scenario("dead weak reference", "config", "config = Config(...)  # once, kept outside the calls")
def equal_objects_that_are_gone(fixed):
    layer = tf.function(lambda x, config: x * config.units)
    kept = []
    for rate in (0.1, 0.2, 0.3):
        config = Config(3, rate)
        if fixed:
            kept.append(config)
        layer(tf.constant(1), config)
        del config
    return layer


@scenario("literal value", "training", "call(x, bool(training))")
def flags_as_numbers(fixed):
    @tf.function
    def call(x, training):
        return x * 2.0 if training else x

    for training in (True, False, 1, 0):
        call(tf.constant(1.0), bool(training) if fixed else training)
    return call


# -- structures -----------------------------------------------------------------------------


@scenario("structure", "items", "tf.stack(items)")
def article_lists_of_other_lengths(fixed):
    signature = [tf.TensorSpec([None], tf.int32)] if fixed else None
    total_of = tf.function(
        lambda items: tf.reduce_sum(items if fixed else tf.stack(items)), input_signature=signature
    )
    for n in (1, 2, 3):
        items = [tf.constant(i) for i in range(n)]
        total_of(tf.stack(items) if fixed else items)
    return total_of


@scenario("structure", "items", "tf.stack(items)")
def numbers_in_a_list(fixed):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)] if fixed else None)
    def total_of(items):
        return tf.reduce_sum(items)

    for items in ([1], [1, 2], [1, 2, 3]):
        total_of(tf.stack(items) if fixed else items)
    return total_of


@scenario("structure", "items", "list(items)")
def list_or_tuple(fixed):
    f = tf.function(lambda items: items[0])
    for items in ([tf.constant(1)], (tf.constant(2),)):
        f(list(items) if fixed else items)
    return f


@scenario("structure", "tokens", "tf.stack(tokens)")
def sentences_in_lists(fixed):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)] if fixed else None)
    def length(tokens):
        return tf.reduce_sum(tf.strings.length(tokens))

    for sentence in ("the cat", "a dog runs home", "yes", "one two three"):
        tokens = sentence.split()
        length(tf.stack(tokens) if fixed else tokens)
    return length


@scenario("structure", "batch", "default = {'x': tf.zeros([], tf.float32), 'y': tf.zeros([], tf.f")
def dictionaries_of_other_keys(fixed):
    f = tf.function(lambda batch: batch["x"])
    default = {"x": tf.constant(0.0), "y": tf.constant(0.0)}
    for batch in ({"x": tf.constant(1.0)}, {"x": tf.constant(1.0), "y": tf.constant(2.0)}):
        f({key: batch.get(key, default[key]) for key in default} if fixed else batch)
    return f


@scenario("structure", "*args", "tf.stack(args)")
def number_of_arguments(fixed):
    @tf.function(reduce_retracing=fixed)
    def f(*args):
        return tf.add_n(list(args)) if not fixed else tf.reduce_sum(args[0])

    @tf.function(reduce_retracing=True)
    def g(args):
        return tf.reduce_sum(args)

    for n in (1, 2, 3, 4):
        args = [tf.constant(1.0)] * n
        g(tf.stack(args)) if fixed else f(*args)
    return g if fixed else f


@scenario("structure", "**kwargs", "f(a=a, b=b)")
def other_keywords(fixed):
    @tf.function
    def f(**kwargs):
        return tf.add_n(list(kwargs.values()))

    one, zero = tf.constant(1.0), tf.constant(0.0)
    if fixed:
        f(a=one, b=zero)
        f(a=zero, b=one)
    else:
        f(a=one)
        f(b=one)
    return f


class Point(NamedTuple):
    x: Any
    y: Any


@scenario("shape", "point.y", "reduce_retracing=True")
def field_of_a_named_tuple(fixed):
    f = tf.function(lambda point: tf.reduce_sum(point.y), reduce_retracing=fixed)
    for n in (1, 2, 3):
        f(Point(tf.constant(1.0), tf.ones([n])))
    return f


# -- variables ------------------------------------------------------------------------------


@scenario("variable identity", "b", "tf.identity(b)")
def same_variable_twice(fixed):
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    f = tf.function(lambda a, b: a + b)
    for b in (v, w):
        f(v, tf.identity(b) if fixed else b)
    return f


@scenario("shape", "v", "reduce_retracing=True")
def variables_of_other_shapes(fixed):
    f = tf.function(lambda v: tf.reduce_sum(v), reduce_retracing=fixed)
    kept = [tf.Variable(tf.ones([n])) for n in (1, 2, 3, 4)]
    for v in kept:
        f(v)
    return f


# -- many functions, functions in functions -------------------------------------------------


@scenario("new decorator each call", "f", "f = tf.function(f)  # once, outside the loop")
def decorator_in_a_loop(fixed):
    def f(x):
        return x + 1

    staged = tf.function(f)
    made = []
    for i in range(6):
        each = staged if fixed else tf.function(f)
        each(tf.constant(i))
        made.append(each)
    return [staged] if fixed else made


@scenario("new decorator each call", "<lambda>", "once, outside the loop")
def guide_separate_functions(fixed):
    made = []
    shared = None
    for _ in range(2):
        shared = shared if fixed and shared else tf.function(lambda: tf.constant(1))
        shared()
        made.append(shared)
    return [shared] if fixed else made


@scenario("tensor of the function around it", "inner", "def inner(y, ")
def inner_function_captures(fixed):
    holder = {}

    @tf.function
    def inner(y, x=None):
        return y + (holder["x"] if x is None else x)

    @tf.function
    def outer(x):
        holder["x"] = x * 2
        return inner(tf.constant(1.0), holder["x"]) if fixed else inner(tf.constant(1.0))

    outer(tf.constant([1.0]))
    if not fixed:
        outer(tf.constant([1.0, 2.0]))
    else:
        outer(tf.constant([3.0]))
    return inner


@scenario("recursion", "n", "return countdown(n)")
def guide_python_recursion(fixed):
    def countdown(n):
        return countdown(n - 1) if n > 0 else 0

    @tf.function
    def staged(n):
        return countdown(n)

    if not fixed:
        staged = countdown = tf.function(countdown)
    assert staged(5) == 0
    return staged


@scenario("recursion", "xs", "return total(xs)")
def recursion_over_a_list(fixed):
    def total(xs):
        return xs[0] + total(xs[1:]) if xs else tf.constant(0.0)

    @tf.function
    def staged(xs):
        return total(xs)

    if not fixed:
        staged = total = tf.function(total)
    assert staged([1.0, 2.0, 3.0]) == 6.0
    assert staged([1.0, 2.0, 3.0, 4.0]) == 10.0
    return staged


@scenario("recursion", "x", "return largest(x)")
def recursion_over_halves(fixed):
    def largest(x):
        if x.shape[0] == 1:
            return x[0]
        half = x.shape[0] // 2
        return tf.maximum(largest(x[:half]), largest(x[half:]))

    @tf.function
    def staged(x):
        return largest(x)

    if not fixed:
        staged = largest = tf.function(largest)
    assert staged(tf.constant([3.0, 1.0, 4.0, 1.0, 5.0])) == 5.0
    return staged


@scenario("recursion", "depth", "return self.build(depth)")
def recursion_of_a_method(fixed):
    class Tree:
        def build(self, depth):
            return tf.constant(1.0) if depth == 0 else 2.0 * self.build(depth - 1)

        @tf.function
        def staged(self, depth):
            return self.build(depth)

    class Recursive(Tree):
        build = tf.function(Tree.build)

    tree = Tree() if fixed else Recursive()
    method = tree.staged if fixed else tree.build
    assert method(3) == 8.0
    return method


@scenario("state that changed", "RATE", "RATE = tf.Variable(1.0)")
def global_with_on_stale_retrace(fixed):
    global RATE
    RATE = tf.Variable(1.0) if fixed else 1.0

    @tf.function(on_stale="retrace")
    def scaled(x):
        return x * RATE

    for rate in (1.0, 2.0, 3.0):
        if fixed:
            RATE.assign(rate)
        else:
            RATE = rate
        assert float(scaled(tf.constant(2.0))) == 2.0 * rate
    return scaled


RATE: Any = 1.0
