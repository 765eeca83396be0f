"""Programs with names that libraries ask for, whose outcomes TensorFlow recorded.

`tools/record_name_goldens.py` evaluates them there, `tests/edge/test_library_names.py` here.
"""

from __future__ import annotations

from typing import Any

from composite_corpus import outcome

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


def outcomes(tf: Any) -> dict[str, dict[str, Any]]:
    """What each expression of each area gives."""
    found: dict[str, dict[str, Any]] = {}
    for name, strategy in STRATEGIES.items():
        known = strategy_scope(tf, strategy)
        found[name] = {line: outcome(line, tf, known) for line in DISTRIBUTE}
    return found
