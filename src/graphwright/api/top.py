"""The names of the package itself, `tf.NAME`, gathered from the areas that define them."""

from __future__ import annotations

from graphwright import errors
from graphwright.autodiff.tape import GradientTape, UnconnectedGradients
from graphwright.function.polymorphic import function
from graphwright.ir.graph import Graph
from graphwright.ops import arithmetic, comparison, conversion, creation, joining, movement, reduction, shape
from graphwright.ops import contraction, transcendental, trigonometric
from graphwright.types import dtypes
from graphwright.types.shape import TensorShape
from graphwright.types.specs import TensorSpec
from graphwright.types.type_spec import TypeSpec
from graphwright.values.convert import constant, convert_to_tensor
from graphwright.values.indexed_slices import IndexedSlices
from graphwright.values.tensor import Tensor
from graphwright.values.variable import Variable, VariableAggregation, VariableSynchronization

_AREAS = (
    arithmetic, comparison, conversion, creation, joining, movement, reduction, shape, contraction,
    transcendental, trigonometric,
)
_NAMES = """
add subtract multiply maximum minimum less less_equal greater greater_equal equal not_equal
logical_and logical_or logical_not add_n negative truediv cast fill zeros ones stack unstack
concat split identity reshape expand_dims squeeze transpose broadcast_to reduce_sum reduce_max
size rank matmul sin cos tanh abs sqrt square exp pow
"""
for _name in _NAMES.split():
    for _area in _AREAS:
        if hasattr(_area, _name) and not isinstance(getattr(_area, _name), type(errors)):
            globals()[_name] = getattr(_area, _name)
for _name in vars(dtypes):
    if isinstance(getattr(dtypes, _name), dtypes.DType):
        globals()[_name] = getattr(dtypes, _name)
globals()["bool"] = dtypes.bool_
globals()["shape"] = shape.shape
as_dtype, DType = dtypes.as_dtype, dtypes.DType

__all__ = [n for n in globals() if not n.startswith("_") and n not in ("annotations", "dtypes")]  # noqa: PLE0605
