"""What counts as staged, in every spelling; `print` shows that a function was looked at."""

from __future__ import annotations

import textwrap

import pytest

from graphwright.lint.check import check_text
from graphwright.lint.lint_config import Config

PRINTS = {
    "decorator": """
        import tensorflow as tf
        @tf.function
        def f(x): print(x)
    """,
    "decorator with options": """
        import graphwright as gw
        @gw.function(jit_compile=False)
        def f(x): print(x)
    """,
    "imported name": """
        from tensorflow import function
        @function
        def f(x): print(x)
    """,
    "imported under another name": """
        from graphwright import function as staged
        @staged
        def f(x): print(x)
    """,
    "compat module": """
        import tensorflow.compat.v2 as tf
        @tf.function
        def f(x): print(x)
    """,
    "whole module": """
        import tensorflow
        @tensorflow.function
        def f(x): print(x)
    """,
    "private module": """
        from tensorflow.python.eager import def_function
        @def_function.function
        def f(x): print(x)
    """,
    "a module called tf from elsewhere": """
        from mypackage.backend import tf
        @tf.function
        def f(x): print(x)
    """,
    "assigned name": """
        import tensorflow as tf
        jit = tf.function
        @jit
        def f(x): print(x)
    """,
    "partial": """
        import functools
        import tensorflow as tf
        jit = functools.partial(tf.function, autograph=False)
        @jit
        def f(x): print(x)
    """,
    "options first": """
        import tensorflow as tf
        jit = tf.function(reduce_retracing=True)
        @jit
        def f(x): print(x)
    """,
    "wrapped by a call": """
        import tensorflow as tf
        def f(x): print(x)
        g = tf.function(f)
    """,
    "wrapped by keyword": """
        import tensorflow as tf
        def f(x): print(x)
        g = tf.function(func=f)
    """,
    "options, then a call": """
        import tensorflow as tf
        def f(x): print(x)
        g = tf.function(jit_compile=True)(f)
    """,
    "lambda": """
        import tensorflow as tf
        g = tf.function(lambda x: print(x))
    """,
    "partial of a function": """
        import functools
        import tensorflow as tf
        def f(x, n): print(x)
        g = tf.function(functools.partial(f, n=2))
    """,
    "method": """
        import tensorflow as tf
        class M(tf.Module):
            @tf.function
            def f(self, x): print(x)
    """,
    "static method": """
        import tensorflow as tf
        class M:
            @staticmethod
            @tf.function
            def f(x): print(x)
    """,
    "bound method wrapped in the constructor": """
        import tensorflow as tf
        class M:
            def __init__(self): self.step = tf.function(self._step)
            def _step(self, x): print(x)
    """,
    "method wrapped from outside": """
        import tensorflow as tf
        class M:
            def step(self, x): print(x)
        step = tf.function(M().step)
    """,
    "called": """
        import tensorflow as tf
        def helper(x): print(x)
        @tf.function
        def f(x): return helper(x)
    """,
    "called, two away, defined later": """
        import tensorflow as tf
        @tf.function
        def f(x): return one(x)
        def one(x): return two(x)
        def two(x): print(x)
    """,
    "called on the object": """
        import tensorflow as tf
        class M:
            @tf.function
            def f(self, x): return self.helper(x)
            def helper(self, x): print(x)
    """,
    "inherited": """
        import tensorflow as tf
        class Base:
            def helper(self, x): print(x)
        class M(Base):
            @tf.function
            def f(self, x): return self.helper(x)
    """,
    "read as a property": """
        import tensorflow as tf
        class M:
            @property
            def scale(self): print("scale")
            @tf.function
            def f(self, x): return x * self.scale
    """,
    "called on an attribute": """
        import tensorflow as tf
        class Layer:
            def __call__(self, x): print(x)
        class M:
            def __init__(self): self.layer = Layer()
            @tf.function
            def f(self, x): return self.layer(x)
    """,
    "given to an op": """
        import tensorflow as tf
        @tf.function
        def f(x):
            def body(i): print(i)
            return tf.while_loop(lambda i: i < 3, body, [x])
    """,
    "given to another function": """
        import tensorflow as tf
        def apply(g, x): return g(x)
        def helper(x): print(x)
        @tf.function
        def f(x): return apply(helper, x)
    """,
    "inside": """
        import tensorflow as tf
        @tf.function
        def f(x):
            def g(): print(x)
            g()
    """,
    "inside a function": """
        import tensorflow as tf
        def make():
            @tf.function
            def f(x): print(x)
            return f
    """,
    "in a comprehension's body": """
        import tensorflow as tf
        @tf.function
        def f(xs): return [print(x) for x in xs]
    """,
    "Keras layer": """
        import tensorflow as tf
        class L(tf.keras.layers.Layer):
            def call(self, x): print(x)
    """,
    "Keras model, imported": """
        from tensorflow.keras import Model
        class L(Model):
            def train_step(self, data): print(data)
    """,
    "Keras model, of a base in the file": """
        import keras
        class Base(keras.Model): pass
        class L(Base):
            def call(self, x): print(x)
    """,
    "dataset": """
        import tensorflow as tf
        def f(x): print(x)
        data = tf.data.Dataset.range(3).batch(2).map(f)
    """,
    "dataset that is an argument": """
        def load(dataset):
            import tensorflow as tf
            return dataset.map(lambda x: print(x), num_parallel_calls=4)
    """,
}

NOTHING = {
    "not staged": """
        import tensorflow as tf
        def f(x): print(x)
    """,
    "another function": """
        import tensorflow as tf
        def function(f): return f
        @function
        def f(x): print(x)
    """,
    "another library's": """
        from numba import function
        import tensorflow as tf
        @function
        def f(x): print(x)
    """,
    "py_function as a decorator": """
        import tensorflow as tf
        @tf.py_function(Tout=tf.float32)
        def g(x): print(x)
        @tf.function
        def f(x): return g(x)
    """,
    "given to py_function": """
        import tensorflow as tf
        def g(x): print(x)
        @tf.function
        def f(x): return tf.py_function(g, [x], tf.float32)
    """,
    "given to numpy_function in a dataset": """
        import tensorflow as tf
        def g(x): print(x)
        data = tf.data.Dataset.range(3).map(lambda x: tf.numpy_function(g, [x], tf.int64))
    """,
    "a generator for a dataset": """
        import tensorflow as tf
        def generate():
            print("again")
            yield 1
        data = tf.data.Dataset.from_generator(generate, tf.int32)
    """,
    "the map of something else": """
        import pandas
        import tensorflow as tf
        def f(x): print(x)
        frame = pandas.read_csv("file").map(f)
    """,
    "a constructor that a staged function calls": """
        import tensorflow as tf
        class Pair:
            def __init__(self, x):
                self.x = x
        @tf.function
        def f(x): return Pair(x).x
    """,
    "another class's call": """
        import tensorflow as tf
        class Layer:
            def call(self, x): print(x)
    """,
}


@pytest.mark.parametrize("name", PRINTS)
def test_it_is_staged(name: str) -> None:
    assert [f.code for f in check_text(textwrap.dedent(PRINTS[name]))] == ["GW101"]


@pytest.mark.parametrize("name", NOTHING)
def test_it_is_not_staged(name: str) -> None:
    assert check_text(textwrap.dedent(NOTHING[name])) == []


def test_other_wrappers_are_configured() -> None:
    text = "from mine.utils import jit\n@jit\ndef f(x):\n    print(x)\n"
    assert check_text(text) == []
    for wrapper in ("mine.utils.jit", "utils.jit"):
        (finding,) = check_text(text, Config(wrappers=(wrapper,)))
        assert finding.code == "GW101"
