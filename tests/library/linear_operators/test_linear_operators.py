"""Linear operators do what TensorFlow's do, eagerly and in graphs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpora import operators

import graphwright as tf

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "operators.json").read_text())
NAMES = operators.names(tf)
MADE = {line: methods for line, methods in GOLDEN.items() if isinstance(methods, dict)}


def outcome(expression: str, names: dict[str, Any]) -> Any:
    try:
        return operators.show(eval(expression, names))
    except Exception as error:  # noqa: BLE001 - which error is what is compared
        return "! " + " ".join(kind.__name__ for kind in type(error).__mro__)


def same(found: Any, expected: Any) -> bool:
    if isinstance(expected, str):
        return (
            expected.split()[-1] in str(found).split() if expected[0] == "!" else found == expected
        )
    if isinstance(found, str) or found[0] != expected[0] or len(found) != len(expected):
        return False
    pairs = [(np.array(a), np.array(b)) for a, b in zip(found[1:], expected[1:])]
    return all(
        a.shape == b.shape and np.allclose(a, b, rtol=2e-4, atol=2e-4, equal_nan=True)
        for a, b in pairs
    )


@pytest.mark.parametrize("line", [line for line in GOLDEN if line not in MADE])
def test_what_tensorflow_refuses_to_make_is_refused(line: str) -> None:
    assert same(outcome(line, NAMES), GOLDEN[line])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line", list(MADE))
def test_an_operator_does_what_tensorflows_does(line: str) -> None:
    names = {**NAMES, "o": eval(line, NAMES)}
    wrong = {}
    for method, expected in MADE[line].items():
        if any(re.search(a, line) and re.search(b, method) for a, b in DEPARTURES):
            continue
        found = outcome(method, names)
        if not same(found, expected):
            wrong[method] = (found, expected)
    assert not wrong


#: What differs on purpose.
DEPARTURES = {
    (
        r"Tridiag\(m3 \+ 3 \* eye, 'matrix'\)",
        r"to_dense|determinant|cond|adjoint\(\)",
    ): "TensorFlow shows the whole matrix, of which it multiplies three diagonals",
    (r"Tridiag", r"matmul\(batched"): "TensorFlow cannot broadcast its three diagonals",
    (r"c3", r"assert_non_singular"): "TensorFlow cannot compare complex numbers",
    (r"LowRankUpdate", r"assert_self_adjoint"): "TensorFlow calls itself without end",
}


def test_operators_work_in_graphs_of_unknown_shapes() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec(None)])
    def solve(matrix: tf.Tensor, rhs: tf.Tensor) -> tf.Tensor:
        operator = tf.linalg.LinearOperatorFullMatrix(matrix)
        scaled = operator.matmul(tf.linalg.LinearOperatorScaledIdentity(3, 2.0))
        return scaled.solve(rhs)

    m3 = NAMES["m3"]
    found = solve(m3, np.eye(3, dtype=np.float32))
    np.testing.assert_allclose(found, np.linalg.inv(2 * m3), rtol=1e-3, atol=1e-4)


def test_permutations_of_operands_of_unknown_rank() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.int32), tf.TensorSpec(None)])
    def permuted(perm: tf.Tensor, x: tf.Tensor) -> tf.Tensor:
        return tf.linalg.LinearOperatorPermutation(perm).matmul(x)

    perm = np.array([[2, 0, 1], [0, 2, 1]])
    x = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    np.testing.assert_array_equal(permuted(perm, x), np.take_along_axis(x, perm[..., None], 1))


def test_gradients_flow_to_what_an_operator_is_made_of() -> None:
    diagonal = tf.Variable([1.0, 2.0, 4.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.linalg.LinearOperatorDiag(diagonal).solvevec(tf.ones([3])))
    np.testing.assert_allclose(tape.gradient(y, diagonal), [-1.0, -0.25, -0.0625])


L = tf.linalg
OPERATORS_OF_TWO = [
    L.LinearOperatorDiag([2.0, 3.0]), L.LinearOperatorIdentity(2),
    L.LinearOperatorScaledIdentity(2, 3.0), L.LinearOperatorFullMatrix([[2.0, 1.0], [1.0, 3.0]]),
    L.LinearOperatorLowerTriangular([[2.0, 0.0], [1.0, 3.0]]),
    L.LinearOperatorToeplitz([2.0, 1.0], [2.0, 1.0]), L.LinearOperatorHouseholder([1.0, 0.0]),
    L.LinearOperatorPermutation(tf.constant([1, 0])),
    L.LinearOperatorLowRankUpdate(L.LinearOperatorDiag([2.0, 3.0]), [[1.0], [0.0]]),
    L.LinearOperatorAdjoint(L.LinearOperatorDiag([2.0, 3.0])),
    L.LinearOperatorBlockDiag([L.LinearOperatorDiag([2.0, 3.0])]),
]  # fmt: skip


@pytest.mark.parametrize("operator", OPERATORS_OF_TWO, ids=lambda o: type(o).__name__)
@pytest.mark.parametrize("name", ["matvec", "solvevec"])
@pytest.mark.parametrize("count", [1, 3])
def test_vectors_of_another_size_are_refused(operator: Any, name: str, count: int) -> None:
    with pytest.raises(ValueError, match=f"Dimensions 2 and {count} are not compatible"):
        getattr(operator, name)(tf.ones([count]))


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.linalg.LinearOperatorIdentity(2),
        lambda: tf.linalg.LinearOperatorScaledIdentity(2, 2.0),
        lambda: tf.linalg.LinearOperatorDiag([1.0, 2.0]),
        lambda: tf.linalg.LinearOperatorFullMatrix(tf.eye(2)),
        lambda: tf.linalg.LinearOperatorLowerTriangular(tf.eye(2)),
    ],
)
def test_a_right_side_has_as_many_rows_as_the_operator(make: Any, staged: bool) -> None:
    for call in (
        lambda x: make().solvevec(x),
        lambda x: make().solve(x[:, tf.newaxis]),
        lambda x: make().solve(x[tf.newaxis], adjoint_arg=True),
    ):
        function = tf.function(call) if staged else call
        with pytest.raises(ValueError, match="Dimensions 2 and 3 are not compatible"):
            function(tf.zeros([3]))
        assert float(tf.reduce_sum(function(tf.zeros([2])))) == 0.0
