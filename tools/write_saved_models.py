"""Write models with graphwright, for TensorFlow to load.

    PYTHONPATH=src python tools/write_saved_models.py FOLDER
    python tools/record_saved_models.py --load FOLDER     (where tensorflow 2.21 is)

Written are the models of tests/corpora/model_recipes.py, and those that TensorFlow and Keras wrote,
loaded and saved again. Each has the recorded calls beside it.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from corpora.model_features import FEATURES
from corpora.model_programs import PROGRAMS
from corpora.model_recipes import RECIPES
from support.saved_models import NAMES, unpacked

import graphwright as tf


def main(target: Path) -> None:
    """Writes all models into a folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        recorded = {name: unpacked(name, folder / "recorded") for name in NAMES}
        for recipe in [*RECIPES, *FEATURES, *PROGRAMS]:
            (files := folder / recipe.__name__).mkdir()
            model, options, _ = recipe(tf, files)
            made = target / f"own_{recipe.__name__}"
            tf.saved_model.save(model, made, **options)
            (made / "calls.json").write_bytes(
                (recorded[recipe.__name__] / "calls.json").read_bytes()
            )
        for name, path in recorded.items():
            again = target / f"again_{name}"
            model = tf.saved_model.load(path)
            signatures = dict(model.signatures)
            tf.saved_model.save(model, again, signatures=signatures)
            (again / "calls.json").write_bytes((path / "calls.json").read_bytes())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
