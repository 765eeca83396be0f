"""Programs with `tf.function`, datasets, optimizers and checkpoints under strategies."""

from __future__ import annotations

import tempfile
from typing import Any

from corpora.distribution.mirrored import numbers, replica, strategy_of
from corpora.distribution.outcomes import Programs, attempt, short

programs = Programs()


@programs
def functions_around(tf: Any) -> Any:
    s = strategy_of(tf)
    with s.scope():
        v = tf.Variable(1.0)
    x = numbers(tf, s)

    @tf.function
    def step(x: Any) -> Any:
        y = s.run(lambda x: x * v, args=(x,))
        return s.reduce("SUM", y, axis=None)

    return [step(x), step(x)]


@programs
def functions_inside(tf: Any) -> Any:
    s = strategy_of(tf)
    traces = []

    @tf.function
    def f(x: Any) -> Any:
        traces.append(1)
        return x * 2.0

    y = s.run(f, args=(numbers(tf, s),))
    s.run(f, args=(numbers(tf, s),))
    return [y, [short(v.device) for v in y.values]]


@programs
def functions_called_inside(tf: Any) -> Any:
    s = strategy_of(tf)

    @tf.function
    def f(x: Any) -> Any:
        return x * 2.0 + tf.cast(replica(tf), tf.float32)

    return s.run(lambda x: f(x), args=(numbers(tf, s),))


@programs
def functions_around_functions(tf: Any) -> Any:
    s = strategy_of(tf)
    with s.scope():
        v = tf.Variable(0.0, aggregation=tf.VariableAggregation.MEAN)

    @tf.function
    def inner(x: Any) -> Any:
        v.assign_add(x)
        return x

    @tf.function
    def outer(x: Any) -> Any:
        return s.run(inner, args=(x,))

    return [attempt(outer, numbers(tf, s)), list(v.values)]


@programs
def results_of_functions_around(tf: Any) -> Any:
    s = strategy_of(tf)

    @tf.function
    def f() -> Any:
        y = s.run(lambda: replica(tf))
        return y, {"a": y}, s.experimental_local_results(y)

    y, d, local = f()
    return [y, d, local, [short(x.device) for x in y.values], type(y).__name__]


@programs
def replica_ids_in_functions(tf: Any) -> Any:
    s = strategy_of(tf)

    @tf.function
    def f() -> Any:
        return s.run(lambda: replica(tf) + 1)

    return f()


@programs
def all_reductions_in_functions(tf: Any) -> Any:
    s = strategy_of(tf)

    @tf.function
    def f(x: Any) -> Any:
        def g(x: Any) -> Any:
            return tf.distribute.get_replica_context().all_reduce("mean", x)

        return s.run(g, args=(x,))

    return f(numbers(tf, s))


@programs
def all_gathers_in_functions(tf: Any) -> Any:
    s = strategy_of(tf, 2)

    @tf.function
    def f(x: Any) -> Any:
        def g(x: Any) -> Any:
            return tf.distribute.get_replica_context().all_gather(tf.reshape(x, [1]), axis=0)

        return s.run(g, args=(x,))

    @tf.function
    def h(x: Any) -> Any:
        return s.gather(s.run(lambda x: tf.reshape(x, [1]), args=(x,)), axis=0)

    return [f(numbers(tf, s)), h(numbers(tf, s))]


@programs
def merged_calls_in_functions(tf: Any) -> Any:
    s = strategy_of(tf, 2)

    @tf.function
    def f(x: Any) -> Any:
        def g(x: Any) -> Any:
            y = tf.distribute.get_replica_context().merge_call(lambda st, x: st.reduce("SUM", x, axis=None), args=(x,))
            return y * x

        return s.run(g, args=(x,))

    return f(numbers(tf, s))


@programs
def merged_calls_in_branches(tf: Any) -> Any:
    s = strategy_of(tf, 2)

    @tf.function
    def f(x: Any) -> Any:
        def g(x: Any) -> Any:
            if x > 0.0:
                y = tf.distribute.get_replica_context().merge_call(lambda st, x: st.reduce("SUM", x, axis=None), args=(x,))
            else:
                y = x
            return y

        return s.run(g, args=(x,))

    return attempt(f, numbers(tf, s))


@programs
def merged_calls_in_functions_inside(tf: Any) -> Any:
    s = strategy_of(tf, 2)

    @tf.function
    def g(x: Any) -> Any:
        return tf.distribute.get_replica_context().merge_call(lambda st, x: st.reduce("SUM", x, axis=None), args=(x,))

    return [attempt(s.run, g, args=(numbers(tf, s),)), attempt(s.run, lambda x: g(x), args=(numbers(tf, s),))]


@programs
def assignments_in_functions(tf: Any) -> Any:
    s = strategy_of(tf)
    found = []
    for aggregation in ("NONE", "SUM", "MEAN", "ONLY_FIRST_REPLICA"):
        for synchronization in ("ON_WRITE", "ON_READ"):
            with s.scope():
                v = tf.Variable(1.0, aggregation=tf.VariableAggregation[aggregation], synchronization=tf.VariableSynchronization[synchronization])

            @tf.function
            def f(x: Any, v: Any = v) -> Any:
                def g(x: Any) -> Any:
                    v.assign_add(x)
                    return v + 0.0

                return s.run(g, args=(x,))

            found.append([aggregation, synchronization, attempt(f, numbers(tf, s)), list(v.values)])
    return found


@programs
def assignments_across_in_functions(tf: Any) -> Any:
    s = strategy_of(tf)
    with s.scope():
        v = tf.Variable(1.0)
        w = tf.Variable(4.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM)

    @tf.function
    def f() -> Any:
        v.assign_add(2.0)
        w.assign(8.0)
        return v + 0.0, w + 0.0

    with s.scope():
        first = f()
    return [first, attempt(f), list(v.values), list(w.values)]


@programs
def variables_made_in_functions_around(tf: Any) -> Any:
    s = strategy_of(tf)
    made = []

    @tf.function
    def f() -> Any:
        def g() -> Any:
            if len(made) < 4:
                made.append(tf.Variable(2.0))
            return made[0] * 2.0

        return s.run(g)

    return [attempt(f), type(made[0]).__name__, list(made[0].values)]


@programs
def gradients_in_functions(tf: Any) -> Any:
    s = strategy_of(tf)
    with s.scope():
        v = tf.Variable(3.0)

    @tf.function
    def f(x: Any) -> Any:
        def g(x: Any) -> Any:
            with tf.GradientTape() as tape:
                y = v * v * x
            grad = tape.gradient(y, v)
            return tf.distribute.get_replica_context().all_reduce("sum", grad)

        return s.run(g, args=(x,))

    return f(numbers(tf, s))


@programs
def loops_around_replicas(tf: Any) -> Any:
    s = strategy_of(tf)
    with s.scope():
        v = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)

    @tf.function
    def f(n: Any) -> Any:
        for _ in tf.range(n):
            s.run(lambda: v.assign_add(tf.constant(1.0)) and None)
        return v + 0.0

    return [attempt(f, tf.constant(3)), list(v.values)]


@programs
def branches_in_replicas(tf: Any) -> Any:
    s = strategy_of(tf)

    @tf.function
    def f(x: Any) -> Any:
        def g(x: Any) -> Any:
            if x > 2.0:  # noqa: SIM108 - a branch of the graph
                y = x * 10.0
            else:
                y = x
            return y

        return s.run(g, args=(x,))

    return f(numbers(tf, s))


@programs
def devices_of_nodes(tf: Any) -> Any:
    s = strategy_of(tf, 2)

    @tf.function
    def f(x: Any) -> Any:
        return s.experimental_local_results(s.run(lambda x: tf.exp(x, name="e"), args=(x,)))

    graph = f.get_concrete_function(tf.TensorSpec([])).graph
    return [[o.name, o.device] for o in graph.get_operations() if o.type == "Exp"]


@programs
def errors_in_functions(tf: Any) -> Any:
    s = strategy_of(tf, 2)

    @tf.function
    def f() -> Any:
        def g() -> Any:
            raise KeyError("x")

        return s.run(g)

    @tf.function
    def h() -> Any:
        return s.run(lambda: tf.constant([1.0, 2.0]) + tf.constant([1.0, 2.0, 3.0]))

    return [attempt(f), attempt(h), s.run(lambda: 1)]


@programs
def distributed_datasets(tf: Any) -> Any:
    s = strategy_of(tf)
    data = s.experimental_distribute_dataset(tf.data.Dataset.range(16).batch(8))
    return [list(data), isinstance(data, tf.distribute.DistributedDataset), isinstance(iter(data), tf.distribute.DistributedIterator), list(data)]


@programs
def uneven_batches(tf: Any) -> Any:
    s = strategy_of(tf)
    found = []
    for count, batch in ((10, 8), (9, 8), (3, 8), (7, 4), (6, 6), (5, 1), (8, 2)):
        found.append(attempt(lambda c=count, b=batch: list(s.experimental_distribute_dataset(tf.data.Dataset.range(c).batch(b)))))
    return found


@programs
def uneven_batches_without_remainder(tf: Any) -> Any:
    s = strategy_of(tf)
    return list(s.experimental_distribute_dataset(tf.data.Dataset.range(18).batch(8, drop_remainder=True)))


@programs
def static_shapes_of_batches(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    found = []
    for drop in (True, False):
        data = s.experimental_distribute_dataset(tf.data.Dataset.range(8).batch(4, drop_remainder=drop))
        found.append(str(data.element_spec).replace("\n", " "))
    return [[text.count("None"), text.count("PerReplicaSpec")] for text in found]


@programs
def structures_of_datasets(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    data = tf.data.Dataset.from_tensor_slices({"x": tf.range(4), "y": tf.range(4.0)}).batch(4)
    pairs = tf.data.Dataset.from_tensor_slices((tf.range(4), tf.range(4.0))).batch(4)
    return [list(s.experimental_distribute_dataset(data)), list(s.experimental_distribute_dataset(pairs))]


@programs
def unbatched_datasets(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    return [
        attempt(lambda: list(s.experimental_distribute_dataset(tf.data.Dataset.range(4)))),
        attempt(lambda: list(s.experimental_distribute_dataset(tf.data.Dataset.range(8).batch(2).batch(2)))),
        attempt(s.experimental_distribute_dataset, [1, 2]), attempt(s.experimental_distribute_dataset, tf.range(3)),
    ]  # fmt: skip


@programs
def datasets_changed_after_batching(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    base = tf.data.Dataset.range(8)
    kinds = [
        base.batch(4).map(lambda x: x * 2), base.batch(4).repeat(2), base.batch(4).prefetch(1), base.batch(4).map(lambda x: x[:, tf.newaxis]),
        base.batch(4).take(1), base.repeat().batch(4).take(2), base.batch(4).shuffle(1), base.batch(4).filter(lambda x: x[0] > 1),
        base.map(lambda x: tf.fill([4], x)).take(2),
    ]  # fmt: skip
    return [attempt(lambda d=d: list(s.experimental_distribute_dataset(d))) for d in kinds]


@programs
def datasets_from_functions(tf: Any) -> Any:
    s = strategy_of(tf)
    contexts = []

    def make(c: Any) -> Any:
        contexts.append([c.num_input_pipelines, c.input_pipeline_id, c.num_replicas_in_sync])
        return tf.data.Dataset.range(10).batch(c.get_per_replica_batch_size(8))

    data = s.distribute_datasets_from_function(make)
    return [list(data), contexts, isinstance(data, tf.distribute.DistributedDataset), attempt(s.distribute_datasets_from_function, lambda c: 3)]


@programs
def optionals_of_functions(tf: Any) -> Any:
    s = strategy_of(tf, 2)

    @tf.function
    def drain(it: Any) -> Any:
        total, optional = tf.constant(0.0), it.get_next_as_optional()
        while optional.has_value():
            parts = s.run(tf.reduce_sum, args=(optional.get_value(),))
            total += s.reduce("SUM", parts, axis=None)
            optional = it.get_next_as_optional()
        return total

    def make(c: Any) -> Any:
        return tf.data.Dataset.range(11).map(lambda x: tf.cast(x, tf.float32)).batch(4)

    data = s.distribute_datasets_from_function(make)
    it = iter(data)
    options = [it.get_next_as_optional() for _ in range(3)]
    return [drain(iter(data)), [[o.has_value(), attempt(o.get_value)] for o in options]]


@programs
def iterators(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    it = iter(s.experimental_distribute_dataset(tf.data.Dataset.range(6).batch(4)))
    found = [next(it), it.get_next(), attempt(next, it), attempt(it.get_next)]
    it = iter(s.experimental_distribute_dataset(tf.data.Dataset.range(3).batch(4)))
    options = []
    for _ in range(2):
        o = it.get_next_as_optional()
        options.append([o.has_value(), attempt(o.get_value)])
    return [found, options]


@programs
def devices_of_elements(tf: Any) -> Any:
    s = strategy_of(tf)
    (x,) = s.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(4))
    return [short(v.device) for v in x.values]


@programs
def loops_over_datasets(tf: Any) -> Any:
    s = strategy_of(tf)
    data = s.experimental_distribute_dataset(tf.data.Dataset.range(16).batch(8))

    @tf.function
    def f(data: Any) -> Any:
        total = tf.constant(0, tf.int64)
        for x in data:
            y = s.run(tf.reduce_sum, args=(x,))
            total += s.reduce("SUM", y, axis=None)
        return total

    @tf.function
    def g(it: Any) -> Any:
        total = tf.constant(0, tf.int64)
        for _ in tf.range(2):
            total += s.reduce("SUM", s.run(tf.reduce_sum, args=(next(it),)), axis=None)
        return total

    return [attempt(f, data), attempt(g, iter(data))]


@programs
def loops_over_uneven_datasets(tf: Any) -> Any:
    s = strategy_of(tf)
    data = s.experimental_distribute_dataset(tf.data.Dataset.range(11).batch(8))

    @tf.function
    def f(data: Any) -> Any:
        total = tf.constant(0, tf.int64)
        for x in data:
            total += s.reduce("SUM", s.run(tf.reduce_sum, args=(x,)), axis=None)
        return total

    return attempt(f, data)


@programs
def one_replica_gets_all(tf: Any) -> Any:
    s = strategy_of(tf, 1)
    one = tf.distribute.OneDeviceStrategy("/cpu:1")
    data = tf.data.Dataset.range(5).batch(2)
    return [list(s.experimental_distribute_dataset(data)), list(one.experimental_distribute_dataset(data)), [short(x.device) for x in one.experimental_distribute_dataset(data)]]


@programs
def checkpoints(tf: Any) -> Any:
    s, other = strategy_of(tf), strategy_of(tf, 2)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        with s.scope():
            v = tf.Variable([1.0, 2.0])
            w = tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM)
            m = tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.MEAN)
        s.run(lambda: w.assign(tf.cast(replica(tf), tf.float32)))
        s.run(lambda: m.assign(tf.cast(replica(tf), tf.float32)))
        path = tf.train.Checkpoint(v=v, w=w, m=m).save(folder + "/c")
        found.append(sorted([name, list(shape)] for name, shape in tf.train.list_variables(path) if name != "_CHECKPOINTABLE_OBJECT_GRAPH"))
        v.assign([5.0, 5.0])
        s.run(lambda: w.assign(7.0))
        tf.train.Checkpoint(v=v, w=w, m=m).restore(path).assert_consumed()
        found.append([list(v.values), list(w.values), list(m.values)])
        with other.scope():
            v2 = tf.Variable([0.0, 0.0])
            w2 = tf.Variable(0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM)
        tf.train.Checkpoint(v=v2, w=w2).restore(path)
        found.append([list(v2.values), list(w2.values)])
        p, q = tf.Variable([0.0, 0.0]), tf.Variable(0.0)
        tf.train.Checkpoint(v=p, w=q).restore(path)
        found.append([p, q])
        path = tf.train.Checkpoint(v=p).save(folder + "/d")
        p.assign([9.0, 9.0])
        with s.scope():
            v3 = tf.Variable([0.0, 0.0])
            tf.train.Checkpoint(v=v3).restore(path)
        found.append(list(v3.values))
    return found


@programs
def checkpoints_before_variables(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(v=tf.Variable(4.0)).save(folder + "/c")
        c = tf.train.Checkpoint()
        c.restore(path)
        with s.scope():
            c.v = tf.Variable(0.0)
        return list(c.v.values)


@programs
def modules(tf: Any) -> Any:
    s = strategy_of(tf, 2)

    class Line(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable(2.0, name="w")
            self.b = tf.Variable(1.0, trainable=False, name="b")

    with s.scope():
        line = Line()
    return [[v.name for v in line.variables], [v.name for v in line.trainable_variables], [type(v).__name__ for v in line.variables]]


@programs
def hand_made_steps(tf: Any) -> Any:
    s = strategy_of(tf)
    with s.scope():
        w = tf.Variable([0.5, -0.5])
    x = tf.reshape(tf.range(16.0), [8, 2]) / 16.0
    y = tf.reduce_sum(x, 1)
    data = s.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices((x, y)).batch(8).repeat(3))

    @tf.function
    def step(batch: Any) -> Any:
        def one(batch: Any) -> Any:
            x, y = batch
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(tf.linalg.matvec(x, w) - y)) / 8.0
            grad = tf.distribute.get_replica_context().all_reduce("sum", tape.gradient(loss, w))

            def update(st: Any, v: Any, g: Any) -> None:
                st.extended.update(v, lambda v, g: v.assign_sub(0.5 * g), args=(g,))

            tf.distribute.get_replica_context().merge_call(update, args=(w, grad))
            return loss

        return s.reduce("SUM", s.run(one, args=(batch,)), axis=None)

    return [[step(batch) for batch in data], list(w.values)]


@programs
def lookups_in_replicas(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    with s.scope():
        v = tf.Variable([[1.0], [2.0], [3.0]])

    def f() -> Any:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.nn.embedding_lookup(v, [1, 1]))
        g = tape.gradient(y, v)
        return y, tf.convert_to_tensor(g)

    return s.run(f)


@programs
def composites_of_replicas(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    y = s.run(lambda: tf.sparse.from_dense(tf.stack([replica(tf), 3])))
    r = s.run(lambda: tf.ragged.constant([[1], [2, 3]]))
    return [y, r, [type(x).__name__ for x in s.experimental_local_results(y)]]


@programs
def tensor_arrays_in_replicas(tf: Any) -> Any:
    s = strategy_of(tf, 2)

    @tf.function
    def f() -> Any:
        def g() -> Any:
            a = tf.TensorArray(tf.int32, 3)
            for i in tf.range(3):
                a = a.write(i, i * replica(tf))
            return a.stack()

        return s.run(g)

    return f()


@programs
def arguments_of_functions(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    traces = []

    @tf.function
    def f(x: Any) -> Any:
        traces.append(type(x).__name__)
        return s.run(lambda x: x + 1.0, args=(x,))

    a = f(numbers(tf, s))
    b = f(numbers(tf, s))
    return [a, b, traces]


@programs
def retraces_in_scopes(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    f = tf.function(lambda x: x + 1.0)
    f(tf.constant(1.0))
    with s.scope():
        f(tf.constant(1.0))
    f(tf.constant(1.0))
    return f.experimental_get_tracing_count()


@programs
def python_numbers_in_replicas(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    with s.scope():
        v = tf.Variable(3)

    @tf.function
    def f() -> Any:
        return s.run(lambda: (v + 1, 5, None, "a"))

    return f()


@programs
def batches_of_composites(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    ragged = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1], [2, 3], [4], [], [5]]))
    sparse = tf.data.Dataset.from_tensor_slices(tf.sparse.from_dense([[1, 0], [0, 2], [3, 0], [0, 4], [5, 5]]))

    @tf.function
    def total(data: Any) -> Any:
        sums = tf.constant(0)
        for batch in data:
            sums += s.reduce("SUM", s.run(lambda x: tf.reduce_sum(x.values), args=(batch,)), axis=None)
        return sums

    def batches(data: Any) -> Any:
        return list(s.experimental_distribute_dataset(data))

    return [
        attempt(batches, ragged.batch(4)), attempt(batches, sparse.take(4).batch(2)),
        attempt(batches, tf.data.Dataset.zip({"a": ragged, "b": sparse}).take(4).batch(2)),
        attempt(lambda: total(s.experimental_distribute_dataset(ragged.batch(2)))),
        attempt(lambda: total(s.experimental_distribute_dataset(sparse.take(4).batch(2)))),
    ]  # fmt: skip
