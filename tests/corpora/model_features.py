"""More models, one for each thing that a model may have, made with TensorFlow or with graphwright."""

from __future__ import annotations

import collections
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from corpora.model_recipes import Call, Recipe

Pair = collections.namedtuple("Pair", "x y")


def literals(tf: Any, folder: Path) -> Recipe:
    """Strings, None, tuples and bools among the arguments of traces."""

    class Literals(tf.Module):
        @tf.function
        def f(
            self, x: Any, mode: str = "train", scale: Any = None, size: Any = (1, 2),
            flag: bool = True,
        ) -> Any:  # fmt: skip
            y = x * 2.0 if mode == "train" else x
            if scale is not None:
                y = y * scale
            return y + float(size[1]) if flag else y

    model, spec, x = Literals(), tf.TensorSpec([None]), tf.constant([1.0])
    others: list[tuple[list[Any], dict[str, Any]]] = [
        ([], {}), (["eval"], {}), ([], {"size": (3, 4)}), ([], {"flag": False})
    ]  # fmt: skip
    for args, kwargs in others:
        model.f.get_concrete_function(spec, *args, **kwargs)
    model.f.get_concrete_function(spec, scale=tf.TensorSpec([]))
    calls: list[Call] = [("f", [x, *args], kwargs) for args, kwargs in others]
    return model, {}, [*calls, ("f", [x], {"scale": tf.constant(3.0)}), ("f", [x, "train"], {})]


def named_tuples(tf: Any, folder: Path) -> Recipe:
    """A named tuple as argument and result."""

    class Pairs(tf.Module):
        @tf.function(input_signature=[[tf.TensorSpec([]), {"a": tf.TensorSpec([])}]])
        def f(self, parts: Any) -> Any:
            return Pair(parts[0] + 1.0, parts[1]["a"] * 2.0)

    return Pairs(), {}, [("f", [[tf.constant(1.0), {"a": tf.constant(2.0)}]], {})]


def rest_arguments(tf: Any, folder: Path) -> Recipe:
    """Any number of arguments, by place and by name."""

    class Sums(tf.Module):
        @tf.function
        def f(self, *xs: Any, **named: Any) -> Any:
            return tf.add_n(list(xs)) * named["scale"]

    model, spec = Sums(), tf.TensorSpec([])
    model.f.get_concrete_function(spec, spec, scale=spec)
    one, two = tf.constant(1.0), tf.constant(2.0)
    return model, {}, [("f", [one, two], {"scale": tf.constant(5.0)})]


def trackables(tf: Any, folder: Path) -> Recipe:
    """Variables and functions in dicts, lists and tuples, and objects that are held twice."""

    class Holder(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            v, w = tf.Variable(2.0, name="v"), tf.Variable([2.0, 3.0], name="w")
            self.parts = {"v": v, "inner": {"w": w}, "l": [(v,)]}
            self.again = v
            self.functions = [
                tf.function(lambda x: x * v, input_signature=[tf.TensorSpec([])]),
                tf.function(lambda y: y + v, input_signature=[tf.TensorSpec([])]),
            ]
            self.loop = self

        @tf.function(input_signature=[])
        def f(self) -> Any:
            self.again.assign_add(1.0)
            return self.parts["v"] + self.parts["inner"]["w"] + self.parts["l"][0][0]

    x = tf.constant(3.0)
    calls: list[Call] = [("f", [], {}), ("functions/0", [x], {}), ("functions/1", [x], {}),
                         ("loop/loop/f", [], {})]  # fmt: skip
    return Holder(), {}, calls


def concrete_functions(tf: Any, folder: Path) -> Recipe:
    """A trace as an attribute, called by place and by name."""
    model = tf.Module()
    model.v = tf.Variable(3.0)
    model.f = tf.function(lambda x, y: x * model.v - y).get_concrete_function(
        tf.TensorSpec([], name="x"), tf.TensorSpec([], name="y")
    )
    x, y = tf.constant(1.0), tf.constant(2.0)
    return model, {}, [("f", [x, y], {}), ("f", [], {"x": x, "y": y})]


def changing_tables(tf: Any, folder: Path) -> Recipe:
    """Tables that calls change, with what they held when they were saved."""

    class Tables(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            kinds = tf.lookup.experimental
            self.words = kinds.MutableHashTable(tf.string, tf.int64, -1)
            self.words.insert(["k"], tf.constant([7], tf.int64))
            self.dense = kinds.DenseHashTable(
                tf.int64, tf.float32, -1.0, empty_key=-1, deleted_key=-2
            )
            self.dense.insert(tf.constant([5, 6], tf.int64), [2.0, 3.0])
            self.dense.erase(tf.constant([6], tf.int64))
            self.rows = kinds.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0])
            self.rows.insert(tf.constant([1], tf.int64), [[1.0, 2.0]])

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def find(self, x: Any) -> Any:
            return self.words.lookup(x)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def put(self, x: Any) -> Any:
            self.words.insert(x, tf.cast(tf.strings.length(x), tf.int64))
            return self.words.size()

        @tf.function(input_signature=[tf.TensorSpec([None], tf.int64)])
        def numbers(self, x: Any) -> Any:
            return self.dense.lookup(x), self.rows.lookup(x)

    words, x = tf.constant(["k", "long"]), tf.constant([5, 6, 1], tf.int64)
    return Tables(), {}, [("find", [words], {}), ("put", [words[1:]], {}), ("find", [words], {}),
                          ("numbers", [x], {})]  # fmt: skip


def files(tf: Any, folder: Path) -> Recipe:
    """A file that a function names, and a table of its lines with buckets for others."""
    path = folder / "lines.txt"
    path.write_text("x\ny\nz\n")

    class Files(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.asset = tf.saved_model.Asset(str(path))
            kinds = tf.lookup.TextFileIndex
            lines = tf.lookup.TextFileInitializer(
                str(path), tf.string, kinds.WHOLE_LINE, tf.int64, kinds.LINE_NUMBER
            )
            self.table = tf.lookup.StaticVocabularyTable(lines, 2)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def f(self, x: Any) -> Any:
            return self.table.lookup(x), tf.strings.regex_replace(self.asset.asset_path, ".*/", "")

    return Files(), {}, [("f", [tf.constant(["y", "q"])], {})]


def options(tf: Any, folder: Path) -> Recipe:
    """Options of saving: aliases, allowed namespaces, policies, tags."""

    class Scaled(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.v = tf.Variable(2.0)

        @tf.function(input_signature=[tf.TensorSpec([])])
        def f(self, x: Any) -> Any:
            return x * self.v

    model = Scaled()
    chosen = tf.saved_model.SaveOptions(
        namespace_whitelist=["Own"],
        function_aliases={"scaled": model.f},
        experimental_variable_policy="save_variable_devices",
    )
    return model, {"options": chosen}, [("f", [tf.constant(2.0)], {})]


def state(tf: Any, folder: Path) -> Recipe:
    """A generator of random numbers, and variables of any shape and of strings."""

    class State(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.generator = tf.random.Generator.from_seed(5)
            self.any = tf.Variable([1.0, 2.0], shape=tf.TensorShape([None]))
            self.words = tf.Variable(["a", "bb"])
            self.frozen = tf.Variable(1 + 2j, trainable=False)

        @tf.function(input_signature=[])
        def draw(self) -> Any:
            return self.generator.normal([3])

        @tf.function(input_signature=[tf.TensorSpec([None])])
        def put(self, x: Any) -> Any:
            before = tf.stop_gradient(tf.reduce_sum(self.any))
            self.any.assign(x)
            after = tf.stop_gradient(tf.reduce_sum(self.any))
            return before, after, self.words[0] + self.words[1], self.frozen

    x = tf.constant([1.0, 2.0, 3.0])
    return State(), {}, [("draw", [], {}), ("draw", [], {}), ("put", [x], {})]


def captures(tf: Any, folder: Path) -> Recipe:
    """Large constants, of the program and of the object."""
    big = tf.constant(np.arange(1000, dtype=np.float32))

    class Captures(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.own = tf.constant(np.arange(500, dtype=np.float32) * 2)

        @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
        def f(self, i: Any) -> Any:
            return big[i] + self.own[i]

    return Captures(), {}, [("f", [tf.constant(7)], {})]


def staged(tf: Any, folder: Path) -> Recipe:
    """`switch_case`, `map_fn`, `scan`, `for` over a tensor, and an array of tensors."""

    class Staged(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.int32), tf.TensorSpec([])])
        def choose(self, i: Any, x: Any) -> Any:
            return tf.switch_case(i, [lambda: x, lambda: x * 2.0, lambda: x * 3.0])

        @tf.function(input_signature=[tf.TensorSpec([None, 2])])
        def each(self, x: Any) -> Any:
            total = tf.zeros([2])
            for row in x:
                total += row
            array = tf.TensorArray(tf.float32, tf.shape(x)[0]).unstack(x[:, 0])
            sums = tf.map_fn(tf.reduce_sum, x)
            return total, sums, tf.scan(lambda a, r: a + r, x), array.stack() * 2.0

    five = tf.constant(5.0)
    calls: list[Call] = [("choose", [tf.constant(i), five], {}) for i in range(3)]
    return Staged(), {}, [*calls, ("each", [tf.constant([[1.0, 2.0], [3.0, 4.0]])], {})]


def mathematics(tf: Any, folder: Path) -> Recipe:
    """Linear algebra, Fourier transforms, Einstein's sums, images."""

    class Mathematics(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            kernel = np.cos(np.arange(18)).reshape(3, 3, 1, 2).astype(np.float32)
            self.kernel = tf.Variable(kernel)

        @tf.function(input_signature=[tf.TensorSpec([2, 2])])
        def f(self, x: Any) -> Any:
            y = tf.signal.fft(tf.cast(x, tf.complex64))
            return tf.linalg.inv(x), y, tf.einsum("ij,jk->ik", x, x)

        @tf.function(input_signature=[tf.TensorSpec([None, 8, 8, 1])])
        def g(self, x: Any) -> Any:
            y = tf.nn.relu(tf.nn.conv2d(x, self.kernel, 1, "SAME"))
            return tf.image.resize(tf.nn.max_pool2d(y, 2, 2, "VALID"), [5, 5])

    image = tf.constant(np.sin(np.arange(64)).reshape(1, 8, 8, 1), tf.float32)
    matrix = tf.constant([[1.0, 2.0], [3.0, 5.0]])
    return Mathematics(), {}, [("f", [matrix], {}), ("g", [image], {})]


def training(tf: Any, folder: Path) -> Recipe:
    """A step of training, with the gradient inside."""

    class Trained(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable([[1.0], [2.0]])
            self.step_count = tf.Variable(0, dtype=tf.int64, trainable=False)

        @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([None, 1])])
        def step(self, x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((tf.matmul(x, self.w) - y) ** 2.0)
            self.w.assign_sub(0.01 * tape.gradient(loss, self.w))
            self.step_count.assign_add(1)
            return loss, self.step_count.read_value()

    x, y = tf.constant([[1.0, 2.0]]), tf.constant([[1.0]])
    return Trained(), {}, [("step", [x, y], {}), ("step", [x, y], {})]


def called_modules(tf: Any, folder: Path) -> Recipe:
    """A module that is called, with a function compiled at once and one that prints."""

    class Called(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.v = tf.Variable(3.0)

        @tf.function(input_signature=[tf.TensorSpec([])])
        def __call__(self, x: Any) -> Any:
            return self.compiled(x) * self.v

        @tf.function(input_signature=[tf.TensorSpec([])], jit_compile=True)
        def compiled(self, x: Any) -> Any:
            return tf.sin(x) * 2.0

        @tf.function(input_signature=[tf.TensorSpec([])])
        def checked(self, x: Any) -> Any:
            tf.debugging.assert_positive(x)
            return x

    x = tf.constant(2.0)
    return Called(), {}, [("__call__", [x], {}), ("compiled", [x], {}), ("checked", [x], {})]


def slices(tf: Any, folder: Path) -> Recipe:
    """Sparse tensors in a nested argument, and ragged results."""

    class Slices(tf.Module):
        @tf.function(
            input_signature=[
                {"a": tf.SparseTensorSpec([None, 3], tf.float32), "b": [tf.TensorSpec([])]}
            ]
        )
        def f(self, parts: Any) -> Any:
            total = tf.sparse.reduce_sum(parts["a"]) * parts["b"][0]
            return {"total": total, "rows": tf.RaggedTensor.from_row_lengths(
                tf.reshape(tf.sparse.to_dense(parts["a"]), [-1]), [1, 5])}  # fmt: skip

    parts = {"a": tf.SparseTensor([[0, 1]], [2.0], [2, 3]), "b": [tf.constant(3.0)]}
    return Slices(), {}, [("f", [parts], {})]


def checkpoints(tf: Any, folder: Path) -> Recipe:
    """A checkpoint that is saved as a model."""
    v = tf.Variable(2.0)
    root = tf.train.Checkpoint(v=v)
    root.f = tf.function(lambda x: x * v, input_signature=[tf.TensorSpec([])])
    return root, {}, [("f", [tf.constant(4.0)], {})]


def signature_results(tf: Any, folder: Path) -> Recipe:
    """Signatures of names of their own, of several results without names."""

    class Named(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], name="the_input")])
        def one(self, x: Any) -> Any:
            return x + 1.0

        @tf.function(
            input_signature=[tf.TensorSpec([None], name="a"), tf.TensorSpec([None], name="b")]
        )
        def two(self, a: Any, b: Any) -> Any:
            return a, b * 2.0

    model, x = Named(), tf.constant([1.0])
    calls: list[Call] = [
        ("signatures/one", [], {"the_input": x}),
        ("signatures/two", [], {"a": x, "b": x * 3.0}),
    ]
    return model, {"signatures": {"one": model.one, "two": model.two}}, calls


def optional_flags(tf: Any, folder: Path) -> Recipe:
    """The flag `training`, given by place, by name, or not at all."""

    class Layer(tf.Module):
        @tf.function
        def f(self, x: Any, training: bool = False) -> Any:
            return x * 2.0 if training else x

    model, x = Layer(), tf.constant(3.0)
    model.f(x)
    model.f(x, training=True)
    return model, {}, [("f", [x], {}), ("f", [x], {"training": True}), ("f", [x, True], {})]


FEATURES: list[Callable[[Any, Path], Recipe]] = [
    literals, named_tuples, rest_arguments, trackables, concrete_functions, changing_tables, files,
    options, state, captures, staged, mathematics, training, called_modules, slices, checkpoints,
    signature_results, optional_flags,
]  # fmt: skip
