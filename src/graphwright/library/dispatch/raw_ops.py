"""`tf.raw_ops`: the ops themselves as functions, made from their records on demand.

A raw op takes its operands and attributes by keyword, all that a public function would work out
among them. Dtypes that follow from operands are no arguments.
"""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from graphwright import ops
from graphwright.base.errors import InvalidArgumentError
from graphwright.op.attributes import KINDS, plain_value
from graphwright.op.interpreter import apply, convert, is_tensor
from graphwright.op.late_imports import late_module
from graphwright.op.op import REGISTRY, Op, Operand, registered
from graphwright.op.op_families import Reduction
from graphwright.op.refusal import boundary
from graphwright.op.results import named
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.arguments import PythonFunction, TensorLike
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.shape import TensorShape

#: Operands that have other names in TensorFlow's functions than in its ops.
RENAMED: dict[str, dict[str, str]] = {
    "ExpandDims": {"dim": "axis"},
    "Split": {"split_dim": "axis"},
    "SplitV": {"split_dim": "axis"},
    "Squeeze": {"squeeze_dims": "axis"},
    "Where": {"input": "condition"},
}
#: Conversions of arguments to attributes, by the annotations of these. Ops with other attributes
#: (graphs, literals, Python functions) have no raw form.
ATTRIBUTES: dict[str, Callable[[Any], Any]] = {
    "DType": as_dtype,
    "Dims | None": lambda shape: TensorShape(shape)._dims,
    "tuple[Dims, ...]": lambda shapes: tuple([TensorShape(shape)._dims for shape in shapes]),
    "tuple[DType, ...]": lambda dtypes: tuple(map(as_dtype, dtypes)),
    "tuple[float, ...]": lambda numbers: tuple(map(float, numbers)),
    "tuple[int, ...]": lambda numbers: tuple(map(int, numbers)),
    "tuple[str, ...]": lambda texts: tuple(map(str, texts)),
}
#: Ops that TensorFlow has not, or that tracing alone makes.
OUR_OPS = frozenset(
    {
        "CTCLossDense", "CustomGradient", "EagerPyFuncGradient", "GraphwrightCTCLabelRows",
        "GraphwrightCrossRows", "GraphwrightDilation2DTangent", "GraphwrightSumTo",
        "GraphwrightWeightedSums", "Placeholder", "PyFunc",
    }
)  # fmt: skip


#: Modules that have ops and are not among those of `ops`, and that the package imports late.
OUTSIDE = (
    "graphwright.control.python_call",
    "graphwright.library.io.proto_coding",
    "graphwright.library.io.serialization",
    "graphwright.library.io.sparse_serialization",
    "graphwright.library.objects.critical_section",
    "graphwright.library.summary.event_file",
)


@cache
def load_all() -> None:
    """Registers the ops of modules that are imported only when one of their functions is used."""
    inside = [info.name for info in pkgutil.walk_packages(ops.__path__, f"{ops.__name__}.")]
    for module in (*inside, *OUTSIDE):
        late_module(module)


def names() -> list[str]:
    """The ops that have a raw form."""
    load_all()
    return sorted(filter(has_raw_form, REGISTRY))


def has_raw_form(name: str) -> bool:
    """Whether there is a raw op of this name."""
    op = registered(name)
    return op is not None and name not in OUR_OPS and ATTRIBUTES.keys() | KINDS.keys() >= kinds(op)


def kinds(op: type[Op]) -> set[str]:
    """The annotations of an op's public attributes."""
    return {kind for name, kind in op.fields.items() if name not in op.private}


def attributes(op: type[Op]) -> dict[str, str]:
    """The attributes that are arguments: all but the dtypes that follow from operands."""
    dtypes = {operand.dtype for operand in op.operands}
    return {n: k for n, k in op.fields.items() if n not in dtypes and n not in op.private}


def argument(op: type[Op], name: str) -> str:
    """The name of an operand or attribute among the raw op's arguments."""
    if issubclass(op, Reduction) and name == "reduction_indices":
        return "axis"
    return RENAMED.get(op.type_name, {}).get(name, name)


def signature(op: type[Op]) -> inspect.Signature:
    """The raw op's arguments: operands, attributes, a name."""
    parameters = [
        inspect.Parameter(argument(op, operand.name), inspect.Parameter.KEYWORD_ONLY)
        for operand in op.operands
    ]
    for name in attributes(op):
        default = getattr(op, name, inspect.Parameter.empty)
        kind = inspect.Parameter.KEYWORD_ONLY
        parameters.append(inspect.Parameter(argument(op, name), kind, default=default))
    parameters.append(inspect.Parameter("name", inspect.Parameter.KEYWORD_ONLY, default=None))
    return inspect.Signature(parameters)


@cache
def raw_op(name: str) -> Callable[..., Any]:
    """The raw op of this name."""
    record = registered(name)
    if record is None:
        raise KeyError(name)
    parameters = signature(record)
    names = parameters.parameters.keys()
    defaults = parameters.bind_partial()
    defaults.apply_defaults()
    operand_names = [argument(record, operand.name) for operand in record.operands]

    def function(**kwargs: object) -> Any:
        arguments = {**defaults.arguments, **kwargs}
        if arguments.keys() != names:
            parameters.bind(**kwargs)  # which says what is too much, or lacking
        groups = [arguments[operand] for operand in operand_names]
        op = record.for_operands(tree.flatten(groups)) if record.on_lists else record
        operands = converted(op, groups)
        instance = with_attributes(op, arguments, operands)
        result = apply(instance, *flat(op, operands), name=arguments["name"])
        return packed(instance, result)

    function.__name__ = name
    function.__doc__ = record.__doc__
    function.__signature__ = parameters  # type: ignore[attr-defined]
    return published(name, function)


def published(name: str, function: PythonFunction) -> Callable[..., Any]:
    """The public form of a raw op."""
    public = boundary(function)
    public.__module__, public.__qualname__ = "graphwright", f"raw_ops.{name}"
    return public


def converted(op: type[Op], groups: Sequence[object]) -> list[Any]:
    """The operands as tensors; one that has no dtype yet takes that of an operand of its kind."""
    check_lists(op, groups)
    dtypes: dict[str, DType] = {}
    for operand, group in zip(op.operands, groups):
        each: Any = group if operand.variadic or operand.mixed else [group]
        dtype = next((value.dtype for value in each if is_tensor(value)), None)
        if dtype is not None and operand.dtype in op.dtypes:
            dtypes.setdefault(operand.dtype, dtype)
    check_literals(op, groups, dtypes)
    return [as_operand(op, operand, group, dtypes) for operand, group in zip(op.operands, groups)]


def check_lists(op: type[Op], groups: Sequence[object]) -> None:
    """Refuses lists of one op that have different numbers of tensors."""
    lists: list[tuple[str, Any]] = [
        (o.name, g) for o, g in zip(op.operands, groups) if o.variadic or o.mixed
    ]
    if len({len(group) for _, group in lists}) > 1:
        shown = ", ".join([f"{len(group)} in '{name}'" for name, group in lists])
        raise InvalidArgumentError(
            None, None, f"The lists of {op.type_name} must have as many tensors, got {shown}"
        )


def check_literals(op: type[Op], groups: Sequence[object], dtypes: dict[str, DType]) -> None:
    """Refuses floats where a host operand of the same dtype is of integers.

    The error names the dtype of the operand before, or says that a list must be of integers.
    """
    hosts = [(o, g) for o, g in zip(op.operands, groups) if o.host and o.dtype in op.dtypes]
    for operand, value in hosts:
        alike = [g for o, g in hosts if o.dtype == operand.dtype]
        dtype = dtypes.get(operand.dtype)
        if dtype is None and any(holds(int, other) for other in alike):
            dtype = dt.int32
        if dtype is None or not dtype.is_integer or len(alike) == 1 or not holds(float, value):
            continue
        name = f"'{argument(op, operand.name)}' of {op.type_name}"
        if value is alike[0] and isinstance(value, (list, tuple)):
            raise InvalidArgumentError(None, None, f"{name} must be of integers, got {value!r}")
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {dtype.name}: {name}")


def holds(kind: type, value: object) -> bool:
    """Whether a Python value, or one in it, is of a kind."""
    if isinstance(value, (list, tuple)):
        return any(holds(kind, item) for item in value)
    return isinstance(value, kind)


def as_operand(op: type[Op], operand: Operand, group: object, dtypes: dict[str, DType]) -> Any:
    """One operand, or the list of those that one name stands for."""
    if operand.host:
        return group

    def tensor(value: TensorLike) -> Any:
        if operand.mixed or operand.dtype in ("resource", "variant"):
            return value.handle if hasattr(value, "handle") else convert(value)
        if operand.dtype in op.dtypes or operand.dtype in op.fields:
            result = convert(value, None if is_tensor(value) else dtypes.get(operand.dtype))
            dtypes.setdefault(operand.dtype, result.dtype)
            return result
        return convert(value, None if is_tensor(value) else as_dtype(operand.dtype))

    values: Any = group
    return [tensor(v) for v in values] if operand.variadic or operand.mixed else tensor(values)


def flat(op: type[Op], operands: Sequence[object]) -> list[object]:
    """The operands one after the other."""
    row: list[object] = []
    value: Any
    for operand, value in zip(op.operands, operands):
        if operand.variadic or operand.mixed:
            row.extend(value)
        else:
            row.append(value)
    return row


def with_attributes(
    op: type[Op], arguments: Mapping[str, object], operands: Sequence[object]
) -> Op:
    """The op with attributes from its arguments and from the dtypes of its operands."""
    public = attributes(op)
    values = []
    for name in op.fields:
        if name in public:
            values.append(attribute(op, name, arguments[argument(op, name)]))
        elif name in op.private:
            values.append(getattr(op, name))
        else:
            values.append(dtype_from(operands, op, name))
    return op.of(*values)


def attribute(op: type[Op], name: str, value: object) -> Any:
    """The attribute that an argument makes."""
    kind, parameter = op.fields[name], argument(op, name)
    if kind in KINDS:
        return plain_value(op, name, value, parameter)
    try:
        return ATTRIBUTES[kind](value)
    except (TypeError, ValueError) as error:
        if "Dims" in kind and isinstance(error, ValueError):  # a size is negative
            words = f"'{parameter}' of {op.type_name}: {error}"
            raise InvalidArgumentError(None, None, words) from None
        raise TypeError(f"Expected {kind} for argument '{parameter}' not {value!r}.") from None


def dtype_from(operands: Sequence[object], op: type[Op], name: str) -> Any:
    """The dtype of the first operand that is declared to have it, or those of its list."""
    place = next(i for i, operand in enumerate(op.operands) if operand.dtype == name)
    value: Any = operands[place]
    if op.operands[place].mixed:
        return tuple([tensor.dtype for tensor in value])
    first = value
    if op.operands[place].variadic:
        if not value:
            raise InvalidArgumentError(
                None, None, f"'{op.operands[place].name}' must not be empty [Op:{op.type_name}]"
            )
        first = value[0]
    return first.dtype if is_tensor(first) else convert(first).dtype


def packed(op: Op, result: object) -> Any:
    """A result as raw ops return it: a tensor, a list, a named tuple of these, or None."""
    if len(op.results) <= 1:
        return list(result) if isinstance(result, tuple) else result
    kind = named(type(op))
    tensors: Any = result
    if not any(r.variadic or r.mixed for r in op.results):
        return kind(*tensors)
    rest, parts = list(tensors), []
    for part in op.results:
        many = part.variadic or part.mixed
        count = length_of(op, part, tensors) if many else 1
        parts.append(rest[:count] if many else rest[0])
        del rest[:count]
    return kind(*parts)


def length_of(op: Op, part: Operand, result: Sequence[object]) -> int:
    """The number of tensors in a list among the results."""
    if part.length:
        return int(getattr(op, part.length))
    dtypes = getattr(op, part.dtype, None)
    if isinstance(dtypes, tuple):
        return len(dtypes)
    lists = sum(r.variadic or r.mixed for r in op.results)
    return (len(result) - len(op.results) + lists) // lists
