"""The tables of a loaded model: the nodes that make and fill them, as ops of ours."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.interpreter import apply
from graphwright.op.op import Effect, Op, Shapes, not_differentiable
from graphwright.op.refusal import own_words
from graphwright.ops.state.tables import CONTENT, Table, TableChange
from graphwright.ops.state.variable_ops import HANDLE
from graphwright.portable.model_arrays import SMALL
from graphwright.portable.model_error import malformed
from graphwright.portable.node_ops import attribute, place
from graphwright.proto.graph_pb2 import NodeDef
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType
from graphwright.values.tensor import EagerTensor, Tensor, box

#: The outputs of a node by their names.
Outputs: TypeAlias = Mapping[str, list[Any]]
#: The ops that fill a table, with tensors and with the lines of a file.
FILLS, FROM_FILE = "InitializeTableV2", "InitializeTableFromTextFileV2"


class MakeTable(Op):
    """The handle of a new table."""

    type_name = "_MakeTable"
    outputs = ("table_handle: resource",)
    effect = Effect.WRITE
    gradient = not_differentiable

    key: DType
    value: DType
    shape: tuple[int, ...]
    is_fixed: bool

    def shapes(self) -> Shapes:
        return ((),)

    def kernel(self) -> Any:
        return Table(self.key, self.value, self.shape, is_fixed=self.is_fixed)


class MakeDenseTable(Op):
    """The handle of a new table with two keys that may not be used."""

    type_name = "_MakeDenseTable"
    inputs = ("empty_key: key", "deleted_key: key")
    outputs = ("table_handle: resource",)
    dtypes = {"key": CONTENT}
    effect = Effect.WRITE
    gradient = not_differentiable

    key: DType
    value: DType
    shape: tuple[int, ...]

    def shapes(self, *keys: TensorType) -> Shapes:
        return ((),)

    def kernel(self, empty: Array, deleted: Array) -> Any:
        keys: list[Any] = [empty.item(), deleted.item()]
        if keys[0] == keys[1]:
            raise InvalidArgumentError(None, None, "Empty and deleted keys cannot be equal")
        return Table(self.key, self.value, self.shape, dict(zip(keys, RESERVED)))


class InitializeTable(TableChange):
    """Fills a new table with keys and values."""

    type_name = "_InitializeTable"
    message_name = FILLS
    inputs = ("table_handle: resource", "keys: Tkey", "values: Tval")
    dtypes = {"Tkey": CONTENT, "Tval": CONTENT}

    def kernel(self, table: Table, keys: Array, values: Array) -> None:
        table.insert(keys, values, once=True)


class InitializeTableFromFile(TableChange):
    """Fills a new table with the lines of a file."""

    type_name = "_InitializeTableFromFile"
    message_name = FROM_FILE
    inputs = ("table_handle: resource", "filename: string")

    key_index: int
    value_index: int
    vocab_size: int
    delimiter: str
    offset: int

    def shapes(self, table: TensorType, *operands: TensorType) -> Shapes:
        return ()

    def kernel(self, table: Table, filename: Array) -> None:
        # Few models have one, and it stands on all modules about files.
        from graphwright.library.lookup.lookup_initializers import TextFileInitializer

        lines = TextFileInitializer(
            filename.item().decode(),
            table.key_dtype,
            self.key_index,
            table.value_dtype,
            self.value_index,
            None if self.vocab_size < 0 else self.vocab_size,
            self.delimiter,
            value_index_offset=self.offset,
        )
        lines.initialize(OneTable(box(table, HANDLE)))


class OneTable(NamedTuple):
    """A table as initializers take it."""

    resource_handle: EagerTensor


#: What the keys are called that may not be used.
RESERVED = ("empty_key", "deleted_key")
#: Ops that make a table.
MAKERS = frozenset(
    {
        "HashTableV2",
        "AnonymousHashTable",
        "MutableHashTableV2",
        "AnonymousMutableHashTable",
        "MutableHashTableOfTensorsV2",
        "AnonymousMutableHashTableOfTensors",
        "MutableDenseHashTableV2",
        "AnonymousMutableDenseHashTable",
    }
)
#: Those whose tables are filled once.
FIXED = frozenset({"HashTableV2", "AnonymousHashTable"})
#: Those whose tables have keys that may not be used.
DENSE = frozenset({"MutableDenseHashTableV2", "AnonymousMutableDenseHashTable"})


def described(node: NodeDef, operands: Sequence[Tensor]) -> tuple[DType, DType, Any]:
    """The dtypes of the keys and values of the table that a node makes, and the values' shape."""
    dtypes = [attribute(node, name, "DType") for name in ("key_dtype", "value_dtype")]
    count = 2 if node.op in DENSE else 0
    if len(operands) != count or not all(dtype in CONTENT for dtype in dtypes):
        raise malformed(place(node), "it does not say what it holds")
    shape = attribute(node, "value_shape", "Dims") or ()
    if None in shape or math.prod(shape) > SMALL:
        raise malformed(place(node), f"no table has values of the shape {shape}")
    return dtypes[0], dtypes[1], shape


def restore_table(table: Table, keys: Array, values: Array, where: str) -> None:
    """Replaces what a table holds by what files have for it."""
    try:
        if table.reserved:  # a key for each place, free ones too
            keys, values = keys.reshape(-1), values.reshape(-1, *table.value_shape)
            taken = [key not in table.reserved for key in keys.tolist()]
            keys, values = keys[taken], values[taken]
        table.replace(keys, values)
    except (TypeError, ValueError, IndexError) as error:
        raise malformed(f"the content of a table, {where}", own_words(error)) from error


def made(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """A new table."""
    key, value, shape = described(node, operands)
    if node.op not in DENSE:
        op: Op = MakeTable.of(key, value, shape, node.op in FIXED)
    elif any(operand.type != TensorType(key, ()) for operand in operands):
        raise malformed(place(node), "the keys that may not be used are no keys")
    else:
        op = MakeDenseTable.of(key, value, shape)
    return {"table_handle": [apply(op, *operands, name=node.name)]}


def initialized(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
    """Fills a table with tensors."""
    if len(operands) != 3:
        raise malformed(place(node), f"it has {len(operands)} operands, not 3")
    apply(InitializeTable.of(), *operands, name=node.name)
    return {}


def from_file(node: NodeDef, operands: Sequence[Tensor], is_asset: bool) -> Outputs:
    """Fills a table with the lines of an asset; refuses any other file."""
    if len(operands) != 2 or operands[1].dtype is not dt.string:
        raise malformed(place(node), "it does not say which file it reads")
    if not is_asset:
        raise malformed(place(node), "it reads a file that is no asset of the model")
    columns = [attribute(node, name, "int") for name in ("key_index", "value_index")]
    if None in columns:
        raise malformed(place(node), "it does not say which columns it reads")
    size, offset = attribute(node, "vocab_size", "int"), attribute(node, "offset", "int")
    delimiter = attribute(node, "delimiter", "str")
    op = InitializeTableFromFile.of(
        *columns,
        -1 if size is None else size,
        "\t" if delimiter is None else delimiter,
        offset or 0,
    )
    apply(op, *operands, name=node.name)
    return {}


def table_nodes(
    is_asset: Callable[[Tensor], bool],
) -> dict[str, Callable[[NodeDef, Sequence[Tensor]], Outputs]]:
    """What is made of the nodes that make and fill tables, by their ops."""

    def fill(node: NodeDef, operands: Sequence[Tensor]) -> Outputs:
        return from_file(node, operands, len(operands) == 2 and is_asset(operands[1]))

    return {
        **dict.fromkeys(MAKERS, made),
        FILLS: initialized,
        FROM_FILE: fill,
    }
