"""`tf.types.experimental`: the protocols of types that take part in tracing."""

from graphwright.api.types.experimental import distributed
from graphwright.function.concrete import AtomicFunction, ConcreteFunction
from graphwright.function.polymorphic import PolymorphicFunction
from graphwright.function.polymorphic import PolymorphicFunction as GenericFunction
from graphwright.trace.argument_types import TypeContext as TracingContext
from graphwright.trace.signature import FunctionType
from graphwright.types.trace_type import Callable, SupportsTracingProtocol, TraceType
from graphwright.values.convert import TENSOR_LIKE as TensorLike

__all__ = [
    "AtomicFunction",
    "Callable",
    "ConcreteFunction",
    "FunctionType",
    "GenericFunction",
    "PolymorphicFunction",
    "SupportsTracingProtocol",
    "TensorLike",
    "TraceType",
    "TracingContext",
    "distributed",
]
