"""`tf.random.experimental`: the older home of generators and of functions of seeds."""

from graphwright.library.objects.generator import (
    Generator,
    create_rng_state,
    get_global_generator,
    set_global_generator,
)
from graphwright.ops.random.index_shuffle import index_shuffle
from graphwright.ops.random.stateless_random import Algorithm, stateless_shuffle
from graphwright.ops.random.stateless_random import fold_in as stateless_fold_in
from graphwright.ops.random.stateless_random import split as stateless_split

__all__ = (
    "Algorithm",
    "Generator",
    "create_rng_state",
    "get_global_generator",
    "index_shuffle",
    "set_global_generator",
    "stateless_fold_in",
    "stateless_shuffle",
    "stateless_split",
)
