"""Raw ops: TensorFlow's arguments, and what the public functions make of their ops."""

from __future__ import annotations

import inspect
import json
from functools import cache
from typing import Any

import numpy as np
import pytest
from support.op_uses import AREAS, arguments_of, programs

import graphwright as tf
from graphwright.library.dispatch.former_ops import FORMER
from graphwright.library.dispatch.raw_ops import names
from graphwright.op.interpreter import Layer
from graphwright.op.op import REGISTRY, Effect, Op
from tools import golden_format as gf

ARGUMENTS = json.loads((gf.GOLDEN / "raw_ops.json").read_text(encoding="utf-8"))
#: What TensorFlow's raw ops take besides, which says how to compute or is not written yet.
LEFT_OUT = {
    "AssignVariableOp": {"validate_shape"},
    "ResourceGather": {"batch_dims", "validate_indices"},
    "EagerPyFunc": {"is_async"},
    "Conv2D": {"use_cudnn_on_gpu"},
    "Conv2DBackpropFilter": {"use_cudnn_on_gpu"},
    "Conv2DBackpropInput": {"use_cudnn_on_gpu"},
}


@pytest.mark.parametrize("name", [*names(), *FORMER])
def test_a_raw_op_has_tensorflows_arguments(name: str) -> None:
    recorded = inspect.signature(eval(f"lambda {ARGUMENTS[name]}: 0"))
    ours = inspect.signature(getattr(tf.raw_ops, name)).parameters
    assert set(recorded.parameters) - LEFT_OUT.get(name, set()) == set(ours)
    assert {p.kind for p in ours.values()} == {inspect.Parameter.KEYWORD_ONLY}
    for given in recorded.parameters.values():
        mine = ours.get(given.name)
        if mine is not None and given.default is not given.empty and given.default is not None:
            default = mine.default
            assert (list(default) if isinstance(default, tuple) else default) == given.default


class Recorder(Layer):
    """Remembers a first use of each op that has no effect: its operands and its result."""

    def __init__(self) -> None:
        self.uses: dict[str, tuple[Op, tuple[Any, ...], Any]] = {}

    def apply(self, op: Op, operands: tuple[Any, ...], name: str | None) -> Any:
        result = self.hand_on(op, operands, name)
        if op.effect is Effect.NONE:
            self.uses.setdefault(op.type_name, (op, operands, result))
        return result


@cache
def uses_in(area: str) -> dict[str, tuple[Op, tuple[Any, ...], Any]]:
    """A use of each op that the cases of an area come to."""
    recorder = Recorder()
    for program in programs(area):
        recorder.enter()
        try:
            program()
        except (tf.errors.OpError, ValueError, TypeError, NotImplementedError, LookupError):
            assert area in ("sparse", "state")  # where some are there to be refused
        finally:
            recorder.leave()
    return recorder.uses


@pytest.mark.parametrize("area", AREAS)
@pytest.mark.filterwarnings("ignore")
def test_raw_ops_do_what_public_functions_do(area: str) -> None:
    checked = 0
    for name, (op, operands, expected) in uses_in(area).items():
        if name not in names() or type(op) is not REGISTRY[name]:
            continue
        found = getattr(tf.raw_ops, name)(**arguments_of(op, operands))
        assert_same(name, found, expected)
        checked += 1
    assert checked


def assert_same(name: str, found: Any, expected: Any) -> None:
    mine, wanted = (tf.nest.flatten(x) for x in (found, expected))
    assert len(mine) == len(wanted), name
    for ours, theirs in zip(mine, wanted):
        assert ours.dtype is theirs.dtype, name
        if ours.dtype not in (tf.variant, tf.resource):
            a, b = np.asarray(ours), np.asarray(theirs)
            if a.dtype.kind in "fc":  # kernels are compiled meanwhile, and round otherwise
                np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6, err_msg=name)
            else:
                assert a.tobytes() == b.tobytes() or np.array_equal(a, b), name


@pytest.mark.filterwarnings("ignore")
def test_most_raw_ops_are_compared() -> None:
    """What no golden case comes to has tests of its own, or changes state."""
    reached = {name for area in AREAS for name in uses_in(area)}
    writes = {name for name in names() if REGISTRY[name].effect is not Effect.NONE}
    left = set(names()) - reached - writes
    assert len(left) < len(names()) // 7, sorted(left)


def test_raw_ops_take_names_only_and_all_of_them() -> None:
    with pytest.raises(TypeError, match="positional"):
        tf.raw_ops.Abs([1.0])
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        tf.raw_ops.Abs()
    with pytest.raises(TypeError, match="unexpected keyword argument 'y'"):
        tf.raw_ops.Abs(x=[1.0], y=1)
    with pytest.raises(AttributeError, match="NoSuchOp"):
        _ = tf.raw_ops.NoSuchOp


def test_raw_ops_are_traced_by_their_names() -> None:
    @tf.function
    def split(x: Any) -> Any:
        return tf.raw_ops.Split(axis=0, value=x, num_split=2, name="halves")

    concrete = split.get_concrete_function(tf.TensorSpec([4]))
    assert "halves" in [operation.name for operation in concrete.graph.get_operations()]
    assert [part.numpy().tolist() for part in split(tf.range(4.0))] == [[0, 1], [2, 3]]


def test_variables_are_operands() -> None:
    v = tf.Variable([1.0, 2.0])
    tf.raw_ops.AssignAddVariableOp(resource=v.handle, value=[1.0, 1.0])
    assert tf.raw_ops.ReadVariableOp(resource=v.handle, dtype=tf.float32).numpy().tolist() == [2, 3]
