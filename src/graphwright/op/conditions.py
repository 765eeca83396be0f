"""What a record asks of operands and attributes, beside their dtypes: ranks, least values, shapes.

They are looked at where an op's results are inferred, and again when it runs on what was not known
then. A kernel that would take what they refuse is `ruled`: it is called behind them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Protocol

from graphwright.types.arguments import HostValue
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType, show_dims

_NOUNS = ("a scalar", "a vector", "a matrix")
#: The most combinations of shapes and host values that are remembered for a rule.
_REMEMBERED = 256


class Conditioned(Protocol):
    """What an op states of its operands and attributes: see `op.op.Op`."""

    ranks: ClassVar[dict[str, int]]
    least: ClassVar[dict[str, int]]
    fields: ClassVar[dict[str, str]]
    operands: ClassVar[tuple[Any, ...]]
    has_host: ClassVar[bool]

    def operand_names(self, count: int) -> Sequence[str]: ...

    def count_in_lists(self, tensors: int) -> int: ...

    def host_mask(self, count: int) -> Sequence[bool]: ...

    def shapes(self, *operands: Any) -> Any: ...


def check_ranks(op: Conditioned, operands: Sequence[TensorType | HostValue]) -> None:
    """ValueError unless operands (types, known host values) have the ranks that the op states."""
    if not op.ranks:
        return
    for name, operand in zip(op.operand_names(len(operands)), operands):
        rank = op.ranks.get(name.partition("[")[0])
        dims = operand.dims if isinstance(operand, TensorType) else host_dims(operand)
        if rank is not None and dims is not None and len(dims) != rank:
            noun = _NOUNS[rank] if rank < len(_NOUNS) else f"of rank {rank}"
            raise ValueError(f"{name} must be {noun}, got shape {show_dims(dims)}")


def host_dims(value: HostValue) -> Dims | None:
    """The shape of a host value, None if nothing is known of it."""
    if value is None:
        return None
    dims = []
    while isinstance(value, tuple):
        dims.append(len(value))
        value = value[0] if value else None
    return tuple(dims)


def check_least(op: Conditioned, tensors: int) -> None:
    """ValueError where an attribute, or the number of tensors in a list, is too small."""
    for name, least in op.least.items():
        if name in op.fields:
            value = getattr(op, name)
            if value < least:
                raise ValueError(f"Value for attr '{name}' of {value} must be at least {least}")
        else:
            count = op.count_in_lists(tensors)
            if count < least:
                raise ValueError(f"'{name}' must be at least {least} tensors, got {count}")


def behind_rule(
    op: Conditioned, types: Sequence[DType], kernel: Callable[..., object]
) -> Callable[..., Any]:
    """A kernel that is called where the op's shape rule takes the operands.

    The rule is asked for new shapes and host values only: what it took before, it takes again.
    """
    mask = op.host_mask(len(types) + sum(operand.host for operand in op.operands))
    taken: set[Any] = set()

    def checked(*operands: Any) -> Any:
        if op.has_host:
            key = tuple([o if h else getattr(o, "shape", ()) for o, h in zip(operands, mask)])
        else:
            key = tuple([getattr(o, "shape", ()) for o in operands])  # text has none
        if key not in taken:
            dtypes = iter(types)
            described = [k if host else TensorType(next(dtypes), k) for k, host in zip(key, mask)]
            check_ranks(op, described)
            op.shapes(*described)
            if len(taken) >= _REMEMBERED:
                taken.clear()
            taken.add(key)
        return kernel(*operands)

    return checked
