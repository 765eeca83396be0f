"""The op of a node of a GraphDef: its record, with attributes that are checked against it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from graphwright.base.errors import NotFoundError, PermissionDeniedError
from graphwright.ir.graphdef import decided_attributes, grouped
from graphwright.library.dispatch.raw_ops import OUR_OPS
from graphwright.op.op import Op, registered
from graphwright.portable.model_error import malformed
from graphwright.portable.structured_values import dims_of, dtype_of
from graphwright.proto.graph_pb2 import AttrValue, NodeDef
from graphwright.types.arguments import TensorValue

#: Attributes of TensorFlow's ops that choose how it computes and not what.
_IDLE = frozenset(
    {
        "Tshape", "config", "config_proto", "executor_type", "is_async", "output_shapes",
        "parallel_iterations", "use_cudnn_on_gpu", "validate_indices", "validate_shape",
    }
)  # fmt: skip
#: Ops that read or write files, and what each does there.
FILE_OPS = {
    "ReadFile": "reads files",
    "WriteFile": "writes files",
    "MatchingFiles": "lists files",
    "WriteSummary": "writes files",
    "WriteGraphSummary": "writes files",
    "WriteRawProtoSummary": "writes files",
    "FlushSummaryWriter": "writes files",
    "CloseSummaryWriter": "writes files",
}
#: Ops that run Python.
PYTHON_OPS = dict.fromkeys(["EagerPyFunc", "PyFunc", "PyFuncStateless"], "runs Python")
#: Ops that share state with the program that loads the model.
SHARING_OPS = {"VarHandleOp": "makes a variable that others may share by its name"}
REFUSED = {**FILE_OPS, **PYTHON_OPS, **SHARING_OPS}
#: Ops with an attribute that may name a file: the attribute, the values that name none, and what
#: the op does with a file.
FILE_ATTRIBUTES: dict[str, tuple[str, Callable[[str], bool], str]] = {
    "DecodeProtoV2": ("descriptor_source", lambda text: names_no_types(text), "reads a file"),
    "EncodeProto": ("descriptor_source", lambda text: names_no_types(text), "reads a file"),
    "FixedUnigramCandidateSampler": ("vocab_file", lambda text: not text, "reads a file"),
    "PrintV2": ("output_stream", lambda text: prints_to_stream(text), "writes to a file"),
}

#: Ops that may run while a model is loaded: they make and fill tables.
RUN_ON_LOAD = frozenset(
    {
        "AnonymousHashTable", "AnonymousMutableDenseHashTable", "AnonymousMutableHashTable",
        "AnonymousMutableHashTableOfTensors", "Const", "HashTableV2", "Identity",
        "InitializeTableFromTextFileV2", "InitializeTableV2", "LookupTableImportV2",
        "LookupTableInsertV2", "MutableDenseHashTableV2", "MutableHashTableOfTensorsV2",
        "MutableHashTableV2", "NoOp", "PartitionedCall", "StatefulPartitionedCall",
    }
)  # fmt: skip
_ALLOWING = "\ntf.saved_model.LoadOptions(allowed_ops=[...]) allows those that it names."

#: Ops of branches and loops in TensorFlow 1, which become those of `STRUCTURAL`.
CLASSIC = frozenset({"Enter", "Exit", "LoopCond", "Merge", "NextIteration", "Switch"})
#: Ops that `function_import` reads itself.
STRUCTURAL = frozenset(
    {
        "Case", "Const", "If", "NoOp", "PartitionedCall", "StatefulPartitionedCall",
        "StatelessCase", "StatelessIf", "StatelessWhile", "While",
    }
)  # fmt: skip


#: Ops that no other program knows.
_OURS = OUR_OPS - set(PYTHON_OPS)


def is_known(name: str) -> bool:
    """Whether there is an op of a name that a GraphDef may have."""
    if name in STRUCTURAL or name in CLASSIC:
        return True
    return registered(name) is not None and name not in _OURS and not name.startswith("_")


def prints_to_stream(name: str) -> bool:
    """Whether what `tf.print` is given as its output is no file."""
    from graphwright.ops.strings.printing import STREAMS

    return not name or name in STREAMS


def names_no_types(source: str) -> bool:
    """Whether the source of types of messages is no file."""
    return source in ("", "local://") or source.startswith("bytes://")


def reach(node: NodeDef) -> str | None:
    """What a node does outside the model, or None."""
    if node.op in REFUSED:
        return REFUSED[node.op]
    if node.op in FILE_ATTRIBUTES:
        name, is_harmless, words = FILE_ATTRIBUTES[node.op]
        if name in node.attr and not is_harmless(node.attr[name].s.decode(errors="replace")):
            return words
    return None


#: What helps where a graph takes its tensors from datasets.
_DATASETS = (
    "\nThose of datasets and iterators begin with _. Their functions are in no message: what needs "
    "none of them is imported from `tf.compat.v1.graph_util.extract_sub_graph(message, names)`"
)


def refuse_ops(
    uses: Iterable[tuple[str, NodeDef]], also: Iterable[str], allowed: Iterable[str]
) -> None:
    """Refuses all nodes that cannot be loaded, with the functions that have them.

    NotFoundError for unknown ops that are not in `also`. PermissionDeniedError for nodes that reach
    out of the model and whose ops are not in `allowed`.
    """
    unknown: dict[str, list[str]] = {}
    reaching: dict[str, list[str]] = {}
    harmless: set[str] = set()  # the ops that no attribute makes reach out
    for function, node in uses:
        op = node.op
        if op in harmless:
            continue
        words = reach(node)
        if op not in also and not is_known(op):
            unknown.setdefault(op, []).append(function)
        elif words is not None and op not in allowed:
            reaching.setdefault(f"{op} {words}", []).append(function)
        elif op not in FILE_ATTRIBUTES:
            harmless.add(op)
    if unknown:
        lines = [f"  {name}, in {_some(unknown[name])}" for name in sorted(unknown)]
        words = "the model has ops that graphwright has not:\n" + "\n".join(lines)
        if any(name.startswith("_") for name in unknown):
            words += _DATASETS
        raise NotFoundError(None, None, words)
    if reaching:
        lines = [f"  {what}, in {_some(reaching[what])}" for what in sorted(reaching)]
        raise PermissionDeniedError(
            None, None, "the model has ops that reach out of it:\n" + "\n".join(lines) + _ALLOWING
        )


def refuse_running(uses: Iterable[tuple[str, NodeDef]], allowed: Iterable[str]) -> None:
    """Refuses nodes of functions that run on load, unless they make and fill tables."""
    others: dict[str, list[str]] = {}
    for function, node in uses:
        if node.op not in RUN_ON_LOAD and node.op not in allowed:
            others.setdefault(node.op, []).append(function)
    if others:
        lines = [f"  {name}, in {_some(others[name])}" for name in sorted(others)]
        words = "the model would run ops on load that fill no table:\n" + "\n".join(lines)
        raise PermissionDeniedError(None, None, words + _ALLOWING)


def _some(functions: list[str]) -> str:
    names = list(dict.fromkeys(functions))
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"


# -- attributes ---------------------------------------------------------------------------------


def attribute(node: NodeDef, name: str, kind: str) -> Any:
    """An attribute of a node, as the record of an op declares it; None where it is not set."""
    if name not in node.attr:
        return None
    return _read(node, name, node.attr[name], kind)


def _read(node: NodeDef, name: str, value: AttrValue, kind: str) -> Any:
    plain = kind.removesuffix(" | None")
    try:
        if plain.startswith("tuple["):
            field, convert = _READERS[plain.removeprefix("tuple[").removesuffix(", ...]")]
            if value.WhichOneof("value") != "list":
                raise malformed(place(node), f"{name!r} is no list")
            others = [f.name for f, _ in value.list.ListFields() if f.name != field]
            if others:
                raise malformed(place(node), f"{name!r} is a list of {others[0]}, not {field}")
            return tuple([convert(item) for item in getattr(value.list, field)])
        field, convert = _READERS[plain]
        if value.WhichOneof("value") != field:
            raise malformed(
                place(node), f"{name!r} is {value.WhichOneof('value') or 'empty'}, not {field}"
            )
        return convert(getattr(value, field))
    except UnicodeDecodeError:
        raise malformed(place(node), f"{name!r} is no text") from None


def place(node: NodeDef) -> str:
    """What errors call a node."""
    return f"the node {node.name!r} ({node.op})"


class NodePlace:
    """What errors call a node, as text that is made when it is asked for."""

    __slots__ = ("node",)

    def __init__(self, node: NodeDef) -> None:
        self.node = node

    def __str__(self) -> str:
        return place(self.node)


#: The field of AttrValue for a kind of attribute, and what is made of it.
_READERS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "bool": ("b", bool),
    "int": ("i", int),
    "float": ("f", float),
    "str": ("s", lambda data: data.decode()),
    "bytes": ("s", bytes),
    "DType": ("type", dtype_of),
    "Dims": ("shape", dims_of),
}


def record_of(node: NodeDef) -> type[Op]:
    """The record of a node's op."""
    record = registered(node.op)
    if record is None or not is_known(node.op):
        raise malformed(place(node), "there is no such op")
    return record


def op_of(node: NodeDef, operands: Sequence[TensorValue]) -> Op:
    """The op of a node, with its attributes. Those that are not given are what the operands say,
    or have their defaults."""
    record = record_of(node)
    check_count(node, record, len(operands))
    said: dict[str, Any] | None = None
    values = []
    for name, kind in record.fields.items():
        if (
            kind.removesuffix(" | None").removeprefix("tuple[").removesuffix(", ...]")
            not in _READERS
        ):
            raise malformed(place(node), f"{name!r} is of a kind that no model has")
        if name not in node.attr and said is None:
            said = operand_dtypes(record, operands)
        if name in node.attr:
            value = attribute(node, name, kind)
        elif said and name in said:
            value = said[name]
        elif name in record.private or hasattr(record, name):
            value = getattr(record, name)
        else:
            raise malformed(place(node), f"it has no attribute {name!r}")
        if kind == "DType" and name in record.dtypes and value not in record.dtypes[name]:
            raise malformed(place(node), f"{name!r} may not be {value.name}")
        values.append(value)
    check_others(node, record)
    return record.of(*values)


def check_count(node: NodeDef, record: type[Op], count: int) -> None:
    """Refuses a node of too few or too many operands."""
    lists = sum(o.variadic or o.mixed for o in record.operands)
    rest = count - (len(record.operands) - lists)
    if rest < 0 or (rest and not lists) or (lists and rest % lists):
        raise malformed(place(node), f"it has {count} operands")


def operand_dtypes(record: type[Op], operands: Sequence[TensorValue]) -> dict[str, Any]:
    """The dtypes of operands by the attributes that have them."""
    said: dict[str, Any] = {}
    for operand, group in grouped(record.operands, tuple(operands)):
        dtypes = tuple([tensor.dtype for tensor in group])
        if operand.mixed:
            said.setdefault(operand.dtype, dtypes)
        elif dtypes:
            said.setdefault(operand.dtype, dtypes[0])
    return said


def check_others(node: NodeDef, record: type[Op]) -> None:
    """Refuses attributes that the op has not."""
    for name in node.attr:
        if name.startswith("_") or name in record.fields or name in _IDLE or name == "N":
            continue
        if any(name in (o.dtype, o.length) for o in (*record.operands, *record.results)):
            continue
        if name == "batch_dims" and node.attr[name].i == 0:
            continue
        raise malformed(place(node), f"it has an attribute {name!r}, which is unknown")


def check_dtypes(
    node: NodeDef, op: Op, operands: Sequence[TensorValue], outputs: Sequence[TensorValue]
) -> None:
    """Refuses dtypes and counts among the attributes that the operands contradict."""
    for name, decided in decided_attributes(op, tuple(operands), tuple(outputs)).items():
        if name not in node.attr:
            continue
        kind = "int" if isinstance(decided, int) else "DType"
        kind = "tuple[DType, ...]" if isinstance(decided, list) else kind
        said = attribute(node, name, kind)
        if said != (tuple(decided) if isinstance(decided, list) else decided):
            raise malformed(place(node), f"{name!r} is not what the operands say")
