"""Ctrl-C while a call is under way."""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections.abc import Callable


def is_interrupted(call: Callable[[], object]) -> bool:
    """Whether Ctrl-C, 0.2 s after it began, ends a call that would not end.

    The key is pressed again where nobody heard it: an error is ignored in what a collection calls.
    So nothing is called meanwhile, such as hypothesis's own clock.
    """
    gc.collect()
    callbacks = gc.callbacks[:]
    gc.callbacks.clear()
    has_ended = threading.Event()

    def press() -> None:
        pause = 0.2
        while not has_ended.wait(pause):
            os.kill(os.getpid(), signal.SIGINT)
            pause = 2.0

    presser = threading.Thread(target=press)
    presser.start()
    try:
        try:
            call()
        finally:
            has_ended.set()
            presser.join()
    except KeyboardInterrupt:
        return True
    finally:
        gc.callbacks.extend(callbacks)
    return False
