"""Code that is made quickly at first, and better in the background: drafts.

LLVM takes most of the time until a trace is native. Quick code is there in a fifth of it. Whoever
calls it says how to call other code of the same text instead, and is led there once that is made.
Both compute the same bits, and calls of the one and the other may run at the same time.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeAlias
from weakref import WeakKeyDictionary

from graphwright.machine import background
from graphwright.machine.exclusion import LLVM, exclusive
from graphwright.machine.linking import Library

#: Leads a caller of quick code to the functions of another library of the same text.
Redirect: TypeAlias = Callable[[Library], None]


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


def _go_on() -> None:
    """Has the child of a fork make what its parent has not made yet."""
    for draft in [*_DRAFTS.values()]:
        if draft.settled is None:
            background.submit(draft.settle, is_urgent=False)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_go_on)
