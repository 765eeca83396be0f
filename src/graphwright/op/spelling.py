"""The check of the words that a class of ops uses: a misspelt one is an error as it is made.

An element expression may read the methods of `CheckedScalars` from its scalars, and nothing else.
The code of most reads no other name at all, so one comparison of sets is enough. Where there are
other names, the instructions say which of them are read from the scalars.
"""

from __future__ import annotations

import dis
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType

from graphwright.op.scalars import CheckedScalars

#: The words of element expressions.
WORDS = frozenset(name for name in dir(CheckedScalars) if not name.startswith("_"))


def misspelt(sentence: str, word: str, words: Iterable[str]) -> ValueError:
    """The error for a word that does not exist, with the one that is like it."""
    from difflib import get_close_matches  # takes milliseconds, which only errors may cost

    close = get_close_matches(word, sorted(words), 1)
    return ValueError(f"{sentence}; did you mean {close[0]!r}?" if close else sentence)


def check_element(cls: type) -> None:
    """Looks at the element expression that a class states, and at functions that it calls.

    Such a function stands before the class, and its parameter has the name of the expression's.

    Raises:
        ValueError: One of them reads something from its scalars that is no word.
    """
    element = vars(cls).get("element")
    if isinstance(element, FunctionType) and element.__code__.co_argcount > 1:
        variable = element.__code__.co_varnames[1]
        waiting, seen = [element], {element}
        while waiting:
            function = waiting.pop()
            if is_plain(function.__code__):
                continue
            for word in reads(function.__code__, variable):
                if word not in WORDS:
                    sentence = f"{cls.__name__}: no word is called {word!r}"
                    if function is not element:
                        sentence += f", which {function.__qualname__} reads from its {variable}"
                    raise misspelt(sentence, word, WORDS)
            helpers = {f for f in called(cls, function) if takes(f, variable)} - seen
            waiting.extend(helpers)
            seen |= helpers


def is_plain(code: CodeType) -> bool:
    """Whether all names that code reads are words, and no inner function reads any."""
    return WORDS.issuperset(code.co_names) and not code.co_cellvars


def reads(code: CodeType, variable: str) -> Iterator[str]:
    """The names of what code reads from a variable, in its inner functions too."""
    loaded = None
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_ATTR", "LOAD_METHOD") and loaded == variable:
            yield step.argval
        loaded = None
        if "LOAD_FAST" in step.opname or "LOAD_DEREF" in step.opname:
            # From Python 3.13 on, one instruction may load two variables.
            loaded = step.argval[-1] if isinstance(step.argval, tuple) else step.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType) and variable in constant.co_freevars:
            yield from reads(constant, variable)


def called(cls: type, function: FunctionType) -> Iterator[FunctionType]:
    """The functions of the module and of the class that a function names."""
    for name in function.__code__.co_names:
        for value in (function.__globals__.get(name), getattr(cls, name, None)):
            if isinstance(value, FunctionType):
                yield value


def takes(function: FunctionType, variable: str) -> bool:
    """Whether a function has a parameter of this name."""
    code = function.__code__
    return variable in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
