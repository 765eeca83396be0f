"""Top-level names of the core: tensors, types, functions, gradients, scopes."""

from graphwright.autodiff.custom import custom_gradient, grad_pass_through, recompute_grad
from graphwright.autodiff.tape import AggregationMethod, GradientTape, UnconnectedGradients
from graphwright.control.jacobian import gradients, hessians
from graphwright.edge.critical_section import CriticalSection
from graphwright.edge.gradient_registry import RegisterGradient, no_gradient
from graphwright.edge.interchange import make_ndarray, make_tensor_proto
from graphwright.edge.module import Module
from graphwright.function.polymorphic import function
from graphwright.ir.graph import Graph
from graphwright.ir.operation import Operation
from graphwright.logs import get_logger
from graphwright.ops.static import get_static_value
from graphwright.trace.scopes import (
    device,
    executing_eagerly,
    get_current_name_scope,
    init_scope,
    inside_function,
    name_scope,
)
from graphwright.trace.symbolic import is_symbolic_tensor
from graphwright.trace.types import is_tensor
from graphwright.types.dtypes import (
    DType,
    as_dtype,
    bfloat16,
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    qint8,
    qint16,
    qint32,
    quint8,
    quint16,
    resource,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
    variant,
)
from graphwright.types.dtypes import bool_ as bool
from graphwright.types.shape import TensorShape
from graphwright.types.specs import NoneTensorSpec, TensorSpec, type_spec_from_value
from graphwright.types.type_spec import TypeSpec
from graphwright.values.convert import (
    constant,
    convert_to_tensor,
    register_tensor_conversion_function,
)
from graphwright.values.indexed_slices import IndexedSlices, IndexedSlicesSpec
from graphwright.values.sparse.tensor import SparseTensor, SparseTensorSpec
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
    "CriticalSection",
    "DType",
    "GradientTape",
    "Graph",
    "IndexedSlices",
    "IndexedSlicesSpec",
    "Module",
    "NoneTensorSpec",
    "Operation",
    "RegisterGradient",
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
    "as_dtype",
    "bfloat16",
    "bool",
    "complex128",
    "complex64",
    "constant",
    "convert_to_tensor",
    "custom_gradient",
    "device",
    "double",
    "executing_eagerly",
    "float16",
    "float32",
    "float64",
    "function",
    "get_current_name_scope",
    "get_logger",
    "get_static_value",
    "grad_pass_through",
    "gradients",
    "half",
    "hessians",
    "init_scope",
    "inside_function",
    "int16",
    "int32",
    "int64",
    "int8",
    "is_symbolic_tensor",
    "is_tensor",
    "make_ndarray",
    "make_tensor_proto",
    "name_scope",
    "newaxis",
    "no_gradient",
    "qint16",
    "qint32",
    "qint8",
    "quint16",
    "quint8",
    "recompute_grad",
    "register_tensor_conversion_function",
    "resource",
    "string",
    "type_spec_from_value",
    "variable_creator_scope",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "variant",
)
