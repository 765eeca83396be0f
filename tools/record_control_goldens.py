"""Records tests/golden/control.json from TensorFlow: `python tools/record_control_goldens.py`.

Run it with TensorFlow 2.21 installed; what it writes is what tests/control/ compares.
"""

from __future__ import annotations

import recording

tf = recording.tensorflow()

from corpora import control as corpus


def main() -> None:
    """Writes the outcomes of the corpus."""
    modes = (False, True)
    record = {
        "outcomes": {e: [corpus.outcome(e, tf, g) for g in modes] for e in corpus.EXPRESSIONS},
        "derivatives": {
            name: [corpus.derivatives(tf, name, point, True) for point in corpus.POINTS]
            for name in corpus.GRADIENTS
        },
        "printed": {a: corpus.printed(a, tf, False) for a in corpus.PRINTED},
    }
    recording.write("control.json", record)


if __name__ == "__main__":
    main()
