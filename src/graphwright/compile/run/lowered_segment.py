"""A segment's graph as a program of loop nests, and as text for LLVM.

A second process needs neither: what the first one rendered is kept beside the machine code, under a
digest of the graph and of all else that decides about it. Only a program that somebody looks at is
lowered then.
"""

from __future__ import annotations

import marshal
from _blake2 import blake2b
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graphwright.base.errors import InternalError
from graphwright.base.forks import cached_property
from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.llvm.rendering import Rendering
from graphwright.compile.run.options import OPTIONS
from graphwright.ir.graph import Graph
from graphwright.ir.graph_digest import graph_digest
from graphwright.machine import threads
from graphwright.machine.background import go_on
from graphwright.machine.disk_cache import disk_cache
from graphwright.machine.exclusion import LLVM
from graphwright.machine.kept_texts import source_key
from graphwright.types.arrays import Array

if TYPE_CHECKING:
    from graphwright.compile.nests.nest import Program

#: Constants of more bytes are not kept: lowering finds them in the graph.
_LARGEST = 1 << 20


class KeptSegment(NamedTuple):
    """What is kept of a segment; the first process may not need all of it."""

    rendering: Rendering | None = None
    constants: tuple[tuple[str, tuple[int, ...], bytes], ...] = ()  # dtype, shape, content
    skeleton: bytes = b""  # a digest; see `render.skeleton`

    def packed(self) -> bytes:
        """The record as bytes."""
        rendering = self.rendering and tuple(self.rendering._replace(sanitizer=None))
        return marshal.dumps((rendering, self.constants, self.skeleton))


def unpacked(data: bytes) -> KeptSegment:
    """The record of its bytes, which this user's processes have written: see `disk_cache`."""
    rendering, constants, skeleton = marshal.loads(data)
    return KeptSegment(rendering and Rendering(*rendering), constants, skeleton)


class LoweredSegment:
    """The graph of a segment, lowered now or by an earlier process.

    Each (result, argument) of `updates` is a result that should have the argument's memory.
    `NotNative` says why there is no program.
    """

    def __init__(self, graph: Graph, updates: Sequence[tuple[int, int]]) -> None:
        self.graph = graph
        self.updates = updates
        self.key = key_for(graph, updates)
        cache = disk_cache() if self.key else None
        data = None if cache is None else cache.get(self.key)
        self.record = KeptSegment() if data is None else unpacked(data)
        is_checked = OPTIONS.get("native") == "check"
        #: What an earlier process has rendered: with it nothing has to be lowered to run it.
        self.recalled = None if is_checked else self.record.rendering
        self.is_known = data is not None and not is_checked
        if not self.is_known:
            self.lowered  # noqa: B018 - to see whether it can be lowered

    @cached_property
    def lowered(self) -> tuple[Program, list[Array]]:
        """The program, and the constants that are further inputs."""
        go_on()
        with LLVM:
            from graphwright.compile.nests.lowering import lower
        return lower(self.graph, self.updates)

    @property
    def is_recalled(self) -> bool:
        """Whether an earlier process has rendered it."""
        return self.recalled is not None

    @cached_property
    def rendering(self) -> Rendering:
        """The program as text."""
        if self.recalled is not None:
            return self.recalled
        go_on()
        with LLVM:
            from graphwright.compile.llvm.render import rendering
        program, constants = self.lowered
        new = rendering(program)
        if new.sanitizer is None and is_plain(program) and total(constants) <= _LARGEST:
            arrays = tuple([(c.dtype.str, c.shape, c.tobytes()) for c in constants])
            self.keep(self.record._replace(rendering=new, constants=arrays))
        return new

    @cached_property
    def constants(self) -> list[Array]:
        """The constants that are further inputs."""
        if not self.is_recalled:
            return self.lowered[1]
        return [
            np.frombuffer(content, dtype).reshape(shape)
            for dtype, shape, content in self.record.constants
        ]

    @cached_property
    def skeleton(self) -> bytes:
        """A digest of the parts that decide how good its code is, without the sizes of a trace."""
        if self.record.skeleton and self.is_known:
            return self.record.skeleton
        with LLVM:
            from graphwright.compile.llvm.render import skeleton
        parts = repr(skeleton(self.lowered[0]))
        digest = blake2b(parts.encode(), digest_size=16).digest()
        if is_plain(self.lowered[0]):
            self.keep(self.record._replace(skeleton=digest))
        return digest

    @property
    def crossing(self) -> Any:
        """The inputs and results that are lists; see `list_boundary`."""
        return None if self.is_recalled else self.lowered[0].crossing

    @property
    def reuses(self) -> tuple[tuple[int, int], ...]:
        """(result, input): a call may lend the input's memory to the result."""
        return self.lowered[0].reuses if self.recalled is None else self.recalled.reuses

    def keep(self, record: KeptSegment) -> None:
        """Keeps what is known now for other processes."""
        cache = disk_cache()
        if not self.key or cache is None:
            return
        old = self.record
        require_same(old.rendering, record.rendering)
        require_same(old.skeleton, record.skeleton)
        if old != record:
            cache.put(self.key, record.packed())
        self.record = record


def require_same(old: object, new: object) -> None:
    """Refuses a record that lowering does not give again: the key lacks something."""
    if old and old != new:
        raise InternalError(None, None, "a segment was kept under a key that fits another one")


def key_for(graph: Graph, updates: Sequence[tuple[int, int]]) -> str:
    """The key of a segment: of all that its lowering and its text depend on; "" for none."""
    if disk_cache() is None or OPTIONS.get("native") == "sanitize":
        return ""
    options = sorted((name, str(value)) for name, value in OPTIONS.items() if name != "native")
    digest = graph_digest(graph, tuple(updates), tuple(options), threads.are_possible())
    return "" if digest is None else source_key(digest.hex())


def is_plain(program: Program) -> bool:
    """Whether nothing but numbers goes in and out, and no kernel is called."""
    return program.crossing is None and not program.kernels


def total(arrays: Sequence[Array]) -> int:
    """The bytes of some arrays."""
    return sum(array.nbytes for array in arrays)
