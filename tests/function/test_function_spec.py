"""`function_spec` of functions says what TensorFlow's says."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import graphwright as tf


def plain(a: Any, b: Any = 2, *c: Any, d: Any, e: Any = 5, **f: Any) -> Any:
    return a


class Holder:
    @tf.function
    def method(self, x: Any, k: Any = 1) -> Any:
        return x


def first_only(x: Any, /, y: Any) -> Any:
    return x


SPECS: list[Any] = [tf.TensorSpec([2]), tf.TensorSpec([])]


@pytest.mark.parametrize(
    ("function", "args", "others", "defaults"),
    [
        (tf.function(plain), ["a", "b"], (["d", "e"], {"e": 5}, "c", "f"), {"b": 2, "e": 5}),
        (Holder().method, ["x", "k"], ([], None, None, None), {"k": 1}),
        (Holder.method, ["self", "x", "k"], ([], None, None, None), {"k": 1}),
        (tf.function(first_only), ["x", "y"], ([], None, None, None), {}),
        (tf.function(lambda: 1), [], ([], None, None, None), {}),
    ],
)
def test_the_signature(function: Any, args: Any, others: Any, defaults: Any) -> None:
    spec = function.function_spec
    full = spec.fullargspec
    assert isinstance(full, inspect.FullArgSpec)
    assert full.args == spec.arg_names == args
    assert (full.kwonlyargs, full.kwonlydefaults, full.varargs, full.varkw) == others
    assert full.annotations == {}
    assert full.defaults == (tuple(defaults[name] for name in args if name in defaults) or None)
    assert spec.default_values == defaults
    assert spec.flat_input_signature == ((None,) if args else ())
    assert list(spec.function_type.parameters) == list(function.function_type.parameters)


def test_the_input_signature() -> None:
    function = tf.function(first_only, input_signature=SPECS, jit_compile=True)
    spec: Any = function.function_spec
    assert spec.input_signature == spec.flat_input_signature == tuple(SPECS)
    assert (spec.jit_compile, spec.is_pure) == (True, False)


def test_the_summary() -> None:
    spec: Any = Holder().method.function_spec
    text = """Input Parameters:
  x (POSITIONAL_OR_KEYWORD): None
  k (POSITIONAL_OR_KEYWORD): None
Output Type:
  None
Captures:
  None"""
    assert spec.signature_summary() == text
    assert spec.signature_summary(True) == text + "\nDefaults:\n  k: 1"
