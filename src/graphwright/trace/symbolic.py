"""The tensors that a traced function computes with: values of the graph that is being built."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Collection
from typing import Any, NoReturn

import numpy as np

from graphwright.base.errors import (
    InaccessibleTensorError,
    Location,
    user_location,
)
from graphwright.ir.default_session import session_for
from graphwright.ir.graph import Graph, Node, Value
from graphwright.ir.known import known
from graphwright.ir.operation import Operation
from graphwright.op.refusal import boundary, complete
from graphwright.ops.core.creation import Placeholder
from graphwright.ops.core.joining import Pack
from graphwright.trace.missing_values import (
    no_array,
    no_items,
    no_length,
    no_membership,
    no_number,
    no_reading,
    no_truth,
)
from graphwright.trace.numpy_protocol import stage_function, stage_ufunc
from graphwright.types.arguments import DTypeLike, ShapeLike
from graphwright.types.dtypes import DType
from graphwright.types.shape import TensorShape
from graphwright.types.tensor_type import TensorType, merge_dims
from graphwright.values.array_methods import MissingAttribute
from graphwright.values.tensor import Tensor

_GUIDE = (
    "https://www.tensorflow.org/guide/function#all_outputs_of_a_tffunction_must_be_return_values"
)


class SymbolicTensor(Tensor):
    """A tensor without a value: an output of a node in a graph."""

    __slots__ = ("_graph", "_value")

    def __init__(self, value: Value, graph: Graph) -> None:
        self._value = value
        self._graph = graph

    def __hash__(self) -> int:
        if self._graph.is_plain:  # no function's, as `feed_dict` of a session has them
            return hash(self._value)
        return super().__hash__()

    @property
    def type(self) -> TensorType:
        """The dtype and what is known of the shape."""
        return self._value.type

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._value.type.dtype

    @property
    def known(self) -> Any:
        """What is known of the value: see `ir.known`. The graph notes that it was asked for."""
        result = known(self._value)
        if result is not None:
            self._graph.queries.add(self._value)
        return result

    @property
    def parts(self) -> tuple[SymbolicTensor, ...] | None:
        """The tensors that a vector was packed of; None for a value that was made otherwise."""
        node = self._value.node
        if not isinstance(node.op, Pack):
            return None
        return tuple([SymbolicTensor(value, self._graph) for value in node.inputs])

    @property
    def key(self) -> Any:
        """The value in the graph: several tensors may stand for one."""
        return self._value

    @property
    def variable(self) -> Any:
        """The variable whose handle this is, or None."""
        return self._graph.handles.get(self._value)

    @property
    def graph(self) -> Graph:
        """The graph that the tensor belongs to."""
        return self._graph

    @property
    def op(self) -> Operation:
        """The operation that makes it."""
        return Operation(self._value.node, self._graph)

    def consumers(self) -> list[Operation]:
        """The operations that take it."""
        users = [node for node in self._graph.nodes if self._value in node.inputs]
        return [Operation(node, self._graph) for node in users]

    @property
    def name(self) -> str:
        """The name of the node and the number of its output, as `add:0`."""
        return self._value.name

    @property
    def device(self) -> str:
        """The name of the device that the program stated, or an empty string."""
        return self._graph.devices.get(self._value.node, "")

    @property
    def value_index(self) -> int:
        """Which output of its operation this is."""
        return self._value.index

    @boundary
    def set_shape(self, shape: ShapeLike) -> None:
        """Adds what is known of the shape; ValueError if it contradicts what was known."""
        value = self._value
        dims = TensorShape(shape)._dims
        try:
            value.type = value.type.with_dims(merge_dims(value.type.dims, dims))
        except ValueError:
            raise ValueError(
                f"Dimensions of {self.shape} and {TensorShape(shape)} are not compatible"
            ) from None

    def eval(self, feed_dict: object = None, session: object = None) -> Any:
        """Returns the value that a session computes.

        Args:
            feed_dict: A dict from tensors, or their names, to values.
            session: A `tf.compat.v1.Session`; None takes the default one.

        Returns:
            A NumPy array or scalar.

        Raises:
            ValueError: There is no session.
        """
        chosen = session_for(session, "evaluate tensor using `eval()`", "eval")
        return chosen.run(self, feed_dict)

    @property
    def _array(self) -> NoReturn:
        """An error: the eager interpreter, which takes arrays, gets no tensor of a graph."""
        raise leaked(self, None)

    def __bool__(self) -> bool:
        raise no_truth(self)

    def __iter__(self) -> NoReturn:
        raise no_items(self)

    def __contains__(self, item: object) -> bool:
        raise no_membership(self, item)

    def __len__(self) -> NoReturn:
        raise no_length(self)

    def __int__(self) -> NoReturn:
        raise no_number(self, "int")

    def __float__(self) -> NoReturn:
        raise no_number(self, "float")

    def __complex__(self) -> NoReturn:
        raise no_number(self, "complex")

    def __index__(self) -> NoReturn:
        raise no_number(self, "index")

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: object, **options: object
    ) -> Any:
        return stage_ufunc(ufunc, method, inputs, options)

    def __array_function__(
        self,
        function: Callable[..., object],
        types: Collection[object],
        args: tuple[object, ...],
        kwargs: dict[str, object],
    ) -> Any:
        return stage_function(function, args, kwargs)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NoReturn:
        raise no_array(self)

    def __copy__(self) -> SymbolicTensor:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> SymbolicTensor:
        return self

    def __repr__(self) -> str:
        return f"<tf.Tensor {self.name!r} shape={self.shape} dtype={self.dtype.name}>"

    def __str__(self) -> str:
        dims = self.type.dims
        shape = "" if dims is None else f" shape={self.shape},"
        return f'Tensor("{self.name}",{shape} dtype={self.dtype.name})'

    def __format__(self, spec: str) -> str:
        if spec:
            raise TypeError(
                f"unsupported format string passed to {type(self).__name__}.__format__: the tensor "
                "has no value while the function is traced. tf.strings.as_string(x, precision=2) "
                "gives its digits when the graph runs, and tf.print shows it."
            )
        return str(self)


for reader in ("numpy", "item", "tolist"):
    setattr(SymbolicTensor, reader, MissingAttribute(reader, no_reading))


def leaked(tensor: SymbolicTensor, into: Graph | None) -> Exception:
    """The error for a tensor used outside the graph that it was made in.

    It is a `TypeError` for one that left its function. It is an `InaccessibleTensorError` for one
    that left a branch or the body of a loop, while the function is still being traced.
    """
    message = (
        f"{tensor!r} is out of scope and cannot be used here. Use return values, explicit Python "
        f"locals or TensorFlow collections to access it.\nPlease see {_GUIDE} for more "
        f"information.\n\n{tensor!r} was defined here:\n{source_of(tensor._value.node)}\n"
        f"The tensor {tensor!r} cannot be accessed from "
        f"{'here' if into is None or not into.is_body else repr(into)}, because it was defined in "
        f"{tensor.graph!r}, which is out of scope."
    )
    if tensor.graph.reason:
        message = tensor.graph.reason
    elif tensor.graph.is_body:
        message += (
            f"\nThe body of a loop and a branch are traced once. To keep what each turn gives: "
            f"`array = tf.TensorArray(tf.{tensor.dtype.name}, size=0, dynamic_size=True)` before, "
            "`array = array.write(array.size(), value)` inside, and `array.stack()` after it. "
            "Python's lists may grow in a loop if they have items before it (those of attributes "
            "and dicts: tensors of the graph), empty ones of variables with "
            "`tf.function(experimental_autograph_options=tf.autograph.experimental.Feature.LISTS)`."
        )
    location = user_location(2)
    if location is not None:
        message += f"\n{source_entry(location)}"
    error: Any = (InaccessibleTensorError if tensor.graph.is_body else TypeError)(message)
    error.tensor = tensor  # explanations look for the place where it was stored
    return complete(error)


def source_of(node: Node) -> str:
    """Where a node was made, as an entry of a traceback."""
    if node.location is not None:
        return source_entry(node.location)
    return "    as an argument\n" if isinstance(node.op, Placeholder) else "    (unknown)\n"


def source_entry(location: Location) -> str:
    """An entry of a traceback for a line of the program."""
    line = linecache.getline(location.filename, location.lineno).strip()
    return f"    {location}\n      {line}\n"


def is_symbolic_tensor(tensor: object) -> bool:
    """Returns whether a value is a tensor of a graph that is being traced, and not an eager one.

    Args:
        tensor: Any value.

    Returns:
        A bool.

    >>> import graphwright as tf
    >>> tf.is_symbolic_tensor(tf.constant(1))
    False
    """
    return isinstance(tensor, SymbolicTensor)
