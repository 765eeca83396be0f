"""Bad calls of every op: refused as TensorFlow refuses them, in words, in every mode.

tests/golden/refusals.json.gz has what TensorFlow makes of calls of its raw ops in which one
argument is wrong (`support.bad_calls`): its dtype, its rank, a dimension, its values, its kind.
"""

from __future__ import annotations

import gzip
import json
import logging
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from support.bad_calls import Arguments, decoded_arguments, digest, states, values, values_of

import graphwright as tf
from graphwright.library.dispatch import raw_ops
from graphwright.library.dispatch.raw_ops import load_all
from graphwright.library.summary.event_file import EventFile
from graphwright.op.interpreter import STATE
from graphwright.op.op import REGISTRY
from graphwright.trace.tracer import current_tracer
from tools import golden_format as gf

#: TensorFlow has no kernel there on its CPU, or fails in another library's words.
NO_KERNEL = {"NotFoundError", "AbortedError", "UnimplementedError", "InternalError"}
#: What TensorFlow raises as it converts an argument.
CONVERSIONS = {"TypeError", "ValueError"}
#: Refused though TensorFlow takes it, and why.
STRICT = [
    ("AvgPool, ", "five sizes for four axes: some of another axis, refused in its graphs"),
    ("MaxPool, ", "five strides for four axes: those of other axes, refused in its graphs"),
    ("AvgPool3DGrad, |AvgPoolGrad, ", "a cotangent of another shape, or five strides: it reads "
     "outside of its memory"),
    ("Conv2D, |DepthwiseConv2dNative, ", "an axis too many: it takes the first part and no other, "
     "and refuses it in graphs"),
    ("DepthwiseConv2dNativeBackprop(Filter|Input), greater rank", "the same of their operands"),
    ("(Conv2D|DepthwiseConv2dNative)Backprop(Filter|Input), emptiness", "one operand is empty and "
     "fits not: zeros, which have no derivatives"),
    ("Conv3DBackprop(Filter|Input)V2, emptiness", "one operand is empty and fits not: zeros"),
    ("AssignVariableOp, ", "a variable keeps the shape that it was made with: code relies on it"),
    (r"ResourceScatter\w+, (dimension|emptiness)", "updates that fit no row: it takes their "
     "elements in turn"),
    ("TensorListScatterIntoExistingList, ", "a list keeps the shape of its items"),
    ("TensorListGetItem, greater rank", "an index that is no scalar"),
    ("Fractional(Avg|Max)PoolGrad, ", "borders and cotangents that fit not: it reads as many as "
     "it needs, or leaves zeros"),
    ("Dequantize, axis after", "an axis that there is not: it reads a size outside of the shape"),
    ("ParseExampleV2, emptiness of dense_defaults", "keys of dense features, and no types of them"),
]  # fmt: skip
#: Taken though TensorFlow refuses it, and why.
LENIENT = {
    (op, "shortness of element_shape"): "[] is a list of floats to it where no dtype is the default"
    for op in ("EmptyTensorList", "TensorListReserve")
}
WEIGHTED = "sums of whole axes, weighted by 0 where an element counts not: 0 times what is infinite"
NOTHING = "the greatest of nothing but nan: the lowest number, nan here"
NOT_FINITE = "what becomes of nan and infinity on the way depends on the order of operations"
#: Calls whose values are meant to differ where TensorFlow takes them, and why.
DIFFERENT = [
    ("Adjust(Hue|Saturation), (finiteness|infinity)", NOT_FINITE),
    ("Betainc, infinity|Expint, infinity", "the limit, where TensorFlow finds nan"),
    ("(IgammaGradA|RandomGammaGrad|Zeta), infinity", "the limit 0, where SciPy finds nan"),
    ("(Bucketize|UpperBound), finiteness", "nan is in no order"),
    ("CTCBeamSearchDecoder, precision", "TensorFlow computes float64 in float32"),
    ("Cholesky, infinity|Lu, infinity", "LAPACK scales by 1 / inf, which is 0"),
    (r"(Conv2D|Conv2DBackpropFilter), infinity", "padding is zeros: 0 times infinity"),
    ("CumulativeLogsumexp, (finiteness|infinity)", "TensorFlow loses what is not a number"),
    (
        "DecodeAndCropJpeg, ",
        "TensorFlow smooths the colours of what it crops only, at the edge too",
    ),
    ("DecodeJSONExample, ", "other bytes of the same message: numbers are packed, or not"),
    (r"Dilation2D\w*, finiteness", NOTHING),
    ("EncodePng, ", "other bytes of the same image"),
    ("EncodeJpeg, sign of x_density", "a density below 0: its bits, none here"),
    (r"FakeQuant\w+Gradient, infinity of min", "the range [inf, 1]"),
    ("FixedUnigramCandidateSampler, (infinity|range)", "weights that are infinite or all 0"),
    ("FractionalAvgPool(Grad)?, infinity", WEIGHTED),
    ("FractionalMaxPool, finiteness", NOTHING),
    ("FusedBatchNormGradV3, ", "the unused results: scalars, though its rule of shapes says none"),
    ("ImageProjectiveTransformV., (finiteness|infinity)", "places that are not finite are outside"),
    ("IsotonicRegression, infinity", NOT_FINITE),
    ("LRNGrad, infinity", NOT_FINITE),
    ("LeakyRelu, finiteness of alpha", NOT_FINITE),
    ("LookupTableExportV2, ", "keys in another order"),
    ("MatrixSolveLs, infinity", NOT_FINITE),
    ("MaxPool(3D)?, finiteness", NOTHING),
    (
        "MaxPoolGrad, finiteness",
        "the gradient of such a window: to its first element, nowhere here",
    ),
    (
        r"MaxPool(3DGrad|3DGradGrad|GradGrad), (finiteness|infinity) of orig",
        "maxima are looked for again, not compared with orig_output",
    ),
    (r"NonMaxSuppressionV., (finiteness|infinity) of boxes", "such boxes overlap nothing"),
    ("QuantizedConcat, finiteness", "a range that is nan"),
    ("RandomIndexShuffle, kind of rounds", "1.5 rounds: other numbers each time"),
    (r"Resize\w+, (finiteness|infinity)", WEIGHTED),
    (r"ResourceScatterM(ax|in), finiteness", "nan is lost, and stays here"),
    ("StatelessRandomBinomial, infinity of counts", "no number of trials: 0"),
    ("StatefulRandomBinomial, ", "its state is read as it was before, in some processes"),
    ("StringNGrams, emptiness of data_splits", "it gives strings that no split tells of"),
]

#: What refuses a call; an infinite attribute is an OverflowError in TensorFlow, too.
REFUSALS = (tf.errors.OpError, ValueError, TypeError, OverflowError)
#: Refused with another class of error, and why.
OTHER = {
    **{
        (op, f"{what} of {argument}"): "its dtype has no default, as those of other numbers have"
        for op, argument in (("GatherV2", "axis"), ("Roll", "axis"), ("Roll", "shift"))
        for what in ("kind", "finiteness", "infinity")
    },
    ("ResourceCountUpTo", "dtype behind of resource"): "TensorFlow reads a string as a number",
    ("ReadVariableOp", "kind of resource"): "TensorFlow finds no variable, and we something else",
    ("UnsortedSegmentJoin", "greater rank of segment_ids"): "TensorFlow looks for sizes too far on",
    ("UnsortedSegmentJoin", "no rank of inputs"): "TensorFlow looks for sizes too far on",
}


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "tensorflow")


@pytest.fixture(autouse=True)
def _event_files(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Closes the files of writers that calls make: the examples of arguments are kept."""
    made: list[EventFile] = []
    begin = EventFile.__init__

    def noted(file: EventFile, *arguments: Any) -> None:
        begin(file, *arguments)
        made.append(file)

    monkeypatch.setattr(EventFile, "__init__", noted)
    yield
    for file in made:
        file.close()


@cache
def calls() -> dict[str, list[tuple[str, dict[str, Any], Any]]]:
    """What was recorded, by op; without the calls that end TensorFlow's own process."""
    result = defaultdict(list)
    rows = json.loads(gzip.decompress((gf.GOLDEN / "refusals.json.gz").read_bytes()))
    for name, what, arguments, outcome in rows:
        if outcome is not None:
            result[name].append((what, arguments, outcome))
    return dict(result)


def letters() -> list[str]:
    """What the names of the ops begin with."""
    return sorted({name[0] for name in calls()})


def is_bad(outcome: Any) -> bool:
    """Whether TensorFlow refuses a call."""
    return isinstance(outcome, str) and outcome not in NO_KERNEL


@pytest.mark.parametrize("letter", letters())
@pytest.mark.filterwarnings("ignore")
def test_a_bad_call_is_refused_as_tensorflow_refuses_it(letter: str) -> None:
    wrong = []
    for name in filter(lambda n: n.startswith(letter), calls()):
        for what, arguments, outcome in calls()[name]:
            given = decoded_arguments(arguments, tf)
            try:
                getattr(tf.raw_ops, name)(**given)
            except Exception as error:  # noqa: BLE001 - its class is what is compared
                argument = what.rpartition(" ")[2]
                if f"in tf.raw_ops.{name}(" not in str(error) or f"{argument}=" not in str(error):
                    wrong.append(f"{name}, {what}: not named in {error}")
                if not as_expected(name, what, type(error).__name__, outcome):
                    wrong.append(f"{name}, {what}: {outcome}, not {error!r}"[:300])
            else:
                if is_bad(outcome) and (name, what) not in LENIENT:
                    wrong.append(f"{name}, {what}: {outcome} was expected")
    assert STATE.active is None
    assert not wrong, f"{len(wrong)}\n" + "\n".join(wrong[:20])


def is_strict(name: str, what: str) -> bool:
    """Whether a call is meant to be refused that TensorFlow takes."""
    return listed(STRICT, name, what) and what != "nothing"


def listed(patterns: list[tuple[str, str]], name: str, what: str) -> bool:
    """Whether a pattern of a list is one of a call."""
    return any(re.match(pattern, f"{name}, {what}") for pattern, _ in patterns)


def as_expected(name: str, what: str, ours: str, outcome: Any) -> bool:
    """Whether our class of error is one for what TensorFlow makes of a call."""
    if not is_bad(outcome):
        return is_strict(name, what) if isinstance(outcome, list) else True
    # A tensor of a wrong dtype is refused by TensorFlow's kernel or, where another argument of the
    # call is a Python value, as it is converted; here the op refuses it in both cases.
    of_dtype = what.startswith(("dtype", "other dtype", "precision"))
    converted = of_dtype and ours == "InvalidArgumentError" and outcome in CONVERSIONS
    # So is a list whose rows differ in length, which here becomes no array but reaches the op.
    converted |= " in the first of " in what and outcome == "ValueError"
    return ours == outcome or converted or (name, what) in OTHER


@cache
def accepted() -> gf.Store:
    """What the calls give that TensorFlow takes."""
    return gf.Store.read(gf.GOLDEN / "accepted_values.npz")


def taken(letter: str) -> Iterator[tuple[str, str, Arguments, list[Any]]]:
    """The calls that TensorFlow takes, with the values that it gives; but for what is drawn from a
    stream, which depends on what was drawn before."""
    load_all()
    for name in filter(lambda n: n.startswith(letter) and not REGISTRY[n].has_stream, calls()):
        for what, arguments, outcome in calls()[name]:
            if isinstance(outcome, list) and not listed(DIFFERENT, name, what):
                entry = accepted().index[digest(name, arguments)]
                if entry != "undefined":
                    yield name, what, arguments, [accepted().unpack(e) for e in entry]


@pytest.mark.parametrize("letter", letters())
@pytest.mark.filterwarnings("ignore")
def test_a_call_that_tensorflow_takes_gives_its_values(letter: str) -> None:
    wrong = []
    for name, what, arguments, expected in taken(letter):
        try:
            result = values_of(tf, name, arguments)
        except Exception as error:  # noqa: BLE001 - any is a difference
            result = [repr(error)]
            if is_strict(name, what):
                continue
        if not alike(result, expected):
            wrong.append(f"{name}, {what}: {expected}, not {result}"[:400])
    assert not wrong, f"{len(wrong)}\n" + "\n".join(wrong[:20])


@pytest.mark.parametrize("letter", letters())
@pytest.mark.filterwarnings("ignore")
def test_a_graph_gives_the_values_or_sees_what_is_wrong(letter: str) -> None:
    """What kernels take may be refused when it is traced, as TensorFlow refuses it: there shapes
    are inferred, which are vectors where they should be."""
    wrong = []
    for name, what, arguments, expected in taken(letter):
        try:
            given = decoded_arguments(arguments, tf)
            concrete = traced(name, given)
        except (ValueError, TypeError) as error:
            if what == "nothing":
                wrong.append(f"{name}: {error!r}"[:400])
            continue
        if is_strict(name, what):
            continue  # which is refused when it runs, if not before
        result = [*values(tf, concrete()), *states(tf, arguments, given)]
        if not alike(result, expected):
            wrong.append(f"{name}, {what}: {expected}, not {result}"[:400])
    assert not wrong, f"{len(wrong)}\n" + "\n".join(wrong[:20])


def traced(name: str, given: Arguments) -> Any:
    """The function of no arguments that makes a call."""
    return tf.function(
        lambda: getattr(tf.raw_ops, name)(**given), autograph=False
    ).get_concrete_function()


def alike(found: list[Any], expected: list[Any]) -> bool:
    """Whether results are the recorded ones, where these are defined."""
    return len(found) == len(expected) and all(map(is_close, found, expected))


#: How far elements may be from TensorFlow's, as a part of the greatest, by their bytes.
NEARLY = {2: 1e-2, 4: 2e-5, 8: 1e-9}


def is_close(found: Any, expected: Any) -> bool:
    """Whether a value is the recorded one; numbers with a fraction may differ a little."""
    if isinstance(expected, str):
        return expected in ("undefined", found)
    if isinstance(found, str) or found.shape != expected.shape or found.dtype != expected.dtype:
        return False
    if found.dtype.kind in "OSUiub":
        return bool(np.array_equal(found, expected))
    near = NEARLY[found.real.dtype.itemsize]
    wide = np.complex128 if found.dtype.kind == "c" else np.float64
    found, expected = found.astype(wide), expected.astype(wide)
    greatest = np.abs(expected[np.isfinite(expected)]).max(initial=0)
    return bool(np.allclose(found, expected, near, near * greatest, equal_nan=True))


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("letter", letters())
@pytest.mark.filterwarnings("ignore")
def test_a_graph_refuses_a_bad_call_and_leaves_nothing_behind(letter: str, compiled: bool) -> None:
    """The good call works after the bad one, and what went before it in the graph is not undone or
    done by halves: an assignment has happened wholly, or not at all."""
    wrong = []
    for name in filter(lambda n: n.startswith(letter), calls()):
        good = next(
            (a for what, a, o in calls()[name] if what == "nothing" and not is_bad(o)), None
        )
        bad = next(((w, a) for w, a, o in calls()[name] if w != "nothing" and is_bad(o)), None)
        if good is None or bad is None:
            continue
        variable = tf.Variable([1.0, 2.0])

        @tf.function(jit_compile=compiled or None, autograph=False)
        def run(arguments: Any, name: str = name, variable: Any = variable) -> Any:
            variable.assign_add([1.0, 1.0])
            return getattr(tf.raw_ops, name)(**arguments)

        what, arguments = bad
        try:
            run(decoded_arguments(arguments, tf))
            wrong.append(f"{name}, {what}: not refused")
        except (tf.errors.OpError, ValueError, TypeError):
            pass
        assert STATE.active is None
        assert current_tracer() is None
        before = variable.numpy().tolist()
        if before not in ([1.0, 2.0], [2.0, 3.0]):
            wrong.append(f"{name}, {what}: the variable is {before}")
        try:
            run(decoded_arguments(good, tf))
        except Exception as error:  # noqa: BLE001 - any is a difference
            wrong.append(f"{name} after it: {error!r}"[:300])
            continue
        if variable.numpy().tolist() != [b + 1.0 for b in before]:
            wrong.append(f"{name}: the variable is {variable.numpy()} after {before}")
    assert not wrong, f"{len(wrong)}\n" + "\n".join(wrong[:20])


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("letter", letters())
@pytest.mark.filterwarnings("ignore")
def test_a_graph_that_knows_no_shapes_refuses_bad_tensors(letter: str, compiled: bool) -> None:
    """What the type rule would say of operands that are known is said when they are there."""
    wrong = []
    for name in filter(lambda n: n.startswith(letter), calls()):
        traces: dict[str, Any] = {}
        for what, arguments, outcome in calls()[name]:
            if not is_bad(outcome):
                continue
            arrays = {k: v["dtype"] for k, v in arguments.items() if is_array(v)}
            given = decoded_arguments(arguments, tf)
            rest = {k: v for k, v in given.items() if k not in arrays}
            key = json.dumps([{k: v for k, v in arguments.items() if k in rest}, arrays])
            if arrays and key not in traces:
                traces[key] = traced_without_shapes(name, rest, arrays, compiled)
            if traces.get(key) is None:
                continue
            try:
                traces[key](**{k: given[k] for k in arrays})
            except REFUSALS:
                pass
            else:
                wrong.append(f"{name}, {what}: {outcome} was expected")
    assert not wrong, f"{len(wrong)}\n" + "\n".join(wrong[:20])


def is_array(value: Any) -> bool:
    """Whether an argument that was kept is an array."""
    return isinstance(value, dict) and "shape" in value


def traced_without_shapes(
    name: str, rest: dict[str, Any], dtypes: dict[str, str], compiled: bool
) -> Any:
    """A raw op with these arguments, traced for others of unknown shapes; None if it is refused."""
    function = tf.function(
        lambda **arrays: getattr(tf.raw_ops, name)(**arrays, **rest),
        jit_compile=compiled or None,
        autograph=False,
    )
    specs = {k: tf.TensorSpec(None, dtype) for k, dtype in dtypes.items()}
    try:
        return function.get_concrete_function(**specs)
    except REFUSALS:
        return None


#: Ops that hold graphs or arrays: no program calls them by their names.
WITH_GRAPHS = {
    "Case", "Const", "If", "PartitionedCall", "StatefulPartitionedCall", "StatelessCase",
    "StatelessIf", "StatelessWhile", "While",
}  # fmt: skip
#: Ops of which TensorFlow refuses no call that is recorded, and why.
NOT_REFUSED = {
    **dict.fromkeys(["NoOp", "Timestamp"], "it has no arguments"),
    **dict.fromkeys(["EagerPyFunc", "PyFuncStateless"], "functions are known by a token"),
    **dict.fromkeys(
        ["GuaranteeConst", "Identity", "PreventGradient", "Rank", "SerializeTensor", "Shape",
         "Size", "StopGradient", "ZerosLike"], "it takes every tensor"),
    "Cast": "it takes every tensor, but has no kernel for some",
}  # fmt: skip


def test_every_op_has_recorded_bad_calls() -> None:
    bad = {
        name
        for name, rows in calls().items()
        for what, _, outcome in rows
        if what != "nothing" and is_bad(outcome)
    }
    missing = sorted(set(raw_ops.names()) - bad - NOT_REFUSED.keys())
    assert not missing, "add an example of each to tests/corpora/bad_call_examples.py"
    without = {n for n in REGISTRY if n not in raw_ops.OUR_OPS and not raw_ops.has_raw_form(n)}
    assert without == WITH_GRAPHS


def test_the_least_of_attributes_and_lists_is_what_tensorflow_states() -> None:
    stated = json.loads((gf.GOLDEN / "least.json").read_text(encoding="utf-8"))
    names = raw_ops.names()
    assert {n: REGISTRY[n].least for n in names} == {n: stated.get(n, {}) for n in names}


def test_variates_of_what_is_no_parameter_end() -> None:
    """The rejection of what can never be accepted went on for ever."""
    drawn = tf.random.stateless_gamma([3, 4], [1, 2], [float("nan"), -1.0, float("inf"), 1.0])
    assert [str(v) for v in drawn[0, :3].numpy()] == ["nan", "nan", "inf"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="finite mean"):
        tf.raw_ops.StatelessParameterizedTruncatedNormal(
            shape=[2], seed=[1, 2], means=float("nan"), stddevs=1.0, minvals=0.0, maxvals=1.0
        )


#: What is no bool, though Python tells its truth: TensorFlow takes none of it for an attribute.
NO_BOOLS: list[Any] = [
    [1, 2], [], "yes", "", 2, 1, 0, 1.0, np.bool_(True), np.int64(1), np.array(True), (), {},
    object(), len,
]  # fmt: skip


@pytest.mark.parametrize("staged", [False, True])
def test_an_attribute_that_is_a_bool_takes_nothing_else(staged: bool) -> None:
    """Each op with such an attribute and a recorded call, with each of them."""
    wrong, count = [], 0
    for name, rows in calls().items():
        flags = [a for a, kind in REGISTRY[name].fields.items() if kind == "bool"]
        good = next((a for what, a, o in rows if what == "nothing" and not is_bad(o)), {})
        for flag in filter(good.__contains__, flags):
            for bad in NO_BOOLS:
                arguments = {**decoded_arguments(good, tf), flag: bad}

                def call(name: str = name, arguments: dict[str, Any] = arguments) -> Any:
                    return getattr(tf.raw_ops, name)(**arguments)

                count += 1
                try:
                    (tf.function(call, autograph=False) if staged else call)()
                    wrong.append(f"{name}({flag}={bad!r})")
                except TypeError:
                    pass
    assert count > 1000
    assert not wrong, f"{len(wrong)}\n" + "\n".join(wrong[:20])


@pytest.mark.parametrize("bad", NO_BOOLS)
def test_functions_take_no_other_object_for_a_bool(bad: Any) -> None:
    x, m = tf.constant([1.0, 2.0]), tf.eye(2)
    made = [
        lambda: tf.cumsum(x, exclusive=bad), lambda: tf.cumsum(x, reverse=bad),
        lambda: tf.math.cumulative_logsumexp(x, exclusive=bad), lambda: tf.linalg.inv(m, bad),
        lambda: tf.linalg.solve(m, m, adjoint=bad), lambda: tf.linalg.svd(m, full_matrices=bad),
        lambda: tf.linalg.qr(m, full_matrices=bad), lambda: tf.math.top_k(x, sorted=bad),
        lambda: tf.matmul(m, m, transpose_b=bad), lambda: tf.edit_distance(
            tf.sparse.from_dense([[1]]), tf.sparse.from_dense([[2]]), normalize=bad),
    ]  # fmt: skip
    for call in made:
        for run in (call, tf.function(call, autograph=False)):
            with pytest.raises(TypeError, match="Expected bool for argument"):
                run()
