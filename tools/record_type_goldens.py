"""Record from TensorFlow what the expressions of tests/corpora/types.py come to.

Usage, in an environment with tensorflow 2.21 and attrs:
    python tools/record_type_goldens.py
"""

from __future__ import annotations

import recording

tf = recording.tensorflow()

from corpora import types as corpus
from tensorflow.python.framework.tensor_spec import BoundedTensorSpec


def main() -> None:
    """Write one golden file for each group of expressions."""
    tf.BoundedTensorSpec = BoundedTensorSpec  # which has no public name
    for group, expressions in corpus.GROUPS.items():
        outcomes = {text: corpus.outcome(text, tf) for text in expressions}
        recording.write(f"{group}.json", outcomes)


if __name__ == "__main__":
    main()
