"""How a program runs: eagerly, traced, as machine code, in both of these, and without shapes."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

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
            return [{"error": "TooLong", "words": ""}] * len(sample.program.calls)
        finally:
            if loaded is not None:
                loaded.close()


def main_decorated(sample: Sample, decorator: str) -> Any:
    """The program with its main function decorated so; those in it stay as they are."""
    lines = [decorator if line == DECORATOR else line for line in sample.program.source.split("\n")]
    return sample.program._replace(source="\n".join(line for line in lines if line))


def differences(
    sample: Sample,
    theirs: dict[str, list[Tree]],
    stages: Iterable[str],
    ask: Callable[[str], list[Tree] | None] | None = None,
) -> list[str]:
    """How a program differs from TensorFlow's outcomes, a line for each kind of difference.

    Where TensorFlow cannot trace a program, a stage here may give what TensorFlow gives eagerly.
    So `ask` gets outcomes of such a stage only where they matter, and they go into `theirs`.
    """
    result: dict[str, str] = {}
    for stage in stages:
        own = outcomes(sample, stage)
        as_eager = [difference(*pair) is None for pair in zip(theirs["eager"], own)]
        wanted = theirs.get(STAGES[stage][0])
        if wanted is None and ask is not None and not all(as_eager):
            wanted = ask(STAGES[stage][0])
            if wanted is not None:
                theirs[STAGES[stage][0]] = wanted
        for i, (one, other) in enumerate(zip(wanted or theirs["eager"], own)):
            words = difference(one, other)
            is_wider = one.get("error") in _REFUSALS and "error" not in other
            if words and not (is_wider and as_eager[i]):
                result.setdefault(words, f"{stage}, call {i}: {words}")
    return list(result.values())
