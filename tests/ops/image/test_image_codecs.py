"""simplejpeg gives the pixels that Pillow gives, and leaves to Pillow what is not sound."""

from __future__ import annotations

import io
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graphwright.ops.image import image_codecs

pytest.importorskip("simplejpeg")
pillow = pytest.importorskip("PIL.Image")

IMAGES = Path(__file__).parents[2] / "golden" / "images"


def by_both(data: bytes, channels: int, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The pixels of a file by Pillow alone and with simplejpeg, or the words of the errors."""
    results: list[Any] = []
    for is_installed in (False, True):
        monkeypatch.setattr(image_codecs, "has_simplejpeg", lambda is_=is_installed: is_)
        try:
            results.append(image_codecs.decode_jpeg(data, channels))
        except ValueError as error:
            results.append(str(error))
    return results


def jpeg_file(generator: np.random.Generator) -> bytes:
    """A file of a random size, quality and form."""
    height, width = (int(side) for side in generator.integers(1, 70, 2))
    shape = (height, width, 3) if generator.random() < 0.8 else (height, width)
    noise = (generator.integers(0, 256, shape) * generator.random()).astype(np.uint8)
    image, file = pillow.fromarray(noise), io.BytesIO()
    options: dict[str, Any] = {
        "quality": int(generator.integers(1, 101)), "progressive": generator.random() < 0.3,
        "restart_marker_blocks": int(generator.integers(0, 9)),
    }  # fmt: skip
    if len(shape) == 3:
        options["subsampling"] = int(generator.integers(0, 3))
        if generator.random() < 0.1:
            image = image.convert("CMYK")
    image.save(file, "JPEG", **options)
    return file.getvalue()


def damaged(data: bytes, generator: np.random.Generator) -> bytes:
    """The file cut, or with some bytes changed, or whole."""
    chance = generator.random()
    if chance < 0.25:
        return data[: generator.integers(4, len(data))]
    if chance < 0.6:
        changed = bytearray(data)
        for place in generator.integers(2, len(data), 3):
            changed[place] = generator.integers(0, 256)
        return bytes(changed)
    return data


def test_pixels_and_errors_are_those_of_pillow(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(0)
    files = [damaged(jpeg_file(generator), generator) for _ in range(300)]
    files += [path.read_bytes() for path in IMAGES.glob("*.jpg")]
    kinds: Counter[str] = Counter()
    for data in files:
        for channels in (0, 1, 3):
            alone, both = by_both(data, channels, monkeypatch)
            assert type(alone) is type(both)
            np.testing.assert_array_equal(alone, both)
            kinds["error" if isinstance(alone, str) else "pixels"] += 1
            kinds["simplejpeg"] += image_codecs.decode_sound_jpeg(data, channels) is not None
    assert kinds["error"] > 100
    assert kinds["pixels"] > kinds["simplejpeg"] > 300


def test_what_claims_too_many_pixels_is_left_to_pillow(monkeypatch: pytest.MonkeyPatch) -> None:
    file = (IMAGES / "rgb.jpg").read_bytes()
    monkeypatch.setattr("PIL.Image.MAX_IMAGE_PIXELS", 100)
    assert image_codecs.decode_sound_jpeg(file, 3) is None
    with pytest.raises(ValueError, match="MAX_IMAGE_PIXELS"):
        image_codecs.decode_jpeg(file, 3)


def test_a_sound_file_needs_no_pillow() -> None:
    program = (
        "import sys\n"
        "from graphwright.ops.image import image_codecs\n"
        "pixels = image_codecs.decode_jpeg(open(sys.argv[1], 'rb').read(), 3)\n"
        "most = image_codecs.most_pixels()\n"
        "assert 'PIL' not in sys.modules\n"
        "from PIL import Image\n"
        "print(pixels.sum(), most == Image.MAX_IMAGE_PIXELS)"
    )
    path = next(path for path in sorted(IMAGES.iterdir()) if path.suffix == ".jpg")
    run = subprocess.run(
        [sys.executable, "-c", program, path], check=True, capture_output=True, text=True
    )
    pixels = image_codecs.decode_jpeg(path.read_bytes(), 3)
    assert run.stdout.split() == [str(pixels.sum()), "True"]
