"""Native kernels that are made while the program goes on.

LLVM takes 130 ms for the first kernel of a process, if it is not on the disk. So a
product, a convolution or a function of many elements that is worth a kernel asks for it and does
without until it is there: NumPy computes meanwhile, with one thread, since the compiler needs a
core. That is what traces do too, which run as Python until their machine code is ready. The two
round differently in the last bits, so the first results of two runs may differ there. Who minds
has everybody wait: `tf.config.experimental.enable_op_determinism`.
"""

from __future__ import annotations

from collections.abc import Callable

from graphwright.machine import background
from graphwright.machine.process_settings import Hold


class Waiting:
    """Whether whoever needs code that is not compiled yet waits for it."""

    always = False


class Preparation:
    """Something native that is made when it is first asked for."""

    def __init__(self, make: Callable[[], object]) -> None:
        self.make = make
        self.is_done = False
        self.asked: background.Worker | None = None  # a child of a fork has another one
        self.hold: Hold

    def is_ready(self) -> bool:
        """Whether it may be used; if not, it will be before long."""
        if self.is_done:
            return True
        if Waiting.always:
            self.work()
        elif self.asked is not background.worker():
            self.hold = Hold()
            is_taken = False
            try:
                is_taken = background.submit(self.work_alone)
            finally:
                if not is_taken:
                    self.hold.release()
            self.asked = background.worker()
        return self.is_done

    def work_alone(self) -> None:
        """Makes it while BLAS leaves it a core."""
        try:
            self.work()
        finally:
            self.hold.release()

    def work(self) -> None:
        """Makes it."""
        self.make()
        self.is_done = True
