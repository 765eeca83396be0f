"""Ops of a mesh over ranks, which each rank runs on its parts of tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from graphwright.base.errors import UnimplementedError
from graphwright.compile.run.steps import lives
from graphwright.control.call import PartitionedCall
from graphwright.ir.graph import Graph, Value
from graphwright.library.dtensor.layout_notes import (
    STATED,
    NotingLayer,
    layout_of,
    noted,
    noted_part,
    operand_of,
)
from graphwright.library.dtensor.mesh import Mesh
from graphwright.library.dtensor.rank_tensors import RankTensor, laid_out, part_of
from graphwright.library.dtensor.sharding_rules import (
    Labels,
    ShardedOperand,
    Specs,
    divided_labels,
    labels_of,
    specs_by,
)
from graphwright.library.dtensor.tensor_layout import UNSHARDED, Layout
from graphwright.op.op import Op
from graphwright.ops.core.identity import Identity
from graphwright.ops.state.variable_ops import Assignment, ReadVariableOp
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.values.tensor import EagerTensor, box


class PartwiseLayer(NotingLayer, Protocol):
    """The interpreter of divided tensors, below which ops run on parts."""

    wanted: Layout | None

    def apply(self, op: Op, operands: tuple[object, ...], name: str | None) -> Any:
        """The op's result, with its layout."""

    def hand_on(self, op: Op, operands: tuple[object, ...], name: str | None) -> Any:
        """The op's result, by the interpreter below."""


class PartwiseOps:
    """Ops of a mesh over ranks: each rank computes its parts of results from parts of operands.

    A call of a graph runs node by node. What has no rule gets whole operands, and each rank
    computes the whole result.

    Args:
        layer: The interpreter, below which ops run on parts.
        mesh: The mesh.
    """

    def __init__(self, layer: PartwiseLayer, mesh: Mesh) -> None:
        self.layer = layer
        self.mesh = mesh

    def apply(self, op: Op, operands: tuple[object, ...], name: str | None) -> Any:
        """The op's result."""
        first: Any = operands[0] if operands else None
        if self.layer.wanted is not None and isinstance(op, Identity):
            specs = tuple(self.layer.wanted.sharding_specs)
            return self.tensor_of(self.part(first, specs), specs)
        if isinstance(op, PartitionedCall):
            return tuple(self.results(op.f, operands))
        layout = layout_of(first)
        if layout is not None and first.dtype is dt.resource:
            return self.at_variable(op, operands, tuple(layout.sharding_specs), name)
        given = [operand_of(operand) for operand in operands]
        labels = labels_of(op, given)
        pairs = zip(operands, given)
        if labels is None or any(isinstance(o, EagerTensor) and g.dims is None for o, g in pairs):
            return self.whole(op, operands, name)
        if labels.combination == "mean" and first.dtype.is_integer:
            labels = labels._replace(combination=None)  # a mean of means rounds twice
        divided = divided_labels(labels, given)
        parts = list(operands)
        for place, (term, operand) in enumerate(zip(labels.operands, given)):
            tensor: Any = operands[place]
            if operand.dims is not None:
                parts[place] = box(self.part(tensor, self.fitting(term, operand, divided)))
        part = self.layer.hand_on(op, tuple(parts), name)._array
        for label, dim in divided.items():
            if label not in labels.result and labels.combination is not None:
                assert self.mesh.ranks is not None
                part = self.mesh.ranks.combined(part, dim, labels.combination)
        return self.tensor_of(part, specs_by(labels.result, divided))

    def fitting(
        self, term: Labels, operand: ShardedOperand, divided: Mapping[str | None, str]
    ) -> Specs:
        """How an operand is divided for the op: axes that are broadcast are whole."""
        pairs = zip(specs_by(term, divided), operand.dims or ())
        return tuple([UNSHARDED if size == 1 else spec for spec, size in pairs])

    def part(self, tensor: EagerTensor, specs: Specs) -> Array:
        """This rank's part of a tensor, divided so. What is in no mesh, all ranks have alike."""
        layout = layout_of(tensor)
        before = (UNSHARDED,) * len(specs) if layout is None else layout.sharding_specs
        return laid_out(part_of(tensor), before, specs, self.mesh)

    def tensor_of(self, part: Array, specs: Specs) -> EagerTensor:
        """The tensor of which this rank has a part, divided so."""
        return noted_part(part, Layout(specs, self.mesh), self.layer)

    def at_variable(
        self, op: Op, operands: tuple[object, ...], specs: Specs, name: str | None
    ) -> Any:
        """The result of an op on a divided variable: a read, or an assignment of all of it."""
        handle: Any = operands[0]
        if isinstance(op, ReadVariableOp):
            return self.tensor_of(self.layer.hand_on(op, (handle,), name)._array, specs)
        if isinstance(op, Assignment):
            value: Any = operands[1]
            return self.layer.hand_on(op, (handle, box(self.part(value, specs))), name)
        raise self.refusal(op)

    def refusal(self, op: Op) -> UnimplementedError:
        """The error for an op that does not reach a variable of a mesh over ranks."""
        return UnimplementedError(
            None, None,
            f"{op.type_name} does not reach a variable of which each process has a part. Take its "
            "value first, and assign all of it: `variable.assign(f(variable.read_value()))`.",
        )  # fmt: skip

    def whole(self, op: Op, operands: tuple[object, ...], name: str | None) -> Any:
        """The result of an op without a rule, which each rank computes."""
        tensors = [operand for operand in operands if isinstance(operand, EagerTensor)]
        if any(layout_of(tensor) and tensor.dtype is dt.resource for tensor in tensors):
            raise self.refusal(op)
        wholes = [
            box(self.part(o, (UNSHARDED,) * len(o.dims))) if isinstance(o, RankTensor) else o
            for o in operands
        ]
        result = self.layer.hand_on(op, tuple(wholes), name)
        for tensor in result if type(result) is tuple else (result,):
            if type(tensor) is EagerTensor and tensor.dtype.is_numpy_compatible:
                noted(tensor, Layout.replicated(self.mesh, len(tensor.dims)), self.layer)
        return result

    def results(self, graph: Graph, operands: Sequence[object]) -> list[Any]:
        """The results of a graph, node by node."""
        values: dict[Value, Any] = dict(zip(graph.arguments, operands))
        for node, _ in lives(graph):
            if node.outputs and all(value in values for value in node.outputs):
                continue
            inputs = tuple([values[value] for value in node.inputs])
            if node in STATED:
                result = self.tensor_of(self.part(inputs[0], STATED[node]), STATED[node])
            else:
                result = self.layer.apply(node.op, inputs, node.name)
            is_single = len(node.outputs) == 1 and not node.op.returns_tuple
            values.update(zip(node.outputs, [result] if is_single else result or ()))
        return [values[value] for value in graph.results]
