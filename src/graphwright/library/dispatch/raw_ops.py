"""`tf.raw_ops`: the ops themselves as functions, made from their records when asked for.

A raw op takes its operands and attributes by keyword and decides nothing: dtypes that can be told
from operands are no arguments, and what the public function would work out must be given.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from functools import cache
from typing import Any

from graphwright import ops
from graphwright.base.errors import InvalidArgumentError
from graphwright.op.attributes import KINDS, plain_value
from graphwright.op.interpreter import apply, convert, is_tensor
from graphwright.op.op import REGISTRY, Op, Operand
from graphwright.op.op_families import Reduction
from graphwright.op.refusal import boundary
from graphwright.op.results import named
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.shape import TensorShape

#: Operands that TensorFlow's functions call otherwise than its ops.
RENAMED: dict[str, dict[str, str]] = {
    "ExpandDims": {"dim": "axis"},
    "Split": {"split_dim": "axis"},
    "SplitV": {"split_dim": "axis"},
    "Squeeze": {"squeeze_dims": "axis"},
    "Where": {"input": "condition"},
}
#: How an attribute is made of what is given, by its annotation; ops with others (graphs, literals,
#: Python functions) have no raw form.
ATTRIBUTES: dict[str, Callable[[Any], Any]] = {
    "DType": as_dtype,
    "Dims | None": lambda given: TensorShape(given)._dims,
    "tuple[Dims, ...]": lambda given: tuple([TensorShape(dims)._dims for dims in given]),
    "tuple[DType, ...]": lambda given: tuple(map(as_dtype, given)),
    "tuple[float, ...]": lambda given: tuple(map(float, given)),
    "tuple[int, ...]": lambda given: tuple(map(int, given)),
    "tuple[str, ...]": lambda given: tuple(map(str, given)),
}
#: TensorFlow has no such op, or it is made by tracing alone.
OWN = frozenset(
    {
        "CTCLossDense", "CustomGradient", "EagerPyFuncGradient", "GraphwrightCTCLabelRows",
        "GraphwrightCrossRows", "GraphwrightDilation2DTangent", "GraphwrightSumTo",
        "GraphwrightWeightedSums", "Placeholder", "PyFunc",
    }
)  # fmt: skip


@cache
def load_all() -> None:
    """Registers the ops of modules that are imported only when one of their functions is used."""
    for info in pkgutil.walk_packages(ops.__path__, f"{ops.__name__}."):
        importlib.import_module(info.name)


def names() -> list[str]:
    """The ops that have a raw form."""
    load_all()
    return sorted(filter(has_raw_form, REGISTRY))


def has_raw_form(name: str) -> bool:
    """Whether there is a raw op of this name."""
    if name not in REGISTRY:
        load_all()
    return (
        name in REGISTRY
        and name not in OWN
        and ATTRIBUTES.keys() | KINDS.keys() >= kinds(REGISTRY[name])
    )


def kinds(op: type[Op]) -> set[str]:
    """The annotations of an op's public attributes."""
    return {kind for name, kind in op.fields.items() if name not in op.private}


def attributes(op: type[Op]) -> dict[str, str]:
    """The attributes that are arguments: not the dtypes that operands tell."""
    told = {operand.dtype for operand in op.operands}
    return {n: k for n, k in op.fields.items() if n not in told and n not in op.private}


def argument(op: type[Op], name: str) -> str:
    """What the raw op calls an operand or attribute."""
    if issubclass(op, Reduction) and name == "reduction_indices":
        return "axis"
    return RENAMED.get(op.type_name, {}).get(name, name)


def signature(op: type[Op]) -> inspect.Signature:
    """The raw op's arguments: operands, attributes, a name."""
    made = [
        inspect.Parameter(argument(op, operand.name), inspect.Parameter.KEYWORD_ONLY)
        for operand in op.operands
    ]
    for name in attributes(op):
        default = getattr(op, name, inspect.Parameter.empty)
        kind = inspect.Parameter.KEYWORD_ONLY
        made.append(inspect.Parameter(argument(op, name), kind, default=default))
    made.append(inspect.Parameter("name", inspect.Parameter.KEYWORD_ONLY, default=None))
    return inspect.Signature(made)


@cache
def raw_op(name: str) -> Callable[..., Any]:
    """The raw op of this name."""
    op = REGISTRY[name]
    of = signature(op)

    def function(**kwargs: Any) -> Any:
        bound = of.bind(**kwargs)
        bound.apply_defaults()
        given = bound.arguments
        groups = [given[argument(op, operand.name)] for operand in op.operands]
        operands = converted(op, groups)
        chosen = made(op, given, operands)
        return shaped(chosen, apply(chosen, *flat(op, operands), name=given["name"]))

    function.__name__ = name
    function.__doc__ = op.__doc__
    function.__signature__ = of  # type: ignore[attr-defined]
    return published(name, function)


def published(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The public form of a raw op."""
    found = boundary(function)
    found.__module__, found.__qualname__ = "graphwright", f"raw_ops.{name}"
    return found


def converted(op: type[Op], groups: list[Any]) -> list[Any]:
    """The operands as tensors; what has no dtype yet takes that of its like."""
    check_lists(op, groups)
    found: dict[str, DType] = {}
    for operand, group in zip(op.operands, groups):
        each = group if operand.variadic or operand.mixed else [group]
        dtype = next((value.dtype for value in each if is_tensor(value)), None)
        if dtype is not None and operand.dtype in op.dtypes:
            found.setdefault(operand.dtype, dtype)
    check_literals(op, groups, found)
    return [as_operand(op, operand, group, found) for operand, group in zip(op.operands, groups)]


def check_lists(op: type[Op], groups: list[Any]) -> None:
    """The lists of an op have as many tensors."""
    lists = [(o.name, g) for o, g in zip(op.operands, groups) if o.variadic or o.mixed]
    if len({len(group) for _, group in lists}) > 1:
        shown = ", ".join([f"{len(group)} in '{name}'" for name, group in lists])
        raise InvalidArgumentError(
            None, None, f"The lists of {op.type_name} must have as many tensors, got {shown}"
        )


def check_literals(op: type[Op], groups: list[Any], found: dict[str, DType]) -> None:
    """Refuses floats where a host operand of the same dtype is of integers: as what cannot be
    converted to the dtype of one before it, or as a list that has a dtype of its own."""
    hosts = [(o, g) for o, g in zip(op.operands, groups) if o.host and o.dtype in op.dtypes]
    for operand, given in hosts:
        alike = [g for o, g in hosts if o.dtype == operand.dtype]
        dtype = found.get(operand.dtype)
        if dtype is None and any(holds(int, value) for value in alike):
            dtype = dt.int32
        if dtype is None or not dtype.is_integer or len(alike) == 1 or not holds(float, given):
            continue
        name = f"'{argument(op, operand.name)}' of {op.type_name}"
        if given is alike[0] and isinstance(given, (list, tuple)):
            raise InvalidArgumentError(None, None, f"{name} must be of integers, got {given!r}")
        raise TypeError(f"Cannot convert {given!r} to EagerTensor of dtype {dtype.name}: {name}")


def holds(kind: type, value: Any) -> bool:
    """Whether a Python value, or one in it, is of a kind."""
    if isinstance(value, (list, tuple)):
        return any(holds(kind, item) for item in value)
    return isinstance(value, kind)


def as_operand(op: type[Op], operand: Operand, group: Any, found: dict[str, Any]) -> Any:
    """One operand, or the list of those that one name stands for."""
    if operand.host:
        return group

    def tensor(value: Any) -> Any:
        if operand.mixed or operand.dtype in ("resource", "variant"):
            return value.handle if hasattr(value, "handle") else convert(value)
        if operand.dtype in op.dtypes or operand.dtype in op.fields:
            made = convert(value, None if is_tensor(value) else found.get(operand.dtype))
            found.setdefault(operand.dtype, made.dtype)
            return made
        return convert(value, None if is_tensor(value) else as_dtype(operand.dtype))

    return [tensor(v) for v in group] if operand.variadic or operand.mixed else tensor(group)


def flat(op: type[Op], operands: list[Any]) -> list[Any]:
    """The operands one after the other."""
    row: list[Any] = []
    for operand, value in zip(op.operands, operands):
        if operand.variadic or operand.mixed:
            row.extend(value)
        else:
            row.append(value)
    return row


def made(op: type[Op], given: dict[str, Any], operands: list[Any]) -> Op:
    """The op with the attributes given, or told by operands."""
    public = attributes(op)
    values = []
    for name in op.fields:
        if name in public:
            values.append(attribute(op, name, given[argument(op, name)]))
        elif name in op.private:
            values.append(getattr(op, name))
        else:
            values.append(told_dtype(op, name, operands))
    return op.of(*values)


def attribute(op: type[Op], name: str, value: Any) -> Any:
    """An attribute made of what is given for it."""
    kind, said = op.fields[name], argument(op, name)
    if kind in KINDS:
        return plain_value(op, name, value, said)
    try:
        return ATTRIBUTES[kind](value)
    except (TypeError, ValueError) as error:
        if "Dims" in kind and isinstance(error, ValueError):  # a size is negative
            raise InvalidArgumentError(None, None, f"'{said}' of {op.type_name}: {error}") from None
        raise TypeError(f"Expected {kind} for argument '{said}' not {value!r}.") from None


def told_dtype(op: type[Op], name: str, operands: list[Any]) -> Any:
    """The dtype of the first operand that is declared to have it, or those of its list."""
    place = next(i for i, operand in enumerate(op.operands) if operand.dtype == name)
    value = operands[place]
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


def shaped(op: Op, result: Any) -> Any:
    """A result as raw ops give it: a tensor, a list, a named tuple of these, or None."""
    if len(op.results) <= 1:
        return list(result) if isinstance(result, tuple) else result
    kind = named(type(op))
    if not any(r.variadic or r.mixed for r in op.results):
        return kind(*result)
    rest, parts = list(result), []
    for part in op.results:
        many = part.variadic or part.mixed
        count = length_of(op, part, result) if many else 1
        parts.append(rest[:count] if many else rest[0])
        del rest[:count]
    return kind(*parts)


def length_of(op: Op, part: Operand, result: Any) -> int:
    """How many tensors a list among the results has."""
    if part.length:
        return int(getattr(op, part.length))
    dtypes = getattr(op, part.dtype, None)
    if isinstance(dtypes, tuple):
        return len(dtypes)
    lists = sum(r.variadic or r.mixed for r in op.results)
    return (len(result) - len(op.results) + lists) // lists
