"""Programs of control flow whose outcomes TensorFlow recorded.

`tools/record_control_goldens.py` runs them there, `tests/control/` here: expressions of `tf`,
`np` and `c` (a constant) eagerly and as the body of a function, gradients, printed lines.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

EXPRESSIONS = """
tf.cond(c(True), lambda: c(1), lambda: c(2))
tf.cond(c(False), lambda: 1, lambda: 2)
tf.cond(c(True), lambda: (None, c(1)), lambda: (None, c(2)))
tf.cond(c(True), lambda: None, lambda: None)
tf.cond(c(True), lambda: None, lambda: c(2))
tf.cond(c(True), lambda: [c(1)], lambda: [c(2)])
tf.cond(c(True), lambda: {'b': c(1), 'a': (c(2), 3.5)}, lambda: {'a': (c(4), 5.5), 'b': c(6)})
tf.cond(c(True), lambda: 'a', lambda: 'bc')
tf.cond(c(True), lambda: tf.ones([2, 3]), lambda: tf.zeros([4, 3]))
tf.cond(c(False), lambda: tf.ones([2, 3]), lambda: tf.zeros([4]))
tf.cond(c(False), lambda: tf.cond(c(True), lambda: c(1), lambda: c(2)), lambda: c(3))
tf.cond(c(True), 1, lambda: 2)
tf.cond(c(True), lambda: 1, None)
tf.cond(c(True), lambda: c(1), lambda: c(2.0))
tf.cond(c(True), lambda: [c(1), c(2)], lambda: (c(2), c(3)))
tf.cond(c(True), lambda: {'a': c(1)}, lambda: {'b': c(2)})
tf.cond(c(True), lambda: tf.Variable(1.0, name='v') and c(1), lambda: c(1))
tf.cond(c(True), lambda: tf.TensorArray(tf.float32, 2).write(0, 1.0), lambda: tf.TensorArray(tf.float32, 2).write(1, 2.0)).stack()
tf.case([(c(True), lambda: c(1)), (c(False), lambda: c(2))])
tf.case([(c(False), lambda: c(1)), (c(True), lambda: c(2))], default=lambda: c(3))
tf.case([(c(False), lambda: c(1)), (c(False), lambda: c(2))], default=lambda: c(3))
tf.case([(c(False), lambda: c(1)), (c(False), lambda: c(2))])
tf.case([(c(False), lambda: c(1)), (c(False), lambda: c(2))], default=3)
tf.case([], default=lambda: 1)
tf.case([(c(True), lambda: c(1)), (c(True), lambda: c(2))], exclusive=True)
tf.case([(c(False), lambda: c(1)), (c(True), lambda: c(2))], exclusive=True)
tf.case([(c(False), lambda: c(1)), (c(False), lambda: c(2))], default=lambda: c(3), exclusive=True)
tf.case([(c(True), lambda: c(1)), (c(True), lambda: c(2))], default=lambda: c(3), exclusive=True)
tf.case([c(True)])
tf.case(3)
tf.case([(True, lambda: 1)])
tf.switch_case(c(1), [lambda: c(1), lambda: c(2)])
tf.switch_case(c(5), [lambda: c(1), lambda: c(2)])
tf.switch_case(c(-1), [lambda: c(1), lambda: c(2)])
tf.switch_case(c(-1), [lambda: c(1), lambda: c(2)], default=lambda: c(9))
tf.switch_case(c(0), {1: lambda: c(1), 0: lambda: c(2)})
tf.switch_case(c(0), {1: lambda: c(1), 3: lambda: c(2)})
tf.switch_case(c(0), [(1, lambda: c(1)), (0, lambda: c(2))])
tf.switch_case(c(0.0), [lambda: c(1)])
tf.switch_case(c(1, tf.int64), [lambda: c(1), lambda: c(3)])
tf.switch_case(c(0), [])
tf.switch_case(c(1), [lambda: tf.ones([2]), lambda: tf.ones([3]), lambda: tf.ones([3])])
tf.while_loop(lambda i: i < 10, lambda i: (i * 2,), (c(1),))
tf.while_loop(lambda i: i < 10, lambda i: (i + 3,), [c(1)])
tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2.0), (0, 1.0))
tf.while_loop(lambda i, x: i < 3, lambda i, x: [i + 1, x * 2], (c(0), c([1, 2])))
tf.while_loop(lambda i, d: i < 3, lambda i, d: (i + 1, {'a': d['a'] * 2, 'b': d['b'] + d['a']}), (0, {'a': 1, 'b': 2}))
tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, tf.concat([x, x], 0)), (c(0), c([1])), shape_invariants=(tf.TensorShape([]), tf.TensorShape([None])))
tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, tf.concat([x, x], 0)), (c(0), c([1])), shape_invariants=(None, tf.TensorShape(None)))
tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, tf.concat([x, x], 0)), (c(0), c([1])), shape_invariants=(tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.int32)))
tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x), (c(0), c([1])), shape_invariants=(tf.TensorShape([]),))
tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x, x), (c(0), c([1])))
tf.while_loop(lambda i: False, lambda i: (i + 1,), (c(1),))
tf.while_loop(lambda i: i < 10, lambda i: (i + 1,), (c(1),), maximum_iterations=4)
tf.while_loop(lambda i, j: i < 10, lambda i, j: (i + 1, j * 2), (c(1), c(1)), maximum_iterations=c(4))
tf.while_loop(lambda i, j: i < 10, lambda i, j: (i + 1, j * 2), (c(1), c(1)), maximum_iterations=0)
tf.while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, s + tf.while_loop(lambda j, t: j < i, lambda j, t: (j + 1, t + j), (0, 0))[1]), (0, 0))
tf.while_loop(lambda i, t: i < 4, lambda i, t: (i + 1, t.write(i, i * i)), (0, tf.TensorArray(tf.int32, 4)))[1].stack()
tf.while_loop(lambda i, t: i < 4, lambda i, t: (i + 1, t.write(i, [i, i * i])), (0, tf.TensorArray(tf.int32, 0, dynamic_size=True)))[1].concat()
tf.while_loop(1, lambda i: (i,), (c(1),))
tf.while_loop(lambda i: i < 3, 2, (c(1),))
tf.while_loop(lambda i: i < 1, lambda i: (i,), (c(1),), parallel_iterations=0)
tf.TensorArray(tf.float32, 3).write(0, 1.0).write(2, 3.0).stack()
tf.TensorArray(tf.float32, 3).stack()
tf.TensorArray(tf.float32, 0, element_shape=[2]).stack()
tf.TensorArray(tf.float32, 3).write(3, 1.0).stack()
tf.TensorArray(tf.float32, 3).write(-1, 1.0).stack()
tf.TensorArray(tf.float32, 0, dynamic_size=True).write(3, 1.0).stack()
tf.TensorArray(tf.float32, 0, dynamic_size=True).write(3, 1.0).size()
tf.TensorArray(tf.float32, 3).write(0, c(1)).stack()
tf.TensorArray(tf.float32, 3).write(0, 1).stack()
tf.TensorArray(tf.float32, 3).write(0, [1.0]).write(1, [1.0, 2.0]).stack()
tf.TensorArray(tf.float32, 2, infer_shape=False).write(0, [1.0]).write(1, [1.0, 2.0]).concat()
tf.TensorArray(tf.float32, 2, infer_shape=False).write(0, [1.0]).write(1, [1.0, 2.0]).stack()
tf.TensorArray(tf.float32, 3).write(0, 1.0).write(0, 2.0).stack()
tf.TensorArray(tf.float32, 3).read(1)
tf.TensorArray(tf.float32, 3, element_shape=[2]).read(1)
tf.TensorArray(tf.float32, 3).write(0, 1.0).read(5)
tf.TensorArray(tf.float32, 3).unstack([[1.0, 2], [3, 4], [5, 6]]).read(1)
tf.TensorArray(tf.float32, 1, dynamic_size=True).unstack([[1.0, 2], [3, 4]]).stack()
tf.TensorArray(tf.float32, 2).unstack([[1.0, 2], [3, 4]]).gather([1, 0])
tf.TensorArray(tf.float32, 2).unstack([1.0, 2, 3]).stack()
tf.TensorArray(tf.float32, 4).unstack([1.0, 2, 3]).stack()
tf.TensorArray(tf.float32, 4).unstack([1.0, 2, 3]).read(2)
tf.TensorArray(tf.float32, 2).unstack([1.0, 2]).write(0, 5.0).stack()
tf.TensorArray(tf.float32, 3, dynamic_size=True).unstack([[1.0, 2]]).write(1, [3.0]).read(1)
tf.TensorArray(tf.float32, 2, element_shape=[5]).unstack([[1.0, 2], [3, 4]]).stack()
tf.TensorArray(tf.float32, 4).scatter([2, 0], [[1.0, 2], [3, 4]]).stack()
tf.TensorArray(tf.float32, 2).scatter([2, 0], [[1.0, 2], [3, 4]]).stack()
tf.TensorArray(tf.float32, 2).split([1.0, 2, 3], [1, 2]).read(1)
tf.TensorArray(tf.float32, 2).split([1.0, 2, 3], [1, 1]).read(1)
tf.TensorArray(tf.float32, 2, infer_shape=False).split([1.0, 2, 3], [1, 2]).concat()
tf.TensorArray(tf.float32, 2).write(0, 1.0).write(1, 2.0).concat()
tf.TensorArray(tf.float32, 3, element_shape=[2]).write(1, [1.0, 2.0]).concat()
tf.TensorArray(tf.float32, 2).write(1, [1.0, 2.0]).concat()
tf.TensorArray(tf.float32, 2).grad('a')
tf.TensorArray(tf.float32, 2, element_shape=[3]).write(0, [1.0, 2.0]).stack()
tf.TensorArray(tf.float32).size()
tf.TensorArray(tf.string, 2).write(0, 'a').write(1, 'bc').stack()
tf.TensorArray(tf.bool, 2).write(1, True).stack()
tf.map_fn(lambda x: x * x, c([1.0, 2.0, 3.0]))
tf.map_fn(lambda x: tf.cast(x, tf.int32), c([1.0, 2.0]))
tf.map_fn(lambda x: tf.cast(x, tf.int32), c([1.0, 2.0]), fn_output_signature=tf.int32)
tf.map_fn(lambda x: tf.cast(x, tf.int32), c([1.0, 2.0]), dtype=tf.TensorSpec([], tf.int32))
tf.map_fn(lambda p: p[0] + p[1], (c([1.0, 2.0]), c([3.0, 4.0])), fn_output_signature=tf.float32)
tf.map_fn(lambda p: p[0] + p[1], (c([1.0, 2.0]), c([3.0, 4.0])))
tf.map_fn(lambda x: (x, {'a': x * 2}), c([1, 2]), fn_output_signature=(tf.int32, {'a': tf.int32}))
tf.map_fn(lambda x: x * x, c(1.0))
tf.map_fn(lambda p: p[0], (c([1.0, 2.0]), c([1.0])), fn_output_signature=tf.float32)
tf.map_fn(lambda x: x * 2, [])
tf.map_fn(lambda x: x * 2, [1, 2])
tf.vectorized_map(lambda x: x * x, c([1.0, 2.0, 3.0]))
tf.vectorized_map(lambda x: (x, {'a': x > 1}), c([1, 2, 3]))
tf.vectorized_map(lambda p: p[0] * p[1], (c([1.0, 2.0]), c([3.0])))
tf.vectorized_map(lambda p: p[0], (c([1.0, 2.0]), c([3.0, 4.0, 5.0])))
tf.vectorized_map(lambda x: c([1, 2]), c([1.0, 2.0]))
tf.vectorized_map(lambda x: tf.reduce_sum(x), c([[1.0, 2.0], [3.0, 4.0]]))
tf.vectorized_map(lambda x: tf.reduce_max(x, axis=-1, keepdims=True), c([[1.0, 2.0], [3.0, 4.0]]))
tf.vectorized_map(lambda x: tf.matmul(x, x, transpose_b=True), c([[[1.0, 2.0]], [[3.0, 4.0]]]))
tf.vectorized_map(lambda x: tf.linalg.matvec(c([[1.0, 2.0], [3.0, 4.0]]), x), c([[1.0, 2.0], [3.0, 4.0]]))
tf.vectorized_map(lambda x: tf.einsum('i,j->ij', x, x), c([[1.0, 2.0], [3.0, 4.0]]))
tf.vectorized_map(lambda x: tf.gather(x, [1, 0, 1]), c([[1.0, 2.0], [3.0, 4.0]]))
tf.vectorized_map(lambda i: tf.gather(c([10, 20, 30]), i), c([2, 0]))
tf.vectorized_map(lambda p: tf.gather(p[0], p[1]), (c([[1.0, 2.0], [3.0, 4.0]]), c([1, 0])))
tf.vectorized_map(lambda x: tf.concat([x, c([9.0])], 0), c([[1.0, 2.0], [3.0, 4.0]]))
tf.vectorized_map(lambda x: tf.stack([x, x + 1], axis=1), c([[1.0, 2.0], [3.0, 4.0]]))
tf.vectorized_map(lambda x: x[::-1], c([[1.0, 2.0], [3.0, 4.0]]))
tf.vectorized_map(lambda x: tf.reshape(x, [-1, 1]), c([[1.0, 2.0], [3.0, 4.0]]))
tf.vectorized_map(lambda x: tf.transpose(x), c([[[1, 2, 3]], [[4, 5, 6]]]))
tf.vectorized_map(lambda x: tf.where(x > 1.5, x, -x), c([[1.0, 2.0], [3.0, 4.0]]))
tf.vectorized_map(lambda x: tf.cast(x, tf.int32), c([1.5, 2.5]))
tf.vectorized_map(lambda x: tf.nn.relu(x - 2), c([[1.0, 2.0], [3.0, 4.0]]))
tf.vectorized_map(lambda x: tf.one_hot(x, 3), c([2, 0]))
tf.vectorized_map(lambda x: tf.cumsum(x), c([[1.0, 2.0], [3.0, 4.0]]))
tf.vectorized_map(lambda x: tf.cond(x > 1.5, lambda: x * 2, lambda: -x), c([1.0, 2.0, 3.0]))
tf.vectorized_map(lambda x: tf.cond(c(True), lambda: x * 2, lambda: -x), c([1.0, 2.0, 3.0]))
tf.vectorized_map(lambda n: tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + i), (0, 0))[1], c([4, 0, 2]))
tf.vectorized_map(lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, x))[1], c([2.0, 3.0]))
tf.vectorized_map(lambda x: tf.shape(x), c([[1.0, 2.0], [3.0, 4.0]]))
tf.vectorized_map(lambda x: tf.unique(x)[0][0], c([[1, 2], [3, 4]]), fallback_to_while_loop=False)
tf.vectorized_map(lambda x: tf.unique(x)[0][0], c([[1, 2], [3, 4]]), warn=False)
tf.vectorized_map(lambda x: x, c(1.0))
tf.scan(lambda a, x: a + x, c([1.0, 2.0, 3.0]))
tf.scan(lambda a, x: a + x, c([1.0, 2.0, 3.0]), initializer=10.0)
tf.scan(lambda a, x: a - x, c([1.0, 2.0, 3.0]), reverse=True)
tf.scan(lambda a, x: a - x, c([1.0, 2.0, 3.0]), initializer=c(10.0), reverse=True)
tf.scan(lambda a, x: (a[1], a[0] + a[1]), tf.range(6), initializer=(0, 1))
tf.scan(lambda a, x: a + x[0] - x[1], (c([1.0, 2.0]), c([3.0, 5.0])), initializer=0.0)
tf.scan(lambda a, x: {'s': a['s'] + x}, c([1.0, 2.0]), initializer={'s': 0.0})
tf.scan(lambda a, x: a + x, tf.zeros([0]), initializer=0.0)
tf.foldl(lambda a, x: a - x, c([1.0, 2.0, 3.0]))
tf.foldr(lambda a, x: a - x, c([1.0, 2.0, 3.0]))
tf.foldl(lambda a, x: a - x, c([1.0, 2.0, 3.0]), initializer=10.0)
tf.foldr(lambda a, x: a - x, c([1.0, 2.0, 3.0]), initializer=10.0)
tf.foldl(lambda a, x: (a[0] + x, a[1] * x), c([1.0, 2.0, 3.0]), initializer=(0.0, 1.0))
tf.foldl(lambda a, x: a + x, c([]), initializer=5.0)
tf.foldl(lambda a, x: a + x, c([]))
tf.py_function(lambda x: x + 1, [c(1)], tf.float32)
tf.py_function(lambda x: x + 1, [c(1)], tf.int32)
tf.py_function(lambda x: (x + 1, x * 2.5), [c(1.0)], [tf.float32, tf.float32])
tf.py_function(lambda x: {'a': x}, [c(1.0)], {'a': tf.float32})
tf.py_function(lambda x: None, [c(1.0)], tf.float32)
tf.py_function(lambda x: 3, [1.0], tf.float32)
tf.py_function(lambda x: np.float64(3), [1.0], tf.float32)
tf.py_function(lambda x: 1 / 0, [1.0], tf.float32)
tf.py_function(lambda x: int('a'), [1.0], tf.float32)
tf.py_function(lambda x: [][1], [1.0], tf.float32)
tf.py_function(lambda x: next(iter([])), [1.0], tf.float32)
tf.py_function(lambda x: x, [c([1.0])], tf.TensorSpec([1], tf.float32))
tf.numpy_function(np.sinh, [c(1.0)], tf.float32)
tf.numpy_function(lambda x: [x, x], [c(1.0)], [tf.float32, tf.float32])
tf.numpy_function(lambda x: 'text', [c(1.0)], tf.string)
tf.numpy_function(lambda x: int('a'), [c(1.0)], tf.string)
tf.debugging.check_numerics(c([1.0, 2.0]), 'message')
tf.debugging.check_numerics(c([1.0, float('nan')]), 'message')
tf.debugging.check_numerics(c([1.0, float('inf')]), 'message')
tf.debugging.check_numerics(c([1]), 'message')
tf.debugging.Assert(True, [c(1)])
tf.debugging.Assert(c(False), [c([1, 2, 3, 4]), 'text'])
tf.debugging.Assert(c(False), None)
tf.debugging.assert_equal(c([1, 2]), c([1, 3]))
tf.debugging.assert_equal(c([1, 2]), c([1, 2]))
tf.debugging.assert_none_equal(c([1, 2]), c([1, 3]))
tf.debugging.assert_less(c([1, 2]), c([2, 3]))
tf.debugging.assert_less(c([1, 2]), c([1, 3]))
tf.debugging.assert_less_equal(c([1, 4]), c([1, 3]))
tf.debugging.assert_greater(c([1, 4]), c([1, 3]))
tf.debugging.assert_greater_equal(c([1, 2]), c([1, 3]))
tf.debugging.assert_positive(c([1, 0]))
tf.debugging.assert_negative(c([-1, 0]))
tf.debugging.assert_non_negative(c([1, -1]))
tf.debugging.assert_non_negative(c([1, 0]))
tf.debugging.assert_non_positive(c([1, -1]))
tf.debugging.assert_near(c([1.0, 2.0]), c([1.0, 2.1]))
tf.debugging.assert_near(c([1.0, 2.0]), c([1.0, 2.000001]))
tf.debugging.assert_rank(c([1.0]), 2)
tf.debugging.assert_rank(c([1.0]), 1)
tf.debugging.assert_rank(c([1.0]), c([2, 3]))
tf.debugging.assert_rank_at_least(c([1.0]), 2)
tf.debugging.assert_rank_in(c([1.0]), [2, 3])
tf.debugging.assert_type(c([1.0]), tf.int32)
tf.debugging.assert_integer(c([1.0]))
tf.debugging.assert_scalar(c([1.0]))
tf.debugging.assert_proper_iterable(c([1.0]))
tf.debugging.assert_proper_iterable(3)
tf.debugging.assert_same_float_dtype([c([1.0]), c(1.0, tf.float64)])
tf.debugging.assert_same_float_dtype([c([1])], tf.int32)
tf.debugging.assert_shapes([(c([1.0, 2.0]), ['N']), (c([[1.0]]), ['N', 'M'])])
tf.debugging.assert_shapes([(c([1.0, 2.0]), ['N']), (c([[1.0], [2.0]]), ('N', 1))])
tf.debugging.assert_shapes([(c([1.0, 2.0]), ['N', 3])])
tf.debugging.assert_shapes([(c([1.0, 2.0]), [3])])
tf.group(c(1), c(2))
tf.no_op()
""".strip().splitlines()


def plain(value: Any, tf: Any) -> Any:
    """A result as JSON holds it: dtype, shape and elements of every tensor in its structure."""
    leaves = tf.nest.flatten(value)
    shape = repr(tf.nest.pack_sequence_as(value, list(range(len(leaves)))))
    return [shape, *[leaf_as_text(leaf, tf) for leaf in leaves]]


def leaf_as_text(leaf: Any, tf: Any) -> str:
    if leaf is None or isinstance(leaf, (int, float, str)):
        return repr(leaf)
    array = np.asarray(leaf.numpy())
    return f"{leaf.dtype.name}{list(array.shape)} {array.tolist()}"


def outcome(expression: str, tf: Any, graph: bool) -> Any:
    """What an expression gives, eagerly or traced: its value, or the class of its error."""
    names = {"tf": tf, "np": np, "c": tf.constant}
    code = compile(expression, "<corpus>", "eval")

    def function() -> Any:
        return eval(code, names)

    try:
        if not graph:
            return plain(function(), tf)
        # A function may not return the operation that TensorFlow gives for an assertion.
        traced = tf.function(lambda: tensors_of(function(), tf), autograph=False)
        return plain(traced(), tf)
    except Exception as error:  # noqa: BLE001 - its class is the outcome
        return f"! {type(error).__name__}"


def tensors_of(value: Any, tf: Any) -> Any:
    return None if type(value).__name__ == "Operation" else value


# -- gradients ----------------------------------------------------------------------------------


def fixed_loop(tf: Any, x: Any) -> Any:
    return tf.while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, tf.sin(x) * x), (0, x))[1]


def data_dependent_loop(tf: Any, x: Any) -> Any:
    return tf.while_loop(lambda x: tf.reduce_sum(x) < 50.0, lambda x: (x * x + 0.5,), (x,))[0]


def several_variables(tf: Any, x: Any) -> Any:
    def step(i, a, b, k):
        return (i + 1, tf.sin(a) * x + b, b * 0.5 - a, k)

    return tf.while_loop(lambda i, *_: i < 4, step, (0, x, x * 2.0, x))[1:]


def nested_loops(tf: Any, x: Any) -> Any:
    def body(i: Any, x: Any) -> Any:
        _, z = tf.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, tf.tanh(z) * x + 0.3), (0, x))
        return i + 1, tf.cond(tf.reduce_sum(z) > 1.0, lambda: z * x, lambda: z + 0.7 * x)

    return tf.while_loop(lambda i, x: i < 4, body, (0, x))[1]


def branches(tf: Any, x: Any) -> Any:
    def first():
        return tf.sin(x) * x

    def second():
        return tf.cond(x[0] > 2.0, lambda: x * x * x, lambda: tf.exp(x))

    return tf.cond(x[0] > 1.0, second, first)


def one_side_constant(tf: Any, x: Any) -> Any:
    return tf.cond(x[0] > 100.0, lambda: x * x, lambda: tf.ones_like(x)) * x


def switched(tf: Any, x: Any) -> Any:
    index = tf.cast(x[0], tf.int32)
    return tf.switch_case(index, [lambda: x * x, lambda: tf.sin(x), lambda: tf.exp(x) * x])


def array_written(tf: Any, x: Any) -> Any:
    def body(i: Any, array: Any, s: Any) -> Any:
        return i + 1, array.write(i, s * x), tf.sin(s) + x

    array = tf.TensorArray(tf.float32, 4)
    _, array, _ = tf.while_loop(lambda i, *_: i < 4, body, (0, array, x))
    return array.stack() * tf.reshape(tf.range(4.0), [4, 1])


def array_read(tf: Any, x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 2, clear_after_read=False).unstack(x)

    def step(i, s):
        return (i + 1, s * array.read(i) + array.read(1 - i))

    return tf.while_loop(lambda i, s: i < 2, step, (0, tf.constant(1.0)))[1]


def growing(tf: Any, x: Any) -> Any:
    invariants = (tf.TensorShape([]), tf.TensorShape([None]))

    def step(i, x):
        return (i + 1, tf.concat([x, x * 2.0], 0))

    return tf.while_loop(lambda i, x: i < 3, step, (0, x), shape_invariants=invariants)[1] ** 2


def mapped(tf: Any, x: Any) -> Any:
    return tf.map_fn(lambda row: tf.sin(row) * tf.reduce_sum(x), x)


def scanned(tf: Any, x: Any) -> Any:
    return tf.scan(lambda a, row: a * row + 0.1, x) + tf.foldl(lambda a, row: a + row * row, x)


def reversed_fold(tf: Any, x: Any) -> Any:
    return tf.foldr(lambda a, row: tf.sin(a * row), x, initializer=0.7)


def limited(tf: Any, x: Any) -> Any:
    def step(x):
        return (x * x * 0.5,)

    return tf.while_loop(lambda x: True, step, (x,), maximum_iterations=3)[0]


def never_entered(tf: Any, x: Any) -> Any:
    return tf.while_loop(lambda i, x: i < 0, lambda i, x: (i + 1, x * x), (0, x * 3.0))[1]


def a_call(tf: Any, x: Any) -> Any:
    inner = tf.function(lambda y: tf.sin(y) * y, autograph=False)
    return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, inner(y)), (0, x))[1]


def split_and_read(tf: Any, x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 2, infer_shape=False)
    return array.split(tf.concat([x, x * x], 0), [1, 3]).read(1)


def scattered_and_gathered(tf: Any, x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 4).scatter([2, 0], tf.stack([x, x * x]))
    array = array.write(1, x * 0.5).write(3, x)
    return array.gather([0, 3, 1, 2]) * tf.reshape(tf.range(4.0), [4, 1]) * x


def array_of_a_branch(tf: Any, x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 2)
    array = tf.cond(x[0] > 1.0, lambda: array.write(0, x), lambda: array.write(1, x * x))
    return array.stack() * x


def tape_in_a_loop(tf: Any, x: Any) -> Any:
    def body(i: Any, x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x * x * tf.sin(x))
        return i + 1, x - 0.1 * tape.gradient(y, x)

    return tf.while_loop(lambda i, x: i < 3, body, (0, x))[1]


def recurrent(tf: Any, x: Any) -> Any:
    weights = tf.reshape(tf.range(4.0), [2, 2]) * 0.1

    def body(i: Any, h: Any) -> Any:
        return i + 1, tf.tanh(tf.matmul(h, weights) + x)

    return tf.while_loop(lambda i, h: i < 3, body, (0, tf.reshape(x, [1, 2])))[1]


def partly_stopped(tf: Any, x: Any) -> Any:
    def body(i: Any, x: Any, k: Any) -> Any:
        return i + 1, x * tf.stop_gradient(x) * tf.cast(k, tf.float32), k + 1

    return tf.while_loop(lambda i, *_: i < 3, body, (0, x, 1))[1]


def python_function(tf: Any, x: Any) -> Any:
    return tf.py_function(lambda y: tf.sin(y) * y, [x], tf.float32) * x


GRADIENTS = {
    f.__name__: f
    for f in (
        fixed_loop, data_dependent_loop, several_variables, nested_loops, branches,
        one_side_constant, switched, array_written, array_read, growing, mapped, scanned,
        reversed_fold, limited, never_entered, a_call, split_and_read, scattered_and_gathered,
        array_of_a_branch, tape_in_a_loop, recurrent, partly_stopped, python_function,
    )
}  # fmt: skip

#: TensorFlow does not differentiate these twice in a graph.
ONCE = {"python_function"}

POINTS = ([0.6, 1.2], [1.4, 0.5], [2.3, 0.1])


def derivatives(tf: Any, name: str, point: list[float], graph: bool) -> list[Any]:
    """Value, first and second derivative of a sum of a program's results; zeros for None."""
    program = GRADIENTS[name]

    def value(x: Any) -> Any:
        return tf.add_n([tf.reduce_sum(r) for r in tf.nest.flatten(program(tf, x))])

    def first(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = value(x)
        return y, tape.gradient(y, x)

    def second(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y, g = first(x)
            total = tf.reduce_sum(g * tf.constant([1.0, -0.5]))
        return y, g, tape.gradient(total, x)

    function = first if name in ONCE else second
    run = tf.function(function, autograph=False) if graph else function
    results = run(tf.constant(point))
    zeros = np.zeros(len(point))
    return [np.asarray(zeros if r is None else r, np.float64).tolist() for r in results]


# -- printing -----------------------------------------------------------------------------------

PRINTED = """
c([0.722626925, 0.640327692, 1/3, 1e-5, 123456.789, 1e10, 1e20, np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, 16777216.0]), summarize=-1
c([0.722626925, 1/3, 1e-5, 123456.789, 1e10, 1e15, 1e16, 1e17, 0.1, 2/3, np.nan, 1e300, 1e-7, 123456789012345678.0], tf.float64), summarize=-1
c([1e-4, 1.5e-5, 12345678.0, 123456789.0, 9.99999e15, 3.4028235e38, 0.1, 0.2, 1e5, 1e6, 1e9, 1234567.8]), summarize=-1
c([0.1, 1/3, 1000.5, 65504.0, 6e-8], tf.float16), summarize=-1
c([0.1, 1/3, 1000.5, 65504.0, 6e-8, 3e38], tf.bfloat16), summarize=-1
c([1, -2], tf.int8), c([1, 2], tf.uint8), c([1, -2**40], tf.int64), c([True, False]), c(True)
c(['a', 'b"c', "d'e", '\\n', 'é', '']), c('text'), c([1+2j])
c('alone')
1, 1.5, True, None, 'a', b'b', [1, 2], (1,), {'a': 1, 'b': [1, 2.5]}, 1j, []
{'t': c([1, 2]), 'u': (c(1.0), 'x')}, [c(1), c([2.0])]
1, c(2), 3, sep=', ', end='!\\n'
tf.range(10), tf.range(7), tf.range(6), c([[1, 100], [-20, 3]])
tf.range(7), summarize=1
tf.range(7), summarize=0
tf.range(7), summarize=-5
tf.reshape(tf.range(100), [10, 10])
tf.reshape(tf.range(100), [10, 10]), summarize=-1
tf.reshape(tf.range(512), [8, 8, 8])
tf.reshape(tf.range(24), [2, 3, 4])
c([]), tf.zeros([0, 3]), tf.zeros([3, 0]), tf.zeros([2, 0, 3])
''
'a%d {} {0}', c(1), 'x{}y'
['a', c('b'), "q'"]
tf.float32, tf.TensorShape([1, None])
c([['a', 'b'], ['c', 'd']]), c([-1.5, 2.0])
{'a long key to wrap the line somewhere': c([1, 2, 3]), 'another of these keys, longer': c(1.5)}
""".strip().splitlines()


def printed(arguments: str, tf: Any, graph: bool) -> str:
    """What `tf.print` writes for arguments given as text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "printed"
        names = {"tf": tf, "np": np, "c": tf.constant, "stream": f"file://{path}"}
        code = compile(f"tf.print({arguments}, output_stream=stream)", "<corpus>", "eval")

        def run() -> None:
            eval(code, names)

        (tf.function(run, autograph=False) if graph else run)()
        return path.read_text(encoding="utf-8")
