"""Ctrl-C while a call is under way."""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections.abc import Callable


def is_interrupted(call: Callable[[], object]) -> bool:
    """Whether Ctrl-C, 0.2 s after it began, ends a call that would not end."""
    gc.collect()  # an error in what a collection calls is ignored
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        timer.join()
    return False
