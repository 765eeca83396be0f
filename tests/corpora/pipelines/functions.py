"""Functions over elements: map, filter, flat_map, interleave, scan, reduce, take_while."""

FUNCTIONS = """
D.range(5).map(lambda x: x * 2)
D.range(3).map(lambda x: (x, x + 1))
D.range(3).map(lambda x: [x, x + 1])
D.range(3).map(lambda x: {'a': x, 'b': tf.cast(x, tf.float32)})
D.range(3).map(lambda x: {'a': (x, [x, x])})
D.range(2).map(lambda x: 7)
D.range(2).map(lambda x: 'text')
D.range(2).map(lambda x: 1.5)
D.range(2).map(lambda x: np.arange(3))
D.range(2).map(lambda x: (x, 1, 'a', True))
D.range(2).map(lambda x: None)
D.range(2).map(lambda x: (x, None))
D.range(2).map(lambda x: ())
D.range(2).map(lambda x: Point(x, x * 2))
D.range(3).map(lambda x: tf.range(x))
D.range(3).map(lambda x: tf.fill([x, 2], x))
D.range(3).map(lambda x: tf.strings.as_string(x))
D.range(3).map(lambda x: tf.strings.join(['n', tf.strings.as_string(x)]))
D.range(2).map(lambda x: rc([[1, 2], [3]]))
D.range(1, 3).map(lambda x: tf.RaggedTensor.from_row_lengths(tf.range(x * 2), [x, x]))
D.range(2).map(lambda x: tf.sparse.from_dense([x, 0, 3]))
D.range(3).map(lambda x: tf.data.Dataset.range(x)).flat_map(lambda d: d)
D.range(2).map(lambda x: tf.data.Dataset.range(x)).element_spec
D.range(3).map(lambda x: x, num_parallel_calls=2)
D.range(3).map(lambda x: x + 1, num_parallel_calls=tf.data.AUTOTUNE)
D.range(3).map(lambda x: x + 1, num_parallel_calls=2, deterministic=True)
D.range(3).map(lambda x: x + 1, deterministic=False)
D.range(3).map(lambda x: x, name='same')
D.range(4).map(tf.square)
D.range(4).map(lambda x: tf.cast(x, tf.float32) / 3)
D.range(4).map(tf.function(lambda x: x * 3))
D.range(4).map(abs)
D.range(4).map(str)
D.range(4).map(float)
D.range(4).map(lambda x: -x).map(lambda x: x * x).map(lambda x: x + 1)
D.from_tensor_slices([[1, 2], [3, 4]]).map(tf.reduce_sum)
D.from_tensor_slices([[1, 2], [3, 4]]).map(lambda x: x[::-1])
D.from_tensor_slices([[1, 2], [3, 4]]).map(tf.unstack)
D.from_tensor_slices([[1, 2], [3, 4]]).map(lambda x: tuple(tf.unstack(x)))
D.from_tensor_slices(([1, 2], [3, 4])).map(lambda x, y: x + y)
D.from_tensor_slices(([1, 2], [3, 4])).map(lambda *xs: sum(xs))
D.from_tensor_slices(([1, 2], [3, 4])).map(lambda x, y: (y, x))
D.from_tensor_slices(([1, 2], ([3, 4], [5, 6]))).map(lambda x, p: x + p[0] * p[1])
D.from_tensor_slices({'a': [1, 2], 'b': [3, 4]}).map(lambda d: d['a'] + d['b'])
D.from_tensor_slices({'a': [1, 2], 'b': [3, 4]}).map(lambda d: {**d, 'c': d['a'] * 2})
D.from_tensor_slices({'a': [1, 2], 'b': [3, 4]}).map(lambda d: (d, d.pop('b')))
D.from_tensor_slices(({'x': [1, 2]}, [0, 1])).map(lambda d, y: (d['x'], y))
D.from_tensor_slices(Point([1, 2], [3, 4])).map(lambda p: p.x + p.y)
D.from_tensor_slices(Point([1, 2], [3, 4])).map(lambda x, y: x)
D.from_tensors(()).map(lambda: 3)
D.from_tensors(((1, 2),)).map(lambda p: p[0] + p[1])
D.from_tensors([1, 2]).map(lambda x: x)
D.from_tensor_slices(['1', '22']).map(tf.strings.length)
D.from_tensor_slices(['1', '22']).map(lambda s: tf.strings.to_number(s, tf.int32))
D.from_tensor_slices(['a b', 'c']).map(tf.strings.split)
D.from_tensor_slices(['a b', 'c d e']).map(lambda s: tf.strings.split(s)[-1])
D.from_tensor_slices(['a b', 'c']).flat_map(lambda s: tf.data.Dataset.from_tensor_slices(tf.strings.split(s)))
D.from_tensor_slices(rc([[1, 2], [3]])).map(tf.reduce_sum)
D.from_tensor_slices(rc([[1, 2], [3]])).map(lambda r: r * 2)
D.from_tensor_slices(rc([[[1], [2, 3]], [[4]]])).map(lambda r: r.row_lengths())
D.from_tensor_slices(sparse).map(tf.sparse.to_dense)
D.from_tensor_slices(sparse).map(lambda s: s.values)
D.from_tensor_slices([1.5, 2.5]).map(lambda x: (tf.round(x), tf.cast(x, tf.int32)))
D.range(3).map(lambda x: tf.py_function(lambda v: v.numpy() * 2, [x], tf.int64))
D.range(3).map(lambda x: tf.py_function(lambda v: [v, v + 1], [x], [tf.int64, tf.int64]))
D.range(3).map(lambda x: tf.numpy_function(lambda v: v * 2, [x], tf.int64))
D.range(3).map(lambda x: tf.numpy_function(lambda v: np.arange(v), [x], tf.int64))
D.range(3).map(lambda x: tf.ensure_shape(tf.numpy_function(lambda v: np.full(2, v), [x], tf.int64), [2]))
D.range(3).map(lambda x: tf.numpy_function(lambda v: np.float32(v), [x], tf.int64))
D.range(3).map(lambda x: tf.py_function(lambda v: 1 // 0, [x], tf.int64))
D.range(3).map(lambda x: tf.random.stateless_uniform([], seed=[x, 1]))
D.range(3).map(lambda x: tf.random.stateless_normal([2], seed=[1, x]))
D.range(3).map(lambda x: tf.random.uniform([], seed=5))
D.range(3).map(lambda x: tf.random.uniform([], 0, 100, tf.int32, seed=5))
D.range(3).map(lambda x: tf.random.normal([2], seed=3))
D.range(3).map(lambda x: tf.random.shuffle(tf.range(5), seed=2))
D.range(3).map(lambda x: tf.random.uniform([]))
D.range(4).map(lambda x: tf.cond(x > 1, lambda: x * 10, lambda: x))
D.range(4).map(lambda x: tf.where(x % 2 == 0, x, -x))
D.range(4).map(lambda x: tf.while_loop(lambda i, s: i < x, lambda i, s: (i + 1, s + i), (c(0, tf.int64), c(0, tf.int64)))[1])
D.range(4).map(lambda x: x if x > 1 else -x)
D.range(4).map(lambda x: tf.map_fn(lambda i: i * x, tf.range(3, dtype=tf.int64)))
D.range(3).map(lambda x: tf.one_hot(x, 3))
D.range(3).map(lambda x: tf.gather(c([10, 20, 30]), x))
D.range(3).map(lambda x: c([10, 20])[x])
D.range(4).map(lambda x: c(12, tf.int64) // x)
D.range(4).map(lambda x: tf.debugging.check_numerics(1 / tf.cast(x, tf.float32), 'bad'))
D.range(4).map(lambda x: tf.reshape(tf.range(x), [2]))
D.range(4).map(lambda x: tf.ensure_shape(tf.range(x), [2]))
D.range(1, 4).map(lambda x: tf.linalg.eye(tf.cast(x, tf.int32)))
D.range(3).map(lambda x, y: x)
D.range(3).map(lambda: 1)
D.range(3).map(3)
D.range(3).map(None)
D.range(3).map()
D.range(3).map(lambda x: object())
D.range(3).map(lambda x: {1: x, 2: x})
D.range(3).map(lambda x: [x, 'a'])
D.range(3).map(lambda x: x + 'a')
D.range(3).map(lambda x: x + 1.5)
D.range(3).map(lambda x: x + c(1))
D.range(3).map(lambda x: x.numpy())
D.range(3).map(lambda x: int(x))
D.range(3).map(lambda x: undefined_name)
D.range(3).map(lambda x: x, num_parallel_calls=0)
D.range(3).map(lambda x: x, num_parallel_calls=-2)
D.range(3).map(lambda x: x, num_parallel_calls='a')
D.range(3).map(lambda x: x, num_parallel_call=2)
D.range(3).map(lambda x: x, 2, True)
D.range(3).map(map_func=lambda x: x + 1)
D.range(3).map(lambda x: x, synchronous=True)
D.range(10).filter(lambda x: x % 2 == 0)
D.range(10).filter(lambda x: x > 20)
D.range(10).filter(lambda x: True)
D.range(10).filter(lambda x: False)
D.range(4).filter(lambda x: x < 2 or x > 2)
D.range(4).filter(lambda x: not x == 2)
D.range(10).filter(lambda x: tf.logical_and(x > 2, x < 6))
D.range(10).filter(lambda x: 2 < x < 6)
D.range(3).filter(lambda x: x)
D.range(3).filter(lambda x: [x > 1])
D.range(3).filter(lambda x: (x > 1, x > 1))
D.range(3).filter(lambda x: 'a')
D.range(3).filter(lambda x: None)
D.range(3).filter(lambda x: 1)
D.range(3).filter(True)
D.range(3).filter(predicate=lambda x: x > 0)
D.range(3).filter(lambda x: x > 0, name='positive')
D.from_tensor_slices(([1, 2, 3], ['a', 'b', 'c'])).filter(lambda n, s: n != 2)
D.from_tensor_slices({'a': [1, 2, 3]}).filter(lambda d: d['a'] > 1)
D.from_tensor_slices(['a', 'bb', 'c']).filter(lambda s: tf.strings.length(s) == 1)
D.from_tensor_slices(['a', 'bb', 'c']).filter(lambda s: s == 'bb')
D.from_tensor_slices([[1, 2], [3, 4]]).filter(lambda x: tf.reduce_all(x > 2))
D.from_tensor_slices([[1, 2], [3, 4]]).filter(lambda x: x > 2)
D.from_tensor_slices(rc([[1, 2], [], [3]])).filter(lambda r: tf.size(r) > 0)
D.range(4).filter(lambda x: tf.constant(6, tf.int64) // x > 2)
D.range(10).map(lambda x: x * x).filter(lambda x: x % 3 == 1).map(lambda x: -x)
D.range(10).filter(lambda x: x > 2).filter(lambda x: x < 8).filter(lambda x: x != 5)
D.range(20).filter(lambda x: tf.random.uniform([], seed=1) < 0.5)
D.range(4).flat_map(lambda x: tf.data.Dataset.range(x))
D.range(3).flat_map(lambda x: tf.data.Dataset.from_tensors(x).repeat(x))
D.from_tensor_slices([[1, 2], [3, 4]]).flat_map(lambda x: tf.data.Dataset.from_tensor_slices(x))
D.from_tensor_slices([[1, 2], [3, 4]]).flat_map(D.from_tensor_slices)
D.from_tensor_slices(rc([[1, 2], [], [3]])).flat_map(D.from_tensor_slices)
D.from_tensor_slices(([1, 2], [2, 1])).flat_map(lambda x, n: tf.data.Dataset.from_tensors(x).repeat(tf.cast(n, tf.int64)))
D.range(3).flat_map(lambda x: tf.data.Dataset.zip(tf.data.Dataset.range(x), tf.data.Dataset.range(10, 20)))
D.range(3).flat_map(lambda x: x)
D.range(3).flat_map(lambda x: [x])
D.range(3).flat_map(lambda x: tf.data.Dataset.range(x), name='flat')
D.range(0).flat_map(lambda x: tf.data.Dataset.range(3))
D.range(3).flat_map(lambda x: tf.data.Dataset.range(0))
D.range(3).flat_map(lambda x: tf.data.Dataset.range(x).map(lambda y: x * 10 + y))
D.range(3).flat_map(lambda x: tf.data.Dataset.range(2).flat_map(lambda y: tf.data.Dataset.from_tensors((x, y)).repeat(2)))
D.range(3).flat_map(lambda x: tf.data.Dataset.range(x).batch(2))
D.range(2).flat_map(lambda x: tf.data.Dataset.range(3).map(lambda y: 6 // (y - x)))
D.range(1, 5).interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(3), cycle_length=2, block_length=2)
D.range(1, 5).interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(3), cycle_length=2)
D.range(1, 6).interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(6), cycle_length=2, block_length=4)
D.range(1, 6).interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(x), cycle_length=3)
D.range(1, 6).interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(x), cycle_length=3, block_length=2)
D.range(4).interleave(lambda x: tf.data.Dataset.range(x), cycle_length=1)
D.range(4).interleave(lambda x: tf.data.Dataset.range(x), cycle_length=10)
D.range(4).interleave(lambda x: tf.data.Dataset.range(x), cycle_length=4, block_length=3)
D.range(4).interleave(lambda x: tf.data.Dataset.range(x * 10, x * 10 + 3), cycle_length=2, num_parallel_calls=2)
D.range(4).interleave(lambda x: tf.data.Dataset.range(x * 10, x * 10 + 3), cycle_length=2, block_length=2, num_parallel_calls=2, deterministic=True)
D.range(4).interleave(lambda x: tf.data.Dataset.range(x * 10, x * 10 + 3), cycle_length=4, num_parallel_calls=tf.data.AUTOTUNE)
D.range(3).interleave(lambda x: tf.data.Dataset.range(x, x + 2)).cardinality()
D.range(0).interleave(lambda x: tf.data.Dataset.range(3), cycle_length=2)
D.range(3).interleave(lambda x: tf.data.Dataset.range(0), cycle_length=2)
D.range(3).interleave(lambda x: tf.data.Dataset.range(3), cycle_length=0)
D.range(3).interleave(lambda x: tf.data.Dataset.range(3), cycle_length=-2)
D.range(3).interleave(lambda x: tf.data.Dataset.range(3), cycle_length=2, block_length=0)
D.range(3).interleave(lambda x: x, cycle_length=2)
D.range(3).interleave(lambda x: tf.data.Dataset.range(3), cycle_length=2, num_parallel_calls=0)
D.range(3).interleave(lambda x: tf.data.Dataset.range(3), cycle_length=2, num_parallel_calls=3)
D.range(3).interleave(lambda x: tf.data.Dataset.range(3), cycle_length=2, name='inter')
D.from_tensor_slices(['a', 'b']).interleave(lambda s: tf.data.Dataset.range(2).map(lambda i: tf.strings.join([s, tf.strings.as_string(i)])), cycle_length=2)
D.range(3).interleave(lambda x: tf.data.Dataset.from_generator(lambda n: range(n), args=(x,), output_signature=tf.TensorSpec([], tf.int64)), cycle_length=2)
D.range(3).interleave(lambda x: tf.data.Dataset.range(3).map(lambda y: 6 // (y - x)), cycle_length=2)
D.range(6).scan(np.int64(0), lambda s, x: (s + x, s))
D.range(5).scan(c(1, tf.int64), lambda s, x: (s * 2, (s, x)))
D.range(4).scan((c(0, tf.int64), c(1, tf.int64)), lambda s, _: ((s[1], s[0] + s[1]), s[0]))
D.range(3).scan({'n': c(0, tf.int64)}, lambda s, x: ({'n': s['n'] + x}, {'total': s['n']}))
D.range(3).scan(0, lambda s, x: (s + 1, s))
D.range(3).scan(0.5, lambda s, x: (s * 2, s))
D.range(3).scan(0, lambda s, x: s)
D.range(3).scan(0, lambda s, x: (s + 1.5, s))
D.range(3).scan(initial_state=c([0], tf.int64), scan_func=lambda s, x: (tf.concat([s, [x]], 0), s))
D.range(3).scan('', lambda s, x: (s + 'a', s))
D.range(0).scan(0, lambda s, x: (s, s))
D.range(3).scan(0, lambda s: (s, s))
D.range(3).apply(tf.data.experimental.scan(np.int64(0), lambda s, x: (s + x, s + x)))
D.range(5).reduce(np.int64(0), lambda s, x: s + x)
D.range(5).reduce(0, lambda s, _: s + 1)
D.range(5).reduce((np.int64(0), 0), lambda s, x: (s[0] + x, s[1] + 1))
D.range(5).reduce({'sum': np.int64(0)}, lambda s, x: {'sum': s['sum'] + x})
D.range(0).reduce(7, lambda s, x: s)
D.range(3).reduce('', lambda s, x: s + tf.strings.as_string(x))
D.range(3).reduce(c([], tf.int64), lambda s, x: tf.concat([s, [x]], 0))
D.range(3).reduce(0, lambda s, x: x)
D.range(3).reduce(0, lambda s, x: s + 1.5)
D.range(3).reduce(0.0, lambda s, x: s + tf.cast(x, tf.float32))
D.range(3).reduce(0, lambda s: s)
D.range(3).reduce((0, 0), lambda s, x: s[0])
D.range(3).reduce(np.int64(1), lambda s, x: s // x)
D.range(3).reduce(None, lambda s, x: s)
D.from_tensor_slices(([1, 2], [3, 4])).reduce(0, lambda s, x, y: s + x * y)
D.from_tensor_slices(([1, 2], [3, 4])).reduce(0, lambda s, p: s + p[0])
D.range(10).reduce(np.int64(0), lambda s, x: s + x if x % 2 == 0 else s)
D.range(3).reduce(rc([[1]]), lambda s, x: s * 2)
D.range(10).take_while(lambda x: x < 5)
D.range(10).take_while(lambda x: x > 5)
D.range(3).take_while(lambda x: True)
D.range(10).take_while(lambda x: x % 4 != 3).repeat(2)
D.range(10).take_while(lambda x: x)
D.range(10).take_while(lambda x: (x < 3, True))
D.from_tensor_slices(([1, 2, 3], 'abc'.__class__('abc') and ['a', 'b', 'c'])).take_while(lambda n, s: s != 'c')
D.range(10).apply(tf.data.experimental.take_while(lambda x: x < 2))
D.range(5).take_while(lambda x: c(4, tf.int64) // (2 - x) > 0)

# map_captures
scale = tf.constant(3, tf.int64)
D.range(3).map(lambda x: x * scale)

# map_captures_a_variable
v = tf.Variable(10, dtype=tf.int64)
d = D.range(3).map(lambda x: x + v)
v.assign(20)
d

# map_changes_a_variable
v = tf.Variable(0, dtype=tf.int64)
d = D.range(4).map(lambda x: v.assign_add(x))
[[int(x) for x in d], int(v)]

# map_captures_python
names = ['a', 'b', 'c']
D.range(3).map(lambda x: tf.constant(names)[x])

# map_captures_a_table
keys = tf.constant(['a', 'b'])
table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, [1, 2]), -1)
D.from_tensor_slices(['b', 'x', 'a']).map(table.lookup)

# map_makes_a_table
def f(x):
    keys, values = c([0, 1], tf.int64), tf.range(5, 7, dtype=tf.int64)
    initializer = tf.lookup.KeyValueTensorInitializer(keys, values * 2)
    return tf.lookup.StaticHashTable(initializer, c(-1, tf.int64)).lookup(x)
D.range(3).map(f)

# map_makes_tables_of_other_kinds
def f(x):
    keys = tf.lookup.KeyValueTensorInitializer([c(7, tf.int64), c(1, tf.int64)], c([0, 1], tf.int64))
    dense = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, c(-1, tf.int64), c(-2, tf.int64), c(-3, tf.int64))
    return tf.lookup.StaticVocabularyTable(keys, 2).lookup(x), dense.lookup(x)
D.range(3).map(f)

# map_makes_a_table_in_a_branch
def f(x):
    if x > 0:
        keys = tf.lookup.KeyValueTensorInitializer(c([0, 1], tf.int64), c([5, 6], tf.int64))
        x = tf.lookup.StaticHashTable(keys, -1).lookup(x)
    return x
D.range(3).map(f)

# map_makes_a_variable
D.range(2).map(lambda x: tf.Variable(1))

# functions_that_make_variables
def one():
    return tf.cast(tf.Variable(1), tf.int64)
zero = c(0, tf.int64)
programs = [
    lambda: D.range(2).map(lambda x: x + one()),
    lambda: D.range(2).filter(lambda x: tf.Variable(True)),
    lambda: D.range(2).flat_map(lambda x: D.from_tensors(tf.Variable(1))),
    lambda: D.range(2).reduce(zero, lambda s, x: s + one()),
    lambda: D.range(2).scan(zero, lambda s, x: (s + one(), x)),
    lambda: D.range(2).group_by_window(lambda x: one(), lambda k, d: d.batch(2), 2),
    lambda: D.range(2).map(lambda x: tf.random.Generator.from_seed(1).uniform([])),
]
def refusal(program):
    try:
        return program() is None
    except ValueError as error:
        return 'only supports singleton tf.Variables created on the first call' in str(error)
[refusal(program) for program in programs]

# map_makes_a_variable_once
made = []
def f(x):
    if not made:
        made.append(tf.Variable(tf.ones([2], tf.int64) * c(3, tf.int64)))
    return x + made[0]
D.range(3).map(f)

# map_captures_a_ragged_tensor
r = tf.ragged.constant([[1, 2], [], [3]])
D.range(3).map(lambda i: r[i])

# map_if
def f(x):
    if x > 2:
        y = x * 10
    elif x == 1:
        y = -x
    else:
        y = x
    return y
D.range(5).map(f)

# map_while
def collatz(x):
    n = tf.constant(0)
    while x > 1:
        x = x // 2 if x % 2 == 0 else 3 * x + 1
        n += 1
    return n
D.range(1, 8).map(collatz)

# map_for
def total(x):
    s = tf.constant(0, tf.int64)
    for i in tf.range(x):
        if i == 3:
            break
        s += i
    return s
D.range(6).map(total)

# map_early_return
def f(x):
    if x % 2 == 0:
        return x
    return -x
D.range(4).map(f)

# map_if_other_dtypes
def f(x):
    if x > 1:
        return 1.0
    return 2
D.range(3).map(f)

# map_if_one_branch
def f(x):
    if x > 1:
        y = x
    return y
D.range(3).map(f)

# map_traces_once
traces = []
def f(x):
    traces.append(1)
    return x + 1
d = D.range(3).map(f)
[[int(x) for x in d], [int(x) for x in d], len(traces)]

# map_prints_nothing_to_python
seen = []
d = D.range(3).map(lambda x: (seen.append(type(x).__name__), x)[1])
[[int(x) for x in d], seen]

# map_asserts
def f(x):
    tf.debugging.assert_less(x, c(2, tf.int64), message='too large')
    return x
D.range(4).map(f)

# map_python_assert
def f(x):
    assert x < 2, 'too large'
    return x
D.range(4).map(f)

# map_raises_while_traced
def f(x):
    raise ValueError('no')
D.range(4).map(f)

# map_partial
def power(base, x):
    return base ** x
D.range(4).map(functools.partial(power, c(2, tf.int64)))

# map_method
class Scaler:
    def __init__(self, k):
        self.k = k
    def apply(self, x):
        return x * self.k
D.range(3).map(Scaler(4).apply)

# map_callable_object
class Adder:
    def __call__(self, x):
        return x + 1
D.range(3).map(Adder())

# map_signature_with_defaults
def f(x, y=5):
    return x + y
D.range(3).map(f)

# map_features_and_label
def split(row):
    return {'size': row[0], 'age': row[1]}, row[2]
D.from_tensor_slices(np.arange(9.0).reshape(3, 3)).map(split).batch(2)

# map_py_function_strings
def upper(s):
    return s.numpy().decode().upper()
D.from_tensor_slices(['a', 'bc']).map(lambda s: tf.py_function(upper, [s], tf.string))

# map_py_function_raises
def f(x):
    if x == 2:
        raise ValueError('two is bad')
    return x
D.range(4).map(lambda x: tf.py_function(f, [x], tf.int64))

# map_numpy_function_raises
def f(x):
    if x == 1:
        raise IndexError('one is bad')
    return x
D.range(3).map(lambda x: tf.numpy_function(f, [x], tf.int64))

# map_numpy_function_two_results
def f(x):
    return x * 2, np.float32(x) / 2
D.range(3).map(lambda x: tf.numpy_function(f, [x], (tf.int64, tf.float32)))

# map_image_like
def prepare(image, label):
    image = tf.cast(image, tf.float32) / 255.0
    image = tf.image.resize(image, [2, 2])
    return image, tf.one_hot(label, 3)
images = np.arange(2 * 4 * 4).reshape(2, 4, 4, 1).astype(np.uint8)
D.from_tensor_slices((images, [0, 2])).map(prepare).batch(2)

# map_text
def clean(s):
    s = tf.strings.lower(s)
    s = tf.strings.regex_replace(s, '[^a-z ]', '')
    return tf.strings.split(s, ' ')
D.from_tensor_slices(['Hello, World', 'A b! c']).map(clean)

# map_nested_pipeline_reduced
def f(n):
    return tf.data.Dataset.range(n).reduce(tf.constant(0, tf.int64), lambda s, x: s + x)
D.range(5).map(f)

# map_nested_loop
def f(n):
    s = tf.constant(0, tf.int64)
    for x in tf.data.Dataset.range(n):
        s += x
    return s
D.range(5).map(f)

# filter_then_batch
def keep(x):
    if x < 2:
        return True
    return x % 3 == 0
D.range(10).filter(keep).batch(2)

# flat_map_windows
def lines(n):
    return tf.data.Dataset.from_tensors(n).repeat(n).enumerate()
D.range(4).flat_map(lines)

# interleave_named_function
def source(i):
    return tf.data.Dataset.from_tensor_slices(tf.range(i, i + 3))
D.range(0, 30, 10, output_type=tf.int32).interleave(source, cycle_length=3)

# scan_running_mean
def step(state, x):
    total, n = state
    x = tf.cast(x, tf.float32)
    return (total + x, n + 1), (total + x) / (n + 1)
D.range(4).scan((0.0, 0.0), step)

# scan_autograph
def step(best, x):
    if x > best:
        best = x
    return best, best
D.from_tensor_slices([3, 1, 4, 1, 5]).scan(0, step)

# reduce_autograph
def step(state, x):
    if x % 2 == 0:
        state += x
    return state
D.range(6).reduce(tf.constant(0, tf.int64), step)

# reduce_dictionary_of_counts
def step(counts, x):
    return {k: v + tf.cast(x % 2 == i, tf.int32) for i, (k, v) in enumerate(counts.items())}
D.range(7).reduce({'even': 0, 'odd': 0}, step)
"""
