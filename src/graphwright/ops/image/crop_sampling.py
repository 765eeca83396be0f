"""Windows of images at random: `tf.image.sample_distorted_bounding_box`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Op, Shapes, undefined
from graphwright.ops.image.crop_kernels import Wanted, Window, sample
from graphwright.ops.random.seeds import Stream, seeded
from graphwright.ops.random.single_numbers import Numbers
from graphwright.ops.random.stateful_random import Stateful
from graphwright.ops.random.stateless_random import of_seed
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType, show_dims

SIZES = frozenset({dt.uint8, dt.int8, dt.int16, dt.int32, dt.int64})


class CropSampler(Op, fields=False):
    """What the ops of this file share: a window, as begin and size of a slice and as a box."""

    ruled = True
    outputs: ClassVar[tuple[str, ...]] = ("begin: T", "size: T", "bboxes: float32")
    dtypes: ClassVar[dict[str, Any]] = {"T": SIZES, "Tseed": dt.INDEX}

    aspect_ratio_range: tuple[float, ...] = (0.75, 1.33)
    area_range: tuple[float, ...] = (0.05, 1.0)
    max_attempts: int = 100
    use_image_if_no_bounding_boxes: bool = False

    def shapes(self, image_size: TensorType, boxes: TensorType, *operands: Any) -> Shapes:
        if image_size.dims not in (None, (3,), (None,)):
            raise ValueError(f"image_size must contain 3 elements{show_dims(image_size.dims)}")
        if boxes.dims is not None and (len(boxes.dims) != 3 or boxes.dims[2] not in (4, None)):
            raise ValueError(
                f"bounding_boxes must have shape [batch, num_boxes, 4], got {show_dims(boxes.dims)}"
            )
        return ((3,), (3,), (1, 1, 4))

    def sampled(
        self, image_size: Array, boxes: Array, covered: Array, numbers: Numbers
    ) -> tuple[Array, Array, Array]:
        """The results for numbers that are drawn; ValueError where something is out of range."""
        self.check_ranges(covered)
        height, width = int(image_size[0]), int(image_size[1])
        if height <= 0 or width <= 0:
            raise ValueError(f"image height and width must be positive, got {height} and {width}")
        rows = np.reshape(boxes, (-1, 4))
        if (rows < 0).any() or (rows > 1).any():
            raise ValueError("All bounding box coordinates must be in [0.0, 1.0]")
        if (rows[:, 0] >= rows[:, 2]).any() or (rows[:, 1] >= rows[:, 3]).any():
            raise ValueError("y_min and x_min of bounding box must be less than y_max and x_max")
        scale = np.array([height, width, height, width], np.float32)
        objects = [Window(*map(int, row * scale)) for row in rows]
        if not objects:
            if not self.use_image_if_no_bounding_boxes:
                raise ValueError(
                    "No bounding boxes provided as input. One must enable "
                    "use_image_if_no_bounding_boxes if you wish to not provide any bounding boxes."
                )
            objects = [Window(0, 0, height, width)]
        aspects, areas = self.aspect_ratio_range, self.area_range
        wanted = Wanted(
            (aspects[0], aspects[1]), (areas[0], areas[1]), float(covered), self.max_attempts
        )
        window = sample(height, width, objects, wanted, numbers)
        size = [window.bottom - window.top, window.right - window.left, -1]
        kind = np.asarray(image_size).dtype
        begin = np.array([window.top, window.left, 0]).astype(kind)
        box = (np.array(window, np.float32) / scale).reshape(1, 1, 4)
        return begin, np.array(size).astype(kind), box

    def check_ranges(self, covered: Array) -> None:
        """ValueError where an attribute is no range, or the part that is covered no part."""
        aspects, areas = self.aspect_ratio_range, self.area_range
        if len(aspects) != 2 or not min(aspects) > 0:
            raise ValueError(f"aspect_ratio_range must be two positive numbers, got {aspects}")
        if len(areas) != 2 or not 0 < areas[0] <= areas[1] <= 1:
            raise ValueError(f"area_range must be two numbers in (0, 1], got {areas}")
        if self.max_attempts <= 0:
            raise ValueError(f"Max attempts must be non-negative: {self.max_attempts}")
        if not covered >= 0:
            raise ValueError(f"Min object covered must be non-negative, got {covered}")


class SampleDistortedBoundingBoxV2(CropSampler, Stateful):
    """A window drawn from a stream."""

    type_name = "SampleDistortedBoundingBoxV2"
    inputs = ("image_size: T", "bounding_boxes: float32", "min_object_covered: float32")

    seed: int = 0
    seed2: int = 0
    aspect_ratio_range: tuple[float, ...] = (0.75, 1.33)
    area_range: tuple[float, ...] = (0.05, 1.0)
    max_attempts: int = 100
    use_image_if_no_bounding_boxes: bool = False

    def draw(self, stream: Stream, /, *operands: Any) -> Any:
        image_size, boxes, covered = operands
        numbers = Numbers(*stream.take(self.max_attempts))
        return self.sampled(image_size, boxes, covered, numbers)


class StatelessSampleDistortedBoundingBox(CropSampler):
    """A window that a seed determines."""

    type_name = "StatelessSampleDistortedBoundingBox"
    inputs = (
        "image_size: T",
        "bounding_boxes: float32",
        "min_object_covered: float32",
        "seed: Tseed",
    )
    gradient = undefined("boxes are drawn at random")

    aspect_ratio_range: tuple[float, ...] = (0.75, 1.33)
    area_range: tuple[float, ...] = (0.05, 1.0)
    max_attempts: int = 100
    use_image_if_no_bounding_boxes: bool = False

    def kernel(self, image_size: Array, boxes: Array, covered: Array, seed: Array) -> Any:
        return self.sampled(image_size, boxes, covered, Numbers(*of_seed(seed)))


class Sample(NamedTuple):
    """A window as begin and size of a slice, and as a box in parts of the image's size."""

    begin: Tensor
    size: Tensor
    bboxes: Tensor


def options(
    aspect_ratio_range: Sequence[float] | None,
    area_range: Sequence[float] | None,
    max_attempts: int | None,
    use_image: bool | None,
) -> tuple[tuple[float, ...], tuple[float, ...], int, bool]:
    """The attributes of the ops, with TensorFlow's defaults for None."""
    return (
        tuple([float(v) for v in aspect_ratio_range or (0.75, 1.33)]),
        tuple([float(v) for v in area_range or (0.05, 1.0)]),
        100 if max_attempts is None else max_attempts,
        False if use_image is None else use_image,
    )


def sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: int = 0,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: Sequence[float] | None = None,
    area_range: Sequence[float] | None = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> Sample:
    """Draws a window of an image that shows a sufficient part of some box.

    Where no window satisfies the conditions after `max_attempts`, the whole image is the result.

    Args:
        image_size: A tensor of integers of shape [3]: height, width and channels.
        bounding_boxes: A tensor of float32 of shape [batch, n, 4], with rows (y1, x1, y2, x2) as
            fractions of the image's height and width.
        seed: An int; 0 leaves the seed to `tf.random.set_seed`.
        min_object_covered: A number or float32 scalar: the part of some box that the window shows.
        aspect_ratio_range: The bounds of width / height of the window; None means (0.75, 1.33).
        area_range: The bounds of the window's part of the area; None means (0.05, 1).
        max_attempts: The greatest number of attempts; None means 100.
        use_image_if_no_bounding_boxes: Whether the whole image is the box where none is given. None
            means False.
        name: A name for the op.

    Returns:
        A named tuple for `tf.slice` and `tf.image.draw_bounding_boxes`: `begin` [3] and `size` [3]
        in the dtype of `image_size`, and `bboxes` [1, 1, 4] in float32.

    Raises:
        InvalidArgumentError: An operand or a range is not valid, or no box is given.

    >>> import graphwright as tf
    >>> sample = tf.image.sample_distorted_bounding_box([50, 40, 3], [[[0.1, 0.2, 0.6, 0.7]]])
    >>> sample.begin.shape, sample.size.shape, sample.bboxes.shape
    (TensorShape([3]), TensorShape([3]), TensorShape([1, 1, 4]))
    """
    chosen = options(aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes)
    op = seeded(SampleDistortedBoundingBoxV2, seed or None, *chosen)
    operands = convert(image_size), convert(bounding_boxes, dt.float32)
    return Sample(*apply(op, *operands, convert(min_object_covered, dt.float32), name=name))


def stateless_sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: TensorLike,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: Sequence[float] | None = None,
    area_range: Sequence[float] | None = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> Sample:
    """Draws a window as `tf.image.sample_distorted_bounding_box` does, determined by a seed.

    Args:
        image_size: A tensor of integers of shape [3]: height, width and channels.
        bounding_boxes: A tensor of float32 of shape [batch, n, 4], with rows (y1, x1, y2, x2) as
            fractions of the image's height and width.
        seed: A tensor of int32 or int64 of shape [2].
        min_object_covered: A number or float32 scalar: the part of some box that the window shows.
        aspect_ratio_range: The bounds of width / height of the window; None means (0.75, 1.33).
        area_range: The bounds of the window's part of the area; None means (0.05, 1).
        max_attempts: The greatest number of attempts; None means 100.
        use_image_if_no_bounding_boxes: Whether the whole image is the box where none is given. None
            means False.
        name: A name for the op.

    Returns:
        A named tuple: `begin` [3] and `size` [3] in the dtype of `image_size`, and `bboxes` [1, 1,
        4] in float32.

    Raises:
        InvalidArgumentError: An operand or a range is not valid, or no box is given.

    >>> import graphwright as tf
    >>> boxes = [[[0.1, 0.2, 0.6, 0.7]]]
    >>> sample = tf.image.stateless_sample_distorted_bounding_box([50, 40, 3], boxes, [1, 2])
    >>> sample.begin.numpy().tolist(), sample.size.numpy().tolist()
    ([6, 3, 0], [26, 32, -1])
    """
    chosen = options(aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes)
    op = StatelessSampleDistortedBoundingBox.of(*chosen)
    operands = convert(image_size), convert(bounding_boxes, dt.float32)
    covered = convert(min_object_covered, dt.float32)
    return Sample(*apply(op, *operands, covered, convert(seed), name=name))
