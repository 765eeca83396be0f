"""The processor that machine code is made for, in LLVM's words: nothing of it is assumed.

Loading LLVM takes some 20 ms. What it says of this processor is therefore kept with the code that
it made, so that a process that finds all its code on the disk never loads it.
"""

from __future__ import annotations

import functools
import importlib.util
import os
from pathlib import Path

from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

from graphwright.base.named_tuples import NamedTuple
from graphwright.machine.disk_cache import disk_cache, key_of
from graphwright.machine.exclusion import exclusive


class Vectors(NamedTuple):
    """What the processor computes with: bits of a vector, how many, multiply-add in one step."""

    bits: int
    registers: int
    fused: bool

    @property
    def attributes(self) -> str:
        """Function attributes that keep LLVM from splitting vectors of this size."""
        widths = f'"min-legal-vector-width"="{self.bits}" "prefer-vector-width"="{self.bits}"'
        return f"nounwind {widths}"


class Target(NamedTuple):
    """What code is made for."""

    triple: str
    processor: str
    features: frozenset[str]  # what it has (`+avx2`) and has not (`-avx2`)

    @property
    def family(self) -> str:
        """The processors that have the same instructions: `x86_64`, `aarch64`, ..."""
        name = self.triple.partition("-")[0]
        return {"arm64": "aarch64"}.get(name, name)

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
    """What LLVM says of itself and of this processor."""

    version: str
    host: Target

    def encode(self) -> bytes:
        """As bytes, for the disk."""
        triple, processor, features = self.host
        return "\n".join([self.version, triple, processor, *sorted(features)]).encode()

    @classmethod
    def decode(cls, data: bytes) -> Description:
        """What `encode` made bytes of."""
        version, triple, processor, *features = data.decode().split("\n")
        return cls(version, Target(triple, processor, frozenset(features)))


@functools.cache
@exclusive
def description() -> Description:
    """LLVM's description of this processor, from the disk if LLVM gave it before."""
    kept, circumstances = disk_cache(), _circumstances()
    if kept is None or circumstances is None:
        return described()
    key = key_of("a description", *circumstances)
    data = kept.get(key)
    if data is not None:
        try:
            return Description.decode(data)
        except ValueError as error:
            kept.remove(key, f"describes no processor: {error}")
    found = described()
    kept.put(key, found.encode())
    return found


@exclusive
def described() -> Description:
    """What LLVM says now."""
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
    """What a description depends on; None where some of it cannot be told.

    It holds until the system starts anew, since nobody changes its processor before, but for who
    wakes a copy of a virtual machine elsewhere: so what NumPy finds in the processor, at which it
    looks in each process, must be the same too.
    """
    found = getattr(_multiarray_umath, "__cpu_features__", None)
    package = importlib.util.find_spec("llvmlite")
    if not found or package is None or package.origin is None:
        return None
    library = Path(package.origin).parent / "binding" / "libllvmlite.so"
    try:
        start = Path("/proc/sys/kernel/random/boot_id").read_text()
        state = os.stat(library)
    except OSError:
        return None
    machine = os.uname().machine
    numpys = sorted(feature for feature, is_there in found.items() if is_there)
    return (start, machine, str(library), f"{state.st_size} {state.st_mtime_ns}", *numpys)


class Aim:
    """What code is made for: this processor, unless a test has set another one."""

    target: Target | None = None


def target() -> Target:
    """What code is made for."""
    return Aim.target or description().host


@functools.lru_cache(maxsize=8)
def _vectors_of(target: Target) -> Vectors:
    return target.vectors


def vectors() -> Vectors:
    """The vectors that code is made for."""
    return _vectors_of(target())
