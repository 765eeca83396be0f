"""Where a random program may come to something else than in TensorFlow: the rules, with reasons.

docs/agreement.md has them as rows of what differs by choice, and how many programs each admits.
What no rule admits is a fault, or a rule is lacking.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from differential.author import Sample
from differential.results import TOLERANCES, Tree, arrays_differ, difference
from differential.stages import Difference, outcome_as_traced, outcomes

#: Errors that no function of TensorFlow means: it fails at what it should do, or lacks a part.
_BARE = (
    "AttributeError|KeyError|IndexError|ZeroDivisionError|OverflowError|LookupError|SystemError|"
    "NotImplementedError|UnimplementedError|AssertionError|NameError|RecursionError|InternalError|"
    "NotFoundError|StopIteration|UnboundLocalError|RuntimeError|AbortedError|UnknownError"
)


#: A name that a condition binds, and a loop with `else`.
_UNCONVERTED = r":=|(?m:^( *)for .*(\n\1 +.*)+\n\1else:)"


class Words(NamedTuple):
    """A rule about what TensorFlow says, and about the program."""

    reason: str
    #: What TensorFlow's error says, in the stage or eagerly.
    says: str
    #: What the program has.
    has: str = ""

    def admits(self, case: Difference, sample: Sample) -> bool:
        """Whether this is why they differ."""
        errors = [f"{t['error']}: {t['words']}" for t in case[-2:] if "error" in t]
        said = any(re.search(self.says, text) for text in errors)
        return said and re.search(self.has, text_of(sample)) is not None


WORDS = (
    Words(
        "it fails in TensorFlow by an error of its own",
        rf"\b({_BARE}): |positional argument|while vectorizing|__array__|gradient_tape/loop|"
        r"type AddN must|for \*: 'IndexedSlices'|(gradient_tape/\w+|loop_body/AddN)/pfor|"
        r"gradient_tape/UnsortedSegmentSum",
    ),
    Words(
        "a gradient that an op of TensorFlow lacks",
        "not defined for fast=False|NoneType|None values",
    ),
    Words(
        "operands without elements are refused in TensorFlow",
        "empty (output|input)|params is empty|only has 0 elements|truth value of an empty|"
        "Requested more than 0|have length of at least|delta != 0|Detected at node GatherNd|"
        "Input to reshape is a tensor with 0 values",
    ),
    Words("operands without elements are refused in TensorFlow", "to reshape is", "image_grad"),
    Words("a sparse tensor divided by a dense zero", "SparseDenseCwiseDiv cannot divide by zero"),
    Words("rows of embeddings that are matrices", "Inputs to operation Select", "embedding"),
    Words("what has no decomposition is refused in TensorFlow", "decomposition was not successful"),
    Words("a shape that is read backwards", "Subshape must have computed start >= end"),
    Words("numbers beside rows of another dtype", "ConcatV2", r"ragged|strings\.split"),
    Words("NumPy's form of padding", "paddings must be a matrix", r"numpy\.pad"),
    Words("a seed of threefry", "counter must be a vector with length", "threefry"),
    Words(
        "a number beside a tensor of another dtype",
        "was expected to be",
        r"debugging.assert|histogram|numpy\.(hypot|logaddexp|concatenate)",
    ),
    Words(
        "a function of NumPy's that takes more dtypes",
        "is not in the list of allowed values",
        r"numpy\.(arctan2|cross)",
    ),
    Words("an axis of classes before the last", "Requires start <= limit", "cross_entropy"),
    Words("a statement that AutoGraph does not convert there", "OperatorNotAllowed", _UNCONVERTED),
)


def is_exhausted(case: Difference, sample: Sample) -> bool:
    """It takes more time or memory than a program may have."""
    limits = ("TooLong", "ResourceExhaustedError", "MemoryError")
    return case.theirs.get("error") in limits or case.ours.get("error") in limits


def is_refused_early(case: Difference, sample: Sample) -> bool:
    """What fails eagerly, too, and is not needed in a graph, is refused as it is traced."""
    return case.words.startswith("refused") and "error" in case.eagerly


def is_untaken(case: Difference, sample: Sample) -> bool:
    """What an op refuses is refused as it is traced, in a branch or loop that never runs."""
    control = r"^ *(if|for|while|elif|else)\b|tf\.(cond|case|switch)"
    is_refused = case.stage != "eager" and case.words.startswith("refused")
    is_value = is_refused and case.ours["error"] in ("ValueError", "InvalidArgumentError")
    return is_value and re.search(control, text_of(sample), re.M) is not None


def is_as_eager(case: Difference, sample: Sample) -> bool:
    """A graph gives what TensorFlow gives eagerly, and its graph does not."""
    if case.stage == "eager":
        return False
    eagerly = outcome_as_traced(case.eagerly)
    words = difference(eagerly, case.ours)
    if words is None or "error" in eagerly or "error" in case.ours:
        return words is None
    return bool(choice(case._replace(stage="eager", theirs=eagerly, words=words), sample))


def is_dtype(case: Difference, sample: Sample) -> bool:
    """A dtype that another step refuses: ValueError or TypeError for InvalidArgumentError."""
    steps = "Tensor conversion requested dtype", r"was expected to be|Cannot convert a list"
    texts = case.ours.get("words", ""), case.theirs.get("words", "")
    return all(re.search(step, text) for step, text in zip(steps, texts))


def is_dense(case: Difference, sample: Sample) -> bool:
    """A gradient that is a tensor, where TensorFlow has `tf.IndexedSlices`."""
    return case.words.startswith("structure") and case.words.endswith("not slices")


def is_left_out(case: Difference, sample: Sample) -> bool:
    """A graph leaves out what fails eagerly, as nothing needs it; TensorFlow's does not."""
    is_graph = case.stage != "eager" and case.words.startswith("no error")
    return is_graph and "error" in case.eagerly


def is_other_refusal(case: Difference, sample: Sample) -> bool:
    """A graph is refused in both, in another line, or as it is traced and not as it runs."""
    is_graph = case.stage != "eager" or "Graph execution error" in case.theirs.get("words", "")
    return is_graph and "error" in case.ours and "error" in case.theirs


def is_image_without_pixels(case: Difference, sample: Sample) -> bool:
    """Convolutions and pools of no images, or of images smaller than their window."""
    window = re.search(r"tf\.nn\.(conv|depthwise|separable|max_pool|avg_pool)", text_of(sample))
    is_shape = case.words.startswith("shape") and "0" in case.words
    return window is not None and (
        is_shape or re.search("Negative dimension|size would be negative", case.words) is not None
    )


def is_nothing(case: Difference, sample: Sample) -> bool:
    """The shape of what has no elements."""
    pair = pair_of(case)
    return case.words.startswith("shape") and pair is not None and not any(t["flat"] for t in pair)


def is_mistake(case: Difference, sample: Sample) -> bool:
    """A place that there is not, of rows without elements; a scalar that an array joins; `expm` of
    a vector; an axis of no elements beside one of one in `einsum`; two conditions of an exclusive
    `tf.case` without a default: refused, as a mistake shows early."""
    words = (
        r"is not in \[0, \d+\).*GatherV2|Concat saw a scalar|must have rank >= 2|"
        "Expected dimension 0 at axis of label|exclusive=True: more than 1 conditions"
    )
    return case.words.startswith("refused") and re.search(words, case.ours["words"]) is not None


def is_unwritten(case: Difference, sample: Sample) -> bool:
    """Memory that nobody wrote: numbers below the normal range beside others."""
    tiny = {"float64": r"e-3[01]\d\b", "complex128": r"e-3[01]\d\b"}
    return any(
        re.search(tiny.get(t["of"], r"\de-(38|39|4\d)\b"), str(t["flat"])) for t in leaves(case)
    )


def is_bytes(case: Difference, sample: Sample) -> bool:
    """The bytes of floats, or their text, that differ in the last digit or in the sign of NaN."""
    views = re.search("serialize_tensor|bitcast|as_string", text_of(sample))
    return views is not None and case.words.startswith("value")


def is_lowest(case: Difference, sample: Sample) -> bool:
    """A window of negative infinities, whose maximum is the lowest float; one with NaN."""
    window = re.search(r"max_pool|dilation2d", text_of(sample))
    return window is not None and any(min(p) < -3e38 or np.isnan(p).any() for p in places(case))


def is_spent(case: Difference, sample: Sample) -> bool:
    """A call after one that made variables and failed as it was traced: TensorFlow returns None."""
    return case.call > 0 and case.theirs.get("value", "") is None and "Module" in text_of(sample)


def is_unsorted(case: Difference, sample: Sample) -> bool:
    """The order of `top_k` that is not sorted."""
    return case.words.startswith("value") and "sorted=False" in text_of(sample)


def is_rolled(case: Difference, sample: Sample) -> bool:
    """The Jacobian of a roll, of NumPy's or along an axis from the end; TensorFlow's is another."""
    rolls = r"(?s)numpy\.roll|\.roll\([^\n]*-\d\).*jacobian"
    return case.words.startswith("value") and re.search(rolls, text_of(sample)) is not None


def is_saturated(case: Difference, sample: Sample) -> bool:
    """`tf.saturate_cast` of int64 to floats: TensorFlow gives the least int64."""
    text = text_of(sample)
    return "saturate_cast" in text and "int64" in text and case.words.startswith("value")


def is_static(case: Difference, sample: Sample) -> bool:
    """A value or shape that only an eager tensor knows; whether it is one."""
    text = text_of(sample)
    if "executing_eagerly" in text and case.words.endswith("value: [False], not [True]"):
        return True
    asks = re.search(r"get_static_value|\.shape\b|get_shape", text)
    return asks is not None and re.search("NoneType, not|int32, not string", case.words) is not None


def is_derivative(case: Difference, sample: Sample) -> bool:
    """A derivative where TensorFlow gives None."""
    return case.words.startswith("structure") and case.words.endswith("not NoneType")


def is_gamma(case: Difference, sample: Sample) -> bool:
    """`igamma` of large or infinite operands, slopes of `bessel_i0` and `bessel_i1` at 0."""
    return re.search("igamma|bessel_i[01]", text_of(sample)) is not None and any(places(case))


def is_large(case: Difference, sample: Sample) -> bool:
    """Squares of 1e30, which float32 does not hold."""
    return "1e30" in text_of(sample) and any(t["of"] == "float32" for t in leaves(case))


def is_beyond(case: Difference, sample: Sample) -> str:
    """The cause where they differ only in places with a NaN or an infinity; "" if none is known."""
    pairs = list(places(case))
    if not pairs or any(np.isfinite(pair).all() for pair in pairs):
        return ""
    first = next(leaves(case))
    if first["of"].startswith("complex"):
        return "infinities in complex products, quotients and signs"
    text = text_of(sample)
    return next((cause for cause, has in CAUSES.items() if re.search(has, text)), "")


_DECOMPOSED = "a transform, or a decomposition, of an infinity"
#: Where NaN or an infinity comes of, by what the program has.
CAUSES = {
    "`expint` of a negative number, or of infinity": r"\bexpint\b",
    "NaN in a `fractional_max_pool`, by its place": r"fractional_max_pool",
    "NaN in the range of `quantize_and_dequantize`, by its place": r"quantize_and_dequantize",
    "`bessel_y1` of 0, the slope of `bessel_y0`": r"bessel_y[01]",
    "a label of `ctc_loss` that is no class": r"ctc_loss",
    _DECOMPOSED: r"signal\.|linalg\.(qr|det|inv|cholesky)",
    "a tangent of zero times an infinity": r"ForwardAccumulator",
    "NaN beside others in a `softmax`, which is NaN for all": r"softmax",
    "NaN among what is sorted or added up": r"sort|top_k|logsumexp|cum|median|unique",
}


def is_sorted(case: Difference, sample: Sample) -> bool:
    """The places of what is sorted, where NaN is among it."""
    has_nan = "nan" in str(case.theirs.get("value")).lower()
    return has_nan and re.search(r"sort|top_k|arg(max|min)|unique", text_of(sample)) is not None


def is_cast(case: Difference, sample: Sample) -> bool:
    """A float that an integer dtype does not hold."""
    kinds = {t["of"] for t in leaves(case)}
    casts = re.search(r"cast\(|tf\.image\.|\.int\d|uint\d", text_of(sample))
    return casts is not None and bool(kinds) and all("int" in kind for kind in kinds)


def is_lost(case: Difference, sample: Sample) -> bool:
    """It hangs on the last digit of an operand: from others that are as near, it is as far."""
    first = next(leaves(case), None)
    if first is None or not case.words.startswith("value"):
        return False
    last = {"float64": (4e-15, 4e-7), "complex128": (4e-15, 4e-7), "bfloat16": (8e-3,)}
    for other in nearby(sample, {**last, "float16": (1e-3,)}.get(first["of"], (4e-7,))):
        outcome = outcomes(other, case.stage)[case.call]
        if "error" in outcome or is_other(case._replace(theirs=outcome)):
            return True
    return False


def is_apart(case: Difference, sample: Sample) -> bool:
    """Machine code is apart from the kernels; so are kernels of operands that are as near."""
    if f"{_COMPARED}: array(" not in case.words:  # they have other dtypes or shapes
        return False
    kernels = outcomes(sample, "traced")[case.call]
    digits = (4e-15, 4e-7) if "64" in case.words or "128" in case.words else (4e-7,)
    return any(
        difference(kernels, outcomes(other, "traced")[case.call]) is not None
        for other in nearby(sample, digits)
    )


def is_of_infinity(case: Difference, sample: Sample) -> bool:
    """Machine code and LAPACK decompose a matrix with an infinity or NaN."""
    has_cause = re.search(CAUSES[_DECOMPOSED], text_of(sample)) is not None
    return has_cause and re.search(r"\b(nan|inf)\b", case.words) is not None


def nearby(sample: Sample, digits: tuple[float, ...]) -> Iterator[Sample]:
    """The program with floats that differ in their last digits."""
    for factor in (f for digit in digits for f in (1 + digit, 1 - digit, 1 + 3 * digit)):

        def near(match: re.Match[str], factor: float = factor) -> str:
            return repr(float(match[0]) * factor)

        source, calls = sample.program
        changed = tuple(_FLOAT.sub(near, call) for call in calls)
        program = sample.program._replace(source=_FLOAT.sub(near, source), calls=changed)
        yield sample._replace(program=program)


#: What the mode `check` says of two tiers.
_COMPARED = "between its machine code and its kernels"

#: A float of a program.
_FLOAT = re.compile(r"(?<![\w.])-?\d+\.\d+(?:e-?\d+)?(?![\w.])")

#: The rules that compute, in the order in which they are asked, after those about words.
RULES: tuple[Callable[[Difference, Sample], bool | str], ...] = (
    is_exhausted, is_spent, is_refused_early, is_untaken, is_other_refusal, is_as_eager, is_dtype,
    is_dense, is_left_out,
    is_image_without_pixels, is_nothing, is_mistake, is_unwritten, is_bytes, is_lowest, is_rolled,
    is_unsorted,
    is_beyond, is_sorted, is_cast, is_derivative, is_gamma, is_saturated, is_static, is_lost,
    is_large,
)  # fmt: skip


#: What no rule says, by a line of the program.
_DIGITS = "It hangs on the last digit of an operand"
KNOWN = {
    "x = tf.math.xlog1py(x, out)": _DIGITS,
    "rows = tf.math.floordiv(rows, part)": _DIGITS,
    "v = score <= h": _DIGITS,
    "out = tf.math.segment_sum(x, tf.constant([0]))\n    v = tape.jvp(out)": _DIGITS,
    "loss = tf.linspace(score, part, 1)": _DIGITS,
    "x = tf.nn.softmax(x)\n    total = abs(a)": _DIGITS,
    "out = tf.einsum('ij,ij->i', y, y)\n    h = tf.ragged": "The sign of a zero beside a cut",
    "score = tf.sparse.map_values(tf.square, tf.SparseTensor(tf.constant([[1, 0]]": _DIGITS,
    "h = tf.ragged.constant([[], []], tf.float32)[:, :1]\n    u = tf.strings.substr": _DIGITS,
    "c = tf.image.rgb_to_hsv(tf.sigmoid(total))": "The slope where two channels are equal",
    "out = tf.abs(tf.linalg.qr(z)[1])": _DIGITS,
    "u = x + -2.5\n        u = tf.tanh(u)": _DIGITS,
    "v = tf.experimental.numpy.multiply(x, x)\n        v = tf.tanh(v)": _DIGITS,
    "rows = tf.sort(x)\n        rows = tf.tanh(rows)": _DIGITS,
    "p = tf.math.divide_no_nan(x, x)\n        p = tf.tanh(p)": _DIGITS,
    ".dtype.max\n": "The record of the largest float64 is rounded to infinity",
    "tf.constant([[4], [5]]), tf.constant([[[3.75], [2.25]], [[2.75], [-1.5]]], tf.float64)": (
        "`ctc_loss` of float64 is refused in TensorFlow"
    ),
    "tf.nn.depthwise_conv2d(x, tf.ones([2, 1, x.shape[-1], 2], x.dtype)": (
        "The op refuses, not its function"
    ),
    "u = tf.linalg.tridiagonal_solve([p, p, p], v, diagonals_format='sequence')": (
        "The op refuses, not its function"
    ),
    "u = tf.math.special.bessel_j0(x)\n    part = 2\n": _DIGITS,
    "z = tf.linalg.lstsq(x, x, l2_regularizer=0.5)": "`lstsq` of a singular matrix",
    "rows = tf.nn.compute_average_loss(y, sample_weight=y)\n        rows = tf.exp": (
        "An average of float64 in float32"
    ),
    "loss = tf.sqrt(tf.abs(rows))\n    if tf.reduce_any(tf.constant(False)):": _DIGITS,
    "part = tf.linalg.sqrtm(w @ tf.transpose(w) + tf.eye(2))\n    rows = part % 2.5": _DIGITS,
    "v = tf.math.special.expint(tf.abs(h))": "Numbers below the normal range are 0 in TensorFlow",
    "    out = tf.strings.bytes_split(y)\n    else:": "A graph is refused for another line",
    "part = tf.strings.format('{}', mask)\n    z = tf.image.hsv": "The text of no bools is empty",
    "out = tf.broadcast_to(u, tf.shape(tf.zeros([0, 4, 0, 1]": "A convolution of no images",
    "score, total = tf.tuple(": "A graph's `tf.tuple` makes new tensors",
    "u = tf.abs(tf.linalg.qr(total)[1])": "The last digit of a factor of a singular matrix",
}


def choice(case: Difference, sample: Sample) -> str:
    """Why a program may come to something else; "" if no rule admits it."""
    for line, reason in KNOWN.items():
        if line in sample.program.source:
            return reason
    if _COMPARED in case.words:
        if is_apart(case, sample):
            return "Machine code is apart from the kernels, as far as they are from others as near"
        return _DECOMPOSED * is_of_infinity(case, sample)
    for words in WORDS:
        if words.admits(case, sample):
            return words.reason
    for rule in RULES:
        answer = rule(case, sample)
        if answer:
            words = answer if isinstance(answer, str) else rule.__doc__ or ""
            return " ".join(words.split()).rstrip(".")
    return ""


def is_other(case: Difference) -> bool:
    """Whether the arrays of both in that place differ."""
    pair = pair_of(case)
    return pair is not None and bool(arrays_differ(*pair))


def text_of(sample: Sample) -> str:
    """The program and its calls."""
    return "\n".join([sample.program.source, *sample.program.calls])


def pair_of(case: Difference) -> tuple[Tree, Tree] | None:
    """The arrays of both in the place that the difference names."""
    match = re.match(r"\w+: at (result|state)([^:]*):", case.words)
    if match is None or "error" in case.theirs or "error" in case.ours:
        return None
    pair = []
    for tree in (case.theirs, case.ours):
        tree = tree["value" if match[1] == "result" else "state"]
        for key, item in re.findall(r"\.(\w+)|\[(\d+)\]", match[2]):
            tree = tree[key] if key else tree[int(item)]
        pair.append(tree)
    return (pair[0], pair[1]) if all(isinstance(t, dict) and "of" in t for t in pair) else None


def leaves(case: Difference) -> Iterator[Tree]:
    """TensorFlow's array in that place."""
    pair = pair_of(case)
    if pair is not None:
        yield pair[0]


def places(case: Difference) -> Iterator[tuple[Any, Any]]:
    """The numbers that differ, TensorFlow's and that of this package."""
    pair = pair_of(case)
    if pair is None or pair[0]["of"] not in TOLERANCES or pair[0]["shape"] != pair[1]["shape"]:
        return
    one, other = (np.array(t["flat"], np.float64).ravel() for t in pair)
    yield from ((a, b) for a, b in zip(one, other) if not is_near(a, b, one, pair[0]["of"]))


def is_near(a: float, b: float, one: Any, dtype: str) -> bool:
    """Whether numbers of arrays are as near as `arrays_differ` asks."""
    if not (np.isfinite(a) and np.isfinite(b)):
        return bool(a == b or (np.isnan(a) and np.isnan(b)))
    greatest = np.max(np.abs(one[np.isfinite(one)]), initial=1.0)
    return bool(abs(a - b) <= TOLERANCES[dtype] * greatest)
