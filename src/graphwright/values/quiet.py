"""Runs kernels with NumPy's floating-point warnings off, without touching a program's settings.

NumPy's error state is in the context (`contextvars`). So a call in a context whose state is
"ignore" costs 0.2 us, where `np.errstate` costs 0.9. A context cannot be entered twice: each
thread has one, and kernels that call back into a program use `errstate`.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import Any

import numpy as np


class _Quiet(threading.local):
    run: Callable[..., Any]

    def __init__(self) -> None:
        context = contextvars.Context()
        context.run(np.seterr, all="ignore")
        self.run = context.run


QUIET = _Quiet()
