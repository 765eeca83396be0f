"""What functions are as StableHLO, and what is refused."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.portable.stablehlo.hlo_value import array_text
from graphwright.types import dtypes as dt


def body(text: str) -> list[str]:
    """The lines of the function."""
    return [line[4:] for line in text.splitlines()[2:-2]]


def test_a_module_has_one_function() -> None:
    scale = tf.Variable(2.0)
    specs = tf.TensorSpec([2], name="x"), tf.TensorSpec([2, 2], name="y")
    text = tf.stablehlo.export(lambda x, y: {"sum": x + y, "scaled": x * scale}, *specs)
    head = "func.func public @main(%x: tensor<2xf32>, %y: tensor<2x2xf32>) -> "
    assert text.splitlines()[1] == f"  {head}(tensor<2xf32>, tensor<2x2xf32>) {{"
    assert body(text) == [
        "%0 = stablehlo.constant dense<2.0> : tensor<2xf32>",
        '%1 = "stablehlo.broadcast_in_dim"(%x) {broadcast_dimensions = array<i64: 1>} : '
        "(tensor<2xf32>) -> tensor<2x2xf32>",
        "%2 = stablehlo.add %1, %y : tensor<2x2xf32>",
        "%3 = stablehlo.multiply %x, %0 : tensor<2xf32>",
        "return %3, %2 : tensor<2xf32>, tensor<2x2xf32>",
    ]


def test_a_loop_is_a_while() -> None:
    def doubled(x: Any) -> Any:
        return tf.while_loop(lambda x: x < 100, lambda x: (x * 2,), [x])

    text = tf.stablehlo.export(doubled, tf.TensorSpec([], tf.int32, "x"))
    assert body(text) == [
        '%0 = "stablehlo.while"(%x) ({',
        "^bb0(%v: tensor<i32>):",
        "  %1 = stablehlo.constant dense<100> : tensor<i32>",
        '  %2 = "stablehlo.compare"(%v, %1) {comparison_direction = '
        "#stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>",
        "  stablehlo.return %2 : tensor<i1>",
        "}, {",
        "^bb0(%v_1: tensor<i32>):",
        "  %3 = stablehlo.constant dense<2> : tensor<i32>",
        "  %4 = stablehlo.multiply %v_1, %3 : tensor<i32>",
        "  stablehlo.return %4 : tensor<i32>",
        "}) : (tensor<i32>) -> tensor<i32>",
        "return %0 : tensor<i32>",
    ]


@pytest.mark.parametrize(
    ("numbers", "dtype", "text"),
    [
        (np.float32(0.1), dt.float32, "dense<0.1>"),
        (np.float32(1e-7), dt.float32, "dense<1.0e-07>"),
        (np.float64(3), dt.float64, "dense<3.0>"),
        (np.float32(-np.inf), dt.float32, "dense<0xFF800000>"),
        (np.float16(np.nan), dt.float16, "dense<0x7E00>"),
        (np.array([[True], [False]]), dt.bool_, "dense<[[true], [false]]>"),
        (np.array([200, 1], np.uint8), dt.uint8, "dense<[200, 1]>"),
        (np.zeros((2, 0), np.int32), dt.int32, "dense<>"),
        (np.arange(17, dtype=np.int8), dt.int8, 'dense<"0x000102030405060708090A0B0C0D0E0F10">'),
    ],
)
def test_numbers_are_spelled_exactly(numbers: Any, dtype: Any, text: str) -> None:
    assert array_text(np.asarray(numbers), dtype) == text


def test_all_ops_without_a_counterpart_are_named() -> None:
    state = tf.Variable(1.0)

    @tf.function
    def odd(x: Any) -> Any:
        state.assign_add(x[0])
        words = tf.strings.length(tf.strings.as_string(x))
        if x[0] > 0.0:
            x = tf.math.lgamma(x)
        return words, tf.where(x > 0.0), x

    with pytest.raises(tf.errors.UnimplementedError) as caught:
        tf.stablehlo.export(odd, tf.TensorSpec([3]))
    lines = re.findall(r"^  (\w+) \(File .*test_stablehlo_text.py\", line \d+, in \w+\): (.*)$",
                       str(caught.value), re.MULTILINE)  # fmt: skip
    assert [name for name, _ in lines] == [
        "AssignAddVariableOp", "AsString", "StringLength", "Lgamma", "Where",
    ]  # fmt: skip
    assert lines[0][1] == "it changes state, which the text has not"


def test_an_argument_of_unknown_size_is_named() -> None:
    spec = tf.TensorSpec([None, 4], name="rows")
    words = re.escape("'rows' has the shape [None, 4], and all sizes must be known: "
                      "tf.stablehlo.export(f, tf.TensorSpec([8, 4], tf.float32))")  # fmt: skip
    with pytest.raises(ValueError, match=words):
        tf.stablehlo.export(tf.function(lambda rows: rows + 1.0), spec)


def test_the_trace_must_be_plain() -> None:
    f = tf.function(lambda x: x + 1.0)
    f(tf.zeros([2]))
    assert "tensor<2xf32>" in tf.stablehlo.export(f)
    assert tf.stablehlo.export(f.get_concrete_function(tf.TensorSpec([2]))) == (
        tf.stablehlo.export(f)
    )
    f(tf.zeros([3]))
    with pytest.raises(ValueError, match="has 2 traces"):
        tf.stablehlo.export(f)
    with pytest.raises(ValueError, match="is no function of tensors"):
        tf.stablehlo.export(3)


def test_it_is_a_stage_of_the_compiler() -> None:
    f = tf.function(lambda x: tf.tanh(x))
    shown = f.experimental_get_compiler_ir(tf.TensorSpec([2]))(stage="stablehlo")
    assert shown == tf.stablehlo.export(f)
