"""Cases of the image ops: (public name, positional arguments, keyword arguments)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from tools.golden.raw import raw

Case = tuple[str, tuple[Any, ...], dict[str, Any]]


def picture(*shape: int, dtype: str = "float32", seed: int = 0) -> Any:
    """An image of reproducible values: floats in [0, 1), integers over a good part of the range."""
    values = np.random.default_rng(seed).random(shape)
    if np.dtype(dtype).kind == "f":
        return values.astype(dtype)
    return (values * min(np.iinfo(dtype).max, 1000)).astype(dtype)


METHODS = (
    "bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic",
)  # fmt: skip


def resizing() -> Iterator[Case]:
    sizes = ([4, 5], [9, 3], [2, 2], [1, 1], [5, 7], [17, 11])
    for method, size in product(METHODS, sizes):
        for antialias in (False, True):
            options = {"method": method, "antialias": antialias}
            yield "image.resize", (picture(5, 7, 2), size), options
        yield "image.resize", (picture(2, 4, 6, 1, dtype="uint8"), size), {"method": method}
    for method in METHODS[:4]:
        for dtype in ("float64", "float16", "int32", "int64", "uint16", "int8"):
            yield "image.resize", (picture(3, 4, 1, dtype=dtype), [2, 6]), {"method": method}
        for size in ([6, 6], [10, 2], [3, 8]):
            options = {"method": method, "preserve_aspect_ratio": True}
            yield "image.resize", (picture(5, 7, 2), size), options
        yield "image.resize_with_pad", (picture(5, 7, 2), 6, 9), {"method": method}
        yield "image.resize_with_pad", (picture(2, 5, 7, 2), 6, 9), {"method": method}
    for size in ([0, 2], [-1, 2], [2], [2, 2, 2], 3, [2.5, 2.0]):
        yield "image.resize", (picture(4, 4, 1), size), {}
    yield "image.resize", (picture(4, 4), [2, 2]), {}
    yield "image.resize", (picture(4, 4, 1), [2, 2]), {"method": "cubic"}
    yield "image.resize", (picture(0, 4, 1), [2, 2]), {}
    yield "image.resize_with_pad", (picture(2, 5, 7, 2), 3, 3), {}
    yield "image.resize_with_pad", (picture(5, 7, 2), 0, 3), {}


def cropping() -> Iterator[Case]:
    single, batch = picture(4, 5, 2), picture(2, 4, 5, 2, dtype="uint8")
    for image in (single, batch, picture(4, 5), picture(2, 4, 5, 2)):
        for name in ("flip_left_right", "flip_up_down", "transpose"):
            yield f"image.{name}", (image,), {}
        for fraction in (0.5, 1.0, 0.3, 0.0, 1.5):
            yield "image.central_crop", (image, fraction), {}
        for k in (0, 1, 2, 3, 5, -1):
            yield "image.rot90", (image,), {"k": k}
        for target in ((2, 3), (6, 9), (3, 8), (5, 2), (0, 1)):
            yield "image.resize_with_crop_or_pad", (image, *target), {}
        for box in ((0, 0, 4, 5), (1, 2, 2, 3), (2, 0, 3, 5), (-1, 0, 2, 2), (0, 0, 0, 2)):
            yield "image.crop_to_bounding_box", (image, *box), {}
        for box in ((0, 0, 4, 5), (1, 2, 7, 9), (0, 0, 3, 9), (-1, 0, 9, 9)):
            yield "image.pad_to_bounding_box", (image, *box), {}


def colours() -> Iterator[Case]:
    dtypes = ("float16", "float32", "float64", "uint8", "int16", "int32", "uint16", "int8")
    for source, to in product(dtypes, dtypes):
        for saturate in (False, True):
            image = picture(2, 3, dtype=source)
            yield "image.convert_image_dtype", (image, to), {"saturate": saturate}
    extremes = np.array([[-0.5, 0.0, 1.0, 1.5]], np.float32)
    yield "image.convert_image_dtype", (extremes, "uint8"), {"saturate": True}
    flat = np.array([[[0.2, 0.2, 0.2], [0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]], np.float32)
    for seed, dtype in product(range(3), ("float32", "float64", "float16")):
        image = picture(3, 4, 3, dtype=dtype, seed=seed)
        yield "image.rgb_to_hsv", (image,), {}
        yield "image.hsv_to_rgb", (image,), {}
    for image in (flat, picture(4, 3), picture(2, 2, 4), picture(2, 2, 2, 3)):
        yield "image.rgb_to_hsv", (image,), {}
        yield "image.hsv_to_rgb", (image,), {}
    for name in ("rgb_to_yiq", "yiq_to_rgb", "rgb_to_yuv", "yuv_to_rgb", "rgb_to_grayscale"):
        yield f"image.{name}", (picture(4, 5, 3),), {}
        yield f"image.{name}", (picture(2, 4, 5, 3, seed=1),), {}
    yield "image.rgb_to_grayscale", (picture(4, 5, 3, dtype="uint8"),), {}
    yield "image.grayscale_to_rgb", (picture(4, 5, 1),), {}
    yield "image.grayscale_to_rgb", (picture(4, 5, 2),), {}


def adjustments() -> Iterator[Case]:
    images = (picture(4, 5, 3), picture(2, 4, 5, 3, dtype="uint8"), picture(4, 5, 3, seed=1))
    images += (picture(4, 5, 3, dtype="float16"),)
    for image in images:
        for amount in (0.0, 0.3, -0.4, 1.0):
            yield "image.adjust_brightness", (image, amount), {}
            yield "image.adjust_contrast", (image, amount), {}
            yield "image.adjust_saturation", (image, abs(amount) * 2), {}
            yield "image.adjust_hue", (image, amount), {}
            yield "image.adjust_gamma", (image, abs(amount) + 0.5), {"gain": 1.5}
        yield "image.per_image_standardization", (image,), {}
    yield "image.adjust_hue", (images[0], 1.5), {}
    yield "image.adjust_gamma", (images[0], -1.0), {}
    yield "image.per_image_standardization", (np.full((2, 2, 1), 3.0, np.float32),), {}


def patches() -> Iterator[Case]:
    for size, stride, rate, padding in product((1, 2, 3), (1, 2), (1, 2), ("SAME", "VALID")):
        window = [[1, n, n, 1] for n in (size, stride, rate)]
        yield "image.extract_patches", (picture(2, 5, 6, 2), *window, padding), {}
    small, wide = picture(1, 2, 2, 1), picture(1, 5, 6, 2, dtype="int32")
    yield "image.extract_patches", (wide, [1, 2, 3, 1], [1, 3, 1, 1], [1] * 4, "SAME"), {}
    yield "image.extract_patches", (small, [1, 3, 3, 1], [1] * 4, [1] * 4, "VALID"), {}
    volume = picture(1, 4, 5, 6, 2)
    yield "extract_volume_patches", (volume, [1, 2, 2, 3, 1], [1, 2, 1, 2, 1], "SAME"), {}
    yield "extract_volume_patches", (volume, [1, 2, 2, 3, 1], [1] * 5, "VALID"), {}


def quality() -> Iterator[Case]:
    a, b = picture(2, 16, 20, 3), picture(2, 16, 20, 3, seed=1)
    yield "image.psnr", (a, b, 1.0), {}
    yield "image.psnr", (a[0], b[0], 1.0), {}
    yield "image.psnr", (a, b[0], 1.0), {}
    yield (
        "image.psnr",
        (picture(3, 3, 1, dtype="uint8"), picture(3, 3, 1, dtype="uint8", seed=2), 255),
        {},
    )
    yield "image.psnr", (a, b[:, :3], 1.0), {}
    yield "image.ssim", (a, b, 1.0), {}
    yield "image.ssim", (a[0], b[0], 1.0), {"filter_size": 5, "filter_sigma": 1.0}
    yield "image.ssim", (a, a, 1.0), {"k1": 0.02, "k2": 0.05}
    yield "image.ssim", (a, b, 1.0), {"return_index_map": True}
    large = picture(1, 180, 181, 1), picture(1, 180, 181, 1, seed=1)
    mixed = 0.8 * large[0] + 0.2 * large[1]
    yield "image.ssim_multiscale", (large[0], mixed, 1.0), {}
    yield "image.ssim_multiscale", (large[0], mixed, 1.0), {"power_factors": (0.3, 0.7)}
    for image in (a, a[0], a[0, 0]):
        yield "image.total_variation", (image,), {}
    yield "image.image_gradients", (a[:, :4, :5],), {}
    yield "image.image_gradients", (a[0],), {}
    yield "image.sobel_edges", (a[:, :4, :5],), {}


def boxes() -> Iterator[Case]:
    image = picture(2, 5, 7, 2)
    rows = [0, 0, 1, 1], [0.1, 0.2, 0.8, 0.7], [-0.2, 0.3, 1.1, 1.3], [0.8, 0.9, 0.2, 0.1]
    areas = np.array(rows, np.float32)
    numbers = np.array([0, 1, 1, 0], np.int32)
    for method, size in product(("bilinear", "nearest"), ([3, 4], [1, 1], [6, 2])):
        for outside in (0.0, -1.0):
            options = {"method": method, "extrapolation_value": outside}
            yield "image.crop_and_resize", (image, areas, numbers, size), options
    yield "image.crop_and_resize", (picture(2, 4, 4, 1, dtype="uint8"), areas, numbers, [2, 3]), {}
    yield "image.crop_and_resize", (image, areas, numbers + 1, [2, 3]), {}
    yield "image.crop_and_resize", (image, areas, numbers, [0, 3]), {}
    yield "image.crop_and_resize", (image, areas[:, :3], numbers, [2, 3]), {}
    rng = np.random.default_rng(3)
    corners = rng.random((20, 2)).astype(np.float32)
    many = np.concatenate([corners, corners + 0.3 * rng.random((20, 2))], 1).astype(np.float32)
    scores = rng.random(20).astype(np.float32)
    for count, limit in product((0, 3, 30), (0.0, 0.3, 0.5, 1.0, 1.5)):
        yield "image.non_max_suppression", (many, scores, count), {"iou_threshold": limit}
    yield "image.non_max_suppression", (many, scores, 10), {"score_threshold": 0.4}
    yield "image.non_max_suppression", (many, scores[:5], 10), {}
    yield "image.non_max_suppression", (many[:0], scores[:0], 10), {}
    for sigma in (0.0, 0.2, 0.5):
        options = {"soft_nms_sigma": sigma, "score_threshold": 0.2}
        yield "image.non_max_suppression_with_scores", (many, scores, 10), options
    matrix = rng.random((20, 20)).astype(np.float32)
    yield "image.non_max_suppression_overlaps", (matrix, scores, 10), {"overlap_threshold": 0.7}
    yield from crowds()


def crowds() -> Iterator[Case]:
    """More boxes than are looked at together, some with their corners exchanged or without area."""
    rng = np.random.default_rng(6)
    corners = rng.integers(0, 900, (600, 2))
    sizes = rng.integers(-300, 600, (600, 2))
    sizes[::7] = 0
    many = np.concatenate([corners, corners + sizes], 1)
    scores = rng.permutation(600) / 600 - 0.1
    for dtype, count in product(("float32", "float16"), (20, 600)):
        args = (many.astype(dtype), scores.astype(dtype), count)
        yield "image.non_max_suppression", args, {"iou_threshold": 0.4}
    boxes, points = many.astype(np.float32), scores.astype(np.float32)
    for limit, sigma, least in ((0.1, 0.3, 0.0), (1.0, 0.3, 0.3), (0.3, 0.0, 0.0)):
        options = {"iou_threshold": limit, "soft_nms_sigma": sigma, "score_threshold": least}
        yield "image.non_max_suppression_with_scores", (boxes, points, 400), options
    matrix = rng.random((200, 200)).astype(np.float32)
    options = {"overlap_threshold": 0.98}
    yield "image.non_max_suppression_overlaps", (matrix, points[:200], 150), options
    boxes = boxes.reshape(3, 100, 2, 4) / np.float32(900)
    options = {"iou_threshold": 0.2, "score_threshold": 0.1}
    for kinds in (1, 2):
        args = (boxes[:, :, :kinds], points.reshape(3, 100, 2), 60, 90)
        yield "image.combined_non_max_suppression", args, options


def more_boxes() -> Iterator[Case]:
    rng = np.random.default_rng(4)
    corners = rng.random((2, 6, 2)).astype(np.float32)
    areas = np.concatenate([corners, corners + np.float32(0.4)], -1)
    scores = rng.random((2, 6)).astype(np.float32)
    for count, pad in product((0, 3, 8), (True, False)):
        options = {"pad_to_max_output_size": pad}
        yield "image.non_max_suppression_padded", (areas[0], scores[0], count), options
    for count, limit in product((3, 8), (0.1, 0.5)):
        options = {"pad_to_max_output_size": True, "canonicalized_coordinates": True}
        options |= {"iou_threshold": limit, "score_threshold": 0.2}
        yield "image.non_max_suppression_padded", (areas, scores, count), options
    classes = np.stack([scores, scores[:, ::-1], np.float32(1) - scores], -1)
    for each, total, pad, clip in product((1, 3), (2, 7, 20), (True, False), (True, False)):
        options = {"pad_per_class": pad, "clip_boxes": clip, "score_threshold": 0.25}
        args = (areas[:, :, None], classes, each, total)
        yield "image.combined_non_max_suppression", args, options
    many = np.repeat(areas[:, :, None], 3, 2) * rng.random((2, 6, 3, 1)).astype(np.float32)
    yield "image.combined_non_max_suppression", (many, classes, 4, 9), {"iou_threshold": 0.3}
    yield "image.combined_non_max_suppression", (many[:, :, :2], classes, 4, 9), {}
    yield "image.combined_non_max_suppression", (many[0], classes, 4, 9), {}
    yield "image.combined_non_max_suppression", (many, classes, 0, 9), {}
    outlines = np.array(
        [[[0.1, 0.2, 0.6, 0.7], [-0.2, 0.3, 1.1, 1.3], [0.5, 0.5, 0.4, 0.9]],
         [[1.2, 0.1, 1.5, 0.4], [0.0, 0.0, 1.0, 1.0], [0.3, -0.5, 0.4, -0.1]]],
        np.float32,
    )  # fmt: skip
    colors = np.array([[0.1, 0.2, 0.3], [0.9, 0.8, 0.7]], np.float32)
    for channels, dtype in product((1, 3, 4), ("float32", "float16")):
        pictures = picture(2, 9, 11, channels, dtype=dtype)
        yield "image.draw_bounding_boxes", (pictures, outlines, None), {}
        yield "image.draw_bounding_boxes", (pictures, outlines, colors), {}
    yield "image.draw_bounding_boxes", (picture(1, 9, 11, 3), outlines, colors), {}
    yield "image.draw_bounding_boxes", (picture(2, 9, 11, 3), outlines[0], colors), {}
    places = np.array([[0, 0], [0.3, -0.4], [1, 1], [2, 3], [-1, 0.5]], np.float32)
    pictures = picture(5, 6, 7, 2)
    for centered, normalized, size in product((True, False), (True, False), ([3, 2], [8, 9])):
        yield "image.extract_glimpse", (pictures, size, places, centered, normalized, "zero"), {}
    yield "image.extract_glimpse", (pictures, [0, 2], places), {"noise": "zero"}
    yield "image.extract_glimpse", (pictures, [2], places), {"noise": "zero"}


def random_changes() -> Iterator[Case]:
    image, batch = picture(6, 7, 3), picture(5, 4, 6, 3)
    for seed in ([1, 2], [3, 4], [5, 6]):
        yield "image.stateless_random_brightness", (image, 0.3, seed), {}
        yield "image.stateless_random_contrast", (image, 0.3, 0.9, seed), {}
        yield "image.stateless_random_hue", (image, 0.3, seed), {}
        yield "image.stateless_random_saturation", (image, 0.5, 1.5, seed), {}
        for value in (image, batch):
            yield "image.stateless_random_flip_left_right", (value, seed), {}
            yield "image.stateless_random_flip_up_down", (value, seed), {}
        yield "image.stateless_random_crop", (image, [3, 2, 3], seed), {}
        yield "image.stateless_random_crop", (batch, [3, 2, 3, 1], seed), {}
        for covered, options in product((0.1, 0.8, 1.0), ({}, {"area_range": [0.2, 0.5]},
                {"aspect_ratio_range": [0.5, 2.0], "max_attempts": 3})):  # fmt: skip
            box = np.array([[[0.1, 0.2, 0.6, 0.7], [0.5, 0.5, 0.9, 0.95]]], np.float32)
            args = (np.array([50, 41, 3]), box, seed, covered)
            yield "image.stateless_sample_distorted_bounding_box", args, options
    none = np.zeros((1, 0, 4), np.float32)
    for use in (True, False):
        options = {"use_image_if_no_bounding_boxes": use}
        args = (np.array([50, 41, 3], np.int32), none, [7, 8])
        yield "image.stateless_sample_distorted_bounding_box", args, options
    bad = np.array([[[0.5, 0.5, 0.4, 1.2]]], np.float32)
    yield "image.stateless_sample_distorted_bounding_box", ([50, 41, 3], bad, [7, 8]), {}
    for name, args in (("brightness", (-0.1,)), ("contrast", (0.9, 0.3)), ("contrast", (-1, 1)),
                       ("hue", (0.7,)), ("hue", (-0.1,)), ("saturation", (1.0, 1.0))):  # fmt: skip
        yield f"image.stateless_random_{name}", (image, *args, [1, 2]), {}
        yield f"image.random_{name}", (image, *args), {}
    yield "image.stateless_random_crop", (image, [9, 9, 3], [1, 2]), {}


def projections() -> Iterator[Case]:
    """Images through transforms: shifted, turned, seen from aside, outside of themselves."""
    pictures = (np.arange(2 * 4 * 5 * 2) * 7 % 23).astype(np.float32).reshape(2, 4, 5, 2)
    transforms = np.array(
        [[1, 0, 0, 0, 1, 0, 0, 0], [1, 0, -1.5, 0, 1, 0.75, 0, 0],
         [0.8, -0.6, 1, 0.6, 0.8, -1, 0, 0], [2, 0, -6, 0, 2, -5, 0, 0],
         [1, 0.25, 0, 0, 1, 0, 0.05, 0.1], [-1, 0, 3, 0, 1, 9, 0, 0]],
        np.float32)  # fmt: skip
    modes = ("CONSTANT", "REFLECT", "WRAP", "NEAREST")
    for interpolation, mode, row in product(("NEAREST", "BILINEAR"), modes, transforms):
        how = {"interpolation": interpolation, "fill_mode": mode}
        yield raw("ImageProjectiveTransformV3", images=pictures[:1], transforms=row[None],
                  output_shape=[4, 5], fill_value=np.array(2.5, np.float32), **how)  # fmt: skip
    for dtype in ("uint8", "int32", "int64", "float16", "float64", "bfloat16"):
        yield raw("ImageProjectiveTransformV2", images=pictures.astype(dtype), output_shape=[3, 6],
                  transforms=transforms[1:3], interpolation="BILINEAR")  # fmt: skip
    for change in (
        {"transforms": transforms[:3]}, {"transforms": transforms[:, :7]}, {"images": pictures[0]},
        {"output_shape": [3]}, {"output_shape": [0, 3]},
    ):  # fmt: skip
        given = {"images": pictures, "transforms": transforms[:1], "output_shape": [3, 6],
                 "interpolation": "NEAREST"}  # fmt: skip
        yield raw("ImageProjectiveTransformV2", **given | change)


def cases() -> list[Case]:
    """All cases of the area."""
    groups = (resizing, cropping, colours, adjustments, patches, quality, boxes, more_boxes,
              random_changes, projections)  # fmt: skip
    return [case for group in groups for case in group()]


TOLERANCES = (
    (r"image\.resize", 64, 5e-5),
    (r"ImageProjective", 4, 1e-5),
    (r"image\.(rgb_to|hsv_to|yiq|yuv|non_max)", 64, 1e-6),
    (r"image\.stateless_random_(hue|saturation)", 64, 1e-6),
    (r"image\.(ssim|psnr|adjust|per_image|sobel|crop_and)", 64, 1e-5),
)

DEPARTURES = (
    (r"_padded\(float32\[2, 6, 4\]", "batches of unknown size are refused"),
    (r"^image\.rgb_to_hsv\(float16", "slopes of hues near 0 overflow in TensorFlow's float16"),
    (r"^image\.adjust_(contrast|hue|saturation)\(float16", "TensorFlow has these on GPUs only"),
    (r"^image\.flip_.*\(float32\[4, 5\]", "traced with an unknown rank, flips check nothing"),
    (r"^image\.grayscale_to_rgb\(float32\[4, 5, 2\]", "nor is the number of channels checked"),
    (r"^extract_volume_patches", "TensorFlow traces its result with one axis too few"),
    (r"^image\.per_image_standardization\(float32\[2, 2, 1\]", "the slope of a root at 0"),
    (r"^image\.(resize_with|crop_to|pad_to).*float32\[\d, \d, \d\]", "an unknown rank is not 3"),
    (r"^image\.rgb_to_hsv.*float32\[1, 5, 3\]", "the slope of a hue at a tie is anyone's choice"),
    (r"^image\.resize\(float16.*bicubic", "TensorFlow has no gradient of it"),
)
