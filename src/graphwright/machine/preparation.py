"""Native kernels that are compiled while the program goes on.

LLVM takes 130 ms for the first kernel of a process, if it is not on the disk. So a product, a
convolution or a function of many elements that is worth a kernel asks for it and goes on. Until
it is ready NumPy computes, with one thread, since the compiler needs a core. So do traces, which
run as Python until their machine code is ready. The two round differently in the last bits, so the
first results of two runs may differ. `tf.config.experimental.enable_op_determinism` makes all
wait instead.
"""

from __future__ import annotations

from collections.abc import Callable

from graphwright.machine import background, compiler, threads
from graphwright.machine.process_settings import Hold

#: So many multiply-adds of one product, and of a batch, are worth a native call. OpenBLAS starts
#: to use threads at the first number.
WORTH = 1 << 18
WORTH_OF_BATCH = 1 << 19


class Waiting:
    """Whether a caller waits for code that is not compiled yet."""

    always = False


class Preparation:
    """A native kernel that is compiled at its first use.

    Args:
        make: Makes the kernel.
        is_brief: Whether it takes a millisecond or two to make it of code that is on the disk. Then
            the first caller does so, and no other code has to be loaded for the first results.
        patience: Small work of many calls has it compiled too, once it sums up to so many times
            what one call of it would be worth. 0: small work never has.
    """

    def __init__(
        self, make: Callable[[], object], is_brief: bool = False, patience: int = 0
    ) -> None:
        self.make = make
        self.is_brief = is_brief
        self.patience = patience
        self.small_work = 0.0  # of all calls, in what one of them would be worth
        self.is_done = False
        self.worker: background.Worker | None = None  # a child of a fork has another one
        self.hold: Hold

    @property
    def is_asked(self) -> bool:
        """Whether somebody has asked for it."""
        return self.is_done or self.worker is background.worker()

    def is_ready(self) -> bool:
        """Whether it may be used; if not, it is compiled in the background."""
        if self.is_done:
            return True
        if Waiting.always:
            self.work()
        elif not self.is_asked and self.is_recalled() is False:
            self.hold = Hold()
            is_taken = False
            try:
                is_taken = background.submit(self.work_alone)
            finally:
                if not is_taken:
                    self.hold.release()
            self.worker = background.worker()
        return self.is_done

    def is_recalled(self) -> bool | None:
        """Whether a brief kernel is there now, since its code is on the disk.

        None while another thread generates code: the next caller asks again. To have the kernel
        made behind that code would cost more than to read it then.
        """
        if not self.is_brief:
            return False
        is_there = compiler.recalled(self.make)
        self.is_done = self.is_done or bool(is_there)
        return is_there

    def is_ready_for(self, work: int, worth: int) -> bool:
        """The same for a caller with some work; less than `worth` does not have it compiled.

        Unless there is `patience`, and work of many calls sums up.
        """
        if self.is_done:
            return True
        if work >= worth:
            return self.is_ready()
        if not self.patience:
            return False
        self.small_work += work / worth
        return self.small_work >= self.patience and self.is_ready()

    def work_alone(self) -> None:
        """Makes the kernel, and then lets BLAS use all threads again."""
        try:
            self.work()
        finally:
            self.hold.release()

    def work(self) -> None:
        """Makes the kernel."""
        self.make()
        self.is_done = True


def threaded(make: Callable[[], object]) -> Preparation:
    """The preparation of a kernel and of the threads for it."""

    def both() -> None:
        threads.address()
        make()

    return Preparation(both)
