"""Changes that would have saved traces: the code to paste, and how many traces would be left.

A `Proposal` changes the types of calls; a replay of these counts the traces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from graphwright.explain.cause import Cause, CauseRule
from graphwright.explain.objects import object_proposals
from graphwright.explain.proposal import Proposal, ProposalCase, keep
from graphwright.explain.replay import Requests, at_paths, bucket, count, leaves
from graphwright.explain.signatures import OF_NUMBERS, reduce_retracing, relaxations, signature
from graphwright.explain.structures import structure_proposals
from graphwright.explain.wording import listed, paths_shown, unique
from graphwright.trace.argument_types import LiteralType, VariableType
from graphwright.types import dtypes as dt
from graphwright.types.specs import TensorSpec
from graphwright.types.trace_type import TraceType

_BUCKETS = 4  # so many different lengths are worth padding


@dataclass(frozen=True)
class Fix:
    """A change of the program and what it saves."""

    title: str
    code: str
    traces: int
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The fix as plain values."""
        return {"title": self.title, "code": self.code, "traces": self.traces, "note": self.note}


def fixes(case: ProposalCase, cause: Cause) -> list[Fix]:
    """The fixes of one cause, the best first."""
    candidates = []
    for proposal in PROPOSALS[cause.rule](case, cause):
        requests = proposal.apply(case.requests)
        if requests is not None:
            reduced = proposal.reduces or case.reduces
            traces = count(requests, reduced)
            note = f"{proposal.note} {left_out(case)}".strip()
            candidates.append(Fix(proposal.title, case.code(proposal), traces, note))
    candidates.sort(key=lambda fix: fix.traces)
    now = count(case.requests, case.reduces)
    return [fix for fix in candidates if fix.traces < now] or candidates


def together(case: ProposalCase, causes: Sequence[Cause]) -> Fix | None:
    """The best fixes of several causes at once; None where fewer than two have one."""
    chosen: list[Proposal] = []
    rest = case
    for cause in sorted(causes, key=lambda c: c.rule is CauseRule.SHAPE):
        best = least(rest, PROPOSALS[cause.rule](rest, cause))
        if best is not None:
            chosen.append(best[0])
            rest = rest._replace(requests=best[1], reduces=rest.reduces or best[0].reduces)
    if len(chosen) < 2:
        return None
    title = "; ".join(p.title for p in chosen)
    return Fix(title, case.code(*chosen), count(rest.requests, rest.reduces), left_out(case))


def left_out(case: ProposalCase) -> str:
    """A note on the calls that a replay leaves out, or nothing."""
    requests = case.requests
    return (
        f"Counted over the first {len(requests.types)} types of calls." if requests.left_out else ""
    )


def least(case: ProposalCase, proposals: Iterator[Proposal]) -> tuple[Proposal, Requests] | None:
    """The proposal that leaves the fewest traces, with the calls as it changes them.

    None where no proposal changes anything.
    """
    best: tuple[int, Proposal, Requests] | None = None
    now = count(case.requests, case.reduces)
    for proposal in proposals:
        requests = proposal.apply(case.requests)
        if requests is None:
            continue
        traces = count(requests, case.reduces or proposal.reduces)
        changes = traces < now or requests.types != case.requests.types
        if changes and (best is None or traces < best[0]):
            best = traces, proposal, requests
    return None if best is None else best[1:]


# -- shapes and dtypes ----------------------------------------------------------------------


def shape_proposals(case: ProposalCase, cause: Cause) -> Iterator[Proposal]:
    """A signature, relaxed retracing, or a few padded lengths."""
    yield from relaxations(case)
    yield from padding(case, cause)


def padding(case: ProposalCase, cause: Cause) -> Iterator[Proposal]:
    """Lengths padded to powers of two, where one dimension has several lengths."""
    specs = {path: specs_of(cause.types(path)) for path in cause.paths}
    varying = {path: varying_axis(types) for path, types in specs.items()}
    if any(axis is None for axis in varying.values()):
        return
    path, axis = next(iter(varying.items()))
    assert axis is not None
    lengths = sorted({spec.type.dims[axis] for spec in specs[path]})
    buckets = sorted({bucket(n) for n in lengths})
    if len(lengths) < _BUCKETS or len(buckets) == len(lengths):
        return

    def change(type_: TraceType) -> TraceType:
        if not isinstance(type_, TensorSpec):
            return type_
        dims = type_.type.dims
        if dims is None or len(dims) != rank:
            return type_
        return TensorSpec(
            [bucket(d) if i == axis and d else d for i, d in enumerate(dims)], type_.dtype
        )

    rank = len(specs[path][0].type.dims)
    lines = []
    for name in cause.paths:
        pads = ", ".join("[0, size - length]" if i == axis else "[0, 0]" for i in range(rank))
        lines += [
            f"length = int({name}.shape[{axis}])",
            f"size = 1 << max(0, (length - 1).bit_length())  # {listed(buckets)}",
            f"{name} = tf.pad({name}, [{pads}])",
        ]
    note = "Only where padding does not change the result, or a mask goes along."
    title = f"Pad {paths_shown(cause.paths)} to {listed(buckets, 'or')}"
    yield Proposal(
        title,
        lambda requests: requests.changed(at_paths(cause.paths, change)),
        "\n".join(lines),
        {},
        note=note,
    )


def specs_of(types: Sequence[TraceType]) -> list[Any]:
    """The types, that of its value for a variable's."""
    return [t.spec if isinstance(t, VariableType) else t for t in types]


def varying_axis(specs: Sequence[TensorSpec]) -> int | None:
    """The one axis whose length differs among specs of one rank."""
    dims = [spec.type.dims for spec in specs if spec.type.dims is not None]
    if len(dims) < len(specs) or any(len(d) != len(dims[0]) or None in d for d in dims):
        return None
    axes = [i for i in range(len(dims[0])) if len({d[i] for d in dims}) > 1]
    return axes[0] if len(axes) == 1 else None


def dtype_proposals(case: ProposalCase, cause: Cause) -> Iterator[Proposal]:
    """One dtype for all calls."""
    dtypes: dict[str, dt.DType] = {}
    for path in cause.paths:
        dtype = common_dtype(specs_of(cause.types(path)))
        if dtype is None:
            return
        dtypes[path] = dtype
    replaced = {path: f"tf.cast({path}, tf.{dtype.name})" for path, dtype in dtypes.items()}

    def apply(requests: Requests) -> Requests:
        for path, dtype in dtypes.items():
            requests = requests.changed(at_paths([path], partial(with_dtype, dtype=dtype)))
        return requests

    title = f"Cast {paths_shown(cause.paths)} before the call"
    yield Proposal(title, apply, replaced=replaced)


def common_dtype(specs: Sequence[TensorSpec]) -> dt.DType | None:
    """The widest of the dtypes; None where one cannot be cast."""
    dtypes = unique(spec.dtype for spec in specs)
    if any(d is dt.string or d is dt.variant or d is dt.resource for d in dtypes):
        return None
    return dt.widest(dtypes)


def with_dtype(type_: TraceType, dtype: dt.DType) -> TraceType:
    """A tensor's type with another dtype; any other type as it is."""
    return TensorSpec(type_.shape, dtype) if isinstance(type_, TensorSpec) else type_


# -- Python values --------------------------------------------------------------------------


def literal_proposals(case: ProposalCase, cause: Cause) -> Iterator[Proposal]:
    """Tensors instead of Python values."""
    replaced, changes = {}, {}
    for path in cause.paths:
        values = [t.value for t in cause.types(path)]
        if {type(v) for v in values} == {bool, int}:
            yield from as_bool(case, cause, path)
            return
        dtype = dtype_of_values(values)
        if dtype is None:
            return
        plain = dtype in (dt.int32, dt.bool_, dt.string) or all(type(v) is float for v in values)
        replaced[path] = f"tf.constant({path}{'' if plain else f', tf.{dtype.name}'})"
        changes[path] = TensorSpec([], dtype)
    note = (
        "A value that shapes the graph, as a mode or a number of layers does, stays a Python "
        "value: one trace for each."
    )
    if any(spec.dtype.is_numeric for spec in changes.values()):
        note = f"{OF_NUMBERS} {note}"
    title = f"Pass {paths_shown(list(replaced.values()))}"
    yield Proposal(title, lambda requests: tensors(requests, changes), replaced=replaced, note=note)
    if not case.constrained:
        fixed = signature(case)
        if fixed is not None:
            yield fixed._replace(note=note)


def as_bool(case: ProposalCase, cause: Cause, path: str) -> Iterator[Proposal]:
    """Zeros and ones as bools: for a trace 1 and True are different."""
    types = [
        t for call_type in case.requests.types for place, t in leaves(call_type) if place == path
    ]
    if not all(isinstance(t, LiteralType) and t.value in (0, 1) for t in types):
        return

    def change(type_: TraceType) -> TraceType:
        return LiteralType(bool(type_.value)) if isinstance(type_, LiteralType) else type_

    replaced = {path: f"bool({path})"}
    yield Proposal(
        f"Pass `bool({path})`",
        lambda requests: requests.changed(at_paths([path], change)),
        replaced=replaced,
    )


def tensors(requests: Requests, changes: dict[str, TensorSpec]) -> Requests:
    """The calls with tensors instead of the Python values at some paths."""
    return requests.changed(
        lambda path, t: changes[path] if path in changes and isinstance(t, LiteralType) else t
    )


def dtype_of_values(values: Sequence[Any]) -> dt.DType | None:
    """The dtype of Python values as tensors; None where they have none in common."""
    kinds = {type(v) for v in values}
    if kinds == {bool}:
        return dt.bool_
    if kinds <= {str, bytes}:
        return dt.string
    if kinds == {int}:
        return dt.int32 if all(-(2**31) <= v < 2**31 for v in values) else dt.int64
    if kinds <= {int, float}:
        return dt.float32
    return dt.complex128 if kinds <= {int, float, complex} else None


def kind_proposals(case: ProposalCase, cause: Cause) -> Iterator[Proposal]:
    """A tensor instead of the Python value, as other calls pass it."""
    replaced, changes = {}, {}
    for path in cause.paths:
        types = cause.types(path)
        spec = next((t for t in types if isinstance(t, TensorSpec)), None)
        values = [t.value for t in types if isinstance(t, LiteralType)]
        if spec is None or not values or dtype_of_values(values) is None:
            return
        replaced[path] = f"tf.constant({path}, tf.{spec.dtype.name})"
        changes[path] = TensorSpec([], spec.dtype)
    title = f"Pass a tensor as {paths_shown(cause.paths)} in every call"
    yield Proposal(title, lambda requests: tensors(requests, changes), replaced=replaced)
    yield from relaxations(case)


# -- variables, functions around, state -----------------------------------------------------


def variable_proposals(case: ProposalCase, cause: Cause) -> Iterator[Proposal]:
    """The value of a variable that is only read."""
    replaced = {path: f"tf.identity({path})" for path in cause.paths}
    note = "Where the function assigns to the variable, the two traces are right."

    def value(type_: TraceType) -> TraceType:
        return type_.spec if isinstance(type_, VariableType) else type_

    title = f"Pass the value of {paths_shown(cause.paths)}"
    yield Proposal(
        title,
        lambda requests: requests.changed(at_paths(cause.paths, value)),
        replaced=replaced,
        note=note,
    )


def local_proposals(case: ProposalCase, cause: Cause) -> Iterator[Proposal]:
    """A captured tensor of the enclosing function, as an argument."""
    names = unique(
        str(tensor.name).partition(":")[0]
        for retrace, _ in cause.evidence
        if retrace.record is not None
        for tensor in retrace.record.concrete.graph.captured
        if hasattr(tensor, "graph")
    )
    if not names:  # only inner functions that it calls capture something
        return
    parameters = ", ".join([*case.names, *names])
    code = f"def {case.name}({parameters}): ..."
    yield Proposal(f"Pass {paths_shown(names)} as an argument", keep, code)


def state_proposals(case: ProposalCase, cause: Cause) -> Iterator[Proposal]:
    """Variables instead of values that change."""
    lines = [
        f"{path} = tf.Variable({cause.types(path)[0]})  # and {path}.assign(...) to change it"
        for path in cause.paths
    ]
    yield Proposal(f"Make {paths_shown(cause.paths)} a tf.Variable", keep, "\n".join(lines))


def custom_proposals(case: ProposalCase, cause: Cause) -> Iterator[Proposal]:
    """Relaxed shapes: a trace type of its own decides all else itself."""
    if not case.reduces:
        yield reduce_retracing(case)


def recursion_proposals(case: ProposalCase, cause: Cause) -> Iterator[Proposal]:
    """Plain Python that recurs, in one trace for each call from outside."""
    parameters, call = str(case.signature), case.call({})
    if case.owners:
        parameters, call = with_self(case), f"self.{call}"
    code = (
        f"def {case.variable}{parameters}: ...  # as it is, without tf.function\n\n"
        f"@tf.function\ndef staged{parameters}:\n    return {call}"
    )

    def outer(requests: Requests) -> Requests:
        return requests.replaced([t for t in requests.types if t not in case.inner])

    note = "A `while` loop over tensors needs one trace for all numbers."
    yield Proposal("Let plain Python call itself in one tf.function", outer, code, note=note)


# -- many functions of one code -------------------------------------------------------------


def decorator_proposals(case: ProposalCase, cause: Cause) -> Iterator[Proposal]:
    """One function for all calls."""
    made = case.name if case.name.isidentifier() else f"lambda {', '.join(case.names)}: ..."
    code = (
        f"{case.variable} = tf.function({made})  # once, outside the loop\n"
        f"{case.call({})}  # in the loop"
    )
    note = "Functions that close over different values differ: each needs a trace."
    yield Proposal("Make the tf.function once", keep, code, note=note)


def instance_proposals(case: ProposalCase, cause: Cause) -> Iterator[Proposal]:
    """One instance, or a function that takes the attributes of instances as tensors."""
    owner = listed(case.owners, "or")
    called = case.call({})
    method = called.removeprefix("__call__") if case.name == "__call__" else f".{called}"
    yield Proposal(f"Use one {owner}", keep, f"shared = {owner}(...)  # once\nshared{method}")
    if case.held:
        name = f"{owner.lower()}_call" if case.name == "__call__" else f"{case.name}_of"
        parameters = ", ".join([*case.held, *case.names])
        values = [f"tf.convert_to_tensor(self.{attribute})" for attribute in case.held]
        code = (
            f"@tf.function\ndef {name}({parameters}): ...  # outside of the class\n\n"
            f"# in the class:\n"
            f"def {case.name}{with_self(case)}:\n"
            f"    return {name}({', '.join([*values, *case.names])})"
        )
        yield Proposal("Pass the attributes to a function outside", keep, code)


def with_self(case: ProposalCase) -> str:
    """The parameters of a method, as code."""
    return f"(self, {str(case.signature)[1:]}" if case.names else "(self)"


Proposals: TypeAlias = Callable[[ProposalCase, Cause], Iterator[Proposal]]

PROPOSALS: dict[CauseRule, Proposals] = {
    CauseRule.SHAPE: shape_proposals,
    CauseRule.DTYPE: dtype_proposals,
    CauseRule.LITERAL: literal_proposals,
    CauseRule.IDENTITY: object_proposals,
    CauseRule.DEAD: object_proposals,
    CauseRule.STRUCTURE: structure_proposals,
    CauseRule.VARIABLE: variable_proposals,
    CauseRule.DECORATOR: decorator_proposals,
    CauseRule.INSTANCE: instance_proposals,
    CauseRule.KIND: kind_proposals,
    CauseRule.CUSTOM: custom_proposals,
    CauseRule.LOCAL: local_proposals,
    CauseRule.STATE: state_proposals,
    CauseRule.RECURSION: recursion_proposals,
}
