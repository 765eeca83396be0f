"""Bad calls of every op: refused as TensorFlow refuses them, in words, in every mode.

tests/golden/refusals.json.gz has what TensorFlow makes of calls of its raw ops in which one
argument is wrong (`bad_calls`): its dtype, its rank, a dimension, its values, its kind.
"""

from __future__ import annotations

import gzip
import json
import logging
from collections import defaultdict
from functools import cache
from typing import Any

import pytest
from bad_calls import decoded_arguments

import graphwright as tf
from graphwright.op.interpreter import STATE
from graphwright.trace.tracer import current_tracer
from tools import golden_format as gf

#: TensorFlow has no kernel there on its CPU, or fails in another library's words.
NO_KERNEL = {"NotFoundError", "AbortedError", "UnimplementedError", "InternalError"}
#: Which of these TensorFlow raises says where it noticed: as it converts, or in the op.
CONVERSIONS = {"TypeError", "ValueError"}
#: Takes what TensorFlow does not: shapes that broadcast, values that it need not look at. Mostly
#: ops that public functions alone apply, with arguments that they have looked at.
LENIENT = frozenset(
    [
        "BandedTriangularSolve",
        "Conv2D",
        "CropAndResizeGradImage",
        "DenseCountSparseOutput",
        "EditDistance",
        "EluGrad",
        "FakeQuantWithMinMaxArgs",
        "FakeQuantWithMinMaxArgsGradient",
        "FakeQuantWithMinMaxVars",
        "FakeQuantWithMinMaxVarsGradient",
        "Fingerprint",
        "HistogramFixedWidth",
        "IRFFT",
        "IRFFT2D",
        "IRFFT3D",
        "IdentityN",
        "InTopKV2",
        "InvGrad",
        "LeakyReluGrad",
        "LinSpace",
        "LowerBound",
        "MatrixDiagV3",
        "MatrixInverse",
        "MatrixSolveLs",
        "MaxPoolGrad",
        "MirrorPadGrad",
        "QuantizeAndDequantizeV2",
        "QuantizeAndDequantizeV4",
        "QuantizeAndDequantizeV4Grad",
        "RFFT",
        "RFFT2D",
        "RFFT3D",
        "RaggedFillEmptyRows",
        "RaggedFillEmptyRowsGrad",
        "Range",
        "Relu6Grad",
        "ReluGrad",
        "ResizeBilinear",
        "SeluGrad",
        "SerializeManySparse",
        "SerializeSparse",
        "ShapeN",
        "SoftplusGrad",
        "SoftsignGrad",
        "SparseAdd",
        "SparseAddGrad",
        "SparseConcat",
        "SparseCountSparseOutput",
        "SparseFillEmptyRows",
        "SparseReduceMax",
        "SparseReduceMaxSparse",
        "SparseReduceSum",
        "SparseReduceSumSparse",
        "SparseReorder",
        "SparseReshape",
        "SparseSlice",
        "SparseSliceGrad",
        "SparseSoftmax",
        "SparseSparseMaximum",
        "SparseSparseMinimum",
        "SparseTensorDenseAdd",
        "SparseToDense",
        "SplitV",
        "SqrtGrad",
        "StatelessRandomGammaV3",
        "StatelessRandomNormalV2",
        "StatelessRandomUniformFullIntV2",
        "StatelessRandomUniformIntV2",
        "StatelessRandomUniformV2",
        "StatelessShuffle",
        "StatelessTruncatedNormalV2",
        "StridedSlice",
        "StridedSliceGrad",
        "StringFormat",
        "TridiagonalMatMul",
        "TridiagonalSolve",
        "UniqueV2",
        "UniqueWithCountsV2",
        "UnravelIndex",
        "UnsortedSegmentJoin",
    ]
)
#: Refuses what TensorFlow's kernels do not look at, as indices outside of a shape.
STRICT = frozenset(
    [
        "All",
        "Any",
        "AvgPool",
        "AvgPool3DGrad",
        "AvgPoolGrad",
        "Conv2D",
        "Conv2DBackpropFilter",
        "Conv2DBackpropInput",
        "DeserializeManySparse",
        "EuclideanNorm",
        "ExpandDims",
        "ExtractImagePatches",
        "Fill",
        "Fingerprint",
        "InTopKV2",
        "IsotonicRegression",
        "MatrixSquareRoot",
        "Max",
        "MaxPool",
        "Mean",
        "Min",
        "Prod",
        "QuantizeV2",
        "ReduceJoin",
        "ReverseV2",
        "SparseConcat",
        "SparseReduceMax",
        "SparseReduceMaxSparse",
        "SparseReduceSum",
        "SparseReduceSumSparse",
        "SparseReorder",
        "SparseSoftmax",
        "SplitV",
        "StringJoin",
        "Sum",
        "Svd",
        "UniqueV2",
        "UniqueWithCountsV2",
        "UnsortedSegmentSum",
    ]
)

#: Operands of another class of error: lists that must not be empty, and what is looked at first.
OTHER = {
    ("CropAndResizeGradImage", "sign of image_size"),
    ("UnsortedSegmentJoin", "no rank of inputs"),
    ("UnsortedSegmentJoin", "greater rank of segment_ids"),
}


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "tensorflow")


@cache
def calls() -> dict[str, list[tuple[str, dict[str, Any], Any]]]:
    """What was recorded, by op; without the calls that end TensorFlow's own process."""
    found = defaultdict(list)
    rows = json.loads(gzip.decompress((gf.GOLDEN / "refusals.json.gz").read_bytes()))
    for name, what, arguments, outcome in rows:
        if outcome is not None:
            found[name].append((what, arguments, outcome))
    return dict(found)


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
                if is_bad(outcome) and name not in LENIENT:
                    wrong.append(f"{name}, {what}: {outcome} was expected")
    assert STATE.active is None
    assert not wrong, f"{len(wrong)}\n" + "\n".join(wrong[:20])


def as_expected(name: str, what: str, ours: str, outcome: Any) -> bool:
    """Whether our class of error is one for what TensorFlow makes of a call."""
    if not is_bad(outcome):
        return name in STRICT if isinstance(outcome, list) else True
    both = {ours, outcome}
    conversion = ours == "InvalidArgumentError" and outcome in CONVERSIONS
    converted = what.startswith(("emptiness of", "kind of")) and bool(both & CONVERSIONS)
    return len(both) == 1 or conversion or converted or (name, what) in OTHER


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
        if good is None or bad is None or name in LENIENT:
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


def test_variates_of_what_is_no_parameter_end() -> None:
    """The rejection of what can never be accepted went on for ever."""
    drawn = tf.random.stateless_gamma([3, 4], [1, 2], [float("nan"), -1.0, float("inf"), 1.0])
    assert [str(v) for v in drawn[0, :3].numpy()] == ["nan", "nan", "inf"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="finite mean"):
        tf.raw_ops.StatelessParameterizedTruncatedNormal(
            shape=[2], seed=[1, 2], means=float("nan"), stddevs=1.0, minvals=0.0, maxvals=1.0
        )
