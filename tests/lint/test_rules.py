"""The forms of each pitfall beyond those of its page: what is found, and in which lines."""

from __future__ import annotations

import textwrap

import pytest

from graphwright.lint.check import check_text

HEAD = """\
import datetime, itertools, logging, math, os, random, time, uuid
import numpy as np
import tensorflow as tf
"""

#: In each program the lines that a code in a comment marks are found to be that, and no others.
PROGRAMS = {
    "printing": """
        @tf.function
        def f(x, verbose=True):
            y = tf.abs(x)
            logging.info("size %s", len("ab"))
            logging.info("value %s", y)  # GW101
            if verbose:
                print("value")  # GW101
            print(f"{y}")  # GW101
    """,
    "identity": """
        @tf.function
        def f(x, y=None, flag=True):
            done = tf.reduce_any(x > 0.0)
            if done is True:  # GW506
                x = -x
            if y is None and flag is True and x is not None:
                x = x + 1.0
            return x if done is not False else -x  # GW506
    """,
    "containers from outside": """
        log, table, names = [], {}, set()
        class M:
            def __init__(self):
                self.log = []
            @tf.function
            def f(self, x):
                log.extend([1, 2])  # GW102
                log[0] = 3  # GW102
                table["a"] = 1  # GW102
                table.update(a=2)  # GW102
                names.add("a")  # GW102
                del table["a"]  # GW102
                self.log.append("a")  # GW102
                table["n"] += 1  # GW102
    """,
    "containers of an enclosing function": """
        def outer():
            log = []
            @tf.function
            def f(x):
                log.append(1)  # GW102
            f(tf.constant(1))
    """,
    "attributes from outside": """
        class Config: pass
        config = Config()
        class M(tf.Module):
            @tf.function
            def f(self, x):
                self.a, self.b = 1, 2  # GW103 GW103
                self.c: int = 3  # GW103
                config.size = len("a")  # GW103
                self.helper(x)
            def helper(self, x):
                self.d = "text"  # GW103
    """,
    "names from outside": """
        n, m = 0, 0
        def outer():
            k = 0
            @tf.function
            def f(x):
                nonlocal k
                global n, m
                k = 1  # GW104
                n, m = 1, 2  # GW104 GW104
            return f
    """,
    "ambient values": """
        @tf.function
        def f(x):
            a = random.uniform(0, 1)  # GW105
            b = np.random.normal()  # GW105
            c = time.time()  # GW105
            d = datetime.datetime.now()  # GW105
            e = uuid.uuid4()  # GW105
            g = open("file").read()  # GW105
            h = input()  # GW105
            return x
    """,
    "iterators": """
        counter = itertools.count()
        lines = open("file")
        class M:
            def __init__(self):
                self.items = iter([1, 2])
            @tf.function
            def f(self, x):
                a = next(counter)  # GW106
                for line in lines:  # GW106
                    x = x + 1
                for i, line in enumerate(lines):  # GW106
                    x = x + 1
                for a, b in zip(self.items, [1, 2]):  # GW106
                    x = x + 1
                return x + self.items.__next__()  # GW106
        def numbers():
            yield 1
        @tf.function
        def g(generator):
            return next(generator)  # GW106
        g(numbers())
    """,
    "names that change": """
        size, rate, seen = 1, 0.1, [1]
        @tf.function
        def f(x):
            return x * size * rate * seen[0] + epoch  # GW107 GW107 GW107 GW107
        for epoch in range(3):
            f(tf.constant(1))
        size += 1
        seen[0] = 2
        def change():
            global rate
            rate = 0.2
        def outer():
            scale = 1
            @tf.function
            def g(x):
                return x * scale  # GW107
            g(tf.constant(1))
            scale = 2
            return g
    """,
    "attributes that change": """
        class M:
            def __init__(self, rate):
                self.rate, self.epoch, self.on = rate, 0, True
            @tf.function
            def f(self, x):
                if self.on:  # GW108
                    x = x + 1
                return x * self.rate * self.epoch  # GW108
            def fit(self):
                self.epoch += 1
            def off(self):
                self.on = False
    """,
    "leaks": """
        kept, last = [], None
        class M:
            @tf.function
            def f(self, x):
                global last
                y = tf.abs(x)
                self.y = y  # GW201
                self.pair = [y, y]  # GW201
                kept.append(y)  # GW201
                kept.extend([y])  # GW201
                last = y  # GW201
        total = tf.constant(0)
        @tf.function
        def g(x):
            global total
            total += x  # GW201
    """,
    "lists in loops of the graph": """
        @tf.function
        def f(x, dataset):
            a, b, c = [], [], []
            for i in tf.range(3):
                a.append(i)  # GW202
            while tf.reduce_sum(x) > 0:
                b.append(tf.abs(x))  # GW202
                x -= 1
            for item in dataset:
                c.append(tf.abs(item))  # GW202
            return a, b, c
        f(tf.constant(1), tf.data.Dataset.range(3))
    """,
    "variables": """
        @tf.function
        def f(x, training):
            a = tf.Variable(x)  # GW203
            b = tf.keras.layers.Dense(3)(x)  # GW203
            c = tf.keras.optimizers.Adam()  # GW203
            d = tf.keras.metrics.Mean()  # GW203
            e = tf.keras.layers.ReLU()(x)
            if tf.reduce_sum(x) > 0:
                a = tf.Variable(1.0)  # GW203
            return make(x)
        def make(x):
            return tf.Variable(x)  # GW203
    """,
    "optimizers": """
        @tf.function
        def step(optimizer, g, v):
            optimizer.apply_gradients([(g, v)])
        v = tf.Variable(1.0)
        one, other = tf.keras.optimizers.SGD(), tf.keras.optimizers.legacy.Adam()
        step(one, tf.constant(1.0), v)
        step(one, tf.constant(1.0), v)
        step(other, tf.constant(1.0), v)  # GW204
    """,
    "variables rebound": """
        class M(tf.Module):
            def __init__(self):
                self.v = tf.Variable(1.0)
            @tf.function
            def f(self, x):
                self.v *= x  # GW205
                self.v -= x  # GW205
                self.v.assign_add(x)
    """,
    "truth without AutoGraph": """
        @tf.function(autograph=False)
        def f(x):
            y = tf.reduce_sum(x)
            while y > 0:  # GW301
                y -= 1
            assert y > 0  # GW301
            z = x if y > 0 else -x  # GW301
            if not y > 0:  # GW301
                z = -z
            if y > 0 and y < 3:  # GW301
                z = -z
            for part in tf.range(3):  # GW301
                z = -z
            return int(y)  # GW301
    """,
    "truth that is never converted": """
        @tf.autograph.experimental.do_not_convert
        def helper(x):
            if x > 0:  # GW301
                return x
            return -x
        @tf.function
        def f(x):
            a = [part for part in [1, 2] if tf.reduce_sum(x) > part]  # GW301
            b = [part * 2 for part in tf.range(3)]  # GW301
            c = sum(part for part in tf.unstack(x))
            match tf.reduce_sum(x):  # GW301
                case 1:
                    a = []
            return helper(tf.abs(x)), a, b, c
    """,
    "missing definitions": """
        @tf.function
        def f(x):
            if tf.reduce_sum(x) > 0:  # GW302 GW302
                a, b = x, x
            else:
                c = x
                b = x
            if tf.reduce_sum(x) > 1:  # GW302
                with tf.name_scope("d"):
                    for d in tf.range(3):
                        pass
            return a + b + c + d
    """,
    "missing returns": """
        @tf.function
        def f(x):
            if tf.reduce_sum(x) > 0:  # GW303
                if tf.reduce_sum(x) > 1:
                    return x
        @tf.function
        def g(x):
            if tf.reduce_sum(x) > 0:
                return x
            else:
                raise ValueError
    """,
    "unrolled": """
        table = np.arange(100.0)
        @tf.function
        def f(x):
            for row in table:  # GW304
                x = x + row
            for k in range(1000):  # GW304
                x = x + k
            for k in range(5):
                x = x + k
            for row in table:
                size = row
            return x
        f(tf.constant(1.0))
        @tf.function
        def g(data):
            total = tf.constant(0.0)
            for x, y in data:  # GW304
                total += x * y
            return total
        g([(1.0, 2.0), (3.0, 4.0)])
    """,
    "recursion through others": """
        @tf.function
        def f(x):
            return helper(x)
        def helper(x):
            return f(x - 1)  # GW305
        class M:
            @tf.function
            def f(self, n):
                return self.f(n - 1)  # GW305
    """,
    "predicates": """
        @tf.function
        def f(x, training=False):
            a = tf.cond(training, lambda: x, lambda: -x)  # GW306
            b = tf.cond(pred=x is None, true_fn=lambda: x, false_fn=lambda: x)  # GW306
            c = tf.cond(tf.constant(True), lambda: x, lambda: -x)
            return a, b, c
        f(tf.constant(1), True)
    """,
    "numbers at calls": """
        @tf.function
        def f(x, k=1, flag=True):
            return x * k
        f(tf.constant(1), 2)
        f(tf.constant(1), k=-3)  # GW401
        f(tf.constant(1), k=4)
        f(tf.constant(1), 2, False)
        step = 0
        while step < 10:
            step += 1
            f(tf.constant(1), step)  # GW402
            f(tf.constant(1), step % 2)
        [f(tf.constant(1), k) for k in range(3)]  # GW402
        for i, x in enumerate(tf.data.Dataset.range(3).as_numpy_iterator()):
            f(x, i * 2)  # GW402
    """,
    "methods that are called": """
        class M:
            @tf.function
            def f(self, x, k):
                return x * k
        m = M()
        m.f(tf.constant(1.0), 1)
        m.f(tf.constant(1.0), 2)  # GW401
        for n in range(3):
            m.f(tf.ones([n]), tf.constant(1.0))  # GW405
    """,
    "sets": """
        @tf.function
        def f(x, names):
            return x
        f(tf.constant(1), {"a", "b"})  # GW404
    """,
    "lengths": """
        @tf.function
        def f(x):
            return tf.reduce_sum(x)
        f([1.0, 2.0])
        f([1.0, 2.0, 3.0])  # GW405
        @tf.function
        def g(x):
            return tf.reduce_sum(x)
        g(tf.constant([1, 2]))
        g(tf.constant([1, 2, 3]))
        g(tf.constant([1, 2, 3, 4]))  # GW405
        @tf.function
        def h(x):
            return tf.reduce_sum(x)
        data = np.arange(9)
        for n in range(9):
            h(data[:n])  # GW405
    """,
    "wrapped again": """
        def f(x):
            return x
        def each_time(x):
            return tf.function(f)(x)  # GW407
        for k in range(3):
            g = tf.function(f)  # GW407
            g(tf.constant(1))
        while True:
            @tf.function  # GW407
            def h(x):
                return x
            h(tf.constant(1))
    """,
    "changed arguments": """
        @tf.function
        def f(x, seen={}, parts=[]):
            seen["x"] = 1  # GW408
            parts.append(1)  # GW408
            return x
    """,
    "NumPy": """
        @tf.function
        def f(x):
            y = tf.abs(x)
            a = np.concatenate([y, y], axis=0)  # GW501
            b = np.asarray(y)  # GW501
            c = np.shape(y), np.ndim(y)
            d = np.mean(a=y)  # GW501
            return np.linalg.norm(tf.Variable)
    """,
    "math": """
        @tf.function
        def f(x, rate=2.0):
            y = tf.abs(x)
            a = math.sqrt(y)  # GW505
            b = math.log(y, 2)  # GW505
            c = math.ceil(len([y]) / 2) + math.exp(rate) + math.prod(y.shape)
            return a * math.pi + math.floor(2.5) + b + c
    """,
    "values": """
        v = tf.Variable(1.0)
        @tf.function
        def f(x):
            a = tf.abs(x).numpy()  # GW502
            b = v.numpy()  # GW502
            if tf.executing_eagerly():
                c = v.numpy()
            return a, b
    """,
    "saved Python": """
        class M(tf.Module):
            @tf.function
            def f(self, x):
                return tf.py_function(abs, [x], tf.float32)  # GW503
        class N(tf.Module):
            @tf.function
            def f(self, x):
                return tf.py_function(abs, [x], tf.float32)
        tf.saved_model.save(M(), "folder")
    """,
    "dtypes": """
        @tf.function
        def f(x):
            a = tf.constant(1) + tf.constant(1.0)  # GW504
            b = tf.cast(x, tf.float32) > tf.cast(x, tf.int64)  # GW504
            c = tf.constant(1, dtype=tf.int64) * tf.ones([2])  # GW504
            return a, b, c, tf.constant(1) + 1
    """,
    "decorators": """
        class M:
            @tf.function(jit_compile=True)  # GW601
            @classmethod
            def a(cls, x): ...
            @tf.function  # GW601
            @staticmethod
            def b(x): ...
            @staticmethod
            @tf.function
            def c(x): ...
        @tf.function
        async def d(x):  # GW602
            return x
    """,
    "options": """
        f = tf.function(lambda x: x, experimental_compile=True)  # GW603
        @tf.function(experimental_relax_shapes=True, reduce_retracing=True)  # GW603
        def g(x): ...
    """,
    "rows that Keras predicts": """
        import keras
        model = keras.Sequential([keras.layers.Dense(1)])
        class Mine(tf.keras.Model):
            def call(self, x):
                return x
        mine, other = Mine(), tf.Module()
        loaded = tf.keras.models.load_model("a.keras")
        rows = np.ones([5, 3])
        for i, row in enumerate(rows):
            model.predict(row[None])  # GW409
            model.predict(row[np.newaxis, :], verbose=0)  # GW409
            mine.predict(np.expand_dims(row, axis=0))  # GW409
            loaded.predict(row.reshape(1, -1))  # GW409
            loaded.predict(rows[i:i + 1])  # GW409
            x = np.array([row])
            mine.predict(x)  # GW409
            model.predict(tf.expand_dims(row, 0))  # GW409
            mine.predict(rows)
            mine.predict(rows[i:i + 2])
            mine.predict(row.reshape(2, -1))
            model.predict_on_batch(row[None])
            other.predict(row[None])
            model(row[None], training=False)
        a = [model.predict([row]) for row in rows]  # GW409
        b = model.predict(rows[0][None])
    """,
    "a silenced line": """
        @tf.function
        def f(x):
            print(x)  # noqa: GW101
            print(x)  # GW101
    """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_found(name: str) -> None:
    text = HEAD + textwrap.dedent(PROGRAMS[name])
    expected = [
        (number, word)
        for number, line in enumerate(text.splitlines(), start=1)
        if "# GW" in line
        for word in line.rsplit("# ", 1)[1].split()
    ]
    assert [(finding.line, finding.code) for finding in check_text(text)] == expected
