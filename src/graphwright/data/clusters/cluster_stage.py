"""The stage whose elements an executor's workers compute; results keep their order."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor

from graphwright.base import errors
from graphwright.base.errors import CancelledError, UnavailableError
from graphwright.data.blocks import ElementBlock, Row, of_row
from graphwright.data.clusters.element_task import (
    FunctionParcel,
    Outcome,
    TaskFailure,
    Traveller,
)
from graphwright.data.clusters.task_executors import PendingTask, TaskExecutor
from graphwright.data.element_type import ElementType
from graphwright.data.stage import (
    Cursor,
    DatasetStage,
    State,
    Through,
    restored_error,
    saved_error,
)
from graphwright.function.concrete import Departure
from graphwright.types.arrays import Array

#: A function of at most so many bytes goes with each element.
_SMALL = 1 << 16


class ClusterMapStage(DatasetStage):
    """A function of each element, which workers of an executor compute.

    Args:
        element: The type of the results.
        source: The stage before it.
        traveller: A function of the tensors of an element.
        make: Makes the executor of an iteration.
        window: How many elements are under way; 0 for two of each worker.
        retries: How often a task is begun again whose worker was lost.
    """

    type_name = "ClusterMapDataset"
    waits_for_threads = True

    def __init__(
        self,
        element: ElementType,
        source: DatasetStage,
        traveller: Traveller,
        make: Callable[[], TaskExecutor],
        window: int,
        retries: int,
    ) -> None:
        super().__init__(element, source)
        self.traveller, self.make, self.window, self.retries = traveller, make, window, retries

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()

    def start(self) -> Cursor:
        return ClusterMapCursor(self)


class ElementTask:
    """The task of one element, or an error that stands in its place.

    Args:
        number: The place of the element in the dataset.
        content: The arrays of the element, or the error.
    """

    def __init__(self, number: int, content: Sequence[Array] | Exception) -> None:
        self.number = number
        self.row = None if isinstance(content, Exception) else list(content)
        #: What is raised when its turn comes and nothing is under way.
        self.error = content if isinstance(content, Exception) else UnavailableError(None, None, "")
        self.pending: PendingTask | None = None
        self.losses = 0


class TasksUnderWay:
    """The tasks of an iteration, in the order of their elements.

    Args:
        executor: What begins tasks.
        parcel: The function.
        window: How many tasks are under way, at most; 0 for two of each worker.
        retries: How often a task is begun again whose worker was lost.
    """

    def __init__(
        self, executor: TaskExecutor, parcel: FunctionParcel, window: int, retries: int
    ) -> None:
        self.executor = executor
        self.parcel = parcel
        self.window = window or max(2, 2 * executor.workers())
        self.retries = retries
        self.tasks: deque[ElementTask] = deque()
        #: So many tasks more take the function along: the workers may not have it.
        self.parcels = self.window
        if executor.is_here:
            # A thread of the executor might wait for a lock of the thread that waits for it.
            Departure.arrive(parcel.data)

    def add(self, task: ElementTask) -> None:
        """Begins a task behind all others; an error waits for its turn."""
        self.tasks.append(task)
        if task.row is not None:
            self.begin(task, with_function=self.parcels > 0)
            self.parcels -= 1

    def begin(self, task: ElementTask, with_function: bool) -> None:
        """Gives a task to the executor. Where that takes none, an error waits for its turn."""
        is_small = len(self.parcel.data) <= _SMALL
        data = self.parcel.data if with_function or is_small else None
        assert task.row is not None
        try:
            task.pending = self.executor.begin(self.parcel.digest, data, task.row)
        except Exception as error:  # noqa: BLE001 - it is raised where its element would come
            task.pending, task.error = None, refused(task, error)

    def result(self) -> Row:
        """The result of the first task, which then is none of them any more."""
        try:
            return self.row(self.tasks[0])
        finally:
            self.tasks.popleft()

    def row(self, task: ElementTask) -> Row:
        """The result of a task, which is begun again where a worker was lost."""
        while task.pending is not None:
            outcome = self.outcome(task, task.pending)
            if isinstance(outcome, TaskFailure):
                raise failed(task, outcome)
            if outcome is not None:
                return outcome
            self.begin(task, with_function=True)
        raise task.error

    def outcome(self, task: ElementTask, pending: PendingTask) -> Outcome:
        """What became of a task; None where it must begin again, with the function."""
        try:
            return pending.result()
        except Exception as error:
            if is_cancellation(error):
                raise cancelled(task, error) from error
            task.losses += 1
            self.parcels = self.window  # there are new workers
            if task.losses > self.retries:
                raise lost(task, error) from error
            return None

    def saved(self) -> State:
        """The elements whose results were not taken, and errors in the place of elements."""
        return [
            list(task.row) if task.row is not None else {"error": saved_error(task.error)}
            for task in self.tasks
        ]

    def close(self) -> None:
        """Cancels what is under way."""
        for task in self.tasks:
            if task.pending is not None:
                task.pending.cancel()
        self.tasks.clear()
        self.executor.close()


def is_cancellation(error: Exception) -> bool:
    """Whether an error says that somebody cancelled a task: each package has a class for it."""
    return any("Cancelled" in kind.__name__ for kind in type(error).__mro__)


def failed(task: ElementTask, failure: TaskFailure) -> Exception:
    """The error of a function, with the number of the element and the worker's traceback."""
    kind = getattr(errors, failure.kind, errors.UnknownError)
    error: Exception = kind(
        None, None, f"{failure.words}\nThis is element {task.number} of the dataset, counted from "
        f"0. {failure.worker.capitalize()} computed it:\n{failure.trace}",
    )  # fmt: skip
    return error


def lost(task: ElementTask, error: Exception) -> UnavailableError:
    """The error of a task whose workers were lost, each time that it began."""
    return UnavailableError(
        None, None, f"No worker computed element {task.number} of the dataset, counted from 0. Its "
        f"task began {task.losses} times, and each time the worker was lost. The last reason is "
        f"{type(error).__name__}: {error}\n`retries` says how often a task may begin again.",
    )  # fmt: skip


def refused(task: ElementTask, error: Exception) -> UnavailableError:
    """The error of a task that the executor does not take."""
    words = (
        f"The executor does not take the task of element {task.number} of the dataset, counted "
        f"from 0: {type(error).__name__}: {error}"
    )
    if isinstance(error, BrokenExecutor):
        words += (
            "\nA pool whose worker died takes no more tasks. With a function in its place there is "
            "a new one then: executor=functools.partial(concurrent.futures.ProcessPoolExecutor, 4)"
        )
    made = UnavailableError(None, None, words)
    made.__cause__ = error
    return made


def cancelled(task: ElementTask, error: Exception) -> CancelledError:
    """The error of a task that somebody cancelled."""
    return CancelledError(
        None, None, f"The task of element {task.number} of the dataset was cancelled: the executor "
        f"was shut down, or its client closed, while elements were under way ({error!r}).",
    )  # fmt: skip


class ClusterMapCursor(Through):
    """The results in order, while tasks of the elements behind them are under way.

    Args:
        stage: What says which function and which executor.
    """

    def __init__(self, stage: ClusterMapStage) -> None:
        super().__init__(stage.inputs[0])
        self.number = 0
        self.is_over = False
        self.stage = stage
        self.open()

    def open(self) -> None:
        """Begins without tasks. They are cancelled when nobody has the cursor any more."""
        stage = self.stage
        parcel = stage.traveller.parcel()
        self.tasks = TasksUnderWay(stage.make(), parcel, stage.window, stage.retries)
        self.finalizer = weakref.finalize(self, self.tasks.close)
        self.finalizer.atexit = False

    def pull(self, limit: int) -> ElementBlock | None:
        self.fill()
        if not self.tasks.tasks:
            self.finalizer()
            return None
        try:
            return of_row(self.tasks.result())
        except (KeyboardInterrupt, SystemExit):
            self.close()
            raise

    def fill(self) -> None:
        """Begins tasks until as many are under way as may be."""
        while not self.is_over and (free := self.tasks.window - len(self.tasks.tasks)) > 0:
            try:
                block = self.upstream.pull(free)
            except Exception as error:  # noqa: BLE001 - it is raised where its element would come
                self.add(error)
                continue
            if block is None:
                self.is_over = True
                return
            for row in block.rows():
                self.add(row)

    def add(self, content: Sequence[Array] | Exception) -> None:
        """Begins the task of an element, or puts an error in its place."""
        self.tasks.add(ElementTask(self.number, content))
        self.number += 1

    def save(self) -> State:
        first = self.number - len(self.tasks.tasks)
        tasks = self.tasks.saved()
        return {"before": super().save(), "rows": tasks, "first": first, "is_over": self.is_over}

    def restore(self, state: State) -> None:
        super().restore(state["before"])
        self.finalizer()
        self.open()
        self.is_over, self.number = state["is_over"], state["first"]
        for row in state["rows"]:
            if isinstance(row, dict):
                self.add(restored_error(row["error"]))
            else:
                self.add(row)

    def close(self) -> None:
        self.is_over = True
        self.finalizer()
        super().close()
