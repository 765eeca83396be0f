"""Derivatives of and by tensors with nothing in them: TensorFlow's, and of the operands' shapes."""

from __future__ import annotations

import contextlib
import logging
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from corpora import empty_axes as corpus
from support.goldens import REFUSALS, Tolerance, area_of, tolerance_of, unequal
from support.numeric import as_tensors
from support.op_samples import Sample, has_rule, is_inexact, our_ops, samples

import graphwright as tf
from graphwright.op.interpreter import apply
from graphwright.op.op import REGISTRY, Op
from graphwright.types import dtypes as dt
from tools import golden_format as gf

STORE = gf.Store.read(gf.GOLDEN / "empty_gradients.npz")
#: What is refused here alone.
REFUSED = {
    r"nn\.conv\w*_transpose": "where something is empty, TensorFlow does not compare shapes",
    r"image\.crop_and_resize.*float32\[0, 0\]": "boxes without sides are no boxes",
    r"nn\.ctc_loss.*float32\[0, 3, 5\]": "lengths are beyond the logits",
    r"signal\.inverse_mdct.*float32\[2, 3, 0\]": "frames of nothing have no distance",
}
#: Whose gradients are meant to be others.
OTHERS = {
    r"nn\.conv\w*_transpose": "TensorFlow's second ones have another shape than the operand",
    r"nn\.(dilation|erosion)2d.*\[(0, 3|2, 0), 3\]": "an empty window has no greatest element",
}


def matches(patterns: dict[str, str], text: str) -> bool:
    return any(re.search(pattern, text) for pattern in patterns)


def by_function() -> dict[tuple[str, str], list[gf.Case]]:
    """The recorded cases by their area and function."""
    result: dict[tuple[str, str], list[gf.Case]] = defaultdict(list)
    for area, case in corpus.cases():
        if f"{area} {gf.digest(case)}" in STORE.index:
            result[area, case[0]].append(case)
    return result


CASES = by_function()


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging.getLogger("tensorflow"), "disabled", True)


@pytest.mark.parametrize(("area", "name"), list(CASES))
@pytest.mark.filterwarnings("ignore")
def test_derivatives_are_tensorflows(area: str, name: str) -> None:
    tolerance = tolerance_of(area_of(area)[0], name)._replace(spread=32)
    wrong = []
    for case in CASES[area, name]:
        recorded = STORE.index[f"{area} {gf.digest(case)}"]
        lines = differences(case, recorded, tolerance)
        wrong += [f"{gf.describe(case)}:\n    {line}" for line in lines]
    assert not wrong, "\n".join(line[:600] for line in wrong[:12])


def differences(case: gf.Case, recorded: dict[str, Any], tolerance: Tolerance) -> Iterator[str]:
    """How the derivatives of a case are others than recorded, or not of the operands' shapes."""
    text = gf.describe(case)
    try:
        gf.run_eager(tf, case)
    except REFUSALS as error:
        if "refused" not in recorded and not matches(REFUSED, text):
            yield f"refused: {type(error).__name__}: {error}"
        return
    arrays = [a for a in gf.split(case)[0] if a.dtype.name in gf.DIFFERENTIABLE]
    for part, run in (("gradient", gf.run_gradient), ("second", gf.run_second)):
        try:
            result = run(tf, case)
        except LookupError as error:
            if part in recorded:
                yield f"{part}: {error}"
            return
        except REFUSALS as error:
            if "error" not in recorded:
                yield f"{part}: {type(error).__name__}: {error}"
            return
        for array, g in zip(arrays, result):
            if g is not None and (g.shape, g.dtype) != (array.shape, array.dtype):
                yield f"{part}: {g.dtype}{list(g.shape)} of {array.dtype}{list(array.shape)}"
        if part in recorded and not matches(OTHERS, text):
            wanted = [STORE.unpack(entry) for entry in recorded[part]]
            yield from unequal(part, result, wanted, tolerance)


def test_at_least_1500_are_compared() -> None:
    assert sum("gradient" in result for result in STORE.index.values()) >= 1500


# -- every op -----------------------------------------------------------------------------------


def emptied(sample: Sample) -> Iterator[tuple[Any, ...]]:
    """The operands of a sample with nothing along axes of a size, or along one axis of one."""
    shapes = [x.shape for x in sample.operands if isinstance(x, np.ndarray)]
    for size in sorted({d for shape in shapes for d in shape} - {0}):
        for numbers in (False, True):
            yield tuple([emptied_operand(x, size, numbers) for x in sample.operands])
    for i in sample.moving:
        for axis in range(sample.operands[i].ndim):
            operands = list(sample.operands)
            operands[i] = np.take(operands[i], [], axis)
            yield tuple(operands)


def emptied_operand(x: Any, size: int, numbers: bool) -> Any:
    """An operand without the axes of a size; if `numbers`, 0 for it in shapes."""
    if numbers and isinstance(x, np.ndarray) and x.ndim == 1 and x.dtype.kind in "iu":
        return np.where(x == size, 0, x).astype(x.dtype)
    if numbers and isinstance(x, tuple):
        return tuple([0 if type(n) is int and n == size else n for n in x])
    return corpus.cut(x, size) if isinstance(x, np.ndarray) else x


def is_empty(x: Any) -> bool:
    return is_inexact(x) and not x.size


#: Operands that the op takes though they do not fit each other: its gradient need not.
UNFIT = {
    "CropAndResizeGradBoxes", "CropAndResizeGradImage", "MatrixDiagV3", "MaxPoolGradGrad",
    "MirrorPadGrad", "QuantizeAndDequantizeV4", "ResizeBicubicGrad", "ResizeBilinearGrad",
    "ResizeNearestNeighborGrad", "ScaleAndTranslateGrad",
}  # fmt: skip


#: Why a gradient may be refused, as in TensorFlow: derivatives of some ops do not take what these
#: take.
TOO_MUCH = re.compile("not in the list of allowed values|filter must not have zero elements")


@pytest.mark.parametrize("name", [n for n in our_ops() if has_rule(REGISTRY[n])])
@pytest.mark.filterwarnings("ignore")
def test_gradients_have_the_shapes_of_the_operands(name: str) -> None:
    """Whatever sample, with nothing along whatever axis, if the op takes it at all."""
    for sample in samples().get(name, ()):
        for operands in emptied(sample):
            if any(is_empty(operands[i]) for i in sample.moving):
                check(sample.op, operands, sample.moving)


def check(op: Op, operands: tuple[Any, ...], moving: list[int]) -> None:
    tensors = as_tensors(operands)
    given = [tensors[i] for i in moving]
    try:
        apply(op, *tensors)
    except REFUSALS:
        return
    try:
        with tf.GradientTape() as outer:
            outer.watch(given)
            with tf.GradientTape() as tape:
                tape.watch(given)
                results = tf.nest.flatten(apply(op, *tensors))
            targets = [r for r in results if r.dtype in dt.INEXACT]
            first = tape.gradient(targets, given)
        again = outer.gradient([tf.convert_to_tensor(g) for g in first if g is not None], given)
    except LookupError:
        return  # no gradient, or no second one
    except tf.errors.InvalidArgumentError as error:
        if op.type_name not in UNFIT and not TOO_MUCH.search(str(error)):
            raise
        return
    for g, x in zip([*first, *again], [*given, *given]):
        if g is not None and op.type_name not in UNFIT:
            assert (g.shape, g.dtype) == (x.shape, x.dtype)


ROWS = np.zeros((0, 2, 2))
#: Programs of ops of which no sample becomes empty, and which TensorFlow does not differentiate;
#: tests/corpora/gradients.py has others.
PROGRAMS: dict[str, tuple[Any, list[Any]]] = {
    "contrast": (lambda x: tf.image.adjust_contrast(x, 2.0), [np.zeros((0, 2, 2, 3), "f")]),
    "logm": (tf.linalg.logm, [ROWS.astype(complex)]),
    "lu": (lambda x: tf.linalg.lu(x)[0], [ROWS]),
    "rfft3d": (lambda x: tf.abs(tf.signal.rfft3d(x)), [np.zeros((0, 2, 2, 4), "f")]),
    "irfft3d": (tf.signal.irfft3d, [np.zeros((0, 2, 2, 3), "F")]),
    "fftnd": (
        lambda x: tf.math.real(tf.signal.fftnd(tf.cast(x, tf.complex64), [2, 2], [1, 2])),
        [ROWS.astype("f")],
    ),
    "gamma": (lambda x: tf.random.gamma([3], x, dtype=x.dtype), [np.zeros(0)]),
    "sparse softmax": (
        lambda x: tf.sparse.softmax(tf.SparseTensor(tf.zeros([0, 2], tf.int64), x, [2, 3])).values,
        [np.zeros(0)],
    ),
    "sparse concat": (
        lambda x: (
            tf.sparse.concat(0, [tf.SparseTensor(tf.zeros([0, 2], tf.int64), x, [2, 3])] * 2).values
        ),
        [np.zeros(0)],
    ),
    "sparse slice": (
        lambda x: (
            tf.sparse.slice(
                tf.SparseTensor(tf.zeros([0, 2], tf.int64), x, [2, 3]), [0, 0], [1, 3]
            ).values
        ),
        [np.zeros(0)],
    ),
    "sparse add": (
        lambda x: (
            tf.sparse.add(*[tf.SparseTensor(tf.zeros([0, 2], tf.int64), x, [2, 3])] * 2).values
        ),
        [np.zeros(0)],
    ),
    "sparse fill": (
        lambda x: (
            tf.sparse.fill_empty_rows(
                tf.SparseTensor(tf.zeros([0, 2], tf.int64), x, [2, 3]), tf.constant(0.5, x.dtype)
            )[0].values
        ),
        [np.zeros(0)],
    ),
    "case": (lambda x: tf.switch_case(tf.constant(1), [lambda: x, lambda: x * x]), [ROWS]),
    "pushed": (
        lambda x: tf.while_loop(
            lambda i, a: i < 2, lambda i, a: (i + 1, a.write(i, x)), (0, tf.TensorArray(x.dtype, 2))
        )[1].stack(),
        [ROWS],
    ),
    "split": (lambda x: tf.TensorArray(x.dtype, 1).split(x, [0]).read(0) ** 2, [ROWS]),
}


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str, staged: bool) -> None:
    program, operands = PROGRAMS[name]
    tensors = [tf.constant(x) for x in operands]

    def both(tensors: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(tensors)
            with tf.GradientTape() as tape:
                tape.watch(tensors)
                result = program(*tensors)
            first = tape.gradient(result, tensors)
        with contextlib.suppress(LookupError):
            return first, outer.gradient(first, tensors)
        return first, [None for _ in first]

    first, second = (tf.function(both) if staged else both)(tensors)
    assert [g.shape for g in first] == [x.shape for x in tensors]
    assert all(g is None or g.shape == x.shape for g, x in zip(second, tensors))
