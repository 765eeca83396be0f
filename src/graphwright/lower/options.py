"""Which passes run: what `tf.config.optimizer` sets."""

from __future__ import annotations

import os
from typing import Any

from graphwright.kernels.preparation import Waiting

OPTIONS: dict[str, Any] = {}

#: When traces become machine code: `off`, `always` (before they run for the first time), `check`
#: (always, and every call runs both tiers and compares them); else in the background, when it
#: pays. The environment sets it; a function's `jit_compile` has precedence over the first two.
if os.environ.get("GRAPHWRIGHT_NATIVE"):
    OPTIONS["native"] = os.environ["GRAPHWRIGHT_NATIVE"]
    Waiting.always = OPTIONS["native"] in ("always", "check")


def enabled(name: str) -> bool:
    """Whether a pass runs; all do unless they are switched off."""
    return OPTIONS.get(name, True) not in (False, "off") and not OPTIONS.get(
        "disable_meta_optimizer", False
    )
