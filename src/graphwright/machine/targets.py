"""The processor that machine code is made for, in LLVM's terms: nothing of it is assumed.

Loading LLVM takes some 20 ms. So its description of this processor is kept with the code that it
made. A process whose code is all on the disk never loads LLVM.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

from graphwright.base.named_tuples import NamedTuple
from graphwright.machine.disk_cache import disk_cache, key_of
from graphwright.machine.exclusion import exclusive
from graphwright.machine.llvm_library import llvm_library, place


class Vectors(NamedTuple):
    """A processor's vectors: their bits, the number of registers, multiply-add in one step."""

    bits: int
    registers: int
    fused: bool

    @property
    def attributes(self) -> str:
        """Function attributes that keep LLVM from splitting vectors of this size."""
        widths = f'"min-legal-vector-width"="{self.bits}" "prefer-vector-width"="{self.bits}"'
        return f"nounwind {widths}"


class Target(NamedTuple):
    """A processor and system that code is made for."""

    triple: str
    processor: str
    features: frozenset[str]  # those that it has (`+avx2`) and has not (`-avx2`)

    @property
    def family(self) -> str:
        """The family of processors with the same instructions: `x86_64`, `aarch64`, ..."""
        name = self.triple.partition("-")[0]
        return {"arm64": "aarch64"}.get(name, name)

    @property
    def separates_components(self) -> bool:
        """Whether code that takes the components of rows apart is short: not for WebAssembly, whose
        shuffles have two operands of 128 bits."""
        return self.family != "wasm32"

    @property
    def gathers_slowly(self) -> bool:
        """Whether loads one after the other take less time than the instruction that gathers: on
        AMD's processors, by a seventh of a program of decision trees."""
        return self.processor.startswith("znver")

    @property
    def scatters(self) -> bool:
        """Whether an instruction writes the lanes of a vector to places apart from each other."""
        return {"+avx512f", "+avx512vl"} <= self.features

    @property
    def vectors(self) -> Vectors:
        """Its vectors."""
        if {"+avx512f", "+avx512vl"} <= self.features:
            return Vectors(512, 32, True)
        if "+avx2" in self.features:
            return Vectors(256, 16, "+fma" in self.features)
        arm = self.family == "aarch64"
        return Vectors(128, 32 if arm else 16, arm)


class Description(NamedTuple):
    """LLVM's version and its description of this processor."""

    version: str
    host: Target

    def encode(self) -> bytes:
        """The description as bytes, for the disk."""
        triple, processor, features = self.host
        return "\n".join([self.version, triple, processor, *sorted(features)]).encode()

    @classmethod
    def decode(cls, data: bytes) -> Description:
        """The description that `encode` made bytes of."""
        version, triple, processor, *features = data.decode().split("\n")
        return cls(version, Target(triple, processor, frozenset(features)))


@functools.cache
@exclusive
def description() -> Description:
    """LLVM's description of this processor, from the disk if it is there."""
    cache, circumstances = disk_cache(), _circumstances()
    if cache is None or circumstances is None:
        return described()
    key = key_of("a description", *circumstances)
    data = cache.get(key)
    if data is not None:
        try:
            return Description.decode(data)
        except ValueError as error:
            cache.remove(key, f"describes no processor: {error}")
    current = described()
    cache.put(key, current.encode())
    return current


@exclusive
def described() -> Description:
    """LLVM's description of this processor, from LLVM."""
    library = llvm_library()
    if library is not None:
        triple, processor, names = library.host()
        return Description(library.version(), Target(triple, processor, frozenset(names)))
    from llvmlite import binding

    features = binding.get_host_cpu_features().flatten()
    return Description(
        ".".join(map(str, binding.llvm_version_info)),
        Target(
            binding.get_process_triple(),
            binding.get_host_cpu_name(),
            frozenset(features.split(",")),
        ),
    )


def _circumstances() -> tuple[str, ...] | None:
    """All that a description depends on; None where some of it is unknown.

    A description holds until the system boots, since its processor does not change before. But a
    virtual machine may wake on another host. So the features that NumPy detects in each process
    must be the same, too.
    """
    features = getattr(_multiarray_umath, "__cpu_features__", None)
    library = place()
    if not features or library is None:
        return None
    try:
        start = Path("/proc/sys/kernel/random/boot_id").read_text()
        state = os.stat(library)
    except OSError:
        return None
    machine = os.uname().machine
    numpys = sorted(name for name, is_there in features.items() if is_there)
    return (start, machine, str(library), f"{state.st_size} {state.st_mtime_ns}", *numpys)


class Aim(threading.local):
    """Another target than this processor, for which a thread makes code that runs elsewhere."""

    def __init__(self) -> None:  # a value of the class would be hidden in threads that have aimed
        self.target: Target | None = None


_AIM = Aim()


@contextmanager
def aimed_at(target: Target) -> Iterator[None]:
    """A context in which this thread makes code for another target."""
    before, _AIM.target = _AIM.target, target
    try:
        yield
    finally:
        _AIM.target = before


def target() -> Target:
    """The target that code is made for."""
    return _AIM.target or description().host


@functools.lru_cache(maxsize=8)
def _vectors_of(target: Target) -> Vectors:
    return target.vectors


def vectors() -> Vectors:
    """The vectors that code is made for."""
    return _vectors_of(target())
