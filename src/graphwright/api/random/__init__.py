"""`tf.random`: random numbers, from seeds, global state or generators."""

from graphwright.api.random import experimental
from graphwright.library.objects.generator import (
    Generator,
    create_rng_state,
    get_global_generator,
    set_global_generator,
)
from graphwright.library.optimizers.initializers import Constant as constant_initializer
from graphwright.library.optimizers.initializers import Ones as ones_initializer
from graphwright.library.optimizers.initializers import RandomNormal as random_normal_initializer
from graphwright.library.optimizers.initializers import RandomUniform as random_uniform_initializer
from graphwright.library.optimizers.initializers import Zeros as zeros_initializer
from graphwright.ops.nn.class_sampling import (
    all_candidate_sampler,
    fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler,
    log_uniform_candidate_sampler,
    uniform_candidate_sampler,
)
from graphwright.ops.random.bounded_normal import stateless_parameterized_truncated_normal
from graphwright.ops.random.seeds import set_seed
from graphwright.ops.random.stateful_random import (
    categorical,
    gamma,
    normal,
    poisson,
    shuffle,
    truncated_normal,
    uniform,
)
from graphwright.ops.random.stateless_random import (
    Algorithm,
    fold_in,
    split,
    stateless_binomial,
    stateless_categorical,
    stateless_gamma,
    stateless_normal,
    stateless_poisson,
    stateless_truncated_normal,
    stateless_uniform,
)

__all__ = (
    "Algorithm",
    "Generator",
    "all_candidate_sampler",
    "categorical",
    "create_rng_state",
    "experimental",
    "fixed_unigram_candidate_sampler",
    "fold_in",
    "gamma",
    "get_global_generator",
    "learned_unigram_candidate_sampler",
    "log_uniform_candidate_sampler",
    "normal",
    "poisson",
    "set_global_generator",
    "set_seed",
    "shuffle",
    "split",
    "stateless_binomial",
    "stateless_categorical",
    "stateless_gamma",
    "stateless_normal",
    "stateless_parameterized_truncated_normal",
    "stateless_poisson",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
    "uniform_candidate_sampler",
)

TOP_LEVEL = (
    "constant_initializer",
    "ones_initializer",
    "random_normal_initializer",
    "random_uniform_initializer",
    "zeros_initializer",
)
