"""Runs kernels with NumPy's floating-point warnings off, without touching the user's settings.

NumPy keeps its error state in the context (`contextvars`), so a context of our own in which
the state is "ignore" costs 0.2 us a call where `np.errstate` costs 0.9. A context cannot be
entered twice, so each thread has one, and what calls back into user code uses `errstate`.
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
