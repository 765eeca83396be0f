"""Write docs/native.md: which ops machine code has a form of, and why others are calls of kernels.

    python tools/write_native_docs.py [--check]

What the golden cases, their gradients and the oracles give to each op is traced alone, with its
shapes known and unknown, and partitioned as a function would be. The page says what then stays
outside machine code.
--check writes nothing and fails (exit code 1) if the file is not what would be written.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]  # the golden cases, and what runs them

from tools import generated

FILE = ROOT / "docs" / "native.md"

#: Samples of each op.
MOST = 24

#: Why an op never has a native form: the first pattern that matches its whole name says it.
HOST = [
    (r"(Depthwise)?Conv\d.*|(Depthwise)?Conv2d.*|(Avg|Max)Pool.*|Dilation2D.*|GraphwrightDilation.*"
     r"|TridiagonalMatMul|GraphwrightWeightedSums|GraphwrightCrossRows",
     "Its kernel is machine code of its own, which uses the cores itself (products, windows)."),
    (r".*Image.*|.*Jpeg.*|Decode.*|Encode.*|Extract.*|Resize.*|.*NonMax.*|CropAnd.*|ScaleAnd.*"
     r"|Fractional.*|.*Dilation.*|.*DistortedBoundingBox.*",
     "Images: NumPy kernels."),
    (r"(I|R|IR)?FFT.*|Cholesky|Eig|.*Lu|.*Svd|Qr|Matrix(Inverse|Solve.*|Triangular.*|Determinant"
     r"|Exponential|Logarithm|SquareRoot)|LogMatrixDeterminant|SelfAdjointEigV2|BandedTri.*"
     r"|TridiagonalSolve|Isotonic.*|CTC.*|GraphwrightCTC.*|EditDistance",
     "LAPACK, FFTs and dynamic programs: kernels that are whole algorithms."),
    (r"Beta.*|Dawsn|Erfinv|Fresnel.*|I[gG]amma.*|Lgamma|Ndtri|Polygamma"
     r"|Spence|Zeta|RandomGammaGrad",
     "Special functions: SciPy's."),
    (r".*Random.*|.*Multinomial.*|StatelessShuffle|Stateless.*|.*Sampler|TruncatedNormal"
     r"|Rng.*|.*Normal",
     "Random numbers: vectorised generators."),
    (r"TopK.*|NthElement|InTopK.*|.*Sort.*|Unique.*|ListDiff|.*Bound|Bucketize|.*Set(Operation|Size)"
     r"|InvertPermutation|Where|DynamicPartition|DynamicStitch|.*Bincount|HistogramFixedWidth"
     r"|.*SparseOutput|ComputeAccidentalHits|SetSize",
     "Sorting, searching and counting: what they give, or how much, only their run tells."),
    (r"SparseSegment.*|Sparse.*|Ragged.*|Deserialize.*|Serialize.*|SparseToDense",
     "How many rows there are only a run tells (sparse tensors, ragged rows)."),
    (r".*String.*|.*Regex.*|Unicode.*|Substr|AsString|.*Join|ParseTensor|Fingerprint|Print.*"
     r"|Parse.*|LookupTable.*|.*File.*|.*Summary.*|Timestamp|MatchingFiles",
     "Strings, files, tables and messages."),
    (r".*PyFunc.*|Case|If|While|StatelessCase|.*PartitionedCall|CustomGradient|NoOp|Assert"
     r"|CheckNumerics.*|Resource.*|.*Mutex.*",
     "They have effects, or call Python."),
    (r".*Quantize.*|.*QuantizedConcat", "Quantization: NumPy kernels."),
    (r"Angle|Complex(Abs)?|Conj|Imag|Real", "Complex numbers have no native form."),
    (r"BroadcastArgs|BroadcastGradientArgs|Rank|Shape|ShapeN|Size|UnravelIndex",
     "Shapes: numbers on the host, which machine code knows as sizes where it can."),
    (r"TensorList.*|EmptyTensorList",
     "Lists are native in native loops (docs/architecture.md), if their items are tensors of one "
     "shape. The items lie one after the other. Lists are native, too, if nothing but lists is "
     "pushed on them and popped again. Gradients of loops in loops make such lists."),
]  # fmt: skip

#: Ops that stand for something else than a call.
OTHER = {
    "AssignAddVariableOp": "native, as part of a segment", "Const": "a literal or an input",
    "AssignSubVariableOp": "native, as part of a segment", "Placeholder": "an input",
    "AssignVariableOp": "native, as part of a segment", "ReadVariableOp": "an input of a segment",
    "StatelessIf": "native where all of both sides is",
    "StatelessWhile": "native where all of its body is",
    "SobolSample": "a constant",
    # No sample is of a native dtype; tests/lower has some.
    "ConjugateTranspose": "any", "FusedBatchNormGradV3": "any", "IdentityN": "any",
    **dict.fromkeys(
        ("BatchMatMulV2", "BatchMatMulV3", "Einsum", "MatMul"),
        "small ones; others in loops, and their kernel is machine code of its own",
    ),
}  # fmt: skip


class Found(NamedTuple):
    """What became of an op's samples."""

    known: Counter[bool]  # whether all of it was native, with sizes known
    unknown: Counter[bool]
    reasons: Counter[str]
    excess: list[str]  # where machine code and kernels are further apart than is stated


def collected() -> dict[str, list[Any]]:
    """Samples of all ops that examples, golden cases with their gradients, and oracles run."""
    from corpora.op_examples import EXAMPLES
    from corpora.oracles import oracles
    from support.goldens import AREAS, area_of
    from support.op_samples import Sample, differentiate_twice

    import graphwright as tf
    from graphwright.op.interpreter import Layer
    from tools import golden_format as gf

    class Samples(Layer):
        """Keeps the operands that each op is given, one for each kind of them."""

        def __init__(self) -> None:
            self.found: dict[str, dict[Any, Any]] = {}

        def apply(self, op: Any, operands: tuple[Any, ...], name: str | None) -> Any:
            result = self.hand_on(op, operands, name)
            mask = op.host_mask(len(operands))
            with contextlib.suppress(TypeError, AttributeError):  # handles have no arrays
                arrays = [x if h else np.asarray(x.numpy()) for x, h in zip(operands, mask)]
                kinds = [(x.dtype, x.ndim) for x, h in zip(arrays, mask) if not h]
                known = self.found.setdefault(op.type_name, {})
                some = all(x.size for x, host in zip(arrays[:1], mask) if not host)
                some = some and not any(x.dtype.is_quantized for x in operands if tf.is_tensor(x))
                if len(known) < MOST and some:
                    known.setdefault((op, tuple(kinds)), Sample(op, tuple(arrays)))
            return result

    layer = Samples()
    for example in EXAMPLES.values():
        layer.enter()
        try:
            example.program(*[tf.constant(x) for x in example.operands])
        finally:
            layer.leave()
    for area in AREAS:
        _, store, groups = area_of(area)
        for case in (case for group in groups.values() for case in group):
            outcome = store.index.get(gf.digest(case), {"error": ""})
            if "error" in outcome:
                continue
            layer.enter()
            try:
                with contextlib.suppress(tf.errors.OpError, LookupError, ValueError, TypeError):
                    (differentiate_twice(case) if "gradient" in outcome else gf.run_eager(tf, case))
            finally:
                layer.leave()
    for oracle in oracles():
        for dtype, arguments in itertools.product(oracle.dtypes, oracle.arguments):
            given = [tf.constant(x, dtype) if isinstance(x, np.ndarray) else x for x in arguments]
            layer.enter()
            try:
                oracle.function(*given)
            finally:
                layer.leave()
    return {name: list(samples.values()) for name, samples in layer.found.items()}


def tensors_of(sample: Any) -> list[Any]:
    """The operands of a sample that are no host values."""
    mask = sample.op.host_mask(len(sample.operands))
    return [x for x, host in zip(sample.operands, mask) if not host]


def results_of(sample: Any, given: tuple[Any, ...]) -> list[Any]:
    """What a sample's op makes of these tensors."""
    import graphwright as tf
    from graphwright.op.interpreter import apply

    values, mask = iter(given), sample.op.host_mask(len(sample.operands))
    operands = [x if host else next(values) for x, host in zip(sample.operands, mask)]
    return [y for y in tf.nest.flatten(apply(sample.op, *operands)) if tf.is_tensor(y)]


def host_calls(sample: Any, known: bool) -> list[str]:
    """Why something of a sample's op, whose result is used, stays outside machine code."""
    import graphwright as tf
    from graphwright.compile.nests.element_kinds import is_native_dtype
    from graphwright.compile.run.inspection import outside
    from graphwright.types import dtypes as dt

    tensors = tensors_of(sample)
    types = [dt.of_numpy(x.dtype) for x in tensors]
    strange = [t.name for t in types if not is_native_dtype(t)]
    if strange:
        return [f"of {kind_of(strange[0])}"]

    def function(*given: Any) -> Any:
        results = results_of(sample, given)
        return [tf.equal(y, y) if is_native_dtype(y.dtype) else y for y in results]

    specs = [tf.TensorSpec(x.shape if known else [None] * x.ndim, t)
             for x, t in zip(tensors, types)]  # fmt: skip
    try:
        graph = tf.function(function, autograph=False).get_concrete_function(*specs).graph
    except (ValueError, NotImplementedError, tf.errors.OpError):
        return ["traced with known shapes alone"]
    results = [v.type.dtype for n in graph.nodes for v in n.outputs if n.op == sample.op]
    made = [t.name for t in results if not is_native_dtype(t)]
    if made:
        return [f"to {kind_of(made[0])}"]
    own = [reason for node, reason in outside(graph) if type(node.op) is type(sample.op)]
    return [plain(reason) for reason in own]


def excess(sample: Any) -> list[str]:
    """Where a sample's op gives something else as machine code than its kernel does, by more than
    tests/support/ulps.py states."""
    from support import ulps

    import graphwright as tf
    from graphwright.compile.nests.element_kinds import is_native_dtype

    def function(*given: Any) -> Any:
        return [y for y in results_of(sample, given) if is_native_dtype(y.dtype)]

    tensors, name = [tf.constant(x) for x in tensors_of(sample)], sample.op.type_name
    own, other = (
        [y.numpy() for y in tf.function(function, jit_compile=jit, autograph=False)(*tensors)]
        for jit in (True, False)
    )
    result = []
    for a, b in zip(own, other):
        apart, most = ulps.distance(a, b), ulps.ELEMENTS.get(name, 0)
        if name in ulps.SUMS:
            numbers = [x for x in (*tensors_of(sample), *other) if tf.as_dtype(x.dtype).is_floating]
            apart, most = ulps.of_greatest(a, b, numbers), ulps.SUMS[name]
        if apart > most:
            result.append(f"{name}: {apart:.3g} ulps in {b.dtype}, tests/support/ulps.py: {most}")
    return result


def kind_of(name: str) -> str:
    """A family of dtypes."""
    if name.startswith("complex"):
        return "complex numbers"
    return {"string": "strings", "variant": "lists", "resource": "handles"}.get(name, name)


def plain(reason: str) -> str:
    """A reason without the names of values."""
    return re.sub(r"\S+ has no known rank", "a shape of unknown rank", reason)


def survey() -> dict[str, Found]:
    """What became of the samples of each op of the package."""
    from support.op_samples import our_ops

    samples = collected()
    result: dict[str, Found] = {}
    for name in our_ops():
        outcome = Found(Counter(), Counter(), Counter(), [])
        dtypes = set()  # of one sample each machine code is run
        for sample in samples.get(name, ()):
            for known, counts in ((True, outcome.known), (False, outcome.unknown)):
                reasons = list(dict.fromkeys(host_calls(sample, known)))
                counts[not reasons] += 1
                outcome.reasons.update(reasons[-1:])
                dtype = max([x.dtype.name for x in tensors_of(sample)], default="")
                if known and not reasons and dtype not in dtypes:
                    dtypes.add(dtype)
                    outcome.excess.extend(excess(sample))
        result[name] = outcome
    return result


def rows(found: dict[str, Found]) -> Iterator[tuple[str, str, str, str]]:
    """Each op with a native form: which sizes must be known, how far it may be from its kernel,
    and what of it is a call."""
    for name, (known, unknown, reasons, _) in found.items():
        if name in OTHER:
            yield name, OTHER[name], stated(name), ""
        elif known[True]:
            sizes = "any" if unknown[True] else "known"
            own = [r for r in reasons if "has no native form" not in r]
            yield name, sizes, stated(name), "; ".join(sorted(own))


def stated(name: str) -> str:
    """How far machine code may be from the op's kernel."""
    from support import ulps

    if name in ulps.SUMS:
        return f"{ulps.SUMS[name]} of the greatest"
    return str(ulps.ELEMENTS.get(name, ""))


def reason_of(name: str) -> str:
    """Why an op is a call of a kernel."""
    return next((reason for pattern, reason in HOST if re.fullmatch(pattern, name)), "")


def document(found: dict[str, Found]) -> str:
    """The text of the file."""
    from graphwright.compile.nests.element_kinds import KINDS
    from graphwright.compile.run.checking import TOLERANCES

    tolerances = ", ".join(f"{limit:g} ({name})" for name, limit in TOLERANCES.items())
    native = list(rows(found))
    names = {name for name, *_ in native}
    lines = [
        "# What machine code covers", "",
        "Written by tools/write_native_docs.py from what the golden cases give to each op. An op "
        "is native where it becomes part of a loop nest; all others are calls of kernels between "
        "segments, whose results are the same. What of a function stays outside, and why, is "
        "logged by `jit_compile=True`.", "",
        f"Native dtypes: {', '.join(d.name for d in KINDS)}. Halves are computed in float32.", "",
        "Machine code and kernels agree bit for bit, unless `ulps` says by how many units in the "
        "last place an element may differ. Both round elementary functions in ways of their own. "
        "Sums are taken in another order. Their units are those of the greatest number that the "
        "op is given or gives, for up to some hundred numbers. `GRAPHWRIGHT_NATIVE=check` compares "
        "whole functions, in which errors add up and cancellation shows them. They may be apart by "
        f"{tolerances} of the greatest element. How far elementary functions are from the truth is "
        "in elementary.md.", "",
        f"## Native ({len(native)})", "",
        "| op | sizes | ulps | a call of its kernel |", "|---|---|---|---|",
        *[f"| {name} | {sizes} | {apart} | {calls} |" for name, sizes, apart, calls in native], "",
    ]  # fmt: skip
    groups: dict[str, list[str]] = {}
    for name in found:
        if name not in names:
            groups.setdefault(reason_of(name), []).append(name)
    lines += [f"## Calls of kernels ({sum(map(len, groups.values()))})", ""]
    for reason in [*dict.fromkeys(r for _, r in HOST), ""]:
        if reason in groups:
            shown = ", ".join(groups[reason])
            lines += [f"**{reason or 'No native form yet.'}** ({len(groups[reason])}) {shown}", ""]
    return "\n".join(lines)


def checked_document() -> str:
    """The text of the file, if machine code and kernels are as close as is stated."""
    with silence():
        result = survey()
        text = document(result)
    apart = [line for some in result.values() for line in some.excess]
    if apart:
        raise SystemExit("\n".join(apart))
    return text


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Without warnings, and without what the package logs."""
    logger = logging.getLogger("tensorflow")
    level = logger.level
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logger.setLevel(logging.CRITICAL)
        try:
            yield
        finally:
            logger.setLevel(level)


def main(arguments: list[str] | None = None) -> int:
    return generated.main(__doc__, FILE, checked_document, arguments)


if __name__ == "__main__":
    sys.exit(main())
