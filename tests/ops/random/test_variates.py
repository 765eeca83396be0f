"""Variates that are drawn until one fits: TensorFlow's, bit for bit."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

import graphwright as tf
from graphwright.machine.array_layout import address
from graphwright.ops.random import philox, variate_code, variates
from graphwright.ops.random.philox_draws import unit_doubles

#: Checksums of the bytes of 20,000 variates that TensorFlow 2.21 draws from the seed [1, 2].
RECORDED = {
    ("gamma", 0.001): 1134218422,
    ("gamma", 0.3): 1509800764,
    ("gamma", 1.0): 2417869400,
    ("gamma", 2.0): 976290719,
    ("gamma", 50.0): 2044466957,
    ("poisson", 0.1): 1418725431,
    ("poisson", 3.0): 909708843,
    ("poisson", 9.9): 1911371359,
    ("poisson", 10.0): 4236415366,
    ("poisson", 30.0): 1791855893,
    ("poisson", 100000.0): 4287052826,
    ("binomial", 5.0, 1.0): 637116,
    ("binomial", 5.0, 0.0): 2435384166,
    ("binomial", 10.0, 0.4): 929587665,
    ("binomial", 100.0, 0.4): 843008001,
    ("binomial", 100.0, 0.9): 17509909,
    ("binomial", 1000000.0, 0.3): 202561695,
    ("binomial", 100000.0, 1e-06): 74873570,
}
WORDS = st.integers(0, 2**64 - 1)


@pytest.mark.parametrize("case", RECORDED, ids=str)
def test_draws_are_those_that_were_recorded(case):
    name, *parameters = case
    drawn = getattr(tf.random, f"stateless_{name}")([20_000], [1, 2], *parameters)
    assert zlib.crc32(drawn.numpy().tobytes()) == RECORDED[case]


@settings(max_examples=200)
@given(key=WORDS, low=WORDS | st.integers(2**64 - 300, 2**64 - 1), high=WORDS,
       offset=st.integers(0, 2**40))  # fmt: skip
def test_units_are_those_of_a_block(key, low, high, offset):
    expected = unit_doubles(philox.blocks(key, (high << 64) + low + offset, 1).reshape(2, 2))
    assert variate_code._units(key, low, high, offset) == tuple(expected)


ALPHAS = st.sampled_from([1.0, 0.3, 2.0, 1e-2, 30.0]) | st.floats(1e-2, 1e6)
RATES = st.sampled_from([0.0, 9.999, 10.0, 3.0]) | st.floats(0.0, 1e6)
TRIALS = st.sampled_from([0.0, 1.0, 20.0, 1000.0]) | st.floats(0.0, 1e6).map(np.floor)
CHANCES = st.sampled_from([0.0, 0.5]) | st.floats(1e-9, 0.5)
PARAMETERS = {
    "gammas": st.tuples(ALPHAS), "poissons": st.tuples(RATES),
    "binomials": st.tuples(TRIALS, CHANCES),
}  # fmt: skip


@pytest.mark.parametrize("name", PARAMETERS)
@settings(max_examples=40, deadline=None)
@given(data=st.data(), key=WORDS, low=WORDS, high=WORDS)
def test_python_draws_what_machine_code_does(name, data, key, low, high):
    rows = data.draw(st.lists(PARAMETERS[name], min_size=1, max_size=3))
    columns = [np.array(column) for column in zip(*rows)]
    columns += [variates._stirling_tails()] if name == "binomials" else []
    count, samples = len(rows), data.draw(st.integers(0, 3))
    place = count, samples, key, low, high
    by_python, by_machine = np.empty((samples, count)), np.empty((samples, count))
    getattr(variate_code, name)(*columns, *place, by_python.reshape(-1))
    variates._functions()[name](*map(address, columns), *place, address(by_machine))
    np.testing.assert_array_equal(by_machine, by_python)


DISTRIBUTIONS = [
    ("gamma", (0.4,)), ("gamma", (1.0,)), ("gamma", (7.0,)), ("poisson", (4.0,)),
    ("poisson", (40.0,)), ("binomial", (9.0, 0.3)), ("binomial", (90.0, 0.6)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "parameters"), DISTRIBUTIONS, ids=str)
def test_draws_have_their_distribution(name, parameters):
    family = {"binomial": scipy.stats.binom}.get(name) or getattr(scipy.stats, name)
    distribution = family(*parameters)
    draw = getattr(tf.random, f"stateless_{name}")
    drawn = draw([100_000], [5, 6], *parameters).numpy().astype(np.float64)
    for share in (0.01, 0.1, 0.5, 0.9, 0.99):
        edge = distribution.ppf(share)
        assert abs((drawn <= edge).mean() - distribution.cdf(edge)) < 0.006


def test_parameters_without_a_distribution():
    with np.errstate(invalid="ignore"):
        drawn = tf.random.stateless_gamma([2, 4], [1, 2], [np.inf, -1.0, np.nan, 2.0]).numpy()
    assert (drawn[:, 0] == np.inf).all()
    assert np.isfinite(drawn[:, 3]).all()
    rates = tf.constant([np.inf, -1.0, np.nan, 2.0])
    drawn = tf.random.stateless_poisson([2, 4], [1, 2], rates, tf.float32).numpy()
    assert np.isnan(drawn[:, :3]).all()
    assert np.isfinite(drawn[:, 3]).all()
    drawn = tf.random.stateless_binomial([2, 4], [1, 2], rates, 0.5, tf.float32).numpy()
    assert np.isnan(drawn[:, :3]).all()
    assert np.isfinite(drawn[:, 3]).all()
