"""Sections of a program that one thread at a time executes: `tf.CriticalSection`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import ClassVar, TypeVar

from graphwright.base.forks import own_lock
from graphwright.op.interpreter import apply
from graphwright.op.op import Effect, Op, Shapes, not_differentiable
from graphwright.ops.state.variable_ops import HANDLE
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType, VariantValue
from graphwright.values.tensor import box

T = TypeVar("T")


class Mutex:
    """The lock of a critical section, behind a handle."""

    __slots__ = ("__weakref__", "dtype", "inside", "lock", "name")
    dtype: DType
    shape: ClassVar[Dims] = ()
    tensor_type: TensorType = HANDLE

    def __init__(self, name: str) -> None:
        self.name = name
        self.dtype = dt.resource
        self.lock = own_lock(self)
        self.inside = threading.local()


#: Mutexes by their shared names.
SHARED: dict[str, Mutex] = {}


class Locked(VariantValue):
    """A held lock. An op consumes it, or it is deleted because an op failed."""

    def __init__(self, mutex: Mutex) -> None:
        self.lock: threading.Lock | None = mutex.lock
        mutex.lock.acquire()

    def release(self) -> None:
        """Releases the lock, once."""
        lock, self.lock = self.lock, None
        if lock is not None:
            lock.release()

    def __del__(self) -> None:
        self.release()


class MutexLock(Op):
    """Waits for a mutex and locks it until the result is consumed or deleted."""

    type_name = "MutexLock"
    inputs = ("mutex: resource",)
    behind = Mutex
    outputs = ("mutex_lock: variant",)
    effect = Effect.WRITE
    gradient = not_differentiable

    def shapes(self, mutex: TensorType) -> Shapes:
        return ((),)

    def kernel(self, mutex: Mutex) -> Locked:
        return Locked(mutex)


class ConsumeMutexLock(Op):
    """Releases a locked mutex."""

    type_name = "ConsumeMutexLock"
    inputs = ("mutex_lock: variant",)
    behind = Locked
    effect = Effect.WRITE
    gradient = not_differentiable

    def shapes(self, lock: TensorType) -> Shapes:
        return ()

    def kernel(self, lock: Locked) -> None:
        lock.release()


class CriticalSection:
    """A section of a program that one thread at a time executes, eagerly and in graphs.

    Args:
        name: A string.
        shared_name: A string: sections of one shared name exclude each other.
        critical_section_def: None.
        import_scope: None.

    Raises:
        ValueError: One of the last two is given.

    >>> import graphwright as tf
    >>> section, v = tf.CriticalSection(), tf.Variable(1.0)
    >>> print(section.execute(lambda: v.assign_add(1.0)).numpy())
    2.0
    """

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: object = None,
        import_scope: object = None,
    ) -> None:
        if critical_section_def is not None or import_scope is not None:
            raise ValueError("A CriticalSection is made by its name, not from a definition.")
        self._mutex = Mutex(shared_name or name or "critical_section")
        if shared_name is not None:
            self._mutex = SHARED.setdefault(shared_name, self._mutex)
        self._handle = box(self._mutex, HANDLE)

    @property
    def name(self) -> str:
        """The name that sections share, or that of this one."""
        return self._mutex.name

    def execute(
        self, fn: Callable[[], T], exclusive_resource_access: bool = True, name: str | None = None
    ) -> T:
        """Calls a function while no other thread is in this section.

        Args:
            fn: A function of no arguments.
            exclusive_resource_access: A bool, which has no effect.
            name: A name for the op.

        Returns:
            What `fn` returns.

        Raises:
            ValueError: The thread is in the section already.
        """
        inside = self._mutex.inside
        if getattr(inside, "entered", False):
            raise ValueError(
                f"Attempting to lock the CriticalSection {self.name} in which we are already "
                "running. Call nested functions without `execute`."
            )
        lock = apply(MutexLock.of(), self._handle, name=name)
        inside.entered = True
        try:
            return fn()
        finally:
            inside.entered = False
            apply(ConsumeMutexLock.of(), lock)
