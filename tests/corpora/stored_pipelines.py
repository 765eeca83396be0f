"""Pipelines whose elements stay on disk: cache, save, load, snapshot.

The form is that of the tables in `pipelines`; `corpora.pipelines.running` runs them.
"""

from __future__ import annotations

from corpora.pipelines.table import entries

STORED = r"""
# cache_runs_its_input_once
runs = []
def f(x):
    runs.append(1)
    return x
d = D.range(3).map(lambda x: tf.py_function(f, [x], tf.int64)).cache(folder + '/c')
[[int(x) for x in d], [int(x) for x in d], len(runs)]

# cache_of_another_pipeline_is_read
[int(x) for x in D.range(3).cache(folder + '/c')]
[int(x) for x in D.range(5).map(lambda x: x * 10).cache(folder + '/c')]

# cache_in_a_folder_that_is_not_there
[int(x) for x in D.range(3).cache(folder + '/not/there')]

# cache_first_round_not_finished
d = D.range(4).cache(folder + '/c')
i = iter(d)
taken = [int(next(i)), int(next(i))]
del i
[taken, [int(x) for x in d], [int(x) for x in d]]

# cache_first_round_goes_on_while_a_second_begins
d = D.range(4).cache(folder + '/c')
i = iter(d)
next(i)
[int(x) for x in d]

# cache_first_round_goes_on_and_another_pipeline_begins
i = iter(D.range(4).cache(folder + '/c'))
next(i)
[int(x) for x in D.range(4).cache(folder + '/c')]

# cache_two_iterators_before_the_first_element
d = D.range(2).cache(folder + '/c')
i, j = iter(d), iter(d)
first = [int(x) for x in i]
[first, [int(x) for x in j]]

# cache_two_iterators_the_second_at_an_element
d = D.range(2).cache(folder + '/c')
i, j = iter(d), iter(d)
next(i)
next(j)

# cache_one_element_short_of_the_end
d = D.range(3).cache(folder + '/c')
i = iter(d)
[next(i) for _ in range(3)]
del i
[int(x) for x in D.range(7).cache(folder + '/c')]

# cache_an_iterator_before_the_file_is_there
d = D.range(3).cache(folder + '/c')
i = iter(d)
[int(x) for x in D.range(5).cache(folder + '/c')]
[int(x) for x in i]

# cache_with_an_error_in_the_first_round
d = D.range(4).map(lambda x: 6 // (x - 2)).cache(folder + '/c')
[d, d]

# cache_with_an_error_that_is_ignored
d = D.range(4).map(lambda x: 6 // (x - 2)).cache(folder + '/c').ignore_errors()
[[int(x) for x in d], [int(x) for x in d]]

# cache_of_nothing
d = D.range(0).cache(folder + '/c')
[[int(x) for x in d], [int(x) for x in d], [int(x) for x in D.range(3).cache(folder + '/c')]]

# cache_of_other_dtypes
[int(x) for x in D.range(3).cache(folder + '/c')]
D.from_tensor_slices(['a', 'b']).cache(folder + '/c')

# cache_of_more_parts
[int(x) for x in D.range(3).cache(folder + '/c')]
D.range(3).enumerate().cache(folder + '/c')

# cache_of_other_shapes
[x.numpy().tolist() for x in D.range(4).batch(2).cache(folder + '/c')]
D.range(4).cache(folder + '/c')

# cache_of_structures
d = D.from_tensor_slices({'n': [1, 2, 3], 't': ['a', 'bc', ''], 'f': [[1.5, 2.], [3., 4.], [5., 6.]]})
d = d.cache(folder + '/c')
[d, d]

# cache_of_ragged_elements
d = D.from_tensor_slices(rc([[1], [2, 3], []])).cache(folder + '/c')
[[x.numpy().tolist() for x in d], [x.numpy().tolist() for x in d], d]

# cache_of_ragged_batches
d = D.from_tensor_slices(rc([[1], [2, 3], []])).batch(2).cache(folder + '/c')
[[x.to_list() for x in d], [x.to_list() for x in d], d]

# cache_of_sparse_elements
d = D.from_tensor_slices(sparse).cache(folder + '/c')
[d, d]

# cache_of_elements_of_other_shapes
d = D.range(4).flat_map(lambda x: D.range(x).batch(3)).cache(folder + '/c')
[d, d]

# cache_of_windows
d = D.range(4).window(2).cache(folder + '/c')
[[int(x) for w in d for x in w]]

# cache_repeated_and_shuffled
D.range(4).cache(folder + '/c').shuffle(4, seed=1).repeat(2)

# cache_counts
c = D.range(7).cache(folder + '/c')
u = D.range(7).filter(lambda x: x > 2).cache(folder + '/d')
[int(c.cardinality()), [int(x) for x in c], int(c.cardinality()), [int(x) for x in u], int(u.cardinality())]

# cache_of_a_shorter_pipeline_counts
[int(x) for x in D.range(3).cache(folder + '/c')]
int(D.range(5).cache(folder + '/c').cardinality())

# cache_without_an_end
d = D.range(3).repeat().cache(folder + '/c')
[[int(x) for x in d.take(5)], [int(x) for x in d.take(2)]]

# cache_in_two_places
d = D.range(3).cache(folder + '/c').map(lambda x: x + 1).cache(folder + '/d')
[[int(x) for x in d], [int(x) for x in d], [int(x) for x in D.range(9).cache(folder + '/d')]]

# cache_of_a_path_as_a_tensor
D.range(3).cache(c(folder + '/c'))

# cache_of_a_number
D.range(3).cache(3)

# cache_of_two_paths
D.range(3).cache([folder + '/c', folder + '/d'])

# cache_of_a_path_object
import pathlib
D.range(3).cache(pathlib.Path(folder) / 'c')

# cache_named
D.range(3).cache(filename=folder + '/c', name='held')

# cache_taken_from
d = D.range(5).cache(folder + '/c')
[[int(x) for x in d.take(2)], [int(x) for x in d], [int(x) for x in d.take(2)]]

# save_returns
D.range(4).save(folder + '/s')

# save_twice
D.range(4).save(folder + '/s')
D.range(6).save(folder + '/s')
[int(x) for x in D.load(folder + '/s')]

# save_twice_of_other_types
D.range(4).save(folder + '/s')
D.from_tensor_slices(['a', 'b']).save(folder + '/s')
D.load(folder + '/s')

# save_nothing
D.range(0).save(folder + '/s')
D.load(folder + '/s')

# save_in_a_folder_that_is_not_there
D.range(3).save(folder + '/not/there')
D.load(folder + '/not/there')

# save_where_a_file_is
D.range(3).save(folder + '/a.txt')

# save_with_shards
D.range(7).save(folder + '/s', shard_func=lambda x: x % 3)
D.load(folder + '/s')

# save_with_one_constant_shard
D.range(4).save(folder + '/s', shard_func=lambda x: np.int64(0))
D.load(folder + '/s')

# save_with_int32_shards
D.range(4).save(folder + '/s', shard_func=lambda x: tf.cast(x % 2, tf.int32))
D.load(folder + '/s')

# save_with_negative_shards
D.range(4).save(folder + '/s', shard_func=lambda x: x - 2)
D.load(folder + '/s')

# save_with_shards_of_a_float
D.range(4).save(folder + '/s', shard_func=lambda x: 0.5)

# save_with_shards_of_a_vector
D.range(4).save(folder + '/s', shard_func=lambda x: [x, x])

# save_with_shards_of_structures
d = D.from_tensor_slices({'m': [0, 1, 1, 0]})
d.save(folder + '/s', shard_func=lambda e: tf.cast(e['m'], tf.int64))
D.load(folder + '/s')

# save_with_shards_of_pairs
d = D.from_tensor_slices(([1, 2, 3, 4], [0, 1, 1, 0]))
d.save(folder + '/s', shard_func=lambda a, b: tf.cast(b, tf.int64))
D.load(folder + '/s')

# save_compressed
D.range(4).save(folder + '/s', compression='GZIP')
D.load(folder + '/s', compression='GZIP')

# save_compressed_loaded_without
D.range(4).save(folder + '/s', compression='GZIP')
D.load(folder + '/s')

# save_plain_loaded_as_compressed
D.range(4).save(folder + '/s')
D.load(folder + '/s', compression='GZIP')

# save_with_none
D.range(4).save(folder + '/s', compression='NONE')
D.load(folder + '/s', compression='NONE')

# save_with_snappy
D.range(4).save(folder + '/s', compression='SNAPPY')
D.load(folder + '/s', compression='SNAPPY')

# save_with_auto
D.range(4).save(folder + '/s', compression='AUTO')
D.load(folder + '/s', compression='AUTO')

# save_with_another_compression
D.range(4).save(folder + '/s', compression='LZ4')

# load_with_another_compression
D.range(4).save(folder + '/s')
D.load(folder + '/s', compression='LZ4')

# load_what_is_not_there
D.load(folder + '/none')

# load_what_is_not_there_with_a_spec
D.load(folder + '/none', tf.TensorSpec([], tf.int64))

# load_an_empty_folder
import os
os.mkdir(folder + '/s')
D.load(folder + '/s')

# load_an_empty_folder_with_a_spec
import os
os.mkdir(folder + '/s')
D.load(folder + '/s', tf.TensorSpec([], tf.int64))

# load_a_file
D.load(folder + '/a.txt')

# load_with_a_spec
D.range(4).save(folder + '/s')
D.load(folder + '/s', tf.TensorSpec([], tf.int64))

# load_with_a_spec_of_another_dtype
D.range(4).save(folder + '/s')
D.load(folder + '/s', tf.TensorSpec([], tf.int32))

# load_with_a_spec_of_another_shape
D.range(4).save(folder + '/s')
D.load(folder + '/s', tf.TensorSpec([2], tf.int64))

# load_with_a_wider_spec
D.range(4).batch(2).save(folder + '/s')
D.load(folder + '/s', tf.TensorSpec(None, tf.int64))

# load_with_a_narrower_spec
D.range(4).batch(2).save(folder + '/s')
D.load(folder + '/s', tf.TensorSpec([2], tf.int64))

# load_with_a_spec_of_more_parts
D.range(4).save(folder + '/s')
D.load(folder + '/s', (tf.TensorSpec([], tf.int64), tf.TensorSpec([], tf.int64)))

# load_with_another_structure
D.range(4).save(folder + '/s')
D.load(folder + '/s', {'a': tf.TensorSpec([], tf.int64)})

# load_with_a_spec_that_is_none
D.range(4).save(folder + '/s')
D.load(folder + '/s', 'int64')

# load_counts
D.range(4).save(folder + '/s')
D.range(4).filter(lambda x: x > 1).save(folder + '/t')
[int(D.load(folder + '/s').cardinality()), int(D.load(folder + '/t').cardinality())]

# load_counts_shards
D.range(4).save(folder + '/s', shard_func=lambda x: x % 2)
int(D.load(folder + '/s').cardinality())

# load_shards_one_after_another
D.range(7).save(folder + '/s', shard_func=lambda x: x % 3)
D.load(folder + '/s', reader_func=lambda shards: shards.flat_map(lambda x: x))

# load_shards_in_turn
D.range(7).save(folder + '/s', shard_func=lambda x: x % 3)
D.load(folder + '/s', reader_func=lambda shards: shards.interleave(lambda x: x, cycle_length=3))

# load_one_shard
D.range(7).save(folder + '/s', shard_func=lambda x: x % 3)
D.load(folder + '/s', reader_func=lambda shards: shards.take(1).flat_map(lambda x: x))

# load_counts_its_shards
D.range(7).save(folder + '/s', shard_func=lambda x: x % 3)
D.load(folder + '/s', reader_func=lambda shards: shards.map(lambda s: s.reduce(c(0, tf.int64), lambda a, b: a + 1)))

# load_shards_that_are_no_datasets
D.range(7).save(folder + '/s')
D.load(folder + '/s', reader_func=lambda shards: c(3))

# load_with_a_reader_of_another_type
D.range(4).save(folder + '/s')
D.load(folder + '/s', reader_func=lambda shards: shards.flat_map(lambda x: x).map(str))

# load_a_shuffled_reader
D.range(6).save(folder + '/s', shard_func=lambda x: x % 3)
D.load(folder + '/s', reader_func=lambda shards: shards.flat_map(lambda x: x).shuffle(6, seed=2))

# load_changes_when_it_is_saved_again
D.range(2).save(folder + '/s')
d = D.load(folder + '/s')
first = [int(x) for x in d]
D.range(5).save(folder + '/s')
[first, [int(x) for x in d]]

# load_batches_and_maps
D.range(5).save(folder + '/s')
D.load(folder + '/s').map(lambda x: x * 2).batch(2)

# load_structures
D.from_tensor_slices((({'a': [1, 2]}, ['x', 'y']), [[1., 2.], [3., 4.]])).save(folder + '/s')
D.load(folder + '/s')

# load_named_tuples
D.from_tensor_slices(Point([1, 2], ['x', 'y'])).save(folder + '/s')
D.load(folder + '/s')

# load_nested_structures
D.from_tensor_slices(([1, 2], {'b': (['x', 'y'], [True, False])})).save(folder + '/s')
D.load(folder + '/s')

# load_ragged_elements
D.from_tensor_slices(rc([[1], [2, 3], []])).save(folder + '/s')
d = D.load(folder + '/s')
[repr(d.element_spec), [x.numpy().tolist() for x in d]]

# load_ragged_batches
D.from_tensor_slices(rc([[1], [2, 3], []])).batch(2).save(folder + '/s')
D.load(folder + '/s')

# load_sparse_elements
D.from_tensor_slices(sparse).save(folder + '/s')
D.load(folder + '/s')

# load_strings_of_other_shapes
D.from_tensor_slices(['a b', 'c', '']).map(lambda s: tf.strings.split(s)).save(folder + '/s')
d = D.load(folder + '/s')
[repr(d.element_spec), [x.numpy().tolist() for x in d]]

# load_dtypes
d = D.from_tensors((c(1.5, tf.float16), c(2.5, tf.bfloat16), c(1j), c(True), c(3, tf.uint8), c(-1, tf.int8)))
d.save(folder + '/s')
D.load(folder + '/s')

# load_none
D.from_tensors((c(1), None)).save(folder + '/s')
D.load(folder + '/s')

# load_no_parts
D.from_tensors(()).save(folder + '/s')
D.load(folder + '/s')

# load_windows
D.range(4).window(2).save(folder + '/s')

# load_with_a_path_object
import pathlib
D.range(4).save(str(pathlib.Path(folder) / 's'))
D.load(pathlib.Path(folder) / 's')

# save_with_a_path_object
import pathlib
D.range(4).save(pathlib.Path(folder) / 's')

# save_with_a_tensor
D.range(4).save(c(folder + '/s'))
D.load(c(folder + '/s'))

# save_with_checkpoints
step = tf.Variable(0, trainable=False)
arguments = {'checkpoint_interval': 2, 'step_counter': step, 'directory': folder + '/p', 'max_to_keep': 3}
D.range(5).save(folder + '/s', checkpoint_args=arguments)
[[int(x) for x in D.load(folder + '/s')], int(step)]

# save_with_a_checkpoint_of_its_own
step = tf.Variable(0, trainable=False)
arguments = {'checkpoint_interval': 2, 'step_counter': step, 'directory': folder + '/p', 'checkpoint': None}
D.range(5).save(folder + '/s', checkpoint_args=arguments)

# save_inside_a_function
@tf.function
def f():
    D.range(4).save(folder + '/s')
f()
D.load(folder + '/s')

# load_inside_a_function
D.range(4).save(folder + '/s')
@tf.function
def f():
    total = c(0, tf.int64)
    for x in D.load(folder + '/s', tf.TensorSpec([], tf.int64)):
        total += x
    return total
f()

# load_inside_a_function_without_a_spec
D.range(4).save(folder + '/s')
@tf.function
def f():
    return D.load(folder + '/s').reduce(c(0, tf.int64), lambda a, b: a + b)
f()

# snapshot
D.range(4).snapshot(folder + '/s')

# snapshot_of_a_shard_function
D.range(4).snapshot(folder + '/s', shard_func=lambda x: x % 2)

# snapshot_runs_its_input_once
runs = []
def f(x):
    runs.append(1)
    return x
d = D.range(3).map(lambda x: tf.py_function(f, [x], tf.int64)).snapshot(folder + '/s')
[[int(x) for x in d], [int(x) for x in d], len(runs)]

# snapshot_of_an_equal_pipeline
a = D.range(4).map(lambda x: x * 2).snapshot(folder + '/s')
b = D.range(4).map(lambda x: x * 2).snapshot(folder + '/s')
import os
[[int(x) for x in a], [int(x) for x in b], len([n for n in os.listdir(folder + '/s') if '.' not in n]) <= 2]

# snapshot_of_another_pipeline
a = D.range(4).snapshot(folder + '/s')
b = D.range(5).snapshot(folder + '/s')
[[int(x) for x in a], [int(x) for x in b], [int(x) for x in a]]

# snapshot_of_another_function
a = D.range(4).map(lambda x: x + 1).snapshot(folder + '/s')
b = D.range(4).map(lambda x: x + 2).snapshot(folder + '/s')
[[int(x) for x in a], [int(x) for x in b]]

# snapshot_of_another_captured_value
a = D.range(4).map(lambda x, k=c(1, tf.int64): x + k).snapshot(folder + '/s')
b = D.range(4).map(lambda x, k=c(2, tf.int64): x + k).snapshot(folder + '/s')
[[int(x) for x in a], [int(x) for x in b]]

# snapshot_first_round_not_finished
d = D.range(4).snapshot(folder + '/s')
i = iter(d)
taken = [int(next(i)), int(next(i))]
del i
[taken, [int(x) for x in d], [int(x) for x in d]]

# snapshot_while_it_is_written
d = D.range(4).snapshot(folder + '/s')
i = iter(d)
taken = [int(next(i))]
[taken, [int(x) for x in d], [int(x) for x in i], [int(x) for x in d]]

# snapshot_with_an_error
d = D.range(4).map(lambda x: 6 // (x - 2)).snapshot(folder + '/s')
[d, d]

# snapshot_with_shards
d = D.range(7).snapshot(folder + '/s', shard_func=lambda x: x % 3)
[d, d]

# snapshot_with_a_reader
d = D.range(7).snapshot(folder + '/s', shard_func=lambda x: x % 3, reader_func=lambda shards: shards.flat_map(lambda x: x))
[d, d]

# snapshot_with_a_reader_alone
d = D.range(7).snapshot(folder + '/s', reader_func=lambda shards: shards.interleave(lambda x: x, cycle_length=2))
[d, d]

# snapshot_with_another_shard_function
a = D.range(4).snapshot(folder + '/s', shard_func=lambda x: x % 2)
b = D.range(4).snapshot(folder + '/s', shard_func=lambda x: c(0, tf.int64), reader_func=lambda shards: shards.flat_map(lambda x: x))
[[int(x) for x in a], [int(x) for x in b]]

# snapshot_with_shards_of_a_float
D.range(4).snapshot(folder + '/s', shard_func=lambda x: 0.5)

# snapshot_with_int32_shards
D.range(4).snapshot(folder + '/s', shard_func=lambda x: tf.cast(x, tf.int32))

# snapshot_with_negative_shards
d = D.range(4).snapshot(folder + '/s', shard_func=lambda x: x - 2, reader_func=lambda shards: shards.flat_map(lambda x: x))
[d, d]

# snapshot_plain
d = D.range(4).snapshot(folder + '/s', compression=None)
[d, d]

# snapshot_gzip
d = D.range(4).snapshot(folder + '/s', compression='GZIP')
[d, d]

# snapshot_snappy
d = D.range(4).snapshot(folder + '/s', compression='SNAPPY')
[d, d]

# snapshot_none
d = D.range(4).snapshot(folder + '/s', compression='NONE')
[d, d]

# snapshot_with_another_compression
d = D.range(4).snapshot(folder + '/s', compression='LZ4')
[d, d]

# snapshot_with_two_compressions
a = D.range(4).snapshot(folder + '/s', compression='GZIP')
b = D.range(4).snapshot(folder + '/s', compression=None)
[[int(x) for x in a], [int(x) for x in b], [int(x) for x in a]]

# snapshot_of_structures
d = D.from_tensor_slices({'n': [1, 2, 3], 't': ['a', 'bc', '']}).snapshot(folder + '/s')
[d, d]

# snapshot_of_ragged_elements
d = D.from_tensor_slices(rc([[1], [2, 3], []])).snapshot(folder + '/s')
[[x.numpy().tolist() for x in d], [x.numpy().tolist() for x in d]]

# snapshot_of_sparse_elements
d = D.from_tensor_slices(sparse).snapshot(folder + '/s')
[d, d]

# snapshot_counts
d = D.range(7).snapshot(folder + '/s')
u = D.range(7).filter(lambda x: x > 2).snapshot(folder + '/t')
[int(d.cardinality()), [int(x) for x in d], int(d.cardinality()), int(u.cardinality())]

# snapshot_of_nothing
d = D.range(0).snapshot(folder + '/s')
[d, d]

# snapshot_of_random_order
d = D.range(8).shuffle(8, seed=3).snapshot(folder + '/s')
[[int(x) for x in d], [int(x) for x in d]]

# snapshot_shuffled_behind
D.range(4).snapshot(folder + '/s').shuffle(4, seed=1).repeat(2)

# snapshot_repeated
D.range(4).snapshot(folder + '/s').repeat(2)

# snapshot_where_a_file_is
next(iter(D.range(3).snapshot(folder + '/a.txt')))

# snapshot_applied
d = D.range(4).apply(tf.data.experimental.snapshot(folder + '/s'))
[d, d]

# snapshot_applied_with_shards
d = D.range(6).apply(tf.data.experimental.snapshot(folder + '/s', None, lambda shards: shards.flat_map(lambda x: x), lambda x: x % 2))
[d, d]

# snapshot_named
D.range(4).snapshot(folder + '/s', name='held')

# snapshot_inside_a_function
@tf.function
def f():
    return D.range(4).snapshot(folder + '/s').reduce(c(0, tf.int64), lambda a, b: a + b)
[int(f()), int(f())]

# former_save_and_load
tf.data.experimental.save(D.range(4), folder + '/s')
tf.data.experimental.load(folder + '/s')

# former_save_and_load_with_arguments
tf.data.experimental.save(D.range(6), folder + '/s', 'GZIP', lambda x: x % 2)
tf.data.experimental.load(folder + '/s', tf.TensorSpec([], tf.int64), 'GZIP', lambda shards: shards.flat_map(lambda x: x))
"""

#: The sources of the pipelines, by name.
PIPELINES: dict[str, str] = dict(entries(STORED))
