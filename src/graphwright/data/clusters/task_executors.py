"""Executors of several packages, in one form: they begin tasks, and tell how many run at once.

A package is known by the methods of its objects. None is imported here.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, ThreadPoolExecutor
from typing import Any, Protocol

from graphwright.data.clusters.element_task import Outcome, computed
from graphwright.types.arrays import Array


class PendingTask(Protocol):
    """A task that an executor has begun, or will begin."""

    def result(self) -> Outcome:
        """Waits for the outcome; an error says that there will be none."""

    def cancel(self) -> object:
        """Lets go of the task, if it has not begun."""


class TaskExecutor(ABC):
    """What begins tasks."""

    #: Whether workers are threads of this process.
    is_here = False

    @abstractmethod
    def begin(self, digest: bytes, data: bytes | None, arrays: Sequence[Array]) -> PendingTask:
        """Begins `computed` on these arguments."""

    @abstractmethod
    def workers(self) -> int:
        """How many tasks run at once."""

    def close(self) -> None:  # noqa: B027 - a program's executor is the program's to close
        """Ends the workers that were started here."""


class PoolTasks(TaskExecutor):
    """The tasks of a `concurrent.futures.Executor`, or of what has its method `submit`."""

    def __init__(self, pool: Executor) -> None:
        self.pool = pool
        self.is_here = isinstance(pool, ThreadPoolExecutor)

    def begin(self, digest: bytes, data: bytes | None, arrays: Sequence[Array]) -> PendingTask:
        return self.pool.submit(computed, digest, data, arrays)

    def workers(self) -> int:
        # Pools of the standard library have no public name for it.
        return int(getattr(self.pool, "_max_workers", os.cpu_count() or 1))


class RenewedPoolTasks(PoolTasks):
    """The tasks of pools that a function makes: a new one where a worker's death broke the last.

    Args:
        make: Returns a pool.
    """

    def __init__(self, make: Callable[[], Executor]) -> None:
        super().__init__(make())
        self.make = make

    def begin(self, digest: bytes, data: bytes | None, arrays: Sequence[Array]) -> PendingTask:
        try:
            return super().begin(digest, data, arrays)
        except BrokenExecutor:
            self.pool.shutdown(wait=False)
            self.pool = self.make()
            return super().begin(digest, data, arrays)

    def close(self) -> None:
        self.pool.shutdown(wait=False, cancel_futures=True)


class DaskTasks(TaskExecutor):
    """The tasks of a `dask.distributed.Client`.

    Args:
        client: The client.
    """

    def __init__(self, client: Any) -> None:
        self.client = client

    def begin(self, digest: bytes, data: bytes | None, arrays: Sequence[Array]) -> PendingTask:
        # Equal elements are tasks of their own, since a function may draw random numbers.
        task: PendingTask = self.client.submit(computed, digest, data, arrays, pure=False)
        return task

    def workers(self) -> int:
        return sum(self.client.nthreads().values())


class RayTask:
    """A task of Ray.

    Args:
        ray: The package.
        reference: What stands for the result.
    """

    def __init__(self, ray: Any, reference: Any) -> None:
        self.ray = ray
        self.reference = reference

    def result(self) -> Outcome:
        outcome: Outcome = self.ray.get(self.reference)
        return outcome

    def cancel(self) -> object:
        return self.ray.cancel(self.reference)


class RayTasks(TaskExecutor):
    """The tasks of Ray.

    Args:
        ray: The package.
    """

    def __init__(self, ray: Any) -> None:
        self.ray = ray
        # `retries` counts the losses, so Ray need not.
        self.remote = ray.remote(max_retries=0)(computed)

    def begin(self, digest: bytes, data: bytes | None, arrays: Sequence[Array]) -> PendingTask:
        return RayTask(self.ray, self.remote.remote(digest, data, arrays))

    def workers(self) -> int:
        return int(self.ray.cluster_resources().get("CPU", 1))


def maker_of(executor: object) -> Callable[[], TaskExecutor]:
    """What makes of an executor the form of this module, for one iteration.

    Raises:
        TypeError: It is no executor, and no function that returns one.
    """
    methods: Any = executor
    if hasattr(executor, "submit") and not isinstance(executor, type):
        is_dask = hasattr(executor, "nthreads")
        return lambda: DaskTasks(methods) if is_dask else PoolTasks(methods)
    if all(hasattr(executor, name) for name in ("remote", "get", "cancel", "cluster_resources")):
        return lambda: RayTasks(methods)
    if callable(executor):
        return lambda: RenewedPoolTasks(methods)
    raise TypeError(
        f"`executor` must have a method `submit`, be the module `ray`, or be a function that "
        f"returns a `concurrent.futures.Executor`. Received {executor!r} (of type "
        f"{type(executor).__name__}). For four processes: "
        f"executor=functools.partial(concurrent.futures.ProcessPoolExecutor, 4)"
    )
