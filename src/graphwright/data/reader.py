"""The elements of a stage one by one, read ahead in blocks unless the stage is observable."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from operator import length_hint
from time import perf_counter
from typing import TYPE_CHECKING, Any

from graphwright.base.errors import FailedPreconditionError, InvalidArgumentError
from graphwright.base.forks import own_lock
from graphwright.data.blocks import ElementBlock, Row, of_row
from graphwright.data.element_forms import Form
from graphwright.data.stage import (
    DatasetStage,
    Epoch,
    State,
    cursor_of,
    is_watched,
    iterating,
    watching,
)
from graphwright.data.stages.stage_rewrites import plan_of
from graphwright.data.tuning.block_limit import BlockLimit
from graphwright.ir.graph import Graph, subgraphs_of
from graphwright.library.summary.profiler_session import ProfileEvents, ProfilerSession
from graphwright.op.late_imports import late_module
from graphwright.op.op import Effect, Op
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import VariantValue

if TYPE_CHECKING:
    from graphwright.data.diagnosis.waiting import ReaderProfile

#: So many elements are packed at a time for a program that takes them one by one: fewer than the
#: new objects at which Python looks for garbage, and as many as stay in the cache next to the core.
_PACKED = 256


class Reader(VariantValue):
    """The position of an iterator in a dataset: a value of dtype variant, which changes."""

    def __init__(self, stage: DatasetStage) -> None:
        self.stage = stage
        self.plan = plan_of(stage)
        self.profile: ReaderProfile | None = None
        timer = ProfilerSession.timer
        if timer is not None and not is_watched():
            self.profile = new_profile(timer, self.plan.stage)
        self.start()
        self.lock = own_lock(self)
        self.limit = BlockLimit()
        policy = self.plan.options.experimental_external_state_policy
        #: Whether positions are saved without the state of functions, which then begins anew.
        self.ignores_state = policy is not None and policy.name != "FAIL"
        is_anew = self.ignores_state and next(stateful_ops(stage), None) is not None
        #: Whether elements are taken when they are asked for.
        self.takes_single = self.plan.stage.is_observable or is_anew
        self.block = ElementBlock(0, ())
        self.place = 0
        #: Elements before `place` that are packed and not taken.
        self.ready: Iterator[Any] = iter(())

    def start(self) -> None:
        """Goes before the first element, where functions begin to draw random numbers."""
        self.iteration = Epoch(self.plan.options)
        watched = nullcontext() if self.profile is None else watching(self.profile)
        with iterating(self.iteration), watched:
            self.cursor = cursor_of(self.plan.stage)

    def packed(self, form: Form) -> Any:
        """The next element in a form, of which others become ready; StopIteration at the end.

        Others are taken from `ready` by the caller, which nothing else is as quick as.
        """
        with self.lock:
            if not self.fill():
                raise StopIteration
            elements = iter(form(self.take(min(self.place + _PACKED, self.block.count))))
            element = next(elements)
            self.ready = elements
            return element

    def more(self, form: Form, are_arrays: bool) -> Iterator[Any] | None:
        """The elements that are ready in a form, or some more if none are; None at the end.

        Whoever has them shares them: each is taken once. Where they are rows of one array, NumPy
        makes them as they are taken, so none is packed.
        """
        with self.lock:
            if not length_hint(self.ready):
                if not self.fill():
                    return None
                count = self.block.count
                is_lazy = are_arrays and self.block.is_dense
                stop = count if is_lazy else min(self.place + _PACKED, count)
                self.ready = iter(form(self.take(stop)))
            return self.ready

    def row(self) -> Row | None:
        """The arrays of the next element; None at the end."""
        with self.lock:
            if not self.fill():
                return None
            place = self.place
            self.place = place + 1
            return self.block.row(place)

    def rest(self) -> ElementBlock | None:
        """The rest of the present block, or the next block; None at the end."""
        with self.lock:
            return self.take(self.block.count) if self.fill() else None

    def dense_block(self) -> ElementBlock | None:
        """The next elements, with an array for each column; None at the end."""
        with self.lock:
            if not self.fill():
                return None
            if self.block.is_dense:
                return self.take(self.block.count)
            return of_row(self.take(self.place + 1).row(0))

    def fill(self) -> bool:
        """Takes a block if the present one has no elements left; False at the end."""
        self.settle()
        if self.place < self.block.count:
            return True
        block = self.next_block()
        if block is None:
            return False
        self.block, self.place = block, 0
        return True

    def settle(self) -> None:
        """Puts back what is ready. Nobody else can take any of it: lists are emptied at once."""
        self.place -= len(list(self.ready))

    def take(self, stop: int) -> ElementBlock:
        """The elements of the present block up to a position."""
        start, self.place = self.place, stop
        return self.block.part(start, stop)

    def next_block(self) -> ElementBlock | None:
        """The next elements; a profile hears how long that takes."""
        timer = ProfilerSession.timer
        if timer is None or is_watched():
            return self.pull()
        return self.profile_in(timer).waiting(self.pull)

    def profile_in(self, timer: ProfileEvents) -> ReaderProfile:
        """What a profile hears of this reader, which may be older than the profile."""
        if self.profile is None or self.profile.timer is not timer:
            self.profile = new_profile(timer, self.stage)
        return self.profile

    def pull(self) -> ElementBlock | None:
        """The next elements, as many as are worth it."""
        if self.takes_single:
            with iterating(self.iteration):
                return self.cursor.pull(1)
        began = perf_counter()
        with iterating(self.iteration):  # functions make datasets by its options, too
            block = self.cursor.pull(self.limit.number)
        if block is not None:
            self.limit.note(block, perf_counter() - began)
        return block

    def save(self) -> State:
        """The state from which another reader goes on after the last element taken."""
        if not self.ignores_state:
            refuse_state(self.stage)
        with self.lock:
            self.settle()
            ahead = self.block.part(self.place, self.block.count)
            return {
                "stages": self.stage.outline,
                "cursor": self.cursor.save(),
                "ahead": ahead.saved(),
            }

    def restore(self, state: State) -> None:
        """Goes to the position that another reader saved."""
        if state["stages"] != self.stage.outline:
            raise InvalidArgumentError(
                None, None,
                f"an iterator over {self.stage.outline} cannot go on where one over "
                f"{state['stages']} was: the pipelines must be equal",
            )  # fmt: skip
        with self.lock:
            self.settle()
            self.cursor.close()
            self.start()  # what it did before has no effect
            with iterating(self.iteration):
                self.cursor.restore(state["cursor"])
            self.block, self.place = ElementBlock.restored(state["ahead"]), 0

    def close(self) -> None:
        """Ends threads and closes files."""
        self.cursor.close()

    def __repr__(self) -> str:
        return f"<iterator of {self.stage!r}>"


def new_profile(timer: ProfileEvents, stage: DatasetStage) -> ReaderProfile:
    """What a profile hears of a new reader."""
    profile: ReaderProfile = late_module("graphwright.data.diagnosis.waiting").ReaderProfile(
        timer, stage
    )
    return profile


def refuse_state(stage: DatasetStage) -> None:
    """Raises FailedPreconditionError where functions have state that no iterator saves, as in
    TensorFlow: where they are in a stream of random numbers, and what they change.
    """
    for op in stateful_ops(stage):
        what = (
            "An iterator cannot say where its numbers are; those of "
            "`tf.random.stateless_uniform` and its like depend on seeds alone."
            if op.has_stream
            else "What it changes is no part of an iterator."
        )
        raise FailedPreconditionError(
            None, None,
            f"{op.type_name} is stateful. {what} It is saved without them under "
            "`tf.data.experimental.ExternalStatePolicy.IGNORE`.",
        )  # fmt: skip


def stateful_ops(stage: DatasetStage) -> Iterator[Op]:
    """The first op in each function of a pipeline whose state no iterator saves."""
    functions: Any = late_module("graphwright.data.element_function")
    for function in functions.functions_of(stage):
        op = stateful_op(function.function.graph)
        if op is not None:
            yield op
    for source in stage.inputs:
        yield from stateful_ops(source)


def stateful_op(graph: Graph) -> Op | None:
    """The first op that draws from a stream, or changes a variable or a table."""
    for node in graph.nodes:
        op = node.op
        if subgraphs_of(op):
            continue
        changes = op.effect is Effect.WRITE and any(
            value.type.dtype is dt.resource for value in node.inputs
        )
        if op.has_stream or changes:
            return op
    return next(filter(None, map(stateful_op, graph.subgraphs())), None)
