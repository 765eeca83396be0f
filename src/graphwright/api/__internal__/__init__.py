"""`tf.__internal__`: functions for libraries such as Keras, not for programs."""

from graphwright.api.__internal__ import autograph, distribute, smart_cond, tracking, types
from graphwright.ir.graph import Graph as FuncGraph
from graphwright.types.composite import Composite as CompositeTensor
from graphwright.values.tensor import EagerTensor

__all__ = [
    "CompositeTensor",
    "EagerTensor",
    "FuncGraph",
    "autograph",
    "distribute",
    "smart_cond",
    "tracking",
    "types",
]
