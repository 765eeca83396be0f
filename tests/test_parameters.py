"""Public functions and classes have TensorFlow's parameters, in its order, with its defaults."""

from __future__ import annotations

import inspect
import json
import re
from typing import Any

import pytest

import graphwright as tf
from graphwright.types.dtypes import DType
from tools import golden_format as gf
from tools.write_api_docs import exists

RECORDED = json.loads((gf.GOLDEN / "signatures.json").read_text(encoding="utf-8"))
#: Which classes are made by other functions than themselves, or say more than `*args`.
MADE = re.compile(
    r"(dtypes\.)?DType|Graph|RaggedTensor|Variable|experimental\.(DynamicRaggedShape|RowPartition)"
    r"|lookup\..*Table|test\.TestCase|types\.experimental\..*|distribute\.Distributed.*"
    r"|distribute\.experimental\.CommunicationOptions"
)
#: The default is worked out from the class, or told by it.
WORKED_OUT = {
    "errors.OpError": "error_code",
    "linalg.LinearOperatorCirculant": "name",
    "linalg.LinearOperatorCirculant2D": "name",
    "linalg.LinearOperatorCirculant3D": "name",
}
#: A parameter and its default, as they are recorded.
PARAMETER = re.compile(r"(?:^|, )\*{0,2}(\w+)(=(?:'[^']*'|[^,(\[]|\(.*?\)|\[.*?\])*)?")
#: Parameters that are not written yet.
LACKING = {"train.CheckpointManager": {"last_checkpoint_step"}}


def compared() -> list[str]:
    """The names whose parameters are compared."""
    return [name for name in RECORDED if exists(tf, name) and not MADE.fullmatch(name)]


@pytest.mark.parametrize("name", compared())
def test_parameters_are_tensorflows(name: str) -> None:
    value: Any = tf
    for part in name.split("."):
        value = getattr(value, part)
    ours = {p.name: p for p in inspect.signature(value).parameters.values()}
    theirs = dict(PARAMETER.findall(RECORDED[name]))
    kept = [n for n, p in ours.items() if p.kind is not p.KEYWORD_ONLY or n in theirs]
    assert kept == [n for n in theirs if n not in LACKING.get(name, ())]
    for parameter, text in theirs.items():
        if text.endswith("...") or parameter in (WORKED_OUT.get(name), *LACKING.get(name, ())):
            continue
        assert plain(ours[parameter]) == re.sub(r"[\[\]()]", "", text), parameter


def plain(parameter: inspect.Parameter) -> str:
    """The default as it was recorded, lists and tuples alike."""
    default = parameter.default
    if default is parameter.empty:
        return ""
    text = default.name if isinstance(default, DType) else repr(default)
    return "=" + re.sub(r"[\[\]()]", "", text)


def test_most_names_are_compared() -> None:
    assert len(compared()) > 1000
