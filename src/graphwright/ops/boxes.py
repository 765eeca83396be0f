"""Boxes that overlap too much suppressed, the best of them kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType, show_dims

REALS = frozenset({dt.float16, dt.float32})


def overlaps(boxes: Any, chosen: int) -> Any:
    """The intersection over union of one box [y1, x1, y2, x2] with all; 0 where one is empty."""
    low = np.minimum(boxes[:, :2], boxes[:, 2:])
    high = np.maximum(boxes[:, :2], boxes[:, 2:])
    areas = np.prod(high - low, axis=1)
    sides = np.minimum(high, high[chosen]) - np.maximum(low, low[chosen])
    shared = np.prod(np.maximum(sides, 0), axis=1)
    whole = areas + areas[chosen] - shared
    return np.where((areas > 0) & (areas[chosen] > 0), shared / np.where(whole > 0, whole, 1), 0)


def select(scores: Any, similarity: Any, count: int, limit: float, least: float) -> Any:
    """The indices of at most `count` of the best, none similar to a better one above `limit`."""
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > least]
    alive = np.ones(len(scores), np.bool_)
    chosen: list[int] = []
    for i in order:
        if len(chosen) >= count:
            break
        if alive[i]:
            chosen.append(int(i))
            alive &= ~(similarity(i) > limit)
    return np.array(chosen, np.int32)


def select_soft(
    boxes: Any, scores: Any, count: int, limit: float, least: float, sigma: float
) -> tuple[Any, Any]:
    """As `select`, but overlap lowers a score by a Gaussian (Bodla et al., "Soft-NMS", 2017)."""
    left = scores.astype(np.float32).copy()
    candidates = left > least
    chosen: list[int] = []
    kept: list[float] = []
    scale = -0.5 / sigma
    while len(chosen) < count and candidates.any():
        best = int(np.argmax(np.where(candidates, left, -np.inf)))
        chosen.append(best)
        kept.append(float(left[best]))
        candidates[best] = False
        similarity = overlaps(boxes, best)
        left = np.where(similarity <= limit, left * np.exp(scale * similarity**2), 0)
        candidates &= left > least
    return np.array(chosen, np.int32), np.array(kept, scores.dtype)


def check_boxes(boxes: TensorType, scores: TensorType) -> None:
    """Boxes are rows of four, with a score each."""
    if boxes.dims is not None and len(boxes.dims) != 2:
        raise ValueError(f"boxes must be 2-D{show_dims(boxes.dims)}")
    if boxes.dims is not None and boxes.dims[1] not in (4, None):
        raise ValueError(f"boxes must have 4 columns, got {show_dims(boxes.dims)}")
    if scores.dims is not None and len(scores.dims) != 1:
        raise ValueError(f"scores must be 1-D{show_dims(scores.dims)}")
    if boxes.dims is not None and scores.dims is not None:
        counts = (boxes.dims[0], scores.dims[0])
        if None not in counts and counts[0] != counts[1]:
            raise ValueError(f"scores has incompatible shape {show_dims(scores.dims)}")


def check_limits(count: Any, iou: float) -> None:
    """A count is not negative, an overlap in [0, 1]."""
    if count < 0:
        raise ValueError(f"max_output_size must be non-negative: {count}")
    if not 0 <= iou <= 1:
        raise ValueError(f"iou_threshold must be in [0, 1], got {iou}")


class NonMaxSuppressionV3(Op):
    """The indices of the best boxes, without those that overlap a better one."""

    type_name = "NonMaxSuppressionV3"
    inputs = (
        "boxes: T",
        "scores: T",
        "max_output_size: int32 host",
        "iou_threshold: T_threshold",
        "score_threshold: T_threshold",
    )
    outputs = ("selected_indices: int32",)
    dtypes = {"T": REALS, "T_threshold": REALS}
    gradient = not_differentiable

    def shapes(self, boxes: TensorType, scores: TensorType, *limits: Any) -> Shapes:
        check_boxes(boxes, scores)
        return ((None,),)

    def kernel(self, boxes: Any, scores: Any, count: Any, iou: Any, least: Any) -> Any:
        boxes, scores = np.asarray(boxes), np.asarray(scores)
        check_boxes(TensorType(dt.float32, boxes.shape), TensorType(dt.float32, scores.shape))
        check_limits(count, iou)
        return select(scores, lambda i: overlaps(boxes, i), count, float(iou), float(least))


class NonMaxSuppressionV4(Op):
    """As NonMaxSuppressionV3, padded with 0 to `max_output_size` if so told, and their number."""

    type_name = "NonMaxSuppressionV4"
    inputs = NonMaxSuppressionV3.inputs
    outputs = ("selected_indices: int32", "valid_outputs: int32")
    dtypes = NonMaxSuppressionV3.dtypes
    gradient = not_differentiable

    pad_to_max_output_size: bool = False

    def shapes(self, boxes: TensorType, scores: TensorType, *limits: Any) -> Shapes:
        check_boxes(boxes, scores)
        return ((limits[0] if self.pad_to_max_output_size else None,), ())

    def kernel(self, boxes: Any, scores: Any, count: Any, iou: Any, least: Any) -> Any:
        chosen = NonMaxSuppressionV3().kernel(boxes, scores, count, iou, least)
        found = np.array(len(chosen), np.int32)
        if self.pad_to_max_output_size:
            chosen = np.pad(chosen, (0, count - len(chosen)))
        return chosen, found


class NonMaxSuppressionV5(Op):
    """As NonMaxSuppressionV4, with the scores, which overlap lowers where sigma > 0."""

    type_name = "NonMaxSuppressionV5"
    inputs = (
        "boxes: T",
        "scores: T",
        "max_output_size: int32 host",
        "iou_threshold: T",
        "score_threshold: T",
        "soft_nms_sigma: T",
    )
    outputs = ("selected_indices: int32", "selected_scores: T", "valid_outputs: int32")
    dtypes = {"T": REALS}
    gradient = not_differentiable

    pad_to_max_output_size: bool = False

    def shapes(self, boxes: TensorType, scores: TensorType, *limits: Any) -> Shapes:
        check_boxes(boxes, scores)
        count = limits[0] if self.pad_to_max_output_size else None
        return ((count,), (count,), ())

    def kernel(self, boxes: Any, scores: Any, count: Any, iou: Any, least: Any, sigma: Any) -> Any:
        boxes, scores = np.asarray(boxes), np.asarray(scores)
        check_limits(count, iou)
        if sigma > 0:
            chosen, kept = select_soft(boxes, scores, count, float(iou), float(least), float(sigma))
        else:
            chosen = NonMaxSuppressionV3().kernel(boxes, scores, count, iou, least)
            kept = scores[chosen]
        found = np.array(len(chosen), np.int32)
        if self.pad_to_max_output_size:
            chosen, kept = (np.pad(a, (0, count - len(a))) for a in (chosen, kept))
        return chosen, kept, found


class NonMaxSuppressionWithOverlaps(Op):
    """The indices of the best items, without those that overlap a better one, by a matrix."""

    type_name = "NonMaxSuppressionWithOverlaps"
    inputs = (
        "overlaps: float32",
        "scores: float32",
        "max_output_size: int32 host",
        "overlap_threshold: float32",
        "score_threshold: float32",
    )
    outputs = ("selected_indices: int32",)
    gradient = not_differentiable

    def shapes(self, matrix: TensorType, scores: TensorType, *limits: Any) -> Shapes:
        if matrix.dims is not None and len(matrix.dims) != 2:
            raise ValueError(f"overlaps must be 2-D{show_dims(matrix.dims)}")
        return ((None,),)

    def kernel(self, matrix: Any, scores: Any, count: Any, limit: Any, least: Any) -> Any:
        check_limits(count, 0)
        matrix = np.asarray(matrix)
        return select(np.asarray(scores), lambda i: matrix[:, i], count, float(limit), float(least))


# -- the public functions -------------------------------------------------------------------


def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Any:
    """The indices of the boxes [y1, x1, y2, x2] with the best scores, best first.

    A box whose overlap (intersection over union) with a better one is above `iou_threshold`
    is left out, as is one whose score is not above `score_threshold`.

    >>> import graphwright as tf
    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [2.0, 2.0, 3.0, 3.0]]
    >>> tf.image.non_max_suppression(boxes, [0.8, 0.9, 0.5], 3).numpy().tolist()
    [1, 2]
    """
    boxes, scores = convert(boxes), convert(scores)
    limits = [convert(v, dt.float32) for v in (iou_threshold, score_threshold)]
    return apply(NonMaxSuppressionV3.of(), boxes, scores, max_output_size, *limits, name=name)


def non_max_suppression_with_scores(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    soft_nms_sigma: Any = 0.0,
    name: str | None = None,
) -> Any:
    """As `non_max_suppression`, with the scores; `soft_nms_sigma` > 0 lowers them by overlap."""
    boxes = convert(boxes)
    scores = convert(scores, boxes.dtype)
    limits = [convert(v, boxes.dtype) for v in (iou_threshold, score_threshold, soft_nms_sigma)]
    op = NonMaxSuppressionV5.of(False)
    chosen, kept, _ = apply(op, boxes, scores, max_output_size, *limits, name=name)
    return chosen, kept


def non_max_suppression_overlaps(
    overlaps: Any,
    scores: Any,
    max_output_size: Any,
    overlap_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Any:
    """The indices of the best items, without those whose overlap in a matrix is too great."""
    values = [convert(v, dt.float32) for v in (overlaps, scores)]
    limits = [convert(v, dt.float32) for v in (overlap_threshold, score_threshold)]
    op = NonMaxSuppressionWithOverlaps.of()
    return apply(op, *values, max_output_size, *limits, name=name)
