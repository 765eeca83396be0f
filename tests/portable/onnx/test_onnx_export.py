"""Functions as models of ONNX, which ONNX Runtime computes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

from support.onnx_cases import run_model

import graphwright as tf

RNG = np.random.default_rng(7)


def floats(*shape: int) -> Any:
    """Random floats."""
    return RNG.standard_normal(shape).astype(np.float32)


def agree(
    f: Callable[..., Any], path: Path, *arrays: Any, checked: bool = True, **options: Any
) -> Any:
    """Exports a function, runs the model, and compares all results; the message of the model."""
    file = path / "model.onnx"
    tf.onnx.export(f, file, **options)
    model = onnx.load(str(file))
    if checked:
        onnx.checker.check_model(str(file), full_check=True)
    by, values = run_model(file, arrays)
    assert by == "onnxruntime"
    expected = tf.nest.flatten(f(*map(tf.constant, arrays)))
    assert len(values) == len(expected)
    for value, wanted in zip(values, expected):
        np.testing.assert_allclose(value, wanted.numpy(), rtol=2e-5, atol=2e-5)
        assert value.dtype == wanted.numpy().dtype
    return model


class Perceptron(tf.Module):
    """Two dense layers."""

    def __init__(self) -> None:
        super().__init__()
        self.kernels = [tf.Variable(floats(4, 8), name="first"), tf.Variable(floats(8, 3))]
        self.bias = tf.Variable(floats(8), name="bias")

    @tf.function(input_signature=[tf.TensorSpec([None, 4], name="x")])
    def __call__(self, x: Any) -> Any:
        hidden = tf.nn.relu(x @ self.kernels[0] + self.bias)
        return {"classes": tf.nn.softmax(hidden @ self.kernels[1]), "hidden": hidden}


def test_a_module_keeps_the_names_of_its_inputs_results_and_weights(tmp_path: Path) -> None:
    model = agree(Perceptron(), tmp_path, floats(5, 4))
    graph = model.graph
    assert [value.name for value in graph.input] == ["x"]
    assert [value.name for value in graph.output] == ["classes", "hidden"]
    assert {"first", "bias"} <= {tensor.name for tensor in graph.initializer}
    dims = graph.input[0].type.tensor_type.shape.dim
    assert (dims[0].dim_param, dims[1].dim_value) == ("x_0", 4)


def test_a_network_of_convolutions(tmp_path: Path) -> None:
    filters = [tf.Variable(floats(3, 3, 2, 6)), tf.Variable(floats(3, 3, 6, 1))]
    mean, variance = floats(6), np.abs(floats(6))

    @tf.function(input_signature=[tf.TensorSpec([None, 11, 9, 2], name="images")])
    def network(images: Any) -> Any:
        y = tf.nn.conv2d(images, filters[0], 2, "SAME")
        y = tf.nn.relu(tf.nn.batch_normalization(y, mean, variance, 0.5, 1.5, 1e-3))
        y = tf.nn.depthwise_conv2d(y, filters[1], [1, 1, 1, 1], "VALID")
        y = tf.nn.max_pool2d(y, 2, 1, "SAME") - tf.nn.avg_pool2d(y, 3, 1, "SAME")
        return tf.reshape(y, [tf.shape(y)[0], -1])

    agree(network, tmp_path, floats(3, 11, 9, 2))


def test_a_network_of_unknown_sizes(tmp_path: Path) -> None:
    filters = tf.Variable(floats(3, 3, 2, 4))

    @tf.function(input_signature=[tf.TensorSpec([None, None, None, 2])])
    def network(images: Any) -> Any:
        y = tf.nn.conv2d(images, filters, [2, 1], "SAME")
        return tf.image.resize(y, 2 * tf.shape(images)[1:3])

    agree(network, tmp_path, floats(2, 7, 5, 2))


@pytest.mark.parametrize("length", [1, 6])
def test_a_loop_of_any_length_that_stacks_its_states(tmp_path: Path, length: int) -> None:
    kernel, again = tf.Variable(floats(3, 4)), tf.Variable(floats(4, 4))

    @tf.function(input_signature=[tf.TensorSpec([None, 2, 3])])
    def recurrent(x: Any) -> Any:
        state = tf.zeros([2, 4])
        states = tf.TensorArray(tf.float32, size=tf.shape(x)[0])
        for i in tf.range(tf.shape(x)[0]):
            state = tf.tanh(x[i] @ kernel + state @ again)
            if tf.reduce_sum(state) > 100.0:
                break
            states = states.write(i, state)
        return states.stack(), state

    agree(recurrent, tmp_path, floats(length, 2, 3), checked=False)


def test_branches_choices_and_calls(tmp_path: Path) -> None:
    @tf.function
    def called(x: Any) -> Any:
        return x * 2.0

    def body(x: Any, i: Any) -> Any:
        y = tf.switch_case(i, [lambda: called(x), lambda: x - 1.0, lambda: tf.sin(x)])
        if tf.reduce_any(y > 3.0):
            y, z = y + 1.0, tf.constant(1)
        else:
            z = i
        return y, z

    signature = [tf.TensorSpec([None]), tf.TensorSpec([], tf.int32)]
    for number in (0, 1, 2, 9):
        function = tf.function(body)
        agree(function, tmp_path, floats(3), np.array(number, np.int32), input_signature=signature)


def test_gradients_are_part_of_a_graph(tmp_path: Path) -> None:
    kernel = tf.Variable(floats(3, 2))

    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.tanh(x @ kernel)))
        return tape.gradient(loss, kernel)

    agree(gradient, tmp_path, floats(4, 3))


@pytest.mark.parametrize("dtype", ["float64", "int32", "int64", "uint8", "bool"])
def test_dtypes(tmp_path: Path, dtype: str) -> None:
    values = np.array([[1, 0, 3], [4, 5, 0]]).astype(dtype)
    function = tf.function(lambda x: (tf.transpose(x), tf.concat([x, x], 0)[1:, ::-1]))
    agree(function, tmp_path, values, input_signature=[tf.TensorSpec([None, 3], dtype)])


def test_large_weights_lie_beside_the_model(tmp_path: Path) -> None:
    kernel = tf.Variable(floats(300, 20), name="kernel")
    function = tf.function(lambda x: x @ kernel + 1.0)
    signature = [tf.TensorSpec([None, 300])]
    agree(function, tmp_path, floats(2, 300), input_signature=signature, external_data=True)
    assert (tmp_path / "model.onnx").stat().st_size < 2000
    assert (tmp_path / "model.onnx.data").stat().st_size == 300 * 20 * 4


def test_a_loaded_model_is_exported_by_its_signature(tmp_path: Path) -> None:
    tf.saved_model.save(Perceptron(), str(tmp_path / "saved"))
    loaded = tf.saved_model.load(str(tmp_path / "saved"))
    tf.onnx.export(loaded, tmp_path / "a.onnx", signature="serving_default")
    x = floats(2, 4)
    expected = loaded.signatures["serving_default"](x=tf.constant(x))
    _, values = run_model(tmp_path / "a.onnx", [x])
    np.testing.assert_allclose(values[0], expected["classes"].numpy(), rtol=1e-5)


def test_ops_without_a_counterpart_are_refused_together(tmp_path: Path) -> None:
    counter = tf.Variable(0.0)

    def body(x: Any) -> Any:
        counter.assign_add(1.0)
        return tf.math.lgamma(x) + tf.linalg.svd(x)[0]

    with pytest.raises(tf.errors.UnimplementedError) as caught:
        tf.onnx.export(body, tmp_path / "a.onnx", input_signature=[tf.TensorSpec([3, 3])])
    lines = str(caught.value).splitlines()
    assert [re.sub(r"File .*, line \d+", "LINE", line) for line in lines[1:4]] == [
        "  AssignAddVariableOp (LINE, in body): it changes state, which a model has not",
        "  Lgamma (LINE, in body): ONNX has no such function",
        "  Svd (LINE, in body): ONNX has no counterpart",
    ]
    assert not (tmp_path / "a.onnx").exists()


def test_an_older_opset_has_fewer_ops(tmp_path: Path) -> None:
    signature = [tf.TensorSpec([None], tf.string)]
    function = tf.function(lambda x: tf.strings.join([x, x]))
    words = "ONNX has StringConcat from opset 20 on"
    with pytest.raises(tf.errors.UnimplementedError, match=words):
        tf.onnx.export(function, tmp_path / "a.onnx", 18, input_signature=signature)
    with pytest.raises(ValueError, match="opset 18 to 26, not 9"):
        tf.onnx.export(function, tmp_path / "a.onnx", 9, input_signature=signature)


def test_which_trace_is_meant_must_be_plain(tmp_path: Path) -> None:
    function = tf.function(lambda x: x + 1)
    with pytest.raises(ValueError, match="has 0 traces; name the types of its arguments"):
        tf.onnx.export(function, tmp_path / "a.onnx")
    with pytest.raises(ValueError, match="has no single function with an input signature"):
        tf.onnx.export(tf.Module(), tmp_path / "a.onnx")
    function(tf.constant(1))
    tf.onnx.export(function, tmp_path / "a.onnx")
    function(tf.constant(1.0))
    with pytest.raises(ValueError, match="has 2 traces"):
        tf.onnx.export(function, tmp_path / "a.onnx")
