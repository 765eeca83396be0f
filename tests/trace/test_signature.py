"""The types of functions as text, and how arguments are bound and passed on."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import graphwright as tf
from graphwright.trace.signature import (
    KEYWORD_ONLY,
    POSITIONAL_ONLY,
    POSITIONAL_OR_KEYWORD,
    Binder,
    FunctionType,
    Parameter,
    type_of_call,
)
from graphwright.types.specs import TensorSpec

FLOATS, INTS = TensorSpec([None]), TensorSpec([2], tf.int32)
FIXED = TensorSpec([2])


def typed(*parameters: tuple[str, Any, Any]) -> FunctionType:
    return FunctionType([Parameter(name, kind, False, type_) for name, kind, type_ in parameters])


def test_the_text_of_a_type_has_the_marks_of_a_signature():
    both = typed(
        ("x", POSITIONAL_ONLY, FIXED),
        ("y", POSITIONAL_OR_KEYWORD, INTS),
        ("k", KEYWORD_ONLY, FLOATS),
    )
    assert str(both) == f"(x: {FIXED!r}, /, y: {INTS!r}, *, k: {FLOATS!r})"
    assert str(typed(("x", POSITIONAL_OR_KEYWORD, INTS))) == f"(x: {INTS!r})"
    assert str(both.with_output({}, FLOATS)) == f"{both} -> {FLOATS!r}"


def test_inspect_sees_a_type_as_it_sees_one_that_is_made_of_parameters():
    key = (("x", POSITIONAL_ONLY, FIXED), ("k", KEYWORD_ONLY, INTS))
    lazy, eager = FunctionType.of(key, {7: FLOATS}, INTS), typed(*key).with_output({}, INTS)
    assert lazy.return_annotation is INTS
    assert list(lazy.parameters.values()) == list(eager.parameters.values())
    assert lazy.bind(1, k=2) == eager.bind(1, k=2)
    again = pickle.loads(pickle.dumps(FunctionType.of(key, {}, INTS)))
    assert again.parameters == lazy.parameters
    assert again.return_annotation == again.output == INTS
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        FunctionType.of(key).nothing  # noqa: B018 - the attribute is what is tested
    left_out = FunctionType([Parameter("x", POSITIONAL_OR_KEYWORD, True, FIXED)])
    assert left_out.with_output({}, INTS).parameters["x"].optional


def test_the_text_of_an_untyped_signature_has_its_defaults_and_stars():
    def f(x, y=1, *rest, k=None, **more): ...

    assert str(Binder(f).untyped) == "(x, y=None, *rest, k=None, **more)"


def test_the_long_text_names_parameters_result_and_captures():
    type_ = typed(("x", POSITIONAL_OR_KEYWORD, FIXED)).with_output({7: FLOATS}, INTS)
    lines = repr(type_).splitlines()
    assert lines == [
        "Input Parameters:", f"  x (POSITIONAL_OR_KEYWORD): {FIXED!r}",
        "Output Type:", f"  {INTS!r}", "Captures:", f"  0: {FLOATS!r}",
    ]  # fmt: skip
    empty = FunctionType([])
    assert repr(empty).splitlines()[1::2] == ["  None"] * 3
    assert type_.captures == {7: FLOATS}
    assert type_.output is INTS
    assert empty.output is None


def test_what_a_type_serves():
    general = typed(("x", POSITIONAL_OR_KEYWORD, FLOATS))
    exact = typed(("x", POSITIONAL_OR_KEYWORD, FIXED))
    assert general.is_supertype_of(exact)
    assert not exact.is_supertype_of(general)
    assert exact.is_exact
    assert not general.is_exact
    for other in (
        typed(("y", POSITIONAL_OR_KEYWORD, FIXED)), typed(("x", KEYWORD_ONLY, FIXED)), typed(),
        typed(("x", POSITIONAL_OR_KEYWORD, FIXED), ("y", POSITIONAL_OR_KEYWORD, FIXED)),
    ):  # fmt: skip
        assert not general.is_supertype_of(other)
        assert not other.is_supertype_of(general)
        assert exact.most_specific_common_subtype([other]) is None
        assert exact != other
    assert exact.most_specific_common_subtype([general, exact]) == general
    assert exact.most_specific_common_subtype([typed(("x", POSITIONAL_OR_KEYWORD, INTS))]) is None


# -- binding ------------------------------------------------------------------------------------


def positional_only(a, b, /): ...
def plain(a, b=2): ...
def keyword_only(a, *, b): ...
def keyword_default(a, *, b=3): ...
def starred(a, *rest): ...
def starred_keyword(a, *rest, b): ...
def mapping(a, **more): ...
def everything(a, /, b=2, *rest, c, d=4, **more): ...


FUNCTIONS = [
    positional_only, plain, keyword_only, keyword_default, starred, starred_keyword, mapping,
    everything,
]  # fmt: skip
NAMES = st.sampled_from(["a", "b", "c", "d", "z", "y"])


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@given(args=st.lists(st.integers(), max_size=5), kwargs=st.dictionaries(NAMES, st.integers()))
def test_a_function_gets_what_python_gives_it(function, args, kwargs):
    """`bind`, then `call` with what it gave, means the call itself."""
    signature = inspect.signature(function)
    for name, parameter in signature.parameters.items():
        # `inspect` of Python 3.13 takes it for both, where Python's own call is refused.
        assume(parameter.kind is not parameter.POSITIONAL_ONLY or name not in kwargs)
    try:
        wanted = signature.bind(*args, **kwargs)
    except TypeError:
        with pytest.raises(TypeError, match=r"Binding inputs to tf\.function failed"):
            Binder(function).bind(tuple(args), kwargs)
        return
    wanted.apply_defaults()

    def got(*a, **k):
        return signature.bind(*a, **k)

    binder = Binder(function)
    bound = binder.bind(tuple(args), kwargs)
    found = binder.call(got, bound)
    found.apply_defaults()
    assert found.arguments == wanted.arguments
    values = [v for n, v in wanted.arguments.items() if n not in ("rest", "more")]
    extra = [*wanted.arguments.get("rest", ()), *wanted.arguments.get("more", {}).values()]
    assert sorted(value for _, _, value in bound) == sorted([*values, *extra])


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_types_of_calls_are_signatures(function):
    """Whatever was bound is a signature that Python allows."""
    given = {"b": 2} if "keyword" in function.__name__ else {}
    given |= {"c": 5, "z": 6} if function is everything else {}
    args = (1, 2) if function is positional_only else (1,)
    if function in (starred, everything):
        args = (1, 2, 3)
    type_ = type_of_call(Binder(function).bind(args, given))
    assert [p.name for p in type_.parameters.values()] == [name for name, _, _ in type_.typed()]


def test_an_argument_that_has_no_type_is_named():
    with pytest.raises(TypeError, match="argument 'x': "):
        type_of_call([("x", POSITIONAL_OR_KEYWORD, {1, 2})])


# -- input signatures ------------------------------------------------------------------------------


def test_an_input_signature_constrains_the_first_parameters():
    binder = Binder(plain)
    binder.constrain([FIXED])
    assert binder.constraints == {"a": FIXED}
    assert str(binder.untyped) == f"(a: {FIXED!r}, b=None)"
    rest = Binder(starred)
    rest.constrain([FIXED, INTS, FLOATS])
    assert rest.constraints == {"a": FIXED, "rest_0": INTS, "rest_1": FLOATS}
    options = Binder(mapping)
    options.constrain([FIXED])
    assert options.constraints == {"a": FIXED}


@pytest.mark.parametrize(
    ("function", "count", "words"),
    [
        (plain, 3, "has 3 entries, but the function takes only 2"),
        (plain, 0, "must cover every parameter without a default: 'a'"),
        (keyword_only, 1, "must cover every parameter without a default: 'b'"),
    ],
)
def test_an_input_signature_that_does_not_fit_is_refused(function, count, words):
    with pytest.raises(TypeError, match=words):
        Binder(function).constrain([FIXED] * count)


def test_functions_with_keyword_only_parameters_are_traced():
    @tf.function
    def f(x, *, k, n=2):
        return x * k + n

    assert f(tf.constant(3), k=tf.constant(4)) == 14
    assert f(tf.constant(3), n=1, k=4) == 13
    assert f(k=1, x=tf.constant(3)) == 5

    @tf.function
    def g(x, *rest, k=1):
        return x + sum(rest) * k

    assert g(tf.constant(1), 2, 3, k=2) == 11
