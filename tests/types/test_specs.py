"""The lattice of type specs, and what they do with values."""

from __future__ import annotations

import pickle
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from corpora.types import pair_spec
from hypothesis import given
from hypothesis import strategies as st
from support.type_runtime import TF, Runtime, Tensor, constant

import graphwright as tf
from graphwright.types import dtypes, specs, tree
from graphwright.types.specs import BoundedTensorSpec, TensorSpec, TypeSpec
from graphwright.types.tensor_type import TensorType

PairSpec = pair_spec(TypeSpec, TensorSpec)

DIMS = st.none() | st.lists(st.none() | st.integers(0, 2), max_size=2)
DTYPES = st.sampled_from([dtypes.float32, dtypes.int32])
TENSOR_SPECS = st.builds(TensorSpec, DIMS, DTYPES)
NAMED_SPECS = st.builds(TensorSpec, DIMS, DTYPES, st.sampled_from([None, "a", "b"]))
COMPOSITE_SPECS = st.builds(PairSpec, DIMS.map(TF.TensorShape), st.sampled_from(["a", "b"]))
SPECS = TENSOR_SPECS | COMPOSITE_SPECS


@pytest.fixture(autouse=True)
def _runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(specs._Installed, "runtime", Runtime(), raising=False)


def test_specs_are_equal_where_class_type_and_name_are() -> None:
    spec = TensorSpec([2], "int8", "a")
    assert spec == TensorSpec([2], "int8", "a")
    assert hash(spec) == hash(TensorSpec([2], "int8", "a"))
    bounded = BoundedTensorSpec([2], "int8", 0, 1, "a")
    others = [TensorSpec([3], "int8", "a"), TensorSpec([2], "int16", "a"), TensorSpec([2], "int8")]
    for other in (*others, bounded, None, 3, "a"):
        assert spec != other
        assert other != spec
    assert bounded == BoundedTensorSpec([2], "int8", 0, 1, "a")
    assert bounded != BoundedTensorSpec([2], "int8", 0, 2, "a")


def test_bounds_come_from_a_spec_or_from_its_dtype() -> None:
    plain = BoundedTensorSpec.from_spec(TensorSpec([2], "int8", "a"))
    assert (plain.minimum, plain.maximum, plain.name) == (-128, 127, "a")
    again = BoundedTensorSpec.from_spec(BoundedTensorSpec([2], "int8", 1, 3), "b")
    assert (again.minimum, again.maximum, again.name) == (1, 3, "b")
    zero = BoundedTensorSpec.from_spec(BoundedTensorSpec([2], "int8", 0, 0))
    assert (zero.minimum, zero.maximum) == (0, 0)


def test_specs_of_tensors_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # what stands for the package's tensors in the other tests
    assert TensorSpec.from_tensor(tf.constant([1, 2])) == TensorSpec([2], "int32")
    assert TensorSpec.from_tensor(tf.constant(1), "n").name == "n"
    made = []
    f = tf.function(lambda x: made.append(TensorSpec.from_tensor(tf.exp(x, name="e"))))
    f(tf.constant([1.0]))
    assert made == [TensorSpec([1], "float32", "e")]
    with pytest.raises(ValueError, match=r"tensor must be a tf\.Tensor, not 3"):
        TensorSpec.from_tensor(3)


@given(SPECS | NAMED_SPECS, SPECS | NAMED_SPECS, SPECS | NAMED_SPECS)
def test_subtyping_is_a_partial_order(a: Any, b: Any, c: Any) -> None:
    assert a.is_subtype_of(a)
    if a.is_subtype_of(b) and b.is_subtype_of(a):
        assert a == b
        assert hash(a) == hash(b)
    if a.is_subtype_of(b) and b.is_subtype_of(c):
        assert a.is_subtype_of(c)


@given(SPECS, st.lists(SPECS, max_size=3), SPECS)
def test_the_common_supertype_is_the_least_upper_bound(a: Any, others: Any, bound: Any) -> None:
    joined = a.most_specific_common_supertype(others)
    bounded = all(spec.is_subtype_of(bound) for spec in [a, *others])
    if joined is None:
        assert not bounded
        return
    assert all(spec.is_subtype_of(joined) for spec in [a, *others])
    assert not bounded or joined.is_subtype_of(bound)


@given(SPECS | NAMED_SPECS, SPECS | NAMED_SPECS)
def test_joining_and_compatibility_are_commutative(a: Any, b: Any) -> None:
    assert a.most_specific_common_supertype([b]) == b.most_specific_common_supertype([a])
    assert a.is_compatible_with(b) == b.is_compatible_with(a)


@given(SPECS | NAMED_SPECS)
def test_a_spec_survives_pickling_and_its_repr(spec: Any) -> None:
    assert pickle.loads(pickle.dumps(spec)) == spec
    if isinstance(spec, TensorSpec):
        text = repr(spec).replace("<unknown>", "None")
        assert eval(text, {"TensorSpec": TensorSpec, "tf": TF}) == spec


@given(TENSOR_SPECS, TENSOR_SPECS)
def test_a_tensor_is_compatible_as_its_spec_is(a: TensorSpec, b: TensorSpec) -> None:
    assert a.is_compatible_with(Tensor(b.type)) == a.is_compatible_with(b)


def test_arrays_in_specs_are_compared_by_value() -> None:
    shape = TF.TensorShape([1])
    spec, same, other = [PairSpec(shape, np.array([1, last])) for last in (2, 2, 3)]
    assert spec == same
    assert hash(spec) == hash(same)
    assert spec.is_subtype_of(same)
    assert spec.most_specific_common_supertype([same]) == spec
    assert spec != other
    assert not spec.is_compatible_with(other)


def test_a_bounded_spec_keeps_its_bounds_in_a_supertype() -> None:
    a, b = [BoundedTensorSpec([n], tf_dtype, 0, 1) for n, tf_dtype in [(2, "int8"), (3, "int8")]]
    joined = a.most_specific_common_supertype([b])
    assert joined == BoundedTensorSpec([None], "int8", 0, 1)
    with pytest.raises(ValueError, match="no TypeSpec describes the values of both"):
        a.most_specific_compatible_type(BoundedTensorSpec([2], "int8", 0, 2))


@pytest.mark.parametrize(
    ("spec", "value", "text"),
    [
        (TensorSpec([3]), constant([1.0, 2.0]), r"shape=\(2,\).* to TensorSpec\(shape=\(3,\)"),
        (TensorSpec([2]), constant([1, 2]), r"dtype=tf.int32.* to TensorSpec.*dtype=tf.float32"),
        (PairSpec(TF.TensorShape([3]), "a"), constant([1.0]), r"shape=\(1,\).* to TensorSpec"),
    ],
)
def test_a_value_of_another_type_cannot_be_cast(spec: Any, value: Any, text: str) -> None:
    with pytest.raises(TypeError, match="Can not cast TensorSpec.*" + text):
        spec.cast(value, SimpleNamespace(allow_specs=False))


def test_what_is_known_less_of_is_cast_by_refining_it() -> None:
    tensor = Tensor(TensorType(dtypes.float32, (None, 3)))
    cast = TensorSpec([2, 3]).cast(tensor, SimpleNamespace(allow_specs=False))
    assert cast.type.dims == (2, 3)


def test_specs_are_cast_where_specs_are_allowed() -> None:
    context = SimpleNamespace(allow_specs=True)
    wide = TensorSpec([None])
    assert wide.cast(TensorSpec([2]), context) is wide
    with pytest.raises(AssertionError, match="Can not cast"):
        TensorSpec([2]).cast(wide, context)
    composite = PairSpec(TF.TensorShape([None]), "a")
    assert composite.cast(PairSpec(TF.TensorShape([2]), "a"), context) is composite


def test_placeholders_are_made_of_the_tensor_specs() -> None:
    context = SimpleNamespace(placeholder=lambda spec: Tensor(spec.type))
    assert PairSpec(TF.TensorShape([2]), "a").placeholder_value(context) == constant([1.0, 2.0])


def test_a_composite_spec_is_opened_where_composites_are() -> None:
    spec = PairSpec(TF.TensorShape([2]), "a")
    assert tree.flatten([spec, TensorSpec([])]) == [spec, TensorSpec([])]
    expanded = tree.flatten([spec, TensorSpec([])], expand_composites=True)
    assert expanded == [TensorSpec([2]), TensorSpec([])]


@pytest.mark.parametrize(("role", "low", "high"), [("minimum", [1, 2, 3], 9), ("maximum", 0, None)])
def test_bad_bounds_are_named(role: str, low: Any, high: Any) -> None:
    with pytest.raises(ValueError, match=role):
        BoundedTensorSpec([2], dtypes.int32, low, high)
