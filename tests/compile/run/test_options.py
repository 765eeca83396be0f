"""What the environment says about machine code."""

from __future__ import annotations

import pytest

from graphwright.compile.run import options
from graphwright.machine.preparation import Waiting


@pytest.mark.parametrize(
    ("wanted", "mode", "waits"),
    [
        ("off", "off", False),
        ("always", "always", True),
        ("check", "check", True),
        ("sanitize", "sanitize", True),
        ("", None, False),
    ],
)
def test_modes(wanted, mode, waits, monkeypatch, caplog):
    monkeypatch.setattr(options, "OPTIONS", {})
    monkeypatch.setattr(Waiting, "always", False)
    options.choose(wanted)
    assert options.OPTIONS.get("native") == mode
    assert Waiting.always is waits
    assert not caplog.records


@pytest.mark.parametrize("wanted", ["CHECK", "1", "none"])
def test_what_is_no_mode_is_ignored_with_a_note(wanted, monkeypatch, caplog):
    monkeypatch.setattr(options, "OPTIONS", {})
    options.choose(wanted)
    assert not options.OPTIONS
    words = f"GRAPHWRIGHT_NATIVE={wanted} is ignored: it may be off, always, check, sanitize"
    assert words in caplog.text
