"""Whom we are measured beside: libraries, some of them in more than one way."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

OURS = "graphwright"
FLOOR = "numpy"

#: A library, or a library and a way to use it: with its compiler, with processes that load data,
#: without what an earlier process has kept.
PEERS = (
    OURS,
    "graphwright-cold",
    "tensorflow",
    "tensorflow-xla",
    "jax",
    "torch",
    "torch-compile",
    "torch-workers",
    "grain",
    "numba",
    FLOOR,
)

#: Given a peer's module, the function that is measured.
Program = Callable[[Any], Callable[[], object]]


def library_of(peer: str) -> str:
    """The module that is imported for a peer."""
    return peer.partition("-")[0]


class Compiling:
    """TensorFlow, whose functions are compiled with XLA."""

    def __init__(self, tf: Any) -> None:
        self.tf = tf

    def __getattr__(self, name: str) -> Any:
        return getattr(self.tf, name)

    def function(self, function: Any = None) -> Any:
        return self.tf.function(function, jit_compile=True)


def module_of(peer: str) -> Any:
    """What the programs of a peer get."""
    module = importlib.import_module(library_of(peer))
    return Compiling(module) if peer == "tensorflow-xla" else module


def compiled(program: Program) -> Program:
    """A program of PyTorch's that runs op by op, through its compiler."""
    return lambda torch: torch.compile(program(torch))


def every_way(programs: Mapping[str, Program]) -> dict[str, Program]:
    """The programs with those of the compilers, where a library has one beside its usual way."""
    ways = dict(programs)
    if "tensorflow" in ways:
        ways["tensorflow-xla"] = ways["tensorflow"]
    if "torch" in ways and "torch-compile" not in ways:
        ways["torch-compile"] = compiled(ways["torch"])
    return ways
