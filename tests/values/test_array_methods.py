"""Attributes that tensors lack: errors with advice, which cost the other attributes nothing."""

from __future__ import annotations

from typing import Any

import pytest

import graphwright as tf
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.values.array_methods import ASSIGNMENTS, FORMS
from graphwright.values.tensor import EagerTensor

LACKING = (*FORMS, *ASSIGNMENTS)


def test_no_attribute_is_looked_up_in_a_slow_way() -> None:
    for kind in (EagerTensor, SymbolicTensor):
        assert not any("__getattr__" in vars(cls) for cls in kind.__mro__)


@pytest.mark.parametrize("name", LACKING)
def test_a_tensor_has_none_of_them(name: str) -> None:
    x: Any = tf.constant([1.0])
    assert not hasattr(x, name)
    assert not hasattr(tf.Tensor, name)
    assert name not in dir(x)
    with pytest.raises(AttributeError, match=f"'EagerTensor' object has no attribute '{name}': "):
        getattr(x, name)


def test_a_library_may_give_a_tensor_one() -> None:
    x: Any = tf.constant([1.0])
    x.T = 3
    assert x.T == 3
    assert "T" in dir(x)
    del x.T
    assert not hasattr(x, "T")


def test_slices_of_variables_alone_are_assigned_to() -> None:
    v: Any = tf.Variable([1.0, 2.0])
    v[0].assign(5.0)
    assert v.numpy().tolist() == [5.0, 2.0]
    assert not hasattr(v[0] + 0.0, "assign")


#: What TensorFlow 2.21 lists of its tensors, eager ones and those of a graph.
OF_TENSORFLOW = {
    "OVERLOADABLE_OPERATORS", "backing_device", "consumers", "cpu", "device", "dtype", "eval",
    "experimental_ref", "get_shape", "gpu", "graph", "is_packed", "name", "ndim", "numpy", "op",
    "ref", "set_shape", "shape", "value_index",
}  # fmt: skip


def test_tensors_list_no_attribute_that_tensorflows_lack() -> None:
    listed = {name for name in dir(tf.constant(1.0)) if not name.startswith("_")}
    tf.function(lambda x: listed.update(n for n in dir(x) if n[0] != "_"))(tf.ones([2]))
    assert {"numpy", "set_shape"} <= listed <= OF_TENSORFLOW
