"""Programs that are right: the linter says nothing, however close to a pitfall they come."""

from __future__ import annotations

import textwrap

import pytest

from graphwright.lint.check import check_text

HEAD = """
import contextlib
import functools
import random
import time
import numpy as np
import tensorflow as tf

"""

PROGRAMS = {
    "effects of the graph": """
        total, seen = tf.Variable(0.0), tf.Variable(0)
        mean = tf.keras.metrics.Mean()
        @tf.function
        def step(x):
            total.assign_add(tf.reduce_sum(x))
            seen.assign(seen + 1)
            mean.update_state(x)
            tf.print("total", total)
            tf.summary.scalar("total", total, step=1)
            return total
    """,
    "containers of the trace": """
        @tf.function
        def step(x):
            parts, named, kinds = [], {}, set()
            for k in range(3):
                parts.append(x * k)
                named[str(k)] = x
                kinds.add(k)
            named.update(last=x)
            def inner():
                parts.append(x)
            inner()
            return tf.stack(parts), named
    """,
    "a helper fills a list of its caller": """
        def collect(x, parts):
            parts.append(x)
        @tf.function
        def step(x):
            parts = []
            collect(x, parts)
            return parts
    """,
    "a layer that sets itself up in its first call": """
        class Layer(tf.keras.layers.Layer):
            def __init__(self):
                super().__init__()
                self.names = self.kernels = None
            def call(self, parts):
                if self._needs_names():
                    self._note_names(parts)
                if self.kernels is None:
                    with tf.init_scope():
                        self._fill(parts)
                return [self.kernels[name](parts[name]) for name in self.names]
            def _needs_names(self):
                return not self.names
            def _note_names(self, parts):
                self.names = sorted(parts)
            def _fill(self, parts):
                self.kernels = {}
                for name in parts:
                    self._add(name)
            def _add(self, name):
                self.kernels[name] = tf.keras.layers.Dense(3)
    """,
    "a stack that a block pushes and pops": """
        stack = []
        @contextlib.contextmanager
        def pushed(x):
            stack.append(str(x))
            try:
                yield
            finally:
                stack.pop()
        @tf.function
        def step(x):
            with pushed(x):
                return x
    """,
    "one of many functions, by a name in a dict": """
        class Layer(tf.keras.layers.Layer):
            def __init__(self, inner):
                super().__init__()
                self.inner = inner
            def call(self, x):
                return self.inner(x)
        def draw(n):
            return np.random.random(n)
        plans = {"draw": draw, "a": abs, "b": lambda x: x, "c": lambda x: -x, "d": lambda x: 1}
        plans["e"] = lambda x: 2
        layer = Layer(plans[input()])
    """,
    "what TensorFlow 1 says of itself": """
        @tf.function(autograph=False)
        def step(x, n):
            if tf.executing_eagerly_outside_functions():
                x = x + 1
            if isinstance(n, int):
                assert x.shape.ndims == n
            return [v.name for v in tf.get_collection("losses")], x
        step(tf.ones([2]), 1)
        step(tf.ones([2]), tf.constant(1))
    """,
    "nonlocal of the trace": """
        @tf.function
        def step(x):
            count = 0
            def more():
                nonlocal count
                count += 1
            more()
            return x + count
    """,
    "objects of the trace": """
        class Scope:
            def __init__(self, x):
                self.x = x
                self.parts = []
            def add(self, y):
                self.parts.append(y)
                self.x = self.x + y
                return self.x
        @tf.function
        def step(x):
            return Scope(x).add(x)
    """,
    "made once": """
        class Model(tf.Module):
            def __init__(self):
                self.w = None
                self.cache = {}
            def build(self, shape):
                self.w = tf.Variable(tf.zeros(shape))
                self.units = 3
            @tf.function
            def __call__(self, x):
                if self.w is None:
                    self.w = tf.Variable(0.0)
                if not hasattr(self, "b"):
                    self.b = tf.Variable(0.0)
                if "scale" not in self.cache:
                    self.cache["scale"] = tf.Variable(1.0)
                with tf.init_scope():
                    self.calls = 1
                return self.w * x + self.b
    """,
    "changed for a while": """
        class Model(tf.Module):
            def __init__(self):
                self.training = False
            @tf.function
            def step(self, x):
                self.mode = True
                try:
                    return self.layer(x)
                finally:
                    self.mode = False
    """,
    "variables from outside and from a constructor": """
        class Model(tf.Module):
            def __init__(self):
                self.w = tf.Variable(1.0)
                self.dense = tf.keras.layers.Dense(3)
                self.optimizer = tf.keras.optimizers.Adam()
            @tf.function
            def step(self, x, y):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(tf.square(self.dense(x) * self.w - y))
                gradients = tape.gradient(loss, self.dense.trainable_variables)
                self.optimizer.apply_gradients(zip(gradients, self.dense.trainable_variables))
                return loss
    """,
    "what Python decides": """
        @tf.function
        def step(x, training=False, mode="mean", axis=None):
            if training:
                scale = 2.0
            if mode == "mean":
                y = tf.reduce_mean(x)
            elif mode == "sum":
                y = tf.reduce_sum(x)
            else:
                raise ValueError(mode)
            if x.shape.rank is None or x.shape[0] == 1:
                y = y + 1
            if axis is not None:
                z = 1
            if isinstance(x, tf.Tensor) and tf.is_tensor(x):
                return y
            if tf.executing_eagerly():
                return y + 1
            return y if training else -y
        step(tf.constant([1.0]), training=True)
        step(tf.constant([1.0]), training=False, mode="sum")
    """,
    "what a tensor decides": """
        @tf.function
        def step(x):
            if tf.reduce_sum(x) > 0 and tf.reduce_sum(x) < 9:
                y, z = x, 1
            elif tf.reduce_any(x < 0):
                y, z = -x, 2
            else:
                y = x
                z = 3
            if tf.size(x) > 1:
                w = x
                y = y + w
            if tf.size(x) > 2:
                return y
            while tf.reduce_sum(y) > 1:
                y = tf.tanh(y)
            assert y is not None
            return y if tf.reduce_sum(y) > 0 else -y
        step(tf.constant([1.0]))
    """,
    "a name is used in its branch only, or assigned anew": """
        @tf.function
        def step(x):
            if tf.reduce_sum(x) > 0:
                y = x * 2
                tf.print(y)
            for y in tf.range(3):
                tf.print(y)
            if tf.reduce_sum(x) > 1:
                message = "large"
                raise ValueError(message)
            return x
    """,
    "loops of the graph": """
        @tf.function
        def step(values, dataset):
            found = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
            for i in tf.range(tf.size(values)):
                found = found.write(i, values[i])
            total = 0.0
            for x, y in dataset:
                total += x * y
            iterator = iter(dataset)
            x, y = next(iterator)
            for i, batch in dataset.enumerate():
                total += tf.reduce_sum(batch)
            return found.stack(), total + x
        data = tf.data.Dataset.range(3)
        step(tf.constant([1.0]), tf.data.Dataset.zip((data, data)))
    """,
    "loops over what the graph is made of": """
        class Stack(tf.Module):
            def __init__(self, layers):
                self.layers = layers
                self.sizes = [3, 5, 7]
            @tf.function
            def __call__(self, x):
                outputs = []
                for layer in self.layers:
                    x = layer(x)
                    outputs.append(x)
                for size in self.sizes:
                    x = x + size
                for index in range(len(self.layers)):
                    x = x * index
                for weight in self.trainable_variables:
                    x = x + tf.reduce_sum(weight)
                return tf.concat([output * 2 for output in outputs if output is not None], 0)
    """,
    "loops over lists of tensors": """
        @tf.function
        def total(tensors):
            result = 0.0
            for tensor in tensors:
                result += tf.reduce_sum(tensor)
            return result + tf.add_n([2 * tensor for tensor in tensors])
        total([tf.constant(1.0), tf.constant(2.0)])
    """,
    "NumPy of what Python knows": """
        table = np.arange(10)
        @tf.function
        def step(x):
            size = np.prod(x.shape)
            width = x.get_shape().as_list()[0]
            for i in range(width):
                x = x + i
            scale = np.sqrt(2.0) * np.float32(3) + np.zeros(3).sum()
            mask = tf.constant(np.tril(np.ones((3, 3))))
            return x * np.pi * scale + tf.cast(size, tf.float32) + tf.gather(table, 1)
    """,
    "Python at each call": """
        log = []
        def host(x):
            log.append(x.numpy())
            print("value", np.median(x), time.time(), random.random())
            return x
        @tf.function
        def step(x):
            y = tf.py_function(host, [x], tf.float32)
            z = tf.numpy_function(lambda v: np.sort(v), [x], tf.float32)
            return y + z
    """,
    "names that do not change": """
        SCALE, NAMES = 2.0, ["a", "b"]
        try:
            import fast
            FAST = True
        except ImportError:
            FAST = False
        if SCALE > 1:
            LIMIT = 3
        else:
            LIMIT = 4
        rate = tf.Variable(0.1)
        @tf.function
        def step(x):
            return x * SCALE * rate + len(NAMES) + (LIMIT if FAST else 0)
        step(tf.constant(1.0))
        rate.assign(0.2)
    """,
    "names that are settled before": """
        scale = 1.0
        scale = 2.0
        @tf.function
        def step(x):
            return x * scale
        def main():
            scale = 3.0
            return step(tf.constant(scale))
    """,
    "calls that share a trace": """
        @tf.function
        def step(x, n):
            return x * tf.cast(n, tf.float32)
        for i in range(5):
            step(tf.constant(1.0), tf.constant(i))
        for i in tf.range(5):
            step(tf.ones([2, 3]), i)
        for batch in tf.data.Dataset.range(3):
            step(batch, tf.constant(1))
        for _ in range(5):
            step(tf.ones([3]), tf.constant(2))
    """,
    "calls that a signature takes": """
        number = tf.TensorSpec([], tf.int32)
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32), number])
        def step(x, n):
            return x * tf.cast(n, tf.float32)
        for i in range(5):
            step(tf.ones([i]), i)
        relaxed = tf.function(lambda x: x, reduce_retracing=True)
        for i in range(5):
            relaxed(tf.ones([i]))
    """,
    "functions that are wrapped once": """
        def apply(f):
            return tf.function(f)
        steps = {}
        for name in ("train", "test"):
            steps[name] = tf.function(functools.partial(apply, name))
        for layer in [1, 2]:
            @tf.function
            def step(x):
                return x * layer
            for _ in range(3):
                step(tf.constant(1))
        def make():
            @tf.function
            def step(x):
                return x
            return step(tf.constant(1))
        class Model:
            def __init__(self):
                self.step = tf.function(self._step)
            def _step(self, x):
                return x
    """,
    "recursion of plain functions": """
        def depth(tree, x):
            if isinstance(tree, list):
                return tf.add_n([depth(branch, x) for branch in tree])
            return x * tree
        @tf.function
        def step(x):
            return depth([1, [2, 3]], x)
    """,
    "objects with a type of their own": """
        import dataclasses, enum, typing
        class Kind(enum.Enum):
            A = 1
        class Point(typing.NamedTuple):
            x: int
        @dataclasses.dataclass(frozen=True)
        class Options:
            x: int
        class Interval(tf.experimental.ExtensionType):
            low: tf.Tensor
        class Model(tf.Module):
            pass
        @tf.function
        def step(x):
            return 1
        for value in (Point(1), Point(2)):
            step(value)
        step(Options(1)); step(Options(2)); step(Interval(1.0)); step(Interval(2.0))
        step(Model()); step(Model()); step(Kind.A)
    """,
    "dtypes that agree": """
        @tf.function
        def step(x, n):
            a = tf.constant(1.0) + tf.cast(n, tf.float32)
            b = tf.constant(2.0) * 3 + 1
            c = tf.constant(1, tf.int64) + tf.cast(b, tf.int64)
            return tf.cast(a, tf.float64) + tf.cast(c, tf.float64) + 2
        step(tf.constant(1.0), tf.constant(1))
        step(tf.constant(1.0), tf.constant("a"))
    """,
    "announced traces": """
        traces = []
        @tf.function
        def step(x):
            print("Tracing with", x)
            traces.append(x)
            return x
    """,
    "a Keras layer": """
        class Layer(tf.keras.layers.Layer):
            def __init__(self, units):
                super().__init__()
                self.units = units
            def build(self, shape):
                self.kernel = self.add_weight(shape=[shape[-1], self.units])
                self.extra = tf.Variable(0.0)
            def call(self, inputs, training=None, mask=None):
                if training:
                    inputs = tf.nn.dropout(inputs, 0.5)
                if mask is not None:
                    inputs = inputs * mask
                self.add_loss(tf.reduce_sum(self.kernel))
                return tf.matmul(inputs, self.kernel)
    """,
    "datasets": """
        def parse(record, size=3):
            features = {"x": tf.io.FixedLenFeature([], tf.string)}
            parsed = tf.io.parse_single_example(record, features)
            features.update(y=1)
            return {key: value for key, value in parsed.items()}
        data = tf.data.TFRecordDataset(["a"]).map(parse).map(lambda x: x["x"]).batch(2)
    """,
    "a wrapper puts functions into py_function": """
        def in_python(dtype):
            def decorate(fn):
                @functools.wraps(fn)
                def wrapped(*args):
                    return tf.numpy_function(fn, args, dtype)
                return wrapped
            return decorate
        def described(fn):
            return lambda x: tf.py_function(fn, [x], tf.float32)
        def helper(x):
            print(x)
            return np.load(x)
        @in_python(tf.float32)
        def load(x):
            print(x)
            return np.sin(x) if x > 0 else helper(x)
        @described
        def read(x):
            print(x)
            return x.numpy()
        data = tf.data.Dataset.range(3).map(load).map(read)
        @tf.function
        def step(x):
            return load(x)
    """,
    "Keras runs it as Python": """
        class Model(tf.keras.Model):
            def train_step(self, data):
                print(data[0].numpy())
                self.last = tf.reduce_mean(data[0])
                return {}
        model = Model()
        model.compile(optimizer="adam", run_eagerly=True)
    """,
    "functions run as Python": """
        tf.config.run_functions_eagerly(True)
        @tf.function
        def step(x):
            print(x.numpy())
            return x
    """,
    "a dataset traces its function at once": """
        data, size = tf.data.Dataset.range(10), 3
        small = data.map(lambda x: x * size)
        size = 5
        large = data.map(lambda x: x * size)
    """,
    "isinstance says that it is no tensor": """
        class Layer(tf.keras.layers.Layer):
            def call(self, inputs):
                if isinstance(inputs, (list, tuple)):
                    return [np.array(x) for x in inputs]
                elif isinstance(inputs, np.ndarray) and len(inputs):
                    return np.sin(inputs)
                return inputs
        layer = Layer()
        layer.call(tf.ones([2]))
    """,
    "a name says that Python runs it": """
        class Layer(tf.keras.layers.Layer):
            def call(self, inputs):
                return self._call_tf(inputs) if tf.inside_function() else self._call_python(inputs)
            def _call_tf(self, inputs):
                return inputs
            def _call_python(self, inputs):
                print(inputs)
                return random.random()
    """,
    "an attribute is put back": """
        class Layer(tf.keras.layers.Layer):
            def call(self, inputs):
                activation = self.layer.activation
                self.layer.activation = None
                y = self.layer(inputs)
                self.layer.activation = activation
                return y
    """,
    "Keras on PyTorch": """
        import torch
        class Model(tf.keras.Model):
            def train_step(self, data: torch.Tensor):
                print(data)
    """,
    "AutoGraph stages print": """
        Feature = tf.autograph.experimental.Feature
        @tf.function(experimental_autograph_options=(Feature.LISTS, Feature.BUILTIN_FUNCTIONS))
        def step(x):
            print(x)
            return x
        def helper(x):
            print(x)
        @tf.function(experimental_autograph_options=tf.autograph.experimental.Feature.ALL)
        def other(x):
            helper(x)
    """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_is_found(name: str) -> None:
    assert check_text(HEAD + textwrap.dedent(PROGRAMS[name])) == []


@pytest.mark.parametrize(
    "program",
    [
        "class M(tf.keras.Model):\n    def train_step(self, x):\n        print(x)\n"
        "m = M()\nm.compile('adam', run_eagerly=False)\n",
        "tf.config.run_functions_eagerly(True)\ntf.config.run_functions_eagerly(False)\n"
        "@tf.function\ndef f(x):\n    print(x)\n",
        "def same(fn):\n    return fn\n@tf.function\n@same\ndef f(x):\n    print(x)\n",
        "LISTS = tf.autograph.experimental.Feature.LISTS\n"
        "@tf.function(experimental_autograph_options=LISTS)\ndef f(x):\n    print(x)\n",
    ],
)
def test_what_comes_close_to_them_is_found(program: str) -> None:
    assert [finding.code for finding in check_text(HEAD + program)] == ["GW101"]
