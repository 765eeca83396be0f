"""Nodes of ops that TensorFlow has replaced since, in ops of today.

Graphs of TensorFlow 1 have them, and functions that were made of such graphs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from graphwright.library.dispatch.raw_ops import raw_op
from graphwright.ops.core.creation import zeros
from graphwright.ops.core.identity import identity
from graphwright.portable.model_error import malformed
from graphwright.portable.node_ops import attribute, place
from graphwright.proto.graph_pb2 import NodeDef
from graphwright.proto.types_pb2 import DT_FLOAT
from graphwright.types import dtypes as dt
from graphwright.values.convert import constant
from graphwright.values.tensor import Tensor

#: The outputs of a node by their names.
Outputs: TypeAlias = Mapping[str, list[Any]]
#: What is made of a node with its operands.
NodeReader: TypeAlias = Callable[[NodeDef, Sequence[Tensor]], Outputs]

#: The former ops: the names of operands, of which the last may be a list, of attributes with their
#: kinds, and of the output.
_FORMER: dict[str, tuple[tuple[str, ...], dict[str, str], str]] = {
    "BatchMatMul": (("x", "y"), {"adj_x": "bool", "adj_y": "bool"}, "output"),
    "BatchToSpace": (("input", "crops"), {"block_size": "int"}, "output"),
    "BiasAddV1": (("value", "bias"), {}, "output"),
    "Concat": (("concat_dim", "values*"), {}, "output"),
    "DeepCopy": (("x",), {}, "y"),
    "Gather": (("params", "indices"), {}, "output"),
    "InTopK": (("predictions", "targets"), {"k": "int"}, "precision"),
    "Inv": (("x",), {}, "y"),
    "MatrixDiag": (("diagonal",), {}, "output"),
    "MatrixDiagPart": (("input",), {}, "diagonal"),
    "MatrixSetDiag": (("input", "diagonal"), {}, "output"),
    "Mod": (("x", "y"), {}, "z"),
    "ParallelConcat": (("values*",), {"shape": "Dims | None"}, "output"),
    "Reverse": (("tensor", "dims"), {}, "output"),
    "ScatterNdNonAliasingAdd": (("input", "indices", "updates"), {}, "output"),
    "Select": (("condition", "x", "y"), {}, "output"),
    "Snapshot": (("input",), {}, "output"),
    "SpaceToBatch": (("input", "paddings"), {"block_size": "int"}, "output"),
    "SparseMatMul": (
        ("a", "b"),
        {
            "transpose_a": "bool",
            "transpose_b": "bool",
            "a_is_sparse": "bool",
            "b_is_sparse": "bool",
        },
        "product",
    ),
    "StatelessRandomNormal": (("shape", "seed"), {"dtype": "DType"}, "output"),
    "StatelessRandomUniform": (("shape", "seed"), {"dtype": "DType"}, "output"),
    "StatelessRandomUniformFullInt": (("shape", "seed"), {"dtype": "DType"}, "output"),
    "StatelessRandomUniformInt": (("shape", "seed", "minval", "maxval"), {}, "output"),
    "StatelessTruncatedNormal": (("shape", "seed"), {"dtype": "DType"}, "output"),
}


def former_op(name: str) -> Callable[..., Any]:
    """The raw op of a former name. Few models have one, and it is made of many modules."""
    from graphwright.library.dispatch.former_ops import FORMER

    return FORMER[name]


def counted(node: NodeDef, operands: Sequence[Tensor], count: int) -> Sequence[Tensor]:
    """The operands, which must be so many."""
    if len(operands) != count:
        raise malformed(place(node), f"it has {len(operands)} operands, not {count}")
    return operands


def given(node: NodeDef, **kinds: str) -> dict[str, Any]:
    """The attributes of these names and kinds, as far as they are set."""
    values = {name: attribute(node, name, kind) for name, kind in kinds.items()}
    return {name: value for name, value in values.items() if value is not None}


def former(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """The output of a former op."""
    names, kinds, output = _FORMER[node.op]
    values: dict[str, Any] = {}
    rest = list(operands)
    for name in names:
        if name.endswith("*"):
            values[name[:-1]], rest = rest, []
        else:
            if not rest:
                raise malformed(place(node), f"it has {len(operands)} operands")
            values[name] = rest.pop(0)
    if rest:
        raise malformed(place(node), f"it has {len(operands)} operands")
    result = former_op(node.op)(**values, **given(node, **kinds), name=node.name)
    return {output: [result]}


def stitched(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """The rows of tensors at the places that as many indices say."""
    half = len(operands) // 2
    counted(node, operands, 2 * half)
    result = former_op(node.op)(indices=operands[:half], data=operands[half:], name=node.name)
    return {"merged": [result]}


def top_k(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """The greatest elements of each row, and their places."""
    (values,) = counted(node, operands, 1)
    attributes = given(node, k="int", sorted="bool")
    largest, places = raw_op("TopKV2")(input=values, **attributes, name=node.name)
    return {"values": [largest], "indices": [places]}


def batch_norm(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """A normalized batch, its moments, and what a gradient takes."""
    x, scale, offset, mean, variance = counted(node, operands, 5)
    attributes = given(node, epsilon="float", data_format="str", is_training="bool")
    results = raw_op("FusedBatchNormV3")(
        x=x, scale=scale, offset=offset, mean=mean, variance=variance, **attributes, name=node.name
    )
    names = "y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"
    return {name: [result] for name, result in zip(names, results)}


def parsed(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """The features of examples."""
    sparse, dense = (attribute(node, name, "int") or 0 for name in ("Nsparse", "Ndense"))
    counted(node, operands, 2 + sparse + 2 * dense)
    serialized, names, *rest = operands
    sparse_keys, dense_keys = rest[:sparse], rest[sparse : sparse + dense]
    kinds = attribute(node, "sparse_types", "tuple[DType, ...]") or ()
    shapes = attribute(node, "dense_shapes", "tuple[Dims, ...]") or ()
    if len(kinds) != sparse or len(shapes) != dense:
        raise malformed(place(node), "it does not say of which types its features are")
    results = raw_op("ParseExampleV2")(
        serialized=serialized,
        names=names,
        sparse_keys=joined(sparse_keys),
        dense_keys=joined(dense_keys),
        ragged_keys=constant([], dt.string),
        dense_defaults=rest[sparse + dense :],
        num_sparse=sparse,
        sparse_types=kinds,
        ragged_value_types=(),
        ragged_split_types=(),
        dense_shapes=shapes,
        name=node.name,
    )
    outputs = "sparse_indices", "sparse_values", "sparse_shapes", "dense_values"
    return {name: list(getattr(results, name)) for name in outputs}


def joined(keys: Sequence[Tensor]) -> Any:
    """Scalars of strings as a vector."""
    return raw_op("Pack")(values=list(keys)) if keys else constant([], dt.string)


def default(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """A parameter that nobody gives: its default."""
    (value,) = counted(node, operands, 1)
    return {"output": [identity(value, name=node.name)]}


# -- arrays of tensors --------------------------------------------------------------------------
#
# An array is a handle and a float, its flow, which orders what is done to it. Here the flow is the
# list itself, and the handle says nothing.


def is_flow(node: NodeDef, operands: Sequence[Tensor]) -> bool:
    """Whether a node passes on the flow of an array, which is a list here and no float."""
    return (
        node.op == "Identity"
        and "T" in node.attr
        and node.attr["T"].type == DT_FLOAT
        and [tensor.dtype for tensor in operands] == [dt.variant]
    )


def new_array(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """A new array: the handle, and the list."""
    (size,) = counted(node, operands, 1)
    dtype = attribute(node, "dtype", "DType")
    shape = attribute(node, "element_shape", "Dims | None")
    if dtype is None:
        raise malformed(place(node), "it does not say what it holds")
    flow = raw_op("TensorListReserve")(
        element_shape=-1 if shape is None else [-1 if n is None else n for n in shape],
        num_elements=size,
        element_dtype=dtype,
        name=node.name,
    )
    return {"handle": [zeros([2], dt.int32)], "flow": [flow]}


def written(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """An array with an element set."""
    _, index, value, flow = counted(node, operands, 4)
    result = raw_op("TensorListSetItem")(
        input_handle=flow, index=index, item=value, resize_if_index_out_of_bounds=True,
        name=node.name,
    )  # fmt: skip
    return {"flow_out": [result]}


def element(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """An element of an array."""
    _, index, flow = counted(node, operands, 3)
    dtype = attribute(node, "dtype", "DType")
    value = raw_op("TensorListGetItem")(
        input_handle=flow, index=index, element_shape=-1, element_dtype=dtype, name=node.name
    )
    return {"value": [value]}


def elements(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """Elements of an array, stacked."""
    _, indices, flow = counted(node, operands, 3)
    shape = attribute(node, "element_shape", "Dims | None")
    value = raw_op("TensorListGather")(
        input_handle=flow,
        indices=indices,
        element_shape=-1 if shape is None else [-1 if n is None else n for n in shape],
        element_dtype=attribute(node, "dtype", "DType"),
        name=node.name,
    )
    return {"value": [value]}


def scattered(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """An array with the rows of a tensor as elements."""
    _, indices, value, flow = counted(node, operands, 4)
    result = raw_op("TensorListScatterIntoExistingList")(
        input_handle=flow, tensor=value, indices=indices, name=node.name
    )
    return {"flow_out": [result]}


def split(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """An array with parts of a tensor as elements."""
    _, value, lengths, _ = counted(node, operands, 4)
    result = raw_op("TensorListSplit")(
        tensor=value, element_shape=-1, lengths=lengths, name=node.name
    )
    return {"flow_out": [result]}


def strung(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """The elements of an array one after the other, and their lengths."""
    _, flow = counted(node, operands, 2)
    dtype = attribute(node, "dtype", "DType")
    rest = attribute(node, "element_shape_except0", "Dims | None")
    shape: Any = -1 if rest is None else [-1, *[-1 if n is None else n for n in rest]]
    value, lengths = raw_op("TensorListConcatV2")(
        input_handle=flow, element_shape=shape, leading_dims=[], element_dtype=dtype,
        name=node.name,
    )  # fmt: skip
    return {"value": [value], "lengths": [lengths]}


def length(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """The number of elements of an array."""
    _, flow = counted(node, operands, 2)
    return {"size": [raw_op("TensorListLength")(input_handle=flow, name=node.name)]}


def closed(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """Nothing: an array ends when nobody has it any more."""
    counted(node, operands, 1)
    return {}


#: What is made of the nodes, by their ops.
OLDER: dict[str, NodeReader] = {
    **dict.fromkeys(_FORMER, former),
    **dict.fromkeys(("FusedBatchNorm", "FusedBatchNormV2"), batch_norm),
    "ParallelDynamicStitch": stitched,
    "ParseExample": parsed,
    "PlaceholderWithDefault": default,
    "TensorArrayCloseV3": closed,
    "TensorArrayConcatV3": strung,
    "TensorArrayGatherV3": elements,
    "TensorArrayReadV3": element,
    "TensorArrayScatterV3": scattered,
    "TensorArraySizeV3": length,
    "TensorArraySplitV3": split,
    "TensorArrayV3": new_array,
    "TensorArrayWriteV3": written,
    "TopK": top_k,
}
