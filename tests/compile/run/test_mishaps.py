"""Faults of the engine: kernels run what it cannot compile, and it is reported once."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as tf
import graphwright.compile.llvm.render as render
import graphwright.compile.nests.lowering as lowering
import graphwright.compile.run.executable as executable
import graphwright.compile.select.segments as segments
from graphwright.base.errors import InternalError, InvalidArgumentError
from graphwright.compile.run.inspection import outside
from graphwright.compile.run.mishaps import Mishaps
from graphwright.compile.run.options import OPTIONS
from graphwright.ops.nn.softmax import Softmax

X = np.array([[1.0, 2.0], [3.0, 5.0]], np.float32)

#: Where a fault is planted, each in another step of compilation.
PLACES = {
    "an expansion": (Softmax, "expand"),
    "the partition": (segments, "inlined"),
    "the plan": (lowering, "lower"),
    "the text": (render, "rendering"),
    "the linker": (executable, "library_of"),
}


@pytest.fixture(autouse=True)
def _as_for_users(usual_tiers, monkeypatch):
    monkeypatch.setattr(Mishaps, "are_raised", False)
    monkeypatch.setattr(Mishaps, "reported", set())


def planted(monkeypatch, place, error):
    """Plants an exception."""

    def fault(*arguments, **named):
        raise error

    monkeypatch.setattr(*PLACES[place], fault)


def odds(x):
    return tf.nn.softmax(x * 2.0) / (1.0 - tf.nn.softmax(x * 2.0))


def compiled():
    return tf.function(odds, jit_compile=True)


def reports(caplog):
    return [record for record in caplog.records if record.module == "mishaps"]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "error", [KeyError("packed"), AssertionError(), InternalError(None, None, "a wrong plan")]
)
def test_kernels_run_what_the_engine_cannot_compile(place, error, monkeypatch, caplog):
    planted(monkeypatch, place, error)
    for _ in range(2):
        np.testing.assert_allclose(compiled()(X), odds(tf.constant(X)), rtol=1e-6)
    (record,) = reports(caplog)
    assert record.levelname == "WARNING"
    assert "odds" in record.message
    assert type(error).__name__ in record.message
    assert record.message.endswith("Kernels run it.")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("mode", ["tests", "check"])
def test_a_fault_is_raised_where_it_is_looked_for(place, mode, monkeypatch):
    planted(monkeypatch, place, KeyError("packed"))
    if mode == "tests":
        monkeypatch.setattr(Mishaps, "are_raised", True)
    else:
        monkeypatch.setitem(OPTIONS, "native", mode)
    with pytest.raises(KeyError, match="packed"):
        compiled()(X)


def test_an_expansion_that_refuses_its_operands_is_no_fault(monkeypatch, caplog):
    monkeypatch.setattr(Mishaps, "are_raised", True)
    planted(monkeypatch, "an expansion", InvalidArgumentError(None, None, "not these"))
    fast = compiled()
    np.testing.assert_allclose(fast(X), odds(tf.constant(X)), rtol=1e-6)
    left = outside(fast.get_concrete_function(tf.constant(X)).graph)
    assert {(node.op.type_name, "not these" in reason) for node, reason in left} == {
        ("Softmax", True)
    }
    assert not reports(caplog)


def test_interrupts_are_not_contained(monkeypatch):
    planted(monkeypatch, "the plan", KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        compiled()(X)
