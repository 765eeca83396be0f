"""Calls that go straight to a kernel give what the same calls give otherwise."""

from __future__ import annotations

import itertools
import logging
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.op.dispatch import opened
from graphwright.op.one_op import PATIENCE, ROLES, one_op
from graphwright.op.op import FORMS
from graphwright.op.refusal import replace
from graphwright.ops.core import casting, movement
from graphwright.ops.linalg import contraction
from graphwright.ops.math import arithmetic, reduction, transcendental
from graphwright.values.prepared_calls import PreparedCalls

assert tf.nn.relu  # its module is imported late
FUNCTIONS = sorted(ROLES, key=lambda function: f"{function.__module__}.{function.__name__}")

#: Dtypes of each kind. Products of matrices of int16 are refused unless they are in a batch.
DTYPES = ["bool", "int16", "int32", "bfloat16", "float32", "complex64", "string"]
SHAPES: list[tuple[int, ...]] = [(2, 3), (3,), (), (3, 2), (2, 0), (4, 2, 3)]
NUMBERS = [0.0, -0.0, 2, 2.5, -1, True, 1 << 40, float("nan"), "text", None]
#: Values of host operands. Each function refuses some.
HOSTS = [None, 0, 1, -1, 5, [0], (0, 1), [1, 0], [-1], [3, 2], [2, 2, 3], [], np.int64(1), [6], 6]
HOSTS += [tf.constant(0), tf.constant([1, 0]), [tf.constant(2), 3], 1.5, True]
ATTRIBUTES: dict[str, list[Any]] = {
    "axis": [0, 1, -1, None, 7, True, 1.0],
    "dtype": [tf.int32, "int32", tf.float32, np.float64, tf.bool, tf.complex64, tf.string],
    "exclusive": [False, True, 0],
    "keepdims": [False, True, 0, 1, np.True_],
    "output_type": [tf.int64, tf.int32, "int32", tf.float32],
    "reverse": [False, True, 1],
    "transpose_a": [False, True, 1],
    "transpose_b": [False, True, 0],
}


def array_of(dtype: str, shape: tuple[int, ...], seed: int) -> Any:
    generator = np.random.default_rng(seed)
    numbers = generator.integers(-3, 4, shape) * 1.0
    if dtype == "string":
        return np.array(generator.choice(["", "a", "bc"], shape), object)
    if dtype in ("float32", "float64"):
        rare = generator.choice([np.nan, np.inf, -0.0, 1e30], shape)
        numbers = np.where(generator.random(shape) < 0.2, rare, numbers)
    return numbers


def tensor_of(dtype: str, shape: tuple[int, ...], seed: int) -> tf.Tensor:
    array = array_of(dtype, shape, seed)
    return tf.constant(array, "string") if dtype == "string" else tf.cast(tf.constant(array), dtype)


def outcome(call: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The dtype, shape and bits of a result, or the class and the first line of an error."""
    try:
        result = call(*arguments)
    except Exception as error:  # noqa: BLE001 - any class is an outcome
        return type(error), str(error).split("\n")[0]
    assert type(result._array) is np.ndarray
    elements = result._array.tolist() if result.dtype is tf.string else result._array.tobytes()
    return result.dtype, tuple(result.shape), elements


def calls(function: Any, dtype: str) -> Iterator[tuple[Any, ...]]:
    """Arguments for a function: of many shapes, and of all that the others may be."""
    roles = ROLES[function]
    names = function.__code__.co_varnames
    first = roles.tensors + roles.hosts
    hosts = [HOSTS] * roles.hosts
    others = [ATTRIBUTES[name] for name in names[first : first + roles.attributes]]
    some, first_ones = [each[:3] for each in hosts], [each[:1] for each in others]
    cases = [*itertools.product(*some, *others), *itertools.product(*hosts[:1], *first_ones)]
    if roles.hosts == 2:
        cases = [(host, HOSTS[i * 7 % len(HOSTS)]) for i, host in enumerate(HOSTS * 3)]
    for seed, rest in enumerate(cases):
        for place, shape in enumerate(SHAPES):
            # Shapes that fit and others, in ever other orders.
            second = SHAPES[(place + seed) % len(SHAPES)]
            x, y = tensor_of(dtype, shape, seed), tensor_of(dtype, second, seed + 1)
            if roles.is_list:
                for tensors in ([x, x], (x, y), [x], [x, 1.0], []):
                    yield tensors, *rest
            elif roles.tensors == 2:
                yield x, y, *rest
                yield x, tensor_of(dtype, shape, seed + 2), *rest
                yield x, tensor_of("float64", (), seed), *rest
                if roles.takes_numbers:
                    yield from [(x, number, *rest) for number in NUMBERS]
                    yield NUMBERS[seed % len(NUMBERS)], x, *rest
            elif roles.tensors == 3:
                yield x, tensor_of("float32", shape, seed), tensor_of("float32", second, seed)
                yield x, y, x
            else:
                yield x, *rest


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: str(function.__name__))
def test_a_call_gives_what_the_function_gives(function: Any, dtype: str) -> None:
    public = opened(function)
    warm_up(function)
    with warnings.catch_warnings(action="error"):
        for arguments in calls(function, dtype):
            expected = outcome(function, arguments)
            for _ in range(3):  # the kernel of the third is prepared
                assert outcome(public, arguments) == expected, arguments


def warm_up(*functions: Any) -> None:
    """Calls functions until there is code for what is like other calls."""
    for function in functions:
        arguments = usual_arguments(function)
        for _ in range(PATIENCE + 4):
            opened(function)(*arguments)


def usual_arguments(function: Any) -> list[Any]:
    """Arguments that a function takes, all tensors of two rows and two columns."""
    roles, x = ROLES[function], tf.constant([[1.0, 2.0], [3.0, 4.0]])
    if "logical" in function.__name__ or function.__name__ in ("reduce_all", "reduce_any"):
        x = x > 2.0
    tensors: list[Any] = [[x, x]] if roles.is_list else [x] * roles.tensors
    if function.__name__ == "where":
        tensors[0] = x > 2.0
    hosts = USUAL_HOSTS.get(function.__name__, [1])[: roles.hosts]
    return [*tensors, *hosts, *([tf.int32] if function is casting.cast else [])]


#: Host operands that a function takes, unless it takes 1.
USUAL_HOSTS: dict[str, list[Any]] = {
    "broadcast_to": [[2, 2]],
    "reshape": [[2, 2]],
    "reverse": [[1]],
    "roll": [1, 0],
    "slice": [[0, 1], [2, 1]],
    "tile": [[2, 2]],
    "transpose": [[1, 0]],
}


def prepared(function: Any) -> PreparedCalls | None:
    """What the public form of a function calls, once there is code."""
    public: Any = opened(function)
    cells = dict(zip(public.__code__.co_freevars, public.__closure__))
    called = cells["call"].cell_contents
    if called.__name__ != "direct":
        return None
    owner = dict(zip(called.__code__.co_freevars, called.__closure__))["learn"].cell_contents
    assert isinstance(owner.__self__, PreparedCalls)
    return owner.__self__


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: str(function.__name__))
def test_each_function_has_calls_that_are_prepared(function: Any) -> None:
    warm_up(function)
    owner = prepared(function)
    assert owner is not None
    assert any(owner._calls.values())


def names_of(function: Any) -> tuple[str, ...]:
    """The parameters behind the tensors."""
    code = function.__code__
    names: tuple[str, ...] = code.co_varnames[ROLES[function].tensors : code.co_argcount]
    return names


@pytest.fixture
def flipped() -> Iterator[Any]:
    """A function that is one op, and was never called."""

    def flipped(x: Any, name: str | None = None) -> Any:
        return arithmetic.negative(x, name)

    ROLES[flipped] = ROLES[arithmetic.negative]
    yield flipped
    del ROLES[flipped]


def test_the_last_parameter_is_a_name() -> None:
    assert {names_of(function)[-1] for function in FUNCTIONS} == {"name"}


def test_few_calls_make_no_code(flipped: Any) -> None:
    public, x = opened(flipped), tf.constant(1.0)
    for _ in range(PATIENCE):
        public(x)
    assert prepared(flipped) is None
    public(x)
    assert prepared(flipped) is not None


def test_calls_under_tapes_make_no_code(flipped: Any) -> None:
    public, x = opened(flipped), tf.constant(1.0)
    with tf.GradientTape():
        for _ in range(2 * PATIENCE):
            public(x)
    for _ in range(PATIENCE):
        public(x)
    assert prepared(flipped) is None


def reversed_difference(x: Any, y: Any, name: str | None = None) -> Any:
    return arithmetic.subtract(y, x, name)


def difference_of_squares(x: Any, y: Any, name: str | None = None) -> Any:
    return arithmetic.subtract(transcendental.square(x), y, name)


def copied_difference(x: Any, y: Any, name: str | None = None) -> Any:
    return tf.constant(arithmetic.subtract(x, y, name).numpy())


def sum_along_the_next_axis(x: Any, axis: Any, name: str | None = None) -> Any:
    return reduction.reduce_sum(x, axis + 1, name=name)


@pytest.mark.parametrize(
    ("function", "hosts"),
    [
        (reversed_difference, 0),
        (difference_of_squares, 0),
        (copied_difference, 0),
        (sum_along_the_next_axis, 1),
    ],
)
def test_a_function_that_is_no_op_on_its_arguments_is_not_prepared(
    function: Any, hosts: int
) -> None:
    one_op(function, tensors=2 - hosts, hosts=hosts)
    try:
        x = tf.constant([[1.0, 2.0], [5.0, 7.0]])
        other = 0 if hosts else x * x + 1.0
        expected = function(x, other).numpy().tolist()
        for _ in range(PATIENCE + 4):
            assert opened(function)(x, other).numpy().tolist() == expected
        assert prepared(function) is None
    finally:
        del ROLES[function]


def test_other_arguments_than_the_defaults_count() -> None:
    warm_up(movement.transpose, contraction.matmul)
    x = tf.constant([[1 + 2j, 3j], [4.0, 5.0]])
    for _ in range(4):
        plain, conjugate = tf.transpose(x), tf.transpose(x, conjugate=True)
        assert (plain.numpy() == x.numpy().T).all()
        assert (conjugate.numpy() == x.numpy().T.conj()).all()
        assert (tf.matmul(x, x, adjoint_b=True).numpy() == x.numpy() @ x.numpy().T.conj()).all()
        assert (tf.matmul(x, x).numpy() == x.numpy() @ x.numpy()).all()


def test_tapes_and_traces_see_the_ops_of_prepared_calls() -> None:
    warm_up(contraction.matmul, reduction.reduce_sum)
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    for _ in range(4):
        tf.matmul(x, x)
        tf.reduce_sum(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.matmul(x, x))
    assert tape.gradient(y, x).numpy().tolist() == [[7.0, 11.0], [9.0, 13.0]]
    graph = tf.function(lambda: tf.matmul(x, x, name="product")).get_concrete_function().graph
    assert "product" in [op.name for op in graph.get_operations()]


def test_a_cast_that_loses_a_part_says_so_each_time(caplog: pytest.LogCaptureFixture) -> None:
    warm_up(casting.cast)
    x = tf.constant([1 + 2j])
    with caplog.at_level(logging.WARNING):
        for _ in range(5):
            tf.cast(x, tf.float32)
    assert caplog.text.count("discard") == 5


def test_errors_of_numpy_stay_off_and_the_settings_of_the_program_stay() -> None:
    warm_up(transcendental.sqrt, arithmetic.divide, transcendental.square)
    x = tf.constant([-1.0, 0.0, 1e38])
    with np.errstate(all="raise"):
        for _ in range(4):
            assert np.isnan(tf.sqrt(x).numpy()[0])
            assert np.isinf(tf.divide(x, tf.zeros([3])).numpy()[0])
            assert np.isinf(tf.square(x).numpy()[2])
        assert np.geterr()["over"] == "raise"


def test_another_meaning_of_a_function_comes_and_goes(flipped: Any) -> None:
    """A public form has it before there is code, while there is none yet, and afterwards."""

    def four_times(former: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *arguments: former(*arguments) * 4.0

    public, x = opened(flipped), tf.constant(6.0)
    for calls_between in [0] * (PATIENCE // 3 + 2) + [1, 1, 3]:
        undo = replace(public, four_times)  # type: ignore[arg-type]
        for _ in range(3):
            assert public(x).numpy() == -24.0
        undo()
        assert [public(x).numpy() for _ in range(calls_between)] == [-6.0] * calls_between
    assert prepared(flipped) is not None


def test_few_kinds_of_calls_are_remembered() -> None:
    warm_up(movement.reshape)
    x = tf.zeros([1] * 8)
    kinds = [type(f"Axes{i}", (list,), {}) for i in range(2 * FORMS)]
    for kind in kinds:
        tf.reshape(x, kind([1]))
    owner = prepared(movement.reshape)
    assert owner is not None
    assert 0 < len(owner._calls) <= FORMS


def test_ranks_decide_what_no_axes_mean() -> None:
    warm_up(reduction.reduce_sum, movement.transpose)
    for shape in [(3,), (2, 3), (), (2, 2, 2), (3,), (2, 3)]:
        x = tf.ones(shape)
        for _ in range(3):
            assert tf.reduce_sum(x).numpy() == np.prod(shape)
            assert tf.transpose(x).shape == shape[::-1]
    assert prepared(reduction.reduce_sum) is not None
