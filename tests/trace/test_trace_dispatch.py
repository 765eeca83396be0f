"""Dispatch serves a call by the most specific trace that can serve it."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import specs, trace_types

from graphwright.trace.signature import POSITIONAL_OR_KEYWORD, FunctionType, Parameter
from graphwright.trace.trace_dispatch import DispatchTable
from graphwright.types.specs import TensorSpec


def function_type(*types):
    return FunctionType(
        [Parameter(f"x{i}", POSITIONAL_OR_KEYWORD, False, t) for i, t in enumerate(types)]
    )


def anything(_):
    return True


@given(st.lists(st.tuples(specs, trace_types), max_size=6), specs, trace_types)
def test_the_found_trace_serves_and_none_that_serves_is_more_specific(made, spec, other):
    table = DispatchTable()
    for types in made:
        table.add(function_type(*types), types)
    wanted = function_type(spec, other)
    found = table.find(wanted, anything)
    serving = [types for types in made if function_type(*types).is_supertype_of(wanted)]
    if found is None:
        assert not serving
        return
    chosen = function_type(*found)
    assert chosen.is_supertype_of(wanted)
    for types in serving:
        rival = function_type(*types)
        assert rival == chosen or not chosen.is_supertype_of(rival)


@pytest.mark.parametrize("order", [*itertools.permutations([None, [None, None], [2, None]])])
def test_the_most_specific_trace_serves_whichever_was_made_last(order):
    table = DispatchTable()
    for shape in order:
        table.add(function_type(TensorSpec(shape)), shape)
    assert table.find(function_type(TensorSpec([2, 3])), anything) == [2, None]
    assert table.find(function_type(TensorSpec([3, 3])), anything) == [None, None]
    assert table.find(function_type(TensorSpec([3])), lambda made: made is not None) is None


@given(st.lists(specs, min_size=1, max_size=4))
def test_generalising_serves_the_new_call(made):
    table = DispatchTable()
    for spec in made[:-1]:
        table.add(function_type(spec), spec)
    wanted = function_type(made[-1])
    assert table.generalize(wanted).is_supertype_of(wanted)


def test_a_trace_that_is_not_usable_is_passed_over():
    table = DispatchTable()
    table.add(function_type(), "local")
    assert table.find(function_type(), lambda made: made != "local") is None
