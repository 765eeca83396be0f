"""Non-maximum suppression: the best boxes, without those that overlap a better one too much."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Op, Shapes, not_differentiable, undefined
from graphwright.ops.core.joining import stack, unstack
from graphwright.ops.image import suppression
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType, is_compatible, show_dims

REALS = frozenset({dt.float16, dt.float32})


def select(boxes: Array, scores: Array, count: int, limit: float, least: float) -> Array:
    """The indices of at most `count` of the best boxes, none overlapping a better one too much."""
    lists = suppression.Boxes.of(boxes[None], limit)
    return best_of_list(scores, count, lists.hides, least)


def best_of_list(scores: Array, count: int, hides: suppression.Hides, least: float) -> Array:
    """The indices of at most `count` of the best items, which no better one hides."""
    candidates = suppression.SuppressionCandidates.above(scores[None], least)
    chosen, counts = suppression.select(candidates, min(count, len(scores)), hides)
    best: Array = chosen[0, : counts[0]].astype(np.int32)
    return best


def check_boxes(boxes: TensorType, scores: TensorType) -> None:
    """ValueError unless boxes are rows of four, with a score each."""
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


def check_limits(count: int, iou: Array | float) -> None:
    """ValueError unless the count is not negative and the overlap in [0, 1]."""
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
    ruled = True
    gradient = not_differentiable

    def shapes(self, boxes: TensorType, scores: TensorType, *limits: Any) -> Shapes:
        check_boxes(boxes, scores)
        return ((None,),)

    def kernel(self, boxes: Array, scores: Array, count: int, iou: Array, least: Array) -> Any:
        check_limits(count, iou)
        return select(boxes, scores, count, float(iou), float(least))


class NonMaxSuppressionV4(Op):
    """The indices of NonMaxSuppressionV3, filled up with 0 if so padded, and their number."""

    type_name = "NonMaxSuppressionV4"
    inputs = NonMaxSuppressionV3.inputs
    outputs = ("selected_indices: int32", "valid_outputs: int32")
    dtypes = NonMaxSuppressionV3.dtypes
    ruled = True
    gradient = not_differentiable

    pad_to_max_output_size: bool = False

    def shapes(
        self, boxes: TensorType, scores: TensorType, count: int | None, *limits: TensorType
    ) -> Shapes:
        check_boxes(boxes, scores)
        return ((count if self.pad_to_max_output_size else None,), ())

    def kernel(self, boxes: Array, scores: Array, count: int, iou: Array, least: Array) -> Any:
        chosen = NonMaxSuppressionV3().kernel(boxes, scores, count, iou, least)
        number = np.array(len(chosen), np.int32)
        if self.pad_to_max_output_size:
            chosen = np.pad(chosen, (0, count - len(chosen)))
        return chosen, number


class NonMaxSuppressionV5(Op):
    """NonMaxSuppressionV4 with the scores, which overlaps lower where sigma > 0."""

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
    ranks = {"iou_threshold": 0, "score_threshold": 0, "soft_nms_sigma": 0}
    gradient = undefined("gather the scores by the selected indices")

    pad_to_max_output_size: bool = False

    def shapes(
        self, boxes: TensorType, scores: TensorType, count: int | None, *limits: TensorType
    ) -> Shapes:
        check_boxes(boxes, scores)
        size = count if self.pad_to_max_output_size else None
        return ((size,), (size,), ())

    def kernel(
        self, boxes: Array, scores: Array, count: int, iou: Array, least: Array, sigma: Array
    ) -> tuple[Array, Array, Array]:
        check_limits(count, iou)
        if not sigma >= 0:
            raise ValueError(f"soft_nms_sigma must be >= 0, got {sigma}")
        if sigma > 0:
            limits = float(least), float(sigma)
            chosen, points = suppression.select_soft(boxes, scores, count, *limits)
            chosen = chosen.astype(np.int32)
        else:
            chosen = NonMaxSuppressionV3().kernel(boxes, scores, count, iou, least)
            points = scores[chosen]
        number = np.array(len(chosen), np.int32)
        if self.pad_to_max_output_size:
            chosen, points = (np.pad(a, (0, count - len(a))) for a in (chosen, points))
        return chosen, points, number


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
    ranks = {"overlaps": 2, "scores": 1}

    def shapes(self, matrix: TensorType, scores: TensorType, *limits: Any) -> Shapes:
        count = scores.dims[0] if scores.dims else None
        if not is_compatible(matrix.dims, (count, count)):
            raise ValueError(
                f"overlaps must be square and fit scores, got {show_dims(matrix.dims)} and "
                f"{show_dims(scores.dims)}"
            )
        return ((None,),)

    def kernel(
        self, matrix: Array, scores: Array, count: int, threshold: Array, least: Array
    ) -> Array:
        check_limits(count, 0)
        limit = float(threshold)

        def hides(_: Array, better: Array, worse: Array) -> Array:
            hidden: Array = ~(matrix[worse[:, None, :], better[:, :, None]] <= limit)
            return hidden

        return best_of_list(scores, count, hides, float(least))


class CombinedNonMaxSuppression(Op):
    """The best boxes of all classes, of those that overlap no better one of their class."""

    type_name = "CombinedNonMaxSuppression"
    inputs = (
        "boxes: float32",
        "scores: float32",
        "max_output_size_per_class: int32 host",
        "max_total_size: int32 host",
        "iou_threshold: float32",
        "score_threshold: float32",
    )
    outputs = (
        "nmsed_boxes: float32",
        "nmsed_scores: float32",
        "nmsed_classes: float32",
        "valid_detections: int32",
    )
    ruled = True
    gradient = undefined("which boxes are left changes by jumps; gather them by their indices")

    pad_per_class: bool = False
    clip_boxes: bool = True

    def shapes(
        self,
        boxes: TensorType,
        scores: TensorType,
        each: int | None,
        total: int | None,
        *limits: TensorType,
    ) -> Shapes:
        if boxes.rank not in (4, None):
            raise ValueError(f"boxes must be 4-D{show_dims(boxes.dims)}")
        if scores.rank not in (3, None):
            raise ValueError(f"scores must be 3-D{show_dims(scores.dims)}")
        classes = None if scores.dims is None else scores.dims[2]
        kinds = None if boxes.dims is None else boxes.dims[2]
        if None not in (kinds, classes) and kinds not in (1, classes):
            raise ValueError(
                f"third dimension of boxes must be either 1 or num classes, {classes}, got {kinds}"
            )
        batch = None if boxes.dims is None else boxes.dims[0]
        count = None
        if each is not None and total is not None and not (self.pad_per_class and classes is None):
            count = self.detections(each, total, classes)
        return ((batch, count, 4), (batch, count), (batch, count), (batch,))

    def detections(self, each: int, total: int, classes: int | None) -> int:
        """The number of boxes of an image, with those that fill it up."""
        if each <= 0 or total <= 0:
            raise ValueError(f"max_size_per_class and max_total_size must be > 0: {each}, {total}")
        return total if classes is None or not self.pad_per_class else min(total, each * classes)

    def kernel(
        self, boxes: Array, scores: Array, each: int, total: int, iou: Array, least: Array
    ) -> tuple[Array, ...]:
        check_limits(each, iou)
        batch, size, classes = scores.shape
        count = self.detections(each, total, classes)
        kinds = boxes.shape[2]
        owner = np.arange(batch)[:, None] * kinds + np.arange(classes) % kinds
        by_class = np.ascontiguousarray(np.swapaxes(scores, 1, 2)).reshape(-1, size)
        lists = suppression.Boxes.of(
            np.swapaxes(boxes, 1, 2).reshape(batch * kinds, size, 4), float(iou)
        )

        def hides(places: Array, better: Array, worse: Array) -> Array:
            return lists.hides(owner.reshape(-1)[places], better, worse)

        candidates = suppression.SuppressionCandidates.above(by_class, float(least))
        chosen, counts = suppression.select(candidates, min(each, size), hides)
        return self.best(boxes, scores, chosen, counts, count)

    def best(
        self, boxes: Array, scores: Array, chosen: Array, counts: Array, count: int
    ) -> tuple[Array, ...]:
        """The best boxes of each image, whatever their class, of those chosen [lists, each]."""
        batch, _, classes = scores.shape
        each = chosen.shape[1]
        items = chosen.reshape(batch, classes * each)
        labels = np.repeat(np.arange(classes), each)
        image = np.arange(batch)[:, None]
        points = scores[image, items, labels]
        used = np.arange(each) < counts[:, None]
        points[~used.reshape(points.shape)] = -np.inf
        order = suppression.SuppressionCandidates.above(points, -np.inf).order[:, :count]
        valid = np.minimum(counts.reshape(batch, classes).sum(1), count).astype(np.int32)
        row, place = np.nonzero(np.arange(order.shape[1]) < valid[:, None])
        which = order[row, place]
        corners = np.zeros((batch, count, 4), np.float32)
        values, kinds = np.zeros((2, batch, count), np.float32)
        label = labels[which]
        corners[row, place] = boxes[row, items[row, which], label % boxes.shape[2]]
        values[row, place], kinds[row, place] = points[row, which], label
        return np.clip(corners, 0, 1) if self.clip_boxes else corners, values, kinds, valid


class Detections(NamedTuple):
    """The result of `combined_non_max_suppression`."""

    nmsed_boxes: Tensor
    nmsed_scores: Tensor
    nmsed_classes: Tensor
    valid_detections: Tensor


Detections.__name__ = Detections.__qualname__ = "CombinedNonMaxSuppression"


Detections.__name__ = Detections.__qualname__ = "CombinedNonMaxSuppression"


# -- the public functions -------------------------------------------------------------------


def non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """Returns the indices of the boxes with the best scores, best first.

    A box is left out where its overlap with a better one, as intersection over union, is above
    `iou_threshold`.

    Args:
        boxes: A tensor of float16 or float32 of shape [n, 4], with rows (y1, x1, y2, x2).
        scores: A tensor of the dtype of `boxes` of shape [n].
        max_output_size: An int or int32 scalar: the greatest number of indices.
        iou_threshold: A number or scalar in [0, 1].
        score_threshold: A number or scalar. A box is left out where its score is not above it.
        name: A name for the op.

    Returns:
        A 1-D tensor of int32.

    Raises:
        InvalidArgumentError: `max_output_size` is negative, or `iou_threshold` is outside [0, 1].

    >>> import graphwright as tf
    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [2.0, 2.0, 3.0, 3.0]]
    >>> tf.image.non_max_suppression(boxes, [0.8, 0.9, 0.5], 3).numpy().tolist()
    [1, 2]
    """
    boxes, scores = convert(boxes), convert(scores)
    limits = [convert(v, dt.float32) for v in (iou_threshold, score_threshold)]
    return apply(NonMaxSuppressionV3.of(), boxes, scores, max_output_size, *limits, name=name)


def non_max_suppression_with_scores(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
    soft_nms_sigma: TensorLike = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Returns the indices of the best boxes and their scores, which overlap may lower.

    With `soft_nms_sigma` of 0, this selects as `tf.image.non_max_suppression` does. Above 0, an
    overlap with a better box lowers a score by a Gaussian factor.

    Args:
        boxes: A tensor of float16 or float32 of shape [n, 4], with rows (y1, x1, y2, x2).
        scores: A tensor of the dtype of `boxes` of shape [n].
        max_output_size: An int or int32 scalar: the greatest number of indices.
        iou_threshold: A number or scalar in [0, 1].
        score_threshold: A number or scalar. A box is left out where its score is not above it.
        soft_nms_sigma: A number or scalar of at least 0: the width of the Gaussian.
        name: A name for the op.

    Returns:
        A pair of 1-D tensors: the indices as int32, and the scores in the dtype of `boxes`.

    Raises:
        InvalidArgumentError: `max_output_size` or `soft_nms_sigma` is negative, or `iou_threshold`
            is outside [0, 1].

    Source:
        Bodla, Singh, Chellappa and Davis, "Soft-NMS: Improving object detection with one line of
        code" (2017).

    >>> import graphwright as tf
    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [2.0, 2.0, 3.0, 3.0]]
    >>> chosen, scores = tf.image.non_max_suppression_with_scores(boxes, [0.8, 0.9, 0.5], 3)
    >>> chosen.numpy().tolist(), scores.numpy().tolist()
    ([1, 2], [0.8999999761581421, 0.5])
    """
    boxes = convert(boxes)
    scores = convert(scores, boxes.dtype)
    limits = [convert(v, boxes.dtype) for v in (iou_threshold, score_threshold, soft_nms_sigma)]
    op = NonMaxSuppressionV5.of(False)
    chosen, points, _ = apply(op, boxes, scores, max_output_size, *limits, name=name)
    return chosen, points


def non_max_suppression_overlaps(
    overlaps: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    overlap_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """Returns the indices of the best items, by a matrix of their overlaps.

    An item is left out where its overlap with a better one is above `overlap_threshold`.

    Args:
        overlaps: A tensor of float32 of shape [n, n]: the overlap of each item with each other one.
        scores: A tensor of float32 of shape [n].
        max_output_size: An int or int32 scalar: the greatest number of indices.
        overlap_threshold: A number or scalar.
        score_threshold: A number or scalar. An item is left out where its score is not above it.
        name: A name for the op.

    Returns:
        A 1-D tensor of int32, best first.

    Raises:
        InvalidArgumentError: `max_output_size` is negative, or `overlaps` is not square.

    >>> import graphwright as tf
    >>> overlaps = [[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 1.0]]
    >>> tf.image.non_max_suppression_overlaps(overlaps, [0.8, 0.9, 0.5], 3).numpy().tolist()
    [1, 2]
    """
    values = [convert(v, dt.float32) for v in (overlaps, scores)]
    limits = [convert(v, dt.float32) for v in (overlap_threshold, score_threshold)]
    op = NonMaxSuppressionWithOverlaps.of()
    return apply(op, *values, max_output_size, *limits, name=name)


def non_max_suppression_padded(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
    pad_to_max_output_size: bool = False,
    name: str | None = None,
    sorted_input: bool = False,
    canonicalized_coordinates: bool = False,
    tile_size: int = 512,
) -> tuple[Tensor, Tensor]:
    """Returns the indices of the best boxes, which 0 may fill up, and their number.

    The selection is that of `tf.image.non_max_suppression`. Where `boxes` has batch axes, their
    sizes must be known, and the indices of each batch are filled up.

    Args:
        boxes: A tensor of float16 or float32 of shape [..., n, 4], with rows (y1, x1, y2, x2).
        scores: A tensor of the dtype of `boxes` of shape [..., n].
        max_output_size: An int or int32 scalar: the greatest number of indices.
        iou_threshold: A number or scalar in [0, 1].
        score_threshold: A number or scalar. A box is left out where its score is not above it.
        pad_to_max_output_size: Whether 0 fills up the indices to `max_output_size`.
        name: A name for the op.
        sorted_input: Has no effect on the result.
        canonicalized_coordinates: Has no effect on the result.
        tile_size: Has no effect on the result.

    Returns:
        A pair of int32 tensors: the indices of shape [..., count], and their number of shape [...].

    Raises:
        InvalidArgumentError: `max_output_size` is negative, or `iou_threshold` is outside [0, 1].
        ValueError: The size of a batch axis is not known.

    >>> import graphwright as tf
    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9]]
    >>> chosen, count = tf.image.non_max_suppression_padded(
    ...     boxes, [0.8, 0.9], 3, pad_to_max_output_size=True
    ... )
    >>> chosen.numpy().tolist(), count.numpy().item()
    ([1, 0, 0], 1)
    """
    boxes, scores = convert(boxes), convert(scores)
    limits = [convert(v, dt.float32) for v in (iou_threshold, score_threshold)]
    batch = None if boxes.type.dims is None else boxes.type.dims[:-2]
    if not batch:
        op = NonMaxSuppressionV4.of(bool(pad_to_max_output_size))
        result: tuple[Any, Any] = apply(op, boxes, scores, max_output_size, *limits, name=name)
        return result
    if None in batch:
        shown = show_dims(boxes.type.dims)
        raise ValueError(f"The batch dimensions of boxes must be known, not {shown}")
    results = [
        non_max_suppression_padded(b, s, max_output_size, iou_threshold, score_threshold, True)
        for b, s in zip(unstack(boxes), unstack(scores))
    ]
    indices, counts = zip(*results)
    return stack(indices), stack(counts)


def combined_non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size_per_class: TensorLike,
    max_total_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> Detections:
    """Returns the best boxes of each image of a batch, selected class by class.

    In each class, a box is left out where it overlaps a better one too much. The best boxes of all
    classes together are the result.

    Args:
        boxes: A tensor of float32 of shape [batch, n, 1 or classes, 4], with rows (y1, x1, y2, x2).
        scores: A tensor of float32 of shape [batch, n, classes].
        max_output_size_per_class: A positive int or int32 scalar.
        max_total_size: A positive int or int32 scalar: the greatest number of boxes of an image.
        iou_threshold: A number or scalar in [0, 1].
        score_threshold: A number or scalar. A box is left out where its score is not above it.
        pad_per_class: Whether the result has room for no more boxes than all classes may give.
        clip_boxes: Whether the coordinates of the result are clipped to [0, 1].
        name: A name for the op.

    Returns:
        A named tuple. `nmsed_boxes` [batch, count, 4], `nmsed_scores` [batch, count] and
        `nmsed_classes` [batch, count] are float32, best first, and 0 fills them up.
        `valid_detections` [batch] is int32.

    Raises:
        InvalidArgumentError: A size is not positive, or `iou_threshold` is outside [0, 1].

    >>> import graphwright as tf
    >>> boxes = tf.constant([[[[0.0, 0.0, 1.0, 1.0]], [[0.0, 0.0, 1.0, 0.9]]]])
    >>> best = tf.image.combined_non_max_suppression(boxes, [[[0.8], [0.9]]], 2, 2)
    >>> best.nmsed_scores.numpy().tolist(), best.valid_detections.numpy().tolist()
    ([[0.8999999761581421, 0.0]], [1])
    """
    operands = convert(boxes, dt.float32), convert(scores, dt.float32)
    limits = [convert(v, dt.float32) for v in (iou_threshold, score_threshold)]
    op = CombinedNonMaxSuppression.of(pad_per_class, clip_boxes)
    return Detections(
        *apply(op, *operands, max_output_size_per_class, max_total_size, *limits, name=name)
    )
