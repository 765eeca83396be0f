"""`tf.optimizers`: optimizers by Keras's names."""

from graphwright.api.optimizers import schedules
from graphwright.library.optimizers.base_optimizer import Optimizer
from graphwright.library.optimizers.optimizers import SGD, Adagrad, Adam, AdamW, RMSprop

__all__ = ["SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "schedules"]
