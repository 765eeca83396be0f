"""Records TensorFlow's second derivatives at golden cases in tests/golden/second_gradients.npz.

    python tools/record_second_goldens.py

Of each function a few cases in single and double precision whose first gradients are recorded;
where TensorFlow has no second derivative, nothing is.
"""

from __future__ import annotations

from collections import Counter

import recording

tf = recording.tensorflow()

from tools import golden_format as gf

AREAS = ("array", "convolution", "image", "linalg", "math", "nn", "numpy", "signal")
EACH = 5


def main() -> None:
    """Writes the file."""
    store = gf.Store()
    for area in AREAS:
        recorded, seen = gf.Store.load(area).index, Counter[str]()
        for case in gf.cases_of(area):
            small = any(a.dtype.itemsize < 4 for a in gf.split(case)[0])
            if small or "gradient" not in recorded.get(gf.digest(case), ()):
                continue
            seen[case[0]] += 1
            if seen[case[0]] > EACH:
                continue
            try:
                result = gf.run_second(tf, case)
            except (LookupError, AttributeError, tf.errors.InvalidArgumentError):
                continue  # it has none, or fails on the way
            store.index[f"{area} {gf.digest(case)}"] = [store.pack(g) for g in result]
    print(len(store.index), store.write(gf.GOLDEN / "second_gradients.npz"))


if __name__ == "__main__":
    main()
