"""Models as programs of many fields make them, with TensorFlow or with graphwright."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from corpora.model_recipes import Call, Recipe


def wave(*dims: int) -> Any:
    """An array of float32 without two equal numbers nearby."""
    return np.sin(np.arange(np.prod(dims)) * 0.7).astype(np.float32).reshape(dims)


def rules_of_variables(tf: Any, folder: Path) -> Recipe:
    """Functions that use variables, and state their own gradients of these too."""

    class Weighted(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable([2.0, 3.0], name="w")
            self.b = tf.Variable(0.5, name="b")
            self.fixed = tf.Variable(4.0, name="fixed", trainable=False)

            @tf.custom_gradient
            def scaled(x: Any) -> Any:
                def rule(upstream: Any, variables: Any) -> Any:
                    of_each = [upstream * x * 10.0 if v.shape.rank else tf.reduce_sum(upstream)
                               for v in variables]  # fmt: skip
                    return upstream * self.w * 100.0, of_each

                return x * self.w + self.b, rule

            @tf.custom_gradient
            def read(x: Any) -> Any:
                return x * self.fixed, lambda upstream: upstream * self.fixed * 7.0

            self.scaled, self.read = scaled, read

        @tf.function(input_signature=[tf.TensorSpec([2])])
        def f(self, x: Any) -> Any:
            return self.read(self.scaled(x)) + self.w

    options = tf.saved_model.SaveOptions(experimental_custom_gradients=True)
    return Weighted(), {"options": options}, [("f", [tf.constant([0.5, 1.5])], {})]


def rules_in_branches(tf: Any, folder: Path) -> Recipe:
    """Gradients that functions state inside branches, loops and functions that others call."""

    @tf.custom_gradient
    def doubled(x: Any) -> Any:
        return x * 2.0, lambda upstream: upstream * x * 5.0

    @tf.custom_gradient
    def tripled(x: Any) -> Any:  # TensorFlow loads no rule of a branch that takes tensors
        return x * 3.0, lambda upstream: upstream * 7.0

    class Branches(tf.Module):
        @tf.function
        def inner(self, x: Any) -> Any:
            return doubled(x) + 1.0

        @tf.function(input_signature=[tf.TensorSpec([])])
        def called(self, x: Any) -> Any:
            return self.inner(x) * x

        @tf.function(input_signature=[tf.TensorSpec([])])
        def branch(self, x: Any) -> Any:
            return tf.cond(x > 0.0, lambda: tripled(x), lambda: x)

    options = tf.saved_model.SaveOptions(experimental_custom_gradients=True)
    one, less = tf.constant(1.5), tf.constant(-2.0)
    calls: list[Call] = [("called", [one], {}), ("branch", [one], {}), ("branch", [less], {})]
    return Branches(), {"options": options}, calls


def recomputation(tf: Any, folder: Path) -> Recipe:
    """A part that computes its values again in its gradient."""

    class Deep(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable(wave(3, 3), name="w")
            self.part = tf.recompute_grad(lambda x: tf.tanh(x @ self.w))

        @tf.function(input_signature=[tf.TensorSpec([None, 3])])
        def f(self, x: Any) -> Any:
            return self.part(self.part(x))

    options = tf.saved_model.SaveOptions(experimental_custom_gradients=True)
    return Deep(), {"options": options}, [("f", [tf.constant(wave(2, 3))], {})]


def text(tf: Any, folder: Path) -> Recipe:
    """Sentences as numbers of words: strings, ragged rows, a table, and vectors of words."""

    class Bag(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            words = tf.constant(["the", "cat", "sat"])
            pairs = tf.lookup.KeyValueTensorInitializer(words, tf.constant([1, 2, 3], tf.int64))
            self.numbers = tf.lookup.StaticHashTable(pairs, 0)
            self.vectors = tf.Variable(wave(4, 2), name="vectors")

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def rows(self, sentences: Any) -> Any:
            plain = tf.strings.regex_replace(tf.strings.lower(sentences), "[^a-z ]", "")
            words = tf.strings.split(plain)
            return words, tf.ragged.map_flat_values(self.numbers.lookup, words)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def mean(self, sentences: Any) -> Any:
            rows = self.rows(sentences)[1]
            return tf.nn.embedding_lookup(self.vectors, rows.to_tensor()), rows.row_lengths()

    sentences = tf.constant(["The cat!", "A cat sat.", ""])
    return Bag(), {}, [("rows", [sentences], {}), ("mean", [sentences], {})]


def rows(tf: Any, folder: Path) -> Recipe:
    """Ragged rows of two levels: rows of numbers, some of them by their numbers, dense and sparse."""

    class Rows(tf.Module):
        @tf.function(input_signature=[tf.RaggedTensorSpec([None, None, None], tf.float32)])
        def dense(self, x: Any) -> Any:
            whole = x.to_tensor(default_value=-1.0)
            cut = x.values.to_tensor(shape=[None, 2])
            return whole, cut, x.values.to_sparse(), tf.reduce_max(x.values, axis=1)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
        def numbers(self, limits: Any) -> Any:
            return tf.ragged.range(limits), tf.ragged.range(limits, 9, 2).to_tensor()

        @tf.function(
            input_signature=[
                tf.RaggedTensorSpec([None, None, None], tf.float32),
                tf.TensorSpec([None], tf.int32),
            ]
        )
        def some(self, x: Any, places: Any) -> Any:
            return tf.gather(x, places), tf.gather(x.values, places), tf.gather(x.values, places[0])

    x = tf.ragged.constant([[[1.0, 2.0, 3.0], []], [], [[4.0]]])
    calls: list[Call] = [
        ("dense", [x], {}),
        ("numbers", [tf.constant([3, 0, 2])], {}),
        ("some", [x, tf.constant([2, 0, 1])], {}),
    ]
    return Rows(), {}, calls


def pictures(tf: Any, folder: Path) -> Recipe:
    """Files of pictures as numbers: decoded, resized and flipped, and a window that slides."""

    class Eyes(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.kernel = tf.Variable(wave(3, 3, 3, 2), name="kernel")

        @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
        def f(self, content: Any) -> Any:
            image = tf.io.decode_png(content, channels=3)
            small = tf.image.resize(tf.cast(image, tf.float32) / 255.0, [4, 4])
            both = tf.stack([small, tf.image.flip_left_right(small)])
            maps = tf.nn.conv2d(both, self.kernel, strides=1, padding="SAME")
            return image, tf.nn.max_pool2d(maps, 2, 2, "VALID")

    image = tf.constant((np.arange(6 * 5 * 3) * 2 % 256).astype(np.uint8).reshape(6, 5, 3))
    return Eyes(), {}, [("f", [tf.io.encode_png(image)], {})]


def sounds(tf: Any, folder: Path) -> Recipe:
    """A spectrum of windows of a sound: complex numbers inside, and a scale of pitches."""

    class Ears(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float64)])
        def f(self, sound: Any) -> Any:
            spectrum = tf.signal.stft(sound, 16, 8, 16)
            weights = tf.signal.linear_to_mel_weight_matrix(5, 9, 8000, 100.0, 3000.0, tf.float64)
            return tf.math.log(tf.abs(spectrum) @ weights + 0.1)

    return Ears(), {}, [("f", [tf.constant(wave(40), tf.float64)], {})]


def attention(tf: Any, folder: Path) -> Recipe:
    """Attention with a mask, by letters of axes."""

    class Attention(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.parts = {n: tf.Variable(wave(4, 2, 2) * k, name=n)
                          for k, n in enumerate(["query", "key", "value"], 1)}  # fmt: skip

        @tf.function(input_signature=[tf.TensorSpec([None, None, 4]), tf.TensorSpec([], tf.bool)])
        def f(self, x: Any, causal: Any) -> Any:
            q, k, v = [
                tf.einsum("btd,dhk->bhtk", x, self.parts[n]) for n in ("query", "key", "value")
            ]
            scores = tf.einsum("bhtk,bhsk->bhts", q, k) * 0.5
            size = tf.shape(x)[1]
            if causal:
                ones = tf.linalg.band_part(tf.ones([size, size]), -1, 0)
                scores = tf.where(ones > 0.0, scores, -1e9)
            return tf.einsum("bhts,bhsk->bthk", tf.nn.softmax(scores), v)

    x = tf.constant(wave(2, 3, 4))
    calls: list[Call] = [("f", [x, tf.constant(b)], {}) for b in (True, False)]
    return Attention(), {}, calls


def search(tf: Any, folder: Path) -> Recipe:
    """A loop that grows a list until a condition, with a branch that ends it."""

    class Search(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
        def f(self, n: Any) -> Any:
            path = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
            i = 0
            while n != 1:
                path = path.write(i, n)
                i += 1
                if i > 12:
                    break
                n = n // 2 if n % 2 == 0 else 3 * n + 1
            return path.stack(), i

    return Search(), {}, [("f", [tf.constant(n)], {}) for n in (6, 27, 1)]


def examples(tf: Any, folder: Path) -> Recipe:
    """Messages of examples as features, dense and sparse, as signatures of servers take them."""

    class Features(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="examples")])
        def f(self, messages: Any) -> Any:
            features = {
                "age": tf.io.FixedLenFeature([], tf.float32, 1.5),
                "tags": tf.io.VarLenFeature(tf.string),
                "sizes": tf.io.FixedLenFeature([2], tf.int64),
            }
            parsed = tf.io.parse_example(messages, features)
            count = tf.sparse.reduce_sum(
                tf.SparseTensor(parsed["tags"].indices, tf.ones_like(parsed["tags"].values, tf.int64),
                                parsed["tags"].dense_shape), 1
            )  # fmt: skip
            return {"age": parsed["age"], "sizes": parsed["sizes"], "count": count}

    def message(tags: list[bytes], **age: float) -> bytes:
        kinds = tf.train
        parts = {
            "tags": kinds.Feature(bytes_list=kinds.BytesList(value=tags)),
            "sizes": kinds.Feature(int64_list=kinds.Int64List(value=[len(tags), 7])),
            **{k: kinds.Feature(float_list=kinds.FloatList(value=[v])) for k, v in age.items()},
        }
        return bytes(kinds.Example(features=kinds.Features(feature=parts)).SerializeToString())

    messages = tf.constant([message([b"a", b"b"], age=3.0), message([])])
    model = Features()
    calls: list[Call] = [
        ("f", [messages], {}), ("signatures/serving_default", [], {"examples": messages})
    ]  # fmt: skip
    return model, {}, calls


def small_numbers(tf: Any, folder: Path) -> Recipe:
    """Weights of few bits, scaled when they are used, and sums in bfloat16."""

    class Small(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.codes = tf.Variable(
                tf.constant(np.arange(-6, 6).reshape(3, 4), tf.int8), trainable=False, name="codes"
            )
            self.scale = tf.Variable([0.5, 0.25, 1.0, 2.0], name="scale")

        @tf.function(input_signature=[tf.TensorSpec([None, 3])])
        def f(self, x: Any) -> Any:
            y = x @ (tf.cast(self.codes, tf.float32) * self.scale)
            rounded = tf.quantization.fake_quant_with_min_max_args(y, -8.0, 8.0)
            return rounded, tf.cast(tf.cast(y, tf.bfloat16) * 2, tf.float32)

    return Small(), {}, [("f", [tf.constant(wave(2, 3))], {})]


def steps_of_training(tf: Any, folder: Path) -> Recipe:
    """A training step with its gradient inside, and variables that it changes."""

    class Trained(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable(wave(3, 1), name="w")
            self.speed = tf.Variable(tf.zeros([3, 1]), trainable=False, name="speed")
            self.steps = tf.Variable(0, dtype=tf.int64, trainable=False, name="steps")

        @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([None, 1])])
        def train(self, x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((x @ self.w - y) ** 2)
            self.speed.assign(0.9 * self.speed + tape.gradient(loss, self.w))
            self.w.assign_sub(0.1 * self.speed)
            self.steps.assign_add(1)
            return {"loss": loss, "steps": self.steps.read_value()}

    data = [tf.constant(wave(4, 3)), tf.constant(wave(4, 1))]
    return Trained(), {}, [("train", data, {}) for _ in range(3)]


def defaults(tf: Any, folder: Path) -> Recipe:
    """Arguments by name alone, defaults of tensors' dtypes, and nested defaults."""

    class Defaults(tf.Module):
        @tf.function
        def f(
            self, x: Any, /, y: Any = 2.0, *, power: int = 2, parts: Any = (1, (2.5, None))
        ) -> Any:
            return (x + y) ** power * parts[0] + parts[1][0]

    model, spec, x = Defaults(), tf.TensorSpec([None]), tf.constant([1.0, 2.0])
    others: list[dict[str, Any]] = [{}, {"power": 3}, {"y": 1.0, "parts": (4, (0.5, None))}]
    for named in others:
        model.f.get_concrete_function(spec, **named)
    return model, {}, [("f", [x], named) for named in others]


def solvers(tf: Any, folder: Path) -> Recipe:
    """Linear algebra: decompositions and solutions of batches, and their gradients."""

    class Solvers(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None, 3, 3], tf.float64)])
        def f(self, a: Any) -> Any:
            spd = a @ tf.linalg.matrix_transpose(a) + tf.eye(3, dtype=tf.float64)
            root = tf.linalg.cholesky(spd)
            solved = tf.linalg.cholesky_solve(root, tf.ones_like(a))
            values = tf.linalg.eigvalsh(spd)
            return solved, values, tf.linalg.logdet(spd)

    return Solvers(), {}, [("f", [tf.constant(wave(2, 3, 3), tf.float64)], {})]


def segments(tf: Any, folder: Path) -> Recipe:
    """Sums over groups, the best of each row, and places of what is true."""

    class Groups(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([None], tf.int32)])
        def f(self, x: Any, groups: Any) -> Any:
            sums = tf.math.unsorted_segment_sum(x, groups, 3)
            best = tf.math.top_k(x, 2)
            where = tf.where(x > 0.0)
            values, places = tf.unique(groups)
            return sums, best.values, best.indices, where, values, places

    return Groups(), {}, [("f", [tf.constant(wave(4, 3)), tf.constant([2, 0, 2, 1])], {})]


def experts(tf: Any, folder: Path) -> Recipe:
    """Rows that go to the two best of four experts, and come back weighted."""

    class Experts(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.gate = tf.Variable(wave(3, 4), name="gate")
            self.experts = [tf.Variable(wave(3, 2) + n, name=f"expert_{n}") for n in range(4)]

        @tf.function(input_signature=[tf.TensorSpec([None, 3], name="x")])
        def f(self, x: Any) -> Any:
            scores, best = tf.math.top_k(tf.nn.softmax(x @ self.gate), 2)
            total = tf.zeros([tf.shape(x)[0], 2])
            for number, expert in enumerate(self.experts):
                places = tf.where(tf.equal(best, number))
                weights = tf.gather_nd(scores, places)[:, None]
                made = tf.gather(x, places[:, 0]) @ expert * weights
                total = tf.tensor_scatter_nd_add(total, places[:, :1], made)
            return {"y": total, "load": tf.math.bincount(best, minlength=4)}

    return Experts(), {}, [("f", [tf.constant(wave(5, 3))], {})]


def labels(tf: Any, folder: Path) -> Recipe:
    """The best path through labels: a loop forward that notes, and one backward that reads."""

    class Labels(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.moves = tf.Variable(wave(3, 3), name="moves")

        @tf.function(input_signature=[tf.TensorSpec([None, 3], name="scores")])
        def f(self, scores: Any) -> Any:
            count = tf.shape(scores)[0]
            back = tf.TensorArray(tf.int32, count, element_shape=[3])
            state, total = scores[0], scores[0]
            for i in tf.range(1, count):
                paths = state[:, None] + self.moves
                back = back.write(i, tf.argmax(paths, 0, tf.int32))
                state = tf.reduce_max(paths, 0) + scores[i]
                total = tf.reduce_logsumexp(total[:, None] + self.moves, 0) + scores[i]
            label = tf.argmax(state, output_type=tf.int32)
            path = tf.TensorArray(tf.int32, count).write(count - 1, label)
            for i in tf.range(count - 1, 0, -1):
                label = back.read(i)[label]
                path = path.write(i - 1, label)
            return path.stack(), tf.reduce_max(state), tf.reduce_logsumexp(total)

    calls: list[Call] = [("f", [tf.constant(wave(n, 3) * 2.0)], {}) for n in (6, 2)]
    return Labels(), {}, calls


def messages(tf: Any, folder: Path) -> Recipe:
    """Messages along the edges of a graph, with a mean that each call moves."""

    class Messages(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable(wave(4, 2), name="w")
            self.mean = tf.Variable(tf.zeros([2]), trainable=False, name="mean")

        @tf.function(
            input_signature=[
                tf.TensorSpec([None, 2], name="nodes"),
                tf.TensorSpec([None, 2], tf.int32, name="edges"),
            ]
        )
        def f(self, nodes: Any, edges: Any) -> Any:
            source, target = tf.unstack(edges, axis=1)
            ends = [tf.gather(nodes, place) for place in (source, target)]
            sent = tf.nn.elu(tf.concat(ends, 1) @ self.w)
            count = tf.shape(nodes)[0]
            total = tf.math.unsorted_segment_sum(sent, target, count)
            most = tf.math.unsorted_segment_max(sent, target, count)
            most = tf.where(most < -1e30, tf.zeros_like(most), most)
            self.mean.assign(0.75 * self.mean + 0.25 * tf.reduce_mean(total, 0))
            return total - self.mean, most

    edges = tf.constant([[0, 1], [2, 1], [1, 3], [3, 0], [0, 3]])
    call: Call = ("f", [tf.constant(wave(5, 2)), edges], {})
    return Messages(), {}, [call, call]


PROGRAMS: list[Callable[[Any, Path], Recipe]] = [
    rules_of_variables, rules_in_branches, recomputation, text, rows, pictures, sounds, attention, search,
    examples, small_numbers, steps_of_training, defaults, solvers, segments,
    experts, labels, messages,
]  # fmt: skip
