"""What the child of a fork finds."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable

#: After so many seconds a child hangs.
PATIENCE = 20


def in_child(question: Callable[[], object]) -> bool:
    """Whether a question has a true answer in the child of a fork; it has not if that hangs."""
    sys.stdout.flush()
    child = os.fork()
    if not child:
        status = 1
        try:
            signal.alarm(PATIENCE)
            status = 0 if question() else 1
        except BaseException:  # noqa: BLE001 - the child must end here
            traceback.print_exc()
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == 0
