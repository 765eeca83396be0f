"""The statement that calls what is outside of machine code: a kernel, or a routine of LAPACK."""

from __future__ import annotations

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.nests.sizes import Shape

#: The routine that is a kernel of the slow tier; its first source is the kernel's number.
KERNEL = "kernel"


class OutsideCall(NamedTuple):
    """What a routine makes of its sources: it reads these whole, and writes each target whole.

    Targets lie apart from each other and from the sources. Some are room to work in. The program
    ends where the routine refuses its sources.
    """

    routine: str
    sources: tuple[int, ...]
    targets: tuple[int, ...]
    #: The shapes and kinds of the sources, then those of the targets.
    shapes: tuple[Shape, ...]
    kinds: tuple[str, ...]
    flags: tuple[bool, ...] = ()

    def __str__(self) -> str:
        words = " ".join([self.routine, *[str(int(flag)) for flag in self.flags]])
        named = [
            f"b{buffer} {kind}[{', '.join(map(str, shape))}]"
            for buffer, kind, shape in zip((*self.sources, *self.targets), self.kinds, self.shapes)
        ]
        count = len(self.sources)
        return f"{', '.join(named[count:])} = call {words}({', '.join(named[:count])})"
