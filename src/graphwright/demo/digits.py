"""Handwritten digits: 1,797 images of 8x8 pixels, inside the package.

The data is the test set of "Optical Recognition of Handwritten Digits" (E. Alpaydin and C. Kaynak,
UCI Machine Learning Repository, 1998, doi 10.24432/C50P49, licence CC BY 4.0) as scikit-learn's
`load_digits` has it; `tools/record_digits.py` wrote the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt

CLASSES = 10
SIDE = 8
BRIGHTEST = 16

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class DigitSet:
    """Images `[n, 8, 8, 1]`, float32 from 0 to 1, and the digit that each shows `[n]`."""

    images: Floats
    digits: npt.NDArray[np.uint8]

    @property
    def one_hot(self) -> Floats:
        """The digits as rows `[n, 10]` of zeros with a one at the digit."""
        return np.eye(CLASSES, dtype=np.float32)[self.digits]

    def __len__(self) -> int:
        return len(self.digits)


def read() -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """The images `[1797, 8, 8]`, pixels 0 to 16, and the digits `[1797]`, as recorded."""
    with resources.files(__package__).joinpath("digits.npz").open("rb") as file:
        arrays: Any = np.load(file)
        return arrays["images"], arrays["labels"]


def split(held_out: float = 0.2, seed: int = 0) -> tuple[DigitSet, DigitSet]:
    """The digits to train on and those held out, chosen at random by the seed."""
    images, digits = read()
    scaled = images[..., None].astype(np.float32) / np.float32(BRIGHTEST)
    # RandomState's stream is the same in every version of NumPy, that of Generator is not.
    order = np.random.RandomState(seed).permutation(len(scaled))
    test, training = np.split(order, [round(held_out * len(scaled))])
    return DigitSet(scaled[training], digits[training]), DigitSet(scaled[test], digits[test])
