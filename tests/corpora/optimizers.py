"""Settings of optimizers and schedules: recorded from Keras by tools/record_optimizer_goldens.py,
replayed by tests/edge/test_optimizers.py. `tf` is TensorFlow there and graphwright here."""

from __future__ import annotations

from typing import Any

OPTIMIZERS: dict[str, tuple[str, dict[str, Any]]] = {
    "sgd": ("SGD", {"learning_rate": 0.1}),
    "sgd momentum": ("SGD", {"learning_rate": 0.1, "momentum": 0.9}),
    "sgd nesterov": ("SGD", {"learning_rate": 0.1, "momentum": 0.7, "nesterov": True}),
    "sgd decay": ("SGD", {"learning_rate": 0.1, "weight_decay": 0.05}),
    "sgd clipnorm": ("SGD", {"learning_rate": 0.1, "clipnorm": 0.5}),
    "sgd clipvalue": ("SGD", {"learning_rate": 0.1, "clipvalue": 0.3}),
    "sgd global_clipnorm": ("SGD", {"learning_rate": 0.1, "global_clipnorm": 0.5}),
    "adam": ("Adam", {}),
    "adam fast": ("Adam", {"learning_rate": 0.2, "beta_1": 0.8, "beta_2": 0.9, "epsilon": 1e-3}),
    "adam amsgrad": ("Adam", {"learning_rate": 0.1, "amsgrad": True, "global_clipnorm": 1.0}),
    "adamw": ("AdamW", {"learning_rate": 0.1}),
    "adamw decay": ("AdamW", {"learning_rate": 0.1, "weight_decay": 0.2}),
    "rmsprop": ("RMSprop", {"learning_rate": 0.1}),
    "rmsprop momentum": ("RMSprop", {"learning_rate": 0.1, "momentum": 0.5, "rho": 0.7}),
    "rmsprop centered": (
        "RMSprop",
        {"learning_rate": 0.1, "centered": True, "momentum": 0.3, "epsilon": 1e-2},
    ),
    "adagrad": ("Adagrad", {"learning_rate": 0.1}),
    "sgd ema": ("SGD", {"learning_rate": 0.1, "use_ema": True, "ema_momentum": 0.8}),
    "sgd ema overwrite": (
        "SGD",
        {"learning_rate": 0.1, "use_ema": True, "ema_momentum": 0.5, "ema_overwrite_frequency": 2},
    ),
    "adam ema": (
        "Adam",
        {"learning_rate": 0.1, "use_ema": True, "ema_overwrite_frequency": 3, "ema_momentum": 0.9},
    ),
    "sgd scaled": ("SGD", {"learning_rate": 0.1, "loss_scale_factor": 4.0}),
    "sgd gathered": ("SGD", {"learning_rate": 0.1, "gradient_accumulation_steps": 2}),
    "adamw gathered": (
        "AdamW",
        {"learning_rate": 0.1, "gradient_accumulation_steps": 3, "clipnorm": 0.5},
    ),
    "adam gathered ema": (
        "Adam",
        {
            "learning_rate": 0.1,
            "gradient_accumulation_steps": 2,
            "use_ema": True,
            "ema_momentum": 0.7,
            "ema_overwrite_frequency": 2,
            "loss_scale_factor": 2.0,
        },
    ),
    "adagrad start": ("Adagrad", {"learning_rate": 0.1, "initial_accumulator_value": 0.5}),
}

SCHEDULES: dict[str, tuple[str, tuple[Any, ...], dict[str, Any]]] = {
    "exponential": ("ExponentialDecay", (0.1, 7, 0.5), {}),
    "exponential stairs": ("ExponentialDecay", (0.1, 7, 0.5), {"staircase": True}),
    "inverse": ("InverseTimeDecay", (0.1, 7, 0.5), {}),
    "inverse stairs": ("InverseTimeDecay", (0.1, 7, 0.5), {"staircase": True}),
    "polynomial": ("PolynomialDecay", (0.1, 10, 0.01), {}),
    "polynomial power": ("PolynomialDecay", (0.1, 10, 0.01, 2.0), {}),
    "polynomial cycle": ("PolynomialDecay", (0.1, 10, 0.01, 0.5), {"cycle": True}),
    "piecewise": ("PiecewiseConstantDecay", ([3, 10], [0.3, 0.2, 0.1]), {}),
    "cosine": ("CosineDecay", (0.1, 20), {}),
    "cosine alpha": ("CosineDecay", (0.1, 20, 0.2), {}),
    "cosine warm": ("CosineDecay", (0.01, 20, 0.1), {"warmup_target": 0.1, "warmup_steps": 5}),
}

STEPS = (0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 15, 20, 21, 25, 40)
ROUNDS = 7


def train(tf: Any, optimizer: Any, rounds: int = ROUNDS) -> list[Any]:
    """The values of two variables and the optimizer's own after steps down a bowl."""
    v = tf.Variable([1.0, -2.0, 0.5])
    w = tf.Variable([[0.25, 3.0]])
    for _ in range(rounds):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v) + tf.reduce_sum(tf.sin(w) * v[0])
        optimizer.apply_gradients(zip(tape.gradient(loss, [v, w]), [v, w]))
    trained = v.numpy().tolist(), w.numpy().tolist()
    optimizer.finalize_variable_values([v, w])
    return [*trained, len(optimizer.variables), v.numpy().tolist(), w.numpy().tolist()]
