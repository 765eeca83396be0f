"""Cases of image files: (public name, arguments, keyword arguments).

The files in tests/golden/images were written by Pillow, those of 16 bit colours by TensorFlow.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

Case = tuple[str, tuple[Any, ...], dict[str, Any]]

TOLERANCES: list[tuple[str, float, float]] = [("", 4, 0)]
DEPARTURES: list[tuple[str, str]] = [
    (
        r"IHDR.*\\x10\\x02.*, channels=1|IHDR.*\\x10\\x06.*, channels=1|x10.*, 1, 'uint16'",
        "gray from colours of 16 bits: its last bits are anyone's choice",
    ),
    (
        r"^io.decode_and_crop_jpeg.*list\((0, 0|3, 7)[\d, ]*\), dct",
        "TensorFlow smooths chroma in it only",
    ),
    (
        r"^io.decode_(jpeg|png|bmp|and_crop_jpeg)\(object\[\]b.RIFF.*VP8",
        "a frame has rank 3, as the graph says; TensorFlow's has rank 4, and is not cropped",
    ),
    (
        r"^io.decode_webp\(object\[\]b.(\\x89PNG.*IHDR|\\xff\\xd8.*JFIF)",
        "frames have rank 4, as the graph says; TensorFlow's has rank 3",
    ),
]

IMAGES = Path(__file__).resolve().parents[2] / "tests" / "golden" / "images"


def file(name: str) -> Any:
    """An image file as a string tensor's array."""
    return np.array((IMAGES / name).read_bytes(), object)


def decoding() -> Iterator[Case]:
    for path in sorted(IMAGES.iterdir()):
        data = file(path.name)
        yield "io.is_jpeg", (data,), {}
        yield "io.extract_jpeg_shape", (data,), {}
        exact = {"dct_method": "INTEGER_ACCURATE"}
        for channels in (0, 1, 3, 4):
            yield "io.decode_jpeg", (data,), {"channels": channels, **exact}
            yield "io.decode_bmp", (data,), {"channels": channels}
            yield "io.decode_webp", (data,), {"channels": channels}
        if path.suffix == ".jpg":  # what the others take for it is the fast transform
            for kind in ("png", "image"):
                yield f"io.decode_{kind}", (data,), {"channels": 4}
            continue
        yield "io.decode_and_crop_jpeg", (data, [0, 0, 2, 2]), {}
        yield "io.decode_gif", (data,), {}
        for channels in (0, 1, 3, 4):
            for kind in ("png", "image"):
                yield f"io.decode_{kind}", (data,), {"channels": channels}
            yield "io.decode_png", (data, channels, "uint16"), {}
        for dtype, expand in product(("uint8", "uint16", "float32", "float64"), (True, False)):
            options = {"dtype": dtype, "expand_animations": expand}
            yield "io.decode_image", (data,), options
    large = file("large.jpg")
    for ratio in (1, 2, 4, 8, 3):
        yield "io.decode_jpeg", (large,), {"ratio": ratio, "dct_method": "INTEGER_ACCURATE"}
    yield "io.decode_jpeg", (large,), {"dct_method": "SLOW"}
    yield "io.extract_jpeg_shape", (large, "int64"), {}
    for window in ([0, 0, 5, 6], [3, 7, 20, 9], [0, 0, 100, 3], [-1, 0, 3, 3], [0, 0, 0, 3]):
        yield "io.decode_and_crop_jpeg", (large, window), {"dct_method": "INTEGER_ACCURATE"}
        gray = {"channels": 1, "dct_method": "INTEGER_ACCURATE"}
        yield "io.decode_and_crop_jpeg", (large, window), gray
    for data in (
        b"",
        b"no image",
        b"\xff\xd8\xff\xe0broken",
        b"\x89PNG\r\n\x1a\nbroken",
        b"GIF89a",
        b"BM12",
        b"RIFF\4\0\0\0WEBP",
        b"RIFF\4\0\0\0WAVE",
    ):
        bad = np.array(data, object)
        for kind in ("jpeg", "png", "gif", "bmp", "webp", "image"):
            yield f"io.decode_{kind}", (bad,), {}
        yield "io.extract_jpeg_shape", (bad,), {}
    yield "io.decode_jpeg", (np.array([b"a", b"b"], object),), {}


def encoding() -> Iterator[Case]:
    y, x = np.mgrid[0:9, 0:11]
    color = np.stack([x * 20, y * 25, (x * y * 7) % 256], -1).astype(np.uint8)
    for options in (
        {}, {"quality": 50}, {"quality": 100}, {"quality": 101}, {"progressive": True},
        {"optimize_size": True}, {"chroma_downsampling": False}, {"density_unit": "cm"},
        {"density_unit": "m"}, {"x_density": 72, "y_density": 96}, {"format": "rgb"},
        {"format": "grayscale"}, {"format": "cmyk"},
    ):  # fmt: skip
        yield "io.encode_jpeg", (color,), options
        yield "io.encode_jpeg", (color[..., :1],), options
    yield "io.encode_jpeg", (color[..., :2],), {}
    yield "io.encode_jpeg", (color[0],), {}
    yield "io.encode_jpeg", (color[:0],), {}
    yield "io.encode_jpeg", (color.astype(np.int32),), {}
    for quality in (10, 75, 100, -1, 101):
        options = {"dct_method": "INTEGER_ACCURATE"}
        yield "image.adjust_jpeg_quality", (color, quality), options
        yield "image.adjust_jpeg_quality", ((color / 255).astype(np.float32), quality), options


def cases() -> Iterator[Case]:
    """All cases of the area."""
    yield from decoding()
    yield from encoding()
