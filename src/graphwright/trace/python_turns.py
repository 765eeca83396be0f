"""Python that takes one element after another of a dataset while a graph is traced.

How many elements there are, only the graph knows. So Python never comes to the last one.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FrameType

from graphwright.base.errors import user_frame
from graphwright.base.source_text import iterable_at, node_at
from graphwright.trace.missing_values import Asker, called, in_lines, instead

#: Elements that code may take where AutoGraph is switched off, as in TensorFlow; and where Python
#: itself takes them: `zip(range(50), dataset)` takes 50 on purpose.
_SWITCHED_OFF, _BY_PYTHON = 32, 900


class Switch:
    """Whether AutoGraph is switched off where the program is: AutoGraph installs `is_off`."""

    is_off: Callable[[], bool] = staticmethod(lambda: False)


class PythonTurns:
    """The number of elements that a trace took from an iterator, one for each node."""

    def __init__(self) -> None:
        self.count = 0

    def take(self, by_python: bool) -> None:
        """Counts an element.

        Args:
            by_python: Whether Python may be who asks, as `list(dataset)` does.

        Raises:
            ValueError: There are so many that Python goes over all elements.
        """
        self.count += 1
        if self.count <= _SWITCHED_OFF:
            return
        if Switch.is_off() or (by_python and self.count > _BY_PYTHON):
            raise ValueError(_words(self.count))


def _words(count: int) -> str:
    asker, frame = Asker.now(), user_frame(1)
    source = "" if frame is None else _dataset(frame)
    name = source or "dataset"
    forms = (
        f"`{name}.reduce(start, lambda state, element: ...)`, or "
        f"`{name}.batch({name}.cardinality()).get_single_element()` for one tensor of all elements"
    )
    return in_lines(
        "An unusually high number of `Iterator.get_next()` calls was detected: Python took "
        f"{count} elements of {f'`{source}`' if source else 'a dataset'} while the function is "
        "traced. It never comes to the last one, as only the graph knows how many there are.",
        instead(
            asker,
            forms,
            f"a `for` statement over `{name}`, {forms}",
            in_comprehension=frame is not None and not _may_be_statement(frame),
        ),
        asker.location,
    )


#: Calls over whose results a `for` statement goes.
_ITERABLES = frozenset({"enumerate", "filter", "iter", "map", "zip"})


def _may_be_statement(frame: FrameType) -> bool:
    """Whether the frame may stand at a `for` statement, which AutoGraph would stage."""
    node = node_at(frame)
    is_call = isinstance(node, ast.Call) and called(node) not in _ITERABLES
    return not is_call and not frame.f_code.co_name.startswith("<")


def _dataset(frame: FrameType) -> str:
    """The name of the dataset over which Python goes; empty if that is not sure."""
    source = iterable_at(frame)
    node = ast.parse(source, mode="eval").body if source else None
    if isinstance(node, ast.Call) and called(node) == "iter" and len(node.args) == 1:
        node = node.args[0]
    if isinstance(node, ast.Name):  # one that holds an iterator has no `reduce`
        code = frame.f_code
        is_own = node.id in (*code.co_varnames, *code.co_cellvars, *code.co_freevars)
        value = None if is_own else frame.f_globals.get(node.id)
        return node.id if hasattr(value, "reduce") else ""
    return ast.unparse(node) if isinstance(node, ast.Attribute) else ""
