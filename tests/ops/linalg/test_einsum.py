"""Einsum against NumPy's, eagerly, in kernels and as machine code; the order of products."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as tf

RNG = np.random.default_rng(0)

#: An equation and the shapes of its operands.
EQUATIONS = {
    "ij,j->ij": [(4, 3), (3,)],
    "i,j->ji": [(4,), (3,)],
    "ij,ijk->ikj": [(5, 4), (5, 4, 3)],
    "ij,ij->i": [(5, 4), (5, 4)],
    "ij,ij->": [(5, 4), (5, 4)],
    "ij,ji->i": [(5, 4), (4, 5)],
    "bij,bij->b": [(3, 5, 4), (3, 5, 4)],
    "...i,i->...i": [(2, 5, 3), (3,)],
    "...i,...i->...": [(2, 1, 3), (5, 3)],
    "...a,b,...c->b...ca": [(5, 1, 2), (3,), (6, 4)],
    "...i,...j,jk->...ik": [(2, 5, 3), (5, 4), (4, 2)],
    "ij,ijk,j->ik": [(5, 4), (5, 4, 3), (4,)],
    "ij,jk,kl->il": [(2, 3), (3, 4), (4, 5)],
    "a,b,c,d->dcab": [(2,), (3,), (4,), (5,)],
    "i,i,i,i->i": [(4,)] * 4,
    "ii,ij,j->i": [(3, 3), (3, 4), (4,)],
    "abc,abc->ac": [(2, 3, 4)] * 2,
    "a,b,c,d,e,f,g->": [(2,)] * 7,
}


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.complex64], ids=lambda d: d.__name__)
@pytest.mark.parametrize("equation", EQUATIONS)
def test_results_are_those_of_numpy(equation: str, dtype: type) -> None:
    operands = [(3 * RNG.normal(size=dims)).astype(dtype) for dims in EQUATIONS[equation]]
    expected = np.einsum(equation, *operands)
    np.testing.assert_allclose(tf.einsum(equation, *operands), expected, rtol=1e-4, atol=1e-4)
    for compiled in (False, True):
        f = tf.function(lambda *x: tf.einsum(equation, *x), jit_compile=compiled)
        result = f(*map(tf.constant, operands))
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4)


def steps(equation: str, *shapes: tuple[int | None, ...]) -> list[str]:
    """The equations of the products in a trace."""
    f = tf.function(lambda *x: tf.einsum(equation, *x))
    concrete = f.get_concrete_function(*[tf.TensorSpec(dims) for dims in shapes])
    return [op.get_attr("equation").decode() for op in concrete.graph.get_operations()
            if op.type == "Einsum"]  # fmt: skip


def test_products_of_many_are_taken_in_the_order_of_least_work() -> None:
    assert steps("ij,jk,k->i", (9, 9), (9, 9), (9,)) == ["jk,k->j", "ij,j->i"]
    assert steps("i,ij,jk->k", (9,), (9, 9), (9, 9)) == ["i,ij->j", "jk,j->k"]
    assert steps("ij,jk,kl->il", (90, 2), (2, 90), (90, 2)) == ["jk,kl->jl", "ij,jl->il"]
    assert steps("ij,jk,k->i", (None, None), (None, None), (None,)) == ["jk,k->j", "ij,j->i"]
