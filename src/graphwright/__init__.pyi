# Written by tools/write_stub.py.
from graphwright.api import config as config
from graphwright.api import errors as errors
from graphwright.api import linalg as linalg
from graphwright.api import nest as nest
from graphwright.api import nn as nn
from graphwright.api import types as types
from graphwright.autodiff.tape import GradientTape as GradientTape
from graphwright.autodiff.tape import UnconnectedGradients as UnconnectedGradients
from graphwright.edge.module import Module as Module
from graphwright.function.polymorphic import function as function
from graphwright.ir.graph import Graph as Graph
from graphwright.logs import get_logger as get_logger
from graphwright.ops.activation import crelu as crelu
from graphwright.ops.activation import elu as elu
from graphwright.ops.activation import leaky_relu as leaky_relu
from graphwright.ops.activation import relu as relu
from graphwright.ops.activation import relu6 as relu6
from graphwright.ops.activation import selu as selu
from graphwright.ops.activation import softplus as softplus
from graphwright.ops.activation import softsign as softsign
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
from graphwright.ops.batch_norm import check_normalized as check_normalized
from graphwright.ops.batch_norm import fused_batch_norm as fused_batch_norm
from graphwright.ops.bias import bias_add as bias_add
from graphwright.ops.bitwise import and_operator as and_operator
from graphwright.ops.bitwise import bitwise_and as bitwise_and
from graphwright.ops.bitwise import bitwise_or as bitwise_or
from graphwright.ops.bitwise import bitwise_xor as bitwise_xor
from graphwright.ops.bitwise import invert as invert
from graphwright.ops.bitwise import invert_operator as invert_operator
from graphwright.ops.bitwise import or_operator as or_operator
from graphwright.ops.bitwise import xor_operator as xor_operator
from graphwright.ops.blocks import batch_to_space as batch_to_space
from graphwright.ops.blocks import batch_to_space_nd as batch_to_space_nd
from graphwright.ops.blocks import block_pairs as block_pairs
from graphwright.ops.blocks import depth_to_space as depth_to_space
from graphwright.ops.blocks import space_to_batch_nd as space_to_batch
from graphwright.ops.blocks import space_to_batch_nd as space_to_batch_nd
from graphwright.ops.blocks import space_to_depth as space_to_depth
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
from graphwright.ops.complex import angle as angle
from graphwright.ops.complex import complex as complex
from graphwright.ops.complex import imag as imag
from graphwright.ops.complex import real as real
from graphwright.ops.contraction import matmul as matmul
from graphwright.ops.conversion import cast as cast
from graphwright.ops.creation import checked_dims as checked_dims
from graphwright.ops.creation import fill as fill
from graphwright.ops.creation import filled as filled
from graphwright.ops.creation import ones as ones
from graphwright.ops.creation import ones_like as ones_like
from graphwright.ops.creation import zeros as zeros
from graphwright.ops.creation import zeros_like as zeros_like
from graphwright.ops.decomposition import cholesky as cholesky
from graphwright.ops.decomposition import eig as eig
from graphwright.ops.decomposition import eigh as eigh
from graphwright.ops.decomposition import eigvals as eigvals
from graphwright.ops.decomposition import eigvalsh as eigvalsh
from graphwright.ops.decomposition import lu as lu
from graphwright.ops.decomposition import qr as qr
from graphwright.ops.decomposition import svd as svd
from graphwright.ops.fourier import fft as fft
from graphwright.ops.fourier import fft2d as fft2d
from graphwright.ops.fourier import fft3d as fft3d
from graphwright.ops.fourier import ifft as ifft
from graphwright.ops.fourier import ifft2d as ifft2d
from graphwright.ops.fourier import ifft3d as ifft3d
from graphwright.ops.fourier import irfft as irfft
from graphwright.ops.fourier import irfft2d as irfft2d
from graphwright.ops.fourier import irfft3d as irfft3d
from graphwright.ops.fourier import real_backward as real_backward
from graphwright.ops.fourier import real_forward as real_forward
from graphwright.ops.fourier import rfft as rfft
from graphwright.ops.fourier import rfft2d as rfft2d
from graphwright.ops.fourier import rfft3d as rfft3d
from graphwright.ops.gathering import gather as gather
from graphwright.ops.gathering import gather_nd as gather_nd
from graphwright.ops.gathering import scatter_nd as scatter_nd
from graphwright.ops.gathering import tensor_scatter_nd_add as tensor_scatter_nd_add
from graphwright.ops.gathering import tensor_scatter_nd_max as tensor_scatter_nd_max
from graphwright.ops.gathering import tensor_scatter_nd_min as tensor_scatter_nd_min
from graphwright.ops.gathering import tensor_scatter_nd_sub as tensor_scatter_nd_sub
from graphwright.ops.gathering import tensor_scatter_nd_update as tensor_scatter_nd_update
from graphwright.ops.grids import meshgrid as meshgrid
from graphwright.ops.grids import unravel_index as unravel_index
from graphwright.ops.indexing import boolean_mask as boolean_mask
from graphwright.ops.indexing import where as where
from graphwright.ops.indicators import one_hot as one_hot
from graphwright.ops.indicators import sequence_mask as sequence_mask
from graphwright.ops.joining import concat as concat
from graphwright.ops.joining import split as split
from graphwright.ops.joining import stack as stack
from graphwright.ops.joining import unstack as unstack
from graphwright.ops.linalg import adjoint as adjoint
from graphwright.ops.linalg import det as det
from graphwright.ops.linalg import inv as inv
from graphwright.ops.linalg import lstsq as lstsq
from graphwright.ops.linalg import matrix_transpose as matrix_transpose
from graphwright.ops.linalg import slogdet as slogdet
from graphwright.ops.linalg import solve as solve
from graphwright.ops.linalg import triangular_solve as triangular_solve
from graphwright.ops.loss import l2_loss as l2_loss
from graphwright.ops.loss import log_poisson_loss as log_poisson_loss
from graphwright.ops.loss import sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits
from graphwright.ops.loss import weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits
from graphwright.ops.matrices import band_part as band_part
from graphwright.ops.matrices import diag as diag
from graphwright.ops.matrices import diag_part as diag_part
from graphwright.ops.matrices import eye as eye
from graphwright.ops.matrices import set_diag as set_diag
from graphwright.ops.matrices import tensor_diag as tensor_diag
from graphwright.ops.matrices import tensor_diag_part as tensor_diag_part
from graphwright.ops.matrix_function import expm as expm
from graphwright.ops.matrix_function import logm as logm
from graphwright.ops.matrix_function import sqrtm as sqrtm
from graphwright.ops.moments import moments as moments
from graphwright.ops.moments import normalize_moments as normalize_moments
from graphwright.ops.moments import sufficient_statistics as sufficient_statistics
from graphwright.ops.moments import weighted_moments as weighted_moments
from graphwright.ops.movement import broadcast_to as broadcast_to
from graphwright.ops.movement import ensure_shape as ensure_shape
from graphwright.ops.movement import expand_dims as expand_dims
from graphwright.ops.movement import identity as identity
from graphwright.ops.movement import identity_n as identity_n
from graphwright.ops.movement import reshape as reshape
from graphwright.ops.movement import squeeze as squeeze
from graphwright.ops.movement import stop_gradient as stop_gradient
from graphwright.ops.movement import transpose as transpose
from graphwright.ops.normalization import batch_norm_with_global_normalization as batch_norm_with_global_normalization
from graphwright.ops.normalization import batch_normalization as batch_normalization
from graphwright.ops.normalization import l2_normalize as l2_normalize
from graphwright.ops.normalization import local_response_normalization as local_response_normalization
from graphwright.ops.padding import pad as pad
from graphwright.ops.partition import dynamic_partition as dynamic_partition
from graphwright.ops.partition import dynamic_stitch as dynamic_stitch
from graphwright.ops.reduction import count_nonzero as count_nonzero
from graphwright.ops.reduction import reduce as reduce
from graphwright.ops.reduction import reduce_all as reduce_all
from graphwright.ops.reduction import reduce_any as reduce_any
from graphwright.ops.reduction import reduce_euclidean_norm as reduce_euclidean_norm
from graphwright.ops.reduction import reduce_logsumexp as reduce_logsumexp
from graphwright.ops.reduction import reduce_max as reduce_max
from graphwright.ops.reduction import reduce_mean as reduce_mean
from graphwright.ops.reduction import reduce_min as reduce_min
from graphwright.ops.reduction import reduce_prod as reduce_prod
from graphwright.ops.reduction import reduce_std as reduce_std
from graphwright.ops.reduction import reduce_sum as reduce_sum
from graphwright.ops.reduction import reduce_variance as reduce_variance
from graphwright.ops.repetition import repeat as repeat
from graphwright.ops.repetition import tile as tile
from graphwright.ops.reversal import reverse as reverse
from graphwright.ops.reversal import reverse_sequence as reverse_sequence
from graphwright.ops.reversal import roll as roll
from graphwright.ops.rounding import approximate_equal as approximate_equal
from graphwright.ops.rounding import ceil as ceil
from graphwright.ops.rounding import floor as floor
from graphwright.ops.rounding import is_finite as is_finite
from graphwright.ops.rounding import is_inf as is_inf
from graphwright.ops.rounding import is_nan as is_nan
from graphwright.ops.rounding import nextafter as nextafter
from graphwright.ops.rounding import rint as rint
from graphwright.ops.rounding import round as round
from graphwright.ops.scan import cumprod as cumprod
from graphwright.ops.scan import cumsum as cumsum
from graphwright.ops.scan import cumulative_logsumexp as cumulative_logsumexp
from graphwright.ops.sequences import linspace as linspace
from graphwright.ops.sequences import range as range
from graphwright.ops.shape import broadcast_dynamic_shape as broadcast_dynamic_shape
from graphwright.ops.shape import broadcast_static_shape as broadcast_static_shape
from graphwright.ops.shape import rank as rank
from graphwright.ops.shape import shape as shape
from graphwright.ops.shape import shape_n as shape_n
from graphwright.ops.shape import size as size
from graphwright.ops.slicing import slice as slice
from graphwright.ops.slicing import strided_slice as strided_slice
from graphwright.ops.softmax import along as along
from graphwright.ops.softmax import log_softmax as log_softmax
from graphwright.ops.softmax import softmax as softmax
from graphwright.ops.softmax import softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits
from graphwright.ops.softmax import sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits
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
from graphwright.types.dtypes import DType as DType
from graphwright.types.dtypes import DType as _DType
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
bfloat16: _DType
bool: _DType
complex128: _DType
complex64: _DType
double: _DType
float16: _DType
float32: _DType
float64: _DType
half: _DType
int16: _DType
int32: _DType
int64: _DType
int8: _DType
newaxis: None
qint16: _DType
qint32: _DType
qint8: _DType
quint16: _DType
quint8: _DType
resource: _DType
string: _DType
uint16: _DType
uint32: _DType
uint64: _DType
uint8: _DType
variant: _DType
