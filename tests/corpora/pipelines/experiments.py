"""`tf.data.experimental`, and methods of datasets that came late; `X` is that namespace."""

EXPERIMENTS = """
D.counter()
D.counter(1.5)
D.counter([1, 2]).take(2)
D.counter(126, 1, tf.int8).take(4)
D.counter(start=10, step=-2).take(3)
X.Counter(5, 2).take(2)
D.range(5).fingerprint().dtype
bool(D.range(5).fingerprint() == D.range(5).fingerprint())
bool(D.range(5).fingerprint() == D.range(6).fingerprint())
bool(D.range(5).map(lambda x: x + 1).fingerprint() == D.range(5).map(lambda x: x + 2).fingerprint())
D.range(4).map(lambda x: tf.fill([x, 2], x)).sparse_batch(3, [4, 2])
D.range(4).map(lambda x: tf.fill([x], x)).sparse_batch(2, [1])
D.range(4).map(lambda x: tf.fill([x, 2], x)).sparse_batch(2, [3])
D.range(4).map(lambda x: (x, x)).sparse_batch(2, [3])
D.range(4).sparse_batch(2, [])
D.range(4).sparse_batch(0, [])
D.range(4).sparse_batch([2], [])
D.range(4).map(lambda x: tf.fill([x], x)).apply(X.dense_to_ragged_batch(3, True, tf.int32))
X.SHARD_HINT, X.AUTOTUNE
[member.name for member in X.AutoShardPolicy], [member.value for member in X.AutoShardPolicy]
[member.name for member in X.AutotuneAlgorithm]
[member.name for member in X.ExternalStatePolicy]
X.Optional is tf.experimental.Optional
X.RandomDataset(seed=4)
isinstance(X.RandomDataset(seed=4), D)
D.range(10).apply(X.group_by_reducer(lambda x: x % 3, X.Reducer(lambda k: (k * 0, k * 0), lambda s, x: (s[0] + x, s[1] + 1), lambda s, n: (s, n))))
D.range(10).apply(X.group_by_reducer(lambda x: -x % 3, X.Reducer(lambda k: c(0, tf.int64), lambda s, x: s + x, lambda s: tf.cast(s, tf.float32) / 2)))
D.range(10).apply(X.group_by_reducer(lambda x: tf.cast(x % 3, tf.int32), X.Reducer(lambda k: c(0, tf.int64), lambda s, x: s + x, lambda s: s)))
D.range(10).apply(X.group_by_reducer(lambda x: tf.stack([x]), X.Reducer(lambda k: c(0, tf.int64), lambda s, x: s + x, lambda s: s)))
D.range(10).apply(X.group_by_reducer(lambda x: x, X.Reducer(lambda k: c(0, tf.int32), lambda s, x: x, lambda s: s)))
D.range(5).apply(X.group_by_reducer(lambda x: x % 2, X.Reducer(lambda k: tf.zeros([0], tf.int64), lambda s, x: tf.concat([s, [x]], 0), lambda s: s)))
D.range(0).apply(X.group_by_reducer(lambda x: x % 2, X.Reducer(lambda k: k, lambda s, x: s + x, lambda s: s)))
D.range(6).apply(X.group_by_reducer(lambda x: 4 - x % 2, X.Reducer(lambda k: {'a': k}, lambda s, x: {'a': s['a'] + x}, lambda s: s['a'])))
X.Reducer(1, 2, 3).reduce_func
D.range(7).apply(X.map_and_batch(lambda x: x * 2, 3))
D.range(7).apply(X.map_and_batch(lambda x: x * 2, 3, drop_remainder=True))
D.range(7).apply(X.map_and_batch(lambda x: x * 2, 3, num_parallel_batches=2))
D.range(7).apply(X.map_and_batch(lambda x: x * 2, 3, 2, False, 2))
D.range(7).apply(X.map_and_batch(lambda x: x * 2, 0))
D.range(4).apply(X.parallel_interleave(lambda x: D.from_tensors(x).repeat(3), cycle_length=2, block_length=2))
D.range(5).apply(X.parallel_interleave(lambda x: D.range(x), cycle_length=3))
D.range(5).apply(X.parallel_interleave(lambda x: D.range(x), 0))
D.range(4).apply(X.shuffle_and_repeat(4, 2, seed=3))
D.range(4).apply(X.shuffle_and_repeat(3, seed=3)).take(9)
D.range(20).apply(X.shuffle_and_repeat(30, 2, seed=7))
D.range(4).apply(X.shuffle_and_repeat(0))
D.range(4).apply(X.shuffle_and_repeat(2, 0))
D.range(4).apply(X.shuffle_and_repeat(2, -2))
X.at(D.range(4), 2)
X.at(D.range(4), 4)
X.at(D.range(4), -1)
X.at(D.range(4), [1])
X.at(D.range(4).map(lambda x: (x, x * 2)), 3)
X.at(D.range(4).batch(3), 1)
X.at(D.range(4).batch(3, drop_remainder=True), 1)
X.at(D.range(4).filter(lambda x: True), 1)
X.at(D.range(4).filter(lambda x: True).take(3), 1)
X.at(D.range(4).filter(lambda x: True).map(lambda x: x), 1)
X.at(D.from_tensor_slices([[1, 2], [3, 4]]), 1)
X.at(D.from_tensors(3), 1)
X.at(D.range(4).take(2), 3)
X.at(D.range(4).skip(2), 1)
X.at(D.range(4).repeat(2), 5)
X.at(D.range(4).repeat(), 5)
X.at(D.range(4).shard(2, 1), 1)
X.at(D.range(4).concatenate(D.range(10, 12)), 5)
X.at(D.zip((D.range(4), D.range(3))), 1)
X.at(D.range(4).enumerate(), 1)
X.at(D.range(4).cache().prefetch(1), 1)
X.at(D.range(4).padded_batch(2), 1)
X.at(D.range(4).window(2), 1)
X.at(D.counter(), 1)
X.at(X.from_list([1, 2, 3]), 2)
[int(X.at(D.range(6).shuffle(6, seed=1), i)) for i in range(6)]
[int(X.at(D.range(8).shuffle(3, seed=1), i)) for i in range(8)]
X.get_single_element(D.range(3))
X.from_list([[1, 2], [3]])
X.from_list([[1, 2], [3, 4]])
X.from_list([c(1), c([2])])
X.from_list(3)
X.from_list((1, 2))
X.from_list([(1, 2), 3])
X.from_variant(X.to_variant(D.range(3)), tf.TensorSpec([], tf.int64))
X.to_variant(D.range(3)).dtype
D.range(3).apply(X.prefetch_to_device('/cpu:0', 2))
D.range(3).apply(X.pad_to_cardinality(5))
D.from_tensor_slices({'a': [1, 2]}).apply(X.pad_to_cardinality(4))
D.from_tensor_slices({'a': [1, 2], 'b': ['x', 'y']}).apply(X.pad_to_cardinality(4, mask_key='m'))
D.from_tensor_slices({'a': [1, 2]}).apply(X.pad_to_cardinality(1))
D.from_tensor_slices({'a': [1, 2]}).apply(X.pad_to_cardinality(2))
D.from_tensor_slices({'a': [1, 2]}).repeat().apply(X.pad_to_cardinality(2))
D.from_tensor_slices({'a': [1, 2]}).filter(lambda x: True).apply(X.pad_to_cardinality(2))
D.from_tensor_slices({'valid': [1, 2]}).apply(X.pad_to_cardinality(4))
D.from_tensor_slices({'a': [1, 2]}).batch(2).apply(X.pad_to_cardinality(2))
D.from_tensor_slices({'a': ([1.5, 2.0], ['u', 'v']), 'z': [[True], [True]]}).apply(X.pad_to_cardinality(3))
D.range(3).filter(lambda x: True).apply(X.assert_cardinality([2]))
D.range(40).rejection_resample(lambda x: tf.cast(x % 2, tf.int32), [0.2, 0.8], [0.5, 0.5], seed=3)
D.range(40).rejection_resample(lambda x: tf.cast(x % 2, tf.int32), [0.2, 0.8], seed=3)
D.range(40).rejection_resample(lambda x: tf.cast(x % 3, tf.int32), [0.0, 0.1, 0.9], [0.4, 0.3, 0.3], seed=5)
D.range(40).rejection_resample(lambda x: x % 3, [0.0, 0.1, 0.9], [0.4, 0.3, 0.3], seed=5)
D.range(100).rejection_resample(lambda x: tf.cast(x % 3, tf.int32), [0.3, 0.3, 0.4], seed=5)
D.range(40).rejection_resample(lambda x: tf.cast(x % 2, tf.int32), [0.5, 0.5], [0.5, 0.5], seed=3)
D.range(40).map(lambda x: (x, {'a': x * 2})).rejection_resample(lambda x, y: tf.cast(x % 2, tf.int32), c([0.2, 0.8]), seed=11)
D.range(40).rejection_resample(lambda x: tf.cast(x % 2, tf.float32), [0.2, 0.8], [0.5, 0.5], seed=3)
D.sample_from_datasets([D.range(8), D.range(8).map(lambda x: -x)], D.from_tensors(c([0.2, 0.8])).repeat(7), seed=3)
D.sample_from_datasets([D.range(8), D.range(8).map(lambda x: -x)], D.from_tensors([1, 2]).repeat(), seed=3)
D.sample_from_datasets([D.range(8), D.range(8).map(lambda x: -x)], D.from_tensors([0.2, 0.3, 0.5]).repeat(), seed=3)
X.index_table_from_dataset(D.from_tensor_slices(['a', 'b', 'c'])).lookup(c(['b', 'z', 'a']))
X.index_table_from_dataset(D.from_tensor_slices(['a', 'b', 'c']), default_value=7).lookup(c(['b', 'z', 'a']))
X.index_table_from_dataset(D.from_tensor_slices(['a', 'b', 'c']), num_oov_buckets=2).lookup(c(['b', 'z', 'a', 'q']))
X.index_table_from_dataset(D.from_tensor_slices(['a', 'b', 'c']), vocab_size=2).lookup(c(['b', 'z', 'c']))
X.index_table_from_dataset(D.range(4).map(lambda x: x * 10), key_dtype=tf.int64).lookup(c([30, 5], tf.int64))
X.index_table_from_dataset()
X.index_table_from_dataset(D.from_tensor_slices(['a']), num_oov_buckets=-1)
X.index_table_from_dataset(D.from_tensor_slices(['a']), vocab_size=0)
X.index_table_from_dataset(D.from_tensor_slices(['a']), key_dtype=tf.float32)
X.table_from_dataset(D.from_tensor_slices((['a', 'b'], c([3, 4], tf.int64)))).lookup(c(['b', 'z']))
X.table_from_dataset(D.from_tensor_slices((['a', 'b'], [3.5, 4.5])), default_value=-1.0).lookup(c(['b', 'z']))
X.table_from_dataset(D.from_tensor_slices((['a', 'b'], c([3, 4], tf.int64))), num_oov_buckets=2).lookup(c(['b', 'z']))
X.table_from_dataset(D.from_tensor_slices((['a', 'b'], ['x', 'y'])), default_value='u').lookup(c(['b', 'z']))
X.table_from_dataset(D.from_tensor_slices((['a', 'b'], ['x', 'y'])), default_value=3).lookup(c(['b', 'z']))
X.table_from_dataset(D.from_tensor_slices(['a', 'b']), default_value=3)
X.table_from_dataset(D.from_tensor_slices((['a', 'a'], ['x', 'y'])), default_value='u').lookup(c(['a']))
tf.lookup.StaticHashTable(X.DatasetInitializer(D.from_tensor_slices((['a'], [1]))), 5).lookup(c(['a', 'b']))
tf.compat.v1.data.get_output_classes(D.range(3).map(lambda x: tf.fill([x], x)).ragged_batch(2))
tf.compat.v1.data.make_one_shot_iterator(D.range(3)).get_next()
tf.compat.v1.data.make_initializable_iterator(D.range(3))
D.range(1, [2], 3)
D.range(4).skip([1])
D.range(4).shard([2], 0)
D.range(4).shard(2, [0])
D.range(4).repeat([1])
D.range(4).batch(2, [True])
D.range(4).padded_batch([2])
D.range(4).window([2])
D.range(4).window(2, 1, [1])
D.range(4).prefetch([1])
D.range(4).shuffle([2])
D.range(4).interleave(lambda x: tf.data.Dataset.range(2), cycle_length=[2])
D.range(4).map(lambda x: x, num_parallel_calls=[2])
D.range(4).cache(['a'])
D.range(4).rebatch([[2]])
D.range(4).shard(-2, 0)

# random_numbers_of_two_iterators
d = D.range(3).map(lambda x: tf.random.uniform([], 0, 1000, tf.int32, seed=7))
a, b = iter(d), iter(d)
[(int(next(a)), int(next(b))) for _ in range(3)]

# random_numbers_in_inner_datasets
d = D.range(2).flat_map(lambda y: D.range(3).map(lambda x: tf.random.uniform([], 0, 1000, tf.int32, seed=7)))
[[int(x) for x in d] for _ in range(2)]

# random_numbers_behind_a_thread
d = D.range(4).map(lambda x: tf.random.uniform([], 0, 1000, tf.int32, seed=7)).prefetch(2)
[[int(x) for x in d] for _ in range(2)]

# random_numbers_of_two_ops
d = D.range(3).map(lambda x: (tf.random.uniform([], 0, 9, tf.int32, seed=7), tf.random.uniform([], 0, 9, tf.int32, seed=7)))
[[(int(x), int(y)) for x, y in d] for _ in range(2)]

# random_numbers_in_reductions
[int(D.range(3).reduce(0, lambda s, x: s * 1000 + tf.random.uniform([], 0, 1000, tf.int32, seed=7))) for _ in range(2)]

# random_numbers_in_repeated_rounds
D.from_tensors(1).repeat(3).map(lambda x: tf.random.uniform([], 0, 1000, tf.int32, seed=3)).repeat(2)

# resampling_twice
d = D.range(20).rejection_resample(lambda x: tf.cast(x % 2, tf.int32), [0.2, 0.8], [0.5, 0.5], seed=3)
[[int(x) for _, x in d] for _ in range(2)]

# shuffle_and_repeat_epochs
d = D.range(4).apply(X.shuffle_and_repeat(4, 2, seed=3))
[[int(x) for x in d] for _ in range(3)]

# shuffle_repeat_epochs_without_a_stage_between
d = D.range(4).shuffle(4, seed=3).repeat(2)
[[int(x) for x in d] for _ in range(3)]

# shuffle_epochs_taken_in_part
d = D.range(4).shuffle(4, seed=3).batch(1).repeat(2).take(3)
[[x.numpy().tolist() for x in d] for _ in range(3)]

# windows_with_failures_between
D.range(8).map(lambda x: tf.debugging.check_numerics(1.0 / tf.cast(x - 3, tf.float32), 'zero')).window(1, shift=2).flat_map(lambda w: w.batch(2))

# unbatched_ragged_rows
D.from_tensors(rc([[1, 2], [3]])).unbatch().unbatch()

# padded_batches_of_ragged_rows
D.from_tensors(rc([[1, 2], [3]])).unbatch().padded_batch(2)

# seed_set_in_a_function
@tf.function
def f():
    tf.random.set_seed(5)
    return tf.random.uniform([], seed=3), tf.random.uniform([])
f()

# seed_set_before_a_function
@tf.function
def f():
    return tf.random.uniform([], seed=3)
tf.random.set_seed(5)
f()
"""
