"""The reports on the functions that an object holds, as a model of Keras does."""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType
from typing import TYPE_CHECKING

from graphwright.explain.paths import contents
from graphwright.explain.trace_record import History
from graphwright.function.polymorphic import PolymorphicFunction

if TYPE_CHECKING:
    from graphwright.explain.report import Report


def reports(holder: object) -> list[Report]:
    """Returns the reports on the functions that an object holds and that were traced.

    A model of Keras makes functions for `fit`, `evaluate` and `predict`, which are no attributes
    that a program could ask for an `explain()`.

    Args:
        holder: An object, whose attributes are looked through, or a Python function, of which the
            variables of functions around it are.

    Returns:
        A list of `tf.explain.Report`, without functions that were only traced as parts of another.

    >>> import graphwright as tf
    >>> class Scaler:
    ...     def __init__(self, factor):
    ...         self.run = tf.function(lambda x: x * factor)
    >>> scaler = Scaler(2.0)
    >>> for n in (1, 2):
    ...     y = scaler.run(tf.ones([n]))
    >>> [report.summary for report in tf.explain.reports(scaler)]
    ['<lambda>: 2 traces in 2 calls']
    """
    seen: set[int] = set()
    histories = [f._history for f in functions_in(holder, seen) if f._history.records]
    whole = [h for h in histories if not any(is_part(h, other) for other in histories)]
    from graphwright.explain.report import report  # which few programs ask for

    return [report([history], history.family) for history in whole]


def functions_in(holder: object, seen: set[int]) -> Iterator[PolymorphicFunction]:
    """The functions among an object's attributes, or among what a Python function closes over."""
    if isinstance(holder, FunctionType):
        held = [contents(cell) for cell in holder.__closure__ or ()]
    else:
        held = list(getattr(holder, "__dict__", {}).values())
    for value in held:
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, PolymorphicFunction):
            yield value
        elif isinstance(value, FunctionType):
            yield from functions_in(value, seen)


def is_part(history: History, other: History) -> bool:
    """Whether all traces of a function were made while another one was traced."""
    spans = [(record.began, record.began + record.seconds) for record in other.records]
    return history is not other and all(
        any(begin < record.began < end for begin, end in spans) for record in history.records
    )
