"""The ways in which a pipeline is iterated, and how each must go."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from everyday.programs import Loaded, Program
from pipelines.elements import checksum, difference, plain, traced_checksum
from pipelines.plain import namespace
from pipelines.streams import Endless, Failure, Fusion, Stream

from graphwright.data.dataset_options import OptimizationOptions
from graphwright.data.stages import fused_stages

#: How many elements of a pipeline are compared.
MOST = 120
#: What ends a loop: the checksum's remainder by 7 is 3.
_STOP = 7, 3


class Run(NamedTuple):
    """Elements, how long the log of effects was after each, and the log."""

    items: list[Any]
    marks: list[int]
    log: list[Any]
    is_whole: bool


class Pipeline:
    """A pipeline that was built, with `tf` or as a stream."""

    def __init__(self, program: Program, tf: Any) -> None:
        self.tf = tf
        self.source = program.source
        self.loaded = Loaded(program, tf)
        self.dataset = self.loaded.names["ds"]
        if tf.__name__ == "tensorflow":  # which else computes ahead
            options = tf.data.Options()
            options.autotune.enabled = False
            options.experimental_optimization.apply_default_optimizations = False
            self.dataset = self.dataset.with_options(options)
        self.log: list[Any] = self.loaded.names.get("log", [])

    def run(self, reader: Iterator[Any], most: int = MOST) -> Run:
        """Reads elements."""
        items: list[Any] = []
        marks = [len(self.log)]
        while len(items) < most:
            item = next(reader, None)
            marks.append(len(self.log))
            if item is None:
                return Run(items, marks, list(self.log), True)
            items.append(plain(item))
        return Run(items, marks, list(self.log), False)

    def close(self) -> None:
        """Forgets its text."""
        self.loaded.close()


def model(program: Program) -> Pipeline:
    """A pipeline as a stream."""
    return Pipeline(program, namespace(Stream))


def read(iterator: Iterator[Any]) -> Iterator[Any]:
    """Elements of an iterator, and its failures."""
    while True:
        try:
            yield next(iterator)
        except StopIteration:
            return
        except Exception as error:  # noqa: BLE001 - the model says which it must be
            yield Failure(type(error).__name__)


def is_ordered(program: Program) -> bool:
    """Whether the order of elements is known."""
    return "shuffle(" not in program.source and "deterministic=False" not in program.source


def is_lazy(program: Program) -> bool:
    """Whether nothing is computed before it is read."""
    words = "prefetch(", "num_parallel", "shuffle("
    return not any(word in program.source for word in words)


def differs(program: Program, expected: Run, run: Run) -> str:
    """How a run differs from the expected one, in words that begin with the kind."""
    if not is_ordered(program):
        if not expected.is_whole:
            return ""
        expected = expected._replace(items=sorted(expected.items, key=str))
        run = run._replace(items=sorted(run.items, key=str))
    for i, (one, other) in enumerate(zip(expected.items, run.items)):
        words = difference(one, other)
        if words:
            kind, _, rest = words.partition(": ")
            return f"{kind}: element {i}: {rest}"
    if len(expected.items) != len(run.items):
        return f"count: {len(run.items)} elements, not {len(expected.items)}"
    if is_lazy(program) and expected.marks != run.marks:
        return f"laziness: {run.marks} effects, not {expected.marks}"
    if is_lazy(program) and expected.log != run.log:
        return f"effects: {run.log}, not {expected.log}"
    return ""


class Case(NamedTuple):
    """A pipeline, a number for what a way does at random, and the package."""

    program: Program
    seed: int
    tf: Any

    def built(self) -> Pipeline:
        """The pipeline of the package."""
        return Pipeline(self.program, self.tf)


def eagerly(case: Case) -> str:
    """Element by element, twice."""
    expected, pipeline = model(case.program), case.built()
    for turn in "", "again ":
        wanted = expected.run(expected.dataset.read())
        run = pipeline.run(read(iter(pipeline.dataset)))
        words = differs(case.program, wanted, run) or (not turn and described(pipeline, run)) or ""
        if words:
            return turn + words
    return ""


def as_numpy(case: Case) -> str:
    """By `as_numpy_iterator`."""
    expected, pipeline = model(case.program), case.built()
    wanted = expected.run(expected.dataset.read())
    run = pipeline.run(read(pipeline.dataset.as_numpy_iterator()))
    return differs(case.program, wanted, run)


def described(pipeline: Pipeline, run: Run) -> str:
    """Whether the element spec and the cardinality say what came."""
    count = int(pipeline.dataset.cardinality())
    # A dataset of nothing that is repeated for ever counts as endless too.
    is_sound = not any(isinstance(item, Failure) for item in run.items)
    is_wrong = run.is_whole and is_sound and count != -2 and count != len(run.items)
    if is_wrong and "repeat()" not in pipeline.source:
        return f"cardinality: {count} for {len(run.items)} elements"
    for item in run.items:
        if isinstance(item, Failure):
            continue
        words = unfit(pipeline.tf, pipeline.dataset.element_spec, item)
        if words:
            return f"spec: {words}"
    return ""


def unfit(tf: Any, spec: Any, element: Any) -> str:
    """Why an element has not its spec, or nothing."""
    if isinstance(element, tuple):
        if type(spec) is not tuple or len(spec) != len(element):
            return f"{spec} of a tuple"
        return next(filter(None, (unfit(tf, s, e) for s, e in zip(spec, element))), "")
    if isinstance(element, dict):
        if not isinstance(spec, dict) or spec.keys() != element.keys():
            return f"{spec} of a dict"
        return next(filter(None, (unfit(tf, spec[k], element[k]) for k in element)), "")
    if isinstance(element, list):
        return "" if isinstance(spec, tf.RaggedTensorSpec) else f"{spec} of a ragged element"
    if isinstance(spec, tf.RaggedTensorSpec) and not spec.ragged_rank:
        spec = tf.TensorSpec(spec.shape, spec.dtype)  # a row of a ragged tensor
    dtype = element.dtype if element.dtype.kind != "O" else object
    fits = isinstance(spec, tf.TensorSpec) and spec.shape.is_compatible_with(element.shape)
    return "" if fits and spec.dtype.as_numpy_dtype == dtype else f"{spec} of {element!r}"


def looped(case: Case) -> str:
    """By a loop in a graph, to its end or to a break."""
    tf = case.tf
    factor, rest = _STOP
    has_break = case.seed % 3 > 0

    @tf.function
    def whole(dataset: Any) -> Any:
        total = tf.constant(0, tf.int64)
        for element in dataset:
            total = traced_checksum(tf, total, element)
        return total

    @tf.function
    def broken(dataset: Any) -> Any:
        total = tf.constant(0, tf.int64)
        for element in dataset:
            total = traced_checksum(tf, total, element)
            if total % factor == rest:
                break
        return total

    def until(total: int) -> bool:
        return has_break and total % factor == rest

    return folded(case, lambda dataset: (broken if has_break else whole)(dataset), until)


def reduced(case: Case) -> str:
    """By `reduce`."""
    tf = case.tf

    def fold(dataset: Any) -> Any:
        start = tf.constant(0, tf.int64)
        return dataset.reduce(start, lambda total, element: traced_checksum(tf, total, element))

    return folded(case, fold, lambda total: False)


def folded(case: Case, fold: Callable[[Any], Any], until: Callable[[int], bool]) -> str:
    """Whether the checksum of a pipeline is what it must be."""
    if not is_ordered(case.program):
        return ""
    expected = model(case.program)
    total, error = 0, ""
    for count, item in enumerate(expected.dataset.read()):
        if isinstance(item, Failure):
            error = item.name
            break
        total = checksum(total, plain(item))
        if until(total):
            break
        if count >= MOST:
            return ""
    pipeline = case.built()
    try:
        result = int(fold(pipeline.dataset))
    except Exception as caught:  # noqa: BLE001 - the model says which it must be
        if type(caught).__name__ != error:
            return f"error: {type(caught).__name__}, not {error or total}: {str(caught)[:300]}"
    else:
        if error:
            return f"error: {result}, not {error}"
        if result != total:
            return f"value: {result}, not {total}"
    if is_lazy(case.program) and pipeline.log != expected.log:
        return f"effects: {pipeline.log}, not {expected.log}"
    return ""


def restored(case: Case) -> str:
    """By an iterator that is saved somewhere; another goes on."""
    if not is_ordered(case.program) or "from_generator(" in case.program.source:
        return ""  # only Python knows where a generator is
    expected = model(case.program)
    wanted = expected.run(expected.dataset.read())
    place = case.seed * 7919 % (len(wanted.items) + 2)
    pipeline, other = case.built(), case.built()
    iterator = iter(pipeline.dataset)
    for _ in itertools.islice(read(iterator), place):
        pass
    state = iterator._reader.save()
    for goes_on, name in ((iterator, "after the save"), (iter(other.dataset), "restored")):
        if goes_on is not iterator:
            goes_on._reader.restore(state)
        run = pipeline.run(read(goes_on), len(wanted.items[place:]) + wanted.is_whole)
        same = Run(wanted.items[place:], run.marks, run.log, wanted.is_whole)
        words = differs(case.program, same, run)
        if words:
            return f"{name} at {place} {words}"
    return ""


@contextmanager
def rewriting(is_on: bool) -> Iterator[None]:
    """Rewrites all pipelines, also for a few elements, or none."""
    defaults, few = OptimizationOptions._defaults, fused_stages._FEW
    OptimizationOptions._defaults = {"apply_default_optimizations": is_on}
    fused_stages._FEW = 1
    Fusion.is_on = is_on
    try:
        yield
    finally:
        OptimizationOptions._defaults, fused_stages._FEW = defaults, few
        Fusion.is_on = True


def rewritten(case: Case) -> str:
    """With all rewrites from the second element on."""
    with rewriting(True):
        return eagerly(case)


def unchanged(case: Case) -> str:
    """Without rewrites."""
    with rewriting(False):
        return eagerly(case)


def crossed(case: Case) -> str:
    """By an iterator that is saved somewhere with rewrites; another goes on without, or reverse."""
    if not is_ordered(case.program) or "from_generator(" in case.program.source:
        return ""
    expected = model(case.program)
    wanted = expected.run(expected.dataset.read())
    if any(isinstance(item, Failure) for item in wanted.items):
        with rewriting(False):
            apart = expected.run(expected.dataset.read())
        if len(apart.items) != len(wanted.items):
            return ""  # which elements a failure loses depends on a rewrite, as in TensorFlow
    place = case.seed * 7919 % (len(wanted.items) + 2)
    is_first = case.seed % 2 > 0
    pipeline, other = case.built(), case.built()
    with rewriting(is_first):
        iterator = iter(pipeline.dataset)
        for _ in itertools.islice(read(iterator), place):
            pass
        state = iterator._reader.save()
    with rewriting(not is_first):
        goes_on = iter(other.dataset)
        goes_on._reader.restore(state)
        run = pipeline.run(read(goes_on), len(wanted.items[place:]) + wanted.is_whole)
    same = Run(wanted.items[place:], run.marks, run.log, wanted.is_whole)
    words = differs(case.program, same, run)
    return f"crossed at {place} {words}" if words else ""


def shuffled(case: Case) -> str:
    """With seeds, a pipeline gives the same order when it is built again."""
    if "shuffle(" not in case.program.source or "deterministic=False" in case.program.source:
        return ""
    runs = [p.run(read(iter(p.dataset))) for p in (case.built(), case.built())]
    for one, other in zip(runs[0].items, runs[1].items):
        words = difference(one, other)
        if words:
            return f"order: {words}"
    return ""


WAYS: dict[str, Callable[[Case], str]] = {
    "eagerly": eagerly,
    "numpy": as_numpy,
    "looped": looped,
    "reduced": reduced,
    "restored": restored,
    "shuffled": shuffled,
    "rewritten": rewritten,
    "unchanged": unchanged,
    "crossed": crossed,
}

__all__ = ["MOST", "WAYS", "Case", "Endless", "model"]
