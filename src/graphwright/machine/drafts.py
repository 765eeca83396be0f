"""Code that is made quickly at first, and better in the background: drafts.

LLVM takes most of the time until a trace is native. Quick code is there in a fifth of it. Whoever
calls it says how to call other code of the same text instead, and is led there once that is made.
Both compute the same bits, and calls of the one and the other may run at the same time.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakKeyDictionary

from graphwright.machine import background, compiler, process_settings
from graphwright.machine.exclusion import LLVM, exclusive, keep

if TYPE_CHECKING:
    from graphwright.machine.linking import Library

#: Leads a caller of quick code to the functions of another library of the same text.
Redirect: TypeAlias = "Callable[[Library], None]"


class Draft:
    """A library of quick code, its callers, and what makes the code that they shall have."""

    def __init__(self, link: Callable[[], Library]) -> None:
        self.link = link
        self.redirects: list[Redirect] = []
        self.settled: Library | None = None  # stays as long as the draft: its callers use it

    def settle(self) -> None:
        """Makes the better code, and leads all callers there."""
        settled = self.link()
        with LLVM:
            self.settled = settled
            for redirect in self.redirects:
                redirect(settled)
            self.redirects.clear()


#: The drafts in use, by their libraries.
_DRAFTS: WeakKeyDictionary[Library, Draft] = WeakKeyDictionary()


@exclusive
def drafted(library: Library, link: Callable[[], Library]) -> None:
    """Notes that a library is a draft; `link` makes the better one, in the background."""
    draft = _DRAFTS[library] = Draft(link)
    background.submit(draft.settle, is_urgent=False)


@exclusive
def follow(library: Library, redirect: Redirect) -> None:
    """Has a caller of a library led to the better one, if it is a draft: once that is there."""
    draft = _DRAFTS.get(library)
    if draft is None:
        return
    if draft.settled is not None:
        redirect(draft.settled)
    else:
        draft.redirects.append(redirect)


@exclusive
def lasting(text: str, use: Redirect) -> None:
    """Makes the functions of a module that refers to the C library alone; they are never freed.

    `use` gets their library, and that of better code later if the first one is a draft.
    """
    from graphwright.machine.linking import c_function

    process_settings.keep_freed()
    library, is_draft = compiler.quick_link(text, c_function)
    use(keep(library))
    if is_draft:
        drafted(library, partial(compiler.link, text, c_function))
        follow(library, lambda better: use(keep(better)))


def lasting_functions(text: str, kinds: Mapping[str, Callable[[int], Any]]) -> dict[str, Any]:
    """Functions of such a module, by their names; `kinds` make them of their addresses."""
    functions: dict[str, Any] = {}

    def use(library: Library) -> None:
        functions.update({name: kind(library.addresses[name]) for name, kind in kinds.items()})

    lasting(text, use)
    return functions


def _go_on() -> None:
    """Has the child of a fork make what its parent has not made yet."""
    for draft in [*_DRAFTS.values()]:
        if draft.settled is None:
            background.submit(draft.settle, is_urgent=False)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_go_on)
