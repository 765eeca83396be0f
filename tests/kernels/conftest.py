"""Kernels are tested when they are there."""

from __future__ import annotations

import pytest

from graphwright.machine.preparation import Waiting


@pytest.fixture(autouse=True)
def _waiting(monkeypatch):
    monkeypatch.setattr(Waiting, "always", True)
