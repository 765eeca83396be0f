"""Pipelines in the hands of functions: loops over them, datasets and iterators as arguments."""

LOOPS = """
# sum_of_a_dataset
@tf.function
def f():
    s = tf.constant(0, tf.int64)
    for x in tf.data.Dataset.range(5):
        s += x
    return s
f()

# dataset_as_argument
@tf.function
def f(ds):
    s = tf.constant(0, tf.int64)
    for x in ds:
        s += x
    return s
[f(D.range(5)), f(D.range(7)), f.experimental_get_tracing_count()]

# dataset_of_another_type_as_argument
@tf.function
def f(ds):
    n = 0
    for x in ds:
        n += 1
    return n
[f(D.range(5)), f(D.from_tensor_slices(['a'])), f(D.range(5).batch(2)), f.experimental_get_tracing_count()]

# dataset_captured
d = D.range(4).map(lambda x: x * 2)
@tf.function
def f():
    s = tf.constant(0, tf.int64)
    for x in d:
        s += x
    return s
[f(), f()]

# loop_break
@tf.function
def f(ds):
    s = tf.constant(0, tf.int64)
    for x in ds:
        if x > 3:
            break
        s += x
    return s
f(D.range(100))

# loop_break_of_an_endless_dataset
@tf.function
def f(ds):
    n = 0
    for x in ds:
        n += 1
        if n == 10:
            break
    return n, x
f(D.range(3).repeat())

# loop_continue
@tf.function
def f(ds):
    s = tf.constant(0, tf.int64)
    for x in ds:
        if x % 2 == 0:
            continue
        s += x
    return s
f(D.range(10))

# loop_return
@tf.function
def f(ds):
    for x in ds:
        if x > 2:
            return x
    return tf.constant(-1, tf.int64)
[f(D.range(10)), f(D.range(2))]

# loop_return_only
@tf.function
def f(ds):
    for x in ds:
        return x
f(D.range(3))

# loop_variable_after
@tf.function
def f(ds):
    x = tf.constant(-1, tf.int64)
    for x in ds:
        pass
    return x
[f(D.range(3)), f(D.range(0))]

# loop_variable_undefined_after
@tf.function
def f(ds):
    for x in ds:
        y = x * 2
    return y
f(D.range(3))

# loop_two_parts
@tf.function
def f(ds):
    s = 0
    for x, y in ds:
        s += x * y
    return s
f(D.from_tensor_slices(([1, 2, 3], [4, 5, 6])))

# loop_dictionary
@tf.function
def f(ds):
    s = 0
    for d in ds:
        s += d['a'] * d['b']
    return s
f(D.from_tensor_slices({'a': [1, 2, 3], 'b': [4, 5, 6]}))

# loop_nested_parts
@tf.function
def f(ds):
    s = 0.0
    for i, (x, d) in ds.enumerate():
        s += tf.cast(i, tf.float32) * x + d['k']
    return s
f(D.from_tensor_slices(([1.0, 2.0], {'k': [3.0, 4.0]})))

# loop_enumerate
@tf.function
def f(ds):
    s = tf.constant(0, tf.int64)
    for i, x in enumerate(ds):
        s += tf.cast(i, tf.int64) * x
    return s
f(D.range(4))

# loop_zip
@tf.function
def f(a, b):
    s = tf.constant(0, tf.int64)
    for x, y in zip(a, b):
        s += x * y
    return s
f(D.range(4), D.range(1, 5))

# loop_tensor_array
@tf.function
def f(ds):
    ta = tf.TensorArray(tf.int64, 0, dynamic_size=True)
    for i, x in ds.enumerate():
        ta = ta.write(tf.cast(i, tf.int32), x * x)
    return ta.stack()
f(D.range(5))

# loop_concat
@tf.function
def f(ds):
    out = tf.zeros([0], tf.int64)
    for x in ds:
        tf.autograph.experimental.set_loop_options(shape_invariants=[(out, tf.TensorShape([None]))])
        out = tf.concat([out, [x]], 0)
    return out
f(D.range(4))

# loop_shape_changes
@tf.function
def f(ds):
    out = tf.zeros([0], tf.int64)
    for x in ds:
        out = tf.concat([out, [x]], 0)
    return out
f(D.range(4))

# loop_dtype_changes
@tf.function
def f(ds):
    s = 0
    for x in ds:
        s += tf.cast(x, tf.float32)
    return s
f(D.range(4))

# loop_python_list
@tf.function
def f(ds):
    out = []
    for x in ds:
        out.append(x)
    return out
f(D.range(4))

# loop_nested
@tf.function
def f(ds):
    s = tf.constant(0, tf.int64)
    for x in ds:
        for y in tf.data.Dataset.range(x):
            s += y
    return s
f(D.range(5))

# loop_same_dataset_nested
@tf.function
def f(ds):
    s = tf.constant(0, tf.int64)
    for x in ds:
        for y in ds:
            s += x * y
    return s
f(D.range(4))

# loop_over_batches
@tf.function
def f(ds):
    s = 0.0
    for x in ds:
        s += tf.reduce_mean(x)
    return s
f(D.range(7).map(lambda x: tf.cast(x, tf.float32)).batch(3))

# loop_over_ragged_rows
@tf.function
def f(ds):
    s = 0
    for r in ds:
        s += tf.reduce_sum(r)
    return s
f(D.from_tensor_slices(tf.ragged.constant([[1, 2], [], [3]])))

# loop_over_ragged_batches
@tf.function
def f(ds):
    n = tf.constant(0, tf.int64)
    for r in ds:
        n += r.nrows()
    return n
f(D.from_tensor_slices(tf.ragged.constant([[1, 2], [], [3]])).batch(2))

# loop_over_sparse
@tf.function
def f(ds):
    s = 0
    for r in ds:
        s += tf.sparse.reduce_sum(r)
    return s
f(D.from_tensor_slices(sparse))

# loop_over_windows
@tf.function
def f(ds):
    s = tf.constant(0, tf.int64)
    for w in ds.window(2):
        for x in w:
            s = s * 2 + x
    return s
f(D.range(5))

# loop_assigns_variables
v = tf.Variable(0, dtype=tf.int64)
@tf.function
def f(ds):
    for x in ds:
        v.assign_add(x)
f(D.range(5))
v

# loop_training_step
w = tf.Variable([0.5, -0.5])
@tf.function
def train(ds):
    loss = 0.0
    for x, y in ds:
        with tf.GradientTape() as tape:
            loss = (tf.reduce_sum(w * x) - y) ** 2
        w.assign_sub(0.1 * tape.gradient(loss, w))
    return loss
[train(D.from_tensor_slices(([[1.0, 2.0], [3.0, 4.0]], [1.0, 2.0]))), w]

# loop_error_inside
@tf.function
def f(ds):
    s = tf.constant(0, tf.int64)
    for x in ds:
        s += tf.constant(6, tf.int64) // x
    return s
f(D.range(3))

# loop_error_of_the_dataset
@tf.function
def f(ds):
    s = tf.constant(0, tf.int64)
    for x in ds:
        s += x
    return s
f(D.range(5).map(lambda x: tf.constant(6, tf.int64) // (x - 2)))

# loop_with_shuffle
@tf.function
def f(ds):
    s = tf.constant(0, tf.int64)
    for x in ds:
        s = s * 10 + x
    return s
f(D.range(5).shuffle(5, seed=1))

# loop_prints
@tf.function
def f(ds):
    n = 0
    for x in ds:
        tf.print(x, output_stream='file://' + folder + '/printed')
        n += 1
    return n
[f(D.range(3)), open(folder + '/printed').read()]

# loop_condition_from_arguments
@tf.function
def f(ds, flag):
    s = tf.constant(0, tf.int64)
    if flag:
        for x in ds:
            s += x
    return s
[f(D.range(4), tf.constant(True)), f(D.range(4), tf.constant(False))]

# while_with_an_iterator
@tf.function
def f(it):
    s = tf.constant(0, tf.int64)
    i = 0
    while i < 3:
        s += next(it)
        i += 1
    return s
it = iter(D.range(10))
[f(it), f(it), next(it)]

# iterator_as_argument
@tf.function
def f(it):
    return it.get_next()
it = iter(D.range(3))
[f(it), f(it), next(it), f.experimental_get_tracing_count()]

# iterator_as_argument_at_the_end
@tf.function
def f(it):
    return it.get_next()
it = iter(D.range(1))
f(it)
f(it)

# iterator_next_at_the_end
@tf.function
def f(it):
    return next(it)
it = iter(D.range(0))
f(it)

# iterator_captured
it = iter(D.range(3))
@tf.function
def f():
    return next(it) * 10
[f(), f(), next(it)]

# iterator_for
@tf.function
def f(it):
    s = tf.constant(0, tf.int64)
    for x in it:
        s += x
    return s
it = iter(D.range(5))
[next(it), f(it), f(it)]

# iterator_for_break
@tf.function
def f(it):
    s = tf.constant(0, tf.int64)
    for x in it:
        s += x
        if x == 2:
            break
    return s
it = iter(D.range(6))
[f(it), next(it), f(it)]

# iterator_optional_in_a_function
@tf.function
def f(it):
    o = it.get_next_as_optional()
    if o.has_value():
        return o.get_value()
    return tf.constant(-1, tf.int64)
it = iter(D.range(2))
[f(it), f(it), f(it)]

# iterator_made_inside
@tf.function
def f():
    it = iter(tf.data.Dataset.range(5))
    return next(it) + next(it)
f()

# optional_as_result
@tf.function
def f(x):
    return tf.experimental.Optional.from_value(x)
f(tf.constant(3)).get_value()

# optional_as_argument
@tf.function
def f(o):
    return o.has_value(), o.get_value()
f(tf.experimental.Optional.from_value(tf.constant(3)))

# dataset_as_result
@tf.function
def f(n):
    return tf.data.Dataset.range(n)
f(tf.constant(3, tf.int64))

# dataset_as_result_of_a_map
@tf.function
def f(ds):
    return ds.map(lambda x: x * 2).batch(2)
f(D.range(5))

# dataset_beside_tensors
@tf.function
def f(ds, x):
    return {'d': ds.map(lambda y: y + x), 'x': x}
r = f(D.range(3), tf.constant(10, tf.int64))
[list(r['d']), r['x']]

# dataset_signature
@tf.function(input_signature=[tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))])
def f(ds):
    return ds.reduce(np.int64(0), lambda s, x: s + x)
[f(D.range(4)), f(D.range(5))]

# dataset_signature_refused
@tf.function(input_signature=[tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))])
def f(ds):
    return ds.reduce(np.int64(0), lambda s, x: s + x)
f(D.from_tensor_slices(['a']))

# iterator_signature
@tf.function(input_signature=[tf.data.IteratorSpec(tf.TensorSpec([], tf.int64))])
def f(it):
    return next(it)
it = iter(D.range(3))
[f(it), f(it)]

# reduce_in_a_function
@tf.function
def f(n):
    return tf.data.Dataset.range(n).reduce(tf.constant(0, tf.int64), lambda s, x: s + x)
[f(tf.constant(5, tf.int64)), f(tf.constant(0, tf.int64))]

# reduce_of_an_argument
@tf.function
def f(ds, start):
    return ds.reduce(start, lambda s, x: s * 2 + x)
f(D.range(4), tf.constant(1, tf.int64))

# map_captures_an_argument
@tf.function
def f(k):
    return tf.data.Dataset.range(3).map(lambda x: x * k).reduce(tf.constant(0, tf.int64), lambda s, x: s + x)
[f(tf.constant(2, tf.int64)), f(tf.constant(3, tf.int64))]

# get_single_element_in_a_function
@tf.function
def f(x):
    return tf.data.Dataset.from_tensor_slices(x).map(lambda v: v * 2).batch(10).get_single_element()
f(tf.constant([1, 2, 3]))

# cardinality_in_a_function
@tf.function
def f(ds):
    return ds.cardinality()
[f(D.range(5)), f(D.range(5).repeat())]

# length_in_a_function
@tf.function
def f(ds):
    return len(ds)
f(D.range(5))

# slices_of_an_argument
@tf.function
def f(x):
    s = tf.constant(0.0)
    for row in tf.data.Dataset.from_tensor_slices(x):
        s = s * 2 + tf.reduce_sum(row)
    return s
f(tf.constant([[1.0, 2.0], [3.0, 4.0]]))

# batch_size_is_a_tensor
@tf.function
def f(n):
    k = 0
    for b in tf.data.Dataset.range(7).batch(n):
        k += 1
    return k
[f(tf.constant(2, tf.int64)), f(tf.constant(3, tf.int64))]

# gradient_through_a_loop
@tf.function
def f(x):
    y = x
    for v in tf.data.Dataset.from_tensor_slices([2.0, 3.0]):
        y = y * v
    return y
x = tf.constant(1.5)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = f(x)
[y, tape.gradient(y, x)]

# no_autograph
@tf.function(autograph=False)
def f(ds):
    for x in ds:
        return x
f(D.range(3))

# dataset_in_a_condition
@tf.function
def f(flag):
    ds = tf.cond(flag, lambda: tf.data.Dataset.range(3), lambda: tf.data.Dataset.range(5))
    return ds.reduce(tf.constant(0, tf.int64), lambda s, x: s + x)
[f(tf.constant(True)), f(tf.constant(False))]

# generator_in_a_function
@tf.function
def f():
    s = tf.constant(0)
    d = tf.data.Dataset.from_generator(lambda: range(4), output_signature=tf.TensorSpec([], tf.int32))
    for x in d:
        s += x
    return s
f()

# py_function_in_a_loop
@tf.function
def f(ds):
    s = tf.constant(0, tf.int64)
    for x in ds:
        s += tf.py_function(lambda v: v * 2, [x], tf.int64)
    return s
f(D.range(4))

# state_of_several_kinds
@tf.function
def f(ds):
    n, total, last, text = 0, 0.0, tf.constant(-1, tf.int64), ''
    for x in ds:
        n += 1
        total += tf.cast(x, tf.float32)
        last = x
        text = tf.strings.join([text, tf.strings.as_string(x)])
    return n, total, last, text
f(D.range(4))

# early_stop_by_flag
@tf.function
def f(ds):
    best, wait = tf.constant(1000, tf.int64), 0
    for x in ds:
        if x < best:
            best = x
            wait = 0
        else:
            wait += 1
        if wait > 2:
            break
    return best, wait
f(D.from_tensor_slices(np.array([5, 4, 6, 7, 3, 8, 9, 10, 1])))
"""
