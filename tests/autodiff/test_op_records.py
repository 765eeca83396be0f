"""Every op's gradient rule against differences: reverse, forward, and the second derivative.

All ops with a rule stand in one of four places. Most have samples: of elementwise ops drawn from
where they are smooth, of all ops what the golden cases give them, in double precision where they
have it. Others run in `op_examples.EXAMPLES`. `REFUSED` say that they have no gradient,
`BY_DESIGN` have one that is none of differences, each with the reason.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import pytest
from corpora.op_examples import EXAMPLES, Example
from support.numeric import as_tensors, differences, slopes, tangent, weighted
from support.op_samples import Sample, Witness, has_rule, our_ops, samples, widened

import graphwright as tf
from graphwright.op.interpreter import apply
from graphwright.op.op import REGISTRY, Call, Op
from graphwright.op.op_families import Elementwise

#: Where an elementwise op is smooth, if that is less than (-3, 3); for all operands or for each.
DOMAINS: dict[str, Any] = {
    "Acos": (-0.9, 0.9), "Acosh": (1.2, 4.0), "Asin": (-0.9, 0.9), "Atanh": (-0.9, 0.9),
    "BesselI0e": (0.2, 3.0), "BesselI1e": (0.2, 3.0), "BesselK0": (0.3, 3.0),
    "BesselK0e": (0.3, 3.0), "BesselK1": (0.3, 3.0), "BesselK1e": (0.3, 3.0),
    "BesselY0": (0.3, 3.0), "BesselY1": (0.3, 3.0), "Digamma": (0.5, 4.0),
    "ClipByValue": ((-3.0, 3.0), (-1.5, -1.0), (1.0, 1.5)),
    "Erfinv": (-0.9, 0.9), "Expint": (0.3, 3.0), "FloorMod": (1.1, 1.9),
    "Igamma": ((2.0, 2.5), (0.5, 4.0)), "Igammac": ((2.0, 2.5), (0.5, 4.0)),
    "Lgamma": (0.5, 4.0), "Log": (0.3, 3.0), "Log1p": (-0.7, 3.0), "Ndtri": (0.1, 0.9),
    "Polygamma": ((1.0, 1.0), (0.5, 4.0)), "Pow": (0.3, 2.0), "Reciprocal": (0.3, 3.0),
    "Rsqrt": (0.3, 3.0),
    "Spence": (0.3, 3.0), "Sqrt": (0.3, 3.0), "SqrtGrad": (0.3, 3.0), "Tan": (-1.2, 1.2),
    "TruncateMod": (1.1, 1.9), "Xdivy": (0.3, 3.0),
    "Xlog1py": (0.3, 3.0), "Xlogy": (0.3, 3.0), "Zeta": ((2.0, 4.0), (0.5, 3.0)),
}  # fmt: skip
SHAPES = ((2, 3), (3,), (2, 1))

#: Operands through which no gradient flows though the result depends on them, as in TensorFlow.
CUT: dict[str, set[int]] = {
    "Betainc": {0, 1}, "Polygamma": {0}, "Zeta": {0},
    "MatrixDiagPartV3": {2}, "MatrixDiagV3": {4}, "PadV2": {2},
    "ScaleAndTranslate": {2, 3}, "ScaleAndTranslateGrad": {1, 2, 3},
    # Boxes bend where a sample moves from pixel to pixel; examples have some that do not.
    "CropAndResize": {1}, "CropAndResizeGradImage": {1},
    # The result of the way forward, which says no more than the other operands.
    "LRNGrad": {2}, "MaxPoolGrad": {1},
    # The running statistics, through which TensorFlow lets none flow.
    "FusedBatchNormV3": {3, 4},
}  # fmt: skip
#: Only these results have a derivative: others are there for the gradient.
RESULTS = {"CTCLossDense": 1, "FusedBatchNormV3": 1, "SparseSoftmaxCrossEntropyWithLogits": 1}
#: First derivatives that say that they have none themselves, as in TensorFlow.
ONCE = {"CTCLossDense", "FractionalMaxPool", "Igamma", "Igammac"}

REFUSED = {
    "AdjustHue", "AdjustSaturation", "Bitcast", "CombinedNonMaxSuppression",
    "DenseBincount", "DenseCountSparseOutput",
    "ExtractGlimpseV2", "FractionalMaxPoolGrad", "GuaranteeConst", "IgammaGradA", "ListDiff",
    "NonMaxSuppressionV5",
    "PreventGradient", "RandomGammaGrad", "RandomPoissonV2", "ResizeArea",
    "SparseCountSparseOutput", "SparseReduceMax", "SparseReduceMaxSparse",
    "SparseReduceSumSparse", "StatefulRandomBinomial", "StatelessSampleDistortedBoundingBox",
    "StatelessShuffle", "TensorListConcatLists", "Unique", "UniqueV2", "UniqueWithCounts",
    "UniqueWithCountsV2",
}  # fmt: skip
STRAIGHT = "rounding is left out on the way back; compared with recorded gradients"
SAMPLED = "the derivative of a sample at a fixed quantile; compared with recorded gradients"
RESAMPLED = "TensorFlow's rule resamples by the inverse; compared with recorded gradients"
BY_DESIGN = {
    "ImageProjectiveTransformV2": RESAMPLED,
    "ImageProjectiveTransformV3": RESAMPLED,
    "FakeQuantWithMinMaxArgs": STRAIGHT,
    "FakeQuantWithMinMaxVars": STRAIGHT,
    "FakeQuantWithMinMaxVarsPerChannel": STRAIGHT,
    "QuantizeAndDequantizeV2": STRAIGHT,
    "QuantizeAndDequantizeV4": STRAIGHT,
    "RandomGamma": SAMPLED,
    "StatelessRandomGammaV3": SAMPLED,
    "ReadVariableOp": "its operand is a handle: test_variables_have_the_derivatives_of_tensors",
    "ResourceGather": "its operand is a handle: test_variables_have_the_derivatives_of_tensors",
    "ResourceGatherNd": "its operand is a handle: test_variables_have_the_derivatives_of_tensors",
    "StopGradient": "it is there to have none",
}
#: Which dtypes and shapes the samples of an op are, where others say nothing: complex vectors
#: are known up to a phase, TensorFlow's rules of these are wrong for complex numbers.
REAL = {"EuclideanNorm", "LogMatrixDeterminant", "MulNoNan", "SelfAdjointEigV2",
        "SquaredDifference", "Svd"}  # fmt: skip
#: Operands belong together, so that moving each alone says nothing: examples alone.
TOGETHER = {
    "Cholesky": "one triangle of a symmetric matrix is read",
    "FusedBatchNormGradV3": "the statistics are those of the images",
    "SoftmaxCrossEntropyWithLogits": "labels are probabilities",
}


class Precision(NamedTuple):
    """The step of differences, and how near they come."""

    step: float
    first: float
    second: float
    forward: float


DOUBLE = Precision(1e-5, 1e-6, 1e-5, 1e-9)
#: Differences of matrices whose eigenvalues are near each other.
LOOSE = Precision(1e-5, 1e-5, 1e-4, 1e-8)
SINGLE = Precision(1e-2, 2e-2, 1e-1, 1e-3)


def with_rules() -> list[str]:
    """The names of all ops that state a rule."""
    return [name for name in our_ops() if has_rule(REGISTRY[name])]


def drawn(op: type[Elementwise]) -> Iterator[Sample]:
    """Operands that broadcast if they may, from where an op is smooth, away from where it bends."""
    random = np.random.default_rng(11)
    double = all(tf.float64 in op.dtypes.get(o.dtype, ()) for o in op.operands)
    if not double or op.results[0].dtype not in op.dtypes or op.fields:
        return
    domain = DOMAINS.get(op.type_name, (-3.0, 3.0))
    each = domain if isinstance(domain[0], tuple) else [domain] * len(op.operands)
    shapes = SHAPES if op.broadcasts else SHAPES[:1] * len(each)
    arrays = [random.uniform(*bounds, shape) for bounds, shape in zip(each, shapes)]
    if op.type_name == "ClipByValue":
        arrays[1:] = [np.asarray(a.ravel()[0]) for a in arrays[1:]]
    yield Sample(op(), tuple(arrays))


def candidates(name: str) -> Iterator[Sample]:
    """Samples of an op: drawn ones, then those of golden cases, also slightly moved."""
    op = REGISTRY[name]
    if issubclass(op, Elementwise):
        yield from drawn(op)
    random = np.random.default_rng(5)
    for result in sorted(samples().get(name, ()), key=lambda s: s.size):
        sample = widened(result)
        if name in REAL and any(np.iscomplexobj(x) for x in sample.operands):
            continue
        for distance in (0.05, 0.0):
            moved = list(sample.operands)
            for i in sample.moving:
                if i not in CUT.get(name, ()):
                    noise = distance * random.normal(size=moved[i].shape)
                    moved[i] = np.asarray(moved[i] + noise, moved[i].dtype)
            yield Sample(steadied(sample.op), tuple(moved))


def steadied(op: Op) -> Op:
    """The op; one that draws by seeds of its own, or by none, draws the same each time."""
    if "deterministic" not in op.fields:
        return op
    attributes = {name: getattr(op, name) for name in op.fields}
    return type(op)(**{**attributes, "deterministic": True, "seed": 7})


def program_of(sample: Sample) -> tuple[Callable[..., Any], list[Any]]:
    """The op as a function of the operands that have derivatives, and these."""
    op = sample.op
    moving = [i for i in sample.moving if i not in CUT.get(op.type_name, ())]
    fixed = as_tensors(sample.operands)
    count = RESULTS.get(op.type_name)

    def program(*given: Any) -> Any:
        operands = list(fixed)
        for i, x in zip(moving, given):
            operands[i] = x
        results = apply(op, *operands)
        return results if count is None else results[:count]

    return program, [sample.operands[i] for i in moving]


def check(example: Example, precision: Precision) -> bool:
    """Whether differences are steady there; if so, all derivatives must be those of differences."""
    program, operands, twice = example
    tensors, moving = as_tensors(operands), range(len(operands))

    def first(*given: Any) -> Any:
        return slopes(program, given, moving)

    wanted = [steady(program, operands, i, precision.step, precision.first) for i in moving]
    if any(w is None for w in wanted):
        return False
    result = first(*tensors)
    for got, want in zip(result, wanted):
        compare(got.numpy(), want, precision.first)
    if not twice:
        with pytest.raises(LookupError):
            slopes(first, tensors, moving)
        return True
    random = np.random.default_rng(12)
    along = [np.asarray(random.normal(size=x.shape)).astype(x.dtype) for x in operands]
    forward = tangent(program, tensors, moving, along)
    sums = [np.sum((np.conj(g.numpy()) * a).real) for g, a in zip(result, along)]
    compare(float(forward), np.float64(sum(sums)), precision.forward)
    wanted = [steady(first, operands, i, precision.step, precision.second) for i in moving]
    if any(w is None for w in wanted):
        return False
    for got, want in zip(slopes(first, tensors, moving), wanted):
        compare(got.numpy(), want, precision.second)
    return True


def steady(
    function: Callable[..., Any], operands: Sequence[Any], which: int, step: float, bound: float
) -> Any:
    """A derivative by differences, or None where that of another step is another."""
    wide, narrow = (differences(function, operands, which, s) for s in (step, step / 3))
    if not np.isfinite(wide).all() or not np.isfinite(narrow).all():
        return None
    scale = max(np.abs(wide).max(initial=0.0), 1.0)
    return wide if np.allclose(wide, narrow, rtol=9 * bound, atol=9 * bound * scale) else None


def compare(got: Any, want: Any, bound: float) -> None:
    scale = max(np.abs(want).max(initial=0.0), 1.0)
    np.testing.assert_allclose(got, want, rtol=bound, atol=bound * scale)


def precision_of(operands: Sequence[Any]) -> Precision:
    low = any(x.dtype.itemsize // (1 + np.iscomplexobj(x)) < 8 for x in operands)
    return SINGLE if low else DOUBLE


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    """Programs are traced for each of their operands, on purpose."""
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name: str) -> None:
    example = EXAMPLES[name]
    precision = precision_of(example.operands)
    assert check(example, LOOSE if precision is DOUBLE else precision)


@pytest.mark.parametrize(
    "name",
    [n for n in with_rules() if n not in REFUSED and n not in BY_DESIGN and n not in TOGETHER],
)
@pytest.mark.filterwarnings("ignore")
def test_samples(name: str) -> None:
    """Three samples with attributes of their own, of those where differences say anything."""
    checked: set[Any] = set()
    enough = 3 if REGISTRY[name].fields else 1
    for sample in candidates(name):
        if sample.op in checked:
            continue
        program, operands = program_of(sample)
        results = program(*as_tensors(operands))
        if not tf.is_tensor(weighted(results)):
            continue
        if check(Example(program, operands, name not in ONCE), precision_of(operands)):
            checked.add(sample.op)
            if len(checked) == enough:  # before golden cases are run for more samples
                break
    assert checked or name in run_by_examples()


def test_ops_whose_operands_belong_together_have_examples() -> None:
    assert TOGETHER.keys() <= run_by_examples()


@cache
def run_by_examples() -> set[str]:
    """The ops that the examples and their gradients run."""
    witness = Witness()
    for program, operands, twice in EXAMPLES.values():
        tensors, moving = as_tensors(operands), range(len(operands))

        def first(*given: Any, p: Any = program, m: Any = moving) -> Any:
            return slopes(p, given, m)

        witness.enter()
        try:
            slopes(first if twice else program, tensors, moving)
        finally:
            witness.leave()
    return witness.names


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_refusals(name: str) -> None:
    op = REGISTRY[name]
    with pytest.raises((LookupError, NotImplementedError)) as refusal:
        op.gradient(op.__new__(op), Call(op.__new__(op), (), ()), tf.constant(1.0))
    assert "not written yet" not in str(refusal.value)


def test_no_op_has_a_rule_that_nothing_checks() -> None:
    lists = [REFUSED, set(BY_DESIGN), CUT.keys(), RESULTS.keys(), ONCE, REAL, TOGETHER.keys()]
    assert set().union(*lists) <= set(our_ops())
    unwritten = [n for n in our_ops() if REGISTRY[n].gradient is Op.gradient]
    assert unwritten == ["EagerPyFunc", "EagerPyFuncGradient"]  # their taped forms have one


PLACES = [[3, 0], [0, 1], [3, 0]]


@pytest.mark.parametrize("read", ["whole", "rows", "places"])
def test_variables_have_the_derivatives_of_tensors(read: str) -> None:
    start = np.random.default_rng(2).normal(size=(4, 2))
    v = tf.Variable(start)

    def value(x: Any) -> Any:
        rows = {
            "whole": tf.convert_to_tensor,
            "rows": lambda x: tf.gather(x, [3, 0, 3]),
            "places": lambda x: getattr(x, "gather_nd", partial(tf.gather_nd, x))(PLACES),
        }[read](x)
        return tf.sin(rows) * rows

    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            loss = weighted(value(v))
        (slope,) = tape.gradient(loss, [v])
        total = weighted(tf.convert_to_tensor(slope))
    again = outer.gradient(total, v)
    first = lambda x: slopes(value, [x], [0])  # noqa: E731
    compare(tf.convert_to_tensor(slope).numpy(), differences(value, [start], 0, 1e-5), 1e-6)
    compare(tf.convert_to_tensor(again).numpy(), differences(first, [start], 0, 1e-5), 1e-5)
    along = np.ones((4, 2))
    with tf.autodiff.ForwardAccumulator(v, tf.constant(along)) as forward:
        loss = weighted(value(v))
    want = np.sum(tf.convert_to_tensor(slope).numpy() * along)
    compare(float(forward.jvp(loss)), np.float64(want), 1e-9)
