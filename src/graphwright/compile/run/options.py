"""Which passes run: what `tf.config.optimizer` sets."""

from __future__ import annotations

import os
from typing import Any

from graphwright.base.logs import get_logger
from graphwright.machine.preparation import Waiting

OPTIONS: dict[str, Any] = {}

#: When traces become machine code: `off`, `always` (before they run for the first time), `check`
#: (always, and every call runs both tiers and compares them), `sanitize` (always, and the code
#: looks at each place before it reads or writes there); else in the background, when it pays. The
#: environment sets it; a function's `jit_compile` has precedence over the first two.
MODES = ("off", "always", "check", "sanitize")


def choose(wanted: str) -> None:
    """Sets when traces become machine code; what is no mode is ignored, with a note."""
    if wanted in MODES:
        OPTIONS["native"] = wanted
        Waiting.always = wanted != "off"
    elif wanted:
        get_logger().warning(
            "GRAPHWRIGHT_NATIVE=%s is ignored: it may be %s", wanted, ", ".join(MODES)
        )


choose(os.environ.get("GRAPHWRIGHT_NATIVE", ""))


def enabled(name: str) -> bool:
    """Whether a pass runs; all do unless they are switched off."""
    return OPTIONS.get(name, True) not in (False, "off") and not OPTIONS.get(
        "disable_meta_optimizer", False
    )
