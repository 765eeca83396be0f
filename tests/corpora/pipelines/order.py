"""Order and number: shuffle with seeds, repeat, take, skip, shard, cache, prefetch, enumerate."""

ORDER = """
D.range(10).shuffle(10, seed=1)
D.range(10).shuffle(3, seed=1)
D.range(10).shuffle(1, seed=1)
D.range(10).shuffle(100, seed=7)
D.range(10).shuffle(5, seed=0)
D.range(10).shuffle(5, seed=2**40)
D.range(10).shuffle(5, seed=-3)
D.range(10).shuffle(5, seed=c(3, tf.int64))
D.range(10).shuffle(5, seed=np.int32(3))
D.range(10).shuffle(5, seed=1.5)
D.range(10).shuffle(5)
D.range(10).shuffle(c(5, tf.int64), seed=3)
D.range(10).shuffle(5, 3, False)
D.range(10).shuffle(10, seed=1, reshuffle_each_iteration=True)
D.range(10).shuffle(10, seed=1, reshuffle_each_iteration=False)
D.range(4).shuffle(4, seed=1).repeat(3)
D.range(4).shuffle(4, seed=1, reshuffle_each_iteration=False).repeat(3)
D.range(4).repeat(3).shuffle(4, seed=1)
D.range(4).repeat(3).shuffle(20, seed=1)
D.range(4).repeat().shuffle(4, seed=1).take(10)
D.range(4).shuffle(4, seed=1).repeat().take(10)
D.range(10).shuffle(4, seed=1).batch(3)
D.range(10).batch(3).shuffle(4, seed=1)
D.range(10).shuffle(4, seed=1).shuffle(4, seed=2)
D.range(10).shuffle(4, seed=1).map(lambda x: x * 2)
D.range(10).shuffle(4, seed=1).take(3)
D.range(10).shuffle(4, seed=1).skip(3)
D.range(10).take(5).shuffle(3, seed=1)
D.range(10).shuffle(4, seed=1).cache().repeat(2)
D.range(4).cache().shuffle(4, seed=1).repeat(2)
D.range(10).shuffle(4, seed=1).prefetch(2)
D.range(10).shuffle(4, seed=1).filter(lambda x: x % 2 == 0)
D.range(100).shuffle(50, seed=42).take(20)
D.range(1000).shuffle(1000, seed=42).take(20)
D.range(0).shuffle(3, seed=1)
D.range(1).shuffle(3, seed=1)
D.range(5).shuffle(0)
D.range(5).shuffle(-1)
D.range(5).shuffle(-2)
D.range(5).shuffle('a')
D.range(5).shuffle()
D.range(5).shuffle(2.5)
D.range(5).shuffle(2, name='mixed')
D.range(5).shuffle(tf.data.UNKNOWN_CARDINALITY, seed=1)
D.range(10).shuffle(D.range(10).cardinality(), seed=1)
D.from_tensor_slices(['a', 'b', 'c']).shuffle(3, seed=5)
D.from_tensor_slices(([1, 2, 3], [4, 5, 6])).shuffle(3, seed=5)
D.from_tensor_slices({'a': [1, 2, 3], 'b': [4, 5, 6]}).shuffle(3, seed=5)
D.from_tensor_slices(rc([[1], [2, 3], []])).shuffle(3, seed=5)
[[int(x) for x in d] for d in [D.range(5).shuffle(5, seed=1)] for _ in range(3)]
[[int(x) for x in d] for d in [D.range(5).shuffle(5, seed=1, reshuffle_each_iteration=False)] for _ in range(3)]
[[int(x) for x in d] for d in [D.range(5).shuffle(5)] for _ in range(2)]
[[int(x) for x in D.range(5).shuffle(5, seed=1)] for _ in range(2)]
D.range(5).shuffle(5, seed=1).cardinality()
D.range(5).apply(tf.data.experimental.shuffle_and_repeat(3, 2, seed=1))
D.range(3).repeat(2)
D.range(3).repeat(0)
D.range(3).repeat(1)
D.range(3).repeat()
D.range(3).repeat(-1)
D.range(3).repeat(None).take(4)
D.range(3).repeat(-2).take(4)
D.range(0).repeat(3)
D.range(0).repeat()
D.range(3).repeat(c(2, tf.int64))
D.range(3).repeat(2).repeat(2)
D.range(3).repeat(2.5)
D.range(3).repeat('a')
D.range(3).repeat(2, name='again')
D.range(3).repeat().cardinality()
D.range(0).repeat().cardinality()
D.range(3).filter(lambda x: x > 0).repeat().cardinality()
D.range(3).repeat(count=2).batch(4)
D.range(10).take(3)
D.range(10).take(0)
D.range(10).take(-1)
D.range(10).take(-5)
D.range(10).take(20)
D.range(10).take(c(2, tf.int64))
D.range(10).take(np.int32(2))
D.range(10).take(count=2, name='two')
D.range(10).take('a')
D.range(10).take(None)
D.range(10).take(1.5)
D.range(10).take([2])
D.range(10).take(3).take(5)
D.range(10).skip(7)
D.range(10).skip(0)
D.range(10).skip(-1)
D.range(10).skip(20)
D.range(10).skip(c(8, tf.int64))
D.range(10).skip('a')
D.range(10).skip(4).take(3).skip(1)
D.range(10).take(5).skip(3)
D.range(10).skip(8, name='rest')
D.range(10).skip(2).cardinality()
D.range(10).skip(20).cardinality()
D.range(10).skip(-1).cardinality()
D.range(10).take(-1).cardinality()
D.range(10).repeat().skip(3).cardinality()
D.range(10).repeat().take(3).cardinality()
D.range(3).map(lambda x: 6 // x).skip(1)
D.range(10).shard(3, 0)
D.range(10).shard(3, 2)
D.range(10).shard(1, 0)
D.range(2).shard(5, 4)
D.range(10).shard(num_shards=4, index=1, name='mine')
D.range(10).shard(3, 3)
D.range(10).shard(3, -1)
D.range(10).shard(0, 0)
D.range(10).shard(-1, 0)
D.range(10).shard(c(3, tf.int64), c(1, tf.int64))
D.range(10).shard(3, 1).cardinality()
D.range(10).shard(3, 0).cardinality()
D.range(10).batch(2).shard(2, 1)
D.range(10).shard(2, 1).batch(2)
D.range(6).enumerate()
D.range(3).enumerate(5)
D.range(3).enumerate(start=c(2, tf.int64))
D.range(3).enumerate(-1)
D.range(3).enumerate('a')
D.from_tensor_slices(['a', 'b']).enumerate()
D.from_tensor_slices(([1, 2], [3, 4])).enumerate()
D.from_tensor_slices({'a': [1, 2]}).enumerate(1)
D.from_tensor_slices(['a', 'b']).enumerate().map(lambda i, s: tf.strings.join([tf.strings.as_string(i), s]))
D.range(3).enumerate().filter(lambda i, x: i != 1).map(lambda i, x: x)
D.range(3).apply(tf.data.experimental.enumerate_dataset(2))
D.range(3).prefetch(1)
D.range(3).prefetch(0)
D.range(3).prefetch(100)
D.range(3).prefetch(tf.data.AUTOTUNE)
D.range(3).prefetch(-1)
D.range(3).prefetch(-2)
D.range(3).prefetch('a')
D.range(3).prefetch(c(2, tf.int64))
D.range(3).prefetch(None)
D.range(3).prefetch(2, name='ahead')
D.range(4).map(lambda x: 6 // (x - 1)).prefetch(2)
D.range(5).cache()
D.range(5).cache('')
D.range(5).cache(name='held')
D.range(5).cache().repeat(2)
D.range(5).cache().take(2)
D.range(5).map(lambda x: x * 2).cache().batch(2)
D.range(0).cache().repeat(2)
D.range(5).cache(5)
D.range(3).cache(folder + '/cache')
D.range(3).cache(folder + '/cache').repeat(2)
D.range(4).map(lambda x: 6 // (x - 2)).cache()
D.from_tensor_slices(rc([[1], [2, 3]])).cache().repeat(2)
D.from_tensor_slices([1, 2, 1, 3, 2]).unique()
D.from_tensor_slices(['a', 'b', 'a']).unique()
D.range(4).map(lambda x: x // 2).unique()
D.from_tensor_slices([1.5, 2.5]).unique()
D.from_tensor_slices(([1, 2], [3, 4])).unique()
D.from_tensor_slices([[1, 2], [1, 2]]).unique()
D.from_tensor_slices(c([1, 1, 2], tf.int32)).unique().cardinality()
D.from_tensor_slices([1, 1]).unique(name='once')
D.from_tensor_slices([1, 2, 1]).apply(tf.data.experimental.unique())
D.from_tensor_slices([True, True]).unique()
D.range(0).unique()
D.range(5).rejection_resample(lambda x: tf.cast(x % 2, tf.int32), [0.5, 0.5], seed=1)
D.range(20).map(lambda x: tf.cast(x >= 15, tf.int32)).rejection_resample(lambda x: x, [0.5, 0.5], [0.75, 0.25], seed=1)
D.range(20).map(lambda x: tf.cast(x >= 15, tf.int32)).rejection_resample(lambda x: x, target_dist=[0.5, 0.5], seed=3).map(lambda _, x: x)
D.range(5).rejection_resample(lambda x: x, [0.5, 0.5])
D.range(10).map(lambda x: tf.cast(x % 2, tf.int32)).rejection_resample(lambda x: x, [0.5, 0.5], seed=1).element_spec
D.range(10).apply(tf.data.experimental.rejection_resample(lambda x: tf.cast(x % 2, tf.int32), [0.2, 0.8], [0.5, 0.5], seed=4))
D.range(3).cardinality()
D.range(3).map(lambda x: x).cardinality()
D.range(3).filter(lambda x: True).cardinality()
D.range(3).flat_map(lambda x: tf.data.Dataset.range(2)).cardinality()
D.range(7).batch(2).cardinality()
D.range(7).batch(2, drop_remainder=True).cardinality()
D.range(7).padded_batch(2).cardinality()
D.from_generator(lambda: [1], tf.int32).cardinality()
D.range(3).repeat().batch(2).cardinality()
D.range(3).take_while(lambda x: True).cardinality()
D.range(3).scan(0, lambda s, x: (s, x)).cardinality()
D.range(3).prefetch(1).cache().enumerate().cardinality()
D.range(3).shuffle(2).cardinality().dtype
tf.data.experimental.cardinality(D.range(4))
(D.range(3).repeat().cardinality() == tf.data.INFINITE_CARDINALITY).numpy()
(D.range(3).filter(lambda x: True).cardinality() == tf.data.UNKNOWN_CARDINALITY).numpy()
tf.data.INFINITE_CARDINALITY, tf.data.UNKNOWN_CARDINALITY, tf.data.AUTOTUNE
tf.data.experimental.INFINITE_CARDINALITY, tf.data.experimental.UNKNOWN_CARDINALITY
D.range(3).filter(lambda x: True).apply(tf.data.experimental.assert_cardinality(3))
D.range(3).filter(lambda x: True).apply(tf.data.experimental.assert_cardinality(2))
D.range(3).filter(lambda x: True).apply(tf.data.experimental.assert_cardinality(4))
D.range(3).apply(tf.data.experimental.assert_cardinality(tf.data.INFINITE_CARDINALITY))
D.range(3).apply(tf.data.experimental.assert_cardinality(5)).cardinality()
D.from_generator(lambda: range(3), tf.int32).apply(tf.data.experimental.assert_cardinality(3)).batch(2)
D.range(5).apply(lambda d: d.filter(lambda x: x > 2))
D.range(5).apply(lambda d: d.take(1)).apply(lambda d: d.repeat(2))
D.range(5).apply(lambda d: 3)
D.range(5).apply(None)
D.range(5).apply(transformation_func=lambda d: d.batch(2))
D.range(5).apply(tf.data.experimental.prefetch_to_device('/cpu:0'))
D.range(5).apply(tf.data.experimental.copy_to_device('/cpu:0'))

# set_seed_makes_orders_repeat
orders = []
for _ in range(2):
    tf.random.set_seed(5)
    orders.append([int(x) for x in D.range(6).shuffle(6)])
orders

# set_seed_and_own_seed
tf.random.set_seed(5)
D.range(6).shuffle(6, seed=5)

# set_seed_and_reshuffling
tf.random.set_seed(9)
d = D.range(5).shuffle(5)
[[int(x) for x in d] for _ in range(3)]

# set_seed_two_shuffles
tf.random.set_seed(9)
[[int(x) for x in D.range(5).shuffle(5)], [int(x) for x in D.range(5).shuffle(5)]]

# set_seed_and_random_maps
tf.random.set_seed(9)
D.range(3).map(lambda x: tf.random.uniform([]))

# set_seed_and_random_maps_twice
tf.random.set_seed(9)
d = D.range(3).map(lambda x: tf.random.uniform([], 0, 1000, tf.int32))
[[int(x) for x in d] for _ in range(2)]

# set_seed_random_dataset
tf.random.set_seed(3)
D.random().take(4)

# set_seed_and_generators_of_numbers
g = tf.random.Generator.from_seed(3)
D.range(3).map(lambda x: g.uniform([], 0, 100, tf.int32))

# shuffle_two_iterators_at_once
d = D.range(6).shuffle(6, seed=2)
a, b = iter(d), iter(d)
[(int(next(a)), int(next(b))) for _ in range(3)]

# shuffle_then_repeat_epochs
d = D.range(4).shuffle(4, seed=3).batch(2).repeat(2)
[[x.numpy().tolist() for x in d] for _ in range(2)]

# repeated_shuffles_with_options
def options(**switches):
    made = tf.data.Options()
    for name, switch in switches.items():
        setattr(made.experimental_optimization, name, switch)
    return made
def shuffled():
    return D.range(6).shuffle(4, seed=1)
inner = shuffled().repeat(2)
datasets = [
    shuffled().repeat(2),
    shuffled().repeat(2).with_options(options(shuffle_and_repeat_fusion=False)),
    shuffled().repeat(2).with_options(options(apply_default_optimizations=False)),
    shuffled().repeat(2).with_options(options(apply_default_optimizations=False, shuffle_and_repeat_fusion=True)),
    shuffled().take(-1).repeat(2),
    shuffled().take(-1).repeat(2).with_options(options(noop_elimination=False)),
    shuffled().prefetch(1).repeat(2),
    shuffled().with_options(options()).repeat(2),
    shuffled().with_options(options()).take(-1).repeat(2),
    shuffled().repeat(2).repeat(2),
    shuffled().repeat(2).batch(5),
    D.zip(shuffled().repeat(2), D.range(99)).map(lambda x, _: x),
    D.range(2).flat_map(lambda x: inner),
    D.range(2).flat_map(lambda x: shuffled().repeat(2)),
]
[[[x.numpy().tolist() for x in d] for _ in range(3)] for d in datasets]

# batches_of_failing_maps_with_options
def options(**switches):
    made = tf.data.Options()
    for name, switch in switches.items():
        setattr(made.experimental_optimization, name, switch)
    return made
def divided():
    return D.range(10).map(lambda x: c(60, tf.int64) // (x - 4))
inner = divided().batch(3)
off = options(map_and_batch_fusion=False)
datasets = [
    divided().batch(3),
    divided().batch(3).with_options(off),
    divided().batch(3).with_options(options(apply_default_optimizations=False)),
    divided().batch(3).with_options(options(apply_default_optimizations=False, map_and_batch_fusion=True)),
    divided().batch(3, drop_remainder=True).with_options(off),
    divided().batch(3, num_parallel_calls=2),
    divided().map(lambda x: x + 1).batch(3),
    divided().map(lambda x: x + 1).batch(3).with_options(off),
    divided().map(lambda x: x + 1).batch(3).with_options(options(map_fusion=True)),
    divided().filter(lambda x: x > -99).batch(3),
    D.range(10).filter(lambda x: x > -99).map(lambda x: c(60, tf.int64) // (x - 4)).batch(3),
    divided().take(-1).batch(3),
    divided().take(-1).batch(3).with_options(options(noop_elimination=False)),
    divided().with_options(options()).batch(3),
    divided().batch(3).prefetch(1),
    D.range(2).flat_map(lambda x: inner),
    D.range(2).flat_map(lambda x: divided().batch(3)),
    D.range(2).flat_map(lambda x: divided().batch(3)).with_options(off),
]
def outcome(it):
    try:
        return next(it).numpy().tolist()
    except StopIteration:
        return 'stop'
    except tf.errors.InvalidArgumentError:
        return 'bad'
[[outcome(it) for _ in range(10)] for it in map(iter, datasets)]

# cache_runs_its_input_once
runs = []
def f(x):
    runs.append(1)
    return x
d = D.range(3).map(lambda x: tf.py_function(f, [x], tf.int64)).cache()
[[int(x) for x in d], [int(x) for x in d], len(runs)]

# cache_not_filled
runs = []
def f(x):
    runs.append(1)
    return x
d = D.range(3).map(lambda x: tf.py_function(f, [x], tf.int64)).cache()
[[int(x) for x in d.take(2)], [int(x) for x in d], len(runs) >= 3]

# cache_holds_random_numbers
d = D.range(3).map(lambda x: tf.random.uniform([], seed=1)).cache()
[float(a) == float(b) for a, b in zip(list(d), list(d))]

# shards_are_all
d = D.range(7)
[[int(x) for x in d.shard(3, i)] for i in range(3)]

# split_by_take_and_skip
d = D.range(10).shuffle(10, seed=3, reshuffle_each_iteration=False)
[[int(x) for x in d.take(7)], [int(x) for x in d.skip(7)]]
"""
