"""Objects that are saved in checkpoints, made with TensorFlow or with graphwright."""

from __future__ import annotations

from typing import Any


def objects(tf: Any, is_set: bool) -> Any:
    """Objects of many kinds by name, with the values that are saved or with others."""

    def value(x: Any) -> Any:
        """What is saved, or something else of its type."""
        return x if is_set else tf.zeros_like(x)

    class Model(tf.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable(value(tf.constant([[1.0, 2.0]])), name="w")
            self.layers = [
                tf.Variable(value(tf.constant(5))),
                tf.Variable(value(tf.constant(["a", "", "bc"]))),
            ]
            self.named = {
                "a/b.c": tf.Variable(value(tf.constant([True, False]))),
                "half": tf.Variable(value(tf.constant([1.5, -2.0], tf.bfloat16))),
            }
            self.again = self.layers
            self.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
            if is_set:
                self.table.insert(tf.constant(["x", "y"]), tf.constant([1, 2], tf.int64))

    return {"model": Model(), "generator": tf.random.Generator.from_seed(3 if is_set else 9)}


def values(tf: Any, held: Any) -> list[Any]:
    """The values of the objects."""
    model = held["model"]
    variables = [model.w, *model.layers, model.named["a/b.c"], model.named["half"]]
    found = model.table.lookup(tf.constant(["x", "y", "z"]))
    arrays = [*[v.numpy() for v in variables], held["generator"].state.numpy(), found.numpy()]
    return [array.tolist() for array in arrays]
