"""Iterators and Optional, errors in the middle of an iteration, and files."""

ITERATORS = """
type(iter(D.range(3))).__name__
isinstance(iter(D.range(3)), tf.data.Iterator)
iter(D.range(3)).element_spec
iter(D.range(3)).get_next()
iter(D.from_tensor_slices(([1, 2], ['a', 'b']))).get_next()
iter(D.from_tensor_slices({'a': [1, 2]})).get_next()
iter(D.range(0)).get_next()
next(iter(D.range(0)))
next(iter(D.range(0)), 'nothing')
iter(D.range(3)).next()
D.range(3).as_numpy_iterator().next()
D.range(3).as_numpy_iterator().restore(3)
[tf.is_tensor(x) for x in (D.range(1), iter(D.range(1)), tf.experimental.Optional.from_value(1))]
next(iter(D.from_tensor_slices(rc([[1, 2], [3]]))))
iter(D.range(3)).get_next_as_optional()
iter(D.range(3)).get_next_as_optional().get_value()
iter(D.range(0)).get_next_as_optional().has_value()
iter(D.range(0)).get_next_as_optional().get_value()
iter(D.range(0)).get_next_as_optional().element_spec
iter(D.range(3))._type_spec
tf.data.IteratorSpec(tf.TensorSpec([], tf.int64))
tf.data.IteratorSpec(tf.TensorSpec([], tf.int64)).is_compatible_with(iter(D.range(3)))
tf.data.experimental.get_next_as_optional(iter(D.range(3))).get_value()
tf.experimental.Optional.from_value(c(3)).get_value()
tf.experimental.Optional.from_value((c(3), 'a')).element_spec
tf.experimental.Optional.from_value({'a': 1}).get_value()
tf.experimental.Optional.from_value(c(3)).has_value()
tf.experimental.Optional.empty(tf.TensorSpec([], tf.int32)).has_value()
tf.experimental.Optional.empty(tf.TensorSpec([], tf.int32)).get_value()
tf.experimental.Optional.empty(tf.TensorSpec([], tf.int32)).element_spec
tf.experimental.Optional.from_value(3).value_structure
tf.experimental.Optional.from_value(rc([[1], [2, 3]])).get_value()
repr(tf.experimental.Optional.from_value(3)).split(' ')[0]
repr(iter(D.range(3))).split(' ')[0]
len(iter(D.range(3)))
iter(iter(D.range(3))) is not None
list(iter(D.range(3)))
list(zip(D.range(3), D.range(3)))
list(enumerate(D.range(2)))
[int(x) for x, _ in zip(D.range(5).repeat(), range(7))]
sum(D.range(5))
max(D.range(5))
sorted(int(x) for x in D.range(5).shuffle(5))
dict((int(a), b.numpy()) for a, b in D.from_tensor_slices(([1, 2], ['a', 'b'])))
[*D.range(3)]
tuple(D.range(2))
np.array(list(D.range(3).as_numpy_iterator()))
tf.stack(list(D.range(3)))
tf.nest.map_structure(lambda x: x + 1, list(D.range(2)))

# numpy_iterator_saved
iterator = D.range(10).shuffle(4, seed=1).batch(2).as_numpy_iterator()
first = next(iterator)
position = iterator.save()
rest = list(iterator)
iterator.restore(position)
(first, rest, list(iterator))

# iterator_goes_on
it = iter(D.range(5))
[int(next(it)), int(it.get_next()), int(next(it)), int(it.get_next_as_optional().get_value())]

# iterator_at_the_end
it = iter(D.range(1))
ends = [int(next(it))]
for _ in range(3):
    try:
        next(it)
    except StopIteration:
        ends.append('stop')
ends

# get_next_at_the_end
it = iter(D.range(1))
ends = [int(it.get_next())]
for _ in range(2):
    try:
        it.get_next()
    except tf.errors.OutOfRangeError:
        ends.append('end')
ends

# optionals_to_the_end
it = iter(D.range(2))
[bool(it.get_next_as_optional().has_value()) for _ in range(4)]

# iterator_for_loop_twice
it = iter(D.range(5))
first = [int(x) for x, _ in zip(it, range(2))]
[first, [int(x) for x in it], [int(x) for x in it]]

# two_iterators
d = D.range(4)
a, b = iter(d), iter(d)
[int(next(a)), int(next(a)), int(next(b))]

# errors_and_what_follows
it = iter(D.range(5).map(lambda x: c(6, tf.int64) // (x - 2)))
got = []
for _ in range(7):
    try:
        got.append(int(next(it)))
    except StopIteration:
        got.append('stop')
    except tf.errors.InvalidArgumentError:
        got.append('bad')
got

# errors_in_batches
it = iter(D.range(7).map(lambda x: c(6, tf.int64) // (x - 3)).batch(2))
got = []
for _ in range(6):
    try:
        got.append(next(it).numpy().tolist())
    except StopIteration:
        got.append('stop')
    except tf.errors.InvalidArgumentError:
        got.append('bad')
got

# errors_in_optionals
it = iter(D.range(3).map(lambda x: c(6, tf.int64) // x))
got = []
for _ in range(4):
    try:
        o = it.get_next_as_optional()
        got.append(bool(o.has_value()))
    except tf.errors.InvalidArgumentError:
        got.append('bad')
got

# errors_in_generators
def gen():
    yield 1
    raise ValueError('broken')
it = iter(D.from_generator(gen, output_signature=tf.TensorSpec([], tf.int32)))
got = []
for _ in range(4):
    try:
        got.append(int(next(it)))
    except StopIteration:
        got.append('stop')
    except tf.errors.OpError as error:
        got.append(type(error).__name__)
got

# errors_after_shuffle
it = iter(D.range(5).map(lambda x: c(6, tf.int64) // (x - 2)).shuffle(2, seed=1))
got = []
for _ in range(7):
    try:
        got.append(int(next(it)))
    except StopIteration:
        got.append('stop')
    except tf.errors.InvalidArgumentError:
        got.append('bad')
got

# errors_then_repeat
it = iter(D.range(2).map(lambda x: c(6, tf.int64) // x).repeat(2))
got = []
for _ in range(6):
    try:
        got.append(int(next(it)))
    except StopIteration:
        got.append('stop')
    except tf.errors.InvalidArgumentError:
        got.append('bad')
got

# iterator_save_restore
import os
it = iter(D.range(10).shuffle(5, seed=1).batch(2))
point = tf.train.Checkpoint(it=it)
first = next(it).numpy().tolist()
path = point.save(os.path.join(folder, 'point'))
second = next(it).numpy().tolist()
third = next(it).numpy().tolist()
point.restore(path)
[first, second, third, next(it).numpy().tolist(), next(it).numpy().tolist()]

# numpy_iterator_goes_on
it = D.range(4).as_numpy_iterator()
[next(it), next(it), list(it), list(it)]

# mutated_numpy_does_not_come_back
d = D.from_tensors([1, 2])
a = next(d.as_numpy_iterator())
try:
    a[0] = 9
except ValueError:
    pass
d

# iteration_in_a_comprehension
d = D.from_tensor_slices(([1, 2, 3], [4.0, 5.0, 6.0]))
{int(k): float(v) for k, v in d}
"""

FILES = """
D.list_files(folder + '/*.txt', shuffle=False).map(lambda p: tf.strings.split(p, '/')[-1])
D.list_files([folder + '/b.txt', folder + '/a.txt'], shuffle=False).map(lambda p: tf.strings.split(p, '/')[-1])
D.list_files(folder + '/none*')
D.list_files(folder + '/*.txt', seed=1).map(lambda p: tf.strings.split(p, '/')[-1])
D.list_files(folder + '/*.txt').cardinality()
tf.data.TextLineDataset(folder + '/a.txt')
tf.data.TextLineDataset([folder + '/a.txt', folder + '/b.txt'])
tf.data.TextLineDataset(folder + '/empty.txt')
tf.data.TextLineDataset(folder + '/none.txt')
tf.data.TextLineDataset(D.from_tensors(folder + '/a.txt'))
tf.data.TextLineDataset(folder + '/c.txt.gz', compression_type='GZIP')
tf.data.TextLineDataset(folder + '/a.txt', compression_type='GZIP')
tf.data.TextLineDataset(folder + '/a.txt', compression_type='BAD')
tf.data.TextLineDataset(folder + '/a.txt', buffer_size=2)
tf.data.TextLineDataset([folder + '/a.txt', folder + '/b.txt'], num_parallel_reads=2)
tf.data.TextLineDataset(3)
tf.data.TextLineDataset(folder + '/a.txt').skip(1).map(tf.strings.length)
tf.data.TextLineDataset(folder + '/a.txt').cardinality()
tf.data.FixedLengthRecordDataset(folder + '/bytes', 3)
tf.data.FixedLengthRecordDataset(folder + '/bytes', 2, header_bytes=1, footer_bytes=2)
tf.data.FixedLengthRecordDataset(folder + '/bytes', 4)
tf.data.FixedLengthRecordDataset(folder + '/bytes', 0)
D.range(3).map(lambda x: x, num_parallel_calls=2).apply(tf.data.experimental.assert_cardinality(3)).cache(folder + '/c')
tf.data.experimental.CsvDataset(folder + '/t.csv', [tf.int32, tf.float32, tf.string], header=True)
tf.data.experimental.CsvDataset(folder + '/t.csv', [0, 1.5, 'none'], header=True, select_cols=[0, 1, 2])
tf.data.experimental.CsvDataset(folder + '/t.csv', [tf.int32], select_cols=[0])
D.list_files(folder + '/*.txt', shuffle=False).flat_map(tf.data.TextLineDataset)
D.list_files(folder + '/[ab].txt', shuffle=False).interleave(tf.data.TextLineDataset, cycle_length=2)

# records_written_and_read
with tf.io.TFRecordWriter(folder + '/r') as writer:
    for i in range(3):
        writer.write(b'record %d' % i)
tf.data.TFRecordDataset(folder + '/r')

# records_of_several_files
for name in 'xy':
    with tf.io.TFRecordWriter(f'{folder}/{name}') as writer:
        for i in range(2):
            writer.write(f'{name}{i}'.encode())
[tf.data.TFRecordDataset([folder + '/x', folder + '/y']), tf.data.TFRecordDataset(folder + '/none')]

# records_truncated
with tf.io.TFRecordWriter(folder + '/r') as writer:
    for i in range(3):
        writer.write(b'record %d' % i)
data = open(folder + '/r', 'rb').read()
open(folder + '/r', 'wb').write(data[:-5])
tf.data.TFRecordDataset(folder + '/r')

# records_with_a_bad_checksum
with tf.io.TFRecordWriter(folder + '/r') as writer:
    for i in range(3):
        writer.write(b'record %d' % i)
data = bytearray(open(folder + '/r', 'rb').read())
data[38] ^= 1
open(folder + '/r', 'wb').write(data)
tf.data.TFRecordDataset(folder + '/r')

# records_of_examples
def example(i):
    feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[i, i + 1]))
    return tf.train.Example(features=tf.train.Features(feature={'n': feature}))
with tf.io.TFRecordWriter(folder + '/r') as writer:
    for i in range(3):
        writer.write(example(i).SerializeToString())
parse = lambda s: tf.io.parse_single_example(s, {'n': tf.io.FixedLenFeature([2], tf.int64)})
tf.data.TFRecordDataset(folder + '/r').map(parse).batch(2)

# save_and_load
D.range(4).save(folder + '/saved')
D.load(folder + '/saved')

# save_and_load_structures
D.from_tensor_slices({'a': [1, 2], 'b': ['x', 'y']}).save(folder + '/saved', compression='GZIP')
D.load(folder + '/saved', compression='GZIP')

# snapshot_twice
d = D.range(4).snapshot(folder + '/snapshot')
[[int(x) for x in d], [int(x) for x in d]]
"""
