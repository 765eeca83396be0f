"""Which passes run: what `tf.config.optimizer` sets."""

from __future__ import annotations

from typing import Any

OPTIONS: dict[str, Any] = {}


def enabled(name: str) -> bool:
    """Whether a pass runs; all do unless they are switched off."""
    return bool(OPTIONS.get(name, True)) and not OPTIONS.get("disable_meta_optimizer", False)
