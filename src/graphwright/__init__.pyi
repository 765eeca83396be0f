# Written by tools/write_stub.py.
from graphwright.api import config as config
from graphwright.api import errors as errors
from graphwright.api import nest as nest
from graphwright.api import types as types
from graphwright.autodiff.tape import GradientTape as GradientTape
from graphwright.autodiff.tape import UnconnectedGradients as UnconnectedGradients
from graphwright.edge.module import Module as Module
from graphwright.function.polymorphic import function as function
from graphwright.ir.graph import Graph as Graph
from graphwright.logs import get_logger as get_logger
from graphwright.ops.arithmetic import add as add
from graphwright.ops.arithmetic import add_n as add_n
from graphwright.ops.arithmetic import conj as conj
from graphwright.ops.arithmetic import divide_no_nan as divide_no_nan
from graphwright.ops.arithmetic import floordiv as floordiv
from graphwright.ops.arithmetic import floormod as floormod
from graphwright.ops.arithmetic import maximum as maximum
from graphwright.ops.arithmetic import minimum as minimum
from graphwright.ops.arithmetic import multiply as multiply
from graphwright.ops.arithmetic import multiply_no_nan as multiply_no_nan
from graphwright.ops.arithmetic import negative as negative
from graphwright.ops.arithmetic import subtract as subtract
from graphwright.ops.arithmetic import truediv as truediv
from graphwright.ops.arithmetic import truncatediv as truncatediv
from graphwright.ops.arithmetic import truncatemod as truncatemod
from graphwright.ops.bitwise import and_operator as and_operator
from graphwright.ops.bitwise import bitwise_and as bitwise_and
from graphwright.ops.bitwise import bitwise_or as bitwise_or
from graphwright.ops.bitwise import bitwise_xor as bitwise_xor
from graphwright.ops.bitwise import invert as invert
from graphwright.ops.bitwise import invert_operator as invert_operator
from graphwright.ops.bitwise import or_operator as or_operator
from graphwright.ops.bitwise import xor_operator as xor_operator
from graphwright.ops.comparison import comparison_operator as comparison_operator
from graphwright.ops.comparison import equal as equal
from graphwright.ops.comparison import greater as greater
from graphwright.ops.comparison import greater_equal as greater_equal
from graphwright.ops.comparison import less as less
from graphwright.ops.comparison import less_equal as less_equal
from graphwright.ops.comparison import logical_and as logical_and
from graphwright.ops.comparison import logical_not as logical_not
from graphwright.ops.comparison import logical_or as logical_or
from graphwright.ops.comparison import logical_xor as logical_xor
from graphwright.ops.comparison import not_equal as not_equal
from graphwright.ops.comparison import select as select
from graphwright.ops.contraction import matmul as matmul
from graphwright.ops.conversion import cast as cast
from graphwright.ops.creation import checked_dims as checked_dims
from graphwright.ops.creation import fill as fill
from graphwright.ops.creation import filled as filled
from graphwright.ops.creation import ones as ones
from graphwright.ops.creation import ones_like as ones_like
from graphwright.ops.creation import zeros as zeros
from graphwright.ops.creation import zeros_like as zeros_like
from graphwright.ops.gathering import gather as gather
from graphwright.ops.gathering import gather_nd as gather_nd
from graphwright.ops.gathering import scatter_nd as scatter_nd
from graphwright.ops.gathering import tensor_scatter_nd_add as tensor_scatter_nd_add
from graphwright.ops.gathering import tensor_scatter_nd_max as tensor_scatter_nd_max
from graphwright.ops.gathering import tensor_scatter_nd_min as tensor_scatter_nd_min
from graphwright.ops.gathering import tensor_scatter_nd_sub as tensor_scatter_nd_sub
from graphwright.ops.gathering import tensor_scatter_nd_update as tensor_scatter_nd_update
from graphwright.ops.indexing import boolean_mask as boolean_mask
from graphwright.ops.indexing import where as where
from graphwright.ops.joining import concat as concat
from graphwright.ops.joining import split as split
from graphwright.ops.joining import stack as stack
from graphwright.ops.joining import unstack as unstack
from graphwright.ops.movement import broadcast_to as broadcast_to
from graphwright.ops.movement import expand_dims as expand_dims
from graphwright.ops.movement import identity as identity
from graphwright.ops.movement import identity_n as identity_n
from graphwright.ops.movement import reshape as reshape
from graphwright.ops.movement import squeeze as squeeze
from graphwright.ops.movement import stop_gradient as stop_gradient
from graphwright.ops.movement import transpose as transpose
from graphwright.ops.padding import pad as pad
from graphwright.ops.reduction import reduce_max as reduce_max
from graphwright.ops.reduction import reduce_sum as reduce_sum
from graphwright.ops.repetition import repeat as repeat
from graphwright.ops.repetition import tile as tile
from graphwright.ops.reversal import reverse as reverse
from graphwright.ops.reversal import reverse_sequence as reverse_sequence
from graphwright.ops.reversal import roll as roll
from graphwright.ops.sequences import linspace as linspace
from graphwright.ops.sequences import range as range
from graphwright.ops.shape import rank as rank
from graphwright.ops.shape import shape as shape
from graphwright.ops.shape import shape_n as shape_n
from graphwright.ops.shape import size as size
from graphwright.ops.slicing import slice as slice
from graphwright.ops.slicing import strided_slice as strided_slice
from graphwright.ops.transcendental import abs as abs
from graphwright.ops.transcendental import exp as exp
from graphwright.ops.transcendental import expm1 as expm1
from graphwright.ops.transcendental import log as log
from graphwright.ops.transcendental import log1p as log1p
from graphwright.ops.transcendental import pow as pow
from graphwright.ops.transcendental import reciprocal as reciprocal
from graphwright.ops.transcendental import rsqrt as rsqrt
from graphwright.ops.transcendental import sign as sign
from graphwright.ops.transcendental import sqrt as sqrt
from graphwright.ops.transcendental import square as square
from graphwright.ops.transcendental import squared_difference as squared_difference
from graphwright.ops.trigonometric import acos as acos
from graphwright.ops.trigonometric import acosh as acosh
from graphwright.ops.trigonometric import asin as asin
from graphwright.ops.trigonometric import asinh as asinh
from graphwright.ops.trigonometric import atan as atan
from graphwright.ops.trigonometric import atan2 as atan2
from graphwright.ops.trigonometric import atanh as atanh
from graphwright.ops.trigonometric import cos as cos
from graphwright.ops.trigonometric import cosh as cosh
from graphwright.ops.trigonometric import sin as sin
from graphwright.ops.trigonometric import sinh as sinh
from graphwright.ops.trigonometric import tan as tan
from graphwright.ops.trigonometric import tanh as tanh
from graphwright.trace.scopes import device as device
from graphwright.trace.scopes import executing_eagerly as executing_eagerly
from graphwright.trace.scopes import init_scope as init_scope
from graphwright.trace.scopes import inside_function as inside_function
from graphwright.trace.scopes import name_scope as name_scope
from graphwright.trace.types import is_tensor as is_tensor
from graphwright.types.dtypes import DType
from graphwright.types.dtypes import DType as DType
from graphwright.types.dtypes import as_dtype as as_dtype
from graphwright.types.shape import TensorShape as TensorShape
from graphwright.types.specs import TensorSpec as TensorSpec
from graphwright.types.specs import type_spec_from_value as type_spec_from_value
from graphwright.types.type_spec import TypeSpec as TypeSpec
from graphwright.values.convert import constant as constant
from graphwright.values.convert import convert_to_tensor as convert_to_tensor
from graphwright.values.indexed_slices import IndexedSlices as IndexedSlices
from graphwright.values.tensor import Tensor as Tensor
from graphwright.values.variable import Variable as Variable
from graphwright.values.variable import VariableAggregation as VariableAggregation
from graphwright.values.variable import VariableSynchronization as VariableSynchronization

__all__: list[str]
__version__: str
bfloat16: DType
bool: DType
complex128: DType
complex64: DType
double: DType
float16: DType
float32: DType
float64: DType
half: DType
int16: DType
int32: DType
int64: DType
int8: DType
newaxis: None
qint16: DType
qint32: DType
qint8: DType
quint16: DType
quint8: DType
resource: DType
string: DType
uint16: DType
uint32: DType
uint64: DType
uint8: DType
variant: DType
