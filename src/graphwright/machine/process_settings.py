"""The changes of the process around graphwright, each with its gain and its switch.

Nothing changes before it is needed, and only here (`tests/test_house.py`).
`GRAPHWRIGHT_UNCHANGED` names the settings that stay as they are. Gains are ratios of medians,
with the change to without it (`python -m benchmarks.process_settings`).

Beside these, imports register functions for forks and for the end of the process. They do nothing
until the engine runs.
"""

from __future__ import annotations

import ctypes
import functools
import gc
import itertools
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from graphwright.base.forks import held_over_forks
from graphwright.base.named_tuples import NamedTuple

#: The variable of the environment that names settings, with commas between, or "all".
VARIABLE = "GRAPHWRIGHT_UNCHANGED"


class Setting(NamedTuple):
    """A setting of the process that is changed unless the environment forbids it."""

    name: str
    change: str
    time: str
    gain: str

    def applies(self) -> bool:
        """Whether it may be changed."""
        return self.name not in _unchanged(os.environ.get(VARIABLE, ""))


MALLOC = Setting(
    "malloc",
    "glibc keeps freed memory up to 32 MiB a block (`mallopt`)",
    "from the first machine code on, and in ranks of MPI from their start on",
    "0.50 of eager ops on 4 MiB, 1.01 of a step of training",
)
ALLOCATOR = Setting(
    "allocator",
    "the last two freed blocks of 32 to 128 MiB of arrays and temporaries are kept",
    "while a native call runs; NumPy makes large results so in its context alone",
    "0.43 of a native op on 40 MB",
)
TURNS = Setting(
    "turns",
    "threads take turns of 1 ms instead of 5 (`sys.setswitchinterval`)",
    "while code is compiled in the background",
    "0.88 of the time until busy calls are native",
)
BLAS = Setting(
    "blas",
    "every BLAS uses one thread",
    "while a kernel is compiled in the background and BLAS does its work, and while LAPACK "
    "computes with a matrix of 33 to 800 rows",
    "0.87 of the time until a first product has its kernel, 0.05 of eigenvectors of 64 rows "
    "beside other work",
)
COLLECTOR = Setting(
    "collector",
    "the collector of cycles pauses, or waits for more objects; those of the import are old then",
    "during imports of graphwright, and while a function is converted, traced or compiled or a "
    "model loaded",
    "0.83 of the import with a first call, 0.96 of conversions, 0.97 of a model's load and call",
)
WARNINGS = Setting(
    "warnings",
    "a last filter ignores `RetracingWarning`, which the logger shows, too",
    "from the first such warning on",
    "one message instead of two",
)

SETTINGS = (MALLOC, ALLOCATOR, TURNS, BLAS, COLLECTOR, WARNINGS)


@functools.cache
def _unchanged(text: str) -> frozenset[str]:
    """The settings that a value of the variable names; other words are ignored, with a note."""
    names = frozenset([setting.name for setting in SETTINGS])
    words = frozenset([word.strip() for word in text.split(",") if word.strip()])
    unknown = words - names - {"all"}
    if unknown:
        from graphwright.base.logs import get_logger

        get_logger().warning(
            "%s: %s is ignored: it may be %s, all",
            *(VARIABLE, ", ".join(sorted(unknown)), ", ".join([s.name for s in SETTINGS])),
        )
    return names if "all" in words else words & names


# -- Memory -----------------------------------------------------------------------------------

# <malloc.h>
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3

#: The limits that glibc itself adapts to once a program has freed an array of 32 MiB.
_MMAP, _TRIM = 32 << 20, 64 << 20


@functools.cache
def is_glibc() -> bool:
    """Whether the C library is glibc."""
    import platform

    return platform.libc_ver()[0] == "glibc"


@functools.cache
def keep_freed() -> None:
    """Makes glibc keep freed memory for the next arrays instead of giving it back at once.

    New memory of the system costs a page fault for each 4 KiB, more than many ops take to fill it.
    A program's own settings stand.
    """
    stated = {"MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES"} & set(
        os.environ
    )
    if stated or not is_glibc() or not MALLOC.applies():
        return
    library = ctypes.CDLL(None)
    library.mallopt(_MMAP_THRESHOLD, _MMAP)
    library.mallopt(_TRIM_THRESHOLD, _TRIM)


# -- Turns of threads -------------------------------------------------------------------------

#: The length of a thread's turn while code is compiled, in seconds; usually it is 5 ms. With 0.1 ms
#: two busy threads took 40% more of the processor's time, to hand the lock to one another.
_TURN = 1e-3


@contextmanager
def quick_turns() -> Iterator[None]:
    """Makes threads take turns more often in the block.

    LLVM and files are used without the interpreter's lock. To get it back from a busy thread takes
    a whole turn each time.
    """
    usual = sys.getswitchinterval()
    if usual <= _TURN or not TURNS.applies():
        yield
        return
    Turns.usual = usual
    sys.setswitchinterval(_TURN)
    try:
        yield
    finally:
        Turns.end(usual)


class Turns:
    """The usual length of a thread's turn, while it is shorter: the child of a fork restores it."""

    usual: float | None = None

    @classmethod
    def end(cls, usual: float | None) -> None:
        """Restores the usual length of turns, unless the program has set another one meanwhile."""
        if usual is not None and sys.getswitchinterval() <= _TURN * 1.01:
            sys.setswitchinterval(usual)
        cls.usual = None


# -- Threads of BLAS --------------------------------------------------------------------------


class ThreadBound:
    """The number of threads that BLAS may use; 0 means the number that it chose when loaded."""

    threads = 0
    holds: set[int] = set()  # the `Hold`s that bound it to one
    chosen: dict[str, int] = {}  # by the file of each BLAS that was bound
    singles = 0  # blocks of `OneThread` that are running
    paused: list[tuple[BlasThreads, int]] = []  # what these bound to one, and their number before
    lock = held_over_forks(threading.RLock())  # the collector may end a `Hold` anywhere


def bound(threads: int) -> None:
    """Bounds the threads of every loaded BLAS, NumPy's and SciPy's; 0 removes the bound.

    A program asks for it by `tf.config.threading`, so no switch forbids it.
    """
    with ThreadBound.lock:
        ThreadBound.threads = threads
        _apply()


class Hold:
    """Bounds BLAS to one thread until it is released, or gone.

    BLAS's own threads look for work for long after each call, and take the cores from others.
    """

    def __init__(self) -> None:
        if BLAS.applies():
            with ThreadBound.lock:
                ThreadBound.holds.add(id(self))
                _apply()

    def release(self) -> None:
        """Ends the bound."""
        with ThreadBound.lock:
            if id(self) in ThreadBound.holds:
                ThreadBound.holds.remove(id(self))
                _apply()

    __del__ = release


class BlasThreads(NamedTuple):
    """The functions of a BLAS that get and set its number of threads."""

    path: str
    number: Callable[[], int]
    limit: Callable[[int], None]


@functools.cache
def _loaded_blas(with_scipy: bool) -> list[BlasThreads]:
    """The OpenBLAS libraries of the process: NumPy's, and SciPy's once its modules are there."""
    from threadpoolctl import ThreadpoolController

    libraries = []
    for library in ThreadpoolController().select(internal_api="openblas").lib_controllers:
        functions = ctypes.CDLL(library.filepath)
        for prefix, suffix in itertools.product(("", "scipy_"), ("", "64_", "_64")):
            number = getattr(functions, f"{prefix}openblas_get_num_threads{suffix}", None)
            limit = getattr(functions, f"{prefix}openblas_set_num_threads{suffix}", None)
            if number is not None and limit is not None:
                limit.restype = None
                libraries.append(BlasThreads(library.filepath, number, limit))
                break
    return libraries


class OneThread:
    """Bounds BLAS to one thread in a block, as `with OneThread():`.

    Threads of OpenBLAS wait in a loop for each other, many times in one decomposition. Where the
    cores have other work, each time takes a turn of the system's.
    """

    is_on = False

    def __enter__(self) -> None:
        if not BLAS.applies():
            return
        self.is_on = True
        with ThreadBound.lock:
            ThreadBound.singles += 1
            if ThreadBound.singles == 1:
                modules = sys.modules
                is_there = "scipy.linalg._flapack" in modules or "scipy.linalg._fblas" in modules
                for library in _loaded_blas(is_there):
                    number = library.number()
                    if number > 1:
                        ThreadBound.paused.append((library, number))
                        library.limit(1)

    def __exit__(self, *_: object) -> None:
        if not self.is_on:
            return
        with ThreadBound.lock:
            ThreadBound.singles = max(ThreadBound.singles - 1, 0)  # 0 in the child of a fork
            if not ThreadBound.singles:
                _resume()


def _resume() -> None:
    """Gives BLAS the threads again that blocks of `OneThread` took, or those of a bound since."""
    for library, number in ThreadBound.paused:
        library.limit(1 if ThreadBound.holds else ThreadBound.threads or number)
    ThreadBound.paused.clear()


def _apply() -> None:
    threads = 1 if ThreadBound.holds or ThreadBound.singles else ThreadBound.threads
    if (not threads and not ThreadBound.chosen) or sys.is_finalizing():
        return
    from threadpoolctl import ThreadpoolController

    paused = {library.path: number for library, number in ThreadBound.paused}
    for library in ThreadpoolController().select(user_api="blas").lib_controllers:
        number = paused.get(library.filepath, library.num_threads)
        before = ThreadBound.chosen.setdefault(library.filepath, number)
        # From its version 3.7 on, threadpoolctl heeds only the thread that was the first to set a
        # number. Here one thread holds BLAS and another ends that.
        free = getattr(library, "clear_controlling_thread", None)
        if free is not None:
            free(force=True)
        library.set_num_threads(threads or before)
        if free is not None:
            free(force=True)


def _forget() -> None:
    """Ends all holds in the child of a fork, which has none of the threads that compile."""
    Turns.end(Turns.usual)
    Collections.end(Collections.usual)
    ThreadBound.singles = 0
    _resume()
    if ThreadBound.holds:
        ThreadBound.holds.clear()
        _apply()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


# -- The collector of cycles, and warnings ----------------------------------------------------


@contextmanager
def uncollected(ages: bool = False) -> Iterator[None]:
    """Pauses the collector in the block, which makes many objects that stay.

    With `ages` they are old in the end, without being traversed. A program that has frozen objects
    keeps them frozen: then these are young.
    """
    if not gc.isenabled() or not COLLECTOR.applies():
        yield
        return
    gc.disable()
    try:
        yield
        if ages and not gc.get_freeze_count():
            gc.freeze()
            gc.unfreeze()
    finally:
        gc.enable()


#: So many new objects begin a collection of the youngest while a function is traced or compiled.
_MANY_OBJECTS = 20_000


@contextmanager
def rarely_collected() -> Iterator[None]:
    """Makes collections of the youngest objects rarer in the block, where most of these stay.

    The program may go on in it, so the collector does not pause. What the program sets meanwhile
    stands, and so does a higher number.
    """
    usual = gc.get_threshold()
    if not (gc.isenabled() and 0 < usual[0] < _MANY_OBJECTS and COLLECTOR.applies()):
        yield
        return
    Collections.usual = usual
    gc.set_threshold(*Collections.rare(usual))
    try:
        yield
    finally:
        Collections.end(usual)


class Collections:
    """The usual thresholds of the collector, while they are higher: a fork's child restores them.

    Blocks of several threads may begin and end at the same time, so each restores what it read.
    """

    usual: tuple[int, ...] | None = None

    @classmethod
    def rare(cls, usual: tuple[int, ...]) -> tuple[int, ...]:
        """The thresholds in place of the usual ones."""
        return (_MANY_OBJECTS, *usual[1:])

    @classmethod
    def end(cls, usual: tuple[int, ...] | None) -> None:
        """Restores the usual thresholds, unless the program has set others meanwhile."""
        if usual is not None and gc.get_threshold() == cls.rare(usual):
            gc.set_threshold(*usual)
        cls.usual = None


def ignore_warnings_of(category: type[Warning]) -> None:
    """Adds a last filter that ignores a category of warnings; every other filter precedes it."""
    if WARNINGS.applies():
        warnings.simplefilter("ignore", category, append=True)
