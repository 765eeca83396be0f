"""What an op makes of its record: the operands, the same object each time, words of mismatches."""

from __future__ import annotations

import sys
from typing import Any

import pytest

import graphwright as tf
from graphwright.op.op import REGISTRY, Op, Operand, parse_operand
from graphwright.ops.sparse.sparse_layout import SparseConcat


@pytest.mark.parametrize(
    ("text", "operand"),
    [
        ("x: T", Operand("x", "T", False, False, False)),
        ("shape: Tshape host", Operand("shape", "Tshape", True, False, False)),
        ("values: T*", Operand("values", "T", False, True, False)),
        ("values: T*num_split", Operand("values", "T", False, True, False, "num_split")),
        ("args: Tin...", Operand("args", "Tin", False, False, True)),
    ],
)
def test_operands(text: str, operand: Any) -> None:
    assert parse_operand(text) == operand


def test_host_operands_are_counted_behind_lists() -> None:
    assert REGISTRY["ConcatV2"].host_mask(4) == (False, False, False, True)
    assert REGISTRY["ConcatV2"].host_mask(2) == (False, True)
    assert REGISTRY["Reshape"].host_mask(2) == (False, True)
    assert REGISTRY["AddV2"].host_mask(2) == (False, False)


def test_an_op_with_the_same_attributes_is_the_same_object() -> None:
    kind = REGISTRY["Sum"]
    assert kind.of(True) is kind.of(True)
    assert kind.of(True) is not kind.of(False)
    assert kind.of(None) is kind.of(False)
    with pytest.raises(TypeError, match="Expected bool for argument 'keep_dims' not 1"):
        kind.of(1)  # though 1 == True
    leaky = REGISTRY["LeakyRelu"]
    assert leaky.of(0.0) is not leaky.of(-0.0)
    assert leaky.of(0.0) is leaky.of(0.0)


X, Y, TEXT = tf.constant(1.0), tf.constant(1), tf.constant("1")

#: A call, and how its mismatch is mended; nothing where no call converts.
MISMATCHES: list[tuple[Any, str]] = [
    (lambda: tf.raw_ops.AddV2(x=X, y=Y), "tf.cast(Y, tf.float32)"),
    (lambda: tf.raw_ops.Sqrt(x=Y), "tf.cast(Y, tf.float32)"),
    (lambda: tf.raw_ops.BitwiseAnd(x=X, y=X), "tf.cast(X, tf.int32)"),
    (lambda: tf.raw_ops.LogicalNot(x=Y), "tf.cast(Y, tf.bool)"),
    (lambda: tf.raw_ops.AddV2(x=X, y=TEXT), "tf.strings.to_number(TEXT, tf.float32)"),
    (lambda: tf.raw_ops.Add(x=TEXT, y=Y), "tf.strings.as_string(Y)"),
    (lambda: tf.raw_ops.StringLength(input=Y), "tf.strings.as_string(Y)"),
    (lambda: tf.raw_ops.ConcatV2(values=[X, Y], axis=0), "tf.cast(Y, tf.float32)"),
    (lambda: tf.raw_ops.LogicalNot(x=TEXT), ""),
]


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize(("call", "advice"), MISMATCHES, ids=lambda value: str(value)[:20])
def test_a_mismatch_names_the_call_that_converts(call: Any, advice: str, staged: bool) -> None:
    kind = TypeError if staged else tf.errors.InvalidArgumentError
    with pytest.raises(kind) as raised:
        (tf.function(call) if staged else call)()
    text = str(raised.value).replace("\n    in tf.", "")
    if advice and sys.version_info >= (3, 11):  # which says what stands at an instruction
        assert f"\n    {advice} converts it" in text
    elif not advice:
        assert "converts it" not in text


def test_operands_are_named_and_those_of_lists_numbered() -> None:
    assert REGISTRY["AddV2"].operand_names(2) == ("x", "y")
    assert REGISTRY["ConcatV2"].operand_names(3) == ("values[0]", "values[1]", "axis")
    lists = ("indices", "values", "shapes")
    for count in (1, 2, 3):
        names = [f"{name}[{i}]" for name in lists for i in range(count)]
        assert SparseConcat.operand_names(3 * count) == tuple(names)
        assert SparseConcat.count_in_lists(3 * count) == count


def test_what_is_stated_is_what_is_not_so_anyway() -> None:
    leaky = REGISTRY["LeakyRelu"]
    assert leaky.of(0.25).stated() == {"alpha": 0.25}
    assert leaky.of(leaky.alpha).stated() == {}
    assert leaky.of(0.25).describe() == {"alpha": 0.25}
    assert str(leaky.of(0.25)) == "LeakyRelu(alpha=0.25)"
    assert str(REGISTRY["Neg"].of()) == "Neg"


def test_ops_are_registered_by_a_name_of_their_own() -> None:
    class First(Op):
        type_name = "TestFirst"

    assert REGISTRY.pop("TestFirst") is First

    class Second(First):
        pass

    class Lowered(Op):
        type_name = "_TestLowered"

    assert (Second.type_name, Second.node_name, Lowered.node_name) == (
        "TestFirst",
        "TestFirst",
        "_TestLowered",
    )
    assert not {"TestFirst", "_TestLowered", ""} & set(REGISTRY)
