"""The sanitizing mode: right plans run as they do, and what no plan may do is named."""

from __future__ import annotations

import numpy as np
import pytest
from plans.faults import FAULTS, every, first, items, listed
from plans.test_interpreter import results
from support.tiers import normal

import graphwright as tf
from graphwright.base.errors import InternalError
from graphwright.compile.llvm import product_code
from graphwright.compile.nests.list_statements import Locate
from graphwright.compile.nests.nest import Nest, Store
from graphwright.compile.nests.sizes import Size
from graphwright.compile.run import executable
from graphwright.compile.run.checking import compare
from graphwright.compile.run.options import OPTIONS

#: Faults of plans that show in what they read and write, and what is said of them.
SEEN = {
    "a load of another buffer": "nobody has written as this buffer",
    "a stride of two": "reads 8 bytes at byte 16 of b1, which has 16",
    "a store one further": "writes 24 bytes at byte 28 of b2, which has 48",
    "a part that is not written": "nobody has written as this buffer",
    "two live values in one home": "nobody has written as this buffer",
    "a sum that begins with nothing": "nobody has written as this buffer",
}


@pytest.fixture(autouse=True)
def _sanitized(monkeypatch):
    monkeypatch.setitem(OPTIONS, "native", "sanitize")


def plant(monkeypatch, change):
    """Has plans changed before they are compiled."""
    compiled = executable.executables

    def changed(segments, is_quick):
        for segment in segments:
            program, constants = segment.lowered
            segment.lowered = change(program), constants
        return compiled(segments, is_quick)

    monkeypatch.setattr(executable, "executables", changed)


@pytest.mark.parametrize("name", FAULTS)
def test_a_plan_that_is_right_runs(name):
    fault = FAULTS[name]
    own, other = [results(fault.function, fault.arguments, mode) for mode in (True, False)]
    if own is None or other is None:
        assert own is other
    else:
        assert not any(map(compare, own, other))


@pytest.mark.parametrize("name", SEEN)
def test_a_planted_fault_is_named(name, monkeypatch):
    fault = FAULTS[name]
    plant(monkeypatch, fault.change)
    with pytest.raises(InternalError, match=SEEN[name]):
        results(fault.function, fault.arguments, True)


def test_the_statement_is_named(monkeypatch):
    far = items(lambda x: x._replace(place=x.place._replace(offsets=(Size(1 << 40),))), Store)
    plant(monkeypatch, first(Nest, far))
    with pytest.raises(InternalError) as caught:
        tf.function(lambda x: x * 2.0 + 1.0)(np.ones(1000, np.float32))
    assert "machine code writes 128 bytes at byte 4398046511104 of b1, which has 4000" in str(
        caught.value
    )
    assert "nest [s0] outer 0" in str(caught.value)
    assert f"b1[{1 << 40} + i0*1] = " in str(caught.value)


def test_an_item_beyond_the_room_of_its_list_is_refused(monkeypatch):
    far = every(Locate, lambda s: s._replace(place=Size(500), length=Size(900)))
    plant(monkeypatch, far)
    with pytest.raises(InternalError, match=r"reads 24 bytes at byte 12000 of b2, which has 192"):
        results(listed, (np.arange(6, dtype=np.float32), 3), True)


def test_a_call_that_writes_beyond_its_result_breaks_a_guard_zone(monkeypatch):
    """What is called is not instrumented: a product that has one row more than it says."""
    x, y = normal(8, 8), normal(8, 8)
    write = product_code.write_product

    def longer(f, s, matrices):
        write(f, s._replace(m=Size(9)), matrices)

    def product(x, y):
        return tf.reduce_sum(tf.cumsum(tf.matmul(x * 2.0, y)))

    np.testing.assert_allclose(tf.function(product)(x, y), product(x, y), rtol=1e-4)
    monkeypatch.setattr(product_code, "write_product", longer)
    with pytest.raises(InternalError, match=r"something was written beyond the ends of b\d+"):
        tf.function(product)(x, y)


def test_other_modes_make_no_such_code(monkeypatch):
    def text():
        function = tf.function(lambda x: tf.cumsum(tf.nn.softmax(x)) * 2.0)
        return function.experimental_get_compiler_ir(tf.TensorSpec([None, None]))(stage="llvm")

    assert "@sanitize" in text()
    for mode in ("always", "check"):
        monkeypatch.setitem(OPTIONS, "native", mode)
        assert "sanitize" not in text()
