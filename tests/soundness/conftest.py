"""What runs of random programs share."""

from __future__ import annotations

from typing import Any

import pytest

from graphwright.compile.run import executable

#: Libraries that are kept, at most.
_KEPT = 2_000


class Kept(dict[str, Any]):
    """The machine code of what was compiled last."""

    def __setitem__(self, text: str, library: Any) -> None:
        if len(self) == _KEPT:
            self.clear()
        super().__setitem__(text, library)


@pytest.fixture(scope="module")
def kept() -> Kept:
    """What the tests of a file share."""
    return Kept()


@pytest.fixture
def shared_code(monkeypatch: pytest.MonkeyPatch, kept: Kept) -> None:
    """Programs of one text share its machine code: each segment is a module of its own, and is
    compiled once. Of a random program's segments four of five were there before."""
    monkeypatch.setattr(executable, "_TOGETHER", 1)
    monkeypatch.setattr(executable, "_LIBRARIES", kept)
