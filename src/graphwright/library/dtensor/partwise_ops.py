"""Ops of a mesh over ranks, which each rank runs on its parts of tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from graphwright.base.errors import UnimplementedError
from graphwright.ir.graph import subgraphs_of
from graphwright.library.dtensor.mesh import Mesh
from graphwright.library.dtensor.rank_tensors import laid_out
from graphwright.library.dtensor.sharding_rules import (
    Labels,
    ShardedOperand,
    Specs,
    divided_labels,
    labels_of,
    specs_by,
)
from graphwright.library.dtensor.tensor_layout import UNSHARDED, Layout
from graphwright.op.interpreter import is_tensor
from graphwright.op.op import Op, is_whole
from graphwright.ops.state.variable_ops import Assignment, ReadVariableOp
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import Dims
from graphwright.values.tensor import Tensor

#: The result of an op on tensors of this rank, by whatever interprets ops below.
Applying = Callable[[Op, "tuple[Any, ...]", "str | None"], Any]


class RankPart(NamedTuple):
    """What this rank has of an operand or a result.

    Args:
        tensor: Its part, a tensor; or a host operand as it is.
        specs: How the whole is divided; None: each rank has all.
        dims: The shape of the whole; None: it is unknown, or there is none.
    """

    tensor: Any
    specs: Specs | None = None
    dims: Dims | None = None

    @property
    def is_variable(self) -> bool:
        """Whether it is the handle of a divided variable."""
        return self.specs is not None and self.tensor.dtype is dt.resource

    @property
    def is_divided(self) -> bool:
        """Whether this rank has not all of it."""
        return any(spec != UNSHARDED for spec in self.specs or ())


class PartwiseOps:
    """Ops of a mesh over ranks: each rank computes its parts of results from parts of operands.

    Tensors may have values, or be those of a graph: then ops and the collectives that they need
    become nodes. What has no rule gets whole operands, and each rank computes the whole result.

    Args:
        mesh: The mesh.
        below: What interprets ops on parts.
    """

    def __init__(self, mesh: Mesh, below: Applying) -> None:
        self.mesh = mesh
        self.below = below
        self.layouts: dict[tuple[int, Specs], tuple[Any, Any]] = {}  # parts of tensors, by `id`

    def results(self, op: Op, operands: Sequence[RankPart], name: str | None) -> list[RankPart]:
        """The parts of the results of an op."""
        if operands and operands[0].is_variable:
            return self.at_variable(op, operands, name)
        described = described_operands(op, operands)
        labels = None if described is None else labels_of(op, described)
        if described is None or labels is None:
            return self.whole(op, operands, name)
        if labels.combination == "mean" and operands[0].tensor.dtype.is_integer:
            labels = labels._replace(combination=None)  # a mean of means rounds twice
        divided = divided_labels(labels, described)
        tensors = [operand.tensor for operand in operands]
        for place, (term, operand) in enumerate(zip(labels.operands, operands)):
            if operand.dims is not None:
                tensors[place] = self.part(operand, fitting(term, operand.dims, divided))
        part = self.below(op, tuple(tensors), name)
        for label, dim in divided.items():
            if label not in labels.result and labels.combination is not None:
                assert self.mesh.ranks is not None
                part = self.mesh.ranks.combined(part, dim, labels.combination)
        return [self.result(part, specs_by(labels.result, divided))]

    def part(self, operand: RankPart, specs: Specs) -> Any:
        """This rank's part of a tensor, divided so. What is in no mesh, all ranks have alike."""
        key = id(operand.tensor), specs
        if key not in self.layouts:
            before = operand.specs or (UNSHARDED,) * len(specs)
            part = laid_out(operand.tensor, before, specs, self.mesh)
            self.layouts[key] = operand.tensor, part  # the tensor stays, and so does its `id`
        return self.layouts[key][1]

    def laid_out(self, operand: RankPart, specs: Specs) -> RankPart:
        """A tensor that is divided so."""
        return self.result(self.part(operand, specs), specs)

    def result(self, part: Tensor, specs: Specs | None = None) -> RankPart:
        """What this rank has of a result that is divided so; None: each rank has all."""
        dims = part.type.dims if part.dtype.is_numpy_compatible else None
        if dims is not None and specs is not None:
            shards = map(Layout(specs, self.mesh).num_shards, range(len(dims)))
            dims = tuple([size and size * count for size, count in zip(dims, shards)])
        return RankPart(part, specs, dims)

    def at_variable(self, op: Op, operands: Sequence[RankPart], name: str | None) -> list[RankPart]:
        """The result of an op on a divided variable: a read, or an assignment of all of it."""
        (handle, specs, _), *values = operands
        assert specs is not None
        if isinstance(op, ReadVariableOp):
            dims: Any = op.shape  # whole, and without unknown sizes: they must be divisible
            local = dims and Layout(specs, self.mesh).local_shape_from_global_shape(dims)
            part = self.below(ReadVariableOp.of(op.dtype, local), (handle,), name)
            return [self.result(part, specs)]
        if isinstance(op, Assignment):
            self.below(op, (handle, self.part(values[0], specs)), name)
            return []
        raise refusal(op)

    def whole(self, op: Op, operands: Sequence[RankPart], name: str | None) -> list[RankPart]:
        """The results of an op on whole operands, which each rank computes."""
        if any(operand.is_variable for operand in operands):
            raise refusal(op)
        tensors = [
            self.part(operand, (UNSHARDED,) * len(operand.specs))
            if operand.specs and operand.is_divided
            else operand.tensor
            for operand in operands
        ]
        result = self.below(op, tuple(tensors), name)
        results = result if type(result) is tuple else (result,)
        return [self.result(each) for each in results if each is not None]


def described_operands(op: Op, operands: Sequence[RankPart]) -> list[ShardedOperand] | None:
    """The operands as rules take them; None: whole ones are there, or needed.

    The latter holds where a shape or a host operand is not known before the graph runs.
    """
    if not any(operand.is_divided for operand in operands):
        return None
    described = []
    for operand, is_host in zip(operands, op.host_mask(len(operands))):
        tensor, specs, dims = operand
        value = tensor.known if is_host and is_tensor(tensor) else tensor
        if operand.is_divided if is_host else dims is None or None in dims:
            return None
        if is_host and not is_whole(value):
            return None
        described.append(ShardedOperand(specs, dims, value if is_host else None))
    return described


def fitting(term: Labels, dims: Dims, divided: Mapping[str | None, str]) -> Specs:
    """How an operand is divided for an op: axes that are broadcast are whole."""
    pairs = zip(specs_by(term, divided), dims)
    return tuple([UNSHARDED if size == 1 else spec for spec, size in pairs])


def refusal(op: Op) -> UnimplementedError:
    """The error for an op that does not reach a variable of a mesh over ranks."""
    if subgraphs_of(op):
        words = (
            "runs whole on each process, and does not reach a variable of which each has a part. "
            "Let Python repeat or choose: `for _ in range(n): step()`, where `step` is traced."
        )
    else:
        words = (
            "does not reach a variable of which each process has a part. Take its value first, and "
            "assign all of it: `variable.assign(f(variable.read_value()))`."
        )
    return UnimplementedError(None, None, f"{op.type_name} {words}")
