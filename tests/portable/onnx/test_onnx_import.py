"""Models of ONNX as modules: what they compute, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import graphwright as tf


def saved(path: Path, nodes: Any, inputs: Any, outputs: Any, opset: int = 21, **parts: Any) -> str:
    """Writes a model; inputs and outputs are named with dtypes and shapes."""
    infos = [
        [helper.make_tensor_value_info(name, dtype, shape) for name, dtype, shape in values]
        for values in (inputs, outputs)
    ]
    functions = parts.pop("functions", [])
    graph = helper.make_graph(nodes, "g", *infos, **parts)
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("own", 1)]
    model = helper.make_model(graph, opset_imports=imports, functions=functions)
    file = path / "model.onnx"
    file.write_bytes(model.SerializeToString())
    return str(file)


X, Y = ("x", TensorProto.FLOAT, [None]), ("y", TensorProto.FLOAT, [None])


def test_there_and_back(tmp_path: Path) -> None:
    kernel = tf.Variable(np.arange(12, dtype=np.float32).reshape(4, 3) / 10, name="kernel")

    @tf.function(input_signature=[tf.TensorSpec([None, 3], name="x")])
    def body(x: Any) -> Any:
        states = tf.TensorArray(tf.float32, size=tf.shape(x)[0], element_shape=[4])
        total = tf.zeros([4])
        for i in tf.range(tf.shape(x)[0]):
            total = total + tf.linalg.matvec(kernel, x[i])
            states = states.write(i, total)
        return {"states": states.stack(), "total": total}

    tf.onnx.export(body, tmp_path / "a.onnx")
    model = tf.onnx.load(tmp_path / "a.onnx", trainable=True)
    x = tf.constant([[1.0, 2.0, 3.0], [0.5, 0.0, -1.0]])
    assert model.inputs == ("x",)
    for name, value in body(x).items():
        np.testing.assert_allclose(model(x)[name].numpy(), value.numpy(), rtol=1e-6)
    (weight,) = [v for v in model.trainable_variables if v.name == "kernel:0"]
    gradients = []
    for f, variable in ((body, kernel), (model, weight)):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(f(x)["states"]))
        gradients.append(tape.gradient(loss, variable).numpy())
    np.testing.assert_allclose(gradients[0], gradients[1], rtol=1e-6)


def test_sizes_that_are_computed_from_shapes_are_known(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Shape", ["x"], ["size"]),
        helper.make_node("Gather", ["size", "one"], ["columns"]),
        helper.make_node("Sub", ["columns", "one"], ["rest"]),
        helper.make_node("Concat", ["one", "rest"], ["sizes"], axis=0),
        helper.make_node("Split", ["x", "sizes"], ["first", "y"], axis=1),
    ]
    one = numpy_helper.from_array(np.array([1]), "one")
    rows = [("x", TensorProto.FLOAT, [None, 3])]
    y = [("y", TensorProto.FLOAT, [None, None])]
    model = tf.onnx.load(saved(tmp_path, nodes, rows, y, initializer=[one]))
    assert model([[5.0, 6.0, 7.0]]).numpy().tolist() == [[6.0, 7.0]]


def test_a_model_takes_inputs_by_position_or_by_name(tmp_path: Path) -> None:
    z = ("z", TensorProto.FLOAT, [None])
    model = tf.onnx.load(saved(tmp_path, [helper.make_node("Sub", ["x", "z"], ["y"])], [X, z], [Y]))
    assert model([3.0], z=[1.0]).numpy() == [2.0]
    assert model.concrete(x=[3.0], z=[1.0]).numpy() == [2.0]
    with pytest.raises(TypeError, match="the model takes x, z; got 1 by position"):
        model([3.0])


def test_functions_of_the_model_and_bodies_of_onnx(tmp_path: Path) -> None:
    double = helper.make_function(
        "own", "Scaled", ["a"], ["b"],
        [helper.make_node("Constant", [], ["c"]), helper.make_node("Mul", ["a", "c"], ["b"])],
        [helper.make_opsetid("", 21)], ["factor"],
    )  # fmt: skip
    attribute = double.node[0].attribute.add()
    attribute.name, attribute.ref_attr_name, attribute.type = "value_float", "factor", 1
    nodes = [
        helper.make_node("Scaled", ["x"], ["d"], domain="own", factor=3.0),
        helper.make_node("MeanVarianceNormalization", ["d"], ["y"], axes=[0]),
    ]
    model = tf.onnx.load(saved(tmp_path, nodes, [X], [Y], functions=[double]))
    x = np.array([1.0, 2.0, 6.0], np.float32)
    expected = (x - x.mean()) / x.std()
    np.testing.assert_allclose(model(x).numpy(), expected, rtol=1e-5)


def test_axes_that_are_inputs_are_fixed(tmp_path: Path) -> None:
    axes = ("axes", TensorProto.INT64, [1])
    nodes = [helper.make_node("Unsqueeze", ["x", "axes"], ["y"])]
    file = saved(tmp_path, nodes, [X, axes], [("y", TensorProto.FLOAT, [None, None])])
    with pytest.raises(tf.errors.NotFoundError, match="the axes must be known before it runs"):
        tf.onnx.load(file)
    assert tf.onnx.load(file, constants={"axes": [1]})([1.0, 2.0]).shape == [2, 1]
    with pytest.raises(ValueError, match="the model has no input 'axis', but x, axes"):
        tf.onnx.load(file, constants={"axis": [1]})


def test_unknown_ops_are_named_together(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Missing", ["x"], ["a"], name="first"),
        helper.make_node("Other", ["a"], ["y"], domain="com.example"),
    ]
    with pytest.raises(tf.errors.NotFoundError) as caught:
        tf.onnx.load(saved(tmp_path, nodes, [X], [Y]))
    assert str(caught.value).splitlines()[1:3] == [
        "  Missing, in the node 'first'",
        "  com.example.Other, in the node 'y'",
    ]


def hostile(name: str) -> Any:
    """A model that contradicts itself."""
    add = helper.make_node("Add", ["x", "w"], ["y"])
    weight = numpy_helper.from_array(np.ones(4, np.float32), "w")
    nodes, functions = [add], []
    if name == "a shape larger than its bytes":
        weight.dims[0] = 1 << 40
    elif name == "a negative size":
        weight.dims[0] = -4
    elif name == "an unknown dtype":
        weight.data_type = 99
    elif name == "a file outside":
        external(weight, location="../secret", offset="0", length="16")
    elif name == "an absolute file":
        external(weight, location="/etc/passwd", offset="0", length="16")
    elif name == "a file that is not there":
        external(weight, location="weights.bin", offset="0", length="16")
    elif name == "more bytes than its file has":
        external(weight, location="model.onnx", offset="100000", length="16")
    elif name == "a cycle":
        nodes = [helper.make_node("Add", ["b", "w"], ["y"]), helper.make_node("Abs", ["y"], ["b"])]
    elif name == "a function that calls itself":
        again = helper.make_node("Again", ["a"], ["b"], domain="own")
        imports = [helper.make_opsetid("own", 1)]
        functions = [helper.make_function("own", "Again", ["a"], ["b"], [again], imports)]
        nodes = [helper.make_node("Again", ["x"], ["y"], domain="own")]
    elif name == "two nodes of one result":
        nodes = [add, add]
    elif name == "shapes that do not fit":
        nodes = [helper.make_node("Concat", ["x", "w"], ["y"], axis=0)]
        weight.dims[:] = [2, 2]
    elif name == "an attribute that is missing":
        nodes = [helper.make_node("Cast", ["x"], ["y"])]
    elif name == "an opset of the future":
        return nodes, functions, weight, 999
    return nodes, functions, weight, 21


def external(tensor: Any, **entries: str) -> None:
    """Says that the value of a tensor is in a file."""
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in entries.items():
        entry = tensor.external_data.add()
        entry.key, entry.value = key, value


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a shape larger than its bytes", "it has 16 bytes, not 4398046511104"),
        ("a negative size", "is negative"),
        ("an unknown dtype", "there is no dtype 99"),
        ("a file outside", "which is not in the model's folder"),
        ("an absolute file", "which is not in the model's folder"),
        ("a file that is not there", "there is no file 'weights.bin'"),
        ("more bytes than its file has", "16 bytes from 100000 on are not in the file"),
        ("a cycle", "it takes 'b', which nothing before it makes"),
        ("a function that calls itself", "functions call themselves: own.Again -> own.Again"),
        ("two nodes of one result", "two nodes make 'y'"),
        ("shapes that do not fit", "the model is malformed: Concat 'y'"),
        ("an attribute that is missing", "there is no dtype 0"),
        ("an opset of the future", "it has ops of opset 999"),
    ],
)
def test_what_contradicts_itself_is_refused_in_words(tmp_path: Path, name: str, words: str) -> None:
    nodes, functions, weight, opset = hostile(name)
    file = saved(tmp_path, nodes, [X], [Y], opset, initializer=[weight], functions=functions)
    (tmp_path.parent / "secret").write_bytes(bytes(16))
    with pytest.raises((tf.errors.InvalidArgumentError, tf.errors.PermissionDeniedError)) as caught:
        tf.onnx.load(file)
    assert words in str(caught.value)


def test_bytes_that_are_no_message(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xff" * 100)
    with pytest.raises(tf.errors.InvalidArgumentError, match="no message of ONNX"):
        tf.onnx.load(tmp_path / "a")
    (tmp_path / "a").write_bytes(b"")
    with pytest.raises(tf.errors.InvalidArgumentError, match="it has no graph"):
        tf.onnx.load(tmp_path / "a")
    with pytest.raises(OSError, match="No such file"):
        tf.onnx.load(tmp_path / "b")


@pytest.mark.parametrize(("axis", "is_new"), [(1, 0), (-1, 0), (0, 1), (1, 1), (-1, 1), (0, 0)])
def test_items_are_joined_along_any_axis(axis: int, is_new: int, tmp_path: Path) -> None:
    sizes = numpy_helper.from_array(np.array([2, 2] if is_new else [1, 3]), "sizes")
    nodes = [
        helper.make_node("SplitToSequence", ["x", "sizes"], ["s"], axis=1),
        helper.make_node("ConcatFromSequence", ["s"], ["y"], axis=axis, new_axis=is_new),
    ]
    sized = ("x", TensorProto.FLOAT, [1, 4] if (axis, is_new) == (0, 0) else [None, 4])
    if (axis, is_new) == (0, 0):
        nodes[0] = helper.make_node("SplitToSequence", ["x"], ["s"], axis=0)
    file = saved(tmp_path, nodes, [sized], [("y", TensorProto.FLOAT, None)], initializer=[sizes])
    x = np.arange(sized[2][0] or 3, dtype=np.float32)[:, None] * 10 + np.arange(4, dtype=np.float32)
    (wanted,) = ReferenceEvaluator(file).run(None, {"x": x})
    np.testing.assert_array_equal(tf.onnx.load(file)(x).numpy(), wanted)


def sequence_of(name: str, dims: list[int | None] | None) -> Any:
    """What a model says of a sequence of floats."""
    item = helper.make_tensor_type_proto(TensorProto.FLOAT, dims)
    return helper.make_value_info(name, helper.make_sequence_type_proto(item))


def test_sequences_are_inputs_and_outputs(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("SequenceAt", ["s", "i"], ["x"]),
        helper.make_node("SequenceErase", ["s", "i"], ["fewer"]),
        helper.make_node("Neg", ["x"], ["y"]),
        helper.make_node("SequenceInsert", ["fewer", "y"], ["t"]),
        helper.make_node("SequenceLength", ["t"], ["n"]),
    ]
    number = helper.make_tensor_value_info("i", TensorProto.INT64, [])
    outputs = [
        helper.make_tensor_value_info("y", TensorProto.FLOAT, None),
        sequence_of("t", None),
        helper.make_tensor_value_info("n", TensorProto.INT64, []),
    ]
    graph = helper.make_graph(nodes, "g", [sequence_of("s", [None, 2]), number], outputs)
    file = str(tmp_path / "a.onnx")
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), file)
    items = [np.full([rows, 2], rows, np.float32) for rows in (1, 3, 2)]
    model = tf.onnx.load(file)
    for given in (items, items[1:], items[:1]):
        for index in range(len(given)):
            wanted = ReferenceEvaluator(file).run(None, {"s": given, "i": np.int64(index)})
            made = model(given, i=index)
            np.testing.assert_array_equal(made["y"], wanted[0])
            assert made["n"] == wanted[2] == len(made["t"])
            for item, other in zip(made["t"], wanted[1], strict=True):
                np.testing.assert_array_equal(item, other)
    with pytest.raises(ValueError, match=r"'s' takes items of shape \(None, 2\), and item 1 has"):
        model([items[0], np.ones([2, 3], np.float32)], 0)
    with pytest.raises(NotImplementedError, match="'t' is a sequence, whose length a trace"):
        tf.function(lambda x: model([x], 0)["y"])(items[0])


def test_damaged_models_give_words(tmp_path: Path) -> None:
    """Bytes changed at random: a model, or one of the errors that say why there is none."""
    kernel = tf.Variable(np.ones([2, 2], np.float32))
    function = tf.function(lambda x: tf.nn.softmax(tf.nn.relu(x @ kernel)[:, ::-1]))
    tf.onnx.export(function, tmp_path / "a.onnx", input_signature=[tf.TensorSpec([None, 2])])
    content, rng = (tmp_path / "a.onnx").read_bytes(), np.random.default_rng(3)
    outcomes = set()
    for _ in range(150):
        data = bytearray(content)
        for place in rng.integers(0, len(data), rng.integers(1, 4)):
            data[place] = rng.integers(0, 256)
        (tmp_path / "b.onnx").write_bytes(bytes(data))
        try:
            tf.onnx.load(tmp_path / "b.onnx")
            outcomes.add("loaded")
        except (tf.errors.OpError, OSError) as error:
            outcomes.add(type(error).__name__)
    assert outcomes >= {"loaded", "InvalidArgumentError", "NotFoundError"}
