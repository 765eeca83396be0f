"""What upper layers provide to lower ones; `install` hands it over when the package is imported.

A lower layer declares what it asks for as attributes of a class. No other module sets them, so none
is imported for that.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from graphwright.autodiff.tape import JacobianRows
from graphwright.autograph import unrolling
from graphwright.autograph.status import conversion_of, is_switched_off
from graphwright.compile.graph import kernel_refusals
from graphwright.compile.run import large_operands, straight_line, tiers
from graphwright.compile.run.loop_heads import LoopLowering
from graphwright.compile.select.native_op import Renderer
from graphwright.control.graph_variable import as_default
from graphwright.function.concrete import Departure
from graphwright.ir.execution import Builder
from graphwright.ir.face import Face
from graphwright.ir.graph import Graph
from graphwright.ir.operation import Faces, TensorOf
from graphwright.ir.text import PortableText
from graphwright.library.linear_operators.operator_forms import OperatorForms
from graphwright.machine.exclusion import LLVM
from graphwright.op.dispatch import LibraryMeanings
from graphwright.op.late_imports import late_module
from graphwright.op.op import Hooks
from graphwright.op.refusal import FormerPlaces
from graphwright.ragged.methods import MethodBodies
from graphwright.trace.device_scopes import device
from graphwright.trace.missing_values import AskingCode
from graphwright.trace.python_turns import Switch
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

#: The modules that give public functions a meaning for ragged and sparse tensors.
MEANINGS = (
    "ragged.broadcasting",
    "ragged.ragged_embedding",
    "ragged.ragged_functions",
    "ragged.ragged_gathering",
    "ragged.ragged_joining",
    "ragged.ragged_reduction",
    "ragged.ragged_strings",
    "ragged.shaping",
    "values.sparse.sparse_arithmetic",
    "values.sparse.sparse_counts",
    "values.sparse.sparse_ctc",
    "values.sparse.sparse_functions",
)


@cache
def register_meanings() -> None:
    """Registers what public functions mean for ragged and sparse tensors."""
    for module in MEANINGS:
        late_module(f"graphwright.{module}")


def late(owner: type, attribute: str, place: str) -> None:
    """Provides what an attribute calls: `module:name`, whose module the first call imports."""
    module, _, name = place.partition(":")

    def provided(*arguments: Any, **named: Any) -> Any:
        return getattr(late_module(f"graphwright.{module}"), name)(*arguments, **named)

    setattr(owner, attribute, staticmethod(provided))


def lowered(graph: Graph, updates: Sequence[tuple[int, int]]) -> Any:
    """The program of a segment; what makes it is imported when it is needed."""
    with LLVM:  # see `compile.run.tiers.native`
        from graphwright.compile.run.lowered_segment import LoweredSegment
    return LoweredSegment(graph, updates)


def install() -> None:
    """Hands each lower layer the implementations that it declares."""
    # Ops: conversion and execution.
    Hooks.tensor, Hooks.eager, Hooks.rows = Tensor, EagerTensor, IndexedSlices
    Hooks.executor = executor
    late(Hooks, "prepared", "values.prepared_calls:prepared")
    Hooks.convert, Hooks.holds_tensor = convert, holds_tensor
    Hooks.convert_pair, Hooks.convert_terms = convert_pair, convert_terms
    # Types and values: tensors of specs, messages, names, kernels of large arrays, errors.
    specs.install(TensorRuntime())
    late(Messages, "of_dims", "library.io.interchange:shape_message")
    NamePrefix.prefix = staticmethod(lambda: scoped_names().scope)
    Large.kernel = staticmethod(large_operands.kernel)
    Inside.explain = staticmethod(kernel_refusals.explain)
    # Graphs: functions, faces, tensors, methods of ragged ones.
    Builder.build = staticmethod(straight_line.build)
    LoopLowering.native = staticmethod(tiers.native)
    Renderer.lower = staticmethod(lowered)
    late(Renderer, "executables", "compile.run.executable:executables")
    TensorOf.of = SymbolicTensor
    AskingCode.conversion = staticmethod(conversion_of)
    Switch.is_off = staticmethod(is_switched_off)
    late(JacobianRows, "of", "control.jacobian:jacobians")
    Faces.as_default, Faces.device = staticmethod(as_default), staticmethod(device)
    Face._bodies = Faces()
    late(PortableText, "stablehlo", "portable.stablehlo.stablehlo_text:stablehlo_text")
    travelling = "portable.travelling_functions"
    late(Departure, "reduce", f"{travelling}:reduce_function")
    late(Departure, "pack", f"{travelling}:packed")
    late(Departure, "arrive", f"{travelling}:arrived")
    late(Departure, "arrived", f"{travelling}:arrived_before")
    Tracer.grown, Tracer.look_at = staticmethod(unrolling.watch), unrolling.EVERY
    # What few programs need: all ops, meanings of functions, ragged tensors, names of TensorFlow 1.
    late(Hooks, "load_ops", "library.dispatch.raw_ops:load_all")
    LibraryMeanings.register = staticmethod(register_meanings)
    late(MethodBodies, "given", "ragged.method_bodies:RaggedBodies")
    late(FormerPlaces, "today", "portable.classic.classic_names:path_of_today")
    # Linear operators: those that are made of others.
    derived = "library.linear_operators.derived_operators"
    late(OperatorForms, "adjoint", f"{derived}:LinearOperatorAdjoint")
    late(OperatorForms, "inversion", f"{derived}:LinearOperatorInversion")
    late(OperatorForms, "triangular", f"{derived}:LinearOperatorLowerTriangular")
    late(OperatorForms, "product", "library.linear_operators.operator_products:product")
