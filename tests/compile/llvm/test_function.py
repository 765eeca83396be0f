"""Stores of what a condition selects: LLVM may not turn them into stores under a mask."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.llvm.render import render
from graphwright.compile.run.tiers import native
from graphwright.machine import codegen


def columns(x: Any) -> Any:
    return tf.reduce_max(x, axis=0), tf.reduce_min(x, axis=0), tf.argmax(x, axis=0)


def chosen(x: Any) -> Any:
    for i in tf.range(5):
        x = tf.where(x > 0.5, x * 0.5, x + tf.cast(i, tf.float32))
    return x


PROGRAMS: list[Callable[[Any], Any]] = [columns, chosen]


def modules(program: Callable[[Any], Any]) -> list[str]:
    """The texts of a program's segments."""
    spec = tf.TensorSpec([64, 24])
    graph = tf.function(program).get_concrete_function(spec).graph
    return [render(op.lowered[0])[0] for op in native(graph).source.segments]


def stored_choices(text: str) -> list[str]:
    """The stores of vectors that a `select` has made."""
    stores = []
    for function in text.split("\ndefine "):
        chosen = set(re.findall(r"^  (%\w+) = select <", function, re.MULTILINE))
        written = re.findall(r"^  store <[^>]*> (%\w+), ", function, re.MULTILINE)
        stores += [name for name in written if name in chosen]
    return stores


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_no_store_is_of_a_choice_itself(program: Any, usual_tiers: None) -> None:
    texts = modules(program)
    assert any(" = freeze <" in text for text in texts)
    assert not [name for text in texts for name in stored_choices(text)]


def test_a_frozen_choice_is_stored_whole() -> None:
    text = """define void @f(ptr %p, ptr %q) "target-features"="+avx2" {
  %old = load <8 x float>, ptr %p, align 4
  %new = load <8 x float>, ptr %q, align 4
  %more = fcmp ogt <8 x float> %old, %new
  %most = select <8 x i1> %more, <8 x float> %old, <8 x float> %new
  %it = freeze <8 x float> %most
  store <8 x float> %it, ptr %p, align 4
  ret void
}
"""
    assert "maskmov" not in codegen.assembly(text)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_choices_compute_what_kernels_do(program: Any) -> None:
    x = np.random.RandomState(0).normal(size=(64, 24)).astype(np.float32)
    x[3, 5], x[:, 7] = np.nan, -np.inf
    expected = tf.function(program, jit_compile=False)(tf.constant(x))
    computed = tf.function(program, jit_compile=True)(tf.constant(x))
    for a, b in zip(tf.nest.flatten(expected), tf.nest.flatten(computed)):
        np.testing.assert_array_equal(a.numpy(), b.numpy())
