"""The staged forms of statements, compiled when a tensor asks for them.

Most statements never meet a tensor, and a function that is converted should start soon; so
what is compiled at once is the Python form alone. It says at each site which variables the
staged form is about; these are found as the cells of a lambda. The tensor that was asked whether
it is true comes with the exception that is being handled.
"""

from __future__ import annotations

import sys
import types
from collections import deque
from collections.abc import Callable
from typing import Any

from graphwright.autograph import source
from graphwright.autograph.parts import Parts
from graphwright.autograph.source import Source
from graphwright.autograph.syntax import KNOWN, At

Makers = list[Callable[[], Parts]]


class Sites:
    """The sites of one function: `sites(3, lambda: (x, y))` makes the parts of the third one.

    Trees are large, so only those of the functions converted last are kept; `again` converts
    the function once more.
    """

    def __init__(self, where: Source, again: Callable[[], Makers]) -> None:
        self._where = where
        self._again = again
        self._makers: Makers | None = None
        self._codes: dict[int, types.CodeType] = {}

    def keep(self, makers: Makers) -> None:
        """Keep what makes the parts for a while."""
        self._makers = makers
        _kept.append(self)
        if len(_kept) > _AT_MOST:
            _kept.popleft()._makers = None

    def __call__(self, number: int, variables: types.FunctionType) -> tuple[Any, ...]:
        code = self._codes.get(number)
        if code is None:
            code = self._codes[number] = self._compile(number, variables.__code__)
        cells = source.cells_of(variables)
        closure = tuple(cells[name] for name in code.co_freevars)
        parts = types.FunctionType(code, variables.__globals__, None, None, closure)
        made: tuple[Any, ...] = parts(getattr(sys.exc_info()[1], "undecided", None))
        return made

    def _compile(self, number: int, variables: types.CodeType) -> types.CodeType:
        if self._makers is None:
            self.keep(self._again())
        assert self._makers is not None
        parts = self._makers[number - 1]()
        at = At((*parts.functions, *parts.arguments)[0])
        result = at.result(at.tuple(parts.arguments))
        tree = at.function("ag_parts", [KNOWN], [*parts.functions, result])
        return source.compile_function(tree, self._where, variables.co_freevars)


_AT_MOST = 16
_kept: deque[Sites] = deque()
