"""What calls give, and how two outcomes differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

#: How far floats may be apart, relative to the greatest of an array or to 1: sums are taken in
#: another order, and elementary functions round otherwise.
TOLERANCES = {"float32": 2e-5, "float64": 1e-11}

#: Classes of errors that say that a program cannot be staged: they are raised while it is traced.
REFUSALS = (
    "ValueError", "TypeError", "NotImplementedError", "UnboundLocalError", "NameError",
    "InaccessibleTensorError", "OperatorNotAllowedInGraphError", "RecursionError", "AttributeError",
    "StagingError", "IndexError",
)  # fmt: skip

#: How AutoGraph refuses, as a graph runs, a loop of no turns that would have set a variable.
NO_TURNS = "loop must iterate at least once"

#: Errors of Python's numbers: a program that meets one has no outcome to compare, and a trace that
#: meets one in a branch that Python does not take is a refusal.
PYTHONS = ("OverflowError", "ZeroDivisionError")


class Outcome(NamedTuple):
    """What one call gave: leaves of its result and of variables, or an error."""

    leaves: tuple[Any, ...] = ()
    structure: str = ""
    error: str = ""
    message: str = ""

    def __str__(self) -> str:
        if self.error:
            lines = self.message.strip().splitlines()
            return f"{self.error}: {lines[0] if lines else ''}"
        return ", ".join(" ".join(str(leaf).split()) for leaf in self.leaves)


class Difference(NamedTuple):
    """What is not as it should be: `kind` and `detail` stay the same as a program shrinks."""

    kind: str
    detail: str
    words: str


def shape_of(tree: Any) -> str:
    """Containers of a result, in words."""
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{k}: {shape_of(tree[k])}" for k in sorted(tree)) + "}"
    if isinstance(tree, (list, tuple)):
        word = "list" if isinstance(tree, list) else "tuple"
        return f"{word}({', '.join(map(shape_of, tree))})"
    return "None" if tree is None else "."


def leaves_of(tree: Any) -> list[Any]:
    """The values in containers, in order."""
    if isinstance(tree, dict):
        return [leaf for k in sorted(tree) for leaf in leaves_of(tree[k])]
    if isinstance(tree, (list, tuple)):
        return [leaf for item in tree for leaf in leaves_of(item)]
    return [] if tree is None else [tree]


def array_of(leaf: Any, tf: Any) -> Any:
    """A tensor's array; Python's numbers stay what they are."""
    if isinstance(leaf, (bool, int, float)):
        return leaf
    return np.array(tf.convert_to_tensor(leaf).numpy())


def outcome_of(error: Exception) -> Outcome:
    """The outcome of a call that raised."""
    return Outcome(error=type(error).__name__, message=str(error))


def is_plain(leaf: Any) -> bool:
    """Whether a leaf is a number of Python's."""
    return isinstance(leaf, (bool, int, float))


def as_array(leaf: Any) -> Any:
    """A leaf as an array; Python's numbers have the types that tensors of them have."""
    if isinstance(leaf, bool):
        return np.asarray(leaf)
    if isinstance(leaf, int):
        return np.asarray(leaf, np.int64)
    if isinstance(leaf, float):
        return np.asarray(leaf, np.float64)
    return leaf


def compare(expected: Outcome, found: Outcome) -> Difference | None:
    """How an outcome differs from that of Python and eager ops; None if it does not."""
    if expected.error in PYTHONS:
        return None
    if expected.error and found.error:
        if expected.error == found.error or found.error in REFUSALS:
            return None
        if op_of(expected) != op_of(found):
            return None  # two ops fail: which one first is a matter of order
        return Difference("class", f"{expected.error} {found.error}", str(found))
    if found.error:
        if found.error == "InternalError" and is_vast(expected):
            return None  # the tier that checks sees other sums too
        if found.error in (*REFUSALS, *PYTHONS) or NO_TURNS in found.message:
            return Difference("refused", f"{found.error} {found.message[:30]}", str(found))
        return Difference("error", found.error, str(found))
    if expected.error:
        return Difference("no error", expected.error, str(found))
    if expected.structure != found.structure:
        return Difference("structure", "", f"{found.structure}, not {expected.structure}")
    for i, (a, b) in enumerate(zip(expected.leaves, found.leaves)):
        words = differs(a, b)
        if words and words.startswith("numbers") and is_vast(expected):
            return None
        if words:
            return Difference("value", words.split(":")[0], f"leaf {i}, {words}")
    return None


def op_of(outcome: Outcome) -> str:
    """The op that has failed, as the message has it."""
    return outcome.message.rpartition("[Op:")[2]


def differs(a: Any, b: Any) -> str:
    """How a leaf differs from the expected one, in words."""
    loose = is_plain(a) or is_plain(b)
    a, b = as_array(a), as_array(b)
    if (a.dtype.kind != b.dtype.kind) if loose else (a.dtype != b.dtype):
        return f"dtype: {b.dtype}, not {a.dtype}"
    if a.shape != b.shape:
        return f"shape: {b.shape}, not {a.shape}"
    if a.dtype.kind != "f":
        if loose and a.dtype.kind == "i" and np.any(np.abs(a) >= 2**31):
            return ""  # Python's ints do not wrap around
        return "" if np.array_equal(a, b) else f"numbers: {shown(b)}, not {shown(a)}"
    tolerance = TOLERANCES["float32" if loose else a.dtype.name]
    # What overflowed is inf, and nan once it is multiplied by a zero that Python left out.
    b = np.where(np.isinf(a) & np.isnan(b), a, b)
    if not np.array_equal(np.isnan(a), np.isnan(b)):
        return f"numbers: {shown(b)}, not {shown(a)}"
    finite = np.isfinite(a) & np.isfinite(b)
    same = (a == b) | np.isnan(a)
    greatest = np.max(np.abs(a[finite]), initial=1.0)
    with np.errstate(invalid="ignore", over="ignore"):
        near = finite & (np.abs(a - b) <= tolerance * greatest)
    return "" if np.all(same | near) else f"numbers: {shown(b)}, not {shown(a)}"


def is_vast(outcome: Outcome) -> bool:
    """Whether floats are so large that their products overflow, in one order and not in another."""
    floats = [as_array(leaf) for leaf in outcome.leaves]
    with np.errstate(invalid="ignore"):
        return any(
            np.any((np.abs(a) > 1e12) & np.isfinite(a)) for a in floats if a.dtype.kind == "f"
        )


def shown(array: Any) -> str:
    """An array on one line."""
    return " ".join(str(array).split())


def differences(
    expected: Sequence[Outcome], found: Sequence[Outcome], is_stateful: bool
) -> Iterator[tuple[int, Difference]]:
    """The calls that differ, and how.

    Where a program has state, one is the last that it can be compared by that failed: what an error
    left undone differs from tier to tier.
    """
    for i, (one, other) in enumerate(zip(expected, found)):
        difference = compare(one, other)
        if difference:
            yield i, difference
        if one.error in PYTHONS or (is_stateful and (one.error or other.error)):
            return
