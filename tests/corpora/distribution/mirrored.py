"""Programs with variables and values of `MirroredStrategy` on four devices."""

from __future__ import annotations

from typing import Any

from corpora.distribution.outcomes import Programs, attempt, short

programs = Programs()

DEVICES = ["/cpu:0", "/cpu:1", "/cpu:2", "/cpu:3"]


def strategy_of(tf: Any, count: int = 4) -> Any:
    return tf.distribute.MirroredStrategy(DEVICES[:count])


def replica(tf: Any) -> Any:
    return tf.distribute.get_replica_context().replica_id_in_sync_group


def numbers(tf: Any, strategy: Any) -> Any:
    """A value of 1.0, 2.0, ... on the replicas."""
    return strategy.experimental_distribute_values_from_function(lambda c: tf.constant(c.replica_id_in_sync_group + 1.0))


@programs
def devices_of_strategies(tf: Any) -> Any:
    found = []
    for make in (
        lambda: tf.distribute.MirroredStrategy(), lambda: tf.distribute.MirroredStrategy(["/cpu:1", "/cpu:2"]),
        lambda: tf.distribute.MirroredStrategy(["cpu:3"]), lambda: tf.distribute.MirroredStrategy([]),
        lambda: tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:0"]), lambda: tf.distribute.MirroredStrategy(["/cpu:9"]),
        lambda: tf.distribute.MirroredStrategy(["/gpu:0"]), lambda: tf.distribute.MirroredStrategy("/cpu:1"),
        lambda: tf.distribute.OneDeviceStrategy("/cpu:2"), lambda: tf.distribute.OneDeviceStrategy("/gpu:0"),
        lambda: tf.distribute.OneDeviceStrategy("/cpu:7"), lambda: tf.distribute.OneDeviceStrategy("cpu"),
        lambda: tf.distribute.MirroredStrategy(DEVICES, tf.distribute.ReductionToOneDevice()),
        lambda: tf.distribute.MirroredStrategy(DEVICES, "nccl"),
    ):  # fmt: skip

        def look(make: Any = make) -> Any:
            s = make()
            return [s.num_replicas_in_sync, [short(d) for d in s.extended.worker_devices], [short(d) for d in s.extended.parameter_devices]]

        found.append(attempt(look))
    return found


@programs
def contexts(tf: Any) -> Any:
    s = strategy_of(tf)

    def where() -> Any:
        c = tf.distribute.get_replica_context()
        return [
            tf.distribute.has_strategy(), tf.distribute.in_cross_replica_context(), c is None,
            tf.distribute.get_strategy() is s, None if c is None else c.num_replicas_in_sync,
        ]  # fmt: skip

    found = [where()]
    with s.scope():
        found.append(where())
        found.append(s.run(where))
    found.append(s.run(where))
    return found


@programs
def replica_contexts(tf: Any) -> Any:
    s = strategy_of(tf)
    seen = []

    def look() -> Any:
        c = tf.distribute.get_replica_context()
        seen.append([c.replica_id_in_sync_group, c.strategy is s, c.num_replicas_in_sync])
        return c.replica_id_in_sync_group

    return [s.run(look), seen]


@programs
def results(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    return [
        s.run(lambda: replica(tf)), s.run(lambda: None), s.run(lambda: 1.0), s.run(lambda: "a"), s.run(lambda: tf.constant(1.0)),
        s.run(lambda: [replica(tf), None]), s.run(lambda: (replica(tf), 7)), s.run(lambda: {"a": replica(tf), "b": tf.constant(1)}),
        s.run(lambda: ()), s.run(lambda: [[replica(tf)], {"x": (replica(tf),)}]), s.run(lambda: True),
    ]  # fmt: skip


@programs
def kinds_of_results(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    one = strategy_of(tf, 1)

    def kind(x: Any) -> Any:
        return [isinstance(x, tf.distribute.DistributedValues), type(x).__name__.replace("EagerTensor", "Tensor")]

    return [
        kind(s.run(lambda: replica(tf))), kind(one.run(lambda: tf.constant(1.0))), kind(s.run(lambda: None)),
        kind(s.run(lambda: tf.constant(2.0))), kind(s.run(lambda: 3)),
    ]  # fmt: skip


@programs
def devices_of_results(tf: Any) -> Any:
    s = strategy_of(tf)
    y = s.run(lambda: tf.constant([1.0]) * 2.0)
    return [short(v.device) for v in y.values]


@programs
def arguments(tf: Any) -> Any:
    s = strategy_of(tf)
    x = numbers(tf, s)
    return [
        x, s.run(lambda a: a * 2.0, args=(x,)), s.run(lambda a, b: a + b, args=(x, 1.0)), s.run(lambda a: a["k"][0], args=({"k": [x]},)),
        s.run(lambda a, b=0.0: a * b, args=(x,), kwargs={"b": x}), s.run(lambda a: a, args=(5,)), s.run(lambda *a: sum(a), args=(x, x)),
    ]  # fmt: skip


@programs
def local_results(tf: Any) -> Any:
    s = strategy_of(tf)
    x = numbers(tf, s)
    with s.scope():
        v = tf.Variable(1.0)
    found = s.experimental_local_results
    return [
        found(x), type(found(x)).__name__, found(3), len(found(v)), found(tf.constant(1.0)), attempt(found, [x, 1]), attempt(found, {"a": x}), found(None),
    ]  # fmt: skip


@programs
def reductions(tf: Any) -> Any:
    s = strategy_of(tf)
    x = numbers(tf, s)
    return [s.reduce(op, x, axis=None) for op in ("SUM", "sum", "MEAN", tf.distribute.ReduceOp.SUM, tf.distribute.ReduceOp.MEAN)]


@programs
def reductions_along_axes(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    x = s.run(lambda: tf.reshape(tf.range(6.0), [3, 2]) + tf.cast(replica(tf), tf.float32))
    return [s.reduce(op, x, axis=axis) for op in ("SUM", "MEAN") for axis in (0, 1, -1)] + [
        attempt(s.reduce, "SUM", x, axis=2), attempt(s.reduce, "MEAN", x, axis=5), attempt(s.reduce, "SUM", x, axis="a"), attempt(s.reduce, "SUM", x, axis=(0, 1)),
        attempt(s.reduce, "SUM", x, axis=None),
    ]  # fmt: skip


@programs
def reductions_of_uneven_values(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    x = s.run(lambda: tf.range(tf.cast(replica(tf), tf.float32) + 2.0))
    return [s.reduce("SUM", x, axis=0), s.reduce("MEAN", x, axis=0), attempt(s.reduce, "SUM", x, axis=None)]


@programs
def reductions_of_integers(tf: Any) -> Any:
    s = strategy_of(tf)
    x = s.run(lambda: replica(tf))
    return [s.reduce("SUM", x, axis=None), attempt(s.reduce, "MEAN", x, axis=None)]


@programs
def reductions_of_plain_values(tf: Any) -> Any:
    s = strategy_of(tf)
    one = strategy_of(tf, 1)
    return [
        attempt(s.reduce, op, value, axis=None) for op in ("SUM", "MEAN") for value in (3.0, tf.constant(2.0), tf.constant(0.0), "a", None)
    ] + [attempt(one.reduce, op, value, axis=None) for op in ("SUM", "MEAN") for value in (3.0, tf.constant(2.0))]  # fmt: skip


@programs
def reductions_of_structures(tf: Any) -> Any:
    s = strategy_of(tf)
    x = numbers(tf, s)
    return [attempt(s.reduce, "SUM", {"a": x, "b": x}, axis=None), attempt(s.reduce, "SUM", [x, x], axis=None), attempt(s.reduce, "SUM", (x,), axis=0)]


@programs
def wrong_reductions(tf: Any) -> Any:
    s = strategy_of(tf)
    x = numbers(tf, s)
    return [
        attempt(s.reduce, "MAX", x, axis=None), attempt(s.reduce, None, x, axis=None), attempt(s.reduce, 3, x, axis=None),
        attempt(s.run, lambda: s.reduce("SUM", x, axis=None)), attempt(lambda: s.reduce("SUM", x)),
    ]  # fmt: skip


@programs
def reductions_of_variables(tf: Any) -> Any:
    s = strategy_of(tf)
    with s.scope():
        v = tf.Variable(2.0)
        w = tf.Variable(2.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM)
    s.run(lambda: w.assign(tf.cast(replica(tf), tf.float32)))
    return [attempt(s.reduce, "SUM", v, axis=None), attempt(s.reduce, "MEAN", v, axis=None), attempt(s.reduce, "SUM", w, axis=None), attempt(s.reduce, "MEAN", w, axis=None)]


@programs
def gathers(tf: Any) -> Any:
    s = strategy_of(tf, 3)
    x = s.run(lambda: tf.fill([1, 2], replica(tf)))
    uneven = s.run(lambda: tf.fill([replica(tf) + 1, 2], replica(tf)))
    return [
        s.gather(x, axis=0), s.gather(x, axis=1), s.gather(uneven, axis=0), attempt(s.gather, x, axis=2), attempt(s.gather, x, axis=-1),
        attempt(s.gather, uneven, axis=1), attempt(s.gather, s.run(lambda: replica(tf)), axis=0), attempt(s.gather, tf.constant([1, 2]), axis=0),
        attempt(s.gather, 3, axis=0), attempt(s.gather, x, axis=None), attempt(s.run, lambda: s.gather(x, axis=0)),
    ]  # fmt: skip


@programs
def all_reductions(tf: Any) -> Any:
    s = strategy_of(tf)

    def f(op: Any) -> Any:
        c = tf.distribute.get_replica_context()
        return c.all_reduce(op, tf.cast(c.replica_id_in_sync_group, tf.float32) + 1.0)

    return [attempt(s.run, f, args=(op,)) for op in ("sum", "MEAN", tf.distribute.ReduceOp.SUM, "max")]


@programs
def all_reductions_of_structures(tf: Any) -> Any:
    s = strategy_of(tf, 2)

    def f() -> Any:
        c = tf.distribute.get_replica_context()
        x = tf.cast(c.replica_id_in_sync_group, tf.float32) + 1.0
        return c.all_reduce("sum", {"a": x, "b": [x * 10.0, tf.constant(2.0)]})

    return s.run(f)


@programs
def all_reductions_of_what_replicas_share(tf: Any) -> Any:
    s, outer = strategy_of(tf, 2), tf.constant([1.0, 6.0])

    def total(how: str, make: Any) -> Any:
        def run() -> Any:
            return s.run(lambda: tf.distribute.get_replica_context().all_reduce(how, make()))

        return [run(), tf.function(run)()]

    values = {
        "outer": lambda: outer,
        "own": lambda: tf.constant([1.0, 6.0]),
        "copies": lambda: tf.identity(outer),
        "list": lambda: [outer, outer],
    }
    return {name: [total(how, make) for how in ("SUM", "MEAN")] for name, make in values.items()}


@programs
def devices_of_all_reductions(tf: Any) -> Any:
    s = strategy_of(tf)
    y = s.run(lambda: tf.distribute.get_replica_context().all_reduce("sum", tf.constant(1.0)))
    return [[short(v.device) for v in y.values], type(y).__name__]


@programs
def all_reductions_of_rows(tf: Any) -> Any:
    s = strategy_of(tf, 2)

    def f() -> Any:
        c = tf.distribute.get_replica_context()
        i = c.replica_id_in_sync_group
        rows = tf.IndexedSlices(tf.ones([1, 2]) * (tf.cast(i, tf.float32) + 1.0), tf.reshape(i, [1]), tf.constant([3, 2]))
        return [tf.convert_to_tensor(c.all_reduce(op, rows)) for op in ("sum", "mean")]

    return s.run(f)


@programs
def all_gathers(tf: Any) -> Any:
    s = strategy_of(tf, 3)

    def f(axis: Any) -> Any:
        c = tf.distribute.get_replica_context()
        return c.all_gather(tf.fill([1, 2], c.replica_id_in_sync_group), axis=axis)

    def uneven() -> Any:
        c = tf.distribute.get_replica_context()
        return c.all_gather(tf.fill([c.replica_id_in_sync_group + 1], c.replica_id_in_sync_group), axis=0)

    def scalar() -> Any:
        c = tf.distribute.get_replica_context()
        return c.all_gather(c.replica_id_in_sync_group, axis=0)

    def structure() -> Any:
        c = tf.distribute.get_replica_context()
        x = tf.fill([1], c.replica_id_in_sync_group)
        return c.all_gather({"a": x, "b": [x]}, axis=0)

    return [attempt(s.run, f, args=(a,)) for a in (0, 1, 2, None)] + [attempt(s.run, g) for g in (uneven, scalar, structure)]


@programs
def merged_calls(tf: Any) -> Any:
    s = strategy_of(tf)
    seen = []

    def merge(strategy: Any, x: Any, k: Any = None) -> Any:
        seen.append([strategy is s, tf.distribute.in_cross_replica_context(), type(x).__name__, k])
        return strategy.reduce("SUM", x, axis=None)

    def f() -> Any:
        c = tf.distribute.get_replica_context()
        return c.merge_call(merge, args=(tf.cast(c.replica_id_in_sync_group, tf.float32),), kwargs={"k": 3})

    return [s.run(f), seen]


@programs
def results_of_merged_calls(tf: Any) -> Any:
    s = strategy_of(tf, 2)

    def f() -> Any:
        c = tf.distribute.get_replica_context()
        i = c.replica_id_in_sync_group
        a = c.merge_call(lambda _, x: x, args=(i,))
        b = c.merge_call(lambda _, x: {"x": x, "y": 1}, args=([i],))
        d = c.merge_call(lambda _: None)
        return a, b, d

    return s.run(f)


@programs
def many_merged_calls(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    order = []

    def f() -> Any:
        c = tf.distribute.get_replica_context()
        i = int(c.replica_id_in_sync_group)
        order.append(f"{i} begins")
        c.merge_call(lambda _: order.append("first"))
        order.append(f"{i} between")
        c.merge_call(lambda _: order.append("second"))
        order.append(f"{i} ends")

    s.run(f)
    return order


@programs
def wrong_merged_calls(tf: Any) -> Any:
    s = strategy_of(tf, 2)

    def some_merge() -> Any:
        c = tf.distribute.get_replica_context()
        if int(c.replica_id_in_sync_group) == 0:
            c.merge_call(lambda _: None)

    def raise_inside() -> Any:
        raise KeyError("x")

    def raise_merged(_: Any) -> Any:
        raise IndexError("y")

    def some_raise() -> Any:
        if int(replica(tf)) == 1:
            raise KeyError("x")

    def nested() -> Any:
        c = tf.distribute.get_replica_context()
        return c.merge_call(lambda strategy: strategy.run(lambda: replica(tf)))

    def merged_in_merged() -> Any:
        c = tf.distribute.get_replica_context()
        return c.merge_call(lambda strategy: c.merge_call(lambda _: None))

    return [
        attempt(s.run, some_merge), attempt(s.run, raise_inside), attempt(s.run, lambda: tf.distribute.get_replica_context().merge_call(raise_merged)),
        attempt(s.run, some_raise), attempt(s.run, nested), attempt(s.run, merged_in_merged), attempt(s.run, lambda: s.run(lambda: 1)), s.run(lambda: 1),
    ]  # fmt: skip


@programs
def order_of_replicas(tf: Any) -> Any:
    s = strategy_of(tf)
    order = []
    s.run(lambda: order.append(int(replica(tf))))
    return order


@programs
def values_from_functions(tf: Any) -> Any:
    s = strategy_of(tf)
    one = tf.distribute.OneDeviceStrategy("/cpu:1")
    make = "experimental_distribute_values_from_function"
    contexts = []

    def value(c: Any) -> Any:
        contexts.append([c.replica_id_in_sync_group, c.num_replicas_in_sync])
        return float(c.replica_id_in_sync_group)

    a = getattr(s, make)(value)
    b = getattr(s, make)(lambda c: {"x": tf.constant(c.replica_id_in_sync_group), "y": 1})
    d = getattr(one, make)(lambda c: tf.constant(c.num_replicas_in_sync))
    return [a, type(a).__name__, contexts, attempt(lambda: b), attempt(lambda: d), attempt(s.run, lambda: getattr(s, make)(value))]


@programs
def mirrored_variables(tf: Any) -> Any:
    s = strategy_of(tf)
    with s.scope():
        v = tf.Variable([1.0, 2.0], name="w")
    parts = s.experimental_local_results(v)
    return [
        type(v).__name__, isinstance(v, tf.Variable), isinstance(v, tf.distribute.DistributedValues), v.name, v.shape.as_list(), v.dtype.name, v.trainable,
        [p.name for p in parts], [short(p.device) for p in parts], short(v.device), list(parts), v, v.aggregation.name, v.synchronization.name,
        [isinstance(p, tf.Variable) for p in parts], len(v.values), v.is_initialized(), v.get_shape().as_list(),
    ]  # fmt: skip


@programs
def reads_of_mirrored_variables(tf: Any) -> Any:
    s = strategy_of(tf)
    with s.scope():
        v = tf.Variable([1.0, 2.0])
    reads = [
        lambda: v.numpy(), lambda: v.read_value(), lambda: v.value(), lambda: v + 1.0, lambda: 2.0 * v, lambda: v[0], lambda: tf.reduce_sum(v), lambda: s.run(lambda: v + 1.0),
        lambda: s.run(lambda: v.read_value()), lambda: s.run(lambda: tf.convert_to_tensor(v)), lambda: [short(x.device) for x in s.run(lambda: v.value()).values],
        lambda: tf.identity(v), lambda: [float(x) for x in v], lambda: float(tf.reduce_max(v)), lambda: -v,
        lambda: tf.gather(v, [1]), lambda: v.shape.rank, lambda: v.handle.dtype.name, lambda: s.run(lambda: short(v.device)),
        lambda: short(v.handle.device), lambda: v.ref() == v.ref(), lambda: hash(v), lambda: v.constraint, lambda: v.graph,
        lambda: bool(tf.reduce_all(v == v)), lambda: abs(v), lambda: len(v), lambda: v > 1.0, lambda: v.values[1] + 1.0,
    ]  # fmt: skip
    return [attempt(read) for read in reads]


@programs
def texts_of_mirrored_variables(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    with s.scope():
        v = tf.Variable(1.0, name="w")
        w = tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM, name="u")
    return [" ".join(str(x).split()) for x in (v, w)]


@programs
def assignments_across_replicas(tf: Any) -> Any:
    s = strategy_of(tf)
    found = []
    with s.scope():
        v = tf.Variable(1.0)
        found.append(v.assign(3.0))
        found.append(v.assign_add(2.0))
        found.append(v.assign_sub(1.0))
    found.append(v.assign(7.0))
    v.assign_add(1.0)
    return [*found, list(v.values), v]


@programs
def assignments_across_of_distributed_values(tf: Any) -> Any:
    s = strategy_of(tf)
    x = numbers(tf, s)
    with s.scope():
        v = tf.Variable(1.0)
    return [attempt(v.assign, x), list(v.values)]


def aggregated(tf: Any, aggregation: str, synchronization: str = "AUTO", dtype: Any = None) -> Any:
    """What assignments in replicas do to a variable."""
    s = strategy_of(tf)
    found = []
    for method in ("assign", "assign_add", "assign_sub"):
        with s.scope():
            v = tf.Variable(
                1.0 if dtype is None else 1, dtype=dtype, aggregation=tf.VariableAggregation[aggregation],
                synchronization=tf.VariableSynchronization[synchronization],
            )  # fmt: skip

        def f(v: Any = v, method: str = method) -> Any:
            x = tf.cast(replica(tf), v.dtype) + tf.cast(1, v.dtype)
            return getattr(v, method)(x)

        result = attempt(s.run, f)
        found.append([result if isinstance(result, dict) and "raises" in result else 0, attempt(lambda v=v: [p.numpy() for p in v.values]), attempt(lambda v=v: v.numpy()), v.trainable])
    return found


for _aggregation in ("NONE", "SUM", "MEAN", "ONLY_FIRST_REPLICA"):
    for _synchronization in ("AUTO", "ON_WRITE", "ON_READ", "NONE"):

        def _program(tf: Any, a: str = _aggregation, s: str = _synchronization) -> Any:
            return aggregated(tf, a, s)

        _program.__name__ = f"aggregated_{_aggregation.lower()}_{_synchronization.lower()}"
        programs(_program)


@programs
def aggregated_integers(tf: Any) -> Any:
    return [attempt(aggregated, tf, a, s, tf.int64) for a in ("SUM", "MEAN", "ONLY_FIRST_REPLICA") for s in ("AUTO", "ON_READ")]


@programs
def lists_assigned_in_replicas(tf: Any) -> Any:
    s = strategy_of(tf)
    results = []
    for how in (tf.VariableAggregation.SUM, tf.VariableAggregation.MEAN):
        with s.scope():
            v = tf.Variable([0.0, 0.0], aggregation=how)

        def assign(second: Any, v: Any = v) -> Any:
            x = tf.cast(replica(tf), tf.float32)
            v.assign([x, second(x)])

        for second in (lambda x: x * 10.0, lambda x: 3.0):
            for run in (s.run, tf.function(s.run)):
                results.append([attempt(run, assign, (second,)), [p.numpy() for p in v.values]])
    return results


@programs
def calls_for_each_replica(tf: Any) -> Any:
    s = strategy_of(tf)

    def f(x: Any, y: Any) -> Any:
        return x * 2.0 + y

    return s.extended.call_for_each_replica(f, args=(numbers(tf, s),), kwargs={"y": 1.0})


@programs
def results_of_assignments_in_replicas(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    with s.scope():
        v = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)
        w = tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM)
    return [
        attempt(s.run, lambda: v.assign_add(1.0) + 0.0), attempt(s.run, lambda: w.assign_add(1.0) + 0.0), attempt(s.run, lambda: v.assign(5.0).read_value()), v, w,
        attempt(s.run, lambda: v.assign_add(tf.constant(1.0)) + 0.0), attempt(s.run, lambda: w.assign_add(tf.constant(1.0)) + 0.0),
        attempt(s.run, lambda: v.assign(tf.constant(5.0)).read_value()), v, w, s.run(lambda: w + 0.0),
    ]  # fmt: skip


@programs
def variables_that_sync_on_read(tf: Any) -> Any:
    s = strategy_of(tf)
    found = []
    for aggregation in ("SUM", "MEAN", "ONLY_FIRST_REPLICA", "NONE"):
        with s.scope():
            v = tf.Variable(2.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation[aggregation])
        s.run(lambda v=v: v.assign_add(tf.cast(replica(tf), tf.float32)))
        found.append([type(v).__name__, v.trainable, [p.numpy() for p in v.values], attempt(v.numpy), attempt(v.read_value), attempt(lambda v=v: v + 1.0), s.run(lambda v=v: v.read_value())])
    return found


@programs
def assignments_across_to_variables_that_sync_on_read(tf: Any) -> Any:
    s = strategy_of(tf)
    found = []
    for aggregation in ("SUM", "MEAN", "ONLY_FIRST_REPLICA", "NONE"):
        for method in ("assign", "assign_add", "assign_sub"):
            with s.scope():
                v = tf.Variable(2.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation[aggregation])
                found.append([aggregation, method, attempt(lambda v=v, method=method: getattr(v, method)(8.0) is None), [p.numpy() for p in v.values]])
    return found


@programs
def scatters(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    found = []
    for method in ("scatter_add", "scatter_sub", "scatter_update", "scatter_max", "scatter_min", "scatter_mul", "scatter_div"):
        with s.scope():
            v = tf.Variable([4.0, 4.0], aggregation=tf.VariableAggregation.SUM)
        rows = tf.IndexedSlices(tf.constant([2.0]), tf.constant([1]))

        def inside(v: Any = v, method: str = method) -> Any:
            i = replica(tf)
            rows = tf.IndexedSlices(tf.reshape(tf.cast(i, tf.float32) + 1.0, [1]), tf.reshape(i, [1]))
            getattr(v, method)(rows)

        found.append([method, attempt(lambda v=v, m=method, r=rows: getattr(v, m)(r) is None), list(v.values)])
        found.append([attempt(s.run, lambda v=v, m=method, r=rows: getattr(v, m)(r) is None), list(v.values)])
        found.append([attempt(s.run, inside), list(v.values)])
    return found


@programs
def variables_made_in_replicas(tf: Any) -> Any:
    s = strategy_of(tf)
    made = []

    def f() -> Any:
        if not made:
            v = tf.Variable(tf.cast(replica(tf), tf.float32) + 5.0, name="m")
            made.append(v) if int(replica(tf)) == 3 else None
            return v + 1.0
        return made[0] + 1.0

    y = s.run(f)
    return [y, type(made[0]).__name__, list(made[0].values), made[0].name]


@programs
def initial_values(tf: Any) -> Any:
    s = strategy_of(tf)
    calls = []

    def start() -> Any:
        calls.append(short(tf.constant(1.0).device))
        return tf.constant([1.0, 2.0]) * float(len(calls))

    with s.scope():
        v = tf.Variable(start)
        w = tf.Variable(tf.random.normal([2]))
    same = all(bool(tf.reduce_all(p == w.values[0])) for p in w.values)
    return [calls, list(v.values), same]


@programs
def trainable_by_synchronization(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    with s.scope():
        on_read = {"synchronization": tf.VariableSynchronization.ON_READ}
        return [
            tf.Variable(1.0, **on_read).trainable, attempt(lambda: tf.Variable(1.0, trainable=True, **on_read).trainable),
            tf.Variable(1.0, trainable=False).trainable, attempt(lambda: type(tf.Variable(1.0, synchronization=tf.VariableSynchronization.NONE)).__name__),
            attempt(lambda: tf.Variable(1.0, aggregation="sum").aggregation),
        ]  # fmt: skip


@programs
def variables_outside_scopes(tf: Any) -> Any:
    s = strategy_of(tf)
    v = tf.Variable(1.0)
    s.run(lambda: v.assign_add(1.0))
    return [v, s.extended.variable_created_in_scope(v), s.run(lambda: v + 0.0)]


@programs
def scopes(tf: Any) -> Any:
    s, other = strategy_of(tf), strategy_of(tf, 2)

    def nest() -> Any:
        with s.scope(), other.scope():
            pass

    def twice() -> Any:
        with s.scope(), s.scope():
            return tf.distribute.get_strategy() is s

    def in_replica() -> Any:
        with s.scope():
            return 1

    def other_run() -> Any:
        with s.scope():
            return other.run(lambda: 1)

    def other_in_replica() -> Any:
        with other.scope():
            return 1

    return [attempt(nest), attempt(twice), attempt(s.run, in_replica), attempt(other_run), attempt(s.run, other_in_replica), attempt(s.run, lambda: other.run(lambda: 1))]


@programs
def variables_of_scopes(tf: Any) -> Any:
    s, other = strategy_of(tf), strategy_of(tf, 2)
    with s.scope():
        v = tf.Variable(1.0)
    with other.scope():
        w = tf.Variable(1.0)
    return [
        s.extended.variable_created_in_scope(v), s.extended.variable_created_in_scope(w), other.extended.variable_created_in_scope(w),
        s.extended.variable_created_in_scope(tf.Variable(1.0)), attempt(other.run, lambda: v + 1.0), attempt(other.run, lambda: v.assign_add(1.0)), attempt(s.run, lambda: w + 1.0),
    ]  # fmt: skip


@programs
def names_in_replicas(tf: Any) -> Any:
    s = strategy_of(tf, 3)
    names = []

    @tf.function
    def f() -> Any:
        def g() -> Any:
            y = tf.add(tf.constant(1.0), 2.0, name="sum")
            names.append(y.name)
            with tf.name_scope("inner"):
                names.append(tf.multiply(y, y).name)
            return y

        return s.experimental_local_results(s.run(g))

    f()
    return names


@programs
def updates(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    with s.scope():
        v = tf.Variable(1.0)
        x = numbers(tf, s)
        a = s.extended.update(v, lambda v, d: v.assign_add(d), args=(2.0,))
        b = s.extended.update(v, lambda v, d: v.assign_add(d), args=(x,), group=False)
    return [a, [float(r) for r in b], list(v.values), type(a).__name__, type(b).__name__]


@programs
def updates_in_replicas(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    with s.scope():
        v, w = tf.Variable(1.0), tf.Variable(10.0)

    def step() -> Any:
        number = tf.cast(replica(tf), tf.float32)
        v.assign(v + number)

        def change(copy: Any, other: Any, own: Any) -> Any:
            return copy.assign_add(other * 2.0 + own)

        s.extended.update(v, change, args=(w, number), group=False)
        return v.read_value()

    return [s.run(step), tf.function(lambda: s.run(step))(), s.experimental_local_results(v)]


@programs
def reductions_to_destinations(tf: Any) -> Any:
    s = strategy_of(tf)
    x = numbers(tf, s)
    with s.scope():
        v = tf.Variable(1.0)
        a = s.extended.reduce_to("SUM", x, v)
        b = s.extended.reduce_to("MEAN", x, "/cpu:2")
        pairs = s.extended.batch_reduce_to("SUM", [(x, v), (x, x)])
    return [
        a, type(a).__name__, attempt(lambda: short(b.device)), attempt(lambda: b), pairs, [short(p.device) for p in a.values],
        attempt(s.extended.reduce_to, "SUM", 3.0, v), attempt(s.extended.reduce_to, "MEAN", 3.0, v),
    ]  # fmt: skip


@programs
def colocated_variables(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    with s.scope():
        v = tf.Variable(1.0)
        with s.extended.colocate_vars_with(v):
            w = tf.Variable(2.0)
    out = tf.Variable(1.0)

    def wrong() -> Any:
        with s.scope(), s.extended.colocate_vars_with(out):
            return tf.Variable(1.0)

    return [list(w.values), [short(p.device) for p in w.values], attempt(wrong)]


@programs
def gradients_in_replicas(tf: Any) -> Any:
    s = strategy_of(tf)
    with s.scope():
        v = tf.Variable(3.0)
    x = numbers(tf, s)

    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = v * v * x
        return tape.gradient(y, v)

    return s.run(f, args=(x,))


@programs
def watched_in_replicas(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    with s.scope():
        v = tf.Variable(3.0, name="v")
        w = tf.Variable(3.0, name="w", trainable=False)
    found = []

    def f() -> Any:
        with tf.GradientTape() as tape:
            y = v * w
        found.append([x.name for x in tape.watched_variables()])
        return tape.gradient(y, [v, w])

    return [s.run(f), found]


@programs
def tapes_around_replicas(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    with s.scope():
        v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = s.run(lambda: v * v)
        z = y.values[0] + y.values[1]
    g = attempt(tape.gradient, z, v)
    with tf.GradientTape() as tape:
        y = v * v
    return [g, tape.gradient(y, v)]


@programs
def gradients_of_all_reductions(tf: Any) -> Any:
    s = strategy_of(tf)
    x = numbers(tf, s)

    def f(x: Any) -> Any:
        c = tf.distribute.get_replica_context()
        found = []
        for op in ("sum", "mean"):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = c.all_reduce(op, x) * x
            found.append(tape.gradient(y, x))
        return found

    return s.run(f, args=(x,))


@programs
def gradients_of_all_gathers(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    x = numbers(tf, s)

    def f(x: Any) -> Any:
        c = tf.distribute.get_replica_context()
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = c.all_gather(tf.reshape(x, [1]), axis=0) * tf.constant([1.0, 10.0]) * x
        return tape.gradient(y, x)

    return s.run(f, args=(x,))


@programs
def one_device(tf: Any) -> Any:
    s = tf.distribute.OneDeviceStrategy("/cpu:2")
    with s.scope():
        v = tf.Variable(1.0)
        x = tf.constant(1.0)
    y = s.run(lambda: v + 1.0)
    w = s.run(lambda: tf.Variable(2.0))
    return [
        type(v).__name__.replace("Resource", "").replace("Placed", ""), short(v.device), short(x.device), short(y.device), y, s.reduce("SUM", y, axis=None), s.num_replicas_in_sync,
        s.experimental_local_results(y), s.gather(tf.constant([1, 2]), axis=0), s.reduce("MEAN", tf.constant([1.0, 2.0]), axis=0), short(w.device),
        s.run(lambda: tf.distribute.get_replica_context().all_reduce("sum", 2.0)), s.run(lambda: tf.distribute.get_replica_context().merge_call(lambda st, a: a, args=(5,))),
        s.run(lambda: tf.distribute.get_replica_context().all_gather(tf.constant([1.0]), axis=0)), attempt(s.run, lambda: s.run(lambda: 1)),
        s.extended.variable_created_in_scope(v), s.run(lambda: v.assign_add(1.0).numpy()), s.run(lambda: tf.distribute.get_replica_context().replica_id_in_sync_group),
    ]  # fmt: skip


@programs
def default_strategy(tf: Any) -> Any:
    s = tf.distribute.get_strategy()
    c = tf.distribute.get_replica_context()
    return [
        tf.distribute.has_strategy(), s.num_replicas_in_sync, s.run(lambda: 3.0), s.reduce("SUM", 2.0, axis=None), s.reduce("SUM", tf.constant([1.0, 2.0]), axis=0),
        s.gather(tf.constant([1, 2]), axis=0), s.experimental_local_results(2), attempt(c.all_reduce, "sum", 2.0), attempt(c.merge_call, lambda st, x: x, (1,)),
        attempt(s.gather, tf.constant(1), axis=0), c.replica_id_in_sync_group, attempt(lambda: list(s.extended.worker_devices)), attempt(lambda: list(s.extended.parameter_devices)),
    ]  # fmt: skip


@programs
def random_numbers_in_replicas(tf: Any) -> Any:
    s = strategy_of(tf, 2)

    def f() -> Any:
        return tf.random.stateless_uniform([2], [1, replica(tf)])

    tf.random.set_seed(3)
    y = s.run(lambda: tf.random.normal([2]))
    differ = not bool(tf.reduce_all(y.values[0] == y.values[1]))
    return [s.run(f), differ]


@programs
def generators_in_replicas(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    with s.scope():
        g = tf.random.Generator.from_seed(7)
    y = s.run(lambda: g.normal([2]))
    z = s.run(lambda: g.normal([2]))
    a, b = s.experimental_local_results(y)
    return [y, z, bool(tf.reduce_all(a == b))]


@programs
def input_contexts(tf: Any) -> Any:
    c = tf.distribute.InputContext(3, 1, 6)
    return [
        str(c), c.num_input_pipelines, c.input_pipeline_id, c.num_replicas_in_sync, c.get_per_replica_batch_size(12), attempt(c.get_per_replica_batch_size, 13),
        str(tf.distribute.InputContext()), tf.distribute.InputContext().get_per_replica_batch_size(5),
    ]  # fmt: skip


@programs
def reduce_ops(tf: Any) -> Any:
    op, aggregation = tf.distribute.ReduceOp, tf.VariableAggregation
    return [
        [m.name for m in op], [m.value for m in op], op("SUM").name, attempt(lambda: op("sum").name), str(op.MEAN), repr(op.SUM), op.from_variable_aggregation(aggregation.SUM).name,
        op.from_variable_aggregation(aggregation.MEAN).name, attempt(op.from_variable_aggregation, aggregation.NONE), attempt(op.from_variable_aggregation, aggregation.ONLY_FIRST_REPLICA),
    ]  # fmt: skip


@programs
def cross_device_ops(tf: Any) -> Any:
    found = []
    for make in (tf.distribute.ReductionToOneDevice, tf.distribute.HierarchicalCopyAllReduce, tf.distribute.NcclAllReduce):
        ops = attempt(make)
        if isinstance(ops, dict):
            found.append(ops)
            continue
        ops = make()
        x = strategy_of(tf).run(lambda: tf.cast(replica(tf), tf.float32) + 1.0)

        def look(ops: Any = ops, x: Any = x, make: Any = make) -> Any:
            return [
                attempt(ops.reduce, tf.distribute.ReduceOp.SUM, x, x), attempt(ops.reduce, tf.distribute.ReduceOp.MEAN, x, x),
                0 if make is tf.distribute.NcclAllReduce else attempt(ops.batch_reduce, tf.distribute.ReduceOp.SUM, [(x, x), (x, x)]), attempt(ops.broadcast, tf.constant(2.0), x),
                attempt(ops.reduce, tf.distribute.ReduceOp.SUM, 3.0, x), isinstance(ops, tf.distribute.CrossDeviceOps),
            ]  # fmt: skip

        found.append(attempt(look))
    return found


@programs
def public_names(tf: Any) -> Any:
    return [
        sorted(n for n in dir(tf.distribute) if not n.startswith("_")), sorted(n for n in dir(tf.distribute.experimental) if not n.startswith("_")),
        sorted(n for n in dir(tf.distribute.cluster_resolver) if not n.startswith("_")), sorted(n for n in dir(tf.distribute.coordinator) if not n.startswith("_")),
        sorted(n for n in dir(tf.distribute.Strategy) if not n.startswith("_")), sorted(n for n in dir(tf.distribute.MirroredStrategy) if not n.startswith("_")),
        sorted(n for n in dir(tf.distribute.ReplicaContext) if not n.startswith("_")), sorted(n for n in dir(tf.distribute.StrategyExtended) if not n.startswith("_")),
    ]  # fmt: skip


@programs
def communication_options(tf: Any) -> Any:
    kind = tf.distribute.experimental.CommunicationOptions
    ways = tf.distribute.experimental.CommunicationImplementation
    o = kind(bytes_per_pack=50, timeout_seconds=3.0, implementation=ways.RING)
    return [o.bytes_per_pack, o.timeout_seconds, o.implementation.name, [w.name for w in ways], kind().bytes_per_pack, kind().implementation.name, attempt(kind, bytes_per_pack=-1)]


@programs
def run_options(tf: Any) -> Any:
    o = tf.distribute.RunOptions()
    return [o.experimental_enable_dynamic_batch_size, o.experimental_xla_options is None, strategy_of(tf, 2).run(lambda: 1, options=o)]


@programs
def input_options(tf: Any) -> Any:
    o = tf.distribute.InputOptions()
    return [o.experimental_replication_mode.name, o.experimental_place_dataset_on_device, o.experimental_per_replica_buffer_size, [m.name for m in tf.distribute.InputReplicationMode]]


@programs
def distributed_values(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    x = numbers(tf, s)
    return [
        repr(x).replace("\n", " "), type(x.values).__name__, attempt(lambda: x + 1.0), attempt(tf.convert_to_tensor, x), attempt(lambda: x.numpy()),
        tf.nest.flatten([x]) == [x], len(tf.nest.flatten(x, expand_composites=True)), attempt(lambda: float(x)), attempt(lambda: len(x)),
        attempt(lambda: x[0]),
    ]  # fmt: skip


@programs
def cluster_resolvers(tf: Any) -> Any:
    import json
    import os

    r = tf.distribute.cluster_resolver
    simple = r.SimpleClusterResolver(tf.train.ClusterSpec({"worker": ["a:1", "b:2"]}), task_type="worker", task_id=1)
    os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}})
    try:
        config = r.TFConfigClusterResolver()
        found = [config.cluster_spec().as_dict(), config.task_type, config.task_id, config.master(), config.environment, config.rpc_layer]
    finally:
        del os.environ["TF_CONFIG"]
    return [simple.cluster_spec().as_dict(), simple.task_type, simple.task_id, simple.master(), simple.rpc_layer, found, attempt(lambda: simple.num_accelerators())]


@programs
def cluster_specs(tf: Any) -> Any:
    spec = tf.train.ClusterSpec({"worker": ["a:1", "b:2"], "ps": {1: "c:3"}})
    return [
        spec.jobs, spec.num_tasks("worker"), spec.task_indices("ps"), spec.task_address("worker", 1), spec.job_tasks("worker"), spec.as_dict(), bool(spec), spec == tf.train.ClusterSpec(spec),
        attempt(spec.num_tasks, "x"), attempt(spec.task_address, "worker", 5), spec.job_tasks("ps"), bool(tf.train.ClusterSpec({})),
    ]  # fmt: skip


@programs
def no_cluster(tf: Any) -> Any:
    s = strategy_of(tf)
    return [s.cluster_resolver is None, tf.distribute.get_strategy().cluster_resolver is None]


@programs
def experimental_set_strategy(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    tf.distribute.experimental_set_strategy(s)
    try:
        found = [tf.distribute.get_strategy() is s, tf.distribute.has_strategy(), type(tf.Variable(1.0)).__name__]
    finally:
        tf.distribute.experimental_set_strategy(None)
    return [found, tf.distribute.has_strategy()]


@programs
def average_losses(tf: Any) -> Any:
    s = strategy_of(tf)
    nn = tf.nn
    found = [
        s.run(lambda: nn.compute_average_loss(tf.constant([1.0, 2.0]))),
        s.run(lambda: nn.compute_average_loss(tf.constant([1.0, 2.0]), [1.0, 0.5], 16)),
        s.run(lambda: nn.scale_regularization_loss(tf.constant([1.0, 2.0]))),
        tf.function(lambda: s.run(lambda: nn.compute_average_loss(tf.constant([3.0]))))(),
        nn.compute_average_loss([1.0, 2.0]), nn.scale_regularization_loss([1.0, 2.0]),
    ]  # fmt: skip
    with s.scope():
        found += [attempt(nn.compute_average_loss, [1.0]), attempt(nn.scale_regularization_loss, [1.0])]
        found += [attempt(nn.compute_average_loss, [1.0], None, 4)]
    return found


@programs
def texts_of_values(tf: Any) -> Any:
    s = strategy_of(tf, 2)
    v = numbers(tf, s)
    shared = s.run(lambda: tf.distribute.get_replica_context().all_reduce("sum", tf.constant([1.0])))
    return [str(v), repr(v), str([v]), f"{v}", str(shared), repr(shared), str(s.run(lambda: [replica(tf)]))]


@programs
def values_used_in_replicas(tf: Any) -> Any:
    s = strategy_of(tf)
    v = numbers(tf, s)
    found = [s.run(lambda: tf.add(v, 1.0)), tf.function(lambda: s.run(lambda: tf.reduce_sum(v)))()]
    with s.scope():
        found.append(attempt(tf.convert_to_tensor, v))
    return [*found, attempt(tf.convert_to_tensor, v), attempt(tf.reduce_sum, v)]


@programs
def texts_of_clusters(tf: Any) -> Any:
    spec = tf.train.ClusterSpec({"worker": ["a:1", "b:2"], "ps": {3: "c:3"}})
    return [str(spec), repr(spec), list(spec.as_dict())]


@programs
def arguments_that_are_no_list(tf: Any) -> Any:
    strategies = [strategy_of(tf, 2), tf.distribute.get_strategy()]
    wrong = [1, None, "ab", {"x": 1}, tf.constant([1.0, 2.0]), iter([1.0]), [], [2]]
    return [attempt(s.run, lambda *a: len(a), args=args) for s in strategies for args in wrong]
