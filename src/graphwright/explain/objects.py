"""Objects as arguments: equality, a trace type, a longer life, or their attributes as tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graphwright.explain.cause import Cause, CauseRule
from graphwright.explain.proposal import Apply, Proposal, ProposalCase
from graphwright.explain.replay import Requests, token
from graphwright.explain.trace_record import ObjectNote
from graphwright.explain.wording import listed, paths_shown, unique
from graphwright.trace.argument_types import Structure, Weakref
from graphwright.types import dtypes as dt
from graphwright.types.specs import TensorSpec
from graphwright.types.trace_type import TraceType

_EQUALITY = """\
# in class {kind}:
def __eq__(self, other):
    return type(self) is type(other) and vars(self) == vars(other)

def __hash__(self):
    return hash((type(self), *vars(self).values()))"""

_TRACE_TYPE = """\
class {kind}TraceType(tf.types.experimental.TraceType):
    def __init__(self, value):
        self.value = value
        self.key = (type(value), *vars(value).values())

    def is_subtype_of(self, other):
        return self == other

    def most_specific_common_supertype(self, others):
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context=None):
        return self.value

    def __eq__(self, other):
        return isinstance(other, {kind}TraceType) and self.key == other.key

    def __hash__(self):
        return hash(self.key)

# in class {kinds}:
def __tf_tracing_type__(self, context):
    return {kind}TraceType(self)"""


def object_proposals(case: ProposalCase, cause: Cause) -> Iterator[Proposal]:
    """The changes that let one object's trace serve another."""
    notes = notes_at(case, cause)
    kinds = unique(note.kind for note in notes)
    if not kinds:
        return
    if all(note.place for note in notes):
        yield made_once(case, cause, notes)
        return
    if cause.rule is CauseRule.IDENTITY:
        if not all(note.has_eq for note in notes):
            yield equality(case, cause, kinds)
    else:
        yield keeping(case, cause)
    yield trace_type(case, cause, kinds)
    yield from fields(case, cause, notes)


def notes_at(case: ProposalCase, cause: Cause) -> list[ObjectNote]:
    """The notes on the objects at a cause's paths."""
    types = [t for path in cause.paths for t in cause.types(path)]
    notes = [case.requests.notes.get(id(t)) for t in types]
    return [note for note in notes if note is not None]


def by_state(case: ProposalCase, cause: Cause, compared: bool = False) -> Apply:
    """A change of calls: an object is its class and its attributes, not its identity.

    If objects are `compared`, one is all that its class takes for equal.
    """
    notes = case.requests.notes

    def apply(requests: Requests) -> Requests:
        def change(path: str, type_: TraceType) -> TraceType:
            note = notes.get(id(type_)) if isinstance(type_, Weakref) else None
            if note is None or path not in cause.paths:
                return type_
            return token(note, note.hash if compared and note.has_eq else None)

        return requests.changed(change)

    return apply


def equality(case: ProposalCase, cause: Cause, kinds: Sequence[str]) -> Proposal:
    """The proposal that objects of equal state are equal."""
    notes = case.requests.notes

    def apply(requests: Requests) -> Requests:
        chosen = {id(t) for path in cause.paths for t in cause.types(path)}
        compared = {n: note.comparing() if n in chosen else note for n, note in notes.items()}
        return requests.with_notes(compared)

    code = "\n\n".join(_EQUALITY.format(kind=kind) for kind in kinds)
    note = "The object of the first call must be alive when the next one comes."
    return Proposal(f"Say when two are equal: {', '.join(kinds)}.__eq__", apply, code, note=note)


def keeping(case: ProposalCase, cause: Cause) -> Proposal:
    """The proposal that objects live as long as the calls."""
    lines = [
        f"{path} = {note.kind}(...)  # once, kept outside the calls"
        for path in cause.paths
        for note in [case.requests.notes.get(id(cause.types(path)[0]))]
        if note is not None
    ]
    title = f"Keep {paths_shown(cause.paths)} alive between calls"
    return Proposal(title, by_state(case, cause, compared=True), "\n".join(lines), {})


def made_once(case: ProposalCase, cause: Cause, notes: Sequence[ObjectNote]) -> Proposal:
    """The proposal that functions are made outside of the calls."""
    places = listed(unique(note.place for note in notes))
    lines = [f"{path} = ...  # what stands at {places}, once" for path in cause.paths]
    note = "Functions that capture other values differ: pass these values as tensors."
    return Proposal(
        f"Make {paths_shown(cause.paths)} once, outside of the calls",
        by_state(case, cause),
        "\n".join(lines),
        {},
        note=note if any(note.names for note in notes) else "",
    )


def trace_type(case: ProposalCase, cause: Cause, kinds: Sequence[str]) -> Proposal:
    """The proposal that objects have a trace type of their own."""
    code = _TRACE_TYPE.format(kind=kinds[0], kinds=" and ".join(kinds))
    title = f"Implement __tf_tracing_type__ in {' and '.join(kinds)}"
    return Proposal(title, by_state(case, cause), code)


def fields(case: ProposalCase, cause: Cause, notes: Sequence[ObjectNote]) -> Iterator[Proposal]:
    """The proposal that the numbers in objects are passed as tensors."""
    names = notes[0].names
    numeric = all(
        note.names == names and set(map(type, note.state)) <= {int, float} for note in notes
    )
    if not names or not numeric:
        return
    columns = list(zip(*[note.state for note in notes]))
    specs = [
        TensorSpec([], dt.int32 if all(type(v) is int for v in column) else dt.float32)
        for column in columns
    ]
    as_tensors = Structure(tuple, None, tuple(specs))

    def apply(requests: Requests) -> Requests:
        return requests.changed(
            lambda path, t: as_tensors if path in cause.paths and isinstance(t, Weakref) else t
        )

    replaced = {
        path: ", ".join(f"tf.constant({path}.{name})" for name in names) for path in cause.paths
    }
    title = f"Pass the numbers in {paths_shown(cause.paths)} as tensors"
    yield Proposal(title, apply, replaced=replaced)
