"""Models of every kind that can be saved, made with TensorFlow or with graphwright.

Each recipe takes the module, and a folder for files that the model needs.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

#: A call: the path of what is called, its positional arguments, and those by name.
Call = tuple[str, list[Any], dict[str, Any]]
#: What a recipe returns: the object, the arguments of `tf.saved_model.save`, and calls.
Recipe = tuple[Any, dict[str, Any], list[Call]]


def control_flow(tf: Any, folder: Path) -> Recipe:
    """Variables, a tensor `if` with a `while` in it, and state that calls change."""

    class Steps(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = tf.Variable([1.5, -2.0], name="scale")
            self.count = tf.Variable(0, name="count")

        @tf.function(input_signature=[tf.TensorSpec([2]), tf.TensorSpec([], tf.int32)])
        def f(self, x: Any, n: Any) -> Any:
            self.count.assign_add(1)
            if tf.reduce_sum(x) > 0.0:
                i = tf.constant(0)
                while i < n:
                    x = x * self.scale + tf.cast(i, tf.float32)
                    i += 1
            else:
                x = x - self.scale
            return {"x": x, "count": self.count.read_value()}

    x = tf.constant([1.0, 2.0])
    calls = [("f", [x, tf.constant(n)], {}) for n in (0, 1, 5)]
    return Steps(), {}, [*calls, ("f", [-x, tf.constant(3)], {})]


def signatures(tf: Any, folder: Path) -> Recipe:
    """Two signatures with names of their own, of several results."""

    class Scores(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weights = tf.Variable([[1.0], [-1.0]])

        @tf.function(input_signature=[tf.TensorSpec([None, 2], name="features")])
        def score(self, features: Any) -> Any:
            raw = tf.matmul(features, self.weights)
            return {"raw": raw, "probability": tf.sigmoid(raw)}

        @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([])])
        def above(self, features: Any, limit: Any) -> Any:
            return tf.matmul(features, self.weights) > limit

    model = Scores()
    x = tf.constant([[1.0, 2.0], [3.0, 0.5], [0.0, 0.0]])
    calls: list[Call] = [
        ("signatures/serving_default", [], {"features": x}),
        ("signatures/above", [], {"features": x, "limit": tf.constant(0.5)}),
        ("score", [x], {}),
        ("above", [x, tf.constant(0.5)], {}),
    ]
    return model, {"signatures": {"serving_default": model.score, "above": model.above}}, calls


def traces(tf: Any, folder: Path) -> Recipe:
    """Several traces of one function: by dtypes, shapes, and Python literals."""

    class Powers(tf.Module):
        @tf.function
        def f(self, x: Any, power: Any = 2, *, negate: bool = False) -> Any:
            y = x**power
            return -y if negate else y

    model = Powers()
    model.f.get_concrete_function(tf.TensorSpec([None], tf.float32))
    model.f.get_concrete_function(tf.TensorSpec([None], tf.float32), 3)
    model.f.get_concrete_function(tf.TensorSpec([], tf.int64), 2, negate=True)
    model.f.get_concrete_function(
        tf.TensorSpec([2, None], tf.float64), tf.TensorSpec([], tf.float64)
    )
    x = tf.constant([1.0, -2.0, 3.0])
    calls: list[Call] = [
        ("f", [x], {}),
        ("f", [x, 3], {}),
        ("f", [x], {"power": 3}),
        ("f", [tf.constant(-3, tf.int64)], {"negate": True}),
        ("f", [tf.ones([2, 3], tf.float64) * 3, tf.constant(0.5, tf.float64)], {}),
        ("f", [[1.0, 2.0]], {}),
    ]
    return model, {}, calls


def structures(tf: Any, folder: Path) -> Recipe:
    """Nested arguments and results, and trackables in lists and dicts."""

    class Layer(tf.Module):
        def __init__(self, value: float) -> None:
            super().__init__()
            self.bias = tf.Variable(value, name=f"bias{value:.0f}")

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def __call__(self, x: Any) -> Any:
            return x + self.bias

    class Nested(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = [Layer(1.0), Layer(2.0)]
            self.named = {"first": self.layers[0], "other": {"deep": Layer(5.0)}}
            self.pair = (Layer(7.0), tf.Variable([3], name="three"))

        @tf.function(
            input_signature=[
                {
                    "a": tf.TensorSpec([None], tf.float32),
                    "b": [tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.float32)],
                }
            ]
        )
        def f(self, inputs: Any) -> Any:
            total = inputs["a"]
            for layer in self.layers:
                total = layer(total)
            return [total, {"n": inputs["b"][0] + 1, "pair": (inputs["b"][1], None)}]

    x = tf.constant([1.0, 2.0])
    calls: list[Call] = [
        ("f", [{"a": x, "b": [tf.constant(4), 3 * x]}], {}),
        ("layers/0", [x], {}),
        ("named/other/deep", [x], {}),
        ("pair/0", [x], {}),
    ]
    return Nested(), {}, calls


def composites(tf: Any, folder: Path) -> Recipe:
    """Ragged and sparse arguments and results."""

    class Rows(tf.Module):
        @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])
        def double(self, rows: Any) -> Any:
            return rows.with_values(rows.values * 2), tf.reduce_sum(rows.values)

        @tf.function(input_signature=[tf.SparseTensorSpec([None, 3], tf.float32)])
        def negate(self, sparse: Any) -> Any:
            values = tf.SparseTensor(sparse.indices, -sparse.values, sparse.dense_shape)
            return {"sparse": values, "dense": tf.sparse.to_dense(sparse)}

    ragged = tf.ragged.constant([[1, 2], [], [3]])
    sparse = tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 3])
    return Rows(), {}, [("double", [ragged], {}), ("negate", [sparse], {})]


def table(tf: Any, folder: Path) -> Recipe:
    """Tables: one that a file fills, which becomes an asset, and one that tensors fill."""
    path = folder / "words.txt"
    path.write_text("emerson\nlake\npalmer\n")
    index = tf.lookup.TextFileIndex

    class Words(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            lines = tf.lookup.TextFileInitializer(
                str(path), tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER
            )
            self.numbers = tf.lookup.StaticHashTable(lines, -1)
            pairs = tf.lookup.KeyValueTensorInitializer(
                tf.constant([0, 1], tf.int64), tf.constant(["zero", "one"])
            )
            self.names = tf.lookup.StaticHashTable(pairs, "many")

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def f(self, words: Any) -> Any:
            numbers = self.numbers.lookup(words)
            return numbers, self.names.lookup(numbers), self.numbers.size()

    return Words(), {}, [("f", [tf.constant(["lake", "moon", "emerson"])], {})]


def dtypes(tf: Any, folder: Path) -> Recipe:
    """Variables of many dtypes, large and empty ones, and constants of these."""

    class Many(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.strings = tf.Variable(["a", "", "long " * 50], name="strings")
            self.bools = tf.Variable([True, False], trainable=False, name="bools")
            self.bfloats = tf.Variable(tf.constant([1.5, -2.25], tf.bfloat16), name="bfloats")
            self.halves = tf.Variable(tf.constant([0.1], tf.float16), name="halves")
            self.large = tf.Variable(tf.range(2000, dtype=tf.int64), name="large")
            self.empty = tf.Variable(tf.zeros([0, 3]), shape=[None, 3], name="empty")
            self.complex = tf.Variable(tf.complex(1.0, 2.0), name="complex")
            self.bytes = tf.Variable(
                tf.constant([[1], [255]], tf.uint8), trainable=False, name="bytes"
            )

        @tf.function(input_signature=[])
        def all(self) -> Any:
            return [
                self.strings.read_value(), self.bools.read_value(), self.bfloats * 2,
                self.halves + tf.constant([0.5], tf.float16), tf.reduce_sum(self.large),
                self.empty.read_value(), self.complex * tf.complex(0.0, 1.0),
                self.bytes.read_value(), tf.constant(["x", "y"]), tf.range(300)[::7],
            ]  # fmt: skip

    return Many(), {}, [("all", [], {})]


def custom_gradient(tf: Any, folder: Path) -> Recipe:
    """A function that states its own gradient, which is saved with it."""

    @tf.custom_gradient
    def clipped(x: Any) -> Any:
        return x * x, lambda upstream: tf.clip_by_value(upstream * 2 * x, -1.0, 1.0)

    class Clipped(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def f(self, x: Any) -> Any:
            return clipped(x) + x

    options = tf.saved_model.SaveOptions(experimental_custom_gradients=True)
    return Clipped(), {"options": options}, [("f", [tf.constant([0.25, 3.0])], {})]


def calls(tf: Any, folder: Path) -> Recipe:
    """Functions that call functions, a branch by number, captured constants."""
    big = tf.constant(np.arange(300, dtype=np.float32))

    @tf.function
    def inner(x: Any, factor: Any) -> Any:
        return x * factor + tf.reduce_sum(big)

    class Caller(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.factor = tf.Variable(2.0)

        @tf.function(input_signature=[tf.TensorSpec(None, tf.float32), tf.TensorSpec([], tf.int32)])
        def f(self, x: Any, which: Any) -> Any:
            def assigning() -> Any:
                self.factor.assign_add(1.0)
                return self.factor * x

            return tf.switch_case(
                which, [lambda: inner(x, self.factor), lambda: x - 1.0, assigning]
            )

    x = tf.constant([[1.0, 2.0]])
    return Caller(), {}, [("f", [x, tf.constant(n)], {}) for n in (0, 1, 2, 0, 7)]


def lists(tf: Any, folder: Path) -> Recipe:
    """TensorArrays, `map_fn`, a loop whose shapes grow."""

    class Loops(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None, 2])])
        def f(self, x: Any) -> Any:
            array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
            for row in x:
                array = array.write(array.size(), tf.reduce_max(row))
            doubled = tf.map_fn(lambda row: row * 2.0, x)
            _, grown = tf.while_loop(
                lambda i, _: i < 3,
                lambda i, g: (i + 1, tf.concat([g, tf.cast([i], tf.float32)], 0)),
                [0, tf.zeros([1])],
                shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
            )
            return array.stack(), doubled, grown

    return Loops(), {}, [("f", [tf.constant([[1.0, 5.0], [4.0, 2.0], [0.0, -1.0]])], {})]


def random(tf: Any, folder: Path) -> Recipe:
    """Random numbers that a seed decides."""

    class Draws(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([2], tf.int32)])
        def f(self, seed: Any) -> Any:
            return tf.random.stateless_uniform([4], seed), tf.random.stateless_normal([3], seed)

    return Draws(), {}, [("f", [tf.constant([1, 2])], {})]


def arguments(tf: Any, folder: Path) -> Recipe:
    """Arguments of every kind: by name in another order, any number of them, defaults."""

    class Model(tf.Module):
        @tf.function
        def f(self, x: Any, *more: Any, b: Any, a: Any = 1.0, **others: Any) -> Any:
            for one in more:
                x = x + one
            return {"x": x * b - a, **{key: value * 2.0 for key, value in others.items()}}

    model, x = Model(), tf.constant([1.0, 2.0])
    one, two = tf.constant(5.0), tf.constant(7.0)
    calls: list[Call] = [
        ("f", [x], {"b": one, "a": two}),
        ("f", [x, 3.0 * x, two], {"b": one}),
        ("f", [x], {"b": one, "z": 2.0 * x, "c": two}),
    ]
    for _, args, kwargs in calls:
        model.f(*args, **kwargs)
    return model, {}, calls


def nested_loops(tf: Any, folder: Path) -> Recipe:
    """Loops in loops, with limits, breaks, branches and captures, and folds."""

    class Loops(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.factor = tf.Variable(1.1)

        @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([], tf.int32)])
        def f(self, x: Any, n: Any) -> Any:
            total, factor = tf.zeros([]), self.factor.read_value()
            for i in tf.range(n):
                if i == 3:
                    continue
                row = x
                for value in x:
                    if value > 100.0:
                        break
                    row = row * factor + value
                total += tf.reduce_sum(row)
            _, limited = tf.while_loop(
                lambda i, y: i < 100,
                lambda i, y: (i + 1, y * 1.5),
                [0, x],
                maximum_iterations=4,
            )
            folded = tf.foldl(lambda a, y: a * 0.5 + y, x)
            scanned = tf.scan(lambda a, y: a + y, x)
            return total, limited, folded, scanned

    x = tf.constant([0.5, -1.0, 2.0])
    return Loops(), {}, [("f", [x, tf.constant(n)], {}) for n in (0, 5)]


def steps(tf: Any, folder: Path) -> Recipe:
    """A step of training: gradients inside of the function, and variables that it changes."""

    class Training(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable([[0.5], [-0.25]], name="w")
            self.steps = tf.Variable(0, dtype=tf.int64, trainable=False, name="steps")
            self.alias = self.w
            self.me = self

        @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([None, 1])])
        def step(self, x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(tf.tanh(tf.matmul(x, self.w)) - y))
            self.w.assign_sub(0.5 * tape.gradient(loss, self.w))
            self.steps.assign_add(1)
            return loss, self.steps.read_value()

    x, y = tf.constant([[1.0, 2.0], [3.0, -1.0]]), tf.constant([[0.5], [-0.5]])
    return Training(), {}, [("step", [x, y], {})] * 3


def layers(tf: Any, folder: Path) -> Recipe:
    """Convolutions, norms, attention, embeddings, losses, and functions that modules share."""

    class Net(tf.Module):
        def __init__(self) -> None:
            super().__init__()

            def weights(*shape: int) -> Any:
                count = int(np.prod(shape))
                values = np.sin(np.arange(count)).reshape(shape).astype(np.float32)
                return tf.Variable(values, name=f"weights{count}")

            self.kernel, self.table = weights(3, 3, 1, 2), weights(7, 4)
            self.query = self.key = weights(4, 4)

        @tf.function(input_signature=[tf.TensorSpec([None, 5, 5, 1])])
        def image(self, x: Any) -> Any:
            y = tf.nn.conv2d(x, self.kernel, 2, "SAME")
            y = tf.nn.relu(tf.nn.max_pool2d(y, 2, 1, "VALID"))
            mean, variance = tf.nn.moments(y, [1, 2], keepdims=True)
            return tf.nn.batch_normalization(y, mean, variance, None, None, 0.5)

        @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.int32)])
        def words(self, numbers: Any) -> Any:
            x = tf.gather(self.table, numbers)
            scores = tf.einsum("bie,ef,bjf->bij", x, self.query, x)
            mixed = tf.einsum("bij,bjf->bif", tf.nn.softmax(scores), x)
            labels = tf.one_hot(numbers % 4, 4)
            loss = tf.nn.softmax_cross_entropy_with_logits(labels, mixed)
            return (
                tf.sort(mixed, -1)[:, ::-1],
                loss,
                tf.argmax(mixed, -1),
                tf.strings.as_string(tf.shape(mixed)),
            )

    x = tf.constant(np.cos(np.arange(50)).reshape(2, 5, 5, 1), tf.float32)
    return Net(), {}, [("image", [x], {}), ("words", [tf.constant([[1, 6, 0]])], {})]


def resources(tf: Any, folder: Path) -> Recipe:
    """A file, a table of words with further numbers, a table of vectors, a generator."""
    (path := folder / "names.txt").write_text("one\ntwo\n")

    class Resources(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.file = tf.saved_model.Asset(str(path))
            numbers = tf.constant([0, 1], tf.int64)
            first = tf.lookup.KeyValueTensorInitializer(tf.constant(["one", "two"]), numbers)
            self.words = tf.lookup.StaticVocabularyTable(first, 3)
            self.generator = tf.random.Generator.from_seed(5)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def find(self, words: Any) -> Any:
            return self.words.lookup(words), self.words.size()

        @tf.function(input_signature=[])
        def content(self) -> Any:
            return tf.strings.substr(self.file.asset_path, -9, 9)

        @tf.function(input_signature=[])
        def draw(self) -> Any:
            return self.generator.uniform([3]), self.generator.normal([2])

    calls: list[Call] = [
        ("find", [tf.constant(["two", "three", "four"])], {}),
        ("content", [], {}),
        ("draw", [], {}),
        ("draw", [], {}),
    ]
    return Resources(), {}, calls


def rules(tf: Any, folder: Path) -> Recipe:
    """Gradients that functions state themselves: of two arguments, of two results, in each other."""

    @tf.custom_gradient
    def product(x: Any, y: Any) -> Any:
        def rule(upstream: Any) -> Any:
            return upstream * 10.0, tf.reduce_sum(upstream * x) * 100.0

        return x * y, rule

    @tf.custom_gradient
    def both(x: Any) -> Any:
        return (tf.sin(x), x * x), lambda a, b: a * 2.0 + b * 3.0

    class Rules(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([])])
        def f(self, x: Any, y: Any) -> Any:
            first, second = both(product(x, y))
            return first + tf.stop_gradient(second), tf.exp(product(first, y))

    options = tf.saved_model.SaveOptions(experimental_custom_gradients=True)
    return Rules(), {"options": options}, [("f", [tf.constant([0.5, 1.5]), tf.constant(2.0)], {})]


RECIPES: list[Callable[[Any, Path], Recipe]] = [
    control_flow, signatures, traces, structures, composites, table, dtypes, custom_gradient,
    calls, lists, random, arguments, nested_loops, steps, layers, resources, rules,
]  # fmt: skip
