"""Write docs/onnx.md: which ops have a counterpart in ONNX, and why others have none.

    python tools/write_onnx_docs.py [--check]

What the golden cases and their gradients give to each op is traced alone, with its shapes known,
and written as a model. It needs the package `onnx`. --check writes nothing and fails (exit code 1)
if the file is not what would be written.
"""

from __future__ import annotations

import logging
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]  # the golden cases, and what runs them

from tools import generated, write_native_docs

FILE = ROOT / "docs" / "onnx.md"

#: Why an op has no counterpart: the first pattern that matches its whole name says it.
REASONS = [
    (r".*Image.*|.*Jpeg.*|Decode.*|Encode.*|Extract.*|Resize.*|.*NonMax.*|CropAnd.*|ScaleAnd.*"
     r"|Fractional.*|.*Dilation.*|.*BoundingBox.*|HSVToRGB|RGBToHSV|Adjust.*",
     "Images: ONNX has other algorithms, or none."),
    (r"(I|R|IR)?FFT.*|Complex.*|Angle|Conj|Imag|Real",
     "Complex numbers: ONNX has the dtypes, and no op that computes with them."),
    (r"Cholesky|Eig|.*Lu|.*Svd|Qr|Matrix.*|LogMatrixDeterminant|SelfAdjointEigV2|Banded.*|Tridiag.*"
     r"|Isotonic.*|CTC.*|GraphwrightCTC.*|EditDistance",
     "Linear algebra and dynamic programs: ONNX has determinants alone."),
    (r"Bessel.*|Beta.*|Dawsn|Digamma|Erfc|Erfinv|Expint|Fresnel.*|I[gG]amma.*|Lgamma|Ndtri"
     r"|Polygamma|RandomGammaGrad|Spence|Zeta|NextAfter|PopulationCount",
     "Special functions: ONNX has erf alone."),
    (r".*Random.*|.*Multinomial.*|Stateless.*|.*Sampler|TruncatedNormal|Rng.*|SobolSample",
     "Random numbers: a model draws its own, and no seed says which."),
    (r"Sparse.*|Ragged.*|Deserialize.*|Serialize.*|.*SetOperation|SetSize|.*SparseOutput"
     r"|GraphwrightCrossRows|Segment.*|DenseBincount|HistogramFixedWidth",
     "Sparse and ragged rows: ONNX has no tensors of these kinds."),
    (r".*String.*|.*Regex.*|Unicode.*|Substr|.*Join|ParseTensor|Fingerprint|Print.*|Parse.*|Lookup.*"
     r"|.*File.*|.*Summary.*|Timestamp|ReadFile|DecodeCSV",
     "Strings, files, tables and messages: they reach out of a model, or are bytes, which ONNX's "
     "strings are not."),
    (r"Assign.*|Resource.*|Var.*|.*Mutex.*|.*PyFunc.*|TensorList.*|EmptyTensorList",
     "State and Python: a model has none. Lists are sequences, which have fewer ops."),
    (r".*Quantize.*|Quantized.*|FakeQuant.*",
     "Quantization: ONNX rounds and scales by other rules."),
    (r".*Grad|.*GradGrad|.*Backprop.*|.*Gradient|BroadcastGradientArgs|.*Tangent",
     "Gradients: ONNX is for models that are trained. Those that are made of other ops go."),
]  # fmt: skip
OTHER = "ONNX has no such op, nor some that make it up exactly."

#: Dtypes that many of ONNX's ops do not take, of which notes say nothing.
COMMON = {"bfloat16", "complex64", "complex128"}

#: Ops that stand for something else than a call.
ALWAYS = {
    "Case", "Const", "If", "Placeholder", "PartitionedCall", "StatefulPartitionedCall",
    "StatelessCase", "StatelessIf", "StatelessWhile", "While", "CustomGradient", "NoOp", "Assert",
}  # fmt: skip


class Written(NamedTuple):
    """What became of an op's samples."""

    fitting: int  # how many are written
    reasons: Counter[str]  # why others are not


def outcomes(samples: list[Any]) -> Written:
    """What becomes of samples of an op as models."""
    import graphwright as tf
    from graphwright.portable.onnx.onnx_export import parts_of
    from graphwright.portable.onnx.onnx_types import DEFAULT_OPSET
    from graphwright.types import dtypes as dt

    count, reasons = 0, Counter[str]()
    for sample in samples:
        tensors = write_native_docs.tensors_of(sample)
        types = [dt.of_numpy(x.dtype) for x in tensors]
        specs = [tf.TensorSpec(x.shape, t) for x, t in zip(tensors, types)]

        def function(*given: Any, sample: Any = sample) -> Any:
            return write_native_docs.results_of(sample, given)

        try:
            traced = tf.function(function, autograph=False).get_concrete_function(*specs)
        except (ValueError, NotImplementedError, tf.errors.OpError):
            continue
        own = [r for r in parts_of(traced, DEFAULT_OPSET).refused if r.kind == sample.op.type_name]
        count += not own
        reasons.update(refused.reason for refused in own[:1])
    return Written(count, reasons)


def survey() -> dict[str, Written]:
    """What became of the samples of each op of the package."""
    from support.op_samples import our_ops

    samples = write_native_docs.collected()
    return {name: outcomes(samples.get(name, [])) for name in our_ops()}


def way(name: str) -> str:
    """How an op is written: by which ops of ONNX, or how else."""
    from graphwright.op.op import REGISTRY
    from graphwright.op.op_families import Elementwise
    from graphwright.portable.onnx.counterpart import counterparts

    rule = counterparts().get(name)
    if name in ("Const", "Placeholder"):
        return "an initializer" if name == "Const" else "an input"
    if rule is not None:
        since = f" (from opset {rule.since} on)" if rule.since > 18 else ""
        return rule.names + since
    return "word by word" if issubclass(REGISTRY[name], Elementwise) else "in simpler ops"


def rows(found: dict[str, Written]) -> Iterator[str]:
    """The table of ops that are written."""
    from graphwright.portable.onnx.counterpart import counterparts

    for name, written in found.items():
        rule = counterparts().get(name)
        if written.fitting or name in ALWAYS or rule is not None:
            notes = [rule.note] if rule is not None and rule.note else []
            if not notes:
                notes = [plain(reason) for reason, _ in written.reasons.most_common(2)]
            shown = "; ".join(dict.fromkeys(filter(None, notes)))
            yield f"| {name} | {way(name)} | {shown} |"


def plain(reason: str) -> str:
    """A reason as a note: when an op is not written."""
    dtype = re.fullmatch(r"(\w+) of ONNX takes no (\w+)", reason)
    if dtype:
        return "" if dtype[2] in COMMON else f"not of {dtype[2]}"
    if reason.startswith("ONNX has no"):
        return "" if reason.endswith("counterpart") else reason
    return reason if reason.endswith("must be known") else f"not where {reason}"


def text() -> str:
    """The document."""
    from graphwright.portable.onnx.meaning import meanings

    logging.getLogger("tensorflow").setLevel(logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = survey()
    table = list(rows(found))
    named = {line.split(" | ")[0][2:] for line in table}
    groups: dict[str, list[str]] = {}
    for name in found:
        if name not in named:
            reason = next((r for p, r in REASONS if re.fullmatch(p, name)), OTHER)
            groups.setdefault(reason, []).append(name)
    order = [reason for _, reason in REASONS if reason in groups]
    lines = [f"- {reason} ({len(groups[reason])}) {', '.join(groups[reason])}"
             for reason in [*order, *([OTHER] if OTHER in groups else [])]]  # fmt: skip
    read = [f"| {name} | {rule.note} |" for name, rule in sorted(meanings().items())]
    return "\n".join(
        [
            "# Ops in ONNX",
            "",
            "`tools/write_onnx_docs.py` writes this page from the tables of rules, and from what",
            f"golden cases give to each op. In opset 21, {len(table)} of {len(found)} are written.",
            "",
            "## Written",
            "",
            "An op is written by a rule, word by word (elementwise ops are formulas of words), or",
            "in simpler ops, where shapes are known. The notes say what must be known, and which",
            "dtypes ONNX's ops do not take; few take complex numbers, and many take no bfloat16.",
            "",
            "| op | in ONNX | notes |",
            "|---|---|---|",
            *table,
            "",
            "## Not written",
            "",
            *lines,
            "",
            "## Read",
            "",
            "These ops of ONNX are read by rules, of all opsets that the package `onnx` knows.",
            "Others are read by the bodies that ONNX states: LayerNormalization, Attention, ...",
            "",
            "| op of ONNX | notes |",
            "|---|---|",
            *read,
            "",
        ]
    )


def main(arguments: list[str] | None = None) -> int:
    """Does what it is asked for on the command line; its exit code."""
    return generated.main(__doc__, FILE, text, arguments)


if __name__ == "__main__":
    sys.exit(main())
