"""Several datasets: zip, concatenate, choosing and sampling among them; options, and what a dataset says."""

COMBINATIONS = """
D.zip(D.range(3), D.range(10, 13))
D.zip((D.range(3), D.range(10, 13)))
D.zip((D.range(3),))
D.zip(D.range(3))
D.zip({'a': D.range(3), 'b': D.from_tensor_slices(['x', 'y', 'z'])})
D.zip((D.range(3), (D.range(3), {'c': D.range(3)})))
D.zip(D.range(3), D.range(5))
D.zip(D.range(3), D.range(0))
D.zip(D.range(3), D.range(2).repeat())
D.zip(D.range(2), D.range(3), D.range(4))
D.zip(D.range(3), D.range(4).batch(2))
D.zip(datasets=(D.range(2), D.range(2)))
D.zip(D.range(2), D.range(2), name='both')
D.zip(D.from_tensor_slices(([1, 2], [3, 4])), D.range(2))
D.zip(D.from_tensor_slices({'a': [1, 2]}), D.range(2)).map(lambda d, x: d['a'] + tf.cast(x, tf.int32))
D.zip()
D.zip(())
D.zip([D.range(2), D.range(2)])
D.zip(1)
D.zip((D.range(2), [1, 2]))
D.zip(D.range(2), datasets=D.range(2))
D.zip(D.range(3), D.range(5)).cardinality()
D.zip(D.range(3), D.range(5).filter(lambda x: True)).cardinality()
D.zip(D.range(3), D.range(5).repeat()).cardinality()
D.zip(D.range(3).map(lambda x: 6 // x), D.range(3))
D.zip(D.range(3), D.range(3).map(lambda x: 6 // (x - 1)))
D.range(3).concatenate(D.range(5, 7))
D.range(0).concatenate(D.range(3))
D.range(3).concatenate(D.range(0))
D.range(3).concatenate(D.range(3).repeat(2))
D.range(2).concatenate(D.range(2)).concatenate(D.range(1))
D.range(2).concatenate(D.from_tensor_slices(['a']))
D.range(2).concatenate(D.from_tensor_slices([1.5]))
D.range(2).concatenate(D.from_tensor_slices([[1, 2]]).map(lambda x: tf.cast(x, tf.int64)))
D.from_tensors([1, 2]).concatenate(D.from_tensors([1, 2, 3]))
D.from_tensors([1, 2]).concatenate(D.from_tensors(1))
D.from_tensors((1, 2)).concatenate(D.from_tensors((3, 4)))
D.from_tensors((1, 2)).concatenate(D.from_tensors(1))
D.from_tensors({'a': 1}).concatenate(D.from_tensors({'b': 1}))
D.from_tensors({'a': 1}).concatenate(D.from_tensors({'a': 2}))
D.from_tensors(rc([[1], [2, 3]])).concatenate(D.from_tensors(rc([[4]])))
D.range(2).concatenate([1])
D.range(2).concatenate(dataset=D.range(1), name='then')
D.range(2).concatenate(D.range(3)).cardinality()
D.range(2).concatenate(D.range(3).repeat()).cardinality()
D.range(2).repeat().concatenate(D.range(3)).take(4)
D.range(2).concatenate(D.range(3).filter(lambda x: True)).cardinality()
D.range(4).batch(2).concatenate(D.range(3).batch(3)).element_spec
D.choose_from_datasets([D.range(3), D.range(10, 13)], D.from_tensor_slices([0, 1, 1, 0, 0, 1]).map(lambda x: tf.cast(x, tf.int64)))
D.choose_from_datasets([D.range(3), D.range(10, 13)], D.range(2).repeat(3))
D.choose_from_datasets([D.range(2), D.range(10, 13)], D.range(2).repeat(5))
D.choose_from_datasets([D.range(2), D.range(10, 13)], D.range(2).repeat(5), stop_on_empty_dataset=False)
D.choose_from_datasets([D.range(2), D.range(10, 13)], D.range(2).repeat(), stop_on_empty_dataset=False)
D.choose_from_datasets([D.range(2)], D.range(1).repeat(2))
D.choose_from_datasets([], D.range(1))
D.choose_from_datasets([D.range(2), D.range(2)], D.range(3))
D.choose_from_datasets([D.range(2), D.range(2)], D.from_tensors(c(-1, tf.int64)))
D.choose_from_datasets([D.range(2), D.range(2)], D.from_tensor_slices([0, 1]))
D.choose_from_datasets([D.range(2), D.range(2)], D.from_tensor_slices(['a']))
D.choose_from_datasets([D.range(2), D.from_tensors('a')], D.range(2))
D.choose_from_datasets([D.range(2), D.range(3)], D.range(2)).cardinality()
D.choose_from_datasets([D.from_tensors('a').repeat(), D.from_tensors('b').repeat(), D.from_tensors('c').repeat()], D.range(3).repeat(2))
tf.data.experimental.choose_from_datasets([D.range(2), D.range(5)], D.range(2).repeat())
D.sample_from_datasets([D.range(5), D.range(10, 15)], seed=1)
D.sample_from_datasets([D.range(5), D.range(10, 15)], weights=[0.5, 0.5], seed=1)
D.sample_from_datasets([D.range(5), D.range(10, 15)], weights=[0.9, 0.1], seed=2)
D.sample_from_datasets([D.range(5), D.range(10, 15)], [0.2, 0.8], seed=1, stop_on_empty_dataset=True)
D.sample_from_datasets([D.range(5), D.range(10, 15)], [1.0, 0.0], seed=1)
D.sample_from_datasets([D.range(5), D.range(10, 15)], [0.0, 1.0], seed=1, stop_on_empty_dataset=True)
D.sample_from_datasets([D.range(3), D.range(10, 13), D.range(20, 23)], [0.2, 0.3, 0.5], seed=3)
D.sample_from_datasets([D.range(3).repeat(), D.range(10, 13).repeat()], seed=5).take(12)
D.sample_from_datasets([D.range(3), D.range(10, 13)], D.from_tensors([0.5, 0.5]).repeat(), seed=5)
D.sample_from_datasets([D.range(3), D.range(10, 13)], c([0.5, 0.5]), seed=5)
D.sample_from_datasets([D.range(3), D.range(10, 13)], c([1, 3], tf.float64), seed=5)
D.sample_from_datasets([D.range(3), D.range(10, 13)], seed=5, rerandomize_each_iteration=True)
[[int(x) for x in d] for d in [D.sample_from_datasets([D.range(3), D.range(10, 13)], seed=5)] for _ in range(2)]
[[int(x) for x in d] for d in [D.sample_from_datasets([D.range(3), D.range(10, 13)], seed=5, rerandomize_each_iteration=True)] for _ in range(2)]
D.sample_from_datasets([D.range(3)], seed=5)
D.sample_from_datasets([], seed=5)
D.sample_from_datasets([D.range(3), D.range(3)], [0.5], seed=5)
D.sample_from_datasets([D.range(3), D.range(3)], [1, 1], seed=5)
D.sample_from_datasets([D.range(3), D.from_tensors('a')], seed=5)
D.sample_from_datasets([D.range(3), D.range(3)], [-1.0, 2.0], seed=5)
D.sample_from_datasets([D.range(3), D.range(3)], seed=1).cardinality()
D.sample_from_datasets([D.range(3), D.range(3).repeat()], seed=1, stop_on_empty_dataset=True).cardinality()
tf.data.experimental.sample_from_datasets([D.range(3), D.range(10, 13)], seed=1)
D.from_tensor_slices([1.0, 2.0, 0.0, 4.0]).map(lambda x: tf.debugging.check_numerics(1.0 / x, 'bad')).ignore_errors()
D.from_tensor_slices([1.0, 2.0, 0.0, 4.0]).map(lambda x: tf.debugging.check_numerics(1.0 / x, 'bad')).ignore_errors(log_warning=True)
D.range(4).map(lambda x: 6 // (x - 2)).ignore_errors()
D.range(4).map(lambda x: 6 // (x - 2)).batch(2).ignore_errors()
D.range(4).map(lambda x: 6 // (x - 2)).ignore_errors().batch(2)
D.range(4).map(lambda x: 6 // (x - 2)).apply(tf.data.experimental.ignore_errors())
D.range(4).ignore_errors(name='calm')
D.range(4).ignore_errors().cardinality()
D.range(5).take(1).get_single_element()
D.from_tensors((1, 'a')).get_single_element()
D.from_tensors({'a': [1, 2]}).get_single_element()
D.range(3).batch(3).get_single_element()
D.range(3).get_single_element()
D.range(0).get_single_element()
D.from_tensors(rc([[1], [2, 3]])).get_single_element()
D.range(1).map(lambda x: 6 // x).get_single_element()
tf.data.experimental.get_single_element(D.range(1))
len(D.range(5))
len(D.range(5).batch(2))
len(D.range(0))
len(D.range(5).repeat())
len(D.range(5).filter(lambda x: True))
bool(D.range(5)), bool(D.range(0)), bool(D.range(3).repeat())
not D.range(0)
D.range(5).element_spec
D.from_tensor_slices(([1], {'a': ['x']})).element_spec
D.from_tensor_slices([[1.5, 2.5]]).batch(2).element_spec
D.from_tensor_slices([[1.5, 2.5]]).batch(2, drop_remainder=True).element_spec
D.from_generator(lambda: [1], tf.int32).element_spec
D.from_tensor_slices(rc([[1, 2], [3]])).batch(2).element_spec
D.from_tensor_slices(sparse).element_spec
D.range(3).window(2).flat_map(lambda w: w.batch(2)).element_spec
D.range(3).map(lambda x: tf.zeros([x])).element_spec
D.range(3).map(lambda x: tf.zeros([x, 2])).padded_batch(2).element_spec
D.range(3).map(lambda x: tf.zeros([x, 2])).padded_batch(2, [None, 4], drop_remainder=True).element_spec
D.range(3).map(lambda x: (x, None)).element_spec
repr(D.range(3)), str(D.range(3))
repr(D.range(3).batch(2).map(lambda x: (x, x)))
repr(D.from_tensors({'a': 1}))
repr(D.from_generator(lambda: [1], tf.int32))
repr(D.zip(D.range(2), D.range(3)))
repr(D.range(3).prefetch(1))
repr(D.range(3).window(2))
[type(d).__name__ for d in (D.range(1), D.from_tensors(1), D.from_tensor_slices([1]), D.range(1).map(abs), D.range(1).batch(1), D.range(1).shuffle(1), D.range(1).repeat())]
[type(d).__name__ for d in (D.range(1).take(1), D.range(1).skip(1), D.range(1).shard(1, 0), D.range(1).filter(lambda x: True), D.range(1).prefetch(1), D.range(1).cache(), D.range(1).concatenate(D.range(1)))]
[type(d).__name__ for d in (D.range(1).enumerate(), D.range(1).window(1), D.range(1).padded_batch(1), D.range(1).unbatch, D.range(1).unique(), D.range(1).ignore_errors(), D.range(1).scan(0, lambda s, x: (s, x)))]
isinstance(D.range(3), tf.data.Dataset)
issubclass(tf.data.TextLineDataset, tf.data.Dataset)
D.range(3) == D.range(3)
hash(D.range(3)) is not None
[isinstance(D.range(3), k) for k in (collections.abc.Iterable, collections.abc.Iterator, collections.abc.Sized)]
D.range(3)[0]
D.range(3) + D.range(3)
3 in D.range(5)
list(reversed(D.range(3)))
D.range(3).no_such_method()
D.range(3).element_specs
next(D.range(3))
[type(x).__name__ for x in D.range(1)]
list(D.range(3).as_numpy_iterator())
list(D.from_tensor_slices(([1, 2], ['a', 'b'])).as_numpy_iterator())
list(D.from_tensor_slices({'a': [1, 2]}).as_numpy_iterator())
list(D.from_tensor_slices(rc([[1, 2], [3]])).as_numpy_iterator())
list(D.from_tensor_slices(sparse).as_numpy_iterator())
list(D.range(5).batch(2).as_numpy_iterator())
list(D.range(2).map(lambda x: (x, None)).as_numpy_iterator())
list(D.range(3).window(2).as_numpy_iterator())
[type(x).__name__ for x in D.from_tensor_slices((1, 2), ).as_numpy_iterator()]
[type(x).__name__ for x in D.from_tensor_slices(['a']).as_numpy_iterator()]
next(D.range(3).as_numpy_iterator())
type(D.range(3).as_numpy_iterator()).__name__
D.range(3).options().deterministic
D.range(3).with_options(tf.data.Options())
D.range(3).with_options(3)
D.range(3).with_options(None)
tf.data.Options() == tf.data.Options()
tf.data.Options().deterministic is None
sorted(n for n in dir(tf.data.Options()) if not n.startswith('_'))
setattr(tf.data.Options(), 'deterministic', 3)
setattr(tf.data.Options(), 'no_such_option', 3)
setattr(tf.data.Options().threading, 'private_threadpool_size', 'a')
setattr(tf.data.Options().experimental_optimization, 'map_fusion', 1)
sorted(n for n in dir(tf.data.ThreadingOptions()) if not n.startswith('_'))
tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))
tf.data.DatasetSpec.from_value(D.range(3))
tf.data.DatasetSpec(tf.TensorSpec([], tf.int64)) == tf.data.DatasetSpec.from_value(D.range(3))
tf.data.DatasetSpec(tf.TensorSpec([], tf.int64)).is_compatible_with(D.range(3))
tf.data.DatasetSpec(tf.TensorSpec([], tf.int32)).is_compatible_with(D.range(3))
tf.data.DatasetSpec(tf.TensorSpec([], tf.int64)).value_type.__name__
tf.type_spec_from_value(D.range(3))
tf.data.experimental.get_structure(D.range(3))
tf.data.experimental.get_structure(iter(D.range(3)))
tf.data.experimental.get_structure(3)
D.range(3).map(lambda x: (x, {'a': x})).batch(2).prefetch(1).element_spec
tf.compat.v1.data.get_output_types(D.range(3).map(lambda x: (x, 1.5)))
tf.compat.v1.data.get_output_shapes(D.range(3).batch(2))

# options_merge
a, b = tf.data.Options(), tf.data.Options()
a.deterministic = False
b.threading.private_threadpool_size = 3
m = a.merge(b)
[m.deterministic, m.threading.private_threadpool_size]

# options_travel
o = tf.data.Options()
o.deterministic = True
o.experimental_optimization.map_fusion = True
d = D.range(3).with_options(o).map(lambda x: x).map(lambda x: x + 1)
[d.options().deterministic, d.options().experimental_optimization.map_fusion, [int(x) for x in d]]

# options_of_two_datasets
o = tf.data.Options()
o.deterministic = False
d = D.zip(D.range(2).with_options(o), D.range(2))
d.options().deterministic

# options_threads
o = tf.data.Options()
o.threading.private_threadpool_size = 2
o.threading.max_intra_op_parallelism = 1
o.autotune.enabled = True
D.range(4).map(lambda x: x * 2, num_parallel_calls=2).with_options(o)

# options_copied
o = tf.data.Options()
d = D.range(2).with_options(o)
o.deterministic = False
d.options().deterministic

# train_and_test
d = D.range(10).shuffle(10, seed=0, reshuffle_each_iteration=False)
is_test = lambda i, x: i % 5 == 0
drop = lambda i, x: x
[[int(x) for x in d.enumerate().filter(is_test).map(drop)], [int(x) for x in d.enumerate().filter(lambda i, x: not is_test(i, x)).map(drop)]]

# usual_training_input
x = np.arange(12, dtype=np.float32).reshape(6, 2)
y = np.array([0, 1, 0, 1, 0, 1])
D.from_tensor_slices((x, y)).shuffle(6, seed=4).batch(4).map(lambda a, b: (a / 10.0, b)).prefetch(tf.data.AUTOTUNE)

# balanced_batches
neg = D.from_tensor_slices([0, 0, 0, 0]).repeat()
pos = D.from_tensor_slices([1]).repeat()
D.sample_from_datasets([neg, pos], [0.5, 0.5], seed=8).batch(4).take(3)

# zip_images_and_labels
images = D.from_tensor_slices(np.arange(8).reshape(2, 2, 2))
labels = D.from_tensor_slices(['cat', 'dog'])
D.zip(images, labels).map(lambda i, l: {'image': i, 'label': l}).batch(2)
"""
