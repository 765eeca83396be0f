"""`tf.experimental.numpy.random`: NumPy's names of random numbers."""

from graphwright.library.numpy.array_random import (
    poisson,
    rand,
    randint,
    randn,
    random,
    seed,
    standard_normal,
    uniform,
)

__all__ = [
    "poisson",
    "rand",
    "randint",
    "randn",
    "random",
    "seed",
    "standard_normal",
    "uniform",
]
