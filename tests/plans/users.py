"""Small programs as people write them, each of which plans memory in a way of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import graphwright as tf


class User(NamedTuple):
    """A function of tensors, what to call it with, and the variables that it is given after
    them. The first argument has a gradient."""

    function: Callable[..., Any]
    calls: Sequence[Sequence[Any]]
    variables: Sequence[Any] = ()


USERS: dict[str, User] = {}


def on(*calls: Sequence[Any], variables: Sequence[Any] = ()) -> Callable[[Any], Any]:
    """A program, and what to call it with."""

    def add(function: Any) -> Any:
        USERS[function.__name__.replace("_", " ")] = User(function, calls, variables)
        return function

    return add


# -- how they run ---------------------------------------------------------------------------


def sloped(function: Callable[..., Any], parted: bool) -> Callable[..., Any]:
    """A function with its gradient by the first argument: in one plan, or parted by an op that
    has none, so that what is kept for the gradient leaves one plan and enters another."""

    def slope(x: Any, *others: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            results = floats(function(x, *others))
            ends = [by_kernels(y) if parted else y for y in results]
            total = sum([tf.reduce_sum(y * y) for y in ends])
        return results, tape.gradient(total, x, unconnected_gradients="zero")

    return slope


def by_kernels(x: Any) -> Any:
    """The same numbers, by an op that no plan has."""
    return tf.cast(tf.math.real(tf.cast(x, tf.complex128)), x.dtype)


def floats(results: Any) -> list[Any]:
    """The results that have gradients."""
    return [y for y in tf.nest.flatten(results) if y.dtype.is_floating]


def run(user: User, form: str) -> Any:
    """Traces a program in a form, and calls it; what it gives, and what is in its variables."""
    variables = [tf.Variable(array) for array in user.variables]
    is_slope = form.startswith("gradient")
    inner = sloped(user.function, form == FORMS[-1]) if is_slope else user.function
    specs = None
    if form == "unknown sizes":
        arrays = [np.asarray(x) for x in user.calls[0]]
        specs = [tf.TensorSpec([None] * a.ndim, tf.as_dtype(a.dtype)) for a in arrays]
    staged = tf.function(lambda *xs: inner(*xs, *variables), input_signature=specs)
    results = [staged(*map(tf.constant, call)) for call in user.calls]
    return results, [tf.identity(v) for v in variables]


FORMS = ("known sizes", "unknown sizes", "gradient", "gradient in parts")


def forms(name: str) -> tuple[str, ...]:
    """The forms in which a program runs."""
    user = USERS[name]
    kinds = {np.asarray(a).dtype.kind for a in user.calls[0][:1]}
    return FORMS[:2] if user.variables else FORMS if kinds == {"f"} else FORMS[:2]


def f32(*numbers: Any) -> Any:
    return np.array(numbers, np.float32)


def i32(number: int) -> Any:
    return np.array(number, np.int32)


ONE = np.array(0.75, np.float32)
VECTOR = f32(0.5, -1.0, 2.0, 0.25, 1.5, -0.5)
OTHER = f32(1.0, 0.5, -0.25, 3.0, -2.0, 0.75)
MATRIX = f32([0.3, -0.2, 0.5], [0.1, 0.4, -0.6], [0.2, 0.7, -0.1])
ROWS = f32([1.0, 2.0], [-0.5, 0.25], [0.75, -1.5], [2.0, 0.5])
CUBE = np.linspace(-1.0, 1.0, 24, dtype=np.float32).reshape(2, 3, 4)
UNIT = f32([0.6])
TRUE, FALSE = np.array(True), np.array(False)


# -- straight code --------------------------------------------------------------------------


@on((VECTOR,))
def statements_one_after_the_other(x):
    a = tf.cumsum(x)
    b = tf.cumsum(a * 2.0)
    c = tf.cumsum(b - x)
    d = tf.cumsum(c + 1.0)
    return tf.cumsum(d * 0.5) + x


@on((VECTOR, OTHER))
def temporaries_of_several_sizes(x, y):
    pair = tf.cumsum(tf.concat([x, y], 0))
    short = tf.cumsum(pair[:3])
    long = tf.cumsum(tf.concat([pair, short, short], 0))
    return tf.reduce_sum(long), tf.cumsum(short), tf.cumsum(long[::2])


@on((VECTOR, OTHER))
def temporaries_of_several_kinds(x, y):
    whole = tf.cumsum(tf.cast(x * 8.0, tf.int32))
    wide = tf.cumsum(tf.cast(whole, tf.float64) * 0.5)
    small = tf.cumsum(tf.cast(wide, tf.float32) + y)
    return small, tf.cumsum(tf.cast(whole, tf.int64))


@on((VECTOR, OTHER))
def results_that_are_read_again(x, y):
    a = tf.cumsum(x) + y
    b = tf.reverse(a, [0]) * 2.0
    return a, b, tf.cumsum(b) + a, tf.reduce_sum(a * b)


@on((VECTOR,))
def one_result_twice(x):
    y = tf.cumsum(x * 2.0)
    return y, y, tf.reshape(y, [2, 3]), tf.reshape(y, [3, 2])


@on((MATRIX,))
def rows_and_columns(x):
    down, across = tf.reduce_sum(x, 0), tf.reduce_sum(x, 1, keepdims=True)
    return tf.transpose(x) * down - across, tf.reduce_mean(x), tf.reduce_max(x, 1)


@on((ROWS,))
def normalized_rows(x):
    mean = tf.reduce_mean(x, 1, keepdims=True)
    spread = tf.reduce_mean((x - mean) ** 2, 1, keepdims=True)
    return tf.nn.softmax((x - mean) / tf.sqrt(spread + 0.1)), tf.math.cumsum(x, 1)


@on((MATRIX, MATRIX + 0.5))
def products_of_products(x, y):
    a = x @ y
    b = tf.matmul(a, y, transpose_b=True)
    c = tf.matmul(b + x, a, transpose_a=True)
    return c @ (x - 1.0), a


@on((CUBE,))
def a_batch_of_products(x):
    scores = tf.nn.softmax(tf.matmul(x, x, transpose_b=True) * 0.5)
    return tf.matmul(scores, x) + x, tf.transpose(x, [2, 0, 1])


@on((VECTOR, np.array([1, 4, 1, 0])))
def gathered_and_scattered(x, ids):
    picked = tf.gather(x, ids) * 2.0
    sums = tf.math.unsorted_segment_sum(picked, ids, 6)
    changed = tf.tensor_scatter_nd_update(x, ids[:, None], picked)
    return sums + tf.cumsum(changed), tf.tensor_scatter_nd_add(sums, ids[:, None], picked)


@on((ROWS, np.array([2, 0, 2])))
def rows_gathered_and_scattered(x, ids):
    rows = tf.gather(x, ids)
    return tf.scatter_nd(ids[:, None], rows * 0.5, [4, 2]) + x, tf.reduce_max(rows, 0)


@on((VECTOR,))
def joined_and_cut(x):
    first, second = tf.split(x, 2)
    whole = tf.concat([second, first, second * first], 0)
    return tf.stack([first, second], 1), tf.pad(whole[2:7], [[1, 2]]), tf.tile(first, [2]) + x


@on((ONE, ONE + 1.0))
def single_numbers(x, y):
    a, b = x * 2.0, x - y
    stacked = tf.stack([a, b, a * b])
    return tf.cumsum(stacked), tf.reduce_sum(stacked) + x, tf.concat([[a], [b]], 0)


@on((UNIT, UNIT * 3.0), (UNIT * -1.0, UNIT))
def vectors_of_one_element(x, y):
    z = tf.cumsum(x) + y
    return tf.concat([z, x, tf.stack([z[0], y[0]])], 0), z, tf.reshape(z * y, [])


@on((UNIT[:, None], UNIT[:, None] * 2.0))
def matrices_of_one_element(x, y):
    z = x @ y
    return tf.tanh(z @ x + y), tf.reduce_sum(z), tf.reshape(z, [1])


@on((VECTOR[:0],), (VECTOR,))
def perhaps_no_elements(x):
    return tf.cumsum(x) * 2.0, tf.reduce_sum(x), tf.concat([x, [1.0]], 0)


@on((VECTOR, OTHER, ONE))
def reshaped_and_read_twice(x, y, a):
    flat = tf.cumsum(x * a)
    square = tf.reshape(flat, [2, 3])
    turned = tf.transpose(square)
    return tf.reshape(turned, [-1]) + flat, square @ turned, tf.cumsum(y + flat)


# -- branches -------------------------------------------------------------------------------


@on((VECTOR, TRUE), (VECTOR, FALSE))
def a_branch_of_arrays(x, p):
    y = tf.cumsum(x)
    z = tf.cumsum(y * 2.0) if p else tf.reverse(x, [0]) + y
    return z + 1.0, y


@on((VECTOR, TRUE), (VECTOR, FALSE))
def a_branch_of_an_argument(x, p):
    y = x
    if p:
        y = tf.cumsum(x)
    return tf.cumsum(y), y


@on((ONE, TRUE), (ONE, FALSE))
def a_branch_of_numbers(x, p):
    if p:
        y, z = x * 2.0, x - 1.0
    else:
        y, z = x + 1.0, x
    return y * z, tf.stack([y, z, x])


@on((VECTOR, ONE, i32(0)), (VECTOR, ONE, i32(1)), (VECTOR, ONE, i32(2)))
def a_branch_in_a_branch(x, a, n):
    y = tf.cumsum(x)
    if n > 0:
        if n > 1:
            y = tf.cumsum(y + x)
        else:
            y, a = tf.reverse(y, [0]), a * 2.0
        y = y - a
    return y * 2.0, a


@on((VECTOR, TRUE), (VECTOR, FALSE))
def exchanged_by_a_branch(x, p):
    a, b = tf.cumsum(x), tf.reverse(x, [0]) * 2.0
    if p:
        a, b = b, a
    return tf.cumsum(a), b


@on((MATRIX, i32(0)), (MATRIX, i32(1)), (MATRIX, i32(5)))
def one_of_several(x, n):
    sides = [lambda: x @ x, lambda: tf.transpose(x), lambda: x, lambda: tf.cumsum(x, 0)]
    return tf.switch_case(n, sides) + 1.0


@on((UNIT, TRUE), (UNIT, FALSE))
def a_branch_of_one_element(x, p):
    y = x * 3.0
    if p:
        y = tf.concat([x], 0) + 1.0
    return tf.concat([y, x], 0), tf.stack([y])


# -- loops ----------------------------------------------------------------------------------


@on((VECTOR, i32(3)), (VECTOR, i32(0)))
def a_loop_in_its_own_memory(x, n):
    for _ in tf.range(n):
        x = x * 0.5 + 0.25
    return x


@on((VECTOR, i32(3)), (VECTOR, i32(0)))
def a_loop_of_two_memories(x, n):
    for _ in tf.range(n):
        x = tf.reverse(x, [0]) * 0.5 + x
    return x


@on((VECTOR, OTHER, i32(3)), (VECTOR, OTHER, i32(1)), (VECTOR, OTHER, i32(0)))
def variables_that_change_places(a, b, n):
    for _ in tf.range(n):
        a, b = b, a
    return a, b * 2.0


@on((VECTOR, OTHER, i32(4)), (VECTOR, OTHER, i32(1)))
def variables_that_follow_each_other(a, b, n):
    c = a + b
    for _ in tf.range(n):
        a, b, c = b, c, tf.reverse(a, [0]) * 0.5
    return a, b, c


@on((VECTOR, OTHER, i32(3)), (VECTOR, OTHER, i32(0)))
def two_chains_of_variables(a, b, n):
    c, d = a * 2.0, b * 2.0
    for _ in tf.range(n):
        a, b, c, d = b, tf.cumsum(a) * 0.5, d, tf.reverse(c, [0]) + b
    return a + c, b - d


@on((VECTOR, i32(4)), (VECTOR, i32(0)))
def the_value_before(x, n):
    before = x
    for _ in tf.range(n):
        x, before = tf.reverse(x, [0]) + before * 0.5, x
    return x, before


@on((VECTOR, i32(3)))
def one_value_in_two_variables(x, n):
    a, b = x, x
    for _ in tf.range(n):
        a = tf.cumsum(a) * 0.5
        b = a
    return a, b + 1.0


@on((VECTOR, OTHER, i32(3)), (VECTOR, OTHER, i32(0)))
def a_constant_of_a_loop(x, y, n):
    a = x
    for _ in tf.range(n):
        a = y
        x = tf.reverse(x, [0]) + a
    return a, x


@on((VECTOR, i32(3)), (VECTOR, i32(0)))
def read_after_the_loop(x, n):
    y = tf.cumsum(x)
    z = y
    for _ in tf.range(n):
        z = tf.reverse(z, [0]) * 0.5
    return y + z, tf.cumsum(y)


@on((VECTOR, i32(3)), (VECTOR, i32(0)))
def several_statements_of_a_loop(x, n):
    for _ in tf.range(n):
        a = tf.cumsum(x)
        b = tf.cumsum(a * 0.5)
        c = tf.reverse(b, [0]) - a
        x = tf.cumsum(c) * 0.1
    return x


@on((ONE, i32(4)), (ONE, i32(0)))
def numbers_of_a_loop(x, n):
    total, last = 0.0, x
    for i in tf.range(n):
        total, last = total * 0.5 + last, tf.cast(i, tf.float32)
    return total, last, tf.stack([total, last])


@on((ONE, VECTOR))
def while_a_sum_is_small(x, v):
    while tf.reduce_sum(v) < 20.0:
        v, x = tf.reverse(v, [0]) + x * x, x + 1.0
    return v, x


@on((VECTOR, i32(3)), (VECTOR, i32(1)))
def a_loop_in_a_loop(x, n):
    y = x
    for i in tf.range(n):
        for _ in tf.range(i):
            x, y = y * 0.5, x + tf.reverse(y, [0])
        x = x - tf.reduce_sum(y)
    return x, y


@on((MATRIX, i32(3)), (MATRIX, i32(0)))
def a_loop_over_a_triangle(x, n):
    total = tf.zeros_like(x)
    for i in tf.range(n):
        y = x
        for _ in tf.range(i + 1):
            y = tf.transpose(y) * 0.5
        total = total + y @ x
    return total


@on((VECTOR, i32(5)), (VECTOR, i32(1)))
def a_branch_in_a_loop(x, n):
    for i in tf.range(n):
        y = tf.cumsum(x) * 0.5
        if i % 2 == 0:
            x = tf.reverse(y, [0])
    return x + 1.0


@on((VECTOR, i32(4)), (VECTOR, i32(1)))
def a_branch_that_keeps_a_variable(x, n):
    best = x
    for _ in tf.range(n):
        x = tf.reverse(x, [0]) * 1.5 - 0.5
        if tf.reduce_sum(x) > tf.reduce_sum(best):
            best = x
    return best, x


@on((VECTOR, i32(3), TRUE), (VECTOR, i32(3), FALSE))
def a_loop_in_a_branch(x, n, p):
    y = tf.cumsum(x)
    if p:
        for _ in tf.range(n):
            y = tf.reverse(y, [0]) + x
    else:
        x = y * 2.0
    return tf.cumsum(y), x


@on((VECTOR, i32(5)))
def left_in_the_middle(x, n):
    for i in tf.range(n):
        if tf.reduce_sum(x) > 6.0:
            break
        if i == 1:
            continue
        x = tf.cumsum(x) + 0.5
    return x


@on((VECTOR, i32(2)), (VECTOR, i32(0)))
def a_loop_after_a_loop(x, n):
    for _ in tf.range(n):
        x = tf.reverse(x, [0]) + 1.0
    y = x
    for _ in tf.range(n):
        x, y = y, tf.cumsum(x) * 0.5
    return x, y


@on((VECTOR[:3], MATRIX, i32(3)), (VECTOR[:3], MATRIX, i32(0)))
def a_recurrence(x, w, n):
    for _ in tf.range(n):
        x = tf.tanh(tf.linalg.matvec(w, x) + x * 0.5)
    return x


@on((MATRIX, MATRIX * 0.5, i32(3)), (MATRIX, MATRIX * 0.5, i32(1)))
def products_of_a_loop(x, w, n):
    scaled = w * 2.0
    for _ in tf.range(n):
        x = tf.tanh(x @ scaled)
    return x, scaled


@on((MATRIX, i32(3)), (MATRIX, i32(0)))
def powers_of_a_matrix(x, n):
    y = x
    for _ in tf.range(n):
        y = y @ x * 0.5
        x = tf.transpose(x)
    return y


@on((UNIT, i32(3)), (UNIT, i32(0)))
def a_loop_of_one_element(x, n):
    y = x
    for _ in tf.range(n):
        x, y = tf.concat([y * 0.5], 0), x + y
    return x, tf.stack([x, y])


@on((UNIT[:, None], UNIT[:, None], i32(3)))
def products_of_one_element_in_a_loop(h, w, n):
    for _ in tf.range(n):
        h = tf.tanh(h @ w + w)
    return h


@on((VECTOR, i32(3)))
def shapes_of_a_loop(x, n):
    square = tf.reshape(x, [2, 3])
    for _ in tf.range(n):
        square = tf.reshape(tf.transpose(square), [2, 3]) * 0.5
    return tf.reshape(square, [-1]), square


@on((VECTOR, np.array([1, 4, 1, 0]), i32(3)))
def scattered_in_a_loop(x, ids, n):
    for _ in tf.range(n):
        x = tf.tensor_scatter_nd_add(x, ids[:, None], tf.gather(x, ids) * 0.5)
    return x


# -- lists ----------------------------------------------------------------------------------


@on((VECTOR, i32(3)), (VECTOR, i32(1)))
def items_of_a_list(x, n):
    array = tf.TensorArray(tf.float32, n, element_shape=[6])
    for i in tf.range(n):
        x = tf.cumsum(x) * 0.5
        array = array.write(i, x)
    return array.stack(), x


@on((VECTOR, i32(4)), (VECTOR, i32(1)))
def a_list_that_grows(x, n):
    array = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[6])
    for i in tf.range(n):
        array = array.write(i, x * tf.cast(i, tf.float32))
    return array.stack()


@on((VECTOR, i32(4)))
def items_read_again(x, n):
    array = tf.TensorArray(tf.float32, n + 1, clear_after_read=False, element_shape=[6])
    array = array.write(0, x)
    for i in tf.range(n):
        before = array.read(i)
        array = array.write(i + 1, tf.reverse(before, [0]) + before[0])
    return array.stack(), array.read(1)


@on((VECTOR, i32(3)))
def an_item_that_changes_after_it_was_read(x, n):
    array = tf.TensorArray(tf.float32, 2, clear_after_read=False, element_shape=[6])
    array = array.write(0, x).write(1, x * 2.0)
    for _ in tf.range(n):
        first, second = array.read(0), array.read(1)
        array = array.write(0, tf.reverse(second, [0])).write(1, first + second)
    return array.stack()


@on((ROWS,))
def rows_of_a_tensor(x):
    array = tf.TensorArray(tf.float32, 4, clear_after_read=False).unstack(x * 2.0)
    total = tf.zeros([2])
    for i in tf.range(4):
        total = total * 0.5 + array.read(3 - i)
    return total, array.stack()


@on((ROWS,))
def rows_that_are_changed(x):
    array = tf.TensorArray(tf.float32, 4, clear_after_read=False).unstack(x)
    for i in tf.range(1, 4):
        array = array.write(i, array.read(i - 1) * 0.5 + x[i])
    return array.stack(), x


@on((ONE, i32(4)), (ONE, i32(1)))
def numbers_of_a_list(x, n):
    array = tf.TensorArray(tf.float32, n, clear_after_read=False)
    for i in tf.range(n):
        array = array.write(i, x)
        x = x * 0.5 + array.read(i // 2)
    return array.stack(), x


@on((VECTOR,), (-VECTOR,))
def some_of_a_vector(x):
    kept = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[])
    for e in x:
        if e > 0.0:
            kept = kept.write(kept.size(), e * 2.0)
    return tf.reduce_sum(kept.stack()), kept.size()


@on((ROWS,))
def a_scan_of_rows(x):
    return tf.scan(lambda a, row: tf.reverse(a, [0]) * 0.5 + row, x)


@on((ROWS, MATRIX[:2, :2]))
def a_map_of_rows(x, w):
    return tf.map_fn(lambda row: tf.linalg.matvec(w, row) * tf.reduce_sum(row), x)


@on((VECTOR, ONE))
def a_fold_of_numbers(x, a):
    return tf.foldl(lambda c, e: c * 0.5 + e, x, initializer=a), tf.foldr(lambda c, e: c - e, x)


@on((VECTOR, i32(3)))
def two_lists_of_a_loop(x, n):
    one = tf.TensorArray(tf.float32, n, element_shape=[6])
    two = tf.TensorArray(tf.int32, n, element_shape=[])
    for i in tf.range(n):
        one, two = one.write(i, x), two.write(n - 1 - i, i * i)
        x = tf.cumsum(x) * 0.5
    return one.stack(), two.stack()


@on((VECTOR, i32(3)))
def a_list_in_a_loop_in_a_loop(x, n):
    total = x
    for i in tf.range(n):
        array = tf.TensorArray(tf.float32, i + 1, element_shape=[6])
        for k in tf.range(i + 1):
            array = array.write(k, total * tf.cast(k + 1, tf.float32))
        total = total + tf.reduce_sum(array.stack(), 0) * 0.1
    return total


@on((ROWS[None], MATRIX[:2], MATRIX))
def a_recurrent_layer(x, inner, outer):
    rows = tf.transpose(x, [1, 0, 2])
    state = x[:, 0] @ inner
    states = tf.TensorArray(tf.float32, tf.shape(rows)[0])
    for i in tf.range(tf.shape(rows)[0]):
        state = tf.tanh(rows[i] @ inner + state @ outer)
        states = states.write(i, state)
    return states.stack(), state


@on((VECTOR, i32(3)), (VECTOR, i32(0)))
def items_of_a_stack(x, n):
    array = tf.TensorArray(tf.float32, 0, dynamic_size=True, clear_after_read=False)
    array = array.write(0, x)
    for i in tf.range(n):
        y = tf.reduce_sum(array.stack(), 0)
        array = array.write(i + 1, y * 0.5)
    return array.stack(), array.size()


@on((VECTOR, i32(3), TRUE), (VECTOR, i32(2), FALSE))
def a_list_in_a_branch(x, n, p):
    array = tf.TensorArray(tf.float32, n, element_shape=[6])
    for i in tf.range(n):
        if p:
            array = array.write(i, tf.cumsum(x))
            x = x * 0.5
        else:
            array = array.write(i, tf.reverse(x, [0]))
    return array.stack(), x


@on((ROWS,))
def rows_that_are_added_up(x):
    total = tf.zeros([2])
    for row in x:
        total = tf.reverse(total, [0]) + row * tf.reduce_sum(row)
    return total


@on((MATRIX, i32(3)))
def items_that_are_products(x, n):
    array = tf.TensorArray(tf.float32, n, element_shape=[3, 3], clear_after_read=False)
    y = x
    for i in tf.range(n):
        y = tf.tanh(y @ x)
        array = array.write(i, y)
    return array.read(0) @ array.read(n - 1), array.concat()


# -- variables ------------------------------------------------------------------------------


@on((VECTOR,), (OTHER,), variables=[OTHER, f32(1.0)])
def variables_that_are_assigned(x, v, w):
    v.assign_add(tf.cumsum(x))
    w.assign(w * 0.5 + x[0])
    return v * w


@on((VECTOR,), (OTHER,), variables=[OTHER])
def a_variable_that_is_read_before_it_changes(x, v):
    before = v * 2.0
    v.assign(tf.reverse(v, [0]) + x)
    after = tf.cumsum(v)
    v.assign_sub(x * 0.5)
    return before + after


@on((VECTOR,), (OTHER,), variables=[OTHER, VECTOR])
def variables_that_exchange_values(x, v, w):
    a, b = v + x, w - x
    v.assign(b)
    w.assign(a)
    return a * b


@on((ROWS,), (ROWS + 1.0,), variables=[MATRIX[:2], f32(0.5, -0.5, 0.25)])
def a_step_of_descent(x, w, b):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.tanh(x @ w + b)))
    slopes = tape.gradient(loss, [w, b])
    w.assign_sub(slopes[0] * 0.1)
    b.assign_sub(slopes[1] * 0.1)
    return loss


@on((VECTOR,), (OTHER,), variables=[VECTOR, np.zeros(6, np.float32)])
def a_step_with_momentum(x, v, m):
    slope = v * x
    m.assign(m * 0.9 + slope)
    v.assign_sub(m * 0.1 / (tf.sqrt(m * m) + 0.01))
    return tf.reduce_sum(v)


@on((VECTOR, i32(3)), variables=[OTHER])
def a_variable_that_a_loop_reads(x, n, v):
    for _ in tf.range(n):
        x = tf.reverse(x, [0]) * v
    v.assign(x)
    return x + 1.0


@on((VECTOR,), (OTHER,), variables=[np.arange(6, dtype=np.int32), OTHER])
def variables_that_may_refuse(x, n, v):
    n.assign(n // tf.cast(tf.abs(x) * 4.0 + 1.0, tf.int32))
    v.assign(tf.reverse(v, [0]) * 0.5)
    return tf.cast(n, tf.float32) + v


@on((ROWS,), variables=[ROWS, ROWS[:, 0], MATRIX])
def variables_of_several_shapes(x, v, w, m):
    rows = tf.nn.softmax(v + x)
    v.assign(rows * 2.0)
    w.assign_add(tf.reduce_sum(rows * x, 1))
    m.assign(m @ m)
    m.assign_sub(tf.transpose(m))
    return tf.cumsum(w) + tf.reduce_sum(m)


# -- what moves, and what is computed in one pass ---------------------------------------------


@on((CUBE, i32(1)), (CUBE, i32(0)))
def cut_in_many_ways(x, i):
    a = x[:, 1:, ::2] + x[:, :-1, 1::2]
    b = x[i, ..., -1] * x[0, :, i]
    c = x[::-1, i:, 3:0:-1]
    d = tf.slice(x, [0, 1, 1], [2, -1, 2])
    return a, b, tf.reduce_sum(c), d[:, :, tf.newaxis], x[..., i]


@on((CUBE, np.array([[2, 0], [1, 1]])))
def gathered_along_axes(x, ids):
    a = tf.gather(x, ids, axis=1)
    b = tf.gather(x, ids, axis=1, batch_dims=1)
    c = tf.gather_nd(x, ids[1:, :1])
    d = tf.gather(tf.gather(x, ids[0], axis=2), ids[1], axis=1)
    return tf.reduce_sum(a, 2), b * 2.0, c, tf.cumsum(d, 2)


@on((CUBE,))
def turned_and_reshaped(x):
    a = tf.transpose(x, [1, 2, 0])
    b = tf.reshape(a, [-1, 4])
    c = tf.reverse(tf.reshape(x, [4, -1]), [-1, 0])
    d = tf.squeeze(tf.expand_dims(x[:1], 2), [0])
    e = tf.broadcast_to(x[:, :1, 1:2], [2, 3, 4])
    return b, tf.cumsum(c, 1), d + 1.0, e * x, tf.roll(x, [1, 2], [0, 2])


@on((ROWS,))
def squeezed_after_a_slice(x):
    return tf.squeeze(x[:1], [0]) * 2.0


@on((ROWS, ROWS[:, :1], ROWS[0]))
def broadcast_together(x, column, row):
    y = x * column + row
    z = tf.reduce_sum(y - tf.reduce_max(y, 1, keepdims=True), 1, keepdims=True)
    return y / (1.0 + z * z), tf.reduce_sum(y * row, 0), tf.reduce_mean(column * 2.0)


@on((CUBE,))
def sums_over_several_axes(x):
    a, b = tf.reduce_sum(x, [0, 2]), tf.reduce_mean(x, [1, 2], keepdims=True)
    c = tf.reduce_max(x * b, 0)
    d = tf.reduce_sum(tf.square(x - b), 1)
    return a, c + a[:, None], d, tf.reduce_prod(x[:, :1, 0], 0), tf.reduce_min(x - c)


@on((ROWS,))
def one_pass_after_the_other(x):
    total = tf.reduce_sum(x)
    y = x / total
    least = tf.reduce_min(y)
    z = (y - least) * total
    return z, tf.reduce_sum(z, 0) - least, tf.reduce_sum(z, 1) + total


@on((CUBE, CUBE + 1.0))
def joined_along_axes(x, y):
    a = tf.concat([x, y * 2.0, x[:, :1]], 1)
    b = tf.stack([x, y], 2)
    c = tf.stack([x[0], y[1], x[1]], -1)
    return tf.cumsum(a, 1), b, c + 1.0, tf.concat([y[0], x[1]], -1)


@on((ROWS, ROWS * 2.0))
def joined_where_they_are_computed(x, y):
    inner = x * 2.0 - y
    bordered = tf.pad(inner, [[1, 2], [1, 0]], constant_values=0.5)
    both = tf.concat([tf.tanh(x), inner + 1.0, tf.stack([y[0] * y[1], x[0]])], 0)
    beside = tf.concat([x + y, tf.exp(x), bordered[1:5]], 1)
    return tf.stack([x - y, tf.pad(x[:-1] * y[1:], [[1, 0], [0, 0]]), inner]), both, beside


@on((MATRIX, i32(3)), (MATRIX, i32(0)))
def borders_in_a_loop(x, n):
    before = x
    for _ in tf.range(n):
        inner = before[1:, :-1] * 0.5 + x[:-1, 1:]
        x, before = tf.pad(inner, [[1, 0], [0, 1]]) - before, x
    return x, before


@on((CUBE, i32(3)), (CUBE, i32(0)))
def parts_of_a_tensor_in_a_loop(x, n):
    total = x[:, 0]
    for t in tf.range(n):
        total = total * x[:, t] + x[:, 0] * tf.reduce_sum(x[:, :, -t - 1])
    return total


@on((VECTOR, i32(4)), (VECTOR, i32(0)))
def elements_that_either_side_changes(x, n):
    for i in tf.range(n):
        if x[i] > 0.0:
            x = tf.tensor_scatter_nd_update(x, [[i + 1]], [x[i] * 0.5])
        else:
            x = tf.tensor_scatter_nd_add(x, [[i]], [2.0])
            if x[i] > 1.0:
                x = tf.reverse(x, [0]) + x
    return x


@on((ROWS,))
def scans_in_all_directions(x):
    a = tf.cumsum(x, 0, exclusive=True)
    b = tf.cumsum(a, 1, reverse=True)
    c = tf.math.cumprod(b * 0.1 + 1.0, 0, reverse=True, exclusive=True)
    return a, b, c, tf.math.cumulative_logsumexp(x, 0)


@on((VECTOR, np.array([1, 4, 1, 0]), VECTOR[:4] * 3.0))
def scattered_with_other_operations(x, ids, y):
    a = tf.tensor_scatter_nd_max(x, ids[:, None], y)
    b = tf.tensor_scatter_nd_min(x, ids[:, None], y)
    c = tf.tensor_scatter_nd_sub(a, ids[:, None], b[:4])
    d = tf.math.unsorted_segment_max(y, ids, 5)
    return b, c, tf.where(d > 0.0, d, 0.0), tf.math.unsorted_segment_prod(y, ids, 5)


@on((MATRIX, MATRIX + 1.0, MATRIX * 2.0))
def products_that_are_added_up(x, y, z):
    a = x @ y + z
    b = a + tf.matmul(x, z, transpose_a=True)
    return b + tf.matmul(y, a, transpose_b=True), a


@on((MATRIX, i32(3)), (MATRIX, i32(0)))
def products_that_a_loop_adds_up(x, n):
    total = tf.zeros_like(x)
    for i in tf.range(n):
        total = total + tf.matmul(x, x, transpose_a=True) * 0.5
        x = tf.transpose(x) + tf.cast(i, tf.float32)
    return total


@on((VECTOR, i32(4), i32(2)), (VECTOR, i32(4), i32(9)))
def indices_that_are_computed(x, n, k):
    place = tf.minimum(k * 2, 5)
    y = x[place] + x[-1]
    for i in tf.range(n):
        y = y + x[i] * x[(i + k) % 6]
    return y, x[place:], tf.one_hot(place, 4) * y


@on((VECTOR,))
def a_list_of_other_items(x):
    array = tf.TensorArray(tf.float32, 3, element_shape=[6], clear_after_read=False)
    array = array.scatter([2, 0], tf.stack([x, x * 2.0]))
    y = array.read(0) + array.read(1)
    return array.gather([0, 2]), y, tf.cumsum(array.stack(), 0)


@on((ROWS, i32(3)))
def a_loop_that_changes_rows(x, n):
    array = tf.TensorArray(tf.float32, 4, clear_after_read=False).unstack(x)
    for i in tf.range(n):
        row = array.read(i)
        array = array.write(i + 1, row + array.read(i + 1) * 0.5)
        x = x + row
    return array.stack(), x


@on((VECTOR, i32(3)), (VECTOR, i32(0)))
def a_list_in_two_loops(x, n):
    array = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[6])
    for _ in tf.range(n):
        array = array.write(array.size(), x)
        x = tf.reverse(x, [0]) * 0.5
    total = x
    for i in tf.range(array.size()):
        total = total * 0.5 + array.read(i)
    return total, array.size()


@on((VECTOR, i32(3)))
def second_derivatives_of_a_loop(x, n):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in tf.range(n):
            y = y * x + tf.reverse(x, [0])
    return tape.gradient(y, x)


# -- rare forms of loops ----------------------------------------------------------------------


@on((VECTOR, OTHER, i32(3)), (VECTOR, OTHER, i32(0)))
def a_variable_that_stays(a, b, n):
    step = lambda i, a, b, c: (i + 1, a, a, b * 0.5)  # noqa: E731
    return tf.while_loop(lambda i, *_: i < n, step, (0, a, b, a + b))[1:]


@on((VECTOR, OTHER, i32(3)), (VECTOR, OTHER, i32(0)))
def a_variable_that_stays_in_another_shape(a, b, n):
    def step(i, a, b):
        return i + 1, tf.reshape(tf.reshape(a, [2, 3]), [6]), tf.reshape(tf.reshape(a, [3, 2]), [6])

    return tf.while_loop(lambda i, *_: i < n, step, (0, a, b))[1:]


@on((ROWS, ROWS[:, :1]))
def reduced_axes_of_one(x, column):
    a = tf.reduce_sum(column, 1, keepdims=True) + x
    b = tf.reduce_max(x[None], 0) * tf.reduce_mean(column, [1])[:, None]
    c = tf.reduce_sum(tf.reduce_prod(x[:, None, :], 1, keepdims=True), [0, 1])
    return a, b, c


@on((VECTOR, OTHER), (OTHER, VECTOR), variables=[OTHER[:5]])
def a_variable_of_a_size_that_is_computed(x, y, v):
    a = x[1:] + y[1:]
    b = y[1:] * 2.0 + x[1:]
    total = tf.reduce_sum(v)
    v.assign(a * 0.5)
    return b + total


@on((VECTOR, OTHER, i32(3)), (VECTOR, OTHER, i32(0)))
def two_values_that_follow_from_both(a, b, n):
    for _ in tf.range(n):
        a, b = a * 0.5 + b, a - b
    return a, b


@on((VECTOR, OTHER, TRUE), (VECTOR, OTHER, FALSE), variables=[OTHER, VECTOR])
def variables_that_a_branch_assigns(x, y, p, v, w):
    a, b = tf.cumsum(x), tf.reverse(y, [0])
    if p:
        v.assign(a * 2.0)
    else:
        w.assign_add(b)
    return x + 1.0


@on((VECTOR[:3], i32(3)), (VECTOR[:3], i32(1)))
def products_of_a_loop_in_a_loop(x, n):
    total = x
    for i in tf.range(n):
        y = total
        for _ in tf.range(i + 1):
            y = y * x + tf.sin(y)
        total = total + tf.tanh(y)
    return total


@on((VECTOR, OTHER, TRUE), (VECTOR, OTHER, FALSE), variables=[OTHER])
def a_branch_of_which_an_effect_is_needed(x, y, p, v):
    def assigned():
        v.assign(tf.cumsum(x))
        return y * 2.0

    tf.cond(p, assigned, lambda: y + 1.0)
    return x + 1.0
