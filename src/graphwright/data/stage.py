"""The parts of a dataset: stages, which are values, and the cursors that go through them.

A cursor returns blocks of elements. Every cursor keeps this contract:

- `pull(limit)` returns one to `limit` elements, or None at the end, and then always None.
- It takes no more from the stages before it than `limit` elements need. So with a limit of 1 the
  pipeline does exactly what lazy Python generators would do.
- Elements before an error are returned first. The next call raises the error, and the call after
  that goes on behind it.
- `save` returns the state from which another cursor of an equal stage goes on (`restore`).
"""

from __future__ import annotations

import copy
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Protocol

from graphwright.base import errors
from graphwright.base.errors import Location
from graphwright.base.named_tuples import NamedTuple
from graphwright.data.blocks import ElementBlock
from graphwright.data.dataset_options import Options
from graphwright.data.element_type import ElementType
from graphwright.data.tuning.pipeline_budget import PipelineBudget
from graphwright.ir.draws import Draws, Kernel
from graphwright.types.tensor_type import VariantValue

#: The cardinality of a stage without an end, and of one that cannot know it.
INFINITE, UNKNOWN = -1, -2

#: The largest int64: a range up to it has no end.
LAST = (1 << 63) - 1

#: A number of shards that `tf.distribute` replaces.
SHARD_HINT = -1

#: What a cursor saves: numbers, texts, arrays, and lists and mappings of these.
State = Any


class StageOrigin:
    """The call of a program that stages come of: a function may make one for each element."""

    __slots__ = ("location",)

    def __init__(self, location: Location | None) -> None:
        self.location = location


class AppliedRewrite(NamedTuple):
    """A rewrite that was made of a pipeline: the option that rules it, and what it did."""

    name: str
    words: str


class Plan(NamedTuple):
    """A stage that iterators go through in the place of another, and the rewrites between them."""

    stage: DatasetStage
    rewrites: tuple[AppliedRewrite, ...]
    options: Options


class DatasetStage(VariantValue, ABC):
    """A step of a pipeline, with its numbers and functions: a value of dtype variant."""

    #: The kind, as TensorFlow names it.
    type_name = ""
    #: Whether taking elements is seen from outside: the stage calls Python, or has effects.
    has_effects = False
    #: The names of its first numbers, which are scalars.
    scalars: ClassVar[tuple[str, ...]] = ()
    #: The recipe by which an op made it, and the op's operands; of a stage that stands for others,
    #: those of the last one.
    recipe: tuple[Any, Sequence[Any]] | None = None
    #: The call of a program that it comes of.
    origin: StageOrigin | None = None
    #: Whether the time of its own is spent waiting, for threads that take elements ahead.
    waits_for_threads = False
    #: Whether it reads files when it is made, so what is written before must be written.
    reads_when_made = False
    #: What iterators go through, once somebody has asked.
    plan: Plan | None = None

    def __init__(self, element: ElementType, *inputs: DatasetStage) -> None:
        self.element = element
        self.inputs = inputs

    def behind(self, *inputs: DatasetStage) -> Any:
        """Such a stage behind others. What changes is shared: caches, and seeds of shuffles."""
        made = copy.copy(self)
        made.inputs, made.plan = inputs, None
        return made

    @property
    def is_observable(self) -> bool:
        """Whether a program can see when elements are taken, so that none is taken ahead.

        It sees in which order elements are taken if functions of two inputs draw from one stream.
        """
        if self.has_effects:
            return True
        for stage in self.inputs:
            if stage.is_observable:
                return True
        if len(self.inputs) < 2:
            return False
        streams = [stage.streams() for stage in self.inputs]
        return len(set().union(*streams)) < sum(map(len, streams))

    def streams(self) -> set[object]:
        """The functions here and before it that draw random numbers, each from its own stream."""
        return {stream for stage in self.inputs for stream in stage.streams()}

    @property
    def outline(self) -> str:
        """The kinds of this stage and of those before it, by which a saved place knows them."""
        before = ", ".join([stage.outline for stage in self.inputs])
        return f"{self.type_name}({before})"

    @property
    def is_idle(self) -> bool:
        """Whether the elements are those of the stage before it, and nothing else is done."""
        return False

    @abstractmethod
    def cardinality(self) -> int:
        """The number of elements, INFINITE, or UNKNOWN."""

    @abstractmethod
    def start(self) -> Cursor:
        """A cursor before the first element, for `cursor_of`."""

    def __repr__(self) -> str:
        return f"<{self.type_name} {self.element.specs!r}>"


class StageFunction(Protocol):
    """A function of an element, which returns one stage."""

    has_effects: bool

    def __call__(self, arrays: Sequence[Any]) -> list[Any]: ...


class FunctionStage(DatasetStage):
    """The base of stages with one function of each element."""

    def __init__(self, element: ElementType, source: DatasetStage, function: StageFunction) -> None:
        super().__init__(element, source)
        self.function = function
        self.has_effects = function.has_effects

    def cardinality(self) -> int:
        return UNKNOWN


class Cursor(ABC):
    """A position in the elements of a stage."""

    @abstractmethod
    def pull(self, limit: int) -> ElementBlock | None:
        """The next elements, at most `limit`; None at the end."""

    def pull_all(self, limit: int) -> ElementBlock | None:
        """The same for a stage that needs all of so many elements, whatever they are.

        So elements may be taken together that a program sees being taken.
        """
        return self.pull(limit)

    def pull_rows(self, limit: int) -> ElementBlock | None:
        """The same as `pull` for a stage that computes columns at once.

        So elements may be `ChosenRows`, which nobody has copied yet.
        """
        return self.pull(limit)

    @abstractmethod
    def save(self) -> State:
        """The state from which `restore` goes on here."""

    @abstractmethod
    def restore(self, state: State) -> None:
        """Goes to the position that a cursor of an equal stage saved."""

    def close(self) -> None:  # noqa: B027 - most cursors hold nothing to let go of
        """Ends threads and closes files. No more elements are taken."""


class Watcher(Protocol):
    """What measures the cursors of a pipeline."""

    def watched(self, stage: DatasetStage, cursor: Cursor) -> Cursor:
        """A cursor to use in place of a new one."""


class Epoch:
    """One pass through a pipeline, in which functions that draw random numbers start anew.

    Args:
        options: The options of the pipeline.
    """

    def __init__(self, options: Options | None = None) -> None:
        self.options = Options() if options is None else options
        #: The threads and the memory that it may use.
        self.budget = PipelineBudget(options)
        #: Kernels with streams of its own, by what stands for them in all iterations.
        self.kernels: dict[object, Kernel] = {}


class _Present(threading.local):
    watcher: Watcher | None = None
    iteration: Epoch | None = None
    level = 0


_PRESENT = _Present()


class IterationKernel:
    """A kernel with a stream of random numbers, of which each iteration has its own.

    Args:
        make: Binds the kernel to a new stream.
    """

    __slots__ = ("make",)

    def __init__(self, make: Callable[[], Kernel]) -> None:
        self.make = make

    def __call__(self, *operands: Any) -> Any:
        return self.present()(*operands)

    @property
    def stream(self) -> Any:
        """The stream of the present iteration."""
        return self.present().stream

    def present(self) -> Any:
        """The kernel of the present iteration."""
        iteration = _PRESENT.iteration
        assert iteration is not None, "functions that draw are called for an iteration"
        kernel = iteration.kernels.get(self)
        return iteration.kernels.setdefault(self, self.make()) if kernel is None else kernel


class IterationDraws(Draws):
    """The kernels of a function of elements: it draws the same in each iteration."""

    def kernel(self, place: object, make: Callable[[], Kernel]) -> Kernel:
        return super().kernel(place, lambda: IterationKernel(make))


def present_iteration() -> Epoch | None:
    """The iteration for which this thread computes elements."""
    return _PRESENT.iteration


def present_budget() -> PipelineBudget:
    """What the iteration may use for which this thread computes elements."""
    iteration = _PRESENT.iteration
    return PipelineBudget() if iteration is None else iteration.budget


def iteration_allows(name: str) -> bool:
    """Whether this thread makes a dataset for an iteration whose options allow a rewrite."""
    iteration = _PRESENT.iteration
    return iteration is not None and iteration.options.experimental_optimization._allows(name)


class iterating:
    """Has this thread compute elements for an iteration inside the block: `with iterating(i): ...`.

    A class, since a generator takes a twentieth of the time of a batch of Python's calls.
    """

    __slots__ = ("before", "iteration")

    def __init__(self, iteration: Epoch | None) -> None:
        self.iteration = iteration

    def __enter__(self) -> None:
        self.before, _PRESENT.iteration = _PRESENT.iteration, self.iteration

    def __exit__(self, *error: object) -> None:
        _PRESENT.iteration = self.before


def present_level() -> int:
    """How many buffers wait for what this thread does, each for the next one."""
    return _PRESENT.level


class at_level:
    """Has this thread work meanwhile for so many buffers that wait, each for the next one."""

    __slots__ = ("before", "level")

    def __init__(self, level: int) -> None:
        self.level = level

    def __enter__(self) -> None:
        self.before, _PRESENT.level = _PRESENT.level, self.level

    def __exit__(self, *error: object) -> None:
        _PRESENT.level = self.before


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Has a watcher get all cursors that this thread makes meanwhile."""
    before, _PRESENT.watcher = _PRESENT.watcher, watcher
    try:
        yield
    finally:
        _PRESENT.watcher = before


def is_watched() -> bool:
    """Whether a watcher gets the cursors that this thread makes."""
    return _PRESENT.watcher is not None


def kind_of(stage: object) -> str:
    """The name of the class of a stage: no other class has it.

    So rules about a stage need not import its module.
    """
    return type(stage).__name__


#: Names of the classes of maps.
MAPS = "MapStage", "ParallelMapStage"


def cursor_of(stage: DatasetStage) -> Cursor:
    """A new cursor before the first element of a stage: every one is made here."""
    watcher = _PRESENT.watcher
    cursor = PassingCursor(stage.inputs[0]) if stage.is_idle else stage.start()
    return cursor if watcher is None else watcher.watched(stage, cursor)


class Abandoned(BaseException):
    """The end of a thread whose elements nobody takes any more."""


class _Ahead(threading.local):
    is_abandoned: Callable[[], bool] | None = None


_AHEAD = _Ahead()


def work_ahead(is_abandoned: Callable[[], bool]) -> None:
    """Makes this thread one that takes elements ahead, as long as a function is false."""
    _AHEAD.is_abandoned = is_abandoned


def works_ahead() -> bool:
    """Whether this thread takes elements ahead."""
    return _AHEAD.is_abandoned is not None


def stop_if_abandoned() -> None:
    """Ends a thread whose elements nobody takes any more.

    Whoever may be asked for elements without an end calls it: one pull may look for ever for an
    element that a filter lets through.
    """
    is_abandoned = _AHEAD.is_abandoned
    if is_abandoned is not None and is_abandoned():
        raise Abandoned


class Through(Cursor):
    """A cursor that goes through that of one stage before it.

    Args:
        source: The stage before it.
        upstream: A cursor in that stage, if not a new one.
    """

    def __init__(self, source: DatasetStage, upstream: Cursor | None = None) -> None:
        self.source = source
        self.upstream = cursor_of(source) if upstream is None else upstream

    def save(self) -> State:
        return self.upstream.save()

    def restore(self, state: State) -> None:
        self.upstream.restore(state)

    def close(self) -> None:
        self.upstream.close()


class PassingCursor(Through):
    """The elements of the stage before it. Its state is that of the stage before it, too."""

    def pull(self, limit: int) -> ElementBlock | None:
        return self.upstream.pull(limit)


class Postponed:
    """An error that waits until the elements before it are returned."""

    __slots__ = ("error",)

    def __init__(self) -> None:
        self.error: Exception | None = None

    def raise_it(self) -> None:
        """Raises the error, if there is one."""
        error, self.error = self.error, None
        if error is not None:
            raise error

    def save(self) -> State:
        """The error as a state; None if there is none."""
        return None if self.error is None else saved_error(self.error)

    def restore(self, state: State) -> None:
        """Has the error that was saved wait."""
        self.error = None if state is None else restored_error(state)


def saved_error(error: Exception) -> State:
    """An error that waits for its turn, as a state: the name of its class, and its words."""
    return [type(error).__name__, str(error)]


def restored_error(state: State) -> Exception:
    """The error that was saved; an UnknownError if its class is none of ours."""
    name, words = state
    kind = getattr(errors, name, errors.UnknownError)
    error: Exception = kind(None, None, words)
    return error


def at_most(count: int, other: int) -> int:
    """The cardinality of pairs of elements: the smaller of two."""
    if 0 in (count, other):
        return 0
    if UNKNOWN in (count, other):
        return UNKNOWN
    if count == INFINITE:
        return other
    return count if other == INFINITE else min(count, other)
