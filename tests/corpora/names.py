"""Names that libraries ask for, and arguments in forms that are rare: what TensorFlow recorded.

`tools/record_name_goldens.py` evaluates them there, `tests/edge/test_library_names.py` here.
"""

import tempfile
from typing import Any

from corpora.composites import outcome

#: Expressions on the strategy `s` with a variable `v`, tensors `x` and the `D` of tf.distribute.
DISTRIBUTE = """
(D.has_strategy(), D.in_cross_replica_context(), D.get_strategy() is s)
isinstance(s, D.Strategy), isinstance(s, D.MirroredStrategy)
(s.num_replicas_in_sync, D.get_replica_context().num_replicas_in_sync)
D.get_replica_context().replica_id_in_sync_group
D.get_replica_context() is D.get_replica_context()
D.get_replica_context().strategy is D.get_strategy()
scoped(where)
scoped(lambda: [scoped(where), where()])
scoped(lambda: s.run(where))
s.run(where)
s.run(lambda: D.get_replica_context().replica_id_in_sync_group)
s.run(lambda a, b=0: a + b + v, args=(1.,), kwargs={'b': 2.})
s.run(lambda a, b: a + b, [1, 2])
s.run(lambda: s.run(lambda: 1))
s.run(lambda: s.reduce('SUM', x, axis=None))
s.run(lambda: s.extended.variable_created_in_scope(v))
s.reduce(D.ReduceOp.SUM, x, axis=None)
s.reduce(D.ReduceOp.SUM, x, axis=0)
s.reduce(D.ReduceOp.MEAN, x, axis=1)
s.reduce('sum', x, axis=-1)
s.reduce('MEAN', x, -2)
s.reduce('mean', tf.constant([1, 2]), axis=0)
s.reduce('max', x, axis=0)
s.reduce(None, x, axis=0)
s.reduce('SUM', {'a': x, 'b': (3.,)}, axis=None)
s.reduce('SUM', 3., axis=None)
s.reduce('SUM', [1., 2.], axis=0)
s.gather(x, axis=0)
s.gather(tf.constant(1.), axis=0)
s.experimental_local_results(x)
s.experimental_local_results((1, 2))
distributed(lambda c: tf.constant(c.replica_id_in_sync_group + c.num_replicas_in_sync))
s.run(lambda: D.get_replica_context().all_reduce('SUM', x))
s.run(lambda: D.get_replica_context().all_reduce(D.ReduceOp.MEAN, {'a': x, 'b': [x[0]]}))
s.run(lambda: D.get_replica_context().all_reduce('max', x))
s.run(lambda: D.get_replica_context().all_gather(x, axis=0))
s.run(lambda: D.get_replica_context().merge_call(merged, args=(3,), kwargs={'b': 4}))
s.run(lambda: I.interim.maybe_merge_call(merged, s, 5, b=6))
s.run(I.strategy_supports_no_merge_call)
step(tf.constant(2.)), step(tf.constant(-2.))
averaged.get_concrete_function(tf.TensorSpec([None, 3])).output_shapes
averaged(x)
scoped(lambda: s.extended.update(v, lambda v, a, b=1.: v.assign(a * b), args=(3.,)).numpy())
scoped(lambda: s.extended.update(v, lambda v: (v + 1, 7), group=False))
scoped(lambda: s.extended.update(v, lambda v: (v + 1, 7)))
scoped(lambda: s.extended.update(v, lambda v: D.in_cross_replica_context()))
scoped(lambda: s.extended.value_container(v) is v)
scoped(lambda: s.extended.reduce_to('sum', x, v))
scoped(lambda: s.extended.batch_reduce_to('SUM', [(x, v), (x[0], v)]))
s.extended.worker_devices
s.extended.parameter_devices
s.extended.experimental_require_static_shapes
list(D.ReduceOp)
D.ReduceOp.SUM.value, D.ReduceOp('MEAN')
D.ReduceOp.from_variable_aggregation(tf.VariableAggregation.MEAN)
str(D.InputContext(2, 1, 3))
D.InputContext().get_per_replica_batch_size(4)
D.InputContext(2, 1, 3).get_per_replica_batch_size(4)
isinstance(x, D.DistributedValues), isinstance(x, D.DistributedDataset)
""".strip().splitlines()

#: The strategies that they are about.
STRATEGIES = {
    "default": "tf.distribute.get_strategy()",
    "one": "tf.distribute.OneDeviceStrategy('/cpu:0')",
    "mirrored": "tf.distribute.MirroredStrategy()",
    "named": "tf.distribute.MirroredStrategy(['/cpu:0'])",
}


def strategy_scope(tf: Any, strategy: str) -> dict[str, Any]:
    """What the expressions use."""
    D = tf.distribute
    s = eval(strategy, {"tf": tf})
    with s.scope():
        v = tf.Variable(1.0)

    def scoped(function: Any) -> Any:
        with s.scope() as entered:
            assert entered is s
            return function()

    def where() -> Any:
        return D.has_strategy(), D.in_cross_replica_context(), D.get_strategy() is s

    def merged(strategy: Any, a: Any, b: Any = 1) -> Any:
        return strategy is s, a, b, D.in_cross_replica_context()

    def one(y: Any) -> Any:
        z = y * 2.0 if y > 0.0 else -y
        return D.get_replica_context().all_reduce("MEAN", z)

    return {
        "s": s, "v": v, "x": tf.constant([[1.0, 2.0, 6.0], [3.0, 4.0, 8.0]]), "D": D,
        "I": tf.__internal__.distribute, "scoped": scoped, "where": where, "merged": merged,
        "step": tf.function(lambda x: s.reduce(D.ReduceOp.SUM, s.run(one, args=(x,)), axis=None)),
        "averaged": tf.function(lambda x: s.reduce("MEAN", x, axis=0)),
        "distributed": s.experimental_distribute_values_from_function,
    }  # fmt: skip


#: Expressions on what is named in `library_scope`.
LIBRARY = """
kinds(x)
kinds(v)
kinds(rt)
kinds(tf.sparse.eye(2))
kinds(tf.IndexedSlices(x, [0]))
kinds(m)
kinds(tf.train.Checkpoint(m=m))
kinds(tf.random.Generator.from_seed(1))
kinds(3)
inside(x)
sorted(T.children(m))
[type(c).__name__.lower().strip('_')[:4] for c in T(m).descendants()][::3]
len(T(m).descendants())
T.children(v)
T(m).root is m
sorted(T.children(tf.train.Checkpoint(m=m)))[:1]
sorted(T.children(auto))
sorted(T.children(auto.more()))
sorted(T.children(held))
T.children(held)['a'] is v
held._track_trackable(m, 'b') is m
held._track_trackable(v, 'a') is v
held._track_trackable(m, 'a')
held._track_trackable(m, 'a', overwrite=True) is m
T.children(held)['a'] is m
sorted(T.children(tf.random.Generator.from_seed(1)))
round_trip(auto, auto.left)
round_trip(held, held.own)
round_trip(tf.random.Generator.from_seed(1), None)
[d.size for d in tf.TensorShape([2, None]).as_proto().dim]
tf.TensorShape(None).as_proto().unknown_rank
tf.TensorShape([]).as_proto().unknown_rank, len(tf.TensorShape([]).as_proto().dim)
[tf.TensorShape(tf.TensorShape(s).as_proto()) for s in (None, [], [2, None])]
tf.NoneTensorSpec(), tf.NoneTensorSpec() == tf.NoneTensorSpec()
tf.NoneTensorSpec() == tf.TensorSpec([])
hash(tf.NoneTensorSpec()) == hash(tf.NoneTensorSpec())
[tf.NoneTensorSpec().is_compatible_with(o) for o in (None, 3, x, tf.NoneTensorSpec())]
tf.NoneTensorSpec().is_compatible_with(tf.TensorSpec([]))
tf.NoneTensorSpec().most_specific_common_supertype([tf.NoneTensorSpec()])
tf.NoneTensorSpec().most_specific_common_supertype([tf.TensorSpec([])])
tf.NoneTensorSpec().is_subtype_of(tf.NoneTensorSpec())
tf.NoneTensorSpec().is_subtype_of(tf.TensorSpec([]))
tf.NoneTensorSpec()._to_components(None)
tf.no_gradient('NameCorpusNone')
tf.no_gradient('NameCorpusNone')
tf.no_gradient('Sin')
tf.no_gradient(3)
tf.RegisterGradient('NameCorpusOne')(where) is where
tf.RegisterGradient('NameCorpusOne')(where)
tf.RegisterGradient('NameCorpusNone')(where)
tf.RegisterGradient('Sin')(where)
tf.RegisterGradient(3)
registered('Bitcast', halved), gradient(bits, 1.), gradient(tf.function(bits), 2.)
registered('Bitcast', halved)
tf.map_fn(lambda x: x.half * 3, scaled, fn_output_signature=tf.float32)
tf.map_fn(lambda x: Scaled(x.half + 1, 'q'), scaled, fn_output_signature=one)
tf.map_fn(lambda x: Scaled([x, x], 'q'), tf.constant([1., 2.]), fn_output_signature=pair)
tf.function(lambda x: tf.map_fn(lambda y: Scaled(y.half + 1, 'q'), x, None, 1, one))(scaled).half
ranks[:1], sorted(set(ranks))
one._batch(3), one._batch(None), pair._batch(3)._unbatch()
encoder.batch(pair, 4), encoder.unbatch(encoder.batch(pair, 4))
encoder.encoding_specs(pair)
encoder.decode(one, encoder.encode(one, Scaled(1., 'q')))
loose._batch(5)
written('a.pbtxt')[:4], written('b.pb', as_text=False)[:2]
tf.io.write_graph(double.graph.as_graph_def(), folder, 'e.pb', False) == folder + '/e.pb'
""".strip().splitlines()


def library_scope(tf: Any) -> dict[str, Any]:
    """What the expressions use."""
    I = tf.__internal__  # noqa: E741
    v = tf.Variable(1.0)
    seen: list[Any] = []

    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.v, self.parts, self.by_name, self.n = v, [tf.Variable(2.0), 3], {"a": v}, 3

    class Auto(I.tracking.AutoTrackable):
        def __init__(self) -> None:
            self.left, self._hidden, self.n = tf.Variable(1.0), tf.Variable(2.0), 3
            self.cache()

        @I.tracking.no_automatic_dependency_tracking
        def cache(self) -> None:
            self.cached = tf.Variable(3.0)

        def more(self) -> Any:
            self.added = self.cached = tf.Variable(4.0)
            return self

    class Held(I.tracking.Trackable):
        def __init__(self) -> None:
            self.own = tf.Variable(1.0)
            self._track_trackable(v, "a")
            self._track_trackable(self.own, name="own")

    def kinds(value: Any) -> list[bool]:
        tracking = I.tracking.Trackable, I.tracking.AutoTrackable
        return [isinstance(value, k) for k in (I.EagerTensor, I.types.Tensor, *tracking)]

    @tf.function
    def inside(x: Any) -> Any:
        seen.append((*kinds(x), isinstance(x.graph, I.FuncGraph)))
        return x

    def round_trip(held: Any, variable: Any) -> Any:
        checkpoint = tf.train.Checkpoint(held=held)
        with tempfile.TemporaryDirectory() as folder:
            path = checkpoint.write(f"{folder}/c")
            if variable is None:
                drawn = held.uniform([2]).numpy().tolist()
                checkpoint.restore(path)
                return held.uniform([2]).numpy().tolist() == drawn
            before = variable.numpy()
            variable.assign(9.0)
            checkpoint.restore(path)
            return variable.numpy() == before

    def gradient(function: Any, x: Any) -> Any:
        x = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    ranks: list[int] = []
    encoding = tf.experimental.ExtensionTypeBatchEncoder

    class Doubled(encoding):  # type: ignore[misc]
        def encode(self, spec: Any, value: Any, minimum_rank: int = 0) -> Any:
            ranks.append(minimum_rank)
            return [value.half * 2.0, {"zero": value.half * 0.0}]

        def decode(self, spec: Any, encoded_value: Any) -> Any:
            return Scaled(encoded_value[0] / 2.0 + encoded_value[1]["zero"], spec.tag)

        def encoding_specs(self, spec: Any) -> Any:
            return [spec.half, {"zero": spec.half}]

    class Scaled(tf.experimental.BatchableExtensionType):  # type: ignore[misc]
        __batch_encoder__ = Doubled()
        half: tf.Tensor
        tag: str = "x"

    class Loosely(encoding):  # type: ignore[misc]
        def batch(self, spec: Any, batch_size: Any) -> Any:
            return Loose.Spec(tf.TensorSpec(None, spec.x.dtype))

    class Loose(tf.experimental.BatchableExtensionType):  # type: ignore[misc]
        __batch_encoder__ = Loosely()
        x: tf.Tensor

    double = tf.function(lambda x: x + x).get_concrete_function(tf.TensorSpec([]))
    folder = tempfile.mkdtemp()

    def written(name: str, **how: Any) -> bytes:
        with open(tf.io.write_graph(double.graph, folder, name, **how), "rb") as file:
            return file.read()

    return {
        "x": tf.constant(1.0), "v": v, "m": Model(), "rt": tf.ragged.constant([[1]]),
        "kinds": kinds, "T": tf.train.TrackableView, "auto": Auto(), "held": Held(),
        "inside": lambda x: (inside(x), seen)[1], "round_trip": round_trip, "where": lambda *_: None,
        "gradient": gradient, "registered": lambda name, f: tf.RegisterGradient(name)(f) is f,
        "halved": lambda op, g: tf.ones_like(op.inputs[0]) * len(op.get_attr("type").name),
        "bits": lambda x: tf.bitcast(tf.bitcast(x, tf.bfloat16), tf.float32),
        "Scaled": Scaled, "scaled": Scaled([0.0, 1.0, 2.0], "q"), "ranks": ranks,
        "one": Scaled.Spec(tf.TensorSpec([]), "q"), "pair": Scaled.Spec(tf.TensorSpec([2]), "q"),
        "encoder": encoding(), "loose": Loose.Spec(tf.TensorSpec([2])),
        "written": written, "double": double, "folder": folder,
    }  # fmt: skip


#: Calls whose arguments have other forms than most programs give them.
FORMS = """
tf.strings.length(['abc', 'é'], unit=b'UTF8_CHAR')
tf.strings.length(['abc', 'é'], unit=None)
tf.strings.length('abc', unit=b'CHAR')
tf.strings.substr('abc', 0, tf.constant(2, tf.int64))
tf.strings.substr('abc', tf.constant(0), tf.constant(2, tf.int64))
tf.strings.split(['a b', '', ' c'], maxsplit=0)
tf.strings.split(['a b c'], maxsplit=tf.constant(1))
tf.strings.split(['a b c'], maxsplit=None)
split_unknown(tf.constant(['a b', 'c']))
split_unknown(tf.constant('a b'))
tf.strings.as_string(1.5, precision=tf.constant(2))
tf.strings.as_string(1.5, precision=None, width=None, fill=None)
tf.strings.as_string(7, width=np.int64(3), fill=b'0')
tf.strings.as_string(1.5, precision='2')
tf.strings.ngrams(['a', 'b'], tf.constant(2), separator=b'|', pad_values=b'x')
tf.strings.ngrams(['a', 'b'], [tf.constant(1), 2], pad_values=('<', b'>'))
tf.strings.join(['a', 'b'], separator=b'-')
tf.strings.join(['a', 'b'], separator=None)
tf.strings.reduce_join(['a', 'b'], separator=b'-')
tf.strings.upper('a', encoding=None)
tf.strings.upper('a', encoding=3)
tf.strings.to_hash_bucket(['a'], tf.constant(7))
tf.strings.to_hash_bucket(['a'], None)
tf.strings.unicode_decode('é', b'UTF-8', errors=None)
tf.strings.unicode_encode([233], b'UTF-8', errors=b'ignore', replacement_char=tf.constant(63))
tf.strings.format('{}', [[1, 2, 3]], summarize=np.int32(1))
tf.sparse.to_dense(tf.sparse.reset_shape(tf.sparse.eye(2), tf.constant([2, 3])))
tf.sparse.to_dense(tf.sparse.slice(tf.sparse.eye(3), [tf.constant(1), 1], [2, 2]))
tf.sparse.to_indicator(tf.sparse.from_dense([[1]]), tf.constant(3))
tf.sparse.cross([tf.constant([['a']]), tf.constant([['b']])], separator=b'-').values
tf.sparse.bincount([1, 9, 2, 7], minlength=10, maxlength=8).dense_shape
tf.sparse.bincount([1, 9, 2, 7], minlength=10, maxlength=0).dense_shape
tf.sparse.bincount([1, 9, 2, 7], minlength=12).dense_shape
tf.sparse.sampled_addmm([[0, 1]], [1.], [2, 2], tf.ones([2, 2]), tf.ones([2, 2]))[2]
tf.sparse.sampled_addmm([[[0, 1], [2, 2]], [[1, 0], [1, 1]]], [[1., 2.], [3., 4.]], [3, 3], tf.reshape(tf.range(12.), [2, 3, 2]), tf.reshape(tf.range(12.), [2, 2, 3]), 0.5, 2.0)[1]
tf.sparse.sampled_addmm([[0, 1]], [1.], [2, 3], tf.ones([2, 2]), tf.ones([2, 2]))[1]
tf.sparse.sampled_addmm([[0, 1]], [1.], [2, 2], tf.ones([2, 2], tf.float64), tf.ones([2, 2]))[1]
tf.tile(tf.RaggedTensor.from_uniform_row_length(tf.zeros([2, 3, 1]), 2), [1, 2])
tf.nn.softmax_cross_entropy_with_logits([[1., 2.]], 2.75)
tf.sparse.sparse_dense_matmul(tf.sparse.eye(2, dtype=tf.float64), tf.eye(2))
tf.debugging.assert_scalar(3)
tf.clip_by_value(tf.IndexedSlices(tf.constant([[-2., 5.]]), tf.constant([1])), -1., 1.).values
tf.clip_by_norm([3., 4.], tf.constant(1., tf.float64))
tf.clip_by_global_norm([], 1.)
tf.clip_by_global_norm([None], 1.)
tf.linalg.global_norm([])
tf.nn.max_pool(images, np.array([2, 2]), tf.constant([1, 2]), 'SAME')
tf.nn.avg_pool(images, 2, np.array([2]), 'VALID')
tf.nn.max_pool_with_argmax(images, 2, 2, 'SAME').argmax
tf.nn.dropout(tf.constant(0.), .5, noise_shape=[3, 4])
tf.nn.dropout(tf.zeros([4]), .5, noise_shape=[3, 4, 1])
tf.nn.dropout(tf.zeros([2, 4]), .5, noise_shape=[None, 1])
tf.nn.max_pool(images, 2, 2, 'SAME', data_format='a')
tf.nn.max_pool(images, 2, 2, b'SAME')
tf.nn.avg_pool(images[0], 2, 2, b'VALID')
tf.nn.conv1d(images[0], tf.ones([2, 2, 1]), 1, b'VALID')
tf.nn.conv2d(images, tf.ones([2, 2, 2, 1]), 1, b'SAME')
tf.nn.lrn(images, 1.0, None, None, None).shape
tf.nn.isotonic_regression(3.)
tf.nn.isotonic_regression([1., 3., 2.], decreasing=False)
tf.nn.convolution(images, tf.ones([1, 1, 2, 1]), data_format='a')
tf.nn.depthwise_conv2d(images, tf.ones([1, 1, 2, 1]), [1] * 4, 'SAME', data_format='a')
tf.nn.pool(images, [2, 2], 'MAX', data_format='a')
tf.strings.unicode_transcode('é', 'UTF-8', 'UTF-16-BE', errors=None)
tf.strings.unicode_script(np.array([97, 0x3b1]))
tf.strings.unicode_script(tf.constant([97], tf.int64))
tf.nn.dilation2d(images, disk, [1] * 3, 'SAME', 'NHWC', [1] * 4)
tf.nn.erosion2d(images, disk, [1] * 4, 'SAME', 'NHWC', [1] * 5)
tf.nn.dilation2d(images, disk, [2, 1, 1, 1], 'SAME', 'NHWC', [1] * 4)
tf.nn.erosion2d(images, disk, [1] * 4, 'SAME', 'NHWC', [1, 1, 1, 2])
tf.nn.dilation2d(images, disk, [1, 0, 1, 1], 'SAME', 'NHWC', [1] * 4)
tf.nn.ctc_unique_labels([[3, 4, 4, 3]])
tf.nn.collapse_repeated([['a', 'a', 'b']], 3)
tf.nn.isotonic_regression([[1., 3., 2.]], axis=np.int64(-1))[0]
tf.random.uniform([0], 5, 5, tf.int32)
tf.random.stateless_uniform([0], [1, 2], 5, 5, tf.int32)
tf.random.stateless_uniform([2], [1, 2], 5, 5, tf.int32)
tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(['a'], [1]), [1])
numbered(0).lookup(tf.constant([0, 2, 7], tf.int64))
numbered(5).lookup(tf.constant([0, 2, 7], tf.int64))
tf.nn.embedding_lookup_sparse(table, rows([[1, 3], [], [0], []]), None)
tf.nn.embedding_lookup_sparse(table, rows([[1, 3], [0]]), weights, combiner='sum')
tf.nn.embedding_lookup_sparse(table, rows([[1, 3], [0]]), None, combiner='sqrtn')
tf.function(tf.nn.embedding_lookup_sparse)(table, rows([[1, 3], [0]]), weights)
tf.nn.safe_embedding_lookup_sparse(table, rows([[1, 3], [], [0], []]))
tf.nn.safe_embedding_lookup_sparse(table, rows([[1, 3], [0]]), weights, 'sum', default_id=1)
tf.nn.safe_embedding_lookup_sparse(table, rows([[-1, 3], [-1]]), None, 'sum', default_id=1)
tf.nn.safe_embedding_lookup_sparse(((0., 1.), (2., 3.)), rows([[1], [0]]))
tf.raw_ops.StringLength(input='é', unit=None)
tf.raw_ops.AsString(input=1.5, precision=None)
tf.raw_ops.StringJoin(inputs=['a'], separator=3)
tf.raw_ops.LRN(input=images, depth_radius='5')
""".strip().splitlines()


def form_scope(tf: Any) -> dict[str, Any]:
    """What the expressions use."""
    unknown = [tf.TensorSpec(None, tf.string)]
    words = tempfile.mkdtemp() + "/words"
    with open(words, "w", encoding="utf-8") as file:
        file.write("a\nb\nc\n")

    def numbered(offset: int) -> Any:
        number, line = tf.lookup.TextFileIndex.LINE_NUMBER, tf.lookup.TextFileIndex.WHOLE_LINE
        made = tf.lookup.TextFileInitializer(
            words, tf.int64, number, tf.string, line, value_index_offset=offset
        )
        return tf.lookup.StaticHashTable(made, "?")

    return {
        "numbered": numbered,
        "images": tf.reshape(tf.range(32.0), [1, 4, 4, 2]),
        "disk": tf.zeros([2, 2, 2]),
        "table": tf.reshape(tf.range(12.0), [6, 2]),
        "rows": lambda ids: tf.ragged.constant(ids, dtype=tf.int64),
        "weights": tf.ragged.constant([[1.0, 2.0], [0.5]]),
        "split_unknown": tf.function(tf.strings.split, input_signature=unknown),
    }


def outcomes(tf: Any) -> dict[str, dict[str, Any]]:
    """What each expression of each area gives."""
    found: dict[str, dict[str, Any]] = {}
    for name, strategy in STRATEGIES.items():
        known = strategy_scope(tf, strategy)
        found[name] = {line: outcome(line, tf, known) for line in DISTRIBUTE}
    known = library_scope(tf)
    forms = form_scope(tf)
    found["forms"] = {line: outcome(line, tf, forms) for line in FORMS}
    found["library"] = {line: outcome(line, tf, known) for line in LIBRARY}
    return found
