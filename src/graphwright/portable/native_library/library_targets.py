"""The processors for which libraries are compiled, by the names of their systems."""

from __future__ import annotations

from graphwright.machine.targets import Target, target

#: What the levels of x86-64 have beyond the first one, as LLVM names it.
_SECOND = frozenset({"+cx16", "+popcnt", "+sse3", "+sse4.1", "+sse4.2", "+ssse3"})
_THIRD = _SECOND | {"+avx", "+avx2", "+bmi", "+bmi2", "+f16c", "+fma", "+lzcnt", "+movbe"}
_FOURTH = _THIRD | {"+avx512bw", "+avx512cd", "+avx512dq", "+avx512f", "+avx512vl"}

#: The processors of each family by name, and the features that all of that name have.
PROCESSORS: dict[str, dict[str, frozenset[str]]] = {
    "x86_64": {
        "x86-64": frozenset(),
        "x86-64-v2": _SECOND,
        "x86-64-v3": _THIRD,
        "x86-64-v4": _FOURTH,
    },
    "aarch64": {"generic": frozenset({"+neon"})},
    "wasm32": {"generic": frozenset({"+bulk-memory", "+simd128"})},
}

#: Triples by the short names of targets.
TRIPLES = {
    "x86_64-linux-gnu": "x86_64-unknown-linux-gnu",
    "aarch64-linux-gnu": "aarch64-unknown-linux-gnu",
    "wasm32": "wasm32-unknown-unknown",
}

#: The processor of a target that is not this machine: each that is in use has what it has.
USUAL = {"x86_64": "x86-64-v3", "aarch64": "generic", "wasm32": "generic"}


def chosen(name: str | None, processor: str | None) -> Target:
    """The target of a library; ValueError for one that is unknown. None is this machine."""
    here = target()
    if name is None and processor is None:
        if here.family not in PROCESSORS or "linux" not in here.triple:
            raise ValueError(
                f"A library for this machine ({here.triple}) cannot be linked. Name another "
                f"target: {', '.join(TRIPLES)}."
            )
        return here
    if name is not None and name not in TRIPLES:
        raise ValueError(f"Unknown target: {name!r}. Must be one of {', '.join(TRIPLES)}.")
    triple = here.triple if name is None else TRIPLES[name]
    family = Target(triple, "", frozenset()).family
    known = PROCESSORS.get(family, {})
    processor = processor or USUAL[family]
    if processor not in known:
        raise ValueError(
            f"Unknown processor: {processor!r}. Of {family} it must be one of {', '.join(known)}."
        )
    return Target(triple, processor, known[processor])
