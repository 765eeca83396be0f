"""Stages that only watch, or hand on: ignore_errors, assert_cardinality, options and the like."""

from __future__ import annotations

from graphwright.base.errors import FailedPreconditionError
from graphwright.base.logs import LOGGER
from graphwright.data.blocks import ElementBlock
from graphwright.data.dataset_options import Options
from graphwright.data.element_type import ElementType
from graphwright.data.stage import (
    INFINITE,
    UNKNOWN,
    Cursor,
    DatasetStage,
    PassingCursor,
    Postponed,
    State,
    Through,
    cursor_of,
)
from graphwright.types.arrays import Array


class IgnoreErrorsStage(DatasetStage):
    """The elements without an error."""

    type_name = "IgnoreErrorsDataset"

    def __init__(self, element: ElementType, source: DatasetStage, *, log_warning: bool) -> None:
        super().__init__(element, source)
        self.log_warning = log_warning

    def cardinality(self) -> int:
        return UNKNOWN

    def start(self) -> Cursor:
        return IgnoreErrorsCursor(self)


class IgnoreErrorsCursor(Through):
    """A position after the errors so far."""

    def __init__(self, stage: IgnoreErrorsStage) -> None:
        super().__init__(stage.inputs[0])
        self.log_warning = stage.log_warning

    def pull(self, limit: int) -> ElementBlock | None:
        while True:
            try:
                return self.upstream.pull(limit)
            except Exception as error:  # noqa: BLE001 - that is what the stage is for
                if self.log_warning:
                    LOGGER.warning("Error raised with error message %s", error)


class AssertCardinalityStage(DatasetStage):
    """The elements, whose number must be `count`."""

    type_name = "AssertCardinalityDataset"
    scalars = ("cardinality",)

    def __init__(self, element: ElementType, source: DatasetStage, count: Array) -> None:
        super().__init__(element, source)
        self.count = int(count)

    def cardinality(self) -> int:
        return self.count

    def start(self) -> Cursor:
        return AssertCardinalityCursor(self)


class AssertCardinalityCursor(Through):
    """The number of elements so far."""

    def __init__(self, stage: AssertCardinalityStage) -> None:
        super().__init__(stage.inputs[0])
        self.expected = stage.count
        self.count = 0
        self.postponed = Postponed()

    def pull(self, limit: int) -> ElementBlock | None:
        self.postponed.raise_it()
        block = self.upstream.pull(limit)
        if block is None:
            if self.expected != UNKNOWN and self.count != self.expected:
                raise self.misfit(f"contained only {self.count} elements")
            return None
        room = self.expected - self.count
        self.count += block.count
        if self.expected < 0 or block.count <= room:
            return block
        self.postponed.error = self.misfit(f"contained at least {self.expected + 1} elements")
        if room <= 0:
            self.postponed.raise_it()
        return block.part(0, room)

    def misfit(self, what: str) -> FailedPreconditionError:
        """The error for another number of elements."""
        expected = "an infinite number of" if self.expected == INFINITE else str(self.expected)
        return FailedPreconditionError(
            None, None, f"Input dataset was expected to contain {expected} elements but {what}."
        )

    def save(self) -> State:
        error = self.postponed.save()
        return {"before": super().save(), "count": self.count, "error": error}

    def restore(self, state: State) -> None:
        super().restore(state["before"])
        self.count = state["count"]
        self.postponed.restore(state["error"])


class CopyToDeviceStage(DatasetStage):
    """The elements as they are: every device has the memory of the processor."""

    type_name = "CopyToDeviceDataset"

    def cardinality(self) -> int:
        return UNKNOWN

    def start(self) -> Cursor:
        return cursor_of(self.inputs[0])


class OptionsStage(DatasetStage):
    """The elements of another stage, with options for iterators over them."""

    type_name = "OptionsDataset"
    is_idle = True

    def __init__(self, element: ElementType, source: DatasetStage, *, options: Options) -> None:
        super().__init__(element, source)
        self.options = options

    @property
    def outline(self) -> str:
        return self.inputs[0].outline  # with other options it goes on at the same place

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()

    def start(self) -> Cursor:
        return PassingCursor(self.inputs[0])
