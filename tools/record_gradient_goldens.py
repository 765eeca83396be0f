"""Records what TensorFlow makes of tests/corpora/gradients.py in tests/golden/gradients.json.

python tools/record_gradient_goldens.py
"""

from __future__ import annotations

import recording

tf = recording.tensorflow()

from corpora import gradients as corpus


def main() -> None:
    """Writes the file."""
    result = {}
    for name, (program, given) in corpus.CASES.items():
        tensors = [tf.constant(x) for x in corpus.operands(given)]
        result[name] = [
            [corpus.entry(g) for g in part] for part in corpus.derivatives(tf, program, tensors)
        ]
    recording.write("gradients.json", result)


if __name__ == "__main__":
    main()
