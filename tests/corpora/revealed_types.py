"""Expressions as programs write them, and the type that a checker must reveal for each.

`tests/test_revealed_types.py` asks mypy, and evaluates each of them to see that it is so.
"""

from __future__ import annotations

#: What stands before the expressions.
SETTING = """
import numpy as np

import graphwright as tf

x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
y = tf.constant([1.0, 2.0])
z = tf.constant([1 + 2j])
n = tf.constant([3, 1, 2])
words = tf.constant(["a b", "c"])
v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
shape = tf.TensorShape([2, None])
ragged = tf.ragged.constant([[1, 2], [3]])
sparse = tf.sparse.from_dense([[1, 0], [0, 2]])
numbers = tf.data.Dataset.range(4)
unknown: tf.data.Dataset = tf.data.Dataset.zip((numbers, numbers))
pictures = tf.zeros([1, 4, 4, 3])
array = tf.TensorArray(tf.float32, size=1, clear_after_read=False)


@tf.function
def plain(a: tf.Tensor, times: int = 2) -> tf.Tensor:
    return a * float(times)


@tf.function(reduce_retracing=True)
def pair(a: tf.Tensor) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    return a, {"twice": a * 2.0}


def step(i: tf.Tensor, array: tf.TensorArray) -> tuple[tf.Tensor, tf.TensorArray]:
    return i + 1, array


@tf.custom_gradient
def clipped(a: tf.Tensor) -> tuple[tf.Tensor, object]:
    return a, lambda upstream: tf.clip_by_norm(upstream, 1.0)


class Model(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = tf.Variable(2.0)

    @tf.function
    def __call__(self, a: tf.Tensor) -> tf.Tensor:
        return a * self.weight

    @tf.function(jit_compile=True)
    def slopes(self, a: tf.Tensor) -> list[tf.Tensor]:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(self(a))
        return tape.gradient(loss, [self.weight])


model = Model()
tape = tf.GradientTape(persistent=True)
with tape:
    tape.watch(x)
    loss = tf.reduce_sum(x * v)
"""

#: Expressions that are tensors, one a line.
TENSORS = """
x
x + 1.0
1.0 + x
x - y
2.0 * x
x / y
x // 2.0
x % 2.0
x**2.0
2.0**x
x @ x
[[1.0, 0.0], [0.0, 1.0]] @ x
-x
+x
abs(x)
x < y
x <= 1.0
x > y
x >= 1.0
x == y
x != 1.0
~(x > 1.0)
(x > 1.0) & (x < 3.0)
(x > 1.0) | (x < 3.0)
(x > 1.0) ^ (x < 3.0)
x[0]
x[:, 0]
x[..., tf.newaxis]
x[x > 1.0]
next(iter(x))
v + x
x * v
v @ v
v[0]
-v
v.value()
v.read_value()
v.sparse_read([0])
tf.constant(1)
tf.convert_to_tensor([1.0])
tf.cast(x, tf.int32)
tf.zeros([2])
tf.ones_like(x)
tf.fill([2], 7)
tf.eye(2)
tf.range(3)
tf.linspace(0.0, 1.0, 3)
tf.one_hot([0, 1], 2)
tf.identity(x)
tf.stop_gradient(x)
tf.reshape(x, [-1])
tf.transpose(x)
tf.expand_dims(x, 0)
tf.squeeze(x[None])
tf.broadcast_to(y, [2, 2])
tf.concat([x, x], 0)
tf.stack([y, y])
tf.tile(y, [2])
tf.repeat(y, 2)
tf.pad(x, [[0, 1], [0, 0]])
tf.gather(x, [1])
tf.gather_nd(x, [[0, 1]])
tf.scatter_nd([[0]], [1.0], [2])
tf.tensor_scatter_nd_update(y, [[0]], [5.0])
tf.where(x > 1.0, x, 0.0)
tf.boolean_mask(x, x > 1.0)
tf.slice(x, [0, 0], [1, 1])
tf.reverse(x, [0])
tf.roll(y, 1, 0)
tf.sort(y)
tf.argsort(y)
tf.argmax(x)
tf.searchsorted(y, [1.5])
tf.shape(x)
tf.size(x)
tf.rank(x)
tf.add(x, y)
tf.subtract(x, y)
tf.multiply(x, y)
tf.divide(x, y)
tf.pow(x, 2.0)
tf.square(x)
tf.sqrt(x)
tf.exp(x)
tf.sin(x)
tf.tanh(x)
tf.sigmoid(x)
tf.abs(x)
tf.sign(x)
tf.round(x)
tf.maximum(x, y)
tf.minimum(x, 1.0)
tf.clip_by_value(x, 0.0, 1.0)
tf.clip_by_norm(x, 1.0)
tf.cumsum(x)
tf.add_n([x, x])
tf.equal(x, y)
tf.logical_and(x > 1.0, x < 2.0)
tf.reduce_sum(x)
tf.reduce_mean(x, axis=0)
tf.reduce_max(x, keepdims=True)
tf.reduce_any(x > 1.0)
tf.reduce_logsumexp(x)
tf.matmul(x, x)
tf.tensordot(x, x, 1)
tf.einsum("ij,jk->ik", x, x)
tf.norm(x)
tf.complex(1.0, 2.0)
tf.strings.length(words)
tf.strings.join([words, words])
tf.strings.to_number(["1.5"])
tf.strings.regex_replace(words, "a", "b")
tf.strings.upper(words)
tf.as_string(x)
tf.math.log(x)
tf.math.log1p(x)
tf.math.erf(x)
tf.math.lgamma(x)
tf.math.softplus(x)
tf.math.real(z)
tf.math.conj(z)
tf.math.cumprod(x)
tf.math.reduce_std(x)
tf.math.reduce_variance(x)
tf.math.segment_sum(x, [0, 0])
tf.math.unsorted_segment_max(x, [0, 1], 2)
tf.math.bincount(n)
tf.math.confusion_matrix([0, 1], [1, 1])
tf.math.top_k(x).values
tf.math.is_nan(x)
tf.math.l2_normalize(x)
tf.linalg.inv(x)
tf.linalg.det(x)
tf.linalg.cholesky(tf.eye(2))
tf.linalg.solve(x, x)
tf.linalg.diag(y)
tf.linalg.trace(x)
tf.linalg.matvec(x, y)
tf.linalg.svd(x)[0]
tf.linalg.svd(x, compute_uv=False)
tf.linalg.qr(x).q
tf.nn.relu(x)
tf.nn.softmax(x)
tf.nn.gelu(x)
tf.nn.dropout(x, 0.5)
tf.nn.conv2d(pictures, tf.ones([3, 3, 3, 2]), 1, "SAME")
tf.nn.max_pool2d(pictures, 2, 2, "SAME")
tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1], x)
tf.nn.embedding_lookup(x, [0])
tf.nn.bias_add(x, y)
tf.nn.moments(x, [0])[0]
tf.image.resize(pictures, [2, 2])
tf.image.flip_left_right(pictures)
tf.image.rgb_to_grayscale(pictures)
tf.signal.rfft(y)
tf.random.normal([2])
tf.random.uniform([2])
tf.random.stateless_normal([2], [1, 2])
tf.random.shuffle(y)
tf.io.serialize_tensor(x)
tf.io.decode_raw([b"ab"], tf.uint8)
tf.sparse.to_dense(sparse)
tf.bitwise.bitwise_and(n, 1)
tf.experimental.numpy.sin(x)
tf.experimental.numpy.add(x, 1)
tf.cond(y[0] > 1.0, lambda: y, lambda: y + 1.0)
tf.map_fn(lambda row: tf.reduce_sum(row), x)
tf.vectorized_map(lambda row: tf.reduce_sum(row), x)
plain(x)
plain(x, times=3)
plain.get_concrete_function(x)(x)
array.write(0, y).read(0)
array.write(0, y).stack()
array.size()
pair(x)[0]
pair(x)[1]["twice"]
model(x)
model.slopes(x)[0]
clipped(x)
tape.gradient(loss, x)
tape.gradient(loss, v)
tape.gradient(loss, [x, v])[0]
ragged.row_splits
ragged.to_tensor()
sparse.values
"""

#: Other expressions, and their types: as mypy prints them, without the modules.
OTHERS = {
    "v": "Variable",
    "v.assign(x)": "Variable",
    "v.assign_add(x)": "Variable",
    "v.trainable": "bool",
    "v.name": "str",
    "x.shape": "TensorShape",
    "x.dtype": "DType",
    "x.numpy()": "ndarray[tuple[Any, ...], dtype[Any]]",
    "x.device": "str",
    "x.ndim": "int | None",
    "float(y[0])": "float",
    "int(n[0])": "int",
    "bool(y[0])": "bool",
    "len(x)": "int",
    "shape[0]": "int | None",
    "shape[:1]": "TensorShape",
    "shape.rank": "int | None",
    "shape.as_list()": "list[int | None]",
    "tf.float32": "DType",
    "tf.float32.name": "str",
    "tf.float32.is_floating": "bool",
    "tf.as_dtype('int32')": "DType",
    "tf.TensorSpec([None], tf.float32)": "TensorSpec",
    "tf.split(y, 2)": "list[Tensor]",
    "tf.unstack(x)": "list[Tensor]",
    "tf.meshgrid(y, y)": "list[Tensor]",
    "tf.clip_by_global_norm([x], 1.0)": "tuple[list[Tensor], Tensor]",
    "tf.strings.split(words)": "RaggedTensor",
    "ragged": "RaggedTensor",
    "sparse": "SparseTensor",
    "numbers": "Dataset[Tensor]",
    "next(iter(numbers))": "Tensor",
    "[i for i in numbers][0]": "Tensor",
    "numbers.take(1).get_single_element()": "Tensor",
    "iter(numbers)": "Iterator[Tensor]",
    "numbers.map(lambda e: e + 1).batch(2).prefetch(1)": "Dataset[Tensor]",
    "numbers.shuffle(4).repeat().take(3)": "Dataset[Tensor]",
    "numbers.enumerate().map(lambda i, e: e)": "Dataset[Tensor]",
    "numbers.map(lambda e: (e, {'twice': e * 2}))": "Dataset[tuple[Tensor, dict[str, Tensor]]]",
    "unknown": "Dataset[Any]",
    "unknown.map(lambda a, b: tf.add(a, b))": "Dataset[Tensor]",
    "numbers.filter(lambda e: e > 1)": "Dataset[Tensor]",
    "numbers.enumerate().filter(lambda i, e: i > e)": "Dataset[tuple[Tensor, Tensor]]",
    "unknown.filter(lambda a, b: a > b)": "Dataset[Any]",
    "numbers.window(2).flat_map(lambda w: w.batch(2))": "Dataset[Tensor]",
    "numbers.window(2)": "Dataset[Dataset[Tensor]]",
    "numbers.interleave(lambda e: numbers.skip(e))": "Dataset[Tensor]",
    "numbers.scan(n[0], lambda s, e: (s + 1, (s, e)))": "Dataset[tuple[Tensor, Tensor]]",
    "numbers.reduce(tf.constant(0, tf.int64), lambda s, e: s + e)": "Tensor",
    "numbers.scan(0, lambda s, e: (s + 1, e))": "Dataset[Tensor]",
    "numbers.reduce(0.0, lambda s, e: s + 1.0)": "Tensor",
    "numbers.apply(lambda d: d.take(1))": "Dataset[Tensor]",
    "tf.data.Dataset.zip((numbers, numbers))": "Dataset[tuple[Tensor, Tensor]]",
    "tf.data.Dataset.zip(numbers, numbers).map(lambda a, b: a + b)": "Dataset[Tensor]",
    "tf.data.Dataset.zip({'a': numbers})": "Dataset[dict[str, Tensor]]",
    "tf.data.Dataset.from_tensor_slices((np.ones([2]), [1, 0]))": "Dataset[tuple[Tensor, Tensor]]",
    "tf.data.Dataset.from_tensor_slices({'a': [1, 2]})": "Dataset[dict[str, Tensor]]",
    "tf.data.Dataset.from_tensor_slices([1, 2]).cache()": "Dataset[Tensor]",
    "tf.data.Dataset.from_tensors((x, ragged))": "Dataset[tuple[Tensor, RaggedTensor]]",
    "tf.data.Dataset.from_generator(list, output_signature=tf.TensorSpec([]))": "Dataset[Tensor]",
    "tf.data.TextLineDataset(['a.txt'])": "TextLineDataset",
    "tf.data.TextLineDataset(['a.txt']).batch(2)": "Dataset[Tensor]",
    "tape.gradient(loss, [x, v])": "list[Tensor]",
    "tape.gradient(loss, (x, v))": "tuple[Tensor, ...]",
    "float(v[0, 0])": "float",
    "[float(term) for term in (y[0], tf.Variable(1.0))]": "list[float]",
    "array.write(0, y)": "TensorArray",
    "tf.while_loop(lambda i: i < 3, lambda i: [i + 1], [n[0]])": "list[Tensor]",
    "tf.while_loop(lambda i, a: i < 3, step, (n[0], array))": "tuple[Tensor, TensorArray]",
    "plain.experimental_get_tracing_count()": "int",
    "plain.explain()": "Report",
    "model.trainable_variables": "tuple[Variable, ...]",
    "tf.optimizers.Adam(0.1)": "Adam",
    "tf.executing_eagerly()": "bool",
}
