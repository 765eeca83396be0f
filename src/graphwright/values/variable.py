"""Variables: tensors whose value an assignment changes.

A variable owns a `Storage`. Graphs capture its handle, an eager tensor of dtype resource, so every
trace and every eager use sees the same cell.
"""

from __future__ import annotations

import builtins
import functools
import inspect
import itertools
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol  # `type` is a property of variables

import numpy as np
from numpy.typing import NDArray

from graphwright.base.errors import outermost
from graphwright.op.interpreter import STATE, Interpreter, apply
from graphwright.op.late_imports import late_module
from graphwright.ops.core.identity import IDENTITY
from graphwright.ops.core.indexing import is_mask, strided
from graphwright.ops.core.joining import stack
from graphwright.ops.state import variable_ops, variable_slices
from graphwright.ops.state.variable_ops import HANDLE, Storage
from graphwright.ops.state.variable_slices import ResourceStridedSliceAssign, gather_slices
from graphwright.types.arguments import DTypeLike, ShapeLike, TensorLike, TensorValue
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.shape import TensorShape
from graphwright.types.tensor_type import TensorType, is_compatible
from graphwright.values.convert import convert, register_conversion
from graphwright.values.in_place_statements import NotInPlace
from graphwright.values.indexed_slices import IndexedSlices
from graphwright.values.logical_devices import DEFAULT, LogicalDevices
from graphwright.values.slice_info import SaveSliceInfo as SliceInfo
from graphwright.values.tensor import (
    Dense,
    EagerTensor,
    Reference,
    Tensor,
    TypedOperators,
    box,
)
from graphwright.values.trackable import Trackable


class VariableSynchronization(Enum):
    """When copies of a distributed variable are brought together.

    >>> import graphwright as tf
    >>> v = tf.Variable(0, synchronization=tf.VariableSynchronization.ON_READ)
    >>> v.synchronization.name
    'ON_READ'
    """

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(Enum):
    """How copies of a distributed variable are combined.

    >>> import graphwright as tf
    >>> v = tf.Variable(0, aggregation=tf.VariableAggregation.SUM)
    >>> v.aggregation.name
    'SUM'
    """

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


#: What tells variables of one name apart in `_unique_id`.
_NUMBERS = itertools.count()


class NamePrefix:
    """What the names of variables begin with; `hooks` provides it."""

    prefix: Callable[[], str] = staticmethod(lambda: "")


class Restoring(Protocol):
    """A restored checkpoint, which may have a value for a variable that is not made yet."""

    def match(self, variable: Variable | None = None) -> None:
        """Gives variables whose holders it knows their values; refuses where one does not fit. For
        the sake of one variable, misfits of others are left for later."""


#: Restored checkpoints with values that nobody has taken, the oldest first.
RESTORING: weakref.WeakKeyDictionary[Restoring, None] = weakref.WeakKeyDictionary()


def announce(variable: Variable) -> None:
    """Lets restored checkpoints give a new variable its value.

    Whether one has a value is not known before an object holds the variable, so the first read
    decides.
    """
    if not RESTORING:
        return
    storage, initial = variable._storage, variable._storage.read()

    def decided() -> Any:
        owner = storage.owner() if storage.owner is not None else None
        for restoring in [] if owner is None else reversed(list(RESTORING)):
            if storage.late is not None:
                restoring.match(owner)
        return initial

    storage.array, storage.late = None, decided


#: The functions that make variables, innermost last: `variable_creator_scope`.
CREATORS: ContextVar[tuple[Callable[..., Any], ...]] = ContextVar("CREATORS", default=())


@contextmanager
def variable_creator_scope(variable_creator: Callable[..., object]) -> Iterator[None]:
    """Opens a block in which `variable_creator(next_creator, **kwargs)` makes the variables.

    Args:
        variable_creator: A function that takes the arguments of `tf.Variable` by name, and
            returns a variable: as a rule what `next_creator` makes of them.

    Yields:
        None.

    >>> import graphwright as tf
    >>> def frozen(next_creator, **kwargs):
    ...     return next_creator(**(kwargs | {"trainable": False}))
    >>> with tf.variable_creator_scope(frozen):
    ...     v = tf.Variable(1.0)
    >>> v.trainable
    False
    """
    token = CREATORS.set((*CREATORS.get(), variable_creator))
    try:
        yield
    finally:
        CREATORS.reset(token)


class Creation(type):
    """The metaclass of variables: the functions of `variable_creator_scope` make them."""

    @property
    def __signature__(cls) -> inspect.Signature:
        _, *arguments = inspect.signature(cls.__init__).parameters.values()  # type: ignore[misc]
        return inspect.Signature(arguments)

    if not TYPE_CHECKING:  # for types, a call is that of `__init__`

        @outermost
        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            if not CREATORS.get() or cls is not Variable:
                return super().__call__(*args, **kwargs)
            bound = cls.__signature__.bind(*args, **kwargs)
            bound.apply_defaults()
            make = super().__call__
            for creator in CREATORS.get():
                make = functools.partial(creator, make)
            return make(**bound.arguments)


class Variable(NotInPlace, TypedOperators, Dense, Trackable, metaclass=Creation):
    """A mutable tensor of fixed dtype, and of fixed shape unless `shape` says otherwise.

    Ops read its value wherever they take a tensor. Tapes watch a trainable variable by themselves.

    Args:
        initial_value: A tensor, anything that converts to one, or a function of no arguments that
            returns one.
        trainable: A bool: whether tapes watch it and modules list it as trainable. None means True,
            or False where `synchronization` is `ON_READ`.
        validate_shape: A bool, which has no effect.
        caching_device: It has no effect: there is one device.
        name: A string; "Variable" by default.
        variable_def: It has no effect.
        dtype: The dtype of the value; None takes that of `initial_value`.
        import_scope: It has no effect.
        constraint: A function that takes the value and returns its projection, of the same shape
            and dtype. Optimizers apply it after each update.
        synchronization: A `tf.VariableSynchronization`.
        aggregation: A `tf.VariableAggregation`.
        shape: The shape that assignments keep to; None takes that of `initial_value`. With
            `tf.TensorShape(None)` assignments may change the shape.
        experimental_enable_variable_lifting: A bool, which has no effect.

    Raises:
        ValueError: There is no initial value, its shape does not fit `shape`, or `constraint`
            cannot be called.

    >>> import graphwright as tf
    >>> v = tf.Variable([1.0, 2.0])
    >>> v.assign_add([1.0, 1.0])
    <tf.Variable 'Variable:0' shape=(2,) dtype=float32, numpy=array([2., 3.], dtype=float32)>
    >>> (v * 2.0).numpy()
    array([4., 6.], dtype=float32)
    """

    #: The defaults for a stand-in for an argument, which has only a handle and a type.
    _trainable = True
    _constraint: Callable[[Any], Any] | None = None
    _synchronization = VariableSynchronization.AUTO
    _aggregation = VariableAggregation.NONE
    _save_slice_info: SliceInfo | None = None

    SaveSliceInfo = SliceInfo

    def __init__(
        self,
        initial_value: TensorLike | Callable[[], TensorLike] | None = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: object = None,
        name: str | None = None,
        variable_def: object = None,
        dtype: DTypeLike | None = None,
        import_scope: object = None,
        constraint: Callable[[TensorValue], TensorLike] | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: ShapeLike = None,
        experimental_enable_variable_lifting: bool = True,
    ) -> None:
        if initial_value is None:
            raise ValueError(
                "The `initial_value` arg to `tf.Variable` must be specified except when you are "
                "not providing a `variable_def`. You provided neither."
            )
        if constraint is not None and not callable(constraint):
            raise ValueError(f"Argument `constraint` must be None or a callable, got {constraint}.")
        wanted = None if dtype is None else as_dtype(dtype)
        creator = creator_of(STATE.active)
        value = initial_value() if callable(initial_value) else initial_value
        if creator is None:
            value = convert(value, wanted)
            array = value._array
        else:
            value = creator.initial_value(value, wanted)
            array = value._array if isinstance(value, EagerTensor) else None
        dims = value.type.dims if shape is None else TensorShape(shape)._dims
        if not is_compatible(value.type.dims, dims):
            raise ValueError(
                f"The initial value's shape ({value.shape}) is not compatible with the explicitly "
                f"supplied `shape` argument ({shape})."
            )
        LogicalDevices.in_use = True
        self._name = NamePrefix.prefix() + (name or "Variable")
        if trainable is None:
            trainable = synchronization is not VariableSynchronization.ON_READ
        self._trainable = bool(trainable)
        self._constraint = constraint
        self._synchronization = synchronization
        self._aggregation = aggregation
        self._storage = Storage(array, value.dtype, dims, self._name)
        self._storage.owner = weakref.ref(self)
        self._handle = box(self._storage, HANDLE)
        if STATE.active is not None:
            place(self)
        if array is not None:
            announce(self)
        if creator is not None:
            creator.created(self, value)

    # -- properties ---------------------------------------------------------------------

    @property
    def type(self) -> TensorType:
        """The type of the values that it may hold."""
        return self._storage.value_type

    @property
    def dtype(self) -> DType:
        """The dtype of the value."""
        return self._storage.value_dtype

    @property
    def shape(self) -> TensorShape:
        """The shape that assignments keep to."""
        return TensorShape.from_dims(self._storage.dims)

    def get_shape(self) -> TensorShape:
        """The shape, as `shape`."""
        return self.shape

    @property
    def ndim(self) -> int | None:
        """The number of dimensions."""
        return self.type.rank

    @property
    def name(self) -> str:
        """The name, ending in ':0'."""
        return f"{self._name}:0"

    @property
    def trainable(self) -> bool:
        """Whether gradient tapes watch it by themselves."""
        return self._trainable

    @property
    def constraint(self) -> Callable[[Any], Any] | None:
        """The projection that optimizers apply after an update, or None."""
        return self._constraint

    @property
    def synchronization(self) -> VariableSynchronization:
        """When copies are brought together."""
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        """How copies are combined."""
        return self._aggregation

    @property
    def handle(self) -> EagerTensor:
        """The resource that graphs capture."""
        return self._handle

    @functools.cached_property
    def _unique_id(self) -> str:
        """A name that no other variable of the process has, for libraries."""
        return f"{self._name}_{next(_NUMBERS)}"

    @property
    def _shared_name(self) -> str:
        """The name of the resource, for libraries."""
        return self._name

    def _serialize_to_tensors(self) -> dict[str, Any]:
        """Its value, for a library's object that is saved as a variable of its own."""
        return {"VARIABLE_VALUE": self.read_value()}

    def _restore_from_tensors(self, restored_tensors: Mapping[str, TensorLike]) -> None:
        """Takes the value of such an object."""
        self.assign(restored_tensors["VARIABLE_VALUE"])

    @property
    def device(self) -> str:
        """Where the variable lives."""
        return self._handle.device

    @property
    def op(self) -> Any:
        """The handle, in place of the operation that made it."""
        return self._handle

    @property
    def initializer(self) -> None:
        """None: a variable has its value as soon as it is made."""
        return None

    @property
    def _cells(self) -> list[Storage]:
        """Its storage: of a distributed variable, that of each copy."""
        return [self._storage]

    def is_initialized(self, name: str | None = None) -> Any:
        """Returns whether the variable has a value yet.

        Args:
            name: A name for the op.

        Returns:
            A scalar tensor of dtype bool.
        """
        return apply(variable_ops.VarIsInitializedOp.of(), self._handle, name=name)

    def ref(self) -> Reference:
        """Returns a hashable reference to this variable, for use as a key.

        >>> import graphwright as tf
        >>> v = tf.Variable(1.0)
        >>> {v.ref(): "rate"}[v.ref()]
        'rate'
        """
        return Reference(self)

    # -- reading ------------------------------------------------------------------------

    def read_value(self) -> Tensor:
        """The value now, as a tensor."""
        storage = self._storage
        result: Tensor = variable_ops.read_variable(self._handle, storage.value_dtype, storage.dims)
        return result

    def value(self) -> Tensor:
        """The value now, as a tensor."""
        return self.read_value()

    def numpy(self) -> NDArray[Any]:
        """The value as a new NumPy array or scalar."""
        value: NDArray[Any] = box(self._known_value()).numpy()
        return value

    def _known_value(self) -> Any:
        """The array of the value; NotImplementedError while a graph is built, which has none."""
        if STATE.active is not None and creator_of(STATE.active) is not None:
            raise NotImplementedError(
                "numpy() is only available when eager execution is enabled: use the variable "
                "itself, or `read_value()`, inside a `tf.function`."
            )
        return self._storage.read()

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """Returns the rows at `indices`, as `tf.gather` does.

        Args:
            indices: A tensor of int32 or int64, of any shape.
            name: A name for the op.

        Returns:
            A tensor of shape `indices.shape + shape[1:]`.

        >>> import graphwright as tf
        >>> tf.Variable([1.0, 2.0, 3.0]).sparse_read([2, 0]).numpy()
        array([3., 1.], dtype=float32)
        """
        storage = self._storage
        op = variable_ops.ResourceGather.of(storage.value_dtype, storage.dims)
        result: Tensor = apply(op, self._handle, convert(indices), name=name)
        return result

    # -- writing ------------------------------------------------------------------------

    def assign(
        self,
        value: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Variable:
        """Sets the value.

        Args:
            value: A tensor of the variable's dtype, of a shape that fits the variable's.
            use_locking: A bool, which has no effect.
            name: A name for the op.
            read_value: A bool: whether the variable is returned.

        Returns:
            The variable, or None with `read_value=False`.

        Raises:
            ValueError: The shape of `value` does not fit.

        >>> import graphwright as tf
        >>> v = tf.Variable([1, 2])
        >>> v.assign([3, 4]).numpy()
        array([3, 4], dtype=int32)
        """
        return self._write(variable_ops.AssignVariableOp, value, name, read_value)

    def load(self, value: TensorLike, session: object = None) -> None:
        """Sets the value.

        Args:
            value: A tensor of the variable's dtype, of a shape that fits the variable's.
            session: It has no effect.

        Raises:
            ValueError: The shape of `value` does not fit.

        >>> import graphwright as tf
        >>> v = tf.Variable(1.0)
        >>> v.load(3.0)
        >>> v.numpy()
        np.float32(3.0)
        """
        self.assign(value)

    def assign_add(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Variable:
        """Adds `delta` to the value.

        Args:
            delta: A tensor of the variable's dtype and shape.
            use_locking: A bool, which has no effect.
            name: A name for the op.
            read_value: A bool: whether the variable is returned.

        Returns:
            The variable, or None with `read_value=False`.

        >>> import graphwright as tf
        >>> tf.Variable([1, 2]).assign_add([10, 10]).numpy()
        array([11, 12], dtype=int32)
        """
        return self._write(variable_ops.AssignAddVariableOp, delta, name, read_value)

    def assign_sub(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Variable:
        """Subtracts `delta` from the value.

        Args:
            delta: A tensor of the variable's dtype and shape.
            use_locking: A bool, which has no effect.
            name: A name for the op.
            read_value: A bool: whether the variable is returned.

        Returns:
            The variable, or None with `read_value=False`.

        >>> import graphwright as tf
        >>> tf.Variable([10, 10]).assign_sub([1, 2]).numpy()
        array([9, 8], dtype=int32)
        """
        return self._write(variable_ops.AssignSubVariableOp, delta, name, read_value)

    def count_up_to(self, limit: int) -> Tensor:
        """Returns the value, and adds one to it, unless it has reached a limit.

        Args:
            limit: An int.

        Returns:
            A scalar tensor of the variable's dtype: the value before.

        Raises:
            OutOfRangeError: The value is `limit` or more. It stays as it is.
            InvalidArgumentError: The variable is no scalar of dtype int32 or int64.

        >>> import graphwright as tf
        >>> v = tf.Variable(0)
        >>> v.count_up_to(1).numpy(), v.numpy()
        (np.int32(0), np.int32(1))
        """
        counts: Any = late_module("graphwright.ops.state.variable_counts")  # few programs need it
        result: Tensor = counts.count_up_to(self._handle, limit, self._storage.value_type)
        return result

    def _set_save_slice_info(self, save_slice_info: SliceInfo | None) -> None:
        """Says which slice of a larger variable this one is."""
        self._save_slice_info = save_slice_info

    def _get_save_slice_info(self) -> SliceInfo | None:
        """Which slice of a larger variable this one is, or None."""
        return self._save_slice_info

    def _write(
        self,
        op: builtins.type[variable_ops.Assignment],
        value: TensorLike,
        name: str | None,
        read: bool,
    ) -> Variable:
        storage = self._storage
        tensor = convert(value, storage.value_dtype)
        assigns = op is variable_ops.AssignVariableOp
        if assigns:
            self._check_shape(tensor)
        apply(op.of(storage.value_dtype), self._handle, tensor, name=name)
        return self if read else None  # type: ignore[return-value]  # few ask for None

    def _check_shape(self, tensor: Tensor) -> None:
        """ValueError unless a tensor may be the variable's value."""
        if not is_compatible(tensor.type.dims, self._storage.dims):
            raise ValueError(
                f"Cannot assign value to variable '{self.name}': Shape mismatch. The variable "
                f"shape {self.shape}, and the assigned value shape {tensor.shape} are incompatible."
            )

    def _assign_slice(self, key: object, value: TensorLike, name: str | None = None) -> Variable:
        """Sets the part of the value that a key means; returns the variable."""
        op, *bounds = strided(ResourceStridedSliceAssign, key)
        value = convert(value, self._storage.value_dtype)
        apply(op, self._handle, *bounds, value, name=name)
        return self

    def _scatter(
        self,
        op: builtins.type[variable_ops.ResourceScatter],
        slices: IndexedSlices,
        name: str | None,
    ) -> Any:
        if not (hasattr(slices, "indices") and hasattr(slices, "values")):
            raise TypeError(
                f"Argument `sparse_delta` must be a `tf.IndexedSlices`, got {slices!r}."
            )
        dtype = self._storage.value_dtype
        indices, values = convert(slices.indices), convert(slices.values, dtype)
        apply(op.of(dtype), self._handle, indices, values, name=name)
        return self

    def scatter_add(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Adds slices to the rows that they name: slices of one row add up.

        Args:
            sparse_delta: A `tf.IndexedSlices`, of rows of the variable's dtype.
            use_locking: A bool, which has no effect.
            name: A name for the op.

        Returns:
            The variable.

        Raises:
            TypeError: `sparse_delta` is no `tf.IndexedSlices`.

        >>> import graphwright as tf
        >>> v = tf.Variable([1, 2, 3])
        >>> v.scatter_add(tf.IndexedSlices(tf.constant([10, 20, 30]), [0, 2, 2])).numpy()
        array([11,  2, 53], dtype=int32)
        """
        result: Variable = self._scatter(variable_ops.ResourceScatterAdd, sparse_delta, name)
        return result

    def scatter_sub(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Subtracts slices from the rows that they name: slices of one row add up.

        Args:
            sparse_delta: A `tf.IndexedSlices`, of rows of the variable's dtype.
            use_locking: A bool, which has no effect.
            name: A name for the op.

        Returns:
            The variable.

        Raises:
            TypeError: `sparse_delta` is no `tf.IndexedSlices`.
        """
        result: Variable = self._scatter(variable_ops.ResourceScatterSub, sparse_delta, name)
        return result

    def scatter_mul(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Multiplies the rows that slices name by them.

        Args:
            sparse_delta: A `tf.IndexedSlices`, of rows of the variable's dtype.
            use_locking: A bool, which has no effect.
            name: A name for the op.

        Returns:
            The variable.

        Raises:
            TypeError: `sparse_delta` is no `tf.IndexedSlices`.
        """
        result: Variable = self._scatter(variable_ops.ResourceScatterMul, sparse_delta, name)
        return result

    def scatter_div(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Divides the rows that slices name by them.

        Args:
            sparse_delta: A `tf.IndexedSlices`, of rows of the variable's dtype.
            use_locking: A bool, which has no effect.
            name: A name for the op.

        Returns:
            The variable.

        Raises:
            TypeError: `sparse_delta` is no `tf.IndexedSlices`.
        """
        result: Variable = self._scatter(variable_ops.ResourceScatterDiv, sparse_delta, name)
        return result

    def scatter_max(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Sets each row that slices name to the elementwise maximum of the row and the slice.

        Args:
            sparse_delta: A `tf.IndexedSlices`, of rows of the variable's dtype.
            use_locking: A bool, which has no effect.
            name: A name for the op.

        Returns:
            The variable.

        Raises:
            TypeError: `sparse_delta` is no `tf.IndexedSlices`.

        >>> import graphwright as tf
        >>> v = tf.Variable([1, 2, 3])
        >>> v.scatter_max(tf.IndexedSlices(tf.constant([5, 0]), [0, 2])).numpy()
        array([5, 2, 3], dtype=int32)
        """
        result: Variable = self._scatter(variable_ops.ResourceScatterMax, sparse_delta, name)
        return result

    def scatter_min(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Sets each row that slices name to the elementwise minimum of the row and the slice.

        Args:
            sparse_delta: A `tf.IndexedSlices`, of rows of the variable's dtype.
            use_locking: A bool, which has no effect.
            name: A name for the op.

        Returns:
            The variable.

        Raises:
            TypeError: `sparse_delta` is no `tf.IndexedSlices`.
        """
        result: Variable = self._scatter(variable_ops.ResourceScatterMin, sparse_delta, name)
        return result

    def scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Replaces the rows that slices name by them.

        Args:
            sparse_delta: A `tf.IndexedSlices`, of rows of the variable's dtype.
            use_locking: A bool, which has no effect.
            name: A name for the op.

        Returns:
            The variable.

        Raises:
            TypeError: `sparse_delta` is no `tf.IndexedSlices`.

        >>> import graphwright as tf
        >>> v = tf.Variable([1, 2, 3])
        >>> v.scatter_update(tf.IndexedSlices(tf.constant([30, 10]), [2, 0])).numpy()
        array([10,  2, 30], dtype=int32)
        """
        result: Variable = self._scatter(variable_ops.ResourceScatterUpdate, sparse_delta, name)
        return result

    def batch_scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Replaces, in each row of the first axes, the elements at that row's indices.

        Args:
            sparse_delta: A `tf.IndexedSlices` whose indices are of shape `[b..., n]`, and whose
                values are of shape `[b..., n, ...]`.
            use_locking: A bool, which has no effect.
            name: A name for the op.

        Returns:
            The variable.

        Raises:
            ValueError: A size of the indices is not known.

        >>> import graphwright as tf
        >>> v = tf.Variable([[1, 2], [3, 4]])
        >>> rows = tf.IndexedSlices(tf.constant([[20], [30]]), tf.constant([[1], [0]]))
        >>> v.batch_scatter_update(rows).numpy().tolist()
        [[1, 20], [30, 4]]
        """
        indices = convert(sparse_delta.indices)
        dims = indices.type.dims
        if dims is None or None in dims:
            raise ValueError(f"The indices of {name or 'batch_scatter_update'} need known sizes.")
        axes = np.indices(dims)[:-1]
        places = stack([*[convert(axis, indices.dtype) for axis in axes], indices], axis=-1)
        return self.scatter_nd_update(places, sparse_delta.values, name)

    def gather_nd(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """Returns the slices at index vectors, as `tf.gather_nd` does.

        Args:
            indices: A tensor of int32 or int64, whose last axis holds the index vectors.
            name: A name for the op.

        Returns:
            A tensor of shape `indices.shape[:-1] + shape[indices.shape[-1]:]`.

        >>> import graphwright as tf
        >>> tf.Variable([[1, 2], [3, 4]]).gather_nd([[0, 1], [1, 0]]).numpy()
        array([2, 3], dtype=int32)
        """
        storage, places = self._storage, convert(indices)
        result: Tensor = gather_slices(
            self._handle, places, storage.value_dtype, storage.dims, name
        )
        return result

    def scatter_nd_update(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Variable:
        """Replaces the slices at index vectors.

        Args:
            indices: A tensor of int32 or int64, whose last axis holds the index vectors.
            updates: A tensor of the variable's dtype, of shape `indices.shape[:-1] +
                shape[indices.shape[-1]:]`.
            name: A name for the op.

        Returns:
            The variable.

        >>> import graphwright as tf
        >>> v = tf.Variable([1, 2, 3, 4])
        >>> v.scatter_nd_update([[0], [3]], [10, 40]).numpy().tolist()
        [10, 2, 3, 40]
        """
        result: Variable = self._scatter_nd(
            variable_slices.ResourceScatterNdUpdate, indices, updates, name
        )
        return result

    def scatter_nd_add(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Variable:
        """Adds to the slices at index vectors: updates of one slice add up.

        Args:
            indices: A tensor of int32 or int64, whose last axis holds the index vectors.
            updates: A tensor of the variable's dtype, of shape `indices.shape[:-1] +
                shape[indices.shape[-1]:]`.
            name: A name for the op.

        Returns:
            The variable.

        >>> import graphwright as tf
        >>> tf.Variable([1, 2, 3]).scatter_nd_add([[0], [0]], [10, 20]).numpy()
        array([31,  2,  3], dtype=int32)
        """
        result: Variable = self._scatter_nd(
            variable_slices.ResourceScatterNdAdd, indices, updates, name
        )
        return result

    def scatter_nd_sub(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Variable:
        """Subtracts from the slices at index vectors: updates of one slice add up.

        Args:
            indices: A tensor of int32 or int64, whose last axis holds the index vectors.
            updates: A tensor of the variable's dtype, of shape `indices.shape[:-1] +
                shape[indices.shape[-1]:]`.
            name: A name for the op.

        Returns:
            The variable.
        """
        result: Variable = self._scatter_nd(
            variable_slices.ResourceScatterNdSub, indices, updates, name
        )
        return result

    def scatter_nd_max(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Variable:
        """Sets the slices at index vectors to the elementwise maximum of them and the updates.

        Args:
            indices: A tensor of int32 or int64, whose last axis holds the index vectors.
            updates: A tensor of the variable's dtype, of shape `indices.shape[:-1] +
                shape[indices.shape[-1]:]`.
            name: A name for the op.

        Returns:
            The variable.
        """
        result: Variable = self._scatter_nd(
            variable_slices.ResourceScatterNdMax, indices, updates, name
        )
        return result

    def scatter_nd_min(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Variable:
        """Sets the slices at index vectors to the elementwise minimum of them and the updates.

        Args:
            indices: A tensor of int32 or int64, whose last axis holds the index vectors.
            updates: A tensor of the variable's dtype, of shape `indices.shape[:-1] +
                shape[indices.shape[-1]:]`.
            name: A name for the op.

        Returns:
            The variable.
        """
        result: Variable = self._scatter_nd(
            variable_slices.ResourceScatterNdMin, indices, updates, name
        )
        return result

    def _scatter_nd(
        self,
        op: builtins.type[variable_slices.ResourceScatterNd],
        indices: TensorLike,
        updates: TensorLike,
        name: str | None,
    ) -> Any:
        values = convert(updates, self._storage.value_dtype)
        apply(op.of(), self._handle, convert(indices), values, name=name)
        return self

    # -- Python -------------------------------------------------------------------------

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any:
        return self.read_value().__array__(dtype, copy)

    def __bool__(self) -> bool:
        return bool(self.read_value())

    def __int__(self) -> int:
        return int(self.read_value())

    def __float__(self) -> float:
        return float(self.read_value())

    def __complex__(self) -> complex:
        return complex(self.read_value())

    def __index__(self) -> int:
        return int(self.read_value().__index__())

    _instead = "`v[i].assign(value)` assigns it."

    def __getitem__(self, key: object) -> Tensor:
        """A part of the value, whose `assign` sets that part: `v[0, 1:].assign(x)`."""
        part = self.read_value()[key]
        if not is_mask(key):
            part.assign = functools.partial(self._assign_slice, key)
        return part

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.read_value())

    def __contains__(self, item: object) -> bool:
        return item in self.read_value()  # type: ignore[operator]

    def __format__(self, spec: str) -> str:
        return format(self.read_value(), spec) if spec else str(self)

    def __hash__(self) -> int:
        raise TypeError("Variable is unhashable. Instead, use variable.ref() as the key.")

    def __copy__(self) -> Variable:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Variable:
        copy = Variable(box(np.array(self._known_value())), **self._options())
        memo[id(self)] = copy
        return copy

    def __reduce__(self) -> tuple[Any, ...]:
        return functools.partial(Variable, box(self._known_value()), **self._options()), ()

    def _options(self) -> dict[str, Any]:
        """What a copy is made with, beside the value."""
        return {
            "trainable": self._trainable,
            "name": self._name,
            "constraint": self._constraint,
            "synchronization": self._synchronization,
            "aggregation": self._aggregation,
            "shape": self.shape,
        }

    def __repr__(self) -> str:
        value = ""
        if creator_of(STATE.active) is None:
            if not self._storage.is_set:
                value = ", numpy=<unavailable>"
            else:
                from_repr = repr(box(self._storage.read()))
                value = ", " + from_repr[from_repr.index("numpy=") : -1]
        return f"<tf.Variable {self.name!r} shape={self.shape} dtype={self.dtype.name}{value}>"

    def __str__(self) -> str:
        return repr(self)


class PlacedVariable(Variable):
    """A variable on a device other than the default one: its value is read there."""

    def read_value(self) -> Any:
        """The value now, as a tensor on the device of the block."""
        return apply(IDENTITY, self.value())

    def value(self) -> Any:
        """The value now, as a tensor on the device of the variable."""
        return self._here(super().read_value())

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> Any:
        """Returns the rows at `indices`, on the device of the variable.

        Args:
            indices: A tensor of int32 or int64, of any shape.
            name: A name for the op.

        Returns:
            A tensor of shape `indices.shape + shape[1:]`.
        """
        return self._here(super().sparse_read(indices, name))

    def gather_nd(self, indices: TensorLike, name: str | None = None) -> Any:
        """Returns the slices at index vectors, on the device of the variable.

        Args:
            indices: A tensor of int32 or int64, whose last axis holds the index vectors.
            name: A name for the op.

        Returns:
            A tensor of shape `indices.shape[:-1] + shape[indices.shape[-1]:]`.
        """
        return self._here(super().gather_nd(indices, name))

    def _here(self, tensor: Any) -> Any:
        if type(tensor) is EagerTensor:
            tensor._device = self.device
        return tensor


def place(variable: Variable) -> None:
    """Puts a new variable on the device of the `tf.device` around it, if that is another one."""
    interpreter = STATE.active
    while interpreter is not None:
        if hasattr(interpreter, "place_variable"):
            device = interpreter.place_variable("VarHandleOp")
            if device != DEFAULT:
                variable._handle._device = device
                variable.__class__ = PlacedVariable
            return
        interpreter = interpreter.below


def creator_of(interpreter: Interpreter | None) -> Any:
    """The tracer, if one is active, that decides about variables created now."""
    while interpreter is not None:
        if hasattr(interpreter, "created"):
            return interpreter
        interpreter = interpreter.below
    return None


def read(variable: Variable, dtype: DType | None, name: str | None) -> Any:
    """The conversion of a variable to a tensor."""
    if dtype is not None and dtype is not variable.dtype:
        raise ValueError(
            f"Incompatible type conversion requested to type {dtype.name} for variable "
            f"{variable.name!r} of type {variable.dtype.name}."
        )
    return variable.value()


register_conversion(Variable, read)
