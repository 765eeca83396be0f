"""What a profile says of a pipeline: when each stage worked, and how long the program waited."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from graphwright.data.blocks import ElementBlock
from graphwright.data.diagnosis.stage_watch import Measure, StageWatcher, name_of, place_of
from graphwright.data.stage import DatasetStage
from graphwright.data.tuning.thread_counts import duration
from graphwright.library.summary.profiler_session import ProfileEvents


class ReaderProfile(StageWatcher):
    """The events of one iterator, on the threads where its stages run."""

    def __init__(self, timer: ProfileEvents, stage: DatasetStage) -> None:
        super().__init__()
        self.timer = timer
        self.stage = stage
        #: Seconds that the program has waited for elements.
        self.waited = 0.0
        #: When it first asked for some, and when it last got some.
        self.began = self.ended = 0.0
        timer.remarks.append(self.remark)

    def waiting(self, pull: Callable[[], ElementBlock | None]) -> ElementBlock | None:
        """Calls a function that the program waits for."""
        began = perf_counter()
        self.began = self.began or began
        try:
            return pull()
        finally:
            self.ended = perf_counter()
            self.waited += self.ended - began
            self.span(f"wait for {self.stage.type_name}", began, self.ended - began, self.stage)

    def note(self, measure: Measure, began: float, seconds: float) -> None:
        self.span(name_of(measure.stage), began, seconds, measure.stage)

    def span(self, name: str, began: float, seconds: float, stage: DatasetStage) -> None:
        """Adds an event that names the line where the program makes a stage."""
        details = {} if stage.origin is None else {"line": str(stage.origin.location)}
        self.timer.span(name, round(began * 1e9), round(seconds * 1e9), details)

    def remark(self) -> str:
        """How long the program waited for the dataset, and for which stage most."""
        working = [m for m in self.measures.values() if not m.stage.waits_for_threads]
        slowest = max(working, key=lambda measure: measure.seconds, default=None)
        return waiting_words(
            "The program",
            self.waited,
            self.ended - self.began,
            self.stage if slowest is None else slowest.stage,
        )


def waiting_words(who: str, waited: float, seconds: float, slowest: DatasetStage) -> str:
    """`The step waited 60 % of 1.2 s for elements, ...`"""
    part = waited / seconds if seconds else 0.0
    return (
        f"{who} waited {100 * part:.0f} % of {duration(seconds)} for elements; "
        f"{name_of(slowest)}{place_of(slowest)} takes most of their time."
    )
