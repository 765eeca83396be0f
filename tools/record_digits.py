"""Write the demo's data set, src/graphwright/demo/digits.npz, from scikit-learn's copy of it.

python tools/record_digits.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

FILE = Path(__file__).resolve().parent.parent / "src" / "graphwright" / "demo" / "digits.npz"


def main() -> None:
    digits = load_digits()
    np.savez_compressed(
        FILE, images=digits.images.astype(np.uint8), labels=digits.target.astype(np.uint8)
    )
    print(f"{FILE}: {FILE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
