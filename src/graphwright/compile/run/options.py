"""The options of compilation, which `tf.config.optimizer` sets."""

from __future__ import annotations

import os
from typing import Any

from graphwright.base.logs import get_logger
from graphwright.machine.preparation import Waiting

OPTIONS: dict[str, Any] = {}

#: When traces become machine code: never (`off`), or before their first run (`always`). With
#: `check` every call also runs both tiers and compares them. With `sanitize` the code also looks at
#: each place before it reads or writes there. Without a mode, traces are compiled in the background
#: when it pays. The environment sets the mode; `jit_compile` has precedence over the first two.
MODES = ("off", "always", "check", "sanitize")


def choose(mode: str) -> None:
    """Sets when traces become machine code; logs and ignores an unknown mode."""
    if mode in MODES:
        OPTIONS["native"] = mode
        Waiting.always = mode != "off"
    elif mode:
        get_logger().warning(
            "GRAPHWRIGHT_NATIVE=%s is ignored: it may be %s", mode, ", ".join(MODES)
        )


choose(os.environ.get("GRAPHWRIGHT_NATIVE", ""))


def enabled(name: str) -> bool:
    """Whether a pass is switched on, as all are at first."""
    return OPTIONS.get(name, True) not in (False, "off") and not OPTIONS.get(
        "disable_meta_optimizer", False
    )
