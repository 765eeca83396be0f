"""`tf.image`: resizing, cropping, colours, patches, comparison of images."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphwright.api import late
from graphwright.ops.image.color import (
    adjust_brightness,
    adjust_contrast,
    adjust_gamma,
    adjust_hue,
    adjust_saturation,
    convert_image_dtype,
    grayscale_to_rgb,
    hsv_to_rgb,
    per_image_standardization,
    rgb_to_grayscale,
    rgb_to_hsv,
    rgb_to_yiq,
    rgb_to_yuv,
    yiq_to_rgb,
    yuv_to_rgb,
)
from graphwright.ops.image.cropping import (
    central_crop,
    crop_to_bounding_box,
    flip_left_right,
    flip_up_down,
    pad_to_bounding_box,
    resize_with_crop_or_pad,
    rot90,
    transpose,
)
from graphwright.ops.image.image_files import (
    adjust_jpeg_quality,
    decode_and_crop_jpeg,
    decode_bmp,
    decode_gif,
    decode_image,
    decode_jpeg,
    decode_png,
    decode_webp,
    encode_jpeg,
    extract_jpeg_shape,
    is_jpeg,
)
from graphwright.ops.image.random_images import (
    random_brightness,
    random_contrast,
    random_crop,
    random_flip_left_right,
    random_flip_up_down,
    random_hue,
    random_jpeg_quality,
    random_saturation,
    stateless_random_brightness,
    stateless_random_contrast,
    stateless_random_crop,
    stateless_random_flip_left_right,
    stateless_random_flip_up_down,
    stateless_random_hue,
    stateless_random_jpeg_quality,
    stateless_random_saturation,
)
from graphwright.ops.image.resizing import ResizeMethod, resize, resize_with_pad

if TYPE_CHECKING:
    from graphwright.ops.image.boxes import (
        combined_non_max_suppression,
        non_max_suppression,
        non_max_suppression_overlaps,
        non_max_suppression_padded,
        non_max_suppression_with_scores,
    )
    from graphwright.ops.image.crop_and_resize import crop_and_resize
    from graphwright.ops.image.crop_sampling import (
        sample_distorted_bounding_box,
        stateless_sample_distorted_bounding_box,
    )
    from graphwright.ops.image.drawing import draw_bounding_boxes, extract_glimpse
    from graphwright.ops.image.image_quality import (
        image_gradients,
        psnr,
        sobel_edges,
        ssim,
        ssim_multiscale,
        total_variation,
    )
    from graphwright.ops.image.patches import extract_patches
    from graphwright.ops.image.png import encode_png

#: Names that few programs use, and the modules that have them.
_LATE = {
    "graphwright.ops.image.boxes": (
        "combined_non_max_suppression",
        "non_max_suppression",
        "non_max_suppression_overlaps",
        "non_max_suppression_padded",
        "non_max_suppression_with_scores",
    ),
    "graphwright.ops.image.crop_and_resize": ("crop_and_resize",),
    "graphwright.ops.image.crop_sampling": (
        "sample_distorted_bounding_box",
        "stateless_sample_distorted_bounding_box",
    ),
    "graphwright.ops.image.drawing": (
        "draw_bounding_boxes",
        "extract_glimpse",
    ),
    "graphwright.ops.image.image_quality": (
        "image_gradients",
        "psnr",
        "sobel_edges",
        "ssim",
        "ssim_multiscale",
        "total_variation",
    ),
    "graphwright.ops.image.patches": ("extract_patches",),
    "graphwright.ops.image.png": ("encode_png",),
}

__getattr__ = late(__name__, _LATE)

__all__ = (
    "ResizeMethod",
    "adjust_brightness",
    "adjust_contrast",
    "adjust_gamma",
    "adjust_hue",
    "adjust_jpeg_quality",
    "adjust_saturation",
    "central_crop",
    "combined_non_max_suppression",
    "convert_image_dtype",
    "crop_and_resize",
    "crop_to_bounding_box",
    "decode_and_crop_jpeg",
    "decode_bmp",
    "decode_gif",
    "decode_image",
    "decode_jpeg",
    "decode_png",
    "decode_webp",
    "draw_bounding_boxes",
    "encode_jpeg",
    "encode_png",
    "extract_glimpse",
    "extract_jpeg_shape",
    "extract_patches",
    "flip_left_right",
    "flip_up_down",
    "grayscale_to_rgb",
    "hsv_to_rgb",
    "image_gradients",
    "is_jpeg",
    "non_max_suppression",
    "non_max_suppression_overlaps",
    "non_max_suppression_padded",
    "non_max_suppression_with_scores",
    "pad_to_bounding_box",
    "per_image_standardization",
    "psnr",
    "random_brightness",
    "random_contrast",
    "random_crop",
    "random_flip_left_right",
    "random_flip_up_down",
    "random_hue",
    "random_jpeg_quality",
    "random_saturation",
    "resize",
    "resize_with_crop_or_pad",
    "resize_with_pad",
    "rgb_to_grayscale",
    "rgb_to_hsv",
    "rgb_to_yiq",
    "rgb_to_yuv",
    "rot90",
    "sample_distorted_bounding_box",
    "sobel_edges",
    "ssim",
    "ssim_multiscale",
    "stateless_random_brightness",
    "stateless_random_contrast",
    "stateless_random_crop",
    "stateless_random_flip_left_right",
    "stateless_random_flip_up_down",
    "stateless_random_hue",
    "stateless_random_jpeg_quality",
    "stateless_random_saturation",
    "stateless_sample_distorted_bounding_box",
    "total_variation",
    "transpose",
    "yiq_to_rgb",
    "yuv_to_rgb",
)
