"""Top-level names of the core: tensors, functions, gradients, scopes."""

from graphwright.autodiff.custom import custom_gradient, grad_pass_through, recompute_grad
from graphwright.autodiff.tape import AggregationMethod, GradientTape, UnconnectedGradients
from graphwright.base.logs import get_logger
from graphwright.function.polymorphic import function
from graphwright.ir.graph import Graph
from graphwright.ir.operation import Operation
from graphwright.library.objects.module import Module
from graphwright.ops.core.static import get_static_value
from graphwright.trace.argument_types import is_tensor
from graphwright.trace.device_scopes import device
from graphwright.trace.scopes import (
    executing_eagerly,
    get_current_name_scope,
    init_scope,
    inside_function,
    name_scope,
)
from graphwright.trace.symbolic import is_symbolic_tensor
from graphwright.types.device_spec import DeviceSpec
from graphwright.types.shape import TensorShape
from graphwright.types.specs import NoneTensorSpec, TensorSpec, type_spec_from_value
from graphwright.types.type_spec import TypeSpec
from graphwright.values.convert import (
    constant,
    convert_to_tensor,
    register_tensor_conversion_function,
)
from graphwright.values.indexed_slices import IndexedSlices, IndexedSlicesSpec
from graphwright.values.sparse.sparse_tensor import SparseTensor, SparseTensorSpec
from graphwright.values.tensor import Tensor
from graphwright.values.variable import (
    Variable,
    VariableAggregation,
    VariableSynchronization,
    variable_creator_scope,
)

newaxis = None

TOP_LEVEL = (
    "AggregationMethod",
    "DeviceSpec",
    "GradientTape",
    "Graph",
    "IndexedSlices",
    "IndexedSlicesSpec",
    "Module",
    "NoneTensorSpec",
    "Operation",
    "SparseTensor",
    "SparseTensorSpec",
    "Tensor",
    "TensorShape",
    "TensorSpec",
    "TypeSpec",
    "UnconnectedGradients",
    "Variable",
    "VariableAggregation",
    "VariableSynchronization",
    "constant",
    "convert_to_tensor",
    "custom_gradient",
    "device",
    "executing_eagerly",
    "function",
    "get_current_name_scope",
    "get_logger",
    "get_static_value",
    "grad_pass_through",
    "init_scope",
    "inside_function",
    "is_symbolic_tensor",
    "is_tensor",
    "name_scope",
    "newaxis",
    "recompute_grad",
    "register_tensor_conversion_function",
    "type_spec_from_value",
    "variable_creator_scope",
)
