"""Random programs give the same as their converted selves: on numbers, and on toy tensors."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from corpora.random_functions import give, helper, load, many, sources
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.toy import Toy, converted, installed, number

numbers = st.tuples(st.integers(-3, 5), st.integers(-3, 5), st.integers(-3, 5))
relaxed = {"deadline": None, "suppress_health_check": list(HealthCheck)}


def run(function: Any, values: Any, log: list[Any]) -> Any:
    result = function(*values)
    return number(result), log


def check_on_numbers(source: str, values: tuple[int, int, int]) -> None:
    outcomes = []
    for convert in (lambda f: f, converted):
        log: list[Any] = []
        scope = {
            "helper": helper,
            "give": give,
            "log": log.append,
            "context": contextlib.nullcontext,
        }
        program = load(source, tensor=list, **scope)
        outcomes.append(run(convert(program), (*values, 0), log))
    assert outcomes[0] == outcomes[1]


def check_on_toys(source: str, values: tuple[int, int, int]) -> None:
    scope = {"helper": helper, "give": give, "context": contextlib.nullcontext}
    expected = load(source, tensor=list, **scope)(*values, 0)
    with installed():
        program = converted(load(source, tensor=Toy, **scope))
        result = program(*map(Toy, values), Toy(0))
    assert number(result) == expected


@settings(max_examples=100, **relaxed)
@given(sources(), numbers)
def test_numbers(source: str, values: tuple[int, int, int]) -> None:
    check_on_numbers(source, values)


@settings(max_examples=100, **relaxed)
@given(sources(tensors=True), numbers)
def test_toys(source: str, values: tuple[int, int, int]) -> None:
    check_on_toys(source, values)


@pytest.mark.slow
def test_many_numbers() -> None:
    for source, values in many(0, 20_000):
        check_on_numbers(source, values)


@pytest.mark.slow
def test_many_toys() -> None:
    for source, values in many(0, 20_000, tensors=True):
        check_on_toys(source, values)
