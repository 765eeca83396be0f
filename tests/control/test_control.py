"""Branches and loops in graphs: captures, effects, errors that show both sides, gradients."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import graphwright as tf
from graphwright.machine import background

# -- what the graph holds -----------------------------------------------------------------------


def ops_of(function, *args):
    return {node.op.type_name for node in function.get_concrete_function(*args).graph.nodes}


def test_a_branch_with_effects_is_an_if_and_one_without_a_stateless_if():
    v = tf.Variable(1.0)
    pure = tf.function(lambda x: tf.cond(x > 0, lambda: x, lambda: -x))
    impure = tf.function(lambda x: tf.cond(x > 0, lambda: v.assign(x), lambda: v + x))
    assert "StatelessIf" in ops_of(pure, tf.constant(1.0))
    assert "If" in ops_of(impure, tf.constant(1.0))


@pytest.mark.parametrize("staged", [False, True])
def test_each_side_of_a_branch_has_its_own_gradient(staged):
    """Each remembers what its gradient needs, of dtypes of its own."""

    @tf.function
    def program(x):
        def first():
            return tf.sin(x) * tf.cast(tf.sin(tf.cast(x, tf.float64)) * 3.0, tf.float32)

        return tf.switch_case(
            tf.cast(x, tf.int32), [first, lambda: tf.exp(x) * tf.exp(x), lambda: x * x * x]
        )

    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = program(x)
        return tape.gradient(y, x)

    find = tf.function(slope) if staged else slope
    wanted = [3 * np.sin(1.0), 2 * np.exp(3.0), 3 * 2.5**2]
    found = [float(find(tf.constant(x))) for x in (0.5, 1.5, 2.5)]
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


@pytest.mark.parametrize("staged", [False, True])
def test_a_loop_has_the_gradient_of_what_it_captures(staged):
    @tf.function
    def program(x, w):
        return tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, y * y * w), (0, x))[1]

    def slopes(x, w):
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            y = program(x, w)
        return tape.gradient(y, [x, w])

    found = (tf.function(slopes) if staged else slopes)(tf.constant(1.25), tf.constant(0.75))
    x, w = 1.25, 0.75  # the result is x^8 w^7
    wanted = [8 * x**7 * w**7, 7 * x**8 * w**6]
    np.testing.assert_allclose([float(g) for g in found], wanted, rtol=1e-5)


def test_branches_share_what_either_captures():
    x, y = tf.ones([200]), tf.fill([200], 3.0)

    @tf.function
    def choose(p):
        return tf.cond(p, lambda: x * 2.0, lambda: y * x)

    assert choose(tf.constant(True)).numpy()[0] == 2.0
    assert choose(tf.constant(False)).numpy()[0] == 3.0


def test_only_the_chosen_side_has_its_effects_and_a_loop_has_them_in_order():
    v = tf.Variable(1)

    @tf.function
    def run(p):
        tf.cond(p, lambda: v.assign_add(10), lambda: v.assign_sub(1))

        def body(i):
            v.assign(v * 2 + i)
            return (i + 1,)

        tf.while_loop(lambda i: i < 3, body, (0,))

    run(tf.constant(True))
    assert v.numpy() == (((11 * 2 + 0) * 2 + 1) * 2 + 2)


@pytest.mark.parametrize("default", [False, True])
@pytest.mark.parametrize("how", ["eagerly", "staged", "compiled", "with effects"])
def test_an_index_without_a_branch_takes_the_last(how, default):
    v = tf.Variable(0.0)

    def side(number):
        return lambda: v.assign(number) * 1.0 if how == "with effects" else tf.constant(number)

    def choose(index):
        last = side(7.0) if default else None
        return tf.switch_case(index, [side(float(i)) for i in range(3)], default=last)

    f = choose if how == "eagerly" else tf.function(choose, jit_compile=how == "compiled" or None)
    other = 7.0 if default else 2.0
    for index in (-4, -3, -2, -1, 0, 1, 2, 3, 4, 1 << 30, -1 << 30):
        assert f(tf.constant(index)) == (index if 0 <= index < 3 else other)


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("index", [1, True, np.int32(1), np.array(1), tf.Variable(1)])
def test_what_chooses_a_branch_is_a_tensor(index, staged):
    def choose():
        return tf.switch_case(index, [lambda: tf.constant(1), lambda: tf.constant(2)])

    with pytest.raises(TypeError, match="'branch_index' must be a Tensor, got <class"):
        (tf.function(choose) if staged else choose)()


def test_rows_of_a_map_without_a_branch_take_the_last():
    indices = tf.constant([-4, -1, 0, 1, 2, 3])
    sides = [lambda: tf.constant(0), lambda: tf.constant(1), lambda: tf.constant(2)]
    found = tf.vectorized_map(lambda index: tf.switch_case(index, sides), indices)
    assert found.numpy().tolist() == [2, 2, 0, 1, 2, 2]


def test_a_tensor_of_a_branch_cannot_be_used_outside_of_it():
    leaked = []

    @tf.function
    def leak(x):
        tf.cond(x > 0, lambda: leaked.append(x + 1) or x, lambda: x)
        return leaked[0] + 1

    with pytest.raises(tf.errors.InaccessibleTensorError, match="cannot be accessed from"):
        leak(tf.constant(1))


@pytest.mark.parametrize(
    ("program", "error", "texts"),
    [
        (
            lambda x: tf.cond(x[0] > 0, lambda: tf.constant(1), lambda: tf.constant(2.0)),
            TypeError,
            ["true_fn", "false_fn", "int32", "float32"],
        ),
        (
            lambda x: tf.while_loop(lambda x: True, lambda x: (tf.concat([x, x], 0),), (x,)),
            ValueError,
            ["`x:0` enters the loop with shape (2,)", "shape (4,)", "shape_invariants"],
        ),
        (
            lambda x: tf.while_loop(lambda x: True, lambda x: (tf.cast(x, tf.int32),), (x,)),
            TypeError,
            ["x:0", "float32", "int32"],
        ),
        (
            lambda x: tf.cond(x, lambda: 1, lambda: 2),
            tf.errors.InvalidArgumentError,
            ["pred", "bool", "float32"],
        ),
        (
            lambda x: tf.while_loop(lambda x: x > 0, lambda x: (x,), (x,)),
            tf.errors.InvalidArgumentError,
            ["cond", "scalar", "(2,)"],
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_both_sides_named(program, error, texts):
    with pytest.raises(error) as raised:
        tf.function(program)(tf.constant([1.0, 2.0]))
    for text in texts:
        assert text in str(raised.value)


def test_the_shapes_of_results_are_what_both_sides_have_in_common():
    @tf.function
    def choose(p):
        return tf.cond(p, lambda: tf.ones([2, 3]), lambda: tf.ones([4, 3]))

    concrete = choose.get_concrete_function(tf.TensorSpec([], tf.bool))
    assert concrete.structured_outputs.shape.as_list() == [None, 3]


def test_dropped_functions_with_loops_and_branches_under_tapes_are_freed():
    def make():
        @tf.function
        def loop(x):
            y = x * 2.0
            step = lambda i, x: (i + 1, tf.cond(x > 0, lambda: x * y, lambda: y))  # noqa: E731
            return tf.while_loop(lambda i, x: i < 3, step, (0, x))[1]

        x = tf.constant(1.5)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loop(x)
        assert tape.gradient(y, x).numpy() > 0

    def graphs():
        background.wait()  # what is compiled for other tests is made of graphs
        gc.collect()
        return {id(each) for each in gc.get_objects() if isinstance(each, tf.Graph)}

    before = graphs()
    make()
    assert graphs() <= before


# -- gradients against numeric ones -------------------------------------------------------------

STEPS = {
    "sin": lambda x, w: tf.sin(x) * w,
    "product": lambda x, w: x * w + 0.3,
    "tanh": lambda x, w: tf.tanh(x + w) - 0.1 * x,
    "branch": lambda x, w: tf.cond(
        tf.reduce_sum(x) > 0.5, lambda: x * 0.7 + w, lambda: tf.exp(-x) * w
    ),
    "loop": lambda x, w: tf.while_loop(
        lambda j, z: j < 2, lambda j, z: (j + 1, z * 0.5 + tf.sin(w * z)), (0, x)
    )[1],
    "call": lambda x, w: tf.function(lambda a, b: tf.sin(a + b))(x, w),
}


@settings(max_examples=25)
@given(
    st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=3),
    st.integers(0, 3),
    st.lists(st.floats(-1.5, 1.5), min_size=2, max_size=2),
    st.floats(-1.2, 1.2),
)
def test_a_gradient_through_random_loops_is_the_numeric_one(steps, count, start, weight):
    def program(x, w):
        def body(i, x):
            for step in steps:
                x = STEPS[step](x, w)
            return i + 1, x

        return tf.reduce_sum(tf.while_loop(lambda i, x: i < count, body, (0, x))[1])

    compiled = tf.function(program)
    x, w = tf.constant(start, tf.float64), tf.constant(weight, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = compiled(x, w)
    found = tape.gradient(y, [x, w], unconnected_gradients="zero")
    step = 1e-6

    def slope(dx, dw):
        up = compiled(x + tf.constant(dx, tf.float64), w + tf.constant(dw, tf.float64))
        down = compiled(x - tf.constant(dx, tf.float64), w - tf.constant(dw, tf.float64))
        # Where the two sides differ a branch has its edge: there is no derivative.
        right, left = float(up - y) / step, float(y - down) / step
        assume(abs(right - left) <= 1e-3 * (1 + abs(right)))
        return (right + left) / 2

    numeric = [slope([step, 0.0], 0.0), slope([0.0, step], 0.0)]
    np.testing.assert_allclose(found[0], numeric, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found[1], slope([0.0, 0.0], step), rtol=1e-4, atol=1e-5)


def test_a_loop_adds_up_the_gradient_of_a_variable_that_it_changes():
    w = tf.Variable(2.0)

    def program(x):
        def body(i, x):
            x = x * w
            w.assign_add(1.0)
            return i + 1, x

        return tf.while_loop(lambda i, x: i < 3, body, (0, x))[1]

    x = tf.constant(1.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(program)(x)
    assert w.numpy() == 5.0
    dx, dw = tape.gradient(y, [x, w])
    assert dx.numpy() == 2.0 * 3.0 * 4.0
    assert dw.numpy() == 1.5 * (3.0 * 4.0 + 2.0 * 4.0 + 2.0 * 3.0)


@pytest.mark.parametrize("graph", [False, True], ids=["eager", "graph"])
def test_an_item_gathered_twice_has_the_gradients_of_both(graph):
    def program(x):
        return tf.TensorArray(tf.float32, 2).unstack(x).gather([1, 1, 0]) * [1.0, 2.0, 4.0]

    x = tf.constant([3.0, 5.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = (tf.function(program) if graph else program)(x)
    assert tape.gradient(y, x).numpy().tolist() == [4.0, 3.0]


def test_a_second_gradient_of_one_persistent_tape_runs_the_function_again():
    square = tf.function(lambda x: x * x * x)
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = square(x)
        g = tape.gradient(y, x)
    assert tape.gradient(g, x).numpy() == 12.0


def test_an_op_without_a_gradient_is_an_error_only_where_one_is_asked_for():
    @tf.function
    def both(x):
        return x * x, tf.cast(tf.argmax(x), tf.float32)

    x = tf.constant([1.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, _ = both(x)
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 6.0]


# -- checks of numbers --------------------------------------------------------------------------


@pytest.fixture
def checked():
    tf.debugging.enable_check_numerics()
    yield
    tf.debugging.disable_check_numerics()


@pytest.mark.usefixtures("checked")
def test_the_op_that_makes_a_nan_is_named():
    with pytest.raises(tf.errors.InvalidArgumentError, match='eagerly-executing op "Log"'):
        tf.math.log(tf.constant(-1.0))
    with pytest.raises(tf.errors.InvalidArgumentError, match='graph op "Log"'):
        tf.function(lambda x: tf.math.log(x * 2.0))(tf.constant(-1.0))
    looped = tf.function(
        lambda x: tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x / 0.0), (0, x))[1]
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match='graph op "RealDiv"'):
        looped(tf.constant(1.0))


def test_nothing_is_checked_afterwards():
    assert np.isnan(tf.math.log(tf.constant(-1.0)).numpy())


def test_mismatches_name_both_sides_and_their_lines():
    def one():
        return tf.constant(1), tf.constant(2)

    def two():
        return tf.constant(1)

    first = one.__code__.co_firstlineno
    with pytest.raises(TypeError) as caught:
        tf.function(lambda x: tf.cond(x > 0, one, two))(tf.constant(1))
    line = str(caught.value).splitlines()[0]
    assert f'true_fn returns (int32[], int32[]) (File "{__file__}", line {first}, in one)' in line
    assert f'false_fn returns int32[] (File "{__file__}", line {first + 3}, in two)' in line

    def loop(x):
        start = tf.cast(x, tf.float32)
        return tf.while_loop(lambda v: v < 3.0, lambda v: tf.cast(v, tf.int32), [start])

    first = loop.__code__.co_firstlineno
    with pytest.raises(TypeError) as caught:
        tf.function(loop)(tf.constant(1))
    words = str(caught.value)
    assert "float32" in words.splitlines()[0]
    assert "int32" in words.splitlines()[0]
    assert f'before the loop: File "{__file__}", line {first + 1}, in loop' in words
    assert f'in the body: File "{__file__}", line {first + 2}, in <lambda>' in words


def test_a_function_with_its_own_gradient_inside_a_branch_and_a_loop():
    """Its gradient holds tensors of the graphs that it was traced in."""

    @tf.custom_gradient
    def scaled(x, y):
        product = x * y
        count = tf.cast(tf.size(x), x.dtype)
        return product, lambda g: (g * product * 10.0, tf.reduce_sum(g) * count)

    @tf.function
    def program(x, y):
        z = tf.cond(y > 0.0, lambda: scaled(x, y), lambda: x)
        return tf.while_loop(lambda i, _: i < 2, lambda i, z: (i + 1, scaled(z, y)), (0, z))[1]

    @tf.function
    def slopes(x, y):
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = program(x, y)
        return tape.gradient(z, [x, y])

    def plain(x, y):
        values = [x]
        for _ in range(3):
            values.append(values[-1] * y)
        g, by_y = np.ones_like(x), 0.0
        for value in reversed(values[1:]):
            by_y += g.sum() * len(x)
            g = g * value * 10.0
        return g, by_y

    x, y = np.array([0.5, 2.0], np.float32), np.float32(0.75)
    by_x, by_y = slopes(tf.constant(x), tf.constant(y))
    wanted_x, wanted_y = plain(x, y)
    np.testing.assert_allclose(by_x, wanted_x, rtol=1e-5)
    np.testing.assert_allclose(by_y, wanted_y, rtol=1e-5)


@pytest.mark.parametrize("form", ["call", "branch", "loop"])
def test_a_gradient_of_another_shape_is_refused(form):
    """Graphs of a gradient have types, so a slope by a scalar cannot be a vector."""

    @tf.custom_gradient
    def scaled(x, y):
        return x * y, lambda g: (g * y, g * x)

    programs = {
        "call": tf.function(scaled),
        "branch": lambda x, y: tf.cond(y > 0.0, lambda: scaled(x, y), lambda: x),
        "loop": lambda x, y: tf.while_loop(
            lambda i, _: i < 2, lambda i, z: (i + 1, scaled(z, y)), (0, x)
        )[1],
    }

    @tf.function
    def slopes(x, y):
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = programs[form](x, y)
        return tape.gradient(z, [x, y])

    with pytest.raises(ValueError, match=r"gradient of shape \[2\] for an operand of shape \[\]"):
        slopes(tf.constant([0.5, 2.0]), tf.constant(0.75))


#: Programs with a result `x * y` and another one whose slope at 0 is infinite.
SLOPES_APART = {
    "call": lambda x, y: tf.function(lambda x, y: (x * y, tf.math.log(x)))(x, y),
    "branch": lambda x, y: tf.cond(y > 0.0, lambda: (x * y, tf.math.log(x)), lambda: (x, x)),
    "one side": lambda x, y: tf.cond(y > 0.0, lambda: (x * y, tf.math.log(x)), lambda: (y, y)),
    "switch": lambda x, y: tf.switch_case(
        tf.constant(1), [lambda: (x, x), lambda: (x * y, tf.math.log(x))]
    ),
    "loop": lambda x, y: tf.while_loop(
        lambda i, a, b: i < 1, lambda i, a, b: (i + 1, a * y, tf.math.log(b)), (0, x, x)
    )[1:],
    "captured": lambda x, y: tf.while_loop(
        lambda i, a, b: i < 1, lambda i, a, b: (i + 1, a * y, tf.math.log(x)), (0, x, x)
    )[1:],
    "loop in a call": lambda x, y: tf.function(SLOPES_APART["loop"])(x, y),
    "branch in a loop": lambda x, y: tf.while_loop(
        lambda i, a, b: i < 1, lambda i, a, b: (i + 1, *SLOPES_APART["branch"](a, y)), (0, x, x)
    )[1:],
}


@pytest.mark.parametrize("form", SLOPES_APART)
@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("staged", [False, True])
def test_what_nobody_asks_for_does_not_reach_a_gradient(form, persistent, staged):
    """Zeros times an infinite slope are NaN."""

    def slopes(x, y):
        with tf.GradientTape(persistent=persistent) as tape:
            tape.watch([x, y])
            product, _ = SLOPES_APART[form](x, y)
        return tape.gradient(product, [x, y])

    by_x, by_y = (tf.function(slopes) if staged else slopes)(tf.constant(0.0), tf.constant(3.0))
    assert (float(by_x), float(by_y)) == (3.0, 0.0)


def test_a_variable_that_meets_another_in_a_later_turn_has_a_gradient():
    @tf.function
    def slopes(x, y, steps):
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            a, b, c = x, y, y
            for _ in tf.range(steps):
                a, b, c = a + b, b + c * c, c * 2.0
        return tape.gradient(a, [x, y])

    # After three turns a is x + 3 y + 6 y^2 (b: y, y + y^2, y + 5 y^2).
    by_x, by_y = slopes(tf.constant(1.0), tf.constant(0.5), tf.constant(3))
    assert (float(by_x), float(by_y)) == (1.0, 3.0 + 12.0 * 0.5)


def test_a_gradient_of_one_result_gives_zeros_for_what_others_depend_on():
    @tf.function
    def program(x, y):
        return x * 2.0, tf.gather(y, [0]) * 3.0

    def slopes(x, y):
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            result = program(x, y)[0]
        return tape.gradient(result, [x, y])

    for run in (slopes, tf.function(slopes)):
        by_x, by_y = run(tf.constant(1.0), tf.constant([1.0, 2.0]))
        assert float(by_x) == 2.0
        np.testing.assert_array_equal(tf.convert_to_tensor(by_y), [0.0, 0.0])


def test_gradients_have_no_nodes_that_nothing_needs():
    @tf.function
    def program(x, y):
        return tf.reduce_sum(tf.matmul(x, y) * tf.exp(y)) + tf.reduce_max(x)

    @tf.function
    def slope(x, y):
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = program(x, y)
        return tape.gradient(z, x)

    def unused(graph):
        needed = set(graph.results)
        for node in reversed(graph.nodes):
            if needed.isdisjoint(node.outputs):
                if not set(graph.arguments) & set(node.outputs):
                    yield node
            else:
                needed.update(node.inputs)
        for inner in graph.subgraphs():
            yield from unused(inner)

    matrix = tf.TensorSpec([2, 2])
    graph = slope.get_concrete_function(matrix, matrix).graph
    inner = list(graph.subgraphs())
    assert len(inner) >= 2
    assert [node.name for each in inner for node in unused(each)] == []


def test_a_loop_reads_a_variable_once_before_it():
    v = tf.Variable(2.0)

    @tf.function
    def program(x):
        def body(i, x):
            return i + 1, x * v + v

        return tf.while_loop(lambda i, x: x < 100.0 * v, body, (0, x))

    concrete = program.get_concrete_function(tf.constant(1.0))
    graphs = [concrete.graph, *concrete.graph.subgraphs()]
    reads = [[n for n in g.nodes if n.op.type_name == "ReadVariableOp"] for g in graphs]
    assert [len(each) for each in reads] == [1, 0, 0]
    for value in (2.0, 3.0):
        v.assign(value)
        count, x = 0, 1.0
        while x < 100.0 * value:
            count, x = count + 1, x * value + value
        assert [float(found) for found in program(tf.constant(1.0))] == [count, x]


def test_no_rows_have_the_shape_of_the_state() -> None:
    none = tf.zeros([0, 2])
    state = (tf.zeros([3, 4]), tf.constant([[1]]))
    for reverse in (False, True):
        result = tf.scan(lambda a, x: (a[0] + 1.0, a[1]), none, initializer=state, reverse=reverse)
        assert [(r.shape, r.dtype) for r in result] == [
            ((0, 3, 4), tf.float32),
            ((0, 1, 1), tf.int32),
        ]
    spec = tf.TensorSpec([3, 4], tf.int32)
    assert tf.map_fn(lambda x: None, none, fn_output_signature=spec).shape == (0, 3, 4)


ONE = [([1], [3.0]), ([1, 1], [[3.0]]), ([None], [3.0]), (None, [[3.0]]), ([], 3.0)]


@pytest.mark.parametrize(("shape", "value"), ONE)
@pytest.mark.parametrize("jit", [None, True])
def test_a_condition_of_one_element_may_have_any_rank(shape, value, jit):
    @tf.function(jit_compile=jit, input_signature=[tf.TensorSpec(shape)])
    def chosen(x):
        steps = 0
        while x < 10.0:
            x = x * 2.0
            steps += 1
        if x > 11.0:
            steps += 10
        for _ in tf.range(5):
            if x > 20.0 and x < 90.0:
                break
            x = x * 2.0
            steps += 100 * (1 if x > 40.0 else 2)
        if not x < 5.0 or x > 9.0:
            steps += 1000
        steps += tf.cond(x > 0.0, lambda: 10_000, lambda: 0)
        return steps + tf.while_loop(lambda n: n < 3, lambda n: n + 1, [tf.reshape(0, [1])])[0][0]

    assert chosen(tf.constant(value)).numpy() == 11_215


def test_a_condition_of_more_elements_is_refused():
    def chosen(x):
        return 1 if x > 0.0 else 2

    whole, partial = [tf.TensorSpec([n]) for n in (2, None)]
    with pytest.raises(ValueError, match=r"expected to be `tf.bool` scalar"):
        tf.function(chosen, input_signature=[whole])(tf.zeros([2]))
    for values in ([1.0, 1.0], []):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.function(chosen, input_signature=[partial])(tf.constant(values))


def test_branches_may_return_rows_whose_indices_differ_in_dtype() -> None:
    """TensorFlow makes them int64 then; an optimizer's rule for rows counts on it."""

    def rows(size, dtype):
        return tf.IndexedSlices(
            tf.ones([size, 2]), tf.range(size, dtype=dtype), tf.constant([4, 2])
        )

    @tf.function
    def f(flag):
        return tf.cond(flag, lambda: [rows(3, tf.int64), None], lambda: [rows(1, tf.int32), None])

    for flag, size in ((True, 3), (False, 1)):
        slices, nothing = f(tf.constant(flag))
        assert nothing is None
        assert slices.indices.dtype is tf.int64
        assert tf.convert_to_tensor(slices).numpy().sum() == 2.0 * size

    @tf.function
    def g(place):
        return tf.switch_case(place, [lambda: rows(1, tf.int32), lambda: rows(2, tf.int64)])

    assert [len(g(tf.constant(place)).indices) for place in (0, 1)] == [1, 2]


@pytest.mark.parametrize("jit", [False, True])
def test_an_array_leaves_a_loop_with_the_size_that_it_entered_with(jit):
    """As in TensorFlow, which refuses, too, to stack an array of another size."""

    @tf.function(jit_compile=jit)
    def filled(x, n):
        array = tf.TensorArray(tf.float32, size=3)
        for i in tf.range(n):
            array = array.write(i, x[i])
        _, more = tf.while_loop(
            lambda i, t: i < n, lambda i, t: (i + 1, t.write(i, x[i])), (0, array)
        )
        grown = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i in tf.range(n):
            grown = grown.write(i, x[i])
        stacked = array.stack(), more.stack(), grown.stack()
        assert [t.shape.as_list() for t in stacked] == [[3], [3], [None]]
        return stacked

    for stacked in filled(tf.constant([1.0, 2.0, 3.0]), 3):
        assert stacked.numpy().tolist() == [1.0, 2.0, 3.0]

    @tf.function(jit_compile=jit)
    def replaced(x, n):
        array = tf.TensorArray(tf.float32, size=3)
        for _ in tf.range(n):
            array = tf.TensorArray(tf.float32, size=2).write(0, x).write(1, x)
        return array.stack()

    with pytest.raises(tf.errors.InvalidArgumentError, match="3 elements but got a list with 2"):
        replaced(tf.constant(1.0), 1)
