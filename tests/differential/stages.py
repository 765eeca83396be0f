"""How a program runs: eagerly, traced, as machine code, in both of these, and without shapes."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from differential.author import Sample
from differential.results import Tree, difference, outcome_of
from everyday.limits import TooLong, limit
from everyday.programs import DECORATOR, Loaded
from everyday.tiers import native

import graphwright as tf

#: Stages of this package, what TensorFlow's stage each is held to, and the mode of machine code.
STAGES = {
    "eager": ("eager", "off"), "traced": ("traced", "off"), "native": ("traced", "always"),
    "check": ("traced", "check"), "shapeless": ("shapeless", "off"),
}  # fmt: skip
_SECONDS = 30.0
#: The programs of this process that were ended in their midst. What they left half done may decide
#: what comes after them, so a process that has one is not to be trusted with another.
ENDED: list[Sample] = []
#: What TensorFlow raises as it traces what runs eagerly; here it may be traced, too.
_REFUSALS = (
    "TypeError", "ValueError", "AttributeError", "NotImplementedError", "InvalidArgumentError",
    "OperatorNotAllowedInGraphError", "InaccessibleTensorError", "StagingError", "LookupError",
    "UnboundLocalError", "IndexError", "FailedPreconditionError",
)  # fmt: skip


def decorator_of(stage: str, signature: str) -> str | None:
    """What stands in the place of `@tf.function`; None where the stage is not for this program."""
    if stage == "eager":
        return ""
    if stage == "shapeless":
        return f"@tf.function(input_signature={signature})" if signature else None
    return "@tf.function(jit_compile=True)" if stage in ("native", "check") else DECORATOR


@contextmanager
def quiet() -> Iterator[None]:
    """Without warnings and logs."""
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(logging.NOTSET)


def outcomes(sample: Sample, stage: str) -> list[Tree]:
    """What the calls give in a stage; nothing where it is not for this program."""
    decorator = decorator_of(stage, sample.signature)
    if decorator is None:
        return []
    with quiet(), native(STAGES[stage][1]):
        loaded = None
        try:
            with limit(_SECONDS):
                loaded = Loaded(main_decorated(sample, decorator), tf)
                loaded.names["np"] = __import__("numpy")
                return [outcome_of(loaded, i, tf) for i in range(len(sample.program.calls))]
        except TooLong:
            ENDED.append(sample)
            return [{"error": "TooLong", "words": ""}] * len(sample.program.calls)
        finally:
            if loaded is not None:
                loaded.close()


def main_decorated(sample: Sample, decorator: str) -> Any:
    """The program with its main function decorated so; those in it stay as they are."""
    lines = [decorator if line == DECORATOR else line for line in sample.program.source.split("\n")]
    return sample.program._replace(source="\n".join(line for line in lines if line))


class Difference(NamedTuple):
    """A call that comes to something else in a stage."""

    stage: str
    call: int
    words: str
    #: What it comes to here, in TensorFlow, and in TensorFlow eagerly.
    ours: Tree
    theirs: Tree
    eagerly: Tree

    def __str__(self) -> str:
        return f"{self.stage}, call {self.call}: {self.words}"


def as_traced(tree: Tree) -> Tree:
    """A result as a graph gives it: Python's values and arrays of NumPy are tensors."""
    if isinstance(tree, (bool, int, str)):
        dtype = {bool: "bool", int: "int32", str: "string"}[type(tree)]
        return {"of": dtype, "shape": [], "flat": [tree]}
    if isinstance(tree, list):
        return [as_traced(t) for t in tree]
    if not isinstance(tree, dict) or "of" in tree:
        return tree
    if "float" in tree:
        return {"of": "float32", "shape": [], "flat": [tree["float"]]}
    if "bytes" in tree:
        return {"of": "string", "shape": [], "flat": [tree["bytes"]]}
    if "numpy" in tree:
        return tree["numpy"]
    if "dict" in tree:
        return {"dict": [[key, as_traced(t)] for key, t in tree["dict"]]}
    return {kind: as_traced(t) for kind, t in tree.items()}


def outcome_as_traced(outcome: Tree) -> Tree:
    """An outcome as a graph gives it."""
    return {**outcome, "value": as_traced(outcome["value"])} if "value" in outcome else outcome


def follows(eager: Tree, own: Tree, own_eager: Tree) -> bool:
    """Whether a graph gives what follows from TensorFlow's eager ops, so that its graph need not
    be asked: the value; an error, of the class that tracing has for it; or a value, as nothing
    needs what fails eagerly in both."""
    if "error" in eager:
        return own.get("error") in _REFUSALS if "error" in own else "error" in own_eager
    return difference(outcome_as_traced(eager), own) is None


def differences(
    sample: Sample,
    theirs: dict[str, list[Tree]],
    stages: Iterable[str],
    ask: Callable[[str], list[Tree] | None] | None = None,
) -> list[Difference]:
    """How a program differs from TensorFlow's outcomes, once for each kind of difference.

    Where TensorFlow cannot trace a program, a stage here may give what TensorFlow gives eagerly.
    So `ask` gets outcomes of such a stage only where they matter, and they go into `theirs`.
    """
    result: dict[str, Difference] = {}
    own_eager = outcomes(sample, "eager")
    for stage in stages:
        own = own_eager if stage == "eager" else outcomes(sample, stage)
        as_eager = [difference(*pair) is None for pair in zip(theirs["eager"], own)]
        wanted = theirs.get(STAGES[stage][0])
        if wanted is None:
            if all(map(follows, theirs["eager"], own, own_eager)):
                continue
            wanted = ask(STAGES[stage][0]) if ask is not None else None
            if wanted is not None:
                theirs[STAGES[stage][0]] = wanted
            elif any(o.get("error") in _REFUSALS for o in own):
                continue  # only TensorFlow's graph can say whether it is refused there
        expected = wanted or [outcome_as_traced(outcome) for outcome in theirs["eager"]]
        for i, (one, other) in enumerate(zip(expected, own)):
            words = difference(one, other)
            is_wider = one.get("error") in _REFUSALS and "error" not in other and as_eager[i]
            if words and not (follows(one, other, own_eager[i]) if wanted is None else is_wider):
                entry = Difference(stage, i, words, other, one, theirs["eager"][i])
                result.setdefault(words, entry)
            if ("error" in one) != ("error" in other) and "tf.Variable" in sample.program.source:
                break  # variables differ from here on
    return list(result.values())
