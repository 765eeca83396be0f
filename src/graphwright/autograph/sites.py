"""The staged forms of statements, compiled when a tensor decides there.

Most statements never meet a tensor, and a converted function should start soon. So only the Python
form is compiled at once. It passes each site the variables of the staged form. The functions of
that form assign them, so they are in new cells there; the frame reads the values back afterwards.
A variable without a value holds `Undefined` (see `loads`).

Variables that inner functions share are in cells already, which a lambda passes. The exception that
is being handled has the tensor whose truth was asked for.
"""

from __future__ import annotations

import ast
import sys
import types
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from graphwright.autograph import live_source, loads
from graphwright.autograph.live_source import LiveSource
from graphwright.autograph.operator_arguments import Undefined
from graphwright.autograph.parts import Parts
from graphwright.autograph.syntax import KNOWN, SITES, SyntaxPlace

Makers: TypeAlias = list[Callable[[], Parts]]


#: Variables by their names: those of a frame, or of a module.
Scope: TypeAlias = Mapping[str, object]


def _cell(scope: Scope, name: str) -> types.CellType:
    return types.CellType(scope[name] if name in scope else Undefined(name))


class Sites:
    """The sites of one function.

    `x, y = sites(3, ('x', 'y'), locals(), globals(), 2, run)` stages the third statement. It
    assigns the local variables x and y, and `shared` ones.

    Trees are large, so only those of the functions converted last stay. `again` converts the
    function once more. `variables` are those that all converted code has.
    """

    def __init__(self, source: LiveSource, variables: Scope, again: Callable[[], Makers]) -> None:
        self._source = source
        self._variables = {name: types.CellType(value) for name, value in variables.items()}
        self._variables[SITES] = types.CellType(self)
        self._again = again
        self._makers: Makers | None = None
        self._codes: dict[int, types.CodeType] = {}

    def keep(self, makers: Makers) -> None:
        """Keep the functions that make the parts, until others are converted."""
        self._makers = makers
        _recent.append(self)
        if len(_recent) > _AT_MOST:
            _recent.popleft()._makers = None

    def __call__(
        self,
        number: int,
        names: tuple[str, ...],
        scope: Scope,
        bindings: dict[str, object],
        count: int,
        run: Callable[..., None],
        *first: Any,
        shared: types.FunctionType | None = None,
    ) -> list[Any]:
        """Runs a statement by its operator; returns the values of the first `count` variables."""
        arguments, cells = self._parts(scope, bindings, number, names, shared)
        run(*first, *arguments)
        return [cells[name].cell_contents for name in names[:count]]

    def value(
        self,
        number: int,
        names: tuple[str, ...],
        scope: Scope,
        bindings: dict[str, object],
        shared: types.FunctionType | None = None,
    ) -> Any:
        """The value of an expression."""
        return self._parts(scope, bindings, number, names, shared)[0][0]

    def _parts(
        self,
        scope: Scope,
        bindings: dict[str, object],
        number: int,
        names: tuple[str, ...],
        shared: types.FunctionType | None,
    ) -> tuple[tuple[Any, ...], dict[str, types.CellType]]:
        """The arguments of a site's operator, and the cells that their functions assign."""
        cells = {name: _cell(scope, name) for name in names}
        cells |= live_source.cells_of(shared)
        cells |= self._variables
        code = self._codes.get(number)
        if code is None:
            code = self._codes[number] = self._compile(number, names, tuple(cells))
        closure = tuple(cells[name] for name in code.co_freevars)
        parts = types.FunctionType(code, bindings, None, None, closure)
        return parts(getattr(sys.exc_info()[1], "undecided", None)), cells

    def _compile(
        self, number: int, names: tuple[str, ...], free: tuple[str, ...]
    ) -> types.CodeType:
        if self._makers is None:
            self.keep(self._again())
        assert self._makers is not None
        parts = self._makers[number - 1]()
        nodes: list[ast.stmt | ast.expr] = [*parts.functions, *parts.arguments]
        place = SyntaxPlace(nodes[0])
        result = place.result(place.tuple(parts.arguments))
        tree = place.function("ag_parts", [KNOWN], [*parts.functions, result])
        loads.insert(tree, frozenset(names))
        code = live_source.compile_function(tree, self._source, free)
        return code.replace(co_filename=__file__)  # no line of the program has this code


_AT_MOST = 16
_recent: deque[Sites] = deque()
