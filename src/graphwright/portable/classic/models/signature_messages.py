"""The messages of signatures: which tensors of a graph a model takes and returns, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphwright.ir.graph import Graph
from graphwright.ir.tensor_proto import data_type, tensor_proto
from graphwright.portable import saved_model_names as names
from graphwright.portable.classic.graph_collections import open_graph
from graphwright.portable.model_graph import describe
from graphwright.portable.structured_values import decode, encode
from graphwright.proto.saved_model_pb2 import SignatureDef, TensorInfo
from graphwright.proto.structure_pb2 import StructuredValue
from graphwright.trace.scopes import executing_eagerly
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.composite import Composite
from graphwright.values.convert import convert
from graphwright.values.sparse.sparse_tensor import SparseTensor
from graphwright.values.tensor import EagerTensor, Tensor


def build_tensor_info(tensor: Tensor | Composite) -> TensorInfo:
    """Returns the message that names a tensor of the open graph.

    Args:
        tensor: A tensor, a `tf.SparseTensor`, a `tf.RaggedTensor` or a variable of the graph.

    Returns:
        A message of the type TensorInfo.

    Raises:
        RuntimeError: No graph is open.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder(tf.float32, [None], name="x")
    ...     tf.compat.v1.saved_model.build_tensor_info(x).name
    'x:0'
    """
    if executing_eagerly():
        raise RuntimeError("`build_tensor_info` is not supported in eager execution.")
    info = TensorInfo()
    if isinstance(tensor, SparseTensor):
        describe(info, "", tensor.values.type)
        describe(info, "", tensor.values.type.with_dims(tensor.shape._dims))
        info.coo_sparse.values_tensor_name = tensor.values.name
        info.coo_sparse.indices_tensor_name = tensor.indices.name
        info.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
    elif isinstance(tensor, Composite):
        info.composite_tensor.type_spec.CopyFrom(encode(tensor._type_spec).type_spec_value)
        for part in tree.flatten(tensor, expand_composites=True):
            info.composite_tensor.components.add().CopyFrom(build_tensor_info(part))
    else:
        element: Any = convert(tensor)
        describe(info, element.name, element.type)
    return info


def get_tensor_from_tensor_info(
    tensor_info: TensorInfo, graph: Graph | None = None, import_scope: str | None = None
) -> Any:
    """Returns the tensor of a graph that a message names.

    Args:
        tensor_info: A message of the type TensorInfo.
        graph: A `tf.Graph`; None takes the open one.
        import_scope: What the name begins with in the graph, before a slash; None for nothing.

    Returns:
        A tensor, a `tf.SparseTensor` or a `tf.RaggedTensor`.

    Raises:
        KeyError: The graph has no such tensor.
        ValueError: The message names none.

    >>> import graphwright as tf
    >>> saved_model = tf.compat.v1.saved_model
    >>> with tf.Graph().as_default():
    ...     x = tf.constant(3.0, name="x")
    ...     saved_model.get_tensor_from_tensor_info(saved_model.build_tensor_info(x))
    <tf.Tensor 'x:0' shape=() dtype=float32>
    """
    home = open_graph() if graph is None else graph
    prefix = f"{import_scope}/" if import_scope else ""
    encoding = tensor_info.WhichOneof("encoding")
    if encoding == "name":
        return home.get_tensor_by_name(prefix + tensor_info.name)
    if encoding == "coo_sparse":
        parts = tensor_info.coo_sparse
        texts = parts.indices_tensor_name, parts.values_tensor_name, parts.dense_shape_tensor_name
        return SparseTensor(*[home.get_tensor_by_name(prefix + text) for text in texts])
    if encoding == "composite_tensor":
        whole = tensor_info.composite_tensor
        spec = decode(StructuredValue(type_spec_value=whole.type_spec))
        tensors = [home.get_tensor_by_name(prefix + part.name) for part in whole.components]
        return tree.pack_sequence_as(spec, tensors, expand_composites=True)
    raise ValueError(
        f"Invalid TensorInfo.encoding: {encoding}. Expected `coo_sparse`, `composite_tensor`, or "
        "`name` for a dense tensor."
    )


def build_signature_def(
    inputs: Mapping[str, TensorInfo] | None = None,
    outputs: Mapping[str, TensorInfo] | None = None,
    method_name: str | None = None,
    defaults: Mapping[str, Tensor] | None = None,
) -> SignatureDef:
    """Returns the message of a signature.

    Args:
        inputs: A dict from names to messages of `build_tensor_info`: what is given.
        outputs: A dict from names to messages of `build_tensor_info`: what is returned.
        method_name: How a server calls it, such as "tensorflow/serving/predict".
        defaults: A dict from names of inputs to constants, for requests that leave them out.

    Returns:
        A message of the type SignatureDef.

    Raises:
        ValueError: A default is no constant.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.saved_model.build_tensor_info(tf.constant(3.0))
    ...     message = tf.compat.v1.saved_model.build_signature_def({"x": x}, {"y": x}, "predict")
    >>> sorted(message.inputs), message.method_name
    (['x'], 'predict')
    """
    made = SignatureDef(method_name=method_name or "")
    for field, infos in ((made.inputs, inputs), (made.outputs, outputs)):
        for name, info in (infos or {}).items():
            field[name].CopyFrom(info)
    for name, default in (defaults or {}).items():
        if isinstance(default, EagerTensor):
            made.defaults[name].CopyFrom(tensor_proto(default.numpy(), default.dtype))
        elif isinstance(default, SymbolicTensor) and default.op.type == "Const":
            made.defaults[name].CopyFrom(default.op.get_attr("value"))
        else:
            raise ValueError(
                f"Unable to convert object {default} of type {type(default)} to TensorProto."
            )
    return made


def predict_signature_def(
    inputs: Mapping[str, Tensor], outputs: Mapping[str, Tensor]
) -> SignatureDef:
    """Returns the message of a signature that takes and returns tensors by name.

    Args:
        inputs: A dict from names to tensors of the graph.
        outputs: A dict from names to tensors of the graph.

    Returns:
        A message of the type SignatureDef.

    Raises:
        ValueError: `inputs` or `outputs` is empty.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder(tf.float32, [None], name="x")
    ...     message = tf.compat.v1.saved_model.predict_signature_def({"x": x}, {"y": x * 2.0})
    >>> message.outputs["y"].name
    'mul:0'
    """
    for role, tensors in (("inputs", inputs), ("outputs", outputs)):
        if not tensors:
            raise ValueError(f"Prediction `{role}` cannot be None or empty.")
    given, returned = [
        {name: build_tensor_info(tensor) for name, tensor in tensors.items()}
        for tensors in (inputs, outputs)
    ]
    return build_signature_def(given, returned, names.PREDICT_METHOD_NAME)


def part_of(
    kind: str, role: str, tensor: object, dtype: dt.DType, words: str | None = None
) -> TensorInfo:
    """The message of a tensor that must be of one dtype."""
    if tensor is None:
        raise ValueError(f"{kind} `{role}` cannot be None.")
    if not isinstance(tensor, Tensor):
        raise ValueError(
            f"Expected {kind.lower()} `{role}` to be of type Tensor. Found `{role}` of type "
            f"{type(tensor)}."
        )
    if tensor.dtype is not dtype:
        raise ValueError(
            f"{kind} {role} must be tensors of type {'float' if dtype is dt.float32 else 'string'}."
            f" Found tensors of type {tensor.dtype.name}."
        )
    return build_tensor_info(tensor)


def regression_signature_def(examples: Tensor, predictions: Tensor) -> SignatureDef:
    """Returns the message of a signature that predicts numbers of serialized examples.

    Args:
        examples: A tensor of string of the graph: serialized `tf.train.Example` messages.
        predictions: A tensor of float32.

    Returns:
        A message of the type SignatureDef.

    Raises:
        ValueError: A tensor is None, or of another dtype.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder(tf.string, [None])
    ...     y = tf.compat.v1.placeholder(tf.float32, [None])
    ...     tf.compat.v1.saved_model.regression_signature_def(x, y).method_name
    'tensorflow/serving/regress'
    """
    given = part_of("Regression", "examples", examples, dt.string)
    returned = part_of("Regression", "predictions", predictions, dt.float32)
    return build_signature_def(
        {names.REGRESS_INPUTS: given}, {names.REGRESS_OUTPUTS: returned}, names.REGRESS_METHOD_NAME
    )


def classification_signature_def(
    examples: Tensor, classes: Tensor | None, scores: Tensor | None
) -> SignatureDef:
    """Returns the message of a signature that finds classes of serialized examples.

    Args:
        examples: A tensor of string of the graph: serialized `tf.train.Example` messages.
        classes: A tensor of string, or None.
        scores: A tensor of float32, or None.

    Returns:
        A message of the type SignatureDef.

    Raises:
        ValueError: Both results are None, or a tensor is of another dtype.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder(tf.string, [None])
    ...     y = tf.compat.v1.placeholder(tf.float32, [None, 3])
    ...     message = tf.compat.v1.saved_model.classification_signature_def(x, None, y)
    >>> list(message.outputs)
    ['scores']
    """
    given = part_of("Classification", "examples", examples, dt.string)
    if classes is None and scores is None:
        raise ValueError("Classification `classes` and `scores` cannot both be None.")
    returned = {}
    if classes is not None:
        info = part_of("Classification", "classes", classes, dt.string)
        returned[names.CLASSIFY_OUTPUT_CLASSES] = info
    if scores is not None:
        info = part_of("Classification", "scores", scores, dt.float32)
        returned[names.CLASSIFY_OUTPUT_SCORES] = info
    return build_signature_def({names.CLASSIFY_INPUTS: given}, returned, names.CLASSIFY_METHOD_NAME)


def is_valid_signature(signature_def: SignatureDef | None) -> bool:
    """Returns whether a server can call a signature.

    Args:
        signature_def: A message of the type SignatureDef.

    Returns:
        A bool: whether it is one of prediction, regression or classification, with what these take
        and return.

    >>> import graphwright as tf
    >>> message = tf.compat.v1.saved_model.build_signature_def(method_name="other")
    >>> tf.compat.v1.saved_model.is_valid_signature(message)
    False
    """
    if signature_def is None:
        return False
    given, returned = signature_def.inputs, signature_def.outputs
    if signature_def.method_name == names.PREDICT_METHOD_NAME:
        return bool(given) and bool(returned)
    string, number = data_type(dt.string), data_type(dt.float32)
    kinds = {
        names.REGRESS_METHOD_NAME: {names.REGRESS_OUTPUTS: number},
        names.CLASSIFY_METHOD_NAME: {
            names.CLASSIFY_OUTPUT_CLASSES: string, names.CLASSIFY_OUTPUT_SCORES: number
        },
    }  # fmt: skip
    if signature_def.method_name not in kinds:
        return False
    wanted = kinds[signature_def.method_name]
    return (
        set(given) == {names.REGRESS_INPUTS}
        and given[names.REGRESS_INPUTS].dtype == string
        and len(returned) > 0
        and all(wanted.get(name) == info.dtype for name, info in returned.items())
    )
