"""What is refused is refused in words: which op, which argument, which values.

Every error that TensorFlow was recorded to raise names here the call that it refuses, with the
arguments by their names: eagerly the public function's, in a graph that runs the op's.
"""

from __future__ import annotations

import inspect
import logging
import re
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from support.goldens import AREAS, NO_KERNEL, area_of

import graphwright as tf
from graphwright.op.refusal import show
from tools import golden_format as gf

#: The line that says what was called: `in tf.add(x=float32[2,3], y='a')`.
CALL = re.compile(r"^    in (?P<name>[\w.]+)\((?P<arguments>.*)\)$", re.MULTILINE)
#: Python refuses these calls itself, before there is anything of ours that could say more.
UNBOUND = re.compile(r"\w+\(\) (missing|got an unexpected|takes|got multiple|got some positional)")

#: Parameters whose arguments have names of their own, or none.
UNNAMED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "tensorflow")


def recorded(area: str) -> Iterator[gf.Case]:
    """The cases of an area that TensorFlow refuses."""
    module, store, groups = area_of(area)
    for case in (case for cases in groups.values() for case in cases):
        error = store.index.get(gf.digest(case), {}).get("error", NO_KERNEL[0])
        departs = any(re.search(p, gf.describe(case)) for p, _ in getattr(module, "DEPARTURES", ()))
        if error not in NO_KERNEL and not departs:
            yield case


def told(error: Exception) -> tuple[str, dict[str, str]]:
    """The name of the call that an error tells of, and what it says of the arguments."""
    result = CALL.search(str(error))
    if result is None:
        return "", {}
    arguments = re.findall(r"(?:^|, )([A-Za-z_]\w*(?:\[\d+\])?)=", result["arguments"])
    return result["name"], dict.fromkeys(arguments, result["arguments"])


@pytest.mark.parametrize("area", AREAS)
@pytest.mark.filterwarnings("ignore")
def test_a_refusal_names_the_call_its_arguments_and_their_values(area: str) -> None:
    wrong = []
    for case in recorded(area):
        with pytest.raises(Exception) as caught:  # noqa: PT011 - its class is compared elsewhere
            gf.run_eager(tf, case)
        message = str(caught.value)
        wrong += [f"{gf.describe(case)[:300]}: {w}\n{message}" for w in missing(case, caught.value)]
    assert not wrong, f"{len(wrong)} refusals\n" + "\n".join(wrong[:12])


def missing(case: gf.Case, error: Exception) -> Iterator[str]:
    """What an eager error of a case does not name."""
    if UNBOUND.match(str(error)):
        return
    name, arguments = told(error)
    if case[0].startswith("tools."):
        if not name or not arguments:
            yield "no call"
        return
    function = gf.resolve(tf, case[0])
    if name != case[0] and function is not public(name):
        yield f"the call of {case[0]}"
        return
    try:
        bound = inspect.signature(function).bind(*case[1], **case[2])
    except (TypeError, ValueError):
        bound = None
    for parameter, value in bound.arguments.items() if bound else ():
        declared = bound.signature.parameters[parameter]
        if declared.kind in UNNAMED or parameter == "self":
            continue
        if value is not declared.default and parameter not in arguments:
            yield f"the argument {parameter}"
        elif isinstance(value, np.ndarray) and show(tf.constant(value)) not in str(error):
            yield f"the value of {parameter}"


def public(name: str) -> Any:
    """What a message calls `tf.math.sin`."""
    if name.startswith("tf."):
        return gf.resolve(tf, name.removeprefix("tf."))
    return None


@pytest.mark.parametrize("area", AREAS)
@pytest.mark.filterwarnings("ignore")
def test_a_graph_that_refuses_its_arguments_names_op_and_operands(area: str) -> None:
    wrong = []
    for case in recorded(area):
        try:
            gf.run_traced(tf, case, "none")
        except Exception as error:  # noqa: BLE001 - its class is compared elsewhere
            name, arguments = told(error)
            if not (name and arguments) and not UNBOUND.match(str(error)):
                wrong.append(f"{gf.describe(case)[:300]}:\n{error}")
    assert not wrong, f"{len(wrong)} refusals\n" + "\n".join(wrong[:12])


@pytest.mark.parametrize("name", ["leaked", "created", "captured", "bound", "typed", "cast", "fed"])
def test_an_error_that_says_all_names_no_call(name: str) -> None:
    kept: list[Any] = []
    weight = tf.Variable(2.0)
    leak = tf.function(lambda x: kept.append(x + 1))
    leak(tf.constant(1.0))
    scaled = tf.function(lambda x: x * weight).get_concrete_function(tf.constant(1.0))
    signed = tf.function(lambda x: x, input_signature=[tf.TensorSpec([None], tf.int32)])
    calls = {
        "leaked": lambda: kept[0] + 1,
        "created": tf.function(lambda: tf.Variable(1.0) * 1.0),
        "captured": lambda: scaled.inference_fn(tf.constant(2.0)),
        "bound": lambda: scaled(tf.constant(1.0), y=3),
        "typed": lambda: leak({1, 2}),
        "cast": lambda: signed(tf.constant([1.0])),
        "fed": lambda: scaled(tf.constant(1)),
    }
    with pytest.raises((TypeError, ValueError, tf.errors.InvalidArgumentError)) as caught:
        calls[name]()
    assert CALL.search(str(caught.value)) is None


def circular() -> list[Any]:
    result: list[Any] = [1.0]
    result.append(result)
    return result


SIGNED = tf.function(lambda x: x).get_concrete_function(tf.TensorSpec([2]))
#: What no tensor is made of, and the name of the argument that is told.
NO_TENSORS = [
    (tf.constant, "value"),
    (tf.convert_to_tensor, "value"),
    (tf.Variable, "initial_value"),
    (SIGNED, "ConcreteFunction"),
]


@pytest.mark.parametrize(
    "value",
    [circular(), [[1, 2], [3]], {1, 2}, object()],
    ids=["circular", "ragged", "unhashable", "object"],
)
@pytest.mark.parametrize(("function", "name"), NO_TENSORS)
def test_what_is_no_tensor_is_refused_with_the_arguments_name(
    function: Any, name: str, value: Any
) -> None:
    with pytest.raises(ValueError, match=rf"(?s)\n    in .*{name}"):
        function(value)


@pytest.mark.parametrize(("value", "kind"), [(circular(), ValueError), ({1, 2}, TypeError)])
def test_a_function_names_the_argument_that_has_no_type(value: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind, match="argument 'x': "):
        tf.function(lambda x: x)(value)


def test_what_needs_more_memory_than_there_is_leaves_the_process_alone() -> None:
    for make in (tf.zeros, tf.ones, tf.random.normal):
        with pytest.raises(tf.errors.ResourceExhaustedError, match=r"Unable to allocate .* TiB"):
            make([10**13])


def test_a_graph_that_runs_tells_of_its_op_alone() -> None:
    gather = tf.function(lambda i: tf.gather(tf.ones([2]), i))
    for call in (gather, gather.get_concrete_function(tf.TensorSpec([1], tf.int32))):
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            call(tf.constant([7]))
        assert [result["name"] for result in CALL.finditer(str(caught.value))] == ["GatherV2"]


@pytest.mark.parametrize(
    ("call", "advice"),
    [
        (lambda: WHOLE + HALVES, "tf.cast(WHOLE, tf.float32)"),
        (lambda: HALVES + WHOLE, "tf.cast(WHOLE, tf.float32)"),
        (lambda: HALVES + tf.constant(2.5, tf.float64), "tf.cast(HALVES, tf.float64)"),
        (lambda: WHOLE - (WHOLE > 2), "tf.cast(WHOLE > 2, tf.int32)"),
        (lambda: tf.bitwise.bitwise_and(WHOLE, HALVES), "tf.cast(HALVES, tf.int32)"),
        (lambda: tf.sqrt(WHOLE), "tf.cast(WHOLE, tf.float32)"),
        (lambda: tf.strings.length(input=WHOLE), "tf.strings.as_string(WHOLE)"),
        (lambda: HALVES * DIGIT, "tf.strings.to_number(DIGIT, tf.float32)"),
        (lambda: tf.concat([HALVES[None], WHOLE[None]], 0), "tf.cast(WHOLE[None], tf.float32)"),
    ],
)
@pytest.mark.parametrize("mode", ["eager", "graph"])
def test_a_wrong_dtype_is_refused_with_the_call_that_converts_it(call, advice, mode):
    with pytest.raises((TypeError, tf.errors.InvalidArgumentError)) as caught:
        call() if mode == "eager" else tf.function(call)()
    if sys.version_info >= (3, 11):  # which says what stands at an instruction
        assert f"\n    {advice} converts it\n" in str(caught.value)
    eval(advice)


WHOLE, HALVES, DIGIT = tf.constant(3), tf.constant(2.5), tf.constant("2")
