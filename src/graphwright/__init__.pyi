# Written by tools/write_stub.py.
from graphwright.api import __internal__ as __internal__
from graphwright.api import audio as audio
from graphwright.api import autodiff as autodiff
from graphwright.api import autograph as autograph
from graphwright.api import bitwise as bitwise
from graphwright.api import compat as compat
from graphwright.api import config as config
from graphwright.api import data as data
from graphwright.api import debugging as debugging
from graphwright.api import distribute as distribute
from graphwright.api import dtypes as dtypes
from graphwright.api import errors as errors
from graphwright.api import experimental as experimental
from graphwright.api import explain as explain
from graphwright.api import graph_util as graph_util
from graphwright.api import image as image
from graphwright.api import io as io
from graphwright.api import linalg as linalg
from graphwright.api import lookup as lookup
from graphwright.api import math as math
from graphwright.api import nest as nest
from graphwright.api import nn as nn
from graphwright.api import onnx as onnx
from graphwright.api import optimizers as optimizers
from graphwright.api import profiler as profiler
from graphwright.api import quantization as quantization
from graphwright.api import ragged as ragged
from graphwright.api import random as random
from graphwright.api import raw_ops as raw_ops
from graphwright.api import saved_model as saved_model
from graphwright.api import sets as sets
from graphwright.api import signal as signal
from graphwright.api import sparse as sparse
from graphwright.api import stablehlo as stablehlo
from graphwright.api import strings as strings
from graphwright.api import summary as summary
from graphwright.api import sysconfig as sysconfig
from graphwright.api import test as test
from graphwright.api import train as train
from graphwright.api import types as types
from graphwright.api import version as version
from graphwright.autodiff.custom import custom_gradient as custom_gradient
from graphwright.autodiff.custom import grad_pass_through as grad_pass_through
from graphwright.autodiff.custom import recompute_grad as recompute_grad
from graphwright.autodiff.tape import AggregationMethod as AggregationMethod
from graphwright.autodiff.tape import GradientTape as GradientTape
from graphwright.autodiff.tape import UnconnectedGradients as UnconnectedGradients
from graphwright.base.logs import get_logger as get_logger
from graphwright.control.assertions import assert_equal as assert_equal
from graphwright.control.assertions import assert_greater as assert_greater
from graphwright.control.assertions import assert_less as assert_less
from graphwright.control.assertions import assert_rank as assert_rank
from graphwright.control.assertions import assert_true as Assert
from graphwright.control.branch import case as case
from graphwright.control.branch import cond as cond
from graphwright.control.branch import switch_case as switch_case
from graphwright.control.dependencies import control_dependencies as control_dependencies
from graphwright.control.dependencies import group as group
from graphwright.control.dependencies import no_op as no_op
from graphwright.control.dependencies import tuple as tuple
from graphwright.control.jacobian import gradients as gradients
from graphwright.control.jacobian import hessians as hessians
from graphwright.control.loop import while_loop as while_loop
from graphwright.control.map import foldl as foldl
from graphwright.control.map import foldr as foldr
from graphwright.control.map import map_fn as map_fn
from graphwright.control.map import scan as scan
from graphwright.control.python_call import numpy_function as numpy_function
from graphwright.control.python_call import py_function as py_function
from graphwright.control.tensor_array import TensorArray as TensorArray
from graphwright.control.tensor_array import TensorArraySpec as TensorArraySpec
from graphwright.control.vectorize import vectorized_map as vectorized_map
from graphwright.data.optional import OptionalSpec as OptionalSpec
from graphwright.function.polymorphic import function as function
from graphwright.ir.graph import Graph as Graph
from graphwright.ir.operation import Operation as Operation
from graphwright.library.dispatch.gradient_registry import RegisterGradient as RegisterGradient
from graphwright.library.dispatch.gradient_registry import no_gradient as no_gradient
from graphwright.library.io.interchange import make_ndarray as make_ndarray
from graphwright.library.io.interchange import make_tensor_proto as make_tensor_proto
from graphwright.library.objects.critical_section import CriticalSection as CriticalSection
from graphwright.library.objects.module import Module as Module
from graphwright.library.optimizers.initializers import Constant as constant_initializer
from graphwright.library.optimizers.initializers import Ones as ones_initializer
from graphwright.library.optimizers.initializers import RandomNormal as random_normal_initializer
from graphwright.library.optimizers.initializers import RandomUniform as random_uniform_initializer
from graphwright.library.optimizers.initializers import Zeros as zeros_initializer
from graphwright.library.presence.tensorflow_finder import install_as_tensorflow as install_as_tensorflow
from graphwright.ops.core.casting import bitcast as bitcast
from graphwright.ops.core.casting import cast as cast
from graphwright.ops.core.creation import fill as fill
from graphwright.ops.core.creation import ones as ones
from graphwright.ops.core.creation import ones_like as ones_like
from graphwright.ops.core.creation import zeros as zeros
from graphwright.ops.core.creation import zeros_like as zeros_like
from graphwright.ops.core.effect_ops import timestamp as timestamp
from graphwright.ops.core.gathering import gather as gather
from graphwright.ops.core.gathering import gather_nd as gather_nd
from graphwright.ops.core.gathering import scatter_nd as scatter_nd
from graphwright.ops.core.grids import meshgrid as meshgrid
from graphwright.ops.core.grids import unravel_index as unravel_index
from graphwright.ops.core.identity import ensure_shape as ensure_shape
from graphwright.ops.core.identity import guarantee_const as guarantee_const
from graphwright.ops.core.identity import identity as identity
from graphwright.ops.core.identity import identity_n as identity_n
from graphwright.ops.core.identity import stop_gradient as stop_gradient
from graphwright.ops.core.indexing import boolean_mask as boolean_mask
from graphwright.ops.core.indexing import where as where
from graphwright.ops.core.indicators import one_hot as one_hot
from graphwright.ops.core.indicators import sequence_mask as sequence_mask
from graphwright.ops.core.joining import concat as concat
from graphwright.ops.core.joining import parallel_stack as parallel_stack
from graphwright.ops.core.joining import split as split
from graphwright.ops.core.joining import stack as stack
from graphwright.ops.core.joining import unstack as unstack
from graphwright.ops.core.movement import broadcast_to as broadcast_to
from graphwright.ops.core.movement import expand_dims as expand_dims
from graphwright.ops.core.movement import reshape as reshape
from graphwright.ops.core.movement import squeeze as squeeze
from graphwright.ops.core.movement import transpose as transpose
from graphwright.ops.core.padding import pad as pad
from graphwright.ops.core.partition import dynamic_partition as dynamic_partition
from graphwright.ops.core.partition import dynamic_stitch as dynamic_stitch
from graphwright.ops.core.repetition import repeat as repeat
from graphwright.ops.core.repetition import tile as tile
from graphwright.ops.core.reversal import reverse as reverse
from graphwright.ops.core.reversal import reverse_sequence as reverse_sequence
from graphwright.ops.core.reversal import roll as roll
from graphwright.ops.core.scattering import tensor_scatter_nd_add as tensor_scatter_nd_add
from graphwright.ops.core.scattering import tensor_scatter_nd_max as tensor_scatter_nd_max
from graphwright.ops.core.scattering import tensor_scatter_nd_min as tensor_scatter_nd_min
from graphwright.ops.core.scattering import tensor_scatter_nd_sub as tensor_scatter_nd_sub
from graphwright.ops.core.scattering import tensor_scatter_nd_update as tensor_scatter_nd_update
from graphwright.ops.core.sequences import linspace as linspace
from graphwright.ops.core.sequences import range as range
from graphwright.ops.core.shapes import broadcast_dynamic_shape as broadcast_dynamic_shape
from graphwright.ops.core.shapes import broadcast_static_shape as broadcast_static_shape
from graphwright.ops.core.shapes import rank as rank
from graphwright.ops.core.shapes import shape as shape
from graphwright.ops.core.shapes import shape_n as shape_n
from graphwright.ops.core.shapes import size as size
from graphwright.ops.core.slicing import slice as slice
from graphwright.ops.core.slicing import strided_slice as strided_slice
from graphwright.ops.core.sorting import argmax as argmax
from graphwright.ops.core.sorting import argmin as argmin
from graphwright.ops.core.sorting import argsort as argsort
from graphwright.ops.core.sorting import searchsorted as searchsorted
from graphwright.ops.core.sorting import sort as sort
from graphwright.ops.core.space_blocks import batch_to_space as batch_to_space
from graphwright.ops.core.space_blocks import required_space_to_batch_paddings as required_space_to_batch_paddings
from graphwright.ops.core.space_blocks import space_to_batch_nd as space_to_batch
from graphwright.ops.core.space_blocks import space_to_batch_nd as space_to_batch_nd
from graphwright.ops.core.static import get_static_value as get_static_value
from graphwright.ops.core.unique import unique as unique
from graphwright.ops.core.unique import unique_with_counts as unique_with_counts
from graphwright.ops.image.patches import extract_volume_patches as extract_volume_patches
from graphwright.ops.linalg.contraction import matmul as matmul
from graphwright.ops.linalg.contraction import tensordot as tensordot
from graphwright.ops.linalg.decomposition import eig as eig
from graphwright.ops.linalg.decomposition import eigvals as eigvals
from graphwright.ops.linalg.einsum import einsum as einsum
from graphwright.ops.linalg.matrices import eye as eye
from graphwright.ops.linalg.matrix_functions import sqrtm as matrix_square_root
from graphwright.ops.linalg.norms import norm as norm
from graphwright.ops.math.arithmetic import add as add
from graphwright.ops.math.arithmetic import divide as divide
from graphwright.ops.math.arithmetic import maximum as maximum
from graphwright.ops.math.arithmetic import minimum as minimum
from graphwright.ops.math.arithmetic import multiply as multiply
from graphwright.ops.math.arithmetic import negative as negative
from graphwright.ops.math.arithmetic import realdiv as realdiv
from graphwright.ops.math.arithmetic import scalar_mul as scalar_mul
from graphwright.ops.math.arithmetic import subtract as subtract
from graphwright.ops.math.arithmetic import truediv as truediv
from graphwright.ops.math.arithmetic import truncatediv as truncatediv
from graphwright.ops.math.arithmetic import truncatemod as truncatemod
from graphwright.ops.math.clipping import clip_by_global_norm as clip_by_global_norm
from graphwright.ops.math.clipping import clip_by_norm as clip_by_norm
from graphwright.ops.math.clipping import clip_by_value as clip_by_value
from graphwright.ops.math.clipping import saturate_cast as saturate_cast
from graphwright.ops.math.comparison import equal as equal
from graphwright.ops.math.comparison import greater as greater
from graphwright.ops.math.comparison import greater_equal as greater_equal
from graphwright.ops.math.comparison import less as less
from graphwright.ops.math.comparison import less_equal as less_equal
from graphwright.ops.math.comparison import logical_and as logical_and
from graphwright.ops.math.comparison import logical_not as logical_not
from graphwright.ops.math.comparison import logical_or as logical_or
from graphwright.ops.math.comparison import not_equal as not_equal
from graphwright.ops.math.complex_parts import complex as complex
from graphwright.ops.math.counting import histogram_fixed_width as histogram_fixed_width
from graphwright.ops.math.counting import histogram_fixed_width_bins as histogram_fixed_width_bins
from graphwright.ops.math.cumulation import cumsum as cumsum
from graphwright.ops.math.logistic import sigmoid as sigmoid
from graphwright.ops.math.magnitude import abs as abs
from graphwright.ops.math.magnitude import sign as sign
from graphwright.ops.math.reduction import reduce_all as reduce_all
from graphwright.ops.math.reduction import reduce_any as reduce_any
from graphwright.ops.math.reduction import reduce_logsumexp as reduce_logsumexp
from graphwright.ops.math.reduction import reduce_max as reduce_max
from graphwright.ops.math.reduction import reduce_mean as reduce_mean
from graphwright.ops.math.reduction import reduce_min as reduce_min
from graphwright.ops.math.reduction import reduce_prod as reduce_prod
from graphwright.ops.math.reduction import reduce_sum as reduce_sum
from graphwright.ops.math.rounding import floor as floor
from graphwright.ops.math.rounding import round as round
from graphwright.ops.math.sums import add_n as add_n
from graphwright.ops.math.transcendental import exp as exp
from graphwright.ops.math.transcendental import pow as pow
from graphwright.ops.math.transcendental import sqrt as sqrt
from graphwright.ops.math.transcendental import square as square
from graphwright.ops.math.trigonometric import acos as acos
from graphwright.ops.math.trigonometric import acosh as acosh
from graphwright.ops.math.trigonometric import asin as asin
from graphwright.ops.math.trigonometric import asinh as asinh
from graphwright.ops.math.trigonometric import atan as atan
from graphwright.ops.math.trigonometric import atan2 as atan2
from graphwright.ops.math.trigonometric import atanh as atanh
from graphwright.ops.math.trigonometric import cos as cos
from graphwright.ops.math.trigonometric import cosh as cosh
from graphwright.ops.math.trigonometric import sin as sin
from graphwright.ops.math.trigonometric import sinh as sinh
from graphwright.ops.math.trigonometric import tan as tan
from graphwright.ops.math.trigonometric import tanh as tanh
from graphwright.ops.random.index_shuffle import random_index_shuffle as random_index_shuffle
from graphwright.ops.sparse.ragged_rows import ragged_fill_empty_rows as ragged_fill_empty_rows
from graphwright.ops.sparse.ragged_rows import ragged_fill_empty_rows_grad as ragged_fill_empty_rows_grad
from graphwright.ops.strings.encoding import as_string as as_string
from graphwright.ops.strings.encoding import fingerprint as fingerprint
from graphwright.ops.strings.printing import print as print
from graphwright.portable.graphs.graph_import import import_graph_def as import_graph_def
from graphwright.portable.native_library.library import compile_library as compile_library
from graphwright.ragged.ragged_tensor import RaggedTensor as RaggedTensor
from graphwright.ragged.spec import RaggedTensorSpec as RaggedTensorSpec
from graphwright.trace.argument_types import is_tensor as is_tensor
from graphwright.trace.device_scopes import device as device
from graphwright.trace.scopes import executing_eagerly as executing_eagerly
from graphwright.trace.scopes import get_current_name_scope as get_current_name_scope
from graphwright.trace.scopes import init_scope as init_scope
from graphwright.trace.scopes import inside_function as inside_function
from graphwright.trace.scopes import name_scope as name_scope
from graphwright.trace.symbolic import is_symbolic_tensor as is_symbolic_tensor
from graphwright.types.device_spec import DeviceSpec as DeviceSpec
from graphwright.types.dtypes import DType as DType
from graphwright.types.dtypes import DType as _DType
from graphwright.types.dtypes import as_dtype as as_dtype
from graphwright.types.shape import TensorShape as TensorShape
from graphwright.types.specs import NoneTensorSpec as NoneTensorSpec
from graphwright.types.specs import TensorSpec as TensorSpec
from graphwright.types.specs import type_spec_from_value as type_spec_from_value
from graphwright.types.type_spec import TypeSpec as TypeSpec
from graphwright.values.convert import constant as constant
from graphwright.values.convert import convert_to_tensor as convert_to_tensor
from graphwright.values.convert import register_tensor_conversion_function as register_tensor_conversion_function
from graphwright.values.indexed_slices import IndexedSlices as IndexedSlices
from graphwright.values.indexed_slices import IndexedSlicesSpec as IndexedSlicesSpec
from graphwright.values.sparse.sparse_distance import edit_distance as edit_distance
from graphwright.values.sparse.sparse_tensor import SparseTensor as SparseTensor
from graphwright.values.sparse.sparse_tensor import SparseTensorSpec as SparseTensorSpec
from graphwright.values.tensor import Tensor as Tensor
from graphwright.values.variable import Variable as Variable
from graphwright.values.variable import VariableAggregation as VariableAggregation
from graphwright.values.variable import VariableSynchronization as VariableSynchronization
from graphwright.values.variable import variable_creator_scope as variable_creator_scope
from types import ModuleType as _ModuleType

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
keras: _ModuleType
