"""What is done to a pipeline before an iterator goes through it.

Each rewrite puts one stage in the place of some. It keeps elements, their order, effects, errors
and where they come, and the states of iterators: a state that was saved with a rewrite can be
restored without it. `tf.data.Options().experimental_optimization` has a switch for each.

Rules ask for the names of classes. So the module of a stage is imported when one is made, and not
for the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any, TypeAlias

from graphwright.data.blocks import ElementBlock
from graphwright.data.dataset_options import Options
from graphwright.data.stage import MAPS, AppliedRewrite, DatasetStage, Plan, kind_of
from graphwright.data.tuning.pipeline_budget import AUTOTUNE
from graphwright.op.late_imports import late_module
from graphwright.types import dtypes as dt
from graphwright.types.specs import TensorSpec

#: A stage in the place of another, and what was done; None where the rewrite does not apply.
Rewritten: TypeAlias = tuple[DatasetStage, str] | None


def without_idle(stage: DatasetStage) -> Rewritten:
    """Leaves out a stage that does nothing, and makes two prefetches one."""
    if stage.is_idle:
        return stage.inputs[0], f"{stage.type_name} does nothing"
    if kind_of(stage) == "PrefetchStage" == kind_of(stage.inputs[0]):
        last: Any = stage
        before: Any = stage.inputs[0]
        made: Any = stage.behind(*before.inputs)
        made.size, made.depth = before.size.joined(last.size), last.depth + before.depth
        return made, f"{stage.type_name} behind {before.type_name}: one thread and one buffer"
    return None


def parallel_map(stage: DatasetStage) -> Rewritten:
    """Lets threads have parts of long blocks, but for random numbers: these come in turn."""
    this: Any = stage
    if kind_of(stage) == "ParallelMapStage" and this.has_effects and this.function.draws_for_many:
        return this.in_turn(), f"{this.title}: draws for many elements at once, without threads"
    if kind_of(stage) != "MapStage" or stage.is_observable or this.draws_in_turn:
        return None
    return this.parallel(AUTOTUNE), f"{this.title}: threads have parts of long blocks"


def fused_maps(stage: DatasetStage) -> Rewritten:
    """Makes a map behind another one function."""
    last = members(stage)
    before = members(stage.inputs[0]) if last else []
    if not before or kind_of(before[-1]) == "FilterStage" or kind_of(last[0]) not in MAPS:
        return None
    if getattr(before[0], "calls", 0) != last[0].calls:
        return None
    return fused(before, last)


def fused_filters(stage: DatasetStage) -> Rewritten:
    """Makes a filter behind another one predicate."""
    last = members(stage)
    before = members(stage.inputs[0]) if last else []
    if not before or not all(kind_of(s) == "FilterStage" for s in (before[-1], last[0])):
        return None
    # On elements that the first filter leaves out, the second one might never come to an end.
    if any(True for _ in last[0].function.function.graph.subgraphs()):
        return None
    return fused(before, last)


def fused_map_and_filter(stage: DatasetStage) -> Rewritten:
    """Makes a filter behind a map one function."""
    last = members(stage)
    before = members(stage.inputs[0]) if last else []
    if not before or kind_of(before[-1]) not in MAPS or kind_of(last[0]) != "FilterStage":
        return None
    return fused(before, last)


def members(stage: DatasetStage) -> list[Any]:
    """The maps and filters that a stage stands for; none where it is no such stage."""
    if kind_of(stage) == "FusedStage":
        several: Any = stage
        return list(several.stages)
    if kind_of(stage) in _FUSIBLE:
        this: Any = stage
        is_called_ahead = kind_of(stage) == "ParallelMapStage" and stage.is_observable
        types = [*stage.element.types, *stage.inputs[0].element.types]
        is_plain = not any(type_.dtype is dt.variant for type_ in types)
        if is_plain and not this.function.has_effects and not is_called_ahead:
            return [stage]
    return []


_FUSIBLE = *MAPS, "FilterStage"


def fused(before: list[Any], last: list[Any]) -> tuple[DatasetStage, str]:
    """One stage for these and those behind them."""
    one, other = before[-1].title, last[0].title
    fused_stages: Any = late_module("graphwright.data.stages.fused_stages")
    words = f"{one} and {other}: one graph for many elements"
    return fused_stages.FusedStage([*before, *last]), words


def window_batches(stage: DatasetStage) -> Rewritten:
    """Makes all windows of a block at once where each becomes one batch."""
    if kind_of(stage) != "FlatMapStage" or kind_of(stage.inputs[0]) != "WindowStage":
        return None
    functions: Any = late_module("graphwright.data.stages.window_functions")
    windows: Any = stage.inputs[0]
    this: Any = stage
    function = this.function
    leaves = windows.inputs[0].element.leaves
    if function.has_effects:
        return None
    if not all(isinstance(leaf, TensorSpec) for leaf in leaves):
        return None
    if functions.looks_inside(function):
        return None
    probes = [functions.FixedStage(part, ElementBlock(0, ())) for part in windows.parts]
    (made,) = function(probes)
    parts = list(batched_parts(made, probes, windows.size))
    if -1 in parts:
        return None
    words = f"{windows.type_name} and its batches: all windows of a block by strides"
    return functions.WindowBatchesStage(stage, windows, parts), words


def batched_parts(stage: Any, probes: list[Any], size: int) -> Iterator[int]:
    """Which of some datasets each part of a stage has in one batch; -1 for what is no batch."""
    if kind_of(stage) == "ZipStage":
        for part in stage.inputs:
            yield from batched_parts(part, probes, size)
    elif kind_of(stage) == "BatchStage" and stage.inputs[0] in probes:
        is_whole = stage.size == size or (stage.size > size and not stage.drop_remainder)
        yield probes.index(stage.inputs[0]) if is_whole else -1
    else:
        yield -1


def repeated_shuffle(stage: DatasetStage) -> Rewritten:
    """Has a repeated shuffle take no seeds behind its last round."""
    if kind_of(stage) != "RepeatStage" or kind_of(stage.inputs[0]) != "ShuffleStage":
        return None
    this: Any = stage
    source = stage.inputs[0]
    if this.is_shuffle:
        return None
    made: Any = stage.behind(source)
    made.is_shuffle = True
    return made, f"{stage.type_name} behind {source.type_name}: no seed for a round behind the last"


def batched_map(stage: DatasetStage) -> Rewritten:
    """Has the elements of a batch be lost where a map before it fails for one of them."""
    if kind_of(stage) != "BatchStage":
        return None
    this: Any = stage
    source: Any = stage.inputs[0]
    last = source.stages[-1] if kind_of(source) == "FusedStage" else source
    if this.is_fused or kind_of(last) not in MAPS:
        return None
    made: Any = stage.behind(source)
    made.is_fused = True
    return made, f"{stage.type_name} behind {last.title}: an error takes the rest of its batch"


#: The rewrites, by the names of the options that switch them, in the order in which they are tried.
RULES: dict[str, Callable[[DatasetStage], Rewritten]] = {
    "noop_elimination": without_idle,
    "map_parallelization": parallel_map,
    "map_fusion": fused_maps,
    "filter_fusion": fused_filters,
    "map_and_filter_fusion": fused_map_and_filter,
    "window_and_batch_fusion": window_batches,
    "shuffle_and_repeat_fusion": repeated_shuffle,
    "map_and_batch_fusion": batched_map,
}

#: Those that TensorFlow does not make where `with_options` stands between the two stages.
_OF_NEIGHBOURS = "shuffle_and_repeat_fusion", "map_and_batch_fusion"


def plan_of(stage: DatasetStage) -> Plan:
    """What iterators go through in the place of a stage; it is made once."""
    if stage.plan is None:
        options = options_of(stage)
        rewriting = Rewriting(options)
        stage.plan = Plan(rewriting.rewritten(stage), tuple(rewriting.applied), options)
    return stage.plan


def options_of(stage: DatasetStage) -> Options:
    """The options of a pipeline: those of the stages behind go before those of others."""
    return reduce(Options.merge, options_in(stage), Options())


def options_in(stage: DatasetStage) -> Iterator[Options]:
    """The options that a stage sets, behind those that the stages before it set."""
    for source in stage.inputs:
        yield from options_in(source)
    if kind_of(stage) == "OptionsStage":
        last: Any = stage
        yield last.options


class Rewriting:
    """The rewrites of a pipeline that options allow."""

    def __init__(self, options: Options) -> None:
        optimization = options.experimental_optimization
        self.rules = {name: rule for name, rule in RULES.items() if optimization._allows(name)}
        self.applied: list[AppliedRewrite] = []
        #: What became of each stage: one that has two readers stays one.
        self.made: dict[int, DatasetStage] = {}

    def rewritten(self, stage: DatasetStage) -> DatasetStage:
        """The stage in the place of another."""
        made = self.made.get(id(stage))
        if made is None:
            made = self.made[id(stage)] = self.rewritten_anew(stage)
        return made

    def rewritten_anew(self, stage: DatasetStage) -> DatasetStage:
        """The stage in the place of one that has not come before."""
        inputs = [self.rewritten(source) for source in stage.inputs]
        if kind_of(stage) == "OptionsStage":
            return inputs[0]
        is_apart = any(stands_behind_options(source) for source in stage.inputs)
        if any(made is not source for made, source in zip(inputs, stage.inputs)):
            stage = stage.behind(*inputs)
        while (change := self.change(stage, is_apart)) is not None:
            stage = change
        return stage

    def change(self, stage: DatasetStage, is_apart: bool) -> DatasetStage | None:
        """A stage in the place of another by the first rule that applies."""
        for name, rule in self.rules.items():
            if is_apart and name in _OF_NEIGHBOURS:
                continue
            rewritten = rule(stage)
            if rewritten is not None:
                made, words = rewritten
                self.applied.append(AppliedRewrite(name, words))
                return made
        return None


def stands_behind_options(stage: DatasetStage) -> bool:
    """Whether a stage only sets options, or does nothing behind one that does."""
    while stage.is_idle:
        if kind_of(stage) == "OptionsStage":
            return True
        stage = stage.inputs[0]
    return False
