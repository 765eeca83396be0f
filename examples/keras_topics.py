"""Keras sorts sentences by their topic: words become numbers, and numbers vectors with a meaning.

The sentences come from the help texts of Python's statements and of its types. `TextVectorization`
learns the words; a mask leaves out the padding of short sentences.

Needs Keras 3 (`pip install keras`).

    python examples/keras_topics.py            # some seconds
"""

from __future__ import annotations

import argparse
import re
from pydoc_data.topics import topics

import numpy as np

import graphwright as tf

keras = tf.keras
layers = keras.layers

#: Topics of help texts that are about statements, and those that are about types.
STATEMENTS = ["assert", "assignment", "class", "compound", "del", "for", "function", "global", "if",
              "import", "raise", "return", "try", "while", "with", "yield"]  # fmt: skip
TYPES = ["bltin-null-object", "bltin-type-objects", "numbers", "numeric-types", "sequence-types",
         "specialnames", "strings", "types", "typesmapping", "typesseq"]  # fmt: skip


def sentences(names):
    """The sentences of help texts that have some words."""
    text = " ".join(topics[name] for name in names if name in topics)
    parts = re.split(r"(?<=[.:])\s+", re.sub(r"\s+", " ", text))
    return [part for part in parts if len(part.split()) > 5]


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--epochs", type=int, default=6)
    options = parser.parse_args()
    keras.utils.set_random_seed(0)
    about_statements, about_types = sentences(STATEMENTS), sentences(TYPES)
    texts = np.array(about_statements + about_types)
    kinds = np.array([0.0] * len(about_statements) + [1.0] * len(about_types))
    order = np.random.default_rng(0).permutation(len(texts))
    texts, kinds, held_out = texts[order], kinds[order], len(texts) // 5

    vectorize = layers.TextVectorization(max_tokens=2000, output_sequence_length=30)
    vectorize.adapt(texts[held_out:])
    model = keras.Sequential(
        [
            vectorize,
            layers.Embedding(vectorize.vocabulary_size(), 24, mask_zero=True),
            layers.GlobalAveragePooling1D(),
            layers.Dropout(0.3),
            layers.Dense(1, "sigmoid"),
        ]
    )
    model.compile(keras.optimizers.Adam(0.02), "binary_crossentropy", metrics=["accuracy"])
    batches = [
        tf.data.Dataset.from_tensor_slices((texts[rows], kinds[rows])).batch(32)
        for rows in (slice(held_out, None), slice(held_out))
    ]
    history = model.fit(
        batches[0], epochs=options.epochs, validation_data=batches[1], shuffle=False, verbose=0
    ).history
    for epoch, (loss, share) in enumerate(zip(history["loss"], history["val_accuracy"]), 1):
        print(f"epoch {epoch}: loss {loss:.3f}, {share:.1%} of sentences kept aside are right")
    asked = tf.constant(["the loop ends when the condition is false.", "an integer has no limit."])
    for text, kind in zip(asked.numpy(), model.predict(asked, verbose=0)[:, 0]):
        print(f"{'types' if kind > 0.5 else 'statements'}: {text.decode()}")


if __name__ == "__main__":
    main()
