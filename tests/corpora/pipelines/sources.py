"""Where elements come from: ranges, tensors, arrays, nested structures, generators, random numbers."""

SOURCES = """
D.range(5)
D.range(0)
D.range(2, 5)
D.range(1, 10, 3)
D.range(10, 1, -3)
D.range(5, 1)
D.range(1, 5, -1)
D.range(-3, 3)
D.range(5, output_type=tf.int32)
D.range(3, output_type=tf.float32)
D.range(2, output_type=tf.float64)
D.range(0, 6, 2, output_type=tf.int32)
D.range(tf.constant(4))
D.range(c(4, tf.int64))
D.range(c(1, tf.int64), c(4, tf.int64))
D.range(np.int64(3))
D.range(3, name='three')
D.range(2**40, 2**40 + 3)
D.range(-5)
D.range(True)
D.from_tensors(1)
D.from_tensors(1.5)
D.from_tensors('text')
D.from_tensors(True)
D.from_tensors([1, 2, 3])
D.from_tensors([[1, 2], [3, 4]])
D.from_tensors(())
D.from_tensors({})
D.from_tensors([])
D.from_tensors((1, 2))
D.from_tensors(([1, 2], 'A'))
D.from_tensors({'a': [1, 2], 'b': 3.0})
D.from_tensors({'b': 1, 'a': (2, {'c': 3})})
D.from_tensors((1, (2, (3, 4)), {'a': 5}))
D.from_tensors(np.arange(6).reshape(2, 3))
D.from_tensors(np.float16(1.5))
D.from_tensors(c(1 + 2j))
D.from_tensors(tf.cast(1.5, tf.bfloat16))
D.from_tensors(c(7, tf.uint8))
D.from_tensors(rc([[1, 2], [3]]))
D.from_tensors(sparse)
D.from_tensors((rc([[1], []]), 5))
D.from_tensors(Point(1, [2.0, 3.0]))
D.from_tensors(tf.Variable(3))
D.from_tensors(None)
D.from_tensors((1, None))
D.from_tensors(tf.zeros([0, 3]))
D.from_tensors(D.range(3)).flat_map(lambda d: d)
D.from_tensors(D.range(3)).element_spec
D.from_tensors(1, name='one')
D.from_tensor_slices([1, 2, 3])
D.from_tensor_slices([1.0, 2.0])
D.from_tensor_slices(['a', 'bc', ''])
D.from_tensor_slices([True, False])
D.from_tensor_slices([[1, 2], [3, 4], [5, 6]])
D.from_tensor_slices(np.array([1, 2, 3], np.uint8))
D.from_tensor_slices(np.zeros([2, 0]))
D.from_tensor_slices(np.zeros([0, 2]))
D.from_tensor_slices(np.array(['a', 'bc']))
D.from_tensor_slices(np.array([b'a', b'b'], object))
D.from_tensor_slices(np.arange(24).reshape(2, 3, 4)[:, ::2, ::-1])
D.from_tensor_slices(np.array([1.5, 2.5], np.float16))
D.from_tensor_slices(np.array([1 + 1j, 2], np.complex64))
D.from_tensor_slices(tf.range(4))
D.from_tensor_slices(c([[1.5], [2.5]], tf.bfloat16))
D.from_tensor_slices([])
D.from_tensor_slices(([1, 2], [3, 4]))
D.from_tensor_slices(([1, 2], ['a', 'b'], [[1.0], [2.0]]))
D.from_tensor_slices({'a': [1, 2], 'b': [3, 4]})
D.from_tensor_slices({'b': [1, 2], 'a': ([3, 4], [5, 6])})
D.from_tensor_slices(({'x': [1, 2], 'y': ['a', 'b']}, [0, 1]))
D.from_tensor_slices(([1, 2], {'a': [3, 4]}, ([5, 6],)))
D.from_tensor_slices(Point([1, 2], [3.0, 4.0]))
D.from_tensor_slices(rc([[1, 2], [], [3]]))
D.from_tensor_slices(rc([[[1], [2, 3]], [[4]]]))
D.from_tensor_slices((rc([[1.5], [2.5, 3.5]]), [10, 20]))
D.from_tensor_slices(rc([['a'], ['b', 'c']]))
D.from_tensor_slices(sparse)
D.from_tensor_slices({'s': sparse, 'n': [1, 2, 3]})
D.from_tensor_slices(tf.Variable([1, 2]))
D.from_tensor_slices((([1, 2],), [3, 4]))
D.from_tensor_slices(tuple())
D.from_tensor_slices([np.array([1, 2]), np.array([3, 4])])
D.from_tensor_slices([c(1), c(2)])
D.from_tensor_slices(([[1, 2], [3, 4]], [5, 6])).map(lambda x, y: x * y)
D.from_tensor_slices(dict(zip('ab', np.arange(4).reshape(2, 2))))
D.from_tensor_slices([1, 2], name='slices')
D.from_tensor_slices(tf.data.Dataset)
D.from_tensor_slices(5)
D.from_tensor_slices(([1, 2], [3]))
D.from_tensor_slices({'a': [1], 'b': 2})
D.from_tensor_slices(None)
D.from_tensor_slices([[1, 2], [3]])
D.from_tensor_slices(object())
D.from_tensors(object())
D.from_tensors([1, 'a'])
D.from_generator(lambda: iter([1, 2, 3]), tf.int32)
D.from_generator(lambda: range(3), output_signature=tf.TensorSpec([], tf.int64))
D.from_generator(lambda: range(3), output_types=tf.float32)
D.from_generator(lambda: iter([]), output_signature=tf.TensorSpec([], tf.int32))
D.from_generator(lambda: [1, 2], output_signature=tf.TensorSpec([], tf.int32))
D.from_generator(lambda: ((i, [i] * i) for i in range(3)), output_signature=(tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.int32)))
D.from_generator(lambda: ((i, i + 0.5) for i in range(2)), (tf.int32, tf.float32))
D.from_generator(lambda: ((i, [i]) for i in range(2)), (tf.int32, tf.int64), (tf.TensorShape([]), tf.TensorShape([1])))
D.from_generator(lambda: ({'a': i, 'b': str(i)} for i in range(2)), {'a': tf.int32, 'b': tf.string})
D.from_generator(lambda: ({'a': i} for i in range(2)), output_signature={'a': tf.TensorSpec([], tf.int32)})
D.from_generator(lambda n: range(n), args=(3,), output_signature=tf.TensorSpec([], tf.int32))
D.from_generator(lambda a, b: [a, b], args=(np.ones(2), np.zeros(2)), output_signature=tf.TensorSpec([2], tf.float64))
D.from_generator(lambda s: [s, type(s).__name__], args=('text',), output_signature=tf.TensorSpec([], tf.string))
D.from_generator(lambda: (np.arange(i) for i in range(3)), output_signature=tf.TensorSpec([None], tf.int64))
D.from_generator(lambda: (tf.constant(i) for i in range(3)), output_signature=tf.TensorSpec([], tf.int32))
D.from_generator(lambda: iter('abc'), output_signature=tf.TensorSpec([], tf.string))
D.from_generator(lambda: (b'x' * i for i in range(3)), tf.string)
D.from_generator(lambda: iter([rc([[1], [2, 3]])]), output_signature=tf.RaggedTensorSpec([2, None], tf.int32))
D.from_generator(lambda: iter([sparse]), output_signature=tf.SparseTensorSpec([3, 4], tf.int32))
D.from_generator(lambda: iter([True, False]), tf.bool)
D.from_generator(lambda: iter([(1, 2), (3, 4)]), tf.int32)
D.from_generator(lambda: iter([1, 'a']), output_signature=tf.TensorSpec([], tf.int32))
D.from_generator(lambda: iter([[1], [1, 2]]), output_signature=tf.TensorSpec([1], tf.int32))
D.from_generator(lambda: iter([1.5]), output_signature=tf.TensorSpec([], tf.int32))
D.from_generator(lambda: iter([(1, 2)]), output_signature=(tf.TensorSpec([], tf.int32),))
D.from_generator(lambda: iter([{'b': 1}]), output_signature={'a': tf.TensorSpec([], tf.int32)})
D.from_generator(lambda: (1 // (2 - i) for i in range(4)), output_signature=tf.TensorSpec([], tf.int32))
D.from_generator([1, 2, 3], tf.int32)
D.from_generator(lambda: 5, output_signature=tf.TensorSpec([], tf.int32))
D.from_generator(lambda: [1])
D.from_generator(lambda: [1], tf.int32, output_signature=tf.TensorSpec([], tf.int32))
D.from_generator(lambda: [1], output_shapes=[], output_signature=tf.TensorSpec([], tf.int32))
D.from_generator(lambda: [1], output_signature=tf.int32)
D.from_generator(lambda: range(3), output_signature=tf.TensorSpec([], tf.int32)).repeat(2).batch(4)
[list(d.as_numpy_iterator()) for d in [D.from_generator(lambda: range(3), tf.int64)] for _ in range(2)]
D.random(seed=4).take(5)
D.random(seed=4, rerandomize_each_iteration=True).take(3)
D.random(seed=0).take(3)
D.random().take(3).element_spec
D.random(seed=1)
[[int(v) for v in d] for d in [D.random(seed=4).take(2)] for _ in range(2)]
D.random(seed=7).map(lambda x: x % 10).take(6)
D.random(seed=[1]).take(1)
D.counter().take(3)
D.counter(5, 2).take(3)
D.counter(start=0.5, step=0.25, dtype=tf.float32).take(3)
D.counter(3, -1).take(5)
D.counter(1, dtype=tf.int32).cardinality()
tf.data.experimental.Counter(2).take(2)
tf.data.experimental.RandomDataset(seed=3).take(2)
tf.data.experimental.from_list([1, 2, 3])
tf.data.experimental.from_list([(1, 'a'), (2, 'b')])
tf.data.experimental.from_list([{'a': 1, 'b': [1.0]}, {'a': 2, 'b': [2.0]}])
tf.data.experimental.from_list([])
tf.data.experimental.from_list([1, 'a'])
D(c(1))
D()
D.range()
D.range(1, 2, 0)
D.range('a')
D.range(1.5)
D.range(1, 2, 3, 4)
D.range(3, output_type=tf.string)
D.range([1, 2])
D.range(3, output_types=tf.int32)

# generator_closes
log = []
def gen():
    try:
        yield from range(5)
    finally:
        log.append('closed')
d = D.from_generator(gen, output_signature=tf.TensorSpec([], tf.int64)).take(2)
[int(x) for x in d]

# generator_restarts
starts = []
def gen():
    starts.append(1)
    yield len(starts)
d = D.from_generator(gen, output_signature=tf.TensorSpec([], tf.int32))
[[int(x) for x in d], [int(x) for x in d], len(starts)]

# generator_of_rows
def rows():
    for i in range(3):
        yield {'x': np.full([i + 1], i, np.float32), 'label': i % 2}
spec = {'x': tf.TensorSpec([None], tf.float32), 'label': tf.TensorSpec([], tf.int32)}
D.from_generator(rows, output_signature=spec).padded_batch(2)

# generator_method
class Reader:
    def __init__(self, n):
        self.n = n
    def __call__(self):
        for i in range(self.n):
            yield i, f'item {i}'
D.from_generator(Reader(3), output_signature=(tf.TensorSpec((), tf.int32), tf.TensorSpec((), tf.string)))

# generator_raises
def gen():
    yield 1
    raise KeyError('lost')
D.from_generator(gen, output_signature=tf.TensorSpec([], tf.int32))

# generator_stops_inside
def gen():
    yield 1
    return
    yield 2
D.from_generator(gen, tf.int32).repeat(2)

# slices_of_a_frame
frame = {'age': np.array([31, 25]), 'name': np.array(['Ann', 'Bob']), 'score': np.array([0.5, 1.5])}
label = frame.pop('score')
D.from_tensor_slices((frame, label)).batch(2)

# slices_do_not_follow_the_array
a = np.arange(4)
d = D.from_tensor_slices(a)
a[:] = 9
d

# variable_slices_are_read_once
v = tf.Variable([1, 2])
d = D.from_tensor_slices(v)
v.assign([5, 6])
d

# attrs_structure
Row = collections.namedtuple('Row', ['key', 'value'])
D.from_tensor_slices([1, 2]).map(lambda x: Row(x, {'twice': x * 2}))
"""
