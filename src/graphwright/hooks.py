"""What upper layers provide to lower ones; `install` hands it over when the package is imported.

A lower layer declares what it asks for as attributes of a class. No other module sets them, so none
is imported for that.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from graphwright.autodiff.tape import JacobianRows
from graphwright.autograph import unrolling
from graphwright.autograph.status import conversion_of
from graphwright.compile.graph import kernel_refusals
from graphwright.compile.run import large_operands, straight_line, tiers
from graphwright.compile.run.loop_heads import LoopLowering
from graphwright.compile.select.native_op import Renderer, Runnable
from graphwright.control.graph_variable import as_default
from graphwright.control.jacobian import jacobians
from graphwright.function.concrete import ConcreteFunction, Departure
from graphwright.ir.execution import Builder
from graphwright.ir.face import Face
from graphwright.ir.graph import Graph
from graphwright.ir.operation import Faces, TensorOf
from graphwright.ir.text import PortableText
from graphwright.library.io.interchange import shape_message
from graphwright.library.linear_operators import derived_operators, operator_products
from graphwright.library.linear_operators.linear_operator import OperatorForms
from graphwright.machine.exclusion import LLVM
from graphwright.op.op import Hooks
from graphwright.ragged.factories import Factories
from graphwright.ragged.method_bodies import RaggedBodies
from graphwright.trace.missing_values import AskingCode
from graphwright.trace.scopes import scoped_names
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import Tracer
from graphwright.types import specs
from graphwright.types.shape import Messages
from graphwright.values.convert import convert, convert_pair, convert_terms, holds_tensor
from graphwright.values.eager import Inside, Large, executor
from graphwright.values.indexed_slices import IndexedSlices
from graphwright.values.tensor import EagerTensor, Tensor
from graphwright.values.tensor_specs import TensorRuntime
from graphwright.values.variable import NamePrefix


def lowered(graph: Graph, updates: Sequence[tuple[int, int]]) -> Any:
    """The program of a segment; what makes it is imported when it is needed."""
    with LLVM:  # see `compile.run.tiers.native`
        from graphwright.compile.run.lowered_segment import LoweredSegment
    return LoweredSegment(graph, updates)


def executables(segments: Sequence[Any], is_quick: bool) -> Sequence[Runnable]:
    """Segments as machine code, compiled together; what makes it is imported when it is needed."""
    from graphwright.compile.run import executable

    return executable.executables(segments, is_quick)


def travelling() -> Any:
    """The module of functions that go to other processes; it brings protobuf."""
    return import_module("graphwright.portable.travelling_functions")


def departed(function: ConcreteFunction) -> tuple[Any, ...]:
    """What `pickle` takes of a function to another process."""
    parts: tuple[Any, ...] = travelling().reduce_function(function)
    return parts


def stablehlo(graph: Graph) -> str:
    """The text of StableHLO of a graph."""
    module = import_module("graphwright.portable.stablehlo.stablehlo_text")  # few programs need it
    text: str = module.stablehlo_text(graph)
    return text


def packed(function: ConcreteFunction) -> bytes:
    """A function as bytes."""
    data: bytes = travelling().packed(function)
    return data


def arrived(digest: bytes, data: bytes | None) -> ConcreteFunction | None:
    """The function of bytes; without them, the one that was read before."""
    module = travelling()
    function: ConcreteFunction | None
    function = module.arrived_before(digest) if data is None else module.arrived(data)
    return function


def install() -> None:
    """Hands each lower layer the implementations that it declares."""
    # Ops: conversion and execution.
    Hooks.tensor, Hooks.eager, Hooks.rows = Tensor, EagerTensor, IndexedSlices
    Hooks.executor = executor
    Hooks.convert, Hooks.holds_tensor = convert, holds_tensor
    Hooks.convert_pair, Hooks.convert_terms = convert_pair, convert_terms
    # Types and values: tensors of specs, messages, names, kernels of large arrays, errors.
    specs.install(TensorRuntime())
    Messages.of_dims = staticmethod(shape_message)
    NamePrefix.prefix = staticmethod(lambda: scoped_names().scope)
    Large.kernel = staticmethod(large_operands.kernel)
    Inside.explain = staticmethod(kernel_refusals.explain)
    # Graphs: functions, faces, tensors, methods of ragged ones.
    Builder.build = staticmethod(straight_line.build)
    LoopLowering.native = staticmethod(tiers.native)
    Renderer.lower = staticmethod(lowered)
    Renderer.executables = staticmethod(executables)
    TensorOf.of = SymbolicTensor
    AskingCode.conversion = staticmethod(conversion_of)
    JacobianRows.of = staticmethod(jacobians)
    Faces.as_default = staticmethod(as_default)
    Face._bodies = Faces()
    Departure.reduce = staticmethod(departed)
    PortableText.stablehlo = staticmethod(stablehlo)
    Departure.pack, Departure.arrive = staticmethod(packed), staticmethod(arrived)
    Tracer.grown, Tracer.look_at = staticmethod(unrolling.watch), unrolling.EVERY
    Factories._bodies = RaggedBodies()
    # Linear operators: those that are made of others.
    OperatorForms.adjoint = derived_operators.LinearOperatorAdjoint
    OperatorForms.inversion = derived_operators.LinearOperatorInversion
    OperatorForms.triangular = derived_operators.LinearOperatorLowerTriangular
    OperatorForms.product = staticmethod(operator_products.product)
