"""The functions that Keras makes for `fit`, `predict` and the like, in the terms of its users."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from graphwright.base.errors import Location
from graphwright.base.named_tuples import NamedTuple
from graphwright.explain.cause import CauseRule, Retrace
from graphwright.explain.findings import CauseReport
from graphwright.explain.fix import Fix
from graphwright.explain.replay import Requests, change_call, count
from graphwright.explain.trace_record import FunctionFamily, History
from graphwright.explain.wording import listed, plural, show_place, show_shape, unique
from graphwright.trace.argument_types import Structure
from graphwright.trace.signature import FunctionType
from graphwright.types import tree
from graphwright.types.specs import TensorSpec
from graphwright.types.tensor_type import Dims
from graphwright.types.trace_type import TraceType

_SHOWN = 5  # retraces shown of each cause

_PAD = "{0} = np.pad({0}, [[0, {1}]] + [[0, 0]] * ({0}.ndim - 1))"


class BatchForm(NamedTuple):
    """The batches that one call of a function takes."""

    batches: int
    parts: int  # tensors in one batch
    specs: tuple[TensorSpec, ...]  # of all tensors, in order

    @classmethod
    def of(cls, call_type: FunctionType) -> BatchForm:
        """The form of the batches among a call's arguments."""
        specs = tuple(specs_of(call_type))
        batches = 1
        for name, _, type_ in call_type.typed():
            if name == "data" and isinstance(type_, Structure) and type_.kind is list:
                batches = max(1, len(type_.children))
        return cls(batches, len(specs) // batches, specs)

    @property
    def dims(self) -> list[Dims]:
        """The sizes of the tensors of the first batch."""
        return [spec.type.dims or () for spec in self.specs[: self.parts]]


def specs_of(call_type: FunctionType) -> Iterator[TensorSpec]:
    """The specs of all tensors in a call, those that an iterator gives included."""
    taken: list[TensorSpec] = []

    def take(spec: TensorSpec) -> TensorSpec:
        taken.append(spec)
        return spec

    with_specs(call_type, take)
    return iter(taken)


def with_specs(call_type: FunctionType, change: Callable[[TensorSpec], TensorSpec]) -> FunctionType:
    """The type of a call with other specs of tensors, those that an iterator gives included."""

    def changed(path: str, type_: TraceType) -> TraceType:
        if isinstance(type_, TensorSpec):
            return change(type_)
        element: Any = getattr(type_, "element_spec", None)
        if element is None:
            return type_
        kind: Any = type(type_)
        made: TraceType = kind(
            tree.map_structure(lambda s: change(s) if isinstance(s, TensorSpec) else s, element)
        )
        return made

    return change_call(call_type, changed)


class KerasFunction:
    """A function that Keras made, as the program knows it: by the method that it called."""

    def __init__(self, history: History) -> None:
        self.history = history
        calls = [record for record in history.records if record.method]
        self.method = calls[-1].method if calls else "fit"
        self.place: Location | None = calls[-1].caller if calls else history.created
        self.requests = Requests.of(history)
        self.forms = unique(BatchForm.of(call_type) for call_type in self.requests.types)

    @property
    def title(self) -> str:
        """The method as a program calls it."""
        return f"model.{self.method}"

    @property
    def is_of_one_batch(self) -> bool:
        """Whether each call of the method is given one batch."""
        return self.method.endswith("_on_batch")

    def call(self, options: str = "") -> str:
        """The code of a call."""
        targets = "" if self.method.startswith("predict") else ", y"
        return f"{self.title}(x{targets}{options})"

    def causes(self, evidence: Sequence[Retrace]) -> Iterator[CauseReport]:
        """The causes of its traces, the retraces grouped by what differs between batches."""
        groups: dict[tuple[CauseRule, str], list[Retrace]] = {}
        for retrace in evidence:
            if retrace.record is not None:
                old = self.history.records[retrace.nearest].concrete.function_type
                groups.setdefault(difference(old, retrace.record.call_type), []).append(retrace)
        for (rule, what), retraces in groups.items():
            numbers = [f"trace {r.number} ({show_place(caller_of(r))})" for r in retraces]
            more = len(numbers) - _SHOWN
            shown = [*numbers[:_SHOWN], *([f"... and {more} more"] if more > 0 else [])]
            yield CauseReport(
                rule.value, (what,), self.sentence(what), len(retraces), tuple(shown),
                tuple(self.fixes(what)),
            )  # fmt: skip

    def sentence(self, what: str) -> str:
        """What differs, in a sentence."""
        forms = self.forms
        if what == "batches":
            numbers = listed(unique(form.batches for form in forms), "or")
            return (
                f"`{self.title}` takes {numbers} batches at a time: the number of batches is no "
                "multiple of `steps_per_execution`, and each number needs a trace."
            )
        if what == "parts":
            numbers = listed(unique(form.parts for form in forms), "or")
            return (
                f"`{self.title}` gets batches of {numbers} tensors, as with `sample_weight` in "
                "some calls only; each needs a trace."
            )
        if what == "dtypes":
            names = unique(", ".join(s.dtype.name for s in f.specs[: f.parts]) for f in forms)
            return f"`{self.title}` gets batches of {listed(names)}; each needs a trace."
        part = first_difference([form.dims for form in forms])
        shapes = unique(show_shape(form.dims[part]) for form in forms)
        text = f"`{self.title}` gets batches of {plural(len(shapes), 'shape')}: {listed(shapes)}"
        return f"{text}; each needs a trace."

    def fixes(self, what: str) -> Iterator[Fix]:
        """The changes of the program that save these traces, those that save most first."""
        reduces = bool(self.history.options["reduce_retracing"])
        now = count(self.requests, reduces)
        fixes = []
        for title, code, note in self.proposals(what):
            changed = self.requests.replaced([self.alike(t, what) for t in self.requests.types])
            fixes.append(Fix(title, code, count(changed, reduces), note))
        yield from [fix for fix in fixes if fix.traces < now]

    def proposals(self, what: str) -> Iterator[tuple[str, str, str]]:
        """A title, code and a note of each change."""
        axes = varying_axes(self.forms)
        largest = max((form.dims[0][0] or 1 for form in self.forms if form.dims[0]), default=1)
        if what == "batches":
            steps = max(form.batches for form in self.forms)
            code = [f"rows, step = len(x), {largest} * {steps}  # batch_size * steps_per_execution"]
            code.append(_PAD.format("x", "-rows % step"))
            code.append(f"y = {self.call(f', batch_size={largest}')}[:rows]")
            yield "Pad to whole executions", "\n".join(code), ""
        elif what == "parts":
            weights = 'np.ones(len(x), "float32")'
            yield "Pass weights in every call", self.call(f", sample_weight={weights}"), ""
        elif what == "dtypes":
            name = self.forms[0].specs[0].dtype.name
            yield "Convert the data first", f'x = x.astype("{name}")\n{self.call()}', ""
        elif axes == {0}:
            yield from self.sizes(largest)
        elif axes == {1}:
            length = max(form.dims[0][1] or 1 for form in self.forms)
            dtype = self.forms[0].specs[0].dtype.name
            code = [f'x = keras.utils.pad_sequences(x, {length}, "{dtype}", padding="post")']
            note = "Only where padding does not change the result, or a mask goes along."
            yield "Pad to one length", "\n".join([*code, self.call()]), note

    def sizes(self, largest: int) -> Iterator[tuple[str, str, str]]:
        """Proposals for batches that differ in the number of rows alone."""
        if self.method in ("fit", "evaluate"):
            note = "The size of a batch is then unknown, and one trace serves all sizes."
            code = f"dataset = dataset.batch(n)\n{self.title}(dataset)"
            yield "Leave out `drop_remainder`", code, note
        elif self.method == "predict":
            code = f"rows = len(x)\n{_PAD.format('x', f'-rows % {largest}')}"
            note = "Of a dataset, `batch(n, drop_remainder=True)` leaves the smaller batch out."
            call = self.call(f", batch_size={largest}")
            yield "Pad the last batch", f"{code}\ny = {call}[:rows]", note
        elif self.method == "predict_on_batch":
            code = f"rows = len(x)\n{_PAD.format('x', f'{largest} - rows')}"
            yield "Pad each batch", f"{code}\ny = {self.call()}[:rows]", ""
        else:
            method = "fit" if self.method == "train_on_batch" else "evaluate"
            code = f"model.{method}(x, y, batch_size={largest + 1}, verbose=0)"
            note = (
                "`batch_size` is larger than every batch, so its size is unknown, and one trace "
                "serves all."
            )
            yield f"Call `{method}` for each batch", code, note

    def alike(self, call_type: FunctionType, what: str) -> FunctionType:
        """The type of a call after a change, the same for all calls."""
        if what in ("batches", "parts"):
            return max(self.requests.types, key=lambda t: len(BatchForm.of(t).specs))
        specs = iter(range(len(BatchForm.of(call_type).specs)))
        first = self.forms[0]

        def change(spec: TensorSpec) -> TensorSpec:
            part = next(specs) % first.parts
            if what == "dtypes":
                return TensorSpec(spec.shape, first.specs[part].dtype)
            dims = [form.dims[part] for form in self.forms if part < form.parts]
            return TensorSpec([most(sizes) for sizes in zip(*dims)], spec.dtype)

        return with_specs(call_type, change)


def most(sizes: Sequence[int | None]) -> int | None:
    """The largest of the sizes; None where one is unknown."""
    known = [size for size in sizes if size is not None]
    return max(known) if len(known) == len(sizes) else None


def first_difference(dims: Sequence[Sequence[Dims]]) -> int:
    """The first tensor of batches that comes in several shapes."""
    parts = [len(set(each)) > 1 for each in zip(*dims)]
    return parts.index(True) if True in parts else 0


def caller_of(retrace: Retrace) -> Location | None:
    """The line of the program whose call asked for a trace."""
    return None if retrace.record is None else retrace.record.caller


def difference(old: FunctionType, new: FunctionType) -> tuple[CauseRule, str]:
    """The rule by which a trace could not serve a call, and what of the batches differs."""
    before, after = BatchForm.of(old), BatchForm.of(new)
    if before.batches != after.batches:
        return CauseRule.STRUCTURE, "batches"
    if before.parts != after.parts:
        return CauseRule.STRUCTURE, "parts"
    if [s.dtype for s in before.specs] != [s.dtype for s in after.specs]:
        return CauseRule.DTYPE, "dtypes"
    return CauseRule.SHAPE, "shapes"


def varying_axes(forms: Sequence[BatchForm]) -> set[int]:
    """The axes along which batches differ; -1 for a differing number of axes."""
    axes = set()
    for dims in zip(*[form.dims for form in forms]):
        if len({len(each) for each in dims}) > 1:
            axes.add(-1)
        axes |= {axis for axis, sizes in enumerate(zip(*dims)) if len(set(sizes)) > 1}
    return axes


def is_of_keras(history: History) -> bool:
    """Whether Keras made a function for a method that the program called."""
    module = getattr(history.function, "__module__", None) or ""
    return module.partition(".")[0] == "keras" and any(r.method for r in history.records)


def of_models(family: FunctionFamily, function: KerasFunction) -> CauseReport | None:
    """The cause for which models that one line makes are traced one by one, or None."""
    number, title = family.makings.get(function.history.making, 0), function.title
    if number < 2:
        return None
    code = (
        "weights = model.get_weights()  # before the loop, of the one model\n"
        "model.set_weights(weights)  # in the loop, where training begins anew\n"
        f"{function.call()}"
    )
    note = (
        "An optimizer keeps its moments. Models of other layers or sizes need traces of their own."
    )
    return CauseReport(
        CauseRule.DECORATOR.value,
        ("model",),
        f"{number} models were built or compiled one after the other for `{title}`: each begins "
        "without traces.",
        number - 1,
        (f"{plural(number, 'model')} at {show_place(function.history.created)}",),
        (Fix("Build and compile the model once", code, 1, note),),
    )
